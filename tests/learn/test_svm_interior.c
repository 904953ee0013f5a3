/* test_svm_interior.c -- svm solver=interior: the dual's optimum, its certificate, few and many
 * rows. */
#include "learn/matrix_data.h"

extern const smr_learner smr_svm;

static double normal(uint64_t seed, int64_t i, int64_t j)
{
    double u = smr_random_unit(seed, SMR_STREAM_TEST, 2 * (uint64_t)j, (uint64_t)i);
    double v = smr_random_unit(seed, SMR_STREAM_TEST, 2 * (uint64_t)j + 1, (uint64_t)i);
    return sqrt(-2 * log(1 - u)) * cos(6.283185307179586 * v);
}

/* ---- rows of many kinds ----------------------------------------------------------------- */

enum kind { PLAIN, SEPARABLE, COLLINEAR, WEIGHTED, REPEATED, SCALED, RARE, FAR, N_KINDS };

struct set {
    int64_t n, d;
    double *x, *weight;
    int32_t *label;
    struct matrix_data m;
};

static void make_set(struct set *s, enum kind kind, int64_t n, int64_t d, uint64_t seed)
{
    *s = (struct set){.n = n, .d = d};
    s->x = malloc((size_t)(n * d) * sizeof *s->x);
    s->weight = malloc((size_t)n * sizeof *s->weight);
    s->label = malloc((size_t)n * sizeof *s->label);
    for (int64_t i = 0; i < n; i++) {
        double z = kind == SEPARABLE ? 0.1 : normal(seed, i, 1000), *x = s->x + i * d;
        s->weight[i] = kind != WEIGHTED ? 1 : i % 5 == 1 ? 0 : exp(3 * normal(seed, i, 1001));
        for (int64_t j = 0; j < d; j++) {
            x[j] = kind == COLLINEAR && j > 1 ? x[0] - 2 * x[j - 1] : normal(seed, i, j);
            if (kind == REPEATED) x[j] = floor(x[j] + 0.5);
            z += x[j] * cos(3.0 * (double)j + 1);
        }
        s->label[i] = z > (kind == RARE ? 2 : 0);
        for (int64_t j = 0; j < d; j++) {
            if (kind == SCALED) x[j] *= pow(10, (double)(5 * j % 7) - 3);
            if (kind == FAR) x[j] += 1e6 * (double)(j + 1);
        }
    }
    s->label[0] = 0;
    s->label[n - 1] = 1;
    s->weight[0] = s->weight[n - 1] = 1;
    matrix_data(&s->m, n, d, 0, s->x, NULL, kind == WEIGHTED ? s->weight : NULL);
    s->m.data.task = SMR_TASK_CLASSIFY;
    s->m.data.n_outputs = 1;
    s->m.data.n_classes = 2;
    s->m.data.label = s->label;
}

static void free_set(struct set *s)
{
    free(s->x);
    free(s->weight);
    free(s->label);
}

static double weight_of(const struct set *s, int64_t i)
{
    return s->m.data.weight ? s->weight[i] : 1;
}

/* P at the coefficients that were stored, and what rounding may add to it. */
static double objective_of(const struct set *s, const struct fitted *f, double l2, double *noise)
{
    const double *w = state_array(f, "coef");
    double sum = 0;
    *noise = 0;
    for (int64_t j = 0; j < s->d; j++) sum += 0.5 * l2 * w[j] * w[j];
    for (int64_t i = 0; i < s->n; i++) {
        double z = *state_array(f, "intercept");
        for (int64_t j = 0; j < s->d; j++) {
            z += w[j] * s->x[i * s->d + j];
            *noise += 1e-15 * weight_of(s, i) * fabs(w[j] * s->x[i * s->d + j]);
        }
        sum += weight_of(s, i) * fmax(0, 1 - (s->label[i] ? z : -z));
    }
    return sum;
}

static const int64_t *whole_numbers(const struct fitted *f, const char *name)
{
    return (const int64_t *)(const void *)state_array(f, name);
}

