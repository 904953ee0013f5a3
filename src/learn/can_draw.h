/* can_draw.h -- part of the contract (learner.h): models that rows can be drawn from. */
#ifndef SMR_LEARN_CAN_DRAW_H
#define SMR_LEARN_CAN_DRAW_H

#include "samara.h"

/* How many rows: n_sequences of this length, one after the other.  range: n_in x 2, the least and
 * the greatest value of each feature in the training rows, NaN where they are not known. */
typedef struct smr_drawing {
    int64_t n_in, n_sequences, length;
    const double *range;
} smr_drawing;

/* Models of how rows come about: rows drawn from them.  x: rows x n_in, codes of categories among
 * them; hidden: the class, cluster or state of each. */
typedef struct smr_can_draw {
    smr_status (*rows)(smr_ctx *ctx, const void *params, const void *state, const smr_drawing *of,
                       double *x, int32_t *hidden);
} smr_can_draw;

#endif
