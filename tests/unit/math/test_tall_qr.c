/* test_tall_qr.c -- the tree of QRs of a tall matrix: R, Q Z and Q'C, on one level and on many. */
#include "lapack_truth.h"
#include "qr_checks.h"

#include "kernel/kernel.h"

/* One chunk; the border of two; more levels; as wide as tall. */
static const int64_t shapes[][2] = {{0, 0},      {5, 0},     {1, 1},      {2, 1},
                                    {3, 2},      {9, 9},     {40, 40},    {100, 7},
                                    {1024, 50},  {2047, 50}, {2048, 50},  {5000, 17},
                                    {102400, 1}, {52000, 3}, {1000, 120}, {30000, 64}};

/* A becomes Q Z, R is the factor. */
static void factor_and_form(smr_ctx *ctx, int64_t m, int64_t n, double *A, int64_t lda, double *R,
                            int64_t k, const double *Z)
{
    smr_tall_qr *q = NULL;
    check_ok(ctx, smr_tall_qr_create(ctx, m, n, A, lda, R, n, &q));
    check_ok(ctx, smr_tall_qr_form(ctx, q, k, Z, n));
    smr_tall_qr_release(q);
}

static double *unit_matrix(int64_t n)
{
    double *I = matrix_new(n * n);
    for (int64_t i = 0; i < n; i++) I[i + i * n] = 1;
    return I;
}

static void q_r_is_the_matrix(void **state)
{
    (void)state;
    check_no_races();
    smr_ctx *ctx = check_ctx(2);
    for (int64_t s = 0; s < SMR_COUNT(shapes); s++)
        for (enum matrix_kind kind = 0; kind < MATRIX_KINDS; kind++) {
            int64_t m = shapes[s][0], n = shapes[s][1], ld = m + kind % 2;
            if (m * n > (CHECK_MEMORY ? 30000 : 1000000) && kind != MATRIX_GRADED) continue;
            double *A = matrix_new(ld * n), *R = matrix_new(n * n), *I = unit_matrix(n);
            matrix_fill(kind, m, n, A, ld, 1 + (uint64_t)s);
            double *Q = copy_of(A, ld * n);
            for (int64_t i = 0; i < n * n; i++) R[i] = 99;
            factor_and_form(ctx, m, n, Q, ld, R, n, I);
            for (int64_t j = 0; j < n; j++)
                for (int64_t i = j + 1; i < n; i++) assert_true(R[i + j * n] == 0);
            double *back = product_of(ctx, m, n, n, Q, ld, R, n);
            check_ratio("Q R", kind, m, n, matrix_ratio(m, n, A, ld, back, m));
            check_ratio("Q'Q", kind, m, n, matrix_orthogonal(ctx, m, n, Q, ld));
            free(A), free(R), free(I), free(Q), free(back);
        }
    check_ctx_end(ctx);
}

/* Q Z for a narrower Z, against Q and Z; Q'C against Q and C. */
static void products_with_q_are_those_of_the_formed_one(void **state)
{
    static const int64_t cases[][3] = {{60, 60, 3}, {700, 30, 7}, {9000, 40, 1}, {21000, 40, 40}};
    (void)state;
    check_no_races();
    smr_ctx *ctx = check_ctx(2);
    for (int64_t s = 0; s < SMR_COUNT(cases); s++) {
        int64_t m = cases[s][0], n = cases[s][1], k = cases[s][2];
        double *A = matrix_new(m * n), *R = matrix_new(n * n), *I = unit_matrix(n);
        double *Z = matrix_new(n * k), *C = matrix_new(m * k), *Y = matrix_new(n * k);
        matrix_fill(MATRIX_RANDOM, m, n, A, m, 2);
        matrix_fill(MATRIX_RANDOM, n, k, Z, n, 3);
        matrix_fill(MATRIX_RANDOM, m, k, C, m, 4);
        double *Q = copy_of(A, m * n), *B = copy_of(A, m * n), *want = matrix_new(n * k);
        factor_and_form(ctx, m, n, Q, m, R, n, I);
        factor_and_form(ctx, m, n, B, m, R, k, Z);
        double *QZ = product_of(ctx, m, k, n, Q, m, Z, n);
        check_ratio("Q Z", MATRIX_RANDOM, m, k, matrix_ratio(m, k, QZ, m, B, m));
        smr_update u = {n, k, m, {Q, m, 1}, {C, 1, m}, want, n, false, false};
        check_ok(ctx, smr_update_run(ctx, &u));
        smr_tall_qr *q = NULL;
        check_ok(ctx, smr_tall_qr_create(ctx, m, n, A, m, R, n, &q));
        check_ok(ctx, smr_tall_qr_project(ctx, q, k, C, m, Y, n));
        double off = matrix_norm(n, k, want, n, Y, n), size = matrix_norm(m, k, C, m, NULL, 0);
        check_ratio("Q'C", MATRIX_RANDOM, m, k, off / size / DBL_EPSILON / (double)n);
        check_ok(ctx, smr_tall_qr_form(ctx, q, n, I, n)); /* projecting has left the tree alone */
        assert_memory_equal(A, Q, (size_t)(m * n) * sizeof *A);
        smr_tall_qr_release(q);
        free(A), free(R), free(I), free(Z), free(C), free(Y), free(Q), free(B), free(want),
            free(QZ);
    }
    check_ctx_end(ctx);
}

