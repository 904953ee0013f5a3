/* Networks of the literature: the two file forms, and exact inference against sums over all
 * combinations of levels. */
#include "check.h"

#include "learn/graphical/network_query.h"
#include "truth/networks.h"

static const char *const small[] = {"asia", "cancer", "earthquake", "sprinkler"};

static smr_network load(smr_ctx *ctx, const char *name)
{
    char path[100];
    smr_network net;
    snprintf(path, sizeof path, "data/networks/%s.txt", name);
    check_ok(ctx, smr_net_read(ctx, path, &net));
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
        smr_tables tables = smr_net_tables(&net);
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
        smr_net_release(&net);
    }
    check_ctx_end(ctx);
}

static double ask(smr_ctx *ctx, const smr_network *net, const char *text)
{
    smr_net_query q;
    smr_net_answer a;
    int64_t cell = 0;
    check_ok(ctx, smr_net_query_read(ctx, net, text, &q));
    check_ok(ctx, smr_net_ask(ctx, net, &q, SMR_NET_EXACT, 0, &a));
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
    smr_net_release(&s);
    smr_net_release(&a);
    smr_net_release(&c);
    smr_net_release(&e);
    check_ctx_end(ctx);
}

/* Alarm has too many combinations: numpy eliminates its variables (tests/truth/networks.py). */
static void marginals_are_numpys(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int k = 0; k < SMR_COUNT(network_cases); k++) {
        smr_network net = load(ctx, network_cases[k].name);
        smr_net_query q;
        smr_net_answer a;
        check_ok(ctx, smr_net_query_read(ctx, &net, network_cases[k].query, &q));
        check_ok(ctx, smr_net_ask(ctx, &net, &q, SMR_NET_AUTO, 0, &a));
        assert_int_equal(a.n, network_cases[k].n);
        assert_int_equal(a.samples, 0);
        check_near("P(evidence)", exp(a.log_evidence) / network_cases[k].evidence, 1, 1e-12);
        for (int64_t c = 0; c < a.n; c++)
            check_near("P(x | evidence)", a.p[c], network_cases[k].p[c], 1e-13);
        smr_net_answer_release(&a);
        smr_net_query_release(&q);
        smr_net_release(&net);
    }
    check_ctx_end(ctx);
}

/* Estimates lie within 4.5 of their own standard errors, which shrink with the root of the samples;
 * every thread count draws the same. */
static void weighting_tells_its_error(void **state)
{
    smr_ctx *ctx = check_ctx(1), *two = check_ctx(2);
    (void)state;
    smr_network net = load(ctx, "alarm");
    int k = 1; /* the case with three findings */
    smr_net_query q;
    smr_net_answer few, many;
    check_ok(ctx, smr_net_query_read(ctx, &net, network_cases[k].query, &q));
    check_ok(ctx, smr_net_ask(ctx, &net, &q, SMR_NET_SAMPLING, 20000, &few));
    check_ok(two, smr_net_ask(two, &net, &q, SMR_NET_SAMPLING, 20000, &many));
    assert_memory_equal(few.p, many.p, (size_t)few.n * 8);
    smr_net_answer_release(&many);
    check_ok(two, smr_net_ask(two, &net, &q, SMR_NET_SAMPLING, 320000, &many));
    double was = 0, is = 0;
    for (int64_t c = 0; c < few.n; c++) {
        double off = fabs(many.p[c] - network_cases[k].p[c]);
        if (off > 4.5 * many.error[c] + 1e-4)
            fail_msg("cell %lld: off by %g, error %g", (long long)c, off, many.error[c]);
        was += few.error[c];
        is += many.error[c];
    }
    check_near("errors", is / was, 0.25, 0.05);
    assert_true(many.effective > 100 && many.effective < 320000);
    smr_net_answer_release(&few);
    smr_net_answer_release(&many);
    smr_net_query_release(&q);
    smr_net_release(&net);
    check_ctx_end(ctx);
    check_ctx_end(two);
}

