/* A row of strings answers as the table does that was read from a file, bit for bit; and files are
 * read with a model's schema. */
#define _GNU_SOURCE /* mkstemps */
#include "pipeline.h"

#include "samara.h"

#include <unistd.h>

static const char training[] = "size,colour,day,y\n"
                               "1.5,red,2024-01-31,2\n2.5,blue,2024-02-01,7\n3.5,red,2023-11-05,4\n"
                               "4,green,2024-03-09,1\n,blue,2024-05-17,9\n6.5,green,2022-12-24,3\n"
                               "7,,2024-01-01,6\n8.25,blue,,12\n9,007,2024-02-29,5\n";
enum { ROWS = 9, INPUTS = 3 };
static const char *const rows[ROWS][INPUTS] = {
    {"1.5", "red", "2024-01-31"},     {" 2.50 ", "blue", "2024/02/01"},
    {"35e-1", " red ", "2023-11-05"}, {"4", "green", "2024-03-09"},
    {NULL, "blue", "2024-05-17"},     {"6.5", "green", " 2022-12-24"},
    {"7", NULL, "2024-01-01"},        {"8.25", "blue", NULL},
    {"9", "007", "2024-02-29"}};

static void write_file(char *path, const char *text)
{
    int file = mkstemps(path, 4);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
}

static smr_table *read_csv_text(smr_ctx *ctx, const char *text)
{
    char path[] = "/tmp/samara-cells-XXXXXX.csv";
    smr_open_opts opts = {.size = sizeof opts, .types = "colour=category", .header = -1};
    smr_table *t = NULL;
    write_file(path, text);
    check_ok(ctx, smr_table_open(ctx, path, &opts, &t));
    unlink(path);
    return t;
}

static smr_model *train(smr_ctx *ctx, const char *sentence, const smr_table *t)
{
    smr_train_opts opts = {.size = sizeof opts, .target = "y", .task = SMR_TASK_REGRESS};
    smr_model *m = NULL;
    check_ok(ctx, smr_train(ctx, sentence, t, &opts, &m));
    return m;
}

