/* cmd_explain.c -- samara explain: importance of columns, dependence on them, decision regions, the
 * way of a row through trees, Shapley values, rows that are alike, what layers make of a row. */
#include "commands.h"
#include "plots.h"
#include "report/render.h"
#include "session.h"
#include "study/explain.h"

#include <string.h>

static void show_importance(const smr_json *list, int64_t most, smr_text *out)
{
    for (const smr_json *entry = list->first; entry; entry = entry->next) {
        smr_text_printf(out, "\n%s: ", smr_json_get_string(entry, "measure", ""));
        smr_render_value(smr_json_get(entry, "unshuffled"), out);
        const smr_json *from = smr_json_get(entry, "drawn_from");
        if (from) {
            smr_text_add(out, " on ");
            smr_render_value(smr_json_get(entry, "rows"), out);
            smr_text_add(out, " rows, drawn from ");
            smr_render_value(from, out);
        }
        smr_text_add(out, "; how much worse when a column is shuffled\n");
        smr_render_table(smr_json_get(entry, "columns"), 2, most, out);
    }
}

static void show_dependence(const smr_json *list, int64_t most, smr_text *out)
{
    for (const smr_json *entry = list->first; entry; entry = entry->next) {
        const char *with = smr_json_get_string(entry, "with", NULL);
        smr_text_printf(out, "\nmean prediction by %s%s%s\n",
                        smr_json_get_string(entry, "column", ""), with ? " (x) and " : "",
                        with ? with : "");
        if (with) {
            out->length--; /* the pair's second column is called y */
            smr_text_add(out, " (y)\n");
        }
        smr_render_table(smr_json_get(entry, "points"), 2, most, out);
    }
}

static void show_regions(const smr_json *root, int64_t most, smr_text *out)
{
    const smr_json *shares = smr_json_get(root, "shares"), *others = smr_json_get(root, "others");
    smr_text_printf(out, "\n%s (x) and %s (y), %lld x %lld cells\n",
                    smr_json_get_string(root, "x", ""), smr_json_get_string(root, "y", ""),
                    (long long)smr_json_get_number(root, "cells_x", 0),
                    (long long)smr_json_get_number(root, "cells_y", 0));
    if (shares) smr_render_table(shares, 2, most, out);
    if (!shares) {
        smr_text_add(out, "  predictions from ");
        smr_render_value(smr_json_get(root, "least"), out);
        smr_text_add(out, " to ");
        smr_render_value(smr_json_get(root, "largest"), out);
        smr_text_add(out, "\n");
    }
    if (others && others->n) {
        smr_text_add(out, "\nall other columns at\n");
        smr_render_table(others, 2, most, out);
    }
}

/* Base, columns and score of one row. */
static void show_shapley_row(const smr_json *root, smr_text *out)
{
    for (const smr_json *entry = smr_json_get(root, "shapley")->first; entry; entry = entry->next) {
        const char *unit = smr_json_get_string(entry, "unit", NULL);
        const smr_json *others = smr_json_get(entry, "other_columns_add");
        smr_text_printf(out, "\nrow %lld, %s%s%s: ", (long long)smr_json_get_number(root, "row", 0),
                        smr_json_get_string(entry, "score", ""), unit ? ", " : "",
                        unit ? unit : "");
        smr_render_value(smr_json_get(entry, "total"), out);
        smr_text_add(out, "; ");
        smr_render_value(smr_json_get(entry, "base"), out);
        smr_text_add(out, " before any column is known, and what each adds\n");
        smr_render_table(smr_json_get(entry, "columns"), 2, 0, out);
        if (others) {
            smr_text_add(out, "  the other columns add ");
            smr_render_value(others, out);
            smr_text_add(out, "\n");
        }
    }
}

/* The table of columns is whole, however many rows are shown. */
static void show_shapley(const smr_json *list, int64_t most, smr_text *out)
{
    for (const smr_json *entry = list->first; entry; entry = entry->next) {
        const char *unit = smr_json_get_string(entry, "unit", NULL);
        smr_text_printf(out, "\n%s%s%s: ", smr_json_get_string(entry, "score", ""),
                        unit ? ", " : "", unit ? unit : "");
        smr_render_value(smr_json_get(entry, "base"), out);
        smr_text_add(out, " before any column is known; what each adds, over all rows\n");
        smr_render_table(smr_json_get(entry, "columns"), 2, 0, out);
        smr_text_add(out, "\nand row by row\n");
        smr_render_table(smr_json_get(entry, "rows"), 2, most, out);
    }
}

static void show_pair(const char *name, const smr_json *value, smr_text *out)
{
    if (!value) return;
    smr_text_printf(out, "%s ", name);
    smr_render_value(value, out);
    smr_text_add(out, "\n");
}

