/* test_spectral.c -- graphs of rows link by link, clusters that k-means cannot find, signs, parts,
 * new rows. */
#include "learn/cluster/spectral.h"

#include "data/generate.h"
#include "kernel/kernel.h"
#include "learn/cluster_data.h"

static const struct smr_spectral_state *state_of(const struct fitted *f)
{
    return f->state;
}

/* Two rings around each other: n rows, a third of them within. */
static double *rings(int64_t n)
{
    double *x = malloc((size_t)(2 * n) * sizeof *x);
    for (int64_t i = 0; i < n; i++) {
        double angle = 6.283185307179586 * (double)i / (double)n * 3;
        double radius = (i % 3 ? 3 : 1) + 0.1 * sin(17.0 * (double)i);
        x[2 * i] = radius * cos(angle);
        x[2 * i + 1] = radius * sin(angle);
    }
    return x;
}

/* ---- the graph -------------------------------------------------------------------------- */

/* The weight of a link by the definition, over the rows in their order. */
static double link_of(const char *graph, int64_t n, const double *x, int64_t i, int64_t j,
                      int64_t k, double eps, double sigma)
{
    double far = sqrt(smr_l2sq_f64(2, x + 2 * i, x + 2 * j));
    double w = sigma > 0 ? exp(-far * far / (2 * sigma * sigma)) : 1;
    int64_t closer_i = 0, closer_j = 0;
    if (i == j) return 0;
    if (!strcmp(graph, "full")) return w;
    if (!strcmp(graph, "epsilon")) return far <= eps ? w : 0;
    for (int64_t m = 0; m < n; m++) {
        if (m != i && m != j) closer_i += smr_l2sq_f64(2, x + 2 * i, x + 2 * m) < far * far;
        if (m != i && m != j) closer_j += smr_l2sq_f64(2, x + 2 * j, x + 2 * m) < far * far;
    }
    bool a = closer_i < k, b = closer_j < k;
    if (!strcmp(graph, "mutual")) return a && b ? w : 0;
    return a && b ? w : a || b ? w / 2 : 0;
}

static void graphs_have_the_links_of_their_definitions(void **unused)
{
    static const struct {
        const char *name;
        int graph;
        double eps, sigma;
    } cases[] = {{"knn", SMR_GRAPH_KNN, NAN, 0},         {"mutual", SMR_GRAPH_MUTUAL, NAN, 0.7},
                 {"epsilon", SMR_GRAPH_EPSILON, 0.9, 0}, {"epsilon", SMR_GRAPH_EPSILON, 0.9, 0.5},
                 {"full", SMR_GRAPH_FULL, NAN, 0.8},     {"knn", SMR_GRAPH_KNN, NAN, 0.6}};
    enum { N = 101, K = 6 };
    (void)unused;
    for (int64_t c = 0; c < SMR_COUNT(cases); c++) {
        smr_ctx *ctx = check_ctx(2);
        double *x = random_matrix(2 * N, 31), *layout = calloc(2 * 112, sizeof *layout);
        int32_t order[N];
        smr_layout l = smr_layout_of(SMR_FORM_F64, false, N, 2);
        smr_site_search search;
        smr_graph g;
        smr_graph_opts o = {.who = "spectral",
                            .graph = cases[c].graph,
                            .weights = cases[c].sigma > 0 ? SMR_GRAPH_GAUSSIAN : SMR_GRAPH_ONES,
                            .neighbors = K,
                            .eps = cases[c].eps,
                            .sigma = cases[c].sigma > 0 ? cases[c].sigma : NAN};
        memcpy(layout, x, 2 * N * sizeof *x);
        check_ok(ctx, smr_kdtree_order(ctx, &l, false, layout, order));
        check_ok(ctx,
                 smr_site_search_open(ctx, SMR_METRIC_EUCLIDEAN, N, 2, layout, order, &search));
        check_ok(ctx, smr_near_graph(ctx, &search, &o, &g));
        for (int64_t i = 0; i < N; i++) {
            double row[N] = {0};
            for (int64_t e = g.start[i]; e < g.start[i + 1]; e++) row[g.to[e]] = g.weight[e];
            for (int64_t j = 0; j < N; j++) {
                double want = link_of(cases[c].name, N, x, order[i], order[j], K, cases[c].eps,
                                      cases[c].sigma);
                check_near(cases[c].name, row[j], want, 1e-14);
            }
        }
        smr_graph_release(&g);
        smr_site_search_close(&search);
        free(x);
        free(layout);
        check_ctx_end(ctx);
    }
}

