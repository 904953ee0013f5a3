/* made_features.c -- see made_features.h. */
#include "learn/made_features.h"

#include "core/text.h"
#include "core/try.h"

smr_status smr_made_feature(smr_ctx *ctx, const char *prefix, int64_t which, smr_feature *out)
{
    smr_text name = {.ctx = ctx};
    smr_text_printf(&name, "%s%lld", prefix, (long long)which);
    if (smr_text_done(&name) != SMR_OK) {
        smr_text_release(&name);
        return SMR_ERR_NOMEM;
    }
    out->kind = SMR_NUMBER;
    out->name = name.bytes;
    return SMR_OK;
}

smr_status smr_made_features(smr_ctx *ctx, const char *prefix, smr_feature *out, int64_t n)
{
    smr_status st = SMR_OK;
    for (int64_t c = 0; c < n; c++) TRY(smr_made_feature(ctx, prefix, c + 1, &out[c]));
out:
    return st;
}

void smr_made_of_all(const void *params, const void *state, int64_t n_in, int64_t *from,
                     int64_t n_out)
{
    (void)params, (void)state;
    for (int64_t c = 0; c < n_out; c++) from[c] = n_in == 1 ? 0 : -1;
}
