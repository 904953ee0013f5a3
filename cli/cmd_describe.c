/* cmd_describe.c -- samara describe: what a file holds, before anything is learned from it. */
#include "commands.h"
#include "plots.h"
#include "report/render.h"
#include "session.h"
#include "study/describe.h"
#include "training.h"

#include <math.h>
#include <string.h>

enum { SHOWN_LEVELS = 8, SHOWN_PAIRS = 5 };

static const double WORTH_A_LINE = 0.5; /* a correlation below this says little */

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

/* The members `keys` of each row as a table. */
static void show_rows(const smr_json *list, const char *const *keys, int64_t most, smr_text *out)
{
    smr_json_doc *doc = NULL;
    if (smr_json_create(out->ctx, &doc) != SMR_OK) {
        out->failed = true;
        return;
    }
    smr_json *rows = smr_json_add_array(smr_json_root(doc), "rows");
    for (const smr_json *from = list->first; from; from = from->next) {
        smr_json *row = smr_json_add_object(rows, NULL);
        for (int k = 0; keys[k]; k++) {
            const smr_json *v = smr_json_get(from, keys[k]);
            if (v) smr_json_add_copy(row, keys[k], v);
        }
    }
    if (smr_json_done(doc) == SMR_OK)
        smr_render_table(rows, 2, most, out);
    else
        out->failed = true;
    smr_json_free(doc);
}

static void show_relevance(const smr_json *root, int64_t most, smr_text *out)
{
    static const char *const classes[] = {"name",       "kind",      "strength", "gain",
                                          "gain_ratio", "split",     "f",        "chi2",
                                          "p",          "cramers_v", NULL};
    static const char *const numbers[] = {
        "name",       "kind", "strength", "mutual_information", "pearson", "spearman",
        "spearman_p", "f",    "p",        "correlation_ratio",  NULL};
    const smr_json *target = smr_json_get(root, "target"), *list = smr_json_get(root, "relevance");
    if (!target) return;
    bool classify = strcmp(smr_json_get_string(target, "task", ""), "classify") == 0;
    smr_text_printf(out, "\nwhat each column alone tells about %s (%s, entropy ",
                    smr_json_get_string(target, "name", ""),
                    classify ? "classes" : "a number in ten bins");
    smr_text_rounded(out, smr_json_get_number(target, "entropy", 0), 6);
    smr_text_add(out, " bits)\n");
    show_rows(list, classify ? classes : numbers, most, out);
}

static void show_correlations(const smr_json *root, smr_text *out)
{
    static const char *const keys[] = {"a", "b", "pearson", NULL};
    const smr_json *list = smr_json_get(root, "correlations");
    const smr_json *first = list ? list->first : NULL;
    if (!first || fabs(smr_json_get_number(first, "pearson", 0)) < WORTH_A_LINE) return;
    smr_text_add(out, "\nstrongest correlations\n");
    show_rows(list, keys, SHOWN_PAIRS, out);
}

static void show(const smr_json *root, int64_t most, smr_text *out)
{
    static const char *const numbers[] = {"name", "missing", "distinct", "mean", "sd", "min",
                                          "q1",   "median",  "q3",       "max",  NULL};
    static const char *const categories[] = {"name", "missing", "levels", NULL};
    static const char *const dates[] = {"name", "missing", "distinct", "first", "last", NULL};
    const smr_json *table = smr_json_get(root, "table"), *notes = smr_json_get(root, "read_as");
    smr_text_printf(out, "%s: ", smr_json_get_string(root, "data", ""));
    smr_render_count(root, "rows", "row", out);
    smr_text_add(out, ", ");
    smr_render_count(root, "columns", "column", out);
    smr_text_add(out, "\n");
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
    show_relevance(root, most, out);
    show_correlations(root, out);
}

smr_status run_describe(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    smr_table *table = NULL;
    smr_json_doc *doc = NULL;
    smr_describe_opts opts = {.size = sizeof opts,
                              .target = a->target,
                              .weight = a->weight,
                              .ignore = a->ignore,
                              .figures = true};
    char *json = NULL;
    TRY(training_task(ctx, a->task, &opts.task));
    if (a->task && !a->target)
        return smr_fail(ctx, SMR_ERR_PARAM, "--task says how to take --target, which is not given");
    double began = smr_now();
    TRY(session_read(ctx, a, a->words[1], &table));
    TRY(plots_check_columns(ctx, a, table));
    double seconds = smr_now() - began;
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "describe");
    smr_json_add_string(root, "data", a->words[1]);
    smr_json_add_number(root, "read_seconds", seconds);
    TRY(smr_describe(ctx, table, &opts, &json));
    TRY(session_add_result(ctx, json, root));
    session_add_warnings(root);
    TRY(session_finish_in(ctx, a, root, show, a->output));
out:
    smr_json_free(doc);
    smr_table_free(table);
    return st;
}
