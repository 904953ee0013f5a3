/* lu.c -- P A = L U with partial pivoting: see factor.h.
 *
 *     for k: the largest |A_ik|, i >= k, becomes the pivot (among equals the first);
 *            L_ik = A_ik / A_kk,   A_ij -= L_ik A_kj
 *
 * A panel of BLOCK columns is factored by halves, down to FEW columns: the left half; its row
 * exchanges, a triangle and a product for the right half; the right half.  The columns after a
 * panel are updated in strips, one task each; the first task's strip is the next panel, which it
 * factors at once, so that no thread waits for a panel.  Row exchanges reach the columns on the
 * left at the end.  2/3 n^3 flops; every entry is one chain over ascending k, whatever the blocks.
 *
 * Reference: Golub & Van Loan, Matrix Computations, 4th ed., 3.4; Toledo, SIAM J. Matrix Anal.
 * Appl. 18(4), 1997 (panels by halves). */
#include "math/factor_parts.h"

#include "core/parallel.h"
#include "kernel/kernel.h"
#include "math/product.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 64, STRIP = 112, FEW = 8, PACK_ROWS = 256 };

/* Rows of column a with the largest size, from `from` on. */
static int64_t find_pivot(int64_t from, int64_t m, const double *a)
{
    double most[4] = {0};
    int64_t i = from;
    for (; i + 4 <= m; i += 4)
        for (int l = 0; l < 4; l++) most[l] = fabs(a[i + l]) > most[l] ? fabs(a[i + l]) : most[l];
    for (; i < m; i++) most[0] = fabs(a[i]) > most[0] ? fabs(a[i]) : most[0];
    double largest = smr_fmax(smr_fmax(most[0], most[1]), smr_fmax(most[2], most[3]));
    for (i = from; i < m; i++)
        if (fabs(a[i]) == largest) return i;
    return from;
}

static void exchange(double *a, int64_t i, int64_t k)
{
    double swap = a[i];
    a[i] = a[k];
    a[k] = swap;
}

/* Exchanges of rows first .. last for n columns; the rows lie anywhere, so those of the next column
 * are prefetched meanwhile. */
static void exchange_rows(int64_t n, double *A, int64_t lda, int64_t first, int64_t last,
                          const int32_t *pivot)
{
    for (int64_t j = 0; j < n; j++) {
        const double *next = A + (j + 1 < n ? j + 1 : j) * lda;
        for (int64_t k = first; k < last; k++) {
            __builtin_prefetch(next + pivot[k], 1);
            exchange(A + j * lda, k, pivot[k]);
        }
    }
}

/* A panel's rows are counted from its first one; so are pivot and *singular_at. */
struct panel {
    int64_t m;
    double *A;
    int64_t lda;
    int32_t *pivot;
    int64_t singular_at; /* -1: none yet */
};

static void factor_few(struct panel *p, int64_t first, int64_t n)
{
    for (int64_t k = first; k < first + n; k++) {
        double *a = p->A + k * p->lda;
        int64_t at = find_pivot(k, p->m, a);
        p->pivot[k] = (int32_t)at;
        if (a[at] == 0) {
            if (p->singular_at < 0) p->singular_at = k;
            continue;
        }
        if (at != k) exchange_rows(n, p->A + first * p->lda, p->lda, k, k + 1, p->pivot);
        for (int64_t i = k + 1; i < p->m; i++) a[i] /= a[k];
        for (int64_t j = k + 1; j < first + n; j++) {
            double *c = p->A + j * p->lda;
            if (c[k] != 0) smr_axpy_f64(p->m - k - 1, -c[k], a + k + 1, c + k + 1);
        }
    }
}

/* Rows from .. from + k of n columns C, after that many columns whose factor is known. */
static smr_status solve_after(smr_ctx *ctx, const struct panel *p, int64_t from, int64_t k,
                              int64_t n, double *C)
{
    exchange_rows(n, C, p->lda, from, from + k, p->pivot);
    return smr_triangular_solve(ctx, (smr_side){.unit = true}, k, n, p->A + from * (p->lda + 1),
                                p->lda, C + from, p->lda);
}

