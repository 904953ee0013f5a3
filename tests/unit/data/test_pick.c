/* test_pick.c -- columns by what people write. */
#include "pipeline.h"

#include "data/pick.h"

static smr_table *sample(smr_ctx *ctx)
{
    smr_table *t = NULL;
    smr_read_opts opts = {.header = 1};
    check_ok(ctx, read_text(ctx, "price,7,\"a,b\",last name,#1,area\n1,2,3,4,5,6\n", &opts, &t));
    return t;
}

static void check_pick(smr_ctx *ctx, const smr_table *t, const char *text, int64_t wanted)
{
    int64_t col = -1;
    check_ok(ctx, smr_pick_column(ctx, t, text, &col));
    if (col != wanted) fail_msg("'%s' is column %d, wanted %d", text, (int)col, (int)wanted);
}

static void a_column_is_meant_by_name_position_or_last(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = sample(ctx);
    (void)state;
    check_pick(ctx, t, "price", 0);
    check_pick(ctx, t, "last name", 3);
    check_pick(ctx, t, "a,b", 2);
    check_pick(ctx, t, "0", 0);
    check_pick(ctx, t, "5", 5);
    check_pick(ctx, t, "last", 5);
    check_pick(ctx, t, "#0", 0);
    check_pick(ctx, t, "#-1", 5);
    check_pick(ctx, t, "#-6", 0);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_name_wins_over_a_position(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "2,last,0\n1.5,2.5,3.5\n");
    (void)state;
    assert_string_equal(t->cols[0].name, "0"); /* numbers are not a header: names are positions */
    smr_table_free(t);

    t = new_table(ctx, 1, 4);
    put_numbers(ctx, t, 0, "2", (double[]){1});
    put_numbers(ctx, t, 1, "last", (double[]){1});
    put_numbers(ctx, t, 2, "0", (double[]){1});
    put_numbers(ctx, t, 3, "x", (double[]){1});
    check_pick(ctx, t, "2", 0);
    check_pick(ctx, t, "0", 2);
    check_pick(ctx, t, "#2", 2); /* the mark forces the position */
    check_pick(ctx, t, "#0", 0);
    check_pick(ctx, t, "last", 1);
    check_pick(ctx, t, "#-1", 3);
    check_pick(ctx, t, "1", 1);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void wrong_columns_are_answered_with_the_nearest_name(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = sample(ctx);
    int64_t col = 77;
    (void)state;
    check_fails(ctx, smr_pick_column(ctx, t, "prise", &col), SMR_ERR_PARAM,
                "t.csv has no column 'prise'; did you mean 'price'?");
    check_fails(ctx, smr_pick_column(ctx, t, "AREA", &col), SMR_ERR_PARAM, "did you mean 'area'?");
    check_fails(ctx, smr_pick_column(ctx, t, "zzzzzz", &col), SMR_ERR_PARAM,
                "t.csv has no column 'zzzzzz'; it has price, 7, a,b, last name, #1 and area");
    check_fails(ctx, smr_pick_column(ctx, t, "", &col), SMR_ERR_PARAM, "has no column ''");
    check_fails(ctx, smr_pick_column(ctx, t, "#", &col), SMR_ERR_PARAM, "has no column '#'");
    check_fails(ctx, smr_pick_column(ctx, t, "#2x", &col), SMR_ERR_PARAM, "has no column '#2x'");
    check_fails(ctx, smr_pick_column(ctx, t, "6", &col), SMR_ERR_PARAM,
                "no column at position 6; t.csv has 6 columns, counted from 0");
    check_fails(ctx, smr_pick_column(ctx, t, "#-7", &col), SMR_ERR_PARAM, "at position -7");
    check_fails(ctx, smr_pick_column(ctx, t, "#99999999999999999999", &col), SMR_ERR_PARAM,
                "has no column");
    assert_int_equal(col, 77); /* a failing call leaves it alone */
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void check_list(smr_ctx *ctx, const smr_table *t, const char *text, int64_t n,
                       const int64_t *wanted)
{
    int64_t *cols = NULL, got = -1;
    check_ok(ctx, smr_pick_columns(ctx, t, text, &cols, &got));
    if (got != n) fail_msg("'%s' names %d columns, wanted %d", text, (int)got, (int)n);
    for (int64_t i = 0; i < n; i++) assert_int_equal(cols[i], wanted[i]);
    smr_free(cols);
}

static void lists_keep_their_order_and_drop_repeats(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = sample(ctx);
    (void)state;
    check_list(ctx, t, "area,price", 2, (int64_t[]){5, 0});
    check_list(ctx, t, "last,#-1,area,0", 2, (int64_t[]){5, 0});
    check_list(ctx, t, "price", 1, (int64_t[]){0});
    check_list(ctx, t, ",price,,area,", 2, (int64_t[]){0, 5});
    check_list(ctx, t, "", 0, NULL);
    check_list(ctx, t, ",,", 0, NULL);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void quotes_protect_commas_in_names(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = sample(ctx);
    int64_t *cols = NULL, n = 0;
    (void)state;
    check_list(ctx, t, "\"a,b\",price", 2, (int64_t[]){2, 0});
    check_list(ctx, t, "price,\"a,b\",\"last name\"", 3, (int64_t[]){0, 2, 3});
    check_list(ctx, t, "a,b", 1, (int64_t[]){2}); /* the whole text is a name */
    check_fails(ctx, smr_pick_columns(ctx, t, "a,b,price", &cols, &n), SMR_ERR_PARAM,
                "has no column 'a'");
    assert_null(cols);
    assert_int_equal(n, 0);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void one_wrong_name_refuses_the_list(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = sample(ctx);
    int64_t *cols = NULL, n = 0;
    (void)state;
    check_fails(ctx, smr_pick_columns(ctx, t, "price,aera", &cols, &n), SMR_ERR_PARAM,
                "no column 'aera'; did you mean 'area'?");
    assert_null(cols);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static smr_status attempt(smr_ctx *ctx, void *table)
{
    int64_t *cols = NULL, n = 0;
    smr_status st = smr_pick_columns(ctx, table, "area,\"a,b\",0", &cols, &n);
    smr_free(cols);
    return st;
}

static smr_status attempt_wrong(smr_ctx *ctx, void *table)
{
    int64_t col;
    smr_status st = smr_pick_column(ctx, table, "prise", &col);
    if (st == SMR_ERR_PARAM) smr_ctx_clear(ctx);
    return st == SMR_ERR_PARAM ? SMR_OK : st;
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = sample(ctx);
    (void)state;
    assert_true(fail_each_allocation(ctx, attempt, t) >= 2);
    assert_true(fail_each_allocation(ctx, attempt_wrong, t) >= 1);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_is_meant_by_name_position_or_last),
        cmocka_unit_test(a_name_wins_over_a_position),
        cmocka_unit_test(wrong_columns_are_answered_with_the_nearest_name),
        cmocka_unit_test(lists_keep_their_order_and_drop_repeats),
        cmocka_unit_test(quotes_protect_commas_in_names),
        cmocka_unit_test(one_wrong_name_refuses_the_list),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
