/* predict.c -- samara predict: raw rows in, predictions out.
 *
 * The file is read with the model's schema, never by inference: a column keeps the kind it had in
 * training.  The answer is a table: the columns of --keep, then one column a target, then, when
 * asked for, one column a class. */
#include "commands.h"
#include "data/pick.h"
#include "data/vocab.h"
#include "learn/model.h"
#include "learn/spec.h"
#include "model/file.h"
#include "report/render.h"
#include "select/schema_read.h"
#include "select/threshold.h"
#include "session.h"

#include <string.h>

struct predicting {
    smr_model *model;
    smr_table *table, *answer;
    const int64_t *rounds; /* --rounds, or NULL */
    double seconds;
};

static smr_status name_column(smr_ctx *ctx, smr_column *col, const char *before, const char *name,
                              int64_t length, const char *after)
{
    smr_text text = {.ctx = ctx};
    smr_text_add(&text, before);
    smr_text_add_bytes(&text, name, length);
    smr_text_add(&text, after);
    smr_status st = smr_text_done(&text);
    if (st == SMR_OK) col->name = text.bytes;
    return st;
}

/* A column over its own copy of every width-th value. */
static smr_status fill_numbers(smr_ctx *ctx, smr_column *col, const double *x, int64_t n,
                               int64_t width)
{
    smr_status st = SMR_OK;
    double *values = NULL;
    TRY_NEW(values, n);
    for (int64_t i = 0; i < n; i++) values[i] = x[i * width];
    col->kind = SMR_NUMBER;
    col->dtype = SMR_F64;
    col->values = values;
    col->owns_values = true;
out:
    return st;
}

static smr_status fill_labels(smr_ctx *ctx, smr_column *col, const smr_model *m, const double *x,
                              int64_t n)
{
    smr_status st = SMR_OK;
    int32_t *codes = NULL;
    TRY_NEW(codes, n);
    for (int64_t i = 0; i < n; i++) codes[i] = (int32_t)x[i];
    col->kind = SMR_CATEGORY;
    col->dtype = SMR_I32;
    col->values = codes;
    col->owns_values = true;
    TRY(smr_strings_copy(ctx, &m->target.classes, NULL, &col->levels));
out:
    return st;
}

/* One output of all rows, and the time it took; *x is the caller's, also when this fails. */
static smr_status ask(smr_ctx *ctx, struct predicting *p, smr_output output, double **x)
{
    smr_status st = SMR_OK;
    TRY_NEW(*x, p->table->n_rows * smr_model_width(p->model, output));
    double began = smr_now();
    TRY(p->rounds ? smr_model_apply_after(ctx, p->model, p->table, NULL, 0, output, *p->rounds, *x)
                  : smr_model_apply(ctx, p->model, p->table, NULL, 0, output, *x));
    p->seconds += smr_now() - began;
out:
    return st;
}

/* Numbers of one output kind become columns [at, at + width) of the answer. */
static smr_status add_output(smr_ctx *ctx, struct predicting *p, smr_output output, int64_t *at)
{
    const smr_model *m = p->model;
    int64_t n = p->table->n_rows, width = smr_model_width(m, output);
    smr_status st = SMR_OK;
    double *x = NULL;
    TRY(ask(ctx, p, output, &x));
    for (int64_t k = 0; k < width; k++) {
        smr_column *col = &p->answer->cols[(*at)++];
        int64_t length = 0;
        if (output == SMR_OUTPUT_LABEL || output == SMR_OUTPUT_VALUE) {
            TRY(name_column(ctx, col, "", m->target.names[k], (int64_t)strlen(m->target.names[k]),
                            ""));
        } else if (output == SMR_OUTPUT_TRANSFORM) {
            const char *name = smr_model_last(m)->features[k].name;
            TRY(name_column(ctx, col, "", name, (int64_t)strlen(name), ""));
        } else {
            const char *name = smr_strings_get(&m->target.classes, k, &length);
            const char *before = output == SMR_OUTPUT_PROBA ? "p(" : "score(";
            TRY(name_column(ctx, col, before, name, length, ")"));
        }
        if (output == SMR_OUTPUT_LABEL)
            TRY(fill_labels(ctx, col, m, x, n));
        else
            TRY(fill_numbers(ctx, col, x + k, n, width));
    }
out:
    smr_free(x);
    return st;
}

