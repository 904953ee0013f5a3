/* cv_run.c -- a sentence through the rounds of a plan: see cv.h.
 *
 * A round fits, predicts its measured rows, measures, and lets the model go.  Only row numbers are
 * made from the table.  Rounds run side by side where there are enough of them and where what each
 * of them holds stays small beside the table; otherwise one after another, and the threads work
 * inside the fit and the predictions.  Either way every figure has the same bits. */
#include "core/parallel.h"
#include "core/rng.h"
#include "core/span.h"
#include "learn/spec.h"
#include "study/cv_log.h"
#include "study/cv_measure.h"
#include "study/cv_plan.h"
#include "study/evaluate_coverage.h"
#include "study/fitted.h"
#include "study/judge.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

const char smr_cv_what[] = "cross-validating";

/* What is held for a round beside a model: its rows twice and its targets, 8 bytes each. */
enum { BYTES_A_ROW = 24 };
static const double SMALL = 8e6;       /* bytes that are always affordable                      */
static const double POOL_BYTES = 64e6; /* of predictions pooled at once, if repetitions are less */

struct lane {
    int64_t *train;
};

/* Why a round failed that may not count. */
struct failure {
    smr_status status;
    char *message;
};

struct running {
    const smr_spec *spec;
    const smr_train_set *set;
    const smr_cv_plan *plan;
    const smr_cv_run_opts *opts;
    smr_cv_scores *out;
    int64_t first;      /* round of the plan that is round 0 of the scores               */
    int64_t pool_first; /* the round whose predictions begin the pool                    */
    int64_t *start;     /* of a round's predictions in the pool, in rows: n_rounds + 1   */
    double *pool;       /* predictions of some repetitions, in the order of their rounds */
    smr_output *output; /* n_rounds                                                      */
    struct lane *lanes;
    smr_cv_log *log;
    bool keeps_rows;             /* the model holds its training rows                             */
    const smr_measure *coverage; /* the last measures, of intervals or sets; NULL: none    */
    int64_t n_plain;             /* measures before them                                   */
    smr_span span;
    int64_t base; /* of the rounds under way, the first                                    */
    _Atomic int64_t n_judged; /* of the rounds that decide whether the others are run          */
    atomic_bool hopeless;
    struct failure *failures; /* n_rounds, of the others; NULL: all are run                    */
};

/* ---- one round -------------------------------------------------------------------------- */

/* The rows to fit on, where that is only a share of the round's: *taken is to be freed. */
static smr_status take_share(smr_ctx *ctx, const struct running *r, int64_t round,
                             const int64_t *train, int64_t n, int64_t **taken, int64_t *n_taken)
{
    const smr_train_set *set = r->set;
    double share = r->opts->train_share;
    smr_split_rows of = {.n = n,
                         .n_classes = set->target.classes.n,
                         .seed = ctx->seed,
                         .repetition = r->plan->n_repeats + round}; /* not that of the folds */
    smr_status st = SMR_OK;
    smr_parts parts = {0};
    int32_t *label = NULL;
    int64_t *group = NULL;
    if (r->plan->kind == SMR_CV_ORDERED) {
        *n_taken = SMR_MAX(1, (int64_t)(share * (double)n));
        TRY_NEW(*taken, *n_taken);
        memcpy(*taken, train + n - *n_taken, (size_t)*n_taken * sizeof **taken);
        return SMR_OK;
    }
    if (smr_train_set_has_strata(set)) TRY_NEW(label, n);
    if (set->group) TRY_NEW(group, n);
    for (int64_t i = 0; label && i < n; i++) label[i] = set->label[train[i]];
    for (int64_t i = 0; group && i < n; i++) group[i] = set->group[train[i]];
    of.label = label;
    of.group = group;
    TRY(smr_split_holdout(ctx, &of, &share, 1, &parts));
    *n_taken = smr_part_size(&parts, 1);
    TRY_NEW(*taken, *n_taken);
    for (int64_t i = 0; i < *n_taken; i++) (*taken)[i] = train[smr_part_rows(&parts, 1)[i]];
out:
    smr_parts_release(&parts);
    smr_free(label);
    smr_free(group);
    return st;
}

