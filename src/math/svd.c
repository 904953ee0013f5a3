/* svd.c -- singular value decomposition of a dense matrix: see factor.h.
 *
 * A wide matrix is turned first, so let A be m x n with m >= n.  Then
 *
 *     A = H B G',   B = X S Y',   U = H X,   V = G Y                                            (1)
 *
 * where H and G are products of reflectors, B is bidiagonal (math/bidiagonal.h), and (1) multiplies
 * X and Y by the reflectors in blocks.  Where m >= 1.8 n, A = Q R first, and (1) is about R: then
 * U = Q (U_R; 0).  A matrix many times as tall as wide is factored by a tree in the place of U.
 * Numbers count as they are if the largest lies within 2^-100
 * and 2^100, else A is scaled by a power of two, which is exact.
 *
 * Cost: (8/3) n^3 for B, at most (8/3) n^3 for X and Y, 4 n^3 for U and V of a square matrix; half
 * of the first at the speed of memory, everything else in products.  Memory: about 4 n^2 numbers,
 * and m n for what is turned or copied.
 *
 * A zero matrix has U and Vt of unit vectors.  Values below about n eps of the largest are not
 * determined by A: they come out as something below that.
 *
 * Reference: G. Golub, C. Van Loan, Matrix Computations, 4th ed. (2013), 8.6. */
#include "math/factor.h"

#include "core/parallel.h"
#include "core/sort.h"
#include "kernel/kernel.h"
#include "math/bidiagonal.h"
#include "math/qr_parts.h"
#include "math/reflect.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 32, LARGE_BLOCK = 64, LARGE_FROM = 700, SQUARE = 16, COPIED = 64 * 1024, FEW = 24 };
/* From these numbers on the QR comes first.  By a tree: rows over columns, with NARROW columns or
 * more. */
enum { TALL_NUMBERS = 1536, LONG = 10, LONG_WIDE = 20, NARROW = 128 };
static const double SMALL = 0x1p-100, LARGE = 0x1p100;

typedef struct {
    double *at;
    int64_t ld;
} matrix;

/* ---- copies ---------------------------------------------------------------------------------- */

struct copying {
    int64_t m, n, width; /* of a task: columns of `from` */
    const double *from;
    int64_t ld;
    matrix to;
    bool turned; /* to = from' */
    double by, *largest;
};

static void turn_block(const struct copying *p, int64_t a, int64_t b)
{
    for (int64_t i0 = 0; i0 < p->m; i0 += SQUARE) {
        int64_t i1 = SMR_MIN(p->m, i0 + SQUARE);
        for (int64_t j = a; j < b; j += SQUARE) {
            int64_t end = SMR_MIN(b, j + SQUARE);
            for (int64_t i = i0; i < i1; i++)
                for (int64_t l = j; l < end; l++)
                    p->to.at[l + i * p->to.ld] = p->from[i + l * p->ld];
        }
    }
}

static smr_status copy_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const struct copying *p = arg;
    int64_t a = task * p->width, b = SMR_MIN(p->n, a + p->width);
    if (p->turned) {
        turn_block(p, a, b);
        return SMR_OK;
    }
    for (int64_t j = a; j < b; j++) {
        const double *from = p->from + j * p->ld;
        double *to = p->to.at + j * p->to.ld;
        if (p->by == 1) {
            memcpy(to, from, (size_t)p->m * sizeof *to);
        } else {
            for (int64_t i = 0; i < p->m; i++) to[i] = from[i] * p->by;
        }
    }
    return SMR_OK;
}

static smr_status largest_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    static const double zero[COPIED / 64];
    const struct copying *p = arg;
    int64_t a = task * p->width, b = SMR_MIN(p->n, a + p->width);
    double largest = 0;
    for (int64_t j = a; j < b; j++)
        for (int64_t i = 0; i < p->m; i += SMR_COUNT(zero)) {
            int64_t n = SMR_MIN(p->m - i, SMR_COUNT(zero));
            double x = smr_linf_f64(n, p->from + i + j * p->ld, zero);
            largest = smr_fmax(largest, isfinite(x) ? x : INFINITY);
        }
    p->largest[task] = largest;
    return SMR_OK;
}

