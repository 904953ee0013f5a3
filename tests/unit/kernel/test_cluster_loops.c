/* k-means: tiers and tiles agree with the plain form bit for bit. */
#include "numbers.h"

#include "kernel/ref.h"

static float *numbers_f32_of(int64_t n, uint64_t seed)
{
    double *wide = numbers_f64(n, seed);
    float *out = malloc((size_t)SMR_MAX(n, 1) * sizeof *out);
    for (int64_t i = 0; i < n; i++) out[i] = (float)wide[i];
    free(wide);
    return out;
}

/* Every third key is one of few values, so that there are ties. */
static void the_two_least_keys_have_the_plain_bits(void **state)
{
    static const int64_t shapes[][2] = {{1, 1},  {1, 67},  {2, 16},  {3, 15},   {7, 64},
                                        {8, 65}, {10, 91}, {33, 31}, {100, 129}};
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        int64_t k = shapes[s][0], n = shapes[s][1], ld = n + 5;
        float *key = numbers_f32_of(k * ld, 3), a[2][129], b[2][129];
        int32_t at[2][129];
        for (int64_t e = 0; e < k * ld; e += 3) key[e] = (float)(e * 7 % 4) - 2.5f;
        smr_two_least want = {a[0], b[0], at[0]}, got = {a[1], b[1], at[1]};
        smr_ref_two_least_f32(k, n, key, ld, &want);
        on_every_tier({
            smr_two_least_f32(k, n, key, ld, &got);
            for (int64_t i = 0; i < n; i++) {
                check_same_f32("least", i, a[1][i], a[0][i]);
                check_same_f32("second", i, b[1][i], b[0][i]);
                assert_int_equal(at[1][i], at[0][i]);
            }
        });
        free(key);
    }
}

/* Fewer centres, points and steps than a tile has, as many, and more. */
static void the_least_of_panels_have_the_plain_bits(void **state)
{
    static const int64_t shapes[][3] = {{1, 1, 1},   {2, 31, 17},  {7, 32, 2},   {10, 33, 17},
                                        {12, 64, 9}, {13, 70, 40}, {25, 129, 5}, {40, 16, 3}};
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        int64_t k = shapes[s][0], n = shapes[s][1], steps = shapes[s][2], list[2][129];
        float *x = numbers_f32_of(n * steps, 3), *a = numbers_f32_of(k * steps, 4), one[2][129],
              two[2][129], square[129];
        void *panels = malloc((size_t)smr_panels_size_f32(n, steps));
        int32_t at[2][129];
        smr_two_least want = {one[0], two[0], at[0]}, got = {one[1], two[1], at[1]};
        for (int64_t t = 0; k > 3 && t < steps; t++) a[3 * steps + t] = a[t]; /* the first is it */
        for (int64_t i = 0; i < n; i++) square[i] = (float)(i % 7);
        smr_pack_f32(n, steps, x, steps, panels);
        smr_ref_least_of_panels_f32(k, n, steps, a, panels, &want);
        int64_t close = smr_ref_close_keys_f32(n, &want, square, 0.1f, 0.2f, list[0]);
        on_every_tier({
            smr_least_of_panels_f32(k, n, steps, a, panels, &got);
            for (int64_t i = 0; i < n; i++) {
                check_same_f32("least", i, one[1][i], one[0][i]);
                check_same_f32("second", i, two[1][i], two[0][i]);
                assert_int_equal(at[1][i], at[0][i]);
            }
            assert_int_equal(smr_close_keys_f32(n, &got, square, 0.1f, 0.2f, list[1]), close);
            for (int64_t e = 0; e < close; e++) assert_int_equal(list[1][e], list[0][e]);
        });
        free(x), free(a), free(panels);
    }
}

static void unlike_numbers_are_listed(void **state)
{
    enum { N = 83 };
    int32_t a[N], b[N];
    int64_t want[N], got[N];
    (void)state;
    for (int32_t i = 0; i < N; i++) {
        a[i] = i * 3;
        b[i] = i % 5 == 1 || i > 77 ? i : i * 3;
    }
    int64_t n = smr_ref_unlike_i32(N, a, b, want);
    assert_int_equal(n, 21);
    on_every_tier({
        assert_int_equal(smr_unlike_i32(N, a, b, got), n);
        for (int64_t e = 0; e < n; e++) assert_int_equal(got[e], want[e]);
    });
}

