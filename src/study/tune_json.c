/* tune_json.c -- what a search reports: see tune.h and docs/tune.md. */
#include "core/number.h"
#include "study/cv_plan.h"
#include "study/fitted.h"
#include "study/tune_parts.h"
#include "study/warnings.h"

#include <math.h>
#include <string.h>

enum { TOP_TRIALS = 10 };

/* ---- names and values ------------------------------------------------------------------- */

/* The parameter's own name where no other searched one has it, else the address. */
const char *smr_dim_name(const smr_space *space, int64_t d)
{
    const char *name = smr_address_last(space->dims[d].address)->param->name;
    for (int64_t e = 0; e < space->n_dims; e++)
        if (e != d && strcmp(smr_address_last(space->dims[e].address)->param->name, name) == 0)
            return space->dims[d].address->text;
    return name;
}

double smr_dim_number(const smr_space *space, const smr_space_point *point, int64_t d)
{
    const char *text = point->value[d];
    double x;
    if (!text || !space->dims[d].is_number) return NAN;
    const char *end = text + strlen(text);
    return smr_parse_double(text, end, &x) == end ? x : NAN;
}

static void add_value(const smr_space *space, const smr_space_point *point, int64_t d,
                      const char *key, smr_json *into)
{
    double x = smr_dim_number(space, point, d);
    if (!point->value[d])
        smr_json_add_null(into, key);
    else if (isnan(x))
        smr_json_add_string(into, key, point->value[d]);
    else
        smr_json_add_number(into, key, x);
}

void smr_tune_params(const smr_tuning *t, const smr_trial *trial, smr_json *into)
{
    smr_json *params = smr_json_add_object(into, "params");
    for (int64_t d = 0; trial->point && d < t->space->n_dims; d++)
        add_value(t->space, trial->point, d, t->space->dims[d].address->text, params);
}

/* ---- what was searched ------------------------------------------------------------------ */

static void add_space(const smr_space *space, smr_json *into)
{
    smr_json_add_string(into, "over", space->text);
    smr_json *list = smr_json_add_array(into, "space");
    for (int64_t d = 0; d < space->n_dims; d++) {
        const smr_dim *dim = &space->dims[d];
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "parameter", dim->address->text);
        smr_json *parts = smr_json_add_array(row, "values");
        for (int64_t i = 0; i < dim->n_parts; i++) {
            const smr_space_part *part = &dim->parts[i];
            if (part->value) {
                smr_json_add_string(parts, NULL, part->value);
                continue;
            }
            smr_json *range = smr_json_add_object(parts, NULL);
            smr_json_add_number(range, "from", part->from);
            smr_json_add_number(range, "to", part->to);
            smr_json_add_string(range, "scale", part->scale == SMR_SEARCH_LOG ? "log" : "linear");
            if (part->step > 0) smr_json_add_number(range, "step", part->step);
            if (part->count) smr_json_add_number(range, "count", (double)part->count);
        }
    }
}

static void add_scoring(const smr_tuning *t, smr_json *into)
{
    smr_json *scoring = smr_json_add_object(into, "scoring");
    if (t->plan) {
        smr_cv_plan_json(t->plan, scoring);
    } else {
        smr_json_add_string(scoring, "kind", "table");
        smr_json_add_number(scoring, "rounds", 1);
        smr_json_add_number(scoring, "rows", (double)t->opts.validation_rows->n_rows);
    }
    if (t->opts.validation > 0) smr_json_add_number(scoring, "share", t->opts.validation);
}

static void add_search(const smr_tuning *t, smr_json *into)
{
    static const char *const names[] = {"grid", "random", "halving"};
    int64_t finished = 0, failed = 0, known = 0;
    for (int64_t i = 1; i < t->n_trials; i++) {
        finished += t->trials[i].state == SMR_TRIAL_DONE;
        failed += t->trials[i].state == SMR_TRIAL_FAILED;
        known += t->trials[i].from_log;
    }
    smr_json *search = smr_json_add_object(into, "search");
    smr_json_add_string(search, "kind", names[t->search]);
    smr_json_add_number(search, "candidates", (double)t->points.n);
    smr_json_add_number(search, "same", (double)t->points.n_same);
    smr_json_add_number(search, "done", (double)(finished + failed));
    smr_json_add_number(search, "finished", (double)finished);
    smr_json_add_number(search, "failed", (double)failed);
    smr_json_add_number(search, "from_log", (double)known);
    smr_json_add_bool(search, "out_of_time", t->out_of_time);
    if (t->search != SMR_HALVING) return;
    double rows = t->plan ? (double)smr_cv_most_train(t->plan) : (double)t->set.n_rows;
    smr_json *rungs = smr_json_add_array(search, "rungs");
    for (int64_t r = 0; r < t->n_rungs; r++) {
        smr_json *row = smr_json_add_object(rungs, NULL);
        smr_json_add_number(row, "rung", (double)(r + 1));
        smr_json_add_number(row, "candidates", (double)t->rungs[r].n);
        smr_json_add_number(row, "share", t->rungs[r].share);
        smr_json_add_number(row, "rows", floor(rows * t->rungs[r].share + 0.5));
    }
}

