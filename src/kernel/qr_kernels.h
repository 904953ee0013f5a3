/* qr_kernels.h -- inner loops of least squares: tiles of rows, a QR that absorbs them, exact
 * residuals.
 *
 * A tile holds SMR_QR_ROWS rows of a few columns, column by column (entry i, j at j * SMR_QR_ROWS
 * + i), padded with zero rows, aligned to 64 bytes.  All functions are serial and thread-safe.
 * They are kernels like those of kernel.h: the same bits on every CPU, compiler, thread count. */
#ifndef SMR_KERNEL_QR_KERNELS_H
#define SMR_KERNEL_QR_KERNELS_H

#include "core/view.h"

enum { SMR_QR_ROWS = 64, SMR_QR_LANES = 8 };

/* How rows are copied: z_ij = (x_ij - shift[j]) scale[j] root[i]. */
typedef struct smr_shift {
    const double *shift, *scale;
    const double *root; /* NULL: 1 */
} smr_shift;

/* n rows of d columns; row i of Z begins at Z + i * ldz. */
void smr_shift_rows(int64_t n, int64_t d, const double *x, int64_t stride, const smr_shift *by,
                    double *Z, int64_t ldz);
/* The same into the columns of a tile, n <= SMR_QR_ROWS; rows n .. are set to zero. */
void smr_shift_tile(int64_t n, int64_t d, const double *x, int64_t stride, const smr_shift *by,
                    double *tile);

/* R (d x d, upper triangle, row-major) becomes the triangular factor of R with the tile's rows
 * below it, by Householder reflections: 2 ROWS d^2 flops.  The tile is destroyed.  It was copied
 * from the n_from numbers at `from`; meanwhile the n_from numbers after those, where the next
 * tile's rows often lie, are fetched into the cache. */
void smr_qr_absorb(int64_t d, double *R, double *tile, const double *from, int64_t n_from);

/* One tile's share of the gradient of weighted least squares, in twice the working precision.
 * r = y - X w with w = w_high + w_low; sums[j] gains sum_i weight_i x_ij r_i for the d columns and
 * sums[d] gains sum_i weight_i r_i^2.  A sum is 2 * SMR_QR_LANES numbers: partial values and their
 * corrections, one pair per lane; smr_residual_total adds them up. */
void smr_residual_tile(int64_t d, const double *X, const double *y, const double *weight,
                       const double *w_high, const double *w_low, double *sums);
void smr_residual_total(const double *sum, double *high, double *low);

#endif
