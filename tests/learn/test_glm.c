/* test_glm.c -- the learners poisson and gamma: closed forms, optimality, scikit-learn's
 * coefficients, standard errors, exposures, bad targets. */
#include "learn/robust_data.h"
#include "pipeline.h"
#include "truth/link.h"

extern const smr_learner smr_poisson, smr_gamma;

/* ---- closed forms ----------------------------------------------------------------------- */

/* One indicator: the means are those of the two groups; the errors are known. */
static void two_groups_have_their_means(void **unused)
{
    (void)unused;
    double x[7] = {0, 0, 0, 1, 1, 1, 1}, y[7] = {2, 3, 7, 1, 0, 5, 4}, out[2], both[2] = {0, 1};
    struct matrix_data m;
    matrix_data(&m, 7, 1, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_poisson, "tol=1e-14", &m.data, 1);
    predict_matrix(&f, 2, 1, both, out);
    check_near("mean 0", out[0], 4, 1e-12);
    check_near("mean 1", out[1], 2.5, 1e-12);
    check_near("w", *state_array(&f, "coef"), log(2.5 / 4), 1e-12);
    check_near("error of w", *state_array(&f, "std_error"), sqrt(1 / 12.0 + 1 / 10.0), 1e-10);
    check_near("error of b", *state_array(&f, "intercept_error"), sqrt(1 / 12.0), 1e-10);
    double pearson = (4 + 1 + 9) / 4.0 + (2.25 + 6.25 + 6.25 + 2.25) / 2.5;
    check_near("dispersion", *state_array(&f, "dispersion"), pearson / 5, 1e-10);
    end_fitted(&f);
    f = fit_matrix(&smr_poisson, "tol=1e-14 errors=quasi", &m.data, 1);
    check_near("w", *state_array(&f, "coef"), log(2.5 / 4), 1e-12);
    check_near("quasi error of w", *state_array(&f, "std_error"),
               sqrt(pearson / 5 * (1 / 12.0 + 1 / 10.0)), 1e-10);
    check_near("quasi error of b", *state_array(&f, "intercept_error"), sqrt(pearson / 5 / 12.0),
               1e-10);
    end_fitted(&f);
    y[4] = 10;
    f = fit_matrix(&smr_gamma, "tol=1e-14", &m.data, 1);
    predict_matrix(&f, 2, 1, both, out);
    check_near("mean 0", out[0], 4, 1e-12);
    check_near("mean 1", out[1], 5, 1e-12);
    pearson = (4 + 1 + 9) / 16.0 + (16 + 25 + 0 + 1) / 25.0;
    check_near("dispersion", *state_array(&f, "dispersion"), pearson / 5, 1e-10);
    check_near("error of w", *state_array(&f, "std_error"), sqrt(pearson / 5 * (1 / 3.0 + 0.25)),
               1e-10);
    end_fitted(&f);
}

/* Far from 0 the gradient's rounding is above tol: the end is where no step shortens it, and not
 * after all the iterations allowed. */
static void columns_far_from_zero_end_where_rounding_says(void **unused)
{
    (void)unused;
    double x[7] = {0, 0, 0, 1, 1, 1, 1}, y[7] = {2, 3, 7, 1, 0.5, 5, 4};
    struct matrix_data m;
    const smr_learner *const learners[] = {&smr_poisson, &smr_gamma};
    for (int k = 0; k < 2; k++)
        for (int far = 0; far < 4; far++) {
            static const double origin[] = {4321.125, 23456.789, 0, 1e9};
            double shifted[7];
            for (int i = 0; i < 7; i++) shifted[i] = far == 2 ? 0 : x[i] + origin[far];
            matrix_data(&m, 7, 1, 1, shifted, y, NULL);
            struct fitted f = fit_matrix(learners[k], "", &m.data, 1);
            assert_true(f.report.converged);
            assert_in_range(f.report.n_iter, 0, 30);
            check_near("w", *state_array(&f, "coef"), far == 2 ? 0 : log(10.5 / 4 / 4), 1e-4);
            end_fitted(&f);
        }
}

/* ---- optimality ------------------------------------------------------------------------- */