/* A list of objects as a table, without one of their members. */
static void show_table_without(const smr_json *list, const char *key, int64_t most, smr_text *out)
{
    smr_json_doc *doc = NULL;
    smr_json *rows = NULL;
    if (smr_json_create(out->ctx, &doc) == SMR_OK)
        rows = smr_json_add_array(smr_json_root(doc), "rows");
    for (const smr_json *one = list ? list->first : NULL; one; one = one->next) {
        smr_json *row = smr_json_add_object(rows, NULL);
        for (const smr_json *m = one->first; m; m = m->next)
            if (strcmp(m->key, key) != 0) smr_json_add_copy(row, m->key, m);
    }
    if (doc && smr_json_done(doc) == SMR_OK)
        smr_render_table(rows, 2, most, out);
    else
        out->failed = true;
    smr_json_free(doc);
}

/* The questions of one tree, and what they led to. */
static void show_path(const smr_json *path, int64_t most, smr_text *out)
{
    const smr_json *of = smr_json_get(path, "share_of"), *classes = smr_json_get(path, "classes");
    const smr_json *score = smr_json_get(path, "score_of");
    smr_text_printf(out, "\ntree %lld", (long long)smr_json_get_number(path, "tree", 0));
    if (of || score) {
        smr_text_add(out, of ? ": share of " : ": adds to the score of ");
        smr_render_value(of ? of : score, out);
    }
    smr_text_add(out, "\n");
    if (smr_json_get(path, "steps")->n > 0)
        show_table_without(smr_json_get(path, "steps"), "feature", most, out);
    smr_text_add(out, "leaf: ");
    smr_render_value(smr_json_get(path, "then"), out);
    smr_text_add(out, ", ");
    smr_render_value(smr_json_get(path, "rows"), out);
    smr_text_add(out, " rows\n");
    if (classes) smr_render_table(classes, 2, most, out);
    if (smr_json_get(path, "note"))
        smr_text_printf(out, "%s\n", smr_json_get_string(path, "note", ""));
}

/* Rows that come to the same leaves: the rows nearest to one, or how odd each of all rows is. */
static void show_proximity(const smr_json *root, int64_t most, smr_text *out)
{
    const smr_json *all = smr_json_get(root, "proximity");
    smr_render_count(root, "rows", "row", out);
    smr_text_add(out, " in ");
    smr_render_count(root, "trees", "tree", out);
    smr_text_printf(out, "; classes and values %s\n", smr_json_get_string(root, "answers", ""));
    if (all) {
        smr_text_add(out, "\nthe oddest rows, and the one nearest to each\n");
        show_table_without(all, "nearest", most, out);
        return;
    }
    smr_text_printf(out, "\nnearest to row %lld (", (long long)smr_json_get_number(root, "row", 0));
    const smr_json *says = smr_json_get(root, "class");
    smr_render_value(says ? says : smr_json_get(root, "value"), out);
    smr_text_add(out, "): share of the trees in which both come to one leaf\n");
    smr_render_table(smr_json_get(root, "nearest"), 2, most, out);
}

/* What all trees asked, and how far it moved the score. */
static void show_paths(const smr_json *paths, int64_t most, smr_text *out)
{
    smr_text_add(out, "\n");
    smr_render_count(paths, "questions", "question", out);
    smr_text_add(out, " of ");
    smr_render_count(paths, "trees", "tree", out);
    smr_text_add(out, "\n");
    show_pair("score of", smr_json_get(paths, "score_of"), out);
    show_pair("unit", smr_json_get(paths, "unit"), out);
    show_pair("start", smr_json_get(paths, "start"), out);
    show_table_without(smr_json_get(paths, "contributions"), "of_all", most, out);
    show_pair("score", smr_json_get(paths, "score"), out);
}

static void show(const smr_json *root, int64_t most, smr_text *out)
{
    const smr_json *path = smr_json_get(root, "path"), *paths = smr_json_get(root, "paths");
    const smr_json *importance = smr_json_get(root, "importance");
    const smr_json *dependence = smr_json_get(root, "dependence");
    const smr_json *shapley = smr_json_get(root, "shapley");
    smr_text_printf(out, "%s, %s: %s\n", smr_json_get_string(root, "model", ""),
                    smr_json_get_string(root, "data", ""), smr_json_get_string(root, "what", ""));
    if (path || paths || smr_json_get(root, "layers")) {
        smr_text_printf(out, "row %lld: predicted ",
                        (long long)smr_json_get_number(root, "row", 0));
        smr_render_value(smr_json_get(root, "predicted"), out);
        const char *fitted = smr_json_get_string(root, "fitted_to", NULL);
        if (fitted) smr_text_printf(out, "; fitted to %s, in whose unit trees answer", fitted);
        smr_text_add(out, "\n");
    }
    if (smr_json_get(root, "layers")) {
        smr_text_add(out,
                     "\nwhat each layer gives; zeros: share of its numbers that are 0, dead: maps "
                     "or units that are 0 all over\n");
        smr_render_table(smr_json_get(root, "layers"), 2, most, out);
    }
    if (path) show_path(path, most, out);
    if (paths) show_paths(paths, most, out);
    if (importance) show_importance(importance, most, out);
    if (smr_json_get(root, "answers")) show_proximity(root, most, out);
    if (shapley && smr_json_get(root, "row"))
        show_shapley_row(root, out);
    else if (shapley)
        show_shapley(shapley, most, out);
    if (dependence) show_dependence(dependence, most, out);
    if (smr_json_get(root, "cells_x")) show_regions(root, most, out);
}

