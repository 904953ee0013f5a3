/* divide.c -- tridiagonal eigenvalues by divide and conquer: see tridiagonal.h.
 *
 * T is torn in the middle, where its off-diagonal is b:
 *
 *     T = diag(T1, T2) + |b| u u',   u = (0 .. 0, 1, sign b, 0 .. 0),
 *
 * where T1 and T2 have lost |b| on the diagonal at the tear.  With T1 = Q1 D1 Q1', T2 = Q2 D2 Q2',
 *
 *     T = Q (D + rho z z') Q',  Q = diag(Q1, Q2), D = diag(D1, D2), z = Q'u / sqrt 2, rho = 2 |b|
 *
 * and the bracket's eigenvalues are roots of a secular equation (secular.h), its vectors S, so that
 * those of T are Q S.
 *
 * Deflation.  Where rho |z_i| is below rounding of the part, or negligible beside the largest entry
 * of T (2^-150 of it: so no square in the equation underflows), column i of Q is a vector of T
 * already.  Where two poles are so close that a rotation which clears one of their z leaves less
 * than rounding beside the diagonal, they are rotated.  The more is deflated, the smaller S.
 *
 * Q S.  Columns of Q are top (rows of T1), bottom, or, after rotations, both.  They are copied in
 * that order, so that the upper half of the result is [top both] times the first rows of S, and
 * the lower half [both bottom] times its last: half of the products are saved.  S is made as
 * many columns at a time as there is room for.
 *
 * Parts of at most LEAF are solved by QL steps; subtrees of about an eighth of n are
 * tasks; above those, each step of a join is parallel.  Columns stay where they come out, and
 * `order` says which is which.
 *
 * Cost: 4/3 n^3 flops at most in the products, O(n^2) divisions in the secular equations.
 *
 * References: J. Cuppen, Numer. Math. 36 (1981) 177; J. Dongarra, D. Sorensen, SIAM J. Sci. Stat.
 * Comput. 8 (1987) s139; M. Gu, S. Eisenstat, SIAM J. Matrix Anal. Appl. 16 (1995) 172. */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "math/product.h"
#include "math/secular.h"
#include "math/tridiagonal.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LEAF = 32, STRIP = 256, COLUMNS = 32, SERIAL = 128 }; /* STRIP: at least */
enum { VECTORS = 7, LISTS = 6, MOST_TASKS = 16 };
enum { TOP = 1, BOTTOM = 2, BOTH = 3 };

/* Every part has room of its own: lo .. hi of the vectors, and lo n .. hi n of W and so on. */
struct divide {
    int64_t n, ldq, wanted;
    double *d, *e, *Q;
    int64_t *order;
    double *W;       /* n x pitch: columns of Q, gathered, and after them what fits of S */
    int64_t pitch;   /* n + n / 2, or n + STRIP    */
    double *numbers; /* VECTORS x n                */
    int64_t *places; /* LISTS x n                  */
    double floor;    /* what is negligible beside all of T */
    int64_t size;    /* of subtrees that are tasks */
    int64_t n_tasks, task[2 * MOST_TASKS]; /* first and last + 1 of each */
};

/* Two neighbouring parts that are joined: columns 0 .. n1 and n1 .. n. */
struct join {
    int64_t n, n1, ldq, wanted;
    double *d, *Q, *W, *S, *z;
    int64_t room; /* of W and S */
    double rho, floor;
    int64_t *order, *sorted;          /* columns by d                              */
    int64_t *kept, n_kept;            /* those in the equation, by d               */
    int64_t *deflated, n_deflated;    /* the others, by d                          */
    int64_t *shape;                   /* of a column: TOP, BOTTOM or BOTH          */
    double *pole, *weight, *tau, *zh; /* in the order of `kept`                    */
    int64_t *origin, *row;            /* row: of S, for each kept column           */
    double *row_pole, *row_zh;        /* in the order of S's rows                  */
    int64_t n_top, n_both, from, end; /* from .. end: columns of S in work         */
};

/* ---- deflation -------------------------------------------------------------------------- */

/* Two lists of columns, each by d, as one. */
static void merge_lists(const double *d, int64_t na, const int64_t *a, int64_t nb, const int64_t *b,
                        int64_t *to)
{
    int64_t i = 0, k = 0;
    while (i < na || k < nb) {
        bool first = k == nb || (i < na && d[a[i]] <= d[b[k]]);
        to[i + k] = first ? a[i] : b[k];
        if (first)
            i++;
        else
            k++;
    }
}

