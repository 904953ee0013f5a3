/* Tests of association against SciPy (tests/truth/stats.py), and weights as repeated rows. */
#include "check.h"

#include "math/association.h"
#include "math/stats.h"
#include "truth/stats.h"

static void chi_square_is_scipys(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_chi_square c;
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double *want = chi_squares[k];
        check_ok(ctx, k ? smr_chi_square_of(ctx, 4, 3, counts[0], &c)
                        : smr_chi_square_of(ctx, 2, 2, rain_counts[0], &c));
        check_near("chi2", c.statistic, want[0], 1e-14);
        check_near("p", c.p / want[1], 1, 1e-12);
        check_near("df", c.df, want[2], 0);
        check_near("V", c.v, want[3], 1e-14);
    }
    check_ok(ctx, smr_chi_square_of(ctx, 1, 3, counts[0], &c));
    assert_true(isnan(c.statistic) && isnan(c.p));
    check_ctx_end(ctx);
}

static void analysis_of_variance_is_scipys(void **state)
{
    const double ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    smr_ctx *ctx = check_ctx(1);
    smr_anova a, b;
    (void)state;
    check_ok(ctx, smr_anova_of(ctx, 17, anova_code, 4, anova_y, NULL, &a));
    check_near("F", a.f, anova[0], 1e-13);
    check_near("p", a.p, anova[1], 1e-13);
    check_near("eta2", a.eta2, 2 * a.f / (2 * a.f + 12), 1e-13); /* F = (b/2) / (e/12) */
    check_near("adjusted", a.adjusted, 1 - (1 - a.eta2) * 14 / 12, 1e-13);
    check_ok(ctx, smr_anova_of(ctx, 17, anova_code, 4, anova_y, ones, &b));
    check_near("weights of 1", b.f, a.f, 0);
    check_ok(ctx, smr_anova_of(ctx, 5, anova_code, 4, anova_y, NULL, &b)); /* one group */
    assert_true(isnan(b.f) && isnan(b.eta2));
    check_ctx_end(ctx);
}

/* Rows with weights 1, 2, 0, 3 against the rows repeated. */
static void weight_two_is_the_row_twice(void **state)
{
    const double y[] = {1.25, -3.5, 99, 2.75, 0.5}, w[] = {1, 2, 0, 3, 2};
    const int32_t code[] = {0, 1, 1, 0, 1};
    const double long_y[] = {1.25, -3.5, -3.5, 2.75, 2.75, 2.75, 0.5, 0.5};
    const int32_t long_code[] = {0, 1, 1, 0, 0, 0, 1, 1};
    double rank[5], long_rank[8];
    smr_ctx *ctx = check_ctx(1);
    smr_anova a, b;
    (void)state;
    check_ok(ctx, smr_anova_of(ctx, 5, code, 2, y, w, &a));
    check_ok(ctx, smr_anova_of(ctx, 8, long_code, 2, long_y, NULL, &b));
    check_near("F", a.f, b.f, 1e-14);
    check_near("adjusted", a.adjusted, b.adjusted, 1e-14);
    check_ok(ctx, smr_midranks(ctx, 5, y, w, NULL, rank));
    check_ok(ctx, smr_midranks(ctx, 8, long_y, NULL, NULL, long_rank));
    check_near("rank", rank[0], long_rank[0], 0);
    check_near("rank", rank[1], long_rank[1], 0);
    check_near("rank", rank[3], long_rank[4], 0);
    check_near("rank", rank[4], long_rank[6], 0);
    check_ctx_end(ctx);
}

static void correlations_and_ranks_are_scipys(void **state)
{
    const double *x = pairs_x, *y = pairs_y;
    double gaps[] = {0.31, -1.72, NAN, 2.44, 0.31, 5.5, -0.2, 1.13, 0.31, 7.7, 4};
    double other[] = {1.1, 0.2, 8, 2.9, 1.1, 3.3, 2.2, 0.7, 1.9, 3.1, NAN};
    double rx[9], ry[9];
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    double r = smr_pairwise_correlation(9, x, y);
    check_near("r", r, pearson[0], 1e-14);
    check_near("p", smr_correlation_p(r, 9), pearson[1], 1e-13);
    check_near("pairs with gaps", smr_pairwise_correlation(11, gaps, other), r, 1e-15);
    check_ok(ctx, smr_midranks(ctx, 9, x, NULL, NULL, rx));
    check_ok(ctx, smr_midranks(ctx, 9, y, NULL, NULL, ry));
    for (int i = 0; i < 9; i++) check_near("rank", rx[i], pairs_rank[i], 0);
    r = smr_correlation(9, rx, ry, NULL);
    check_near("rho", r, spearman[0], 1e-14);
    check_near("p", smr_correlation_p(r, 9), spearman[1], 1e-13);
    check_near("p of 1", smr_correlation_p(-1, 9), 0, 0);
    assert_true(isnan(smr_correlation_p(0.5, 2)));
    assert_true(isnan(smr_pairwise_correlation(3, (double[]){2, 2, 2}, x)));
    check_ok(ctx, smr_midranks(ctx, 11, gaps, NULL, NULL, (double[11]){0}));
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chi_square_is_scipys),
        cmocka_unit_test(analysis_of_variance_is_scipys),
        cmocka_unit_test(weight_two_is_the_row_twice),
        cmocka_unit_test(correlations_and_ranks_are_scipys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
