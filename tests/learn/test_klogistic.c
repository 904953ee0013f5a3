/* test_klogistic.c -- the learner klogistic: logistic on phi, the optimum's conditions,
 * refusals. */
#include "learn/kernelled.h"

extern const smr_learner smr_klogistic, smr_logistic;

static void waves(int64_t n, int64_t d, int k, const double *x, int32_t *label)
{
    for (int64_t i = 0; i < n; i++) {
        double s = x[i * d] * x[i * d] - x[i * d + 1] + 0.7 * sin(9.1 * (double)i);
        label[i] = (s > 0.3) + (k > 2 && s > 1.4);
    }
}

static void it_equals_logistic_on_the_features_of_the_kernel(void **unused)
{
    enum { N = 83, MORE = 20, D = 3 };
    (void)unused;
    int64_t width;
    double *x = random_matrix((N + MORE) * D, 1), *weight = random_matrix(N, 3);
    double *phi = quadratic_features(N + MORE, D, x, &width), a[(N + MORE) * 3], b[(N + MORE) * 3];
    int32_t label[N];
    for (int i = 0; i < N; i++) weight[i] = i % 5 == 0 ? 0 : 0.3 + fabs(weight[i]);
    for (int o = 0; o < 4; o++) {
        struct matrix_data plain, written;
        int k = o & 1 ? 3 : 2;
        waves(N, D, k, x, label);
        class_data(&plain, N, D, k, x, label, o & 2 ? weight : NULL);
        class_data(&written, N, width, k, phi, label, o & 2 ? weight : NULL);
        struct fitted f =
            fit_ready(&smr_klogistic, "l2=0.7 kernel=quadratic tol=1e-10", &plain.data, 2);
        struct fitted g = fit_ready(&smr_logistic, "l2=0.7 tol=1e-10", &written.data, 2);
        assert_true(f.report.converged && g.report.converged);
        ask(&f, N + MORE, D, x, SMR_OUTPUT_PROBA, a);
        ask(&g, N + MORE, width, phi, SMR_OUTPUT_PROBA, b);
        for (int i = 0; i < (N + MORE) * k; i++) check_near("probability", a[i], b[i], 1e-7);
        check_near("objective", f.report.objective, g.report.objective, 1e-12);
        check_near("deviance", number(&f, "deviance"), number(&g, "deviance"), 1e-7);
        check_near("null", number(&f, "null_deviance"), number(&g, "null_deviance"), 1e-12);
        end_fitted(&f);
        end_fitted(&g);
    }
    free(phi);
    free(weight);
    free(x);
}

/* Where K is regular, the gradient is 0: l2 alpha_ci = weight_i (y_ci - p_ci), sum_i alpha_ci = 0,
 * for two classes the second's. */
static void coefficients_are_what_the_probabilities_leave(void **unused)
{
    enum { N = 60, D = 2 };
    (void)unused;
    double *x = random_matrix(N * D, 21), prob[N * 3], weight[N];
    int32_t label[N];
    for (int i = 0; i < N; i++) weight[i] = 0.5 + i % 4;
    for (int k = 2; k <= 3; k++) {
        struct matrix_data m;
        waves(N, D, k, x, label);
        class_data(&m, N, D, k, x, label, weight);
        struct fitted f =
            fit_ready(&smr_klogistic, "l2=0.05 kernel=laplacian(gamma=2) tol=1e-12", &m.data, 2);
        assert_true(f.report.converged);
        ask(&f, N, D, x, SMR_OUTPUT_PROBA, prob);
        const double *alpha = state_array(&f, "coef");
        for (int c = 0; c < (k == 2 ? 1 : k); c++) {
            int of = k == 2 ? 1 : c;
            double sum = 0;
            for (int i = 0; i < N; i++) {
                double left = weight[i] * ((label[i] == of) - prob[i * k + of]);
                check_near("alpha", 0.05 * alpha[c * N + i], left, 1e-9);
                sum += alpha[c * N + i];
            }
            check_near("sum", sum, 0, 1e-7);
        }
        end_fitted(&f);
    }
    free(x);
}

