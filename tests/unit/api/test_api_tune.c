/* smr_tune, as a program calls it. */
#include "check.h"

#include "core/json.h"
#include "core/rng.h"
#include "samara.h"

enum { N = 71, D = 3 };

static smr_table *line_table(smr_ctx *ctx, double *x, double *y)
{
    smr_table *table = NULL;
    for (uint64_t i = 0; i < N; i++) {
        y[i] = 0;
        for (uint64_t j = 0; j < D; j++) {
            x[i * D + j] = smr_random_unit(5, SMR_STREAM_TEST, j, i) - 0.37;
            y[i] += (double)(j + 1) * x[i * D + j];
        }
        y[i] += 0.1 * smr_random_unit(5, SMR_STREAM_TEST, 9, i);
    }
    check_ok(ctx, smr_table_from_matrix(ctx, x, N, D, y, &table));
    return table;
}

/* The model that comes back is the winner's sentence fitted on all rows. */
static void the_model_is_the_winner_fitted_on_all_rows(void **state)
{
    static double x[N * D], y[N], tuned[N], trained[N];
    smr_ctx *ctx = check_ctx(2);
    smr_table *table = line_table(ctx, x, y);
    smr_train_opts how = {.size = sizeof how, .target = "y", .task = SMR_TASK_REGRESS};
    smr_tune_opts opts = {.size = sizeof opts, .over = "l2=0.001..1000", .folds = 3};
    smr_model *a = NULL, *b = NULL;
    smr_json_doc *doc = NULL;
    char *json = NULL;
    (void)state;
    check_ok(ctx, smr_tune(ctx, "ridge", table, &how, &opts, &a, &json));
    check_ok(ctx, smr_json_parse(ctx, json, (int64_t)strlen(json), &doc));
    const smr_json *winner = smr_json_get(smr_json_root(doc), "winner");
    assert_true(smr_json_get_number(smr_json_get(winner, "params"), "ridge.l2", 9) < 1);
    assert_true(smr_json_get_number(winner, "score", 9) < 0.05);
    check_ok(ctx, smr_train(ctx, smr_json_get_string(winner, "spec", ""), table, &how, &b));
    check_ok(ctx, smr_predict(ctx, a, table, SMR_OUTPUT_VALUE, tuned));
    check_ok(ctx, smr_predict(ctx, b, table, SMR_OUTPUT_VALUE, trained));
    assert_memory_equal(tuned, trained, sizeof tuned);
    smr_json_free(doc);
    smr_string_free(json);
    smr_model_free(a);
    smr_model_free(b);
    smr_table_free(table);
    check_ctx_end(ctx);
}

/* Options of an older caller end before the members it does not know. */
static void short_options_and_none_are_the_defaults(void **state)
{
    static double x[N * D], y[N];
    smr_ctx *ctx = check_ctx(1);
    smr_table *table = line_table(ctx, x, y);
    smr_train_opts how = {.size = sizeof how, .target = "y", .task = SMR_TASK_REGRESS};
    smr_tune_opts old = {.size = offsetof(smr_tune_opts, search), .over = "l2=1,2", .search = "no"};
    char *json = NULL;
    (void)state;
    check_ok(ctx, smr_tune(ctx, "ridge", table, &how, &old, NULL, &json));
    assert_non_null(strstr(json, "\"kind\": \"grid\""));
    smr_string_free(json);
    check_ok(ctx, smr_tune(ctx, "ridge", table, &how, NULL, NULL, &json));
    assert_non_null(strstr(json, "\"kind\": \"random\""));
    smr_string_free(json);
    smr_table_free(table);
    check_ctx_end(ctx);
}

/* Rounds by time: 4 folds give 3 that have a past. */
static void rounds_may_go_by_time(void **state)
{
    static double x[N * D], y[N];
    smr_ctx *ctx = check_ctx(1);
    smr_table *table = line_table(ctx, x, y);
    smr_train_opts how = {.size = sizeof how, .target = "y", .task = SMR_TASK_REGRESS};
    smr_fold_opts rounds = {.size = sizeof rounds, .ordered = true};
    smr_tune_opts opts = {.size = sizeof opts, .over = "l2=1,2", .folds = 4, .rounds = &rounds};
    smr_json_doc *doc = NULL;
    char *json = NULL;
    (void)state;
    check_ok(ctx, smr_tune_check(ctx, "ridge", &opts));
    check_ok(ctx, smr_tune(ctx, "ridge", table, &how, &opts, NULL, &json));
    check_ok(ctx, smr_json_parse(ctx, json, (int64_t)strlen(json), &doc));
    const smr_json *scoring = smr_json_get(smr_json_root(doc), "scoring");
    assert_string_equal(smr_json_get_string(scoring, "kind", ""), "ordered");
    assert_true(smr_json_get_number(scoring, "rounds", 0) == 3);
    smr_string_free(json);
    rounds.folds = 9;
    check_fails(ctx, smr_tune(ctx, "ridge", table, &how, &opts, NULL, &json), SMR_ERR_PARAM,
                "'folds' is not used here: it is given twice");
    rounds.folds = 0;
    opts.over = "l3=1";
    check_fails(ctx, smr_tune_check(ctx, "ridge", &opts), SMR_ERR_PARAM, "did you mean 'l2'?");
    check_fails(ctx, smr_tune_check(ctx, "bridge", NULL), SMR_ERR_PARAM, "did you mean 'ridge'?");
    smr_string_free(json);
    smr_json_free(doc);
    smr_table_free(table);
    check_ctx_end(ctx);
}

static void a_refused_call_gives_nothing(void **state)
{
    static double x[N * D], y[N];
    smr_ctx *ctx = check_ctx(1);
    smr_table *table = line_table(ctx, x, y);
    smr_train_opts how = {.size = sizeof how, .target = "y"};
    smr_tune_opts opts = {.size = sizeof opts, .over = "l3=1"};
    smr_model *model = (smr_model *)(void *)x;
    char *json = (char *)y;
    (void)state;
    check_fails(ctx, smr_tune(ctx, "ridge", table, &how, &opts, &model, &json), SMR_ERR_PARAM,
                "did you mean 'l2'?");
    assert_null(model);
    assert_null(json);
    smr_table_free(table);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_is_the_winner_fitted_on_all_rows),
        cmocka_unit_test(short_options_and_none_are_the_defaults),
        cmocka_unit_test(rounds_may_go_by_time),
        cmocka_unit_test(a_refused_call_gives_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
