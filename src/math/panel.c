/* panel.c -- see panel.h.
 *
 * Columns are factored eight at a time, a leaf, with one pass over the leaf for each: with x the
 * column of the reflector, p its pivot row and a_c a column that follows,
 *
 *     beta = -sign(x_p) |x|,  v = (x - beta e_p) / (x_p - beta),  tau = (x_p - beta) / -beta,
 *     R_pc = x'a_c / beta,   a_c += (R_pc - a_pc) v,                                            (1)
 *
 * and the pass that does (1) for all columns also takes the products of the next one with those
 * after it.  Finished rows move to R and leave zeros, so that every pass has whole vectors.
 *
 * More columns are halved: the left half's reflectors are applied to the right one as a block
 * (reflect.h), then that is factored, and their triangle is (Elmroth & Gustavson, IBM J. Res.
 * Develop. 44(4):605-624, 2000)
 *
 *     T = [T_1  -T_1 (V_1'V_2) T_2]
 *         [            T_2        ].
 *
 * Cost: 2 m n^2 flops and m n step for the triangles.  A column whose sum of squares leaves the
 * range of numbers goes through smr_reflector, which scales. */
#include "math/panel.h"

#include "core/parallel.h"
#include "kernel/kernel.h"
#include "math/reflect.h"

#include <math.h>
#include <string.h>

enum { LEAF = SMR_REFLECT_COLUMNS + 1, ROWS = 256 };
static const double SMALL_SQUARE = 0x1p-900, LARGE_SQUARE = 0x1p1000;

int64_t smr_panel_work(int64_t n, int64_t step)
{
    step = SMR_MIN(SMR_MAX(n, LEAF), step);
    return 2 * step * SMR_MAX(n, LEAF) + step * step;
}

/* ---- a leaf ----------------------------------------------------------------------------- */

/* The reflector of column j with row j as its pivot, where the sum of its squares is of no use: f
 * is what to add to the n columns after it. */
static void careful_step(const smr_panel *p, int64_t j, int64_t n, double *f)
{
    double *x = p->V + j * p->ld, *R = p->R + j;
    double tau = p->tau[j] = smr_reflector(p->m - j - 1, &x[j], x + j + 1);
    R[j * p->ldr] = x[j];
    x[j] = 1;
    for (int64_t c = 0; c < n; c++) {
        double *a = x + (c + 1) * p->ld;
        f[c] = tau == 0 ? 0 : -tau * smr_dot_f64(p->m - j, x + j, a + j);
        R[(j + 1 + c) * p->ldr] = a[j] + f[c];
        a[j] = 0;
    }
    x[j] = 0;
}

/* (1), except for the pass; returns 1 / (x_p - beta). */
static double plain_step(const smr_panel *p, int64_t j, int64_t n, const double *dots, double *f)
{
    double *x = p->V + j * p->ld, *R = p->R + j;
    double alpha = x[j], beta = -copysign(sqrt(dots[0]), alpha);
    p->tau[j] = (beta - alpha) / beta;
    R[j * p->ldr] = beta;
    x[j] = 0;
    for (int64_t c = 0; c < n; c++) {
        double *a = x + (c + 1) * p->ld, r = dots[c + 1] / beta;
        f[c] = r - a[j];
        R[(j + 1 + c) * p->ldr] = r;
        a[j] = 0;
    }
    return 1 / (alpha - beta);
}

static void factor_leaf(const smr_panel *p, int64_t j0, int64_t b)
{
    double dots[LEAF], f[LEAF];
    int64_t from = j0 / 8 * 8, ld = p->ld;
    const double *first = p->V + j0 * ld + from;
    smr_rows_times_f64(b, p->m - from, 1, first, ld, first, ld, dots);
    for (int64_t j = j0; j < j0 + b; j++) {
        int64_t n = j0 + b - j - 1;
        double *x = p->V + j * ld + from, scale = 1;
        bool is_plain = dots[0] >= SMALL_SQUARE && dots[0] <= LARGE_SQUARE && j + 1 < p->m;
        if (is_plain)
            scale = plain_step(p, j, n, dots, f);
        else
            careful_step(p, j, n, f);
        smr_reflect_f64(p->m - from, n, scale, x, f, x + ld, ld, dots);
        p->V[j + j * ld] = 1;
    }
}

/* ---- blocks ----------------------------------------------------------------------------- */

