/* elementary.h -- exp, log and their relatives without branches or tables.
 *
 * Written for one number, in straight lines that a compiler turns into vectors when they are in a
 * loop; scalar and vector form have the same bits because each step is one IEEE operation.
 *
 *     e^x - 1 = 2^k (1 + p) - 1,    x = k ln 2 + r,   |r| <= ln 2 / 2,   p = e^r - 1          (1)
 *     log x   = k ln 2 + 2 atanh s, x = 2^k m,   sqrt(1/2) <= m < sqrt 2,   s = (m-1) / (m+1)  (2)
 *     p = r + r^2/2 + r^3 Q(r),     2 atanh s = 2 s + s^3 P(s^2)
 *     x^y     = e^(y log x), with log x as an unevaluated sum of two doubles
 *
 * Where a rounding would cost, a value is kept as high + low.  Q and P come from coefficients.py,
 * which states their errors.  Measured errors are in tests/unit/kernel/test_elementary.c.
 * References: Dekker, Numer. Math. 18:224-242, 1971 (sums and products in pairs); Tang, ACM TOMS
 * 15(2):144-157, 1989 and 16(4):378-400, 1990 (the reductions). */
#ifndef SMR_KERNEL_TIER_ELEMENTARY_H
#define SMR_KERNEL_TIER_ELEMENTARY_H

#include "kernel/tier/simd.h"

#define LN2_HIGH 0x1.62e42fefa3800p-1 /* 42 bits: k times it is exact */
#define LN2_LOW 0x1.ef35793c76730p-45
#define PER_LN2 0x1.71547652b82fep+0
#define ROUNDER 0x1.8p52 /* adding it leaves an integer in the low bits */
#define SQRT_HALF_BITS 0x3fe6a09e667f3bcdu
#define ONE_BITS 0x3ff0000000000000u
#define INF __builtin_inf()
#define NOT_A_NUMBER __builtin_nan("")

typedef struct {
    double high, low;
} pair;

