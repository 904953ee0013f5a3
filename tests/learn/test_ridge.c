/* test_ridge.c -- the learner ridge: worked figures, optimality, the path, leave-one-out. */
#include "learn/matrix_data.h"

extern const smr_learner smr_linear, smr_ridge;

static double *targets(int64_t n, int64_t d, int64_t q, const double *x, uint64_t seed)
{
    double *y = random_matrix(n * q, seed);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < q; k++)
            for (int64_t j = 0; j < d; j++) y[i * q + k] += x[i * d + j] * cos((double)(j + k)) + 1;
    return y;
}

/* ---- figures ---------------------------------------------------------------------------- */

/* MISSION D4-D6: x = (1, 2), y = (1, 1), fit term 1/2 sum (w x - y)^2: none b/a = 0.6, with
 * (l2/2) w^2 b / (a + l2) = 0.5 at l2 = 1. */
static void one_feature_gives_the_course_figures(void **unused)
{
    (void)unused;
    double x[] = {1, 2}, y[] = {1, 1};
    struct matrix_data m;
    matrix_data(&m, 2, 1, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_ridge, "fit_intercept=no", &m.data, 1);
    check_near("l2 = 1", *state_array(&f, "coef"), 0.5, 1e-15);
    check_near("objective", f.report.objective, 0.5 * (0.25 + 0 + 0.25), 1e-15);
    end_fitted(&f);
    f = fit_matrix(&smr_ridge, "fit_intercept=no l2=0", &m.data, 1);
    check_near("l2 = 0", *state_array(&f, "coef"), 0.6, 1e-15);
    end_fitted(&f);
    f = fit_matrix(&smr_ridge, "fit_intercept=no l2=2", &m.data, 1);
    check_near("l2 = 2", *state_array(&f, "coef"), 3.0 / 7, 1e-15); /* l2 w^2 of the notes */
    end_fitted(&f);
}

static void orthonormal_columns_shrink_by_one_plus_l2(void **unused)
{
    (void)unused;
    enum { N = 8, D = 3 };
    double x[N * D], y[N];
    for (int i = 0; i < N; i++) { /* Walsh functions: orthonormal, with mean 0 */
        double unit = 1 / sqrt(N);
        x[i * D] = i & 1 ? unit : -unit;
        x[i * D + 1] = i & 2 ? unit : -unit;
        x[i * D + 2] = (i & 1) ^ (i >> 2 & 1) ? unit : -unit;
        y[i] = sin(3.7 * i) + 2;
    }
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, y, NULL);
    struct fitted free_ = fit_matrix(&smr_linear, "", &m.data, 1);
    struct fitted f = fit_matrix(&smr_ridge, "l2=0.75", &m.data, 1);
    for (int j = 0; j < D; j++)
        check_near("shrunk", state_array(&f, "coef")[j], state_array(&free_, "coef")[j] / 1.75,
                   1e-14);
    check_near("df", *state_array(&f, "df"), D / 1.75, 1e-14);
    check_near("intercept", *state_array(&f, "intercept"), *state_array(&free_, "intercept"),
               1e-14);
    end_fitted(&f);
    end_fitted(&free_);
}

static void polynomial_of_degree_9_passes_through_10_points_without_penalty(void **unused)
{
    (void)unused;
    double x[10 * 9], y[10], out[10];
    for (int i = 0; i < 10; i++) {
        y[i] = sin(0.7 * i) + (i % 2 ? 0.3 : -0.2);
        for (int j = 0; j < 9; j++) x[i * 9 + j] = pow((double)i / 9, j + 1);
    }
    struct matrix_data m;
    matrix_data(&m, 10, 9, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_ridge, "l2=0", &m.data, 1);
    predict_matrix(&f, 10, 9, x, out);
    for (int i = 0; i < 10; i++) check_near("fitted", out[i], y[i], 1e-8);
    end_fitted(&f);
}

/* ---- optimality ------------------------------------------------------------------------- */

