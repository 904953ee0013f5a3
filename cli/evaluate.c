/* evaluate.c -- samara evaluate: a model's measures on rows whose answers are known. */
#include "select/evaluate.h"
#include "commands.h"
#include "data/pick.h"
#include "learn/model.h"
#include "model/file.h"
#include "report/render.h"
#include "select/schema_read.h"
#include "session.h"

#include <string.h>

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

/* Measures, then the confusion matrix and the table of classes where there are some. */
static void show(const smr_json *root, int64_t most, smr_text *out)
{
    const smr_json *measures = smr_json_get(root, "measures");
    const smr_json *classes = smr_json_get(measures, "classes");
    smr_text_printf(out, "%s on %lld rows of %s\n", smr_json_get_string(root, "model", ""),
                    (long long)smr_json_get_number(root, "rows", 0),
                    smr_json_get_string(root, "data", ""));
    smr_render_pairs(measures, 2, out);
    if (classes) {
        smr_text_add(out, "\nclasses\n");
        smr_render_table(classes, 2, most, out);
    }
    const smr_json *confusion = smr_json_get(measures, "confusion");
    const smr_json *names = smr_json_get(root, "classes");
    if (confusion && names && names->n <= 30) {
        smr_text_add(out, "\nconfusion: a row is the true class, a column the predicted one\n");
        smr_render_matrix(confusion, names, 2, out);
    }
    const smr_json *outputs = smr_json_get(measures, "outputs");
    if (outputs) {
        smr_text_add(out, "\ntargets\n");
        smr_render_table(outputs, 2, most, out);
    }
}

static smr_status report(smr_ctx *ctx, const args *a, const smr_model *model,
                         const smr_sample *sample)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    double seconds = 0;
    int64_t used = 0;
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "evaluate");
    smr_json_add_string(root, "model", a->words[1]);
    smr_json_add_string(root, "data", a->words[2]);
    smr_json_add_string(root, "task", smr_task_name(model->target.task));
    if (model->target.classes.n) smr_strings_to_json(root, "classes", &model->target.classes);
    smr_json *measures = smr_json_add_object(root, "measures");
    TRY(smr_evaluate_sample(ctx, model, sample, measures, &seconds, &used));
    smr_json_add_number(root, "rows", (double)used);
    smr_json_add_number(root, "predict_seconds", seconds);
    smr_json_add_number(root, "peak_memory_bytes", session_peak_memory(ctx));
    session_add_warnings(root);
    TRY(session_finish(ctx, a, root, show));
out:
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
