/* qr_parts.h -- what the files of the QR share; private to src/math. */
#ifndef SMR_MATH_QR_PARTS_H
#define SMR_MATH_QR_PARTS_H

#include "math/factor.h"

/* Numbers between two columns of a copy with m rows: whole cache lines, an odd number of them, so
 * that columns do not share sets. */
static inline int64_t smr_pitch(int64_t m)
{
    return 8 * ((m + 7) / 8 | 1);
}

/* smr_check_shape and smr_check_finite, on all threads. */
smr_status smr_qr_check(smr_ctx *ctx, const char *what, int64_t m, int64_t n, const double *A,
                        int64_t lda);
/* Is R finite?  And the failure when it is not, although the numbers are. */
bool smr_qr_is_finite(int64_t m, int64_t n, const double *A, int64_t lda);
smr_status smr_qr_overflow(smr_ctx *ctx);
/* smr_qr of checked numbers. */
smr_status smr_qr_plain(smr_ctx *ctx, int64_t m, int64_t n, double *A, int64_t lda, double *tau);
/* The same through smr_tall_qr, or (pivot is not NULL) smr_qr_pivoted; and where that is faster. */
bool smr_qr_is_tall(int64_t m, int64_t n);
smr_status smr_qr_tall(smr_ctx *ctx, int64_t m, int64_t n, double *A, int64_t lda, double *tau,
                       int64_t *pivot);
/* smr_qr_pivoted of a triangle (n x n, ld n) that some QR has left. */
smr_status smr_qr_pivot_triangle(smr_ctx *ctx, int64_t n, double *R, int64_t *pivot, double *tau);

/* Q (n x n, ld n) = the first n rows of the tree's Q, n > 0. */
smr_status smr_tall_qr_top(smr_ctx *ctx, const smr_tall_qr *q, double *Q);

#endif
