/* test_linear.c -- the learner linear: certified values, properties, collinear columns, inspect. */
#include "golden/nist.h"
#include "learn/matrix_data.h"
#include "truth/stats.h"
#include "whole_check.h"

extern const smr_learner smr_linear;

enum { N = 211, D = 6 };

struct sample {
    double *x, *y, *weight;
    struct matrix_data m;
};

static struct sample make_sample(int64_t n, int64_t d, int64_t q, uint64_t seed)
{
    struct sample s = {.x = random_matrix(n * d, seed),
                       .y = random_matrix(n * q, seed + 1),
                       .weight = random_matrix(n, seed + 2)};
    for (int64_t i = 0; i < n; i++) {
        s.weight[i] = fabs(s.weight[i]) + 0.1;
        for (int64_t k = 0; k < q; k++)
            for (int64_t j = 0; j < d; j++) s.y[i * q + k] += s.x[i * d + j] * cos((double)(j + k));
    }
    return s;
}

static void free_sample(struct sample *s)
{
    free(s->x);
    free(s->y);
    free(s->weight);
}

/* ---- inspect ---------------------------------------------------------------------------- */

static const smr_json *element(const smr_json *array, int64_t i)
{
    const smr_json *e = array->first;
    while (i-- > 0) e = e->next;
    return e;
}

/* The certified values as a user sees them; p-values of these from tests/truth/stats.py. */
static void inspect_shows_longley_as_certified(void **unused)
{
    (void)unused;
    struct nist s;
    struct matrix_data m;
    nist_read("longley", &s);
    matrix_data(&m, s.n, s.p - 1, 1, s.x, s.y, NULL);
    struct fitted f = fit_matrix(&smr_linear, "", &m.data, 2);
    smr_json_doc *doc = describe_fitted(&f, &m.data);
    const smr_json *root = smr_json_root(doc), *list = smr_json_get(root, "coefficients");
    assert_int_equal(list->n, 7);
    for (int j = 0; j < 7; j++) {
        const smr_json *row = element(list, j);
        double estimate = smr_json_get_number(row, "estimate", 0);
        double error = smr_json_get_number(row, "std_error", 0);
        assert_true(nist_digits(estimate, s.estimate[j]) > 13);
        assert_true(nist_digits(error, s.error[j]) > 12.5);
        check_near("t", smr_json_get_number(row, "t", 0), s.estimate[j] / s.error[j], 1e-12);
        check_near("p", smr_json_get_number(row, "p", 0), longley_p[j], 1e-13);
    }
    assert_string_equal(smr_json_get_string(element(list, 0), "feature", ""), "(intercept)");
    assert_string_equal(smr_json_get_string(element(list, 6), "feature", ""), "x5");
    check_near("sd", smr_json_get_number(root, "residual_sd", 0), 304.854073561965, 1e-12);
    check_near("R2", smr_json_get_number(root, "r2", 0), 0.995479004577296, 1e-14);
    check_near("adjusted", smr_json_get_number(root, "adjusted_r2", 0),
               1 - (1 - 0.995479004577296) * 15 / 9, 1e-12);
    check_near("F", smr_json_get_number(root, "f", 0), 330.285339234588, 1e-11);
    check_near("F's p", smr_json_get_number(root, "f_p", 0) * 1e10, longley_f_p, 1e-10);
    check_near("rank", smr_json_get_number(root, "rank", 0), 6, 0);
    check_near("df", smr_json_get_number(root, "degrees_of_freedom", 0), 9, 0);
    assert_string_equal(smr_json_get_string(root, "method", ""), "qr");
    smr_json_free(doc);
    end_fitted(&f);
}

