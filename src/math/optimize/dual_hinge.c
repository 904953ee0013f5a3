/* dual_hinge.c -- dual coordinate descent for the hinge losses; see dual.h.
 *
 * In units of l2 the dual is   max sum_i (a_i - c_i a_i^2 / 2) - |w|^2 / 2,  0 <= a_i <= U_i:
 *
 *     hinge          U_i = C_i,  c_i = 0
 *     squared hinge  U_i = inf,  c_i = 1 / (2 C_i)
 *
 * A visit of row i, with G = m_i - 1 + c_i a_i and its projection PG (0 where a bound holds a_i
 * back), does a_i <- clip(a_i - G / (|x_i|^2 + c_i)), and goes beyond that, by half as much again
 * for the hinge, where the minimum is inside the bounds: successive over-relaxation, which also
 * lowers the objective at each visit, and needs a third to a half fewer of them.  A row at a bound
 * whose G exceeds the largest violation of the pass before is out of play for the rest of the
 * round.
 *
 * On text most rows rest at a bound from the first pass on, and the cost of a visit is fetching the
 * row from memory; so the first round plays with a part of the rows, and each later one with the
 * rows that are free or violate their condition by what all threads saw at its beginning. */
#include "math/optimize/dual_parts.h"

#include <math.h>

/* The first round has this part of the rows, if that leaves at least this many. */
enum { FIRST_PART = 4, FIRST_LEAST = 1024 };
/* A round has at most this many passes, or twice as many visits as there are rows: a look at all
 * rows costs a few passes. */
enum { MOST_PASSES = 16, MOST_LOOKS = 100000 };
/* A multiple of w may save all but one part in this many of the gap. */
enum { STRETCH = 100 };
/* How far a visit goes, in steps to the best value.  Measured on word counts and tf-idf: 1.3 to 1.6
 * are alike for the hinge; the squared hinge, whose c_i keep the variables apart, gains little. */
#define RELAXED_HINGE 1.5
#define RELAXED_SQUARED 1.2
/* Rows near their bound are kept in play once the violations are below this: before, it would be
 * nearly all of them. */
#define NEAR_MOST 0.1

/* c_i */
static double curve_of(const struct smr_dual *d, int64_t i)
{
    return d->opts.loss == SMR_LOSS_SQUARED_HINGE ? 0.5 / d->C[i] : 0;
}

/* e_i of dual_parts.h, written so that nothing cancels. */
static double hinge_excess(const struct smr_dual *d, int64_t i, double loss)
{
    double a = d->alpha[i], C = d->C[i], slack = 1 - d->p->y[i] * d->score[i];
    (void)loss;
    if (d->opts.loss == SMR_LOSS_HINGE)
        return slack <= 0 ? -a * slack : d->opts.is_hard ? 0 : (C - a) * slack;
    double miss = C * smr_fmax(slack, 0) - 0.5 * a;
    return miss * miss / C - (slack < 0 ? a * slack : 0);
}

struct limits {
    double top, bottom; /* a row at a bound is out of play beyond these */
    double max, min;    /* of PG in this pass                           */
    double relaxed;     /* how far a visit goes                         */
};

/* Visits row i; true if it goes out of play. */
static inline bool visit(struct smr_dual *d, int64_t i, bool is_squared, struct limits *m)
{
    double a = d->alpha[i], C = d->C[i], c = is_squared ? 0.5 / C : 0,
           U = is_squared ? INFINITY : C;
    double y = d->p->y[i], G = y * smr_dual_score(d, i, 0) - 1 + c * a, PG = G;
    if (a == 0) {
        if (G > m->top) return true;
        PG = G < 0 ? G : 0;
    } else if (a == U) {
        if (G < m->bottom) return true;
        PG = G > 0 ? G : 0;
    }
    m->max = PG > m->max ? PG : m->max;
    m->min = PG < m->min ? PG : m->min;
    if (PG > 1e-15 || PG < -1e-15) {
        double step = G / (d->size[i] + c), next = a - step;
        if (next > 0 && next < U) next = a - m->relaxed * step;
        next = next < 0 ? 0 : next > U ? U : next;
        d->alpha[i] = next;
        smr_dual_move(d, i, (next - a) * y);
    }
    return false;
}

static void make_pass(struct smr_dual *d, bool is_squared, struct limits *m)
{
    m->max = -INFINITY;
    m->min = INFINITY;
    d->out->visits += d->active;
    for (int64_t s = 0; s < d->active; s++) {
        int64_t i = d->order[s];
        if (s + 2 < d->active) smr_dual_prefetch(d, d->order[s + 2]);
        if (!visit(d, i, is_squared, m)) continue;
        d->active--;
        d->order[s] = d->order[d->active];
        d->order[d->active] = i;
        s--;
    }
    m->top = m->max <= 0 ? INFINITY : m->max;
    m->bottom = m->min >= 0 ? -INFINITY : m->min;
}

/* After a certificate: brings the rows into play that are free, violate their condition, or keep it
 * by less than `near`: as the others still move, these will violate it soon.  Returns max PG - min
 * PG over all rows. */
