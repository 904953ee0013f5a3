/* sort.h -- stable orders, the same with every C library. */
#ifndef SMR_CORE_SORT_H
#define SMR_CORE_SORT_H

#include "core/ctx.h"

#include <math.h>
#include <string.h>

/* order[0..n) = the row numbers by ascending x: equal values (-0 and 0 are equal) keep their order,
 * NaN come last.  Takes 32 bytes of memory per row at most while it runs. */
smr_status smr_argsort_f64(smr_ctx *ctx, int64_t n, const double *x, int64_t *order);

/* A number as an integer of the same order (-0 as 0, NaN last), and its row. */
typedef struct smr_placed {
    uint64_t key;
    int64_t row;
} smr_placed;

static inline uint64_t smr_sort_key(double x)
{
    uint64_t bits;
    if (isnan(x)) return UINT64_MAX;
    x += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static inline double smr_sort_value(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Sorts the first n of 2 n items by their keys, equal ones in their order; returns where in `room`
 * the result is. */
const smr_placed *smr_sort_placed(int64_t n, smr_placed *room);

/* The stable order of 1 <= n <= SMR_SORT_ROWS numbers: order[r] = the row of the r-th, and where
 * its value is not that of the one before it, and of the first, SMR_NEW_VALUE as well.  room: 2 n
 * words.  Returns the number of distinct values; NaN are one. */
#define SMR_SORT_ROWS INT64_C(0x7fffffff)
#define SMR_NEW_VALUE UINT32_C(0x80000000)
int64_t smr_sort_rows(int64_t n, const double *x, uint32_t *order, uint64_t *room);

/* Sorts n keys with the help of as many spare ones; returns whichever of a and b holds them. */
uint64_t *smr_sort_keys(int64_t n, uint64_t *a, uint64_t *b);
/* Sorts n values, none of them NaN, with the help of as many spare ones; -0 becomes 0.  Returns
 * whichever of the two arrays holds the result. */
double *smr_sort_f64(int64_t n, double *x, double *spare);

/* Negative, 0 or positive as item a comes before, with or after item b. */
typedef int (*smr_compare_fn)(const void *items, int64_t a, int64_t b);

/* order[0..n) = the item numbers by `compare`, equal ones in their order: n log2 n comparisons. */
smr_status smr_argsort(smr_ctx *ctx, int64_t n, smr_compare_fn compare, const void *items,
                       int64_t *order);

#endif
