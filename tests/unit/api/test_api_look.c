#define _GNU_SOURCE /* memmem */
/* What a fitted model says about itself without JSON: sentence, parameters, arrays, importances,
 * coefficients. */
#include "pipeline.h"

#include "samara.h"

enum { N = 24 };

static smr_table *numbers(smr_ctx *ctx)
{
    double a[N], b[N], y[N];
    smr_table *t = NULL;
    for (int i = 0; i < N; i++) {
        a[i] = i * 7 % 13;
        b[i] = i % 5 == 3 ? NAN : (double)(i * 5 % 11);
        y[i] = 2 * a[i] - (isnan(b[i]) ? 0 : b[i]) + 0.25 * (i % 3);
    }
    check_ok(ctx, smr_table_create(ctx, N, &t));
    check_ok(ctx, smr_table_add_f64(ctx, t, "a", a));
    check_ok(ctx, smr_table_add_f64(ctx, t, "b", b));
    check_ok(ctx, smr_table_add_f64(ctx, t, "y", y));
    return t;
}

static smr_model *train(smr_ctx *ctx, const char *sentence, const smr_table *t)
{
    smr_train_opts opts = {.size = sizeof opts, .target = "y", .task = SMR_TASK_REGRESS};
    smr_model *m = NULL;
    check_ok(ctx, smr_train(ctx, sentence, t, &opts, &m));
    return m;
}

/* ---- sentence and parameters ------------------------------------------------------------ */

