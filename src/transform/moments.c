/* moments.c -- see moments.h.
 *
 * The rows are cut into at most CHUNKS chunks, whose sums are kept apart and added in order: the
 * same bits at any thread count. */
#include "transform/moments.h"

#include "core/parallel.h"

#include <math.h>
#include <string.h>

enum { CHUNKS = 64, SPARSE_CHUNKS = 8, BLOCK = 256 };

struct summing {
    const smr_data *data;
    int64_t chunk; /* rows in a chunk                                       */
    int64_t chunks;
    const double *scale; /* d: factors of the values, powers of two; NULL: 1      */
    const double *mean;  /* of the values times these; NULL in the first pass     */
    bool largest;        /* in place of sums: the largest magnitude               */
    double *weight;      /* chunks x d: total weight; second pass: largest |x - mean| */
    double *sum;         /* chunks x d: of x, or of x - mean                      */
    double *square;      /* chunks x d: of (x - mean)^2; second pass only         */
    double *there;       /* chunks x d: weight of the entries; sparse rows only   */
    double total;        /* weight of all rows; sparse rows only                  */
};

static void add_rows(const struct summing *s, const smr_rows *rows, double *weight, double *sum,
                     double *square)
{
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        double w = smr_data_weight(s->data, rows->first + i);
        for (int64_t j = 0; j < rows->d; j++) {
            if (isnan(x[j])) continue;
            double r = s->scale ? x[j] * s->scale[j] : x[j];
            if (s->mean) r -= s->mean[j];
            weight[j] = square ? smr_fmax(weight[j], fabs(r)) : weight[j] + w;
            sum[j] += w * r;
            if (square) square[j] += w * r * r;
        }
    }
}

/* Sparse rows: the zeros are not visited.  In the first pass the weight is that of the missing
 * entries, in the second `there` is that of the entries; `settle` adds the zeros. */
static void add_entries(const struct summing *s, const smr_rows *rows, double *weight, double *sum,
                        double *square, double *there)
{
    for (int64_t i = 0; i < rows->n; i++) {
        double w = smr_data_weight(s->data, rows->first + i);
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++) {
            int64_t j = rows->column[e];
            double r = s->scale ? rows->value[e] * s->scale[j] : rows->value[e];
            there[j] += w;
            if (isnan(r)) {
                if (!square) weight[j] += w;
                continue;
            }
            if (s->mean) r -= s->mean[j];
            if (square) weight[j] = smr_fmax(weight[j], fabs(r));
            sum[j] += w * r;
            if (square) square[j] += w * r * r;
        }
    }
}

static void find_largest_entries(const smr_rows *rows, double *largest)
{
    if (rows->n == 0) return;
    for (int64_t e = rows->start[0]; e < rows->start[rows->n]; e++)
        largest[rows->column[e]] = smr_fmax(largest[rows->column[e]], fabs(rows->value[e]));
}

static void find_largest(const smr_rows *rows, double *largest)
{
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        for (int64_t j = 0; j < rows->d; j++) largest[j] = smr_fmax(largest[j], fabs(x[j]));
    }
}

static smr_status sum_chunk(smr_ctx *ctx, void *arg, int64_t c, int lane)
{
    const struct summing *s = arg;
    int64_t d = s->data->n_features, hi = smr_block_end(s->data->n_rows, s->chunk, c);
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    (void)lane;
    TRY(smr_reader_open(ctx, s->data, s->there ? SMR_FORM_SPARSE : SMR_FORM_F64, BLOCK, &reader));
    for (int64_t lo = c * s->chunk; lo < hi; lo += BLOCK) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(hi, lo + BLOCK), &rows));
        double *square = s->mean ? s->square + c * d : NULL;
        if (s->largest && s->there)
            find_largest_entries(&rows, s->sum + c * d);
        else if (s->largest)
            find_largest(&rows, s->sum + c * d);
        else if (s->there)
            add_entries(s, &rows, s->weight + c * d, s->sum + c * d, square, s->there + c * d);
        else
            add_rows(s, &rows, s->weight + c * d, s->sum + c * d, square);
    }
out:
    smr_reader_close(reader);
    return st;
}

/* One pass over all rows, into sums that begin at 0. */
static smr_status pass(smr_ctx *ctx, struct summing *s)
{
    size_t bytes = (size_t)(s->chunks * s->data->n_features) * sizeof(double);
    memset(s->weight, 0, bytes);
    memset(s->sum, 0, bytes);
    memset(s->square, 0, bytes);
    if (s->there) memset(s->there, 0, bytes);
    return smr_parallel(ctx, "reading", s->chunks, sum_chunk, s);
}

/* total[j] = sum over the chunks, in their order */
static void fold(const double *parts, int64_t chunks, int64_t d, double *total)
{
    memset(total, 0, (size_t)d * sizeof *total);
    for (int64_t c = 0; c < chunks; c++)
        for (int64_t j = 0; j < d; j++) total[j] += parts[c * d + j];
}