/* ---- clusters --------------------------------------------------------------------------- */

static void rings_are_told_apart(void **unused)
{
    static const char *const words[] = {"k=2",
                                        "k=auto",
                                        "k=2 laplacian=symmetric",
                                        "k=2 laplacian=unnormalised",
                                        "k=2 graph=epsilon eps=0.7",
                                        "k=2 graph=full sigma=0.2",
                                        "k=2 graph=mutual neighbors=12",
                                        "k=2 neighbors=40 sigma=0.3 assign=sign",
                                        "k=auto graph=epsilon"};
    enum { N = 600 };
    double *x = rings(N), got[N];
    (void)unused;
    for (int64_t w = 0; w < SMR_COUNT(words); w++) {
        struct fitted f = fit_clusters(&smr_spectral, words[w], N, 2, x, NULL, 2);
        if (state_of(&f)->n_clusters != 2)
            fail_msg("%s: %d clusters", words[w], (int)state_of(&f)->n_clusters);
        ask_clusters(&f, N, 2, x, SMR_OUTPUT_LABEL, got);
        for (int i = 0; i < N; i++) check_near(words[w], got[i], i % 3 > 0, 0);
        end_fitted(&f);
    }
    free(x);
}

/* Heaps that touch: the same partition from all Laplacians, at any number of threads. */
static void heaps_are_told_apart(void **unused)
{
    static const char *const words[] = {"k=4", "k=4 laplacian=symmetric", "k=4 graph=full sigma=1",
                                        "k=auto"};
    enum { N = 800 };
    double *x = random_matrix(2 * N, 8), got[N];
    (void)unused;
    for (int i = 0; i < N; i++) {
        x[2 * i] += 4.5 * (i % 2);
        x[2 * i + 1] += 4.5 * (i / 2 % 2);
    }
    for (int64_t w = 0; w < SMR_COUNT(words); w++)
        for (int threads = 1; threads <= 7; threads += 6) {
            struct fitted f = fit_clusters(&smr_spectral, words[w], N, 2, x, NULL, threads);
            int wrong = 0;
            assert_int_equal(state_of(&f)->n_clusters, 4);
            ask_clusters(&f, N, 2, x, SMR_OUTPUT_LABEL, got);
            for (int i = 0; i < N; i++) wrong += got[i] != i % 4;
            if (wrong > N / 25) /* they overlap by about as much as 2.4% */
                fail_msg("%s: %d rows are elsewhere", words[w], wrong);
            end_fitted(&f);
        }
    free(x);
}

/* What it says of its own cuts is what the graph says. */
static void cuts_are_those_of_the_labels(void **unused)
{
    const double x[] = {0, 0, 1, 0, 0.5, 0.8, 2.2, 0.8, 1.7, 1.6, 2.7, 1.6};
    (void)unused;
    /* each row is within 1.75 of its triangle's; the bridge is 1.7 long */
    struct fitted f = fit_clusters(&smr_spectral, "k=2 graph=epsilon eps=1.7", 6, 2, x, NULL, 1);
    const struct smr_spectral_state *s = state_of(&f);
    check_near("links", s->links, 8, 0);
    check_near("cut", s->cut, 2, 0);
    check_near("RatioCut", s->ratio_cut, 4.0 / 3, 1e-14);
    check_near("Ncut", s->ncut, 4.0 / 8, 1e-14);
    check_near("MinMaxCut", s->min_max_cut, 4.0 / 6, 1e-14);
    end_fitted(&f);
}

/* ---- weights ---------------------------------------------------------------------------- */

