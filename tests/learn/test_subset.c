/* test_subset.c -- the learner subset: worked figures, least squares on the chosen columns,
 * criteria, honest cross-validation, weights, bad input. */
#include "learn/matrix_data.h"
#include "whole_check.h"

#include "data/row_subset.h"
#include "learn/out_of_fold.h"

extern const smr_learner smr_linear, smr_subset_learner;

static int64_t state_int(const struct fitted *f, const char *name)
{
    for (int64_t i = 0; i < f->learner->fitted->n_state; i++)
        if (!strcmp(f->learner->fitted->state[i].name, name))
            return *(const int64_t *)smr_state_values(&f->learner->fitted->state[i], f->state);
    fail_msg("no state %s", name);
    return 0;
}

/* y depends on columns 1, 4 and 6 of 8. */
static double *sparse_truth(int64_t n, int64_t d, const double *x, uint64_t seed)
{
    double *y = random_matrix(n, seed);
    for (int64_t i = 0; i < n; i++)
        y[i] += 7.25 + 1.5 * x[i * d + 1] - 0.9 * x[i * d + 4] + 0.6 * x[i * d + 6];
    return y;
}

/* MISSION D4-D6: with x = (1, 2), y = (1, 1): a = 5, b = 3, b^2 / 2a = 0.9 <= l0 = 1 gives 0. */
static void one_feature_is_dropped_when_it_costs_more_than_it_gains(void **unused)
{
    (void)unused;
    static const struct {
        const char *words;
        double w, objective;
    } cases[] = {
        {"fit_intercept=no by=l0 l0=1", 0, 1},
        {"fit_intercept=no by=l0 l0=0.9", 0, 1}, /* equal: the smaller one */
        {"fit_intercept=no by=l0 l0=0.8999", 0.6, 0.1 + 0.8999},
        {"fit_intercept=no by=l0 l0=0", 0.6, 0.1},
        {"fit_intercept=no k=1", 0.6, 0.1},
    };
    double x[] = {1, 2}, y[] = {1, 1};
    struct matrix_data m;
    matrix_data(&m, 2, 1, 1, x, y, NULL);
    for (int64_t c = 0; c < SMR_COUNT(cases); c++) {
        struct fitted f = fit_matrix(&smr_subset_learner, cases[c].words, &m.data, 1);
        check_near(cases[c].words, *state_array(&f, "coef"), cases[c].w, 1e-14);
        check_near("objective", f.report.objective, cases[c].objective, 1e-14);
        end_fitted(&f);
    }
}

/* The coefficients, errors and residuals are those of `linear` on the chosen columns alone. */
static void the_fit_is_least_squares_on_the_chosen_columns(void **unused)
{
    (void)unused;
    enum { N = 67, D = 8 };
    double *x = random_matrix(N * D, 3), *y = sparse_truth(N, D, x, 4), *some = x;
    double weight[N], few[N * 3];
    for (int64_t i = 0; i < N; i++) {
        weight[i] = 0.5 + (double)(i % 4);
        x[i * D + 4] = 1e-7 * x[i * D + 4] + 3; /* an offset far larger than its spread */
        y[i] -= 0.9 * (x[i * D + 4] - 3) * (1e7 - 1);
        for (int j = 0; j < 3; j++) few[i * 3 + j] = some[i * D + (j == 0 ? 1 : j == 1 ? 4 : 6)];
    }
    struct matrix_data all, chosen;
    matrix_data(&all, N, D, 1, x, y, weight);
    matrix_data(&chosen, N, 3, 1, few, y, weight);
    struct fitted f = fit_matrix(&smr_subset_learner, "k=3", &all.data, 1);
    struct fitted l = fit_matrix(&smr_linear, "", &chosen.data, 1);
    const double *w = state_array(&f, "coef"), *v = state_array(&l, "coef");
    const double *e = state_array(&f, "std_error"), *u = state_array(&l, "std_error");
    assert_int_equal(state_int(&f, "size"), 3);
    for (int j = 0, at = 0; j < D; j++) {
        bool in = j == 1 || j == 4 || j == 6;
        if (!in) assert_true(w[j] == 0 && isnan(e[j]));
        if (!in) continue;
        check_near("coefficient", w[j] / v[at], 1, 1e-8);
        check_near("error", e[j] / u[at], 1, 1e-8);
        at++;
    }
    check_near("intercept", *state_array(&f, "intercept"), *state_array(&l, "intercept"), 1e-6);
    check_near("its error", *state_array(&f, "intercept_error"),
               *state_array(&l, "intercept_error"), 1e-6);
    check_near("rss", *state_array(&f, "rss"), *state_array(&l, "rss"), 1e-8);
    end_fitted(&f);
    end_fitted(&l);
    free(x);
    free(y);
}

