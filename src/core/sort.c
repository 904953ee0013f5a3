/* sort.c -- see sort.h.
 *
 * Doubles become unsigned integers of the same order (sign bit flipped for positive, all bits for
 * negative numbers), which are sorted by radix, least significant digit first, but only by the
 * highest bits in which they differ: three digits of 8 bits, or of 11 where there are many.  That
 * leaves few keys out of order, which insertion mends.  Where it does not, because most keys lie
 * close to each other and few far away, all bits are sorted.  Each of these is stable, so they give
 * the same answer, the only one.
 *
 * Numbers with their rows move as words of 64 bits.  Decimals of few digits, 0.25 or 17, are sorted
 * as whole numbers, of which few bits differ.  Of others a word has as many of the highest bits in
 * which they differ as the row leaves; rows whose bits are the same are put in order by the bits
 * that were left out, which fit into a word with the row, since there are no more of them than the
 * row has.  Cost: 1 to 3 moves of 8 bytes per row, 9 at worst; for items, 3 of 16. */
#include "core/sort.h"

#include <string.h>

enum {
    FEW = 48,
    MANY = 2048,
    NARROW = 8,
    USUAL = 11,
    WIDE = 12,
    RADIX_PASSES = 3,
    RADIX_MOVES = 4,
    AHEAD = 16,
    FAR_AHEAD = 64,
    CACHED = 1 << 19 /* bytes that are near in any case */
};

/* How many bits a number takes. */
static int bit_count(uint64_t x)
{
    return x ? 64 - __builtin_clzll(x) : 0;
}

#define ITEM smr_placed
#define KEY(item) ((item).key)
#define R(name) row_##name
#include "core/radix.inl"
#undef ITEM
#undef KEY
#undef R

#define ITEM uint64_t
#define KEY(item) (item)
#define R(name) key_##name
#include "core/radix.inl"

/* Stable merges of runs of 1, 2, 4 ...; returns whichever of a and b holds the result. */
static smr_placed *merge_sort(int64_t n, smr_placed *a, smr_placed *b)
{
    for (int64_t run = 1; run < n; run *= 2) {
        for (int64_t lo = 0; lo < n; lo += 2 * run) {
            int64_t mid = SMR_MIN(lo + run, n), hi = SMR_MIN(lo + 2 * run, n), i = lo, j = mid;
            for (int64_t k = lo; k < hi; k++)
                b[k] = j >= hi || (i < mid && a[i].key <= a[j].key) ? a[i++] : a[j++];
        }
        smr_placed *t = a;
        a = b;
        b = t;
    }
    return a;
}

const smr_placed *smr_sort_placed(int64_t n, smr_placed *room)
{
    if (n < FEW) return merge_sort(n, room, room + n);
    return row_by_bits(n, room, room + n, 0, row_differing(n, room));
}

uint64_t *smr_sort_keys(int64_t n, uint64_t *a, uint64_t *b)
{
    if (n < FEW && key_settle(n, a)) return a;
    return key_by_bits(n, a, b, 0, key_differing(n, a));
}

/* ---- numbers with their rows ------------------------------------------------------------ */

/* How the words of n rows are made: key << row_bits | row, where the key is that of the number
 * without its lowest bits or, where scale is not 0, the number times scale, less `least`. */
struct words {
    const double *x;
    int row_bits, key_bits;
    uint64_t row_mask;
    double scale, least;
    int dropped;        /* bits                                                       */
    uint64_t same_sign; /* the bits in which numbers of the same sign may differ      */
};

/* x scale as a whole number. */
static inline double steps(double x, double scale)
{
    return (x * scale + 0x1.8p52) - 0x1.8p52;
}

/* Each of the numbers is the double next to a whole number below 2^42 over this scale; then whole
 * numbers have the order and the ties of the numbers. */
static bool are_decimal(int64_t n, const double *x, double scale, double *least, double *most)
{
    double lo = 0x1p42, hi = -0x1p42;
    for (int64_t i = 0; i < n; i++) {
        double v = steps(x[i], scale);
        if (!(fabs(v) < 0x1p42 && v / scale == x[i])) return false;
        lo = v < lo ? v : lo;
        hi = v > hi ? v : hi;
    }
    *least = lo;
    *most = hi;
    return true;
}

