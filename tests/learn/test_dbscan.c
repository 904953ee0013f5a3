/* test_dbscan.c -- core rows, clusters and noise by looking at every pair; edges, weights, new
 * rows, the radius by rule. */
#include "learn/cluster/dbscan.h"

#include "kernel/kernel.h"
#include "learn/cluster_data.h"

extern const smr_learner smr_dbscan;

static const struct smr_dbscan_state *state_of(const struct fitted *f)
{
    return f->state;
}

/* ---- by every pair ---------------------------------------------------------------------- */

static double distance(int metric, int64_t d, const double *a, const double *b)
{
    if (metric == SMR_METRIC_MANHATTAN) return smr_l1_f64(d, a, b);
    if (metric == SMR_METRIC_CHEBYSHEV) return smr_linf_f64(d, a, b);
    return smr_l2sq_f64(d, a, b);
}

/* Labels from the definition: every pair, and links that are followed until nothing changes. */
static void by_every_pair(int metric, double eps, double least, int64_t n, int64_t d,
                          const double *x, const double *w, int32_t *label)
{
    double limit = metric == SMR_METRIC_EUCLIDEAN ? eps * eps : eps;
    bool *core = calloc((size_t)n, sizeof *core), changed = true;
    int64_t *set = calloc((size_t)n, sizeof *set);
    int32_t *number = calloc((size_t)n, sizeof *number), next = 0;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++)
            if (distance(metric, d, x + i * d, x + j * d) <= limit) sum += w ? w[j] : 1;
        core[i] = sum >= least;
        set[i] = i;
        number[i] = -1;
    }
    while (changed) {
        changed = false;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                if (!core[i] || !core[j] || set[i] <= set[j]) continue;
                if (distance(metric, d, x + i * d, x + j * d) > limit) continue;
                set[i] = set[j];
                changed = true;
            }
    }
    for (int64_t i = 0; i < n; i++)
        if (core[i] && number[set[i]] < 0) number[set[i]] = next++;
    for (int64_t i = 0; i < n; i++) {
        label[i] = core[i] ? number[set[i]] : -1;
        for (int64_t j = 0; j < n && !core[i]; j++) {
            if (!core[j] || distance(metric, d, x + i * d, x + j * d) > limit) continue;
            if (label[i] < 0 || number[set[j]] < label[i]) label[i] = number[set[j]];
        }
    }
    free(core);
    free(set);
    free(number);
}

static void check_labels(const char *words, int metric, double eps, double least, int64_t n,
                         int64_t d, const double *x, const double *w, int threads)
{
    double *got = malloc((size_t)n * sizeof *got);
    int32_t *want = malloc((size_t)n * sizeof *want);
    struct fitted f = fit_clusters(&smr_dbscan, words, n, d, x, w, threads);
    by_every_pair(metric, eps, least, n, d, x, w, want);
    ask_clusters(&f, n, d, x, SMR_OUTPUT_LABEL, got);
    for (int64_t i = 0; i < n; i++)
        if (got[i] != want[i])
            fail_msg("%s: row %d: %g, not %d", words, (int)i, got[i], (int)want[i]);
    end_fitted(&f);
    free(got);
    free(want);
}

static void labels_are_those_of_every_pair(void **unused)
{
    static const struct {
        const char *words;
        int metric;
        double eps, least;
        int64_t n, d, k;
    } cases[] = {
        {"eps=0.6 min_rows=5", SMR_METRIC_EUCLIDEAN, 0.6, 5, 1111, 2, 7},
        {"eps=1.3 min_rows=4", SMR_METRIC_EUCLIDEAN, 1.3, 4, 777, 5, 4},
        {"eps=0.9 min_rows=7 metric=manhattan", SMR_METRIC_MANHATTAN, 0.9, 7, 901, 2, 6},
        {"eps=0.5 min_rows=6 metric=chebyshev", SMR_METRIC_CHEBYSHEV, 0.5, 6, 901, 3, 5},
        {"eps=2.5 min_rows=3", SMR_METRIC_EUCLIDEAN, 2.5, 3, 300, 17, 3},
        {"eps=0.2 min_rows=1", SMR_METRIC_EUCLIDEAN, 0.2, 1, 333, 1, 3},
    };
    (void)unused;
    for (int64_t c = 0; c < SMR_COUNT(cases); c++) {
        double *x = heaps(cases[c].n, cases[c].d, cases[c].k, 40 + (uint64_t)c);
        for (int threads = 1; threads <= 7; threads += 3)
            check_labels(cases[c].words, cases[c].metric, cases[c].eps, cases[c].least, cases[c].n,
                         cases[c].d, x, NULL, threads);
        free(x);
    }
}

