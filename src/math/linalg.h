/* linalg.h -- dense linear algebra on small and middling matrices, row-major.
 *
 * Row i of A begins at A + i * n_cols.  Inputs are not changed; outputs are the caller's.  A matrix
 * that is singular to working precision is reported with its condition number (SMR_ERR_NUMERIC),
 * never divided by; one that costs more than half of the digits gives a warning.  Values
 * that are not finite are refused (SMR_ERR_DATA).  Cost: O(n^3). */
#ifndef SMR_MATH_LINALG_H
#define SMR_MATH_LINALG_H

#include "core/ctx.h"

/* det A.  Exact, then rounded, when the entries are whole numbers and small enough (Bareiss'
 * elimination in 128 bits); else by LU.  *log_size = log |det|, where det itself may overflow;
 * may be NULL. */
smr_status smr_matrix_det(smr_ctx *ctx, int64_t n, const double *A, double *det, double *log_size);

/* inverse (n x n) = A^-1; X (n x m) = A^-1 B. */
smr_status smr_matrix_inverse(smr_ctx *ctx, int64_t n, const double *A, double *inverse);
smr_status smr_matrix_solve(smr_ctx *ctx, int64_t n, int64_t m, const double *A, const double *B,
                            double *X);

/* Row i of L U (n x n each, L with a unit diagonal) is row order[i] of A.  A singular matrix has
 * zeros on U's diagonal. */
smr_status smr_matrix_lu(smr_ctx *ctx, int64_t n, const double *A, int64_t *order, double *L,
                         double *U);

/* Symmetric A = V diag(values) V': values descending, column k of V (n x n) is the unit
 * eigenvector of values[k], its largest component positive.  A matrix that is not symmetric is
 * refused, naming the entries that differ. */
smr_status smr_matrix_eigen(smr_ctx *ctx, int64_t n, const double *A, double *values, double *V);

/* The same for A v = value B v for a positive definite B, with v' B v = 1. */
smr_status smr_matrix_eigen_general(smr_ctx *ctx, int64_t n, const double *A, const double *B,
                                    double *values, double *V);

/* A (m x n) = U diag(s) Vt with k = min(m, n) values, descending: U m x k, Vt k x n; the largest
 * component of each row of Vt is positive. */
smr_status smr_matrix_svd(smr_ctx *ctx, int64_t m, int64_t n, const double *A, double *U, double *s,
                          double *Vt);

/* Singular values s (min(m, n)) that rounding does not explain, and the largest over the least:
 * infinite when the rank is less than min(m, n). */
smr_status smr_matrix_rank(smr_ctx *ctx, int64_t m, int64_t n, const double *A, double *s,
                           int64_t *rank, double *condition);

/* Symmetric positive definite A = L L', L (n x n) lower triangular. */
smr_status smr_matrix_cholesky(smr_ctx *ctx, int64_t n, const double *A, double *L);

/* A (m x n) = Q R with k = min(m, n): Q m x k has orthonormal columns, R k x n is upper triangular
 * with a diagonal >= 0. */
smr_status smr_matrix_qr(smr_ctx *ctx, int64_t m, int64_t n, const double *A, double *Q, double *R);

#endif
