/* stochastic_fit.c -- passes over shuffled rows; see stochastic.h.
 *
 * The order of pass p is a permutation drawn from (seed, p), of the rows with a weight above 0. */
#include "learn/linear/stochastic_parts.h"

#include "core/rng.h"
#include "core/text.h"
#include "kernel/kernel.h"
#include "learn/effort.h"
#include "learn/linear/held_rows.h"
#include "learn/linear/start.h"
#include "learn/linear/stochastic_finish.h"
#include "learn/present.h"

#include <math.h>
#include <string.h>

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
    double *moments; /* 2 d: sums of weight x, x^2 */
    double total;    /* of the weights             */
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

static smr_status moments_block(smr_ctx *ctx, void *arg, const smr_rows *rows,
                                const smr_truths *truths)
{
    struct fitting *f = arg;
    int64_t d = f->data->n_features;
    (void)ctx;
    for (int64_t i = 0; i < rows->n; i++) {
        smr_row r = smr_row_of(rows, i, f->machine.x);
        double weight = truths->weight ? truths->weight[i] : 1;
        f->total += weight;
        for (int64_t e = 0; e < r.n; e++) {
            int64_t j = r.index ? r.index[e] : e;
            f->moments[j] += weight * r.x[e];
            f->moments[d + j] += weight * r.x[e] * r.x[e];
        }
    }
    return SMR_OK;
}

/* The rows' sum of squares around the columns' means, as if each column, whose unit may differ, had
 * the geometric mean of their variances. */
static double sum_of_squares(const struct fitting *f)
{
    int64_t d = f->data->n_features, n = 0;
    double logs = 0;
    for (int64_t j = 0; j < d; j++) {
        double mean = f->moments[j] / f->total, square = f->moments[d + j] / f->total;
        double variance = square - mean * mean;
        if (!(variance > 1e-12 * square) || !isfinite(variance)) continue;
        logs += smr_log(variance);
        n++;
    }
    if (n == 0) return 0;
    return f->total * (double)n * smr_exp(logs / (double)n);
}

/* Mean distance of the targets from their mean. */
static double spread_of_targets(const struct fitting *f)
{
    const smr_data *data = f->data;
    int64_t q = data->n_outputs;
    double size = 0;
    for (int64_t c = 0; data->y && c < q; c++) {
        double mean = 0, sum = 0;
        for (int64_t i = 0; i < f->n; i++) mean += data->y[f->rows[i] * q + c] / (double)f->n;
        for (int64_t i = 0; i < f->n; i++) sum += fabs(data->y[f->rows[i] * q + c] - mean);
        size += sum / (double)(f->n * q);
    }
    return size;
}

/* The penalty that was left to the rows. */
static smr_status choose_penalty(smr_ctx *ctx, struct fitting *f, smr_stochastic_opts *own)
{
    smr_status st = SMR_OK;
    if (!isnan(own->l2)) return SMR_OK;
    TRY_NEW(f->moments, 2 * f->data->n_features);
    TRY(smr_held_walk(ctx, f->data, f->form, f->rows, f->n, moments_block, f));
    own->l2 =
        smr_stochastic_penalty(own->loss, own->param, sum_of_squares(f), spread_of_targets(f));
out:
    smr_free(f->moments);
    f->moments = NULL;
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

/* Was there progress, in the last passes?  loss: the mean of the pass. */
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
    if (++f->waiting < o->how->patience) return true;
    f->waiting = 0;
    return false;
}

