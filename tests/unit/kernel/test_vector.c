/* Reductions and updates: every tier gives the bits of the plain form, at every length. */
#include "numbers.h"

#include "kernel/ref.h"

static const int64_t lengths[] = {
    0,  1,  2,  3,  4,  5,  7,  8,  9,  15,  16,  17,  23,  24,  25,  31,  32,  33,   47,   48,
    49, 50, 63, 64, 65, 79, 95, 96, 97, 127, 128, 129, 191, 255, 257, 511, 784, 1000, 1023, 4099};

#define each_length(n)                                               \
    for (size_t l_ = 0; l_ < sizeof lengths / sizeof *lengths; l_++) \
        for (int64_t n = lengths[l_], once_ = 1; once_; once_ = 0)

static void double_reductions_have_the_plain_bits(void **state)
{
    (void)state;
    each_length(n)
    {
        double *x = numbers_f64(n, 1), *y = numbers_f64(n, 2);
        on_every_tier({
            check_same_f64("dot", n, smr_dot_f64(n, x, y), smr_ref_dot_f64(n, x, y));
            check_same_f64("sum", n, smr_sum_f64(n, x), smr_ref_sum_f64(n, x));
            check_same_f64("sumsq", n, smr_sumsq_f64(n, x, 2.385), smr_ref_sumsq_f64(n, x, 2.385));
            check_same_f64("l2sq", n, smr_l2sq_f64(n, x, y), smr_ref_l2sq_f64(n, x, y));
            check_same_f64("l1", n, smr_l1_f64(n, x, y), smr_ref_l1_f64(n, x, y));
            check_same_f64("linf", n, smr_linf_f64(n, x, y), smr_ref_linf_f64(n, x, y));
            check_same_f64("lp", n, smr_lp_f64(n, x, y, 2.7), smr_ref_lp_f64(n, x, y, 2.7));
        });
        free(x), free(y);
    }
}

static void column_sums_and_bins_have_the_plain_bits(void **state)
{
    static const smr_origin of_x = {0.5, 0.1875, 1e-18}, of_y = {2, -3.25, -2e-17};
    static const double cuts[] = {-1.25, -0.5, 0, 0.375, 0.375, 2, INFINITY};
    (void)state;
    each_length(n)
    {
        double *x = numbers_f64(n, 17), *y = numbers_f64(n, 18), want[10], got[10];
        int32_t *code = calloc((size_t)n + 1, sizeof *code), *plain = calloc((size_t)n + 1, 4);
        if (n > 3) x[n / 2] = 0.375, x[n - 2] = -0.0;
        smr_ref_powers_f64(n, x, &of_x, want);
        smr_ref_products_f64(n, x, &of_x, y, &of_y, want + 4);
        if (n > 0) smr_ref_span_f64(n, x, 0.25, want + 6);
        smr_ref_bins_f64(n, x, 7, cuts, plain);
        on_every_tier({
            smr_powers_f64(n, x, &of_x, got);
            smr_products_f64(n, x, &of_x, y, &of_y, got + 4);
            if (n > 0) smr_span_f64(n, x, 0.25, got + 6);
            for (int k = 0; k < (n > 0 ? 10 : 6); k++) check_same_f64("sums", n, got[k], want[k]);
            smr_bins_f64(n, x, 7, cuts, code);
            assert_memory_equal(code, plain, (size_t)n * sizeof *code);
        });
        free(x), free(y), free(code), free(plain);
    }
}

