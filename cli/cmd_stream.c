/* cmd_stream.c -- samara stream: rows as they come are predicted, measured, and learned.
 *
 * The work is study/stream.h's; this file reads what was asked for, and shows the result: a line
 * after 1000, 2000, 4000 ... rows on the way, the totals at the end.  Where the predictions go to
 * standard output, everything else goes to standard error. */
#define _GNU_SOURCE /* sigaction */
#include "study/stream.h"

#include "commands.h"
#include "core/number.h"
#include "data/types.h"
#include "learn/spec.h"
#include "plots.h"
#include "report/render.h"
#include "screen.h"
#include "session.h"
#include "training.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

struct telling {
    const args *a;
    FILE *lines;    /* NULL: nothing is shown on the way         */
    FILE *file;     /* of the predictions, or NULL               */
    int64_t n_rows; /* of the run                                */
};

/* ---- on the way --------------------------------------------------------------------------- */

static void add_cell(smr_text *out, double x)
{
    smr_text cell = {.ctx = out->ctx};
    if (isnan(x))
        smr_text_add(&cell, "-");
    else
        smr_text_rounded(&cell, x, 4);
    if (cell.bytes) smr_text_printf(out, "%12s", cell.bytes);
    smr_text_release(&cell);
}

static void line_of(const smr_progressive *p, smr_text *out)
{
    smr_text_printf(out, "%12lld", (long long)p->n_rows);
    add_cell(out, smr_progressive_error(p));
    add_cell(out, smr_progressive_recent(p));
    if (p->task == SMR_TASK_REGRESS)
        add_cell(out, p->absolute / p->weight);
    else if (p->task == SMR_TASK_CLASSIFY && p->has_proba)
        add_cell(out, p->log_loss / p->weight);
    smr_text_add(out, "\n");
}

static void drift_of(const smr_drift *d, smr_text *out)
{
    smr_text_printf(out, "drift     suspected at row %lld: error ", (long long)d->at);
    smr_text_rounded(out, d->after, 3);
    smr_text_printf(out, " since row %lld, ", (long long)d->since);
    smr_text_rounded(out, d->before, 3);
    smr_text_add(out, " before\n");
}

static void head_of(const smr_stream_news *news, smr_text *out)
{
    const smr_model *m = news->model;
    bool classes = m->target.task == SMR_TASK_CLASSIFY, finds = smr_online_finds(m->target.task);
    smr_text_add(out, "model     ");
    smr_stages_write(m->head.written ? &m->head : NULL, m->stages, m->n_stages, out);
    smr_text_printf(out, "\ndata      %s: ", news->name);
    smr_text_count(out, m->schema.n_inputs + m->schema.n_sparse, "feature");
    if (!finds) smr_text_printf(out, ", target %s", m->target.names[0]);
    if (classes) smr_text_add(out, " of ");
    if (classes) smr_text_count(out, m->target.classes.n, "class");
    smr_text_printf(out, "\n%12s%12s%12s", "rows", classes || finds ? "error" : "mse", "in window");
    bool proba = smr_model_gives(m) & 1u << SMR_OUTPUT_PROBA;
    if (!finds && (!classes || proba)) smr_text_printf(out, "%12s", classes ? "log loss" : "mae");
    smr_text_add(out, "\n");
}

/* May be called on another thread: it has a context of its own for the few bytes of a line. */
static void say(void *user, const smr_stream_news *news)
{
    struct telling *t = user;
    smr_ctx *ctx = NULL;
    if (!t->lines || smr_ctx_create(NULL, &ctx) != SMR_OK) return;
    smr_text text = {.ctx = ctx};
    if (!news->so_far)
        head_of(news, &text);
    else if (news->drift)
        drift_of(news->drift, &text);
    else
        line_of(news->so_far, &text);
    if (smr_text_done(&text) == SMR_OK) {
        fwrite(text.bytes, 1, (size_t)text.length, t->lines);
        fflush(t->lines);
    }
    smr_text_release(&text);
    smr_ctx_destroy(ctx);
}

