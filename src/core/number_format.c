/* number_format.c -- doubles to decimal text: shortest, and correctly rounded.  See number.h.
 *
 * Shortest (Schubfach, Giulietti 2020).  The decimals that read back as x = c * 2^q fill an
 * interval of width 2^q (3/4 of it when c = 2^52: the lower neighbour is nearer).  With k the
 * largest integer such that 10^k is at most that width, some multiple of 10^k lies inside and at
 * most one multiple of 10^(k+1); so it is enough to try the two multiples of each around x.  The
 * interval's ends and x are scaled by 128 bits of 10^-k and rounded to odd, which keeps every
 * comparison right.
 *
 * Rounded.  n = x * 10^p with p such that n has the digits asked for, from 128 bits of 10^p.  The
 * error is below 2^-60 of n's last digit; when the fraction is nearer to 1/2 than that,
 * number_exact.c decides.
 *
 * Reference: Giulietti, "The Schubfach way to render doubles", 2020. */
#include "core/number.h"

#include "core/number_parts.h"

#include <math.h>
#include <string.h>

/* n * 10^exponent */
struct decimal {
    uint64_t n;
    int exponent;
};

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* ---- shortest --------------------------------------------------------------------------- */

/* The 128 leading bits of 10^e, rounded up unless exact. */
static smr_u128 power_rounded_up(int e)
{
    const uint64_t *power = smr_powers_of_ten[e - SMR_POWER_LEAST];
    return ((smr_u128)power[0] << 64 | power[1]) + !(e >= -27 && e <= 55);
}

