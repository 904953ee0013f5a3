/* cv_report.c -- see cv_report.h. */
#include "study/cv_report.h"

#include "core/figure.h"
#include "data/vocab.h"
#include "learn/spec.h"
#include "study/compare.h"
#include "study/cv_plan.h"
#include "study/figures.h"
#include "study/judge.h"
#include "study/warnings.h"

#include <math.h>
#include <string.h>

void smr_set_json(const smr_ctx *ctx, const smr_train_set *set, smr_json *into)
{
    smr_json_add_string(into, "task", smr_task_name(set->target.task));
    smr_json *targets = smr_json_add_array(into, "target");
    for (int64_t j = 0; j < set->target.n; j++)
        smr_json_add_string(targets, NULL, set->target.names[j]);
    if (set->target.classes.n) smr_strings_to_json(into, "classes", &set->target.classes);
    smr_json_add_number(into, "rows", (double)set->n_rows);
    smr_json_add_number(into, "features", (double)(set->schema.n_inputs + set->schema.n_sparse));
    smr_json_add_number(into, "seed", (double)ctx->seed);
}

smr_status smr_sentence_json(smr_ctx *ctx, const smr_spec *spec, const char *key, smr_json *into)
{
    char *text = NULL;
    smr_status st = smr_spec_text(ctx, spec, &text);
    if (st == SMR_OK) smr_json_add_string(into, key, text);
    smr_free(text);
    return st;
}

static void add_measures(const smr_cv_plan *plan, const smr_cv_scores *s, double confidence,
                         smr_json *into)
{
    smr_json *measures = smr_json_add_object(into, "measures");
    for (int64_t m = 0; m < s->n_measures; m++) {
        smr_cv_summary sum = smr_cv_summarize(plan, s, m, confidence);
        if (sum.n == 0 && isnan(s->pooled[m])) continue; /* what this learner does not give */
        smr_json *row = smr_json_add_object(measures, s->measures[m]->name);
        smr_json_add_number(row, "mean", sum.mean);
        smr_json_add_number(row, "sd", sum.sd);
        smr_json_add_number(row, "low", sum.low);
        smr_json_add_number(row, "high", sum.high);
        smr_json_add_number(row, "rounds", (double)sum.n);
        smr_json_add_number(row, "pooled", s->pooled[m]);
        smr_json_add_string(row, "better", s->measures[m]->higher_is_better ? "higher" : "lower");
    }
}

static void add_rounds(const smr_cv_plan *plan, const smr_cv_scores *s, smr_json *into)
{
    double fit = 0, predict = 0;
    smr_json *rounds = smr_json_add_array(into, "by_round");
    for (int64_t r = 0; r < s->n_rounds; r++) {
        smr_json *row = smr_json_add_object(rounds, NULL);
        smr_json_add_number(row, "round", (double)r + 1);
        int64_t repeat = r / plan->per_repeat + 1;
        smr_json_add_number(row, "repeat", (double)repeat);
        smr_json_add_number(row, "rows", (double)s->n_test[r]);
        smr_json_add_number(row, "fit_seconds", s->fit_seconds[r]);
        smr_json_add_number(row, "predict_seconds", s->predict_seconds[r]);
        for (int64_t m = 0; m < s->n_measures; m++)
            smr_json_add_number(row, s->measures[m]->name, s->score[r * s->n_measures + m]);
        fit += s->fit_seconds[r];
        predict += s->predict_seconds[r];
    }
    smr_json_add_number(into, "fit_seconds", fit);
    smr_json_add_number(into, "predict_seconds", predict);
}

/* The measure that suits the model, the usual one, or the first that was asked for. */
static int64_t deciding(const smr_cv_plan *plan, const smr_cv_scores *s, bool suited)
{
    int64_t usual =
        smr_cv_find(s, smr_cv_usual_measure(plan->set, plan->kind == SMR_CV_EACH)->name);
    return usual < 0 || suited ? 0 : usual; /* the one that suits the model comes first */
}

/* "always the mean": what the baseline does, by the measure that decides. */
static void name_baseline(const smr_target *target, const smr_measure *first, smr_text *out)
{
    if (smr_task_of(target->task)->needs_target) smr_text_add(out, "always the ");
    if (first->level > 0)
        smr_judge_constant_name(first, out);
    else
        smr_text_add(out, smr_judge_baseline_name(target) + strlen("baseline: "));
}

