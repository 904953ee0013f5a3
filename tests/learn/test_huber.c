/* test_huber.c -- the learner huber: worked figures, optimality of both forms, scikit-learn's
 * coefficients, scale and equivariance, standard errors, degenerate data. */
#include "learn/robust_data.h"
#include "pipeline.h"
#include "truth/robust.h"

extern const smr_learner smr_huber, smr_linear;

static double h_of(double r, double eps)
{
    return fabs(r) <= eps ? r * r / 2 : eps * (fabs(r) - eps / 2);
}

static double psi(double r, double eps)
{
    return fmax(-eps, fmin(eps, r));
}

/* ---- figures ---------------------------------------------------------------------------- */

/* FIGURES D7: epsilon = 1: h(0.5), h(2), h(3) = 0.125, 1.5, 2.5.  Two rows and a third whose pull
 * is 1: with target 0, 0, t the minimum of sum h is at b = 1/2 for every t >= 1.5. */
static void worked_figures_of_the_loss(void **unused)
{
    (void)unused;
    static const double r[] = {0.5, 2, 3}, want[] = {0.125, 1.5, 2.5};
    double x[3] = {0, 0, 0}, y[3] = {0, 0, 1e6};
    struct matrix_data m;
    for (int i = 0; i < 3; i++) check_near("h", h_of(r[i], 1), want[i], 1e-15);
    matrix_data(&m, 3, 1, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_huber, "scale=fixed epsilon=1", &m.data, 1);
    check_near("b", *state_array(&f, "intercept"), 0.5, 1e-9);
    check_near("objective", f.report.objective, 2 * h_of(0.5, 1) + h_of(1e6 - 0.5, 1), 1e-15);
    check_near("outliers", *state_array(&f, "outliers"), 1.0 / 3, 1e-15);
    end_fitted(&f);
}

/* ---- optimality ------------------------------------------------------------------------- */

/* Gradients in w, b and s, and the objective, from the definition. */
static void check_optimal(const struct fitted *f, const struct matrix_data *m, const double *x,
                          double eps, double l2, bool joint, double tolerance)
{
    int64_t n = m->data.n_rows, d = m->data.n_features, n_out = 0;
    double *out = malloc((size_t)n * sizeof *out), s = *state_array(f, "sigma"), total = 0;
    double value = 0, in_s = 0, in_b = 0, in_w[MATRIX_COLUMNS] = {0};
    predict_matrix(f, n, d, x, out);
    for (int64_t i = 0; i < n; i++) {
        double w = smr_data_weight(&m->data, i), z = (m->data.y[i] - out[i]) / s;
        value += w * s * ((joint ? 0.5 : 0) + h_of(z, eps));
        in_b += w * psi(z, eps);
        in_s += w * fmin(z * z, eps * eps);
        total += w;
        n_out += fabs(z) > eps;
        for (int64_t j = 0; j < d; j++) in_w[j] += w * psi(z, eps) * x[i * d + j];
    }
    for (int64_t j = 0; j < d; j++) {
        double w = state_array(f, "coef")[j];
        value += l2 * w * w / 2;
        check_near("gradient in w", (in_w[j] - l2 * w) / total, 0, tolerance);
    }
    check_near("gradient in b", in_b / total, 0, tolerance);
    if (joint) check_near("gradient in s", in_s / total, 1, tolerance);
    check_near("objective", f->report.objective, value, 1e-12);
    if (!m->data.weight)
        check_near("outliers", *state_array(f, "outliers"), (double)n_out / (double)n, 1e-12);
    assert_true(f->report.converged);
    free(out);
}

static void gradient_vanishes_in_both_forms(void **unused)
{
    (void)unused;
    static const int64_t shapes[][2] = {{37, 3}, {211, 6}, {2003, 4}, {13000, 5}};
    for (int64_t k = 0; k < SMR_COUNT(shapes); k++)
        for (int o = 0; o < 4; o++) {
            int64_t n = shapes[k][0], d = shapes[k][1];
            double *x = random_matrix(n * d, 3), *y = random_matrix(n, 4);
            double *weight = random_matrix(n, 5);
            bool joint = o & 1;
            struct matrix_data m;
            for (int64_t i = 0; i < n; i++) {
                y[i] = tan(1.2 * y[i]) + 5 * x[i * d] - 2;
                weight[i] = fabs(weight[i]) + (i % 5 ? 0.1 : -fabs(weight[i]));
            }
            matrix_data(&m, n, d, 1, x, y, o & 2 ? weight : NULL);
            struct fitted f = fit_matrix(
                &smr_huber, joint ? "epsilon=1.2 l2=0.7" : "scale=fixed epsilon=0.8", &m.data, 2);
            check_optimal(&f, &m, x, joint ? 1.2 : 0.8, joint ? 0.7 : 0, joint, 1e-9);
            end_fitted(&f);
            free(weight);
            free(y);
            free(x);
        }
}

