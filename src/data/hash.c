/* hash.c -- see hash.h.
 *
 * Values become 64-bit words (the bits of a double or float, integers as they are; every NaN all
 * ones).  Rows are cut into blocks of 1024; column j of block b has two sums over its rows i,
 *
 *     a = sum_i lo(w_i + p_i) hi(w_i + p_i),   a' the same with keys q_i,    mod 2^64          (1)
 *
 * with lo and hi the halves of 32 bits and p, q fixed pseudo-random words: the NH family, two equal
 * columns of keys apart.  Sums may be taken in any order, so a row-major block is walked row by row
 * and a column by itself, with the same result; each (a, a') is then scrambled with its b, j, kind
 * and width, and all of them are added up.
 *
 * Cost: one read of the memory; 12 operations for 4 values with AVX2, which this file has beside
 * the plain loops, because integers have the same bits anyway.  Scratch: 24 bytes per column and
 * lane.
 *
 * Reference: Black, Halevi, Krawczyk, Krovetz & Rogaway, UMAC, CRYPTO 1999. */
#include "data/hash.h"

#include "core/parallel.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define HAS_AVX2 1
#else
#define HAS_AVX2 0
#endif

enum { BLOCK = 1024, TASK_BLOCKS = 8, MAX_GROUP = 512 /* a multiple of 4 */, MIN_GROUP = 4 };

static const uint64_t NAN_WORD = UINT64_MAX;

/* Sums of `width` neighbouring columns: a, a' and a count, whose low half is of missing values and
 * whose high half of infinite ones: a block has too few rows for either to flow over. */
struct sums {
    uint64_t *a, *b, *count;
};

static const uint64_t COUNT_INFINITE = UINT64_C(1) << 32;

struct keys {
    uint64_t p[BLOCK], q[BLOCK];
};

/* Neighbouring columns of one row-major block, or a single column. */
struct group {
    int64_t first, width;
};

struct job {
    const smr_column *cols;
    int64_t n_cols, n_rows;
    const struct group *groups;
    int64_t n_groups;
    const struct keys *keys;
    uint64_t salt;
    bool wide;
    uint64_t *scratch;      /* 3 * MAX_GROUP per lane      */
    int64_t *missing;       /* n_cols per lane             */
    int64_t *infinite;      /* n_cols per lane             */
    uint64_t (*partial)[2]; /* one pair per task           */
};