/* They come nearly in order. */
static void deflate(struct join *j, int64_t column)
{
    int64_t at = j->n_deflated++;
    for (; at > 0 && j->d[j->deflated[at - 1]] > j->d[column]; at--)
        j->deflated[at] = j->deflated[at - 1];
    j->deflated[at] = column;
}

/* Columns a and b rotated so that z_a becomes 0. */
static void rotate_pair(struct join *j, int64_t a, int64_t b, double c, double s)
{
    double *x = j->Q + a * j->ldq, *y = j->Q + b * j->ldq, da = j->d[a], db = j->d[b];
    int64_t shape = j->shape[a] | j->shape[b];
    for (int half = TOP; half <= BOTTOM; half++) {
        int64_t at = half == TOP ? 0 : j->n1, rows = half == TOP ? j->n1 : j->n - j->n1;
        if (!(shape & half)) continue;
        if (!(j->shape[a] & half)) memset(x + at, 0, (size_t)rows * sizeof *x);
        if (!(j->shape[b] & half)) memset(y + at, 0, (size_t)rows * sizeof *y);
        smr_rotate_f64(rows, 1, &c, &s, x + at, y - x);
    }
    j->shape[a] = j->shape[b] = shape;
    j->d[a] = da * (c * c) + db * (s * s);
    j->d[b] = da * (s * s) + db * (c * c);
}

/* Sorts the columns into kept and deflated ones. */
static void find_kept(struct join *j)
{
    double largest_d = 0, largest_z = 0;
    for (int64_t i = 0; i < j->n; i++) {
        largest_d = smr_fmax(largest_d, fabs(j->d[i]));
        largest_z = smr_fmax(largest_z, fabs(j->z[i]));
        j->shape[i] = i < j->n1 ? TOP : BOTTOM;
    }
    double least = smr_fmax(j->floor, 8 * DBL_EPSILON * smr_fmax(largest_d, j->rho * largest_z));
    int64_t last = -1; /* kept, if nothing close to it follows */
    for (int64_t t = 0; t < j->n; t++) {
        int64_t b = j->sorted[t];
        if (!(j->rho * fabs(j->z[b]) > least)) {
            deflate(j, b);
            continue;
        }
        if (last >= 0) {
            double both = sqrt(j->z[last] * j->z[last] + j->z[b] * j->z[b]);
            double c = j->z[b] / both, s = -j->z[last] / both;
            if (fabs((j->d[b] - j->d[last]) * c * s) <= least) {
                rotate_pair(j, last, b, c, s);
                j->z[b] = both;
                deflate(j, last);
            } else {
                j->kept[j->n_kept++] = last;
            }
        }
        last = b;
    }
    if (last >= 0) j->kept[j->n_kept++] = last;
}

/* ---- gathering -------------------------------------------------------------------------- */

/* Rows of S: top columns first, then both, then bottom. */
static void assign_rows(struct join *j)
{
    static const int64_t shapes[] = {TOP, BOTH, BOTTOM};
    int64_t row = 0;
    for (int g = 0; g < 3; g++) {
        for (int64_t k = 0; k < j->n_kept; k++)
            if (j->shape[j->kept[k]] == shapes[g]) j->row[k] = row++;
        if (g == 0) j->n_top = row;
        if (g == 1) j->n_both = row - j->n_top;
    }
}

static void copy(int64_t n, const double *from, double *to)
{
    memcpy(to, from, (size_t)n * sizeof *to);
}

/* Deflated column t at its place in W. */
static double *deflated_copy(const struct join *j, int64_t t)
{
    int64_t k = j->n_top + j->n_both, l = j->n_kept - j->n_top;
    return j->W + j->n1 * k + (j->n - j->n1) * l + t * j->n;
}

