/* qr_pivoted.c -- A P = Q R, where the longest column comes next.
 *
 * Before each reflector the column with the largest norm below the finished rows is exchanged to
 * the front.  Within a block of columns the others are not updated except for the row that is
 * finished: with V and F of the k reflectors so far, they are A - V F', and one more reflector v,
 * tau gives
 *
 *     F_k = tau (A - V F')' v = tau (A'v - F (V'v)).                                            (1)
 *
 * So half of the flops are products of A' with a vector, on all threads, and half one product at
 * the end of a block.  A column's norm loses the entry of the finished row,
 *
 *     norm^2 -= R_kc^2;                                                                         (2)
 *
 * where too little of the norm that was last computed is left for that, the block ends and the
 * norm is computed again (Drmac & Bujanovic).  Equal norms: the column that was first in A.
 *
 * A large matrix at least twice as tall as wide, for which memory is too slow to be swept n times,
 * first has its pivots found on a triangle R whose columns have the same norms and products as A's,
 * and A P is factored as it is, or its Q made from the tree's (qr_tall.c).  R is the Cholesky
 * factor of A'A where A is conditioned well enough and the result proves to be pivoted; else that
 * of a QR without exchanges.  Norms that differ by rounding count as equal there.
 *
 * Cost: 4 m n r - 2 (m + n) r^2 + 4/3 r^3 flops, r = min(m, n); half as much again, or twice that,
 * for a tall one, which is faster still.  Memory: n (BLOCK + 4) numbers, or a copy of A.
 *
 * References: Quintana-Orti, Sun & Bischof, SIAM J. Sci. Comput. 19(5):1486-1494, 1998; Drmac &
 * Bujanovic, ACM Trans. Math. Softw. 35(2):12, 2008. */
#include "math/qr_parts.h"

#include "core/parallel.h"
#include "kernel/kernel.h"
#include "math/product.h"
#include "math/reflect.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 32, SWEEP = 1 << 15, MANY = 1 << 17 };
enum { TALL = 2, TALL_NUMBERS = 1 << 21 }; /* from here on two factors are faster than one */
static const double SLACK = 0x1p-40;       /* of norms that were computed from a triangle */
static const double LEAST_PIVOT = 0x1p-12, PIVOT_SLACK = 0x1p-30;

struct pivoting {
    int64_t m, n;
    double *A;
    int64_t lda;
    int64_t *pivot;
    double *tau;
    double slack;
    double *F;            /* (n - j0) x BLOCK, ld n                                            */
    double *norm, *exact; /* n: below the finished rows; when it was last computed             */
    double *row;          /* n                                                                 */
    double *stale;        /* n: not 0 where the norm must be computed again                    */
    bool any_stale;
    const double *v; /* of a sweep                                                              */
    int64_t j, k;    /* column at work; its number in the block                                 */
};

static double norm_of(int64_t m, const double *x)
{
    double sq = smr_sumsq_f64(m, x, 0), largest = 0;
    if (sq >= 0x1p-900 && sq <= 0x1p1000) return sqrt(sq);
    for (int64_t i = 0; i < m; i++) largest = smr_fmax(largest, fabs(x[i]));
    if (largest == 0) return 0;
    int e = 0;
    (void)frexp(largest, &e);
    sq = 0;
    for (int64_t i = 0; i < m; i++) sq += ldexp(x[i], -e) * ldexp(x[i], -e);
    return ldexp(sqrt(sq), e);
}

/* The column to take next: the longest; among those equally long, within the slack, the first of
 * A. */
static int64_t longest(const struct pivoting *p)
{
    double most = 0;
    int64_t best = -1;
    for (int64_t c = p->j; c < p->n; c++)
        if (p->norm[c] > most) most = p->norm[c];
    for (int64_t c = p->j; c < p->n; c++)
        if (p->norm[c] >= most * (1 - p->slack) && (best < 0 || p->pivot[c] < p->pivot[best]))
            best = c;
    return best < 0 ? p->j : best; /* norms that overflowed */
}

static void swap_numbers(int64_t n, double *a, double *b, int64_t step)
{
    for (int64_t i = 0; i < n; i++) {
        double t = a[i * step];
        a[i * step] = b[i * step];
        b[i * step] = t;
    }
}