static bool choose_decimals(int64_t n, struct words *w)
{
    double least, most, scale = 1;
    while (scale <= 1e9 && !are_decimal(SMR_MIN(n, FEW), w->x, scale, &least, &most)) scale *= 10;
    if (scale > 1e9 || !are_decimal(n, w->x, scale, &least, &most)) return false;
    w->key_bits = bit_count((uint64_t)(most - least));
    if (w->key_bits + w->row_bits > 64) return false;
    w->scale = scale;
    w->least = least;
    return true;
}

static struct words choose_words(int64_t n, const double *x)
{
    struct words w = {.x = x, .row_bits = SMR_MAX(1, bit_count((uint64_t)n - 1))};
    uint64_t first = smr_sort_key(x[0]), differ = 0;
    w.row_mask = (UINT64_C(1) << w.row_bits) - 1;
    if (choose_decimals(n, &w)) return w;
    for (int64_t i = 0; i < n; i++) {
        uint64_t change = smr_sort_key(x[i]) ^ first;
        differ |= change;
        w.same_sign |= change >> 63 ? ~change : change;
    }
    w.dropped = SMR_MAX(0, bit_count(differ) + w.row_bits - 64);
    w.key_bits = bit_count(differ >> w.dropped);
    return w;
}

static void write_words(const struct words *w, int64_t n, uint64_t *word)
{
    const double *x = w->x;
    for (int64_t i = 0; w->scale > 0 && i < n; i++)
        word[i] =
            (uint64_t)(int64_t)(steps(x[i], w->scale) - w->least) << w->row_bits | (uint64_t)i;
    for (int64_t i = 0; w->scale == 0 && i < n; i++)
        word[i] = smr_sort_key(x[i]) >> w->dropped << w->row_bits | (uint64_t)i;
}

/* order = the rows of n sorted words, with SMR_NEW_VALUE where the bits before the row change;
 * returns how often they do. */
static int64_t read_rows(const struct words *w, int64_t n, const uint64_t *word, uint32_t *order)
{
    uint64_t before = ~(word[0] >> w->row_bits);
    int64_t changes = 0;
    for (int64_t r = 0; r < n; r++) {
        uint64_t bits = word[r] >> w->row_bits;
        order[r] = (uint32_t)(word[r] & w->row_mask) | (bits != before ? SMR_NEW_VALUE : 0);
        changes += bits != before;
        before = bits;
    }
    return changes;
}

/* Rows whose words have the same bits, by the bits that were dropped; returns how many values they
 * have. */
static int64_t sort_run(const struct words *w, int64_t n, uint32_t *order, uint64_t *room)
{
    uint64_t dropped = (UINT64_C(1) << w->dropped) - 1;
    for (int64_t k = 0; k < n; k++) {
        uint64_t row = order[k] & ~SMR_NEW_VALUE;
        room[k] = (smr_sort_key(w->x[row]) & dropped) << w->row_bits | row;
    }
    if (n < FEW && key_settle(n, room)) return read_rows(w, n, room, order);
    return read_rows(w, n, key_by_bits(n, room, room + n, w->row_bits, w->row_bits + w->dropped),
                     order);
}

/* The same of two rows, which is what most runs are. */
static int64_t sort_two(const struct words *w, uint32_t *order)
{
    uint32_t a = order[0] & ~SMR_NEW_VALUE, b = order[1];
    uint64_t first = smr_sort_key(w->x[a]), second = smr_sort_key(w->x[b]);
    if (first == second) return 1;
    order[0] = (first < second ? a : b) | SMR_NEW_VALUE;
    order[1] = (first < second ? b : a) | SMR_NEW_VALUE;
    return 2;
}

