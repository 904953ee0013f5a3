/* cmd_evaluate.c -- samara evaluate: a model's measures on rows whose answers are known. */
#include "study/evaluate.h"

#include "commands.h"
#include "judged.h"
#include "learn/model.h"
#include "measuring.h"
#include "report/render.h"
#include "session.h"
#include "study/report_views.h"
#include "study/warnings.h"

static void show(const smr_json *root, int64_t most, smr_text *out)
{
    smr_text_printf(out, "%s on ", smr_json_get_string(root, "model", ""));
    smr_render_count(root, "rows", "row", out);
    smr_text_printf(out, " of %s\n", smr_json_get_string(root, "data", ""));
    judged_measures(root, out);
    judged_tables(root, most, out);
}

static smr_status report(smr_ctx *ctx, const args *a, const smr_model *model,
                         const smr_sample *sample)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL, *found = NULL;
    smr_threshold_rule rule;
    if (a->threshold) TRY(smr_threshold_parse(ctx, a->threshold, &rule));
    TRY(smr_json_create(ctx, &doc));
    TRY(smr_json_create(ctx, &found));
    smr_judging how = {.threshold = a->threshold ? &rule : NULL,
                       .known = a->target,
                       .figures = true,
                       .advice = smr_json_add_array(smr_json_root(found), "advice"),
                       .alone = true};
    TRY(smr_json_done(found));
    TRY(smr_advise_same_data(ctx, model, sample->table, NULL, how.advice));
    how.unseen = !smr_advised(how.advice, "training_rows");
    TRY(smr_judge(ctx, model, sample, &how, smr_json_root(found)));
    if (a->report) {
        TRY(smr_view_table(ctx, sample->table, smr_json_root(found)));
        TRY(smr_view_importance(ctx, model, sample, smr_json_root(found)));
    }
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "evaluate");
    smr_json_add_string(root, "model", a->words[1]);
    smr_json_add_string(root, "data", a->words[2]);
    TRY(judged_model(ctx, model, root));
    if (a->report) TRY(smr_view_stages(ctx, model, root));
    judged_copy(smr_json_root(found), root);
    smr_json_add_number(root, "rows", (double)how.n_rows);
    smr_json_add_number(root, "predict_seconds", how.seconds);
    smr_json_add_number(root, "peak_memory_bytes", session_peak_memory(ctx));
    session_add_warnings(root);
    judged_copy_figures(smr_json_root(found), root);
    TRY(session_finish(ctx, a, root, show));
out:
    smr_json_free(found);
    smr_json_free(doc);
    return st;
}

smr_status run_evaluate(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    measuring_input in = {0};
    TRY(measuring_model(ctx, a->words[1], &in));
    TRY(measuring_data(ctx, a, a->words[2], &in));
    TRY(report(ctx, a, in.model, &in.sample));
out:
    measuring_close(&in);
    return st;
}
