/* near_loops.c -- see kernel/near.h; compiled once for each tier.
 *
 * A group is two vectors of eight doubles.  Where the tier has narrower registers the compiler
 * splits them. */
#include "kernel/near.h"

#include <math.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define TIERED(name) PASTE(name, SMR_TIER)

typedef double f64x8 __attribute__((vector_size(64)));
typedef double f64x8u __attribute__((vector_size(64), aligned(8)));
typedef float f32x8u __attribute__((vector_size(32), aligned(4)));
typedef uint8_t u8x8u __attribute__((vector_size(8), aligned(1)));
typedef int64_t i64x8 __attribute__((vector_size(64)));

/* Functions take and return vectors through pointers: how they are passed by value depends on the
 * tier. */
struct group {
    f64x8 v[2];
};

static inline void load_f64(const double *x, struct group *g)
{
    g->v[0] = *(const f64x8u *)x;
    g->v[1] = *(const f64x8u *)(x + 8);
}

static inline void load_f32(const float *x, struct group *g)
{
    g->v[0] = __builtin_convertvector(*(const f32x8u *)x, f64x8);
    g->v[1] = __builtin_convertvector(*(const f32x8u *)(x + 8), f64x8);
}

static inline void load_u8(const uint8_t *x, struct group *g)
{
#if defined(__AVX512F__)
    for (int h = 0; h < 2; h++) {
        __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)(x + 8 * h));
        g->v[h] = (f64x8)_mm512_cvtepi32_pd(_mm256_cvtepu8_epi32(bytes));
    }
#else
    g->v[0] = __builtin_convertvector(*(const u8x8u *)x, f64x8);
    g->v[1] = __builtin_convertvector(*(const u8x8u *)(x + 8), f64x8);
#endif
}

static inline void keep_larger(f64x8 *a, const f64x8 *b)
{
#if defined(__AVX512F__)
    *a = (f64x8)_mm512_max_pd((__m512d)*a, (__m512d)*b);
#else
    i64x8 take = *b > *a;
    *a = (f64x8)(((i64x8)*b & take) | ((i64x8)*a & ~take));
#endif
}

/* sum += x^2, fused where the tier can: callers allow for either rounding. */
static inline void add_square(f64x8 *sum, const f64x8 *x)
{
#if defined(__AVX512F__)
    *sum = (f64x8)_mm512_fmadd_pd((__m512d)*x, (__m512d)*x, (__m512d)*sum);
#elif defined(__FMA__)
    __m256d lo[2], s[2];
    memcpy(lo, x, sizeof lo);
    memcpy(s, sum, sizeof s);
    for (int h = 0; h < 2; h++) s[h] = _mm256_fmadd_pd(lo[h], lo[h], s[h]);
    memcpy(sum, s, sizeof s);
#else
    *sum += *x * *x;
#endif
}

static inline void magnitude(f64x8 *x)
{
    const i64x8 all = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX,
                       INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    *x = (f64x8)((i64x8)*x & all);
}

static inline void accumulate(smr_near_kind kind, struct group *sum, struct group *x)
{
    for (int h = 0; h < 2; h++) {
        if (kind == SMR_NEAR_L2) {
            add_square(&sum->v[h], &x->v[h]);
        } else {
            magnitude(&x->v[h]);
            if (kind == SMR_NEAR_L1)
                sum->v[h] += x->v[h];
            else
                keep_larger(&sum->v[h], &x->v[h]);
        }
    }
}