/* Predicts the rows, into `into` or memory of its own, and measures. */
static smr_status measure_rows(smr_ctx *ctx, const struct running *r, const smr_model *model,
                               smr_predicted *p, double *into, double *scores, double *seconds)
{
    smr_status st = SMR_OK;
    double *own = NULL;
    if (!smr_judge_joins(r->set->target.task))
        return smr_found_measure(ctx, model, r->set, p, r->out->measures, r->n_plain, scores,
                                 seconds);
    if (!into) {
        own = smr_alloc_raw(ctx, p->n * r->out->width, sizeof *own);
        if (!own) return SMR_ERR_NOMEM;
    }
    p->value = into ? into : own;
    double began = smr_now();
    TRY(smr_model_apply(ctx, model, r->set->table, p->rows, p->n, p->output, into ? into : own));
    if (seconds) *seconds = smr_now() - began;
    TRY(smr_predicted_measure(ctx, r->set, p, r->out->measures, r->n_plain, scores));
    if (r->coverage)
        TRY(smr_coverage_of_rows(ctx, model, r->set, p->rows, p->n, scores + r->n_plain));
out:
    smr_free(own);
    return st;
}

/* round: of the scores. */
static smr_status run_round(smr_ctx *ctx, struct running *r, int64_t round, int64_t *train)
{
    smr_cv_scores *out = r->out;
    smr_status st = SMR_OK;
    smr_model *model = NULL;
    int64_t n_train, n_test, *share = NULL, M = out->n_measures;
    const int64_t *test, *rows = train;
    smr_cv_round(r->plan, r->first + round, train, &n_train, &test, &n_test);
    if (r->opts->train_share > 0 && r->opts->train_share < 1) {
        TRY(take_share(ctx, r, r->first + round, train, n_train, &share, &n_train));
        rows = share;
    }
    out->n_test[round] = n_test;
    double began = smr_now();
    TRY(smr_fit(ctx, r->spec, r->set, rows, n_train, &model));
    out->fit_seconds[round] = smr_now() - began;
    if (round == 0) TRY(smr_fitted_sentence(ctx, model, &out->fitted));
    if (smr_judge_joins(r->set->target.task))
        TRY(smr_predicted_output(ctx, model, &r->output[round]));
    smr_predicted p = {.rows = test, .n = n_test, .output = r->output[round]};
    double *into =
        r->pool ? r->pool + (r->start[round] - r->start[r->pool_first]) * out->width : NULL;
    TRY(measure_rows(ctx, r, model, &p, into, out->score + round * M,
                     &out->predict_seconds[round]));
    if (r->opts->measure_train) {
        p = (smr_predicted){.rows = rows, .n = n_train, .output = r->output[round]};
        TRY(measure_rows(ctx, r, model, &p, NULL, out->train_score + round * M, NULL));
    }
    TRY(ctx->status); /* a warning that there was no memory to keep */
out:
    smr_free(share);
    smr_model_free(model);
    return st;
}

/* A round that comes after those that decide counts only if they let it: its failure is kept. */
static smr_status keep_failure(smr_ctx *ctx, struct running *r, int64_t round, smr_status status)
{
    struct failure *f = &r->failures[round];
    f->message = smr_strdup(ctx, ctx->message);
    if (!f->message) return SMR_ERR_NOMEM;
    f->status = status;
    smr_begin(ctx);
    return SMR_OK;
}

/* The last of the rounds that decide asks, so that the answer is the same in whatever order they
 * end. */
static void judge_rounds(struct running *r, int64_t round)
{
    if (!r->failures || round >= r->opts->judged_after) return;
    if (atomic_fetch_add(&r->n_judged, 1) + 1 == r->opts->judged_after)
        atomic_store(&r->hopeless, r->opts->is_hopeless(r->opts->judge, r->out->score));
}

