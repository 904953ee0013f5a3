/* lstsq_rank.c -- dependent columns, and the minimum-norm solution in their presence: see lstsq.h.
 *
 * Rank is the number of pivots of a column-pivoted QR of A (unit columns) that stand out from the
 * noise that the columns' own rounding makes.  Then the columns are walked in their order, and each
 * that lies in the span of those kept before it is called dependent: people expect to read that the
 * second of two equal columns repeats the first.  With K the kept and D the dependent columns of A
 * = Q R,
 *
 *     A_D = A_K M,  M = R_K^-1 Q' A_D;    basic solution u_K = R_K^-1 Q' C, u_D = 0             (1)
 *     null space of X: N = [-M; I] in original units;   w = (I - N N^+) (basic solution)        (2)
 *
 * The same projection of R_K^-1 gives B with B B' = (X'X)^+, hence the variances; coefficients that
 * take part in the null space are not determined by the data and have none. */
#include "math/factor.h"
#include "math/lstsq_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const smr_side UPPER = {.upper = true};
static const double NEGLIGIBLE = 1e-8; /* share of a unit column that is not worth naming */

/* A column's remainder is noise below this. */
static double noise_floor(const smr_triangle *t, int64_t j)
{
    return (double)(16 + t->d) * smr_fmax(t->noise[j], DBL_EPSILON);
}

/* to (by columns) = A. */
static void copy_columns(const smr_triangle *t, double *to)
{
    int64_t d = t->d;
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = 0; i < d; i++) to[j * d + i] = i <= j ? t->A[i * d + j] : 0;
}

smr_status smr_triangle_rank(smr_ctx *ctx, const smr_triangle *t, int64_t *pivot, int64_t *rank)
{
    smr_status st = SMR_OK;
    int64_t d = t->d;
    double *A = NULL, *tau = NULL;
    TRY_NEW(A, d * d + 1);
    TRY_NEW(tau, d + 1);
    copy_columns(t, A);
    TRY(smr_qr_pivoted(ctx, d, d, A, d, pivot, tau));
    *rank = 0;
    while (*rank < d && fabs(A[*rank * d + *rank]) > noise_floor(t, pivot[*rank])) ++*rank;
out:
    smr_free(tau);
    smr_free(A);
    return st;
}

/* ---- which columns ---------------------------------------------------------------------- */

/* v -= 2 (h'v) h over rows from .. d-1, h a unit vector there. */
static void reflect(int64_t from, int64_t d, const double *h, double *v)
{
    double s = 0;
    for (int64_t i = from; i < d; i++) s += h[i] * v[i];
    for (int64_t i = from; i < d; i++) v[i] -= 2 * s * h[i];
}

/* Makes the unit vector h of the reflection that maps v (rows from ..) onto the first axis; returns
 * |v|. */
static double unit_reflector(int64_t from, int64_t d, const double *v, double *h)
{
    double length = 0, sq = 0;
    for (int64_t i = from; i < d; i++) length += v[i] * v[i];
    length = sqrt(length);
    memset(h, 0, (size_t)d * sizeof *h);
    for (int64_t i = from; i < d; i++) h[i] = v[i];
    h[from] += copysign(length, v[from]);
    for (int64_t i = from; i < d; i++) sq += h[i] * h[i];
    for (int64_t i = from; i < d && sq > 0; i++) h[i] /= sqrt(sq);
    return length;
}

/* Walks the columns in their order; list receives the kept ones, then the dependent ones.  H: d x d
 * scratch.  *n_kept: how many are kept. */
static smr_status walk(smr_ctx *ctx, const smr_triangle *t, double *H, double *v, int64_t *list,
                       int64_t *n_kept)
{
    smr_status st = SMR_OK;
    int64_t d = t->d, kept = 0, last = d;
    for (int64_t j = 0; j < d; j++) {
        TRY(smr_tick(ctx, "sorting out columns", j, d, NAN));
        for (int64_t i = 0; i < d; i++) v[i] = i <= j ? t->A[i * d + j] : 0;
        for (int64_t r = 0; r < kept; r++) reflect(r, d, H + r * d, v);
        double rest = kept < d ? unit_reflector(kept, d, v, H + kept * d) : 0;
        if (rest > noise_floor(t, j))
            list[kept++] = j;
        else
            list[--last] = j;
    }
    for (int64_t a = last, b = d - 1; a < b; a++, b--) { /* dependent ones in walking order */
        int64_t swap = list[a];
        list[a] = list[b];
        list[b] = swap;
    }
    *n_kept = kept;
out:
    return st;
}

/* ---- (1) and (2) ------------------------------------------------------------------------ */

