/* csv_loops.c -- the inner loops of the CSV reader, once for each tier; see kernel/csv_kernels.h.
 *
 * Blank rows without a loop over rows.  Let N be the mask of row ends and C that of content (bytes
 * that are neither blank nor a row end).  The row end at bit b is not blank iff C has a bit between
 * it and the row end before it.  Adding C to ~N makes a carry run through the ones of ~N up to b
 * exactly then; the carry into the word says that content came before it, and the carry out that
 * content is pending:
 *
 *     sum, carry' = ~N + (C & ~N) + carry;     rows that are not blank = popcount(sum & N)     (1)
 *
 * Numbers.  The 16 bytes that end with the field are loaded, so that the last digit is in the last
 * byte; bytes before the field become 0; the point is closed up by a byte shuffle; digits are
 * joined in pairs (10 a + b), then fours, eights, sixteens.  With at most 2^53 the integer is
 * exact, and so is 10^decimals (decimals <= 15): one division gives the nearest double (Clinger,
 * "How to read floating point numbers accurately", PLDI 1990). */
#include "kernel/csv_kernels.h"

#include <stddef.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define PASTE(tier, name) smr_##tier##_##name
#define EXPAND(tier, name) PASTE(tier, name)
#define NAME_TEXT(tier) #tier
#define NAME_OF(tier) NAME_TEXT(tier)

enum { WORD = 64, FIELD_MAX = 16 };
static const uint64_t EXACT_MAX = UINT64_C(1) << 53;
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* ---- 64 bytes as masks -------------------------------------------------------------------- */

#if defined(__AVX512BW__)
typedef struct word {
    __m512i v;
} word;

static inline word load(const char *p)
{
    return (word){_mm512_loadu_si512(p)};
}

static inline uint64_t equal(word w, char c)
{
    return _mm512_cmpeq_epi8_mask(w.v, _mm512_set1_epi8(c));
}

/* Bytes of at most 0x20: blanks and control characters. */
static inline uint64_t low(word w)
{
    return _mm512_cmple_epu8_mask(w.v, _mm512_set1_epi8(0x20));
}
#elif defined(__AVX2__)
typedef struct word {
    __m256i v[2];
} word;

static inline word load(const char *p)
{
    return (word){{_mm256_loadu_si256((const __m256i *)(const void *)p),
                   _mm256_loadu_si256((const __m256i *)(const void *)(p + 32))}};
}

static inline uint64_t join(__m256i a, __m256i b)
{
    return (uint32_t)_mm256_movemask_epi8(a) | (uint64_t)(uint32_t)_mm256_movemask_epi8(b) << 32;
}

static inline uint64_t equal(word w, char c)
{
    __m256i k = _mm256_set1_epi8(c);
    return join(_mm256_cmpeq_epi8(w.v[0], k), _mm256_cmpeq_epi8(w.v[1], k));
}

static inline uint64_t low(word w)
{
    __m256i k = _mm256_set1_epi8(0x20);
    return join(_mm256_cmpeq_epi8(_mm256_min_epu8(w.v[0], k), w.v[0]),
                _mm256_cmpeq_epi8(_mm256_min_epu8(w.v[1], k), w.v[1]));
}
#elif defined(__SSE2__)
typedef struct word {
    __m128i v[4];
} word;

static inline word load(const char *p)
{
    word w;
    for (int i = 0; i < 4; i++)
        w.v[i] = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * (ptrdiff_t)i));
    return w;
}

static inline uint64_t equal(word w, char c)
{
    __m128i k = _mm_set1_epi8(c);
    uint64_t mask = 0;
    for (int i = 0; i < 4; i++)
        mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(w.v[i], k)) << 16 * i;
    return mask;
}

static inline uint64_t low(word w)
{
    __m128i k = _mm_set1_epi8(0x20);
    uint64_t mask = 0;
    for (int i = 0; i < 4; i++) {
        __m128i at_most = _mm_cmpeq_epi8(_mm_min_epu8(w.v[i], k), w.v[i]);
        mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(at_most) << 16 * i;
    }
    return mask;
}
#else
typedef struct word {
    uint8_t v[WORD];
} word;