int64_t smr_sort_rows(int64_t n, const double *x, uint32_t *order, uint64_t *room)
{
    struct words w = choose_words(n, x);
    write_words(&w, n, room);
    uint64_t *sorted = key_by_bits(n, room, room + n, w.row_bits, w.row_bits + w.key_bits);
    int64_t distinct = read_rows(&w, n, sorted, order);
    if (!(w.same_sign & ((UINT64_C(1) << w.dropped) - 1))) return distinct;
    for (int64_t r = 1, end; r < n; r = end) {
        end = r + 1;
        if (r + FAR_AHEAD < n && !(order[r + FAR_AHEAD] & SMR_NEW_VALUE)) {
            __builtin_prefetch(&x[order[r + FAR_AHEAD]]);
            __builtin_prefetch(&x[order[r + FAR_AHEAD - 1] & ~SMR_NEW_VALUE]);
        }
        if (order[r] & SMR_NEW_VALUE) continue;
        while (end < n && !(order[end] & SMR_NEW_VALUE)) end++;
        distinct += (end == r + 1 ? sort_two(&w, order + r - 1)
                                  : sort_run(&w, end - r + 1, order + r - 1, room)) -
                    1;
    }
    return distinct;
}

static smr_status argsort_placed(smr_ctx *ctx, int64_t n, const double *x, int64_t *order)
{
    smr_placed *room = smr_alloc_raw(ctx, 2 * n, sizeof *room);
    if (!room) return SMR_ERR_NOMEM;
    for (int64_t i = 0; i < n; i++) room[i] = (smr_placed){smr_sort_key(x[i]), i};
    const smr_placed *sorted = smr_sort_placed(n, room);
    for (int64_t i = 0; i < n; i++) order[i] = sorted[i].row;
    smr_free(room);
    return SMR_OK;
}

smr_status smr_argsort_f64(smr_ctx *ctx, int64_t n, const double *x, int64_t *order)
{
    smr_status st = SMR_OK;
    uint64_t *room = NULL;
    uint32_t *rows = NULL;
    if (n <= 0) return SMR_OK;
    if (n < MANY || n > SMR_SORT_ROWS) return argsort_placed(ctx, n, x, order);
    room = smr_alloc_raw(ctx, 2 * n, sizeof *room);
    rows = room ? smr_alloc_raw(ctx, n, sizeof *rows) : NULL;
    if (!rows) TRY(SMR_ERR_NOMEM);
    smr_sort_rows(n, x, rows, room);
    for (int64_t r = 0; r < n; r++) order[r] = (int64_t)(rows[r] & ~SMR_NEW_VALUE);
out:
    smr_free(rows);
    smr_free(room);
    return st;
}

double *smr_sort_f64(int64_t n, double *x, double *spare)
{
    uint64_t *a = (uint64_t *)(void *)x, *b = (uint64_t *)(void *)spare;
    if (n <= 0) return x;
    for (int64_t i = 0; i < n; i++) a[i] = smr_sort_key(x[i]);
    a = smr_sort_keys(n, a, b);
    for (int64_t i = 0; i < n; i++) {
        double v = smr_sort_value(a[i]);
        memcpy(&a[i], &v, sizeof v);
    }
    return (double *)(void *)a;
}

smr_status smr_argsort(smr_ctx *ctx, int64_t n, smr_compare_fn compare, const void *items,
                       int64_t *order)
{
    int64_t sorted = 1;
    if (n <= 0) return SMR_OK;
    while (sorted < n && compare(items, sorted - 1, sorted) <= 0) sorted++;
    for (int64_t i = 0; i < n; i++) order[i] = i;
    if (sorted == n) return SMR_OK; /* as tables of sequences mostly come */
    int64_t *other = smr_alloc_raw(ctx, n, sizeof *other), *a = order, *b = other;
    if (!other) return SMR_ERR_NOMEM;
    for (int64_t run = 1; run < n; run *= 2) { /* as merge_sort */
        for (int64_t lo = 0; lo < n; lo += 2 * run) {
            int64_t mid = SMR_MIN(lo + run, n), hi = SMR_MIN(lo + 2 * run, n), i = lo, j = mid;
            for (int64_t k = lo; k < hi; k++)
                b[k] = j >= hi || (i < mid && compare(items, a[i], a[j]) <= 0) ? a[i++] : a[j++];
        }
        int64_t *t = a;
        a = b;
        b = t;
    }
    if (a != order) memcpy(order, a, (size_t)n * sizeof *order);
    smr_free(other);
    return SMR_OK;
}