static void the_sentence_can_be_trained_again(void **state)
{
    static const char *const sentences[] = {"ridge 3", "columns dates=parts | standardize | knn 4",
                                            "bag 2 of=(tree max_depth=2)"};
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = numbers(ctx);
    for (int s = 0; s < 3; s++) {
        smr_model *m = train(ctx, sentences[s], t), *again;
        char *text = NULL, *back = NULL;
        double out[2][N];
        check_ok(ctx, smr_model_sentence(ctx, m, &text));
        again = train(ctx, text, t);
        check_ok(ctx, smr_model_sentence(ctx, again, &back));
        assert_string_equal(text, back);
        check_ok(ctx, smr_predict(ctx, m, t, SMR_OUTPUT_VALUE, out[0]));
        check_ok(ctx, smr_predict(ctx, again, t, SMR_OUTPUT_VALUE, out[1]));
        assert_memory_equal(out[0], out[1], sizeof out[0]);
        smr_string_free(text);
        smr_string_free(back);
        smr_model_free(m);
        smr_model_free(again);
    }
    smr_model *m = train(ctx, "ridge 3", t);
    char *text = NULL;
    check_ok(ctx, smr_model_sentence(ctx, m, &text));
    assert_ptr_equal(strstr(text, "columns unseen=missing "), text);
    assert_non_null(strstr(text, " | impute ")); /* a gap: samara inserted it */
    assert_non_null(strstr(text, " | ridge l2=3"));
    smr_string_free(text);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void check_text(smr_ctx *ctx, const smr_model *m, const char *address, const char *wanted)
{
    char *text = NULL;
    check_ok(ctx, smr_model_param_text(ctx, m, address, &text));
    assert_string_equal(text, wanted);
    smr_string_free(text);
}

static double number_at(smr_ctx *ctx, const smr_model *m, const char *address)
{
    double x = -1;
    check_ok(ctx, smr_model_param_number(ctx, m, address, &x));
    return x;
}

static void parameters_have_addresses(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = numbers(ctx);
    smr_model *m = train(ctx, "impute median | standardize center=no | knn 7 weight=distance", t);
    char *text = NULL;
    double x;
    assert_true(number_at(ctx, m, "k") == 7 && number_at(ctx, m, "knn.k") == 7);
    assert_true(number_at(ctx, m, "3.k") == 7 && number_at(ctx, m, "center") == 0);
    assert_true(number_at(ctx, m, "standardize.scale") == 1);
    check_text(ctx, m, "knn.weight", "distance");
    check_text(ctx, m, "2.center", "no");
    check_text(ctx, m, "k", "7");
    check_fails(ctx, smr_model_param_number(ctx, m, "knn.weight", &x), SMR_ERR_PARAM,
                "parameter 'knn.weight' is 'distance', which is not a number");
    assert_true(isnan(x));
    check_fails(ctx, smr_model_param_text(ctx, m, "knn.q", &text), SMR_ERR_PARAM,
                "the sentence has no parameter 'knn.q'");
    assert_null(text);
    check_fails(ctx, smr_model_param_text(ctx, m, "kk", &text), SMR_ERR_PARAM, "did you mean 'k'");
    smr_model_free(m);
    m = train(ctx, "bag 2 of=(standardize | tree max_depth=3)", t);
    assert_true(number_at(ctx, m, "bag.of.0.tree.max_depth") == 3 &&
                number_at(ctx, m, "of.max_depth") == 3);
    check_fails(ctx, smr_model_param_text(ctx, m, "nothing.at.all", &text), SMR_ERR_PARAM,
                "has no parameter 'nothing.at.all'");
    smr_model_free(m);
    m = train(ctx, "ridge path=5", t);
    check_fails(ctx, smr_model_param_text(ctx, m, "ridge.l2", &text), SMR_ERR_PARAM,
                "the model's sentence does not use 'ridge.l2': it applies without path");
    smr_model_free(m);
    m = train(ctx, "ridge 1", t);
    assert_true(isnan(number_at(ctx, m, "ridge.path")) || number_at(ctx, m, "ridge.path") == 0);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void all_parameters_are_listed_with_their_kinds(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = numbers(ctx);
    smr_model *m = train(ctx, "columns unseen=error | bag 3 of=(knn 2)", t);
    smr_param_list *list = NULL;
    int64_t members = -1, k = -1, unseen = -1;
    check_ok(ctx, smr_model_params(ctx, m, &list));
    for (int64_t i = 0; i < smr_param_list_n(list); i++) {
        const char *address = smr_param_list_address(list, i);
        char *text = NULL;
        check_ok(ctx, smr_model_param_text(ctx, m, address, &text)); /* each leads to itself */
        assert_string_equal(text, smr_param_list_text(list, i));
        smr_string_free(text);
        if (strcmp(address, "bag.of") == 0) members = i;
        if (strcmp(address, "bag.of.0.knn.k") == 0) k = i;
        if (strcmp(address, "columns.unseen") == 0) unseen = i;
    }
    assert_true(members >= 0 && k >= 0 && unseen >= 0);
    assert_int_equal(smr_param_list_kind(list, members), SMR_PARAM_SENTENCES);
    assert_int_equal(smr_param_list_kind(list, k), SMR_PARAM_WHOLE);
    assert_int_equal(smr_param_list_kind(list, unseen), SMR_PARAM_ONE_OF);
    assert_true(smr_param_list_number(list, k) == 2);
    assert_true(isnan(smr_param_list_number(list, members)));
    assert_string_equal(smr_param_list_text(list, unseen), "error");
    int64_t n = smr_param_list_n(list);
    assert_null(smr_param_list_address(list, n));
    assert_null(smr_param_list_text(list, -1));
    assert_int_equal(smr_param_list_kind(list, n), -1);
    assert_true(isnan(smr_param_list_number(list, n)));
    smr_model_free(m);
    assert_string_equal(smr_param_list_address(list, k), "bag.of.0.knn.k"); /* it lives on */
    smr_param_list_free(list);
    smr_param_list_free(NULL);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- arrays ----------------------------------------------------------------------------- */

static void arrays_have_the_names_of_the_file(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = numbers(ctx);
    smr_model *m = train(ctx, "impute | standardize | bag 2 of=(standardize | knn 2)", t);
    smr_array a;
    check_ok(ctx, smr_model_array(ctx, m, "2.standardize.mean", &a));
    assert_int_equal(a.dtype, SMR_F64);
    assert_int_equal(a.rank, 1);
    assert_true(a.shape[0] == 2 && a.n == 2);
    double mean = 0;
    for (int64_t i = 0; i < N; i++) mean += smr_table_number(t, i, 0) / N;
    check_near("mean", ((const double *)a.values)[0], mean, 1e-13);
    check_ok(ctx, smr_model_array(ctx, m, "3.bag.of.1.1.knn.x_f64", &a));
    assert_int_equal(a.rank, 3);
    assert_int_equal(a.n, a.shape[0] * a.shape[1] * a.shape[2]);
    check_ok(ctx, smr_model_array(ctx, m, "3.bag.of.1.1.knn.n", &a)); /* one number */
    assert_int_equal(a.rank, 0);
    assert_int_equal(a.n, 1);
    assert_int_equal(a.dtype, SMR_I64);
    int64_t rows = *(const int64_t *)a.values; /* of a bootstrap: those that were drawn */
    assert_true(rows > 5 && rows < N);
    check_fails(ctx, smr_model_array(ctx, m, "2.standardize.meen", &a), SMR_ERR_PARAM,
                "the model has no array '2.standardize.meen'; did you mean '2.standardize.mean'?");
    assert_null(a.values);
    check_fails(ctx, smr_model_array(ctx, m, "x", &a), SMR_ERR_PARAM,
                "the model has no array 'x'; smr_model_arrays lists them");
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The list is the file's: each name and the bytes of each array are in it. */
static void all_arrays_are_listed_in_order(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = numbers(ctx);
    smr_model *m = train(ctx, "impute | bag 2 of=(standardize | tree)", t), *back = NULL;
    smr_array_list *list = NULL, *loaded = NULL;
    char *bytes = NULL;
    int64_t length = 0;
    static const size_t size[] = {8, 4, 1, 4, 8, 2, 2};
    check_ok(ctx, smr_model_write(ctx, m, &bytes, &length));
    check_ok(ctx, smr_model_read(ctx, bytes, length, &back));
    check_ok(ctx, smr_model_arrays(ctx, m, &list));
    check_ok(ctx, smr_model_arrays(ctx, back, &loaded));
    int64_t n = smr_array_list_n(list);
    assert_true(n > 10);
    assert_int_equal(n, smr_array_list_n(loaded));
    for (int64_t i = 0; i < n; i++) {
        const char *name = smr_array_list_name(list, i);
        const smr_array *a = smr_array_list_get(list, i), *b = smr_array_list_get(loaded, i);
        assert_string_equal(name, smr_array_list_name(loaded, i));
        if (i > 0) assert_true(strcmp(smr_array_list_name(list, i - 1), name) < 0);
        assert_true(a->dtype == b->dtype && a->rank == b->rank && a->n == b->n);
        assert_memory_equal(a->values, b->values, (size_t)a->n * size[a->dtype]);
        char quoted[128];
        snprintf(quoted, sizeof quoted, "\"%s\"", name);
        assert_non_null(memmem(bytes, (size_t)length, quoted, strlen(quoted)));
    }
    assert_null(smr_array_list_name(list, n));
    assert_null(smr_array_list_get(list, -1));
    smr_array_list_free(list);
    smr_array_list_free(loaded);
    smr_array_list_free(NULL);
    smr_string_free(bytes);
    smr_model_free(m);
    smr_model_free(back);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- importances and coefficients ------------------------------------------------------- */

static void importances_belong_to_features(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = numbers(ctx);
    smr_model *m = train(ctx, "impute | forest 5", t), *knn = train(ctx, "impute | knn 2", t);
    const double *gain = NULL;
    check_ok(ctx, smr_model_importances(ctx, m, &gain));
    assert_int_equal(smr_model_n_features(m), 2);
    assert_string_equal(smr_model_feature_name(m, 0), "a");
    assert_string_equal(smr_model_feature_name(m, 1), "b");
    assert_null(smr_model_feature_name(m, 2));
    assert_null(smr_model_feature_name(m, -1));
    assert_true(gain[0] > 0 && gain[1] > 0);
    check_fails(ctx, smr_model_importances(ctx, knn, &gain), SMR_ERR_UNSUPPORTED,
                "this knn model has no importances");
    assert_null(gain);
    smr_model_free(m);
    smr_model_free(knn);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void coefficients_make_the_prediction(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = numbers(ctx);
    smr_model *m = train(ctx, "impute | poly 2 | ridge 0.5", t), *tree = train(ctx, "tree", t);
    smr_train_opts opts = {.size = sizeof opts, .ignore = "y"};
    smr_model *features = NULL;
    check_ok(ctx, smr_train(ctx, "impute | poly 2", t, &opts, &features));
    smr_coefficients c;
    check_ok(ctx, smr_model_coefficients(ctx, m, &c));
    int64_t d = c.n_features;
    assert_int_equal(c.n_scores, 1);
    assert_int_equal(d, smr_model_n_features(m));
    assert_int_equal(d, smr_model_n_outputs(features, SMR_OUTPUT_TRANSFORM));
    double said[N], *x = calloc((size_t)(N * d), sizeof *x);
    check_ok(ctx, smr_predict(ctx, m, t, SMR_OUTPUT_VALUE, said));
    check_ok(ctx, smr_predict(ctx, features, t, SMR_OUTPUT_TRANSFORM, x));
    for (int64_t i = 0; i < N; i++) {
        double score = c.intercepts ? c.intercepts[0] : 0;
        for (int64_t j = 0; j < d; j++) score += c.values[j] * x[i * d + j];
        check_near("score", score, said[i], 1e-11);
    }
    free(x);
    check_fails(ctx, smr_model_coefficients(ctx, tree, &c), SMR_ERR_UNSUPPORTED,
                "this tree model is not linear in its features: it has no coefficients");
    assert_null(c.values);
    check_fails(ctx, smr_model_coefficients(ctx, features, &c), SMR_ERR_UNSUPPORTED,
                "this poly model is not linear");
    smr_model_free(m);
    smr_model_free(tree);
    smr_model_free(features);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_threshold_can_be_set_later(void **state)
{
    double x[N], p[2 * N], label[2][N];
    const char *side[N];
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL, *of_numbers = numbers(ctx);
    smr_train_opts opts = {.size = sizeof opts, .target = "side"};
    smr_model *m = NULL, *regression = train(ctx, "impute | knn 2", of_numbers);
    for (int i = 0; i < N; i++) {
        x[i] = i;
        side[i] = i * 5 % 7 > 3 ? "right" : "left";
    }
    check_ok(ctx, smr_table_create(ctx, N, &t));
    check_ok(ctx, smr_table_add_f64(ctx, t, "x", x));
    check_ok(ctx, smr_table_add_strings(ctx, t, "side", side));
    check_ok(ctx, smr_train(ctx, "knn 5", t, &opts, &m));
    check_ok(ctx, smr_predict(ctx, m, t, SMR_OUTPUT_PROBA, p));
    check_ok(ctx, smr_predict(ctx, m, t, SMR_OUTPUT_LABEL, label[0]));
    check_ok(ctx, smr_model_set_threshold(ctx, m, 0.25));
    check_ok(ctx, smr_predict(ctx, m, t, SMR_OUTPUT_LABEL, label[1]));
    for (int i = 0; i < N; i++) assert_true(label[1][i] == (p[2 * i + 1] >= 0.25));
    assert_memory_not_equal(label[0], label[1], sizeof label[0]);
    check_fails(ctx, smr_model_set_threshold(ctx, m, 1.5), SMR_ERR_PARAM,
                "this model gives probabilities, so from 0 to 1");
    check_fails(ctx, smr_model_set_threshold(ctx, regression, 0.5), SMR_ERR_PARAM,
                "a threshold is for telling two classes apart");
    smr_model_free(m);
    smr_model_free(regression);
    smr_table_free(t);
    smr_table_free(of_numbers);
    check_ctx_end(ctx);
}

/* ---- memory, and tables that are made ---------------------------------------------------- */

static smr_status look(smr_ctx *ctx, void *model)
{
    smr_param_list *params = NULL;
    smr_array_list *arrays = NULL;
    smr_array a;
    char *text = NULL, *value = NULL;
    double x;
    smr_status st = smr_model_sentence(ctx, model, &text);
    if (st == SMR_OK) st = smr_model_params(ctx, model, &params);
    if (st == SMR_OK) st = smr_model_param_text(ctx, model, "knn.k", &value);
    if (st == SMR_OK) st = smr_model_param_number(ctx, model, "knn.k", &x);
    if (st == SMR_OK) st = smr_model_arrays(ctx, model, &arrays);
    if (st == SMR_OK) st = smr_model_array(ctx, model, "2.bag.n_classes", &a);
    smr_string_free(text);
    smr_string_free(value);
    smr_param_list_free(params);
    smr_array_list_free(arrays);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = numbers(ctx);
    smr_model *m = train(ctx, "impute | bag 2 of=(knn 2)", t);
    assert_true(fail_each_allocation(ctx, look, m) > 50);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void tables_are_made_as_the_command_makes_them(void **state)
{
    static const char *const settings[] = {"n=50"}, *const wrong[] = {"rows=50"};
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *a = NULL, *b = NULL;
    smr_ctx_set_seed(ctx, 7);
    check_ok(ctx, smr_table_make(ctx, "friedman", settings, 1, &a));
    check_ok(ctx, smr_table_make(ctx, "friedman", settings, 1, &b));
    assert_int_equal(smr_table_n_rows(a), 50);
    for (int64_t j = 0; j < smr_table_n_cols(a); j++)
        for (int64_t i = 0; i < 50; i++)
            assert_true(smr_table_number(a, i, j) == smr_table_number(b, i, j));
    smr_table_free(b);
    smr_ctx_set_seed(ctx, 8);
    check_ok(ctx, smr_table_make(ctx, "friedman", settings, 1, &b));
    assert_true(smr_table_number(a, 0, 0) != smr_table_number(b, 0, 0));
    smr_table_free(a);
    smr_table_free(b);
    check_fails(ctx, smr_table_make(ctx, "fridman", NULL, 0, &a), SMR_ERR_PARAM, "friedman");
    assert_null(a);
    check_fails(ctx, smr_table_make(ctx, "friedman", wrong, 1, &a), SMR_ERR_PARAM,
                "has no setting 'rows'");
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sentence_can_be_trained_again),
        cmocka_unit_test(parameters_have_addresses),
        cmocka_unit_test(all_parameters_are_listed_with_their_kinds),
        cmocka_unit_test(arrays_have_the_names_of_the_file),
        cmocka_unit_test(all_arrays_are_listed_in_order),
        cmocka_unit_test(importances_belong_to_features),
        cmocka_unit_test(coefficients_make_the_prediction),
        cmocka_unit_test(a_threshold_can_be_set_later),
        cmocka_unit_test(failing_allocations_leave_nothing),
        cmocka_unit_test(tables_are_made_as_the_command_makes_them),
    };
    return cmocka_run_group_tests_name("looking", tests, NULL, NULL);
}
