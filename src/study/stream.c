/* stream.c -- see stream.h. */
#include "study/stream.h"

#include "learn/chain.h"
#include "learn/spec.h"
#include "model/model_file.h"
#include "study/fitted.h"
#include "study/schema_read.h"
#include "study/stream_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_NEWS = 1000 };

/* ---- saving ------------------------------------------------------------------------------- */

/* later: NULL, or what pass `pass` of several has measured so far. */
static smr_status summarize(smr_ctx *ctx, smr_model *m, const smr_progressive *so_far,
                            int64_t n_read, const smr_progressive *later, int64_t pass)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    smr_text text = {.ctx = ctx};
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "measured_on", "stream");
    smr_json *kept = smr_json_add_object(root, "stream");
    smr_json_add_number(kept, "rows_read", (double)n_read);
    smr_progressive_keep(so_far, smr_json_add_object(kept, "sums"));
    if (later) {
        smr_json_add_number(kept, "pass", (double)pass);
        smr_progressive_keep(later, smr_json_add_object(kept, "pass_sums"));
    }
    smr_progressive_sums(so_far, root);
    TRY(smr_json_done(doc));
    smr_json_write(root, 0, &text);
    TRY(smr_text_done(&text));
    smr_free(m->summary);
    m->summary = text.bytes;
    text = (smr_text){.ctx = ctx};
out:
    smr_text_release(&text);
    smr_json_free(doc);
    return st;
}

smr_status smr_stream_summary(smr_ctx *ctx, smr_model *m, const smr_progressive *so_far,
                              int64_t n_read)
{
    return summarize(ctx, m, so_far, n_read, NULL, 1);
}

smr_status smr_streaming_save(smr_ctx *ctx, streaming *s)
{
    smr_status st = SMR_OK;
    if (!s->ask->output) return SMR_OK;
    TRY(summarize(ctx, s->model, s->first_pass, s->n_read,
                  s->progress == s->first_pass ? NULL : s->progress,
                  SMR_MIN(s->pass, s->ask->passes)));
    TRY(smr_model_keep(ctx, s->model, s->ask->output));
out:
    return st;
}

smr_status smr_stream_take_up(smr_ctx *ctx, const smr_model *m, smr_progressive *so_far,
                              int64_t *n_read)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    *n_read = -1;
    if (!m->summary) return SMR_OK;
    TRY(smr_json_parse(ctx, m->summary, (int64_t)strlen(m->summary), &doc));
    const smr_json *kept = smr_json_get(smr_json_root(doc), "stream");
    if (!kept) goto out;
    smr_progressive_restore(so_far, smr_json_get(kept, "sums"));
    *n_read = (int64_t)smr_fmin(smr_fmax(0, smr_json_get_number(kept, "rows_read", 0)), 9e15);
out:
    smr_json_free(doc);
    return st;
}

/* ---- rows --------------------------------------------------------------------------------- */

static void tell(streaming *s, const smr_drift *drift, bool begins)
{
    smr_stream_news news = {.name = smr_pieces_name(s->pieces),
                            .model = s->model,
                            .so_far = begins ? NULL : s->progress,
                            .drift = drift,
                            .pass = s->pass};
    if (s->ask->say) s->ask->say(s->ask->user, &news);
}

static void plan_news(streaming *s)
{
    int64_t every = s->ask->every, n = s->progress->n_rows;
    s->next_news = every ? (n / every + 1) * every : FIRST_NEWS;
    while (s->next_news <= n) s->next_news *= 2;
}

/* Row i was answered: how well? */
static void measure_row(streaming *s, const smr_online_rows *rows, int64_t i)
{
    smr_progressive *p = s->progress;
    const double *score = rows->score + i * rows->width;
    double weight = rows->weight ? rows->weight[i] : 1;
    const smr_target *t = &s->model->target;
    if (weight == 0) return;
    bool alarm;
    if (smr_online_finds(t->task)) {
        if (isnan(score[1])) return;
        alarm = smr_progressive_distance(p, smr_fmax(0, -score[1]), weight);
    } else if (rows->label) {
        if (rows->label[i] < 0) return;
        alarm = smr_progressive_class(p, smr_target_label(t, score), rows->label[i], score, weight);
    } else {
        for (int64_t j = 0; j < t->n; j++)
            if (isnan(rows->y[i * t->n + j])) return;
        alarm = smr_progressive_value(p, score, rows->y + i * t->n, weight);
    }
    if (alarm && s->pass == 1)
        tell(s, &p->drifts[SMR_MIN(p->n_drifts, SMR_DRIFTS_KEPT) - 1], false);
    if (p->n_rows < s->next_news) return;
    tell(s, NULL, false);
    plan_news(s);
}

