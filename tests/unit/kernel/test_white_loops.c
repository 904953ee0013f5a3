/* Densities of normals in tiles and row by row, and weighed rows: tiers agree with the plain form
 * bit for bit. */
#include "numbers.h"

#include "kernel/ref.h"

/* n, d, k: edges of tiles, and what is too deep or too many for these. */
static const int64_t shapes[][3] = {
    {1, 1, 1},    {31, 2, 2},   {32, 3, 1},  {33, 8, 7},   {71, 9, 10}, {96, 20, 16},
    {130, 17, 5}, {64, 63, 64}, {40, 64, 3}, {70, 65, 17}, {70, 5, 65},
};

#define each_shape(n, d, k)                                                                     \
    for (size_t s_ = 0; s_ < sizeof shapes / sizeof *shapes; s_++)                              \
        for (int64_t n = shapes[s_][0], d = shapes[s_][1], k = shapes[s_][2], once_ = 1; once_; \
             once_ = 0)

static void check_all(const char *what, int64_t n, const double *got, const double *want)
{
    for (int64_t i = 0; i < n; i++) check_same_f64(what, i, got[i], want[i]);
}

/* Of all states one row is far, and to one state no row belongs; of the last, nothing. */
static double *peaks(int64_t k, int64_t width)
{
    double *peak = numbers_f64(width, 5);
    for (int64_t c = 0; c < width; c++)
        if (c >= k || c == 1) peak[c] = -INFINITY;
    return peak;
}

static void joined_densities_have_the_plain_bits(void **state)
{
    (void)state;
    each_shape(n, d, k)
    {
        int64_t width = (k + 7) / 8 * 8, ldx = d + 3, ldw = (d + 7) / 8 * 8;
        double *X = numbers_f64(n * ldx, 1), *mean = numbers_f64(k * d, 2);
        double *W = numbers_f64(k * d * ldw, 3), *peak = peaks(k, width);
        double *out = numbers_f64(n * width, 4), *want = numbers_f64(n * width, 4);
        double *top = numbers_f64(n, 6), *want_top = numbers_f64(n, 6);
        for (int64_t i = 0; i < k * d * ldw; i++)
            if (i % ldw < i / ldw % d || i % ldw >= d) W[i] = 0;
        X[n / 2 * ldx] = 1e4;
        for (int tied = 0; tied < 2; tied++) {
            smr_whites of = {d, k, width, ldw, tied ? 0 : d * ldw, mean, W, peak};
            smr_ref_whites_rows_f64(n, &of, X, ldx, want, want_top);
            on_every_tier({
                smr_whites_rows_f64(n, &of, X, ldx, out, top);
                check_all("density", n * width, out, want);
                check_all("largest", n, top, want_top);
            });
        }
        free(X), free(mean), free(W), free(peak), free(out), free(want), free(top), free(want_top);
    }
}

static void densities_along_the_features_have_the_plain_bits(void **state)
{
    (void)state;
    each_shape(n, d, k)
    {
        int64_t width = (k + 7) / 8 * 8, ldx = d + 3;
        double *X = numbers_f64(n * ldx, 1), *mean = numbers_f64(d * width, 2);
        double *scale = numbers_f64(d * width, 3), *peak = peaks(k, width);
        double *out = numbers_f64(n * width, 4), *want = numbers_f64(n * width, 4);
        double *top = numbers_f64(n, 6), *want_top = numbers_f64(n, 6);
        smr_normals of = {d, k, width, mean, scale, peak};
        X[n / 2 * ldx] = 1e4;
        for (int64_t i = 0; i < d * width; i++)
            if (i % width >= k) mean[i] = scale[i] = 0;
        smr_ref_normals_rows_f64(n, &of, X, ldx, want, want_top);
        on_every_tier({
            smr_normals_rows_f64(n, &of, X, ldx, out, top);
            check_all("density", n * width, out, want);
            check_all("largest", n, top, want_top);
        });
        smr_ref_normals_logs_f64(n, &of, X, ldx, want);
        on_every_tier({
            smr_normals_logs_f64(n, &of, X, ldx, out);
            check_all("log-density", n * width, out, want);
        });
        free(X), free(mean), free(scale), free(peak), free(out), free(want);
        free(top), free(want_top);
    }
}

static void weighed_rows_have_the_plain_bits(void **state)
{
    (void)state;
    each_shape(n, d, k)
    {
        int64_t ldx = d + 3, step = k + 1, m, size = n * (d + 1);
        double *X = numbers_f64(n * ldx, 1), *mean = numbers_f64(d, 2),
               *p = numbers_f64(n * step, 3);
        double *z = numbers_f64(size, 4), *want = numbers_f64(size, 4);
        for (int64_t i = 0; i < n * step; i++) p[i] = p[i] > 0.3 ? p[i] : 0;
        m = smr_ref_weigh_rows_f64(n, d, X, ldx, p, step, mean, want);
        on_every_tier({
            assert_int_equal(smr_weigh_rows_f64(n, d, X, ldx, p, step, mean, z), m);
            check_all("weighed", size, z, want);
        });
        free(X), free(mean), free(p), free(z), free(want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joined_densities_have_the_plain_bits),
        cmocka_unit_test(densities_along_the_features_have_the_plain_bits),
        cmocka_unit_test(weighed_rows_have_the_plain_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
