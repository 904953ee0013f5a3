/* Products: every entry is one chain over ascending k, so tiers, tiles, blocks and rows agree. */
#include "numbers.h"

#include "kernel/ref.h"

/* m, n, k: edges of tiles (14 or 6 rows), of panels (16, 32 columns), of the blocks of k that a
 * tile of A is copied in (256 doubles, 512 floats, 2048 bytes and more with few rows). */
static const int64_t shapes[][3] = {
    {1, 1, 1},     {1, 1, 0},    {3, 5, 0},    {1, 2, 3},     {2, 3, 7},     {3, 15, 2},
    {4, 16, 15},   {5, 17, 16},  {6, 31, 17},  {7, 32, 63},   {8, 33, 65},   {9, 63, 5},
    {10, 65, 31},  {11, 7, 129}, {12, 47, 33}, {13, 100, 50}, {14, 64, 784}, {15, 33, 257},
    {16, 48, 255}, {17, 1, 513}, {29, 97, 63}, {1, 67, 8011}, {2, 35, 4001}, {33, 70, 1025},
};

#define each_shape(m, n, k)                                                                     \
    for (size_t s_ = 0; s_ < sizeof shapes / sizeof *shapes; s_++)                              \
        for (int64_t m = shapes[s_][0], n = shapes[s_][1], k = shapes[s_][2], once_ = 1; once_; \
             once_ = 0)

static void *aligned(int64_t size)
{
    void *p = aligned_alloc(64, ((size_t)size + 127) / 64 * 64);
    assert_non_null(p);
    return p;
}

/* Columns between n and ldc keep what they hold. */
/* From what C holds; a NaN past a row's end would show. */
static void double_products_continue_with_the_plain_bits(void **state)
{
    (void)state;
    each_shape(m, n, k)
    {
        int64_t lda = k + 3, ldb = k + 1, ldc = n + 5;
        double *A = numbers_f64(m * lda, 1), *B = numbers_f64(n * ldb, 2);
        double *from = numbers_f64(m * ldc, 3), *want = numbers_f64(m * ldc, 3);
        double *C = numbers_f64(m * ldc, 4);
        void *panels = aligned(smr_panels_size_f64(n, k));
        smr_pack_f64(n, k, B, ldb, panels);
        smr_ref_product_add_f64(m, n, k, A, lda, B, ldb, want, ldc);
        on_every_tier({
            memcpy(C, from, (size_t)(m * ldc) * sizeof *C);
            smr_product_add_f64(m, n, k, A, lda, panels, C, ldc);
            for (int64_t i = 0; i < m * ldc; i++) check_same_f64("product", i, C[i], want[i]);
        });
        free(A), free(B), free(C), free(from), free(want), free(panels);
    }
}

static void double_substitutions_have_the_plain_bits(void **state)
{
    (void)state;
    enum { WIDTH = 128 / sizeof(double), MOST = 131 };
    for (int64_t n = 0; n <= MOST; n += n < 20 ? 1 : 37) {
        int64_t ld = n + 3;
        double *minus = numbers_f64(n * ld, 5), *diagonal = numbers_f64(n, 6);
        double *from = numbers_f64(n * WIDTH, 7), *want = numbers_f64(n * WIDTH, 7);
        double *panel = aligned((n + 1) * WIDTH * (int64_t)sizeof(double));
        for (int64_t j = 0; j < n; j++) { /* sizes that do not run away */
            diagonal[j] *= 64;
            for (int64_t k = 0; k < ld; k++)
                minus[j * ld + k] = k < j ? minus[j * ld + k] / 8 : NAN;
        }
        smr_ref_solve_f64(n, minus, ld, diagonal, want);
        on_every_tier({
            memcpy(panel, from, (size_t)(n * WIDTH) * sizeof *panel);
            smr_solve_f64(n, minus, ld, diagonal, panel);
            for (int64_t i = 0; i < n * WIDTH; i++) check_same_f64("solve", i, panel[i], want[i]);
        });
        free(minus), free(diagonal), free(from), free(want), free(panel);
    }
}

static void double_products_have_the_plain_bits(void **state)
{
    (void)state;
    each_shape(m, n, k)
    {
        int64_t lda = k + 3, ldb = k + 1, ldc = n + 5;
        double *A = numbers_f64(m * lda, 1), *B = numbers_f64(n * ldb, 2);
        double *C = numbers_f64(m * ldc, 3), *want = numbers_f64(m * ldc, 3);
        void *panels = aligned(smr_panels_size_f64(n, k));
        smr_pack_f64(n, k, B, ldb, panels);
        smr_ref_product_f64(m, n, k, A, lda, B, ldb, want, ldc);
        on_every_tier({
            smr_product_f64(m, n, k, A, lda, panels, C, ldc);
            for (int64_t i = 0; i < m * ldc; i++) check_same_f64("product", i, C[i], want[i]);
        });
        free(A), free(B), free(C), free(want), free(panels);
    }
}