static void inspect_shows_every_output(void **unused)
{
    (void)unused;
    struct sample s = make_sample(N, D, 3, 5);
    matrix_data(&s.m, N, D, 3, s.x, s.y, NULL);
    struct fitted f = fit_matrix(&smr_linear, "fit_intercept=no", &s.m.data, 1);
    smr_json_doc *doc = describe_fitted(&f, &s.m.data);
    const smr_json *list = smr_json_get(smr_json_root(doc), "outputs");
    assert_int_equal(list->n, 3);
    for (int k = 0; k < 3; k++) {
        const smr_json *coefs = smr_json_get(element(list, k), "coefficients");
        assert_int_equal(coefs->n, D);
        for (int j = 0; j < D; j++)
            check_near("estimate", smr_json_get_number(element(coefs, j), "estimate", NAN),
                       state_array(&f, "coef")[k * D + j], 0);
    }
    smr_json_free(doc);
    end_fitted(&f);
    free_sample(&s);
}

/* ---- properties ------------------------------------------------------------------------- */

static void polynomial_of_degree_9_passes_through_10_points(void **unused)
{
    (void)unused;
    double x[10 * 9], y[10], out[10];
    for (int i = 0; i < 10; i++) {
        double t = (double)i / 9;
        y[i] = sin(6.283185307179586 * t) + (i % 2 ? 0.3 : -0.2);
        for (int j = 0; j < 9; j++) x[i * 9 + j] = pow(t, j + 1);
    }
    struct matrix_data m;
    matrix_data(&m, 10, 9, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_linear, "", &m.data, 1);
    predict_matrix(&f, 10, 9, x, out);
    for (int i = 0; i < 10; i++) check_near("fitted", out[i], y[i], 1e-9);
    end_fitted(&f);
}

static void weight_two_is_the_row_twice(void **unused)
{
    (void)unused;
    struct sample s = make_sample(N, D, 1, 8);
    double *x = malloc(2 * N * D * sizeof *x), *y = malloc(2 * N * sizeof *y);
    int64_t n = 0;
    for (int64_t i = 0; i < N; i++) {
        s.weight[i] = (double)(i % 3); /* 0, 1 or 2 times */
        for (int64_t k = 0; k < i % 3; k++, n++) {
            memcpy(x + n * D, s.x + i * D, D * sizeof *x);
            y[n] = s.y[i];
        }
    }
    struct matrix_data twice;
    matrix_data(&s.m, N, D, 1, s.x, s.y, s.weight);
    matrix_data(&twice, n, D, 1, x, y, NULL);
    static const char *const options[] = {"", "fit_intercept=no", "method=gram", "method=svd"};
    static const char *const arrays[] = {"coef", "std_error", "intercept", "intercept_error",
                                         "rss",  "tss",       "n_rows"};
    for (int64_t o = 0; o < SMR_COUNT(options); o++) {
        struct fitted a = fit_matrix(&smr_linear, options[o], &s.m.data, 1);
        struct fitted b = fit_matrix(&smr_linear, options[o], &twice.data, 1);
        for (int64_t k = 0; k < SMR_COUNT(arrays); k++)
            for (int64_t j = 0; j < (k < 2 ? D : 1); j++)
                check_near(arrays[k], state_array(&a, arrays[k])[j], state_array(&b, arrays[k])[j],
                           1e-12);
        end_fitted(&a);
        end_fitted(&b);
    }
    free(x);
    free(y);
    free_sample(&s);
}

static void adding_a_constant_to_y_moves_only_the_intercept(void **unused)
{
    (void)unused;
    struct sample s = make_sample(N, D, 1, 18);
    double moved[N];
    struct matrix_data m;
    for (int i = 0; i < N; i++) moved[i] = s.y[i] + 17.5;
    matrix_data(&s.m, N, D, 1, s.x, s.y, s.weight);
    matrix_data(&m, N, D, 1, s.x, moved, s.weight);
    struct fitted a = fit_matrix(&smr_linear, "", &s.m.data, 1);
    struct fitted b = fit_matrix(&smr_linear, "", &m.data, 1);
    for (int j = 0; j < D; j++) {
        check_near("coef", state_array(&b, "coef")[j], state_array(&a, "coef")[j], 1e-13);
        check_near("error", state_array(&b, "std_error")[j], state_array(&a, "std_error")[j],
                   1e-13);
    }
    check_near("intercept", *state_array(&b, "intercept"), *state_array(&a, "intercept") + 17.5,
               1e-13);
    end_fitted(&a);
    end_fitted(&b);
    free_sample(&s);
}

