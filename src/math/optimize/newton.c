/* newton.c -- damped Newton with a dense Hessian; see optimize.h.
 *
 *     (H + mu D) s = -g,   w <- w + a s,                                                       (1)
 *
 * D the diagonal of |H|, mu the first of 0, 1e-8, 1e-6 ... for which Cholesky finds H + mu D
 * positive definite; a the first of 1, 1/2, 1/4 ... that lowers f by 1e-4 a g's.  Where rounding
 * hides the decrease, a full step that shortens the gradient is taken.  Near a minimum with a
 * positive Hessian mu = 0 and a = 1: the number of right digits doubles with each iteration.
 *
 * Cost: n^3 / 6 multiply-adds per iteration besides the Hessian; 2 n^2 + 5 n numbers. */
#include "kernel/kernel.h"
#include "math/factor.h"
#include "math/optimize/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The most halvings, and those of a step whose decrease rounding hides. */
enum { MAX_HALVINGS = 60, MOST_HIDDEN = 3 };

struct newton {
    struct smr_run run;
    double *w, *g, *w_new, *g_new, *s, *H, *L;
    double f;
};

/* s of (1).  *found is false if no mu up to 1e8 will do. */
static smr_status solve_step(smr_ctx *ctx, struct newton *t, bool *found)
{
    smr_status st = SMR_OK;
    int64_t n = t->run.objective->n, failed_at = -1;
    double mu = 0;
    *found = false;
    while (!*found && mu <= 1e8) {
        memcpy(t->L, t->H, (size_t)(n * n) * sizeof *t->L);
        for (int64_t i = 0; i < n; i++)
            t->L[i * n + i] += mu > 0 ? mu * smr_fmax(fabs(t->H[i * n + i]), DBL_MIN / mu) : 0;
        TRY(smr_cholesky(ctx, n, t->L, n, &failed_at));
        *found = failed_at < 0;
        mu = mu == 0 ? 1e-8 : 100 * mu;
    }
    if (!*found) goto out;
    for (int64_t i = 0; i < n; i++) t->s[i] = -t->g[i];
    TRY(smr_cholesky_solve(ctx, n, 1, t->L, n, t->s, n));
    *found = smr_all_finite(n, t->s);
out:
    return st;
}

/* *a = 0 if no step is good. */
static smr_status search(smr_ctx *ctx, struct newton *t, double norm, double *a)
{
    smr_status st = SMR_OK;
    int64_t n = t->run.objective->n;
    double slope = smr_dot_f64(n, t->g, t->s), noise = 10 * DBL_EPSILON * fabs(t->f), f;
    *a = 1;
    for (int k = 0; k < MAX_HALVINGS; k++, *a *= 0.5) {
        memcpy(t->w_new, t->w, (size_t)n * sizeof *t->w);
        smr_axpy_f64(n, *a, t->s, t->w_new);
        TRY(smr_run_evaluate(ctx, &t->run, t->w_new, &f, t->g_new));
        double after = smr_norm(n, t->g_new);
        bool is_hidden = -*a * slope <= noise; /* equal values prove nothing then */
        bool falls = is_hidden ? f <= t->f + noise && after < norm
                               : f <= t->f + 1e-4 * *a * slope && slope < 0;
        if (is_hidden && !falls && k >= MOST_HIDDEN) break;
        if (!isfinite(after) || !falls) continue;
        t->f = f;
        goto out;
    }
    *a = 0;
out:
    return st;
}

static smr_status iterate(smr_ctx *ctx, struct newton *t, double *norm, bool *over)
{
    smr_status st = SMR_OK;
    const smr_objective *o = t->run.objective;
    bool found = false;
    double a = 0;
    if (o->prepare) TRY(o->prepare(ctx, o->self, t->w));
    TRY(o->hessian(ctx, o->self, t->w, t->H));
    if (!smr_all_finite(o->n * o->n, t->H)) {
        *over = true;
        smr_run_end(&t->run, SMR_WHY_NOT_FINITE);
        goto out;
    }
    TRY(solve_step(ctx, t, &found));
    if (!found)
        for (int64_t i = 0; i < o->n; i++) t->s[i] = -t->g[i];
    TRY(search(ctx, t, *norm, &a));
    if (a == 0) {
        *over = true;
        smr_run_end(&t->run, SMR_WHY_ROUNDING);
        goto out;
    }
    SMR_SWAP(t->w, t->w_new);
    SMR_SWAP(t->g, t->g_new);
    *norm = smr_norm(o->n, t->g);
    TRY(smr_run_reached(ctx, &t->run, t->run.out->iterations + 1, t->f, *norm, a, over));
out:
    return st;
}

smr_status smr_newton(smr_ctx *ctx, const smr_objective *objective, const smr_optimize_opts *opts,
                      double *w, smr_optimize_result *out)
{
    smr_status st = SMR_OK;
    int64_t n = objective->n;
    double *block = NULL;
    struct newton t = {0};
    bool over = false;
    smr_run_begin(&t.run, objective, opts, out);
    TRY_NEW(t.H, n * n);
    TRY_NEW(t.L, n * n);
    TRY_NEW(block, 5 * n);
    t.w = block, t.g = block + n, t.w_new = block + 2 * n, t.g_new = block + 3 * n;
    t.s = block + 4 * n;
    memcpy(t.w, w, (size_t)n * sizeof *w);
    TRY(smr_run_evaluate(ctx, &t.run, t.w, &t.f, t.g));
    double norm = smr_norm(n, t.g);
    TRY(smr_run_reached(ctx, &t.run, 0, t.f, norm, 0, &over));
    while (!over) TRY(iterate(ctx, &t, &norm, &over));
    memcpy(w, t.w, (size_t)n * sizeof *w);
out:
    smr_free(block);
    smr_free(t.L);
    smr_free(t.H);
    return st;
}
