/* test_kperceptron.c -- the learner kperceptron: the perceptron's own mistakes, XOR, the budget. */
#include "learn/kernelled.h"

extern const smr_learner smr_kperceptron, smr_perceptron;

/* FIGURES F4: on -1 and 1 no line separates XOR, (1 + u v)^2 does; its margin there is sqrt 2 and
 * R^2 = 9 + 1. */
static void xor_is_learned_with_the_quadratic_kernel(void **unused)
{
    static const double x[] = {-1, -1, -1, 1, 1, -1, 1, 1};
    static const int32_t label[] = {0, 1, 1, 0};
    (void)unused;
    struct matrix_data m;
    double out[8];
    class_data(&m, 4, 2, 2, x, label, NULL);
    struct fitted f = fit_ready(&smr_kperceptron, "kernel=quadratic variant=plain", &m.data, 1);
    assert_true(f.report.converged);
    ask(&f, 4, 2, x, SMR_OUTPUT_DECISION, out);
    for (int i = 0; i < 4; i++) assert_int_equal(out[2 * i + 1] > 0, label[i]);
    check_near("radius", number(&f, "radius"), sqrt(10), 1e-15);
    double ratio = number(&f, "radius") / number(&f, "margin");
    assert_true(number(&f, "margin") > 0 && number(&f, "margin") <= sqrt(2) + 1e-12);
    assert_true(number(&f, "mistakes") <= ratio * ratio);
    end_fitted(&f);
    f = fit_ready(&smr_kperceptron, "kernel=linear", &m.data, 1);
    assert_false(f.report.converged);
    assert_int_equal(f.report.n_iter, 100);
    assert_true(isnan(number(&f, "margin")));
    end_fitted(&f);
}

/* Whole numbers, so that both compute without rounding. */
static void linear_kernel_makes_the_perceptrons_mistakes(void **unused)
{
    enum { N = 67, D = 4 };
    (void)unused;
    double x[N * D], weight[N], a[N * 3], b[N * 3];
    int32_t label[N];
    for (int i = 0; i < N; i++) {
        weight[i] = 1 + i % 3;
        for (int j = 0; j < D; j++) x[i * D + j] = (i * i * (j + 3) + 5 * j) % 17 - 8;
    }
    static const char *const words[] = {"variant=plain", "variant=averaged",
                                        "variant=plain shuffle=yes",
                                        "variant=averaged shuffle=no fit_intercept=no"};
    for (int k = 2; k <= 3; k++)
        for (int w = 0; w < 4; w++) {
            struct matrix_data m;
            char more[128];
            for (int i = 0; i < N; i++)
                label[i] = (x[i * D] + x[i * D + 1] > 3) + (k > 2 && x[i * D + 2] > i % 5);
            class_data(&m, N, D, k, x, label, w % 2 ? weight : NULL);
            snprintf(more, sizeof more, "kernel=linear max_iter=13 %s", words[w]);
            struct fitted f = fit_ready(&smr_kperceptron, more, &m.data, 2);
            snprintf(more, sizeof more, "max_iter=13 %s", words[w]);
            struct fitted g = fit_ready(&smr_perceptron, more, &m.data, 2);
            assert_true(number(&f, "mistakes") == number(&g, "mistakes"));
            assert_int_equal(whole(&f, "n_passes"), whole(&g, "n_passes"));
            for (int64_t i = 0; i < whole(&f, "n_passes"); i++)
                assert_true(state_array(&f, "pass_mistakes")[i] ==
                            state_array(&g, "pass_mistakes")[i]);
            ask(&f, N, D, x, SMR_OUTPUT_DECISION, a);
            ask(&g, N, D, x, SMR_OUTPUT_DECISION, b);
            for (int i = 0; i < N * k; i++) check_near("score", a[i], b[i], 1e-10);
            end_fitted(&f);
            end_fitted(&g);
        }
}