/* What the deciding measure, and a few that are asked for first, are without any model: the mean
 * over the rounds, as in a comparison. */
static smr_status add_baseline(smr_ctx *ctx, const smr_cv_plan *plan, const smr_cv_scores *s,
                               bool suited, smr_json *into)
{
    static const char *const others[] = {"accuracy", "log_loss", "rmse", "mae"};
    smr_status st = SMR_OK;
    double *score = NULL;
    smr_text what = {.ctx = ctx};
    smr_json *baseline = NULL;
    int64_t n = smr_cv_rounds(plan), first = deciding(plan, s, suited);
    if (!smr_judge_baseline_name(&plan->set->target)) return SMR_OK;
    TRY_NEW(score, n);
    name_baseline(&plan->set->target, s->measures[first], &what);
    TRY(smr_text_done(&what));
    for (int64_t k = -1; k < SMR_COUNT(others); k++) {
        int64_t m = k < 0 ? first : smr_cv_find(s, others[k]);
        if (m < 0 || (k >= 0 && (m == first || s->measures[first]->level > 0))) continue;
        smr_measure measure = *s->measures[m];
        measure.level = s->measures[first]->level; /* one constant: the mae of the mean, too */
        TRY(smr_compare_baseline(ctx, plan->set, plan, &measure, score));
        double mean = smr_cv_summary_of(score, n, 1, plan->test_over_train, 0.95).mean;
        if (isnan(mean)) continue;
        if (!baseline) {
            baseline = smr_json_add_object(into, "baseline");
            smr_json_add_string(baseline, "what", what.bytes);
            smr_json_add_string(baseline, "from", "the fitted rows of each round");
        }
        smr_json_add_number(baseline, measure.name, mean);
    }
out:
    smr_text_release(&what);
    smr_free(score);
    return st;
}

/* The deciding measure: a point per round, the mean as a line, its interval as a band. */
static smr_status add_figure(smr_ctx *ctx, const smr_cv_plan *plan, const smr_cv_scores *s,
                             double confidence, bool suited, smr_json *figures)
{
    smr_status st = SMR_OK;
    double *x = NULL, *y = NULL;
    smr_text title = {.ctx = ctx}, note = {.ctx = ctx};
    int64_t m = deciding(plan, s, suited);
    smr_cv_summary sum = smr_cv_summarize(plan, s, m, confidence);
    TRY_NEW(x, s->n_rounds);
    TRY_NEW(y, s->n_rounds);
    for (int64_t r = 0; r < s->n_rounds; r++) {
        x[r] = (double)r + 1;
        y[r] = s->score[r * s->n_measures + m];
    }
    smr_text_printf(&title, "%s by round", s->measures[m]->title);
    smr_text_add(&note, "The line is the mean, the band its ");
    smr_text_rounded(&note, 100 * confidence, 4);
    smr_text_add(&note, " % interval, corrected for the rows that the rounds have in common.");
    TRY(smr_text_done(&title));
    TRY(smr_text_done(&note));
    smr_json *figure =
        smr_figure_add(figures, "folds", title.bytes, isnan(sum.low) ? NULL : note.bytes);
    double ends[] = {0.5, (double)s->n_rounds + 0.5};
    smr_json *axis = smr_figure_axis(figure, "x", "round", "linear");
    smr_json_add_number(axis, "min", ends[0]);
    smr_json_add_number(axis, "max", ends[1]);
    smr_figure_axis(figure, "y", s->measures[m]->name, "linear");
    if (!isnan(sum.low)) {
        double middle[] = {sum.mean, sum.mean};
        double low[] = {sum.low, sum.low}, high[] = {sum.high, sum.high};
        smr_json *band = smr_figure_series(figure, "interval of the mean", "band", 2, ends, middle);
        smr_json_add_numbers(band, "low", low, 2);
        smr_json_add_numbers(band, "high", high, 2);
    }
    smr_figure_series(figure, s->measures[m]->name, "points", s->n_rounds, x, y);
    if (!isnan(sum.mean)) smr_figure_mark(figure, "hline", sum.mean, "mean");
out:
    smr_text_release(&title);
    smr_text_release(&note);
    smr_free(x);
    smr_free(y);
    return st;
}