static void distances_of_rows_have_the_bits_of_one(void **state)
{
    static const int64_t widths[] = {1, 3, 8, 11, 16, 17, 40};
    enum { N = 21, K = 4 };
    (void)state;
    for (size_t s = 0; s < sizeof widths / sizeof *widths; s++) {
        int64_t d = widths[s], ldx = d + 1;
        double *x = numbers_f64(N * ldx, 1), *c = numbers_f64(K * d, 2), out[N], first[N];
        float *y = numbers_f32_of(N * ldx, 3);
        int32_t which[N];
        for (int32_t i = 0; i < N; i++) which[i] = i * 3 % K;
        on_every_tier({
            smr_l2sq_rows_f64(N, d, x, ldx, which, c, out);
            smr_l2sq_rows_f64(N, d, x, ldx, NULL, c, first);
            for (int64_t i = 0; i < N; i++) {
                check_same_f64("row", i, out[i], smr_l2sq_f64(d, x + i * ldx, c + which[i] * d));
                check_same_f64("first", i, first[i], smr_l2sq_f64(d, x + i * ldx, c));
            }
            smr_l2sq_rows_f32(N, d, y, ldx, which, c, out);
            for (int64_t i = 0; i < N; i++)
                check_same_f64("float", i, out[i],
                               smr_l2sq_f32_f64(d, y + i * ldx, c + which[i] * d));
        });
        free(x), free(y), free(c);
    }
}

static void extremes_of_floats_have_the_plain_bits(void **state)
{
    static const int64_t shapes[][2] = {{1, 1}, {7, 15}, {9, 16}, {30, 64}, {13, 71}, {4, 130}};
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        int64_t n = shapes[s][0], d = shapes[s][1], ldx = d + 2;
        float *x = numbers_f32_of(n * ldx, 9), least[2][130], greatest[2][130];
        for (int bad = 0; bad < 3; bad++) {
            if (bad) x[(n - 1) * ldx + d - 1] = bad == 1 ? INFINITY : NAN;
            for (int64_t j = 0; j < d; j++) {
                least[0][j] = INFINITY;
                greatest[0][j] = -INFINITY;
            }
            assert_int_equal(smr_ref_extremes_f32(n, d, x, ldx, least[0], greatest[0]), bad == 0);
            on_every_tier({
                for (int64_t j = 0; j < d; j++) {
                    least[1][j] = INFINITY;
                    greatest[1][j] = -INFINITY;
                }
                assert_int_equal(smr_extremes_f32(n, d, x, ldx, least[1], greatest[1]), bad == 0);
                for (int64_t j = 0; j < d && bad < 2; j++) {
                    check_same_f32("least", j, least[1][j], least[0][j]);
                    check_same_f32("greatest", j, greatest[1][j], greatest[0][j]);
                }
            });
        }
        free(x);
    }
}

static void floats_that_are_bytes_are_found(void **state)
{
    enum { N = 37 };
    double x[N], off[2];
    float y[N];
    uint8_t to[2][N];
    (void)state;
    for (int64_t i = 0; i < N; i++) {
        x[i] = -1.5 + (double)(i * 7) / 300.0;
        y[i] = (float)x[i];
    }
    assert_true(smr_ref_bytes_of_f32(N, y, -1.5, 300, to[0], &off[0]));
    assert_true(off[0] > 0 && off[0] < 1e-6);
    smr_ref_bytes_near_f64(N, x, -1.5, 300, to[1]);
    assert_memory_equal(to[0], to[1], N);
    on_every_tier({
        assert_true(smr_bytes_of_f32(N, y, -1.5, 300, to[1], &off[1]));
        check_same_f64("off", 0, off[1], off[0]);
        assert_memory_equal(to[0], to[1], N);
        assert_true(smr_bytes_of_f64(N, x, -1.5, 300, to[1], &off[1]));
        for (int64_t i = 0; i < N; i++) assert_int_equal(to[1][i], i * 7);
        memset(to[1], 0, N);
        smr_bytes_near_f32(N, y, -1.5, 300, to[1]);
        assert_memory_equal(to[0], to[1], N);
        memset(to[1], 0, N);
        smr_bytes_near_f64(N, x, -1.5, 300, to[1]);
        assert_memory_equal(to[0], to[1], N);
        assert_false(smr_bytes_of_f64(N, x, -1.5, 301, to[1], &off[1]));  /* between two */
        assert_false(smr_bytes_of_f64(N, x, -1.52, 300, to[1], &off[1])); /* above 255 */
        assert_false(smr_bytes_of_f32(N, y, 0, 300, to[1], &off[1]));     /* below 0 */
        y[3] = NAN;
        assert_false(smr_bytes_of_f32(N, y, -1.5, 300, to[1], &off[1]));
        y[3] = (float)x[3];
    });
}

static void keys_of_bytes_have_the_plain_bits(void **state)
{
    enum { N = 77 };
    int32_t high[N], low[N];
    float want[N], got[N];
    (void)state;
    for (int64_t i = 0; i < N; i++) {
        high[i] = (int32_t)(hash64((uint64_t)i) % 51000000);
        low[i] = (int32_t)(hash64((uint64_t)i + 1000) % 51000000);
    }
    smr_ref_byte_keys_f32(N, 1234567.8f, high, low, want);
    on_every_tier({
        smr_byte_keys_f32(N, 1234567.8f, high, low, got);
        for (int64_t i = 0; i < N; i++) check_same_f32("key", i, got[i], want[i]);
    });
}

