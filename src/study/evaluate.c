/* evaluate.c -- see evaluate.h. */
#include "study/evaluate.h"

#include "data/pick.h"
#include "learn/answer.h"
#include "study/answers.h"
#include "study/cv_ask.h"
#include "study/evaluate_coverage.h"
#include "study/figures.h"
#include "study/judge.h"
#include "study/warnings.h"

#include <math.h>

/* Predictions beside answers, as the metric functions read them, with the memory they need. */
struct judged {
    const smr_table *table;
    smr_answers answers;
    double *scores; /* n x classes, or n x targets */
    int32_t *predicted;
    smr_classify_input classify;
    smr_regress_input regress;
    double seconds;
};

static void release_judged(struct judged *j)
{
    smr_answers_release(&j->answers);
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

/* Predicts for the rows with an answer; release_judged afterwards, even when it failed. */
static smr_status predict_sample(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                                 struct judged *j)
{
    smr_status st = SMR_OK;
    smr_answers *a = &j->answers;
    *j = (struct judged){.table = sample->table};
    TRY(smr_answers_collect(ctx, m, sample, a));
    j->scores = smr_alloc_raw(ctx, a->n * a->width, sizeof *j->scores);
    if (!j->scores) TRY(SMR_ERR_NOMEM);
    double began = smr_now();
    TRY(smr_model_apply(ctx, m, sample->table, a->rows, a->n, a->output, j->scores));
    j->seconds = smr_now() - began;
    if (a->label) {
        j->classify = smr_answers_classify(m, a, j->scores);
        if (m->target.has_threshold) TRY(predict_classes(ctx, &m->target, j));
    } else {
        j->regress = smr_answers_regress(m, a, j->scores);
    }
out:
    return st;
}

/* ---- what a model found by itself -------------------------------------------------------- */

/* The classes that are known: those of a column, or the model's where the table has them. */
static smr_status know_classes(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                               const char *column, smr_target *known)
{
    smr_target_opts about = {
        .forced = SMR_TASK_CLASSIFY, .tasks = SMR_DOES_CLASSIFY, .learner = "evaluate"};
    smr_status st = SMR_OK;
    int64_t col = 0;
    bool outliers = m->target.task == SMR_TASK_OUTLIERS;
    about.compared = !outliers;
    if (column && !outliers && m->target.task != SMR_TASK_CLUSTER)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--target names the known classes of a clustering, or of outliers, and "
                        "this model %s",
                        smr_task_of(m->target.task)->verb);
    if (column) {
        TRY(smr_pick_column(ctx, table, column, &col));
        TRY(smr_target_infer(ctx, table, &col, 1, &about, known));
        if (outliers) TRY(smr_target_find_outliers(ctx, table, NULL, known));
    } else if (m->target.n && smr_target_present(&m->target, table)) {
        TRY(smr_target_copy(ctx, &m->target, known));
    }
out:
    return st;
}

/* What it found in the sample, beside the known classes. */
static smr_status find_in_sample(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                                 const smr_target *known, smr_found *found)
{
    smr_status st = SMR_OK;
    const smr_table *table = sample->table;
    int32_t *label = NULL;
    if (known->n) {
        TRY_NEW(label, table->n_rows + 1);
        TRY(smr_target_labels(ctx, known, table, label));
    }
    TRY(smr_found_make(ctx, m, table, sample->rows, sample->n_rows, label, sample->weight, found));
    found->in.n_classes = known->classes.n;
    found->in.outlying = known->positive;
out:
    smr_free(label);
    return st;
}

static bool is_found(const smr_model *m)
{
    return smr_judge_of(m->target.task)->as == SMR_JUDGED_AS_FOUND;
}

/* What it finds is called; NULL: it is numbered. */
static const smr_strings *names_of(const smr_model *m, const smr_found *found)
{
    if (found->in.outside) return &found->names.strings;
    if (m->target.task == SMR_TASK_OUTLIERS) return smr_answer_no_or_yes();
    return smr_target_names_classes(&m->target) ? &m->target.classes : NULL;
}

/* How many rows are called outliers, which needs no known ones. */
static void count_outliers(const smr_found_input *in, smr_json *into)
{
    double called = 0;
    if (!in->threshold) return;
    for (int64_t i = 0; i < in->n; i++)
        if (in->found[i] == 1) called += in->weight ? in->weight[i] : 1;
    smr_json_add_number(into, "outliers", called);
}

