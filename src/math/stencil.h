/* stencil.h -- a picture filtered with a kernel: each pixel becomes a weighted sum of those around.
 *
 *     y(r, c) = sum over i, j of k(i, j) x(r s + i - p, c s + j - q)
 *
 * with the stride s and the padding p, q: half of the kernel's height and width (rounded down)
 * above and to the left, the rest below and to the right; 0 where only whole windows count.
 * Each channel by itself.  Each y is one chain of fused operations, row by row through the kernel.
 * Cost: height x width x channels x kernel of the result. */
#ifndef SMR_MATH_STENCIL_H
#define SMR_MATH_STENCIL_H

#include "samara.h"

typedef struct smr_stencil {
    int64_t height, width, channels; /* of x, channels last */
    int64_t k_height, k_width, stride;
    smr_filter_edge edge;
} smr_stencil;

/* Rows and columns of the result; fails where the kernel does not fit. */
smr_status smr_stencil_size(smr_ctx *ctx, const smr_stencil *s, int64_t *height, int64_t *width);
smr_status smr_stencil_apply(smr_ctx *ctx, const smr_stencil *s, const double *x,
                             const double *kernel, double *y);

#endif
