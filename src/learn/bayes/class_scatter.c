/* class_scatter.c -- see class_scatter.h. */
#include "learn/bayes/class_scatter.h"

#include "learn/linear/held_rows.h"
#include "math/gram.h"

#include <math.h>
#include <stdio.h>

static smr_status sort_by_class(smr_ctx *ctx, smr_class_scatter *c)
{
    smr_status st = SMR_OK;
    const smr_data *data = c->data;
    int64_t *next = NULL, n = data->n_classes;
    TRY_NEW(c->order, data->n_rows);
    TRY_NEW(c->begin, n + 1);
    TRY_NEW(c->weight, n);
    TRY_NEW(c->n_rows, n);
    TRY_NEW(next, n + 1);
    for (int64_t i = 0; i < data->n_rows; i++) {
        int32_t k = data->label[i];
        double w = smr_data_weight(data, i);
        c->begin[k + 1]++;
        c->weight[k] += w;
        c->n_rows[k] += w > 0;
    }
    for (int64_t k = 0; k < n; k++) next[k + 1] = c->begin[k + 1] += c->begin[k];
    for (int64_t i = 0; i < data->n_rows; i++) c->order[next[data->label[i]]++] = i;
out:
    smr_free(next);
    return st;
}

smr_status smr_class_scatter_open(smr_ctx *ctx, const char *learner, const smr_data *data,
                                  smr_class_scatter *out)
{
    smr_status st = SMR_OK;
    double total;
    *out = (smr_class_scatter){.learner = learner, .data = data};
    if (data->n_rows < 1) TRY(smr_fail(ctx, SMR_ERR_DATA, "%s: no rows to fit", learner));
    if (!data->label)
        TRY(smr_fail(ctx, SMR_ERR_DATA, "%s: classes are needed as the target", learner));
    TRY(smr_held_check_weights(ctx, learner, 0, data->n_rows, data->weight, &total));
    if (total == 0)
        TRY(smr_fail(ctx, SMR_ERR_DATA, "%s: all weights are 0: no row counts", learner));
    TRY(sort_by_class(ctx, out));
out:
    return st;
}

void smr_class_scatter_close(smr_class_scatter *c)
{
    smr_free(c->order);
    smr_free(c->begin);
    smr_free(c->weight);
    smr_free(c->n_rows);
}

smr_status smr_class_scatter_find(smr_ctx *ctx, const smr_class_scatter *c, int64_t k, double *mean,
                                  double *scatter)
{
    smr_status st = SMR_OK;
    smr_subset rows = {0};
    smr_held_rows held = {0};
    smr_gram gram = {0};
    int64_t d = c->data->n_features;
    TRY(smr_subset_make(ctx, c->data, c->order + c->begin[k], c->begin[k + 1] - c->begin[k], NULL,
                        &rows));
    rows.data.spend = NULL;
    TRY(smr_held_open(ctx, &rows.data, SMR_FORM_F64, SMR_ROWS_BLOCK, &held));
    smr_row_source source = smr_held_as_source(&held, &rows.data);
    TRY(smr_gram_compute(ctx, &source, true, &gram));
    for (int64_t i = 0; i < d; i++) {
        mean[i] = gram.mean[i];
        for (int64_t j = 0; j < d; j++)
            scatter[i * d + j] = gram.gram[i * d + j] / gram.scale[i] / gram.scale[j];
    }
out:
    smr_gram_release(&gram);
    smr_held_close(&held);
    smr_subset_release(&rows);
    return st;
}
