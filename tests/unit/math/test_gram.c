/* test_gram.c -- means and the centred Gram matrix against sums in long double. */
#include "unit/math/rows_of.h"

#include <float.h>

struct truth {
    double mean[16], gram[16 * 16];
};

static void sums_in_long_double(const smr_row_source *s, const struct matrix *m, bool centre,
                                struct truth *out)
{
    int64_t d = m->d, q = s->n_outputs, w = d + q;
    long double weight = 0, mean[16] = {0}, gram[256] = {0};
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < m->n; i++) {
            long double f = s->weight ? s->weight[i] : 1, z[16];
            for (int64_t j = 0; j < w; j++)
                z[j] = j < d ? m->x[i * m->stride + j] : s->y[i * q + j - d];
            for (int64_t j = 0; j < w && pass == 0; j++) mean[j] += f * z[j];
            if (pass == 0) weight += f;
            for (int64_t a = 0; a < w && pass == 1; a++)
                for (int64_t b = 0; b < w; b++) {
                    long double ca = centre ? mean[a] / weight : 0;
                    long double cb = centre ? mean[b] / weight : 0;
                    gram[a * w + b] += f * (z[a] - ca) * (z[b] - cb);
                }
        }
    for (int64_t a = 0; a < w; a++) {
        out->mean[a] = centre ? (double)(mean[a] / weight) : 0;
        for (int64_t b = 0; b < w; b++) out->gram[a * w + b] = (double)gram[a * w + b];
    }
}

static void compare(const smr_row_source *s, const struct matrix *m, bool centre, double tolerance)
{
    smr_ctx *ctx = check_ctx(2);
    struct truth want;
    smr_gram got;
    int64_t w = m->d + s->n_outputs;
    sums_in_long_double(s, m, centre, &want);
    check_ok(ctx, smr_gram_compute(ctx, s, centre, &got));
    for (int64_t a = 0; a < w; a++) {
        double spread = sqrt(want.gram[a * w + a] / got.weight);
        if (fabs(got.mean[a] - want.mean[a]) >
            tolerance * (spread + DBL_EPSILON * fabs(want.mean[a])))
            check_near("mean", got.mean[a], want.mean[a], DBL_EPSILON);
        for (int64_t b = 0; b < w; b++) {
            double g = got.gram[a * w + b] / got.scale[a] / got.scale[b];
            double size = sqrt(want.gram[a * w + a] * want.gram[b * w + b]);
            if (fabs(g - want.gram[a * w + b]) > tolerance * size)
                fail_msg("gram %d,%d: got %.17g, wanted %.17g", (int)a, (int)b, g,
                         want.gram[a * w + b]);
        }
    }
    smr_gram_release(&got);
    check_ctx_end(ctx);
}

static void sums_agree_with_long_double_for_any_shape(void **unused)
{
    (void)unused;
    static const int64_t shapes[][3] = {{1, 1, 1},    {2, 3, 1},    {37, 5, 2}, {1025, 7, 1},
                                        {9001, 3, 3}, {255, 11, 1}, {257, 1, 1}};
    for (int64_t k = 0; k < SMR_COUNT(shapes); k++) {
        int64_t n = shapes[k][0], d = shapes[k][1], q = shapes[k][2], stride = d + (k % 3);
        double *x = random_numbers(n * stride, 1 + (uint64_t)k), *y = random_numbers(n * q, 50);
        double *weight = random_numbers(n, 99);
        for (int64_t i = 0; i < n; i++) weight[i] = fabs(weight[i]) + (i == 0);
        struct matrix m = {n, d, stride, x};
        smr_row_source plain = rows_of(&m, q, y, NULL), weighted = rows_of(&m, q, y, weight);
        compare(&plain, &m, true, 1e-14);
        compare(&plain, &m, false, 1e-14);
        compare(&weighted, &m, true, 1e-14);
        compare(&weighted, &m, false, 1e-14);
        free(weight);
        free(y);
        free(x);
    }
}

/* Columns at 1e9 with a spread of 1: a plain sum of squares would keep no digit. */
static void large_offsets_cost_no_digits(void **unused)
{
    (void)unused;
    enum { N = 5003, D = 4 };
    double *x = random_numbers(N * D, 8), *y = random_numbers(N, 9);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < D; j++)
            x[i * D + j] = 1e9 * (double)(j + 1) + ldexp(floor(1024 * x[i * D + j]), -10);
    struct matrix m = {N, D, D, x};
    smr_row_source s = rows_of(&m, 1, y, NULL);
    compare(&s, &m, true, 1e-13);
    free(y);
    free(x);
}

