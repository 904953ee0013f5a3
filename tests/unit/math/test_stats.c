/* Summary statistics: NIST StRD univariate sets, data far from zero, weights, ends of the range. */
#include "check.h"

#include "core/rng.h"
#include "math/stats.h"
#include "truth/special.h"
#include "truth/stats.h"

/* ---- NIST StRD ------------------------------------------------------------------------ */

/* National Institute of Standards and Technology, Statistical Reference Datasets, univariate
 * summary statistics (https://www.itl.nist.gov/div898/strd/univ/homepage.html): data and
 * certified values, 15 digits.  NumAcc1..4 are made by their definitions. */

static const double LEW[] = {
    -213, -564, -35,  -15,  141,  115,  -420, -360, 203,  -338, -431, 194,  -220, -513, 154,  -125,
    -559, 92,   -21,  -579, -52,  99,   -543, -175, 162,  -457, -346, 204,  -300, -474, 164,  -107,
    -572, -8,   83,   -541, -224, 180,  -420, -374, 201,  -236, -531, 83,   27,   -564, -112, 131,
    -507, -254, 199,  -311, -495, 143,  -46,  -579, -90,  136,  -472, -338, 202,  -287, -477, 169,
    -124, -568, 17,   48,   -568, -135, 162,  -430, -422, 172,  -74,  -577, -13,  92,   -534, -243,
    194,  -355, -465, 156,  -81,  -578, -64,  139,  -449, -384, 193,  -198, -538, 110,  -44,  -577,
    -6,   66,   -552, -164, 161,  -460, -344, 205,  -281, -504, 134,  -28,  -576, -118, 156,  -437,
    -381, 200,  -220, -540, 83,   11,   -568, -160, 172,  -414, -408, 188,  -125, -572, -32,  139,
    -492, -321, 205,  -262, -504, 142,  -83,  -574, 0,    48,   -571, -106, 137,  -501, -266, 190,
    -391, -406, 194,  -186, -553, 83,   -13,  -577, -49,  103,  -515, -280, 201,  300,  -506, 131,
    -45,  -578, -80,  138,  -462, -361, 201,  -211, -554, 32,   74,   -533, -235, 187,  -372, -442,
    182,  -147, -566, 25,   68,   -535, -244, 194,  -351, -463, 174,  -125, -570, 15,   72,   -550,
    -190, 172,  -424, -385, 198,  -218, -536, 96,
};

static const double LOTTERY[] = {
    162, 671, 933, 414, 788, 730, 817, 33,  536, 875, 670, 236, 473, 167, 877, 980, 316, 950, 456,
    92,  517, 557, 956, 954, 104, 178, 794, 278, 147, 773, 437, 435, 502, 610, 582, 780, 689, 562,
    964, 791, 28,  97,  848, 281, 858, 538, 660, 972, 671, 613, 867, 448, 738, 966, 139, 636, 847,
    659, 754, 243, 122, 455, 195, 968, 793, 59,  730, 361, 574, 522, 97,  762, 431, 158, 429, 414,
    22,  629, 788, 999, 187, 215, 810, 782, 47,  34,  108, 986, 25,  644, 829, 630, 315, 567, 919,
    331, 207, 412, 242, 607, 668, 944, 749, 168, 864, 442, 533, 805, 372, 63,  458, 777, 416, 340,
    436, 140, 919, 350, 510, 572, 905, 900, 85,  389, 473, 758, 444, 169, 625, 692, 140, 897, 672,
    288, 312, 860, 724, 226, 884, 508, 976, 741, 476, 417, 831, 15,  318, 432, 241, 114, 799, 955,
    833, 358, 935, 146, 630, 830, 440, 642, 356, 373, 271, 715, 367, 393, 190, 669, 8,   861, 108,
    795, 269, 590, 326, 866, 64,  523, 862, 840, 219, 382, 998, 4,   628, 305, 747, 247, 34,  747,
    729, 645, 856, 974, 24,  568, 24,  694, 608, 480, 410, 729, 947, 293, 53,  930, 223, 203, 677,
    227, 62,  455, 387, 318, 562, 242, 428, 968,
};

