/* tree.h -- parameters and state of tree and stump, shared by fitting and describing. */
#ifndef SMR_LEARN_TREES_TREE_H
#define SMR_LEARN_TREES_TREE_H

#include "learn/trees/trees.h"

enum smr_tree_criterion {
    SMR_TREE_AUTO = 0,
    SMR_TREE_GINI,
    SMR_TREE_ENTROPY,
    SMR_TREE_ERROR,
    SMR_TREE_GAIN_RATIO,
    SMR_TREE_SQUARED,
    SMR_TREE_ABSOLUTE
};
enum { SMR_TREE_BINARY, SMR_TREE_MULTIWAY };
enum { SMR_TREE_DIRECTION, SMR_TREE_FRACTION };
enum { SMR_TREE_SEARCH_AUTO, SMR_TREE_EXACT, SMR_TREE_HISTOGRAM };
enum { SMR_TREE_PRUNE_NONE, SMR_TREE_REDUCED, SMR_TREE_PESSIMISTIC, SMR_TREE_COST };
enum { SMR_TREE_TIES_FIRST, SMR_TREE_TIES_RANDOM };

struct smr_tree_params {
    int criterion;
    int64_t max_depth, max_leaves;
    double min_split, min_leaf, min_gain, chi2;
    int categories, missing, class_weight, search, ties, prune;
    double share, confidence, alpha;
    int64_t folds;
    bool one_se;
};

struct smr_stump_params {
    int criterion;
    double min_leaf;
    int categories, missing, class_weight, search;
};

struct smr_tree_state {
    smr_trees trees; /* first: smr_trees_prepare_state */
    int64_t n_features, n_classes, n_outputs;
    int64_t criterion;     /* enum smr_tree_criterion, never AUTO                       */
    int64_t n_rounded;     /* features whose cuts were looked for among 255 bins only   */
    int64_t grown_leaves;  /* before pruning                                            */
    double impurity;       /* of all rows, by the criterion                             */
    double *gain;          /* n_features: sums of the splits' gains                     */
    int64_t n_path;        /* prune=cost: trees of the sequence; 0: none                */
    double *path_alpha;    /* ascending, from 0; tree i is best from alpha i to i + 1   */
    double *path_leaves;   /* its leaves                                                */
    double *path_impurity; /* and the impurity of all of them                           */
    double *path_error;    /* mean loss by cross-validation; NULL: alpha was given      */
    double *path_se;       /* and its standard error                                    */
    double alpha;          /* in use                                                    */
};

/* What both fit. */
extern const smr_fitted smr_tree_fitted;

extern const smr_choice smr_tree_criteria[], smr_tree_category_ways[], smr_tree_missing_ways[],
    smr_tree_searches[];

smr_status smr_tree_fit(smr_ctx *ctx, const struct smr_tree_params *params, const smr_data *data,
                        struct smr_tree_state *state, smr_fit_report *report);
smr_status smr_tree_describe(smr_ctx *ctx, const void *params, const void *state,
                             const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_tree_figures(smr_ctx *ctx, const void *params, const void *state,
                            const smr_feature *in, int64_t n_in, const char *prefix,
                            smr_json *figures);

#endif