/* The listed variables are those of the dual: inside their bounds, in balance, and as large as the
 * gap says. */
static void check_listed(const struct set *s, const struct fitted *f, double l2, bool is_free)
{
    int64_t n = *whole_numbers(f, "n_listed");
    double P = f->report.objective, balance = 0, sum = 0, square = 0, v[MATRIX_COLUMNS] = {0};
    if (n == 0) return;
    for (int64_t k = 0; k < n; k++) {
        int64_t i = whole_numbers(f, "listed")[k];
        double a = state_array(f, "alpha")[k], y = s->label[i] ? 1 : -1;
        assert_true(a > 0 && a <= weight_of(s, i) / l2 * (1 + 1e-15));
        balance += a * y;
        sum += a;
        for (int64_t j = 0; j < s->d; j++)
            v[j] += a * y * (s->x[i * s->d + j] - (is_free ? s->x[j] : 0));
    }
    if (is_free) check_near("balance", balance, 0, 1e-12 * sum);
    for (int64_t j = 0; j < s->d; j++) square += v[j] * v[j];
    check_near("the gap", P - l2 * (sum - 0.5 * square), *state_array(f, "gap"),
               1e-9 * P + 1e-12 * l2 * (sum + square));
}

static void check_set(const struct set *s, double l2, const char *more)
{
    char words[200];
    snprintf(words, sizeof words, "solver=interior tol=1e-8 l2=%g %s", l2, more);
    struct fitted a = fit_matrix(&smr_svm, words, &s->m.data, 1);
    snprintf(words, sizeof words, "solver=dual tol=1e-6 max_iter=3000 l2=%g %s", l2, more);
    struct fitted b = fit_matrix(&smr_svm, words, &s->m.data, 1);
    double noise, P = objective_of(s, &a, l2, &noise), gap = *state_array(&a, "gap");
    if (!a.report.converged) fail_msg("%s: not converged, P %.17g, gap %g", words, P, gap);
    check_near("P", a.report.objective, P, 1e-9 * P + noise);
    P = a.report.objective;
    assert_true(gap <= 1e-8 * P);
    assert_true(P <= b.report.objective + gap + 1e-9 * P);
    assert_true(P >= b.report.objective - *state_array(&b, "gap") - 1e-9 * P);
    if (b.report.converged) check_near("both", P, b.report.objective, 1.01e-6 * P);
    check_listed(s, &a, l2, !strstr(more, "fit_intercept=no"));
    end_fitted(&a);
    end_fitted(&b);
}

static void few_rows_have_the_duals_optimum(void **unused)
{
    static const double penalties[] = {1e-5, 1e-2, 1, 300};
    (void)unused;
    for (int kind = 0; kind < N_KINDS; kind++)
        for (int64_t k = 0; k < SMR_COUNT(penalties); k++)
            for (int64_t d = 1; d <= 9; d += 4) {
                struct set s;
                make_set(&s, (enum kind)kind, 20 + 41 * k, d, (uint64_t)(kind + 17 * d));
                check_set(&s, penalties[k], "");
                free_set(&s);
            }
}

static void intercept_weights_and_few_rows(void **unused)
{
    (void)unused;
    struct set s;
    make_set(&s, PLAIN, 90, 3, 5);
    check_set(&s, 0.1, "fit_intercept=no");
    check_set(&s, 1e-3, "fit_intercept=no");
    free_set(&s);
    make_set(&s, RARE, 150, 3, 5);
    struct fitted a = fit_matrix(&smr_svm, "solver=interior class_weight=balanced tol=1e-9",
                                 &s.m.data, 1),
                  b = fit_matrix(&smr_svm, "solver=dual class_weight=balanced tol=1e-7", &s.m.data,
                                 1);
    check_near("balanced", a.report.objective, b.report.objective, 2e-7 * b.report.objective);
    end_fitted(&a);
    end_fitted(&b);
    free_set(&s);
    make_set(&s, WEIGHTED, 20000, 3, 5); /* few rows with weight */
    for (int64_t i = 0; i < s.n; i++) s.weight[i] = i % 400 == 0;
    check_set(&s, 1e-2, "");
    free_set(&s);
    make_set(&s, PLAIN, 12, 20, 5); /* fewer rows than columns */
    check_set(&s, 1, "");
    check_set(&s, 1e-3, "");
    free_set(&s);
}

