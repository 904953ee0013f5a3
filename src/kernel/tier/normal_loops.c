/* normal_loops.c -- normal densities of all states at once, and their moments: the loops of
 * chain_kernels.h in which every state is a lane. */

/* Lets gcc compute both sides of a choice, as vectors must; values are not affected. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-trapping-math")
#endif

#include "kernel/tier/normal_tile.h"
#include "kernel/tier/tier.h"

/* As many sums as there are registers for. */
#if SIMD_BYTES >= 32
enum { ROWS = 4 };
#else
enum { ROWS = 2 };
#endif

enum { TOGETHER = 4 };

/* ---- densities -------------------------------------------------------------------------- */

/* Some rows in the states from lane j on: they share what is read of these.
 * lint: allow arguments, a tile that is inlined. */
INLINE void densities(const int rows, const smr_normals *of, const double *X, int64_t ldx,
                      int64_t j, double *out, int64_t ldo)
{
    wide sum[ROWS], half = splat_wide(-0.5), peak = load_wide(of->peak + j);
    UNROLL
    for (int r = 0; r < rows; r++) sum[r] = splat_wide(0);
    for (int64_t k = 0; k < of->d; k++) {
        wide mean = load_wide(of->mean + k * of->width + j);
        wide scale = load_wide(of->scale + k * of->width + j);
        UNROLL
        for (int r = 0; r < rows; r++) {
            wide z = times(less(splat_wide(X[r * ldx + k]), mean), scale);
            sum[r] = fused(z, z, sum[r]);
        }
    }
    UNROLL
    for (int r = 0; r < rows; r++) store_wide(out + r * ldo + j, fused(half, sum[r], peak));
}

static void density_rows(int64_t n, const smr_normals *of, const double *X, int64_t ldx,
                         double *out)
{
    int64_t i = 0;
    for (; i + ROWS <= n; i += ROWS)
        for (int64_t j = 0; j < of->width; j += WIDE)
            densities(ROWS, of, X + i * ldx, ldx, j, out + i * of->width, of->width);
    for (; i < n; i++)
        for (int64_t j = 0; j < of->width; j += WIDE)
            densities(1, of, X + i * ldx, ldx, j, out + i * of->width, of->width);
}

/* ---- tiles ------------------------------------------------------------------------------ */

/* sum, of two states, += d squares. */
INLINE void tile_squares(int64_t d, const double *x, const double *mean, const double *scale,
                         int64_t width, vec_f64 sum[2][VECTORS])
{
    for (int64_t k = 0; k < d; k++, x += TILE, mean += width, scale += width) {
        UNROLL
        for (int c = 0; c < 2; c++) {
            vec_f64 m = splat_f64(mean[c]), s = splat_f64(scale[c]);
            UNROLL
            for (int v = 0; v < VECTORS; v++) {
                vec_f64 z = (load_f64(x + v * L) - m) * s;
                sum[c][v] = fma_f64(z, z, sum[c][v]);
            }
        }
    }
}

/* Two states from j on, of d numbers from the k-th on: the first begin their sums, the last turn
 * these into logarithms. */
INLINE void tile_states(const smr_normals *of, int64_t j, int64_t k, int64_t d, const double *x,
                        double *logs)
{
    vec_f64 sum[2][VECTORS], half = splat_f64(-0.5);
    UNROLL
    for (int c = 0; c < 2; c++) {
        UNROLL
        for (int v = 0; v < VECTORS; v++)
            sum[c][v] = k > 0 ? load_f64(logs + (j + c) * TILE + v * L) : zero_f64();
    }
    tile_squares(d, x, of->mean + k * of->width + j, of->scale + k * of->width + j, of->width, sum);
    UNROLL
    for (int c = 0; c < 2; c++) {
        vec_f64 peak = splat_f64(of->peak[j + c]);
        UNROLL
        for (int v = 0; v < VECTORS; v++)
            store_f64(logs + (j + c) * TILE + v * L,
                      k + d == of->d ? fma_f64(half, sum[c][v], peak) : sum[c][v]);
    }
}

