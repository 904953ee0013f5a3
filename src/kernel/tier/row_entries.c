/* row_entries.c -- entries of sparse rows against k weights each, and the entries of dense rows.
 *
 * Weights of column j lie at W + j * ldw, k of them.  Even and odd entries are two chains, so that
 * one waits for the memory while the other computes.  Where ldw is a multiple of 8 the weights are
 * taken to be padded: whole vectors are read and written, and no write of a column reaches into the
 * next, on which its read would have to wait. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

enum { L = LANES_f64, WIDE = 4 };

typedef struct {
    int64_t n;
    const int32_t *column;
    const double *value;
} entries;

/* Vector v of `vectors`; the last has `last` lanes, or all where it is padded. */
INLINE vec_f64 take(const double *p, const int v, const int vectors, int last, const bool padded)
{
    return padded || v + 1 < vectors ? load_f64(p + v * L)
                                     : load_part_f64(p + v * L, last, zero_f64());
}

INLINE void times_tile(const int vectors, int last, const bool padded, entries e, const double *W,
                       int64_t ldw, double *out)
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
            even[v] = fma_f64(x, take(p, v, vectors, last, padded), even[v]);
            odd[v] = fma_f64(y, take(q, v, vectors, last, padded), odd[v]);
        }
    }
    if (i < e.n) {
        const double *p = W + e.column[i] * ldw;
        vec_f64 x = splat_f64(e.value[i]);
        UNROLL
        for (int v = 0; v < vectors; v++)
            even[v] = fma_f64(x, take(p, v, vectors, last, padded), even[v]);
    }
    UNROLL
    for (int v = 0; v < vectors; v++)
        store_part_f64(out + v * L, v + 1 < vectors ? (int)L : last, even[v] + odd[v]);
}

INLINE void add_tile(const int vectors, int last, const bool padded, entries e, const double *r,
                     double *G, int64_t ldg)
{
    vec_f64 by[WIDE];
    UNROLL
    for (int v = 0; v < vectors; v++) by[v] = take(r, v, vectors, last, false);
    for (int64_t i = 0; i < e.n; i++) {
        double *g = G + e.column[i] * ldg;
        vec_f64 x = splat_f64(e.value[i]);
        UNROLL
        for (int v = 0; v < vectors; v++) {
            vec_f64 sum = fma_f64(x, by[v], take(g, v, vectors, last, padded));
            if (padded || v + 1 < vectors)
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

INLINE void times(const bool padded, entries e, int64_t k, const double *W, int64_t ldw,
                  double *out)
{
    for (int64_t c = 0; c < k; c += WIDE * L) {
        int last;
        switch (width(k - c, &last)) {
        case 1: times_tile(1, last, padded, e, W + c, ldw, out + c); break;
        case 2: times_tile(2, last, padded, e, W + c, ldw, out + c); break;
        case 3: times_tile(3, last, padded, e, W + c, ldw, out + c); break;
        default: times_tile(WIDE, last, padded, e, W + c, ldw, out + c); break;
        }
    }
}

void TIER(entries_times_f64)(int64_t n, const int32_t *column, const double *value, int64_t k,
                             const double *W, int64_t ldw, double *out)
{
    entries e = {n, column, value};
    if (ldw % 8 == 0)
        times(true, e, k, W, ldw, out);
    else
        times(false, e, k, W, ldw, out);
}

INLINE void add(const bool padded, entries e, int64_t k, const double *r, double *G, int64_t ldg)
{
    for (int64_t c = 0; c < k; c += WIDE * L) {
        int last;
        switch (width(k - c, &last)) {
        case 1: add_tile(1, last, padded, e, r + c, G + c, ldg); break;
        case 2: add_tile(2, last, padded, e, r + c, G + c, ldg); break;
        case 3: add_tile(3, last, padded, e, r + c, G + c, ldg); break;
        default: add_tile(WIDE, last, padded, e, r + c, G + c, ldg); break;
        }
    }
}

void TIER(entries_add_f64)(int64_t n, const int32_t *column, const double *value, int64_t k,
                           const double *r, double *G, int64_t ldg)
{
    entries e = {n, column, value};
    if (ldg % 8 == 0)
        add(true, e, k, r, G, ldg);
    else
        add(false, e, k, r, G, ldg);
}

/* ---- the entries of dense rows ---------------------------------------------------------- */

#ifdef SIMD_AVX512

/* The lanes of eight values that are not zero, and their columns, from `count` on; returns the new
 * count.  All eight are written: strokes of a picture begin and end where no jump is predicted. */
INLINE int64_t keep(__m512d v, int64_t at, int32_t *column, double *value, int64_t count)
{
    const __m256i step = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __mmask8 is = _mm512_cmp_pd_mask(v, _mm512_setzero_pd(), _CMP_NEQ_UQ);
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

/* As keep, for sixteen bytes. */
INLINE int64_t keep_bytes(__m128i bytes, int64_t at, int32_t *column, double *value, int64_t count)
{
    const __m512i step = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i v = _mm512_cvtepu8_epi32(bytes);
    __mmask16 is = _mm512_test_epi32_mask(v, v);
    __m512i j = _mm512_add_epi32(step, _mm512_set1_epi32((int)at));
    v = _mm512_maskz_compress_epi32(is, v);
    _mm512_storeu_pd(value + count, _mm512_cvtepi32_pd(_mm512_castsi512_si256(v)));
    _mm512_storeu_pd(value + count + 8, _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(v, 1)));
    _mm512_storeu_si512(column + count, _mm512_maskz_compress_epi32(is, j));
    return count + __builtin_popcount(is);
}

int64_t TIER(squeeze_u8)(int64_t d, const uint8_t *x, int32_t *column, double *value)
{
    int64_t count = 0, j = 0;
    for (; j + 16 <= d; j += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(x + j));
        count = keep_bytes(bytes, j, column, value, count);
    }
    if (j < d)
        count = keep_bytes(_mm_maskz_loadu_epi8((__mmask16)((1u << (d - j)) - 1u), x + j), j,
                           column, value, count);
    return count;
}

#else

/* Written always, kept where it is not zero: no jump to predict. */
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
