/* entry_counts.c -- entries of sparse rows that are whole numbers, against weights of a byte.
 *
 * Products of a count and a byte are summed in 16 bits, as many entries at a time as cannot pass
 * them, and those sums in 32; counts that are too large for that are multiplied in 32 bits.  As all
 * sums are whole, their order does not show. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

enum { PIECE = 64, MOST = 257, WIDE = 4 }; /* 257 * 255 < 2^16 */

/* ---- numbers that are whole ------------------------------------------------------------- */

#if defined(SIMD_AVX512)

int64_t TIER(whole_f64)(int64_t n, const double *x, int32_t *out)
{
    const __m256i one = _mm256_set1_epi32(1);
    __m512i sum = _mm512_setzero_si512();
    unsigned odd = 0;
    for (int64_t i = 0; i < n; i += 8) {
        unsigned lanes = n - i >= 8 ? 0xff : (1u << (n - i)) - 1u;
        __mmask8 part = (__mmask8)lanes;
        __m512d v = _mm512_maskz_loadu_pd(part, x + i);
        __m256i w = _mm512_cvttpd_epi32(v); /* INT32_MIN where it cannot be */
        odd |= (unsigned)_mm512_mask_cmp_pd_mask(part, _mm512_cvtepi32_pd(w), v, _CMP_NEQ_UQ);
        odd |= (unsigned)_mm256_mask_cmplt_epi32_mask(part, w, one);
        _mm256_mask_storeu_epi32(out + i, part, w);
        sum = _mm512_add_epi64(sum, _mm512_cvtepi32_epi64(w));
    }
    return odd ? -1 : _mm512_reduce_add_epi64(sum);
}

#else

int64_t TIER(whole_f64)(int64_t n, const double *x, int32_t *out)
{
    int64_t sum = 0;
    bool odd = false;
    for (int64_t i = 0; i < n; i++) {
        bool fits = x[i] >= 1 && x[i] <= INT32_MAX;
        int32_t w = fits ? (int32_t)x[i] : 0;
        odd |= w != x[i] || !fits;
        out[i] = w;
        sum += w;
    }
    return odd ? -1 : sum;
}

#endif

/* ---- weights of a byte ------------------------------------------------------------------ */

/* V weights at a time, in `vectors` places that follow each other. */
#define PICK(V)                                                                                    \
    typedef uint8_t bytes_##V __attribute__((vector_size(V)));                                     \
    typedef uint16_t halves_##V __attribute__((vector_size(2 * (V))));                             \
    typedef uint32_t words_##V __attribute__((vector_size(4 * (V))));                              \
                                                                                                   \
    INLINE bytes_##V take_##V(const uint8_t *p)                                                    \
    {                                                                                              \
        bytes_##V v;                                                                               \
        memcpy(&v, p, sizeof v);                                                                   \
        return v;                                                                                  \
    }                                                                                              \
                                                                                                   \
    INLINE void piece_##V(const int vectors, int64_t n, const int32_t *column,                     \
                          const int32_t *times, const uint8_t *Q, int64_t ldq, uint32_t *out)      \
    {                                                                                              \
        halves_##V sum[WIDE];                                                                      \
        UNROLL                                                                                     \
        for (int v = 0; v < vectors; v++) sum[v] = (halves_##V){0};                                \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const uint8_t *q = Q + column[i] * ldq;                                                \
            const halves_##V by = (halves_##V){0} + (uint16_t)times[i];                            \
            UNROLL                                                                                 \
            for (int v = 0; v < vectors; v++)                                                      \
                sum[v] += __builtin_convertvector(take_##V(q + v * (V)), halves_##V) * by;         \
        }                                                                                          \
        UNROLL                                                                                     \
        for (int v = 0; v < vectors; v++) {                                                        \
            words_##V all, more = __builtin_convertvector(sum[v], words_##V);                      \
            memcpy(&all, out + v * (V), sizeof all);                                               \
            all += more;                                                                           \
            memcpy(out + v * (V), &all, sizeof all);                                               \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void pick_##V(int64_t n, const int32_t *column, const int32_t *times, const uint8_t *Q, \
                         int64_t ldq, uint32_t *out)                                               \
    {                                                                                              \
        for (int64_t c = 0; c < ldq; c += WIDE * (V)) {                                            \
            switch ((ldq - c) / (V)) {                                                             \
            case 1: piece_##V(1, n, column, times, Q + c, ldq, out + c); break;                    \
            case 2: piece_##V(2, n, column, times, Q + c, ldq, out + c); break;                    \
            case 3: piece_##V(3, n, column, times, Q + c, ldq, out + c); break;                    \
            default: piece_##V(WIDE, n, column, times, Q + c, ldq, out + c); break;                \
            }                                                                                      \
        }                                                                                          \
    }

PICK(8)
#if SIMD_BYTES >= 32
PICK(16)
#endif
#if SIMD_BYTES >= 64
PICK(32)
#endif

static void pick(int64_t n, const int32_t *column, const int32_t *times, const uint8_t *Q,
                 int64_t ldq, uint32_t *out)
{
#if SIMD_BYTES >= 64
    if (ldq % 32 == 0) {
        pick_32(n, column, times, Q, ldq, out);
        return;
    }
#endif
#if SIMD_BYTES >= 32
    if (ldq % 16 == 0) {
        pick_16(n, column, times, Q, ldq, out);
        return;
    }
#endif
    pick_8(n, column, times, Q, ldq, out);
}

/* Counts that are too large for 16 bits. */
static void pick_large(int64_t n, const int32_t *column, const int32_t *times, const uint8_t *Q,
                       int64_t ldq, uint32_t *out)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < ldq; c++) out[c] += (uint32_t)times[i] * Q[column[i] * ldq + c];
}

void TIER(entries_pick_u8)(int64_t n, const int32_t *column, const int32_t *times, const uint8_t *Q,
                           int64_t ldq, uint32_t *out)
{
    memset(out, 0, (size_t)ldq * sizeof *out);
    for (int64_t lo = 0; lo < n; lo += PIECE) {
        int64_t m = n - lo < PIECE ? n - lo : PIECE, sum = 0;
        for (int64_t i = 0; i < m; i++) sum += times[lo + i];
        if (sum <= MOST)
            pick(m, column + lo, times + lo, Q, ldq, out);
        else
            pick_large(m, column + lo, times + lo, Q, ldq, out);
    }
}
