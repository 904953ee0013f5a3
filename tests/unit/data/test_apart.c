/* Columns that lie row by row, and apart. */
#include "check.h"

#include "data/apart.h"
#include "samara.h"

enum { N = 2051, D = 3 }; /* two blocks of rows and three rows */

static void columns_of_a_matrix_lie_apart_with_the_same_values(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    static double X[N * D], y[N];
    smr_table *t = NULL;
    smr_apart apart;
    (void)state;
    for (int64_t i = 0; i < N * D; i++) X[i] = 0.37 * (double)(i * i % 1009) - 11.25;
    for (int64_t i = 0; i < N; i++) y[i] = (double)i;
    check_ok(ctx, smr_table_from_matrix(ctx, X, N, D, y, &t));
    check_ok(ctx, smr_apart_open(ctx, t, &apart));
    assert_int_equal(apart.table.n_cols, D + 1);
    for (int64_t j = 0; j < D + 1; j++) {
        assert_int_equal(apart.table.cols[j].stride, 1);
        assert_string_equal(apart.table.cols[j].name, t->cols[j].name);
        for (int64_t i = 0; i < N; i++)
            assert_true(smr_column_number(&apart.table.cols[j], i) ==
                        smr_column_number(&t->cols[j], i));
    }
    assert_ptr_equal(apart.table.cols[D].values, t->cols[D].values); /* was apart already */
    smr_apart_close(&apart);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void refused_memory_leaves_nothing_open(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    static double X[N * D], y[N];
    smr_table *t = NULL;
    smr_apart apart;
    (void)state;
    check_ok(ctx, smr_table_from_matrix(ctx, X, N, D, y, &t));
    for (int64_t n = 0; n < 2; n++) {
        smr_memory_fail_at(ctx, n);
        check_fails(ctx, smr_apart_open(ctx, t, &apart), SMR_ERR_NOMEM, "out of memory");
        smr_apart_close(&apart);
    }
    smr_memory_fail_at(ctx, -1);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_of_a_matrix_lie_apart_with_the_same_values),
        cmocka_unit_test(refused_memory_leaves_nothing_open),
    };
    return cmocka_run_group_tests_name("apart", tests, NULL, NULL);
}