/* Gradient of the objective: sum weight r x = l2 w, sum weight r = 0. */
static void check_optimal(int64_t n, int64_t d, int64_t q, const char *words, double l2,
                          bool weighted, bool intercept)
{
    double *x = random_matrix(n * d, 3), *y = targets(n, d, q, x, 4), *weight = random_matrix(n, 5);
    double *out = malloc((size_t)(n * q) * sizeof *out);
    struct matrix_data m;
    for (int64_t i = 0; i < n; i++) weight[i] = fabs(weight[i]) + 0.1;
    matrix_data(&m, n, d, q, x, y, weighted ? weight : NULL);
    struct fitted f = fit_matrix(&smr_ridge, words, &m.data, 2);
    predict_matrix(&f, n, d, x, out);
    const double *w = state_array(&f, "coef");
    double objective = 0;
    for (int64_t k = 0; k < q; k++) {
        double sum = 0, rss = 0;
        for (int64_t j = 0; j < d; j++) {
            double g = 0;
            for (int64_t i = 0; i < n; i++)
                g += (weighted ? weight[i] : 1) * (y[i * q + k] - out[i * q + k]) * x[i * d + j];
            check_near("gradient", (g - l2 * w[k * d + j]) / (double)n, 0, 1e-11);
            objective += l2 * w[k * d + j] * w[k * d + j] / 2;
        }
        for (int64_t i = 0; i < n; i++) {
            double r = y[i * q + k] - out[i * q + k], f_i = weighted ? weight[i] : 1;
            sum += f_i * r;
            rss += f_i * r * r;
        }
        if (intercept) check_near("sum of residuals", sum / (double)n, 0, 1e-12);
        check_near("rss", state_array(&f, "rss")[k], rss, 1e-9);
        objective += rss / 2;
    }
    check_near("objective", f.report.objective, objective, 1e-9);
    end_fitted(&f);
    free(out);
    free(weight);
    free(y);
    free(x);
}

static void solution_is_optimal_for_tall_and_wide_data(void **unused)
{
    (void)unused;
    static const int64_t shapes[][3] = {{37, 5, 1},  {211, 7, 3},  {9, 30, 2},
                                        {12, 12, 1}, {2003, 3, 1}, {1, 4, 1}};
    for (int64_t s = 0; s < SMR_COUNT(shapes); s++)
        for (int o = 0; o < 4; o++) {
            bool intercept = o & 2;
            check_optimal(shapes[s][0], shapes[s][1], shapes[s][2],
                          intercept ? "l2=2.5" : "l2=2.5 fit_intercept=no", 2.5, o & 1, intercept);
            check_optimal(shapes[s][0], shapes[s][1], shapes[s][2],
                          intercept ? "l2=1e-9" : "l2=1e-9 fit_intercept=no", 1e-9, o & 1,
                          intercept);
        }
}

/* Columns that nearly repeat each other and a tiny penalty: the Gram matrix would have lost it. */
static void small_penalties_on_collinear_columns_keep_their_digits(void **unused)
{
    (void)unused;
    enum { N = 500, D = 4 };
    double *x = random_matrix(N * D, 3), *y = random_matrix(N, 4);
    struct matrix_data m;
    for (int i = 0; i < N; i++) {
        x[i * D + 3] = x[i * D] + ldexp(x[i * D + 3], -20);
        y[i] += 5 * x[i * D];
    }
    matrix_data(&m, N, D, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_ridge, "l2=1e-6", &m.data, 1);
    const double *w = state_array(&f, "coef");
    double *out = malloc(N * sizeof *out);
    assert_true(((const int64_t *)(const void *)state_array(&f, "method"))[0] == 2); /* qr */
    predict_matrix(&f, N, D, x, out);
    for (int j = 0; j < D; j++) {
        double g = -1e-6 * w[j], size = 0;
        for (int i = 0; i < N; i++) {
            g += (y[i] - out[i]) * x[i * D + j];
            size += fabs((y[i] - out[i]) * x[i * D + j]);
        }
        assert_true(fabs(g) < 1e-11 * size);
    }
    free(out);
    end_fitted(&f);
    free(y);
    free(x);
}

static void wide_data_agree_with_tall_formulas(void **unused)
{
    (void)unused;
    enum { N = 14, D = 9 }; /* rows are repeated to make the same problem tall */
    double *x = random_matrix(N * D, 3), *y = targets(N, D, 1, x, 4),
           *xx = malloc(sizeof(double) * N * D * 3);
    double yy[3 * N];
    struct matrix_data wide, tall;
    for (int i = 0; i < 3 * N; i++) {
        memcpy(xx + i * D, x + i % 7 * D, D * sizeof *x);
        yy[i] = y[i % 7];
    }
    double weight[7] = {6, 6, 6, 6, 6, 6, 6};
    matrix_data(&wide, 7, D, 1, x, y, weight); /* 7 rows of weight 6 */
    matrix_data(&tall, 3 * N, D, 1, xx, yy, NULL);
    struct fitted a = fit_matrix(&smr_ridge, "l2=0.3", &wide.data, 1);
    struct fitted b = fit_matrix(&smr_ridge, "l2=0.3", &tall.data, 1);
    for (int j = 0; j < D; j++)
        check_near("coef", state_array(&a, "coef")[j], state_array(&b, "coef")[j], 1e-11);
    check_near("df", *state_array(&a, "df"), *state_array(&b, "df"), 1e-11);
    end_fitted(&a);
    end_fitted(&b);
    free(xx);
    free(y);
    free(x);
}

