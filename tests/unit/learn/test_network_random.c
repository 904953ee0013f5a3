/* Random graphs and tables: exact inference and the likeliest levels against sums and maxima over
 * all combinations, d-separation against all paths, and how far sampled answers are from exact
 * ones. */
#include "check.h"

#include "core/rng.h"
#include "learn/graphical/network_query.h"

enum { MOST = 8, CELLS = 1 << 14, LEVELS = 3 };

static double unit(uint64_t a, uint64_t b)
{
    return smr_random_unit(11, SMR_STREAM_TEST, a, b);
}

/* Nodes in an order that is shuffled, each with some of those before it as parents; every fifth
 * cell of the tables is 0. */
struct random_net {
    int64_t n, start[MOST + 1], levels[MOST], at[MOST + 1];
    int32_t parent[MOST * MOST];
    double p[CELLS];
    smr_tables tables;
};

static void draw_net(struct random_net *r, uint64_t seed, double density)
{
    int64_t order[MOST], edges = 0;
    *r = (struct random_net){.n = 2 + (int64_t)(unit(seed, 0) * (MOST - 1))};
    smr_random_permutation(13, SMR_STREAM_TEST, seed, r->n, order); /* order[i]: its rank */
    for (int64_t i = 0; i < r->n; i++) r->levels[i] = 1 + (int64_t)(unit(seed, 10 + i) * LEVELS);
    for (int64_t i = 0; i < r->n; i++) {
        int64_t cells = r->levels[i];
        for (int64_t j = 0; j < r->n; j++)
            if (order[j] < order[i] && unit(seed, (uint64_t)(100 + i * MOST + j)) < density) {
                r->parent[edges++] = (int32_t)j;
                cells *= r->levels[j];
            }
        r->start[i + 1] = edges;
        r->at[i + 1] = r->at[i] + cells;
        for (int64_t row = r->at[i]; row < r->at[i + 1]; row += r->levels[i]) {
            double sum = 0;
            for (int64_t k = 0; k < r->levels[i]; k++) {
                double u = unit(seed + 1000, (uint64_t)(row + k));
                sum += r->p[row + k] = u < 0.2 && k ? 0 : 0.01 + u;
            }
            for (int64_t k = 0; k < r->levels[i]; k++) r->p[row + k] /= sum;
        }
    }
    r->tables = (smr_tables){{r->n, r->start, r->parent}, r->levels, r->at, r->p};
}

/* All combinations of levels with the evidence: the sum, marginals, and the largest. */
static double enumerate(const struct random_net *r, const int32_t *evidence, double *marginal,
                        double *largest)
{
    int32_t level[MOST] = {0};
    double sum = 0;
    memset(marginal, 0, MOST * LEVELS * sizeof *marginal);
    *largest = 0;
    for (;;) {
        double p = 1;
        for (int64_t i = 0; i < r->n; i++) {
            int64_t row = 0;
            for (int64_t e = r->start[i]; e < r->start[i + 1]; e++)
                row = row * r->levels[r->parent[e]] + level[r->parent[e]];
            p *= r->p[r->at[i] + row * r->levels[i] + level[i]];
            if (evidence[i] >= 0 && evidence[i] != level[i]) p = 0;
        }
        sum += p;
        *largest = fmax(*largest, p);
        for (int64_t i = 0; i < r->n; i++) marginal[i * LEVELS + level[i]] += p;
        int64_t i = r->n - 1;
        for (; i >= 0 && ++level[i] == r->levels[i]; i--) level[i] = 0;
        if (i < 0) return sum;
    }
}

static void check_net(smr_ctx *ctx, const struct random_net *r, uint64_t seed)
{
    smr_jtree tree;
    check_ok(ctx, smr_jtree_make(ctx, &r->tables, NULL, 0, "", &tree));
    double *work = smr_alloc(ctx, smr_jtree_work(&tree), sizeof *work);
    for (uint64_t k = 0; k < 6; k++) {
        int32_t evidence[MOST], level[MOST];
        double marginal[MOST * LEVELS], got[LEVELS], largest;
        for (int64_t i = 0; i < r->n; i++)
            evidence[i] =
                unit(seed + 2000, (uint64_t)i + 50 * k) < 0.15 * (double)k
                    ? (int32_t)(unit(seed + 3000, (uint64_t)i + 50 * k) * (double)r->levels[i])
                    : -1;
        double sum = enumerate(r, evidence, marginal, &largest);
        double log_p = smr_jtree_run(&tree, evidence, true, work);
        bool possible = log_p > -INFINITY;
        assert_int_equal(possible, sum > 0);
        if (possible) check_near("P(evidence)", exp(log_p), sum, 1e-12);
        for (int64_t i = 0; possible && i < r->n; i++) {
            smr_jtree_marginal(&tree, work, i, got);
            for (int64_t c = 0; c < r->levels[i]; c++)
                check_near("P(x | evidence)", got[c], marginal[i * LEVELS + c] / sum, 1e-12);
        }
        assert_int_equal(smr_jtree_best(&tree, evidence, work, level), possible);
        if (!possible) continue;
        for (int64_t i = 0; i < r->n; i++) assert_true(evidence[i] < 0 || evidence[i] == level[i]);
        /* Others may be as likely: the probability decides, not the levels. */
        check_near("likeliest", exp(smr_tables_log_joint(&r->tables, level)), largest, 1e-12);
    }
    smr_free(work);
    smr_jtree_release(&tree);
}