static smr_status run_copying(smr_ctx *ctx, struct copying *p, smr_task_fn task)
{
    int64_t n_tasks = smr_block_count(p->n, p->width);
    return n_tasks == 1 ? task(ctx, p, 0, 0) : smr_parallel(ctx, NULL, n_tasks, task, p);
}

/* Columns for a task: a multiple of SQUARE, and of COPIED numbers or so. */
static int64_t width_of(int64_t m)
{
    return (COPIED / SMR_MAX(m, 1) / SQUARE + 1) * SQUARE;
}

/* to = by from; or from'. */
static smr_status copy(smr_ctx *ctx, int64_t m, int64_t n, matrix from, double by, matrix to)
{
    struct copying p = {m, n, width_of(m), from.at, from.ld, to, false, by, NULL};
    return run_copying(ctx, &p, copy_task);
}

static smr_status turn(smr_ctx *ctx, int64_t m, int64_t n, matrix from, matrix to)
{
    struct copying p = {m, n, width_of(m), from.at, from.ld, to, true, 1, NULL};
    return run_copying(ctx, &p, copy_task);
}

/* The largest size, and a refusal of what is not finite. */
static smr_status largest_of(smr_ctx *ctx, int64_t m, int64_t n, const double *A, int64_t lda,
                             double *largest)
{
    smr_status st = SMR_OK;
    double few[16], *parts = few;
    struct copying p = {m, n, width_of(m), A, lda, {NULL, 0}, false, 1, few};
    int64_t n_tasks = smr_block_count(n, p.width);
    *largest = 0;
    if (n_tasks > SMR_COUNT(few)) TRY_NEW(parts, n_tasks);
    p.largest = parts;
    TRY(run_copying(ctx, &p, largest_task));
    for (int64_t t = 0; t < n_tasks; t++) *largest = smr_fmax(*largest, parts[t]);
    if (!isfinite(*largest)) TRY(smr_check_finite(ctx, "svd", m, n, A, lda));
out:
    if (parts != few) smr_free(parts);
    return st;
}

/* ---- reflectors ------------------------------------------------------------------------------ */

/* C (m x n) = H_0 ... H_k-1 C, few columns: one reflector at a time. */
static void reflect_few(int64_t m, int64_t n, int64_t k, matrix V, const double *tau, matrix C)
{
    double w[FEW];
    for (int64_t j = k - 1; j >= 0; j--) {
        const double *v = V.at + j + j * V.ld;
        double *c = C.at + j;
        smr_rows_times_f64(n, m - j, 1, c, C.ld, v, 0, w);
        for (int64_t l = 0; l < n; l++) smr_axpy_f64(m - j, -tau[j] * w[l], v, c + l * C.ld);
    }
}

static smr_status reflect_all(smr_ctx *ctx, int64_t m, int64_t n, int64_t k, matrix V,
                              const double *tau, matrix C)
{
    smr_status st = SMR_OK;
    smr_reflect r = {0};
    if (n <= FEW) {
        reflect_few(m, n, k, V, tau, C);
        return SMR_OK;
    }
    int64_t block = m < LARGE_FROM ? BLOCK : LARGE_BLOCK;
    TRY(smr_reflect_create(ctx, m, SMR_MIN(k, block), &r));
    for (int64_t j = (k - 1) / block * block; j >= 0; j -= block) {
        TRY(smr_tick(ctx, NULL, 0, 1, 0));
        TRY(smr_reflect_take(ctx, &r, m - j, SMR_MIN(k - j, block), V.at + j + j * V.ld, V.ld,
                             tau + j));
        TRY(smr_reflect_apply(ctx, &r, false, n, C.at + j, C.ld));
    }
out:
    smr_reflect_release(&r);
    return st;
}

/* ---- the decomposition ----------------------------------------------------------------------- */

/* What (1) is about: A (m x n, m >= n), its values, U and V (not Vt), or no vectors. */
struct svd {
    int64_t m, n;
    matrix A, U, V;
    double *s;
    bool vectors;
};

