/* coordinate.h -- coordinate descent for linear models, with certificates.
 *
 * Least squares with the elastic penalty (lasso: l2 = 0; ridge: l1 = 0):
 *
 *     P(b) = |y - X b|^2 / 2 + sum_j l1_j |b_j| + l2_j b_j^2 / 2,                              (1)
 *     l1_j = l1 * l1_factor[j],  l2_j = l2 * l2_factor[j]
 *
 * Centring, weights and scaling are the caller's: weights as rows times their root, the intercept
 * as centred columns (smr_columns does that for sparse ones without filling them).  Zeros are
 * exact.  An answer is certified by the duality gap, P(b) - P(best) <= gap <= tol * |y|^2 / 2; a
 * tol below 1e-15 is taken as 1e-15.  A column with
 * l1_j = l2_j = 0 is outside the certificate; its part is |x_j'r| <= sqrt(tol) |x_j| |y|. */
#ifndef SMR_MATH_OPTIMIZE_COORDINATE_H
#define SMR_MATH_OPTIMIZE_COORDINATE_H

#include "core/view.h"
#include "math/loss.h"
#include "math/optimize.h"

typedef struct smr_elastic_opts {
    double l1, l2;
    const double *l1_factor, *l2_factor; /* d, >= 0; NULL: all 1     */
    double tol; /* 0: 1e-8; < 0: until no round lowers the gap, converged if it is then 1e-12 */
    int64_t max_sweeps; /* over the columns; 0: 10000 */
    const char *what;   /* names the work; NULL: "coordinate descent" */
} smr_elastic_opts;

typedef struct smr_elastic_result {
    double objective, gap; /* P(b), and a bound on how far it is above the minimum            */
    int64_t n_nonzero, sweeps;
    int64_t n_screened; /* columns proved to be 0 before the end, and no longer looked at      */
    bool converged;
} smr_elastic_result;

/* ---- the Gram matrix is known: cost depends on d alone ---- */

typedef struct smr_gram_problem {
    int64_t d;
    const double *G; /* X'X, d x d, symmetric, row j at G + j * stride */
    int64_t stride;
    const double *c; /* X'y */
    double yy;       /* y'y */
} smr_gram_problem;

/* The smallest l1 at which all columns with a factor > 0 are 0 (if none is free). */
double smr_elastic_l1_max(int64_t d, const double *c, const double *l1_factor);

/* b (d): the start on entry, the answer on return. */
smr_status smr_elastic_gram(smr_ctx *ctx, const smr_gram_problem *problem,
                            const smr_elastic_opts *opts, double *b, smr_elastic_result *out);
/* The penalties of a path, l1 descending; l2 NULL: opts->l2 for all. */
typedef struct smr_elastic_path {
    int64_t n;
    const double *l1, *l2;
} smr_elastic_path;

/* For each step k of the path, from the answer before it: row k of B (n x d) and out[k].  opts->l1
 * is not read. */
smr_status smr_elastic_gram_path(smr_ctx *ctx, const smr_gram_problem *problem,
                                 const smr_elastic_opts *opts, const smr_elastic_path *path,
                                 double *B, smr_elastic_result *out);

/* ---- the columns are known ---- */

/* Column j is dense (dense + j * stride, n_rows numbers) or, where dense is NULL, sparse: entries
 * start[j] .. start[j+1]-1 of row and value.  With mean[j] and unit (n_rows; NULL: ones) the column
 * means x_j - mean[j] unit, and y must be orthogonal to unit as those columns are. */
typedef struct smr_columns {
    int64_t n_rows, n_cols;
    const double *dense;
    int64_t stride;
    const int64_t *start;
    const int32_t *row;
    const double *value;
    const double *mean, *unit;
} smr_columns;

smr_status smr_elastic_columns(smr_ctx *ctx, const smr_columns *X, const double *y,
                               const smr_elastic_opts *opts, double *b, smr_elastic_result *out);
smr_status smr_elastic_columns_path(smr_ctx *ctx, const smr_columns *X, const double *y,
                                    const smr_elastic_opts *opts, const smr_elastic_path *path,
                                    double *B, smr_elastic_result *out);

/* out (n_cols) = X'v; all threads. */
smr_status smr_columns_times(smr_ctx *ctx, const smr_columns *X, const double *v, double *out);

/* ---- smooth losses with an elastic penalty, by local quadratics ---- */

/* Minimises f(w) + sum_j l1_j |w_j| + l2_j w_j^2 / 2, f convex with a dense Hessian (its penalty
 * not in it): each step minimises the local quadratic by coordinate descent on the Hessian.  g in
 * opts' stopping rule is the sub-gradient of least norm. */
smr_status smr_proximal_newton(smr_ctx *ctx, const smr_objective *objective,
                               const smr_elastic_opts *penalty, const smr_optimize_opts *opts,
                               double *w, smr_optimize_result *out);

/* sum_i weight_i loss(y_i, offset + x_i'b) + penalty over columns, the offset free where
 * has_offset: for wide and sparse data.  b is d; weight may be NULL. */
typedef struct smr_glm {
    const smr_columns *X; /* mean and unit are not used */
    const smr_loss *loss; /* smooth and convex, one score per row */
    double param;
    const double *y, *weight;
    bool has_offset;
    /* Or, where it is not NULL, over these rows of `sparse`: n_rows numbers, NULL 0, 1, 2 ...  Only
     * columns that may move are copied, a small part where most end at 0. */
    const smr_csr *sparse;
    const int64_t *rows;
    int64_t n_rows;
} smr_glm;

smr_status smr_glm_columns(smr_ctx *ctx, const smr_glm *glm, const smr_elastic_opts *penalty,
                           const smr_optimize_opts *opts, double *b, double *offset,
                           smr_optimize_result *out);

#endif
