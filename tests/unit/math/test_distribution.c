/* Distributions: densities and tails against mpmath (tests/truth/distributions.py), quantiles
 * against the tails, draws against both, and what is refused. */
#include "check.h"

#include "math/distribution.h"

#include "truth/distributions.h"

/* Relative, and for logarithms close to 0 absolute. */
static const double TOLERANCE = 1e-12;

static smr_law law_of(const char *name, const double *p)
{
    return smr_law_of(smr_family_find(name), p[0], p[1], p[2]);
}

static void check_value(const char *name, const double *v, const char *what, double got,
                        double want, bool absolute)
{
    double size = absolute ? fmax(1, fabs(want)) : fabs(want);
    if (got == want || fabs(got - want) <= TOLERANCE * size) return;
    if (!absolute && fabs(want) < 1e-307 && fabs(got) < 1e-306) return;
    fail_msg("%s(%g, %g, %g) at %.17g: %s is %.17g, wanted %.17g, off by %.3g", name, v[0], v[1],
             v[2], v[3], what, got, want, (got - want) / want);
}

static void densities_and_tails_match_mpmath(void **state)
{
    (void)state;
    for (int64_t r = 0; r < SMR_COUNT(VALUES); r++) {
        const double *v = VALUES[r].v;
        smr_law law = law_of(VALUES[r].name, v);
        smr_tail low = smr_law_tail(&law, v[3], false), high = smr_law_tail(&law, v[3], true);
        check_value(VALUES[r].name, v, "log density", smr_law_log_density(&law, v[3]), v[4], true);
        check_value(VALUES[r].name, v, "density", smr_law_density(&law, v[3]), exp(v[4]), false);
        check_value(VALUES[r].name, v, "lower tail", low.p, v[5], false);
        check_value(VALUES[r].name, v, "upper tail", high.p, v[6], false);
        check_value(VALUES[r].name, v, "log lower tail", low.log_p, v[7], false);
        check_value(VALUES[r].name, v, "log upper tail", high.log_p, v[8], false);
    }
}

static void the_normal_figures_of_the_course_hold(void **state)
{
    (void)state;
    smr_law law = smr_law_of(&smr_family_gaussian, 0, 1, 0);
    check_near("phi(1)", smr_law_density(&law, 1), 0.241971, 5e-7);
    check_near("Phi(1)", smr_law_tail(&law, 1, false).p, 0.841345, 5e-7);
}

static void quantiles_have_the_tails_that_they_were_asked_for(void **state)
{
    (void)state;
    static const double tails[] = {1e-290, 1e-30, 1e-6, 0.025, 0.3, 0.5, 0.7, 0.999};
    for (int64_t r = 0; r < SMR_COUNT(VALUES); r++) {
        smr_law law = law_of(VALUES[r].name, VALUES[r].v);
        if (law.family->discrete) continue;
        for (int64_t k = 0; k < 2 * SMR_COUNT(tails); k++) {
            double p = tails[k / 2], x = smr_law_quantile(&law, p, k % 2);
            if (fabs(x) < 1e-290 || fabs(x) > 1e290) continue; /* underflows, and t of df 1 */
            if (law.family == &smr_family_beta && x > 0.999) continue;
            smr_tail back = smr_law_tail(&law, x, k % 2);
            /* x is right to some ulp, which the tail multiplies by |x| f(x) / tail */
            double gain = fabs(x) * exp(smr_law_log_density(&law, x) - back.log_p);
            if (fabs(back.p - p) > p * (1e-13 + 2e-15 * gain))
                fail_msg("%s(%g, %g, %g): quantile %g%s is %.17g, whose tail is %.17g, off by %.3g",
                         law.family->name, law.p[0], law.p[1], law.p[2], p, k % 2 ? " upper" : "",
                         x, back.p, back.p / p - 1);
        }
    }
}

