/* compare.c -- see compare.h. */
#include "study/compare.h"

#include "core/text.h"
#include "learn/registry.h"
#include "learn/spec.h"
#include "study/cv_plan.h"
#include "study/judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- which models take part ------------------------------------------------------------- */

/* What the same model is called, however it is spelled, if it already takes part; or NULL. */
static const char *find_contender(const smr_league *l, const char *sentence)
{
    for (int64_t i = 0; i < l->n; i++)
        if (strcmp(l->list[i].sentence, sentence) == 0) return l->list[i].model;
    return NULL;
}

/* *known: what it is called if it already takes part; it is then not added. */
static smr_status add_contender(smr_ctx *ctx, smr_league *l, const char *name, const smr_spec *spec,
                                const char **known)
{
    smr_status st = SMR_OK;
    smr_contender *c = &l->list[l->n];
    char *sentence = NULL;
    TRY(smr_spec_text(ctx, spec, &sentence));
    *known = find_contender(l, sentence);
    if (*known) goto out;
    TRY(smr_spec_copy(ctx, spec, &c->spec));
    c->model = smr_strdup(ctx, name);
    c->sentence = sentence;
    sentence = NULL;
    l->n++;
    if (!c->model) st = SMR_ERR_NOMEM;
out:
    smr_free(sentence);
    return st;
}

/* A learner by its name alone, with a coding before it or without; NULL: one that is made of others
 * may need more. */
static smr_status with_defaults(smr_ctx *ctx, const char *sentence, smr_spec **out)
{
    smr_status st = smr_spec_parse(ctx, sentence, out);
    if (st != SMR_ERR_PARAM) return st;
    smr_begin(ctx);
    return SMR_OK;
}

/* Does the learner refuse the targets?  None refuses classes. */
static bool refuses(const smr_nature *is, const smr_train_set *set)
{
    unsigned refused = is->traits & (SMR_REFUSES_NEGATIVE | SMR_REFUSES_ZERO);
    for (int64_t i = 0; i < set->n_rows && set->y && refused; i++)
        for (int64_t k = 0; k < set->target.n; k++) {
            double y = set->y[(set->usable ? set->usable[i] : i) * set->target.n + k];
            if (y < 0 || (y == 0 && refused & SMR_REFUSES_ZERO)) return true;
        }
    return false;
}

/* Learners of all that suit the task and the targets, each once. */
static bool is_suited(const smr_league *l, const smr_learner *learner, const smr_nature *is,
                      smr_text *refused)
{
    if (!(is->tasks & smr_task_of(l->set->target.task)->does) ||
        (learner->comparing && learner->comparing->stands_aside))
        return false;
    if (!refuses(is, l->set)) return true;
    smr_text_printf(refused, "%s%s", refused->length ? ", " : "", learner->word->name);
    return false;
}

static smr_status add_all(smr_ctx *ctx, smr_league *l)
{
    int64_t n;
    const smr_learner *const *learners = smr_registry(&n);
    smr_status st = SMR_OK;
    smr_text refused = {.ctx = ctx};
    smr_spec *spec = NULL;
    const char *known;
    for (int64_t i = 0; i < n; i++) {
        smr_nature is;
        char name[256];
        TRY(smr_nature_by_default(ctx, learners[i], &is));
        bool scaled = is.traits & SMR_SCALE_MATTERS;
        if (!is_suited(l, learners[i], &is, &refused)) continue;
        snprintf(name, sizeof name, "%s%s%s",
                 scaled ? smr_registry_adapter(SMR_NEED_SCALED)->word->name : "",
                 scaled ? " | " : "", learners[i]->word->name);
        TRY(with_defaults(ctx, name, &spec));
        if (spec) TRY(add_contender(ctx, l, name, spec, &known));
        smr_spec_free(spec);
        spec = NULL;
    }
    TRY(smr_text_done(&refused));
    if (refused.length)
        smr_warn(ctx, "left out, because the target has values that are not positive: %s",
                 refused.bytes);
out:
    smr_spec_free(spec);
    smr_text_release(&refused);
    return st;
}

