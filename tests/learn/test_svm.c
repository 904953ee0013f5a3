/* test_svm.c -- the learner svm: the course's figures, recorded answers, forms, bad input. */
#include "learn/matrix_data.h"

#include "math/loss.h"
#include "truth/margins.h"

extern const smr_learner smr_svm;

/* Rows, two classes and three of them, by formula, as rows_by_formula() of tests/truth/margins.py
 * has them. */
enum { N = 60, D = 3 };

struct rows {
    double x[N * D], weight[N];
    int32_t two[N], three[N];
    struct matrix_data m;
};

static void make_rows(struct rows *r, int n_classes)
{
    static const double plane[D] = {1, -2, 0.5};
    for (int i = 0; i < N; i++) {
        double z = 0.4 * sin(5.1 * i);
        for (int j = 0; j < D; j++) {
            r->x[i * D + j] = sin(1.3 * i + 2.1 * j) + 0.3 * cos(0.7 * i * (j + 1));
            z += plane[j] * r->x[i * D + j];
        }
        r->two[i] = z > 0.2;
        r->three[i] = z > 0.9 ? 2 : z > -0.5;
        r->weight[i] = 1;
    }
    matrix_data(&r->m, N, D, 0, r->x, NULL, NULL);
    r->m.data.task = SMR_TASK_CLASSIFY;
    r->m.data.n_outputs = 1;
    r->m.data.n_classes = n_classes;
    r->m.data.label = n_classes == 2 ? r->two : r->three;
}

static struct matrix_data small(int64_t n, int64_t d, const double *x, const int32_t *label)
{
    static struct matrix_data m;
    matrix_data(&m, n, d, 0, x, NULL, NULL);
    m.data.task = SMR_TASK_CLASSIFY;
    m.data.n_outputs = 1;
    m.data.n_classes = 2;
    m.data.label = label;
    return m;
}

static const char *fails(const char *words, const smr_data *data, smr_status expected)
{
    static char message[1024];
    smr_ctx *ctx = check_ctx(1);
    void *params = make_params(ctx, &smr_svm, words), *state = NULL;
    smr_fit_report report = {0};
    check_ok(ctx, smr_state_create(ctx, &smr_svm, &state));
    smr_status st = smr_svm.word->check_params(ctx, params);
    if (st == SMR_OK) st = smr_learner_fit(ctx, &smr_svm, params, data, state, &report);
    assert_int_equal(st, expected);
    snprintf(message, sizeof message, "%s", smr_ctx_message(ctx));
    smr_state_free(&smr_svm, state);
    smr_params_free(smr_svm.word, params);
    check_ctx_end(ctx);
    return message;
}

#define check_says(message, part)                                                      \
    do {                                                                               \
        const char *said_ = (message);                                                 \
        if (!strstr(said_, (part))) fail_msg("'%s' does not say '%s'", said_, (part)); \
    } while (0)

/* ---- the course's figures --------------------------------------------------------------- */

/* FIGURES E6: w = (2, 2), b = -3, width 0.7071, alpha of 11, 10, 01, 00 = 4, 2, 2, 0, primal = dual
 * = 4; E9: (-1.5, 1, 1) separates it. */
static void and_has_the_worked_margin(void **unused)
{
    (void)unused;
    const double x[8] = {1, 1, 1, 0, 0, 1, 0, 0}, alpha[3] = {4, 2, 2};
    const int32_t label[4] = {1, 0, 0, 0};
    struct matrix_data m = small(4, 2, x, label);
    for (int way = 0; way < 3; way++) {
        const char *words = way == 0   ? "margin=hard"
                            : way == 1 ? "C=inf"
                                       : "C=1e3 tol=1e-10"; /* C -> inf: the hard margin */
        struct fitted f = fit_matrix(&smr_svm, words, &m.data, 1);
        assert_true(f.report.converged);
        check_near("w0", state_array(&f, "coef")[0], 2, 1e-9);
        check_near("w1", state_array(&f, "coef")[1], 2, 1e-9);
        check_near("b", *state_array(&f, "intercept"), -3, 1e-9);
        check_near("primal", *state_array(&f, "objective") * (way == 2 ? 1e3 : 1), 4, 1e-8);
        check_near("gap", *state_array(&f, "gap"), 0, 1e-9);
        check_near("support", *state_array(&f, "n_support"), 3, 0);
        check_near("slack 0", *state_array(&f, "n_met"), 4, 0);
        for (int i = 0; i < 3; i++)
            check_near("alpha", state_array(&f, "alpha")[i], alpha[i], 1e-8);
        smr_json_doc *doc = describe_fitted(&f, &m.data);
        check_near("width", smr_json_get_number(smr_json_root(doc), "width", NAN),
                   0.70710678118654752, 1e-9);
        check_near("geometric", smr_json_get_number(smr_json_root(doc), "geometric_margin", NAN),
                   0.35355339059327376, 1e-9);
        smr_json_free(doc);
        end_fitted(&f);
    }
}

