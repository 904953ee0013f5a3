/* bidiagonal_divide.c -- singular values of a bidiagonal matrix by divide and conquer.
 *
 * B (n x n, or n x (n + 1)) without its middle row is two bidiagonal matrices B1 (wide) and
 * B2.  With their decompositions B_i = Q_i (D_i 0) W_i', the middle row (alpha in the last column
 * of B1, beta in the first of B2) and w_i the columns that B_i maps to 0,
 *
 *     B = Q M W',    M = [ z'; D ],   D = diag(0, D1, D2)
 *
 * where z has alpha (last row of W1) and beta (first row of W2), and the two w_i are turned so that
 * one of them takes all of z: that is the first column of M, the other one is mapped to 0.
 *
 * Where |z_i| is rounding, d_i is a value already; where two d are closer than rounding, one z_i is
 * turned to 0.  What is left has the values sigma_j with f(sigma^2) = 0 of math/secular.h and, with
 * the weights zh that have exactly these values, the vectors
 *
 *     v_i = zh_i / (d_i^2 - sigma^2),    u_0 = -1,  u_i = d_i v_i
 *
 * before they are divided by their lengths; they are orthogonal to rounding.  Q and W are then
 * multiplied by them.  Columns of Q1 and Q2 are zero in the rows of the other, so each half of the
 * rows has a product with half of the terms: (8/3) n^3 operations in all without deflation.
 *
 * Values alone need the first and the last row of W only: then V is a matrix of these two rows, and
 * the cost O(n^2).
 *
 * The tree is halved until no part has more than LEAF rows; those are done by QR steps.  Parts of a
 * level are tasks while they are small; the large ones run one after another on all threads.
 * Memory: 3 n^2 numbers besides U and V; O(n) for values alone.
 *
 * Reference: M. Gu, S. Eisenstat, SIAM J. Matrix Anal. Appl. 16 (1995) 79-92. */
#include "core/parallel.h"
#include "core/sort.h"
#include "kernel/kernel.h"
#include "math/bidiagonal.h"
#include "math/product.h"
#include "math/secular.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LEAF = 32, ALONE = 256, ROOTS = 16, NUMBERS = 1 << 14 };
enum {
    UPPER,
    DENSE,
    LOWER,
    DONE
}; /* rows in which a column is not 0; DONE: it is a vector of B
                                       already */

struct divide {
    const smr_bidiagonal_svd *b;
    bool vectors;         /* else V has two rows, the first and the last of a part's   */
    int64_t level;        /* 2^level parts       */
    int64_t ld;           /* of the squares      */
    double *hold, *X, *Y; /* n x ld numbers each */
    double *numbers;      /* 6 n                 */
    int64_t *indices;     /* 4 n, and n bytes    */
    double *ends, *held;  /* values alone: V, its columns in order, and those to come: 2 n each */
    double *fresh, *room; /* room: n for each lane; small parts share one */
};

/* A part: rows lo .. hi of B, columns lo .. end, the middle row; column k of U and V has
 * d[k].  Where all is joined, its columns are those of the k roots, then those that were done
 * before. */
struct part {
    const struct divide *p;
    int64_t lo, mid, hi, end;
    int64_t k, n_upper, n_dense; /* poles in all; n_dense: with the first */
    double tol;
    double *z;               /* by column, from lo on                 */
    double *pole, *weight;   /* k, ascending from pole 0              */
    double *sigma;           /* k */
    int64_t *order;          /* columns by d; then those that are done */
    int64_t *column, *place; /* of pole i: its column, and its row in X and Y */
    smr_secular secular;
    smr_secular_roots roots;
    uint8_t *kind; /* of a column, from lo on */
    double *U, *V; /* at the part's first row and column */
    int64_t ldu, ldv, n_left, n_right;
};

/* Columns 0 .. k of a part with n rows, ROOTS per task: few numbers are not worth waking a
 * thread. */
static smr_status run_columns(smr_ctx *ctx, int64_t n, int64_t k, smr_task_fn fn, void *arg)
{
    smr_status st = SMR_OK;
    int64_t n_tasks = smr_block_count(k, ROOTS);
    if (n * k >= NUMBERS) return smr_parallel(ctx, NULL, n_tasks, fn, arg);
    for (int64_t t = 0; t < n_tasks; t++) TRY(fn(ctx, arg, t, 0));
out:
    return st;
}

/* ---- the tree -------------------------------------------------------------------------------- */