static smr_status gather(smr_ctx *ctx, const smr_compare_ask *ask, smr_league *l)
{
    smr_status st = SMR_OK;
    int64_t n;
    smr_registry(&n);
    TRY_NEW(l->list, ask->n + n + 1);
    for (int64_t i = 0; i < ask->n; i++) {
        const char *known;
        TRY(add_contender(ctx, l, ask->names[i], ask->specs[i], &known));
        if (!known) l->list[l->n - 1].named = true;
        if (known && strcmp(known, ask->names[i]) == 0)
            TRY(smr_fail(ctx, SMR_ERR_PARAM, "the model '%s' is named twice", known));
        if (known)
            TRY(smr_fail(ctx, SMR_ERR_PARAM, "'%s' and '%s' are the same model: name it once",
                         known, ask->names[i]));
    }
    if (ask->all) TRY(add_all(ctx, l));
out:
    return st;
}

/* ---- running ---------------------------------------------------------------------------- */

/* Left out where the measure does not apply to it. */
static smr_status score_baseline(smr_ctx *ctx, smr_league *l)
{
    smr_status st = SMR_OK;
    double *score = NULL;
    bool told = false;
    if (!smr_judge_baseline_name(&l->set->target)) return SMR_OK;
    TRY_NEW(score, smr_cv_rounds(l->plan));
    TRY(smr_compare_baseline(ctx, l->set, l->plan, l->measure, score));
    for (int64_t r = 0; r < smr_cv_rounds(l->plan); r++) told |= !isnan(score[r]);
    if (!told) goto out;
    l->base = score;
    score = NULL;
out:
    smr_free(score);
    return st;
}

static smr_status add_baseline(smr_ctx *ctx, smr_league *l)
{
    int64_t n = smr_cv_rounds(l->plan);
    smr_contender *c = &l->list[l->n];
    smr_status st = SMR_OK;
    smr_text constant = {.ctx = ctx};
    if (!l->base) return SMR_OK;
    if (l->measure->level > 0) {
        smr_text_add(&constant, "baseline: ");
        smr_judge_constant_name(l->measure, &constant);
        TRY(smr_text_done(&constant));
    }
    c->model =
        smr_strdup(ctx, constant.bytes ? constant.bytes : smr_judge_baseline_name(&l->set->target));
    if (!c->model) TRY(SMR_ERR_NOMEM);
    l->n++;
    c->is_baseline = true;
    c->fit_seconds = c->predict_seconds = NAN;
    TRY_NEW(c->score, n);
    memcpy(c->score, l->base, (size_t)n * sizeof *c->score);
out:
    smr_text_release(&constant);
    return st;
}

/* The time was up, and there is nothing to show. */
static smr_status tell_late(smr_ctx *ctx)
{
    smr_begin(ctx);
    return smr_fail(ctx, SMR_ERR_CANCELLED,
                    "the time was up before a model was finished; allow more (--time), or measure "
                    "on fewer folds (--folds 2)");
}

/* What no model is left for. */
static smr_status check_any(smr_ctx *ctx, const smr_league *l)
{
    for (int64_t i = 0; i < l->n; i++)
        if (l->list[i].state == SMR_MODEL_DONE) return SMR_OK;
    for (int64_t i = 0; i < l->n; i++)
        if (l->list[i].message)
            return smr_fail(ctx, SMR_ERR_DATA, "no model could be measured; %s: %s",
                            l->list[i].model, l->list[i].message);
    if (l->out_of_time) return tell_late(ctx);
    return smr_fail(ctx, SMR_ERR_DATA, "no model was finished");
}

/* Warnings in the order of the list, whatever the order in which models ran. */
static smr_status tell_notes(smr_ctx *ctx, smr_league *l)
{
    for (int64_t i = 0; i < l->n; i++) {
        const smr_contender *c = &l->list[i];
        l->notes.model = c->model;
        l->notes.spec = c->spec;
        for (int64_t k = 0; k < c->n_warnings; k++)
            smr_compare_note(&l->notes, SMR_LOG_WARNING, c->warning[k]);
    }
    return smr_compare_tell_notes(ctx, &l->notes, l->n);
}