/* E9: NOT is separable, XOR is not, and is without one of its rows; so are n + 1 points in general
 * position in n dimensions, whatever their classes. */
static void separability_is_decided(void **unused)
{
    (void)unused;
    const double flip[2] = {0, 1}, corner[8] = {1, 1, 1, 0, 0, 1, 0, 0};
    const int32_t not [2] = {1, 0}, xor[4] = {
                                        0, 1, 1, 0};
    struct matrix_data m = small(2, 1, flip, not );
    struct fitted f = fit_matrix(&smr_svm, "margin=hard", &m.data, 1);
    check_near("w", *state_array(&f, "coef"), -2, 1e-12);
    check_near("b", *state_array(&f, "intercept"), 1, 1e-12);
    end_fitted(&f);
    m = small(4, 2, corner, xor);
    const char *said = fails("margin=hard", &m.data, SMR_ERR_DATA);
    check_says(said, "not separable: no hyperplane divides class 0 from class 1, as a mixture of "
                     "rows 2 and 3 equals one of rows 1 and 4");
    check_says(said, "leaving out 1 of the 4 rows");
    double *x = random_matrix(6 * 5, 3);
    for (int classes = 1; classes < 63; classes++) { /* 6 points in 5 dimensions */
        int32_t label[6];
        for (int i = 0; i < 6; i++) label[i] = classes >> i & 1;
        m = small(6, 5, x, label);
        f = fit_matrix(&smr_svm, "margin=hard", &m.data, 1);
        for (int i = 0; i < 6; i++) {
            double s = *state_array(&f, "intercept");
            for (int j = 0; j < 5; j++) s += state_array(&f, "coef")[j] * x[i * 5 + j];
            assert_true((label[i] ? s : -s) >= 1 - 1e-9);
        }
        check_near("gap", *state_array(&f, "gap"), 0, 1e-7 * *state_array(&f, "objective"));
        end_fitted(&f);
    }
    free(x);
}

static void without_price_nothing_is_learned(void **unused)
{
    (void)unused;
    static struct rows r;
    make_rows(&r, 2);
    struct fitted f = fit_matrix(&smr_svm, "C=0", &r.m.data, 1);
    for (int j = 0; j < D; j++) check_near("w", state_array(&f, "coef")[j], 0, 0);
    check_near("b", *state_array(&f, "intercept"), -1, 0); /* 32 of 60 rows */
    end_fitted(&f);
}

/* ---- recorded answers ------------------------------------------------------------------- */

static void two_classes_match_recorded_answers(void **unused)
{
    (void)unused;
    static struct rows r;
    make_rows(&r, 2);
    for (int k = 0; k < SMR_COUNT(svm_truth); k++) {
        const char *words = svm_truth[k].words;
        struct fitted f = fit_matrix(&smr_svm, words, &r.m.data, 2);
        if (!f.report.converged) fail_msg("%s did not converge", words);
        for (int j = 0; j < D; j++)
            check_near(words, state_array(&f, "coef")[j], svm_truth[k].coef[j], 1e-6);
        check_near(words, *state_array(&f, "intercept"), svm_truth[k].intercept, 1e-6);
        check_near(words, f.report.objective, svm_truth[k].objective, 1e-9);
        if (svm_truth[k].n_support > 0)
            check_near(words, *state_array(&f, "n_support"), svm_truth[k].n_support, 0);
        check_near("rows",
                   *state_array(&f, "n_met") + *state_array(&f, "n_inside") +
                       *state_array(&f, "n_wrong"),
                   N, 0);
        end_fitted(&f);
    }
}

