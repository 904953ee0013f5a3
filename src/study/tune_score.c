/* tune_score.c -- trials x rounds as one list of tasks: see tune.h.
 *
 * A task fits one round of one trial and writes its own outcome.  The task that ends a trial's last
 * round sums the trial up and writes its line of the log.  A trial that ran out of memory beside
 * others is tried once more, alone, so that the answer does not depend on what ran beside it.
 *
 * With a deadline, what the slowest trial so far would take on all rows is set aside for the fits
 * after the search, for any of them may win: the seconds of a round, times the rows of the search
 * over those that a round fits. */
#include "core/parallel.h"
#include "learn/spec.h"
#include "math/stats.h"
#include "study/evaluate.h"
#include "study/holdout.h"
#include "study/tune_parts.h"

#include <math.h>
#include <string.h>

const char smr_tune_what[] = "tuning";

/* What one round of a trial gave. */
struct outcome {
    bool ran;
    smr_status status;
    double score, seconds;
    char *error;
};

struct scoring {
    smr_tuning *t;
    smr_trial *const *trials;
    int64_t n;
    struct outcome *outcomes; /* n x n_rounds                                            */
    _Atomic int64_t *left;    /* rounds of each trial that have not ended                */
    int64_t alone;            /* a trial that runs alone, its number among `trials`; or -1 */
};

void smr_trial_summarize(smr_trial *trial, int64_t n_rounds)
{
    int64_t n = 0;
    double sum = 0, squares = 0;
    for (int64_t k = 0; k < n_rounds; k++) {
        if (isnan(trial->score[k])) continue;
        sum += trial->score[k];
        n++;
    }
    trial->mean = n ? sum / (double)n : NAN;
    for (int64_t k = 0; k < n_rounds; k++) {
        double gap = trial->score[k] - trial->mean;
        if (!isnan(gap)) squares += gap * gap;
    }
    trial->sd = n > 1 && isfinite(trial->mean) ? sqrt(squares / (double)(n - 1)) : NAN;
    trial->se = trial->sd / sqrt((double)n);
}

bool smr_trial_better(const smr_tuning *t, const smr_trial *a, const smr_trial *b)
{
    if (a->mean != b->mean) return t->measure->higher_is_better == (a->mean > b->mean);
    return a->number < b->number;
}

smr_status smr_tune_measure(smr_ctx *ctx, const smr_tuning *t, const smr_model *model,
                            const smr_sample *sample, double *out, int64_t *n_used)
{
    double seconds;
    int64_t n = 0;
    *out = NAN;
    smr_status st = smr_measure_sample(ctx, model, sample, &t->measure, 1, out, &n, &seconds);
    if (n_used) *n_used = n;
    return st;
}

/* ---- one round -------------------------------------------------------------------------- */

/* Fits on a share of the rows and measures on the rows of the validation table. */
static smr_status score_on_table(smr_ctx *ctx, const smr_tuning *t, const smr_trial *trial,
                                 double *score)
{
    smr_status st = SMR_OK;
    smr_model *model = NULL;
    smr_parts parts = {0};
    const int64_t *rows = NULL;
    int64_t n = 0;
    if (trial->share < 1) {
        TRY(smr_set_holdout(ctx, &t->set, &trial->share, 1, &parts));
        rows = smr_part_rows(&parts, 1);
        n = smr_part_size(&parts, 1);
    }
    TRY(smr_fit(ctx, trial->spec, &t->set, rows, n, &model));
    smr_sample sample = {.table = t->opts.validation_rows};
    TRY(smr_tune_measure(ctx, t, model, &sample, score, NULL));
out:
    smr_parts_release(&parts);
    smr_model_free(model);
    return st;
}

static smr_status score_round(smr_ctx *ctx, const smr_tuning *t, const smr_trial *trial,
                              int64_t round, double *score)
{
    smr_cv_scores scores = {0};
    smr_cv_run_opts how = {.rounds_only = true,
                           .first = round,
                           .n = 1,
                           .train_share = trial->share,
                           .measures = &t->measure,
                           .n_measures = 1};
    if (!t->plan) return score_on_table(ctx, t, trial, score);
    smr_status st = smr_cv_run(ctx, trial->spec, &t->set, t->plan, &how, &scores);
    if (st == SMR_OK) *score = scores.score[0];
    smr_cv_scores_release(&scores);
    return st;
}

