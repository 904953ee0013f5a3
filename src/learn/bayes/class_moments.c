/* class_moments.c -- see class_moments.h.
 *
 * The rows are cut into at most CHUNKS chunks, whose sums are kept apart and added in order: the
 * same bits at any thread count. */
#include "learn/bayes/class_moments.h"

#include "core/parallel.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

enum { CHUNKS = 64, BLOCK = 256, SAMPLE = 1024, PASSES = 3 };

/* A sum of squares around a shift may be this many times what is left around the mean. */
#define MOST_CANCELLED 100.0
/* Bytes of the chunks' sums. */
#define MOST_BYTES 6.4e7

struct summing {
    const smr_data *data;
    const smr_class_moments *of;
    int64_t ld, chunk, n_chunks, size; /* size: n_classes x ld */
    double *shift;                     /* size                                  */
    double *sum, *square, *absent;     /* n_chunks x size; absent: weight of the gaps */
};

/* A block of the chosen columns, gaps filled by their class's shift, which adds nothing. */
static void gather(const struct summing *w, const smr_rows *rows, double *absent, double *to)
{
    int64_t m = w->of->m;
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        int64_t at = w->data->label[rows->first + i] * w->ld;
        for (int64_t c = 0; c < m; c++) {
            double v = x[w->of->column ? w->of->column[c] : c];
            if (isnan(v)) {
                absent[at + c] += smr_data_weight(w->data, rows->first + i);
                v = w->shift[at + c];
            }
            to[i * m + c] = v;
        }
    }
}

static smr_status sum_chunk(smr_ctx *ctx, void *arg, int64_t chunk, int lane)
{
    const struct summing *w = arg;
    const smr_data *data = w->data;
    int64_t hi = smr_block_end(data->n_rows, w->chunk, chunk), m = w->of->m;
    bool as_they_are = !w->of->column && !data->gaps_in_numbers;
    smr_class_sums to = {w->shift, w->sum + chunk * w->size, w->square + chunk * w->size, w->ld, 0};
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    double *own = NULL;
    (void)lane;
    TRY(smr_reader_open(ctx, data, SMR_FORM_F64, BLOCK, &reader));
    if (!as_they_are) TRY_NEW(own, BLOCK * m);
    for (int64_t lo = chunk * w->chunk; lo < hi; lo += BLOCK) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(hi, lo + BLOCK), &rows));
        const double *x = rows.x;
        int64_t stride = rows.stride;
        if (own) {
            gather(w, &rows, w->absent + chunk * w->size, own);
            x = own;
            stride = m;
        }
        smr_class_sums_f64(rows.n, m, x, stride, data->label + lo,
                           data->weight ? data->weight + lo : NULL, &to);
    }
out:
    smr_reader_close(reader);
    smr_free(own);
    return st;
}

/* total[e] = sum over the chunks, in their order, in place of the first. */
static void fold(const struct summing *w, double *parts)
{
    for (int64_t c = 1; c < w->n_chunks; c++)
        for (int64_t e = 0; e < w->size; e++) parts[e] += parts[c * w->size + e];
}

/* The mean of some rows of each class, and where it has none of them that of all. */
static smr_status take_sample(smr_ctx *ctx, const struct summing *w)
{
    const smr_data *data = w->data;
    int64_t m = w->of->m, step = SMR_MAX(1, data->n_rows / SAMPLE), k = data->n_classes;
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    double *count = NULL, *all = NULL, *of_all = NULL;
    TRY_NEW(count, w->size);
    TRY_NEW(all, m);
    TRY_NEW(of_all, m);
    TRY(smr_reader_open(ctx, data, SMR_FORM_F64, 1, &reader));
    for (int64_t i = 0; i < data->n_rows; i += step) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, reader, i, i + 1, &rows));
        int64_t at = data->label[i] * w->ld;
        for (int64_t c = 0; c < m; c++) {
            double v = ((const double *)rows.x)[w->of->column ? w->of->column[c] : c];
            if (!isfinite(v)) continue;
            w->shift[at + c] += (v - w->shift[at + c]) / ++count[at + c];
            all[c] += (v - all[c]) / ++of_all[c];
        }
    }
    for (int64_t e = 0; e < k * m; e++) {
        int64_t at = e / m * w->ld + e % m;
        if (count[at] == 0) w->shift[at] = all[e % m];
        if (!isfinite(w->shift[at])) w->shift[at] = 0;
    }