/* (2) of svm.c from the definition, with the losses of MISSION E7. */
static double many_objective(const struct rows *r, smr_loss_id loss, const double *W,
                             const double *b)
{
    double f = 0;
    for (int e = 0; e < 3 * D; e++) f += 0.5 * W[e] * W[e];
    for (int i = 0; i < N; i++) {
        double score[3], value;
        for (int c = 0; c < 3; c++) {
            score[c] = b[c];
            for (int j = 0; j < D; j++) score[c] += W[c * D + j] * r->x[i * D + j];
        }
        smr_loss_classes(&smr_losses[loss], 1, 3, &r->three[i], score, &value, NULL);
        f += value;
    }
    return f;
}

static void many_classes_match_recorded_answers(void **unused)
{
    (void)unused;
    static struct rows r;
    make_rows(&r, 3);
    for (size_t k = 0; k < (size_t)SMR_COUNT(svm_many_truth); k++) {
        char words[64];
        snprintf(words, sizeof words, "%s tol=1e-11 max_iter=1000000", svm_many_truth[k].words);
        struct fitted f = fit_matrix(&smr_svm, words, &r.m.data, 2);
        smr_loss_id loss = strstr(words, "multi=max") ? SMR_LOSS_HINGE_MAX : SMR_LOSS_HINGE_SUM;
        const double *W = state_array(&f, "coef"), *b = state_array(&f, "intercept");
        if (!f.report.converged) fail_msg("%s did not converge", words);
        check_near(words, f.report.objective, svm_many_truth[k].objective, 1e-9);
        check_near(words, f.report.objective, many_objective(&r, loss, W, b), 1e-12);
        check_near(words, W[0], svm_many_truth[k].w0, 1e-5);
        check_near(words, W[4], svm_many_truth[k].w4, 1e-5);
        check_near(words, W[8], svm_many_truth[k].w8, 1e-5);
        end_fitted(&f);
    }
}

/* Each class against the others is the two-class problem with that class. */
static void ova_solves_one_problem_a_class(void **unused)
{
    (void)unused;
    static struct rows r;
    make_rows(&r, 3);
    struct fitted all = fit_matrix(&smr_svm, "tol=1e-12", &r.m.data, 2);
    for (int c = 0; c < 3; c++) {
        int32_t label[N];
        for (int i = 0; i < N; i++) label[i] = r.three[i] == c;
        struct matrix_data m = small(N, D, r.x, label);
        struct fitted one = fit_matrix(&smr_svm, "tol=1e-12", &m.data, 1);
        for (int j = 0; j < D; j++)
            assert_true(state_array(&all, "coef")[c * D + j] == state_array(&one, "coef")[j]);
        assert_true(state_array(&all, "intercept")[c] == *state_array(&one, "intercept"));
        assert_true(state_array(&all, "objective")[c] == one.report.objective);
        end_fitted(&one);
    }
    end_fitted(&all);
}

/* ---- forms and weights ------------------------------------------------------------------ */

/* Bytes, floats, doubles and sparse rows of the same numbers give the same w; so does a model of
 * some rows through an index. */
