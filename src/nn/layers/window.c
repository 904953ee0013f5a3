/* window.c -- see window.h. */
#include "nn/layers/window.h"

#include <stdio.h>

const smr_choice smr_window_rounds[] = {
    {"exact", "the windows must fill the picture; only padding may be left over"},
    {"down", "rows and columns that are left over are not seen"},
    {"up", "one more window, part of which lies outside"},
    {NULL, NULL},
};

void smr_window_pair(const smr_reals *from, int64_t unset, int64_t to[2])
{
    for (int k = 0; k < 2; k++)
        to[k] = from->n == 0 ? unset : (int64_t)from->value[SMR_MIN(k, from->n - 1)];
}

smr_status smr_window_check(smr_ctx *ctx, const char *layer, const char *name,
                            const smr_reals *list)
{
    for (int64_t i = 0; i < list->n; i++)
        if (list->value[i] != (double)(int64_t)list->value[i])
            return smr_fail(ctx, SMR_ERR_PARAM, "%s: %s is a whole number", layer, name);
    if (list->n <= 2) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "%s: %s takes one number, or two, for height and width; %lld were given", layer,
                    name, (long long)list->n);
}

/* The strides, and the paddings, nearest to those given with which nothing is left over. */
static void write_ways_out(const smr_window *w, int64_t in, int k, smr_text *out)
{
    int64_t room = in + 2 * w->pad[k] - w->size[k], pad = w->pad[k] + 1;
    int64_t stride = w->stride[k] - 1;
    while (stride > 1 && room % stride > w->pad[k]) stride--;
    while (pad < w->size[k] && (in + 2 * pad - w->size[k]) % w->stride[k] > pad) pad++;
    smr_text_printf(out, "; stride=%lld ", (long long)stride);
    if (pad < w->size[k]) smr_text_printf(out, "or pad=%lld ", (long long)pad);
    smr_text_add(out, "would fit, round=down leaves them out, round=up adds a window");
}

static smr_status refuse(smr_ctx *ctx, const smr_window *w, int64_t in, int k, int64_t left)
{
    smr_text text = {.ctx = ctx};
    write_ways_out(w, in, k, &text);
    smr_status st = smr_text_done(&text);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_PARAM,
                      "windows of %lld, %lld apart, leave %lld of %lld %s over%s",
                      (long long)w->size[k], (long long)w->stride[k], (long long)left,
                      (long long)in, k == 0 ? "rows" : "columns", text.bytes);
    smr_text_release(&text);
    return st;
}

static smr_status count(smr_ctx *ctx, const smr_window *w, int64_t in, int k, int64_t *n)
{
    int64_t room = in + 2 * w->pad[k] - w->size[k], left = room % w->stride[k];
    if (w->pad[k] >= w->size[k])
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "pad=%lld is not below the size of the window, %lld: some windows would "
                        "see nothing",
                        (long long)w->pad[k], (long long)w->size[k]);
    if (room < 0)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "a window of %lld is larger than the %lld %s that come in%s",
                        (long long)w->size[k], (long long)in, k == 0 ? "rows" : "columns",
                        w->pad[k] ? ", with their padding" : "; pad= adds zeros around them");
    *n = room / w->stride[k] + 1;
    if (w->round == SMR_ROUND_EXACT && left > w->pad[k])
        return refuse(ctx, w, in, k, left - w->pad[k]);
    /* A window that would begin in the padding after the last row sees nothing. */
    bool more = *n * w->stride[k] - w->pad[k] < in;
    if (w->round == SMR_ROUND_UP && left > 0 && more) ++*n;
    return SMR_OK;
}

smr_status smr_window_over(smr_ctx *ctx, const smr_window *window, smr_nn_item in, smr_nn_item *out)
{
    smr_status st = SMR_OK;
    *out = in;
    TRY(count(ctx, window, in.h, 0, &out->h));
    TRY(count(ctx, window, in.w, 1, &out->w));
out:
    return st;
}
