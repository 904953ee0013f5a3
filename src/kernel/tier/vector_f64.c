/* vector_f64.c -- reductions of double vectors, and of float vectors summed in double. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

#define real double
#define K(name) name##_f64
#include "kernel/tier/reduce.inl"

double TIER(sum_f64)(int64_t n, const double *x)
{
    return reduce_f64(SUM, false, n, x, x, 0);
}

double TIER(sumsq_f64)(int64_t n, const double *x, double shift)
{
    return reduce_f64(SQUARED_DIFFERENCES, false, n, x, x, shift);
}

double TIER(l1_f64)(int64_t n, const double *x, const double *y)
{
    return reduce_f64(ABSOLUTE_DIFFERENCES, true, n, x, y, 0);
}

double TIER(linf_f64)(int64_t n, const double *x, const double *y)
{
    return reduce_f64(LARGEST_DIFFERENCE, true, n, x, y, 0);
}

INLINE chunk_f64 widen_chunk(const float *p)
{
    chunk_f64 chunk;
    UNROLL
    for (int v = 0; v < PARTS_f64; v++) chunk.part[v] = widen(p + v * LANES_f64);
    return chunk;
}

INLINE chunk_f64 widen_chunk_part(const float *p, int64_t count)
{
    chunk_f64 chunk;
    UNROLL
    for (int v = 0; v < PARTS_f64; v++)
        chunk.part[v] = widen_part(p + v * LANES_f64, clamp_f64(count - v * LANES_f64));
    return chunk;
}

/* The lanes are those of double vectors; a difference of floats is taken in double. */
double TIER(l2sq_f32_wide)(int64_t n, const float *x, const float *y)
{
    chunk_f64 sum[4];
    UNROLL
    for (int c = 0; c < 4; c++) sum[c] = splat_chunk_f64(0);
    int64_t i = 0;
    for (; i + 4 * CHUNK_f64 <= n; i += 4 * CHUNK_f64) {
        UNROLL
        for (int c = 0; c < 4; c++) {
            int64_t at = i + c * CHUNK_f64;
            sum[c] = step_chunk_f64(SQUARED_DIFFERENCES, sum[c], widen_chunk(x + at),
                                    widen_chunk(y + at));
        }
    }
    UNROLL
    for (int c = 0; c < 4; c++) {
        int64_t at = i + c * CHUNK_f64;
        if (at < n)
            sum[c] = step_chunk_f64(SQUARED_DIFFERENCES, sum[c], widen_chunk_part(x + at, n - at),
                                    widen_chunk_part(y + at, n - at));
    }
    return fold_f64(SQUARED_DIFFERENCES, sum[0], sum[1], sum[2], sum[3]);
}

/* The lanes are those of l2sq_f64. */
INLINE double mixed_l2sq(int64_t n, const float *x, const double *y)
{
    chunk_f64 sum[4];
    UNROLL
    for (int c = 0; c < 4; c++) sum[c] = splat_chunk_f64(0);
    int64_t i = 0;
    for (; i + 4 * CHUNK_f64 <= n; i += 4 * CHUNK_f64) {
        UNROLL
        for (int c = 0; c < 4; c++) {
            int64_t at = i + c * CHUNK_f64;
            sum[c] = step_chunk_f64(SQUARED_DIFFERENCES, sum[c], widen_chunk(x + at),
                                    load_chunk_f64(y + at));
        }
    }
    UNROLL
    for (int c = 0; c < 4; c++) {
        int64_t at = i + c * CHUNK_f64;
        if (at < n)
            sum[c] = step_chunk_f64(SQUARED_DIFFERENCES, sum[c], widen_chunk_part(x + at, n - at),
                                    load_chunk_part_f64(y + at, n - at, splat_chunk_f64(0)));
    }
    return fold_f64(SQUARED_DIFFERENCES, sum[0], sum[1], sum[2], sum[3]);
}

double TIER(l2sq_f32_f64)(int64_t n, const float *x, const double *y)
{
    return mixed_l2sq(n, x, y);
}

/* ---- rows ---- */

INLINE double plain_l2sq(int64_t n, const double *x, const double *y)
{
    return reduce_f64(SQUARED_DIFFERENCES, true, n, x, y, 0);
}

INLINE chunk_f64 plain_chunk(const double *p)
{
    return load_chunk_f64(p);
}

INLINE chunk_f64 plain_chunk_part(const double *p, int64_t count)
{
    return load_chunk_part_f64(p, count, splat_chunk_f64(0));
}

/* Of `chunks` chunks, 1 or 2: those after them would add nothing. */
#define SHORT(type, load)                                                                       \
    INLINE double short_##type(const int chunks, const bool is_whole, int64_t d, const type *x, \
                               const double *y)                                                 \
    {                                                                                           \
        chunk_f64 sum[4];                                                                       \
        UNROLL                                                                                  \
        for (int c = 0; c < 4; c++) sum[c] = splat_chunk_f64(0);                                \
        UNROLL                                                                                  \
        for (int c = 0; c < chunks; c++) {                                                      \
            int64_t at = c * CHUNK_f64;                                                         \
            sum[c] = is_whole ? step_chunk_f64(SQUARED_DIFFERENCES, sum[c], load(x + at),       \
                                               plain_chunk(y + at))                             \
                              : step_chunk_f64(SQUARED_DIFFERENCES, sum[c],                     \
                                               load##_part(x + at, d - at),                     \
                                               plain_chunk_part(y + at, d - at));               \
        }                                                                                       \
        return fold_f64(SQUARED_DIFFERENCES, sum[0], sum[1], sum[2], sum[3]);                   \
    }

SHORT(double, plain_chunk)
SHORT(float, widen_chunk)

#define EACH(call)                                        \
    for (int64_t i = 0; i < n; i++) {                     \
        const double *c = C + (which ? which[i] * d : 0); \
        out[i] = call;                                    \
    }

#define L2SQ_ROWS(name, type, any)                                                          \
    void TIER(name)(int64_t n, int64_t d, const type *X, int64_t ldx, const int32_t *which, \
                    const double *C, double *out)                                           \
    {                                                                                       \
        if (d == CHUNK_f64)                                                                 \
            EACH(short_##type(1, true, d, X + i * ldx, c))                                  \
        else if (d < CHUNK_f64)                                                             \
            EACH(short_##type(1, false, d, X + i * ldx, c))                                 \
        else if (d == 2 * CHUNK_f64)                                                        \
            EACH(short_##type(2, true, d, X + i * ldx, c))                                  \
        else if (d < 2 * CHUNK_f64)                                                         \
            EACH(short_##type(2, false, d, X + i * ldx, c))                                 \
        else                                                                                \
            EACH(any(d, X + i * ldx, c))                                                    \
    }

L2SQ_ROWS(l2sq_rows_f64, double, plain_l2sq)
L2SQ_ROWS(l2sq_rows_f32, float, mixed_l2sq)