static void forms_agree(void **unused)
{
    (void)unused;
    enum { M = 45, E = 6 };
    static double x[M * E], value[M * E];
    static float floats[M * E];
    static uint8_t bytes[M * E];
    static int32_t label[M], column[M * E];
    static int64_t start[M + 1], back[M];
    int64_t used = 0;
    for (int i = 0; i < M; i++) {
        int sum = 0;
        for (int j = 0; j < E; j++) {
            int v = (i * 7 + j * j * 5 + i * j * 3) % 11;
            v = v > 4 ? 0 : v;
            sum += v * (j % 2 ? -1 : 1);
            x[i * E + j] = floats[i * E + j] = bytes[i * E + j] = (uint8_t)v;
            if (v) column[used] = j, value[used++] = v;
        }
        start[i + 1] = used;
        label[i] = sum + i % 3 > 1;
        back[i] = i;
    }
    const char *const sentences[] = {"C=0.4 tol=1e-11",
                                     "C=0.4 tol=1e-11 loss=squared_hinge solver=dual",
                                     "C=0.4 tol=1e-9 loss=squared_hinge solver=primal"};
    for (int way = 0; way < 3; way++) {
        double first[E + 1];
        for (int form = 0; form < 5; form++) {
            struct matrix_data m = small(M, E, x, label);
            smr_csr sparse = {M, E, start, column, value};
            for (int j = 0; j < E && form < 3; j++) {
                if (form == 1) m.features[j].dtype = SMR_F32, m.features[j].values = floats + j;
                if (form == 2) m.features[j].dtype = SMR_U8, m.features[j].values = bytes + j;
            }
            m.data.features = form >= 3 ? NULL : m.features;
            if (form >= 3) m.data.sparse = &sparse;
            if (form == 4) m.data.rows = back;
            struct fitted f = fit_matrix(&smr_svm, sentences[way], &m.data, 1);
            for (int j = 0; j <= E; j++) {
                double got = j < E ? state_array(&f, "coef")[j] : *state_array(&f, "intercept");
                if (form == 0) first[j] = got;
                check_near("weight", got, first[j], 1e-5);
            }
            end_fitted(&f);
        }
    }
}

static void weight_two_is_the_row_twice(void **unused)
{
    (void)unused;
    static struct rows r;
    static double x[2 * N * D], weight[2 * N];
    static int32_t label[2 * N];
    const char *const sentences[] = {"tol=1e-12", "loss=squared_hinge tol=1e-10",
                                     "loss=squared_hinge solver=dual tol=1e-13", "margin=hard",
                                     "multi=max tol=1e-11 max_iter=1000000"};
    for (int way = 0; way < 5; way++) {
        int k = way == 4 ? 3 : 2, n = 0;
        make_rows(&r, k);
        for (int i = 0; i < N; i++) {
            double m = r.m.data.label[i];
            if (way == 3 && r.x[i * D + 1] * (m ? -1 : 1) < 0.4)
                r.weight[i] = 0;
            else
                r.weight[i] = 1 + i % 2;
            for (int copy = 0; copy < (r.weight[i] > 0 ? 1 + i % 2 : 0); copy++, n++) {
                memcpy(x + n * D, r.x + i * D, D * sizeof *x);
                label[n] = r.m.data.label[i];
                weight[n] = 1;
            }
        }
        struct matrix_data m = small(n, D, x, label);
        m.data.n_classes = k;
        m.data.weight = weight;
        r.m.data.weight = r.weight;
        struct fitted a = fit_matrix(&smr_svm, sentences[way], &r.m.data, 1),
                      b = fit_matrix(&smr_svm, sentences[way], &m.data, 1);
        for (int j = 0; j < D * (k == 2 ? 1 : 3); j++)
            check_near(sentences[way], state_array(&a, "coef")[j], state_array(&b, "coef")[j],
                       1e-5);
        check_near("objective", a.report.objective, b.report.objective, 1e-9);
        check_near("slack 0", *state_array(&a, "n_met"), *state_array(&b, "n_met"), 0);
        end_fitted(&a);
        end_fitted(&b);
    }
}

