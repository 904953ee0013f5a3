/* best_subset_solve.c -- least squares on given columns: see best_subset.h. */
#include "math/best_subset_parts.h"

#include <math.h>

smr_status smr_subset_factor_create(smr_ctx *ctx, int64_t most, struct smr_subset_factor *f)
{
    smr_status st = SMR_OK;
    *f = (struct smr_subset_factor){.stride = most};
    TRY_NEW(f->L, most * most + 1);
    TRY_NEW(f->unit, most + 1);
    TRY_NEW(f->z, most + 1);
    TRY_NEW(f->column, most + 1);
out:
    return st;
}

void smr_subset_factor_release(struct smr_subset_factor *f)
{
    smr_free(f->L);
    smr_free(f->unit);
    smr_free(f->z);
    smr_free(f->column);
}

/* Row i, for the column that stands there; a dependent column's pivot is 0. */
static void factor_row(struct smr_subset_factor *f, const smr_gram_problem *p, int64_t i)
{
    const double *G = p->G + f->column[i] * p->stride;
    double *L = f->L, *z = f->z, *Li = L + i * f->stride, size = sqrt(p->yy);
    double square = G[f->column[i]];
    f->unit[i] = square > 0 ? 1 / sqrt(square) : 0;
    z[i] = size > 0 ? p->c[f->column[i]] * f->unit[i] / size : 0;
    for (int64_t j = 0; j <= i; j++) Li[j] = G[f->column[j]] * f->unit[i] * f->unit[j];
    double pivot = Li[i];
    for (int64_t j = 0; j < i; j++) {
        const double *Lj = L + j * f->stride;
        double s = Li[j];
        for (int64_t l = 0; l < j; l++) s -= Li[l] * Lj[l];
        Li[j] = Lj[j] > 0 ? s / Lj[j] : 0;
        pivot -= Li[j] * Li[j];
        z[i] -= Li[j] * z[j];
    }
    Li[i] = pivot > SMR_SUBSET_NOISE ? sqrt(pivot) : 0;
    z[i] = Li[i] > 0 ? z[i] / Li[i] : 0;
}

double smr_subset_factor_columns(struct smr_subset_factor *f, const smr_gram_problem *p, int64_t k,
                                 const int32_t *column)
{
    int64_t same = 0;
    double rss = 1;
    while (same < k && same < f->k && f->column[same] == column[same]) same++;
    f->k = k;
    for (int64_t i = same; i < k; i++) {
        f->column[i] = column[i];
        factor_row(f, p, i);
    }
    for (int64_t i = 0; i < k; i++) rss -= f->z[i] * f->z[i];
    return smr_fmax(0, rss) * p->yy;
}

/* Diagonal of (L L')^-1: squared columns of L^-1, one at a time in v. */
static void inverse_diagonal(int64_t k, const double *L, double *v, double *inverse)
{
    for (int64_t c = 0; c < k; c++) {
        inverse[c] = L[c * k + c] > 0 ? 0 : NAN;
        for (int64_t i = c; i < k; i++) {
            double s = i == c;
            for (int64_t j = c; j < i; j++) s -= L[i * k + j] * v[j];
            v[i] = L[i * k + i] > 0 ? s / L[i * k + i] : 0;
            inverse[c] += v[i] * v[i];
        }
    }
}

smr_status smr_subset_solve(smr_ctx *ctx, const smr_gram_problem *p, int64_t k,
                            const int32_t *column, double *w, double *inverse, double *rss)
{
    smr_status st = SMR_OK;
    struct smr_subset_factor f = {0};
    double size = sqrt(p->yy);
    TRY(smr_subset_factor_create(ctx, k, &f));
    double left = smr_subset_factor_columns(&f, p, k, column);
    if (rss) *rss = left;
    for (int64_t i = k; i-- > 0;) { /* L' w = z */
        double s = f.z[i];
        for (int64_t j = i + 1; j < k; j++) s -= f.L[j * k + i] * w[j];
        w[i] = f.L[i * k + i] > 0 ? s / f.L[i * k + i] : 0;
    }
    for (int64_t i = 0; i < k; i++) w[i] *= f.unit[i] * size;
    if (inverse) {
        inverse_diagonal(k, f.L, f.z, inverse);
        for (int64_t i = 0; i < k; i++) inverse[i] *= f.unit[i] * f.unit[i];
    }
out:
    smr_subset_factor_release(&f);
    return st;
}