static void rings(double *x, int32_t *label, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double turn = 2.399963 * (double)i, r = i % 2 ? 1 : 2.2;
        x[2 * i] = r * cos(turn) + 0.2 * sin(7.3 * (double)i);
        x[2 * i + 1] = r * sin(turn) + 0.2 * cos(5.1 * (double)i);
        label[i] = (int32_t)(i % 2);
    }
}

static void budget_is_kept_and_forgets_by_its_rule(void **unused)
{
    enum { N = 120 };
    (void)unused;
    double x[2 * N], out[2 * N];
    int32_t label[N];
    static const char *const rules[] = {"least", "oldest"};
    rings(x, label, N);
    struct matrix_data m;
    class_data(&m, N, 2, 2, x, label, NULL);
    for (int r = 0; r < 2; r++) {
        char words[128];
        snprintf(words, sizeof words, "kernel=rbf(gamma=1) budget=17 forget=%s variant=plain",
                 rules[r]);
        struct fitted f = fit_ready(&smr_kperceptron, words, &m.data, 1);
        assert_true(whole(&f, "n_points") <= 17);
        assert_true(number(&f, "forgotten") <= number(&f, "mistakes") - 17 ||
                    number(&f, "forgotten") == 0);
        ask(&f, N, 2, x, SMR_OUTPUT_DECISION, out);
        int right = 0;
        for (int i = 0; i < N; i++) right += (out[2 * i + 1] > 0) == label[i];
        assert_true(right >= 100); /* of 120 */
        end_fitted(&f);
    }
    struct fitted all =
        fit_ready(&smr_kperceptron, "kernel=rbf(gamma=1) variant=plain shuffle=yes", &m.data, 1);
    struct fitted wide =
        fit_ready(&smr_kperceptron, "kernel=rbf(gamma=1) variant=plain budget=120", &m.data, 1);
    int64_t n = whole(&all, "n_points");
    assert_true(n == whole(&wide, "n_points") && number(&wide, "forgotten") == 0);
    assert_memory_equal(state_array(&all, "coef"), state_array(&wide, "coef"),
                        (size_t)n * sizeof(double));
    end_fitted(&all);
    end_fitted(&wide);
}

/* Rows of K that do not fit are computed again. */
static void little_memory_changes_no_bit(void **unused)
{
    enum { N = 600 };
    (void)unused;
    double x[2 * N], *kept = NULL;
    int32_t label[N];
    rings(x, label, N);
    struct matrix_data m;
    class_data(&m, N, 2, 2, x, label, NULL);
    for (int small = 0; small < 2; small++) {
        struct fitted f = {.ctx = check_ctx(2), .learner = &smr_kperceptron};
        if (small) check_ok(f.ctx, smr_ctx_set_memory_limit(f.ctx, 2000000));
        f.params = make_params(f.ctx, f.learner, "kernel=rbf(gamma=3) max_iter=5");
        check_ok(f.ctx, smr_state_create(f.ctx, f.learner, &f.state));
        check_ok(f.ctx, smr_learner_fit(f.ctx, f.learner, f.params, &m.data, f.state, &f.report));
        int64_t n = whole(&f, "n_points");
        if (!kept) {
            kept = malloc((size_t)n * sizeof *kept);
            memcpy(kept, state_array(&f, "coef"), (size_t)n * sizeof *kept);
        }
        assert_memory_equal(kept, state_array(&f, "coef"), (size_t)n * sizeof *kept);
        end_fitted(&f);
    }
    free(kept);
}

static void every_failing_allocation_is_survived(void **unused)
{
    (void)unused;
    double *x = random_matrix(9 * 2, 3);
    int32_t label[9] = {0, 1, 2, 3, 0, 1, 3, 1, 0};
    double weight[9] = {1, 2, 0, 1, 1, 3, 1, 1, 1};
    struct matrix_data m;
    class_data(&m, 9, 2, 4, x, label, weight); /* class 2 has no row that counts */
    check_failing_fits(&smr_kperceptron, "max_iter=70 budget=3 variant=plain", &m.data);
    free(x);
}

