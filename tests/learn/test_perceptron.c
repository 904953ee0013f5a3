/* test_perceptron.c -- the learner perceptron: worked figures, bounds, variants, many classes. */
#include "learn/linear/perceptron.h"
#include "learn/matrix_data.h"

extern const smr_learner smr_perceptron;

static void class_data(struct matrix_data *m, int64_t n, int64_t d, int64_t k, const double *x,
                       const int32_t *label, const double *weight)
{
    matrix_data(m, n, d, 1, x, NULL, weight);
    m->data.task = SMR_TASK_CLASSIFY;
    m->data.label = label;
    m->data.n_classes = k;
}

static double number(const struct fitted *f, const char *name)
{
    return *state_array(f, name);
}

static double shown(const struct fitted *f, const smr_data *data, const char *name)
{
    smr_json_doc *doc = describe_fitted(f, data);
    const smr_json *m = smr_json_get(smr_json_root(doc), "separated");
    double x = smr_json_get_number(m, name, NAN);
    smr_json_free(doc);
    return x;
}

/* ---- worked figures --------------------------------------------------------------------- */

/* FIGURES E2: from 0, x = (1, x1, x2), rows in the order of the truth table.  The bounds 10 and 51
 * are those of the largest margin: NOT w = (1, -2), R^2 |w|^2 = 2 * 5; AND (-3, 2, 2): 3 * 17; OR
 * (-1, 2, 2): 3 * 9. */
static void truth_tables_give_the_figures_of_the_course(void **unused)
{
    static const double bits[] = {0, 1}, pairs[] = {0, 0, 0, 1, 1, 0, 1, 1};
    static const struct {
        const char *name;
        int64_t n, d;
        int32_t label[4];
        double mistakes, w[3], bound;
    } cases[] = {
        {"not", 2, 1, {1, 0}, 5, {1, -2}, 10},
        {"and", 4, 2, {0, 0, 0, 1}, 18, {-4, 3, 2}, 51},
        {"or", 4, 2, {0, 1, 1, 1}, 9, {-1, 2, 2}, 27},
    };
    (void)unused;
    for (int k = 0; k < 3; k++) {
        struct matrix_data m;
        class_data(&m, cases[k].n, cases[k].d, 2, cases[k].d == 1 ? bits : pairs, cases[k].label,
                   NULL);
        struct fitted f = fit_matrix(&smr_perceptron, "variant=plain", &m.data, 1);
        const double *w = state_array(&f, "weights");
        check_near(cases[k].name, number(&f, "mistakes"), cases[k].mistakes, 0);
        check_near("intercept", w[cases[k].d], cases[k].w[0], 0);
        for (int64_t j = 0; j < cases[k].d; j++) check_near("w", w[j], cases[k].w[j + 1], 0);
        check_near("bound", shown(&f, &m.data, "bound"), cases[k].bound, 1e-6);
        assert_true(number(&f, "is_best") == 1);
        assert_true(f.report.converged);
        end_fitted(&f);
    }
}

static void xor_never_ends(void **unused)
{
    static const double x[] = {0, 0, 0, 1, 1, 0, 1, 1};
    static const int32_t label[] = {0, 1, 1, 0};
    struct matrix_data m;
    (void)unused;
    class_data(&m, 4, 2, 2, x, label, NULL);
    struct fitted f = fit_matrix(&smr_perceptron, "variant=plain max_iter=500", &m.data, 1);
    assert_false(f.report.converged);
    assert_int_equal(f.report.n_iter, 500);
    assert_true(isnan(number(&f, "radius")));
    for (int i = 100; i < 500; i++) assert_true(state_array(&f, "pass_mistakes")[i] > 0);
    end_fitted(&f);
}

/* Note 004: a unique feature for each row makes anything separable; 4 mistakes (FIGURES E2). */
static void xor_with_a_feature_a_row_takes_four_mistakes(void **unused)
{
    static const double x[] = {0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0,
                               1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1};
    static const int32_t label[] = {0, 1, 1, 0};
    struct matrix_data m;
    (void)unused;
    class_data(&m, 4, 6, 2, x, label, NULL);
    struct fitted f = fit_matrix(&smr_perceptron, "variant=plain", &m.data, 1);
    check_near("mistakes", number(&f, "mistakes"), 4, 0);
    assert_true(f.report.converged);
    end_fitted(&f);
}

