/* loss_points.h -- each loss at one point, for loss.c (the table) and loss_block.c (the loops).
 *
 * exp and its relatives come from kernel/kernel.h, so that bits do not change with the CPU.
 * Numerically delicate:
 *
 *     logistic    log(1 + exp(-m)) = max(-m, 0) + log1p(exp(-|m|))
 *     deviances   D(t) = e^t - 1 - t, by its series near 0, where the terms cancel:
 *                 poisson  y D(f - log y),   gamma  D(log y - f)                              (1)
 *
 * Squares of residuals beyond 1e154 are infinite.  Reference for the deviances: McCullagh & Nelder,
 * Generalized Linear Models, 2nd ed., 1989, 2.3. */
#ifndef SMR_MATH_LOSS_POINTS_H
#define SMR_MATH_LOSS_POINTS_H

#include "kernel/kernel.h"
#include "math/loss.h"

#include <math.h>

/* ---- residual losses -------------------------------------------------------------------- */

static inline smr_loss_point at_squared(double unused, double y, double f)
{
    (void)unused;
    double r = f - y;
    return (smr_loss_point){0.5 * r * r, r, 1};
}

static inline double sign_of(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}

static inline smr_loss_point at_absolute(double unused, double y, double f)
{
    (void)unused;
    double r = f - y;
    return (smr_loss_point){fabs(r), sign_of(r), 0};
}

static inline smr_loss_point at_huber(double delta, double y, double f)
{
    double r = f - y, a = fabs(r);
    if (a <= delta) return (smr_loss_point){0.5 * r * r, r, 1};
    return (smr_loss_point){delta * (a - 0.5 * delta), delta * sign_of(r), 0};
}

static inline smr_loss_point at_quantile(double tau, double y, double f)
{
    double r = f - y;
    if (r > 0) return (smr_loss_point){(1 - tau) * r, 1 - tau, 0};
    if (r < 0) return (smr_loss_point){-tau * r, -tau, 0};
    return (smr_loss_point){0};
}

static inline smr_loss_point at_epsilon(double epsilon, double y, double f)
{
    double r = f - y, over = fabs(r) - epsilon;
    if (over > 0) return (smr_loss_point){over, sign_of(r), 0};
    return (smr_loss_point){0};
}

/* ---- margin losses ---------------------------------------------------------------------- */

static inline smr_loss_point at_zero_one(double unused, double y, double f)
{
    (void)unused;
    return (smr_loss_point){y * f > 0 ? 0 : 1, 0, 0};
}

static inline smr_loss_point at_perceptron(double unused, double y, double f)
{
    (void)unused;
    double m = y * f;
    if (m > 0) return (smr_loss_point){0};
    return (smr_loss_point){m < 0 ? -m : 0, -y, 0};
}

static inline smr_loss_point at_hinge(double unused, double y, double f)
{
    (void)unused;
    double m = y * f;
    if (m >= 1) return (smr_loss_point){0};
    return (smr_loss_point){1 - m, -y, 0};
}

static inline smr_loss_point at_squared_hinge(double unused, double y, double f)
{
    (void)unused;
    double m = y * f, over = 1 - m;
    if (m >= 1) return (smr_loss_point){0};
    return (smr_loss_point){over * over, -2 * y * over, 2};
}

static inline smr_loss_point at_logistic(double unused, double y, double f)
{
    (void)unused;
    double m = y * f, e = smr_exp(-fabs(m)), above = m < 0 ? 1 : e;
    return (smr_loss_point){(m < 0 ? -m : 0) + smr_log1p(e), -y * (above / (1 + e)),
                            e / ((1 + e) * (1 + e))};
}

static inline smr_loss_point at_exponential(double unused, double y, double f)
{
    (void)unused;
    double e = smr_exp(-(y * f));
    return (smr_loss_point){e, -y * e, e};
}

/* ---- deviances with a log link ---------------------------------------------------------- */

/* D(t) of (1) for |t| <= 1/4 by its series t^2/2! + t^3/3! + ... + t^15/15!: the next term is less
 * than 2^-62 of the first.  Beyond, exp(t) - 1 - t loses no more than three bits. */
static inline double exp_above_tangent(double t)
{
    static const double c[] = {
        1.0 / 1307674368000, 1.0 / 87178291200, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800,
        1.0 / 3628800,       1.0 / 362880,      1.0 / 40320,      1.0 / 5040,      1.0 / 720,
        1.0 / 120,           1.0 / 24,          1.0 / 6,          1.0 / 2};
    double sum = c[0];
    for (int k = 1; k < 14; k++) sum = sum * t + c[k];
    return sum * t * t;
}

/* Given exp(f) and log(y); y = 0 gives the mean for all three. */
static inline smr_loss_point poisson_point(double y, double f, double mean, double log_y)
{
    double t = f - log_y, D = exp_above_tangent(t);
    if (y == 0) return (smr_loss_point){mean, mean, mean};
    if (fabs(t) <= 0.25) return (smr_loss_point){y * D, y * (t + D), mean};
    return (smr_loss_point){isinf(mean) ? mean : (mean - y) - y * t, mean - y, mean};
}

static inline smr_loss_point at_poisson(double unused, double y, double f)
{
    (void)unused;
    return poisson_point(y, f, smr_exp(f), smr_log(y));
}

/* Given t = log(y) - f and exp(t). */
static inline smr_loss_point gamma_point(double t, double ratio)
{
    double D = exp_above_tangent(t);
    if (fabs(t) <= 0.25) return (smr_loss_point){D, -(t + D), ratio};
    return (smr_loss_point){(ratio - 1) - t, 1 - ratio, ratio};
}

static inline smr_loss_point at_gamma(double unused, double y, double f)
{
    (void)unused;
    double t = smr_log(y) - f;
    return gamma_point(t, smr_exp(t));
}

#endif
