/* test_logistic_dual.c -- logistic on sparse rows of many columns: the dual, with l1 the columns,
 * and when they are taken. */
#include "learn/matrix_data.h"

extern const smr_learner smr_logistic;

enum { N = 400, WIDE = 1500, WORDS = 12 };

static int64_t start[N + 1];
static int32_t column[N * WORDS], label[N];
static double value[N * WORDS], weight[N];

/* Twelve words per row, ascending, some of them the class's. */
static smr_data text(smr_csr *sparse)
{
    for (int i = 0; i < N; i++) {
        label[i] = smr_random_below(3, SMR_STREAM_TEST, (uint64_t)i, 99, 2) == 1;
        weight[i] = 0.5 + (i % 3);
        for (int k = 0; k < WORDS; k++) {
            int64_t step = smr_random_below(3, SMR_STREAM_TEST, (uint64_t)i, (uint64_t)k, 60);
            column[i * WORDS + k] = (int32_t)(k * 120 + (step / 10) * 10 + 5 * label[i] * (k % 2));
            value[i * WORDS + k] = 1 + k % 3;
        }
        start[i + 1] = (i + 1) * WORDS;
    }
    for (int i = 0; i < N; i += 9) label[i] = !label[i];
    *sparse = (smr_csr){N, WIDE, start, column, value};
    return (smr_data){.size = sizeof(smr_data),
                      .n_rows = N,
                      .n_features = WIDE,
                      .sparse = sparse,
                      .task = SMR_TASK_CLASSIFY,
                      .n_outputs = 1,
                      .n_classes = 2,
                      .label = label,
                      .weight = weight};
}

static void sparse_rows_are_solved_in_the_dual(void **unused)
{
    (void)unused;
    smr_csr sparse;
    smr_data data = text(&sparse);
    for (int has = 0; has < 2; has++) {
        char words[2][64];
        const char *intercept = has ? "yes" : "no";
        snprintf(words[0], sizeof words[0], "l2=0.3 tol=1e-10 fit_intercept=%s", intercept);
        snprintf(words[1], sizeof words[1], "l2=0.3 tol=1e-9 solver=lbfgs fit_intercept=%s",
                 intercept);
        struct fitted dual = fit_matrix(&smr_logistic, words[0], &data, 2);
        struct fitted primal = fit_matrix(&smr_logistic, words[1], &data, 1);
        assert_true(dual.report.converged && primal.report.converged);
        check_near("solver", (double)*(const int64_t *)state_array(&dual, "solver"), 8, 0);
        check_near("objective", dual.report.objective, primal.report.objective, 1e-9);
        /* a file whose curve does not fit its iterations cannot be loaded */
        assert_true(dual.report.n_iter > 1);
        check_near("curve", (double)dual.report.n_curve, (double)smr_fit_points(dual.report.n_iter),
                   0);
        check_near("end", dual.report.curve[dual.report.n_curve - 1], dual.report.objective, 0);
        for (int j = 0; j < WIDE; j++)
            check_near("weight", state_array(&dual, "coef")[j], state_array(&primal, "coef")[j],
                       1e-4);
        check_near("intercept", *state_array(&dual, "intercept"),
                   *state_array(&primal, "intercept"), 1e-4);
        smr_fit_report_release(&dual.report);
        smr_fit_report_release(&primal.report);
        end_fitted(&dual);
        end_fitted(&primal);
    }
}

