/* product_u8.c -- the product of bytes by 16-bit multiply-adds, and by the dot-product instruction
 * (VNNI) that some processors of the highest tier have. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

/* ---- 16-bit multiply-adds: a column's four products of a step make two sums of 32 bits ---- */

#if defined(SIMD_AVX512)

typedef __m512i words;
#define MADD(a, b) _mm512_madd_epi16(a, b)
#define ADD(a, b) _mm512_add_epi32(a, b)
#define ZERO() _mm512_setzero_si512()
#define SPLAT(x) _mm512_set1_epi64(x)
#define WIDEN(p) _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)(p)))

#elif defined(SIMD_AVX2)

typedef __m256i words;
#define MADD(a, b) _mm256_madd_epi16(a, b)
#define ADD(a, b) _mm256_add_epi32(a, b)
#define ZERO() _mm256_setzero_si256()
#define SPLAT(x) _mm256_set1_epi64x(x)
#define WIDEN(p) _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)(p)))

#endif

#define cell int16_t
#define K(name) name##_u8
#define TARGET

#if defined(SIMD_AVX512) || defined(SIMD_AVX2)

#define MOST_ROWS 6

/* `vectors` vectors of columns, from `panel` on, for all rows. */
INLINE void strip_u8(const int rows, const int vectors, int64_t n_steps, const int16_t *a,
                     int64_t row, const int8_t *panel, uint32_t *to)
{
    words sum[6][8];
    UNROLL
    for (int i = 0; i < rows; i++) {
        UNROLL
        for (int v = 0; v < vectors; v++) sum[i][v] = ZERO();
    }
    for (int64_t s = 0; s < n_steps; s++) {
        words right[8];
        UNROLL
        for (int v = 0; v < vectors; v++) right[v] = WIDEN(panel + v * (SIMD_BYTES / 2));
        UNROLL
        for (int i = 0; i < rows; i++) {
            int64_t four;
            memcpy(&four, a + i * row, sizeof four);
            words left = SPLAT(four);
            UNROLL
            for (int v = 0; v < vectors; v++) sum[i][v] = ADD(sum[i][v], MADD(left, right[v]));
        }
        a += SMR_STEP_U8;
        panel += SMR_PANEL_U8 * SMR_STEP_U8;
    }
    UNROLL
    for (int i = 0; i < rows; i++) {
        UNROLL
        for (int v = 0; v < vectors; v++) {
            uint32_t pair[SIMD_BYTES / 4];
            memcpy(pair, &sum[i][v], sizeof pair);
            for (int j = 0; j < SIMD_BYTES / 8; j++)
                to[i * SMR_PANEL_U8 + v * (SIMD_BYTES / 8) + j] = pair[2 * j] + pair[2 * j + 1];
        }
    }
}

INLINE void tile_u8(const int rows, int64_t n_steps, const int16_t *a, int64_t row,
                    const int8_t *panel, uint32_t *sum)
{
    const int whole = 256 / SIMD_BYTES; /* 32 columns, 8 bytes of sums each */
    const int vectors = (rows + 1) * whole < (SIMD_BYTES == 64 ? 32 : 16) ? whole : whole / 4;
    for (int v = 0; v < whole; v += vectors)
        strip_u8(rows, vectors, n_steps, a, row, panel + v * (SIMD_BYTES / 2),
                 sum + v * (SIMD_BYTES / 8));
}

#else

#define MOST_ROWS 4

static void tile_u8(const int rows, int64_t n_steps, const int16_t *a, int64_t row,
                    const int8_t *panel, uint32_t *sum)
{
    for (int i = 0; i < rows; i++) {
        int32_t total[SMR_PANEL_U8] = {0};
        for (int64_t s = 0; s < n_steps; s++) {
            const int16_t *left = a + i * row + s * SMR_STEP_U8;
            const int8_t *right = panel + s * SMR_PANEL_U8 * SMR_STEP_U8;
            for (int j = 0; j < SMR_PANEL_U8; j++)
                total[j] += left[0] * right[4 * j] + left[1] * right[4 * j + 1] +
                            left[2] * right[4 * j + 2] + left[3] * right[4 * j + 3];
        }
        for (int j = 0; j < SMR_PANEL_U8; j++) sum[i * SMR_PANEL_U8 + j] = (uint32_t)total[j];
    }
}

#endif

#include "kernel/tier/product_u8.inl"
#undef cell
#undef K
#undef TARGET
#undef MOST_ROWS

/* ---- VNNI: four products and their sum in one instruction ---- */

#ifdef SIMD_AVX512

#define cell uint8_t
#define K(name) name##_vnni
#define TARGET __attribute__((target("avx512vnni")))
#define MOST_ROWS 14

TARGET INLINE void tile_vnni(const int rows, int64_t n_steps, const uint8_t *a, int64_t row,
                             const int8_t *panel, uint32_t *to)
{
    __m512i sum[14][2];
    UNROLL
    for (int i = 0; i < rows; i++) sum[i][0] = sum[i][1] = ZERO();
    for (int64_t s = 0; s < n_steps; s++) {
        __m512i low = _mm512_loadu_si512(panel), high = _mm512_loadu_si512(panel + 64);
        UNROLL
        for (int i = 0; i < rows; i++) {
            int32_t four;
            memcpy(&four, a + i * row, sizeof four);
            __m512i left = _mm512_set1_epi32(four);
            sum[i][0] = _mm512_dpbusd_epi32(sum[i][0], left, low);
            sum[i][1] = _mm512_dpbusd_epi32(sum[i][1], left, high);
        }
        a += SMR_STEP_U8;
        panel += SMR_PANEL_U8 * SMR_STEP_U8;
    }
    UNROLL
    for (int i = 0; i < rows; i++) {
        _mm512_storeu_si512(to + i * SMR_PANEL_U8, sum[i][0]);
        _mm512_storeu_si512(to + i * SMR_PANEL_U8 + 16, sum[i][1]);
    }
}

void TIER(product_vnni)(int64_t m, int64_t n, int64_t k, const uint8_t *A, int64_t lda,
                        const void *panels, int32_t *C, int64_t ldc);
#include "kernel/tier/product_u8.inl"
#endif

/* ---- distances ---- */

/* Blocks of 2^15 bytes, of 255^2 each, stay below 2^32. */
int64_t TIER(l2sq_u8)(int64_t n, const uint8_t *x, const uint8_t *y)
{
    int64_t total = 0;
    for (int64_t from = 0; from < n; from += 1 << 15) {
        int64_t end = n - from < 1 << 15 ? n : from + (1 << 15);
        int32_t sum = 0;
        for (int64_t i = from; i < end; i++) {
            int16_t d = (int16_t)(x[i] - y[i]);
            sum += d * d;
        }
        total += sum;
    }
    return total;
}