static inline word load(const char *p)
{
    word w;
    memcpy(w.v, p, WORD);
    return w;
}

static inline uint64_t equal(word w, char c)
{
    uint64_t mask = 0;
    for (int i = 0; i < WORD; i++) mask |= (uint64_t)(w.v[i] == (uint8_t)c) << i;
    return mask;
}

static inline uint64_t low(word w)
{
    uint64_t mask = 0;
    for (int i = 0; i < WORD; i++) mask |= (uint64_t)(w.v[i] <= 0x20) << i;
    return mask;
}
#endif

static inline int lowest(uint64_t mask)
{
    return __builtin_ctzll(mask);
}

static inline int highest(uint64_t mask)
{
    return 63 - __builtin_clzll(mask);
}

/* Bits [from, to), 0 <= from <= to <= 64. */
static inline uint64_t bits(int from, int to)
{
    uint64_t below_to = to == 64 ? ~UINT64_C(0) : (UINT64_C(1) << to) - 1;
    return from == 64 ? 0 : below_to & (~UINT64_C(0) << from);
}

/* ---- quotes ------------------------------------------------------------------------------- */

/* Which bytes lie within quotes, the opening one included, the closing one not. */
struct quotes {
    const smr_csv_syntax *x;
    const char *text;
    int64_t n;
    bool in_quotes;
    bool skip;         /* the next byte is the second of two quotes            */
    bool starts_field; /* the text begins where a field begins               */
    smr_csv_count *c;  /* receives what was met; NULL when indexing           */
};

static bool opens_field(struct quotes *q, int64_t at)
{
    for (int64_t j = at - 1; j >= 0; j--) {
        uint8_t kind = q->x->kind[(uint8_t)q->text[j]];
        if (kind & SMR_CSV_SEPARATOR) return true;
        if (!kind) return false;
    }
    if (q->c) q->c->used_start = true;
    return q->starts_field;
}

/* Looks at what follows a closing quote (the byte before `from`): notes text that must not be
 * there. */
static void check_after_quote(struct quotes *q, int64_t from)
{
    for (int64_t j = from; j < q->n; j++) {
        uint8_t kind = q->x->kind[(uint8_t)q->text[j]];
        if (kind & SMR_CSV_SEPARATOR) return;
        if (!kind) {
            if (q->c->stray_at < 0) q->c->stray_at = j;
            return;
        }
    }
    q->c->stop = SMR_CSV_BEHIND_QUOTES;
}

static uint64_t quoted_bytes(struct quotes *q, int64_t base, uint64_t quote, int n)
{
    uint64_t within = 0;
    int at = 0;
    if (q->skip) {
        q->skip = false;
        within |= 1;
        at = 1;
    }
    while (at < n) {
        uint64_t rest = quote & bits(at, n);
        int next = rest ? lowest(rest) : n;
        if (!q->in_quotes) {
            if (next == n) break;
            if (opens_field(q, base + next)) {
                q->in_quotes = true;
                if (q->c) q->c->open_at = base + next;
                within |= UINT64_C(1) << next;
            }
            at = next + 1;
            continue;
        }
        within |= bits(at, next);
        if (next == n) break;
        int64_t behind = base + next + 1;
        if (behind < q->n && q->text[behind] == q->x->quote) {
            within |= bits(next, next + 1);
            if (next + 1 < n)
                within |= bits(next + 1, next + 2);
            else
                q->skip = true;
            at = next + 2;
        } else if (behind == q->n && q->c) {
            q->c->stop = SMR_CSV_AT_QUOTE;
            within |= bits(next, next + 1);
            break;
        } else {
            q->in_quotes = false;
            if (q->c) check_after_quote(q, behind);
            at = next + 1;
        }
    }
    return within;
}

/* ---- counting ----------------------------------------------------------------------------- */

static int64_t lines_before(const smr_csv_syntax *x, const char *text, int64_t at)
{
    int64_t n = 0;
    for (int64_t i = 0; i < at; i++) n += text[i] == x->newline;
    return n;
}

