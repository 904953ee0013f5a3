/* frame.c -- see frame.h. */
#include "learn/linear/frame.h"

#include <math.h>

enum { ROWS_LOOKED_AT = 256, COLUMNS_BETWEEN_TICKS = 2048 };

smr_status smr_linear_is_far(smr_ctx *ctx, const smr_data *data, bool *is_far)
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    smr_rows b;
    int64_t n = SMR_MIN(data->n_rows, ROWS_LOOKED_AT);
    *is_far = false;
    if (smr_data_is_sparse(data) || n < 2) goto out;
    TRY(smr_reader_open(ctx, data, SMR_FORM_F64, n, &reader));
    TRY(smr_reader_rows(ctx, reader, 0, n, &b));
    for (int64_t j = 0; j < b.d && !*is_far; j++) {
        if (j % COLUMNS_BETWEEN_TICKS == 0) TRY(smr_tick(ctx, NULL, j, b.d, NAN));
        const double *x = (const double *)b.x + j;
        double mean = 0, square = 0;
        for (int64_t i = 0; i < n; i++) mean += x[i * b.stride] / (double)n;
        for (int64_t i = 0; i < n; i++)
            square += (x[i * b.stride] - mean) * (x[i * b.stride] - mean) / (double)n;
        /* what rounding leaves of a constant column is no spread */
        *is_far = square > 1e-28 * mean * mean && square < 1e-10 * mean * mean;
    }
out:
    smr_reader_close(reader);
    return st;
}

void smr_linear_frame_enter(const smr_linear_frame *f, const double *from, double *to)
{
    for (int64_t c = 0; c < f->k; c++) {
        double shift = 0;
        for (int64_t j = 0; j < f->d; j++) {
            double w = from[c * f->d + j];
            shift += f->mean[j] * w;
            to[c * f->d + j] = w * f->scale[j];
        }
        if (f->has_intercept) to[f->k * f->d + c] = from[f->k * f->d + c] + shift;
    }
}

void smr_linear_frame_leave(const smr_linear_frame *f, const double *from, double *to)
{
    for (int64_t c = 0; c < f->k; c++) {
        double shift = 0;
        for (int64_t j = 0; j < f->d; j++) {
            double w = from[c * f->d + j] / f->scale[j];
            shift += f->mean[j] * w;
            to[c * f->d + j] = w;
        }
        if (f->has_intercept) to[f->k * f->d + c] = from[f->k * f->d + c] - shift;
    }
}

/* g_v = (g_w - m g_b) / s. */
static smr_status evaluate(smr_ctx *ctx, void *self, const double *v, double *value, double *g)
{
    smr_linear_frame *f = self;
    smr_status st = SMR_OK;
    smr_linear_frame_leave(f, v, f->w);
    TRY(f->inner->evaluate(ctx, f->inner->self, f->w, value, g));
    for (int64_t c = 0; c < f->k; c++) {
        double b = f->has_intercept ? g[f->k * f->d + c] : 0;
        for (int64_t j = 0; j < f->d; j++)
            g[c * f->d + j] = (g[c * f->d + j] - f->mean[j] * b) / f->scale[j];
    }
out:
    return st;
}

smr_status smr_linear_frame_open(smr_ctx *ctx, smr_linear_objective *o, const smr_data *data,
                                 double l2, double curvature, smr_linear_frame *out)
{
    smr_status st = SMR_OK;
    const smr_objective *inner = smr_linear_function(o);
    int64_t k = smr_linear_n_scores(o), d = data->n_features;
    double total = 0;
    *out = (smr_linear_frame){.inner = inner, .k = k, .d = d, .has_intercept = inner->n > k * d};
    out->function = (smr_objective){.n = inner->n, .self = out, .evaluate = evaluate};
    TRY_NEW(out->mean, d);
    TRY_NEW(out->scale, d);
    TRY_NEW(out->w, inner->n);
    TRY(smr_linear_moments(ctx, o, out->mean, out->scale, &total));
    for (int64_t j = 0; j < d; j++) {
        if (!out->has_intercept) out->mean[j] = 0;
        /* What rounding leaves of a constant column is no variance. */
        double square = out->scale[j], variance = square - out->mean[j] * out->mean[j];
        if (!(variance > 1e-12 * square)) variance = 0;
        double size = (curvature * total * variance + l2) / (curvature * total);
        out->scale[j] = size > 0 && isfinite(size) ? sqrt(size) : 1;
        if (!isfinite(out->mean[j])) out->mean[j] = 0; /* the objective names the value */
    }
out:
    if (st != SMR_OK) smr_linear_frame_close(out);
    return st;
}

void smr_linear_frame_close(smr_linear_frame *f)
{
    smr_free(f->mean);
    smr_free(f->scale);
    smr_free(f->w);
    *f = (smr_linear_frame){0};
}