/* The classes that are known, and the model's, if what it finds has names. */
static void add_names(const smr_model *m, const smr_target *known, const smr_found *found,
                      smr_json *into)
{
    if (known->n) smr_strings_to_json(into, "known", &known->classes);
    if (names_of(m, found)) smr_strings_to_json(into, "found", names_of(m, found));
}

static smr_status evaluate_found(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                                 smr_json *into, double *seconds, int64_t *n_used)
{
    smr_status st = SMR_OK;
    smr_found found = {0};
    smr_target known = {0};
    TRY(know_classes(ctx, m, sample->table, NULL, &known));
    TRY(find_in_sample(ctx, m, sample, &known, &found));
    TRY(smr_metric_found(ctx, m->target.task, &found.in, into));
    count_outliers(&found.in, into);
    add_names(m, &known, &found, into);
    if (seconds) *seconds = found.seconds;
    if (n_used) *n_used = found.in.n;
out:
    smr_found_release(&found);
    smr_target_release(&known);
    return st;
}

smr_status smr_measure_sample(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                              const smr_measure *const *list, int64_t n, double *out,
                              int64_t *n_used, double *seconds)
{
    smr_status st = SMR_OK;
    smr_found found = {0};
    smr_target known = {0};
    smr_answers a = {0};
    double *predicted = NULL;
    if (is_found(m)) {
        TRY(know_classes(ctx, m, sample->table, NULL, &known));
        TRY(find_in_sample(ctx, m, sample, &known, &found));
        TRY(smr_measures_found(ctx, list, n, &found.in, out));
        *n_used = found.in.n;
        *seconds = found.seconds;
        goto out;
    }
    TRY(smr_answers_collect(ctx, m, sample, &a));
    predicted = smr_alloc_raw(ctx, a.n * a.width, sizeof *predicted);
    if (!predicted) TRY(SMR_ERR_NOMEM);
    double began = smr_now();
    TRY(smr_model_apply(ctx, m, sample->table, a.rows, a.n, a.output, predicted));
    *seconds = smr_now() - began;
    *n_used = a.n;
    TRY(smr_answers_measure(ctx, m, &a, predicted, list, n, out));
out:
    smr_found_release(&found);
    smr_target_release(&known);
    smr_answers_release(&a);
    smr_free(predicted);
    return st;
}

smr_status smr_evaluate_sample(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                               smr_json *into, double *seconds, int64_t *n_used)
{
    smr_status st = SMR_OK;
    struct judged j = {0};
    if (is_found(m)) return evaluate_found(ctx, m, sample, into, seconds, n_used);
    TRY(predict_sample(ctx, m, sample, &j));
    TRY(j.classify.label ? smr_metric_classify(ctx, &j.classify, into)
                         : smr_metric_regress(ctx, &j.regress, into));
    TRY(smr_evaluate_coverage(ctx, m, j.table, &j.answers, into));
    if (seconds) *seconds = j.seconds;
    if (n_used) *n_used = j.answers.n;
out:
    release_judged(&j);
    return st;
}

/* ---- with everything reported ------------------------------------------------------------ */

/* Replaces the model's rule with one that is given, or chosen on these very rows. */
static smr_status apply_rule(smr_ctx *ctx, const smr_model *m, const smr_threshold_rule *rule,
                             struct judged *j, smr_target *target, smr_json *advice, smr_json *into)
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

