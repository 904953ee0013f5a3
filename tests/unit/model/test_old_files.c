/* Model files of every format that samara has written (tests/files) still load, and say what they
 * said.  tests/files/make.sh says how they were made. */
#include "check.h"

#include "data/image.h"
#include "data/table.h"
#include "learn/model.h"
#include "learn/spec.h"
#include "model/safetensors.h"

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
    {"words", "data/messages.csv"},           {"svm", "tests/ledger/houses.csv"},
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
    bool is_scores = strncmp(want->cols[want->n_cols - 1].name, "score(", 6) == 0;
    smr_output output = is_scores  ? SMR_OUTPUT_DECISION
                        : classify ? SMR_OUTPUT_PROBA
                                   : SMR_OUTPUT_VALUE;
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

/* svm-2: numbers with a linear kernel kept their support vectors; now it is weights. */
static void files_of_older_versions_load_and_answer_as_recorded(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = NULL;
    (void)state;
    check_ok(ctx, smr_model_load(ctx, "tests/files/versions/svm-2.model", &m));
    check_answers(ctx, m, "tests/ledger/houses.csv", "tests/files/versions/svm-2.csv");
    smr_model_free(m);
    check_ctx_end(ctx);
}

static const smr_file_tensor *find(const smr_safetensors *file, const char *name)
{
    for (int64_t k = 0; k < file->n_tensors; k++)
        if (strcmp(file->tensors[k].name, name) == 0) return &file->tensors[k];
    fail_msg("no tensor '%s'", name);
    return NULL;
}

/* Sentences of that time hold some parameters that the others leave unread. */
static void check_same_sentence(smr_ctx *ctx, const char *was, const char *is)
{
    smr_spec *spec = NULL;
    char *text = NULL;
    check_ok(ctx, smr_spec_parse_saved(ctx, was, &spec));
    check_ok(ctx, smr_spec_text(ctx, spec, &text));
    assert_string_equal(is, text);
    smr_free(text);
    smr_spec_free(spec);
}

static void check_same(smr_ctx *ctx, const smr_safetensors *was, const smr_safetensors *is)
{
    assert_int_equal(is->n_tensors, was->n_tensors);
    assert_int_equal(is->n_meta, was->n_meta);
    for (int64_t k = 0; k < was->n_tensors; k++) {
        const smr_file_tensor *a = &was->tensors[k], *b = find(is, a->name);
        assert_int_equal(b->dtype, a->dtype);
        assert_int_equal(b->n_dims, a->n_dims);
        assert_memory_equal(b->shape, a->shape, (size_t)a->n_dims * sizeof *a->shape);
        if (a->n) assert_memory_equal(b->data, a->data, (size_t)a->n * smr_dtype_size(a->dtype));
    }
    for (int64_t k = 0; k < was->n_meta; k++) {
        const char *key = was->meta[k].key, *value = was->meta[k].value;
        if (strcmp(key, "spec") == 0)
            check_same_sentence(ctx, value, smr_safetensors_meta(is, key));
        else if (strcmp(key, "sha256") != 0)
            assert_string_equal(smr_safetensors_meta(is, key), value);
    }
}

/* What is written today for a model of that time says the same, as long as its learners have
 * version 1; only the places of its arrays in the file, and with them the checksum, are others.
 * Once a learner has another version, its file's format changes, and this test then leaves that
 * file out. */
static void files_of_format_1_are_written_again_with_the_same_contents(void **state)
{
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(files); i++) {
        smr_ctx *ctx = check_ctx(1);
        char path[128], *bytes = NULL;
        smr_image *image = NULL;
        smr_model *m = NULL;
        smr_safetensors was, is;
        int64_t n = 0;
        snprintf(path, sizeof path, "tests/files/format-1/%s.model", files[i].name);
        check_ok(ctx, smr_model_load(ctx, path, &m));
        check_ok(ctx, smr_model_write(ctx, m, &bytes, &n));
        check_ok(ctx, smr_image_open(ctx, path, INT64_MAX, &image));
        check_ok(ctx,
                 smr_safetensors_read(ctx, smr_image_bytes(image), smr_image_length(image), &was));
        check_ok(ctx, smr_safetensors_read(ctx, bytes, n, &is));
        if (!smr_safetensors_meta(&is, "versions")) check_same(ctx, &was, &is);
        smr_safetensors_release(&was);
        smr_safetensors_release(&is);
        smr_image_free(image);
        smr_string_free(bytes);
        smr_model_free(m);
        check_ctx_end(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_format_1_load_and_answer_as_recorded),
        cmocka_unit_test(files_of_older_versions_load_and_answer_as_recorded),
        cmocka_unit_test(files_of_format_1_are_written_again_with_the_same_contents),
    };
    return cmocka_run_group_tests_name("old files", tests, NULL, NULL);
}
