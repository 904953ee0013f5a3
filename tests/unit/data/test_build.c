/* test_build.c -- tables built column by column, sparse rows, and cells read back. */
#include "check.h"
#include "check_csv.h"
#include "data/hash.h"
#include "pipeline.h"

static void hear_last(void *user, smr_log_level level, const char *message)
{
    if (level == SMR_LOG_WARNING) snprintf(user, 300, "%s", message);
}

static smr_table *create(smr_ctx *ctx, int64_t n)
{
    smr_table *t = NULL;
    check_ok(ctx, smr_table_create(ctx, n, &t));
    return t;
}

/* n is the length that came with the bytes. */
static void check_bytes(const char *got, const int64_t *n, const char *want)
{
    assert_non_null(got);
    assert_int_equal(*n, strlen(want));
    assert_memory_equal(got, want, (size_t)*n);
}

/* ---- columns ---------------------------------------------------------------------------- */

static void columns_are_copied_and_read_back(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = create(ctx, 3);
    double x[] = {0.1, NAN, -7};
    float f[] = {0.1f, -1e-45f, NAN};
    int64_t i[] = {-5, 6, 7};
    bool missing[] = {false, true, false};
    char word[] = "pear";
    const char *s[] = {word, NULL, "apple"};
    int32_t codes[] = {2, -1, 0};
    const char *levels[] = {"s", "m", "l"};
    double when[] = {86400, NAN, 0.5};
    int64_t n;
    (void)state;
    check_ok(ctx, smr_table_add_f64(ctx, t, "x", x));
    check_ok(ctx, smr_table_add_f32(ctx, t, "f", f));
    check_ok(ctx, smr_table_add_i64(ctx, t, "i", i, missing));
    check_ok(ctx, smr_table_add_i64(ctx, t, "j", i, NULL));
    check_ok(ctx, smr_table_add_strings(ctx, t, "s", s));
    check_ok(ctx, smr_table_add_categories(ctx, t, "c", codes, levels, 3));
    check_ok(ctx, smr_table_add_dates(ctx, t, "d", when));
    x[0] = f[0] = 99;
    i[0] = codes[0] = 1;
    word[0] = 'B';
    assert_int_equal(smr_table_n_rows(t), 3);
    assert_int_equal(smr_table_n_cols(t), 7);
    static const int kinds[] = {SMR_NUMBER,   SMR_NUMBER,   SMR_NUMBER, SMR_NUMBER,
                                SMR_CATEGORY, SMR_CATEGORY, SMR_DATE};
    for (int j = 0; j < 7; j++) assert_int_equal(smr_table_col_kind(t, j), kinds[j]);
    static const double want[][3] = {
        {0.1, NAN, -7}, {0.1f, -1e-45f, NAN}, {-5, NAN, 7}, {-5, 6, 7}};
    for (int j = 0; j < 4; j++)
        for (int r = 0; r < 3; r++) check_near("number", smr_table_number(t, r, j), want[j][r], 0);
    for (int j = 0; j < 3; j++) assert_int_equal(t->cols[j].n_missing, 1);
    check_bytes(smr_table_text(t, 0, 4, &n), &n, "pear");
    assert_null(smr_table_text(t, 1, 4, &n));
    assert_int_equal(n, 0);
    assert_int_equal(smr_table_code(t, 2, 4), 0);
    check_bytes(smr_table_level(t, 5, 2, &n), &n, "l"); /* the order given */
    assert_int_equal(smr_table_code(t, 0, 5), 2);
    assert_int_equal(smr_table_n_levels(t, 5), 3);
    check_near("date", smr_table_number(t, 2, 6), 0.5, 0);
    assert_true(t->cols[6].has_time);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void what_is_not_there_has_no_value(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = create(ctx, 2);
    int64_t n = 7;
    (void)state;
    check_ok(ctx, smr_table_add_f64(ctx, t, "x", (double[]){1, 2}));
    check_ok(ctx, smr_table_add_strings(ctx, t, "s", (const char *[]){"a", "b"}));
    assert_int_equal(smr_table_find(t, "s"), 1);
    assert_int_equal(smr_table_find(t, "y"), -1);
    for (int64_t j = -1; j < 3; j += 3) {
        assert_int_equal(smr_table_col_kind(t, j), -1);
        assert_null(smr_table_col_name(t, j));
        assert_int_equal(smr_table_n_levels(t, j), 0);
        assert_null(smr_table_level(t, j, 0, &n));
        assert_true(isnan(smr_table_number(t, 0, j)));
    }
    assert_true(isnan(smr_table_number(t, 2, 0)) && isnan(smr_table_number(t, -1, 0)));
    assert_true(isnan(smr_table_number(t, 0, 1))); /* a category has codes and strings */
    assert_int_equal(smr_table_code(t, 0, 0), -1); /* a number has neither             */
    assert_null(smr_table_text(t, 0, 0, &n));
    assert_int_equal(smr_table_code(t, 2, 1), -1);
    assert_int_equal(smr_table_code(t, -1, 1), -1);
    assert_null(smr_table_level(t, 1, 2, &n));
    assert_null(smr_table_level(t, 1, -1, &n));
    assert_int_equal(smr_table_n_levels(t, 0), 0);
    assert_int_equal(smr_table_n_sparse(t), 0);
    assert_true(isnan(smr_table_sparse_number(t, 0, 0)));
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_built_table_is_what_a_reader_gives(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = create(ctx, 4), *read = NULL;
    static const char text[] =
        "x,size,day\n1.5,10,2020-01-01\n,9,\n3,10,1970-01-01\n4,,2020-01-01\n";
    smr_column_rule rule = {.name = "size", .kind = SMR_CATEGORY};
    smr_read_opts opts = {.header = 1, .rules = &rule, .n_rules = 1};
    uint64_t a[2], b[2];
    (void)state;
    check_ok(ctx, read_text(ctx, text, &opts, &read));
    check_ok(ctx, smr_table_add_f64(ctx, t, "x", (double[]){1.5, NAN, 3, 4}));
    check_ok(ctx, smr_table_add_strings(ctx, t, "size", (const char *[]){"10", "9", "10", NULL}));
    check_ok(ctx, smr_table_add_dates(ctx, t, "day", (double[]){1577836800, NAN, 0, 1577836800}));
    check_ok(ctx, smr_table_hash(ctx, t, a));
    check_ok(ctx, smr_table_hash(ctx, read, b));
    assert_memory_equal(a, b, sizeof a);
    smr_table_free(t);
    smr_table_free(read);
    check_ctx_end(ctx);
}

static void columns_may_be_added_to_any_table(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    double X[] = {1, 2, 3, 4};
    (void)state;
    check_ok(ctx, smr_table_from_matrix(ctx, X, 2, 2, NULL, &t));
    check_fails(ctx, smr_table_add_f64(ctx, t, "1", X), SMR_ERR_PARAM,
                "the table has a column '1' already; choose another name");
    for (int j = 0; j < 100; j++) {
        char name[16];
        snprintf(name, sizeof name, "more %d", j);
        check_ok(ctx, smr_table_add_f64(ctx, t, name, (double[]){j, -j}));
        check_fails(ctx, smr_table_add_f64(ctx, t, name, X), SMR_ERR_PARAM, "already");
    }
    assert_int_equal(smr_table_n_cols(t), 102);
    check_near("matrix", smr_table_number(t, 1, 1), 4, 0);
    check_near("added", smr_table_number(t, 1, 101), -99, 0);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void what_makes_no_column_is_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    double x[] = {1, 2};
    int32_t codes[] = {0, 3};
    static const char *const levels[] = {"a", "b", "a"}, *const bad[] = {"a", "\xff"};
    (void)state;
    check_fails(ctx, smr_table_create(ctx, -1, &t), SMR_ERR_SHAPE,
                "a table has 0 to 2^31 - 1 rows, not -1");
    check_fails(ctx, smr_table_create(ctx, 1ll << 31, &t), SMR_ERR_SHAPE, "not 2147483648");
    assert_null(t);
    t = create(ctx, 2);
    check_fails(ctx, smr_table_add_f64(ctx, t, NULL, x), SMR_ERR_PARAM,
                "column 0 (counted from 0) needs a name");
    check_fails(ctx, smr_table_add_f64(ctx, t, "", x), SMR_ERR_PARAM, "needs a name");
    check_fails(ctx, smr_table_add_f64(ctx, t, "a\xff", x), SMR_ERR_PARAM,
                "the name is not UTF-8, from byte 1 on");
    check_fails(ctx, smr_table_add_f64(ctx, t, "x", NULL), SMR_ERR_PARAM,
                "column 'x' needs values for 2 rows, not NULL");
    check_fails(ctx, smr_table_add_i64(ctx, t, "x", NULL, NULL), SMR_ERR_PARAM, "needs values");
    check_fails(ctx, smr_table_add_strings(ctx, t, "s", bad), SMR_ERR_DATA,
                "column 's' has a text that is not UTF-8 ('?'); convert it first");
    check_fails(ctx, smr_table_add_categories(ctx, t, "c", codes, levels, 2), SMR_ERR_DATA,
                "column 'c', row 2: the code 3; codes go from 0 to 1, and -1 is a missing value");
    codes[1] = -2;
    check_fails(ctx, smr_table_add_categories(ctx, t, "c", codes, levels, 2), SMR_ERR_DATA,
                "row 2: the code -2");
    check_fails(ctx, smr_table_add_categories(ctx, t, "c", codes, levels, 3), SMR_ERR_PARAM,
                "column 'c': levels 0 and 2 are the same, 'a'");
    check_fails(ctx, smr_table_add_categories(ctx, t, "c", codes, bad, 2), SMR_ERR_DATA,
                "not UTF-8");
    check_fails(ctx, smr_table_add_categories(ctx, t, "c", codes, (const char *[]){"a", NULL}, 2),
                SMR_ERR_PARAM, "column 'c': level 1 is NULL; a missing value has the code -1");
    check_fails(ctx, smr_table_add_categories(ctx, t, "c", codes, NULL, 2), SMR_ERR_PARAM,
                "levels is needed, not 2 at NULL");
    check_fails(ctx, smr_table_add_categories(ctx, t, "c", codes, levels, -1), SMR_ERR_PARAM,
                "column 'c': a list of 0 to 2^31 - 1 levels is needed, not -1");
    check_fails(ctx, smr_table_add_dates(ctx, t, "d", (double[]){0, 1.7e12}), SMR_ERR_DATA,
                "column 'd', row 2: a date lies in the years 1 to 9999; they are seconds since "
                "1970-01-01, not milliseconds");
    check_fails(ctx, smr_table_add_dates(ctx, t, "d", (double[]){-INFINITY, 0}), SMR_ERR_DATA,
                "row 1");
    assert_int_equal(smr_table_n_cols(t), 0);
    check_ok(ctx, smr_table_add_f64(ctx, t, "x", x)); /* the name is still free */
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void large_whole_numbers_are_told(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = create(ctx, 2);
    char heard[300] = "";
    (void)state;
    ctx->log = hear_last;
    ctx->log_user = heard;
    check_ok(ctx, smr_table_add_i64(ctx, t, "id", (int64_t[]){INT64_MAX, 1}, NULL));
    assert_string_equal(heard, "column 'id' has 1 whole number beyond 2^53, rounded to doubles; "
                               "give identifiers as strings");
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- sparse rows ------------------------------------------------------------------------ */

static void sparse_rows_are_copied_sorted_and_read_back(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    int64_t start[] = {0, 5, 5, 6};
    int32_t column[] = {6, 0, 3, 1, 5, 2};
    double value[] = {6.5, 0.5, NAN, 1.5, 5.5, -1}, y[] = {1, 0, 1};
    (void)state;
    check_ok(ctx, smr_table_from_csr(ctx, 3, 7, start, column, value, y, &t));
    column[0] = 2;
    value[0] = 0;
    start[1] = 0;
    static const double want[3][7] = {{0.5, 1.5, 0, NAN, 0, 5.5, 6.5}, {0}, {0, 0, -1, 0, 0, 0, 0}};
    assert_int_equal(smr_table_n_sparse(t), 7);
    assert_int_equal(smr_table_n_cols(t), 1);
    assert_string_equal(smr_table_col_name(t, 0), "y");
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 7; j++)
            check_near("entry", smr_table_sparse_number(t, i, j), want[i][j], 0);
    assert_true(isnan(smr_table_sparse_number(t, 0, 7)));
    assert_true(isnan(smr_table_sparse_number(t, 3, 0)));
    for (int e = 1; e < 5; e++) assert_true(t->sparse.column[e] > t->sparse.column[e - 1]);
    check_ok(ctx, smr_table_add_f64(ctx, t, "w", (double[]){1, 2, 1}));
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void sparse_rows_without_entries_or_y_are_a_table(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    (void)state;
    check_ok(ctx, smr_table_from_csr(ctx, 2, 3, (int64_t[]){0, 0, 0}, NULL, NULL, NULL, &t));
    assert_int_equal(smr_table_n_cols(t), 0);
    check_near("zero", smr_table_sparse_number(t, 1, 2), 0, 0);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void sparse_rows_are_checked(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    int64_t start[] = {0, 2, 3};
    int32_t column[] = {2, 0, 1};
    double value[] = {1, 2, 3};
    (void)state;
#define CSR(n, d, s, c, v) smr_table_from_csr(ctx, n, d, s, c, v, NULL, &t)
    check_fails(ctx, CSR(2, 0, start, column, value), SMR_ERR_SHAPE,
                "sparse rows of 2 x 0 are impossible");
    check_fails(ctx, CSR(-1, 3, start, column, value), SMR_ERR_SHAPE, "-1 x 3");
    check_fails(ctx, CSR(2, 1ll << 31, start, column, value), SMR_ERR_SHAPE, "2^31 - 1 of each");
    check_fails(ctx, CSR(2, 3, NULL, column, value), SMR_ERR_PARAM,
                "sparse rows need their starts (indptr), not NULL");
    check_fails(ctx, CSR(2, 3, start, NULL, value), SMR_ERR_PARAM,
                "3 entries of sparse rows need columns and values");
    check_fails(ctx, CSR(2, 3, start, column, NULL), SMR_ERR_PARAM, "need columns and values");
    check_fails(ctx, CSR(2, 2, start, column, value), SMR_ERR_DATA,
                "row 1 of sparse rows: column 2; columns go from 0 to 1");
    column[2] = -1;
    check_fails(ctx, CSR(2, 3, start, column, value), SMR_ERR_DATA,
                "row 2 of sparse rows: column -1");
    column[2] = 1;
    column[1] = 2;
    check_fails(ctx, CSR(2, 3, start, column, value), SMR_ERR_DATA,
                "row 1 of sparse rows: column 2 comes twice; add the values up first");
    start[1] = 4;
    check_fails(ctx, CSR(2, 3, start, column, value), SMR_ERR_DATA,
                "row 2 of sparse rows ends before it begins: entries 4 to 3 (indptr)");
    start[0] = 1;
    check_fails(ctx, CSR(2, 3, start, column, value), SMR_ERR_DATA,
                "sparse rows begin with entry 0 (indptr[0]), not 1");
    assert_null(t);
    check_ctx_end(ctx);
}

/* A long row in every disorder of a small generator, against a plain insertion. */
static void long_sparse_rows_are_sorted(void **state)
{
    enum { N = 997 };
    smr_ctx *ctx = check_ctx(1);
    static int32_t column[N];
    static double value[N];
    smr_table *t = NULL;
    (void)state;
    for (int e = 0; e < N; e++) {
        column[e] = (int32_t)((e * 523 + 17) % N); /* a permutation: N is prime */
        value[e] = column[e] + 0.5;
    }
    check_ok(ctx, smr_table_from_csr(ctx, 1, N, (int64_t[]){0, N}, column, value, NULL, &t));
    for (int e = 0; e < N; e++) {
        assert_int_equal(t->sparse.column[e], e);
        assert_true(t->sparse.value[e] == e + 0.5);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- memory ----------------------------------------------------------------------------- */

static smr_status build_all(smr_ctx *ctx, void *arg)
{
    smr_status st = SMR_OK;
    smr_table *t = NULL;
    static const char *const words[] = {"b", "a", NULL};
    (void)arg;
    TRY(smr_table_from_csr(ctx, 3, 2, (int64_t[]){0, 2, 2, 2}, (int32_t[]){1, 0}, (double[]){1, 2},
                           (double[]){1, 2, 3}, &t));
    TRY(smr_table_add_f64(ctx, t, "x", (double[]){1, 2, 3}));
    TRY(smr_table_add_f32(ctx, t, "f", (float[]){1, 2, 3}));
    TRY(smr_table_add_i64(ctx, t, "i", (int64_t[]){1, 2, 3}, NULL));
    TRY(smr_table_add_strings(ctx, t, "s", words));
    TRY(smr_table_add_categories(ctx, t, "c", (int32_t[]){0, 1, -1}, words, 2));
    TRY(smr_table_add_dates(ctx, t, "d", (double[]){1, 2, 3}));
out:
    if (st != SMR_OK && t) { /* what was added before stays, nothing else */
        uint64_t hash[2];
        smr_memory_fail_at(ctx, -1);
        for (int64_t j = 0; j < t->n_cols; j++) assert_non_null(t->cols[j].name);
        assert_int_equal(smr_table_hash(ctx, t, hash), SMR_OK);
    }
    smr_table_free(t);
    return st;
}

static void every_allocation_of_the_builder_may_fail(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    assert_true(fail_each_allocation(ctx, build_all, NULL) > 30);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_copied_and_read_back),
        cmocka_unit_test(what_is_not_there_has_no_value),
        cmocka_unit_test(a_built_table_is_what_a_reader_gives),
        cmocka_unit_test(columns_may_be_added_to_any_table),
        cmocka_unit_test(what_makes_no_column_is_refused),
        cmocka_unit_test(large_whole_numbers_are_told),
        cmocka_unit_test(sparse_rows_are_copied_sorted_and_read_back),
        cmocka_unit_test(sparse_rows_without_entries_or_y_are_a_table),
        cmocka_unit_test(sparse_rows_are_checked),
        cmocka_unit_test(long_sparse_rows_are_sorted),
        cmocka_unit_test(every_allocation_of_the_builder_may_fail),
    };
    return cmocka_run_group_tests_name("build", tests, NULL, NULL);
}
