/* held_rows.c -- rows that are read where they lie, and the checks of all; see held_rows.h. */
#include "learn/linear/held_rows.h"

#include "learn/linear/affine.h"

#include <math.h>

/* ---- blocks, by all threads ------------------------------------------------------------- */

smr_status smr_held_open(smr_ctx *ctx, const smr_data *data, smr_form form, int64_t most,
                         smr_held_rows *out)
{
    smr_status st = SMR_OK;
    *out = (smr_held_rows){.given = data, .data = *data};
    out->data.refuse_missing = false;
    out->data.spend = NULL; /* rows are read again */
    TRY_NEW(out->readers, smr_lanes(ctx));
    for (; out->n_lanes < smr_lanes(ctx); out->n_lanes++)
        TRY(smr_reader_open(ctx, &out->data, form, most, &out->readers[out->n_lanes]));
out:
    if (st != SMR_OK) smr_held_close(out);
    return st;
}

void smr_held_close(smr_held_rows *held)
{
    for (int i = 0; i < held->n_lanes; i++) smr_reader_close(held->readers[i]);
    smr_free(held->readers);
    smr_free(held->mean);
    smr_subset_release(&held->subset);
    smr_keep_release(&held->kept);
    *held = (smr_held_rows){0};
}

/* The reader of the rows as given names a missing value itself; an infinite one is named here. */
static smr_status explain_block(smr_ctx *ctx, void *arg, const smr_rows *rows,
                                const smr_truths *truths)
{
    const smr_data *data = arg;
    (void)truths;
    for (int64_t i = 0; i < rows->n; i++) {
        bool sparse = rows->form == SMR_FORM_SPARSE;
        int64_t from = sparse ? rows->start[i] : 0, to = sparse ? rows->start[i + 1] : rows->d;
        int64_t row = rows->first + i;
        const double *x = sparse ? rows->value : (const double *)rows->x + i * rows->stride;
        for (int64_t e = from; e < to; e++) {
            char name[32];
            if (isfinite(x[e])) continue;
            return smr_fail(ctx, SMR_ERR_DATA, "row %lld, column '%s': the value is not finite",
                            (long long)(data->rows ? data->rows[row] : row) + 1,
                            smr_affine_name(data->features, sparse ? rows->column[e] : e, name));
        }
    }
    return SMR_OK;
}

smr_status smr_held_explain(smr_ctx *ctx, const smr_held_rows *held)
{
    smr_data data = *held->given;
    return smr_held_walk(ctx, &data, smr_held_form(&data), NULL, data.n_rows, explain_block, &data);
}

/* ---- a source --------------------------------------------------------------------------- */

static smr_status give_rows(smr_ctx *ctx, void *arg, int lane, int64_t lo, int64_t hi,
                            const double **x, int64_t *stride)
{
    smr_rows block;
    smr_status st = smr_held_block(ctx, arg, lane, lo, hi, &block);
    if (st != SMR_OK) return st;
    *x = block.x;
    *stride = block.stride;
    return SMR_OK;
}

static smr_status explain(smr_ctx *ctx, void *arg)
{
    return smr_held_explain(ctx, arg);
}

smr_row_source smr_held_as_source(smr_held_rows *held, const smr_data *data)
{
    return (smr_row_source){.n_rows = data->n_rows,
                            .n_cols = data->n_features,
                            .weight = data->weight,
                            .rows = give_rows,
                            .explain = explain,
                            .arg = held};
}

smr_status smr_held_source(smr_ctx *ctx, const char *learner, const smr_data *data,
                           smr_held_rows *out)
{
    smr_status st = SMR_OK;
    *out = (smr_held_rows){0};
    TRY(smr_held_check_targets(ctx, learner, data));
    TRY(smr_held_open(ctx, data, SMR_FORM_F64, SMR_ROWS_BLOCK, out));
    out->source = smr_held_as_source(out, data);
    out->source.n_outputs = data->n_outputs;
    out->source.y = data->y;
out:
    return st;
}

/* ---- checks ----------------------------------------------------------------------------- */

smr_status smr_held_check_weights(smr_ctx *ctx, const char *learner, int64_t first, int64_t n,
                                  const double *weight, double *total)
{
    double sum = weight ? 0 : (double)n;
    for (int64_t i = 0; i < n && weight; i++) {
        if (!(weight[i] >= 0 && isfinite(weight[i])))
            return smr_fail(ctx, SMR_ERR_DATA,
                            "%s: the weight of row %lld is not a finite number >= 0", learner,
                            (long long)(first + i) + 1);
        sum += weight[i];
    }
    if (total) *total = sum;
    return SMR_OK;
}

smr_status smr_held_check_targets(smr_ctx *ctx, const char *learner, const smr_data *data)
{
    if (data->n_rows < 1) return smr_fail(ctx, SMR_ERR_DATA, "%s: no rows to fit", learner);
    if (data->n_outputs < 1 || !data->y)
        return smr_fail(ctx, SMR_ERR_DATA, "%s: a numeric target is needed", learner);
    for (int64_t i = 0; i < data->n_rows * data->n_outputs; i++)
        if (!isfinite(data->y[i]))
            return smr_fail(ctx, SMR_ERR_DATA, "%s: the target of row %lld is not finite", learner,
                            (long long)(i / data->n_outputs) + 1);
    return smr_held_check_weights(ctx, learner, 0, data->n_rows, data->weight, NULL);
}

/* ---- row by row ------------------------------------------------------------------------- */

smr_status smr_held_walk(smr_ctx *ctx, const smr_data *data, smr_form form, const int64_t *order,
                         int64_t n, smr_held_fn each, void *arg)
{
    smr_status st = SMR_OK;
    smr_subset subset = {0};
    smr_reader *reader = NULL;
    TRY(smr_subset_make(ctx, data, order, n, NULL, &subset));
    const smr_data *d = &subset.data;
    subset.data.spend = NULL;
    TRY(smr_reader_open(ctx, d, form, SMR_ROWS_BLOCK, &reader));
    for (int64_t lo = 0; lo < n; lo += SMR_ROWS_BLOCK) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(n, lo + SMR_ROWS_BLOCK), &rows));
        smr_truths truths = smr_truths_at(d, lo);
        TRY(each(ctx, arg, &rows, &truths));
        TRY(smr_tick(ctx, NULL, lo, n, NAN));
    }
out:
    smr_reader_close(reader);
    smr_subset_release(&subset);
    return st;
}