/* More columns than Newton's matrix is made for. */
static void many_columns_reach_the_same_conditions(void **unused)
{
    (void)unused;
    enum { N = 80, D = 2050 };
    double *x = random_matrix(N * D, 5), *y = random_matrix(N, 6), *out = calloc(N, sizeof *out);
    smr_feature *features = calloc(D, sizeof *features);
    double in_b = 0, in_s = 0, l2 = 20000, eps = 1.35;
    for (int64_t j = 0; j < D; j++)
        features[j] =
            (smr_feature){.kind = SMR_NUMBER, .dtype = SMR_F64, .values = x + j, .stride = D};
    for (int64_t i = 0; i < N; i += 9) y[i] += 20;
    smr_data data = {.size = sizeof data,
                     .n_rows = N,
                     .n_features = D,
                     .features = features,
                     .refuse_missing = true,
                     .task = SMR_TASK_REGRESS,
                     .n_outputs = 1,
                     .y = y};
    struct fitted f = fit_matrix(&smr_huber, "l2=20000 max_iter=2000", &data, 1);
    assert_true(f.report.converged);
    predict_matrix(&f, N, D, x, out);
    double s = *state_array(&f, "sigma");
    for (int64_t i = 0; i < N; i++) {
        double z = (y[i] - out[i]) / s;
        in_s += fmin(z * z, eps * eps);
        out[i] = psi(z, eps);
        in_b += out[i];
    }
    check_near("in b", in_b / N, 0, 1e-5);
    check_near("in s", in_s / N, 1, 1e-5);
    for (int64_t j = 0; j < D; j++) {
        double g = -l2 * state_array(&f, "coef")[j];
        for (int64_t i = 0; i < N; i++) g += out[i] * x[i * D + j];
        check_near("in w", g / N, 0, 1e-5);
    }
    assert_true(isnan(*state_array(&f, "std_error")));
    end_fitted(&f);
    free(features);
    free(out);
    free(y);
    free(x);
}

/* ---- tests/truth/robust.py -------------------------------------------------------------- */

static void coefficients_are_scikit_learns(void **unused)
{
    (void)unused;
    struct robust_data t;
    struct matrix_data m;
    robust_data(&t);
    for (int64_t k = 0; k < SMR_COUNT(huber_truth); k++) {
        matrix_data(&m, ROBUST_N, ROBUST_D, 1, t.x, t.y, huber_truth[k].weighted ? t.weight : NULL);
        char words[64];
        snprintf(words, sizeof words, "%s tol=1e-12", huber_truth[k].words);
        struct fitted f = fit_matrix(&smr_huber, words, &m.data, 1);
        for (int j = 0; j < ROBUST_D; j++)
            check_near("w", state_array(&f, "coef")[j], huber_truth[k].coef[j], 1e-8);
        check_near("b", *state_array(&f, "intercept"), huber_truth[k].intercept, 1e-8);
        check_near("sigma", *state_array(&f, "sigma"), huber_truth[k].sigma, 1e-8);
        end_fitted(&f);
    }
}

/* ---- properties ------------------------------------------------------------------------- */

static void joint_scale_follows_the_units(void **unused)
{
    (void)unused;
    enum { N = 301, D = 3 };
    double *x = random_matrix(N * D, 7), *y = random_matrix(N, 8), moved[N];
    struct matrix_data m;
    for (int i = 0; i < N; i++) y[i] = tan(y[i]);
    matrix_data(&m, N, D, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_huber, "tol=0", &m.data, 1);
    for (int i = 0; i < N; i++) moved[i] = -1e6 * y[i] + 4e7 + 3e6 * x[i * D + 1];
    matrix_data(&m, N, D, 1, x, moved, NULL);
    struct fitted g = fit_matrix(&smr_huber, "tol=0", &m.data, 1);
    check_near("s", *state_array(&g, "sigma"), 1e6 * *state_array(&f, "sigma"), 1e-9);
    for (int j = 0; j < D; j++)
        check_near("w", state_array(&g, "coef")[j],
                   -1e6 * state_array(&f, "coef")[j] + (j == 1 ? 3e6 : 0), 1e-8);
    check_near("error", state_array(&g, "std_error")[2], 1e6 * state_array(&f, "std_error")[2],
               1e-8);
    end_fitted(&g);
    end_fitted(&f);
    free(y);
    free(x);
}