static void panels_of_rows_have_the_plain_bits(void **state)
{
    static const int64_t shapes[][2] = {{1, 1}, {5, 7}, {8, 8}, {33, 16}, {64, 17}, {70, 41}};
    (void)state;
    for (size_t s = 0; s < 2 * sizeof shapes / sizeof *shapes; s++) {
        int64_t n = shapes[s / 2][0], d = shapes[s / 2][1], ldx = d + 3, list[70];
        int64_t size = smr_panels_size_f32(n, d + 1);
        double *x = numbers_f64(n * ldx, 5), *shift = numbers_f64(d, 6);
        float *y = numbers_f32_of(n * ldx, 7), *want = malloc((size_t)size),
              *got = malloc((size_t)size);
        smr_from_mean by = {shift, 0.25}; /* of floats, shifts are rounded */
        for (int64_t i = 0; i < n; i++) list[i] = (i * 5 + 2) % n;
        const int64_t *rows = s % 2 ? list : NULL;
        on_every_tier({
            smr_ref_pack_near_f64(n, rows, d, x, ldx, &by, want);
            smr_pack_near_f64(n, rows, d, x, ldx, &by, got);
            assert_memory_equal(got, want, size);
            smr_ref_pack_near_f32(n, rows, d, y, ldx, &by, want);
            smr_pack_near_f32(n, rows, d, y, ldx, &by, got);
            assert_memory_equal(got, want, size);
        });
        free(x), free(y), free(shift), free(want), free(got);
    }
}

enum { ROWS = 23, CLUSTERS = 3 };

struct moved {
    int64_t d, ldx;
    double *x, *shift, *scale, *weight;
    float *x32;
    uint8_t *x8;
    smr_row_move move[ROWS];
};

static struct moved make_moved(int64_t d)
{
    struct moved m = {.d = d, .ldx = d + 2};
    m.x = numbers_f64(ROWS * m.ldx, 1);
    m.shift = numbers_f64(d, 2);
    m.scale = numbers_f64(d, 3);
    m.weight = numbers_f64(ROWS, 4);
    m.x32 = numbers_f32_of(ROWS * m.ldx, 1);
    m.x8 = malloc((size_t)(ROWS * m.ldx));
    for (int64_t e = 0; e < ROWS * m.ldx; e++) m.x8[e] = (uint8_t)(m.x32[e] * 1000);
    for (int64_t j = 0; j < d; j++) m.scale[j] = ldexp(1, 30 + (int)(j % 5));
    for (int64_t i = 0; i < ROWS; i++) {
        m.move[i] = (smr_row_move){i * 5 % ROWS, (int32_t)(i % 4) - 1, (int32_t)(i * 7 % 4) - 1};
        m.weight[i] = 0.5 + (double)(i % 3);
    }
    return m;
}

static void free_moved(struct moved *m)
{
    free(m->x), free(m->shift), free(m->scale), free(m->weight), free(m->x32), free(m->x8);
}

static void check_sums(const int64_t *got, const int64_t *want, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        if (got[j] != want[j]) fail_msg("sum %lld on %s", (long long)j, smr_kernel_tier());
}

static void moved_rows_have_the_plain_bits(void **state)
{
    static const int64_t widths[] = {1, 2, 3, 7, 8, 9, 16, 31};
    (void)state;
    for (size_t s = 0; s < 2 * sizeof widths / sizeof *widths; s++) {
        struct moved m = make_moved(widths[s / 2]);
        smr_fixed_point by = {m.shift, m.scale, s % 2 ? m.weight : NULL};
        int64_t want[3][CLUSTERS * 31] = {0}, d = m.d;
        smr_ref_move_rows_f64(ROWS, m.move, d, m.x, m.ldx, &by, want[0]);
        smr_ref_move_rows_f32(ROWS, m.move, d, m.x32, m.ldx, &by, want[1]);
        smr_ref_move_rows_u8(ROWS, m.move, d, m.x8, m.ldx, &by, want[2]);
        on_every_tier({
            int64_t got[3][CLUSTERS * 31] = {0};
            smr_move_rows_f64(ROWS, m.move, d, m.x, m.ldx, &by, got[0]);
            smr_move_rows_f32(ROWS, m.move, d, m.x32, m.ldx, &by, got[1]);
            smr_move_rows_u8(ROWS, m.move, d, m.x8, m.ldx, &by, got[2]);
            for (int f = 0; f < 3; f++) check_sums(got[f], want[f], CLUSTERS * d);
        });
        free_moved(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(panels_of_rows_have_the_plain_bits),
        cmocka_unit_test(the_two_least_keys_have_the_plain_bits),
        cmocka_unit_test(the_least_of_panels_have_the_plain_bits),
        cmocka_unit_test(unlike_numbers_are_listed),
        cmocka_unit_test(distances_of_rows_have_the_bits_of_one),
        cmocka_unit_test(extremes_of_floats_have_the_plain_bits),
        cmocka_unit_test(floats_that_are_bytes_are_found),
        cmocka_unit_test(keys_of_bytes_have_the_plain_bits),
        cmocka_unit_test(moved_rows_have_the_plain_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
