/* curve_threshold.c -- moving the threshold: see curve.h.
 *
 * One class is set against the rest; a row is taken as positive when its score for that class, the
 * probability or the decision score, is at least the threshold.  For a linear score with a bias
 * beta, moving the threshold by -delta is moving beta by delta. */
#include "study/answers.h"
#include "study/curve.h"
#include "study/figures.h"
#include "study/judge.h"
#include "study/warnings.h"

#include <math.h>
#include <string.h>

enum { STEPS = 40 };

/* Scores of all classes with answers, wherever they come from. */
struct scored {
    int64_t n;
    const double *score; /* n x classes */
    const int32_t *label;
    const double *weight;
    bool proba;
    const smr_target *target;
};

static smr_status find_positive(smr_ctx *ctx, const smr_target *t, const char *name, int64_t *k)
{
    if (smr_judge_of(t->task)->as == SMR_JUDGED_AS_FOUND)
        return smr_judge_supervised(ctx, t, "a threshold");
    if (t->task == SMR_TASK_NONE)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "a threshold divides two classes, and this model predicts nothing");
    if (t->task != SMR_TASK_CLASSIFY)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "a threshold divides two classes, and the target '%s' is a number",
                        t->n ? t->names[0] : "");
    *k = t->positive;
    if (!name && t->classes.n > 2)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "'%s' has %lld classes; --positive CLASS sets one against the rest",
                        t->names[0], (long long)t->classes.n);
    if (!name) return SMR_OK;
    *k = smr_strings_find(&t->classes, name, (int64_t)strlen(name));
    if (*k >= 0) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM, "the target '%s' has no class '%s'", t->names[0], name);
}

/* The thresholds, among all that divide some rows, with the largest F1 and accuracy. */
static void add_best(const smr_ranking *r, smr_json *into)
{
    smr_threshold_row f1 = {.f1 = -1}, accuracy = {.accuracy = -1};
    for (int64_t k = 1; k < r->n; k++) {
        smr_threshold_row t = smr_ranking_at(r, r->threshold[k]);
        if (t.f1 > f1.f1) f1 = t;
        if (t.accuracy > accuracy.accuracy) accuracy = t;
    }
    smr_json *best = smr_json_add_object(into, "best");
    smr_json *rows = smr_json_add_object(best, "f1");
    smr_json_add_number(rows, "threshold", f1.threshold);
    smr_json_add_number(rows, "f1", f1.f1);
    rows = smr_json_add_object(best, "accuracy");
    smr_json_add_number(rows, "threshold", accuracy.threshold);
    smr_json_add_number(rows, "accuracy", accuracy.accuracy);
}

static smr_status sweep(smr_ctx *ctx, const struct scored *s, const char *positive, smr_json *into)
{
    const smr_strings *classes = &s->target->classes;
    smr_status st = SMR_OK;
    smr_ranking r = {0};
    int64_t k = 0, length;
    TRY(find_positive(ctx, s->target, positive, &k));
    const char *name = smr_strings_get(classes, k, &length);
    TRY(smr_ranking_make(ctx, s->n, s->score + k, classes->n, s->label, k, s->weight, &r));
    if (!(r.positives > 0 && r.negatives > 0)) {
        st = smr_fail(ctx, SMR_ERR_DATA, "a threshold needs rows of both sides: %s class '%.*s'",
                      r.positives > 0 ? "all are of" : "none is of", (int)length, name);
        goto out;
    }
    smr_json_add_bytes(into, "positive", name, length);
    smr_json_add_number(into, "rows", (double)s->n);
    smr_json_add_string(into, "output", s->proba ? "proba" : "decision");
    double lo = s->proba ? 0 : r.threshold[r.n - 1], hi = s->proba ? 1 : r.threshold[1];
    smr_json *rows = smr_json_add_array(into, "points");
    for (int64_t g = 0; g <= STEPS; g++) {
        smr_threshold_row t = smr_ranking_at(&r, lo + (hi - lo) * ((double)g / STEPS));
        smr_threshold_row_json(&t, smr_json_add_object(rows, NULL));
    }
    add_best(&r, into);
    smr_classify_input in = {.proba = s->proba ? s->score : NULL};
    smr_figure_sweep(&in, &r, smr_json_add_array(into, "figures"));
out:
    smr_ranking_release(&r);
    return st;
}

smr_status smr_curve_threshold(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                               const smr_curve_how *how, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_answers a = {0};
    double *score = NULL;
    int64_t k;
    TRY(find_positive(ctx, &model->target, how->positive, &k));
    TRY(smr_answers_collect(ctx, model, sample, &a));
    TRY_NEW(score, a.n * a.width);
    TRY(smr_model_apply(ctx, model, sample->table, a.rows, a.n, a.output, score));
    struct scored s = {.n = a.n,
                       .score = score,
                       .label = a.label,
                       .weight = a.weight,
                       .proba = a.output == SMR_OUTPUT_PROBA,
                       .target = &model->target};
    TRY(sweep(ctx, &s, how->positive, into));
    smr_json *advice = smr_json_add_array(into, "advice");
    if (!advice) TRY(SMR_ERR_NOMEM);
    TRY(smr_advise_same_data(ctx, model, sample->table,
                             "a threshold chosen on them is too sure of itself; use other rows, or "
                             "name the sentence in place of the model",
                             advice));
out:
    smr_free(score);
    smr_answers_release(&a);
    return st;
}

/* Rows that were measured, with their out-of-fold scores. */
static smr_status sweep_measured(smr_ctx *ctx, const smr_train_set *set,
                                 const smr_cv_scores *scores, const char *positive, smr_json *into)
{
    int64_t rows = set->table->n_rows, width = scores->width, n = 0;
    smr_status st = SMR_OK;
    double *score = NULL, *weight = NULL;
    int32_t *label = NULL;
    TRY_NEW(score, rows * width);
    TRY_NEW(label, rows);
    if (set->weight) TRY_NEW(weight, rows);
    for (int64_t i = 0; i < rows; i++) {
        if (scores->round_of[i] < 0) continue;
        memcpy(score + n * width, scores->prediction + i * width, (size_t)width * sizeof *score);
        if (weight) weight[n] = set->weight[i];
        label[n++] = set->label[i];
    }
    struct scored s = {.n = n,
                       .score = score,
                       .label = label,
                       .weight = weight,
                       .proba = scores->output == SMR_OUTPUT_PROBA,
                       .target = &set->target};
    TRY(sweep(ctx, &s, positive, into));
out:
    smr_free(score);
    smr_free(label);
    smr_free(weight);
    return st;
}

smr_status smr_curve_threshold_cv(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                                  const smr_curve_how *how, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_cv_plan *plan = NULL;
    smr_cv_scores scores = {0};
    const smr_measure *error = smr_measure_find("error", SMR_TASK_CLASSIFY);
    int64_t k;
    /* training_open set the positive class when there was one to name */
    TRY(find_positive(ctx, &set->target, how->positive, &k));
    TRY(smr_cv_ask_plan(ctx, &how->ask, set, &plan));
    smr_cv_run_opts opts = {.keep_predictions = true, .measures = &error, .n_measures = 1};
    TRY(smr_cv_run(ctx, spec, set, plan, &opts, &scores));
    smr_cv_plan_json(plan, into);
    TRY(sweep_measured(ctx, set, &scores, how->positive, into));
out:
    smr_cv_scores_release(&scores);
    smr_cv_plan_free(plan);
    return st;
}