/* ---- the bound -------------------------------------------------------------------------- */

enum { N = 83, D = 4 };

/* Rows at least `gap` away from a plane. */
static double *separable(int32_t *label, double gap, int64_t k)
{
    double *x = random_matrix(N * D, 7);
    for (int64_t i = 0; i < N; i++) {
        double *r = x + i * D, s = 0.3 * r[0] - 0.8 * r[1] + 0.5 * r[2] + 0.1;
        label[i] = s > 0;
        for (int64_t j = 0; j < 3; j++)
            r[j] += (label[i] ? gap : -gap) * (j == 0 ? 0.3 : j == 1 ? -0.8 : 0.5);
        if (k == 3 && r[3] > 0.4) {
            label[i] = 2;
            r[3] += 2;
        }
    }
    return x;
}

static void mistakes_stay_below_the_bound_in_any_order(void **unused)
{
    static const char *const words[] = {"variant=plain", "variant=plain shuffle=yes", "",
                                        "variant=voted", "rate=0.01"};
    int32_t label[N];
    double *x = separable(label, 0.4, 2);
    struct matrix_data m;
    (void)unused;
    class_data(&m, N, D, 2, x, label, NULL);
    for (int k = 0; k < 5; k++) {
        struct fitted f = fit_matrix(&smr_perceptron, words[k], &m.data, 1);
        double bound = shown(&f, &m.data, "bound"), looser = shown(&f, &m.data, "bound_by_it");
        assert_true(number(&f, "mistakes") <= bound);
        assert_true(bound <= looser * (1 + 1e-12) && bound > 1);
        end_fitted(&f);
    }
    free(x);
}

/* The changes of a perceptron do not depend on its rate, if the weights begin at 0. */
static void the_rate_only_scales_the_weights(void **unused)
{
    int32_t label[N];
    double *x = separable(label, 0.3, 2);
    struct matrix_data m;
    (void)unused;
    class_data(&m, N, D, 2, x, label, NULL);
    struct fitted a = fit_matrix(&smr_perceptron, "variant=plain", &m.data, 1);
    struct fitted b = fit_matrix(&smr_perceptron, "variant=plain rate=0.25", &m.data, 1);
    assert_true(number(&a, "mistakes") == number(&b, "mistakes"));
    for (int j = 0; j <= D; j++)
        check_near("w", state_array(&b, "weights")[j], 0.25 * state_array(&a, "weights")[j], 1e-13);
    end_fitted(&a);
    end_fitted(&b);
    free(x);
}

/* ---- variants --------------------------------------------------------------------------- */

/* All vectors after each row of one pass, by the plainest code: w then b. */
static void all_vectors(const double *x, const int32_t *label, double *w)
{
    double now[D + 1] = {0};
    for (int i = 0; i < N; i++) {
        double f = now[D], y = label[i] ? 1 : -1;
        for (int j = 0; j < D; j++) f += now[j] * x[i * D + j];
        for (int j = 0; j < D && y * f <= 0; j++) now[j] += y * x[i * D + j];
        if (y * f <= 0) now[D] += y;
        memcpy(w + i * (D + 1), now, sizeof now);
    }
}

static void noisy(double *x, int32_t *label)
{
    for (int i = 0; i < N; i++) label[i] = x[i * D] + 0.5 * x[i * D + 1] - 0.7 * x[i * D + 3] > 0;
    for (int i = 0; i < N; i += 9) label[i] = !label[i];
}

static void averaged_is_the_mean_over_all_rows(void **unused)
{
    double *x = random_matrix(N * D, 21), w[N * (D + 1)];
    int32_t label[N];
    struct matrix_data m;
    (void)unused;
    noisy(x, label);
    class_data(&m, N, D, 2, x, label, NULL);
    struct fitted f =
        fit_matrix(&smr_perceptron, "variant=averaged max_iter=1 shuffle=no", &m.data, 1);
    all_vectors(x, label, w);
    for (int j = 0; j <= D; j++) {
        double mean = 0;
        for (int i = 0; i < N; i++) mean += w[i * (D + 1) + j] / N;
        check_near("mean", state_array(&f, "mean")[j], mean, 1e-12);
    }
    end_fitted(&f);
    free(x);
}

