/* lad_interior.c -- phase 1 of lad_parts.h: Mehrotra's predictor and corrector on the dual.
 *
 * With v = u + low in [0, low + high], s = low + high - v and r = rp - rm, both parts > 0, the
 * optimum is where v rm = 0 and s rp = 0; the path is where both are mu > 0.  v = low (u = 0) is
 * feasible, and every step keeps Z'v as it is.  One step solves
 *
 *     Z'DZ dbeta = Z'(D e + u),   dv = D (e - Z dbeta),   D = 1 / (rp / s + rm / v)             (1)
 *
 * with e = r for the predictor, and for the corrector, mu being the aim and d. the predictor's,
 *
 *     e = r + mu (1/v - 1/s) - dv drm / v - dv drp / s.                                         (2)
 *
 * Cost: m p^2 / 2 multiply-adds and four passes over the rows a step, of which 10 to 40 are needed;
 * memory 10 vectors of length m and 2 p^2.
 * References: Portnoy & Koenker, Statistical Science 12(4):279-300, 1997; Mehrotra, SIAM J. Optim.
 * 2(4), 1992. */
#include "kernel/kernel.h"
#include "learn/linear/lad_parts.h"

#include <math.h>
#include <string.h>

enum { MAX_STEPS = 100 };
static const double GAP = 1e-10;      /* of the cost: the vertex is near                    */
static const double SHORTEN = 0.9995; /* how much of the way to the boundary is gone        */

struct path {
    smr_lad_lp *lad;
    double *v, *s, *rp, *rm, *D, *e, *dv, *drp, *drm, *work;
    double *G, *L, *step;
};

static smr_status make_room(smr_ctx *ctx, struct path *t)
{
    smr_status st = SMR_OK;
    int64_t m = t->lad->m, p = t->lad->p;
    double **vectors[] = {&t->v, &t->s,  &t->rp,  &t->rm,  &t->D,
                          &t->e, &t->dv, &t->drp, &t->drm, &t->work};
    for (int64_t i = 0; i < SMR_COUNT(vectors); i++) TRY_NEW(*vectors[i], m);
    TRY_NEW(t->G, p * p);
    TRY_NEW(t->L, p * p);
    TRY_NEW(t->step, p);
out:
    return st;
}

static void release(struct path *t)
{
    double *all[] = {t->v,   t->s,   t->rp,   t->rm, t->D, t->e,   t->dv,
                     t->drp, t->drm, t->work, t->G,  t->L, t->step};
    for (int64_t i = 0; i < SMR_COUNT(all); i++) smr_free(all[i]);
}

static double width_of(const smr_lad_lp *lad, int64_t i)
{
    return lad->low[i] + lad->high[i];
}

/* u = 0, and a residual that is split with something to spare on both sides. */
static void begin(struct path *t)
{
    smr_lad_lp *lad = t->lad;
    double sum = 0, count = 0;
    for (int64_t i = 0; i < lad->m; i++) {
        if (width_of(lad, i) == 0) continue;
        sum += fabs(lad->r[i]);
        count += 1;
    }
    double spare = count > 0 && sum > 0 ? 0.1 * sum / count : 1;
    for (int64_t i = 0; i < lad->m; i++) {
        t->v[i] = lad->low[i];
        t->s[i] = lad->high[i];
        t->rp[i] = smr_fmax(lad->r[i], 0) + spare;
        t->rm[i] = smr_fmax(-lad->r[i], 0) + spare;
    }
}

/* sum of v rm + s rp: the duality gap. */
static double gap_of(const struct path *t)
{
    double gap = 0;
    for (int64_t i = 0; i < t->lad->m; i++) {
        double width = width_of(t->lad, i);
        if (width > 0) gap += t->v[i] * t->rm[i] + t->s[i] * t->rp[i];
    }
    return gap;
}

/* D, e = r and the right-hand side of the predictor. */
static void prepare(struct path *t)
{
    const smr_lad_lp *lad = t->lad;
    for (int64_t i = 0; i < lad->m; i++) {
        double width = width_of(lad, i), s = t->s[i];
        t->D[i] = width > 0 ? t->v[i] * s / (t->rp[i] * t->v[i] + t->rm[i] * s) : 0;
        t->e[i] = t->rp[i] - t->rm[i];
        t->work[i] = t->D[i] * t->e[i] + (t->v[i] - lad->low[i]);
    }
}

/* dv, drp and drm from step = dbeta; mu is 0 for the predictor. */
static smr_status directions(smr_ctx *ctx, struct path *t, double mu)
{
    const smr_lad_lp *lad = t->lad;
    smr_status st = smr_lad_scores(ctx, lad, t->step, t->work);
    if (st != SMR_OK) return st;
    for (int64_t i = 0; i < lad->m; i++) {
        double width = width_of(lad, i), v = t->v[i], s = t->s[i];
        if (width == 0) continue;
        double old_dv = t->dv[i], cross_m = 0, cross_p = 0;
        if (mu > 0) {
            cross_m = mu - old_dv * t->drm[i];
            cross_p = mu + old_dv * t->drp[i];
        }
        double dv = t->D[i] * (t->e[i] - t->work[i]);
        t->dv[i] = dv;
        t->drm[i] = (cross_m - t->rm[i] * dv) / v - t->rm[i];
        t->drp[i] = (cross_p + t->rp[i] * dv) / s - t->rp[i];
    }
    return SMR_OK;
}

