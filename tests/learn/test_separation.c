/* test_separation.c -- logistic without a penalty says whether its optimum is finite: against a
 * linear programme, for every solver, in any units, with rows of weight 0, and in sparse rows. */
#include "learn/matrix_data.h"
#include "pipeline.h"

#include "learn/linear/glm.h"
#include "learn/linear/logistic.h"
#include "truth/separation.h"

extern const smr_learner smr_logistic;

enum { MOST = 300 * 24 };

struct table {
    struct matrix_data m;
    double x[MOST], weight[320];
    int32_t label[320];
};

/* Table t of the truth; every column j in the unit 10^((j % 3 - 1) * units), moved by far. */
static void make_table(struct table *t, size_t which, double units, double far)
{
    const short *x = separation_x;
    const signed char *y = separation_y;
    for (size_t i = 0; i < which; i++) {
        x += separation_truth[i].n * separation_truth[i].d;
        y += separation_truth[i].n;
    }
    int64_t n = separation_truth[which].n, d = separation_truth[which].d;
    assert_true(n * d <= MOST && n <= 300);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++)
            t->x[i * d + j] = x[i * d + j] * pow(10, (double)(j % 3 - 1) * units) + far;
        t->label[i] = y[i];
    }
    matrix_data(&t->m, n, d, 0, t->x, NULL, NULL);
    t->m.data.task = SMR_TASK_CLASSIFY;
    t->m.data.label = t->label;
    t->m.data.n_classes = separation_truth[which].k;
}

static void check_table(struct table *t, size_t which, const char *words)
{
    char all[128];
    struct heard heard;
    smr_fit_report report = {0};
    void *state = NULL;
    int want = separation_truth[which].separation;
    snprintf(all, sizeof all, "l2=0 fit_intercept=%s %s",
             separation_truth[which].intercept ? "yes" : "no", words);
    smr_ctx *ctx = hearing_ctx(&heard);
    void *params = make_params(ctx, &smr_logistic, all);
    check_ok(ctx, smr_state_create(ctx, &smr_logistic, &state));
    check_ok(ctx, smr_learner_fit(ctx, &smr_logistic, params, &t->m.data, state, &report));
    const struct smr_logistic_state *s = state;
    if (s->separation != want)
        fail_msg("table %d (%s): %d in place of %d", (int)which, all, (int)s->separation, want);
    if (want) {
        assert_false(report.converged);
        check_heard(&heard, "without a penalty the coefficients grow for ever");
        assert_null(strstr(heard.text, "constant, or combinations of others"));
    }
    smr_fit_report_release(&report);
    smr_state_free(&smr_logistic, state);
    smr_params_free(smr_logistic.word, params);
    check_ctx_end(ctx);
}

static void the_linear_programme_agrees(void **state)
{
    struct table *t = test_malloc(sizeof *t);
    int kinds[3] = {0};
    (void)state;
    for (size_t i = 0; i < SMR_COUNT(separation_truth); i++) {
        make_table(t, i, 0, 0);
        check_table(t, i, "");
        check_table(t, i, "solver=lbfgs");
        check_table(t, i, "solver=trust");
        check_table(t, i, "tol=1e-2"); /* far from the optimum, or from infinity */
        make_table(t, i, 4, 0);
        check_table(t, i, "");
        if (separation_truth[i].intercept) {
            make_table(t, i, 0, 1e4);
            check_table(t, i, "");
        }
        kinds[separation_truth[i].separation]++;
    }
    assert_true(kinds[0] > 5 && kinds[1] > 3 && kinds[2] > 4);
    test_free(t);
}

/* A row of weight 0 on the wrong side changes nothing; one of weight 1e-3 does. */
static void weights_count_only_where_they_are(void **state)
{
    struct table *t = test_malloc(sizeof *t);
    (void)state;
    for (size_t i = 0; i < SMR_COUNT(separation_truth); i++) {
        if (separation_truth[i].separation != 1 || separation_truth[i].k != 2) continue;
        make_table(t, i, 0, 0);
        int64_t n = t->m.data.n_rows, d = t->m.data.n_features;
        for (int64_t r = 0; r < n; r++) { /* every row again, of the other class */
            memcpy(t->x + (n + r) * d, t->x + r * d, (size_t)d * sizeof *t->x);
            t->label[n + r] = 1 - t->label[r];
            t->weight[r] = 2;
            t->weight[n + r] = 0;
        }
        if (2 * n > 300) continue;
        matrix_data(&t->m, 2 * n, d, 0, t->x, NULL, t->weight);
        t->m.data.task = SMR_TASK_CLASSIFY;
        t->m.data.label = t->label;
        t->m.data.n_classes = 2;
        check_table(t, i, "");
        for (int64_t r = 0; r < n; r++) t->weight[n + r] = 1e-3;
        struct fitted f = fit_matrix(&smr_logistic, "l2=0", &t->m.data, 1);
        assert_int_equal(((const struct smr_logistic_state *)f.state)->separation,
                         SMR_LOGISTIC_OVERLAP);
        end_fitted(&f);
    }
    test_free(t);
}

