/* linalg.c -- see linalg.h.
 *
 * factor.h takes matrices by columns and so sees a row-major one as its transpose, which changes no
 * determinant, turns solving into transposed solving, and swaps U and V. */
#include "math/linalg.h"

#include "core/int128.h"
#include "kernel/kernel.h"
#include "math/factor.h"

#include <float.h>
#include <math.h>
#include <string.h>

static smr_status check_finite(smr_ctx *ctx, int64_t m, int64_t n, const double *A)
{
    for (int64_t i = 0; i < m * n; i++)
        if (!isfinite(A[i]))
            return smr_fail(ctx, SMR_ERR_DATA, "the value in row %lld, column %lld is not finite",
                            (long long)(i / n) + 1, (long long)(i % n) + 1);
    return SMR_OK;
}

static smr_status check_symmetric(smr_ctx *ctx, int64_t n, const double *A)
{
    double largest = 0;
    for (int64_t i = 0; i < n * n; i++) largest = smr_fmax(largest, fabs(A[i]));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            if (!(fabs(A[i * n + j] - A[j * n + i]) <= 1e-12 * largest))
                return smr_fail(ctx, SMR_ERR_DATA,
                                "the matrix is not symmetric: row %lld, column %lld differs from "
                                "row %lld, column %lld",
                                (long long)i + 1, (long long)j + 1, (long long)j + 1,
                                (long long)i + 1);
    return SMR_OK;
}

/* ---- determinant ------------------------------------------------------------------------ */

/* All minors of A are below Hadamard's product of row lengths; elimination multiplies two of
 * them. */
static bool fits_exactly(int64_t n, const double *A)
{
    double bits = 0;
    for (int64_t i = 0; i < n; i++) {
        double sq = 0;
        for (int64_t j = 0; j < n; j++) {
            if (A[i * n + j] != floor(A[i * n + j]) || fabs(A[i * n + j]) > 0x1p53) return false;
            sq += A[i * n + j] * A[i * n + j];
        }
        bits += smr_fmax(0.5 * smr_log(sq) * 1.4426950408889634, 0);
    }
    return bits < 62;
}

/* Bareiss: after step k every entry is a minor of order k + 1, so each division is exact. */
static smr_status whole_det(smr_ctx *ctx, int64_t n, const double *A, double *det)
{
    smr_status st = SMR_OK;
    smr_i128 *B = NULL, before = 1;
    int sign = 1;
    TRY_NEW(B, n * n + 1);
    for (int64_t i = 0; i < n * n; i++) B[i] = (smr_i128)A[i];
    for (int64_t k = 0; k < n; k++) {
        int64_t p = k;
        while (p < n && B[p * n + k] == 0) p++;
        if (p == n) {
            *det = 0;
            goto out;
        }
        for (int64_t j = 0; j < n && p != k; j++) {
            smr_i128 swap = B[k * n + j];
            B[k * n + j] = B[p * n + j];
            B[p * n + j] = swap;
        }
        if (p != k) sign = -sign;
        smr_i128 pivot = B[k * n + k];
        for (int64_t i = k + 1; i < n; i++)
            for (int64_t j = k + 1; j < n; j++)
                B[i * n + j] = (B[i * n + j] * pivot - B[i * n + k] * B[k * n + j]) / before;
        before = pivot;
    }
    *det = sign * (double)before;
out:
    smr_free(B);
    return st;
}

static smr_status rounded_det(smr_ctx *ctx, int64_t n, const double *A, double *det,
                              double *log_size)
{
    smr_status st = SMR_OK;
    double *LU = NULL, mantissa = 1;
    int32_t *pivot = NULL;
    int64_t singular_at = -1, exponent = 0;
    TRY_NEW(LU, n * n + 1);
    TRY_NEW(pivot, n + 1);
    memcpy(LU, A, (size_t)(n * n) * sizeof *LU);
    TRY(smr_lu(ctx, n, LU, n, pivot, &singular_at));
    for (int64_t k = 0; k < n; k++) {
        int e = 0;
        mantissa = frexp(mantissa * LU[k * n + k], &e) * (pivot[k] != k ? -1 : 1);
        exponent += e;
    }
    *log_size = smr_log(fabs(mantissa)) + (double)exponent * 0.6931471805599453;
    *det = ldexp(mantissa, (int)SMR_MAX(SMR_MIN(exponent, 3000), -3000));
out:
    smr_free(pivot);
    smr_free(LU);
    return st;
}

