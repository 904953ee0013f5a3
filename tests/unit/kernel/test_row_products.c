/* Thin products of linear models: tiers, tiles and rows agree with the plain form bit for bit. */
#include "numbers.h"

#include "kernel/ref.h"

/* m, d, k: edges of the tiles of rows, of vectors and of classes. */
static const int64_t shapes[][3] = {
    {1, 1, 1},  {3, 0, 2},  {2, 7, 1},  {9, 8, 1},   {17, 50, 1},  {8, 64, 1},   {5, 71, 1},
    {7, 65, 2}, {4, 13, 3}, {6, 33, 4}, {11, 49, 5}, {13, 100, 6}, {5, 784, 10}, {3, 29, 17},
};

#define each_shape(m, d, k)                                                                     \
    for (size_t s_ = 0; s_ < sizeof shapes / sizeof *shapes; s_++)                              \
        for (int64_t m = shapes[s_][0], d = shapes[s_][1], k = shapes[s_][2], once_ = 1; once_; \
             once_ = 0)

static void rows_times_weights_have_the_plain_bits(void **state)
{
    (void)state;
    each_shape(m, d, k)
    {
        int64_t ldx = d + 3, ldw = d + 1;
        double *X = numbers_f64(m * ldx, 1), *W = numbers_f64(k * ldw, 2);
        double *out = numbers_f64(m * k, 3), *want = numbers_f64(m * k, 4);
        smr_ref_rows_times_f64(m, d, k, X, ldx, W, ldw, want);
        on_every_tier({
            smr_rows_times_f64(m, d, k, X, ldx, W, ldw, out);
            for (int64_t i = 0; i < m * k; i++) check_same_f64("score", i, out[i], want[i]);
        });
        free(X), free(W), free(out), free(want);
    }
}

/* Columns between d and ldg keep what they hold. */
static void rows_added_up_have_the_plain_bits(void **state)
{
    (void)state;
    each_shape(m, d, k)
    {
        int64_t ldx = d + 3, ldg = d + 2;
        double *X = numbers_f64(m * ldx, 1), *R = numbers_f64(m * k, 2);
        double *want = numbers_f64(k * ldg, 3);
        smr_ref_rows_add_f64(m, d, k, X, ldx, R, want, ldg);
        on_every_tier({
            double *G = numbers_f64(k * ldg, 3);
            smr_rows_add_f64(m, d, k, X, ldx, R, G, ldg);
            for (int64_t i = 0; i < k * ldg; i++) check_same_f64("sum", i, G[i], want[i]);
            free(G);
        });
        free(X), free(R), free(want);
    }
}

static void rows_times_numbers_are_products(void **state)
{
    (void)state;
    each_shape(m, d, k)
    {
        int64_t ldx = d + 3, ldz = d + 2;
        double *X = numbers_f64(m * ldx, 1), *by = numbers_f64(m, 2);
        (void)k;
        on_every_tier({
            double *Z = numbers_f64(m * ldz, 3), *was = numbers_f64(m * ldz, 3);
            smr_rows_scale_f64(m, d, X, ldx, by, Z, ldz);
            for (int64_t i = 0; i < m * ldz; i++) {
                int64_t row = i / ldz, j = i % ldz;
                check_same_f64("product", i, Z[i], j < d ? by[row] * X[row * ldx + j] : was[i]);
            }
            free(Z), free(was);
        });
        free(X), free(by);
    }
}