/* ---- the end of a trial ----------------------------------------------------------------- */

static smr_status log_trial(smr_ctx *ctx, const smr_tuning *t, const smr_trial *trial)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    if (!t->log) return SMR_OK;
    TRY(smr_json_create(ctx, &doc));
    smr_json *line = smr_json_root(doc);
    smr_json_add_number(line, "trial", (double)trial->number);
    smr_json_add_string(line, "sentence", trial->sentence);
    smr_json_add_number(line, "share", trial->share);
    smr_json *params = smr_json_add_object(line, "params");
    for (int64_t d = 0; trial->point && d < t->space->n_dims; d++)
        if (trial->point->value[d])
            smr_json_add_string(params, t->space->dims[d].address->text, trial->point->value[d]);
    if (trial->error)
        smr_json_add_string(line, "error", trial->error);
    else
        smr_trial_log_scores(trial->score, t->n_rounds, line);
    smr_json_add_number(line, "seconds", trial->seconds);
    TRY(smr_json_done(doc));
    TRY(smr_trial_log_write(ctx, t->log, line));
out:
    smr_json_free(doc);
    return st;
}

static smr_status fail_trial(smr_ctx *ctx, smr_trial *trial, const char *message)
{
    trial->state = SMR_TRIAL_FAILED;
    trial->error = smr_strdup(ctx, message);
    return trial->error ? SMR_OK : SMR_ERR_NOMEM;
}

static smr_status no_score(smr_ctx *ctx, const smr_tuning *t, smr_trial *trial)
{
    smr_text text = {.ctx = ctx};
    smr_text_printf(&text, "%s is not defined for it in any round", t->measure->name);
    smr_status st = smr_text_done(&text);
    if (st == SMR_OK) st = fail_trial(ctx, trial, text.bytes);
    smr_text_release(&text);
    return st;
}

static void watch_the_time(smr_ctx *ctx, const smr_tuning *t)
{
    if (isfinite(t->deadline) && t->deadline > 0)
        smr_set_deadline(ctx, smr_fmax(t->deadline - atomic_load(&t->reserved), 1e-9));
}

/* Sets aside what the fits after the search would take if this trial won: on the rows of the search
 * (and as much for the sentence as given), and on all rows. */
static void reserve(smr_ctx *ctx, smr_tuning *t, const smr_trial *trial)
{
    double fitted = t->plan ? (double)smr_cv_most_train(t->plan) : (double)t->set.n_rows;
    double each = trial->seconds / (double)t->n_rounds / smr_fmax(1, fitted * trial->share);
    double rows = t->fits_winner ? (double)t->whole->n_rows : 0;
    if (t->opts.test || t->n_test > 0) rows += 2 * (double)t->set.n_rows;
    double before = atomic_load(&t->reserved), wanted = each * rows;
    while (wanted > before && !atomic_compare_exchange_weak(&t->reserved, &before, wanted)) {
    }
    watch_the_time(ctx, t);
}

/* All rounds ended: the trial's scores, or the message of its first failing round. */
static smr_status end_trial(smr_ctx *ctx, struct scoring *s, int64_t i)
{
    smr_tuning *t = s->t;
    smr_trial *trial = s->trials[i];
    const struct outcome *o = s->outcomes + i * t->n_rounds;
    smr_status st = SMR_OK;
    trial->seconds = 0;
    for (int64_t k = 0; k < t->n_rounds; k++) {
        if (!o[k].ran) return SMR_OK;                                    /* out of time      */
        if (o[k].status == SMR_ERR_NOMEM && s->alone < 0) return SMR_OK; /* tried once more  */
        trial->seconds += o[k].seconds;
        trial->score[k] = o[k].score;
    }
    for (int64_t k = 0; k < t->n_rounds && !trial->error; k++)
        if (o[k].status != SMR_OK) TRY(fail_trial(ctx, trial, o[k].error));
    if (!trial->error) {
        smr_trial_summarize(trial, t->n_rounds);
        trial->state = SMR_TRIAL_DONE;
        if (isnan(trial->mean)) TRY(no_score(ctx, t, trial));
        reserve(ctx, t, trial);
    }
    TRY(log_trial(ctx, t, trial));
out:
    return st;
}

