/* test_lu.c -- P A = L U has the bits of the textbook's loop; solves undo the matrix. */
#include "lapack_truth.h"
#include "matrices.h"

#include "kernel/kernel.h"

static const int64_t sizes[] = {0,  1,  2,  3,  5,  7,   8,   9,   15,  16,  17,
                                31, 33, 63, 64, 65, 100, 127, 128, 129, 193, 260};

static void plain_lu(int64_t n, double *A, int64_t ld, int32_t *pivot)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t p = k;
        for (int64_t i = k; i < n; i++)
            if (fabs(A[i + k * ld]) > fabs(A[p + k * ld])) p = i;
        pivot[k] = (int32_t)p;
        for (int64_t j = 0; j < n; j++) {
            double swap = A[p + j * ld];
            A[p + j * ld] = A[k + j * ld];
            A[k + j * ld] = swap;
        }
        for (int64_t i = k + 1; i < n; i++) A[i + k * ld] /= A[k + k * ld];
        for (int64_t j = k + 1; j < n; j++)
            for (int64_t i = k + 1; i < n; i++)
                A[i + j * ld] = fma(-A[i + k * ld], A[k + j * ld], A[i + j * ld]);
    }
}

static void every_size_has_the_bits_of_the_plain_loop(void **state)
{
    (void)state;
    smr_ctx *threads[] = {check_ctx(1), check_ctx(2), check_ctx(7)};
    for (int64_t s = 0; s < SMR_COUNT(sizes); s++) {
        int64_t n = sizes[s], ld = n + 2, singular = 0;
        int32_t *pivot = calloc((size_t)n + 1, sizeof *pivot), *order = calloc((size_t)n + 1, 4);
        double *want = matrix_new(ld * n), *A = matrix_new(ld * n);
        matrix_fill(MATRIX_RANDOM, n, n, want, ld, 1);
        plain_lu(n, want, ld, order);
        for (int t = 0; t < 3; t++) {
            matrix_fill(MATRIX_RANDOM, n, n, A, ld, 1);
            check_ok(threads[t], smr_lu(threads[t], n, A, ld, pivot, &singular));
            assert_int_equal(singular, -1);
            assert_memory_equal(A, want, (size_t)(ld * n) * sizeof *A);
            assert_memory_equal(pivot, order, (size_t)n * sizeof *pivot);
        }
        free(A), free(want), free(pivot), free(order);
    }
    for (int t = 0; t < 3; t++) check_ctx_end(threads[t]);
}

static void every_tier_has_the_same_bits(void **state)
{
    enum { N = 150 };
    static const char *const tiers[] = {"base", "v3", "v4", "vnni"};
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    const char *before = smr_kernel_tier();
    int32_t pivot[N], order[N];
    double *want = matrix_new(N * N), *A = matrix_new(N * N);
    matrix_fill(MATRIX_RANDOM, N, N, want, N, 2);
    plain_lu(N, want, N, order);
    for (int t = 0; t < 4; t++) {
        int64_t singular = 0;
        if (!smr_kernel_use(tiers[t])) continue;
        matrix_fill(MATRIX_RANDOM, N, N, A, N, 2);
        check_ok(ctx, smr_lu(ctx, N, A, N, pivot, &singular));
        assert_memory_equal(A, want, N * N * sizeof *A);
    }
    assert_true(smr_kernel_use(before));
    free(A), free(want);
    check_ctx_end(ctx);
}

/* P' L U of the factor. */
static void multiply_back(smr_ctx *ctx, int64_t n, const double *LU, const int32_t *pivot,
                          double *P)
{
    double *L = matrix_new(n * n), *U = matrix_new(n * n);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            if (i <= j) U[i + j * n] = LU[i + j * n];
            L[i + j * n] = i > j ? LU[i + j * n] : i == j;
            P[i + j * n] = 0;
        }
    smr_update u = {n, n, n, {L, 1, n}, {U, 1, n}, P, n, false, false};
    check_ok(ctx, smr_update_run(ctx, &u));
    for (int64_t k = n - 1; k >= 0; k--)
        for (int64_t j = 0; j < n; j++) {
            double swap = P[k + j * n];
            P[k + j * n] = P[pivot[k] + j * n];
            P[pivot[k] + j * n] = swap;
        }
    free(L), free(U);
}

