/* sort.h -- stable orders, the same with every C library. */
#ifndef SMR_CORE_SORT_H
#define SMR_CORE_SORT_H

#include "core/ctx.h"

/* order[0..n) = the row numbers by ascending x: equal values (-0 and 0 are equal) keep their order,
 * NaN come last.  Takes 32 bytes of memory per row while it runs. */
smr_status smr_argsort_f64(smr_ctx *ctx, int64_t n, const double *x, int64_t *order);

/* Negative, 0 or positive as item a comes before, with or after item b. */
typedef int (*smr_compare_fn)(const void *items, int64_t a, int64_t b);

/* order[0..n) = the item numbers by `compare`, equal ones in their order: n log2 n comparisons. */
smr_status smr_argsort(smr_ctx *ctx, int64_t n, smr_compare_fn compare, const void *items,
                       int64_t *order);

#endif