static void the_tree_of_cliques_sums_over_all_combinations(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct random_net r;
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        draw_net(&r, seed, 0.15 * (double)(seed % 5));
        check_net(ctx, &r, seed);
    }
    check_ctx_end(ctx);
}

/* ---- separation ------------------------------------------------------------------------- */

static bool has_edge(const struct random_net *r, int64_t a, int64_t b)
{
    for (int64_t e = r->start[b]; e < r->start[b + 1]; e++)
        if (r->parent[e] == a) return true;
    return false;
}

/* Is i, or a descendant of it, given? */
static bool is_opened(const struct random_net *r, int64_t i, int given)
{
    if (given >> i & 1) return true;
    for (int64_t c = 0; c < r->n; c++)
        if (has_edge(r, i, c) && is_opened(r, c, given)) return true;
    return false;
}

/* Does a path that is open lead on from path[n - 1] to b?  Every path without a node twice is
 * tried. */
static bool is_joined(const struct random_net *r, int64_t *path, int64_t n, int64_t b, int given)
{
    int64_t at = path[n - 1];
    if (at == b) return true;
    for (int64_t next = 0; next < r->n; next++) {
        bool down = has_edge(r, at, next), fresh = true;
        for (int64_t k = 0; k < n; k++) fresh = fresh && path[k] != next;
        if (!fresh || (!down && !has_edge(r, next, at))) continue;
        if (n > 1) {
            bool collides = has_edge(r, path[n - 2], at) && !down;
            if (collides ? !is_opened(r, at, given) : given >> at & 1) continue;
        }
        path[n] = next;
        if (is_joined(r, path, n + 1, b, given)) return true;
    }
    return false;
}

/* An open trail that is told must be one. */
static void check_open(const struct random_net *r, const smr_trail *t, int given)
{
    for (int64_t k = 0; k + 1 < t->n; k++) {
        int64_t a = t->node[k], b = t->node[k + 1];
        assert_true(has_edge(r, a, b) || has_edge(r, b, a));
        if (k == 0) continue;
        bool collides = has_edge(r, t->node[k - 1], a) && has_edge(r, b, a);
        assert_true(collides ? is_opened(r, a, given) : !(given >> a & 1));
    }
}

static void separated_is_where_every_path_is_blocked(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    int64_t n_asked = 0, n_separated = 0;
    struct random_net r;
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        draw_net(&r, seed, 0.1 + 0.1 * (double)(seed % 4));
        for (int64_t a = 0; a < r.n; a++)
            for (int64_t b = 0; b < r.n; b++)
                for (int set = 0; set < 1 << r.n; set += 1 + (int)(seed % 3)) {
                    bool given[MOST];
                    int64_t path[MOST + 1] = {a};
                    smr_separation s;
                    for (int64_t i = 0; i < r.n; i++) given[i] = set >> i & 1;
                    if (a == b || given[a] || given[b]) continue;
                    check_ok(ctx, smr_dag_separated(ctx, &r.tables.dag, a, b, given, &s));
                    n_asked++;
                    n_separated += s.separated;
                    assert_int_equal(!s.separated, is_joined(&r, path, 1, b, set));
                    if (!s.separated) check_open(&r, &s.trail[0], set);
                    smr_separation_release(&s);
                }
    }
    if (n_asked < 50000 || n_separated < n_asked / 20 || n_separated > n_asked * 19 / 20)
        fail_msg("%d asked, %d separated", (int)n_asked, (int)n_separated);
    check_ctx_end(ctx);
}

/* ---- sampled answers -------------------------------------------------------------------- */

struct coverage {
    int64_t all, near, nearer, warned;
};

