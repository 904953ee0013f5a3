/* describe.c -- samara describe: what a file holds, before anything is learned from it. */
#include "commands.h"
#include "data/formats.h"
#include "data/summary.h"
#include "report/render.h"
#include "session.h"

#include <math.h>
#include <string.h>

enum { SHOWN_LEVELS = 8 };

static void add_date(smr_json *row, const char *key, double seconds, bool time, smr_text *text)
{
    text->length = 0;
    smr_text_add_bytes(text, "", 0);
    if (isfinite(seconds)) smr_text_date(text, seconds, time);
    if (text->length)
        smr_json_add_string(row, key, text->bytes);
    else
        smr_json_add_null(row, key);
}

static void add_levels(const smr_column *col, const smr_column_summary *s, smr_json *row)
{
    smr_json_add_number(row, "levels", (double)s->n_levels);
    smr_json *list = smr_json_add_array(row, "counts");
    for (int64_t k = 0; k < s->n_levels && k < 1000; k++) {
        int64_t length;
        const char *name = smr_strings_get(&col->levels, k, &length);
        smr_json *level = smr_json_add_object(list, NULL);
        smr_json_add_bytes(level, "level", name, length);
        smr_json_add_number(level, "rows", (double)s->level_count[k]);
    }
}

static void add_column(const smr_column *col, const smr_column_summary *s, smr_json *list,
                       smr_text *text)
{
    static const char *const kinds[] = {"number", "category", "text", "date"};
    smr_json *row = smr_json_add_object(list, NULL);
    smr_json_add_string(row, "name", col->name);
    smr_json_add_string(row, "kind", kinds[col->kind]);
    smr_json_add_number(row, "missing", (double)s->n_missing);
    smr_json_add_number(row, "distinct", (double)s->n_distinct);
    if (col->kind == SMR_NUMBER) {
        smr_json_add_number(row, "mean", s->mean);
        smr_json_add_number(row, "sd", s->sd);
        smr_json_add_number(row, "min", s->min);
        smr_json_add_number(row, "q1", s->q1);
        smr_json_add_number(row, "median", s->median);
        smr_json_add_number(row, "q3", s->q3);
        smr_json_add_number(row, "max", s->max);
        smr_json_add_number(row, "skewness", s->skewness);
        smr_json_add_number(row, "zeros", (double)s->n_zero);
        smr_json_add_bool(row, "whole", s->is_whole);
    } else if (col->kind == SMR_DATE) {
        add_date(row, "first", s->min, col->has_time, text);
        add_date(row, "last", s->max, col->has_time, text);
    } else {
        add_levels(col, s, row);
    }
}

/* "format: csv" lines of the reader become members of one object. */
static void add_notes(const smr_table *table, smr_json *root)
{
    smr_json *notes = smr_json_add_object(root, "read_as");
    for (const char *line = table->notes; line && *line;) {
        const char *end = strchr(line, '\n'), *colon = strstr(line, ": ");
        if (!end) end = line + strlen(line);
        char key[64];
        if (colon && colon < end && (size_t)(colon - line) < sizeof key) {
            memcpy(key, line, (size_t)(colon - line));
            key[colon - line] = '\0';
            if (!smr_json_get(notes, key))
                smr_json_add_bytes(notes, key, colon + 2, end - colon - 2);
        }
        line = *end ? end + 1 : end;
    }
}

static void add_sparse(const smr_table *t, const smr_summary *s, smr_json *root)
{
    if (!t->sparse.n_cols) return;
    smr_json *sparse = smr_json_add_object(root, "sparse");
    smr_json_add_number(sparse, "features", (double)t->sparse.n_cols);
    smr_json_add_number(sparse, "entries", (double)s->n_entries);
    smr_json_add_number(sparse, "entries_a_row", (double)s->n_entries / (double)t->n_rows);
    smr_json_add_number(sparse, "missing", (double)s->n_sparse_missing);
    smr_json_add_number(sparse, "empty_features", (double)s->n_empty_features);
    smr_json_add_number(sparse, "empty_rows", (double)s->n_empty_rows);
    smr_json_add_number(sparse, "min", s->sparse_min);
    smr_json_add_number(sparse, "max", s->sparse_max);
}

