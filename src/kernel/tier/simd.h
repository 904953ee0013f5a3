/* simd.h -- the vector of this tier, for float and double: 64 bytes with AVX-512, 32 with AVX2 and
 * FMA, else 16.
 *
 * Arithmetic is written with the operators of GCC's vector types, which clang has too; only what
 * has no operator is a function here.  Every lane computes what the same scalar code would: fma
 * rounds once, in hardware or through libm, so that the width never shows in the result.
 * `part` functions touch the first `count` lanes in memory, 0 <= count <= lanes. */
#ifndef SMR_KERNEL_TIER_SIMD_H
#define SMR_KERNEL_TIER_SIMD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#define SIMD_BYTES 64
#define SIMD_AVX512 1
#elif defined(__AVX2__) && defined(__FMA__)
#define SIMD_BYTES 32
#define SIMD_AVX2 1
#else
#define SIMD_BYTES 16
#endif

#if defined(SIMD_AVX512) || defined(SIMD_AVX2)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))
/* Before a loop over vectors held in registers: its trip count is a constant of at most 64. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#pragma clang diagnostic ignored "-Wpass-failed" /* loops already unrolled */
#else
#define UNROLL _Pragma("GCC unroll 64")
#endif

enum { LANES_f64 = SIMD_BYTES / 8, LANES_f32 = SIMD_BYTES / 4 };

typedef double vec_f64 __attribute__((vector_size(SIMD_BYTES)));
typedef int64_t bits_f64 __attribute__((vector_size(SIMD_BYTES)));
typedef float vec_f32 __attribute__((vector_size(SIMD_BYTES)));
typedef int32_t bits_f32 __attribute__((vector_size(SIMD_BYTES)));
typedef float half_f32 __attribute__((vector_size(SIMD_BYTES / 2))); /* as many as vec_f64 has */