static const double MAVRO[] = {
    2.00180, 2.00170, 2.00180, 2.00190, 2.00180, 2.00170, 2.00150, 2.00140, 2.00150, 2.00150,
    2.00170, 2.00180, 2.00180, 2.00190, 2.00190, 2.00210, 2.00200, 2.00160, 2.00140, 2.00130,
    2.00130, 2.00150, 2.00150, 2.00160, 2.00150, 2.00140, 2.00130, 2.00140, 2.00150, 2.00140,
    2.00150, 2.00160, 2.00150, 2.00160, 2.00190, 2.00200, 2.00200, 2.00210, 2.00220, 2.00230,
    2.00240, 2.00250, 2.00270, 2.00260, 2.00260, 2.00260, 2.00270, 2.00260, 2.00250, 2.00240,
};

static const double MICHELSO[] = {
    299.85, 299.74, 299.90, 300.07, 299.93, 299.85, 299.95, 299.98, 299.98, 299.88, 300.00, 299.98,
    299.93, 299.65, 299.76, 299.81, 300.00, 300.00, 299.96, 299.96, 299.96, 299.94, 299.96, 299.94,
    299.88, 299.80, 299.85, 299.88, 299.90, 299.84, 299.83, 299.79, 299.81, 299.88, 299.88, 299.83,
    299.80, 299.79, 299.76, 299.80, 299.88, 299.88, 299.88, 299.86, 299.72, 299.72, 299.62, 299.86,
    299.97, 299.95, 299.88, 299.91, 299.85, 299.87, 299.84, 299.84, 299.85, 299.84, 299.84, 299.84,
    299.89, 299.81, 299.81, 299.82, 299.80, 299.77, 299.76, 299.74, 299.75, 299.76, 299.91, 299.92,
    299.89, 299.86, 299.88, 299.72, 299.84, 299.85, 299.85, 299.78, 299.89, 299.84, 299.78, 299.81,
    299.76, 299.81, 299.79, 299.81, 299.82, 299.85, 299.87, 299.87, 299.81, 299.74, 299.81, 299.94,
    299.95, 299.80, 299.81, 299.87,
};

/* Decimal digits of pi = 16 atan(1/5) - 4 atan(1/239) in fixed point with 32-bit limbs. */
enum { DIGITS = 5000, LIMBS = 525 };

static void divide(uint32_t *number, uint32_t by)
{
    uint64_t rest = 0;
    for (int i = 0; i < LIMBS; i++) {
        rest = rest << 32 | number[i];
        number[i] = (uint32_t)(rest / by);
        rest %= by;
    }
}

static void add_arc_tangent(uint32_t *sum, uint32_t factor, uint32_t x, bool negative)
{
    static uint32_t power[LIMBS], term[LIMBS];
    memset(power, 0, sizeof power);
    power[0] = factor;
    divide(power, x);
    for (uint32_t k = 1;; k += 2, negative = !negative) {
        memcpy(term, power, sizeof term);
        divide(term, k);
        uint64_t carry = negative;
        bool is_zero = true;
        for (int i = LIMBS; i-- > 0;) {
            is_zero &= term[i] == 0;
            carry += (uint64_t)sum[i] + (negative ? ~term[i] : term[i]);
            sum[i] = (uint32_t)carry;
            carry >>= 32;
        }
        if (is_zero) return;
        divide(power, x);
        divide(power, x);
    }
}

static void digits_of_pi(double *digit)
{
    static uint32_t pi[LIMBS];
    memset(pi, 0, sizeof pi);
    add_arc_tangent(pi, 16, 5, false);
    add_arc_tangent(pi, 4, 239, true);
    for (int d = 0; d < DIGITS; d++) {
        digit[d] = pi[0];
        pi[0] = 0;
        uint64_t carry = 0;
        for (int i = LIMBS; i-- > 0;) {
            carry += (uint64_t)pi[i] * 10;
            pi[i] = (uint32_t)carry;
            carry >>= 32;
        }
    }
}

/* `digits`: how many decimals of the deviation double input allows.  Rounding the data to double
 * moves NumAcc3's deviation by 1e-10 and NumAcc4's by 1e-9 of itself. */
static void check_certified(const char *name, int64_t n, const double *x, double mean, double sd,
                            double lag1, double digits)
{
    double tolerance = pow(10, -digits);
    smr_numbers_summary s;
    smr_summarize(n, x, NULL, &s);
    assert_int_equal(s.n, n);
    assert_true(s.weight == (double)n);
    check_near(name, s.mean / mean, 1, 4e-15);
    check_near(name, sqrt(s.sample_variance) / sd, 1, tolerance);
    check_near(name, smr_autocorrelation(n, x, 1) / lag1, 1, fmax(tolerance, 3e-13));
    assert_true(s.mean == smr_mean(n, x, NULL));
    assert_true(s.sample_variance == smr_variance(n, x, NULL, 1));
    assert_true(s.variance == smr_variance(n, x, NULL, 0));
    check_near(name, s.variance * (double)n / ((double)n - 1), s.sample_variance, 1e-15);
}