/* The sample sees every 39th row; those lie at 0 and weigh nothing, all others lie near 1e8. */
static void a_sample_unlike_the_rest_is_noticed(void **unused)
{
    (void)unused;
    enum { N = 10007, STEP = N / 256 };
    double *x = random_numbers(N, 8), *y = random_numbers(N, 9), *weight = random_numbers(N, 10);
    for (int64_t i = 0; i < N; i++) {
        bool seen = i % STEP == 0 && i < 256 * STEP;
        x[i] = seen ? 0 : 1e8 + ldexp(floor(1024 * x[i]), -10);
        weight[i] = seen ? 0 : fabs(weight[i]);
    }
    struct matrix m = {N, 1, 1, x};
    smr_row_source s = rows_of(&m, 1, y, weight);
    compare(&s, &m, true, 1e-13);
    free(weight);
    free(y);
    free(x);
}

static void tiny_and_huge_columns_do_not_overflow(void **unused)
{
    (void)unused;
    enum { N = 701 };
    double *x = random_numbers(N * 2, 8), *y = random_numbers(N, 9);
    for (int64_t i = 0; i < N; i++) {
        x[2 * i] *= 1e200;
        x[2 * i + 1] *= 1e-200;
    }
    struct matrix m = {N, 2, 2, x};
    smr_row_source s = rows_of(&m, 1, y, NULL);
    smr_ctx *ctx = check_ctx(1);
    smr_gram g;
    check_ok(ctx, smr_gram_compute(ctx, &s, true, &g));
    double a = g.gram[0], b = g.gram[4], c = g.gram[1];
    assert_true(a > 10 && a < 4 * N && b > 10 && b < 4 * N && fabs(c) < sqrt(a * b));
    smr_gram_release(&g);
    check_ctx_end(ctx);
    free(y);
    free(x);
}

static void bits_are_the_same_at_1_2_and_7_threads(void **unused)
{
    (void)unused;
    enum { N = 20011, D = 13 };
    double *x = random_numbers(N * D, 8), *y = random_numbers(N, 9);
    struct matrix m = {N, D, D, x};
    smr_row_source s = rows_of(&m, 1, y, NULL);
    static const int threads[] = {1, 2, 7};
    smr_gram g[3];
    for (int t = 0; t < 3; t++) {
        smr_ctx *ctx = check_ctx(threads[t]);
        check_ok(ctx, smr_gram_compute(ctx, &s, true, &g[t]));
        assert_memory_equal(g[t].gram, g[0].gram, 14 * 14 * sizeof(double));
        assert_memory_equal(g[t].mean, g[0].mean, 14 * sizeof(double));
        smr_ctx_destroy(ctx); /* the result outlives its context */
    }
    for (int t = 0; t < 3; t++) smr_gram_release(&g[t]);
    free(y);
    free(x);
}

static void bad_values_are_named(void **unused)
{
    (void)unused;
    enum { N = 3001, D = 3 };
    double *x = random_numbers(N * D, 8), *y = random_numbers(N, 9), *weight = random_numbers(N, 1);
    struct matrix m = {N, D, D, x};
    smr_row_source s = rows_of(&m, 1, y, NULL);
    smr_ctx *ctx = check_ctx(2);
    smr_gram g;
    x[2000 * D + 1] = NAN;
    check_fails(ctx, smr_gram_compute(ctx, &s, true, &g), SMR_ERR_DATA, "column 2 of row 2001");
    x[2000 * D + 1] = 1;
    y[77] = -INFINITY;
    check_fails(ctx, smr_gram_compute(ctx, &s, true, &g), SMR_ERR_DATA, "target 1 of row 78");
    memset(weight, 0, N * sizeof *weight);
    s.weight = weight;
    check_fails(ctx, smr_gram_compute(ctx, &s, true, &g), SMR_ERR_DATA, "weights are 0");
    check_ctx_end(ctx);
    free(weight);
    free(y);
    free(x);
}

static void every_failing_allocation_is_survived(void **unused)
{
    (void)unused;
    double *x = random_numbers(100, 8), *y = random_numbers(50, 9);
    struct matrix m = {50, 2, 2, x};
    smr_row_source s = rows_of(&m, 1, y, NULL);
    smr_ctx *ctx = check_ctx(1);
    smr_gram g;
    int64_t n = 0;
    for (;; n++) {
        smr_memory_fail_at(ctx, n);
        smr_status st = smr_gram_compute(ctx, &s, true, &g);
        smr_memory_fail_at(ctx, -1);
        if (st == SMR_OK) break;
        assert_int_equal(st, SMR_ERR_NOMEM);
        assert_int_equal(smr_ctx_memory(ctx, NULL), 0);
        smr_ctx_clear(ctx);
    }
    assert_true(n > 5);
    smr_gram_release(&g);
    check_ctx_end(ctx);
    free(y);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_agree_with_long_double_for_any_shape),
        cmocka_unit_test(large_offsets_cost_no_digits),
        cmocka_unit_test(a_sample_unlike_the_rest_is_noticed),
        cmocka_unit_test(tiny_and_huge_columns_do_not_overflow),
        cmocka_unit_test(bits_are_the_same_at_1_2_and_7_threads),
        cmocka_unit_test(bad_values_are_named),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
