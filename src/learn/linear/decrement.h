/* decrement.h -- how far an objective lies above its least, as its curvature tells.
 *
 * |g| is small wherever the objective is flat: along columns that are nearly combinations of
 * others it says little.  Near the minimum, however flat it is,
 *
 *     J(w) - J* = g'H^-1 g / 2,                                                                (1)
 *
 * half of Newton's decrement, which no change of variables alters.  With l1, g is the smallest
 * subgradient and (1) is taken over the variables that are not 0 or have a g.  A Hessian that is
 * singular up to rounding gets 1e-14 of its diagonal, or more, so that (1) is never overstated.
 *
 * Cost: an evaluation and a Hessian at w, n^3 / 6; memory 2 n^2. */
#ifndef SMR_LEARN_LINEAR_DECREMENT_H
#define SMR_LEARN_LINEAR_DECREMENT_H

#include "learn/linear/objective.h"

/* l1: of the first n_penalised variables.  H (n x n): the Hessian at w. */
smr_status smr_linear_above(smr_ctx *ctx, smr_linear_objective *o, const double *w, double l1,
                            int64_t n_penalised, double *H, double *above);

#endif