/* Past the budget: sampling, said in a warning; or refused, with the figure. */
static void memory_is_known_before_it_is_taken(void **state)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 400000};
    (void)state;
    assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_OK);
    smr_text big = {.ctx = ctx};
    const char *sep = "";
    for (int i = 0; i < 12; i++) smr_text_printf(&big, "variable v%d: a, b, c\n", i);
    for (int i = 0; i < 11; i++) smr_text_printf(&big, "P(v%d) = 1/3, 1/3, 1/3\n", i);
    smr_text_add(&big, "variable w: a, b\nP(v11 | v10)\n *: 0.2, 0.3, 0.5\nP(w | ");
    for (int i = 0; i < 8; i++, sep = ", ") smr_text_printf(&big, "%sv%d", sep, i);
    smr_text_add(&big, ")\n *: 0.25, 0.75\n");
    smr_network net;
    smr_net_query q;
    smr_net_answer a;
    check_ok(ctx, smr_net_parse(ctx, "big", big.bytes, big.length, &net));
    check_ok(ctx, smr_net_query_read(ctx, &net, "v11 | w=a", &q));
    check_fails(ctx, smr_net_ask(ctx, &net, &q, SMR_NET_EXACT, 1000, &a), SMR_ERR_NOMEM,
                "exact inference needs");
    check_ok(ctx, smr_net_ask(ctx, &net, &q, SMR_NET_AUTO, 1000, &a));
    assert_int_equal(a.samples, 1000);
    check_near("P(v11)", a.p[2], 0.5, 5 * a.error[2]);
    assert_non_null(strstr(smr_ctx_warning(ctx, 0), "answered by likelihood weighting"));
    smr_net_answer_release(&a);
    smr_net_query_release(&q);
    smr_net_release(&net);
    smr_text_release(&big);
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
        smr_net_write_text(&net, &one);
        smr_net_write_bif(&net, &two);
        check_ok(ctx, smr_net_parse(ctx, "one", one.bytes, one.length, &text));
        check_ok(ctx, smr_net_parse(ctx, "two", two.bytes, two.length, &bif));
        assert_same(&net, &text);
        assert_same(&net, &bif);
        smr_text_release(&one);
        smr_text_release(&two);
        smr_net_release(&net);
        smr_net_release(&text);
        smr_net_release(&bif);
    }
    check_ctx_end(ctx);
}

#define REFUSES(text_, part_)                                                                      \
    check_fails(ctx, smr_net_parse(ctx, "f", text_, (int64_t)strlen(text_), &net), SMR_ERR_FORMAT, \
                part_)

static void broken_files_are_told_where(void **state)
{
    static const char two[] = "variable a: x, y\nvariable b: u, v\n";
    char text[400];
    smr_ctx *ctx = check_ctx(1);
    smr_network net = {0};
    (void)state;
#define AFTER(rest_, part_)                              \
    do {                                                 \
        snprintf(text, sizeof text, "%s%s", two, rest_); \
        REFUSES(text, part_);                            \
    } while (0)
    REFUSES("", "f: there is no variable");
    REFUSES("variable a: x\nvariable a: y\n", "f:2: there are two variables 'a'");
    REFUSES("variable a: x, x\n", "f:1: a variable has the level 'x' twice");
    REFUSES("variable a x\n", "f:1: expected ':' and the levels of the variable, found 'x'");
    AFTER("P(a) = 0.5, 0.5\n", "f: variable 'b' has no table");
    AFTER("P(c) = 1\n", "f:3: the network has no variable 'c'");
    AFTER("P(a) = 0.5\n", "f:3: expected a comma and the next probability, found the end of the "
                          "line");
    AFTER("P(a) = 0.5, 0.6\nP(b) = 1, 0\n", "f:3: P(a) does not sum to 1 but to 1.1");
    AFTER("P(a) = 1.5, -0.5\nP(b) = 1, 0\n", "f:3: P(a) has a probability that is not in 0 .. 1");
    AFTER("P(a | b)\n u: 0.5, 0.5\n v: 0.2, 0.7\nP(b) = 1, 0\n",
          "f:3: P(a | b=v) does not sum to 1 but to 0.9");
    AFTER("P(a | b)\n u: 0.5, 0.5\nP(b) = 1, 0\n", "f:3: P(a | b=v) is not given");
    AFTER("P(a | b)\n u: 0.5, 0.5\n u: 1, 0\n", "f:5: this row of the table is there twice");
    AFTER("P(a | b)\n w: 0.5, 0.5\n", "f:4: variable 'b' has no level 'w'");
    AFTER("P(a | a)\n", "f:3: a variable is its own parent in the table of 'a'");
    AFTER("P(a | b)\n *: 1, 0\nP(b | a)\n *: 1, 0\n", "f: the graph has a cycle: b -> a -> b");
    AFTER("x: 1\n", "f:3: expected 'variable NAME");
    REFUSES("network n {\n}\nvariable a { type discrete [ 3 ] { x, y }; }\n",
            "f:3: 3 levels are announced and 2 listed");
    static const char real[] = "network n {\n}\nvariable a { type continuous; }\n";
    check_fails(ctx, smr_net_parse(ctx, "f", real, (int64_t)strlen(real), &net),
                SMR_ERR_UNSUPPORTED, "f:3: a variable of type 'continuous'; only 'discrete'");
    REFUSES("network n {}\nvariable a { type discrete [ 1 ] { x }; }\n"
            "probability ( a ) { table 2; }",
            "f:3: P(a) has a probability that is not in 0 .. 1: 2");
    check_ctx_end(ctx);
}

