/* kdtree.h -- a space-partitioning tree for exact nearest neighbours in few dimensions.
 *
 *     leaves    groups of 16 points (layout.h, plain), all full except the last
 *     level 0   groups of 16 leaves: the tight boxes of their points
 *     level l   groups of 16 groups of level l - 1: the tight boxes around these
 *
 * Everything is implicit: leaf i belongs to group i / 16 of level 0, that to group i / 256 of level
 * 1 ... so there are no pointers, and 16 boxes or 16 points are compared with a query at a time.
 * The tree is the order of the points, made once (smr_kdtree_order); the boxes are drawn from it,
 * in the form of the values, so that they take an eighth of the points' memory.  For cosine they
 * are around the divided rows, as floats rounded outward.
 *
 * Any order of the points makes a tree that finds the same neighbours; a good one finds them soon.
 *
 * Equal rows may fill many leaves.  Where all rows of a member are equal, its lowest row number is
 * kept: a search that has K rows before these passes over them all. */
#ifndef SMR_LEARN_NEIGHBORS_KDTREE_H
#define SMR_LEARN_NEIGHBORS_KDTREE_H

#include "learn/neighbors/nearest.h"

enum { SMR_KD_LEVELS = 8 };

typedef struct smr_kdtree {
    const smr_points *points;
    smr_form box_form;
    int64_t n_leaves;
    int n_levels;                    /* >= 1; the last has one group                      */
    int64_t n_groups[SMR_KD_LEVELS]; /* of each level                                     */
    void *boxes[SMR_KD_LEVELS];      /* n_groups x width x (16 lower, 16 upper ends)      */
    int32_t *lowest[SMR_KD_LEVELS];  /* n_groups x 16: row number; -1: not all equal      */
    int64_t bytes;                   /* that all this takes                               */
} smr_kdtree;

/* Puts n rows of d values in the order of a tree, in place.  x: row-major, with room for the plain
 * layout, in which they are left.  rows[i] becomes the number that the row at place i had.
 * by_angle: of the rows divided by their lengths. */
smr_status smr_kdtree_order(smr_ctx *ctx, const smr_layout *layout, bool by_angle, void *x,
                            int32_t *rows);

/* Draws the boxes around all points, which must live as long as the tree. */
smr_status smr_kdtree_build(smr_ctx *ctx, const smr_points *points, smr_kdtree *tree);
void smr_kdtree_release(smr_kdtree *tree);

/* Offers to `nearest`, begun for a query on the tree's points, all rows that may be near. */
void smr_kdtree_search(const smr_kdtree *tree, smr_near_set *nearest);

#endif
