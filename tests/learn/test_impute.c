/* test_impute.c -- what replaces missing values: recorded values of scikit-learn, weights as
 * repeated rows, categories, indicators. */
#include "pipeline.h"
#include "truth/features.h"

static const char *const abc[] = {"a", "b", "c"};

static const double *const M = impute_rows[0]; /* 7 x 3 */

static void check_filled(const double *out, int64_t width, const double *fill, const char *what)
{
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 3; j++) {
            double x = M[i * 3 + j];
            check_near(what, out[i * width + j], isnan(x) ? fill[j] : x, 1e-15);
        }
}

static void fills_agree_with_scikit_learn(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = matrix_table(ctx, 7, 3, M, abc);
    (void)state;
    for (int k = 0; k < 4; k++) {
        smr_model *m = train_on(ctx, impute_fills[k].sentence, t, NULL);
        double *out = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
        check_filled(out, 3, impute_fills[k].fill, impute_fills[k].sentence);
        smr_free(out);
        smr_model_free(m);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_weight_is_a_repeated_row(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 7, 4);
    (void)state;
    for (int j = 0; j < 3; j++) {
        double column[7];
        for (int i = 0; i < 7; i++) column[i] = M[i * 3 + j];
        put_numbers(ctx, t, j, abc[j], column);
    }
    put_numbers(ctx, t, 3, "w", impute_weights);
    for (int k = 0; k < 4; k++) {
        smr_model *m = NULL;
        check_ok(ctx, try_train(ctx, impute_fills[k].sentence, t,
                                &(smr_set_opts){.weight = "w", .keep_all = true}, &m));
        double *out = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
        check_filled(out, 3, impute_fills[k].weighted, impute_fills[k].sentence);
        smr_free(out);
        smr_model_free(m);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void indicators_stand_behind_all_features(void **state)
{
    static const char *const names[] = {"a", "b", "c", "a.missing", "c.missing"};
    smr_ctx *ctx = check_ctx(1);
    double x[7 * 3];
    (void)state;
    memcpy(x, M, sizeof x);
    x[2 * 3 + 1] = x[6 * 3 + 1] = 2.45; /* b has no gaps now */
    smr_table *t = matrix_table(ctx, 7, 3, x, abc),
              *q = matrix_table(ctx, 1, 3, (double[]){1, NAN, 2}, abc);
    smr_model *m = train_on(ctx, "impute indicator=yes", t, NULL);
    double *out = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
    assert_int_equal(smr_model_width(m, SMR_OUTPUT_TRANSFORM), 5);
    for (int j = 0; j < 5; j++) assert_string_equal(m->stages[0].features[j].name, names[j]);
    for (int i = 0; i < 7; i++) {
        assert_true(out[i * 5 + 3] == isnan(x[i * 3]));
        assert_true(out[i * 5 + 4] == isnan(x[i * 3 + 2]));
    }
    smr_free(out);
    out =
        apply(ctx, m, q, SMR_OUTPUT_TRANSFORM); /* a gap that training had not: filled, not told */
    check_near("b", out[1], (2.5 + 2.5 + 2.45 - 1 + 8 + 0.25 + 2.45) / 7, 1e-15);
    assert_true(out[3] == 0 && out[4] == 0);
    smr_free(out);
    smr_model_free(m);
    smr_table_free(t);
    smr_table_free(q);
    check_ctx_end(ctx);
}

/* ---- categories ------------------------------------------------------------------------- */

static void categories_stay_missing_or_get_the_most_frequent_level(void **state)
{
    static const double kept[] = {2, 0, NAN, 2, 0, 1}, filled[] = {2, 0, 0, 2, 0, 1};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "c,x\nred,1\nblue,2\n,\nred,4\nblue,5\ngreen,7\n");
    smr_model *keep = train_on(ctx, "impute", t, NULL);
    smr_model *fill = train_on(ctx, "impute category=frequent", t, NULL);
    double *a = apply(ctx, keep, t, SMR_OUTPUT_TRANSFORM),
           *b = apply(ctx, fill, t, SMR_OUTPUT_TRANSFORM);
    (void)state;
    for (int i = 0; i < 6; i++) {
        check_near("kept", a[2 * i], kept[i], 0);
        check_near("filled", b[2 * i], filled[i], 0); /* red and blue tie: the first level */
        check_near("x", b[2 * i + 1], i == 2 ? 3.8 : a[2 * i + 1], 1e-15);
    }
    assert_int_equal(fill->stages[0].features[0].kind, SMR_CATEGORY);
    assert_int_equal(fill->stages[0].features[0].n_levels, 3);
    smr_free(a);
    smr_free(b);
    smr_model_free(keep);
    smr_model_free(fill);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- nothing there ---------------------------------------------------------------------- */

static void columns_without_values_get_what_the_warning_says(void **state)
{
    static const struct {
        const char *sentence, *warning;
        double fill;
    } cases[] = {
        {"impute", "column 'a' has no value in the training rows; its gaps become 0", 0},
        {"impute median", "its gaps become 0", 0},
        {"impute frequent", "its gaps become 0", 0},
        {"impute constant value=7.5", "its gaps become 7.5", 7.5},
    };
    (void)state;
    for (int k = 0; k < 4; k++) {
        struct heard heard;
        smr_ctx *ctx = hearing_ctx(&heard);
        smr_table *t = matrix_table(ctx, 3, 2, (double[]){NAN, 1, NAN, 2, NAN, 4}, abc);
        smr_model *m = train_on(ctx, cases[k].sentence, t, NULL);
        double *out = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
        assert_true(out[0] == cases[k].fill && out[4] == cases[k].fill && out[5] == 4);
        check_heard(&heard, cases[k].warning);
        assert_int_equal(heard.n, 1);
        smr_free(out);
        smr_model_free(m);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

/* A fold in which a category has no value: it stays missing, it does not become the first level. */
static void categories_without_values_stay_missing(void **state)
{
    static const int64_t rows[] = {2, 3, 4};
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *t = table_of(ctx, "c,x\nred,1\nblue,2\n,3\n,4.5\n,5\n");
    smr_train_set *set = NULL;
    smr_model *m = NULL;
    (void)state;
    check_ok(ctx, said_set(ctx, t, "impute", &(smr_set_opts){.keep_all = true}, &set));
    check_ok(ctx, said_fit(ctx, "impute category=frequent", set, rows, 3, &m));
    double *out = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
    assert_true(out[0] == 1 && out[2] == 0 && isnan(out[4]) && isnan(out[8]));
    check_heard(&heard, "column 'c' has no value in the training rows; its gaps become no level");
    smr_free(out);
    smr_model_free(m);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- details ---------------------------------------------------------------------------- */

/* Fractions of weights: the value at half the total weight. */
static void medians_weigh_fractions(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "x,w\n10,0.5\n20,0.25\n30,0.25\n,1\n");
    smr_table *u = table_of(ctx, "x,w\n10,0.5\n20,0.125\n30,0.25\n,1\n");
    smr_set_opts opts = {.weight = "w", .keep_all = true};
    smr_model *a = NULL, *b = NULL;
    (void)state;
    check_ok(ctx, try_train(ctx, "impute median", t, &opts, &a));
    check_ok(ctx, try_train(ctx, "impute median", u, &opts, &b));
    double *pa = apply(ctx, a, t, SMR_OUTPUT_TRANSFORM),
           *pb = apply(ctx, b, u, SMR_OUTPUT_TRANSFORM);
    assert_true(pa[3] == 15); /* exactly half lies at 10: between 10 and 20 */
    assert_true(pb[3] == 10);
    smr_free(pa);
    smr_free(pb);
    smr_model_free(a);
    smr_model_free(b);
    smr_table_free(t);
    smr_table_free(u);
    check_ctx_end(ctx);
}

static void inspect_shows_the_fills(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "c,x\nred,1\nblue,2\nred,\n,4\n");
    smr_model *m = train_on(ctx, "impute category=frequent", t, NULL);
    smr_json_doc *doc = NULL;
    (void)state;
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_model_describe(ctx, m, smr_json_root(doc)));
    const smr_json *stages = smr_json_get(smr_json_root(doc), "stages");
    const smr_json *fill = smr_json_get(stages->last, "fill");
    assert_string_equal(smr_json_get_string(fill->first, "value", ""), "red");
    check_near("x", smr_json_get_number(fill->last, "value", NAN), 7.0 / 3, 1e-15);
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static smr_status train_once(smr_ctx *ctx, void *table)
{
    smr_model *m = NULL;
    smr_status st = try_train(ctx, "impute median indicator=yes category=frequent", table,
                              &(smr_set_opts){.keep_all = true}, &m);
    smr_model_free(m);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "c,x\nred,1\nblue,2\nred,\n,4\n");
    (void)state;
    assert_true(fail_each_allocation(ctx, train_once, t) > 30);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_agree_with_scikit_learn),
        cmocka_unit_test(a_weight_is_a_repeated_row),
        cmocka_unit_test(indicators_stand_behind_all_features),
        cmocka_unit_test(categories_stay_missing_or_get_the_most_frequent_level),
        cmocka_unit_test(columns_without_values_get_what_the_warning_says),
        cmocka_unit_test(categories_without_values_stay_missing),
        cmocka_unit_test(medians_weigh_fractions),
        cmocka_unit_test(inspect_shows_the_fills),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