smr_status smr_matrix_det(smr_ctx *ctx, int64_t n, const double *A, double *det, double *log_size)
{
    double size = 0;
    smr_status st = check_finite(ctx, n, n, A);
    if (st != SMR_OK) return st;
    if (fits_exactly(n, A)) {
        st = whole_det(ctx, n, A, det);
        size = smr_log(fabs(*det));
    } else {
        st = rounded_det(ctx, n, A, det, &size);
    }
    if (log_size) *log_size = size;
    return st;
}

/* ---- solving ---------------------------------------------------------------------------- */

/* LU of R A C, where R and C are powers of two that bring the largest entry of every row and column
 * near 1: the condition number then speaks of the matrix, not of its units. */
struct solver {
    int64_t n;
    double *LU, *row, *column;
    int32_t *pivot;
};

static void free_solver(struct solver *s)
{
    smr_free(s->LU);
    smr_free(s->row);
    smr_free(s->column);
    smr_free(s->pivot);
}

static double near_inverse(double x)
{
    int e = 0;
    if (x == 0) return 1;
    (void)frexp(x, &e);
    return ldexp(1, -e);
}

/* Returns the 1-norm of the scaled matrix's transpose, which is what LU sees. */
static double equilibrate(struct solver *s)
{
    int64_t n = s->n;
    double norm = 0;
    for (int64_t i = 0; i < n; i++) {
        double largest = 0;
        for (int64_t j = 0; j < n; j++) largest = smr_fmax(largest, fabs(s->LU[i * n + j]));
        s->row[i] = near_inverse(largest);
        for (int64_t j = 0; j < n; j++) s->LU[i * n + j] *= s->row[i];
    }
    for (int64_t j = 0; j < n; j++) {
        double largest = 0;
        for (int64_t i = 0; i < n; i++) largest = smr_fmax(largest, fabs(s->LU[i * n + j]));
        s->column[j] = near_inverse(largest);
        for (int64_t i = 0; i < n; i++) s->LU[i * n + j] *= s->column[j];
    }
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++) sum += fabs(s->LU[i * n + j]);
        norm = smr_fmax(norm, sum);
    }
    return norm;
}

static int digits_lost(double rcond)
{
    return (int)(-smr_log(rcond) / 2.302585092994046);
}

/* The last of the least pivots: a row that follows from the others leaves next to nothing. */
static int64_t least_pivot(const struct solver *s)
{
    int64_t at = 0;
    for (int64_t k = 1; k < s->n; k++)
        if (fabs(s->LU[k + k * s->n]) <= fabs(s->LU[at + at * s->n])) at = k;
    return at;
}

static smr_status factor(smr_ctx *ctx, int64_t n, const double *A, struct solver *s)
{
    smr_status st = SMR_OK;
    int64_t singular_at = -1;
    double rcond = 0, det = 1;
    s->n = n;
    TRY(check_finite(ctx, n, n, A));
    TRY_NEW(s->LU, n * n + 1);
    TRY_NEW(s->row, n + 1);
    TRY_NEW(s->column, n + 1);
    TRY_NEW(s->pivot, n + 1);
    memcpy(s->LU, A, (size_t)(n * n) * sizeof *s->LU);
    double norm = equilibrate(s);
    TRY(smr_lu(ctx, n, s->LU, n, s->pivot, &singular_at));
    if (singular_at < 0 && fits_exactly(n, A)) { /* whole numbers leave no doubt */
        TRY(whole_det(ctx, n, A, &det));
        if (det == 0) singular_at = least_pivot(s);
    }
    if (singular_at >= 0)
        TRY(smr_fail(ctx, SMR_ERR_NUMERIC,
                     "the matrix is singular: row %lld is a combination of the rows before it "
                     "(condition number: infinite)",
                     (long long)singular_at + 1));
    TRY(smr_lu_rcond(ctx, n, s->LU, n, norm, &rcond));
    if (n > 0 && !(rcond > DBL_EPSILON))
        TRY(smr_fail(ctx, SMR_ERR_NUMERIC,
                     "the matrix is singular to working precision: row %lld is nearly a "
                     "combination of the rows before it (condition number: about 1e%d)",
                     (long long)least_pivot(s) + 1, rcond > 0 ? digits_lost(rcond) : 308));
    if (n > 0 && rcond < 1e-8)
        smr_warn(ctx, "the matrix is ill-conditioned: about %d of 16 digits are lost",
                 digits_lost(rcond));
out:
    return st;
}