static struct part part_at(const struct divide *p, int64_t index)
{
    const smr_bidiagonal_svd *b = p->b;
    int64_t lo = 0, hi = b->n, n = b->n;
    for (int64_t bit = p->level - 1; bit >= 0; bit--) {
        int64_t mid = lo + (hi - lo) / 2;
        if (index >> bit & 1)
            lo = mid + 1;
        else
            hi = mid;
    }
    struct part q = {.p = p, .lo = lo, .hi = hi, .mid = lo + (hi - lo) / 2};
    q.end = hi < n ? hi + 1 : n;
    q.z = p->numbers + lo;
    q.pole = q.z + n;
    q.weight = q.pole + n;
    q.sigma = q.weight + n;
    q.roots.tau = q.sigma + n;
    q.roots.zh = q.roots.tau + n;
    q.order = p->indices + lo;
    q.column = q.order + n;
    q.place = q.column + n;
    q.roots.origin = q.place + n;
    q.kind = (uint8_t *)(p->indices + 4 * n) + lo;
    q.ldu = b->ldu;
    q.ldv = p->vectors ? b->ldv : 2;
    q.n_left = p->vectors ? hi - lo : 0;
    q.n_right = p->vectors ? q.end - lo : 2;
    q.U = p->vectors ? b->U + lo + lo * b->ldu : NULL;
    q.V = p->vectors ? b->V + lo + lo * b->ldv : p->ends + 2 * lo;
    return q;
}

static smr_status leaf_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)lane;
    const struct divide *p = arg;
    const smr_bidiagonal_svd *b = p->b;
    struct part q = part_at(p, task);
    double work[4 * LEAF];
    int64_t n = q.hi - q.lo, last = q.end - 1 - q.lo;
    for (int64_t k = 0; k < n && p->vectors; k++) q.U[k + k * q.ldu] = 1;
    for (int64_t k = 0; k <= last && p->vectors; k++) q.V[k + k * q.ldv] = 1;
    if (!p->vectors) q.V[0] = q.V[1 + last * q.ldv] = 1;
    smr_bidiagonal_svd leaf = {.n = n,
                               .d = b->d + q.lo,
                               .e = b->e + q.lo,
                               .floor = b->floor,
                               .wide = q.end > q.hi,
                               .U = q.U,
                               .V = q.V,
                               .ldu = q.ldu,
                               .ldv = q.ldv,
                               .n_left = q.n_left,
                               .n_right = q.n_right};
    return smr_bidiagonal_iterate(ctx, &leaf, work);
}

/* ---- the middle row -------------------------------------------------------------------------- */

/* (x, y) <- (c x + s y, c y - s x). */
static void turn_pair(int64_t n, double c, double s, double *x, double *y)
{
    smr_rotate_f64(n, 1, &c, &s, x, y - x);
}

/* z, and the turn of the two columns that are mapped to 0. */
static void couple(struct part *q)
{
    const smr_bidiagonal_svd *b = q->p->b;
    int64_t mid = q->mid - q->lo, n = q->hi - q->lo, ld = q->ldv;
    int64_t last = q->p->vectors ? mid : 1, first = q->p->vectors ? mid + 1 : 0;
    double alpha = b->d[q->mid], beta = b->e[q->mid], most = smr_fmax(fabs(alpha), fabs(beta));
    double z1 = q->end > q->hi ? beta * q->V[first + n * ld] : 0;
    for (int64_t c = 0; c <= mid; c++) q->z[c] = alpha * q->V[last + c * ld];
    for (int64_t c = mid + 1; c < n; c++) q->z[c] = beta * q->V[first + c * ld];
    for (int64_t c = 0; c < q->end - q->lo && !q->p->vectors; c++) q->V[(c <= mid) + c * ld] = 0;
    b->d[q->mid] = 0;
    if (q->p->vectors) q->U[mid + mid * q->ldu] = 1;
    for (int64_t c = 0; c < n; c++) {
        most = smr_fmax(most, b->d[q->lo + c]);
        q->kind[c] = c < mid ? UPPER : LOWER;
    }
    q->kind[mid] = DENSE;
    q->tol = smr_fmax(8 * DBL_EPSILON * most, b->floor);
    double z0 = q->z[mid], r = sqrt(z0 * z0 + z1 * z1);
    if (q->end > q->hi && r > q->tol) { /* else both are negligible, and the squares may be wrong */
        q->z[mid] = r;
        turn_pair(q->n_right, z0 / r, z1 / r, q->V + mid * ld, q->V + n * ld);
    }
}

