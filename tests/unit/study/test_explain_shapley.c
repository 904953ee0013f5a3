/* test_explain_shapley.c -- Shapley values of a model's columns: they sum to its predictions, the
 * features of a coding are one column, and what cannot be computed is refused. */
#include "study_json.h"

#include "core/rng.h"
#include "data/hash.h"
#include "learn/model_trees.h"
#include "study/explain.h"

enum { N = 83 };

/* a, b numbers with gaps; c red, green or blue; "flat" constant; y a number, k a class of two, m
 * one of three. */
static smr_table *mixed_table(smr_ctx *ctx)
{
    static const char *const colours[] = {"blue", "green", "red"};
    double a[N], b[N], flat[N], y[N];
    const char *c[N], *k[N], *m[N];
    for (int64_t i = 0; i < N; i++) {
        int64_t colour = (i * i + i / 4) % 3;
        a[i] = 3 * noise(i, 0);
        b[i] = noise(i, 1);
        flat[i] = 2.385;
        c[i] = colours[colour];
        y[i] = 3.25 + a[i] * b[i] + (double)colour * a[i];
        k[i] = a[i] > b[i] + 0.2 * noise(i, 3) ? "up" : "down";
        m[i] = colours[a[i] > 0.7 ? 2 : b[i] > 0];
        if (i % 11 == 0) a[i] = NAN;
    }
    smr_table *t = new_table(ctx, N, 7);
    put_numbers(ctx, t, 0, "a", a);
    put_numbers(ctx, t, 1, "b", b);
    put_strings(ctx, t, 2, "c", c);
    put_numbers(ctx, t, 3, "flat", flat);
    put_numbers(ctx, t, 4, "y", y);
    put_strings(ctx, t, 5, "k", k);
    put_strings(ctx, t, 6, "m", m);
    return t;
}

static smr_model *train_for(smr_ctx *ctx, const char *sentence, const smr_table *t,
                            const char *target, const char *ignore)
{
    smr_set_opts opts = {.target = target, .ignore = ignore, .keep_all = true};
    smr_model *m = NULL;
    check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
    return m;
}

static smr_status try_explain(smr_ctx *ctx, const smr_model *m, const smr_table *t,
                              const smr_explain_how *how, smr_json_doc **doc)
{
    smr_sample sample = {.table = t};
    check_ok(ctx, smr_json_create(ctx, doc));
    return smr_explain_fill(ctx, "shapley", m, &sample, how, smr_json_root(*doc));
}

static const smr_json *explain(smr_ctx *ctx, const smr_model *m, const smr_table *t,
                               const smr_explain_how *how, smr_json_doc **doc)
{
    check_ok(ctx, try_explain(ctx, m, t, how, doc));
    check_ok(ctx, smr_json_done(*doc));
    return smr_json_get(smr_json_root(*doc), "shapley");
}

/* For every row: base and all values sum to column `at` of the model's answer. */
static void check_sums(smr_ctx *ctx, const smr_model *m, const smr_table *t, smr_output output,
                       int64_t at, const smr_json *entry)
{
    static double out[N * 3];
    int64_t width = smr_model_width(m, output);
    check_ok(ctx, smr_model_apply(ctx, m, t, NULL, N, output, out));
    const smr_json *rows = smr_json_get(entry, "rows"), *values = smr_json_get(entry, "values");
    assert_int_equal(rows->n, N);
    for (int64_t i = 0; i < N; i++) {
        double sum = number_of(entry, "base");
        for (const smr_json *v = nth(values, i)->first; v; v = v->next) sum += v->number;
        check_near("sum of values", sum, out[i * width + at], 1e-12);
        check_near("score", number_of(nth(rows, i), "score"), out[i * width + at], 1e-12);
        check_near("row", number_of(nth(rows, i), "row"), (double)(i + 1), 0);
    }
}

