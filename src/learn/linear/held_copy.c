/* held_copy.c -- rows that are in memory, as they lie or copied; see held_rows.h. */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "learn/linear/held_rows.h"

#include <math.h>
#include <stdio.h>

enum { BLOCK = 256, CHUNK = 65536 };

/* ---- are all values finite? ------------------------------------------------------------- */

struct scan {
    const smr_held_rows *held;
    bool *is_bad; /* by chunk */
};

/* x - x is 0 for finite x, NaN else; the sum keeps a NaN.  Four sums, that none waits. */
static bool all_finite_f64(int64_t n, const double *x)
{
    double a = 0, b = 0, c = 0, d = 0;
    int64_t e = 0;
    for (; e + 4 <= n; e += 4) {
        a += x[e] - x[e];
        b += x[e + 1] - x[e + 1];
        c += x[e + 2] - x[e + 2];
        d += x[e + 3] - x[e + 3];
    }
    for (; e < n; e++) a += x[e] - x[e];
    return (a + b) + (c + d) == 0;
}

static bool all_finite_f32(int64_t n, const float *x)
{
    float sum = 0;
    for (int64_t e = 0; e < n; e++) sum += x[e] - x[e];
    return sum == 0;
}

static smr_status scan_entries(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct scan *s = arg;
    const smr_csr *m = s->held->data.sparse;
    int64_t lo = task * CHUNK, hi = smr_block_end(m->start[m->n_rows], CHUNK, task);
    (void)ctx, (void)lane;
    s->is_bad[task] = !all_finite_f64(hi - lo, m->value + lo);
    return SMR_OK;
}

static smr_status scan_rows(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct scan *s = arg;
    const smr_data *data = &s->held->data;
    const smr_dense *m = &s->held->dense;
    bool is_good = true;
    (void)ctx, (void)lane;
    for (int64_t i = task * BLOCK; i < smr_block_end(data->n_rows, BLOCK, task); i++) {
        int64_t at = (data->rows ? data->rows[i] : i) * m->stride;
        is_good &= m->dtype == SMR_F64 ? all_finite_f64(m->n_cols, (const double *)m->values + at)
                                       : all_finite_f32(m->n_cols, (const float *)m->values + at);
    }
    s->is_bad[task] = !is_good;
    return SMR_OK;
}

/* Of sparse rows all entries are looked at, also those that an index leaves out. */
static smr_status are_finite(smr_ctx *ctx, const smr_held_rows *held, bool *are)
{
    smr_status st = SMR_OK;
    struct scan s = {.held = held};
    const smr_csr *m = held->data.sparse;
    *are = true;
    if (!held->is_sparse && held->dense.dtype == SMR_U8) return SMR_OK;
    int64_t n = held->is_sparse ? smr_block_count(m->start[m->n_rows], CHUNK)
                                : smr_block_count(held->data.n_rows, BLOCK);
    TRY_NEW(s.is_bad, n);
    TRY(smr_parallel(ctx, NULL, n, held->is_sparse ? scan_entries : scan_rows, &s));
    for (int64_t b = 0; b < n; b++) *are &= !s.is_bad[b];
out:
    smr_free(s.is_bad);
    return st;
}

/* ---- all rows --------------------------------------------------------------------------- */

static bool lie_in_memory(smr_held_rows *held)
{
    smr_data all = held->data; /* the rows that the index chooses from */
    all.rows = NULL;
    held->is_sparse = all.sparse && !all.source;
    return held->is_sparse || smr_data_whole(&all, SMR_FORM_F64, &held->dense) ||
           smr_data_whole(&all, SMR_FORM_F32, &held->dense) ||
           smr_data_whole(&all, SMR_FORM_U8, &held->dense);
}

/* Are the first rows that stages compute mostly zeros? */
static smr_status look_at_first(smr_ctx *ctx, const smr_data *data, bool *are_sparse)
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    smr_rows b;
    if (!data->source) return SMR_OK;
    TRY(smr_reader_open(ctx, data, SMR_FORM_SPARSE, BLOCK, &reader));
    TRY(smr_reader_rows(ctx, reader, 0, SMR_MIN(BLOCK, data->n_rows), &b));
    *are_sparse = 3 * (b.start[b.n] - b.start[0]) <= b.n * b.d;
out:
    smr_reader_close(reader);
    return st;
}

