/* thin.c -- the best cut of a node of small weight, by Gini's index: classes in 16 bits.
 *
 * The first side is a vector of 16 whole numbers of 16 bits, to which a cell, or a row, adds its
 * own: the next waits for one addition only.  The sums of squares and of products of eight cuts are
 * added up together, in 32 bits, and judged in single precision; those that may be better than the
 * best so far, few, are judged again in double, where all is exact.  So neither the tier nor the
 * order of additions shows in the result. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

enum { CLASSES = SMR_THIN_CLASSES, GROUP = 8 };

/* For eight cuts: the weight on the first side, the sum of its classes' squares, and of their
 * products with the node's. */
struct cuts {
    int32_t moved[GROUP], square[GROUP], cross[GROUP];
};

/* Cuts from..to - 1 of a group, exactly; the best one's place in it, or -1. */
INLINE int judge(const smr_thin *node, const struct cuts *cuts, uint32_t which, double *best)
{
    int found = -1;
    for (; which; which &= which - 1) {
        int i = __builtin_ctz(which);
        int32_t moved = cuts->moved[i], square = cuts->square[i];
        double nl = (double)moved, nr = (double)(node->weight - moved);
        double rest = (double)(node->squares - 2 * (int64_t)cuts->cross[i] + square);
        double over = (double)square * nr + rest * nl, under = nl * nr;
        if (!(over > *best * under) || nl < node->least || nr < node->least) continue;
        if (!(over / under > *best)) continue;
        *best = over / under;
        found = i;
    }
    return found;
}

#if defined(SIMD_AVX512) || defined(SIMD_AVX2)

/* A little below `best`, so that single precision misses none. */
INLINE __m256 threshold(double best)
{
    return _mm256_set1_ps((float)(best * (1 - 0x1p-18)));
}

INLINE __m256i load(const void *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

/* a + b, the lanes of both side by side, half as many of each. */
INLINE __m256i pair32(__m256i a, __m256i b)
{
    return _mm256_add_epi32(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
}

INLINE __m256i pair64(__m256i a, __m256i b)
{
    return _mm256_add_epi32(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
}

/* The sum of each vector's lanes. */
INLINE __m256i fold(const __m256i *x)
{
    __m256i a = pair64(pair32(x[0], x[1]), pair32(x[2], x[3]));
    __m256i b = pair64(pair32(x[4], x[5]), pair32(x[6], x[7]));
    return _mm256_add_epi32(_mm256_permute2x128_si256(a, b, 0x20),
                            _mm256_permute2x128_si256(a, b, 0x31));
}

/* Which of eight cuts may be above the threshold. */
INLINE uint32_t glance(const smr_thin *node, const __m256i *left, __m256 best, struct cuts *cuts)
{
    const __m256i total = load(node->total), one = _mm256_set1_epi16(1);
    __m256i x[GROUP];
    UNROLL
    for (int i = 0; i < GROUP; i++) x[i] = _mm256_madd_epi16(left[i], left[i]);
    __m256i square = fold(x);
    UNROLL
    for (int i = 0; i < GROUP; i++) x[i] = _mm256_madd_epi16(left[i], total);
    __m256i cross = fold(x);
    UNROLL
    for (int i = 0; i < GROUP; i++) x[i] = _mm256_madd_epi16(left[i], one);
    __m256i moved = fold(x);
    __m256i rest = _mm256_add_epi32(
        _mm256_sub_epi32(_mm256_set1_epi32(node->squares), _mm256_slli_epi32(cross, 1)), square);
    __m256 nl = _mm256_cvtepi32_ps(moved);
    __m256 nr = _mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_set1_epi32(node->weight), moved));
    __m256 over = _mm256_cvtepi32_ps(square) * nr + _mm256_cvtepi32_ps(rest) * nl;
    _mm256_storeu_si256((__m256i *)(void *)cuts->moved, moved);
    _mm256_storeu_si256((__m256i *)(void *)cuts->square, square);
    _mm256_storeu_si256((__m256i *)(void *)cuts->cross, cross);
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(over, best * (nl * nr), _CMP_GT_OQ));
}

