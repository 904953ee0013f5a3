/* test_generate_truth.c -- what generators know of y at a point, against the rows they draw. */
#include "check.h"

#include "data/generate.h"
#include "math/stats.h"

static smr_table *make(smr_ctx *ctx, const char *name, const smr_setting *settings, int64_t n,
                       int64_t first, smr_truth *truth)
{
    smr_table *t = NULL;
    check_ok(ctx, smr_generate_known(ctx, name, settings, n, 5, first, &t, truth));
    return t;
}

static const char *const numbers[] = {"linear",    "sparse_linear", "friedman1", "friedman2",
                                      "friedman3", "sine",          "poly"};

static void without_noise_the_target_is_the_truth(void **state)
{
    (void)state;
    for (int64_t g = 0; g < SMR_COUNT(numbers); g++) {
        smr_ctx *ctx = check_ctx(2);
        smr_truth truth;
        smr_table *t =
            make(ctx, numbers[g], (smr_setting[]){{"noise", "0"}, {"n", "257"}}, 2, 100, &truth);
        assert_int_equal(truth.n, 157);
        assert_true(truth.noise == 0 && truth.width == 1);
        for (int64_t i = 0; i < truth.n; i++)
            check_near(numbers[g], truth.f[i],
                       smr_column_number(&t->cols[t->n_cols - 1], truth.first + i), 1e-14);
        smr_truth_release(&truth);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

static void targets_lie_about_the_truth_with_the_noise_told(void **state)
{
    enum { ROWS = 4001 };
    (void)state;
    for (int64_t g = 0; g < SMR_COUNT(numbers); g++) {
        smr_ctx *ctx = check_ctx(1);
        smr_truth truth;
        static double error[ROWS];
        smr_table *t =
            make(ctx, numbers[g], (smr_setting[]){{"noise", "0.73"}, {"n", "4001"}}, 2, 0, &truth);
        assert_true(truth.noise == 0.73);
        for (int64_t i = 0; i < ROWS; i++)
            error[i] = smr_column_number(&t->cols[t->n_cols - 1], i) - truth.f[i];
        /* four standard errors of a mean and of a deviation */
        assert_true(fabs(smr_mean(ROWS, error, NULL)) < 4 * 0.73 / sqrt(ROWS));
        assert_true(fabs(sqrt(smr_variance(ROWS, error, NULL, 1)) - 0.73) <
                    4 * 0.73 / sqrt(2.0 * ROWS));
        smr_truth_release(&truth);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

/* Of the rows whose probability of the last class lies in a tenth of [0, 1], the share that are of
 * it: within four binomial deviations of the mean probability. */
static void check_calibrated(const char *name, const smr_setting *settings, int64_t n_settings)
{
    smr_ctx *ctx = check_ctx(2);
    smr_truth truth;
    smr_table *t = make(ctx, name, settings, n_settings, 0, &truth);
    double sum[10] = {0}, hits[10] = {0}, spread[10] = {0};
    int64_t K = truth.width;
    assert_non_null(truth.f);
    for (int64_t i = 0; i < truth.n; i++) {
        double total = 0, p = truth.f[i * K + K - 1];
        for (int64_t k = 0; k < K; k++) total += truth.f[i * K + k];
        check_near("probabilities sum to 1", total, 1, 1e-14);
        int bin = (int)fmin(9, 10 * p);
        sum[bin] += p;
        spread[bin] += p * (1 - p);
        hits[bin] += smr_column_code(&t->cols[t->n_cols - 1], i) == K - 1;
    }
    for (int bin = 0; bin < 10; bin++)
        if (fabs(hits[bin] - sum[bin]) > 4 * sqrt(spread[bin]) + 1e-9)
            fail_msg("%s: %g rows of the class where %g were expected (deviation %g)", name,
                     hits[bin], sum[bin], sqrt(spread[bin]));
    smr_truth_release(&truth);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void class_probabilities_come_true(void **state)
{
    (void)state;
    check_no_sanitizer();
    check_calibrated("blobs", (smr_setting[]){{"n", "6000"}, {"sd", "4"}, {"spread", "5"}}, 3);
    check_calibrated("twoclass", (smr_setting[]){{"n", "6000"}, {"d", "3"}, {"prior", "0.3"}}, 3);
    check_calibrated("moons", (smr_setting[]){{"n", "6000"}, {"noise", "0.35"}}, 2);
    check_calibrated("circles", (smr_setting[]){{"n", "6000"}, {"noise", "0.3"}}, 2);
    check_calibrated("spirals", (smr_setting[]){{"n", "6000"}, {"noise", "0.2"}, {"classes", "3"}},
                     3);
    check_calibrated("xor", (smr_setting[]){{"n", "6000"}, {"sd", "0.8"}, {"flip", "0.1"}}, 3);
    check_calibrated("checkerboard", (smr_setting[]){{"n", "3000"}, {"flip", "0.2"}}, 2);
    check_calibrated("classification",
                     (smr_setting[]){{"n", "6000"},
                                     {"separation", "0.5"},
                                     {"flip", "0.2"},
                                     {"classes", "3"},
                                     {"informative", "4"}},
                     5);
    check_calibrated("classification",
                     (smr_setting[]){{"n", "6000"},
                                     {"d", "4"},
                                     {"separation", "0.3"},
                                     {"clusters", "1"},
                                     {"informative", "1"},
                                     {"redundant", "0"}},
                     6);
    check_calibrated("parity", (smr_setting[]){{"n", "3000"}, {"flip", "0.25"}}, 2);
}

/* twoclass notes its least error Phi(-D/2); the mean of the smaller probability is that. */
static void the_least_error_of_two_normal_classes_is_known(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_truth truth;
    smr_table *t = make(ctx, "twoclass", (smr_setting[]){{"n", "20000"}}, 1, 0, &truth);
    double sum = 0;
    (void)state;
    for (int64_t i = 0; i < truth.n; i++) sum += fmin(truth.f[2 * i], truth.f[2 * i + 1]);
    check_near("least error", sum / 20000, 0.158655253931457, 0.005); /* Phi(-1) */
    smr_truth_release(&truth);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void what_is_not_known_is_not_told(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_truth truth;
    smr_table *t = make(ctx, "swissroll", NULL, 0, 0, &truth);
    (void)state;
    assert_null(truth.f);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void friedman_alone_is_the_first(void **state)
{
    (void)state;
    assert_string_equal(smr_generator_find("friedman")->name, "friedman1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_noise_the_target_is_the_truth),
        cmocka_unit_test(targets_lie_about_the_truth_with_the_noise_told),
        cmocka_unit_test(class_probabilities_come_true),
        cmocka_unit_test(the_least_error_of_two_normal_classes_is_known),
        cmocka_unit_test(what_is_not_known_is_not_told),
        cmocka_unit_test(friedman_alone_is_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
