/* moments.c -- see moments.h.
 *
 * The rows are cut into at most CHUNKS chunks, whose sums are kept apart and added in order: the
 * same bits at any thread count. */
#include "transform/moments.h"

#include "core/parallel.h"

#include <math.h>
#include <string.h>

enum { CHUNKS = 64, BLOCK = 256 };

struct summing {
    const smr_data *data;
    int64_t chunk;      /* rows in a chunk                                       */
    const double *mean; /* NULL in the first pass                                */
    double *weight;     /* chunks x d: total weight                              */
    double *sum;        /* chunks x d: of x, or of x - mean                      */
    double *square;     /* chunks x d: of (x - mean)^2; second pass only         */
};

static void add_rows(const struct summing *s, const smr_rows *rows, double *weight, double *sum,
                     double *square)
{
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        double w = smr_data_weight(s->data, rows->first + i);
        for (int64_t j = 0; j < rows->d; j++) {
            if (isnan(x[j])) continue;
            double r = s->mean ? x[j] - s->mean[j] : x[j];
            weight[j] += w;
            sum[j] += w * r;
            if (square) square[j] += w * r * r;
        }
    }
}

static smr_status sum_chunk(smr_ctx *ctx, void *arg, int64_t c, int lane)
{
    const struct summing *s = arg;
    int64_t d = s->data->n_features, hi = smr_block_end(s->data->n_rows, s->chunk, c);
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    (void)lane;
    TRY(smr_reader_open(ctx, s->data, SMR_FORM_F64, BLOCK, &reader));
    for (int64_t lo = c * s->chunk; lo < hi; lo += BLOCK) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(hi, lo + BLOCK), &rows));
        add_rows(s, &rows, s->weight + c * d, s->sum + c * d, s->mean ? s->square + c * d : NULL);
    }
out:
    smr_reader_close(reader);
    return st;
}

/* total[j] = sum over the chunks, in their order */
static void fold(const double *parts, int64_t chunks, int64_t d, double *total)
{
    memset(total, 0, (size_t)d * sizeof *total);
    for (int64_t c = 0; c < chunks; c++)
        for (int64_t j = 0; j < d; j++) total[j] += parts[c * d + j];
}

smr_status smr_moments(smr_ctx *ctx, const smr_data *data, double *mean, double *variance,
                       double *weight)
{
    int64_t d = data->n_features, n = data->n_rows;
    int64_t chunk = SMR_MAX(BLOCK, smr_block_count(n, CHUNKS)), chunks = smr_block_count(n, chunk);
    smr_status st = SMR_OK;
    struct summing s = {.data = data, .chunk = chunk};
    double *off = NULL;
    TRY_NEW(s.weight, chunks * d);
    TRY_NEW(s.sum, chunks * d);
    TRY_NEW(s.square, chunks * d);
    TRY_NEW(off, d + 1);

    TRY(smr_parallel(ctx, "reading", chunks, sum_chunk, &s));
    fold(s.weight, chunks, d, weight);
    fold(s.sum, chunks, d, mean);
    for (int64_t j = 0; j < d; j++) mean[j] = weight[j] > 0 ? mean[j] / weight[j] : 0;
    if (!variance) goto out;

    memset(s.weight, 0, (size_t)(chunks * d) * sizeof *s.weight);
    memset(s.sum, 0, (size_t)(chunks * d) * sizeof *s.sum);
    s.mean = mean;
    TRY(smr_parallel(ctx, "reading", chunks, sum_chunk, &s));
    fold(s.sum, chunks, d, off);
    fold(s.square, chunks, d, variance);
    for (int64_t j = 0; j < d; j++) {
        double w = weight[j] > 0 ? weight[j] : 1;
        variance[j] = fmax(0, (variance[j] - off[j] * off[j] / w) / w);
        mean[j] += off[j] / w;
    }
out:
    smr_free(off);
    smr_free(s.weight);
    smr_free(s.sum);
    smr_free(s.square);
    return st;
}