static smr_status report(smr_ctx *ctx, const args *a, const smr_model *model,
                         const smr_table *table)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    smr_explain_opts how = {.size = sizeof how,
                            .columns = a->columns,
                            .measure = a->measure,
                            .positive = a->positive,
                            .weight = a->weight,
                            .repeats = SMR_MAX(0, a->repeats),
                            .grid = SMR_MAX(0, a->grid),
                            .single_rows = SMR_MAX(0, a->ice),
                            .most_rows = SMR_MAX(0, a->use_rows),
                            .row = SMR_MAX(0, a->row),
                            .nearest = SMR_MAX(0, a->nearest),
                            .tree = a->tree + 1,
                            .layer = a->layer};
    char *json = NULL;
    double began = smr_now();
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "explain");
    smr_json_add_string(root, "what", a->words[1]);
    smr_json_add_string(root, "model", a->words[2]);
    smr_json_add_string(root, "data", a->words[3]);
    smr_json_add_string(root, "task", smr_task_name(smr_model_task(model)));
    TRY(smr_explain(ctx, a->words[1], model, table, &how, &json));
    TRY(session_add_result(ctx, json, root));
    smr_json_add_number(root, "seed", (double)smr_ctx_seed(ctx));
    smr_json_add_number(root, "seconds", smr_now() - began);
    session_add_warnings(root);
    TRY(session_finish(ctx, a, root, show));
out:
    smr_json_free(doc);
    return st;
}

/* An option that the view does not read, or a number that asks for nothing, is an error. */
static smr_status check_options(smr_ctx *ctx, const args *a)
{
    const char *what = a->words[1];
    bool importance = strcmp(what, "importance") == 0, dependence = strcmp(what, "dependence") == 0;
    bool path = strcmp(what, "path") == 0;
    bool shapley = strcmp(what, "shapley") == 0, proximity = strcmp(what, "proximity") == 0;
    bool regions = strcmp(what, "regions") == 0, maps = strcmp(what, "maps") == 0;
    const struct {
        const char *name;
        bool given, read, zero;
    } options[] = {
        {"repeats", a->repeats >= 0, importance, a->repeats == 0},
        {"measure", a->measure != NULL, importance, false},
        {"positive", a->positive != NULL, importance || dependence || shapley, false},
        {"ice", a->ice >= 0, dependence, false},
        {"grid", a->grid >= 0, dependence || regions, a->grid == 0},
        {"use-rows", a->use_rows >= 0, !path && !regions && !maps, a->use_rows == 0},
        {"weight", a->weight != NULL, importance || dependence || shapley, false},
        {"columns", a->columns != NULL, !path && !proximity && !maps, false},
        {"row", a->row >= 0, path || proximity || shapley || maps, a->row == 0},
        {"nearest", a->nearest >= 0, proximity, a->nearest == 0},
        {"tree", a->tree >= 0, path, false},
        {"layer", a->layer != NULL, maps, false},
    };
    for (int64_t i = 0; i < SMR_COUNT(options); i++) {
        if (options[i].given && !options[i].read)
            return smr_fail(ctx, SMR_ERR_PARAM, "explain %s does not take --%s", what,
                            options[i].name);
        if (options[i].zero)
            return smr_fail(ctx, SMR_ERR_PARAM, "--%s: at least 1", options[i].name);
    }
    if (shapley && a->row >= 0 && a->use_rows >= 0)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--row and --use-rows exclude each other: one row is "
                        "explained, or a sample");
    return SMR_OK;
}

/* A curve for each column, unless one is asked for or two that make a plane; a chart for each
 * measure. */
static bool draws_several(const args *a, const smr_model *model)
{
    int64_t n = 1;
    for (const char *at = a->columns; at && *at; at++) n += *at == ',';
    if (strcmp(a->words[1], "importance") == 0) return a->measure && strchr(a->measure, ',');
    if (strcmp(a->words[1], "dependence") != 0) return false;
    return a->columns ? n > 2 : smr_model_n_inputs(model) > 1;
}

smr_status run_explain(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    smr_model *model = NULL;
    smr_table *table = NULL;
    TRY(smr_explain_check(ctx, a->words[1]));
    TRY(check_options(ctx, a));
    TRY(smr_model_load(ctx, a->words[2], &model));
    if (draws_several(a, model)) TRY(plots_check_stem(ctx, a, a->words[1]));
    TRY(session_read_for(ctx, a, model, a->words[3], &table));
    TRY(report(ctx, a, model, table));
out:
    smr_table_free(table);
    smr_model_free(model);
    return st;
}
