/* report_views.c -- see report_views.h. */
#include "study/report_views.h"

#include "learn/model_trees.h"
#include "model/model_file.h"
#include "study/describe.h"
#include "study/explain.h"

#include <string.h>

enum { MOST_INPUTS = 100, LEAST_ROWS = 100 };
enum { ROW = 64, TREE = 256 }; /* numbers that could be looked at in the time they take */
static const double most_numbers = 4e10;

smr_status smr_view_table(smr_ctx *ctx, const smr_table *table, smr_json *into)
{
    smr_json_doc *doc = NULL;
    smr_log_fn log = ctx->log;
    smr_relevance_opts no_target = {0};
    smr_status st = SMR_OK;
    TRY(smr_json_create(ctx, &doc));
    ctx->log = NULL; /* what describe warns of is not about a model */
    st = smr_describe_table(ctx, table, &no_target, smr_json_root(doc), NULL);
    ctx->log = log;
    if (st != SMR_OK) goto out;
    const smr_json *columns = smr_json_get(smr_json_root(doc), "table");
    if (columns) smr_json_add_copy(into, "data_columns", columns);
out:
    smr_json_free(doc);
    return st;
}

smr_status smr_view_stages(smr_ctx *ctx, const smr_model *model, smr_json *into)
{
    smr_json_doc *doc = NULL;
    smr_status st = SMR_OK;
    TRY(smr_json_create(ctx, &doc));
    TRY(smr_model_describe(ctx, model, smr_json_root(doc)));
    TRY(smr_json_done(doc));
    const smr_json *stages = smr_json_get(smr_json_root(doc), "stages");
    if (stages) smr_json_add_copy(into, "stages", stages);
out:
    smr_json_free(doc);
    return st;
}

static void add_figures(const smr_json *from, smr_json *into)
{
    for (smr_json *m = into->first; m; m = m->next)
        if (strcmp(m->key, "figures") == 0)
            for (const smr_json *f = from ? from->first : NULL; f; f = f->next)
                smr_json_add_copy(m, NULL, f);
}

/* Rows of which importance can be measured in a few seconds: the work for an answer is a fixed
 * amount for each tree, or all the numbers of a model without trees.  0: all. */
static smr_status rows_in_time(smr_ctx *ctx, const smr_model *model, int64_t n_rows, int64_t *out)
{
    smr_status st = SMR_OK;
    smr_file_tensor *tensors = NULL;
    int64_t n = 0, trees = smr_model_count_trees(model);
    double cost = ROW + TREE * (double)trees;
    TRY(smr_model_tensors(ctx, model, &tensors, &n));
    for (int64_t i = 0; i < n && !trees; i++) {
        double numbers = 1;
        for (int k = 0; k < tensors[i].n_dims; k++) numbers *= (double)tensors[i].shape[k];
        cost += numbers;
    }
    double answers = (double)(model->schema.n_inputs * SMR_IMPORTANCE_REPEATS);
    double rows = most_numbers / (cost * answers);
    *out = rows >= (double)n_rows ? 0 : SMR_MAX(LEAST_ROWS, (int64_t)rows);
out:
    smr_model_tensors_free(tensors, n);
    return st;
}

smr_status smr_view_importance(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                               smr_json *into)
{
    int64_t n_inputs = model->schema.n_inputs;
    smr_json_doc *doc = NULL;
    smr_status st = SMR_OK;
    if (n_inputs < 1 || n_inputs > MOST_INPUTS || model->schema.n_sparse ||
        !smr_task_of(model->target.task)->needs_target)
        return SMR_OK;
    smr_explain_how how = {0};
    int64_t n_rows = sample->rows ? sample->n_rows : sample->table->n_rows;
    TRY(rows_in_time(ctx, model, n_rows, &how.most_rows));
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_log_fn log = ctx->log;
    ctx->log = NULL; /* what shows this has already said what there is to say about the rows */
    st = smr_explain_fill(ctx, "importance", model, sample, &how, root);
    ctx->log = log;
    if (st != SMR_OK) goto out;
    TRY(smr_json_done(doc));
    smr_json_add_copy(into, "importance", smr_json_get(root, "importance"));
    add_figures(smr_json_get(root, "figures"), into);
out:
    smr_json_free(doc);
    return st;
}
