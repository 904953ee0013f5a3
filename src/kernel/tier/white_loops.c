/* white_loops.c -- normal densities of states whose covariances join features: rows are lanes, and
 * the numbers are those of `whitened` (gauss_loops.c). */

/* Lets gcc compute both sides of a choice, as vectors must; values are not affected. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-trapping-math")
#endif

#include "kernel/tier/normal_tile.h"
#include "kernel/tier/tier.h"

/* Rows of W at once: as many sums as there are registers for. */
enum { SUMS = 8, AT_ONCE = SIMD_BYTES == 64 ? 4 : 2 };

/* square += the squares of rows a .. a + AT_ONCE - 1 of W z; where W ends, it is 0. */
INLINE void white_step(int64_t a, int64_t d, const double *z, const double *W, int64_t ldw,
                       double *square)
{
    int64_t end = a + AT_ONCE < d ? a + AT_ONCE : d;
    vec_f64 y[AT_ONCE][VECTORS];
    UNROLL
    for (int i = 0; i < AT_ONCE; i++) {
        UNROLL
        for (int v = 0; v < VECTORS; v++) y[i][v] = zero_f64();
    }
    for (int64_t j = 0; j < end; j++) {
        UNROLL
        for (int i = 0; i < AT_ONCE; i++) {
            vec_f64 w = splat_f64(W[j * ldw + a + i]);
            UNROLL
            for (int v = 0; v < VECTORS; v++)
                y[i][v] = fma_f64(load_f64(z + j * TILE + v * L), w, y[i][v]);
        }
    }
    UNROLL
    for (int i = 0; i < AT_ONCE; i++) {
        UNROLL
        for (int v = 0; v < VECTORS; v++) {
            double *at = square + ((a + i) % SUMS) * TILE + v * L;
            store_f64(at, fma_f64(y[i][v], y[i][v], load_f64(at)));
        }
    }
}

/* The logarithms of a tile's rows x (d x TILE) in one state. */
static void white_state(const smr_whites *of, int64_t c, const double *x, double *logs)
{
    const double *mean = of->mean + c * of->d, *W = of->white + c * of->each;
    double z[DEEP * TILE], square[SUMS * TILE] = {0};
    vec_f64 half = splat_f64(-0.5), peak = splat_f64(of->peak[c]);
    for (int64_t j = 0; j < of->d; j++)
        for (int64_t i = j * TILE; i < (j + 1) * TILE; i += L)
            store_f64(z + i, load_f64(x + i) - splat_f64(mean[j]));
    for (int64_t a = 0; a < of->d; a += AT_ONCE) white_step(a, of->d, z, W, of->ldw, square);
    for (int64_t by = SUMS / 2 * TILE; by >= TILE; by /= 2)
        for (int64_t i = 0; i < by; i += L)
            store_f64(square + i, load_f64(square + i) + load_f64(square + i + by));
    for (int64_t i = 0; i < TILE; i += L)
        store_f64(logs + i, fma_f64(half, load_f64(square + i), peak));
}

static void tile_whites(const smr_whites *of, const double *X, int64_t ldx, double *out,
                        double *top)
{
    double x[DEEP * TILE], logs[FEW * TILE];
    turn_rows(of->d, X, ldx, x);
    for (int64_t c = 0; c < of->n; c++) white_state(of, c, x, logs + c * TILE);
    finish_tile(of->n, of->width, logs, out, top);
}

void TIER(whites_rows_f64)(int64_t n, const smr_whites *of, const double *X, int64_t ldx,
                           double *out, double *top)
{
    int64_t width = of->width, r = 0;
    bool tiles = of->n <= FEW && of->d <= DEEP;
    for (; tiles && r + TILE <= n; r += TILE)
        tile_whites(of, X + r * ldx, ldx, out + r * width, top + r);
    X += r * ldx;
    out += r * width;
    for (int64_t c = 0; c < of->n; c++) TIER(whitened_f64)
    (n - r, of->d, X, ldx, of->mean + c * of->d, of->white + c * of->each, of->ldw, out + c, width);
    for (int64_t i = 0; i < n - r; i++)
        for (int64_t c = 0; c < width; c++)
            out[i * width + c] = c < of->n ? of->peak[c] - 0.5 * out[i * width + c] : -INFINITY;
    finish_rows(n - r, of->n, width, out, top + r);
}
