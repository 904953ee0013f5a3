/* test_api_study.c -- smr_explain, smr_curve and smr_bias_variance through the public header
 * alone. */
#include "check.h"

#include "samara.h"

enum { ROWS = 61 };

static smr_table *table_of(smr_ctx *ctx, double *X, double *y)
{
    smr_table *t = NULL;
    for (int i = 0; i < ROWS; i++) {
        X[2 * i] = 0.37 * i - 0.01 * (i % 7);
        X[2 * i + 1] = sin(1.7 * i);
        y[i] = 1.3 * X[2 * i] - 2 * X[2 * i + 1];
    }
    check_ok(ctx, smr_table_from_matrix(ctx, X, ROWS, 2, y, &t));
    return t;
}

static void check_has(char *json, const char *part)
{
    assert_non_null(json);
    if (!strstr(json, part)) fail_msg("no %s in %.300s", part, json);
    smr_string_free(json);
}

static void studies_are_handed_over_as_json(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    double X[2 * ROWS], y[ROWS];
    smr_table *t = table_of(ctx, X, y);
    smr_train_opts how = {.size = sizeof how, .target = "y", .keep_all = true};
    smr_model *m = NULL;
    char *json = NULL;
    (void)state;
    check_ok(ctx, smr_train(ctx, "linear", t, &how, &m));
    check_ok(ctx, smr_explain(ctx, "importance", m, t, NULL, &json));
    check_has(json, "\"unshuffled\"");
    smr_explain_opts some = {.size = sizeof some, .columns = "1", .grid = 3};
    check_ok(ctx, smr_explain(ctx, "dependence", m, t, &some, &json));
    check_has(json, "\"points\"");
    check_ok(ctx, smr_explain(ctx, "regions", m, t, NULL, &json));
    check_has(json, "\"cells_x\": 100");
    check_ok(ctx, smr_curve(ctx, "learning", "linear", t, &how, NULL, &json));
    check_has(json, "\"verdict\": \"fine\"");
    smr_fold_opts folds = {.size = sizeof folds, .folds = 3};
    smr_curve_opts over = {.size = sizeof over, .folds = &folds, .over = "k=1,3"};
    check_ok(ctx, smr_curve(ctx, "validation", "knn", t, &how, &over, &json));
    check_has(json, "\"rounds\": 3");
    smr_bias_variance_opts small = {.size = sizeof small, .samples = 5};
    check_ok(ctx, smr_bias_variance(ctx, "linear", t, &how, &small, &json));
    check_has(json, "\"bias2_and_noise\"");
    const char *settings[] = {"noise=0.5"};
    smr_bias_variance_opts drawn = {.size = sizeof drawn,
                                    .generator = "sine",
                                    .samples = 5,
                                    .settings = settings,
                                    .n_settings = 1};
    check_ok(ctx, smr_bias_variance(ctx, "knn", NULL, NULL, &drawn, &json));
    check_has(json, "\"noise\": 0.25");
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* What a model shows of itself is what the sentence shows of a fit on the same rows. */
static void fitted_models_have_curves_and_paths(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    double X[2 * ROWS], y[ROWS];
    smr_table *t = table_of(ctx, X, y);
    smr_train_opts how = {.size = sizeof how, .target = "y", .keep_all = true};
    smr_model *m = NULL;
    char *json = NULL, *same = NULL;
    (void)state;
    check_ok(ctx, smr_train(ctx, "boost 7 max_depth=2", t, &how, &m));
    check_ok(ctx, smr_model_curve(ctx, "training", m, NULL, NULL, &json));
    check_ok(ctx, smr_curve(ctx, "training", "boost 7 max_depth=2", t, &how, NULL, &same));
    assert_string_equal(json, same);
    smr_string_free(same);
    check_has(json, "\"iterations\": 7");
    smr_model_curve_opts mae = {.size = sizeof mae, .measure = "mae", .weight = "0"};
    check_ok(ctx, smr_model_curve(ctx, "rounds", m, t, &mae, &json));
    check_has(json, "\"measure\": \"mae\"");
    smr_explain_opts third = {.size = sizeof third, .row = 3};
    check_ok(ctx, smr_explain(ctx, "path", m, t, &third, &json));
    check_has(json, "\"trees\": 7");
    third.tree = 2;
    check_ok(ctx, smr_explain(ctx, "path", m, t, &third, &json));
    check_has(json, "\"tree\": 1"); /* trees of a model count from 0 */
    check_fails(ctx, smr_model_curve(ctx, "learning", m, t, NULL, &json), SMR_ERR_PARAM,
                "a learning curve fits many models, so it needs a sentence");
    check_fails(ctx, smr_model_curve(ctx, "rounds", m, NULL, NULL, &json), SMR_ERR_PARAM,
                "a rounds curve of a model needs rows to measure it on");
    check_fails(ctx, smr_model_curve(ctx, "round", m, t, NULL, &json), SMR_ERR_PARAM,
                "did you mean 'rounds'?");
    assert_null(json);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Samples that keep groups whole differ from samples that do not. */
static void samples_keep_groups_whole(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    double x[ROWS], g[ROWS], y[ROWS];
    smr_table *t = NULL;
    smr_train_opts how = {.size = sizeof how, .target = "y", .ignore = "g", .keep_all = true};
    smr_bias_variance_opts some = {.size = sizeof some, .samples = 9};
    char *alone = NULL, *whole = NULL;
    (void)state;
    for (int i = 0; i < ROWS; i++) g[i] = i % 8, x[i] = sin(i), y[i] = x[i] + g[i];
    check_ok(ctx, smr_table_create(ctx, ROWS, &t));
    check_ok(ctx, smr_table_add_f64(ctx, t, "x", x));
    check_ok(ctx, smr_table_add_f64(ctx, t, "g", g));
    check_ok(ctx, smr_table_add_f64(ctx, t, "y", y));
    check_ok(ctx, smr_bias_variance(ctx, "knn 1", t, &how, &some, &alone));
    some.group = "g";
    check_ok(ctx, smr_bias_variance(ctx, "knn 1", t, &how, &some, &whole));
    assert_string_not_equal(alone, whole);
    smr_string_free(alone);
    smr_string_free(whole);
    some.group = "h";
    check_fails(ctx, smr_bias_variance(ctx, "knn 1", t, &how, &some, &whole), SMR_ERR_PARAM, "'h'");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void words_are_checked_without_data(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    check_ok(ctx, smr_curve_check(ctx, "threshold"));
    check_fails(ctx, smr_curve_check(ctx, "treshold"), SMR_ERR_PARAM, "mean 'threshold'?");
    check_ok(ctx, smr_explain_check(ctx, "shapley"));
    check_fails(ctx, smr_explain_check(ctx, "shaply"), SMR_ERR_PARAM, "mean 'shapley'?");
    check_ctx_end(ctx);
}

static void what_is_not_there_is_told(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    double X[2 * ROWS], y[ROWS];
    smr_table *t = table_of(ctx, X, y);
    smr_train_opts how = {.size = sizeof how, .target = "y", .keep_all = true};
    char *json = NULL;
    const char *settings[] = {"noise"};
    smr_bias_variance_opts drawn = {
        .size = sizeof drawn, .generator = "sine", .settings = settings, .n_settings = 1};
    (void)state;
    check_fails(ctx, smr_curve(ctx, "steep", "linear", t, &how, NULL, &json), SMR_ERR_PARAM,
                "not 'steep'");
    check_fails(ctx, smr_curve(ctx, "training", "linear", t, &how, NULL, &json), SMR_ERR_STATE,
                "fitted in one step");
    check_fails(ctx, smr_bias_variance(ctx, "knn", NULL, NULL, NULL, &json), SMR_ERR_PARAM,
                "give one of the two");
    check_fails(ctx, smr_bias_variance(ctx, "knn", t, &how, &drawn, &json), SMR_ERR_PARAM,
                "give one of the two");
    check_fails(ctx, smr_bias_variance(ctx, "knn", NULL, NULL, &drawn, &json), SMR_ERR_PARAM,
                "'noise' is not a setting");
    assert_null(json);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(studies_are_handed_over_as_json),
        cmocka_unit_test(fitted_models_have_curves_and_paths),
        cmocka_unit_test(samples_keep_groups_whole),
        cmocka_unit_test(words_are_checked_without_data),
        cmocka_unit_test(what_is_not_there_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