/* Of two sentences: are the weights after the last row the same? */
static bool are_alike(const struct matrix_data *m, const char *a, const char *b)
{
    struct fitted f = fit_matrix(&smr_perceptron, a, &m->data, 1);
    struct fitted g = fit_matrix(&smr_perceptron, b, &m->data, 1);
    const struct smr_perceptron_state *s = f.state, *t = g.state;
    bool alike = (s->mean == NULL) == (t->mean == NULL) &&
                 memcmp(s->weights, t->weights, (D + 1) * sizeof *s->weights) == 0 &&
                 (!s->mean || memcmp(s->mean, t->mean, (D + 1) * sizeof *s->mean) == 0);
    end_fitted(&f);
    end_fitted(&g);
    return alike;
}

static void nothing_set_averages_over_shuffled_rows(void **unused)
{
    double *x = random_matrix(N * D, 21);
    int32_t label[N];
    struct matrix_data m;
    (void)unused;
    noisy(x, label);
    class_data(&m, N, D, 2, x, label, NULL);
    assert_true(are_alike(&m, "", "variant=averaged shuffle=yes"));
    assert_false(are_alike(&m, "", "variant=averaged shuffle=no"));
    assert_true(are_alike(&m, "variant=plain", "variant=plain shuffle=no"));
    assert_true(are_alike(&m, "variant=voted", "variant=voted shuffle=no"));
    assert_false(are_alike(&m, "variant=plain", "variant=plain shuffle=yes"));
    free(x);
}

static void nothing_set_is_plain_in_a_stream(void **unused)
{
    static const char *const words[] = {"", "variant=averaged"};
    (void)unused;
    for (int k = 0; k < 2; k++) {
        struct fitted f = {.ctx = check_ctx(1), .learner = &smr_perceptron};
        smr_shape shape = {.n_features = D, .task = SMR_TASK_CLASSIFY, .n_classes = 2};
        f.params = make_params(f.ctx, &smr_perceptron, words[k]);
        check_ok(f.ctx, smr_state_create(f.ctx, &smr_perceptron, &f.state));
        check_ok(f.ctx, smr_perceptron.stream->begin(f.ctx, f.params, &shape, f.state));
        assert_true((((struct smr_perceptron_state *)f.state)->mean != NULL) == (k == 1));
        end_fitted(&f);
    }
}

static void voted_counts_the_signs_of_all_rows_weights(void **unused)
{
    double *x = random_matrix(N * D, 22), w[N * (D + 1)], out[2 * N], scratch[D + 1];
    int32_t label[N];
    struct matrix_data m;
    (void)unused;
    noisy(x, label);
    class_data(&m, N, D, 2, x, label, NULL);
    struct fitted f = fit_matrix(&smr_perceptron, "variant=voted max_iter=1", &m.data, 1);
    smr_rows rows = {.n = N, .d = D, .form = SMR_FORM_F64, .x = x, .stride = D};
    check_ok(f.ctx, smr_perceptron.fitted->predict(f.ctx, f.params, f.state, &rows,
                                                   SMR_OUTPUT_DECISION, out, scratch));
    all_vectors(x, label, w);
    for (int i = 0; i < N; i++) {
        double votes = 0;
        for (int v = 0; v < N; v++) {
            double s = w[v * (D + 1) + D];
            for (int j = 0; j < D; j++) s += w[v * (D + 1) + j] * x[i * D + j];
            votes += s > 0 ? 1 : s < 0 ? -1 : 0;
        }
        check_near("votes", out[2 * i + 1], votes / N, 1e-12);
        check_near("against", out[2 * i], -votes / N, 1e-12);
    }
    end_fitted(&f);
    free(x);
}

/* 2000 voters: a request for each would move all those before it. */
static void room_for_voters_grows_by_doubling(void **unused)
{
    static const double x[] = {0, 0, 0, 1, 1, 0, 1, 1};
    static const int32_t label[] = {0, 1, 1, 0};
    struct matrix_data m;
    (void)unused;
    class_data(&m, 4, 2, 2, x, label, NULL);
    struct fitted f = {.ctx = check_ctx(1), .learner = &smr_perceptron};
    f.params = make_params(f.ctx, &smr_perceptron, "variant=voted max_iter=500");
    check_ok(f.ctx, smr_state_create(f.ctx, &smr_perceptron, &f.state));
    smr_memory_fail_at(f.ctx, 4 * 500 + 100); /* 4 per pass, and some */
    check_ok(f.ctx, smr_learner_fit(f.ctx, &smr_perceptron, f.params, &m.data, f.state, &f.report));
    smr_memory_fail_at(f.ctx, -1);
    check_near("mistakes", number(&f, "mistakes"), 2000, 0);
    check_near("vote", state_array(&f, "votes")[2000], 1, 0);
    end_fitted(&f);
}