typedef void (*geqrf)(const int *, const int *, double *, const int *, double *, double *,
                      const int *, int *);

static void lapack_finds_the_same_triangle(void **state)
{
    enum { M = 12000, N = 40, WORK = 100000 };
    (void)state;
    check_no_races();
    LAPACK_ROUTINE(geqrf, dgeqrf, "dgeqrf_");
    smr_ctx *ctx = check_ctx(2);
    double *A = matrix_new(M * N), R[N * N], tau[N], *work = matrix_new(WORK);
    int m = M, n = N, room = WORK, info = 0;
    smr_tall_qr *q = NULL;
    matrix_fill(MATRIX_RANDOM, M, N, A, M, 9);
    double *B = copy_of(A, M * N);
    check_ok(ctx, smr_tall_qr_create(ctx, M, N, A, M, R, N, &q));
    dgeqrf(&m, &n, B, &m, tau, work, &room, &info);
    for (int j = 0; j < N; j++)
        for (int i = 0; i <= j; i++) check_near("R", fabs(R[i + j * N]), fabs(B[i + j * M]), 1e-12);
    smr_tall_qr_release(q);
    free(A), free(B), free(work);
    check_ctx_end(ctx);
}

/* R, Q'C and Q, one after another. */
static double *everything(smr_ctx *ctx, int64_t m, int64_t n, int64_t *count)
{
    *count = m * n + 2 * n * n;
    double *all = matrix_new(*count), *A = all, *R = A + m * n, *Y = R + n * n;
    double *C = matrix_new(m * n), *I = unit_matrix(n);
    smr_tall_qr *q = NULL;
    matrix_fill(MATRIX_RANDOM, m, n, A, m, 21);
    matrix_fill(MATRIX_RANDOM, m, n, C, m, 22);
    check_ok(ctx, smr_tall_qr_create(ctx, m, n, A, m, R, n, &q));
    check_ok(ctx, smr_tall_qr_project(ctx, q, n, C, m, Y, n));
    check_ok(ctx, smr_tall_qr_form(ctx, q, n, I, n));
    smr_tall_qr_release(q);
    free(C), free(I);
    return all;
}

static void bits_do_not_depend_on_threads_or_tier(void **state)
{
    static const int64_t cases[][2] = {{30, 6}, {3000, 33}, {24000, 21}};
    static const char *const tiers[] = {"base", "v3", "v4", "vnni"};
    (void)state;
    smr_ctx *ctx[] = {check_ctx(1), check_ctx(2), check_ctx(7)};
    const char *before = smr_kernel_tier();
    for (int64_t s = 0; s < SMR_COUNT(cases); s++) {
        int64_t count = 0;
        double *want = everything(ctx[0], cases[s][0], cases[s][1], &count);
        for (int t = 0; t < 6; t++) {
            if (t >= 2 && CHECK_LESS && (CHECK_RACES || t != 3)) continue; /* v3 */
            if (t >= 2 && !smr_kernel_use(tiers[t - 2])) continue;
            double *got = everything(ctx[t == 0 ? 2 : 1], cases[s][0], cases[s][1], &count);
            assert_memory_equal(got, want, (size_t)count * sizeof *got);
            free(got);
        }
        assert_true(smr_kernel_use(before));
        free(want);
    }
    for (int t = 0; t < 3; t++) check_ctx_end(ctx[t]);
}