/* With a NaN and infinities here and there; what lies between d and ldx is not looked at. */
static void extremes_of_columns_are_the_plain_ones(void **state)
{
    (void)state;
    static const int64_t widths[] = {1, 2, 5, 8, 15, 16, 17, 33, 50, 56, 57, 113};
    for (int64_t trial = 0; trial < 120; trial++) {
        int64_t d = widths[trial % 12], n = trial / 12 * 3, ldx = d + trial % 3, put = trial % 5;
        double *X = numbers_f64(n * ldx, (uint64_t)trial);
        double *least = numbers_f64(d, 1), *greatest = numbers_f64(d, 1);
        if (n && put > 1) X[(n - 1) * ldx + d - 1] = put == 2 ? NAN : put == 3 ? INFINITY : -0.0;
        bool finite = smr_ref_extremes_f64(n, d, X, ldx, least, greatest);
        assert_int_equal(finite, !n || put < 2 || put > 3);
        on_every_tier({
            double *a = numbers_f64(d, 1), *b = numbers_f64(d, 1);
            assert_int_equal(smr_extremes_f64(n, d, X, ldx, a, b), finite);
            for (int64_t j = 0; j < d; j++) {
                check_same_f64("least", j, a[j], least[j]);
                check_same_f64("greatest", j, b[j], greatest[j]);
            }
            free(a), free(b);
        });
        free(X), free(least), free(greatest);
    }
}

/* The vector and the columns after m keep what they hold. */
static void steps_of_a_qr_have_the_plain_bits(void **state)
{
    (void)state;
    static const int64_t rows[] = {0, 1, 2, 5, 7, 8, 9, 15, 16, 17, 31, 64, 100};
    for (size_t s = 0; s < 8 * (sizeof rows / sizeof *rows); s++) {
        int64_t m = rows[s / 8], n = (int64_t)s % 8, ld = m + 3;
        double *x = numbers_f64(ld, 1), *f = numbers_f64(n, 2), *A = numbers_f64(n * ld, 3);
        double want[SMR_REFLECT_COLUMNS] = {0}, dots[SMR_REFLECT_COLUMNS] = {0};
        smr_ref_reflect_f64(m, n, 0.3, x, f, A, ld, want);
        on_every_tier({
            double *y = numbers_f64(ld, 1), *B = numbers_f64(n * ld, 3);
            smr_reflect_f64(m, n, 0.3, y, f, B, ld, dots);
            for (int64_t i = 0; i < ld; i++) check_same_f64("vector", i, y[i], x[i]);
            for (int64_t i = 0; i < n * ld; i++) check_same_f64("column", i, B[i], A[i]);
            for (int64_t c = 0; c < n; c++) check_same_f64("dot", c, dots[c], want[c]);
            free(y), free(B);
        });
        free(x), free(f), free(A);
    }
}

static void one_row_at_a_time_has_the_bits_of_a_block(void **state)
{
    (void)state;
    enum { M = 21, D = 37, K = 3 };
    double *X = numbers_f64(M * D, 5), *W = numbers_f64(K * D, 6), out[M * K], one[K];
    on_every_tier({
        smr_rows_times_f64(M, D, K, X, D, W, D, out);
        for (int i = 0; i < M; i++) {
            smr_rows_times_f64(1, D, K, X + i * D, D, W, D, one);
            for (int c = 0; c < K; c++) check_same_f64("row", i, one[c], out[i * K + c]);
        }
    });
    free(X), free(W);
}

static void entries_have_the_plain_bits(void **state)
{
    (void)state;
    static const int64_t classes[] = {1, 2, 3, 4, 5, 8, 10, 12, 16, 31, 32, 33, 67};
    enum { D = 211, N = 23 };
    int32_t column[N];
    for (int e = 0; e < N; e++) column[e] = (int32_t)(9 * e + (int)(hash64((uint64_t)e) % 9));
    for (size_t s = 0; s < 2 * (sizeof classes / sizeof *classes); s++) {
        int64_t k = classes[s / 2], ld = s % 2 ? (k + 7) / 8 * 8 : k + 8 - k % 8 + 3;
        double *value = numbers_f64(N, 7), *W = numbers_f64(D * ld, 8), *r = numbers_f64(k, 9);
        double *want = numbers_f64(D * ld, 8), *scores = numbers_f64(k, 1);
        double *out = numbers_f64(k + 1, 2), past = out[k];
        smr_ref_entries_times_f64(N, column, value, k, W, ld, scores);
        smr_ref_entries_add_f64(N, column, value, k, r, want, ld);
        on_every_tier({
            double *G = numbers_f64(D * ld, 8);
            smr_entries_times_f64(N, column, value, k, W, ld, out);
            for (int64_t c = 0; c < k; c++) check_same_f64("score", c, out[c], scores[c]);
            check_same_f64("the number after", k, out[k], past);
            smr_entries_add_f64(N, column, value, k, r, G, ld);
            for (int64_t i = 0; i < D * ld; i++) check_same_f64("sum", i, G[i], want[i]);
            free(G);
        });
        free(value), free(W), free(r), free(want), free(scores), free(out);
    }
}

