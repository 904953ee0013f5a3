/* test_krr.c -- the learner krr: ridge on phi, leave-one-out by leaving out, weights, refusals. */
#include "learn/kernelled.h"

extern const smr_learner smr_krr, smr_ridge;

static double *targets(int64_t n, int64_t d, int64_t q, const double *x, uint64_t seed)
{
    double *y = random_matrix(n * q, seed);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < q; k++)
            for (int64_t j = 0; j < d; j++)
                y[i * q + k] += sin(2 * x[i * d + j]) + x[i * d + j] * x[i * d] + 3;
    return y;
}

/* FIGURES F5.  Twenty rows are not trained on. */
static void it_equals_ridge_on_the_features_of_the_kernel(void **unused)
{
    enum { N = 61, MORE = 20, D = 3, Q = 2 };
    (void)unused;
    int64_t width;
    double *x = random_matrix((N + MORE) * D, 1), *y = targets(N, D, Q, x, 2);
    double *phi = quadratic_features(N + MORE, D, x, &width), *weight = random_matrix(N, 3);
    double mine[(N + MORE) * Q], ridges[(N + MORE) * Q];
    for (int i = 0; i < N; i++) weight[i] = i % 5 == 0 ? 0 : 0.3 + fabs(weight[i]);
    for (int weighted = 0; weighted < 2; weighted++) {
        struct matrix_data plain, written;
        matrix_data(&plain, N, D, Q, x, y, weighted ? weight : NULL);
        matrix_data(&written, N, width, Q, phi, y, weighted ? weight : NULL);
        struct fitted f = fit_ready(&smr_krr, "l2=0.7 kernel=quadratic", &plain.data, 2);
        struct fitted g = fit_ready(&smr_ridge, "l2=0.7", &written.data, 2);
        ask(&f, N + MORE, D, x, SMR_OUTPUT_VALUE, mine);
        ask(&g, N + MORE, width, phi, SMR_OUTPUT_VALUE, ridges);
        for (int i = 0; i < (N + MORE) * Q; i++) check_near("value", mine[i], ridges[i], 1e-9);
        check_near("objective", f.report.objective, g.report.objective, 1e-10);
        check_near("df", number(&f, "df"), number(&g, "df"), 1e-8);
        for (int k = 0; k < Q; k++) {
            check_near("rss", state_array(&f, "rss")[k], state_array(&g, "rss")[k], 1e-9);
            check_near("tss", state_array(&f, "tss")[k], state_array(&g, "tss")[k], 1e-12);
        }
        end_fitted(&f);
        end_fitted(&g);
    }
    free(phi);
    free(weight);
    free(y);
    free(x);
}

/* The error of row i, fitted without one unit of its weight. */
static double brute_leave_one_out(int64_t n, int64_t d, const double *x, const double *y,
                                  const double *weight, const char *words)
{
    double sum = 0, total = 0, *w = malloc((size_t)n * sizeof *w);
    for (int64_t i = 0; i < n; i++) {
        struct matrix_data m;
        double out = 0;
        for (int64_t k = 0; k < n; k++) w[k] = weight ? weight[k] : 1;
        double f = w[i];
        w[i] -= fmin(1, w[i]);
        matrix_data(&m, n, d, 1, x, y, w);
        struct fitted fit = fit_ready(&smr_krr, words, &m.data, 1);
        ask(&fit, 1, d, x + i * d, SMR_OUTPUT_VALUE, &out);
        sum += f * (y[i] - out) * (y[i] - out);
        total += f;
        end_fitted(&fit);
    }
    free(w);
    return sum / total;
}

