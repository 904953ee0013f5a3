/* factor.h -- factorisations of dense matrices: Cholesky, LU, QR, eigenvalues, singular values.
 *
 * Matrices are kept by columns: entry (i, j) is at A[i + j * lda], lda >= rows.  Work is cut by the
 * sizes alone, runs on the threads of the context, and gives the same bits at any number of them
 * and on every CPU; it can be cancelled like everything else.  Outputs are the caller's.
 *
 * Sizes of 0 are valid everywhere.  Factorisations refuse values that are not finite by name
 * (SMR_ERR_DATA); smr_cholesky, which often serves to ask whether a matrix is positive definite,
 * returns the answer instead.  Solves and inverses pass them on.  Memory past the budget is
 * SMR_ERR_NOMEM, a size whose bytes cannot be counted SMR_ERR_SHAPE. */
#ifndef SMR_MATH_FACTOR_H
#define SMR_MATH_FACTOR_H

#include "core/ctx.h"

/* Refuses a matrix with a negative size, an ld below its rows or more entries than can be counted;
 * and one with a value that is not finite, naming it: "WHAT: the value at row 2, column 1 is not
 * finite". */
smr_status smr_check_shape(smr_ctx *ctx, const char *what, int64_t m, int64_t n, int64_t ld);
smr_status smr_check_finite(smr_ctx *ctx, const char *what, int64_t m, int64_t n, const double *A,
                            int64_t lda);

/* ---- triangles ---- */

typedef struct smr_side {
    bool upper, transpose, unit; /* unit: the diagonal is not read, it counts as 1 */
} smr_side;

/* B = T^-1 B or T'^-1 B; T is triangular, n x n, B n x n_rhs.  A zero on the diagonal is
 * SMR_ERR_NUMERIC.  A column's bits do not depend on the others. */
smr_status smr_triangular_solve(smr_ctx *ctx, smr_side side, int64_t n, int64_t n_rhs,
                                const double *T, int64_t ldt, double *B, int64_t ldb);
smr_status smr_triangular_solve_f32(smr_ctx *ctx, smr_side side, int64_t n, int64_t n_rhs,
                                    const float *T, int64_t ldt, float *B, int64_t ldb);
/* T = T^-1, in its triangle. */
smr_status smr_triangular_inverse(smr_ctx *ctx, bool upper, int64_t n, double *T, int64_t ldt);
/* 1 / (condition in the 1-norm); an estimate, rarely 3 x too good. */
smr_status smr_triangular_rcond(smr_ctx *ctx, bool upper, int64_t n, const double *T, int64_t ldt,
                                double *rcond);

/* ---- Cholesky ---- */

/* Lower triangle of A = L, A = L L'; the upper one is not touched.  *failed_at is the first pivot
 * (from 0) that is not positive or not finite, or -1; then A's lower triangle is undefined. */
smr_status smr_cholesky(smr_ctx *ctx, int64_t n, double *A, int64_t lda, int64_t *failed_at);
smr_status smr_cholesky_f32(smr_ctx *ctx, int64_t n, float *A, int64_t lda, int64_t *failed_at);
/* B = (L L')^-1 B. */
smr_status smr_cholesky_solve(smr_ctx *ctx, int64_t n, int64_t n_rhs, const double *L, int64_t ldl,
                              double *B, int64_t ldb);
/* A's lower triangle = that of (L L')^-1. */
smr_status smr_cholesky_inverse(smr_ctx *ctx, int64_t n, double *L, int64_t ldl);
/* L L' + x x' and L L' - x x'; x (n) is destroyed.  Without x x' the matrix may no longer be
 * positive definite: then false is returned and L is as it was. */
void smr_cholesky_add(int64_t n, double *L, int64_t ldl, double *x);
bool smr_cholesky_drop(int64_t n, double *L, int64_t ldl, double *x);
/* 1 / (condition in the 1-norm) of L L', whose 1-norm was `norm`. */
smr_status smr_cholesky_rcond(smr_ctx *ctx, int64_t n, const double *L, int64_t ldl, double norm,
                              double *rcond);

/* ---- LU ---- */

/* A = P L U: row k was exchanged with row pivot[k] >= k.  *singular_at is the first column (from 0)
 * whose pivot is exactly zero, or -1. */
smr_status smr_lu(smr_ctx *ctx, int64_t n, double *A, int64_t lda, int32_t *pivot,
                  int64_t *singular_at);
