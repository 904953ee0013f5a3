/* Elementary functions against long double (64 bits or more of precision), in units of the last
 * place of a double; special values; the same bits on every tier and in arrays.
 *
 * Largest errors found with SAMARA_ULP_POINTS=10000000, in ulp: exp 0.530 (results below 2^-1022:
 * 0.753, rounded twice), log 0.545, log1p 0.548, expm1 0.612 (0.750 next to 2^-53), tanh 0.573,
 * pow 0.750.  The limits below are a little wider; the test runs fewer points unless asked. */
#include "numbers.h"
#include "truth/elementary.h"

#include <float.h>

#if LDBL_MANT_DIG < 64
#error "the reference needs a long double wider than double"
#endif

#define INF_ ((double)INFINITY)
#define NAN_ ((double)NAN)

static int64_t n_points(void)
{
    const char *asked = getenv("SAMARA_ULP_POINTS");
    return asked ? strtoll(asked, NULL, 10) : 100000;
}

/* |got - want| in units of the last place of a double of want's size. */
static double ulps(double got, long double want)
{
    if (!isfinite(got)) return fabsl(want) > (long double)DBL_MAX ? 0 : INF_;
    int e;
    frexpl(want, &e);
    long double unit = ldexpl(1, e - 53 < -1074 ? -1074 : e - 53);
    return (double)(fabsl((long double)got - want) / unit);
}

/* Any finite positive double: the exponent is uniform. */
static double any_positive(uint64_t i)
{
    uint64_t u = hash64(i) >> 1;
    double x;
    memcpy(&x, &u, sizeof x);
    return isfinite(x) ? x : 1.37;
}

/* Between low and high, both signs if low is negative. */
static double between(double low, double high, uint64_t i)
{
    return low + (high - low) * uniform(i);
}

/* 2^-60 ... 2^10 in size, either sign. */
static double any_size(uint64_t i)
{
    double x = ldexp(1 + uniform(2 * i), (int)(hash64(2 * i + 1) % 71) - 60);
    return hash64(3 * i) & 1 ? x : -x;
}

struct one {
    const char *name;
    double (*f)(double);
    long double (*exact)(long double);
    double low, high; /* arguments; low = high: any positive double; NaN: any_size */
    double limit;     /* ulps; the measured figure, rounded up */
};

static const struct one ones[] = {
    {"exp", smr_exp, expl, -708, 709.7, 0.55},
    {"exp, subnormal", smr_exp, expl, -745.1, -708, 0.8},
    {"exp, small", smr_exp, expl, -1, 1, 0.55},
    {"log", smr_log, logl, 0, 0, 0.56},
    {"log, near 1", smr_log, logl, 0.5, 2, 0.56},
    {"log, next to 1", smr_log, logl, 0.999, 1.001, 0.56},
    {"log1p", smr_log1p, log1pl, -1, 3, 0.56},
    {"log1p, any", smr_log1p, log1pl, 0, 0, 0.56},
    {"log1p, small", smr_log1p, log1pl, -0.01, 0.01, 0.56},
    {"expm1", smr_expm1, expm1l, -50, 709.7, 0.8},
    {"expm1, small", smr_expm1, expm1l, -1, 1, 0.8},
    {"expm1, any", smr_expm1, expm1l, NAN, NAN, 0.8},
    {"tanh", smr_tanh, tanhl, -20, 20, 0.6},
    {"tanh, small", smr_tanh, tanhl, -0.5, 0.5, 0.6},
    {"tanh, any", smr_tanh, tanhl, NAN, NAN, 0.6},
};

static void functions_of_one_number_err_by_less_than_an_ulp(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof ones / sizeof *ones; c++) {
        const struct one *t = &ones[c];
        double worst = 0, at = 0;
        for (int64_t i = 0; i < n_points(); i++) {
            uint64_t u = (uint64_t)i * 31 + c;
            double x = isnan(t->low)       ? any_size(u)
                       : t->low == t->high ? any_positive(u)
                                           : between(t->low, t->high, u);
            double e = ulps(t->f(x), t->exact((long double)x));
            if (!(e <= worst)) worst = e, at = x;
        }
        print_message("%-16s %.4f ulp at %a\n", t->name, worst, at);
        if (!(worst <= t->limit)) fail_msg("%s: %.4f ulp at %a", t->name, worst, at);
    }
}