/* FIGURES E6, as the limit of soft margins. */
static void and_has_the_worked_margin(void **unused)
{
    (void)unused;
    const double x[8] = {1, 1, 1, 0, 0, 1, 0, 0}, alpha[3] = {4, 2, 2};
    const int32_t label[4] = {1, 0, 0, 0};
    struct matrix_data m;
    matrix_data(&m, 4, 2, 0, x, NULL, NULL);
    m.data.task = SMR_TASK_CLASSIFY;
    m.data.n_outputs = 1;
    m.data.n_classes = 2;
    m.data.label = label;
    struct fitted f = fit_matrix(&smr_svm, "solver=interior C=1e3 tol=1e-10", &m.data, 1);
    assert_true(f.report.converged);
    check_near("w0", state_array(&f, "coef")[0], 2, 1e-6);
    check_near("b", *state_array(&f, "intercept"), -3, 1e-6);
    check_near("support", *state_array(&f, "n_support"), 3, 0);
    for (int i = 0; i < 3; i++) check_near("alpha", state_array(&f, "alpha")[i], alpha[i], 1e-6);
    end_fitted(&f);
}

static void more_classes_are_one_problem_each(void **unused)
{
    (void)unused;
    struct set s;
    make_set(&s, PLAIN, 200, 4, 9);
    for (int64_t i = 0; i < s.n; i++) s.label[i] = s.x[4 * i] > 0.5 ? 3 : s.label[i];
    s.m.data.n_classes = 4; /* of which class 2 has no rows */
    struct fitted a = fit_matrix(&smr_svm, "solver=interior tol=1e-8", &s.m.data, 2),
                  b = fit_matrix(&smr_svm, "solver=dual tol=1e-7", &s.m.data, 1);
    assert_true(a.report.converged);
    check_near("objective", a.report.objective, b.report.objective, 2e-7 * b.report.objective);
    for (int j = 0; j < 16; j++)
        check_near("w", state_array(&a, "coef")[j], state_array(&b, "coef")[j], 1e-3);
    end_fitted(&a);
    end_fitted(&b);
    free_set(&s);
}

/* ---- many rows -------------------------------------------------------------------------- */

/* Some of the rows first, then all; at small tol those near the margin on their own. */
static void many_rows_have_the_duals_optimum(void **unused)
{
    static const char *const words[] = {"tol=1e-4", "tol=1e-8", "tol=1e-4 l2=1e-4"};
    static const enum kind kinds[] = {PLAIN, SEPARABLE, WEIGHTED, FAR};
    (void)unused;
    for (int64_t k = 0; k < SMR_COUNT(kinds); k++) {
        struct set s;
        make_set(&s, kinds[k], 70000, 4, 31);
        for (int64_t i = 0; i < SMR_COUNT(words); i++) {
            char text[100];
            snprintf(text, sizeof text, "solver=interior %s", words[i]);
            struct fitted one = fit_matrix(&smr_svm, text, &s.m.data, 1),
                          two = fit_matrix(&smr_svm, text, &s.m.data, 3);
            double noise, P = objective_of(&s, &one, i == 2 ? 1e-4 : 1, &noise);
            double tol = i == 1 ? 1e-8 : 1e-4;
            if (!one.report.converged) fail_msg("kind %d, %s", (int)kinds[k], words[i]);
            check_near("P", one.report.objective, P, 1e-9 * P + noise);
            assert_true(*state_array(&one, "gap") <= tol * P);
            assert_memory_equal(state_array(&one, "coef"), state_array(&two, "coef"),
                                4 * sizeof(double));
            assert_memory_equal(state_array(&one, "gap"), state_array(&two, "gap"), sizeof(double));
            check_near("support", *state_array(&one, "n_support"), *state_array(&two, "n_support"),
                       0);
            end_fitted(&one);
            end_fitted(&two);
        }
        struct fitted dual = fit_matrix(&smr_svm, "solver=dual tol=1e-3", &s.m.data, 1),
                      exact = fit_matrix(&smr_svm, "solver=interior tol=1e-7", &s.m.data, 1);
        assert_true(exact.report.objective <= dual.report.objective * (1 + 1e-7));
        assert_true(exact.report.objective >=
                    dual.report.objective - *state_array(&dual, "gap") - 1e-9);
        end_fitted(&dual);
        end_fitted(&exact);
        free_set(&s);
    }
}

