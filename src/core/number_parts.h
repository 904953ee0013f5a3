/* number_parts.h -- what number.c and number_format.c share: powers of ten and the exact
 * comparison. */
#ifndef SMR_CORE_NUMBER_PARTS_H
#define SMR_CORE_NUMBER_PARTS_H

#include "core/int128.h"

#include <stdint.h>

enum { SMR_POWER_LEAST = -342, SMR_POWER_MOST = 342 };

/* The 128 leading bits of 10^e, high word first, at index e - SMR_POWER_LEAST: exact for
 * 0 <= e <= 55, rounded up for -27 <= e < 0, rounded down elsewhere. */
extern const uint64_t smr_powers_of_ten[SMR_POWER_MOST - SMR_POWER_LEAST + 1][2];

/* floor(log2 10^e), for |e| <= 1233. */
static inline int smr_log2_of_power(int e)
{
    return (e * 1741647) >> 19;
}

/* A double taken apart: m * 2^e. */
static inline uint64_t smr_mantissa(uint64_t bits)
{
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    return bits >> 52 & 0x7FF ? fraction | UINT64_C(1) << 52 : fraction;
}

static inline int smr_exponent(uint64_t bits)
{
    int biased = (int)(bits >> 52 & 0x7FF);
    return (biased ? biased : 1) - 1075;
}

/* Sign of D * 10^e10 - m * 2^e2, exactly.  D are the digits of [first, last), which may hold one
 * point that is not counted; its first digit is not 0.  The two sides must agree to within a factor
 * of 2^500, m * 2^e2 must be half the sum of two neighbouring doubles or D at most 768 digits. */
int smr_compare_exactly(const char *first, const char *last, int64_t e10, uint64_t m, int e2);

#endif