/* More columns than a Hessian has room for: a word that one class alone uses is found. */
static void a_word_of_one_class_alone_parts_it(void **state)
{
    enum { N = 40, D = 1200 };
    static double x[N * D];
    int32_t label[N];
    smr_feature *features = test_calloc(D, sizeof *features);
    struct matrix_data m;
    (void)state;
    for (int64_t i = 0; i < N; i++) {
        label[i] = (int32_t)(i % 2);
        x[i * D] = (double)(i / 2); /* the same in both */
        x[i * D + 7] = i == 5 ? 3 : 0;
    }
    matrix_data(&m, N, 1, 0, x, NULL, NULL);
    for (int64_t j = 0; j < D; j++)
        features[j] = (smr_feature){
            .name = "x", .kind = SMR_NUMBER, .dtype = SMR_F64, .values = x + j, .stride = D};
    m.data.features = features;
    m.data.n_features = D;
    m.data.task = SMR_TASK_CLASSIFY;
    m.data.label = label;
    m.data.n_classes = 2;
    for (int turn = 0; turn < 2; turn++) {
        struct fitted f = fit_matrix(&smr_logistic, "l2=0", &m.data, 1);
        assert_int_equal(((const struct smr_logistic_state *)f.state)->separation,
                         turn ? SMR_LOGISTIC_OVERLAP : SMR_LOGISTIC_PARTED);
        end_fitted(&f);
        x[6 * D + 7] = 4; /* now class 0 has it too, and more of it */
        x[8 * D + 7] = 1;
    }
    test_free(features);
}

/* A column that only class 0 has: what is left in the limit is the fit of the other rows, with
 * their standard errors. */
static void what_has_a_finite_value_keeps_its_error(void **state)
{
    enum { N = 120, FEW = 100 };
    double x[N * 3], y[N];
    int32_t label[N];
    struct matrix_data all, few;
    (void)state;
    for (int64_t i = 0; i < N; i++) {
        x[3 * i] = smr_random_unit(5, SMR_STREAM_TEST, 0, (uint64_t)i);
        x[3 * i + 1] = smr_random_unit(5, SMR_STREAM_TEST, 1, (uint64_t)i);
        x[3 * i + 2] = i >= FEW;
        label[i] = i < FEW && x[3 * i] + smr_random_unit(5, SMR_STREAM_TEST, 2, (uint64_t)i) > 1;
        y[i] = i < FEW ? (double)(i % 4) + label[i] : 0;
    }
    matrix_data(&all, N, 3, 1, x, y, NULL);
    matrix_data(&few, FEW, 3, 1, x, y, NULL);
    few.data.features = few.features;
    few.data.n_features = 2; /* the stride stays 3 */
    for (int task = 0; task < 2; task++) {
        extern const smr_learner smr_poisson;
        const smr_learner *l = task ? &smr_poisson : &smr_logistic;
        all.data.task = few.data.task = task ? SMR_TASK_REGRESS : SMR_TASK_CLASSIFY;
        all.data.label = few.data.label = task ? NULL : label;
        all.data.n_classes = few.data.n_classes = task ? 0 : 2;
        struct fitted a = fit_matrix(l, "l2=0 tol=1e-9", &all.data, 1);
        struct fitted b = fit_matrix(l, "l2=0 tol=1e-9", &few.data, 1);
        const struct smr_logistic_state *la = a.state, *lb = b.state;
        const struct smr_glm_state *pa = a.state, *pb = b.state;
        const double *ea = task ? pa->std_error : la->std_error;
        const double *eb = task ? pb->std_error : lb->std_error;
        assert_false(a.report.converged);
        assert_true(b.report.converged);
        assert_true(isnan(ea[2]));
        for (int j = 0; j < 2; j++) {
            check_near("coefficient", task ? pa->coef[j] : la->coef[j],
                       task ? pb->coef[j] : lb->coef[j], 1e-6);
            check_near("standard error", ea[j], eb[j], 1e-6);
        }
        end_fitted(&a);
        end_fitted(&b);
    }
}