/* Four heaps; row i comes weight[i] times in `all`. */
enum { DISTINCT = 300 };
struct repeated {
    double x[2 * DISTINCT], weight[DISTINCT], all[6 * DISTINCT];
    int64_t of[3 * DISTINCT], n;
};

static void repeat(struct repeated *r)
{
    double *x = random_matrix(2 * DISTINCT, 8);
    r->n = 0;
    for (int i = 0; i < DISTINCT; i++) {
        r->x[2 * i] = x[2 * i] + 6 * (i % 2);
        r->x[2 * i + 1] = x[2 * i + 1] + 6 * (i / 2 % 2);
        r->weight[i] = 1 + i * 7 % 3;
        for (int c = 0; c < r->weight[i]; c++) {
            memcpy(r->all + 2 * r->n, r->x + 2 * i, 2 * sizeof *x);
            r->of[r->n++] = i;
        }
    }
    free(x);
}

static void weights_are_rows_repeated(void **unused)
{
    static const struct {
        const char *words;
        double tol; /* of eigenvalues; 1: neighbours that are needed in part move them */
    } cases[] = {{"k=4", 1},
                 {"k=4 neighbors=9 laplacian=symmetric", 1},
                 {"k=4 graph=mutual neighbors=20 laplacian=unnormalised", 1},
                 {"k=auto", 1},
                 {"k=4 sigma=0.8", 1},
                 {"k=4 weights=gaussian", 1},
                 {"k=4 graph=epsilon eps=1.4", 1e-8},
                 {"k=4 graph=epsilon", 1e-8},
                 {"k=4 graph=full", 1e-8},
                 {"k=4 graph=full sigma=1 laplacian=symmetric", 1e-8},
                 {"k=4 graph=full sigma=1 laplacian=unnormalised", 1e-8},
                 {"k=2 graph=full sigma=2 assign=sign", 1e-8}};
    struct repeated r;
    (void)unused;
    repeat(&r);
    for (int64_t c = 0; c < SMR_COUNT(cases); c++) {
        const char *words = cases[c].words;
        struct fitted a = fit_clusters(&smr_spectral, words, DISTINCT, 2, r.x, r.weight, 2);
        struct fitted b = fit_clusters(&smr_spectral, words, r.n, 2, r.all, NULL, 2);
        const struct smr_spectral_state *s = state_of(&a), *t = state_of(&b);
        double got[DISTINCT], want[3 * DISTINCT];
        ask_clusters(&a, DISTINCT, 2, r.x, SMR_OUTPUT_LABEL, got);
        ask_clusters(&b, r.n, 2, r.all, SMR_OUTPUT_LABEL, want);
        for (int64_t i = 0; i < r.n; i++) check_near(words, got[r.of[i]], want[i], 0);
        check_near(words, s->cut, t->cut, 1e-9 * (1 + t->cut));
        check_near(words, s->ratio_cut, t->ratio_cut, 1e-9 * (1 + t->ratio_cut));
        check_near(words, s->ncut, t->ncut, 1e-9);
        check_near(words, s->min_max_cut, t->min_max_cut, 1e-9);
        check_near(words, s->sigma, t->sigma, 1e-12);
        check_near(words, s->eps, t->eps, 1e-12);
        check_near(words, s->n_rows, (double)r.n, 0);
        assert_int_equal(s->n_values, t->n_values);
        for (int64_t k = 0; k < s->n_clusters; k++) check_near(words, s->size[k], t->size[k], 0);
        for (int64_t k = 0; cases[c].tol < 1 && k < s->n_values; k++)
            check_near(words, s->value[k], t->value[k], cases[c].tol * fmax(1, t->value[k]));
        end_fitted(&a);
        end_fitted(&b);
    }
}

