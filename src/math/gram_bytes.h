/* gram_bytes.h -- the centred Gram matrix of rows of bytes: exact sums, each entry rounded once.
 *
 *     mean = sum x / n,   G = sum (x - mean)(x - mean)' = sum x x' - (sum x)(sum x)' / n       (1)
 *
 * Products and sums are whole numbers, so that no order of them can change a bit, and (1) loses
 * nothing by the subtraction.  Rows that are all 1 byte wide cost an eighth of the memory traffic
 * of doubles, and the product of bytes (kernel.h) several times less than that of doubles.
 * Cost: n d^2 / 2 multiply-adds of bytes; memory 8 d^2 bytes a lane. */
#ifndef SMR_MATH_GRAM_BYTES_H
#define SMR_MATH_GRAM_BYTES_H

#include "core/parallel.h"

enum { SMR_BYTES_BLOCK = 1024 };

/* Rows [lo, hi), at most SMR_BYTES_BLOCK, valid until the next call for the same lane; calls for
 * different lanes may run at once. */
typedef smr_status (*smr_byte_rows_fn)(smr_ctx *ctx, void *arg, int lane, int64_t lo, int64_t hi,
                                       const uint8_t **x, int64_t *stride);

/* mean (d) and gram (d x d, symmetric) of (1); 1 <= n <= SMR_MAX_DIM. */
smr_status smr_gram_bytes(smr_ctx *ctx, int64_t n, int64_t d, smr_byte_rows_fn rows, void *arg,
                          double *mean, double *gram);

#endif
