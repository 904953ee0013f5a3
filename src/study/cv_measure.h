/* cv_measure.h -- measures of predictions for rows of a training set. */
#ifndef SMR_STUDY_CV_MEASURE_H
#define SMR_STUDY_CV_MEASURE_H

#include "learn/model.h"
#include "metric/metric.h"

/* Predictions for rows of the table, in the order of `rows`. */
typedef struct smr_predicted {
    const int64_t *rows;
    int64_t n;
    smr_output output;   /* PROBA, DECISION or VALUE     */
    const double *value; /* n x classes, or n x targets  */
} smr_predicted;

/* out[i] is measure list[i], with the set's answers and weights. */
smr_status smr_predicted_measure(smr_ctx *ctx, const smr_train_set *set, const smr_predicted *p,
                                 const smr_measure *const *list, int64_t n, double *out);

/* The same for what a model found by itself in the rows of p, which holds no values (judge.h);
 * seconds of predicting, or NULL. */
smr_status smr_found_measure(smr_ctx *ctx, const smr_model *model, const smr_train_set *set,
                             const smr_predicted *p, const smr_measure *const *list, int64_t n,
                             double *out, double *seconds);

/* Does the model give what such measures are made from, and which output? */
smr_status smr_predicted_output(smr_ctx *ctx, const smr_model *model, smr_output *out);

#endif
