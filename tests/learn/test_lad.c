/* test_lad.c -- the learners lad and quantile: all vertices of small problems, medians,
 * equivariance, the certificate, scikit-learn's optima, degenerate data. */
#include "learn/robust_data.h"
#include "pipeline.h"
#include "truth/robust.h"

extern const smr_learner smr_lad, smr_quantile;

static double rho(double r, double q)
{
    return r > 0 ? q * r : (q - 1) * r;
}

/* The objective of quantile (twice it for lad) at the fitted coefficients. */
static double cost_of(const struct fitted *f, const struct matrix_data *m, const double *x,
                      double q, double l1)
{
    int64_t n = m->data.n_rows, d = m->data.n_features;
    double *out = malloc((size_t)n * sizeof *out), sum = 0;
    predict_matrix(f, n, d, x, out);
    for (int64_t i = 0; i < n; i++)
        sum += smr_data_weight(&m->data, i) * rho(m->data.y[i] - out[i], q);
    for (int64_t j = 0; j < d; j++) sum += l1 * fabs(state_array(f, "coef")[j]);
    free(out);
    return sum;
}

static void check_certificate(const struct fitted *f)
{
    assert_true(f->report.converged);
    assert_true(*state_array(f, "gap") <= 1e-12);
    assert_true(*state_array(f, "balance") <= 1e-13);
}

/* ---- all vertices ----------------------------------------------------------------------- */

/* Least cost of a line a + b x + c z through three rows (two without z). */
static double brute_force(int64_t n, int64_t d, const double *x, const double *y,
                          const double *weight, double q)
{
    double best = INFINITY;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++)
            for (int64_t k = d > 1 ? j + 1 : 0; k < (d > 1 ? n : 1); k++) {
                double b, c = 0, a, sum = 0;
                double x1 = x[j * d] - x[i * d], y1 = y[j] - y[i];
                if (d > 1) {
                    double z1 = x[j * d + 1] - x[i * d + 1], x2 = x[k * d] - x[i * d];
                    double z2 = x[k * d + 1] - x[i * d + 1], y2 = y[k] - y[i];
                    double det = x1 * z2 - x2 * z1;
                    if (fabs(det) < 1e-12) continue;
                    b = (y1 * z2 - y2 * z1) / det;
                    c = (x1 * y2 - x2 * y1) / det;
                } else {
                    if (fabs(x1) < 1e-12) continue;
                    b = y1 / x1;
                }
                a = y[i] - b * x[i * d] - (d > 1 ? c * x[i * d + 1] : 0);
                for (int64_t r = 0; r < n; r++)
                    sum += weight[r] *
                           rho(y[r] - a - b * x[r * d] - (d > 1 ? c * x[r * d + 1] : 0), q);
                best = fmin(best, sum);
            }
    return best;
}

static void no_vertex_of_a_small_problem_costs_less(void **unused)
{
    (void)unused;
    static const char *const words[] = {"q=0.5", "q=0.13", "q=0.9"};
    static const double q[] = {0.5, 0.13, 0.9};
    for (int64_t trial = 0; trial < 60; trial++) {
        int64_t d = 1 + trial % 2, n = 5 + trial % 9;
        double *x = random_matrix(n * d, 100 + (uint64_t)trial);
        double *y = random_matrix(n, 200 + (uint64_t)trial), weight[16];
        for (int64_t i = 0; i < n; i++) {
            weight[i] = trial % 3 ? 1 : 0.5 + (double)(i % 4);
            if (trial % 4 == 0) y[i] = round(y[i]); /* ties */
            if (trial % 5 == 0) x[i * d] = round(2 * x[i * d]);
        }
        struct matrix_data m;
        matrix_data(&m, n, d, 1, x, y, weight);
        struct fitted f = fit_matrix(&smr_quantile, words[trial % 3], &m.data, 1);
        double best = brute_force(n, d, x, y, weight, q[trial % 3]);
        if (isfinite(best)) {
            check_near("objective", f.report.objective, best, 1e-12);
            check_near("cost", cost_of(&f, &m, x, q[trial % 3], 0), best, 1e-12);
        }
        check_certificate(&f);
        end_fitted(&f);
        free(y);
        free(x);
    }
}

