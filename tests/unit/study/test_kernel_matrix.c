/* Kernel matrices of tables through the public functions, and what is said of them. */
#include "pipeline.h"

#include "math/linalg.h"

static void mercer(smr_ctx *ctx, int64_t n, const double *K, bool want, double smallest,
                   double tolerance)
{
    bool got = !want;
    double asymmetry, least;
    check_ok(ctx, smr_kernel_is_mercer(ctx, n, K, &got, &asymmetry, &least));
    assert_int_equal(got, want);
    check_near("smallest eigenvalue", least, smallest, tolerance);
}

static void an_exchange_is_not_a_kernel(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    double asymmetry = 0;
    bool yes = true;
    (void)state;
    mercer(ctx, 2, (const double[]){0, 1, 1, 0}, false, -1, 1e-15);
    mercer(ctx, 2, (const double[]){1, 1, 1, 1}, true, 0, 1e-15);
    mercer(ctx, 1, (const double[]){0}, true, 0, 0);
    check_ok(ctx, smr_kernel_is_mercer(ctx, 2, (const double[]){1, 0.5, 0.25, 1}, &yes, &asymmetry,
                                       NULL));
    assert_false(yes);
    check_near("asymmetry", asymmetry, 0.25, 0);
    check_fails(ctx, smr_kernel_is_mercer(ctx, 1, (const double[]){NAN}, &yes, NULL, NULL),
                SMR_ERR_DATA, "no finite number in row 1, column 1");
    check_fails(ctx, smr_kernel_is_mercer(ctx, 0, NULL, &yes, NULL, NULL), SMR_ERR_SHAPE,
                "a kernel matrix has at least one row, not 0");
    check_ctx_end(ctx);
}

/* (1 + x x')^3 over four variables has 35 monomials: so many eigenvalues are not 0. */
static void a_cubic_in_four_variables_has_35_features(void **state)
{
    enum { ROWS = 50 };
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = NULL;
    double X[ROWS * 4], K[ROWS * ROWS], values[ROWS];
    double condition = 0;
    int64_t rank = 0;
    (void)state;
    for (int i = 0; i < ROWS * 4; i++)
        X[i] = 2 * smr_random_unit(1, SMR_STREAM_TEST, 5, (uint64_t)i) - 1;
    smr_dense view = {.values = X, .dtype = SMR_F64, .n_rows = ROWS, .n_cols = 4, .stride = 4};
    check_ok(ctx, smr_table_view(ctx, &view, NULL, &t));
    check_ok(ctx, smr_table_kernel(ctx, t, "poly(3 gamma=1 coef0=1)", NULL, K));
    check_ok(ctx, smr_matrix_rank(ctx, ROWS, ROWS, K, values, &rank, &condition));
    assert_int_equal(rank, 35);
    check_ok(ctx, smr_table_kernel(ctx, t, "linear", "1,3", K)); /* two columns are left out */
    check_near("product", K[ROWS], X[4] * X[0] + X[6] * X[2], 1e-15);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_table_is_read_as_learners_read_it(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "color,x\nred,1\nblue,2\nred,3\n");
    double K[9];
    (void)state;
    check_ok(ctx, smr_table_kernel(ctx, t, "linear", NULL, K));
    check_near("the same color", K[2], 1 + 1 * 3, 1e-15);
    check_near("another", K[1], 1 * 2, 1e-15);
    smr_table_free(t);
    t = table_of(ctx, "a,b\n1,2\n,3\n");
    check_fails(ctx, smr_table_kernel(ctx, t, "linear", NULL, K), SMR_ERR_DATA,
                "kernel: row 2 has no value in column 'a'");
    check_fails(ctx, smr_table_kernel(ctx, t, "linear +", NULL, K), SMR_ERR_PARAM,
                "at character 9: a kernel is expected here");
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* What no caller means. */
static void nothing_is_made_of_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "x,y\n1,2\n2,3\n3,4\n");
    double K[9] = {1};
    bool yes;
    (void)state;
    check_fails(ctx, smr_table_kernel(ctx, NULL, "rbf", NULL, K), SMR_ERR_PARAM, "is NULL");
    check_fails(ctx, smr_table_kernel(ctx, t, NULL, NULL, K), SMR_ERR_PARAM, "is NULL");
    check_fails(ctx, smr_table_kernel(ctx, t, "rbf", NULL, NULL), SMR_ERR_PARAM, "is NULL");
    check_fails(ctx, smr_table_kernel(ctx, t, "", NULL, K), SMR_ERR_PARAM, "the kernel is missing");
    check_fails(ctx, smr_table_kernel(ctx, t, "rbf", "x,y", K), SMR_ERR_DATA, "column");
    check_fails(ctx, smr_kernel_is_mercer(ctx, 3, NULL, &yes, NULL, NULL), SMR_ERR_PARAM,
                "the kernel matrix of 3 rows is NULL");
    check_fails(ctx, smr_kernel_is_mercer(ctx, -1, K, &yes, NULL, NULL), SMR_ERR_SHAPE, "not -1");
    check_fails(ctx, smr_kernel_is_mercer(ctx, INT64_MAX, K, &yes, NULL, NULL), SMR_ERR_SHAPE,
                "too many for a kernel matrix");
    check_fails(ctx, smr_kernel_is_mercer(ctx, 1 << 30, K, &yes, NULL, NULL), SMR_ERR_NOMEM,
                "the eigenvalues of a kernel matrix");
    check_ok(ctx, smr_kernel_is_mercer(ctx, 1, K, NULL, NULL, NULL));
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exchange_is_not_a_kernel),
        cmocka_unit_test(a_cubic_in_four_variables_has_35_features),
        cmocka_unit_test(a_table_is_read_as_learners_read_it),
        cmocka_unit_test(nothing_is_made_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
