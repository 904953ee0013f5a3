/* cmd_curve.c -- samara curve: error against rows, a parameter, iterations, rounds or a threshold,
 * clusters against their number. */
#include "commands.h"
#include "core/number.h"
#include "folding.h"
#include "report/render.h"
#include "session.h"
#include "study/curve.h"
#include "training.h"

#include <string.h>

/* ---- showing ---------------------------------------------------------------------------- */

static void show_best(const smr_json *best, smr_text *out)
{
    for (const smr_json *b = best->first; b; b = b->next) {
        smr_text_printf(out, "largest %s ", b->key);
        smr_render_value(smr_json_get(b, b->key), out);
        smr_text_add(out, " at the threshold ");
        smr_render_value(smr_json_get(b, "threshold"), out);
        smr_text_add(out, "\n");
    }
}

/* Some of many rounds, and the last. */
static void show_rounds(const smr_json *root, int64_t most, smr_text *out)
{
    const smr_json *points = smr_json_get(root, "points"), *best = smr_json_get(root, "best");
    smr_json_doc *doc = NULL;
    smr_status st = smr_json_create(out->ctx, &doc);
    smr_json *some = doc ? smr_json_add_array(smr_json_root(doc), "points") : NULL;
    for (const smr_json *row = points->first; row && some; row = row->next) {
        int64_t round = (int64_t)smr_json_get_number(row, "rounds", 0);
        if (!row->next || smr_is_round_number(round)) smr_json_add_copy(some, NULL, row);
    }
    if (st == SMR_OK) st = smr_json_done(doc);
    if (st == SMR_OK)
        smr_render_table(some, 2, most, out);
    else
        out->failed = true;
    smr_json_free(doc);
    smr_text_printf(out, "best %s ", smr_json_get_string(root, "measure", ""));
    smr_render_value(best->last, out);
    smr_text_printf(out, " after %lld of ", (long long)smr_json_get_number(best, "rounds", 0));
    smr_render_count(root, "n_rounds", "round", out);
    smr_text_add(out, "\n");
}

static void show(const smr_json *root, int64_t most, smr_text *out)
{
    bool rounds = strcmp(smr_json_get_string(root, "what", ""), "rounds") == 0;
    const char *measure = smr_json_get_string(root, "measure", NULL);
    const char *positive = smr_json_get_string(root, "positive", NULL);
    const char *data = smr_json_get_string(root, "data", NULL);
    const smr_json *reading = smr_json_get(root, "reading"), *best = smr_json_get(root, "best");
    smr_text_printf(out, "%s curve of %s%s%s", smr_json_get_string(root, "what", ""),
                    smr_json_get_string(root, "spec", smr_json_get_string(root, "model", "")),
                    data ? " on " : "", data ? data : "");
    if (measure) smr_text_printf(out, ", %s", measure);
    if (positive) smr_text_printf(out, ", class %s against the rest", positive);
    smr_text_add(out, "\n");
    if (smr_json_get(root, "rounds")) folding_show(root, out);
    if (rounds)
        show_rounds(root, most, out);
    else
        smr_render_table(smr_json_get(root, "points"), 2, most, out);
    if (positive) show_best(best, out);
    if (reading) smr_text_printf(out, "%s\n", smr_json_get_string(reading, "text", ""));
}

/* ---- where it comes from ---------------------------------------------------------------- */

/* The words after the kind of curve, moved to where the other commands have theirs. */
static args words_after_kind(const args *a)
{
    args b = *a;
    b.n_words--;
    for (int i = 1; i < b.n_words; i++) b.words[i] = a->words[i + 1];
    return b;
}

static bool needs_model(const char *kind, const args *b)
{
    if (strcmp(kind, "training") == 0) return b->n_words == 2;
    bool either = strcmp(kind, "threshold") == 0 || strcmp(kind, "rounds") == 0;
    return either && b->n_words == 3 && session_is_file(b->words[1]) &&
           session_is_file(b->words[2]);
}

/* Options of the command that are given. */
struct wish {
    const char *name;
    bool given;
};

static smr_status refuse(smr_ctx *ctx, const char *kind, const char *why, const struct wish *list,
                         int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (list[i].given)
            return smr_fail(ctx, SMR_ERR_PARAM, "%s %s curve does not take --%s: %s",
                            smr_article(kind), kind, list[i].name, why);
    return SMR_OK;
}

