/* api_filter.c -- numbers in rows and columns, filtered with a kernel. */
#include "api/api_parts.h"
#include "math/stencil.h"

static smr_status read_opts(smr_ctx *ctx, const smr_filter_opts *opts, smr_stencil *s)
{
    smr_filter_opts o = {.size = sizeof o};
    smr_status st = SMR_TAKE_OPTS(ctx, smr_filter_opts, opts, &o);
    if (st != SMR_OK) return st;
    if ((unsigned)o.edge > SMR_FILTER_WHOLE)
        return smr_fail(ctx, SMR_ERR_PARAM, "smr_filter_opts: edge %d is none of 0 to 2",
                        (int)o.edge);
    s->edge = o.edge;
    s->channels = o.channels ? o.channels : 1;
    s->stride = o.stride ? o.stride : 1;
    return SMR_OK;
}

smr_status smr_filter_grid(smr_ctx *ctx, const int64_t size[2], const double *x,
                           const int64_t kernel_size[2], const double *kernel,
                           const smr_filter_opts *opts, int64_t out_size[2], double *out)
{
    smr_stencil s = {
        .height = size[0], .width = size[1], .k_height = kernel_size[0], .k_width = kernel_size[1]};
    smr_status st = SMR_OK;
    smr_begin_call(ctx);
    TRY(read_opts(ctx, opts, &s));
    TRY(smr_stencil_size(ctx, &s, &out_size[0], &out_size[1]));
    if (out) TRY(smr_stencil_apply(ctx, &s, x, kernel, out));
out:
    return st;
}
