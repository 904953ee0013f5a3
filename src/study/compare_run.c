/* compare_run.c -- the models of a league, one after another: see compare.h.
 *
 * Cheap models come first: each is tried on a few rows, for a moment at most, and those that take
 * less go first.  Only what is known after how long depends on that order; what is known in the end
 * does not. */
#include "core/span.h"
#include "core/text.h"
#include "study/compare.h"
#include "study/judge.h"

#include <math.h>
#include <string.h>

enum { LEAST_SAMPLE = 30, MOST_SAMPLE = 200, JUDGED_AFTER = 2 };
static const double SAMPLE_SECONDS = 0.2; /* to try a model                                      */
static const double SAMPLE_SHARE = 0.1;   /* of the time that there is, for trying all of them    */
static const double HOPELESS = 1.1;       /* times the baseline's error, in each of two rounds   */

/* ---- what the fits warn of -------------------------------------------------------------- */

struct listening {
    smr_ctx *ctx;
    smr_contender *c;
    bool failed;
};

static smr_status keep_warning(smr_ctx *ctx, smr_contender *c, const char *message)
{
    char **more = smr_realloc(ctx, c->warning, c->n_warnings + 1, sizeof *more);
    if (!more) return SMR_ERR_NOMEM;
    c->warning = more;
    c->warning[c->n_warnings] = smr_strdup(ctx, message);
    return c->warning[c->n_warnings++] ? SMR_OK : SMR_ERR_NOMEM;
}

static void hear(void *user, smr_log_level level, const char *message)
{
    struct listening *l = user;
    if (level == SMR_LOG_WARNING && keep_warning(l->ctx, l->c, message) != SMR_OK) l->failed = true;
}

/* ---- one model -------------------------------------------------------------------------- */

/* How far a score is from the best that there is. */
static double error_of(const smr_measure *measure, double score)
{
    double least, most;
    smr_measure_bounds(measure, &least, &most);
    return fabs(score - (measure->higher_is_better ? most : least));
}

/* Undefined scores, and measures without a best score, are no ground to stop. */
static bool is_hopeless(const void *judge, const double *score)
{
    const smr_league *l = judge;
    for (int64_t r = 0; r < JUDGED_AFTER; r++) {
        double base = error_of(l->measure, l->base[r]);
        if (!(isfinite(base) && error_of(l->measure, score[r]) > HOPELESS * base)) return false;
    }
    return true;
}

static double mean_of(const double *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i];
    return n ? sum / (double)n : NAN;
}

/* Takes what the rounds gave; those after a stop are not counted. */
static void take_scores(smr_contender *c, smr_cv_scores *scores)
{
    int64_t n = scores->stopped ? JUDGED_AFTER : scores->n_rounds;
    c->fit_seconds = mean_of(scores->fit_seconds, n);
    c->predict_seconds = mean_of(scores->predict_seconds, n);
    c->fitted = scores->fitted;
    scores->fitted = NULL;
    c->state = scores->stopped ? SMR_MODEL_STOPPED : SMR_MODEL_DONE;
    for (int64_t r = 0; r < JUDGED_AFTER && scores->stopped; r++) c->early[r] = scores->score[r];
    if (!scores->stopped) {
        c->score = scores->score; /* one measure: a figure per round */
        scores->score = NULL;
    }
}

static smr_status fail_model(smr_ctx *ctx, smr_contender *c)
{
    char message[SMR_MESSAGE_MAX];
    memcpy(message, ctx->message, sizeof message);
    smr_begin(ctx);
    c->state = SMR_MODEL_FAILED;
    c->message = smr_strdup(ctx, message);
    return c->message ? SMR_OK : SMR_ERR_NOMEM;
}

/* A failure is noted and forgotten; being cancelled is not a failure, and neither is a deadline:
 * the model is still waiting then, and the rounds that it had are lost. */
