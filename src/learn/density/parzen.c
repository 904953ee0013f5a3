/* parzen.c -- sums over the tree of parzen.h.
 *
 * In units of window_kernels.h: q is half the squared distance over h for the Gaussian kernel, so
 * that it is e^-q, and the squared distance over h for the others. */
#include "learn/density/parzen.h"

#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

enum { GROUP = SMR_WINDOW_GROUP };

/* Sums below it have lost digits, or soon would. */
#define FAINT 1e-200

struct query {
    const smr_parzen *p;
    smr_window_at at;
    int64_t without;
    double without_weight;
    double sum, sure, used, done, total, floor; /* (2) */
    bool series;
    bool watched, faint; /* watched: to be given up where it is faint */
};

/* ---- what is common to all kernels ---- */

static int64_t members_of(const smr_parzen *p, int level, int64_t group)
{
    return SMR_MIN(GROUP, p->level[level].n - group * GROUP);
}

/* Does the member hold the point that is left out? */
static bool holds_it(const struct query *q, int level, int64_t member)
{
    return q->without >= 0 && q->without >> (4 * (level + 1)) == member;
}

static double weight_of(const struct query *q, int level, int64_t member)
{
    double w = q->p->level[level].weight[member];
    return holds_it(q, level, member) ? w - q->without_weight : w;
}

static void reach(const struct query *q, int level, int64_t group, double *least, double *largest)
{
    const smr_parzen *p = q->p;
    smr_window_reach_f64(p->kind == SMR_WINDOW_BOX, p->d,
                         p->level[level].boxes + group * p->d * 2 * GROUP, &q->at, least, largest);
}

/* Points of n leaves. */
static double sum_leaves(const struct query *q, int64_t leaf, int64_t n)
{
    const smr_parzen *p = q->p;
    return smr_window_sum_f64(p->kind, p->d, n, p->point + leaf * p->d * GROUP,
                              p->weight + leaf * GROUP, &q->at);
}

/* Those of the leaf that holds the point that is left out. */
static double sum_without(const struct query *q, int64_t leaf)
{
    const smr_parzen *p = q->p;
    double weight[GROUP];
    memcpy(weight, p->weight + leaf * GROUP, sizeof weight);
    weight[q->without % GROUP] = 0;
    return smr_window_sum_f64(p->kind, p->d, 1, p->point + leaf * p->d * GROUP, weight, &q->at);
}

/* Points of the leaves of a group that are marked, in runs. */
static double sum_marked(const struct query *q, int64_t group, unsigned marked)
{
    double sum = 0;
    int64_t first = group * GROUP;
    if (q->without >= 0 && q->without / GROUP / GROUP == group) {
        int at = (int)(q->without / GROUP % GROUP);
        if (marked >> at & 1) sum = sum_without(q, first + at);
        marked &= ~(1U << at);
    }
    while (marked) {
        int from = __builtin_ctz(marked), n = __builtin_ctz(~(marked >> from));
        sum += sum_leaves(q, first + from, n);
        marked &= ~(((1U << n) - 1) << from);
    }
    return sum;
}

static int nearest_of(unsigned mask, const double *least)
{
    int best = __builtin_ctz(mask);
    for (mask &= mask - 1; mask; mask &= mask - 1) {
        int i = __builtin_ctz(mask);
        best = least[i] < least[best] ? i : best;
    }
    return best;
}

/* ---- gaussian --------------------------------------------------------------------------- */

/* What every bit of this much weight may be off by, so that (2) holds. */
static double allowed(const struct query *q, double weight)
{
    double all = q->p->rtol * q->sure + q->floor;
    return (all * ((q->done + weight) / q->total) - q->used) / weight;
}

/* From which q on the kernel is below what is allowed. */
static double cut_of(const struct query *q, double allowed)
{
    return allowed > 0 ? q->at.shift - smr_log(allowed) : INFINITY;
}

static double weigh(const struct query *q, int level, int64_t group, unsigned mask)
{
    double weight = 0;
    for (; mask; mask &= mask - 1)
        weight += weight_of(q, level, group * GROUP + __builtin_ctz(mask));
    return weight;
}