static smr_status advise_good(smr_ctx *ctx, const smr_model *m, const struct judged *j,
                              const smr_judging *how, double left)
{
    const smr_answers *a = &j->answers;
    smr_answered answered = {.schema = &m->schema,
                             .target = &m->target,
                             .table = j->table,
                             .rows = a->rows,
                             .n = a->n,
                             .label = a->label,
                             .y = a->y};
    if (!how->advice || !how->unseen || !smr_task_of(m->target.task)->needs_target) return SMR_OK;
    return smr_advise_too_good(ctx, &answered, left, a->n, how->advice);
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
    TRY(smr_evaluate_coverage(ctx, m, j->table, &j->answers, measures));
    TRY(smr_metric_classify_intervals(ctx, &j->classify, 0.95, into));
    const smr_threshold_rule *rule = how->threshold ? how->threshold : how->cost;
    if (rule && rule->kind == SMR_THRESHOLD_COST)
        smr_judge_cost(rule, &j->classify, j->scores, into);
    TRY(smr_judge_baseline(ctx, how, &j->classify, NULL, NULL, into));
    if (how->advice) TRY(smr_advise_classified(ctx, &j->classify, how->alone, how->advice));
    TRY(advise_good(ctx, m, j, how, smr_json_get_number(measures, "error", NAN)));
    smr_json *figures = how->figures ? smr_json_add_array(into, "figures") : NULL;
    if (how->figures && !figures) TRY(SMR_ERR_NOMEM);
    if (figures) {
        TRY(smr_figures_classify(ctx, &j->classify, figures));
        TRY(smr_figure_mistakes(ctx, m, j->table, &j->answers, &j->classify, figures));
    }
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
    smr_step last = smr_stage_step(smr_model_last(m));
    const smr_measure *suited = smr_step_measure(&last, m->target.task);
    TRY(smr_judge_suited(ctx, suited, &j->regress, measures));
    TRY(smr_metric_regress(ctx, &j->regress, measures));
    TRY(smr_evaluate_coverage(ctx, m, j->table, &j->answers, measures));
    TRY(smr_metric_regress_intervals(ctx, &j->regress, 0.95, into));
    TRY(smr_judge_baseline(ctx, how, NULL, &j->regress, suited, into));
    if (how->advice) TRY(smr_advise_regressed(ctx, &j->regress, how->advice));
    TRY(advise_good(ctx, m, j, how, 1 - smr_json_get_number(measures, "r2", NAN)));
    smr_json *figures = how->figures ? smr_json_add_array(into, "figures") : NULL;
    if (how->figures && !figures) TRY(SMR_ERR_NOMEM);
    if (figures) TRY(smr_figures_regress(ctx, &j->regress, figures));
out:
    return st;
}

/* Those of another threshold than the model's. */
static void call_outliers(const double *threshold, smr_found *found, smr_json *into)
{
    smr_json *told = smr_json_add_object(into, "threshold");
    smr_json_add_number(told, "value", *threshold);
    smr_json_add_string(told, "rule", "given");
    found->in.threshold = threshold;
    for (int64_t i = 0; i < found->in.n; i++) found->found[i] = found->score[i] < *threshold;
}

static smr_status judge_found(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                              smr_judging *how, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_found found = {0};
    smr_target known = {0};
    if (how->threshold) TRY(smr_threshold_check(ctx, how->threshold, &m->target, false));
    TRY(know_classes(ctx, m, sample->table, how->known, &known));
    TRY(find_in_sample(ctx, m, sample, &known, &found));
    if (how->threshold)
        call_outliers(&how->threshold->value, &found, into);
    else
        tell_own_threshold(&m->target, into);
    how->seconds = found.seconds;
    how->n_rows = found.in.n;
    smr_json *measures = smr_json_add_object(into, "measures");
    if (!measures) TRY(SMR_ERR_NOMEM);
    TRY(smr_metric_found(ctx, m->target.task, &found.in, measures));
    count_outliers(&found.in, measures);
    add_names(m, &known, &found, measures);
    TRY(smr_judge_found_baseline(ctx, m, sample, how, &known, &found, into));
    smr_json *figures = how->figures ? smr_json_add_array(into, "figures") : NULL;
    if (how->figures && !figures) TRY(SMR_ERR_NOMEM);
    if (figures)
        TRY(smr_figures_found(ctx, &found.in, smr_task_of(m->target.task)->answer,
                              names_of(m, &found), known.n ? &known.classes : NULL, figures));
    TRY(smr_json_done(into->doc));
out:
    smr_found_release(&found);
    smr_target_release(&known);
    return st;
}

smr_status smr_judge(smr_ctx *ctx, const smr_model *m, const smr_sample *sample, smr_judging *how,
                     smr_json *into)
{
    smr_status st = SMR_OK;
    struct judged j = {0};
    if (is_found(m)) return judge_found(ctx, m, sample, how, into);
    if (how->known)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "--target names the known classes of a clustering, or of outliers, and this "
                     "model has its own target"));
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
