/* test_update.c -- products that continue: every cut has the bits of the plain loop. */
#include "check.h"

#include "core/rng.h"
#include "kernel/kernel.h"
#include "math/product.h"

static double number(int64_t i)
{
    return 2 * smr_random_unit(3, SMR_STREAM_TEST, 1, (uint64_t)i) - 1;
}

static double *numbers(int64_t n, int64_t from)
{
    double *x = malloc(((size_t)n + 1) * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++) x[i] = number(from + i);
    return x;
}

/* Edges of panels (16), strips (28, 112), tasks (128, 512), blocks of steps (256), and of the ways
 * that few rows, few columns or many of both take. */
static const int64_t shapes[][3] = {
    {1, 1, 1},     {3, 2, 5},    {5, 5, 0},     {0, 4, 3},     {7, 0, 2},    {17, 5, 33},
    {16, 28, 16},  {64, 64, 64}, {129, 29, 31}, {300, 4, 70},  {300, 3, 70}, {513, 1, 257},
    {257, 127, 3}, {700, 90, 9}, {40, 300, 25}, {33, 65, 700}, {161, 160, 1}};

struct variant {
    bool turn_a, turn_b, minus, lower;
};

static void fill_plain(const smr_update *u, double *C)
{
    for (int64_t j = 0; j < u->n; j++)
        for (int64_t i = u->lower ? j : 0; i < u->m; i++) {
            const double *a = u->A.at + i * u->A.down, *b = u->B.at + j * u->B.across;
            double sum = C[i + j * u->ldc], sign = u->minus ? -1 : 1;
            for (int64_t k = 0; k < u->k; k++)
                sum = fma(sign * a[k * u->A.across], b[k * u->B.down], sum);
            C[i + j * u->ldc] = sum;
        }
}

static void check_variant(smr_ctx **threads, const int64_t *shape, struct variant v)
{
    int64_t m = shape[0], n = v.lower ? SMR_MIN(shape[0], shape[1]) : shape[1], k = shape[2];
    int64_t lda = (v.turn_a ? k : m) + 3, ldb = (v.turn_b ? n : k) + 2, ldc = m + 1;
    double *A = numbers(lda * (v.turn_a ? m : k), 0), *B = numbers(ldb * (v.turn_b ? k : n), 7000);
    double *from = numbers(ldc * n, 100), *want = numbers(ldc * n, 100), *C = numbers(ldc * n, 5);
    size_t size = (size_t)(ldc * n) * sizeof *C;
    smr_update u = {m, n, k, {A, 1, lda}, {B, 1, ldb}, C, ldc, v.minus, v.lower};
    if (v.turn_a) u.A = (smr_grid){A, lda, 1};
    if (v.turn_b) u.B = (smr_grid){B, ldb, 1};
    fill_plain(&u, want);
    for (int t = 0; t < 3; t++) {
        memcpy(C, from, size);
        check_ok(threads[t], smr_update_run(threads[t], &u));
        if (memcmp(C, want, size) != 0)
            fail_msg("%lld x %lld x %lld, turned %d %d, minus %d, lower %d: other bits",
                     (long long)m, (long long)n, (long long)k, v.turn_a, v.turn_b, v.minus,
                     v.lower);
    }
    free(A), free(B), free(C), free(from), free(want);
}

static void every_shape_has_the_plain_bits(void **state)
{
    (void)state;
    smr_ctx *threads[] = {check_ctx(1), check_ctx(2), check_ctx(7)};
    for (int64_t s = 0; s < SMR_COUNT(shapes); s++)
        for (int bits = 0; bits < 16; bits++)
            check_variant(threads, shapes[s],
                          (struct variant){bits & 1, bits & 2, bits & 4, bits & 8});
    for (int t = 0; t < 3; t++) check_ctx_end(threads[t]);
}

/* A product of several strips, blocks and wide parts, by samples. */
static void large_products_have_the_plain_bits(void **state)
{
    enum { M = 2300, N = 4200, SIZE = 300 };
    (void)state;
    check_no_races();
    smr_ctx *ctx = check_ctx(2);
    double *A = numbers(M * SIZE, 0), *B = numbers(N * SIZE, 9), *C = numbers((int64_t)M * N, 4);
    smr_update u = {M, N, SIZE, {A, 1, M}, {B, N, 1}, C, M, true, false};
    check_ok(ctx, smr_update_run(ctx, &u));
    for (int64_t s = 0; s < 3000; s++) {
        int64_t i = s * 7919 % M, j = s * 104729 % N;
        double want = number(4 + i + j * M);
        for (int64_t k = 0; k < SIZE; k++) want = fma(-A[i + k * M], B[j + k * N], want);
        assert_true(C[i + j * M] == want);
    }
    free(A), free(B), free(C);
    check_ctx_end(ctx);
}

static void float_products_have_the_plain_bits(void **state)
{
    enum { M = 211, N = 190, SIZE = 77 };
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    float *A = malloc(M * SIZE * sizeof *A), *B = malloc(N * SIZE * sizeof *B);
    float *C = calloc(M * N, sizeof *C);
    for (int i = 0; i < M * SIZE; i++) A[i] = (float)number(i);
    for (int i = 0; i < N * SIZE; i++) B[i] = (float)number(i + 50000);
    for (int v = 0; v < 4; v++) {
        int64_t n = v & 1 ? N : 3;
        smr_update_f32 u = {M, n, SIZE, {A, 1, M}, {B, n, 1}, C, M, true, v >= 2};
        memset(C, 0, M * N * sizeof *C);
        check_ok(ctx, smr_update_run_f32(ctx, &u));
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < M; i++) {
                float want = 0;
                for (int64_t k = 0; k < SIZE && (v < 2 || i >= j); k++)
                    want = fmaf(-A[i + k * M], B[j + k * n], want);
                assert_true(C[i + j * M] == want);
            }
    }
    free(A), free(B), free(C);
    check_ctx_end(ctx);
}

static void memory_that_is_refused_is_told(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    double *A = numbers(500 * 500, 0), *C = numbers(500 * 500, 1);
    smr_update u = {500, 500, 500, {A, 1, 500}, {A, 500, 1}, C, 500, false, false};
    for (int n = 0; n < 2; n++) {
        smr_memory_fail_at(ctx, n);
        check_fails(ctx, smr_update_run(ctx, &u), SMR_ERR_NOMEM, "refused");
    }
    smr_memory_fail_at(ctx, -1);
    free(A), free(C);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_has_the_plain_bits),
        cmocka_unit_test(large_products_have_the_plain_bits),
        cmocka_unit_test(float_products_have_the_plain_bits),
        cmocka_unit_test(memory_that_is_refused_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
