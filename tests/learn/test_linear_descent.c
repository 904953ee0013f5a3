/* test_linear_descent.c -- linear by gradient descent and stochastic gradients, and on classes. */
#include "learn/matrix_data.h"

#include "data/table.h"
#include "learn/linear/linear.h"
#include "learn/model.h"
#include "truth/least_squares.h"

extern const smr_learner smr_linear;

enum { N = 211, D = 6 };

struct problem {
    double *x, *y;
    struct matrix_data m;
};

static void make_problem(struct problem *p, int64_t n, int64_t d, int64_t q)
{
    p->x = random_matrix(n * d, 1);
    p->y = random_matrix(n * q, 2);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < q; k++)
            for (int64_t j = 0; j < d; j++)
                p->y[i * q + k] += 3 + cos((double)(j + 2 * k)) * p->x[i * d + j];
    matrix_data(&p->m, n, d, q, p->x, p->y, NULL);
}

static void end_problem(struct problem *p)
{
    free(p->x);
    free(p->y);
}

static char last_warning[2048];

static void remember(void *user, smr_log_level level, const char *message)
{
    (void)user;
    if (level == SMR_LOG_WARNING) snprintf(last_warning, sizeof last_warning, "%s", message);
}

static struct fitted fit_listening(const char *words, const smr_data *data)
{
    struct fitted f = {.ctx = check_ctx(1), .learner = &smr_linear};
    f.ctx->log = remember;
    last_warning[0] = '\0';
    f.params = make_params(f.ctx, f.learner, words);
    check_ok(f.ctx, smr_state_create(f.ctx, f.learner, &f.state));
    check_ok(f.ctx, smr_learner_fit(f.ctx, f.learner, f.params, data, f.state, &f.report));
    return f;
}

/* ---- gradient descent ------------------------------------------------------------------- */

static void every_rule_descends_to_the_exact_solution(void **unused)
{
    (void)unused;
    static const char *const words[] = {
        "solver=gd", "solver=gd rule=fixed max_iter=5000", "solver=gd rule=backtracking",
        "solver=gd rule=fixed step=0.002 max_iter=5000", "solver=gd fit_intercept=no"};
    for (int q = 1; q < 3; q++) {
        struct problem p;
        make_problem(&p, N, D, q);
        for (int w = 0; w < SMR_COUNT(words); w++) {
            bool intercept = !strstr(words[w], "fit_intercept=no");
            struct fitted f = fit_matrix(&smr_linear, words[w], &p.m.data, 2);
            struct fitted g =
                fit_matrix(&smr_linear, intercept ? "" : "fit_intercept=no", &p.m.data, 1);
            assert_true(f.report.converged);
            for (int j = 0; j < q * D; j++)
                check_near(words[w], state_array(&f, "coef")[j], state_array(&g, "coef")[j], 1e-6);
            for (int k = 0; k < q; k++) {
                check_near("b", state_array(&f, "intercept")[k], state_array(&g, "intercept")[k],
                           1e-6);
                check_near("rss", state_array(&f, "rss")[k], state_array(&g, "rss")[k], 1e-8);
                check_near("tss", state_array(&f, "tss")[k], state_array(&g, "tss")[k], 1e-8);
            }
            check_near("objective", f.report.objective, g.report.objective, 1e-8);
            end_fitted(&f);
            end_fitted(&g);
        }
        end_problem(&p);
    }
}

/* Wide data: the rows are read at every step.  From w = 0 descent ends in the span of the rows; the
 * smallest solution through all points, b being a variable as the others, has b = sum of r. */