static void scaling_a_feature_scales_its_coefficient_inversely(void **unused)
{
    (void)unused;
    struct sample s = make_sample(N, D, 1, 28);
    double *x = malloc(N * D * sizeof *x), scale[D] = {1, 1e6, 1e-5, 3, -7, 1};
    struct matrix_data m;
    for (int i = 0; i < N * D; i++) x[i] = s.x[i] * scale[i % D];
    matrix_data(&s.m, N, D, 1, s.x, s.y, NULL);
    matrix_data(&m, N, D, 1, x, s.y, NULL);
    struct fitted a = fit_matrix(&smr_linear, "", &s.m.data, 1);
    struct fitted b = fit_matrix(&smr_linear, "", &m.data, 1);
    for (int j = 0; j < D; j++)
        check_near("coef", state_array(&b, "coef")[j] * scale[j], state_array(&a, "coef")[j],
                   1e-12);
    end_fitted(&a);
    end_fitted(&b);
    free(x);
    free_sample(&s);
}

static void outputs_are_fitted_as_if_alone(void **unused)
{
    (void)unused;
    struct sample s = make_sample(N, D, 3, 38);
    matrix_data(&s.m, N, D, 3, s.x, s.y, s.weight);
    struct fitted all = fit_matrix(&smr_linear, "", &s.m.data, 1);
    for (int k = 0; k < 3; k++) {
        double y[N];
        struct matrix_data m;
        for (int i = 0; i < N; i++) y[i] = s.y[i * 3 + k];
        matrix_data(&m, N, D, 1, s.x, y, s.weight);
        struct fitted one = fit_matrix(&smr_linear, "", &m.data, 1);
        for (int j = 0; j < D; j++) {
            check_near("coef", state_array(&all, "coef")[k * D + j], state_array(&one, "coef")[j],
                       1e-13);
            check_near("error", state_array(&all, "std_error")[k * D + j],
                       state_array(&one, "std_error")[j], 1e-13);
        }
        end_fitted(&one);
    }
    end_fitted(&all);
    free_sample(&s);
}

/* ---- collinear columns ------------------------------------------------------------------ */

static char last_warning[2048];

static void remember(void *user, smr_log_level level, const char *message)
{
    (void)user;
    if (level == SMR_LOG_WARNING) snprintf(last_warning, sizeof last_warning, "%s", message);
}

static void fit_and_listen(const smr_data *data)
{
    smr_ctx *ctx = check_ctx(1);
    void *params = make_params(ctx, &smr_linear, ""), *state = NULL;
    smr_fit_report report = {0};
    ctx->log = remember;
    last_warning[0] = '\0';
    check_ok(ctx, smr_state_create(ctx, &smr_linear, &state));
    check_ok(ctx, smr_learner_fit(ctx, &smr_linear, params, data, state, &report));
    smr_state_free(&smr_linear, state);
    smr_params_free(smr_linear.word, params);
    check_ctx_end(ctx);
}

