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
 * Where passes gain little each, rows where that is too little to matter rest until the next
 * certificate, which is taken when the sum of these parts says that it may succeed.
 *
 * Where the rows are short, a pass goes in two halves at once.  Each visits its half of the
 * shuffled rows with a w of its own, as if every row of it were there twice: w moves twice as far,
 * and 2 Q stands for Q in (1).  The mean of both is again the sum over all rows.  With u and v what
 * the halves add to that sum, |u + v|^2 <= 2 |u|^2 + 2 |v|^2: the dual gains at least what they
 * reckon with.  As 1 / a + 1 / (C - a) >= 4 / C is added to Q, there are hardly more passes for it
 * while C Q is about 1, given that the halves are drawn anew for each.
 * Reference: Ma, Smith, Jaggi, Jordan, Richtarik & Takac, ICML 2015 (sigma' = K = 2). */
#include "math/optimize/dual_parts.h"

#include <math.h>
#include <string.h>

enum { MAX_NEWTON = 100, MOST_LOOKS = 100000 };
/* Passes before the first certificate, which says how large the objective is: more of them if they
 * are quick, and it cannot succeed yet; and at most before each later one. */
enum { FIRST_PASSES = 3, MOST_FIRST = 10, MOST_PASSES = 4 };
/* A pass leaves about this part of the gap that its rows had when they were visited.  A quick one,
 * where they had less than a quarter of what the pass before met, leaves 1.5 times that ratio. */
#define LEFT 0.5
#define QUICK 0.25
/* Halves: C Q at most, on average, and entries in play for each column at least. */
enum { MOST_CQ = 2, LEAST_ENTRIES = 8 };

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

/* Updates row i, as if it were there `times` times. */
static void visit(struct smr_dual *d, int64_t i, double times, double enough, struct tally *t)
{
    double C = d->C[i], Q = times * d->size[i], a = d->alpha[i], rest = d->rest[i], y = d->p->y[i];
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
    smr_dual_move(d, i, times * by * y);
}

/* The rows order[lo .. hi). */
static struct tally visit_range(struct smr_dual *d, int64_t lo, int64_t hi, double times,
                                double enough)
{
    struct tally t = {0};
    for (int64_t s = lo; s < hi; s++) {
        if (s + 2 < hi) smr_dual_prefetch(d, d->order[s + 2]);
        visit(d, d->order[s], times, enough, &t);
    }
    return t;
}

/* ---- a pass in two halves --------------------------------------------------------------- */

/* Room for a second w, where halves are worth it. */
static smr_status open_halves(smr_ctx *ctx, struct smr_dual *d)
{
    smr_status st = SMR_OK;
    const smr_csr *s = d->p->sparse;
    double CQ = 0, entries = 0, n = (double)d->n_live;
    if (!s) return st;
    for (int64_t k = 0; k < d->n_live; k++) {
        int64_t i = d->order[k], r = smr_dual_row(d->p, i);
        CQ += d->C[i] * d->size[i];
        entries += (double)(s->start[r + 1] - s->start[r]);
    }
    double least = LEAST_ENTRIES * (double)d->p->n_cols * n / smr_fmax(entries, 1);
    if (CQ > MOST_CQ * n || n < smr_fmax(least, SMR_DUAL_GROUPS_FROM)) return st;
    d->halves_from = SMR_MAX((int64_t)least, SMR_DUAL_GROUPS_FROM);
    TRY_NEW(d->other_w, d->p->n_cols + 1);
out:
    return st;
}

struct halves {
    const struct smr_dual *d;
    double enough;
    struct tally t[2];
    int64_t updates[2];
};

/* What changes from row to row is on the thread's own stack. */
static smr_status visit_half(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct halves *h = arg;
    struct smr_dual d = *h->d;
    smr_dual_result out = {0};
    int64_t middle = d.active / 2 / SMR_DUAL_GROUP * SMR_DUAL_GROUP;
    (void)ctx, (void)lane;
    d.out = &out;
    if (task) d.w = d.other_w;
    h->t[task] = visit_range(&d, task ? middle : 0, task ? d.active : middle, 2, h->enough);
    h->updates[task] = out.updates;
    return SMR_OK;
}

static smr_status visit_halves(smr_ctx *ctx, struct smr_dual *d, double enough, struct tally *t)
{
    smr_status st = SMR_OK;
    int64_t m = d->p->n_cols + (d->bias != 0);
    struct halves h = {.d = d, .enough = enough};
    memcpy(d->other_w, d->w, (size_t)m * sizeof *d->w);
    TRY(smr_parallel(ctx, NULL, 2, visit_half, &h));
    for (int64_t j = 0; j < m; j++) d->w[j] = 0.5 * (d->w[j] + d->other_w[j]);
    d->out->updates += h.updates[0] + h.updates[1];
    *t = (struct tally){smr_fmax(h.t[0].worst, h.t[1].worst), h.t[0].gap + h.t[1].gap};
out:
    return st;
}

/* ---- passes ----------------------------------------------------------------------------- */

/* One pass over the rows in play. */
static smr_status make_pass(smr_ctx *ctx, struct smr_dual *d, double enough, struct tally *t)
{
    smr_dual_shuffle(ctx, d, d->rounds++);
    d->out->visits += d->active;
    if (d->other_w && d->active >= d->halves_from) return visit_halves(ctx, d, enough, t);
    *t = visit_range(d, 0, d->active, 1, enough);
    return SMR_OK;
}

/* Does the certificate, or the method of multipliers, ask for every row? */
static bool asks_for_all(const struct smr_dual *d)
{
    return d->opts.violation > 0 || d->p->is_free;
}

/* Brings the rows into play whose part of the gap is worth a visit, in their order in memory.  What
 * the others leave is at most half of the gap that is allowed. */
static void review(struct smr_dual *d, bool all)
{
    double least =
        0.5 * d->opts.tol * d->out->objective / (d->opts.l2 * (double)SMR_MAX(d->n_live, 1));
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

/* No certificate's objective is above that of w = 0. */
static double objective_at_0(const struct smr_dual *d)
{
    double sum = 0;
    for (int64_t i = 0; i < d->p->n_rows; i++) sum += d->C[i];
    return d->opts.l2 * smr_log(2) * sum;
}

struct course {
    double enough; /* how exactly (1) is solved                             */
    double gap;    /* the tally's, of the last pass                         */
    double rate;   /* that over the one before; < QUICK: no row need rest   */
};

/* A free intercept: a bound on the gap that is of second order in B = |sum_i a_i y_i|.  With the
 * variables of the class that has too much, sum S, taken 1 - r times, r = B / S, that sum is 0, and
 * the dual is a bound on P.  Over the rows of that class, with g_i as in (1),
 *
 *     P - D <= sum e_i - r sum a_i g_i + r^2 (sum a_i C_i / rest_i / (1 - r) + |sum a_i x_i|^2) / 2
 *
 * where e_i is summed over all rows: a Taylor series to the largest curvature on the way.  The sum
 * of the lengths stands for the length of the sum. */
static void tighten(struct smr_dual *d)
{
    double excess = 0, balance = 0, sum = 0, first = 0, curve = 0, length = 0;
    for (int64_t i = 0; i < d->p->n_rows; i++) {
        if (!(d->C[i] > 0)) continue;
        excess += d->excess[i];
        balance += d->alpha[i] * d->p->y[i];
    }
    for (int64_t i = 0; i < d->p->n_rows; i++) {
        double a = d->alpha[i], y = d->p->y[i];
        if (!(d->C[i] > 0) || y * balance < 0) continue;
        sum += a;
        first += a * (smr_log(a / d->rest[i]) + y * d->score[i]);
        curve += a * d->C[i] / d->rest[i];
        length += a * sqrt(d->size[i]);
    }
    double r = fabs(balance) / sum;
    double gap = excess - r * first + 0.5 * r * r * (curve / (1 - r) + length * length);
    if (r < 1 && d->opts.l2 * gap < d->out->gap) d->out->gap = d->opts.l2 * smr_fmax(gap, 0);
}

/* Passes until the next certificate is worth its while. */
static smr_status play(smr_ctx *ctx, struct smr_dual *d, bool is_first, struct course *c)
{
    smr_status st = SMR_OK;
    smr_dual_result *out = d->out;
    int64_t end = d->n_live * d->opts.max_passes;
    int most = asks_for_all(d) ? 2 : is_first ? MOST_FIRST : MOST_PASSES;
    for (int k = 0; k < most && out->visits < end && d->active > 0; k++) {
        struct tally t;
        TRY(make_pass(ctx, d, c->enough, &t));
        c->enough = smr_fmin(c->enough, smr_fmax(1e-15, 1e-2 * t.worst));
        c->rate = isfinite(c->gap) ? t.gap / c->gap : 1;
        c->gap = t.gap;
        out->passes = SMR_MIN((out->visits + d->n_live - 1) / d->n_live, d->opts.max_passes);
        TRY(smr_tick(ctx, d->opts.what ? d->opts.what : "dual coordinate descent", out->passes,
                     d->opts.max_passes, t.worst));
        bool is_quick = c->rate < QUICK;
        if (is_first && k + 1 < FIRST_PASSES) continue;
        double left = is_quick ? 1.5 * c->rate : LEFT;
        if (left * d->opts.l2 * t.gap <= d->opts.tol * out->objective) break;
        if (is_first && !is_quick) break;
        if (!is_quick) review(d, asks_for_all(d));
    }
out:
    return st;
}

smr_status smr_dual_logistic(smr_ctx *ctx, struct smr_dual *d)
{
    smr_status st = SMR_OK;
    smr_dual_result *out = d->out;
    struct course c = {.enough = 1e-2, .gap = INFINITY, .rate = 1};
    TRY(open_halves(ctx, d));
    out->objective = objective_at_0(d);
    for (int64_t look = 0; look < MOST_LOOKS; look++) {
        TRY(play(ctx, d, look == 0, &c));
        TRY(smr_dual_certify(ctx, d, true, logistic_excess));
        if (d->p->is_free) tighten(d);
        double worst = largest_violation(d);
        out->converged = smr_dual_is_done(d, worst);
        if (out->converged || out->visits >= d->n_live * d->opts.max_passes) break;
        if (d->opts.violation > 0 && worst <= 1e-15) break;
        if (d->opts.each && !d->opts.each(d->opts.user, out)) break;
        smr_dual_recentre(d);
        bool is_far = c.rate < QUICK && out->gap > 10 * d->opts.tol * out->objective;
        review(d, is_far || asks_for_all(d));
    }
out:
    smr_free(d->other_w);
    d->other_w = NULL;
    return st;
}
