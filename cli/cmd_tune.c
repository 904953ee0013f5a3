/* cmd_tune.c -- samara tune: the parameters that predict best, and how far to trust them.
 *
 * The work is smr_tune's; this file reads what was asked for, and shows the result. */
#include "commands.h"
#include "core/number.h"
#include "data/file.h"
#include "folding.h"
#include "report/render.h"
#include "session.h"
#include "study/tune.h"
#include "training.h"

#include <math.h>
#include <string.h>

/* ---- what was asked for ----------------------------------------------------------------- */

/* A share between 0 and 1 is one; everything else names a file. */
static smr_status read_validation(smr_ctx *ctx, const args *a, smr_tune_opts *o, smr_table **rows)
{
    const char *text = a->validation;
    smr_status st = SMR_OK;
    double share;
    if (!text) return SMR_OK;
    if (smr_parse_double(text, text + strlen(text), &share) == text + strlen(text)) {
        if (!(share > 0 && share < 1))
            return smr_fail(ctx, SMR_ERR_PARAM,
                            "--validation: a share between 0 and 1, not %s, or a file", text);
        o->validation = share;
        return SMR_OK;
    }
    if (a->strata)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--strata: scores come from the rows of %s, so there are no folds to "
                        "divide; leave it out",
                        text);
    TRY(session_read(ctx, a, text, rows));
    o->validation_rows = *rows;
out:
    return st;
}

static smr_status read_opts(smr_ctx *ctx, const args *a, smr_tune_opts *o)
{
    *o = (smr_tune_opts){.size = sizeof *o,
                         .over = a->over,
                         .search = a->search,
                         .measure = a->measure,
                         .one_se = a->one_se,
                         .log = a->log,
                         .resume = a->resume};
    if (a->trials == 0) return smr_fail(ctx, SMR_ERR_PARAM, "--trials: at least 1");
    if (a->trials > 0) o->trials = a->trials;
    if (a->nested >= 0 && a->nested < 2)
        return smr_fail(ctx, SMR_ERR_PARAM, "--nested: at least 2 folds");
    if (a->nested > 0) o->nested = a->nested;
    if (!isnan(a->holdout) && !(a->holdout >= 0 && a->holdout < 1))
        return smr_fail(ctx, SMR_ERR_PARAM, "--holdout: a share from 0 to below 1");
    if (!isnan(a->holdout)) o->holdout = a->holdout > 0 ? a->holdout : -1;
    smr_status st = training_check_test(ctx, a);
    return st == SMR_OK ? folding_time(ctx, a, &o->seconds) : st;
}

/* A model that cannot be written is reported before the search, not after it. */
static smr_status check_writable(smr_ctx *ctx, const char *path)
{
    smr_sink *sink = NULL;
    if (!path || strcmp(path, "-") == 0) return SMR_OK;
    smr_status st = smr_sink_open(ctx, path, false, &sink);
    smr_sink_close(sink);
    return st;
}

/* ---- how it is shown -------------------------------------------------------------------- */

static void show_values(const smr_json *values, smr_text *out)
{
    for (const smr_json *v = values->first; v; v = v->next) {
        if (v != values->first) smr_text_add(out, ", ");
        if (v->type == SMR_JSON_STRING) {
            smr_text_add(out, v->string);
            continue;
        }
        smr_text_number(out, smr_json_get_number(v, "from", NAN));
        smr_text_add(out, " to ");
        smr_text_number(out, smr_json_get_number(v, "to", NAN));
        double step = smr_json_get_number(v, "step", 0), count = smr_json_get_number(v, "count", 0);
        if (step > 0) smr_text_add(out, " by ");
        if (step > 0) smr_text_number(out, step);
        if (count > 0) smr_text_add(out, ", ");
        if (count > 0) smr_text_count(out, (int64_t)count, "value");
        if (strcmp(smr_json_get_string(v, "scale", ""), "log") == 0)
            smr_text_add(out, " on a logarithmic scale");
    }
}

static void show_space(const smr_json *root, smr_text *out)
{
    const smr_json *space = smr_json_get(root, "space");
    for (const smr_json *row = space->first; row; row = row->next) {
        smr_text_printf(out, "%s%s: ", row == space->first ? "space     " : "          ",
                        smr_json_get_string(row, "parameter", ""));
        show_values(smr_json_get(row, "values"), out);
        smr_text_add(out, "\n");
    }
}