/* Small shapes spread over hundreds of powers of ten, and tails as small as doubles are. */
static void quantiles_of_small_shapes_have_their_tails(void **state)
{
    static const double shapes[] = {1e-5, 1e-3, 0.01, 0.03, 0.1, 0.2, 0.5, 3, 200};
    static const double tails[] = {1e-300, 1e-100, 1e-20, 1e-6, 0.01, 0.3, 0.5, 0.7, 0.999999};
    (void)state;
    for (int64_t k = 0; k < 2 * SMR_COUNT(tails) * SMR_COUNT(shapes) * SMR_COUNT(shapes); k++) {
        double p = tails[k / 2 % SMR_COUNT(tails)];
        double a = shapes[k / 2 / SMR_COUNT(tails) % SMR_COUNT(shapes)];
        double b = shapes[k / 2 / SMR_COUNT(tails) / SMR_COUNT(shapes)];
        const smr_law laws[] = {smr_law_of(&smr_family_gamma, a, 1, 0),
                                smr_law_of(&smr_family_beta, a, b, 0),
                                smr_law_of(&smr_family_student, a, 0, 1)};
        for (int l = 0; l < 3; l++) {
            const smr_law *law = &laws[l];
            double x = smr_law_quantile(law, p, k % 2), far = fabs(x);
            double off = l == 1 && x > 0.5 ? 1e-9 * (1 - x) + 3e-16 : 1e-9 * far;
            double down = x - off, up = l == 1 ? smr_fmin(1, x + off) : x + off;
            if (far < 1e-290 && l < 2) down = 0, up = 1e-290;
            if (l == 2 && (far < 1e-9 || far > 1e290)) continue;
            double low = smr_law_tail(law, down, k % 2).p, high = smr_law_tail(law, up, k % 2).p;
            if (smr_fmin(low, high) > p * (1 + 1e-9) || smr_fmax(low, high) < p * (1 - 1e-9))
                fail_msg("%s(%g, %g): quantile %g%s is %.17g, of tails %.17g and %.17g",
                         law->family->name, law->p[0], law->p[1], p, k % 2 ? " upper" : "", x, low,
                         high);
        }
    }
    smr_law t = smr_law_of(&smr_family_student, 0.7, 0, 1);
    assert_true(smr_law_quantile(&t, 1e-300, false) == -INFINITY);
    assert_true(smr_law_quantile(&t, 1e-300, true) == INFINITY);
}

static void quantiles_of_counts_are_the_smallest_that_reach(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double a, b;
    } laws[] = {{"poisson", 0.03, 0},     {"poisson", 4.7, 0},       {"poisson", 12345.6, 0},
                {"binomial", 17, 0.37},   {"binomial", 4000, 0.013}, {"binomial", 1, 0.3},
                {"binomial", 1e6, 0.999}, {"bernoulli", 0.3, 0}};
    static const double tails[] = {1e-200, 1e-9, 0.025, 0.3, 0.5, 0.7, 0.7000001, 0.975, 0.99999};
    for (int64_t r = 0; r < SMR_COUNT(laws); r++) {
        smr_law law = smr_law_of(smr_family_find(laws[r].name), laws[r].a, laws[r].b, 0);
        for (int64_t k = 0; k < 2 * SMR_COUNT(tails); k++) {
            bool upper = k % 2;
            double p = tails[k / 2], x = smr_law_quantile(&law, p, upper);
            double here = smr_law_tail(&law, x, upper).p,
                   before = smr_law_tail(&law, x - 1, upper).p;
            if (upper ? here > p || !(before > p) : here < p || !(before < p))
                fail_msg("%s(%g, %g): quantile %g%s is %g: %.17g, one below %.17g", laws[r].name,
                         laws[r].a, laws[r].b, p, upper ? " upper" : "", x, here, before);
        }
        assert_true(smr_law_quantile(&law, 0, false) == 0);
    }
}

static void ends_and_limits_are_exact(void **state)
{
    (void)state;
    smr_law gamma1 = smr_law_of(&smr_family_gamma, 1, 3, 0),
            beta21 = smr_law_of(&smr_family_beta, 1, 2, 0);
    smr_law poisson0 = smr_law_of(&smr_family_poisson, 0, 0, 0),
            sure = smr_law_of(&smr_family_binomial, 5, 1, 0);
    smr_law t = smr_law_of(&smr_family_student, INFINITY, 0, 1),
            z = smr_law_of(&smr_family_gaussian, 0, 1, 0);
    assert_true(fabs(smr_law_density(&gamma1, 0) - 3) < 1e-15);
    assert_true(fabs(smr_law_density(&beta21, 0) - 2) < 1e-15 && smr_law_density(&beta21, 1) == 0);
    assert_true(smr_law_density(&poisson0, 0) == 1 && smr_law_tail(&poisson0, 0, true).p == 0);
    assert_true(smr_law_density(&sure, 5) == 1 && smr_law_density(&sure, 4) == 0);
    assert_true(smr_law_tail(&t, 1.3, true).p == smr_law_tail(&z, 1.3, true).p);
    assert_true(smr_law_quantile(&z, 0, true) == INFINITY &&
                isnan(smr_law_quantile(&z, 1.5, true)));
    assert_true(isnan(smr_law_density(&z, NAN)) && isnan(smr_law_tail(&gamma1, NAN, true).p));
    assert_true(smr_law_tail(&gamma1, INFINITY, false).p == 1 && smr_law_density(&gamma1, -1) == 0);
    assert_true(smr_law_quantile(&gamma1, 0, false) == 0);
    smr_law tiny = smr_law_of(&smr_family_gamma, 1e-6, 1, 0);
    assert_true(smr_law_quantile(&tiny, 0.01, false) == 0); /* log x is about -4.6e6 */
}