/* ---- medians ---------------------------------------------------------------------------- */

static void intercept_alone_is_the_weighted_median(void **unused)
{
    (void)unused;
    double x[5] = {7, 7, 7, 7, 7}, y[5] = {1, 2, 100, 4, 5}, weight[5] = {1, 1, 3.5, 1, 1};
    struct matrix_data m;
    matrix_data(&m, 5, 1, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_lad, "", &m.data, 1);
    check_near("median", *state_array(&f, "intercept"), 4, 0);
    check_near("constant column", *state_array(&f, "coef"), 0, 0);
    check_near("objective", f.report.objective, 3 + 2 + 96 + 0 + 1, 1e-15);
    end_fitted(&f);
    m.data.weight = weight;
    f = fit_matrix(&smr_lad, "", &m.data, 1);
    check_near("weighted median", *state_array(&f, "intercept"), 5, 0);
    check_near("R1", *state_array(&f, "r1"), 0, 1e-15);
    end_fitted(&f);
    f = fit_matrix(&smr_quantile, "q=0.95", &m.data, 1);
    check_near("weighted quantile", *state_array(&f, "intercept"), 100, 0);
    end_fitted(&f);
}

static void line_ignores_a_wild_target(void **unused)
{
    (void)unused;
    double x[7], y[7];
    for (int i = 0; i < 7; i++) {
        x[i] = i;
        y[i] = 2 * i + 1;
    }
    y[6] = 1e12;
    struct matrix_data m;
    matrix_data(&m, 7, 1, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_lad, "", &m.data, 1);
    check_near("slope", *state_array(&f, "coef"), 2, 1e-14);
    check_near("intercept", *state_array(&f, "intercept"), 1, 1e-13);
    check_certificate(&f);
    end_fitted(&f);
}

/* ---- properties ------------------------------------------------------------------------- */

static void share_of_rows_below_is_the_quantile(void **unused)
{
    (void)unused;
    enum { N = 997, D = 4 };
    static const char *const words[] = {"q=0.03", "q=0.25", "q=0.5", "q=0.77", "q=0.995"};
    static const double q[] = {0.03, 0.25, 0.5, 0.77, 0.995};
    double *x = random_matrix(N * D, 5), *y = random_matrix(N, 6), out[N];
    struct matrix_data m;
    for (int i = 0; i < N; i++) y[i] = y[i] * (1 + fabs(x[i * D])) + x[i * D + 1];
    matrix_data(&m, N, D, 1, x, y, NULL);
    for (int64_t k = 0; k < SMR_COUNT(words); k++) {
        struct fitted f = fit_matrix(&smr_quantile, words[k], &m.data, 1);
        int below = 0, above = 0;
        predict_matrix(&f, N, D, x, out);
        for (int i = 0; i < N; i++) {
            below += y[i] < out[i] - 1e-10;
            above += y[i] > out[i] + 1e-10;
        }
        assert_int_equal(N - below - above, D + 1); /* a vertex, and no ties */
        assert_true(below <= q[k] * N && above <= (1 - q[k]) * N);
        check_near("share", *state_array(&f, "below"), (double)below / N, 1e-15);
        check_certificate(&f);
        end_fitted(&f);
    }
    free(y);
    free(x);
}

