/* sort.c -- see sort.h.
 *
 * Doubles become unsigned integers of the same order (sign bit flipped for positive, all bits for
 * negative numbers), which are sorted with their row by a radix sort of 11 bits per pass, least
 * significant first; a pass whose bits are the same in all keys is left out.  Short inputs are
 * merged instead.  Both are stable, so they give the same answer, the only one.  Cost: 7 n reads
 * for the counts and up to 6 moves of 16 bytes per row; n log2 n comparisons for short ones. */
#include "core/sort.h"

#include <math.h>
#include <string.h>

enum { BITS = 11, BUCKETS = 1 << BITS, PASSES = 6, SHORT = 700 };

struct row {
    uint64_t key;
    int64_t index;
};

static uint64_t key_of(double x)
{
    if (isnan(x)) return UINT64_MAX;
    x += 0.0; /* -0 becomes 0 */
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static int64_t bucket_of(uint64_t key, int pass)
{
    return (int64_t)(key >> (BITS * pass) & (BUCKETS - 1));
}

/* Stable merges of runs of 1, 2, 4 ...; returns whichever of a and b holds the result. */
static struct row *merge_sort(int64_t n, struct row *a, struct row *b)
{
    for (int64_t run = 1; run < n; run *= 2) {
        for (int64_t lo = 0; lo < n; lo += 2 * run) {
            int64_t mid = SMR_MIN(lo + run, n), hi = SMR_MIN(lo + 2 * run, n), i = lo, j = mid;
            for (int64_t k = lo; k < hi; k++)
                b[k] = j >= hi || (i < mid && a[i].key <= a[j].key) ? a[i++] : a[j++];
        }
        struct row *t = a;
        a = b;
        b = t;
    }
    return a;
}

/* As merge_sort; `start` is PASSES x BUCKETS counts, zero at first. */
static struct row *radix_sort(int64_t n, struct row *a, struct row *b, int64_t *start)
{
    for (int64_t i = 0; i < n; i++)
        for (int pass = 0; pass < PASSES; pass++)
            start[pass * BUCKETS + bucket_of(a[i].key, pass)]++;

    for (int pass = 0; pass < PASSES; pass++) {
        int64_t *at = start + pass * BUCKETS, total = 0;
        if (at[bucket_of(a[0].key, pass)] == n) continue;
        for (int64_t k = 0; k < BUCKETS; k++) {
            int64_t count = at[k];
            at[k] = total;
            total += count;
        }
        for (int64_t i = 0; i < n; i++) b[at[bucket_of(a[i].key, pass)]++] = a[i];
        struct row *t = a;
        a = b;
        b = t;
    }
    return a;
}

smr_status smr_argsort_f64(smr_ctx *ctx, int64_t n, const double *x, int64_t *order)
{
    smr_status st = SMR_OK;
    struct row *rows = NULL, *sorted;
    int64_t *start = NULL;
    if (n <= 0) return SMR_OK;
    rows = smr_alloc_raw(ctx, 2 * n, sizeof *rows);
    if (!rows) return SMR_ERR_NOMEM;
    if (n >= SHORT) TRY_NEW(start, PASSES * BUCKETS);

    for (int64_t i = 0; i < n; i++) rows[i] = (struct row){key_of(x[i]), i};
    sorted = start ? radix_sort(n, rows, rows + n, start) : merge_sort(n, rows, rows + n);
    for (int64_t i = 0; i < n; i++) order[i] = sorted[i].index;
out:
    smr_free(start);
    smr_free(rows);
    return st;
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
