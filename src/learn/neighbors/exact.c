/* exact.c -- which of two rows is nearer, decided in exact arithmetic.
 *
 * Distances in double are off by a few units in the last place; two that differ by less are
 * compared here, on the stored values as they are:
 *
 *     L2:    sum (q-a)^2 - sum (q-b)^2  =  sum a^2 - b^2 - 2qa + 2qb
 *     L1:    sum |q-a| - |q-b|
 *     Linf:  the largest |q-a| against the largest |q-b|
 *
 * Every term is a product of two doubles: 106 bits at some binary exponent between -2148 and 2048.
 * They are added into one long fixed-point number that has a place for each of these bits, so
 * nothing is ever rounded, and the sign is read off at the end (a Kulisch accumulator).  Limbs hold
 * 32 bits in 64, which leaves room for 2^31 additions before a carry must run.
 *
 * Cost: about 20 ns per coordinate; searches come here for near ties only. */
#include "learn/neighbors/exact.h"

#include "core/int128.h"

#include <math.h>
#include <string.h>

enum {
    LOWEST = -2148,                 /* exponent of the first bit: the least double squared     */
    LIMBS = (2148 + 2048 + 96) / 32 /* up to 2^2048, and room for the number of terms          */
};

struct sum {
    int64_t limb[LIMBS + 4];
};

/* |x| = *mantissa 2^*exponent. */
static void take_apart(double x, uint64_t *mantissa, int *exponent)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int e = (int)(bits >> 52) & 0x7ff;
    uint64_t fraction = bits & 0xfffffffffffffULL;
    *mantissa = e ? fraction | 1ULL << 52 : fraction;
    *exponent = (e ? e : 1) - 1075;
}

/* sum += sign * 2^twice * x * y */
static void add_product(struct sum *sum, int sign, int twice, double x, double y)
{
    uint64_t mx, my;
    int ex, ey;
    if (x == 0 || y == 0) return;
    if ((x < 0) != (y < 0)) sign = -sign;
    take_apart(x, &mx, &ex);
    take_apart(y, &my, &ey);

    smr_u128 product = (smr_u128)mx * my;
    int at = ex + ey + twice - LOWEST;
    int64_t *limb = sum->limb + at / 32;
    int shift = at % 32;
    uint64_t top = shift ? (uint64_t)(product >> (128 - shift)) : 0;
    product <<= shift;
    for (int i = 0; i < 4; i++) {
        limb[i] += sign * (int64_t)(uint32_t)product;
        product >>= 32;
    }
    limb[4] += sign * (int64_t)top;
}

static int sign_of(struct sum *sum)
{
    int64_t carry = 0;
    bool zero = true;
    for (int i = 0; i < LIMBS + 4; i++) {
        int64_t v = sum->limb[i] + carry;
        int64_t low = v & 0xffffffff;
        zero = zero && low == 0;
        carry = (v - low) / ((int64_t)1 << 32);
    }
    if (carry < 0) return -1;
    return zero && carry == 0 ? 0 : 1;
}

/* sum += sign * |x - y| */
static void add_gap(struct sum *sum, int sign, double x, double y)
{
    if (x < y) sign = -sign;
    add_product(sum, sign, 0, x, 1.0);
    add_product(sum, -sign, 0, y, 1.0);
}

/* |x - y| = high + low exactly, high rounded to double (Knuth's two-sum); needs |x - y| < 1e300. */
struct gap {
    double high, low;
};

static struct gap gap_of(double x, double y)
{
    double s = x - y, v = s - x;
    double e = (x - (s - v)) - (y + v);
    return s < 0 ? (struct gap){-s, -e} : (struct gap){s, e};
}

static int compare_gaps(double x, double y, double u, double v)
{
    double first = fabs(x - y), second = fabs(u - v);
    if (first != second) return first < second ? -1 : 1; /* rounding keeps the order */
    if (first < 1e300) {
        double e = gap_of(x, y).low, f = gap_of(u, v).low;
        return (e > f) - (e < f);
    }
    struct sum sum = {{0}};
    add_gap(&sum, 1, x, y);
    add_gap(&sum, -1, u, v);
    return sign_of(&sum);
}

/* The coordinate where q and a are furthest apart. */
static int64_t widest(int64_t d, const double *q, const double *a)
{
    int64_t best = 0;
    double most = fabs(q[0] - a[0]);
    for (int64_t j = 1; j < d; j++) {
        double gap = fabs(q[j] - a[j]);
        if (gap < most || (gap == most && compare_gaps(q[j], a[j], q[best], a[best]) <= 0))
            continue;
        best = j;
        most = gap;
    }
    return best;
}

int smr_exact_compare(smr_near_kind kind, int64_t d, const double *q, const double *a,
                      const double *b)
{
    if (kind == SMR_NEAR_LINF) {
        int64_t i = widest(d, q, a), j = widest(d, q, b);
        return compare_gaps(q[i], a[i], q[j], b[j]);
    }
    struct sum sum = {{0}};
    for (int64_t j = 0; j < d; j++) {
        if (a[j] == b[j]) continue;
        if (kind == SMR_NEAR_L1) {
            add_gap(&sum, 1, q[j], a[j]);
            add_gap(&sum, -1, q[j], b[j]);
        } else {
            add_product(&sum, 1, 0, a[j], a[j]);
            add_product(&sum, -1, 0, b[j], b[j]);
            add_product(&sum, -1, 1, q[j], a[j]);
            add_product(&sum, 1, 1, q[j], b[j]);
        }
    }
    return sign_of(&sum);
}

void smr_places_add(smr_places *places, int64_t n, const double *x)
{
    smr_places p = *places;
    for (int64_t i = 0; i < n && p.high - p.low <= 53; i++) {
        uint64_t mantissa;
        int exponent;
        if (x[i] == 0) continue;
        take_apart(x[i], &mantissa, &exponent);
        int low = exponent + __builtin_ctzll(mantissa);
        int high = exponent + 64 - __builtin_clzll(mantissa);
        if (low < p.low) p.low = low;
        if (high > p.high) p.high = high;
    }
    *places = p;
}

bool smr_exact_fits(smr_near_kind kind, int64_t d, smr_places places)
{
    int width = places.high - places.low + 1; /* of a difference */
    if (places.high < places.low) return true;
    int terms = 64 - __builtin_clzll((uint64_t)d);
    if (places.low < -500 || places.high > 400) return false; /* squares stay normal numbers */
    if (kind == SMR_NEAR_LINF) return width <= 53;
    if (kind == SMR_NEAR_L1) return width + terms <= 53;
    return 2 * width + terms <= 53;
}
