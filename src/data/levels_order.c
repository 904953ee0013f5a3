/* levels_order.c -- the order of levels, for columns with very many of them.
 *
 * The same order as smr_levels_sort (numbers by value, else bytes), which compares two strings at a
 * time, each compare a walk through memory.  Here eight bytes of each string are looked at together
 * as one number; strings that agree in them are sorted among themselves by the next eight.  Strings
 * that agree for long are compared as a whole.
 *
 * Cost: many strings are distributed by one byte of the number after another, the lowest first,
 * without the bytes that all have in common; few are sorted by n log n compares.  32 bytes for each
 * string.  A string that ends is filled up with zeros, and so comes before a longer one; where the
 * longer one goes on with NULs, they agree until they are compared as a whole. */
#include "core/number.h"
#include "data/table.h"

#include <math.h>
#include <string.h>

enum { FEW = 64, MANY = 4096, KEY_BYTES = 8, DEPTH_MAX = 64 };

struct item {
    uint64_t key;
    int64_t code;
};

static uint64_t key_at(const smr_strings *s, int64_t code, int64_t depth)
{
    int64_t n;
    const char *text = smr_strings_get(s, code, &n);
    uint64_t key = 0;
    int64_t have = SMR_MIN(n - depth, KEY_BYTES);
    for (int64_t i = 0; i < have; i++)
        key |= (uint64_t)(uint8_t)text[depth + i] << 8 * (KEY_BYTES - 1 - i);
    return key;
}

static bool comes_before(const smr_strings *s, int64_t depth, struct item a, struct item b)
{
    if (depth < DEPTH_MAX) return a.key < b.key;
    int64_t na, nb;
    const char *ta = smr_strings_get(s, a.code, &na), *tb = smr_strings_get(s, b.code, &nb);
    int c = memcmp(ta, tb, (size_t)SMR_MIN(na, nb));
    return c ? c < 0 : na < nb;
}

/* Stable; spare has n / 2 elements. */
static void merge_sort(const smr_strings *s, int64_t depth, int64_t n, struct item *items,
                       struct item *spare)
{
    if (n < 2) return;
    int64_t half = n / 2, a = 0, b = half;
    merge_sort(s, depth, half, items, spare);
    merge_sort(s, depth, n - half, items + half, spare);
    memcpy(spare, items, (size_t)half * sizeof *spare);
    for (int64_t k = 0; a < half; k++)
        items[k] = b < n && comes_before(s, depth, items[b], spare[a]) ? items[b++] : spare[a++];
}

/* By key, stable; spare has n elements. */
static void spread_sort(int64_t n, struct item *items, struct item *spare)
{
    int64_t count[KEY_BYTES][256] = {{0}};
    struct item *from = items, *to = spare;
    for (int64_t i = 0; i < n; i++)
        for (int b = 0; b < KEY_BYTES; b++) count[b][items[i].key >> 8 * b & 255]++;
    for (int b = 0; b < KEY_BYTES; b++) {
        if (count[b][items[0].key >> 8 * b & 255] == n) continue;
        int64_t at[256], next = 0;
        for (int v = 0; v < 256; v++) {
            at[v] = next;
            next += count[b][v];
        }
        for (int64_t i = 0; i < n; i++) to[at[from[i].key >> 8 * b & 255]++] = from[i];
        struct item *swap = from;
        from = to;
        to = swap;
    }
    if (from != items) memcpy(items, from, (size_t)n * sizeof *items);
}

/* Items that agree in their first `depth` bytes. */
static void sort_from(const smr_strings *s, int64_t depth, int64_t n, struct item *items,
                      struct item *spare)
{
    if (depth < DEPTH_MAX)
        for (int64_t i = 0; i < n; i++) items[i].key = key_at(s, items[i].code, depth);
    if (n >= MANY && depth < DEPTH_MAX)
        spread_sort(n, items, spare);
    else
        merge_sort(s, depth, n, items, spare);
    if (depth >= DEPTH_MAX) return;
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && items[end].key == items[i].key; end++) {
        }
        if (end - i > 1) sort_from(s, depth + KEY_BYTES, end - i, items + i, spare);
    }
}

static bool all_are_numbers(const smr_strings *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        int64_t n;
        double value;
        const char *text = smr_strings_get(s, i, &n);
        if (smr_parse_double(text, text + n, &value) != text + n || isnan(value)) return false;
    }
    return true;
}

smr_status smr_levels_order(smr_ctx *ctx, const smr_strings *s, int64_t *order)
{
    smr_status st = SMR_OK;
    struct item *items = NULL, *spare = NULL;
    if (s->n < FEW || all_are_numbers(s)) return smr_levels_sort(ctx, s, order);
    TRY_NEW(items, s->n);
    spare = smr_alloc_raw(ctx, s->n, sizeof *spare);
    if (!spare) TRY(SMR_ERR_NOMEM);
    for (int64_t i = 0; i < s->n; i++) items[i].code = i;
    sort_from(s, 0, s->n, items, spare);
    for (int64_t i = 0; i < s->n; i++) order[i] = items[i].code;
out:
    smr_free(items);
    smr_free(spare);
    return st;
}
