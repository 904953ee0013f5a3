/* evaluate.c -- samara evaluate: a model's measures on rows whose answers are known. */
#include "select/evaluate.h"
#include "commands.h"
#include "data/pick.h"
#include "judged.h"
#include "learn/model.h"
#include "model/file.h"
#include "select/schema_read.h"
#include "select/views.h"
#include "select/warnings.h"
#include "session.h"

static smr_status read_weights(smr_ctx *ctx, const smr_table *table, const char *name, double **out)
{
    smr_status st = SMR_OK;
    int64_t col = 0;
    *out = NULL;
    if (!name) return SMR_OK;
    TRY(smr_pick_column(ctx, table, name, &col));
    TRY(smr_weights_read(ctx, table, col, out));
out:
    return st;
}

static void show(const smr_json *root, int64_t most, smr_text *out)
{
    smr_text_printf(out, "%s on %lld rows of %s\n", smr_json_get_string(root, "model", ""),
                    (long long)smr_json_get_number(root, "rows", 0),
                    smr_json_get_string(root, "data", ""));
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
    smr_model *model = NULL;
    smr_table *table = NULL;
    smr_read_opts opts;
    smr_rule_list rules = {0};
    double *weight = NULL;
    TRY(smr_model_load(ctx, a->words[1], &model));
    TRY(session_read_opts(ctx, a, &opts, &rules));
    TRY(smr_table_read_for(ctx, model, a->words[2], &opts, &table));
    TRY(read_weights(ctx, table, a->weight, &weight));
    smr_sample sample = {.table = table, .weight = weight};
    TRY(report(ctx, a, model, &sample));
out:
    smr_free(weight);
    smr_rules_release(&rules);
    smr_table_free(table);
    smr_model_free(model);
    return st;
}