/* A bijection that spreads every bit over all (the finaliser of splitmix64). */
static uint64_t scramble(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static void make_keys(struct keys *k)
{
    for (uint64_t i = 0; i < BLOCK; i++) {
        k->p[i] = scramble((2 * i + 1) * 0x9e3779b97f4a7c15u);
        k->q[i] = scramble((2 * i + 2) * 0x9e3779b97f4a7c15u);
    }
}

/* ---- the plain loops -------------------------------------------------------------------- */

static inline uint64_t word_at(const void *x, int64_t i, smr_dtype dtype)
{
    double d;
    float f;
    uint64_t w;
    uint32_t h;
    switch (dtype) {
    case SMR_F64:
        d = ((const double *)x)[i];
        memcpy(&w, &d, 8);
        return isnan(d) ? NAN_WORD : w;
    case SMR_F32:
        f = ((const float *)x)[i];
        memcpy(&h, &f, 4);
        return isnan(f) ? NAN_WORD : h;
    case SMR_U8: return ((const uint8_t *)x)[i];
    case SMR_I32: return ((const uint32_t *)x)[i];
    case SMR_I64: return ((const uint64_t *)x)[i];
    case SMR_F16:
    case SMR_BF16: break; /* no column has them, here and below */
    }
    return 0;
}

/* What a word adds to the count. */
static inline uint64_t count_of(uint64_t w, smr_dtype dtype)
{
    if (dtype != SMR_F64 && dtype != SMR_F32) return 0;
    if (w == NAN_WORD) return 1;
    bool infinite =
        dtype == SMR_F64 ? w << 1 == UINT64_C(0x7ff) << 53 : (w & 0x7fffffff) == 0x7f800000;
    return infinite ? COUNT_INFINITE : 0;
}

static inline uint64_t halves(uint64_t w)
{
    return (w & UINT32_MAX) * (w >> 32);
}

/* Rows [lo, n) of `width` columns, element (i, j) at i * stride + j, into the sums. */
static void add_rows(const void *x, smr_dtype dtype, int64_t stride, int64_t lo, int64_t n,
                     int64_t width, const struct keys *k, struct sums s)
{
    for (int64_t i = lo; i < n; i++)
        for (int64_t j = 0; j < width; j++) {
            uint64_t w = word_at(x, i * stride + j, dtype);
            s.a[j] += halves(w + k->p[i]);
            s.b[j] += halves(w + k->q[i]);
            s.count[j] += count_of(w, dtype);
        }
}

/* ---- the same with AVX2: four columns, or four rows, at once ---------------------------- */

#if HAS_AVX2
#define AVX2 __attribute__((target("avx2")))

/* Four words; missing and infinite values are added to *count. */
AVX2 static inline __m256i load_words(const void *x, int64_t i, smr_dtype dtype, __m256i *count)
{
    const __m256i once = _mm256_set1_epi64x((int64_t)COUNT_INFINITE);
    __m256i raw, nan, inf;
    __m128 f;
    int32_t four;
    switch (dtype) {
    case SMR_F64:
        raw = _mm256_loadu_si256((const void *)((const double *)x + i));
        nan = _mm256_castpd_si256(
            _mm256_cmp_pd(_mm256_castsi256_pd(raw), _mm256_castsi256_pd(raw), _CMP_UNORD_Q));
        inf = _mm256_cmpeq_epi64(_mm256_add_epi64(raw, raw),
                                 _mm256_set1_epi64x((int64_t)(UINT64_C(0x7ff) << 53)));
        *count = _mm256_add_epi64(_mm256_sub_epi64(*count, nan), _mm256_and_si256(inf, once));
        return _mm256_or_si256(raw, nan);
    case SMR_F32:
        f = _mm_loadu_ps((const float *)x + i);
        nan = _mm256_cvtepi32_epi64(_mm_castps_si128(_mm_cmpunord_ps(f, f)));
        inf = _mm256_cvtepi32_epi64(
            _mm_cmpeq_epi32(_mm_add_epi32(_mm_castps_si128(f), _mm_castps_si128(f)),
                            _mm_set1_epi32((int)0xff000000)));
        *count = _mm256_add_epi64(_mm256_sub_epi64(*count, nan), _mm256_and_si256(inf, once));
        return _mm256_or_si256(_mm256_cvtepu32_epi64(_mm_castps_si128(f)), nan);
    case SMR_U8:
        memcpy(&four, (const uint8_t *)x + i, 4);
        return _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(four));
    case SMR_I32:
        return _mm256_cvtepu32_epi64(_mm_loadu_si128((const void *)((const int32_t *)x + i)));
    case SMR_I64: return _mm256_loadu_si256((const void *)((const int64_t *)x + i));
    case SMR_F16:
    case SMR_BF16: break;
    }
    return _mm256_setzero_si256();
}

AVX2 static inline __m256i halves4(__m256i w)
{
    return _mm256_mul_epu32(w, _mm256_srli_epi64(w, 32));
}

/* Four columns of `rows` rows from x on, the first of them row i of its block; their sums stay in
 * registers meanwhile. */
AVX2 static inline __attribute__((always_inline)) void add_tile(const void *x, smr_dtype dtype,
                                                                int64_t stride,
                                                                const struct keys *k, int64_t i,
                                                                const int rows, struct sums s)
{
    __m256i a = _mm256_loadu_si256((void *)s.a), b = _mm256_loadu_si256((void *)s.b);
    __m256i m = _mm256_loadu_si256((void *)s.count);
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++) {
        __m256i w = load_words(x, r * stride, dtype, &m);
        __m256i p = _mm256_set1_epi64x((int64_t)k->p[i + r]);
        __m256i q = _mm256_set1_epi64x((int64_t)k->q[i + r]);
        a = _mm256_add_epi64(a, halves4(_mm256_add_epi64(w, p)));
        b = _mm256_add_epi64(b, halves4(_mm256_add_epi64(w, q)));
    }
    _mm256_storeu_si256((void *)s.a, a);
    _mm256_storeu_si256((void *)s.b, b);
    _mm256_storeu_si256((void *)s.count, m);
}

/* Eight rows at a time, so that the sums travel to memory and back once for eight.  The rows to
 * come are prefetched in time: eight places at once are more than the hardware predicts, and
 * without this the loop runs at half the speed of memory. */