/* What the kind of curve does not read. */
static smr_status check_kind(smr_ctx *ctx, const char *kind, const args *a)
{
    smr_status st = SMR_OK;
    const struct wish sizes = {"sizes", a->sizes != NULL}, over = {"over", a->over != NULL};
    const struct wish folds[] = {
        {"folds", a->folds >= 0},          {"repeats", a->repeats >= 0},
        {"ordered", a->ordered},           {"leave-one-out", a->leave_one_out},
        {"order-by", a->order_by != NULL}, {"strata", a->strata != NULL},
        {"measure", a->measure != NULL},   {"positive", a->positive != NULL}};
    const struct wish measure = {"measure", a->measure != NULL};
    if (strcmp(kind, "learning") != 0)
        TRY(refuse(ctx, kind, "a learning curve has sizes", &sizes, 1));
    if (strcmp(kind, "validation") != 0 && strcmp(kind, "elbow") != 0)
        TRY(refuse(ctx, kind, "a validation or elbow curve varies a parameter", &over, 1));
    if (strcmp(kind, "elbow") == 0)
        TRY(refuse(ctx, kind, "it shows the objectives of fits on all rows", folds,
                   SMR_COUNT(folds)));
    if (strcmp(kind, "training") == 0)
        TRY(refuse(ctx, kind, "it shows the objective of one fit on all rows", folds,
                   SMR_COUNT(folds)));
    if (strcmp(kind, "threshold") == 0)
        TRY(refuse(ctx, kind, "it shows every rate there is", &measure, 1));
out:
    return st;
}

/* What a fitted model settles, and without rows what is about rows. */
static smr_status check_model(smr_ctx *ctx, const char *kind, const args *a, bool rows)
{
    smr_status st = SMR_OK;
    const struct wish settled[] = {
        {"target", a->target != NULL},     {"task", a->task != NULL},
        {"group", a->group != NULL},       {"sequence", a->sequence != NULL},
        {"user", a->user != NULL},         {"time-column", a->time_column != NULL},
        {"item", a->item != NULL},         {"ignore", a->ignore != NULL},
        {"folds", a->folds >= 0},          {"repeats", a->repeats >= 0},
        {"ordered", a->ordered},           {"leave-one-out", a->leave_one_out},
        {"order-by", a->order_by != NULL}, {"strata", a->strata != NULL}};
    const struct wish about_rows[] = {{"weight", a->weight != NULL},
                                      {"positive", a->positive != NULL}};
    const char *of_file = cli_file_option(a);
    const struct wish file = {of_file, of_file != NULL};
    const struct wish positive = {"positive", a->positive != NULL};
    TRY(refuse(ctx, kind, "the model is fitted, and knows its columns", settled,
               SMR_COUNT(settled)));
    if (!rows) TRY(refuse(ctx, kind, "it needs no rows", about_rows, SMR_COUNT(about_rows)));
    if (!rows) TRY(refuse(ctx, kind, "it needs no rows", &file, 1));
    if (strcmp(kind, "rounds") == 0) TRY(refuse(ctx, kind, "the model has its own", &positive, 1));
out:
    return st;
}

static smr_status of_model(smr_ctx *ctx, const char *kind, const args *b, smr_json *root)
{
    smr_status st = SMR_OK;
    smr_model *model = NULL;
    smr_table *table = NULL;
    smr_model_curve_opts how = {
        .size = sizeof how, .weight = b->weight, .measure = b->measure, .positive = b->positive};
    char *json = NULL;
    bool rows = strcmp(kind, "training") != 0;
    TRY(check_model(ctx, kind, b, rows));
    TRY(smr_model_load(ctx, b->words[1], &model));
    smr_json_add_string(root, "model", b->words[1]);
    if (rows) smr_json_add_string(root, "data", b->words[2]);
    if (rows) TRY(session_read_for(ctx, b, model, b->words[2], &table));
    TRY(smr_model_curve(ctx, kind, model, table, &how, &json));
    TRY(session_add_result(ctx, json, root));
out:
    smr_table_free(table);
    smr_model_free(model);
    return st;
}

static smr_status of_sentence(smr_ctx *ctx, const char *kind, const args *b,
                              const smr_curve_opts *opts, smr_json *root)
{
    smr_status st = SMR_OK;
    training_input in = {0};
    smr_train_opts how;
    char *json = NULL;
    if (b->n_words < 3)
        return smr_fail(ctx, SMR_ERR_PARAM, "%s %s curve needs SPEC and DATA", smr_article(kind),
                        kind);
    training_words(b, &in);
    smr_json_add_string(root, "spec", in.sentence);
    smr_json_add_string(root, "data", in.path);
    TRY(training_read(ctx, b, &in, &how));
    TRY(smr_curve(ctx, kind, in.sentence, in.table, &how, opts, &json));
    TRY(session_add_result(ctx, json, root));
out:
    training_close(&in);
    return st;
}

smr_status run_curve(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    smr_fold_opts folds;
    smr_curve_opts opts = {
        .size = sizeof opts, .folds = &folds, .sizes = a->sizes, .over = a->over};
    const char *kind = a->words[1];
    args b = words_after_kind(a);
    TRY(smr_curve_check(ctx, kind));
    TRY(check_kind(ctx, kind, a));
    TRY(folding_ask(ctx, a, &folds));
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    double began = smr_now();
    smr_json_add_string(root, "command", "curve");
    smr_json_add_string(root, "what", kind);
    TRY(needs_model(kind, &b) ? of_model(ctx, kind, &b, root)
                              : of_sentence(ctx, kind, &b, &opts, root));
    smr_json_add_number(root, "seed", (double)smr_ctx_seed(ctx));
    smr_json_add_number(root, "seconds", smr_now() - began);
    session_add_warnings(root);
    TRY(session_finish(ctx, a, root, show));
out:
    smr_json_free(doc);
    return st;
}