/* ---- path and leave-one-out ------------------------------------------------------------- */

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
        struct fitted fit = fit_matrix(&smr_ridge, words, &m.data, 1);
        predict_matrix(&fit, 1, d, x + i * d, &out);
        sum += f * (y[i] - out) * (y[i] - out);
        total += f;
        end_fitted(&fit);
    }
    free(w);
    return sum / total;
}

static void closed_form_leave_one_out_is_leaving_one_out(void **unused)
{
    (void)unused;
    static const int64_t shapes[][2] = {{23, 4}, {9, 15}};
    for (int o = 0; o < 8; o++) {
        int64_t n = shapes[o & 1][0], d = shapes[o & 1][1];
        double *x = random_matrix(n * d, 13), *y = targets(n, d, 1, x, 14),
               *weight = random_matrix(n, 15);
        struct matrix_data m;
        for (int64_t i = 0; i < n; i++) weight[i] = i % 3 == 0 ? 2 : i % 3 == 1 ? 1 : 0.25;
        const double *used = o & 2 ? weight : NULL;
        bool intercept = o & 4;
        matrix_data(&m, n, d, 1, x, y, used);
        struct fitted f = fit_matrix(
            &smr_ridge, intercept ? "l2=0.01,1,30" : "l2=0.01,1,30 fit_intercept=no", &m.data, 2);
        static const char *const single[] = {"l2=0.01", "l2=1", "l2=30"};
        for (int c = 0; c < 3; c++) {
            char words[64];
            snprintf(words, sizeof words, "%s%s", single[c], intercept ? "" : " fit_intercept=no");
            check_near("leave one out", state_array(&f, "path_loo")[c],
                       brute_leave_one_out(n, d, x, y, used, words), 1e-8);
        }
        end_fitted(&f);
        free(weight);
        free(y);
        free(x);
    }
}

static void the_least_leave_one_out_error_is_chosen(void **unused)
{
    (void)unused;
    enum { N = 40, D = 20 };
    double *x = random_matrix(N * D, 21), *y = random_matrix(N, 22);
    struct matrix_data m;
    for (int i = 0; i < N; i++) y[i] = 0.4 * x[i * D] + 2 * y[i];
    matrix_data(&m, N, D, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_ridge, "path=25", &m.data, 1);
    const double *l2 = state_array(&f, "path_l2"), *loo = state_array(&f, "path_loo");
    const double *df = state_array(&f, "path_df"), *w = state_array(&f, "path_coef");
    int best = 0;
    for (int c = 1; c < 25; c++) {
        if (loo[c] < loo[best]) best = c;
        assert_true(l2[c] < l2[c - 1] && df[c] > df[c - 1]); /* less penalty, more freedom */
        check_near("log spacing", l2[c] / l2[c - 1], pow(10, -7.0 / 24), 1e-12);
    }
    assert_true(best > 0 && best < 24); /* neither end: the path brackets the answer */
    assert_true(*state_array(&f, "l2") == l2[best]);
    assert_memory_equal(state_array(&f, "coef"), w + best * D, D * sizeof(double));
    assert_true(df[24] > D - 0.01 && df[24] <= D);
    double norm = 0;
    for (int j = 0; j < D; j++) norm += w[j] * w[j];
    assert_true(norm < 0.01); /* at the strong end all coefficients are small */

    char words[64];
    snprintf(words, sizeof words, "l2=%.17g", l2[7]);
    struct fitted one = fit_matrix(&smr_ridge, words, &m.data, 1);
    for (int j = 0; j < D; j++)
        check_near("a point of the path", w[7 * D + j], state_array(&one, "coef")[j], 1e-13);
    end_fitted(&one);

    smr_json_doc *doc = describe_fitted(&f, &m.data);
    const smr_json *path = smr_json_get(smr_json_root(doc), "path");
    assert_int_equal(path->n, 25);
    check_near("l2", smr_json_get_number(path->first, "l2", 0), l2[0], 0);
    check_near("loo", smr_json_get_number(path->first, "leave_one_out_mse", 0), loo[0], 0);
    assert_int_equal(smr_json_get(path->first, "coefficients")->n, D);
    assert_int_equal(smr_json_get(smr_json_root(doc), "coefficients")->n, D + 1);
    smr_json_free(doc);
    end_fitted(&f);
    free(y);
    free(x);
}

/* With n = d + 1 points and l2 = 0 every row is fitted exactly: leaving it out says nothing. */
static void undetermined_leave_one_out_is_not_chosen(void **unused)
{
    (void)unused;
    enum { N = 6, D = 5 };
    double *x = random_matrix(N * D, 21), *y = random_matrix(N, 22);
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_ridge, "l2=0,0.5", &m.data, 1);
    bool finite = isfinite(state_array(&f, "path_loo")[0]);
    assert_false(finite);
    assert_true(*state_array(&f, "l2") == 0.5);
    end_fitted(&f);
    free(y);
    free(x);
}

