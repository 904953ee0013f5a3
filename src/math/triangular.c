/* triangular.c -- triangular solves, inverses and their condition: see factor.h.
 *
 * With T_jk = T(j, k) or T(k, j) every case is forward substitution in one order of the unknowns or
 * the other,
 *
 *     x_j = (b_j - sum_{k before j} T_jk x_k) / T_jj
 *
 * done BLOCK unknowns at a time: the block's own triangle against panels of right-hand sides (lanes
 * are columns of B), then what it contributes to the unknowns after it as one product.  Each entry
 * is one chain, in the order of the unknowns; backwards, ascending inside a block. */
#include "math/factor_parts.h"

#include "core/parallel.h"
#include "kernel/kernel.h"
#include "kernel/kernel_table.h"
#include "math/product.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 128, PITCH = BLOCK + 8, FEW = 24 };

#define real double
#define K(name) name##_f64
#define GRID smr_grid
#define UPDATE smr_update
#define RUN smr_update_run
#define SOLVE smr_triangular_solve
#define PANEL SMR_PANEL_F64
#include "math/triangular.inl"
#undef real
#undef K
#undef GRID
#undef UPDATE
#undef RUN
#undef SOLVE
#undef PANEL

#define real float
#define K(name) name##_f32
#define GRID smr_grid_f32
#define UPDATE smr_update_f32
#define RUN smr_update_run_f32
#define SOLVE smr_triangular_solve_f32
#define PANEL SMR_PANEL_F32
#include "math/triangular.inl"

/* Columns c0 .. c1 of the inverse are zero on one side of the block: the triangle from there on
 * against unit vectors. */
smr_status smr_triangular_inverse(smr_ctx *ctx, bool upper, int64_t n, double *T, int64_t ldt)
{
    smr_status st = SMR_OK;
    double *E = NULL;
    TRY(smr_check_shape(ctx, "triangular inverse", n, n, ldt));
    TRY_NEW(E, n * SMR_MIN(n, BLOCK) + 1);
    int64_t n_blocks = smr_block_count(n, BLOCK);
    for (int64_t b = 0; b < n_blocks; b++) {
        int64_t c0 = (upper ? n_blocks - 1 - b : b) * BLOCK, c1 = SMR_MIN(n, c0 + BLOCK);
        int64_t first = upper ? 0 : c0, size = upper ? c1 : n - c0;
        memset(E, 0, (size_t)(size * (c1 - c0)) * sizeof *E);
        for (int64_t c = c0; c < c1; c++) E[c - first + (c - c0) * size] = 1;
        TRY(smr_triangular_solve(ctx, (smr_side){.upper = upper}, size, c1 - c0,
                                 T + first + first * ldt, ldt, E, size));
        for (int64_t c = c0; c < c1; c++) {
            int64_t from = upper ? 0 : c, to = upper ? c + 1 : n;
            memcpy(T + from + c * ldt, E + from - first + (c - c0) * size,
                   (size_t)(to - from) * sizeof *T);
        }
    }
out:
    smr_free(E);
    return st;
}

/* ---- condition -------------------------------------------------------------------------- */

struct triangle {
    bool upper;
    int64_t n;
    const double *T;
    int64_t ldt;
};

static smr_status solve_one(smr_ctx *ctx, const void *arg, bool transpose, double *x)
{
    const struct triangle *t = arg;
    return smr_triangular_solve(ctx, (smr_side){t->upper, transpose, false}, t->n, 1, t->T, t->ldt,
                                x, t->n);
}

smr_status smr_triangular_rcond(smr_ctx *ctx, bool upper, int64_t n, const double *T, int64_t ldt,
                                double *rcond)
{
    smr_status st = SMR_OK;
    struct triangle t = {upper, n, T, ldt};
    double norm = 0, inverse = 0;
    *rcond = n == 0 ? 1 : 0;
    TRY(smr_check_shape(ctx, "condition", n, n, ldt));
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t i = upper ? 0 : j; i < (upper ? j + 1 : n); i++) sum += fabs(T[i + j * ldt]);
        if (T[j + j * ldt] == 0 || !isfinite(sum)) return SMR_OK;
        norm = smr_fmax(norm, sum);
    }
    TRY(smr_inverse_norm(ctx, n, solve_one, &t, &inverse));
    if (n > 0) *rcond = smr_rcond_of(norm, inverse);
out:
    return st;
}
