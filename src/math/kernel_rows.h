/* kernel_rows.h -- a kernel matrix K(i, j) over n points, computed where it is looked at.
 *
 * Solvers of kernel machines see their points through this alone: they ask for blocks, and know
 * neither features nor strings nor what the kernel is.  Entries are floats: half the memory of a
 * cache, twice the speed of a product; sums over them are the solver's, in double. */
#ifndef SMR_MATH_KERNEL_ROWS_H
#define SMR_MATH_KERNEL_ROWS_H

#include "core/ctx.h"

typedef struct smr_kernel_rows {
    int64_t n; /* points */
    /* out[a * stride + b] = K(row[a], column[b]), a < n_rows, b < n_columns; column NULL: 0, 1, ...
     * On the context's threads.  K(i, j) and K(j, i) have the same bits, and these do not depend on
     * the block in which they are asked for. */
    smr_status (*block)(smr_ctx *ctx, const struct smr_kernel_rows *self, const int32_t *row,
                        int64_t n_rows, const int32_t *column, int64_t n_columns, float *out,
                        int64_t stride);
    /* out[i] = K(i, i), n of them. */
    smr_status (*diagonal)(smr_ctx *ctx, const struct smr_kernel_rows *self, double *out);
} smr_kernel_rows;

#endif
