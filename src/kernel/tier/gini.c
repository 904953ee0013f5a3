/* gini.c -- the best cut between cells of a histogram of classes, by Gini's index.
 *
 * All sums are of whole numbers below 2^53, so that neither their order nor the vector's width can
 * change a bit, and a product and a sum do as well as fma. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

enum { L = LANES_f64, MOST = 16 / L }; /* vectors */

enum { GROUP = 4 }; /* cells that are judged together */

typedef int32_t ints __attribute__((vector_size(SIMD_BYTES / 2)));
typedef double quad __attribute__((vector_size(32)));
typedef int64_t quad_bits __attribute__((vector_size(32)));

INLINE vec_f64 from_ints(ints w)
{
#if defined(SIMD_AVX512)
    return (vec_f64)_mm512_cvtepi32_pd((__m256i)w);
#else
    return __builtin_convertvector(w, vec_f64);
#endif
}

/* The sum of each vector's lanes. */
INLINE void fold(const vec_f64 *a, quad *sum)
{
#if defined(SIMD_AVX512)
    __m256d x[GROUP];
    UNROLL
    for (int i = 0; i < GROUP; i++)
        x[i] = _mm512_castpd512_pd256((__m512d)a[i]) + _mm512_extractf64x4_pd((__m512d)a[i], 1);
#elif defined(SIMD_AVX2)
    const __m256d x[GROUP] = {(__m256d)a[0], (__m256d)a[1], (__m256d)a[2], (__m256d)a[3]};
#endif
#if defined(SIMD_AVX512) || defined(SIMD_AVX2)
    __m256d p = _mm256_hadd_pd(x[0], x[1]), q = _mm256_hadd_pd(x[2], x[3]);
    *sum = (quad)(_mm256_permute2f128_pd(p, q, 0x21) + _mm256_blend_pd(p, q, 12));
#else
    *sum = (quad){a[0][0] + a[0][1], a[1][0] + a[1][1], a[2][0] + a[2][1], a[3][0] + a[3][1]};
#endif
}

/* What a cut has on both sides: sums of squares and of weights. */
struct sides {
    vec_f64 first[GROUP], rest[GROUP], moved[GROUP];
};

/* Moves a cell to the first side, and empties it. */
INLINE void move(const int vectors, uint32_t *at, vec_f64 *left, vec_f64 *right, struct sides *s,
                 const int i)
{
    s->first[i] = s->rest[i] = s->moved[i] = zero_f64();
    UNROLL
    for (int v = 0; v < vectors; v++) {
        ints w;
        memcpy(&w, at + v * L, sizeof w);
        memset(at + v * L, 0, sizeof w);
        vec_f64 x = from_ints(w);
        left[v] += x;
        right[v] -= x;
        s->moved[i] += left[v];
        s->first[i] += left[v] * left[v];
        s->rest[i] += right[v] * right[v];
    }
}

INLINE int64_t sweep(const int vectors, int64_t n, const uint8_t *cell, uint32_t *counts,
                     const double *total, double least, double *best_score)
{
    vec_f64 left[MOST], right[MOST];
    double all = 0, best = *best_score;
    int64_t found = -1;
    UNROLL
    for (int v = 0; v < vectors; v++) {
        left[v] = zero_f64();
        right[v] = load_f64(total + v * L);
    }
    for (int c = 0; c < vectors * L; c++) all += total[c];
    for (int64_t k = 0; k < n; k += GROUP) {
        struct sides s;
        UNROLL
        for (int i = 0; i < GROUP; i++) {
            if (k + i < n)
                move(vectors, counts + (int64_t)cell[k + i] * vectors * L, left, right, &s, i);
            else
                s.first[i] = s.rest[i] = s.moved[i] = zero_f64(); /* gains nothing */
        }
        quad nl, first, rest;
        fold(s.moved, &nl);
        fold(s.first, &first);
        fold(s.rest, &rest);
        quad nr = all - nl, over = first * nr + rest * nl, under = nl * nr;
        quad_bits above = over > best * under;
        if ((above[0] | above[1] | above[2] | above[3]) == 0) continue;
        for (int i = 0; i < GROUP; i++) {
            if (!(over[i] > best * under[i]) || nl[i] < least || nr[i] < least) continue;
            if (!(over[i] / under[i] > best)) continue;
            best = over[i] / under[i];
            found = k + i;
        }
    }
    *best_score = best;
    return found;
}

int64_t TIER(gini_sweep)(int64_t n, const uint8_t *cell, uint32_t *counts, int64_t width,
                         const double *total, double least, double *best)
{
    if (width == 8) return sweep(8 / L, n, cell, counts, total, least, best);
    return sweep(MOST, n, cell, counts, total, least, best);
}