static void values_sum_to_the_prediction(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = mixed_table(ctx);
    smr_json_doc *doc;
    smr_explain_how how = {0};
    smr_model *m = train_for(ctx, "tree max_depth=5", t, "y", "k,m");
    const smr_json *list = explain(ctx, m, t, &how, &doc);
    assert_int_equal(list->n, 1);
    assert_string_equal(smr_json_get_string(list->first, "score", ""), "predicted");
    check_sums(ctx, m, t, SMR_OUTPUT_VALUE, 0, list->first);
    const smr_json *columns = smr_json_get(list->first, "columns");
    assert_int_equal(columns->n, 4);
    for (int64_t k = 1; k < 4; k++)
        assert_true(number_of(nth(columns, k - 1), "mean_size") >=
                    number_of(nth(columns, k), "mean_size"));
    check_near("a constant", number_of(row_with(columns, "column", "flat"), "mean_size"), 0, 0);
    smr_json_free(doc);
    smr_model_free(m);

    m = train_for(ctx, "tree missing=fraction", t, "m", "y,k");
    list = explain(ctx, m, t, &how, &doc);
    assert_int_equal(list->n, 3);
    assert_string_equal(smr_json_get_string(nth(list, 1), "score", ""), "p(green)");
    for (int64_t k = 0; k < 3; k++) check_sums(ctx, m, t, SMR_OUTPUT_PROBA, k, nth(list, k));
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Column `at` of the training rows' scores, as a mean weighted as the fit was. */
static double mean_score(smr_ctx *ctx, const smr_model *m, const smr_table *t, smr_output output,
                         int64_t at, bool weighted)
{
    static double out[N * 3];
    double sum = 0, total = 0;
    int64_t width = smr_model_width(m, output);
    check_ok(ctx, smr_model_apply(ctx, m, t, NULL, N, output, out));
    for (int64_t i = 0; i < N; i++) {
        double w = weighted ? (double)(1 + i % 4) : 1;
        sum += w * out[i * width + at];
        total += w;
    }
    return sum / total;
}

static double base_of(smr_ctx *ctx, const smr_model *m, const smr_table *t)
{
    smr_json_doc *doc;
    double base = number_of(explain(ctx, m, t, &(smr_explain_how){0}, &doc)->first, "base");
    smr_json_free(doc);
    return base;
}

static smr_model *train_weighted(smr_ctx *ctx, const char *sentence, const smr_table *t)
{
    smr_set_opts opts = {.target = "y", .ignore = "k,m", .weight = "w", .keep_all = true};
    smr_model *m = NULL;
    check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
    return m;
}

/* Where every tree is grown from all rows, the base is the mean score of these. */
static void base_is_the_mean_of_all_rows(void **unused)
{
    static const char *const sentences[] = {"tree max_depth=5", "boost 20 rate=0.3",
                                            "forest 6 bootstrap=no", "forest 6 mode=extra"};
    (void)unused;
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = mixed_table(ctx);
    double w[N];
    for (int64_t i = 0; i < N; i++) w[i] = (double)(1 + i % 4);
    check_ok(ctx, smr_table_add_f64(ctx, t, "w", w));
    for (int64_t i = 0; i < SMR_COUNT(sentences); i++) {
        smr_model *m = train_for(ctx, sentences[i], t, "y", "k,m,w");
        double mean = mean_score(ctx, m, t, SMR_OUTPUT_VALUE, 0, false);
        check_near(sentences[i], base_of(ctx, m, t), mean, 1e-12);
        smr_model_free(m);
        m = train_weighted(ctx, sentences[i], t);
        double other = mean_score(ctx, m, t, SMR_OUTPUT_VALUE, 0, true);
        check_near(sentences[i], base_of(ctx, m, t), other, 1e-12);
        assert_true(fabs(other - mean) > 1e-3); /* weights matter */
        smr_model_free(m);
    }
    smr_model *m = train_for(ctx, "boost 20 rate=0.3", t, "k", "y,m,w");
    check_near("log-odds", base_of(ctx, m, t), mean_score(ctx, m, t, SMR_OUTPUT_DECISION, 1, false),
               1e-12);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* What tree k says, as a mean over the rows it was grown from: by its rules. */
static double mean_of_tree(smr_ctx *ctx, const smr_model *m, int64_t k)
{
    smr_model_tree tree = {0};
    smr_reading r = {0};
    smr_json_doc *doc = NULL;
    double sum = 0, rows = 0;
    check_ok(ctx, smr_model_find_tree(ctx, m, k, &tree));
    check_ok(ctx, smr_reading_open(ctx, &tree.view, &tree.names, tree.tree, &r));
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *rules = smr_json_add_array(smr_json_root(doc), "rules");
    check_ok(ctx, smr_reading_rules(ctx, &r, 0, rules));
    for (const smr_json *rule = rules->first; rule; rule = rule->next) {
        sum += number_of(rule, "rows") * number_of(rule, "then");
        rows += number_of(rule, "rows");
    }
    check_near("rows of a bag", rows, N, 0);
    smr_json_free(doc);
    smr_reading_close(&r);
    smr_model_tree_release(&tree);
    return sum / rows;
}

/* A tree that drew its rows counts these. */
static void base_of_a_forest_counts_the_rows_of_each_tree(void **unused)
{
    enum { TREES = 7 };
    (void)unused;
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = mixed_table(ctx);
    smr_model *m = train_for(ctx, "forest 7", t, "y", "k,m");
    double base = base_of(ctx, m, t), mean = 0;
    for (int64_t k = 0; k < TREES; k++) mean += mean_of_tree(ctx, m, k) / TREES;
    check_near("base", base, mean, 1e-12);
    assert_true(fabs(base - mean_score(ctx, m, t, SMR_OUTPUT_VALUE, 0, false)) > 1e-3);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void of_two_classes_one_is_told(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed_table(ctx);
    smr_json_doc *doc;
    smr_model *m = train_for(ctx, "tree max_depth=3", t, "k", "y,m");
    smr_explain_how how = {.positive = "down"};
    const smr_json *list = explain(ctx, m, t, &how, &doc);
    assert_int_equal(list->n, 1);
    assert_string_equal(smr_json_get_string(list->first, "score", ""), "p(down)");
    check_sums(ctx, m, t, SMR_OUTPUT_PROBA, 0, list->first);
    smr_json_free(doc);
    how.positive = NULL;
    list = explain(ctx, m, t, &how, &doc);
    assert_string_equal(smr_json_get_string(list->first, "score", ""), "p(up)");
    check_sums(ctx, m, t, SMR_OUTPUT_PROBA, 1, list->first);
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void features_of_a_coding_are_one_column(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed_table(ctx);
    smr_json_doc *doc;
    smr_explain_how how = {0};
    smr_model *m = train_for(ctx, "onehot | tree max_depth=5", t, "y", "k,m");
    const smr_json *list = explain(ctx, m, t, &how, &doc);
    const smr_json *columns = smr_json_get(list->first, "columns");
    assert_int_equal(columns->n, 4); /* a, b, c, flat: not c=blue ... */
    assert_true(number_of(row_with(columns, "column", "c"), "mean_size") > 0);
    check_sums(ctx, m, t, SMR_OUTPUT_VALUE, 0, list->first);
    smr_json_free(doc);

    how.columns = "c,b";
    list = explain(ctx, m, t, &how, &doc);
    columns = smr_json_get(list->first, "columns");
    assert_int_equal(columns->n, 2);
    assert_int_equal(nth(smr_json_get(list->first, "values"), 5)->n, 2);
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void what_cannot_be_told_is_said(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed_table(ctx);
    smr_json_doc *doc;
    smr_explain_how how = {0};
    smr_model *m = train_for(ctx, "ridge", t, "y", "k,m");
    check_fails(ctx, try_explain(ctx, m, t, &how, &doc), SMR_ERR_UNSUPPORTED,
                "Shapley values of a ridge model are not known; learners that have them: ");
    smr_json_free(doc);
    check_fails(ctx, try_explain(ctx, m, t, &how, &doc), SMR_ERR_UNSUPPORTED, "stump, tree");
    smr_json_free(doc);
    smr_model_free(m);
    m = train_for(ctx, "tree", t, "y", "k,m");
    how.positive = "up";
    check_fails(ctx, try_explain(ctx, m, t, &how, &doc), SMR_ERR_PARAM, "predicts numbers");
    smr_json_free(doc);
    how = (smr_explain_how){.columns = "k"};
    check_fails(ctx, try_explain(ctx, m, t, &how, &doc), SMR_ERR_PARAM, "not among the 4 inputs");
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void memory_that_is_refused_is_survived(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed_table(ctx);
    smr_model *m = train_for(ctx, "tree max_depth=3", t, "k", "y,m");
    int64_t held = smr_ctx_memory(ctx, NULL), n = 0;
    for (;; n++) {
        smr_json_doc *doc = NULL;
        smr_explain_how how = {.columns = "a,c", .most_rows = 17};
        smr_sample sample = {.table = t};
        check_ok(ctx, smr_json_create(ctx, &doc));
        smr_memory_fail_at(ctx, n);
        smr_status st = smr_explain_fill(ctx, "shapley", m, &sample, &how, smr_json_root(doc));
        if (st == SMR_OK) st = smr_json_done(doc);
        smr_memory_fail_at(ctx, -1);
        smr_json_free(doc);
        assert_int_equal(smr_ctx_memory(ctx, NULL), held);
        if (st == SMR_OK) break;
        assert_int_equal(st, SMR_ERR_NOMEM);
        smr_ctx_clear(ctx);
    }
    assert_true(n > 30);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_sum_to_the_prediction),
        cmocka_unit_test(base_is_the_mean_of_all_rows),
        cmocka_unit_test(base_of_a_forest_counts_the_rows_of_each_tree),
        cmocka_unit_test(of_two_classes_one_is_told),
        cmocka_unit_test(features_of_a_coding_are_one_column),
        cmocka_unit_test(what_cannot_be_told_is_said),
        cmocka_unit_test(memory_that_is_refused_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
