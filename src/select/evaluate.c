/* evaluate.c -- see evaluate.h. */
#include "select/evaluate.h"

#include "metric/metric.h"

#include <math.h>
#include <string.h>

/* The rows that have an answer, with answers and weights in their order. */
struct answers {
    int64_t *rows, n;
    int32_t *label;
    double *y;
    double *weight;
};

static smr_status collect_answers(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                                  struct answers *a)
{
    const smr_table *table = sample->table;
    int64_t n = sample->rows ? sample->n_rows : table->n_rows, t = m->target.n;
    smr_status st = SMR_OK;
    int32_t *labels = NULL;
    double *values = NULL;
    TRY_NEW(a->rows, n + 1);
    TRY_NEW(a->label, n + 1);
    TRY_NEW(a->y, n * t + 1);
    TRY_NEW(a->weight, n + 1);
    TRY_NEW(labels, table->n_rows);
    TRY_NEW(values, table->n_rows * t);
    bool classify = m->target.task == SMR_TASK_CLASSIFY;
    TRY(classify ? smr_target_labels(ctx, &m->target, table, labels)
                 : smr_target_values(ctx, &m->target, table, values));
    for (int64_t k = 0; k < n; k++) {
        int64_t i = sample->rows ? sample->rows[k] : k;
        bool there = classify ? labels[i] >= 0 : true;
        for (int64_t j = 0; !classify && j < t; j++) there &= !isnan(values[i * t + j]);
        if (!there) continue;
        a->rows[a->n] = i;
        a->label[a->n] = labels[i];
        memcpy(a->y + a->n * t, values + i * t, (size_t)t * sizeof *values);
        a->weight[a->n++] = sample->weight ? sample->weight[i] : 1;
    }
    if (a->n == 0)
        st = smr_fail(ctx, SMR_ERR_DATA,
                      "no row of %s has a value of the target '%s' to compare with",
                      table->source ? table->source : "the table", m->target.names[0]);
out:
    smr_free(labels);
    smr_free(values);
    return st;
}

static smr_status classify(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                           const struct answers *a, smr_json *into, double *seconds)
{
    smr_status st = SMR_OK;
    bool proba = smr_model_gives(m) & 1u << SMR_OUTPUT_PROBA;
    smr_output output = proba ? SMR_OUTPUT_PROBA : SMR_OUTPUT_DECISION;
    double *scores = NULL, began = smr_now();
    scores = smr_alloc_raw(ctx, a->n * m->target.classes.n, sizeof *scores);
    if (!scores) return SMR_ERR_NOMEM;
    TRY(smr_model_apply(ctx, m, sample->table, a->rows, a->n, output, scores));
    *seconds = smr_now() - began;
    smr_classify_input in = {.n = a->n,
                             .n_classes = m->target.classes.n,
                             .label = a->label,
                             .proba = proba ? scores : NULL,
                             .decision = proba ? NULL : scores,
                             .weight = sample->weight ? a->weight : NULL,
                             .positive = m->target.positive,
                             .class_names = &m->target.classes};
    TRY(smr_metric_classify(ctx, &in, into));
out:
    smr_free(scores);
    return st;
}

static smr_status regress(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                          const struct answers *a, smr_json *into, double *seconds)
{
    smr_status st = SMR_OK;
    double *predicted = NULL, began = smr_now();
    predicted = smr_alloc_raw(ctx, a->n * m->target.n, sizeof *predicted);
    if (!predicted) return SMR_ERR_NOMEM;
    TRY(smr_model_apply(ctx, m, sample->table, a->rows, a->n, SMR_OUTPUT_VALUE, predicted));
    *seconds = smr_now() - began;
    smr_regress_input in = {.n = a->n,
                            .n_outputs = m->target.n,
                            .y = a->y,
                            .predicted = predicted,
                            .weight = sample->weight ? a->weight : NULL,
                            .output_names = (const char *const *)m->target.names};
    TRY(smr_metric_regress(ctx, &in, into));
out:
    smr_free(predicted);
    return st;
}

smr_status smr_evaluate_sample(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                               smr_json *into, double *seconds, int64_t *n_used)
{
    smr_status st = SMR_OK;
    struct answers a = {0};
    double took = 0;
    if (m->target.task == SMR_TASK_NONE)
        return smr_fail(ctx, SMR_ERR_STATE, "this model predicts nothing that could be measured");
    TRY(collect_answers(ctx, m, sample, &a));
    TRY(m->target.task == SMR_TASK_CLASSIFY ? classify(ctx, m, sample, &a, into, &took)
                                            : regress(ctx, m, sample, &a, into, &took));
    if (seconds) *seconds = took;
    if (n_used) *n_used = a.n;
out:
    smr_free(a.rows);
    smr_free(a.label);
    smr_free(a.y);
    smr_free(a.weight);
    return st;
}
