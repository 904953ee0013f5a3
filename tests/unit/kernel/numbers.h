/* numbers.h -- inputs for the kernel tests, the tiers to run them on, and comparison of bits. */
#ifndef SMR_TESTS_KERNEL_NUMBERS_H
#define SMR_TESTS_KERNEL_NUMBERS_H

#include "check.h"

#include "kernel/kernel.h"

static const char *const all_tiers[] = {"baseline", "x86-64-v3", "x86-64-v4", "x86-64-v4-vnni",
                                        "arm64"};

/* Runs the statement once on every tier that this processor has; there is at least one. */
#define on_every_tier(...)                                                     \
    do {                                                                       \
        const char *before_ = smr_kernel_tier();                               \
        int ran_ = 0;                                                          \
        for (size_t t_ = 0; t_ < sizeof all_tiers / sizeof *all_tiers; t_++) { \
            if (!smr_kernel_use(all_tiers[t_])) continue;                      \
            ran_++;                                                            \
            __VA_ARGS__;                                                       \
        }                                                                      \
        assert_true(ran_ > 0);                                                 \
        assert_true(smr_kernel_use(before_));                                  \
    } while (0)

/* The same bits; NaN is equal to NaN whatever its sign and payload. */
static inline bool same_f64(double a, double b)
{
    return (a != a && b != b) || !memcmp(&a, &b, sizeof a);
}

static inline bool same_f32(float a, float b)
{
    return (a != a && b != b) || !memcmp(&a, &b, sizeof a);
}

#define check_same_f64(what, n, got, want)                                          \
    do {                                                                            \
        double got_ = (got), want_ = (want);                                        \
        if (!same_f64(got_, want_))                                                 \
            fail_msg("%s at %lld on %s: got %a, wanted %a", (what), (long long)(n), \
                     smr_kernel_tier(), got_, want_);                               \
    } while (0)

#define check_same_f32(what, n, got, want)                                          \
    do {                                                                            \
        float got_ = (got), want_ = (want);                                         \
        if (!same_f32(got_, want_))                                                 \
            fail_msg("%s at %lld on %s: got %a, wanted %a", (what), (long long)(n), \
                     smr_kernel_tier(), (double)got_, (double)want_);               \
    } while (0)

/* A counter hashed to 64 bits (splitmix64's finaliser). */
static inline uint64_t hash64(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* In [0, 1), all 53 bits at random. */
static inline double uniform(uint64_t i)
{
    return (double)(hash64(i) >> 11) * 0x1p-53;
}

/* Numbers of either sign whose sizes span about 10 powers of two. */
static inline double number(uint64_t i)
{
    return (uniform(2 * i) - 0.5) * (double)(1 << (hash64(2 * i + 1) % 11));
}

/* n numbers, with room after them filled with NaN so that reading past the end shows. */
static inline double *numbers_f64(int64_t n, uint64_t seed)
{
    double *x = malloc(((size_t)n + 8) * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++) x[i] = number(seed * 1000003 + (uint64_t)i);
    for (int64_t i = n; i < n + 8; i++) x[i] = (double)NAN;
    return x;
}

static inline float *numbers_f32(int64_t n, uint64_t seed)
{
    float *x = malloc(((size_t)n + 16) * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++) x[i] = (float)number(seed * 1000003 + (uint64_t)i);
    for (int64_t i = n; i < n + 16; i++) x[i] = NAN;
    return x;
}

static inline uint8_t *numbers_u8(int64_t n, uint64_t seed)
{
    uint8_t *x = malloc((size_t)n + 16);
    assert_non_null(x);
    for (int64_t i = 0; i < n + 16; i++) x[i] = (uint8_t)hash64(seed * 1000003 + (uint64_t)i);
    return x;
}

#endif
