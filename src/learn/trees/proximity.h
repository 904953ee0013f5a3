/* proximity.h -- how alike rows are to a model of trees: the share of trees in which two rows come
 * to the same leaf.
 *
 * It is 1 for a row with itself, and the same both ways.  Rows are listed by leaf, and a row's
 * proximities are counted from the lists of its leaves; so its cost is the sizes of these, and no
 * matrix of rows x rows is held.
 *
 * Breiman's outlier measure of a row is n / sum of its squared proximities to the n rows of its
 * group (itself included, so the sum is at least 1), less the group's median of that, divided by
 * the group's mean absolute deviation from the median; 0 where all are alike.  Above 10 a row is
 * odd in its group.
 *
 * Memory: 8 bytes per row and tree, 8 per leaf, and 8 per row and thread.
 * Reference: Breiman, "Random forests", Machine Learning 45 (2001), and his manual of 2003. */
#ifndef SMR_LEARN_TREES_PROXIMITY_H
#define SMR_LEARN_TREES_PROXIMITY_H

#include "learn/trees/trees.h"

typedef struct smr_proximity {
    int64_t n, n_trees, n_leaves;
    int32_t *leaf;  /* n x n_trees, as smr_trees_leaves gives them */
    int64_t *first; /* n_leaves + 1: of each leaf in `row`         */
    int32_t *row;   /* n x n_trees: the rows of each leaf, ascending */
} smr_proximity;

/* Room for the leaves of n rows; the caller fills `leaf`, then has the rows listed. */
smr_status smr_proximity_room(smr_ctx *ctx, const smr_trees *trees, int64_t n, smr_proximity *out);
smr_status smr_proximity_list(smr_ctx *ctx, smr_proximity *p);
void smr_proximity_release(smr_proximity *p);

/* together[n], 0 before: in how many trees each row is in a leaf with row i.  met[n]: the rows for
 * which that is not 0; returns how many, including row i. */
int64_t smr_proximity_count(const smr_proximity *p, int64_t i, int32_t *together, int32_t *met);

/* Some of the nearest rows of a row, the nearest first, among equals the first. */
typedef struct smr_mate {
    int32_t row, together; /* row -1: no more shares a leaf with it */
} smr_mate;

/* For each of the n_asked rows (asked NULL: all) its k nearest others, n_asked x k; and squares
 * (may be NULL): the sum over the rows of its group, itself included, of squared proximities. group
 * NULL: all rows are one group. */
smr_status smr_proximity_nearest(smr_ctx *ctx, const smr_proximity *p, const int64_t *asked,
                                 int64_t n_asked, const int32_t *group, int64_t k,
                                 smr_mate *nearest, double *squares);
/* The outlier measure of each row; squares are those of all rows, group as above and below
 * n_groups; a group of -1 has none, and its rows get NaN. */
smr_status smr_proximity_outliers(smr_ctx *ctx, int64_t n, const double *squares,
                                  const int32_t *group, int64_t n_groups, double *measure);

#endif