static smr_status put(smr_ctx *ctx, void *user, const char *bytes, int64_t n)
{
    struct telling *t = user;
    if (fwrite(bytes, 1, (size_t)n, t->file) != (size_t)n || fflush(t->file) != 0)
        return smr_fail(ctx, SMR_ERR_IO, "%s cannot be written: %s",
                        t->file == stdout ? "standard output" : t->a->predictions, strerror(errno));
    return SMR_OK;
}

/* ---- what was asked for ------------------------------------------------------------------- */

static smr_status check_words(smr_ctx *ctx, const args *a)
{
    bool has_model = a->from || a->resume;
    if (a->from && a->resume)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--from and --resume exclude each other: a stream begins with one model");
    if (has_model && a->n_words > 2)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "the model already has a sentence: leave out '%s', or %s", a->words[1],
                        a->from ? "--from" : "--resume");
    if (!has_model && a->n_words < 3)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "stream needs a sentence and data: samara stream SPEC DATA, or a saved "
                        "model: --from MODEL");
    if (has_model && (a->target || a->classes || a->task || a->ignore || a->positive))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "the model knows its target, task and columns: leave out --target, "
                        "--classes, --task, --ignore and --positive");
    if (a->no_learn && !has_model)
        return smr_fail(ctx, SMR_ERR_PARAM, "--no-learn needs a model: --from MODEL");
    if (a->no_learn && a->output)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--no-learn leaves the model as it is, so -o would have nothing to save");
    if (a->save_every > 0 && !a->output && !a->resume)
        return smr_fail(ctx, SMR_ERR_PARAM, "--save-every needs -o MODEL");
    if (a->output && strcmp(a->output, "-") == 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "a stream saves its model in a file, not in -o -");
    if (a->bad && strcmp(a->bad, "skip") != 0 && strcmp(a->bad, "stop") != 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "--bad: stop or skip, not '%s'", a->bad);
    if (a->json && a->predictions && strcmp(a->predictions, "-") == 0)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--json and --predictions - both want standard output; give the "
                        "predictions a file");
    if (a->proba && !a->predictions)
        return smr_fail(ctx, SMR_ERR_PARAM, "--proba needs --predictions FILE");
    return SMR_OK;
}

static void fill_ask(const args *a, const training_input *in, smr_stream_ask *ask)
{
    bool has_model = a->from || a->resume;
    ask->spec = has_model ? NULL : in->spec;
    ask->data = has_model ? a->words[1] : in->path;
    ask->from = a->from ? a->from : a->resume;
    ask->resume = a->resume != NULL;
    ask->output = a->output ? a->output : a->no_learn ? NULL : a->resume;
    ask->save_every = SMR_MAX(0, a->save_every);
    ask->passes = SMR_MAX(1, a->passes);
    ask->window = SMR_MAX(0, a->window);
    ask->every = SMR_MAX(0, a->every);
    ask->no_learn = a->no_learn;
    ask->proba = a->proba;
    ask->about.classes = a->classes;
    ask->pieces.warm_rows = SMR_MAX(0, a->warm_up);
    ask->pieces.latency = isnan(a->latency) ? 0 : a->latency;
    ask->pieces.skip_bad = a->bad && strcmp(a->bad, "skip") == 0;
}

static smr_status open_predictions(smr_ctx *ctx, const args *a, struct telling *t)
{
    if (!a->predictions) return SMR_OK;
    t->file = strcmp(a->predictions, "-") == 0 ? stdout : fopen(a->predictions, "wb");
    if (t->file) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_IO, "%s: cannot be written: %s", a->predictions, strerror(errno));
}

/* ---- the end ------------------------------------------------------------------------------ */

