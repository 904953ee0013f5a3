/* dd.h -- sums and products with twice the digits: a value is hi + lo, |lo| <= ulp(hi) / 2.
 *
 * Two uses: sums over many rows that must not lose what the small terms add (dd_add), and
 * exponents of tail probabilities, where an absolute error of 1e-13 in a logarithm of -700 is a
 * relative error of 1e-13 in the probability (dd_plus, dd_times, smr_dd_log).
 *
 * All operations round to nearest and fuse only where fma is written, so the bits are the same on
 * every machine.  References: Knuth, TAOCP 2, 4.2.2 (two_sum); Dekker, Numer. Math. 18 (1971);
 * Neumaier, ZAMM 54 (1974). */
#ifndef SMR_MATH_DD_H
#define SMR_MATH_DD_H

#include <math.h>

typedef struct dd {
    double hi, lo;
} dd;

/* a + b exactly, as hi + lo. */
static inline dd dd_two_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (dd){s, (a - (s - t)) + (b - t)};
}

/* a + b exactly, for |a| >= |b|. */
static inline dd dd_fast_sum(double a, double b)
{
    double s = a + b;
    return (dd){s, b - (s - a)};
}

/* a * b exactly, barring underflow. */
static inline dd dd_two_product(double a, double b)
{
    double p = a * b;
    return (dd){p, fma(a, b, -p)};
}

/* A running sum: what rounding takes from hi is kept in lo. */
static inline void dd_add(dd *sum, double x)
{
    dd s = dd_two_sum(sum->hi, x);
    sum->hi = s.hi;
    sum->lo += s.lo;
}

/* sum += a * b, the product's rounding error included. */
static inline void dd_add_product(dd *sum, double a, double b)
{
    dd p = dd_two_product(a, b);
    dd_add(sum, p.hi);
    sum->lo += p.lo;
}

/* The sum as a double; a sum that overflowed stays infinite. */
static inline double dd_value(dd a)
{
    return isfinite(a.lo) ? a.hi + a.lo : a.hi;
}

static inline dd dd_plus(dd a, dd b)
{
    dd s = dd_two_sum(a.hi, b.hi), t = dd_two_sum(a.lo, b.lo);
    s = dd_fast_sum(s.hi, s.lo + t.hi);
    return dd_fast_sum(s.hi, s.lo + t.lo);
}

static inline dd dd_minus(dd a, dd b)
{
    return dd_plus(a, (dd){-b.hi, -b.lo});
}

static inline dd dd_times(dd a, dd b)
{
    dd p = dd_two_product(a.hi, b.hi);
    return dd_fast_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

/* One Newton correction of the double quotient; exact to about 1e-31. */
static inline dd dd_over(dd a, dd b)
{
    double q = a.hi / b.hi;
    dd r = dd_minus(a, dd_times(b, (dd){q, 0}));
    return dd_fast_sum(q, (r.hi + r.lo) / b.hi);
}

/* Logarithm of a positive, normal value; absolute error about 1e-31 max(1, |log a|). */
dd smr_dd_log(dd a);

#endif
