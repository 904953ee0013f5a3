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
double TIER(l2sq_f32_f64)(int64_t n, const float *x, const double *y)
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
