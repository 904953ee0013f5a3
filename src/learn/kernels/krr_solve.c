/* krr_solve.c -- the linear system of kernel ridge regression.
 *
 * With f(x) = sum_j alpha_j K(x, x_j) + b, W the weights and 1 a vector of ones, the optimum solves
 *
 *     (K + l2 W^-1) alpha + b 1 = y,   1' alpha = 0                                            (1)
 *
 * the second where there is an intercept.  In beta = W^-1/2 alpha it is a symmetric system that no
 * weight makes worse: A = W^1/2 K W^1/2 + l2 I, and with u = A^-1 W^1/2 y, v = A^-1 W^1/2 1
 *
 *     b = (1' W^1/2 u) / (1' W^1/2 v),   beta = u - b v                                        (2)
 *
 * The residual of row i is r_i = l2 alpha_i / w_i, and |f|^2 = alpha' (y - b - r).  Let B = A^-1,
 * less v v' / (1' W^1/2 v) where there is an intercept.  The fitted value changes with its own
 * target by 1 - l2 B_ii, whose sum is the degrees of freedom; without one unit of its weight, or
 * all of it where that is less, delta = min(1, w_i), row i would be off by exactly
 *
 *     e_i = r_i / (1 - delta (1 - l2 B_ii) / w_i)                                              (3)
 *
 * and the leave-one-out error is the mean of e_i^2 by weights.  One penalty or a few: Cholesky of A
 * for each, n^3 / 6 multiply-adds, and n^3 / 3 for the diagonal of its inverse.  More: one
 * decomposition W^1/2 K W^1/2 = U diag(s) U', after which a penalty costs n^2.
 *
 * One penalty of more than SMR_KRR_SMALL rows, which needs no diagonal: Cholesky in float, half the
 * time, and steps u += (L L')^-1 (y - A u) with the residual in double, until it is what rounding u
 * leaves of it: |y - A u| <= 1e-15 (|A| |u| + |y|), as good as a solution in double.  Where float
 * does not do it (a condition of some 1e6 and more), the factor is made in double after all.
 * References: Saunders, Gammerman & Vovk, ICML 1998; Cawley & Talbot, Neural Networks 17:1467-1475,
 * 2004 (leave-one-out with an intercept). */
#include "learn/kernels/krr_solve.h"

#include "core/parallel.h"
#include "kernel/kernel.h"
#include "math/factor.h"

#include <math.h>
#include <string.h>

enum { ROWS = 256 }; /* rows that a task takes */
#define SOLVED 1e-15 /* backward error of a solution in double */

double smr_krr_bytes(int64_t n, int64_t n_penalties)
{
    double matrices = n_penalties <= SMR_KRR_FEW ? 2 : 3;
    if (n_penalties == 1) matrices = n > SMR_KRR_SMALL ? 1.5 : 1;
    return 8.0 * (double)n * (double)n * matrices;
}

/* ---- preparing -------------------------------------------------------------------------- */

/* The targets, centred and scaled, and the column of the intercept. */
static void scale_targets(const double *y, smr_krr_system *o)
{
    int64_t n = o->n, q = o->q;
    for (int64_t i = 0; i < n; i++) {
        double w = o->weight ? o->weight[i] : 1;
        o->y[q * n + i] = sqrt(w);
        o->total += w;
        for (int64_t k = 0; k < q; k++) o->mean[k] += w * y[i * q + k];
    }
    for (int64_t k = 0; k < q; k++) {
        o->mean[k] = o->intercept ? o->mean[k] / o->total : 0;
        for (int64_t i = 0; i < n; i++)
            o->y[k * n + i] = o->y[q * n + i] * (y[i * q + k] - o->mean[k]);
        o->tss[k] = smr_dot_f64(n, o->y + k * n, o->y + k * n);
    }
}

static smr_status scale_rows(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    smr_krr_system *o = arg;
    const double *root = o->y + o->q * o->n;
    (void)ctx, (void)lane;
    for (int64_t i = task * ROWS; i < smr_block_end(o->n, ROWS, task); i++)
        for (int64_t j = 0; j < o->n; j++) o->K[i * o->n + j] *= root[i] * root[j];
    return SMR_OK;
}

