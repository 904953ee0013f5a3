/* elastic_gap.c -- the duality gap of least squares with an elastic penalty; see elastic_gap.h.
 *
 * With the rows sqrt(l2_j) e_j' under X and zeros under y, (1) of coordinate.h is a lasso; its
 * residual is r~ = (r, -sqrt(l2) b), and for any t with |x~_j't| <= l1_j for all j
 *
 *     D(t) = y~'t - |t|^2 / 2 <= P(best).
 *
 * t = s r~ with the largest s <= 1 that is feasible, where u_j = x~_j'r~ = q_j - l2_j b_j, is one
 * such point.  In P(b) - D(s r~) all that is large cancels by itself:
 *
 *     gap  = (1 - s)^2 (|r|^2 + sum_j l2_j b_j^2) / 2 + sum_j (l1_j |b_j| - s b_j u_j),        (1)
 *
 * a sum of terms >= 0, exact to rounding however small.  Where l2_j > 0 there is another, which
 * needs no scaling, from the dual of the problem as it stands: with the penalty p_j and its
 * conjugate p_j*(q) = max(|q| - l1_j, 0)^2 / (2 l2_j),
 *
 *     gap' = sum_j p_j(b_j) + p_j*(q_j) - b_j q_j.                                             (2)
 *
 * The smaller one counts.  |r|^2 = yy - b'(c + q) needs no rows.
 * Reference: Ndiaye, Fercoq, Gramfort & Salmon, JMLR 18(128), 2017. */
#include "math/optimize/elastic_gap.h"

#include "core/number.h"

#include <math.h>

struct sums {
    double bc, bq, penalty, l2_bb, worst, fenchel;
    bool free_ok;
};

static void add_column(const struct smr_elastic_state *s, int64_t j, double tol, struct sums *sum)
{
    double b = s->b[j], q = s->q[j], l1 = s->l1[j], l2 = s->l2[j];
    double u = q - l2 * b, over = smr_fmax(fabs(q) - l1, 0), p = l1 * fabs(b) + 0.5 * l2 * b * b;
    sum->bc += b * s->c[j];
    sum->bq += b * q;
    sum->penalty += p;
    sum->l2_bb += l2 * b * b;
    if (l1 == 0 && l2 == 0) {
        if (!(q * q <= tol * s->size[j] * s->yy)) sum->free_ok = false;
        return;
    }
    if (fabs(u) > l1 * sum->worst) sum->worst = l1 > 0 ? fabs(u) / l1 : INFINITY;
    sum->fenchel += p - b * q + (l2 > 0 ? 0.5 * over * over / l2 : over > 0 ? INFINITY : 0);
}

/* The last sum of (1), once s is known. */
static double complementarity(const struct smr_elastic_state *s, double scale)
{
    double sum = 0;
    for (int64_t j = 0; j < s->k; j++) {
        double b = s->b[j], l1 = s->l1[j];
        if (b != 0 && (l1 > 0 || s->l2[j] > 0))
            sum += l1 * fabs(b) - scale * b * (s->q[j] - s->l2[j] * b);
    }
    return sum;
}

struct smr_elastic_gap smr_elastic_gap_of(const struct smr_elastic_state *s, double tol)
{
    struct sums sum = {.worst = 1, .free_ok = true};
    for (int64_t j = 0; j < s->k; j++) add_column(s, j, tol, &sum);
    double rr = smr_fmax(s->yy - sum.bc - sum.bq, 0), scale = 1 / sum.worst, rest = 1 - scale;
    double gap = 0.5 * rest * rest * (rr + sum.l2_bb) + complementarity(s, scale);
    gap = smr_fmax(smr_fmin(gap, sum.fenchel), 0);
    return (struct smr_elastic_gap){0.5 * rr + sum.penalty, gap, scale, sum.free_ok};
}

void smr_elastic_penalties(int64_t d, const smr_elastic_opts *opts, double l1, double l2,
                           double *l1_out, double *l2_out)
{
    for (int64_t j = 0; j < d; j++) {
        l1_out[j] = l1 * (opts->l1_factor ? opts->l1_factor[j] : 1);
        l2_out[j] = l2 * (opts->l2_factor ? opts->l2_factor[j] : 1);
    }
}

double smr_elastic_l1_max(int64_t d, const double *c, const double *l1_factor)
{
    double top = 0;
    for (int64_t j = 0; j < d; j++) {
        double factor = l1_factor ? l1_factor[j] : 1;
        if (factor > 0) top = smr_fmax(top, fabs(c[j]) / factor);
    }
    return top;
}

smr_status smr_elastic_check(smr_ctx *ctx, const smr_elastic_opts *opts,
                             const smr_elastic_path *path, smr_elastic_opts *out)
{
    char text[SMR_NUMBER_MAX];
    *out = *opts;
    if (out->tol == 0) out->tol = 1e-8;
    if (out->tol > 0 && out->tol < 1e-15) out->tol = 1e-15;
    if (out->max_sweeps == 0) out->max_sweeps = 10000;
    for (int64_t k = 0; k < (path ? path->n : 1); k++) {
        double l1 = path ? path->l1[k] : opts->l1, l2 = path && path->l2 ? path->l2[k] : opts->l2;
        double bad = l1 >= 0 && isfinite(l1) ? l2 : l1;
        if (bad >= 0 && isfinite(bad)) continue;
        smr_format_double(bad, text);
        return smr_fail(ctx, SMR_ERR_PARAM, "a penalty is %s; it must be 0 or more and finite",
                        text);
    }
    return SMR_OK;
}
