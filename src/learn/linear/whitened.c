/* whitened.c -- see whitened.h. */
#include "learn/linear/whitened.h"

#include "kernel/kernel.h"
#include "math/factor.h"
#include "math/product.h"

#include <math.h>
#include <string.h>

#define RANK 1e-12 /* eigenvalues below it, relatively, are 0 */

/* T and its inverse from the eigenvectors U (p x p) of Z'Z at unit lengths. */
static void fill(smr_whitened *w, const double *U, const double *value, const double *unit)
{
    int64_t p = w->p;
    w->d = 0;
    for (int64_t c = 0; c < p; c++) {
        if (!(value[c] > RANK * value[p - 1])) continue;
        double root = sqrt(value[c]);
        for (int64_t i = 0; i < p; i++) {
            w->T[w->d * p + i] = U[c * p + i] * unit[i] / root;
            w->back[w->d * p + i] = unit[i] > 0 ? U[c * p + i] * root / unit[i] : 0;
        }
        w->d++;
    }
}

smr_status smr_whitened_open(smr_ctx *ctx, const smr_design *design, const double *weight,
                             smr_whitened *out)
{
    smr_status st = SMR_OK;
    int64_t p = design->p;
    double *value = NULL, *unit = NULL;
    *out = (smr_whitened){.design = design, .p = p};
    TRY_NEW(out->T, p * p);
    TRY_NEW(out->back, p * p);
    TRY_NEW(out->G, p * p);
    TRY_NEW(out->beta, p);
    TRY_NEW(value, p);
    TRY_NEW(unit, p);
    TRY(smr_design_gram(ctx, design, weight, weight, out->G, out->beta));
    for (int64_t i = 0; i < p; i++) {
        double square = out->G[i * p + i];
        unit[i] = square > 0 && isfinite(square) ? 1 / sqrt(square) : 0;
    }
    for (int64_t i = 0; i < p; i++)
        for (int64_t j = 0; j < p; j++) out->G[i * p + j] *= unit[i] * unit[j];
    TRY(smr_eigen(ctx, p, out->G, p, value));
    fill(out, out->G, value, unit);
out:
    if (st != SMR_OK) smr_whitened_close(out);
    smr_free(value);
    smr_free(unit);
    return st;
}

void smr_whitened_close(smr_whitened *w)
{
    smr_free(w->T);
    smr_free(w->back);
    smr_free(w->G);
    smr_free(w->beta);
    *w = (smr_whitened){0};
}

void smr_whitened_leave(const smr_whitened *w, const double *v, double *beta)
{
    memset(beta, 0, (size_t)w->p * sizeof *beta);
    for (int64_t c = 0; c < w->d; c++) smr_axpy_f64(w->p, v[c], w->T + c * w->p, beta);
}

void smr_whitened_enter(const smr_whitened *w, const double *beta, double *v)
{
    for (int64_t c = 0; c < w->d; c++) v[c] = smr_dot_f64(w->p, w->back + c * w->p, beta);
}

smr_status smr_whitened_scores(smr_ctx *ctx, const smr_whitened *w, const double *v, double *out)
{
    smr_whitened_leave(w, v, w->beta);
    return smr_design_scores(ctx, w->design, w->beta, out);
}

/* out (d) = T'z. */
static void turn(const smr_whitened *w, const double *z, double *out)
{
    for (int64_t c = 0; c < w->d; c++) out[c] = smr_dot_f64(w->p, w->T + c * w->p, z);
}

smr_status smr_whitened_sums(smr_ctx *ctx, const smr_whitened *w, const double *u, double *out)
{
    smr_status st = smr_design_sums(ctx, w->design, u, w->beta);
    if (st == SMR_OK) turn(w, w->beta, out);
    return st;
}

smr_status smr_whitened_row(smr_ctx *ctx, const smr_whitened *w, int64_t i, double *t)
{
    smr_status st = smr_design_row(ctx, w->design, i, w->beta);
    if (st == SMR_OK) turn(w, w->beta, t);
    return st;
}

/* T'(Z'diag(weight) Z) T. */
smr_status smr_whitened_gram(smr_ctx *ctx, const smr_whitened *w, const double *weight, double *G)
{
    smr_status st = SMR_OK;
    int64_t p = w->p, d = w->d;
    double *ZT = NULL;
    TRY_NEW(ZT, p * SMR_MAX(1, d));
    TRY(smr_design_gram(ctx, w->design, weight, weight, w->G, w->beta));
    smr_update right = {
        .m = p, .n = d, .k = p, .A = {w->G, 1, p}, .B = {w->T, 1, p}, .C = ZT, .ldc = p};
    smr_update left = {
        .m = d, .n = d, .k = p, .A = {w->T, p, 1}, .B = {ZT, 1, p}, .C = G, .ldc = d};
    TRY(smr_update_run(ctx, &right));
    memset(G, 0, (size_t)(d * d) * sizeof *G);
    TRY(smr_update_run(ctx, &left));
out:
    smr_free(ZT);
    return st;
}
