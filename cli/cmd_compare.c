/* cmd_compare.c -- samara compare: a league table of models on the same folds.
 *
 * The work is smr_compare's.  Among the words the first that names a file is the data, the
 * others are models. */
#include "commands.h"
#include "folding.h"
#include "report/render.h"
#include "screen.h"
#include "session.h"
#include "study/compare.h"
#include "training.h"

#include <math.h>
#include <stdio.h>
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
    for (int64_t i = 0; i < *n; i++) TRY(training_check_sentence(ctx, models[i]));
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

/* "2 of 5": rounds won against the best. */
static void add_won(const smr_json *c, double rounds, smr_json *row)
{
    char text[64];
    double won = smr_json_get_number(c, "won", NAN);
    snprintf(text, sizeof text, "%lld of %lld", (long long)won, (long long)rounds);
    if (isnan(won))
        smr_json_add_null(row, "won");
    else
        smr_json_add_string(row, "won", text);
}

static void show_league(const smr_json *root, int64_t most, smr_text *out)
{
    static const char *const columns[] = {"rank", "model",  "mean",   "low",
                                          "high", "behind", "verdict"};
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
        add_won(c, smr_json_get_number(root, "rounds", 0), row);
        smr_json_add_number(row, "fit ms", as_ms(smr_json_get_number(c, "fit_seconds", NAN)));
        smr_json_add_number(row, "predict ms",
                            as_ms(smr_json_get_number(c, "predict_seconds", NAN)));
    }
    if (smr_json_done(doc) != SMR_OK) out->failed = true;
    smr_render_table(rows, 2, most, out);
    smr_json_free(doc);
}

/* Names the models with one of two verdicts, with `before` before the first; returns how many. */
static int64_t show_models(const smr_json *root, const char *verdict, const char *other,
                           const char *before, smr_text *out)
{
    int64_t n = 0;
    for (const smr_json *c = smr_json_get(root, "league")->first; c; c = c->next) {
        const char *its = smr_json_get_string(c, "verdict", "");
        if (strcmp(its, verdict) != 0 && strcmp(its, other) != 0) continue;
        smr_text_printf(out, "%s%s", n++ ? ", " : before, smr_json_get_string(c, "model", ""));
    }
    return n;
}

/* The models that cannot be told from the best, and why. */
static void show_outcome(const smr_json *root, smr_text *out)
{
    smr_text_printf(out, "best      %s", smr_json_get_string(root, "best", ""));
    show_models(root, "within noise", "same", "; not clearly better than: ", out);
    smr_text_add(out, "\n");
    if (show_models(root, "too variable", "", "too variable to tell: ", out))
        smr_text_add(out, " (single rounds decide the means; --json has them)\n");
}

/* ---- stages that were inserted ---------------------------------------------------------- */

/* Where the next stage of a sentence begins, or its end: sentences in brackets are passed over. */
static const char *next_stage(const char *at)
{
    for (int depth = 0; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0 && strncmp(at, " | ", 3) == 0) return at + 3;
    }
    return at;
}

/* The names of the stages of `fitted` that `spec` does not have, with bars between them. */
static void write_inserted(const char *spec, const char *fitted, smr_text *out)
{
    out->length = 0;
    while (*fitted) {
        size_t n = strcspn(fitted, " "), m = strcspn(spec, " ");
        bool own = n == m && memcmp(fitted, spec, n) == 0;
        if (own) spec = next_stage(spec);
        if (!own) smr_text_printf(out, "%s%.*s", out->length ? " | " : "", (int)n, fitted);
        fitted = next_stage(fitted);
    }
}

static const char *inserted_into(const smr_json *c, smr_text *into)
{
    const char *spec = smr_json_get_string(c, "spec", NULL);
    const char *fitted = smr_json_get_string(c, "fitted", NULL);
    if (!spec || !fitted) return NULL;
    write_inserted(spec, fitted, into);
    return smr_text_done(into) == SMR_OK && into->length ? into->bytes : NULL;
}

