/* curve_rounds.c -- error against rounds, of a model that grows in rounds: see curve.h.
 *
 * Everything comes through the learners' contract (rounds, predict_after), so that boosting,
 * forests and bagging have the same curve.  The answer after r rounds costs r members; the rounds
 * measured are spaced so that all of them cost no more than some 14 times the whole model, once
 * there are more than 100. */
#include "core/figure.h"
#include "core/number.h"
#include "core/span.h"
#include "study/answers.h"
#include "study/curve.h"
#include "study/cv_measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ALL_UP_TO = 100, MOST_POINTS = 400, MOST_MEASURES = 16 };

/* From r to the next round to measure: one that a text shows, or else 8 % on. */
static int64_t next_round(int64_t r)
{
    int64_t far = SMR_MAX(r + 1, r + r * 8 / 100), next = r + 1;
    while (next < far && !smr_is_round_number(next)) next++;
    return next;
}

/* The rounds to measure, ascending; returns how many. */
static int64_t choose_rounds(int64_t n, double *rounds)
{
    int64_t count = 0;
    for (int64_t r = 1; r < n && count + 1 < MOST_POINTS;) {
        rounds[count++] = (double)r;
        r = n <= ALL_UP_TO ? r + 1 : next_round(r);
    }
    rounds[count++] = (double)n;
    return count;
}

/* ---- a model ---------------------------------------------------------------------------- */

struct staged {
    const smr_measure *const *measures;
    int64_t n_measures, n;
    double rounds[MOST_POINTS];
    double *value; /* n_measures x n */
};

static smr_status measure_rounds(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                                 struct staged *s)
{
    smr_status st = SMR_OK;
    smr_answers a = {0};
    double *predicted = NULL, one[MOST_MEASURES];
    TRY(smr_answers_collect(ctx, m, sample, &a));
    TRY_NEW(predicted, a.n * a.width);
    for (int64_t k = 0; k < s->n; k++) {
        TRY(smr_tick(ctx, "rounds", k, s->n, NAN));
        TRY(smr_model_apply_after(ctx, m, sample->table, a.rows, a.n, a.output,
                                  (int64_t)s->rounds[k], predicted));
        TRY(smr_answers_measure(ctx, m, &a, predicted, s->measures, s->n_measures, one));
        for (int64_t j = 0; j < s->n_measures; j++) s->value[j * s->n + k] = one[j];
    }
out:
    smr_free(predicted);
    smr_answers_release(&a);
    return st;
}

/* The first round with the best value. */
static int64_t best_of(const smr_measure *measure, const double *value, int64_t n)
{
    int64_t best = -1;
    for (int64_t k = 0; k < n; k++) {
        if (isnan(value[k])) continue;
        bool better = best < 0 ||
                      (measure->higher_is_better ? value[k] > value[best] : value[k] < value[best]);
        if (better) best = k;
    }
    return SMR_MAX(best, 0);
}

static smr_json *begin_figure(const smr_measure *measure, bool first, smr_json *figures)
{
    char name[96];
    snprintf(name, sizeof name, "rounds%s%s", first ? "" : "_", first ? "" : measure->name);
    smr_json *figure =
        smr_figure_add(figures, name, "Error by number of rounds",
                       "Error of the model if it is stopped after this many rounds.");
    smr_figure_axis(figure, "x", "rounds", "linear");
    smr_figure_axis(figure, "y", measure->title, "linear");
    return figure;
}

static void tell_rounds(const struct staged *s, smr_json *into)
{
    const smr_measure *first = s->measures[0];
    int64_t best = best_of(first, s->value, s->n);
    smr_json_add_string(into, "measure", first->name);
    smr_json *rows = smr_json_add_array(into, "points");
    for (int64_t k = 0; k < s->n; k++) {
        smr_json *row = smr_json_add_object(rows, NULL);
        smr_json_add_number(row, "rounds", s->rounds[k]);
        for (int64_t j = 0; j < s->n_measures; j++)
            smr_json_add_number(row, s->measures[j]->name, s->value[j * s->n + k]);
    }
    smr_json *at = smr_json_add_object(into, "best");
    smr_json_add_number(at, "rounds", s->rounds[best]);
    smr_json_add_number(at, first->name, s->value[best]);
    smr_json *figures = smr_json_add_array(into, "figures");
    for (int64_t j = 0; j < s->n_measures; j++) {
        smr_json *figure = begin_figure(s->measures[j], j == 0, figures);
        smr_figure_series(figure, s->measures[j]->name, "line", s->n, s->rounds,
                          s->value + j * s->n);
    }
}

