/* test_bayesnet.c -- Bayesian networks from rows.
 *
 * Truth: numpy goes through all combinations of levels, and scores every neighbour of a graph in
 * full (tests/truth/networks.py). */
#include "pipeline.h"

#include "learn/graphical/bayesnet.h"
#include "samara.h"
#include "truth/networks.h"

enum { N = SMR_COUNT(asia_rows) };

static const char *const names[] = {"asia",  "tub",    "smoke", "lung",
                                    "bronc", "either", "xray",  "dysp"};
static const char graph[] =
    "graph='asia -> tub, smoke -> lung, smoke -> bronc, lung -> either, tub -> either, either -> "
    "xray, bronc -> target, either -> target'";

/* Levels are sorted when a table is read: "a yes" comes before "b no", as 0 before 1. */
static smr_table *rows_table(smr_ctx *ctx, const int8_t *rows)
{
    smr_table *t = new_table(ctx, N, 8);
    for (int64_t j = 0; j < 8; j++) {
        const char *text[N];
        for (int64_t i = 0; i < N; i++)
            text[i] = rows[8 * i + j] < 0 ? NULL : rows[8 * i + j] ? "b no" : "a yes";
        put_strings(ctx, t, j, names[j], text);
    }
    return t;
}

static const struct smr_bayesnet_state *state_of(const smr_model *m)
{
    return smr_model_last(m)->state;
}

static void hill_climbing_ends_where_greedy_search_does(void **unused)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = rows_table(ctx, asia_rows[0]);
    (void)unused;
    smr_model *m = train_on(ctx, "bayesnet smoothing=0 detour=0", t, "dysp");
    const struct smr_bayesnet_state *s = state_of(m);
    assert_int_equal(s->n_edges, SMR_COUNT(climbed_edges));
    int64_t k = 0;
    for (int64_t i = 0; i < s->n_nodes; i++)
        for (int64_t e = s->start[i]; e < s->start[i + 1]; e++, k++) {
            assert_int_equal(climbed_edges[k][0], i);
            assert_int_equal(climbed_edges[k][1], s->parent[e]);
        }
    check_near("bic", s->bic, climbed_bic, 1e-12);
    check_near("objective", m->fit.objective * N, -climbed_bic, 1e-9);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static double bic_of(smr_ctx *ctx, const char *sentence, const smr_table *t)
{
    smr_model *m = train_on(ctx, sentence, t, "dysp");
    double bic = state_of(m)->bic;
    smr_model_free(m);
    return bic;
}

/* No graph with at most three parents is better than the best of all; climbing alone ends below
 * it, and restarts with detours come nearer. */
static void no_search_is_better_than_the_best_of_all_graphs(void **unused)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = rows_table(ctx, asia_rows[0]);
    double greedy = bic_of(ctx, "bayesnet smoothing=0 detour=0", t);
    double detour = bic_of(ctx, "bayesnet smoothing=0", t);
    double restarts = bic_of(ctx, "bayesnet smoothing=0 detour=0 restarts=20", t);
    double both = bic_of(ctx, "bayesnet smoothing=0 restarts=20", t);
    (void)unused;
    assert_true(detour >= greedy && restarts >= greedy && both >= detour);
    assert_true(both > greedy + 1 && both <= best_bic + 1e-9 && best_bic - both < 0.5);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Rows drawn from asia: climbing alone ends where edges cannot be turned one at a time. */
static void a_detour_leads_out_of_local_optima(void **unused)
{
    smr_ctx *ctx = check_ctx(2);
    smr_network *net = NULL;
    (void)unused;
    check_ok(ctx, smr_network_open(ctx, "data/networks/asia.txt", &net));
    for (uint64_t seed = 1; seed <= 3; seed++) {
        smr_table *t = NULL;
        smr_ctx_set_seed(ctx, seed);
        check_ok(ctx, smr_network_sample(ctx, net, 5000, &t));
        double greedy = bic_of(ctx, "bayesnet smoothing=0 detour=0", t);
        assert_true(bic_of(ctx, "bayesnet smoothing=0", t) > greedy + 4);
        smr_table_free(t);
    }
    smr_network_free(net);
    check_ctx_end(ctx);
}