/* A threshold beyond all residuals: least squares, with its standard errors. */
static void wide_threshold_is_least_squares(void **unused)
{
    (void)unused;
    enum { N = 150, D = 4 };
    double *x = random_matrix(N * D, 9), *y = random_matrix(N, 10);
    struct matrix_data m;
    for (int i = 0; i < N; i++) x[i * D + 1] += 1e6; /* far from 0 */
    matrix_data(&m, N, D, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_huber, "scale=fixed epsilon=1000", &m.data, 1);
    struct fitted g = fit_matrix(&smr_linear, "", &m.data, 1);
    for (int j = 0; j < D; j++) {
        check_near("w", state_array(&f, "coef")[j], state_array(&g, "coef")[j], 1e-10);
        check_near("error", state_array(&f, "std_error")[j], state_array(&g, "std_error")[j], 1e-9);
    }
    check_near("b error", *state_array(&f, "intercept_error"), *state_array(&g, "intercept_error"),
               1e-7);
    end_fitted(&g);
    end_fitted(&f);
    free(y);
    free(x);
}

/* Standard errors against the spread of the estimates over samples of the same plan. */
static void standard_errors_are_the_spread_of_the_estimates(void **unused)
{
    (void)unused;
    enum { N = 300, D = 2, SAMPLES = 300 };
    double sum = 0, square = 0, told = 0;
    double *x = random_matrix(N * D, 11);
    for (uint64_t s = 0; s < SAMPLES; s++) {
        double *y = random_matrix(N, 1000 + s);
        struct matrix_data m;
        for (int i = 0; i < N; i++) y[i] = (i % 10 ? 1 : 8) * y[i] + x[i * D];
        matrix_data(&m, N, D, 1, x, y, NULL);
        struct fitted f = fit_matrix(&smr_huber, "", &m.data, 1);
        double w = state_array(&f, "coef")[1];
        sum += w;
        square += w * w;
        told += state_array(&f, "std_error")[1];
        end_fitted(&f);
        free(y);
    }
    double spread = sqrt(square / SAMPLES - sum / SAMPLES * sum / SAMPLES);
    check_near("told / seen", told / SAMPLES / spread, 1, 0.1);
    check_near("mean", sum / SAMPLES, 0, 4 * spread / sqrt(SAMPLES));
    free(x);
}

static void rows_of_weight_two_are_rows_twice(void **unused)
{
    (void)unused;
    enum { N = 90, D = 2 };
    double *x = random_matrix(N * D, 13), *y = random_matrix(N, 14), weight[N], twice[2 * N * D];
    double again[2 * N];
    struct matrix_data m;
    int n = 0;
    for (int i = 0; i < N; i++) {
        y[i] = tan(y[i]);
        weight[i] = i % 3;
        for (int k = 0; k < i % 3; k++, n++) {
            memcpy(twice + n * D, x + i * D, D * sizeof *x);
            again[n] = y[i];
        }
    }
    matrix_data(&m, N, D, 1, x, y, weight);
    struct fitted f = fit_matrix(&smr_huber, "tol=0", &m.data, 1);
    matrix_data(&m, n, D, 1, twice, again, NULL);
    struct fitted g = fit_matrix(&smr_huber, "tol=0", &m.data, 1);
    for (int j = 0; j < D; j++) {
        check_near("w", state_array(&f, "coef")[j], state_array(&g, "coef")[j], 1e-10);
        check_near("e", state_array(&f, "std_error")[j], state_array(&g, "std_error")[j], 1e-9);
    }
    end_fitted(&g);
    end_fitted(&f);
    free(y);
    free(x);
}

/* ---- degenerate data -------------------------------------------------------------------- */