/* B = A^-1 B, or A'^-1 B. */
smr_status smr_lu_solve(smr_ctx *ctx, bool transpose, int64_t n, int64_t n_rhs, const double *LU,
                        int64_t lda, const int32_t *pivot, double *B, int64_t ldb);
smr_status smr_lu_inverse(smr_ctx *ctx, int64_t n, double *LU, int64_t lda, const int32_t *pivot);
smr_status smr_lu_rcond(smr_ctx *ctx, int64_t n, const double *LU, int64_t lda, double norm,
                        double *rcond);

/* ---- QR ---- */

/* A = Q R, m x n.  R replaces the upper triangle, Householder vectors (v_k with a 1 on the diagonal
 * that is not stored) the rest; Q = H_0 H_1 ..., H_k = I - tau[k] v_k v_k'; tau has min(m, n). */
smr_status smr_qr(smr_ctx *ctx, int64_t m, int64_t n, double *A, int64_t lda, double *tau);
/* A P = Q R with |R_kk| descending; column k of A P is column pivot[k] of A. */
smr_status smr_qr_pivoted(smr_ctx *ctx, int64_t m, int64_t n, double *A, int64_t lda,
                          int64_t *pivot, double *tau);
/* C = Q C or Q' C, where C is m x n and Q has k reflectors held as smr_qr left them. */
smr_status smr_qr_apply(smr_ctx *ctx, bool transpose, int64_t m, int64_t n, int64_t k,
                        const double *A, int64_t lda, const double *tau, double *C, int64_t ldc);
/* The first k columns of Q (m x k, k <= m) in place of the k reflectors. */
smr_status smr_qr_form(smr_ctx *ctx, int64_t m, int64_t k, double *A, int64_t lda,
                       const double *tau);

/* Tall A = Q R (m >= n) by a fixed tree of small QRs.  R (n x n, ldr) has zeros below its diagonal;
 * A belongs to `q` then, which refers to it: Q as reflectors in the places of A's chunks, and more
 * in memory of its own until smr_tall_qr_release. */
typedef struct smr_tall_qr smr_tall_qr;
smr_status smr_tall_qr_create(smr_ctx *ctx, int64_t m, int64_t n, double *A, int64_t lda, double *R,
                              int64_t ldr, smr_tall_qr **q);
void smr_tall_qr_release(smr_tall_qr *q);
/* A (which q refers to) becomes Q Z, m x k, for Z (n x k, k <= n): with Z = I it is Q itself.  This
 * uses up the tree. */
smr_status smr_tall_qr_form(smr_ctx *ctx, smr_tall_qr *q, int64_t k, const double *Z, int64_t ldz);
/* Y (n x k) = Q' C for C (m x k), which is destroyed. */
smr_status smr_tall_qr_project(smr_ctx *ctx, const smr_tall_qr *q, int64_t k, double *C,
                               int64_t ldc, double *Y, int64_t ldy);

/* ---- eigenvalues and singular values ---- */

/* Eigenvalues w, ascending, of a symmetric A (its lower triangle is read); column k of A becomes
 * the unit eigenvector of w[k]. */
smr_status smr_eigen(smr_ctx *ctx, int64_t n, double *A, int64_t lda, double *w);
/* Values alone; A is destroyed. */
smr_status smr_eigen_values(smr_ctx *ctx, int64_t n, double *A, int64_t lda, double *w);
/* The k largest, descending, with their vectors in the columns of V (n x k); A is destroyed. */
smr_status smr_eigen_largest(smr_ctx *ctx, int64_t n, double *A, int64_t lda, int64_t k, double *w,
                             double *V, int64_t ldv);
/* A x = w B x for a symmetric A and a positive definite B (lower triangles): w ascending, column k
 * of A becomes x_k with x_k' B x_k = 1; B becomes its Cholesky factor.  A B that is not positive
 * definite is SMR_ERR_NUMERIC, naming the pivot. */
smr_status smr_eigen_general(smr_ctx *ctx, int64_t n, double *A, int64_t lda, double *B,
                             int64_t ldb, double *w);

/* A = U diag(s) Vt with r = min(m, n) values, descending: U m x r, Vt r x n; A is destroyed.  U and
 * Vt may both be NULL: values alone. */
smr_status smr_svd(smr_ctx *ctx, int64_t m, int64_t n, double *A, int64_t lda, double *s, double *U,
                   int64_t ldu, double *Vt, int64_t ldvt);

#endif