/* The models into which the same was inserted, from c on: named where they are few. */
static void show_alike(const smr_json *c, const char *stages, smr_text *out)
{
    enum { NAMED = 3 };
    smr_text its = {.ctx = out->ctx}, names = {.ctx = out->ctx};
    int64_t n = 0;
    for (; c; c = c->next) {
        const char *other = inserted_into(c, &its);
        if (!other || strcmp(other, stages) != 0) continue;
        smr_text_printf(&names, "%s%s", n++ ? ", " : "", smr_json_get_string(c, "model", ""));
    }
    smr_text_printf(out, "as fitted with %s inserted: ", stages);
    if (n > NAMED)
        smr_text_printf(out, "%lld models", (long long)n);
    else if (smr_text_done(&names) == SMR_OK)
        smr_text_add(out, names.bytes);
    smr_text_add(out, "; -v shows all of it\n");
    smr_text_release(&its);
    smr_text_release(&names);
}

/* Was the same inserted into a model before c? */
static bool came_before(const smr_json *league, const smr_json *c, const char *stages,
                        smr_text *its)
{
    for (const smr_json *d = league->first; d != c; d = d->next) {
        const char *other = inserted_into(d, its);
        if (other && strcmp(other, stages) == 0) return true;
    }
    return false;
}

/* One line for each thing that was inserted; with --verbose one for each model. */
static void show_fitted(const smr_json *league, smr_text *out)
{
    smr_text one = {.ctx = out->ctx}, its = {.ctx = out->ctx};
    for (const smr_json *c = league->first; c; c = c->next) {
        const char *stages = inserted_into(c, &one);
        if (!stages) continue;
        if (session_is_verbose())
            smr_text_printf(out, "as fitted %s: %s\n", smr_json_get_string(c, "model", ""),
                            smr_json_get_string(c, "fitted", ""));
        else if (!came_before(league, c, stages, &its))
            show_alike(c, stages, out);
    }
    smr_text_release(&one);
    smr_text_release(&its);
}

/* ---- what is not in the table ----------------------------------------------------------- */

static void show_stopped(const smr_json *root, smr_text *out)
{
    const smr_json *stopped = smr_json_get(root, "stopped");
    for (const smr_json *c = stopped->first; c; c = c->next) {
        const smr_json *mine = smr_json_get(c, "scores")->first;
        const smr_json *base = smr_json_get(c, "baseline")->first;
        smr_text_printf(out, "stopped   %s: hopeless after 2 rounds, %s ",
                        smr_json_get_string(c, "model", ""),
                        smr_json_get_string(root, "measure", ""));
        smr_render_value(mine, out);
        smr_text_add(out, " and ");
        smr_render_value(mine->next, out);
        smr_text_add(out, " where the baseline has ");
        smr_render_value(base, out);
        smr_text_add(out, " and ");
        smr_render_value(base->next, out);
        smr_text_add(out, "; --no-stop goes on\n");
    }
}

static void show_left_out(const smr_json *root, smr_text *out)
{
    const smr_json *left = smr_json_get(root, "left_out");
    if (!left->n) return;
    smr_text_add(out, "left out  ");
    for (const smr_json *m = left->first; m; m = m->next)
        smr_text_printf(out, "%s%s", m == left->first ? "" : ", ", m->string);
    smr_text_add(out, smr_json_get_bool(root, "cancelled", false) ? ": cancelled\n"
                                                                  : ": the time was up\n");
}

static void show(const smr_json *root, int64_t most, smr_text *out)
{
    folding_data(root, out);
    folding_show(root, out);
    smr_text_printf(out, "decided   by %s, %s is better\n",
                    smr_json_get_string(root, "measure", ""),
                    smr_json_get_string(root, "better", ""));
    if (smr_json_get(root, "losses"))
        smr_text_printf(out, "          fitted to other losses: %s; --measure names another\n",
                        smr_json_get_string(root, "losses", ""));
    show_league(root, most, out);
    const smr_json *failed = smr_json_get(root, "failed");
    for (const smr_json *f = failed->first; f; f = f->next)
        smr_text_printf(out, "failed    %s: %s\n", smr_json_get_string(f, "model", ""),
                        smr_json_get_string(f, "message", ""));
    show_stopped(root, out);
    show_left_out(root, out);
    show_outcome(root, out);
    show_fitted(smr_json_get(root, "league"), out);
    smr_text_add(out, "low and high: the mean's interval at ");
    smr_text_rounded(out, 100 * smr_json_get_number(root, "confidence", 0), 4);
    smr_text_add(out, " %; behind: how much worse than the best; won: rounds against the best; "
                      "fit, predict: per round\n");
}

