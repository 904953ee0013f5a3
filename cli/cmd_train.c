/* cmd_train.c -- samara train: fit, say what was done, score on rows that the fit did not see.
 *
 * The saved model is fitted on all rows.  Its measures come from a second fit on the other part of
 * a held-out split, from --test, or, with --holdout 0, from the training rows themselves;
 * measured_on says which. */
#include "commands.h"
#include "judged.h"
#include "learn/model.h"
#include "learn/warm.h"
#include "model/checkpoint_file.h"
#include "plots.h"
#include "screen.h"
#include "session.h"
#include "study/cv_report.h"
#include "study/evaluate.h"
#include "study/holdout.h"
#include "study/judge.h"
#include "study/report_views.h"
#include "study/warnings.h"
#include "training.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double DEFAULT_HOLDOUT = 0.2;
static const double DEFAULT_EVERY = 60; /* seconds */

struct training {
    training_input in;
    smr_table *test;
    smr_model *model;
    double fit_seconds, predict_seconds;
    int64_t measured_rows;
    const char *measured_on;
    smr_json_doc *found; /* what smr_judge found, and the advice */
    bool report;         /* a page is asked for: add what only it shows */
    smr_json *advice;
    bool has_rule;
    smr_threshold_rule rule; /* of --threshold, with what it chose for the saved model */
    smr_threshold_row row;
    int64_t used;
    int64_t oob_rows; /* of --oob */
    /* With --checkpoint: of the saved model's fit, and of the one that is measured. */
    smr_checkpoint *checkpoint, *checkpoint_part;
    smr_model *old; /* of --warm-start */
};

/* ---- measuring -------------------------------------------------------------------------- */

/* `fitted`: the rows of the set that the model was fitted on; NULL: all that are usable. */
static smr_status measure(smr_ctx *ctx, struct training *t, const smr_model *model,
                          const smr_sample *sample, const char *on, const int64_t *fitted,
                          int64_t n_fitted)
{
    smr_judging how = {.figures = true,
                       .advice = t->advice,
                       .unseen = strcmp(on, "train") != 0,
                       .cost = t->has_rule ? &t->rule : NULL,
                       .fitted = t->in.set,
                       .fitted_rows = fitted,
                       .n_fitted = n_fitted};
    t->measured_on = on;
    if (!how.unseen) smr_advise_fitted(ctx, NULL, t->advice);
    smr_status st = smr_judge(ctx, model, sample, &how, smr_json_root(t->found));
    t->predict_seconds = how.seconds;
    t->measured_rows = how.n_rows;
    if (st == SMR_OK && t->report)
        st = smr_view_importance(ctx, model, sample, smr_json_root(t->found));
    if (st == SMR_OK && t->report)
        st = smr_view_dependence(ctx, model, sample, smr_json_root(t->found));
    return st;
}

/* What the rows say before they are fitted: a fit may spend the table (training_input). */
static smr_status look_at_rows(smr_ctx *ctx, const args *a, struct training *t)
{
    smr_status st = SMR_OK;
    args reading = *a;
    reading.labels = a->test_labels;
    if (t->in.set->target.task == SMR_TASK_NONE) return SMR_OK;
    TRY(smr_advise_set(ctx, t->in.set, t->advice));
    if (!a->test) return SMR_OK;
    TRY(session_read(ctx, &reading, a->test, &t->test));
    smr_advice_parts parts = {.set = t->in.set, .test_table = t->test};
    TRY(smr_advise_parts(ctx, &parts, t->advice));
out:
    return st;
}

static smr_status measure_on_test(smr_ctx *ctx, struct training *t)
{
    smr_sample sample = {.table = t->test};
    return measure(ctx, t, t->model, &sample, "test", NULL, 0);
}

/* checkpoint, old: NULL: none.  The fits that choose a threshold have none. */
static smr_status fit_kept(smr_ctx *ctx, struct training *t, smr_checkpoint *checkpoint,
                           const smr_model *old, const int64_t *rows, int64_t n, smr_model **model)
{
    t->in.set->checkpoint = checkpoint;
    t->in.set->warm_start = old;
    smr_status st = smr_fit(ctx, t->in.spec, t->in.set, rows, n, model);
    t->in.set->checkpoint = NULL;
    t->in.set->warm_start = NULL;
    return st;
}

