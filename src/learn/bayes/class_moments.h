/* class_moments.h -- weight, mean and sum of squared deviations of numbers in each class.
 *
 * One pass over the rows: values are measured from the mean of a sample of their class, so that the
 * squares of numbers far from 0 keep their digits; if the sample was unlike the rest, the pass is
 * repeated with the means themselves.  Gaps are left out, column by column.
 * Cost: n m multiply-adds; memory 3 numbers per class, column and chunk of rows. */
#ifndef SMR_LEARN_BAYES_CLASS_MOMENTS_H
#define SMR_LEARN_BAYES_CLASS_MOMENTS_H

#include "data/data.h"

typedef struct smr_class_moments {
    int64_t m;             /* columns                                          */
    const int32_t *column; /* m features, ascending; NULL: all                 */
    const double *weight;  /* n_classes: of all its rows                       */
    double *filled;        /* n_classes x m: weight of the rows with the value */
    double *mean, *square; /* n_classes x m; 0 where filled is 0               */
} smr_class_moments;

/* The arrays are the caller's.  A value that is infinite, or whose square is, is refused by the
 * name of its column. */
smr_status smr_class_moments_find(smr_ctx *ctx, const char *learner, const smr_data *data,
                                  const smr_class_moments *out);

#endif
