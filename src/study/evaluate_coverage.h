/* evaluate_coverage.h -- how good a model's intervals or sets are, where it gives some. */
#ifndef SMR_STUDY_EVALUATE_COVERAGE_H
#define SMR_STUDY_EVALUATE_COVERAGE_H

#include "study/answers.h"

/* Predicts intervals or sets for the rows and adds their measures (metric/coverage.c) to `into`;
 * nothing for a model that gives none. */
smr_status smr_evaluate_coverage(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                                 const smr_answers *answers, smr_json *into);
/* The coverage that the model's sentence promises, or NaN. */
double smr_model_coverage(const smr_model *model);

/* ---- for cross-validation ---- */

enum { SMR_COVERAGE_MEASURES = 2 };

/* Coverage and width, or size, for models that end in that learner; NULL: it gives neither
 * intervals nor sets. */
const smr_measure *smr_coverage_measures(const smr_learner *last, smr_task task);
/* Their values on rows of the set. */
smr_status smr_coverage_of_rows(smr_ctx *ctx, const smr_model *model, const smr_train_set *set,
                                const int64_t *rows, int64_t n, double out[SMR_COVERAGE_MEASURES]);

#endif