smr_status smr_krr_open(smr_ctx *ctx, int64_t n, int64_t q, const double *y, const double *weight,
                        bool intercept, double *K, smr_krr_system *out)
{
    smr_status st = SMR_OK;
    *out = (smr_krr_system){.n = n, .q = q, .weight = weight, .intercept = intercept, .K = K};
    TRY_NEW(out->y, n * (q + 1));
    TRY_NEW(out->mean, q);
    TRY_NEW(out->tss, q);
    scale_targets(y, out);
    if (weight)
        TRY(smr_parallel(ctx, "weighting the kernel matrix", smr_block_count(n, ROWS), scale_rows,
                         out));
out:
    if (st != SMR_OK) smr_krr_close(out);
    return st;
}

void smr_krr_close(smr_krr_system *o)
{
    smr_free(o->y);
    smr_free(o->mean);
    smr_free(o->tss);
    smr_free(o->s);
    smr_free(o->z);
    if (!o->is_lost) smr_free(o->factor);
    *o = (smr_krr_system){0};
}

/* z = U' y, a task for each eigenvector. */
static smr_status project(smr_ctx *ctx, void *arg, int64_t k, int lane)
{
    smr_krr_system *o = arg;
    (void)ctx, (void)lane;
    for (int64_t c = 0; c <= o->q; c++)
        o->z[c * o->n + k] = smr_dot_f64(o->n, o->K + k * o->n, o->y + c * o->n);
    return SMR_OK;
}

smr_status smr_krr_prepare(smr_ctx *ctx, smr_krr_system *o, int64_t n_penalties)
{
    smr_status st = SMR_OK;
    int64_t n = o->n;
    o->spectral = n_penalties > SMR_KRR_FEW;
    if (o->spectral) {
        TRY_NEW(o->s, n);
        TRY_NEW(o->z, n * (o->q + 1));
        TRY(smr_eigen(ctx, n, o->K, n, o->s));
        TRY(smr_parallel(ctx, NULL, n, project, o));
    } else if (n_penalties > 1) {
        o->factor = smr_alloc_raw(ctx, n * n, sizeof *o->factor);
        if (!o->factor) st = SMR_ERR_NOMEM;
    } else {
        o->factor = o->K;
        o->is_lost = true;
    }
out:
    return st;
}

double smr_krr_largest(const smr_krr_system *o)
{
    return smr_fmax(o->s[o->n - 1], 0);
}

/* ---- A^-1 y, A^-1 1 and the diagonal of A^-1 ------------------------------------------- */

/* By eigenvalues, some rows of all eigenvectors at a time. */
struct sum {
    const smr_krr_system *system;
    double l2;
    double *u;        /* n x (q + 1) */
    double *diagonal; /* or NULL     */
};

static smr_status sum_rows(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct sum *a = arg;
    const smr_krr_system *o = a->system;
    int64_t n = o->n, lo = task * ROWS, m = smr_block_end(n, ROWS, task) - lo;
    (void)ctx, (void)lane;
    for (int64_t k = 0; k < n; k++) {
        const double *U = o->K + k * n + lo;
        double gain = 1 / (o->s[k] + a->l2);
        for (int64_t c = 0; c <= o->q; c++)
            smr_axpy_f64(m, gain * o->z[c * n + k], U, a->u + c * n + lo);
        for (int64_t i = 0; a->diagonal && i < m; i++) a->diagonal[lo + i] += gain * U[i] * U[i];
    }
    return SMR_OK;
}

static smr_status solve_by_eigenvalues(smr_ctx *ctx, const smr_krr_system *o, double l2, double *u,
                                       smr_krr_answer *out)
{
    smr_status st = SMR_OK;
    struct sum sum = {o, l2, u, out->diagonal};
    memset(u, 0, (size_t)(o->n * (o->q + 1)) * sizeof *u);
    if (out->diagonal) memset(out->diagonal, 0, (size_t)o->n * sizeof *u);
    if (!(o->s[0] + l2 > 0)) { /* the eigenvalues ascend */
        out->failed_at = 0;
        return SMR_OK;
    }
    TRY(smr_parallel(ctx, "solving for a penalty", smr_block_count(o->n, ROWS), sum_rows, &sum));
out:
    return st;
}