/* As Java tools of the 1990s wrote it: quotes, no commas, no bar, tables whose child is slowest. */
static void old_bif_is_read(void **state)
{
    static const char text[] =
        "// a comment\nnetwork \"dog problem\" { //5 variables\n property \"x; y\" ; }\n"
        "variable  \"light on\" { //2 values\n\ttype discrete[2] {  \"true\"  \"false\" };\n"
        "\tproperty \"position = (218, 195)\" ;\n}\n"
        "variable f { type discrete[2] { \"true\" \"false\" }; }\n"
        "probability (  \"light on\"  f ) { /* 4 values */\n\ttable 0.6 0.05 0.4 0.95 ;\n}\n"
        "probability ( f ) { default 0.15 0.85; }\n";
    smr_ctx *ctx = check_ctx(1);
    smr_network net;
    (void)state;
    check_ok(ctx, smr_net_parse(ctx, "old", text, (int64_t)strlen(text), &net));
    assert_string_equal(net.name, "dog problem");
    check_near("P(on)", ask(ctx, &net, "P(\"light on\"=true)"), 0.15 * 0.6 + 0.85 * 0.05, 1e-15);
    check_near("P(on | out)", ask(ctx, &net, "\"light on\" | f=false"), 0.05, 1e-15);
    smr_net_release(&net);
    check_ctx_end(ctx);
}

/* As the R package bnlearn, pgmpy, aGrUM and lecture notes write it. */
static void bif_of_other_programs_is_read(void **state)
{
    static const char *const texts[] = {
        "network unknown {\n}\nvariable CO2 {\n  type discrete [ 3 ] { <7.5, >=7.5, Transp. };\n}\n"
        "variable Age {\n  type discrete [ 2 ] { 0-3_days, Asy/Patch };\n}\n"
        "probability ( CO2 | Age ) {\n  (0-3_days) 0.33333334, 0.33333333, 0.33333333;\n"
        "  (Asy/Patch) 0.25, 0.5, 0.25;\n}\nprobability ( Age ) {\n  table 0.75, 0.25;\n}\n",
        "network unknown {\n}\nvariable CO2 {\n    type discrete [ 3 ] { <7.5, >=7.5, 12:30 };\n"
        "    property weight = None ;\n}\nvariable Age {\n    type discrete [ 2 ] { #1, *2 };\n}\n"
        "probability ( Age ) {\n    table 0.75, 0.25 ;\n}\nprobability ( CO2 | Age ) {\n"
        "    ( #1 ) 0.33333334, 0.33333333, 0.33333333;\n    ( *2 ) 0.25, 0.5, 0.25;\n\n}\n",
        "\nnetwork \"two\" {\n// written by a program\n}\n\nvariable CO2 {\n   type discrete[3] "
        "{low, 1, 2};\n}\n\nvariable Age {\n   type discrete[2] {0, 1};\n}\n\nprobability (Age) {\n"
        "   default 0.75 0.25;\n}\nprobability (CO2 | Age) {\n   (0) 0.33333334 0.33333333 "
        "0.33333333;\n   (1) 0.25 0.5 0.25;\n}\n",
        "// Bayesian Network\n\nvariable CO2 {\n  type discrete [ 3 ] = { A, B, C };\n};\nvariable "
        "Age "
        "{\n  type discrete [ 2 ] = { D, E };\n};\nprobability ( CO2 | Age ) {\n    ( D ) "
        "0.33333334, "
        "0.33333333, 0.33333333;\n    ( E ) 0.25, 0.5, 0.25;\n};\nprobability ( Age ) {\n    table "
        "0.75, 0.25;\n};\n"};
    static const char *const queries[] = {"P(CO2=\">=7.5\")", "P(CO2=\">=7.5\")", "CO2=1", "CO2=B"};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int k = 0; k < SMR_COUNT(texts); k++) {
        smr_network net;
        check_ok(ctx, smr_net_parse(ctx, "bif", texts[k], (int64_t)strlen(texts[k]), &net));
        assert_int_equal(net.n, 2);
        check_near(queries[k], ask(ctx, &net, queries[k]), 0.75 * 0.33333333 + 0.25 * 0.5, 1e-15);
        smr_net_release(&net);
    }
    check_ctx_end(ctx);
}

