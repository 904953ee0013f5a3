/* Halves and bfloats: every pattern against its definition, and rounding against a search. */
#include "check.h"

#include "core/half.h"

/* What a pattern of 16 bits means, from the definition: sign, 2^(exponent - bias), 1 + fraction. */
static double meaning(uint16_t bits, int digits)
{
    int exponents = 15 - digits, bias = (1 << (exponents - 1)) - 1, top = (1 << exponents) - 1;
    int exponent = bits >> digits & top, fraction = bits & ((1 << digits) - 1);
    double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == top) return fraction ? NAN : sign * INFINITY;
    if (exponent == 0) return sign * ldexp(fraction, 1 - bias - digits);
    return sign * ldexp((1 << digits) + fraction, exponent - bias - digits);
}

static void check_same(double got, double want, int pattern)
{
    bool same = isnan(want) ? isnan(got) : got == want && !signbit(got) == !signbit(want);
    if (!same) fail_msg("pattern %04x: %a, not %a", pattern, got, want);
}

static void every_pattern_widens_to_what_it_means(void **state)
{
    (void)state;
    for (int k = 0; k < 65536; k++) {
        uint16_t bits = (uint16_t)k;
        check_same(smr_half_widen((smr_half){bits}), meaning(bits, 10), k);
        check_same(smr_bfloat_widen((smr_bfloat){bits}), meaning(bits, 7), k);
        assert_int_equal(!smr_half_is_nan((smr_half){bits}), !isnan(meaning(bits, 10)));
        assert_int_equal(!smr_bfloat_is_nan((smr_bfloat){bits}), !isnan(meaning(bits, 7)));
    }
}

static void every_pattern_comes_back(void **state)
{
    (void)state;
    for (int k = 0; k < 65536; k++) {
        uint16_t bits = (uint16_t)k;
        bool is_nan = isnan(meaning(bits, 10));
        uint16_t back = smr_half_round(smr_half_widen((smr_half){bits})).bits;
        assert_int_equal(back, is_nan ? SMR_HALF_NAN : bits);
        is_nan = isnan(meaning(bits, 7));
        back = smr_bfloat_round(smr_bfloat_widen((smr_bfloat){bits})).bits;
        assert_int_equal(back, is_nan ? SMR_BFLOAT_NAN : bits);
    }
}

/* The nearest of all patterns by search among the non-negative finite ones, which ascend; ties go
 * to the even pattern, and half a step past the last finite one begins infinity. */
static uint16_t nearest(double x, int digits)
{
    int top = ((1 << (15 - digits)) - 1) << digits;
    double size = fabs(x);
    if (isnan(x)) return (uint16_t)(top | 1 << (digits - 1));
    int lo = 0, hi = top; /* meaning(lo) <= size < meaning(hi), where top stands for the next */
    double after = 2 * meaning((uint16_t)(top - 1), digits) - meaning((uint16_t)(top - 2), digits);
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    if (size >= after) return (uint16_t)(sign | top);
    while (hi - lo > 1) {
        int mid = (lo + hi) / 2;
        if (meaning((uint16_t)mid, digits) <= size)
            lo = mid;
        else
            hi = mid;
    }
    double below = meaning((uint16_t)lo, digits);
    double above = hi == top ? after : meaning((uint16_t)hi, digits);
    double half = below + (above - below) / 2; /* exact: few digits */
    bool up = size > half || (size == half && (lo & 1));
    return (uint16_t)(sign | (up ? hi : lo));
}

static void check_rounding(double x)
{
    for (int s = 0; s < 2; s++, x = -x) {
        uint16_t half = smr_half_round(x).bits, bfloat = smr_bfloat_round(x).bits;
        if (half != nearest(x, 10)) fail_msg("half %a: %04x, not %04x", x, half, nearest(x, 10));
        if (bfloat != nearest(x, 7))
            fail_msg("bfloat %a: %04x, not %04x", x, bfloat, nearest(x, 7));
    }
}

/* Between any two neighbours: the middle, and the doubles next to it on both sides. */
static void rounding_goes_to_the_nearest_and_ties_to_even(void **state)
{
    (void)state;
    for (int digits = 7; digits <= 10; digits += 3) {
        int top = ((1 << (15 - digits)) - 1) << digits;
        for (int k = 0; k < top; k++) {
            double below = meaning((uint16_t)k, digits);
            double above = k + 1 < top ? meaning((uint16_t)(k + 1), digits)
                                       : 2 * below - meaning((uint16_t)(k - 1), digits);
            double half = below + (above - below) / 2;
            check_rounding(half);
            check_rounding(nextafter(half, 0));
            check_rounding(nextafter(half, INFINITY));
        }
    }
}

static void other_numbers_round_to_the_nearest(void **state)
{
    static const double ends[] = {
        0,          INFINITY, NAN,     5e-324,        1e-310,   1.7976931348623157e308,
        65504,      65519.99, 65520,   3.4e38,        0x1p-133, 0x1p-134,
        0x1.8p-134, 0x1p-24,  0x1p-25, 0x1.000002p-25};
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(ends); i++) check_rounding(ends[i]);
    for (uint64_t i = 0; i < 100000; i++) {
        uint64_t word = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
        double fraction = 1 + (double)(word >> 12) * 0x1p-52;
        check_rounding(ldexp(fraction, (int)(word % 300) - 150));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pattern_widens_to_what_it_means),
        cmocka_unit_test(every_pattern_comes_back),
        cmocka_unit_test(rounding_goes_to_the_nearest_and_ties_to_even),
        cmocka_unit_test(other_numbers_round_to_the_nearest),
    };
    return cmocka_run_group_tests_name("half", tests, NULL, NULL);
}