/* ---- trials ----------------------------------------------------------------------------- */

static void add_score(const smr_trial *trial, smr_json *into)
{
    smr_json_add_number(into, "score", trial->mean);
    smr_json_add_number(into, "sd", trial->sd);
    smr_json_add_number(into, "se", trial->se);
}

static void add_trials(const smr_tuning *t, smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "trials");
    for (int64_t i = 1; i < t->n_trials; i++) {
        const smr_trial *trial = &t->trials[i];
        if (!trial->score) continue; /* a rung that was not reached */
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "trial", (double)trial->number);
        if (t->search == SMR_HALVING) smr_json_add_number(row, "rung", (double)(trial->rung + 1));
        smr_tune_params(t, trial, row);
        if (trial->state == SMR_TRIAL_DONE) {
            add_score(trial, row);
            smr_json_add_numbers(row, "rounds", trial->score, t->n_rounds);
        }
        if (trial->error) smr_json_add_string(row, "error", trial->error);
        if (trial->state != SMR_TRIAL_WAITING) smr_json_add_number(row, "seconds", trial->seconds);
    }
}

/* The best ten of the last rung that was reached, as a table. */
static smr_status add_top(smr_ctx *ctx, const smr_tuning *t, smr_json *into)
{
    const smr_rung *rung = &t->rungs[t->best->rung];
    smr_json *list = smr_json_add_array(into, "top");
    smr_status st = SMR_OK;
    int64_t *order = NULL;
    TRY_NEW(order, rung->n);
    TRY(smr_tune_order(ctx, t, t->best->rung, order));
    for (int64_t i = 0; i < rung->n && i < TOP_TRIALS; i++) {
        const smr_trial *trial = &t->trials[order[i]];
        if (trial->state != SMR_TRIAL_DONE) break;
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "trial", (double)trial->number);
        for (int64_t d = 0; d < t->space->n_dims; d++)
            add_value(t->space, trial->point, d, smr_dim_name(t->space, d), row);
        smr_json_add_number(row, t->measure->name, trial->mean);
        if (!isnan(trial->se)) smr_json_add_number(row, "std error", trial->se);
    }
out:
    smr_free(order);
    return st;
}

static void add_winner(const smr_tuning *t, const smr_trial *trial, const char *key, smr_json *into)
{
    smr_json *row = smr_json_add_object(into, key);
    smr_json_add_number(row, "trial", (double)trial->number);
    smr_json_add_string(row, "spec", trial->sentence);
    smr_tune_params(t, trial, row);
    add_score(trial, row);
    if (trial == t->winner) smr_json_add_number(row, "equal", (double)smr_tune_ties(t));
}

static void add_start(const smr_tuning *t, smr_json *into)
{
    const smr_trial *start = &t->trials[0];
    smr_json *row = smr_json_add_object(into, "start");
    smr_json_add_string(row, "spec", start->sentence);
    if (start->error)
        smr_json_add_string(row, "error", start->error);
    else
        add_score(start, row);
}

/* ---- rows that the search never saw ----------------------------------------------------- */

smr_status smr_tune_unseen(smr_ctx *ctx, const smr_tuning *t, const smr_spec *spec, double *value,
                           int64_t *rows, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_model *model = NULL;
    smr_sample sample = {.table = t->opts.test};
    smr_log_fn log = ctx->log;
    if (!t->opts.test)
        sample = (smr_sample){.table = t->whole->table,
                              .rows = t->test_rows,
                              .n_rows = t->n_test,
                              .weight = t->whole->weight};
    ctx->log = NULL; /* what this fit would warn of is not about the model that is kept */
    TRY(smr_fit(ctx, spec, &t->set, NULL, 0, &model));
    TRY(smr_tune_measure(ctx, t, model, &sample, value, rows));
    if (into) TRY(smr_judge(ctx, model, &sample, &(smr_judging){0}, into));
    if (into) TRY(smr_fitted_json(ctx, model, into));
out:
    ctx->log = log;
    smr_model_free(model);
    return st;
}

