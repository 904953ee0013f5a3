/* tune.c -- see tune.h: what is checked, the parts of the rows, the three searches. */
#include "study/tune.h"

#include "core/rng.h"
#include "core/sort.h"
#include "core/text.h"
#include "data/hash.h"
#include "data/pick.h"
#include "learn/task.h"
#include "study/holdout.h"
#include "study/judge.h"
#include "study/tune_parts.h"

#include <math.h>
#include <string.h>

enum { ETA = 3, USUAL_TRIALS = 50, LEAST_ROWS = 50, MOST_TRIALS = 100000 };
static const double USUAL_HOLDOUT = 0.2;

/* ---- options ---------------------------------------------------------------------------- */

static smr_status read_search(smr_ctx *ctx, smr_tuning *t)
{
    static const char *const names[] = {"grid", "random", "halving"};
    const char *name = t->opts.search;
    bool automatic = !t->opts.over || strcmp(t->opts.over, "auto") == 0;
    if (!name) {
        t->search = automatic || t->opts.trials ? SMR_RANDOM : SMR_GRID;
    } else {
        int64_t k = 0;
        while (k < SMR_COUNT(names) && strcmp(names[k], name) != 0) k++;
        if (k == SMR_COUNT(names)) {
            int64_t near = smr_nearest(name, names, SMR_COUNT(names));
            return smr_fail(ctx, SMR_ERR_PARAM, "there is no search '%.60s'; %s%s", name,
                            near < 0 ? "grid, random or halving" : "did you mean ",
                            near < 0 ? "" : names[near]);
        }
        t->search = (smr_search_kind)k;
    }
    if (t->search == SMR_GRID && t->opts.trials)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "a grid tries every point; trials are for random and halving");
    bool draws = t->search == SMR_RANDOM || automatic;
    if (draws && t->search != SMR_GRID && !t->opts.trials) t->opts.trials = USUAL_TRIALS;
    return SMR_OK;
}

static smr_status read_measure(smr_ctx *ctx, const smr_spec *spec, smr_tuning *t)
{
    smr_cv_ask ask = t->ask;
    ask.measure = t->opts.measure;
    if (t->whole->target.task == SMR_TASK_NONE)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "there is no target to score with; name its column with --target");
    smr_status st = smr_judge_check(ctx, &t->whole->target);
    if (st != SMR_OK) return st;
    return smr_cv_ask_decider(ctx, &ask, t->whole, &spec, 1, &t->measure);
}

static smr_status check_opts(smr_ctx *ctx, const smr_tuning *t)
{
    const smr_tune_opts *o = &t->opts;
    if (o->trials < 0 || o->trials > MOST_TRIALS)
        return smr_fail(ctx, SMR_ERR_PARAM, "trials: from 1 to %d", (int)MOST_TRIALS);
    if (!(o->validation >= 0 && o->validation < 1))
        return smr_fail(ctx, SMR_ERR_PARAM, "validation: a share between 0 and 1");
    if (!(o->holdout < 1))
        return smr_fail(ctx, SMR_ERR_PARAM, "holdout: a share from 0 to below 1");
    if (!(o->seconds >= 0))
        return smr_fail(ctx, SMR_ERR_PARAM, "the time is a number of seconds from 0 up");
    if (o->nested && o->nested < 2)
        return smr_fail(ctx, SMR_ERR_PARAM, "nested: at least 2 folds, each with a whole search");
    if (o->nested && o->seconds > 0)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--nested and --time exclude each other: --nested repeats the whole "
                        "search, which --time may cut short");
    if (o->log && o->resume)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "a resumed search continues its own log; give one of the two");
    if ((o->validation > 0 || o->validation_rows) &&
        (t->ask.folds || t->ask.repeats > 1 || t->ask.leave_one_out || t->ask.ordered ||
         t->ask.order_by))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "scores come from folds or from a validation part, not from both");
    if (o->validation > 0 && o->validation_rows)
        return smr_fail(ctx, SMR_ERR_PARAM, "the validation part is a share or a table, not both");
    if (o->one_se && (o->validation > 0 || o->validation_rows))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "the one-standard-error rule needs several rounds: folds, not a "
                        "validation part");
    if (o->one_se && !smr_tune_can_simplify(t->space))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "the one-standard-error rule takes the simplest model, but no searched "
                        "parameter (%.200s) says which values are simpler",
                        t->space->text);
    return SMR_OK;
}

