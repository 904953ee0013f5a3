/* class_within.c -- see class_within.h. */
#include "learn/bayes/class_within.h"

#include "core/ctx.h"
#include "core/mem.h"
#include "core/try.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

smr_status smr_class_sample_take(smr_ctx *ctx, const smr_data *data, int64_t most,
                                 smr_class_sample *out)
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    int64_t n = 0, kept = 0, d = data->n_features;
    double total = 0;
    for (int64_t i = 0; i < data->n_rows; i++) {
        n += smr_data_weight(data, i) > 0;
        total += smr_data_weight(data, i);
    }
    *out = (smr_class_sample){.d = d, .unit = n > 0 ? smr_fmin(1, total / (double)n) : 1};
    out->rows = total / out->unit;
    most = SMR_MIN(n, most);
    TRY_NEW(out->x, most * d);
    TRY_NEW(out->label, most);
    TRY_NEW(out->weight, most);
    TRY(smr_reader_open(ctx, data, SMR_FORM_F64, 1, &reader));
    for (int64_t i = 0; i < data->n_rows && out->n < most; i++) {
        smr_rows row;
        if (smr_data_weight(data, i) == 0) continue;
        if (kept++ < (int64_t)((double)out->n * (double)n / (double)most)) continue;
        TRY(smr_reader_rows(ctx, reader, i, i + 1, &row));
        memcpy(out->x + out->n * d, row.x, (size_t)d * sizeof *out->x);
        out->weight[out->n] = smr_data_weight(data, i);
        out->label[out->n++] = data->label[i];
    }
out:
    smr_reader_close(reader);
    return st;
}

void smr_class_sample_release(smr_class_sample *s)
{
    smr_free(s->x);
    smr_free(s->label);
    smr_free(s->weight);
    *s = (smr_class_sample){0};
}

/* Variance of column j between the classes. */
static double between(const smr_class_means *of, int64_t j)
{
    double total = 0, mean = 0, square = 0;
    for (int64_t k = 0; k < of->n_classes; k++) total += of->weight[k];
    for (int64_t k = 0; k < of->n_classes; k++)
        mean += of->weight[k] / total * of->mean[k * of->d + j];
    for (int64_t k = 0; k < of->n_classes; k++) {
        double off = of->weight[k] > 0 ? of->mean[k * of->d + j] - mean : 0;
        square += of->weight[k] / total * off * off;
    }
    return square;
}

void smr_within_floor(const smr_class_means *of, double *var, int64_t step)
{
    for (int64_t j = 0; j < of->d; j++) {
        double *at = &var[j * step];
        *at = smr_fmax(*at, SMR_WITHIN_FLOOR * (*at + between(of, j)));
    }
}

double smr_within_spread(const smr_class_means *of)
{
    double sum = 0;
    for (int64_t j = 0; j < of->d; j++) sum += between(of, j);
    return sum / (double)of->d;
}

smr_status smr_within_amount(smr_ctx *ctx, const smr_class_means *of, const smr_class_sample *rows,
                             const double *S, double divisor, double *amount)
{
    smr_status st = SMR_OK;
    double *scale = NULL, fourth = 0, weight = 0, square = 0, n = 0, total = 0;
    int64_t d = of->d;
    *amount = 1;
    for (int64_t k = 0; k < of->n_classes; k++) total += of->weight[k];
    TRY_NEW(scale, d);
    for (int64_t j = 0; j < d; j++) {
        scale[j] = S[j * d + j] > 0 ? 1 / sqrt(S[j * d + j]) : 0;
        n += scale[j] > 0;
    }
    if (n == 0) goto out;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) {
            double r = S[i * d + j] * scale[i] * scale[j];
            square += r * r;
        }
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = rows->x + i * d, *mean = of->mean + rows->label[i] * d;
        double q = 0;
        for (int64_t j = 0; j < d; j++) {
            double z = (x[j] - mean[j]) * scale[j];
            q += z * z;
        }
        fourth += rows->weight[i] * q * q;
        weight += rows->weight[i];
    }
    fourth *= total * total / divisor / divisor; /* z is in deviations of maximum likelihood */
    double delta = (square - n) / n, b = (fourth / weight - square) / (n * rows->rows);
    *amount = b <= 0 ? 0 : delta > 0 ? smr_fmin(1, b / delta) : 1;
    *amount = smr_fmax(*amount, SMR_WITHIN_LEAST);
out:
    smr_free(scale);
    return st;
}

void smr_within_shrink(int64_t d, double amount, double *S)
{
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++)
            if (i != j) S[i * d + j] *= 1 - amount;
}