/* The largest distance of the empirical distribution function of n draws from the law's own passes
 * 1.95 / sqrt(n) once in a thousand samples (Kolmogorov); the seed is fixed.  For counts it is
 * smaller still. */
static void draws_follow_their_distributions(void **state)
{
    (void)state;
    enum { N = 20000 };
    static double x[N];
    for (int64_t r = 0; r < SMR_COUNT(VALUES); r++) {
        smr_law law = law_of(VALUES[r].name, VALUES[r].v);
        if (r && strcmp(VALUES[r].name, VALUES[r - 1].name) == 0 &&
            memcmp(VALUES[r].v, VALUES[r - 1].v, 3 * sizeof(double)) == 0)
            continue;
        int64_t n = law.family->discrete ? 2000 : N;
        for (int64_t i = 0; i < n; i++) x[i] = smr_law_draw(&law, 77, SMR_STREAM_TEST, (uint64_t)i);
        double worst = 0;
        for (double q = 0.02; q < 1; q += 0.04) {
            double at = smr_law_quantile(&law, q, false), below = 0;
            if (at == 0 && !law.family->discrete) continue; /* underflows, as draws do */
            for (int64_t i = 0; i < n; i++) below += x[i] <= at;
            worst = fmax(worst, fabs(below / (double)n - smr_law_tail(&law, at, false).p));
        }
        if (worst > 1.95 / sqrt((double)n))
            fail_msg("%s(%g, %g, %g): draws are off by %g", law.family->name, law.p[0], law.p[1],
                     law.p[2], worst);
    }
}

static double log_density_of(smr_ctx *ctx, const char *name, const double *p, int64_t n,
                             const double *x)
{
    double out = NAN;
    check_ok(ctx, smr_dist_values(ctx, name, p, n, SMR_DIST_LOG_DENSITY, 1, x, &out));
    return out;
}

static void densities_of_several_numbers_match_mpmath(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    check_near("dirichlet", log_density_of(ctx, "dirichlet", SHAPES, 3, SHARES), LOG_DIRICHLET,
               1e-13);
    check_near("gaussian", log_density_of(ctx, "multivariate-gaussian", MEAN_AND_S, 12, POINT),
               LOG_GAUSSIAN, 1e-13);
    check_near("wishart", log_density_of(ctx, "wishart", DF_AND_S, 10, MATRIX), LOG_WISHART, 1e-13);
    check_near("inverse", log_density_of(ctx, "inverse-wishart", DF_AND_S, 10, MATRIX),
               LOG_INVERSE_WISHART, 1e-13);
    double two = 2, shares[] = {1, 3, 4};
    check_near("categorical", log_density_of(ctx, "categorical", shares, 3, &two), log(0.5), 1e-15);
    /* one dimension: a gamma, a normal and an inverse gamma distribution */
    double df_s[] = {5.3, 2.1}, x = 3.7;
    smr_law gamma = smr_law_of(&smr_family_gamma, 2.65, 1 / 4.2, 0);
    smr_law inverse = smr_law_of(&smr_family_inverse_gamma, 2.65, 1.05, 0);
    check_near("d = 1", log_density_of(ctx, "wishart", df_s, 2, &x), smr_law_log_density(&gamma, x),
               1e-13);
    check_near("d = 1", log_density_of(ctx, "inverse-wishart", df_s, 2, &x),
               smr_law_log_density(&inverse, x), 1e-13);
    check_ctx_end(ctx);
}

