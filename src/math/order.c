/* order.c -- see order.h. */
#include "math/order.h"

#include <math.h>
#include <string.h>

struct pair {
    uint64_t key;
    int64_t row;
};

enum { SMALL = 64, BYTES = 8, VALUES = 256 };

static void insertion_sort(int64_t n, struct pair *p)
{
    for (int64_t i = 1; i < n; i++) {
        struct pair moving = p[i];
        int64_t j = i;
        for (; j > 0 && p[j - 1].key > moving.key; j--) p[j] = p[j - 1];
        p[j] = moving;
    }
}

/* Sorts by one byte from `from` into `to`; false, with nothing moved, when all bytes are equal. */
static bool radix_pass(int64_t n, const struct pair *from, struct pair *to, int64_t *count,
                       int shift)
{
    if (count[(from[0].key >> shift) & 255] == n) return false;
    int64_t begin = 0;
    for (int v = 0; v < VALUES; v++) {
        int64_t c = count[v];
        count[v] = begin;
        begin += c;
    }
    for (int64_t i = 0; i < n; i++) to[count[(from[i].key >> shift) & 255]++] = from[i];
    return true;
}

/* The sorted pairs are in the array that is returned: `a` or `b`. */
static struct pair *radix_sort(int64_t n, struct pair *a, struct pair *b)
{
    int64_t count[BYTES][VALUES] = {{0}};
    for (int64_t i = 0; i < n; i++)
        for (int byte = 0; byte < BYTES; byte++) count[byte][(a[i].key >> (8 * byte)) & 255]++;
    for (int byte = 0; byte < BYTES; byte++) {
        if (!radix_pass(n, a, b, count[byte], 8 * byte)) continue;
        struct pair *t = a;
        a = b;
        b = t;
    }
    return a;
}

/* Unsigned keys in the order of the doubles: negative numbers have all bits turned, others the sign
 * bit only. */
static uint64_t key_of_double(double x)
{
    uint64_t bits;
    if (isnan(x)) return UINT64_MAX;
    x += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (UINT64_C(1) << 63);
}

static smr_status sort_pairs(smr_ctx *ctx, int64_t n, struct pair *pairs, int64_t *order)
{
    struct pair *sorted = pairs, *other = NULL;
    if (n <= SMALL) {
        insertion_sort(n, pairs);
    } else {
        other = smr_alloc_raw(ctx, n, sizeof *other);
        if (!other) return SMR_ERR_NOMEM;
        sorted = radix_sort(n, pairs, other);
    }
    for (int64_t i = 0; i < n; i++) order[i] = sorted[i].row;
    smr_free(other);
    return SMR_OK;
}

smr_status smr_order_f64(smr_ctx *ctx, int64_t n, const double *key, int64_t *order)
{
    struct pair *pairs = smr_alloc_raw(ctx, n, sizeof *pairs);
    if (!pairs) return SMR_ERR_NOMEM;
    for (int64_t i = 0; i < n; i++) pairs[i] = (struct pair){key_of_double(key[i]), i};
    smr_status st = sort_pairs(ctx, n, pairs, order);
    smr_free(pairs);
    return st;
}

smr_status smr_order_i64(smr_ctx *ctx, int64_t n, const int64_t *key, int64_t *order)
{
    struct pair *pairs = smr_alloc_raw(ctx, n, sizeof *pairs);
    if (!pairs) return SMR_ERR_NOMEM;
    for (int64_t i = 0; i < n; i++)
        pairs[i] = (struct pair){(uint64_t)key[i] ^ (UINT64_C(1) << 63), i};
    smr_status st = sort_pairs(ctx, n, pairs, order);
    smr_free(pairs);
    return st;
}
