/* extremes.c -- the least and the greatest value of each column of a block of rows.
 *
 * A tile of columns is held in registers down all rows.  The sum of each column, one chain over the
 * rows, tells by the way whether all are finite: a NaN or an infinity stays in it. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

#if SIMD_BYTES == 16 && defined(__SSE2__)
#include <emmintrin.h>
#endif

/* As many vectors as there are registers for, three each. */
#if SIMD_BYTES == 64
enum { WIDE = 7, L = LANES_f64 };
#else
enum { WIDE = 4, L = LANES_f64 };
#endif

enum { AHEAD = 32 }; /* rows, through the end of the block and into the next */

/* x where it is the lesser (greater), else a: also where x is NaN. */
#if SIMD_BYTES == 64
#define LESSER(x, a) (vec_f64) _mm512_min_pd((__m512d)(x), (__m512d)(a))
#define GREATER(x, a) (vec_f64) _mm512_max_pd((__m512d)(x), (__m512d)(a))
#elif SIMD_BYTES == 32
#define LESSER(x, a) (vec_f64) _mm256_min_pd((__m256d)(x), (__m256d)(a))
#define GREATER(x, a) (vec_f64) _mm256_max_pd((__m256d)(x), (__m256d)(a))
#elif defined(__SSE2__)
#define LESSER(x, a) (vec_f64) _mm_min_pd((__m128d)(x), (__m128d)(a))
#define GREATER(x, a) (vec_f64) _mm_max_pd((__m128d)(x), (__m128d)(a))
#else
#define LESSER(x, a) select_f64((x) < (a), x, a)
#define GREATER(x, a) select_f64((x) > (a), x, a)
#endif

/* Columns of `vectors` vectors, `last` of them in the last; are they all finite? */
INLINE bool tile(const int vectors, const bool is_whole, int last, int64_t n, const double *x,
                 int64_t ld, double *least, double *greatest)
{
    vec_f64 a[WIDE], b[WIDE], sum[WIDE];
    UNROLL
    for (int v = 0; v < vectors; v++) {
        a[v] = load_some_f64(least + v * L, is_whole || v + 1 < vectors, last);
        b[v] = load_some_f64(greatest + v * L, is_whole || v + 1 < vectors, last);
        sum[v] = zero_f64();
    }
    for (int64_t i = 0; i < n; i++, x += ld) {
        UNROLL
        for (int v = 0; v < vectors; v++) {
            vec_f64 row = load_some_f64(x + v * L, is_whole || v + 1 < vectors, last);
            if (v * SIMD_BYTES % 64 == 0) __builtin_prefetch(x + v * L + AHEAD * ld, 0, 3);
            a[v] = LESSER(row, a[v]);
            b[v] = GREATER(row, b[v]);
            sum[v] += row;
        }
    }
    bits_f64 finite = ~(bits_f64){0};
    UNROLL
    for (int v = 0; v < vectors; v++) {
        store_some_f64(least + v * L, is_whole || v + 1 < vectors, last, a[v]);
        store_some_f64(greatest + v * L, is_whole || v + 1 < vectors, last, b[v]);
        finite &= sum[v] - sum[v] == zero_f64();
    }
    bool all = true;
    for (int l = 0; l < L; l++) all &= finite[l] != 0;
    return all;
}

#define TILE(vectors)                                                              \
    (last == L ? tile(vectors, true, last, n, X + j, ldx, least + j, greatest + j) \
               : tile(vectors, false, last, n, X + j, ldx, least + j, greatest + j))

bool TIER(extremes_f64)(int64_t n, int64_t d, const double *X, int64_t ldx, double *least,
                        double *greatest)
{
    bool finite = true;
    for (int64_t j = 0; j < d; j += WIDE * L) {
        int64_t left = d - j, vectors = left < WIDE * L ? (left + L - 1) / L : WIDE;
        int last = (int)(left < WIDE * L ? left - (vectors - 1) * L : L);
        switch (vectors) {
        case 1: finite &= TILE(1); break;
        case 2: finite &= TILE(2); break;
        case 3: finite &= TILE(3); break;
#if SIMD_BYTES == 64
        case 4: finite &= TILE(4); break;
        case 5: finite &= TILE(5); break;
        case 6: finite &= TILE(6); break;
#endif
        default: finite &= TILE(WIDE); break;
        }
    }
    return finite;
}