static smr_status go_to(smr_ctx *ctx, streaming *s, const smr_online_rows *rows, int64_t lo,
                        int64_t hi)
{
    smr_status st = SMR_OK;
    TRY(smr_online_go(ctx, s->online, lo, hi));
    for (int64_t i = lo; i < hi; i++) {
        s->n_read++;
        if (rows->state[i] == SMR_ROW_BAD) {
            if (s->n_bad++ == 0) s->first_bad = s->n_read;
            continue;
        }
        s->n_learned += rows->state[i] == SMR_ROW_LEARN && !s->ask->no_learn;
        measure_row(s, rows, i);
    }
    if (s->ask->put) TRY(smr_streaming_put(ctx, s, rows, lo, hi));
out:
    return st;
}

/* Rows between two looks at whether to stop: fewer where each is much work, for many classes. */
static int64_t rows_at_a_time(const streaming *s, const smr_online_rows *rows)
{
    enum { MOST = 256 };
    double width = (double)SMR_MAX(1, rows->width);
    double each = width * (double)(8 + SMR_MIN(1000, s->model->schema.n_inputs));
    return SMR_MAX(1, (int64_t)smr_fmin(MOST, 2e6 / each));
}

/* All rows of the piece at hand; what the next piece's parsing waits for. */
static smr_status learn_piece(smr_ctx *ctx, void *arg)
{
    smr_status st = SMR_OK;
    streaming *s = arg;
    const smr_online_rows *rows;
    int64_t every = s->ask->save_every, lo = SMR_MIN(s->to_skip, s->table->n_rows);
    s->to_skip -= lo;
    if (lo == s->table->n_rows) return SMR_OK;
    TRY(smr_online_take(ctx, s->online, s->table, s->n_read - lo, &rows));
    s->n_unseen += rows->n_unseen;
    int64_t end = s->ask->pieces.skip_bad ? rows->n : SMR_MIN(rows->n, rows->first_bad);
    int64_t step = rows_at_a_time(s, rows);
    for (int64_t hi; lo < end; lo = hi) {
        hi = SMR_MIN(end, lo + step);
        if (every) hi = SMR_MIN(hi, lo + every - s->n_read % every);
        TRY(smr_tick(ctx, NULL, lo, end, NAN));
        TRY(go_to(ctx, s, rows, lo, hi));
        if (every && s->n_read % every == 0) TRY(smr_streaming_save(ctx, s));
    }
    if (end < rows->n) TRY(smr_fail(ctx, SMR_ERR_DATA, "%s", rows->why));
out:
    return st;
}

/* ---- beginning ---------------------------------------------------------------------------- */

/* A rule for each of the model's inputs: numbers must be numbers, categories are strings. */
static smr_status make_rules(smr_ctx *ctx, streaming *s, smr_read_opts *read)
{
    smr_status st = SMR_OK;
    const smr_schema *schema = &s->model->schema;
    int64_t n = 0;
    TRY_NEW(s->rules, schema->n_inputs + read->n_rules + 1);
    for (int64_t j = 0; j < read->n_rules; j++) s->rules[n++] = read->rules[j];
    for (int64_t j = 0; j < schema->n_inputs; j++)
        s->rules[n++] = (smr_column_rule){
            .name = schema->inputs[j].name, .kind = schema->inputs[j].kind, .optional = true};
    read->rules = s->rules;
    read->n_rules = n;
out:
    return st;
}

/* With the first piece at hand: the model, and all that is made for it. */
static smr_status begin(smr_ctx *ctx, streaming *s)
{
    smr_status st = SMR_OK;
    smr_train_set *set = NULL;
    if (!s->model) {
        TRY(smr_train_set_create(ctx, s->table, s->ask->spec, &s->ask->about, &set));
        TRY(smr_online_begin(ctx, s->ask->spec, set, &s->model));
    }
    smr_online_opts how = {.weight = s->ask->about.weight, .only_predict = s->ask->no_learn};
    TRY(smr_online_create(ctx, s->model, &how, &s->online));
    const smr_target *t = &s->model->target;
    if (s->ask->proba && smr_online_finds(t->task))
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "%s gives a cluster and a score for each row, and no probabilities: leave out "
                     "--proba",
                     smr_model_last(s->model)->learner->word->name));
    bool proba = smr_model_gives(s->model) & 1u << SMR_OUTPUT_PROBA;
    TRY(smr_progressive_create(ctx, t->task, proba, t->classes.n, t->n, s->ask->window,
                               &s->first_pass));
    s->progress = s->first_pass;
    if (s->ask->resume) {
        TRY(smr_stream_take_up(ctx, s->model, s->progress, &s->n_read));
        if (s->n_read < 0)
            TRY(smr_fail(ctx, SMR_ERR_STATE,
                         "%s was not saved by a stream, so there is nothing to resume; use --from "
                         "to continue it with new rows",
                         s->ask->from));
        s->to_skip = s->n_read;
    }
    plan_news(s);
    tell(s, NULL, true);
    if (s->ask->put) TRY(smr_streaming_put_header(ctx, s));
