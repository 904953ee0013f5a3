/* cholesky.c -- A = L L', by columns, in both precisions: see factor.h.
 *
 *     L_ij = (A_ij - sum_{k<j} L_ik L_jk) / L_jj,     L_jj = sqrt(A_jj - sum_{k<j} L_jk^2)      (1)
 *
 * Each sum is one chain over ascending k, so blocks change no bit of it.  BLOCK columns at a time:
 * their triangle, found PANEL rows together (lanes are rows: the columns before by substitution,
 * then (1) among themselves); the rows below, a panel at a time against that triangle; then the
 * product of what was found is taken off the columns after it, off those far ahead once for GROUP
 * columns, since they come from memory.  n^3 / 3 flops.
 *
 * One more or one fewer row: L L' +- x x' by n plane rotations, n^2 multiply-adds.  Without a row
 * the rotations follow from L p = x (LINPACK's way); |p| < 1 says that the rest is positive
 * definite.  Reference: Golub & Van Loan, Matrix Computations, 4th ed., 4.2 and 6.5.4. */
#include "math/factor_parts.h"

#include "core/parallel.h"
#include "kernel/kernel.h"
#include "kernel/kernel_table.h"
#include "math/product.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 128, PITCH = BLOCK + 8, GROUP = 256, SMALL_BLOCK = 64, SMALL = 800 };
enum { TASK_ROWS = 64, FEW = 24 };

#define real double
#define K(name) name##_f64
#define GRID smr_grid
#define UPDATE smr_update
#define RUN smr_update_in
#define FACTOR smr_cholesky
#define SQRT sqrt
#define PANEL SMR_PANEL_F64
#include "math/cholesky.inl"
#undef real
#undef K
#undef GRID
#undef UPDATE
#undef RUN
#undef FACTOR
#undef SQRT
#undef PANEL

#define real float
#define K(name) name##_f32
#define GRID smr_grid_f32
#define UPDATE smr_update_f32
#define RUN smr_update_in_f32
#define FACTOR smr_cholesky_f32
#define SQRT sqrtf
#define PANEL SMR_PANEL_F32
#include "math/cholesky.inl"

/* ---- what follows from the factor ------------------------------------------------------- */

smr_status smr_cholesky_solve(smr_ctx *ctx, int64_t n, int64_t n_rhs, const double *L, int64_t ldl,
                              double *B, int64_t ldb)
{
    smr_status st = smr_triangular_solve(ctx, (smr_side){0}, n, n_rhs, L, ldl, B, ldb);
    if (st != SMR_OK) return st;
    return smr_triangular_solve(ctx, (smr_side){.transpose = true}, n, n_rhs, L, ldl, B, ldb);
}

/* (L L')^-1 = M' M with M = L^-1. */
smr_status smr_cholesky_inverse(smr_ctx *ctx, int64_t n, double *L, int64_t ldl)
{
    smr_status st = SMR_OK;
    double *M = NULL;
    TRY(smr_check_shape(ctx, "inverse", n, n, ldl));
    TRY_NEW(M, n * n + 1);
    for (int64_t j = 0; j < n; j++)
        memcpy(M + j + j * n, L + j + j * ldl, (size_t)(n - j) * sizeof *M);
    TRY(smr_triangular_inverse(ctx, false, n, M, n));
    for (int64_t j = 0; j < n; j++) memset(L + j + j * ldl, 0, (size_t)(n - j) * sizeof *L);
    smr_update u = {n, n, n, {M, n, 1}, {M, 1, n}, L, ldl, false, true};
    TRY(smr_update_run(ctx, &u));
out:
    smr_free(M);
    return st;
}

struct factored {
    int64_t n;
    const double *L;
    int64_t ldl;
};

static smr_status solve_one(smr_ctx *ctx, const void *arg, bool transpose, double *x)
{
    (void)transpose;
    const struct factored *f = arg;
    return smr_cholesky_solve(ctx, f->n, 1, f->L, f->ldl, x, f->n);
}

smr_status smr_cholesky_rcond(smr_ctx *ctx, int64_t n, const double *L, int64_t ldl, double norm,
                              double *rcond)
{
    smr_status st = SMR_OK;
    struct factored f = {n, L, ldl};
    double inverse = 0;
    *rcond = n == 0 ? 1 : 0;
    TRY(smr_check_shape(ctx, "condition", n, n, ldl));
    for (int64_t j = 0; j < n; j++)
        if (!(L[j + j * ldl] > 0)) return SMR_OK;
    TRY(smr_inverse_norm(ctx, n, solve_one, &f, &inverse));
    if (n > 0) *rcond = smr_rcond_of(norm, inverse);
out:
    return st;
}

/* ---- a row more, a row less ------------------------------------------------------------- */

void smr_cholesky_add(int64_t n, double *L, int64_t ldl, double *x)
{
    for (int64_t k = 0; k < n; k++) {
        double *column = L + k * ldl, length = smr_length_of_two(column[k], x[k]);
        if (length == 0) continue;
        double c = column[k] / length, s = x[k] / length;
        column[k] = length;
        for (int64_t i = k + 1; i < n; i++) {
            double l = column[i];
            column[i] = c * l + s * x[i];
            x[i] = c * x[i] - s * l;
        }
    }
}

/* Rotation k takes the last of (p_k, rest) into rest; c and s replace x and p. */
bool smr_cholesky_drop(int64_t n, double *L, int64_t ldl, double *x)
{
    double square = 0;
    for (int64_t k = 0; k < n; k++) { /* x = p */
        x[k] /= L[k + k * ldl];
        square += x[k] * x[k];
        for (int64_t i = k + 1; i < n; i++) x[i] -= x[k] * L[i + k * ldl];
    }
    double rest = sqrt((1 - sqrt(square)) * (1 + sqrt(square)));
    if (!(rest > 0)) return false;
    /* From the last rotation to the first; row i of L meets rotations i, i - 1, ..., 0, and `carry`
     * holds what it has of the dropped row so far. */
    double *carry = x;
    for (int64_t k = n - 1; k >= 0; k--) {
        double *column = L + k * ldl, p = x[k], length = smr_length_of_two(rest, p);
        double c = rest / length, s = p / length;
        rest = length;
        carry[k] = 0;
        for (int64_t i = k; i < n; i++) {
            double l = column[i], t = c * carry[i] + s * l;
            column[i] = c * l - s * carry[i];
            carry[i] = t;
        }
    }
    return true;
}
