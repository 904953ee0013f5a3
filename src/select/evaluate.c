/* evaluate.c -- see evaluate.h. */
#include "select/evaluate.h"

#include "metric/metric.h"
#include "select/figures.h"
#include "select/warnings.h"

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

static void release_answers(struct answers *a)
{
    smr_free(a->rows);
    smr_free(a->label);
    smr_free(a->y);
    smr_free(a->weight);
}

/* ---- predictions beside answers ---------------------------------------------------------- */

/* What the metric functions read, with the memory behind it. */
struct judged {
    struct answers answers;
    double *scores; /* n x classes, or n x targets */
    int32_t *predicted;
    smr_classify_input classify;
    smr_regress_input regress;
    double seconds;
};

static void release_judged(struct judged *j)
{
    release_answers(&j->answers);
    smr_free(j->scores);
    smr_free(j->predicted);
}

/* Classes by the model's rule: the larger score, or its threshold. */
static smr_status predict_classes(smr_ctx *ctx, const smr_target *target, struct judged *j)
{
    smr_status st = SMR_OK;
    if (!j->predicted) TRY_NEW(j->predicted, j->answers.n + 1);
    for (int64_t i = 0; i < j->answers.n; i++)
        j->predicted[i] = (int32_t)smr_target_label(target, j->scores + i * target->classes.n);
    j->classify.predicted = j->predicted;
    j->classify.threshold = target->has_threshold ? &target->threshold : NULL;
out:
    return st;
}

static smr_status classify(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                           struct judged *j)
{
    smr_status st = SMR_OK;
    const struct answers *a = &j->answers;
    bool proba = smr_model_gives(m) & 1u << SMR_OUTPUT_PROBA;
    smr_output output = proba ? SMR_OUTPUT_PROBA : SMR_OUTPUT_DECISION;
    double began = smr_now();
    j->scores = smr_alloc_raw(ctx, a->n * m->target.classes.n, sizeof *j->scores);
    if (!j->scores) return SMR_ERR_NOMEM;
    TRY(smr_model_apply(ctx, m, sample->table, a->rows, a->n, output, j->scores));
    j->seconds = smr_now() - began;
    j->classify = (smr_classify_input){.n = a->n,
                                       .n_classes = m->target.classes.n,
                                       .label = a->label,
                                       .proba = proba ? j->scores : NULL,
                                       .decision = proba ? NULL : j->scores,
                                       .weight = sample->weight ? a->weight : NULL,
                                       .positive = m->target.positive,
                                       .class_names = &m->target.classes};
    if (m->target.has_threshold) TRY(predict_classes(ctx, &m->target, j));
out:
    return st;
}

static smr_status regress(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                          struct judged *j)
{
    smr_status st = SMR_OK;
    const struct answers *a = &j->answers;
    double began = smr_now();
    j->scores = smr_alloc_raw(ctx, a->n * m->target.n, sizeof *j->scores);
    if (!j->scores) return SMR_ERR_NOMEM;
    TRY(smr_model_apply(ctx, m, sample->table, a->rows, a->n, SMR_OUTPUT_VALUE, j->scores));
    j->seconds = smr_now() - began;
    j->regress = (smr_regress_input){.n = a->n,
                                     .n_outputs = m->target.n,
                                     .y = a->y,
                                     .predicted = j->scores,
                                     .weight = sample->weight ? a->weight : NULL,
                                     .output_names = (const char *const *)m->target.names};
out:
    return st;
}

/* Predicts for the rows with an answer; release_judged afterwards, also when it failed. */
static smr_status predict_sample(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                                 struct judged *j)
{
    smr_status st = SMR_OK;
    *j = (struct judged){0};
    if (m->target.task == SMR_TASK_NONE)
        return smr_fail(ctx, SMR_ERR_STATE, "this model predicts nothing that could be measured");
    TRY(collect_answers(ctx, m, sample, &j->answers));
    TRY(m->target.task == SMR_TASK_CLASSIFY ? classify(ctx, m, sample, j)
                                            : regress(ctx, m, sample, j));
out:
    return st;
}

smr_status smr_evaluate_sample(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                               smr_json *into, double *seconds, int64_t *n_used)
{
    smr_status st = SMR_OK;
    struct judged j;
    TRY(predict_sample(ctx, m, sample, &j));
    TRY(j.classify.label ? smr_metric_classify(ctx, &j.classify, into)
                         : smr_metric_regress(ctx, &j.regress, into));
    if (seconds) *seconds = j.seconds;
    if (n_used) *n_used = j.answers.n;
out:
    release_judged(&j);
    return st;
}

