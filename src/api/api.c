/* api.c -- the public functions: check, dispatch, nothing else.  What they promise: samara.h. */
#include "api/api_parts.h"
#include "config.h"
#include "core/json.h"
#include "core/text.h"
#include "data/formats.h"
#include "data/packing.h"
#include "data/vocab.h"
#include "kernel/kernel.h"
#include "learn/cells.h"
#include "learn/inverse.h"
#include "learn/model.h"
#include "learn/outside.h"
#include "learn/registry.h"
#include "model/checkpoint_file.h"
#include "model/model_file.h"
#include "report/learners.h"
#include "study/evaluate.h"
#include "study/threshold.h"

#include <math.h>

void smr_string_free(char *string)
{
    smr_free(string);
}

smr_status smr_build_info(smr_ctx *ctx, char **text)
{
    smr_text out = {.ctx = ctx};
    smr_begin_call(ctx);
    smr_text_printf(&out, "samara %s (%s, %s; CPU tier %s; zlib: %s", SMR_VERSION, SMR_SYSTEM,
                    SMR_COMPILER, smr_kernel_tier(), SMR_HAVE_ZLIB ? "yes" : "no");
    int64_t n;
    const smr_packing *packings = smr_packings(&n);
    for (int64_t k = 1; k < n; k++) /* the first is gzip, by zlib */
        smr_text_printf(&out, ", %s: %s", packings[k].name, packings[k].codec ? "yes" : "no");
    smr_text_printf(&out, ", SQLite: %s)", smr_sqlite_reader() ? "yes" : "no");
    smr_status st = smr_text_done(&out);
    *text = st == SMR_OK ? out.bytes : NULL;
    if (st != SMR_OK) smr_text_release(&out);
    return st;
}

/* ---- training and models ---------------------------------------------------------------- */

smr_status smr_sentence_check(smr_ctx *ctx, const char *sentence)
{
    smr_spec *spec = NULL;
    smr_begin_call(ctx);
    smr_status st = smr_spec_parse(ctx, sentence, &spec);
    smr_spec_free(spec);
    return st;
}

smr_status smr_train(smr_ctx *ctx, const char *sentence, const smr_table *table,
                     const smr_train_opts *opts, smr_model **out)
{
    smr_train_opts o = {.size = sizeof o};
    smr_spec *spec = NULL;
    smr_train_set *set = NULL;
    smr_checkpoint *checkpoint = NULL;
    smr_threshold_rule rule;
    smr_status st = SMR_OK;
    smr_set_opts how;
    smr_begin_call(ctx);
    *out = NULL;
    TRY(SMR_TAKE_OPTS(ctx, smr_train_opts, opts, &o));
    const smr_unread without[] = {{!o.checkpoint && o.checkpoint_seconds != 0, "checkpoint_seconds",
                                   "no checkpoint is named"},
                                  {!o.checkpoint && o.resume, "resume", "no checkpoint is named"}};
    TRY(smr_api_refuse(ctx, without, SMR_COUNT(without)));
    smr_train_opts about = o; /* without what is done here */
    about.threshold = about.checkpoint = NULL;
    about.checkpoint_seconds = about.resume = 0;
    about.warm_start = NULL;
    TRY(smr_api_set_opts(ctx, &about, NULL, &how));
    how.spend = o.spend && !o.threshold; /* folds need the rows again */
    TRY(smr_spec_parse(ctx, sentence, &spec));
    TRY(smr_train_set_create(ctx, table, spec, &how, &set));
    if (o.checkpoint) {
        double seconds = o.checkpoint_seconds == 0 ? 60 : SMR_MAX(0, o.checkpoint_seconds);
        TRY(smr_checkpoint_create(ctx, o.checkpoint, seconds, o.resume, &checkpoint));
    }
    if (o.threshold) TRY(smr_threshold_parse(ctx, o.threshold, &rule));
    if (o.threshold) (void)smr_threshold_of_outliers(&rule, set);
    set->checkpoint = checkpoint;
    set->warm_start = o.warm_start;
    TRY(smr_fit(ctx, spec, set, NULL, 0, out));
    set->checkpoint = NULL; /* folds begin at the beginning, since the old model may know them */
    set->warm_start = NULL;
    if (o.threshold) TRY(smr_threshold_train(ctx, spec, set, o.threshold, *out));
out:
    if (st != SMR_OK) {
        smr_model_free(*out);
        *out = NULL;
    }
    smr_spec_free(spec);
    smr_train_set_free(set);
    smr_checkpoint_free(checkpoint);
    return st;
}