/* Means of n draws within 5 deviations of their mean; the deviations are those of the draws. */
static void check_means(smr_ctx *ctx, const char *name, const double *p, int64_t n_p, int64_t width,
                        const double *means)
{
    enum { N = 5000 };
    double *x = calloc((size_t)(N * width), sizeof *x);
    assert_non_null(x);
    check_ok(ctx, smr_dist_draw(ctx, name, p, n_p, N, x));
    for (int64_t j = 0; j < width; j++) {
        double sum = 0, squares = 0;
        for (int64_t i = 0; i < N; i++) sum += x[i * width + j];
        for (int64_t i = 0; i < N; i++) squares += pow(x[i * width + j] - sum / N, 2);
        double error = sqrt(squares / N / N);
        if (!(fabs(sum / N - means[j]) < 5 * error && error > 0))
            fail_msg("%s: mean %d of draws is %g, wanted %g within %g", name, (int)j, sum / N,
                     means[j], 5 * error);
    }
    free(x);
}

static void draws_of_several_numbers_have_their_means(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    double wishart[9], inverse[9], shares[3];
    for (int i = 0; i < 9; i++) wishart[i] = DF_AND_S[0] * DF_AND_S[1 + i];
    for (int i = 0; i < 9; i++) inverse[i] = DF_AND_S[1 + i] / (DF_AND_S[0] - 4);
    for (int i = 0; i < 3; i++) shares[i] = SHAPES[i] / (SHAPES[0] + SHAPES[1] + SHAPES[2]);
    check_means(ctx, "wishart", DF_AND_S, 10, 9, wishart);
    check_means(ctx, "inverse-wishart", DF_AND_S, 10, 9, inverse);
    check_means(ctx, "dirichlet", SHAPES, 3, 3, shares);
    check_means(ctx, "multivariate-gaussian", MEAN_AND_S, 12, 3, MEAN_AND_S);
    check_means(ctx, "categorical", (const double[]){1, 0, 3}, 3, 1, (const double[]){1.5});
    /* covariances of draws: products of two coordinates */
    enum { N = 20000 };
    double *x = calloc(3 * N, sizeof *x), sum = 0;
    assert_non_null(x);
    check_ok(ctx, smr_dist_draw(ctx, "multivariate-gaussian", MEAN_AND_S, 12, N, x));
    for (int i = 0; i < N; i++) sum += (x[3 * i] - 1.1) * (x[3 * i + 1] + 2.3);
    check_near("covariance", sum / N, 0.7, 5 * sqrt((2.5 * 1.3 + 0.49) / N));
    free(x);
    check_ctx_end(ctx);
}

static void a_draw_depends_on_seed_and_number_alone(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    double few[3], many[7], p[] = {2.3, 1.7};
    smr_ctx_set_seed(ctx, 5);
    check_ok(ctx, smr_dist_draw(ctx, "gamma", p, 2, 3, few));
    check_ok(ctx, smr_dist_draw(ctx, "gamma", p, 2, 7, many));
    assert_memory_equal(few, many, sizeof few);
    smr_ctx_set_seed(ctx, 6);
    check_ok(ctx, smr_dist_draw(ctx, "gamma", p, 2, 3, few));
    assert_true(few[0] != many[0] && few[1] != many[1]);
    check_ctx_end(ctx);
}

static void the_public_call_gives_every_value(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    static const smr_dist_value what[] = {SMR_DIST_DENSITY,   SMR_DIST_LOG_DENSITY,
                                          SMR_DIST_LOWER,     SMR_DIST_UPPER,
                                          SMR_DIST_LOG_LOWER, SMR_DIST_LOG_UPPER};
    double p = 0.5, x = 3, out[6], q[2], tail = 0.25;
    for (int k = 0; k < 6; k++)
        check_ok(ctx, smr_dist_values(ctx, "exponential", &p, 1, what[k], 1, &x, out + k));
    double e = exp(-1.5), want[6] = {e / 2, -1.5 - log(2), 1 - e, e, log(1 - e), -1.5};
    for (int k = 0; k < 6; k++) check_near("exponential", out[k], want[k], 1e-15);
    check_ok(ctx, smr_dist_values(ctx, "exponential", &p, 1, SMR_DIST_QUANTILE, 1, &tail, q));
    check_ok(ctx,
             smr_dist_values(ctx, "exponential", &p, 1, SMR_DIST_UPPER_QUANTILE, 1, &tail, q + 1));
    check_near("quantile", q[0], -2 * log(0.75), 1e-15);
    check_near("quantile", q[1], -2 * log(0.25), 1e-15);
    check_ok(ctx, smr_dist_values(ctx, "dirichlet", SHAPES, 3, SMR_DIST_DENSITY, 1, SHARES, q));
    check_near("dirichlet", q[0], exp(LOG_DIRICHLET), 1e-13);
    check_ctx_end(ctx);
}

