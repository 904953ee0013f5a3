/* test_predict_table.c -- predictions as named columns: a table, a record batch of Arrow; and
 * training from Arrow's columns, by the public header alone. */
#include "check.h"

#include <samara.h>

struct batch {
    struct ArrowSchema schema;
    struct ArrowArray array;
};

static void release(struct batch *b)
{
    b->schema.release(&b->schema);
    b->array.release(&b->array);
}

static smr_table *open_data(smr_ctx *ctx, const char *path)
{
    smr_table *t = NULL;
    check_ok(ctx, smr_table_open(ctx, path, NULL, &t));
    return t;
}

static smr_model *train(smr_ctx *ctx, const char *sentence, const smr_table *t, const char *target)
{
    smr_model *m = NULL;
    smr_train_opts opts = {.size = sizeof opts, .target = target};
    check_ok(ctx, smr_train(ctx, sentence, t, &opts, &m));
    return m;
}

/* The answer has these columns (with commas), and the numbers that smr_predict gives. */
static void check_numbers(smr_ctx *ctx, const smr_model *m, const smr_table *t, smr_output output,
                          const char *names)
{
    smr_table *answer = NULL;
    int64_t n = smr_table_n_rows(t), width = smr_model_n_outputs(m, output);
    double *x = calloc((size_t)(n * width), sizeof *x);
    char got[500] = "";
    assert_non_null(x);
    check_ok(ctx, smr_predict(ctx, m, t, output, x));
    check_ok(ctx, smr_predict_table(ctx, m, t, output, &answer));
    assert_int_equal(smr_table_n_rows(answer), n);
    assert_int_equal(smr_table_n_cols(answer), width);
    for (int64_t j = 0; j < width; j++) {
        size_t used = strlen(got);
        snprintf(got + used, sizeof got - used, "%s%s", j ? "," : "",
                 smr_table_col_name(answer, j));
        assert_int_equal(smr_table_col_kind(answer, j), SMR_NUMBER);
        for (int64_t i = 0; i < n; i++)
            assert_true(smr_table_number(answer, i, j) == x[i * width + j]);
    }
    assert_string_equal(got, names);
    smr_table_free(answer);
    free(x);
}

static void numbers_are_named_after_targets_classes_and_features(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *iris = open_data(ctx, "data/iris.csv"), *sugar = open_data(ctx, "data/diabetes.csv");
    (void)state;
    smr_model *m = train(ctx, "standardize | logistic", iris, "species");
    check_numbers(ctx, m, iris, SMR_OUTPUT_PROBA, "p(setosa),p(versicolor),p(virginica)");
    check_numbers(ctx, m, iris, SMR_OUTPUT_DECISION,
                  "score(setosa),score(versicolor),score(virginica)");
    smr_model_free(m);
    m = train(ctx, "conformal 0.8 of=(standardize | ridge 1)", sugar, "progression");
    check_numbers(ctx, m, sugar, SMR_OUTPUT_VALUE, "progression");
    check_numbers(ctx, m, sugar, SMR_OUTPUT_INTERVAL, "progression_low,progression_high");
    smr_model_free(m);
    m = train(ctx, "standardize", iris, "species");
    check_numbers(ctx, m, iris, SMR_OUTPUT_TRANSFORM,
                  "sepal_length,sepal_width,petal_length,petal_width");
    smr_model_free(m);
    smr_table_free(sugar);
    smr_table_free(iris);
    check_ctx_end(ctx);
}

static void labels_are_a_category_of_the_classes(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *iris = open_data(ctx, "data/iris.csv"), *answer = NULL;
    smr_model *m = train(ctx, "knn 5", iris, "species");
    double label[150];
    (void)state;
    check_ok(ctx, smr_predict(ctx, m, iris, SMR_OUTPUT_LABEL, label));
    check_ok(ctx, smr_predict_table(ctx, m, iris, SMR_OUTPUT_LABEL, &answer));
    assert_int_equal(smr_table_n_cols(answer), 1);
    assert_string_equal(smr_table_col_name(answer, 0), "species");
    assert_int_equal(smr_table_n_levels(answer, 0), 3);
    for (int i = 0; i < 150; i++) {
        char name[32];
        int64_t n, length = smr_model_class_name(m, (int64_t)label[i], name, sizeof name);
        const char *text = smr_table_text(answer, i, 0, &n);
        assert_int_equal(n, length);
        assert_memory_equal(text, name, (size_t)n);
    }
    smr_table_free(answer);
    smr_model_free(m);
    smr_table_free(iris);
    check_ctx_end(ctx);
}