/* ---- how it is computed ----------------------------------------------------------------- */

static void weight_two_is_the_row_twice(void **unused)
{
    (void)unused;
    enum { N = 50, D = 4 };
    double *x = random_matrix(2 * N * D, 3), *y = targets(2 * N, D, 1, x, 4), weight[N];
    struct matrix_data a, b;
    for (int i = 0; i < N; i++) {
        weight[i] = 2;
        memcpy(x + (N + i) * D, x + i * D, D * sizeof *x);
        y[N + i] = y[i];
    }
    matrix_data(&a, N, D, 1, x, y, weight);
    matrix_data(&b, 2 * N, D, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_ridge, "l2=0.1,4", &a.data, 1);
    struct fitted g = fit_matrix(&smr_ridge, "l2=0.1,4", &b.data, 1);
    for (int j = 0; j < D; j++)
        check_near("coef", state_array(&f, "coef")[j], state_array(&g, "coef")[j], 1e-13);
    for (int c = 0; c < 2; c++) {
        check_near("loo", state_array(&f, "path_loo")[c], state_array(&g, "path_loo")[c], 1e-12);
        check_near("df", state_array(&f, "path_df")[c], state_array(&g, "path_df")[c], 1e-12);
    }
    end_fitted(&f);
    end_fitted(&g);
    free(y);
    free(x);
}

static void bits_are_the_same_at_1_2_and_7_threads(void **unused)
{
    (void)unused;
    enum { N = 20011, D = 7 };
    static const int threads[] = {1, 2, 7};
    double *x = random_matrix(N * D, 3), *y = targets(N, D, 2, x, 4);
    struct matrix_data m;
    struct fitted f[3];
    matrix_data(&m, N, D, 2, x, y, NULL);
    for (int t = 0; t < 3; t++) {
        f[t] = fit_matrix(&smr_ridge, "path=9", &m.data, threads[t]);
        assert_memory_equal(state_array(&f[t], "path_coef"), state_array(&f[0], "path_coef"),
                            9 * 2 * D * sizeof(double));
        assert_memory_equal(state_array(&f[t], "path_loo"), state_array(&f[0], "path_loo"),
                            9 * sizeof(double));
    }
    for (int t = 0; t < 3; t++) end_fitted(&f[t]);
    free(y);
    free(x);
}

static void parameters_that_contradict_are_refused(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    static const bool both[] = {true, true, false}, one[] = {false, true, false};
    void *params = make_params(ctx, &smr_ridge, "l2=1 path=5");
    check_fails(ctx, smr_params_check(ctx, smr_ridge.word, params, both), SMR_ERR_PARAM,
                "ridge: l2 and path are both given");
    check_ok(ctx, smr_params_check(ctx, smr_ridge.word, params, one));
    check_fails(
        ctx, smr_param_set(ctx, smr_ridge.word, params, smr_param_find(smr_ridge.word, "l2"), "-1"),
        SMR_ERR_PARAM, "l2");
    smr_params_free(smr_ridge.word, params);
    check_ctx_end(ctx);
}

static void every_failing_allocation_is_survived(void **unused)
{
    (void)unused;
    double *x = random_matrix(40 * 4, 3), *y = targets(40, 4, 2, x, 4);
    struct matrix_data m;
    matrix_data(&m, 40, 4, 2, x, y, NULL);
    check_failing_fits(&smr_ridge, "l2=0.5", &m.data);
    check_failing_fits(&smr_ridge, "path=4", &m.data);
    check_failing_fits(&smr_ridge, "l2=0", &m.data);
    matrix_data(&m, 4, 4, 2, x, y, NULL);
    check_failing_fits(&smr_ridge, "l2=0.5", &m.data);
    free(y);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_feature_gives_the_course_figures),
        cmocka_unit_test(orthonormal_columns_shrink_by_one_plus_l2),
        cmocka_unit_test(polynomial_of_degree_9_passes_through_10_points_without_penalty),
        cmocka_unit_test(solution_is_optimal_for_tall_and_wide_data),
        cmocka_unit_test(small_penalties_on_collinear_columns_keep_their_digits),
        cmocka_unit_test(wide_data_agree_with_tall_formulas),
        cmocka_unit_test(closed_form_leave_one_out_is_leaving_one_out),
        cmocka_unit_test(the_least_leave_one_out_error_is_chosen),
        cmocka_unit_test(undetermined_leave_one_out_is_not_chosen),
        cmocka_unit_test(weight_two_is_the_row_twice),
        cmocka_unit_test(bits_are_the_same_at_1_2_and_7_threads),
        cmocka_unit_test(parameters_that_contradict_are_refused),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
