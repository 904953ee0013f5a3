/* near_panels.c -- rows near their mean, as floats, into panels: see kernel/cluster_kernels.h.
 *
 * Eight rows by eight columns at a time are turned in registers. */
#include "kernel/kernel_table.h"
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

enum {
    PANEL = SMR_PANEL_F32,
    SIDE = 8,
    AHEAD = 1 << 16, /* bytes of a call's rows up to which those after them are asked for: what is
                        done with the panels takes as long as they need to come */
    SOON = 1 << 13,  /* bytes of rows from sixteen to those that are asked for then */
    NEXT = 4         /* 64 bytes of a row of a list, at most, before its turn */
};

#if defined(SIMD_AVX512)

INLINE __m256 narrow(const double *x)
{
    return _mm512_cvtpd_ps(_mm512_loadu_pd(x));
}

INLINE __m256 near_f64(const double *x, const double *shift, double unit)
{
    return _mm512_cvtpd_ps(_mm512_mul_pd(_mm512_sub_pd(_mm512_loadu_pd(x), _mm512_loadu_pd(shift)),
                                         _mm512_set1_pd(unit)));
}

#elif defined(SIMD_AVX2)

INLINE __m256 narrow(const double *x)
{
    return _mm256_set_m128(_mm256_cvtpd_ps(_mm256_loadu_pd(x + 4)),
                           _mm256_cvtpd_ps(_mm256_loadu_pd(x)));
}

INLINE __m128 half_near(const double *x, const double *shift, double unit)
{
    return _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_sub_pd(_mm256_loadu_pd(x), _mm256_loadu_pd(shift)),
                                         _mm256_set1_pd(unit)));
}

INLINE __m256 near_f64(const double *x, const double *shift, double unit)
{
    return _mm256_set_m128(half_near(x + 4, shift + 4, unit), half_near(x, shift, unit));
}

#endif

#if defined(SIMD_AVX512) || defined(SIMD_AVX2)

