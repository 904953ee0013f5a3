/* half.h -- numbers of 16 bits: IEEE halves, and bfloats, which are the upper half of a float.
 *
 *     half      1 sign, 5 exponent, 10 fraction bits    largest 65504, 2^-24 the smallest above 0
 *     bfloat    1 sign, 8 exponent,  7 fraction bits    the range of a float
 *
 * Both are structs, so that nobody adds their bits by mistake and _Generic tells them apart.
 * Widening is exact.  Narrowing rounds once, to the nearest, ties to the even fraction, from a
 * double too; what rounds past the largest number becomes infinite, and a NaN becomes the quiet one
 * without a sign.  Both use integer operations alone: the same bits on every processor. */
#ifndef SMR_CORE_HALF_H
#define SMR_CORE_HALF_H

#include <stdint.h>

typedef struct smr_half {
    uint16_t bits;
} smr_half;

typedef struct smr_bfloat {
    uint16_t bits;
} smr_bfloat;

enum { SMR_HALF_NAN = 0x7e00, SMR_BFLOAT_NAN = 0x7fc0 };

float smr_half_widen(smr_half x);
float smr_bfloat_widen(smr_bfloat x);
smr_half smr_half_round(double x);
smr_bfloat smr_bfloat_round(double x);

static inline int smr_half_is_nan(smr_half x)
{
    return (x.bits & 0x7fff) > 0x7c00;
}

static inline int smr_bfloat_is_nan(smr_bfloat x)
{
    return (x.bits & 0x7fff) > 0x7f80;
}

#endif
