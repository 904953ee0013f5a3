/* proximal_newton.c -- a smooth convex function with an elastic penalty, by local quadratics on a
 * dense Hessian; see coordinate.h.
 *
 * At w the next point is sought towards the minimum of
 *
 *     g'(u - w) + (u - w)'H(u - w) / 2 + sum_j l1_j |u_j| + l2_j u_j^2 / 2,                    (1)
 *
 * which is the elastic least-squares problem with Gram matrix H and c = H w - g (elastic_gram.c
 * solves it, exactly as a rule); then the step is halved until the objective falls by a
 * ten-thousandth of what (1) promises without curvature.  Convergence is quadratic.
 *
 * Cost: one Hessian and one evaluation per iteration; n^2 + 4 n numbers besides elastic_gram's.
 * Reference: Lee, Sun & Saunders, SIAM J. Optim. 24(3):1420-1443, 2014. */
#include "kernel/kernel.h"
#include "math/optimize/elastic_gap.h"
#include "math/optimize/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_HALVINGS = 60 };

struct local {
    struct smr_run run;
    const smr_elastic_opts *penalty;
    double *w, *g, *w_new, *g_new, *u, *c, *l1, *l2, *H;
    double f; /* with the penalty */
};

static double penalty_of(const struct local *t, const double *w)
{
    double sum = 0;
    for (int64_t j = 0; j < t->run.objective->n; j++)
        sum += t->l1[j] * fabs(w[j]) + 0.5 * t->l2[j] * w[j] * w[j];
    return sum;
}

/* The norm of the sub-gradient of least norm at w. */
static double least_subgradient(const struct local *t)
{
    int64_t n = t->run.objective->n;
    for (int64_t j = 0; j < n; j++) {
        double g = t->g[j] + t->l2[j] * t->w[j], c = t->l1[j];
        t->u[j] = t->w[j] != 0 ? g + (t->w[j] > 0 ? c : -c) : smr_shrink(g, c);
    }
    return smr_norm(n, t->u);
}

/* u = the minimum of (1). */
static smr_status solve_local(smr_ctx *ctx, struct local *t)
{
    smr_status st = SMR_OK;
    const smr_objective *o = t->run.objective;
    int64_t n = o->n;
    smr_elastic_opts inner = *t->penalty;
    smr_elastic_result got;
    if (o->prepare) TRY(o->prepare(ctx, o->self, t->w));
    TRY(o->hessian(ctx, o->self, t->w, t->H));
    /* y'y of least squares matters only as the scale of tol: large enough to be one. */
    double yy = 0;
    for (int64_t j = 0; j < n; j++) {
        double Hw = smr_dot_f64(n, t->H + j * n, t->w), h = t->H[j * n + j];
        t->c[j] = Hw - t->g[j];
        yy += t->w[j] * Hw + 2 * fabs(t->w[j] * t->g[j]);
        if (h > 0) yy += t->g[j] * t->g[j] / h * (double)n;
    }
    smr_gram_problem p = {n, t->H, n, t->c, yy};
    inner.tol = -1;
    inner.max_sweeps = SMR_MAX(200, n);
    inner.what = t->run.opts.what;
    memcpy(t->u, t->w, (size_t)n * sizeof *t->w);
    TRY(smr_elastic_gram(ctx, &p, &inner, t->u, &got));
out:
    return st;
}

/* *a = 0 if no step from w towards u is good. */
static smr_status search(smr_ctx *ctx, struct local *t, double *a)
{
    smr_status st = SMR_OK;
    int64_t n = t->run.objective->n;
    double slope = penalty_of(t, t->u) - penalty_of(t, t->w), f;
    double noise = 10 * DBL_EPSILON * fabs(t->f);
    for (int64_t j = 0; j < n; j++) slope += t->g[j] * (t->u[j] - t->w[j]);
    *a = 1;
    for (int k = 0; k < MAX_HALVINGS; k++, *a *= 0.5) {
        for (int64_t j = 0; j < n; j++)
            t->w_new[j] = *a == 1 ? t->u[j] : t->w[j] + *a * (t->u[j] - t->w[j]);
        TRY(smr_run_evaluate(ctx, &t->run, t->w_new, &f, t->g_new));
        f += penalty_of(t, t->w_new);
        bool is_hidden = k == 0 && -slope <= noise && f <= t->f + noise;
        if (!(f <= t->f + 1e-4 * *a * slope && slope < 0) && !is_hidden) continue;
        if (!smr_all_finite(n, t->g_new)) continue;
        t->f = f;
        goto out;
    }
    *a = 0;
out:
    return st;
}

static smr_status iterate(smr_ctx *ctx, struct local *t, double *norm, bool *over)
{
    smr_status st = SMR_OK;
    double a = 0, before = *norm, f_before = t->f;
    TRY(solve_local(ctx, t));
    TRY(search(ctx, t, &a));
    if (a > 0) {
        SMR_SWAP(t->w, t->w_new);
        SMR_SWAP(t->g, t->g_new);
        *norm = least_subgradient(t);
        TRY(smr_run_reached(ctx, &t->run, t->run.out->iterations + 1, t->f, *norm, a, over));
    }
    /* Below rounding full steps are taken as long as they shorten the sub-gradient. */
    if (!*over && (a == 0 || (*norm >= before && t->f >= f_before))) {
        *over = true;
        smr_run_end(&t->run, SMR_WHY_ROUNDING);
    }
out:
    return st;
}

smr_status smr_proximal_newton(smr_ctx *ctx, const smr_objective *objective,
                               const smr_elastic_opts *penalty, const smr_optimize_opts *opts,
                               double *w, smr_optimize_result *out)
{
    smr_status st = SMR_OK;
    int64_t n = objective->n;
    double *block = NULL;
    struct local t = {.penalty = penalty};
    smr_elastic_opts checked;
    bool over = false;
    smr_run_begin(&t.run, objective, opts, out);
    TRY(smr_elastic_check(ctx, penalty, NULL, &checked));
    TRY_NEW(t.H, n * n);
    TRY_NEW(block, 8 * n);
    t.w = block, t.g = block + n, t.w_new = block + 2 * n, t.g_new = block + 3 * n;
    t.u = block + 4 * n, t.c = block + 5 * n, t.l1 = block + 6 * n, t.l2 = block + 7 * n;
    smr_elastic_penalties(n, penalty, penalty->l1, penalty->l2, t.l1, t.l2);
    memcpy(t.w, w, (size_t)n * sizeof *w);
    TRY(smr_run_evaluate(ctx, &t.run, t.w, &t.f, t.g));
    t.f += penalty_of(&t, t.w);
    double norm = least_subgradient(&t);
    TRY(smr_run_reached(ctx, &t.run, 0, t.f, norm, 0, &over));
    while (!over) TRY(iterate(ctx, &t, &norm, &over));
    memcpy(w, t.w, (size_t)n * sizeof *w);
out:
    smr_free(block);
    smr_free(t.H);
    return st;
}
