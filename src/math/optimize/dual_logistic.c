/* dual_logistic.c -- dual coordinate descent for the logistic loss; see dual.h.
 *
 * In units of l2 the dual is   max -sum_i (a_i log a_i + (C_i - a_i) log(C_i - a_i) - C_i log C_i)
 *                                  - |w|^2 / 2,   0 < a_i < C_i.
 * For one row, with Q = |x_i|^2 and b = y_i w'x_i, the new value z of a_i solves
 *
 *     g(z) = log(z / (C - z)) + Q (z - a) + b = 0.                                             (1)
 *
 * The root lies in the lower half of (0, C) if g(C / 2) > 0; else C - z does, for -b and C - a.  In
 * the lower half g is concave, so Newton's iterates rise towards the root once they are below it; a
 * step that leaves the interval is replaced by a tenth of z.  Both a and C - a are kept, so neither
 * end loses digits. */
#include "math/optimize/dual_parts.h"

#include <math.h>
#include <string.h>

enum { MAX_NEWTON = 100, MOST_LOOKS = 100000, HALVES_LEAST = 4096 };

static double logistic_excess(const struct smr_dual *d, int64_t i, double loss)
{
    double a = d->alpha[i], C = d->C[i], rest = d->size[i] > 0 ? d->rest[i] : C - a;
    double low = a > 0 ? a * smr_log(a / C) : 0, high = rest > 0 ? rest * smr_log(rest / C) : 0;
    return C * loss + (low + high) + a * d->p->y[i] * d->score[i];
}

/* The root of (1) in the lower half, from a towards it. */
static double solve_lower_half(double C, double Q, double a, double b, double enough)
{
    double z = a < 0.5 * C ? a : 0.1 * (C - a);
    for (int k = 0; k < MAX_NEWTON; k++) {
        double g = smr_log(z / (C - z)) + Q * (z - a) + b, slope = Q + C / ((C - z) * z);
        if (fabs(g) < enough) break;
        double next = z - g / slope;
        next = next > 0 ? next : 0.1 * z;
        if (next == z) break;
        z = next;
    }
    return z;
}

/* What a pass over some rows came to. */
struct tally {
    double worst;       /* the largest |g|                                               */
    double before, now; /* sum over the rows of (change of a) times the slope of part(a) */
};

/* Updates row i. */
static void visit(struct smr_dual *d, int64_t i, double enough, struct tally *t)
{
    double C = d->C[i], Q = d->size[i], a = d->alpha[i], rest = d->rest[i], y = d->p->y[i];
    double b = y * smr_dual_score(d, i, 0), slope = -smr_log(a / rest), g = b - slope;
    bool is_low = Q * (0.5 * C - a) + b > 0;
    double z =
        is_low ? solve_lower_half(C, Q, a, b, enough) : solve_lower_half(C, Q, rest, -b, enough);
    double by = is_low ? z - a : rest - z;
    t->worst = fmax(t->worst, fabs(g));
    if (by == 0) return;
    d->alpha[i] = is_low ? z : C - z;
    d->rest[i] = is_low ? C - z : z;
    t->before += by * slope;
    t->now += by * (Q * by + b); /* (1): the slope at z, to `enough` */
    smr_dual_move(d, i, by * y);
}

static void visit_rows(struct smr_dual *d, int64_t lo, int64_t hi, double enough, struct tally *t)
{
    for (int64_t s = lo; s < hi; s++) {
        if (s + 2 < hi) smr_dual_prefetch(d, d->order[s + 2]);
        visit(d, d->order[s], enough, t);
    }
}

/* ---- a pass by two threads -------------------------------------------------------------- */

/* Each half of the rows in play is visited with a w of its own, and both changes are added: far
 * from the optimum, and where rows of the halves have little in common, nearly as good as one after
 * the other, in half the time.  With the dual's slope along the sum of the changes at its two ends
 * a shorter step is taken where the halves want the same thing twice; half of the way is always a
 * gain, by concavity. */
struct halves {
    struct smr_dual *d;
    double enough, *w[2], *alpha, *rest; /* alpha, rest: n, before the pass */
    struct tally tally[2];
    smr_dual_result out[2];
};

static smr_status visit_half(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct halves *h = arg;
    struct smr_dual own = *h->d;
    int64_t m = own.p->n_cols, middle = own.active / 2;
    (void)ctx;
    h->out[task] = (smr_dual_result){0};
    h->tally[task] = (struct tally){0};
    memcpy(h->w[task], own.w, (size_t)(m + (own.bias != 0)) * sizeof *own.w);
    own.w = h->w[task];
    own.out = &h->out[task];
    if (own.wide) own.wide += lane * m;
    for (int64_t s = task ? middle : 0; s < (task ? own.active : middle); s++) {
        int64_t i = own.order[s];
        h->alpha[i] = own.alpha[i];
        h->rest[i] = own.rest[i];
    }
    visit_rows(&own, task ? middle : 0, task ? own.active : middle, h->enough, &h->tally[task]);
    return SMR_OK;
}