static void residuals_are_rounding(void **state)
{
    static const int64_t large[] = {1, 8, 33, 130, 500, 1000};
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    for (int64_t s = 0; s < SMR_COUNT(large); s++)
        for (enum matrix_kind kind = 0; kind < MATRIX_KINDS; kind++) {
            int64_t n = large[s], singular = 0;
            if (n > 130 && (kind % 4 != 1 || CHECK_MEMORY || CHECK_RACES)) continue;
            double *A = matrix_new(n * n), *LU = matrix_new(n * n), *P = matrix_new(n * n);
            int32_t *pivot = calloc((size_t)n + 1, sizeof *pivot);
            matrix_fill(kind, n, n, A, n, 4);
            memcpy(LU, A, (size_t)(n * n) * sizeof *A);
            check_ok(ctx, smr_lu(ctx, n, LU, n, pivot, &singular));
            if (kind == MATRIX_ZERO) assert_int_equal(singular, 0);
            multiply_back(ctx, n, LU, pivot, P);
            for (int64_t i = 0; i < n * n; i++)
                if (i / n < i % n) assert_true(fabs(LU[i]) <= 1); /* partial pivoting */
            check_ratio("P' L U", kind, n, n, matrix_ratio(n, n, A, n, P, n));
            free(A), free(LU), free(P), free(pivot);
        }
    check_ctx_end(ctx);
}

static void zero_pivots_and_bad_values_are_named(void **state)
{
    enum { N = 140 };
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    static const int64_t at[] = {0, 7, 8, 63, 64, 100, 139};
    double *A = matrix_new(N * N);
    int32_t pivot[N];
    int64_t singular = 0;
    for (int64_t s = 0; s < SMR_COUNT(at); s++) {
        matrix_fill(MATRIX_RANDOM, N, N, A, N, 5);
        memset(A + at[s] * N, 0, N * sizeof *A);
        check_ok(ctx, smr_lu(ctx, N, A, N, pivot, &singular));
        assert_int_equal(singular, at[s]);
    }
    matrix_fill(MATRIX_RANDOM, N, N, A, N, 5);
    A[3 + 70 * N] = NAN;
    check_fails(ctx, smr_lu(ctx, N, A, N, pivot, &singular), SMR_ERR_DATA, "row 4, column 71");
    A[3 + 70 * N] = -INFINITY;
    check_fails(ctx, smr_lu(ctx, N, A, N, pivot, &singular), SMR_ERR_DATA, "row 4, column 71");
    check_fails(ctx, smr_lu(ctx, -3, A, N, pivot, &singular), SMR_ERR_SHAPE, "-3 x -3");
    check_fails(ctx, smr_lu(ctx, N, A, N - 1, pivot, &singular), SMR_ERR_SHAPE, "139 apart");
    free(A);
    check_ctx_end(ctx);
}

