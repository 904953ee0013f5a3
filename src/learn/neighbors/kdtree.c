/* kdtree.c -- searching the tree of kdtree.h.
 *
 * Depth first, nearest box first.  Skipped are boxes further away than `limit`, which is the bound
 * of the K nearest so far, widened for the rounding of the distances computed here: a box or point
 * with a greater computed distance has a greater true one.
 *
 * Minkowski's distance is searched through the Euclidean one:  with c = 1 for p <= 2 and
 * c = d^(1/p - 1/2) for p > 2,   c |x|_2 <= |x|_p,   so rows with c |q-x|_2 above the bound are
 * out, and for the others the distance itself is computed.
 *
 * Reference: Friedman, Bentley & Finkel, ACM Trans. Math. Software 3(3), 1977. */
#include "learn/neighbors/kdtree.h"

#include "kernel/kernel.h"

#include <math.h>

struct walk {
    const smr_kdtree *tree;
    const smr_near_kernels *kernels;
    smr_near_kind kind;
    smr_near_set *nearest;
    double limit;
    double bound; /* for which the limit was made */
    double c2;    /* Minkowski: c^2               */
};

static double limit_for(const struct walk *w, double bound)
{
    const smr_points *points = w->tree->points;
    if (points->metric == SMR_METRIC_MINKOWSKI) return bound * bound / w->c2 * (1 + 1e-9) + 1e-280;
    double slack = ((double)points->width + 8) * 0x1p-51;
    double limit = bound * (1 + slack);
    return w->kind == SMR_NEAR_LINF ? limit : limit + 1e-279; /* where squares vanish */
}

static void visit_leaf(struct walk *w, int64_t leaf)
{
    const smr_kdtree *tree = w->tree;
    const smr_query *query = &w->nearest->query;
    int64_t width = tree->points->width, at = leaf * SMR_NEAR_GROUP;
    double dist[SMR_NEAR_GROUP];
    unsigned mask =
        tree->wide ? w->kernels->points_f64(w->kind, width, (double *)tree->buckets + at * width,
                                            query->q, w->limit, dist)
                   : w->kernels->points_f32(w->kind, width, (float *)tree->buckets + at * width,
                                            query->q, w->limit, dist);
    int64_t n = SMR_MIN(tree->points->n - at, SMR_NEAR_GROUP);
    mask &= (1U << n) - 1;
    for (; mask; mask &= mask - 1) {
        int i = __builtin_ctz(mask);
        int64_t row = tree->rows[at + i];
        double low, up, computed = dist[i];
        if (tree->points->metric == SMR_METRIC_MINKOWSKI) computed = smr_query_distance(query, row);
        smr_query_bounds(query, computed, &low, &up);
        smr_near_add(w->nearest, row, low, up, true);
    }
    if (w->nearest->bound < w->bound) {
        w->bound = w->nearest->bound;
        w->limit = limit_for(w, w->bound);
    }
}

/* The nearest of the members in `mask`. */
static int nearest_of(unsigned mask, const double *dist)
{
    int best = __builtin_ctz(mask);
    for (mask &= mask - 1; mask; mask &= mask - 1) {
        int i = __builtin_ctz(mask);
        best = dist[i] < dist[best] ? i : best;
    }
    return best;
}

/* True when the box is a single point, equal to the last of the K nearest so far, and all its rows
 * come behind that one. */
static bool comes_too_late(const struct walk *w, int level, int64_t member, const double *box)
{
    const smr_points *points = w->tree->points;
    int32_t lowest = w->tree->lowest[level][member];
    if (lowest < 0 || !smr_near_settle(w->nearest)) return false;
    int32_t last = w->nearest->kept[w->nearest->K - 1].row;
    if (lowest < last) return false;
    const double *x = smr_points_row(points, last, w->nearest->query.buffer);
    for (int64_t j = 0; j < points->width; j++) {
        if (x[j] != box[j * 2 * SMR_NEAR_GROUP]) return false;
    }
    return true;
}

static void visit_group(struct walk *w, int level, int64_t group)
{
    const smr_kdtree *tree = w->tree;
    int64_t width = tree->points->width, first = group * SMR_NEAR_GROUP;
    int64_t n = (level ? tree->n_groups[level - 1] : tree->n_leaves) - first;
    const double *boxes = tree->boxes[level] + group * width * 2 * SMR_NEAR_GROUP;
    double dist[SMR_NEAR_GROUP];
    unsigned mask = w->kernels->boxes(w->kind, width, boxes, w->nearest->query.q, w->limit, dist);

    mask &= (1U << SMR_MIN(n, SMR_NEAR_GROUP)) - 1;
    while (mask) {
        int child = nearest_of(mask, dist);
        if (dist[child] > w->limit) break;
        mask &= ~(1U << child);
        if (comes_too_late(w, level, first + child, boxes + child)) continue;
        if (level)
            visit_group(w, level - 1, first + child);
        else
            visit_leaf(w, first + child);
    }
}

void smr_kdtree_search(const smr_kdtree *tree, smr_near_set *nearest)
{
    const smr_points *points = tree->points;
    struct walk w = {.tree = tree,
                     .kernels = smr_near(),
                     .kind = smr_points_kind(points),
                     .nearest = nearest,
                     .bound = nearest->bound,
                     .c2 = 1};
    if (points->metric == SMR_METRIC_MINKOWSKI && points->p > 2)
        w.c2 = smr_pow((double)points->width, 2 / points->p - 1);
    w.limit = limit_for(&w, w.bound);
    visit_group(&w, tree->n_levels - 1, 0);
}

void smr_kdtree_release(smr_kdtree *tree)
{
    smr_free(tree->buckets);
    smr_free(tree->rows);
    for (int l = 0; l < SMR_KD_LEVELS; l++) {
        smr_free(tree->boxes[l]);
        smr_free(tree->lowest[l]);
    }
    *tree = (smr_kdtree){0};
}
