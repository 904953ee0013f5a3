/* schema_read.c -- see schema_read.h. */
#include "study/schema_read.h"

#include "core/number.h"
#include "data/types.h"

#include <stdio.h>
#include <string.h>

/* ---- columns without names -------------------------------------------------------------- */

/* The position that a name means; -1: it is not a position. */
static int64_t position_of(const char *name)
{
    int64_t at = 0;
    for (const char *c = name; *c; c++) {
        if (*c < '0' || *c > '9' || at > SMR_MAX_DIM) return -1;
        at = 10 * at + (*c - '0');
    }
    return *name ? at : -1;
}

/* How many targets came before that position. */
static int64_t targets_before(const smr_model *m, int64_t at)
{
    int64_t n = 0;
    for (int64_t j = 0; j < m->target.n; j++) n += position_of(m->target.names[j]) < at;
    return n;
}

static bool has_column(const smr_table *t, const char *name)
{
    for (int64_t c = 0; c < t->n_cols; c++)
        if (strcmp(t->cols[c].name, name) == 0) return true;
    return false;
}

/* Was the model trained on columns without names, and are these such columns, with the targets left
 * out: as many as it takes, where by their own positions some are missing? */
static bool lacks_targets(const smr_model *m, const smr_table *t)
{
    bool lacks = false;
    if (t->has_header || m->schema.n_sparse > 0 || m->target.n == 0) return false;
    for (int64_t j = 0; j < m->target.n; j++)
        if (position_of(m->target.names[j]) < 0) return false;
    for (int64_t j = 0; j < m->schema.n_inputs; j++) {
        int64_t at = position_of(m->schema.inputs[j].name);
        if (at < 0 || at - targets_before(m, at) >= t->n_cols) return false;
        lacks |= !has_column(t, m->schema.inputs[j].name);
    }
    return lacks;
}

/* Column c of the file gets the position that it had beside the targets. */
static smr_status rename_columns(smr_ctx *ctx, const smr_model *m, smr_table *t)
{
    for (int64_t c = t->n_cols - 1; c >= 0; c--) {
        char name[SMR_NUMBER_MAX];
        int64_t at = c;
        for (;;) {
            int64_t next = c + targets_before(m, at + 1);
            if (next == at) break;
            at = next;
        }
        snprintf(name, sizeof name, "%lld", (long long)at);
        char *copy = smr_strdup(ctx, name);
        if (!copy) return SMR_ERR_NOMEM;
        smr_free(t->cols[c].name);
        t->cols[c].name = copy;
    }
    return SMR_OK;
}

/* ---- reading ---------------------------------------------------------------------------- */

smr_status smr_schema_check_types(smr_ctx *ctx, const smr_model *m, const smr_read_opts *opts)
{
    for (int64_t k = 0; opts && k < opts->n_rules; k++)
        for (int64_t j = 0; j < m->schema.n_inputs; j++) {
            const smr_column_rule *r = &opts->rules[k];
            const smr_input *in = &m->schema.inputs[j];
            if (strcmp(r->name, in->name) != 0 || (!r->ignore && r->kind == in->kind)) continue;
            return smr_fail(ctx, SMR_ERR_PARAM,
                            "column '%s' was a %s when the model was trained, and is read as one: "
                            "leave out its type here, or train with it",
                            in->name, smr_kind_name(in->kind));
        }
    return SMR_OK;
}

/* With a rule for each input; shifted: at the position that it has without the targets. */
static smr_status read_by_rules(smr_ctx *ctx, const smr_model *model, const char *path,
                                const smr_read_opts *opts, bool shifted, smr_table **out)
{
    smr_status st = SMR_OK;
    smr_column_rule *rules = NULL;
    char(*names)[SMR_NUMBER_MAX] = NULL;
    smr_read_opts how = opts ? *opts : (smr_read_opts){.header = -1};
    int64_t n = 0;
    *out = NULL;
    TRY_NEW(rules, model->schema.n_inputs + how.n_rules + 1);
    TRY_NEW(names, model->schema.n_inputs + 1);
    for (int64_t j = 0; j < how.n_rules; j++) rules[n++] = how.rules[j];
    for (int64_t j = 0; j < model->schema.n_inputs; j++) { /* the last rule for a column wins */
        const smr_input *in = &model->schema.inputs[j];
        int64_t at = shifted ? position_of(in->name) : 0;
        if (shifted)
            snprintf(names[j], sizeof names[j], "%lld",
                     (long long)(at - targets_before(model, at)));
        rules[n++] = (smr_column_rule){
            .name = shifted ? names[j] : in->name, .kind = in->kind, .optional = true};
    }
    how.expects_comma = model->schema.decimal_comma;
    how.rules = rules;
    how.n_rules = n;
    TRY(smr_table_read(ctx, path, &how, out));
out:
    smr_free(names);
    smr_free(rules);
    return st;
}

smr_status smr_table_read_for(smr_ctx *ctx, const smr_model *model, const char *path,
                              const smr_read_opts *opts, smr_table **out)
{
    smr_status st = SMR_OK;
    *out = NULL;
    TRY(smr_schema_check_types(ctx, model, opts));
    TRY(read_by_rules(ctx, model, path, opts, false, out));
    if (!lacks_targets(model, *out)) return SMR_OK;
    smr_warn(ctx,
             "%s: its columns have no names and there is none for the target: they are taken as "
             "the training columns without the target",
             path);
    if (strcmp(path, "-") != 0) { /* a pipe is read once */
        smr_table_free(*out);
        TRY(read_by_rules(ctx, model, path, opts, true, out));
    }
    TRY(rename_columns(ctx, model, *out));
out:
    if (st != SMR_OK) {
        smr_table_free(*out);
        *out = NULL;
    }
    return st;
}