INLINE vec_f64 load_f64(const double *p)
{
    vec_f64 v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE vec_f32 load_f32(const float *p)
{
    vec_f32 v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void store_f64(double *p, vec_f64 v)
{
    memcpy(p, &v, sizeof v);
}

INLINE void store_f32(float *p, vec_f32 v)
{
    memcpy(p, &v, sizeof v);
}

INLINE vec_f64 zero_f64(void)
{
    return (vec_f64){0};
}

INLINE vec_f32 zero_f32(void)
{
    return (vec_f32){0};
}

/* where ? a : b, lane by lane; a lane of `where` is all ones or all zeros. */
INLINE vec_f64 select_f64(bits_f64 where, vec_f64 a, vec_f64 b)
{
    return (vec_f64)((where & (bits_f64)a) | (~where & (bits_f64)b));
}

INLINE vec_f32 select_f32(bits_f32 where, vec_f32 a, vec_f32 b)
{
    return (vec_f32)((where & (bits_f32)a) | (~where & (bits_f32)b));
}

INLINE vec_f64 abs_f64(vec_f64 v)
{
    return (vec_f64)((bits_f64)v & INT64_MAX);
}

INLINE vec_f32 abs_f32(vec_f32 v)
{
    return (vec_f32)((bits_f32)v & INT32_MAX);
}

#if defined(SIMD_AVX512)

INLINE vec_f64 splat_f64(double x)
{
    return (vec_f64)_mm512_set1_pd(x);
}

INLINE vec_f32 splat_f32(float x)
{
    return (vec_f32)_mm512_set1_ps(x);
}

INLINE vec_f64 fma_f64(vec_f64 a, vec_f64 b, vec_f64 c)
{
    return (vec_f64)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

INLINE vec_f32 fma_f32(vec_f32 a, vec_f32 b, vec_f32 c)
{
    return (vec_f32)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

INLINE vec_f64 load_part_f64(const double *p, int count, vec_f64 fill)
{
    return (vec_f64)_mm512_mask_loadu_pd((__m512d)fill, (__mmask8)((1u << count) - 1u), p);
}

INLINE vec_f32 load_part_f32(const float *p, int count, vec_f32 fill)
{
    return (vec_f32)_mm512_mask_loadu_ps((__m512)fill, (__mmask16)((1u << count) - 1u), p);
}

INLINE void store_part_f64(double *p, int count, vec_f64 v)
{
    _mm512_mask_storeu_pd(p, (__mmask8)((1u << count) - 1u), (__m512d)v);
}

INLINE void store_part_f32(float *p, int count, vec_f32 v)
{
    _mm512_mask_storeu_ps(p, (__mmask16)((1u << count) - 1u), (__m512)v);
}

INLINE vec_f64 widen_part(const float *p, int count)
{
    return (vec_f64)_mm512_cvtps_pd(_mm256_maskz_loadu_ps((__mmask8)((1u << count) - 1u), p));
}

#elif defined(SIMD_AVX2)

INLINE vec_f64 splat_f64(double x)
{
    return (vec_f64)_mm256_set1_pd(x);
}

INLINE vec_f32 splat_f32(float x)
{
    return (vec_f32)_mm256_set1_ps(x);
}

INLINE vec_f64 fma_f64(vec_f64 a, vec_f64 b, vec_f64 c)
{
    return (vec_f64)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

INLINE vec_f32 fma_f32(vec_f32 a, vec_f32 b, vec_f32 c)
{
    return (vec_f32)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

/* The first `count` lanes are all ones. */
INLINE __m256i mask_f64(int count)
{
    static const int64_t ones[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
    return _mm256_loadu_si256((const __m256i *)(const void *)(ones + 4 - count));
}

INLINE __m256i mask_f32(int count)
{
    static const int32_t ones[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
    return _mm256_loadu_si256((const __m256i *)(const void *)(ones + 8 - count));
}

INLINE vec_f64 load_part_f64(const double *p, int count, vec_f64 fill)
{
    __m256i mask = mask_f64(count);
    return (vec_f64)_mm256_blendv_pd((__m256d)fill, _mm256_maskload_pd(p, mask), (__m256d)mask);
}

INLINE vec_f32 load_part_f32(const float *p, int count, vec_f32 fill)
{
    __m256i mask = mask_f32(count);
    return (vec_f32)_mm256_blendv_ps((__m256)fill, _mm256_maskload_ps(p, mask), (__m256)mask);
}

INLINE void store_part_f64(double *p, int count, vec_f64 v)
{
    _mm256_maskstore_pd(p, mask_f64(count), (__m256d)v);
}

INLINE void store_part_f32(float *p, int count, vec_f32 v)
{
    _mm256_maskstore_ps(p, mask_f32(count), (__m256)v);
}

INLINE vec_f64 widen_part(const float *p, int count)
{
    return (vec_f64)_mm256_cvtps_pd(_mm_maskload_ps(p, _mm256_castsi256_si128(mask_f32(count))));
}

#else

INLINE vec_f64 splat_f64(double x)
{
    return (vec_f64){x, x};
}

INLINE vec_f32 splat_f32(float x)
{
    return (vec_f32){x, x, x, x};
}

INLINE vec_f64 fma_f64(vec_f64 a, vec_f64 b, vec_f64 c)
{
    return (vec_f64){__builtin_fma(a[0], b[0], c[0]), __builtin_fma(a[1], b[1], c[1])};
}

INLINE vec_f32 fma_f32(vec_f32 a, vec_f32 b, vec_f32 c)
{
    return (vec_f32){__builtin_fmaf(a[0], b[0], c[0]), __builtin_fmaf(a[1], b[1], c[1]),
                     __builtin_fmaf(a[2], b[2], c[2]), __builtin_fmaf(a[3], b[3], c[3])};
}

INLINE vec_f64 load_part_f64(const double *p, int count, vec_f64 fill)
{
    for (int i = 0; i < count; i++) fill[i] = p[i];
    return fill;
}

INLINE vec_f32 load_part_f32(const float *p, int count, vec_f32 fill)
{
    for (int i = 0; i < count; i++) fill[i] = p[i];
    return fill;
}

INLINE void store_part_f64(double *p, int count, vec_f64 v)
{
    for (int i = 0; i < count; i++) p[i] = v[i];
}

INLINE void store_part_f32(float *p, int count, vec_f32 v)
{
    for (int i = 0; i < count; i++) p[i] = v[i];
}

INLINE vec_f64 widen_part(const float *p, int count)
{
    vec_f64 v = {0};
    for (int i = 0; i < count; i++) v[i] = (double)p[i];
    return v;
}

#endif

/* All lanes, or the first `count` of them, the others 0. */
INLINE vec_f64 load_some_f64(const double *p, const bool is_whole, int count)
{
    return is_whole ? load_f64(p) : load_part_f64(p, count, zero_f64());
}

INLINE void store_some_f64(double *p, const bool is_whole, int count, vec_f64 v)
{
    if (is_whole)
        store_f64(p, v);
    else
        store_part_f64(p, count, v);
}

/* lanes() floats as doubles. */
INLINE vec_f64 widen(const float *p)
{
    half_f32 v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, vec_f64);
}

#endif
