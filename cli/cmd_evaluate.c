/* cmd_evaluate.c -- samara evaluate: a model's measures on rows whose answers are known. */
#include "commands.h"
#include "judged.h"
#include "plots.h"
#include "report/render.h"
#include "session.h"
#include "study/report_views.h"

#include <string.h>

static void show(const smr_json *root, int64_t most, smr_text *out)
{
    smr_text_printf(out, "%s on ", smr_json_get_string(root, "model", ""));
    smr_render_count(root, "rows", "row", out);
    smr_text_printf(out, " of %s\n", smr_json_get_string(root, "data", ""));
    judged_measures(root, out);
    judged_tables(root, most, out);
}

static smr_status report(smr_ctx *ctx, const args *a, const smr_model *model,
                         const smr_table *table)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL, *found = NULL;
    smr_evaluate_opts how = {.size = sizeof how,
                             .weight = a->weight,
                             .threshold = a->threshold,
                             .known = a->target,
                             .figures = true,
                             .advice = true,
                             .views = a->report != NULL};
    char *json = NULL;
    TRY(smr_evaluate_with(ctx, model, table, &how, &json));
    TRY(smr_json_parse(ctx, json, (int64_t)strlen(json), &found));
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "evaluate");
    smr_json_add_string(root, "model", a->words[1]);
    smr_json_add_string(root, "data", a->words[2]);
    TRY(judged_model(ctx, model, root));
    if (a->report) TRY(smr_view_stages(ctx, model, root));
    judged_copy(smr_json_root(found), root);
    smr_json_add_copy(root, "rows", smr_json_get(smr_json_root(found), "rows"));
    smr_json_add_copy(root, "predict_seconds",
                      smr_json_get(smr_json_root(found), "predict_seconds"));
    smr_json_add_number(root, "peak_memory_bytes", session_peak_memory(ctx));
    session_add_warnings(root);
    judged_copy_figures(smr_json_root(found), root);
    TRY(session_finish(ctx, a, root, show));
out:
    smr_string_free(json);
    smr_json_free(found);
    smr_json_free(doc);
    return st;
}

smr_status run_evaluate(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    smr_model *model = NULL;
    smr_table *table = NULL;
    TRY(smr_model_load(ctx, a->words[1], &model));
    TRY(plots_check_target(ctx, a, &model->target));
    TRY(session_read_for(ctx, a, model, a->words[2], &table));
    TRY(report(ctx, a, model, table));
out:
    smr_table_free(table);
    smr_model_free(model);
    return st;
}