/* The course's trap: people who order fish and chips come on Fridays. */
static void warning_names_fish_and_chips_on_friday(void **unused)
{
    (void)unused;
    struct sample s = make_sample(N, D, 1, 48);
    for (int i = 0; i < N; i++) s.x[i * D + 3] = s.x[i * D + 1] = i % 5 == 0;
    matrix_data(&s.m, N, D, 1, s.x, s.y, NULL);
    s.m.features[1].name = "Fish and Chips";
    s.m.features[3].name = "Friday";
    fit_and_listen(&s.m.data);
    assert_non_null(strstr(last_warning, "1 of 6 columns"));
    assert_non_null(strstr(last_warning, "'Friday' = 'Fish and Chips'."));
    s.m.features[3].name = NULL; /* named by its position then */
    for (int i = 0; i < N; i++) {
        s.x[i * D + 5] = 3 - 0.5 * s.x[i * D] + 2 * s.x[i * D + 4];
        s.x[i * D + 2] = 9;
    }
    fit_and_listen(&s.m.data);
    assert_non_null(strstr(last_warning, "3 of 6 columns"));
    assert_non_null(strstr(last_warning, "'x2' is constant"));
    assert_non_null(strstr(last_warning, "'3' = 'Fish and Chips'"));
    assert_non_null(strstr(last_warning, "'x5' = 2 'x4' - 0.5 'x0' + 3."));
    free_sample(&s);
    s = make_sample(9, 20, 1, 3);
    matrix_data(&s.m, 9, 20, 1, s.x, s.y, NULL);
    fit_and_listen(&s.m.data);
    assert_non_null(strstr(last_warning, "20 columns and 9 rows"));
    free_sample(&s);
    s = make_sample(N, D, 1, 3);
    matrix_data(&s.m, N, D, 1, s.x, s.y, NULL);
    fit_and_listen(&s.m.data);
    assert_string_equal(last_warning, "");
    free_sample(&s);
}

static void undetermined_coefficients_have_no_standard_error(void **unused)
{
    (void)unused;
    struct sample s = make_sample(N, D, 1, 58);
    for (int i = 0; i < N; i++) s.x[i * D + 3] = -2 * s.x[i * D + 1];
    matrix_data(&s.m, N, D, 1, s.x, s.y, NULL);
    struct fitted f = fit_matrix(&smr_linear, "", &s.m.data, 1);
    const double *e = state_array(&f, "std_error"), *w = state_array(&f, "coef");
    assert_true(isnan(e[1]) && isnan(e[3]) && e[0] > 0 && e[2] > 0 && e[4] > 0 && e[5] > 0);
    check_near("least norm", w[3], -2 * w[1], 1e-12);
    smr_json_doc *doc = describe_fitted(&f, &s.m.data);
    const smr_json *row = element(smr_json_get(smr_json_root(doc), "coefficients"), 2);
    assert_true(isnan(smr_json_get_number(row, "std_error", 1))); /* written as null */
    smr_json_free(doc);
    end_fitted(&f);
    free_sample(&s);
}

/* ---- shapes ----------------------------------------------------------------------------- */

static void few_rows_and_empty_columns_are_fitted(void **unused)
{
    (void)unused;
    double x[] = {2.5, 0, -1, 0, 4, 0}, y[] = {3, 5, -2}, out[3];
    struct matrix_data m;
    matrix_data(&m, 1, 2, 1, x, y, NULL); /* one row: the intercept is all */
    struct fitted f = fit_matrix(&smr_linear, "", &m.data, 1);
    predict_matrix(&f, 1, 2, x, out);
    check_near("one row", out[0], 3, 1e-15);
    assert_true(isnan(*state_array(&f, "intercept_error")));
    end_fitted(&f);
    matrix_data(&m, 3, 2, 1, x, y, NULL); /* a column of zeros */
    f = fit_matrix(&smr_linear, "", &m.data, 1);
    assert_true(state_array(&f, "coef")[1] == 0);
    end_fitted(&f);
    matrix_data(&m, 3, 0, 1, x, y, NULL); /* no columns: the mean */
    f = fit_matrix(&smr_linear, "", &m.data, 1);
    check_near("mean", *state_array(&f, "intercept"), 2, 1e-15);
    check_near("its error", *state_array(&f, "intercept_error"), sqrt(13.0 / 3), 1e-14);
    end_fitted(&f);
    double constant[] = {7, 7, 7};
    matrix_data(&m, 3, 1, 1, x, constant, NULL); /* a constant target */
    f = fit_matrix(&smr_linear, "", &m.data, 1);
    check_near("coef", *state_array(&f, "coef"), 0, 1e-15);
    check_near("intercept", *state_array(&f, "intercept"), 7, 1e-15);
    end_fitted(&f);
}

