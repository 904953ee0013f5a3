/* write_csv.c -- tables as CSV or TSV: RFC 4180 quoting, a line feed after each row.
 *
 *     number     the shortest decimal that reads back as the same double; inf, -inf
 *     date       2020-02-29 or 2020-02-29T12:30:05
 *     missing    an empty field; NA where a row is only that field, since an empty line is
 *                not a row
 *
 * A string is quoted when it holds the delimiter, a quote or a line break, when blanks surround it,
 * and when it is empty or a usual mark of missing values, so that it stays a string.
 * The header is left out only where the names are positions and did not come from a file: a reader
 * gives the same names again. */
#include "core/number.h"
#include "data/formats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct csv {
    const smr_table *table;
    char delimiter;
    smr_strings *spelled; /* of each category column: its levels, quoted where needed */
};

static bool is_mark(const char *s, int64_t n)
{
    static const char *const marks[] = {"na", "n/a", "nan", "null", "none",
                                        "?",  "-",   "nil", "#n/a"};
    for (int64_t k = 0; k < SMR_COUNT(marks); k++)
        if ((int64_t)strlen(marks[k]) == n && !strncasecmp(s, marks[k], (size_t)n)) return true;
    return n == 0;
}

static bool needs_quotes(const char *s, int64_t n, char delimiter)
{
    if (is_mark(s, n) || s[0] == ' ' || s[n - 1] == ' ' || s[0] == '\t' || s[n - 1] == '\t')
        return true;
    for (int64_t i = 0; i < n; i++)
        if (s[i] == delimiter || s[i] == '"' || s[i] == '\n' || s[i] == '\r') return true;
    return false;
}

static void add_string(smr_text *out, const char *s, int64_t n, char delimiter)
{
    if (!needs_quotes(s, n, delimiter)) {
        smr_text_add_bytes(out, s, n);
        return;
    }
    smr_text_add(out, "\"");
    for (int64_t from = 0; from < n;) {
        const char *quote = memchr(s + from, '"', (size_t)(n - from));
        int64_t to = quote ? quote + 1 - s : n;
        smr_text_add_bytes(out, s + from, to - from);
        if (quote) smr_text_add(out, "\"");
        from = to;
    }
    smr_text_add(out, "\"");
}

/* ---- header ----------------------------------------------------------------------------- */

static bool names_are_positions(const smr_table *t)
{
    for (int64_t j = 0; j < t->n_cols; j++) {
        char name[24];
        snprintf(name, sizeof name, "%" PRId64, j);
        if (strcmp(name, t->cols[j].name) != 0) return false;
    }
    return true;
}

static smr_status write_header(smr_ctx *ctx, const struct csv *w, smr_sink *sink)
{
    const smr_table *t = w->table;
    if (names_are_positions(t) && t->n_cols > 0)
        return SMR_OK; /* a reader gives them the same
                                                                   names */
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    for (int64_t j = 0; j < t->n_cols; j++) {
        if (j) smr_text_add_bytes(&text, &w->delimiter, 1);
        add_string(&text, t->cols[j].name, (int64_t)strlen(t->cols[j].name), w->delimiter);
    }
    for (int64_t j = 0; j < t->sparse.n_cols; j++) {
        if (j || t->n_cols) smr_text_add_bytes(&text, &w->delimiter, 1);
        smr_text_printf(&text, "%" PRId64, j);
    }
    smr_text_add(&text, "\n");
    TRY(smr_text_done(&text));
    TRY(smr_sink_write(ctx, sink, text.bytes, text.length));
out:
    smr_text_release(&text);
    return st;
}

/* ---- rows ------------------------------------------------------------------------------- */

static void add_coded(smr_text *out, const smr_strings *spelled, int32_t code)
{
    if (code < 0) return;
    int64_t n;
    const char *s = smr_strings_get(spelled, code, &n);
    if (!smr_text_reserve(out, n)) return;
    memcpy(out->bytes + out->length, s, (size_t)n);
    out->length += n;
}

static void add_field(const struct csv *w, int64_t j, int64_t i, smr_text *out)
{
    const smr_column *c = &w->table->cols[j];
    double x;
    switch (c->kind) {
    case SMR_NUMBER:
        if (!isnan(smr_column_number(c, i))) smr_text_value(out, c, i);
        break;
    case SMR_DATE:
        x = smr_column_number(c, i);
        if (!isnan(x)) smr_text_date(out, x, c->has_time);
        break;
    case SMR_CATEGORY:
    case SMR_TEXT: add_coded(out, &w->spelled[j], smr_column_code(c, i)); break;
    }
}

/* Row i of the sparse block with its zeros. */
static void add_sparse(const smr_csr *x, int64_t i, bool first, char delimiter, smr_text *out)
{
    int64_t e = x->start[i], end = x->start[i + 1];
    for (int64_t j = 0; j < x->n_cols; j++) {
        if (!smr_text_reserve(out, SMR_NUMBER_MAX + 1)) return;
        if (j || !first) out->bytes[out->length++] = delimiter;
        if (e == end || x->column[e] != j)
            out->bytes[out->length++] = '0';
        else if (!isnan(x->value[e++]))
            out->length += smr_format_double(x->value[e - 1], out->bytes + out->length);
    }
}

static void format_rows(const void *arg, int64_t lo, int64_t hi, smr_text *out)
{
    const struct csv *w = arg;
    const smr_table *t = w->table;
    for (int64_t i = lo; i < hi && !out->failed; i++) {
        int64_t before = out->length;
        for (int64_t j = 0; j < t->n_cols; j++) {
            if (j && smr_text_reserve(out, 1)) out->bytes[out->length++] = w->delimiter;
            add_field(w, j, i, out);
        }
        if (t->sparse.n_cols) add_sparse(&t->sparse, i, t->n_cols == 0, w->delimiter, out);
        if (out->length == before) smr_text_add(out, "NA");
        if (smr_text_reserve(out, 1)) out->bytes[out->length++] = '\n';
    }
}

smr_status smr_csv_write(smr_ctx *ctx, const smr_table *t, char delimiter, smr_sink *sink)
{
    smr_status st = SMR_OK;
    struct csv w = {.table = t, .delimiter = delimiter};
    if (t->sparse.n_cols) TRY(smr_write_check_sparse(ctx, t, "CSV"));
    TRY(smr_spell_levels(ctx, t, add_string, delimiter, &w.spelled));
    TRY(write_header(ctx, &w, sink));
    TRY(smr_write_rows(ctx, sink, t->n_rows, smr_write_block(t->n_cols + t->sparse.n_cols),
                       format_rows, &w));
out:
    smr_spelled_release(t, w.spelled);
    return st;
}