/* ---- tasks ------------------------------------------------------------------------------ */

/* A failure belongs to the trial, unless the user asked to stop. */
static smr_status run_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct scoring *s = arg;
    smr_tuning *t = s->t;
    int64_t i = s->alone >= 0 ? s->alone : task / t->n_rounds, round = task % t->n_rounds;
    struct outcome *o = &s->outcomes[i * t->n_rounds + round];
    smr_log_fn log = ctx->log;
    smr_status st = SMR_OK;
    (void)lane;
    if (!smr_is_late(ctx)) {
        double began = smr_now();
        ctx->log = NULL; /* what a trial warns of is not about the model that is kept */
        st = score_round(ctx, t, s->trials[i], round, &o->score);
        ctx->log = log;
        if (st == SMR_ERR_CANCELLED && smr_is_late(ctx)) {
            smr_begin(ctx);
            return SMR_OK; /* its trial stays without an end */
        }
        if (st == SMR_ERR_CANCELLED) return st;
        o->ran = true;
        o->status = st;
        o->seconds = smr_now() - began;
        if (st != SMR_OK) {
            char message[SMR_MESSAGE_MAX];
            memcpy(message, ctx->message, sizeof message);
            smr_begin(ctx);
            smr_free(o->error);
            o->error = smr_strdup(ctx, message);
            if (!o->error) return SMR_ERR_NOMEM;
        }
    }
    return atomic_fetch_sub(&s->left[i], 1) == 1 ? end_trial(ctx, s, i) : SMR_OK;
}

static double table_bytes(const smr_table *table)
{
    static const double width[] = {[SMR_F64] = 8, [SMR_F32] = 4, [SMR_U8] = 1, [SMR_I32] = 4};
    double bytes = table->sparse.n_cols ? 12.0 * (double)table->sparse.start[table->n_rows] : 0;
    for (int64_t j = 0; j < table->n_cols; j++)
        bytes += width[table->cols[j].dtype] * (double)table->n_rows;
    return bytes;
}

/* Is there room for a round on each lane, including a model that keeps its rows? */
static bool fits_side_by_side(const smr_ctx *ctx, const smr_tuning *t, int64_t n_tasks)
{
    double each = table_bytes(t->set.table) + 40.0 * (double)t->set.n_rows;
    double room = (double)(ctx->memory->limit - smr_ctx_memory(ctx, NULL));
    return (double)SMR_MIN(n_tasks, smr_lanes(ctx)) * each <= room / 2;
}

static smr_status run_alone(smr_ctx *ctx, struct scoring *s, int64_t n_tasks)
{
    smr_status st = SMR_OK;
    for (int64_t task = 0; task < n_tasks; task++) {
        TRY(smr_tick(ctx, smr_tune_what, task, n_tasks, NAN));
        TRY(run_task(ctx, s, task, 0));
    }
out:
    return st;
}

/* Trials that need no more rounds. */
static int64_t settled(const smr_tuning *t)
{
    int64_t n = 0;
    for (int64_t i = 0; i < t->n_trials; i++)
        n += t->trials[i].sentence && t->trials[i].state != SMR_TRIAL_WAITING;
    return n;
}

