/* gauss_shrink.c -- how far the covariances of classes move towards the shared one.
 *
 * With the scatter C_k of class k, divided by W_k (or one less), and the shared covariance S,
 *
 *     S_k = (1 - s_k) C_k / W_k + s_k S,   s_k = s m / (s m + (1 - s) W_k)                      (1)
 *
 * m the mean of the W_k: a class of mean size takes s of S, a smaller one more, as if S had been
 * seen in s m / (1 - s) rows.  shrinkage=auto takes the s of a few for which the rows are told best
 * by what is known without them, the least sum of
 *
 *     sum_k (P(k | x) - [x is of class k])^2  with x taken out of its class                     (2)
 *
 * over at most SMR_SAMPLE_ROWS rows.  (The logarithm of P, which has no bound, would be ruled by
 * few rows that are far from normal.)  Taking out a row of weight u changes its class alone:
 * z = x - mean_k becomes r z, r = W_k / (W_k - u), and S_k becomes S_k - g z z',
 * g = (1 - s_k) u r / W_k; so without another factorisation, with q = z' S_k^-1 z,
 *
 *     q -> r^2 q / (1 - g q),   log |S_k| -> log |S_k| + log(1 - g q)                           (3)
 *
 * (of variances each by itself).  What C_k is divided by, and S, are left as they are.  A class
 * that is one row says nothing without it, and is left out.
 *
 * References: Friedman, J. Am. Stat. Assoc. 84(405):165-175, 1989, also for (3). */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "learn/bayes/gauss.h"

#include <math.h>
#include <string.h>

/* From the most to the least: of equals the first is taken. */
static const double AMOUNTS[] = {1, 0.95, 0.85, 0.7, 0.5, 0.35, 0.2, 0.1, 0.03, 0.01, 0.001, 0};
/* Multiply-adds of all densities; fewer rows are looked at where there are many columns. */
#define MOST_WORK 4e9
/* What is left of a variance, or of a determinant, without one row. */
#define LEAST_LEFT 1e-9
enum { FEWEST_ROWS = 256 };

int64_t smr_gauss_sample_rows(const struct smr_gauss_state *s)
{
    double one = (double)s->n_classes * (double)s->n_sides * SMR_COUNT(AMOUNTS);
    return SMR_MAX(FEWEST_ROWS, SMR_MIN(SMR_SAMPLE_ROWS, (int64_t)(MOST_WORK / one)));
}

double smr_gauss_share(const struct smr_gauss_state *s, double amount, int64_t k)
{
    double sum = 0, present = 0;
    for (int64_t c = 0; c < s->n_groups; c++) {
        sum += s->divisor[c];
        present += s->weight[c] > 0;
    }
    double of_mean = amount * sum / present, own = (1 - amount) * s->divisor[k];
    return amount > 0 ? of_mean / (of_mean + own) : 0;
}

void smr_gauss_mix(const struct smr_gauss_state *s, double amount, int64_t k, const double *shared,
                   double *out)
{
    double share = smr_gauss_share(s, amount, k);
    const double *own = s->cov + k * s->n_sides;
    for (int64_t e = 0; e < s->n_sides; e++)
        out[e] = amount == 1 ? shared[e] : (1 - share) * own[e] + share * shared[e];
}

/* ---- (2) --------------------------------------------------------------------------------- */

struct judging {
    const struct smr_gauss_state *s;
    const smr_class_sample *rows;
    const double *shared, *base; /* base: log priors */
    double amount;
    double *score; /* n_classes x n */
    bool *fails;   /* n_classes: S_k is singular */
};

/* Rows of class k that can be told without themselves. */
static bool can_leave(const struct judging *j, int64_t k)
{
    return j->s->weight[k] > j->rows->unit * (1 + 1e-9);
}

/* g of (3); 0 where the class has no covariance of its own. */
static double taken(const struct judging *j, int64_t k, double r)
{
    double own = 1 - smr_gauss_share(j->s, j->amount, k);
    return own > 0 ? own * j->rows->unit * r / j->s->divisor[k] : 0;
}

/* A full covariance. */
static smr_status score_matrix(smr_ctx *ctx, const struct judging *j, int64_t k, const double *S,
                               double *out)
{
    const struct smr_gauss_state *s = j->s;
    smr_status st = SMR_OK;
    int64_t d = s->n_features, ldw = (d + 7) / 8 * 8, failed;
    double *whiten = NULL, log_det, left = s->weight[k] - j->rows->unit;
    TRY_NEW(whiten, d * ldw);
    TRY(smr_gauss_factor(ctx, d, S, &log_det, whiten, ldw, &failed));
    j->fails[k] = failed >= 0;
    if (failed >= 0) goto out;
    smr_whitened_f64(j->rows->n, d, j->rows->x, d, s->mean + k * d, whiten, ldw, out, 1);
    double r = s->weight[k] / left;
    double g = taken(j, k, r);
    for (int64_t i = 0; i < j->rows->n; i++) {
        double q = out[i], log_left = 0;
        if (j->rows->label[i] == k && can_leave(j, k)) {
            double rest = smr_fmax(LEAST_LEFT, 1 - g * q);
            q = r * r * q / rest;
            log_left = smr_log(rest);
        }
        out[i] = j->base[k] - 0.5 * (q + log_det + log_left);
    }
out:
    smr_free(whiten);
    return st;
}

