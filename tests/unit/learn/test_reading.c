/* test_reading.c -- trees as text, rules, DOT and figures; the way of a row. */
#include "../../check.h"
#include "core/figure.h"
#include "core/rng.h"
#include "learn/trees/reading.h"

/* ---- a small world: three numbers, two categories, three classes ------------------------ */

enum { N_IN = 5, N_CLASSES = 3, MANY = 40 };

static char level_bytes[] = "redgreenblue";
static int64_t level_start[] = {0, 3, 8, 12};
static const smr_strings levels = {3, level_start, level_bytes};
static char many_bytes[2 * MANY];
static int64_t many_start[MANY + 1];
static const smr_strings many = {MANY, many_start, many_bytes};
static char class_bytes[] = "setosaversicolorvirginica";
static int64_t class_start[] = {0, 6, 16, 25};
static const smr_strings classes = {3, class_start, class_bytes};
static smr_feature in[N_IN];
static const bool gaps[N_IN] = {false, true, false, false, true};

static void make_world(void)
{
    static const char *const names[N_IN] = {"petal_length", "petal_width", "sepal", "colour",
                                            "code"};
    for (int j = 0; j < N_IN; j++)
        in[j] = (smr_feature){.name = names[j], .kind = j < 3 ? SMR_NUMBER : SMR_CATEGORY};
    for (int i = 0; i < MANY; i++) {
        many_bytes[2 * i] = (char)('A' + i / 10);
        many_bytes[2 * i + 1] = (char)('0' + i % 10);
        many_start[i + 1] = 2 * (i + 1);
    }
    in[3].levels = &levels;
    in[3].n_levels = 3;
    in[4].levels = &many;
    in[4].n_levels = MANY;
}

static smr_tree_names names_of(void)
{
    make_world();
    return (smr_tree_names){.in = in, .n_in = N_IN, .classes = &classes, .has_gaps = gaps};
}

static void say(smr_sapling *s, int32_t node, double cover, double a, double b, double c)
{
    s->node[node].cover = cover;
    s->value[3 * node] = a / cover;
    s->value[3 * node + 1] = b / cover;
    s->value[3 * node + 2] = c / cover;
}

static int32_t ask(smr_ctx *ctx, smr_sapling *s, int32_t node, int32_t kind, int32_t feature,
                   int32_t n)
{
    int32_t first = 0;
    check_ok(ctx, smr_sapling_nodes(ctx, s, n, &first));
    s->node[node].kind = kind;
    s->node[node].feature = feature;
    s->node[node].child = first;
    s->node[node].n_children = n;
    return first;
}

static void plant(smr_ctx *ctx, smr_sapling *s, smr_trees *t)
{
    check_ok(ctx, smr_trees_add(ctx, t, s, NULL));
    smr_sapling_release(s);
}

static void fell(smr_trees *t)
{
    smr_trees_release(t);
    smr_free(t->root);
    smr_free(t->split);
    smr_free(t->cut);
    smr_free(t->cover);
    smr_free(t->value);
    smr_free(t->words);
}

/* The tree of the tests' texts: a cut, another on the same feature, a set, and three ways. */
static void known_tree(smr_ctx *ctx, smr_trees *t)
{
    smr_sapling s;
    int32_t root;
    *t = (smr_trees){.width = 3, .n_scores = 3};
    smr_sapling_begin(&s, 3);
    check_ok(ctx, smr_sapling_nodes(ctx, &s, 1, &root));
    int32_t a = ask(ctx, &s, root, SMR_SPLIT_CUT, 1, 2);
    s.node[root].cut = 0.8;
    int32_t b = ask(ctx, &s, a + 1, SMR_SPLIT_CUT, 1, 2);
    s.node[a + 1].cut = 1.75;
    s.node[a + 1].missing_first = true;
    int32_t c = ask(ctx, &s, b, SMR_SPLIT_SET, 4, 2);
    int64_t word;
    check_ok(ctx, smr_sapling_words(ctx, &s, 2, &word));
    s.node[b].set = word;
    s.node[b].n_words = 2;
    s.words[word] = 1u << 3 | 1u << 21;
    s.words[word + 1] = 1u << 7;
    int32_t d = ask(ctx, &s, b + 1, SMR_SPLIT_WAYS, 3, 3);
    say(&s, root, 150, 50, 50, 50);
    say(&s, a, 50, 50, 0, 0);
    say(&s, a + 1, 100, 0, 50, 50);
    say(&s, b, 54, 0, 49, 5);
    say(&s, b + 1, 46, 0, 1, 45);
    say(&s, c, 48, 0, 47, 1);
    say(&s, c + 1, 6, 0, 2, 4);
    say(&s, d, 1, 0, 1, 0);
    say(&s, d + 1, 2, 0, 0, 2);
    say(&s, d + 2, 43, 0, 0, 43);
    plant(ctx, &s, t);
    check_ok(ctx, smr_trees_prepare(ctx, t));
}

