/* logistic_infer.c -- what is known of a logistic fit: standard errors, and separated classes.
 *
 * Errors: the inverse of the Hessian H at the answer, penalty included.  Without a penalty these
 * are Wald's; with l2 they are the posterior's standard deviations under the prior w ~ N(0, 1/l2),
 * by Laplace's approximation.  Effective degrees of freedom: n - l2 tr(H^-1 over w).  With a score
 * a class, H has been made regular by 1/2 |sum_c v_c|^2 (objective.h), whose part of the inverse,
 * 1/k^2 for each entry of a class, is taken off again.
 *
 * Separation: a direction v with margin y_i v'x_i >= 0 for all rows and > 0 for one proves that the
 * likelihood grows along v for ever.  The answer itself is tried; else recession.h decides, up to
 * the size that has a dense Hessian.  Of more columns each is tried by itself. */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "learn/linear/held_rows.h"
#include "learn/linear/logistic.h"
#include "learn/linear/recession.h"
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

/* H (n x n) at the answer, which the solver may have left. */
static smr_status hessian(smr_ctx *ctx, const struct smr_logistic_fit *f, double *H)
{
    if (!f->H) return smr_linear_hessian_at(ctx, f->o, f->w, H);
    memcpy(H, f->H, (size_t)(f->n * f->n) * sizeof *H);
    return SMR_OK;
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
    TRY(hessian(ctx, f, H));
    if (!is_finite(n, H)) {
        for (int64_t i = 0; i < n; i++) error[i] = NAN;
        goto out;
    }
    equilibrate(n, H, unit);
    TRY(invert_diagonal(ctx, n, H, error, &positive));
    if (!positive) {
        TRY(hessian(ctx, f, H));
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
    double least; /* of the rows that count */
    double size;  /* largest |score| */
};

static struct margins margins_of(const struct smr_logistic_fit *f, const double *scores)
{
    struct margins m = {INFINITY, 0};
    for (int64_t i = 0; i < f->data->n_rows; i++) {
        int64_t label = f->data->label[i], k = f->k;
        const double *row = scores + i * k;
        if (f->weight && f->weight[i] == 0) continue;
        for (int64_t c = 0; c < k; c++) {
            double margin = k == 1 ? (label > 0 ? row[0] : -row[0]) : row[label] - row[c];
            m.size = smr_fmax(m.size, fabs(row[c]));
            if (k > 1 && c == label) continue;
            m.least = smr_fmin(m.least, margin);
        }
    }
    return m;
}

/* share (n x k) of a pair: how much its row still pulls, a probability times the row's weight. */
static void share_out(const struct smr_logistic_fit *f, const double *scores, double total,
                      double *share, unsigned char *role)
{
    int64_t n = f->data->n_rows, k = f->k;
    for (int64_t i = 0; i < n; i++) {
        double weight = f->weight ? f->weight[i] * (double)n / total : 1, sum = 0, top = -INFINITY;
        const double *row = scores + i * k;
        int64_t label = f->data->label[i];
        if (k == 1) {
            double e = smr_exp(-fabs(row[0]));
            share[i] = weight * ((row[0] > 0) == (label > 0) ? e : 1) / (1 + e);
            role[i] = weight > 0 ? SMR_PAIR_OPEN : SMR_PAIR_NONE;
            continue;
        }
        for (int64_t c = 0; c < k; c++) top = smr_fmax(top, row[c]);
        for (int64_t c = 0; c < k; c++) sum += share[i * k + c] = smr_exp(row[c] - top);
        for (int64_t c = 0; c < k; c++) {
            share[i * k + c] *= weight / sum;
            role[i * k + c] = weight > 0 && c != label ? SMR_PAIR_OPEN : SMR_PAIR_NONE;
        }
    }
}

/* Of few variables: decided by recession.h. */
static smr_status decide(smr_ctx *ctx, struct smr_logistic_fit *f, const double *scores)
{
    smr_status st = SMR_OK;
    smr_design design = {0};
    int64_t n = f->data->n_rows, k = f->k;
    double *start = NULL, *share = NULL, total = 0;
    unsigned char *role = NULL;
    enum smr_recession is;
    for (int64_t i = 0; i < n; i++) total += f->weight ? f->weight[i] : 1;
    TRY(smr_design_open(ctx, f->data, f->p->fit_intercept, &design));
    TRY(smr_design_frame(ctx, &design));
    TRY_NEW(start, k * design.p);
    TRY_NEW(share, n * k);
    TRY_NEW(role, n * k);
    for (int64_t c = 0; c < k; c++)
        smr_design_beta(&design, f->w + c * f->d, f->p->fit_intercept ? f->w[k * f->d + c] : 0,
                        start + c * design.p);
    share_out(f, scores, total, share, role);
    smr_recession_problem problem = {.design = &design,
                                     .k = k,
                                     .label = f->data->label,
                                     .share = share,
                                     .role = role,
                                     .start = start};
    TRY(smr_recession_find(ctx, &problem, f->moved, &is));
    if (is == SMR_RECEDES_ALL) f->separation = SMR_LOGISTIC_SEPARATED;
    if (is == SMR_RECEDES_SOME) f->separation = SMR_LOGISTIC_PARTED;
    f->is_open = is == SMR_RECEDES_MAYBE;
out:
    smr_design_close(&design);
    smr_free(start);
    smr_free(share);
    smr_free(role);
    return st;
}

/* ---- many columns ----------------------------------------------------------------------- */

/* Least and largest value of each column in the rows of each class. */
struct ranges {
    int64_t d, k;         /* classes */
    double *low, *high;   /* k x d   */
    int64_t *seen, *rows; /* sparse: entries, k x d; rows of a class, k */
};

static void see(struct ranges *r, int64_t c, int64_t j, double x)
{
    int64_t at = c * r->d + j;
    r->low[at] = smr_fmin(r->low[at], x);
    r->high[at] = smr_fmax(r->high[at], x);
    r->seen[at]++;
}

static smr_status see_block(smr_ctx *ctx, void *arg, const smr_rows *rows, const smr_truths *truths)
{
    struct ranges *r = arg;
    (void)ctx;
    for (int64_t i = 0; i < rows->n; i++) {
        int64_t c = truths->label[i];
        if (truths->weight && truths->weight[i] == 0) continue;
        r->rows[c]++;
        if (rows->form == SMR_FORM_SPARSE)
            for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
                see(r, c, rows->column[e], rows->value[e]);
        else
            for (int64_t j = 0; j < r->d; j++)
                see(r, c, j, ((const double *)rows->x)[i * rows->stride + j]);
    }
    return SMR_OK;
}

/* Does column j have all rows of class c at or above those of all others, and one above? */
static bool is_above(const struct ranges *r, int64_t c, int64_t j, bool free)
{
    double low = r->low[c * r->d + j], high = r->high[c * r->d + j];
    double others_low = INFINITY, others_high = -INFINITY;
    for (int64_t o = 0; o < r->k; o++) {
        if (o == c || r->rows[o] == 0) continue;
        others_low = smr_fmin(others_low, r->low[o * r->d + j]);
        others_high = smr_fmax(others_high, r->high[o * r->d + j]);
    }
    if (!free) return low >= 0 && others_high <= 0 && (high > 0 || others_low < 0);
    return low >= others_high && (high > others_high || others_low < low);
}

/* Does column j alone part a class from the others? */
static bool parts(struct ranges *r, int64_t j, bool free)
{
    for (int64_t c = 0; c < r->k; c++) {
        if (r->rows[c] > r->seen[c * r->d + j]) {
            r->low[c * r->d + j] = smr_fmin(r->low[c * r->d + j], 0);
            r->high[c * r->d + j] = smr_fmax(r->high[c * r->d + j], 0);
        }
    }
    for (int64_t c = 0; c < r->k; c++)
        if (r->rows[c] > 0 && is_above(r, c, j, free)) return true;
    for (int64_t c = 0; c < r->k; c++) { /* the column times -1 */
        double low = r->low[c * r->d + j];
        r->low[c * r->d + j] = -r->high[c * r->d + j];
        r->high[c * r->d + j] = -low;
    }
    for (int64_t c = 0; c < r->k; c++)
        if (r->rows[c] > 0 && is_above(r, c, j, free)) return true;
    return false;
}

/* Of many columns: one that is a direction by itself, as a word that one class alone uses. */
static smr_status look_at_columns(smr_ctx *ctx, struct smr_logistic_fit *f)
{
    smr_status st = SMR_OK;
    struct ranges r = {.d = f->d, .k = SMR_MAX(2, f->k)};
    smr_data data = *f->data;
    data.weight = f->weight;
    TRY_NEW(r.low, 2 * r.k * r.d);
    TRY_NEW(r.seen, r.k * r.d);
    TRY_NEW(r.rows, r.k);
    r.high = r.low + r.k * r.d;
    for (int64_t i = 0; i < r.k * r.d; i++) r.low[i] = INFINITY, r.high[i] = -INFINITY;
    TRY(smr_held_walk(ctx, &data, smr_held_form(&data), NULL, data.n_rows, see_block, &r));
    for (int64_t j = 0; j < r.d; j++)
        if (parts(&r, j, f->p->fit_intercept)) {
            f->separation = SMR_LOGISTIC_PARTED;
            f->moved[j] = true;
        }
out:
    smr_free(r.low);
    smr_free(r.seen);
    smr_free(r.rows);
    return st;
}

smr_status smr_logistic_find_separation(smr_ctx *ctx, struct smr_logistic_fit *f)
{
    smr_status st = SMR_OK;
    double *scores = NULL;
    f->separation = SMR_LOGISTIC_OVERLAP;
    TRY_NEW(scores, f->data->n_rows * f->k);
    TRY(smr_linear_scores(ctx, f->o, f->w, scores));
    struct margins at = margins_of(f, scores);
    if (at.least > 1e-9 * at.size) {
        f->separation = SMR_LOGISTIC_SEPARATED;
        for (int64_t j = 0; j <= f->d; j++) f->moved[j] = true;
    } else if (smr_logistic_is_small(f->k, f->d)) {
        TRY(decide(ctx, f, scores));
    } else {
        TRY(look_at_columns(ctx, f));
    }
out:
    smr_free(scores);
    return st;
}
