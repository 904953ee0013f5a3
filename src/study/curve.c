/* curve.c -- what the curves share, and the training curve: see curve.h. */
#include "study/curve.h"

#include "core/figure.h"
#include "study/judge.h"

#include <math.h>
#include <string.h>

smr_status smr_curve_measure(smr_ctx *ctx, const smr_cv_ask *ask, const smr_spec *spec,
                             const smr_target *target, const smr_measure **out)
{
    smr_status st = SMR_OK;
    smr_task task = target->task;
    const char *shown = smr_judge_of(task)->shown;
    const smr_measure **list = NULL;
    int64_t n = 0;
    if (task == SMR_TASK_NONE)
        return smr_fail(ctx, SMR_ERR_DATA, "there is no target whose error could be measured");
    TRY(smr_judge_check(ctx, target));
    *out = smr_cv_suited_measure(&spec, 1, task);
    if (!*out) *out = shown ? smr_measure_find(shown, task) : smr_judge_usual(task, target->n > 0);
    TRY(smr_cv_ask_measures(ctx, ask, task, &list, &n));
    if (n > 1)
        st = smr_fail(ctx, SMR_ERR_PARAM, "a curve shows one measure; %lld were named",
                      (long long)n);
    if (n == 1) *out = list[0];
    if (st == SMR_OK) st = smr_cv_ask_positive(ctx, ask->positive, target, out, 1);
out:
    smr_free(list);
    return st;
}

smr_status smr_curve_run(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                         const smr_cv_plan *plan, const smr_measure *measure, double share,
                         smr_curve_point *out)
{
    smr_status st = SMR_OK;
    smr_cv_scores scores = {0};
    smr_cv_run_opts opts = {.measure_train = true,
                            .rounds_only = true,
                            .train_share = share,
                            .measures = &measure,
                            .n_measures = 1};
    TRY(smr_cv_run(ctx, spec, set, plan, &opts, &scores));
    double ratio = smr_cv_test_over_train(plan);
    out->train = smr_cv_summary_of(scores.train_score, scores.n_rounds, 1, ratio, 0.95);
    out->validation = smr_cv_summary_of(scores.score, scores.n_rounds, 1, ratio, 0.95);
out:
    smr_cv_scores_release(&scores);
    return st;
}

double smr_curve_loss(const smr_measure *measure, double value)
{
    return measure->higher_is_better ? 1 - value : value;
}

void smr_curve_point_json(const smr_curve_point *point, smr_json *row)
{
    smr_json_add_number(row, "train", point->train.mean);
    smr_json_add_number(row, "train_sd", point->train.sd);
    smr_json_add_number(row, "validation", point->validation.mean);
    smr_json_add_number(row, "validation_sd", point->validation.sd);
}

static smr_status draw_one(smr_ctx *ctx, const char *name, const smr_curve_point *points, int64_t n,
                           size_t which, const double *x, smr_json *figure)
{
    smr_status st = SMR_OK;
    double *mean = NULL, *low = NULL, *high = NULL;
    TRY_NEW(mean, n);
    TRY_NEW(low, n);
    TRY_NEW(high, n);
    for (int64_t k = 0; k < n; k++) {
        const smr_cv_summary *s = (const void *)((const char *)&points[k] + which);
        mean[k] = s->mean;
        low[k] = s->mean - s->sd;
        high[k] = s->mean + s->sd;
    }
    if (!isnan(points[0].validation.sd)) {
        smr_json *band = smr_figure_series(figure, name, "band", n, x, NULL);
        smr_json_add_numbers(band, "low", low, n);
        smr_json_add_numbers(band, "high", high, n);
    }
    smr_figure_series(figure, name, "line", n, x, mean);
out:
    smr_free(mean);
    smr_free(low);
    smr_free(high);
    return st;
}

smr_status smr_curve_draw(smr_ctx *ctx, const smr_curve_point *points, int64_t n, const double *x,
                          smr_json *figure)
{
    smr_status st = SMR_OK;
    TRY(draw_one(ctx, "training", points, n, offsetof(smr_curve_point, train), x, figure));
    TRY(draw_one(ctx, "validation", points, n, offsetof(smr_curve_point, validation), x, figure));
out:
    return st;
}

/* ---- iterations ------------------------------------------------------------------------- */