/* Of no weight: not there.  Small ones: more neighbours are looked for. */
static void weights_of_any_size_are_taken(void **unused)
{
    struct repeated r;
    double got[DISTINCT];
    (void)unused;
    repeat(&r);
    for (int i = 0; i < DISTINCT; i++) r.weight[i] = 0.3 * (i % 5);
    for (int w = 0; w < 2; w++) {
        struct fitted f = fit_clusters(&smr_spectral, w ? "k=4 graph=full sigma=1" : "k=4",
                                       DISTINCT, 2, r.x, r.weight, 1);
        assert_int_equal(state_of(&f)->sites.n_sites, DISTINCT * 4 / 5);
        ask_clusters(&f, DISTINCT, 2, r.x, SMR_OUTPUT_LABEL, got);
        int wrong = 0;
        for (int i = 0; i < DISTINCT; i++) wrong += got[i] != got[1 + (i + 3) % 4];
        if (wrong > 3) fail_msg("%d rows are elsewhere", wrong); /* by chance beyond half way: 2 */
        end_fitted(&f);
    }
}

static void heavy_rows_are_said(void **unused)
{
    struct heard heard;
    double x[40], w[40];
    (void)unused;
    smr_ctx *ctx = hearing_ctx(&heard);
    for (int i = 0; i < 40; i++) {
        x[i] = i;
        w[i] = i < 3 ? 40 : 1;
    }
    smr_table *t = new_table(ctx, 40, 2);
    put_numbers(ctx, t, 0, "x", x);
    put_numbers(ctx, t, 1, "w", w);
    smr_model *model = NULL;
    smr_set_opts opts = {.weight = "w", .keep_all = true};
    check_ok(ctx, try_train(ctx, "spectral 5 neighbors=4", t, &opts, &model));
    smr_model_free(model);
    check_heard(&heard, "spectral: 3 rows weigh more than neighbors=4, so that they are not linked "
                        "to others; raise neighbors, or divide the weights by their mean");
    smr_table_free(t);
    check_ctx_end(ctx);
    struct matrix_data m;
    for (int i = 0; i < 40; i++) w[i] = 1e200;
    cluster_data(&m, 40, 1, x, w);
    check_refused(&smr_spectral, "k=2 graph=full", &m.data, 0,
                  "spectral: links weigh as much as two rows together, and the sum is beyond "
                  "double; divide the weights by their mean");
    double *many = random_matrix(3000, 4), *small = malloc(3000 * sizeof *small);
    for (int i = 0; i < 3000; i++) small[i] = 1e-3;
    cluster_data(&m, 3000, 1, many, small);
    check_refused(&smr_spectral, "k=2", &m.data, 16 << 20,
                  "small weights need many neighbours: divide them by their mean");
    free(many);
    free(small);
}

/* ---- parts ------------------------------------------------------------------------------ */

static void parts_are_said_and_never_joined(void **unused)
{
    struct heard heard;
    (void)unused;
    smr_ctx *ctx = hearing_ctx(&heard);
    double x[60];
    for (int i = 0; i < 60; i++) x[i] = i % 3 * 100 + (i < 30 ? i : 1000 + i);
    smr_table *t = new_table(ctx, 60, 1);
    put_numbers(ctx, t, 0, "x", x);
    smr_model_free(train_on(ctx, "spectral 7 neighbors=2", t, NULL));
    check_heard(&heard, "spectral: the graph is in 6 parts without links between them, of 10, 10, "
                        "10, 10, 10, 10 nodes");
    smr_model_free(train_on(ctx, "spectral 2 neighbors=2", t, NULL));
    check_heard(&heard,
                "spectral: the graph is in 6 parts without links between them, and only k=2 "
                "clusters are wanted: 40 rows of its smaller parts joined the nearest of the "
                "others");
    smr_table_free(t);
    check_ctx_end(ctx);
    double got[60];
    struct fitted f = fit_clusters(&smr_spectral, "neighbors=2", 60, 1, x, NULL, 1);
    assert_int_equal(state_of(&f)->n_clusters, 6);
    ask_clusters(&f, 60, 1, x, SMR_OUTPUT_LABEL, got);
    for (int i = 0; i < 60; i++) check_near("label", got[i], i % 3 + (i < 30 ? 0 : 3), 0);
    end_fitted(&f);
}

