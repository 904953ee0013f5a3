/* test_cholesky.c -- A = L L' has the bits of the textbook's loop, at any size and thread count;
 * what follows from it holds to rounding. */
#include "lapack_truth.h"
#include "matrices.h"

#include "kernel/kernel.h"

/* Edges of panels (16 and 32), blocks (64, 128) and of the two ways (24, 800). */
static const int64_t sizes[] = {0,  1,  2,  3,  5,  15, 16,  17,  23,  24,  25, 31,
                                32, 33, 63, 64, 65, 79, 127, 128, 129, 200, 257};

/* Diagonally dominant, hence positive definite. */
static double *dominant(int64_t n, int64_t ld, uint64_t seed)
{
    double *A = matrix_new(ld * n);
    for (int64_t i = 0; i < ld * n; i++) A[i] = matrix_number(seed, i);
    for (int64_t i = 0; i < n; i++) A[i + i * ld] += (double)n;
    return A;
}

static void plain_cholesky(int64_t n, double *A, int64_t ld)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            double s = A[i + j * ld];
            for (int64_t k = 0; k < j; k++) s = fma(-A[j + k * ld], A[i + k * ld], s);
            A[i + j * ld] = i == j ? sqrt(s) : s / A[j + j * ld];
        }
}

static void every_size_has_the_bits_of_the_plain_loop(void **state)
{
    (void)state;
    smr_ctx *threads[] = {check_ctx(1), check_ctx(2), check_ctx(7)};
    for (int64_t s = 0; s < SMR_COUNT(sizes); s++) {
        int64_t n = sizes[s], ld = n + 2, failed = 0;
        double *want = dominant(n, ld, 1);
        plain_cholesky(n, want, ld);
        for (int t = 0; t < 3; t++) {
            double *A = dominant(n, ld, 1);
            check_ok(threads[t], smr_cholesky(threads[t], n, A, ld, &failed));
            assert_int_equal(failed, -1);
            assert_memory_equal(A, want, (size_t)(ld * n) * sizeof *A);
            free(A);
        }
        free(want);
    }
    for (int t = 0; t < 3; t++) check_ctx_end(threads[t]);
}

static void every_tier_has_the_same_bits(void **state)
{
    enum { N = 161 };
    static const char *const tiers[] = {"base", "v3", "v4", "vnni"};
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    const char *before = smr_kernel_tier();
    double *want = dominant(N, N, 2);
    plain_cholesky(N, want, N);
    for (int t = 0; t < 4; t++) {
        int64_t failed = 0;
        if (!smr_kernel_use(tiers[t])) continue;
        double *A = dominant(N, N, 2);
        check_ok(ctx, smr_cholesky(ctx, N, A, N, &failed));
        assert_memory_equal(A, want, N * N * sizeof *A);
        free(A);
    }
    assert_true(smr_kernel_use(before));
    free(want);
    check_ctx_end(ctx);
}

static void floats_have_the_bits_of_the_plain_loop(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    for (int64_t s = 0; s < SMR_COUNT(sizes); s++) {
        int64_t n = sizes[s], failed = 0;
        double *D = dominant(n, n, 3);
        float *A = calloc((size_t)(n * n) + 1, sizeof *A), *L = calloc((size_t)(n * n) + 1, 4);
        for (int64_t i = 0; i < n * n; i++) A[i] = L[i] = (float)D[i];
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = j; i < n; i++) {
                float sum = L[i + j * n];
                for (int64_t k = 0; k < j; k++) sum = fmaf(-L[j + k * n], L[i + k * n], sum);
                L[i + j * n] = i == j ? sqrtf(sum) : sum / L[j + j * n];
            }
        check_ok(ctx, smr_cholesky_f32(ctx, n, A, n, &failed));
        assert_int_equal(failed, -1);
        assert_memory_equal(A, L, (size_t)(n * n) * sizeof *A);
        free(D), free(A), free(L);
    }
    check_ctx_end(ctx);
}

static double *product_of(smr_ctx *ctx, int64_t n, const double *L, int64_t ld)
{
    double *T = matrix_new(n * n), *P = matrix_new(n * n);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) T[i + j * n] = L[i + j * ld];
    smr_update u = {n, n, n, {T, 1, n}, {T, n, 1}, P, n, false, false};
    check_ok(ctx, smr_update_run(ctx, &u));
    free(T);
    return P;
}