INLINE double fma1(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

INLINE uint64_t to_bits(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

INLINE double from_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

INLINE double magnitude(double x)
{
    return from_bits(to_bits(x) & INT64_MAX);
}

/* a + b exactly; |a| >= |b| or a = 0. */
INLINE pair fast_sum(double a, double b)
{
    double s = a + b;
    return (pair){s, b - (s - a)};
}

/* a + b exactly. */
INLINE pair sum_of(double a, double b)
{
    double s = a + b, t = s - a;
    return (pair){s, (a - (s - t)) + (b - t)};
}

/* x y to about 100 bits. */
INLINE pair product_of(pair x, pair y)
{
    double h = x.high * y.high;
    double l = fma1(x.high, y.high, -h) + fma1(x.high, y.low, x.low * y.high);
    return fast_sum(h, l);
}

/* x + y to about 100 bits; |x| >= |y| or x = 0. */
INLINE pair sum_of_pairs(pair x, pair y)
{
    pair s = fast_sum(x.high, y.high);
    return fast_sum(s.high, s.low + (x.low + y.low));
}

/* ---- the exponential side of (1) ---- */

typedef struct {
    pair p;     /* e^r - 1 */
    uint64_t k; /* as two's complement */
} power;

/* |x| <= 1100; x.low is below an ulp of x.high, and 0 unless has_low. */
INLINE power split_power(pair x, const bool has_low)
{
    double t = fma1(x.high, PER_LN2, ROUNDER), k = t - ROUNDER;
    double r = fma1(-k, LN2_HIGH, x.high); /* exact */
    double high = fma1(-k, LN2_LOW, r);
    double low = fma1(-k, LN2_LOW, r - high);
    if (has_low) {
        pair sum = fast_sum(high, low + x.low);
        high = sum.high;
        low = sum.low;
    }
    double r2 = high * high, r4 = r2 * r2;
    double q12 = fma1(0x1.5555555555556p-5, high, 0x1.5555555555557p-3);
    double q34 = fma1(0x1.6c16c16c162d4p-10, high, 0x1.11111111100dcp-7);
    double q56 = fma1(0x1.a01a01a6d889cp-16, high, 0x1.a01a01abe7fe1p-13);
    double q78 = fma1(0x1.27e4db646b17ep-22, high, 0x1.71de0231960ebp-19);
    double q90 = fma1(0x1.1f730349868cep-29, high, 0x1.af4de97ca4194p-26);
    double q = fma1(fma1(q90, r4, fma1(q78, r2, q56)), r4, fma1(q34, r2, q12));
    pair p = fast_sum(high, 0.5 * r2);
    double rest = fma1(0.5 * high, high, -0.5 * r2) + fma1(low, high, low);
    p = fast_sum(p.high, p.low + fma1(r2 * high, q, rest));
    return (power){p, to_bits(t) - to_bits(ROUNDER)};
}

/* x 2^k for -1100 <= k <= 1100, in two steps so that neither factor overflows. */
INLINE double scale(double x, uint64_t k)
{
    uint64_t half = ((k + 4096) >> 1) - 2048;
    return x * from_bits((half + 1023) << 52) * from_bits((k - half + 1023) << 52);
}

/* e^x.  Past the limits the result overflows or underflows by itself. */
INLINE double exp_pair(pair x, const bool has_low)
{
    x.high = x.high > 710 ? 710 : x.high;
    x.high = x.high < -746 ? -746 : x.high;
    power e = split_power(x, has_low);
    pair s = fast_sum(1, e.p.high);
    return scale(s.high + (s.low + e.p.low), e.k);
}

INLINE double exp1(double x)
{
    return exp_pair((pair){x, 0}, false);
}

/* e^x for -700 <= x <= 0, with the bits of exp1: nothing overflows, and no factor is subnormal. */
INLINE double exp_of_negative(double x)
{
    power e = split_power((pair){x, 0}, false);
    pair s = fast_sum(1, e.p.high);
    return (s.high + (s.low + e.p.low)) * from_bits((e.k + 1023) << 52);
}

/* e^x - 1 as a pair, |x| <= 50. */
INLINE pair less_one(double x)
{
    power e = split_power((pair){x, 0}, false);
    double two_k = from_bits((e.k + 1023) << 52);
    pair s = fast_sum(1, e.p.high);
    pair t = sum_of(s.high * two_k, -1);
    return sum_of(t.high, t.low + (s.low + e.p.low) * two_k);
}

INLINE double expm1_1(double x)
{
    double near = x > 50 ? 50 : x;
    near = near < -50 ? -50 : near;
    double y = less_one(near).high;
    y = x > 40 ? exp1(x) : y;              /* the 1 is far below half an ulp */
    return magnitude(x) < 0x1p-54 ? x : y; /* keeps the sign of zero, and subnormal numbers */
}

/* tanh |x| = E / (E + 2) with E = e^(2|x|) - 1; the quotient is corrected by its remainder. */
INLINE double tanh1(double x)
{
    double a = magnitude(x);
    double near = a > 22 ? 22 : a;
    pair e = less_one(2 * near), d = sum_of(e.high, 2);
    d.low += e.low;
    double q = e.high / d.high;
    double rest = fma1(-q, d.high, e.high) + fma1(-q, d.low, e.low);
    double y = q + rest / d.high;
    y = from_bits(to_bits(y) | (to_bits(x) & ~(uint64_t)INT64_MAX));
    return a < 0x1p-28 ? x : y; /* tanh x = x - x^3 / 3 */
}

/* ---- the logarithmic side of (2) ---- */

typedef struct {
    double k;
    pair f; /* m - 1 */
} mantissa;

/* x > 0, normal. */
INLINE mantissa split_mantissa(double x)
{
    uint64_t u = to_bits(x) - SQRT_HALF_BITS + ONE_BITS, biased = u >> 52; /* k + 1023 */
    double m = from_bits(to_bits(x) - ((biased - 1023) << 52));
    double k = from_bits(0x4330000000000000u | biased) - (0x1p52 + 1023);
    return (mantissa){k, {m - 1, 0}};
}

/* s = f / (2 + f). */
INLINE pair atanh_argument(pair f)
{
    pair d = fast_sum(2, f.high);
    d.low += f.low;
    double s = f.high / d.high;
    double rest = fma1(-s, d.high, f.high) + fma1(-s, d.low, f.low);
    return (pair){s, rest / d.high};
}

INLINE double log_mantissa(mantissa x)
{
    pair s = atanh_argument(x.f);
    double z = s.high * s.high, z2 = z * z;
    double p01 = fma1(0x1.9999999999a38p-2, z, 0x1.5555555555555p-1);
    double p23 = fma1(0x1.c71c720168523p-3, z, 0x1.2492492476c42p-2);
    double p45 = fma1(0x1.3b1c36b44161bp-3, z, 0x1.745cf8fe32a46p-3);
    double p67 = fma1(0x1.0c051669ed051p-3, z, 0x1.0fbe71adfbddap-3);
    double p = fma1(fma1(p67, z2, p45), z2 * z2, fma1(p23, z2, p01));
    pair sum = fast_sum(x.k * LN2_HIGH, 2 * s.high);
    double rest = fma1(s.high * z, p, fma1(x.k, LN2_LOW, 2 * s.low));
    return sum.high + (sum.low + rest);
}

/* Subnormal numbers are made normal; `lift` is what was taken from k. */
INLINE double lift_subnormal(double x, double *lift)
{
    bool is_small = x < 0x1p-1022;
    *lift = is_small ? 54 : 0;
    return x * (is_small ? 0x1p54 : 1);
}

INLINE double log1(double x)
{
    double lift, y;
    mantissa m = split_mantissa(lift_subnormal(x, &lift));
    m.k -= lift;
    y = log_mantissa(m);
    y = x < INF ? y : x; /* infinity and NaN */
    y = x == 0 ? -INF : y;
    return x < 0 ? NOT_A_NUMBER : y;
}

INLINE double log1p_1(double x)
{
    pair sum = sum_of(1, x);
    mantissa m = split_mantissa(sum.high);
    double k = m.k > 1000 ? 1000 : m.k; /* then nothing is left of sum.low */
    m.f = sum_of(m.f.high, sum.low * from_bits((to_bits(ROUNDER - k) + 1023) << 52));
    double y = log_mantissa(m);
    y = magnitude(x) < 0x1p-54 ? x : y;
    y = x < INF ? y : x;
    y = x == -1 ? -INF : y;
    return x < -1 ? NOT_A_NUMBER : y;
}

/* log x to about 68 bits, for finite x > 0: P's first two coefficients and all around them are
 * pairs. */
INLINE pair log_pair(double x)
{
    double lift;
    mantissa m = split_mantissa(lift_subnormal(x, &lift));
    m.k -= lift;
    pair s = atanh_argument(m.f);
    s = fast_sum(s.high, s.low);
    pair z = product_of(s, s);
    double t = z.high, t2 = t * t;
    double p23 = fma1(0x1.c71c71c64c4bap-3, t, 0x1.249249249295bp-2);
    double p45 = fma1(0x1.3b137b291ce62p-3, t, 0x1.745d17d378420p-3);
    double p67 = fma1(0x1.debe85cacdfa3p-4, t, 0x1.111d292919a16p-3);
    double p68 = fma1(0x1.e6b2d29410eb3p-4, t2, p67);
    double p = fma1(fma1(p68, t2, p45), t2, p23);
    pair first = fast_sum(0x1.9999999999998p-2, t * p);
    first.low += 0x1.f9947592eb8aap-57;
    pair all =
        sum_of_pairs((pair){0x1.5555555555555p-1, 0x1.557592b8527e8p-55}, product_of(z, first));
    pair tail = product_of(product_of(s, z), all);
    pair log_m = sum_of_pairs((pair){2 * s.high, 2 * s.low}, tail);
    pair log_k = fast_sum(m.k * LN2_HIGH, m.k * LN2_LOW);
    return sum_of_pairs(log_k, log_m);
}

/* x^y for 0 <= x <= infinity and 0 < y < infinity, or where y log x is a number. */
INLINE double pow_magnitude(double x, double y)
{
    double special = x < INF ? 0 : x; /* infinity and NaN */
    special = x == 0 ? -INF : special;
    pair l = log_pair(special == 0 ? x : 1);
    l.high += special;
    pair e = {y * l.high, fma1(y, l.low, fma1(y, l.high, -(y * l.high)))};
    e.low = magnitude(e.high) < 1000 ? e.low : 0;
    return exp_pair(e, true);
}

INLINE double pow1(double x, double y)
{
    double z = pow_magnitude(magnitude(x), y);
    z = y == 0 || x == 1 || (x == -1 && y - y != 0 && y == y) ? 1 : z;
    bool is_integer = __builtin_trunc(y) == y;
    bool is_odd = is_integer && __builtin_trunc(y * 0.5) != y * 0.5;
    bool is_negative = to_bits(x) >> 63;
    z = is_negative && is_odd ? -z : z;
    bool has_no_value = x < 0 && x > -INF && !is_integer && y - y == 0;
    z = x != x && y != 0 ? x : z;
    return has_no_value ? NOT_A_NUMBER : z;
}

#endif
