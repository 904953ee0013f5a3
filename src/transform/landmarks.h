/* landmarks.h -- rows that stand for all rows of a kernel. */
#ifndef SMR_TRANSFORM_LANDMARKS_H
#define SMR_TRANSFORM_LANDMARKS_H

#include "learn/kernels/kernel_points.h"

/* How they are chosen. */
enum { SMR_LANDMARKS_SPREAD, SMR_LANDMARKS_UNIFORM };

/* What a draw is for: each has random numbers of its own. */
enum { SMR_DRAW_LANDMARKS, SMR_DRAW_POOL, SMR_DRAW_SAMPLE, SMR_DRAW_PIVOTS };

/* At most *n rows of a weight above 0, drawn without replacement with chances as their weights are,
 * ascending; *n becomes how many there are. */
smr_status smr_landmarks_draw(smr_ctx *ctx, const smr_data *data, int purpose, int64_t *n,
                              int32_t *index);

/* At most *n landmarks of the set, ascending; *n becomes how many there are: fewer where the rows
 * are fewer, or where `spread` has nothing left to add. */
smr_status smr_landmarks_choose(smr_ctx *ctx, const smr_data *data, const smr_kernel_set *set,
                                int how, int64_t *n, int32_t *index);

#endif
