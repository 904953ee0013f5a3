/* scores.h -- what linear classifiers share: from coefficients to scores, decisions, probabilities.
 *
 * State of a linear classifier: coef (n_scores x n_features) and intercept (n_scores), with one
 * score for two classes (that of class 1), else one a class.
 *
 *     DECISION  (n x n_classes)  (-f, f) for two classes, else the scores
 *     PROBA     (n x n_classes)  1 / (1 + exp(-f)) for class 1 of two, else softmax of the scores
 *
 * A row has the same bits in any block and on any CPU. */
#ifndef SMR_LEARN_LINEAR_SCORES_H
#define SMR_LEARN_LINEAR_SCORES_H

#include "learn/balance.h"
#include "learn/learner.h"

/* The scores that n_classes classes have. */
static inline int64_t smr_scores_of(int64_t n_classes)
{
    return n_classes == 2 ? 1 : n_classes;
}

typedef struct smr_linear_classifier {
    int64_t n_classes, n_features;
    const double *coef, *intercept;
} smr_linear_classifier;

/* out (n x n_classes) for SMR_OUTPUT_DECISION or SMR_OUTPUT_PROBA.  Needs libc and libm only. */
void smr_classifier_predict(const smr_linear_classifier *m, const smr_rows *rows, smr_output output,
                            double *out);

/* The same from scores (n x n_scores, in the first places of `out`), in place. */
void smr_classifier_spread(int64_t n_classes, int64_t n, smr_output output, double *out);

/* ---- before fitting --------------------------------------------------------------------- */

/* SMR_ERR_DATA unless rows of at least two classes have a weight > 0; the message names the one
 * class.  count (n_classes; NULL: not wanted) receives the classes' weights. */
smr_status smr_classifier_check_classes(smr_ctx *ctx, const char *learner, const smr_data *data,
                                        double *count);

/* class_weight=none|balanced (learn/balance.h): the row weights that a fit uses.  *own is new
 * memory, or NULL where the data's weights serve. */
smr_status smr_classifier_weights(smr_ctx *ctx, const char *learner, const smr_data *data,
                                  int class_weight, double **own);

/* ---- words ------------------------------------------------------------------------------ */

/* One coefficient's row in `inspect`; j < 0: the intercept. */
typedef void (*smr_coefficient_fn)(const void *self, int64_t score, int64_t j, smr_json *row);

/* Adds "coefficients": [{feature, estimate, ...}], with several scores [{class, feature, estimate,
 * ...}], the class by its number.  `more` adds to each row; NULL: nothing. */
void smr_classifier_describe(const smr_linear_classifier *m, bool has_intercept,
                             const smr_feature *in, smr_coefficient_fn more, const void *self,
                             smr_json *into);

/* The name of class k, in quotes, or its number. */
void smr_class_name(const smr_data *data, int64_t k, char out[64]);

#endif
