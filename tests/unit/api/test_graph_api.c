/* Graphs through samara.h: made of text, files, arrays and rows, divided, and what any groups cut;
 * what is refused, and memory that runs out. */
#define _GNU_SOURCE /* mkstemps */
#include "pipeline.h"
#include "truth/cutting.h"

#include <unistd.h>

/* Two triangles and a bridge: note 002's figures. */
static const char bridge[] = "a b\na c\nb c\nd e\nd f\ne f\nc d\n";
static const int64_t from[] = {0, 0, 1, 3, 3, 4, 2}, to[] = {1, 2, 2, 4, 5, 5, 3};

static smr_links *read_links(smr_ctx *ctx, const char *text)
{
    smr_links *links = NULL;
    check_ok(ctx, smr_links_read(ctx, text, (int64_t)strlen(text), &links));
    return links;
}

static void check_bridge(smr_ctx *ctx, const smr_links *links)
{
    const int64_t halves[] = {7, 7, 7, -3, -3, -3};
    smr_links_cuts cut;
    check_ok(ctx, smr_links_cut(ctx, links, halves, &cut));
    assert_int_equal(cut.n_groups, 2);
    check_near("cut", cut.cut, 1, 0);
    check_near("RatioCut", cut.ratio_cut, 2.0 / 3, 1e-15);
    check_near("Ncut", cut.ncut, 2.0 / 7, 1e-15);
    check_near("MinMaxCut", cut.min_max_cut, 1.0 / 3, 1e-15);
}

static void a_graph_can_be_looked_into(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_links *links = read_links(ctx, "x y 2\ny z 0.5\n");
    int64_t length, a[2], b[2];
    double w[2];
    (void)state;
    assert_int_equal(smr_links_n_nodes(links), 3);
    assert_int_equal(smr_links_n_edges(links), 2);
    assert_int_equal(smr_links_find(links, "z"), 2);
    assert_int_equal(smr_links_find(links, "zz"), -1);
    const char *name = smr_links_node(links, 1, &length);
    assert_int_equal(length, 1);
    assert_memory_equal(name, "y", 1);
    assert_null(smr_links_node(links, 3, &length));
    assert_null(smr_links_node(links, -1, &length));
    assert_int_equal(smr_links_edges(links, a, b, w), 2);
    assert_int_equal(smr_links_edges(links, NULL, NULL, NULL), 2);
    assert_true(a[0] == 0 && b[0] == 1 && a[1] == 1 && b[1] == 2);
    check_near("weight", w[0], 2, 0);
    check_near("weight", w[1], 0.5, 0);
    smr_links_free(links);
    smr_links_free(NULL);
    check_ctx_end(ctx);
}

static void text_files_and_arrays_make_the_same_graph(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_links *links = read_links(ctx, bridge);
    char path[] = "/tmp/samara-edges-XXXXXX.txt";
    int fd = mkstemps(path, 4);
    int64_t label[6];
    char *json = NULL;
    (void)state;
    assert_true(fd >= 0 && write(fd, bridge, strlen(bridge)) == (ssize_t)strlen(bridge));
    close(fd);
    check_bridge(ctx, links);
    check_ok(ctx, smr_links_divide(ctx, links, "2 assign=sign", label, &json));
    for (int i = 0; i < 6; i++) assert_int_equal(label[i], i / 3);
    assert_non_null(strstr(json, "\"ncut\": 0.2857142857142857"));
    assert_non_null(strstr(json, "\"node\": \"f\""));
    smr_string_free(json);
    smr_links_free(links);
    check_ok(ctx, smr_links_open(ctx, path, &links));
    check_bridge(ctx, links);
    smr_links_free(links);
    unlink(path);
    check_ok(ctx, smr_links_of_edges(ctx, 6, 7, from, to, NULL, &links));
    check_bridge(ctx, links);
    check_ok(ctx, smr_links_divide(ctx, links, NULL, label, NULL));
    for (int i = 0; i < 6; i++) assert_int_equal(label[i], i / 3);
    smr_links_free(links);
    check_ctx_end(ctx);
}