static smr_status fit_model(smr_ctx *ctx, smr_league *l, smr_contender *c, bool may_stop)
{
    smr_cv_run_opts how = {.measures = &l->measure,
                           .n_measures = 1,
                           .rounds_only = true,
                           .judged_after = may_stop ? JUDGED_AFTER : 0,
                           .is_hopeless = is_hopeless,
                           .judge = l};
    smr_log_fn log = ctx->log;
    void *log_user = ctx->log_user;
    struct listening listening = {.ctx = ctx, .c = c};
    smr_cv_scores scores = {0};
    ctx->log = hear;
    ctx->log_user = &listening;
    smr_status st = smr_cv_run(ctx, c->spec, l->set, l->plan, &how, &scores);
    ctx->log = log;
    ctx->log_user = log_user;
    if (st == SMR_ERR_CANCELLED && smr_is_late(ctx)) {
        smr_begin(ctx);
        l->out_of_time = true;
        return SMR_OK;
    }
    if (st == SMR_ERR_CANCELLED) return st;
    if (st == SMR_OK && listening.failed) st = SMR_ERR_NOMEM;
    if (st == SMR_OK)
        take_scores(c, &scores);
    else
        st = fail_model(ctx, c);
    smr_cv_scores_release(&scores);
    return st;
}

/* ---- the log ---------------------------------------------------------------------------- */

static smr_status write_line(smr_ctx *ctx, const smr_league *l, const smr_contender *c)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    int64_t n = smr_cv_rounds(l->plan);
    if (!l->log) return SMR_OK;
    TRY(smr_json_create(ctx, &doc));
    smr_json *line = smr_json_root(doc);
    smr_json_add_string(line, "model", c->model);
    smr_json_add_string(line, "sentence", c->sentence);
    smr_json_add_number(line, "share", 1);
    if (c->state == SMR_MODEL_FAILED)
        smr_json_add_string(line, "error", c->message);
    else if (c->state == SMR_MODEL_DONE)
        smr_trial_log_scores(c->score, n, line);
    smr_json *early = c->state == SMR_MODEL_STOPPED ? smr_json_add_array(line, "scores") : NULL;
    for (int64_t r = 0; early && r < n; r++)
        smr_json_add_number(early, NULL, r < JUDGED_AFTER ? c->early[r] : NAN);
    smr_json_add_number(line, "seconds",
                        (c->fit_seconds + c->predict_seconds) * (double)(early ? JUDGED_AFTER : n));
    smr_json *more = smr_json_add_object(line, "more");
    smr_json_add_bool(more, "stopped", c->state == SMR_MODEL_STOPPED);
    smr_json_add_number(more, "fit_seconds", c->fit_seconds);
    smr_json_add_number(more, "predict_seconds", c->predict_seconds);
    if (c->fitted) smr_json_add_string(more, "fitted", c->fitted);
    smr_json *warnings = smr_json_add_array(more, "warnings");
    for (int64_t i = 0; i < c->n_warnings; i++) smr_json_add_string(warnings, NULL, c->warning[i]);
    TRY(smr_json_done(doc));
    TRY(smr_trial_log_write(ctx, l->log, line));
out:
    smr_json_free(doc);
    return st;
}

/* Takes what the log has of a model. */
static smr_status take_line(smr_ctx *ctx, const smr_league *l, smr_contender *c,
                            const smr_logged *found)
{
    smr_status st = SMR_OK;
    const smr_json *more = found->more, *warnings = smr_json_get(more, "warnings");
    const char *fitted = smr_json_get_string(more, "fitted", NULL);
    bool stopped = smr_json_get_bool(more, "stopped", false);
    c->fit_seconds = smr_json_get_number(more, "fit_seconds", NAN);
    c->predict_seconds = smr_json_get_number(more, "predict_seconds", NAN);
    if (fitted && !(c->fitted = smr_strdup(ctx, fitted))) return SMR_ERR_NOMEM;
    for (const smr_json *w = warnings && warnings->type == SMR_JSON_ARRAY ? warnings->first : NULL;
         w; w = w->next)
        if (w->type == SMR_JSON_STRING) TRY(keep_warning(ctx, c, w->string));
    c->from_log = true;
    if (found->error) {
        c->state = SMR_MODEL_FAILED;
        c->message = smr_strdup(ctx, found->error);
        return c->message ? SMR_OK : SMR_ERR_NOMEM;
    }
    c->state = stopped ? SMR_MODEL_STOPPED : SMR_MODEL_DONE;
    for (int64_t r = 0; stopped && r < SMR_MIN(JUDGED_AFTER, found->n_scores); r++)
        c->early[r] = found->score[r];
    if (stopped) return SMR_OK;
    TRY_NEW(c->score, smr_cv_rounds(l->plan));
    memcpy(c->score, found->score, (size_t)found->n_scores * sizeof *c->score);
out:
    return st;
}

