/* search.c -- a step along a descent direction with the strong Wolfe conditions; see run.h.
 *
 * phi(a) = f(w + a d).  An interval [low, high] is kept such that phi(low) satisfies the condition
 * of decrease and is the lowest seen, and a good step lies between (Nocedal & Wright, algorithms
 * 3.5 and 3.6).  New points are the minimum of the cubic through both ends, kept a tenth of the
 * interval away from them.  Ends without finite values have no cubic: then the interval is cut to a
 * tenth.  Where phi differs from phi(0) by rounding only, decrease is judged by the slopes:
 *
 *     (2 c1 - 1) phi'(0) >= phi'(a)    and    phi(a) <= phi(0) + noise |phi(0)|              (1)
 *
 * Reference for (1): Hager & Zhang, SIAM J. Optim. 16(1):170-192, 2005. */
#include "kernel/kernel.h"
#include "math/optimize/run.h"

#include <math.h>
#include <string.h>

enum { MAX_TRIES = 40 };
static const double DECREASE = 1e-4, NOISE = 1e-14, LONGEST = 1e300;

struct trial {
    double a, phi, slope;
};

static bool is_finite(const struct trial *t)
{
    return isfinite(t->phi) && isfinite(t->slope);
}

/* phi at a, with the point left in w_new, g_new. */
static smr_status try_step(smr_ctx *ctx, struct smr_run *run, struct smr_search *s, double a,
                           struct trial *t)
{
    int64_t n = run->objective->n;
    memcpy(s->w_new, s->w, (size_t)n * sizeof *s->w);
    smr_axpy_f64(n, a, s->d, s->w_new);
    *t = (struct trial){a, 0, 0};
    smr_status st = smr_run_evaluate(ctx, run, s->w_new, &t->phi, s->g_new);
    if (st == SMR_OK) t->slope = smr_dot_f64(n, s->g_new, s->d);
    return st;
}

/* Has the function fallen enough at t? */
static bool falls_enough(const struct smr_search *s, const struct trial *t)
{
    if (!is_finite(t)) return false;
    if (t->phi <= s->f + DECREASE * t->a * s->slope) return true;
    return t->phi <= s->f + NOISE * fabs(s->f) && (2 * DECREASE - 1) * s->slope >= t->slope;
}

static bool is_flat_enough(const struct smr_search *s, const struct trial *t)
{
    return fabs(t->slope) <= -s->curvature * s->slope;
}

/* Is phi at t above phi at p by more than rounding? */
static bool is_higher(const struct smr_search *s, const struct trial *t, const struct trial *p)
{
    return t->phi > p->phi + NOISE * fabs(s->f);
}

/* The minimum of the cubic through two trials, or the middle where there is none. */
static double cubic_minimum(const struct trial *p, const struct trial *q)
{
    double width = q->a - p->a;
    if (!is_finite(q)) return p->a + 0.1 * width;
    double d1 = p->slope + q->slope - 3 * (q->phi - p->phi) / width;
    double square = d1 * d1 - p->slope * q->slope;
    double a = p->a + 0.5 * width;
    if (square >= 0) {
        double d2 = copysign(sqrt(square), width);
        double t = q->a - width * (q->slope + d2 - d1) / (q->slope - p->slope + 2 * d2);
        if (isfinite(t)) a = t;
    }
    double from = smr_fmin(p->a, q->a), to = smr_fmax(p->a, q->a), margin = 0.1 * (to - from);
    return smr_fmin(smr_fmax(a, from + margin), to - margin);
}

static smr_status zoom(smr_ctx *ctx, struct smr_run *run, struct smr_search *s, struct trial low,
                       struct trial high, struct trial *end, bool *found)
{
    smr_status st = SMR_OK;
    struct trial t = low;
    for (int tries = 0; tries < MAX_TRIES && st == SMR_OK; tries++) {
        double a = cubic_minimum(&low, &high);
        if (a == low.a || a == high.a) break; /* nothing lies between */
        st = try_step(ctx, run, s, a, &t);
        if (st != SMR_OK) break;
        if (!falls_enough(s, &t) || is_higher(s, &t, &low)) {
            high = t;
            continue;
        }
        if (is_flat_enough(s, &t)) {
            *found = true;
            break;
        }
        if (t.slope * (high.a - low.a) >= 0) high = low;
        low = t;
    }
    /* Without a good step the best one counts; its point must be the one that is left. */
    *end = *found ? t : low;
    if (st == SMR_OK && !*found && t.a != low.a) st = try_step(ctx, run, s, low.a, end);
    return st;
}

smr_status smr_search_step(smr_ctx *ctx, struct smr_run *run, struct smr_search *s, bool *found)
{
    smr_status st = SMR_OK;
    struct trial before = {0, s->f, s->slope}, t = before;
    double a = s->step, growth = 1;
    *found = false;
    for (int tries = 0; tries < MAX_TRIES; tries++) {
        TRY(try_step(ctx, run, s, a, &t));
        if (t.phi < SMR_UNBOUNDED) break;
        if (!falls_enough(s, &t) || is_higher(s, &t, &before)) {
            TRY(zoom(ctx, run, s, before, t, &t, found));
            break;
        }
        *found = is_flat_enough(s, &t);
        if (*found) break;
        if (t.slope >= 0) {
            TRY(zoom(ctx, run, s, t, before, &t, found));
            break;
        }
        before = t;
        if (a >= LONGEST) break;
        growth = tries < 3 ? 2 : 10 * growth; /* where there is no minimum this shows it soon */
        a *= growth;
    }
    s->step = t.a;
    s->f_new = t.phi;
    if (!*found && !(t.phi < s->f)) s->step = 0;
out:
    return st;
}