static void rows_alone_and_in_blocks_are_predicted_alike(void **unused)
{
    (void)unused;
    struct sample s = make_sample(N, D, 2, 68);
    double all[2 * N], one[2];
    matrix_data(&s.m, N, D, 2, s.x, s.y, NULL);
    struct fitted f = fit_matrix(&smr_linear, "", &s.m.data, 1);
    predict_matrix(&f, N, D, s.x, all);
    int64_t requests = atomic_load(&f.ctx->memory->requests);
    for (int i = 0; i < N; i++) {
        predict_matrix(&f, 1, D, s.x + i * D, one);
        assert_memory_equal(one, all + 2 * i, sizeof one);
    }
    assert_true(atomic_load(&f.ctx->memory->requests) == requests); /* and without memory */
    end_fitted(&f);
    free_sample(&s);
}

static void sparse_rows_are_fitted_and_predicted_like_dense_ones(void **unused)
{
    (void)unused;
    struct sample s = make_sample(N, D, 1, 78);
    int64_t start[N + 1] = {0}, at = 0;
    int32_t column[N * D];
    double value[N * D], dense[N], sparse[N];
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < D; j++) {
            if ((i * 7 + j * 3) % 4 != 0) s.x[i * D + j] = 0;
            if (s.x[i * D + j] == 0) continue;
            column[at] = j;
            value[at++] = s.x[i * D + j];
        }
        start[i + 1] = at;
    }
    smr_csr csr = {N, D, start, column, value};
    matrix_data(&s.m, N, D, 1, s.x, s.y, NULL);
    struct fitted a = fit_matrix(&smr_linear, "", &s.m.data, 1);
    smr_data data = s.m.data;
    data.features = NULL;
    data.sparse = &csr;
    struct fitted b = fit_matrix(&smr_linear, "", &data, 2);
    assert_memory_equal(state_array(&a, "coef"), state_array(&b, "coef"), D * sizeof(double));
    predict_matrix(&a, N, D, s.x, dense);
    smr_rows rows = {
        .n = N, .d = D, .form = SMR_FORM_SPARSE, .start = start, .column = column, .value = value};
    check_ok(b.ctx, smr_linear.fitted->predict(b.ctx, b.params, b.state, &rows, SMR_OUTPUT_VALUE,
                                               sparse, NULL));
    for (int i = 0; i < N; i++) check_near("prediction", sparse[i], dense[i], 1e-14);
    end_fitted(&a);
    end_fitted(&b);
    free_sample(&s);
}

/* Rows gathered through an index come in blocks that are copies; a whole matrix is a view. */
static void rows_by_index_are_fitted_like_rows_in_place(void **unused)
{
    (void)unused;
    enum { MANY = 1500 };
    struct sample s = make_sample(MANY, D, 1, 88);
    int64_t *rows = malloc(MANY * sizeof *rows);
    for (int64_t i = 0; i < MANY; i++) rows[i] = i;
    matrix_data(&s.m, MANY, D, 1, s.x, s.y, NULL);
    smr_data data = s.m.data;
    data.rows = rows;
    static const char *const options[] = {"method=qr", "method=gram"};
    for (int o = 0; o < 2; o++) {
        struct fitted a = fit_matrix(&smr_linear, options[o], &s.m.data, 1);
        struct fitted b = fit_matrix(&smr_linear, options[o], &data, 7);
        assert_memory_equal(state_array(&a, "coef"), state_array(&b, "coef"), D * sizeof(double));
        assert_memory_equal(state_array(&a, "std_error"), state_array(&b, "std_error"),
                            D * sizeof(double));
        end_fitted(&a);
        end_fitted(&b);
    }
    free(rows);
    free_sample(&s);
}

/* ---- bad input -------------------------------------------------------------------------- */