/* Where the fit that is measured begins: not at a model that was fitted on this very table, which
 * has seen the rows that are held out. */
static const smr_model *start_of_part(const struct training *t)
{
    if (!t->old || strcmp(t->old->data_hash, t->in.set->data_hash) == 0) return NULL;
    return t->old;
}

/* Fits on the other part; a threshold by a rule is chosen anew there, so that the held-out rows
 * have no say in it. */
static smr_status fit_part(smr_ctx *ctx, struct training *t, const int64_t *rows, int64_t n,
                           smr_model **model)
{
    smr_status st = SMR_OK;
    smr_threshold_row row;
    int64_t used;
    TRY(fit_kept(ctx, t, t->checkpoint_part, start_of_part(t), rows, n, model));
    if (!t->has_rule) goto out;
    bool proba = smr_model_gives(*model) & 1u << SMR_OUTPUT_PROBA;
    TRY(smr_threshold_check(ctx, &t->rule, &(*model)->target, proba));
    TRY(smr_threshold_fit(ctx, t->in.spec, t->in.set, rows, n, &t->rule, &row, &used));
    TRY(smr_threshold_keep(ctx, &t->rule, &row, used, &(*model)->target));
out:
    return st;
}

/* Before a fit that may take long: will the scores of n rows, one for each class, fit into
 * memory? */
static smr_status check_scores(smr_ctx *ctx, const struct training *t, int64_t n)
{
    const smr_target *target = &t->in.set->target;
    smr_text what = {.ctx = ctx};
    smr_status st = SMR_OK;
    if (target->task != SMR_TASK_CLASSIFY) return SMR_OK;
    smr_text_add(&what, "measuring ");
    smr_text_count(&what, n, "row");
    smr_text_add(&what, " by a score for each of ");
    smr_text_count(&what, target->classes.n, "class");
    TRY(smr_text_done(&what));
    TRY(smr_memory_check(ctx, 8.0 * (double)n * (double)target->classes.n, what.bytes,
                         "measure fewer rows, such as --holdout 0.001"));
out:
    smr_text_release(&what);
    return st;
}

static smr_status measure_on_holdout(smr_ctx *ctx, struct training *t, double share)
{
    const smr_train_set *set = t->in.set;
    smr_status st = SMR_OK;
    smr_model *model = NULL;
    smr_parts parts = {0};
    TRY(smr_set_holdout(ctx, set, &share, 1, &parts));
    const int64_t *train = smr_part_rows(&parts, 0), *test = smr_part_rows(&parts, 1);
    int64_t n_train = smr_part_size(&parts, 0), n_test = smr_part_size(&parts, 1);
    smr_advice_parts both = {
        .set = set, .train = train, .n_train = n_train, .test = test, .n_test = n_test};
    TRY(check_scores(ctx, t, n_test));
    TRY(smr_advise_parts(ctx, &both, t->advice));
    smr_advise_order(ctx, set, "samara cv --order-by", t->advice);
    session_mute(true); /* what this fit would warn of is not about the model that is kept */
    st = fit_part(ctx, t, train, n_train, &model);
    session_mute(false);
    if (st != SMR_OK) goto out;
    smr_sample sample = {
        .table = set->table, .rows = test, .n_rows = n_test, .weight = set->weight};
    TRY(measure(ctx, t, model, &sample, "holdout", train, n_train));
out:
    smr_parts_release(&parts);
    smr_model_free(model);
    return st;
}

/* Items without ratings give nothing to measure. */
static bool is_measured(const struct training *t)
{
    return t->in.set->predicts && smr_judge_can(&t->in.set->target);
}

/* Are rows held out?  Then they are measured before the saved model is fitted, which may spend the
 * table. */
static bool holds_out(const args *a, const struct training *t)
{
    const smr_train_set *set = t->in.set;
    bool some = isnan(a->holdout) || a->holdout > 0;
    return is_measured(t) && !a->test && some && set->n_rows >= 2;
}

static smr_status measure_saved(smr_ctx *ctx, const args *a, struct training *t)
{
    if (!is_measured(t)) {
        t->measured_on = "nothing";
        return SMR_OK;
    }
    if (a->test) return measure_on_test(ctx, t);
    smr_sample sample = {.table = t->in.table,
                         .rows = t->in.set->usable,
                         .n_rows = t->in.set->n_rows,
                         .weight = t->in.set->weight};
    return measure(ctx, t, t->model, &sample, "train", NULL, 0);
}