/* However the rows are cut, with weights, of which some are 0, and without. */
static void cross_sums_have_the_plain_bits(void **state)
{
    static const smr_origin of_x = {0.5, 0.1875, 1e-18}, of_y = {2, -3.25, -2e-17};
    (void)state;
    each_length(n)
    {
        double *x = numbers_f64(n, 7), *y = numbers_f64(n, 8), *w = numbers_f64(n, 9);
        for (int64_t i = 0; i < n; i++) w[i] = i % 5 == 2 ? 0 : w[i] * w[i];
        for (int weighted = 0; weighted < 2; weighted++) {
            const double *by = weighted ? w : NULL;
            double want[2] = {0.375, 0}, got[2], squares[4] = {0.5, 0, 0.25, 0}, all[6];
            int64_t cut = n / 3;
            smr_ref_cross_f64(n, x, &of_x, y, &of_y, by, want);
            smr_ref_cross_f64(n, x, &of_x, x, &of_x, by, squares);
            smr_ref_cross_f64(n, y, &of_y, y, &of_y, by, squares + 2);
            on_every_tier({
                got[0] = 0.375, got[1] = 0;
                smr_cross_f64(cut, x, &of_x, y, &of_y, by, got);
                smr_cross_f64(n - cut, x + cut, &of_x, y + cut, &of_y, by ? by + cut : NULL, got);
                check_same_f64("cross, high", n, got[0], want[0]);
                check_same_f64("cross, low", n, got[1], want[1]);
                all[0] = 0.5, all[2] = 0.25, all[4] = 0.375, all[1] = all[3] = all[5] = 0;
                smr_crosses_f64(cut, x, &of_x, y, &of_y, by, all);
                smr_crosses_f64(n - cut, x + cut, &of_x, y + cut, &of_y, by ? by + cut : NULL, all);
                for (int k = 0; k < 4; k++) check_same_f64("squares", n, all[k], squares[k]);
                for (int k = 0; k < 2; k++) check_same_f64("crosses", n, all[4 + k], want[k]);
            });
        }
        free(x), free(y), free(w);
    }
}

static void float_reductions_have_the_plain_bits(void **state)
{
    (void)state;
    each_length(n)
    {
        float *x = numbers_f32(n, 3), *y = numbers_f32(n, 4);
        double *z = numbers_f64(n, 5), *wide = numbers_f64(n, 6);
        for (int64_t i = 0; i < n; i++) wide[i] = (double)x[i];
        on_every_tier({
            double mixed = smr_l2sq_f32_f64(n, x, z);
            check_same_f64("mixed", n, mixed, smr_ref_l2sq_f32_f64(n, x, z));
            check_same_f64("as doubles", n, mixed, smr_l2sq_f64(n, wide, z));
            check_same_f32("dot", n, smr_dot_f32(n, x, y), smr_ref_dot_f32(n, x, y));
            check_same_f32("l2sq", n, smr_l2sq_f32(n, x, y), smr_ref_l2sq_f32(n, x, y));
            check_same_f64("wide", n, smr_l2sq_f32_wide(n, x, y), smr_ref_l2sq_f32_wide(n, x, y));
        });
        free(x), free(y), free(z), free(wide);
    }
}

static void byte_distances_are_exact(void **state)
{
    (void)state;
    each_length(n)
    {
        uint8_t *x = numbers_u8(n, 5), *y = numbers_u8(n, 6);
        on_every_tier(assert_int_equal(smr_l2sq_u8(n, x, y), smr_ref_l2sq_u8(n, x, y)));
        free(x), free(y);
    }
    int64_t n = 100003; /* 255^2 times this is past 2^32 */
    uint8_t *x = malloc((size_t)n), *y = malloc((size_t)n);
    memset(x, 0, (size_t)n), memset(y, 255, (size_t)n);
    on_every_tier(assert_int_equal(smr_l2sq_u8(n, x, y), n * 65025));
    free(x), free(y);
}

/* One worked figure each, so that the plain forms are checked too. */
static void small_vectors_give_worked_figures(void **state)
{
    (void)state;
    double x[3] = {1.5, -2, 0.25}, y[3] = {4, 0.5, -8};
    float u[3] = {1.5f, -2, 0.25f}, v[3] = {4, 0.5f, -8};
    uint8_t a[3] = {0, 255, 7}, b[3] = {255, 0, 9};
    on_every_tier({
        check_same_f64("dot", 3, smr_dot_f64(3, x, y), 3);
        check_same_f32("dot", 3, smr_dot_f32(3, u, v), 3);
        check_same_f64("sum", 3, smr_sum_f64(3, x), -0.25);
        check_same_f64("sumsq", 3, smr_sumsq_f64(3, x, 0.5), 1 + 6.25 + 0.0625);
        check_same_f64("l2sq", 3, smr_l2sq_f64(3, x, y), 6.25 + 6.25 + 68.0625);
        check_same_f32("l2sq", 3, smr_l2sq_f32(3, u, v), 80.5625f);
        check_same_f64("wide", 3, smr_l2sq_f32_wide(3, u, v), 80.5625);
        check_same_f64("l1", 3, smr_l1_f64(3, x, y), 13.25);
        check_same_f64("linf", 3, smr_linf_f64(3, x, y), 8.25);
        check_near("lp", smr_lp_f64(3, x, y, 3), 15.625 + 15.625 + 561.515625, 4e-16);
        assert_int_equal(smr_l2sq_u8(3, a, b), 2 * 65025 + 4);
    });
}

