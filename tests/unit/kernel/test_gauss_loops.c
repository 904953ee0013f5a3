/* Normal densities: tiers and tiles agree with the plain form bit for bit. */
#include "numbers.h"

#include "kernel/ref.h"

/* m, d, k: edges of the tiles of rows, of vectors and of classes. */
static const int64_t shapes[][3] = {
    {1, 1, 1},   {3, 0, 2},   {2, 7, 1},   {9, 8, 2},   {17, 9, 3},   {8, 16, 8},   {5, 17, 9},
    {7, 31, 10}, {4, 32, 16}, {6, 33, 17}, {11, 40, 5}, {13, 65, 33}, {5, 100, 41},
};

#define each_shape(m, d, k)                                                                     \
    for (size_t s_ = 0; s_ < sizeof shapes / sizeof *shapes; s_++)                              \
        for (int64_t m = shapes[s_][0], d = shapes[s_][1], k = shapes[s_][2], once_ = 1; once_; \
             once_ = 0)

static void distances_from_class_means_have_the_plain_bits(void **state)
{
    (void)state;
    each_shape(m, d, k)
    {
        int64_t ldx = d + 3, ld = (k + 7) / 8 * 8;
        double *X = numbers_f64(m * ldx, 1), *mean = numbers_f64(d * ld, 2);
        double *scale = numbers_f64(d * ld, 3), *out = numbers_f64(m * k + 1, 4);
        double *want = numbers_f64(m * k + 1, 4);
        smr_spread of = {mean, scale, ld};
        smr_ref_spread_f64(m, d, k, X, ldx, &of, want);
        on_every_tier({
            smr_spread_f64(m, d, k, X, ldx, &of, out);
            for (int64_t i = 0; i <= m * k; i++) check_same_f64("distance", i, out[i], want[i]);
        });
        free(X), free(mean), free(scale), free(out), free(want);
    }
}

static void whitened_distances_have_the_plain_bits(void **state)
{
    (void)state;
    each_shape(m, d, k)
    {
        int64_t ldx = d + 3, ldw = (d + 7) / 8 * 8, step = k;
        double *X = numbers_f64(m * ldx, 1), *mean = numbers_f64(d + 1, 2);
        double *W = numbers_f64(d * ldw + 1, 3), *out = numbers_f64(m * step, 4);
        double *want = numbers_f64(m * step, 4);
        for (int64_t j = 0; j < d; j++)
            for (int64_t a = 0; a < ldw; a++)
                if (a < j || a >= d) W[j * ldw + a] = 0;
        smr_ref_whitened_f64(m, d, X, ldx, mean, W, ldw, want, step);
        on_every_tier({
            smr_whitened_f64(m, d, X, ldx, mean, W, ldw, out, step);
            for (int64_t i = 0; i < m * step; i++) check_same_f64("distance", i, out[i], want[i]);
        });
        free(X), free(mean), free(W), free(out), free(want);
    }
}

/* With weights and without; what lies between d and ld stays. */
static void sums_of_classes_have_the_plain_bits(void **state)
{
    (void)state;
    each_shape(m, d, k)
    {
        int64_t ldx = d + 3, ld = d + 2;
        double *X = numbers_f64(m * ldx, 1), *shift = numbers_f64(k * ld, 2);
        double *weight = numbers_f64(m, 3);
        int32_t *label = calloc((size_t)m, sizeof *label);
        for (int64_t i = 0; i < m; i++) label[i] = (int32_t)(i * 7 % k);
        for (int weighted = 0; weighted < 2; weighted++) {
            double *sum = numbers_f64(k * ld, 4), *square = numbers_f64(k * ld, 5);
            smr_class_sums want = {shift, sum, square, ld, k};
            smr_ref_class_sums_f64(m, d, X, ldx, label, weighted ? weight : NULL, &want);
            on_every_tier({
                double *a = numbers_f64(k * ld, 4), *b = numbers_f64(k * ld, 5);
                smr_class_sums to = {shift, a, b, ld, k};
                smr_class_sums_f64(m, d, X, ldx, label, weighted ? weight : NULL, &to);
                for (int64_t i = 0; i < k * ld; i++) {
                    check_same_f64("sum", i, a[i], sum[i]);
                    check_same_f64("square", i, b[i], square[i]);
                }
                free(a), free(b);
            });
            free(sum), free(square);
        }
        free(X), free(shift), free(weight), free(label);
    }
}

/* Rows of which some shares are 0 or faint. */
static void shares_of_mixtures_have_the_plain_bits(void **state)
{
    (void)state;
    each_shape(m, d, k)
    {
        int64_t width = (k + 7) / 8 * 8, ldx = d + 3, ld = d + 2;
        double *X = numbers_f64(m * ldx, 1), *shift = numbers_f64(k * ld, 2);
        double *weight = numbers_f64(m, 3), *start = numbers_f64(m * width, 4);
        for (int64_t i = 0; i < m * width; i++) {
            bool none = i % width >= k || (i % 3 == 0 && i % width > 0);
            start[i] = none ? 0 : fabs(start[i]) * (i % 5 ? 1 : 1e-9);
        }
        for (int64_t i = 0; i < m; i++) weight[i] = fabs(weight[i]);
        for (int weighted = 0; weighted < 2; weighted++) {
            const double *w = weighted ? weight : NULL;
            size_t size = (size_t)(m * width) * sizeof(double);
            double *want = malloc(size), *total = numbers_f64(m, 5);
            double *sum = numbers_f64(k * ld, 6), *square = numbers_f64(k * ld, 7);
            smr_class_sums to = {shift, sum, square, ld, k};
            memcpy(want, start, size);
            smr_ref_mix_shares_f64(m, width, w, 1e-6, want, total);
            smr_ref_mix_sums_f64(m, d, X, ldx, want, width, &to);
            on_every_tier({
                double *p = malloc(size), *all = numbers_f64(m, 5);
                double *a = numbers_f64(k * ld, 6), *b = numbers_f64(k * ld, 7);
                smr_class_sums into = {shift, a, b, ld, k};
                memcpy(p, start, size);
                smr_mix_shares_f64(m, width, w, 1e-6, p, all);
                smr_mix_sums_f64(m, d, X, ldx, p, width, &into);
                for (int64_t i = 0; i < m; i++) check_same_f64("total", i, all[i], total[i]);
                for (int64_t i = 0; i < m * width; i++) check_same_f64("share", i, p[i], want[i]);
                for (int64_t i = 0; i < k * ld; i++) {
                    check_same_f64("sum", i, a[i], sum[i]);
                    check_same_f64("square", i, b[i], square[i]);
                }
                free(p), free(all), free(a), free(b);
            });
            free(want), free(total), free(sum), free(square);
        }
        free(X), free(shift), free(weight), free(start);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_from_class_means_have_the_plain_bits),
        cmocka_unit_test(whitened_distances_have_the_plain_bits),
        cmocka_unit_test(sums_of_classes_have_the_plain_bits),
        cmocka_unit_test(shares_of_mixtures_have_the_plain_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
