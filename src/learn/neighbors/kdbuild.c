/* kdbuild.c -- drawing the boxes of kdtree.h around points that are in the tree's order.
 *
 * Level by level from the leaves up, each group of 16 boxes by itself, so that boxes have the same
 * bits at any number of threads.  Cost: one pass over the points. */
#include "learn/neighbors/kdtree.h"

#include <float.h>
#include <math.h>

enum { GROUP = SMR_NEAR_GROUP, GROUPS_A_TASK = 64 };

struct draw {
    smr_kdtree *tree;
    double *scratch;      /* for each lane                             */
    int64_t scratch_size; /* doubles of a lane: a leaf, and a box      */
    int level;            /* of the boxes that are drawn               */
};

/* ---- one box ---- */

static double end_at(const smr_kdtree *tree, int level, int64_t at)
{
    const void *boxes = tree->boxes[level];
    if (tree->box_form == SMR_FORM_F64) return ((const double *)boxes)[at];
    if (tree->box_form == SMR_FORM_F32) return (double)((const float *)boxes)[at];
    return (double)((const uint8_t *)boxes)[at];
}

/* Stores the ends of coordinate j; floats that cannot hold them are rounded outward. */
static void store_ends(smr_kdtree *tree, int level, int64_t at, double low, double high)
{
    if (tree->box_form == SMR_FORM_F64) {
        double *ends = (double *)tree->boxes[level] + at;
        ends[0] = low;
        ends[GROUP] = high;
    } else if (tree->box_form == SMR_FORM_F32) {
        float *ends = (float *)tree->boxes[level] + at;
        ends[0] = (float)low;
        ends[GROUP] = (float)high;
        if ((double)ends[0] > low) ends[0] = nextafterf(ends[0], -FLT_MAX);
        if ((double)ends[GROUP] < high) ends[GROUP] = nextafterf(ends[GROUP], FLT_MAX);
    } else {
        uint8_t *ends = (uint8_t *)tree->boxes[level] + at;
        ends[0] = (uint8_t)low;
        ends[GROUP] = (uint8_t)high;
    }
}

/* The box around a leaf: width least coordinates, then the largest. */
static void leaf_box(const smr_points *p, int64_t leaf, double *row, double *box)
{
    int64_t width = p->width, end = SMR_MIN((leaf + 1) * GROUP, p->n);
    for (int64_t j = 0; j < width; j++) {
        box[j] = INFINITY;
        box[width + j] = -INFINITY;
    }
    for (int64_t i = leaf * GROUP; i < end; i++) {
        smr_points_row(p, i, row);
        for (int64_t j = 0; j < width; j++) {
            box[j] = row[j] < box[j] ? row[j] : box[j];
            box[width + j] = row[j] > box[width + j] ? row[j] : box[width + j];
        }
    }
}

/* The box around the n boxes of a group. */
static void group_box(const smr_kdtree *tree, int level, int64_t group, int64_t n, double *box)
{
    int64_t width = tree->points->width, first = group * width * 2 * GROUP;
    for (int64_t j = 0; j < width; j++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < n; i++) {
            low = smr_fmin(low, end_at(tree, level, first + j * 2 * GROUP + i));
            high = smr_fmax(high, end_at(tree, level, first + (j * 2 + 1) * GROUP + i));
        }
        box[j] = low;
        box[width + j] = high;
    }
}

/* ---- equal rows ---- */

/* The lowest row number of a leaf, when all its rows are equal; else -1. */
static int32_t lowest_of_leaf(const smr_points *p, int64_t leaf)
{
    int64_t first = leaf * GROUP, end = SMR_MIN(first + GROUP, p->n);
    int64_t lowest = smr_points_number(p, first);
    for (int64_t i = first + 1; i < end; i++) {
        if (!smr_points_same(p, first, i)) return -1;
        lowest = SMR_MIN(lowest, smr_points_number(p, i));
    }
    return (int32_t)lowest;
}