/* The saved model, and its threshold from out-of-fold predictions of all rows. */
static smr_status fit_saved(smr_ctx *ctx, struct training *t)
{
    smr_status st = SMR_OK;
    const smr_train_set *set = t->in.set;
    if (t->has_rule)
        TRY(smr_threshold_fit(ctx, t->in.spec, set, NULL, 0, &t->rule, &t->row, &t->used));
    double began = smr_now();
    TRY(fit_kept(ctx, t, t->checkpoint, t->old, NULL, 0, &t->model));
    t->fit_seconds = smr_now() - began;
    if (!t->has_rule) return SMR_OK;
    bool proba = smr_model_gives(t->model) & 1u << SMR_OUTPUT_PROBA;
    TRY(smr_threshold_check(ctx, &t->rule, &t->model->target, proba));
    TRY(smr_threshold_keep(ctx, &t->rule, &t->row, t->used, &t->model->target));
out:
    return st;
}

/* For the saved model. */
static smr_status write_oob(smr_ctx *ctx, const args *a, struct training *t)
{
    smr_status st = SMR_OK;
    smr_table *table = NULL;
    TRY(smr_oob_table(ctx, t->in.set, t->model, &table));
    t->oob_rows = table->n_rows;
    TRY(smr_table_save(ctx, table, a->oob));
out:
    smr_table_free(table);
    return st;
}

static smr_status fit_and_measure(smr_ctx *ctx, const args *a, struct training *t)
{
    smr_status st = SMR_OK;
    double share = isnan(a->holdout) ? DEFAULT_HOLDOUT : a->holdout;
    bool holdout = holds_out(a, t);
    TRY(look_at_rows(ctx, a, t));
    t->in.set->spend = (holdout || a->test) && !a->oob;
    if (holdout) TRY(measure_on_holdout(ctx, t, share));
    if (!holdout && is_measured(t))
        TRY(check_scores(ctx, t, a->test ? t->test->n_rows : t->in.set->n_rows));
    TRY(fit_saved(ctx, t));
    if (!holdout) TRY(measure_saved(ctx, a, t));
    if (a->oob) TRY(write_oob(ctx, a, t));
out:
    return st;
}

/* ---- checkpoints ------------------------------------------------------------------------ */

static smr_status check_checkpoint_words(smr_ctx *ctx, const args *a)
{
    if (!a->checkpoint && (a->goes_on || !isnan(a->checkpoint_every)))
        return smr_fail(ctx, SMR_ERR_PARAM, "--%s needs --checkpoint FILE",
                        a->goes_on ? "resume" : "every");
    if (a->checkpoint && strcmp(a->checkpoint, "-") == 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "--checkpoint needs a file, not -");
    if (!isnan(a->checkpoint_every) && !(a->checkpoint_every >= 0 && a->checkpoint_every <= 1e9))
        return smr_fail(ctx, SMR_ERR_PARAM, "--every: 0 to 1e9 seconds");
    return SMR_OK;
}

/* Rows to measure on come from one place. */
static smr_status check_measuring(smr_ctx *ctx, const args *a)
{
    if (!isnan(a->holdout) && !(a->holdout >= 0 && a->holdout < 1))
        return smr_fail(ctx, SMR_ERR_PARAM, "--holdout: a share from 0 to below 1");
    return training_check_test(ctx, a);
}

/* FILE, and FILE.part for the fit that is measured.  What does not belong to this fit is refused
 * before any work is done. */
static smr_status open_checkpoints(smr_ctx *ctx, const args *a, struct training *t)
{
    smr_status st = SMR_OK;
    smr_text part = {.ctx = ctx};
    double every = isnan(a->checkpoint_every) ? DEFAULT_EVERY : a->checkpoint_every;
    if (!a->checkpoint) return SMR_OK;
    smr_text_printf(&part, "%s.part", a->checkpoint);
    TRY(smr_text_done(&part));
    TRY(smr_checkpoint_create(ctx, a->checkpoint, every, a->goes_on, &t->checkpoint));
    TRY(smr_checkpoint_create(ctx, part.bytes, every, a->goes_on, &t->checkpoint_part));
    const char *hash = t->in.set->data_hash;
    TRY(smr_checkpoint_open(ctx, t->checkpoint, t->in.spec, NULL, hash));
    TRY(smr_checkpoint_open(ctx, t->checkpoint_part, t->in.spec, NULL, hash));
out:
    smr_text_release(&part);
    return st;
}