struct split {
    int64_t d, r, n;   /* columns, kept, dependent          */
    int64_t *list;     /* kept, then dependent              */
    double *K, *tau;   /* d x r: QR of the kept columns     */
    double *M;         /* d x n by columns; rows 0 .. r-1 are M */
    double *C;         /* d x q by columns: Q' C, then u_K  */
    double *N, *N_tau; /* d x n: QR of the null space       */
    double *B;         /* d x r by columns                  */
    bool *free;        /* d: takes part in the null space   */
};

static void free_split(struct split *s)
{
    smr_free(s->list);
    smr_free(s->K);
    smr_free(s->tau);
    smr_free(s->M);
    smr_free(s->C);
    smr_free(s->N);
    smr_free(s->N_tau);
    smr_free(s->B);
    smr_free(s->free);
}

/* Natural order if it finds the same rank as pivoting did, else the pivots' order. */
static smr_status choose_columns(smr_ctx *ctx, const smr_triangle *t, const int64_t *pivot,
                                 int64_t rank, struct split *s)
{
    smr_status st = SMR_OK;
    double *H = NULL, *v = NULL;
    int64_t kept = 0;
    TRY_NEW(H, t->d * t->d + 1);
    TRY_NEW(v, t->d + 1);
    TRY_NEW(s->list, t->d + 1);
    s->d = t->d;
    s->r = rank;
    s->n = t->d - rank;
    TRY(walk(ctx, t, H, v, s->list, &kept));
    if (kept != rank) memcpy(s->list, pivot, (size_t)t->d * sizeof *pivot);
out:
    smr_free(v);
    smr_free(H);
    return st;
}

static smr_status solve_kept(smr_ctx *ctx, const smr_triangle *t, struct split *s)
{
    smr_status st = SMR_OK;
    int64_t d = s->d, r = s->r, n = s->n;
    TRY_NEW(s->K, d * r + 1);
    TRY_NEW(s->tau, r + 1);
    TRY_NEW(s->M, d * n + 1);
    TRY_NEW(s->C, d * t->q + 1);
    for (int64_t k = 0; k < d; k++) {
        int64_t j = s->list[k];
        double *to = k < r ? s->K + k * d : s->M + (k - r) * d;
        for (int64_t i = 0; i <= j; i++) to[i] = t->A[i * d + j];
    }
    memcpy(s->C, t->C, (size_t)(d * t->q) * sizeof *s->C);
    if (r == 0) return SMR_OK;
    TRY(smr_qr(ctx, d, r, s->K, d, s->tau));
    TRY(smr_qr_apply(ctx, true, d, n, r, s->K, d, s->tau, s->M, d));
    TRY(smr_qr_apply(ctx, true, d, t->q, r, s->K, d, s->tau, s->C, d));
    TRY(smr_triangular_solve(ctx, UPPER, r, n, s->K, d, s->M, d));
out:
    return st;
}

/* What (1) leaves of C beyond the kept columns belongs to the residuals. */
static smr_status solve_outputs(smr_ctx *ctx, const smr_triangle *t, struct split *s,
                                smr_lstsq *fit)
{
    smr_status st = SMR_OK;
    int64_t d = s->d, r = s->r;
    for (int64_t k = 0; k < t->q; k++)
        for (int64_t i = r; i < d; i++) fit->rss[k] += s->C[k * d + i] * s->C[k * d + i];
    if (r > 0) TRY(smr_triangular_solve(ctx, UPPER, r, t->q, s->K, d, s->C, d));
    for (int64_t k = 0; k < t->q; k++)
        for (int64_t i = 0; i < r; i++)
            fit->coef[k * d + s->list[i]] = s->C[k * d + i] / t->length[s->list[i]];
out:
    return st;
}

/* The null space in original units, factored; column by column, each of about unit size, so that
 * columns of very different size do not blur each other. */
static smr_status factor_null(smr_ctx *ctx, const smr_triangle *t, struct split *s)
{
    smr_status st = SMR_OK;
    int64_t d = s->d, r = s->r;
    TRY_NEW(s->N, d * s->n + 1);
    TRY_NEW(s->N_tau, s->n + 1);
    TRY_NEW(s->free, d + 1);
    for (int64_t m = 0; m < s->n; m++) {
        double *v = s->N + m * d, largest = 0;
        v[s->list[r + m]] = 1 / t->length[s->list[r + m]];
        for (int64_t i = 0; i < r; i++)
            if (fabs(s->M[m * d + i]) > NEGLIGIBLE)
                v[s->list[i]] = -s->M[m * d + i] / t->length[s->list[i]];
        for (int64_t i = 0; i < d; i++) largest = smr_fmax(largest, fabs(v[i]));
        for (int64_t i = 0; i < d; i++) {
            v[i] /= largest;
            if (v[i] != 0) s->free[i] = true;
        }
    }
    TRY(smr_qr(ctx, d, s->n, s->N, d, s->N_tau));
out:
    return st;
}

