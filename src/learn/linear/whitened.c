/* whitened.c -- see whitened.h. */
#include "learn/linear/whitened.h"

#include "kernel/kernel.h"
#include "math/factor.h"
#include "math/product.h"

#include <math.h>
#include <string.h>

#define RANK 1e-12 /* eigenvalues below it, relatively, are 0 */
#define FLAT 1e-5  /* below it sums over z lose too many digits */
enum { BLOCK = 256, MOST_KEPT = 1 << 27 };

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

/* out (d) = T'z. */
static void turn(const smr_whitened *w, const double *z, double *out)
{
    for (int64_t c = 0; c < w->d; c++) out[c] = smr_dot_f64(w->p, w->T + c * w->p, z);
}

/* The rows t, where the least eigenvalue that is left asks for them. */
static smr_status keep_rows(smr_ctx *ctx, smr_whitened *w, const double *value)
{
    smr_status st = SMR_OK;
    int64_t n = w->design->n, p = w->p;
    if (w->d == 0 || value[p - w->d] > FLAT * value[p - 1] || n > MOST_KEPT / w->d) return SMR_OK;
    TRY_NEW(w->rows, n * w->d);
    for (int64_t i = 0; i < n; i++) {
        if (i % BLOCK == 0) TRY(smr_tick(ctx, "looking for separation", i, n, NAN));
        TRY(smr_design_row(ctx, w->design, i, w->beta));
        turn(w, w->beta, w->rows + i * w->d);
    }
out:
    return st;
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
    TRY(keep_rows(ctx, out, value));
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
    smr_free(w->rows);
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
    if (!w->rows) {
        smr_whitened_leave(w, v, w->beta);
        return smr_design_scores(ctx, w->design, w->beta, out);
    }
    for (int64_t i = 0; i < w->design->n; i++) out[i] = smr_dot_f64(w->d, w->rows + i * w->d, v);
    return SMR_OK;
}

smr_status smr_whitened_sums(smr_ctx *ctx, const smr_whitened *w, const double *u, double *out)
{
    smr_status st = SMR_OK;
    if (w->rows) {
        memset(out, 0, (size_t)w->d * sizeof *out);
        for (int64_t i = 0; i < w->design->n; i++)
            smr_axpy_f64(w->d, u[i], w->rows + i * w->d, out);
        return SMR_OK;
    }
    TRY(smr_design_sums(ctx, w->design, u, w->beta));
    turn(w, w->beta, out);
out:
    return st;
}

smr_status smr_whitened_row(smr_ctx *ctx, const smr_whitened *w, int64_t i, double *t)
{
    smr_status st = SMR_OK;
    if (w->rows) {
        memcpy(t, w->rows + i * w->d, (size_t)w->d * sizeof *t);
        return SMR_OK;
    }
    TRY(smr_design_row(ctx, w->design, i, w->beta));
    turn(w, w->beta, t);
out:
    return st;
}

/* G += sum of weight t t' over the rows that are kept, a block at a time. */
static smr_status add_rows(smr_ctx *ctx, const smr_whitened *w, const double *weight, double *G)
{
    smr_status st = SMR_OK;
    int64_t n = w->design->n, d = w->d;
    double *block = NULL;
    TRY_NEW(block, BLOCK * d);
    for (int64_t lo = 0; lo < n; lo += BLOCK) {
        int64_t m = SMR_MIN(BLOCK, n - lo);
        const double *t = w->rows + lo * d;
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < d; j++) block[i * d + j] = weight[lo + i] * t[i * d + j];
        smr_update add = {
            .m = d, .n = d, .k = m, .A = {block, 1, d}, .B = {t, d, 1}, .C = G, .ldc = d};
        TRY(smr_update_run(ctx, &add));
    }
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < i; j++) G[i * d + j] = G[j * d + i];
out:
    smr_free(block);
    return st;
}

smr_status smr_whitened_gram(smr_ctx *ctx, const smr_whitened *w, const double *weight, double *G)
{
    smr_status st = SMR_OK;
    int64_t p = w->p, d = w->d;
    double *GT = NULL;
    memset(G, 0, (size_t)(d * d) * sizeof *G);
    if (w->rows) return add_rows(ctx, w, weight, G);
    TRY_NEW(GT, p * SMR_MAX(1, d));
    TRY(smr_design_gram(ctx, w->design, weight, weight, w->G, w->beta));
    smr_update right = {
        .m = p, .n = d, .k = p, .A = {w->G, 1, p}, .B = {w->T, 1, p}, .C = GT, .ldc = p};
    smr_update left = {
        .m = d, .n = d, .k = p, .A = {w->T, p, 1}, .B = {GT, 1, p}, .C = G, .ldc = d};
    TRY(smr_update_run(ctx, &right));
    TRY(smr_update_run(ctx, &left));
out:
    smr_free(GT);
    return st;
}
