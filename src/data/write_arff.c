/* write_arff.c -- tables as ARFF: nominal attributes with their levels in order, text as string,
 * dates as date; a sparse block as sparse rows, after the other columns. */
#include "core/number.h"
#include "data/formats.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct arff {
    const smr_table *table;
    smr_strings *spelled; /* of each category column: its levels, quoted where needed */
    bool *has_fractions;  /* of each date column: seconds have decimals */
};

static bool needs_quotes(const char *s, int64_t n)
{
    if (n == 0 || (n == 1 && *s == '?')) return true;
    for (int64_t i = 0; i < n; i++)
        if ((unsigned char)s[i] <= ' ' || strchr(",{}%'\"\\", s[i])) return true;
    return false;
}

static void add_string(smr_text *out, const char *s, int64_t n, char delimiter)
{
    (void)delimiter;
    if (!needs_quotes(s, n)) {
        smr_text_add_bytes(out, s, n);
        return;
    }
    smr_text_add(out, "'");
    for (int64_t i = 0; i < n; i++) {
        char c = s[i];
        const char *escape = c == '\n'   ? "\\n"
                             : c == '\r' ? "\\r"
                             : c == '\'' ? "\\'"
                             : c == '\\' ? "\\\\"
                                         : NULL;
        if (escape)
            smr_text_add(out, escape);
        else
            smr_text_add_bytes(out, &c, 1);
    }
    smr_text_add(out, "'");
}

/* ---- declarations ----------------------------------------------------------------------- */

static bool has_fractions(const smr_column *c, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double x = smr_column_number(c, i);
        if (!isnan(x) && x != floor(x)) return true;
    }
    return false;
}

static void declare(const struct arff *w, int64_t j, smr_text *out)
{
    const smr_table *t = w->table;
    const smr_column *c = &t->cols[j];
    smr_text_add(out, "@attribute ");
    add_string(out, c->name, (int64_t)strlen(c->name), ',');
    switch (c->kind) {
    case SMR_NUMBER: smr_text_add(out, " numeric\n"); break;
    case SMR_TEXT: smr_text_add(out, " string\n"); break;
    case SMR_DATE:
        smr_text_add(out, !c->has_time          ? " date \"yyyy-MM-dd\"\n"
                          : w->has_fractions[j] ? " date \"yyyy-MM-dd'T'HH:mm:ss.SSS\"\n"
                                                : " date \"yyyy-MM-dd'T'HH:mm:ss\"\n");
        break;
    case SMR_CATEGORY:
        smr_text_add(out, " {");
        for (int64_t k = 0; k < c->levels.n; k++) {
            int64_t n;
            const char *s = smr_strings_get(&w->spelled[j], k, &n);
            if (k) smr_text_add(out, ",");
            smr_text_add_bytes(out, s, n);
        }
        smr_text_add(out, "}\n");
        break;
    }
}

static smr_status write_header(smr_ctx *ctx, const struct arff *w, smr_sink *sink)
{
    smr_status st = SMR_OK;
    const smr_table *t = w->table;
    smr_text text = {.ctx = ctx};
    smr_text_add(&text, "@relation table\n\n");
    for (int64_t j = 0; j < t->sparse.n_cols; j++)
        smr_text_printf(&text, "@attribute %" PRId64 " numeric\n", j);
    for (int64_t j = 0; j < t->n_cols; j++) declare(w, j, &text);
    smr_text_add(&text, "\n@data\n");
    TRY(smr_text_done(&text));
    TRY(smr_sink_write(ctx, sink, text.bytes, text.length));
out:
    smr_text_release(&text);
    return st;
}

/* ---- rows ------------------------------------------------------------------------------- */

static void add_field(const struct arff *w, int64_t j, int64_t i, smr_text *out)
{
    const smr_column *c = &w->table->cols[j];
    bool coded = c->kind == SMR_CATEGORY || c->kind == SMR_TEXT;
    int32_t code = coded ? smr_column_code(c, i) : 0;
    double x = coded ? 0 : smr_column_number(c, i);
    int64_t n;
    if (code < 0 || isnan(x)) {
        smr_text_add(out, "?");
    } else if (coded) {
        const char *s = smr_strings_get(&w->spelled[j], code, &n);
        smr_text_add_bytes(out, s, n);
    } else if (c->kind == SMR_DATE) {
        smr_text_date(out, x, c->has_time);
        if (c->has_time && x == floor(x) && w->has_fractions[j]) smr_text_add(out, ".000");
    } else {
        smr_text_value(out, c, i);
    }
}

/* {number value, ...}: the sparse block's entries, then all other columns, zero or not. */
static void add_sparse_row(const struct arff *w, int64_t i, smr_text *out)
{
    const smr_table *t = w->table;
    const smr_csr *x = &t->sparse;
    smr_text_add(out, "{");
    for (int64_t e = x->start[i]; e < x->start[i + 1]; e++) {
        smr_text_printf(out, "%s%" PRId32 " ", e > x->start[i] ? "," : "", x->column[e]);
        if (isnan(x->value[e]))
            smr_text_add(out, "?");
        else
            smr_text_number(out, x->value[e]);
    }
    for (int64_t j = 0; j < t->n_cols; j++) {
        bool first = j == 0 && x->start[i] == x->start[i + 1];
        smr_text_printf(out, "%s%" PRId64 " ", first ? "" : ",", x->n_cols + j);
        add_field(w, j, i, out);
    }
    smr_text_add(out, "}\n");
}

static void format_rows(const void *arg, int64_t lo, int64_t hi, smr_text *out)
{
    const struct arff *w = arg;
    for (int64_t i = lo; i < hi && !out->failed; i++) {
        if (w->table->sparse.n_cols) {
            add_sparse_row(w, i, out);
            continue;
        }
        for (int64_t j = 0; j < w->table->n_cols; j++) {
            if (j) smr_text_add(out, ",");
            add_field(w, j, i, out);
        }
        smr_text_add(out, "\n");
    }
}

smr_status smr_arff_write(smr_ctx *ctx, const smr_table *t, smr_sink *sink)
{
    smr_status st = SMR_OK;
    struct arff w = {.table = t};
    TRY(smr_spell_levels(ctx, t, add_string, ',', &w.spelled));
    TRY_NEW(w.has_fractions, t->n_cols);
    for (int64_t j = 0; j < t->n_cols; j++)
        w.has_fractions[j] = t->cols[j].kind == SMR_DATE && has_fractions(&t->cols[j], t->n_rows);
    TRY(write_header(ctx, &w, sink));
    TRY(smr_write_rows(ctx, sink, t->n_rows, smr_write_block(t->n_cols + 16), format_rows, &w));
out:
    smr_free(w.has_fractions);
    smr_spelled_release(t, w.spelled);
    return st;
}