static void bad_values_and_shapes_are_named(void **state)
{
    enum { M = 9000, N = 40 };
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    double *A = matrix_new(M * N), *R = matrix_new(N * N), *I = unit_matrix(N);
    smr_tall_qr *q = NULL;
    for (int t = 0; t < 2; t++) {
        matrix_fill(MATRIX_RANDOM, M, N, A, M, 2);
        A[7500 + 33 * M] = t ? NAN : INFINITY;
        check_fails(ctx, smr_tall_qr_create(ctx, M, N, A, M, R, N, &q), SMR_ERR_DATA,
                    "row 7501, column 34 is not finite");
        assert_null(q);
    }
    check_fails(ctx, smr_tall_qr_create(ctx, 3, 4, A, M, R, N, &q), SMR_ERR_SHAPE,
                "this one has 3 and 4");
    check_fails(ctx, smr_tall_qr_create(ctx, M, N, A, M - 1, R, N, &q), SMR_ERR_SHAPE, "apart");
    check_fails(ctx, smr_tall_qr_create(ctx, M, N, A, M, R, N - 1, &q), SMR_ERR_SHAPE, "apart");
    matrix_fill(MATRIX_RANDOM, M, N, A, M, 2);
    check_ok(ctx, smr_tall_qr_create(ctx, M, N, A, M, R, N, &q));
    check_fails(ctx, smr_tall_qr_form(ctx, q, N + 1, I, N), SMR_ERR_SHAPE, "at most 40 are taken");
    I[5] = NAN;
    check_fails(ctx, smr_tall_qr_form(ctx, q, N, I, N), SMR_ERR_DATA, "row 6, column 1");
    double *C = matrix_new(M);
    C[8000] = NAN;
    check_fails(ctx, smr_tall_qr_project(ctx, q, 1, C, M, R, N), SMR_ERR_DATA,
                "row 8001, column 1");
    smr_tall_qr_release(q);
    smr_tall_qr_release(NULL);
    free(A), free(R), free(I), free(C);
    check_ctx_end(ctx);
}

/* The tree, Q'C and Q, as far as memory goes. */
static smr_status all_steps(smr_ctx *ctx, int64_t m, int64_t n, double *A, double *C, double *R)
{
    smr_status st = SMR_OK;
    smr_tall_qr *q = NULL;
    double *I = unit_matrix(n);
    matrix_fill(MATRIX_RANDOM, m, n, A, m, 2);
    TRY(smr_tall_qr_create(ctx, m, n, A, m, R, n, &q));
    TRY(smr_tall_qr_project(ctx, q, 2, C, m, R, n));
    TRY(smr_tall_qr_form(ctx, q, n, I, n));
out:
    smr_tall_qr_release(q);
    free(I);
    return st;
}

static void memory_and_cancelling_leave_nothing_behind(void **state)
{
    enum { M = 12000, N = 20 };
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    double *A = matrix_new(M * N), *C = matrix_new(M * 2), *R = matrix_new(N * N);
    smr_status st = SMR_ERR_NOMEM;
    int64_t k = 0;
    for (; st != SMR_OK && k < 100; k++) {
        smr_memory_fail_at(ctx, k);
        st = all_steps(ctx, M, N, A, C, R);
        assert_true(st == SMR_OK || st == SMR_ERR_NOMEM);
        smr_ctx_clear(ctx);
    }
    assert_true(st == SMR_OK && k > 6);
    smr_memory_fail_at(ctx, -1);
    smr_ctx_cancel(ctx);
    check_fails(ctx, all_steps(ctx, M, N, A, C, R), SMR_ERR_CANCELLED, "cancelled");
    free(A), free(C), free(R);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(q_r_is_the_matrix),
        cmocka_unit_test(products_with_q_are_those_of_the_formed_one),
        cmocka_unit_test(lapack_finds_the_same_triangle),
        cmocka_unit_test(bits_do_not_depend_on_threads_or_tier),
        cmocka_unit_test(bad_values_and_shapes_are_named),
        cmocka_unit_test(memory_and_cancelling_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