/* Columns c and j change places; j0 is the first of the block. */
static void exchange(struct pivoting *p, int64_t c, int64_t j0)
{
    int64_t j = p->j, was = p->pivot[j];
    if (c == j) return;
    swap_numbers(p->m, p->A + c * p->lda, p->A + j * p->lda, 1);
    swap_numbers(p->k, p->F + c - j0, p->F + j - j0, p->n);
    p->pivot[j] = p->pivot[c];
    p->pivot[c] = was;
    p->norm[c] = p->norm[j]; /* j's own are no longer needed */
    p->exact[c] = p->exact[j];
}

static smr_status sweep_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const struct pivoting *p = arg;
    int64_t rows = p->m - p->j, columns = SMR_MAX(8, SWEEP / rows / 8 * 8);
    int64_t c = p->j + 1 + task * columns, end = SMR_MIN(p->n, c + columns);
    smr_rows_times_f64(end - c, rows, 1, p->A + p->j + c * p->lda, p->lda, p->v, rows, p->row + c);
    return SMR_OK;
}

/* row[c] = a_c'v for the columns after j. */
static smr_status sweep(smr_ctx *ctx, struct pivoting *p, const double *v)
{
    int64_t rows = p->m - p->j, n = p->n - p->j - 1, columns = SMR_MAX(8, SWEEP / rows / 8 * 8);
    p->v = v;
    if (rows * n >= MANY)
        return smr_parallel(ctx, NULL, smr_block_count(n, columns), sweep_task, p);
    smr_rows_times_f64(n, rows, 1, p->A + p->j + (p->j + 1) * p->lda, p->lda, v, rows,
                       p->row + p->j + 1);
    return SMR_OK;
}

/* (1): column k of F, for the columns after j. */
static smr_status new_factor(smr_ctx *ctx, struct pivoting *p, int64_t j0)
{
    smr_status st = SMR_OK;
    int64_t j = p->j, k = p->k, rows = p->m - j, n = p->n - j - 1;
    double *F = p->F + k + 1, *f = F + k * p->n, with[BLOCK] = {0}, tau = p->tau[j];
    const double *v = p->A + j + j * p->lda, *V = p->A + j + j0 * p->lda;
    TRY(sweep(ctx, p, v));
    for (int64_t c = 0; c < n; c++) f[c] = tau * p->row[j + 1 + c];
    smr_rows_times_f64(k, rows, 1, V, p->lda, v, rows, with);
    for (int64_t i = 0; i < k; i++) with[i] *= -tau;
    smr_rows_add_f64(k, n, 1, F, p->n, with, f, p->n);
out:
    return st;
}

/* Row j of the columns after it becomes R's, and leaves their norms: (2). */
static void finish_row(struct pivoting *p, int64_t j0)
{
    int64_t j = p->j, k = p->k, n = p->n - j - 1;
    double with[BLOCK] = {0}, *a = p->A + j + (j + 1) * p->lda, *out = p->row + j + 1;
    for (int64_t i = 0; i <= k; i++) with[i] = p->A[j + (j0 + i) * p->lda];
    memset(out, 0, (size_t)n * sizeof *out);
    smr_rows_add_f64(k + 1, n, 1, p->F + k + 1, p->n, with, out, p->n);
    for (int64_t c = 0; c < n; c++) {
        double *norm = &p->norm[j + 1 + c], r = a[c * p->lda] -= out[c];
        if (*norm == 0) continue;
        double t = fabs(r) / *norm, left = smr_fmax(0, (1 + t) * (1 - t));
        double since = *norm / p->exact[j + 1 + c];
        if (left * since * since <= 0x1p-26)
            p->stale[j + 1 + c] = p->any_stale = true;
        else
            *norm *= sqrt(left);
    }
}

static smr_status one_column(smr_ctx *ctx, struct pivoting *p, int64_t j0)
{
    smr_status st = SMR_OK;
    int64_t j = p->j, k = p->k, rows = p->m - j;
    exchange(p, longest(p), j0);
    double *x = p->A + j + j * p->lda, with[BLOCK] = {0};
    for (int64_t i = 0; i < k; i++) with[i] = -p->F[k + i * p->n];
    smr_rows_add_f64(k, rows, 1, p->A + j + j0 * p->lda, p->lda, with, x, rows);
    p->tau[j] = smr_reflector(rows - 1, x, x + 1);
    if (j + 1 == p->n) return SMR_OK;
    double beta = *x;
    *x = 1;
    TRY(new_factor(ctx, p, j0));
    finish_row(p, j0);
    *x = beta;
out:
    return st;
}