smr_task smr_model_task(const smr_model *model)
{
    return model->target.task;
}

int64_t smr_model_n_inputs(const smr_model *model)
{
    return model->schema.n_inputs + model->schema.n_sparse;
}

const char *smr_model_input_name(const smr_model *model, int64_t j)
{
    if (j < 0 || j >= smr_model_n_inputs(model)) return NULL;
    return model->schema.n_sparse ? model->features[j].name : model->schema.inputs[j].name;
}

int smr_model_input_kind(const smr_model *model, int64_t j)
{
    if (j < 0 || j >= smr_model_n_inputs(model)) return -1;
    return model->schema.n_sparse ? SMR_NUMBER : (int)model->schema.inputs[j].kind;
}

int64_t smr_model_input_code(const smr_model *model, int64_t j, const char *category)
{
    if (j < 0 || j >= model->schema.n_inputs) return -1;
    return smr_strings_find(&model->schema.inputs[j].levels, category, (int64_t)strlen(category));
}

int64_t smr_model_n_classes(const smr_model *model)
{
    return model->target.classes.n;
}

int64_t smr_model_class_name(const smr_model *model, int64_t k, char *name, int64_t room)
{
    if (k < 0 || k >= model->target.classes.n || room < 1) return -1;
    int64_t length;
    const char *text = smr_strings_get(&model->target.classes, k, &length);
    int64_t kept = SMR_MIN(length, room - 1);
    memcpy(name, text, (size_t)kept);
    name[kept] = '\0';
    return length;
}

/* ---- predicting ------------------------------------------------------------------------- */

int64_t smr_model_n_outputs(const smr_model *model, smr_output output)
{
    return smr_model_gives(model) & 1u << output ? smr_model_width(model, output) : 0;
}

smr_status smr_predict(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                       smr_output output, double *out)
{
    smr_begin_call(ctx);
    return smr_model_predict(ctx, model, table, output, NULL, out);
}

smr_status smr_inverse(smr_ctx *ctx, const smr_model *model, const smr_table *table, double *out)
{
    smr_begin_call(ctx);
    return smr_model_inverse(ctx, model, table, out);
}

smr_status smr_inverse_table(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                             smr_table **out)
{
    smr_begin_call(ctx);
    return smr_restored_create(ctx, model, table, out);
}

smr_status smr_inverse_matrix(smr_ctx *ctx, const smr_model *model, const double *X, int64_t n_rows,
                              int64_t n_cols, double *out)
{
    int64_t n;
    smr_begin_call(ctx);
    (void)smr_model_undone(model, &n);
    if (n_cols != n)
        return smr_fail(
            ctx, SMR_ERR_SHAPE, "the model has %lld feature%s to undo, the matrix %lld column%s",
            (long long)n, smr_plural(n, "", "s"), (long long)n_cols, smr_plural(n_cols, "", "s"));
    return smr_model_inverse_matrix(ctx, model, X, n_rows, out);
}

int64_t smr_model_n_rounds(const smr_model *model)
{
    return smr_model_rounds(model);
}

smr_status smr_predict_rounds(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                              smr_output output, int64_t n_rounds, double *out)
{
    smr_begin_call(ctx);
    return smr_model_predict(ctx, model, table, output, &n_rounds, out);
}

/* Codes of a category, given as numbers: the column becomes one of the model's own levels. */
static smr_status take_codes(smr_ctx *ctx, const struct smr_columns_params *columns,
                             const smr_input *in, int64_t n_rows, smr_column *col)
{
    smr_status st = SMR_OK;
    int32_t *codes = NULL;
    TRY_NEW(codes, n_rows);
    for (int64_t i = 0; i < n_rows; i++) {
        double x = smr_column_number(col, i);
        bool known = x >= 0 && x < (double)in->levels.n && x == floor(x);
        if (x == -1) TRY(smr_unseen_code(ctx, columns, in->name));
        if (!known && !isnan(x) && x != -1) {
            st = smr_fail(
                ctx, SMR_ERR_DATA,
                "row %lld, input '%s': a category is given by its code, a whole number from 0 "
                "to %lld, -1 if it did not occur in training, or NaN if it is missing",
                (long long)i + 1, in->name, (long long)in->levels.n - 1);
            goto out;
        }
        codes[i] = known ? (int32_t)x : -1;
    }
    TRY(smr_strings_copy(ctx, &in->levels, NULL, &col->levels));
    col->kind = SMR_CATEGORY;
    col->dtype = SMR_I32;
    col->values = codes;
    col->stride = 1;
    col->owns_values = true;
    codes = NULL;
out:
    smr_free(codes);
    return st;
}

