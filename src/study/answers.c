/* answers.c -- see answers.h. */
#include "study/answers.h"

#include "study/judge.h"

#include <math.h>
#include <string.h>

static smr_status make_room(smr_ctx *ctx, const smr_model *m, const smr_sample *sample, int64_t n,
                            smr_answers *a)
{
    smr_status st = SMR_OK;
    bool classify = smr_judge_of(m->target.task)->as == SMR_JUDGED_AS_CLASSES;
    bool proba = smr_model_gives(m) & 1u << SMR_OUTPUT_PROBA;
    a->output = !classify ? SMR_OUTPUT_VALUE : proba ? SMR_OUTPUT_PROBA : SMR_OUTPUT_DECISION;
    a->width = smr_model_width(m, a->output);
    TRY_NEW(a->rows, n + 1);
    if (classify) TRY_NEW(a->label, n + 1);
    if (!classify) TRY_NEW(a->y, n * m->target.n + 1);
    if (sample->weight) TRY_NEW(a->weight, n + 1);
out:
    return st;
}

/* Keeps row i if its answer is known. */
static void take_row(const smr_model *m, const smr_sample *sample, const int32_t *labels,
                     const double *values, int64_t i, smr_answers *a)
{
    int64_t t = m->target.n;
    bool there = labels ? labels[i] >= 0 : true;
    for (int64_t j = 0; values && j < t; j++) there &= !isnan(values[i * t + j]);
    if (!there) return;
    if (labels) a->label[a->n] = labels[i];
    if (values) memcpy(a->y + a->n * t, values + i * t, (size_t)t * sizeof *values);
    if (sample->weight) a->weight[a->n] = sample->weight[i];
    a->rows[a->n++] = i;
}

smr_status smr_answers_collect(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                               smr_answers *a)
{
    const smr_table *table = sample->table;
    int64_t n = sample->rows ? sample->n_rows : table->n_rows;
    smr_status st = SMR_OK;
    int32_t *labels = NULL;
    double *values = NULL;
    *a = (smr_answers){0};
    smr_judged_as as = smr_judge_of(m->target.task)->as;
    if (as == SMR_JUDGED_NOT || (as == SMR_JUDGED_AS_NUMBERS && !m->target.n))
        return smr_fail(ctx, SMR_ERR_STATE, "this model predicts nothing that could be measured");
    if (as == SMR_JUDGED_AS_FOUND)
        TRY(smr_judge_supervised(ctx, &m->target, "this comparison with answers"));
    a->positive = m->target.positive;
    TRY(make_room(ctx, m, sample, n, a));
    if (a->label) {
        TRY_NEW(labels, table->n_rows + 1);
        TRY(smr_target_labels(ctx, &m->target, table, labels));
    } else {
        TRY_NEW(values, table->n_rows * m->target.n + 1);
        TRY(smr_target_values(ctx, &m->target, table, values));
    }
    for (int64_t k = 0; k < n; k++)
        take_row(m, sample, labels, values, sample->rows ? sample->rows[k] : k, a);
    if (a->n == 0)
        st = smr_fail(ctx, SMR_ERR_DATA,
                      "no row of %s has a value of the target '%s' to compare with",
                      table->source ? table->source : "the table", m->target.names[0]);
out:
    smr_free(labels);
    smr_free(values);
    return st;
}

void smr_answers_release(smr_answers *a)
{
    smr_free(a->rows);
    smr_free(a->label);
    smr_free(a->y);
    smr_free(a->weight);
    *a = (smr_answers){0};
}

smr_classify_input smr_answers_classify(const smr_model *m, const smr_answers *a,
                                        const double *predicted)
{
    bool proba = a->output == SMR_OUTPUT_PROBA;
    return (smr_classify_input){.n = a->n,
                                .n_classes = m->target.classes.n,
                                .label = a->label,
                                .proba = proba ? predicted : NULL,
                                .decision = proba ? NULL : predicted,
                                .weight = a->weight,
                                .positive = a->positive,
                                .class_names = &m->target.classes};
}

smr_regress_input smr_answers_regress(const smr_model *m, const smr_answers *a,
                                      const double *predicted)
{
    return (smr_regress_input){.n = a->n,
                               .n_outputs = m->target.n,
                               .y = a->y,
                               .predicted = predicted,
                               .weight = a->weight,
                               .output_names = (const char *const *)m->target.names};
}

/* Classes by the model's own threshold, where it has one; the largest score decides otherwise. */
static smr_status measure_classes(smr_ctx *ctx, const smr_model *m, const smr_answers *a,
                                  const double *scores, const smr_measure *const *list, int64_t n,
                                  double *out)
{
    smr_status st = SMR_OK;
    smr_classify_input in = smr_answers_classify(m, a, scores);
    int32_t *predicted = NULL;
    if (m->target.has_threshold) {
        TRY_NEW(predicted, a->n);
        for (int64_t i = 0; i < a->n; i++)
            predicted[i] = (int32_t)smr_target_label(&m->target, scores + i * a->width);
        in.predicted = predicted;
    }
    TRY(smr_measures_classify(ctx, list, n, &in, out));
out:
    smr_free(predicted);
    return st;
}

smr_status smr_answers_measure(smr_ctx *ctx, const smr_model *m, const smr_answers *a,
                               const double *predicted, const smr_measure *const *list, int64_t n,
                               double *out)
{
    smr_regress_input numbers = smr_answers_regress(m, a, predicted);
    if (a->label) return measure_classes(ctx, m, a, predicted, list, n, out);
    return smr_measures_regress(ctx, list, n, &numbers, out);
}