static void margin_leaves_every_row_ahead_by_it(void **unused)
{
    int32_t label[N];
    double *x = separable(label, 0.4, 2), out[2 * N], scratch[D + 1];
    struct matrix_data m;
    (void)unused;
    class_data(&m, N, D, 2, x, label, NULL);
    struct fitted f =
        fit_matrix(&smr_perceptron, "variant=margin margin=2.5 max_iter=2000", &m.data, 1);
    smr_rows rows = {.n = N, .d = D, .form = SMR_FORM_F64, .x = x, .stride = D};
    assert_true(f.report.converged);
    check_ok(f.ctx, smr_perceptron.fitted->predict(f.ctx, f.params, f.state, &rows,
                                                   SMR_OUTPUT_DECISION, out, scratch));
    for (int i = 0; i < N; i++) assert_true(out[2 * i + label[i]] > 2.5);
    end_fitted(&f);
    free(x);
}

static void three_classes_are_separated_within_their_bound(void **unused)
{
    int32_t label[N];
    double *x = separable(label, 0.5, 3), out[3 * N], scratch[D + 3];
    struct matrix_data m;
    (void)unused;
    class_data(&m, N, D, 3, x, label, NULL);
    struct fitted f = fit_matrix(&smr_perceptron, "variant=plain max_iter=2000", &m.data, 1);
    smr_rows rows = {.n = N, .d = D, .form = SMR_FORM_F64, .x = x, .stride = D};
    assert_true(f.report.converged);
    check_ok(f.ctx, smr_perceptron.fitted->predict(f.ctx, f.params, f.state, &rows,
                                                   SMR_OUTPUT_DECISION, out, scratch));
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 3; c++)
            assert_true(c == label[i] || out[3 * i + label[i]] > out[3 * i + c]);
    assert_true(number(&f, "mistakes") <= shown(&f, &m.data, "bound_by_it"));
    end_fitted(&f);
    free(x);
}

static void a_pass_that_hardly_moves_ends_it(void **unused)
{
    double *x = random_matrix(N * D, 21);
    int32_t label[N];
    struct matrix_data m;
    (void)unused;
    noisy(x, label);
    class_data(&m, N, D, 2, x, label, NULL);
    struct fitted f = fit_matrix(&smr_perceptron, "tol=1e9", &m.data, 1);
    assert_int_equal(f.report.n_iter, 1);
    assert_true(f.report.converged && isnan(number(&f, "radius")));
    end_fitted(&f);
    free(x);
}

static void failing_allocations_are_survived(void **unused)
{
    int32_t label[N];
    double *x = separable(label, 0.4, 2);
    struct matrix_data m;
    (void)unused;
    class_data(&m, N, D, 2, x, label, NULL);
    check_failing_fits(&smr_perceptron, "variant=voted shuffle=yes", &m.data);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truth_tables_give_the_figures_of_the_course),
        cmocka_unit_test(xor_never_ends),
        cmocka_unit_test(xor_with_a_feature_a_row_takes_four_mistakes),
        cmocka_unit_test(mistakes_stay_below_the_bound_in_any_order),
        cmocka_unit_test(the_rate_only_scales_the_weights),
        cmocka_unit_test(averaged_is_the_mean_over_all_rows),
        cmocka_unit_test(nothing_set_averages_over_shuffled_rows),
        cmocka_unit_test(nothing_set_is_plain_in_a_stream),
        cmocka_unit_test(voted_counts_the_signs_of_all_rows_weights),
        cmocka_unit_test(room_for_voters_grows_by_doubling),
        cmocka_unit_test(margin_leaves_every_row_ahead_by_it),
        cmocka_unit_test(three_classes_are_separated_within_their_bound),
        cmocka_unit_test(a_pass_that_hardly_moves_ends_it),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