/* More classes too; one of the five that the target names has no row. */
static void sparse_rows_of_many_classes_are_solved_in_the_dual(void **unused)
{
    (void)unused;
    smr_csr sparse;
    smr_data data = text(&sparse);
    data.n_classes = 5;
    for (int i = 0; i < N; i++) label[i] = (int32_t)(label[i] + 3 * (column[i * WORDS] > 20));
    for (int has = 0; has < 2; has++) {
        char words[2][64];
        const char *intercept = has ? "yes" : "no";
        snprintf(words[0], sizeof words[0], "l2=0.3 tol=1e-10 fit_intercept=%s", intercept);
        snprintf(words[1], sizeof words[1], "l2=0.3 tol=1e-9 solver=lbfgs fit_intercept=%s",
                 intercept);
        struct fitted dual = fit_matrix(&smr_logistic, words[0], &data, 2);
        struct fitted one = fit_matrix(&smr_logistic, words[0], &data, 1);
        struct fitted primal = fit_matrix(&smr_logistic, words[1], &data, 1);
        assert_true(dual.report.converged && primal.report.converged);
        check_near("solver", (double)*(const int64_t *)state_array(&dual, "solver"), 8, 0);
        check_near("objective", dual.report.objective, primal.report.objective, 1e-9);
        check_near("curve", (double)dual.report.n_curve, (double)smr_fit_points(dual.report.n_iter),
                   0);
        for (int j = 0; j < 5 * WIDE; j++)
            check_near("weight", state_array(&dual, "coef")[j], state_array(&primal, "coef")[j],
                       1e-4);
        for (int c = 0; c < 5; c++)
            check_near("intercept", state_array(&dual, "intercept")[c],
                       state_array(&primal, "intercept")[c], 1e-4);
        assert_memory_equal(state_array(&dual, "coef"), state_array(&one, "coef"),
                            5 * WIDE * sizeof(double));
        smr_fit_report_release(&dual.report);
        smr_fit_report_release(&one.report);
        smr_fit_report_release(&primal.report);
        end_fitted(&dual);
        end_fitted(&one);
        end_fitted(&primal);
    }
}

/* With l1, column by column; OWL-QN is the other way there. */
static void sparse_rows_with_l1_are_solved_by_columns(void **unused)
{
    (void)unused;
    smr_csr sparse;
    smr_data data = text(&sparse);
    const char *const words[][2] = {
        {"l1=0.4 l2=0 tol=1e-10", "l1=0.4 l2=0 tol=1e-8 solver=owlqn max_iter=100000"},
        {"l1=0.4 l2=0.2 tol=1e-10 fit_intercept=no",
         "l1=0.4 l2=0.2 tol=1e-8 solver=owlqn max_iter=100000 fit_intercept=no"}};
    for (int k = 0; k < 2; k++) {
        struct fitted one = fit_matrix(&smr_logistic, words[k][0], &data, 1);
        struct fitted two = fit_matrix(&smr_logistic, words[k][0], &data, 2);
        struct fitted other = fit_matrix(&smr_logistic, words[k][1], &data, 1);
        int64_t n_zeros = 0, size = WIDE * (int64_t)sizeof(double);
        assert_true(one.report.converged);
        check_near("solver", (double)*(const int64_t *)state_array(&one, "solver"), 4, 0);
        check_near("objective", one.report.objective, other.report.objective, 1e-9);
        assert_true(one.report.objective <= other.report.objective * (1 + 1e-13));
        for (int j = 0; j < WIDE; j++) n_zeros += state_array(&one, "coef")[j] == 0;
        assert_true(n_zeros > WIDE / 2 && n_zeros < WIDE - 10);
        assert_memory_equal(state_array(&one, "coef"), state_array(&two, "coef"), (size_t)size);
        if (k == 1) assert_true(*state_array(&one, "intercept") == 0);
        smr_fit_report_release(&one.report);
        smr_fit_report_release(&two.report);
        smr_fit_report_release(&other.report);
        end_fitted(&one);
        end_fitted(&two);
        end_fitted(&other);
    }
}

static void failing_allocations_are_survived(void **unused)
{
    (void)unused;
    smr_csr sparse;
    smr_data data = text(&sparse);
    check_failing_fits(&smr_logistic, "l1=1 tol=1e-3", &data);
}

static void the_dual_needs_a_penalty(void **unused)
{
    (void)unused;
    smr_csr sparse;
    smr_data data = text(&sparse);
    smr_ctx *ctx = check_ctx(1);
    void *params = make_params(ctx, &smr_logistic, "solver=dual l2=0"), *state = NULL;
    smr_fit_report report = {0};
    check_ok(ctx, smr_state_create(ctx, &smr_logistic, &state));
    check_fails(ctx, smr_learner_fit(ctx, &smr_logistic, params, &data, state, &report),
                SMR_ERR_PARAM,
                "solver=dual needs l2 > 0, and two classes or sparse rows of at most 100");
    smr_fit_report_release(&report);
    smr_state_free(&smr_logistic, state);
    smr_params_free(smr_logistic.word, params);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_rows_are_solved_in_the_dual),
        cmocka_unit_test(sparse_rows_of_many_classes_are_solved_in_the_dual),
        cmocka_unit_test(sparse_rows_with_l1_are_solved_by_columns),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(the_dual_needs_a_penalty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