/* w += t (the halves' changes), and the variables; w of the halves is lost. */
static void join(struct halves *h)
{
    struct smr_dual *d = h->d;
    int64_t m = d->p->n_cols + (d->bias != 0);
    double along = 0, square = 0, *step = h->w[0];
    for (int64_t j = 0; j < m; j++) {
        step[j] = (h->w[0][j] - d->w[j]) + (h->w[1][j] - d->w[j]);
        along += step[j] * d->w[j];
        square += step[j] * step[j];
    }
    double first = h->tally[0].before + h->tally[1].before - along;
    double last = -(h->tally[0].now + h->tally[1].now) - along - square, t = 1;
    if (last < 0 && first > 0) t = fmax(first / (first - last), 0.5);
    smr_axpy_f64(m, t, step, d->w);
    d->out->updates += h->out[0].updates + h->out[1].updates;
    for (int64_t s = 0; s < d->active && t < 1; s++) {
        int64_t i = d->order[s];
        d->alpha[i] = h->alpha[i] + t * (d->alpha[i] - h->alpha[i]);
        d->rest[i] = h->rest[i] + t * (d->rest[i] - h->rest[i]);
    }
}

/* One pass over the rows in play; returns the largest |g|. */
static smr_status make_pass(smr_ctx *ctx, struct smr_dual *d, double enough, struct halves *h,
                            double *worst)
{
    smr_status st = SMR_OK;
    struct tally t = {0};
    smr_dual_shuffle(ctx, d, d->rounds++);
    d->out->visits += d->active;
    if (h->alpha && d->active >= HALVES_LEAST) {
        h->enough = enough;
        TRY(smr_parallel(ctx, NULL, 2, visit_half, h));
        join(h);
        t.worst = fmax(h->tally[0].worst, h->tally[1].worst);
    } else {
        visit_rows(d, 0, d->active, enough, &t);
    }
    *worst = t.worst;
out:
    return st;
}

/* ---- together --------------------------------------------------------------------------- */

/* After a certificate: brings the rows into play whose part of the gap is worth a visit.  What the
 * others leave is at most half of the gap that is allowed. */
static void review(struct smr_dual *d)
{
    bool all = d->opts.violation > 0 || d->p->is_free; /* which the gap says too little of */
    double least =
        all ? -INFINITY
            : 0.5 * d->opts.tol * d->out->objective / (d->opts.l2 * (double)SMR_MAX(d->n_live, 1));
    d->active = 0;
    for (int64_t s = 0; s < d->n_live; s++) {
        int64_t i = d->order[s];
        if (d->excess[i] <= least) continue;
        d->order[s] = d->order[d->active];
        d->order[d->active++] = i;
    }
}

/* The largest |g| over all rows, by the scores of the certificate. */
static double largest_violation(const struct smr_dual *d)
{
    double worst = 0;
    for (int64_t s = 0; s < d->n_live && d->opts.violation > 0; s++) {
        int64_t i = d->order[s];
        double g = smr_log(d->alpha[i] / d->rest[i]) + d->p->y[i] * d->score[i];
        worst = fmax(worst, fabs(g));
    }
    return worst;
}

static smr_status make_halves(smr_ctx *ctx, struct smr_dual *d, struct halves *h)
{
    smr_status st = SMR_OK;
    int64_t n = d->p->n_rows, m = d->p->n_cols + 1;
    h->d = d;
    if (!d->opts.in_halves || d->n_live < HALVES_LEAST) goto out;
    TRY_NEW(h->w[0], 2 * m);
    h->w[1] = h->w[0] + m;
    TRY_NEW(h->alpha, 2 * n);
    h->rest = h->alpha + n;
out:
    return st;
}

smr_status smr_dual_logistic(smr_ctx *ctx, struct smr_dual *d)
{
    smr_status st = SMR_OK;
    smr_dual_result *out = d->out;
    struct halves h = {0};
    double enough = 1e-2, worst = 0;
    int64_t most = d->n_live * d->opts.max_passes;
    TRY(make_halves(ctx, d, &h));
    for (int64_t look = 0; look < MOST_LOOKS; look++) {
        for (int k = 0; k < 2 && out->visits < most && d->active > 0; k++) {
            TRY(make_pass(ctx, d, enough, &h, &worst));
            enough = fmin(enough, fmax(1e-15, 1e-2 * worst));
            out->passes = SMR_MIN((out->visits + d->n_live - 1) / d->n_live, d->opts.max_passes);
            TRY(smr_tick(ctx, d->opts.what ? d->opts.what : "dual coordinate descent", out->passes,
                         d->opts.max_passes, worst));
        }
        TRY(smr_dual_certify(ctx, d, logistic_excess));
        worst = largest_violation(d);
        out->converged = smr_dual_is_done(d, worst);
        if (out->converged || out->visits >= most) break;
        if (d->opts.violation > 0 && worst <= 1e-15) break;
        if (d->opts.each && !d->opts.each(d->opts.user, out)) break;
        smr_dual_recentre(d);
        review(d);
    }
out:
    smr_free(h.w[0]);
    smr_free(h.alpha);
    return st;
}