int64_t TIER(thin_sweep)(const smr_thin *node, int64_t n, const uint8_t *cell, uint16_t *counts,
                         double *best)
{
    __m256i left[GROUP], so_far = _mm256_setzero_si256();
    __m256 above = threshold(*best);
    struct cuts cuts;
    int64_t found = -1;
    for (int64_t k = 0; k < n; k += GROUP) {
        UNROLL
        for (int i = 0; i < GROUP; i++) {
            uint16_t *at = counts + (int64_t)cell[k + i] * CLASSES;
            left[i] = so_far = _mm256_add_epi16(so_far, load(at));
            _mm256_storeu_si256((__m256i *)(void *)at, _mm256_setzero_si256());
        }
        uint32_t which = glance(node, left, above, &cuts);
        if (!which) continue;
        int at = judge(node, &cuts, which, best);
        if (at < 0) continue;
        found = k + at;
        above = threshold(*best);
    }
    return found;
}

int64_t TIER(thin_list)(int64_t n, uint8_t *seen, uint8_t *list)
{
    int64_t m = 0;
    for (int64_t at = 0; at < n; at += 64) {
        __m256i a = load(seen + at), b = load(seen + at + 32), none = _mm256_setzero_si256();
        uint64_t low = (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(a, none));
        uint64_t high = (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(b, none));
        _mm256_storeu_si256((__m256i *)(void *)(seen + at), none);
        _mm256_storeu_si256((__m256i *)(void *)(seen + at + 32), none);
        for (uint64_t left = low | high << 32; left; left &= left - 1)
            list[m++] = (uint8_t)(at + __builtin_ctzll(left));
    }
    memset(list + m, list[m - 1], GROUP);
    return m;
}

/* ---- few rows: their cells are sorted ---- */

typedef uint8_t bytes16 __attribute__((vector_size(16)));

/* Compares lanes with others; the lower of a pair keeps the lesser: `blend` has the upper ones. */
#define EXCHANGE(x, other, blend) \
    _mm_blend_epi16(_mm_min_epu16(x, other), _mm_max_epu16(x, other), blend)
#define EXCHANGE2(x, other, blend) \
    _mm256_blend_epi16(_mm256_min_epu16(x, other), _mm256_max_epu16(x, other), blend)

/* Bitonic sorts of 8 and of 16. */
INLINE __m128i sort8(__m128i x)
{
    const __m128i by1 = _mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    const __m128i turn4 = _mm_setr_epi8(6, 7, 4, 5, 2, 3, 0, 1, 14, 15, 12, 13, 10, 11, 8, 9);
    const __m128i turn8 = _mm_setr_epi8(14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 0, 1);
    x = EXCHANGE(x, _mm_shuffle_epi8(x, by1), 0xaa);
    x = EXCHANGE(x, _mm_shuffle_epi8(x, turn4), 0xcc);
    x = EXCHANGE(x, _mm_shuffle_epi8(x, by1), 0xaa);
    x = EXCHANGE(x, _mm_shuffle_epi8(x, turn8), 0xf0);
    x = EXCHANGE(x, _mm_shuffle_epi32(x, 0xb1), 0xcc);
    return EXCHANGE(x, _mm_shuffle_epi8(x, by1), 0xaa);
}

