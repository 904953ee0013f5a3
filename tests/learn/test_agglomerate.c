/* test_agglomerate.c -- merges of the nearest pair, looked for each time; heights of another
 * program; cuts, weights, new rows. */
#include "learn/cluster/agglomerate.h"

#include "kernel/kernel.h"
#include "learn/cluster_data.h"
#include "truth/grouping.h"

extern const smr_learner smr_agglomerate;

static const struct smr_agglomerate_state *state_of(const struct fitted *f)
{
    return f->state;
}

/* ---- the nearest pair, each time -------------------------------------------------------- */

static double pair_distance(int metric, int64_t d, const double *a, const double *b)
{
    if (metric == SMR_METRIC_MANHATTAN) return smr_l1_f64(d, a, b);
    if (metric == SMR_METRIC_CHEBYSHEV) return smr_linf_f64(d, a, b);
    return sqrt(smr_l2sq_f64(d, a, b));
}

/* The distance of two sets of rows, from the definition. */
static double set_distance(int linkage, int metric, int64_t n, int64_t d, const double *x,
                           const int32_t *home, int32_t a, int32_t b)
{
    double least = INFINITY, most = 0, sum = 0, square = 0;
    int64_t n_a = 0, n_b = 0;
    for (int64_t i = 0; i < n; i++) {
        n_a += home[i] == a;
        n_b += home[i] == b;
        for (int64_t j = 0; j < n; j++) {
            if (home[i] != a || home[j] != b) continue;
            double far = pair_distance(metric, d, x + i * d, x + j * d);
            least = fmin(least, far);
            most = fmax(most, far);
            sum += far;
        }
    }
    if (linkage == SMR_LINKAGE_SINGLE) return least;
    if (linkage == SMR_LINKAGE_COMPLETE) return most;
    if (linkage == SMR_LINKAGE_AVERAGE) return sum / (double)(n_a * n_b);
    for (int64_t j = 0; j < d; j++) {
        double m_a = 0, m_b = 0;
        for (int64_t i = 0; i < n; i++) {
            m_a += home[i] == a ? x[i * d + j] / (double)n_a : 0;
            m_b += home[i] == b ? x[i * d + j] / (double)n_b : 0;
        }
        square += (m_a - m_b) * (m_a - m_b);
    }
    return sqrt(2.0 * (double)(n_a * n_b) / (double)(n_a + n_b) * square);
}

static void check_merges(const char *words, int linkage, int metric, int64_t n, int64_t d,
                         const double *x)
{
    int32_t *home = malloc((size_t)n * sizeof *home);
    struct fitted f = fit_clusters(&smr_agglomerate, words, n, d, x, NULL, 2);
    const struct smr_agglomerate_state *s = state_of(&f);
    for (int64_t i = 0; i < n; i++) home[i] = (int32_t)i;
    for (int64_t m = 0; m < n - 1; m++) {
        double best = INFINITY, own;
        for (int32_t a = 0; a < n + m; a++)
            for (int32_t b = a + 1; b < n + m; b++) {
                bool has_a = false, has_b = false;
                for (int64_t i = 0; i < n; i++) has_a |= home[i] == a, has_b |= home[i] == b;
                if (has_a && has_b)
                    best = fmin(best, set_distance(linkage, metric, n, d, x, home, a, b));
            }
        own = set_distance(linkage, metric, n, d, x, home, s->left[m], s->right[m]);
        /* floats in the table of average and complete linkage */
        check_near(words, s->height[m], best, 3e-7 * best);
        check_near(words, own, best, 3e-7 * best);
        assert_true(s->left[m] < s->right[m]);
        for (int64_t i = 0; i < n; i++)
            if (home[i] == s->left[m] || home[i] == s->right[m]) home[i] = (int32_t)(n + m);
    }
    end_fitted(&f);
    free(home);
}