/* Stores the distances; bit i: that of member i is at most the limit. */
static inline unsigned finish(const struct group *sum, double limit, double *dist)
{
    *(f64x8u *)dist = sum->v[0];
    *(f64x8u *)(dist + 8) = sum->v[1];
#if defined(__AVX512F__)
    __m512d l = _mm512_set1_pd(limit);
    return (unsigned)_mm512_cmp_pd_mask((__m512d)sum->v[0], l, _CMP_LE_OQ) |
           (unsigned)_mm512_cmp_pd_mask((__m512d)sum->v[1], l, _CMP_LE_OQ) << 8;
#elif defined(__SSE2__)
    unsigned mask = 0;
    __m128d l = _mm_set1_pd(limit);
    for (int i = 0; i < 8; i++)
        mask |= (unsigned)_mm_movemask_pd(_mm_cmple_pd(_mm_loadu_pd(dist + 2 * i), l)) << (2 * i);
    return mask;
#else
    unsigned mask = 0;
    for (int i = 0; i < 16; i++) mask |= (unsigned)(dist[i] <= limit) << i;
    return mask;
#endif
}

/* sum += q x */
static inline void add_product(f64x8 *sum, const f64x8 *x, double q)
{
    f64x8 spread = {q, q, q, q, q, q, q, q};
#if defined(__AVX512F__)
    *sum = (f64x8)_mm512_fmadd_pd((__m512d)*x, (__m512d)spread, (__m512d)*sum);
#else
    *sum += *x * spread;
#endif
}

/* One coordinate of a group of points. */
static inline void take(smr_near_kind kind, struct group *sum, struct group *x, double q)
{
    if (kind == SMR_NEAR_DOT) {
        add_product(&sum->v[0], &x->v[0], q);
        add_product(&sum->v[1], &x->v[1], q);
        return;
    }
    x->v[0] -= q;
    x->v[1] -= q;
    accumulate(kind, sum, x);
}

/* One coordinate of a group of boxes: how far q is outside. */
static inline void take_box(smr_near_kind kind, struct group *sum, struct group *low,
                            struct group *high, double q)
{
    const f64x8 zero = {0};
    for (int h = 0; h < 2; h++) {
        low->v[h] = low->v[h] - q;
        high->v[h] = q - high->v[h];
        keep_larger(&low->v[h], &high->v[h]);
        keep_larger(&low->v[h], &zero);
    }
    accumulate(kind, sum, low);
}

static inline unsigned done(smr_near_kind kind, const struct group *sum, double limit, double *dist)
{
    return finish(sum, kind == SMR_NEAR_DOT ? (double)INFINITY : limit, dist);
}

static inline unsigned points_f64_of(smr_near_kind kind, int64_t d, const double *points,
                                     const double *q, double limit, double *dist)
{
    struct group sum = {{{0}, {0}}}, x;
    for (int64_t j = 0; j < d; j++) {
        load_f64(points + j * SMR_NEAR_GROUP, &x);
        take(kind, &sum, &x, q[j]);
    }
    return done(kind, &sum, limit, dist);
}

static inline unsigned points_f32_of(smr_near_kind kind, int64_t d, const float *points,
                                     int64_t next, const double *q, double limit, double *dist)
{
    struct group sum = {{{0}, {0}}}, x;
    for (int64_t j = 0; j < d; j++) {
        load_f32(points + j * next, &x);
        take(kind, &sum, &x, q[j]);
    }
    return done(kind, &sum, limit, dist);
}

static inline unsigned points_u8_of(smr_near_kind kind, int64_t d, const uint8_t *points,
                                    const double *q, double limit, double *dist)
{
    struct group sum = {{{0}, {0}}}, x;
    for (int64_t j = 0; j < d; j++) {
        load_u8(points + j * SMR_NEAR_GROUP, &x);
        take(kind, &sum, &x, q[j]);
    }
    return done(kind, &sum, limit, dist);
}

static inline unsigned boxes_f64_of(smr_near_kind kind, int64_t d, const double *boxes,
                                    const double *q, double limit, double *dist)
{
    struct group sum = {{{0}, {0}}}, low, high;
    for (int64_t j = 0; j < d; j++) {
        load_f64(boxes + j * 2 * SMR_NEAR_GROUP, &low);
        load_f64(boxes + (j * 2 + 1) * SMR_NEAR_GROUP, &high);
        take_box(kind, &sum, &low, &high, q[j]);
    }
    return finish(&sum, limit, dist);
}