/* Sums of 16 bits are passed in some pieces and not in others. */
static void whole_entries_of_bytes_have_the_plain_sums(void **state)
{
    (void)state;
    static const int64_t widths[] = {8, 16, 32, 64, 96, 128, 160};
    static const int64_t lengths[] = {0, 1, 2, 63, 64, 65, 150};
    enum { D = 97, N = 150 };
    int32_t column[N], times[N], got[N];
    double value[N];
    for (size_t s = 0; s < 7 * (sizeof widths / sizeof *widths); s++) {
        int64_t ld = widths[s / 7], n = lengths[s % 7];
        uint8_t *Q = numbers_u8(D * ld, 4);
        uint32_t want[160], out[161];
        for (int64_t i = 0; i < D * ld; i += 3) Q[i] = 255;
        for (int e = 0; e < N; e++) {
            column[e] = (int32_t)(hash64((uint64_t)e) % D);
            times[e] = e == 70 ? 65537 : e % 7 == 3 ? 5 : e % 11 == 4 ? 190 : 1;
            value[e] = times[e];
        }
        for (int most = 0; most < 2; most++) {
            for (int e = 0; e < N && most; e++) times[e] = e < 64 ? 4 + (e == 3) : 1; /* 257 */
            smr_ref_entries_pick_u8(n, column, times, Q, ld, want);
            on_every_tier({
                out[ld] = 7;
                smr_entries_pick_u8(n, column, times, Q, ld, out);
                for (int64_t c = 0; c < ld; c++) assert_int_equal(out[c], want[c]);
                assert_int_equal(out[ld], 7);
            });
        }
        free(Q);
    }
    on_every_tier({
        assert_int_equal(smr_whole_f64(N, value, got), smr_ref_whole_f64(N, value, times));
        for (int e = 0; e < N; e++) assert_int_equal(got[e], times[e]);
    });
}

static void numbers_that_are_not_whole_are_told(void **state)
{
    (void)state;
    static const double odd[] = {0,           -1,        0.5,          1.5,   NAN,
                                 INFINITY,    -INFINITY, 2147483648.0, 1e300, -2147483649.0,
                                 4294967297.0};
    double x[19];
    int32_t out[20];
    for (int at = 0; at < 19; at++)
        for (size_t c = 0; c <= sizeof odd / sizeof *odd; c++) {
            for (int i = 0; i < 19; i++) x[i] = 2147483647.0 - i;
            int64_t want = 19LL * 2147483647 - 171;
            if (c < sizeof odd / sizeof *odd) x[at] = odd[c], want = -1;
            assert_int_equal(smr_ref_whole_f64(19, x, out), want);
            on_every_tier({
                out[19] = 5;
                assert_int_equal(smr_whole_f64(19, x, out), want);
                assert_int_equal(out[19], 5);
            });
        }
}

