/* normal.c -- the normal distribution (special.h).
 *
 *     Phi(x) - 1/2 = phi(x) (x + x^3/3 + x^5/(3 5) + x^7/(3 5 7) + ...)                        (1)
 *     1 - Phi(x)   = phi(x) / (x + 1/(x + 2/(x + 3/(x + ...))))                                (2)
 *
 * (1) serves |x| < 2, (2) the tails, evaluated from the back: its error after n terms is about
 * exp(-2 x sqrt(2 n)).  The quantile starts from a rational approximation and takes Halley's steps
 * on the side of the distribution where p has all its digits.
 *
 * Reference: Abramowitz & Stegun, 26.2.11, 26.2.14, 26.2.23. */

#include "core/ctx.h"
#include "kernel/kernel.h"
#include "math/special_parts.h"

#include <float.h>

static const double ROOT_2PI_INVERSE = 0.39894228040143267794;

double smr_normal_pdf(double x)
{
    dd square = dd_two_product(x, x);
    if (isnan(x)) return NAN;
    if (square.hi > 1500) return 0;
    double e = smr_exp(-0.5 * square.hi);
    return ROOT_2PI_INVERSE * (e - 0.5 * square.lo * e);
}

/* Phi(x) - 1/2 by (1). */
static double central_area(double x)
{
    double term = x, sum = x, square = x * x;
    for (int k = 3; fabs(term) > fabs(sum) * (DBL_EPSILON / 8); k += 2) {
        term *= square / k;
        sum += term;
    }
    return smr_normal_pdf(x) * sum;
}

/* The denominator of (2), x >= 2. */
static double tail_fraction(double x)
{
    double f = x;
    for (int k = 30 + (int)(200 / (x * x)); k >= 1; k--) f = x + k / f;
    return f;
}

/* 1 - Phi(x), x > -2: by (2) where it is a tail. */
static double upper_area(double x)
{
    if (x < 2) return 0.5 - central_area(x);
    return smr_normal_pdf(x) / tail_fraction(x);
}

double smr_normal_cdf(double x)
{
    if (isnan(x)) return NAN;
    return x < 0 ? upper_area(-x) : x < 2 ? 0.5 + central_area(x) : 1 - upper_area(x);
}

smr_tail smr_normal_tail(double z)
{
    double p = smr_normal_cdf(z);
    if (!(z < -2)) return (smr_tail){p, z > 2 ? smr_log1p(-upper_area(z)) : smr_log(p)};
    if (z < -1e150) return (smr_tail){0, -INFINITY};
    dd power = dd_two_product(-0.5 * z, z);
    double rest = smr_log(ROOT_2PI_INVERSE / tail_fraction(-z));
    return (smr_tail){p, dd_value(dd_plus(power, dd_of(rest)))};
}

/* The x > 0 with upper tail p <= 1/2, to 4.5e-4. */
static double rough_quantile(double p)
{
    double t = sqrt(-2 * smr_log(p));
    return t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                   (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

double smr_normal_quantile(double p)
{
    if (!(p >= 0 && p <= 1)) return NAN;
    if (p == 0 || p == 1) return p == 0 ? -INFINITY : INFINITY;
    double tail = p <= 0.5 ? p : 1 - p, middle = fabs(p - 0.5);
    bool central = middle < 0.4;
    if (middle == 0) return 0;
    double x = rough_quantile(tail);
    for (int step = 0; step < 4; step++) {
        double miss = central ? central_area(x) - middle : tail - upper_area(x);
        double u = miss / smr_normal_pdf(x);
        x -= u / (1 + 0.5 * x * u);
    }
    return p <= 0.5 ? -x : x;
}
