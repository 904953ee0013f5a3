/* test_bind.c -- a schema tied to a table: columns by name, categories by name, dates in parts. */
#include "pipeline.h"

static const struct smr_columns_params plain = {0};
static const struct smr_columns_params strict = {.unseen = SMR_UNSEEN_ERROR};
static const struct smr_columns_params in_parts = {.dates = SMR_DATES_PARTS};

static smr_schema schema_of(smr_ctx *ctx, const smr_table *t, const char *types)
{
    static int64_t missing[64], infinite[64];
    smr_schema s;
    for (int64_t j = 0; j < t->n_cols; j++) missing[j] = t->cols[j].n_missing > 0;
    smr_schema_opts opts = {
        .n_missing = missing, .n_infinite = infinite, .types = types, .keep_all = true};
    check_ok(ctx, smr_schema_infer(ctx, t, &opts, &s));
    return s;
}

static double value(smr_ctx *ctx, const smr_binding *b, int64_t i, int64_t j)
{
    static double column[256];
    assert_true(b->data.n_rows <= 256 && j < b->n_features);
    check_ok(ctx, smr_data_column(ctx, &b->data, j, column));
    return column[i];
}

static void columns_are_matched_by_name_without_copying(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *a = table_of(ctx, "x,y,z\n1,2,3\n4,5.5,6\n");
    smr_table *b = table_of(ctx, "z,more,y,x\n30,text,20.5,10\n60,q,50,40\n70,,80,90\n");
    smr_schema s = schema_of(ctx, a, NULL);
    smr_binding bound;
    (void)state;
    check_ok(ctx, smr_schema_bind(ctx, &s, &plain, b, &bound));
    assert_int_equal(bound.data.n_rows, 3);
    assert_int_equal(bound.n_features, 3);
    assert_ptr_equal(bound.features[0].values, b->cols[3].values);
    assert_ptr_equal(bound.features[1].values, b->cols[2].values);
    assert_ptr_equal(bound.features[2].values, b->cols[0].values);
    assert_string_equal(bound.features[1].name, "y");
    assert_true(value(ctx, &bound, 1, 0) == 40 && value(ctx, &bound, 2, 1) == 80);
    smr_binding_release(&bound);
    smr_schema_release(&s);
    smr_table_free(a);
    smr_table_free(b);
    check_ctx_end(ctx);
}

static void absent_columns_are_named(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *a = table_of(ctx, "c0,c1,c2,c3,c4,c5,c6,c7,c8,c9\n1,1,1,1,1,1,1,1,1,2\n");
    smr_table *b = table_of(ctx, "c4,other\n1,2\n");
    smr_table *c = table_of(ctx, "c0,c1,c2,c3,c4,c5,c6,c7,c8\n1,1,1,1,1,1,1,1,2\n");
    smr_schema s = schema_of(ctx, a, NULL);
    smr_binding bound;
    (void)state;
    check_fails(ctx, smr_schema_bind(ctx, &s, &plain, b, &bound), SMR_ERR_STATE,
                "t.csv lacks 9 of the columns that the model needs: 'c0', 'c1', 'c2', 'c3', 'c5', "
                "'c6', 'c7', 'c8', ...");
    check_fails(ctx, smr_schema_bind(ctx, &s, &plain, c, &bound), SMR_ERR_STATE,
                "lacks 1 of the columns that the model needs: 'c9'");
    assert_null(strstr(smr_ctx_message(ctx), "..."));
    smr_schema_release(&s);
    smr_table_free(a);
    smr_table_free(b);
    smr_table_free(c);
    check_ctx_end(ctx);
}

/* ---- categories ------------------------------------------------------------------------- */

