/* api_judge.c -- the public functions that fit again and again: check, dispatch, nothing else. */
#include "api/api_parts.h"
#include "study/compare.h"
#include "study/cv_report.h"
#include "study/tune.h"

smr_status smr_cross_predict(smr_ctx *ctx, const char *sentence, const smr_table *table,
                             const smr_train_opts *how, const smr_fold_opts *opts, smr_table **out,
                             char **json)
{
    smr_fold_opts o = {.size = sizeof o};
    smr_status st = SMR_OK;
    smr_set_opts about;
    smr_api_work work = {0};
    smr_begin_call(ctx);
    if (json) *json = NULL;
    if (out) *out = NULL;
    TRY(SMR_TAKE_OPTS(ctx, smr_fold_opts, opts, &o));
    TRY(smr_api_refuse_league(ctx, &o));
    TRY(smr_api_set_opts(ctx, how, &o, &about));
    smr_cv_ask ask = smr_api_ask(&o);
    ask.positive = about.positive;
    TRY(smr_api_open(ctx, sentence, table, &about, &work));
    TRY(smr_cv_report(ctx, work.spec, work.set, &ask, work.root, out));
    if (json) TRY(smr_api_hand_over(ctx, work.doc, json));
out:
    if (st != SMR_OK && out) {
        smr_table_free(*out);
        *out = NULL;
    }
    smr_api_close(&work);
    return st;
}

smr_status smr_cross_validate(smr_ctx *ctx, const char *sentence, const smr_table *table,
                              const smr_train_opts *how, const smr_fold_opts *opts, char **json)
{
    return smr_cross_predict(ctx, sentence, table, how, opts, NULL, json);
}

smr_status smr_compare(smr_ctx *ctx, const char *const *sentences, int64_t n,
                       const smr_table *table, const smr_train_opts *how, const smr_fold_opts *opts,
                       char **json)
{
    smr_fold_opts o = {.size = sizeof o};
    smr_status st = SMR_OK;
    smr_set_opts about;
    smr_league_opts league = {.size = sizeof league};
    smr_json_doc *doc = NULL;
    smr_spec **specs = NULL;
    smr_begin_call(ctx);
    *json = NULL;
    TRY(SMR_TAKE_OPTS(ctx, smr_fold_opts, opts, &o));
    TRY(SMR_TAKE_OPTS(ctx, smr_league_opts, o.league, &league));
    const smr_unread list[] = {
        {league.no_stop && n > 0 && !o.all_learners, "no_stop",
         "a model that is named is never stopped; it goes with all_learners"},
        {league.heard_user && !league.heard, "heard_user", "there is no 'heard' to receive it"}};
    TRY(smr_api_refuse(ctx, list, SMR_COUNT(list)));
    TRY(smr_api_set_opts(ctx, how, &o, &about));
    TRY_NEW(specs, n + 1);
    for (int64_t i = 0; i < n; i++) TRY(smr_spec_parse(ctx, sentences[i], &specs[i]));
    smr_compare_ask ask = {.cv = smr_api_ask(&o),
                           .names = sentences,
                           .specs = (const smr_spec *const *)specs,
                           .n = n,
                           .all = n == 0 || o.all_learners,
                           .seconds = league.seconds,
                           .log = league.log,
                           .resume = league.resume,
                           .no_stop = league.no_stop,
                           .heard = league.heard,
                           .heard_user = league.heard_user};
    ask.cv.positive = about.positive;
    TRY(smr_json_create(ctx, &doc));
    st = smr_compare_report(ctx, table, &about, &ask, smr_json_root(doc));
    if (st == SMR_OK || (st == SMR_ERR_CANCELLED && smr_json_root(doc)->first))
        st = smr_api_hand_over_kept(ctx, doc, json) == SMR_OK ? st : SMR_ERR_NOMEM;
out:
    for (int64_t i = 0; specs && i < n; i++) smr_spec_free(specs[i]);
    smr_free(specs);
    smr_json_free(doc);
    return st;
}

/* Options of which another one, or the way it works, leaves nothing. */
static smr_status check_tune(smr_ctx *ctx, const smr_tune_opts *o, const smr_fold_opts *rounds)
{
    const smr_unread list[] = {
        {o->test && o->holdout != 0, "holdout",
         "the rows of 'test' are measured; give one of the two"},
        {rounds->confidence != 0, "confidence", "a search reports standard errors, no intervals"},
        {o->measure && rounds->measure, "measure",
         "it is given twice, also in 'rounds'; give it once"},
        {o->folds && rounds->folds, "folds", "it is given twice, also in 'rounds'; give it once"},
        {o->repeats && rounds->repeats, "repeats",
         "it is given twice, also in 'rounds'; give it once"},
    };
    return smr_api_refuse(ctx, list, SMR_COUNT(list));
}

smr_status smr_tune(smr_ctx *ctx, const char *sentence, const smr_table *table,
                    const smr_train_opts *how, const smr_tune_opts *opts, smr_model **model,
                    char **json)
{
    smr_tune_opts o = {.size = sizeof o};
    smr_fold_opts rounds = {.size = sizeof rounds};
    smr_api_work work = {0};
    smr_status st = SMR_OK;
    smr_set_opts with;
    smr_begin_call(ctx);
    *json = NULL;
    if (model) *model = NULL;
    TRY(SMR_TAKE_OPTS(ctx, smr_tune_opts, opts, &o));
    TRY(SMR_TAKE_OPTS(ctx, smr_fold_opts, o.rounds, &rounds));
    TRY(smr_api_refuse_league(ctx, &rounds));
    TRY(check_tune(ctx, &o, &rounds));
    if (!o.measure) o.measure = rounds.measure;
    TRY(smr_api_set_opts(ctx, how, &rounds, &with));
    smr_cv_ask ask = smr_api_ask(&rounds);
    ask.positive = with.positive;
    if (o.folds) ask.folds = o.folds;
    if (o.repeats) ask.repeats = o.repeats;
    TRY(smr_api_open(ctx, sentence, table, &with, &work));
    smr_tune_how gives = {.ask = &ask, .model = model};
    TRY(smr_tune_search(ctx, work.spec, work.set, &o, &gives, work.root));
    TRY(smr_api_hand_over(ctx, work.doc, json));
out:
    if (st != SMR_OK && model) {
        smr_model_free(*model);
        *model = NULL;
    }
    smr_api_close(&work);
    return st;
}

smr_status smr_tune_check(smr_ctx *ctx, const char *sentence, const smr_tune_opts *opts)
{
    smr_tune_opts o = {.size = sizeof o};
    smr_spec *spec = NULL;
    smr_status st = SMR_OK;
    smr_begin_call(ctx);
    TRY(SMR_TAKE_OPTS(ctx, smr_tune_opts, opts, &o));
    TRY(smr_spec_parse(ctx, sentence, &spec));
    TRY(smr_tune_check_space(ctx, spec, &o));
out:
    smr_spec_free(spec);
    return st;
}
