/* can_explain.h -- what a fitted model can tell about itself: part of learner.h, read through
 * learn/views.h. */
#ifndef SMR_LEARN_CAN_EXPLAIN_H
#define SMR_LEARN_CAN_EXPLAIN_H

#include "data/data.h"

struct smr_trees;   /* learn/trees/trees.h */
struct smr_network; /* learn/graphical/network.h */

/* What the leaves of trees say. */
typedef enum smr_says {
    SMR_SAYS_VALUES = 0, /* width = targets: the values to predict                              */
    SMR_SAYS_SHARES = 1, /* width = classes: their shares, which sum to 1                       */
    SMR_SAYS_SCORES = 2  /* parts of scores, which mean something only when all trees are summed */
} smr_says;

/* The trees of a model, for code that reads them (learn/trees/reading.h).  Its answer, or what its
 * answer is a function of, is base + the trees' sum, or their mean. */
typedef struct smr_tree_view {
    const struct smr_trees *trees;
    smr_says says;
    bool is_mean;
    const double *base; /* n_scores of the trees; NULL: 0 */
    const char *unit;   /* what a score is measured in: "log-odds"; NULL: the target's own units */
} smr_tree_view;

/* A model whose scores are b + x'w: n_scores x n_features and n_scores, of the features that come
 * in.  w NULL: this one is not linear. */
typedef struct smr_linear_view {
    int64_t n_scores, n_features;
    const double *w, *b; /* b NULL: 0 */
} smr_linear_view;

/* Where a state holds such a model: offsets of the two numbers and of the two arrays. */
typedef struct smr_linear_at {
    bool is_there;
    size_t n_scores, n_features, w, b;
} smr_linear_at;

/* For a state with n_features, coef (n_scores x n_features) and intercept (n_scores): the true
 * coefficients of the features that come in. */
#define SMR_LINEAR_AT(type_, n_scores_)                                                       \
    {                                                                                         \
        true, offsetof(type_, n_scores_), offsetof(type_, n_features), offsetof(type_, coef), \
            offsetof(type_, intercept)                                                        \
    }

/* What a layer of a net gives to a row: height x width x channels numbers, channels last. */
typedef struct smr_layer_answer {
    const char *name; /* NULL: what comes in */
    int64_t height, width, channels;
    const float *y;
} smr_layer_answer;

typedef smr_status (*smr_layer_see)(smr_ctx *ctx, void *arg, const smr_layer_answer *answer);

/* Each may be missing. */
typedef struct smr_can_explain {
    smr_linear_at linear_at; /* a linear model that lies in the state, and may be replaced there */
    /* One that must be worked out, after prepare. */
    smr_linear_view (*linear)(const void *params, const void *state);
    /* What the fit gained by each feature, n_in of them; NULL: this model does not know. */
    const double *(*importances)(const void *params, const void *state);
    /* Shapley values: what each feature adds to each score of each row, and what all rows have in
     * common: out is n x n_scores x (d + 1), whose last entries are the common part; the d + 1 sum
     * to the score (*n_scores of them: called with rows NULL to ask).  NULL: not known exactly. */
    smr_status (*shapley)(smr_ctx *ctx, const void *params, const void *state, const smr_rows *rows,
                          int64_t *n_scores, double *out);
    /* The trees that it is made of, after prepare. */
    smr_tree_view (*trees)(const void *params, const void *state);
    /* Two classes, y = -1 or 1 with the score f of class 1: the rows that it is made of, its
     * support vectors, are those with y f at most this; NaN: it is not made of rows. */
    double (*margin)(const void *params, const void *state);
    /* The Bayesian network that it is, of its inputs and the target, after prepare; target and
     * classes: their names, or NULL.  *out is {0} before. */
    smr_status (*network)(smr_ctx *ctx, const void *params, const void *state,
                          const smr_feature *in, int64_t n_in, const char *target,
                          const smr_strings *classes, struct smr_network *out);
    /* The layers that it is made of, after prepare: shows what comes in, and what each layer gives,
     * in their order, for the first of these rows; rows NULL: only what comes in, with y NULL. */
    smr_status (*layers)(smr_ctx *ctx, const void *params, const void *state, const smr_rows *rows,
                         smr_layer_see see, void *arg);
    /* The share of the right answers that its intervals and sets promise to hold. */
    double (*promised)(const void *params);
} smr_can_explain;

#endif