static void categories_are_recoded_by_name(void **state)
{
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *a = table_of(ctx, "c,x\ngreen,1\nred,2\nblue,3\n"); /* blue green red */
    smr_table *b = table_of(ctx, "c,x\nred,1\namber,2\ngreen,3\n,4\nred,5\nviolet,6\n");
    smr_schema s = schema_of(ctx, a, NULL);
    smr_binding bound;
    static const double wanted[] = {2, NAN, 1, NAN, 2, NAN};
    (void)state;
    check_ok(ctx, smr_schema_bind(ctx, &s, &plain, a, &bound));
    assert_null(bound.features[0].recode); /* the same levels need no map */
    assert_true(value(ctx, &bound, 0, 0) == 1 && value(ctx, &bound, 2, 0) == 0);
    smr_binding_release(&bound);
    check_silent(&heard);

    check_ok(ctx, smr_schema_bind(ctx, &s, &plain, b, &bound));
    for (int i = 0; i < 6; i++) check_near("code", value(ctx, &bound, i, 0), wanted[i], 0);
    assert_int_equal(bound.features[0].n_levels, 3);
    check_string(bound.features[0].levels, 2, "red");
    check_heard(&heard, "column 'c' has 2 levels not seen in training, such as 'amber'; "
                        "they count as missing");
    smr_binding_release(&bound);
    check_fails(ctx, smr_schema_bind(ctx, &s, &strict, b, &bound), SMR_ERR_DATA,
                "column 'c' has 2 levels not seen in training, such as 'amber'; the model "
                "was made with unseen=error");
    check_ok(ctx, smr_schema_bind(ctx, &s, &strict, a, &bound));
    smr_binding_release(&bound);
    smr_schema_release(&s);
    smr_table_free(a);
    smr_table_free(b);
    check_ctx_end(ctx);
}

static void numbers_meet_categories_by_their_text(void **state)
{
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *a = new_table(ctx, 4, 1), *b = new_table(ctx, 4, 1), *c = NULL;
    smr_binding bound;
    static const double wanted[] = {3, NAN, 0, NAN};
    (void)state;
    put_numbers(ctx, a, 0, "zip", (double[]){10, 2, 33.5, 4});
    put_numbers(ctx, b, 0, "zip", (double[]){33.5, 7, 2, NAN});
    smr_schema s = schema_of(ctx, a, "zip=category"); /* 2 4 10 33.5 */
    check_ok(ctx, smr_schema_bind(ctx, &s, &plain, b, &bound));
    assert_int_equal(bound.features[0].dtype, SMR_I32);
    for (int i = 0; i < 4; i++) check_near("code", value(ctx, &bound, i, 0), wanted[i], 0);
    check_heard(&heard, "column 'zip' has 1 level not seen in training, such as '7'");
    smr_binding_release(&bound);

    smr_read_opts opts = {.header = 1, /* the same table read as strings */
                          .rules = &(smr_column_rule){.name = "zip", .kind = SMR_CATEGORY},
                          .n_rules = 1};
    check_ok(ctx, read_text(ctx, "zip\n33.5\n2\n10\n4\n", &opts, &c));
    check_ok(ctx, smr_schema_bind(ctx, &s, &strict, c, &bound));
    assert_true(value(ctx, &bound, 0, 0) == 3 && value(ctx, &bound, 1, 0) == 0);
    assert_true(value(ctx, &bound, 2, 0) == 2 && value(ctx, &bound, 3, 0) == 1);
    smr_binding_release(&bound);
    smr_schema_release(&s);
    smr_table_free(a);
    smr_table_free(b);
    smr_table_free(c);
    check_ctx_end(ctx);
}

/* As many as there are rows: numbers that training did not see are missing, not an error. */
static void any_number_of_unseen_numbers_may_come(void **state)
{
    enum { N = 250007 };
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *a = new_table(ctx, 3, 1), *b = new_table(ctx, N, 1);
    double *x = smr_alloc(ctx, N, sizeof *x);
    smr_binding bound;
    (void)state;
    put_numbers(ctx, a, 0, "zip", (double[]){10, 250, 33.5});
    for (int64_t i = 0; i < N; i++) x[i] = (double)(i * 7919 % N);
    put_numbers(ctx, b, 0, "zip", x);
    smr_schema s = schema_of(ctx, a, "zip=category"); /* 10 33.5 250 */
    check_ok(ctx, smr_schema_bind(ctx, &s, &plain, b, &bound));
    check_heard(&heard, "column 'zip' has 250005 levels not seen in training, such as '0'");
    double *code = smr_alloc(ctx, N, sizeof *code);
    check_ok(ctx, smr_data_column(ctx, &bound.data, 0, code));
    for (int64_t i = 0; i < N; i++)
        check_near("code", code[i], x[i] == 10 ? 0 : x[i] == 250 ? 2 : NAN, 0);
    smr_free(code);
    smr_binding_release(&bound);
    smr_schema_release(&s);
    smr_free(x);
    smr_table_free(a);
    smr_table_free(b);
    check_ctx_end(ctx);
}

