/* qr.c -- A = Q R by Householder reflectors, and the uses of Q.
 *
 * Blocked: a panel of columns is copied, factored by one thread (panel.h) and put back; its
 * reflectors are applied to the columns after it as one block on all threads (reflect.h).  The
 * first of these are the next panel, and one thread goes on to factor it while the others finish.
 * Applying Q or Q' goes block by block from the last or from the first; forming Q applies the
 * blocks from the last on to the identity, of which block j0 only sees the rows and columns from j0
 * on.
 *
 * Cost: 2 m n^2 - 2/3 n^3 flops for the factor, 4 m n k for applying k reflectors to n columns.
 * Memory: about three panels.  Small matrices are factored on the stack.  Matrices that are
 * many times taller than wide go through a tree (tall_qr.c).
 *
 * A column that is zero below its diagonal has tau = 0 or 2: R's sign there is free.
 *
 * References: Schreiber & Van Loan, SIAM J. Sci. Stat. Comput. 10(1):53-57, 1989; Golub & Van Loan,
 * Matrix Computations, 4th ed., 5.2. */
#include "math/qr_parts.h"

#include "core/parallel.h"
#include "kernel/kernel.h"
#include "math/panel.h"
#include "math/reflect.h"

#include <math.h>
#include <string.h>

enum { WIDE = 64 };
enum { SMALL = 4096, SMALL_COLUMNS = 64 }; /* numbers and columns of a matrix on the stack */
enum { FEW_COLUMNS = 4, CHECK_NUMBERS = 1 << 16 };
static const double FEW_FLOPS = 4e5;

/* ---- checks ----------------------------------------------------------------------------- */

struct checking {
    const double *A;
    int64_t m, n, lda, columns;
    atomic_bool doubts;
};

/* A finite sum has finite terms; one that is not may have overflowed. */
static smr_status sum_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    struct checking *c = arg;
    for (int64_t j = task * c->columns; j < smr_block_end(c->n, c->columns, task); j++)
        if (!isfinite(smr_sum_f64(c->m, c->A + j * c->lda))) atomic_store(&c->doubts, true);
    return SMR_OK;
}

smr_status smr_qr_check(smr_ctx *ctx, const char *what, int64_t m, int64_t n, const double *A,
                        int64_t lda)
{
    smr_status st = SMR_OK;
    TRY(smr_check_shape(ctx, what, m, n, lda));
    if (m == 0 || n == 0) return SMR_OK;
    struct checking c = {A, m, n, lda, SMR_MAX(1, CHECK_NUMBERS / m), false};
    if (m * n < 2 * CHECK_NUMBERS) return smr_check_finite(ctx, what, m, n, A, lda);
    TRY(smr_parallel(ctx, NULL, smr_block_count(n, c.columns), sum_task, &c));
    if (atomic_load(&c.doubts)) TRY(smr_check_finite(ctx, what, m, n, A, lda));
out:
    return st;
}

/* What overflows in a column spoils all of it below, so its last entry of R shows it. */
bool smr_qr_is_finite(int64_t m, int64_t n, const double *A, int64_t lda)
{
    double sum = 0;
    for (int64_t j = 0; j < n && m > 0; j++) sum += 0 * A[SMR_MIN(j, m - 1) + j * lda];
    return sum == 0;
}

smr_status smr_qr_overflow(smr_ctx *ctx)
{
    return smr_fail(ctx, SMR_ERR_NUMERIC, "QR: the columns' lengths overflow: rescale them");
}

/* ---- the factor ------------------------------------------------------------------------- */

static void copy_columns(int64_t m, int64_t n, const double *from, int64_t ld_from, double *to,
                         int64_t ld_to)
{
    for (int64_t j = 0; j < n; j++)
        memcpy(to + j * ld_to, from + j * ld_from, (size_t)m * sizeof *to);
}

/* Vectors below the diagonal of A, from a panel. */
static void put_back(const smr_panel *p, double *A, int64_t lda)
{
    for (int64_t j = 0; j < SMR_MIN(p->m - 1, p->n); j++)
        memcpy(A + j * lda + j + 1, p->V + j * p->ld + j + 1, (size_t)(p->m - j - 1) * sizeof *A);
}

static void factor_small(int64_t m, int64_t n, double *A, int64_t lda, double *tau)
{
    double V[SMALL] __attribute__((aligned(64)));
    double T[SMR_PANEL_STEP * SMALL_COLUMNS];
    double work[2 * SMR_PANEL_STEP * SMALL_COLUMNS + SMR_PANEL_STEP * SMR_PANEL_STEP];
    smr_panel p = {NULL, m, n, smr_pitch(m), V, A, lda, tau, SMR_PANEL_STEP, T, false, work};
    copy_columns(m, n, A, lda, V, p.ld);
    (void)smr_panel_factor(&p);
    put_back(&p, A, lda);
}

/* What the tasks of the blocked QR share.  The panel has the columns from j on; the block those
 * before it. */