static void every_merge_is_of_the_nearest_pair(void **unused)
{
    static const struct {
        const char *words;
        int linkage, metric;
    } cases[] = {
        {"linkage=single", SMR_LINKAGE_SINGLE, SMR_METRIC_EUCLIDEAN},
        {"linkage=complete", SMR_LINKAGE_COMPLETE, SMR_METRIC_EUCLIDEAN},
        {"linkage=average", SMR_LINKAGE_AVERAGE, SMR_METRIC_EUCLIDEAN},
        {"linkage=ward", SMR_LINKAGE_WARD, SMR_METRIC_EUCLIDEAN},
        {"linkage=single metric=chebyshev", SMR_LINKAGE_SINGLE, SMR_METRIC_CHEBYSHEV},
        {"linkage=average metric=manhattan", SMR_LINKAGE_AVERAGE, SMR_METRIC_MANHATTAN},
    };
    (void)unused;
    for (int64_t c = 0; c < SMR_COUNT(cases); c++) {
        double *x = random_matrix(33 * 3, 60 + (uint64_t)c);
        check_merges(cases[c].words, cases[c].linkage, cases[c].metric, 33, 3, x);
        free(x);
    }
}

/* ---- another program -------------------------------------------------------------------- */

static void check_heights(const char *linkage, const double *height, const int64_t *size,
                          double within)
{
    char sentence[64];
    snprintf(sentence, sizeof sentence, "standardize | agglomerate linkage=%s", linkage);
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = NULL;
    smr_set_opts opts = {.ignore = "shade,acid,weight,part,second,cultivar", .keep_all = true};
    check_ok(ctx, smr_table_open(ctx, "tests/truth/wines.csv", NULL, &t));
    smr_model *m = NULL;
    check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
    const struct smr_agglomerate_state *s = smr_model_last(m)->state;
    for (int k = 0; k < 20; k++) {
        int64_t at = s->n_merges - 20 + k;
        check_near(linkage, s->height[at], height[k], within * height[k]);
        check_near(linkage, s->weight[at], (double)size[k], 0);
    }
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void heights_are_those_of_another_program(void **unused)
{
    (void)unused;
    check_heights("ward", heights_ward, sizes_ward, 1e-12);
    check_heights("single", heights_single, sizes_single, 1e-12);
    check_heights("complete", heights_complete, sizes_complete, 1e-7); /* floats */
    check_heights("average", heights_average, sizes_average, 5e-7);
}

/* ---- larger tables ---------------------------------------------------------------------- */

/* Tables are pushed together as clusters merge, looks are shared among threads. */
static void every_number_of_threads_gives_the_same(void **unused)
{
    static const char *const words[] = {"linkage=average k=7", "linkage=complete k=7",
                                        "linkage=ward k=7", "linkage=single k=7"};
    enum { N = 1500, D = 2 };
    double *x = heaps(N, D, 9, 91), *wide = random_matrix(700 * 900, 92);
    (void)unused;
    for (int w = 0; w < 4; w++) {
        struct fitted f = fit_clusters(&smr_agglomerate, words[w], N, D, x, NULL, 1);
        struct fitted g = fit_clusters(&smr_agglomerate, words[w], N, D, x, NULL, 7);
        const struct smr_agglomerate_state *a = f.state, *b = g.state;
        assert_memory_equal(a->height, b->height, (N - 1) * sizeof *a->height);
        assert_memory_equal(a->left, b->left, (N - 1) * sizeof *a->left);
        for (int m = 1; m < N - 1; m++) assert_true(a->height[m] >= a->height[m - 1]);
        check_near("all rows", a->weight[N - 2], N, 0);
        end_fitted(&f);
        end_fitted(&g);
    }
    free(x);
    free(wide);
}

/* ---- cuts ------------------------------------------------------------------------------- */

static void a_tree_is_cut_by_number_by_height_and_by_its_widest_gap(void **unused)
{
    /* pairs at 1, their groups at 10, all at 100 */
    const double x[] = {0, 1, 10, 11, 100, 101, 110, 111};
    double got[8];
    (void)unused;
    static const struct {
        const char *words;
        int64_t n;
        double label[8];
    } cases[] = {
        {"linkage=single k=2", 2, {0, 0, 0, 0, 1, 1, 1, 1}},
        {"linkage=single k=4", 4, {0, 0, 1, 1, 2, 2, 3, 3}},
        {"linkage=single", 2, {0, 0, 0, 0, 1, 1, 1, 1}},
        {"linkage=single height=9", 2, {0, 0, 0, 0, 1, 1, 1, 1}},
        {"linkage=single height=8.99", 4, {0, 0, 1, 1, 2, 2, 3, 3}},
        {"linkage=single height=0", 8, {0, 1, 2, 3, 4, 5, 6, 7}},
        {"linkage=ward k=1", 1, {0, 0, 0, 0, 0, 0, 0, 0}},
        {"linkage=complete k=8", 8, {0, 1, 2, 3, 4, 5, 6, 7}},
    };
    for (int64_t c = 0; c < SMR_COUNT(cases); c++) {
        struct fitted f = fit_clusters(&smr_agglomerate, cases[c].words, 8, 1, x, NULL, 1);
        assert_int_equal(state_of(&f)->n_clusters, cases[c].n);
        ask_clusters(&f, 8, 1, x, SMR_OUTPUT_LABEL, got);
        for (int i = 0; i < 8; i++) check_near(cases[c].words, got[i], cases[c].label[i], 0);
        end_fitted(&f);
    }
}

static void few_rows_and_equal_ones_are_clusters_too(void **unused)
{
    const double x[] = {2, 2, 2, 5};
    double got[4];
    (void)unused;
    for (int64_t n = 1; n <= 4; n++) {
        struct fitted f = fit_clusters(&smr_agglomerate, "", n, 1, x, NULL, 1);
        assert_int_equal(state_of(&f)->n_clusters, n == 4 ? 2 : 1);
        ask_clusters(&f, n, 1, x, SMR_OUTPUT_LABEL, got);
        for (int64_t i = 0; i < n; i++) check_near("label", got[i], i == 3, 0);
        end_fitted(&f);
    }
    struct matrix_data m;
    cluster_data(&m, 4, 1, x, NULL);
    check_refused(&smr_agglomerate, "k=3", &m.data, 0,
                  "agglomerate: 2 distinct rows cannot make k=3 clusters; give a k from 1 to 2");
    cluster_data(&m, 1, 1, x, NULL);
    check_refused(&smr_agglomerate, "k=2", &m.data, 0,
                  "agglomerate: 1 distinct row cannot make k=2 clusters; give a k from 1 to 1");
}

/* ---- weights and new rows --------------------------------------------------------------- */

static void a_weight_is_so_many_rows(void **unused)
{
    static const char *const words[] = {"linkage=average k=6", "linkage=complete k=6",
                                        "linkage=ward k=6", "linkage=single k=6"};
    enum { N = 150, D = 2 };
    double *x = random_matrix(N * D, 17), w[N], *twice = malloc(3 * N * D * sizeof *twice);
    double one[N], all[3 * N];
    int64_t n = 0, first[N];
    (void)unused;
    for (int64_t i = 0; i < N; i++) {
        w[i] = (double)(i * 7 % 4);
        first[i] = n;
        for (int r = 0; r < (int)w[i]; r++) memcpy(twice + n++ * D, x + i * D, D * sizeof *x);
    }
    for (int k = 0; k < 4; k++) {
        struct fitted f = fit_clusters(&smr_agglomerate, words[k], N, D, x, w, 1);
        struct fitted g = fit_clusters(&smr_agglomerate, words[k], n, D, twice, NULL, 1);
        const struct smr_agglomerate_state *a = f.state, *b = g.state;
        for (int64_t m = 1; m <= 30; m++) {
            double high = b->height[b->n_merges - m];
            check_near(words[k], a->height[a->n_merges - m], high, 1e-6 * high);
            check_near("weight", a->weight[a->n_merges - m], b->weight[b->n_merges - m], 1e-9);
        }
        ask_clusters(&f, N, D, x, SMR_OUTPUT_LABEL, one);
        ask_clusters(&g, n, D, twice, SMR_OUTPUT_LABEL, all);
        for (int i = 0; i < N; i++)
            if (w[i] > 0) check_near("label", one[i], all[first[i]], 0);
        end_fitted(&f);
        end_fitted(&g);
    }
    free(x);
    free(twice);
}

static void a_new_row_belongs_to_the_nearest_training_row(void **unused)
{
    const double x[] = {0, 1, 10, 11}, q[] = {-3, 5.49, 5.51, 5.5, 40};
    const double label[] = {0, 0, 1, 0, 1}, score[] = {-3, -4.49, -4.49, -4.5, -29};
    double got[5];
    (void)unused;
    struct fitted f = fit_clusters(&smr_agglomerate, "k=2", 4, 1, x, NULL, 1);
    ask_clusters(&f, 5, 1, q, SMR_OUTPUT_LABEL, got);
    for (int i = 0; i < 5; i++) check_near("label", got[i], label[i], 0);
    ask_clusters(&f, 5, 1, q, SMR_OUTPUT_SCORE, got);
    for (int i = 0; i < 5; i++) check_near("score", got[i], score[i], 1e-12);
    end_fitted(&f);
}

/* ---- what is refused -------------------------------------------------------------------- */

static void a_table_that_does_not_fit_is_told_before(void **unused)
{
    enum { N = 3000 };
    double *x = random_matrix(N, 4);
    struct matrix_data m;
    (void)unused;
    cluster_data(&m, N, 1, x, NULL);
    check_refused(&smr_agglomerate, "linkage=average", &m.data, 8 << 20,
                  "agglomerate: the table of distances of 3000 rows needs");
    check_refused(&smr_agglomerate, "linkage=complete", &m.data, 8 << 20,
                  "linkage=ward and linkage=single need no table; or take fewer rows");
    struct fitted f = fit_clusters(&smr_agglomerate, "linkage=ward", N, 1, x, NULL, 1);
    end_fitted(&f);
    x[7] = -INFINITY;
    check_refused(&smr_agglomerate, "", &m.data, 0,
                  "agglomerate: feature 'x0' of training row 8 is infinite");
    free(x);
}

static void what_makes_no_sense_is_refused(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_spec *spec = NULL;
    (void)unused;
    static const char *const said[][2] = {
        {"agglomerate 2.5", "agglomerate: k = 2.5 is not a whole number in [1, 2147483647], auto"},
        {"agglomerate 3 height=2", "agglomerate: k and height are both given; give one of them"},
        {"agglomerate metric=manhattan",
         "agglomerate: metric is not used with linkage=ward; leave it out"},
    };
    for (int i = 0; i < 3; i++) {
        smr_status st = smr_spec_parse(ctx, said[i][0], &spec);
        assert_int_not_equal(st, SMR_OK);
        if (!strstr(smr_ctx_message(ctx), said[i][1])) fail_msg("%s", smr_ctx_message(ctx));
        smr_ctx_clear(ctx);
    }
    check_ctx_end(ctx);
}

static void memory_that_fails_is_survived(void **unused)
{
    double *x = heaps(60, 2, 3, 6);
    struct matrix_data m;
    (void)unused;
    cluster_data(&m, 60, 2, x, NULL);
    check_failing_fits(&smr_agglomerate, "linkage=average", &m.data);
    check_failing_fits(&smr_agglomerate, "linkage=ward", &m.data);
    check_failing_fits(&smr_agglomerate, "linkage=single", &m.data);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_merge_is_of_the_nearest_pair),
        cmocka_unit_test(heights_are_those_of_another_program),
        cmocka_unit_test(every_number_of_threads_gives_the_same),
        cmocka_unit_test(a_tree_is_cut_by_number_by_height_and_by_its_widest_gap),
        cmocka_unit_test(few_rows_and_equal_ones_are_clusters_too),
        cmocka_unit_test(a_weight_is_so_many_rows),
        cmocka_unit_test(a_new_row_belongs_to_the_nearest_training_row),
        cmocka_unit_test(a_table_that_does_not_fit_is_told_before),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(memory_that_fails_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
