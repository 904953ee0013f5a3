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
 * end loses digits.
 *
 * With g that of a before the visit, the row's part of the gap was about g^2 a (C - a) / (2 C).
 * Rows where that is too little to matter rest until the next certificate, which is taken when the
 * sum of these parts says that it may succeed. */
#include "math/optimize/dual_parts.h"

#include <math.h>

enum { MAX_NEWTON = 100, MOST_LOOKS = 100000 };
/* Passes before the first certificate, which says how large the objective is, and at most before
 * each later one. */
enum { FIRST_PASSES = 3, MOST_PASSES = 4 };
/* A pass leaves about this part of the gap that its rows had when they were visited. */
#define LEFT 0.5

static double logistic_excess(const struct smr_dual *d, int64_t i, double loss)
{
    double a = d->alpha[i], C = d->C[i], rest = d->size[i] > 0 ? d->rest[i] : C - a;
    double low = a > 0 ? a * smr_log(a / C) : 0, high = rest > 0 ? rest * smr_log(rest / C) : 0;
    return C * loss + (low + high) + a * d->p->y[i] * d->score[i];
}

/* The root of (1) in the lower half, from a towards it; g is that of a.  A step of Newton's leaves
 * |g| <= (step / z)^2 / 2 where z is the smaller end of it. */
static double solve_lower_half(double C, double Q, double a, double b, double g, double enough)
{
    double z = a;
    if (!(a > 0 && a < 0.5 * C)) { /* in the other half, or never visited */
        z = a > 0 && a < C ? 0.1 * (C - a) : C / (2 + C * Q);
        g = smr_log(z / (C - z)) + Q * (z - a) + b;
    }
    for (int k = 0; k < MAX_NEWTON && fabs(g) >= enough; k++) {
        double next = z - g / (Q + C / ((C - z) * z)), step;
        next = next > 0 ? next : 0.1 * z;
        if (next == z) break;
        step = (next - z) / smr_fmin(z, next);
        z = next;
        if (z < 0.5 * C && 0.5 * step * step < enough) break;
        g = smr_log(z / (C - z)) + Q * (z - a) + b;
    }
    return z;
}

/* What a pass came to: the largest |g|, and the rows' parts of the gap when they were visited. */
struct tally {
    double worst, gap;
};

/* Updates row i. */
static void visit(struct smr_dual *d, int64_t i, double enough, struct tally *t)
{
    double C = d->C[i], Q = d->size[i], a = d->alpha[i], rest = d->rest[i], y = d->p->y[i];
    double b = y * smr_dual_score(d, i, 0), g = a > 0 ? smr_log(a / rest) + b : -INFINITY;
    bool is_low = Q * (0.5 * C - a) + b > 0;
    double z = is_low ? solve_lower_half(C, Q, a, b, g, enough)
                      : solve_lower_half(C, Q, rest, -b, -g, enough);
    double by = is_low ? z - a : rest - z;
    d->excess[i] = 0.5 * g * g * smr_fmax(a * rest, z * (C - z)) / C;
    t->worst = smr_fmax(t->worst, fabs(g));
    t->gap += d->excess[i];
    if (by == 0) return;
    d->alpha[i] = is_low ? z : C - z;
    d->rest[i] = is_low ? C - z : z;
    smr_dual_move(d, i, by * y);
}

/* One pass over the rows in play. */
static struct tally make_pass(smr_ctx *ctx, struct smr_dual *d, double enough)
{
    struct tally t = {0};
    smr_dual_shuffle(ctx, d, d->rounds++);
    d->out->visits += d->active;
    for (int64_t s = 0; s < d->active; s++) {
        if (s + 2 < d->active) smr_dual_prefetch(d, d->order[s + 2]);
        visit(d, d->order[s], enough, &t);
    }
    return t;
}

/* Does the certificate, or the method of multipliers, ask for every row? */
static bool asks_for_all(const struct smr_dual *d)
{
    return d->opts.violation > 0 || d->p->is_free;
}

/* Brings the rows into play whose part of the gap is worth a visit, in their order in memory.  What
 * the others leave is at most half of the gap that is allowed. */
static void review(struct smr_dual *d)
{
    double least =
        0.5 * d->opts.tol * d->out->objective / (d->opts.l2 * (double)SMR_MAX(d->n_live, 1));
    bool all = asks_for_all(d);
    d->active = 0;
    for (int64_t i = 0, last = d->n_live; i < d->p->n_rows; i++)
        if (smr_dual_counts(d, i)) d->order[all || d->excess[i] > least ? d->active++ : --last] = i;
}

/* The largest |g| over all rows, by the scores of the certificate. */
static double largest_violation(const struct smr_dual *d)
{
    double worst = 0;
    for (int64_t s = 0; s < d->n_live && d->opts.violation > 0; s++) {
        int64_t i = d->order[s];
        double g = smr_log(d->alpha[i] / d->rest[i]) + d->p->y[i] * d->score[i];
        worst = smr_fmax(worst, fabs(g));
    }
    return worst;
}

/* Passes until the next certificate is worth its while; *enough is how exactly (1) is solved. */
static smr_status play(smr_ctx *ctx, struct smr_dual *d, bool is_first, double *enough)
{
    smr_status st = SMR_OK;
    smr_dual_result *out = d->out;
    int64_t end = d->n_live * d->opts.max_passes;
    int most = asks_for_all(d) ? 2 : is_first ? FIRST_PASSES : MOST_PASSES;
    for (int k = 0; k < most && out->visits < end && d->active > 0; k++) {
        struct tally t = make_pass(ctx, d, *enough);
        *enough = smr_fmin(*enough, smr_fmax(1e-15, 1e-2 * t.worst));
        out->passes = SMR_MIN((out->visits + d->n_live - 1) / d->n_live, d->opts.max_passes);
        TRY(smr_tick(ctx, d->opts.what ? d->opts.what : "dual coordinate descent", out->passes,
                     d->opts.max_passes, t.worst));
        if (is_first) continue;
        if (LEFT * d->opts.l2 * t.gap <= d->opts.tol * out->objective) break;
        review(d);
    }
out:
    return st;
}

smr_status smr_dual_logistic(smr_ctx *ctx, struct smr_dual *d)
{
    smr_status st = SMR_OK;
    smr_dual_result *out = d->out;
    double enough = 1e-2;
    for (int64_t look = 0; look < MOST_LOOKS; look++) {
        TRY(play(ctx, d, look == 0, &enough));
        TRY(smr_dual_certify(ctx, d, true, logistic_excess));
        double worst = largest_violation(d);
        out->converged = smr_dual_is_done(d, worst);
        if (out->converged || out->visits >= d->n_live * d->opts.max_passes) break;
        if (d->opts.violation > 0 && worst <= 1e-15) break;
        if (d->opts.each && !d->opts.each(d->opts.user, out)) break;
        smr_dual_recentre(d);
        review(d);
    }
out:
    return st;
}