smr_status smr_matrix_solve(smr_ctx *ctx, int64_t n, int64_t m, const double *A, const double *B,
                            double *X)
{
    smr_status st = SMR_OK;
    struct solver s = {0};
    double *Y = NULL;
    TRY(check_finite(ctx, n, m, B));
    TRY(factor(ctx, n, A, &s));
    TRY_NEW(Y, n * m + 1);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < m; k++) Y[k * n + i] = B[i * m + k] * s.row[i];
    TRY(smr_lu_solve(ctx, true, n, m, s.LU, n, s.pivot, Y, n));
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < m; k++) X[i * m + k] = Y[k * n + i] * s.column[i];
out:
    smr_free(Y);
    free_solver(&s);
    return st;
}

smr_status smr_matrix_inverse(smr_ctx *ctx, int64_t n, const double *A, double *inverse)
{
    smr_status st = SMR_OK;
    struct solver s = {0};
    TRY(factor(ctx, n, A, &s));
    TRY(smr_lu_inverse(ctx, n, s.LU, n, s.pivot));
    for (int64_t i = 0; i < n; i++) /* A^-1 = C (R A C)^-1 R */
        for (int64_t j = 0; j < n; j++)
            inverse[i * n + j] = s.LU[i * n + j] * s.column[i] * s.row[j];
out:
    free_solver(&s);
    return st;
}

/* ---- decompositions --------------------------------------------------------------------- */

/* -1 when the entry of largest size among n, `stride` apart, is negative. */
static double sign_of_largest(int64_t n, const double *v, int64_t stride)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        if (fabs(v[i * stride]) > fabs(largest) * (1 + 1e-12)) largest = v[i * stride];
    return largest < 0 ? -1 : 1;
}

/* From ascending values with vectors by columns. */
static void give_eigen(int64_t n, const double *w, const double *Z, double *values, double *V)
{
    for (int64_t k = 0; k < n; k++) {
        const double *z = Z + (n - 1 - k) * n;
        double sign = sign_of_largest(n, z, 1);
        values[k] = w[n - 1 - k];
        for (int64_t i = 0; i < n; i++) V[i * n + k] = sign * z[i];
    }
}

/* B NULL: the identity. */
static smr_status eigen_of(smr_ctx *ctx, int64_t n, const double *A, const double *B,
                           double *values, double *V)
{
    smr_status st = SMR_OK;
    double *Z = NULL, *w = NULL, *L = NULL;
    TRY(check_finite(ctx, n, n, A));
    TRY(check_symmetric(ctx, n, A));
    TRY_NEW(Z, n * n + 1);
    TRY_NEW(w, n + 1);
    memcpy(Z, A, (size_t)(n * n) * sizeof *Z);
    if (B) {
        TRY(check_finite(ctx, n, n, B));
        TRY(check_symmetric(ctx, n, B));
        TRY_NEW(L, n * n + 1);
        memcpy(L, B, (size_t)(n * n) * sizeof *L);
        TRY(smr_eigen_general(ctx, n, Z, n, L, n, w));
    } else {
        TRY(smr_eigen(ctx, n, Z, n, w));
    }
    give_eigen(n, w, Z, values, V);
out:
    smr_free(L);
    smr_free(w);
    smr_free(Z);
    return st;
}

smr_status smr_matrix_eigen(smr_ctx *ctx, int64_t n, const double *A, double *values, double *V)
{
    return eigen_of(ctx, n, A, NULL, values, V);
}

smr_status smr_matrix_eigen_general(smr_ctx *ctx, int64_t n, const double *A, const double *B,
                                    double *values, double *V)
{
    return eigen_of(ctx, n, A, B, values, V);
}

smr_status smr_matrix_lu(smr_ctx *ctx, int64_t n, const double *A, int64_t *order, double *L,
                         double *U)
{
    smr_status st = SMR_OK;
    double *Z = NULL;
    int32_t *pivot = NULL;
    int64_t singular_at = -1;
    TRY(check_finite(ctx, n, n, A));
    TRY_NEW(Z, n * n + 1);
    TRY_NEW(pivot, n + 1);
    for (int64_t i = 0; i < n; i++) {
        order[i] = i;
        for (int64_t j = 0; j < n; j++) Z[j * n + i] = A[i * n + j];
    }
    TRY(smr_lu(ctx, n, Z, n, pivot, &singular_at));
    for (int64_t k = 0; k < n; k++) {
        int64_t swap = order[k];
        order[k] = order[pivot[k]];
        order[pivot[k]] = swap;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            L[i * n + j] = j < i ? Z[j * n + i] : i == j;
            U[i * n + j] = j < i ? 0 : Z[j * n + i];
        }
out:
    smr_free(pivot);
    smr_free(Z);
    return st;
}

