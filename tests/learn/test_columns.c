/* test_columns.c -- the first stage of every model, seen through a model: "impute" passes on what
 * is there as it is, so it shows what the columns became. */
#include "pipeline.h"

static const char mixed[] = "n,c,d,t\n"
                            "1.5,red,2000-02-29,2024-01-01 06:30\n"
                            "2.5,blue,1970-01-02,2024-01-02 18:00\n"
                            "4,red,1969-12-31,2024-01-03 00:00\n";

static void numbers_dates_and_categories_become_features(void **state)
{
    static const double wanted[3][4] = {
        {1.5, 1, 11016, 19723 + 6.5 / 24}, {2.5, 0, 1, 19724.75}, {4, 1, -1, 19725}};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, mixed);
    smr_model *m =
        train_on(ctx, "impute", t, NULL); /* passes everything on where nothing is missing */
    double *out = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
    (void)state;
    assert_int_equal(m->n_features, 4);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) check_near("feature", out[4 * i + j], wanted[i][j], 1e-15);
    smr_free(out);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void dates_become_parts_when_asked(void **state)
{
    static const char *const names[] = {"n",     "c",         "d.days", "d.year", "d.month",
                                        "d.day", "d.weekday", "t.days", "t.year", "t.month",
                                        "t.day", "t.weekday", "t.hour"};
    /* 2024-01-01 was a Monday. */
    static const double first[] = {1.5,  1, 11016, 2000, 2,  29, 2, 19723 + 6.5 / 24,
                                   2024, 1, 1,     1,    6.5};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, mixed);
    smr_model *m = train_on(ctx, "columns dates=parts | impute", t, NULL);
    double *out = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
    (void)state;
    assert_int_equal(m->n_features, 13);
    for (int j = 0; j < 13; j++) {
        assert_string_equal(m->features[j].name, names[j]);
        check_near(names[j], out[j], first[j], 1e-15);
    }
    smr_free(out);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_model_in_parts_predicts_single_rows(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, mixed);
    smr_model *m = train_on(ctx, "columns dates=parts | impute", t, NULL);
    double *all = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM), one[13];
    smr_predictor *p = NULL;
    (void)state;
    check_ok(ctx, smr_predictor_create(ctx, m, SMR_OUTPUT_TRANSFORM, &p));
    for (int64_t i = 0; i < 3; i++) {
        double x[4] = {smr_column_number(&t->cols[0], i), (double)smr_column_code(&t->cols[1], i),
                       smr_column_number(&t->cols[2], i), smr_column_number(&t->cols[3], i)};
        check_ok(ctx, smr_predictor_row(p, x, one));
        assert_memory_equal(one, all + 13 * i, sizeof one);
    }
    smr_predictor_free(p);
    smr_free(all);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Learners that are linear in the target answer the same, in the target's own units. */
static void standardized_targets_change_no_prediction(void **state)
{
    static const char *const learners[] = {"linear", "ridge 3", "knn 3", "knn 4 weight=distance"};
    static const char *const names[] = {"x", "z", "y"};
    smr_ctx *ctx = check_ctx(1);
    double x[50 * 3];
    (void)state;
    for (int i = 0; i < 50; i++) {
        x[3 * i] = noise(i, 0);
        x[3 * i + 1] = 5 * noise(i, 1);
        x[3 * i + 2] = 1e6 + 3000 * noise(i, 2) + 500 * x[3 * i];
    }
    smr_table *t = matrix_table(ctx, 50, 3, x, names);
    for (int k = 0; k < 4; k++) {
        char sentence[96];
        snprintf(sentence, sizeof sentence, "columns target=standardize | %s", learners[k]);
        smr_model *a = train_on(ctx, learners[k], t, "y"), *b = train_on(ctx, sentence, t, "y");
        double *pa = apply(ctx, a, t, SMR_OUTPUT_VALUE), *pb = apply(ctx, b, t, SMR_OUTPUT_VALUE);
        for (int i = 0; i < 50; i++) check_near(learners[k], pb[i], pa[i], 1e-11);
        smr_free(pa);
        smr_free(pb);
        smr_model_free(a);
        smr_model_free(b);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_constant_target_is_only_centred(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "x,y\n1,7.5\n2.5,7.5\n3,7.5\n");
    smr_model *m = train_on(ctx, "columns target=standardize | ridge 1", t, "y");
    double *out = apply(ctx, m, t, SMR_OUTPUT_VALUE);
    (void)state;
    assert_true(m->target.mean[0] == 7.5 && m->target.sd[0] == 1);
    for (int i = 0; i < 3; i++) check_near("prediction", out[i], 7.5, 1e-15);
    smr_free(out);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void classes_are_not_standardized(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "x,k\n1,a\n2.5,b\n3,b\n");
    smr_model *m = train_on(ctx, "columns target=standardize | knn 1", t, "k");
    (void)state;
    assert_null(m->target.mean);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void its_parameters_are_checked(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, mixed);
    smr_model *m = NULL;
    smr_set_opts opts = {.target = "n"};
    (void)state;
    check_fails(ctx, try_train(ctx, "columns unseen=zero | ridge", t, &opts, &m), SMR_ERR_PARAM,
                "columns: unseen = zero is none of missing or error");
    check_fails(ctx, try_train(ctx, "columns dates=weeks | ridge", t, &opts, &m), SMR_ERR_PARAM,
                "columns: dates = weeks is none of days or parts");
    check_fails(ctx, try_train(ctx, "columns 5 | ridge", t, &opts, &m), SMR_ERR_PARAM,
                "columns takes no value without a name, but '5' was given");
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_dates_and_categories_become_features),
        cmocka_unit_test(dates_become_parts_when_asked),
        cmocka_unit_test(a_model_in_parts_predicts_single_rows),
        cmocka_unit_test(standardized_targets_change_no_prediction),
        cmocka_unit_test(a_constant_target_is_only_centred),
        cmocka_unit_test(classes_are_not_standardized),
        cmocka_unit_test(its_parameters_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