smr_status smr_curve_rounds(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                            const smr_curve_how *how, smr_json *into)
{
    smr_task task = m->target.task;
    bool classes = task == SMR_TASK_CLASSIFY;
    bool proba = smr_model_gives(m) & 1u << SMR_OUTPUT_PROBA;
    smr_step last = smr_stage_step(smr_model_last(m));
    const smr_measure *suited = smr_step_measure(&last, task);
    const smr_measure *first = smr_measure_find(classes ? "error" : "rmse", task);
    const smr_measure *usual[] = {suited ? suited : first,
                                  suited ? first
                                         : smr_measure_find(classes ? "log_loss" : "mae", task)};
    const smr_measure **asked = NULL;
    struct staged s = {.measures = usual, .n_measures = classes && !proba ? 1 : 2};
    int64_t n = 0;
    smr_status st = SMR_OK;
    TRY(smr_model_check_round(ctx, m, 0));
    TRY(smr_cv_ask_measures(ctx, &how->ask, task, &asked, &n));
    if (n > MOST_MEASURES) {
        st = smr_fail(ctx, SMR_ERR_PARAM, "--measure: at most %d at once", MOST_MEASURES);
        goto out;
    }
    if (n > 0) {
        s.measures = asked;
        s.n_measures = n;
    }
    s.n = choose_rounds(smr_model_rounds(m), s.rounds);
    TRY_NEW(s.value, s.n * s.n_measures);
    TRY(measure_rounds(ctx, m, sample, &s));
    smr_json_add_number(into, "n_rounds", (double)smr_model_rounds(m));
    tell_rounds(&s, into);
    st = smr_json_done(into->doc);
out:
    smr_free(asked);
    smr_free(s.value);
    return st;
}

/* ---- a sentence, over folds ------------------------------------------------------------- */

struct folded {
    const smr_train_set *set;
    const smr_cv_plan *plan;
    const smr_measure *measure;
    smr_model **models; /* n_folds */
    int64_t n_folds, n, most;
    double rounds[MOST_POINTS];
    double *train, *test; /* n x n_folds */
};

static smr_status fit_folds(smr_ctx *ctx, const smr_spec *spec, struct folded *f, int64_t *rows)
{
    smr_status st = SMR_OK;
    smr_span span;
    smr_span_open(ctx, &span, "fitting folds", f->n_folds);
    for (int64_t k = 0; k < f->n_folds; k++) {
        const int64_t *test;
        int64_t n_train = 0, n_test = 0;
        TRY(smr_span_at(ctx, &span, k, NAN));
        smr_cv_round(f->plan, k, rows, &n_train, &test, &n_test);
        TRY(smr_fit(ctx, spec, f->set, rows, n_train, &f->models[k]));
        TRY(smr_model_check_round(ctx, f->models[k], 0));
        f->most = SMR_MAX(f->most, smr_model_rounds(f->models[k]));
    }
out:
    smr_span_close(ctx, &span);
    return st;
}

/* The measure of a fold's model after this many rounds, on some rows. */
static smr_status measure_part(smr_ctx *ctx, const struct folded *f, int64_t fold, double round,
                               const int64_t *rows, int64_t n, double *out)
{
    smr_status st = SMR_OK;
    const smr_model *m = f->models[fold];
    smr_predicted p = {.rows = rows, .n = n};
    double *value = NULL;
    TRY(smr_predicted_output(ctx, m, &p.output));
    TRY_NEW(value, n * smr_model_width(m, p.output));
    TRY(smr_model_apply_after(ctx, m, f->set->table, rows, n, p.output,
                              SMR_MIN((int64_t)round, smr_model_rounds(m)), value));
    p.value = value;
    TRY(smr_predicted_measure(ctx, f->set, &p, &f->measure, 1, out));
out:
    smr_free(value);
    return st;
}