/* Some of the columns of Q into W, kept ones and deflated ones. */
static smr_status gather_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const struct join *j = arg;
    int64_t n1 = j->n1, n2 = j->n - n1;
    double *top = j->W, *bottom = j->W + n1 * (j->n_top + j->n_both);
    for (int64_t i = task * COLUMNS; i < smr_block_end(j->n, COLUMNS, task); i++) {
        bool is_kept = i < j->n_kept;
        int64_t column = is_kept ? j->kept[i] : j->deflated[i - j->n_kept],
                shape = j->shape[column];
        const double *q = j->Q + column * j->ldq;
        double *to = is_kept ? top + j->row[i] * n1 : deflated_copy(j, i - j->n_kept);
        if (shape & TOP)
            copy(n1, q, to);
        else if (!is_kept)
            memset(to, 0, (size_t)n1 * sizeof *to);
        to = is_kept ? bottom + (j->row[i] - j->n_top) * n2 : to + n1;
        if (shape & BOTTOM)
            copy(n2, q + n1, to);
        else if (!is_kept)
            memset(to, 0, (size_t)n2 * sizeof *to);
    }
    return SMR_OK;
}

static smr_status give_back_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const struct join *j = arg;
    for (int64_t t = task * COLUMNS; t < smr_block_end(j->n_deflated, COLUMNS, task); t++)
        copy(j->n, deflated_copy(j, t), j->Q + (j->n_kept + t) * j->ldq);
    return SMR_OK;
}

/* Serial where there is little, or inside a task. */
static smr_status run_tasks(smr_ctx *ctx, struct join *j, int64_t n, smr_task_fn fn)
{
    smr_status st = SMR_OK;
    int64_t n_tasks = smr_block_count(n, COLUMNS);
    if (j->n > SERIAL) return smr_parallel(ctx, NULL, n_tasks, fn, j);
    for (int64_t t = 0; t < n_tasks && st == SMR_OK; t++) st = fn(ctx, j, t, 0);
    return st;
}

/* ---- vectors ---------------------------------------------------------------------------- */

/* Unit columns of S, and room in Q for what they give. */
static smr_status vectors_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const struct join *j = arg;
    int64_t k = j->n_kept, lo = j->from + task * COLUMNS, hi = SMR_MIN(lo + COLUMNS, j->end);
    smr_secular s = {k, j->row_pole, NULL, j->rho, false};
    smr_secular_roots roots = {j->origin, j->tau, j->row_zh};
    for (int64_t c = lo; c < hi; c++) {
        double *v = j->S + (c - j->from) * k;
        smr_secular_vector(&s, &roots, c, v);
        double by = 1 / sqrt(smr_sumsq_f64(k, v, 0));
        smr_rows_scale_f64(1, k, v, k, &by, v, k);
        memset(j->Q + c * j->ldq, 0, (size_t)j->n * sizeof *v);
    }
    return SMR_OK;
}

/* Columns from .. end of Q S. */
static smr_status multiply(smr_ctx *ctx, struct join *j)
{
    smr_status st = SMR_OK;
    int64_t k = j->n_kept, n1 = j->n1, n2 = j->n - n1, upper = j->n_top + j->n_both;
    TRY(run_tasks(ctx, j, j->end - j->from, vectors_task));
    smr_update u = {.m = n1, .n = j->end - j->from, .k = upper, .ldc = j->ldq};
    u.A = (smr_grid){j->W, 1, n1};
    u.B = (smr_grid){j->S, 1, k};
    u.C = j->Q + j->from * j->ldq;
    TRY(smr_update_run(ctx, &u));
    u.m = n2;
    u.k = k - j->n_top;
    u.A = (smr_grid){j->W + n1 * upper, 1, n2};
    u.B.at += j->n_top;
    u.C += n1;
    TRY(smr_update_run(ctx, &u));
out:
    return st;
}

/* ---- joining ---------------------------------------------------------------------------- */

/* Everything is deflated: columns stay where they are, with zeros beside them. */
static void keep_all(struct join *j)
{
    int64_t n1 = j->n1;
    for (int64_t i = 0; i < j->n; i++) {
        double *q = j->Q + i * j->ldq;
        if (i < n1)
            memset(q + n1, 0, (size_t)(j->n - n1) * sizeof *q);
        else
            memset(q, 0, (size_t)n1 * sizeof *q);
        j->order[i] = j->deflated[i];
    }
}

