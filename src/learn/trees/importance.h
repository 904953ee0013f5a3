/* importance.h -- what models of trees tell about themselves when they are inspected: their size,
 * and how much each feature gained.  Called by the `describe` and `figures` of tree, forest and
 * boost; the trees themselves are described by learn/model_describe.c, which knows the names of the
 * classes. */
#ifndef SMR_LEARN_TREES_IMPORTANCE_H
#define SMR_LEARN_TREES_IMPORTANCE_H

#include "learn/trees/trees.h"

/* Adds "trees" (where there are several), "nodes", "leaves", "depth" (questions on the longest way;
 * for several trees the largest) and, for several trees, "mean_depth". */
smr_status smr_trees_describe(smr_ctx *ctx, const smr_trees *trees, smr_json *into);

/* gain: of each of the n_in features, >= 0, as smr_trees_add sums them.
 * Adds "importance": a table of feature, gain and its share of all gains, largest first, equal ones
 * in the order of the features; those that no tree asks about are left out and counted in
 * "features_not_asked". */
smr_status smr_importance_describe(smr_ctx *ctx, const double *gain, const smr_feature *in,
                                   int64_t n_in, smr_json *into);
/* Adds the figure "importance", its name after `prefix`: bars of the twenty largest shares.  None
 * where nothing was gained. */
smr_status smr_importance_figure(smr_ctx *ctx, const double *gain, const smr_feature *in,
                                 int64_t n_in, const char *prefix, smr_json *figures);

#endif