static void updates_have_the_plain_bits_and_stop_at_the_end(void **state)
{
    (void)state;
    each_length(n)
    {
        double *x = numbers_f64(n, 7), *want = numbers_f64(n, 8);
        float *u = numbers_f32(n, 7), *want32 = numbers_f32(n, 8);
        smr_ref_axpy_f64(n, -1.7, x, want);
        smr_ref_axpy_f32(n, -1.7f, u, want32);
        on_every_tier({
            double *y = numbers_f64(n, 8);
            float *v = numbers_f32(n, 8);
            y[n] = 4.25, v[n] = 4.25f;
            smr_axpy_f64(n, -1.7, x, y);
            smr_axpy_f32(n, -1.7f, u, v);
            for (int64_t i = 0; i < n; i++) check_same_f64("axpy", i, y[i], want[i]);
            for (int64_t i = 0; i < n; i++) check_same_f32("axpy", i, v[i], want32[i]);
            assert_true(y[n] == 4.25 && v[n] == 4.25f);
            free(y), free(v);
        });
        free(x), free(want), free(u), free(want32);
    }
}

static void a_missing_number_anywhere_shows_in_the_result(void **state)
{
    (void)state;
    enum { N = 75 };
    for (int at = 0; at < N; at++) {
        double *x = numbers_f64(N, 9), *y = numbers_f64(N, 10);
        x[at] = (double)NAN;
        on_every_tier({
            assert_true(isnan(smr_dot_f64(N, x, y)));
            assert_true(isnan(smr_l1_f64(N, x, y)));
            assert_true(isnan(smr_linf_f64(N, x, y)));
            assert_true(isnan(smr_lp_f64(N, x, y, 1.5)));
        });
        x[at] = (double)INFINITY;
        on_every_tier(assert_true(smr_linf_f64(N, x, y) == (double)INFINITY));
        free(x), free(y);
    }
}

/* Products that underflow leave -0 in a lane; what is put past the end must not show. */
static void underflow_gives_the_same_zero_on_every_tier(void **state)
{
    (void)state;
    each_length(n)
    {
        double *x = numbers_f64(n, 11), *y = numbers_f64(n, 12);
        for (int64_t i = 0; i < n; i++) x[i] = -0x1p-700, y[i] = 0x1p-700;
        on_every_tier(check_same_f64("dot", n, smr_dot_f64(n, x, y), smr_ref_dot_f64(n, x, y)));
        free(x), free(y);
    }
}

static void a_tier_is_used_by_name_if_the_processor_has_it(void **state)
{
    (void)state;
    const char *first = smr_kernel_tier();
    assert_true(smr_kernel_use("base"));
    assert_true(!strcmp(smr_kernel_tier(), "baseline") || !strcmp(smr_kernel_tier(), "arm64"));
    assert_false(smr_kernel_use("x86-64-v9"));
    assert_false(smr_kernel_use(""));
    assert_true(smr_kernel_use(first));
    assert_string_equal(smr_kernel_tier(), first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_reductions_have_the_plain_bits),
        cmocka_unit_test(cross_sums_have_the_plain_bits),
        cmocka_unit_test(column_sums_and_bins_have_the_plain_bits),
        cmocka_unit_test(float_reductions_have_the_plain_bits),
        cmocka_unit_test(byte_distances_are_exact),
        cmocka_unit_test(small_vectors_give_worked_figures),
        cmocka_unit_test(updates_have_the_plain_bits_and_stop_at_the_end),
        cmocka_unit_test(a_missing_number_anywhere_shows_in_the_result),
        cmocka_unit_test(underflow_gives_the_same_zero_on_every_tier),
        cmocka_unit_test(a_tier_is_used_by_name_if_the_processor_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