/* Cancelled outside the rounds of a fit: does a checkpoint stand all the same? */
static void tell_kept(smr_ctx *ctx, const args *a)
{
    char part[SMR_MESSAGE_MAX];
    if (!a->checkpoint || strcmp(smr_ctx_message(ctx), "cancelled") != 0) return;
    snprintf(part, sizeof part, "%s.part", a->checkpoint);
    bool whole = access(a->checkpoint, F_OK) == 0;
    if (!whole && access(part, F_OK) != 0) return;
    smr_begin(ctx);
    smr_fail(ctx, SMR_ERR_CANCELLED,
             "cancelled; the rounds in %s are kept: the same command with --resume continues from "
             "there",
             whole ? a->checkpoint : part);
}

static void add_checkpoint(const args *a, const struct training *t, smr_json *root)
{
    if (!t->checkpoint) return;
    smr_json *kept = smr_json_add_object(root, "checkpoint");
    smr_json_add_string(kept, "file", a->checkpoint);
    smr_json_add_number(kept, "written",
                        (double)(t->checkpoint->n_put + t->checkpoint_part->n_put));
    smr_json_add_number(kept, "resumed_at", (double)t->checkpoint->resumed_at);
}

/* ---- reporting -------------------------------------------------------------------------- */

/* The measures, and the saved model's threshold: the measures were taken with another one, chosen
 * without the held-out rows. */
static void add_judged(smr_ctx *ctx, const struct training *t, smr_json *root)
{
    judged_copy(smr_json_root(t->found), root);
    if (!smr_json_get(smr_json_root(t->found), "measures")) smr_json_add_object(root, "measures");
    if (!t->has_rule) return;
    smr_json *saved = smr_json_add_object(root, "saved");
    smr_threshold_to_json(ctx, &t->rule, &t->row,
                          t->rule.kind == SMR_THRESHOLD_GIVEN ? NULL : "out-of-fold predictions",
                          t->used, saved);
}

static smr_status fill(smr_ctx *ctx, const args *a, struct training *t, smr_json *root)
{
    const smr_model *m = t->model;
    smr_status st = SMR_OK;
    smr_json_add_string(root, "command", "train");
    smr_json_add_string(root, "data", t->in.path);
    TRY(judged_model(ctx, m, root));
    smr_json_add_number(root, "columns",
                        (double)(t->in.table->n_cols + t->in.table->sparse.n_cols));
    smr_json_add_number(root, "rows", (double)m->n_rows);
    smr_json_add_number(root, "seed", (double)m->seed);
    smr_json_add_number(root, "threads", smr_ctx_threads(ctx));
    smr_json_add_number(root, "read_seconds", t->in.read_seconds);
    smr_json_add_number(root, "fit_seconds", t->fit_seconds);
    smr_fit_report_json(&m->fit, smr_json_add_object(root, "fit"));
    if (t->report) TRY(smr_view_stages(ctx, m, root));
    add_judged(ctx, t, root);
    smr_json_add_number(root, "predict_seconds", t->predict_seconds);
    smr_json_add_string(root, "measured_on", t->measured_on);
    smr_json_add_number(root, "measured_rows", (double)t->measured_rows);
    smr_json_add_number(root, "peak_memory_bytes", session_peak_memory(ctx));
    if (a->output)
        smr_json_add_string(root, "model", a->output);
    else
        smr_json_add_null(root, "model");
    if (a->oob) {
        smr_json *oob = smr_json_add_object(root, "out_of_bag");
        smr_json_add_string(oob, "file", a->oob);
        smr_json_add_number(oob, "rows", (double)t->oob_rows);
    }
    add_checkpoint(a, t, root);
    if (a->warm_start) smr_json_add_string(root, "warm_start", a->warm_start);
    session_add_warnings(root);
    judged_copy_figures(smr_json_root(t->found), root);
    TRY(smr_json_done(root->doc));
out:
    return st;
}