/* sum weight s (m - y) x + l2 w = -l1 sign w, s = 1 for counts, 1 / m for gamma. */
static void check_optimal(const smr_learner *learner, const char *words, const double *x,
                          const double *y, const double *weight, int64_t n, int64_t d, double l1,
                          double l2)
{
    struct matrix_data m;
    double *out = malloc((size_t)n * sizeof *out), sum = 0;
    matrix_data(&m, n, d, 1, x, y, weight);
    struct fitted f = fit_matrix(learner, words, &m.data, 2);
    assert_true(f.report.converged);
    predict_matrix(&f, n, d, x, out);
    for (int64_t i = 0; i < n; i++) {
        out[i] = (weight ? weight[i] : 1) * (out[i] - y[i]) / (learner == &smr_gamma ? out[i] : 1);
        sum += out[i];
    }
    check_near("in b", sum / (double)n, 0, 1e-8);
    for (int64_t j = 0; j < d; j++) {
        double w = state_array(&f, "coef")[j], g = l2 * w;
        for (int64_t i = 0; i < n; i++) g += out[i] * x[i * d + j];
        if (w == 0 && l1 > 0)
            assert_true(fabs(g) <= l1 * (1 + 1e-6));
        else
            check_near("in w", (g + (w > 0 ? l1 : -l1)) / (double)n, 0, 1e-8);
    }
    end_fitted(&f);
    free(out);
}

static void gradient_vanishes_with_and_without_penalties(void **unused)
{
    (void)unused;
    struct robust_data t;
    robust_data(&t);
    const smr_learner *learners[] = {&smr_poisson, &smr_gamma};
    for (int k = 0; k < 2; k++) {
        const double *y = k ? t.sizes : t.counts;
        check_optimal(learners[k], "", t.x, y, NULL, ROBUST_N, ROBUST_D, 0, 0);
        check_optimal(learners[k], "", t.x, y, t.weight, ROBUST_N, ROBUST_D, 0, 0);
        check_optimal(learners[k], "l2=7.5", t.x, y, t.weight, ROBUST_N, ROBUST_D, 0, 7.5);
        check_optimal(learners[k], "l1=20 l2=2", t.x, y, t.weight, ROBUST_N, ROBUST_D, 20, 2);
    }
}

/* So many rows that a sample is fitted first. */
static void many_rows_reach_the_same_conditions(void **unused)
{
    (void)unused;
    enum { N = 43000, D = 4 };
    double *x = random_matrix(N * D, 3), *y = random_matrix(N, 4);
    for (int64_t i = 0; i < N; i++)
        y[i] = floor(exp(0.2 * x[i * D] - 0.4 * x[i * D + 1] + 1) * (1 + 0.3 * y[i]) + 0.5);
    for (int64_t i = 0; i < N; i++) y[i] = fmax(y[i], 0);
    check_optimal(&smr_poisson, "l2=1", x, y, NULL, N, D, 0, 1);
    free(y);
    free(x);
}

/* More columns than the dense Hessian is used for. */
static void many_columns_reach_the_same_conditions(void **unused)
{
    (void)unused;
    enum { N = 60, D = 1100 };
    double *x = random_matrix(N * D, 5), y[N], out[N], sum = 0;
    smr_feature *features = calloc(D, sizeof *features);
    for (int64_t i = 0; i < N; i++) y[i] = (double)(i * i % 7);
    for (int64_t j = 0; j < D; j++)
        features[j] =
            (smr_feature){.kind = SMR_NUMBER, .dtype = SMR_F64, .values = x + j, .stride = D};
    smr_data data = {.size = sizeof data,
                     .n_rows = N,
                     .n_features = D,
                     .features = features,
                     .refuse_missing = true,
                     .task = SMR_TASK_REGRESS,
                     .n_outputs = 1,
                     .y = y};
    struct fitted f = fit_matrix(&smr_poisson, "l2=100", &data, 1);
    predict_matrix(&f, N, D, x, out);
    for (int64_t i = 0; i < N; i++) sum += out[i] - y[i];
    check_near("in b", sum, 0, 1e-4);
    for (int64_t j = 0; j < D; j++) {
        double g = 100 * state_array(&f, "coef")[j];
        for (int64_t i = 0; i < N; i++) g += (out[i] - y[i]) * x[i * D + j];
        check_near("in w", g, 0, 1e-4);
    }
    end_fitted(&f);
    free(features);
    free(x);
}

