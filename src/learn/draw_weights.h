/* draw_weights.h -- the largest weights of a linear model, as a figure. */
#ifndef SMR_LEARN_DRAW_WEIGHTS_H
#define SMR_LEARN_DRAW_WEIGHTS_H

#include "learn/learner.h"

/* Does the stage have one weight for each of many features?  Then a table of them all is long, and
 * a picture of the largest says more. */
bool smr_weights_are_many(const smr_stage *stage);
/* Does it have one weight for each of several features? */
bool smr_weights_are_drawn(const smr_stage *stage);
/* Adds the figure "weights": all, or the most negative and the most positive ones, with their
 * names; for members only if there are many, and not if the learner drew "coefficients" of its own.
 * classes NULL: there are none, or they are not known. */
smr_status smr_draw_weights(smr_ctx *ctx, const smr_stage *stage, const smr_feature *in,
                            const smr_strings *classes, const char *prefix, smr_json *figures);

#endif
