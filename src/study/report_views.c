/* report_views.c -- see report_views.h. */
#include "study/report_views.h"

#include "learn/model_trees.h"
#include "model/model_file.h"
#include "study/describe.h"
#include "study/explain.h"

#include <math.h>
#include <string.h>

enum { MOST_INPUTS = 100, LEAST_ROWS = 100, MOST_CURVES = 6, MOST_LEVELS = 30 };
enum { ROW = 64, TREE = 256 }; /* numbers that could be looked at in the time they take */
static const double most_numbers = 4e10;
static const double most_curve_numbers = 5e9, LEAST_SHARE = 0.01;

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

/* Rows that can be asked about `answers` times within these numbers: the work for an answer is a
 * fixed amount for each tree, or all the numbers of a model without trees.  0: all. */
static smr_status rows_in_time(smr_ctx *ctx, const smr_model *model, double answers, double numbers,
                               int64_t n_rows, int64_t *out)
{
    smr_status st = SMR_OK;
    smr_file_tensor *tensors = NULL;
    int64_t n = 0, trees = smr_model_count_trees(model);
    double cost = ROW + TREE * (double)trees;
    TRY(smr_model_tensors(ctx, model, &tensors, &n));
    for (int64_t i = 0; i < n && !trees; i++) {
        double size = 1;
        for (int k = 0; k < tensors[i].n_dims; k++) size *= (double)tensors[i].shape[k];
        cost += size;
    }
    double rows = numbers / (cost * answers);
    *out = rows >= (double)n_rows ? 0 : SMR_MAX(LEAST_ROWS, (int64_t)rows);
out:
    smr_model_tensors_free(tensors, n);
    return st;
}

/* What smr_explain_fill gives, without what it says about the rows, which was said before. */
static smr_status explain(smr_ctx *ctx, const char *what, const smr_model *model,
                          const smr_sample *sample, const smr_explain_how *how, smr_json *into)
{
    smr_json_doc *doc = NULL;
    smr_status st = SMR_OK;
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_log_fn log = ctx->log;
    ctx->log = NULL;
    st = smr_explain_fill(ctx, what, model, sample, how, root);
    ctx->log = log;
    if (st != SMR_OK) goto out;
    TRY(smr_json_done(doc));
    smr_json_add_copy(into, what, smr_json_get(root, what));
    add_figures(smr_json_get(root, "figures"), into);
out:
    smr_json_free(doc);
    return st;
}

static bool can_be_explained(const smr_model *model)
{
    int64_t n = model->schema.n_inputs;
    return n >= 1 && n <= MOST_INPUTS && !model->schema.n_sparse &&
           smr_task_of(model->target.task)->needs_target;
}

smr_status smr_view_importance(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                               smr_json *into)
{
    smr_status st = SMR_OK;
    smr_explain_how how = {0};
    int64_t n_rows = sample->rows ? sample->n_rows : sample->table->n_rows;
    double answers = (double)(model->schema.n_inputs * SMR_IMPORTANCE_REPEATS);
    if (!can_be_explained(model)) return SMR_OK;
    TRY(rows_in_time(ctx, model, answers, most_numbers, n_rows, &how.most_rows));
    TRY(explain(ctx, "importance", model, sample, &how, into));
out:
    return st;
}

/* ---- dependence ------------------------------------------------------------------------- */

/* A number or a date with values in the rows, or a category of few levels. */
static bool can_be_varied(const smr_input *in, const smr_sample *sample)
{
    int64_t n = sample->rows ? sample->n_rows : sample->table->n_rows;
    int64_t col = smr_table_find(sample->table, in->name);
    if (in->kind == SMR_CATEGORY) return in->levels.n >= 1 && in->levels.n <= MOST_LEVELS;
    if (in->kind == SMR_TEXT || col < 0) return false;
    const smr_column *c = &sample->table->cols[col];
    if (c->kind == SMR_CATEGORY || c->kind == SMR_TEXT) return false;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(smr_column_number(c, sample->rows ? sample->rows[i] : i))) return true;
    return false;
}

/* The most important inputs, most important first: no more than MOST_CURVES, each of them beyond
 * the spread of its own shuffles and a hundredth of the first. */
static int64_t choose_inputs(const smr_model *model, const smr_sample *sample,
                             const smr_json *importance, int64_t out[MOST_CURVES])
{
    int64_t n = 0;
    const smr_json *row = importance ? smr_json_get(importance->first, "columns") : NULL;
    double first = smr_json_get_number(row ? row->first : NULL, "mean", 0);
    for (row = row ? row->first : NULL; row && n < MOST_CURVES; row = row->next) {
        const char *name = smr_json_get_string(row, "column", "");
        double mean = smr_json_get_number(row, "mean", 0), sd = smr_json_get_number(row, "sd", 0);
        if (!(mean > 0 && mean > LEAST_SHARE * first)) break;
        if (!(mean > sd)) continue;
        for (int64_t j = 0; j < model->schema.n_inputs; j++) {
            const smr_input *in = &model->schema.inputs[j];
            if (strcmp(in->name, name) != 0) continue;
            if (can_be_varied(in, sample)) out[n++] = j;
            break;
        }
    }
    return n;
}

smr_status smr_view_dependence(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                               smr_json *into)
{
    smr_status st = SMR_OK;
    int64_t inputs[MOST_CURVES];
    int64_t n_rows = sample->rows ? sample->n_rows : sample->table->n_rows;
    smr_explain_how how = {.inputs = inputs};
    if (!can_be_explained(model)) return SMR_OK;
    how.n_inputs = choose_inputs(model, sample, smr_json_get(into, "importance"), inputs);
    if (how.n_inputs == 0) return SMR_OK;
    double answers = (double)(how.n_inputs * SMR_DEPENDENCE_POINTS);
    n_rows = SMR_MIN(n_rows, SMR_DEPENDENCE_ROWS); /* as many as it takes by itself */
    TRY(rows_in_time(ctx, model, answers, most_curve_numbers, n_rows, &how.most_rows));
    TRY(explain(ctx, "dependence", model, sample, &how, into));
out:
    return st;
}
