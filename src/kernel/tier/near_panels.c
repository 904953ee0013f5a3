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
    NEXT = 4         /* 64 bytes of a row of a list, at most, before its turn */
};

#if defined(SIMD_AVX512)

INLINE __m256 near_f64(const double *x, const double *shift, __m512d unit)
{
    return _mm512_cvtpd_ps(
        _mm512_mul_pd(_mm512_sub_pd(_mm512_loadu_pd(x), _mm512_loadu_pd(shift)), unit));
}

INLINE __m256 near_f32(const float *x, const double *shift, __m512d unit)
{
    __m512d wide = _mm512_cvtps_pd(_mm256_loadu_ps(x));
    return _mm512_cvtpd_ps(_mm512_mul_pd(_mm512_sub_pd(wide, _mm512_loadu_pd(shift)), unit));
}

#define UNIT(x) _mm512_set1_pd(x)
typedef __m512d units;

#elif defined(SIMD_AVX2)

INLINE __m128 half_near(__m256d x, const double *shift, __m256d unit)
{
    return _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_sub_pd(x, _mm256_loadu_pd(shift)), unit));
}

INLINE __m256 near_f64(const double *x, const double *shift, __m256d unit)
{
    return _mm256_set_m128(half_near(_mm256_loadu_pd(x + 4), shift + 4, unit),
                           half_near(_mm256_loadu_pd(x), shift, unit));
}

INLINE __m256 near_f32(const float *x, const double *shift, __m256d unit)
{
    return _mm256_set_m128(half_near(_mm256_cvtps_pd(_mm_loadu_ps(x + 4)), shift + 4, unit),
                           half_near(_mm256_cvtps_pd(_mm_loadu_ps(x)), shift, unit));
}

#define UNIT(x) _mm256_set1_pd(x)
typedef __m256d units;

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

#define EIGHT(type, near)                                                                      \
    INLINE int64_t eight_##type(int64_t d, const type *const x[SIDE], const smr_from_mean *by, \
                                float *to)                                                     \
    {                                                                                          \
        units unit = UNIT(by->unit);                                                           \
        int64_t j = 0;                                                                         \
        for (; j + SIDE <= d; j += SIDE) {                                                     \
            __m256 r[SIDE];                                                                    \
            UNROLL                                                                             \
            for (int i = 0; i < SIDE; i++) r[i] = near(x[i] + j, by->shift + j, unit);         \
            turn(r, to + j * PANEL);                                                           \
        }                                                                                      \
        return j;                                                                              \
    }

EIGHT(double, near_f64)
EIGHT(float, near_f32)

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
#define PACK(name, type)                                                                      \
    void TIER(name)(int64_t n, const int64_t *list, int64_t d, const type *X, int64_t ldx,    \
                    const smr_from_mean *by, void *panels)                                    \
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
            for (; j < d; j++)                                                                \
                for (int64_t r = 0; r < SIDE; r++)                                            \
                    to[j * PANEL + r] = (float)(((double)x[r][j] - by->shift[j]) * by->unit); \
            for (int64_t r = 0; r < SIDE; r++) to[d * PANEL + r] = r < have;                  \
            for (j = 0; have < SIDE && j < d; j++)                                            \
                for (int64_t r = have; r < SIDE; r++) to[j * PANEL + r] = 0;                  \
        }                                                                                     \
    }

PACK(pack_near_f64, double)
PACK(pack_near_f32, float)
