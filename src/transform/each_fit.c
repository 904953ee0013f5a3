/* each_fit.c -- columns as they are read to be fitted: see each.h.
 *
 * Ranges: rows are cut into at most CHUNKS chunks; least and greatest do not depend on the order,
 * so the same bits come at any thread count. */
#include "core/parallel.h"
#include "data/by_column.h"
#include "math/stats.h"
#include "transform/each.h"

#include <string.h>

enum { CHUNKS = 64, SPARSE_CHUNKS = 8, BLOCK = 256 };

/* ---- columns ---------------------------------------------------------------------------- */

struct reading {
    const smr_data *data;
    const int64_t *features; /* that are changed */
    smr_by_column by;        /* zeroed: columns are read from memory */
    bool copied;
    double **room; /* of each lane: 3 x rows */
    smr_each_fit fn;
    void *arg;
};

static void spread(const smr_columns *X, int64_t j, int64_t n, double *out)
{
    memset(out, 0, (size_t)n * sizeof *out);
    for (int64_t e = X->start[j]; e < X->start[j + 1]; e++) out[X->row[e]] = X->value[e];
}

static smr_status read_column(smr_ctx *ctx, const struct reading *r, int64_t j, double *out)
{
    int64_t n = r->data->n_rows;
    if (!r->copied) return smr_data_column(ctx, r->data, j, out);
    if (r->by.dense)
        memcpy(out, r->by.dense + j * r->by.X.stride, (size_t)n * sizeof *out);
    else
        spread(&r->by.X, j, n, out);
    return SMR_OK;
}

static smr_status fit_column(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct reading *r = arg;
    int64_t n = r->data->n_rows, j = r->features[task];
    const double *weight = r->data->weight;
    smr_status st = SMR_OK;
    if (!r->room[lane]) {
        r->room[lane] = smr_alloc_raw(ctx, 3 * n, sizeof **r->room);
        if (!r->room[lane]) return SMR_ERR_NOMEM;
    }
    double *x = r->room[lane], *w = x + n;
    TRY(read_column(ctx, r, j, x));
    smr_values values = {.feature = j, .x = x, .w = weight ? w : NULL, .spare = w};
    for (int64_t i = 0; i < n; i++) {
        double value = x[i];
        if (isnan(value) || (weight && !(weight[i] > 0))) continue;
        if (weight) w[values.n] = weight[i];
        x[values.n++] = value;
    }
    TRY(r->fn(ctx, r->arg, &values));
out:
    return st;
}

smr_status smr_each_column(smr_ctx *ctx, const char *what, const smr_data *data,
                           const uint8_t *changed, bool alone, smr_each_fit fn, void *arg)
{
    smr_status st = SMR_OK;
    struct reading r = {.data = data, .fn = fn, .arg = arg};
    int64_t *features = NULL, n = 0;
    int lanes = smr_lanes(ctx);
    TRY_NEW(features, data->n_features + 1);
    TRY_NEW(r.room, lanes);
    for (int64_t j = 0; j < data->n_features; j++)
        if (changed[j]) features[n++] = j;
    r.features = features;
    r.copied = data->source || data->sparse;
    if (r.copied && n)
        TRY(smr_by_column_open(ctx, data, NULL, "name fewer columns in column=", &r.by));
    for (int64_t k = 0; alone && k < n; k++) {
        TRY(smr_tick(ctx, what, k, n, NAN));
        TRY(fit_column(ctx, &r, k, 0));
    }
    if (!alone) TRY(smr_parallel(ctx, what, n, fit_column, &r));
out:
    for (int k = 0; r.room && k < lanes; k++) smr_free(r.room[k]);
    smr_free(r.room);
    smr_free(features);
    smr_by_column_close(&r.by);
    return st;
}

smr_status smr_each_quantiles(smr_ctx *ctx, const smr_values *v, int64_t n, const double *q,
                              double *out)
{
    if (v->w || v->n == 0) return smr_quantiles(ctx, v->n, v->x, v->w, n, q, out);
    smr_quantiles_in(v->n, v->x, n, q, v->spare, out);
    return SMR_OK;
}

/* ---- ranges ----------------------------------------------------------------------------- */

struct ranging {
    const smr_data *data;
    bool sparse;
    int64_t chunk;            /* rows in a chunk */
    double *least, *greatest; /* chunks x d      */
    int64_t *there;           /* chunks x d: entries of rows that count; sparse rows only */
};

static inline void widen(double x, double *least, double *greatest)
{
    *least = smr_fmin(*least, x);
    *greatest = smr_fmax(*greatest, x);
}

static smr_status range_chunk(smr_ctx *ctx, void *arg, int64_t c, int lane)
{
    const struct ranging *r = arg;
    int64_t d = r->data->n_features, hi = smr_block_end(r->data->n_rows, r->chunk, c);
    double *least = r->least + c * d, *greatest = r->greatest + c * d;
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    (void)lane;
    for (int64_t j = 0; j < d; j++) least[j] = greatest[j] = NAN;
    TRY(smr_reader_open(ctx, r->data, r->sparse ? SMR_FORM_SPARSE : SMR_FORM_F64, BLOCK, &reader));
    for (int64_t lo = c * r->chunk; lo < hi; lo += BLOCK) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(hi, lo + BLOCK), &rows));
        for (int64_t i = 0; i < rows.n; i++) {
            const double *x = (const double *)rows.x + i * rows.stride;
            if (!(smr_data_weight(r->data, lo + i) > 0)) continue;
            for (int64_t j = 0; !r->sparse && j < d; j++) widen(x[j], &least[j], &greatest[j]);
            for (int64_t e = r->sparse ? rows.start[i] : 0; r->sparse && e < rows.start[i + 1];
                 e++) {
                int64_t j = rows.column[e];
                widen(rows.value[e], &least[j], &greatest[j]);
                r->there[c * d + j]++;
            }
        }
    }
out:
    smr_reader_close(reader);
    return st;
}

smr_status smr_each_range(smr_ctx *ctx, const smr_data *data, double *least, double *greatest)
{
    smr_status st = SMR_OK;
    int64_t d = data->n_features, n = data->n_rows, counting = 0;
    struct ranging r = {.data = data, .sparse = smr_data_is_sparse(data)};
    r.chunk = SMR_MAX(BLOCK, smr_block_count(n, r.sparse ? SPARSE_CHUNKS : CHUNKS));
    int64_t chunks = smr_block_count(n, r.chunk);
    TRY_NEW(r.least, chunks * d);
    TRY_NEW(r.greatest, chunks * d);
    if (r.sparse) TRY_NEW(r.there, chunks * d);
    TRY(smr_parallel(ctx, "reading", chunks, range_chunk, &r));
    for (int64_t i = 0; r.sparse && i < n; i++) counting += smr_data_weight(data, i) > 0;
    for (int64_t j = 0; j < d; j++) {
        int64_t there = 0;
        least[j] = greatest[j] = NAN;
        for (int64_t c = 0; c < chunks; c++) {
            least[j] = smr_fmin(least[j], r.least[c * d + j]);
            greatest[j] = smr_fmax(greatest[j], r.greatest[c * d + j]);
            if (r.sparse) there += r.there[c * d + j];
        }
        if (r.sparse && there < counting) widen(0, &least[j], &greatest[j]);
    }
out:
    smr_free(r.least);
    smr_free(r.greatest);
    smr_free(r.there);
    return st;
}