/* ---- the command ------------------------------------------------------------------------ */

/* A row of the table that grows: on a terminal, and elsewhere with --verbose. */
static void on_model(void *user, const smr_league_entry *e)
{
    smr_text line = {.ctx = user};
    bool wanted = (screen_is_watched() || session_is_verbose()) && !session_is_quiet();
    if (!wanted) return;
    int64_t width = (int64_t)strlen(e->model);
    smr_text_printf(&line, "%3lld of %lld  %s%*s", (long long)e->n_done, (long long)e->n_all,
                    e->model, (int)SMR_MAX(2, 30 - width), "");
    if (!isnan(e->mean)) {
        smr_text_printf(&line, "%s ", e->measure);
        smr_text_rounded(&line, e->mean, 6);
        smr_text_add(&line, ", ");
        smr_text_rounded(&line, e->seconds, 3);
        smr_text_add(&line, " s a round");
    }
    if (strcmp(e->outcome, "done") != 0)
        smr_text_printf(&line, "%s%s", isnan(e->mean) ? "" : "; ", e->outcome);
    if (smr_text_done(&line) == SMR_OK) screen_row(line.bytes);
    smr_text_release(&line);
}

/* The options that are comparing's own. */
static smr_status read_league(smr_ctx *ctx, const args *a, smr_league_opts *o)
{
    *o = (smr_league_opts){.size = sizeof *o,
                           .log = a->log,
                           .resume = a->resume,
                           .no_stop = a->no_stop,
                           .heard = on_model,
                           .heard_user = ctx};
    if (a->no_stop && !a->all)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--no-stop is for --all: a model that is named is never stopped");
    return folding_time(ctx, a, &o->seconds);
}

/* The result, whole or (when it was cancelled) what is known of it. */
static smr_status finish(smr_ctx *ctx, const args *a, char *json, double read_seconds,
                         smr_json *root)
{
    smr_status st = SMR_OK;
    TRY(session_add_result(ctx, json, root));
    smr_json_add_number(root, "read_seconds", read_seconds);
    smr_json_add_number(root, "threads", smr_ctx_threads(ctx));
    smr_json_add_number(root, "peak_memory_bytes", session_peak_memory(ctx));
    session_add_warnings(root);
    TRY(session_finish(ctx, a, root, show));
out:
    return st;
}

/* Shows what is known, and still fails for the reason that it had. */
static smr_status finish_cancelled(smr_ctx *ctx, const args *a, char *json, double read_seconds,
                                   smr_json *root)
{
    char message[SMR_MESSAGE_MAX];
    snprintf(message, sizeof message, "%s", smr_ctx_message(ctx));
    smr_ctx_clear(ctx);
    smr_status st = finish(ctx, a, json, read_seconds, root);
    return st == SMR_OK ? smr_fail(ctx, SMR_ERR_CANCELLED, "%s", message) : st;
}

smr_status run_compare(smr_ctx *ctx, args *a)
{
    double began = smr_now();
    smr_status st = SMR_OK;
    const char *path = NULL, *models[MAX_WORDS];
    int64_t n = 0;
    smr_train_opts how;
    smr_fold_opts folds;
    smr_league_opts league;
    char *json = NULL;
    smr_table *table = NULL;
    smr_json_doc *doc = NULL;
    TRY(folding_ask(ctx, a, &folds));
    TRY(read_league(ctx, a, &league));
    folds.all_learners = a->all;
    folds.league = &league;
    TRY(sort_words(ctx, a, &path, models, &n));
    TRY(training_how(ctx, a, &how));
    TRY(session_read(ctx, a, path, &table));
    double read = smr_now() - began;
    folding_time_left(began, &league.seconds);
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "compare");
    smr_json_add_string(root, "data", path);
    session_result_first();
    st = smr_compare(ctx, models, n, table, &how, &folds, &json);
    if (st == SMR_ERR_CANCELLED && json)
        st = finish_cancelled(ctx, a, json, read, root);
    else if (st == SMR_OK)
        st = finish(ctx, a, json, read, root);
out:
    smr_json_free(doc);
    smr_table_free(table);
    return st;
}
