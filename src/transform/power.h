/* power.h -- the power transforms of Box & Cox and of Yeo & Johnson: values, back, and the exponent
 * of greatest likelihood.
 *
 *     h(u, a) = (exp(a u) - 1) / a,  h(u, 0) = u                                            (1)
 *     Box-Cox      y = h(log x, lambda), x > 0
 *     Yeo-Johnson  y = h(log(1 + x), lambda) for x >= 0, -h(log(1 - x), 2 - lambda) for x < 0
 *
 * y grows with x, and is x itself (Box-Cox: x - 1) with lambda = 1.
 *
 * lambda: that of greatest likelihood if the y are normal, the minimum of
 *
 *     f(lambda) = 1/2 log var(y) - (lambda - 1) mean(t),  t = log x, or sign(x) log(1 + |x|) (2)
 *
 * with weighted means.  f is convex (Kouider & Chen 1995; Marchand et al. 2022), so that its slope
 * cov(y, dy/dlambda) / var(y) - mean(t) has one root, which is bracketed and found as Brent does.
 * A lambda at which the y differ by less than 1e-8 of their size, as rounding would then decide, is
 * not looked at: the search stops before it.
 *
 * Cost: a logarithm per value, then an exponential per value and step, some ten steps; values are
 * read in chunks, so that the same bits come at any thread count.  24 bytes per value. */
#ifndef SMR_TRANSFORM_POWER_H
#define SMR_TRANSFORM_POWER_H

#include "core/ctx.h"

typedef enum smr_power_method { SMR_YEO_JOHNSON = 0, SMR_BOX_COX } smr_power_method;

/* Box-Cox: x > 0. */
double smr_power_of(smr_power_method method, double lambda, double x);
/* The x of y; where no x has this y, as lambda bounds it, NaN with *above = is y too large? */
double smr_power_back(smr_power_method method, double lambda, double y, bool *above);

typedef struct smr_power_fit {
    double lambda;
    double mean, sd;        /* of the y */
    double least, greatest; /* of the x */
    bool stopped;           /* before the greatest likelihood: the x hardly differ for their size */
} smr_power_fit;

/* Of n > 0 finite values with weights above 0 (NULL: all 1).  lambda: given, or NaN to be found.
 * Values that are all equal have lambda 1 unless it is given, and sd 1. */
smr_status smr_power_find(smr_ctx *ctx, smr_power_method method, double lambda, int64_t n,
                          const double *x, const double *w, smr_power_fit *out);

#endif
