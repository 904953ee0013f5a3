/* Networks of the literature: the two file forms, and exact inference against sums over all
 * combinations of levels. */
#include "check.h"

#include "learn/graphical/network_query.h"

static const char *const small[] = {"asia", "cancer", "earthquake", "sprinkler"};

static smr_network load(smr_ctx *ctx, const char *name)
{
    char path[100];
    smr_network net;
    snprintf(path, sizeof path, "data/networks/%s.txt", name);
    check_ok(ctx, smr_network_read(ctx, path, &net));
    return net;
}

/* P(levels) by equation (1) of network.h. */
static double joint_of(const smr_network *net, const int32_t *level)
{
    double p = 1;
    for (int64_t i = 0; i < net->n; i++) {
        int64_t row = 0;
        for (int64_t e = net->start[i]; e < net->start[i + 1]; e++)
            row = row * net->levels[net->parent[e]] + level[net->parent[e]];
        p *= net->p[net->at[i] + row * net->levels[i] + level[i]];
    }
    return p;
}

/* Marginals and P(evidence), by going through all combinations. */
static double enumerate(const smr_network *net, const int32_t *evidence, double *marginal)
{
    int32_t level[16] = {0};
    int64_t first[17] = {0};
    double all = 0;
    for (int64_t i = 0; i < net->n; i++) first[i + 1] = first[i] + net->levels[i];
    memset(marginal, 0, (size_t)first[net->n] * sizeof *marginal);
    for (;;) {
        bool fits = true;
        for (int64_t i = 0; i < net->n; i++)
            fits = fits && (evidence[i] < 0 || evidence[i] == level[i]);
        double p = fits ? joint_of(net, level) : 0;
        all += p;
        for (int64_t i = 0; i < net->n; i++) marginal[first[i] + level[i]] += p;
        int64_t i = net->n - 1;
        for (; i >= 0 && ++level[i] == net->levels[i]; i--) level[i] = 0;
        if (i < 0) break;
    }
    for (int64_t k = 0; all > 0 && k < first[net->n]; k++) marginal[k] /= all;
    return all;
}

/* Every single and every pair of findings, in each of the small networks. */
static void exact_marginals_are_sums_over_all_combinations(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int k = 0; k < SMR_COUNT(small); k++) {
        smr_network net = load(ctx, small[k]);
        smr_tables tables = smr_network_tables(&net);
        smr_jtree tree;
        double want[64], got[64];
        check_ok(ctx, smr_jtree_make(ctx, &tables, NULL, 0, "", &tree));
        double *work = smr_alloc(ctx, smr_jtree_work(&tree), sizeof *work);
        int32_t evidence[16];
        for (int64_t a = 0; a < net.n; a++)
            for (int64_t b = a; b < net.n; b++)
                for (int32_t v = 0; v < 4; v++) {
                    for (int64_t i = 0; i < net.n; i++) evidence[i] = -1;
                    evidence[a] = v / 2;
                    if (b > a) evidence[b] = v % 2;
                    double p = enumerate(&net, evidence, want);
                    double log_p = smr_jtree_run(&tree, evidence, true, work);
                    if (p == 0) {
                        assert_true(log_p == -INFINITY);
                        continue;
                    }
                    check_near("P(evidence)", exp(log_p), p, 1e-14);
                    double *to = got;
                    for (int64_t i = 0; i < net.n; to += net.levels[i++])
                        smr_jtree_marginal(&tree, work, i, to);
                    for (int64_t c = 0; c < to - got; c++)
                        check_near("P(x | evidence)", got[c], want[c], 1e-14);
                }
        smr_free(work);
        smr_jtree_release(&tree);
        smr_network_release(&net);
    }
    check_ctx_end(ctx);
}