/* beta(y) under y -> c y + X g, and X -> X A: Koenker & Bassett's theorem 3.2. */
static void fit_follows_scale_shift_and_reparametrisation(void **unused)
{
    (void)unused;
    enum { N = 301, D = 3 };
    double *x = random_matrix(N * D, 7), *y = random_matrix(N, 8), moved[N], mixed[N * D];
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_quantile, "q=0.3", &m.data, 1);
    const double *w = state_array(&f, "coef"), b = *state_array(&f, "intercept");
    for (int i = 0; i < N; i++) moved[i] = 1e6 * y[i] + 5 * x[i * D] - x[i * D + 2] - 1e9;
    matrix_data(&m, N, D, 1, x, moved, NULL);
    struct fitted g = fit_matrix(&smr_quantile, "q=0.3", &m.data, 1);
    const double *v = state_array(&g, "coef");
    check_near("w0", v[0], 1e6 * w[0] + 5, 1e-9);
    check_near("w1", v[1], 1e6 * w[1], 1e-9);
    check_near("w2", v[2], 1e6 * w[2] - 1, 1e-9);
    check_near("b", *state_array(&g, "intercept"), 1e6 * b - 1e9, 1e-14);
    end_fitted(&g);
    for (int i = 0; i < N; i++) moved[i] = -y[i]; /* the other quantile of the other sign */
    matrix_data(&m, N, D, 1, x, moved, NULL);
    g = fit_matrix(&smr_quantile, "q=0.7", &m.data, 1);
    for (int j = 0; j < D; j++) check_near("-w", state_array(&g, "coef")[j], -w[j], 1e-11);
    end_fitted(&g);
    for (int i = 0; i < N; i++) {
        mixed[i * D] = 1e5 * x[i * D] + 1e7;
        mixed[i * D + 1] = x[i * D + 1] + 2 * x[i * D];
        mixed[i * D + 2] = 1e-4 * x[i * D + 2];
    }
    matrix_data(&m, N, D, 1, mixed, y, NULL);
    g = fit_matrix(&smr_quantile, "q=0.3", &m.data, 1);
    v = state_array(&g, "coef");
    check_near("w1", v[1], w[1], 1e-9);
    check_near("w0", 1e5 * v[0] + 2 * v[1], w[0], 1e-9);
    check_near("w2", 1e-4 * v[2], w[2], 1e-9);
    end_fitted(&g);
    end_fitted(&f);
    free(y);
    free(x);
}

static void no_step_in_any_direction_costs_less(void **unused)
{
    (void)unused;
    enum { N = 403, D = 5 };
    double *x = random_matrix(N * D, 17), *y = random_matrix(N, 18), weight[N];
    struct matrix_data m;
    for (int i = 0; i < N; i++) weight[i] = i % 7 == 0 ? 0 : fabs(sin(i)) + 0.1;
    matrix_data(&m, N, D, 1, x, y, weight);
    struct fitted f = fit_matrix(&smr_lad, "l1=9.5", &m.data, 1);
    double *w = (double *)state_array(&f, "coef"), least = 2 * cost_of(&f, &m, x, 0.5, 9.5 / 2);
    int zeros = 0;
    check_near("objective", f.report.objective, least, 1e-13);
    check_certificate(&f);
    for (int j = 0; j < D; j++) zeros += w[j] == 0;
    assert_true(zeros > 0); /* pure noise: the penalty makes exact zeros */
    for (int k = 0; k < 200; k++) {
        double old[D];
        memcpy(old, w, sizeof old);
        for (int j = 0; j < D; j++) w[j] += pow(10, -1 - k % 6) * sin(3.7 * k + 1.9 * j);
        assert_true(2 * cost_of(&f, &m, x, 0.5, 9.5 / 2) >= least * (1 - 1e-14));
        memcpy(w, old, sizeof old);
    }
    end_fitted(&f);
    free(y);
    free(x);
}

/* ---- tests/truth/robust.py -------------------------------------------------------------- */