/* ---- parts of the rows ------------------------------------------------------------------ */

/* When each usable row was: by the column that orders them, else by their place. */
static smr_status read_times(smr_ctx *ctx, const smr_tuning *t, double *time)
{
    smr_status st = SMR_OK;
    const smr_table *table = t->whole->table;
    int64_t col = -1;
    if (t->ask.order_by) TRY(smr_pick_column(ctx, table, t->ask.order_by, &col));
    for (int64_t i = 0; i < t->whole->n_rows; i++) {
        int64_t row = smr_train_set_row(t->whole, i);
        time[i] = col < 0 ? (double)i : smr_column_number(&table->cols[col], row);
    }
out:
    return st;
}

/* The place nearest to `cut` where one time ends and the next begins; `cut` where there is none. */
static int64_t cut_between_times(int64_t n, const double *time, const int64_t *order, int64_t cut)
{
    int64_t lo = cut, hi = cut;
    while (lo > 0 && time[order[lo]] == time[order[lo - 1]]) lo--;
    while (hi < n && time[order[hi]] == time[order[hi - 1]]) hi++;
    if (lo == 0 && hi == n) return cut;
    return lo > 0 && (hi == n || cut - lo <= hi - cut) ? lo : hi;
}

/* With rounds in order of time, the latest rows are those that the search never sees. */
static smr_status hold_out_latest(smr_ctx *ctx, smr_tuning *t, double share)
{
    smr_status st = SMR_OK;
    int64_t n = t->whole->n_rows, seen = 0, unseen = 0, *order = NULL;
    double *time = NULL;
    bool *is_late = NULL;
    TRY_NEW(order, n);
    TRY_NEW(time, n);
    TRY_NEW(is_late, n);
    TRY(read_times(ctx, t, time));
    TRY(smr_argsort_f64(ctx, n, time, order));
    t->n_test = (int64_t)floor(share * (double)n + 0.5);
    t->n_test = n - cut_between_times(n, time, order, n - SMR_MIN(SMR_MAX(t->n_test, 1), n - 1));
    for (int64_t k = n - t->n_test; k < n; k++) is_late[order[k]] = true;
    for (int64_t i = 0; i < n; i++) {
        int64_t *to = is_late[i] ? &t->test_rows[unseen++] : &t->rows[seen++];
        *to = smr_train_set_row(t->whole, i);
    }
out:
    smr_free(order);
    smr_free(time);
    smr_free(is_late);
    return st;
}

static smr_status hold_out(smr_ctx *ctx, smr_tuning *t)
{
    double share = t->opts.holdout == 0 ? USUAL_HOLDOUT : t->opts.holdout;
    int64_t n = t->whole->n_rows;
    smr_status st = SMR_OK;
    smr_parts parts = {0};
    t->set = *t->whole; /* borrowed: never released */
    t->set.spend = false;
    if (t->opts.test || share <= 0 || n < 2) return SMR_OK;
    TRY_NEW(t->rows, n);
    TRY_NEW(t->test_rows, n);
    if (t->ask.ordered || t->ask.order_by) {
        TRY(hold_out_latest(ctx, t, share));
    } else {
        TRY(smr_set_holdout(ctx, t->whole, &share, 1, &parts));
        t->n_test = smr_part_size(&parts, 1);
        memcpy(t->rows, smr_part_rows(&parts, 0), (size_t)(n - t->n_test) * sizeof *t->rows);
        memcpy(t->test_rows, smr_part_rows(&parts, 1), (size_t)t->n_test * sizeof *t->rows);
    }
    t->set.usable = t->rows;
    t->set.n_rows = n - t->n_test;
out:
    smr_parts_release(&parts);
    return st;
}

/* Where the holdout took most of the rows, it is to blame for too few rows for the folds. */
static smr_status check_rows_left(smr_ctx *ctx, const smr_tuning *t)
{
    int64_t folds = t->ask.folds ? t->ask.folds : 5;
    bool parts = t->opts.validation > 0 || t->opts.validation_rows || t->ask.leave_one_out;
    if (t->n_test == 0 || parts || t->set.n_rows >= folds || t->whole->n_rows < folds)
        return SMR_OK;
    return smr_fail(ctx, SMR_ERR_DATA,
                    "%lld of %lld rows %s held out, which leaves %lld for %lld folds; hold out "
                    "fewer with --holdout",
                    (long long)t->n_test, (long long)t->whole->n_rows,
                    smr_plural(t->n_test, "is", "are"), (long long)t->set.n_rows, (long long)folds);
}