/* What the model file keeps of this: the measures, where they come from, no times. */
static smr_status keep_summary(smr_ctx *ctx, const struct training *t, const smr_json *measures)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    smr_text text = {.ctx = ctx};
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "measured_on", t->measured_on);
    smr_json_add_number(root, "measured_rows", (double)t->measured_rows);
    for (const smr_json *m = measures->first; m; m = m->next)
        if (m->type == SMR_JSON_NUMBER) smr_json_add_number(root, m->key, m->number);
    TRY(smr_json_done(doc));
    smr_json_write(root, 0, &text);
    TRY(smr_text_done(&text));
    t->model->summary = text.bytes;
    text.bytes = NULL;
out:
    smr_text_release(&text);
    smr_json_free(doc);
    return st;
}

static void show_task(const struct training *t, smr_text *out)
{
    const smr_target *target = &t->model->target;
    if (target->task == SMR_TASK_NONE) return;
    smr_text_printf(out, "task      %s%s", smr_task_name(target->task),
                    target->held ? ", beside "
                    : target->n  ? " "
                                 : "");
    for (int64_t j = 0; j < target->n; j++)
        smr_text_printf(out, "%s%s", j ? ", " : "", target->names[j]);
    for (int64_t k = 0; k < target->classes.n && k < 10; k++) {
        int64_t length;
        const char *name = smr_strings_get(&target->classes, k, &length);
        smr_text_add(out, k ? ", " : ": ");
        smr_text_add_bytes(out, name, length);
    }
    if (target->classes.n > 10)
        smr_text_printf(out, ", ... (%lld classes)", (long long)target->classes.n);
    smr_text_add(out, "\n");
}

static void show_measures(const struct training *t, const smr_json *root, smr_text *out)
{
    if (!is_measured(t)) return;
    static const struct {
        const char *on, *one, *many;
    } places[] = {{"holdout", "held-out row that this fit did not see",
                   "held-out rows that this fit did not see"},
                  {"test", "row of --test", "rows of --test"},
                  {"train", "training row itself: an optimistic figure",
                   "training rows themselves: an optimistic figure"}};
    for (int64_t i = 0; i < SMR_COUNT(places); i++)
        if (strcmp(places[i].on, t->measured_on) == 0)
            smr_text_printf(out, "measured  on %lld %s\n", (long long)t->measured_rows,
                            smr_plural(t->measured_rows, places[i].one, places[i].many));
    judged_measures(root, out);
}

/* The features that come in, and those that the last stage got, where stages made others. */
static void show_fit(const struct training *t, smr_text *out)
{
    const smr_model *m = t->model;
    int64_t n_in = m->schema.n_inputs + m->schema.n_sparse;
    int64_t n_last = m->n_stages ? m->stages[m->n_stages - 1].n_in : n_in;
    smr_text_add(out, "fitted    ");
    smr_text_count(out, m->n_rows, "row");
    smr_text_add(out, ", ");
    smr_text_count(out, n_in, "feature");
    if (n_last != n_in)
        smr_text_printf(out, " (%lld for %s)", (long long)n_last,
                        m->stages[m->n_stages - 1].learner->word->name);
    smr_text_add(out, ", ");
    smr_text_rounded(out, t->fit_seconds, 3);
    smr_text_add(out, " s");
    if (m->fit.n_iter) smr_text_add(out, ", ");
    if (m->fit.n_iter) smr_text_count(out, m->fit.n_iter, "iteration");
    if (!m->fit.converged) smr_text_add(out, ", not converged");
    smr_text_add(out, "\n");
}

static void show_saved_threshold(const struct training *t, smr_text *out)
{
    if (!t->has_rule || t->rule.kind == SMR_THRESHOLD_GIVEN) return;
    smr_text_add(out, "threshold ");
    smr_text_rounded(out, t->row.threshold, 6);
    smr_text_printf(out, " in the saved model: %s\n", t->model->target.threshold_how);
}

