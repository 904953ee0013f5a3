/* test_curve_elbow.c -- an elbow is that of fits on all rows, also through the library. */
#include "study_json.h"

#include "pipeline.h"

/* Three groups of 20 rows, far apart. */
static smr_table *three_groups(smr_ctx *ctx)
{
    smr_table *t = new_table(ctx, 60, 2);
    double x[60], y[60];
    for (int64_t i = 0; i < 60; i++) {
        x[i] = 20.0 * (double)(i % 3) + 0.01 * (double)i;
        y[i] = 13.0 * (double)(i % 3 == 1) + 0.02 * (double)(i * 7 % 11);
    }
    put_numbers(ctx, t, 0, "x", x);
    put_numbers(ctx, t, 1, "y", y);
    return t;
}

static void the_curve_bends_at_the_groups(void **unused)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = three_groups(ctx);
    smr_train_opts how = {.size = sizeof how, .task = SMR_TASK_CLUSTER};
    smr_curve_opts opts = {.size = sizeof opts, .over = "k=1..6"};
    char *json = NULL;
    smr_json_doc *doc = NULL;
    double before = INFINITY;
    int64_t k = 0;
    (void)unused;
    check_ok(ctx, smr_curve(ctx, "elbow", "kmeans", t, &how, &opts, &json));
    check_ok(ctx, smr_json_parse(ctx, json, (int64_t)strlen(json), &doc));
    const smr_json *root = smr_json_root(doc);
    check_near("bend", number_of(root, "bend"), 3, 0);
    check_near("best", number_of(root, "best"), 3, 0);
    for (const smr_json *p = smr_json_get(root, "points")->first; p; p = p->next) {
        char sentence[32];
        smr_model *m = NULL;
        snprintf(sentence, sizeof sentence, "kmeans %d", (int)++k);
        check_ok(ctx, smr_train(ctx, sentence, t, &how, &m));
        check_near("objective", number_of(p, "objective"), m->fit.objective, 0);
        assert_true(m->fit.objective < before);
        before = m->fit.objective;
        smr_model_free(m);
    }
    assert_int_equal(k, 6);
    smr_json_free(doc);
    smr_string_free(json);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void what_is_no_elbow_is_refused(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = three_groups(ctx);
    smr_train_opts how = {.size = sizeof how, .task = SMR_TASK_CLUSTER};
    smr_fold_opts folds = {.size = sizeof folds, .folds = 4};
    smr_curve_opts over = {.size = sizeof over, .over = "k=2,3;tol=0,1"};
    smr_curve_opts folded = {.size = sizeof folded, .folds = &folds};
    char *json = NULL;
    (void)unused;
    check_fails(ctx, smr_curve(ctx, "elbow", "kmeans", t, &how, &over, &json), SMR_ERR_PARAM, "");
    check_fails(ctx, smr_curve(ctx, "elbow", "kmeans", t, &how, &folded, &json), SMR_ERR_PARAM,
                "an elbow is that of fits on all rows");
    how = (smr_train_opts){.size = sizeof how, .target = "y"};
    check_fails(ctx, smr_curve(ctx, "elbow", "ridge", t, &how, NULL, &json), SMR_ERR_PARAM,
                "an elbow curve is of clusters, and this sentence predicts numbers");
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_curve_bends_at_the_groups),
        cmocka_unit_test(what_is_no_elbow_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