/* The longest steps that keep v in its box, and rp, rm positive. */
static void longest(const struct path *t, double *a_v, double *a_r)
{
    const smr_lad_lp *lad = t->lad;
    *a_v = *a_r = INFINITY;
    for (int64_t i = 0; i < lad->m; i++) {
        double width = width_of(lad, i), s = t->s[i], dv = t->dv[i];
        if (width == 0) continue;
        if (dv < 0) *a_v = smr_fmin(*a_v, t->v[i] / -dv);
        if (dv > 0) *a_v = smr_fmin(*a_v, s / dv);
        if (t->drp[i] < 0) *a_r = smr_fmin(*a_r, t->rp[i] / -t->drp[i]);
        if (t->drm[i] < 0) *a_r = smr_fmin(*a_r, t->rm[i] / -t->drm[i]);
    }
    *a_v = smr_fmin(1, SHORTEN * *a_v);
    *a_r = smr_fmin(1, SHORTEN * *a_r);
}

static double gap_after(const struct path *t, double a_v, double a_r)
{
    double gap = 0;
    for (int64_t i = 0; i < t->lad->m; i++) {
        double width = width_of(t->lad, i), v = t->v[i] + a_v * t->dv[i];
        if (width == 0) continue;
        double s = t->s[i] - a_v * t->dv[i];
        gap += v * (t->rm[i] + a_r * t->drm[i]) + s * (t->rp[i] + a_r * t->drp[i]);
    }
    return gap;
}

/* (2), and the corrector's right-hand side. */
static void correct(struct path *t, double mu)
{
    const smr_lad_lp *lad = t->lad;
    for (int64_t i = 0; i < lad->m; i++) {
        double width = width_of(lad, i), v = t->v[i], s = t->s[i], dv = t->dv[i];
        t->work[i] = 0;
        if (width == 0) continue;
        t->e[i] += (mu - dv * t->drm[i]) / v - (mu + dv * t->drp[i]) / s;
        t->work[i] = t->D[i] * t->e[i] + (v - lad->low[i]);
    }
}

static void advance(struct path *t, double a_v, double a_r)
{
    smr_lad_lp *lad = t->lad;
    for (int64_t i = 0; i < lad->m; i++) {
        if (width_of(lad, i) == 0) continue;
        t->v[i] += a_v * t->dv[i];
        t->s[i] -= a_v * t->dv[i];
        t->rp[i] += a_r * t->drp[i];
        t->rm[i] += a_r * t->drm[i];
    }
    smr_axpy_f64(lad->p, a_r, t->step, lad->beta);
}

/* *over: rounding allows no more. */
static smr_status take_step(smr_ctx *ctx, struct path *t, double gap, double count, bool *over)
{
    smr_status st = SMR_OK;
    int64_t p = t->lad->p;
    double a_v, a_r, mu = gap / (2 * count);
    double damped = 0;
    *over = true;
    prepare(t);
    TRY(smr_lad_gram(ctx, t->lad, t->D, t->work, t->G, t->step));
    TRY(smr_design_factor(ctx, p, t->G, t->L, &damped));
    if (damped < 0) goto out;
    TRY(smr_design_solve(ctx, p, t->L, t->step));
    TRY(directions(ctx, t, 0));
    longest(t, &a_v, &a_r);
    if (smr_fmin(a_v, a_r) < 1) {
        double ratio = gap_after(t, a_v, a_r) / gap;
        mu *= ratio * ratio * ratio;
        correct(t, mu);
        TRY(smr_lad_sums(ctx, t->lad, t->work, t->step));
        TRY(smr_design_solve(ctx, p, t->L, t->step));
        TRY(directions(ctx, t, mu));
        longest(t, &a_v, &a_r);
    }
    if (!(gap_after(t, a_v, a_r) < gap)) a_v = a_r = smr_fmin(a_v, a_r); /* cross terms vanish */
    if (!(smr_fmax(a_v, a_r) > 1e-4) || !(gap_after(t, a_v, a_r) < gap)) goto out;
    advance(t, a_v, a_r);
    *over = false;
out:
    return st;
}

static void keep(struct path *t)
{
    smr_lad_lp *lad = t->lad;
    for (int64_t i = 0; i < lad->m; i++) {
        double width = width_of(lad, i);
        lad->u[i] = t->v[i] - lad->low[i];
        lad->inside[i] = width > 0 ? smr_fmin(t->v[i], t->s[i]) / width : 0;
    }
}

smr_status smr_lad_interior(smr_ctx *ctx, smr_lad_lp *lad)
{
    smr_status st = SMR_OK;
    struct path t = {.lad = lad};
    bool over = false;
    double count = 0;
    TRY(make_room(ctx, &t));
    TRY(smr_lad_residuals(ctx, lad));
    begin(&t);
    for (int64_t i = 0; i < lad->m; i++) count += width_of(lad, i) > 0;
    for (int k = 0; k < MAX_STEPS && !over; k++) {
        double gap = gap_of(&t), cost = 0;
        for (int64_t i = 0; i < lad->m; i++) {
            double r = t.rp[i] - t.rm[i];
            cost += r > 0 ? lad->high[i] * r : -lad->low[i] * r;
        }
        if (!(gap > GAP * cost)) break;
        TRY(smr_tick(ctx, "following the path", k, MAX_STEPS, cost));
        TRY(take_step(ctx, &t, gap, count, &over));
        lad->n_interior += !over;
    }
    keep(&t);
    TRY(smr_lad_residuals(ctx, lad));
out:
    release(&t);
    return st;
}