/* ---- deflation ------------------------------------------------------------------------------- */

/* All of z_from to z_to, where d is the same: column `from` is done. */
static void merge_poles(struct part *q, int64_t from, int64_t to)
{
    int64_t f = from - q->lo, t = to - q->lo;
    double x = q->z[t], y = q->z[f], r = sqrt(x * x + y * y);
    turn_pair(q->n_right, x / r, y / r, q->V + t * q->ldv, q->V + f * q->ldv);
    if (to != q->mid && q->U) /* else d_from is 0 for all practical purposes: U stays */
        turn_pair(q->n_left, x / r, y / r, q->U + t * q->ldu, q->U + f * q->ldu);
    q->z[t] = r;
    q->kind[t] = q->kind[t] == q->kind[f] ? q->kind[t] : DENSE;
    q->kind[f] = DONE;
}

static void keep_pole(struct part *q, int64_t column)
{
    q->column[q->k] = column;
    q->pole[q->k] = q->p->b->d[column];
    q->weight[q->k++] = q->z[column - q->lo];
}

/* The poles and weights that remain. */
static void deflate(struct part *q)
{
    const double *d = q->p->b->d;
    int64_t lo = q->lo, mid = q->mid, last = mid;
    double *z = q->z - lo;
    q->k = 0;
    if (fabs(z[mid]) <= q->tol) z[mid] = q->tol;
    for (int64_t i = 0; i < q->hi - lo - 1; i++) {
        int64_t j = q->order[i];
        if (fabs(z[j]) <= q->tol) {
            q->kind[j - lo] = DONE;
        } else if (last == mid && d[j] <= q->tol) {
            merge_poles(q, j, mid);
        } else if (last != mid && d[j] - d[last] <= q->tol) {
            merge_poles(q, last, j);
            last = j;
        } else {
            keep_pole(q, last);
            last = j;
        }
    }
    keep_pole(q, last);
    int64_t at = 0;
    for (int64_t c = 0; c < q->hi - lo; c++)
        if (q->kind[c] == DONE) q->order[at++] = lo + c;
}

/* Columns except the middle one, by ascending d. */
static smr_status sort_columns(smr_ctx *ctx, struct part *q)
{
    smr_status st = SMR_OK;
    const double *d = q->p->b->d;
    int64_t n = q->hi - q->lo - 1, before = q->mid - q->lo;
    for (int64_t i = 0; i < n; i++) q->sigma[i] = d[q->lo + i + (i >= before)];
    TRY(smr_argsort_f64(ctx, n, q->sigma, q->order));
    for (int64_t i = 0; i < n; i++) q->order[i] += q->lo + (q->order[i] >= before);
out:
    return st;
}

/* Rows of X and Y: first the poles whose columns are UPPER, then DENSE, then LOWER ones. */
static void place_poles(struct part *q)
{
    int64_t count[3] = {0}, at[3] = {0};
    for (int64_t i = 0; i < q->k; i++) count[q->kind[q->column[i] - q->lo]]++;
    at[DENSE] = q->n_upper = count[UPPER];
    q->n_dense = count[DENSE];
    at[LOWER] = at[DENSE] + count[DENSE];
    for (int64_t i = 0; i < q->k; i++) q->place[i] = at[q->kind[q->column[i] - q->lo]]++;
}

/* ---- vectors of M ---------------------------------------------------------------------------- */

/* sigma_j = sqrt(d_o^2 + tau), o its nearer pole. */
static double value_of(const struct part *q, int64_t j)
{
    double d = q->pole[q->roots.origin[j]], tau = q->roots.tau[j];
    return tau == 0 ? d : d + tau / (d + sqrt(d * d + tau));
}

static void vectors_of(struct part *q, int64_t j)
{
    int64_t k = q->k;
    double *x = q->p->X + q->lo * q->p->ld + j * k, *y = q->p->Y + q->lo * q->p->ld + j * k;
    q->sigma[j] = value_of(q, j);
    smr_secular_vector(&q->secular, &q->roots, j, x);
    for (int64_t i = 0; i < k; i++) y[q->place[i]] = x[i];
    for (int64_t i = 0; i < k; i++) x[q->place[i]] = q->pole[i] * y[q->place[i]];
    x[q->place[0]] = -1;
    double by_x = 1 / sqrt(smr_sumsq_f64(k, x, 0)), by_y = 1 / sqrt(smr_sumsq_f64(k, y, 0));
    for (int64_t i = 0; i < k; i++) {
        x[i] *= by_x;
        y[i] *= by_y;
    }
}

