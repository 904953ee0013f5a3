/* alike.c -- how alike rows are: exponentials of distances, in float and double (kernel/alike.h).
 *
 * e^x in float is (1) of elementary.h with p = r + r^2 Q(r), Q of degree 5 (coefficients.py, called
 * with 6: 2^-32.5 of e^r), and no low parts: within 1.5 units of the last place. */

/* Lets gcc compute both sides of a choice, as vectors must; values are not affected. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-trapping-math")
#endif

#include "kernel/tier/elementary.h"
#include "kernel/tier/tier.h"

INLINE uint32_t to_bits_f32(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

INLINE float from_bits_f32(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

INLINE float exp1_f32(float x)
{
    const float rounder = 0x1.8p23f;
    x = x > 89 ? 89 : x;
    x = x < -104 ? -104 : x;
    float t = __builtin_fmaf(x, 0x1.715476p+0f, rounder), k = t - rounder;
    float r = __builtin_fmaf(-k, 0x1.62e4p-1f, x); /* exact */
    r = __builtin_fmaf(-k, 0x1.7f7d1cp-20f, r);
    float q = __builtin_fmaf(0x1.a124f2p-13f, r, 0x1.6d4324p-10f);
    q = __builtin_fmaf(q, r, 0x1.1110e0p-7f);
    q = __builtin_fmaf(q, r, 0x1.5554eap-5f);
    q = __builtin_fmaf(q, r, 0x1.555556p-3f);
    q = __builtin_fmaf(q, r, 0.5f);
    float y = 1 + __builtin_fmaf(r * r, q, r);
    uint32_t two = to_bits_f32(t) - to_bits_f32(rounder), half = ((two + 1024) >> 1) - 512;
    return y * from_bits_f32((half + 127) << 23) * from_bits_f32((two - half + 127) << 23);
}

/* Arrays go through a block on the stack, so that x and y may be the same array. */
enum { BLOCK = 64 };

void TIER(exp_f32)(int64_t n, const float *x, float *y)
{
    float block[BLOCK] = {0};
    for (int64_t i = 0; i < n; i += BLOCK) {
        size_t size = sizeof(float) * (size_t)(n - i < BLOCK ? n - i : BLOCK);
        memcpy(block, x + i, size);
        for (int l = 0; l < BLOCK; l++) block[l] = exp1_f32(block[l]);
        memcpy(y + i, block, size);
    }
}

#define real float
#define NAME(name) TIER(name##_f32)
#define EXP1 exp1_f32
#define FMA __builtin_fmaf
#include "kernel/tier/alike.inl"
#undef real
#undef NAME
#undef EXP1
#undef FMA

#define real double
#define NAME(name) TIER(name##_f64)
#define EXP1 exp1
#define FMA __builtin_fma
#include "kernel/tier/alike.inl"
