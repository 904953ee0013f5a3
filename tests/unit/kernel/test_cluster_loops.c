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
        smr_from_mean by = {shift, 0.25};
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
        cmocka_unit_test(keys_of_bytes_have_the_plain_bits),
        cmocka_unit_test(moved_rows_have_the_plain_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
