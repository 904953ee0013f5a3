/* test_model_describe.c -- what a model tells about itself, member by member. */
#include "pipeline.h"

static smr_json_doc *describe(smr_ctx *ctx, const smr_model *m)
{
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_model_describe(ctx, m, smr_json_root(doc)));
    check_ok(ctx, smr_json_done(doc));
    return doc;
}

static const smr_json *item(const smr_json *list, int64_t i)
{
    const smr_json *v = list ? list->first : NULL;
    for (; v && i > 0; i--) v = v->next;
    assert_non_null(v);
    return v;
}

static void check_word(const smr_json *object, const char *key, const char *wanted)
{
    const char *got = smr_json_get_string(object, key, "(none)");
    if (strcmp(got, wanted) != 0) fail_msg("%s is '%s', wanted '%s'", key, got, wanted);
}

static void the_head_tells_task_target_rows_and_seed(void **state)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .seed = 77};
    (void)state;
    assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_OK);
    smr_table *t = table_of(ctx, "x,c,k\n1,red,yes\n2.5,blue,no\n4,red,no\n");
    smr_model *m = train_on(ctx, "knn 2", t, "k");
    smr_json_doc *doc = describe(ctx, m);
    const smr_json *root = smr_json_root(doc);
    check_word(root, "spec",
               "columns unseen=missing dates=days target=as_is | onehot max_levels=100 drop=none | "
               "knn k=2 metric=euclidean weight=uniform algorithm=auto");
    check_word(root, "task", "classify");
    check_word(root, "data_hash", m->data_hash);
    assert_true(smr_json_get_number(root, "rows", -1) == 3);
    assert_true(smr_json_get_number(root, "features", -1) == 2);
    assert_true(smr_json_get_number(root, "seed", -1) == 77);
    assert_string_equal(item(smr_json_get(root, "target"), 0)->string, "k");
    assert_int_equal(smr_json_get(root, "classes")->n, 2);
    assert_string_equal(item(smr_json_get(root, "classes"), 1)->string, "yes");
    assert_null(smr_json_get(root, "target_scale"));
    assert_null(smr_json_get(root, "measured"));
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void stages_are_told_in_order_with_what_was_inserted(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "x,c,y\n1,red,1.5\n,blue,2\n4,red,3\n2.5,,4\n");
    smr_model *m = train_on(ctx, "standardize | linear", t, "y");
    smr_json_doc *doc = describe(ctx, m);
    const smr_json *stages = smr_json_get(smr_json_root(doc), "stages");
    static const struct {
        const char *name;
        bool inserted;
    } wanted[] = {{"columns", true},
                  {"standardize", false},
                  {"impute", true},
                  {"onehot", true},
                  {"linear", false}};
    (void)state;
    assert_int_equal(stages->n, 5);
    for (int64_t s = 0; s < 5; s++) {
        const smr_json *stage = item(stages, s);
        check_word(stage, "stage", wanted[s].name);
        assert_int_equal(smr_json_get_bool(stage, "inserted", !wanted[s].inserted),
                         wanted[s].inserted);
        assert_non_null(smr_json_get(stage, "title"));
        assert_true(strncmp(smr_json_get_string(stage, "sentence", ""), wanted[s].name,
                            strlen(wanted[s].name)) == 0);
    }
    /* mean and sd of 1, 4, 2.5: 2.5 and sqrt(1.5) */
    const smr_json *scaled = item(smr_json_get(item(stages, 1), "features"), 0);
    check_word(scaled, "feature", "x");
    check_near("mean", smr_json_get_number(scaled, "mean", NAN), 2.5, 1e-15);
    check_near("sd", smr_json_get_number(scaled, "sd", NAN), sqrt(1.5), 1e-15);
    const smr_json *coded = item(smr_json_get(item(stages, 3), "coded"), 0);
    assert_true(smr_json_get_number(coded, "levels", 0) == 2);
    assert_true(smr_json_get_number(coded, "features", 0) == 1); /* one gap is no level */
    check_word(coded, "unknown", "average");
    assert_non_null(smr_json_get_string(coded, "left_out", NULL));
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void columns_are_told_with_kinds_levels_and_what_was_set_aside(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    char csv[1024] = "x,c,d,y\n,blue,n0,2\n";
    for (int i = 1; i < 21; i++) /* 21 distinct names */
        snprintf(csv + strlen(csv), sizeof csv - strlen(csv), "%d.5,red,n%d,%d\n", i * i, i, i);
    smr_table *t = table_of(ctx, csv);
    smr_model *m = NULL;
    (void)state;
    check_ok(ctx, try_train(ctx, "ridge", t, &(smr_set_opts){.target = "y"}, &m));
    smr_json_doc *doc = describe(ctx, m);
    const smr_json *first = item(smr_json_get(smr_json_root(doc), "stages"), 0);
    const smr_json *columns = smr_json_get(first, "columns");
    assert_int_equal(columns->n, 2);
    check_word(item(columns, 0), "name", "x");
    check_word(item(columns, 0), "kind", "number");
    assert_true(smr_json_get_bool(item(columns, 0), "missing", false));
    assert_null(smr_json_get(item(columns, 0), "levels"));
    check_word(item(columns, 1), "kind", "category");
    assert_null(smr_json_get(item(columns, 1), "missing"));
    assert_string_equal(item(smr_json_get(item(columns, 1), "levels"), 0)->string, "blue");
    assert_string_equal(item(smr_json_get(first, "set_aside"), 0)->string, "d");
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_scaled_target_and_kept_measures_are_told(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "x,y\n1,1\n2.5,5\n4,3\n");
    smr_model *m = train_on(ctx, "columns target=standardize | linear", t, "y");
    (void)state;
    m->summary = smr_strdup(ctx, "{\"r2\": 0.25, \"list\": [1, null]}");
    smr_json_doc *doc = describe(ctx, m);
    const smr_json *root = smr_json_root(doc), *scale = smr_json_get(root, "target_scale");
    check_word(root, "task", "regress");
    assert_null(smr_json_get(root, "classes"));
    check_near("mean", item(smr_json_get(scale, "mean"), 0)->number, 3, 1e-15);
    check_near("sd", item(smr_json_get(scale, "sd"), 0)->number, sqrt(8.0 / 3), 1e-15);
    assert_true(smr_json_get_number(smr_json_get(root, "measured"), "r2", 0) == 0.25);
    assert_false(smr_json_get_bool(item(smr_json_get(root, "stages"), 0), "inserted", true));
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void transforms_have_no_target(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "x,y\n1,1\n2.5,5\n");
    smr_model *m = train_on(ctx, "poly 3", t, NULL);
    smr_json_doc *doc = describe(ctx, m);
    const smr_json *root = smr_json_root(doc);
    (void)state;
    check_word(root, "task", "none");
    assert_null(smr_json_get(root, "target"));
    const smr_json *poly = item(smr_json_get(root, "stages"), 1);
    assert_true(smr_json_get_number(poly, "terms_out", 0) == 9);
    assert_true(smr_json_get_number(poly, "features_in", 0) == 2);
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* A seed is 64 bits; a JSON number is exact to 53 only. */
static void a_large_seed_is_told_exactly(void **state)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .seed = UINT64_C(9007199254740993)};
    (void)state;
    assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_OK);
    smr_table *t = table_of(ctx, "x,y\n1,1\n2.5,5\n");
    smr_model *m = train_on(ctx, "poly 3", t, NULL);
    smr_json_doc *doc = describe(ctx, m);
    smr_text text = {.ctx = ctx};
    smr_json_write(smr_json_root(doc), 0, &text);
    if (!strstr(text.bytes, "9007199254740993")) fail_msg("the seed is not in %s", text.bytes);
    smr_text_release(&text);
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static smr_status describe_once(smr_ctx *ctx, void *model)
{
    smr_json_doc *doc = NULL;
    smr_status st = smr_json_create(ctx, &doc);
    if (st != SMR_OK) return st;
    st = smr_model_describe(ctx, model, smr_json_root(doc));
    if (st == SMR_OK) st = smr_json_done(doc);
    smr_json_free(doc);
    return st;
}