/* A small part beside two heaps that hardly touch: these are divided, and it is joined to none. */
static void every_part_is_divided_by_vectors_of_its_own(void **unused)
{
    static const char *const words[] = {"k=3 neighbors=6", "k=3 neighbors=6 laplacian=symmetric",
                                        "k=3 neighbors=6 laplacian=unnormalised"};
    enum { N = 410 };
    double *x = random_matrix(2 * N, 12), got[N];
    (void)unused;
    for (int i = 0; i < N; i++) x[2 * i] += i < 10 ? 300 : i % 2 * 5;
    for (int w = 0; w < 3; w++) {
        struct fitted f = fit_clusters(&smr_spectral, words[w], N, 2, x, NULL, 2);
        int wrong = 0;
        assert_int_equal(state_of(&f)->n_parts, 2);
        ask_clusters(&f, N, 2, x, SMR_OUTPUT_LABEL, got);
        for (int i = 0; i < N; i++) {
            check_near("of the small part", got[i] == 0, i < 10, 0);
            wrong += i >= 10 && got[i] != got[10 + i % 2];
        }
        if (wrong > 12) fail_msg("%s: %d rows are elsewhere", words[w], wrong);
        end_fitted(&f);
    }
    free(x);
}

static void a_new_row_belongs_to_the_nearest_training_row(void **unused)
{
    const double x[] = {0, 1, 2, 10, 11, 12}, q[] = {-3, 5.9, 6.1, 40};
    const double label[] = {0, 0, 1, 1}, score[] = {-3, -3.9, -3.9, -28};
    double got[4];
    (void)unused;
    struct fitted f = fit_clusters(&smr_spectral, "k=2 neighbors=2", 6, 1, x, NULL, 1);
    ask_clusters(&f, 4, 1, q, SMR_OUTPUT_LABEL, got);
    for (int i = 0; i < 4; i++) check_near("label", got[i], label[i], 0);
    ask_clusters(&f, 4, 1, q, SMR_OUTPUT_SCORE, got);
    for (int i = 0; i < 4; i++) check_near("score", got[i], score[i], 1e-12);
    end_fitted(&f);
}

static void few_rows_and_equal_ones_are_clusters_too(void **unused)
{
    const double x[] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    double got[15];
    (void)unused;
    for (int64_t n = 1; n <= 15; n += 7) {
        struct fitted f = fit_clusters(&smr_spectral, "k=1", n, 1, x, NULL, 1);
        ask_clusters(&f, n, 1, x, SMR_OUTPUT_LABEL, got);
        for (int64_t i = 0; i < n; i++) check_near("label", got[i], 0, 0);
        end_fitted(&f);
        f = fit_clusters(&smr_spectral, "", n, 1, x, NULL, 1);
        assert_true(state_of(&f)->n_clusters <= SMR_MAX(2, n));
        end_fitted(&f);
    }
}

/* Every third row comes three times: copies share a cluster, in the counts as in the answers. */
static void equal_rows_share_a_cluster(void **unused)
{
    static const char *const words[] = {"k=5 neighbors=2", "k=5 graph=mutual neighbors=2",
                                        "k=5 graph=full", "k=5 neighbors=4 laplacian=unnormalised"};
    enum { N = 60 };
    double *x = random_matrix(N, 19), got[N], size[5];
    struct matrix_data m;
    (void)unused;
    for (int i = 0; i < N; i++) x[i] = i % 3 ? x[i] : x[i % 9];
    for (int w = 0; w < SMR_COUNT(words); w++) {
        struct fitted f = fit_clusters(&smr_spectral, words[w], N, 1, x, NULL, 1);
        ask_clusters(&f, N, 1, x, SMR_OUTPUT_LABEL, got);
        memset(size, 0, sizeof size);
        for (int i = 0; i < N; i++) {
            size[(int)got[i]]++;
            for (int j = 0; j < i; j++) assert_true(x[i] != x[j] || got[i] == got[j]);
        }
        for (int c = 0; c < state_of(&f)->n_clusters; c++)
            check_near(words[w], state_of(&f)->size[c], size[c], 0);
        end_fitted(&f);
    }
    double few[] = {1, 2, 1, 2, 1, 1, -0.0, 0};
    cluster_data(&m, 8, 1, few, NULL);
    check_refused(&smr_spectral, "k=4", &m.data, 0,
                  "spectral: 3 distinct rows cannot make k=4 clusters; give a k from 1 to 3");
    free(x);
}

