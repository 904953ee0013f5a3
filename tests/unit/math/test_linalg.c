/* test_linalg.c -- linear algebra against worked figures and its own definitions. */
#include "check.h"

#include "core/rng.h"
#include "math/factor.h"
#include "math/linalg.h"

#include <float.h>

/* High-entropy entries in (-1, 1). */
static void fill(double *A, int64_t n, uint64_t seed)
{
    for (int64_t i = 0; i < n; i++)
        A[i] = 2 * smr_random_unit(seed, SMR_STREAM_TEST, 0, (uint64_t)i) - 1;
}

static void multiply(int64_t m, int64_t k, int64_t n, const double *A, const double *B, double *C)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            C[i * n + j] = 0;
            for (int64_t l = 0; l < k; l++) C[i * n + j] += A[i * k + l] * B[l * n + j];
        }
}

static void determinants_of_the_course_notes_are_exact(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    double a[] = {1, 7, 2, -4}, b[] = {2, 3, 7, -3, 4, 0, 1, -1, 6}, det = 0, size = 0;
    check_ok(ctx, smr_matrix_det(ctx, 2, a, &det, NULL));
    assert_true(det == -18);
    check_ok(ctx, smr_matrix_det(ctx, 3, b, &det, &size));
    assert_true(det == 95);
    check_near("log", size, log(95), 1e-15);
    check_ctx_end(ctx);
}

static void determinant_of_a_singular_matrix_is_zero(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    double a[] = {3, -9, 2, -6}, det = 1, none = 0;
    check_ok(ctx, smr_matrix_det(ctx, 2, a, &det, NULL));
    assert_true(det == 0);
    check_ok(ctx, smr_matrix_det(ctx, 0, &none, &det, NULL));
    assert_true(det == 1); /* the empty product */
    check_ctx_end(ctx);
}

/* Permutations of rows flip the sign; fractions go through LU and must agree with whole numbers. */
static void whole_and_rounded_determinants_agree(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    double a[49], b[49], whole = 0, rounded = 0, size = 0;
    fill(a, 49, 3);
    for (int i = 0; i < 49; i++) {
        a[i] = floor(20 * a[i]);
        b[i] = a[i] / 4096.0 / 3.0; /* no longer whole */
    }
    a[0] = 0; /* needs a row exchange */
    b[0] = 0;
    check_ok(ctx, smr_matrix_det(ctx, 7, a, &whole, NULL));
    check_ok(ctx, smr_matrix_det(ctx, 7, b, &rounded, &size));
    assert_true(whole == floor(whole) && whole != 0);
    check_near("det", rounded * pow(4096.0 * 3.0, 7) / whole, 1, 1e-12);
    check_near("log", size, log(fabs(rounded)), 1e-12);
    for (int j = 0; j < 7; j++) {
        double swap = a[j];
        a[j] = a[7 + j];
        a[7 + j] = swap;
    }
    double swapped = 0;
    check_ok(ctx, smr_matrix_det(ctx, 7, a, &swapped, NULL));
    assert_true(swapped == -whole);
    check_ctx_end(ctx);
}

static void determinant_too_large_for_a_double_keeps_its_logarithm(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    double a[16] = {1.5e200, 0, 0, 0, 0, 2e200, 0, 0, 0, 0, 1e10, 0, 0, 0, 0, -1}, det = 0,
           size = 0;
    check_ok(ctx, smr_matrix_det(ctx, 4, a, &det, &size));
    assert_true(isinf(det) && det < 0);
    check_near("log", size, log(3.0) + 410 * log(10.0), 1e-14);
    check_ctx_end(ctx);
}

static void inverse_of_the_course_notes(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    double a[] = {1, 2, 3, -5}, inverse[4], want[] = {5.0 / 11, 2.0 / 11, 3.0 / 11, -1.0 / 11};
    check_ok(ctx, smr_matrix_inverse(ctx, 2, a, inverse));
    for (int i = 0; i < 4; i++) check_near("inverse", inverse[i], want[i], 2 * DBL_EPSILON);
    check_ctx_end(ctx);
}

static void singular_matrices_are_reported_with_their_condition(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    double a[] = {3, -9, 2, -6}, b[] = {1, 1}, out[4];
    double c[] = {0.1, 0.7, 0.3, 2.1 + 1e-17}, d[] = {1, 2, NAN, 4};
    check_fails(ctx, smr_matrix_inverse(ctx, 2, a, out), SMR_ERR_NUMERIC, "singular");
    check_fails(ctx, smr_matrix_solve(ctx, 2, 1, a, b, out), SMR_ERR_NUMERIC, "condition number");
    check_fails(ctx, smr_matrix_inverse(ctx, 2, c, out), SMR_ERR_NUMERIC, "condition number");
    check_fails(ctx, smr_matrix_inverse(ctx, 2, d, out), SMR_ERR_DATA, "row 2, column 1");
    check_ctx_end(ctx);
}

