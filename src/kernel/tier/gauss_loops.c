/* gauss_loops.c -- normal densities: distances of rows from means, and the sums of each class.
 *
 *     spread    out[i][c] = sum_j ((x_ij - mean_jc) scale_jc)^2   one chain over ascending j
 *     whitened  out[i]    = |W (x_i - mean)|^2, W a lower triangle: (W z)_a is one chain over
 *                           ascending j; lane l of 8 takes the squares of a = l, l + 8, ..., and
 *                           then lane l takes lane l + 4, l + 2, l + 1
 *     sums      of each class, one chain over its rows
 *
 * Differences are taken before they are multiplied, so that no digit is lost far from 0. */
#include "kernel/tier/class_row.h"
#include "kernel/tier/tier.h"

enum { CHUNK = 8, SPREAD_AHEAD = 32, PARTS = 64 / SIMD_BYTES, L = LANES_f64 };

/* As many sums as there are registers for. */
#if SIMD_BYTES == 64
enum { SPREAD_ROWS = 4, SPREAD_WIDE = 4, WHITE_ROWS = 4, WHITE_CHUNKS = 4 };
#elif SIMD_BYTES == 32
enum { SPREAD_ROWS = 4, SPREAD_WIDE = 2, WHITE_ROWS = 2, WHITE_CHUNKS = 2 };
#else
enum { SPREAD_ROWS = 2, SPREAD_WIDE = 2, WHITE_ROWS = 1, WHITE_CHUNKS = 1 };
#endif

/* ---- spread ----------------------------------------------------------------------------- */

/* Up to four classes beyond whole vectors: half a vector takes half as long. */
#if SIMD_BYTES == 64
enum { HALF = L / 2 };
typedef __m256d half_f64;

INLINE void half_step(half_f64 *sum, double x, const double *mean, const double *scale)
{
    half_f64 t = (_mm256_set1_pd(x) - _mm256_loadu_pd(mean)) * _mm256_loadu_pd(scale);
    *sum = _mm256_fmadd_pd(t, t, *sum);
}

INLINE void store_half(double *out, int count, half_f64 x)
{
    _mm256_mask_storeu_pd(out, (__mmask8)((1u << count) - 1u), x);
}
#else
enum { HALF = 0 };
typedef double half_f64;

INLINE void half_step(half_f64 *sum, double x, const double *mean, const double *scale)
{
    (void)sum, (void)x, (void)mean, (void)scale;
}

INLINE void store_half(double *out, int count, half_f64 x)
{
    (void)out, (void)count, (void)x;
}
#endif

/* `rows` rows against `vectors` vectors of classes, of which the last writes `last`, and is half a
 * vector if these are few.
 * lint: allow arguments, a tile that is inlined. */
INLINE void spread_tile(const int rows, const int vectors, const bool halved, int last, int64_t d,
                        const double *x, int64_t ldx, const smr_spread *of, int64_t class,
                        int64_t k, double *out)
{
    const double *mean = of->mean + class, *scale = of->scale + class;
    const int whole = halved ? vectors - 1 : vectors;
    vec_f64 sum[SPREAD_ROWS][SPREAD_WIDE];
    half_f64 end[SPREAD_ROWS];
    UNROLL
    for (int r = 0; r < rows; r++) {
        end[r] = (half_f64){0};
        UNROLL
        for (int v = 0; v < whole; v++) sum[r][v] = zero_f64();
    }
    for (int64_t j = 0; j < d; j++, mean += of->ld, scale += of->ld) {
        UNROLL
        for (int v = 0; v < whole; v++) {
            vec_f64 m = load_f64(mean + v * L), s = load_f64(scale + v * L);
            UNROLL
            for (int r = 0; r < rows; r++) {
                vec_f64 t = (splat_f64(x[r * ldx + j]) - m) * s;
                sum[r][v] = fma_f64(t, t, sum[r][v]);
            }
        }
        UNROLL
        for (int r = 0; r < rows && halved; r++)
            half_step(&end[r], x[r * ldx + j], mean + whole * L, scale + whole * L);
    }
    UNROLL
    for (int r = 0; r < rows; r++) {
        UNROLL
        for (int v = 0; v < whole; v++)
            store_some_f64(out + r * k + class + v * L, v + 1 < vectors, last, sum[r][v]);
        if (halved) store_half(out + r * k + class + whole * L, last, end[r]);
    }
}

