/* computed.h -- data that a plain function computes from others, for tests of readers. */
#ifndef TESTS_COMPUTED_H
#define TESTS_COMPUTED_H

#include "core/mem.h"
#include "core/try.h"
#include "data/data.h"

/* out: in->n x n_features doubles. */
typedef smr_status (*computed_fn)(smr_ctx *ctx, const smr_rows *in, double *out);

struct computed {
    computed_fn fn;
};

struct computed_work {
    computed_fn fn;
    int64_t d;
    double *out;
};

static void close_computed(void *work_)
{
    struct computed_work *work = work_;
    if (work) smr_free(work->out);
    smr_free(work);
}

static smr_status open_computed(smr_ctx *ctx, const smr_data *data, int64_t max_rows, void **out)
{
    smr_status st = SMR_OK;
    struct computed_work *work = NULL;
    TRY_NEW(work, 1);
    work->fn = ((const struct computed *)(const void *)data->stages)->fn;
    work->d = data->n_features;
    TRY_NEW(work->out, max_rows * work->d);
    *out = work;
    work = NULL;
out:
    close_computed(work);
    return st;
}

static smr_status compute_rows(smr_ctx *ctx, void *work_, smr_rows *rows)
{
    struct computed_work *work = work_;
    smr_status st = work->fn(ctx, rows, work->out);
    rows->form = SMR_FORM_F64;
    rows->x = work->out;
    rows->d = rows->stride = work->d;
    return st;
}

static const smr_computing by_function = {open_computed, compute_rows, close_computed};

/* Makes `data` what the function gives for `source`, whose rows it takes in `form`. */
static void compute_data(smr_data *data, const smr_data *source, const struct computed *fn,
                         smr_form form)
{
    data->source = source;
    data->stages = (const struct smr_stage *)(const void *)fn;
    data->n_stages = 1;
    data->by = &by_function;
    data->source_form = form;
    data->computed_form = SMR_FORM_F64;
}

#endif
