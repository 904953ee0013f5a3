/* Loops of kernel machines: every tier has the bits of the plain form. */
#include "numbers.h"

#include "kernel/ref.h"

static void sums_of_float_rows_have_the_plain_bits(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{1, 1}, {7, 3}, {64, 5}, {65, 0}, {131, 17}, {1000, 33}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t n = sizes[s][0], k = sizes[s][1];
        double *a = numbers_f64(k, 1), *want = numbers_f64(n, 2);
        float *X = numbers_f32(n * (k + 1), 3);
        const float *row[40];
        for (int64_t r = 0; r < k; r++) row[r] = X + (k - 1 - r) * n;
        smr_ref_floats_add_f64(n, k, a, row, want);
        on_every_tier({
            double *y = numbers_f64(n, 2);
            smr_floats_add_f64(n, k, a, row, y);
            for (int64_t j = 0; j < n; j++) check_same_f64("sum", j, y[j], want[j]);
            assert_true(isnan(y[n]));
            free(y);
        });
        free(a), free(want), free(X);
    }
}

/* Values that repeat, so that equals decide; `barred` of ten are barred. */
static void make_pairs(int64_t n, uint64_t seed, unsigned barred, double *v, double *bar,
                       double with)
{
    for (int64_t k = 0; k < n; k++) {
        v[k] = (double)(hash64(seed + (uint64_t)k) % 23) - 11;
        bar[k] = hash64(seed + 7777 + (uint64_t)k) % 10 < barred ? with : 0;
    }
}

static void the_first_of_the_largest_is_taken_on_every_tier(void **state)
{
    (void)state;
    double v[264], bar[264];
    for (int64_t n = 8; n <= 264; n += 32)
        for (unsigned barred = 0; barred <= 10; barred += 5) {
            make_pairs(n, (uint64_t)n, barred, v, bar, -INFINITY);
            int64_t want = smr_ref_smo_first(n, v, bar);
            if (barred == 10) assert_int_equal(want, -1);
            on_every_tier({ assert_int_equal(smr_smo_first(n, v, bar), want); });
        }
}

static void the_second_gains_most_on_every_tier(void **state)
{
    (void)state;
    double v[264], bar[264], curvature[264];
    float row[264];
    for (int64_t n = 8; n <= 264; n += 32)
        for (unsigned barred = 0; barred <= 10; barred += 5) {
            make_pairs(n, (uint64_t)n, barred, v, bar, INFINITY);
            for (int64_t k = 0; k < n; k++) {
                curvature[k] = 1 + (double)(k % 3);
                row[k] = (float)(hash64((uint64_t)k) % 5) / 4;
            }
            smr_smo_one one = {.v = 9, .curvature = 1.5, .floor = 1e-12, .row = row};
            double least;
            double found;
            int64_t want = smr_ref_smo_second(n, &one, curvature, v, bar, &least);
            on_every_tier({
                assert_int_equal(smr_smo_second(n, &one, curvature, v, bar, &found), want);
                check_same_f64("least", n, found, least);
            });
        }
}

static void a_move_has_the_plain_bits(void **state)
{
    (void)state;
    for (int64_t n = 8; n <= 200; n += 64) {
        float *a = numbers_f32(n, 1), *b = numbers_f32(n, 2);
        double *want = numbers_f64(n, 3);
        smr_ref_smo_move(n, 0.1234567890123, a, b, want);
        on_every_tier({
            double *v = numbers_f64(n, 3);
            smr_smo_move(n, 0.1234567890123, a, b, v);
            for (int64_t k = 0; k < n; k++) check_same_f64("v", k, v[k], want[k]);
            free(v);
        });
        free(a), free(b), free(want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_float_rows_have_the_plain_bits),
        cmocka_unit_test(the_first_of_the_largest_is_taken_on_every_tier),
        cmocka_unit_test(the_second_gains_most_on_every_tier),
        cmocka_unit_test(a_move_has_the_plain_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