struct blocked {
    int64_t m, n, lda, wide;
    double *A, *tau;
    smr_reflect block;
    double *V, *T, *work; /* of the panel */
    int64_t j, b;         /* the panel's first column, and how many it has */
    int64_t ldv;
};

/* Factors the panel. */
static void factor_panel(struct blocked *f)
{
    int64_t j = f->j, rows = f->m - j;
    double *at = f->A + j + j * f->lda;
    bool keeps = j + f->b < f->n;
    smr_panel p = {NULL,       rows, f->b, smr_pitch(rows), f->V,   at, f->lda,
                   f->tau + j, f->b, f->T, keeps,           f->work};
    copy_columns(rows, f->b, at, f->lda, f->V, p.ld);
    (void)smr_panel_factor(&p);
    put_back(&p, at, f->lda);
    f->ldv = p.ld;
}

/* Task 0 applies the block to the panel's columns and factors these, the others apply it to strips
 * of the columns after them. */
static smr_status blocked_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx;
    struct blocked *f = arg;
    int64_t lo = task ? f->j + f->b + (task - 1) * SMR_REFLECT_STRIP : f->j;
    int64_t hi = task ? SMR_MIN(f->n, lo + SMR_REFLECT_STRIP) : f->j + f->b;
    for (int64_t c = lo; c < hi; c += SMR_REFLECT_STRIP)
        smr_reflect_strip(&f->block, lane, SMR_MIN(SMR_REFLECT_STRIP, hi - c),
                          f->A + (f->m - f->block.m) + c * f->lda, f->lda);
    if (task == 0 && f->b > 0) factor_panel(f);
    return SMR_OK;
}

/* Few flops are done by the caller alone. */
static smr_status run_tasks(smr_ctx *ctx, struct blocked *f, int64_t n_tasks)
{
    const smr_reflect *b = &f->block;
    double flops = 4 * (double)b->m * (double)b->k * (double)(f->n - f->j);
    if (flops >= FEW_FLOPS) return smr_parallel(ctx, NULL, n_tasks, blocked_task, f);
    for (int64_t t = 0; t < n_tasks; t++) (void)blocked_task(ctx, f, t, 0);
    return SMR_OK;
}

static smr_status run_blocked(smr_ctx *ctx, struct blocked *f)
{
    smr_status st = SMR_OK;
    int64_t r = SMR_MIN(f->m, f->n);
    f->b = SMR_MIN(f->wide, r);
    factor_panel(f);
    while (f->j + f->b < f->n) {
        int64_t j = f->j, b = f->b;
        TRY(smr_tick(ctx, NULL, j, r, 0));
        TRY(smr_reflect_take_with(ctx, &f->block, f->m - j, b, f->V, f->ldv, f->T, b));
        smr_reflect_prepare(&f->block, true);
        f->j = j + b;
        f->b = SMR_MIN(f->wide, r - f->j);
        int64_t strips = smr_block_count(f->n - f->j - f->b, SMR_REFLECT_STRIP);
        TRY(run_tasks(ctx, f, 1 + strips));
        if (f->b == 0) break;
    }
out:
    return st;
}

/* Columns of a panel: wider ones multiply faster, and are waited for longer. */
static int64_t panel_width(int64_t r)
{
    return r < 700 ? 32 : r < 1500 ? 64 : 96;
}

static smr_status factor_blocked(smr_ctx *ctx, int64_t m, int64_t n, double *A, int64_t lda,
                                 double *tau)
{
    smr_status st = SMR_OK;
    int64_t wide = panel_width(SMR_MIN(m, n)), pitch = smr_pitch(m);
    struct blocked f = {.m = m, .n = n, .lda = lda, .wide = wide, .A = A, .tau = tau};
    f.V = smr_alloc_raw(ctx, wide * (pitch + wide) + smr_panel_work(wide, wide), sizeof *f.V);
    if (!f.V) return SMR_ERR_NOMEM;
    f.T = f.V + wide * pitch;
    f.work = f.T + wide * wide;
    TRY(smr_reflect_create(ctx, m, wide, &f.block));
    TRY(run_blocked(ctx, &f));
out:
    smr_reflect_release(&f.block);
    smr_free(f.V);
    return st;
}

smr_status smr_qr_plain(smr_ctx *ctx, int64_t m, int64_t n, double *A, int64_t lda, double *tau)
{
    smr_status st = SMR_OK;
    if (m == 0 || n == 0) return SMR_OK;
    if (n <= SMALL_COLUMNS && smr_pitch(m) * n <= SMALL)
        factor_small(m, n, A, lda, tau);
    else if (smr_qr_is_tall(m, n))
        TRY(smr_qr_tall(ctx, m, n, A, lda, tau, NULL));
    else
        TRY(factor_blocked(ctx, m, n, A, lda, tau));
    if (!smr_qr_is_finite(m, n, A, lda)) TRY(smr_qr_overflow(ctx));
out:
    return st;
}

