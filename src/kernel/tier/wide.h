/* wide.h -- eight states of a chain, in as many vectors of this tier as they take.  Folds have one
 * order, whatever the tier. */
#ifndef SMR_KERNEL_TIER_WIDE_H
#define SMR_KERNEL_TIER_WIDE_H

#include "kernel/chain_kernels.h"
#include "kernel/tier/simd.h"

enum { WIDE = SMR_CHAIN_PAD, PARTS = WIDE / LANES_f64 };

typedef struct wide {
    vec_f64 part[PARTS];
} wide;

INLINE wide load_wide(const double *p)
{
    wide w;
    UNROLL
    for (int v = 0; v < PARTS; v++) w.part[v] = load_f64(p + v * LANES_f64);
    return w;
}

INLINE void store_wide(double *p, wide w)
{
    UNROLL
    for (int v = 0; v < PARTS; v++) store_f64(p + v * LANES_f64, w.part[v]);
}

INLINE wide splat_wide(double x)
{
    wide w;
    UNROLL
    for (int v = 0; v < PARTS; v++) w.part[v] = splat_f64(x);
    return w;
}

INLINE wide add(wide a, wide b)
{
    UNROLL
    for (int v = 0; v < PARTS; v++) a.part[v] = a.part[v] + b.part[v];
    return a;
}

INLINE wide times(wide a, wide b)
{
    UNROLL
    for (int v = 0; v < PARTS; v++) a.part[v] = a.part[v] * b.part[v];
    return a;
}

INLINE wide less(wide a, wide b)
{
    UNROLL
    for (int v = 0; v < PARTS; v++) a.part[v] = a.part[v] - b.part[v];
    return a;
}

INLINE wide fused(wide a, wide b, wide sum)
{
    UNROLL
    for (int v = 0; v < PARTS; v++) sum.part[v] = fma_f64(a.part[v], b.part[v], sum.part[v]);
    return sum;
}

INLINE wide fma_wide(vec_f64 x, wide a, wide sum)
{
    UNROLL
    for (int v = 0; v < PARTS; v++) sum.part[v] = fma_f64(x, a.part[v], sum.part[v]);
    return sum;
}

INLINE vec_f64 larger(vec_f64 a, vec_f64 b)
{
#if defined(SIMD_AVX512)
    return (vec_f64)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif defined(SIMD_AVX2)
    return (vec_f64)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
    return select_f64((bits_f64)(a > b), a, b);
#endif
}

INLINE wide larger_wide(wide a, wide b)
{
    UNROLL
    for (int v = 0; v < PARTS; v++) a.part[v] = larger(a.part[v], b.part[v]);
    return a;
}

/* Lanes l and l + 4, then l and l + 2, then both. */
INLINE double fold(wide w)
{
#if defined(SIMD_AVX512)
    __m512d all = (__m512d)w.part[0];
    __m256d four = _mm256_add_pd(_mm512_castpd512_pd256(all), _mm512_extractf64x4_pd(all, 1));
    __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(two) + _mm_cvtsd_f64(_mm_unpackhi_pd(two, two));
#elif defined(SIMD_AVX2)
    __m256d four = _mm256_add_pd((__m256d)w.part[0], (__m256d)w.part[1]);
    __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(two) + _mm_cvtsd_f64(_mm_unpackhi_pd(two, two));
#else
    vec_f64 two = (w.part[0] + w.part[2]) + (w.part[1] + w.part[3]);
    return two[0] + two[1];
#endif
}

INLINE double fold_largest(wide w)
{
#if defined(SIMD_AVX512)
    __m512d all = (__m512d)w.part[0];
    __m256d four = _mm256_max_pd(_mm512_castpd512_pd256(all), _mm512_extractf64x4_pd(all, 1));
    __m128d two = _mm_max_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_max_sd(two, _mm_unpackhi_pd(two, two)));
#elif defined(SIMD_AVX2)
    __m256d four = _mm256_max_pd((__m256d)w.part[0], (__m256d)w.part[1]);
    __m128d two = _mm_max_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_max_sd(two, _mm_unpackhi_pd(two, two)));
#else
    vec_f64 two = larger(larger(w.part[0], w.part[2]), larger(w.part[1], w.part[3]));
    return two[0] > two[1] ? two[0] : two[1];
#endif
}

/* Bit l is set where lane l is above 0. */
INLINE unsigned lanes_above_0(wide w)
{
    unsigned at = 0;
#if defined(SIMD_AVX512)
    at = _mm512_cmp_pd_mask((__m512d)w.part[0], _mm512_setzero_pd(), _CMP_GT_OQ);
#elif defined(SIMD_AVX2)
    for (int v = 0; v < PARTS; v++)
        at |= (unsigned)_mm256_movemask_pd(
                  _mm256_cmp_pd((__m256d)w.part[v], _mm256_setzero_pd(), _CMP_GT_OQ))
              << (v * LANES_f64);
#else
    for (int l = 0; l < WIDE; l++) at |= (unsigned)(w.part[l / LANES_f64][l % LANES_f64] > 0) << l;
#endif
    return at;
}

#endif
