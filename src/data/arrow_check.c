/* arrow_check.c -- does an array have the buffers that its type needs? */
#include "data/arrow_private.h"

#include <string.h>

/* Positions in buffers stay far from where bytes overflow 64 bits. */
static const int64_t FAR = INT64_MAX / 128;

static smr_status check_sizes(smr_ctx *ctx, const struct ArrowArray *a, const smr_arrow_values *v)
{
    const char *column = v->column;
    int64_t offset = v->offset, n = v->n;
    if (a->length < 0 || a->offset < 0 || a->length > FAR || a->offset > FAR)
        return smr_fail(ctx, SMR_ERR_SHAPE,
                        "column '%.200s': an Arrow array of length %lld at offset %lld is "
                        "impossible",
                        column, (long long)a->length, (long long)a->offset);
    if (offset > a->length || n > a->length - offset)
        return smr_fail(ctx, SMR_ERR_SHAPE,
                        "column '%.200s' has %lld values, and its table asks for those up to %lld",
                        column, (long long)a->length, (long long)(offset + n));
    if (a->null_count < -1 || a->null_count > a->length)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "column '%.200s': %lld nulls among %lld values are impossible", column,
                        (long long)a->null_count, (long long)a->length);
    if (a->n_children != 0)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "column '%.200s': its Arrow array has %lld children, its schema none",
                        column, (long long)a->n_children);
    return SMR_OK;
}

static smr_status no_buffer(smr_ctx *ctx, const char *column, const char *what)
{
    return smr_fail(ctx, SMR_ERR_FORMAT, "column '%.200s': the Arrow array has no buffer of %s",
                    column, what);
}

/* Offsets ascend from 0 or more, so that every string lies within the bytes of the last. */
static smr_status check_offsets(smr_ctx *ctx, const smr_arrow_values *v)
{
    const char *column = v->column;
    int64_t last = 0;
    for (int64_t i = 0; i <= v->n; i++) {
        int64_t at = smr_arrow_integer(v, i);
        if (at < last)
            return smr_fail(ctx, SMR_ERR_FORMAT,
                            "column '%.200s': the Arrow offset of string %lld is %lld, below %lld",
                            column, (long long)i, (long long)at, (long long)last);
        last = at;
    }
    if (last > smr_arrow_integer(v, 0) && !v->bytes) return no_buffer(ctx, column, "bytes");
    return SMR_OK;
}

/* validity, views, the blocks, and the lengths of the blocks. */
static smr_status take_blocks(smr_ctx *ctx, const struct ArrowArray *a, smr_arrow_values *v)
{
    const char *column = v->column;
    v->n_blocks = a->n_buffers - 3;
    v->blocks = a->buffers + 2;
    v->block_bytes = a->buffers[a->n_buffers - 1];
    if (v->n_blocks > 0 && !v->block_bytes) return no_buffer(ctx, column, "lengths");
    for (int64_t b = 0; b < v->n_blocks; b++) {
        int64_t bytes;
        memcpy(&bytes, v->block_bytes + b, sizeof bytes);
        if (bytes < 0)
            return smr_fail(ctx, SMR_ERR_FORMAT,
                            "column '%.200s': an Arrow buffer of %lld bytes is impossible", column,
                            (long long)bytes);
        if (bytes > 0 && !v->blocks[b]) return no_buffer(ctx, column, "bytes");
    }
    return SMR_OK;
}

static smr_status check_count(smr_ctx *ctx, const struct ArrowArray *a, const smr_arrow_values *v)
{
    smr_arrow_class class = v->layout.class;
    bool view = class == SMR_ARROW_STRING_VIEW;
    int64_t want = class == SMR_ARROW_NULL ? 0 : class == SMR_ARROW_STRING || view ? 3 : 2;
    bool right = view ? a->n_buffers >= want : a->n_buffers == want;
    if (right && (want == 0 || a->buffers)) return SMR_OK;
    return smr_fail(
        ctx, SMR_ERR_FORMAT,
        "column '%.200s': the Arrow array has %lld buffers%s, and its type needs %lld%s", v->column,
        (long long)a->n_buffers, a->buffers ? "" : " at NULL", (long long)want,
        view ? " or more" : "");
}

smr_status smr_arrow_take(smr_ctx *ctx, const struct ArrowArray *a, smr_arrow_values *v)
{
    smr_status st = SMR_OK;
    smr_arrow_class class = v->layout.class;
    if (!a || !a->release)
        return smr_fail(ctx, SMR_ERR_STATE, "column '%.200s': its Arrow array is %s", v->column,
                        a ? "released already" : "NULL");
    TRY(check_sizes(ctx, a, v));
    TRY(check_count(ctx, a, v));
    v->offset += a->offset;
    v->dictionary = a->dictionary;
    if (class == SMR_ARROW_NULL || v->n == 0) return SMR_OK;
    v->data = a->buffers[1];
    if (a->null_count != 0) v->valid = a->buffers[0];
    if (a->null_count > 0 && !v->valid)
        TRY(no_buffer(ctx, v->column, "nulls, of which it has some"));
    if (!v->data) TRY(no_buffer(ctx, v->column, class == SMR_ARROW_STRING ? "offsets" : "values"));
    if (class == SMR_ARROW_STRING) {
        v->bytes = a->buffers[2];
        TRY(check_offsets(ctx, v));
    }
    if (class == SMR_ARROW_STRING_VIEW) TRY(take_blocks(ctx, a, v));
out:
    return st;
}