/* Columns of a matrix with the panel's rows. */
typedef struct {
    const double *at;
    int64_t ld, n;
} columns;

static columns columns_of(const smr_panel *p, int64_t j, int64_t n)
{
    return (columns){p->V + j * p->ld, p->ld, n};
}

/* out[i * Y.n + c] = (column i of X)'(column c of Y) over the rows from .. m - 1. */
static void products(const smr_panel *p, int64_t from, columns X, columns Y, double *out,
                     double *part)
{
    for (int64_t lo = from; lo < p->m; lo += ROWS) {
        int64_t rows = SMR_MIN(ROWS, p->m - lo);
        smr_rows_times_f64(X.n, rows, Y.n, X.at + lo, X.ld, Y.at + lo, Y.ld,
                           lo == from ? out : part);
        for (int64_t i = 0; i < X.n * Y.n && lo > from; i++) out[i] += part[i];
    }
}

static double *triangle(const smr_panel *p, int64_t j)
{
    return p->T + j * p->step + j % p->step;
}

/* T of the b <= LEAF columns from j0 on. */
static void leaf_triangle(const smr_panel *p, int64_t j0, int64_t b)
{
    double G[LEAF * LEAF], part[LEAF * LEAF], *T = triangle(p, j0);
    const double *tau = p->tau + j0;
    columns V = columns_of(p, j0, b);
    if (b > 1) products(p, j0 / 8 * 8, V, V, G, part);
    for (int64_t j = 0; j < b; j++) {
        double *t = T + j * p->step;
        for (int64_t i = 0; i < b; i++) t[i] = 0;
        for (int64_t l = 0; l < j; l++)
            for (int64_t i = 0; i <= l; i++) t[i] += T[i + l * p->step] * G[l * b + j];
        for (int64_t i = 0; i < j; i++) t[i] *= -tau[j];
        t[j] = tau[j];
    }
}

/* Joins the triangles of h columns from j0 on and of the b after them. */
static void join_triangles(const smr_panel *p, int64_t j0, int64_t h, int64_t b)
{
    int64_t from = j0 / 8 * 8, step = p->step;
    double *G = p->work, *part = G + h * b, *T1 = triangle(p, j0), *T12 = T1 + h * step;
    products(p, from, columns_of(p, j0, h), columns_of(p, j0 + h, b), G, part);
    smr_rows_times_f64(h, b, b, G, b, T12 + h, step, part);
    for (int64_t i = 0; i < h * b; i++) part[i] = -part[i];
    for (int64_t c = 0; c < b; c++)
        for (int64_t i = 0; i < h; i++) {
            T12[i + c * step] = 0;
            T1[h + c + i * step] = 0;
        }
    smr_rows_add_f64(h, h, b, T1, step, part, T12, step);
}

/* C (n columns) = (I - V T' V') C with the b reflectors from j0 on. */
static void apply_block(const smr_panel *p, int64_t j0, int64_t b, int64_t n, double *C,
                        int64_t ldc)
{
    int64_t from = j0 / 8 * 8;
    double *W = p->work, *Z = W + b * n, *part = Z, *factor = Z + b * n;
    const double *V = p->V + j0 * p->ld, *T = triangle(p, j0);
    products(p, from, columns_of(p, j0, b), (columns){C, ldc, n}, W, part);
    for (int64_t j = 0; j < b; j++)
        for (int64_t l = 0; l < b; l++) factor[l * b + j] = l <= j ? -T[l + j * p->step] : 0;
    memset(Z, 0, (size_t)(b * n) * sizeof *Z);
    smr_rows_add_f64(b, n, b, W, n, factor, Z, n);
    for (int64_t lo = from; lo < p->m; lo += ROWS)
        smr_rows_add_f64(b, SMR_MIN(ROWS, p->m - lo), n, V + lo, p->ld, Z, C + lo, ldc);
}

/* Applies the b reflectors from j0 on to the n columns after them, and moves their rows to R. */
static void apply_within(const smr_panel *p, int64_t j0, int64_t b, int64_t n)
{
    if (n == 0) return;
    double *C = p->V + (j0 + b) * p->ld;
    apply_block(p, j0, b, n, C, p->ld);
    for (int64_t c = 0; c < n; c++)
        for (int64_t i = j0; i < j0 + b; i++) {
            p->R[i + (j0 + b + c) * p->ldr] = C[i + c * p->ld];
            C[i + c * p->ld] = 0;
        }
}