/* The least objective is that of another program's linear program. */
static void objective_is_scikit_learns(void **unused)
{
    (void)unused;
    struct robust_data t;
    struct matrix_data m;
    robust_data(&t);
    for (int64_t k = 0; k < SMR_COUNT(quantile_truth); k++) {
        matrix_data(&m, ROBUST_N, ROBUST_D, 1, t.x, t.y,
                    quantile_truth[k].weighted ? t.weight : NULL);
        struct fitted f = fit_matrix(&smr_quantile, quantile_truth[k].words, &m.data, 2);
        check_near(quantile_truth[k].words, f.report.objective, quantile_truth[k].objective, 1e-9);
        check_certificate(&f);
        end_fitted(&f);
    }
    assert_true(quantile_truth[1].weighted && strcmp(quantile_truth[1].words, "q=0.5") == 0);
    matrix_data(&m, ROBUST_N, ROBUST_D, 1, t.x, t.y, t.weight);
    struct fitted f = fit_matrix(&smr_lad, "", &m.data, 2);
    check_near("lad", f.report.objective, 2 * quantile_truth[1].objective, 1e-9);
    end_fitted(&f);
}

/* ---- degenerate data -------------------------------------------------------------------- */

/* Few distinct rows and targets: hundreds of residuals are 0, and no pivot goes round. */
static void ties_and_repeated_rows_end_at_the_optimum(void **unused)
{
    (void)unused;
    enum { N = 1200, D = 3, KINDS = 40 };
    double x[N * D], y[N], few[KINDS * D], value[KINDS], weight[KINDS];
    struct matrix_data m;
    for (int i = 0; i < KINDS; i++) {
        weight[i] = N / KINDS;
        value[i] = (double)smr_random_below(3, SMR_STREAM_TEST, 9, (uint64_t)i, 3);
        for (int j = 0; j < D; j++)
            few[i * D + j] =
                (double)smr_random_below(3, SMR_STREAM_TEST, (uint64_t)j, (uint64_t)i, 2);
    }
    for (int i = 0; i < N; i++) {
        memcpy(x + i * D, few + i % KINDS * D, D * sizeof *x);
        y[i] = value[i % KINDS];
    }
    matrix_data(&m, N, D, 1, x, y, NULL);
    struct fitted all = fit_matrix(&smr_lad, "", &m.data, 1);
    check_certificate(&all);
    matrix_data(&m, KINDS, D, 1, few, value, weight);
    struct fitted f = fit_matrix(&smr_lad, "", &m.data, 1);
    check_certificate(&f);
    check_near("weights are repeated rows", f.report.objective, all.report.objective, 1e-13);
    end_fitted(&f);
    end_fitted(&all);
}

static void outliers_of_1e12_leave_the_other_rows_exact(void **unused)
{
    (void)unused;
    enum { N = 500, D = 3 };
    double *x = random_matrix(N * D, 21), *y = random_matrix(N, 22);
    struct matrix_data m;
    for (int i = 0; i < N; i++) y[i] += 3 * x[i * D];
    for (int i = 0; i < N; i += 25) y[i] = 10;
    matrix_data(&m, N, D, 1, x, y, NULL);
    struct fitted near = fit_matrix(&smr_lad, "", &m.data, 1);
    for (int i = 0; i < N; i += 25) y[i] = 1e12; /* above before, above now: the same optimum */
    struct fitted f = fit_matrix(&smr_lad, "", &m.data, 1);
    for (int j = 0; j < D; j++)
        check_near("w", state_array(&f, "coef")[j], state_array(&near, "coef")[j], 1e-11);
    for (int i = 1; i < N; i += 100) x[i * D + 1] = 1e12;
    struct fitted g = fit_matrix(&smr_lad, "", &m.data, 1);
    check_near("gap", *state_array(&g, "gap"), 0, 1e-15);
    end_fitted(&g);
    end_fitted(&f);
    end_fitted(&near);
    free(y);
    free(x);
}

