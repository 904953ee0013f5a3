/* kdtree.h -- a space-partitioning tree for exact nearest neighbours in few dimensions.
 *
 *     leaves    buckets of 16 points, coordinate by coordinate, all full but the last
 *     level 0   groups of 16 leaves: the tight boxes of their points
 *     level l   groups of 16 groups of level l - 1: the tight boxes around these
 *
 * Everything is implicit: leaf i belongs to group i / 16 of level 0, that to group i / 256 of level
 * 1 ... so there are no pointers, and 16 boxes or 16 points are compared with a query at a time.
 *
 * Equal rows may fill many leaves.  Where a box is a single point, its lowest row number is kept: a
 * search that has K rows before these passes over them all. */
#ifndef SMR_LEARN_NEIGHBORS_KDTREE_H
#define SMR_LEARN_NEIGHBORS_KDTREE_H

#include "learn/neighbors/nearest.h"

enum { SMR_KD_LEVELS = 8 };

typedef struct smr_kdtree {
    const smr_points *points;
    bool wide; /* coordinates are doubles, else floats              */
    int64_t n_leaves;
    int n_levels;                    /* >= 1; the last has one group                      */
    int64_t n_groups[SMR_KD_LEVELS]; /* of each level                                     */
    void *buckets;                   /* n_leaves x width x 16                             */
    int32_t *rows;                   /* n_leaves x 16 row numbers                         */
    double *boxes[SMR_KD_LEVELS];    /* n_groups x width x (16 lower, 16 upper ends)      */
    int32_t *lowest[SMR_KD_LEVELS];  /* n_groups x 16: row number; -1: not a single point */
    int64_t bytes;                   /* that all this takes                               */
} smr_kdtree;

/* Builds the tree of all points, which must live as long as it. */
smr_status smr_kdtree_build(smr_ctx *ctx, const smr_points *points, smr_kdtree *tree);
void smr_kdtree_release(smr_kdtree *tree);

/* Offers to `nearest`, begun for a query on the tree's points, all rows that may be near. */
void smr_kdtree_search(const smr_kdtree *tree, smr_near_set *nearest);

/* Bytes that a tree of n points of that width takes. */
double smr_kdtree_bytes(int64_t n, int64_t width, bool wide);

#endif
