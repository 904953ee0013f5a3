/* measure_names.h -- measures by what people write: names with commas. */
#ifndef SMR_SELECT_MEASURE_NAMES_H
#define SMR_SELECT_MEASURE_NAMES_H

#include "metric/metric.h"

/* The measures of the task that `text` names; NULL: the usual error, `error` or `rmse`.  An unknown
 * name is answered with the nearest one.  *list is allocated. */
smr_status smr_measures_named(smr_ctx *ctx, const char *text, smr_task task,
                              const smr_measure ***list, int64_t *n);

#endif