static void queries_are_checked(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_network net = load(ctx, "asia");
    smr_net_query q;
    smr_net_answer a;
    (void)state;
#define WRONG(text_, part_) \
    check_fails(ctx, smr_net_query_read(ctx, &net, text_, &q), SMR_ERR_PARAM, part_)
    WRONG("P(smok)", "has no variable 'smok'; did you mean 'smoke'?");
    WRONG("P(smoke=maybe)", "variable 'smoke' has no level 'maybe'");
    WRONG("P(smoke | tub)", "expected '=' and a level of the evidence, found ')'");
    WRONG("P(smoke, smoke)", "'smoke' occurs twice in the query");
    WRONG("P(smoke | smoke=yes)", "'smoke' occurs twice in the query");
    WRONG("P(smoke", "expected '|', ',' or ')', and nothing follows");
    WRONG("P(smoke) or so", "expected the end of the query, found 'or so'");
    WRONG("", "expected the name of a variable, and nothing follows");
    check_ok(ctx, smr_net_query_read(ctx, &net, "dysp | lung=yes, either=no", &q));
    check_fails(ctx, smr_net_ask(ctx, &net, &q, SMR_NET_AUTO, 9, &a), SMR_ERR_DATA,
                "the evidence has probability 0 in this network");
    check_fails(ctx, smr_net_ask(ctx, &net, &q, SMR_NET_SAMPLING, 999, &a), SMR_ERR_DATA,
                "none of 999 samples agrees with the evidence");
    smr_net_query_release(&q);
    smr_net_release(&net);
    check_ctx_end(ctx);
}

/* ---- separation ---- */

static smr_separation separate(smr_ctx *ctx, const smr_network *net, int64_t a, int64_t b,
                               int64_t given)
{
    bool is[16] = {false};
    smr_separation s;
    smr_dag dag = smr_net_dag(net);
    if (given >= 0) is[given] = true;
    check_ok(ctx, smr_dag_separated(ctx, &dag, a, b, is, &s));
    return s;
}

/* The chain X1 -> X2 -> X3: X1 and X3 are dependent, and independent given X2. */
static void a_chain_is_cut_in_its_middle(void **state)
{
    static const char text[] = "variable X1: a, b\nvariable X2: a, b\nvariable X3: a, b\n"
                               "P(X1) = 0.3, 0.7\nP(X2 | X1)\n a: 0.9, 0.1\n b: 0.25, 0.75\n"
                               "P(X3 | X2)\n a: 0.6, 0.4\n b: 0.15, 0.85\n";
    smr_ctx *ctx = check_ctx(1);
    smr_network net;
    (void)state;
    check_ok(ctx, smr_net_parse(ctx, "chain", text, (int64_t)strlen(text), &net));
    smr_separation s = separate(ctx, &net, 0, 2, -1);
    assert_false(s.separated);
    assert_int_equal(s.n_trails, 1);
    assert_int_equal(s.trail[0].n, 3);
    smr_separation_release(&s);
    s = separate(ctx, &net, 0, 2, 1);
    assert_true(s.separated);
    assert_int_equal(s.n_trails, 1);
    assert_int_equal(s.trail[0].blocked_at, 1);
    smr_separation_release(&s);
    assert_true(fabs(ask(ctx, &net, "P(X3=a | X1=a)") - ask(ctx, &net, "P(X3=a | X1=b)")) > 0.2);
    check_near("given X2", ask(ctx, &net, "P(X3=a | X1=a, X2=b)"),
               ask(ctx, &net, "P(X3=a | X1=b, X2=b)"), 1e-15);
    smr_net_release(&net);
    check_ctx_end(ctx);
}

/* In asia, for all pairs given any set of the others: separated exactly where all numbers say so.
 * (Its tables hold no independence that the graph does not show, except where `either`, which is
 * certain given lung and tub, cuts more than the graph knows.) */