/* Begins a stream with nothing, or goes on with f; rows lo .. hi - 1. */
static void learn_rows(struct fitted *f, bool begin, const struct matrix_data *m, const double *x,
                       int64_t lo, int64_t hi)
{
    const smr_can_stream *streams = f->learner->stream;
    const smr_data *data = &m->data;
    smr_shape shape = {.n_features = data->n_features,
                       .task = SMR_TASK_CLASSIFY,
                       .n_outputs = 1,
                       .n_classes = data->n_classes};
    smr_rows rows = {.n = hi - lo,
                     .d = data->n_features,
                     .form = SMR_FORM_F64,
                     .x = x + lo * data->n_features,
                     .stride = data->n_features};
    smr_truths truths = {.label = data->label + lo,
                         .weight = data->weight ? data->weight + lo : NULL};
    if (begin) check_ok(f->ctx, streams->begin(f->ctx, f->params, &shape, f->state));
    check_ok(f->ctx, streams->learn(f->ctx, f->params, f->state, &rows, &truths, NULL));
}

/* One pass in the given order is a stream, and a stream goes on where a fit ends. */
static void streams_are_one_pass(void **unused)
{
    enum { N = 211, HALF = 100 };
    static double x[2 * N], weight[N], a[2 * N], b[2 * N];
    static int32_t label[N];
    static const char *const words[] = {
        "kernel=quadratic", "kernel=quadratic variant=plain", "kernel=quadratic fit_intercept=no",
        "kernel=rbf(gamma=2) variant=plain budget=17",
        "kernel=rbf(gamma=2) variant=plain budget=17 forget=oldest"};
    (void)unused;
    rings(x, label, N);
    for (int i = 0; i < N; i++) {
        weight[i] = i % 4;
        x[2 * i] = round(16 * x[2 * i]) / 16; /* squares without rounding */
        x[2 * i + 1] = round(16 * x[2 * i + 1]) / 16;
    }
    for (int w = 0; w < SMR_COUNT(words); w++)
        for (int from = 0; from <= HALF; from += HALF) {
            struct matrix_data all, part;
            char more[128];
            snprintf(more, sizeof more, "max_iter=1 shuffle=no %s", words[w]);
            class_data(&all, N, 2, 2, x, label, weight);
            class_data(&part, HALF, 2, 2, x, label, weight);
            struct fitted f = fit_ready(&smr_kperceptron, more, &all.data, 1);
            struct fitted g = from ? fit_ready(&smr_kperceptron, more, &part.data, 1)
                                   : (struct fitted){.ctx = check_ctx(1), &smr_kperceptron};
            if (!from) {
                g.params = make_params(g.ctx, &smr_kperceptron, words[w]);
                check_ok(g.ctx, smr_state_create(g.ctx, &smr_kperceptron, &g.state));
            }
            learn_rows(&g, from == 0, &all, x, from, N);
            assert_true(number(&f, "mistakes") == number(&g, "mistakes"));
            assert_true(number(&f, "forgotten") == number(&g, "forgotten"));
            assert_int_equal(whole(&f, "n_points"), whole(&g, "n_points"));
            ask(&f, N, 2, x, SMR_OUTPUT_DECISION, a);
            ask(&g, N, 2, x, SMR_OUTPUT_DECISION, b);
            for (int i = 0; i < 2 * N; i++) check_near(words[w], b[i], a[i], 1e-11);
            end_fitted(&f);
            end_fitted(&g);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xor_is_learned_with_the_quadratic_kernel),
        cmocka_unit_test(linear_kernel_makes_the_perceptrons_mistakes),
        cmocka_unit_test(budget_is_kept_and_forgets_by_its_rule),
        cmocka_unit_test(streams_are_one_pass),
        cmocka_unit_test(little_memory_changes_no_bit),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