/* ---- texts ------------------------------------------------------------------------------ */

static char *joined(smr_ctx *ctx, const smr_json *list)
{
    smr_text out = {.ctx = ctx};
    for (const smr_json *e = list->first; e; e = e->next) {
        smr_text_add_bytes(&out, e->string, e->n);
        smr_text_add(&out, "\n");
    }
    return out.bytes;
}

static void check_text(smr_ctx *ctx, const smr_reading *r, smr_reading_limits limits,
                       const char *wanted)
{
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *lines = smr_json_add_array(smr_json_root(doc), "lines");
    check_ok(ctx, smr_reading_text(ctx, r, limits, lines));
    char *got = joined(ctx, lines);
    assert_string_equal(got, wanted);
    smr_free(got);
    smr_json_free(doc);
}

static void a_known_tree_reads_as_it_should(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_trees t;
    smr_reading r;
    known_tree(ctx, &t);
    smr_tree_view view = {.trees = &t, .says = SMR_SAYS_SHARES};
    smr_tree_names names = names_of();
    check_ok(ctx, smr_reading_open(ctx, &view, &names, 0, &r));
    check_text(ctx, &r, (smr_reading_limits){0},
               "150 rows, setosa 33.3 %\n"
               "petal_width <= 0.8 -> setosa  (50 rows, 100 %)\n"
               "petal_width > 0.8 or missing  (100 rows, versicolor 50 %)\n"
               "|  petal_width <= 1.75 or missing  (54 rows, versicolor 90.7 %)\n"
               "|  |  code in {A3, C1, D9} -> versicolor  (48 rows, 97.9 %)\n"
               "|  |  code not in {A3, C1, D9} or missing -> virginica  (6 rows, 66.7 %)\n"
               "|  petal_width > 1.75  (46 rows, virginica 97.8 %)\n"
               "|  |  colour = red -> versicolor  (1 row, 100 %)\n"
               "|  |  colour = green -> virginica  (2 rows, 100 %)\n"
               "|  |  colour = blue -> virginica  (43 rows, 100 %)\n");
    check_text(ctx, &r, (smr_reading_limits){.nodes = 6},
               "150 rows, setosa 33.3 %\n"
               "petal_width <= 0.8 -> setosa  (50 rows, 100 %)\n"
               "petal_width > 0.8 or missing  (100 rows, versicolor 50 %)\n"
               "|  petal_width <= 1.75 or missing  (54 rows, versicolor 90.7 %)  ... 2 more nodes\n"
               "|  petal_width > 1.75  (46 rows, virginica 97.8 %)\n"
               "|  |  colour = blue -> virginica  (43 rows, 100 %)\n"
               "|  |  ... 2 more nodes\n");
    check_text(ctx, &r, (smr_reading_limits){.depth = 1},
               "150 rows, setosa 33.3 %\n"
               "petal_width <= 0.8 -> setosa  (50 rows, 100 %)\n"
               "petal_width > 0.8 or missing  (100 rows, versicolor 50 %)  ... 7 more nodes\n");
    smr_reading_close(&r);
    check_fails(ctx, smr_reading_open(ctx, &view, &names, 1, &r), SMR_ERR_PARAM,
                "there is no tree 1; the model has 1");
    fell(&t);
    check_ctx_end(ctx);
}