/* n rows of `own` random columns, then sums of two of them as a file with six digits has them; four
 * of seven classes lie far off along a column each, the others are mixed; or all are, each row
 * twice in two classes. */
enum { NEAR_N = 400, NEAR_OWN = 13, NEAR_D = 19 };

static void make_near_sums(struct matrix_data *m, bool apart, double *x, int32_t *label)
{
    for (int64_t i = 0; i < NEAR_N; i++) {
        double *row = x + i * NEAR_D;
        int64_t twin = apart ? i : i / 2;
        label[i] = (int32_t)(7 * smr_random_unit(71, SMR_STREAM_TEST, 0, (uint64_t)i));
        for (int64_t j = 0; j < NEAR_OWN; j++) {
            row[j] = -6;
            for (int64_t k = 0; k < 12; k++)
                row[j] +=
                    smr_random_unit(72 + (uint64_t)k, SMR_STREAM_TEST, (uint64_t)j, (uint64_t)twin);
            if (apart && label[i] == j && j < 4) row[j] += 12;
            row[j] = round(row[j] * 1e5) / 1e5;
        }
        for (int64_t j = NEAR_OWN; j < NEAR_D; j++) {
            double off = smr_random_unit(90, SMR_STREAM_TEST, (uint64_t)j, (uint64_t)twin) - 0.5;
            row[j] = row[j - NEAR_OWN] + row[j - NEAR_OWN + 1] + 3e-5 * off;
        }
    }
    for (int64_t i = 0; i < NEAR_N && !apart; i++)
        if (i % 2) label[i] = (label[i - 1] + 1 + label[i] % 6) % 7;
    matrix_data(m, NEAR_N, NEAR_D, 0, x, NULL, NULL);
    m->data.task = SMR_TASK_CLASSIFY;
    m->data.label = label;
    m->data.n_classes = 7;
}

/* Columns that are sums of others but for their last digits: separation is found, overlap has one
 * optimum, and a solver that does not come to it says so. */
static void last_digits_of_sums_hide_nothing(void **state)
{
    static const char *const solvers[] = {"auto", "newton", "lbfgs", "trust"};
    double *x = test_calloc(NEAR_N * NEAR_D, sizeof *x), least = INFINITY;
    int32_t label[NEAR_N];
    struct matrix_data m;
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        make_near_sums(&m, apart, x, label);
        for (int s = 0; s < SMR_COUNT(solvers); s++) {
            char words[64];
            snprintf(words, sizeof words, "l2=0 solver=%s", solvers[s]);
            struct fitted f = fit_matrix(&smr_logistic, words, &m.data, 1);
            const struct smr_logistic_state *found = f.state;
            assert_int_equal(found->separation, apart ? SMR_LOGISTIC_PARTED : SMR_LOGISTIC_OVERLAP);
            if (apart) {
                assert_false(f.report.converged);
            } else {
                if (s == 0) least = f.report.objective;
                if (s < 2) assert_true(f.report.converged);
                if (f.report.converged && f.report.objective > least * (1 + 2e-6))
                    fail_msg("%s: converged at %.9g, above %.9g", words, f.report.objective, least);
            }
            end_fitted(&f);
        }
    }
    test_free(x);
}

static void refused_memory_is_survived(void **state)
{
    struct table *t = test_malloc(sizeof *t);
    (void)state;
    for (size_t i = 0; i < SMR_COUNT(separation_truth); i++) {
        if (separation_truth[i].separation != 2 || separation_truth[i].n > 100) continue;
        make_table(t, i, 0, 0);
        check_failing_fits(&smr_logistic, "l2=0", &t->m.data);
        break;
    }
    test_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_linear_programme_agrees),
        cmocka_unit_test(weights_count_only_where_they_are),
        cmocka_unit_test(a_word_of_one_class_alone_parts_it),
        cmocka_unit_test(what_has_a_finite_value_keeps_its_error),
        cmocka_unit_test(last_digits_of_sums_hide_nothing),
        cmocka_unit_test(refused_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
