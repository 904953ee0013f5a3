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

enum { MAX_NEWTON = 100 };

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

/* Updates row i; returns |g| where it stood. */
static double visit(struct smr_dual *d, int64_t i, double enough)
{
    double C = d->C[i], Q = d->size[i], a = d->alpha[i], rest = d->rest[i], y = d->p->y[i];
    double b = y * smr_dual_score(d, i, 0), g = smr_log(a / rest) + b;
    bool is_low = Q * (0.5 * C - a) + b > 0;
    double z =
        is_low ? solve_lower_half(C, Q, a, b, enough) : solve_lower_half(C, Q, rest, -b, enough);
    double by = is_low ? z - a : rest - z;
    d->alpha[i] = is_low ? z : C - z;
    d->rest[i] = is_low ? C - z : z;
    if (by != 0) smr_dual_move(d, i, by * y);
    return fabs(g);
}

smr_status smr_dual_logistic(smr_ctx *ctx, struct smr_dual *d)
{
    smr_status st = SMR_OK;
    smr_dual_result *out = d->out;
    double threshold = 0.1, enough = 1e-2, worst = INFINITY;
    while (out->passes < d->opts.max_passes) {
        worst = 0;
        smr_dual_shuffle(ctx, d, out->passes);
        for (int64_t s = 0; s < d->active; s++) {
            if (s + 2 < d->active) smr_dual_prefetch(d, d->order[s + 2]);
            worst = fmax(worst, visit(d, d->order[s], enough));
        }
        out->passes++;
        enough = fmin(enough, fmax(1e-15, 1e-2 * worst));
        if (worst <= threshold) {
            TRY(smr_dual_certify(ctx, d, logistic_excess));
            out->converged = smr_dual_is_done(d, worst);
            if (out->converged || worst <= 1e-15) break;
            threshold = worst * sqrt(smr_dual_next(d));
        }
        TRY(smr_tick(ctx, d->opts.what ? d->opts.what : "dual coordinate descent", out->passes,
                     d->opts.max_passes, worst));
    }
    if (!out->converged) {
        TRY(smr_dual_certify(ctx, d, logistic_excess));
        out->converged = smr_dual_is_done(d, worst);
    }
out:
    return st;
}
