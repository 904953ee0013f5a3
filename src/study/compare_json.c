/* compare_json.c -- a league as JSON: see compare.h. */
#include "study/compare.h"
#include "study/cv_plan.h"
#include "study/cv_report.h"
#include "study/warnings.h"

#include <math.h>

static void add_row(const smr_league *l, const smr_contender *c, int64_t rank, smr_json *league)
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
    smr_json_add_number(row, "won", compared ? (double)c->won : NAN);
    smr_json_add_number(row, "lost", compared ? (double)c->lost : NAN);
    smr_json_add_number(row, "wins", (double)c->wins);
    smr_json_add_number(row, "fit_seconds", c->fit_seconds);
    smr_json_add_number(row, "predict_seconds", c->predict_seconds);
}

static void add_league(const smr_league *l, smr_json *into)
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
        if (l->list[i].state != SMR_MODEL_FAILED) continue;
        smr_json *row = smr_json_add_object(failed, NULL);
        smr_json_add_string(row, "model", l->list[i].model);
        smr_json_add_string(row, "message", l->list[i].message);
    }
}

/* Those whose scores are not all there. */
static void add_unfinished(const smr_league *l, smr_json *into)
{
    smr_json *stopped = smr_json_add_array(into, "stopped");
    for (int64_t i = 0; i < l->n; i++) {
        const smr_contender *c = &l->list[i];
        if (c->state != SMR_MODEL_STOPPED) continue;
        smr_json *row = smr_json_add_object(stopped, NULL);
        smr_json_add_string(row, "model", c->model);
        smr_json_add_string(row, "spec", c->sentence);
        smr_json_add_number(row, "rounds", SMR_COUNT(c->early));
        smr_json_add_numbers(row, "scores", c->early, SMR_COUNT(c->early));
        smr_json_add_numbers(row, "baseline", l->base, SMR_COUNT(c->early));
        smr_json_add_string(row, "message",
                            "in both rounds its error is more than a tenth above the baseline's");
    }
    smr_json *left_out = smr_json_add_array(into, "left_out");
    for (int64_t i = 0; i < l->n; i++)
        if (l->list[i].state == SMR_MODEL_WAITING && !l->list[i].is_baseline)
            smr_json_add_string(left_out, NULL, l->list[i].model);
    smr_json_add_bool(into, "out_of_time", l->out_of_time);
    smr_json_add_bool(into, "cancelled", l->cancelled);
}

static smr_status add_rounds(smr_ctx *ctx, const smr_league *l, smr_json *into)
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

smr_status smr_compare_json(smr_ctx *ctx, const smr_league *l, smr_json *into)
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
    if (l->losses.length) smr_json_add_string(into, "losses", l->losses.bytes);
    smr_json_add_string(into, "best", best->model);
    add_league(l, into);
    add_unfinished(l, into);
    smr_compare_json_notes(&l->notes, into);
    TRY(smr_advice_json(ctx, l->set, into, &advice));
    if (l->plan->kind != SMR_CV_ORDERED)
        smr_advise_order(ctx, l->set, "--ordered or --order-by", advice);
    TRY(smr_advise_set_too_good(ctx, l->set, smr_left_by(l->measure, best->sum.mean, l->set),
                                l->set->n_rows, advice));
    TRY(add_rounds(ctx, l, into));
    TRY(smr_compare_draw(ctx, l, smr_json_add_array(into, "figures")));
    TRY(smr_json_done(into->doc));
out:
    return st;
}
