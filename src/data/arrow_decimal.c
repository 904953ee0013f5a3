/* arrow_decimal.c -- decimals of 32 to 256 bits as the nearest doubles.
 *
 * A small integer over a small power of ten is one division of two exact doubles, so correctly
 * rounded.  Any other is written in decimal, with its exponent, and read like a number from a
 * file. */
#include "data/arrow_private.h"

#include "core/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LIMBS = 8, GROUP = 1000000000, GROUP_DIGITS = 9, MOST_GROUPS = 9, EXACT_POWER = 22 };

/* The magnitude in 32-bit limbs, the lowest first; true when the integer is negative. */
static bool take_magnitude(const unsigned char *integer, int width, uint32_t limb[LIMBS])
{
    int n = width / 4;
    for (int k = 0; k < LIMBS; k++) limb[k] = 0;
    for (int k = 0; k < n; k++) {
        bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
        memcpy(&limb[k], integer + 4 * (big ? n - 1 - k : k), 4);
    }
    bool negative = limb[n - 1] >> 31;
    uint64_t carry = 1;
    for (int k = 0; negative && k < n; k++) {
        carry += (uint32_t)~limb[k];
        limb[k] = (uint32_t)carry;
        carry >>= 32;
    }
    return negative;
}

/* Divides by 10^9, in place; returns the remainder. */
static uint32_t next_group(uint32_t limb[LIMBS])
{
    uint64_t rest = 0;
    for (int k = LIMBS - 1; k >= 0; k--) {
        rest = rest << 32 | limb[k];
        limb[k] = (uint32_t)(rest / GROUP);
        rest %= GROUP;
    }
    return (uint32_t)rest;
}

static double by_text(uint32_t limb[LIMBS], int64_t scale)
{
    char text[MOST_GROUPS * GROUP_DIGITS + 32];
    uint32_t group[MOST_GROUPS];
    int length = 0;
    double value = 0;
    for (int k = 0; k < MOST_GROUPS; k++) group[k] = next_group(limb); /* 2^256 < 10^81 */
    for (int k = MOST_GROUPS - 1; k >= 0; k--)
        length += snprintf(text + length, sizeof text - (size_t)length, "%09" PRIu32, group[k]);
    length += snprintf(text + length, sizeof text - (size_t)length, "e%" PRId64, -scale);
    (void)smr_parse_double(text, text + length, &value);
    return value;
}

double smr_arrow_decimal(const unsigned char *integer, int width, int64_t scale)
{
    static const double power[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    uint32_t limb[LIMBS];
    bool negative = take_magnitude(integer, width, limb), small = limb[1] < 1u << 21;
    for (int k = 2; k < LIMBS; k++) small &= limb[k] == 0;
    double value;
    if (small && scale >= 0 && scale <= EXACT_POWER)
        value = (double)((uint64_t)limb[1] << 32 | limb[0]) / power[scale];
    else
        value = by_text(limb, scale);
    return negative ? -value : value;
}
