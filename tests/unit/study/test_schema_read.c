/* test_schema_read.c -- a file read for a model: with its schema, never by inference. */
#include "pipeline.h"

#include "study/schema_read.h"

#include <unistd.h>

/* A file with the given bytes; the name lives until the next call. */
static const char *file_with(const char *text)
{
    static char path[] = "/var/tmp/samara-schema-XXXXXX";
    strcpy(path + sizeof path - 7, "XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    return path;
}

static smr_status read_for(smr_ctx *ctx, const smr_model *m, const char *text,
                           const smr_read_opts *opts, smr_table **out)
{
    const char *path = file_with(text);
    smr_status st = smr_table_read_for(ctx, m, path, opts, out);
    unlink(path);
    return st;
}

static const smr_read_opts sniff = {.header = -1};

static smr_model *model(smr_ctx *ctx)
{
    smr_table *t = table_of(ctx, "zip,x,on,y\n01234,1.5,2024-01-01,1\n99,2,2024-01-02,2.5\n"
                                 "01234,4,2024-02-02,3\nZ,5,2024-02-03,1\n");
    smr_model *m = train_on(ctx, "ridge 1", t, "y");
    assert_int_equal(t->cols[0].kind, SMR_CATEGORY);
    smr_table_free(t);
    return m;
}

static void categories_stay_strings_whatever_they_look_like(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = model(ctx);
    smr_table *t = NULL;
    double out[2];
    (void)state;
    /* Inferred alone, zip would be numbers: 1234 and 99. */
    check_ok(ctx, read_for(ctx, m, "zip,x,on\n01234,1,2024-03-01\n99,2,2024-03-02\n", &sniff, &t));
    assert_int_equal(t->cols[0].kind, SMR_CATEGORY);
    check_cell(t, 0, 0, "01234");
    check_ok(ctx, smr_model_apply(ctx, m, t, NULL, 0, SMR_OUTPUT_VALUE, out));
    smr_table_free(t);
    smr_model_free(m);
    check_ctx_end(ctx);
}

static void numbers_must_be_numbers(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = model(ctx);
    smr_table *t = NULL;
    (void)state;
    smr_status st = read_for(ctx, m, "zip,x,on\n99,1,2024-03-01\n99,high,2024-03-02\n", &sniff, &t);
    assert_int_not_equal(st, SMR_OK);
    assert_null(t);
    if (!strstr(smr_ctx_message(ctx), "'x'") || !strstr(smr_ctx_message(ctx), "high") ||
        !strstr(smr_ctx_message(ctx), ":3"))
        fail_msg("message without line, column and text: %s", smr_ctx_message(ctx));
    smr_ctx_clear(ctx);
    smr_model_free(m);
    check_ctx_end(ctx);
}

static void a_whole_column_without_values_is_read(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = model(ctx);
    smr_table *t = NULL;
    (void)state;
    check_ok(ctx, read_for(ctx, m, "zip,x,on\n,1,\n,2,\n", &sniff, &t));
    assert_int_equal(t->cols[0].n_missing, 2);
    assert_int_equal(t->cols[2].kind, SMR_DATE);
    smr_table_free(t);
    smr_model_free(m);
    check_ctx_end(ctx);
}

static void absent_columns_are_left_to_the_binding(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = model(ctx);
    smr_table *t = NULL;
    double out[2];
    (void)state;
    check_ok(ctx, read_for(ctx, m, "x,other\n1,a\n2,b\n", &sniff, &t));
    check_fails(ctx, smr_model_apply(ctx, m, t, NULL, 0, SMR_OUTPUT_VALUE, out), SMR_ERR_STATE,
                "lacks 2 of the columns that the model needs: 'zip', 'on'");
    smr_table_free(t);
    smr_model_free(m);
    check_ctx_end(ctx);
}

static void the_callers_rules_for_other_columns_are_kept(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = model(ctx);
    smr_table *t = NULL;
    smr_column_rule rules[] = {{.name = "code", .kind = SMR_CATEGORY},
                               {.name = "junk", .ignore = true}};
    smr_read_opts opts = {.header = -1, .rules = rules, .n_rules = 2};
    (void)state;
    check_ok(ctx, read_for(ctx, m, "code,zip,junk,x,on\n7,99,q,1,2024-03-01\n8,99,r,2,2024-03-02\n",
                           &opts, &t));
    assert_int_equal(t->n_cols, 4);
    assert_int_equal(t->cols[smr_table_find(t, "code")].kind, SMR_CATEGORY);
    assert_int_equal(smr_table_find(t, "junk"), -1);
    smr_table_free(t);
    smr_model_free(m);
    check_ctx_end(ctx);
}

/* The model's schema is what counts for its inputs: a rule that would change it is refused. */
static void the_models_kinds_are_not_changed_by_the_callers(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = model(ctx);
    smr_table *t = NULL;
    smr_column_rule rule = {.name = "zip", .kind = SMR_NUMBER};
    smr_read_opts opts = {.header = -1, .rules = &rule, .n_rules = 1};
    const char *text = "zip,x,on\n01234,1,2024-03-01\n99,2,2024-03-02\n";
    double out[2];
    (void)state;
    check_fails(ctx, read_for(ctx, m, text, &opts, &t), SMR_ERR_PARAM,
                "column 'zip' was a category when the model was trained");
    assert_null(t);
    rule.kind = SMR_CATEGORY;
    rule.ignore = true;
    check_fails(ctx, read_for(ctx, m, text, &opts, &t), SMR_ERR_PARAM, "leave out its type here");
    rule.ignore = false;
    check_ok(ctx, read_for(ctx, m, text, &opts, &t));
    assert_int_equal(t->cols[0].kind, SMR_CATEGORY);
    check_ok(ctx, smr_model_apply(ctx, m, t, NULL, 0, SMR_OUTPUT_VALUE, out));
    smr_table_free(t);
    smr_model_free(m);
    check_ctx_end(ctx);
}

static void options_may_be_left_out(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = model(ctx);
    smr_table *t = NULL;
    (void)state;
    check_ok(ctx, read_for(ctx, m, "zip,x,on\n01234,1,2024-03-01\n99,2,2024-03-02\n", NULL, &t));
    assert_int_equal(t->n_rows, 2);
    assert_int_equal(t->cols[0].kind, SMR_CATEGORY);
    smr_table_free(t);
    smr_model_free(m);
    check_ctx_end(ctx);
}

static void an_absent_file_is_named(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = model(ctx);
    smr_table *t = NULL;
    (void)state;
    check_fails(ctx, smr_table_read_for(ctx, m, "no/such/file.csv", &sniff, &t), SMR_ERR_IO,
                "no/such/file.csv");
    assert_null(t);
    smr_model_free(m);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(categories_stay_strings_whatever_they_look_like),
        cmocka_unit_test(numbers_must_be_numbers),
        cmocka_unit_test(a_whole_column_without_values_is_read),
        cmocka_unit_test(absent_columns_are_left_to_the_binding),
        cmocka_unit_test(the_callers_rules_for_other_columns_are_kept),
        cmocka_unit_test(the_models_kinds_are_not_changed_by_the_callers),
        cmocka_unit_test(options_may_be_left_out),
        cmocka_unit_test(an_absent_file_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
