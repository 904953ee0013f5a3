/* The public functions that look at data and at how good a model is, through samara.h alone. */
#include "check.h"

#include "samara.h"

static smr_table *open_table(smr_ctx *ctx, const char *path)
{
    smr_table *t = NULL;
    check_ok(ctx, smr_table_open(ctx, path, NULL, &t));
    return t;
}

static smr_model *train(smr_ctx *ctx, const smr_table *t, const char *threshold)
{
    smr_model *m = NULL;
    smr_train_opts opts = {.size = sizeof opts, .target = "diagnosis", .threshold = threshold};
    check_ok(ctx, smr_train(ctx, "standardize | logistic", t, &opts, &m));
    return m;
}

#define check_has(text, part)                                                    \
    do {                                                                         \
        if (!strstr((text), (part))) fail_msg("no '%s' in\n%s", (part), (text)); \
    } while (0)

static void evaluating_tells_what_is_asked_for(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = open_table(ctx, "data/breast_cancer.csv");
    smr_model *m = train(ctx, t, NULL);
    char *json = NULL;
    (void)state;
    check_ok(ctx, smr_evaluate_with(ctx, m, t, NULL, &json));
    check_has(json, "\"intervals\"");
    assert_null(strstr(json, "\"figures\""));
    assert_null(strstr(json, "\"advice\""));
    smr_string_free(json);
    smr_evaluate_opts opts = {
        .size = sizeof opts, .threshold = "recall=0.99", .figures = true, .advice = true};
    check_ok(ctx, smr_evaluate_with(ctx, m, t, &opts, &json));
    check_has(json, "\"rule\": \"recall=0.99\"");
    check_has(json, "\"kind\": \"training_rows\"");
    check_has(json, "\"name\": \"roc\"");
    smr_string_free(json);
    opts = (smr_evaluate_opts){.size = sizeof opts, .views = true};
    check_ok(ctx, smr_evaluate_with(ctx, m, t, &opts, &json));
    check_has(json, "\"data_columns\"");
    check_has(json, "\"unshuffled\"");
    check_has(json, "\"rows\": 569");
    smr_string_free(json);
    opts = (smr_evaluate_opts){.size = sizeof opts, .threshold = "often"};
    check_fails(ctx, smr_evaluate_with(ctx, m, t, &opts, &json), SMR_ERR_PARAM, "is not a rule");
    assert_null(json);
    opts = (smr_evaluate_opts){.size = sizeof opts, .weight = "heavy"};
    check_fails(ctx, smr_evaluate_with(ctx, m, t, &opts, &json), SMR_ERR_PARAM, "heavy");
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The list under "importance", up to the end of it. */
static char *importance_of(const char *json)
{
    const char *from = strstr(json, "\"importance\": ["), *to = from ? strstr(from, "\n  ]") : NULL;
    assert_non_null(to);
    return strndup(from, (size_t)(to - from));
}

/* A report and `explain` are asked the same question, and give one answer. */
static void what_a_model_leans_on_is_said_once(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = open_table(ctx, "data/breast_cancer.csv");
    smr_model *m = train(ctx, t, NULL);
    char *report = NULL, *explained = NULL;
    smr_evaluate_opts opts = {.size = sizeof opts, .views = true};
    (void)state;
    check_ok(ctx, smr_evaluate_with(ctx, m, t, &opts, &report));
    check_ok(ctx, smr_explain(ctx, "importance", m, t, NULL, &explained));
    char *one = importance_of(report), *other = importance_of(explained);
    assert_string_equal(one, other);
    free(one);
    free(other);
    smr_string_free(explained);
    smr_explain_opts some = {.size = sizeof some, .most_rows = 100};
    check_ok(ctx, smr_explain(ctx, "importance", m, t, &some, &explained));
    check_has(explained, "\"rows\": 100");
    check_has(explained, "\"drawn_from\": 569");
    smr_string_free(report);
    smr_string_free(explained);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Options of a caller that was compiled before a member was added. */
/* The eight kinds of answers that a mixture may give, from a table, a matrix and row by row. */
static void a_mixture_answers_from_rows_tables_and_matrices(void **state)
{
    static const int64_t wanted[] = {0, 1, 3, 0, 0, 0, 0, 1};
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = open_table(ctx, "data/iris.csv"), *drawn = NULL;
    smr_model *m = NULL;
    smr_train_opts opts = {.size = sizeof opts, .ignore = "species"};
    const double flower[] = {6.7, 3, 5, 1.7}; /* row 78 */
    (void)state;
    check_ok(ctx, smr_train(ctx, "gmm 3", t, &opts, &m));
    for (int o = 0; o < 8; o++) {
        double all[150 * 3], one[3], row[3];
        smr_output output = (smr_output)o;
        smr_predictor *p = NULL;
        assert_int_equal(smr_model_n_outputs(m, output), wanted[o]);
        if (!wanted[o]) {
            check_fails(ctx, smr_predict(ctx, m, t, output, all), SMR_ERR_UNSUPPORTED,
                        "a gmm model gives no");
            continue;
        }
        check_ok(ctx, smr_predict(ctx, m, t, output, all));
        check_ok(ctx, smr_predict_matrix(ctx, m, flower, 1, 4, output, one));
        check_ok(ctx, smr_predictor_create(ctx, m, output, &p));
        check_ok(ctx, smr_predictor_row(p, flower, row));
        assert_memory_equal(one, all + 77 * wanted[o], (size_t)wanted[o] * sizeof *one);
        assert_memory_equal(row, one, (size_t)wanted[o] * sizeof *one);
        smr_predictor_free(p);
    }
    check_ok(ctx, smr_model_sample(ctx, m, 1, 5, &drawn));
    assert_int_equal(smr_table_n_rows(drawn), 5);
    assert_int_equal(smr_table_n_cols(drawn), 5);
    assert_string_equal(smr_table_col_name(drawn, 0), "cluster");
    smr_table_free(drawn);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* pca goes there and back; what is left is its score. */
static void components_go_back_to_the_columns(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = open_table(ctx, "data/iris.csv");
    smr_model *m = NULL;
    smr_array component;
    smr_train_opts opts = {.size = sizeof opts, .ignore = "species"};
    static double made[150 * 2], score[150], back[150 * 4];
    (void)state;
    check_ok(ctx, smr_train(ctx, "pca 2", t, &opts, &m));
    check_ok(ctx, smr_model_array(ctx, m, "1.pca.component", &component));
    assert_int_equal(component.rank, 2);
    assert_int_equal(component.shape[0], 2);
    assert_int_equal(component.shape[1], 4);
    check_ok(ctx, smr_predict(ctx, m, t, SMR_OUTPUT_TRANSFORM, made));
    check_ok(ctx, smr_predict(ctx, m, t, SMR_OUTPUT_SCORE, score));
    check_ok(ctx, smr_inverse_matrix(ctx, m, made, 150, 2, back));
    for (int64_t i = 0; i < 150; i++) {
        double left = 0;
        for (int64_t j = 0; j < 4; j++) {
            double x = smr_table_number(t, i, j);
            left += (x - back[4 * i + j]) * (x - back[4 * i + j]);
        }
        check_near("what is left", score[i], -left, 1e-12);
    }
    check_fails(ctx, smr_inverse_matrix(ctx, m, made, 150, 3, back), SMR_ERR_SHAPE,
                "the model has 2 features to undo, the matrix 3 columns");
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Noise is a cluster of its own, with a name; one known class will do. */
static void clusters_are_measured_beside_a_column(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = open_table(ctx, "data/iris.csv");
    smr_model *m = NULL;
    char *json = NULL;
    smr_train_opts train_opts = {.size = sizeof train_opts, .ignore = "species"};
    smr_evaluate_opts opts = {.size = sizeof opts, .known = "species"};
    (void)state;
    check_ok(ctx, smr_train(ctx, "dbscan 0.4", t, &train_opts, &m));
    check_ok(ctx, smr_evaluate_with(ctx, m, t, &opts, &json));
    check_has(json, "\"adjusted_rand\": 0.58982391190849"); /* as scikit-learn's */
    check_has(json, "\"contingency\": [[46, 0, 0, 0, 4], [0, 36, 3, 0, 11], [0, 0, 11, 22, 17]]");
    check_has(json, "\"known\": [\"setosa\", \"versicolor\", \"virginica\"]");
    check_has(json, "\"found\": [\"0\", \"1\", \"2\", \"3\", \"noise\"]");
    smr_string_free(json);
    opts.known = "specie";
    check_fails(ctx, smr_evaluate_with(ctx, m, t, &opts, &json), SMR_ERR_PARAM,
                "has no column 'specie'; did you mean 'species'?");
    smr_model_free(m);
    check_ok(ctx, smr_train(ctx, "kmeans 1", t, &train_opts, &m));
    check_ok(ctx, smr_evaluate_with(ctx, m, t, NULL, &json));
    check_has(json, "\"silhouette\": null");
    smr_string_free(json);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void shorter_options_keep_the_defaults(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = open_table(ctx, "data/breast_cancer.csv");
    smr_model *m = train(ctx, t, NULL);
    char *json = NULL;
    smr_evaluate_opts opts = {
        .size = offsetof(smr_evaluate_opts, threshold), .threshold = "nonsense", .figures = true};
    (void)state;
    check_ok(ctx, smr_evaluate_with(ctx, m, t, &opts, &json));
    assert_null(strstr(json, "\"figures\""));
    smr_string_free(json);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* A recall of nearly all takes more rows as malignant than the larger probability does. */
static void training_keeps_a_threshold(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = open_table(ctx, "data/breast_cancer.csv");
    smr_model *plain = train(ctx, t, NULL), *bold = train(ctx, t, "recall=0.99"), *none = NULL;
    int64_t n = smr_table_n_rows(t), more = 0, fewer = 0;
    double *a = malloc((size_t)n * sizeof *a), *b = malloc((size_t)n * sizeof *b);
    char *json = NULL;
    (void)state;
    check_ok(ctx, smr_predict(ctx, plain, t, SMR_OUTPUT_LABEL, a));
    check_ok(ctx, smr_predict(ctx, bold, t, SMR_OUTPUT_LABEL, b));
    for (int64_t i = 0; i < n; i++) {
        more += b[i] > a[i];
        fewer += b[i] < a[i];
    }
    assert_true(more > 10 && fewer == 0);
    check_ok(ctx, smr_inspect(ctx, bold, &json));
    check_has(json, "recall=0.99, on the out-of-fold predictions of 569 rows");
    smr_string_free(json);
    smr_train_opts opts = {.size = sizeof opts, .target = "diagnosis", .threshold = "2"};
    check_fails(ctx, smr_train(ctx, "knn 5", t, &opts, &none), SMR_ERR_PARAM, "from 0 to 1");
    assert_null(none);
    free(a);
    free(b);
    smr_model_free(plain);
    smr_model_free(bold);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void describing_relates_columns_to_a_target(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = open_table(ctx, "data/iris.csv");
    char *json = NULL;
    (void)state;
    check_ok(ctx, smr_describe(ctx, t, NULL, &json));
    check_has(json, "\"correlations\"");
    assert_null(strstr(json, "\"relevance\""));
    smr_string_free(json);
    smr_describe_opts opts = {.size = sizeof opts, .target = "species", .figures = true};
    check_ok(ctx, smr_describe(ctx, t, &opts, &json));
    check_has(json, "\"entropy\": 1.58496250072115");
    check_has(json, "\"name\": \"relevance\"");
    smr_string_free(json);
    opts.target = "genus";
    check_fails(ctx, smr_describe(ctx, t, &opts, &json), SMR_ERR_PARAM, "no column 'genus'");
    assert_null(json);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluating_tells_what_is_asked_for),
        cmocka_unit_test(what_a_model_leans_on_is_said_once),
        cmocka_unit_test(a_mixture_answers_from_rows_tables_and_matrices),
        cmocka_unit_test(components_go_back_to_the_columns),
        cmocka_unit_test(clusters_are_measured_beside_a_column),
        cmocka_unit_test(shorter_options_keep_the_defaults),
        cmocka_unit_test(training_keeps_a_threshold),
        cmocka_unit_test(describing_relates_columns_to_a_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
