/* test_explain_path.c -- the trees of a model, found and followed: they say what it predicts. */
#include "pipeline.h"

#include "learn/model_trees.h"
#include "study/explain.h"

/* Some rows with a category, a gap here and there, two classes and a number to predict. */
static smr_table *make_rows(smr_ctx *ctx)
{
    smr_text csv = {.ctx = ctx};
    static const char *const colours[] = {"red", "green", "blue", "pale"};
    smr_text_add(&csv, "a,b,colour,y,k\n");
    for (int i = 0; i < 97; i++) {
        int a = i * 37 % 101, b = i * i * 13 % 89;
        if (i % 11 == 3)
            smr_text_add(&csv, ",");
        else
            smr_text_printf(&csv, "%d.5,", a);
        smr_text_printf(&csv, "%d,%s,%d.25,%s\n", b, colours[(i * 7 + b) % 4],
                        a / 3 + (b > 40 ? 30 : 0) + i % 5, (a > 50) != (b > 44) ? "yes" : "no");
    }
    assert_int_equal(smr_text_done(&csv), SMR_OK);
    smr_table *t = table_of(ctx, csv.bytes);
    smr_text_release(&csv);
    return t;
}

static smr_json_doc *follow(smr_ctx *ctx, const smr_model *m, const smr_table *t, int64_t row,
                            int64_t tree)
{
    smr_json_doc *doc = NULL;
    smr_sample sample = {.table = t};
    smr_explain_how how = {.row = row, .has_tree = tree >= 0, .tree = tree};
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_explain_fill(ctx, "path", m, &sample, &how, smr_json_root(doc)));
    return doc;
}

/* The leaf's answer is the model's, after other stages and with a scaled target too. */
static void a_path_ends_in_the_prediction(void **state)
{
    static const struct {
        const char *sentence, *target;
    } cases[] = {
        {"tree max_depth=4", "y"},
        {"tree max_depth=4", "k"},
        {"standardize | tree max_depth=4", "y"},
        {"columns target=standardize | tree max_depth=3", "y"},
        {"impute | onehot | standardize | tree max_depth=5", "k"},
    };
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = make_rows(ctx);
    for (int64_t c = 0; c < SMR_COUNT(cases); c++) {
        smr_model *m = train_on(ctx, cases[c].sentence, t, cases[c].target);
        assert_int_equal(smr_model_count_trees(m), 1);
        for (int64_t row = 1; row <= 97; row += 6) {
            smr_json_doc *doc = follow(ctx, m, t, row, -1);
            const smr_json *root = smr_json_root(doc), *path = smr_json_get(root, "path");
            const smr_json *then = smr_json_get(path, "then");
            const smr_json *predicted = smr_json_get(root, "predicted");
            if (then->type == SMR_JSON_STRING)
                assert_string_equal(then->string, predicted->string);
            else
                check_near(cases[c].sentence, then->number, predicted->number, 1e-12);
            smr_json_free(doc);
        }
        smr_model_free(m);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* For many trees the sum of all contributions is the prediction. */
static void contributions_add_up_to_the_prediction(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = make_rows(ctx);
    static const char *const sentences[] = {"boost 20 rate=0.3 max_leaves=5",
                                            "columns target=standardize | boost 20 max_leaves=5",
                                            "forest 15", "columns target=standardize | forest 15"};
    for (int64_t c = 0; c < SMR_COUNT(sentences); c++) {
        smr_model *m = train_on(ctx, sentences[c], t, "y");
        for (int64_t row = 1; row <= 97; row += 9) {
            smr_json_doc *doc = follow(ctx, m, t, row, -1);
            const smr_json *root = smr_json_root(doc), *paths = smr_json_get(root, "paths");
            double sum = smr_json_get_number(paths, "start", NAN);
            for (const smr_json *one = smr_json_get(paths, "contributions")->first; one;
                 one = one->next)
                sum += smr_json_get_number(one, "contribution", NAN);
            check_near("sum", sum, smr_json_get_number(root, "predicted", NAN), 1e-9);
            smr_json_free(doc);
        }
        smr_model_free(m);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Members' trees are counted on, each with its own stages before it. */
static void trees_of_members_are_found_and_followed(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = make_rows(ctx);
    smr_model *m = train_on(ctx, "bag 4 of=(standardize | tree max_depth=2)", t, "y");
    smr_model_tree tree;
    assert_int_equal(smr_model_count_trees(m), 4);
    double mean = 0;
    for (int64_t k = 0; k < 4; k++) {
        smr_json_doc *doc = follow(ctx, m, t, 8, k);
        const smr_json *path = smr_json_get(smr_json_root(doc), "path");
        mean += smr_json_get_number(path, "then", NAN) / 4;
        check_near("tree", smr_json_get_number(path, "tree", -1), (double)k, 0);
        if (k == 3)
            check_near("the mean of the members", mean,
                       smr_json_get_number(smr_json_root(doc), "predicted", NAN), 1e-9);
        smr_json_free(doc);
    }
    check_fails(ctx, smr_model_find_tree(ctx, m, 4, &tree), SMR_ERR_PARAM, "there is no tree 4");
    smr_model_free(m);
    m = train_on(ctx, "knn 3", t, "y");
    assert_int_equal(smr_model_count_trees(m), 0);
    check_fails(ctx, smr_model_find_tree(ctx, m, 0, &tree), SMR_ERR_PARAM,
                "ends in 'knn', which is not made of trees");
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void describing_and_following_survive_failing_allocations(void **state)
{
    (void)state;
    smr_ctx *keeper = check_ctx(1);
    smr_table *t = make_rows(keeper);
    smr_model *m = train_on(keeper, "tree max_depth=3", t, "k");
    smr_status st = SMR_ERR_NOMEM;
    smr_sample sample = {.table = t};
    smr_explain_how how = {.row = 4};
    smr_tree_how tree = {0, 6, 2};
    int64_t n = 0;
    for (; st != SMR_OK && n < 20000; n++) {
        smr_ctx *ctx = check_ctx(1);
        smr_json_doc *doc = NULL;
        smr_memory_fail_at(ctx, n);
        st = smr_json_create(ctx, &doc);
        smr_json *root = doc ? smr_json_root(doc) : NULL;
        if (st == SMR_OK) st = smr_explain_fill(ctx, "path", m, &sample, &how, root);
        if (st == SMR_OK)
            st = smr_model_describe_as(ctx, m, &tree, smr_json_add_object(root, "model"));
        if (st == SMR_OK) st = smr_json_done(doc);
        smr_memory_fail_at(ctx, -1);
        smr_json_free(doc);
        check_ctx_end(ctx);
    }
    assert_true(n > 30 && st == SMR_OK);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(keeper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_ends_in_the_prediction),
        cmocka_unit_test(contributions_add_up_to_the_prediction),
        cmocka_unit_test(trees_of_members_are_found_and_followed),
        cmocka_unit_test(describing_and_following_survive_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
