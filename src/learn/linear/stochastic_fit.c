/* stochastic_fit.c -- passes over shuffled rows; see stochastic.h.
 *
 * The order of pass p is a permutation drawn from (seed, p), of the rows with a weight above 0. */
#include "learn/linear/stochastic_parts.h"

#include "core/rng.h"
#include "kernel/kernel.h"
#include "learn/linear/affine.h"
#include "learn/linear/held_rows.h"
#include "learn/linear/start.h"

#include <math.h>
#include <string.h>

enum { FIRST_PASSES = 64 };
#define LEAST_FACTOR 1e-4 /* an adaptive rate that fell below it, to 0.2^6, has nothing to move */

struct fitting {
    const smr_stochastic_opts *opts;
    const smr_data *data;
    smr_form form;
    int64_t *rows, *order; /* with a weight; in the order of the pass */
    int64_t n;
    struct machine machine;
    smr_gradient_watch watch;
    smr_stochastic_trace *trace;
    smr_fit_report *report;
    double best;     /* loss of the best pass      */
    int64_t waiting; /* passes without progress    */
};

/* ---- rows ------------------------------------------------------------------------------- */

static smr_status choose_rows(smr_ctx *ctx, struct fitting *f)
{
    const smr_data *data = f->data;
    smr_status st = SMR_OK;
    TRY_NEW(f->rows, data->n_rows);
    TRY(smr_held_check_weights(ctx, f->opts->learner, 0, data->n_rows, data->weight, NULL));
    for (int64_t i = 0; i < data->n_rows; i++)
        if (smr_data_weight(data, i) > 0) f->rows[f->n++] = i;
    if (f->n == 0) TRY(smr_fail(ctx, SMR_ERR_DATA, "%s: no row has a weight", f->opts->learner));
    if (data->y)
        TRY(smr_loss_check(ctx, f->opts->loss, f->opts->param, data->n_rows * data->n_outputs,
                           data->y));
    TRY_NEW(f->order, f->n);
out:
    return st;
}

static void shuffle(smr_ctx *ctx, struct fitting *f, int64_t pass)
{
    if (!f->opts->how->shuffle) {
        memcpy(f->order, f->rows, (size_t)f->n * sizeof *f->order);
        return;
    }
    smr_random_permutation(ctx->seed, SMR_STREAM_SGD, (uint64_t)pass, f->n, f->order);
    for (int64_t i = 0; i < f->n; i++) f->order[i] = f->rows[f->order[i]];
}

/* ---- a pass ----------------------------------------------------------------------------- */

static smr_status learn_block(smr_ctx *ctx, void *arg, const smr_rows *rows,
                              const smr_truths *truths)
{
    struct fitting *f = arg;
    return smr_machine_learn(ctx, &f->machine, rows, truths, NULL);
}

static double penalty(const struct fitting *f)
{
    const smr_stochastic *m = f->machine.model;
    int64_t n = m->n_scores * m->n_features;
    double one = 0;
    for (int64_t j = 0; j < n; j++) one += fabs(m->coef[j]);
    return f->opts->l1 * one + f->opts->l2 * 0.5 * smr_dot_f64(n, m->coef, m->coef);
}

static void begin_pass(struct fitting *f)
{
    f->machine.value = 0;
    if (!f->machine.watch) return;
    double *direction = f->watch.direction;
    int64_t n = f->watch.n;
    memset(direction, 0, (size_t)n * sizeof *direction);
    f->watch = (smr_gradient_watch){.n = n, .scale = 1, .direction = direction};
}

/* Is there progress left to make?  loss: the mean of the pass. */
static bool goes_on(struct fitting *f, double loss)
{
    const smr_stochastic_opts *o = f->opts;
    smr_sgd_state *w = &f->machine.weights;
    if (w->opts.schedule.kind == SMR_SCHEDULE_ADAPTIVE) {
        smr_sgd_judge(w, loss);
        f->machine.intercepts.head[SMR_HEAD_FACTOR] = w->head[SMR_HEAD_FACTOR];
        return w->head[SMR_HEAD_FACTOR] > LEAST_FACTOR;
    }
    if (!(loss >= f->best - o->tol * fabs(f->best))) {
        f->best = loss;
        f->waiting = 0;
        return true;
    }
    return ++f->waiting < o->how->patience;
}

/* Room for one more pass in a record that grows by doubling; *record NULL: not kept. */
static smr_status make_way(smr_ctx *ctx, int64_t pass, double **record)
{
    bool is_full = pass >= FIRST_PASSES && (pass & (pass - 1)) == 0;
    if (!*record || !is_full) return SMR_OK;
    double *wider = smr_realloc(ctx, *record, 2 * pass, sizeof *wider);
    if (!wider) return SMR_ERR_NOMEM;
    *record = wider;
    return SMR_OK;
}

static smr_status record_pass(smr_ctx *ctx, const struct fitting *f, int64_t pass, double loss)
{
    smr_stochastic_trace *t = f->trace;
    smr_status st = SMR_OK;
    if (!t) return SMR_OK;
    TRY(make_way(ctx, pass, &t->loss));
    TRY(make_way(ctx, pass, &t->rate));
    TRY(make_way(ctx, pass, &t->variance));
    TRY(make_way(ctx, pass, &t->square));
    t->loss[pass] = loss;
    t->rate[pass] = f->machine.rate;
    if (t->variance) {
        t->variance[pass] = f->watch.variance;
        t->square[pass] = f->watch.square;
    }
    t->n = pass + 1;
out:
    return st;
}