static smr_status run_all(smr_ctx *ctx, struct scoring *s)
{
    int64_t n_rounds = s->t->n_rounds, n_tasks = s->n * n_rounds;
    bool together = 2 * n_tasks > smr_lanes(ctx) && fits_side_by_side(ctx, s->t, n_tasks);
    smr_status st = SMR_OK;
    TRY(smr_span_from(ctx, &s->t->span, settled(s->t) * n_rounds, NAN));
    TRY(together ? smr_parallel(ctx, smr_tune_what, n_tasks, run_task, s)
                 : run_alone(ctx, s, n_tasks));
    for (int64_t i = 0; i < s->n; i++) {
        bool again = false;
        for (int64_t k = 0; k < n_rounds; k++)
            again |= s->outcomes[i * n_rounds + k].status == SMR_ERR_NOMEM;
        if (!again || s->trials[i]->state != SMR_TRIAL_WAITING) continue;
        for (int64_t k = 0; k < n_rounds; k++) s->outcomes[i * n_rounds + k].status = SMR_OK;
        atomic_store(&s->left[i], n_rounds);
        s->alone = i;
        TRY(run_alone(ctx, s, n_rounds));
    }
out:
    return st;
}

/* Takes a result that is already known. */
static smr_status take_result(smr_ctx *ctx, const smr_tuning *t, smr_trial *trial,
                              const double *score, const char *error, double seconds)
{
    trial->seconds = seconds;
    if (error) return fail_trial(ctx, trial, error);
    memcpy(trial->score, score, (size_t)t->n_rounds * sizeof *trial->score);
    smr_trial_summarize(trial, t->n_rounds);
    trial->state = SMR_TRIAL_DONE;
    return isnan(trial->mean) ? no_score(ctx, t, trial) : SMR_OK;
}

/* Trials that were refused before they began, that repeat the start, or that the log has. */
static smr_status settle_known(smr_ctx *ctx, smr_tuning *t, smr_trial *trial)
{
    const smr_logged *found = NULL;
    const smr_trial *start = &t->trials[0];
    smr_status st = SMR_OK;
    if (trial->state != SMR_TRIAL_WAITING) return SMR_OK;
    if (!trial->sentence) return fail_trial(ctx, trial, trial->point->refusal);
    if (start->state != SMR_TRIAL_WAITING && trial->share == start->share &&
        strcmp(trial->sentence, start->sentence) == 0) {
        trial->from_log = start->from_log;
        return take_result(ctx, t, trial, start->score, start->error, start->seconds);
    }
    if (!t->log) return SMR_OK;
    TRY(smr_trial_log_find(ctx, t->log, trial->sentence, trial->share, &found));
    if (!found) return SMR_OK;
    trial->from_log = true;
    TRY(take_result(ctx, t, trial, found->score, found->error, found->seconds));
    if (trial->state == SMR_TRIAL_DONE) reserve(ctx, t, trial);
out:
    return st;
}

smr_status smr_tune_score(smr_ctx *ctx, smr_tuning *t, smr_trial *const *trials, int64_t n)
{
    smr_status st = SMR_OK;
    smr_trial **waiting = NULL;
    struct scoring s = {.t = t, .alone = -1};
    TRY_NEW(waiting, n + 1);
    for (int64_t i = 0; i < n; i++) {
        TRY(settle_known(ctx, t, trials[i]));
        if (trials[i]->state == SMR_TRIAL_WAITING) waiting[s.n++] = trials[i];
    }
    s.trials = waiting;
    TRY_NEW(s.outcomes, s.n * t->n_rounds + 1);
    TRY_NEW(s.left, s.n + 1);
    for (int64_t i = 0; i < s.n; i++) atomic_store(&s.left[i], t->n_rounds);
    for (int64_t i = 0; i < s.n * t->n_rounds; i++) s.outcomes[i].score = NAN;
    watch_the_time(ctx, t);
    st = run_all(ctx, &s);
    if (st == SMR_ERR_CANCELLED && smr_is_late(ctx)) {
        smr_begin(ctx);
        st = SMR_OK;
    }
    TRY(st);
    for (int64_t i = 0; i < s.n; i++) t->out_of_time |= waiting[i]->state == SMR_TRIAL_WAITING;
out:
    smr_set_deadline(ctx, 0);
    for (int64_t i = 0; s.outcomes && i < s.n * t->n_rounds; i++) smr_free(s.outcomes[i].error);
    smr_free(s.outcomes);
    smr_free(s.left);
    smr_free(waiting);
    return st;
}
