/* centred.c -- see centred.h. */
#include "learn/linear/centred.h"

#include "kernel/kernel.h"

#include <string.h>

enum { BLOCK = 256 };

static smr_status copy_rows(smr_ctx *ctx, const smr_data *data, double *X)
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    int64_t n = data->n_rows, d = data->n_features;
    TRY(smr_reader_open(ctx, data, SMR_FORM_F64, BLOCK, &reader));
    for (int64_t lo = 0; lo < n; lo += BLOCK) {
        smr_rows b;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(n, lo + BLOCK), &b));
        for (int64_t i = 0; i < b.n; i++)
            memcpy(X + (lo + i) * d, (const double *)b.x + i * b.stride, (size_t)d * sizeof *X);
    }
out:
    smr_reader_close(reader);
    return st;
}

/* Of values that are nearly the same the running mean is exact to rounding. */
static void centre(smr_centred *c)
{
    for (int64_t i = 0; i < c->n; i++)
        for (int64_t j = 0; j < c->d; j++)
            c->mean[j] += (c->X[i * c->d + j] - c->mean[j]) / (double)(i + 1);
    for (int64_t i = 0; i < c->n; i++)
        for (int64_t j = 0; j < c->d; j++) c->X[i * c->d + j] -= c->mean[j];
}

static void describe(const smr_data *data, smr_centred *c)
{
    for (int64_t j = 0; j < c->d; j++) {
        const char *name = data->features ? data->features[j].name : NULL;
        c->features[j] =
            (smr_feature){.name = name, .kind = SMR_NUMBER, .values = c->X + j, .stride = c->d};
    }
    c->data = *data;
    c->data.features = c->features;
    c->data.source = NULL;
    c->data.sparse = NULL;
    c->data.shared = NULL;
    c->data.rows = NULL;
    c->data.gaps_in_numbers = c->data.gaps_in_categories = false;
}

smr_status smr_centred_open(smr_ctx *ctx, const smr_data *data, smr_centred *out)
{
    smr_status st = SMR_OK;
    smr_centred c = {.n = data->n_rows, .d = data->n_features};
    TRY_NEW(c.X, c.n * c.d + 1);
    TRY_NEW(c.mean, c.d + 1);
    TRY_NEW(c.features, c.d + 1);
    TRY(copy_rows(ctx, data, c.X));
    centre(&c);
    describe(data, &c);
    *out = c;
    c = (smr_centred){0};
out:
    smr_centred_close(&c);
    return st;
}

void smr_centred_close(smr_centred *c)
{
    smr_free(c->X);
    smr_free(c->mean);
    smr_free(c->features);
    *c = (smr_centred){0};
}

void smr_centred_leave(const smr_centred *c, int64_t k, const double *w, const double *from,
                       double *intercept)
{
    for (int64_t s = 0; s < k; s++)
        intercept[s] = from[s] - smr_dot_f64(c->d, w + s * c->d, c->mean);
}

void smr_centred_enter(const smr_centred *c, int64_t k, const double *w, const double *intercept,
                       double *to)
{
    for (int64_t s = 0; s < k; s++) to[s] = intercept[s] + smr_dot_f64(c->d, w + s * c->d, c->mean);
}