static void a_known_tree_is_a_graph(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_trees t;
    smr_reading r;
    smr_text dot = {.ctx = ctx};
    known_tree(ctx, &t);
    smr_tree_view view = {.trees = &t, .says = SMR_SAYS_SHARES};
    smr_tree_names names = names_of();
    check_ok(ctx, smr_reading_open(ctx, &view, &names, 0, &r));
    check_ok(ctx, smr_reading_dot(ctx, &r, (smr_reading_limits){.depth = 1}, &dot));
    assert_string_equal(dot.bytes,
                        "digraph tree {\n"
                        "  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n"
                        "  edge [fontname=\"sans-serif\"];\n"
                        "  n0 [label=\"petal_width <= 0.8\\n150 rows, setosa 33.3 %\"];\n"
                        "  n1 [label=\"setosa\\n50 rows, 100 %\", style=\"rounded,bold\"];\n"
                        "  n0 -> n1 [label=\"yes\"];\n"
                        "  n2 [label=\"petal_width <= 1.75 or missing\\n"
                        "100 rows, versicolor 50 %\"];\n"
                        "  n0 -> n2 [label=\"no\"];\n"
                        "  m2 [label=\"... 7 more nodes\", shape=plaintext];\n"
                        "  n2 -> m2 [style=dashed];\n"
                        "}\n");
    smr_text_release(&dot);
    smr_reading_close(&r);
    fell(&t);
    check_ctx_end(ctx);
}

static void a_known_tree_is_rules(void **unused)
{
    static const struct {
        const char *condition, *then;
        double rows, confidence;
    } wanted[] = {
        {"petal_width <= 0.8", "setosa", 50, 1},
        {"(0.8 < petal_width <= 1.75 or missing) and code in {A3, C1, D9}", "versicolor", 48,
         47.0 / 48},
        {"petal_width > 1.75 and colour = blue", "virginica", 43, 1},
        {"(0.8 < petal_width <= 1.75 or missing) and (code not in {A3, C1, D9} or missing)",
         "virginica", 6, 4.0 / 6},
        {"petal_width > 1.75 and colour = green", "virginica", 2, 1},
        {"petal_width > 1.75 and colour = red", "versicolor", 1, 1},
    };
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_trees t;
    smr_reading r;
    smr_json_doc *doc = NULL;
    known_tree(ctx, &t);
    smr_tree_view view = {.trees = &t, .says = SMR_SAYS_SHARES};
    smr_tree_names names = names_of();
    check_ok(ctx, smr_reading_open(ctx, &view, &names, 0, &r));
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *list = smr_json_add_array(smr_json_root(doc), "rules");
    check_ok(ctx, smr_reading_rules(ctx, &r, 0, list));
    assert_int_equal(list->n, SMR_COUNT(wanted));
    int i = 0;
    for (const smr_json *rule = list->first; rule; rule = rule->next, i++) {
        assert_string_equal(smr_json_get_string(rule, "if", "?"), wanted[i].condition);
        assert_string_equal(smr_json_get_string(rule, "then", "?"), wanted[i].then);
        check_near("rows", smr_json_get_number(rule, "rows", -1), wanted[i].rows, 0);
        check_near("coverage", smr_json_get_number(rule, "coverage", -1), wanted[i].rows / 150,
                   1e-15);
        check_near("confidence", smr_json_get_number(rule, "confidence", -1), wanted[i].confidence,
                   1e-15);
    }
    smr_json_free(doc);
    smr_reading_close(&r);
    fell(&t);
    check_ctx_end(ctx);
}

static void a_row_is_led_and_told_how(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_trees t;
    smr_reading r;
    smr_json_doc *doc = NULL;
    const double x[N_IN] = {4.5, NAN, 3, 2, 21};
    known_tree(ctx, &t);
    smr_tree_view view = {.trees = &t, .says = SMR_SAYS_SHARES};
    smr_tree_names names = names_of();
    check_ok(ctx, smr_reading_open(ctx, &view, &names, 0, &r));
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_reading_path(ctx, &r, x, smr_json_root(doc)));
    const smr_json *root = smr_json_root(doc), *step = smr_json_get(root, "steps")->first;
    assert_int_equal(smr_json_get(root, "steps")->n, 3);
    assert_string_equal(smr_json_get_string(step, "question", ""), "petal_width <= 0.8");
    assert_string_equal(smr_json_get_string(step, "answer", ""), "no");
    assert_int_equal(smr_json_get(step, "value")->type, SMR_JSON_NULL);
    check_near("before", smr_json_get_number(step, "before", -1), 1.0 / 3, 1e-6);
    check_near("after", smr_json_get_number(step, "after", -1), 0.5, 1e-6);
    step = step->next;
    assert_string_equal(smr_json_get_string(step, "answer", ""), "yes");
    step = step->next;
    assert_string_equal(smr_json_get_string(step, "value", ""), "C1");
    assert_string_equal(smr_json_get_string(root, "then", ""), "versicolor");
    check_near("rows", smr_json_get_number(root, "rows", -1), 48, 0);
    smr_json_free(doc);
    smr_reading_close(&r);
    fell(&t);
    check_ctx_end(ctx);
}

