/* bidiagonal.h -- the two halves of a singular value decomposition: a matrix to a bidiagonal one,
 * and the singular values and vectors of that. */
#ifndef SMR_MATH_BIDIAGONAL_H
#define SMR_MATH_BIDIAGONAL_H

#include "core/ctx.h"

/* A = H_0 H_1 ... B (G_0 G_1 ...)' for A m x n, m >= n: B has the diagonal d (n) and e (n - 1)
 * above it, H_k = I - tau_left[k] u_k u_k', G_k = I - tau_right[k] v_k v_k'.  u_k begins with a 1
 * in row k and replaces column k of A from there on; v_k begins with a 1 in row k + 1, and is
 * stored in column k of V (n x n), unless V is NULL.  A's columns begin on 64 bytes: lda is a
 * multiple of 8. Entries should be near 1; squares below 1e-280 count as 0. */
typedef struct smr_bidiagonal {
    int64_t m, n, lda, ldv;
    double *A, *V;
    double *d, *e, *tau_left, *tau_right; /* n each */
} smr_bidiagonal;

smr_status smr_bidiagonal_reduce(smr_ctx *ctx, const smr_bidiagonal *b);

/* The singular values of a bidiagonal matrix, B = U diag(s) V': d becomes s, none of it negative,
 * in no order.  Where U (n_left rows) and V (n_right rows) are given, their n columns are turned, U
 * <- U X and V <- V Y for B = X diag(s) Y'.  Numbers up to `floor` count as 0.
 *
 * A B that is `wide` has one more column, with e[n - 1] in its last row; then V has n + 1 columns,
 * the last of which becomes the one that B maps to 0. */
typedef struct smr_bidiagonal_svd {
    int64_t n;
    double *d, *e; /* n, n - 1 (or n); e is destroyed */
    double floor;
    bool wide;
    double *U, *V; /* by columns, or both NULL */
    int64_t ldu, ldv, n_left, n_right;
} smr_bidiagonal_svd;

/* By implicit QR steps, on one thread: for small n.  `work` has 4 n numbers; it is not used without
 * U and V. */
smr_status smr_bidiagonal_iterate(smr_ctx *ctx, const smr_bidiagonal_svd *b, double *work);

/* By divide and conquer, on all threads, where B is not wide; U and V are n x n, zero at first, and
 * become X and Y. */
smr_status smr_bidiagonal_divide(smr_ctx *ctx, const smr_bidiagonal_svd *b);

#endif