static smr_status round_task(smr_ctx *ctx, void *arg, int64_t task, int lane_index)
{
    struct running *r = arg;
    int64_t round = r->pool_first + r->base + task;
    struct lane *lane = &r->lanes[lane_index];
    smr_log_fn log = ctx->log;
    void *user = ctx->log_user;
    smr_status st = SMR_OK;
    bool late = r->failures && round >= r->opts->judged_after;
    if (late && atomic_load(&r->hopeless)) return SMR_OK;
    if (!lane->train) TRY_NEW(lane->train, SMR_MAX(1, r->plan->most_train));
    ctx->log = smr_cv_log_hear;
    ctx->log_user = smr_cv_log_round(r->log, ctx, round);
    st = run_round(ctx, r, round, lane->train);
    ctx->log = log;
    ctx->log_user = user;
    if (st != SMR_OK && st != SMR_ERR_CANCELLED && st != SMR_ERR_NOMEM)
        smr_while(ctx, "cross-validating, round %lld of %lld", (long long)(r->first + round) + 1,
                  (long long)r->plan->n_rounds);
    if (st == SMR_OK)
        judge_rounds(r, round);
    else if (late && st != SMR_ERR_CANCELLED)
        st = keep_failure(ctx, r, round, st);
out:
    return st;
}

/* ---- many rounds ------------------------------------------------------------------------ */

static double table_bytes(const smr_table *t)
{
    static const double width[] = {[SMR_F64] = 8, [SMR_F32] = 4, [SMR_U8] = 1, [SMR_I32] = 4};
    double bytes = t->sparse.n_cols ? 12.0 * (double)t->sparse.start[t->n_rows] : 0;
    for (int64_t j = 0; j < t->n_cols; j++) bytes += width[t->cols[j].dtype] * (double)t->n_rows;
    return bytes;
}

/* Would n rounds at once hold little beside the table? */
static bool fits_side_by_side(const struct running *r, int64_t n)
{
    double bytes = table_bytes(r->set->table), rows = (double)r->plan->most_train;
    double each = BYTES_A_ROW * rows;
    if (r->keeps_rows) each += bytes * rows / (double)r->set->table->n_rows;
    return (double)n * each <= smr_fmax(SMALL, 0.75 * bytes);
}

/* Rounds [pool_first, pool_first + n). */
static smr_status run_rounds(smr_ctx *ctx, struct running *r, int64_t n)
{
    int64_t lanes = smr_lanes(ctx), together = n;
    smr_status st = SMR_OK;
    if (4 * n <= lanes || !fits_side_by_side(r, SMR_MIN(n, lanes)))
        together = 0;
    else if (n > lanes && n % lanes == 1)
        together = n - 1; /* the last one alone has all threads for itself */
    r->base = 0;
    TRY(smr_span_from(ctx, &r->span, r->pool_first, NAN));
    TRY(smr_parallel(ctx, smr_cv_what, together, round_task, r));
    for (r->base = together; r->base < n; r->base++) {
        TRY(smr_span_at(ctx, &r->span, r->pool_first + r->base, NAN));
        TRY(round_task(ctx, r, 0, 0));
    }
out:
    return st;
}

/* ---- what the rounds gave together ------------------------------------------------------ */

