/* spectrum.c -- see spectrum.h. */
#include "learn/linear/spectrum.h"

#include "kernel/kernel.h"
#include "kernel/qr_kernels.h"
#include "math/factor.h"
#include "math/lstsq_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double ACCURACY = 1e-9, ROUNDING = 100; /* as for the Gram matrix in math/lstsq.c */

/* ---- the decomposition ------------------------------------------------------------------ */

static smr_status make_room(smr_ctx *ctx, const smr_row_source *rows, int64_t k, smr_spectrum *s)
{
    smr_status st = SMR_OK;
    s->d = rows->n_cols;
    s->q = rows->n_outputs;
    s->k = k;
    TRY_NEW(s->lambda, k + 1);
    TRY_NEW(s->V, k * s->d + 1);
    TRY_NEW(s->z, s->q * k + 1);
    TRY_NEW(s->mean, s->d + s->q);
    TRY_NEW(s->tss, s->q);
out:
    return st;
}

void smr_spectrum_release(smr_spectrum *s)
{
    smr_free(s->lambda);
    smr_free(s->V);
    smr_free(s->z);
    smr_free(s->mean);
    smr_free(s->tss);
    *s = (smr_spectrum){0};
}

/* *good = false when the smallest lambda + l2_min is too near to the rounding of the largest. */
static smr_status from_gram(smr_ctx *ctx, const smr_row_source *rows, double l2_min,
                            smr_spectrum *s, bool *good)
{
    smr_status st = SMR_OK;
    smr_gram m = {0};
    int64_t d = rows->n_cols, q = rows->n_outputs;
    TRY(smr_gram_compute(ctx, rows, s->centred, &m));
    TRY(make_room(ctx, rows, d, s));
    s->method = SMR_LSTSQ_GRAM;
    s->weight = m.weight;
    memcpy(s->mean, m.mean, (size_t)m.m * sizeof *s->mean);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++)
            s->V[i * d + j] = m.gram[i * m.m + j] / m.scale[i] / m.scale[j];
    for (int64_t i = 0; i < d * d; i++) /* off the common scale that the sums were made in */
        if (!isfinite(s->V[i]))
            TRY(smr_fail(ctx, SMR_ERR_NUMERIC, "sums of squares overflow: rescale the columns"));
    TRY(smr_eigen(ctx, d, s->V, d, s->lambda));
    for (int64_t k = 0; k < q; k++) {
        const double *g = m.gram + (d + k) * m.m;
        s->tss[k] = g[d + k] / m.scale[d + k] / m.scale[d + k];
        for (int64_t c = 0; c < d; c++)
            for (int64_t j = 0; j < d; j++)
                s->z[k * d + c] += s->V[c * d + j] * (g[j] / m.scale[j] / m.scale[d + k]);
    }
    double largest = d > 0 ? s->lambda[d - 1] : 0, least = d > 0 ? smr_fmax(s->lambda[0], 0) : 0;
    double l2 = l2_min >= 0 ? l2_min : 1e-6 * largest;
    for (int64_t c = 0; c < d; c++) s->lambda[c] = smr_fmax(s->lambda[c], 0);
    *good = ROUNDING * DBL_EPSILON * (largest + l2) <= ACCURACY * (least + l2);
out:
    smr_gram_release(&m);
    return st;
}

/* A S^-1 = U diag(sigma) V' for the triangle A of unit columns: lambda = sigma^2, z = sigma U'C. */
static smr_status from_triangle(smr_ctx *ctx, const smr_row_source *rows, smr_spectrum *s)
{
    smr_status st = SMR_OK;
    smr_triangle t = {0};
    double *U = NULL;
    int64_t d = rows->n_cols;
    TRY(smr_triangle_qr(ctx, rows, s->centred, &t));
    TRY(make_room(ctx, rows, d, s));
    TRY_NEW(U, d * d + 1);
    s->method = SMR_LSTSQ_QR;
    s->weight = t.weight;
    memcpy(s->mean, t.mean, (size_t)(d + s->q) * sizeof *s->mean);
    memcpy(s->tss, t.tss, (size_t)s->q * sizeof *s->tss);
    for (int64_t i = 0; i < d; i++) /* rows of A as columns: the transpose is factored */
        for (int64_t j = 0; j < d; j++) t.A[i * d + j] *= j < i ? 0 : t.length[j];
    TRY(smr_svd(ctx, d, d, t.A, d, s->lambda, s->V, d, U, d));
    s->floor = d > 0 ? s->lambda[0] * (double)(16 + d) * DBL_EPSILON : 0;
    for (int64_t k = 0; k < s->q; k++)
        for (int64_t c = 0; c < d; c++) {
            double uc = 0;
            for (int64_t i = 0; i < d; i++) uc += U[i * d + c] * t.C[k * d + i];
            s->z[k * d + c] = s->lambda[c] * uc;
        }
out:
    smr_free(U);
    smr_triangle_release(&t);
    return st;
}