static inline unsigned boxes_f32_of(smr_near_kind kind, int64_t d, const float *boxes,
                                    const double *q, double limit, double *dist)
{
    struct group sum = {{{0}, {0}}}, low, high;
    for (int64_t j = 0; j < d; j++) {
        load_f32(boxes + j * 2 * SMR_NEAR_GROUP, &low);
        load_f32(boxes + (j * 2 + 1) * SMR_NEAR_GROUP, &high);
        take_box(kind, &sum, &low, &high, q[j]);
    }
    return finish(&sum, limit, dist);
}

static inline unsigned boxes_u8_of(smr_near_kind kind, int64_t d, const uint8_t *boxes,
                                   const double *q, double limit, double *dist)
{
    struct group sum = {{{0}, {0}}}, low, high;
    for (int64_t j = 0; j < d; j++) {
        load_u8(boxes + j * 2 * SMR_NEAR_GROUP, &low);
        load_u8(boxes + (j * 2 + 1) * SMR_NEAR_GROUP, &high);
        take_box(kind, &sum, &low, &high, q[j]);
    }
    return finish(&sum, limit, dist);
}

/* One body for each kind, so that the choice is made outside the loop. */
#define BY_KIND(function, ...)                                       \
    switch (kind) {                                                  \
    case SMR_NEAR_L2: return function(SMR_NEAR_L2, __VA_ARGS__);     \
    case SMR_NEAR_L1: return function(SMR_NEAR_L1, __VA_ARGS__);     \
    case SMR_NEAR_LINF: return function(SMR_NEAR_LINF, __VA_ARGS__); \
    case SMR_NEAR_DOT: break;                                        \
    }

static unsigned points_f64(smr_near_kind kind, int64_t d, const double *points, const double *q,
                           double limit, double *dist)
{
    BY_KIND(points_f64_of, d, points, q, limit, dist)
    return points_f64_of(SMR_NEAR_DOT, d, points, q, limit, dist);
}

static unsigned points_f32(smr_near_kind kind, int64_t d, const float *points, int64_t next,
                           const double *q, double limit, double *dist)
{
    BY_KIND(points_f32_of, d, points, next, q, limit, dist)
    return points_f32_of(SMR_NEAR_DOT, d, points, next, q, limit, dist);
}

static unsigned points_u8(smr_near_kind kind, int64_t d, const uint8_t *points, const double *q,
                          double limit, double *dist)
{
    BY_KIND(points_u8_of, d, points, q, limit, dist)
    return points_u8_of(SMR_NEAR_DOT, d, points, q, limit, dist);
}

static unsigned boxes_f64(smr_near_kind kind, int64_t d, const double *ends, const double *q,
                          double limit, double *dist)
{
    BY_KIND(boxes_f64_of, d, ends, q, limit, dist)
    return 0;
}

static unsigned boxes_f32(smr_near_kind kind, int64_t d, const float *ends, const double *q,
                          double limit, double *dist)
{
    BY_KIND(boxes_f32_of, d, ends, q, limit, dist)
    return 0;
}

static unsigned boxes_u8(smr_near_kind kind, int64_t d, const uint8_t *ends, const double *q,
                         double limit, double *dist)
{
    BY_KIND(boxes_u8_of, d, ends, q, limit, dist)
    return 0;
}

static void center(int64_t d, const double *x, const double *length, const double *center,
                   double unit, float *out)
{
    for (int64_t j = 0; j < d; j++) {
        double c = center[j];
        const double *from = x + j * SMR_NEAR_GROUP;
        float *to = out + j * 2 * SMR_NEAR_GROUP;
        if (length)
            for (int i = 0; i < SMR_NEAR_GROUP; i++)
                to[i] = (float)((from[i] / length[i] - c) * unit);
        else
            for (int i = 0; i < SMR_NEAR_GROUP; i++) to[i] = (float)((from[i] - c) * unit);
    }
}