static smr_status record_pass(smr_ctx *ctx, const struct fitting *f, int64_t pass, double loss)
{
    smr_stochastic_trace *t = f->trace;
    smr_status st = SMR_OK;
    if (!t) return SMR_OK;
    TRY(smr_fit_record(ctx, pass, loss, &t->loss));
    TRY(smr_fit_record(ctx, pass, f->machine.rate, &t->rate));
    if (f->opts->how->watch) {
        TRY(smr_fit_record(ctx, pass, f->watch.variance, &t->variance));
        TRY(smr_fit_record(ctx, pass, f->watch.square, &t->square));
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

/* Judges the weights found, and with passes goes on from them. */
static smr_status finish(smr_ctx *ctx, struct fitting *f, int64_t passes, smr_finish *out)
{
    *out = (smr_finish){.machine = &f->machine,
                        .data = f->data,
                        .form = f->form,
                        .rows = f->rows,
                        .n = f->n,
                        .report = f->report};
    smr_status st = smr_stochastic_finish(ctx, out, passes);
    if (st != SMR_OK) return st;
    f->report->objective = out->objective;
    f->report->converged = out->converged;
    return SMR_OK;
}

/* "the gradient is 0.49 of ..., and should be 0.001": the certificate that failed. */
static void say_lack(const smr_finish *end, double tol, smr_text *text)
{
    static const struct {
        const char *is, *of;
    } words[] = {
        [SMR_LACK_GRADIENT] = {"the gradient is ",
                               " of that of the model without coefficients, and should be "},
        [SMR_LACK_BOUND] = {"all that is proven is that the objective is at most ",
                            " of itself above its least, and that should be "},
        [SMR_LACK_KINKS] = {"rounding the kinks of the loss changes the objective by ",
                            " of it, and should by at most "},
        [SMR_LACK_GAP] = {"the duality gap is ", " of the objective, and should be "},
    };
    smr_text_add(text, words[end->lack].is);
    smr_text_rounded(text, end->off, 2);
    smr_text_add(text, words[end->lack].of);
    smr_text_rounded(text, tol, 2);
}

static smr_status warn(smr_ctx *ctx, const struct fitting *f, const smr_finish *end)
{
    const smr_stochastic_opts *o = f->opts;
    smr_text text = {.ctx = ctx};
    smr_status st = SMR_OK;
    bool is_auto = o->how->schedule == SMR_SCHEDULE_BY_USE;
    smr_text_printf(&text, "%s: not converged after %lld %s: ", o->learner,
                    (long long)f->report->n_iter, smr_plural(f->report->n_iter, "pass", "passes"));
    say_lack(end, o->end, &text);
    const char *else_ =
        !smr_machine_is_even(&f->machine, f->form) ? "put standardize before it" : o->ease;
    smr_text_add(&text, "; raise passes");
    if (!is_auto)
        smr_text_add(&text, else_ ? ", leave the schedule out" : ", or leave the schedule out");
    if (else_) smr_text_printf(&text, ", or %s", else_);
    TRY(smr_text_done(&text));
    smr_warn(ctx, "%s", text.bytes);
out:
    smr_text_release(&text);
    return st;
}

/* Passes of an auto schedule leave half of them to full gradients. */
static smr_status make_passes(smr_ctx *ctx, struct fitting *f)
{
    const struct smr_stochastic_params *how = f->opts->how;
    bool is_auto = how->schedule == SMR_SCHEDULE_BY_USE, on = true;
    bool is_adaptive = f->machine.weights.opts.schedule.kind == SMR_SCHEDULE_ADAPTIVE;
    int64_t pass = 0, most = is_auto ? (how->passes + 1) / 2 : how->passes;
    smr_finish end = {0};
    smr_status st = SMR_OK;
    while (pass < most) {
        TRY(smr_tick(ctx, "passing over the rows", pass, how->passes, f->report->objective));
        TRY(run_pass(ctx, f, pass++, &on));
        if (on) continue;
        if (is_auto) break;
        TRY(finish(ctx, f, 0, &end));
        if (end.converged || is_adaptive) goto out;
    }
    TRY(finish(ctx, f, is_auto ? how->passes - pass : 0, &end));
out:
    if (st == SMR_OK && !end.converged) st = warn(ctx, f, &end);
    return st;
}

/* Values of a row that count, about. */
static double row_length(const smr_data *data)
{
    const smr_csr *x = data->sparse;
    if (!x || x->n_rows < 1) return (double)data->n_features;
    return (double)x->start[x->n_rows] / (double)x->n_rows;
}

static void tell_effort(smr_ctx *ctx, const struct fitting *f)
{
    const struct machine *m = &f->machine;
    double length = f->form == SMR_FORM_SPARSE ? row_length(f->data) : (double)m->d;
    smr_effort_tell(ctx,
                    &(smr_effort){.learner = f->opts->learner,
                                  .round = "pass",
                                  .rounds = "passes",
                                  .each = 2 * (double)f->n * (double)m->q * (length + 8),
                                  .most = f->opts->how->passes,
                                  .least = smr_fmin(4, (double)f->opts->how->passes),
                                  .advice = m->q > 100 ? "every row is compared with every class: "
                                                         "join classes, or take knn or tree"
                                                       : "take fewer rows or passes"});
}

/* Two classes that alone have rows share their score: halves of it for a softmax, else each has it
 * with its sign, as where each class is told from the rest. */
static double share_of(const smr_stochastic_opts *o)
{
    return o->loss->id == SMR_LOSS_CROSS_ENTROPY ? 0.5 : 1;
}

/* Where the weights begin: at those of an earlier fit, or at 0. */
static smr_status begin_model(smr_ctx *ctx, struct fitting *f, const smr_present *present,
                              const smr_data *data, smr_stochastic *model)
{
    smr_status st = SMR_OK;
    smr_shape all = {
        .task = data->task, .n_outputs = data->n_outputs, .n_classes = data->n_classes};
    int64_t d = data->n_features, q = smr_stochastic_scores(&all);
    double *coef = NULL, *intercept = NULL;
    TRY_NEW(model->coef, model->n_scores * d);
    TRY_NEW(model->intercept, model->n_scores);
    if (present->is_all) {
        smr_linear_start(f->report, data, q, model->coef, model->intercept);
        goto out;
    }
    TRY_NEW(coef, q * d);
    TRY_NEW(intercept, q);
    if (smr_linear_start(f->report, data, q, coef, intercept))
        smr_present_gather(present, q, d, coef, intercept, model->coef, model->intercept);
out:
    smr_free(coef);
    smr_free(intercept);
    return st;
}

/* The scores of all classes. */
static smr_status end_model(smr_ctx *ctx, const smr_present *present, int64_t n_classes,
                            smr_stochastic *model)
{
    smr_status st = SMR_OK;
    int64_t d = model->n_features;
    double *coef = NULL, *intercept = NULL;
    if (present->is_all) return SMR_OK;
    TRY_NEW(coef, n_classes * d);
    TRY_NEW(intercept, n_classes);
    smr_present_spread(present, n_classes, d, model->coef, model->intercept, SMR_ABSENT, coef,
                       intercept);
    smr_free(model->coef);
    smr_free(model->intercept);
    model->coef = coef;
    model->intercept = intercept;
    model->n_scores = n_classes;
    coef = intercept = NULL;
out:
    smr_free(coef);
    smr_free(intercept);
    return st;
}

smr_status smr_stochastic_fit(smr_ctx *ctx, const smr_stochastic_opts *given, const smr_data *all,
                              smr_stochastic *model, smr_fit_report *report,
                              smr_stochastic_trace *trace)
{
    smr_stochastic_opts own = *given, *o = &own;
    smr_status st = SMR_OK;
    smr_present present = {.data = *all, .is_all = true};
    *model = (smr_stochastic){0};
    const smr_data *data = &present.data;
    struct fitting f = {.opts = o, .data = data, .report = report, .trace = trace};
    f.best = INFINITY;
    f.form = smr_data_is_sparse(all) ? SMR_FORM_SPARSE : smr_data_natural_form(all);
    if (all->task == SMR_TASK_CLASSIFY && all->label) TRY(smr_present_find(ctx, all, &present));
    present.share = share_of(o);
    smr_shape shape = {
        .task = data->task, .n_outputs = data->n_outputs, .n_classes = data->n_classes};
    model->n_features = data->n_features;
    model->n_scores = smr_stochastic_scores(&shape);
    TRY(begin_model(ctx, &f, &present, all, model));
    TRY(choose_rows(ctx, &f));
    TRY(smr_machine_open(ctx, o, model, f.n, &f.machine));
    TRY(choose_penalty(ctx, &f, o));
    f.machine.wants_value = true;
    if (o->how->watch) {
        TRY(smr_watch_init(ctx, model->n_scores * (model->n_features + 1), 0, &f.watch));
        f.machine.watch = &f.watch;
    }
    tell_effort(ctx, &f);
    TRY(make_passes(ctx, &f));
    TRY(end_model(ctx, &present, all->n_classes, model));
out:
    smr_machine_close(&f.machine);
    smr_watch_release(&f.watch);
    smr_free(model->optimiser);
    model->optimiser = NULL;
    model->n_optimiser = 0;
    smr_free(f.rows);
    smr_free(f.order);
    smr_present_release(&present);
    return st;
}
