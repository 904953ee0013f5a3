/* cmd_compare.c -- samara compare: a league table of models on the same folds.
 *
 * The work is smr_compare's.  Among the words the first that names a file is the data, the
 * others are models. */
#include "commands.h"
#include "folding.h"
#include "report/render.h"
#include "session.h"
#include "study/compare.h"
#include "training.h"

#include <math.h>
#include <string.h>

/* Splits the words; a wrong sentence is reported before the file is read. */
static smr_status sort_words(smr_ctx *ctx, const args *a, const char **path,
                             const char *models[MAX_WORDS], int64_t *n)
{
    int data = 1;
    smr_status st = SMR_OK;
    for (int i = a->n_words - 1; i >= 1; i--)
        if (session_is_file(a->words[i])) data = i;
    *path = a->words[data];
    *n = 0;
    for (int i = 1; i < a->n_words; i++)
        if (i != data) models[(*n)++] = a->words[i];
    if (*n == 0 && !a->all)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "compare needs models: samara compare %s --target COL \"knn 5\" ridge, or "
                        "--all",
                        *path);
    for (int64_t i = 0; i < *n; i++) TRY(smr_sentence_check(ctx, models[i]));
out:
    return st;
}

/* Milliseconds to three digits: no time is known better than that. */
static double as_ms(double seconds)
{
    if (!(seconds > 0)) return seconds;
    double unit = 1e-9; /* of a second, grown until three digits are left before it */
    while (seconds / unit >= 1000) unit *= 10;
    return floor(seconds / unit + 0.5) * unit * 1e3;
}

static void show_league(const smr_json *root, int64_t most, smr_text *out)
{
    static const char *const columns[] = {"rank", "model",  "mean",    "low",
                                          "high", "behind", "verdict", "wins"};
    const char *measure = smr_json_get_string(root, "measure", "");
    smr_json_doc *doc = NULL;
    if (smr_json_create(out->ctx, &doc) != SMR_OK) {
        out->failed = true;
        return;
    }
    smr_json *rows = smr_json_add_array(smr_json_root(doc), "rows");
    for (const smr_json *c = smr_json_get(root, "league")->first; c; c = c->next) {
        smr_json *row = smr_json_add_object(rows, NULL);
        for (int64_t k = 0; k < SMR_COUNT(columns); k++)
            smr_json_add_copy(row, strcmp(columns[k], "mean") == 0 ? measure : columns[k],
                              smr_json_get(c, columns[k]));
        smr_json_add_number(row, "fit ms", as_ms(smr_json_get_number(c, "fit_seconds", NAN)));
        smr_json_add_number(row, "predict ms",
                            as_ms(smr_json_get_number(c, "predict_seconds", NAN)));
    }
    if (smr_json_done(doc) != SMR_OK) out->failed = true;
    smr_render_table(rows, 2, most, out);
    smr_json_free(doc);
}

/* The models that cannot be told from the best. */
static void show_outcome(const smr_json *root, smr_text *out)
{
    int64_t n = 0;
    smr_text_printf(out, "best      %s", smr_json_get_string(root, "best", ""));
    for (const smr_json *c = smr_json_get(root, "league")->first; c; c = c->next) {
        const char *verdict = smr_json_get_string(c, "verdict", "");
        if (strcmp(verdict, "within noise") != 0 && strcmp(verdict, "same") != 0) continue;
        smr_text_printf(out, "%s%s", n++ ? ", " : "; not clearly better than: ",
                        smr_json_get_string(c, "model", ""));
    }
    smr_text_add(out, "\n");
}

static void show(const smr_json *root, int64_t most, smr_text *out)
{
    folding_data(root, out);
    folding_show(root, out);
    smr_text_printf(out, "decided   by %s, %s is better\n",
                    smr_json_get_string(root, "measure", ""),
                    smr_json_get_string(root, "better", ""));
    show_league(root, most, out);
    const smr_json *failed = smr_json_get(root, "failed");
    for (const smr_json *f = failed->first; f; f = f->next)
        smr_text_printf(out, "failed    %s: %s\n", smr_json_get_string(f, "model", ""),
                        smr_json_get_string(f, "message", ""));
    for (const smr_json *c = smr_json_get(root, "league")->first; c; c = c->next)
        if (smr_json_get(c, "fitted"))
            smr_text_printf(out, "as fitted %s: %s\n", smr_json_get_string(c, "model", ""),
                            smr_json_get_string(c, "fitted", ""));
    show_outcome(root, out);
    smr_text_add(out, "low and high: the mean's interval at ");
    smr_text_rounded(out, 100 * smr_json_get_number(root, "confidence", 0), 4);
    smr_text_add(out, " %; behind: how much worse than the best; fit, predict: per round\n");
}

smr_status run_compare(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    const char *path = NULL, *models[MAX_WORDS];
    int64_t n = 0;
    smr_train_opts how;
    smr_fold_opts folds;
    char *json = NULL;
    smr_table *table = NULL;
    smr_json_doc *doc = NULL;
    TRY(folding_ask(ctx, a, &folds));
    folds.all_learners = a->all;
    TRY(sort_words(ctx, a, &path, models, &n));
    TRY(training_how(ctx, a, &how));
    double began = smr_now();
    TRY(session_read(ctx, a, path, &table));
    double read = smr_now() - began;
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "compare");
    smr_json_add_string(root, "data", path);
    TRY(smr_compare(ctx, models, n, table, &how, &folds, &json));
    TRY(session_add_result(ctx, json, root));
    smr_json_add_number(root, "read_seconds", read);
    smr_json_add_number(root, "threads", smr_ctx_threads(ctx));
    smr_json_add_number(root, "peak_memory_bytes", session_peak_memory(ctx));
    session_add_warnings(root);
    TRY(session_finish(ctx, a, root, show));
out:
    smr_json_free(doc);
    smr_table_free(table);
    return st;
}