/* Rows on a grid: many distances are exactly eps, and count. */
static void rows_at_exactly_eps_are_near(void **unused)
{
    enum { SIDE = 13, N = SIDE * SIDE };
    double x[2 * N];
    (void)unused;
    for (int i = 0; i < N; i++) {
        x[2 * i] = i % SIDE * 0.1;
        x[2 * i + 1] = i / SIDE * 0.1 + (i / SIDE > 6 ? 3 : 0);
    }
    check_labels("eps=0.1 min_rows=4", SMR_METRIC_EUCLIDEAN, 0.1, 4, N, 2, x, NULL, 2);
    check_labels("eps=0.2 min_rows=5 metric=manhattan", SMR_METRIC_MANHATTAN, 0.2, 5, N, 2, x, NULL,
                 2);
}

/* ---- weights ---------------------------------------------------------------------------- */

static void a_weight_is_so_many_rows(void **unused)
{
    enum { N = 400, D = 2 };
    (void)unused;
    double *x = heaps(N, D, 5, 77), w[N], *twice = malloc(3 * N * D * sizeof *twice);
    double one[N], all[3 * N];
    int64_t n = 0, first[N];
    for (int64_t i = 0; i < N; i++) {
        w[i] = (double)(i * 7 % 4); /* 0: the row is not there */
        first[i] = n;
        for (int r = 0; r < (int)w[i]; r++) memcpy(twice + n++ * D, x + i * D, D * sizeof *x);
    }
    const char *words[] = {"eps=0.5 min_rows=9", "min_rows=6"};
    for (int k = 0; k < 2; k++) {
        struct fitted f = fit_clusters(&smr_dbscan, words[k], N, D, x, w, 2);
        struct fitted g = fit_clusters(&smr_dbscan, words[k], n, D, twice, NULL, 2);
        check_near("eps", state_of(&f)->eps, state_of(&g)->eps, 0);
        ask_clusters(&f, N, D, x, SMR_OUTPUT_LABEL, one);
        ask_clusters(&g, n, D, twice, SMR_OUTPUT_LABEL, all);
        for (int i = 0; i < N; i++)
            if (w[i] > 0) check_near("label", one[i], all[first[i]], 0);
        check_near("core", state_of(&f)->n_core, state_of(&g)->n_core, 0);
        check_near("edge", state_of(&f)->n_edge, state_of(&g)->n_edge, 0);
        check_near("noise", state_of(&f)->n_noise, state_of(&g)->n_noise, 0);
        end_fitted(&f);
        end_fitted(&g);
    }
    free(x);
    free(twice);
}

static void weights_may_be_fractions(void **unused)
{
    enum { N = 500, D = 2 };
    (void)unused;
    double *x = heaps(N, D, 5, 78), w[N];
    for (int i = 0; i < N; i++) w[i] = 0.25 + 0.5 * (i % 3);
    check_labels("eps=0.5 min_rows=4.125", SMR_METRIC_EUCLIDEAN, 0.5, 4.125, N, D, x, w, 3);
    free(x);
}

/* ---- new rows --------------------------------------------------------------------------- */

static void new_rows_are_judged_by_core_rows(void **unused)
{
    /* 0, 1, 2 and 10, 11, 12 are core with eps 1 and two rows; 6 is noise. */
    const double x[] = {0, 1, 2, 6, 10, 11, 12};
    const double q[] = {-1, -1.001, 3, 3.5, 6, 9, 8.99, 11.4, 13};
    const double label[] = {0, -1, 0, -1, -1, 1, -1, 1, 1};
    const double score[] = {-1, -1.001, -1, -1.5, -4, -1, -1.01, -0.4, -1};
    double got[9];
    (void)unused;
    struct fitted f = fit_clusters(&smr_dbscan, "eps=1 min_rows=2", 7, 1, x, NULL, 1);
    ask_clusters(&f, 9, 1, q, SMR_OUTPUT_LABEL, got);
    for (int i = 0; i < 9; i++) check_near("label", got[i], label[i], 0);
    ask_clusters(&f, 9, 1, q, SMR_OUTPUT_SCORE, got);
    for (int i = 0; i < 9; i++) check_near("score", got[i], score[i], 1e-12);
    assert_int_equal(state_of(&f)->sites.n_sites, 6);
    end_fitted(&f);
}

/* A row between two clusters belongs to the one with the lower number. */
static void an_edge_of_two_clusters_goes_to_the_first(void **unused)
{
    const double x[] = {5, 5.1, 5.2, 5.3, 6.2, 7.1, 7.2, 7.3, 7.4};
    double y[9], got[9];
    (void)unused;
    for (int i = 0; i < 9; i++) y[i] = x[8 - i];
    for (int turned = 0; turned < 2; turned++) {
        const double *rows = turned ? y : x;
        struct fitted f = fit_clusters(&smr_dbscan, "eps=0.91 min_rows=4", 9, 1, rows, NULL, 1);
        ask_clusters(&f, 9, 1, rows, SMR_OUTPUT_LABEL, got);
        for (int i = 0; i < 9; i++) check_near("label", got[i], i < 5 ? 0 : 1, 0);
        check_near("edges", state_of(&f)->n_edge, 1, 0);
        end_fitted(&f);
    }
}