/* More columns than the exact method takes: the dual finds the same hard margin. */
static void wide_rows_have_a_hard_margin_too(void **unused)
{
    (void)unused;
    enum { ROWS = 300, WIDE = 400 };
    smr_ctx *ctx = check_ctx(2);
    double *x = random_matrix(ROWS * WIDE, 11);
    static int32_t label[ROWS];
    static int64_t start[ROWS + 1];
    int32_t *column = malloc(ROWS * WIDE * sizeof *column);
    for (int i = 0; i < ROWS; i++) {
        label[i] = x[i * WIDE] + 0.2 * x[i * WIDE + 1] > 0.1;
        start[i + 1] = (i + 1) * WIDE;
        for (int j = 0; j < WIDE; j++) column[i * WIDE + j] = j;
    }
    smr_csr sparse = {ROWS, WIDE, start, column, x};
    smr_data data = {.size = sizeof data,
                     .n_rows = ROWS,
                     .n_features = WIDE,
                     .sparse = &sparse,
                     .task = SMR_TASK_CLASSIFY,
                     .n_outputs = 1,
                     .n_classes = 2,
                     .label = label};
    struct fitted f = fit_matrix(&smr_svm, "margin=hard tol=1e-8", &data, 1);
    assert_true(f.report.converged);
    check_near("gap", *state_array(&f, "gap"), 0, 1e-8 * f.report.objective);
    for (int i = 0; i < ROWS; i++) {
        double s = *state_array(&f, "intercept");
        for (int j = 0; j < WIDE; j++) s += state_array(&f, "coef")[j] * x[i * WIDE + j];
        assert_true((label[i] ? s : -s) >= 1 - 1e-9);
    }
    end_fitted(&f);
    free(column);
    free(x);
    check_ctx_end(ctx);
}

/* ---- bad input -------------------------------------------------------------------------- */

static void bad_input_is_told(void **unused)
{
    (void)unused;
    static struct rows r;
    make_rows(&r, 2);
    const smr_data *data = &r.m.data;
    check_says(fails("solver=primal", data, SMR_ERR_PARAM), "loss=squared_hinge");
    check_says(fails("margin=hard loss=squared_hinge", data, SMR_ERR_PARAM), "pays no loss");
    check_says(fails("C=inf solver=primal loss=squared_hinge", data, SMR_ERR_PARAM),
               "no solver=primal");
    check_says(fails("multi=max loss=squared_hinge", data, SMR_ERR_PARAM), "goes with loss=hinge");
    check_says(fails("multi=sum margin=hard", data, SMR_ERR_PARAM), "goes with multi=ova");
    int other = 10;
    while (r.two[other] == r.two[9]) other++;
    char pair[80];
    snprintf(pair, sizeof pair, "row 10 of class %d and row %d of class %d are the same", r.two[9],
             other + 1, r.two[other]);
    double its[D];
    memcpy(its, r.x + other * D, sizeof its);
    memcpy(r.x + other * D, r.x + 9 * D, sizeof its);
    check_says(fails("margin=hard", data, SMR_ERR_DATA), pair);
    check_says(fails("C=inf fit_intercept=no", data, SMR_ERR_DATA), pair);
    memcpy(r.x + other * D, its, sizeof its);
    r.x[4 * D + 1] = INFINITY;
    check_says(fails("", data, SMR_ERR_DATA), "row 5, column 'x1'");
    check_says(fails("loss=squared_hinge", data, SMR_ERR_DATA), "row 5, column 'x1'");
    r.x[4 * D + 1] = 0;
    for (int i = 0; i < N; i++) r.two[i] = 1;
    check_says(fails("", data, SMR_ERR_DATA), "same class");
    for (int i = 0; i < N; i++) r.weight[i] = 0;
    r.m.data.weight = r.weight;
    check_says(fails("", data, SMR_ERR_DATA), "all weights are 0");
    r.weight[7] = -1;
    check_says(fails("", data, SMR_ERR_DATA), "row 8");
}

static void failing_allocations_are_survived(void **unused)
{
    (void)unused;
    static struct rows r;
    make_rows(&r, 3);
    check_failing_fits(&smr_svm, "", &r.m.data);
    check_failing_fits(&smr_svm, "multi=max class_weight=balanced", &r.m.data);
    make_rows(&r, 2);
    check_failing_fits(&smr_svm, "loss=squared_hinge solver=primal", &r.m.data);
    for (int i = 0; i < N; i++) r.two[i] = r.x[i * D] > 0.1;
    check_failing_fits(&smr_svm, "margin=hard", &r.m.data);
}

