/* blas.h -- LAPACK behind one guarded door.
 *
 * LAPACK serves factorisations only; products and reductions are kernel.h's.  Every function here
 * takes column-major matrices, checks that sizes fit LAPACK's int, brings its own workspace, runs
 * on one thread whatever the library was told, and leaves the library's thread count as it found
 * it.  So a result depends on the input (and the CPU), never on the number of threads, and any
 * number of threads may call at once: flavours that are not known to be thread-safe are
 * serialised.
 *
 * A call that takes long can be cancelled: it is left, not ended (blas_call.h); the caller's memory
 * must then be blocks of smr_alloc, and their contents are undefined.
 *
 * Functions that iterate (eigen, svd) refuse values that are not finite: LAPACK may loop on them
 * for ever. */
#ifndef SMR_KERNEL_BLAS_H
#define SMR_KERNEL_BLAS_H

#include "core/ctx.h"

/* The library that serves, in words: "OpenBLAS 0.3.21 (threads, used on one)". */
const char *smr_blas_info(void);

/* For a program in which nobody but samara calls the library: ends the threads that OpenBLAS starts
 * when it is loaded.  They wait for work by giving their turn away again and again, for some 25 ms,
 * and are in the way of samara's own meanwhile.  Later calls need none of them. */
void smr_blas_claim(void);

/* A = Q R, m x n.  R replaces the upper triangle, Householder vectors the rest; tau has min(m,
 * n). */
smr_status smr_lapack_qr(smr_ctx *ctx, int64_t m, int64_t n, double *A, double *tau);
/* A P = Q R with |R_kk| descending; column k of A P is column pivot[k] of A. */
smr_status smr_lapack_qr_pivoted(smr_ctx *ctx, int64_t m, int64_t n, double *A, int64_t *pivot,
                                 double *tau);
/* C = Q C or Q' C, where C is m x n and Q has k reflectors held as smr_lapack_qr left them. */
smr_status smr_lapack_qr_apply(smr_ctx *ctx, bool transpose, int64_t m, int64_t n, int64_t k,
                               const double *A, const double *tau, double *C);

/* Lower triangle of A = L, A = L L'.  *positive is false, and A undefined, when a pivot is not. */
smr_status smr_lapack_cholesky(smr_ctx *ctx, int64_t n, double *A, bool *positive);
/* 1 / (condition in the 1-norm) of L L', whose 1-norm was `norm`; an estimate, rarely 3 x too
 * good. */
smr_status smr_lapack_cholesky_rcond(smr_ctx *ctx, int64_t n, const double *L, double norm,
                                     double *rcond);

/* A = P L U.  *singular_at is the first column (from 0) whose pivot is exactly zero, or -1. */
smr_status smr_lapack_lu(smr_ctx *ctx, int64_t n, double *A, int32_t *pivot, int64_t *singular_at);
smr_status smr_lapack_lu_rcond(smr_ctx *ctx, int64_t n, const double *LU, double norm,
                               double *rcond);
/* B = A^-1 B, or A'^-1 B, for n_rhs columns. */
smr_status smr_lapack_lu_solve(smr_ctx *ctx, bool transpose, int64_t n, int64_t n_rhs,
                               const double *LU, const int32_t *pivot, double *B);
smr_status smr_lapack_lu_inverse(smr_ctx *ctx, int64_t n, double *LU, const int32_t *pivot);

/* B = T^-1 B or T'^-1 B; T is triangular, n x n.  A zero on the diagonal is SMR_ERR_NUMERIC. */
smr_status smr_lapack_triangular_solve(smr_ctx *ctx, bool upper, bool transpose, int64_t n,
                                       int64_t n_rhs, const double *T, double *B, int64_t ld);
smr_status smr_lapack_triangular_rcond(smr_ctx *ctx, bool upper, int64_t n, const double *T,
                                       double *rcond);

/* Eigenvalues w, ascending, of a symmetric A (its lower triangle is read); column k of A becomes
 * the unit eigenvector of w[k]. */
smr_status smr_lapack_eigen(smr_ctx *ctx, int64_t n, double *A, double *w);

/* A = U diag(s) Vt with r = min(m, n) values, descending: U m x r, Vt r x n; A is destroyed. */
smr_status smr_lapack_svd(smr_ctx *ctx, int64_t m, int64_t n, double *A, double *s, double *U,
                          double *Vt);

#endif