static smr_status copy_all(smr_ctx *ctx, const char *learner, smr_held_rows *held)
{
    smr_status st = SMR_OK;
    bool is_sparse = false;
    char what[64];
    snprintf(what, sizeof what, "%s's copy of the rows", learner);
    TRY(look_at_first(ctx, &held->data, &is_sparse));
    if (!is_sparse)
        TRY(smr_memory_check(
            ctx, 8.0 * (double)held->data.n_rows * (double)held->data.n_features, what,
            "take fewer rows or columns, or loss=squared_hinge solver=primal, which reads the rows "
            "as they come"));
    TRY(smr_data_keep(ctx, &held->data, is_sparse ? SMR_FORM_SPARSE : SMR_FORM_F64, true,
                      &held->kept));
    if (!lie_in_memory(held)) TRY(SMR_ERR_INTERNAL);
out:
    return st;
}

smr_status smr_held_all(smr_ctx *ctx, const char *learner, const smr_data *data, smr_held_rows *out)
{
    smr_status st = SMR_OK;
    bool are = true;
    *out = (smr_held_rows){.given = data, .data = *data};
    if (!lie_in_memory(out)) TRY(copy_all(ctx, learner, out));
    TRY(are_finite(ctx, out, &are));
    if (!are) TRY(smr_held_explain(ctx, out));
out:
    if (st != SMR_OK) smr_held_close(out);
    return st;
}

smr_dual_problem smr_held_dual(const smr_held_rows *held, const double *y, const double *weight,
                               bool is_free)
{
    return (smr_dual_problem){.n_rows = held->data.n_rows,
                              .n_cols = held->data.n_features,
                              .sparse = held->is_sparse ? held->data.sparse : NULL,
                              .dense = held->dense.values,
                              .stride = held->dense.stride,
                              .dtype = held->dense.dtype,
                              .rows = held->data.rows,
                              .y = y,
                              .weight = weight,
                              .is_free = is_free};
}

/* ---- some rows -------------------------------------------------------------------------- */

smr_status smr_held_some(smr_ctx *ctx, const smr_data *data, const int64_t *rows, int64_t n,
                         smr_held_rows *out)
{
    smr_status st = SMR_OK;
    bool are = false;
    *out = (smr_held_rows){.given = data};
    TRY(smr_subset_make(ctx, data, rows, n, NULL, &out->subset));
    out->data = out->subset.data;
    if (smr_data_is_sparse(data)) goto out;
    out->data.refuse_missing = false;
    TRY(smr_data_copy(ctx, &out->data, SMR_FORM_F64, true, &out->kept));
    if (!lie_in_memory(out)) TRY(SMR_ERR_INTERNAL);
    TRY(are_finite(ctx, out, &are));
    out->data.refuse_missing = data->refuse_missing;
    out->data.gaps_in_numbers = out->data.gaps_in_categories = false;
    if (are) goto out;
    smr_keep_release(&out->kept);
    out->data = out->subset.data;
out:
    if (st != SMR_OK) smr_held_close(out);
    return st;
}

/* ---- rows around their mean ------------------------------------------------------------- */

/* Of values that are nearly the same the running mean is exact to rounding. */
static void centre(int64_t n, int64_t d, double *X, double *mean)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) mean[j] += (X[i * d + j] - mean[j]) / (double)(i + 1);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) X[i * d + j] -= mean[j];
}

smr_status smr_held_centred(smr_ctx *ctx, const smr_data *data, smr_held_rows *out)
{
    smr_status st = SMR_OK;
    *out = (smr_held_rows){.given = data, .data = *data};
    TRY_NEW(out->mean, data->n_features + 1);
    TRY(smr_data_copy(ctx, &out->data, SMR_FORM_F64, true, &out->kept));
    if (!lie_in_memory(out)) TRY(SMR_ERR_INTERNAL);
    centre(data->n_rows, data->n_features, out->kept.block, out->mean);
    out->data.shared = NULL;
    out->data.gaps_in_numbers = out->data.gaps_in_categories = false;
out:
    if (st != SMR_OK) smr_held_close(out);
    return st;
}

void smr_held_leave(const smr_held_rows *held, int64_t k, const double *w, const double *from,
                    double *intercept)
{
    int64_t d = held->data.n_features;
    for (int64_t s = 0; s < k; s++) intercept[s] = from[s] - smr_dot_f64(d, w + s * d, held->mean);
}

void smr_held_enter(const smr_held_rows *held, int64_t k, const double *w, const double *intercept,
                    double *to)
{
    int64_t d = held->data.n_features;
    for (int64_t s = 0; s < k; s++) to[s] = intercept[s] + smr_dot_f64(d, w + s * d, held->mean);
}