#define SPREAD(rows, vectors)                                                               \
    if (last <= HALF)                                                                       \
        spread_tile(rows, vectors, true, last, d, X + i * ldx, ldx, of, c, k, out + i * k); \
    else                                                                                    \
        spread_tile(rows, vectors, false, last, d, X + i * ldx, ldx, of, c, k, out + i * k)

INLINE void spread_rows(const int rows, int64_t i, int64_t d, int64_t k, const double *X,
                        int64_t ldx, const smr_spread *of, double *out)
{
    for (int64_t c = 0; c < k; c += SPREAD_WIDE * L) {
        int64_t left = k - c, vectors = left < SPREAD_WIDE * L ? (left + L - 1) / L : SPREAD_WIDE;
        int last = (int)(left < vectors * L ? left - (vectors - 1) * L : L);
        switch (vectors) {
        case 1: SPREAD(rows, 1); break;
#if SIMD_BYTES == 64
        case 2: SPREAD(rows, 2); break;
        case 3: SPREAD(rows, 3); break;
#endif
        default: SPREAD(rows, SPREAD_WIDE); break;
        }
    }
}

/* Rows that come later are fetched while these are worked on: they are read once, and a processor
 * does not look as far ahead by itself. */
INLINE void fetch_later(int64_t i, int64_t m, int64_t d, const double *X, int64_t ldx)
{
    int64_t lo = i + SPREAD_AHEAD, hi = lo + SPREAD_ROWS;
    for (; lo < hi && lo < m; lo++)
        for (int64_t j = 0; j < d; j += 8) __builtin_prefetch(X + lo * ldx + j);
}

void TIER(spread_f64)(int64_t m, int64_t d, int64_t k, const double *X, int64_t ldx,
                      const smr_spread *of, double *out)
{
    int64_t i = 0;
    for (; i + SPREAD_ROWS <= m; i += SPREAD_ROWS) {
        fetch_later(i, m, d, X, ldx);
        spread_rows(SPREAD_ROWS, i, d, k, X, ldx, of, out);
    }
    for (; i < m; i++) spread_rows(1, i, d, k, X, ldx, of, out);
}

/* ---- whitened --------------------------------------------------------------------------- */

typedef struct {
    vec_f64 part[PARTS];
} chunk;

/* sum of chunks first .. chunks - 1 += columns lo .. hi - 1 of W times these elements of z.
 * lint: allow arguments, a tile that is inlined. */
INLINE void white_step(const int rows, const int first, const int chunks, int64_t lo, int64_t hi,
                       const double *x, int64_t ldx, const double *mean, const double *W,
                       int64_t ldw, chunk sum[WHITE_ROWS][WHITE_CHUNKS])
{
    for (int64_t j = lo; j < hi; j++) {
        vec_f64 z[WHITE_ROWS];
        UNROLL
        for (int r = 0; r < rows; r++) z[r] = splat_f64(x[r * ldx + j] - mean[j]);
        UNROLL
        for (int c = first; c < chunks; c++) {
            UNROLL
            for (int v = 0; v < PARTS; v++) {
                vec_f64 w = load_f64(W + j * ldw + c * CHUNK + v * L);
                UNROLL
                for (int r = 0; r < rows; r++)
                    sum[r][c].part[v] = fma_f64(z[r], w, sum[r][c].part[v]);
            }
        }
    }
}

/* total += the squares of `chunks` chunks of W z, of which the first begins at a.
 * lint: allow arguments, a tile that is inlined. */