/* ---- with everything told ---------------------------------------------------------------- */

/* Replaces the model's rule by one that is given, or chosen on these very rows. */
static smr_status apply_rule(smr_ctx *ctx, const smr_model *m, const smr_threshold_rule *rule,
                             struct judged *j, smr_target *target, smr_json *advice,
                             smr_json *into)
{
    smr_status st = SMR_OK;
    smr_ranking r = {0};
    smr_threshold_row row;
    const smr_classify_input *in = &j->classify;
    int64_t k = m->target.positive;
    TRY(smr_threshold_check(ctx, rule, &m->target, in->proba != NULL));
    TRY(smr_ranking_make(ctx, in->n, j->scores + k, 2, in->label, k, in->weight, &r));
    TRY(smr_threshold_choose(ctx, rule, &r, &row));
    target->has_threshold = true;
    target->threshold = row.threshold;
    TRY(predict_classes(ctx, target, j));
    smr_threshold_to_json(ctx, rule, &row,
                          rule->kind == SMR_THRESHOLD_GIVEN ? NULL : "the measured rows", in->n,
                          into);
    if (advice && rule->kind != SMR_THRESHOLD_GIVEN)
        smr_advise(ctx, advice, "threshold", NULL,
                   "the threshold was chosen on the rows it is measured on, which flatters it; "
                   "train --threshold chooses on others");
out:
    smr_ranking_release(&r);
    return st;
}

static void tell_own_threshold(const smr_target *t, smr_json *into)
{
    if (!t->has_threshold) return;
    smr_json *threshold = smr_json_add_object(into, "threshold");
    smr_json_add_number(threshold, "value", t->threshold);
    smr_json_add_string(threshold, "chosen", t->threshold_how ? t->threshold_how : "given");
}

static smr_status judge_classes(smr_ctx *ctx, const smr_model *m, struct judged *j,
                                const smr_judging *how, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_target target = m->target; /* a view, to carry another threshold */
    if (how->threshold)
        TRY(apply_rule(ctx, m, how->threshold, j, &target, how->advice, into));
    else
        tell_own_threshold(&m->target, into);
    smr_json *measures = smr_json_add_object(into, "measures");
    if (!measures) TRY(SMR_ERR_NOMEM);
    TRY(smr_metric_classify(ctx, &j->classify, measures));
    TRY(smr_metric_classify_intervals(ctx, &j->classify, 0.95, into));
    if (how->advice) TRY(smr_advise_classified(ctx, &j->classify, how->alone, how->advice));
    smr_json *figures = how->figures ? smr_json_add_array(into, "figures") : NULL;
    if (how->figures && !figures) TRY(SMR_ERR_NOMEM);
    if (figures) TRY(smr_figures_classify(ctx, &j->classify, figures));
out:
    return st;
}

static smr_status judge_numbers(smr_ctx *ctx, const smr_model *m, struct judged *j,
                                const smr_judging *how, smr_json *into)
{
    smr_status st = SMR_OK;
    if (how->threshold) TRY(smr_threshold_check(ctx, how->threshold, &m->target, false));
    smr_json *measures = smr_json_add_object(into, "measures");
    if (!measures) TRY(SMR_ERR_NOMEM);
    TRY(smr_metric_regress(ctx, &j->regress, measures));
    TRY(smr_metric_regress_intervals(ctx, &j->regress, 0.95, into));
    if (how->advice) TRY(smr_advise_regressed(ctx, &j->regress, how->advice));
    smr_json *figures = how->figures ? smr_json_add_array(into, "figures") : NULL;
    if (how->figures && !figures) TRY(SMR_ERR_NOMEM);
    if (figures) TRY(smr_figures_regress(ctx, &j->regress, figures));
out:
    return st;
}

smr_status smr_judge(smr_ctx *ctx, const smr_model *m, const smr_sample *sample, smr_judging *how,
                     smr_json *into)
{
    smr_status st = SMR_OK;
    struct judged j;
    TRY(predict_sample(ctx, m, sample, &j));
    how->seconds = j.seconds;
    how->n_rows = j.answers.n;
    TRY(j.classify.label ? judge_classes(ctx, m, &j, how, into)
                         : judge_numbers(ctx, m, &j, how, into));
    TRY(smr_json_done(into->doc));
out:
    release_judged(&j);
    return st;
}