static smr_status measure_folds(smr_ctx *ctx, struct folded *f, int64_t *rows)
{
    smr_status st = SMR_OK;
    smr_span span;
    smr_span_open(ctx, &span, "rounds", f->n * f->n_folds);
    for (int64_t k = 0; k < f->n_folds; k++) {
        const int64_t *test;
        int64_t n_train = 0, n_test = 0;
        smr_cv_round(f->plan, k, rows, &n_train, &test, &n_test);
        for (int64_t i = 0; i < f->n; i++) {
            int64_t at = i * f->n_folds + k;
            TRY(smr_span_at(ctx, &span, k * f->n + i, NAN));
            TRY(measure_part(ctx, f, k, f->rounds[i], rows, n_train, &f->train[at]));
            TRY(measure_part(ctx, f, k, f->rounds[i], test, n_test, &f->test[at]));
        }
    }
out:
    smr_span_close(ctx, &span);
    return st;
}

static smr_status tell_folds(smr_ctx *ctx, const struct folded *f, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_curve_point *points = NULL;
    double ratio = smr_cv_test_over_train(f->plan), *mean = NULL;
    TRY_NEW(points, f->n);
    TRY_NEW(mean, f->n);
    smr_json_add_string(into, "measure", f->measure->name);
    smr_cv_plan_json(f->plan, into);
    smr_json_add_number(into, "n_rounds", (double)f->most);
    smr_json *rows = smr_json_add_array(into, "points");
    for (int64_t i = 0; i < f->n; i++) {
        int64_t at = i * f->n_folds;
        points[i].train = smr_cv_summary_of(f->train + at, f->n_folds, 1, ratio, 0.95);
        points[i].validation = smr_cv_summary_of(f->test + at, f->n_folds, 1, ratio, 0.95);
        mean[i] = points[i].validation.mean;
        smr_json *row = smr_json_add_object(rows, NULL);
        smr_json_add_number(row, "rounds", f->rounds[i]);
        smr_curve_point_json(&points[i], row);
    }
    int64_t best = best_of(f->measure, mean, f->n);
    smr_json *at = smr_json_add_object(into, "best");
    smr_json_add_number(at, "rounds", f->rounds[best]);
    smr_json_add_number(at, "validation", mean[best]);
    smr_json *figure = begin_figure(f->measure, true, smr_json_add_array(into, "figures"));
    TRY(smr_curve_draw(ctx, points, f->n, f->rounds, figure));
    st = smr_json_done(into->doc);
out:
    smr_free(points);
    smr_free(mean);
    return st;
}

smr_status smr_curve_rounds_cv(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                               const smr_curve_how *how, smr_json *into)
{
    struct folded f = {.set = set};
    smr_cv_plan *plan = NULL;
    int64_t *rows = NULL;
    smr_status st = SMR_OK;
    TRY(smr_curve_measure(ctx, &how->ask, spec, &set->target, &f.measure));
    TRY(smr_cv_ask_plan(ctx, &how->ask, set, &plan));
    f.plan = plan;
    f.n_folds = smr_cv_rounds(plan);
    TRY_NEW(rows, smr_cv_most_train(plan));
    TRY_NEW(f.models, f.n_folds);
    TRY(fit_folds(ctx, spec, &f, rows));
    f.n = choose_rounds(f.most, f.rounds);
    TRY_NEW(f.train, f.n * f.n_folds);
    TRY_NEW(f.test, f.n * f.n_folds);
    TRY(measure_folds(ctx, &f, rows));
    TRY(tell_folds(ctx, &f, into));
out:
    for (int64_t k = 0; f.models && k < f.n_folds; k++) smr_model_free(f.models[k]);
    smr_free(f.models);
    smr_free(f.train);
    smr_free(f.test);
    smr_free(rows);
    smr_cv_plan_free(plan);
    return st;
}