static void visit_leaves(struct query *q, int64_t group)
{
    double least[GROUP], largest[GROUP];
    unsigned all = (1U << members_of(q->p, 0, group)) - 1, near = 0;
    reach(q, 0, group, least, largest);
    double weight = weigh(q, 0, group, all);
    if (!(weight > 0)) return;
    double off = allowed(q, weight), cut = cut_of(q, off);
    for (int i = 0; i < GROUP; i++) near |= (unsigned)(least[i] < cut) << i;
    near &= all;
    double sum = sum_marked(q, group, near);
    q->sum += sum;
    q->sure += sum;
    q->done += weight;
    if (near != all) q->used += off * weigh(q, 0, group, all & ~near);
    q->faint = q->watched && q->sure < FAINT;
}

/* log of 1.09 / sqrt(p!) */
static const double series_bound[SMR_WINDOW_SERIES_MOST + 1] = {
    0.08617769624105241, 0.08617769624105241, -0.2603958940389201, -0.8097020383729753,
    -1.50284921893292,   -2.307568175149971,  -3.203447909763999,  -4.176402984291655,
    -5.216123755131572,  -6.314736043799681,  -7.466028590296705,  -8.664976226695892,
    -9.907429551589891,  -11.18990423032066,  -12.50943289512829,  -13.86345799567939,
    -15.24975235679928,
};

/* The least order at which the series of a member is good enough, or 0. */
static int64_t order_of(const struct query *q, const smr_parzen_level *l, int64_t member,
                        double least, double cut)
{
    /* log of what is allowed, over e^(shift - least / 2) */
    double may = (q->at.shift - cut) - (q->at.shift - 0.5 * least);
    for (int64_t order = 1; order <= q->p->most; order++)
        if ((double)order * l->radius[member] + series_bound[order] <= may) return order;
    return 0;
}

/* Adds the series of those members of `mask` for which it will do; returns the others. */
static unsigned expand(struct query *q, int level, int64_t group, unsigned mask,
                       const double *least, double off, double cut)
{
    const smr_parzen *p = q->p;
    const smr_parzen_level *l = &p->level[level];
    double out[GROUP];
    int64_t order = 0;
    unsigned good = 0;
    for (unsigned m = mask; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        int64_t needs = order_of(q, l, group * GROUP + i, least[i], cut);
        if (needs == 0 || holds_it(q, level, group * GROUP + i)) continue;
        good |= 1U << i;
        order = SMR_MAX(order, needs);
    }
    if (!good) return mask;
    smr_window_series_f64(&(smr_window_series){p->d, p->most, l->boxes + group * p->d * 2 * GROUP,
                                               l->moments + group * p->terms * GROUP},
                          order, &q->at, out);
    for (unsigned m = good; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        double weight = l->weight[group * GROUP + i];
        q->sum += out[i];
        q->sure += smr_fmax(0, out[i] - weight * off);
        q->done += weight;
        q->used += weight * off;
    }
    return mask & ~good;
}

/* One value for all points of a member, where that will do. */
static bool replace(struct query *q, int level, int64_t member, double least, double largest,
                    double off)
{
    double change = largest - least; /* e^-change is between 1 - change and 1 */
    if (!(change < 0.5)) return false;
    double top = smr_exp(q->at.shift - least), weight = weight_of(q, level, member);
    if (!(0.5 * top * change <= off)) return false;
    q->sum += weight * top * (1 - 0.5 * change);
    q->sure += weight * top * (1 - change);
    q->done += weight;
    q->used += 0.5 * weight * top * change;
    return true;
}

static void visit(struct query *q, int level, int64_t group);

/* The members of `mask`, the nearest first. */
static void visit_each(struct query *q, int level, int64_t group, unsigned mask,
                       const double *least, const double *largest)
{
    while (mask && !q->faint) {
        double weight = weigh(q, level, group, mask);
        if (!(weight > 0)) return;
        double off = allowed(q, weight), cut = cut_of(q, off);
        int i = nearest_of(mask, least);
        if (least[i] >= cut) { /* and so are all others */
            q->done += weight;
            q->used += off * weight;
            return;
        }
        mask &= ~(1U << i);
        if (!replace(q, level, group * GROUP + i, least[i], largest[i], off))
            visit(q, level - 1, group * GROUP + i);
    }
}

