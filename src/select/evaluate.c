/* evaluate.c -- see evaluate.h. */
#include "select/evaluate.h"

#include "select/answers.h"

smr_status smr_evaluate_sample(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                               smr_json *into, double *seconds, int64_t *n_used)
{
    smr_status st = SMR_OK;
    smr_answers a = {0};
    double *predicted = NULL;
    TRY(smr_answers_collect(ctx, m, sample, &a));
    predicted = smr_alloc_raw(ctx, a.n * a.width, sizeof *predicted);
    if (!predicted) {
        st = SMR_ERR_NOMEM;
        goto out;
    }
    double began = smr_now();
    TRY(smr_model_apply(ctx, m, sample->table, a.rows, a.n, a.output, predicted));
    if (seconds) *seconds = smr_now() - began;
    if (n_used) *n_used = a.n;
    smr_classify_input classes = smr_answers_classify(m, &a, predicted);
    smr_regress_input numbers = smr_answers_regress(m, &a, predicted);
    TRY(a.label ? smr_metric_classify(ctx, &classes, into)
                : smr_metric_regress(ctx, &numbers, into));
out:
    smr_free(predicted);
    smr_answers_release(&a);
    return st;
}
