/* compare.c -- see compare.h. */
#include "study/compare.h"

#include "core/figure.h"
#include "core/text.h"
#include "learn/registry.h"
#include "learn/spec.h"
#include "study/cv_plan.h"
#include "study/cv_report.h"
#include "study/judge.h"
#include "study/warnings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct league {
    const smr_train_set *set;
    const smr_cv_plan *plan;
    const smr_measure *measure;
    double confidence;
    smr_contender *list;
    int64_t n;
};

/* ---- which models take part ------------------------------------------------------------- */

/* What the same model is called, however it is spelled, if it already takes part; or NULL. */
static const char *find_contender(const struct league *l, const char *sentence)
{
    for (int64_t i = 0; i < l->n; i++)
        if (strcmp(l->list[i].sentence, sentence) == 0) return l->list[i].model;
    return NULL;
}

/* *known: what it is called if it already takes part; it is then not added. */
static smr_status add_contender(smr_ctx *ctx, struct league *l, const char *name,
                                const smr_spec *spec, const char **known)
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
static bool is_suited(const struct league *l, const smr_learner *learner, const smr_nature *is,
                      smr_text *refused)
{
    if (!(is->tasks & smr_task_of(l->set->target.task)->does) ||
        (learner->comparing && learner->comparing->stands_aside))
        return false;
    if (!refuses(is, l->set)) return true;
    smr_text_printf(refused, "%s%s", refused->length ? ", " : "", learner->word->name);
    return false;
}

static smr_status add_all(smr_ctx *ctx, struct league *l)
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

