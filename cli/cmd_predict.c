/* cmd_predict.c -- samara predict: raw rows in, predictions out.
 *
 * The file is read with the model's schema, never by inference: a column keeps the kind it had in
 * training.  The answer is a table: the columns of --keep, then one column for each target, then,
 * when asked for, one for each class.  With --inverse the file holds
 * features, and the answer is the columns that they were made from. */
#include "commands.h"
#include "data/formats.h"
#include "data/pick.h"
#include "data/vocab.h"
#include "learn/answer.h"
#include "learn/inverse.h"
#include "learn/spec.h"
#include "report/render.h"
#include "session.h"
#include "study/threshold.h"

#include <math.h>
#include <string.h>

struct predicting {
    smr_model *model;
    smr_table *table, *answer;
    const int64_t *rounds; /* --rounds, or NULL */
    double seconds;
    bool told; /* of what the training rows had not */
};

/* One output of all rows, and the time it took; *x is the caller's to free, even when this
 * fails. */
static smr_status ask(smr_ctx *ctx, struct predicting *p, smr_output output, double **x)
{
    smr_status st = SMR_OK;
    const int64_t *after = p->rounds;
    TRY_NEW(*x, p->table->n_rows * smr_model_width(p->model, output));
    double began = smr_now();
    if (!p->told)
        TRY(smr_model_predict(ctx, p->model, p->table, output, after, *x));
    else
        TRY(after ? smr_model_apply_after(ctx, p->model, p->table, NULL, 0, output, *after, *x)
                  : smr_model_apply(ctx, p->model, p->table, NULL, 0, output, *x));
    p->told = true;
    p->seconds += smr_now() - began;
out:
    return st;
}

/* One output becomes the next columns of the answer. */
static smr_status add_output(smr_ctx *ctx, struct predicting *p, smr_output output, int64_t *at)
{
    smr_status st = SMR_OK;
    double *x = NULL;
    TRY(ask(ctx, p, output, &x));
    TRY(smr_answer_fill(ctx, p->model, output, x, p->table->n_rows, p->answer->cols + *at));
    *at += smr_answer_width(p->model, output);
out:
    smr_free(x);
    return st;
}

/* A kept column views the table's memory, but owns its name and levels. */
static smr_status keep_column(smr_ctx *ctx, const smr_column *from, smr_column *to)
{
    smr_status st = SMR_OK;
    to->name = smr_strdup(ctx, from->name);
    if (!to->name) TRY(SMR_ERR_NOMEM);
    TRY(smr_strings_copy(ctx, &from->levels, NULL, &to->levels));
    to->kind = from->kind;
    to->dtype = from->dtype;
    to->values = from->values;
    to->stride = from->stride;
    to->n_missing = from->n_missing;
    to->has_time = from->has_time;
out:
    return st;
}

/* A kept column may have the target's name: the prediction is then called "predicted ...". */
static smr_status rename_clashes(smr_ctx *ctx, smr_table *answer, int64_t first, const char *word)
{
    smr_status st = SMR_OK;
    for (int64_t j = first; j < answer->n_cols; j++)
        for (int64_t k = 0; k < first; k++) {
            smr_column *col = &answer->cols[j];
            if (strcmp(col->name, answer->cols[k].name) != 0) continue;
            smr_text text = {.ctx = ctx};
            smr_text_printf(&text, "%s %s", word, col->name);
            TRY(smr_text_done(&text));
            smr_free(col->name);
            col->name = text.bytes;
        }
out:
    return st;
}

/* The columns of --keep; *kept is the caller's, even when this fails. */
static smr_status find_kept(smr_ctx *ctx, const args *a, const smr_table *table, int64_t **kept,
                            int64_t *n)
{
    smr_status st = SMR_OK;
    *n = 0;
    if (!a->keep) return SMR_OK;
    if (strcmp(a->keep, "all") != 0) return smr_pick_columns(ctx, table, a->keep, kept, n);
    *n = table->n_cols;
    TRY_NEW(*kept, *n + 1);
    for (int64_t j = 0; j < *n; j++) (*kept)[j] = j;
out:
    return st;
}

/* --inverse: the columns that the features were made from. */
static smr_status build_inverse(smr_ctx *ctx, const args *a, struct predicting *p)
{
    smr_status st = SMR_OK;
    int64_t *kept = NULL, n_kept = 0, width = smr_model_n_restored(p->model);
    double *x = NULL;
    TRY(find_kept(ctx, a, p->table, &kept, &n_kept));
    TRY_NEW(x, p->table->n_rows * width + 1);
    double began = smr_now();
    TRY(smr_model_inverse(ctx, p->model, p->table, x));
    p->seconds = smr_now() - began;
    TRY(smr_table_new(ctx, p->table->n_rows, n_kept + width, &p->answer));
    for (int64_t j = 0; j < n_kept; j++)
        TRY(keep_column(ctx, &p->table->cols[kept[j]], &p->answer->cols[j]));
    TRY(smr_restored_fill(ctx, p->model, x, p->table->n_rows, p->answer->cols + n_kept));
    TRY(rename_clashes(ctx, p->answer, n_kept, "inverse of"));
    p->answer->has_header = true;
out:
    smr_free(kept);
    smr_free(x);
    return st;
}