/* What the out-of-fold predictions leave unexplained: the share of mistakes, or 1 - r2 of the
 * target that is explained least. */
static double find_left(const smr_train_set *set, const smr_cv_scores *s, int64_t *n)
{
    int64_t rows = set->table->n_rows, width = s->width, wrong = 0;
    double most = 0;
    *n = 0;
    for (int64_t i = 0; i < rows; i++) {
        if (s->round_of[i] < 0) continue;
        const double *p = s->prediction + i * width;
        int64_t best = 0;
        for (int64_t k = 1; k < width; k++) best = p[k] > p[best] ? k : best;
        wrong += set->label && best != set->label[i];
        ++*n;
    }
    if (set->label || *n == 0) return (double)wrong / (double)*n;
    for (int64_t j = 0; j < width; j++) {
        double mean = 0, all = 0, left = 0;
        for (int64_t i = 0; i < rows; i++)
            if (s->round_of[i] >= 0) mean += set->y[i * width + j] / (double)*n;
        for (int64_t i = 0; i < rows; i++) {
            if (s->round_of[i] < 0) continue;
            double y = set->y[i * width + j], e = y - s->prediction[i * width + j];
            all += (y - mean) * (y - mean);
            left += e * e;
        }
        most = smr_fmax(most, all > 0 ? left / all : 1);
    }
    return most;
}

/* Where no measure is named all are reported, which stand for one of them that asks. */
static smr_status check_positive(smr_ctx *ctx, const smr_cv_ask *ask, const smr_train_set *set,
                                 const smr_measure *const *list, int64_t n)
{
    const smr_measure *some = smr_measure_find("precision", set->target.task);
    return n || !some ? smr_cv_ask_positive(ctx, ask->positive, &set->target, list, n)
                      : smr_cv_ask_positive(ctx, ask->positive, &set->target, &some, 1);
}

smr_status smr_cv_report(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                         const smr_cv_ask *ask, smr_json *into, smr_table **oof)
{
    smr_status st = SMR_OK;
    smr_cv_plan *plan = NULL;
    smr_cv_scores scores = {0};
    smr_cv_run_opts how = {.keep_predictions = true}; /* also for the figures */
    const smr_measure **list = NULL;
    double confidence = 0;
    TRY(smr_cv_ask_confidence(ctx, ask, &confidence));
    TRY(smr_cv_ask_measures(ctx, ask, set->target.task, &list, &how.n_measures));
    TRY(check_positive(ctx, ask, set, list, how.n_measures));
    how.measures = list;
    how.also = smr_cv_suited_measure(&spec, 1, set->target.task);
    if (oof && !smr_judge_joins(set->target.task))
        TRY(smr_judge_supervised(ctx, &set->target, "a table of the rounds' predictions"));
    TRY(smr_cv_ask_plan(ctx, ask, set, &plan));
    TRY(smr_cv_run(ctx, spec, set, plan, &how, &scores));
    TRY(smr_sentence_json(ctx, spec, "spec", into));
    if (scores.fitted) smr_json_add_string(into, "fitted", scores.fitted);
    smr_set_json(ctx, set, into);
    smr_cv_plan_json(plan, into);
    smr_json_add_number(into, "confidence", confidence);
    add_measures(plan, &scores, confidence, into);
    TRY(add_baseline(ctx, plan, &scores, how.also, into));
    add_rounds(plan, &scores, into);
    smr_json *advice;
    TRY(smr_advice_json(ctx, set, into, &advice));
    if (plan->kind != SMR_CV_ORDERED) smr_advise_order(ctx, set, "--ordered or --order-by", advice);
    int64_t measured = 0;
    double left = scores.prediction ? find_left(set, &scores, &measured) : NAN;
    if (scores.prediction) TRY(smr_advise_set_too_good(ctx, set, left, measured, advice));
    smr_json *figures = smr_json_add_array(into, "figures");
    if (!figures) TRY(SMR_ERR_NOMEM);
    TRY(add_figure(ctx, plan, &scores, confidence, how.also, figures));
    if (scores.prediction) TRY(smr_figures_oof(ctx, set, &scores, figures));
    TRY(smr_json_done(into->doc));
    if (oof) TRY(smr_cv_oof(ctx, set, &scores, oof));
out:
    smr_cv_scores_release(&scores);
    smr_cv_plan_free(plan);
    smr_free(list);
    return st;
}