smr_status smr_matrix_rank(smr_ctx *ctx, int64_t m, int64_t n, const double *A, double *s,
                           int64_t *rank, double *condition)
{
    smr_status st = SMR_OK;
    int64_t k = SMR_MIN(m, n);
    double *Z = NULL;
    TRY(check_finite(ctx, m, n, A));
    TRY_NEW(Z, m * n + 1);
    memcpy(Z, A, (size_t)(m * n) * sizeof *Z);
    TRY(smr_svd(ctx, n, m, Z, n, s, NULL, n, NULL, k));
    double noise = k > 0 ? s[0] * (double)SMR_MAX(m, n) * DBL_EPSILON : 0;
    *rank = 0;
    while (*rank < k && s[*rank] > noise) ++*rank;
    *condition = *rank < k ? INFINITY : k > 0 ? s[0] / s[k - 1] : 1;
out:
    smr_free(Z);
    return st;
}

smr_status smr_matrix_svd(smr_ctx *ctx, int64_t m, int64_t n, const double *A, double *U, double *s,
                          double *Vt)
{
    smr_status st = SMR_OK;
    int64_t k = SMR_MIN(m, n);
    double *Z = NULL;
    TRY(check_finite(ctx, m, n, A));
    TRY_NEW(Z, m * n + 1);
    memcpy(Z, A, (size_t)(m * n) * sizeof *Z);
    TRY(smr_svd(ctx, n, m, Z, n, s, Vt, n, U, k));
    for (int64_t c = 0; c < k; c++) {
        double sign = sign_of_largest(n, Vt + c * n, 1);
        for (int64_t j = 0; j < n; j++) Vt[c * n + j] *= sign;
        for (int64_t i = 0; i < m; i++) U[i * k + c] *= sign;
    }
out:
    smr_free(Z);
    return st;
}

smr_status smr_matrix_cholesky(smr_ctx *ctx, int64_t n, const double *A, double *L)
{
    smr_status st = SMR_OK;
    int64_t failed_at = -1;
    double *Z = NULL;
    TRY(check_finite(ctx, n, n, A));
    TRY(check_symmetric(ctx, n, A));
    TRY_NEW(Z, n * n + 1);
    memcpy(Z, A, (size_t)(n * n) * sizeof *Z);
    TRY(smr_cholesky(ctx, n, Z, n, &failed_at));
    if (failed_at >= 0)
        TRY(smr_fail(ctx, SMR_ERR_NUMERIC,
                     "the matrix is not positive definite: it has no Cholesky factor (pivot %lld "
                     "is not positive)",
                     (long long)failed_at + 1));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) L[i * n + j] = j <= i ? Z[j * n + i] : 0;
out:
    smr_free(Z);
    return st;
}

smr_status smr_matrix_qr(smr_ctx *ctx, int64_t m, int64_t n, const double *A, double *Q, double *R)
{
    smr_status st = SMR_OK;
    int64_t k = SMR_MIN(m, n);
    double *Z = NULL, *tau = NULL, *E = NULL;
    TRY(check_finite(ctx, m, n, A));
    TRY_NEW(Z, m * n + 1);
    TRY_NEW(tau, k + 1);
    TRY_NEW(E, m * k + 1);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) Z[j * m + i] = A[i * n + j];
    for (int64_t c = 0; c < k; c++) E[c * m + c] = 1;
    TRY(smr_qr(ctx, m, n, Z, m, tau));
    TRY(smr_qr_apply(ctx, false, m, k, k, Z, m, tau, E, m));
    for (int64_t c = 0; c < k; c++) {
        double sign = Z[c * m + c] < 0 ? -1 : 1;
        for (int64_t j = 0; j < n; j++) R[c * n + j] = j < c ? 0 : sign * Z[j * m + c];
        for (int64_t i = 0; i < m; i++) Q[i * k + c] = sign * E[c * m + i];
    }
out:
    smr_free(E);
    smr_free(tau);
    smr_free(Z);
    return st;
}