static void outliers_of_1e12_do_not_move_the_fit(void **unused)
{
    (void)unused;
    enum { N = 2000, D = 4 };
    double *x = random_matrix(N * D, 21), *y = random_matrix(N, 22);
    struct matrix_data m;
    for (int i = 0; i < N; i++) y[i] = i % 50 ? y[i] + 3 * x[i * D] : 1e12;
    matrix_data(&m, N, D, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_huber, "", &m.data, 1);
    check_near("w", *state_array(&f, "coef"), 3, 0.2);
    assert_true(*state_array(&f, "sigma") > 0.3 && *state_array(&f, "sigma") < 3);
    check_optimal(&f, &m, x, 1.35, 0, true, 1e-4); /* f is 1e14: a step of 1e-4 does not show */
    end_fitted(&f);
    free(y);
    free(x);
}

static struct fitted fit_heard(const char *words, const smr_data *data, struct heard *heard)
{
    smr_ctx *ctx = hearing_ctx(heard);
    struct fitted f = {
        .ctx = ctx, .learner = &smr_huber, .params = make_params(ctx, &smr_huber, words)};
    check_ok(ctx, smr_state_create(ctx, &smr_huber, &f.state));
    check_ok(ctx, smr_learner_fit(ctx, &smr_huber, f.params, data, f.state, &f.report));
    return f;
}

static void exact_fits_constants_and_dependent_columns_are_told(void **unused)
{
    (void)unused;
    enum { N = 120, D = 3 };
    double *x = random_matrix(N * D, 31), y[N], *noise_ = random_matrix(N, 32);
    struct matrix_data m;
    struct heard heard;
    for (int i = 0; i < N; i++) y[i] = 2 * x[i * D] - x[i * D + 2] + 1 + (i % 10 ? 0 : 100);
    matrix_data(&m, N, D, 1, x, y, NULL);
    struct fitted f = fit_heard("", &m.data, &heard);
    check_heard(&heard, "so many rows are fitted exactly");
    check_near("w", *state_array(&f, "coef"), 2, 1e-6);
    end_fitted(&f);
    for (int i = 0; i < N; i++) y[i] = 17.5;
    f = fit_heard("", &m.data, &heard);
    check_near("b", *state_array(&f, "intercept"), 17.5, 1e-12);
    end_fitted(&f);
    for (int i = 0; i < N; i++) {
        x[i * D + 1] = 4 * x[i * D] - 3;
        y[i] = noise_[i] + x[i * D + 2];
    }
    f = fit_heard("", &m.data, &heard);
    check_heard(&heard, "2 of 3 columns add nothing to the others: 'x0', 'x1'");
    assert_true(isfinite(state_array(&f, "std_error")[2]));
    assert_true(fabs(state_array(&f, "coef")[0]) < 1e3);
    end_fitted(&f);
    free(noise_);
    free(x);
}

/* A column that all rows determine, and those within the threshold do not, is not collinear. */
static void few_rows_within_the_threshold_are_not_collinear_columns(void **unused)
{
    (void)unused;
    enum { N = 200, D = 2 };
    double *x = random_matrix(N * D, 51), *y = random_matrix(N, 52);
    struct matrix_data m;
    struct heard heard;
    for (int i = 0; i < N; i++) { /* the rows of a rare group lie far off, to both sides */
        x[i * D] = i % 20 == 0;
        y[i] += x[i * D + 1] + (i % 20 ? 0 : (i % 40 ? 1 : -1) * (300.0 + i));
    }
    matrix_data(&m, N, D, 1, x, y, NULL);
    struct fitted f = fit_heard("", &m.data, &heard);
    assert_true(isnan(state_array(&f, "std_error")[0]));
    check_heard(&heard, "too few rows lie within epsilon times the scale of the fit");
    check_heard(&heard, "to estimate the standard errors of 1 of 2 columns");
    assert_null(strstr(heard.text, "add nothing"));
    end_fitted(&f);
    free(x);
    free(y);
}

static void bad_parameters_are_refused(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    void *params = make_params(ctx, &smr_huber, "epsilon=0.9");
    check_fails(ctx, smr_huber.word->check_params(ctx, params), SMR_ERR_PARAM,
                "must be more than 1");
    smr_params_free(smr_huber.word, params);
    check_ctx_end(ctx);
}