/* "5 folds of 120 rows", "a part of 0.25 of 120 rows", "37 rows of another file". */
static void show_scoring(const smr_json *root, smr_text *out)
{
    const smr_json *scoring = smr_json_get(root, "scoring");
    const char *kind = smr_json_get_string(scoring, "kind", "");
    long long repeats = (long long)smr_json_get_number(scoring, "repeats", 1);
    if (strcmp(kind, "table") == 0)
        smr_render_count(scoring, "rows", "validation row", out);
    else if (strcmp(kind, "folds") == 0)
        smr_render_count(scoring, "folds", "fold", out);
    else if (strcmp(kind, "holdout") == 0) {
        smr_text_rounded(out, 100 * smr_json_get_number(scoring, "share", 0), 4);
        smr_text_add(out, " %");
    } else {
        smr_render_count(scoring, "rounds", "round", out);
    }
    if (repeats > 1) smr_text_printf(out, ", %lld times,", repeats);
    smr_text_add(out, strcmp(kind, "table") == 0 ? ", fitted on " : " of ");
    smr_render_count(root, "search_rows", "row", out);
}

static void show_search(const smr_json *root, smr_text *out)
{
    const smr_json *search = smr_json_get(root, "search");
    long long failed = (long long)smr_json_get_number(search, "failed", 0);
    long long known = (long long)smr_json_get_number(search, "from_log", 0);
    smr_text_printf(out, "search    %s, ", smr_json_get_string(search, "kind", ""));
    smr_render_count(search, "candidates", "candidate", out);
    smr_text_printf(out, " by %s (%s is better) on ", smr_json_get_string(root, "measure", ""),
                    smr_json_get_bool(root, "higher_is_better", true) ? "higher" : "lower");
    show_scoring(root, out);
    smr_text_add(out, "\n");
    const smr_json *rungs = smr_json_get(search, "rungs");
    for (const smr_json *r = rungs ? rungs->first : NULL; r; r = r->next) {
        smr_text_printf(out, "rung %lld    ", (long long)smr_json_get_number(r, "rung", 0));
        smr_render_count(r, "candidates", "candidate", out);
        smr_text_add(out, ", each fitted on ");
        smr_render_count(r, "rows", "row", out);
        smr_text_add(out, "\n");
    }
    smr_text_add(out, "done      ");
    smr_render_count(search, "done", "trial", out);
    smr_text_add(out, " in ");
    smr_text_rounded(out, smr_json_get_number(root, "search_seconds", 0), 3);
    smr_text_add(out, " s");
    if (known) smr_text_printf(out, ", %lld of them from the log", known);
    if (failed) smr_text_printf(out, ", %lld failed", failed);
    if (smr_json_get_bool(search, "out_of_time", false))
        smr_text_add(out, "; the time was up, and the rest was not tried");
    smr_text_add(out, "\n");
}

static void show_failures(const smr_json *root, int64_t most, smr_text *out)
{
    const smr_json *trials = smr_json_get(root, "trials");
    int64_t shown = 0, all = 0;
    for (const smr_json *t = trials->first; t; t = t->next) {
        const char *error = smr_json_get_string(t, "error", NULL);
        if (!error) continue;
        if (all++ == 0) smr_text_add(out, "\nfailed\n");
        if (most && shown == most) continue;
        shown++;
        smr_text_printf(out, "  trial %lld: %s\n", (long long)smr_json_get_number(t, "trial", 0),
                        error);
    }
    if (all > shown) smr_text_printf(out, "  and %lld more\n", (long long)(all - shown));
}

static void show_nested(const smr_json *root, int64_t most, smr_text *out)
{
    const smr_json *nested = smr_json_get(root, "nested");
    if (!nested) return;
    smr_text_add(out, "\nthe search repeated, each time without the rows it is measured on\n");
    smr_render_table(smr_json_get(nested, "table"), 2, most, out);
    smr_text_printf(out, "%s\n", smr_json_get_string(nested, "text", ""));
}