/* The classes of a set, joined by '|'; "" for the empty set. */
static smr_status join_set(const smr_model *m, const double *set, smr_text *out)
{
    bool some = false;
    out->length = 0;
    smr_text_add(out, "");
    for (int64_t k = 0; k < m->target.classes.n; k++) {
        int64_t length = 0;
        if (set[k] == 0) continue;
        const char *name = smr_strings_get(&m->target.classes, k, &length);
        if (some) smr_text_add(out, "|");
        smr_text_add_bytes(out, name, length);
        some = true;
    }
    return smr_text_done(out);
}

/* One column "set": a category whose levels are the sets that occur. */
static smr_status add_sets(smr_ctx *ctx, struct predicting *p, int64_t *at)
{
    const smr_model *m = p->model;
    int64_t n = p->table->n_rows, width = smr_model_width(m, SMR_OUTPUT_SET);
    smr_column *col = &p->answer->cols[(*at)++];
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    smr_vocab sets = {0};
    double *x = NULL;
    int32_t *codes = NULL;
    TRY_NEW(codes, n);
    TRY(name_column(ctx, col, "", "set", 3, ""));
    TRY(ask(ctx, p, SMR_OUTPUT_SET, &x));
    for (int64_t i = 0; i < n; i++) {
        TRY(join_set(m, x + i * width, &text));
        TRY(smr_vocab_add(ctx, &sets, text.bytes, text.length, &codes[i]));
    }
    TRY(smr_strings_copy(ctx, &sets.strings, NULL, &col->levels));
    col->kind = SMR_CATEGORY;
    col->dtype = SMR_I32;
    col->values = codes;
    col->owns_values = true;
    codes = NULL;
out:
    smr_vocab_release(&sets);
    smr_text_release(&text);
    smr_free(codes);
    smr_free(x);
    return st;
}

/* Two columns a target: COL_low and COL_high. */
static smr_status add_intervals(smr_ctx *ctx, struct predicting *p, int64_t *at)
{
    const smr_model *m = p->model;
    int64_t n = p->table->n_rows, width = smr_model_width(m, SMR_OUTPUT_INTERVAL);
    smr_status st = SMR_OK;
    double *x = NULL;
    TRY(ask(ctx, p, SMR_OUTPUT_INTERVAL, &x));
    for (int64_t k = 0; k < width; k++) {
        const char *name = m->target.names[k / 2];
        smr_column *col = &p->answer->cols[(*at)++];
        TRY(name_column(ctx, col, "", name, (int64_t)strlen(name), k % 2 ? "_high" : "_low"));
        TRY(fill_numbers(ctx, col, x + k, n, width));
    }
out:
    smr_free(x);
    return st;
}