static void powers_err_by_less_than_an_ulp(void **state)
{
    (void)state;
    double worst = 0, at[2] = {0, 0};
    for (int64_t i = 0; i < n_points(); i++) {
        uint64_t u = (uint64_t)i;
        double x = i % 3 ? any_positive(u) : between(0.5, 2, u), y;
        double log_x = fabs(log(x)) + 1e-300;
        y = i % 2 ? between(-745, 745, 7 * u) / log_x : between(-8, 8, 7 * u);
        double e = ulps(smr_pow(x, y), powl((long double)x, (long double)y));
        if (!(e <= worst)) worst = e, at[0] = x, at[1] = y;
    }
    print_message("%-16s %.4f ulp at %a, %a\n", "pow", worst, at[0], at[1]);
    if (!(worst <= 0.85)) fail_msg("pow: %.4f ulp at %a, %a", worst, at[0], at[1]);
}

static void special_arguments_give_what_the_standard_says(void **state)
{
    (void)state;
    static const struct {
        double (*f)(double);
        double x, y;
    } cases[] = {
        {smr_exp, 0, 1},
        {smr_exp, -0.0, 1},
        {smr_exp, INF_, INF_},
        {smr_exp, -INF_, 0},
        {smr_exp, NAN_, NAN_},
        {smr_exp, 710, INF_},
        {smr_exp, 1e300, INF_},
        {smr_exp, -746, 0},
        {smr_exp, -1e300, 0},
        {smr_exp, 0x1p-1074, 1},
        {smr_log, 1, 0},
        {smr_log, 0, -INF_},
        {smr_log, -0.0, -INF_},
        {smr_log, -1, NAN_},
        {smr_log, INF_, INF_},
        {smr_log, -INF_, NAN_},
        {smr_log, NAN_, NAN_},
        {smr_log1p, 0, 0},
        {smr_log1p, -0.0, -0.0},
        {smr_log1p, -1, -INF_},
        {smr_log1p, -1.5, NAN_},
        {smr_log1p, INF_, INF_},
        {smr_log1p, -INF_, NAN_},
        {smr_log1p, NAN_, NAN_},
        {smr_log1p, 0x1p-1074, 0x1p-1074},
        {smr_expm1, 0, 0},
        {smr_expm1, -0.0, -0.0},
        {smr_expm1, INF_, INF_},
        {smr_expm1, -INF_, -1},
        {smr_expm1, NAN_, NAN_},
        {smr_expm1, 710, INF_},
        {smr_expm1, -1e10, -1},
        {smr_expm1, -0x1p-1074, -0x1p-1074},
        {smr_tanh, 0, 0},
        {smr_tanh, -0.0, -0.0},
        {smr_tanh, INF_, 1},
        {smr_tanh, -INF_, -1},
        {smr_tanh, NAN_, NAN_},
        {smr_tanh, 1e300, 1},
        {smr_tanh, -25, -1},
        {smr_tanh, 0x1p-1074, 0x1p-1074},
    };
    on_every_tier({
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
            check_same_f64("special case", c, cases[c].f(cases[c].x), cases[c].y);
    });
}

/* C11, annex F.10.4.4, and every combination of a few special numbers against libm. */
static void special_powers_are_those_of_the_standard(void **state)
{
    (void)state;
    static const double v[] = {0,         -0.0,
                               1,         -1,
                               2,         -2,
                               0.5,       -0.5,
                               3,         -3,
                               INF_,      -INF_,
                               NAN_,      1e300,
                               1e-300,    1e18,
                               -1e18,     0x1p53,
                               2.5,       -2.5,
                               0x1.8p52,  4503599627370497.0,
                               0x1p-1074, -0x1p-1074};
    enum { N = sizeof v / sizeof *v };
    on_every_tier({
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                double got = smr_pow(v[i], v[j]), want = pow(v[i], v[j]);
                bool is_near = fabs(got - want) <= 4e-16 * fabs(want);
                if (!same_f64(got, want) && !(is_near && isfinite(want) && want != 0))
                    fail_msg("pow(%a, %a): got %a, wanted %a", v[i], v[j], got, want);
            }
    });
}