struct norming {
    struct pivoting *p;
    bool all;
    int64_t columns;
};

static smr_status norm_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const struct norming *a = arg;
    struct pivoting *p = a->p;
    int64_t c = p->j + task * a->columns, end = SMR_MIN(p->n, c + a->columns);
    for (; c < end; c++) {
        if (!a->all && p->stale[c] == 0) continue;
        p->stale[c] = 0;
        p->norm[c] = p->exact[c] = norm_of(p->m - p->j, p->A + p->j + c * p->lda);
    }
    return SMR_OK;
}

/* The norms of the columns from j on, below row j; all of them or the stale ones. */
static smr_status take_norms(smr_ctx *ctx, struct pivoting *p, bool all)
{
    int64_t n = p->n - p->j, rows = p->m - p->j;
    struct norming a = {p, all, rows * n < MANY ? n : SMR_MAX(1, SWEEP / rows)};
    p->any_stale = false;
    return n > 0 ? smr_parallel(ctx, NULL, smr_block_count(n, a.columns), norm_task, &a) : SMR_OK;
}

/* Columns from p->j on, until the block is full or a norm must be computed again. */
static smr_status one_block(smr_ctx *ctx, struct pivoting *p)
{
    smr_status st = SMR_OK;
    int64_t j0 = p->j, last = SMR_MIN(j0 + BLOCK, SMR_MIN(p->m, p->n));
    for (p->k = 0; p->j < last && !p->any_stale; p->j++, p->k++) {
        TRY(smr_tick(ctx, NULL, p->j, p->n, 0));
        TRY(one_column(ctx, p, j0));
    }
    int64_t j = p->j, k = p->k;
    smr_update u = {.m = p->m - j, .n = p->n - j, .k = k, .ldc = p->lda, .minus = true};
    u.A = (smr_grid){p->A + j + j0 * p->lda, 1, p->lda};
    u.B = (smr_grid){p->F + k, p->n, 1};
    u.C = p->A + j + j * p->lda;
    TRY(smr_update_run(ctx, &u));
    if (p->any_stale) TRY(take_norms(ctx, p, false));
out:
    return st;
}

/* Finite numbers; pivot[] is set. */
static smr_status factor_directly(smr_ctx *ctx, struct pivoting *p)
{
    smr_status st = SMR_OK;
    int64_t n = p->n, r = SMR_MIN(p->m, n);
    p->F = smr_alloc_raw(ctx, n * (SMR_MIN(BLOCK, r) + 4), sizeof *p->F);
    if (!p->F) return SMR_ERR_NOMEM;
    p->norm = p->F + n * SMR_MIN(BLOCK, r);
    p->exact = p->norm + n;
    p->row = p->exact + n;
    p->stale = p->row + n;
    memset(p->stale, 0, (size_t)n * sizeof *p->stale);
    for (int64_t c = 0; c < n; c++) p->pivot[c] = c;
    TRY(take_norms(ctx, p, true));
    while (p->j < r) TRY(one_block(ctx, p));
    if (!smr_qr_is_finite(p->m, n, p->A, p->lda)) TRY(smr_qr_overflow(ctx));
out:
    smr_free(p->F);
    return st;
}

/* ---- tall ------------------------------------------------------------------------------- */

smr_status smr_qr_pivot_triangle(smr_ctx *ctx, int64_t n, double *R, int64_t *pivot, double *tau)
{
    struct pivoting p = {.m = n, .n = n, .A = R, .lda = n, .pivot = pivot, .tau = tau};
    p.slack = SLACK;
    return factor_directly(ctx, &p);
}

struct moving {
    const double *from;
    double *to;
    int64_t m, ld_from, ld_to;
    const int64_t *pivot; /* NULL: as they are */
};

static smr_status move_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const struct moving *a = arg;
    int64_t from = a->pivot ? a->pivot[task] : task;
    memcpy(a->to + task * a->ld_to, a->from + from * a->ld_from, (size_t)a->m * sizeof *a->to);
    return SMR_OK;
}