static void long_categories_are_cut_in_messages(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    char text[400] = "c,x\na,1\n", long_name[201];
    smr_table *a = table_of(ctx, "c,x\na,1\nb,2\n");
    smr_schema s = schema_of(ctx, a, NULL);
    smr_binding bound;
    (void)state;
    memset(long_name, 'q', 200);
    long_name[200] = '\0';
    strcat(text, long_name);
    strcat(text, ",2\n");
    smr_table *b = table_of(ctx, text);
    check_fails(ctx, smr_schema_bind(ctx, &s, &strict, b, &bound), SMR_ERR_DATA, "such as 'qqqq");
    smr_schema_release(&s);
    smr_table_free(a);
    smr_table_free(b);
    check_ctx_end(ctx);
}

/* ---- kinds ------------------------------------------------------------------------------ */

static void a_column_must_hold_what_it_held_in_training(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *a = table_of(ctx, "x,d\n1,2024-01-01\n2.5,2024-01-02\n");
    smr_table *words = table_of(ctx, "x,d\nlow,2024-01-01\n2.5,2024-01-02\n");
    smr_table *numbers = table_of(ctx, "x,d\n1,5\n2,6\n");
    smr_table *swapped = table_of(ctx, "d,x\n1,2024-01-01\n2.5,2024-01-02\n");
    smr_schema s = schema_of(ctx, a, NULL);
    smr_binding bound;
    (void)state;
    check_fails(ctx, smr_schema_bind(ctx, &s, &plain, words, &bound), SMR_ERR_DATA,
                "column 'x' held numbers in training and holds categories here, such as '2.5'");
    check_fails(ctx, smr_schema_bind(ctx, &s, &plain, numbers, &bound), SMR_ERR_DATA,
                "column 'd' held dates in training and holds numbers here");
    check_fails(ctx, smr_schema_bind(ctx, &s, &plain, swapped, &bound), SMR_ERR_DATA,
                "column 'x' held numbers in training and holds dates here");
    smr_schema_release(&s);
    smr_table_free(a);
    smr_table_free(words);
    smr_table_free(numbers);
    smr_table_free(swapped);
    check_ctx_end(ctx);
}

/* An empty column has no kind of its own: it binds to anything, as missing. */
static void columns_without_values_bind_as_missing(void **state)
{
    static const char *const nothing[] = {NULL, NULL};
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *a = table_of(ctx, "x,d,c\n1,2024-01-01,red\n2.5,2024-01-02,blue\n");
    smr_table *b = new_table(ctx, 2, 3);
    smr_schema s = schema_of(ctx, a, NULL);
    smr_binding bound;
    (void)state;
    put_strings(ctx, b, 0, "x", nothing);
    put_strings(ctx, b, 1, "d", nothing);
    put_numbers(ctx, b, 2, "c", (double[]){NAN, NAN});
    check_ok(ctx, smr_schema_bind(ctx, &s, &in_parts, b, &bound));
    assert_int_equal(bound.n_features, 7);
    for (int64_t j = 0; j < 7; j++)
        for (int64_t i = 0; i < 2; i++) assert_true(isnan(value(ctx, &bound, i, j)));
    check_silent(&heard);
    smr_binding_release(&bound);
    smr_schema_release(&s);
    smr_table_free(a);
    smr_table_free(b);
    check_ctx_end(ctx);
}

/* ---- dates ------------------------------------------------------------------------------ */

