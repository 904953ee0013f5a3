/* cv_measure.c -- see cv_measure.h. */
#include "study/cv_measure.h"

#include "study/judge.h"

#include <string.h>

smr_status smr_predicted_output(smr_ctx *ctx, const smr_model *model, smr_output *out)
{
    static const smr_output wanted[] = {SMR_OUTPUT_PROBA, SMR_OUTPUT_DECISION, SMR_OUTPUT_VALUE};
    unsigned gives = smr_model_gives(model);
    for (int64_t i = 0; i < SMR_COUNT(wanted); i++)
        if (gives & 1u << wanted[i]) {
            *out = wanted[i];
            return SMR_OK;
        }
    return smr_fail(ctx, SMR_ERR_UNSUPPORTED, "%s predicts nothing that could be measured",
                    smr_model_last(model)->learner->word->name);
}

smr_status smr_found_measure(smr_ctx *ctx, const smr_model *model, const smr_train_set *set,
                             const smr_predicted *p, const smr_measure *const *list, int64_t n,
                             double *out, double *seconds)
{
    smr_found found = {0};
    smr_status st =
        smr_found_make(ctx, model, set->table, p->rows, p->n, set->label, set->weight, &found);
    if (seconds) *seconds = found.seconds;
    if (st == SMR_OK) st = smr_measures_found(ctx, list, n, &found.in, out);
    smr_found_release(&found);
    return st;
}

/* The answers and weights of the rows, in their order. */
struct truth {
    int32_t *label;
    double *y, *weight;
};

static smr_status gather(smr_ctx *ctx, const smr_train_set *set, const smr_predicted *p,
                         struct truth *t)
{
    int64_t m = set->target.n;
    smr_status st = SMR_OK;
    if (set->label) {
        TRY_NEW(t->label, p->n);
        for (int64_t i = 0; i < p->n; i++) t->label[i] = set->label[p->rows[i]];
    }
    if (set->y) {
        TRY_NEW(t->y, p->n * m);
        for (int64_t i = 0; i < p->n; i++)
            memcpy(t->y + i * m, set->y + p->rows[i] * m, (size_t)m * sizeof *t->y);
    }
    if (set->weight) {
        TRY_NEW(t->weight, p->n);
        for (int64_t i = 0; i < p->n; i++) t->weight[i] = set->weight[p->rows[i]];
    }
out:
    return st;
}

smr_status smr_predicted_measure(smr_ctx *ctx, const smr_train_set *set, const smr_predicted *p,
                                 const smr_measure *const *list, int64_t n, double *out)
{
    smr_status st = SMR_OK;
    struct truth t = {0};
    TRY(gather(ctx, set, p, &t));
    if (smr_judge_of(set->target.task)->as == SMR_JUDGED_AS_CLASSES) {
        smr_classify_input in = {.n = p->n,
                                 .n_classes = set->target.classes.n,
                                 .label = t.label,
                                 .proba = p->output == SMR_OUTPUT_PROBA ? p->value : NULL,
                                 .decision = p->output == SMR_OUTPUT_DECISION ? p->value : NULL,
                                 .weight = t.weight,
                                 .positive = set->target.positive,
                                 .class_names = &set->target.classes};
        TRY(smr_measures_classify(ctx, list, n, &in, out));
    } else {
        smr_regress_input in = {.n = p->n,
                                .n_outputs = set->target.n,
                                .y = t.y,
                                .predicted = p->value,
                                .weight = t.weight};
        TRY(smr_measures_regress(ctx, list, n, &in, out));
    }
out:
    smr_free(t.label);
    smr_free(t.y);
    smr_free(t.weight);
    return st;
}
