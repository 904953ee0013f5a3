/* Bayesian networks through samara.h: every function, what it refuses, and memory that runs out. */
#define _GNU_SOURCE /* mkstemps */
#include "pipeline.h"

#include <unistd.h>

static smr_network *load(smr_ctx *ctx, const char *name)
{
    char path[100];
    smr_network *net = NULL;
    snprintf(path, sizeof path, "data/networks/%s.txt", name);
    check_ok(ctx, smr_network_open(ctx, path, &net));
    return net;
}

static int64_t node(const smr_network *net, const char *name)
{
    int64_t i = smr_network_find(net, name);
    assert_true(i >= 0);
    return i;
}

/* Where the probabilities of a variable begin among those of all. */
static int64_t first(const smr_network *net, int64_t i)
{
    int64_t at = 0;
    for (int64_t k = 0; k < i; k++) at += smr_network_n_levels(net, k);
    return at;
}

static void a_network_can_be_looked_into(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_network *net = load(ctx, "sprinkler");
    int64_t wet = node(net, "wet"), length;
    (void)state;
    assert_int_equal(smr_network_n_variables(net), 4);
    assert_int_equal(smr_network_find(net, "we"), -1);
    assert_int_equal(smr_network_n_levels(net, wet), 2);
    assert_int_equal(smr_network_n_levels(net, 4), 0);
    assert_int_equal(smr_network_find_level(net, wet, "no"), 1);
    assert_int_equal(smr_network_find_level(net, wet, "n"), -1);
    assert_int_equal(smr_network_find_level(net, -1, "no"), -1);
    const char *name = smr_network_variable(net, wet, &length);
    assert_int_equal(length, 3);
    assert_memory_equal(name, "wet", 3);
    name = smr_network_level(net, wet, 0, &length);
    assert_int_equal(length, 3);
    assert_memory_equal(name, "yes", 3);
    assert_null(smr_network_variable(net, 4, &length));
    assert_null(smr_network_level(net, wet, 2, &length));
    assert_null(smr_network_level(net, 4, 0, &length));
    assert_int_equal(smr_network_n_parents(net, wet), 2);
    assert_int_equal(smr_network_n_parents(net, 4), 0);
    assert_int_equal(smr_network_parent(net, wet, 2), -1);
    assert_int_equal(smr_network_parent(net, wet, 0), node(net, "sprinkler"));
    assert_int_equal(smr_network_parent(net, wet, 1), node(net, "rain"));
    const double *p = smr_network_table(net, wet); /* by sprinkler, rain, wet */
    check_near("both", p[0], 0.99, 1e-15);
    check_near("sprinkler alone", p[2], 0.9, 1e-15);
    assert_null(smr_network_table(net, 4));
    smr_network_free(net);
    smr_network_free(NULL);
    check_ctx_end(ctx);
}

static void marginals_are_the_published_ones(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_network *net = load(ctx, "sprinkler");
    int64_t evidence[4] = {-1, -1, -1, -1};
    double p[8], log_p = 0;
    (void)state;
    check_ok(ctx, smr_network_marginals(ctx, net, NULL, p, &log_p));
    check_near("wet", p[first(net, node(net, "wet"))], 0.6471, 1e-12);
    check_near("nothing known", log_p, 0, 1e-15);
    evidence[node(net, "wet")] = smr_network_find_level(net, node(net, "wet"), "yes");
    check_ok(ctx, smr_network_marginals(ctx, net, evidence, p, &log_p));
    check_near("rain", p[first(net, node(net, "rain"))], 0.4581 / 0.6471, 1e-12);
    check_near("P(wet)", exp(log_p), 0.6471, 1e-12);
    evidence[1] = 2;
    check_fails(ctx, smr_network_marginals(ctx, net, evidence, p, NULL), SMR_ERR_PARAM,
                "has no level 2; it has 2, from 0");
    evidence[1] = -2;
    check_fails(ctx, smr_network_marginals(ctx, net, evidence, p, NULL), SMR_ERR_PARAM,
                "has no level -2");
    smr_network_free(net);
    net = load(ctx, "asia");
    int64_t known[8] = {-1, -1, -1, -1, -1, -1, -1, -1}, level[8];
    known[node(net, "lung")] = 0;
    known[node(net, "either")] = 1;
    double q[16];
    check_fails(ctx, smr_network_marginals(ctx, net, known, q, NULL), SMR_ERR_DATA,
                "the evidence has probability 0 in this network, so nothing follows from it: "
                "lung=yes, either=no");
    check_fails(ctx, smr_network_likeliest(ctx, net, known, level, NULL), SMR_ERR_DATA,
                "the evidence has probability 0");
    smr_network_free(net);
    check_ctx_end(ctx);
}

