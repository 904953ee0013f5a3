/* trig.c -- see trig.h. */
#include "math/trig.h"

#include "core/ctx.h"
#include "kernel/kernel.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

/* Taylor series on |z| <= pi/4: the first term left out is below 1e-19 of the sum. */
static double sin_small(double z)
{
    static const double c[] = {
        -1.0 / 6,        1.0 / 120,        -1.0 / 5040,          1.0 / 362880,
        -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
    double r = z * z, sum = 0;
    for (int64_t k = SMR_COUNT(c); k-- > 0;) sum = sum * r + c[k];
    return z + z * (r * sum);
}

static double cos_small(double z)
{
    static const double c[] = {
        1.0 / 24,        -1.0 / 720,         1.0 / 40320,          -1.0 / 3628800,
        1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000, -1.0 / 6402373705728000};
    double r = z * z, sum = 0;
    for (int64_t k = SMR_COUNT(c); k-- > 0;) sum = sum * r + c[k];
    return 1 - (0.5 * r - r * (r * sum));
}

/* x = q/2 + f with |f| <= 1/4, exactly; q modulo 4. */
static int quadrant(double x, double *f)
{
    double turn = fmod(x, 2);
    double q = nearbyint(2 * turn);
    *f = turn - 0.5 * q;
    return (int)q & 3;
}

double smr_sin_pi(double x)
{
    double f;
    if (!isfinite(x)) return NAN;
    int q = quadrant(x, &f);
    double r = q & 1 ? cos_small(PI * f) : sin_small(PI * f);
    return q & 2 ? -r : r;
}

double smr_cos_pi(double x)
{
    double f;
    if (!isfinite(x)) return NAN;
    int q = quadrant(x, &f);
    double r = q & 1 ? sin_small(PI * f) : cos_small(PI * f);
    return (q + 1) & 2 ? -r : r;
}

/* Beyond 1 the complement; then two half angles, atan x = 2 atan(x / (1 + sqrt(1 + x^2))), which
 * leave |x| <= tan(pi/16) = 0.199. */
double smr_atan(double x)
{
    double a = fabs(x);
    if (isnan(x)) return NAN;
    bool flipped = a > 1;
    if (flipped) a = 1 / a;
    for (int half = 0; half < 2; half++) a = a / (1 + sqrt(1 + a * a));
    double r = a * a, sum = 0;
    for (int k = 12; k >= 1; k--) sum = r * (sum + (k & 1 ? -1.0 : 1.0) / (2 * k + 1));
    double angle = 4 * (a + a * sum);
    if (flipped) angle = 0.5 * PI - angle;
    return x < 0 ? -angle : angle;
}

void smr_random_normals(uint64_t seed, smr_stream stream, uint64_t a, uint64_t b, double out[2])
{
    uint32_t bits[4];
    smr_philox(seed, stream, a, b, bits);
    uint64_t first = (uint64_t)bits[1] << 32 | bits[0], second = (uint64_t)bits[3] << 32 | bits[2];
    double u = ((double)(first >> 11) + 0.5) * 0x1p-53; /* in (0, 1] */
    double turn = (double)(second >> 11) * 0x1p-52;     /* in [0, 2): the angle over pi */
    double radius = sqrt(-2 * smr_log(u));
    out[0] = radius * smr_cos_pi(turn);
    out[1] = radius * smr_sin_pi(turn);
}
