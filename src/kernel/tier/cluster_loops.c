/* cluster_loops.c -- see kernel/cluster_kernels.h.
 *
 * x + 1.5 2^52 is rounded to a whole number: that, less the bits of 1.5 2^52, are its bits. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

#include <math.h>

enum { L = LANES_f32, W = LANES_f64 };

#define ROUNDER 0x1.8p52

/* ---- the two least ---- */

INLINE vec_f32 smaller(vec_f32 a, vec_f32 b)
{
#if defined(SIMD_AVX512)
    return (vec_f32)_mm512_min_ps((__m512)a, (__m512)b);
#elif defined(SIMD_AVX2)
    return (vec_f32)_mm256_min_ps((__m256)a, (__m256)b);
#else
    return select_f32(a < b, a, b);
#endif
}

INLINE vec_f32 larger(vec_f32 a, vec_f32 b)
{
#if defined(SIMD_AVX512)
    return (vec_f32)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(SIMD_AVX2)
    return (vec_f32)_mm256_max_ps((__m256)a, (__m256)b);
#else
    return select_f32(a > b, a, b);
#endif
}

/* at = where key < least ? c : at */
INLINE bits_f32 where_less(vec_f32 key, vec_f32 least, int32_t c, bits_f32 at)
{
#if defined(SIMD_AVX512)
    __mmask16 less = _mm512_cmp_ps_mask((__m512)key, (__m512)least, _CMP_LT_OQ);
    return (bits_f32)_mm512_mask_set1_epi32((__m512i)at, less, c);
#else
    bits_f32 less = key < least, spread = {0};
    spread += c;
    return (less & spread) | (~less & at);
#endif
}

/* `vectors` vectors of points from i on. */
INLINE void two_least_of(const int vectors, int64_t k, int64_t i, const float *key, int64_t ld,
                         const smr_two_least *to)
{
    vec_f32 least[4], second[4];
    bits_f32 at[4];
    UNROLL
    for (int v = 0; v < vectors; v++) {
        least[v] = load_f32(key + i + v * L);
        second[v] = splat_f32(INFINITY);
        at[v] = (bits_f32){0};
    }
    for (int64_t c = 1; c < k; c++) {
        const float *from = key + c * ld + i;
        UNROLL
        for (int v = 0; v < vectors; v++) {
            vec_f32 x = load_f32(from + v * L);
            second[v] = smaller(second[v], larger(least[v], x));
            at[v] = where_less(x, least[v], (int32_t)c, at[v]);
            least[v] = smaller(x, least[v]);
        }
    }
    UNROLL
    for (int v = 0; v < vectors; v++) {
        store_f32(to->least + i + v * L, least[v]);
        store_f32(to->second + i + v * L, second[v]);
        memcpy(to->at + i + v * L, &at[v], sizeof at[v]);
    }
}

static void two_least_single(int64_t k, int64_t i, const float *key, int64_t ld,
                             const smr_two_least *to)
{
    float least = key[i], second = INFINITY;
    int32_t at = 0;
    for (int64_t c = 1; c < k; c++) {
        float x = key[c * ld + i], other = least > x ? least : x;
        second = second < other ? second : other;
        if (x < least) at = (int32_t)c;
        least = x < least ? x : least;
    }
    to->least[i] = least;
    to->second[i] = second;
    to->at[i] = at;
}

void TIER(two_least_f32)(int64_t k, int64_t n, const float *key, int64_t ld,
                         const smr_two_least *to)
{
    int64_t i = 0;
    for (; i + 4 * L <= n; i += 4 * L) two_least_of(4, k, i, key, ld, to);
    for (; i + L <= n; i += L) two_least_of(1, k, i, key, ld, to);
    for (; i < n; i++) two_least_single(k, i, key, ld, to);
}

void TIER(byte_keys_f32)(int64_t n, float base, const int32_t *high, const int32_t *low, float *key)
{
    for (int64_t i = 0; i < n; i++)
        key[i] = (base - 2 * (float)high[i]) - 0.0078125f * (float)low[i];
}

/* ---- sums ---- */

INLINE int64_t whole_of(double x)
{
    const double rounder = ROUNDER;
    double t = x + rounder;
    int64_t bits, zero;
    memcpy(&bits, &t, sizeof bits);
    memcpy(&zero, &rounder, sizeof zero);
    return bits - zero;
}

INLINE bits_f64 wholes_of(vec_f64 x)
{
    vec_f64 rounder = splat_f64(ROUNDER);
    return (bits_f64)(x + rounder) - (bits_f64)rounder;
}

INLINE vec_f64 widen_u8(const uint8_t *p)
{
    typedef uint8_t bytes __attribute__((vector_size(LANES_f64)));
    bytes v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, vec_f64);
}

#define MOVE(name, type, widened)                                                               \
    INLINE void name##_row(const smr_row_move *m, int64_t d, const type *x, double w,           \
                           const smr_fixed_point *by, int64_t *sum)                             \
    {                                                                                           \
        int64_t *to = m->to >= 0 ? sum + m->to * d : NULL;                                      \
        int64_t *from = m->from >= 0 ? sum + m->from * d : NULL, j = 0;                         \
        for (; j + W <= d; j += W) {                                                            \
            vec_f64 v = (widened(x + j) - load_f64(by->shift + j)) * load_f64(by->scale + j);   \
            bits_f64 whole = wholes_of(v * splat_f64(w)), at;                                   \
            if (to) {                                                                           \
                memcpy(&at, to + j, sizeof at);                                                 \
                at += whole;                                                                    \
                memcpy(to + j, &at, sizeof at);                                                 \
            }                                                                                   \
            if (from) {                                                                         \
                memcpy(&at, from + j, sizeof at);                                               \
                at -= whole;                                                                    \
                memcpy(from + j, &at, sizeof at);                                               \
            }                                                                                   \
        }                                                                                       \
        for (; j < d; j++) {                                                                    \
            int64_t whole = whole_of(((double)x[j] - by->shift[j]) * by->scale[j] * w);         \
            if (to) to[j] += whole;                                                             \
            if (from) from[j] -= whole;                                                         \
        }                                                                                       \
    }                                                                                           \
    void TIER(name)(int64_t n, const smr_row_move *move, int64_t d, const type *X, int64_t ldx, \
                    const smr_fixed_point *by, int64_t *sum)                                    \
    {                                                                                           \
        for (int64_t e = 0; e < n; e++)                                                         \
            name##_row(&move[e], d, X + move[e].row * ldx,                                      \
                       by->weight ? by->weight[move[e].row] : 1, by, sum);                      \
    }

MOVE(move_rows_f64, double, load_f64)
MOVE(move_rows_f32, float, widen)
MOVE(move_rows_u8, uint8_t, widen_u8)