AVX2 static inline __attribute__((always_inline)) void
add_rows_of(const char *x, smr_dtype dtype, int64_t stride, int64_t n, int64_t width,
            const struct keys *k, struct sums s)
{
    int64_t i = 0, size = (int64_t)smr_dtype_size(dtype);
    for (; i + 8 <= n; i += 8)
        for (int64_t j = 0; j < width; j += 4) {
            const char *ahead = x + ((i + 16) * stride + 8 * j) * size;
            for (int64_t at = 0; at < 32 * size; at += 64) _mm_prefetch(ahead + at, _MM_HINT_T0);
            add_tile(x + (i * stride + j) * size, dtype, stride, k, i, 8,
                     (struct sums){s.a + j, s.b + j, s.count + j});
        }
    for (; i < n; i++)
        for (int64_t j = 0; j < width; j += 4)
            add_tile(x + (i * stride + j) * size, dtype, stride, k, i, 1,
                     (struct sums){s.a + j, s.b + j, s.count + j});
}

/* Columns up to the next multiple of 4 are read, and summed after the others. */
AVX2 static void add_rows_avx2(const void *x, smr_dtype dtype, int64_t stride, int64_t n,
                               int64_t width, const struct keys *k, struct sums s)
{
    switch (dtype) {
    case SMR_F64: add_rows_of(x, SMR_F64, stride, n, width, k, s); break;
    case SMR_F32: add_rows_of(x, SMR_F32, stride, n, width, k, s); break;
    case SMR_U8: add_rows_of(x, SMR_U8, stride, n, width, k, s); break;
    case SMR_I32: add_rows_of(x, SMR_I32, stride, n, width, k, s); break;
    case SMR_I64: add_rows_of(x, SMR_I64, stride, n, width, k, s); break;
    case SMR_F16:
    case SMR_BF16: break;
    }
}

AVX2 static inline uint64_t sum_words(__m256i v)
{
    uint64_t w[4];
    _mm256_storeu_si256((void *)w, v);
    return w[0] + w[1] + w[2] + w[3];
}

AVX2 static inline __attribute__((always_inline)) void
add_column_of(const void *x, smr_dtype dtype, int64_t n, const struct keys *k, struct sums s)
{
    __m256i a = _mm256_setzero_si256(), b = a, m = a;
    for (int64_t i = 0; i < n; i += 4) {
        __m256i w = load_words(x, i, dtype, &m);
        __m256i p = _mm256_loadu_si256((const void *)(k->p + i));
        __m256i q = _mm256_loadu_si256((const void *)(k->q + i));
        a = _mm256_add_epi64(a, halves4(_mm256_add_epi64(w, p)));
        b = _mm256_add_epi64(b, halves4(_mm256_add_epi64(w, q)));
    }
    s.a[0] += sum_words(a);
    s.b[0] += sum_words(b);
    s.count[0] += sum_words(m);
}

/* One column whose values are neighbours; n is a multiple of 4. */
AVX2 static void add_column_avx2(const void *x, smr_dtype dtype, int64_t n, const struct keys *k,
                                 struct sums s)
{
    switch (dtype) {
    case SMR_F64: add_column_of(x, SMR_F64, n, k, s); break;
    case SMR_F32: add_column_of(x, SMR_F32, n, k, s); break;
    case SMR_U8: add_column_of(x, SMR_U8, n, k, s); break;
    case SMR_I32: add_column_of(x, SMR_I32, n, k, s); break;
    case SMR_I64: add_column_of(x, SMR_I64, n, k, s); break;
    case SMR_F16:
    case SMR_BF16: break;
    }
}
#endif

/* Rows [lo, lo + n) of the table, of which these are `width` neighbouring columns. */
static void add_block(const struct job *j, const smr_column *c, int64_t lo, int64_t n,
                      int64_t width, struct sums s)
{
    const struct keys *k = j->keys;
    const char *x = (const char *)c->values + lo * c->stride * (int64_t)smr_dtype_size(c->dtype);
    int64_t done = 0;
#if HAS_AVX2
    if (j->wide && width > 1) { /* except the last row: past it nothing may be read */
        done = SMR_MIN(n, j->n_rows - 1 - lo);
        add_rows_avx2(x, c->dtype, c->stride, done, width, k, s);
    } else if (j->wide && c->stride == 1) {
        done = n / 4 * 4;
        add_column_avx2(x, c->dtype, done, k, s);
    }
#endif
    add_rows(x, c->dtype, c->stride, done, n, width, k, s);
}

/* ---- columns ---------------------------------------------------------------------------- */