static smr_status gather(smr_ctx *ctx, const smr_compare_ask *ask, struct league *l)
{
    smr_status st = SMR_OK;
    int64_t n;
    smr_registry(&n);
    TRY_NEW(l->list, ask->n + n + 1);
    for (int64_t i = 0; i < ask->n; i++) {
        const char *known;
        TRY(add_contender(ctx, l, ask->names[i], ask->specs[i], &known));
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

static double mean_of(const double *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i];
    return n ? sum / (double)n : NAN;
}

/* A failure is noted and forgotten; being cancelled is not a failure. */
static smr_status run_contender(smr_ctx *ctx, const struct league *l, smr_notes *notes,
                                smr_contender *c)
{
    smr_cv_run_opts how = {.measures = &l->measure, .n_measures = 1, .rounds_only = true};
    smr_log_fn log = ctx->log;
    void *log_user = ctx->log_user;
    smr_cv_scores scores = {0};
    notes->model = c->model;
    if (log) {
        ctx->log = smr_compare_note;
        ctx->log_user = notes;
    }
    smr_status st = smr_cv_run(ctx, c->spec, l->set, l->plan, &how, &scores);
    ctx->log = log;
    ctx->log_user = log_user;
    if (st == SMR_ERR_CANCELLED) return st;
    if (st != SMR_OK) {
        char message[SMR_MESSAGE_MAX];
        memcpy(message, ctx->message, sizeof message);
        smr_begin(ctx);
        c->message = smr_strdup(ctx, message);
        return c->message ? SMR_OK : SMR_ERR_NOMEM;
    }
    c->fit_seconds = mean_of(scores.fit_seconds, scores.n_rounds);
    c->predict_seconds = mean_of(scores.predict_seconds, scores.n_rounds);
    c->fitted = scores.fitted;
    scores.fitted = NULL;
    c->score = scores.score; /* one measure: a figure per round */
    scores.score = NULL;
    smr_cv_scores_release(&scores);
    return SMR_OK;
}

/* It is left out where the measure does not apply to it. */
static smr_status run_baseline(smr_ctx *ctx, struct league *l)
{
    const char *name = smr_judge_baseline_name(&l->set->target);
    smr_contender *c = &l->list[l->n];
    smr_status st = SMR_OK;
    double *score = NULL;
    bool told = false;
    if (!name) return SMR_OK;
    TRY_NEW(score, smr_cv_rounds(l->plan));
    TRY(smr_compare_baseline(ctx, l->set, l->plan, l->measure, score));
    for (int64_t r = 0; r < smr_cv_rounds(l->plan); r++) told |= !isnan(score[r]);
    if (!told) goto out;
    c->model = smr_strdup(ctx, name);
    if (!c->model) TRY(SMR_ERR_NOMEM);
    l->n++;
    c->is_baseline = true;
    c->fit_seconds = c->predict_seconds = NAN;
    c->score = score;
    score = NULL;
out:
    smr_free(score);
    return st;
}

static smr_status run_all(smr_ctx *ctx, struct league *l)
{
    smr_status st = SMR_OK;
    smr_notes notes = {.ctx = ctx};
    int64_t failed = 0, n = l->n;
    for (int64_t i = 0; i < n; i++) {
        TRY(run_contender(ctx, l, &notes, &l->list[i]));
        failed += l->list[i].score == NULL;
    }
    if (failed == n)
        TRY(smr_fail(ctx, SMR_ERR_DATA, "no model could be measured; %s: %s", l->list[0].model,
                     l->list[0].message));
    TRY(smr_compare_tell_notes(ctx, &notes, n));
    TRY(run_baseline(ctx, l));
    TRY(smr_compare_rank(ctx, l->list, l->n, smr_cv_rounds(l->plan), l->measure->higher_is_better,
                         smr_cv_test_over_train(l->plan), l->confidence));
    for (int64_t i = 0; i < l->n; i++) {
        smr_contender *c = &l->list[i];
        smr_cv_summary_bound(&c->sum, l->measure);
        if (c->is_baseline && strcmp(smr_compare_verdict(c, l->confidence), "worse") != 0 &&
            !isnan(c->p))
            smr_warn(ctx,
                     "no model is clearly better than the baseline, %s; more rounds (--repeats 5) "
                     "tell smaller differences apart",
                     smr_judge_of(l->set->target.task)->simple);
    }
out:
    smr_compare_release_notes(&notes);
    return st;
}

/* ---- reporting -------------------------------------------------------------------------- */

static void add_row(const struct league *l, const smr_contender *c, int64_t rank, smr_json *league)
{
    smr_json *row = smr_json_add_object(league, NULL);
    smr_json_add_number(row, "rank", c->is_baseline ? NAN : (double)rank);
    smr_json_add_string(row, "model", c->model);
    if (c->is_baseline)
        smr_json_add_null(row, "spec");
    else
        smr_json_add_string(row, "spec", c->sentence);
    if (c->fitted) smr_json_add_string(row, "fitted", c->fitted);
    smr_json_add_number(row, "mean", c->sum.mean);
    smr_json_add_number(row, "sd", c->sum.sd);
    smr_json_add_number(row, "low", c->sum.low);
    smr_json_add_number(row, "high", c->sum.high);
    bool compared = c->behind.n > 0;
    smr_json_add_number(row, "behind", compared ? c->behind.mean : NAN);
    smr_json_add_number(row, "behind_low", compared ? c->behind.low : NAN);
    smr_json_add_number(row, "behind_high", compared ? c->behind.high : NAN);
    smr_json_add_number(row, "p", c->p);
    smr_json_add_string(row, "verdict", smr_compare_verdict(c, l->confidence));
    smr_json_add_number(row, "wins", (double)c->wins);
    smr_json_add_number(row, "fit_seconds", c->fit_seconds);
    smr_json_add_number(row, "predict_seconds", c->predict_seconds);
}

static void add_league(const struct league *l, smr_json *into)
{
    int64_t rank = 0;
    smr_json *league = smr_json_add_array(into, "league");
    for (int64_t i = 0; i < l->n; i++) {
        if (!l->list[i].score) continue;
        rank += !l->list[i].is_baseline;
        add_row(l, &l->list[i], rank, league);
    }
    smr_json *failed = smr_json_add_array(into, "failed");
    for (int64_t i = 0; i < l->n; i++) {
        if (l->list[i].score) continue;
        smr_json *row = smr_json_add_object(failed, NULL);
        smr_json_add_string(row, "model", l->list[i].model);
        smr_json_add_string(row, "message", l->list[i].message);
    }
}

static smr_status add_rounds(smr_ctx *ctx, const struct league *l, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_json *rounds = smr_json_add_array(into, "by_round");
    int64_t *train = NULL, n_train, n_test;
    const int64_t *test;
    TRY_NEW(train, SMR_MAX(1, smr_cv_most_train(l->plan)));
    for (int64_t r = 0; r < smr_cv_rounds(l->plan); r++) {
        smr_json *row = smr_json_add_object(rounds, NULL);
        smr_cv_round(l->plan, r, train, &n_train, &test, &n_test);
        smr_json_add_number(row, "round", (double)r + 1);
        smr_json_add_number(row, "rows", (double)n_test);
        smr_json *scores = smr_json_add_array(row, "scores");
        for (int64_t i = 0; i < l->n; i++)
            if (l->list[i].score) smr_json_add_number(scores, NULL, l->list[i].score[r]);
    }
out:
    smr_free(train);
    return st;
}

static smr_status add_figure(smr_ctx *ctx, const struct league *l, smr_json *into)
{
    smr_status st = SMR_OK;
    double *mean = NULL, *low = NULL, *high = NULL;
    int64_t n = 0;
    smr_text title = {.ctx = ctx};
    TRY_NEW(mean, l->n);
    TRY_NEW(low, l->n);
    TRY_NEW(high, l->n);
    smr_text_printf(&title, "%s of %lld model%s on the same rounds", l->measure->title,
                    (long long)l->n - 1, smr_plural(l->n - 1, "", "s"));
    TRY(smr_text_done(&title));
    smr_json *figure = smr_figure_add(smr_json_add_array(into, "figures"), "league", title.bytes,
                                      l->measure->higher_is_better
                                          ? "Means with their intervals; higher is better."
                                          : "Means with their intervals; lower is better.");
    smr_json *names = smr_json_add_array(smr_figure_axis(figure, "y", "", "names"), "names");
    smr_figure_axis(figure, "x", l->measure->name, "linear");
    for (int64_t i = 0; i < l->n; i++) {
        const smr_contender *c = &l->list[i];
        if (!c->score) continue;
        smr_json_add_string(names, NULL, c->model);
        mean[n] = c->sum.mean;
        low[n] = c->sum.low;
        high[n++] = c->sum.high;
    }
    smr_json *series = smr_figure_series(figure, l->measure->name, "hbars", n, mean, NULL);
    smr_json_add_numbers(series, "low", low, n);
    smr_json_add_numbers(series, "high", high, n);
out:
    smr_text_release(&title);
    smr_free(mean);
    smr_free(low);
    smr_free(high);
    return st;
}

static smr_status tell(smr_ctx *ctx, const struct league *l, smr_json *into)
{
    smr_status st = SMR_OK;
    const smr_contender *best = &l->list[0];
    smr_json *advice;
    for (int64_t i = 0; i < l->n && best->is_baseline; i++) best = &l->list[i];
    smr_set_json(ctx, l->set, into);
    smr_cv_plan_json(l->plan, into);
    smr_json_add_number(into, "confidence", l->confidence);
    smr_json_add_string(into, "measure", l->measure->name);
    smr_json_add_string(into, "better", l->measure->higher_is_better ? "higher" : "lower");
    smr_json_add_string(into, "best", best->model);
    add_league(l, into);
    TRY(smr_advice_json(ctx, l->set, into, &advice));
    if (l->plan->kind != SMR_CV_ORDERED)
        smr_advise_order(ctx, l->set, "--ordered or --order-by", advice);
    TRY(smr_advise_set_too_good(ctx, l->set, smr_left_by(l->measure, best->sum.mean, l->set),
                                l->set->n_rows, advice));
    TRY(add_rounds(ctx, l, into));
    TRY(add_figure(ctx, l, into));
    TRY(smr_json_done(into->doc));
out:
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

smr_status smr_compare_report(smr_ctx *ctx, const smr_table *table, const smr_set_opts *how,
                              const smr_compare_ask *ask, smr_json *into)
{
    smr_status st = SMR_OK;
    struct league l = {0};
    smr_train_set *set = NULL;
    smr_cv_plan *plan = NULL;
    smr_spec *own = NULL;
    const smr_spec *spec = NULL;
    TRY(smr_cv_ask_confidence(ctx, &ask->cv, &l.confidence));
    TRY(ask_task(ctx, ask, how->task, &own, &spec));
    TRY(smr_train_set_create(ctx, table, spec, how, &set));
    l.set = set;
    TRY(smr_cv_ask_decider(ctx, &ask->cv, set, ask->specs, ask->all ? 0 : ask->n, &l.measure));
    TRY(smr_cv_ask_plan(ctx, &ask->cv, set, &plan));
    l.plan = plan;
    TRY(gather(ctx, ask, &l));
    TRY(run_all(ctx, &l));
    TRY(tell(ctx, &l, into));
out:
    for (int64_t i = 0; l.list && i < l.n; i++) {
        smr_free(l.list[i].model);
        smr_spec_free(l.list[i].spec);
        smr_free(l.list[i].sentence);
        smr_free(l.list[i].score);
        smr_free(l.list[i].fitted);
        smr_free(l.list[i].message);
    }
    smr_free(l.list);
    smr_spec_free(own);
    smr_cv_plan_free(plan);
    smr_train_set_free(set);
    return st;
}
