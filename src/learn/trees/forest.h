/* forest.h -- parameters and state of forest, shared by its files. */
#ifndef SMR_LEARN_TREES_FOREST_H
#define SMR_LEARN_TREES_FOREST_H

#include "learn/trees/trees.h"

enum { SMR_FOREST_RANDOM, SMR_FOREST_EXTRA };
enum { SMR_FOREST_AUTO, SMR_FOREST_GINI, SMR_FOREST_ENTROPY, SMR_FOREST_SQUARED };
enum { SMR_FOREST_GAIN, SMR_FOREST_PERMUTATION };

struct smr_forest_params {
    int64_t trees;
    int mode, criterion;
    char *features;
    int64_t max_depth, max_leaves;
    double min_split, min_leaf, min_gain;
    int bootstrap; /* SMR_FOREST_BAG_* */
    int class_weight, importance;
    int64_t max_bins;
};

enum { SMR_FOREST_BAG_AUTO, SMR_FOREST_BAG_YES, SMR_FOREST_BAG_NO };

struct smr_forest_state {
    smr_trees trees; /* first: smr_trees_prepare_state */
    int64_t n_features, n_classes, n_outputs;
    int64_t form;      /* smr_form of the training rows                                       */
    int64_t per_node;  /* features tried at a node                                            */
    int64_t n_rounded; /* features whose cuts were looked for between bins, not all values    */
    int64_t n_curve;   /* trees, where rows were left out of their bags; else 0               */
    double oob_error;  /* share of wrong classes, or mean squared error; NaN: not known       */
    double oob_share;  /* of the rows' weight that some tree left out                         */
    double *oob_curve; /* n_curve: the error of the first 1, 2 ... trees                      */
    double *gain;      /* n_features                                                          */
    double *permuted;  /* n_features: how much the error grew, mean over the trees; NULL: not
                          asked for                                                           */
};

/* forest_kept.c: how a fit stops and goes on. */
extern const smr_can_resume smr_forest_resume;

/* forest_fit.c */
smr_status smr_forest_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                          smr_fit_report *report);
/* How many of d features a node tries; fails when the word is not one of the choices. */
smr_status smr_forest_per_node(smr_ctx *ctx, const char *features, bool classify, int64_t d,
                               int64_t *out);

#endif