/* diag(1, 1e-30) has condition 1e30 and is as easy to invert as the identity. */
static void badly_scaled_matrices_are_not_called_singular(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    double a[] = {2, 1e-30, 1e30, 4}, b[] = {3, 5e30}, x[2];
    check_ok(ctx, smr_matrix_solve(ctx, 2, 1, a, b, x)); /* u + v = ... with v = 1e-30 y */
    check_near("row 1", 2 * x[0] + 1e-30 * x[1], 3, 1e-14);
    check_near("row 2", (1e30 * x[0] + 4 * x[1]) / 1e30, 5, 1e-14);
    check_ctx_end(ctx);
}

static void solutions_and_inverses_satisfy_their_equations(void **unused)
{
    (void)unused;
    enum { N = 37, M = 5 };
    static double a[N * N], b[N * M], x[N * M], c[N * N], inverse[N * N];
    smr_ctx *ctx = check_ctx(1);
    fill(a, N * N, 11);
    fill(b, N * M, 12);
    check_ok(ctx, smr_matrix_solve(ctx, N, M, a, b, x));
    multiply(N, N, M, a, x, c);
    for (int i = 0; i < N * M; i++) check_near("A x", c[i], b[i], 1e-12);
    check_ok(ctx, smr_matrix_inverse(ctx, N, a, inverse));
    multiply(N, N, N, a, inverse, c);
    for (int i = 0; i < N * N; i++) check_near("A A^-1", c[i], i % (N + 1) == 0, 1e-11);
    check_ctx_end(ctx);
}

static void eigen_decomposition_rebuilds_the_matrix(void **unused)
{
    (void)unused;
    enum { N = 23 };
    static double a[N * N], values[N], V[N * N], VD[N * N], Vt[N * N], c[N * N];
    smr_ctx *ctx = check_ctx(1);
    fill(a, N * N, 5);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++) a[i * N + j] = a[j * N + i];
    check_ok(ctx, smr_matrix_eigen(ctx, N, a, values, V));
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            VD[i * N + k] = V[i * N + k] * values[k];
            Vt[k * N + i] = V[i * N + k];
        }
    multiply(N, N, N, VD, Vt, c);
    for (int i = 0; i < N * N; i++) check_near("V D V'", c[i], a[i], 1e-13);
    for (int k = 1; k < N; k++) assert_true(values[k - 1] >= values[k]);
    multiply(N, N, N, Vt, V, c);
    for (int i = 0; i < N * N; i++) check_near("V'V", c[i], i % (N + 1) == 0, 1e-13);
    for (int k = 0; k < N; k++) {
        double largest = 0;
        for (int i = 0; i < N; i++)
            if (fabs(V[i * N + k]) > fabs(largest)) largest = V[i * N + k];
        assert_true(largest > 0);
    }
    double skew[] = {1, 2, 2.5, 1};
    check_fails(ctx, smr_matrix_eigen(ctx, 2, skew, values, V), SMR_ERR_DATA, "not symmetric");
    check_ctx_end(ctx);
}

static void svd_rebuilds(int64_t m, int64_t n)
{
    double a[19 * 19], U[19 * 19], s[19], Vt[19 * 19];
    int64_t k = SMR_MIN(m, n);
    smr_ctx *ctx = check_ctx(1);
    fill(a, m * n, 7);
    check_ok(ctx, smr_matrix_svd(ctx, m, n, a, U, s, Vt));
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < k; l++) sum += U[i * k + l] * s[l] * Vt[l * n + j];
            check_near("U S V'", sum, a[i * n + j], 1e-13);
        }
    for (int64_t l = 1; l < k; l++) assert_true(s[l - 1] >= s[l] && s[l] >= 0);
    for (int64_t p = 0; p < k; p++)
        for (int64_t q = 0; q < k; q++) {
            double u = 0, v = 0;
            for (int64_t i = 0; i < m; i++) u += U[i * k + p] * U[i * k + q];
            for (int64_t j = 0; j < n; j++) v += Vt[p * n + j] * Vt[q * n + j];
            check_near("U'U", u, p == q, 1e-13);
            check_near("V'V", v, p == q, 1e-13);
        }
    check_ctx_end(ctx);
}

static void singular_values_rebuild_tall_and_wide_matrices(void **unused)
{
    (void)unused;
    svd_rebuilds(19, 7);
    svd_rebuilds(7, 19);
    svd_rebuilds(1, 5);
    svd_rebuilds(5, 5);
}

static void values_that_are_not_finite_are_refused(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    double a[] = {1, 2, NAN, 4, 5, 6, 7, 8, INFINITY}, U[9], s[3], Vt[9];
    check_fails(ctx, smr_matrix_svd(ctx, 3, 3, a, U, s, Vt), SMR_ERR_DATA, "row 1, column 3");
    check_fails(ctx, smr_matrix_eigen(ctx, 3, a, s, U), SMR_ERR_DATA, "not finite");
    check_fails(ctx, smr_eigen(ctx, 3, a, 3, s), SMR_ERR_DATA, "row 3, column 1");
    check_fails(ctx, smr_svd(ctx, 3, 3, a, 3, s, U, 3, Vt, 3), SMR_ERR_DATA, "not finite");
    check_ctx_end(ctx);
}