/* The order of descending values; s is put into it. */
static smr_status order_values(smr_ctx *ctx, int64_t n, const double *d, double *s, int64_t *order)
{
    smr_status st = SMR_OK;
    if (n <= FEW) {
        for (int64_t k = 0; k < n; k++) {
            int64_t i = k;
            for (; i > 0 && d[order[i - 1]] < d[k]; i--) order[i] = order[i - 1];
            order[i] = k;
        }
    } else {
        for (int64_t k = 0; k < n; k++) s[k] = -d[k];
        TRY(smr_argsort_f64(ctx, n, s, order));
    }
    for (int64_t k = 0; k < n; k++) s[k] = d[order[k]];
out:
    return st;
}

struct putting {
    int64_t m, n, width; /* width: columns of a task */
    matrix from, to;
    const int64_t *order; /* NULL: only zeros */
};

static smr_status put_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const struct putting *p = arg;
    for (int64_t k = task * p->width; k < SMR_MIN(p->n, (task + 1) * p->width); k++) {
        double *to = p->to.at + k * p->to.ld;
        if (p->order) memcpy(to, p->from.at + p->order[k] * p->from.ld, (size_t)p->n * sizeof *to);
        memset(to + p->n, 0, (size_t)(p->m - p->n) * sizeof *to);
    }
    return SMR_OK;
}

/* Columns of X (n x n) in order, and zeros below them; or only the zeros. */
static smr_status put_columns(smr_ctx *ctx, int64_t m, int64_t n, matrix X, const int64_t *order,
                              matrix to)
{
    struct putting p = {m, n, width_of(m), X, to, order};
    int64_t n_tasks = smr_block_count(n, p.width);
    return n_tasks == 1 ? put_task(ctx, &p, 0, 0) : smr_parallel(ctx, NULL, n_tasks, put_task, &p);
}

/* The bidiagonal problem: B = X diag(d) Y'. */
static smr_status solve_bidiagonal(smr_ctx *ctx, int64_t n, double *d, double *e, matrix X,
                                   matrix Y, double *work)
{
    double largest = 0;
    for (int64_t k = 0; k < n; k++) largest = smr_fmax(largest, smr_fmax(fabs(d[k]), fabs(e[k])));
    smr_bidiagonal_svd b = {.n = n,
                            .d = d,
                            .e = e,
                            .floor = DBL_EPSILON / 8 * largest,
                            .U = X.at,
                            .V = Y.at,
                            .ldu = X.ld,
                            .ldv = Y.ld,
                            .n_left = n,
                            .n_right = n};
    if (n > FEW) return smr_bidiagonal_divide(ctx, &b);
    for (int64_t k = 0; k < n && X.at; k++) X.at[k + k * X.ld] = Y.at[k + k * Y.ld] = 1;
    return smr_bidiagonal_iterate(ctx, &b, work);
}

/* W (m x n, as smr_bidiagonal wants it) is destroyed; values and, in place, U and V. */
static smr_status decompose(smr_ctx *ctx, const struct svd *p, matrix W)
{
    smr_status st = SMR_OK;
    int64_t m = p->m, n = p->n, ld = smr_pitch(n);
    double *memory = NULL, *squares = NULL;
    TRY_NEW(memory, 9 * n + 8);
    if (p->vectors) TRY_NEW(squares, 3 * n * ld);
    matrix G = {squares, ld}, X = {squares ? squares + n * ld : NULL, ld};
    matrix Y = {squares ? X.at + n * ld : NULL, ld};
    smr_bidiagonal b = {.m = m,
                        .n = n,
                        .A = W.at,
                        .lda = W.ld,
                        .V = G.at,
                        .ldv = ld,
                        .d = memory,
                        .e = memory + n,
                        .tau_left = memory + 2 * n,
                        .tau_right = memory + 3 * n};
    int64_t *order = (int64_t *)(void *)(memory + 4 * n);
    TRY(smr_bidiagonal_reduce(ctx, &b));
    TRY(solve_bidiagonal(ctx, n, b.d, b.e, X, Y, memory + 5 * n));
    TRY(order_values(ctx, n, b.d, p->s, order));
    if (!p->vectors) goto out;
    TRY(put_columns(ctx, m, n, X, order, p->U));
    TRY(put_columns(ctx, n, n, Y, order, p->V));
    TRY(reflect_all(ctx, m, n, n, W, b.tau_left, p->U));
    G.at += 1;
    matrix below = {p->V.at + 1, p->V.ld};
    TRY(reflect_all(ctx, n - 1, n, n - 1, G, b.tau_right, below));
out:
    smr_free(squares);
    smr_free(memory);
    return st;
}

