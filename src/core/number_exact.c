/* number_exact.c -- compares a decimal with a binary number of any length, exactly.
 *
 * Called for the few inputs that 128 bits cannot decide: decimals of more than 19 digits next to
 * the middle of two doubles, and doubles next to the middle of two short decimals.  With e10 < 0,
 *
 *     D * 10^e10  ?  m * 2^e2      is      D * 2^(e10 - e2)  ?  m * 5^-e10
 *
 * (the power of two moves to the side where it is positive), and with e10 >= 0 the power of five
 * stays with D.  Both sides are whole numbers.  The middle of two doubles has at most 767
 * significant digits, so digits of D past the 768th matter only by not being all zero: they are
 * replaced by a single 1.  Sides then have at most 769 digits or 2^54 * 5^1093: 2600 bits. */
#include "core/number_parts.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum { LIMBS = 64, DECISIVE = 768 };

/* sum of limb[i] * 2^(64 i), i < n; limb[n-1] is not 0. */
struct big {
    int n;
    uint64_t limb[LIMBS];
};

/* b <- b * factor + carry */
static void multiply_add(struct big *b, uint64_t factor, uint64_t carry)
{
    for (int i = 0; i < b->n; i++) {
        smr_u128 t = (smr_u128)b->limb[i] * factor + carry;
        b->limb[i] = (uint64_t)t;
        carry = (uint64_t)(t >> 64);
    }
    if (carry) {
        assert(b->n < LIMBS);
        b->limb[b->n++] = carry;
    }
}

static void multiply_by_power_of_five(struct big *b, int64_t e)
{
    static const uint64_t five_to_27 = UINT64_C(7450580596923828125);
    for (; e >= 27; e -= 27) multiply_add(b, five_to_27, 0);
    uint64_t rest = 1;
    for (; e > 0; e--) rest *= 5;
    multiply_add(b, rest, 0);
}

static void shift_left(struct big *b, int64_t bits)
{
    int limbs = (int)(bits / 64), r = (int)(bits % 64);
    multiply_add(b, UINT64_C(1) << r, 0);
    if (!limbs || !b->n) return;
    assert(b->n + limbs <= LIMBS);
    memmove(b->limb + limbs, b->limb, (size_t)b->n * sizeof *b->limb);
    memset(b->limb, 0, (size_t)limbs * sizeof *b->limb);
    b->n += limbs;
}

static int compare(const struct big *a, const struct big *b)
{
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (int i = a->n - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* Reads up to DECISIVE digits into *b and returns how far the last one read is from the end, so
 * that the text is b * 10^that; a remainder that is not zero counts as one more digit, 1. */
static int64_t read_digits(struct big *b, const char *first, const char *last)
{
    const char *p = first;
    for (int n = 0; p < last && n < DECISIVE; p++) {
        if (*p == '.') continue;
        multiply_add(b, 10, (uint64_t)(*p - '0'));
        n++;
    }
    int64_t left = 0;
    bool is_zero = true;
    for (; p < last; p++) {
        if (*p == '.') continue;
        left++;
        is_zero = is_zero && *p == '0';
    }
    if (is_zero) return left;
    multiply_add(b, 10, 1);
    return left - 1;
}

int smr_compare_exactly(const char *first, const char *last, int64_t e10, uint64_t m, int e2)
{
    struct big decimal = {0}, binary = {0};
    e10 += read_digits(&decimal, first, last);
    multiply_add(&binary, 1, m);

    multiply_by_power_of_five(e10 < 0 ? &binary : &decimal, e10 < 0 ? -e10 : e10);
    if (e10 >= e2)
        shift_left(&decimal, e10 - e2);
    else
        shift_left(&binary, e2 - e10);
    return compare(&decimal, &binary);
}