static void statistics_match_nist_certified_values(void **state)
{
    (void)state;
    check_certified("Lew", SMR_COUNT(LEW), LEW, -177.435, 277.332168044316, -0.307304800605679, 14);
    check_certified("Lottery", SMR_COUNT(LOTTERY), LOTTERY, 518.958715596330, 291.699727470969,
                    -0.120948622967393, 14);
    check_certified("Mavro", SMR_COUNT(MAVRO), MAVRO, 2.001856, 0.000429123454003053,
                    0.937989183438248, 12.5);
    check_certified("Michelso", SMR_COUNT(MICHELSO), MICHELSO, 299.8524, 0.0790105478190518,
                    0.535199668621283, 13);
}

/* NIST's PiDigits, made by its definition.  (The certified mean, 4.5348, is not that of the
 * first 5000 digits of pi, which sum to 22679; tests/truth/special.py has the exact sums.) */
static void statistics_match_the_digits_of_pi(void **state)
{
    (void)state;
    static double pi[DIGITS];
    digits_of_pi(pi);
    check_certified("PiDigits", DIGITS, pi, pi_digits[0], pi_digits[1], pi_digits[2], 14);
}

static void statistics_match_nist_accuracy_sets(void **state)
{
    (void)state;
    static const double numacc1[] = {10000001, 10000003, 10000002};
    static const double base[] = {1, 1000000, 10000000};
    static const double digits[] = {14, 9.4, 8.2};
    check_certified("NumAcc1", 3, numacc1, 10000002, 1, -0.5, 15);
    for (int s = 0; s < 3; s++) {
        double x[1001];
        static const double low[] = {1.1, 1000000.1, 10000000.1};
        static const double middle[] = {1.2, 1000000.2, 10000000.2};
        static const double high[] = {1.3, 1000000.3, 10000000.3};
        x[0] = middle[s];
        for (int i = 1; i < 1001; i += 2) {
            x[i] = low[s];
            x[i + 1] = high[s];
        }
        check_certified("NumAcc", 1001, x, base[s] + 0.2, 0.1, -0.999, digits[s]);
        /* the exact deviation of the rounded numbers: two values about a third, 500 of each */
        double d0 = low[s] - middle[s], d1 = high[s] - middle[s], m = 500 * (d0 + d1) / 1001;
        double sum = 500 * ((d0 - m) * (d0 - m) + (d1 - m) * (d1 - m)) + m * m;
        check_near("exact", smr_variance(1001, x, NULL, 1) / (sum / 1000), 1, 1e-14);
    }
}

/* ---- far from zero, and the ends of the range ----------------------------------------- */

enum { N = 1999 };

static void fill(double *x, uint64_t which)
{
    for (uint64_t i = 0; i < N; i++) x[i] = smr_random_unit(11, SMR_STREAM_TEST, which, i) - 0.5;
}

static void a_mean_of_1e9_with_deviation_1e_minus_3_loses_no_digit(void **state)
{
    (void)state;
    double x[N], y[N], dx[N], dy[N];
    fill(x, 1);
    fill(y, 2);
    for (int i = 0; i < N; i++) {
        dx[i] = x[i] = ldexp(rint(ldexp(x[i] * 0.0035, 23)), -23); /* exact beside 1e9 */
        dy[i] = y[i] = ldexp(rint(ldexp((y[i] * 0.002 + x[i]), 23)), -23);
        x[i] += 1e9;
        y[i] += 1e9;
    }
    check_near("mean", (smr_mean(N, x, NULL) - 1e9), smr_mean(N, dx, NULL), 1.2e-7 / 2);
    check_near("variance", smr_variance(N, x, NULL, 1) / smr_variance(N, dx, NULL, 1), 1, 1e-14);
    check_near("covariance", smr_covariance(N, x, y, NULL, 1) / smr_covariance(N, dx, dy, NULL, 1),
               1, 1e-14);
    check_near("correlation", smr_correlation(N, x, y, NULL), smr_correlation(N, dx, dy, NULL),
               1e-14);
}