static void cholesky_and_qr_rebuild_the_matrix(void **unused)
{
    (void)unused;
    enum { M = 17, N = 11 };
    static double a[M * N], g[N * N], L[N * N], Q[M * N], R[N * N], c[M * N];
    smr_ctx *ctx = check_ctx(1);
    fill(a, M * N, 21);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < M; k++) g[i * N + j] += a[k * N + i] * a[k * N + j];
    check_ok(ctx, smr_matrix_cholesky(ctx, N, g, L));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < N; k++) s += L[i * N + k] * L[j * N + k];
            check_near("L L'", s, g[i * N + j], 1e-13);
            if (j > i) assert_true(L[i * N + j] == 0);
        }
    check_ok(ctx, smr_matrix_qr(ctx, M, N, a, Q, R));
    multiply(M, N, N, Q, R, c);
    for (int i = 0; i < M * N; i++) check_near("Q R", c[i], a[i], 1e-13);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) /* R'R = A'A and a positive diagonal: R = L' */
            check_near("R = L'", R[i * N + j], L[j * N + i], 1e-12);
    double indefinite[] = {1, 2, 2, 1};
    check_fails(ctx, smr_matrix_cholesky(ctx, 2, indefinite, L), SMR_ERR_NUMERIC,
                "pivot 2 is not positive");
    check_ctx_end(ctx);
}

/* ---- inside parallel regions ---- */

enum { BIG = 150, TASKS = 8 };

struct many {
    const double *A;
    double values[TASKS][BIG];
};

static smr_status decompose(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct many *m = arg;
    smr_status st = SMR_OK;
    double *V = NULL;
    (void)lane;
    TRY_NEW(V, BIG * BIG);
    TRY(smr_matrix_eigen(ctx, BIG, m->A, m->values[task], V));
out:
    smr_free(V);
    return st;
}

static void calls_from_many_threads_give_the_same_bits(void **unused)
{
    (void)unused;
    static double a[BIG * BIG];
    static struct many m;
    fill(a, BIG * BIG, 9);
    for (int i = 0; i < BIG; i++)
        for (int j = 0; j < i; j++) a[i * BIG + j] = a[j * BIG + i];
    m.A = a;
    for (int threads = 1; threads <= 7; threads += 3) {
        smr_ctx *ctx = check_ctx(threads);
        double first[BIG];
        if (threads > 1) memcpy(first, m.values[0], sizeof first);
        check_ok(ctx, smr_parallel(ctx, NULL, TASKS, decompose, &m));
        if (threads > 1) assert_memory_equal(first, m.values[0], sizeof first);
        for (int t = 1; t < TASKS; t++)
            assert_memory_equal(m.values[t], m.values[0], sizeof m.values[0]);
        check_ctx_end(ctx);
    }
}

static void every_failing_allocation_is_survived(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    double a[] = {4, 1, 0.5, 1, 3, 0.25, 0.5, 0.25, 5.5}, x[9], y[9], s[3];
    for (int64_t n = 0;; n++) {
        smr_memory_fail_at(ctx, n);
        smr_status st = smr_matrix_inverse(ctx, 3, a, x);
        if (st == SMR_OK) st = smr_matrix_solve(ctx, 3, 3, a, a, x);
        if (st == SMR_OK) st = smr_matrix_det(ctx, 3, a, s, NULL);
        if (st == SMR_OK) st = smr_matrix_eigen(ctx, 3, a, s, x);
        if (st == SMR_OK) st = smr_matrix_svd(ctx, 3, 3, a, x, s, y);
        if (st == SMR_OK) st = smr_matrix_cholesky(ctx, 3, a, x);
        if (st == SMR_OK) st = smr_matrix_qr(ctx, 3, 3, a, x, y);
        smr_memory_fail_at(ctx, -1);
        assert_int_equal(smr_ctx_memory(ctx, NULL), 0);
        if (st == SMR_OK) break;
        assert_int_equal(st, SMR_ERR_NOMEM);
        smr_ctx_clear(ctx);
        assert_true(n < 100);
    }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(determinants_of_the_course_notes_are_exact),
        cmocka_unit_test(determinant_of_a_singular_matrix_is_zero),
        cmocka_unit_test(whole_and_rounded_determinants_agree),
        cmocka_unit_test(determinant_too_large_for_a_double_keeps_its_logarithm),
        cmocka_unit_test(inverse_of_the_course_notes),
        cmocka_unit_test(singular_matrices_are_reported_with_their_condition),
        cmocka_unit_test(badly_scaled_matrices_are_not_called_singular),
        cmocka_unit_test(solutions_and_inverses_satisfy_their_equations),
        cmocka_unit_test(eigen_decomposition_rebuilds_the_matrix),
        cmocka_unit_test(singular_values_rebuild_tall_and_wide_matrices),
        cmocka_unit_test(values_that_are_not_finite_are_refused),
        cmocka_unit_test(cholesky_and_qr_rebuild_the_matrix),
        cmocka_unit_test(calls_from_many_threads_give_the_same_bits),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
