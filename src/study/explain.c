/* explain.c -- what the views of explain share: columns, rows, outputs.  See explain.h. */
#include "study/explain.h"

#include "core/rng.h"
#include "core/text.h"
#include "data/pick.h"
#include "learn/chain.h"
#include "learn/target.h"
#include "study/explain_parts.h"
#include "study/warnings.h"

#include <math.h>
#include <string.h>

/* ---- columns ---------------------------------------------------------------------------- */

smr_status smr_view_open(smr_ctx *ctx, const smr_table *table, smr_column_view *out)
{
    smr_status st = SMR_OK;
    out->table = *table;
    TRY_NEW(out->cols, table->n_cols + 1);
    memcpy(out->cols, table->cols, (size_t)table->n_cols * sizeof *out->cols);
    out->table.cols = out->cols;
out:
    return st;
}

void smr_view_close(smr_column_view *view)
{
    smr_free(view->cols); /* everything else is the other table's */
    *view = (smr_column_view){0};
}

static int64_t input_named(const smr_model *m, const char *name)
{
    for (int64_t j = 0; j < m->schema.n_inputs; j++)
        if (strcmp(m->schema.inputs[j].name, name) == 0) return j;
    return -1;
}

static smr_status ask_for(smr_ctx *ctx, const smr_model *m, const smr_table *table, int64_t col,
                          smr_asked *out)
{
    const char *name = table->cols[col].name;
    int64_t j = input_named(m, name);
    for (int64_t t = 0; j < 0 && t < m->target.n; t++)
        if (strcmp(m->target.names[t], name) == 0)
            return smr_fail(ctx, SMR_ERR_PARAM,
                            "column '%s' is what the model predicts, not what it reads", name);
    if (j < 0)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "column '%s' is not among the %lld inputs of the model; 'samara inspect' "
                        "lists them",
                        name, (long long)m->schema.n_inputs);
    *out = (smr_asked){.input = j, .col = col, .in = &m->schema.inputs[j]};
    return SMR_OK;
}

/* A table that lacks the model's columns is refused, as in predict. */
static smr_status check_inputs(smr_ctx *ctx, const smr_model *m, const smr_table *table)
{
    for (int64_t j = 0; j < m->schema.n_inputs; j++)
        if (smr_table_find(table, m->schema.inputs[j].name) < 0)
            return smr_fail(ctx, SMR_ERR_STATE, "%s lacks the column '%s' that the model needs",
                            table->source ? table->source : "the table", m->schema.inputs[j].name);
    return SMR_OK;
}

smr_status smr_asked_find(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                          const char *text, smr_asked **out, int64_t *n)
{
    smr_status st = SMR_OK;
    smr_asked *list = NULL;
    int64_t *cols = NULL, count = m->schema.n_inputs;
    *out = NULL;
    if (m->schema.n_sparse)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "the model reads a sparse block, whose columns cannot be changed one by "
                        "one; train on the table as csv (samara convert) to explain it");
    if (text) TRY(smr_pick_columns(ctx, table, text, &cols, &count));
    TRY_NEW(list, count + 1);
    if (!cols) TRY(check_inputs(ctx, m, table));
    for (int64_t k = 0; k < count; k++) {
        int64_t col = cols ? cols[k] : -1;
        if (!cols) TRY(smr_pick_column(ctx, table, m->schema.inputs[k].name, &col));
        TRY(ask_for(ctx, m, table, col, &list[k]));
    }
    *out = list;
    *n = count;
    list = NULL;
out:
    smr_free(list);
    smr_free(cols);
    return st;
}

/* ---- rows ------------------------------------------------------------------------------- */

smr_status smr_explain_rows(smr_ctx *ctx, const smr_sample *sample, int64_t most, int64_t **rows,
                            int64_t *n)
{
    int64_t all = sample->rows ? sample->n_rows : sample->table->n_rows;
    smr_status st = SMR_OK;
    int64_t *order = NULL, *kept = NULL, count = 0;
    bool *chosen = NULL;
    *rows = NULL;
    if (all == 0)
        return smr_fail(ctx, SMR_ERR_DATA, "%s has no rows to explain the model with",
                        sample->table->source ? sample->table->source : "the table");
    if (most <= 0 || most > all) most = all;
    TRY_NEW(kept, most);
    TRY_NEW(chosen, all);
    if (most < all) {
        TRY_NEW(order, all);
        smr_random_permutation(ctx->seed, SMR_STREAM_EXPLAIN, UINT64_MAX, all, order);
    }
    for (int64_t k = 0; k < most; k++) chosen[order ? order[k] : k] = true;
    for (int64_t k = 0; k < all; k++)
        if (chosen[k]) kept[count++] = sample->rows ? sample->rows[k] : k;
    *rows = kept;
    *n = count;
    kept = NULL;
out:
    smr_free(order);
    smr_free(chosen);
    smr_free(kept);
    return st;
}