/* ---- random trees ----------------------------------------------------------------------- */

struct dice {
    uint64_t seed, index;
};

static double roll(struct dice *d)
{
    return smr_random_unit(d->seed, SMR_STREAM_TEST, 77, d->index++);
}

static int64_t pick(struct dice *d, int64_t n)
{
    return (int64_t)(roll(d) * (double)n);
}

/* Grows a random tree of about `most` nodes, whose covers add up. */
static void random_tree(smr_ctx *ctx, struct dice *d, int64_t most, smr_trees *t)
{
    smr_sapling s;
    int32_t root;
    smr_sapling_begin(&s, t->width);
    check_ok(ctx, smr_sapling_nodes(ctx, &s, 1, &root));
    s.node[0].cover = 1e6;
    for (int32_t i = 0; i < s.n; i++) {
        for (int64_t k = 0; k < t->width; k++) s.value[i * t->width + k] = roll(d);
        if (s.n >= most || (i > 0 && roll(d) < 0.15)) continue;
        int32_t feature = (int32_t)pick(d, N_IN);
        bool category = feature >= 3;
        int32_t kind = category ? (int32_t)(1 + pick(d, 3)) : SMR_SPLIT_CUT;
        int64_t n_levels = in[feature].n_levels;
        int32_t n = kind == SMR_SPLIT_WAYS ? (int32_t)n_levels : 2;
        int32_t first = ask(ctx, &s, i, kind, feature, n);
        s.node[i].missing_first = roll(d) < 0.5;
        s.node[i].cut = category ? (double)pick(d, n_levels - 1) + 0.5 : roll(d);
        if (kind == SMR_SPLIT_SET) {
            int64_t words = n_levels / 32 + 1, at;
            check_ok(ctx, smr_sapling_words(ctx, &s, words, &at));
            s.node[i].set = at;
            s.node[i].n_words = words;
            for (int64_t c = 0; c < n_levels; c++)
                if (roll(d) < 0.5) s.words[at + c / 32] |= 1u << (c % 32);
        }
        double rest = s.node[i].cover;
        for (int32_t c = 0; c < n; c++) {
            double share = c + 1 < n ? floor(rest * roll(d)) : rest;
            s.node[first + c].cover = share;
            rest -= share;
        }
    }
    plant(ctx, &s, t);
}

static void random_row(struct dice *d, double missing, double *x)
{
    for (int j = 0; j < N_IN; j++) {
        x[j] = j < 3 ? roll(d) : (double)pick(d, in[j].n_levels);
        if (roll(d) < missing) x[j] = NAN;
    }
}

static bool level_is_listed(const smr_json *list, const smr_strings *of, int64_t code)
{
    int64_t n;
    const char *name = smr_strings_get(of, code, &n);
    for (const smr_json *e = list->first; e; e = e->next)
        if (e->n == n && memcmp(e->string, name, (size_t)n) == 0) return true;
    return false;
}

/* From the data of a rule alone. */
static bool rule_covers(const smr_json *rule, const double *x)
{
    for (const smr_json *c = smr_json_get(rule, "conditions")->first; c; c = c->next) {
        int j = 0;
        while (strcmp(in[j].name, smr_json_get_string(c, "feature", "")) != 0) j++;
        const smr_json *list = smr_json_get(c, "levels");
        bool holds = x[j] > smr_json_get_number(c, "above", -INFINITY) &&
                     x[j] <= smr_json_get_number(c, "to", INFINITY);
        if (isnan(x[j]))
            holds = smr_json_get_bool(c, "missing", false);
        else if (list)
            holds = level_is_listed(list, in[j].levels, (int64_t)x[j]);
        if (!holds) return false;
    }
    return true;
}

