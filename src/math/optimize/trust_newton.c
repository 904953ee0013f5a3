/* trust_newton.c -- trust-region Newton with conjugate gradients; see optimize.h.
 *
 * Each iteration minimises the model q(s) = g's + s'Hs / 2 over |s|_M <= radius by conjugate
 * gradients preconditioned with the diagonal M (Steihaug's method: they end at the border, along a
 * direction of negative curvature, or when |g + Hs| <= xi |g|, xi = min(0.1, sqrt(|g| / |g_0|)), so
 * that convergence is superlinear).  With the ratio rho of f's true fall to the model's, the step
 * is taken if rho > 1e-4, and the radius is changed as Lin & More do:
 *
 *     rho < 1/4: shrink into [1/4, 1/2] of min(|s|, radius);  rho > 3/4: grow to [1, 4] of it.
 *
 * Where f's fall is below what rounding lets one see, the step is taken if it does not raise f
 * beyond that and shortens the gradient.  M = diag H, but at least 1e-3 of its mean, which keeps M
 * positive, and a tenth of the largest there was: where the curvature comes and goes with the rows
 * (squared hinge) a column whose few rows are just met seems flat, and a step along it would meet
 * them all at once.
 *
 * Cost: one evaluation and one Hessian product for each step of conjugate gradients; 10 n numbers.
 * References: Steihaug, SIAM J. Numer. Anal. 20(3):626-637, 1983; Lin & More, SIAM J. Optim.
 * 9(4):1100-1127, 1999; Lin, Weng & Keerthi, JMLR 9:627-650, 2008. */
#include "kernel/kernel.h"
#include "math/optimize/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct region {
    struct smr_run run;
    double *w, *g, *w_new, *g_new;
    double *s, *r, *p, *Hp, *M; /* step, residual -g - Hs, direction, H p, preconditioner */
    double *top;                /* the largest diag H so far                              */
    double f, radius, first;    /* first: |g| at the start                               */
};

static double weighted_dot(int64_t n, const double *M, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += M[i] * x[i] * y[i];
    return sum;
}

/* r'M^-1 r */
static double residual_square(const struct region *t)
{
    double sum = 0;
    for (int64_t i = 0; i < t->run.objective->n; i++) sum += t->r[i] * t->r[i] / t->M[i];
    return sum;
}

/* How far along p the border lies: |s + a p|_M = radius, a >= 0. */
static double to_border(const struct region *t)
{
    int64_t n = t->run.objective->n;
    double ss = weighted_dot(n, t->M, t->s, t->s), sp = weighted_dot(n, t->M, t->s, t->p);
    double pp = weighted_dot(n, t->M, t->p, t->p);
    double rest = smr_fmax(t->radius * t->radius - ss, 0), root = sqrt(sp * sp + pp * rest);
    return sp >= 0 ? rest / (sp + root) : (root - sp) / pp;
}

/* s by conjugate gradients; *at_border if they ended there. */
static smr_status solve_model(smr_ctx *ctx, struct region *t, double norm, bool *at_border)
{
    smr_status st = SMR_OK;
    const smr_objective *o = t->run.objective;
    int64_t n = o->n;
    double xi = smr_fmin(0.1, sqrt(norm / t->first));
    for (int64_t i = 0; i < n; i++) {
        t->s[i] = 0;
        t->r[i] = -t->g[i];
        t->p[i] = t->r[i] / t->M[i];
    }
    double square = residual_square(t);
    *at_border = false;
    for (int64_t k = 0; k < SMR_MAX(20, 2 * n); k++) {
        TRY(o->hessian_times(ctx, o->self, t->w, t->p, t->Hp));
        t->run.out->products++;
        double curvature = smr_dot_f64(n, t->p, t->Hp), a = square / curvature;
        double border = to_border(t);
        *at_border = !(curvature > 0) || !(a < border);
        if (*at_border) a = border;
        smr_axpy_f64(n, a, t->p, t->s);
        smr_axpy_f64(n, -a, t->Hp, t->r);
        if (*at_border || smr_norm(n, t->r) <= xi * norm) break;
        double next = residual_square(t), beta = next / square;
        for (int64_t i = 0; i < n; i++) t->p[i] = t->r[i] / t->M[i] + beta * t->p[i];
        square = next;
        TRY(smr_tick(ctx, t->run.opts.what ? t->run.opts.what : "optimising",
                     t->run.out->iterations, t->run.opts.max_iter, t->f));
    }
out:
    return st;
}

static smr_status precondition(smr_ctx *ctx, struct region *t)
{
    smr_status st = SMR_OK;
    const smr_objective *o = t->run.objective;
    int64_t n = o->n;
    if (o->prepare) TRY(o->prepare(ctx, o->self, t->w));
    for (int64_t i = 0; i < n; i++) t->M[i] = 1;
    if (!o->hessian_diagonal) goto out;
    TRY(o->hessian_diagonal(ctx, o->self, t->w, t->M));
    double mean = 0;
    for (int64_t i = 0; i < n; i++) mean += fabs(t->M[i]) / (double)n;
    if (!(mean > 0) || !isfinite(mean)) mean = 1;
    for (int64_t i = 0; i < n; i++) {
        t->top[i] = smr_fmax(t->top[i], t->M[i]);
        t->M[i] = smr_fmax(smr_fmax(t->M[i], 1e-3 * mean), 0.1 * t->top[i]);
    }
out:
    return st;
}