static void residuals_are_rounding(void **state)
{
    static const int64_t large[] = {1, 7, 33, 130, 500, 801, 1000};
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    for (int64_t s = 0; s < SMR_COUNT(large); s++)
        for (enum matrix_kind kind = 0; kind < MATRIX_KINDS; kind++) {
            int64_t n = large[s], failed = 0;
            if (n > 500 && (kind % 4 != 1 || CHECK_MEMORY || CHECK_RACES)) continue;
            bool singular = kind == MATRIX_ZERO || kind == MATRIX_DEFICIENT;
            double *A = matrix_new(n * n), *L = matrix_new(n * n);
            matrix_fill_symmetric(kind, true, n, A, n, 4);
            memcpy(L, A, (size_t)(n * n) * sizeof *A);
            check_ok(ctx, smr_cholesky(ctx, n, L, n, &failed));
            if (failed >= 0) { /* rounding may make a pivot of a singular matrix negative */
                assert_true(singular || kind == MATRIX_NEARLY || kind == MATRIX_GRADED);
            } else {
                double *P = product_of(ctx, n, L, n);
                check_ratio("L L'", kind, n, n, matrix_ratio(n, n, A, n, P, n));
                free(P);
            }
            free(A), free(L);
        }
    check_ctx_end(ctx);
}

static void pivots_that_fail_are_named(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    static const int64_t at[] = {0, 1, 15, 16, 40, 63, 64, 100, 149};
    for (int64_t s = 0; s < SMR_COUNT(at); s++)
        for (int kind = 0; kind < 4; kind++) {
            enum { N = 150 };
            double *A = dominant(N, N, 6), bad[] = {-1e4, 0, NAN, INFINITY};
            int64_t failed = 0;
            for (int64_t j = 0; j < at[s]; j++) A[at[s] + j * N] = kind == 1 ? 0 : A[at[s] + j * N];
            A[at[s] + at[s] * N] = bad[kind];
            check_ok(ctx, smr_cholesky(ctx, N, A, N, &failed));
            assert_int_equal(failed, at[s]);
            free(A);
        }
    double *A = dominant(30, 30, 7);
    int64_t failed = 0;
    A[20 + 3 * 30] = NAN; /* comes to light at its row's pivot */
    check_ok(ctx, smr_cholesky(ctx, 30, A, 30, &failed));
    assert_int_equal(failed, 20);
    free(A);
    check_fails(ctx, smr_cholesky(ctx, -1, NULL, 0, &failed), SMR_ERR_SHAPE, "-1 x -1");
    check_fails(ctx, smr_cholesky(ctx, 5, NULL, 4, &failed), SMR_ERR_SHAPE, "4 apart");
    check_fails(ctx, smr_cholesky(ctx, INT64_MAX / 2, NULL, INT64_MAX / 2, &failed), SMR_ERR_SHAPE,
                "past what can be counted");
    check_ctx_end(ctx);
}

static void solves_and_inverses_undo_the_matrix(void **state)
{
    static const int64_t some[] = {1, 6, 24, 25, 130, 300};
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    for (int64_t s = 0; s < SMR_COUNT(some); s++) {
        int64_t n = some[s], failed = 0;
        double *A = dominant(n, n, 8), *L = matrix_new(n * n), *I = matrix_new(n * n);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < j; i++) A[i + j * n] = A[j + i * n];
        memcpy(L, A, (size_t)(n * n) * sizeof *A);
        check_ok(ctx, smr_cholesky(ctx, n, L, n, &failed));
        double *X = matrix_new(n * n);
        memcpy(X, A, (size_t)(n * n) * sizeof *A);
        check_ok(ctx, smr_cholesky_solve(ctx, n, n, L, n, X, n));
        for (int64_t i = 0; i < n; i++) I[i + i * n] = 1;
        check_ratio("solve", MATRIX_RANDOM, n, n, matrix_ratio(n, n, I, n, X, n));
        check_ok(ctx, smr_cholesky_inverse(ctx, n, L, n));
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < j; i++) L[i + j * n] = L[j + i * n];
        memset(X, 0, (size_t)(n * n) * sizeof *X);
        smr_update u = {n, n, n, {A, 1, n}, {L, 1, n}, X, n, false, false};
        check_ok(ctx, smr_update_run(ctx, &u));
        check_ratio("inverse", MATRIX_RANDOM, n, n, matrix_ratio(n, n, I, n, X, n));
        free(A), free(L), free(X), free(I);
    }
    check_ctx_end(ctx);
}

