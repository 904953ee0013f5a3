/* test_api_judge.c -- cross-validation and comparison through the public header. */
#include "pipeline.h"

static smr_table *numbers(smr_ctx *ctx, int64_t n)
{
    static double x[300], g[300], y[300];
    smr_table *t = new_table(ctx, n, 3);
    assert_true(n <= 300);
    for (int64_t i = 0; i < n; i++) {
        x[i] = noise(i, 1);
        g[i] = (double)(i % 7);
        y[i] = 3 * x[i] + 0.2 * noise(i, 2);
    }
    put_numbers(ctx, t, 0, "x", x);
    put_numbers(ctx, t, 1, "g", g);
    put_numbers(ctx, t, 2, "y", y);
    return t;
}

static smr_json_doc *parse(smr_ctx *ctx, char *json)
{
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_parse(ctx, json, (int64_t)strlen(json), &doc));
    smr_string_free(json);
    return doc;
}

static void cross_validation_tells_mean_spread_and_rounds(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = numbers(ctx, 83);
    smr_train_opts how = {.size = sizeof how, .target = "y", .task = SMR_TASK_REGRESS};
    smr_fold_opts opts = {.size = sizeof opts, .folds = 7, .repeats = 2, .measure = "r2,mae"};
    char *json = NULL;
    (void)state;
    check_ok(ctx, smr_cross_validate(ctx, "linear", t, &how, &opts, &json));
    smr_json_doc *doc = parse(ctx, json);
    const smr_json *root = smr_json_root(doc), *measures = smr_json_get(root, "measures");
    assert_int_equal(measures->n, 2);
    double mean = smr_json_get_number(smr_json_get(measures, "r2"), "mean", NAN), sum = 0;
    const smr_json *rounds = smr_json_get(root, "by_round");
    assert_int_equal(rounds->n, 14);
    for (const smr_json *r = rounds->first; r; r = r->next)
        sum += smr_json_get_number(r, "r2", NAN);
    check_near("mean", mean, sum / 14, 1e-14);
    assert_true(mean > 0.9 && mean < 1);
    assert_true(smr_json_get_number(rounds->last, "repeat", 0) == 2);
    assert_string_equal(smr_json_get_string(root, "kind", ""), "folds");
    smr_json_free(doc);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* A prediction is what a fit on the other folds says of the row. */
static void cross_prediction_gives_each_row_its_answer(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = numbers(ctx, 83), *said = NULL;
    smr_train_opts how = {.size = sizeof how, .target = "y", .task = SMR_TASK_REGRESS};
    smr_fold_opts opts = {.size = sizeof opts, .folds = 7, .measure = "mse"};
    char *json = NULL;
    double sum = 0;
    (void)state;
    check_ok(ctx, smr_cross_predict(ctx, "linear", t, &how, &opts, &said, &json));
    smr_json_doc *doc = parse(ctx, json);
    const smr_json *mse = smr_json_get(smr_json_get(smr_json_root(doc), "measures"), "mse");
    int64_t row = smr_table_find(said, "row"), truth = smr_table_find(said, "truth"),
            answer = smr_table_find(said, "prediction");
    assert_int_equal(smr_table_n_rows(said), 83);
    for (int64_t i = 0; i < 83; i++) {
        double is = smr_table_number(said, i, truth), e = smr_table_number(said, i, answer) - is;
        int64_t of = (int64_t)smr_table_number(said, i, row) - 1;
        assert_true(is == smr_table_number(t, of, 2));
        sum += e * e;
    }
    check_near("pooled", sum / 83, smr_json_get_number(mse, "pooled", NAN), 1e-12);
    smr_table_free(said);
    check_ok(ctx, smr_cross_predict(ctx, "linear", t, &how, &opts, &said, NULL));
    assert_int_equal(smr_table_n_rows(said), 83);
    smr_table_free(said);
    check_fails(ctx, smr_cross_predict(ctx, "lineal", t, &how, &opts, &said, NULL), SMR_ERR_PARAM,
                "'lineal'");
    assert_null(said);
    smr_json_free(doc);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void sentences_are_checked_without_data(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    check_ok(ctx, smr_sentence_check(ctx, "standardize | knn 5"));
    check_fails(ctx, smr_sentence_check(ctx, "standardize | knm 5"), SMR_ERR_PARAM,
                "did you mean 'knn'?");
    check_fails(ctx, smr_sentence_check(ctx, "knn k=0"), SMR_ERR_PARAM, "k");
    check_ctx_end(ctx);
}

static void groups_orders_and_single_rows_can_be_asked_for(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = numbers(ctx, 60);
    smr_train_opts how = {.size = sizeof how, .target = "y"};
    static const struct {
        smr_fold_opts opts;
        const char *kind;
        int rounds;
    } cases[] = {
        {{.leave_one_out = true}, "leave-one-out", 60},
        {{.leave_one_out = true, .group = "g"}, "leave-one-out", 7},
        {{.ordered = true, .folds = 4}, "ordered", 3},
        {{.order_by = "x", .folds = 6}, "ordered", 5},
        {{.group = "g", .unstratified = true}, "folds", 5},
    };
    (void)state;
    for (int64_t c = 0; c < SMR_COUNT(cases); c++) {
        smr_fold_opts opts = cases[c].opts;
        char *json = NULL;
        opts.size = sizeof opts;
        check_ok(ctx, smr_cross_validate(ctx, "knn 2", t, &how, &opts, &json));
        smr_json_doc *doc = parse(ctx, json);
        const smr_json *root = smr_json_root(doc);
        assert_string_equal(smr_json_get_string(root, "kind", ""), cases[c].kind);
        assert_int_equal((int)smr_json_get_number(root, "rounds", 0), cases[c].rounds);
        smr_json_free(doc);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_comparison_ranks(void **state)
{
    static const char *const sentences[] = {"knn 30", "linear", "knn 3"};
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = numbers(ctx, 120);
    smr_train_opts how = {.size = sizeof how, .target = "y"};
    char *json = NULL;
    (void)state;
    check_ok(ctx, smr_compare(ctx, sentences, 3, t, &how, NULL, &json));
    smr_json_doc *doc = parse(ctx, json);
    const smr_json *root = smr_json_root(doc), *league = smr_json_get(root, "league");
    assert_string_equal(smr_json_get_string(root, "best", ""), "linear");
    assert_int_equal(league->n, 4);
    assert_string_equal(smr_json_get_string(league->last, "model", ""), "baseline: mean");
    smr_json_free(doc);
    check_ok(ctx, smr_compare(ctx, NULL, 0, t, &how, NULL, &json));
    doc = parse(ctx, json);
    assert_true(smr_json_get(smr_json_root(doc), "league")->n >= 4);
    smr_json_free(doc);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void mistakes_are_told(void **state)
{
    static const char *const sentences[] = {"linear"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = numbers(ctx, 40);
    smr_train_opts how = {.size = sizeof how, .target = "y"};
    smr_fold_opts opts = {.size = sizeof opts, .group = "gg"};
    char *json = NULL;
    (void)state;
    check_fails(ctx, smr_cross_validate(ctx, "linear", t, &how, &opts, &json), SMR_ERR_PARAM,
                "did you mean 'g'?");
    assert_null(json);
    /* a caller who knows only the first fields: the group is not read */
    opts.size = offsetof(smr_fold_opts, group);
    check_ok(ctx, smr_cross_validate(ctx, "linear", t, &how, &opts, &json));
    smr_string_free(json);
    opts = (smr_fold_opts){.size = sizeof opts, .measure = "r3"};
    check_fails(ctx, smr_compare(ctx, sentences, 1, t, &how, &opts, &json), SMR_ERR_PARAM,
                "there is no measure 'r3'; did you mean 'r2'?");
    assert_null(json);
    opts = (smr_fold_opts){.size = sizeof opts, .stratified = true};
    check_fails(ctx, smr_cross_validate(ctx, "linear", t, &how, &opts, &json), SMR_ERR_PARAM,
                "every part has its share of each class, and the target has no classes here");
    opts.unstratified = true;
    check_fails(ctx, smr_cross_validate(ctx, "linear", t, &how, &opts, &json), SMR_ERR_PARAM,
                "classes are spread, or left to chance, not both");
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cross_validation_tells_mean_spread_and_rounds),
        cmocka_unit_test(cross_prediction_gives_each_row_its_answer),
        cmocka_unit_test(sentences_are_checked_without_data),
        cmocka_unit_test(groups_orders_and_single_rows_can_be_asked_for),
        cmocka_unit_test(a_comparison_ranks),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