/* Sprinkler, dry: of the eight combinations that are left the likeliest is a clear sky without rain
 * but for its cloud. */
static void the_likeliest_levels_are_found(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_network *net = load(ctx, "sprinkler");
    int64_t evidence[4] = {-1, -1, -1, -1}, level[4];
    double log_p;
    (void)state;
    evidence[node(net, "wet")] = 0;
    check_ok(ctx, smr_network_likeliest(ctx, net, evidence, level, &log_p));
    assert_int_equal(level[node(net, "cloudy")], 0);
    assert_int_equal(level[node(net, "rain")], 0);
    assert_int_equal(level[node(net, "sprinkler")], 1);
    check_near("given wet", exp(log_p), 0.5 * 0.9 * 0.8 * 0.9 / 0.6471, 1e-12);
    check_ok(ctx, smr_network_likeliest(ctx, net, NULL, level, NULL));
    assert_int_equal(level[node(net, "wet")], 0);
    smr_network_free(net);
    check_ctx_end(ctx);
}

static void queries_and_separation_are_objects(void **state)
{
    static const char *const given[] = {"dysp"};
    smr_ctx *ctx = check_ctx(1);
    smr_network *net = load(ctx, "asia");
    bool separated = false;
    char *json = NULL;
    (void)state;
    check_ok(ctx, smr_network_query(ctx, net, "P(tub=yes)", NULL, &json));
    assert_non_null(strstr(json, "\"method\": \"exact\""));
    assert_non_null(strstr(json, "0.0104"));
    assert_null(strstr(json, "figures"));
    smr_string_free(json);
    smr_query_opts o = {.size = sizeof o, .samples = 500, .figures = true};
    check_ok(ctx, smr_network_query(ctx, net, "P(tub)", &o, &json));
    assert_non_null(strstr(json, "\"samples\": 500"));
    assert_non_null(strstr(json, "\"figures\""));
    smr_string_free(json);
    o.likeliest = true;
    check_fails(ctx, smr_network_query(ctx, net, "P(tub)", &o, &json), SMR_ERR_PARAM,
                "'samples' is not used here: the likeliest levels are found exactly");
    o.samples = 0;
    check_fails(ctx, smr_network_query(ctx, net, "P(tub)", &o, &json), SMR_ERR_PARAM,
                "'figures' is not used here");
    o.figures = false;
    check_ok(ctx, smr_network_query(ctx, net, "P(lung, bronc | dysp=yes)", &o, &json));
    assert_non_null(strstr(json, "{\"variable\": \"bronc\", \"level\": \"yes\"}"));
    smr_string_free(json);
    o.samples = -1;
    check_fails(ctx, smr_network_query(ctx, net, "P(tub)", &o, &json), SMR_ERR_PARAM,
                "samples: at least 0");
    assert_null(json);
    check_ok(ctx, smr_network_separated(ctx, net, "asia", "smoke", NULL, 0, &separated, NULL));
    assert_true(separated);
    check_ok(ctx, smr_network_separated(ctx, net, "asia", "smoke", given, 1, &separated, &json));
    assert_false(separated);
    assert_non_null(strstr(json, "asia -> tub -> either <- lung <- smoke"));
    smr_string_free(json);
    check_fails(ctx, smr_network_separated(ctx, net, "asia", "dysp", given, 1, NULL, &json),
                SMR_ERR_PARAM, "neither of them given");
    check_fails(ctx, smr_network_separated(ctx, net, "asia", "dyp", NULL, 0, NULL, NULL),
                SMR_ERR_PARAM, "the network has no variable 'dyp'");
    smr_network_free(net);
    check_ctx_end(ctx);
}