static void what_is_no_distribution_is_refused(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    double p[12] = {2, -1, 0.5, 0.25}, x[9] = {1}, out[9];
    check_fails(ctx, smr_dist_values(ctx, "cauchy", p, 2, 0, 1, x, out), SMR_ERR_PARAM,
                "there is no distribution \"cauchy\"; there are bernoulli, ");
    check_fails(ctx, smr_dist_values(ctx, "beta", p, 2, 0, 1, x, out), SMR_ERR_PARAM,
                "b of beta is -1; it is a number above 0, up to 1e12");
    check_fails(ctx, smr_dist_values(ctx, "bernoulli", p, 1, 0, 1, x, out), SMR_ERR_PARAM,
                "p of bernoulli is 2; it is a probability between 0 and 1");
    check_fails(ctx, smr_dist_values(ctx, "poisson", p, 2, 0, 1, x, out), SMR_ERR_PARAM,
                "poisson has 1 parameter, but 2 are given");
    check_fails(ctx, smr_dist_values(ctx, "beta", p, 0, 0, 1, x, out), SMR_ERR_PARAM,
                "a distribution has a name and parameters");
    check_fails(ctx, smr_dist_values(ctx, "gaussian", p, 2, (smr_dist_value)9, 1, x, out),
                SMR_ERR_PARAM, "9 is not a value of a distribution");
    check_fails(ctx, smr_dist_values(ctx, "dirichlet", p, 2, 0, 1, x, out), SMR_ERR_PARAM,
                "parameter 2 of dirichlet is -1; it is a number above 0, up to 1e12");
    check_fails(ctx, smr_dist_values(ctx, "categorical", p + 2, 2, SMR_DIST_LOWER, 1, x, out),
                SMR_ERR_UNSUPPORTED, "categorical has a density and draws, but no tails");
    check_fails(ctx, smr_dist_draw(ctx, "wishart", p, 3, 1, out), SMR_ERR_PARAM,
                "wishart of dimension d has 1 + d x d parameters, but 3 are given");
    double s[] = {3, 2, 0.5, 0.25, 1}, bad[] = {3, 1, 2, 2, 1};
    check_fails(ctx, smr_dist_draw(ctx, "wishart", s, 5, 1, out), SMR_ERR_PARAM,
                "the matrix of wishart is not symmetric: 0.25 in row 2, column 1, but 0.5");
    check_fails(ctx, smr_dist_draw(ctx, "inverse-wishart", bad, 5, 1, out), SMR_ERR_NUMERIC,
                "the matrix of inverse-wishart is not positive definite: row 2 follows");
    bad[0] = 0.5;
    check_fails(ctx, smr_dist_draw(ctx, "wishart", bad, 5, 1, out), SMR_ERR_PARAM,
                "df of wishart is 0.5; it is above 1, up to 1e12");
    check_fails(ctx, smr_dist_draw(ctx, "gamma", s, 2, -1, out), SMR_ERR_SHAPE,
                "-1 values of a distribution cannot be computed");
    check_ctx_end(ctx);
}

static smr_status draw_matrices(smr_ctx *ctx, void *arg)
{
    return smr_dist_draw(ctx, "wishart", DF_AND_S, 10, 2, arg);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    double out[18];
    for (int64_t n = 0;; n++) {
        int64_t held = smr_ctx_memory(ctx, NULL);
        smr_memory_fail_at(ctx, n);
        smr_status st = draw_matrices(ctx, out);
        smr_memory_fail_at(ctx, -1);
        assert_int_equal(smr_ctx_memory(ctx, NULL), held);
        if (st == SMR_OK) break;
        assert_int_equal(st, SMR_ERR_NOMEM);
        assert_true(n < 50);
    }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(densities_and_tails_match_mpmath),
        cmocka_unit_test(the_normal_figures_of_the_course_hold),
        cmocka_unit_test(quantiles_have_the_tails_that_they_were_asked_for),
        cmocka_unit_test(quantiles_of_small_shapes_have_their_tails),
        cmocka_unit_test(quantiles_of_counts_are_the_smallest_that_reach),
        cmocka_unit_test(ends_and_limits_are_exact),
        cmocka_unit_test(draws_follow_their_distributions),
        cmocka_unit_test(densities_of_several_numbers_match_mpmath),
        cmocka_unit_test(draws_of_several_numbers_have_their_means),
        cmocka_unit_test(a_draw_depends_on_seed_and_number_alone),
        cmocka_unit_test(the_public_call_gives_every_value),
        cmocka_unit_test(what_is_no_distribution_is_refused),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