static smr_status settle_known(smr_ctx *ctx, const smr_league *l, smr_contender *c)
{
    const smr_logged *found = NULL;
    if (!l->log) return SMR_OK;
    smr_status st = smr_trial_log_find(ctx, l->log, c->sentence, 1, &found);
    if (st == SMR_OK && found && found->more) st = take_line(ctx, l, c, found);
    return st;
}

/* ---- the order -------------------------------------------------------------------------- */

/* Seconds of a round on a few rows; infinite: more than `most`.  One that fails will do so
 * soon enough when it is its turn.  Its progress is nobody's. */
static smr_status try_model(smr_ctx *ctx, const smr_league *l, smr_contender *c, double most)
{
    double n = (double)smr_cv_most_train(l->plan);
    double sample = smr_fmin(smr_fmax(n / 10, LEAST_SAMPLE), MOST_SAMPLE);
    smr_cv_run_opts how = {.measures = &l->measure,
                           .n_measures = 1,
                           .rounds_only = true,
                           .n = 1,
                           .train_share = smr_fmin(1, sample / n)};
    double began = smr_now();
    smr_log_fn log = ctx->log;
    smr_log_fn foretell = ctx->foretell;
    smr_progress_fn progress = ctx->progress;
    smr_cv_scores scores = {0};
    double deadline = smr_set_deadline(ctx, smr_fmin(began + most, l->deadline));
    ctx->log = NULL;
    ctx->foretell = NULL; /* it ends after a moment, whatever is left to do */
    ctx->progress = NULL;
    smr_status st = smr_cv_run(ctx, c->spec, l->set, l->plan, &how, &scores);
    bool late = smr_is_late(ctx);
    ctx->log = log;
    ctx->foretell = foretell;
    ctx->progress = progress;
    smr_set_deadline(ctx, deadline);
    smr_cv_scores_release(&scores);
    if (st == SMR_ERR_CANCELLED && !late) return st;
    if (st != SMR_OK) smr_begin(ctx);
    c->cost = st == SMR_ERR_CANCELLED ? INFINITY : st == SMR_OK ? smr_now() - began : 0;
    return SMR_OK;
}

/* order[0 .. n): the cheap ones first, equals in the order of the list; as named where there is no
 * need to hurry. */
static smr_status order_models(smr_ctx *ctx, const smr_league *l, int64_t n, int64_t *order)
{
    bool hurry = n > 1 && (l->ask->all || l->ask->seconds > 0);
    double most = SAMPLE_SECONDS;
    smr_status st = SMR_OK;
    if (l->ask->seconds > 0) most = smr_fmin(most, SAMPLE_SHARE * l->ask->seconds / (double)n);
    for (int64_t i = 0; i < n; i++) {
        smr_contender *c = &l->list[i];
        int64_t at = i;
        if (hurry && c->state == SMR_MODEL_WAITING) TRY(try_model(ctx, l, c, most));
        for (; at > 0 && l->list[order[at - 1]].cost > c->cost; at--) order[at] = order[at - 1];
        order[at] = i;
    }
out:
    return st;
}

/* ---- all of them ------------------------------------------------------------------------ */