static smr_status vectors_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    struct part *q = arg;
    for (int64_t j = task * ROOTS; j < SMR_MIN(q->k, (task + 1) * ROOTS); j++) vectors_of(q, j);
    return SMR_OK;
}

/* ---- vectors of B ---------------------------------------------------------------------------- */

struct multiplying {
    struct part *q;
    int64_t rows, above; /* of the part, and of its upper half */
    double *to;          /* U or V */
    int64_t ld;
    double *upper, *lower, *done;
};

/* A column of U or V where the products want it, or where those that are done wait. */
static void hold_column(const struct multiplying *t, int64_t i)
{
    struct part *q = t->q;
    int64_t column = (i < q->k ? q->column[i] : q->order[i - q->k]) - q->lo;
    int64_t kind = q->kind[column], below = t->rows - t->above;
    const double *from = t->to + column * t->ld;
    if (kind == DONE) {
        memcpy(t->done + (i - q->k) * t->rows, from, (size_t)t->rows * sizeof *from);
        return;
    }
    if (kind != LOWER)
        memcpy(t->upper + q->place[i] * t->above, from, (size_t)t->above * sizeof *from);
    if (kind != UPPER)
        memcpy(t->lower + (q->place[i] - q->n_upper) * below, from + t->above,
               (size_t)below * sizeof *from);
}

static smr_status hold_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const struct multiplying *t = arg;
    int64_t end = SMR_MIN(t->q->hi - t->q->lo, (task + 1) * ROOTS);
    for (int64_t i = task * ROOTS; i < end; i++) hold_column(t, i);
    return SMR_OK;
}

/* Zeros for the products, and after them the columns that are done. */
static smr_status put_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const struct multiplying *t = arg;
    int64_t k = t->q->k, end = SMR_MIN(t->q->hi - t->q->lo, (task + 1) * ROOTS);
    for (int64_t i = task * ROOTS; i < end; i++) {
        if (i < k)
            memset(t->to + i * t->ld, 0, (size_t)t->rows * sizeof *t->to);
        else
            memcpy(t->to + i * t->ld, t->done + (i - k) * t->rows, (size_t)t->rows * sizeof *t->to);
    }
    return SMR_OK;
}

/* U or V times X or Y. */
static smr_status multiply(smr_ctx *ctx, struct part *q, double *to, int64_t ld, int64_t rows,
                           const double *by)
{
    smr_status st = SMR_OK;
    int64_t k = q->k, above = q->mid + 1 - q->lo, n = q->hi - q->lo;
    int64_t k_upper = q->n_upper + q->n_dense, k_lower = k - q->n_upper;
    double *hold = q->p->hold + q->lo * q->p->ld;
    struct multiplying t = {q, rows, above, to, ld, hold, hold + above * k_upper, NULL};
    t.done = t.lower + (rows - above) * k_lower;
    TRY(run_columns(ctx, rows, n, hold_task, &t));
    TRY(run_columns(ctx, rows, n, put_task, &t));
    smr_update upper = {.m = above, .n = k, .k = k_upper};
    upper.A = (smr_grid){t.upper, 1, above};
    upper.B = (smr_grid){by, 1, k};
    upper.C = to;
    upper.ldc = ld;
    TRY(smr_update_run(ctx, &upper));
    smr_update lower = {.m = rows - above, .n = k, .k = k_lower};
    lower.A = (smr_grid){t.lower, 1, rows - above};
    lower.B = (smr_grid){by + q->n_upper, 1, k};
    lower.C = to + above;
    lower.ldc = ld;
    TRY(smr_update_run(ctx, &lower));
out:
    return st;
}

static smr_status join_vectors(smr_ctx *ctx, struct part *q)
{
    smr_status st = SMR_OK;
    const struct divide *p = q->p;
    place_poles(q);
    TRY(run_columns(ctx, q->k, q->k, vectors_task, q));
    TRY(multiply(ctx, q, q->U, q->ldu, q->n_left, p->X + q->lo * p->ld));
    TRY(multiply(ctx, q, q->V, q->ldv, q->n_right, p->Y + q->lo * p->ld));
out:
    return st;
}

/* ---- values alone ---------------------------------------------------------------------------- */