/* R with R'R = A'A by Cholesky, half the work of a QR; *good is false where that may have lost too
 * many digits to choose by. */
static smr_status triangle_of_products(smr_ctx *ctx, int64_t m, int64_t n, const double *A,
                                       int64_t lda, double *R, bool *good)
{
    smr_status st = SMR_OK;
    int64_t failed_at = -1;
    double least = INFINITY, most = 0;
    smr_update u = {n, n, m, {A, lda, 1}, {A, 1, lda}, R, n, false, true};
    TRY(smr_update_run(ctx, &u));
    TRY(smr_cholesky(ctx, n, R, n, &failed_at));
    for (int64_t j = 0; j < n; j++) {
        least = smr_fmin(least, R[j + j * n]);
        most = smr_fmax(most, R[j + j * n]);
        for (int64_t i = 0; i < j; i++) {
            R[i + j * n] = R[j + i * n];
            R[j + i * n] = 0;
        }
    }
    *good = failed_at < 0 && least > LEAST_PIVOT * most && most < 0x1p400 && least > 0x1p-400;
out:
    return st;
}

/* Does the longest column always come next?  To PIVOT_SLACK of its square. */
static bool is_pivoted(int64_t n, const double *A, int64_t lda)
{
    for (int64_t j = 0; j < n; j++) {
        double below = 0;
        for (int64_t k = j; k >= 0; k--) {
            below += A[k + j * lda] * A[k + j * lda];
            if (!(below <= (1 + PIVOT_SLACK) * A[k + k * lda] * A[k + k * lda])) return false;
        }
    }
    return true;
}

/* The pivots from a triangle of a copy, then the factor of A P: the triangle is that of A'A, unless
 * it turns out not to be good enough. */
static smr_status factor_twice(smr_ctx *ctx, int64_t m, int64_t n, double *A, int64_t lda,
                               int64_t *pivot, double *tau)
{
    smr_status st = SMR_OK;
    int64_t pitch = smr_pitch(m);
    bool good = false;
    double *R = NULL, *copy = smr_alloc_raw(ctx, pitch * n, sizeof *copy);
    if (!copy) return SMR_ERR_NOMEM;
    struct moving out = {A, copy, m, lda, pitch, NULL}, back = {copy, A, m, pitch, lda, pivot};
    struct moving again = {copy, A, m, pitch, lda, NULL};
    TRY_NEW(R, n * n);
    TRY(smr_parallel(ctx, NULL, n, move_task, &out));
    TRY(triangle_of_products(ctx, m, n, A, lda, R, &good));
    for (int round = good ? 0 : 1; round < 2; round++) {
        if (round == 1) {
            if (good) TRY(smr_parallel(ctx, NULL, n, move_task, &again));
            TRY(smr_qr_plain(ctx, m, n, A, lda, tau));
            for (int64_t j = 0; j < n; j++)
                for (int64_t i = 0; i < n; i++) R[i + j * n] = i <= j ? A[i + j * lda] : 0;
        }
        TRY(smr_qr_pivot_triangle(ctx, n, R, pivot, tau));
        TRY(smr_parallel(ctx, NULL, n, move_task, &back));
        TRY(smr_qr_plain(ctx, m, n, A, lda, tau));
        if (is_pivoted(n, A, lda)) break;
    }
out:
    smr_free(R);
    smr_free(copy);
    return st;
}

smr_status smr_qr_pivoted(smr_ctx *ctx, int64_t m, int64_t n, double *A, int64_t lda,
                          int64_t *pivot, double *tau)
{
    smr_status st = SMR_OK;
    struct pivoting p = {.m = m, .n = n, .A = A, .lda = lda, .pivot = pivot, .tau = tau};
    TRY(smr_qr_check(ctx, "QR", m, n, A, lda));
    if (smr_qr_is_tall(m, n))
        st = smr_qr_tall(ctx, m, n, A, lda, tau, pivot);
    else if (n > 0 && m / n >= TALL && m >= TALL_NUMBERS / n)
        st = factor_twice(ctx, m, n, A, lda, pivot, tau);
    else
        st = factor_directly(ctx, &p);
out:
    return st;
}
