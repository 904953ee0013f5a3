/* draw_weights.h -- the largest weights of a linear model, as a figure. */
#ifndef SMR_LEARN_DRAW_WEIGHTS_H
#define SMR_LEARN_DRAW_WEIGHTS_H

#include "learn/learner.h"

/* Has the stage one weight for each of many features (a state array `coef`)?  A table of them all
 * is long then, and a picture of the largest tells more. */
bool smr_weights_are_many(const smr_stage *stage);
/* Has it one weight for each of several features? */
bool smr_weights_are_drawn(const smr_stage *stage);
/* Adds the figure "weights": all, or the most negative and the most positive ones, with their
 * names; of members only many, and none where the learner drew "coefficients" of its own.
 * classes NULL: there are none, or they are not known. */
smr_status smr_draw_weights(smr_ctx *ctx, const smr_stage *stage, const smr_feature *in,
                            const smr_strings *classes, const char *prefix, smr_json *figures);

#endif