/* The logarithm of the number of subsets, one factor at a time. */
static double log_choices(int d, int k)
{
    double sum = 0;
    for (int i = 0; i < k; i++) sum += log((double)(d - i) / (i + 1));
    return sum;
}

/* AIC and BIC of every size by their formulas, from the RSS that linear gives.  8 features are a
 * little more than the root of 53 rows, so that choosing among them has a price. */
static void criteria_follow_their_formulas(void **unused)
{
    (void)unused;
    enum { N = 53, D = 8 };
    double *x = random_matrix(N * D, 11), *y = sparse_truth(N, D, x, 12);
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, y, NULL);
    struct fitted l = fit_matrix(&smr_linear, "", &m.data, 1);
    double s2 = *state_array(&l, "rss") / (N - D - 1), price = 2 * log(D) / log(N) - 1;
    static const char *const words[] = {"by=aic", "by=bic", "by=cp", "by=l0 l0=2.5"};
    for (int c = 0; c < 4; c++) {
        struct fitted f = fit_matrix(&smr_subset_learner, words[c], &m.data, 1);
        const double *rss = state_array(&f, "size_rss"), *score = state_array(&f, "size_score");
        int64_t best = 0;
        for (int k = 0; k <= D; k++) {
            double fit = N * log(rss[k] / N), n = k + 1;
            double want = c == 0   ? fit + 2 * n
                          : c == 1 ? fit + log(N) * n + 2 * price * log_choices(D, k)
                          : c == 2 ? rss[k] / s2 - N + 2 * n
                                   : rss[k] / 2 + 2.5 * k;
            check_near(words[c], score[k], want, 1e-11);
            if (score[k] < score[best]) best = k;
        }
        assert_int_equal(state_int(&f, "size"), best);
        check_near("all features", rss[D], *state_array(&l, "rss"), 1e-10);
        end_fitted(&f);
    }
    end_fitted(&l);
    free(x);
    free(y);
}

/* 64 features fit 40 rows without error, whatever these say.  BIC finds the three that tell, AIC
 * stays below the limit 40 / (2 ln 64) = 4.8, and of noise alone nothing is kept. */
static void many_features_do_not_interpolate_few_rows(void **unused)
{
    (void)unused;
    enum { N = 40, D = 64, LIMIT = 4 };
    double *x = random_matrix(N * D, 31), *noise = random_matrix(N, 32), y[N];
    struct matrix_data m;
    for (int i = 0; i < N; i++)
        y[i] = 2 * x[i * D + 7] - 2 * x[i * D + 40] + 2 * x[i * D + 60] + noise[i];
    matrix_data(&m, N, D, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_subset_learner, "", &m.data, 1);
    const double *w = state_array(&f, "coef");
    assert_int_equal(state_int(&f, "n_sizes"), LIMIT + 1);
    assert_int_equal(state_int(&f, "size"), 3);
    assert_true(w[7] != 0 && w[40] != 0 && w[60] != 0);
    end_fitted(&f);
    f = fit_matrix(&smr_subset_learner, "by=aic", &m.data, 1);
    assert_in_range(state_int(&f, "size"), 3, LIMIT);
    end_fitted(&f);
    f = fit_matrix(&smr_subset_learner, "max_size=9", &m.data, 1); /* the user's word counts */
    assert_int_equal(state_int(&f, "n_sizes"), 10);
    end_fitted(&f);
    matrix_data(&m, N, D, 1, x, noise, NULL);
    f = fit_matrix(&smr_subset_learner, "", &m.data, 1);
    assert_int_equal(state_int(&f, "size"), 0);
    end_fitted(&f);
    free(x);
    free(noise);
}

/* The cross-validated error of size k is that of fits with k features on the other folds' rows
 * alone, one by one. */
