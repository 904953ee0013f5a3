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

static void reach(const struct query *q, int level, int64_t group, double *least, double *largest)
{
    const smr_parzen *p = q->p;
    smr_window_reach_f64(p->kind == SMR_WINDOW_BOX, p->d,
                         p->level[level].boxes + group * p->d * 2 * GROUP, &q->at, least, largest);
}

/* Points of the leaves of a group that are marked. */
static double sum_marked(const struct query *q, int64_t group, unsigned marked)
{
    const smr_parzen *p = q->p;
    const double *points = p->point + group * GROUP * p->d * GROUP;
    const double *weight = p->weight + group * GROUP * GROUP;
    double sum = 0, of_leaf[GROUP];
    if (q->without >= 0 && q->without / GROUP / GROUP == group) {
        int64_t leaf = q->without / GROUP % GROUP;
        memcpy(of_leaf, weight + leaf * GROUP, sizeof of_leaf);
        of_leaf[q->without % GROUP] = 0;
        if (marked >> leaf & 1)
            sum =
                smr_window_sum_f64(p->kind, p->d, 1, points + leaf * p->d * GROUP, of_leaf, &q->at);
        marked &= ~(1U << leaf);
    }
    return marked ? sum + smr_window_sum_f64(p->kind, p->d, marked, points, weight, &q->at) : sum;
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

/* Of log x, at most 0.06 below it: the mantissa's logarithm is above the straight line. */
static double log_below(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    double whole = (double)((bits >> 52) - 1023), part = (double)(bits & 0xfffffffffffff) * 0x1p-52;
    return x > 0x1p-1000 ? (whole + part) * 0.693147180559945309 : -INFINITY;
}

/* e^-q or up to 7 % more, for q >= 0, by the same line. */
static double exp_above(double q)
{
    double y = smr_fmin(q, 690) * 1.44269504088896341;
    int64_t whole = (int64_t)y, bits = (1022 - whole) << 52; /* 2^-y, -whole - 1 <= -y */
    double power;
    memcpy(&power, &bits, sizeof power);
    return power * (2 - (y - (double)whole));
}

/* What a member that is dealt with now may be off by, as a share of its weight, so that (2) holds;
 * weight: of that member, or more.  What others did not use up goes to the next, SHARE times what
 * it has itself at most. */
#define SHARE 64

static double allowed(const struct query *q, double weight)
{
    double all = (q->p->rtol * q->sure + q->floor) / q->total;
    return smr_fmin(all * SHARE, all + (all * q->done - q->used) / weight);
}

/* From which q on the kernel is below what is allowed, or a little beyond. */
static double cut_of(const struct query *q, double allowed)
{
    return q->at.shift - log_below(allowed);
}

static void leave_out(struct query *q, double weight, double least)
{
    q->done += weight;
    q->used += weight * exp_above(smr_fmax(0, least - q->at.shift));
}

/* The members of a group, in the order in which they are visited. */
struct members {
    int64_t group;
    double least[GROUP], largest[GROUP], weight[GROUP], total;
    unsigned mask; /* those that are not dealt with */
};

static void open_members(const struct query *q, int level, int64_t group, struct members *m)
{
    int64_t n = members_of(q->p, level, group);
    reach(q, level, group, m->least, m->largest);
    memcpy(m->weight, q->p->level[level].weight + group * GROUP, sizeof m->weight);
    if (q->without >= 0 && q->without >> (4 * (level + 2)) == group)
        m->weight[q->without >> (4 * (level + 1)) & (GROUP - 1)] -= q->without_weight;
    m->group = group;
    m->mask = (1U << n) - 1;
    m->total = 0;
    for (int64_t i = 0; i < n; i++) m->total += m->weight[i];
}

/* Leaves out those that are too far. */
static void leave_far(struct query *q, struct members *m, double cut)
{
    for (unsigned k = m->mask; k; k &= k - 1) {
        int i = __builtin_ctz(k);
        if (m->least[i] < cut) continue;
        leave_out(q, m->weight[i], m->least[i]);
        m->mask &= ~(1U << i);
    }
}

static void visit_leaves(struct query *q, int64_t group)
{
    struct members m;
    double far_weight = 0, far_least = INFINITY;
    open_members(q, 0, group, &m);
    if (!(m.total > 0)) return;
    double cut = cut_of(q, allowed(q, m.total));
    for (int i = 0; i < GROUP; i++) {
        if (m.least[i] < cut) continue;
        if (m.mask >> i & 1) far_weight += m.weight[i];
        far_least = smr_fmin(far_least, m.least[i]);
        m.mask &= ~(1U << i);
    }
    double sum = sum_marked(q, group, m.mask);
    q->sum += sum;
    q->sure += sum;
    q->done += m.total - far_weight;
    if (far_weight > 0) leave_out(q, far_weight, far_least);
    q->faint = q->watched && q->sure < FAINT;
}

/* log of 1.09 / sqrt(p!) */
static const double series_bound[SMR_WINDOW_SERIES_MOST + 1] = {
    0.086177696241052412, 0.086177696241052412, -0.26039589403892005, -0.80970203837297527,
    -1.5028492189329201,  -2.3075681751499708,  -3.2034479097639985,  -4.1764029842916548,
    -5.216123755131572,   -6.3147360437996811,  -7.4660285902967045,  -8.6649762266958916,
    -9.9074295515898907,  -11.189904230320659,  -12.50943289512829,   -13.863457995679394,
    -15.249752356799284,  -16.666359028827394,  -18.111544907775475,  -19.583764397358696,
    -21.081630534135691,
};

/* The least order at which the series of a member is good enough, or 0.  As r^2 < 3, the bound
 * falls from order 2 on: a higher one, which others need, will do too. */
static int64_t order_of(const struct query *q, const smr_parzen_level *l, int64_t member,
                        double least, double cut)
{
    /* log of what is allowed, over e^(shift - least / 2) */
    double may = (q->at.shift - cut) - (q->at.shift - 0.5 * least);
    for (int64_t order = 2; order <= q->p->most; order++)
        if ((double)order * l->radius[member] + series_bound[order] <= may) return order;
    return 0;
}

/* Adds the series of those members for which it will do. */
static void expand(struct query *q, int level, struct members *m)
{
    const smr_parzen *p = q->p;
    const smr_parzen_level *l = &p->level[level];
    double out[GROUP], off = allowed(q, m->total), cut = cut_of(q, off);
    int64_t order = 0;
    unsigned good = 0;
    if (!(off > 0)) return;
    for (unsigned k = m->mask; k; k &= k - 1) {
        int i = __builtin_ctz(k);
        int64_t needs = order_of(q, l, m->group * GROUP + i, m->least[i], cut);
        if (needs == 0 || holds_it(q, level, m->group * GROUP + i)) continue;
        good |= 1U << i;
        order = SMR_MAX(order, needs);
    }
    if (!good) return;
    smr_window_series_f64(&(smr_window_series){p->d, p->most,
                                               l->boxes + m->group * p->d * 2 * GROUP,
                                               l->moments + m->group * p->terms * GROUP},
                          order, &q->at, out);
    for (unsigned k = good; k; k &= k - 1) {
        int i = __builtin_ctz(k);
        q->sum += out[i];
        q->sure += smr_fmax(0, out[i] - m->weight[i] * off);
        q->done += m->weight[i];
        q->used += m->weight[i] * off;
    }
    m->mask &= ~good;
}

/* One value for all points of a member, where that will do. */
static bool replace(struct query *q, double weight, double least, double largest, double off)
{
    double change = largest - least; /* e^-change is between 1 - change and 1 */
    if (!(change < 0.5)) return false;
    double top = smr_exp(q->at.shift - least);
    if (!(0.5 * top * change <= off)) return false;
    q->sum += weight * top * (1 - 0.5 * change);
    q->sure += weight * top * (1 - change);
    q->done += weight;
    q->used += 0.5 * weight * top * change;
    return true;
}

static void visit(struct query *q, int level, int64_t group);

/* The nearest of the members. */
static void visit_nearest(struct query *q, int level, struct members *m)
{
    int i = nearest_of(m->mask, m->least);
    m->mask &= ~(1U << i);
    if (!replace(q, m->weight[i], m->least[i], m->largest[i], allowed(q, m->weight[i])))
        visit(q, level - 1, m->group * GROUP + i);
}

static void visit(struct query *q, int level, int64_t group)
{
    struct members m;
    if (level == 0) {
        visit_leaves(q, group);
        return;
    }
    open_members(q, level, group, &m);
    if (!(m.total > 0)) return;
    /* What is sure so far may be nothing: the nearest member first. */
    if (!(q->sure > 0)) visit_nearest(q, level, &m);
    leave_far(q, &m, cut_of(q, allowed(q, m.total)));
    if (q->series) expand(q, level, &m);
    while (m.mask && !q->faint) {
        visit_nearest(q, level, &m);
        leave_far(q, &m, cut_of(q, allowed(q, m.total)));
    }
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