static void wide_data_are_fitted_exactly(void **unused)
{
    (void)unused;
    struct problem p;
    make_problem(&p, 9, 30, 2);
    struct fitted f = fit_matrix(&smr_linear, "solver=gd tol=1e-12", &p.m.data, 2);
    double out[18];
    predict_matrix(&f, 9, 30, p.x, out);
    for (int i = 0; i < 18; i++) check_near("fitted", out[i], p.y[i], 1e-6);
    assert_true(f.report.converged);
    end_fitted(&f);
    f = fit_matrix(&smr_linear, "solver=gd fit_intercept=no tol=1e-12", &p.m.data, 1);
    struct fitted g = fit_matrix(&smr_linear, "fit_intercept=no", &p.m.data, 1);
    for (int j = 0; j < 60; j++)
        check_near("least norm", state_array(&f, "coef")[j], state_array(&g, "coef")[j], 1e-6);
    end_fitted(&f);
    end_fitted(&g);
    end_problem(&p);
}

/* The curve of a fixed step below 1 / L never rises, and ends at the objective. */
static void the_curve_falls_to_the_objective(void **unused)
{
    (void)unused;
    struct problem p;
    make_problem(&p, N, D, 1);
    struct fitted f = fit_matrix(&smr_linear, "solver=gd rule=fixed max_iter=300", &p.m.data, 1);
    assert_true(f.report.n_iter > 10 && f.report.n_curve > 10);
    for (int64_t i = 1; i < f.report.n_curve; i++)
        assert_true(f.report.curve[i] <= f.report.curve[i - 1] * (1 + 1e-13));
    check_near("end", f.report.curve[f.report.n_curve - 1], f.report.objective, 1e-12);
    end_fitted(&f);
    end_problem(&p);
}

/* On orthogonal columns L is known: the largest squared length. */
static void a_step_that_is_too_long_is_answered_with_the_largest_stable_one(void **unused)
{
    (void)unused;
    double x[] = {1, 2, -1, 2, 1, -2, -1, -2}, y[] = {1, 3, -2, 0.5}; /* lengths 4 and 16 */
    struct matrix_data m;
    matrix_data(&m, 4, 2, 1, x, y, NULL);
    struct fitted f = fit_listening("solver=gd rule=fixed step=0.13 max_iter=500", &m.data);
    check_near("L", *state_array(&f, "curvature"), 16, 1e-9);
    assert_false(f.report.converged);
    assert_non_null(strstr(last_warning, "step=0.13 is too long"));
    assert_non_null(strstr(last_warning, "2 / L = 0.125"));
    end_fitted(&f);
    f = fit_listening("solver=gd rule=fixed step=0.12 max_iter=5000", &m.data);
    assert_true(f.report.converged);
    assert_string_equal(last_warning, "");
    end_fitted(&f);
    f = fit_listening("solver=gd rule=fixed step=0.001 max_iter=5", &m.data);
    assert_false(f.report.converged);
    assert_non_null(strstr(last_warning, "not converged after 5 iterations"));
    end_fitted(&f);
}

static void collinear_columns_share_the_weight(void **unused)
{
    (void)unused;
    struct problem p;
    make_problem(&p, N, D, 1);
    for (int i = 0; i < N; i++) p.x[i * D + 5] = p.x[i * D];
    struct fitted f = fit_matrix(&smr_linear, "solver=gd", &p.m.data, 1);
    struct fitted g = fit_matrix(&smr_linear, "", &p.m.data, 1);
    for (int j = 0; j < D; j++)
        check_near("least norm", state_array(&f, "coef")[j], state_array(&g, "coef")[j], 1e-6);
    end_fitted(&f);
    end_fitted(&g);
    end_problem(&p);
}

static void stochastic_gradients_come_near(void **unused)
{
    (void)unused;
    struct problem p;
    make_problem(&p, N, D, 2);
    struct fitted f = fit_matrix(&smr_linear, "solver=sgd average=yes", &p.m.data, 2);
    struct fitted g = fit_matrix(&smr_linear, "", &p.m.data, 1);
    for (int k = 0; k < 2; k++) { /* the exact one is the least there is */
        double rss = state_array(&f, "rss")[k], least = state_array(&g, "rss")[k];
        assert_true(rss < 1.05 * least && rss >= least * (1 - 1e-12));
    }
    end_fitted(&f);
    end_fitted(&g);
    end_problem(&p);
}