/* Both forms come back as they were, and rows of the network predict as its marginals do. */
static void networks_travel_as_text_and_draw_rows(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_network *net = load(ctx, "cancer"), *back = NULL;
    smr_table *rows = NULL, *said = NULL;
    (void)state;
    for (int bif = 0; bif < 2; bif++) {
        char *text = NULL, *again = NULL;
        check_ok(ctx, smr_network_write(ctx, net, bif, &text));
        check_ok(ctx, smr_network_read(ctx, text, (int64_t)strlen(text), &back));
        check_ok(ctx, smr_network_write(ctx, back, bif, &again));
        assert_string_equal(text, again);
        smr_string_free(text);
        smr_string_free(again);
        smr_network_free(back);
    }
    char path[] = "/tmp/samara-net-XXXXXX.bif";
    close(mkstemps(path, 4));
    check_ok(ctx, smr_network_save(ctx, net, path));
    check_ok(ctx, smr_network_open(ctx, path, &back));
    assert_int_equal(smr_network_n_variables(back), 5);
    smr_network_free(back);
    unlink(path);
    check_fails(ctx, smr_network_open(ctx, path, &back), SMR_ERR_IO, path);
    check_fails(ctx, smr_network_read(ctx, "variable a: x", -1, &back), SMR_ERR_PARAM, "length");
    check_fails(ctx, smr_network_read(ctx, "variable a: x", 13, &back), SMR_ERR_FORMAT, "a");
    assert_null(back);

    check_ok(ctx, smr_network_sample(ctx, net, 2000, &rows));
    assert_int_equal(smr_table_n_rows(rows), 2000);
    int64_t smoker = smr_table_find(rows, "smoker"), yes = 0;
    for (int64_t i = 0; i < 2000; i++) yes += smr_table_code(rows, i, smoker) == 0;
    check_near("smokers", (double)yes / 2000, 0.3, 0.06); /* six deviations */
    check_fails(ctx, smr_network_sample(ctx, net, 0, &said), SMR_ERR_PARAM, "at least 1");
    check_ok(ctx, smr_network_predict(ctx, net, rows, "cancer", &said));
    assert_int_equal(smr_table_n_cols(said), 3);
    assert_string_equal(smr_table_col_name(said, 1), "p(true)");
    int64_t evidence[5], cancer = node(net, "cancer");
    double p[10];
    for (int64_t i = 0; i < 5; i++) evidence[i] = smr_table_code(rows, 7, i);
    evidence[cancer] = -1;
    check_ok(ctx, smr_network_marginals(ctx, net, evidence, p, NULL));
    check_near("row 7", smr_table_number(said, 7, 1), p[first(net, cancer)], 1e-14);
    smr_table_free(said);
    check_fails(ctx, smr_network_predict(ctx, net, rows, "cancr", &said), SMR_ERR_PARAM,
                "did you mean 'cancer'?");
    smr_table_free(rows);
    smr_network_free(net);
    check_ctx_end(ctx);
}

static void a_model_is_a_network(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *iris = NULL;
    smr_model *m = NULL;
    smr_network *net = NULL;
    smr_train_opts how = {.size = sizeof how, .target = "species"};
    (void)state;
    check_ok(ctx, smr_table_open(ctx, "data/iris.csv", NULL, &iris));
    check_ok(ctx, smr_train(ctx, "bayesnet naive", iris, &how, &m));
    check_ok(ctx, smr_network_of_model(ctx, m, &net));
    assert_int_equal(smr_network_n_variables(net), 5);
    assert_int_equal(smr_network_parent(net, 0, 0), node(net, "species"));
    char path[] = "/tmp/samara-net-XXXXXX.smr";
    close(mkstemps(path, 4));
    check_ok(ctx, smr_model_save(ctx, m, path));
    smr_network_free(net);
    check_ok(ctx, smr_network_open(ctx, path, &net));
    assert_int_equal(smr_network_n_variables(net), 5);
    smr_network_free(net);
    smr_model_free(m);
    check_ok(ctx, smr_train(ctx, "knn", iris, &how, &m));
    check_fails(ctx, smr_network_of_model(ctx, m, &net), SMR_ERR_UNSUPPORTED,
                "this is a model that is no Bayesian network; bayesnet learns one");
    check_ok(ctx, smr_model_save(ctx, m, path));
    check_fails(ctx, smr_network_open(ctx, path, &net), SMR_ERR_UNSUPPORTED, path);
    assert_null(net);
    unlink(path);
    smr_model_free(m);
    smr_table_free(iris);
    check_ctx_end(ctx);
}

/* ---- memory ----------------------------------------------------------------------------- */

