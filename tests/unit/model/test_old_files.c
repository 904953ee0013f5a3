/* Model files of every format that samara has written (tests/files) still load, and say what they
 * said.  tests/files/make.sh says how they were made. */
#include "check.h"

#include "data/table.h"
#include "learn/model.h"

enum { ROWS = 8 }; /* the first of each table are answered */

static const struct {
    const char *name, *rows;
} files[] = {
    {"ridge", "tests/ledger/houses.csv"},     {"knn", "tests/ledger/houses.csv"},
    {"linear", "tests/ledger/houses.csv"},    {"logistic", "tests/ledger/houses.csv"},
    {"tree", "tests/ledger/houses.csv"},      {"forest", "tests/ledger/houses.csv"},
    {"boost", "tests/ledger/houses.csv"},     {"sgd", "tests/ledger/houses.csv"},
    {"select", "tests/ledger/houses.csv"},    {"calibrate", "tests/ledger/houses.csv"},
    {"conformal", "tests/ledger/houses.csv"}, {"nested", "tests/ledger/houses.csv"},
    {"words", "data/messages.csv"},
};

static smr_table *open_table(smr_ctx *ctx, const char *path)
{
    smr_table *t = NULL;
    check_ok(ctx, smr_table_open(ctx, path, NULL, &t));
    return t;
}

/* The recorded answers: a label in the first column where there are classes, and numbers. */
static void check_answers(smr_ctx *ctx, const smr_model *m, const char *rows, const char *recorded)
{
    smr_table *t = open_table(ctx, rows), *want = open_table(ctx, recorded);
    bool classify = m->target.task == SMR_TASK_CLASSIFY;
    smr_output output = classify ? SMR_OUTPUT_PROBA : SMR_OUTPUT_VALUE;
    int64_t width = smr_model_width(m, output);
    int64_t row[ROWS];
    double out[64];
    assert_true(width * ROWS <= SMR_COUNT(out));
    assert_int_equal(want->n_rows, ROWS);
    assert_int_equal(want->n_cols, width + classify);
    for (int64_t i = 0; i < ROWS; i++) row[i] = i;
    check_ok(ctx, smr_model_apply(ctx, m, t, row, ROWS, output, out));
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t k = 0; k < width; k++) {
            double is = out[i * width + k];
            double was = smr_column_number(&want->cols[k + classify], i);
            if (is != was) fail_msg("%s, row %d: %a, not %a", recorded, (int)i, is, was);
        }
    smr_table_free(t);
    smr_table_free(want);
}

static void files_of_format_1_load_and_answer_as_recorded(void **state)
{
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(files); i++) {
        smr_ctx *ctx = check_ctx(1);
        char model[128], recorded[128];
        smr_model *m = NULL;
        snprintf(model, sizeof model, "tests/files/format-1/%s.model", files[i].name);
        snprintf(recorded, sizeof recorded, "tests/files/format-1/%s.csv", files[i].name);
        check_ok(ctx, smr_model_load(ctx, model, &m));
        check_answers(ctx, m, files[i].rows, recorded);
        smr_model_free(m);
        check_ctx_end(ctx);
    }
}

/* What is written today for a model of that time: the same bytes, as long as its learners have
 * version 1. Once one does not, its file's format changes, and this test then leaves that file
 * out. */
static void files_of_format_1_are_written_again_byte_for_byte(void **state)
{
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(files); i++) {
        smr_ctx *ctx = check_ctx(1);
        char path[128];
        smr_model *m = NULL;
        char *bytes = NULL;
        int64_t n = 0;
        snprintf(path, sizeof path, "tests/files/format-1/%s.model", files[i].name);
        check_ok(ctx, smr_model_load(ctx, path, &m));
        check_ok(ctx, smr_model_write(ctx, m, &bytes, &n));
        FILE *f = fopen(path, "rb");
        char *was = malloc((size_t)n + 1);
        assert_non_null(f);
        assert_int_equal(fread(was, 1, (size_t)n + 1, f), n);
        fclose(f);
        assert_memory_equal(was, bytes, (size_t)n);
        free(was);
        smr_string_free(bytes);
        smr_model_free(m);
        check_ctx_end(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_format_1_load_and_answer_as_recorded),
        cmocka_unit_test(files_of_format_1_are_written_again_byte_for_byte),
    };
    return cmocka_run_group_tests_name("old files", tests, NULL, NULL);
}
