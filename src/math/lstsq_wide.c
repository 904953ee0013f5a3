/* lstsq_wide.c -- no more rows than columns: singular values of the rows themselves.
 *
 * X (n x d, centred and weighted) = U diag(s) V' with n values.  X by rows is X' by columns,
 * which is what is decomposed.  Memory: one copy of X and one of V. */
#include "kernel/kernel.h"
#include "math/factor.h"
#include "math/lstsq_parts.h"

#include <math.h>
#include <string.h>

static void add_row(const smr_row_source *rows, int64_t i, const double *x, double f, double *out)
{
    smr_axpy_f64(rows->n_cols, f, x, out);
    for (int64_t k = 0; k < rows->n_outputs; k++)
        out[rows->n_cols + k] += f * rows->y[i * rows->n_outputs + k];
}

static smr_status find_means(smr_ctx *ctx, const smr_row_source *rows, smr_wide *w)
{
    int64_t stride = 0;
    for (int64_t i = 0; i < w->n; i++) {
        const double *x = NULL;
        smr_status st = smr_tick(ctx, NULL, i, w->n, NAN);
        if (st == SMR_OK) st = rows->rows(ctx, rows->arg, 0, i, i + 1, &x, &stride);
        if (st != SMR_OK) return st;
        add_row(rows, i, x, (rows->weight ? rows->weight[i] : 1) / w->weight, w->mean);
    }
    return SMR_OK;
}

/* X (n x d) and w->Y, centred and weighted; tss. */
static smr_status load_rows(smr_ctx *ctx, const smr_row_source *rows, smr_wide *w, double *X)
{
    int64_t d = w->d, q = rows->n_outputs, stride = 0;
    for (int64_t i = 0; i < w->n; i++) {
        const double *x = NULL;
        smr_status st = smr_tick(ctx, NULL, i, w->n, NAN);
        if (st == SMR_OK) st = rows->rows(ctx, rows->arg, 0, i, i + 1, &x, &stride);
        if (st != SMR_OK) return st;
        double root = rows->weight ? sqrt(rows->weight[i]) : 1;
        for (int64_t j = 0; j < d; j++) X[i * d + j] = (x[j] - w->mean[j]) * root;
        for (int64_t k = 0; k < q; k++) {
            double y = (rows->y[i * q + k] - w->mean[d + k]) * root;
            w->Y[i * q + k] = y;
            w->tss[k] += y * y;
        }
    }
    return SMR_OK;
}

smr_status smr_wide_create(smr_ctx *ctx, const smr_row_source *rows, bool intercept, smr_wide *out)
{
    smr_status st = SMR_OK;
    double *X = NULL;
    int64_t n = rows->n_rows, d = rows->n_cols, q = rows->n_outputs;
    *out = (smr_wide){.n = n, .d = d, .k = SMR_MIN(n, d)};
    out->weight = rows->weight ? smr_sum_f64(n, rows->weight) : (double)n;
    if (!(out->weight > 0)) TRY(smr_fail(ctx, SMR_ERR_DATA, "no rows to fit: all weights are 0"));
    TRY(smr_memory_check(ctx, 16.0 * (double)n * (double)d, "the singular values of these rows",
                         "use fewer features"));
    TRY_NEW(X, n * d + 1);
    TRY_NEW(out->s, out->k + 1);
    TRY_NEW(out->V, out->k * d + 1);
    TRY_NEW(out->U, n * out->k + 1);
    TRY_NEW(out->Y, n * q + 1);
    TRY_NEW(out->mean, d + q);
    TRY_NEW(out->tss, q);
    if (intercept) TRY(find_means(ctx, rows, out));
    TRY(load_rows(ctx, rows, out, X));
    for (int64_t i = 0; i < n * d; i++)
        if (!isfinite(X[i])) TRY(smr_rows_check_finite(ctx, rows));
    TRY(smr_svd(ctx, d, n, X, d, out->s, out->V, d, out->U, out->k));
out:
    smr_free(X);
    if (st != SMR_OK) smr_wide_release(out);
    return st;
}

void smr_wide_release(smr_wide *w)
{
    smr_free(w->s);
    smr_free(w->V);
    smr_free(w->U);
    smr_free(w->Y);
    smr_free(w->mean);
    smr_free(w->tss);
    *w = (smr_wide){0};
}
