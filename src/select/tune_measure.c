/* tune_measure.c -- see tune_measure.h. */
#include "select/tune_measure.h"

#include "select/cv_measure.h"

#include <math.h>
#include <string.h>

/* The rows that have an answer, with answers and weights in their order. */
struct answers {
    int64_t *rows, n;
    int32_t *label;
    double *y, *weight;
};

static smr_status collect(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                          struct answers *a)
{
    const smr_table *table = sample->table;
    int64_t n = sample->rows ? sample->n_rows : table->n_rows, t = m->target.n;
    bool classify = m->target.task == SMR_TASK_CLASSIFY;
    smr_status st = SMR_OK;
    int32_t *labels = NULL;
    double *values = NULL;
    TRY_NEW(a->rows, n + 1);
    TRY_NEW(a->label, n + 1);
    TRY_NEW(a->y, n * t + 1);
    TRY_NEW(a->weight, n + 1);
    if (classify) TRY_NEW(labels, table->n_rows);
    if (!classify) TRY_NEW(values, table->n_rows * t);
    TRY(classify ? smr_target_labels(ctx, &m->target, table, labels)
                 : smr_target_values(ctx, &m->target, table, values));
    for (int64_t k = 0; k < n; k++) {
        int64_t i = sample->rows ? sample->rows[k] : k;
        bool there = !classify || labels[i] >= 0;
        for (int64_t j = 0; !classify && j < t; j++) there &= !isnan(values[i * t + j]);
        if (!there) continue;
        a->rows[a->n] = i;
        if (classify)
            a->label[a->n] = labels[i];
        else
            memcpy(a->y + a->n * t, values + i * t, (size_t)t * sizeof *values);
        a->weight[a->n++] = sample->weight ? sample->weight[i] : 1;
    }
out:
    smr_free(labels);
    smr_free(values);
    return st;
}

static smr_status compute(smr_ctx *ctx, const smr_model *m, const struct answers *a,
                          smr_output output, const double *predicted, const smr_measure *measure,
                          double *out)
{
    if (m->target.task == SMR_TASK_CLASSIFY) {
        smr_classify_input in = {.n = a->n,
                                 .n_classes = m->target.classes.n,
                                 .label = a->label,
                                 .proba = output == SMR_OUTPUT_PROBA ? predicted : NULL,
                                 .decision = output == SMR_OUTPUT_PROBA ? NULL : predicted,
                                 .weight = a->weight,
                                 .positive = m->target.positive};
        return smr_measure_classify(ctx, measure, &in, out);
    }
    smr_regress_input in = {.n = a->n,
                            .n_outputs = m->target.n,
                            .y = a->y,
                            .predicted = predicted,
                            .weight = a->weight};
    return smr_measure_regress(ctx, measure, &in, out);
}

smr_status smr_measure_sample(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                              const smr_measure *measure, double *out, int64_t *n_used)
{
    smr_status st = SMR_OK;
    struct answers a = {0};
    smr_output output = SMR_OUTPUT_VALUE;
    double *predicted = NULL;
    *out = NAN;
    TRY(smr_predicted_output(ctx, m, &output));
    TRY(collect(ctx, m, sample, &a));
    if (n_used) *n_used = a.n;
    if (a.n == 0) goto out;
    int64_t width = m->target.task == SMR_TASK_CLASSIFY ? m->target.classes.n : m->target.n;
    predicted = smr_alloc_raw(ctx, a.n * width, sizeof *predicted);
    if (!predicted) {
        st = SMR_ERR_NOMEM;
        goto out;
    }
    TRY(smr_model_apply(ctx, m, sample->table, a.rows, a.n, output, predicted));
    TRY(compute(ctx, m, &a, output, predicted, measure, out));
out:
    smr_free(predicted);
    smr_free(a.rows);
    smr_free(a.label);
    smr_free(a.y);
    smr_free(a.weight);
    return st;
}