static void show(const smr_json *root, int64_t most, smr_text *out)
{
    (void)most;
    double seconds = smr_json_get_number(root, "seconds", 0);
    const char *file = smr_json_get_string(root, "output", NULL);
    smr_text_add(out, "read      ");
    smr_render_count(root, "rows", "row", out);
    smr_text_add(out, " in ");
    smr_text_rounded(out, seconds, 3);
    smr_text_add(out, " s");
    if (smr_json_get_number(root, "bad_rows", 0) > 0) {
        smr_text_add(out, ", ");
        smr_render_count(root, "bad_rows", "bad row", out);
        smr_text_add(out, " left out");
    }
    smr_text_printf(out, "; learned from %lld\n",
                    (long long)smr_json_get_number(root, "learned", 0));
    const smr_json *measures = smr_json_get(root, "measures");
    smr_text_add(out, "measured ");
    for (const smr_json *m = measures ? measures->first : NULL; m; m = m->next) {
        smr_text_printf(out, "%s%s ", m == measures->first ? " " : ", ", m->key);
        if (m->type == SMR_JSON_NUMBER && isfinite(m->number))
            smr_text_rounded(out, m->number, 4);
        else
            smr_text_add(out, "-");
    }
    smr_text_add(out, smr_json_get_number(root, "learned", 0) > 0
                          ? ", each row before it was learned\n"
                          : ", and nothing learned\n");
    if (file) smr_text_printf(out, "saved     %s\n", file);
}

static smr_status finish(smr_ctx *ctx, const args *a, const struct telling *t,
                         const smr_stream_ask *ask, smr_json_doc *doc, double seconds)
{
    smr_status st = SMR_OK;
    smr_json *root = smr_json_root(doc);
    smr_text text = {.ctx = ctx};
    smr_json_add_string(root, "data", ask->data);
    smr_json_add_number(root, "seconds", seconds);
    smr_json_add_number(root, "rows_per_second", smr_json_get_number(root, "rows", 0) / seconds);
    smr_json_add_number(root, "seed", (double)smr_ctx_seed(ctx));
    smr_json_add_number(root, "threads", smr_ctx_threads(ctx));
    smr_json_add_number(root, "peak_memory_bytes", session_peak_memory(ctx));
    if (ask->output)
        smr_json_add_string(root, "output", ask->output);
    else
        smr_json_add_null(root, "output");
    session_add_warnings(root);
    if (t->file != stdout) return session_finish(ctx, a, root, show);
    TRY(smr_json_done(doc));
    show(root, 0, &text);
    TRY(smr_text_done(&text));
    screen_clear_line();
    if (!a->quiet) fwrite(text.bytes, 1, (size_t)text.length, stderr);
    TRY(plots_write(ctx, a, root));
out:
    smr_text_release(&text);
    return st;
}

smr_status run_stream(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    training_input in = {0};
    struct telling t = {.a = a};
    smr_stream_ask ask = {.say = say, .user = &t};
    smr_rule_list rules = {0};
    smr_open_opts opts;
    smr_json_doc *doc = NULL;
    TRY(check_words(ctx, a));
    if (a->n_words > 2) {
        training_words(a, &in);
        TRY(training_parse(ctx, &in));
    }
    TRY(training_opts(ctx, a, &ask.about));
    TRY(session_read_opts(ctx, a, &opts));
    TRY(smr_read_opts_from(ctx, &opts, &ask.pieces.read, &rules));
    fill_ask(a, &in, &ask);
    TRY(open_predictions(ctx, a, &t));
    if (t.file) ask.put = put;
    if (!a->quiet && !a->json) t.lines = t.file == stdout ? stderr : stdout;
    signal(SIGPIPE, SIG_IGN); /* a reader that went away is a failed write: the model is saved */
    TRY(smr_json_create(ctx, &doc));
    smr_json_add_string(smr_json_root(doc), "command", "stream");
    double began = smr_now();
    TRY(smr_stream_run(ctx, &ask, smr_json_root(doc)));
    TRY(finish(ctx, a, &t, &ask, doc, smr_now() - began));
out:
    if (t.file && t.file != stdout && fclose(t.file) != 0 && st == SMR_OK)
        st =
            smr_fail(ctx, SMR_ERR_IO, "%s: cannot be written: %s", a->predictions, strerror(errno));
    smr_rules_release(&rules);
    smr_json_free(doc);
    training_close(&in);
    return st;
}