out:
    smr_train_set_free(set);
    return st;
}

/* A later pass in the middle of which the stream stopped goes on with its measures. */
static smr_status take_up_pass(smr_ctx *ctx, const streaming *s)
{
    smr_json_doc *doc = NULL;
    if (!s->ask->resume || !s->model->summary) return SMR_OK;
    smr_status st =
        smr_json_parse(ctx, s->model->summary, (int64_t)strlen(s->model->summary), &doc);
    const smr_json *kept = st == SMR_OK ? smr_json_get(smr_json_root(doc), "stream") : NULL;
    if (kept && smr_json_get_number(kept, "pass", 0) == (double)s->pass)
        smr_progressive_restore(s->last_pass, smr_json_get(kept, "pass_sums"));
    smr_json_free(doc);
    return st;
}

/* Later passes have measures of their own: their rows were seen before. */
static smr_status begin_pass(smr_ctx *ctx, streaming *s)
{
    smr_status st = SMR_OK;
    const smr_progressive *f = s->first_pass;
    if (s->pass == 1) return SMR_OK;
    if (s->last_pass == s->first_pass) s->last_pass = NULL;
    smr_progressive_free(s->last_pass);
    s->last_pass = NULL;
    TRY(smr_progressive_create(ctx, f->task, f->has_proba, f->n_classes, f->n_outputs, f->window,
                               &s->last_pass));
    s->progress = s->last_pass;
    if (s->to_skip > 0) TRY(take_up_pass(ctx, s));
    plan_news(s);
out:
    return st;
}

static smr_status run_pass(smr_ctx *ctx, streaming *s)
{
    smr_status st = SMR_OK;
    smr_pieces_opts opts = s->ask->pieces;
    opts.read.rules = s->rules ? s->rules : opts.read.rules;
    opts.read.n_rules = s->rules ? s->n_rules : opts.read.n_rules;
    opts.read.expects_comma = s->model && s->model->schema.decimal_comma;
    TRY(smr_pieces_open(ctx, s->ask->data, &opts, &s->pieces));
    if (s->ask->passes > 1 && !smr_pieces_is_file(s->pieces))
        TRY(smr_fail(ctx, SMR_ERR_PARAM, "%s can be read once only; --passes needs a file",
                     smr_pieces_name(s->pieces)));
    TRY(smr_pieces_next(ctx, s->pieces, NULL, NULL, &s->table));
    if (s->pass == 1) TRY(begin(ctx, s));
    TRY(begin_pass(ctx, s));
    while (s->table) {
        smr_table *next = NULL;
        st = smr_pieces_next(ctx, s->pieces, learn_piece, s, &next);
        smr_table_free(s->table);
        s->table = next;
        if (st != SMR_OK) goto out;
    }
out:
    if (s->pieces) {
        int64_t line;
        s->n_skipped += smr_pieces_skipped(s->pieces, &line);
        if (s->first_skipped == 0) s->first_skipped = line;
    }
    if (s->online) smr_online_rest(s->online);
    smr_table_free(s->table);
    s->table = NULL;
    smr_pieces_close(s->pieces);
    s->pieces = NULL;
    return st;
}

/* ---- ending ------------------------------------------------------------------------------- */

/* The stream broke off: what was learned is saved, and the message says where. */
static smr_status save_anyway(smr_ctx *ctx, streaming *s, smr_status failed)
{
    char message[SMR_MESSAGE_MAX];
    if (!s->ask->output || !s->first_pass || s->ask->no_learn) {
        if (failed != SMR_ERR_CANCELLED) return failed;
        smr_begin(ctx);
        return smr_fail(ctx, failed,
                        "cancelled after %lld row%s; no model is written%s, and predictions end "
                        "there",
                        (long long)s->n_read, smr_plural(s->n_read, "", "s"),
                        s->ask->output ? "" : " (-o FILE keeps what was learned)");
    }
    memcpy(message, ctx->message, sizeof message);
    smr_begin(ctx);
    if (smr_streaming_save(ctx, s) != SMR_OK) {
        smr_begin(ctx);
        return smr_fail(ctx, failed, "%.800s (and the model could not be saved in %.150s)", message,
                        s->ask->output);
    }
    if (failed == SMR_ERR_CANCELLED)
        return smr_fail(
            ctx, failed,
            "cancelled; the model of the %lld row%s so far is saved in %.150s: --resume "
            "it on the same data, or --from it on others",
            (long long)s->n_learned_all, smr_plural(s->n_learned_all, "", "s"), s->ask->output);
    return smr_fail(
        ctx, failed, "%.800s (the model of the %lld row%s before it is saved in %.150s)", message,
        (long long)s->n_learned_all, smr_plural(s->n_learned_all, "", "s"), s->ask->output);
}