static double review(struct smr_dual *d, double near)
{
    double top = 0, bottom = 0;
    bool is_hinge = d->opts.loss == SMR_LOSS_HINGE;
    d->active = 0;
    for (int64_t s = 0; s < d->n_live; s++) {
        int64_t i = d->order[s];
        double a = d->alpha[i], G = d->p->y[i] * d->score[i] - 1 + curve_of(d, i) * a;
        bool is_kept = (a == 0 && G >= 0) || (is_hinge && a == d->C[i] && G <= 0);
        if (is_kept && fabs(G) >= near) continue;
        top = smr_fmax(top, is_kept ? 0 : G);
        bottom = smr_fmin(bottom, is_kept ? 0 : G);
        d->order[s] = d->order[d->active];
        d->order[d->active++] = i;
    }
    return top - bottom;
}

/* Not before the rows in play are about those that will be free. */
static double relaxed(bool is_squared, int64_t look)
{
    return look < (is_squared ? 2 : 1) ? 1 : is_squared ? RELAXED_SQUARED : RELAXED_HINGE;
}

/* Passes over the rows in play until the violation is below the threshold, or the round's visits
 * are spent. */
static smr_status play(smr_ctx *ctx, struct smr_dual *d, int64_t look, double threshold,
                       int64_t visits, bool *settled)
{
    smr_status st = SMR_OK;
    bool is_squared = d->opts.loss == SMR_LOSS_SQUARED_HINGE;
    struct limits m = {.top = INFINITY, .bottom = -INFINITY, .relaxed = relaxed(is_squared, look)};
    int64_t end = SMR_MIN(d->out->visits + visits, d->opts.max_passes * d->n_live);
    *settled = false;
    while (!*settled && d->out->visits < end && d->active > 0) {
        smr_dual_shuffle(ctx, d, d->rounds++);
        make_pass(d, is_squared, &m);
        *settled = !(m.max - m.min > threshold);
        d->out->passes = SMR_MIN((d->out->visits + d->n_live - 1) / d->n_live, d->opts.max_passes);
        TRY(smr_tick(ctx, d->opts.what ? d->opts.what : "dual coordinate descent", d->out->passes,
                     d->opts.max_passes, (double)d->active));
    }
out:
    return st;
}

/* Would a multiple of w do?  Asked when the gap is small enough that it might. */
static smr_status try_stretch(smr_ctx *ctx, struct smr_dual *d, double *s, double *saved)
{
    smr_status st = SMR_OK;
    smr_dual_result *out = d->out;
    bool may = d->opts.loss == SMR_LOSS_HINGE && !d->opts.is_hard && !d->p->is_free;
    if (!may || d->opts.violation > 0 || out->gap > STRETCH * d->opts.tol * out->objective)
        return SMR_OK;
    TRY(smr_dual_stretch(ctx, d, s, saved));
    *saved *= d->opts.l2;
    out->converged = out->gap - *saved <= d->opts.tol * (out->objective - *saved);
out:
    return st;
}

static void stretch(struct smr_dual *d, double s, double saved)
{
    int64_t m = d->p->n_cols + (d->bias != 0);
    for (int64_t j = 0; j < m; j++) d->w[j] *= s;
    for (int64_t i = 0; i < d->p->n_rows; i++) d->score[i] *= s;
    d->out->margin *= s;
    d->out->objective -= saved;
    d->out->gap = smr_fmax(0, d->out->gap - saved);
}

smr_status smr_dual_hinge(smr_ctx *ctx, struct smr_dual *d)
{
    smr_status st = SMR_OK;
    smr_dual_result *out = d->out;
    double threshold = 1, spread = INFINITY, s = 1, saved = 0;
    int64_t visits = 1;
    bool settled;
    if (!d->opts.warm && d->n_live / FIRST_PART >= FIRST_LEAST) {
        smr_dual_shuffle(ctx, d, -1);
        d->active = d->n_live / FIRST_PART;
    }
    for (int64_t look = 0; look < MOST_LOOKS; look++) {
        TRY(play(ctx, d, look, threshold, visits, &settled));
        TRY(smr_dual_certify(ctx, d, false, hinge_excess));
        spread = review(d, spread < NEAR_MOST ? spread : 0);
        out->converged = smr_dual_is_done(d, spread);
        saved = 0;
        if (!out->converged) TRY(try_stretch(ctx, d, &s, &saved));
        if (out->converged || out->passes >= d->opts.max_passes) break;
        if (spread <= 1e-15 && !d->p->is_free) break;
        if (d->opts.each && !d->opts.each(d->opts.user, out)) break;
        if (settled || spread <= 0.5 * smr_dual_recentring(d)) {
            smr_dual_recentre(d);
            spread = review(d, spread < NEAR_MOST ? spread : 0);
        }
        threshold =
            smr_fmax(spread * smr_dual_next(d, out->gap - saved), 0.1 * smr_dual_recentring(d));
        if (visits > d->n_live) TRY(smr_dual_free(ctx, d));
        visits = SMR_MIN(3 * SMR_MAX(visits, d->active),
                         SMR_MAX(MOST_PASSES * d->active, 2 * d->n_live));
    }
    if (d->n_skipped > 0) TRY(smr_dual_certify(ctx, d, true, hinge_excess));
    if (saved > 0) stretch(d, s, saved);
out:
    return st;
}