INLINE void white_block(const int rows, const int chunks, int64_t a, int64_t d, const double *x,
                        int64_t ldx, const double *mean, const double *W, int64_t ldw,
                        chunk total[WHITE_ROWS])
{
    chunk sum[WHITE_ROWS][WHITE_CHUNKS];
    UNROLL
    for (int r = 0; r < rows; r++) {
        UNROLL
        for (int c = 0; c < chunks; c++) {
            UNROLL
            for (int v = 0; v < PARTS; v++) sum[r][c].part[v] = zero_f64();
        }
    }
    white_step(rows, 0, chunks, 0, a, x, ldx, mean, W + a, ldw, sum);
    UNROLL
    for (int c = 0; c < chunks; c++) { /* below the triangle's edge chunk by chunk */
        int64_t lo = a + c * CHUNK, hi = lo + CHUNK < d ? lo + CHUNK : d;
        white_step(rows, c, chunks, lo, hi, x, ldx, mean, W + a, ldw, sum);
    }
    UNROLL
    for (int r = 0; r < rows; r++) {
        UNROLL
        for (int c = 0; c < chunks; c++) {
            UNROLL
            for (int v = 0; v < PARTS; v++)
                total[r].part[v] = fma_f64(sum[r][c].part[v], sum[r][c].part[v], total[r].part[v]);
        }
    }
}

INLINE double fold(const chunk *s)
{
    double lane[CHUNK];
    memcpy(lane, s, sizeof lane);
    for (int half = CHUNK / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) lane[l] += lane[l + half];
    return lane[0];
}

/* lint: allow arguments, the shape of a BLAS product. */
INLINE void white_rows(const int rows, int64_t d, const double *x, int64_t ldx, const double *mean,
                       const double *W, int64_t ldw, double *out, int64_t step)
{
    chunk total[WHITE_ROWS];
    UNROLL
    for (int r = 0; r < rows; r++) {
        UNROLL
        for (int v = 0; v < PARTS; v++) total[r].part[v] = zero_f64();
    }
    for (int64_t a = 0; a < d; a += WHITE_CHUNKS * CHUNK) {
        int64_t chunks = (d - a + CHUNK - 1) / CHUNK;
        switch (chunks) {
        case 1: white_block(rows, 1, a, d, x, ldx, mean, W, ldw, total); break;
#if SIMD_BYTES == 64
        case 2: white_block(rows, 2, a, d, x, ldx, mean, W, ldw, total); break;
        case 3: white_block(rows, 3, a, d, x, ldx, mean, W, ldw, total); break;
#endif
        default: white_block(rows, WHITE_CHUNKS, a, d, x, ldx, mean, W, ldw, total); break;
        }
    }
    for (int r = 0; r < rows; r++) out[r * step] = fold(&total[r]);
}

/* lint: allow arguments, the shape of a BLAS product. */
void TIER(whitened_f64)(int64_t m, int64_t d, const double *X, int64_t ldx, const double *mean,
                        const double *W, int64_t ldw, double *out, int64_t step)
{
    int64_t i = 0;
    for (; i + WHITE_ROWS <= m; i += WHITE_ROWS)
        white_rows(WHITE_ROWS, d, X + i * ldx, ldx, mean, W, ldw, out + i * step, step);
    for (; i < m; i++) white_rows(1, d, X + i * ldx, ldx, mean, W, ldw, out + i * step, step);
}

/* ---- sums of each class ------------------------------------------------------------------ */

void TIER(class_sums_f64)(int64_t n, int64_t d, const double *X, int64_t ldx, const int32_t *label,
                          const double *weight, const smr_class_sums *to)
{
    int64_t whole = d / L * L;
    int left = (int)(d - whole);
    for (int64_t i = 0; i < n; i++, X += ldx)
        sum_row(whole, left, X, weight ? weight[i] : 1, label[i] * to->ld, to);
}