/* The roots into d, after them the deflated values; the order of all. */
static void set_values(struct join *j)
{
    int64_t k = j->n_kept;
    for (int64_t t = 0; t < j->n_deflated; t++) j->z[t] = j->d[j->deflated[t]];
    for (int64_t i = 0; i < k; i++) j->d[i] = j->pole[j->origin[i]] + j->tau[i];
    for (int64_t t = 0; t < j->n_deflated; t++) j->d[k + t] = j->z[t];
    for (int64_t i = 0; i < j->n; i++) j->sorted[i] = i;
    merge_lists(j->d, k, j->sorted, j->n_deflated, j->sorted + k, j->order);
}

static smr_status solve_equation(smr_ctx *ctx, struct join *j)
{
    int64_t k = j->n_kept;
    for (int64_t i = 0; i < k; i++) {
        j->pole[i] = j->d[j->kept[i]];
        j->weight[i] = j->z[j->kept[i]];
    }
    smr_secular s = {k, j->pole, j->weight, j->rho, false};
    smr_secular_roots roots = {j->origin, j->tau, j->zh};
    smr_status st = smr_secular_solve(ctx, &s, &roots);
    if (st != SMR_OK) return st;
    set_values(j);
    for (int64_t i = 0; i < k; i++) {
        j->row_pole[j->row[i]] = j->pole[i];
        j->row_zh[j->row[i]] = j->zh[i];
        j->origin[i] = j->row[j->origin[i]];
    }
    return SMR_OK;
}

static smr_status join_halves(smr_ctx *ctx, struct join *j)
{
    smr_status st = SMR_OK;
    find_kept(j);
    if (j->n_kept == 0) {
        keep_all(j);
        return SMR_OK;
    }
    assign_rows(j);
    TRY(run_tasks(ctx, j, j->n, gather_task));
    TRY(solve_equation(ctx, j));
    int64_t k = j->n_kept, first = k;
    for (int64_t i = j->n - j->wanted; i < j->n; i++) first -= j->order[i] < k;
    j->S = deflated_copy(j, j->n_deflated);
    int64_t width = (j->room - (j->S - j->W)) / k;
    for (j->from = first; j->from < k; j->from = j->end) {
        j->end = SMR_MIN(k, j->from + width);
        TRY(multiply(ctx, j));
    }
    TRY(run_tasks(ctx, j, j->n_deflated, give_back_task));
out:
    return st;
}

/* Joins lo .. mid and mid .. hi. */
static smr_status join_parts(smr_ctx *ctx, const struct divide *v, int64_t lo, int64_t mid,
                             int64_t hi)
{
    double *const x = v->numbers + lo, b = v->e[mid - 1];
    int64_t *const list = v->places + lo, n = v->n;
    struct join j = {.n = hi - lo, .n1 = mid - lo, .ldq = v->ldq, .rho = 2 * fabs(b)};
    j.wanted = j.n == n ? v->wanted : j.n;
    j.floor = v->floor;
    j.d = v->d + lo;
    j.Q = v->Q + lo * v->ldq + lo;
    j.W = v->W + lo * v->pitch;
    j.room = j.n * v->pitch;
    j.order = v->order + lo;
    j.z = x, j.pole = x + n, j.weight = x + 2 * n, j.tau = x + 3 * n, j.zh = x + 4 * n;
    j.row_pole = x + 5 * n, j.row_zh = x + 6 * n;
    j.sorted = list, j.kept = list + n, j.deflated = list + 2 * n, j.shape = list + 3 * n;
    j.origin = list + 4 * n, j.row = list + 5 * n;
    double half = sqrt(0.5);
    for (int64_t i = 0; i < j.n1; i++) j.z[i] = half * j.Q[i * j.ldq + j.n1 - 1];
    for (int64_t i = j.n1; i < j.n; i++) {
        j.z[i] = copysign(half, b) * j.Q[i * j.ldq + j.n1];
        j.order[i] += j.n1;
    }
    merge_lists(j.d, j.n1, j.order, j.n - j.n1, j.order + j.n1, j.sorted);
    return join_halves(ctx, &j);
}

/* ---- the tree --------------------------------------------------------------------------- */