smr_status smr_tune_plan(smr_ctx *ctx, smr_tuning *t)
{
    smr_cv_opts part = {
        .kind = SMR_CV_HOLDOUT, .holdout = t->opts.validation, .no_strata = t->ask.no_strata};
    t->n_rounds = 1;
    if (t->opts.validation_rows) return SMR_OK;
    smr_status st = smr_cv_ask_strata(ctx, &t->ask, &t->set);
    if (st != SMR_OK) return st;
    st = t->opts.validation > 0 ? smr_cv_plan_create(ctx, &t->set, &part, &t->plan)
                                : smr_cv_ask_plan(ctx, &t->ask, &t->set, &t->plan);
    if (st == SMR_OK) t->n_rounds = smr_cv_rounds(t->plan);
    return st;
}

/* ---- the log's header ------------------------------------------------------------------- */

static smr_status add_table_hash(smr_ctx *ctx, smr_json *header, const char *key,
                                 const smr_table *table)
{
    smr_status st = SMR_OK;
    uint64_t hash[2];
    int64_t *missing = NULL, *infinite = NULL;
    smr_text text = {.ctx = ctx};
    TRY_NEW(missing, table->n_cols + 1);
    TRY_NEW(infinite, table->n_cols + 1);
    TRY(smr_table_examine(ctx, table, hash, missing, infinite));
    smr_text_printf(&text, "%016llx%016llx", (unsigned long long)hash[0],
                    (unsigned long long)hash[1]);
    TRY(smr_text_done(&text));
    smr_json_add_string(header, key, text.bytes);
out:
    smr_free(missing);
    smr_free(infinite);
    smr_text_release(&text);
    return st;
}

static const char *search_name(smr_search_kind kind)
{
    return kind == SMR_GRID ? "grid" : kind == SMR_RANDOM ? "random" : "halving";
}

/* All that decides a score. */
static smr_status fill_header(smr_ctx *ctx, const smr_tuning *t, smr_json *header)
{
    smr_status st = SMR_OK;
    smr_trial_log_header(ctx, "tune", &t->set, header);
    smr_json_add_string(header, "sentence", t->space->sentence);
    smr_json_add_string(header, "space", t->space->text);
    smr_json_add_string(header, "search", search_name(t->search));
    if (t->search == SMR_HALVING) smr_json_add_number(header, "candidates", (double)t->points.n);
    smr_json_add_string(header, "measure", t->measure->name);
    smr_json *scoring = smr_json_add_object(header, "scoring");
    if (t->plan) smr_cv_plan_json(t->plan, scoring);
    if (t->opts.validation > 0) smr_json_add_number(scoring, "share", t->opts.validation);
    if (t->ask.order_by) smr_json_add_string(scoring, "order_by", t->ask.order_by);
    if (!t->plan) TRY(add_table_hash(ctx, scoring, "table", t->opts.validation_rows));
    smr_json_add_number(header, "held_out", (double)t->n_test);
    smr_trial_log_header_rows(&t->set, header);
    TRY(smr_json_done(header->doc));
out:
    return st;
}

static smr_status open_log(smr_ctx *ctx, smr_tuning *t)
{
    const char *path = t->opts.resume ? t->opts.resume : t->opts.log;
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    if (!path) return SMR_OK;
    TRY(smr_json_create(ctx, &doc));
    TRY(fill_header(ctx, t, smr_json_root(doc)));
    TRY(smr_trial_log_open(ctx, path, t->opts.resume != NULL, smr_json_root(doc), t->n_rounds,
                           &t->log));
out:
    smr_json_free(doc);
    return st;
}

/* ---- trials ----------------------------------------------------------------------------- */

/* Shares and sizes of the rungs: one, except with halving. */
static void plan_rungs(smr_tuning *t)
{
    int64_t n = t->points.n, first = 1, extra = 0;
    double rows = t->plan ? (double)smr_cv_most_train(t->plan) : (double)t->set.n_rows;
    if (t->search == SMR_HALVING)
        for (int64_t m = n; m >= ETA && rows / ETA >= LEAST_ROWS && extra + 1 < SMR_MOST_RUNGS;
             m /= ETA, rows /= ETA)
            extra++;
    t->n_rungs = extra + 1;
    double share = 1;
    for (int64_t r = extra; r >= 0; r--, share /= ETA) t->rungs[r].share = share;
    for (int64_t r = 0; r < t->n_rungs; r++, n /= ETA) {
        t->rungs[r].first = first;
        t->rungs[r].n = n;
        first += n;
    }
    t->n_trials = first;
}