static void sets_are_one_category(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *iris = open_data(ctx, "data/iris.csv"), *answer = NULL;
    smr_model *m =
        train(ctx, "conformal 0.95 score=adaptive of=(calibrate temperature of=(knn 15))", iris,
              "species");
    double set[450];
    bool several = false;
    (void)state;
    check_ok(ctx, smr_predict(ctx, m, iris, SMR_OUTPUT_SET, set));
    check_ok(ctx, smr_predict_table(ctx, m, iris, SMR_OUTPUT_SET, &answer));
    assert_int_equal(smr_table_n_cols(answer), 1);
    assert_string_equal(smr_table_col_name(answer, 0), "set");
    for (int i = 0; i < 150; i++) {
        char want[100] = "";
        int64_t n;
        static const char *const names[] = {"setosa", "versicolor", "virginica"};
        for (int k = 0; k < 3; k++)
            if (set[3 * i + k] != 0) {
                several |= want[0] != '\0';
                if (want[0]) strcat(want, "|");
                strcat(want, names[k]);
            }
        const char *text = smr_table_text(answer, i, 0, &n);
        assert_int_equal(n, strlen(want));
        assert_memory_equal(text, want, strlen(want));
    }
    assert_true(several);
    smr_table_free(answer);
    smr_model_free(m);
    smr_table_free(iris);
    check_ctx_end(ctx);
}

static void predictions_come_as_a_record_batch(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *iris = open_data(ctx, "data/iris.csv");
    smr_model *m = train(ctx, "knn 5", iris, "species");
    double p[450];
    struct batch b;
    (void)state;
    check_ok(ctx, smr_predict(ctx, m, iris, SMR_OUTPUT_PROBA, p));
    check_ok(ctx, smr_predict_arrow(ctx, m, iris, SMR_OUTPUT_PROBA, &b.schema, &b.array));
    assert_int_equal(b.array.length, 150);
    assert_int_equal(b.schema.n_children, 3);
    assert_string_equal(b.schema.children[2]->name, "p(virginica)");
    assert_string_equal(b.schema.children[2]->format, "g");
    for (int i = 0; i < 150; i++)
        assert_true(((const double *)b.array.children[2]->buffers[1])[i] == p[3 * i + 2]);
    release(&b);
    check_ok(ctx, smr_predict_arrow(ctx, m, iris, SMR_OUTPUT_LABEL, &b.schema, &b.array));
    assert_string_equal(b.schema.children[0]->format, "i");
    assert_string_equal(b.schema.children[0]->dictionary->format, "u");
    assert_memory_equal(b.array.children[0]->dictionary->buffers[2], "setosaversicolorvirginica",
                        25);
    release(&b);
    smr_model_free(m);
    smr_table_free(iris);
    check_ctx_end(ctx);
}

static void outputs_that_a_model_does_not_give_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *iris = open_data(ctx, "data/iris.csv"), *answer = iris;
    smr_model *m = train(ctx, "knn 5", iris, "species");
    struct batch b;
    (void)state;
    memset(&b, 0xa5, sizeof b);
    check_fails(ctx, smr_predict_arrow(ctx, m, iris, SMR_OUTPUT_INTERVAL, &b.schema, &b.array),
                SMR_ERR_UNSUPPORTED, "a knn model gives no intervals");
    assert_true(!b.schema.release && !b.array.release);
    check_fails(ctx, smr_predict_table(ctx, m, iris, SMR_OUTPUT_VALUE, &answer),
                SMR_ERR_UNSUPPORTED, "a knn model gives no values");
    assert_null(answer);
    check_fails(ctx, smr_predict_table(ctx, m, iris, (smr_output)99, &answer), SMR_ERR_PARAM,
                "there is no output 99; smr_output lists them");
    smr_model_free(m);
    smr_table_free(iris);
    check_ctx_end(ctx);
}

/* ---- learning from Arrow ---------------------------------------------------------------- */

