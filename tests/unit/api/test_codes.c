#define _GNU_SOURCE /* mkstemps */
/* Categories by their codes: a matrix and a row at a time answer as the table does. */
#include "check.h"

#include "samara.h"

#include <unistd.h>

static const char text[] = "size,colour,y\n1.5,red,2\n2.5,blue,7\n3.5,red,4\n4,green,1\n5,blue,9\n"
                           "6.5,green,3\n7,red,6\n8.25,blue,12\n";

static smr_model *train(smr_ctx *ctx, const char *path, smr_table **table)
{
    smr_model *m = NULL;
    smr_train_opts opts = {.size = sizeof opts, .target = "y", .task = SMR_TASK_REGRESS};
    check_ok(ctx, smr_table_open(ctx, path, NULL, table));
    check_ok(ctx, smr_train(ctx, "linear", *table, &opts, &m));
    return m;
}

static void matrix_row_and_table_agree_on_categories(void **state)
{
    static const double size[] = {1.5, 2.5, 3.5, 4, 5, 6.5, 7, 8.25};
    static const char *const colour[] = {"red",  "blue",  "red", "green",
                                         "blue", "green", "red", "blue"};
    char path[] = "/tmp/samara-codes-XXXXXX.csv";
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    int file = mkstemps(path, 4);
    assert_true(file >= 0 && write(file, text, sizeof text - 1) == (ssize_t)(sizeof text - 1));
    close(file);
    smr_table *table = NULL;
    smr_model *m = train(ctx, path, &table);
    double X[16], of_table[8], of_matrix[8], of_row = 0;
    for (int i = 0; i < 8; i++) {
        X[2 * i] = size[i];
        X[2 * i + 1] = (double)smr_model_input_code(m, 1, colour[i]);
        assert_true(X[2 * i + 1] >= 0);
    }
    smr_predictor *p = NULL;
    check_ok(ctx, smr_predict(ctx, m, table, SMR_OUTPUT_VALUE, of_table));
    check_ok(ctx, smr_predict_matrix(ctx, m, X, 8, 2, SMR_OUTPUT_VALUE, of_matrix));
    check_ok(ctx, smr_predictor_create(ctx, m, SMR_OUTPUT_VALUE, &p));
    for (int i = 0; i < 8; i++) {
        check_ok(ctx, smr_predictor_row(p, X + 2 * i, &of_row));
        assert_true(of_row == of_table[i] && of_matrix[i] == of_table[i]);
    }
    X[1] = 3;
    check_fails(ctx, smr_predictor_row(p, X, &of_row), SMR_ERR_DATA, "'colour' has codes 0 to 2");
    check_fails(ctx, smr_predict_matrix(ctx, m, X, 8, 2, SMR_OUTPUT_VALUE, of_matrix), SMR_ERR_DATA,
                "row 1, input 'colour'");
    smr_predictor_free(p);
    smr_model_free(m);
    smr_table_free(table);
    unlink(path);
    check_ctx_end(ctx);
}

/* What smr_model_input_code returns for a name that training never saw is answered as the name. */
static void the_code_of_an_unknown_category_is_answered_as_its_name(void **state)
{
    static const char *const sentences[] = {"knn 2", "columns unseen=error | knn 2"};
    static const double size[] = {1.5, 2.5, 3.5, 4, 5, 6.5, 7, 8.25},
                        y[] = {2, 7, 4, 1, 9, 3, 6, 12};
    static const char *const colour[] = {"red",  "blue",  "red", "green",
                                         "blue", "green", "red", "blue"};
    static const char *const cells[] = {"4.5", "mauve"};
    (void)state;
    for (int strict = 0; strict < 2; strict++) {
        smr_ctx *ctx = check_ctx(1);
        smr_table *table = NULL;
        smr_model *m = NULL;
        smr_predictor *p = NULL;
        smr_train_opts opts = {.size = sizeof opts, .target = "y", .task = SMR_TASK_REGRESS};
        check_ok(ctx, smr_table_create(ctx, 8, &table));
        check_ok(ctx, smr_table_add_f64(ctx, table, "size", size));
        check_ok(ctx, smr_table_add_strings(ctx, table, "colour", colour));
        check_ok(ctx, smr_table_add_f64(ctx, table, "y", y));
        check_ok(ctx, smr_train(ctx, sentences[strict], table, &opts, &m));
        check_ok(ctx, smr_predictor_create(ctx, m, SMR_OUTPUT_VALUE, &p));
        double x[] = {4.5, (double)smr_model_input_code(m, 1, "mauve")}, by_name, by_code,
               by_matrix;
        assert_true(x[1] == -1);
        smr_status expected = strict ? SMR_ERR_DATA : SMR_OK;
        assert_int_equal(smr_predictor_cells(p, cells, &by_name), expected);
        assert_int_equal(smr_predictor_row(p, x, &by_code), expected);
        if (!strict) assert_non_null(strstr(smr_ctx_warning(ctx, 0), "not seen in training"));
        assert_int_equal(smr_predict_matrix(ctx, m, x, 1, 2, SMR_OUTPUT_VALUE, &by_matrix),
                         expected);
        if (strict)
            assert_non_null(strstr(smr_ctx_message(ctx), "unseen=error"));
        else
            assert_true(by_name == by_code && by_name == by_matrix && smr_ctx_n_warnings(ctx) >= 1);
        x[1] = -2;
        check_fails(ctx, smr_predictor_row(p, x, &by_code), SMR_ERR_DATA, "codes 0 to 2, -1");
        smr_predictor_free(p);
        smr_model_free(m);
        smr_table_free(table);
        check_ctx_end(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix_row_and_table_agree_on_categories),
        cmocka_unit_test(the_code_of_an_unknown_category_is_answered_as_its_name),
    };
    return cmocka_run_group_tests_name("codes", tests, NULL, NULL);
}