static void dependent_columns_are_named_and_lose_nothing(void **unused)
{
    (void)unused;
    enum { N = 150, D = 4 };
    double *x = random_matrix(N * D, 31), *y = random_matrix(N, 32), three[N * 3];
    struct matrix_data m;
    struct heard heard;
    for (int i = 0; i < N; i++) {
        x[i * D + 3] = 2 * x[i * D] - x[i * D + 1] + 7;
        memcpy(three + i * 3, x + i * D, 3 * sizeof *three);
    }
    matrix_data(&m, N, 3, 1, three, y, NULL);
    struct fitted f = fit_matrix(&smr_lad, "", &m.data, 1);
    double want = f.report.objective;
    end_fitted(&f);
    matrix_data(&m, N, D, 1, x, y, NULL);
    f = fit_matrix(&smr_lad, "", &m.data, 1);
    check_near("objective", f.report.objective, want, 1e-13);
    check_certificate(&f);
    end_fitted(&f);
    smr_ctx *ctx = hearing_ctx(&heard);
    f = (struct fitted){.ctx = ctx, .learner = &smr_lad, .params = make_params(ctx, &smr_lad, "")};
    check_ok(ctx, smr_state_create(ctx, &smr_lad, &f.state));
    check_ok(ctx, smr_learner_fit(ctx, &smr_lad, f.params, &m.data, f.state, &f.report));
    check_heard(&heard, "lad: 1 of 4 columns add nothing to the others: '");
    end_fitted(&f);
    free(y);
    free(x);
}

/* As many coefficients as rows or more: every row is met; rows that contradict each other are met
 * half. */
static void few_rows_are_met_exactly(void **unused)
{
    (void)unused;
    enum { D = 20 };
    double *x = random_matrix(16 * D, 41), *y = random_matrix(16, 42), out[16];
    struct matrix_data m;
    for (int64_t n = 1; n <= 16; n += 3) {
        matrix_data(&m, n, D, 1, x, y, NULL);
        struct fitted f = fit_matrix(&smr_lad, "", &m.data, 1);
        predict_matrix(&f, n, D, x, out);
        for (int64_t i = 0; i < n; i++) check_near("met", out[i], y[i], 1e-10);
        check_certificate(&f);
        end_fitted(&f);
    }
    double want = 0;
    for (int i = 0; i < 8; i++) {
        memcpy(x + (i + 8) * D, x + i * D, D * sizeof *x);
        want += fabs(y[i + 8] - y[i]);
    }
    matrix_data(&m, 16, D, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_lad, "", &m.data, 1);
    check_near("half", f.report.objective, want, 1e-12);
    check_certificate(&f);
    end_fitted(&f);
    free(y);
    free(x);
}

static void constant_target_gives_its_value(void **unused)
{
    (void)unused;
    double *x = random_matrix(90, 51), y[30];
    struct matrix_data m;
    for (int i = 0; i < 30; i++) y[i] = -41.25;
    matrix_data(&m, 30, 3, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_quantile, "q=0.2", &m.data, 1);
    check_near("b", *state_array(&f, "intercept"), -41.25, 1e-14);
    for (int j = 0; j < 3; j++) check_near("w", state_array(&f, "coef")[j], 0, 1e-14);
    assert_true(isnan(*state_array(&f, "r1")));
    end_fitted(&f);
    free(x);
}

static void nearly_collinear_columns_reach_the_optimum(void **unused)
{
    (void)unused;
    enum { N = 400, D = 3 };
    double *x = random_matrix(N * D, 61), *y = random_matrix(N, 62), plain[N * D];
    struct matrix_data m;
    for (int i = 0; i < N; i++) {
        memcpy(plain + i * D, x + i * D, D * sizeof *x);
        x[i * D + 2] = x[i * D] + ldexp(x[i * D + 2], -20);
    }
    matrix_data(&m, N, D, 1, plain, y, NULL);
    struct fitted f = fit_matrix(&smr_lad, "", &m.data, 1);
    matrix_data(&m, N, D, 1, x, y, NULL);
    struct fitted g = fit_matrix(&smr_lad, "", &m.data, 1);
    check_near("the same span, the same cost", g.report.objective, f.report.objective, 1e-9);
    check_certificate(&g);
    end_fitted(&g);
    end_fitted(&f);
    free(y);
    free(x);
}

/* ---- the rest --------------------------------------------------------------------------- */