/* Three penalties: a factorisation each; eight: by eigenvalues. */
static void closed_form_leave_one_out_is_leaving_one_out(void **unused)
{
    enum { N = 23, D = 2 };
    static const double l2[] = {0.02, 1, 30};
    (void)unused;
    double *x = random_matrix(N * D, 11), *y = targets(N, D, 1, x, 12), weight[N];
    for (int i = 0; i < N; i++) weight[i] = i % 3 == 0 ? 2.5 : i % 3 == 1 ? 1 : 0.25;
    for (int o = 0; o < 8; o++) {
        const double *used = o & 1 ? weight : NULL;
        const char *none = o & 2 ? "" : " fit_intercept=no";
        char words[200];
        struct matrix_data m;
        matrix_data(&m, N, D, 1, x, y, used);
        snprintf(words, sizeof words, "l2=0.02,1,30%s kernel=rbf(gamma=0.3)%s",
                 o & 4 ? ",2,3,4,5,6" : "", none);
        struct fitted f = fit_ready(&smr_krr, words, &m.data, 2);
        for (int c = 0; c < 3; c++) {
            snprintf(words, sizeof words, "l2=%g kernel=rbf(gamma=0.3)%s", l2[c], none);
            check_near("leave one out", state_array(&f, "path_loo")[c],
                       brute_leave_one_out(N, D, x, y, used, words), 1e-8);
        }
        end_fitted(&f);
    }
    free(y);
    free(x);
}

static void eigenvalues_and_factors_agree(void **unused)
{
    enum { N = 40, D = 3, Q = 2 };
    (void)unused;
    double *x = random_matrix(N * D, 5), *y = targets(N, D, Q, x, 6), a[N * Q], b[N * Q];
    struct matrix_data m;
    matrix_data(&m, N, D, Q, x, y, NULL);
    struct fitted f = fit_ready(&smr_krr, "path=20", &m.data, 2);
    char words[64];
    snprintf(words, sizeof words, "l2=%.17g", number(&f, "l2"));
    struct fitted g = fit_ready(&smr_krr, words, &m.data, 2);
    ask(&f, N, D, x, SMR_OUTPUT_VALUE, a);
    ask(&g, N, D, x, SMR_OUTPUT_VALUE, b);
    for (int i = 0; i < N * Q; i++) check_near("value", a[i], b[i], 1e-9);
    check_near("df", number(&f, "df"), number(&g, "df"), 1e-9);
    check_near("loo", number(&f, "loo"), number(&g, "loo"), 1e-9);
    for (int c = 0; c < 20; c++) assert_true(number(&f, "loo") <= state_array(&f, "path_loo")[c]);
    end_fitted(&f);
    end_fitted(&g);
    free(y);
    free(x);
}

/* More rows than SMR_KRR_SMALL: by floats, and for the second penalty, which float cannot resolve,
 * by doubles after all.  y - f(x) = l2 alpha, and the coefficients sum to 0. */
static void large_systems_are_solved_to_the_last_digits(void **unused)
{
    enum { N = 2101, D = 3 };
    static const double l2[] = {0.5, 1e-9};
    (void)unused;
    double *x = random_matrix(N * D, 15), *y = targets(N, D, 1, x, 16),
           *out = malloc(N * sizeof *y);
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, y, NULL);
    for (int c = 0; c < 2; c++) {
        char words[100];
        snprintf(words, sizeof words, "l2=%g kernel=rbf(gamma=0.05)", l2[c]);
        struct fitted f = fit_ready(&smr_krr, words, &m.data, 2);
        const double *alpha = state_array(&f, "coef");
        double sum = 0, size = 0;
        assert_true(isnan(number(&f, "df")));
        ask(&f, N, D, x, SMR_OUTPUT_VALUE, out);
        for (int i = 0; i < N; i++) size += fabs(alpha[i]);
        for (int i = 0; i < N; i++) {
            assert_true(fabs(y[i] - out[i] - l2[c] * alpha[i]) < 1e-13 * size + 1e-11);
            sum += alpha[i];
        }
        assert_true(fabs(sum) < 1e-12 * size);
        end_fitted(&f);
    }
    free(out);
    free(y);
    free(x);
}