static void add_class_names(const smr_target *t, smr_json *root)
{
    if (t->task == SMR_TASK_CLASSIFY) smr_strings_to_json(root, "classes", &t->classes);
}

static smr_status report(smr_ctx *ctx, streaming *s, smr_json *root)
{
    smr_status st = SMR_OK;
    const smr_model *m = s->model;
    smr_text spec = {.ctx = ctx};
    smr_stages_write(m->head.written ? &m->head : NULL, m->stages, m->n_stages, &spec);
    TRY(smr_text_done(&spec));
    smr_json_add_string(root, "spec", spec.bytes);
    smr_json_add_string(root, "task", smr_task_name(m->target.task));
    if (!smr_online_finds(m->target.task)) smr_json_add_string(root, "target", m->target.names[0]);
    add_class_names(&m->target, root);
    smr_json_add_number(root, "features", (double)(m->schema.n_inputs + m->schema.n_sparse));
    smr_json_add_number(root, "rows", (double)s->n_read);
    smr_json_add_number(root, "learned", (double)s->n_learned);
    smr_json_add_number(root, "bad_rows", (double)(s->n_bad + s->n_skipped));
    smr_json_add_number(root, "unseen_categories", (double)s->n_unseen);
    smr_progressive_measures(s->first_pass, root);
    smr_json_add_string(root, "measured_on", "stream");
    smr_progressive_drifts(s->first_pass, root);
    smr_json_add_number(root, "passes", (double)SMR_MAX(1, s->ask->passes));
    if (s->last_pass)
        smr_progressive_measures(s->last_pass, smr_json_add_object(root, "last_pass"));
    smr_progressive_figure(s->first_pass, smr_json_add_array(root, "figures"));
out:
    smr_text_release(&spec);
    return st;
}

static void warn(smr_ctx *ctx, const streaming *s)
{
    if (s->n_skipped)
        smr_warn(ctx, "%lld bad %s left out, the first in line %lld", (long long)s->n_skipped,
                 smr_plural(s->n_skipped, "row was", "rows were"), (long long)s->first_skipped);
    if (s->n_bad)
        smr_warn(ctx, "%lld %s left out because of %s values, the first was row %lld",
                 (long long)s->n_bad, smr_plural(s->n_bad, "row was", "rows were"),
                 smr_plural(s->n_bad, "its", "their"), (long long)s->first_bad);
    if (s->n_unseen)
        smr_warn(ctx, "%lld %s not among those of the warm-up and counted as missing",
                 (long long)s->n_unseen,
                 smr_plural(s->n_unseen, "category was", "categories were"));
}

smr_status smr_stream_run(smr_ctx *ctx, const smr_stream_ask *ask, smr_json *root)
{
    smr_status st = SMR_OK;
    streaming *s = NULL;
    TRY_NEW(s, 1);
    s->ask = ask;
    if (!ask->from) TRY(smr_online_check(ctx, ask->spec));
    if (ask->from) {
        TRY(smr_model_load(ctx, ask->from, &s->model));
        smr_read_opts read = ask->pieces.read;
        TRY(smr_schema_check_types(ctx, s->model, &read));
        TRY(make_rules(ctx, s, &read));
        s->n_rules = read.n_rules;
    }
    int64_t before = s->model ? s->model->n_rows : 0;
    for (s->pass = 1; s->pass <= SMR_MAX(1, ask->passes); s->pass++) {
        st = run_pass(ctx, s);
        if (st != SMR_OK) break;
    }
    s->n_learned_all = before + s->n_learned;
    if (st == SMR_OK && s->to_skip > 0) {
        st = smr_fail(ctx, SMR_ERR_STATE,
                      "%s ends before the %lld row%s that %s has already read: is this another "
                      "file? --from learns from all rows of new data",
                      ask->data, (long long)s->n_read, smr_plural(s->n_read, "", "s"), ask->from);
        goto out;
    }
    if (st != SMR_OK) {
        st = save_anyway(ctx, s, st);
        goto out;
    }
    if (!ask->no_learn) TRY(smr_streaming_save(ctx, s));
    warn(ctx, s);
    TRY(report(ctx, s, root));
out:
    if (s) {
        smr_online_free(s->online);
        if (s->last_pass != s->first_pass) smr_progressive_free(s->last_pass);
        smr_progressive_free(s->first_pass);
        smr_model_free(s->model);
        smr_free(s->rules);
        smr_text_release(&s->text);
    }
    smr_free(s);
    return st;
}
