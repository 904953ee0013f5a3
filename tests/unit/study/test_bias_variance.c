/* test_bias_variance.c -- decompositions worked by hand, closed forms of simple learners, and the
 * variance of bags.  Monte Carlo figures are compared within four of their standard errors; seeds
 * are fixed, so that a test that passes once passes always. */
#include "said_study.h"
#include "study_json.h"

#include "study/bias_variance.h"

static smr_json_doc *study(smr_ctx *ctx, const char *sentence, const smr_bias_how *how)
{
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, said_bias(ctx, sentence, NULL, how, smr_json_root(doc)));
    check_ok(ctx, smr_json_done(doc));
    return doc;
}

/* ---- by hand ---------------------------------------------------------------------------- */

static void numbers_are_decomposed_as_by_hand(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    /* two samples, two points; f = 1.5 and 4, y = 2 and 4.25, noise variance 0.25 */
    const double predicted[] = {1, 5, 3, 4.5}, y[] = {2, 4.25}, truth[] = {1.5, 4};
    smr_bias_points p = {
        .n_samples = 2, .n = 2, .predicted = predicted, .y = y, .truth = truth, .noise = 0.5};
    smr_decomposition d;
    (void)state;
    check_ok(ctx, smr_bias_decompose(ctx, &p, &d));
    /* variances 2 and 0.125; squared distances of the means 0.25 and 0.5625 */
    check_near("variance", d.variance, 1.0625, 1e-15);
    check_near("bias", d.bias, 0.40625 - 1.0625 / 2, 1e-15);
    check_near("noise", d.noise, 0.25, 0);
    check_near("sum", d.sum, d.bias + d.variance + 0.25, 1e-15);
    check_near("measured", d.measured, (1 + 1 + 0.5625 + 0.0625) / 4, 1e-15);
    p.truth = NULL; /* then the observed values are the middle, and the sum is the error */
    check_ok(ctx, smr_bias_decompose(ctx, &p, &d));
    assert_true(isnan(d.noise));
    check_near("sum", d.sum, d.measured, 1e-15);
    check_ctx_end(ctx);
}

static void classes_are_decomposed_as_by_hand(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    const double predicted[] = {0, 2, 0, 2, 1, 2, 2, 1}, y[] = {0, 2};
    const double truth[] = {0.7, 0.2, 0.1, 0.1, 0.6, 0.3};
    smr_bias_points p = {
        .n_samples = 4, .n = 2, .n_classes = 3, .predicted = predicted, .y = y, .truth = truth};
    smr_decomposition d;
    (void)state;
    check_ok(ctx, smr_bias_decompose(ctx, &p, &d));
    /* point 0: shares 1/2, 1/4, 1/4; B = 0, V = 1/2, N = 0.3, c1 N = 0.3/2 - 0.075
     * point 1: shares 0, 1/4, 3/4; B = 1, V = 1/4, c2 V = -1/4, N = 0.4, c1 N = 0.1 - 0.225 */
    check_near("bias", d.bias, 0.5, 1e-15);
    check_near("variance", d.variance, 0.375, 1e-15);
    check_near("up", d.variance_up, 0.25, 1e-15);
    check_near("down", d.variance_down, -0.125, 1e-15);
    check_near("noise", d.noise, 0.35, 1e-15);
    check_near("noise effect", d.noise_effect, (0.075 - 0.125) / 2, 1e-15);
    check_near("sum", d.sum, (0.575 + 0.625) / 2, 1e-15); /* 1 - sum of truth times share */
    check_near("measured", d.measured, (0.5 + 0.25) / 2, 1e-15);
    check_ctx_end(ctx);
}

/* For any predictions, the parts of (2) sum to P(y != p) = 1 - sum_k P(y = k) P(p = k). */
static void the_parts_of_zero_one_loss_sum_to_it(void **state)
{
    enum { S = 17, T = 41, K = 4 };
    smr_ctx *ctx = check_ctx(1);
    double predicted[S * T], y[T], truth[T * K], expected = 0;
    smr_decomposition d;
    (void)state;
    for (int64_t t = 0; t < T; t++) {
        double total = 0;
        for (int64_t k = 0; k < K; k++) total += truth[t * K + k] = noise(t * K + k, 1) + 1;
        for (int64_t k = 0; k < K; k++) truth[t * K + k] /= total;
        y[t] = (double)(t % K);
    }
    for (int64_t e = 0; e < S * T; e++)
        predicted[e] = (double)smr_random_below(3, SMR_STREAM_TEST, 1, (uint64_t)e, K);
    for (int64_t t = 0; t < T; t++) {
        double right = 0;
        for (int64_t s = 0; s < S; s++) right += truth[t * K + (int64_t)predicted[s * T + t]] / S;
        expected += (1 - right) / T;
    }
    smr_bias_points p = {
        .n_samples = S, .n = T, .n_classes = K, .predicted = predicted, .y = y, .truth = truth};
    check_ok(ctx, smr_bias_decompose(ctx, &p, &d));
    check_near("sum", d.sum, expected, 1e-13);
    assert_true(d.bias > 0 && d.bias < 1 && d.variance_down < 0);
    check_ctx_end(ctx);
}

