/* window_loops.c -- see kernel/window_kernels.h.
 *
 * e^x = 2^k (1 + r + r^2 Q(r)),  x = k ln 2 + r,  |r| <= ln 2 / 2, without the pairs of
 * elementary.h: Q has 10 coefficients (coefficients.py), whose error is 2^-56 of the value. */
#include "kernel/tier/elementary.h"
#include "kernel/tier/tier.h"

enum { L = LANES_f64, VECTORS = SMR_WINDOW_GROUP / LANES_f64, GROUP = SMR_WINDOW_GROUP };

INLINE vec_f64 larger(vec_f64 a, vec_f64 b)
{
#if defined(SIMD_AVX512)
    return (vec_f64)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif defined(SIMD_AVX2)
    return (vec_f64)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
    return select_f64(a > b, a, b);
#endif
}

INLINE vec_f64 smaller(vec_f64 a, vec_f64 b)
{
#if defined(SIMD_AVX512)
    return (vec_f64)_mm512_min_pd((__m512d)a, (__m512d)b);
#elif defined(SIMD_AVX2)
    return (vec_f64)_mm256_min_pd((__m256d)a, (__m256d)b);
#else
    return select_f64(a < b, a, b);
#endif
}

/* e^x for x <= 0; what is above 0 counts as 0, what is below -708 as -708. */
INLINE vec_f64 exp_of(vec_f64 x)
{
    static const double c[] = {
        0x1.0000000000001p-1,  0x1.5555555555556p-3,  0x1.5555555553d63p-5,  0x1.11111111109b3p-7,
        0x1.6c16c1788bd90p-10, 0x1.a01a01a7c41d5p-13, 0x1.a019b90d2ae7ap-16, 0x1.71de0dae63bb3p-19,
        0x1.289185613a3d6p-22, 0x1.af38a9b0ec855p-26,
    };
    x = larger(smaller(x, zero_f64()), splat_f64(-708));
    vec_f64 t = fma_f64(x, splat_f64(PER_LN2), splat_f64(ROUNDER)), k = t - splat_f64(ROUNDER);
    vec_f64 r = fma_f64(-k, splat_f64(LN2_LOW), fma_f64(-k, splat_f64(LN2_HIGH), x));
    vec_f64 r2 = r * r, r4 = r2 * r2, q[5];
    UNROLL
    for (int i = 0; i < 5; i++) q[i] = fma_f64(splat_f64(c[2 * i + 1]), r, splat_f64(c[2 * i]));
    vec_f64 low = fma_f64(q[1], r2, q[0]), high = fma_f64(q[3], r2, q[2]);
    vec_f64 y = fma_f64(fma_f64(fma_f64(q[4], r4, high), r4, low), r2, r) + splat_f64(1);
    return (vec_f64)((bits_f64)y + ((bits_f64)t << 52));
}

/* lane l + half to lane l, for half = 8, 4, 2, 1. */
static double fold(const vec_f64 *sum)
{
    double lane[GROUP];
    for (int v = 0; v < VECTORS; v++) store_f64(lane + v * L, sum[v]);
    for (int half = GROUP / 2; half; half /= 2)
        for (int l = 0; l < half; l++) lane[l] += lane[l + half];
    return lane[0];
}

/* ---- points ----------------------------------------------------------------------------- */

/* start - q, or for the largest of the squares q itself. */
INLINE vec_f64 less_squares(const bool by_largest, int64_t d, const double *points,
                            const smr_window_at *at, double start)
{
    vec_f64 left = by_largest ? zero_f64() : splat_f64(start);
    for (int64_t j = 0; j < d; j++) {
        vec_f64 u = (splat_f64(at->x[j]) - load_f64(points + j * GROUP)) * splat_f64(at->scale[j]);
        left = by_largest ? larger(left, u * u) : fma_f64(-u, u, left);
    }
    return left;
}

INLINE vec_f64 window_of(const smr_window kind, int64_t d, const double *points,
                         const smr_window_at *at)
{
    vec_f64 one = splat_f64(1);
    switch (kind) {
    case SMR_WINDOW_GAUSSIAN: return exp_of(less_squares(false, d, points, at, at->shift));
    case SMR_WINDOW_EPANECHNIKOV: return larger(less_squares(false, d, points, at, 1), zero_f64());
    case SMR_WINDOW_BALL:
        return select_f64(-less_squares(false, d, points, at, 0) <= one, one, zero_f64());
    case SMR_WINDOW_BOX: break;
    }
    return select_f64(less_squares(true, d, points, at, 0) <= one, one, zero_f64());
}

INLINE double sum_of_windows(const smr_window kind, int64_t d, unsigned marked,
                             const double *points, const double *weight, const smr_window_at *at)
{
    vec_f64 sum[VECTORS];
    UNROLL
    for (int v = 0; v < VECTORS; v++) sum[v] = zero_f64();
    for (; marked; marked &= marked - 1) {
        int64_t g = __builtin_ctz(marked);
        UNROLL
        for (int v = 0; v < VECTORS; v++) {
            vec_f64 w = load_f64(weight + g * GROUP + v * L);
            sum[v] = fma_f64(w, window_of(kind, d, points + g * d * GROUP + v * L, at), sum[v]);
        }
    }
    return fold(sum);
}

/* Of few features the loop over them is written out. */
INLINE double sum_of_gaussians(int64_t d, unsigned marked, const double *points,
                               const double *weight, const smr_window_at *at)
{
    switch (d) {
    case 1: return sum_of_windows(SMR_WINDOW_GAUSSIAN, 1, marked, points, weight, at);
    case 2: return sum_of_windows(SMR_WINDOW_GAUSSIAN, 2, marked, points, weight, at);
    case 3: return sum_of_windows(SMR_WINDOW_GAUSSIAN, 3, marked, points, weight, at);
    case 4: return sum_of_windows(SMR_WINDOW_GAUSSIAN, 4, marked, points, weight, at);
    default: return sum_of_windows(SMR_WINDOW_GAUSSIAN, d, marked, points, weight, at);
    }
}