static void visit(struct query *q, int level, int64_t group)
{
    if (level == 0) {
        visit_leaves(q, group);
        return;
    }
    double least[GROUP], largest[GROUP];
    unsigned mask = (1U << members_of(q->p, level, group)) - 1;
    reach(q, level, group, least, largest);
    if (q->series) {
        /* What is sure so far may be nothing: the nearest member first. */
        unsigned first = q->sure > 0 ? 0 : 1U << nearest_of(mask, least);
        visit_each(q, level, group, first, least, largest);
        if (q->faint) return;
        mask &= ~first;
        double weight = weigh(q, level, group, mask);
        if (!(weight > 0)) return;
        double off = allowed(q, weight), cut = cut_of(q, off);
        unsigned near = 0;
        for (int i = 0; i < GROUP; i++) near |= (unsigned)(least[i] < cut) << i;
        if (cut < INFINITY)
            mask = expand(q, level, group, mask & near, least, off, cut) | (mask & ~near);
    }
    visit_each(q, level, group, mask, least, largest);
}

/* ---- kernels that end -------------------------------------------------------------------- */

/* The sum over a member that lies inside the kernel; false: it does not, or has no such sum. */
static bool sum_inside(struct query *q, int level, int64_t member, double largest)
{
    const smr_parzen *p = q->p;
    const smr_parzen_level *l = &p->level[level];
    double u[GROUP];
    if (level == 0 || holds_it(q, level, member)) return false;
    if (p->kind != SMR_WINDOW_EPANECHNIKOV) {
        if (largest > 1) return false;
        q->sum += l->weight[member];
        return true;
    }
    if (largest > 0.9) return false; /* no digits are lost below */
    smr_window_squares_f64(false, p->d, l->mean + member / GROUP * p->d * GROUP, &q->at, u);
    q->sum += l->weight[member] * (1 - u[member % GROUP]) - l->spread[member];
    return true;
}

static void visit_ended(struct query *q, int level, int64_t group)
{
    double least[GROUP], largest[GROUP];
    unsigned near = 0, all = (1U << members_of(q->p, level, group)) - 1;
    reach(q, level, group, least, largest);
    for (int i = 0; i < GROUP; i++) near |= (unsigned)(least[i] <= 1) << i;
    near &= all;
    if (level == 0) {
        q->sum += sum_marked(q, group, near);
        return;
    }
    for (; near; near &= near - 1) {
        int i = __builtin_ctz(near);
        if (!sum_inside(q, level, group * GROUP + i, largest[i]))
            visit_ended(q, level - 1, group * GROUP + i);
    }
}

/* ---- the nearest point ------------------------------------------------------------------- */

static void find_nearest(struct query *q, int level, int64_t group, double *nearest)
{
    const smr_parzen *p = q->p;
    double least[GROUP], largest[GROUP];
    reach(q, level, group, least, largest);
    for (unsigned mask = (1U << members_of(p, level, group)) - 1; mask;) {
        int i = nearest_of(mask, least);
        int64_t member = group * GROUP + i;
        if (least[i] >= *nearest) return;
        mask &= ~(1U << i);
        if (level) {
            find_nearest(q, level - 1, member, nearest);
            continue;
        }
        double u[GROUP];
        smr_window_squares_f64(false, p->d, p->point + member * p->d * GROUP, &q->at, u);
        for (int64_t k = 0; k < GROUP; k++)
            if (p->weight[member * GROUP + k] > 0 && member * GROUP + k != q->without)
                *nearest = smr_fmin(*nearest, u[k]);
    }
}

/* ---- queries ------------------------------------------------------------------------------ */

double smr_parzen_log_sum(const smr_parzen *p, const double *x, int64_t without)
{
    struct query q = {.p = p, .at = {x, p->scale, 0}, .without = without, .total = p->total};
    int top = p->n_levels - 1;
    if (without >= 0) q.total -= q.without_weight = p->weight[without];
    if (p->kind != SMR_WINDOW_GAUSSIAN) {
        visit_ended(&q, top, 0);
        return q.sum > 0 ? smr_log(q.sum) : -INFINITY;
    }
    q.floor = p->atol;
    q.series = p->terms > 0;
    q.watched = true;
    visit(&q, top, 0);
    if (!q.faint && q.sum > FAINT) return smr_log(q.sum);
    double nearest = INFINITY;
    find_nearest(&q, top, 0, &nearest);
    if (nearest == INFINITY) return -INFINITY;
    q.at.shift = nearest;
    q.sum = q.sure = q.used = q.done = q.floor = 0;
    q.series = q.watched = q.faint = false;
    visit(&q, top, 0);
    return smr_log(q.sum) - nearest;
}