/* ---- outputs ---------------------------------------------------------------------------- */

smr_status smr_explain_output_name(smr_ctx *ctx, const char *form, const char *name, int64_t length,
                                   char **out)
{
    smr_text text = {.ctx = ctx};
    smr_text_add(&text, form);
    if (name) {
        smr_text_add(&text, "(");
        smr_text_add_bytes(&text, name, length);
        smr_text_add(&text, ")");
    }
    smr_status st = smr_text_done(&text);
    if (st != SMR_OK) smr_text_release(&text);
    *out = st == SMR_OK ? text.bytes : NULL;
    return st;
}

static smr_status show_output(smr_ctx *ctx, smr_shown *s, int64_t at, const char *form,
                              const char *name, int64_t length)
{
    smr_status st = smr_explain_output_name(ctx, form, name, length, &s->name[s->n]);
    if (st != SMR_OK) return st;
    s->at[s->n++] = at;
    return SMR_OK;
}

smr_status smr_explain_class(smr_ctx *ctx, const smr_target *t, const char *name, int64_t *k)
{
    if (t->task != SMR_TASK_CLASSIFY)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--positive names a class, and the model predicts numbers");
    *k = smr_strings_find(&t->classes, name, (int64_t)strlen(name));
    if (*k >= 0) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM, "the target '%s' has no class '%s'", t->names[0], name);
}

/* One class: the one asked for, or the positive one of two; else all, up to the first twenty. */
static smr_status show_classes(smr_ctx *ctx, const smr_model *m, const char *positive, smr_shown *s)
{
    const smr_strings *classes = &m->target.classes;
    const char *form = s->output == SMR_OUTPUT_PROBA ? "p" : "score";
    smr_status st = SMR_OK;
    int64_t first = 0, n = SMR_MIN(classes->n, SMR_SHOWN_MAX), length;
    if (positive || classes->n == 2) n = 1;
    if (positive)
        TRY(smr_explain_class(ctx, &m->target, positive, &first));
    else if (classes->n == 2)
        first = m->target.positive;
    for (int64_t k = first; k < first + n; k++) {
        const char *name = smr_strings_get(classes, k, &length);
        TRY(show_output(ctx, s, k, form, name, length));
    }
out:
    return st;
}

/* Does a number for each row say how usual it is? */
static bool gives_scores(const smr_model *m)
{
    return m->target.task == SMR_TASK_DENSITY || m->target.task == SMR_TASK_OUTLIERS;
}

smr_status smr_shown_find(smr_ctx *ctx, const smr_model *m, const char *positive, smr_shown *s)
{
    smr_status st = SMR_OK;
    bool proba = smr_model_gives(m) & 1u << SMR_OUTPUT_PROBA;
    *s = (smr_shown){0};
    if (m->target.task == SMR_TASK_NONE)
        return smr_fail(ctx, SMR_ERR_STATE, "this model predicts nothing that could be shown");
    if (m->target.task == SMR_TASK_CLASSIFY) {
        s->output = proba ? SMR_OUTPUT_PROBA : SMR_OUTPUT_DECISION;
        TRY(show_classes(ctx, m, positive, s));
    } else if (positive) {
        st = smr_fail(ctx, SMR_ERR_PARAM, "--positive names a class, and the model %s",
                      smr_task_of(m->target.task)->verb);
        goto out;
    }
    if (gives_scores(m)) {
        s->output = SMR_OUTPUT_SCORE;
        TRY(show_output(ctx, s, 0, "score", NULL, 0));
    }
    int64_t n =
        m->target.task == SMR_TASK_CLASSIFY || s->n ? 0 : SMR_MIN(m->target.n, SMR_SHOWN_MAX);
    for (int64_t j = 0; j < n; j++) {
        const char *name = m->target.n > 1 ? m->target.names[j] : NULL;
        TRY(show_output(ctx, s, j, "predicted", name, name ? (int64_t)strlen(name) : 0));
    }
    s->width = smr_model_width(m, s->output);
out:
    return st;
}

void smr_shown_release(smr_shown *s)
{
    for (int64_t k = 0; k < s->n; k++) smr_free(s->name[k]);
    *s = (smr_shown){0};
}

smr_status smr_explain_chain(smr_ctx *ctx, const smr_model *m, const smr_binding *binding,
                             const int64_t *rows, int64_t n, smr_data **data)
{
    smr_status st = SMR_OK;
    smr_data *chain = NULL;
    TRY_NEW(chain, m->n_stages + 1);
    chain[0] = binding->data;
    chain[0].rows = rows;
    chain[0].n_rows = n;
    for (int64_t k = 0; k < m->n_stages; k++) {
        if (k > 0) smr_chain(&chain[k - 1], &m->stages[k - 1], &chain[k]);
        smr_chain_guard(&chain[k], &m->stages[k]);
    }
out:
    *data = chain;
    return st;
}

