/* cluster_loops.c -- see kernel/cluster_kernels.h.
 *
 * x + 1.5 2^52 is rounded to a whole number: that, less the bits of 1.5 2^52, are its bits. */
#include "kernel/kernel_table.h"
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

/* ---- the two least of a product that is not kept ---- */

enum {
    PANEL = SMR_PANEL_F32,
    STRIP = 2 * L,
    SOME = SIMD_BYTES == 64   ? 12
           : SIMD_BYTES == 32 ? 6
                              : 4
};

struct strip {
    int64_t steps;
    const float *a, *b; /* SOME rows; STRIP columns, PANEL apart */
    int32_t first;
    vec_f32 least[2], second[2];
    bits_f32 at[2];
};

INLINE void take_some(const int rows, struct strip *s)
{
    vec_f32 key[SOME][2];
    UNROLL
    for (int i = 0; i < rows; i++) key[i][0] = key[i][1] = zero_f32();
    for (int64_t t = 0; t < s->steps; t++) {
        vec_f32 x = load_f32(s->b + t * PANEL), y = load_f32(s->b + t * PANEL + L);
        UNROLL
        for (int i = 0; i < rows; i++) {
            vec_f32 a = splat_f32(s->a[i * s->steps + t]);
            key[i][0] = fma_f32(a, x, key[i][0]);
            key[i][1] = fma_f32(a, y, key[i][1]);
        }
    }
    UNROLL
    for (int i = 0; i < rows; i++) {
        UNROLL
        for (int v = 0; v < 2; v++) {
            s->second[v] = smaller(s->second[v], larger(s->least[v], key[i][v]));
            s->at[v] = where_less(key[i][v], s->least[v], s->first + i, s->at[v]);
            s->least[v] = smaller(key[i][v], s->least[v]);
        }
    }
}

#define ROWS(count)                                                     \
    static __attribute__((noinline)) void take_##count(struct strip *s) \
    {                                                                   \
        take_some(count, s);                                            \
    }
ROWS(1)
ROWS(2)
ROWS(3)
ROWS(4)
#if SIMD_BYTES > 16
ROWS(5)
ROWS(6)
#endif
#if SIMD_BYTES > 32
ROWS(7)
ROWS(8)
ROWS(9)
ROWS(10)
ROWS(11)
ROWS(12)
#endif
#undef ROWS

static void (*const take[SOME + 1])(struct strip *) = {
    NULL,   take_1, take_2, take_3,  take_4,
#if SIMD_BYTES > 16
    take_5, take_6,
#endif
#if SIMD_BYTES > 32
    take_7, take_8, take_9, take_10, take_11, take_12,
#endif
};

/* The strip's `count` points from `to` on. */
INLINE void put_strip(const struct strip *s, int64_t i, int64_t count, const smr_two_least *to)
{
    float least[STRIP], second[STRIP];
    int32_t at[STRIP];
    memcpy(least, s->least, sizeof least);
    memcpy(second, s->second, sizeof second);
    memcpy(at, s->at, sizeof at);
    memcpy(to->least + i, least, (size_t)count * sizeof *least);
    memcpy(to->second + i, second, (size_t)count * sizeof *second);
    memcpy(to->at + i, at, (size_t)count * sizeof *at);
}

void TIER(least_of_panels_f32)(int64_t k, int64_t n, int64_t steps, const float *A,
                               const void *panels, const smr_two_least *to)
{
    for (int64_t i = 0; i < n; i += STRIP) {
        struct strip s = {.steps = steps};
        s.b = (const float *)panels + i / PANEL * PANEL * steps + i % PANEL;
        UNROLL
        for (int v = 0; v < 2; v++) {
            s.least[v] = s.second[v] = splat_f32(INFINITY);
            s.at[v] = (bits_f32){0};
        }
        for (int64_t c = 0; c < k; c += SOME) {
            s.a = A + c * steps;
            s.first = (int32_t)c;
            take[k - c < SOME ? k - c : SOME](&s);
        }
        if (n - i >= STRIP)
            put_strip(&s, i, STRIP, to);
        else
            put_strip(&s, i, n - i, to);
    }
}

