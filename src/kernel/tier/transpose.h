/* transpose.h -- squares of as many rows and columns as a vector has lanes. */
#ifndef SMR_KERNEL_TIER_TRANSPOSE_H
#define SMR_KERNEL_TIER_TRANSPOSE_H

#include "kernel/tier/simd.h"

/* Exchanges lanes l with bit `step` of a with lanes without it of b: one level of a
 * transposition. */
#define EXCHANGE(a, b, low, high)                        \
    do {                                                 \
        vec_f64 t_ = __builtin_shufflevector(a, b, low); \
        b = __builtin_shufflevector(a, b, high);         \
        a = t_;                                          \
    } while (0)
#define LANES(...) __VA_ARGS__

#if defined(SIMD_AVX512)
INLINE void transpose(vec_f64 v[LANES_f64])
{
    UNROLL
    for (int r = 0; r < 8; r += 2)
        EXCHANGE(v[r], v[r + 1], LANES(0, 8, 2, 10, 4, 12, 6, 14),
                 LANES(1, 9, 3, 11, 5, 13, 7, 15));
    UNROLL
    for (int r = 0; r < 8; r++)
        if (!(r & 2))
            EXCHANGE(v[r], v[r + 2], LANES(0, 1, 8, 9, 4, 5, 12, 13),
                     LANES(2, 3, 10, 11, 6, 7, 14, 15));
    UNROLL
    for (int r = 0; r < 4; r++)
        EXCHANGE(v[r], v[r + 4], LANES(0, 1, 2, 3, 8, 9, 10, 11),
                 LANES(4, 5, 6, 7, 12, 13, 14, 15));
}
#elif defined(SIMD_AVX2)
INLINE void transpose(vec_f64 v[LANES_f64])
{
    EXCHANGE(v[0], v[1], LANES(0, 4, 2, 6), LANES(1, 5, 3, 7));
    EXCHANGE(v[2], v[3], LANES(0, 4, 2, 6), LANES(1, 5, 3, 7));
    EXCHANGE(v[0], v[2], LANES(0, 1, 4, 5), LANES(2, 3, 6, 7));
    EXCHANGE(v[1], v[3], LANES(0, 1, 4, 5), LANES(2, 3, 6, 7));
}
#else
INLINE void transpose(vec_f64 v[LANES_f64])
{
    EXCHANGE(v[0], v[1], LANES(0, 2), LANES(1, 3));
}
#endif

#undef EXCHANGE
#undef LANES

#endif