/* Zachary's club: the sign of the second vector knows all members but one. */
static void the_club_parts_as_it_did(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_links *links = NULL;
    int64_t found[34], clubs[34], wrong = 0;
    smr_links_cuts cut;
    (void)state;
    check_ok(ctx, smr_links_open(ctx, "data/karate.txt", &links));
    assert_int_equal(smr_links_n_nodes(links), 34);
    assert_int_equal(smr_links_n_edges(links), 78);
    check_ok(ctx, smr_links_divide(ctx, links, "2 assign=sign", found, NULL));
    check_ok(ctx, smr_links_read_groups(ctx, links, "data/karate_clubs.txt", clubs));
    for (int i = 0; i < 34; i++) wrong += found[i] != clubs[i];
    assert_int_equal(SMR_MIN(wrong, 34 - wrong), 1);
    check_ok(ctx, smr_links_cut(ctx, links, clubs, &cut));
    check_near("cut", cut.cut, 25, 0);
    check_near("Ncut", cut.ncut, 25.0 / 225 + 25.0 / 237, 1e-15);
    smr_links_free(links);
    check_ctx_end(ctx);
}

static void check_values(const char *what, const char *json, const double *want)
{
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_parse(ctx, json, (int64_t)strlen(json), &doc));
    const smr_json *v = smr_json_get(smr_json_root(doc), "eigenvalues")->first;
    for (int k = 0; k < 6; k++, v = v->next) check_near(what, v->number, want[k], 1e-9);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

static void cuts_and_eigenvalues_are_those_of_scipy(void **state)
{
    static const struct {
        const char *name;
        int64_t n, m;
        const int64_t *a, *b, *label;
        const double *weight, *cuts, *plain, *normed;
    } cases[] = {{"karate", karate_n, SMR_COUNT(karate_a), karate_a, karate_b, karate_label,
                  karate_weight, karate_cuts, karate_plain, karate_normed},
                 {"scattered", scattered_n, SMR_COUNT(scattered_a), scattered_a, scattered_b,
                  scattered_label, scattered_weight, scattered_cuts, scattered_plain,
                  scattered_normed}};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int c = 0; c < 2; c++) {
        smr_links *links = NULL;
        smr_links_cuts cut;
        char *json = NULL;
        check_ok(ctx, smr_links_of_edges(ctx, cases[c].n, cases[c].m, cases[c].a, cases[c].b,
                                         cases[c].weight, &links));
        check_ok(ctx, smr_links_cut(ctx, links, cases[c].label, &cut));
        check_near(cases[c].name, cut.cut, cases[c].cuts[0], 1e-12);
        check_near(cases[c].name, cut.ratio_cut, cases[c].cuts[1], 1e-12);
        check_near(cases[c].name, cut.ncut, cases[c].cuts[2], 1e-12);
        check_near(cases[c].name, cut.min_max_cut, cases[c].cuts[3], 1e-12);
        check_ok(ctx, smr_links_divide(ctx, links, "k_most=15", NULL, &json));
        check_values(cases[c].name, json, cases[c].normed);
        smr_string_free(json);
        check_ok(ctx,
                 smr_links_divide(ctx, links, "k_most=15 laplacian=unnormalised", NULL, &json));
        check_values(cases[c].name, json, cases[c].plain);
        smr_string_free(json);
        smr_links_free(links);
    }
    check_ctx_end(ctx);
}

static void the_club_is_divided_as_by_scikit_learn(void **state)
{
    static const int64_t *const want[] = {club_2, club_3, club_4};
    smr_ctx *ctx = check_ctx(1);
    smr_links *links = NULL;
    int64_t label[34];
    (void)state;
    check_ok(ctx, smr_links_of_edges(ctx, karate_n, SMR_COUNT(karate_a), karate_a, karate_b,
                                     karate_weight, &links));
    for (int k = 2; k <= 4; k++) {
        char settings[8];
        snprintf(settings, sizeof settings, "%d", k);
        check_ok(ctx, smr_links_divide(ctx, links, settings, label, NULL));
        assert_memory_equal(label, want[k - 2], sizeof label);
    }
    smr_links_free(links);
    check_ctx_end(ctx);
}