/* Rounds [lo, hi) of one repetition: adds the measures of all their predictions to `pooled`. */
static smr_status measure_pool(smr_ctx *ctx, const struct running *r, int64_t lo, int64_t hi)
{
    const smr_cv_scores *out = r->out;
    int64_t n = r->start[hi] - r->start[lo], *rows = NULL;
    smr_status st = SMR_OK;
    double *scores = NULL;
    TRY_NEW(rows, n);
    TRY_NEW(scores, out->n_measures);
    for (int64_t k = lo; k < hi; k++) {
        const smr_parts *parts = &r->plan->parts[(r->first + k) / r->plan->per_repeat];
        memcpy(rows + r->start[k] - r->start[lo],
               smr_part_rows(parts, smr_cv_part(r->plan, r->first + k)),
               (size_t)(r->start[k + 1] - r->start[k]) * sizeof *rows);
    }
    smr_predicted p = {.rows = rows,
                       .n = n,
                       .output = r->output[lo],
                       .value = r->pool + (r->start[lo] - r->start[r->pool_first]) * out->width};
    TRY(smr_predicted_measure(ctx, r->set, &p, out->measures, r->n_plain, scores));
    for (int64_t m = r->n_plain; m < out->n_measures; m++) /* means over rows */
        for (int64_t k = lo; k < hi; k++)
            scores[m] += out->score[k * out->n_measures + m] * (double)out->n_test[k] / (double)n;
    for (int64_t m = 0; m < out->n_measures; m++) out->pooled[m] += scores[m];
    for (int64_t i = 0, k = lo; out->prediction && lo == 0 && i < n; i++) {
        while (i >= r->start[k + 1] - r->start[lo]) k++;
        out->round_of[rows[i]] = (int32_t)(r->first + k);
        memcpy(out->prediction + rows[i] * out->width, p.value + i * out->width,
               (size_t)out->width * sizeof *p.value);
    }
out:
    smr_free(rows);
    smr_free(scores);
    return st;
}

/* End of the repetition that round `round` of the scores is in. */
static int64_t repetition_end(const struct running *r, int64_t round)
{
    int64_t per = r->plan->per_repeat, end = ((r->first + round) / per + 1) * per - r->first;
    return SMR_MIN(end, r->out->n_rounds);
}

/* As many whole repetitions at a time as have room for their predictions, and at least one. */
static smr_status run_pooled(smr_ctx *ctx, struct running *r)
{
    smr_cv_scores *out = r->out;
    double row = (double)out->width * sizeof(double);
    smr_status st = SMR_OK;
    int64_t n_repeats = 0;
    for (int64_t lo = 0, hi; lo < out->n_rounds; lo = hi) {
        hi = repetition_end(r, lo);
        while (hi < out->n_rounds &&
               row * (double)(r->start[repetition_end(r, hi)] - r->start[lo]) <= POOL_BYTES)
            hi = repetition_end(r, hi);
        r->pool_first = lo;
        r->pool = smr_alloc_raw(ctx, (r->start[hi] - r->start[lo]) * out->width, sizeof *r->pool);
        if (!r->pool) return SMR_ERR_NOMEM;
        TRY(run_rounds(ctx, r, hi - lo));
        for (int64_t k = lo, end; k < hi; k = end, n_repeats++) {
            end = repetition_end(r, k);
            TRY(measure_pool(ctx, r, k, end));
        }
        smr_free(r->pool);
        r->pool = NULL;
    }
    for (int64_t m = 0; m < out->n_measures; m++) out->pooled[m] /= (double)n_repeats;
out:
    return st;
}

/* Mean over the rounds of what cannot be joined, weighted by their rows, undefined ones left
 * out. */
static smr_status run_averaged(smr_ctx *ctx, struct running *r)
{
    smr_cv_scores *out = r->out;
    smr_status st = SMR_OK;
    TRY(run_rounds(ctx, r, out->n_rounds));
    for (int64_t m = 0; m < out->n_measures; m++) {
        double all = 0;
        for (int64_t k = 0; k < out->n_rounds; k++) {
            double score = out->score[k * out->n_measures + m], n = (double)out->n_test[k];
            if (isnan(score)) continue;
            all += n;
            bool endless = isinf(score) || isinf(out->pooled[m]);
            out->pooled[m] += endless ? score : n / all * (score - out->pooled[m]);
        }
        if (!(all > 0)) out->pooled[m] = NAN;
    }
out:
    return st;
}

/* ---- a run ------------------------------------------------------------------------------ */

