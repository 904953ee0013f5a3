/* net_loops.c -- the inner loops of networks: see net_kernels.h. */

/* Lets gcc compute both sides of a choice, as vectors must; values are not affected. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-trapping-math")
#endif

#include "kernel/tier/elementary.h"
#include "kernel/tier/tier.h"

/* ---- functions of floats ---------------------------------------------------------------- */

INLINE float fmaf1(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}

INLINE uint32_t bits_of(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

INLINE float float_of(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* e^r - 1 = r + r^2 Q(r) for |r| <= ln 2 / 2; x = k ln 2 + r; *k as two's complement. */
INLINE float split_float(float x, uint32_t *k)
{
    const float rounder = 0x1.8p23f;
    float t = fmaf1(x, 0x1.715476p+0f, rounder), n = t - rounder;
    float r = fmaf1(-n, 0x1.62e430p-1f, x);
    r = fmaf1(-n, -0x1.05c610p-29f, r);
    *k = bits_of(t) - bits_of(rounder);
    float q = fmaf1(0x1.a01a02p-13f, r, 0x1.6c16c2p-10f);
    q = fmaf1(q, r, 0x1.111112p-7f);
    q = fmaf1(q, r, 0x1.555556p-5f);
    q = fmaf1(q, r, 0x1.555556p-3f);
    q = fmaf1(q, r, 0.5f);
    return fmaf1(r * r, q, r);
}

/* y 2^k, -252 <= k <= 252, in two steps so that neither factor overflows. */
INLINE float scale_float(float y, uint32_t k)
{
    uint32_t half = ((k + 512) >> 1) - 256;
    return y * float_of((half + 127) << 23) * float_of((k - half + 127) << 23);
}

INLINE float exp_float(float x)
{
    uint32_t k;
    x = x > 89.0f ? 89.0f : x;
    x = x < -104.0f ? -104.0f : x;
    float p = split_float(x, &k);
    return scale_float(1 + p, k);
}

/* Near 0 the 1 must not swallow p: 2^k p + (2^k - 1). */
INLINE float expm1_float(float x)
{
    uint32_t k;
    x = x > 89.0f ? 89.0f : x;
    x = x < -30.0f ? -30.0f : x;
    float p = split_float(x, &k);
    float whole = scale_float(1, k);
    return fmaf1(whole, p, whole - 1);
}

INLINE float sigmoid_float(float x)
{
    float e = exp_float(x > 0 ? -x : x);
    return (x > 0 ? 1 : e) / (1 + e);
}

/* tanh |x| = -m / (2 + m), m = e^{-2|x|} - 1. */
INLINE float tanh_float(float x)
{
    float a = float_of(bits_of(x) & 0x7fffffffu);
    float m = expm1_float(-2 * (a > 15.0f ? 15.0f : a));
    float t = -m / (2 + m);
    return x < 0 ? -t : x != x ? x : t;
}

INLINE double sigmoid_double(double x)
{
    double e = exp1(x > 0 ? -x : x);
    return (x > 0 ? 1 : e) / (1 + e);
}

INLINE double sqrt_double(double x)
{
    return __builtin_sqrt(x);
}

INLINE float sqrt_float(float x)
{
    return __builtin_sqrtf(x);
}

/* No element of such a loop is read after another was written, wherever the arrays lie. */
#if defined(__clang__)
#define ONE_BY_ONE _Pragma("clang loop vectorize(assume_safety)")
#else
#define ONE_BY_ONE _Pragma("GCC ivdep")
#endif

#define R float
#define F(name) TIER(name##_f32)
#define L(name) name##_f32_
#define FMA fmaf1
#define EXP exp_float
#define EXPM1 expm1_float
#define SIGMOID sigmoid_float
#define TANH tanh_float
#define SQRT sqrt_float
#include "kernel/tier/net_loops.inl"
#undef R
#undef F
#undef L
#undef FMA
#undef EXP
#undef EXPM1
#undef SIGMOID
#undef TANH
#undef SQRT

#define R double
#define F(name) TIER(name##_f64)
#define L(name) name##_f64_
#define FMA fma1
#define EXP exp1
#define EXPM1 expm1_1
#define SIGMOID sigmoid_double
#define TANH tanh1
#define SQRT sqrt_double
#include "kernel/tier/net_loops.inl"
