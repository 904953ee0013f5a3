/* parzen.c -- see parzen.h.
 *
 * Sums of a Gaussian kernel far from all points underflow.  So all kernels of a query are taken
 * relative to the largest that its nearest box allows: exp(-(q - q0) / 2), q0 the squared distance
 * to the nearest point, found first. */
#include "learn/density/parzen.h"

#include "core/int128.h"
#include "core/sort.h"
#include "core/try.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

static int64_t node_start(int64_t n, int level, int64_t k)
{
    return (int64_t)(((smr_u128)n * (smr_u128)k) >> level);
}

static int64_t node_number(int level, int64_t k)
{
    return ((int64_t)1 << level) - 1 + k;
}

static int levels_of(int64_t n)
{
    int levels = 0;
    while (n >> levels > SMR_PARZEN_LEAF) levels++;
    return levels;
}

/* ---- order ------------------------------------------------------------------------------ */

/* The feature in which points order[lo .. hi) are spread the most. */
static int64_t widest(int64_t d, const double *x, const int64_t *order, int64_t lo, int64_t hi)
{
    int64_t best = 0;
    double most = -1;
    for (int64_t j = 0; j < d; j++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = lo; i < hi; i++) {
            double v = x[order[i] * d + j];
            if (v < low) low = v;
            if (v > high) high = v;
        }
        if (high - low > most) {
            most = high - low;
            best = j;
        }
    }
    return best;
}

smr_status smr_parzen_order(smr_ctx *ctx, int64_t n, int64_t d, const double *x, int64_t *order)
{
    smr_status st = SMR_OK;
    double *value = NULL;
    int64_t *place = NULL, *moved = NULL;
    int levels = levels_of(n);
    TRY_NEW(value, n + 1);
    TRY_NEW(place, n + 1);
    TRY_NEW(moved, n + 1);
    for (int64_t i = 0; i < n; i++) order[i] = i;
    for (int level = 0; level < levels; level++)
        for (int64_t k = 0; k < (int64_t)1 << level; k++) {
            int64_t lo = node_start(n, level, k), hi = node_start(n, level, k + 1);
            int64_t j = widest(d, x, order, lo, hi);
            for (int64_t i = lo; i < hi; i++) value[i - lo] = x[order[i] * d + j];
            TRY(smr_argsort_f64(ctx, hi - lo, value, place));
            for (int64_t i = lo; i < hi; i++) moved[i - lo] = order[lo + place[i - lo]];
            memcpy(order + lo, moved, (size_t)(hi - lo) * sizeof *order);
        }
out:
    smr_free(value);
    smr_free(place);
    smr_free(moved);
    return st;
}

/* ---- boxes ------------------------------------------------------------------------------ */

smr_status smr_parzen_build(smr_ctx *ctx, smr_parzen *p)
{
    smr_status st = SMR_OK;
    p->levels = levels_of(p->n);
    int64_t nodes = ((int64_t)2 << p->levels) - 1, d = p->d;
    TRY_NEW(p->box, nodes * 2 * d);
    TRY_NEW(p->weight, nodes);
    for (int level = p->levels; level >= 0; level--)
        for (int64_t k = 0; k < (int64_t)1 << level; k++) {
            int64_t at = node_number(level, k), lo = node_start(p->n, level, k);
            int64_t hi = node_start(p->n, level, k + 1);
            double *low = p->box + at * 2 * d, *high = low + d;
            if (level < p->levels) {
                const double *a = p->box + node_number(level + 1, 2 * k) * 2 * d, *b = a + 2 * d;
                for (int64_t j = 0; j < d; j++) {
                    low[j] = smr_fmin(a[j], b[j]);
                    high[j] = smr_fmax(a[d + j], b[d + j]);
                }
                p->weight[at] = p->weight[node_number(level + 1, 2 * k)] +
                                p->weight[node_number(level + 1, 2 * k + 1)];
                continue;
            }
            for (int64_t j = 0; j < d; j++) {
                low[j] = INFINITY;
                high[j] = -INFINITY;
            }
            for (int64_t i = lo; i < hi; i++) {
                p->weight[at] += p->w ? p->w[i] : 1;
                for (int64_t j = 0; j < d; j++) {
                    low[j] = smr_fmin(low[j], p->x[i * d + j]);
                    high[j] = smr_fmax(high[j], p->x[i * d + j]);
                }
            }
        }
out:
    return st;
}

void smr_parzen_release(smr_parzen *p)
{
    smr_free(p->box);
    smr_free(p->weight);
    p->box = p->weight = NULL;
}

/* ---- queries ---------------------------------------------------------------------------- */

struct query {
    const smr_parzen *p;
    const double *x;
    int64_t without;
    double nearest;   /* squared distance of the nearest point                     */
    double sum, sure; /* the estimate, and what is certain of it                   */
    double *room;     /* a leaf's exponents                                        */
};

