/* settings.c -- see settings.h. */
#include "settings.h"

#include <string.h>

smr_status settings_read(smr_ctx *ctx, const args *a, int first, setting_words *out)
{
    for (int i = first; i < a->n_words; i++) {
        const char *eq = strchr(a->words[i], '=');
        if (!eq || eq == a->words[i])
            return smr_fail(ctx, SMR_ERR_PARAM,
                            "'%s' is no setting; write key=value, such as n=500", a->words[i]);
        char *key = smr_strndup(ctx, a->words[i], (size_t)(eq - a->words[i]));
        if (!key) return SMR_ERR_NOMEM;
        out->keys[out->n] = key;
        out->list[out->n++] = (smr_setting){.key = key, .value = eq + 1};
    }
    return SMR_OK;
}

void settings_release(setting_words *settings)
{
    for (int64_t k = 0; k < settings->n; k++) smr_free(settings->keys[k]);
    settings->n = 0;
}