static void chow_liu_is_the_greatest_tree(void **unused)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = rows_table(ctx, asia_rows[0]);
    (void)unused;
    smr_model *m = train_on(ctx, "bayesnet chowliu", t, "dysp");
    const struct smr_bayesnet_state *s = state_of(m);
    assert_int_equal(s->n_edges, 7);
    for (int k = 0; k < 7; k++) {
        int64_t a = chowliu_edges[k][0], b = chowliu_edges[k][1];
        bool there = false;
        for (int64_t e = s->start[a]; e < s->start[a + 1]; e++) there |= s->parent[e] == b;
        for (int64_t e = s->start[b]; e < s->start[b + 1]; e++) there |= s->parent[e] == a;
        if (!there) fail_msg("no edge between %s and %s", names[a], names[b]);
    }
    assert_int_equal(s->start[8] - s->start[7], 0); /* edges lead away from the target */
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void naive_is_counted(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = rows_table(ctx, asia_rows[0]);
    (void)unused;
    smr_model *m = train_on(ctx, "bayesnet naive", t, "dysp");
    double *p = apply(ctx, m, t, SMR_OUTPUT_PROBA);
    for (int64_t i = 0; i < N; i++) check_near("P(dysp)", p[2 * i], naive_dysp[i], 1e-13);
    smr_free(p);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Every iteration is numpy's, the likelihood never falls, and gaps are summed out of answers. */
static void em_is_numpys_and_never_falls(void **unused)
{
    char sentence[400];
    (void)unused;
    for (int threads = 1; threads < 3; threads++) {
        smr_ctx *ctx = check_ctx(threads);
        smr_table *t = rows_table(ctx, asia_gaps[0]);
        snprintf(sentence, sizeof sentence, "bayesnet %s smoothing=0.5 max_iter=20 tol=0", graph);
        smr_model *m = train_on(ctx, sentence, t, "dysp");
        /* it ends when the likelihood stands still, to rounding; numpy goes on */
        assert_true(m->fit.n_curve > 8 && m->fit.n_curve <= SMR_COUNT(em_objective));
        check_near("limit", m->fit.objective, em_objective[SMR_COUNT(em_objective) - 1], 1e-12);
        for (int64_t k = 0; k < m->fit.n_curve; k++) {
            check_near("objective", m->fit.curve[k], em_objective[k], 1e-12);
            if (k) assert_true(m->fit.curve[k] <= m->fit.curve[k - 1]);
        }
        double *p = apply(ctx, m, t, SMR_OUTPUT_PROBA);
        /* where the likelihood stands still, tables are found to the root of its precision */
        for (int64_t i = 0; i < N; i++) check_near("P(dysp)", p[2 * i], em_dysp[i], 1e-9);
        smr_free(p);
        smr_model_free(m);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

/* Also with nothing added to the counts, from many graphs, whatever is missing. */
static void likelihood_never_falls_without_smoothing(void **unused)
{
    static const char *const how[] = {"naive", "chowliu", "hillclimb max_parents=2"};
    char sentence[200];
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    for (int k = 0; k < 3; k++)
        for (int every = 2; every < 6; every++) {
            int8_t rows[N][8];
            memcpy(rows, asia_rows, sizeof rows);
            for (int64_t i = 0; i < N; i++)
                for (int64_t j = 0; j < 7; j++)
                    if ((i * 7 + j * 3 + i * j) % every == 0) rows[i][j] = -1;
            smr_table *t = rows_table(ctx, rows[0]);
            snprintf(sentence, sizeof sentence, "bayesnet %s smoothing=0 max_iter=40 tol=0",
                     how[k]);
            smr_model *m = train_on(ctx, sentence, t, "dysp");
            assert_true(m->fit.n_curve > 3);
            for (int64_t i = 1; i < m->fit.n_curve; i++)
                if (!(m->fit.curve[i] <= m->fit.curve[i - 1] + 1e-13))
                    fail_msg("%s, every %d: iteration %lld rises", how[k], every, (long long)i);
            smr_model_free(m);
            smr_table_free(t);
        }
    check_ctx_end(ctx);
}

/* Sampled answers to rows with gaps come near the exact ones, and depend on the row alone. */
static void sampling_comes_near(void **unused)
{
    char sentence[400];
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = rows_table(ctx, asia_gaps[0]);
    (void)unused;
    snprintf(sentence, sizeof sentence,
             "bayesnet %s smoothing=0.5 max_iter=20 tol=0 inference=sampling samples=4000", graph);
    smr_model *m = train_on(ctx, sentence, t, "dysp");
    double *p = apply(ctx, m, t, SMR_OUTPUT_PROBA);
    for (int64_t i = 0; i < N; i++) /* 6 deviations of a share of 4000, halved by rare evidence */
        check_near("P(dysp)", p[2 * i], em_dysp[i], 0.1);
    smr_free(p);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void impossible_rows_get_the_shares_of_the_target(void **unused)
{
    static const char *const x[] = {"p", "p", "q", "q"}, *const z[] = {"u", "u", "v", "v"},
                             *const y[] = {"a", "a", "b", "a"};
    static const char *const other[] = {"p", "q", "p", "q"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 4, 3), *u = new_table(ctx, 4, 2);
    (void)unused;
    put_strings(ctx, t, 0, "x", x);
    put_strings(ctx, t, 1, "z", z);
    put_strings(ctx, t, 2, "y", y);
    put_strings(ctx, u, 0, "x", other);
    put_strings(ctx, u, 1, "z", z);
    smr_model *m = train_on(ctx, "bayesnet graph=\"x -> z, x -> target\" smoothing=0", t, "y");
    double *p = apply(ctx, m, u, SMR_OUTPUT_PROBA);
    check_near("p, u", p[0], 1, 0);
    check_near("q, u: x alone tells", p[2], 0.5, 0);
    smr_free(p);
    smr_model_free(m);
    m = train_on(ctx, "bayesnet graph=\"x -> z, target -> z\" smoothing=0", t, "y");
    p = apply(ctx, m, u, SMR_OUTPUT_PROBA);
    check_near("q, u never happens", p[2], 0.75, 1e-15);
    smr_free(p);
    smr_model_free(m);
    smr_table_free(t);
    smr_table_free(u);
    check_ctx_end(ctx);
}

static void graphs_are_checked(void **unused)
{
    static const struct {
        const char *text, *part;
    } wrong[] = {
        {"a", "'->' is missing after 'asia'"},
        {"asia -> tubb", "graph names 'tubb', which is no column; did you mean 'tub'?"},
        {"asia -> asia", "'asia' leads to itself"},
        {"asia -> tub, tub -> lung, lung -> asia", "graph has a cycle: "},
        {"asia -> ", "a name is missing"},
        {"asia -> tub -> lung", "expected ',', found '-> lung'"},
    };
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = rows_table(ctx, asia_rows[0]);
    smr_set_opts opts = {.target = "dysp"};
    (void)unused;
    for (int k = 0; k < SMR_COUNT(wrong); k++) {
        char sentence[200];
        smr_model *m = NULL;
        snprintf(sentence, sizeof sentence, "bayesnet graph=\"%s\"", k ? wrong[k].text : "asia");
        check_fails(ctx, try_train(ctx, sentence, t, &opts, &m), SMR_ERR_PARAM, wrong[k].part);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* A grid in which each column has two parents: small tables, and cliques of 2^17 cells. */
static void cliques_are_not_larger_than_a_small_file_may_ask_for(void **unused)
{
    enum { SIDE = 16, ROWS = 4 };
    static const char *const cells[ROWS] = {"a", "b", "b", "a"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    smr_model *m = NULL;
    smr_text sentence = {.ctx = ctx};
    smr_set_opts opts = {.target = "y"};
    char name[32];
    (void)unused;
    check_ok(ctx, smr_table_create(ctx, ROWS, &t));
    smr_text_add(&sentence, "bayesnet graph='c0_0 -> target");
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            snprintf(name, sizeof name, "c%d_%d", i, j);
            check_ok(ctx, smr_table_add_strings(ctx, t, name, cells));
            if (i) smr_text_printf(&sentence, ", c%d_%d -> %s", i - 1, j, name);
            if (j) smr_text_printf(&sentence, ", c%d_%d -> %s", i, j - 1, name);
        }
    check_ok(ctx, smr_table_add_strings(ctx, t, "y", cells));
    smr_text_add(&sentence, "'");
    check_fails(ctx, try_train(ctx, sentence.bytes, t, &opts, &m), SMR_ERR_NOMEM,
                "and may take 268.4 MB here; fewer parents or bins");
    smr_text_add(&sentence, " inference=sampling");
    check_ok(ctx, try_train(ctx, sentence.bytes, t, &opts, &m));
    smr_model_free(m);
    smr_text_release(&sentence);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hill_climbing_ends_where_greedy_search_does),
        cmocka_unit_test(no_search_is_better_than_the_best_of_all_graphs),
        cmocka_unit_test(a_detour_leads_out_of_local_optima),
        cmocka_unit_test(chow_liu_is_the_greatest_tree),
        cmocka_unit_test(naive_is_counted),
        cmocka_unit_test(em_is_numpys_and_never_falls),
        cmocka_unit_test(likelihood_never_falls_without_smoothing),
        cmocka_unit_test(sampling_comes_near),
        cmocka_unit_test(impossible_rows_get_the_shares_of_the_target),
        cmocka_unit_test(graphs_are_checked),
        cmocka_unit_test(cliques_are_not_larger_than_a_small_file_may_ask_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