static smr_status rank(smr_ctx *ctx, smr_league *l)
{
    smr_status st = SMR_OK;
    TRY(check_any(ctx, l)); /* or there may be no measure */
    smr_league_rounds of = {.n = smr_cv_rounds(l->plan),
                            .per_repeat = l->plan->per_repeat,
                            .higher_is_better = l->measure->higher_is_better,
                            .test_over_train = smr_cv_test_over_train(l->plan),
                            .confidence = l->confidence};
    TRY(tell_notes(ctx, l));
    TRY(add_baseline(ctx, l));
    TRY(smr_compare_rank(ctx, l->list, l->n, &of));
    for (int64_t i = 0; i < l->n; i++) {
        smr_contender *c = &l->list[i];
        smr_cv_summary_bound(&c->sum, l->measure);
        if (c->is_baseline && strcmp(smr_compare_verdict(c, l->confidence), "worse") != 0 &&
            !isnan(c->p))
            smr_warn(ctx,
                     "no model is clearly better than the baseline, %s; more rounds (--repeats 5) "
                     "can detect smaller differences",
                     smr_judge_of(l->set->target.task)->simple);
    }
out:
    return st;
}

/* ---- the log ---------------------------------------------------------------------------- */

/* All that decides a score; the models may be others. */
static smr_status open_log(smr_ctx *ctx, smr_league *l)
{
    const smr_compare_ask *ask = l->ask;
    const char *path = ask->resume ? ask->resume : ask->log;
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    if (ask->log && ask->resume)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "a resumed comparison continues its own log; give one of the two");
    if (!path) return SMR_OK;
    TRY(smr_json_create(ctx, &doc));
    smr_json *header = smr_json_root(doc);
    smr_trial_log_header(ctx, "compare", l->set, header);
    smr_json_add_string(header, "measure", l->measure ? l->measure->name : "");
    smr_json *scoring = smr_json_add_object(header, "scoring");
    smr_cv_plan_json(l->plan, scoring);
    if (ask->cv.order_by) smr_json_add_string(scoring, "order_by", ask->cv.order_by);
    smr_json_add_bool(header, "stop", !ask->no_stop);
    smr_trial_log_header_rows(l->set, header);
    TRY(smr_json_done(doc));
    TRY(smr_trial_log_open(ctx, path, ask->resume != NULL, header, smr_cv_rounds(l->plan),
                           &l->log));
out:
    smr_json_free(doc);
    return st;
}

/* ---- the whole -------------------------------------------------------------------------- */

/* Which sentence decides the task: preferably one that can do either and leaves it to the target,
 * and has no preference for numbers.  If none is named, it is one of all learners: *own. */
static smr_status ask_task(smr_ctx *ctx, const smr_compare_ask *ask, smr_task forced,
                           smr_spec **own, const smr_spec **spec)
{
    const unsigned both = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS;
    unsigned wanted = forced == SMR_TASK_NONE ? both : smr_task_of(forced)->does;
    smr_status st = SMR_OK;
    int64_t n_learners;
    bool neutral = false;
    const smr_learner *const *learners = smr_registry(&n_learners);
    *spec = ask->n ? ask->specs[0] : NULL;
    for (int64_t i = ask->n - 1; i >= 0; i--) {
        const smr_step *last = smr_spec_last(ask->specs[i]);
        bool plain = !smr_step_numbers_first(last);
        if ((smr_step_tasks(last) & wanted) != wanted || (!plain && neutral)) continue;
        *spec = ask->specs[i];
        neutral = plain;
    }
    for (int64_t i = 0; ask->all && !*spec && i < n_learners; i++) {
        smr_nature is;
        TRY(smr_nature_by_default(ctx, learners[i], &is));
        if ((is.tasks & wanted) != wanted || is.traits & SMR_NUMBERS_FIRST) continue;
        TRY(with_defaults(ctx, learners[i]->word->name, own));
        *spec = *own;
    }
    if (!*spec)
        st = smr_fail(ctx, SMR_ERR_PARAM,
                      "there is nothing to compare; name models, or ask for all");
out:
    return st;
}