/* ---- tests/truth/link.py ---------------------------------------------------------------- */

/* Their objective is 1/2 the mean deviance + a/2 |w|^2: l2 = a times the sum of the weights. */
static void coefficients_are_scikit_learns(void **unused)
{
    (void)unused;
    struct robust_data t;
    struct matrix_data m;
    robust_data(&t);
    for (int64_t k = 0; k < SMR_COUNT(glm_truth); k++) {
        matrix_data(&m, ROBUST_N, ROBUST_D, 1, t.x, glm_truth[k].gamma ? t.sizes : t.counts,
                    glm_truth[k].weighted ? t.weight : NULL);
        struct fitted f = fit_matrix(glm_truth[k].gamma ? &smr_gamma : &smr_poisson,
                                     glm_truth[k].words, &m.data, 1);
        for (int j = 0; j < ROBUST_D; j++)
            check_near("w", state_array(&f, "coef")[j], glm_truth[k].coef[j], 1e-9);
        check_near("b", *state_array(&f, "intercept"), glm_truth[k].intercept, 1e-9);
        check_near("D2", 1 - *state_array(&f, "deviance") / *state_array(&f, "null_deviance"),
                   glm_truth[k].d2, 1e-9);
        end_fitted(&f);
    }
}

/* ---- properties ------------------------------------------------------------------------- */

/* Counts over an exposure: rates with the exposure as weight.  Rows of one exposure each, whose
 * counts are summed, give the same fit. */
static void exposure_is_a_weight(void **unused)
{
    (void)unused;
    enum { N = 60 };
    double x[N], y[N], rate[N / 3], at[N / 3], weight[N / 3];
    struct matrix_data m;
    for (int i = 0; i < N; i++) {
        x[i] = sin(2.1 * (double)(i / 3));
        y[i] = floor(5 + 3 * sin(5.3 * i) + x[i]);
    }
    for (int i = 0; i < N / 3; i++) {
        at[i] = x[3 * i];
        weight[i] = 3;
        rate[i] = (y[3 * i] + y[3 * i + 1] + y[3 * i + 2]) / 3;
    }
    matrix_data(&m, N, 1, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_poisson, "", &m.data, 1);
    matrix_data(&m, N / 3, 1, 1, at, rate, weight);
    struct fitted g = fit_matrix(&smr_poisson, "", &m.data, 1);
    check_near("w", *state_array(&g, "coef"), *state_array(&f, "coef"), 1e-10);
    check_near("error", *state_array(&g, "std_error"), *state_array(&f, "std_error"), 1e-8);
    end_fitted(&g);
    end_fitted(&f);
}

static void large_and_small_means_do_not_overflow(void **unused)
{
    (void)unused;
    double x[40], y[40], out[2], far[2] = {1e300, -1e300};
    struct matrix_data m;
    for (int i = 0; i < 40; i++) {
        x[i] = i - 20;
        y[i] = exp(7.5 * x[i]) * (1 + 0.1 * sin(i)); /* 1e-65 .. 1e61 */
    }
    matrix_data(&m, 40, 1, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_gamma, "", &m.data, 1);
    check_near("w", *state_array(&f, "coef"), 7.5, 1e-2);
    predict_matrix(&f, 2, 1, far, out);
    assert_true(isfinite(out[0]) && out[0] > 1e300 && out[1] == 0);
    end_fitted(&f);
}

/* ---- bad data --------------------------------------------------------------------------- */

static void check_refused(const smr_learner *learner, const smr_data *data, const char *part)
{
    smr_ctx *ctx = check_ctx(1);
    void *params = make_params(ctx, learner, ""), *state = NULL;
    smr_fit_report report = {0};
    check_ok(ctx, smr_state_create(ctx, learner, &state));
    check_fails(ctx, smr_learner_fit(ctx, learner, params, data, state, &report), SMR_ERR_DATA,
                part);
    smr_fit_report_release(&report);
    smr_state_free(learner, state);
    smr_params_free(learner->word, params);
    check_ctx_end(ctx);
}