/* auto takes it for tall dense rows, and the dual for few. */
static void auto_takes_it_for_tall_rows(void **unused)
{
    (void)unused;
    for (int tall = 0; tall < 2; tall++) {
        struct set s;
        make_set(&s, PLAIN, tall ? 20000 : 400, 5, 7);
        struct fitted a = fit_matrix(&smr_svm, "", &s.m.data, 1),
                      b = fit_matrix(&smr_svm, tall ? "solver=interior" : "solver=dual", &s.m.data,
                                     1);
        assert_int_equal(a.report.n_iter, b.report.n_iter);
        assert_memory_equal(state_array(&a, "coef"), state_array(&b, "coef"), 5 * sizeof(double));
        end_fitted(&a);
        end_fitted(&b);
        free_set(&s);
    }
}

/* Sparse rows, and rows of floats through an index, are the same rows. */
static void forms_agree(void **unused)
{
    enum { ROWS = 9000, COLS = 3 };
    (void)unused;
    struct set s;
    make_set(&s, PLAIN, ROWS, COLS, 3);
    int64_t *start = malloc((ROWS + 1) * sizeof *start), *rows = malloc(ROWS * sizeof *rows);
    int32_t *column = malloc(ROWS * COLS * sizeof *column);
    for (int64_t i = 0; i < ROWS; i++) {
        start[i] = i * COLS;
        rows[i] = i;
        for (int64_t j = 0; j < COLS; j++) column[i * COLS + j] = (int32_t)j;
    }
    start[ROWS] = ROWS * COLS;
    smr_csr sparse = {ROWS, COLS, start, column, s.x};
    struct fitted a = fit_matrix(&smr_svm, "solver=interior tol=1e-7", &s.m.data, 1);
    for (int way = 0; way < 2; way++) {
        smr_data data = s.m.data;
        data.rows = way ? rows : NULL;
        data.sparse = way ? NULL : &sparse;
        data.features = way ? s.m.data.features : NULL;
        struct fitted b = fit_matrix(&smr_svm, "solver=interior tol=1e-7", &data, 1);
        check_near("objective", b.report.objective, a.report.objective,
                   1.01e-7 * a.report.objective);
        end_fitted(&b);
    }
    end_fitted(&a);
    free(column);
    free(rows);
    free(start);
    free_set(&s);
}

/* ---- bad input -------------------------------------------------------------------------- */

static void refuse(const char *words, const smr_data *data, smr_status expected, const char *part,
                   int64_t memory)
{
    smr_ctx *ctx = check_ctx(1);
    void *params = make_params(ctx, &smr_svm, words), *state = NULL;
    smr_fit_report report = {0};
    check_ok(ctx, smr_state_create(ctx, &smr_svm, &state));
    if (memory > 0) check_ok(ctx, smr_ctx_set_memory_limit(ctx, memory));
    smr_status st = smr_svm.word->check_params(ctx, params);
    if (st == SMR_OK) st = smr_learner_fit(ctx, &smr_svm, params, data, state, &report);
    assert_int_equal(st, expected);
    if (!strstr(smr_ctx_message(ctx), part)) fail_msg("%s", smr_ctx_message(ctx));
    smr_fit_report_release(&report);
    smr_state_free(&smr_svm, state);
    smr_params_free(smr_svm.word, params);
    check_ctx_end(ctx);
}

