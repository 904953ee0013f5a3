/* tune_figures.c -- a search as curves: the score by trial, and against each searched number. */
#include "core/figure.h"
#include "study/tune_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_WHISKERS = 40 }; /* more would hide the points */

/* The trials of the rung that was won, in order of their numbers, and the best score up to each. */
static smr_status add_history(smr_ctx *ctx, const smr_tuning *t, smr_json *figures)
{
    const smr_rung *rung = &t->rungs[t->best->rung];
    const smr_trial *best = NULL;
    smr_status st = SMR_OK;
    double *x = NULL, *y = NULL, *so_far = NULL;
    TRY_NEW(x, rung->n);
    TRY_NEW(y, rung->n);
    TRY_NEW(so_far, rung->n);
    for (int64_t i = 0; i < rung->n; i++) {
        const smr_trial *trial = &t->trials[rung->first + i];
        bool done = trial->state == SMR_TRIAL_DONE;
        if (done && (!best || smr_trial_better(t, trial, best))) best = trial;
        x[i] = (double)trial->number;
        y[i] = done ? trial->mean : NAN;
        so_far[i] = best ? best->mean : NAN;
    }
    smr_json *figure = smr_figure_add(
        figures, "trials", "Score by trial",
        t->n_rungs > 1 ? "Only the trials of the last rung, which used all rows." : NULL);
    smr_json *axis = smr_figure_axis(figure, "x", "trial", "linear");
    smr_json_add_number(axis, "min", 0);
    smr_json_add_number(axis, "max", (double)(t->points.n + 1));
    smr_figure_axis(figure, "y", t->measure->name, "linear");
    smr_figure_series(figure, "trial", "points", rung->n, x, y);
    smr_figure_series(figure, "best so far", "step", rung->n, x, so_far);
    if (t->trials[0].state == SMR_TRIAL_DONE)
        smr_figure_mark(figure, "hline", t->trials[0].mean, "as given");
out:
    smr_free(x);
    smr_free(y);
    smr_free(so_far);
    return st;
}

/* Score against the values of one dim, with one standard error to each side. */
static smr_status add_dim(smr_ctx *ctx, const smr_tuning *t, int64_t d, smr_json *figures)
{
    const smr_rung *rung = &t->rungs[t->best->rung];
    smr_status st = SMR_OK;
    smr_text name = {.ctx = ctx}, title = {.ctx = ctx};
    double *x = NULL, *y = NULL, *low = NULL, *high = NULL, least = INFINITY;
    int64_t n = 0;
    TRY_NEW(x, rung->n);
    TRY_NEW(y, rung->n);
    TRY_NEW(low, rung->n);
    TRY_NEW(high, rung->n);
    for (int64_t i = 0; i < rung->n; i++) {
        const smr_trial *trial = &t->trials[rung->first + i];
        x[n] = smr_dim_number(t->space, trial->point, d);
        if (trial->state != SMR_TRIAL_DONE || isnan(x[n])) continue;
        y[n] = trial->mean;
        low[n] = trial->mean - trial->se;
        high[n] = trial->mean + trial->se;
        least = smr_fmin(least, x[n++]);
    }
    if (n == 0) goto out;
    smr_text_printf(&name, "search_%s", smr_dim_name(t->space, d));
    for (char *c = name.bytes; c && *c; c++)
        if (*c == '.') *c = '_';
    smr_text_printf(&title, "%s against %s", t->measure->title, t->space->dims[d].address->text);
    TRY(smr_text_done(&name));
    TRY(smr_text_done(&title));
    bool is_log = t->space->dims[d].scale == SMR_SEARCH_LOG && least > 0;
    bool whiskers = t->n_rounds > 1 && n <= MOST_WHISKERS;
    smr_json *figure =
        smr_figure_add(figures, name.bytes, title.bytes,
                       whiskers ? "The bars show one standard error to each side." : NULL);
    smr_figure_axis(figure, "x", smr_dim_name(t->space, d), is_log ? "log" : "linear");
    smr_figure_axis(figure, "y", t->measure->name, "linear");
    smr_json *points = smr_figure_series(figure, "trial", "points", n, x, y);
    if (whiskers) {
        smr_json_add_numbers(points, "low", low, n);
        smr_json_add_numbers(points, "high", high, n);
    }
    double at = smr_dim_number(t->space, t->winner->point, d);
    if (!isnan(at)) smr_figure_series(figure, "winner", "points", 1, &at, &t->winner->mean);
out:
    smr_text_release(&name);
    smr_text_release(&title);
    smr_free(x);
    smr_free(y);
    smr_free(low);
    smr_free(high);
    return st;
}

smr_status smr_tune_figures(smr_ctx *ctx, const smr_tuning *t, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_json *figures = smr_json_add_array(into, "figures");
    TRY(add_history(ctx, t, figures));
    for (int64_t d = 0; d < t->space->n_dims; d++)
        if (t->space->dims[d].is_number) TRY(add_dim(ctx, t, d, figures));
out:
    return st;
}