static void targets_outside_the_family_are_named(void **unused)
{
    (void)unused;
    double x[4] = {1, 2, 3, 5}, y[4] = {2, 0, -3, 1}, zero[4] = {0, 0, 0, 0};
    struct matrix_data m;
    matrix_data(&m, 4, 1, 1, x, y, NULL);
    check_refused(&smr_poisson, &m.data, "the target of row 3 is -3, and must be 0 or more");
    check_refused(&smr_gamma, &m.data, "the target of row 2 is 0, and must be more than 0");
    matrix_data(&m, 4, 1, 1, x, zero, NULL);
    check_refused(&smr_poisson, &m.data, "every target is 0");
}

static void dependent_columns_are_named(void **unused)
{
    (void)unused;
    enum { N = 80, D = 3 };
    double *x = random_matrix(N * D, 7), y[N];
    struct matrix_data m;
    struct heard heard;
    for (int i = 0; i < N; i++) {
        x[i * D + 2] = 3 * x[i * D] - 1;
        y[i] = i % 5;
    }
    matrix_data(&m, N, D, 1, x, y, NULL);
    smr_ctx *ctx = hearing_ctx(&heard);
    struct fitted f = {
        .ctx = ctx, .learner = &smr_poisson, .params = make_params(ctx, &smr_poisson, "")};
    check_ok(ctx, smr_state_create(ctx, &smr_poisson, &f.state));
    check_ok(ctx, smr_learner_fit(ctx, &smr_poisson, f.params, &m.data, f.state, &f.report));
    check_heard(&heard, "2 of 3 columns add nothing to the others: 'x0', 'x2'");
    assert_true(isfinite(state_array(&f, "std_error")[1]));
    end_fitted(&f);
    free(x);
}

/* A feature seen with targets of 0 alone: its coefficient goes to minus infinity. */
static void no_finite_optimum_is_told_or_penalised(void **unused)
{
    (void)unused;
    enum { N = 30 };
    double x[N], y[N];
    struct matrix_data m;
    for (int i = 0; i < N; i++) {
        x[i] = i % 3 == 0;
        y[i] = i % 3 == 0 ? 0 : 1 + i % 4;
    }
    matrix_data(&m, N, 1, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_poisson, "", &m.data, 1);
    assert_true(*state_array(&f, "coef") < -10);
    end_fitted(&f);
    check_optimal(&smr_poisson, "l2=1", x, y, NULL, N, 1, 0, 1);
}

/* ---- the rest --------------------------------------------------------------------------- */

static void inspect_shows_factors(void **unused)
{
    (void)unused;
    struct robust_data t;
    struct matrix_data m;
    robust_data(&t);
    matrix_data(&m, ROBUST_N, ROBUST_D, 1, t.x, t.counts, NULL);
    struct fitted f = fit_matrix(&smr_poisson, "", &m.data, 1);
    smr_json_doc *doc = describe_fitted(&f, &m.data);
    const smr_json *list = smr_json_get(smr_json_root(doc), "coefficients");
    assert_non_null(list);
    check_near("d2", smr_json_get_number(smr_json_root(doc), "d2", NAN), glm_truth[0].d2, 1e-9);
    smr_json_free(doc);
    end_fitted(&f);
}

static void every_allocation_may_fail(void **unused)
{
    (void)unused;
    double *x = random_matrix(60, 91), y[30];
    struct matrix_data m;
    for (int i = 0; i < 30; i++) y[i] = 1 + i % 4;
    matrix_data(&m, 30, 2, 1, x, y, NULL);
    check_failing_fits(&smr_gamma, "", &m.data);
    check_failing_fits(&smr_poisson, "l1=0.5", &m.data);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_groups_have_their_means),
        cmocka_unit_test(columns_far_from_zero_end_where_rounding_says),
        cmocka_unit_test(gradient_vanishes_with_and_without_penalties),
        cmocka_unit_test(many_rows_reach_the_same_conditions),
        cmocka_unit_test(many_columns_reach_the_same_conditions),
        cmocka_unit_test(coefficients_are_scikit_learns),
        cmocka_unit_test(exposure_is_a_weight),
        cmocka_unit_test(large_and_small_means_do_not_overflow),
        cmocka_unit_test(targets_outside_the_family_are_named),
        cmocka_unit_test(dependent_columns_are_named),
        cmocka_unit_test(no_finite_optimum_is_told_or_penalised),
        cmocka_unit_test(inspect_shows_factors),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