static void a_model_of_arrow_columns_is_the_model_of_the_file(void **state)
{
    static const char *const sentences[] = {"standardize | logistic", "tree", "knn 3"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *file = open_data(ctx, "data/iris.csv"), *memory = NULL;
    struct batch b;
    (void)state;
    check_ok(ctx, smr_table_to_arrow(ctx, file, &b.schema, &b.array));
    check_ok(ctx, smr_table_from_arrow(ctx, &b.schema, &b.array, &memory));
    for (int k = 0; k < 3; k++) {
        smr_model *a = train(ctx, sentences[k], file, "species");
        smr_model *c = train(ctx, sentences[k], memory, "species");
        char *bytes = NULL, *same = NULL;
        int64_t n, m;
        check_ok(ctx, smr_model_write(ctx, a, &bytes, &n));
        check_ok(ctx, smr_model_write(ctx, c, &same, &m));
        assert_int_equal(n, m);
        assert_memory_equal(bytes, same, (size_t)n);
        smr_string_free(bytes);
        smr_string_free(same);
        smr_model_free(a);
        smr_model_free(c);
    }
    smr_table_free(memory);
    smr_table_free(file);
    check_ctx_end(ctx);
}

/* 40 days, and the hours of sunshine in them. */
static smr_table *days(smr_ctx *ctx)
{
    double when[40], y[40];
    smr_table *t = NULL;
    for (int i = 0; i < 40; i++) {
        when[i] = 86400.0 * (11 * i + i * i % 7);
        y[i] = 3 + 0.01 * i + i % 3;
    }
    check_ok(ctx, smr_table_create(ctx, 40, &t));
    check_ok(ctx, smr_table_add_dates(ctx, t, "day", when));
    check_ok(ctx, smr_table_add_f64(ctx, t, "sun", y));
    return t;
}

static void a_column_of_nothing_but_nulls_fits_an_input_of_dates(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = days(ctx), *nulls = NULL;
    smr_model *m = train(ctx, "impute | ridge", t, "sun");
    double none[2] = {NAN, NAN}, said[2];
    (void)state;
    check_ok(ctx, smr_table_create(ctx, 2, &nulls));
    check_ok(ctx, smr_table_add_f64(ctx, nulls, "day", none));
    check_ok(ctx, smr_predict(ctx, m, nulls, SMR_OUTPUT_VALUE, said));
    assert_true(isfinite(said[0]) && said[0] == said[1]);
    smr_table_free(nulls);
    check_ok(ctx, smr_table_create(ctx, 2, &nulls));
    check_ok(ctx, smr_table_add_f64(ctx, nulls, "day", (double[]){NAN, 1}));
    check_fails(ctx, smr_predict(ctx, m, nulls, SMR_OUTPUT_VALUE, said), SMR_ERR_DATA,
                "column 'day' held dates in training and holds numbers here");
    smr_table_free(nulls);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void tables_without_rows_are_predicted_and_not_learned(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = days(ctx), *empty = NULL, *answer = NULL;
    smr_model *m = train(ctx, "ridge", t, "sun"), *none = NULL;
    smr_train_opts opts = {.size = sizeof opts, .target = "sun"};
    (void)state;
    check_ok(ctx, smr_table_create(ctx, 0, &empty));
    assert_int_not_equal(smr_train(ctx, "ridge", empty, &opts, &none), SMR_OK);
    assert_null(none);
    check_ok(ctx, smr_table_add_dates(ctx, empty, "day", NULL));
    check_ok(ctx, smr_table_add_f64(ctx, empty, "sun", NULL));
    assert_int_not_equal(smr_train(ctx, "ridge", empty, &opts, &none), SMR_OK);
    assert_string_not_equal(smr_ctx_message(ctx), "");
    check_ok(ctx, smr_predict_table(ctx, m, empty, SMR_OUTPUT_VALUE, &answer));
    assert_int_equal(smr_table_n_rows(answer), 0);
    assert_string_equal(smr_table_col_name(answer, 0), "sun");
    smr_table_free(answer);
    smr_table_free(empty);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void levels_that_are_given_are_the_classes_in_their_order(void **state)
{
    enum { N = 61 };
    static const char *const levels[] = {"small", "never", "large"}, *const learners[] = {
                                                                         "logistic", "tree",
                                                                         "knn 3", "svm"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    double x[N];
    int32_t size[N];
    (void)state;
    for (int i = 0; i < N; i++) {
        x[i] = (i * 37 % N) / 7.0;
        size[i] = x[i] > 4 ? 2 : 0;
    }
    check_ok(ctx, smr_table_create(ctx, N, &t));
    check_ok(ctx, smr_table_add_f64(ctx, t, "x", x));
    check_ok(ctx, smr_table_add_categories(ctx, t, "size", size, levels, 3));
    for (int k = 0; k < 4; k++) {
        smr_model *m = train(ctx, learners[k], t, "size");
        double label[N];
        int64_t right = 0;
        char name[16];
        assert_int_equal(smr_model_n_classes(m), 3);
        for (int c = 0; c < 3; c++) {
            assert_true(smr_model_class_name(m, c, name, sizeof name) > 0);
            assert_string_equal(name, levels[c]);
        }
        check_ok(ctx, smr_predict(ctx, m, t, SMR_OUTPUT_LABEL, label));
        for (int i = 0; i < N; i++) right += label[i] == size[i];
        assert_true(right > 55);
        smr_model_free(m);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void sparse_tables_from_memory_are_learned(void **state)
{
    enum { N = 60 };
    smr_ctx *ctx = check_ctx(1);
    int64_t start[N + 1] = {0};
    int32_t column[2 * N];
    double value[2 * N], y[N], said[N];
    smr_table *t = NULL, *answer = NULL;
    (void)state;
    for (int i = 0; i < N; i++) {
        column[2 * i] = 5 + i % 4; /* not sorted */
        column[2 * i + 1] = i % 5;
        value[2 * i] = 1 + i % 7;
        value[2 * i + 1] = 2;
        y[i] = i % 2;
        start[i + 1] = 2 * i + 2;
    }
    check_ok(ctx, smr_table_from_csr(ctx, N, 9, start, column, value, y, &t));
    smr_model *m = train(ctx, "tree", t, "y");
    check_ok(ctx, smr_predict(ctx, m, t, SMR_OUTPUT_LABEL, said));
    check_ok(ctx, smr_predict_table(ctx, m, t, SMR_OUTPUT_LABEL, &answer));
    for (int i = 0; i < N; i++) assert_int_equal(smr_table_code(answer, i, 0), said[i]);
    smr_table_free(answer);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void every_allocation_of_a_prediction_may_fail(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *iris = open_data(ctx, "data/iris.csv");
    smr_model *m = train(ctx, "tree", iris, "species");
    int64_t held = smr_ctx_memory(ctx, NULL), n = 0;
    smr_status st = SMR_ERR_NOMEM;
    (void)state;
    for (; st != SMR_OK && n < 1000; n++) {
        struct batch b;
        smr_memory_fail_at(ctx, n);
        st = smr_predict_arrow(ctx, m, iris, SMR_OUTPUT_LABEL, &b.schema, &b.array);
        smr_memory_fail_at(ctx, -1);
        assert_true(st == SMR_OK || (st == SMR_ERR_NOMEM && !b.schema.release && !b.array.release));
        if (st == SMR_OK) release(&b);
        assert_int_equal(smr_ctx_memory(ctx, NULL), held);
    }
    assert_true(n > 20 && st == SMR_OK);
    smr_model_free(m);
    smr_table_free(iris);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_named_after_targets_classes_and_features),
        cmocka_unit_test(labels_are_a_category_of_the_classes),
        cmocka_unit_test(sets_are_one_category),
        cmocka_unit_test(predictions_come_as_a_record_batch),
        cmocka_unit_test(outputs_that_a_model_does_not_give_are_refused),
        cmocka_unit_test(a_model_of_arrow_columns_is_the_model_of_the_file),
        cmocka_unit_test(a_column_of_nothing_but_nulls_fits_an_input_of_dates),
        cmocka_unit_test(tables_without_rows_are_predicted_and_not_learned),
        cmocka_unit_test(levels_that_are_given_are_the_classes_in_their_order),
        cmocka_unit_test(sparse_tables_from_memory_are_learned),
        cmocka_unit_test(every_allocation_of_a_prediction_may_fail),
    };
    return cmocka_run_group_tests_name("predict_table", tests, NULL, NULL);
}
