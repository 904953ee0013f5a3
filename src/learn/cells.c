/* cells.c -- see cells.h. */
#include "learn/cells.h"

#include "core/number.h"
#include "data/date.h"
#include "data/infer.h"
#include "learn/outside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The marks of a file read without --missing. */
static const smr_marks usual_marks = {0};

smr_status smr_cells_open(smr_ctx *ctx, const smr_model *m, smr_cells *out)
{
    smr_status st = SMR_OK;
    const smr_schema *schema = &m->schema;
    int64_t twin, k = 0;
    *out = (smr_cells){
        .schema = schema, .columns = smr_model_columns(m), .tells_gaps = smr_foreign_gaps(m)};
    TRY_NEW(out->known, schema->n_inputs + 1);
    for (int64_t j = 0; j < schema->n_inputs; j++) {
        const smr_input *in = &schema->inputs[j];
        out->n_texts += in->kind == SMR_TEXT;
        if (in->kind == SMR_CATEGORY && in->levels.n)
            TRY(smr_vocab_over(ctx, &in->levels, &out->known[j], &twin));
    }
    TRY_NEW(out->strings, out->n_texts + 1);
    TRY_NEW(out->texts, out->n_texts + 1);
    TRY_NEW(out->start, 2 * out->n_texts + 1);
    TRY_NEW(out->code, out->n_texts + 1);
    for (; k < out->n_texts; k++) {
        out->strings[k] = (smr_strings){.n = 1, .start = out->start + 2 * k};
        out->texts[k] = &out->strings[k];
        out->code[k] = -1;
    }
out:
    if (st != SMR_OK) smr_cells_close(out);
    return st;
}

void smr_cells_close(smr_cells *c)
{
    for (int64_t j = 0; c->known && j < c->schema->n_inputs; j++) smr_vocab_release(&c->known[j]);
    smr_free(c->known);
    smr_free(c->strings);
    smr_free(c->texts);
    smr_free(c->start);
    smr_free(c->code);
    *c = (smr_cells){0};
}

/* ---- one cell --------------------------------------------------------------------------- */

static bool is_missing(const char *text, int64_t n)
{
    int which;
    return smr_field_is_missing(&usual_marks, text, n, &which);
}

static smr_status refuse(smr_ctx *ctx, const char *name, const char *wanted, const char *text,
                         int64_t n)
{
    return smr_fail(ctx, SMR_ERR_DATA,
                    "input '%s' must be %s, but here it is '%s'; correct it, or give NULL where "
                    "the value is missing",
                    name, wanted, smr_excerpt(text, n, (char[SMR_EXCERPT_MAX]){0}));
}

static smr_status read_number(smr_ctx *ctx, const char *name, const char *text, int64_t n,
                              double *x)
{
    bool has_time;
    smr_field field = smr_field_classify(&usual_marks, text, n, x, &has_time);
    if (field == SMR_FIELD_NUMBER) return SMR_OK;
    *x = NAN;
    if (field == SMR_FIELD_MISSING || field == SMR_FIELD_DASH) return SMR_OK;
    return refuse(ctx, name, "a number", text, n);
}

static smr_status read_date(smr_ctx *ctx, const char *name, const char *text, int64_t n, double *x)
{
    bool has_time;
    smr_field field = smr_field_classify(&usual_marks, text, n, x, &has_time);
    if (field == SMR_FIELD_DATE) return SMR_OK;
    *x = NAN;
    if (field == SMR_FIELD_MISSING || field == SMR_FIELD_DASH) return SMR_OK;
    return refuse(ctx, name, "a date", text, n);
}