/* ---- scans: most chunks hold no hit, so each is first asked as a whole ---- */

enum { CHUNK = 64 };

static int64_t scan_f32(int64_t n, const float *c, const float *base, float limit, int32_t *hits)
{
    int64_t n_hits = 0, j = 0;
    for (; j + CHUNK <= n; j += CHUNK) {
        int any = 0;
        for (int i = 0; i < CHUNK; i++) any |= base[j + i] - 2 * c[j + i] <= limit;
        if (!any) continue;
        for (int i = 0; i < CHUNK; i++) {
            hits[n_hits] = (int32_t)(j + i);
            n_hits += base[j + i] - 2 * c[j + i] <= limit;
        }
    }
    for (; j < n; j++) {
        if (base[j] - 2 * c[j] <= limit) hits[n_hits++] = (int32_t)j;
    }
    return n_hits;
}

static int64_t scan_i32(int64_t n, const int32_t *c, const int32_t *base, int32_t limit,
                        int32_t *hits)
{
    int64_t n_hits = 0, j = 0;
    for (; j + CHUNK <= n; j += CHUNK) {
        int any = 0;
        for (int i = 0; i < CHUNK; i++) any |= base[j + i] - 2 * c[j + i] <= limit;
        if (!any) continue;
        for (int i = 0; i < CHUNK; i++) {
            hits[n_hits] = (int32_t)(j + i);
            n_hits += base[j + i] - 2 * c[j + i] <= limit;
        }
    }
    for (; j < n; j++) {
        if (base[j] - 2 * c[j] <= limit) hits[n_hits++] = (int32_t)j;
    }
    return n_hits;
}

static int64_t scan_scaled_f32(int64_t n, const float *c, const float *scale, float limit,
                               int32_t *hits)
{
    int64_t n_hits = 0, j = 0;
    for (; j + CHUNK <= n; j += CHUNK) {
        int any = 0;
        for (int i = 0; i < CHUNK; i++) any |= c[j + i] * scale[j + i] >= limit;
        if (!any) continue;
        for (int i = 0; i < CHUNK; i++) {
            hits[n_hits] = (int32_t)(j + i);
            n_hits += c[j + i] * scale[j + i] >= limit;
        }
    }
    for (; j < n; j++) {
        if (c[j] * scale[j] >= limit) hits[n_hits++] = (int32_t)j;
    }
    return n_hits;
}

static int64_t scan_scaled_i32(int64_t n, const int32_t *c, const float *scale, float limit,
                               int32_t *hits)
{
    int64_t n_hits = 0, j = 0;
    for (; j + CHUNK <= n; j += CHUNK) {
        int any = 0;
        for (int i = 0; i < CHUNK; i++) any |= (float)c[j + i] * scale[j + i] >= limit;
        if (!any) continue;
        for (int i = 0; i < CHUNK; i++) {
            hits[n_hits] = (int32_t)(j + i);
            n_hits += (float)c[j + i] * scale[j + i] >= limit;
        }
    }
    for (; j < n; j++) {
        if ((float)c[j] * scale[j] >= limit) hits[n_hits++] = (int32_t)j;
    }
    return n_hits;
}

extern const smr_near_kernels TIERED(smr_near_);
const smr_near_kernels TIERED(smr_near_) = {
    .points_f64 = points_f64,
    .points_f32 = points_f32,
    .points_u8 = points_u8,
    .boxes_f64 = boxes_f64,
    .boxes_f32 = boxes_f32,
    .boxes_u8 = boxes_u8,
    .center = center,
    .scan_f32 = scan_f32,
    .scan_i32 = scan_i32,
    .scan_scaled_f32 = scan_scaled_f32,
    .scan_scaled_i32 = scan_scaled_i32,
};