static void dates_are_days_or_parts(void **state)
{
    static const char *const names[] = {"x",        "on.days", "on.year",
                                        "on.month", "on.day",  "on.weekday"};
    /* 2000-02-29 is day 11016, a Tuesday; 1969-12-31 is day -1, a Wednesday. */
    static const double wanted[2][6] = {{7, 11016, 2000, 2, 29, 2}, {8, -1, 1969, 12, 31, 3}};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "x,on\n7,2000-02-29\n8,1969-12-31\n");
    smr_schema s = schema_of(ctx, t, NULL);
    smr_binding bound;
    (void)state;
    check_ok(ctx, smr_schema_bind(ctx, &s, &plain, t, &bound));
    assert_int_equal(bound.n_features, 2);
    assert_string_equal(bound.features[1].name, "on");
    assert_true(value(ctx, &bound, 0, 1) == 11016 && value(ctx, &bound, 1, 1) == -1);
    smr_binding_release(&bound);
    check_ok(ctx, smr_schema_bind(ctx, &s, &in_parts, t, &bound));
    assert_int_equal(bound.n_features, 6);
    for (int64_t j = 0; j < 6; j++) {
        assert_string_equal(bound.features[j].name, names[j]);
        for (int64_t i = 0; i < 2; i++)
            check_near(names[j], value(ctx, &bound, i, j), wanted[i][j], 0);
    }
    smr_binding_release(&bound);
    smr_schema_release(&s);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void times_of_day_add_an_hour(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "x,at\n7,2000-02-29 18:45\n8,1969-12-31 00:00\n");
    smr_schema s = schema_of(ctx, t, NULL);
    smr_binding bound;
    smr_feature *features = NULL;
    int64_t n = 0;
    (void)state;
    check_ok(ctx, smr_schema_bind(ctx, &s, &in_parts, t, &bound));
    assert_int_equal(bound.n_features, 7);
    assert_string_equal(bound.features[6].name, "at.hour");
    assert_true(value(ctx, &bound, 0, 6) == 18.75 && value(ctx, &bound, 1, 6) == 0);
    check_near("days", value(ctx, &bound, 0, 1), 11016 + 18.75 / 24, 1e-15);
    check_ok(ctx, smr_schema_features(ctx, &s, &in_parts, &features, &n));
    assert_int_equal(n, 7);
    for (int64_t j = 0; j < n; j++) { /* the same features, not tied to memory */
        assert_string_equal(features[j].name, bound.features[j].name);
        assert_null(features[j].values);
        smr_free((char *)(uintptr_t)features[j].name);
    }
    smr_free(features);
    smr_binding_release(&bound);
    smr_schema_release(&s);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- sparse ----------------------------------------------------------------------------- */

static void sparse_features_are_named_by_position(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *a = new_table(ctx, 2, 0), *dense = table_of(ctx, "x\n1\n2.5\n");
    smr_binding bound;
    (void)state;
    a->sparse = (smr_csr){.n_rows = 2, .n_cols = 12, .start = smr_alloc(ctx, 3, sizeof(int64_t))};
    smr_schema s = schema_of(ctx, a, NULL);
    check_ok(ctx, smr_schema_bind(ctx, &s, &plain, a, &bound));
    assert_int_equal(bound.n_features, 12);
    assert_ptr_equal(bound.data.sparse, &a->sparse);
    assert_string_equal(bound.features[0].name, "0");
    assert_string_equal(bound.features[11].name, "11");
    smr_binding_release(&bound);
    check_fails(ctx, smr_schema_bind(ctx, &s, &plain, dense, &bound), SMR_ERR_STATE,
                "the model was trained on sparse features, and t.csv has none");
    smr_schema_release(&s);
    smr_table_free(a);
    smr_table_free(dense);
    check_ctx_end(ctx);
}

/* ---- memory ----------------------------------------------------------------------------- */

struct pair {
    smr_schema schema;
    const smr_table *table;
};

static smr_status bind_once(smr_ctx *ctx, void *arg)
{
    struct pair *p = arg;
    smr_binding bound;
    smr_status st = smr_schema_bind(ctx, &p->schema, &in_parts, p->table, &bound);
    if (st == SMR_OK) smr_binding_release(&bound);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *a = table_of(ctx, "a column with a name that is longer than sixty-four bytes in all,"
                                 "c,zip\n2024-01-01 10:00,red,7\n2024-01-02,blue,8\n");
    smr_table *b = table_of(ctx, "zip,c,a column with a name that is longer than sixty-four bytes "
                                 "in all\n9,amber,2024-01-02\n8,red,2023-07-02\n");
    struct pair p = {.schema = schema_of(ctx, a, "zip=category"), .table = b};
    (void)state;
    assert_true(fail_each_allocation(ctx, bind_once, &p) > 12);
    smr_schema_release(&p.schema);
    smr_table_free(a);
    smr_table_free(b);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_matched_by_name_without_copying),
        cmocka_unit_test(absent_columns_are_named),
        cmocka_unit_test(categories_are_recoded_by_name),
        cmocka_unit_test(numbers_meet_categories_by_their_text),
        cmocka_unit_test(any_number_of_unseen_numbers_may_come),
        cmocka_unit_test(long_categories_are_cut_in_messages),
        cmocka_unit_test(a_column_must_hold_what_it_held_in_training),
        cmocka_unit_test(columns_without_values_bind_as_missing),
        cmocka_unit_test(dates_are_days_or_parts),
        cmocka_unit_test(times_of_day_add_an_hour),
        cmocka_unit_test(sparse_features_are_named_by_position),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