/* Columns of V (d x n_cols) -= their part in the null space. */
static smr_status leave_null(smr_ctx *ctx, const struct split *s, int64_t n_cols, double *V)
{
    smr_status st = SMR_OK;
    int64_t d = s->d;
    TRY(smr_qr_apply(ctx, true, d, n_cols, s->n, s->N, d, s->N_tau, V, d));
    for (int64_t c = 0; c < n_cols; c++) memset(V + c * d, 0, (size_t)s->n * sizeof *V);
    TRY(smr_qr_apply(ctx, false, d, n_cols, s->n, s->N, d, s->N_tau, V, d));
out:
    return st;
}

static smr_status variances(smr_ctx *ctx, const smr_triangle *t, struct split *s, smr_lstsq *fit)
{
    smr_status st = SMR_OK;
    int64_t d = s->d, r = s->r;
    double *inverse = NULL;
    TRY_NEW(s->B, d * r + 1);
    TRY_NEW(inverse, d * r + 1);
    for (int64_t i = 0; i < r; i++) inverse[i * d + i] = 1;
    if (r > 0) TRY(smr_triangular_solve(ctx, UPPER, r, r, s->K, d, inverse, d));
    for (int64_t c = 0; c < r; c++)
        for (int64_t i = 0; i < r; i++)
            s->B[c * d + s->list[i]] = inverse[c * d + i] / t->length[s->list[i]];
    TRY(leave_null(ctx, s, r, s->B));
    for (int64_t j = 0; j < d; j++) {
        double v = 0;
        for (int64_t c = 0; c < r; c++) v += s->B[c * d + j] * s->B[c * d + j];
        fit->variance[j] = s->free[j] ? NAN : v;
    }
out:
    smr_free(inverse);
    return st;
}

/* ---- what to say ------------------------------------------------------------------------ */

/* The largest shares of column m of M come first. */
static void name_terms(const smr_triangle *t, const struct split *s, int64_t m, smr_dependency *dep)
{
    const double *M = s->M + m * s->d;
    double share[SMR_DEPENDENCY_TERMS] = {0};
    dep->column = s->list[s->r + m];
    double size_of_terms = fabs(t->mean[dep->column]);
    dep->constant = t->mean[dep->column];
    for (int64_t i = 0; i < s->r; i++) {
        double size = fabs(M[i]);
        if (!(size > NEGLIGIBLE)) continue;
        double factor = M[i] * t->length[dep->column] / t->length[s->list[i]];
        dep->constant -= factor * t->mean[s->list[i]];
        size_of_terms = smr_fmax(size_of_terms, fabs(factor * t->mean[s->list[i]]));
        int64_t at = SMR_MIN(dep->n_terms, SMR_DEPENDENCY_TERMS);
        dep->n_terms++;
        while (at > 0 && share[at - 1] < size) at--;
        for (int64_t k = SMR_DEPENDENCY_TERMS - 1; k > at; k--) {
            share[k] = share[k - 1];
            dep->on[k] = dep->on[k - 1];
            dep->factor[k] = dep->factor[k - 1];
        }
        if (at == SMR_DEPENDENCY_TERMS) continue;
        share[at] = size;
        dep->on[at] = s->list[i];
        dep->factor[at] = factor;
    }
    if (fabs(dep->constant) < 1e-9 * size_of_terms) dep->constant = 0;
}

smr_status smr_lstsq_deficient(smr_ctx *ctx, const smr_triangle *t, const int64_t *pivot,
                               int64_t rank, smr_lstsq *fit)
{
    smr_status st = SMR_OK;
    struct split s = {0};
    TRY(choose_columns(ctx, t, pivot, rank, &s));
    TRY(solve_kept(ctx, t, &s));
    TRY(solve_outputs(ctx, t, &s, fit));
    TRY(factor_null(ctx, t, &s));
    for (int64_t k = 0; k < t->q; k++) TRY(leave_null(ctx, &s, 1, fit->coef + k * t->d));
    TRY(variances(ctx, t, &s, fit));
    TRY_NEW(fit->dependencies, s.n);
    fit->n_dependencies = s.n;
    for (int64_t m = 0; m < s.n; m++) name_terms(t, &s, m, &fit->dependencies[m]);
    smr_lstsq_origin(t, s.r, s.B, fit);
out:
    free_split(&s);
    return st;
}
