/* answers.h -- rows of a table whose target is known, and how good predictions for them are. */
#ifndef SMR_STUDY_ANSWERS_H
#define SMR_STUDY_ANSWERS_H

#include "learn/model.h"
#include "metric/metric.h"
#include "study/evaluate.h"

/* The rows that have an answer, with answers and weights in their order. */
typedef struct smr_answers {
    int64_t n;
    int64_t *rows;     /* of the table            */
    int32_t *label;    /* classify                */
    double *y;         /* regress: n x targets    */
    double *weight;    /* NULL: all 1             */
    smr_output output; /* what is measured: PROBA, else DECISION; VALUE */
    int64_t width;     /* of a prediction         */
    int64_t positive;  /* classify: whose precision and recall are reported; the model's */
} smr_answers;

/* Rows of the sample whose target is known; without any it fails. */
smr_status smr_answers_collect(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                               smr_answers *out);
void smr_answers_release(smr_answers *answers);

/* What metric/ reads from them and from `predicted`, n x width. */
smr_classify_input smr_answers_classify(const smr_model *model, const smr_answers *answers,
                                        const double *predicted);
smr_regress_input smr_answers_regress(const smr_model *model, const smr_answers *answers,
                                      const double *predicted);

/* out[i] is the value of measure list[i]. */
smr_status smr_answers_measure(smr_ctx *ctx, const smr_model *model, const smr_answers *answers,
                               const double *predicted, const smr_measure *const *list, int64_t n,
                               double *out);

#endif
