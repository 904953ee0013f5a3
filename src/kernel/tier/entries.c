/* entries.c -- entries of sparse rows against k weights each, and the entries of dense rows.
 *
 * Weights of column j lie at W + j * ldw, k of them.  Even and odd entries are two chains, so that
 * one waits for the memory while the other computes. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

enum { L = LANES_f64, WIDE = 4 };

typedef struct {
    int64_t n;
    const int32_t *column;
    const double *value;
} entries;

/* Lanes of vector v, of which `vectors` have k elements. */
INLINE vec_f64 take(const double *p, const int v, const int vectors, int last)
{
    return v + 1 < vectors ? load_f64(p + v * L) : load_part_f64(p + v * L, last, zero_f64());
}

INLINE void times_tile(const int vectors, int last, entries e, const double *W, int64_t ldw,
                       double *out)
{
    vec_f64 even[WIDE], odd[WIDE];
    UNROLL
    for (int v = 0; v < vectors; v++) even[v] = odd[v] = zero_f64();
    int64_t i = 0;
    for (; i + 2 <= e.n; i += 2) {
        const double *p = W + e.column[i] * ldw, *q = W + e.column[i + 1] * ldw;
        vec_f64 x = splat_f64(e.value[i]), y = splat_f64(e.value[i + 1]);
        UNROLL
        for (int v = 0; v < vectors; v++) {
            even[v] = fma_f64(x, take(p, v, vectors, last), even[v]);
            odd[v] = fma_f64(y, take(q, v, vectors, last), odd[v]);
        }
    }
    if (i < e.n) {
        const double *p = W + e.column[i] * ldw;
        vec_f64 x = splat_f64(e.value[i]);
        UNROLL
        for (int v = 0; v < vectors; v++) even[v] = fma_f64(x, take(p, v, vectors, last), even[v]);
    }
    UNROLL
    for (int v = 0; v < vectors; v++)
        store_part_f64(out + v * L, v + 1 < vectors ? (int)L : last, even[v] + odd[v]);
}

INLINE void add_tile(const int vectors, int last, entries e, const double *r, double *G,
                     int64_t ldg)
{
    vec_f64 by[WIDE];
    UNROLL
    for (int v = 0; v < vectors; v++) by[v] = take(r, v, vectors, last);
    for (int64_t i = 0; i < e.n; i++) {
        double *g = G + e.column[i] * ldg;
        vec_f64 x = splat_f64(e.value[i]);
        UNROLL
        for (int v = 0; v < vectors; v++) {
            vec_f64 sum = fma_f64(x, by[v], take(g, v, vectors, last));
            if (v + 1 < vectors)
                store_f64(g + v * L, sum);
            else
                store_part_f64(g + v * L, last, sum);
        }
    }
}

/* How many vectors the classes from c on fill, at most WIDE, and how many lanes of the last. */
INLINE int width(int64_t left, int *last)
{
    int64_t vectors = (left + L - 1) / L;
    *last = vectors > WIDE ? (int)L : (int)(left - (vectors - 1) * L);
    return vectors > WIDE ? (int)WIDE : (int)vectors;
}

void TIER(entries_times_f64)(int64_t n, const int32_t *column, const double *value, int64_t k,
                             const double *W, int64_t ldw, double *out)
{
    entries e = {n, column, value};
    for (int64_t c = 0; c < k; c += WIDE * L) {
        int last;
        switch (width(k - c, &last)) {
        case 1: times_tile(1, last, e, W + c, ldw, out + c); break;
        case 2: times_tile(2, last, e, W + c, ldw, out + c); break;
        case 3: times_tile(3, last, e, W + c, ldw, out + c); break;
        default: times_tile(WIDE, last, e, W + c, ldw, out + c); break;
        }
    }
}

void TIER(entries_add_f64)(int64_t n, const int32_t *column, const double *value, int64_t k,
                           const double *r, double *G, int64_t ldg)
{
    entries e = {n, column, value};
    for (int64_t c = 0; c < k; c += WIDE * L) {
        int last;
        switch (width(k - c, &last)) {
        case 1: add_tile(1, last, e, r + c, G + c, ldg); break;
        case 2: add_tile(2, last, e, r + c, G + c, ldg); break;
        case 3: add_tile(3, last, e, r + c, G + c, ldg); break;
        default: add_tile(WIDE, last, e, r + c, G + c, ldg); break;
        }
    }
}

/* ---- the entries of dense rows ---------------------------------------------------------- */

#ifdef SIMD_AVX512

/* The lanes of eight values that are not zero, and their columns, behind `count`; its new value. */
INLINE int64_t keep(__m512d v, int64_t at, int32_t *column, double *value, int64_t count)
{
    const __m256i step = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __mmask8 is = _mm512_cmp_pd_mask(v, _mm512_setzero_pd(), _CMP_NEQ_UQ);
    if (!is) return count;
    __m256i j = _mm256_add_epi32(step, _mm256_set1_epi32((int)at));
    _mm512_storeu_pd(value + count, _mm512_maskz_compress_pd(is, v));
    _mm256_storeu_si256((__m256i *)(void *)(column + count), _mm256_maskz_compress_epi32(is, j));
    return count + __builtin_popcount(is);
}

int64_t TIER(squeeze_f64)(int64_t d, const double *x, int32_t *column, double *value)
{
    int64_t count = 0, j = 0;
    for (; j + 8 <= d; j += 8) count = keep(_mm512_loadu_pd(x + j), j, column, value, count);
    if (j < d)
        count = keep(_mm512_maskz_loadu_pd((__mmask8)((1u << (d - j)) - 1u), x + j), j, column,
                     value, count);
    return count;
}

int64_t TIER(squeeze_f32)(int64_t d, const float *x, int32_t *column, double *value)
{
    int64_t count = 0, j = 0;
    for (; j + 8 <= d; j += 8)
        count = keep(_mm512_cvtps_pd(_mm256_loadu_ps(x + j)), j, column, value, count);
    if (j < d) {
        __m256 v = _mm256_maskz_loadu_ps((__mmask8)((1u << (d - j)) - 1u), x + j);
        count = keep(_mm512_cvtps_pd(v), j, column, value, count);
    }
    return count;
}

int64_t TIER(squeeze_u8)(int64_t d, const uint8_t *x, int32_t *column, double *value)
{
    int64_t count = 0;
    for (int64_t j = 0; j < d; j += 8) {
        uint64_t eight = 0;
        memcpy(&eight, x + j, d - j < 8 ? (size_t)(d - j) : 8);
        if (!eight) continue;
        __m512d v = _mm512_cvtepi32_pd(_mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)eight)));
        count = keep(v, j, column, value, count);
    }
    return count;
}

#else

/* Written always, kept where it is not zero: no jump to foresee. */
#define SQUEEZE(name, type)                                                      \
    int64_t TIER(name)(int64_t d, const type *x, int32_t *column, double *value) \
    {                                                                            \
        int64_t count = 0;                                                       \
        for (int64_t j = 0; j < d; j++) {                                        \
            column[count] = (int32_t)j;                                          \
            value[count] = (double)x[j];                                         \
            count += x[j] != 0;                                                  \
        }                                                                        \
        return count;                                                            \
    }

SQUEEZE(squeeze_f64, double)
SQUEEZE(squeeze_f32, float)
SQUEEZE(squeeze_u8, uint8_t)

#endif