INLINE __m256i sort16(__m256i x)
{
    const __m256i by1 = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
    const __m256i turn4 = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(6, 7, 4, 5, 2, 3, 0, 1, 14, 15, 12, 13, 10, 11, 8, 9));
    const __m256i turn8 = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 0, 1));
    x = EXCHANGE2(x, _mm256_shuffle_epi8(x, by1), 0xaa);
    x = EXCHANGE2(x, _mm256_shuffle_epi8(x, turn4), 0xcc);
    x = EXCHANGE2(x, _mm256_shuffle_epi8(x, by1), 0xaa);
    x = EXCHANGE2(x, _mm256_shuffle_epi8(x, turn8), 0xf0);
    x = EXCHANGE2(x, _mm256_shuffle_epi32(x, 0xb1), 0xcc);
    x = EXCHANGE2(x, _mm256_shuffle_epi8(x, by1), 0xaa);
    __m256i other = _mm256_shuffle_epi8(_mm256_permute4x64_epi64(x, 0x4e), turn8);
    x = _mm256_blend_epi32(_mm256_min_epu16(x, other), _mm256_max_epu16(x, other), 0xf0);
    x = EXCHANGE2(x, _mm256_shuffle_epi32(x, 0x4e), 0xf0);
    x = EXCHANGE2(x, _mm256_shuffle_epi32(x, 0xb1), 0xcc);
    return EXCHANGE2(x, _mm256_shuffle_epi8(x, by1), 0xaa);
}

/* The cells of rows in ascending order: the cell in a key's high byte, the row in the low one, 255
 * in both where there is no row.  Returns which keys have the cell of the next. */
INLINE uint32_t sort_few(int64_t n, __m128i cell, uint16_t *key)
{
    const __m128i row = _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7);
    __m128i past = _mm_cmpgt_epi16(row, _mm_set1_epi16((short)(n - 1)));
    __m128i x = _mm_slli_epi16(_mm_cvtepu8_epi16(cell), 8);
    x = sort8(_mm_or_si128(_mm_or_si128(x, row), past));
    _mm_storeu_si128((__m128i *)(void *)key, x);
    __m128i step = _mm_srli_epi16(_mm_xor_si128(x, _mm_srli_si128(x, 2)), 8);
    __m128i same = _mm_cmpeq_epi16(step, _mm_setzero_si128());
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(same, _mm_setzero_si128()));
}

INLINE uint32_t sort_more(int64_t n, __m128i cell, uint16_t *key)
{
    const __m256i row = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m256i past = _mm256_cmpgt_epi16(row, _mm256_set1_epi16((short)(n - 1)));
    __m256i x = _mm256_slli_epi16(_mm256_cvtepu8_epi16(cell), 8);
    x = sort16(_mm256_or_si256(_mm256_or_si256(x, row), past));
    _mm256_storeu_si256((__m256i *)(void *)key, x);
    __m256i next = _mm256_alignr_epi8(_mm256_permute2x128_si256(x, x, 0x81), x, 2);
    __m256i step = _mm256_srli_epi16(_mm256_xor_si256(x, next), 8);
    __m256i same = _mm256_cmpeq_epi16(step, _mm256_setzero_si256());
    return (uint32_t)_mm_movemask_epi8(
        _mm_packs_epi16(_mm256_castsi256_si128(same), _mm256_extracti128_si256(same, 1)));
}

/* Eight sorted keys, from the k-th on. */
INLINE int64_t sweep_keys(const smr_thin *node, const uint16_t *key, int64_t k, uint32_t same,
                          const uint16_t (*row)[CLASSES], __m256i *so_far, double *best)
{
    __m256i left[GROUP];
    struct cuts cuts;
    UNROLL
    for (int i = 0; i < GROUP; i++)
        left[i] = *so_far = _mm256_add_epi16(*so_far, load(row[key[k + i] % SMR_THIN_FEW]));
    uint32_t which = glance(node, left, threshold(*best), &cuts) & ~(same >> k);
    int at = which ? judge(node, &cuts, which, best) : -1;
    return at < 0 ? -1 : k + at;
}

