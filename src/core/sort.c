/* sort.c -- see sort.h.
 *
 * Doubles become unsigned integers of the same order (sign bit flipped for positive, all bits for
 * negative numbers), which are sorted by radix, least significant digit first, but only by the
 * highest bits in which they differ: three digits of 8 bits, or of 11 where there are many.  That
 * leaves few keys out of order, which insertion mends.  Where it does not, because most keys lie
 * close to each other and few far away, all bits are sorted, or few keys merged.  Each of these is
 * stable, so they give the same answer, the only one.  Cost: 3 moves of 16 bytes per row, 9 at
 * worst. */
#include "core/sort.h"

#include <string.h>

enum {
    FEW = 48,
    MANY = 2048,
    NARROW = 8,
    WIDE = 11,
    RADIX_PASSES = 3,
    RADIX_MOVES = 4,
    AHEAD = 16
};

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

/* Whatever is done, equal keys keep their order: one way can go on where another stopped. */
const smr_placed *smr_sort_placed(int64_t n, smr_placed *room)
{
    smr_placed *a = room, *b = room + n;
    int64_t start[RADIX_PASSES << WIDE];
    int bits = n < MANY ? NARROW : WIDE;
    if (n < FEW) return merge_sort(n, a, b);
    int low = row_first_bit(n, a, bits);
    if (low == 64) return a;
    smr_placed *sorted = row_by_digits(n, a, b, low, bits, start);
    if (low == 0 || row_settle(n, sorted)) return sorted;
    if (n < MANY) return merge_sort(n, sorted, sorted == a ? b : a);
    sorted = row_by_digits(n, sorted, sorted == a ? b : a, 0, WIDE, start);
    return row_by_digits(n, sorted, sorted == a ? b : a, RADIX_PASSES * WIDE, WIDE, start);
}

uint64_t *smr_sort_keys(int64_t n, uint64_t *a, uint64_t *b)
{
    int64_t start[RADIX_PASSES << WIDE];
    if (n < FEW && key_settle(n, a)) return a;
    int bits = n < MANY ? NARROW : WIDE, low = key_first_bit(n, a, bits);
    if (low == 64) return a;
    uint64_t *sorted = key_by_digits(n, a, b, low, bits, start);
    if (low == 0 || key_settle(n, sorted)) return sorted;
    sorted = key_by_digits(n, sorted, sorted == a ? b : a, 0, WIDE, start);
    return key_by_digits(n, sorted, sorted == a ? b : a, RADIX_PASSES * WIDE, WIDE, start);
}

/* Insertion of keys and rows together, as row_settle. */
static bool settle_rows(int64_t n, uint64_t *keys, uint64_t *rows)
{
    int64_t left = RADIX_MOVES * n;
    for (int64_t i = 1; i < n; i++) {
        uint64_t key = keys[i], row = rows[i];
        int64_t at = i;
        if (keys[i - 1] <= key) continue;
        for (; at > 0 && keys[at - 1] > key; at--) {
            keys[at] = keys[at - 1];
            rows[at] = rows[at - 1];
        }
        keys[at] = key;
        rows[at] = row;
        left -= i - at;
        if (left < 0) return false;
    }
    return true;
}

/* The 32 highest bits in which the keys differ go before the row into one word: words move half the
 * memory of keys with rows, and their order keeps equal ones in the order of the rows. */
uint64_t *smr_sort_rows(int64_t n, const double *x, uint64_t *keys, uint64_t *room)
{
    uint64_t differ = 0;
    int shift = 32;
    if (n <= 0 || n >= INT64_C(1) << 32) return NULL;
    for (int64_t i = 0; i < n; i++) {
        keys[i] = smr_sort_key(x[i]);
        differ |= keys[i] ^ keys[0];
    }
    while (shift > 0 && !(differ >> (shift + 31))) shift--;
    for (int64_t i = 0; i < n; i++) room[i] = keys[i] >> shift << 32 | (uint64_t)i;
    uint64_t *rows = smr_sort_keys(n, room, room + n);
    for (int64_t r = 0; r < n; r++) rows[r] &= UINT32_MAX;
    for (int64_t r = 0; r < n; r++) {
        if (r + AHEAD < n) __builtin_prefetch(&x[rows[r + AHEAD]]);
        keys[r] = smr_sort_key(x[rows[r]]);
    }
    return settle_rows(n, keys, rows) ? rows : NULL;
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
    if (n <= 0) return SMR_OK;
    if (n < MANY) return argsort_placed(ctx, n, x, order);
    uint64_t *keys = smr_alloc_raw(ctx, 3 * n, sizeof *keys);
    if (!keys) return SMR_ERR_NOMEM;
    const uint64_t *rows = smr_sort_rows(n, x, keys, keys + n);
    for (int64_t r = 0; rows && r < n; r++) order[r] = (int64_t)rows[r];
    smr_free(keys);
    return rows ? SMR_OK : argsort_placed(ctx, n, x, order);
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
    if (n <= 0) return SMR_OK;
    int64_t *other = smr_alloc_raw(ctx, n, sizeof *other), *a = order, *b = other;
    if (!other) return SMR_ERR_NOMEM;
    for (int64_t i = 0; i < n; i++) a[i] = i;
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