/* Variances, or (n_sides = 1) one for all columns that are used. */
static void score_variances(const struct judging *j, int64_t k, const double *S, double *out)
{
    const struct smr_gauss_state *s = j->s;
    int64_t d = s->n_features, n = s->n_sides;
    double left = s->weight[k] - j->rows->unit, r = s->weight[k] / left, used = 0;
    double g = taken(j, k, r);
    for (int64_t c = 0; c < d; c++) used += s->used[c];
    for (int64_t c = 0; c < n; c++) j->fails[k] |= !(S[c] > 0);
    if (j->fails[k]) return;
    for (int64_t i = 0; i < j->rows->n; i++) {
        const double *x = j->rows->x + i * d, *mean = s->mean + k * d;
        bool own = j->rows->label[i] == k && can_leave(j, k);
        double sum = 0, all = 0;
        for (int64_t c = 0; c < d; c++) {
            double z = x[c] - mean[c], z2 = z * z, var = S[n == 1 ? 0 : c];
            all += z2;
            if (n == 1 || !s->used[c]) continue;
            if (own) {
                var = smr_fmax(LEAST_LEFT * var, var - g * z2);
                z2 *= r * r;
            }
            sum += z2 / var + smr_log(var);
        }
        if (n == 1) {
            double var = own ? smr_fmax(LEAST_LEFT * S[0], S[0] - g * all / used) : S[0];
            sum = (own ? r * r : 1) * all / var + used * smr_log(var);
        }
        out[i] = j->base[k] - 0.5 * sum;
    }
}

static smr_status score_class(smr_ctx *ctx, void *arg, int64_t k, int lane)
{
    const struct judging *j = arg;
    const struct smr_gauss_state *s = j->s;
    smr_status st = SMR_OK;
    double *S = NULL, *out = j->score + k * j->rows->n;
    (void)lane;
    j->fails[k] = false;
    if (s->weight[k] == 0) {
        for (int64_t i = 0; i < j->rows->n; i++) out[i] = -INFINITY;
        return SMR_OK;
    }
    TRY_NEW(S, s->n_sides);
    smr_gauss_mix(s, j->amount, k, j->shared, S);
    if (s->n_sides == s->n_features * s->n_features && s->n_features > 1)
        TRY(score_matrix(ctx, j, k, S, out));
    else
        score_variances(j, k, S, out);
out:
    smr_free(S);
    return st;
}

/* The sum (2); infinite: some covariance is singular. */
static double gather(const struct judging *j)
{
    double sum = 0;
    int64_t n = j->rows->n, k = j->s->n_classes;
    for (int64_t c = 0; c < k; c++)
        if (j->fails[c]) return INFINITY;
    for (int64_t i = 0; i < n; i++) {
        int64_t own = j->rows->label[i];
        double top = -INFINITY, all = 0, error = 0;
        if (!can_leave(j, own)) continue;
        for (int64_t c = 0; c < k; c++) top = smr_fmax(top, j->score[c * n + i]);
        for (int64_t c = 0; c < k; c++) all += smr_exp(j->score[c * n + i] - top);
        for (int64_t c = 0; c < k && top > -INFINITY; c++) {
            double off = smr_exp(j->score[c * n + i] - top) / all - (c == own);
            error += off * off;
        }
        sum += j->rows->weight[i] * (top > -INFINITY ? error : 1);
    }
    return sum;
}

smr_status smr_gauss_choose(smr_ctx *ctx, const struct smr_gauss_state *s, bool singular,
                            const smr_class_sample *rows, const double *shared, const double *base,
                            double *amount)
{
    smr_status st = SMR_OK;
    struct judging j = {.s = s, .rows = rows, .shared = shared, .base = base};
    double best = INFINITY;
    *amount = 1;
    TRY_NEW(j.score, s->n_classes * rows->n);
    TRY_NEW(j.fails, s->n_classes);
    for (int64_t a = 0; a < SMR_COUNT(AMOUNTS) - singular; a++) {
        j.amount = AMOUNTS[a];
        TRY(smr_parallel(ctx, "shrinking", s->n_classes, score_class, &j));
        double sum = gather(&j);
        if (!(sum < best)) continue;
        best = sum;
        *amount = j.amount;
    }
out:
    smr_free(j.score);
    smr_free(j.fails);
    return st;
}
