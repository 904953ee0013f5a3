/* gradient.c -- gradient descent, w <- w - a g, with three rules for the step a; see optimize.h.
 *
 *     fixed     a as given.  With eigenvalues of the Hessian in [mu, L] the error of w falls by
 *               (kappa - 1) / (kappa + 1) per iteration at a = 2 / (mu + L), kappa = L / mu; beyond
 *               2 / L it grows.
 *     Armijo    starts at twice the last a; while f(w - a g) > f - 1e-4 a |g|^2 (or is not finite)
 *               a is cut to the minimum of the parabola through what is known, within [0.1, 0.5] a.
 *     Barzilai  a = s's / s'y, s = w - w_before, y = g - g_before; cut as above until f falls below
 *               the largest of the last 10 values.
 *
 * Cost: one evaluation per iteration and a few for cuts; 5 n numbers.  References: Barzilai &
 * Borwein, IMA J. Numer. Anal. 8(1):141-148, 1988; Raydan, SIAM J. Optim. 7(1):26-33, 1997. */
#include "kernel/kernel.h"
#include "math/optimize/run.h"

#include <math.h>
#include <string.h>

enum { MAX_CUTS = 60, MAX_RISES = 20, LAST = 10 };

struct descent {
    struct smr_run run;
    smr_gd_opts how;
    double *w, *g, *w_new, *g_new, *best;
    double f, f_best, f_last[LAST];
    int rises; /* in a row */
};

static void step_along(struct descent *d, double a)
{
    int64_t n = d->run.objective->n;
    memcpy(d->w_new, d->w, (size_t)n * sizeof *d->w);
    smr_axpy_f64(n, -a, d->g, d->w_new);
}

/* Cuts *a until f at w_new is at most `level` - 1e-4 a |g|^2; *found is false if it never is. */
static smr_status cut_step(smr_ctx *ctx, struct descent *d, double level, double *a, double *f,
                           bool *found)
{
    smr_status st = SMR_OK;
    double square = smr_dot_f64(d->run.objective->n, d->g, d->g);
    *found = false;
    for (int cut = 0; cut < MAX_CUTS && !*found; cut++) {
        step_along(d, *a);
        TRY(smr_run_evaluate(ctx, &d->run, d->w_new, f, d->g_new));
        /* Where rounding hides the decrease, a shorter gradient shows it; Barzilai and Borwein's
         * steps lengthen it at times and are taken on trust. */
        double noise = 1e-14 * fabs(d->f);
        bool is_hidden = *a * square <= noise && *f <= level + noise;
        *found = *f <= level - 1e-4 * *a * square;
        if (is_hidden)
            *found = d->how.rule == SMR_STEP_BARZILAI ||
                     smr_dot_f64(d->run.objective->n, d->g_new, d->g_new) < square;
        if (*found) break;
        double lowest = 0.5 * *a * *a * square / (*f - d->f + *a * square); /* of the parabola */
        bool usable = isfinite(lowest) && isfinite(*f);
        *a = usable ? smr_fmin(smr_fmax(lowest, 0.1 * *a), 0.5 * *a) : 0.1 * *a;
    }
out:
    return st;
}

static double barzilai_step(const struct descent *d, double fallback)
{
    double ss = 0, sy = 0;
    for (int64_t i = 0; i < d->run.objective->n; i++) {
        double s = d->w_new[i] - d->w[i];
        ss += s * s;
        sy += s * (d->g_new[i] - d->g[i]);
    }
    double a = ss / sy;
    return sy > 0 && isfinite(a) && a > 0 ? smr_fmin(smr_fmax(a, 1e-20), 1e20) : fallback;
}

static double largest_of_last(const struct descent *d, int64_t iteration)
{
    double top = d->f;
    for (int64_t k = 0; k < SMR_MIN(LAST, iteration); k++) top = smr_fmax(top, d->f_last[k]);
    return top;
}

/* Takes one step; *over says that the run ended here. */
static smr_status iterate(smr_ctx *ctx, struct descent *d, int64_t iteration, double *a, bool *over)
{
    smr_status st = SMR_OK;
    bool found = true;
    double f = 0, next = *a;
    if (d->how.rule == SMR_STEP_FIXED) {
        step_along(d, *a);
        TRY(smr_run_evaluate(ctx, &d->run, d->w_new, &f, d->g_new));
        d->rises = f > d->f ? d->rises + 1 : 0;
        *over = !isfinite(f) || d->rises >= MAX_RISES;
        if (*over) smr_run_end(&d->run, f == -INFINITY ? SMR_WHY_UNBOUNDED : SMR_WHY_DIVERGED);
        if (*over) goto out;
    } else {
        bool is_armijo = d->how.rule == SMR_STEP_ARMIJO;
        double level = is_armijo ? d->f : largest_of_last(d, iteration);
        TRY(cut_step(ctx, d, level, a, &f, &found));
        *over = !found;
        if (*over) smr_run_end(&d->run, SMR_WHY_ROUNDING);
        if (*over) goto out;
        next = is_armijo ? 2 * *a : barzilai_step(d, 2 * *a);
    }
    d->f_last[iteration % LAST] = d->f;
    d->f = f;
    SMR_SWAP(d->w, d->w_new);
    SMR_SWAP(d->g, d->g_new);
    double norm = smr_norm(d->run.objective->n, d->g), taken = *a;
    *a = next;
    d->run.at = d->w;
    TRY(smr_run_reached(ctx, &d->run, iteration + 1, f, norm, taken, over));
out:
    return st;
}

smr_status smr_gradient_descent(smr_ctx *ctx, const smr_objective *objective, smr_gd_opts how,
                                const smr_optimize_opts *opts, double *w, smr_optimize_result *out)
{
    smr_status st = SMR_OK;
    int64_t n = objective->n;
    size_t size = (size_t)n * sizeof *w;
    double *block = NULL, a = how.step;
    struct descent d = {.how = how};
    bool over = false;
    smr_run_begin(&d.run, objective, opts, out);
    TRY_NEW(block, 5 * n);
    d.w = block, d.g = block + n, d.w_new = block + 2 * n, d.g_new = block + 3 * n;
    d.best = block + 4 * n;
    memcpy(d.w, w, size);
    memcpy(d.best, w, size);
    TRY(smr_run_evaluate(ctx, &d.run, d.w, &d.f, d.g));
    double norm = smr_norm(n, d.g);
    d.f_best = d.f;
    if (a == 0) a = norm > 0 ? 1 / norm : 1;
    d.run.at = d.w;
    TRY(smr_run_reached(ctx, &d.run, 0, d.f, norm, 0, &over));
    for (int64_t t = 0; !over; t++) {
        TRY(iterate(ctx, &d, t, &a, &over));
        if (!(d.f <= d.f_best)) continue;
        d.f_best = d.f;
        memcpy(d.best, d.w, size);
    }
    /* Converged: the last point, whose gradient was judged; else the lowest one. */
    bool keep = out->converged;
    memcpy(w, keep ? d.w : d.best, size);
    out->f = keep ? d.f : d.f_best;
out:
    smr_free(block);
    return st;
}
