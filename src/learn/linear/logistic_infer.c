/* logistic_infer.c -- what is known of a logistic fit: standard errors, and separated classes.
 *
 * Errors: the inverse of the Hessian H at the answer, penalty included.  Without a penalty these
 * are Wald's; with l2 they are the posterior's standard deviations under the prior w ~ N(0, 1/l2),
 * by Laplace's approximation.  Effective degrees of freedom: n - l2 tr(H^-1 over w).  With a score
 * a class, H has been made regular by 1/2 |sum_c v_c|^2 (objective.h), whose part of the inverse,
 * 1/k^2 for each entry of a class, is taken off again.
 *
 * Separation: a direction v with margin y_i v'x_i >= 0 for all rows and > 0 for one proves that the
 * likelihood grows along v for ever.  Two candidates are tried: the answer itself, and one Newton
 * step from it, which at a true minimum is nearly nothing. */
#include "core/parallel.h"
#include "learn/linear/logistic.h"
#include "math/factor.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- standard errors -------------------------------------------------------------------- */

/* H made one with a unit diagonal, so that units of features do not matter; the factors in unit.
 * A column without curvature has the factor 0. */
static void equilibrate(int64_t n, double *H, double *unit)
{
    for (int64_t i = 0; i < n; i++) unit[i] = H[i * n + i] > 0 ? 1 / sqrt(H[i * n + i]) : 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) H[i * n + j] *= unit[i] * unit[j];
}

/* diag (n) of the inverse of H, which is destroyed; *positive false: H is not regular. */
static smr_status invert_diagonal(smr_ctx *ctx, int64_t n, double *H, double *diag, bool *positive)
{
    smr_status st = SMR_OK;
    int64_t failed_at = -1;
    double *Y = NULL, norm = 0, rcond = 0;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++) sum += fabs(H[i * n + j]);
        norm = smr_fmax(norm, sum);
    }
    TRY(smr_cholesky(ctx, n, H, n, &failed_at));
    if (!(*positive = failed_at < 0)) goto out;
    TRY(smr_cholesky_rcond(ctx, n, H, n, norm, &rcond));
    if (!(*positive = rcond > 100 * DBL_EPSILON)) goto out;
    TRY_NEW(Y, n * n);
    for (int64_t i = 0; i < n; i++) Y[i * n + i] = 1;
    TRY(smr_triangular_solve(ctx, (smr_side){0}, n, n, H, n, Y, n));
    /* Column i of Y = L^-1 e_i: (H^-1)_ii is its squared length. */
    for (int64_t i = 0; i < n; i++) {
        diag[i] = 0;
        for (int64_t r = i; r < n; r++) diag[i] += Y[i * n + r] * Y[i * n + r];
    }
out:
    smr_free(Y);
    return st;
}

/* The same of a singular H, by its eigenvectors, which replace it: NaN for a variable that a
 * direction without curvature moves, since the rows do not determine it.  *rank: of H. */
static smr_status invert_singular(smr_ctx *ctx, int64_t n, double *H, double *diag, int64_t *rank)
{
    smr_status st = SMR_OK;
    double *value = NULL;
    int64_t null = 0;
    TRY_NEW(value, n);
    TRY(smr_eigen(ctx, n, H, n, value));
    while (null < n && value[null] <= 1e-12 * value[n - 1]) null++;
    for (int64_t i = 0; i < n; i++) {
        double moved = 0;
        diag[i] = 0;
        for (int64_t k = 0; k < n; k++) {
            double v = H[k * n + i]; /* by columns: eigenvector k */
            if (k < null)
                moved += v * v;
            else
                diag[i] += v * v / value[k];
        }
        if (moved > 1e-10) diag[i] = NAN;
    }
    *rank = n - null;
out:
    smr_free(value);
    return st;
}

static bool is_finite(int64_t n, const double *H)
{
    for (int64_t i = 0; i < n * n; i++)
        if (!isfinite(H[i])) return false;
    return true;
}