static void rules_say_what_the_tree_says_to_every_row(void **unused)
{
    enum { ROWS = 300 };
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_tree_names names = names_of();
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct dice d = {.seed = seed};
        smr_trees t = {.width = 3, .n_scores = 3};
        smr_reading r;
        smr_json_doc *doc = NULL;
        random_tree(ctx, &d, 20 + 23 * (int64_t)seed, &t);
        check_ok(ctx, smr_trees_prepare(ctx, &t));
        smr_tree_view view = {.trees = &t, .says = SMR_SAYS_SHARES};
        check_ok(ctx, smr_reading_open(ctx, &view, &names, 0, &r));
        check_ok(ctx, smr_json_create(ctx, &doc));
        smr_json *list = smr_json_add_array(smr_json_root(doc), "rules");
        check_ok(ctx, smr_reading_rules(ctx, &r, 0, list));
        assert_int_equal(list->n, t.n_leaves);
        for (int i = 0; i < ROWS; i++) {
            double x[N_IN];
            int32_t leaf = -1;
            int covered = 0;
            random_row(&d, i % 3 ? 0 : 0.3, x);
            smr_rows rows = {.n = 1, .d = N_IN, .form = SMR_FORM_F64, .x = x, .stride = N_IN};
            smr_trees_leaves(&t, &rows, 0, 1, &leaf);
            for (const smr_json *rule = list->first; rule; rule = rule->next) {
                if (!rule_covers(rule, x)) continue;
                covered++;
                check_near("leaf", smr_json_get_number(rule, "leaf", -1), leaf, 0);
            }
            assert_int_equal(covered, 1);
        }
        smr_json_free(doc);
        smr_reading_close(&r);
        fell(&t);
    }
    check_ctx_end(ctx);
}

static void paths_end_where_predictions_come_from_and_sum_to_them(void **unused)
{
    enum { TREES = 9 };
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_tree_names names = names_of();
    struct dice d = {.seed = 5};
    smr_trees t = {.width = 3, .n_scores = 3};
    const double base[3] = {0.25, -1, 3};
    for (int k = 0; k < TREES; k++) random_tree(ctx, &d, 60, &t);
    check_ok(ctx, smr_trees_prepare(ctx, &t));
    for (int i = 0; i < 60; i++) {
        double x[N_IN], sum[3] = {0};
        bool mean = i % 2;
        smr_json_doc *doc = NULL;
        smr_tree_view view = {.trees = &t, .says = SMR_SAYS_SCORES, .is_mean = mean, .base = base};
        random_row(&d, 0.2, x);
        smr_rows rows = {.n = 1, .d = N_IN, .form = SMR_FORM_F64, .x = x, .stride = N_IN};
        smr_trees_sum(&t, &rows, 0, TREES, sum);
        check_ok(ctx, smr_json_create(ctx, &doc));
        check_ok(ctx, smr_trees_paths(ctx, &view, &names, x, smr_json_root(doc)));
        const smr_json *score = smr_json_get(smr_json_root(doc), "scores")->first;
        for (int k = 0; k < 3; k++, score = score->next)
            check_near("score", score->number, base[k] + sum[k] / (mean ? TREES : 1), 1e-12);
        for (int k = 0; k < TREES; k++) {
            smr_reading r;
            smr_json_doc *one = NULL;
            int32_t leaf[TREES];
            check_ok(ctx, smr_json_create(ctx, &one));
            check_ok(ctx, smr_reading_open(ctx, &view, &names, k, &r));
            check_ok(ctx, smr_reading_path(ctx, &r, x, smr_json_root(one)));
            smr_trees_leaves(&t, &rows, 0, TREES, leaf);
            check_near("leaf", smr_json_get_number(smr_json_root(one), "leaf", -1), leaf[k], 0);
            smr_reading_close(&r);
            smr_json_free(one);
        }
        smr_json_free(doc);
    }
    fell(&t);
    check_ctx_end(ctx);
}

/* ---- DOT, read back --------------------------------------------------------------------- */

static const char *past(const char *p)
{
    while (*p == ' ' || *p == '\n') p++;
    return p;
}