static void bad_input_is_told(void **unused)
{
    (void)unused;
    struct set s;
    make_set(&s, PLAIN, 60, 3, 1);
    refuse("solver=interior loss=squared_hinge", &s.m.data, SMR_ERR_PARAM, "loss=hinge", 0);
    refuse("solver=interior margin=hard", &s.m.data, SMR_ERR_PARAM, "margin=soft", 0);
    refuse("solver=interior C=inf", &s.m.data, SMR_ERR_PARAM, "margin=soft", 0);
    refuse("solver=interior multi=max", &s.m.data, SMR_ERR_PARAM, "multi=ova", 0);
    s.x[4] = NAN;
    refuse("solver=interior", &s.m.data, SMR_ERR_DATA, "row 2, column 'x1'", 0);
    free_set(&s);
    make_set(&s, PLAIN, 50000, 3, 1);
    refuse("solver=interior", &s.m.data, SMR_ERR_NOMEM, "take solver=dual", 1 << 20);
    free_set(&s);
}

static void an_end_before_tol_is_told(void **unused)
{
    (void)unused;
    struct set s;
    make_set(&s, PLAIN, 300, 5, 1);
    for (int k = 1; k < 12; k += 3) {
        char words[80];
        snprintf(words, sizeof words, "solver=interior tol=1e-10 max_iter=%d", k);
        struct fitted f = fit_matrix(&smr_svm, words, &s.m.data, 1);
        double noise, P = objective_of(&s, &f, 1, &noise);
        assert_true(!f.report.converged && f.report.n_iter <= k);
        check_near("P", f.report.objective, P, 1e-9 * P);
        end_fitted(&f);
    }
    free_set(&s);
}

static void failing_allocations_are_survived(void **unused)
{
    (void)unused;
    struct set s;
    make_set(&s, PLAIN, 60, 3, 1);
    check_failing_fits(&smr_svm, "solver=interior tol=1e-8", &s.m.data);
    free_set(&s);
    make_set(&s, PLAIN, 9000, 1, 1);
    check_failing_fits(&smr_svm, "solver=interior tol=1e-8", &s.m.data);
    free_set(&s);
}

static int stop(void *user, const char *what, int64_t done, int64_t total, double figure)
{
    (void)what, (void)done, (void)total, (void)figure;
    return --*(int *)user < 0;
}

static void a_fit_can_be_cancelled(void **unused)
{
    (void)unused;
    struct set s;
    make_set(&s, SEPARABLE, 70000, 4, 1);
    for (int after = 0; after < 2; after++) {
        smr_ctx *ctx = check_ctx(2);
        int left = after;
        void *params = make_params(ctx, &smr_svm, "solver=interior tol=1e-9"), *state = NULL;
        smr_fit_report report = {0};
        check_ok(ctx, smr_state_create(ctx, &smr_svm, &state));
        ctx->progress = stop;
        ctx->progress_user = &left;
        if (after) smr_ctx_cancel(ctx);
        assert_int_equal(smr_learner_fit(ctx, &smr_svm, params, &s.m.data, state, &report),
                         SMR_ERR_CANCELLED);
        smr_fit_report_release(&report);
        smr_state_free(&smr_svm, state);
        smr_params_free(smr_svm.word, params);
        check_ctx_end(ctx);
    }
    free_set(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_rows_have_the_duals_optimum),
        cmocka_unit_test(intercept_weights_and_few_rows),
        cmocka_unit_test(and_has_the_worked_margin),
        cmocka_unit_test(more_classes_are_one_problem_each),
        cmocka_unit_test(many_rows_have_the_duals_optimum),
        cmocka_unit_test(auto_takes_it_for_tall_rows),
        cmocka_unit_test(forms_agree),
        cmocka_unit_test(bad_input_is_told),
        cmocka_unit_test(an_end_before_tol_is_told),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(a_fit_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