/* The matrix's columns get the names of the model's inputs for the length of the call. */
smr_status smr_predict_matrix(smr_ctx *ctx, const smr_model *model, const double *X, int64_t n_rows,
                              int64_t n_cols, smr_output output, double *out)
{
    smr_status st = SMR_OK;
    smr_table *table = NULL;
    smr_begin_call(ctx);
    if (n_cols != smr_model_n_inputs(model) || model->schema.n_sparse)
        return smr_fail(ctx, SMR_ERR_SHAPE, "the model has %lld input%s, the matrix %lld column%s",
                        (long long)smr_model_n_inputs(model),
                        smr_plural(smr_model_n_inputs(model), "", "s"), (long long)n_cols,
                        smr_plural(n_cols, "", "s"));
    TRY(smr_table_from_matrix(ctx, X, n_rows, n_cols, NULL, &table));
    for (int64_t j = 0; j < n_cols; j++) {
        char *name = smr_strdup(ctx, model->schema.inputs[j].name);
        if (!name) {
            st = SMR_ERR_NOMEM;
            goto out;
        }
        smr_free(table->cols[j].name);
        table->cols[j].name = name;
        if (model->schema.inputs[j].kind == SMR_TEXT) {
            st = smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                          "input '%s' is text, which a matrix of numbers cannot hold; predict from "
                          "a table with smr_predict",
                          name);
            goto out;
        }
        if (model->schema.inputs[j].kind == SMR_DATE) table->cols[j].kind = SMR_DATE;
        if (model->schema.inputs[j].kind == SMR_CATEGORY)
            TRY(take_codes(ctx, smr_model_columns(model), &model->schema.inputs[j], n_rows,
                           &table->cols[j]));
    }
    TRY(smr_model_predict(ctx, model, table, output, NULL, out));
out:
    smr_table_free(table);
    return st;
}

/* ---- looking ---------------------------------------------------------------------------- */

typedef smr_status (*fill_fn)(smr_ctx *ctx, const void *a, const void *b, smr_json *into);

static smr_status as_json(smr_ctx *ctx, fill_fn fill, const void *a, const void *b, char **json)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    *json = NULL;
    TRY(smr_json_create(ctx, &doc));
    TRY(fill(ctx, a, b, smr_json_root(doc)));
    TRY(smr_api_hand_over(ctx, doc, json));
out:
    smr_json_free(doc);
    return st;
}

static smr_status fill_measures(smr_ctx *ctx, const void *model, const void *table, smr_json *into)
{
    smr_sample sample = {.table = table};
    smr_status st = smr_foreign_warn(ctx, model, table);
    return st == SMR_OK ? smr_evaluate_sample(ctx, model, &sample, into, NULL, NULL) : st;
}

smr_status smr_evaluate(smr_ctx *ctx, const smr_model *model, const smr_table *table, char **json)
{
    smr_begin_call(ctx);
    return as_json(ctx, fill_measures, model, table, json);
}

static smr_status fill_description(smr_ctx *ctx, const void *model, const void *none,
                                   smr_json *into)
{
    (void)none;
    return smr_model_describe(ctx, model, into);
}

smr_status smr_inspect(smr_ctx *ctx, const smr_model *model, char **json)
{
    smr_begin_call(ctx);
    return as_json(ctx, fill_description, model, NULL, json);
}

static smr_status fill_learners(smr_ctx *ctx, const void *a, const void *b, smr_json *into)
{
    (void)a, (void)b;
    return smr_report_learners(ctx, into);
}

smr_status smr_list(smr_ctx *ctx, char **json)
{
    smr_begin_call(ctx);
    return as_json(ctx, fill_learners, NULL, NULL, json);
}
