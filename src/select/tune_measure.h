/* tune_measure.h -- one measure of a model on rows whose answers are known. */
#ifndef SMR_SELECT_TUNE_MEASURE_H
#define SMR_SELECT_TUNE_MEASURE_H

#include "metric/metric.h"
#include "select/evaluate.h"

/* Rows whose answer is missing are left out; NaN when none is left, or where the measure is not
 * defined. */
smr_status smr_measure_sample(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                              const smr_measure *measure, double *out, int64_t *n_used);

#endif