smr_status smr_explain_predicted(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                                 int64_t row, smr_json *into)
{
    smr_status st = SMR_OK;
    bool classify = m->target.task == SMR_TASK_CLASSIFY;
    smr_output output = classify ? SMR_OUTPUT_LABEL : SMR_OUTPUT_VALUE;
    int64_t n = smr_model_width(m, output), length;
    double *out = NULL;
    TRY_NEW(out, n + 1);
    TRY(smr_model_apply(ctx, m, table, &row, 1, output, out));
    if (classify) {
        const char *name = smr_strings_get(&m->target.classes, (int64_t)out[0], &length);
        smr_json_add_bytes(into, "predicted", name, length);
    } else if (n == 1) {
        smr_json_add_number(into, "predicted", out[0]);
    } else {
        smr_json_add_numbers(into, "predicted", out, n);
    }
out:
    smr_free(out);
    return st;
}

/* ---- which view ------------------------------------------------------------------------- */

typedef smr_status (*fill_fn)(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                              const smr_explain_how *how, smr_json *into);

static const char *const names[] = {"importance", "dependence", "regions", "path",
                                    "shapley",    "proximity",  "maps"};
static const fill_fn fills[] = {
    smr_explain_importance, smr_explain_dependence, smr_explain_regions, smr_explain_path,
    smr_explain_shapley,    smr_explain_proximity,  smr_explain_maps};

static fill_fn find_fill(const char *what)
{
    for (int64_t k = 0; k < SMR_COUNT(names); k++)
        if (strcmp(what, names[k]) == 0) return fills[k];
    return NULL;
}

smr_status smr_explain_check_word(smr_ctx *ctx, const char *what)
{
    int64_t near = smr_nearest(what, names, SMR_COUNT(names));
    if (find_fill(what)) return SMR_OK;
    return smr_fail(
        ctx, SMR_ERR_PARAM,
        "explain shows importance, dependence, regions, path, shapley, proximity or maps, not "
        "'%s'%s%s%s",
        what, near >= 0 ? "; did you mean '" : "", near >= 0 ? names[near] : "",
        near >= 0 ? "'?" : "");
}

/* More than anyone can look at would only use up memory. */
static smr_status check_sizes(smr_ctx *ctx, const smr_explain_how *how)
{
    const struct {
        const char *name;
        int64_t value, most;
    } sizes[] = {{"repeats", how->repeats, 10000},
                 {"grid", how->grid, SMR_MOST_GRID},
                 {"ice", how->single_rows, 1000}};
    for (int64_t i = 0; i < SMR_COUNT(sizes); i++) {
        if (sizes[i].value > sizes[i].most)
            return smr_fail(ctx, SMR_ERR_PARAM, "--%s: at most %lld, not %lld", sizes[i].name,
                            (long long)sizes[i].most, (long long)sizes[i].value);
        if (sizes[i].value < 0)
            return smr_fail(ctx, SMR_ERR_PARAM, "--%s: %lld is below 0", sizes[i].name,
                            (long long)sizes[i].value);
    }
    return SMR_OK;
}

/* On fitted rows a column also matters by what the model has memorised of it. */
static smr_status advise_fitted(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                                smr_json *into)
{
    smr_json *advice = smr_json_add_array(into, "advice");
    return advice ? smr_advise_same_data(ctx, model, sample->table,
                                         "what is shown is what the model leans on, not what "
                                         "generalises; explain it on other rows",
                                         advice)
                  : SMR_ERR_NOMEM;
}

/* Densities and outliers have scores, which depend on the columns; clusters have none of these
 * views. */
static smr_status check_task(smr_ctx *ctx, const smr_model *m, const char *what)
{
    const smr_task_facts *facts = smr_task_of(m->target.task);
    bool dependence = strcmp(what, "dependence") == 0;
    if (m->target.task == SMR_TASK_NONE || facts->needs_target) return SMR_OK;
    if (dependence && gives_scores(m)) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                    "explain %s is for models that predict classes or numbers, and this one %s; %s",
                    what, facts->verb,
                    gives_scores(m)
                        ? "'explain dependence' shows how its scores depend on columns, "
                          "and 'samara inspect' what it learned"
                        : "'samara inspect' shows what it found");
}

smr_status smr_explain_fill(smr_ctx *ctx, const char *what, const smr_model *model,
                            const smr_sample *sample, const smr_explain_how *how, smr_json *into)
{
    smr_status st = SMR_OK;
    TRY(smr_explain_check_word(ctx, what));
    TRY(check_sizes(ctx, how));
    TRY(check_task(ctx, model, what));
    TRY(find_fill(what)(ctx, model, sample, how, into));
    if (strcmp(what, "regions") != 0 && strcmp(what, "path") != 0 &&
        strcmp(what, "proximity") != 0 && strcmp(what, "maps") != 0)
        TRY(advise_fitted(ctx, model, sample, into));
out:
    return st;
}