smr_status smr_curve_training(smr_ctx *ctx, const smr_model *model, smr_json *into)
{
    const smr_fit_report *fit = &model->fit;
    const smr_learner *l = smr_model_last(model)->learner;
    smr_status st = SMR_OK;
    double *x = NULL;
    if (!fit->n_curve && fit->n_iter)
        return smr_fail(
            ctx, SMR_ERR_STATE,
            "this %s model does not hold the training curve of its %lld iteration%s; fit it "
            "again to see it",
            l->word->name, (long long)fit->n_iter, smr_plural(fit->n_iter, "", "s"));
    if (!fit->n_curve)
        return smr_fail(ctx, SMR_ERR_STATE,
                        "%s %s model is fitted in one step: it has no curve of iterations",
                        smr_article(l->word->name), l->word->name);
    TRY_NEW(x, fit->n_curve);
    smr_json_add_number(into, "iterations", (double)fit->n_iter);
    smr_json_add_number(into, "objective", fit->objective);
    smr_json_add_bool(into, "converged", fit->converged);
    smr_json *rows = smr_json_add_array(into, "points");
    for (int64_t k = 0; k < fit->n_curve; k++) {
        smr_json *row = smr_json_add_object(rows, NULL);
        x[k] = (double)smr_fit_iteration(fit, k);
        smr_json_add_number(row, "iteration", x[k]);
        smr_json_add_number(row, "objective", fit->curve[k]);
    }
    smr_json *figure = smr_figure_add(smr_json_add_array(into, "figures"), "training",
                                      "Objective during the fit", l->word->objective);
    smr_figure_axis(figure, "x", "iteration", "linear");
    smr_figure_axis(figure, "y", "objective", "linear");
    smr_figure_series(figure, "objective", "line", fit->n_curve, x, fit->curve);
out:
    smr_free(x);
    return st;
}

/* ---- by word ---------------------------------------------------------------------------- */

typedef smr_status (*curve_fn)(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                               const smr_curve_how *how, smr_json *into);

static smr_status curve_of_fit(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                               const smr_curve_how *how, smr_json *into)
{
    smr_model *model = NULL;
    (void)how;
    smr_status st = smr_fit(ctx, spec, set, NULL, 0, &model);
    if (st == SMR_OK) st = smr_curve_training(ctx, model, into);
    smr_model_free(model);
    return st;
}

static const char *const words[] = {"learning", "validation", "training",
                                    "rounds",   "threshold",  "elbow"};
static const curve_fn fns[] = {smr_curve_learning,  smr_curve_validation,   curve_of_fit,
                               smr_curve_rounds_cv, smr_curve_threshold_cv, smr_curve_elbow};

static int64_t find_word(const char *what)
{
    for (int64_t k = 0; k < SMR_COUNT(words); k++)
        if (strcmp(what, words[k]) == 0) return k;
    return -1;
}

smr_status smr_curve_check_word(smr_ctx *ctx, const char *what)
{
    if (find_word(what) >= 0) return SMR_OK;
    int64_t near = smr_nearest(what, words, SMR_COUNT(words));
    return smr_fail(
        ctx, SMR_ERR_PARAM,
        "a curve is learning, validation, training, rounds, threshold or elbow, not '%s'%s%s%s",
        what, near >= 0 ? "; did you mean '" : "", near >= 0 ? words[near] : "",
        near >= 0 ? "'?" : "");
}

smr_status smr_curve_fill(smr_ctx *ctx, const char *what, const smr_spec *spec,
                          const smr_train_set *set, const smr_curve_how *how, smr_json *into)
{
    smr_status st = smr_curve_check_word(ctx, what);
    return st == SMR_OK ? fns[find_word(what)](ctx, spec, set, how, into) : st;
}

smr_status smr_curve_of_model(smr_ctx *ctx, const char *what, const smr_model *model,
                              const smr_sample *sample, const smr_curve_how *how, smr_json *into)
{
    smr_status st = smr_curve_check_word(ctx, what);
    if (st != SMR_OK) return st;
    if (strcmp(what, "training") == 0) return smr_curve_training(ctx, model, into);
    bool rounds = strcmp(what, "rounds") == 0;
    if (!rounds && strcmp(what, "threshold") != 0)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "a %s curve fits many models, so it needs a sentence, not a model", what);
    if (!sample)
        return smr_fail(ctx, SMR_ERR_PARAM, "a %s curve of a model needs rows to measure it on",
                        what);
    return rounds ? smr_curve_rounds(ctx, model, sample, how, into)
                  : smr_curve_threshold(ctx, model, sample, how, into);
}