static const smr_json *learner_of(const smr_json_doc *doc, int64_t stage)
{
    return item(smr_json_get(smr_json_root((smr_json_doc *)doc), "stages"), stage);
}

static void classes_are_told_by_their_names(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "x,k\n1,red\n2.5,blue\n4,red\n7,green\n8,green\n3,blue\n");
    smr_model *m = train_on(ctx, "logistic", t, "k");
    smr_json_doc *doc = describe(ctx, m);
    (void)state;
    const smr_json *table = smr_json_get(learner_of(doc, 1), "coefficients");
    check_word(item(table, 0), "class", "blue");
    check_word(item(table, 3), "class", "green");
    check_word(item(table, 5), "class", "red");
    const smr_json *figure = item(smr_json_get(smr_json_root(doc), "figures"), 0);
    check_word(item(smr_json_get(figure, "series"), 2), "name", "red");
    const smr_json *names = smr_json_get(smr_json_get(figure, "y"), "names");
    assert_string_equal(item(names, 0)->string, "x");
    smr_json_free(doc);
    smr_model_free(m);
    m = train_on(ctx, "ovo of=(logistic)", t, "k");
    doc = describe(ctx, m);
    const smr_json *problems = smr_json_get(learner_of(doc, 1), "problems");
    check_word(item(problems, 2), "class", "red");
    check_word(item(problems, 2), "against", "green");
    check_word(item(problems, 2), "learner", "of.2");
    /* a pair's learner knows two classes, which are not the first two of the table */
    figure = item(smr_json_get(smr_json_root(doc), "figures"), 2);
    check_word(item(smr_json_get(figure, "series"), 0), "name", "class 1");
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "x,c,k\n1,red,yes\n,blue,no\n4,red,no\n");
    smr_model *m = train_on(ctx, "impute | standardize | onehot | logistic", t, "k");
    (void)state;
    m->summary = smr_strdup(ctx, "{\"accuracy\": 0.25}");
    assert_true(fail_each_allocation(ctx, describe_once, m) > 8);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_head_tells_task_target_rows_and_seed),
        cmocka_unit_test(stages_are_told_in_order_with_what_was_inserted),
        cmocka_unit_test(columns_are_told_with_kinds_levels_and_what_was_set_aside),
        cmocka_unit_test(a_scaled_target_and_kept_measures_are_told),
        cmocka_unit_test(transforms_have_no_target),
        cmocka_unit_test(a_large_seed_is_told_exactly),
        cmocka_unit_test(classes_are_told_by_their_names),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