/* The graph of rows that spectral divides: the same cuts as it tells of its own clusters. */
static void rows_are_nodes(void **state)
{
    enum { N = 60 };
    smr_ctx *ctx = check_ctx(1);
    double x[N], w[N];
    int64_t label[N], length;
    char *json = NULL;
    smr_links *links = NULL;
    smr_links_cuts cut;
    (void)state;
    for (int i = 0; i < N; i++) {
        x[i] = i % 2 * 40 + i + 0.01 * (i % 7);
        w[i] = i % 10 == 3 ? 0 : 1 + i % 3;
    }
    smr_table *t = new_table(ctx, N, 2);
    put_numbers(ctx, t, 0, "x", x);
    put_numbers(ctx, t, 1, "w", w);
    check_ok(ctx,
             smr_links_of_table(ctx, t, "standardize | spectral neighbors=8", "w", NULL, &links));
    assert_int_equal(smr_links_n_nodes(links), N);
    check_ok(ctx, smr_links_divide(ctx, links, "3", label, &json));
    assert_int_equal(label[0], 0);
    smr_string_free(json);
    smr_model *model = NULL;
    smr_train_opts how = {.size = sizeof how, .ignore = "w", .task = SMR_TASK_CLUSTER};
    check_ok(ctx, smr_train(ctx, "standardize | spectral 3 neighbors=8", t, &how, &model));
    double told[N];
    check_ok(ctx, smr_predict(ctx, model, t, SMR_OUTPUT_LABEL, told));
    for (int i = 0; i < N; i++) assert_int_equal(label[i], (int64_t)told[i]);
    smr_model_free(model);
    check_ok(ctx, smr_links_cut(ctx, links, label, &cut));
    assert_int_equal(cut.n_groups, 3);
    smr_links_free(links);
    check_ok(ctx, smr_links_of_table(ctx, t, NULL, NULL, "w", &links));
    assert_int_equal(smr_links_n_nodes(links), N - N / 10);
    const char *name = smr_links_node(links, 3, &length); /* row 3 has no weight */
    assert_true(length == 1 && *name == '4');
    smr_links_free(links);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void check_refusal(smr_ctx *ctx, smr_status got, const char *part)
{
    assert_int_not_equal(got, SMR_OK);
    if (!strstr(smr_ctx_message(ctx), part)) fail_msg("no '%s' in: %s", part, smr_ctx_message(ctx));
    smr_ctx_clear(ctx);
}

static void what_is_no_graph_is_refused(void **state)
{
    static const struct {
        const char *text, *said;
    } cases[] = {{"", "graph has no edges"},
                 {"a b nan\n", "graph:1: the weight of an edge is a number above 0, not nan"},
                 {"a b inf\n", "graph:1: the weight of an edge is a number above 0, not inf"},
                 {"a b\nb c 0\n", "graph:2: the weight of an edge is a number above 0, not 0"},
                 {"a b -2\n", "graph:1: the weight of an edge is a number above 0, not -2"},
                 {"a b 1e308\nb c 1e308\n", "graph: the weights of the edges add up beyond double"},
                 {"a\n", "graph:1: an edge has two nodes"}};
    smr_ctx *ctx = check_ctx(1);
    smr_links *links = NULL;
    const int64_t a[] = {0, 2}, b[] = {1, 3};
    const double bad[] = {1, NAN};
    int64_t label[6] = {0};
    smr_links_cuts cut;
    (void)state;
    for (int i = 0; i < SMR_COUNT(cases); i++) {
        check_refusal(ctx,
                      smr_links_read(ctx, cases[i].text, (int64_t)strlen(cases[i].text), &links),
                      cases[i].said);
        assert_null(links);
    }
    check_refusal(ctx, smr_links_read(ctx, "a b", -1, &links), "a text has no length below 0");
    check_refusal(ctx, smr_links_read(ctx, NULL, 0, &links), "graph: the text is NULL");
    check_refusal(ctx, smr_links_open(ctx, NULL, &links), "graph: the name of the file is NULL");
    check_refusal(ctx, smr_links_open(ctx, "/no/such/file", &links), "/no/such/file");
    check_refusal(ctx, smr_links_of_edges(ctx, 3, 2, a, b, NULL, &links),
                  "edge 1 goes from node 2 to node 3; nodes are numbered from 0 to 2");
    check_refusal(ctx, smr_links_of_edges(ctx, 4, 2, a, b, bad, &links),
                  "edge 1 has the weight nan; the weight of an edge is a number above 0");
    check_refusal(ctx, smr_links_of_edges(ctx, 0, 2, a, b, NULL, &links),
                  "a graph has from 1 to 2147483645 nodes, not 0");
    check_refusal(ctx, smr_links_of_edges(ctx, 4, 0, a, b, NULL, &links), "the graph has no edges");
    check_refusal(ctx, smr_links_of_edges(ctx, 4, 2, a, NULL, NULL, &links),
                  "the nodes of the graph's 2 edges are NULL");
    check_refusal(ctx, smr_links_of_table(ctx, NULL, NULL, NULL, NULL, &links),
                  "graph: the table is NULL");
    links = read_links(ctx, bridge);
    check_refusal(ctx, smr_links_divide(ctx, links, "7", label, NULL),
                  "6 nodes cannot make k=7 clusters; give a k from 1 to 6");
    check_refusal(ctx, smr_links_divide(ctx, links, "2 neighbors=3", label, NULL),
                  "the graph is given: graph, neighbors, eps, weights, sigma and metric make one");
    check_refusal(ctx, smr_links_divide(ctx, NULL, "2", label, NULL), "graph: the graph is NULL");
    check_refusal(ctx, smr_links_cut(ctx, links, NULL, &cut),
                  "graph: the list of groups, one for each node, is NULL");
    check_refusal(ctx, smr_links_read_groups(ctx, links, NULL, label),
                  "graph: the name of the file of groups is NULL");
    smr_links_free(links);
    smr_table *t = new_table(ctx, 6, 1);
    put_numbers(ctx, t, 0, "x", (const double[]){1, 2, 3, 4, 5, 6});
    check_refusal(ctx, smr_links_of_table(ctx, t, "kmeans 2", NULL, NULL, &links),
                  "a graph of rows is that of a sentence that ends in spectral, such as "
                  "\"standardize | spectral neighbors=5\", not 'kmeans 2'");
    check_refusal(ctx,
                  smr_links_of_table(ctx, t, "spectral graph=epsilon eps=0.1", NULL, NULL, &links),
                  "spectral: no two rows are within eps 0.1 of each other");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void loops_and_equal_edges_are_said(void **state)
{
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    double w;
    (void)state;
    smr_links *links = read_links(ctx, "a a\na b\nb a 2\na b 0.5\n");
    check_heard(&heard, "graph: 1 edge from a node to itself is left out");
    check_heard(&heard,
                "graph: 2 edges come again, one way or the other; the weights of equal edges "
                "are added up");
    assert_int_equal(smr_links_edges(links, NULL, NULL, &w), 1);
    check_near("weight", w, 3.5, 0);
    smr_links_free(links);
    check_ctx_end(ctx);
}

struct work {
    smr_table *table;
};

static smr_status run_all(smr_ctx *ctx, void *arg)
{
    struct work *work = arg;
    smr_status st = SMR_OK;
    smr_links *links = NULL, *rows = NULL;
    int64_t label[6];
    smr_links_cuts cut;
    char *json = NULL;
    TRY(smr_links_of_edges(ctx, 6, 7, from, to, NULL, &links));
    TRY(smr_links_divide(ctx, links, "2", label, &json));
    TRY(smr_links_cut(ctx, links, label, &cut));
    TRY(smr_links_of_table(ctx, work->table, "spectral neighbors=2", NULL, NULL, &rows));
out:
    smr_string_free(json);
    smr_links_free(links);
    smr_links_free(rows);
    return st;
}

static void memory_that_fails_is_survived(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct work work = {new_table(ctx, 6, 1)};
    (void)state;
    put_numbers(ctx, work.table, 0, "x", (const double[]){1, 2, 3, 14, 15, 16});
    fail_each_allocation(ctx, run_all, &work);
    smr_table_free(work.table);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_can_be_looked_into),
        cmocka_unit_test(text_files_and_arrays_make_the_same_graph),
        cmocka_unit_test(the_club_parts_as_it_did),
        cmocka_unit_test(cuts_and_eigenvalues_are_those_of_scipy),
        cmocka_unit_test(the_club_is_divided_as_by_scikit_learn),
        cmocka_unit_test(rows_are_nodes),
        cmocka_unit_test(what_is_no_graph_is_refused),
        cmocka_unit_test(loops_and_equal_edges_are_said),
        cmocka_unit_test(memory_that_fails_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
