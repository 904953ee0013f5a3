/* pca_routes.c -- components from all rows as one matrix: its singular values, or the covariance.
 *
 * With Z the rows less their mean, times the root of their weight, and D the divisor,
 *
 *     Z = U diag(s) V':  variances s^2 / D, components V                                    (1)
 *     C = Z'Z / D = V diag(variances) V'                                                    (2)
 *     K = Z Z' / D = U diag(variances) U',  V = Z'U diag(s)^-1                              (3)
 *
 * (1) keeps all digits of small variances; (2) and (3) lose what is below rounding of the largest,
 * and cost a fraction of it.  (3) is for rows that are fewer than their features.  Bytes without
 * weights are summed in whole numbers (math/gram_bytes.h). */
#include "core/parallel.h"
#include "data/keep.h"
#include "kernel/kernel.h"
#include "learn/factor/pca.h"
#include "learn/linear/design.h"
#include "math/factor.h"
#include "math/gram_bytes.h"
#include "math/lanczos.h"
#include "math/product.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 256 };

/* ---- rows as a matrix ------------------------------------------------------------------- */

struct centring {
    const struct smr_pca_work *w;
    smr_held_rows held;
    double *Z;
};

static smr_status centre_rows(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct centring *c = arg;
    const struct smr_pca_work *w = c->w;
    int64_t lo = task * BLOCK, hi = smr_block_end(w->n, BLOCK, task), d = w->d;
    smr_rows rows;
    smr_status st = smr_held_block(ctx, &c->held, lane, lo, hi, &rows);
    for (int64_t i = lo; st == SMR_OK && i < hi; i++) {
        const double *x = (const double *)rows.x + (i - lo) * rows.stride;
        double root = w->data.weight ? sqrt(w->data.weight[i]) : 1, *z = c->Z + i * d;
        for (int64_t j = 0; j < d; j++) z[j] = root * (x[j] - w->mean[j]);
    }
    return st;
}

smr_status smr_pca_centred(smr_ctx *ctx, const struct smr_pca_work *w, double **Z)
{
    smr_status st = SMR_OK;
    struct centring c = {.w = w};
    TRY(smr_memory_check(ctx, 8.0 * (double)w->n * (double)w->d, "pca: a copy of the rows",
                         "use solver=lanczos or fewer rows"));
    TRY(smr_held_open(ctx, &w->data, SMR_FORM_F64, BLOCK, &c.held));
    c.Z = *Z = smr_alloc_raw(ctx, w->n * w->d, sizeof **Z);
    if (!c.Z) TRY(SMR_ERR_NOMEM);
    TRY(smr_parallel(ctx, NULL, smr_block_count(w->n, BLOCK), centre_rows, &c));
out:
    smr_held_close(&c.held);
    return st;
}

/* ---- (1) -------------------------------------------------------------------------------- */

/* The rows of Z are the columns of Z', whose left vectors are the components. */
smr_status smr_pca_by_svd(smr_ctx *ctx, struct smr_pca_work *w)
{
    smr_status st = SMR_OK;
    int64_t n = w->n, d = w->d, r = SMR_MIN(n, d);
    double *Z = NULL, *Vt = NULL;
    TRY(smr_pca_centred(ctx, w, &Z));
    TRY_NEW(w->value, r);
    TRY_NEW(w->vector, r * d);
    TRY_NEW(Vt, r * n);
    TRY(smr_svd(ctx, d, n, Z, d, w->value, w->vector, d, Vt, r));
    w->n_pairs = w->n_values = r;
    w->rounding = (double)SMR_MAX(n, d) * DBL_EPSILON;
    w->rounding *= w->rounding;
    w->total = 0;
    for (int64_t i = 0; i < r; i++) {
        w->value[i] *= w->value[i] / w->divisor;
        w->total += w->value[i];
    }
out:
    smr_free(Z);
    smr_free(Vt);
    return st;
}