static smr_status begin_trial(smr_ctx *ctx, smr_tuning *t, int64_t i, int64_t rung, int64_t point)
{
    smr_trial *trial = &t->trials[i];
    const smr_space_point *p = point >= 0 ? &t->points.at[point] : NULL;
    *trial = (smr_trial){.number = point + 1,
                         .rung = rung,
                         .point = p,
                         .spec = p ? p->spec : t->space->spec,
                         .sentence = p ? p->sentence : t->space->sentence,
                         .share = t->rungs[rung].share,
                         .mean = NAN,
                         .sd = NAN,
                         .se = NAN};
    trial->score = smr_alloc(ctx, t->n_rounds, sizeof *trial->score);
    for (int64_t k = 0; trial->score && k < t->n_rounds; k++) trial->score[k] = NAN;
    return trial->score ? SMR_OK : SMR_ERR_NOMEM;
}

/* A grid that may run out of time is walked in a random order, so that what was reached is spread
 * over the space. */
static smr_status score_rung(smr_ctx *ctx, smr_tuning *t, const smr_rung *rung)
{
    smr_status st = SMR_OK;
    smr_trial **list = NULL;
    int64_t *order = NULL;
    TRY_NEW(list, rung->n);
    TRY_NEW(order, rung->n);
    for (int64_t i = 0; i < rung->n; i++) order[i] = i;
    if (t->search == SMR_GRID && isfinite(t->deadline))
        smr_random_permutation(ctx->seed, SMR_STREAM_SEARCH, UINT64_MAX, rung->n, order);
    for (int64_t i = 0; i < rung->n; i++) list[i] = &t->trials[rung->first + order[i]];
    TRY(smr_tune_score(ctx, t, list, rung->n));
out:
    smr_free(list);
    smr_free(order);
    return st;
}

/* Trials from `first` on, for sorting. */
struct stretch {
    const smr_tuning *t;
    int64_t first;
};

/* The better first, those without a score last. */
static int by_score(const void *items, int64_t a, int64_t b)
{
    const struct stretch *s = items;
    const smr_tuning *t = s->t;
    const smr_trial *x = &t->trials[s->first + a], *y = &t->trials[s->first + b];
    bool x_done = x->state == SMR_TRIAL_DONE, y_done = y->state == SMR_TRIAL_DONE;
    if (!x_done || !y_done) return y_done - x_done;
    return smr_trial_better(t, x, y) ? -1 : 1;
}

smr_status smr_tune_order(smr_ctx *ctx, const smr_tuning *t, int64_t rung, int64_t *order)
{
    const smr_rung *r = &t->rungs[rung];
    smr_status st = smr_argsort(ctx, r->n, by_score, &(struct stretch){t, r->first}, order);
    for (int64_t i = 0; st == SMR_OK && i < r->n; i++) order[i] += r->first;
    return st;
}

/* The best of the rung below go on, in the order of their numbers. */
static smr_status promote(smr_ctx *ctx, smr_tuning *t, int64_t rung)
{
    const smr_rung *below = &t->rungs[rung - 1];
    smr_rung *r = &t->rungs[rung];
    smr_status st = SMR_OK;
    int64_t *order = NULL, taken = 0;
    bool *goes_on = NULL;
    TRY_NEW(order, below->n);
    TRY_NEW(goes_on, below->n);
    TRY(smr_tune_order(ctx, t, rung - 1, order));
    for (int64_t i = 0; i < r->n; i++)
        goes_on[order[i] - below->first] = t->trials[order[i]].state == SMR_TRIAL_DONE;
    for (int64_t i = 0; i < below->n; i++)
        if (goes_on[i])
            TRY(begin_trial(ctx, t, r->first + taken++, rung,
                            t->trials[below->first + i].number - 1));
    r->n = taken; /* fewer when many failed */
out:
    smr_free(order);
    smr_free(goes_on);
    return st;
}

