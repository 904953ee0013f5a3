/* can_draw.h -- part of the contract (learner.h): models that rows can be drawn from. */
#ifndef SMR_LEARN_CAN_DRAW_H
#define SMR_LEARN_CAN_DRAW_H

#include "samara.h"

/* Models of how rows come about: rows drawn from them, n_sequences of this length, one after the
 * other.  x: rows x n_in, codes of categories among them; hidden: the class or state of each. */
typedef struct smr_can_draw {
    smr_status (*rows)(smr_ctx *ctx, const void *params, const void *state, int64_t n_in,
                       int64_t n_sequences, int64_t length, double *x, int32_t *hidden);
} smr_can_draw;

#endif