/* ---- (2) -------------------------------------------------------------------------------- */

static smr_status give_bytes(smr_ctx *ctx, void *arg, int lane, int64_t lo, int64_t hi,
                             const uint8_t **x, int64_t *stride)
{
    smr_rows block;
    smr_status st = smr_held_block(ctx, arg, lane, lo, hi, &block);
    if (st != SMR_OK) return st;
    *x = block.x;
    *stride = block.stride;
    return SMR_OK;
}

/* C times D, and the mean, of dense rows. */
static smr_status scatter_of_dense(smr_ctx *ctx, struct smr_pca_work *w, double *C)
{
    smr_status st = SMR_OK;
    smr_held_rows held = {0};
    smr_gram g = {0};
    TRY(smr_held_open(ctx, &w->data, SMR_FORM_F64, SMR_ROWS_BLOCK, &held));
    smr_row_source rows = smr_held_as_source(&held, &w->data);
    TRY(smr_gram_compute(ctx, &rows, true, &g));
    memcpy(w->mean, g.mean, (size_t)w->d * sizeof *w->mean);
    for (int64_t i = 0; i < w->d; i++)
        for (int64_t j = 0; j < w->d; j++)
            C[i * w->d + j] = g.gram[i * w->d + j] / g.scale[i] / g.scale[j];
out:
    smr_gram_release(&g);
    smr_held_close(&held);
    return st;
}

static smr_status scatter_of_bytes(smr_ctx *ctx, struct smr_pca_work *w, double *C)
{
    smr_status st = SMR_OK;
    smr_held_rows held = {0};
    TRY(smr_held_open(ctx, &w->data, SMR_FORM_U8, SMR_BYTES_BLOCK, &held));
    TRY(smr_gram_bytes(ctx, w->n, w->d, give_bytes, &held, w->mean, C));
out:
    smr_held_close(&held);
    return st;
}

/* sum w x x' from the entries alone; the mean is taken out of the sums. */
static smr_status scatter_of_sparse(smr_ctx *ctx, struct smr_pca_work *w, double *C)
{
    smr_status st = SMR_OK;
    int64_t d = w->d, p = d + 1;
    smr_design rows = {0};
    double *weight = NULL, *G = NULL, *sums = NULL;
    TRY_NEW(weight, w->n);
    TRY_NEW(G, p * p);
    TRY_NEW(sums, p);
    for (int64_t i = 0; i < w->n; i++) weight[i] = smr_data_weight(&w->data, i);
    TRY(smr_design_open(ctx, &w->data, true, &rows));
    TRY(smr_design_gram(ctx, &rows, weight, weight, G, sums));
    for (int64_t j = 0; j < d; j++) {
        if (!isfinite(G[j * p + j])) TRY(smr_design_explain(ctx, &rows));
        w->mean[j] = sums[j] / w->weight;
    }
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++)
            C[i * d + j] = G[i * p + j] - w->weight * w->mean[i] * w->mean[j];
out:
    smr_design_close(&rows);
    smr_free(weight);
    smr_free(G);
    smr_free(sums);
    return st;
}

/* Pairs of a symmetric A (n x n), which is destroyed, the largest first: all, or the wanted.
 * vector: rows of n. */
static smr_status take_pairs(smr_ctx *ctx, int64_t n, double *A, int64_t wanted,
                             struct smr_pca_work *w, double *vector)
{
    smr_status st = SMR_OK;
    double *ascending = NULL;
    if (w->n_pairs < n) {
        TRY(smr_eigen_largest(ctx, n, A, n, wanted, w->value, vector, n));
        goto out;
    }
    TRY_NEW(ascending, n);
    TRY(smr_eigen(ctx, n, A, n, ascending));
    for (int64_t i = 0; i < n; i++) {
        w->value[i] = ascending[n - 1 - i];
        memcpy(vector + i * n, A + (n - 1 - i) * n, (size_t)n * sizeof *A);
    }
out:
    for (int64_t i = 0; st == SMR_OK && i < w->n_pairs; i++)
        w->value[i] = smr_fmax(0, w->value[i]) / w->divisor;
    smr_free(ascending);
    return st;
}