/* ---- the radius by rule ----------------------------------------------------------------- */

static void the_rule_finds_where_the_curve_bends(void **unused)
{
    enum { N = 600, D = 2 };
    (void)unused;
    double *x = random_matrix(N * D, 5);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < D; j++)
            x[i * D + j] = i % 20 == 0 ? 12 * x[i * D + j] : 0.3 * x[i * D + j] + 8 * (i % 3) * j;
    struct fitted f = fit_clusters(&smr_dbscan, "", N, D, x, NULL, 1);
    const struct smr_dbscan_state *s = state_of(&f);
    assert_int_equal(s->n_curve, N);
    for (int k = 1; k < N; k++) assert_true(s->curve[k] >= s->curve[k - 1]);
    /* it is one of the distances, and no other is farther below the chord */
    double best = -1, at = 0;
    for (int k = 0; k < N; k++) {
        double below =
            (k + 1.0) / N - (s->curve[k] - s->curve[0]) / (s->curve[N - 1] - s->curve[0]);
        if (below > best) best = below, at = s->curve[k];
    }
    check_near("eps", s->eps, at, 0);
    assert_int_equal(s->n_clusters, 3);
    end_fitted(&f);
    free(x);
}

static void equal_rows_are_one_cluster(void **unused)
{
    double x[2 * 50], got[50];
    (void)unused;
    for (int i = 0; i < 100; i++) x[i] = 3.25;
    struct fitted f = fit_clusters(&smr_dbscan, "", 50, 2, x, NULL, 1);
    ask_clusters(&f, 50, 2, x, SMR_OUTPUT_LABEL, got);
    for (int i = 0; i < 50; i++) check_near("label", got[i], 0, 0);
    end_fitted(&f);
    f = fit_clusters(&smr_dbscan, "", 1, 2, x, NULL, 1);
    ask_clusters(&f, 1, 2, x, SMR_OUTPUT_LABEL, got);
    check_near("one row", got[0], -1, 0);
    end_fitted(&f);
}

/* ---- what is said and refused ----------------------------------------------------------- */

static void noise_is_said(void **unused)
{
    struct heard heard;
    (void)unused;
    smr_ctx *ctx = hearing_ctx(&heard);
    double x[40];
    for (int i = 0; i < 40; i++) x[i] = i * i;
    smr_table *t = new_table(ctx, 40, 1);
    put_numbers(ctx, t, 0, "x", x);
    smr_model_free(train_on(ctx, "dbscan 0.5", t, NULL));
    check_heard(&heard, "dbscan: no row has a weight of 5 within eps 0.5, so all rows are noise; "
                        "raise eps or lower min_rows");
    smr_model_free(train_on(ctx, "dbscan 3.5 min_rows=3", t, NULL));
    check_heard(&heard, "dbscan: more than half of the rows are noise with eps 3.5; raise eps, or "
                        "standardize first");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void what_has_no_distance_is_refused(void **unused)
{
    double x[] = {1, 2, INFINITY, 4}, none[] = {0, 0, 0, 0};
    struct matrix_data m;
    (void)unused;
    cluster_data(&m, 4, 1, x, NULL);
    check_refused(&smr_dbscan, "", &m.data, 0,
                  "dbscan: feature 'x0' of training row 3 is infinite; distances need numbers");
    x[2] = 3;
    cluster_data(&m, 4, 1, x, none);
    check_refused(&smr_dbscan, "", &m.data, 0, "dbscan: there are no rows to learn from");
    cluster_data(&m, 4, 0, x, NULL);
    check_refused(&smr_dbscan, "", &m.data, 0, "dbscan: there are no features");
    double *many = random_matrix(20000 * 8, 3);
    cluster_data(&m, 20000, 8, many, NULL);
    check_refused(&smr_dbscan, "", &m.data, 1 << 20, "use fewer rows or columns");
    free(many);
}

static void memory_that_fails_is_survived(void **unused)
{
    (void)unused;
    double *x = heaps(90, 2, 3, 6);
    struct matrix_data m;
    cluster_data(&m, 90, 2, x, NULL);
    check_failing_fits(&smr_dbscan, "", &m.data);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_those_of_every_pair),
        cmocka_unit_test(rows_at_exactly_eps_are_near),
        cmocka_unit_test(a_weight_is_so_many_rows),
        cmocka_unit_test(weights_may_be_fractions),
        cmocka_unit_test(new_rows_are_judged_by_core_rows),
        cmocka_unit_test(an_edge_of_two_clusters_goes_to_the_first),
        cmocka_unit_test(the_rule_finds_where_the_curve_bends),
        cmocka_unit_test(equal_rows_are_one_cluster),
        cmocka_unit_test(noise_is_said),
        cmocka_unit_test(what_has_no_distance_is_refused),
        cmocka_unit_test(memory_that_fails_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