static void cross_validation_searches_anew_in_each_fold(void **unused)
{
    (void)unused;
    enum { N = 59, D = 6, FOLDS = 4 };
    double *x = random_matrix(N * D, 21), *y = random_matrix(N, 22), weight[N], want[D + 1] = {0};
    double total = 0;
    for (int64_t i = 0; i < N; i++) {
        weight[i] = 1 + (double)(i % 3);
        total += weight[i];
        y[i] += 0.4 * x[i * D + 2] + 3;
    }
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, y, weight);
    struct fitted f = fit_matrix(&smr_subset_learner, "by=cv folds=4", &m.data, 1);
    smr_parts parts = {0};
    smr_split_rows of = smr_data_split_rows(f.ctx, &m.data);
    check_ok(f.ctx, smr_split_folds(f.ctx, &of, FOLDS, &parts));
    for (int64_t p = 0; p < FOLDS; p++) {
        int64_t train[N], n = smr_parts_without(&parts, p, train);
        smr_subset rows = {0};
        check_ok(f.ctx, smr_subset_make(f.ctx, &m.data, train, n, NULL, &rows));
        for (int k = 1; k <= D; k++) {
            char words[16];
            snprintf(words, sizeof words, "k=%d", k);
            struct fitted one = fit_matrix(&smr_subset_learner, words, &rows.data, 1);
            for (int64_t i = 0; i < smr_part_size(&parts, p); i++) {
                int64_t r = smr_part_rows(&parts, p)[i];
                double out;
                predict_matrix(&one, 1, D, x + r * D, &out);
                want[k] += weight[r] * (y[r] - out) * (y[r] - out);
            }
            end_fitted(&one);
        }
        smr_subset_release(&rows);
    }
    for (int k = 1; k <= D; k++)
        check_near("error", state_array(&f, "size_score")[k], want[k] / total, 1e-10);
    smr_parts_release(&parts);
    end_fitted(&f);
    free(x);
    free(y);
}

static void validation_uses_a_quarter_of_the_rows(void **unused)
{
    (void)unused;
    enum { N = 80, D = 8 };
    double *x = random_matrix(N * D, 31), *y = sparse_truth(N, D, x, 32);
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_subset_learner, "by=validation", &m.data, 1);
    const double *w = state_array(&f, "coef");
    assert_true(w[1] != 0 && w[4] != 0 && w[6] != 0);
    assert_true(state_array(&f, "size_score")[0] > state_array(&f, "size_score")[3]);
    end_fitted(&f);
    free(x);
    free(y);
}

static void weight_two_means_the_row_twice(void **unused)
{
    (void)unused;
    enum { N = 41, D = 7 };
    double *x = random_matrix(N * D, 41), *y = sparse_truth(N, D, x, 42), weight[N];
    double xx[2 * N * D], yy[2 * N];
    int64_t n = 0;
    for (int64_t i = 0; i < N; i++) {
        weight[i] = 1 + (double)(i % 2);
        for (int t = 0; t < (int)weight[i]; t++, n++) {
            memcpy(xx + n * D, x + i * D, D * sizeof *x);
            yy[n] = y[i];
        }
    }
    struct matrix_data a, b;
    matrix_data(&a, N, D, 1, x, y, weight);
    matrix_data(&b, n, D, 1, xx, yy, NULL);
    struct fitted f = fit_matrix(&smr_subset_learner, "", &a.data, 1);
    struct fitted g = fit_matrix(&smr_subset_learner, "", &b.data, 1);
    assert_int_equal(state_int(&f, "size"), state_int(&g, "size"));
    for (int j = 0; j < D; j++) {
        check_near("coefficient", state_array(&f, "coef")[j], state_array(&g, "coef")[j], 1e-11);
        check_near("error", state_array(&f, "std_error")[j], state_array(&g, "std_error")[j],
                   1e-11);
    }
    end_fitted(&f);
    end_fitted(&g);
    free(x);
    free(y);
}

/* More features than rows, copies of columns, constant columns, a constant target, one row. */
static void degenerate_data_are_answered(void **unused)
{
    (void)unused;
    enum { N = 9, D = 14 };
    double *x = random_matrix(N * D, 51), *y = random_matrix(N, 52);
    for (int64_t i = 0; i < N; i++) {
        x[i * D + 3] = x[i * D];
        x[i * D + 5] = 4.1;
    }
    struct matrix_data m;
    static const char *const words[] = {
        "",      "search=forward", "search=backward", "search=swap", "by=aic",
        "by=cv", "k=14",           "max_size=2"};
    for (int64_t c = 0; c < SMR_COUNT(words); c++) {
        matrix_data(&m, N, D, 1, x, y, NULL);
        struct fitted f = fit_matrix(&smr_subset_learner, words[c], &m.data, 1);
        const double *w = state_array(&f, "coef");
        assert_true(w[5] == 0);
        assert_true(w[0] == 0 || w[3] == 0);
        assert_true(state_int(&f, "size") <= N - 2);
        end_fitted(&f);
    }
    double flat[N];
    for (int64_t i = 0; i < N; i++) flat[i] = 2.5;
    matrix_data(&m, N, D, 1, x, flat, NULL);
    struct fitted f = fit_matrix(&smr_subset_learner, "", &m.data, 1);
    assert_int_equal(state_int(&f, "size"), 0);
    check_near("intercept", *state_array(&f, "intercept"), 2.5, 1e-15);
    end_fitted(&f);
    matrix_data(&m, 1, D, 1, x, y, NULL);
    f = fit_matrix(&smr_subset_learner, "", &m.data, 1);
    assert_int_equal(state_int(&f, "size"), 0);
    end_fitted(&f);
    free(x);
    free(y);
}

