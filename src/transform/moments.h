/* moments.h -- weighted mean and variance of every feature, missing values left out. */
#ifndef SMR_TRANSFORM_MOMENTS_H
#define SMR_TRANSFORM_MOMENTS_H

#include "data/data.h"

/* mean[d], sd[d] (standard deviation over the total weight, not one less; NULL: not wanted) and
 * weight[d] (total of the rows where the feature is present).  Two passes over the rows: the
 * deviations are summed around the mean, and their own sum corrects its rounding.  Features without
 * any value get 0.
 *
 * Where sums or squares leave the range of doubles, the passes are repeated with the values divided
 * by a power of two near the largest: any finite values have finite moments, and a deviation below
 * 1e-154 is not lost. */
smr_status smr_moments(smr_ctx *ctx, const smr_data *data, double *mean, double *sd,
                       double *weight);

#endif