/* The same, and the rows below. */
static smr_status update_after(smr_ctx *ctx, const struct panel *p, int64_t from, int64_t k,
                               int64_t n, double *C)
{
    smr_status st = SMR_OK;
    const double *L = p->A + from * p->lda;
    TRY(solve_after(ctx, p, from, k, n, C));
    smr_update u = {.m = p->m - from - k, .n = n, .k = k, .ldc = p->lda, .minus = true};
    u.A = (smr_grid){L + from + k, 1, p->lda};
    u.B = (smr_grid){C + from, 1, p->lda};
    u.C = C + from + k;
    TRY(smr_update_run(ctx, &u));
out:
    return st;
}

/* Columns first .. first + n of a panel, by halves. */
static smr_status factor_panel(smr_ctx *ctx, struct panel *p, int64_t first, int64_t n)
{
    smr_status st = SMR_OK;
    if (n <= FEW || first + n / 2 >= p->m) {
        factor_few(p, first, SMR_MIN(n, p->m - first));
        return SMR_OK;
    }
    int64_t left = n / 2, right = n - left;
    TRY(factor_panel(ctx, p, first, left));
    TRY(update_after(ctx, p, first, left, right, p->A + (first + left) * p->lda));
    TRY(factor_panel(ctx, p, first + left, right));
    exchange_rows(left, p->A + first * p->lda, p->lda, first + left, first + n, p->pivot);
out:
    return st;
}

struct lu {
    int64_t n;
    double *A;
    int64_t lda;
    int32_t *pivot; /* of the whole; those of a panel count from its first row until it is used */
    int64_t at, next, end; /* the panel that is done, the next one */
    struct panel done, ahead;
    double *panels; /* -L of the panel that is done, below its triangle, for the product kernel */
};

static struct panel panel_at(const struct lu *f, int64_t k)
{
    return (struct panel){f->n - k, f->A + k + k * f->lda, f->lda, f->pivot + k, -1};
}

static smr_status pack_rows(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const struct lu *f = arg;
    int64_t k = f->next - f->at, lo = task * PACK_ROWS;
    int64_t n = SMR_MIN(f->n - f->next - lo, PACK_ROWS);
    smr_pack_columns_f64(n, k, f->done.A + k + lo, f->lda, -1, f->panels + lo * k);
    return SMR_OK;
}

/* Task 0: the next panel, updated and factored; the others: a strip each after it. */
static smr_status update_strip(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)lane;
    smr_status st = SMR_OK;
    struct lu *f = arg;
    int64_t k = f->next - f->at, j0 = f->next, j1 = f->end;
    if (task > 0) {
        j0 = f->end + (task - 1) * STRIP;
        j1 = SMR_MIN(f->n, j0 + STRIP);
    }
    double *C = f->A + f->at + j0 * f->lda;
    TRY(solve_after(ctx, &f->done, 0, k, j1 - j0, C));
    smr_product_add_f64(j1 - j0, f->n - f->next, k, C, f->lda, f->panels, C + k, f->lda);
    if (task == 0) TRY(factor_panel(ctx, &f->ahead, 0, j1 - j0));
out:
    return st;
}

static smr_status exchange_left(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const struct lu *f = arg;
    int64_t j = task * BLOCK;
    exchange_rows(BLOCK, f->A + j * f->lda, f->lda, j + BLOCK, f->n, f->pivot);
    return SMR_OK;
}

static smr_status factor_all(smr_ctx *ctx, struct lu *f, int64_t *singular_at)
{
    smr_status st = SMR_OK;
    f->done = panel_at(f, 0);
    f->next = SMR_MIN(f->n, BLOCK);
    TRY(factor_panel(ctx, &f->done, 0, f->next));
    for (;;) {
        if (f->done.singular_at >= 0 && *singular_at < 0)
            *singular_at = f->at + f->done.singular_at;
        if (f->next == f->n) break;
        f->end = SMR_MIN(f->n, f->next + BLOCK);
        f->ahead = panel_at(f, f->next);
        TRY(smr_tick(ctx, "factoring", f->at, f->n, NAN));
        TRY(smr_parallel(ctx, NULL, smr_block_count(f->n - f->next, PACK_ROWS), pack_rows, f));
        TRY(smr_parallel(ctx, NULL, 1 + smr_block_count(f->n - f->end, STRIP), update_strip, f));
        for (int64_t k = f->at; k < f->next; k++) f->pivot[k] += (int32_t)f->at;
        f->at = f->next;
        f->next = f->end;
        f->done = f->ahead;
    }
    for (int64_t k = f->at; k < f->n; k++) f->pivot[k] += (int32_t)f->at;
    if (f->at > 0) TRY(smr_parallel(ctx, NULL, f->at / BLOCK, exchange_left, f));
out:
    return st;
}

