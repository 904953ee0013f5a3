/* sort.h -- the order of numbers, the same with every C library. */
#ifndef SMR_CORE_SORT_H
#define SMR_CORE_SORT_H

#include "core/ctx.h"

/* order[0..n) = the row numbers by ascending x: equal values (-0 and 0 are equal) keep their order,
 * NaN come last.  Takes 32 bytes of memory a row while it runs. */
smr_status smr_argsort_f64(smr_ctx *ctx, int64_t n, const double *x, int64_t *order);

#endif