static smr_status build_answer(smr_ctx *ctx, const args *a, struct predicting *p)
{
    const smr_model *m = p->model;
    unsigned gives = smr_model_gives(m);
    smr_output main_output = gives & 1u << SMR_OUTPUT_LABEL       ? SMR_OUTPUT_LABEL
                             : gives & 1u << SMR_OUTPUT_VALUE     ? SMR_OUTPUT_VALUE
                             : gives & 1u << SMR_OUTPUT_TRANSFORM ? SMR_OUTPUT_TRANSFORM
                                                                  : SMR_OUTPUT_SCORE;
    smr_status st = SMR_OK;
    int64_t *kept = NULL, n_kept = 0, at = 0;
    TRY(find_kept(ctx, a, p->table, &kept, &n_kept));
    int64_t width = n_kept + smr_model_width(m, main_output);
    if (a->proba) width += smr_model_width(m, SMR_OUTPUT_PROBA);
    if (a->decision) width += smr_model_width(m, SMR_OUTPUT_DECISION);
    bool outliers = m->target.task == SMR_TASK_OUTLIERS; /* are told with their scores */
    bool scored = (a->score || outliers) && main_output != SMR_OUTPUT_SCORE;
    width += scored;
    bool classify = m->target.task == SMR_TASK_CLASSIFY;
    smr_output range = classify ? SMR_OUTPUT_SET : SMR_OUTPUT_INTERVAL;
    if (a->interval) width += smr_answer_width(m, range);
    TRY(smr_table_new(ctx, p->table->n_rows, width, &p->answer));
    for (; at < n_kept; at++)
        TRY(keep_column(ctx, &p->table->cols[kept[at]], &p->answer->cols[at]));
    TRY(add_output(ctx, p, main_output, &at));
    if (a->proba) TRY(add_output(ctx, p, SMR_OUTPUT_PROBA, &at));
    if (a->decision) TRY(add_output(ctx, p, SMR_OUTPUT_DECISION, &at));
    if (scored) TRY(add_output(ctx, p, SMR_OUTPUT_SCORE, &at));
    if (a->interval) TRY(add_output(ctx, p, range, &at));
    TRY(rename_clashes(ctx, p->answer, n_kept, "predicted"));
    p->answer->has_header = true;
out:
    smr_free(kept);
    return st;
}

/* Says what would give probabilities, where something would. */
static smr_status refuse_proba(smr_ctx *ctx, const smr_model *m)
{
    const char *name = smr_model_last(m)->learner->word->name;
    smr_task task = m->target.task;
    if (task == SMR_TASK_NONE)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "this %s model predicts nothing, and gives no probabilities", name);
    if (task == SMR_TASK_OUTLIERS)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "this %s model finds outliers, and gives no probabilities: a row has its "
                        "score",
                        name);
    if (task == SMR_TASK_REGRESS)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "this %s model predicts numbers, and gives no probabilities", name);
    return smr_fail(
        ctx, SMR_ERR_PARAM,
        "this %s model gives no probabilities; \"calibrate of=(...)\" makes a model that "
        "does",
        name);
}

static smr_status refuse_interval(smr_ctx *ctx, const smr_model *m)
{
    if (m->target.task == SMR_TASK_NONE)
        return smr_fail(ctx, SMR_ERR_PARAM, "this %s model predicts nothing, and has no intervals",
                        smr_model_last(m)->learner->word->name);
    smr_text name = {.ctx = ctx};
    smr_step last = smr_stage_step(smr_model_last(m));
    smr_step_name(&last, &name);
    smr_status st = smr_text_done(&name);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_PARAM,
                      "this %s model gives no intervals; train \"conformal of=(%s)\" for them",
                      smr_model_last(m)->learner->word->name, name.bytes);
    smr_text_release(&name);
    return st;
}

static smr_status check_wishes(smr_ctx *ctx, const args *a, const smr_model *m)
{
    unsigned gives = smr_model_gives(m);
    const char *name = smr_model_last(m)->learner->word->name;
    if (a->inverse &&
        (a->proba || a->decision || a->score || a->interval || a->rounds >= 0 || a->threshold))
        return smr_fail(
            ctx, SMR_ERR_PARAM,
            "--inverse turns features back into columns and predicts nothing: leave out %s",
            a->proba         ? "--proba"
            : a->decision    ? "--decision"
            : a->score       ? "--score"
            : a->interval    ? "--interval"
            : a->rounds >= 0 ? "--rounds"
                             : "--threshold");
    if (a->inverse) return smr_model_check_inverse(ctx, m);
    if (a->proba && !(gives & 1u << SMR_OUTPUT_PROBA)) return refuse_proba(ctx, m);
    if (a->decision && !(gives & 1u << SMR_OUTPUT_DECISION))
        return smr_fail(ctx, SMR_ERR_PARAM, "this %s model gives no scores", name);
    if (a->score && !(gives & 1u << SMR_OUTPUT_SCORE))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "this %s model does not say how well a row fits; densities and models of "
                        "sequences do",
                        name);
    if (a->interval && !(gives & (1u << SMR_OUTPUT_INTERVAL | 1u << SMR_OUTPUT_SET)))
        return refuse_interval(ctx, m);
    return SMR_OK;
}