/* From what C holds; a NaN past a row's end would show. */
static void float_products_continue_with_the_plain_bits(void **state)
{
    (void)state;
    each_shape(m, n, k)
    {
        int64_t lda = k + 3, ldb = k + 1, ldc = n + 5;
        float *A = numbers_f32(m * lda, 1), *B = numbers_f32(n * ldb, 2);
        float *from = numbers_f32(m * ldc, 3), *want = numbers_f32(m * ldc, 3);
        float *C = numbers_f32(m * ldc, 4);
        void *panels = aligned(smr_panels_size_f32(n, k));
        smr_pack_f32(n, k, B, ldb, panels);
        smr_ref_product_add_f32(m, n, k, A, lda, B, ldb, want, ldc);
        on_every_tier({
            memcpy(C, from, (size_t)(m * ldc) * sizeof *C);
            smr_product_add_f32(m, n, k, A, lda, panels, C, ldc);
            for (int64_t i = 0; i < m * ldc; i++) check_same_f32("product", i, C[i], want[i]);
        });
        free(A), free(B), free(C), free(from), free(want), free(panels);
    }
}

static void float_substitutions_have_the_plain_bits(void **state)
{
    (void)state;
    enum { WIDTH = 128 / sizeof(float), MOST = 131 };
    for (int64_t n = 0; n <= MOST; n += n < 20 ? 1 : 37) {
        int64_t ld = n + 3;
        float *minus = numbers_f32(n * ld, 5), *diagonal = numbers_f32(n, 6);
        float *from = numbers_f32(n * WIDTH, 7), *want = numbers_f32(n * WIDTH, 7);
        float *panel = aligned((n + 1) * WIDTH * (int64_t)sizeof(float));
        for (int64_t j = 0; j < n; j++) { /* sizes that do not run away */
            diagonal[j] *= 64;
            for (int64_t k = 0; k < ld; k++)
                minus[j * ld + k] = k < j ? minus[j * ld + k] / 8 : NAN;
        }
        smr_ref_solve_f32(n, minus, ld, diagonal, want);
        on_every_tier({
            memcpy(panel, from, (size_t)(n * WIDTH) * sizeof *panel);
            smr_solve_f32(n, minus, ld, diagonal, panel);
            for (int64_t i = 0; i < n * WIDTH; i++) check_same_f32("solve", i, panel[i], want[i]);
        });
        free(minus), free(diagonal), free(from), free(want), free(panel);
    }
}

static void float_products_have_the_plain_bits(void **state)
{
    (void)state;
    each_shape(m, n, k)
    {
        int64_t lda = k + 3, ldb = k + 1, ldc = n + 5;
        float *A = numbers_f32(m * lda, 1), *B = numbers_f32(n * ldb, 2);
        float *C = numbers_f32(m * ldc, 3), *want = numbers_f32(m * ldc, 3);
        void *panels = aligned(smr_panels_size_f32(n, k));
        smr_pack_f32(n, k, B, ldb, panels);
        smr_ref_product_f32(m, n, k, A, lda, B, ldb, want, ldc);
        on_every_tier({
            smr_product_f32(m, n, k, A, lda, panels, C, ldc);
            for (int64_t i = 0; i < m * ldc; i++) check_same_f32("product", i, C[i], want[i]);
        });
        free(A), free(B), free(C), free(want), free(panels);
    }
}

static void byte_products_are_exact(void **state)
{
    (void)state;
    each_shape(m, n, k)
    {
        int64_t lda = k + 3, ldb = k + 1, ldc = n + 5;
        uint8_t *A = numbers_u8(m * lda, 1), *B = numbers_u8(n * ldb, 2);
        int32_t *C = calloc((size_t)(m * ldc), sizeof *C), *want = calloc((size_t)(m * ldc), 4);
        void *panels = aligned(smr_panels_size_u8(n, k));
        smr_pack_u8(n, k, B, ldb, panels);
        smr_ref_product_u8(m, n, k, A, lda, B, ldb, want, ldc);
        on_every_tier({
            memset(C, 0, (size_t)(m * ldc) * sizeof *C);
            smr_product_u8(m, n, k, A, lda, panels, C, ldc);
            assert_memory_equal(C, want, (size_t)(m * ldc) * sizeof *C);
        });
        free(A), free(B), free(C), free(want), free(panels);
    }
}