/* The intercept is free, so that where the origin lies changes b alone. */
static void rows_far_from_zero_have_the_same_weights(void **unused)
{
    static const char *const words[] = {"tol=1e-8", "multi=sum tol=1e-5", "multi=max tol=1e-5",
                                        "solver=dual loss=squared_hinge tol=1e-8"};
    (void)unused;
    for (int k = 0; k < 8; k++) {
        struct rows r;
        double far[N * D], b[3] = {0}, before[3 * D];
        int n_classes = k % 2 ? 3 : 2, n_scores = k % 2 ? 3 : 1;
        make_rows(&r, n_classes);
        struct fitted f = fit_matrix(&smr_svm, words[k / 2], &r.m.data, 1);
        memcpy(before, state_array(&f, "coef"), (size_t)(n_scores * D) * sizeof *before);
        for (int c = 0; c < n_scores; c++) {
            b[c] = state_array(&f, "intercept")[c];
            for (int j = 0; j < D; j++) b[c] -= before[c * D + j] * (1000 + 300 * j);
        }
        end_fitted(&f);
        for (int i = 0; i < N * D; i++) far[i] = r.x[i] + 1000 + 300 * (i % D);
        struct matrix_data m;
        matrix_data(&m, N, D, 0, far, NULL, NULL);
        m.data.task = SMR_TASK_CLASSIFY;
        m.data.n_outputs = 1;
        m.data.n_classes = n_classes;
        m.data.label = r.m.data.label;
        f = fit_matrix(&smr_svm, words[k / 2], &m.data, 2);
        assert_true(f.report.converged);
        for (int i = 0; i < n_scores * D; i++)
            check_near("w", state_array(&f, "coef")[i], before[i], 1e-2);
        for (int c = 0; c < n_scores; c++)
            check_near("b", state_array(&f, "intercept")[c], b[c], 1e-2 * fabs(b[c]));
        end_fitted(&f);
    }
}

/* Columns that few rows have, with large values: their rows are met at once, and what is met has no
 * curvature.  Newton's region once shrank until the step passed none of them. */
static void rare_columns_do_not_stop_the_squared_hinge(void **unused)
{
    enum { ROWS = 300, COLS = 40, COMMON = 8 };
    static double x[ROWS * COLS];
    static int32_t label[ROWS];
    (void)unused;
    for (int i = 0; i < ROWS; i++) {
        double z = 0.5 * sin(5.1 * i);
        for (int j = 0; j < COLS; j++) {
            double wave = sin(1.3 * i + 2.1 * j) + 0.3 * cos(0.7 * i * (j + 1));
            x[i * COLS + j] = j < COMMON ? wave : (7 * i + 3) % 151 == 3 * j ? 12 + 9 * wave : 0;
            z += j < COMMON ? wave * cos(3.0 * j) : 0;
        }
        label[i] = z > 0.2;
    }
    struct matrix_data m = small(ROWS, COLS, x, label);
    struct fitted primal =
        fit_matrix(&smr_svm, "loss=squared_hinge solver=primal tol=1e-9", &m.data, 1);
    struct fitted dual =
        fit_matrix(&smr_svm, "loss=squared_hinge solver=dual tol=1e-10", &m.data, 1);
    assert_true(primal.report.converged && dual.report.converged);
    assert_in_range(primal.report.n_iter, 2, 20);
    check_near("objective", primal.report.objective, dual.report.objective, 1e-7);
    end_fitted(&primal);
    end_fitted(&dual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(and_has_the_worked_margin),
        cmocka_unit_test(separability_is_decided),
        cmocka_unit_test(without_price_nothing_is_learned),
        cmocka_unit_test(two_classes_match_recorded_answers),
        cmocka_unit_test(many_classes_match_recorded_answers),
        cmocka_unit_test(ova_solves_one_problem_a_class),
        cmocka_unit_test(forms_agree),
        cmocka_unit_test(weight_two_is_the_row_twice),
        cmocka_unit_test(wide_rows_have_a_hard_margin_too),
        cmocka_unit_test(bad_input_is_told),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(rows_far_from_zero_have_the_same_weights),
        cmocka_unit_test(rare_columns_do_not_stop_the_squared_hinge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