static smr_status solve_by_factor(smr_ctx *ctx, const smr_krr_system *o, double l2, double *u,
                                  smr_krr_answer *out)
{
    smr_status st = SMR_OK;
    int64_t n = o->n;
    double *L = o->factor;
    if (!o->is_lost) memcpy(L, o->K, (size_t)(n * n) * sizeof *L);
    for (int64_t i = 0; i < n; i++) L[i * n + i] += l2;
    TRY(smr_cholesky(ctx, n, L, n, &out->failed_at));
    if (out->failed_at >= 0) return SMR_OK;
    memcpy(u, o->y, (size_t)(n * (o->q + 1)) * sizeof *u);
    TRY(smr_cholesky_solve(ctx, n, o->q + 1, L, n, u, n));
    if (!out->diagonal) return SMR_OK;
    TRY(smr_cholesky_inverse(ctx, n, L, n));
    for (int64_t i = 0; i < n; i++) out->diagonal[i] = L[i * n + i];
out:
    return st;
}

/* ---- the same by a factor in float ------------------------------------------------------ */

struct refining {
    const smr_krr_system *system;
    double l2;
    float *L;     /* n x n by columns                              */
    float *step;  /* n x (q + 1)                                   */
    double *rest; /* n x (q + 1): y - A u                          */
    double *sums; /* n: of the magnitudes of a row of A            */
    double *u;
    double *loose; /* lanes x ROWS x (q + 1)                        */
};

static smr_status to_floats(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct refining *f = arg;
    int64_t n = f->system->n;
    (void)ctx, (void)lane;
    for (int64_t i = task * ROWS; i < smr_block_end(n, ROWS, task); i++) {
        const double *K = f->system->K + i * n;
        for (int64_t j = 0; j < n; j++) f->sums[i] += fabs(K[j]);
        f->sums[i] += f->l2;
        f->L[i * n + i] = (float)(K[i] + f->l2);
        for (int64_t j = i + 1; j < n; j++) f->L[i * n + j] = (float)K[j];
    }
    return SMR_OK;
}

static smr_status rest_rows(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct refining *f = arg;
    const smr_krr_system *o = f->system;
    int64_t n = o->n, m = o->q + 1, lo = task * ROWS, rows = smr_block_end(n, ROWS, task) - lo;
    double *out = f->loose + lane * ROWS * m;
    (void)ctx;
    smr_rows_times_f64(rows, n, m, o->K + lo * n, n, f->u, n, out);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t c = 0; c < m; c++) {
            int64_t at = c * n + lo + i;
            f->rest[at] = o->y[at] - out[i * m + c] - f->l2 * f->u[at];
        }
    return SMR_OK;
}

/* u += (L L')^-1 rest, and the rest anew.  *error: how far the worst column is from solved. */
static smr_status refine(smr_ctx *ctx, struct refining *f, double norm, double *error)
{
    smr_status st = SMR_OK;
    const smr_krr_system *o = f->system;
    int64_t n = o->n, m = o->q + 1;
    for (int64_t c = 0; c < m; c++) {
        double size = sqrt(smr_dot_f64(n, f->rest + c * n, f->rest + c * n));
        for (int64_t i = 0; i < n; i++)
            f->step[c * n + i] = (float)(size > 0 ? f->rest[c * n + i] / size : 0);
    }
    TRY(smr_triangular_solve_f32(ctx, (smr_side){0}, n, m, f->L, n, f->step, n));
    TRY(smr_triangular_solve_f32(ctx, (smr_side){.transpose = true}, n, m, f->L, n, f->step, n));
    for (int64_t c = 0; c < m; c++) {
        double size = sqrt(smr_dot_f64(n, f->rest + c * n, f->rest + c * n));
        for (int64_t i = 0; i < n; i++) f->u[c * n + i] += size * (double)f->step[c * n + i];
    }
    TRY(smr_parallel(ctx, "refining", smr_block_count(n, ROWS), rest_rows, f));
    *error = 0;
    for (int64_t c = 0; c < m; c++) {
        double left = sqrt(smr_dot_f64(n, f->rest + c * n, f->rest + c * n));
        double of_u = sqrt(smr_dot_f64(n, f->u + c * n, f->u + c * n));
        double of_y = sqrt(smr_dot_f64(n, o->y + c * n, o->y + c * n));
        if (left > 0) *error = smr_fmax(*error, left / (norm * of_u + of_y));
        if (!isfinite(left)) *error = INFINITY;
    }
out:
    return st;
}