static smr_status fill(smr_ctx *ctx, const args *a, const smr_table *t, const smr_summary *s,
                       double seconds, smr_json *root)
{
    smr_text text = {.ctx = ctx};
    smr_json_add_string(root, "command", "describe");
    smr_json_add_string(root, "data", a->words[1]);
    smr_json_add_number(root, "rows", (double)t->n_rows);
    smr_json_add_number(root, "columns", (double)(t->n_cols + t->sparse.n_cols));
    smr_json_add_number(root, "read_seconds", seconds);
    add_notes(t, root);
    if (t->item_shape[0]) {
        smr_json *shape = smr_json_add_array(root, "item_shape");
        for (int k = 0; k < 4 && t->item_shape[k]; k++)
            smr_json_add_number(shape, NULL, (double)t->item_shape[k]);
    }
    add_sparse(t, s, root);
    smr_json *list = smr_json_add_array(root, "table");
    for (int64_t j = 0; j < t->n_cols; j++) add_column(&t->cols[j], &s->columns[j], list, &text);
    for (int64_t k = 0; k < s->n_warnings; k++) smr_warn(ctx, "%s", s->warnings[k]);
    session_add_warnings(root);
    smr_status st = smr_text_done(&text) == SMR_OK ? smr_json_done(root->doc) : SMR_ERR_NOMEM;
    smr_text_release(&text);
    return st;
}

/* ---- text ------------------------------------------------------------------------------- */

static void show_kind(const smr_json *table, const char *kind, const char *const *keys,
                      int64_t most, smr_text *out)
{
    smr_json_doc *doc = NULL;
    if (smr_json_create(out->ctx, &doc) != SMR_OK) {
        out->failed = true;
        return;
    }
    smr_json *rows = smr_json_add_array(smr_json_root(doc), "rows");
    for (const smr_json *col = table->first; col; col = col->next) {
        if (strcmp(smr_json_get_string(col, "kind", ""), kind) != 0) continue;
        smr_json *row = smr_json_add_object(rows, NULL);
        for (int k = 0; keys[k]; k++) {
            const smr_json *v = smr_json_get(col, keys[k]);
            if (v) smr_json_add_copy(row, keys[k], v);
        }
        const smr_json *counts = smr_json_get(col, "counts");
        if (counts && counts->type == SMR_JSON_ARRAY) {
            smr_text line = {.ctx = out->ctx};
            int64_t k = 0;
            for (const smr_json *c = counts->first; c && k < SHOWN_LEVELS; c = c->next, k++)
                smr_text_printf(&line, "%s%s %lld", k ? ", " : "",
                                smr_json_get_string(c, "level", ""),
                                (long long)smr_json_get_number(c, "rows", 0));
            if (counts->n > SHOWN_LEVELS) smr_text_add(&line, ", ...");
            smr_json_add_string(row, "rows by level", line.bytes ? line.bytes : "");
            smr_text_release(&line);
        }
    }
    if (rows && rows->n) {
        smr_text_printf(out, "\n%s\n",
                        strcmp(kind, "number") == 0 ? "numbers"
                        : strcmp(kind, "date") == 0 ? "dates"
                                                    : "categories");
        smr_render_table(rows, 2, most, out);
    }
    if (smr_json_done(doc) != SMR_OK) out->failed = true;
    smr_json_free(doc);
}

static void show(const smr_json *root, int64_t most, smr_text *out)
{
    static const char *const numbers[] = {"name", "missing", "distinct", "mean", "sd", "min",
                                          "q1",   "median",  "q3",       "max",  NULL};
    static const char *const categories[] = {"name", "missing", "levels", NULL};
    static const char *const dates[] = {"name", "missing", "distinct", "first", "last", NULL};
    const smr_json *table = smr_json_get(root, "table"), *notes = smr_json_get(root, "read_as");
    smr_text_printf(out, "%s: %lld rows, %lld columns\n", smr_json_get_string(root, "data", ""),
                    (long long)smr_json_get_number(root, "rows", 0),
                    (long long)smr_json_get_number(root, "columns", 0));
    if (notes && notes->first) smr_render_pairs(notes, 2, out);
    const smr_json *sparse = smr_json_get(root, "sparse");
    if (sparse) {
        smr_text_add(out, "\nsparse features\n");
        smr_render_pairs(sparse, 2, out);
    }
    show_kind(table, "number", numbers, most, out);
    show_kind(table, "category", categories, most, out);
    show_kind(table, "text", categories, most, out);
    show_kind(table, "date", dates, most, out);
}

smr_status run_describe(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    smr_table *table = NULL;
    smr_summary *summary = NULL;
    smr_json_doc *doc = NULL;
    double began = smr_now();
    TRY(session_read(ctx, a, a->words[1], &table));
    double seconds = smr_now() - began;
    TRY(smr_table_summarize(ctx, table, &summary));
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    TRY(fill(ctx, a, table, summary, seconds, root));
    TRY(session_finish(ctx, a, root, show));
out:
    smr_json_free(doc);
    smr_summary_free(summary);
    smr_table_free(table);
    return st;
}