static void several_targets_are_fitted_one_by_one(void **unused)
{
    (void)unused;
    enum { N = 120, D = 3, Q = 2 };
    double *x = random_matrix(N * D, 71), *y = random_matrix(N * Q, 72), one[N];
    struct matrix_data m;
    matrix_data(&m, N, D, Q, x, y, NULL);
    struct fitted both = fit_matrix(&smr_quantile, "q=0.4 fit_intercept=no", &m.data, 1);
    for (int k = 0; k < Q; k++) {
        for (int i = 0; i < N; i++) one[i] = y[i * Q + k];
        matrix_data(&m, N, D, 1, x, one, NULL);
        struct fitted f = fit_matrix(&smr_quantile, "q=0.4 fit_intercept=no", &m.data, 1);
        assert_memory_equal(state_array(&f, "coef"), state_array(&both, "coef") + k * D,
                            D * sizeof(double));
        assert_true(*state_array(&f, "intercept") == 0);
        end_fitted(&f);
    }
    end_fitted(&both);
    free(y);
    free(x);
}

static void threads_do_not_change_a_bit(void **unused)
{
    (void)unused;
    enum { N = 4999, D = 6 };
    double *x = random_matrix(N * D, 81), *y = random_matrix(N, 82);
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, y, NULL);
    struct fitted one = fit_matrix(&smr_lad, "", &m.data, 1);
    for (int threads = 2; threads <= 7; threads += 5) {
        struct fitted f = fit_matrix(&smr_lad, "", &m.data, threads);
        assert_memory_equal(state_array(&f, "coef"), state_array(&one, "coef"), D * sizeof(double));
        end_fitted(&f);
    }
    end_fitted(&one);
    free(y);
    free(x);
}

static void inspect_shows_the_certificate(void **unused)
{
    (void)unused;
    struct robust_data t;
    struct matrix_data m;
    robust_data(&t);
    matrix_data(&m, ROBUST_N, ROBUST_D, 1, t.x, t.y, NULL);
    struct fitted f = fit_matrix(&smr_lad, "", &m.data, 1);
    smr_json_doc *doc = describe_fitted(&f, &m.data);
    const smr_json *root = smr_json_root(doc);
    check_near("gap", smr_json_get_number(root, "duality_gap", NAN), 0, 1e-13);
    check_near("zero", smr_json_get_number(root, "zero_residuals", NAN), ROBUST_D + 1, 0);
    assert_true(smr_json_get_number(root, "r1", NAN) > 0.1);
    smr_json_free(doc);
    end_fitted(&f);
}

static void every_allocation_may_fail(void **unused)
{
    (void)unused;
    double *x = random_matrix(60, 91), *y = random_matrix(30, 92);
    struct matrix_data m;
    for (int i = 0; i < 30; i++) y[i] = round(2 * y[i]);
    matrix_data(&m, 30, 2, 1, x, y, NULL);
    check_failing_fits(&smr_quantile, "q=0.3 l1=0.5", &m.data);
    free(y);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_vertex_of_a_small_problem_costs_less),
        cmocka_unit_test(intercept_alone_is_the_weighted_median),
        cmocka_unit_test(line_ignores_a_wild_target),
        cmocka_unit_test(share_of_rows_below_is_the_quantile),
        cmocka_unit_test(fit_follows_scale_shift_and_reparametrisation),
        cmocka_unit_test(no_step_in_any_direction_costs_less),
        cmocka_unit_test(objective_is_scikit_learns),
        cmocka_unit_test(ties_and_repeated_rows_end_at_the_optimum),
        cmocka_unit_test(outliers_of_1e12_leave_the_other_rows_exact),
        cmocka_unit_test(dependent_columns_are_named_and_lose_nothing),
        cmocka_unit_test(few_rows_are_met_exactly),
        cmocka_unit_test(constant_target_gives_its_value),
        cmocka_unit_test(nearly_collinear_columns_reach_the_optimum),
        cmocka_unit_test(several_targets_are_fitted_one_by_one),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(inspect_shows_the_certificate),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
