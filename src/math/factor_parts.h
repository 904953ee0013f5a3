/* factor_parts.h -- what factorisations share; private to src/math. */
#ifndef SMR_MATH_FACTOR_PARTS_H
#define SMR_MATH_FACTOR_PARTS_H

#include "math/factor.h"

/* sqrt(a^2 + b^2) without overflow. */
double smr_length_of_two(double a, double b);

/* B = A^-1 B or A'^-1 B for one column. */
typedef smr_status (*smr_inverse_fn)(smr_ctx *ctx, const void *arg, bool transpose, double *x);

/* An estimate of |A^-1| in the 1-norm from a few solves; infinite where they overflow.
 * Reference: Higham, ACM Trans. Math. Softw. 14:381-396, 1988, algorithm 4.1. */
smr_status smr_inverse_norm(smr_ctx *ctx, int64_t n, smr_inverse_fn solve, const void *arg,
                            double *norm);
/* 1 / (norm |A^-1|), 0 where that is not finite. */
double smr_rcond_of(double norm, double inverse_norm);

/* Right-hand sides are solved on the context's threads from this many flops on. */
#define SMR_SOLVE_FEW 2e5

#endif