/* `joins`: their triangle is wanted. */
static void factor_columns(const smr_panel *p, int64_t j0, int64_t b, bool joins)
{
    if (b <= LEAF) {
        factor_leaf(p, j0, b);
        if (joins) leaf_triangle(p, j0, b);
        return;
    }
    int64_t h = smr_block_count(b / 2, LEAF) * LEAF;
    factor_columns(p, j0, h, true);
    apply_within(p, j0, h, b - h);
    factor_columns(p, j0 + h, b - h, joins);
    if (joins) join_triangles(p, j0, h, b - h);
}

static smr_status poll(const smr_panel *p, int64_t j)
{
    return p->ctx ? smr_tick(p->ctx, NULL, j, p->n, 0) : SMR_OK;
}

smr_status smr_panel_factor(const smr_panel *p)
{
    smr_status st = SMR_OK;
    int64_t r = SMR_MIN(p->m, p->n);
    for (int64_t j0 = 0; j0 < r; j0 += p->step) {
        int64_t b = SMR_MIN(p->step, r - j0);
        TRY(poll(p, j0));
        factor_columns(p, j0, b, p->keeps || j0 + b < p->n);
        apply_within(p, j0, b, p->n - j0 - b);
    }
out:
    return st;
}

smr_status smr_panel_project(const smr_panel *p, int64_t k, double *C, int64_t ldc)
{
    smr_status st = SMR_OK;
    int64_t r = SMR_MIN(p->m, p->n);
    for (int64_t j0 = 0; j0 < r; j0 += p->step) {
        TRY(poll(p, j0));
        apply_block(p, j0, SMR_MIN(p->step, r - j0), k, C, ldc);
    }
out:
    return st;
}

/* ---- the first columns of Q ------------------------------------------------------------- */

/* -T of all n <= m columns, n x n, from those of the blocks; `work` has 2 n step numbers. */
static smr_status whole_triangle(const smr_panel *p, double *T, double *work)
{
    smr_status st = SMR_OK;
    int64_t n = p->n, step = p->step;
    memset(T, 0, (size_t)(n * n) * sizeof *T);
    for (int64_t j0 = 0; j0 < n; j0 += step) {
        TRY(poll(p, j0));
        int64_t b = SMR_MIN(step, n - j0);
        double *G = work, *part = G + j0 * b, *T12 = T + j0 * n;
        const double *own = triangle(p, j0);
        for (int64_t c = 0; c < b; c++)
            for (int64_t i = 0; i <= c; i++) T12[j0 + i + c * n] = -own[i + c * step];
        if (j0 == 0) continue;
        products(p, j0 / 8 * 8, columns_of(p, 0, j0), columns_of(p, j0, b), G, part);
        smr_rows_times_f64(j0, b, b, G, b, own, step, part);
        for (int64_t i = 0; i < j0 * b; i++) part[i] = -part[i];
        smr_rows_add_f64(j0, j0, b, T, n, part, T12, n);
    }
out:
    return st;
}

int64_t smr_panel_form_work(int64_t n, int64_t step)
{
    return n * n + SMR_MAX(2 * n * n, 2 * n * step);
}

smr_status smr_panel_form(const smr_panel *p, int64_t rows, int64_t k, smr_grid Z, double *C,
                          int64_t ldc)
{
    smr_status st = SMR_OK;
    int64_t n = p->n;
    double *T = p->work, *U = T + n * n, *M = U + n * k;
    TRY(whole_triangle(p, T, U));
    smr_rows_times_f64(n, n, k, p->V, p->ld, Z.at, Z.across, U);
    memset(M, 0, (size_t)(n * k) * sizeof *M);
    smr_rows_add_f64(n, k, n, U, k, T, M, k);
    for (int64_t c = 0; c < k; c++) {
        memcpy(C + c * ldc, Z.at + c * Z.across, (size_t)n * sizeof *C);
        memset(C + c * ldc + n, 0, (size_t)(rows - n) * sizeof *C);
    }
    for (int64_t lo = 0; lo < rows; lo += ROWS) {
        TRY(poll(p, n));
        smr_rows_add_f64(n, SMR_MIN(ROWS, rows - lo), k, p->V + lo, p->ld, M, C + lo, ldc);
    }
out:
    return st;
}