/* A word or a quoted string; NULL where there is none. */
static const char *token(const char *p)
{
    p = past(p);
    if (*p == '"') {
        for (p++; *p != '"'; p++) {
            if (!*p || (unsigned char)*p < 0x20) return NULL;
            if (*p == '\\' && !*++p) return NULL;
        }
        return p + 1;
    }
    const char *from = p;
    while ((*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9')) p++;
    return p > from ? p : NULL;
}

/* Statements of a digraph: word [-> word] [name=value, ...]; counts nodes and edges. */
static void check_dot(const char *dot, int *nodes, int *edges)
{
    const char *p = dot;
    *nodes = *edges = 0;
    assert_memory_equal(p, "digraph tree {", 14);
    p = past(p + 14);
    while (*p != '}') {
        bool word = p[0] == 'n' && (p[1] == 'o' || p[0] == 'e'), edge = false;
        word |= p[0] == 'e';
        p = token(p);
        assert_non_null(p);
        p = past(p);
        if (p[0] == '-' && p[1] == '>') {
            edge = true;
            p = token(p + 2);
            assert_non_null(p);
            p = past(p);
        }
        if (edge)
            ++*edges;
        else if (!word)
            ++*nodes;
        if (*p == '[') {
            do {
                p = token(p + 1);
                assert_non_null(p);
                p = past(p);
                assert_int_equal(*p, '=');
                p = token(p + 1);
                assert_non_null(p);
                p = past(p);
            } while (*p == ',');
            assert_int_equal(*p, ']');
            p++;
        }
        assert_int_equal(*p, ';');
        p = past(p + 1);
    }
    assert_string_equal(p, "}\n");
}

static bool is_utf8(const char *p, int64_t n)
{
    for (const char *end = p + n; p < end;) {
        int step = smr_utf8_step(p, end);
        if (step == 0) return false;
        p += step;
    }
    return true;
}

static void names_of_any_kind_are_safe(void **unused)
{
    static const char *const bad[] = {"quote \" and \\ back\\",
                                      "two\nlines\r\n\tand a tab",
                                      "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x8D\x81 ok",
                                      "broken \xFF\xC3 utf-8",
                                      "",
                                      "\x1B[31mred",
                                      "  blanks  ",
                                      "\xC2\x9B control",
                                      "} ] ; -> { [ ="};
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    char *longest = malloc(100001);
    memset(longest, 'x', 100000);
    longest[100000] = '\0';
    for (int k = 0; k <= SMR_COUNT(bad); k++) {
        const char *name = k < SMR_COUNT(bad) ? bad[k] : longest;
        int64_t n = (int64_t)strlen(name), start[] = {0, n, n, n};
        smr_strings one = {3, start, (char *)(uintptr_t)name};
        smr_tree_names names = names_of();
        smr_trees t;
        smr_reading r;
        smr_json_doc *doc = NULL;
        smr_text dot = {.ctx = ctx};
        int nodes, edges;
        known_tree(ctx, &t);
        in[1].name = name;
        in[3].levels = &one;
        names.classes = &one;
        smr_tree_view view = {.trees = &t, .says = SMR_SAYS_SHARES};
        check_ok(ctx, smr_reading_open(ctx, &view, &names, 0, &r));
        check_ok(ctx, smr_reading_dot(ctx, &r, (smr_reading_limits){0}, &dot));
        check_dot(dot.bytes, &nodes, &edges);
        assert_int_equal(nodes, 10);
        assert_int_equal(edges, 9);
        assert_true(is_utf8(dot.bytes, dot.length) && dot.length < 4000);
        check_ok(ctx, smr_json_create(ctx, &doc));
        smr_json *lines = smr_json_add_array(smr_json_root(doc), "lines");
        check_ok(ctx, smr_reading_text(ctx, &r, (smr_reading_limits){0}, lines));
        for (const smr_json *e = lines->first; e; e = e->next) {
            assert_true(e->n < 400 && is_utf8(e->string, e->n));
            for (int64_t i = 0; i < e->n; i++) assert_true((unsigned char)e->string[i] >= 0x20);
        }
        smr_json_free(doc);
        smr_text_release(&dot);
        smr_reading_close(&r);
        fell(&t);
    }
    free(longest);
    check_ctx_end(ctx);
}

/* ---- large ------------------------------------------------------------------------------ */

static void huge_trees_are_read_in_bounded_words(void **unused)
{
    enum { N = 100001, SHOWN = 60 };
    (void)unused;
    for (int chain = 0; chain < 2; chain++) {
        smr_ctx *ctx = check_ctx(1);
        smr_tree_names names = names_of();
        smr_trees t = {.width = 3, .n_scores = 3};
        smr_reading r;
        smr_json_doc *doc = NULL;
        struct dice d = {.seed = 3};
        if (chain) {
            smr_sapling s;
            int32_t root, at = 0;
            smr_sapling_begin(&s, 3);
            check_ok(ctx, smr_sapling_nodes(ctx, &s, 1, &root));
            while (s.n < N) {
                int32_t first = ask(ctx, &s, at, SMR_SPLIT_CUT, 0, 2);
                s.node[at].cut = (double)-at;
                at = first + 1;
            }
            for (int64_t i = 0; i < s.n; i++) s.node[i].cover = (double)(s.n - i);
            plant(ctx, &s, &t);
        } else {
            random_tree(ctx, &d, N, &t);
        }
        check_ok(ctx, smr_trees_prepare(ctx, &t));
        assert_true(t.n_nodes >= N);
        smr_tree_view view = {.trees = &t, .says = SMR_SAYS_SHARES};
        check_ok(ctx, smr_reading_open(ctx, &view, &names, 0, &r));
        check_ok(ctx, smr_json_create(ctx, &doc));
        smr_json *root = smr_json_root(doc), *lines = smr_json_add_array(root, "lines");
        smr_json *figures = smr_json_add_array(root, "figures");
        smr_json *rules = smr_json_add_array(root, "rules"), *all = smr_json_add_array(root, "all");
        smr_reading_limits few = {.nodes = SHOWN};
        check_ok(ctx, smr_reading_text(ctx, &r, few, lines));
        check_ok(ctx, smr_reading_figure(ctx, &r, few, "tree", figures));
        check_ok(ctx, smr_reading_rules(ctx, &r, SHOWN, rules));
        check_ok(ctx, smr_reading_text(ctx, &r, (smr_reading_limits){0}, all));
        assert_true(lines->n <= 2 * SHOWN && rules->n == SHOWN);
        assert_true(smr_json_get(figures->first, "tree")->n <= SHOWN);
        assert_int_equal(all->n, t.n_nodes);
        int64_t bytes = 0;
        for (const smr_json *e = all->first; e; e = e->next) bytes += e->n;
        assert_true(bytes < 400 * t.n_nodes);
        smr_json_free(doc);
        smr_reading_close(&r);
        fell(&t);
        check_ctx_end(ctx);
    }
}

/* ---- memory ----------------------------------------------------------------------------- */

static smr_status read_it_all(smr_ctx *ctx, const smr_tree_view *view, const smr_tree_names *names)
{
    smr_status st = SMR_OK;
    smr_reading r = {0};
    smr_json_doc *doc = NULL;
    smr_text dot = {.ctx = ctx};
    const double x[N_IN] = {0.5, 1.2, 0.5, 1, 17};
    TRY(smr_reading_open(ctx, view, names, 0, &r));
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    TRY(smr_reading_text(ctx, &r, (smr_reading_limits){.nodes = 6},
                         smr_json_add_array(root, "lines")));
    TRY(smr_reading_rules(ctx, &r, 0, smr_json_add_array(root, "rules")));
    TRY(smr_reading_figure(ctx, &r, (smr_reading_limits){0}, "tree",
                           smr_json_add_array(root, "figures")));
    TRY(smr_reading_dot(ctx, &r, (smr_reading_limits){0}, &dot));
    TRY(smr_reading_path(ctx, &r, x, smr_json_add_object(root, "path")));
    TRY(smr_trees_paths(ctx, view, names, x, smr_json_add_object(root, "paths")));
out:
    smr_text_release(&dot);
    smr_json_free(doc);
    smr_reading_close(&r);
    return st;
}

static void every_failing_allocation_is_survived(void **unused)
{
    (void)unused;
    smr_ctx *keeper = check_ctx(1);
    smr_trees t;
    known_tree(keeper, &t);
    smr_tree_view view = {.trees = &t, .says = SMR_SAYS_SHARES};
    smr_tree_names names = names_of();
    for (int64_t n = 0;; n++) {
        smr_ctx *ctx = check_ctx(1);
        smr_memory_fail_at(ctx, n);
        smr_status st = read_it_all(ctx, &view, &names);
        smr_memory_fail_at(ctx, -1);
        check_ctx_end(ctx);
        if (st == SMR_OK) break;
        assert_int_equal(st, SMR_ERR_NOMEM);
        assert_true(n < 5000);
    }
    fell(&t);
    check_ctx_end(keeper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_tree_reads_as_it_should),
        cmocka_unit_test(a_known_tree_is_a_graph),
        cmocka_unit_test(a_known_tree_is_rules),
        cmocka_unit_test(a_row_is_led_and_told_how),
        cmocka_unit_test(rules_say_what_the_tree_says_to_every_row),
        cmocka_unit_test(paths_end_where_predictions_come_from_and_sum_to_them),
        cmocka_unit_test(names_of_any_kind_are_safe),
        cmocka_unit_test(huge_trees_are_read_in_bounded_words),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