/* logs (width x TILE) of TILE rows. */
static void tile_logs(const smr_normals *of, const double *X, int64_t ldx, double *logs)
{
    double x[DEEP * TILE];
    int64_t k = 0;
    do {
        int64_t d = of->d - k < DEEP ? of->d - k : DEEP;
        turn_rows(d, X + k, ldx, x);
        for (int64_t j = 0; j < of->n; j += 2) tile_states(of, j, k, d, x, logs);
        k += d;
    } while (k < of->d);
}

/* Rows that are in whole tiles; 0 where there are many states. */
INLINE int64_t tiled_rows(int64_t n, const smr_normals *of)
{
    return of->n <= FEW ? n / TILE * TILE : 0;
}

void TIER(normals_logs_f64)(int64_t n, const smr_normals *of, const double *X, int64_t ldx,
                            double *out)
{
    double logs[FEW * TILE];
    int64_t whole = tiled_rows(n, of);
    for (int64_t r = 0; r < whole; r += TILE) {
        tile_logs(of, X + r * ldx, ldx, logs);
        turn_states(of->n, of->width, -INFINITY, logs, out + r * of->width);
    }
    density_rows(n - whole, of, X + whole * ldx, ldx, out + whole * of->width);
}

/* ---- rows ------------------------------------------------------------------------------- */

void TIER(normals_rows_f64)(int64_t n, const smr_normals *of, const double *X, int64_t ldx,
                            double *out, double *top)
{
    double logs[FEW * TILE];
    int64_t whole = tiled_rows(n, of), width = of->width;
    for (int64_t r = 0; r < whole; r += TILE) {
        tile_logs(of, X + r * ldx, ldx, logs);
        finish_tile(of->n, width, logs, out + r * width, top + r);
    }
    density_rows(n - whole, of, X + whole * ldx, ldx, out + whole * width);
    finish_rows(n - whole, of->n, width, out + whole * width, top + whole);
}

/* ---- moments ---------------------------------------------------------------------------- */

/* The tables that are added to, and the place of the first number in the first state. */
struct place {
    double *sum, *square;
    int64_t from;
};

/* The numbers from there on, m of them, in the states of one vector.
 * lint: allow arguments, a loop that is inlined. */
INLINE void moments(const int m, int64_t n, const smr_normals *of, const double *x, int64_t ldx,
                    const double *p, struct place at)
{
    vec_f64 mean[TOGETHER], sum[TOGETHER], square[TOGETHER];
    UNROLL
    for (int k = 0; k < m; k++) {
        mean[k] = load_f64(of->mean + at.from + k * of->width);
        sum[k] = load_f64(at.sum + at.from + k * of->width);
        square[k] = load_f64(at.square + at.from + k * of->width);
    }
    for (int64_t r = 0; r < n; r++, x += ldx, p += of->width) {
        vec_f64 weight = load_f64(p);
        UNROLL
        for (int k = 0; k < m; k++) {
            vec_f64 z = splat_f64(x[k]) - mean[k], by = weight * z;
            sum[k] = sum[k] + by;
            square[k] = fma_f64(by, z, square[k]);
        }
    }
    UNROLL
    for (int k = 0; k < m; k++) {
        store_f64(at.sum + at.from + k * of->width, sum[k]);
        store_f64(at.square + at.from + k * of->width, square[k]);
    }
}

void TIER(normals_moments_f64)(int64_t n, const smr_normals *of, const double *X, int64_t ldx,
                               const double *p, double *sum, double *square)
{
    for (int64_t j = 0; j < of->width; j += L) {
        int64_t k = 0;
        for (; k + TOGETHER <= of->d; k += TOGETHER) {
            struct place at = {sum, square, k * of->width + j};
            moments(TOGETHER, n, of, X + k, ldx, p + j, at);
        }
        for (; k < of->d; k++) {
            struct place at = {sum, square, k * of->width + j};
            moments(1, n, of, X + k, ldx, p + j, at);
        }
    }
}

void TIER(lanes_sum_f64)(int64_t n, int64_t width, const double *p, double *sum)
{
    for (int64_t j = 0; j < width; j += L) {
        vec_f64 all = load_f64(sum + j);
        for (int64_t r = 0; r < n; r++) all = all + load_f64(p + r * width + j);
        store_f64(sum + j, all);
    }
}