/* Squared distances to the nearest and the farthest place of a box; of the box kernel, 0 and
 * INFINITY: all of it within, or none. */
static void box_distances(const struct query *q, int64_t node, double *near, double *far)
{
    const smr_parzen *p = q->p;
    const double *low = p->box + node * 2 * p->d, *high = low + p->d;
    double a = 0, b = 0;
    for (int64_t j = 0; j < p->d; j++) {
        double below = low[j] - q->x[j], above = q->x[j] - high[j];
        double to = smr_fmax(smr_fmax(below, above), 0);
        double from = smr_fmax(fabs(below), fabs(above));
        if (p->kernel == SMR_PARZEN_BOX) {
            if (to > 0.5) a = INFINITY;
            if (from > 0.5) b = INFINITY;
        } else {
            a += to * to;
            b += from * from;
        }
    }
    *near = a;
    *far = b;
}

static double point_distance(const smr_parzen *p, const double *x, int64_t i)
{
    const double *y = p->x + i * p->d;
    double sum = 0;
    for (int64_t j = 0; j < p->d; j++) {
        double u = x[j] - y[j];
        if (p->kernel == SMR_PARZEN_BOX) {
            if (fabs(u) > 0.5) return INFINITY;
        } else
            sum += u * u;
    }
    return sum;
}

static void find_nearest(struct query *q, int level, int64_t k)
{
    const smr_parzen *p = q->p;
    double near[2], far;
    if (level == p->levels) {
        int64_t hi = node_start(p->n, level, k + 1);
        for (int64_t i = node_start(p->n, level, k); i < hi; i++) {
            if (i == q->without || (p->w && p->w[i] == 0)) continue;
            q->nearest = smr_fmin(q->nearest, point_distance(p, q->x, i));
        }
        return;
    }
    for (int c = 0; c < 2; c++) box_distances(q, node_number(level + 1, 2 * k + c), &near[c], &far);
    int first = near[1] < near[0];
    for (int c = 0; c < 2; c++) {
        int which = c == 0 ? first : !first;
        if (near[which] < q->nearest) find_nearest(q, level + 1, 2 * k + which);
    }
}

static double kernel_of(const struct query *q, double distance)
{
    return distance == INFINITY ? 0 : smr_exp(-0.5 * (distance - q->nearest));
}

static void add_leaf(struct query *q, int64_t lo, int64_t hi)
{
    const smr_parzen *p = q->p;
    double sum = 0;
    int64_t n = hi - lo;
    for (int64_t i = 0; i < n; i++)
        q->room[i] = -0.5 * (point_distance(p, q->x, lo + i) - q->nearest);
    smr_exp_f64(n, q->room, q->room);
    for (int64_t i = 0; i < n; i++)
        if (lo + i != q->without) sum += (p->w ? p->w[lo + i] : 1) * q->room[i];
    q->sum += sum;
    q->sure += sum;
}

static void add_node(struct query *q, int level, int64_t k, double near, double far)
{
    const smr_parzen *p = q->p;
    int64_t node = node_number(level, k), lo = node_start(p->n, level, k);
    int64_t hi = node_start(p->n, level, k + 1);
    double w = p->weight[node], most = kernel_of(q, near), least = kernel_of(q, far);
    bool whole = !(q->without >= lo && q->without < hi);
    double floor_ = p->atol > 0 ? p->atol * smr_exp(0.5 * q->nearest) : 0;
    if (whole && w * (most - least) <= 2 * (p->rtol * q->sure + floor_) * (w / p->weight[0])) {
        q->sum += 0.5 * w * (most + least);
        q->sure += w * least;
        return;
    }
    if (level == p->levels) {
        add_leaf(q, lo, hi);
        return;
    }
    double near_[2], far_[2];
    for (int c = 0; c < 2; c++)
        box_distances(q, node_number(level + 1, 2 * k + c), &near_[c], &far_[c]);
    int first = near_[1] < near_[0];
    add_node(q, level + 1, 2 * k + first, near_[first], far_[first]);
    add_node(q, level + 1, 2 * k + !first, near_[!first], far_[!first]);
}

int64_t smr_parzen_room(const smr_parzen *p)
{
    (void)p;
    return 2 * SMR_PARZEN_LEAF;
}

double smr_parzen_log_sum(const smr_parzen *p, const double *x, int64_t without, double *room)
{
    struct query q = {.p = p, .x = x, .without = without, .nearest = INFINITY, .room = room};
    double near, far;
    find_nearest(&q, 0, 0);
    if (q.nearest == INFINITY) return -INFINITY;
    box_distances(&q, 0, &near, &far);
    add_node(&q, 0, 0, near, far);
    return smr_log(q.sum) - 0.5 * q.nearest;
}