/* g * c / 2^128, rounded to odd: the last bit says that something was cut off. */
static uint64_t multiply_to_odd(smr_u128 g, uint64_t c)
{
    smr_u128 low = (smr_u128)(uint64_t)g * c;
    smr_u128 high = (smr_u128)(uint64_t)(g >> 64) * c + (low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* The shortest decimal that reads back as the double, the nearest of them if there are several. */
static struct decimal shortest(uint64_t bits)
{
    uint64_t c = smr_mantissa(bits);
    int q = smr_exponent(bits);
    bool is_even = !(c & 1);
    bool is_power = c == UINT64_C(1) << 52 && q > -1074; /* the lower neighbour is nearer */

    /* k = floor(log10 of the interval's width), h lines up 4 c 2^q 10^-k with a word. */
    int k = (q * 1262611 - (is_power ? 524031 : 0)) >> 22;
    int h = q + smr_log2_of_power(-k) + 1;
    smr_u128 g = power_rounded_up(-k);
    uint64_t below = multiply_to_odd(g, (4 * c - 2 + is_power) << h);
    uint64_t x = multiply_to_odd(g, 4 * c << h);
    uint64_t above = multiply_to_odd(g, (4 * c + 2) << h);
    uint64_t least = below + !is_even,
             most = above - !is_even; /* the ends read as x if c is even */

    uint64_t s = x / 4;
    if (s >= 10) {
        uint64_t tens = s / 10;
        bool down_fits = least <= 40 * tens, up_fits = 40 * tens + 40 <= most;
        if (down_fits != up_fits) return (struct decimal){tens + up_fits, k + 1};
    }
    bool down_fits = least <= 4 * s, up_fits = 4 * s + 4 <= most;
    if (down_fits != up_fits) return (struct decimal){s + up_fits, k};
    uint64_t middle = 4 * s + 2;
    return (struct decimal){s + (x > middle || (x == middle && s & 1)), k};
}

/* ---- rounded ---------------------------------------------------------------------------- */

static char *write_digits(uint64_t n, char *end)
{
    do {
        *--end = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    return end;
}

/* Nearest whole number to c * 2^q * 10^p, ties to even; the answer is below 2^62, at least 1. */
static uint64_t scale_and_round(uint64_t c, int q, int p)
{
    int zeros = __builtin_clzll(c);
    const uint64_t *power = smr_powers_of_ten[p - SMR_POWER_LEAST];
    smr_u128 low = (smr_u128)(c << zeros) * power[1];
    smr_u128 product = (smr_u128)(c << zeros) * power[0] + (low >> 64);
    int shift = 63 + zeros - q - smr_log2_of_power(p); /* n = product / 2^shift, 64 < shift < 128 */

    uint64_t n = (uint64_t)(product >> shift);
    smr_u128 half = (smr_u128)1 << (shift - 1), fraction = product - ((smr_u128)n << shift);
    if (fraction + 2 <= half) return n; /* the true fraction lies in (fraction - 1, fraction + 2) */
    if (fraction > half) return n + 1;

    char text[24], *end = text + sizeof text;
    int order = smr_compare_exactly(write_digits(2 * n + 1, end), end, -p, c, q + 1);
    return n + (order < 0 || (order == 0 && n & 1));
}

static struct decimal rounded(uint64_t bits, int digits)
{
    uint64_t c = smr_mantissa(bits), limit = 10;
    int q = smr_exponent(bits);
    for (int i = 1; i < digits; i++) limit *= 10;

    /* floor(log10 2^e) is the decimal exponent of x or one less. */
    int exponent = ((q + 63 - __builtin_clzll(c)) * 1262611) >> 22;
    int p = digits - 1 - exponent;
    uint64_t n = scale_and_round(c, q, p);
    if (n > limit) n = scale_and_round(c, q, --p); /* one digit too many; n = limit loses none */
    return (struct decimal){n, -p};
}

/* ---- layout ----------------------------------------------------------------------------- */

static char *add(char *out, const char *bytes, int64_t n)
{
    memcpy(out, bytes, (size_t)n);
    return out + n;
}

static char *add_zeros(char *out, int64_t n)
{
    for (; n > 0; n--) *out++ = '0';
    return out;
}

static char *add_scientific(char *out, const char *digits, int64_t n, int exponent)
{
    char text[8], *end = text + sizeof text;
    *out++ = digits[0];
    if (n > 1) {
        *out++ = '.';
        out = add(out, digits + 1, n - 1);
    }
    *out++ = 'e';
    if (exponent < 0) *out++ = '-';
    char *first = write_digits((uint64_t)(exponent < 0 ? -exponent : exponent), end);
    return add(out, first, end - first);
}

/* Plain from 1e-4 up to 1e15, and beyond that as long as no zero must be invented. */
static char *add_decimal(char *out, struct decimal d)
{
    char text[24], *end = text + sizeof text;
    while (d.n % 10 == 0) {
        d.n /= 10;
        d.exponent++;
    }
    char *digits = write_digits(d.n, end);
    int64_t n = end - digits;
    int64_t whole = n + d.exponent; /* digits before the point; 0 or less: zeros after it */

    if (whole < -3 || (whole > 15 && whole > n))
        return add_scientific(out, digits, n, (int)whole - 1);
    if (whole <= 0) {
        out = add_zeros(add(out, "0.", 2), -whole);
        return add(out, digits, n);
    }
    if (whole >= n) return add_zeros(add(out, digits, n), whole - n);
    out = add(out, digits, whole);
    *out++ = '.';
    return add(out, digits + whole, n - whole);
}

static int finish(char *out, char *end)
{
    *end = '\0';
    return (int)(end - out);
}

/* Writes what has no digits: nan, inf, zero. */
static char *add_special(char *out, double x)
{
    if (isnan(x)) return add(out, "nan", 3);
    if (isinf(x)) return add(out, "inf", 3);
    return add(out, "0", 1);
}

int smr_format_double(double x, char out[SMR_NUMBER_MAX])
{
    char *p = out;
    if (signbit(x) && !isnan(x)) *p++ = '-';
    double size = fabs(x);
    if (!(size > 0 && size <= 0x1.fffffffffffffp1023)) return finish(out, add_special(p, x));
    if (size < 1e15 && size == (double)(int64_t)size) { /* counts and codes, the commonest */
        char text[24], *end = text + sizeof text;
        char *first = write_digits((uint64_t)size, end);
        return finish(out, add(p, first, end - first));
    }
    return finish(out, add_decimal(p, shortest(bits_of(size))));
}

int smr_format_rounded(double x, int digits, char out[SMR_NUMBER_MAX])
{
    char *p = out;
    if (x < 0) *p++ = '-';
    double size = fabs(x);
    if (!(size > 0 && size <= 0x1.fffffffffffffp1023)) return finish(out, add_special(p, x));
    digits = digits < 1 ? 1 : digits > 17 ? 17 : digits;
    return finish(out, add_decimal(p, rounded(bits_of(size), digits)));
}
