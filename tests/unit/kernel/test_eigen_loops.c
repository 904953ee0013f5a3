/* Kernels of eigenvalues and singular values: all tiers agree with the plain form bit for bit. */
#include "numbers.h"

#include "kernel/ref.h"

static void symmetric_products_have_the_plain_bits(void **state)
{
    (void)state;
    static const int64_t cuts[][3] = {{0, 0, 0},    {1, 0, 1},    {7, 0, 7},     {8, 0, 8},
                                      {9, 0, 9},    {23, 0, 23},  {23, 8, 23},   {40, 0, 16},
                                      {41, 16, 32}, {77, 72, 77}, {131, 0, 131}, {131, 64, 128}};
    for (size_t t = 0; t < sizeof cuts / sizeof *cuts; t++) {
        int64_t n = cuts[t][0], lo = cuts[t][1], hi = cuts[t][2], lda = n + 3;
        double *A = numbers_f64(n * lda + 8, 1), *x = numbers_f64(n + 1, 2);
        double *want = numbers_f64(n + 1, 3);
        smr_ref_symv_lower_f64(n, lo, hi, A, lda, x, want);
        on_every_tier({
            double *y = numbers_f64(n + 1, 3);
            smr_symv_lower_f64(n, lo, hi, A, lda, x, y);
            for (int64_t i = 0; i <= n; i++) check_same_f64("entry", i, y[i], want[i]);
            free(y);
        });
        free(A), free(x), free(want);
    }
}

static void rotations_have_the_plain_bits(void **state)
{
    (void)state;
    static const int64_t rows[] = {0, 1, 2, 7, 8, 13, 16, 25, 31, 32, 33, 47, 64, 77};
    enum { K = 9 };
    double *c = numbers_f64(K, 1), *s = numbers_f64(K, 2);
    for (size_t t = 0; t < sizeof rows / sizeof *rows; t++)
        for (int back = 0; back < 2; back++) {
            int64_t m = rows[t], ld = m + 5, size = ld * (K + 1), first = back ? K * ld : 0;
            double *want = numbers_f64(size, 3);
            smr_ref_rotate_f64(m, K, c, s, want + first, back ? -ld : ld);
            on_every_tier({
                double *A = numbers_f64(size, 3);
                smr_rotate_f64(m, K, c, s, A + first, back ? -ld : ld);
                for (int64_t i = 0; i < size; i++) check_same_f64("entry", i, A[i], want[i]);
                free(A);
            });
            free(want);
        }
    free(c), free(s);
}

static void secular_sums_and_factors_have_the_plain_bits(void **state)
{
    (void)state;
    for (int64_t n = 0; n < 37; n++) {
        double *w = numbers_f64(n + 1, 1), *d = numbers_f64(n + 1, 2), *tau = numbers_f64(n + 1, 3);
        double *from = numbers_f64(n + 1, 4), want[2], got[2];
        smr_ref_secular_sums_f64(n, w, d, 0.0625, want);
        on_every_tier({
            smr_secular_sums_f64(n, w, d, 0.0625, got);
            check_same_f64("value", n, got[0], want[0]);
            check_same_f64("slope", n, got[1], want[1]);
            for (int squared = 0; squared < 2; squared++)
                check_same_f64("product", n,
                               smr_secular_factors_f64(squared, n, 1.375, from, tau, d),
                               smr_ref_secular_factors_f64(squared, n, 1.375, from, tau, d));
        });
        free(w), free(d), free(tau), free(from);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symmetric_products_have_the_plain_bits),
        cmocka_unit_test(rotations_have_the_plain_bits),
        cmocka_unit_test(secular_sums_and_factors_have_the_plain_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