/* The text up to its first byte that tells what a quote, or the byte after one, means. */
static void enter(struct quotes *q)
{
    smr_csv_count *c = q->c;
    q->in_quotes = c->start == SMR_CSV_IN_QUOTES;
    q->starts_field = c->start == SMR_CSV_AT_FIELD;
    if (c->start == SMR_CSV_AT_QUOTE) {
        if (q->n > 0 && q->text[0] == q->x->quote) {
            q->in_quotes = true;
            q->skip = true;
        } else
            check_after_quote(q, 0);
    }
    if (c->start == SMR_CSV_BEHIND_QUOTES) check_after_quote(q, 0);
}

static smr_csv_place place_at_end(struct quotes *q)
{
    smr_csv_count *c = q->c;
    if (c->stop == SMR_CSV_AT_QUOTE || c->stop == SMR_CSV_BEHIND_QUOTES) return c->stop;
    if (q->in_quotes) return SMR_CSV_IN_QUOTES;
    return opens_field(q, q->n) ? SMR_CSV_AT_FIELD : SMR_CSV_IN_FIELD;
}

static inline uint64_t blanks(const smr_csv_syntax *x, word w)
{
    uint64_t mask = equal(w, ' ');
    if (x->newline != '\r') mask |= equal(w, '\r');
    if (x->delimiter != '\t') mask |= equal(w, '\t');
    return mask;
}

static void count(const smr_csv_syntax *x, const char *text, int64_t n, smr_csv_count *c)
{
    struct quotes q = {.x = x, .text = text, .n = n, .c = c};
    smr_csv_place start = c->start;
    *c = (smr_csv_count){.start = start,
                         .stop = SMR_CSV_AT_FIELD,
                         .first_end = -1,
                         .last_end = -1,
                         .open_at = -1,
                         .open_line = -1,
                         .nul_at = -1,
                         .nul_line = -1,
                         .stray_at = -1,
                         .stray_line = -1};
    enter(&q);
    uint64_t carry = 0;
    for (int64_t base = 0; base < n; base += WORD) {
        char tail[WORD];
        const char *p = text + base;
        int m = n - base < WORD ? (int)(n - base) : WORD;
        if (m < WORD) { /* padded with blanks, which mean nothing */
            memset(tail, ' ', sizeof tail);
            memcpy(tail, p, (size_t)m);
            p = tail;
        }
        word w = load(p);
        uint64_t newline = equal(w, x->newline), quote = equal(w, x->quote), small = low(w);
        uint64_t blank = 0;
        if (small != newline) {
            uint64_t nul = equal(w, '\0') & bits(0, m);
            if (UNLIKELY(nul && c->nul_at < 0)) c->nul_at = base + lowest(nul);
            blank = blanks(x, w);
        }
        uint64_t within = 0;
        if (UNLIKELY(quote || q.in_quotes || q.skip)) {
            c->has_quotes |= quote != 0;
            within = quoted_bytes(&q, base, quote, m);
        }
        uint64_t ends = newline & ~within, content = ~(blank | newline) | within;
        if (m < WORD) content &= bits(0, m);
        uint64_t sum;
        bool over = __builtin_add_overflow(~ends, content & ~ends, &sum);
        over |= __builtin_add_overflow(sum, carry, &sum);
        if (ends) {
            if (c->first_end < 0) {
                c->first_end = base + lowest(ends);
                c->first_blank = !(sum & ends & -ends);
            }
            c->last_end = base + highest(ends);
            c->lines_to_last_end =
                c->n_lines + __builtin_popcountll(newline & bits(0, highest(ends) + 1));
            c->n_rows += __builtin_popcountll(sum & ends);
            c->n_ends += __builtin_popcountll(ends);
        }
        c->n_lines += __builtin_popcountll(newline);
        carry = over;
    }
    c->has_content = carry;
    c->stop = place_at_end(&q);
    if (c->open_at >= 0) c->open_line = lines_before(x, text, c->open_at);
    if (c->nul_at >= 0) c->nul_line = lines_before(x, text, c->nul_at);
    if (c->stray_at >= 0) c->stray_line = lines_before(x, text, c->stray_at);
}

/* ---- indexing ----------------------------------------------------------------------------- */