static void add_signless(smr_text *text, double x)
{
    smr_text_rounded(text, fabs(x), 3);
}

/* How far the unseen score may be off by chance; false where that is not known. */
static bool add_chance(const smr_tuning *t, double unseen, int64_t rows, const smr_json *test,
                       smr_text *text)
{
    bool share = !strcmp(t->measure->name, "accuracy") || !strcmp(t->measure->name, "error");
    const smr_json *interval = smr_json_get(smr_json_get(test, "intervals"), t->measure->name);
    if (share) { /* of a share estimated with one more hit and one more miss, so never 0 */
        double n = (double)rows, p = (n * unseen + 1) / (n + 2);
        smr_text_add(text, "; the standard error of a share of this many rows is ");
        smr_text_rounded(text, sqrt(p * (1 - p) / n), 2);
        return true;
    }
    if (!interval || interval->type != SMR_JSON_ARRAY || interval->n != 2) return false;
    smr_text_add(text, "; the 95 % interval of the score on this many rows is ");
    smr_text_rounded(text, interval->first->number, 3);
    smr_text_add(text, " to ");
    smr_text_rounded(text, interval->first->next->number, 3);
    return true;
}

/* One sentence about the difference: gap > 0 means worse on the rows that were not seen.  Its cause
 * is only stated for measures whose chance variation is known. */
static smr_status explain(smr_ctx *ctx, const smr_tuning *t, double unseen, int64_t rows,
                          const smr_json *test, smr_json *into)
{
    bool higher = t->measure->higher_is_better;
    double gap = higher ? t->winner->mean - unseen : unseen - t->winner->mean;
    smr_text text = {.ctx = ctx}, chance = {.ctx = ctx};
    bool known = add_chance(t, unseen, rows, test, &chance);
    smr_text_printf(&text, "On %lld row%s that the search never saw, the winner's %s is ",
                    (long long)rows, smr_plural(rows, "", "s"), t->measure->name);
    if (gap > 0) {
        smr_text_add(&text, "worse than its validation score by ");
        add_signless(&text, gap);
        if (known)
            smr_text_printf(&text, ": being the best of %lld flatters a score",
                            (long long)t->points.n);
    } else {
        smr_text_add(&text, "no worse than its validation score");
        if (gap < 0) {
            smr_text_add(&text, " (");
            add_signless(&text, gap);
            smr_text_add(&text, " better)");
        }
        if (known)
            smr_text_printf(&text, ": choosing the best of %lld has not flattered it here",
                            (long long)t->points.n);
    }
    smr_status st = smr_text_done(&chance);
    if (st == SMR_OK)
        smr_text_add(&text, known ? chance.bytes : "; how much of that is chance is not known");
    smr_text_add(&text, ".");
    if (st == SMR_OK) st = smr_text_done(&text);
    smr_json *row = smr_json_add_object(into, "optimism");
    smr_json_add_number(row, "difference", gap);
    if (st == SMR_OK) smr_json_add_string(row, "text", text.bytes);
    smr_text_release(&text);
    smr_text_release(&chance);
    return st;
}

/* A search that found nothing better than what it started from says so. */
static smr_status explain_help(smr_ctx *ctx, const smr_tuning *t, double winner, double given,
                               smr_json *into)
{
    bool better = t->measure->higher_is_better ? winner > given : winner < given;
    smr_text text = {.ctx = ctx};
    if (isnan(winner) || isnan(given)) return SMR_OK;
    smr_json_add_bool(into, "helped", better);
    if (better) return SMR_OK;
    smr_text_printf(&text, "Tuning did not help here: on the unseen rows the winner's %s is ",
                    t->measure->name);
    smr_text_rounded(&text, winner, 4);
    smr_text_add(&text, ", and that of the sentence as given ");
    smr_text_rounded(&text, given, 4);
    smr_text_add(&text, ".");
    smr_status st = smr_text_done(&text);
    if (st == SMR_OK) smr_json_add_string(into, "help_text", text.bytes);
    smr_text_release(&text);
    return st;
}

static void add_scores_row(smr_json *list, const char *what, double validation, double unseen,
                           bool has_unseen)
{
    smr_json *row = smr_json_add_object(list, NULL);
    smr_json_add_string(row, "sentence", what);
    smr_json_add_number(row, "validation", validation);
    if (has_unseen) smr_json_add_number(row, "unseen rows", unseen);
}