/* A copy of A in the form that the reduction wants. */
static smr_status decompose_copy(smr_ctx *ctx, const struct svd *p)
{
    smr_status st = SMR_OK;
    matrix W = {NULL, smr_pitch(p->m)};
    W.at = smr_alloc_raw(ctx, W.ld * p->n, sizeof *W.at);
    if (!W.at) return SMR_ERR_NOMEM;
    TRY(copy(ctx, p->m, p->n, p->A, 1, W));
    TRY(decompose(ctx, p, W));
out:
    smr_free(W.at);
    return st;
}

/* ---- QR first -------------------------------------------------------------------------------- */

static bool is_long(int64_t m, int64_t n)
{
    return m >= (n <= NARROW ? LONG : LONG_WIDE) * n && m * n >= TALL_NUMBERS;
}

static bool is_tall(int64_t m, int64_t n)
{
    return 5 * m >= 9 * n && m * n >= TALL_NUMBERS;
}

/* A = Q R by a tree; Q U_R takes the place of A, which is copied to U before. */
static smr_status decompose_long(smr_ctx *ctx, const struct svd *p)
{
    smr_status st = SMR_OK;
    int64_t m = p->m, n = p->n, ld = smr_pitch(n);
    smr_tall_qr *tree = NULL;
    double *squares = NULL;
    matrix from = p->vectors ? p->U : p->A;
    TRY_NEW(squares, 2 * n * ld);
    matrix R = {squares, ld}, Z = {squares + n * ld, ld};
    if (from.at != p->A.at) TRY(copy(ctx, m, n, p->A, 1, from));
    TRY(smr_tall_qr_create(ctx, m, n, from.at, from.ld, R.at, ld, &tree));
    struct svd small = {n, n, R, Z, p->V, p->s, p->vectors};
    TRY(decompose(ctx, &small, R));
    if (p->vectors) TRY(smr_tall_qr_form(ctx, tree, n, Z.at, ld));
out:
    smr_tall_qr_release(tree);
    smr_free(squares);
    return st;
}

/* A = Q R by blocks of reflectors, which are then applied to U_R with zeros below it. */
static smr_status decompose_tall(smr_ctx *ctx, const struct svd *p)
{
    smr_status st = SMR_OK;
    int64_t m = p->m, n = p->n;
    double *memory = NULL;
    matrix R = {NULL, smr_pitch(n)};
    TRY_NEW(memory, R.ld * n + n);
    R.at = memory;
    double *tau = memory + R.ld * n;
    TRY(smr_qr_plain(ctx, m, n, p->A.at, p->A.ld, tau));
    for (int64_t j = 0; j < n; j++)
        memcpy(R.at + j * R.ld, p->A.at + j * p->A.ld, (size_t)(j + 1) * sizeof *tau);
    struct svd small = {n, n, R, p->U, p->V, p->s, p->vectors};
    TRY(decompose(ctx, &small, R));
    if (!p->vectors) goto out;
    TRY(put_columns(ctx, m, n, R, NULL, p->U));
    TRY(smr_qr_apply(ctx, false, m, n, n, p->A.at, p->A.ld, tau, p->U.at, p->U.ld));
out:
    smr_free(memory);
    return st;
}

static smr_status decompose_any(smr_ctx *ctx, const struct svd *p)
{
    if (is_long(p->m, p->n)) return decompose_long(ctx, p);
    return is_tall(p->m, p->n) ? decompose_tall(ctx, p) : decompose_copy(ctx, p);
}