/* How much is there, and how to go on. */
static smr_status tell_cancelled(smr_ctx *ctx, const smr_league *l)
{
    long long done = 0, all = 0;
    for (int64_t i = 0; i < l->n; i++) {
        all += !l->list[i].is_baseline;
        done += !l->list[i].is_baseline && l->list[i].state != SMR_MODEL_WAITING;
    }
    smr_begin(ctx);
    if (l->log)
        return smr_fail(ctx, SMR_ERR_CANCELLED,
                        "cancelled after %lld of %lld model%s; the same command with --resume %s "
                        "instead of --log continues it",
                        done, all, smr_plural(all, "", "s"), smr_trial_log_path(l->log));
    return smr_fail(ctx, SMR_ERR_CANCELLED,
                    "cancelled after %lld of %lld model%s; with --log FILE a comparison can be "
                    "continued",
                    done, all, smr_plural(all, "", "s"));
}

/* What is known, even when the context was asked to stop. */
static smr_status tell(smr_ctx *ctx, smr_league *l, smr_json *into)
{
    smr_progress_fn progress = ctx->progress;
    int asked = atomic_exchange(&ctx->cancelled, 0);
    smr_status st = SMR_OK;
    smr_begin(ctx);
    ctx->progress = NULL;
    TRY(rank(ctx, l));
    TRY(smr_compare_json(ctx, l, into));
out:
    ctx->progress = progress;
    if (asked) atomic_store(&ctx->cancelled, 1);
    return st;
}

static smr_status run(smr_ctx *ctx, smr_league *l, smr_json *into)
{
    int64_t done = 0;
    smr_set_deadline(ctx, isfinite(l->deadline) ? l->deadline : 0);
    smr_status st = smr_compare_run(ctx, l);
    if (st == SMR_ERR_CANCELLED && smr_is_late(ctx)) {
        l->out_of_time = true;
        st = SMR_OK;
    }
    smr_set_deadline(ctx, 0);
    for (int64_t i = 0; i < l->n; i++) done += l->list[i].state == SMR_MODEL_DONE;
    l->cancelled = st == SMR_ERR_CANCELLED;
    if (st != SMR_OK && !l->cancelled) return st;
    st = l->cancelled && !done ? SMR_OK : tell(ctx, l, into);
    return st == SMR_OK && l->cancelled ? tell_cancelled(ctx, l) : st;
}

static void release_contender(smr_contender *c)
{
    for (int64_t k = 0; k < c->n_warnings; k++) smr_free(c->warning[k]);
    smr_free(c->warning);
    smr_free(c->model);
    smr_spec_free(c->spec);
    smr_free(c->sentence);
    smr_free(c->score);
    smr_free(c->fitted);
    smr_free(c->message);
}

smr_status smr_compare_report(smr_ctx *ctx, const smr_table *table, const smr_set_opts *how,
                              const smr_compare_ask *ask, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_league l = {.ask = ask, .notes.ctx = ctx, .deadline = INFINITY};
    smr_train_set *set = NULL;
    smr_cv_plan *plan = NULL;
    smr_spec *own = NULL;
    const smr_spec *spec = NULL;
    if (!(ask->seconds >= 0))
        return smr_fail(ctx, SMR_ERR_PARAM, "the time is a number of seconds from 0 up");
    if (ask->seconds > 0) l.deadline = smr_now() + ask->seconds;
    TRY(smr_cv_ask_confidence(ctx, &ask->cv, &l.confidence));
    TRY(ask_task(ctx, ask, how->task, &own, &spec));
    TRY(smr_train_set_create(ctx, table, spec, how, &set));
    l.set = set;
    TRY(smr_cv_ask_decider(ctx, &ask->cv, set, ask->specs, ask->all ? 0 : ask->n, &l.measure));
    l.losses.ctx = ctx;
    smr_cv_tell_losses(ask->specs, ask->n, set->target.task, l.measure, &l.losses);
    TRY(smr_text_done(&l.losses));
    TRY(smr_cv_ask_plan(ctx, &ask->cv, set, &plan));
    l.plan = plan;
    TRY(gather(ctx, ask, &l));
    TRY(open_log(ctx, &l));
    TRY(score_baseline(ctx, &l));
    TRY(run(ctx, &l, into));
out:
    for (int64_t i = 0; l.list && i < l.n; i++) release_contender(&l.list[i]);
    smr_compare_release_notes(&l.notes);
    smr_trial_log_close(l.log);
    smr_free(l.list);
    smr_text_release(&l.losses);
    smr_free(l.base);
    smr_spec_free(own);
    smr_cv_plan_free(plan);
    smr_train_set_free(set);
    return st;
}
