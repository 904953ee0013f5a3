/* shapley.h -- exact Shapley values of tree models.
 *
 * The game of one row x and one tree: v(S) is the mean answer when the features of S are known to
 * be x's and the others are not.  At a split by a feature of S the row goes where it goes; at any
 * other it goes all ways, each with the share of the training rows that went there (path-dependent
 * expectation).  A value that is missing is known to be missing: it goes where such rows go, and
 * with is_shared all ways, which makes that split say nothing.  The Shapley value of a feature is
 * what it adds to v, averaged over all orders of the features; values and the common part v({}) sum
 * to the answer.
 *
 * Reference: Lundberg, Erion & Lee, "Consistent individualized feature attribution for tree
 * ensembles", arXiv:1802.03888, for the game; shapley.c says how it is computed. */
#ifndef SMR_LEARN_TREES_SHAPLEY_H
#define SMR_LEARN_TREES_SHAPLEY_H

#include "learn/trees/trees.h"

/* out[n x n_scores x (d + 1)] += the values of trees [lo, hi), d of the features and then the
 * common part; rows in any form, after prepare.  Parallel over rows. */
smr_status smr_trees_shapley(smr_ctx *ctx, const smr_trees *trees, const smr_rows *rows, int64_t lo,
                             int64_t hi, double *out);
/* The same for a model's answer, or what its answer is a function of: base + the trees' sum, or
 * their mean. */
smr_status smr_tree_view_shapley(smr_ctx *ctx, const smr_tree_view *view, const smr_rows *rows,
                                 double *out);

#endif
