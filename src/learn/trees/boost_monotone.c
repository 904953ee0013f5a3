/* boost_monotone.c -- monotone="+age,-price": which features may only raise or lower the score. */
#include "learn/trees/boost.h"

#include <string.h>

/* The feature of that name; only the name is compared. */
static smr_status find_feature(smr_ctx *ctx, const smr_data *data, const char *name, int64_t length,
                               int64_t *out)
{
    smr_status st = SMR_OK;
    const char **names = NULL;
    char word[128];
    for (int64_t j = 0; j < data->n_features && data->features; j++) {
        const char *is = data->features[j].name;
        if (!is || (int64_t)strlen(is) != length || memcmp(is, name, (size_t)length) != 0) continue;
        *out = j;
        return SMR_OK;
    }
    int64_t shown = SMR_MIN(length, (int64_t)sizeof word - 1), n = 0;
    memcpy(word, name, (size_t)shown);
    word[shown] = '\0';
    TRY_NEW(names, SMR_MAX(1, data->n_features));
    for (int64_t j = 0; j < data->n_features && data->features; j++)
        if (data->features[j].name) names[n++] = data->features[j].name;
    int64_t near = smr_nearest(word, names, n);
    st = smr_fail(ctx, SMR_ERR_PARAM, "boost: monotone names '%s', which is not a feature%s%s%s",
                  word, near >= 0 ? "; did you mean '" : "", near >= 0 ? names[near] : "",
                  near >= 0 ? "'?" : "");
out:
    smr_free(names);
    return st;
}

smr_status smr_boost_monotone(smr_ctx *ctx, const char *text, const smr_data *data,
                              signed char **out)
{
    smr_status st = SMR_OK;
    *out = NULL;
    while (text && *text == ' ') text++;
    if (!text || !*text) return SMR_OK;
    TRY_NEW(*out, SMR_MAX(1, data->n_features));
    while (*text) {
        const char *end = strchr(text, ',');
        int64_t length = end ? end - text : (int64_t)strlen(text), j = 0;
        if (*text != '+' && *text != '-')
            TRY(smr_fail(ctx, SMR_ERR_PARAM,
                         "boost: monotone=\"%s\": each name has a sign before it, as in "
                         "\"+age,-price\"",
                         text));
        int64_t name_end = length;
        while (name_end > 1 && text[name_end - 1] == ' ') name_end--;
        TRY(find_feature(ctx, data, text + 1, name_end - 1, &j));
        if (data->features[j].kind != SMR_NUMBER)
            TRY(smr_fail(ctx, SMR_ERR_PARAM,
                         "boost: monotone names '%s', a category: only numbers rise and fall",
                         data->features[j].name));
        (*out)[j] = *text == '+' ? 1 : -1;
        text += length + (end ? 1 : 0);
        while (*text == ' ') text++;
    }
out:
    return st;
}