/* error (n) = the diagonal of the inverse of the Hessian at the answer; *rank of it. */
static smr_status invert_hessian(smr_ctx *ctx, struct smr_logistic_fit *f, double *error,
                                 int64_t *rank)
{
    smr_status st = SMR_OK;
    int64_t n = f->n;
    double *H = NULL, *unit = NULL;
    bool positive = false;
    *rank = n;
    TRY_NEW(H, n * n);
    TRY_NEW(unit, n);
    TRY(smr_linear_hessian_at(ctx, f->o, f->w, H));
    if (!is_finite(n, H)) {
        for (int64_t i = 0; i < n; i++) error[i] = NAN;
        goto out;
    }
    equilibrate(n, H, unit);
    TRY(invert_diagonal(ctx, n, H, error, &positive));
    if (!positive) {
        TRY(smr_linear_hessian_at(ctx, f->o, f->w, H));
        equilibrate(n, H, unit);
        TRY(invert_singular(ctx, n, H, error, rank));
    }
    for (int64_t i = 0; i < n; i++) error[i] = unit[i] > 0 ? error[i] * unit[i] * unit[i] : NAN;
out:
    smr_free(unit);
    smr_free(H);
    return st;
}

smr_status smr_logistic_errors(smr_ctx *ctx, struct smr_logistic_fit *f, double *error, double *df)
{
    smr_status st = SMR_OK;
    int64_t n = f->n, k = f->k, n_weights = k * f->d, rank = n;
    double pinned = k > 1 ? 1.0 / (double)(k * k) : 0;
    *df = NAN;
    TRY(invert_hessian(ctx, f, error, &rank));
    *df = (double)rank;
    for (int64_t i = 0; i < n; i++) {
        bool is_pinned = i >= n_weights || f->p->l2 == 0;
        if (is_pinned) error[i] -= pinned;
        if (is_pinned && k > 1) *df -= 1.0 / (double)k;
        if (i < n_weights && f->p->l2 > 0) *df -= f->p->l2 * error[i];
        error[i] = isnan(error[i]) ? NAN : sqrt(smr_fmax(0, error[i]));
    }
out:
    return st;
}

/* ---- separated classes ------------------------------------------------------------------ */

struct margins {
    double least, most; /* of the rows that count */
    double size;        /* largest |score| */
};

static struct margins margins_of(const struct smr_logistic_fit *f, const double *scores)
{
    struct margins m = {INFINITY, -INFINITY, 0};
    for (int64_t i = 0; i < f->data->n_rows; i++) {
        int64_t label = f->data->label[i], k = f->k;
        const double *row = scores + i * k;
        if (f->weight && f->weight[i] == 0) continue;
        for (int64_t c = 0; c < k; c++) {
            double margin = k == 1 ? (label > 0 ? row[0] : -row[0]) : row[label] - row[c];
            m.size = smr_fmax(m.size, fabs(row[c]));
            if (k > 1 && c == label) continue;
            m.least = smr_fmin(m.least, margin);
            m.most = smr_fmax(m.most, margin);
        }
    }
    return m;
}

/* One Newton step from the answer, into v. */
static smr_status newton_step(smr_ctx *ctx, const struct smr_logistic_fit *f, double *v)
{
    smr_status st = SMR_OK;
    smr_optimize_opts opts = {.max_iter = 1, .tol = DBL_MIN, .scale = 1};
    smr_optimize_result result;
    memcpy(v, f->w, (size_t)f->n * sizeof *v);
    TRY(smr_newton(ctx, smr_linear_function(f->o), &opts, v, &result));
    for (int64_t i = 0; i < f->n; i++) v[i] -= f->w[i];
out:
    return st;
}

smr_status smr_logistic_find_separation(smr_ctx *ctx, struct smr_logistic_fit *f)
{
    smr_status st = SMR_OK;
    double *scores = NULL, *v = NULL;
    f->separation = SMR_LOGISTIC_OVERLAP;
    TRY_NEW(scores, f->data->n_rows * f->k);
    TRY_NEW(v, f->n);
    TRY(smr_linear_scores(ctx, f->o, f->w, scores));
    struct margins at = margins_of(f, scores);
    if (at.least > 1e-9 * at.size) {
        f->separation = SMR_LOGISTIC_SEPARATED;
        goto out;
    }
    if (!smr_logistic_is_small(f->k, f->d)) goto out;
    TRY(newton_step(ctx, f, v));
    TRY(smr_linear_scores(ctx, f->o, v, scores));
    at = margins_of(f, scores);
    /* A step of a tenth in some score, and none backwards but by rounding. */
    if (at.size > 0.1 && at.least >= -1e-6 * at.size && at.most > 0.1)
        f->separation = at.least > 1e-6 * at.size ? SMR_LOGISTIC_SEPARATED : SMR_LOGISTIC_PARTED;
out:
    smr_free(v);
    smr_free(scores);
    return st;
}