static smr_status search(smr_ctx *ctx, smr_tuning *t)
{
    smr_status st = SMR_OK;
    plan_rungs(t);
    TRY_NEW(t->trials, t->n_trials);
    smr_span_open(ctx, &t->span, smr_tune_what, t->n_trials * t->n_rounds);
    TRY(begin_trial(ctx, t, 0, t->n_rungs - 1, -1));
    for (int64_t i = 0; i < t->rungs[0].n; i++) TRY(begin_trial(ctx, t, 1 + i, 0, i));
    smr_trial *start = &t->trials[0];
    TRY(smr_tune_score(ctx, t, &start, 1));
    for (int64_t r = 0; r < t->n_rungs && !t->out_of_time; r++) {
        if (r > 0) TRY(promote(ctx, t, r));
        TRY(score_rung(ctx, t, &t->rungs[r]));
    }
out:
    smr_span_close(ctx, &t->span);
    return st;
}

/* ---- the end ---------------------------------------------------------------------------- */

/* The time was up, and there is nothing to show. */
static smr_status tell_late(smr_ctx *ctx, smr_tuning *t, const char *when)
{
    smr_begin(ctx);
    t->told_late = true;
    if (t->log)
        return smr_fail(ctx, SMR_ERR_CANCELLED,
                        "the time was up %s; the same command with --resume %s instead of --log, "
                        "and more --time, continues it",
                        when, smr_trial_log_path(t->log));
    return smr_fail(ctx, SMR_ERR_CANCELLED,
                    "the time was up %s; allow more (--time), or score on fewer folds (--folds 2) "
                    "or on a part of the rows (--validation 0.2)",
                    when);
}

static smr_status choose(smr_ctx *ctx, smr_tuning *t)
{
    t->best = smr_tune_best(t);
    t->winner = t->best;
    if (t->best) return smr_tune_simplest(ctx, t, t->best, &t->winner);
    for (int64_t i = 1; i < t->n_trials; i++)
        if (t->trials[i].error)
            return smr_fail(ctx, SMR_ERR_DATA, "every trial failed; the first: %s",
                            t->trials[i].error);
    if (t->out_of_time) return tell_late(ctx, t, "before a candidate was scored");
    return smr_fail(ctx, SMR_ERR_DATA, "no trial was finished");
}

smr_status smr_tune_run(smr_ctx *ctx, smr_tuning *t)
{
    smr_status st = SMR_OK;
    TRY(search(ctx, t));
    TRY(choose(ctx, t));
out:
    return st;
}

/* Says how much is kept, and how to go on. */
static smr_status tell_cancelled(smr_ctx *ctx, const smr_tuning *t)
{
    int64_t done = 0, all = 0;
    for (int64_t i = 1; t->trials && i < t->n_trials; i++) {
        done += t->trials[i].state != SMR_TRIAL_WAITING;
        all++;
    }
    smr_begin(ctx);
    if (t->log)
        return smr_fail(ctx, SMR_ERR_CANCELLED,
                        "cancelled after %lld of %lld trial%s; the same command with --resume %s "
                        "instead of --log continues it",
                        (long long)done, (long long)all, smr_plural(all, "", "s"),
                        smr_trial_log_path(t->log));
    return smr_fail(ctx, SMR_ERR_CANCELLED,
                    "cancelled after %lld of %lld trial%s; with --log FILE a search can be "
                    "continued",
                    (long long)done, (long long)all, smr_plural(all, "", "s"));
}

/* What the model file keeps: the measures of the rows that the search never saw, no times. */
static smr_status keep_summary(smr_ctx *ctx, smr_model *model, const smr_json *test)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    smr_text text = {.ctx = ctx};
    const smr_json *measures = smr_json_get(test, "measures");
    if (!measures) return SMR_OK;
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "measured_on", smr_json_get_string(test, "on", ""));
    smr_json_add_number(root, "measured_rows", smr_json_get_number(test, "rows", 0));
    for (const smr_json *m = measures->first; m; m = m->next)
        if (m->type == SMR_JSON_NUMBER) smr_json_add_number(root, m->key, m->number);
    TRY(smr_json_done(doc));
    smr_json_write(root, 0, &text);
    TRY(smr_text_done(&text));
    model->summary = text.bytes;
    text.bytes = NULL;
out:
    smr_text_release(&text);
    smr_json_free(doc);
    return st;
}