static void weight_two_is_the_row_twice_and_weight_zero_no_row(void **unused)
{
    enum { N = 12, D = 2 };
    (void)unused;
    double *x = random_matrix(N * D, 7), *y = targets(N, D, 1, x, 8), weight[N];
    double xx[2 * N * D], yy[2 * N], a[N], b[N];
    int64_t n = 0;
    for (int i = 0; i < N; i++) {
        weight[i] = i % 3;
        for (int k = 0; k < i % 3; k++) {
            memcpy(xx + n * D, x + i * D, D * sizeof *x);
            yy[n++] = y[i];
        }
    }
    struct matrix_data once, twice;
    matrix_data(&once, N, D, 1, x, y, weight);
    matrix_data(&twice, n, D, 1, xx, yy, NULL);
    static const char *const words[] = {"l2=0.5", "path=10", "l2=0.1,1,7 kernel=laplacian"};
    for (int w = 0; w < 3; w++) {
        struct fitted f = fit_ready(&smr_krr, words[w], &once.data, 1);
        struct fitted g = fit_ready(&smr_krr, words[w], &twice.data, 1);
        ask(&f, N, D, x, SMR_OUTPUT_VALUE, a);
        ask(&g, N, D, x, SMR_OUTPUT_VALUE, b);
        for (int i = 0; i < N; i++) check_near("value", a[i], b[i], 1e-8);
        check_near("df", number(&f, "df"), number(&g, "df"), 1e-7);
        check_near("loo", number(&f, "loo"), number(&g, "loo"), 1e-7);
        assert_int_equal(whole(&f, "n_points"), 8);
        end_fitted(&f);
        end_fitted(&g);
    }
    free(y);
    free(x);
}

static void bits_are_the_same_at_1_2_and_7_threads(void **unused)
{
    enum { N = 700, D = 4 };
    (void)unused;
    double *x = random_matrix(N * D, 5), *y = targets(N, D, 1, x, 6), *kept = NULL;
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, y, NULL);
    static const int threads[] = {1, 2, 7};
    for (int t = 0; t < 3; t++) {
        struct fitted f = fit_ready(&smr_krr, "path=8", &m.data, threads[t]);
        const double *coef = state_array(&f, "coef");
        if (!kept) {
            kept = malloc(N * sizeof *kept);
            memcpy(kept, coef, N * sizeof *kept);
        }
        assert_memory_equal(kept, coef, N * sizeof *kept);
        end_fitted(&f);
    }
    free(kept);
    free(y);
    free(x);
}

static void what_cannot_be_solved_is_refused(void **unused)
{
    enum { N = 400, D = 2 };
    (void)unused;
    double *x = random_matrix(N * D, 7), *y = targets(N, D, 1, x, 8), none[N] = {0};
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, y, NULL);
    check_refused(&smr_krr, "l2=1", &m.data, 1000000, "krr: the kernel matrix of 400 rows needs");
    check_refused(&smr_krr, "l2=1", &m.data, 1000000, "nystrom 500");
    check_refused(&smr_krr, "l2=1e-3 kernel=-1*rbf", &m.data, 0, "not positive semi-definite");
    check_refused(&smr_krr, "l2=1e-300 kernel=linear", &m.data, 0, "lost in the rounding");
    matrix_data(&m, N, D, 1, x, y, none);
    check_refused(&smr_krr, "l2=1", &m.data, 0, "there are no training rows");
    free(y);
    free(x);
}

static void every_failing_allocation_is_survived(void **unused)
{
    (void)unused;
    double *x = random_matrix(9 * 2, 3), *y = random_matrix(9 * 2, 4);
    double weight[9] = {1, 2, 0, 1, 1, 3, 1, 1, 1};
    struct matrix_data m;
    matrix_data(&m, 9, 2, 2, x, y, weight);
    check_failing_fits(&smr_krr, "l2=0.5", &m.data);
    check_failing_fits(&smr_krr, "l2=0.5,1", &m.data);
    check_failing_fits(&smr_krr, "path=9", &m.data);
    free(y);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_equals_ridge_on_the_features_of_the_kernel),
        cmocka_unit_test(closed_form_leave_one_out_is_leaving_one_out),
        cmocka_unit_test(eigenvalues_and_factors_agree),
        cmocka_unit_test(large_systems_are_solved_to_the_last_digits),
        cmocka_unit_test(weight_two_is_the_row_twice_and_weight_zero_no_row),
        cmocka_unit_test(bits_are_the_same_at_1_2_and_7_threads),
        cmocka_unit_test(what_cannot_be_solved_is_refused),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
