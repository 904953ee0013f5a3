/* api_evaluate.c -- looking at data and at what a model is worth: see samara.h. */
#include "api/api_parts.h"
#include "core/json.h"
#include "learn/outside.h"
#include "study/describe.h"
#include "study/evaluate.h"
#include "study/report_views.h"
#include "study/warnings.h"

smr_status smr_evaluate_with(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                             const smr_evaluate_opts *opts, char **json)
{
    smr_evaluate_opts o = {.size = sizeof o};
    smr_threshold_rule rule;
    smr_json_doc *doc = NULL;
    double *weight = NULL;
    smr_status st = SMR_OK;
    smr_begin_call(ctx);
    *json = NULL;
    TRY(SMR_TAKE_OPTS(ctx, smr_evaluate_opts, opts, &o));
    if (o.threshold) TRY(smr_threshold_parse(ctx, o.threshold, &rule));
    TRY(smr_weights_named(ctx, table, o.weight, &weight));
    TRY(smr_json_create(ctx, &doc));
    smr_sample sample = {.table = table, .weight = weight};
    smr_judging how = {.threshold = o.threshold ? &rule : NULL,
                       .known = o.known,
                       .figures = o.figures,
                       .alone = true};
    if (o.advice) {
        how.advice = smr_json_add_array(smr_json_root(doc), "advice");
        TRY(smr_json_done(doc));
        TRY(smr_advise_same_data(ctx, model, table, NULL, how.advice));
        how.unseen = !smr_advised(how.advice, "training_rows");
    }
    TRY(smr_foreign_warn(ctx, model, table));
    TRY(smr_judge(ctx, model, &sample, &how, smr_json_root(doc)));
    if (o.views) TRY(smr_view_table(ctx, table, smr_json_root(doc)));
    if (o.views) TRY(smr_view_importance(ctx, model, &sample, smr_json_root(doc)));
    if (o.views) TRY(smr_view_dependence(ctx, model, &sample, smr_json_root(doc)));
    smr_json_add_number(smr_json_root(doc), "rows", (double)how.n_rows);
    smr_json_add_number(smr_json_root(doc), "predict_seconds", how.seconds);
    TRY(smr_api_hand_over(ctx, doc, json));
out:
    smr_free(weight);
    smr_json_free(doc);
    return st;
}

smr_status smr_describe(smr_ctx *ctx, const smr_table *table, const smr_describe_opts *opts,
                        char **json)
{
    smr_describe_opts o = {.size = sizeof o};
    smr_json_doc *doc = NULL;
    smr_status st = SMR_OK;
    smr_begin_call(ctx);
    *json = NULL;
    TRY(SMR_TAKE_OPTS(ctx, smr_describe_opts, opts, &o));
    const smr_unread list[] = {
        {!o.target && o.task != SMR_TASK_NONE, "task", "there is no target"}};
    TRY(smr_api_refuse(ctx, list, SMR_COUNT(list)));
    smr_relevance_opts how = {
        .target = o.target, .weight = o.weight, .ignore = o.ignore, .task = o.task};
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json *figures = o.figures ? smr_json_add_array(root, "figures") : NULL;
    TRY(smr_describe_table(ctx, table, &how, root, figures));
    TRY(smr_api_hand_over(ctx, doc, json));
out:
    smr_json_free(doc);
    return st;
}