static void show(const smr_json *root, int64_t most, smr_text *out)
{
    const smr_json *winner = smr_json_get(root, "winner"), *best = smr_json_get(root, "best");
    smr_text_printf(out, "model     %s\ndata      %s: ", smr_json_get_string(root, "spec", ""),
                    smr_json_get_string(root, "data", ""));
    smr_render_count(root, "rows", "row", out);
    smr_text_add(out, "\n");
    show_space(root, out);
    show_search(root, out);
    smr_text_add(out, "\nthe best trials\n");
    smr_render_table(smr_json_get(root, "top"), 2, most, out);
    show_failures(root, most, out);
    smr_text_printf(out, "\nwinner    %s\n", smr_json_get_string(winner, "spec", ""));
    if (best)
        smr_text_printf(out,
                        "          the simplest within one standard error of the best, trial "
                        "%lld\n",
                        (long long)smr_json_get_number(best, "trial", 0));
    else if (smr_json_get_number(winner, "equal", 1) > 1)
        smr_text_printf(out,
                        "          one of %lld with this score: the simplest, else the first\n",
                        (long long)smr_json_get_number(winner, "equal", 1));
    const char *fitted = smr_json_get_string(smr_json_get(root, "test"), "fitted", NULL);
    if (fitted) smr_text_printf(out, "as fitted %s\n", fitted);
    smr_render_table(smr_json_get(root, "scores"), 2, 0, out);
    const smr_json *optimism = smr_json_get(root, "optimism");
    bool late = smr_json_get_bool(smr_json_get(root, "test"), "out_of_time", false);
    smr_text_printf(out, "%s\n",
                    smr_json_get_string(optimism, "text",
                                        late ? "The time was up before the winner was measured on "
                                               "rows that the search never saw: the validation "
                                               "score is that of the best of many, and too good."
                                             : "No rows were held out: the validation score is "
                                               "that of the best of many, and too good."));
    const char *help = smr_json_get_string(root, "help_text", NULL);
    if (help) smr_text_printf(out, "%s\n", help);
    show_nested(root, most, out);
    const char *file = smr_json_get_string(root, "model", NULL);
    if (!file) {
        smr_text_add(out, "not saved; -o FILE keeps the winner, fitted on all rows\n");
        return;
    }
    smr_text_printf(out, "saved     %s, fitted on all ", file);
    smr_render_count(root, "rows", "row", out);
    smr_text_add(out, "\n");
}

static smr_status tell(smr_ctx *ctx, const args *a, const training_input *in, smr_json *root)
{
    smr_json_add_number(root, "read_seconds", in->read_seconds);
    smr_json_add_number(root, "threads", smr_ctx_threads(ctx));
    smr_json_add_number(root, "peak_memory_bytes", session_peak_memory(ctx));
    if (a->output)
        smr_json_add_string(root, "model", a->output);
    else
        smr_json_add_null(root, "model");
    session_add_warnings(root);
    return session_finish(ctx, a, root, show);
}

/* ---- the command ------------------------------------------------------------------------ */

static smr_status read_test(smr_ctx *ctx, const args *a, smr_tune_opts *o, smr_table **test)
{
    args reading = *a;
    reading.labels = a->test_labels;
    if (!a->test) return SMR_OK;
    smr_status st = session_read(ctx, &reading, a->test, test);
    o->test = *test;
    return st;
}

smr_status run_tune(smr_ctx *ctx, args *a)
{
    double began = smr_now();
    smr_status st = SMR_OK;
    training_input in = {0};
    smr_tune_opts opts;
    smr_fold_opts rounds;
    smr_train_opts how;
    char *json = NULL;
    smr_table *validation = NULL, *test = NULL;
    smr_model *model = NULL;
    smr_json_doc *doc = NULL;
    training_words(a, &in);
    TRY(folding_ask(ctx, a, &rounds));
    TRY(read_opts(ctx, a, &opts));
    opts.rounds = &rounds;
    TRY(training_check_sentence(ctx, in.sentence));
    rounds.measure = NULL; /* opts has it */
    TRY(smr_tune_check(ctx, in.sentence, &opts));
    TRY(check_writable(ctx, a->output));
    TRY(training_read(ctx, a, &in, &how));
    TRY(read_validation(ctx, a, &opts, &validation));
    TRY(read_test(ctx, a, &opts, &test));
    folding_time_left(began, &opts.seconds);
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "tune");
    smr_json_add_string(root, "data", in.path);
    TRY(smr_tune(ctx, in.sentence, in.table, &how, &opts, a->output ? &model : NULL, &json));
    TRY(session_add_result(ctx, json, root));
    if (a->output) TRY(smr_model_save(ctx, model, a->output));
    TRY(tell(ctx, a, &in, root));
out:
    smr_json_free(doc);
    smr_model_free(model);
    smr_table_free(validation);
    smr_table_free(test);
    training_close(&in);
    return st;
}