out:
    smr_reader_close(reader);
    smr_free(count);
    smr_free(all);
    smr_free(of_all);
    return st;
}

static smr_status refuse(smr_ctx *ctx, const char *learner, const struct summing *w, int64_t c)
{
    int64_t j = w->of->column ? w->of->column[c] : c;
    const char *name = w->data->features ? w->data->features[j].name : NULL;
    if (name)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "%s: column '%s' has values that are infinite or too large to be squared; "
                        "put log, clip or standardize before it",
                        learner, name);
    return smr_fail(ctx, SMR_ERR_DATA,
                    "%s: column %lld has values that are infinite or too large to be squared; put "
                    "log, clip or standardize before it",
                    learner, (long long)j + 1);
}

/* Means and squares from the sums around the shifts; *again: a shift was too far from its mean. */
static smr_status settle(smr_ctx *ctx, const char *learner, const struct summing *w,
                         const double *weight, bool *again)
{
    int64_t m = w->of->m;
    *again = false;
    for (int64_t e = 0; e < w->data->n_classes * m; e++) {
        int64_t k = e / m, at = k * w->ld + e % m;
        double filled = weight[k] - w->absent[at];
        if (!(filled > 0) || weight[k] * 1e-12 > filled) filled = 0; /* all but rounding absent */
        double off = filled > 0 ? w->sum[at] / filled : 0;
        double square = filled > 0 ? w->square[at] - w->sum[at] * off : 0;
        if (!isfinite(off) || !isfinite(square)) return refuse(ctx, learner, w, e % m);
        *again |= w->square[at] > MOST_CANCELLED * square && w->square[at] > 0 && off != 0;
        w->of->filled[e] = filled;
        w->of->mean[e] = filled > 0 ? w->shift[at] + off : 0;
        w->of->square[e] = smr_fmax(0, square);
    }
    return SMR_OK;
}

static smr_status pass(smr_ctx *ctx, struct summing *w)
{
    size_t bytes = (size_t)(w->n_chunks * w->size) * sizeof(double);
    smr_status st = SMR_OK;
    memset(w->sum, 0, bytes);
    memset(w->square, 0, bytes);
    memset(w->absent, 0, bytes);
    TRY(smr_parallel(ctx, "reading", w->n_chunks, sum_chunk, w));
    fold(w, w->sum);
    fold(w, w->square);
    fold(w, w->absent);
out:
    return st;
}

smr_status smr_class_moments_find(smr_ctx *ctx, const char *learner, const smr_data *data,
                                  const smr_class_moments *out)
{
    smr_status st = SMR_OK;
    struct summing w = {.data = data, .of = out, .ld = (out->m + 7) / 8 * 8};
    bool again = true;
    w.size = data->n_classes * w.ld;
    double most = MOST_BYTES / (24.0 * (double)SMR_MAX(1, w.size));
    int64_t chunks = SMR_MAX(1, (int64_t)smr_fmin(CHUNKS, most));
    w.chunk = SMR_MAX(BLOCK, (smr_block_count(data->n_rows, chunks) + BLOCK - 1) / BLOCK * BLOCK);
    w.n_chunks = smr_block_count(data->n_rows, w.chunk);
    TRY_NEW(w.shift, w.size);
    TRY_NEW(w.sum, w.n_chunks * w.size);
    TRY_NEW(w.square, w.n_chunks * w.size);
    TRY_NEW(w.absent, w.n_chunks * w.size);
    TRY(take_sample(ctx, &w));
    for (int p = 0; p < PASSES && again; p++) {
        TRY(pass(ctx, &w));
        TRY(settle(ctx, learner, &w, out->weight, &again));
        for (int64_t e = 0; e < data->n_classes * out->m && again; e++)
            if (out->filled[e] > 0) w.shift[e / out->m * w.ld + e % out->m] = out->mean[e];
    }
out:
    smr_free(w.shift);
    smr_free(w.sum);
    smr_free(w.square);
    smr_free(w.absent);
    return st;
}