static void rows_that_are_all_linked_alike_are_said(void **unused)
{
    struct heard heard;
    (void)unused;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *t = new_table(ctx, 4, 1);
    put_numbers(ctx, t, 0, "x", (const double[]){1, 2, 9, 10});
    smr_model_free(train_on(ctx, "spectral 2", t, NULL));
    check_heard(&heard, "spectral: each of 4 rows is linked to all others alike, so that nothing "
                        "tells them apart; use weights=gaussian, or lower neighbors");
    smr_model_free(train_on(ctx, "eigenmap graph=epsilon eps=20", t, NULL));
    check_heard(&heard, "eigenmap: each of 4 rows is linked to all others alike, so that nothing "
                        "tells them apart; use weights=gaussian, or lower eps");
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- what is refused -------------------------------------------------------------------- */

static void what_cannot_be_is_refused(void **unused)
{
    double x[] = {0, 1, 3, 7};
    struct matrix_data m;
    (void)unused;
    cluster_data(&m, 4, 1, x, NULL);
    check_refused(&smr_spectral, "k=5", &m.data, 0,
                  "spectral: 4 distinct rows cannot make k=5 clusters; give a k from 1 to 4");
    check_refused(&smr_spectral, "graph=epsilon eps=0.5", &m.data, 0,
                  "spectral: no two rows are within eps 0.5 of each other, so the graph has no "
                  "edges; the nearest two are 1 apart: raise eps, or leave it out");
    check_refused(&smr_spectral, "graph=full sigma=0.001", &m.data, 0,
                  "spectral: all weights are 0 in double; raise sigma");
    x[1] = INFINITY;
    check_refused(&smr_spectral, "", &m.data, 0,
                  "spectral: feature 'x0' of training row 2 is infinite");
    double *many = random_matrix(3000, 4);
    cluster_data(&m, 3000, 1, many, NULL);
    check_refused(&smr_spectral, "graph=full", &m.data, 16 << 20,
                  "spectral: a graph of 3000 rows with 4498500 links needs");
    check_refused(&smr_spectral, "graph=epsilon eps=1", &m.data, 16 << 20,
                  "spectral: a graph of 3000 rows with more than ");
    free(many);
    smr_ctx *ctx = check_ctx(1);
    smr_spec *spec = NULL;
    static const char *const said[][2] = {
        {"spectral 2.5", "spectral: k = 2.5 is not a whole number in [1, 10000], auto"},
        {"spectral graph=full weights=one", "spectral: graph=full with weights=one links all rows "
                                            "alike; use weights=gaussian"},
        {"spectral 3 assign=sign", "spectral: assign is used only with k=2"},
        {"spectral eps=1", "spectral: eps is used only with graph=epsilon"}};
    for (int i = 0; i < 4; i++) {
        assert_int_not_equal(smr_spec_parse(ctx, said[i][0], &spec), SMR_OK);
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
    check_failing_fits(&smr_spectral, "k=3", &m.data);
    check_failing_fits(&smr_spectral, "k=2 graph=epsilon", &m.data);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_have_the_links_of_their_definitions),
        cmocka_unit_test(rings_are_told_apart),
        cmocka_unit_test(heaps_are_told_apart),
        cmocka_unit_test(cuts_are_those_of_the_labels),
        cmocka_unit_test(weights_are_rows_repeated),
        cmocka_unit_test(weights_of_any_size_are_taken),
        cmocka_unit_test(heavy_rows_are_said),
        cmocka_unit_test(parts_are_said_and_never_joined),
        cmocka_unit_test(every_part_is_divided_by_vectors_of_its_own),
        cmocka_unit_test(a_new_row_belongs_to_the_nearest_training_row),
        cmocka_unit_test(few_rows_and_equal_ones_are_clusters_too),
        cmocka_unit_test(equal_rows_share_a_cluster),
        cmocka_unit_test(rows_that_are_all_linked_alike_are_said),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(memory_that_fails_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