/* How often answers of 1000 samples are within two of their standard errors, and within four. */
static struct coverage cover(const char *name, const char *query, int seeds)
{
    smr_ctx *ctx = check_ctx(1);
    struct coverage c = {0};
    char path[100];
    smr_network net;
    smr_net_query q;
    smr_net_answer exact, a;
    snprintf(path, sizeof path, "data/networks/%s.txt", name);
    check_ok(ctx, smr_net_read(ctx, path, &net));
    check_ok(ctx, smr_net_query_read(ctx, &net, query, &q));
    check_ok(ctx, smr_net_ask(ctx, &net, &q, SMR_NET_EXACT, 0, &exact));
    for (int seed = 0; seed < seeds; seed++) {
        smr_ctx_set_seed(ctx, (uint64_t)seed);
        smr_ctx_clear(ctx);
        check_ok(ctx, smr_net_ask(ctx, &net, &q, SMR_NET_SAMPLING, 1000, &a));
        bool warned = smr_ctx_n_warnings(ctx) > 0;
        c.warned += warned;
        assert_int_equal(warned, a.unseen > 0.05);
        for (int64_t k = 0; k < exact.n; k++) {
            double off = fabs(a.p[k] - exact.p[k]);
            if (exact.p[k] == 0 || exact.p[k] == 1) continue;
            c.all++;
            c.nearer += off <= 2 * a.error[k];
            c.near += off <= 4 * a.error[k];
        }
        smr_net_answer_release(&a);
    }
    smr_net_answer_release(&exact);
    smr_net_query_release(&q);
    smr_net_release(&net);
    check_ctx_end(ctx);
    return c;
}

/* Two standard errors hold 95 of 100 answers, four all but a few; with evidence that is unlikely
 * for so few samples nearly as many, and a warning. */
static void sampled_answers_are_as_near_as_they_say(void **state)
{
    static const struct {
        const char *name, *query;
        bool warns;
    } cases[] = {{"asia", "P(*)", false},
                 {"asia", "P(* | xray=yes, dysp=yes)", false},
                 {"cancer", "P(* | xray=positive, dyspnoea=true)", false},
                 {"alarm", "P(* | HRBP=HIGH, PRESS=LOW, HISTORY=TRUE)", true},
                 {"alarm", "P(* | CATECHOL=NORMAL, PAP=HIGH, CO=HIGH, VENTALV=NORMAL)", true}};
    (void)state;
    for (int k = 0; k < SMR_COUNT(cases); k++) {
        const int seeds = 60;
        struct coverage c = cover(cases[k].name, cases[k].query, seeds);
        double nearer = (double)c.nearer / (double)c.all, near = (double)c.near / (double)c.all;
        if (nearer < (cases[k].warns ? 0.9 : 0.93) || near < 0.99)
            fail_msg("%s: %g within two errors, %g within four", cases[k].query, nearer, near);
        assert_int_equal(c.warned, cases[k].warns ? seeds : 0);
    }
}

/* All samples agree, and all are wrong: what explains the evidence has not been drawn. */
static void what_no_sample_met_is_told(void **state)
{
    static const char text[] = "variable cause: yes, no\nvariable sign: yes, no\n"
                               "P(cause) = 0.000001, 0.999999\n"
                               "P(sign | cause)\n yes: 1, 0\n no: 0.000000001, 0.999999999\n";
    smr_ctx *ctx = check_ctx(1);
    smr_network net;
    smr_net_query q;
    smr_net_answer a;
    (void)state;
    check_ok(ctx, smr_net_parse(ctx, "rare", text, sizeof text - 1, &net));
    check_ok(ctx, smr_net_query_read(ctx, &net, "P(cause | sign=yes)", &q));
    check_ok(ctx, smr_net_ask(ctx, &net, &q, SMR_NET_EXACT, 0, &a));
    check_near("exact", a.p[0], 0.999, 1e-3);
    smr_net_answer_release(&a);
    check_ok(ctx, smr_net_ask(ctx, &net, &q, SMR_NET_SAMPLING, 1000, &a));
    assert_true(a.p[0] == 0 && a.unseen > 0.9999);
    assert_int_equal(smr_ctx_n_warnings(ctx), 1);
    assert_non_null(
        strstr(smr_ctx_warning(ctx, 0), "up to 100 % of the answer may lie where none"));
    smr_net_answer_release(&a);
    smr_net_query_release(&q);
    smr_net_release(&net);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tree_of_cliques_sums_over_all_combinations),
        cmocka_unit_test(separated_is_where_every_path_is_blocked),
        cmocka_unit_test(sampled_answers_are_as_near_as_they_say),
        cmocka_unit_test(what_no_sample_met_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
