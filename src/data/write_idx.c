/* write_idx.c -- tables of numbers as IDX files (idx.c): what becomes of columns is in
 * write_numbers.h.  One column is a vector, such as a file of labels; pictures keep their shape. */
#include "data/write_numbers.h"

#include <inttypes.h>

smr_status smr_idx_write(smr_ctx *ctx, const smr_table *t, smr_sink *sink)
{
    static const char types[] = {[SMR_F64] = 14, [SMR_F32] = 13, [SMR_U8] = 8, [SMR_I32] = 12};
    smr_status st = SMR_OK;
    int64_t shape[5];
    char header[4 + 4 * 5] = {0};
    smr_numbers w;
    TRY(smr_numbers_open(ctx, t, "IDX", true, &w));
    int n = smr_numbers_shape(t, shape);
    header[2] = types[w.dtype];
    header[3] = (char)n;
    for (int k = 0; k < n; k++)
        for (int b = 0; b < 4; b++) header[4 + 4 * k + b] = (char)(shape[k] >> (24 - 8 * b) & 255);
    TRY(smr_sink_write(ctx, sink, header, 4 + 4 * (int64_t)n));
    TRY(smr_numbers_write(ctx, &w, sink));
out:
    smr_numbers_close(&w);
    return st;
}