/* The winner and the sentence as given, unless the time is up before both are measured. */
static smr_status measure_both(smr_ctx *ctx, smr_tuning *t, double *winner, double *given,
                               int64_t *rows, smr_json *test)
{
    const smr_trial *start = &t->trials[0];
    smr_status st = SMR_OK;
    smr_set_deadline(ctx, isfinite(t->deadline) ? t->deadline : 0);
    TRY(smr_tune_unseen(ctx, t, t->winner->spec, winner, rows, test));
    if (start->state == SMR_TRIAL_DONE)
        TRY(smr_tune_unseen(ctx, t, start->spec, given, rows, NULL));
out:
    if (st == SMR_ERR_CANCELLED && smr_is_late(ctx)) {
        smr_begin(ctx);
        t->untested = isnan(*winner);
        st = SMR_OK;
    }
    smr_set_deadline(ctx, 0);
    return st;
}

static smr_status add_unseen(smr_ctx *ctx, smr_tuning *t, smr_json *into)
{
    const smr_trial *start = &t->trials[0];
    bool has = t->opts.test || t->n_test > 0;
    double winner = NAN, given = NAN;
    int64_t rows = 0;
    smr_status st = SMR_OK;
    smr_json *test = smr_json_add_object(into, "test");
    smr_json_add_string(test, "on", t->opts.test ? "test" : has ? "holdout" : "nothing");
    if (has) TRY(measure_both(ctx, t, &winner, &given, &rows, test));
    if (has && !t->untested) smr_json_add_number(test, "rows", (double)rows);
    if (t->untested) smr_json_add_bool(test, "out_of_time", true);
    smr_json *scores = smr_json_add_array(into, "scores");
    add_scores_row(scores, "winner", t->winner->mean, winner, has);
    add_scores_row(scores, "as given", start->mean, given, has);
    if (has && !isnan(winner)) TRY(explain(ctx, t, winner, rows, test, into));
    if (has) TRY(explain_help(ctx, t, winner, given, into));
out:
    return st;
}

/* For the rows that the search never saw, where there are some, else for its score. */
static smr_status add_advice(smr_ctx *ctx, const smr_tuning *t, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_json *advice;
    const smr_json *test = smr_json_get(into, "test"), *measures = smr_json_get(test, "measures");
    bool classes = t->whole->label != NULL, ordered = t->plan && t->plan->kind == SMR_CV_ORDERED;
    double left = smr_left_by(t->measure, t->winner->mean, &t->set);
    int64_t n = t->set.n_rows;
    if (measures) {
        left = classes ? smr_json_get_number(measures, "error", NAN)
                       : 1 - smr_json_get_number(measures, "r2", NAN);
        n = (int64_t)smr_json_get_number(test, "rows", 0);
    }
    TRY(smr_advice_json(ctx, t->whole, into, &advice));
    if (t->plan && !ordered) smr_advise_order(ctx, t->whole, "--ordered or --order-by", advice);
    TRY(smr_advise_set_too_good(ctx, t->whole, left, n, advice));
out:
    return st;
}

/* ---- all -------------------------------------------------------------------------------- */

smr_status smr_tune_describe(smr_ctx *ctx, smr_tuning *t, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_json_add_string(into, "spec", t->space->sentence);
    smr_json_add_string(into, "task", smr_task_name(t->whole->target.task));
    smr_json *targets = smr_json_add_array(into, "target");
    for (int64_t j = 0; j < t->whole->target.n; j++)
        smr_json_add_string(targets, NULL, t->whole->target.names[j]);
    smr_json_add_number(into, "rows", (double)t->whole->n_rows);
    smr_json_add_number(into, "search_rows", (double)t->set.n_rows);
    smr_json_add_number(into, "seed", (double)ctx->seed);
    smr_json_add_string(into, "measure", t->measure->name);
    smr_json_add_bool(into, "higher_is_better", t->measure->higher_is_better);
    add_space(t->space, into);
    add_scoring(t, into);
    add_search(t, into);
    TRY(add_top(ctx, t, into));
    add_winner(t, t->winner, "winner", into);
    if (t->opts.one_se) add_winner(t, t->best, "best", into);
    add_start(t, into);
    TRY(add_unseen(ctx, t, into));
    add_trials(t, into);
    smr_json_add_number(into, "search_seconds", t->seconds);
    TRY(add_advice(ctx, t, into));
    TRY(smr_tune_figures(ctx, t, into));
    TRY(smr_json_done(into->doc));
out:
    return st;
}