/* Offsets of the bits; writes up to 8 or 16 at once, so `out` needs room at its end. */
static inline uint32_t *write_offsets(uint64_t mask, uint32_t base, uint32_t *out)
{
    int n = __builtin_popcountll(mask);
    uint32_t *end = out + n;
    for (int i = 0; i < 8; i++) {
        out[i] = base + (uint32_t)(mask ? lowest(mask) : 0);
        mask &= mask - 1;
    }
    if (n > 8)
        for (out += 8; out < end; out++) {
            *out = base + (uint32_t)lowest(mask);
            mask &= mask - 1;
        }
    return end;
}

static int64_t find_separators(const smr_csv_syntax *x, const char *text, int64_t n,
                               smr_csv_index *state, int64_t want, uint32_t *out)
{
    struct quotes q = {.x = x,
                       .text = text,
                       .n = n,
                       .starts_field = true,
                       .in_quotes = state->in_quotes,
                       .skip = state->skip};
    uint32_t *at = out, *enough = out + want;
    int64_t base = state->at, n_ends = 0;
    for (; base < n && at < enough; base += WORD) {
        word w = load(text + base);
        uint64_t newline = equal(w, x->newline), quote = equal(w, x->quote);
        uint64_t mask = equal(w, x->delimiter) | newline;
        int m = n - base < WORD ? (int)(n - base) : WORD;
        if (UNLIKELY(m < WORD)) {
            mask &= bits(0, m);
            quote &= bits(0, m);
        }
        if (UNLIKELY(quote || q.in_quotes || q.skip)) mask &= ~quoted_bytes(&q, base, quote, m);
        n_ends += __builtin_popcountll(newline & mask);
        at = write_offsets(mask, (uint32_t)base, at);
    }
    state->at = base;
    state->n_ends += n_ends;
    state->in_quotes = q.in_quotes;
    state->skip = q.skip;
    return at - out;
}

/* ---- numbers ------------------------------------------------------------------------------ */

static const double power_of_ten[FIELD_MAX + 1] = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};

#if defined(__SSE4_1__)