static void values_near_the_ends_of_the_range_neither_overflow_nor_vanish(void **state)
{
    (void)state;
    double x[N], y[N], big[N], small[N];
    fill(x, 1);
    fill(y, 2);
    for (int i = 0; i < N; i++) {
        big[i] = ldexp(x[i], 1023);
        small[i] = ldexp(x[i], -900);
    }
    double r = smr_correlation(N, x, y, NULL);
    check_near("big", smr_correlation(N, big, y, NULL), r, 1e-14);
    check_near("small", smr_correlation(N, y, small, NULL), r, 1e-14);
    check_near("mean", ldexp(smr_mean(N, big, NULL), -1023), smr_mean(N, x, NULL), 1e-15);
    check_near("ratio",
               smr_covariance(N, big, small, NULL, 0) / ldexp(smr_variance(N, x, NULL, 0), 123), 1,
               1e-13);
}

static void a_compensated_sum_keeps_what_a_plain_one_drops(void **state)
{
    (void)state;
    const double x[] = {1, 1e20, 1, -1e20, 0.25};
    const double w[] = {2, 3, 2, 3, 4};
    assert_true(smr_sum_exact(5, x) == 2.25);
    assert_true(smr_sum_weighted(5, x, w) == 5);
    assert_true(smr_sum_weighted(5, x, NULL) == 2.25);
    const double with_infinity[] = {1, INFINITY, 2};
    assert_true(smr_sum_exact(3, with_infinity) == INFINITY);
}

/* ---- weights, degenerate cases -------------------------------------------------------- */

static void weight_two_is_the_row_twice_and_weight_zero_no_row(void **state)
{
    (void)state;
    const double x[] = {2.385, -1.7, 9.31, NAN, 0.3, 7.7}, y[] = {1.1, 0.3, -2.9, 5, 4.4, 0.9};
    const double w[] = {2, 1, 3, 0, 1, 2};
    const double xx[] = {2.385, 2.385, -1.7, 9.31, 9.31, 9.31, 0.3, 7.7, 7.7};
    const double yy[] = {1.1, 1.1, 0.3, -2.9, -2.9, -2.9, 4.4, 0.9, 0.9};
    smr_numbers_summary a, b;
    smr_summarize(6, x, w, &a);
    smr_summarize(9, xx, NULL, &b);
    assert_int_equal(a.n, 5);
    assert_true(a.weight == 9 && a.min == b.min && a.max == b.max);
    check_near("mean", a.mean, b.mean, 1e-15);
    check_near("variance", a.variance, b.variance, 1e-15);
    check_near("sample variance", a.sample_variance, b.sample_variance, 1e-15);
    check_near("covariance", smr_covariance(6, x, y, w, 1), smr_covariance(9, xx, yy, NULL, 1),
               1e-15);
    check_near("correlation", smr_correlation(6, x, y, w), smr_correlation(9, xx, yy, NULL), 1e-15);

    smr_ctx *ctx = check_ctx(1);
    const double q[] = {0, 0.1, 0.25, 0.5, 0.613, 0.9, 1};
    double qa[7], qb[7];
    check_ok(ctx, smr_quantiles(ctx, 6, x, w, 7, q, qa));
    check_ok(ctx, smr_quantiles(ctx, 9, xx, NULL, 7, q, qb));
    for (int i = 0; i < 7; i++) check_near("quantile", qa[i], qb[i], 1e-15);
    check_ctx_end(ctx);
}

static void undefined_statistics_are_nan(void **state)
{
    (void)state;
    const double one[] = {3.7}, same[] = {2, 2, 2}, other[] = {1, 5, 3}, gap[] = {1, NAN, 2};
    smr_numbers_summary s;
    smr_summarize(0, one, NULL, &s);
    assert_true(s.n == 0 && s.weight == 0 && isnan(s.mean) && isnan(s.variance) && isnan(s.min));
    smr_summarize(1, one, NULL, &s);
    assert_true(s.mean == 3.7 && s.variance == 0 && isnan(s.sample_variance));
    assert_true(isnan(smr_correlation(3, same, other, NULL)));
    assert_true(isnan(smr_correlation(3, other, same, NULL)));
    assert_true(isnan(smr_autocorrelation(3, same, 1)) && isnan(smr_autocorrelation(3, other, 3)));
    smr_summarize(3, gap, NULL, &s);
    assert_true(isnan(s.mean) && isnan(s.variance) && isnan(s.min) && isnan(s.max));
    check_near("proportional", smr_correlation(3, other, other, NULL), 1, 0);
}

