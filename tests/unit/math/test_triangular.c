/* test_triangular.c -- triangular solves have the bits of substitution, whatever the side. */
#include "matrices.h"

#include "kernel/kernel.h"

static const int64_t sizes[] = {0, 1, 2, 5, 8, 15, 16, 17, 23, 24, 25, 64, 127, 128, 129, 200, 300};
static const int64_t columns[] = {0, 1, 2, 3, 4, 5, 15, 16, 17, 40};

/* Unit-sized diagonal, smaller rest: solutions stay of order 1. */
static double *triangle(int64_t n, int64_t ld, uint64_t seed)
{
    double *T = matrix_new(ld * n);
    for (int64_t i = 0; i < ld * n; i++)
        T[i] = matrix_number(seed, i) / (double)(n > 4 ? n / 4 : 1);
    for (int64_t i = 0; i < n; i++) T[i + i * ld] = 1 + 0.5 * matrix_number(seed + 1, i);
    return T;
}

/* Entry (i, j) of the matrix that is solved with. */
static double entry(smr_side s, const double *T, int64_t ld, int64_t i, int64_t j)
{
    if (i == j && s.unit) return 1;
    int64_t r = s.transpose ? j : i, c = s.transpose ? i : j;
    return (s.upper ? r <= c : r >= c) ? T[r + c * ld] : 0;
}

/* Forwards the chain is over ascending k; backwards it begins with the last 128 unknowns. */
static void substitute(smr_side s, int64_t n, const double *T, int64_t ld, double *x)
{
    bool forwards = s.upper == s.transpose;
    for (int64_t t = 0; t < n; t++) {
        int64_t i = forwards ? t : n - 1 - t;
        double sum = x[i];
        for (int64_t k = 0; k < i && forwards; k++) sum = fma(-entry(s, T, ld, i, k), x[k], sum);
        for (int64_t b = 0; b < t && !forwards; b += 128) { /* blocks from the end */
            int64_t hi = n - b, lo = SMR_MAX(hi - 128, 0);
            if (lo > i)
                for (int64_t k = lo; k < hi; k++) sum = fma(-entry(s, T, ld, i, k), x[k], sum);
            else /* its own block: from the end on */
                for (int64_t k = hi - 1; k > i; k--) sum = fma(-entry(s, T, ld, i, k), x[k], sum);
        }
        x[i] = s.unit ? sum : sum / entry(s, T, ld, i, i);
    }
}

static void check_side(smr_ctx **threads, smr_side side, int64_t n, int64_t m)
{
    int64_t ldt = n + 1, ldb = n + 3;
    double *T = triangle(n, ldt, 1), *B = matrix_new(ldb * m), *want = matrix_new(ldb * m);
    for (int64_t i = 0; i < ldb * m; i++) want[i] = matrix_number(3, i);
    for (int64_t j = 0; j < m; j++) substitute(side, n, T, ldt, want + j * ldb);
    for (int t = 0; t < 2; t++) {
        for (int64_t i = 0; i < ldb * m; i++) B[i] = matrix_number(3, i);
        check_ok(threads[t], smr_triangular_solve(threads[t], side, n, m, T, ldt, B, ldb));
        if (memcmp(B, want, (size_t)(ldb * m) * sizeof *B) != 0)
            fail_msg("%lld x %lld, %lld columns: other bits", (long long)n, (long long)n,
                     (long long)m);
    }
    free(T), free(B), free(want);
}

static void every_side_has_the_bits_of_substitution(void **state)
{
    (void)state;
    smr_ctx *threads[] = {check_ctx(1), check_ctx(7)};
    for (int bits = 0; bits < 8; bits++)
        for (int64_t s = 0; s < SMR_COUNT(sizes); s++)
            for (int64_t c = 0; c<SMR_COUNT(columns); c += sizes[s]> 100 ? 3 : 1)
                check_side(threads, (smr_side){bits & 1, bits & 2, bits & 4}, sizes[s], columns[c]);
    check_side(threads, (smr_side){.upper = true}, 20, 1000); /* small, but many */
    for (int t = 0; t < 2; t++) check_ctx_end(threads[t]);
}