/* The new radius from the ratio of the falls. */
static void adapt_radius(struct region *t, double fall, double slope, double model, bool at_border)
{
    int64_t n = t->run.objective->n;
    double length = sqrt(weighted_dot(n, t->M, t->s, t->s));
    double rise = -fall - slope; /* what is left of f's parabola */
    double a = rise <= 0 ? 4 : smr_fmax(0.25, -0.5 * slope / rise); /* its minimum, in steps    */
    double least = smr_fmin(length, t->radius);
    if (!(fall > 1e-4 * model))
        t->radius = smr_fmin(smr_fmax(isfinite(a) ? a * length : 0, 0.25 * least), 0.5 * least);
    else if (fall < 0.25 * model)
        t->radius = smr_fmax(0.25 * t->radius, smr_fmin(a * length, 0.5 * t->radius));
    else if (fall < 0.75 * model)
        t->radius = smr_fmax(0.25 * t->radius, smr_fmin(a * length, 4 * t->radius));
    else
        t->radius = at_border ? smr_fmin(smr_fmax(t->radius, a * length), 4 * t->radius)
                              : smr_fmax(t->radius, smr_fmin(a * length, 4 * t->radius));
}

/* One trial step; *taken says whether w moved. */
static smr_status try_step(smr_ctx *ctx, struct region *t, double norm, bool *taken)
{
    smr_status st = SMR_OK;
    int64_t n = t->run.objective->n;
    bool at_border;
    double f = 0;
    TRY(solve_model(ctx, t, norm, &at_border));
    memcpy(t->w_new, t->w, (size_t)n * sizeof *t->w);
    smr_axpy_f64(n, 1, t->s, t->w_new);
    TRY(smr_run_evaluate(ctx, &t->run, t->w_new, &f, t->g_new));
    /* -q(s) = -g's/2 + s'r/2, since Hs = -g - r. */
    double slope = smr_dot_f64(n, t->g, t->s);
    double model = 0.5 * (smr_dot_f64(n, t->s, t->r) - slope), fall = t->f - f;
    double noise = 10 * DBL_EPSILON * fabs(t->f), after = smr_norm(n, t->g_new);
    if (model <= noise && fabs(fall) <= noise && after < norm) fall = model; /* below rounding */
    if (t->run.out->iterations == 0)
        t->radius = smr_fmin(t->radius, sqrt(weighted_dot(n, t->M, t->s, t->s)));
    adapt_radius(t, fall, slope, model, at_border);
    *taken = fall > 1e-4 * model && isfinite(after);
    if (!*taken) goto out;
    t->f = f;
    SMR_SWAP(t->w, t->w_new);
    SMR_SWAP(t->g, t->g_new);
out:
    return st;
}

static smr_status iterate(smr_ctx *ctx, struct region *t, double *norm, bool *over)
{
    smr_status st = SMR_OK;
    int64_t n = t->run.objective->n;
    bool taken = false;
    TRY(precondition(ctx, t));
    if (t->run.out->iterations == 0) { /* the first radius: |g| in the norm of M^-1 */
        memcpy(t->r, t->g, (size_t)n * sizeof *t->g);
        t->radius = sqrt(residual_square(t));
    }
    for (int tries = 0; !taken; tries++) {
        TRY(try_step(ctx, t, *norm, &taken));
        if (taken || (t->radius > 0 && tries < 60)) continue;
        *over = true;
        smr_run_end(&t->run, SMR_WHY_ROUNDING);
        goto out;
    }
    *norm = smr_norm(n, t->g);
    TRY(smr_run_reached(ctx, &t->run, t->run.out->iterations + 1, t->f, *norm, t->radius, over));
out:
    return st;
}

smr_status smr_trust_newton(smr_ctx *ctx, const smr_objective *objective,
                            const smr_optimize_opts *opts, double *w, smr_optimize_result *out)
{
    smr_status st = SMR_OK;
    int64_t n = objective->n;
    double *block = NULL;
    struct region t = {0};
    bool over = false;
    smr_run_begin(&t.run, objective, opts, out);
    TRY_NEW(block, 10 * n);
    t.w = block, t.g = block + n, t.w_new = block + 2 * n, t.g_new = block + 3 * n;
    t.s = block + 4 * n, t.r = block + 5 * n, t.p = block + 6 * n, t.Hp = block + 7 * n;
    t.M = block + 8 * n, t.top = block + 9 * n;
    memcpy(t.w, w, (size_t)n * sizeof *w);
    TRY(smr_run_evaluate(ctx, &t.run, t.w, &t.f, t.g));
    double norm = smr_norm(n, t.g);
    t.first = t.run.opts.scale > 0 ? t.run.opts.scale : norm;
    TRY(smr_run_reached(ctx, &t.run, 0, t.f, norm, 0, &over));
    while (!over) TRY(iterate(ctx, &t, &norm, &over));
    memcpy(w, t.w, (size_t)n * sizeof *w);
out:
    smr_free(block);
    return st;
}