int64_t TIER(thin_few)(const smr_thin *node, int64_t n, const uint8_t *c, const uint32_t *id,
                       const uint16_t (*row)[CLASSES], uint8_t *cut, double *best)
{
    uint16_t key[SMR_THIN_FEW + 1];
    __m256i so_far = _mm256_setzero_si256();
    bytes16 cell = {c[id[0]], c[id[1]], c[id[2]], c[id[3]], c[id[4]], c[id[5]], c[id[6]], c[id[7]]};
    __m128i first = _mm_broadcastb_epi8((__m128i)cell);
    if (n > GROUP) {
        bytes16 more = {c[id[8]],  c[id[9]],  c[id[10]], c[id[11]],
                        c[id[12]], c[id[13]], c[id[14]], c[id[15]]};
        cell = (bytes16)_mm_unpacklo_epi64((__m128i)cell, (__m128i)more);
    } else {
        cell = (bytes16)_mm_unpacklo_epi64((__m128i)cell, first);
    }
    if (_mm_movemask_epi8(_mm_cmpeq_epi8((__m128i)cell, first)) == 0xffff) return -2;
    uint32_t same = n > GROUP ? sort_more(n, (__m128i)cell, key) : sort_few(n, (__m128i)cell, key);
    int64_t found = sweep_keys(node, key, 0, same, row, &so_far, best);
    if (n > GROUP) {
        int64_t later = sweep_keys(node, key, GROUP, same, row, &so_far, best);
        if (later >= 0) found = later;
    }
    if (found >= 0) {
        cut[0] = (uint8_t)(key[found] >> 8);
        cut[1] = (uint8_t)(key[found + 1] >> 8);
    }
    return found;
}

#else

int64_t TIER(thin_sweep)(const smr_thin *node, int64_t n, const uint8_t *cell, uint16_t *counts,
                         double *best)
{
    int32_t left[CLASSES] = {0}, moved = 0, square = 0, cross = 0;
    int64_t found = -1;
    for (int64_t k = 0; k < n; k++) {
        uint16_t *at = counts + (int64_t)cell[k] * CLASSES;
        for (int c = 0; c < CLASSES; c++) {
            int32_t w = at[c];
            square += w * (2 * left[c] + w);
            cross += w * node->total[c];
            moved += w;
            left[c] += w;
            at[c] = 0;
        }
        struct cuts cuts = {{moved}, {square}, {cross}};
        if (judge(node, &cuts, 1, best) == 0) found = k;
    }
    return found;
}

int64_t TIER(thin_list)(int64_t n, uint8_t *seen, uint8_t *list)
{
    int64_t m = 0;
    for (int64_t at = 0; at < n; at++) {
        list[m] = (uint8_t)at;
        m += seen[at];
        seen[at] = 0;
    }
    memset(list + m, list[m - 1], GROUP);
    return m;
}

int64_t TIER(thin_few)(const smr_thin *node, int64_t n, const uint8_t *c, const uint32_t *id,
                       const uint16_t (*row)[CLASSES], uint8_t *cut, double *best)
{
    int key[SMR_THIN_FEW] = {0};
    int32_t left[CLASSES] = {0}, moved = 0, square = 0, cross = 0;
    int64_t found = -1;
    for (int i = 0; i < n; i++) {
        int x = c[id[i]] << 8 | i, at = i;
        for (; at > 0 && key[at - 1] > x; at--) key[at] = key[at - 1];
        key[at] = x;
    }
    if (key[0] >> 8 == key[n - 1] >> 8) return -2;
    for (int64_t k = 0; k + 1 < n; k++) {
        for (int class = 0; class < CLASSES; class ++) {
            int32_t w = row[key[k] & 255][class];
            square += w * (2 * left[class] + w);
            cross += w * node->total[class];
            moved += w;
            left[class] += w;
        }
        struct cuts cuts = {{moved}, {square}, {cross}};
        if (key[k] >> 8 == key[k + 1] >> 8 || judge(node, &cuts, 1, best) < 0) continue;
        found = k;
        cut[0] = (uint8_t)(key[k] >> 8);
        cut[1] = (uint8_t)(key[k + 1] >> 8);
    }
    return found;
}

#endif