static void floats_solve_to_rounding(void **state)
{
    enum { N = 140, M = 37 };
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    double *T = triangle(N, N, 5);
    float *F = calloc(N * N, sizeof *F), *B = calloc(N * M, sizeof *B);
    for (int i = 0; i < N * N; i++) F[i] = (float)T[i];
    for (int bits = 0; bits < 4; bits++) {
        smr_side side = {bits & 1, bits & 2, false};
        double *X = matrix_new(N * M);
        for (int i = 0; i < N * N; i++) T[i] = (double)F[i];
        for (int i = 0; i < N * M; i++) {
            B[i] = (float)matrix_number(6, i);
            X[i] = (double)B[i];
        }
        check_ok(ctx, smr_triangular_solve(ctx, side, N, M, T, N, X, N));
        check_ok(ctx, smr_triangular_solve_f32(ctx, side, N, M, F, N, B, N));
        for (int i = 0; i < N * M; i++) check_near("x", (double)B[i], X[i], 2e-5);
        free(X);
    }
    free(T), free(F), free(B);
    check_ctx_end(ctx);
}

static void zeros_on_the_diagonal_are_named(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    double *T = triangle(40, 40, 8), b[40] = {1}, rcond = 1;
    T[30 + 30 * 40] = 0;
    check_fails(ctx, smr_triangular_solve(ctx, (smr_side){0}, 40, 1, T, 40, b, 40), SMR_ERR_NUMERIC,
                "zero at row 31");
    check_ok(ctx, smr_triangular_solve(ctx, (smr_side){.unit = true}, 40, 1, T, 40, b, 40));
    check_ok(ctx, smr_triangular_rcond(ctx, false, 40, T, 40, &rcond));
    assert_true(rcond == 0);
    check_fails(ctx, smr_triangular_solve(ctx, (smr_side){0}, 40, 1, T, 39, b, 40), SMR_ERR_SHAPE,
                "39 apart");
    free(T);
    check_ctx_end(ctx);
}

static void inverses_and_conditions_agree(void **state)
{
    static const int64_t some[] = {0, 1, 5, 24, 128, 129, 300};
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    for (int64_t s = 0; s < SMR_COUNT(some); s++)
        for (int upper = 0; upper < 2; upper++) {
            int64_t n = some[s];
            double *T = triangle(n, n, 9), *I = matrix_new(n * n), *P = matrix_new(n * n);
            double rcond = 0;
            for (int64_t j = 0; j < n; j++)
                for (int64_t i = 0; i < n; i++)
                    if (upper ? i > j : i < j) T[i + j * n] = 0;
            double *X = matrix_new(n * n);
            memcpy(X, T, (size_t)(n * n) * sizeof *T);
            check_ok(ctx, smr_triangular_rcond(ctx, upper, n, T, n, &rcond));
            check_ok(ctx, smr_triangular_inverse(ctx, upper, n, X, n));
            for (int64_t i = 0; i < n; i++) I[i + i * n] = 1;
            smr_update u = {n, n, n, {T, 1, n}, {X, 1, n}, P, n, false, false};
            check_ok(ctx, smr_update_run(ctx, &u));
            check_ratio("inverse", MATRIX_RANDOM, n, n, matrix_ratio(n, n, I, n, P, n));
            double product =
                rcond * matrix_norm(n, n, T, n, NULL, 0) * matrix_norm(n, n, X, n, NULL, 0);
            if (n > 0) assert_true(product > 0.999 && product < 3.001);
            if (n == 0) assert_true(rcond == 1);
            free(T), free(X), free(I), free(P);
        }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_side_has_the_bits_of_substitution),
        cmocka_unit_test(floats_solve_to_rounding),
        cmocka_unit_test(zeros_on_the_diagonal_are_named),
        cmocka_unit_test(inverses_and_conditions_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