static void exact_powers_are_exact(void **state)
{
    (void)state;
    on_every_tier({
        for (int i = 1; i <= 20; i++)
            for (int j = 0; j <= 12; j++) {
                double want = 1;
                for (int t = 0; t < j; t++) want *= i;
                if (want < 0x1p53) check_same_f64("pow", i * 100 + j, smr_pow(i, j), want);
            }
        for (int e = -1074; e < 1024; e++) check_same_f64("pow", e, smr_pow(2, e), ldexp(1, e));
    });
}

/* tests/truth/elementary.py: no result is so near a rounding boundary that an error below 0.62 ulp
 * could show. */
static void recorded_values_are_correctly_rounded(void **state)
{
    (void)state;
    on_every_tier({
        for (size_t c = 0; c < sizeof elementary_truth / sizeof *elementary_truth; c++)
            check_same_f64("recorded value", c, elementary_truth[c].f(elementary_truth[c].x),
                           elementary_truth[c].y);
        for (size_t c = 0; c < sizeof pow_truth / sizeof *pow_truth; c++)
            check_same_f64("pow", c, smr_pow(pow_truth[c][0], pow_truth[c][1]), pow_truth[c][2]);
    });
}

static void arrays_and_tiers_have_the_bits_of_single_calls(void **state)
{
    (void)state;
    enum { N = 4099 };
    double *x = numbers_f64(N, 1), *y = numbers_f64(N, 2), *want = numbers_f64(6 * N, 3);
    for (int i = 0; i < N; i++) x[i] = i % 5 ? x[i] * (1 << i % 9) : any_size((uint64_t)i);
    x[0] = NAN_, x[1] = INF_, x[2] = -INF_, x[3] = 0, x[4] = 0x1p-1060, x[5] = -0.0;
    assert_true(smr_kernel_use("base"));
    for (int i = 0; i < N; i++) {
        want[i] = smr_exp(x[i]), want[N + i] = smr_log(x[i]);
        want[2 * N + i] = smr_log1p(x[i]), want[3 * N + i] = smr_expm1(x[i]);
        want[4 * N + i] = smr_tanh(x[i]), want[5 * N + i] = smr_pow(fabs(x[i]), x[N - 1 - i]);
    }
    on_every_tier({
        for (int i = 0; i < N; i++) {
            check_same_f64("log1p", i, smr_log1p(x[i]), want[2 * N + i]);
            check_same_f64("expm1", i, smr_expm1(x[i]), want[3 * N + i]);
            check_same_f64("tanh", i, smr_tanh(x[i]), want[4 * N + i]);
            check_same_f64("pow", i, smr_pow(fabs(x[i]), x[N - 1 - i]), want[5 * N + i]);
        }
        static const int64_t lengths[] = {0, 1, 2, 3, 7, 8, 9, 63, 64, 65, N};
        for (int l = 0; l < 11; l++) {
            int64_t n = lengths[l];
            y[n] = 4.25;
            smr_exp_f64(n, x, y);
            for (int64_t i = 0; i < n; i++) check_same_f64("exp", i, y[i], want[i]);
            memcpy(y, x, (size_t)n * sizeof *y);
            smr_log_f64(n, y, y); /* in place */
            for (int64_t i = 0; i < n; i++) check_same_f64("log", i, y[i], want[N + i]);
            assert_true(y[n] == 4.25);
        }
    });
    free(x), free(y), free(want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_one_number_err_by_less_than_an_ulp),
        cmocka_unit_test(powers_err_by_less_than_an_ulp),
        cmocka_unit_test(special_arguments_give_what_the_standard_says),
        cmocka_unit_test(special_powers_are_those_of_the_standard),
        cmocka_unit_test(exact_powers_are_exact),
        cmocka_unit_test(recorded_values_are_correctly_rounded),
        cmocka_unit_test(arrays_and_tiers_have_the_bits_of_single_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
