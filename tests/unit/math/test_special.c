/* Special functions and distributions against mpmath with 60 digits (tests/truth/special.py),
 * identities that hold exactly, and the domain's edges. */
#include "check.h"

#include "math/special.h"
#include "math/trig.h"

#include "truth/special.h"

/* Errors are relative: a tail probability of 1e-300 has as many digits as one of 0.3. */
static const double TOLERANCE = 1e-13;

static void check_relative(const char *what, double a, double b, double got, double want,
                           double tolerance)
{
    if (fabs(want) < 1e-307 ? fabs(got) <= 1e-306 : fabs(got - want) <= tolerance * fabs(want))
        return;
    fail_msg("%s(%.17g, %.17g): got %.17g, wanted %.17g, relative error %.3g", what, a, b, got,
             want, (got - want) / want);
}

#define CHECK_TABLE1(table, function, tolerance)   \
    for (int64_t r = 0; r < SMR_COUNT(table); r++) \
    check_relative(#function, table[r][0], 0, function(table[r][0]), table[r][1], tolerance)
#define CHECK_TABLE2(table, function, tolerance)                                            \
    for (int64_t r = 0; r < SMR_COUNT(table); r++)                                          \
    check_relative(#function, table[r][0], table[r][1], function(table[r][0], table[r][1]), \
                   table[r][2], tolerance)
#define CHECK_TABLE3(table, function, tolerance)        \
    for (int64_t r = 0; r < SMR_COUNT(table); r++)      \
    check_relative(#function, table[r][0], table[r][2], \
                   function(table[r][0], table[r][1], table[r][2]), table[r][3], tolerance)

static void log_gamma_and_log_beta_match_mpmath(void **state)
{
    (void)state;
    CHECK_TABLE1(LOG_GAMMA, smr_log_gamma, 1e-15);
    CHECK_TABLE2(LOG_BETA, smr_log_beta, 1e-15);
    assert_true(smr_log_gamma(1) == 0 && smr_log_gamma(2) == 0);
}

static void incomplete_gamma_matches_mpmath_in_both_tails(void **state)
{
    (void)state;
    CHECK_TABLE2(GAMMA_LOWER, smr_gamma_lower, TOLERANCE);
    CHECK_TABLE2(GAMMA_UPPER, smr_gamma_upper, TOLERANCE);
}

static void incomplete_beta_matches_mpmath_in_both_tails(void **state)
{
    (void)state;
    CHECK_TABLE3(BETA_LOWER, smr_beta_lower, TOLERANCE);
    CHECK_TABLE3(BETA_UPPER, smr_beta_upper, TOLERANCE);
}

static void normal_matches_mpmath_from_1e_minus_300_up(void **state)
{
    (void)state;
    CHECK_TABLE1(NORMAL_CDF, smr_normal_cdf, TOLERANCE);
    CHECK_TABLE1(NORMAL_PDF, smr_normal_pdf, TOLERANCE);
    CHECK_TABLE1(NORMAL_QUANTILE, smr_normal_quantile, TOLERANCE);
    check_near("phi(1) of the course notes", smr_normal_pdf(1), 0.241971, 5e-7);
    check_near("Phi(1) of the course notes", smr_normal_cdf(1), 0.841345, 5e-7);
}

static void student_t_matches_mpmath(void **state)
{
    (void)state;
    CHECK_TABLE2(T_TWO_SIDED, smr_t_two_sided, TOLERANCE);
    CHECK_TABLE2(T_CDF, smr_t_cdf, TOLERANCE);
}

static void f_and_chi_square_match_mpmath(void **state)
{
    (void)state;
    CHECK_TABLE3(F_UPPER, smr_f_upper, TOLERANCE);
    CHECK_TABLE3(F_CDF, smr_f_cdf, TOLERANCE);
    CHECK_TABLE2(CHI2_CDF, smr_chi2_cdf, TOLERANCE);
    CHECK_TABLE2(CHI2_UPPER, smr_chi2_upper, TOLERANCE);
}

static void closed_forms_hold(void **state)
{
    (void)state;
    for (double t = 0.013; t < 1e9; t *= 2.385) {
        /* df = 2: P(|T| >= t) = 1 - t/sqrt(t^2+2) = 2 / (r (r + t)) with r = sqrt(t^2 + 2) */
        double r = sqrt(t * t + 2);
        check_relative("t, df 2", t, 2, smr_t_two_sided(t, 2), 2 / (r * (r + t)), TOLERANCE);
        /* F(1, d) is the square of t(d); chi-square with 2 is exponential */
        check_relative("F(1, 7.3)", t, 7.3, smr_f_upper(t * t, 1, 7.3), smr_t_two_sided(t, 7.3),
                       1e-12); /* t^2 is rounded: 7.3/2 ulp, and the function's own error */
        if (t < 600) check_relative("chi-square 2", t, 2, smr_chi2_upper(2 * t, 2), exp(-t), 1e-12);
    }
    for (double x = 0.01; x < 1; x += 0.07) { /* I_x(a, 1) = x^a */
        check_relative("I_x(3, 1)", x, 3, smr_beta_lower(3, 1, x), x * x * x, TOLERANCE);
        check_relative("symmetry", x, 0, smr_beta_lower(2.7, 5.1, x),
                       smr_beta_upper(5.1, 2.7, 1 - x), 1e-12);
    }
}

static void complements_add_to_one_and_functions_are_monotone(void **state)
{
    (void)state;
    double before = 0;
    for (double x = 0.003; x < 900; x *= 1.013) {
        double lower = smr_gamma_lower(71.3, x);
        check_near("P + Q", lower + smr_gamma_upper(71.3, x), 1, 1e-14);
        assert_true(lower >= before * (1 - 1e-14));
        before = lower;
        check_near("F + upper", smr_f_cdf(x, 3.3, 91) + smr_f_upper(x, 3.3, 91), 1, 1e-14);
    }
}

static void quantiles_undo_distribution_functions(void **state)
{
    (void)state;
    static const double df[] = {0.7, 1, 2, 3.3, 17, 997, 1e6, INFINITY};
    static const double p[] = {1e-280, 1e-30,  1e-5, 0.01,  0.2,   0.37,
                               0.4999, 0.5001, 0.6,  0.975, 0.9999};
    for (int64_t r = 0; r < SMR_COUNT(p); r++) {
        double back = smr_normal_cdf(smr_normal_quantile(p[r]));
        check_relative("normal", p[r], 0, back, p[r], 1e-12 * fmax(1, -log(p[r]) / 10));
        for (int64_t k = 0; k < SMR_COUNT(df); k++) {
            double t = smr_t_quantile(p[r], df[k]);
            if (!isfinite(t)) continue; /* beyond 1e308: df 0.7 at 1e-280 */
            /* the error of t, a few ulp, is multiplied by d log p / d log t, at most t^2 or df */
            double gain = fmax(10, fmin(t * t, 40 * df[k]));
            check_relative("t", p[r], df[k], smr_t_cdf(t, df[k]), p[r], 1e-14 * gain);
        }
    }
    assert_true(smr_t_quantile(0.5, 3) == 0 && smr_normal_quantile(0.5) == 0);
    for (int64_t r = 0; r < SMR_COUNT(T_QUANTILE); r++) /* p, degrees of freedom, t */
        check_near("t", smr_t_quantile(T_QUANTILE[r][0], T_QUANTILE[r][1]), T_QUANTILE[r][2],
                   1e-14);
}

static void arguments_outside_the_domain_give_nan(void **state)
{
    (void)state;
    assert_true(isnan(smr_log_gamma(-1.5)) && isnan(smr_log_gamma(NAN)));
    assert_true(smr_log_gamma(0) == INFINITY);
    assert_true(isnan(smr_gamma_lower(0, 1)) && isnan(smr_gamma_lower(1, -1)));
    assert_true(isnan(smr_gamma_upper(1e13, 1)) && isnan(smr_beta_lower(1, -1, 0.5)));
    assert_true(isnan(smr_beta_lower(1, 1, 1.5)) && isnan(smr_beta_upper(1, 1, NAN)));
    assert_true(isnan(smr_t_cdf(NAN, 3)) && isnan(smr_t_two_sided(1, 0)));
    assert_true(isnan(smr_f_cdf(-1, 2, 3)) && isnan(smr_chi2_cdf(1, -2)));
    assert_true(isnan(smr_normal_quantile(1.5)) && isnan(smr_normal_cdf(NAN)));
    assert_true(smr_normal_cdf(INFINITY) == 1 && smr_normal_cdf(-INFINITY) == 0);
    assert_true(smr_normal_quantile(0) == -INFINITY && smr_t_quantile(1, 4) == INFINITY);
    assert_true(smr_t_two_sided(INFINITY, 3) == 0 && smr_t_two_sided(0, 3) == 1);
    assert_true(smr_gamma_lower(3, INFINITY) == 1 && smr_gamma_upper(3, 0) == 1);
    assert_true(smr_beta_lower(2, 3, 0) == 0 && smr_beta_lower(2, 3, 1) == 1);
    assert_true(smr_f_upper(INFINITY, 2, 3) == 0 && smr_f_cdf(0, 2, 3) == 0);
    check_near("t of infinite df is normal", smr_t_two_sided(1.7, INFINITY),
               2 * smr_normal_cdf(-1.7), 1e-15);
    check_near("F of infinite df2 is chi-square", smr_f_upper(1.7, 5, INFINITY),
               smr_chi2_upper(8.5, 5), 1e-14);
}

static void sines_and_arc_tangent_match_mpmath(void **state)
{
    (void)state;
    for (int64_t r = 0; r < SMR_COUNT(SIN_COS_PI); r++) {
        const double *row = SIN_COS_PI[r];
        check_relative("sin_pi", row[0], 0, smr_sin_pi(row[0]), row[1], 6e-16);
        check_relative("cos_pi", row[0], 0, smr_cos_pi(row[0]), row[2], 6e-16);
    }
    CHECK_TABLE1(ATAN, smr_atan, 1e-15);
    assert_true(smr_sin_pi(1e15) == 0 && smr_cos_pi(1e15 + 1) == -1 && smr_cos_pi(0.5) == 0);
    assert_true(isnan(smr_sin_pi(INFINITY)) && isnan(smr_atan(NAN)));
}

/* Means, variances, tails and the correlation of 2 x 100003 draws, each within 5 deviations. */
static void normal_draws_have_the_normal_moments(void **state)
{
    (void)state;
    enum { N = 100003 };
    double sum = 0, squares = 0, fourth = 0, cross = 0, beyond = 0;
    for (uint64_t i = 0; i < N; i++) {
        double z[2];
        smr_random_normals(7, SMR_STREAM_TEST, 3, i, z);
        for (int k = 0; k < 2; k++) {
            sum += z[k];
            squares += z[k] * z[k];
            fourth += z[k] * z[k] * z[k] * z[k];
            beyond += fabs(z[k]) > 1.959963984540054;
        }
        cross += z[0] * z[1];
    }
    double n = 2.0 * N;
    assert_true(fabs(sum / n) < 5 / sqrt(n));
    assert_true(fabs(squares / n - 1) < 5 * sqrt(2 / n));
    assert_true(fabs(fourth / n - 3) < 5 * sqrt(96 / n));
    assert_true(fabs(beyond / n - 0.05) < 5 * sqrt(0.05 * 0.95 / n));
    assert_true(fabs(cross / N) < 5 / sqrt(N));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_gamma_and_log_beta_match_mpmath),
        cmocka_unit_test(incomplete_gamma_matches_mpmath_in_both_tails),
        cmocka_unit_test(incomplete_beta_matches_mpmath_in_both_tails),
        cmocka_unit_test(normal_matches_mpmath_from_1e_minus_300_up),
        cmocka_unit_test(student_t_matches_mpmath),
        cmocka_unit_test(f_and_chi_square_match_mpmath),
        cmocka_unit_test(closed_forms_hold),
        cmocka_unit_test(complements_add_to_one_and_functions_are_monotone),
        cmocka_unit_test(quantiles_undo_distribution_functions),
        cmocka_unit_test(arguments_outside_the_domain_give_nan),
        cmocka_unit_test(sines_and_arc_tangent_match_mpmath),
        cmocka_unit_test(normal_draws_have_the_normal_moments),
    };
    return cmocka_run_group_tests_name("special", tests, NULL, NULL);
}