void smr_cells_note_gap(smr_ctx *ctx, const smr_cells *c, const smr_input *in)
{
    if (c->tells_gaps && !in->has_missing)
        smr_warn(ctx,
                 "input '%s' is missing, and training had no gap to learn from: it counts as "
                 "unknown",
                 in->name);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The code of a level: of the text as it is, or else without blanks around it; -1: there is
 * none. */
static int32_t find_level(const smr_vocab *known, const char *text, int64_t n)
{
    int32_t code = known->n_slots ? smr_vocab_find(known, text, n) : -1;
    if (code >= 0 || n == 0 || (!is_blank(*text) && !is_blank(text[n - 1]))) return code;
    while (n > 0 && is_blank(*text)) text++, n--;
    while (n > 0 && is_blank(text[n - 1])) n--;
    return known->n_slots ? smr_vocab_find(known, text, n) : -1;
}

/* A level not seen in training; what: its name, or how it was given. */
static smr_status take_unseen(smr_ctx *ctx, const struct smr_columns_params *columns,
                              const char *input, const char *what)
{
    if (columns->unseen == SMR_UNSEEN_ERROR)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "input '%s' has a level not seen in training, %s; the model was "
                        "made with unseen=error",
                        input, what);
    smr_warn(ctx, "input '%s' has a level not seen in training, %s; it counts as missing", input,
             what);
    return SMR_OK;
}

smr_status smr_unseen_code(smr_ctx *ctx, const struct smr_columns_params *columns,
                           const char *input)
{
    return take_unseen(ctx, columns, input, "of code -1");
}

static smr_status read_category(smr_ctx *ctx, const smr_cells *c, int64_t j, const char *text,
                                int64_t n, double *x)
{
    const smr_input *in = &c->schema->inputs[j];
    int32_t code = find_level(&c->known[j], text, n);
    *x = code < 0 ? NAN : (double)code;
    if (code >= 0) return SMR_OK;
    if (is_missing(text, n)) {
        smr_cells_note_gap(ctx, c, in);
        return SMR_OK;
    }
    char shown[SMR_EXCERPT_MAX + 2];
    snprintf(shown, sizeof shown, "'%s'", smr_excerpt(text, n, (char[SMR_EXCERPT_MAX]){0}));
    return take_unseen(ctx, c->columns, in->name, shown);
}

/* A text may hold any bytes, as in a file. */
static void read_text(smr_cells *c, int64_t k, const char *text, int64_t n)
{
    c->strings[k].bytes = (char *)(uintptr_t)text; /* which is never changed */
    c->start[2 * k + 1] = n;
    c->code[k] = is_missing(text, n) ? -1 : 0;
}

/* ---- a row ------------------------------------------------------------------------------ */

static smr_status read_sparse(smr_ctx *ctx, const smr_cells *c, const char *const *cell, double *x)
{
    for (int64_t j = 0; j < c->schema->n_sparse; j++) {
        char name[SMR_NUMBER_MAX];
        x[j] = NAN;
        if (!cell[j]) continue;
        smr_format_double((double)j, name);
        smr_status st = read_number(ctx, name, cell[j], (int64_t)strlen(cell[j]), &x[j]);
        if (st != SMR_OK) return st;
    }
    return SMR_OK;
}

smr_status smr_cells_read(smr_ctx *ctx, smr_cells *c, const char *const *cell, double *x)
{
    smr_status st = SMR_OK;
    int64_t k = 0;
    if (c->schema->n_sparse) return read_sparse(ctx, c, cell, x);
    for (int64_t j = 0; j < c->schema->n_inputs; j++) {
        const smr_input *in = &c->schema->inputs[j];
        const char *text = cell[j] ? cell[j] : "";
        int64_t n = (int64_t)strlen(text);
        x[j] = NAN;
        switch (in->kind) {
        case SMR_NUMBER: TRY(read_number(ctx, in->name, text, n, &x[j])); break;
        case SMR_DATE: TRY(read_date(ctx, in->name, text, n, &x[j])); break;
        case SMR_CATEGORY:
            if (cell[j])
                TRY(read_category(ctx, c, j, text, n, &x[j]));
            else
                smr_cells_note_gap(ctx, c, in);
            break;
        case SMR_TEXT: read_text(c, k++, text, n); break;
        }
    }
out:
    return st;
}
