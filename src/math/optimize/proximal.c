/* proximal.c -- proximal gradient (ISTA) and its accelerated form (FISTA); see optimize.h.
 *
 *     w' = prox_a(v - a grad f(v)),    v = w (ISTA), or v = w' + (t - 1) / t' (w' - w) (FISTA),
 *     t' = (1 + sqrt(1 + 4 t^2)) / 2                                                           (1)
 *
 * The step a is halved until the parabola of curvature 1/a through v lies above f at w':
 *
 *     f(w') <= f(v) + grad f(v)'(w' - v) + |w' - v|^2 / (2 a)                                  (2)
 *
 * and, before the first iteration only, doubled as long as (2) still holds.  FISTA then satisfies
 * F(w_k) - F* <= 2 |w_0 - w*|^2 / (a (k + 1)^2).  Restart: t = 1 when (v - w')'(w' - w) > 0, that
 * is, when the momentum points uphill.
 *
 * Cost: two evaluations per iteration (one for ISTA, whose v is the last w'); 6 n numbers.
 * References: Beck & Teboulle, SIAM J. Imaging Sci. 2(1):183-202, 2009; O'Donoghue & Candes, Found.
 * Comput. Math. 15:715-732, 2015. */
#include "kernel/kernel.h"
#include "math/optimize/run.h"

#include <math.h>
#include <string.h>

enum { MAX_HALVINGS = 100 };

struct proximal {
    struct smr_run run;
    const smr_proximal *p;
    smr_proximal_opts how;
    double *w, *v, *g, *w_new, *g_new, *before; /* g at v, g_new at w_new */
    double a, t, f_v, f_new;                    /* smooth parts           */
};

static double penalty(const struct proximal *s, const double *w)
{
    return s->p->value ? s->p->value(s->p->self, s->run.objective->n, w) : 0;
}

/* w_new from v with the step a; *fits is (2). */
static smr_status try_step(smr_ctx *ctx, struct proximal *s, bool *fits)
{
    int64_t n = s->run.objective->n;
    memcpy(s->w_new, s->v, (size_t)n * sizeof *s->v);
    smr_axpy_f64(n, -s->a, s->g, s->w_new);
    s->p->apply(s->p->self, n, s->a, s->w_new, s->w_new);
    smr_status st = smr_run_evaluate(ctx, &s->run, s->w_new, &s->f_new, s->g_new);
    double slope = 0, square = 0;
    for (int64_t i = 0; i < n; i++) {
        double d = s->w_new[i] - s->v[i];
        slope += s->g[i] * d;
        square += d * d;
    }
    double noise = 1e-14 * smr_fmax(fabs(s->f_v), fabs(s->f_new));
    *fits = s->f_new <= s->f_v + slope + square / (2 * s->a) + noise;
    return st;
}

static smr_status shorten(smr_ctx *ctx, struct proximal *s, bool *fits)
{
    smr_status st = SMR_OK;
    TRY(try_step(ctx, s, fits));
    for (int k = 0; !*fits && !s->how.fixed && k < MAX_HALVINGS; k++) {
        s->a *= 0.5;
        TRY(try_step(ctx, s, fits));
    }
out:
    return st;
}

static smr_status first_step(smr_ctx *ctx, struct proximal *s)
{
    smr_status st = SMR_OK;
    bool fits = true;
    double norm = smr_norm(s->run.objective->n, s->g);
    s->a = s->how.step > 0 ? s->how.step : norm > 0 ? 1 / norm : 1;
    if (s->how.fixed) return SMR_OK;
    for (int k = 0; fits && s->a < 1e20; k++) {
        TRY(try_step(ctx, s, &fits));
        if (fits) s->a *= 2;
    }
    if (s->a >= 2e-300) s->a *= 0.5;
out:
    return st;
}

/* |v - w_new| / a */
static double gradient_map(const struct proximal *s)
{
    return sqrt(smr_l2sq_f64(s->run.objective->n, s->v, s->w_new)) / s->a;
}

/* The next v from w_new and the w before it (now in w and before). */
static void extrapolate(struct proximal *s)
{
    int64_t n = s->run.objective->n;
    double uphill = 0;
    for (int64_t i = 0; i < n; i++) uphill += (s->v[i] - s->w[i]) * (s->w[i] - s->before[i]);
    if (s->how.plain || (uphill > 0 && !s->how.never_restart)) s->t = 1;
    double next = 0.5 * (1 + sqrt(1 + 4 * s->t * s->t)),
           beta = s->how.plain ? 0 : (s->t - 1) / next;
    for (int64_t i = 0; i < n; i++) s->v[i] = s->w[i] + beta * (s->w[i] - s->before[i]);
    s->t = next;
}

static smr_status iterate(smr_ctx *ctx, struct proximal *s, int64_t k, bool *over)
{
    smr_status st = SMR_OK;
    bool fits;
    TRY(shorten(ctx, s, &fits));
    if (!isfinite(s->f_new) || (!fits && !s->how.fixed)) {
        *over = true;
        smr_run_end(&s->run, isfinite(s->f_new) ? SMR_WHY_ROUNDING : SMR_WHY_DIVERGED);
        goto out;
    }
    double norm = gradient_map(s);
    memcpy(s->before, s->w, (size_t)s->run.objective->n * sizeof *s->w);
    SMR_SWAP(s->w, s->w_new);
    TRY(smr_run_reached(ctx, &s->run, k, s->f_new + penalty(s, s->w), norm, s->a, over));
    if (*over) goto out;
    extrapolate(s);
    if (s->how.plain) {
        SMR_SWAP(s->g, s->g_new);
        s->f_v = s->f_new;
    } else {
        TRY(smr_run_evaluate(ctx, &s->run, s->v, &s->f_v, s->g));
    }
out:
    return st;
}

smr_status smr_proximal_gradient(smr_ctx *ctx, const smr_objective *objective,
                                 const smr_proximal *proximal, smr_proximal_opts how,
                                 const smr_optimize_opts *opts, double *w, smr_optimize_result *out)
{
    smr_status st = SMR_OK;
    int64_t n = objective->n;
    double *block = NULL;
    struct proximal s = {.p = proximal, .how = how, .t = 1};
    bool over = false, fits;
    smr_run_begin(&s.run, objective, opts, out);
    TRY_NEW(block, 6 * n);
    s.w = block, s.v = block + n, s.g = block + 2 * n, s.w_new = block + 3 * n;
    s.g_new = block + 4 * n, s.before = block + 5 * n;
    proximal->apply(proximal->self, n, 0, w, s.w); /* a start outside the set is moved into it */
    memcpy(s.v, s.w, (size_t)n * sizeof *w);
    TRY(smr_run_evaluate(ctx, &s.run, s.v, &s.f_v, s.g));
    if (isfinite(s.f_v) && smr_all_finite(n, s.g)) {
        TRY(first_step(ctx, &s));
        TRY(shorten(ctx, &s, &fits)); /* the gradient map at the start */
        TRY(smr_run_reached(ctx, &s.run, 0, s.f_v + penalty(&s, s.w), gradient_map(&s), 0, &over));
    } else {
        over = true;
        out->f = s.f_v;
        smr_run_end(&s.run, SMR_WHY_NOT_FINITE);
    }
    for (int64_t k = 1; !over; k++) TRY(iterate(ctx, &s, k, &over));
    memcpy(w, s.w, (size_t)n * sizeof *w);
out:
    smr_free(block);
    return st;
}