static smr_status from_rows(smr_ctx *ctx, const smr_row_source *rows, smr_spectrum *s)
{
    smr_status st = SMR_OK;
    smr_wide w = {0};
    int64_t q = rows->n_outputs;
    TRY(smr_wide_create(ctx, rows, s->centred, &w));
    TRY(make_room(ctx, rows, w.k, s));
    s->method = SMR_LSTSQ_SVD;
    s->weight = w.weight;
    memcpy(s->mean, w.mean, (size_t)(w.d + q) * sizeof *s->mean);
    memcpy(s->tss, w.tss, (size_t)q * sizeof *s->tss);
    memcpy(s->lambda, w.s, (size_t)w.k * sizeof *s->lambda);
    memcpy(s->V, w.V, (size_t)(w.k * w.d) * sizeof *s->V);
    s->floor = w.k > 0 ? w.s[0] * (double)SMR_MAX(w.n, w.d) * DBL_EPSILON : 0;
    for (int64_t k = 0; k < q; k++)
        for (int64_t c = 0; c < w.k; c++) {
            double uy = 0;
            for (int64_t i = 0; i < w.n; i++) uy += w.U[i * w.k + c] * w.Y[i * q + k];
            s->z[k * w.k + c] = w.s[c] * uy;
        }
out:
    smr_wide_release(&w);
    return st;
}

smr_status smr_spectrum_create(smr_ctx *ctx, const smr_row_source *rows, bool intercept,
                               double l2_min, smr_spectrum *out)
{
    smr_status st = SMR_OK;
    bool good = false;
    *out = (smr_spectrum){.centred = intercept};
    if (rows->n_rows <= rows->n_cols) {
        TRY(from_rows(ctx, rows, out));
    } else {
        TRY(from_gram(ctx, rows, l2_min, out, &good));
        if (good) goto out; /* lambda is already squared, none of it noise */
        smr_spectrum_release(out);
        *out = (smr_spectrum){.centred = intercept};
        TRY(from_triangle(ctx, rows, out));
    }
    for (int64_t c = 0; c < out->k; c++) out->lambda[c] *= out->lambda[c]; /* singular values */
    out->floor *= out->floor;
out:
    if (st != SMR_OK) smr_spectrum_release(out);
    return st;
}

/* ---- what follows from it --------------------------------------------------------------- */

double smr_spectrum_gain(const smr_spectrum *s, int64_t k, double l2)
{
    if (l2 == 0 && s->lambda[k] <= s->floor) return 0;
    return 1 / (s->lambda[k] + l2);
}

double smr_spectrum_largest(const smr_spectrum *s)
{
    double largest = 0;
    for (int64_t k = 0; k < s->k; k++) largest = smr_fmax(largest, s->lambda[k]);
    return largest;
}

void smr_spectrum_coef(const smr_spectrum *s, double l2, int64_t out, double *w)
{
    memset(w, 0, (size_t)s->d * sizeof *w);
    for (int64_t k = 0; k < s->k; k++)
        smr_axpy_f64(s->d, s->z[out * s->k + k] * smr_spectrum_gain(s, k, l2), s->V + k * s->d, w);
}

double smr_spectrum_df(const smr_spectrum *s, double l2)
{
    double df = 0;
    for (int64_t k = 0; k < s->k; k++) df += s->lambda[k] * smr_spectrum_gain(s, k, l2);
    return df;
}

double smr_spectrum_rss(const smr_spectrum *s, double l2, int64_t out)
{
    double rss = s->tss[out];
    for (int64_t k = 0; k < s->k; k++) {
        double z = s->z[out * s->k + k], gain = smr_spectrum_gain(s, k, l2);
        rss -= z * z * (s->lambda[k] + 2 * l2) * gain * gain;
    }
    return smr_fmax(rss, 0);
}

/* ---- leave one out ---------------------------------------------------------------------- */

/* For a block of rows: P = (X - mean) V', then two products give all h_i and all fitted values at
 * every penalty: H = P^2 gains', F = P (z gains)'. */
struct left_out {
    const smr_spectrum *s;
    const smr_row_source *rows;
    smr_shift centre;
    int64_t n, chunk; /* penalties; rows of a task                  */
    char *panels_v, *panels_h, *panels_f;
    double *blocks; /* lanes x block_size                         */
    int64_t block_size;
    double *sums; /* tasks x n                                  */
};