static void solves_and_inverses_undo_the_matrix(void **state)
{
    static const int64_t some[] = {0, 1, 6, 24, 25, 130, 300};
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    for (int64_t s = 0; s < SMR_COUNT(some); s++) {
        int64_t n = some[s], singular = 0;
        double *A = matrix_new(n * n), *LU = matrix_new(n * n), *X = matrix_new(n * n);
        double *I = matrix_new(n * n), rcond = 0;
        int32_t *pivot = calloc((size_t)n + 1, sizeof *pivot);
        matrix_fill(MATRIX_RANDOM, n, n, A, n, 8);
        for (int64_t i = 0; i < n; i++) {
            A[i + i * n] += 4;
            I[i + i * n] = 1;
        }
        memcpy(LU, A, (size_t)(n * n) * sizeof *A);
        check_ok(ctx, smr_lu(ctx, n, LU, n, pivot, &singular));
        memcpy(X, A, (size_t)(n * n) * sizeof *A);
        check_ok(ctx, smr_lu_solve(ctx, false, n, n, LU, n, pivot, X, n));
        check_ratio("solve", MATRIX_RANDOM, n, n, matrix_ratio(n, n, I, n, X, n) / 20);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++) X[i + j * n] = A[j + i * n];
        check_ok(ctx, smr_lu_solve(ctx, true, n, n, LU, n, pivot, X, n));
        check_ratio("solve'", MATRIX_RANDOM, n, n, matrix_ratio(n, n, I, n, X, n) / 20);
        check_ok(ctx, smr_lu_rcond(ctx, n, LU, n, matrix_norm(n, n, A, n, NULL, 0), &rcond));
        check_ok(ctx, smr_lu_inverse(ctx, n, LU, n, pivot));
        double product =
            rcond * matrix_norm(n, n, A, n, NULL, 0) * matrix_norm(n, n, LU, n, NULL, 0);
        if (n > 0) assert_true(product > 0.999 && product < 3.001);
        free(A), free(LU), free(X), free(I), free(pivot);
    }
    check_ctx_end(ctx);
}

typedef void (*getrf)(const int *, const int *, double *, const int *, int *, int *);

static void lapack_finds_the_same_pivots(void **state)
{
    enum { N = 190 };
    (void)state;
    LAPACK_ROUTINE(getrf, dgetrf, "dgetrf_");
    smr_ctx *ctx = check_ctx(2);
    double *A = matrix_new(N * N), *B = matrix_new(N * N);
    int32_t pivot[N];
    int theirs[N], n = N, info = 0;
    int64_t singular = 0;
    matrix_fill(MATRIX_RANDOM, N, N, A, N, 11);
    memcpy(B, A, N * N * sizeof *A);
    check_ok(ctx, smr_lu(ctx, N, A, N, pivot, &singular));
    dgetrf(&n, &n, B, &n, theirs, &info);
    for (int k = 0; k < N; k++) assert_int_equal(pivot[k], theirs[k] - 1);
    for (int i = 0; i < N * N; i++) check_near("LU", A[i], B[i], 1e-12);
    free(A), free(B);
    check_ctx_end(ctx);
}

static void memory_and_cancelling_leave_nothing_behind(void **state)
{
    enum { N = 400 };
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    double *A = matrix_new(N * N);
    int32_t pivot[N];
    int64_t singular = 0;
    smr_status st = SMR_ERR_NOMEM;
    for (int64_t n = 0; st != SMR_OK && n < 1000; n = n < 6 ? n + 1 : 2 * n) {
        matrix_fill(MATRIX_RANDOM, N, N, A, N, 12);
        smr_memory_fail_at(ctx, n);
        st = smr_lu(ctx, N, A, N, pivot, &singular);
        assert_true(st == SMR_OK || st == SMR_ERR_NOMEM);
        smr_ctx_clear(ctx);
    }
    assert_int_equal(st, SMR_OK); /* it has asked for less than that */
    smr_memory_fail_at(ctx, -1);
    smr_ctx_cancel(ctx);
    check_fails(ctx, smr_lu(ctx, N, A, N, pivot, &singular), SMR_ERR_CANCELLED, "cancelled");
    free(A);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_has_the_bits_of_the_plain_loop),
        cmocka_unit_test(every_tier_has_the_same_bits),
        cmocka_unit_test(residuals_are_rounding),
        cmocka_unit_test(zero_pivots_and_bad_values_are_named),
        cmocka_unit_test(solves_and_inverses_undo_the_matrix),
        cmocka_unit_test(lapack_finds_the_same_pivots),
        cmocka_unit_test(memory_and_cancelling_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