/* --threshold replaces the model's own; a rule needs known answers, which predict does not have. */
static smr_status use_threshold(smr_ctx *ctx, const args *a, smr_model *m)
{
    smr_status st = SMR_OK;
    smr_threshold_rule rule;
    if (!a->threshold) return SMR_OK;
    TRY(smr_threshold_parse(ctx, a->threshold, &rule));
    if (rule.kind == SMR_THRESHOLD_SHARE)
        TRY(smr_threshold_check(ctx, &rule, &m->target, false)); /* says where it belongs */
    if (rule.kind != SMR_THRESHOLD_GIVEN)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--threshold %s: a rule needs rows with known answers, so train and "
                        "evaluate take it; predict takes a number",
                        a->threshold);
    TRY(smr_model_set_threshold(ctx, m, rule.value));
out:
    return st;
}

static void add_date(smr_ctx *ctx, const smr_column *c, int64_t i, smr_json *row)
{
    smr_text text = {.ctx = ctx};
    double seconds = smr_column_number(c, i);
    if (!isnan(seconds)) smr_text_date(&text, seconds, c->has_time);
    if (text.bytes)
        smr_json_add_string(row, c->name, text.bytes);
    else
        smr_json_add_null(row, c->name);
    smr_text_release(&text);
}

static void add_cell(smr_ctx *ctx, const smr_column *c, int64_t i, smr_json *row)
{
    int64_t n;
    int32_t code;
    switch (c->kind) {
    case SMR_NUMBER: smr_json_add_number(row, c->name, smr_column_number(c, i)); break;
    case SMR_DATE: add_date(ctx, c, i, row); break;
    case SMR_CATEGORY:
    case SMR_TEXT:
        code = smr_column_code(c, i);
        if (code < 0) {
            smr_json_add_null(row, c->name);
            break;
        }
        const char *level = smr_strings_get(&c->levels, code, &n);
        smr_json_add_bytes(row, c->name, level, n);
        break;
    }
}

static void add_rows(smr_ctx *ctx, const smr_table *answer, smr_json *list)
{
    for (int64_t i = 0; i < answer->n_rows; i++) {
        smr_json *row = smr_json_add_object(list, NULL);
        for (int64_t j = 0; j < answer->n_cols; j++) add_cell(ctx, &answer->cols[j], i, row);
    }
}

static smr_status tell(smr_ctx *ctx, const args *a, const struct predicting *p)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "predict");
    smr_json_add_string(root, "model", a->words[1]);
    smr_json_add_string(root, "data", a->words[2]);
    smr_json_add_number(root, "rows", (double)p->table->n_rows);
    if (p->rounds) smr_json_add_number(root, "rounds", (double)*p->rounds);
    smr_json *names = smr_json_add_array(root, "columns");
    for (int64_t j = 0; j < p->answer->n_cols; j++)
        smr_json_add_string(names, NULL, p->answer->cols[j].name);
    smr_json_add_number(root, "predict_seconds", p->seconds);
    smr_json_add_number(root, "peak_memory_bytes", session_peak_memory(ctx));
    if (a->output)
        smr_json_add_string(root, "output", a->output);
    else
        add_rows(ctx, p->answer, smr_json_add_array(root, "predictions"));
    session_add_warnings(root);
    TRY(session_print_json(ctx, root));
out:
    smr_json_free(doc);
    return st;
}

smr_status run_predict(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    struct predicting p = {0};
    TRY(smr_model_load(ctx, a->words[1], &p.model));
    TRY(check_wishes(ctx, a, p.model));
    if (a->rounds >= 0) p.rounds = &a->rounds;
    if (p.rounds) TRY(smr_model_check_round(ctx, p.model, a->rounds));
    TRY(use_threshold(ctx, a, p.model));
    if (a->inverse) { /* features have names and kinds of their own */
        TRY(session_read(ctx, a, a->words[2], &p.table));
        TRY(build_inverse(ctx, a, &p));
    } else {
        TRY(session_read_for(ctx, a, p.model, a->words[2], &p.table));
        TRY(build_answer(ctx, a, &p));
    }
    if (a->output || !a->json) TRY(smr_table_save(ctx, p.answer, a->output ? a->output : "-"));
    if (a->json) TRY(tell(ctx, a, &p));
    if (a->output) TRY(session_wrote(ctx, a, a->output));
out:
    smr_table_free(p.answer); /* before the table whose memory kept columns view */
    smr_table_free(p.table);
    smr_model_free(p.model);
    return st;
}
