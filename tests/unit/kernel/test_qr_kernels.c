/* Least squares by tiles: the plain bits on every tier, for every width, with dependent columns. */
#include "numbers.h"

#include "kernel/qr_kernels.h"
#include "kernel/ref.h"

enum { ROWS = SMR_QR_ROWS, LANES = SMR_QR_LANES, MOST = 71 };

static double *tile_of(int64_t d, uint64_t seed)
{
    double *tile = aligned_alloc(64, (size_t)(d * ROWS) * sizeof *tile);
    assert_non_null(tile);
    for (int64_t i = 0; i < d * ROWS; i++) tile[i] = number(seed * 1000003 + (uint64_t)i);
    return tile;
}

/* Two tiles, one after another.  `zero` is a column of zeros, `twin` one that is twice another,
 * which leaves next to nothing to reflect; -1: none. */
static void check_absorb(int64_t d, int64_t zero, int64_t twin)
{
    static double want[MOST * MOST], R[MOST * MOST];
    memset(want, 0, sizeof want);
    double *tiles[2] = {tile_of(d, 1), tile_of(d, 2)}, *work = tile_of(d, 3);
    size_t size = (size_t)(d * ROWS) * sizeof *work;
    for (int t = 0; t < 2; t++) {
        if (zero >= 0) memset(tiles[t] + zero * ROWS, 0, ROWS * sizeof *work);
        for (int i = 0; twin > 0 && i < ROWS; i++)
            tiles[t][twin * ROWS + i] = 2 * tiles[t][(twin - 1) * ROWS + i];
        memcpy(work, tiles[t], size);
        smr_ref_qr_absorb(d, want, work);
    }
    on_every_tier({
        memset(R, 0, sizeof R);
        for (int t = 0; t < 2; t++) {
            memcpy(work, tiles[t], size);
            smr_qr_absorb(d, R, work, work, d * ROWS);
        }
        for (int64_t i = 0; i < d * d; i++) check_same_f64("triangle", i, R[i], want[i]);
    });
    free(tiles[0]), free(tiles[1]), free(work);
}

static void triangles_have_the_plain_bits(void **state)
{
    (void)state;
    for (int64_t d = 1; d < MOST; d += d < 20 ? 1 : 7) check_absorb(d, -1, -1);
}

static void dependent_columns_have_the_plain_bits(void **state)
{
    (void)state;
    for (int64_t j = 0; j < 13; j++) {
        check_absorb(13, j, -1);
        check_absorb(13, -1, j);
    }
}

static void residuals_have_the_plain_bits(void **state)
{
    (void)state;
    for (int64_t d = 0; d < 40; d += d < 10 ? 1 : 7) {
        double *X = tile_of(d + 2, 4), *y = X + d * ROWS, *weight = y + ROWS;
        double *w = numbers_f64(d, 5), *low = numbers_f64(d, 6);
        double sums[42 * 2 * LANES], want[42 * 2 * LANES];
        for (int64_t j = 0; j < d; j++) low[j] *= 0x1p-54;
        for (int i = 0; i < ROWS; i++) weight[i] = i < 60 ? fabs(weight[i]) : 0;
        for (int i = 0; i < 42 * 2 * LANES; i++) want[i] = number((uint64_t)i);
        smr_ref_residual_tile(d, X, y, weight, w, low, want);
        on_every_tier({
            for (int i = 0; i < 42 * 2 * LANES; i++) sums[i] = number((uint64_t)i);
            smr_residual_tile(d, X, y, weight, w, low, sums);
            for (int i = 0; i < 42 * 2 * LANES; i++) check_same_f64("sum", i, sums[i], want[i]);
        });
        free(X), free(w), free(low);
    }
}

static void copied_rows_have_the_plain_bits(void **state)
{
    (void)state;
    enum { D = 21, STRIDE = 23 };
    double *x = numbers_f64(ROWS * STRIDE, 7), *shift = numbers_f64(D, 8);
    double *scale = numbers_f64(D, 9), *root = numbers_f64(ROWS, 10);
    double *tile = tile_of(D, 11), *want = tile_of(D, 12), rows[ROWS * D];
    for (int64_t n = 0; n <= ROWS; n += 1 + n / 3)
        for (int with = 0; with < 2; with++) {
            smr_shift by = {shift, scale, with ? root : NULL};
            smr_ref_shift_tile(n, D, x, STRIDE, &by, want);
            on_every_tier({
                smr_shift_tile(n, D, x, STRIDE, &by, tile);
                smr_shift_rows(n, D, x, STRIDE, &by, rows, D);
                for (int64_t i = 0; i < D * ROWS; i++) check_same_f64("tile", i, tile[i], want[i]);
                for (int64_t i = 0; i < n * D; i++)
                    check_same_f64("row", i, rows[i], want[i % D * ROWS + i / D]);
            });
        }
    free(x), free(shift), free(scale), free(root), free(tile), free(want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_have_the_plain_bits),
        cmocka_unit_test(dependent_columns_have_the_plain_bits),
        cmocka_unit_test(residuals_have_the_plain_bits),
        cmocka_unit_test(copied_rows_have_the_plain_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
