/* api_study.c -- the public functions that show how a model behaves: check, dispatch, nothing
 * else. */
#include "api/api_parts.h"
#include "study/bias_variance.h"
#include "study/curve.h"
#include "study/explain.h"
#include "study/steps.h"

smr_status smr_explain(smr_ctx *ctx, const char *what, const smr_model *model,
                       const smr_table *table, const smr_explain_opts *opts, char **json)
{
    smr_explain_opts o = {.size = sizeof o};
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    double *weight = NULL;
    smr_begin_call(ctx);
    *json = NULL;
    TRY(SMR_TAKE_OPTS(ctx, smr_explain_opts, opts, &o));
    smr_explain_how how = {.columns = o.columns,
                           .measures = o.measure,
                           .positive = o.positive,
                           .repeats = o.repeats,
                           .grid = o.grid,
                           .single_rows = o.single_rows,
                           .most_rows = o.most_rows,
                           .row = o.row,
                           .nearest = o.nearest,
                           .has_tree = o.tree > 0,
                           .tree = o.tree - 1};
    TRY(smr_weights_named(ctx, table, o.weight, &weight));
    smr_sample sample = {.table = table, .weight = weight};
    TRY(smr_json_create(ctx, &doc));
    TRY(smr_explain_fill(ctx, what, model, &sample, &how, smr_json_root(doc)));
    TRY(smr_api_hand_over(ctx, doc, json));
out:
    smr_json_free(doc);
    smr_free(weight);
    return st;
}

smr_status smr_explain_check(smr_ctx *ctx, const char *what)
{
    smr_begin_call(ctx);
    return smr_explain_check_word(ctx, what);
}

smr_status smr_curve_check(smr_ctx *ctx, const char *what)
{
    smr_begin_call(ctx);
    return smr_curve_check_word(ctx, what);
}

smr_status smr_curve(smr_ctx *ctx, const char *what, const char *sentence, const smr_table *table,
                     const smr_train_opts *how, const smr_curve_opts *opts, char **json)
{
    smr_curve_opts o = {.size = sizeof o};
    smr_fold_opts folds = {.size = sizeof folds};
    smr_status st = SMR_OK;
    smr_set_opts about;
    smr_api_work work = {0};
    smr_begin_call(ctx);
    *json = NULL;
    TRY(SMR_TAKE_OPTS(ctx, smr_curve_opts, opts, &o));
    TRY(SMR_TAKE_OPTS(ctx, smr_fold_opts, o.folds, &folds));
    TRY(smr_api_set_opts(ctx, how, &folds, &about));
    smr_curve_how asked = {
        .ask = smr_api_ask(&folds), .sizes = o.sizes, .over = o.over, .positive = about.positive};
    TRY(smr_api_open(ctx, sentence, table, &about, &work));
    TRY(smr_curve_fill(ctx, what, work.spec, work.set, &asked, work.root));
    TRY(smr_api_hand_over(ctx, work.doc, json));
out:
    smr_api_close(&work);
    return st;
}

smr_status smr_trace_steps(smr_ctx *ctx, const char *sentence, const smr_table *table,
                           const smr_train_opts *how, const smr_trace_opts *opts, char **json)
{
    smr_trace_opts o = {.size = sizeof o};
    smr_status st = SMR_OK;
    smr_set_opts about;
    smr_api_work work = {0};
    smr_begin_call(ctx);
    *json = NULL;
    TRY(SMR_TAKE_OPTS(ctx, smr_trace_opts, opts, &o));
    TRY(smr_api_set_opts(ctx, how, NULL, &about));
    smr_steps_how asked = {.most = o.steps, .row = o.row};
    TRY(smr_api_open(ctx, sentence, table, &about, &work));
    TRY(smr_steps_fill(ctx, work.spec, work.set, &asked, work.root));
    TRY(smr_api_hand_over(ctx, work.doc, json));
out:
    smr_api_close(&work);
    return st;
}

smr_status smr_model_curve(smr_ctx *ctx, const char *what, const smr_model *model,
                           const smr_table *table, const smr_model_curve_opts *opts, char **json)
{
    smr_model_curve_opts o = {.size = sizeof o};
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    double *weight = NULL;
    smr_begin_call(ctx);
    *json = NULL;
    TRY(SMR_TAKE_OPTS(ctx, smr_model_curve_opts, opts, &o));
    smr_curve_how how = {.ask = {.measure = o.measure}, .positive = o.positive};
    if (table) TRY(smr_weights_named(ctx, table, o.weight, &weight));
    smr_sample sample = {.table = table, .weight = weight};
    TRY(smr_json_create(ctx, &doc));
    TRY(smr_curve_of_model(ctx, what, model, table ? &sample : NULL, &how, smr_json_root(doc)));
    TRY(smr_api_hand_over(ctx, doc, json));
out:
    smr_json_free(doc);
    smr_free(weight);
    return st;
}

smr_status smr_bias_variance(smr_ctx *ctx, const char *sentence, const smr_table *table,
                             const smr_train_opts *how, const smr_bias_variance_opts *opts,
                             char **json)
{
    smr_bias_variance_opts o = {.size = sizeof o};
    smr_fold_opts folds = {.size = sizeof folds};
    smr_status st = SMR_OK;
    smr_set_opts about;
    smr_api_work work = {0};
    smr_settings settings = {0};
    smr_begin_call(ctx);
    *json = NULL;
    TRY(SMR_TAKE_OPTS(ctx, smr_bias_variance_opts, opts, &o));
    if (!o.generator == !table)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "samples come from a generator or from a table: give one of the two");
    folds.group = o.group;
    TRY(smr_settings_parse(ctx, o.settings, o.n_settings, &settings));
    TRY(smr_api_set_opts(ctx, how, &folds, &about));
    TRY(smr_api_open(ctx, sentence, table, &about, &work));
    smr_bias_how asked = {.generator = o.generator,
                          .settings = settings.list,
                          .n_settings = settings.n,
                          .samples = o.samples,
                          .rows = o.rows,
                          .test_rows = o.test_rows,
                          .bag = o.bag,
                          .over = o.over};
    TRY(smr_bias_variance_fill(ctx, work.spec, work.set, &asked, work.root));
    TRY(smr_api_hand_over(ctx, work.doc, json));
out:
    smr_api_close(&work);
    smr_settings_release(&settings);
    return st;
}