/* The coverage of intervals or sets comes last, where the model gives some. */
static smr_status choose_measures(smr_ctx *ctx, struct running *r)
{
    const smr_train_set *set = r->set;
    const smr_cv_run_opts *opts = r->opts;
    smr_cv_scores *out = r->out;
    int64_t n;
    const smr_measure *all = smr_measures(&n);
    smr_status st = SMR_OK;
    TRY_NEW(out->measures, SMR_MAX(n, opts->n_measures) + SMR_COVERAGE_MEASURES + 1);
    if (opts->measures) {
        r->coverage = NULL;
        out->n_measures = r->n_plain = opts->n_measures;
        for (int64_t i = 0; i < opts->n_measures; i++) out->measures[i] = opts->measures[i];
        return SMR_OK;
    }
    if (opts->also) out->measures[out->n_measures++] = opts->also;
    for (int64_t i = 0; i < n; i++)
        if (all[i].task == set->target.task && !all[i].on_request && &all[i] != opts->also)
            out->measures[out->n_measures++] = &all[i];
    r->n_plain = out->n_measures;
    for (int64_t i = 0; r->coverage && i < SMR_COVERAGE_MEASURES; i++)
        out->measures[out->n_measures++] = &r->coverage[i];
out:
    return st;
}

/* The sentence must end in a learner that does what the set asks for. */
static smr_status check_sentence(smr_ctx *ctx, struct running *r)
{
    const smr_learner *last = smr_spec_last(r->spec)->learner;
    unsigned tasks = smr_step_tasks(smr_spec_last(r->spec));
    const smr_judge_facts *judged = smr_judge_of(r->set->target.task);
    unsigned all = 0;
    for (int task = SMR_TASK_CLASSIFY; task < SMR_TASKS; task++)
        all |= smr_task_of((smr_task)task)->does;
    r->keeps_rows = smr_spec_has_trait(r->spec, SMR_KEEPS_DATA);
    r->coverage = smr_coverage_measures(last, r->set->target.task);
    if (!(tasks & all))
        return smr_fail(
            ctx, SMR_ERR_PARAM,
            "%s predicts nothing that could be measured; end the sentence with a learner",
            last->word->name);
    if (tasks & smr_task_of(r->set->target.task)->does || r->set->target.task == SMR_TASK_NONE)
        return SMR_OK;
    if (judged->as == SMR_JUDGED_AS_CLASSES && tasks & SMR_DOES_REGRESS)
        return smr_fail(ctx, SMR_ERR_PARAM, "%s does not classify; it predicts numbers",
                        last->word->name);
    if (r->set->target.task == SMR_TASK_REGRESS && tasks & SMR_DOES_CLASSIFY)
        return smr_fail(ctx, SMR_ERR_PARAM, "%s does not predict numbers; it classifies",
                        last->word->name);
    return smr_fail(ctx, SMR_ERR_PARAM, "%s does not %s", last->word->name, judged->to);
}

static smr_status make_room(smr_ctx *ctx, struct running *r)
{
    smr_cv_scores *out = r->out;
    const smr_train_set *set = r->set;
    int64_t R = out->n_rounds, M, table_rows = set->table->n_rows;
    smr_status st = SMR_OK;
    TRY(choose_measures(ctx, r));
    M = out->n_measures;
    bool classes = smr_judge_of(set->target.task)->as == SMR_JUDGED_AS_CLASSES;
    out->width = classes ? set->target.classes.n : set->target.n;
    TRY_NEW(out->score, R * M);
    if (r->opts->measure_train) TRY_NEW(out->train_score, R * M);
    TRY_NEW(out->n_test, R);
    TRY_NEW(out->fit_seconds, R);
    TRY_NEW(out->predict_seconds, R);
    if (!r->opts->rounds_only || r->opts->keep_predictions) TRY_NEW(out->pooled, M);
    if (r->opts->keep_predictions && smr_judge_joins(set->target.task)) {
        TRY_NEW(out->prediction, table_rows * out->width);
        TRY_NEW(out->round_of, table_rows);
        for (int64_t i = 0; i < table_rows * out->width; i++) out->prediction[i] = NAN;
        for (int64_t i = 0; i < table_rows; i++) out->round_of[i] = -1;
    }
    TRY_NEW(r->output, R);
    TRY_NEW(r->lanes, smr_lanes(ctx));
    TRY_NEW(r->start, R + 1);
    for (int64_t k = 0; k < R; k++) {
        const smr_parts *parts = &r->plan->parts[(r->first + k) / r->plan->per_repeat];
        r->start[k + 1] = r->start[k] + smr_part_size(parts, smr_cv_part(r->plan, r->first + k));
    }
    if (r->opts->judged_after && r->opts->judged_after < R) TRY_NEW(r->failures, R);
    TRY(smr_cv_log_create(ctx, R, &r->log));
out:
    return st;
}

