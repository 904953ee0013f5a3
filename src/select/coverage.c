/* coverage.c -- see coverage.h. */
#include "select/coverage.h"

#include "learn/params.h"

#include <math.h>

double smr_model_coverage(const smr_model *m)
{
    const smr_stage *last = smr_model_last(m);
    const smr_param *p = smr_param_find(last->learner, "coverage");
    if (!p || p->type != SMR_PARAM_REAL) return NAN;
    return *(const double *)(const void *)((const char *)last->params + p->offset);
}

smr_status smr_evaluate_coverage(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                                 const smr_answers *a, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_output output = a->label ? SMR_OUTPUT_SET : SMR_OUTPUT_INTERVAL;
    double *answers = NULL;
    if (!(smr_model_gives(m) & 1u << output)) return SMR_OK;
    TRY_NEW(answers, a->n * smr_model_width(m, output));
    TRY(smr_model_apply(ctx, m, table, a->rows, a->n, output, answers));
    if (a->label) {
        smr_set_input sets = {.n = a->n,
                              .n_classes = m->target.classes.n,
                              .label = a->label,
                              .set = answers,
                              .weight = a->weight,
                              .promised = smr_model_coverage(m)};
        smr_metric_sets(&sets, into);
    } else {
        smr_interval_input intervals = {.n = a->n,
                                        .n_outputs = m->target.n,
                                        .y = a->y,
                                        .interval = answers,
                                        .weight = a->weight,
                                        .promised = smr_model_coverage(m)};
        smr_metric_intervals(&intervals, into);
    }
out:
    smr_free(answers);
    return st;
}