static void quantiles_match_numpy(void **state)
{
    (void)state;
    const double *x = quantile_x, *q = quantile_q;
    double got[6];
    smr_ctx *ctx = check_ctx(1);
    check_ok(ctx, smr_quantiles(ctx, 7, x, NULL, 6, q, got));
    for (int i = 0; i < 6; i++) check_near("quantile", got[i], quantiles[i], 1e-14);
    const double gap[] = {1, NAN, 2}, bad = 1.5;
    check_ok(ctx, smr_quantiles(ctx, 3, gap, NULL, 6, q, got));
    assert_true(isnan(got[0]) && isnan(got[5]));
    check_ok(ctx, smr_quantiles(ctx, 0, gap, NULL, 1, q, got));
    assert_true(isnan(got[0]));
    check_fails(ctx, smr_quantiles(ctx, 7, x, NULL, 1, &bad, got), SMR_ERR_PARAM,
                "between 0 and 1");
    check_ctx_end(ctx);
}

/* Selection (no weights, few quantiles) and sorting (all weights 1) are two ways to one answer. */
static void selected_and_sorted_quantiles_agree(void **state)
{
    (void)state;
    enum { ROWS = 1501 };
    double x[ROWS], w[ROWS], q[5] = {0, 0.1, 0.5, 0.7777, 1}, a[5], b[5];
    smr_ctx *ctx = check_ctx(1);
    for (int kind = 0; kind < 4; kind++) {
        for (uint64_t i = 0; i < ROWS; i++) {
            double u = smr_random_unit(3, SMR_STREAM_TEST, 4, i) - 0.5;
            static const double few[] = {-INFINITY, -0.0, 0.0, 1e-310, -1e-310, 7, INFINITY, 7};
            x[i] = kind == 0 ? u : kind == 1 ? ldexp(u, (int)(i % 1800) - 900) : few[i % 8];
            if (kind == 3) x[i] = 2.385;
            w[i] = 1;
        }
        for (int64_t n = kind == 2 ? 8 : 1; n <= ROWS; n += 125) {
            check_ok(ctx, smr_quantiles(ctx, n, x, NULL, 5, q, a));
            check_ok(ctx, smr_quantiles(ctx, n, x, w, 5, q, b));
            for (int r = 0; r < 5; r++) check_near("quantile", a[r], b[r], 0);
        }
    }
    check_ctx_end(ctx);
}

static void quantiles_survive_every_failing_allocation(void **state)
{
    (void)state;
    double x[N], w[N], half = 0.5, got;
    fill(x, 5);
    for (int i = 0; i < N; i++) w[i] = 2;
    smr_ctx *ctx = check_ctx(1);
    smr_status st = SMR_ERR_NOMEM;
    int64_t n = 0;
    for (; st != SMR_OK; n++) {
        smr_ctx_clear(ctx);
        smr_memory_fail_at(ctx, n);
        st = smr_quantiles(ctx, N, x, w, 1, &half, &got);
        if (st == SMR_OK) st = smr_quantiles(ctx, N, x, NULL, 1, &half, &got);
        assert_true(st == SMR_OK || st == SMR_ERR_NOMEM);
    }
    assert_true(n > 4);
    smr_memory_fail_at(ctx, -1);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_match_nist_certified_values),
        cmocka_unit_test(statistics_match_the_digits_of_pi),
        cmocka_unit_test(statistics_match_nist_accuracy_sets),
        cmocka_unit_test(a_mean_of_1e9_with_deviation_1e_minus_3_loses_no_digit),
        cmocka_unit_test(values_near_the_ends_of_the_range_neither_overflow_nor_vanish),
        cmocka_unit_test(a_compensated_sum_keeps_what_a_plain_one_drops),
        cmocka_unit_test(weight_two_is_the_row_twice_and_weight_zero_no_row),
        cmocka_unit_test(undefined_statistics_are_nan),
        cmocka_unit_test(quantiles_match_numpy),
        cmocka_unit_test(selected_and_sorted_quantiles_agree),
        cmocka_unit_test(quantiles_survive_every_failing_allocation),
    };
    return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
