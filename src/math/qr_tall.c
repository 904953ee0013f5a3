/* qr_tall.c -- the Householder QR of a tall matrix in its usual form, by way of a tree.
 *
 * The tree (tall_qr.c) works in cache and on all threads, but its reflectors are its own.  Let Q_1
 * be Q's first n rows and Q_2 the others.  Signs S and an LU without exchanges,
 *
 *     Q_1 - S = V_1 U,   s_j = -sign of the entry that becomes pivot j,                         (1)
 *
 * whose pivots are at least 1 in size, give the vectors of the Householder QR A = (Q S)(S R) as
 *
 *     V = (V_1; Q_2 U^-1),   tau_j = -u_jj s_j,                                                 (2)
 *
 * so the tree is left with Q Z for Z = U^-1.  With pivots, R P = P_2 R_2 is factored first, and Q
 * P_2 takes the place of Q: then Z = P_2 U^-1.  Cost: 2 m n^2 flops for the tree and 3 m n^2 for
 * (2), all in cache, instead of 2 m n^2 that wait for memory.
 *
 * Reference: Ballard, Demmel, Grigori, Jacquelin, Nguyen & Solomonik, Reconstructing Householder
 * vectors from tall-skinny QR, IPDPS 2014, 1159-1170. */
#include "math/qr_parts.h"

#include "kernel/kernel.h"
#include "math/product.h"

#include <math.h>
#include <string.h>

/* Where this beats the blocked QR: one panel, and more numbers than a cache has. */
enum { TALL = 20, TALL_COLUMNS = 64, TALL_NUMBERS = 1 << 19 };

bool smr_qr_is_tall(int64_t m, int64_t n)
{
    return n > 0 && n <= TALL_COLUMNS && m / n >= TALL && m >= TALL_NUMBERS / n;
}

/* (1) in place of Q_1, n x n; column by column, each after those before it. */
static void factor_top(int64_t n, double *Q, double *sign)
{
    for (int64_t j = 0; j < n; j++) {
        double *q = Q + j * n;
        for (int64_t l = 0; l < j; l++)
            smr_axpy_f64(n - l - 1, -q[l], Q + l * n + l + 1, q + l + 1);
        sign[j] = q[j] < 0 ? 1 : -1;
        q[j] -= sign[j];
        for (int64_t i = j + 1; i < n; i++) q[i] /= q[j];
    }
}

/* Z = U^-1: column j solves U z = e_j from the bottom. */
static void invert_upper(int64_t n, const double *U, double *Z)
{
    memset(Z, 0, (size_t)(n * n) * sizeof *Z);
    for (int64_t j = 0; j < n; j++) {
        double *z = Z + j * n;
        z[j] = 1;
        for (int64_t i = j; i >= 0; i--) {
            z[i] /= U[i + i * n];
            smr_axpy_f64(i, -z[i], U + i * n, z);
        }
    }
}

/* C (n x n) = A B. */
static smr_status multiply(smr_ctx *ctx, int64_t n, const double *A, const double *B, double *C)
{
    smr_update u = {n, n, n, {A, 1, n}, {B, 1, n}, C, n, false, false};
    memset(C, 0, (size_t)(n * n) * sizeof *C);
    return smr_update_run(ctx, &u);
}

/* R P = P_2 R_2: R becomes R_2, P2 (n x n) the orthogonal P_2. */
static smr_status pivot_top(smr_ctx *ctx, int64_t n, double *R, double *P2, int64_t *pivot,
                            double *tau)
{
    smr_status st = SMR_OK;
    TRY(smr_qr_pivot_triangle(ctx, n, R, pivot, tau));
    memcpy(P2, R, (size_t)(n * n) * sizeof *R);
    TRY(smr_qr_form(ctx, n, n, P2, n, tau));
out:
    return st;
}

/* lint: allow arguments, those of smr_qr_pivoted */
smr_status smr_qr_tall(smr_ctx *ctx, int64_t m, int64_t n, double *A, int64_t lda, double *tau,
                       int64_t *pivot)
{
    smr_status st = SMR_OK;
    smr_tall_qr *q = NULL;
    int64_t size = n * n;
    double *R = NULL, *Q, *Z, *P2, *other, *sign;
    TRY_NEW(R, 5 * size + n);
    Q = R + size;
    Z = Q + size;
    P2 = Z + size;
    other = P2 + size;
    sign = other + size;
    TRY(smr_tall_qr_create(ctx, m, n, A, lda, R, n, &q));
    TRY(smr_tall_qr_top(ctx, q, Q));
    if (pivot) {
        TRY(pivot_top(ctx, n, R, P2, pivot, tau));
        TRY(multiply(ctx, n, Q, P2, other));
        memcpy(Q, other, (size_t)size * sizeof *Q);
    }
    factor_top(n, Q, sign);
    invert_upper(n, Q, Z);
    if (pivot) TRY(multiply(ctx, n, P2, Z, other));
    TRY(smr_tall_qr_form(ctx, q, n, pivot ? other : Z, n));
    for (int64_t j = 0; j < n; j++) {
        double *a = A + j * lda;
        tau[j] = -Q[j + j * n] * sign[j];
        for (int64_t i = 0; i <= j; i++) a[i] = sign[i] * R[i + j * n];
        memcpy(a + j + 1, Q + j * n + j + 1, (size_t)(n - j - 1) * sizeof *a);
    }
out:
    smr_tall_qr_release(q);
    smr_free(R);
    return st;
}