/* ---- classes ---------------------------------------------------------------------------- */

/* A column of 0 and 1 for each class; versicolor (-1) and virginica (1) alone. */
static void iris_gives_numpys_classifier(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = NULL;
    double x[150 * 4], decision[150 * 3];
    int32_t label[150];
    check_ok(ctx, smr_table_open(ctx, "data/iris.csv", NULL, &t));
    for (int i = 0; i < 150; i++) {
        for (int j = 0; j < 4; j++) x[i * 4 + j] = smr_column_number(&t->cols[j], i);
        label[i] = i / 50;
    }
    smr_table_free(t);
    check_ctx_end(ctx);
    for (int k = 3; k > 1; k--) {
        struct matrix_data m;
        int first = k == 3 ? 0 : 50, right = 0;
        int32_t own[150];
        for (int i = first; i < 150; i++) own[i] = label[i] - (k == 2);
        matrix_data(&m, 150 - first, 4, 0, x + first * 4, NULL, NULL);
        m.data.task = SMR_TASK_CLASSIFY;
        m.data.label = own + first;
        m.data.n_classes = k;
        struct fitted f = fit_matrix(&smr_linear, "", &m.data, 1);
        for (int c = 0; c < (k == 2 ? 1 : 3); c++) {
            const double *want = k == 2 ? iris_two : iris_three[c];
            check_near("intercept", state_array(&f, "intercept")[c], want[0], 1e-11);
            for (int j = 0; j < 4; j++)
                check_near("w", state_array(&f, "coef")[c * 4 + j], want[j + 1], 1e-11);
        }
        smr_rows rows = {
            .n = 150 - first, .d = 4, .form = SMR_FORM_F64, .x = x + first * 4, .stride = 4};
        check_ok(f.ctx, smr_linear.fitted->predict(f.ctx, f.params, f.state, &rows,
                                                   SMR_OUTPUT_DECISION, decision, NULL));
        for (int i = 0; i < 150 - first; i++) {
            const double *s = decision + i * k;
            int best = 0;
            for (int c = 1; c < k; c++)
                if (s[c] > s[best]) best = c;
            right += best == own[first + i];
            if (k == 2) assert_true(s[0] == -s[1]);
        }
        assert_int_equal(right, (int)(k == 3 ? iris_three_right : iris_two_right));
        struct fitted g = fit_matrix(&smr_linear, "solver=gd max_iter=20000", &m.data, 1);
        for (int j = 0; j < (k == 2 ? 4 : 12); j++)
            check_near("gd", state_array(&g, "coef")[j], state_array(&f, "coef")[j], 1e-6);
        end_fitted(&g);
        end_fitted(&f);
    }
}

static void every_failing_allocation_is_survived(void **unused)
{
    (void)unused;
    struct problem p;
    int32_t label[40];
    make_problem(&p, 40, 3, 2);
    for (int i = 0; i < 40; i++) label[i] = i % 3;
    check_failing_fits(&smr_linear, "solver=gd max_iter=1", &p.m.data);
    check_failing_fits(&smr_linear, "solver=sgd passes=1", &p.m.data);
    p.m.data.task = SMR_TASK_CLASSIFY;
    p.m.data.label = label;
    p.m.data.n_classes = 3;
    check_failing_fits(&smr_linear, "", &p.m.data);
    end_problem(&p);
    make_problem(&p, 5, 9, 1);
    check_failing_fits(&smr_linear, "solver=gd max_iter=1", &p.m.data);
    end_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_descends_to_the_exact_solution),
        cmocka_unit_test(wide_data_are_fitted_exactly),
        cmocka_unit_test(the_curve_falls_to_the_objective),
        cmocka_unit_test(a_step_that_is_too_long_is_answered_with_the_largest_stable_one),
        cmocka_unit_test(collinear_columns_share_the_weight),
        cmocka_unit_test(stochastic_gradients_come_near),
        cmocka_unit_test(iris_gives_numpys_classifier),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("linear_descent", tests, NULL, NULL);
}