/* In a copy whose columns are whole vectors. */
static smr_status solve_leaf(smr_ctx *ctx, const struct divide *v, int64_t lo, int64_t hi)
{
    double Z[LEAF * LEAF] __attribute__((aligned(64))), work[2 * LEAF], e[LEAF] = {0};
    int64_t n = hi - lo, ldz = (n + 7) / 8 * 8, *order = v->order + lo;
    double *Q = v->Q + lo * v->ldq + lo, *d = v->d + lo;
    memset(Z, 0, (size_t)(n * ldz) * sizeof *Z);
    for (int64_t k = 0; k < n; k++) {
        Z[k * ldz + k] = 1;
        if (k + 1 < n) e[k] = v->e[lo + k];
    }
    smr_status st = smr_tridiagonal_ql(ctx, n, d, e, ldz, Z, ldz, work);
    for (int64_t k = 0; k < n; k++) {
        int64_t at = k;
        for (; at > 0 && d[order[at - 1]] > d[k]; at--) order[at] = order[at - 1];
        order[at] = k;
        copy(n, Z + k * ldz, Q + k * v->ldq);
    }
    return st;
}

/* A part and all below it. */
static smr_status solve_part(smr_ctx *ctx, const struct divide *v, int64_t lo, int64_t hi)
{
    smr_status st = SMR_OK;
    int64_t mid = lo + (hi - lo) / 2;
    if (hi - lo <= LEAF) return solve_leaf(ctx, v, lo, hi);
    TRY(solve_part(ctx, v, lo, mid));
    TRY(solve_part(ctx, v, mid, hi));
    TRY(join_parts(ctx, v, lo, mid, hi));
out:
    return st;
}

static smr_status part_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)lane;
    const struct divide *v = arg;
    return solve_part(ctx, v, v->task[2 * task], v->task[2 * task + 1]);
}

/* What is above the tasks. */
static smr_status join_tasks(smr_ctx *ctx, const struct divide *v, int64_t lo, int64_t hi)
{
    smr_status st = SMR_OK;
    int64_t mid = lo + (hi - lo) / 2;
    if (hi - lo <= v->size) return SMR_OK;
    TRY(join_tasks(ctx, v, lo, mid));
    TRY(join_tasks(ctx, v, mid, hi));
    TRY(join_parts(ctx, v, lo, mid, hi));
out:
    return st;
}

/* Tears T down to the leaves, and lists the tasks. */
static void tear(struct divide *v, int64_t lo, int64_t hi, bool is_above)
{
    int64_t mid = lo + (hi - lo) / 2;
    if (is_above && hi - lo <= v->size) {
        v->task[2 * v->n_tasks] = lo;
        v->task[2 * v->n_tasks++ + 1] = hi;
        is_above = false;
    }
    if (hi - lo <= LEAF) return;
    v->d[mid - 1] -= fabs(v->e[mid - 1]);
    v->d[mid] -= fabs(v->e[mid - 1]);
    tear(v, lo, mid, is_above);
    tear(v, mid, hi, is_above);
}

static double largest_entry(int64_t n, const double *d, const double *e)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        largest = smr_fmax(largest, smr_fmax(fabs(d[i]), i + 1 < n ? fabs(e[i]) : 0));
    return largest;
}

smr_status smr_tridiagonal_divide(smr_ctx *ctx, int64_t n, double *d, double *e, int64_t wanted,
                                  double *Q, int64_t ldq, int64_t *order)
{
    smr_status st = SMR_OK;
    struct divide v = {
        .n = n, .ldq = ldq, .wanted = wanted, .d = d, .e = e, .Q = Q, .order = order};
    if (n <= LEAF) return solve_leaf(ctx, &v, 0, n);
    v.size = n <= SERIAL ? n : SMR_MAX((n + 7) / 8, SERIAL / 2);
    v.pitch = n + SMR_MAX(n / 2, STRIP);
    v.W = smr_alloc_raw(ctx, n * (v.pitch + VECTORS), sizeof *v.W);
    v.places = smr_alloc_raw(ctx, n * LISTS, sizeof *v.places);
    if (!v.W || !v.places) {
        st = SMR_ERR_NOMEM;
        goto out;
    }
    v.numbers = v.W + n * v.pitch;
    v.floor = 0x1p-150 * largest_entry(n, d, e);
    tear(&v, 0, n, true);
    if (v.n_tasks == 1)
        TRY(part_task(ctx, &v, 0, 0));
    else
        TRY(smr_parallel(ctx, NULL, v.n_tasks, part_task, &v));
    TRY(join_tasks(ctx, &v, 0, n));
out:
    smr_free(v.places);
    smr_free(v.W);
    return st;
}
