/* order.h -- stable sorting of row numbers by a key.
 *
 * Radix sort by bytes on (key, row) pairs, passes over equal bytes skipped; insertion sort below 64
 * rows.  O(n) time, 32 n bytes of scratch, no dependence on threads. */
#ifndef SMR_MATH_ORDER_H
#define SMR_MATH_ORDER_H

#include "core/ctx.h"

/* order[0..n) = the numbers 0 .. n-1 so that key[order[r]] ascends; equal keys (-0 and 0 are equal)
 * keep their order; NaN come last. */
smr_status smr_order_f64(smr_ctx *ctx, int64_t n, const double *key, int64_t *order);
smr_status smr_order_i64(smr_ctx *ctx, int64_t n, const int64_t *key, int64_t *order);

#endif