static void converged_is_said_only_where_the_gradient_is_small(void **unused)
{
    enum { N = 60, D = 2 };
    (void)unused;
    double *x = random_matrix(N * D, 21);
    int32_t label[N];
    struct matrix_data m;
    waves(N, D, 3, x, label);
    class_data(&m, N, D, 3, x, label, NULL);
    struct fitted f = fit_ready(&smr_klogistic, "l2=0.01 max_iter=1", &m.data, 1);
    assert_false(f.report.converged);
    assert_true(number(&f, "gradient") > 1e-6);
    end_fitted(&f);
    f = fit_ready(&smr_klogistic, "l2=0.01", &m.data, 1);
    assert_true(f.report.converged && number(&f, "gradient") <= 1e-6);
    for (int64_t i = 1; i < f.report.n_curve; i++)
        assert_true(f.report.curve[i] <= f.report.curve[i - 1]);
    end_fitted(&f);
    f = fit_ready(&smr_klogistic, "kernel=sigmoid(gamma=4,coef0=-3)", &m.data, 1);
    assert_false(f.report.converged); /* that matrix has negative eigenvalues */
    end_fitted(&f);
    free(x);
}

static void class_without_rows_has_probability_zero(void **unused)
{
    enum { N = 40, D = 2 };
    (void)unused;
    double *x = random_matrix(N * D, 5), of_3[N * 3], of_2[N * 2];
    int32_t label[N], two[N];
    struct matrix_data m;
    waves(N, D, 2, x, two);
    for (int i = 0; i < N; i++) label[i] = 2 * two[i]; /* class 1 of 3 has none */
    class_data(&m, N, D, 3, x, label, NULL);
    struct fitted f = fit_ready(&smr_klogistic, "tol=1e-9", &m.data, 1);
    class_data(&m, N, D, 2, x, two, NULL);
    struct fitted g = fit_ready(&smr_klogistic, "tol=1e-9", &m.data, 1);
    ask(&f, N, D, x, SMR_OUTPUT_PROBA, of_3);
    ask(&g, N, D, x, SMR_OUTPUT_PROBA, of_2);
    for (int i = 0; i < N; i++) {
        assert_true(of_3[3 * i + 1] == 0);
        check_near("probability", of_3[3 * i + 2], of_2[2 * i + 1], 1e-12);
    }
    end_fitted(&f);
    end_fitted(&g);
    free(x);
}

static void what_cannot_be_fitted_is_refused(void **unused)
{
    enum { N = 300, D = 2 };
    (void)unused;
    double *x = random_matrix(N * D, 7);
    int32_t label[N], same[N] = {0};
    struct matrix_data m;
    waves(N, D, 2, x, label);
    class_data(&m, N, D, 2, x, label, NULL);
    check_refused(&smr_klogistic, "l2=1", &m.data, 500000, "the kernel matrix of 300 rows needs");
    class_data(&m, N, D, 2, x, same, NULL);
    check_refused(&smr_klogistic, "l2=1", &m.data, 0, "class");
    free(x);
}

static void every_failing_allocation_is_survived(void **unused)
{
    (void)unused;
    double *x = random_matrix(9 * 2, 3);
    int32_t label[9] = {0, 1, 2, 3, 0, 1, 3, 1, 0};
    double weight[9] = {1, 2, 0, 1, 1, 3, 1, 1, 1};
    struct matrix_data m;
    class_data(&m, 9, 2, 4, x, label, weight);
    check_failing_fits(&smr_klogistic, "class_weight=balanced", &m.data);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_equals_logistic_on_the_features_of_the_kernel),
        cmocka_unit_test(coefficients_are_what_the_probabilities_leave),
        cmocka_unit_test(converged_is_said_only_where_the_gradient_is_small),
        cmocka_unit_test(class_without_rows_has_probability_zero),
        cmocka_unit_test(what_cannot_be_fitted_is_refused),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
