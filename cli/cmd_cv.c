/* cmd_cv.c -- samara cv: measures of a sentence on rows that its fits did not see, with their
 * spread.
 *
 * The work is smr_cross_predict's; this file reads what was asked for, and shows the result. */
#include "commands.h"
#include "folding.h"
#include "judged.h"
#include "plots.h"
#include "report/render.h"
#include "session.h"
#include "study/cv_report.h"
#include "study/judge.h"
#include "training.h"

/* One row per measure; the number of rounds only where some are undefined. */
static void show_measures(const smr_json *root, int64_t most, smr_text *out)
{
    static const char *const columns[] = {"mean", "sd", "low", "high", "pooled"};
    smr_json_doc *doc = NULL;
    double n_rounds = smr_json_get_number(root, "rounds", 0);
    bool gaps = false;
    if (smr_json_create(out->ctx, &doc) != SMR_OK) {
        out->failed = true;
        return;
    }
    smr_json *rows = smr_json_add_array(smr_json_root(doc), "rows");
    const smr_json *measures = smr_json_get(root, "measures");
    for (const smr_json *m = measures->first; m; m = m->next)
        gaps |= smr_json_get_number(m, "rounds", 0) < n_rounds;
    for (const smr_json *m = measures->first; m; m = m->next) {
        smr_json *row = smr_json_add_object(rows, NULL);
        smr_json_add_string(row, "measure", m->key);
        for (int64_t c = 0; c < SMR_COUNT(columns); c++)
            smr_json_add_copy(row, columns[c], smr_json_get(m, columns[c]));
        if (gaps) smr_json_add_copy(row, "rounds", smr_json_get(m, "rounds"));
    }
    if (smr_json_done(doc) != SMR_OK) out->failed = true;
    smr_render_table(rows, 2, most, out);
    smr_json_free(doc);
}

static void show(const smr_json *root, int64_t most, smr_text *out)
{
    const char *fitted = smr_json_get_string(root, "fitted", NULL);
    smr_text_printf(out, "model     %s\n", smr_json_get_string(root, "spec", ""));
    if (fitted) smr_text_printf(out, "as fitted %s\n", fitted);
    folding_data(root, out);
    folding_show(root, out);
    smr_text_add(out, "fitted    ");
    smr_text_rounded(out, smr_json_get_number(root, "fit_seconds", 0), 3);
    smr_text_add(out, " s, predicted ");
    smr_text_rounded(out, smr_json_get_number(root, "predict_seconds", 0), 3);
    smr_text_add(out, " s, all rounds together\n");
    show_measures(root, most, out);
    judged_baseline(root, out);
    smr_text_add(out, "low and high: the mean's interval at ");
    smr_text_rounded(out, 100 * smr_json_get_number(root, "confidence", 0), 4);
    smr_task task = SMR_TASK_NONE;
    (void)smr_task_find(smr_json_get_string(root, "task", "none"), &task);
    smr_text_printf(out, " %%; pooled: %s\n",
                    smr_judge_joins(task) ? "of all predictions together"
                                          : "the rounds' mean, weighted by their rows");
    const char *file = smr_json_get_string(root, "output", NULL);
    if (file) smr_text_printf(out, "saved     %s, the predictions of the rounds\n", file);
}

static smr_status tell(smr_ctx *ctx, const args *a, const training_input *in, smr_json_doc *doc)
{
    smr_json *root = smr_json_root(doc);
    smr_json_add_number(root, "read_seconds", in->read_seconds);
    smr_json_add_number(root, "threads", smr_ctx_threads(ctx));
    smr_json_add_number(root, "peak_memory_bytes", session_peak_memory(ctx));
    if (a->output)
        smr_json_add_string(root, "output", a->output);
    else
        smr_json_add_null(root, "output");
    session_add_warnings(root);
    return session_finish(ctx, a, root, show);
}

/* The target says which figures there are.  What making the set warns of is heard when the
 * cross-validation makes its own. */
static smr_status check_plots(smr_ctx *ctx, const args *a, training_input *in)
{
    smr_status st = SMR_OK;
    smr_set_opts how;
    smr_log_fn log = ctx->log;
    ctx->log = NULL;
    TRY(training_parse(ctx, in));
    TRY(training_opts(ctx, a, &how));
    TRY(smr_train_set_create(ctx, in->table, in->spec, &how, &in->set));
    TRY(plots_check_target(ctx, a, &in->set->target));
out:
    ctx->log = log;
    smr_train_set_free(in->set);
    in->set = NULL;
    return st;
}

smr_status run_cv(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    training_input in = {0};
    smr_train_opts how;
    smr_fold_opts folds;
    char *json = NULL;
    smr_json_doc *doc = NULL;
    smr_table *oof = NULL;
    training_words(a, &in);
    TRY(folding_ask(ctx, a, &folds));
    TRY(training_read(ctx, a, &in, &how));
    if (a->n_plots > 0) TRY(check_plots(ctx, a, &in));
    TRY(smr_json_create(ctx, &doc));
    smr_json_add_string(smr_json_root(doc), "command", "cv");
    smr_json_add_string(smr_json_root(doc), "data", in.path);
    TRY(smr_cross_predict(ctx, in.sentence, in.table, &how, &folds, a->output ? &oof : NULL,
                          &json));
    TRY(session_add_result(ctx, json, smr_json_root(doc)));
    if (oof) TRY(smr_table_save(ctx, oof, a->output));
    TRY(tell(ctx, a, &in, doc));
out:
    smr_table_free(oof);
    smr_json_free(doc);
    training_close(&in);
    return st;
}