static void unusable_values_are_named(void **unused)
{
    (void)unused;
    struct sample s = make_sample(N, D, 1, 98);
    smr_ctx *ctx = check_ctx(2);
    void *params = make_params(ctx, &smr_linear, ""), *state = NULL;
    smr_fit_report report = {0};
    check_ok(ctx, smr_state_create(ctx, &smr_linear, &state));
    matrix_data(&s.m, N, D, 1, s.x, s.y, s.weight);
    s.x[100 * D + 2] = NAN;
    check_fails(ctx, smr_learner_fit(ctx, &smr_linear, params, &s.m.data, state, &report),
                SMR_ERR_DATA, "row 101, column 'x2': the value is missing");
    smr_state_free(&smr_linear, state);
    check_ok(ctx, smr_state_create(ctx, &smr_linear, &state));
    s.x[100 * D + 2] = -INFINITY;
    check_fails(ctx, smr_learner_fit(ctx, &smr_linear, params, &s.m.data, state, &report),
                SMR_ERR_DATA, "row 101, column 'x2': the value is not finite");
    smr_state_free(&smr_linear, state);
    check_ok(ctx, smr_state_create(ctx, &smr_linear, &state));
    s.x[100 * D + 2] = 0;
    s.y[3] = NAN;
    check_fails(ctx, smr_learner_fit(ctx, &smr_linear, params, &s.m.data, state, &report),
                SMR_ERR_DATA, "the target of row 4");
    smr_state_free(&smr_linear, state);
    check_ok(ctx, smr_state_create(ctx, &smr_linear, &state));
    s.y[3] = 0;
    s.weight[9] = -1;
    check_fails(ctx, smr_learner_fit(ctx, &smr_linear, params, &s.m.data, state, &report),
                SMR_ERR_DATA, "the weight of row 10");
    smr_state_free(&smr_linear, state);
    check_ok(ctx, smr_state_create(ctx, &smr_linear, &state));
    memset(s.weight, 0, N * sizeof *s.weight);
    check_fails(ctx, smr_learner_fit(ctx, &smr_linear, params, &s.m.data, state, &report),
                SMR_ERR_DATA, "all weights are 0");
    smr_shape wide = {.n_features = D + 1, .task = SMR_TASK_REGRESS, .n_outputs = 1};
    check_fails(ctx, whole_check(ctx, &smr_linear, params, state, &wide), SMR_ERR_FORMAT,
                "features");
    smr_state_free(&smr_linear, state);
    smr_params_free(smr_linear.word, params);
    check_ctx_end(ctx);
    free_sample(&s);
}

static void every_failing_allocation_is_survived(void **unused)
{
    (void)unused;
    struct sample s = make_sample(40, 4, 2, 8);
    matrix_data(&s.m, 40, 4, 2, s.x, s.y, s.weight);
    check_failing_fits(&smr_linear, "", &s.m.data);
    check_failing_fits(&smr_linear, "method=gram", &s.m.data);
    for (int i = 0; i < 40; i++) s.x[i * 4 + 3] = s.x[i * 4];
    check_failing_fits(&smr_linear, "", &s.m.data);
    free_sample(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inspect_shows_longley_as_certified),
        cmocka_unit_test(inspect_shows_every_output),
        cmocka_unit_test(polynomial_of_degree_9_passes_through_10_points),
        cmocka_unit_test(weight_two_is_the_row_twice),
        cmocka_unit_test(adding_a_constant_to_y_moves_only_the_intercept),
        cmocka_unit_test(scaling_a_feature_scales_its_coefficient_inversely),
        cmocka_unit_test(outputs_are_fitted_as_if_alone),
        cmocka_unit_test(warning_names_fish_and_chips_on_friday),
        cmocka_unit_test(undetermined_coefficients_have_no_standard_error),
        cmocka_unit_test(few_rows_and_empty_columns_are_fitted),
        cmocka_unit_test(rows_alone_and_in_blocks_are_predicted_alike),
        cmocka_unit_test(sparse_rows_are_fitted_and_predicted_like_dense_ones),
        cmocka_unit_test(rows_by_index_are_fitted_like_rows_in_place),
        cmocka_unit_test(unusable_values_are_named),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