static smr_status run_pass(smr_ctx *ctx, struct fitting *f, int64_t pass, bool *on)
{
    smr_status st = SMR_OK;
    begin_pass(f);
    shuffle(ctx, f, pass);
    TRY(smr_held_walk(ctx, f->data, f->form, f->order, f->n, learn_block, f));
    smr_machine_flush(&f->machine);
    smr_machine_write(&f->machine);
    double loss = (f->machine.value + penalty(f)) / (double)f->n;
    TRY(smr_fit_step(ctx, f->report, loss));
    *on = goes_on(f, loss);
    TRY(record_pass(ctx, f, pass, loss));
out:
    return st;
}

/* ---- the end ---------------------------------------------------------------------------- */

static smr_status value_block(smr_ctx *ctx, void *arg, const smr_rows *rows,
                              const smr_truths *truths)
{
    struct machine *m = &((struct fitting *)arg)->machine;
    (void)ctx;
    for (int64_t i = 0; i < rows->n; i++) {
        smr_rows one = *rows;
        one.n = 1;
        if (rows->form == SMR_FORM_SPARSE)
            one.start += i;
        else
            one.x = (const char *)rows->x + i * rows->stride *
                                                (rows->form == SMR_FORM_F64   ? 8
                                                 : rows->form == SMR_FORM_F32 ? 4
                                                                              : 1);
        smr_affine_predict(m->d, m->q, m->model->coef, m->model->intercept, &one, m->f);
        m->value += (truths->weight ? truths->weight[i] : 1) *
                    smr_machine_loss(m, truths, i, m->f, true, m->slope);
    }
    return SMR_OK;
}

/* (1) at the weights found. */
static smr_status judge(smr_ctx *ctx, struct fitting *f)
{
    smr_status st = SMR_OK;
    f->machine.value = 0;
    TRY(smr_held_walk(ctx, f->data, f->form, f->rows, f->n, value_block, f));
    f->report->objective = f->machine.value + penalty(f);
out:
    return st;
}

static smr_status make_trace(smr_ctx *ctx, const smr_stochastic_opts *o, smr_stochastic_trace *t)
{
    smr_status st = SMR_OK;
    if (!t) return SMR_OK;
    TRY_NEW(t->loss, FIRST_PASSES);
    TRY_NEW(t->rate, FIRST_PASSES);
    if (o->how->watch) {
        TRY_NEW(t->variance, FIRST_PASSES);
        TRY_NEW(t->square, FIRST_PASSES);
    }
out:
    return st;
}

static smr_status make_passes(smr_ctx *ctx, struct fitting *f)
{
    const smr_stochastic_opts *o = f->opts;
    smr_status st = SMR_OK;
    bool on = true;
    for (int64_t pass = 0; on && pass < o->how->passes; pass++) {
        TRY(smr_tick(ctx, "passing over the rows", pass, o->how->passes, f->report->objective));
        TRY(run_pass(ctx, f, pass, &on));
    }
    f->report->converged = !on;
    if (on)
        smr_warn(ctx,
                 "%s: %lld %s did not reach the end of progress (tol); more passes, a larger "
                 "tol, or standardize before it would",
                 o->learner, (long long)o->how->passes,
                 smr_plural(o->how->passes, "pass", "passes"));
    TRY(judge(ctx, f));
out:
    return st;
}

smr_status smr_stochastic_fit(smr_ctx *ctx, const smr_stochastic_opts *o, const smr_data *data,
                              smr_stochastic *model, smr_fit_report *report,
                              smr_stochastic_trace *trace)
{
    smr_status st = SMR_OK;
    smr_shape shape = {.n_features = data->n_features,
                       .task = data->task,
                       .n_outputs = data->n_outputs,
                       .n_classes = data->n_classes};
    struct fitting f = {.opts = o, .data = data, .report = report, .trace = trace};
    f.best = INFINITY;
    f.form = smr_data_is_sparse(data) ? SMR_FORM_SPARSE : smr_data_natural_form(data);
    *model =
        (smr_stochastic){.n_features = data->n_features, .n_scores = smr_stochastic_scores(&shape)};
    TRY_NEW(model->coef, model->n_scores * model->n_features);
    TRY_NEW(model->intercept, model->n_scores);
    smr_linear_start(report, data, model->n_scores, model->coef, model->intercept);
    TRY(choose_rows(ctx, &f));
    TRY(make_trace(ctx, o, trace));
    TRY(smr_machine_open(ctx, o, model, f.n, &f.machine));
    f.machine.wants_value = true;
    if (o->how->watch) {
        TRY(smr_watch_init(ctx, model->n_scores * (model->n_features + 1), 0, &f.watch));
        f.machine.watch = &f.watch;
    }
    TRY(make_passes(ctx, &f));
out:
    smr_machine_close(&f.machine);
    smr_watch_release(&f.watch);
    smr_free(model->optimiser);
    model->optimiser = NULL;
    model->n_optimiser = 0;
    smr_free(f.rows);
    smr_free(f.order);
    return st;
}
