/* sample.c -- see sample.h. */
#include "learn/linear/sample.h"

#include "core/parallel.h"

#include <string.h>

enum { BLOCK = 256 };

struct job {
    smr_sample *to;
    smr_reader **readers; /* one a lane */
    int n_readers;
    bool *is_bad; /* by block: some value is not finite */
};

/* x - x is 0 for finite x, NaN else; the sum keeps a NaN. */
static bool all_finite(int64_t n, const double *x)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] - x[i];
    return sum == 0;
}

static smr_status copy_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct job *j = arg;
    const smr_data *from = &j->to->subset.data;
    int64_t d = from->n_features, end = smr_block_end(from->n_rows, BLOCK, task);
    double *x = j->to->x + task * BLOCK * d;
    smr_rows b;
    smr_status st = smr_reader_rows(ctx, j->readers[lane], task * BLOCK, end, &b);
    if (st != SMR_OK) return st;
    for (int64_t i = 0; i < b.n; i++)
        memcpy(x + i * d, (const double *)b.x + i * b.stride, (size_t)d * sizeof *x);
    j->is_bad[task] = !all_finite(b.n * d, x);
    return SMR_OK;
}

static smr_status copy_rows(smr_ctx *ctx, smr_sample *to, bool *is_finite)
{
    smr_status st = SMR_OK;
    smr_data from = to->subset.data;
    int64_t d = from.n_features, n = smr_block_count(from.n_rows, BLOCK);
    struct job j = {.to = to};
    from.refuse_missing = false;
    to->x = smr_alloc_raw(ctx, SMR_MAX(1, from.n_rows * d), sizeof *to->x);
    if (!to->x) TRY(SMR_ERR_NOMEM);
    TRY_NEW(j.is_bad, n);
    TRY_NEW(j.readers, smr_lanes(ctx));
    for (; j.n_readers < smr_lanes(ctx); j.n_readers++)
        TRY(smr_reader_open(ctx, &from, SMR_FORM_F64, BLOCK, &j.readers[j.n_readers]));
    TRY(smr_parallel(ctx, NULL, n, copy_block, &j));
    *is_finite = true;
    for (int64_t b = 0; b < n; b++) *is_finite &= !j.is_bad[b];
out:
    for (int i = 0; i < j.n_readers; i++) smr_reader_close(j.readers[i]);
    smr_free(j.readers);
    smr_free(j.is_bad);
    return st;
}

smr_status smr_sample_open(smr_ctx *ctx, const smr_data *data, const int64_t *rows, int64_t n,
                           smr_sample *out)
{
    smr_status st = SMR_OK;
    int64_t d = data->n_features;
    bool is_finite = false;
    *out = (smr_sample){0};
    TRY(smr_subset_make(ctx, data, rows, n, NULL, &out->subset));
    out->data = out->subset.data;
    if (smr_data_is_sparse(data)) goto out;
    TRY(copy_rows(ctx, out, &is_finite));
    if (!is_finite) goto out;
    TRY_NEW(out->features, SMR_MAX(1, d));
    for (int64_t j = 0; j < d; j++)
        out->features[j] =
            (smr_feature){.kind = SMR_NUMBER, .dtype = SMR_F64, .values = out->x + j, .stride = d};
    out->data.features = out->features;
    out->data.rows = NULL;
    out->data.source = NULL;
    out->data.gaps_in_numbers = out->data.gaps_in_categories = false;
out:
    if (st != SMR_OK) smr_sample_close(out);
    return st;
}

void smr_sample_close(smr_sample *sample)
{
    smr_subset_release(&sample->subset);
    smr_free(sample->features);
    smr_free(sample->x);
    *sample = (smr_sample){0};
}