/* What was run after the rounds that decide counts, or does not. */
static smr_status settle_judged(smr_ctx *ctx, struct running *r)
{
    smr_cv_scores *out = r->out;
    out->stopped = r->failures && atomic_load(&r->hopeless);
    for (int64_t k = r->opts->judged_after; r->failures && k < out->n_rounds; k++) {
        const struct failure *f = &r->failures[k];
        if (out->stopped)
            out->score[k] = NAN;
        else if (f->status != SMR_OK)
            return smr_fail(ctx, f->status, "%s", f->message);
    }
    return SMR_OK;
}

static void clear_up(smr_ctx *ctx, struct running *r)
{
    for (int64_t k = 0; r->failures && k < r->out->n_rounds; k++) smr_free(r->failures[k].message);
    smr_free(r->failures);
    for (int i = 0; r->lanes && i < smr_lanes(ctx); i++) smr_free(r->lanes[i].train);
    smr_free(r->lanes);
    smr_free(r->start);
    smr_free(r->pool);
    smr_free(r->output);
    smr_cv_log_free(r->log);
}

static smr_status check_run(smr_ctx *ctx, const smr_cv_plan *plan, const smr_train_set *set,
                            const smr_cv_run_opts *o)
{
    if (set != plan->set)
        return smr_fail(ctx, SMR_ERR_STATE, "the plan was made for another training set");
    if (set->spend)
        return smr_fail(ctx, SMR_ERR_STATE, "a table that is spent by a fit serves one fit only");
    smr_status st = smr_judge_check(ctx, &set->target);
    if (st != SMR_OK) return st;
    if (o->first < 0 || o->n < 0 || o->first >= plan->n_rounds || o->n > plan->n_rounds - o->first)
        return smr_fail(
            ctx, SMR_ERR_PARAM, "rounds %lld to %lld are asked for, and the plan has %lld",
            (long long)o->first, (long long)(o->first + o->n), (long long)plan->n_rounds);
    if (!(o->train_share >= 0 && o->train_share <= 1))
        return smr_fail(ctx, SMR_ERR_PARAM, "the share to fit on lies between 0 and 1");
    return SMR_OK;
}

smr_status smr_cv_run(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                      const smr_cv_plan *plan, const smr_cv_run_opts *opts, smr_cv_scores *out)
{
    static const smr_cv_run_opts none;
    const smr_cv_run_opts *o = opts ? opts : &none;
    smr_status st = SMR_OK;
    struct running r = {
        .spec = spec, .set = set, .plan = plan, .opts = o, .out = out, .first = o->first};
    *out = (smr_cv_scores){0};
    TRY(check_sentence(ctx, &r));
    TRY(check_run(ctx, plan, set, o));
    out->n_rounds = o->n ? o->n : plan->n_rounds - o->first;
    TRY(make_room(ctx, &r));
    smr_span_open(ctx, &r.span, smr_cv_what, out->n_rounds);
    if (out->pooled && !smr_judge_joins(set->target.task))
        TRY(run_averaged(ctx, &r));
    else
        TRY(out->pooled ? run_pooled(ctx, &r) : run_rounds(ctx, &r, out->n_rounds));
    TRY(settle_judged(ctx, &r));
    out->output = r.output[0];
    if (!out->stopped) smr_cv_log_tell(ctx, r.log);
out:
    smr_span_close(ctx, &r.span);
    clear_up(ctx, &r);
    if (st != SMR_OK) smr_cv_scores_release(out);
    return st;
}