/* *solved: u is as good as a factor in double makes it. */
static smr_status solve_by_floats(smr_ctx *ctx, const smr_krr_system *o, double l2, double *u,
                                  bool *solved)
{
    smr_status st = SMR_OK;
    int64_t n = o->n, m = o->q + 1, failed_at;
    struct refining f = {.system = o, .l2 = l2, .u = u};
    double norm = 0, error = 1, before;
    f.L = smr_alloc_raw(ctx, n * n, sizeof *f.L);
    if (!f.L) TRY(SMR_ERR_NOMEM);
    TRY_NEW(f.step, n * m);
    TRY_NEW(f.rest, n * m);
    TRY_NEW(f.sums, n);
    TRY_NEW(f.loose, smr_lanes(ctx) * ROWS * m);
    TRY(smr_parallel(ctx, "the kernel matrix in float", smr_block_count(n, ROWS), to_floats, &f));
    for (int64_t i = 0; i < n; i++) norm = smr_fmax(norm, f.sums[i]);
    TRY(smr_cholesky_f32(ctx, n, f.L, n, &failed_at));
    if (failed_at >= 0) goto out;
    memset(u, 0, (size_t)(n * m) * sizeof *u);
    memcpy(f.rest, o->y, (size_t)(n * m) * sizeof *u);
    do {
        before = error;
        TRY(refine(ctx, &f, norm, &error));
    } while (error > SOLVED && error < before / 4);
    *solved = error <= SOLVED;
out:
    smr_free(f.L);
    smr_free(f.step);
    smr_free(f.rest);
    smr_free(f.sums);
    smr_free(f.loose);
    return st;
}

/* ---- what follows from them ------------------------------------------------------------- */

/* (2); u becomes beta. */
static void find_intercept(const smr_krr_system *o, double *u, smr_krr_answer *out)
{
    int64_t n = o->n;
    double *v = u + o->q * n, *root = o->y + o->q * n;
    double across = o->intercept ? smr_dot_f64(n, root, v) : 0;
    for (int64_t k = 0; k < o->q; k++) {
        double b = across > 0 ? smr_dot_f64(n, root, u + k * n) / across : 0;
        smr_axpy_f64(n, -b, v, u + k * n);
        out->intercept[k] = o->mean[k] + b;
    }
    for (int64_t i = 0; out->diagonal && across > 0 && i < n; i++)
        out->diagonal[i] -= v[i] * v[i] / across;
}

/* (3), over all targets. */
static void leave_one_out(const smr_krr_system *o, double l2, const double *u, smr_krr_answer *out)
{
    const double *root = o->y + o->q * o->n;
    double sum = 0, df = 0;
    for (int64_t i = 0; i < o->n; i++) {
        double w = o->weight ? o->weight[i] : 1, own = 1 - l2 * out->diagonal[i];
        double rest = w <= 1 ? l2 * out->diagonal[i] : 1 - own / w;
        df += own;
        for (int64_t k = 0; k < o->q; k++) {
            double e = l2 * u[k * o->n + i] / root[i] / rest;
            sum += w * e * e;
        }
    }
    out->loo = sum / o->total / (double)o->q;
    out->df = df - (o->intercept ? 1 : 0);
}

smr_status smr_krr_solve(smr_ctx *ctx, smr_krr_system *o, double l2, smr_krr_answer *out)
{
    smr_status st = SMR_OK;
    int64_t n = o->n;
    double *u = NULL;
    const double *root = o->y + o->q * n;
    bool solved = false;
    out->failed_at = -1;
    out->df = out->loo = NAN;
    out->norm = 0;
    TRY_NEW(u, n * (o->q + 1));
    if (o->is_lost && !out->diagonal) TRY(solve_by_floats(ctx, o, l2, u, &solved));
    if (!solved)
        TRY(o->spectral ? solve_by_eigenvalues(ctx, o, l2, u, out)
                        : solve_by_factor(ctx, o, l2, u, out));
    if (out->failed_at >= 0) goto out;
    find_intercept(o, u, out);
    if (out->diagonal) leave_one_out(o, l2, u, out);
    for (int64_t k = 0; k < o->q; k++) {
        double b = out->intercept[k] - o->mean[k], *beta = u + k * n;
        out->rss[k] = l2 * l2 * smr_dot_f64(n, beta, beta);
        for (int64_t i = 0; i < n; i++) { /* alpha' (y - b - r) */
            out->norm += beta[i] * (o->y[k * n + i] - b * root[i] - l2 * beta[i]);
            out->coef[k * n + i] = root[i] * beta[i];
        }
    }
out:
    smr_free(u);
    return st;
}