/* The same for a group of n members of the level below, of which each takes `span` places. */
static int32_t lowest_of_group(const smr_kdtree *tree, int level, int64_t group, int64_t n,
                               int64_t span)
{
    const int32_t *from = tree->lowest[level] + group * GROUP;
    int64_t first = group * GROUP * span;
    int32_t lowest = from[0];
    for (int64_t i = 0; i < n; i++) {
        if (from[i] < 0 || !smr_points_same(tree->points, first, first + i * span)) return -1;
        lowest = SMR_MIN(lowest, from[i]);
    }
    return lowest;
}

/* ---- drawing ---- */

static int64_t members_of(const smr_kdtree *tree, int level)
{
    return level ? tree->n_groups[level - 1] : tree->n_leaves;
}

static int64_t span_of(int level)
{
    int64_t span = GROUP;
    for (int l = 0; l < level; l++) span *= GROUP;
    return span;
}

/* Draws one box of d->level. */
static void draw_member(struct draw *d, int64_t member, double *row, double *box)
{
    smr_kdtree *tree = d->tree;
    int64_t width = tree->points->width;
    int below = d->level - 1;
    if (d->level == 0) {
        leaf_box(tree->points, member, row, box);
        tree->lowest[0][member] = lowest_of_leaf(tree->points, member);
    } else {
        int64_t n = SMR_MIN(GROUP, members_of(tree, below) - member * GROUP);
        group_box(tree, below, member, n, box);
        tree->lowest[d->level][member] = lowest_of_group(tree, below, member, n, span_of(below));
    }
    int64_t at = member / GROUP * width * 2 * GROUP + member % GROUP;
    for (int64_t j = 0; j < width; j++)
        store_ends(tree, d->level, at + j * 2 * GROUP, box[j], box[width + j]);
}

static smr_status draw_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct draw *d = arg;
    double *row = d->scratch + lane * d->scratch_size, *box = row + d->tree->points->width;
    int64_t end = smr_block_end(members_of(d->tree, d->level), GROUPS_A_TASK * GROUP, task);
    (void)ctx;
    for (int64_t m = task * GROUPS_A_TASK * GROUP; m < end; m++) draw_member(d, m, row, box);
    return SMR_OK;
}

static smr_status allocate_levels(smr_ctx *ctx, smr_kdtree *tree)
{
    static const size_t sizes[] = {8, 4, 1};
    smr_status st = SMR_OK;
    int64_t n = tree->n_leaves;
    do {
        n = smr_block_count(n, GROUP);
        int64_t ends = n * tree->points->width * 2 * GROUP;
        int64_t size = (int64_t)sizes[tree->box_form];
        tree->n_groups[tree->n_levels] = n;
        tree->boxes[tree->n_levels] = smr_alloc(ctx, ends, (size_t)size);
        if (!tree->boxes[tree->n_levels]) TRY(SMR_ERR_NOMEM);
        TRY_NEW(tree->lowest[tree->n_levels], n * GROUP);
        tree->n_levels++;
        tree->bytes += ends * size + n * GROUP * (int64_t)sizeof(int32_t);
    } while (n > 1);
out:
    return st;
}

smr_status smr_kdtree_build(smr_ctx *ctx, const smr_points *points, smr_kdtree *tree)
{
    smr_status st = SMR_OK;
    struct draw d = {.tree = tree, .scratch_size = 3 * points->width};

    *tree = (smr_kdtree){.points = points, .n_leaves = points->layout.groups};
    tree->box_form = points->length ? SMR_FORM_F32 : points->layout.form;
    TRY_NEW(d.scratch, smr_lanes(ctx) * d.scratch_size);
    TRY(allocate_levels(ctx, tree));
    for (d.level = 0; d.level < tree->n_levels; d.level++) {
        int64_t n_tasks = smr_block_count(members_of(tree, d.level), GROUPS_A_TASK * GROUP);
        TRY(smr_parallel(ctx, NULL, n_tasks, draw_task, &d));
    }
out:
    smr_free(d.scratch);
    if (st != SMR_OK) smr_kdtree_release(tree);
    return st;
}