static void show_all(const args *a, const struct training *t, const smr_json *root, smr_text *out)
{
    smr_text_printf(out, "read      %s: ", t->in.path);
    smr_text_count(out, t->in.table->n_rows, "row");
    smr_text_add(out, ", ");
    smr_text_count(out, t->in.table->n_cols + t->in.table->sparse.n_cols, "column");
    smr_text_add(out, ", ");
    smr_text_rounded(out, t->in.read_seconds, 3);
    smr_text_add(out, " s\n");
    show_task(t, out);
    smr_text_printf(out, "model     %s\n", smr_json_get_string(root, "spec", ""));
    show_fit(t, out);
    if (t->checkpoint && t->checkpoint->resumed_at > 0)
        smr_text_printf(out, "resumed   after round %lld, from %s\n",
                        (long long)t->checkpoint->resumed_at, a->checkpoint);
    if (a->warm_start) smr_text_printf(out, "began at  %s\n", a->warm_start);
    show_measures(t, root, out);
    show_saved_threshold(t, out);
    if (a->output)
        smr_text_printf(out, "saved     %s\n", a->output);
    else
        smr_text_add(out, "not saved; -o FILE keeps the model\n");
    if (a->oob)
        smr_text_printf(out, "saved     %s, the out-of-bag predictions of %lld rows\n", a->oob,
                        (long long)t->oob_rows);
}

/* --quiet: the result alone, which is the model where that is saved. */
static smr_status show(smr_ctx *ctx, const args *a, const struct training *t, const smr_json *root)
{
    smr_text out = screen_text(ctx);
    if (!a->quiet)
        show_all(a, t, root, &out);
    else if (!a->output)
        show_measures(t, root, &out);
    smr_status st = session_print(ctx, &out);
    smr_text_release(&out);
    return st;
}

smr_status run_train(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    struct training t = {0};
    smr_json_doc *doc = NULL;
    training_words(a, &t.in);
    TRY(check_measuring(ctx, a));
    TRY(check_checkpoint_words(ctx, a));
    t.has_rule = a->threshold != NULL;
    if (t.has_rule) TRY(smr_threshold_parse(ctx, a->threshold, &t.rule));
    t.in.spend = true; /* targets are not to be views of the table */
    if (a->warm_start) TRY(smr_model_load(ctx, a->warm_start, &t.old));
    TRY(training_open(ctx, a, &t.in));
    if (!is_measured(&t) && (a->test || a->holdout > 0))
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "--%s: this sentence predicts nothing that could be measured; leave it out",
                     a->test ? "test" : "holdout"));
    TRY(plots_check_target(ctx, a, &t.in.set->target));
    if (t.has_rule && smr_threshold_of_outliers(&t.rule, t.in.set)) t.has_rule = false;
    if (t.old) TRY(smr_warm_check(ctx, t.old, t.in.spec, t.in.set)); /* before any work */
    t.in.set->keep_left_out = a->oob != NULL;
    TRY(open_checkpoints(ctx, a, &t));
    TRY(smr_json_create(ctx, &t.found));
    t.advice = smr_json_add_array(smr_json_root(t.found), "advice");
    TRY(smr_json_done(t.found));
    t.report = a->report != NULL;
    if (t.report) TRY(smr_view_table(ctx, t.in.table, smr_json_root(t.found)));
    TRY(fit_and_measure(ctx, a, &t));
    TRY(smr_json_create(ctx, &doc));
    TRY(fill(ctx, a, &t, smr_json_root(doc)));
    TRY(keep_summary(ctx, &t, smr_json_get(smr_json_root(doc), "measures")));
    if (a->output) TRY(smr_model_save(ctx, t.model, a->output));
    TRY(a->json ? session_print_json(ctx, smr_json_root(doc))
                : show(ctx, a, &t, smr_json_root(doc)));
    TRY(plots_write(ctx, a, smr_json_root(doc)));
    if (t.checkpoint) smr_checkpoint_remove(t.checkpoint);
    if (t.checkpoint) smr_checkpoint_remove(t.checkpoint_part);
out:
    if (st == SMR_ERR_CANCELLED) tell_kept(ctx, a);
    smr_checkpoint_free(t.checkpoint);
    smr_checkpoint_free(t.checkpoint_part);
    smr_json_free(doc);
    smr_json_free(t.found);
    smr_model_free(t.model);
    smr_model_free(t.old);
    smr_table_free(t.test);
    training_close(&t.in);
    return st;
}