/* Says what became of a model, to a listener that wants to know before the end. */
static void tell_model(const smr_league *l, const smr_contender *c)
{
    static const char *const outcomes[] = {[SMR_MODEL_WAITING] = "left out",
                                           [SMR_MODEL_DONE] = "done",
                                           [SMR_MODEL_STOPPED] = "stopped",
                                           [SMR_MODEL_FAILED] = "failed"};
    int64_t n = c->score ? smr_cv_rounds(l->plan) : JUDGED_AFTER, all = 0, done = 0;
    const double *score = c->score ? c->score : c->state == SMR_MODEL_STOPPED ? c->early : NULL;
    if (!l->ask->heard) return;
    for (int64_t i = 0; i < l->n; i++) {
        all += !l->list[i].is_baseline;
        done += !l->list[i].is_baseline && l->list[i].state != SMR_MODEL_WAITING;
    }
    smr_cv_summary sum = score ? smr_cv_summary_of(score, n, 1, 0, l->confidence)
                               : (smr_cv_summary){.mean = NAN, .sd = NAN};
    smr_league_entry entry = {.size = sizeof entry,
                              .model = c->model,
                              .outcome = outcomes[c->state],
                              .message = c->message,
                              .measure = l->measure ? l->measure->name : "",
                              .mean = sum.mean,
                              .sd = sum.sd,
                              .seconds = c->fit_seconds + c->predict_seconds,
                              .n_done = done,
                              .n_all = all};
    l->ask->heard(l->ask->heard_user, &entry);
}

/* One that was named is run to the end, whatever its first scores are. */
static bool may_stop(const smr_league *l, const smr_contender *c)
{
    return !c->named && l->base && !l->ask->no_stop && smr_cv_rounds(l->plan) > JUDGED_AFTER;
}

/* Rounds of models that are not waiting. */
static int64_t rounds_done(const smr_league *l)
{
    int64_t n = 0;
    for (int64_t i = 0; i < l->n; i++) n += l->list[i].state != SMR_MODEL_WAITING;
    return n * smr_cv_rounds(l->plan);
}

static smr_status run_waiting(smr_ctx *ctx, smr_league *l, const int64_t *order, int64_t n,
                              bool stop)
{
    smr_status st = SMR_OK;
    smr_span span;
    smr_span_open(ctx, &span, "comparing", n * smr_cv_rounds(l->plan));
    span.unit = smr_cv_what;
    for (int64_t i = 0; i < n; i++) {
        smr_contender *c = &l->list[order[i]];
        if (c->state != SMR_MODEL_WAITING) continue;
        l->out_of_time |= smr_is_late(ctx);
        if (l->out_of_time) break;
        TRY(smr_span_from(ctx, &span, rounds_done(l), NAN));
        TRY(fit_model(ctx, l, c, stop && may_stop(l, c)));
        if (c->state == SMR_MODEL_WAITING) break; /* the deadline */
        TRY(write_line(ctx, l, c));
        tell_model(l, c);
    }
out:
    smr_span_close(ctx, &span);
    return st;
}

static int64_t count(const smr_league *l, smr_model_state state)
{
    int64_t n = 0;
    for (int64_t i = 0; i < l->n; i++) n += !l->list[i].is_baseline && l->list[i].state == state;
    return n;
}

/* Where every model is as bad as that, the data are, and the league needs their scores. */
static smr_status run_stopped(smr_ctx *ctx, smr_league *l, const int64_t *order, int64_t n)
{
    if (count(l, SMR_MODEL_DONE) || !count(l, SMR_MODEL_STOPPED) || l->out_of_time) return SMR_OK;
    for (int64_t i = 0; i < n; i++) {
        smr_contender *c = &l->list[i];
        if (c->state != SMR_MODEL_STOPPED) continue;
        c->state = SMR_MODEL_WAITING;
        smr_free(c->fitted);
        c->fitted = NULL;
    }
    return run_waiting(ctx, l, order, n, false);
}

smr_status smr_compare_run(smr_ctx *ctx, smr_league *l)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL, n = l->n;
    TRY_NEW(order, n + 1);
    for (int64_t i = 0; i < n; i++) {
        TRY(settle_known(ctx, l, &l->list[i]));
        if (l->list[i].from_log) tell_model(l, &l->list[i]);
    }
    TRY(order_models(ctx, l, n, order));
    TRY(run_waiting(ctx, l, order, n, true));
    TRY(run_stopped(ctx, l, order, n));
out:
    smr_free(order);
    return st;
}