static bool are_neighbours(const smr_column *a, const smr_column *b)
{
    return a->dtype == b->dtype && a->stride == b->stride && a->stride > 1 &&
           (const char *)b->values == (const char *)a->values + smr_dtype_size(a->dtype);
}

/* Cuts the columns into groups of neighbours in one row-major block. */
static int64_t find_groups(const smr_column *cols, int64_t n_cols, struct group *groups)
{
    int64_t n = 0;
    for (int64_t j = 0; j < n_cols; n++) {
        int64_t width = 1;
        while (j + width < n_cols && width < MAX_GROUP && width < cols[j].stride &&
               are_neighbours(&cols[j + width - 1], &cols[j + width]))
            width++;
        if (width < MIN_GROUP) width = 1;
        groups[n] = (struct group){j, width};
        j += width;
    }
    return n;
}

static void hash_group(struct job *j, struct group g, int64_t block, int lane, uint64_t out[2])
{
    uint64_t *scratch = j->scratch + (int64_t)lane * 3 * MAX_GROUP;
    struct sums s = {scratch, scratch + MAX_GROUP, scratch + 2 * MAX_GROUP};
    const smr_column *c = &j->cols[g.first];
    int64_t lo = block * BLOCK, n = SMR_MIN(BLOCK, j->n_rows - lo);
    memset(scratch, 0, 3 * MAX_GROUP * sizeof *scratch);
    add_block(j, c, lo, n, g.width, s);
    for (int64_t k = 0; k < g.width; k++) {
        uint64_t place = scramble(j->salt + (uint64_t)block * 0x9e3779b97f4a7c15u) +
                         (uint64_t)(g.first + k) * 0xd6e8feb86659fd93u + (uint64_t)c[k].kind * 8 +
                         (uint64_t)c[k].dtype;
        out[0] += scramble(s.a[k] ^ scramble(place));
        out[1] += scramble(s.b[k] ^ scramble(~place));
        int64_t at = (int64_t)lane * j->n_cols + g.first + k;
        j->missing[at] += (int64_t)(s.count[k] % COUNT_INFINITE);
        j->infinite[at] += (int64_t)(s.count[k] / COUNT_INFINITE);
    }
}

static smr_status hash_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct job *j = arg;
    (void)ctx;
    int64_t end = SMR_MIN(smr_block_count(j->n_rows, BLOCK), (task + 1) * TASK_BLOCKS);
    for (int64_t b = task * TASK_BLOCKS; b < end; b++)
        for (int64_t g = 0; g < j->n_groups; g++)
            hash_group(j, j->groups[g], b, lane, j->partial[task]);
    return SMR_OK;
}

static int64_t count_coded_missing(const smr_column *c, int64_t n)
{
    int64_t missing = 0;
    for (int64_t i = 0; i < n; i++) missing += smr_column_code(c, i) < 0;
    return missing;
}

/* total[c] = the lanes' counts of column c together. */
static void add_lanes(const int64_t *counts, int lanes, int64_t n_cols, int64_t *total)
{
    for (int64_t c = 0; total && c < n_cols; c++) {
        total[c] = 0;
        for (int l = 0; l < lanes; l++) total[c] += counts[l * n_cols + c];
    }
}

/* hash <- scramble(hash + the columns'); missing and infinite (n_cols, may be NULL) receive
 * counts. */
static smr_status hash_columns(smr_ctx *ctx, const smr_column *cols, int64_t n_cols, int64_t n_rows,
                               bool wide, uint64_t hash[2], int64_t *missing, int64_t *infinite)
{
    smr_status st = SMR_OK;
    int lanes = smr_lanes(ctx);
    int64_t n_tasks = smr_block_count(n_rows, BLOCK * TASK_BLOCKS);
    struct group *groups = NULL;
    struct keys *keys = NULL;
    struct job j = {.cols = cols, .n_cols = n_cols, .n_rows = n_rows, .wide = wide};
    TRY_NEW(groups, n_cols);
    TRY_NEW(keys, 1);
    TRY_NEW(j.scratch, (int64_t)lanes * 3 * MAX_GROUP);
    TRY_NEW(j.missing, lanes * n_cols);
    TRY_NEW(j.infinite, lanes * n_cols);
    TRY_NEW(j.partial, n_tasks);
    make_keys(keys);
    j.keys = keys;
    j.groups = groups;
    j.n_groups = find_groups(cols, n_cols, groups);
    j.salt = scramble(hash[0] + (uint64_t)n_rows) + (uint64_t)n_cols;
    TRY(smr_parallel(ctx, NULL, n_tasks, hash_task, &j));
    for (int64_t t = 0; t < n_tasks; t++)
        for (int k = 0; k < 2; k++) hash[k] += j.partial[t][k];
    hash[0] = scramble(hash[0] + j.salt);
    hash[1] = scramble(hash[1] + ~j.salt);
    add_lanes(j.missing, lanes, n_cols, missing);
    add_lanes(j.infinite, lanes, n_cols, infinite);
out:
    smr_free(j.partial);
    smr_free(j.missing);
    smr_free(j.infinite);
    smr_free(j.scratch);
    smr_free(keys);
    smr_free(groups);
    return st;
}

