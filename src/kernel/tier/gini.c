/* gini.c -- the best cut between cells of a histogram of classes, by Gini's index.
 *
 * All sums are of whole numbers below 2^53, so that neither their order nor the vector's width can
 * change a bit, and a product and a sum do as well as fma. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

enum { L = LANES_f64, MOST = 16 / L }; /* vectors */

typedef int32_t ints __attribute__((vector_size(SIMD_BYTES / 2)));

/* The sums of both vectors' lanes. */
INLINE void fold(vec_f64 a, vec_f64 b, double *sum_a, double *sum_b)
{
#if defined(SIMD_AVX512)
    __m256d x = _mm512_castpd512_pd256((__m512d)a) + _mm512_extractf64x4_pd((__m512d)a, 1);
    __m256d y = _mm512_castpd512_pd256((__m512d)b) + _mm512_extractf64x4_pd((__m512d)b, 1);
#elif defined(SIMD_AVX2)
    __m256d x = (__m256d)a, y = (__m256d)b;
#endif
#if defined(SIMD_AVX512) || defined(SIMD_AVX2)
    __m256d pairs = _mm256_hadd_pd(x, y);
    __m128d both = _mm256_castpd256_pd128(pairs) + _mm256_extractf128_pd(pairs, 1);
    *sum_a = both[0];
    *sum_b = both[1];
#else
    *sum_a = a[0] + a[1];
    *sum_b = b[0] + b[1];
#endif
}

INLINE int64_t sweep(const int vectors, int64_t n, const uint8_t *cell, uint32_t *counts,
                     const double *total, double least, double *best)
{
    const vec_f64 none = {0};
    vec_f64 left[MOST], right[MOST];
    double all = 0, unused = 0;
    int64_t found = -1;
    UNROLL
    for (int v = 0; v < vectors; v++) {
        left[v] = none;
        right[v] = load_f64(total + v * L);
        double part = 0;
        fold(right[v], none, &part, &unused);
        all += part;
    }
    for (int64_t k = 0; k < n; k++) {
        uint32_t *at = counts + (int64_t)cell[k] * vectors * L;
        vec_f64 first = none, rest = none, moved = none;
        double squares = 0, others = 0, nl = 0;
        UNROLL
        for (int v = 0; v < vectors; v++) {
            ints w;
            memcpy(&w, at + v * L, sizeof w);
            memset(at + v * L, 0, sizeof w);
            vec_f64 x = __builtin_convertvector(w, vec_f64);
            left[v] += x;
            right[v] -= x;
            moved += left[v];
            first += left[v] * left[v];
            rest += right[v] * right[v];
        }
        fold(first, rest, &squares, &others);
        fold(moved, none, &nl, &unused);
        double nr = all - nl;
        double over = squares * nr + others * nl, under = nl * nr;
        if (over > *best * under && nl >= least && nr >= least && over / under > *best) {
            *best = over / under;
            found = k;
        }
    }
    return found;
}

int64_t TIER(gini_sweep)(int64_t n, const uint8_t *cell, uint32_t *counts, int64_t width,
                         const double *total, double least, double *best)
{
    if (width == 8) return sweep(8 / L, n, cell, counts, total, least, best);
    return sweep(MOST, n, cell, counts, total, least, best);
}