static double ask(smr_ctx *ctx, const smr_network *net, const char *text)
{
    smr_net_query q;
    smr_net_answer a;
    int64_t cell = 0;
    check_ok(ctx, smr_net_query_read(ctx, net, text, &q));
    check_ok(ctx, smr_network_ask(ctx, net, &q, SMR_NET_EXACT, 0, &a));
    for (int64_t i = 0; i < q.n_of; i++)
        cell = cell * net->levels[q.of[i]] + (q.of_level[i] < 0 ? 0 : q.of_level[i]);
    double p = a.p[cell];
    smr_net_query_release(&q);
    smr_net_answer_release(&a);
    return p;
}

/* Murphy's tutorial (sprinkler), Lauritzen & Spiegelhalter's table 5 (asia), Korb & Nicholson
 * (cancer, earthquake). */
static void published_probabilities_come_out(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    smr_network s = load(ctx, "sprinkler"), a = load(ctx, "asia"), c = load(ctx, "cancer"),
                e = load(ctx, "earthquake");
    check_near("wet", ask(ctx, &s, "P(wet=yes)"), 0.6471, 1e-12);
    check_near("sprinkler", ask(ctx, &s, "P(sprinkler=yes | wet=yes)"), 0.2781 / 0.6471, 1e-12);
    check_near("rain", ask(ctx, &s, "P(rain=yes | wet=yes)"), 0.4581 / 0.6471, 1e-12);
    check_near("away", ask(ctx, &s, "P(sprinkler=yes | wet=yes, rain=yes)"), 0.0891 / 0.4581,
               1e-12);
    check_near("tub", ask(ctx, &a, "P(tub=yes)"), 0.0104, 1e-12);
    check_near("lung", ask(ctx, &a, "P(lung=yes)"), 0.055, 1e-12);
    check_near("bronc", ask(ctx, &a, "P(bronc=yes)"), 0.45, 1e-12);
    check_near("either", ask(ctx, &a, "P(either=yes)"), 0.064828, 1e-12);
    check_near("xray", ask(ctx, &a, "P(xray=yes)"), 0.11029004, 1e-12);
    check_near("dysp", ask(ctx, &a, "P(dysp=yes)"), 0.4359706, 1e-12);
    check_near("cancer", ask(ctx, &c, "P(cancer=true)"), 0.01163, 1e-12);
    check_near("both", ask(ctx, &c, "P(xray=positive, cancer=true)"), 0.9 * 0.01163, 1e-12);
    check_near("alarm", ask(ctx, &e, "P(alarm=true)"), 0.0161142, 1e-9);
    smr_network_release(&s);
    smr_network_release(&a);
    smr_network_release(&c);
    smr_network_release(&e);
    check_ctx_end(ctx);
}

static void assert_same(const smr_network *a, const smr_network *b)
{
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->levels, b->levels, (size_t)a->n * 8);
    assert_memory_equal(a->start, b->start, (size_t)(a->n + 1) * 8);
    assert_memory_equal(a->parent, b->parent, (size_t)a->start[a->n] * 4);
    assert_memory_equal(a->at, b->at, (size_t)(a->n + 1) * 8);
    assert_memory_equal(a->p, b->p, (size_t)a->at[a->n] * 8);
}

static void both_forms_read_back_what_was_written(void **state)
{
    const char *const all[] = {"asia", "cancer", "earthquake", "sprinkler", "alarm"};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int k = 0; k < SMR_COUNT(all); k++) {
        smr_network net = load(ctx, all[k]), text, bif;
        smr_text one = {.ctx = ctx}, two = {.ctx = ctx};
        smr_network_write_text(&net, &one);
        smr_network_write_bif(&net, &two);
        check_ok(ctx, smr_network_parse(ctx, "one", one.bytes, one.length, &text));
        check_ok(ctx, smr_network_parse(ctx, "two", two.bytes, two.length, &bif));
        assert_same(&net, &text);
        assert_same(&net, &bif);
        smr_text_release(&one);
        smr_text_release(&two);
        smr_network_release(&net);
        smr_network_release(&text);
        smr_network_release(&bif);
    }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_marginals_are_sums_over_all_combinations),
        cmocka_unit_test(published_probabilities_come_out),
        cmocka_unit_test(both_forms_read_back_what_was_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