/* ---- which points ---- */

INLINE uint32_t mask_of(bits_f32 where)
{
#if defined(SIMD_AVX512)
    return _mm512_movepi32_mask((__m512i)where);
#elif defined(SIMD_AVX2)
    return (uint32_t)_mm256_movemask_ps((__m256)where);
#else
    uint32_t mask = 0;
    for (int l = 0; l < L; l++) mask |= (uint32_t)(where[l] & 1) << l;
    return mask;
#endif
}

INLINE int64_t list_mask(uint32_t mask, int64_t i, int64_t m, int64_t *list)
{
    for (; mask; mask &= mask - 1) list[m++] = i + __builtin_ctz(mask);
    return m;
}

int64_t TIER(close_keys_f32)(int64_t n, const smr_two_least *of, const float *square, float share,
                             float rest, int64_t *list)
{
    int64_t i = 0, m = 0;
    for (; i + L <= n; i += L) {
        vec_f32 gap = load_f32(of->second + i) - load_f32(of->least + i);
        vec_f32 within = splat_f32(share) * load_f32(square + i) + splat_f32(rest);
        m = list_mask(mask_of(gap <= within), i, m, list);
    }
    for (; i < n; i++) {
        float within = share * square[i] + rest;
        if (of->second[i] - of->least[i] <= within) list[m++] = i;
    }
    return m;
}

int64_t TIER(unlike_i32)(int64_t n, const int32_t *a, const int32_t *b, int64_t *list)
{
    int64_t i = 0, m = 0;
    for (; i + L <= n; i += L) {
        bits_f32 x, y;
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        m = list_mask(mask_of(x != y), i, m, list);
    }
    for (; i < n; i++)
        if (a[i] != b[i]) list[m++] = i;
    return m;
}

void TIER(byte_keys_f32)(int64_t n, float base, const int32_t *high, const int32_t *low, float *key)
{
    for (int64_t i = 0; i < n; i++)
        key[i] = (base - 2 * (float)high[i]) - 0.0078125f * (float)low[i];
}

/* ---- extremes ---- */

/* Four vectors of columns, the last of `last` lanes.  x - x is 0 but of what is not finite. */
INLINE bool extremes_of(const int vectors, int last, int64_t n, const float *x, int64_t ld,
                        float *least, float *greatest)
{
    vec_f32 a[4], b[4], off = zero_f32();
    UNROLL
    for (int v = 0; v < vectors; v++) {
        int count = v + 1 < vectors ? L : last;
        a[v] = load_part_f32(least + v * L, count, zero_f32());
        b[v] = load_part_f32(greatest + v * L, count, zero_f32());
    }
    for (int64_t i = 0; i < n; i++, x += ld) {
        UNROLL
        for (int v = 0; v < vectors; v++) {
            vec_f32 row = v + 1 < vectors || last == L ? load_f32(x + v * L)
                                                       : load_part_f32(x + v * L, last, zero_f32());
            a[v] = smaller(row, a[v]);
            b[v] = larger(row, b[v]);
            off += row - row;
        }
    }
    UNROLL
    for (int v = 0; v < vectors; v++) {
        int count = v + 1 < vectors ? L : last;
        store_part_f32(least + v * L, count, a[v]);
        store_part_f32(greatest + v * L, count, b[v]);
    }
    bits_f32 finite = off == zero_f32();
    bool all = true;
    for (int l = 0; l < L; l++) all &= finite[l] != 0;
    return all;
}

