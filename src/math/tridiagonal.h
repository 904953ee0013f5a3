/* tridiagonal.h -- symmetric matrices made tridiagonal, and the eigenvalues of those. */
#ifndef SMR_MATH_TRIDIAGONAL_H
#define SMR_MATH_TRIDIAGONAL_H

#include "core/ctx.h"

/* A = Q T Q' for the symmetric A in the lower triangle (n x n by columns); T has diagonal d (n),
 * and e (n - 1) beside it.  Q = H_0 H_1 ... H_n-2, H_j = I - tau[j] v_j v_j', where v_j is zero
 * down to row j, 1 in row j + 1, and then what column j of A becomes.  tau has n - 1. */
smr_status smr_tridiagonal_reduce(smr_ctx *ctx, int64_t n, double *A, int64_t lda, double *d,
                                  double *e, double *tau);

/* Eigenvalues of T into d, in no order, by implicit QL steps; e (n, its last is not read) is
 * destroyed.  The columns of Z (m x n) are turned with them: Q in, the vectors of A out; I in,
 * those of T out.  `work` has 2 n.  Serial, O(n^2) + 3 m n^2 or so. */
smr_status smr_tridiagonal_ql(smr_ctx *ctx, int64_t n, double *d, double *e, int64_t m, double *Z,
                              int64_t ldz, double *work);
/* The eigenvalues alone, ascending. */
smr_status smr_tridiagonal_values(smr_ctx *ctx, int64_t n, double *d, double *e);

/* Eigenvalues and vectors of T by divide and conquer on all threads; e is destroyed.  Q is n x n.
 * Only the `wanted` largest (<= n) are asked for: d has all values, order[k] is the column of Q and
 * the entry of d with the k-th smallest of n, but the columns of unwanted ones are undefined.  The
 * largest entry is between 2^-100 and 2^100, or 0.  Memory: 3/2 n^2 besides Q. */
smr_status smr_tridiagonal_divide(smr_ctx *ctx, int64_t n, double *d, double *e, int64_t wanted,
                                  double *Q, int64_t ldq, int64_t *order);

#endif