/* ---- any matrix ------------------------------------------------------------------------------ */

/* A = U diag(s) Vt with m >= n; Vt is V turned. */
static smr_status run_tall(smr_ctx *ctx, struct svd *p, matrix Vt)
{
    smr_status st = SMR_OK;
    double *V = NULL;
    p->V.ld = smr_pitch(p->n);
    if (p->vectors) {
        V = p->V.at = smr_alloc_raw(ctx, p->V.ld * p->n, sizeof *V);
        if (!V) return SMR_ERR_NOMEM;
    }
    TRY(decompose_any(ctx, p));
    if (p->vectors) TRY(turn(ctx, p->n, p->n, p->V, Vt));
out:
    smr_free(V);
    return st;
}

/* m < n: from A' = V diag(s) U'. */
static smr_status run_wide(smr_ctx *ctx, int64_t m, int64_t n, struct svd *p, matrix Vt)
{
    smr_status st = SMR_OK;
    int64_t ld = smr_pitch(n);
    double *turned = smr_alloc_raw(ctx, ld * m, sizeof *turned), *left = NULL;
    struct svd q = {n, m, {turned, ld}, {turned, ld}, p->U, p->s, p->vectors};
    if (!turned) return SMR_ERR_NOMEM;
    if (p->vectors && !is_long(n, m)) {
        left = q.U.at = smr_alloc_raw(ctx, ld * m, sizeof *left);
        if (!left) {
            st = SMR_ERR_NOMEM;
            goto out;
        }
    }
    TRY(turn(ctx, m, n, p->A, q.A));
    TRY(decompose_any(ctx, &q));
    if (p->vectors) TRY(turn(ctx, n, m, q.U, Vt));
out:
    smr_free(left);
    smr_free(turned);
    return st;
}

/* For the zero matrix. */
static void put_zero(int64_t m, int64_t n, double *s, matrix U, matrix Vt)
{
    int64_t r = SMR_MIN(m, n);
    memset(s, 0, (size_t)r * sizeof *s);
    for (int64_t k = 0; k < r && U.at; k++) {
        memset(U.at + k * U.ld, 0, (size_t)m * sizeof *s);
        U.at[k + k * U.ld] = 1;
    }
    for (int64_t j = 0; j < n && U.at; j++) {
        memset(Vt.at + j * Vt.ld, 0, (size_t)r * sizeof *s);
        if (j < r) Vt.at[j + j * Vt.ld] = 1;
    }
}

smr_status smr_svd(smr_ctx *ctx, int64_t m, int64_t n, double *A, int64_t lda, double *s, double *U,
                   int64_t ldu, double *Vt, int64_t ldvt)
/* lint: allow arguments, three matrices and their sizes */
{
    smr_status st = SMR_OK;
    int64_t r = SMR_MIN(m, n);
    double largest = 0;
    int power = 0;
    struct svd p = {m, n, {A, lda}, {Vt ? U : NULL, ldu}, {NULL, 0}, s, U && Vt};
    matrix to = {Vt, ldvt};
    TRY(smr_check_shape(ctx, "svd", m, n, lda));
    if (p.vectors) TRY(smr_check_shape(ctx, "svd, U", m, r, ldu));
    if (p.vectors) TRY(smr_check_shape(ctx, "svd, Vt", r, n, ldvt));
    if (r == 0) goto out;
    TRY(largest_of(ctx, m, n, A, lda, &largest));
    if (largest == 0) {
        put_zero(m, n, s, p.U, to);
        goto out;
    }
    if (!(largest >= SMALL && largest <= LARGE)) (void)frexp(largest, &power);
    if (power) TRY(copy(ctx, m, n, p.A, ldexp(1, -power / 2), p.A));
    if (power) TRY(copy(ctx, m, n, p.A, ldexp(1, power / 2 - power), p.A));
    TRY(m >= n ? run_tall(ctx, &p, to) : run_wide(ctx, m, n, &p, to));
    for (int64_t k = 0; k < r && power; k++) s[k] = ldexp(s[k], power);
out:
    return st;
}