/* The level names, eight bytes at a time. */
static void hash_levels(const smr_strings *s, uint64_t hash[2])
{
    int64_t n = s->n ? s->start[s->n] : 0;
    for (int64_t i = 1; i <= s->n; i++) hash[0] = scramble(hash[0] + (uint64_t)s->start[i]);
    for (int64_t at = 0; at < n; at += 8) {
        uint64_t w = 0;
        for (int64_t k = 0; k < SMR_MIN(8, n - at); k++)
            w |= (uint64_t)(unsigned char)s->bytes[at + k] << (8 * k);
        hash[0] = scramble(hash[0] ^ w);
        hash[1] = scramble(hash[1] + w) + hash[0];
    }
}

static smr_status hash_sparse(smr_ctx *ctx, const smr_csr *x, bool wide, uint64_t hash[2])
{
    smr_status st = SMR_OK;
    int64_t entries = x->start[x->n_rows];
    smr_column starts = {.dtype = SMR_I64, .stride = 1};
    smr_column pairs[2] = {{.dtype = SMR_I32, .stride = 1}, {.dtype = SMR_F64, .stride = 1}};
    starts.values = (void *)(uintptr_t)x->start;
    pairs[0].values = (void *)(uintptr_t)x->column;
    pairs[1].values = (void *)(uintptr_t)x->value;
    TRY(hash_columns(ctx, &starts, 1, x->n_rows + 1, wide, hash, NULL, NULL));
    TRY(hash_columns(ctx, pairs, 2, entries, wide, hash, NULL, NULL));
    hash[0] = scramble(hash[0] + (uint64_t)x->n_cols);
out:
    return st;
}

static bool cpu_is_wide(void)
{
#if HAS_AVX2
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

static smr_status hash_table(smr_ctx *ctx, const smr_table *t, bool wide, uint64_t hash[2],
                             int64_t *missing, int64_t *infinite)
{
    smr_status st = SMR_OK;
    hash[0] = hash[1] = 0;
    TRY(hash_columns(ctx, t->cols, t->n_cols, t->n_rows, wide, hash, missing, infinite));
    for (int64_t j = 0; j < t->n_cols; j++) hash_levels(&t->cols[j].levels, hash);
    if (t->sparse.n_cols) TRY(hash_sparse(ctx, &t->sparse, wide, hash));
out:
    return st;
}

smr_status smr_table_hash(smr_ctx *ctx, const smr_table *t, uint64_t hash[2])
{
    return hash_table(ctx, t, cpu_is_wide(), hash, NULL, NULL);
}

smr_status smr_table_hash_plain(smr_ctx *ctx, const smr_table *t, uint64_t hash[2])
{
    return hash_table(ctx, t, false, hash, NULL, NULL);
}

smr_status smr_table_examine(smr_ctx *ctx, const smr_table *t, uint64_t hash[2], int64_t *missing,
                             int64_t *infinite)
{
    smr_status st = hash_table(ctx, t, cpu_is_wide(), hash, missing, infinite);
    for (int64_t j = 0; st == SMR_OK && j < t->n_cols; j++) {
        const smr_column *c = &t->cols[j];
        if (c->kind == SMR_CATEGORY || c->kind == SMR_TEXT)
            missing[j] = count_coded_missing(c, t->n_rows) - c->n_unseen;
    }
    return st;
}

smr_status smr_table_scan(smr_ctx *ctx, smr_table *t, uint64_t hash[2])
{
    smr_status st = SMR_OK;
    int64_t *missing = NULL;
    uint64_t unused[2];
    TRY_NEW(missing, t->n_cols);
    TRY(smr_table_examine(ctx, t, hash ? hash : unused, missing, NULL));
    for (int64_t j = 0; j < t->n_cols; j++) t->cols[j].n_missing = missing[j];
out:
    smr_free(missing);
    return st;
}