/* At k = 33000 with bytes of 255 the sums reach 2145825000, next to 2^31. */
static void byte_products_hold_the_largest_sums(void **state)
{
    (void)state;
    enum { M = 15, N = 33, SIZE = 33000 };
    uint8_t *A = malloc(M * SIZE), *B = malloc(N * SIZE);
    int32_t *C = calloc(M * N, sizeof *C);
    void *panels = aligned(smr_panels_size_u8(N, SIZE));
    memset(A, 255, M * SIZE), memset(B, 255, N * SIZE), memset(B + 5 * SIZE, 0, SIZE);
    smr_pack_u8(N, SIZE, B, SIZE, panels);
    on_every_tier({
        smr_product_u8(M, N, SIZE, A, SIZE, panels, C, N);
        for (int i = 0; i < M * N; i++) assert_int_equal(C[i], i % N == 5 ? 0 : 2145825000);
        memset(C, 0, M * N * sizeof *C);
    });
    free(A), free(B), free(C), free(panels);
}

static void one_row_at_a_time_equals_all_rows(void **state)
{
    (void)state;
    enum { M = 37, N = 75, SIZE = 1301 };
    double *A = numbers_f64(M * SIZE, 4), *B = numbers_f64(N * SIZE, 5);
    double *all = numbers_f64(M * N, 6), *one = numbers_f64(M * N, 7);
    float *A32 = numbers_f32(M * SIZE, 4), *B32 = numbers_f32(N * SIZE, 5);
    float *all32 = numbers_f32(M * N, 6), *one32 = numbers_f32(M * N, 7);
    void *panels = aligned(smr_panels_size_f64(N, SIZE));
    void *panels32 = aligned(smr_panels_size_f32(N, SIZE));
    smr_pack_f64(N, SIZE, B, SIZE, panels);
    smr_pack_f32(N, SIZE, B32, SIZE, panels32);
    on_every_tier({
        smr_product_f64(M, N, SIZE, A, SIZE, panels, all, N);
        smr_product_f32(M, N, SIZE, A32, SIZE, panels32, all32, N);
        for (int i = 0; i < M; i++) {
            smr_product_f64(1, N, SIZE, A + i * SIZE, SIZE, panels, one + i * N, N);
            smr_product_f32(1, N, SIZE, A32 + i * SIZE, SIZE, panels32, one32 + i * N, N);
        }
        assert_memory_equal(all, one, M * N * sizeof *all);
        assert_memory_equal(all32, one32, M * N * sizeof *all32);
    });
    free(A), free(B), free(all), free(one), free(panels);
    free(A32), free(B32), free(all32), free(one32), free(panels32);
}

/* Panels do not depend on the tier, so packing on one and multiplying on another is safe; and a
 * column of B has the same products wherever it is among the others. */
static void a_column_has_the_same_products_in_any_position(void **state)
{
    (void)state;
    enum { M = 5, N = 61, SIZE = 83 };
    float *A = numbers_f32(M * SIZE, 8), *B = numbers_f32(N * SIZE, 9);
    float *C = numbers_f32(M * N, 10), *one = numbers_f32(M, 11);
    void *panels = aligned(smr_panels_size_f32(N, SIZE));
    void *single = aligned(smr_panels_size_f32(1, SIZE));
    smr_pack_f32(N, SIZE, B, SIZE, panels);
    on_every_tier({
        smr_product_f32(M, N, SIZE, A, SIZE, panels, C, N);
        for (int j = 0; j < N; j++) {
            smr_pack_f32(1, SIZE, B + j * SIZE, SIZE, single);
            smr_product_f32(M, 1, SIZE, A, SIZE, single, one, 1);
            for (int i = 0; i < M; i++) check_same_f32("column", j, one[i], C[i * N + j]);
        }
    });
    free(A), free(B), free(C), free(one), free(panels), free(single);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_products_have_the_plain_bits),
        cmocka_unit_test(double_products_continue_with_the_plain_bits),
        cmocka_unit_test(double_substitutions_have_the_plain_bits),
        cmocka_unit_test(float_products_have_the_plain_bits),
        cmocka_unit_test(float_products_continue_with_the_plain_bits),
        cmocka_unit_test(float_substitutions_have_the_plain_bits),
        cmocka_unit_test(byte_products_are_exact),
        cmocka_unit_test(byte_products_hold_the_largest_sums),
        cmocka_unit_test(one_row_at_a_time_equals_all_rows),
        cmocka_unit_test(a_column_has_the_same_products_in_any_position),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
