/* cuts.c -- all cuts of a list of rows in the order of their codes, judged by gini.
 *
 * Counts of the classes are a vector of 16 whole numbers of 16 bits, to which a row adds a 1: what
 * the next row waits for is one addition.  Four rows' sums of squares are added up together.  Cuts
 * are judged by whole vectors in single precision; where two rows have one code there is no cut. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

enum { CLASSES = SMR_CUT_CLASSES, L = LANES_f32 };

/* square[i]: sum of the squares of the counts of entries 0 .. i; dot[i]: the counts times `total`,
 * summed. */
#if defined(SIMD_AVX512) || defined(SIMD_AVX2)

static const int16_t one[CLASSES][CLASSES] __attribute__((aligned(32))) = {
    {[0] = 1}, {[1] = 1}, {[2] = 1},  {[3] = 1},  {[4] = 1},  {[5] = 1},  {[6] = 1},  {[7] = 1},
    {[8] = 1}, {[9] = 1}, {[10] = 1}, {[11] = 1}, {[12] = 1}, {[13] = 1}, {[14] = 1}, {[15] = 1},
};

INLINE __m256i row_of(uint32_t entry)
{
    return _mm256_load_si256((const __m256i *)(const void *)one[entry & (CLASSES - 1)]);
}

INLINE void add_up(int64_t m, const uint32_t *entry, const int32_t *total, int32_t *square,
                   int32_t *dot)
{
    __m256i count = _mm256_setzero_si256();
    int32_t sum = 0;
    for (int64_t i = 0; i < m; i += 4) { /* up to three entries after the last do no harm */
        __m256i a = _mm256_add_epi16(count, row_of(entry[i]));
        __m256i b = _mm256_add_epi16(a, row_of(entry[i + 1]));
        __m256i c = _mm256_add_epi16(b, row_of(entry[i + 2]));
        count = _mm256_add_epi16(c, row_of(entry[i + 3]));
        __m256i ab = _mm256_hadd_epi32(_mm256_madd_epi16(a, a), _mm256_madd_epi16(b, b));
        __m256i cd = _mm256_hadd_epi32(_mm256_madd_epi16(c, c), _mm256_madd_epi16(count, count));
        __m256i all = _mm256_hadd_epi32(ab, cd);
        _mm_storeu_si128(
            (__m128i *)(void *)(square + i),
            _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1)));
        for (int k = 0; k < 4; k++) dot[i + k] = sum += total[entry[i + k] & (CLASSES - 1)];
    }
}

#else

INLINE void add_up(int64_t m, const uint32_t *entry, const int32_t *total, int32_t *square,
                   int32_t *dot)
{
    int32_t count[CLASSES] = {0}, squares = 0, sum = 0;
    for (int64_t i = 0; i < m; i++) {
        uint32_t class = entry[i] & (CLASSES - 1);
        squares += 2 * count[class]++ + 1;
        square[i] = squares;
        dot[i] = sum += total[class];
    }
}

#endif

INLINE bits_f32 load_bits(const void *p)
{
    bits_f32 v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE vec_f32 as_float(bits_f32 v)
{
    return __builtin_convertvector(v, vec_f32);
}

float TIER(gini_cuts)(int64_t m, const uint32_t *entry, int64_t n, int64_t least,
                      const int32_t *total, smr_cuts *cuts)
{
    const bits_f32 none = {0};
    bits_f32 right = none + 1, best = none;
    int32_t all = 0, last = (int32_t)(m < n ? m : m - 1);
    float out = 0, lane[L];
    if (last > n - least) last = (int32_t)(n - least);
    for (int c = 0; c < CLASSES; c++) all += total[c] * total[c];
    for (int k = 0; k < L; k++) right[k] = k + 1;
    add_up(m, entry, total, cuts->square, cuts->dot);
    for (int64_t i = 0; i < m; i += L, right += L) {
        bits_f32 square = load_bits(cuts->square + i), left = (int32_t)n - right;
        bits_f32 apart = (load_bits(entry + i) ^ load_bits(entry + i + 1)) >> 24;
        bits_f32 is = (apart != 0) | (right == (int32_t)m);
        is &= (right >= (int32_t)least) & (right <= last);
        vec_f32 a = as_float(all - 2 * load_bits(cuts->dot + i) + square), b = as_float(square);
        vec_f32 l = as_float(left), r = as_float(right);
        bits_f32 score = (bits_f32)((a * r + b * l) / (l * r)) & is;
        memcpy(cuts->score + i, &score, sizeof score);
        bits_f32 more = score > best; /* numbers that are not below 0 compare as their bits do */
        best = (score & more) | (best & ~more);
    }
    memcpy(lane, &best, sizeof lane);
    for (int k = 0; k < L; k++) out = lane[k] > out ? lane[k] : out;
    return out;
}