bool TIER(extremes_f32)(int64_t n, int64_t d, const float *X, int64_t ldx, float *least,
                        float *greatest)
{
    bool finite = true;
    for (int64_t j = 0; j < d; j += 4 * L) {
        int64_t left = d - j < 4 * L ? d - j : 4 * L, vectors = (left + L - 1) / L;
        int last = (int)(left - (vectors - 1) * L);
        const float *x = X + j;
        switch (vectors) {
        case 1: finite &= extremes_of(1, last, n, x, ldx, least + j, greatest + j); break;
        case 2: finite &= extremes_of(2, last, n, x, ldx, least + j, greatest + j); break;
        case 3: finite &= extremes_of(3, last, n, x, ldx, least + j, greatest + j); break;
        default: finite &= extremes_of(4, last, n, x, ldx, least + j, greatest + j); break;
        }
    }
    return finite;
}

/* ---- bytes that floats are ---- */

/* The widest tier's eight sums, in 8 / W vectors. */
#define BYTES(name, type, load)                                                                  \
    bool TIER(name)(int64_t n, const type *x, double low, double unit, uint8_t *to, double *off) \
    {                                                                                            \
        enum { PARTS = 8 / W };                                                                  \
        vec_f64 sum[PARTS], rounder = splat_f64(ROUNDER);                                        \
        bits_f64 fine = ~(bits_f64){0};                                                          \
        double all[8];                                                                           \
        int64_t j = 0;                                                                           \
        UNROLL                                                                                   \
        for (int v = 0; v < PARTS; v++) sum[v] = zero_f64();                                     \
        for (; j + 8 <= n; j += 8) {                                                             \
            UNROLL                                                                               \
            for (int v = 0; v < PARTS; v++) {                                                    \
                typedef uint8_t bytes __attribute__((vector_size(LANES_f64)));                   \
                vec_f64 t = (load(x + j + v * W) - splat_f64(low)) * splat_f64(unit);            \
                vec_f64 whole = (t + rounder) - rounder, far = t - whole;                        \
                fine &= (whole >= zero_f64()) & (whole <= splat_f64(255)) &                      \
                        (abs_f64(far) <= splat_f64(0x1p-8));                                     \
                sum[v] = fma_f64(far, far, sum[v]);                                              \
                bytes b = __builtin_convertvector((bits_f64)(whole + rounder), bytes);           \
                memcpy(to + j + v * W, &b, sizeof b);                                            \
            }                                                                                    \
        }                                                                                        \
        for (int v = 0; v < PARTS; v++) memcpy(all + v * W, &sum[v], sizeof sum[v]);             \
        bool good = true;                                                                        \
        for (int l = 0; l < W; l++) good &= fine[l] != 0;                                        \
        for (; j < n; j++) {                                                                     \
            double t = ((double)x[j] - low) * unit, whole = (t + ROUNDER) - ROUNDER;             \
            double far = t - whole;                                                              \
            if (!(whole >= 0 && whole <= 255 && fabs(far) <= 0x1p-8)) return false;              \
            all[j % 8] = fma(far, far, all[j % 8]);                                              \
            to[j] = (uint8_t)whole;                                                              \
        }                                                                                        \
        for (int half = 4; half > 0; half /= 2)                                                  \
            for (int l = 0; l < half; l++) all[l] += all[l + half];                              \
        *off = all[0];                                                                           \
        return good;                                                                             \
    }

BYTES(bytes_of_f64, double, load_f64)
BYTES(bytes_of_f32, float, widen)

/* What is less than a quarter from a whole number is far from where truncation would err. */
#define NEAR(name, type)                                                            \
    void TIER(name)(int64_t n, const type *x, double low, double unit, uint8_t *to) \
    {                                                                               \
        type from = (type)low, by = (type)unit;                                     \
        for (int64_t j = 0; j < n; j++)                                             \
            to[j] = (uint8_t)(int32_t)((x[j] - from) * by + (type)0.5);             \
    }

NEAR(bytes_near_f64, double)
NEAR(bytes_near_f32, float)

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