static smr_status do_everything(smr_ctx *ctx, void *arg)
{
    static const char *const given[] = {"dysp"};
    const smr_table *some = arg;
    smr_network *net = NULL, *back = NULL;
    smr_table *rows = NULL, *said = NULL;
    char *text = NULL, *json = NULL, *paths = NULL;
    double p[16];
    int64_t level[8];
    smr_query_opts o = {.size = sizeof o, .figures = true}, l = {.size = sizeof l};
    l.likeliest = true;
    smr_status st = smr_network_open(ctx, "data/networks/asia.txt", &net);
    if (st == SMR_OK) st = smr_network_write(ctx, net, true, &text);
    if (st == SMR_OK) st = smr_network_read(ctx, text, (int64_t)strlen(text), &back);
    if (st == SMR_OK) st = smr_network_marginals(ctx, back, NULL, p, NULL);
    if (st == SMR_OK) st = smr_network_likeliest(ctx, back, NULL, level, NULL);
    if (st == SMR_OK) st = smr_network_query(ctx, net, "P(lung | dysp=yes)", &o, &json);
    smr_string_free(json);
    if (st == SMR_OK) st = smr_network_query(ctx, net, "P(lung | dysp=yes)", &l, &json);
    smr_string_free(json);
    if (st == SMR_OK) st = smr_network_separated(ctx, net, "asia", "smoke", given, 1, NULL, &paths);
    if (st == SMR_OK) st = smr_network_sample(ctx, net, 10, &rows);
    if (st == SMR_OK) st = smr_network_predict(ctx, net, some, "lung", &said);
    smr_string_free(text);
    smr_string_free(paths);
    smr_table_free(rows);
    smr_table_free(said);
    smr_network_free(back);
    smr_network_free(net);
    return st;
}

static void every_allocation_may_fail(void **state)
{
    static const char *const xray[] = {"yes", NULL, "no"}, *const dysp[] = {"no", "maybe", NULL};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 3, 2);
    (void)state;
    put_strings(ctx, t, 0, "xray", xray);
    put_strings(ctx, t, 1, "dysp", dysp);
    assert_true(fail_each_allocation(ctx, do_everything, t) > 200);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Twelve variables that each depend on all before them; a budget that their clique passes. */
static void too_large_a_clique_is_refused_or_sampled(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_text big = {.ctx = ctx};
    smr_network *net = NULL;
    double p[48];
    int64_t level[24];
    char *json = NULL;
    (void)state;
    for (int i = 0; i < 24; i++) smr_text_printf(&big, "variable v%d: a, b\n", i);
    for (int i = 0; i < 24; i++) {
        smr_text_printf(&big, "P(v%d", i);
        for (int k = 1; k <= 12 && i - k >= 0; k++)
            smr_text_printf(&big, "%sv%d", k > 1 ? ", " : " | ", i - k);
        smr_text_add(&big, i ? ")\n *: 0.25, 0.75\n" : ") = 0.5, 0.5\n");
    }
    check_ok(ctx, smr_text_done(&big));
    check_ok(ctx, smr_network_read(ctx, big.bytes, big.length, &net));
    check_ok(ctx, smr_ctx_set_memory_limit(ctx, smr_ctx_memory(ctx, NULL) + (1 << 20)));
    check_fails(ctx, smr_network_marginals(ctx, net, NULL, p, NULL), SMR_ERR_NOMEM,
                "exact inference");
    check_fails(ctx, smr_network_likeliest(ctx, net, NULL, level, NULL), SMR_ERR_NOMEM,
                "exact inference");
    check_ok(ctx, smr_network_query(ctx, net, "P(v23)", NULL, &json));
    assert_non_null(strstr(json, "likelihood weighting"));
    assert_int_equal(smr_ctx_n_warnings(ctx), 1);
    assert_non_null(strstr(smr_ctx_warning(ctx, 0), "answered by likelihood weighting"));
    smr_string_free(json);
    smr_network_free(net);
    smr_text_release(&big);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_network_can_be_looked_into),
        cmocka_unit_test(marginals_are_the_published_ones),
        cmocka_unit_test(the_likeliest_levels_are_found),
        cmocka_unit_test(queries_and_separation_are_objects),
        cmocka_unit_test(networks_travel_as_text_and_draw_rows),
        cmocka_unit_test(a_model_is_a_network),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(too_large_a_clique_is_refused_or_sampled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