/* Row p closes up a point in byte p; row 16 moves nothing. */
static const uint8_t close_up[FIELD_MAX + 1][16] = {
    {0x80, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {0x80, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {0x80, 0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {0x80, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {0x80, 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {0x80, 0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {0x80, 0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {0x80, 0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15},
    {0x80, 0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15},
    {0x80, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15},
    {0x80, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15},
    {0x80, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15},
    {0x80, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15},
    {0x80, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15},
    {0x80, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15},
    {0x80, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};

/* The 16 bytes from keep_last + n on are 0 except for the last n. */
static const uint8_t keep_last[32] = {
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

static inline bool read_number(const char *begin, const char *end, double *out)
{
    uint64_t sign = *begin == '-';
    begin += sign | (*begin == '+');
    int64_t n = end - begin;
    if (UNLIKELY((uint64_t)(n - 1) >= FIELD_MAX)) return false;
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(end - 16));
    __m128i mask = _mm_loadu_si128((const __m128i *)(const void *)(keep_last + n));
    v = _mm_and_si128(_mm_sub_epi8(v, _mm_set1_epi8('0')), mask);
    __m128i digit = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(9)), v);
    uint32_t other = (uint32_t)_mm_movemask_epi8(digit) ^ 0xffff;
    uint32_t point = (uint32_t)__builtin_ctz(other | 0x10000); /* 16: none */
    /* At most one byte is not a digit, it is a point, and there is a digit. */
    if (UNLIKELY(other & (other - 1))) return false;
    if (other && UNLIKELY(end[(int64_t)point - 16] != '.' || n == 1)) return false;
    v = _mm_shuffle_epi8(v, _mm_loadu_si128((const __m128i *)(const void *)close_up[point]));
    v = _mm_maddubs_epi16(v, _mm_set1_epi16(0x010a));
    v = _mm_madd_epi16(v, _mm_set1_epi32(0x00010064));
    v = _mm_packus_epi32(v, v);
    v = _mm_madd_epi16(v, _mm_set1_epi32(0x00012710));
    uint64_t halves = (uint64_t)_mm_cvtsi128_si64(v);
    uint64_t whole = (halves & 0xffffffff) * 100000000 + (halves >> 32);
    if (UNLIKELY(whole > EXACT_MAX)) return false;
    uint32_t decimals = other ? 15 - point : 0;
    double value = (double)(int64_t)whole / power_of_ten[decimals];
    uint64_t pattern;
    memcpy(&pattern, &value, 8);
    pattern |= sign << 63;
    memcpy(out, &pattern, 8);
    return true;
}

#else

static inline uint64_t load_8(const char *p)
{
    uint64_t x;
    memcpy(&x, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x ^ UINT64_C(0x3030303030303030); /* digits become 0..9 */
}

/* The value of eight digits, the first in the lowest byte. */
static inline uint64_t join_8(uint64_t x)
{
    x = x * 10 + (x >> 8);
    x = ((x & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
         ((x >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
        32;
    return x & 0xffffffff;
}

/* The top bit of each byte that is not a digit. */
static inline uint64_t no_digits(uint64_t x)
{
    return ((x + UINT64_C(0x7676767676767676)) | x) & UINT64_C(0x8080808080808080);
}

/* Appends n <= 8 digits that end at `end`; false if some are not digits. */
static inline bool append_8(const char *end, int64_t n, uint64_t *value)
{
    static const uint32_t power[9] = {1,      10,      100,      1000,     10000,
                                      100000, 1000000, 10000000, 100000000};
    if (n == 0) return true;
    uint64_t x = load_8(end - 8) & (~UINT64_C(0) << 8 * (8 - n));
    *value = *value * power[n] + join_8(x);
    return !no_digits(x);
}

static inline bool append_digits(const char *begin, const char *end, uint64_t *value)
{
    int64_t n = end - begin, first = n > 8 ? n - 8 : 0;
    return append_8(begin + first, first, value) && append_8(end, n - first, value);
}

static inline bool read_number(const char *begin, const char *end, double *out)
{
    bool minus = *begin == '-';
    begin += minus || *begin == '+';
    int64_t n = end - begin;
    if (UNLIKELY((uint64_t)(n - 1) >= FIELD_MAX)) return false;
    const char *point = end;
    for (const char *p = begin; p < end; p++)
        if (*p == '.') {
            point = p;
            break;
        }
    int64_t decimals = point < end ? end - point - 1 : 0;
    if (point < end && n == 1) return false;
    uint64_t whole = 0;
    if (!append_digits(begin, point, &whole) || !append_digits(end - decimals, end, &whole))
        return false;
    if (UNLIKELY(whole > EXACT_MAX)) return false;
    double value = (double)(int64_t)whole / power_of_ten[decimals];
    *out = minus ? -value : value;
    return true;
}

#endif

#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

/* Four fields at once, for columns whose numbers have the same count of decimals, as most do: the
 * point is then in one known byte of each 16, or there is none. */
struct shape {
    int decimals;    /* -1: no point          */
    uint64_t points; /* where the points are  */
    __m512i close_up;
    __m256d power;
};

static inline struct shape shape_of(int decimals)
{
    int point = decimals < 0 ? 16 : 15 - decimals;
    __m128i row = _mm_loadu_si128((const __m128i *)(const void *)close_up[point]);
    return (struct shape){
        .decimals = decimals,
        .points = decimals < 0 ? 0 : (UINT64_C(1) << point) * UINT64_C(0x0001000100010001),
        .close_up = _mm512_broadcast_i32x4(row),
        .power = _mm256_set1_pd(power_of_ten[decimals < 0 ? 0 : decimals]),
    };
}

static inline bool read_four(const smr_csv_fields *f, const uint32_t *begin, const uint32_t *end,
                             const struct shape *shape, double *out)
{
    uint64_t most = 0, valid = 0;
    uint32_t signs = 0;
    const char *at[4];
    for (int i = 0; i < 4; i++) {
        const char *b = f->text + (uint32_t)(begin[i * f->begin_step] + f->begin_add);
        const char *e = f->text + end[i * f->end_step];
        uint32_t sign = *b == '-';
        uint64_t n = (uint64_t)(e - b) - sign;
        most |= n - 1;
        valid |= ((UINT64_C(0xffff0000) >> (n & 31)) & 0xffff) << 16 * i;
        signs |= sign << i;
        at[i] = e - 16;
    }
    if (UNLIKELY(most >= FIELD_MAX)) return false;
    __m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(const void *)at[0]));
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(const void *)at[1]), 1);
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(const void *)at[2]), 2);
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(const void *)at[3]), 3);
    uint64_t points = _mm512_mask_cmpeq_epi8_mask(valid, v, _mm512_set1_epi8('.'));
    v = _mm512_maskz_sub_epi8(valid, v, _mm512_set1_epi8('0'));
    uint64_t others = _mm512_cmpgt_epu8_mask(v, _mm512_set1_epi8(9));
    if (UNLIKELY((others ^ shape->points) | (points ^ shape->points))) return false;
    v = _mm512_shuffle_epi8(v, shape->close_up);
    v = _mm512_maddubs_epi16(v, _mm512_set1_epi16(0x010a));
    v = _mm512_madd_epi16(v, _mm512_set1_epi32(0x00010064));
    v = _mm512_packus_epi32(v, v);
    v = _mm512_madd_epi16(v, _mm512_set1_epi32(0x00012710));
    v = _mm512_add_epi64(_mm512_mul_epu32(v, _mm512_set1_epi64(100000000)),
                         _mm512_srli_epi64(v, 32));
    __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 0, 2, 4, 6);
    __m256i whole = _mm512_castsi512_si256(_mm512_permutexvar_epi64(even, v));
    if (UNLIKELY(_mm256_cmpgt_epu64_mask(whole, _mm256_set1_epi64x((int64_t)EXACT_MAX))))
        return false;
    __m256d value = _mm256_div_pd(_mm256_cvtepi64_pd(whole), shape->power);
    value = _mm256_mask_xor_pd(value, (__mmask8)signs, value, _mm256_set1_pd(-0.0));
    _mm256_storeu_pd(out, value);
    return true;
}

/* Decimals of a field that was read as a number; -1: no point. */
static int count_decimals(const char *begin, const char *end)
{
    for (const char *p = end; p-- > begin;)
        if (*p == '.') return (int)(end - p - 1);
    return -1;
}

/* Where columns mix shapes, trying four at once is given up for longer and longer. */
enum { PATIENCE_MAX = 256 };

static int64_t read_numbers(const smr_csv_fields *f, int64_t from, int64_t n, double *out)
{
    const uint32_t *begin = f->begin, *end = f->end;
    int64_t bs = f->begin_step, es = f->end_step, rest = 0, patience = 4;
    struct shape shape = {.decimals = INT32_MIN};
    int64_t i = from;
    while (i < n) {
        if (rest <= 0 && i + 4 <= n && shape.decimals != INT32_MIN) {
            if (LIKELY(read_four(f, begin + i * bs, end + i * es, &shape, out + i))) {
                i += 4;
                patience = 4;
                continue;
            }
            rest = patience;
            patience = patience < PATIENCE_MAX ? 2 * patience : PATIENCE_MAX;
        }
        const char *b = f->text + (uint32_t)(begin[i * bs] + f->begin_add);
        const char *e = f->text + end[i * es];
        if (!read_number(b, e, &out[i])) return i;
        i++;
        if (--rest <= 0) {
            int decimals = count_decimals(b, e);
            if (decimals != shape.decimals) shape = shape_of(decimals);
        }
    }
    return n;
}

#else

static int64_t read_numbers(const smr_csv_fields *f, int64_t from, int64_t n, double *out)
{
    const uint32_t *begin = f->begin + from * f->begin_step, *end = f->end + from * f->end_step;
    for (int64_t i = from; i < n; i++, begin += f->begin_step, end += f->end_step)
        if (!read_number(f->text + (uint32_t)(*begin + f->begin_add), f->text + *end, &out[i]))
            return i;
    return n;
}

#endif

extern const smr_csv_kernels EXPAND(SMR_TIER, csv_kernels);
const smr_csv_kernels EXPAND(SMR_TIER, csv_kernels) = {
    .tier = NAME_OF(SMR_TIER),
    .count = count,
    .index = find_separators,
    .numbers = read_numbers,
};