/* Two thirds zeros, one of them negative, and a NaN, which is an entry. */
static void squeezing_a_row_keeps_what_is_not_zero(void **state)
{
    (void)state;
    enum { D = 101, ROOM = D + 16 };
    int32_t column[ROOM];
    double value[ROOM];
    for (int64_t d = 0; d <= D; d++) {
        double *x = numbers_f64(d, 10), want[ROOM];
        float *f = numbers_f32(d, 10);
        uint8_t *b = numbers_u8(d, 10);
        int64_t n = 0, at[ROOM];
        for (int64_t j = 0; j < d; j++) {
            if (hash64((uint64_t)j) % 3) x[j] = j % 2 ? -0.0 : 0.0, f[j] = 0, b[j] = 0;
            if (j == 40) x[j] = (double)NAN, f[j] = NAN, b[j] = 255;
            f[j] = (float)x[j];
            b[j] = x[j] == 0 ? 0 : (uint8_t)(b[j] | 1);
            if (x[j] != 0) want[n] = x[j], at[n++] = j;
        }
        on_every_tier({
            assert_int_equal(smr_squeeze_f64(d, x, column, value), n);
            for (int64_t e = 0; e < n; e++) {
                check_same_f64("value", e, value[e], want[e]);
                assert_int_equal(column[e], at[e]);
            }
            assert_int_equal(smr_squeeze_f32(d, f, column, value), n);
            for (int64_t e = 0; e < n; e++) {
                check_same_f64("float", e, value[e], (double)(float)want[e]);
                assert_int_equal(column[e], at[e]);
            }
            assert_int_equal(smr_squeeze_u8(d, b, column, value), n);
            for (int64_t e = 0; e < n; e++) {
                check_same_f64("byte", e, value[e], b[at[e]]);
                assert_int_equal(column[e], at[e]);
            }
        });
        free(x), free(f), free(b);
    }
}

/* Counts of 16 classes in some of 256 cells, heavy ones too: each tier finds the plain cut. */
static void sweeps_of_classes_find_the_plain_cut(void **state)
{
    (void)state;
    enum { CELLS = 256, MOST = 16 };
    static uint32_t counts[CELLS * MOST], again[CELLS * MOST];
    for (uint64_t trial = 0; trial < 200; trial++) {
        int64_t width = trial % 2 ? 8 : 16, n = 0, found = 0;
        uint64_t keep = 1 + hash64(trial) % 40, most = trial % 7 ? 5 : 40000;
        double total[MOST] = {0}, all = 0, least = trial % 3 ? 1 : 7, start = 0, want = 0;
        uint8_t cell[CELLS];
        memset(counts, 0, sizeof counts);
        for (uint64_t b = 0; b < CELLS; b++) {
            if (hash64(b + 1000 * trial) % 40 >= keep) continue;
            cell[n++] = (uint8_t)b;
            for (int64_t c = 0; c < width - 2; c++) { /* the last two are padding */
                uint64_t h = hash64(b * 16 + (uint64_t)c + (trial << 20));
                if (h % 4) continue;
                counts[(int64_t)b * width + c] = (uint32_t)(1 + (h >> 8) % most);
                total[c] += counts[(int64_t)b * width + c];
            }
        }
        for (int64_t c = 0; c < width; c++) all += total[c];
        assert_true(all <= 1 << 26);
        for (int64_t c = 0; c < width && all > 0; c++) start += total[c] * total[c] / all;
        memcpy(again, counts, sizeof counts);
        want = start - 1;
        found = smr_ref_gini_sweep(n, cell, again, width, total, least, &want);
        on_every_tier({
            double best = start - 1;
            memcpy(again, counts, sizeof counts);
            int64_t got = smr_gini_sweep(n, cell, again, width, total, least, &best);
            assert_int_equal(got, found);
            check_same_f64("score", (int64_t)trial, best, want);
            for (int64_t i = 0; i < CELLS * width; i++) assert_int_equal(again[i], 0);
        });
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_times_weights_have_the_plain_bits),
        cmocka_unit_test(rows_added_up_have_the_plain_bits),
        cmocka_unit_test(rows_times_numbers_are_products),
        cmocka_unit_test(extremes_of_columns_are_the_plain_ones),
        cmocka_unit_test(steps_of_a_qr_have_the_plain_bits),
        cmocka_unit_test(one_row_at_a_time_has_the_bits_of_a_block),
        cmocka_unit_test(entries_have_the_plain_bits),
        cmocka_unit_test(whole_entries_of_bytes_have_the_plain_sums),
        cmocka_unit_test(numbers_that_are_not_whole_are_told),
        cmocka_unit_test(squeezing_a_row_keeps_what_is_not_zero),
        cmocka_unit_test(sweeps_of_classes_find_the_plain_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
