/* half.c -- see half.h. */
#include "core/half.h"

#include <string.h>

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

float smr_bfloat_widen(smr_bfloat x)
{
    return float_of((uint32_t)x.bits << 16);
}

float smr_half_widen(smr_half x)
{
    uint32_t sign = (uint32_t)(x.bits & 0x8000) << 16, exponent = x.bits >> 10 & 31;
    uint32_t fraction = x.bits & 0x3ff;
    if (exponent == 31) return float_of(sign | 0x7f800000 | fraction << 13);
    if (exponent) return float_of(sign | (exponent + 112) << 23 | fraction << 13);
    if (!fraction) return float_of(sign);
    uint32_t shift = 0; /* below 2^-14: every such number has a normal float */
    for (; !(fraction & 0x400); shift++) fraction <<= 1;
    return float_of(sign | (113 - shift) << 23 | (fraction & 0x3ff) << 13);
}

/* The number with `digits` fraction bits and exponents from `least`, whose bias is 1 - least,
 * nearest to x; `top` is its infinity.  A number below 2^least loses the leading 1 and more
 * fraction bits; a fraction that rounds up to 2 carries into the exponent, and at last into the
 * infinity, by itself. */
static uint16_t round_to(double x, int digits, int least, uint16_t top, uint16_t nan)
{
    uint64_t w;
    memcpy(&w, &x, sizeof w);
    uint16_t sign = (uint16_t)(w >> 48 & 0x8000);
    int exponent = (int)(w >> 52 & 0x7ff) - 1023;
    uint64_t fraction = w & ((UINT64_C(1) << 52) - 1);
    if (exponent == 1024 && fraction) return nan;
    if (exponent > 1 - least) return (uint16_t)(sign | top); /* 1 - least is the largest exponent */
    if (exponent < least - digits - 1) return sign;          /* below half of the smallest */
    int lost = 52 - digits;
    uint64_t whole = (uint64_t)(exponent - least + 1) << 52 | fraction;
    if (exponent < least) {
        lost += least - exponent;
        whole = UINT64_C(1) << 52 | fraction;
    }
    uint64_t kept = whole >> lost, rest = whole & ((UINT64_C(1) << lost) - 1);
    uint64_t tie = UINT64_C(1) << (lost - 1);
    kept += rest > tie || (rest == tie && (kept & 1));
    return (uint16_t)(sign | kept);
}

smr_half smr_half_round(double x)
{
    return (smr_half){round_to(x, 10, -14, 0x7c00, SMR_HALF_NAN)};
}

smr_bfloat smr_bfloat_round(double x)
{
    return (smr_bfloat){round_to(x, 7, -126, 0x7f80, SMR_BFLOAT_NAN)};
}