smr_status smr_qr(smr_ctx *ctx, int64_t m, int64_t n, double *A, int64_t lda, double *tau)
{
    smr_status st = SMR_OK;
    TRY(smr_qr_check(ctx, "QR", m, n, A, lda));
    TRY(smr_qr_plain(ctx, m, n, A, lda, tau));
out:
    return st;
}

/* ---- applying --------------------------------------------------------------------------- */

/* c = H c for one column from the pivot row on. */
static void reflect_column(int64_t m, const double *v, double tau, double *c)
{
    double s = -tau * (c[0] + smr_dot_f64(m - 1, v + 1, c + 1));
    c[0] += s;
    smr_axpy_f64(m - 1, s, v + 1, c + 1);
}

static smr_status apply_singly(smr_ctx *ctx, bool transpose, int64_t m, int64_t n, int64_t k,
                               const double *A, int64_t lda, const double *tau, double *C,
                               int64_t ldc) /* lint: allow arguments, those of smr_qr_apply */
{
    smr_status st = SMR_OK;
    double since = 0;
    for (int64_t i = 0; i < k; i++) {
        int64_t j = transpose ? i : k - 1 - i;
        for (int64_t c = 0; c < n; c++)
            reflect_column(m - j, A + j + j * lda, tau[j], C + j + c * ldc);
        since += 4 * (double)(m - j) * (double)n;
        if (since < 1e6) continue;
        TRY(smr_tick(ctx, NULL, i, k, 0));
        since = 0;
    }
out:
    return st;
}

/* The first column of block i of a row of k reflectors, in the order of the work. */
static int64_t block_start(int64_t i, int64_t k, int64_t wide, bool ascends)
{
    return ascends ? i * wide : (smr_block_count(k, wide) - 1 - i) * wide;
}

smr_status smr_qr_apply(smr_ctx *ctx, bool transpose, int64_t m, int64_t n, int64_t k,
                        const double *A, int64_t lda, const double *tau, double *C, int64_t ldc)
/* lint: allow arguments, two matrices and their sizes */
{
    smr_status st = SMR_OK;
    smr_reflect block = {0};
    if (m == 0 || n == 0 || k == 0) return SMR_OK;
    if (n <= FEW_COLUMNS || 4 * (double)m * (double)n * (double)k < FEW_FLOPS)
        return apply_singly(ctx, transpose, m, n, k, A, lda, tau, C, ldc);
    int64_t wide = SMR_MIN(k, WIDE);
    TRY(smr_reflect_create(ctx, m, wide, &block));
    for (int64_t i = 0; i < smr_block_count(k, wide); i++) {
        int64_t j = block_start(i, k, wide, transpose), b = SMR_MIN(wide, k - j);
        TRY(smr_tick(ctx, NULL, i, k, 0));
        TRY(smr_reflect_take(ctx, &block, m - j, b, A + j + j * lda, lda, tau + j));
        TRY(smr_reflect_apply(ctx, &block, transpose, n, C + j, ldc));
    }
out:
    smr_reflect_release(&block);
    return st;
}

/* ---- forming ---------------------------------------------------------------------------- */

static void form_small(int64_t m, int64_t k, double *A, int64_t lda, const double *tau)
{
    for (int64_t j = k - 1; j >= 0; j--) {
        double *v = A + j + j * lda;
        for (int64_t c = j + 1; c < k; c++) {
            double *a = A + j + c * lda;
            double s = a[0] = -tau[j] * smr_dot_f64(m - j - 1, v + 1, a + 1);
            smr_axpy_f64(m - j - 1, s, v + 1, a + 1);
        }
        v[0] = 1 - tau[j];
        for (int64_t i = 1; i < m - j; i++) v[i] *= -tau[j];
    }
}

smr_status smr_qr_form(smr_ctx *ctx, int64_t m, int64_t k, double *A, int64_t lda,
                       const double *tau)
{
    smr_status st = SMR_OK;
    smr_reflect block = {0};
    if (m == 0 || k == 0) return SMR_OK;
    if (4 * (double)m * (double)k * (double)k < FEW_FLOPS) {
        form_small(m, k, A, lda, tau);
        return SMR_OK;
    }
    int64_t wide = SMR_MIN(k, WIDE);
    TRY(smr_reflect_create(ctx, m, wide, &block));
    for (int64_t i = 0; i < smr_block_count(k, wide); i++) {
        int64_t j = block_start(i, k, wide, false), b = SMR_MIN(wide, k - j);
        double *at = A + j + j * lda;
        TRY(smr_tick(ctx, NULL, i, k, 0));
        TRY(smr_reflect_take(ctx, &block, m - j, b, at, lda, tau + j));
        for (int64_t c = 0; c < k - j; c++)
            memset(at + c * lda, 0, (size_t)(c < b ? m - j : b) * sizeof *at);
        for (int64_t c = 0; c < b; c++) at[c + c * lda] = 1;
        TRY(smr_reflect_apply(ctx, &block, false, k - j, at, lda));
    }
out:
    smr_reflect_release(&block);
    return st;
}
