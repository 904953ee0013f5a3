/* answer.c -- see answer.h. */
#include "learn/answer.h"

#include "core/text.h"
#include "data/vocab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------------ */

static smr_status join(smr_ctx *ctx, const char *before, const char *name, int64_t length,
                       const char *after, char **out)
{
    smr_text text = {.ctx = ctx};
    smr_text_add(&text, before);
    smr_text_add_bytes(&text, name, length);
    smr_text_add(&text, after);
    smr_status st = smr_text_done(&text);
    if (st == SMR_OK)
        *out = text.bytes;
    else
        smr_text_release(&text);
    return st;
}

smr_status smr_answer_class_name(smr_ctx *ctx, const smr_target *target, smr_output output,
                                 int64_t k, char **out)
{
    int64_t length;
    char number[24];
    const char *name = number;
    if (smr_target_names_classes(target))
        name = smr_strings_get(&target->classes, k, &length);
    else
        length = snprintf(number, sizeof number, "%lld", (long long)k);
    return join(ctx, output == SMR_OUTPUT_PROBA ? "p(" : "score(", name, length, ")", out);
}

/* What an answer is called if no target names it. */
static const char *name_of(const smr_model *m, int64_t k)
{
    if (m->target.n > k && !m->target.held) return m->target.names[k];
    return smr_task_of(m->target.task)->answer;
}

static smr_status name_column(smr_ctx *ctx, const smr_model *m, smr_output output, int64_t k,
                              char **out)
{
    const char *name = "set", *after = "";
    switch (output) {
    case SMR_OUTPUT_PROBA:
    case SMR_OUTPUT_DECISION: return smr_answer_class_name(ctx, &m->target, output, k, out);
    case SMR_OUTPUT_LABEL:
    case SMR_OUTPUT_VALUE: name = name_of(m, k); break;
    case SMR_OUTPUT_TRANSFORM: name = smr_model_last(m)->features[k].name; break;
    case SMR_OUTPUT_INTERVAL:
        name = name_of(m, k / 2);
        after = k % 2 ? "_high" : "_low";
        break;
    case SMR_OUTPUT_SCORE: name = "score"; break;
    case SMR_OUTPUT_SET: break;
    }
    return join(ctx, "", name, (int64_t)strlen(name), after, out);
}

const smr_strings *smr_answer_no_or_yes(void)
{
    static char bytes[] = "noyes";
    static int64_t start[] = {0, 2, 5};
    static const smr_strings levels = {.n = 2, .start = start, .bytes = bytes};
    return &levels;
}

/* ---- values ----------------------------------------------------------------------------- */

/* A column over its own copy of every width-th value. */
static smr_status fill_numbers(smr_ctx *ctx, const double *x, int64_t n, int64_t width,
                               smr_column *col)
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

/* A category with room for its codes. */
static smr_status begin_codes(smr_ctx *ctx, int64_t n, smr_column *col, int32_t **codes)
{
    smr_status st = SMR_OK;
    TRY_NEW(*codes, n);
    col->kind = SMR_CATEGORY;
    col->dtype = SMR_I32;
    col->values = *codes;
    col->owns_values = true;
out:
    return st;
}

/* Codes are every width-th value; NaN: missing. */
static smr_status fill_codes(smr_ctx *ctx, const smr_strings *levels, const double *x, int64_t n,
                             int64_t width, smr_column *col)
{
    smr_status st = SMR_OK;
    int32_t *codes = NULL;
    TRY(begin_codes(ctx, n, col, &codes));
    for (int64_t i = 0; i < n; i++) {
        codes[i] = isnan(x[i * width]) ? -1 : (int32_t)x[i * width];
        col->n_missing += codes[i] < 0;
    }
    TRY(smr_strings_copy(ctx, levels, NULL, &col->levels));
out:
    return st;
}

/* The levels of feature k if it is a category that passed through the stages; else NULL. */
static const smr_strings *levels_of(const smr_model *m, smr_output output, int64_t k)
{
    if (output != SMR_OUTPUT_TRANSFORM) return NULL;
    const smr_feature *f = &smr_model_last(m)->features[k];
    return f->kind == SMR_CATEGORY ? f->levels : NULL;
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

/* A category whose levels are the sets that occur, as they come. */
static smr_status fill_sets(smr_ctx *ctx, const smr_model *m, const double *x, int64_t n,
                            smr_column *col)
{
    int64_t width = smr_model_width(m, SMR_OUTPUT_SET);
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    smr_vocab sets = {0};
    int32_t *codes = NULL;
    TRY(begin_codes(ctx, n, col, &codes));
    for (int64_t i = 0; i < n; i++) {
        TRY(join_set(m, x + i * width, &text));
        TRY(smr_vocab_add(ctx, &sets, text.bytes, text.length, &codes[i]));
    }
    TRY(smr_strings_copy(ctx, &sets.strings, NULL, &col->levels));
out:
    smr_vocab_release(&sets);
    smr_text_release(&text);
    return st;
}

/* ---- columns ---------------------------------------------------------------------------- */

int64_t smr_answer_width(const smr_model *m, smr_output output)
{
    return output == SMR_OUTPUT_SET ? 1 : smr_model_width(m, output);
}

smr_status smr_answer_fill(smr_ctx *ctx, const smr_model *m, smr_output output, const double *x,
                           int64_t n, smr_column *cols)
{
    int64_t width = smr_answer_width(m, output);
    smr_status st = SMR_OK;
    for (int64_t k = 0; k < width; k++) {
        TRY(name_column(ctx, m, output, k, &cols[k].name));
        if (output == SMR_OUTPUT_LABEL && m->target.task == SMR_TASK_OUTLIERS)
            TRY(fill_codes(ctx, smr_answer_no_or_yes(), x, n, 1, &cols[k]));
        else if (output == SMR_OUTPUT_LABEL && smr_target_names_classes(&m->target))
            TRY(fill_codes(ctx, &m->target.classes, x, n, 1, &cols[k]));
        else if (output == SMR_OUTPUT_SET)
            TRY(fill_sets(ctx, m, x, n, &cols[k]));
        else if (levels_of(m, output, k))
            TRY(fill_codes(ctx, levels_of(m, output, k), x + k, n, width, &cols[k]));
        else
            TRY(fill_numbers(ctx, x + k, n, width, &cols[k]));
    }
out:
    return st;
}

smr_status smr_answer_create(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                             smr_output output, smr_table **out)
{
    smr_status st = SMR_OK;
    smr_table *answer = NULL;
    double *x = NULL;
    *out = NULL;
    TRY(smr_model_check_output(ctx, m, output));
    TRY_NEW(x, table->n_rows * smr_model_width(m, output));
    TRY(smr_model_predict(ctx, m, table, output, NULL, x));
    TRY(smr_table_new(ctx, table->n_rows, smr_answer_width(m, output), &answer));
    TRY(smr_answer_fill(ctx, m, output, x, table->n_rows, answer->cols));
    answer->has_header = true;
    *out = answer;
    answer = NULL;
out:
    smr_table_free(answer);
    smr_free(x);
    return st;
}