/* The first and the last row of W times v_j. */
static smr_status ends_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx;
    struct part *q = arg;
    const struct divide *p = q->p;
    double *v = p->room + lane * p->b->n + q->lo, *fresh = p->fresh + 2 * q->lo;
    const double *first = p->held + 2 * q->lo, *last = first + (q->hi - q->lo);
    for (int64_t j = task * ROOTS; j < SMR_MIN(q->k, (task + 1) * ROOTS); j++) {
        q->sigma[j] = value_of(q, j);
        smr_secular_vector(&q->secular, &q->roots, j, v);
        double by = 1 / sqrt(smr_sumsq_f64(q->k, v, 0));
        fresh[2 * j] = smr_dot_f64(q->k, first, v) * by;
        fresh[2 * j + 1] = smr_dot_f64(q->k, last, v) * by;
    }
    return SMR_OK;
}

static smr_status join_ends(smr_ctx *ctx, struct part *q)
{
    smr_status st = SMR_OK;
    int64_t n = q->hi - q->lo, k = q->k;
    double *held = q->p->held + 2 * q->lo, *fresh = q->p->fresh + 2 * q->lo;
    for (int64_t i = 0; i < n; i++) {
        const double *v = q->V + 2 * ((i < k ? q->column[i] : q->order[i - k]) - q->lo);
        held[i] = v[0];
        held[n + i] = v[1];
    }
    TRY(run_columns(ctx, k, k, ends_task, q));
    for (int64_t i = 0; i < n; i++) {
        q->V[2 * i] = i < k ? fresh[2 * i] : held[i];
        q->V[2 * i + 1] = i < k ? fresh[2 * i + 1] : held[n + i];
    }
out:
    return st;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* d in the order of the columns. */
static void put_values(struct part *q)
{
    double *d = q->p->b->d + q->lo, *done = q->z;
    int64_t n = q->hi - q->lo - q->k;
    for (int64_t i = 0; i < n; i++) done[i] = d[q->order[i] - q->lo];
    memcpy(d, q->sigma, (size_t)q->k * sizeof *d);
    memcpy(d + q->k, done, (size_t)n * sizeof *d);
}

static smr_status join(smr_ctx *ctx, struct part *q)
{
    smr_status st = SMR_OK;
    couple(q);
    TRY(sort_columns(ctx, q));
    deflate(q);
    q->secular = (smr_secular){q->k, q->pole, q->weight, 1, true};
    TRY(smr_secular_solve(ctx, &q->secular, &q->roots));
    TRY(q->p->vectors ? join_vectors(ctx, q) : join_ends(ctx, q));
    put_values(q);
out:
    return st;
}

static smr_status join_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)lane;
    struct part q = part_at(arg, task);
    return join(ctx, &q);
}

static smr_status run_level(smr_ctx *ctx, struct divide *p)
{
    smr_status st = SMR_OK;
    if (p->level > 0 && p->b->n >> p->level <= ALONE)
        return smr_parallel(ctx, NULL, (int64_t)1 << p->level, join_task, p);
    for (int64_t i = 0; i < (int64_t)1 << p->level; i++) TRY(join_task(ctx, p, i, 0));
out:
    return st;
}

/* The memory of the joins: squares, or a few rows. */
static smr_status make_room(smr_ctx *ctx, struct divide *p)
{
    int64_t n = p->b->n, square = n * p->ld;
    int64_t size = p->vectors ? 3 * square : (6 + smr_lanes(ctx)) * n;
    if (p->level == 0 && p->vectors) return SMR_OK;
    double *memory = p->vectors ? smr_alloc_raw(ctx, size, sizeof *memory)
                                : smr_alloc(ctx, size, sizeof *memory);
    if (!memory) return SMR_ERR_NOMEM;
    p->hold = p->ends = memory;
    p->X = memory + square;
    p->Y = p->X + square;
    p->held = p->ends + 2 * n;
    p->fresh = p->held + 2 * n;
    p->room = p->fresh + 2 * n;
    return SMR_OK;
}

smr_status smr_bidiagonal_divide(smr_ctx *ctx, const smr_bidiagonal_svd *b)
{
    smr_status st = SMR_OK;
    int64_t n = b->n;
    struct divide p = {.b = b, .vectors = b->U, .ld = n + 1};
    while (n >> p.level > LEAF) p.level++;
    TRY_NEW(p.numbers, 6 * n);
    TRY_NEW(p.indices, 5 * n);
    TRY(make_room(ctx, &p));
    TRY(smr_parallel(ctx, NULL, (int64_t)1 << p.level, leaf_task, &p));
    while (p.level-- > 0) TRY(run_level(ctx, &p));
out:
    smr_free(p.hold);
    smr_free(p.indices);
    smr_free(p.numbers);
    return st;
}