/* What the zeros of sparse rows, each 0 - mean, add to the sums of the deviations. */
static void settle(const struct summing *s, const double *mean, double *off, double *square)
{
    int64_t d = s->data->n_features;
    for (int64_t j = 0; j < d; j++) {
        double zeros = s->total;
        for (int64_t c = 0; c < s->chunks; c++) zeros -= s->there[c * d + j];
        off[j] -= zeros * mean[j];
        square[j] += zeros * mean[j] * mean[j];
    }
}

/* Moments of the values times s->scale.  off: d of scratch. */
static smr_status find_moments(smr_ctx *ctx, struct summing *s, double *mean, double *sd,
                               double *weight, double *off)
{
    int64_t d = s->data->n_features;
    smr_status st = SMR_OK;
    s->mean = NULL;
    TRY(pass(ctx, s));
    fold(s->weight, s->chunks, d, weight);
    for (int64_t j = 0; s->there && j < d; j++) weight[j] = s->total - weight[j];
    fold(s->sum, s->chunks, d, mean);
    for (int64_t j = 0; j < d; j++) mean[j] = weight[j] > 0 ? mean[j] / weight[j] : 0;
    if (!sd) return SMR_OK;

    s->mean = mean;
    TRY(pass(ctx, s));
    fold(s->sum, s->chunks, d, off);
    fold(s->square, s->chunks, d, sd);
    if (s->there) settle(s, mean, off, sd);
    for (int64_t j = 0; j < d; j++) {
        double w = weight[j] > 0 ? weight[j] : 1;
        sd[j] = sqrt(smr_fmax(0, (sd[j] - off[j] * off[j] / w) / w));
        mean[j] += off[j] / w;
    }
out:
    return st;
}

/* Did sums overflow, or squares vanish? */
static bool out_of_range(const struct summing *s, const double *mean, const double *sd)
{
    int64_t d = s->data->n_features;
    bool out = false;
    for (int64_t j = 0; j < d; j++) {
        double most = 0;
        for (int64_t c = 0; sd && c < s->chunks; c++) most = smr_fmax(most, s->weight[c * d + j]);
        out = out || !isfinite(mean[j]) || (sd && !isfinite(sd[j])) ||
              (most > 0 && !(most > 1e-140 && most < 1e140));
    }
    return out;
}

/* scale[j] = the power of two that brings the largest value near 1; 1 where that is not needed, as
 * all values are 0 or of common size, or not possible, as one is infinite. */
static smr_status find_scales(smr_ctx *ctx, struct summing *s, double *scale)
{
    int64_t d = s->data->n_features;
    smr_status st = SMR_OK;
    s->largest = true;
    TRY(pass(ctx, s));
    s->largest = false;
    for (int64_t j = 0; j < d; j++) {
        double most = 0;
        int exponent = 0;
        for (int64_t c = 0; c < s->chunks; c++) most = smr_fmax(most, s->sum[c * d + j]);
        bool common = most == 0 || isinf(most) || (most > 1e-100 && most < 1e100);
        if (!common) frexp(most, &exponent);
        scale[j] = ldexp(1, SMR_MIN(1000, -exponent));
    }
out:
    return st;
}

smr_status smr_moments(smr_ctx *ctx, const smr_data *data, double *mean, double *sd, double *weight)
{
    int64_t d = data->n_features, n = data->n_rows;
    smr_status st = SMR_OK;
    bool sparse = smr_data_is_sparse(data);
    int64_t most = sparse ? SPARSE_CHUNKS : CHUNKS;
    struct summing s = {.data = data, .chunk = SMR_MAX(BLOCK, smr_block_count(n, most))};
    double *off = NULL, *scale = NULL;
    s.chunks = smr_block_count(n, s.chunk);
    if (sparse) TRY_NEW(s.there, s.chunks * d);
    for (int64_t i = 0; sparse && i < n; i++) s.total += smr_data_weight(data, i);
    TRY_NEW(s.weight, s.chunks * d);
    TRY_NEW(s.sum, s.chunks * d);
    TRY_NEW(s.square, s.chunks * d);
    TRY_NEW(off, d + 1);
    TRY(find_moments(ctx, &s, mean, sd, weight, off));
    if (!out_of_range(&s, mean, sd)) goto out;

    TRY_NEW(scale, d + 1);
    TRY(find_scales(ctx, &s, scale));
    s.scale = scale;
    TRY(find_moments(ctx, &s, mean, sd, weight, off));
    for (int64_t j = 0; j < d; j++) {
        mean[j] /= scale[j];
        if (sd) sd[j] /= scale[j];
    }
out:
    smr_free(scale);
    smr_free(off);
    smr_free(s.weight);
    smr_free(s.sum);
    smr_free(s.square);
    smr_free(s.there);
    return st;
}