smr_status smr_lu(smr_ctx *ctx, int64_t n, double *A, int64_t lda, int32_t *pivot,
                  int64_t *singular_at)
{
    smr_status st = SMR_OK;
    struct lu f = {.n = n, .A = A, .lda = lda, .pivot = pivot};
    *singular_at = -1;
    TRY(smr_check_shape(ctx, "lu", n, n, lda));
    TRY(smr_check_finite(ctx, "lu", n, n, A, lda));
    if (n > BLOCK) {
        f.panels = smr_alloc_raw(ctx, (n + PACK_ROWS) * BLOCK, sizeof *f.panels);
        if (!f.panels) return SMR_ERR_NOMEM;
    }
    if (n > 0) TRY(factor_all(ctx, &f, singular_at));
out:
    smr_free(f.panels);
    return st;
}

/* ---- what follows from the factor ------------------------------------------------------- */

/* lint: allow arguments, those of the factor and of the right-hand sides */
smr_status smr_lu_solve(smr_ctx *ctx, bool transpose, int64_t n, int64_t n_rhs, const double *LU,
                        int64_t lda, const int32_t *pivot, double *B, int64_t ldb)
{
    smr_status st = SMR_OK;
    smr_side L = {false, transpose, true}, U = {true, transpose, false};
    TRY(smr_check_shape(ctx, "solve", n, n_rhs, ldb));
    if (!transpose) exchange_rows(n_rhs, B, ldb, 0, n, pivot);
    TRY(smr_triangular_solve(ctx, transpose ? U : L, n, n_rhs, LU, lda, B, ldb));
    TRY(smr_triangular_solve(ctx, transpose ? L : U, n, n_rhs, LU, lda, B, ldb));
    for (int64_t j = 0; j < n_rhs && transpose; j++)
        for (int64_t k = n - 1; k >= 0; k--) exchange(B + j * ldb, k, pivot[k]);
out:
    return st;
}

smr_status smr_lu_inverse(smr_ctx *ctx, int64_t n, double *LU, int64_t lda, const int32_t *pivot)
{
    smr_status st = SMR_OK;
    double *X = NULL;
    TRY(smr_check_shape(ctx, "inverse", n, n, lda));
    TRY_NEW(X, n * n + 1);
    for (int64_t j = 0; j < n; j++) X[j + j * n] = 1;
    TRY(smr_lu_solve(ctx, false, n, n, LU, lda, pivot, X, n));
    for (int64_t j = 0; j < n; j++) memcpy(LU + j * lda, X + j * n, (size_t)n * sizeof *X);
out:
    smr_free(X);
    return st;
}

struct factored {
    int64_t n;
    const double *LU;
    int64_t lda;
    const int32_t *pivot; /* rows in order: exchanges change no norm of the inverse */
};

static smr_status solve_one(smr_ctx *ctx, const void *arg, bool transpose, double *x)
{
    const struct factored *f = arg;
    return smr_lu_solve(ctx, transpose, f->n, 1, f->LU, f->lda, f->pivot, x, f->n);
}

smr_status smr_lu_rcond(smr_ctx *ctx, int64_t n, const double *LU, int64_t lda, double norm,
                        double *rcond)
{
    smr_status st = SMR_OK;
    int32_t *order = NULL;
    double inverse = 0;
    *rcond = n == 0 ? 1 : 0;
    TRY(smr_check_shape(ctx, "condition", n, n, lda));
    for (int64_t j = 0; j < n; j++)
        if (LU[j + j * lda] == 0) return SMR_OK;
    TRY_NEW(order, n + 1);
    for (int64_t k = 0; k < n; k++) order[k] = (int32_t)k;
    struct factored f = {n, LU, lda, order};
    TRY(smr_inverse_norm(ctx, n, solve_one, &f, &inverse));
    if (n > 0) *rcond = smr_rcond_of(norm, inverse);
out:
    smr_free(order);
    return st;
}