double TIER(window_sum_f64)(smr_window kind, int64_t d, unsigned marked, const double *points,
                            const double *weight, const smr_window_at *at)
{
    if (kind == SMR_WINDOW_GAUSSIAN) return sum_of_gaussians(d, marked, points, weight, at);
    if (kind == SMR_WINDOW_EPANECHNIKOV)
        return sum_of_windows(SMR_WINDOW_EPANECHNIKOV, d, marked, points, weight, at);
    if (kind == SMR_WINDOW_BALL)
        return sum_of_windows(SMR_WINDOW_BALL, d, marked, points, weight, at);
    return sum_of_windows(SMR_WINDOW_BOX, d, marked, points, weight, at);
}

void TIER(window_squares_f64)(bool by_largest, int64_t d, const double *points,
                              const smr_window_at *at, double *q)
{
    for (int v = 0; v < VECTORS; v++) {
        vec_f64 left = by_largest ? less_squares(true, d, points + v * L, at, 0)
                                  : -less_squares(false, d, points + v * L, at, 0);
        store_f64(q + v * L, left);
    }
}

/* ---- boxes ------------------------------------------------------------------------------ */

INLINE void reach_of(const bool by_largest, int64_t d, const double *boxes, const smr_window_at *at,
                     double *least, double *largest)
{
    vec_f64 near[VECTORS], far[VECTORS];
    UNROLL
    for (int v = 0; v < VECTORS; v++) near[v] = far[v] = zero_f64();
    for (int64_t j = 0; j < d; j++, boxes += 2 * GROUP) {
        vec_f64 x = splat_f64(at->x[j]), scale = splat_f64(at->scale[j]);
        UNROLL
        for (int v = 0; v < VECTORS; v++) {
            vec_f64 below = load_f64(boxes + v * L) - x,
                    above = x - load_f64(boxes + GROUP + v * L);
            vec_f64 out = larger(larger(below, above), zero_f64()) * scale;
            vec_f64 across = larger(-below, -above) * scale;
            near[v] = by_largest ? larger(near[v], out * out) : fma_f64(out, out, near[v]);
            far[v] = by_largest ? larger(far[v], across * across) : fma_f64(across, across, far[v]);
        }
    }
    UNROLL
    for (int v = 0; v < VECTORS; v++) {
        store_f64(least + v * L, near[v]);
        store_f64(largest + v * L, far[v]);
    }
}

void TIER(window_reach_f64)(bool by_largest, int64_t d, const double *boxes,
                            const smr_window_at *at, double *least, double *largest)
{
    if (by_largest)
        reach_of(true, d, boxes, at, least, largest);
    else
        reach_of(false, d, boxes, at, least, largest);
}

/* ---- series ----------------------------------------------------------------------------- */

enum { D = SMR_WINDOW_SERIES_D, MOST = SMR_WINDOW_SERIES_MOST };

struct hermite {
    vec_f64 of[D][MOST];
};

/* H_0 = 1, H_1 = 2u, H_n+1 = 2 (u H_n - n H_n-1); returns u. */
INLINE vec_f64 hermite_of(int64_t order, const double *boxes, double x, double scale, vec_f64 *H)
{
    vec_f64 centre = (load_f64(boxes) + load_f64(boxes + GROUP)) * splat_f64(0.5);
    vec_f64 u = (splat_f64(x) - centre) * splat_f64(scale);
    H[0] = splat_f64(1);
    H[1] = u + u;
    for (int64_t n = 1; n + 1 < order; n++) {
        vec_f64 next = fma_f64(u, H[n], -splat_f64((double)n) * H[n - 1]);
        H[n + 1] = next + next;
    }
    return u;
}

/* sum over the last feature: sum_{a < order} M_a H_a. */
INLINE vec_f64 along(int64_t order, const double *M, const vec_f64 *H)
{
    vec_f64 sum = zero_f64();
    for (int64_t a = 0; a < order; a++) sum = fma_f64(load_f64(M + a * GROUP), H[a], sum);
    return sum;
}

/* The same over two features; *M ends after them. */
INLINE vec_f64 across(int64_t order, int64_t most, const double **M, const vec_f64 *H0,
                      const vec_f64 *H1)
{
    vec_f64 sum = zero_f64();
    for (int64_t a = 0; a < most; a++) {
        if (a < order) sum = fma_f64(H0[a], along(order - a, *M, H1), sum);
        *M += (most - a) * GROUP;
    }
    return sum;
}

void TIER(window_series_f64)(const smr_window_series *s, int64_t order, const smr_window_at *at,
                             double *out)
{
    struct hermite H;
    for (int v = 0; v < VECTORS; v++) {
        const double *M = s->moments + v * L;
        vec_f64 square = zero_f64(), sum = zero_f64();
        for (int64_t j = 0; j < s->d; j++) {
            vec_f64 u = hermite_of(order, s->boxes + j * 2 * GROUP + v * L, at->x[j], at->scale[j],
                                   H.of[j]);
            square = fma_f64(u, u, square);
        }
        if (s->d == 1) sum = along(order, M, H.of[0]);
        if (s->d == 2) sum = across(order, s->most, &M, H.of[0], H.of[1]);
        for (int64_t a = 0; s->d == 3 && a < order; a++)
            sum = fma_f64(H.of[0][a], across(order - a, s->most - a, &M, H.of[1], H.of[2]), sum);
        store_f64(out + v * L, sum * exp_of(-square));
    }
}