static void cells_answer_as_the_table_does(void **state)
{
    static const char *const sentences[] = {"tree", "impute | ridge",
                                            "impute | standardize | knn 2",
                                            "columns dates=parts | impute | linear"};
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = read_csv_text(ctx, training);
    for (int s = 0; s < 4; s++) {
        smr_model *m = train(ctx, sentences[s], t);
        smr_predictor *p = NULL;
        double wanted[ROWS], got;
        check_ok(ctx, smr_predict(ctx, m, t, SMR_OUTPUT_VALUE, wanted));
        check_ok(ctx, smr_predictor_create(ctx, m, SMR_OUTPUT_VALUE, &p));
        for (int i = 0; i < ROWS; i++) {
            check_ok(ctx, smr_predictor_cells(p, rows[i], &got));
            assert_memory_equal(&got, &wanted[i], sizeof got);
            assert_int_equal(smr_ctx_n_warnings(ctx), 0);
        }
        smr_predictor_free(p);
        smr_model_free(m);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void marks_of_missing_values_are_those_of_files(void **state)
{
    static const char *const none[INPUTS] = {NULL, NULL, NULL};
    static const char *const marks[][INPUTS] = {
        {"", "", ""}, {"NA", "?", "NaT"}, {"-", "null", "None"}, {"  ", "n/a ", "."}};
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = read_csv_text(ctx, training);
    smr_model *m = train(ctx, "tree", t);
    smr_predictor *p = NULL;
    double wanted, got;
    check_ok(ctx, smr_predictor_create(ctx, m, SMR_OUTPUT_VALUE, &p));
    check_ok(ctx, smr_predictor_cells(p, none, &wanted));
    for (int i = 0; i < 4; i++) {
        check_ok(ctx, smr_predictor_cells(p, marks[i], &got));
        assert_true(got == wanted);
        assert_int_equal(smr_ctx_n_warnings(ctx), 0);
    }
    smr_predictor_free(p);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void cells_that_cannot_be_read_are_named(void **state)
{
    const char *row[INPUTS] = {"7 cm", "red", "2024-01-01"};
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = read_csv_text(ctx, training);
    smr_model *m = train(ctx, "tree", t), *strict = train(ctx, "columns unseen=error | tree", t);
    smr_predictor *p = NULL, *q = NULL;
    double out, missing;
    check_ok(ctx, smr_predictor_create(ctx, m, SMR_OUTPUT_VALUE, &p));
    check_ok(ctx, smr_predictor_create(ctx, strict, SMR_OUTPUT_VALUE, &q));
    check_fails(ctx, smr_predictor_cells(p, row, &out), SMR_ERR_DATA,
                "input 'size' must be a number, but here it is '7 cm'");
    row[0] = "2024-01-01";
    check_fails(ctx, smr_predictor_cells(p, row, &out), SMR_ERR_DATA,
                "input 'size' must be a number, but here it is '2024-01-01'");
    row[0] = "7";
    row[2] = "31/01/2024";
    check_fails(ctx, smr_predictor_cells(p, row, &out), SMR_ERR_DATA,
                "input 'day' must be a date, but here it is '31/01/2024'");
    row[2] = "20240131";
    check_fails(ctx, smr_predictor_cells(p, row, &out), SMR_ERR_DATA, "must be a date");
    row[2] = "2024-01-31";
    row[1] = NULL;
    check_ok(ctx, smr_predictor_cells(p, row, &missing));
    row[1] = "mauve";
    check_ok(ctx, smr_predictor_cells(p, row, &out));
    assert_true(out == missing);
    assert_int_equal(smr_ctx_n_warnings(ctx), 1);
    assert_string_equal(
        smr_ctx_warning(ctx, 0),
        "input 'colour' has a level not seen in training, 'mauve'; it counts as missing");
    check_fails(ctx, smr_predictor_cells(q, row, &out), SMR_ERR_DATA,
                "'mauve'; the model was made with unseen=error");
    row[1] = "red";
    check_ok(ctx, smr_predictor_cells(q, row, &out));
    assert_int_equal(smr_ctx_n_warnings(ctx), 0);
    smr_predictor_free(p);
    smr_predictor_free(q);
    smr_model_free(m);
    smr_model_free(strict);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- texts ------------------------------------------------------------------------------ */

static void texts_go_through_cells(void **state)
{
    static const char *const sentences[] = {"words text | knn 3",
                                            "words text max_n=2 hash=64 | knn 3",
                                            "words text unit=char max_n=3 weight=tfidf | ridge"};
    static const char *const text[] = {
        "The cat sat on the mat.", "A dog & a cat", "",       "Mat, mat, MAT",
        "na\xc3\xafve birds fly",  " two  words ",  "the end"};
    static const double size[] = {1, 2, 3, 4, 5, 6, 7}, y[] = {1, 2, 0, 4, 3, 5, 9};
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    check_ok(ctx, smr_table_create(ctx, 7, &t));
    check_ok(ctx, smr_table_add_strings(ctx, t, "text", text));
    check_ok(ctx, smr_table_add_f64(ctx, t, "size", size));
    check_ok(ctx, smr_table_add_f64(ctx, t, "y", y));
    for (int s = 0; s < 3; s++) {
        smr_model *m = train(ctx, sentences[s], t);
        smr_predictor *p = NULL;
        double wanted[7], got, x[2] = {0, 1};
        char number[32];
        assert_int_equal(smr_model_input_kind(m, 0), SMR_TEXT);
        assert_int_equal(smr_model_input_kind(m, 1), SMR_NUMBER);
        assert_int_equal(smr_model_input_kind(m, 2), -1);
        check_ok(ctx, smr_predict(ctx, m, t, SMR_OUTPUT_VALUE, wanted));
        check_ok(ctx, smr_predictor_create(ctx, m, SMR_OUTPUT_VALUE, &p));
        for (int i = 0; i < 7; i++) {
            snprintf(number, sizeof number, "%g", size[i]);
            const char *row[2] = {text[i], number};
            check_ok(ctx, smr_predictor_cells(p, row, &got));
            assert_memory_equal(&got, &wanted[i], sizeof got);
        }
        const char *none[2] = {NULL, "3"};
        check_ok(ctx, smr_predictor_cells(p, none, &got)); /* a missing text is an empty one */
        assert_memory_equal(&got, &wanted[2], sizeof got);
        check_fails(ctx, smr_predictor_row(p, x, &got), SMR_ERR_UNSUPPORTED,
                    "give the row as strings to smr_predictor_cells");
        smr_predictor_free(p);
        smr_model_free(m);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void sparse_rows_have_cells_too(void **state)
{
    static const int64_t start[] = {0, 2, 3, 5, 6};
    static const int32_t column[] = {0, 2, 1, 0, 1, 2};
    static const double value[] = {1, 2, 3, 4, 5, 6}, y[] = {1, 2, 3, 4};
    static const char *const row[] = {"1", "0", "2"}, *const bad[] = {"1", "x", "2"};
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    smr_predictor *p = NULL;
    double wanted[4], got;
    check_ok(ctx, smr_table_from_csr(ctx, 4, 3, start, column, value, y, &t));
    smr_model *m = train(ctx, "ridge", t);
    assert_int_equal(smr_model_input_kind(m, 1), SMR_NUMBER);
    check_ok(ctx, smr_predict(ctx, m, t, SMR_OUTPUT_VALUE, wanted));
    check_ok(ctx, smr_predictor_create(ctx, m, SMR_OUTPUT_VALUE, &p));
    check_ok(ctx, smr_predictor_cells(p, row, &got));
    check_near("sparse", got, wanted[0], 1e-14);
    check_fails(ctx, smr_predictor_cells(p, bad, &got), SMR_ERR_DATA,
                "input '1' must be a number, but here it is 'x'");
    smr_predictor_free(p);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- memory ----------------------------------------------------------------------------- */

static void rows_of_cells_allocate_nothing(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = read_csv_text(ctx, training);
    smr_model *m = train(ctx, "impute | ridge", t);
    smr_predictor *p = NULL;
    double out;
    check_ok(ctx, smr_predictor_create(ctx, m, SMR_OUTPUT_VALUE, &p));
    int64_t before = atomic_load(&ctx->memory->requests);
    for (int i = 0; i < ROWS; i++) check_ok(ctx, smr_predictor_cells(p, rows[i], &out));
    assert_int_equal(atomic_load(&ctx->memory->requests), before);
    smr_predictor_free(p);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static smr_status predict_a_row(smr_ctx *ctx, void *model)
{
    static const char *const row[] = {"The cat sat on a mat", "2"};
    smr_predictor *p = NULL;
    double out;
    smr_status st = smr_predictor_create(ctx, model, SMR_OUTPUT_VALUE, &p);
    if (st == SMR_OK) st = smr_predictor_cells(p, row, &out);
    smr_predictor_free(p);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    static const char *const text[] = {"the cat", "the dog", "a cat", "no"};
    static const double size[] = {1, 2, 3, 4}, y[] = {1, 2, 0, 4};
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    check_ok(ctx, smr_table_create(ctx, 4, &t));
    check_ok(ctx, smr_table_add_strings(ctx, t, "text", text));
    check_ok(ctx, smr_table_add_f64(ctx, t, "size", size));
    check_ok(ctx, smr_table_add_f64(ctx, t, "y", y));
    smr_model *m = train(ctx, "words text | knn 1", t);
    assert_true(fail_each_allocation(ctx, predict_a_row, m) > 8);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- files with a model's schema -------------------------------------------------------- */

static void a_file_is_read_with_the_models_schema(void **state)
{
    static const char zips[] = "zip,size,y\n01,1,1\n02,2,2\n10,3,3\n02,4,4\n01,5,5\n10,6,6\n";
    static const char later[] = "size,zip,other\n1,02,5\n2,10,7\n";
    char path[] = "/tmp/samara-cells-XXXXXX.csv";
    smr_open_opts opts = {.size = sizeof opts, .types = "zip=category", .header = -1};
    smr_open_opts others = {.size = sizeof others, .types = "other=category", .header = -1};
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL, *plain = NULL, *read = NULL;
    write_file(path, zips);
    check_ok(ctx, smr_table_open(ctx, path, &opts, &t));
    unlink(path);
    smr_model *m = train(ctx, "tree", t);
    memcpy(path, "/tmp/samara-cells-XXXXXX.csv", sizeof path);
    write_file(path, later);
    check_ok(ctx, smr_table_open(ctx, path, NULL, &plain));
    check_ok(ctx, smr_table_open_for(ctx, m, path, &others, &read));
    assert_int_equal(smr_table_col_kind(plain, smr_table_find(plain, "zip")), SMR_NUMBER);
    assert_int_equal(smr_table_col_kind(read, smr_table_find(read, "zip")), SMR_CATEGORY);
    assert_int_equal(smr_table_col_kind(read, smr_table_find(read, "other")), SMR_CATEGORY);
    assert_int_equal(smr_table_n_levels(read, smr_table_find(read, "zip")), 2);
    unlink(path);
    smr_table_free(plain);
    smr_table_free(read);

    memcpy(path, "/tmp/samara-cells-XXXXXX.csv", sizeof path);
    write_file(path, "zip,size\n01,big\n");
    check_fails(ctx, smr_table_open_for(ctx, m, path, NULL, &read), SMR_ERR_DATA,
                ":2: column 'size' must hold numbers, but here it has 'big'");
    assert_null(read);
    unlink(path);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_file_without_the_target_is_told(void **state)
{
    char path[] = "/tmp/samara-cells-XXXXXX.csv";
    smr_train_opts opts = {.size = sizeof opts, .target = "0", .task = SMR_TASK_REGRESS};
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL, *read = NULL;
    smr_model *m = NULL;
    double out[2];
    write_file(path, "1,2,3\n4,5,7\n2,9,4\n6,1,1\n");
    check_ok(ctx, smr_table_open(ctx, path, NULL, &t));
    unlink(path);
    check_ok(ctx, smr_train(ctx, "knn 1", t, &opts, &m));
    memcpy(path, "/tmp/samara-cells-XXXXXX.csv", sizeof path);
    write_file(path, "5,7\n1,1\n");
    check_ok(ctx, smr_table_open_for(ctx, m, path, NULL, &read));
    assert_int_equal(smr_ctx_n_warnings(ctx), 1);
    assert_non_null(
        strstr(smr_ctx_warning(ctx, 0), "have no names and there is none for the target"));
    check_ok(ctx, smr_predict(ctx, m, read, SMR_OUTPUT_VALUE, out));
    assert_true(out[0] == 4 && out[1] == 6);
    assert_int_equal(smr_ctx_n_warnings(ctx), 0);
    unlink(path);
    smr_table_free(read);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_answer_as_the_table_does),
        cmocka_unit_test(marks_of_missing_values_are_those_of_files),
        cmocka_unit_test(cells_that_cannot_be_read_are_named),
        cmocka_unit_test(texts_go_through_cells),
        cmocka_unit_test(sparse_rows_have_cells_too),
        cmocka_unit_test(rows_of_cells_allocate_nothing),
        cmocka_unit_test(failing_allocations_leave_nothing),
        cmocka_unit_test(a_file_is_read_with_the_models_schema),
        cmocka_unit_test(a_file_without_the_target_is_told),
    };
    return cmocka_run_group_tests_name("cells", tests, NULL, NULL);
}