/* A few of many cost less than all. */
static int64_t how_many(int64_t n, int64_t wanted)
{
    return wanted > 0 && wanted < n / 3 ? wanted : n;
}

static smr_status by_columns(smr_ctx *ctx, struct smr_pca_work *w, int64_t wanted)
{
    smr_status st = SMR_OK;
    int64_t d = w->d;
    double *C = NULL, trace = 0;
    bool bytes = !w->is_sparse && !w->data.weight && w->n <= SMR_MAX_DIM &&
                 smr_data_natural_form(&w->data) == SMR_FORM_U8;
    TRY(smr_memory_check(ctx, 24.0 * (double)d * (double)d, "pca: the covariance of these columns",
                         "use solver=lanczos or fewer features"));
    TRY_NEW(C, d * d);
    TRY(w->is_sparse ? scatter_of_sparse(ctx, w, C)
        : bytes      ? scatter_of_bytes(ctx, w, C)
                     : scatter_of_dense(ctx, w, C));
    for (int64_t j = 0; j < d; j++) {
        double square = smr_fmax(0, C[j * d + j]);
        trace += square;
        smr_pca_note_spread(w, j, sqrt(square / w->weight));
    }
    w->total = trace / w->divisor;
    w->n_pairs = w->n_values = how_many(d, wanted);
    TRY_NEW(w->value, w->n_pairs);
    TRY_NEW(w->vector, w->n_pairs * d);
    TRY(take_pairs(ctx, d, C, wanted, w, w->vector));
out:
    smr_free(C);
    return st;
}

/* ---- (3) -------------------------------------------------------------------------------- */

static smr_status by_rows(smr_ctx *ctx, struct smr_pca_work *w, int64_t wanted)
{
    smr_status st = SMR_OK;
    int64_t n = w->n, d = w->d;
    double *Z = NULL, *K = NULL, *U = NULL, trace = 0;
    TRY(smr_pca_centred(ctx, w, &Z));
    TRY_NEW(K, n * n);
    smr_update all = {n, n, d, {Z, d, 1}, {Z, 1, d}, K, n, false, true};
    TRY(smr_update_run(ctx, &all));
    for (int64_t i = 0; i < n; i++) trace += K[i * n + i];
    w->total = trace / w->divisor;
    w->n_pairs = w->n_values = how_many(n, wanted);
    TRY_NEW(w->value, w->n_pairs);
    TRY_NEW(U, w->n_pairs * n);
    TRY(take_pairs(ctx, n, K, wanted, w, U));
    TRY_NEW(w->vector, w->n_pairs * d);
    smr_update back = {d, w->n_pairs, n, {Z, 1, d}, {U, 1, n}, w->vector, d, false, false};
    TRY(smr_update_run(ctx, &back));
    w->rounding = (double)d * DBL_EPSILON;
    for (int64_t i = 0; i < w->n_pairs && w->value[i] > w->rounding * w->value[0]; i++) {
        double *v = w->vector + i * d;
        TRY(smr_orthogonalize(ctx, d, i, w->vector, 1, v, NULL));
        double by = 1 / sqrt(smr_sumsq_f64(d, v, 0));
        for (int64_t j = 0; j < d; j++) v[j] *= by;
    }
out:
    smr_free(Z);
    smr_free(K);
    smr_free(U);
    return st;
}

smr_status smr_pca_by_covariance(smr_ctx *ctx, struct smr_pca_work *w, int64_t wanted)
{
    w->rounding = (double)SMR_MAX(w->n, w->d) * DBL_EPSILON;
    return w->n < w->d && !w->is_sparse ? by_rows(ctx, w, wanted) : by_columns(ctx, w, wanted);
}