static void values_that_are_not_finite_are_named(void **unused)
{
    (void)unused;
    enum { N = 9000, D = 2 };
    double *x = random_matrix(N * D, 41), *y = random_matrix(N, 42);
    struct matrix_data m;
    void *state = NULL;
    smr_fit_report report = {0};
    smr_ctx *ctx = check_ctx(2);
    void *params = make_params(ctx, &smr_huber, "");
    x[7013 * D + 1] = INFINITY;
    matrix_data(&m, N, D, 1, x, y, NULL);
    check_ok(ctx, smr_state_create(ctx, &smr_huber, &state));
    check_fails(ctx, smr_learner_fit(ctx, &smr_huber, params, &m.data, state, &report),
                SMR_ERR_DATA, "row 7014, column 'x1'");
    smr_state_free(&smr_huber, state);
    smr_fit_report_release(&report);
    smr_params_free(smr_huber.word, params);
    check_ctx_end(ctx);
    free(y);
    free(x);
}

/* ---- the rest --------------------------------------------------------------------------- */

static void threads_do_not_change_a_bit(void **unused)
{
    (void)unused;
    enum { N = 14000, D = 5 };
    double *x = random_matrix(N * D, 81), *y = random_matrix(N, 82);
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, y, NULL);
    struct fitted one = fit_matrix(&smr_huber, "", &m.data, 1);
    for (int threads = 2; threads <= 7; threads += 5) {
        struct fitted f = fit_matrix(&smr_huber, "", &m.data, threads);
        assert_memory_equal(state_array(&f, "coef"), state_array(&one, "coef"), D * sizeof(double));
        end_fitted(&f);
    }
    end_fitted(&one);
    free(y);
    free(x);
}

static void every_allocation_may_fail(void **unused)
{
    (void)unused;
    double *x = random_matrix(60, 91), *y = random_matrix(30, 92);
    struct matrix_data m;
    matrix_data(&m, 30, 2, 1, x, y, NULL);
    check_failing_fits(&smr_huber, "", &m.data);
    free(y);
    free(x);
}

/* Of 200 rows as many as there are coefficients lie within a threshold that is far too small: the
 * fit goes through them, and they say nothing of its errors. */
static void too_few_rows_within_the_threshold_have_no_errors(void **unused)
{
    enum { N = 200, D = 3 };
    static const char *const sentences[] = {"scale=fixed epsilon=0.001",
                                            "scale=fixed epsilon=0.001 l2=0.001",
                                            "scale=fixed epsilon=3000"};
    double *x = random_matrix(N * D, 41), *y = random_matrix(N, 42);
    struct matrix_data m;
    (void)unused;
    for (int64_t i = 0; i < N; i++) y[i] = 480 * x[i * D] - 95 * x[i * D + 1] + 2750 * y[i];
    matrix_data(&m, N, D, 1, x, y, NULL);
    for (int c = 0; c < SMR_COUNT(sentences); c++) {
        struct heard heard;
        smr_fit_report report = {0};
        void *state = NULL;
        bool few = strstr(sentences[c], "0.001") != NULL;
        smr_ctx *ctx = hearing_ctx(&heard);
        void *params = make_params(ctx, &smr_huber, sentences[c]);
        check_ok(ctx, smr_state_create(ctx, &smr_huber, &state));
        check_ok(ctx, smr_learner_fit(ctx, &smr_huber, params, &m.data, state, &report));
        struct fitted f = {.ctx = ctx, .learner = &smr_huber, .params = params, .state = state};
        for (int64_t j = 0; j < D; j++)
            assert_int_equal(isnan(state_array(&f, "std_error")[j]) != 0, few);
        assert_int_equal(isnan(*state_array(&f, "intercept_error")) != 0, few);
        if (few)
            check_heard(&heard, "too few rows lie within epsilon times the scale of the fit");
        else
            check_silent(&heard);
        f.report = report;
        end_fitted(&f);
    }
    free(x);
    free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_figures_of_the_loss),
        cmocka_unit_test(gradient_vanishes_in_both_forms),
        cmocka_unit_test(many_columns_reach_the_same_conditions),
        cmocka_unit_test(coefficients_are_scikit_learns),
        cmocka_unit_test(joint_scale_follows_the_units),
        cmocka_unit_test(wide_threshold_is_least_squares),
        cmocka_unit_test(standard_errors_are_the_spread_of_the_estimates),
        cmocka_unit_test(rows_of_weight_two_are_rows_twice),
        cmocka_unit_test(outliers_of_1e12_do_not_move_the_fit),
        cmocka_unit_test(exact_fits_constants_and_dependent_columns_are_told),
        cmocka_unit_test(bad_parameters_are_refused),
        cmocka_unit_test(values_that_are_not_finite_are_named),
        cmocka_unit_test(few_rows_within_the_threshold_are_not_collinear_columns),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(too_few_rows_within_the_threshold_have_no_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