/* A kept column views the table's memory, but owns its name and levels. */
static smr_status keep_column(smr_ctx *ctx, const smr_column *from, smr_column *to)
{
    smr_status st = SMR_OK;
    TRY(name_column(ctx, to, "", from->name, (int64_t)strlen(from->name), ""));
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

/* A kept column may bear the target's name: the prediction is then called "predicted ...". */
static smr_status rename_clashes(smr_ctx *ctx, smr_table *answer, int64_t first)
{
    smr_status st = SMR_OK;
    for (int64_t j = first; j < answer->n_cols; j++)
        for (int64_t k = 0; k < first; k++) {
            smr_column *col = &answer->cols[j];
            if (strcmp(col->name, answer->cols[k].name) != 0) continue;
            char *old = col->name;
            TRY(name_column(ctx, col, "predicted ", old, (int64_t)strlen(old), ""));
            smr_free(old);
        }
out:
    return st;
}

static smr_status build_answer(smr_ctx *ctx, const args *a, struct predicting *p)
{
    const smr_model *m = p->model;
    unsigned gives = smr_model_gives(m);
    smr_output main_output = gives & 1u << SMR_OUTPUT_LABEL   ? SMR_OUTPUT_LABEL
                             : gives & 1u << SMR_OUTPUT_VALUE ? SMR_OUTPUT_VALUE
                                                              : SMR_OUTPUT_TRANSFORM;
    smr_status st = SMR_OK;
    int64_t *kept = NULL, n_kept = 0, at = 0;
    if (a->keep && strcmp(a->keep, "all") == 0) {
        n_kept = p->table->n_cols;
        TRY_NEW(kept, n_kept + 1);
        for (int64_t j = 0; j < n_kept; j++) kept[j] = j;
    } else if (a->keep) {
        TRY(smr_pick_columns(ctx, p->table, a->keep, &kept, &n_kept));
    }
    int64_t width = n_kept + smr_model_width(m, main_output);
    if (a->proba) width += m->target.classes.n;
    if (a->decision) width += m->target.classes.n;
    bool classify = m->target.task == SMR_TASK_CLASSIFY;
    if (a->interval) width += classify ? 1 : smr_model_width(m, SMR_OUTPUT_INTERVAL);
    TRY(smr_table_create(ctx, p->table->n_rows, width, &p->answer));
    for (; at < n_kept; at++)
        TRY(keep_column(ctx, &p->table->cols[kept[at]], &p->answer->cols[at]));
    TRY(add_output(ctx, p, main_output, &at));
    if (a->proba) TRY(add_output(ctx, p, SMR_OUTPUT_PROBA, &at));
    if (a->decision) TRY(add_output(ctx, p, SMR_OUTPUT_DECISION, &at));
    if (a->interval) TRY(classify ? add_sets(ctx, p, &at) : add_intervals(ctx, p, &at));
    TRY(rename_clashes(ctx, p->answer, n_kept));
    p->answer->has_header = true;
out:
    smr_free(kept);
    return st;
}

static smr_status refuse_interval(smr_ctx *ctx, const smr_model *m)
{
    smr_text name = {.ctx = ctx};
    smr_stage_name(smr_model_last(m), &name);
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
    if (a->proba && !(gives & 1u << SMR_OUTPUT_PROBA))
        return smr_fail(ctx, SMR_ERR_PARAM, "this %s model gives no probabilities", name);
    if (a->decision && !(gives & 1u << SMR_OUTPUT_DECISION))
        return smr_fail(ctx, SMR_ERR_PARAM, "this %s model gives no scores", name);
    if (a->interval && !(gives & (1u << SMR_OUTPUT_INTERVAL | 1u << SMR_OUTPUT_SET)))
        return refuse_interval(ctx, m);
    return SMR_OK;
}

/* --threshold replaces the model's own; a rule needs answers, which predict has not. */
static smr_status use_threshold(smr_ctx *ctx, const args *a, smr_model *m)
{
    smr_status st = SMR_OK;
    smr_threshold_rule rule;
    if (!a->threshold) return SMR_OK;
    TRY(smr_threshold_parse(ctx, a->threshold, &rule));
    TRY(smr_threshold_check(ctx, &rule, &m->target, smr_model_gives(m) & 1u << SMR_OUTPUT_PROBA));
    if (rule.kind != SMR_THRESHOLD_GIVEN)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--threshold %s: a rule is chosen on rows with answers, by train or "
                        "evaluate; predict takes a number",
                        a->threshold);
    TRY(smr_target_set_threshold(ctx, &m->target, rule.value, "given"));
out:
    return st;
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
    smr_json_add_string(root, "output", a->output);
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
    smr_read_opts opts;
    smr_rule_list rules = {0};
    if (a->json && !a->output)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "predict --json tells about the run; the rows need -o FILE");
    TRY(smr_model_load(ctx, a->words[1], &p.model));
    TRY(check_wishes(ctx, a, p.model));
    if (a->rounds >= 0) p.rounds = &a->rounds;
    if (p.rounds) TRY(smr_model_check_round(ctx, p.model, a->rounds));
    TRY(use_threshold(ctx, a, p.model));
    TRY(session_read_opts(ctx, a, &opts, &rules));
    TRY(smr_table_read_for(ctx, p.model, a->words[2], &opts, &p.table));
    TRY(build_answer(ctx, a, &p));
    TRY(smr_table_write(ctx, p.answer, a->output ? a->output : "-",
                        a->output ? SMR_FORMAT_AUTO : SMR_FORMAT_CSV));
    if (a->json) TRY(tell(ctx, a, &p));
    if (a->output) TRY(session_wrote(ctx, a, a->output));
out:
    smr_rules_release(&rules);
    smr_table_free(p.answer); /* before the table whose memory kept columns view */
    smr_table_free(p.table);
    smr_model_free(p.model);
    return st;
}
