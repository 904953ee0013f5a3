/* kdtree.c -- searching the tree of kdtree.h.
 *
 * Depth first, nearest box first.  Boxes further away than `limit` are skipped, which is the bound
 * of the K nearest so far, widened for the rounding of the distances computed here: a box or point
 * with a greater computed distance has a greater true one.
 *
 * Minkowski's distance is searched through the Euclidean one, which bounds it (smr_near_limit).
 *
 * Reference: Friedman, Bentley & Finkel, ACM Trans. Math. Software 3(3), 1977. */
#include "learn/neighbors/kdtree.h"

struct walk {
    const smr_kdtree *tree;
    const smr_near_kernels *kernels;
    smr_near_kind kind;
    smr_near_set *nearest;
    double limit;
    double bound; /* for which the limit was made */
};

static void visit_leaf(struct walk *w, int64_t leaf)
{
    smr_near_add_group(w->nearest, leaf * SMR_NEAR_GROUP, w->limit, NULL);
    if (w->nearest->bound < w->bound) {
        w->bound = w->nearest->bound;
        w->limit = smr_near_limit(w->nearest);
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

/* True when all rows of the member are equal to the last of the K nearest so far, and come after
 * it. */
static bool comes_too_late(const struct walk *w, int level, int64_t member)
{
    int32_t lowest = w->tree->lowest[level][member];
    if (lowest < 0 || !smr_near_settle(w->nearest)) return false;
    const smr_near_row *last = &w->nearest->kept[w->nearest->K - 1];
    int64_t first = member * SMR_NEAR_GROUP;
    for (int l = 0; l < level; l++) first *= SMR_NEAR_GROUP;
    return lowest > last->row && smr_points_same(w->tree->points, last->place, first);
}

static unsigned box_distances(const struct walk *w, int level, int64_t group, double *dist)
{
    const smr_kdtree *tree = w->tree;
    const double *q = w->nearest->query.q;
    int64_t width = tree->points->width, at = group * width * 2 * SMR_NEAR_GROUP;
    const void *boxes = tree->boxes[level];
    if (tree->box_form == SMR_FORM_F64)
        return w->kernels->boxes_f64(w->kind, width, (const double *)boxes + at, q, w->limit, dist);
    if (tree->box_form == SMR_FORM_F32)
        return w->kernels->boxes_f32(w->kind, width, (const float *)boxes + at, q, w->limit, dist);
    return w->kernels->boxes_u8(w->kind, width, (const uint8_t *)boxes + at, q, w->limit, dist);
}

static void visit_group(struct walk *w, int level, int64_t group)
{
    const smr_kdtree *tree = w->tree;
    int64_t first = group * SMR_NEAR_GROUP;
    int64_t n = (level ? tree->n_groups[level - 1] : tree->n_leaves) - first;
    double dist[SMR_NEAR_GROUP];
    unsigned mask = box_distances(w, level, group, dist);

    mask &= (1U << SMR_MIN(n, SMR_NEAR_GROUP)) - 1;
    while (mask) {
        int child = nearest_of(mask, dist);
        if (dist[child] > w->limit) break;
        mask &= ~(1U << child);
        if (comes_too_late(w, level, first + child)) continue;
        if (level)
            visit_group(w, level - 1, first + child);
        else
            visit_leaf(w, first + child);
    }
}

void smr_kdtree_search(const smr_kdtree *tree, smr_near_set *nearest)
{
    struct walk w = {.tree = tree,
                     .kernels = nearest->kernels,
                     .kind = smr_points_kind(tree->points),
                     .nearest = nearest,
                     .limit = smr_near_limit(nearest),
                     .bound = nearest->bound};
    visit_group(&w, tree->n_levels - 1, 0);
}

void smr_kdtree_release(smr_kdtree *tree)
{
    for (int l = 0; l < SMR_KD_LEVELS; l++) {
        smr_free(tree->boxes[l]);
        smr_free(tree->lowest[l]);
    }
    *tree = (smr_kdtree){0};
}
