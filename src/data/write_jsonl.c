/* write_jsonl.c -- tables as JSON lines: one object per row, a line feed after each.
 *
 *     number          the shortest decimal that reads back as the same double
 *     category, text  a string
 *     date            a string: "2020-02-29" or "2020-02-29T12:30:05"
 *     gap             null; so are infinities, which JSON does not have
 *
 * Every row has every column, in the table's order; a point in a name stays as it is. */
#include "core/json_parts.h"
#include "core/number.h"
#include "data/formats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct jsonl {
    const smr_table *table;
    smr_strings *spelled; /* of each category column: its levels, in quotes */
    smr_strings names;    /* of all columns: quoted, with a colon            */
};

static void add_string(smr_text *out, const char *s, int64_t n, char unused)
{
    (void)unused;
    smr_json_write_string(s, n, out);
}

static smr_status spell_names(smr_ctx *ctx, struct jsonl *w)
{
    smr_status st = SMR_OK;
    const smr_table *t = w->table;
    smr_text text = {.ctx = ctx};
    int64_t n = t->n_cols + t->sparse.n_cols;
    TRY_NEW(w->names.start, n + 1);
    for (int64_t j = 0; j < n; j++) {
        char position[24];
        snprintf(position, sizeof position, "%" PRId64, j - t->n_cols);
        const char *name = j < t->n_cols ? t->cols[j].name : position;
        smr_text_add(&text, j ? "," : "");
        smr_json_write_string(name, (int64_t)strlen(name), &text);
        smr_text_add(&text, ":");
        w->names.start[j + 1] = text.length;
    }
    TRY(smr_text_done(&text));
    w->names.n = n;
    w->names.bytes = text.bytes;
    text.bytes = NULL;
out:
    smr_text_release(&text);
    return st;
}

static void add_piece(const smr_strings *s, int64_t k, smr_text *out)
{
    int64_t n;
    const char *bytes = smr_strings_get(s, k, &n);
    if (!smr_text_reserve(out, n)) return;
    memcpy(out->bytes + out->length, bytes, (size_t)n);
    out->length += n;
}

static void add_value(const struct jsonl *w, int64_t j, int64_t i, smr_text *out)
{
    const smr_column *c = &w->table->cols[j];
    bool coded = c->kind == SMR_CATEGORY || c->kind == SMR_TEXT;
    if (coded && smr_column_code(c, i) >= 0)
        add_piece(&w->spelled[j], smr_column_code(c, i), out);
    else if (coded || !isfinite(smr_column_number(c, i)))
        smr_text_add(out, "null");
    else if (c->kind == SMR_NUMBER)
        smr_text_value(out, c, i);
    else {
        smr_text_add(out, "\"");
        smr_text_date(out, smr_column_number(c, i), c->has_time);
        smr_text_add(out, "\"");
    }
}

/* Row i of the sparse block with its zeros. */
static void add_sparse(const struct jsonl *w, int64_t i, smr_text *out)
{
    const smr_csr *x = &w->table->sparse;
    int64_t e = x->start[i], end = x->start[i + 1];
    for (int64_t j = 0; j < x->n_cols; j++) {
        bool zero = e == end || x->column[e] != j;
        double value = zero ? 0 : x->value[e++];
        add_piece(&w->names, w->table->n_cols + j, out);
        if (isfinite(value))
            smr_text_number(out, value);
        else
            smr_text_add(out, "null");
    }
}

static void format_rows(const void *arg, int64_t lo, int64_t hi, smr_text *out)
{
    const struct jsonl *w = arg;
    for (int64_t i = lo; i < hi && !out->failed; i++) {
        smr_text_add(out, "{");
        for (int64_t j = 0; j < w->table->n_cols; j++) {
            add_piece(&w->names, j, out);
            add_value(w, j, i, out);
        }
        if (w->table->sparse.n_cols) add_sparse(w, i, out);
        smr_text_add(out, "}\n");
    }
}

smr_status smr_jsonl_write(smr_ctx *ctx, const smr_table *t, smr_sink *sink)
{
    smr_status st = SMR_OK;
    struct jsonl w = {.table = t};
    if (t->sparse.n_cols) TRY(smr_write_check_sparse(ctx, t, "JSON"));
    TRY(smr_spell_levels(ctx, t, add_string, 0, &w.spelled));
    TRY(spell_names(ctx, &w));
    TRY(smr_write_rows(ctx, sink, t->n_rows, smr_write_block(t->n_cols + t->sparse.n_cols),
                       format_rows, &w));
out:
    smr_spelled_release(t, w.spelled);
    smr_free(w.names.start);
    smr_free(w.names.bytes);
    return st;
}