static void separation_is_independence(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_network net = load(ctx, "asia");
    smr_dag dag = smr_net_dag(&net);
    int64_t n_separated = 0;
    (void)state;
    for (int64_t a = 0; a < net.n; a++)
        for (int64_t b = a + 1; b < net.n; b++)
            for (int set = 0; set < 256; set++) {
                bool given[8];
                double p[2][2] = {{0}};
                for (int i = 0; i < 8; i++) given[i] = set >> i & 1;
                if (given[a] || given[b]) continue;
                smr_separation s;
                check_ok(ctx, smr_dag_separated(ctx, &dag, a, b, given, &s));
                for (int64_t k = 0; k < s.n_trails; k++)
                    assert_int_equal(s.trail[k].blocked_at < 0, !s.separated);
                bool separated = s.separated;
                smr_separation_release(&s);
                if (!separated) continue;
                n_separated++;
                for (int combination = 0; combination < 256; combination++) {
                    int32_t level[8];
                    bool fits = true;
                    for (int i = 0; i < 8; i++) {
                        level[i] = combination >> i & 1;
                        fits = fits && (!given[i] || level[i] == (set * 7 + i) % 3 % 2);
                    }
                    if (fits) p[level[a]][level[b]] += joint_of(&net, level);
                }
                check_near("odds", p[0][0] * p[1][1], p[0][1] * p[1][0], 1e-15);
            }
    assert_int_equal(n_separated, 671); /* as the moral graphs of ancestors have it */
    smr_net_release(&net);
    check_ctx_end(ctx);
}

static void build_everything(smr_ctx *ctx, void *arg, smr_status *st)
{
    smr_network net = {0};
    smr_net_query q = {0};
    smr_net_answer a = {0};
    smr_table *rows = NULL;
    bool given[8] = {0};
    smr_separation s = {0};
    const char *text = arg;
    *st = smr_net_parse(ctx, "x", text, (int64_t)strlen(text), &net);
    if (*st == SMR_OK) *st = smr_net_query_read(ctx, &net, "P(dysp, xray | asia=yes)", &q);
    if (*st == SMR_OK) *st = smr_net_ask(ctx, &net, &q, SMR_NET_EXACT, 0, &a);
    smr_net_answer_release(&a);
    if (*st == SMR_OK) *st = smr_net_ask(ctx, &net, &q, SMR_NET_SAMPLING, 100, &a);
    if (*st == SMR_OK) *st = smr_net_sample(ctx, &net, 10, &rows);
    smr_dag dag = smr_net_dag(&net);
    if (*st == SMR_OK) *st = smr_dag_separated(ctx, &dag, 0, 5, given, &s);
    smr_separation_release(&s);
    smr_table_free(rows);
    smr_net_answer_release(&a);
    smr_net_query_release(&q);
    smr_net_release(&net);
}

static void every_allocation_may_fail(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_network net = load(ctx, "asia");
    smr_text text = {.ctx = ctx}, bif = {.ctx = ctx};
    (void)state;
    smr_net_write_text(&net, &text);
    smr_net_write_bif(&net, &bif);
    for (int form = 0; form < 2; form++)
        for (int64_t n = 0;; n++) {
            smr_status st;
            smr_memory_fail_at(ctx, n);
            build_everything(ctx, form ? bif.bytes : text.bytes, &st);
            smr_memory_fail_at(ctx, -1);
            if (st == SMR_OK) break;
            assert_int_equal(st, SMR_ERR_NOMEM);
            smr_ctx_clear(ctx);
        }
    smr_text_release(&text);
    smr_text_release(&bif);
    smr_net_release(&net);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_marginals_are_sums_over_all_combinations),
        cmocka_unit_test(published_probabilities_come_out),
        cmocka_unit_test(marginals_are_numpys),
        cmocka_unit_test(weighting_tells_its_error),
        cmocka_unit_test(memory_is_known_before_it_is_taken),
        cmocka_unit_test(broken_files_are_told_where),
        cmocka_unit_test(old_bif_is_read),
        cmocka_unit_test(bif_of_other_programs_is_read),
        cmocka_unit_test(queries_are_checked),
        cmocka_unit_test(a_chain_is_cut_in_its_middle),
        cmocka_unit_test(separation_is_independence),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(both_forms_read_back_what_was_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