void smr_tune_release_run(smr_tuning *t)
{
    for (int64_t i = 0; t->trials && i < t->n_trials; i++) {
        smr_free(t->trials[i].score);
        smr_free(t->trials[i].error);
    }
    smr_free(t->trials);
    smr_cv_plan_free(t->plan);
}

static void release(smr_tuning *t)
{
    smr_tune_release_run(t);
    smr_space_points_release(&t->points);
    smr_space_free(t->space);
    smr_trial_log_close(t->log);
    smr_free(t->rows);
    smr_free(t->test_rows);
}

static bool has_number(const smr_schema *schema)
{
    for (int64_t j = 0; j < schema->n_inputs; j++)
        if (schema->inputs[j].kind != SMR_CATEGORY) return true;
    return schema->n_sparse > 0;
}

static smr_status prepare(smr_ctx *ctx, smr_tuning *t, const smr_spec *spec,
                          const smr_tune_how *how)
{
    smr_status st = SMR_OK;
    if (how && how->ask)
        t->ask = *how->ask;
    else
        t->ask = (smr_cv_ask){.folds = t->opts.folds, .repeats = t->opts.repeats};
    const smr_target *target = &t->whole->target;
    smr_space_on on = {smr_task_of(target->task)->does, smr_target_names_classes(target),
                       !has_number(&t->whole->schema)};
    TRY(smr_space_parse_for(ctx, spec, t->opts.over, &on, &t->space));
    TRY(read_measure(ctx, spec, t));
    TRY(check_opts(ctx, t));
    TRY(read_search(ctx, t));
    TRY(t->opts.trials ? smr_space_draw(ctx, t->space, t->opts.trials, &t->points)
                       : smr_space_grid(ctx, t->space, &t->points));
    TRY(hold_out(ctx, t));
    TRY(check_rows_left(ctx, t));
    TRY(smr_tune_plan(ctx, t));
    TRY(open_log(ctx, t));
out:
    return st;
}

smr_status smr_tune_check_space(smr_ctx *ctx, const smr_spec *spec, const smr_tune_opts *opts)
{
    smr_status st = SMR_OK;
    smr_tuning t = {.opts = *opts};
    TRY(smr_space_parse(ctx, spec, opts->over, &t.space));
    TRY(check_opts(ctx, &t));
    TRY(read_search(ctx, &t));
out:
    smr_space_free(t.space);
    return st;
}

/* The winner on all rows, for which time was set aside. */
static smr_status fit_winner(smr_ctx *ctx, smr_tuning *t, smr_model **model)
{
    smr_set_deadline(ctx, isfinite(t->deadline) ? t->deadline : 0);
    smr_status st = smr_fit(ctx, t->winner->spec, t->whole, NULL, 0, model);
    bool late = st == SMR_ERR_CANCELLED && smr_is_late(ctx);
    smr_set_deadline(ctx, 0);
    return late ? tell_late(ctx, t, "while the winner was fitted on all rows") : st;
}

smr_status smr_tune_search(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                           const smr_tune_opts *opts, const smr_tune_how *how, smr_json *into)
{
    static const smr_tune_opts none = {.size = sizeof none};
    double began = smr_now();
    smr_status st = SMR_OK;
    smr_tuning t = {.whole = set, .opts = opts ? *opts : none, .deadline = INFINITY};
    t.fits_winner = how && how->model;
    if (t.fits_winner) *how->model = NULL;
    TRY(prepare(ctx, &t, spec, how));
    if (t.opts.seconds > 0) t.deadline = began + t.opts.seconds;
    TRY(smr_tune_run(ctx, &t));
    t.seconds = smr_now() - began;
    if (t.fits_winner && t.opts.seconds > 0)
        TRY(fit_winner(ctx, &t, how->model)); /* first of all */
    TRY(smr_tune_describe(ctx, &t, into));
    if (t.opts.nested) TRY(smr_tune_nested(ctx, &t, into));
    if (t.fits_winner && !*how->model) TRY(fit_winner(ctx, &t, how->model));
    if (t.fits_winner) TRY(keep_summary(ctx, *how->model, smr_json_get(into, "test")));
out:
    if (st == SMR_ERR_CANCELLED && !t.told_late) st = tell_cancelled(ctx, &t);
    if (st != SMR_OK && how && how->model) {
        smr_model_free(*how->model);
        *how->model = NULL;
    }
    release(&t);
    return st;
}