/* Entry t of vector r goes to entry r of to + t * PANEL. */
INLINE void turn(const __m256 r[SIDE], float *to)
{
    __m256 a[SIDE], b[SIDE];
    UNROLL
    for (int i = 0; i < SIDE; i += 2) {
        a[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        a[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    UNROLL
    for (int h = 0; h < SIDE; h += 4) {
        b[h] = _mm256_shuffle_ps(a[h], a[h + 2], 0x44);
        b[h + 1] = _mm256_shuffle_ps(a[h], a[h + 2], 0xee);
        b[h + 2] = _mm256_shuffle_ps(a[h + 1], a[h + 3], 0x44);
        b[h + 3] = _mm256_shuffle_ps(a[h + 1], a[h + 3], 0xee);
    }
    UNROLL
    for (int t = 0; t < 4; t++) {
        _mm256_storeu_ps(to + t * PANEL, _mm256_permute2f128_ps(b[t], b[t + 4], 0x20));
        _mm256_storeu_ps(to + (t + 4) * PANEL, _mm256_permute2f128_ps(b[t], b[t + 4], 0x31));
    }
}

INLINE int64_t eight_double(int64_t d, const double *const x[SIDE], const smr_from_mean *by,
                            float *to)
{
    int64_t j = 0;
    for (; j + SIDE <= d; j += SIDE) {
        __m256 r[SIDE];
        UNROLL
        for (int i = 0; i < SIDE; i++) r[i] = near_f64(x[i] + j, by->shift + j, by->unit);
        turn(r, to + j * PANEL);
    }
    return j;
}

INLINE int64_t eight_float(int64_t d, const float *const x[SIDE], const smr_from_mean *by,
                           float *to)
{
    __m256 unit = _mm256_set1_ps((float)by->unit);
    int64_t j = 0;
    for (; j + SIDE <= d; j += SIDE) {
        __m256 r[SIDE], shift = narrow(by->shift + j);
        UNROLL
        for (int i = 0; i < SIDE; i++)
            r[i] = _mm256_mul_ps(_mm256_sub_ps(_mm256_loadu_ps(x[i] + j), shift), unit);
        turn(r, to + j * PANEL);
    }
    return j;
}

#ifdef SIMD_AVX512
/* Sixteen rows by sixteen columns: entry t of row r to entry r of to + t * PANEL. */
INLINE void turn_wide(const __m512 r[16], float *to)
{
    __m512 a[16], b[16];
    UNROLL
    for (int i = 0; i < 16; i += 2) {
        a[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
        a[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
    }
    UNROLL
    for (int h = 0; h < 16; h += 4) {
        b[h] = _mm512_shuffle_ps(a[h], a[h + 2], 0x44);
        b[h + 1] = _mm512_shuffle_ps(a[h], a[h + 2], 0xee);
        b[h + 2] = _mm512_shuffle_ps(a[h + 1], a[h + 3], 0x44);
        b[h + 3] = _mm512_shuffle_ps(a[h + 1], a[h + 3], 0xee);
    }
    UNROLL
    for (int t = 0; t < 4; t++) {
        __m512 even = _mm512_shuffle_f32x4(b[t], b[t + 4], 0x88);
        __m512 odd = _mm512_shuffle_f32x4(b[t], b[t + 4], 0xdd);
        __m512 more_even = _mm512_shuffle_f32x4(b[t + 8], b[t + 12], 0x88);
        __m512 more_odd = _mm512_shuffle_f32x4(b[t + 8], b[t + 12], 0xdd);
        _mm512_storeu_ps(to + t * PANEL, _mm512_shuffle_f32x4(even, more_even, 0x88));
        _mm512_storeu_ps(to + (t + 4) * PANEL, _mm512_shuffle_f32x4(odd, more_odd, 0x88));
        _mm512_storeu_ps(to + (t + 8) * PANEL, _mm512_shuffle_f32x4(even, more_even, 0xdd));
        _mm512_storeu_ps(to + (t + 12) * PANEL, _mm512_shuffle_f32x4(odd, more_odd, 0xdd));
    }
}

/* All columns of sixteen rows, where they are a multiple of sixteen. */
INLINE void sixteen_float(int64_t d, const float *x, int64_t ld, const smr_from_mean *by, float *to)
{
    const int64_t soon = SOON / (d * (int64_t)sizeof *x) * ld;
    __m512 unit = _mm512_set1_ps((float)by->unit);
    for (int64_t j = 0; j < d; j += 16) {
        __m512 r[16];
        __m512 shift = _mm512_insertf32x8(_mm512_castps256_ps512(narrow(by->shift + j)),
                                          narrow(by->shift + j + 8), 1);
        const float *p = x + j;
        UNROLL
        for (int g = 0; g < 16; g += 4, p += 4 * ld) {
            __builtin_prefetch(p + soon, 0, 3);
            __builtin_prefetch(p + soon + ld, 0, 3);
            __builtin_prefetch(p + soon + 2 * ld, 0, 3);
            __builtin_prefetch(p + soon + 3 * ld, 0, 3);
            r[g] = _mm512_loadu_ps(p);
            r[g + 1] = _mm512_loadu_ps(p + ld);
            r[g + 2] = _mm512_loadu_ps(p + 2 * ld);
            r[g + 3] = _mm512_loadu_ps(p + 3 * ld);
        }
        UNROLL
        for (int i = 0; i < 16; i++) r[i] = _mm512_mul_ps(_mm512_sub_ps(r[i], shift), unit);
        turn_wide(r, to + j * PANEL);
    }
    _mm512_storeu_ps(to + d * PANEL, _mm512_set1_ps(1));
}
#endif

#else

INLINE int64_t eight_double(int64_t d, const double *const x[SIDE], const smr_from_mean *by,
                            float *to)
{
    (void)d, (void)x, (void)by, (void)to;
    return 0;
}

INLINE int64_t eight_float(int64_t d, const float *const x[SIDE], const smr_from_mean *by,
                           float *to)
{
    (void)d, (void)x, (void)by, (void)to;
    return 0;
}

#endif

INLINE void ask_for(const char *row, int64_t bytes)
{
    for (int64_t b = 0; b < bytes && b < NEXT * 64; b += 64) __builtin_prefetch(row + b, 0, 3);
}

/* Rows that fill no eight are taken with their first again, and cleared after that. */
#define PACK(name, type, real)                                                                \
    INLINE void name(int64_t n, const int64_t *list, int64_t d, const type *X, int64_t ldx,   \
                     const smr_from_mean *by, void *panels)                                   \
    {                                                                                         \
        bool near = !list && n * ldx * (int64_t)sizeof *X <= AHEAD;                           \
        for (int64_t i = 0; i < (n + PANEL - 1) / PANEL * PANEL; i += SIDE) {                 \
            float *to = (float *)panels + i / PANEL * PANEL * (d + 1) + i % PANEL;            \
            const type *x[SIDE];                                                              \
            int64_t have = n - i < 0 ? 0 : n - i < SIDE ? n - i : SIDE, j = d;                \
            for (int64_t r = 0; r < have; r++) x[r] = X + (list ? list[i + r] : i + r) * ldx; \
            for (int64_t r = have; r < SIDE; r++) x[r] = have ? x[0] : X;                     \
            if (have) j = eight_##type(d, x, by, to);                                         \
            for (int64_t r = 0; list && i + SIDE + r < n && r < SIDE; r++)                    \
                ask_for((const char *)(X + list[i + SIDE + r] * ldx), d *(int64_t)sizeof *X); \
            for (int64_t r = 0; near && r < have; r++)                                        \
                ask_for((const char *)(x[r] + n * ldx), d *(int64_t)sizeof *X);               \
            for (; j < d; j++) {                                                              \
                real shift = (real)by->shift[j], unit = (real)by->unit;                       \
                for (int64_t r = 0; r < SIDE; r++)                                            \
                    to[j * PANEL + r] = (float)((x[r][j] - shift) * unit);                    \
            }                                                                                 \
            for (int64_t r = 0; r < SIDE; r++) to[d * PANEL + r] = r < have;                  \
            for (j = 0; have < SIDE && j < d; j++)                                            \
                for (int64_t r = have; r < SIDE; r++) to[j * PANEL + r] = 0;                  \
        }                                                                                     \
    }

PACK(pack_some_f64, double, double)
PACK(pack_some_f32, float, float)

void TIER(pack_near_f64)(int64_t n, const int64_t *list, int64_t d, const double *X, int64_t ldx,
                         const smr_from_mean *by, void *panels)
{
    pack_some_f64(n, list, d, X, ldx, by, panels);
}

void TIER(pack_near_f32)(int64_t n, const int64_t *list, int64_t d, const float *X, int64_t ldx,
                         const smr_from_mean *by, void *panels)
{
    int64_t i = 0;
#ifdef SIMD_AVX512
    for (; !list && d % 16 == 0 && i + PANEL <= n; i += PANEL) {
        float *to = (float *)panels + i * (d + 1);
        sixteen_float(d, X + i * ldx, ldx, by, to);
        sixteen_float(d, X + (i + 16) * ldx, ldx, by, to + 16);
    }
#endif
    pack_some_f32(n - i, list, d, X + i * ldx, ldx, by, (float *)panels + i * (d + 1));
}