static void score_row(const struct left_out *a, int64_t i, const double *H, const double *F,
                      double *sum)
{
    const smr_spectrum *s = a->s;
    double weight = a->rows->weight ? a->rows->weight[i] : 1;
    for (int64_t c = 0; c < a->n; c++) {
        double h = H[c] + (s->centred ? 1 / s->weight : 0), left = 1 - smr_fmin(1, weight) * h;
        for (int64_t k = 0; k < s->q && weight > 0; k++) {
            double e = a->rows->y[i * s->q + k] - s->mean[s->d + k] - F[k * a->n + c];
            e = left > 64 * DBL_EPSILON ? e / left : INFINITY;
            sum[c] += weight * e * e;
        }
    }
}

static smr_status score_chunk(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct left_out *a = arg;
    const smr_spectrum *s = a->s;
    int64_t lo = task * a->chunk, end = smr_block_end(a->rows->n_rows, a->chunk, task), stride = 0;
    double *Z = a->blocks + lane * a->block_size, *P = Z + SMR_ROWS_BLOCK * s->d;
    double *H = P + SMR_ROWS_BLOCK * s->k, *F = H + SMR_ROWS_BLOCK * a->n;
    for (; lo < end; lo += SMR_ROWS_BLOCK) {
        int64_t m = SMR_MIN(end - lo, SMR_ROWS_BLOCK);
        const double *x = NULL;
        smr_status st = a->rows->rows(ctx, a->rows->arg, lane, lo, lo + m, &x, &stride);
        if (st != SMR_OK) return st;
        smr_shift_rows(m, s->d, x, stride, &a->centre, Z, s->d);
        smr_product_f64(m, s->k, s->d, Z, s->d, a->panels_v, P, s->k);
        smr_product_f64(m, a->n * s->q, s->k, P, s->k, a->panels_f, F, a->n * s->q);
        for (int64_t i = 0; i < m * s->k; i++) P[i] *= P[i];
        smr_product_f64(m, a->n, s->k, P, s->k, a->panels_h, H, a->n);
        for (int64_t i = 0; i < m; i++)
            score_row(a, lo + i, H + i * a->n, F + i * a->n * s->q, a->sums + task * a->n);
    }
    return SMR_OK;
}

/* Panels of the gains, and of the outputs' z times them. */
static smr_status pack_gains(smr_ctx *ctx, struct left_out *a, const double *l2)
{
    smr_status st = SMR_OK;
    const smr_spectrum *s = a->s;
    double *gains = NULL, *fits = NULL;
    TRY_NEW(gains, a->n * s->k + 1);
    TRY_NEW(fits, a->n * s->q * s->k + 1);
    for (int64_t c = 0; c < a->n; c++)
        for (int64_t k = 0; k < s->k; k++) {
            double gain = gains[c * s->k + k] = smr_spectrum_gain(s, k, l2[c]);
            for (int64_t o = 0; o < s->q; o++)
                fits[(o * a->n + c) * s->k + k] = gain * s->z[o * s->k + k];
        }
    TRY_NEW(a->panels_v, smr_panels_size_f64(s->k, s->d));
    TRY_NEW(a->panels_h, smr_panels_size_f64(a->n, s->k));
    TRY_NEW(a->panels_f, smr_panels_size_f64(a->n * s->q, s->k));
    smr_pack_f64(s->k, s->d, s->V, s->d, a->panels_v);
    smr_pack_f64(a->n, s->k, gains, s->k, a->panels_h);
    smr_pack_f64(a->n * s->q, s->k, fits, s->k, a->panels_f);
out:
    smr_free(fits);
    smr_free(gains);
    return st;
}

smr_status smr_spectrum_leave_one_out(smr_ctx *ctx, const smr_spectrum *s,
                                      const smr_row_source *rows, int64_t n, const double *l2,
                                      double *error)
{
    enum { CHUNK = 4096 };
    smr_status st = SMR_OK;
    double *one = NULL;
    struct left_out a = {.s = s, .rows = rows, .n = n, .chunk = CHUNK};
    int64_t n_tasks = smr_block_count(rows->n_rows, CHUNK);
    a.block_size = SMR_ROWS_BLOCK * (s->d + s->k + n + n * s->q);
    TRY_NEW(one, s->d + 1);
    for (int64_t j = 0; j < s->d; j++) one[j] = 1;
    a.centre = (smr_shift){s->mean, one, NULL};
    TRY_NEW(a.sums, n_tasks * n);
    TRY_NEW(a.blocks, smr_lanes(ctx) * a.block_size);
    TRY(pack_gains(ctx, &a, l2));
    TRY(smr_parallel(ctx, "leaving one out", n_tasks, score_chunk, &a));
    for (int64_t c = 0; c < n; c++) {
        error[c] = 0;
        for (int64_t t = 0; t < n_tasks; t++) error[c] += a.sums[t * n + c];
        error[c] /= s->weight * (double)s->q;
    }
out:
    smr_free(a.panels_f);
    smr_free(a.panels_h);
    smr_free(a.panels_v);
    smr_free(a.blocks);
    smr_free(a.sums);
    smr_free(one);
    return st;
}