/* ---- closed forms ----------------------------------------------------------------------- */

/* Least squares with an intercept on n normal rows of d columns: no bias, and at a new normal point
 * the variance v (1/n + (1 + 1/n) d / (n - d - 2)). */
static void least_squares_has_its_closed_form(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_setting settings[] = {{"d", "4"}, {"noise", "2"}};
    smr_bias_how how = {.generator = "linear",
                        .settings = settings,
                        .n_settings = 2,
                        .samples = 400,
                        .rows = 30,
                        .test_rows = 2000};
    smr_json_doc *doc = study(ctx, "linear", &how);
    const smr_json *d = smr_json_get(smr_json_root(doc), "decomposition");
    double variance = 4 * (1.0 / 30 + (31.0 / 30) * 4 / 24);
    (void)state;
    assert_true(fabs(number_of(d, "bias2")) < 4 * number_of(d, "bias_se"));
    /* the test points' own scatter: d chi-square, sd / mean = sqrt(2/4), over 2000 points */
    assert_true(fabs(number_of(d, "variance") - variance) <
                4 * hypot(number_of(d, "variance_se"), variance * sqrt(0.5 / 2000)));
    assert_true(number_of(d, "noise") == 4);
    assert_true(fabs(number_of(d, "difference")) < 4 * number_of(d, "difference_se"));
    check_near("sum", number_of(d, "sum"),
               number_of(d, "bias2") + number_of(d, "variance") + number_of(d, "noise"), 1e-12);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

/* The nearest neighbour repeats one noisy value: on noise alone its variance is the noise's, and
 * that of k neighbours a k-th. */
static void neighbours_on_noise_have_the_variance_of_their_mean(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_setting settings[] = {{"d", "2"}, {"coefficients", "0,0"}, {"noise", "1.7"}};
    smr_bias_how how = {.generator = "linear",
                        .settings = settings,
                        .n_settings = 3,
                        .samples = 300,
                        .rows = 41,
                        .test_rows = 300};
    static const char *const sentences[] = {"knn 1", "knn 4"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        smr_json_doc *doc = study(ctx, sentences[k], &how);
        const smr_json *d = smr_json_get(smr_json_root(doc), "decomposition");
        double variance = 1.7 * 1.7 / (k ? 4 : 1);
        assert_true(fabs(number_of(d, "variance") - variance) < 4 * number_of(d, "variance_se"));
        assert_true(number_of(d, "variance_se") < 0.02 * variance * (k ? 2 : 1));
        assert_true(fabs(number_of(d, "bias2")) < 4 * number_of(d, "bias_se"));
        smr_json_free(doc);
    }
    check_ctx_end(ctx);
}

/* An endless penalty leaves the mean of y: variance Var y / n, bias^2 = mean (f - E y)^2. */
static void an_endless_ridge_is_the_mean(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_setting settings[] = {{"d", "2"}, {"coefficients", "2,-1"}, {"noise", "0.5"}};
    smr_bias_how how = {.generator = "linear",
                        .settings = settings,
                        .n_settings = 3,
                        .samples = 500,
                        .rows = 50,
                        .test_rows = 3000};
    smr_json_doc *doc = study(ctx, "ridge 1e12", &how);
    const smr_json *d = smr_json_get(smr_json_root(doc), "decomposition");
    (void)state;
    assert_true(fabs(number_of(d, "variance") - 5.25 / 50) < 4 * number_of(d, "variance_se"));
    /* (w'x)^2 has mean 5 and deviation 5 sqrt 2 over the test points */
    assert_true(fabs(number_of(d, "bias2") - 5) <
                4 * hypot(number_of(d, "bias_se"), 5 * sqrt(2.0 / 3000)));
    smr_json_free(doc);
    check_ctx_end(ctx);
}

static void the_sum_agrees_with_the_measured_error(void **state)
{
    check_no_races();
    static const struct {
        const char *sentence, *generator;
    } cases[] = {{"knn 3", "friedman"},    {"poly 2 | ridge 0.1", "sine"},
                 {"knn 5", "poly"},        {"knn 3", "moons"},
                 {"knn 7", "xor"},         {"knn 1", "twoclass"},
                 {"knn 9", "checkerboard"}};
    (void)state;
    for (int64_t c = 0; c < SMR_COUNT(cases); c++) {
        smr_ctx *ctx = check_ctx(2);
        smr_bias_how how = {
            .generator = cases[c].generator, .samples = 40, .rows = 60, .test_rows = 700};
        smr_json_doc *doc = study(ctx, cases[c].sentence, &how);
        const smr_json *d = smr_json_get(smr_json_root(doc), "decomposition");
        double slack = 1e-12; /* of rounding, where there is no noise */
        if (!(fabs(number_of(d, "difference")) <= 4 * number_of(d, "difference_se") + slack))
            fail_msg("%s: %g beside %g", cases[c].generator, number_of(d, "sum"),
                     number_of(d, "measured"));
        smr_json_free(doc);
        check_ctx_end(ctx);
    }
}

/* ---- bagging and varying ---------------------------------------------------------------- */

static void bags_follow_the_formula(void **state)
{
    check_no_races();
    static const char *const generators[] = {"friedman", "moons"};
    (void)state;
    for (int g = 0; g < 2; g++) {
        smr_ctx *ctx = check_ctx(2);
        smr_bias_how how = {
            .generator = generators[g], .samples = 120, .rows = 40, .test_rows = 150, .bag = 21};
        smr_json_doc *doc = study(ctx, "knn 2", &how);
        const smr_json *bag = smr_json_get(smr_json_root(doc), "bagging");
        const smr_json *sizes = smr_json_get(bag, "sizes");
        double s2 = number_of(bag, "variance_of_one"), rho = number_of(bag, "rho");
        static const double m[] = {1, 2, 5, 10, 20, 21};
        assert_int_equal(sizes->n, 6);
        assert_true(rho > 0.1 && rho < 0.9);
        for (int64_t k = 0; k < 6; k++) {
            const smr_json *row = nth(sizes, k);
            assert_true(number_of(row, "m") == m[k]);
            check_near("formula", number_of(row, "formula"), (1 - rho) * s2 / m[k] + rho * s2,
                       1e-12);
            assert_true(fabs(number_of(row, "variance") - number_of(row, "formula")) <
                        4 * number_of(row, "variance_se"));
        }
        assert_true(number_of(nth(sizes, 5), "variance") <
                    0.8 * number_of(nth(sizes, 0), "variance"));
        assert_true(number_of(nth(sizes, 5), "error") < number_of(nth(sizes, 0), "error"));
        smr_json_free(doc);
        check_ctx_end(ctx);
    }
}

static void varying_a_parameter_is_one_study_a_value(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_bias_how how = {
        .generator = "friedman", .samples = 20, .rows = 50, .test_rows = 100, .over = "k=1,4,9,25"};
    smr_json_doc *doc = study(ctx, "knn", &how);
    const smr_json *trade = smr_json_get(smr_json_root(doc), "trade_off");
    const smr_json *values = smr_json_get(trade, "values");
    (void)state;
    assert_int_equal(values->n, 4);
    how.over = NULL;
    smr_json_doc *nine = study(ctx, "knn 9", &how);
    const smr_json *d = smr_json_get(smr_json_root(nine), "decomposition");
    assert_true(number_of(nth(values, 2), "value") == 9);
    assert_true(number_of(nth(values, 2), "variance") == number_of(d, "variance"));
    assert_true(number_of(nth(values, 2), "bias2") == number_of(d, "bias2"));
    for (int64_t k = 0; k < 3; k++) { /* the classic picture */
        assert_true(number_of(nth(values, k), "variance") >
                    number_of(nth(values, k + 1), "variance"));
        assert_true(number_of(nth(values, k), "bias2") < number_of(nth(values, k + 1), "bias2"));
    }
    row_with(smr_json_get(smr_json_root(doc), "figures"), "name", "trade-off");
    smr_json_free(nine);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

/* ---- files ------------------------------------------------------------------------------ */

static smr_train_set *small_set(smr_ctx *ctx, smr_table **table)
{
    static const char *const names[] = {"a", "b", "y"};
    double x[3 * 97];
    smr_train_set *set = NULL;
    for (int64_t i = 0; i < 97; i++) {
        x[3 * i] = noise(i, 0);
        x[3 * i + 1] = noise(i, 1);
        x[3 * i + 2] = x[3 * i] - 0.5 * x[3 * i + 1] + 0.3 * noise(i, 2);
    }
    *table = matrix_table(ctx, 97, 3, x, names);
    smr_set_opts opts = {.target = "y", .keep_all = true, .task = SMR_TASK_REGRESS};
    check_ok(ctx, said_set(ctx, *table, "knn", &opts, &set));
    return set;
}

static void a_files_parts_have_bias_and_noise_together(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *table = NULL;
    smr_train_set *set = small_set(ctx, &table);
    smr_bias_how how = {.samples = 30};
    smr_json_doc *doc = NULL;
    (void)state;
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, said_bias(ctx, "knn 3", set, &how, smr_json_root(doc)));
    const smr_json *root = smr_json_root(doc), *d = smr_json_get(root, "decomposition");
    assert_true(number_of(root, "test_rows") == 32 && number_of(root, "rows") == 32);
    assert_null(smr_json_get(d, "noise"));
    check_near("sum", number_of(d, "bias2_and_noise") + number_of(d, "variance"),
               number_of(d, "measured"), 1e-12);
    assert_non_null(strstr(smr_json_get_string(root, "note", ""), "cannot be told apart"));
    smr_json_free(doc);
    smr_train_set_free(set);
    smr_table_free(table);
    check_ctx_end(ctx);
}

/* ---- what holds for all ----------------------------------------------------------------- */

static void the_same_bytes_at_any_thread_count(void **state)
{
    static const int threads[] = {1, 2, 7};
    char *first = NULL;
    (void)state;
    for (int k = 0; k < 3; k++) {
        smr_ctx *ctx = check_ctx(threads[k]);
        smr_bias_how how = {
            .generator = "moons", .samples = 9, .rows = 20, .test_rows = 31, .bag = 3};
        smr_json_doc *doc = study(ctx, "knn 3", &how);
        char *text = json_text(ctx, doc);
        if (!first) first = strdup(text);
        assert_string_equal(text, first);
        smr_free(text);
        smr_json_free(doc);
        check_ctx_end(ctx);
    }
    free(first);
}

static smr_status try_study(smr_ctx *ctx, void *arg)
{
    const smr_bias_how *how = arg;
    smr_json_doc *doc = NULL;
    smr_status st = smr_json_create(ctx, &doc);
    if (st == SMR_OK) st = said_bias(ctx, "knn 2", NULL, how, smr_json_root(doc));
    if (st == SMR_OK) st = smr_json_done(doc);
    smr_json_free(doc);
    return st;
}

static void every_failing_allocation_is_survived(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_bias_how bag = {.generator = "sine", .samples = 2, .rows = 5, .test_rows = 3, .bag = 2};
    smr_bias_how over = {
        .generator = "sine", .samples = 2, .rows = 5, .test_rows = 3, .over = "k=1,2"};
    (void)state;
    assert_true(fail_each_allocation(ctx, try_study, &bag) > 50);
    assert_true(fail_each_allocation(ctx, try_study, &over) > 50);
    check_ctx_end(ctx);
}

static void what_cannot_be_asked_is_told(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = NULL;
    smr_setting n[] = {{"n", "50"}};
    (void)state;
    check_ok(ctx, smr_json_create(ctx, &doc));
#define REFUSES(part, ...)                                                                     \
    check_fails(ctx,                                                                           \
                said_bias(ctx, "knn", NULL, &(smr_bias_how){__VA_ARGS__}, smr_json_root(doc)), \
                SMR_ERR_PARAM, part)
    REFUSES("at least 2 samples, not 1", .generator = "sine", .samples = 1);
    REFUSES("at least 2 rows", .generator = "sine", .rows = 1);
    REFUSES("at least 2 replicates", .generator = "sine", .bag = 1);
    REFUSES("did you mean friedman1?", .generator = "fridman1");
    REFUSES("set by --rows", .generator = "sine", .settings = n, .n_settings = 1);
    REFUSES("different questions", .generator = "sine", .bag = 5, .over = "k=1,2");
    REFUSES("varies one parameter", .generator = "sine", .over = "k=1,2 weight=*");
    smr_json_free(doc);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_decomposed_as_by_hand),
        cmocka_unit_test(classes_are_decomposed_as_by_hand),
        cmocka_unit_test(the_parts_of_zero_one_loss_sum_to_it),
        cmocka_unit_test(least_squares_has_its_closed_form),
        cmocka_unit_test(neighbours_on_noise_have_the_variance_of_their_mean),
        cmocka_unit_test(an_endless_ridge_is_the_mean),
        cmocka_unit_test(the_sum_agrees_with_the_measured_error),
        cmocka_unit_test(bags_follow_the_formula),
        cmocka_unit_test(varying_a_parameter_is_one_study_a_value),
        cmocka_unit_test(a_files_parts_have_bias_and_noise_together),
        cmocka_unit_test(the_same_bytes_at_any_thread_count),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(what_cannot_be_asked_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