static void check_refused(const char *words, const smr_data *data, smr_status status,
                          const char *part)
{
    smr_ctx *ctx = check_ctx(1);
    void *params = make_params(ctx, &smr_subset_learner, words), *state = NULL;
    smr_fit_report report = {0};
    check_ok(ctx, smr_state_create(ctx, &smr_subset_learner, &state));
    check_fails(ctx, smr_learner_fit(ctx, &smr_subset_learner, params, data, state, &report),
                status, part);
    smr_state_free(&smr_subset_learner, state);
    smr_params_free(smr_subset_learner.word, params);
    check_ctx_end(ctx);
}

static void what_cannot_be_done_is_said(void **unused)
{
    (void)unused;
    enum { N = 9, D = 45 };
    double *x = random_matrix(N * D, 61), *y = random_matrix(N, 62);
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, y, NULL);
    check_refused("k=46", &m.data, SMR_ERR_PARAM, "k=46 is more than the 45 features");
    check_refused("search=exhaustive", &m.data, SMR_ERR_PARAM,
                  "goes up to 40 features, and there are 45; use search=swap");
    check_refused("by=cp", &m.data, SMR_ERR_DATA, "cp needs the residual variance");
    x[7] = INFINITY;
    check_refused("", &m.data, SMR_ERR_DATA, "the value is not finite");
    free(x);
    free(y);
}

static void a_damaged_list_of_subsets_is_refused(void **unused)
{
    (void)unused;
    enum { N = 31, D = 5 };
    double *x = random_matrix(N * D, 73), *y = random_matrix(N, 74);
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_subset_learner, "", &m.data, 1);
    smr_shape shape = {.n_features = D, .task = SMR_TASK_REGRESS, .n_outputs = 1};
    check_ok(f.ctx, whole_check(f.ctx, f.learner, f.params, f.state, &shape));
    int32_t *listed = (int32_t *)(uintptr_t)state_array(&f, "size_features"), first = listed[0];
    listed[0] = D;
    check_fails(f.ctx, whole_check(f.ctx, f.learner, f.params, f.state, &shape), SMR_ERR_FORMAT,
                "subset: number 1 of its size_features is 5, and must lie from 0 to 4");
    listed[0] = first;
    int64_t *n = (int64_t *)(uintptr_t)state_array(&f, "n_listed");
    (*n)--;
    check_fails(f.ctx, whole_check(f.ctx, f.learner, f.params, f.state, &shape), SMR_ERR_FORMAT,
                "subset: its list of subsets does not fit its sizes");
    (*n)++;
    end_fitted(&f);
    free(x);
    free(y);
}

static void failing_allocations_are_survived(void **unused)
{
    (void)unused;
    enum { N = 31, D = 5 };
    double *x = random_matrix(N * D, 71), *y = random_matrix(N, 72);
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, y, NULL);
    check_failing_fits(&smr_subset_learner, "by=cv folds=3", &m.data);
    check_failing_fits(&smr_subset_learner, "by=cp search=swap", &m.data);
    free(x);
    free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_feature_is_dropped_when_it_costs_more_than_it_gains),
        cmocka_unit_test(the_fit_is_least_squares_on_the_chosen_columns),
        cmocka_unit_test(criteria_follow_their_formulas),
        cmocka_unit_test(cross_validation_searches_anew_in_each_fold),
        cmocka_unit_test(validation_uses_a_quarter_of_the_rows),
        cmocka_unit_test(weight_two_means_the_row_twice),
        cmocka_unit_test(many_features_do_not_interpolate_few_rows),
        cmocka_unit_test(degenerate_data_are_answered),
        cmocka_unit_test(what_cannot_be_done_is_said),
        cmocka_unit_test(a_damaged_list_of_subsets_is_refused),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