/* L L' + x x' is a factorisation of the sum; taking x away again gives L back. */
static void rows_come_and_go(void **state)
{
    static const int64_t some[] = {1, 2, 9, 40, 150};
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    for (int64_t s = 0; s < SMR_COUNT(some); s++) {
        int64_t n = some[s], failed = 0;
        double *A = dominant(n, n, 9), *L = matrix_new(n * n), *x = matrix_new(n);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < j; i++) A[i + j * n] = A[j + i * n];
        memcpy(L, A, (size_t)(n * n) * sizeof *A);
        check_ok(ctx, smr_cholesky(ctx, n, L, n, &failed));
        for (int64_t i = 0; i < n; i++) x[i] = 3 * matrix_number(10, i);
        smr_cholesky_add(n, L, n, x);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++)
                A[i + j * n] += 9 * matrix_number(10, i) * matrix_number(10, j);
        double *P = product_of(ctx, n, L, n);
        check_ratio("a row more", MATRIX_RANDOM, n, n, matrix_ratio(n, n, A, n, P, n));
        free(P);
        for (int64_t i = 0; i < n; i++) x[i] = 3 * matrix_number(10, i);
        assert_true(smr_cholesky_drop(n, L, n, x));
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++)
                A[i + j * n] -= 9 * matrix_number(10, i) * matrix_number(10, j);
        P = product_of(ctx, n, L, n);
        check_ratio("a row less", MATRIX_RANDOM, n, n, matrix_ratio(n, n, A, n, P, n));
        memcpy(A, L, (size_t)(n * n) * sizeof *A);
        for (int64_t i = 0; i < n; i++) x[i] = 1e3 * matrix_number(10, i);
        assert_false(smr_cholesky_drop(n, L, n, x)); /* more than there is */
        assert_memory_equal(A, L, (size_t)(n * n) * sizeof *A);
        free(P), free(A), free(L), free(x);
    }
    check_ctx_end(ctx);
}

/* Hilbert's matrices: the estimate is rarely 3 times too good. */
static void conditions_are_near_the_truth(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    for (int64_t n = 1; n < 12; n++) {
        double *A = matrix_new(n * n), *L = matrix_new(n * n), rcond = 0, norm, inverse;
        int64_t failed = 0;
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++) A[i + j * n] = 1 / (double)(i + j + 1);
        memcpy(L, A, (size_t)(n * n) * sizeof *A);
        norm = matrix_norm(n, n, A, n, NULL, 0);
        check_ok(ctx, smr_cholesky(ctx, n, L, n, &failed));
        check_ok(ctx, smr_cholesky_rcond(ctx, n, L, n, norm, &rcond));
        check_ok(ctx, smr_cholesky_inverse(ctx, n, L, n));
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < j; i++) L[i + j * n] = L[j + i * n];
        inverse = matrix_norm(n, n, L, n, NULL, 0);
        assert_true(rcond * norm * inverse > 0.999 && rcond * norm * inverse < 3.001);
        free(A), free(L);
    }
    check_ctx_end(ctx);
}

typedef void (*potrf)(const char *, const int *, double *, const int *, int *, size_t);

static void lapack_finds_the_same_factor(void **state)
{
    enum { N = 180 };
    (void)state;
    LAPACK_ROUTINE(potrf, dpotrf, "dpotrf_");
    smr_ctx *ctx = check_ctx(2);
    double *A = dominant(N, N, 12), *B = dominant(N, N, 12);
    int64_t failed = 0;
    int n = N, info = 0;
    check_ok(ctx, smr_cholesky(ctx, N, A, N, &failed));
    dpotrf("L", &n, B, &n, &info, 1);
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = j; i < N; i++)
            check_near("L", A[i + j * N], B[i + j * N], 20 * DBL_EPSILON);
    free(A), free(B);
    check_ctx_end(ctx);
}

static void memory_and_cancelling_leave_nothing_behind(void **state)
{
    enum { N = 900 };
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    double *A = dominant(N, N, 13);
    int64_t failed = 0;
    smr_status st = SMR_ERR_NOMEM;
    for (int64_t n = 0; st != SMR_OK && n < 200; n++) {
        for (int64_t i = 0; i < N; i++) A[i + i * N] = 3 * N;
        smr_memory_fail_at(ctx, n);
        st = smr_cholesky(ctx, N, A, N, &failed);
        assert_true(st == SMR_OK || st == SMR_ERR_NOMEM);
        smr_ctx_clear(ctx);
        if (n == 12) n = 100; /* all the steps ask for the same */
    }
    smr_memory_fail_at(ctx, -1);
    smr_ctx_cancel(ctx);
    check_fails(ctx, smr_cholesky(ctx, N, A, N, &failed), SMR_ERR_CANCELLED, "cancelled");
    free(A);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_has_the_bits_of_the_plain_loop),
        cmocka_unit_test(every_tier_has_the_same_bits),
        cmocka_unit_test(floats_have_the_bits_of_the_plain_loop),
        cmocka_unit_test(residuals_are_rounding),
        cmocka_unit_test(pivots_that_fail_are_named),
        cmocka_unit_test(solves_and_inverses_undo_the_matrix),
        cmocka_unit_test(rows_come_and_go),
        cmocka_unit_test(conditions_are_near_the_truth),
        cmocka_unit_test(lapack_finds_the_same_factor),
        cmocka_unit_test(memory_and_cancelling_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
