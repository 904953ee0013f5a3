/* stochastic.c -- one row after another; see stochastic.h. */
#include "learn/linear/stochastic.h"

#include "core/parallel.h"
#include "core/text.h"
#include "kernel/kernel.h"
#include "learn/linear/held_rows.h"
#include "learn/linear/stochastic_parts.h"

#include <math.h>
#include <string.h>

enum { STREAM_OFFSET = 1000 };
#define WORK 1e6 /* multiplications between two looks at whether to stop */

const smr_choice smr_stochastic_methods[] = {
    {"plain", "the gradient itself"},
    {"momentum", "with a share of the last step"},
    {"nesterov", "momentum that looks ahead"},
    {"adagrad", "each weight's step is divided by the root of the sum of its squared gradients"},
    {"rmsprop", "like adagrad, with a running mean in place of the sum"},
    {"adam", "rmsprop applied to a running mean of the gradients"},
    {"adamw", "adam, with the l2 penalty kept out of the gradient"},
    {NULL, NULL},
};

const smr_choice smr_stochastic_schedules[] = {
    {"constant", "it stays constant"},
    {"per_step", "like 1 / t"},
    {"root", "like 1 / sqrt(t)"},
    {"inverse", "like 1 / t^power"},
    {"step", "to a tenth after each period"},
    {"cosine", "along a cosine, down to 0"},
    {"adaptive", "divided by five whenever passes make no progress"},
    [SMR_SCHEDULE_BY_USE] = {"auto", "constant until passes make no more progress, then full "
                                     "gradients finish the fit; root in a stream"},
    {NULL, NULL},
};

struct smr_stochastic_params smr_stochastic_steps(int schedule, double rate, int64_t batch,
                                                  int64_t passes, bool average)
{
    return (struct smr_stochastic_params){.method = SMR_SGD_PLAIN,
                                          .schedule = schedule,
                                          .rate = rate,
                                          .power = 0.75,
                                          .momentum = 0.9,
                                          .batch = batch,
                                          .passes = passes,
                                          .patience = 3,
                                          .average = average,
                                          .shuffle = true};
}

double smr_stochastic_penalty(const smr_loss *loss, double param, double sum, double size)
{
    double l2 = 1e-5 * sum;
    if (loss->kind != SMR_LOSS_RESIDUAL || loss->id == SMR_LOSS_SQUARED || !(size > 0)) return l2;
    if (loss->id == SMR_LOSS_HUBER) return l2 * smr_fmin(1, param / size);
    return l2 / size;
}

/* ---- options ---------------------------------------------------------------------------- */

int64_t smr_stochastic_scores(const smr_shape *shape)
{
    if (shape->task == SMR_TASK_REGRESS) return SMR_MAX(1, shape->n_outputs);
    return shape->n_classes <= 2 ? 1 : shape->n_classes;
}

static bool has_period(const struct smr_stochastic_params *how)
{
    return how->schedule == SMR_SCHEDULE_STEP || how->schedule == SMR_SCHEDULE_COSINE;
}

smr_status smr_stochastic_check(smr_ctx *ctx, const smr_stochastic_opts *o)
{
    if (o->loss->id == SMR_LOSS_ZERO_ONE)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "%s: the 0-1 loss has slope 0 everywhere, so no gradient leads anywhere; "
                        "take hinge, logistic or perceptron",
                        o->learner);
    return smr_loss_check(ctx, o->loss, o->param, 0, NULL);
}

static enum path path_of(const smr_stochastic_opts *o)
{
    if (o->how->method == SMR_SGD_ADAGRAD) return PATH_LISTS;
    if (o->how->method != SMR_SGD_PLAIN) return PATH_ALL;
    return o->l1 > 0 ? PATH_LISTS : PATH_ROWS;
}

static double steps_of_pass(const smr_stochastic_opts *o, int64_t n_rows)
{
    return (double)smr_block_count(n_rows, o->how->batch);
}

/* Options of the weights' state; those of the intercepts are the same without penalties. */
static smr_sgd_opts sgd_opts(const smr_stochastic_opts *o, int64_t n_rows)
{
    const struct smr_stochastic_params *how = o->how;
    bool is_stream = n_rows == 0;
    double pass = is_stream ? STREAM_OFFSET : steps_of_pass(o, n_rows);
    smr_sgd_opts s = {.method = (smr_sgd_method)how->method,
                      .momentum = how->momentum,
                      .l1 = o->l1,
                      .l2 = isnan(o->l2) ? 1 : o->l2, /* tune sets it */
                      .is_sparse = path_of(o) != PATH_ALL};
    int kind = how->schedule;
    if (kind == SMR_SCHEDULE_BY_USE) kind = is_stream ? SMR_SCHEDULE_ROOT : SMR_SCHEDULE_CONSTANT;
    s.schedule = (smr_schedule){.kind = (smr_schedule_kind)kind,
                                .rate = how->rate > 0 ? how->rate : 1,
                                .offset = how->offset > 0 ? smr_fmax(1, how->offset) : pass,
                                .power = how->power,
                                .period = how->period,
                                .patience = (double)how->patience,
                                .progress = o->tol};
    if (has_period(how) && how->period == 0)
        s.schedule.period =
            smr_fmax(1, pass * (double)how->passes / (how->schedule == SMR_SCHEDULE_STEP ? 3 : 1));
    if (how->average) s.average_from = how->passes == 1 && !is_stream ? 1 : pass + 1;
    return s;
}

/* What the first rate is multiplied with, so that the schedule begins there. */
static double lift_of(const smr_schedule *s)
{
    switch (s->kind) {
    case SMR_SCHEDULE_PER_STEP: return s->offset;
    case SMR_SCHEDULE_ROOT: return sqrt(s->offset);
    case SMR_SCHEDULE_INVERSE: return smr_pow(s->offset, s->power);
    default: return 1;
    }
}

/* A loss of classes with one score, where there are two. */
static const smr_loss *loss_for(const smr_loss *loss, int64_t n_scores)
{
    if (n_scores > 1 || loss->kind != SMR_LOSS_CLASSES) return loss;
    return &smr_losses[loss->id == SMR_LOSS_CROSS_ENTROPY ? SMR_LOSS_LOGISTIC : SMR_LOSS_HINGE];
}

/* ---- the optimiser's array -------------------------------------------------------------- */

struct layout {
    int64_t heads, weights, intercepts, waiting, end;
};

static struct layout lay_out(const smr_stochastic_opts *o, int64_t d, int64_t q)
{
    smr_sgd_opts s = sgd_opts(o, 0), b = s;
    struct layout l = {.heads = OWN_COUNT};
    b.l1 = b.l2 = 0;
    l.weights = l.heads + 2 * SMR_HEADS;
    l.intercepts = l.weights + smr_sgd_size(&s, q * d);
    l.waiting = l.intercepts + smr_sgd_size(&b, q);
    l.end = l.waiting + (o->how->batch > 1 ? q * d + q : 0);
    return l;
}

smr_status smr_stochastic_check_state(smr_ctx *ctx, const smr_stochastic_opts *o,
                                      const smr_stochastic *model)
{
    int64_t size = lay_out(o, model->n_features, model->n_scores).end;
    if (!model->optimiser == !model->n_optimiser &&
        (!model->optimiser || model->n_optimiser == size))
        return SMR_OK;
    return smr_fail(ctx, SMR_ERR_FORMAT, "%s: its optimiser has %lld number%s instead of %lld",
                    o->learner, (long long)model->n_optimiser,
                    smr_plural(model->n_optimiser, "", "s"), (long long)size);
}

/* The weights of a state at its beginning; both representations hold w itself there. */
static void begin_at(smr_sgd_state *s, const double *w)
{
    smr_sgd_clear(s);
    memcpy(s->w, w, (size_t)s->n * sizeof *w);
}

static void bind(const smr_stochastic_opts *o, smr_stochastic *model, int64_t n_rows,
                 struct machine *m)
{
    struct layout l = lay_out(o, m->d, m->q);
    double *a = model->optimiser;
    smr_sgd_opts s = sgd_opts(o, n_rows), b = s;
    b.l1 = b.l2 = 0;
    m->own = a;
    smr_sgd_bind(&s, m->q * m->d, a + l.weights, &m->weights);
    smr_sgd_bind(&b, m->q, a + l.intercepts, &m->intercepts);
    memcpy(m->weights.head, a + l.heads, sizeof m->weights.head);
    memcpy(m->intercepts.head, a + l.heads + SMR_HEADS, sizeof m->intercepts.head);
    if (o->how->batch > 1) m->waiting = a + l.waiting;
}

static void unbind(struct machine *m)
{
    double *heads = m->own + OWN_COUNT;
    memcpy(heads, m->weights.head, sizeof m->weights.head);
    memcpy(heads + SMR_HEADS, m->intercepts.head, sizeof m->intercepts.head);
}

static smr_status make_optimiser(smr_ctx *ctx, const smr_stochastic_opts *o, int64_t n_rows,
                                 smr_stochastic *model)
{
    smr_status st = SMR_OK;
    struct machine m = {.d = model->n_features, .q = model->n_scores};
    int64_t size = lay_out(o, m.d, m.q).end;
    TRY_NEW(model->optimiser, size);
    model->n_optimiser = size;
    bind(o, model, n_rows, &m);
    begin_at(&m.weights, model->coef);
    begin_at(&m.intercepts, model->intercept);
    unbind(&m);
out:
    return st;
}

smr_status smr_stochastic_begin(smr_ctx *ctx, const smr_stochastic_opts *o, const smr_shape *shape,
                                smr_stochastic *model)
{
    smr_status st = SMR_OK;
    *model =
        (smr_stochastic){.n_features = shape->n_features, .n_scores = smr_stochastic_scores(shape)};
    if (has_period(o->how) && o->how->period == 0)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "%s: a stream has no last step; schedule=%s needs a period", o->learner,
                        smr_schedule_names[o->how->schedule]);
    TRY_NEW(model->coef, model->n_scores * model->n_features);
    TRY_NEW(model->intercept, model->n_scores);
    TRY(make_optimiser(ctx, o, 0, model));
out:
    return st;
}

/* ---- the machine ------------------------------------------------------------------------ */

static double bend_of(const smr_loss *loss, double param, int64_t q)
{
    double l = smr_loss_smoothness(loss, param);
    if (loss->id == SMR_LOSS_HINGE_SUM) return (double)q / 2;
    return isfinite(l) ? l : 1;
}

static smr_status make_room(smr_ctx *ctx, struct machine *m)
{
    smr_status st = SMR_OK;
    TRY_NEW(m->x, m->d);
    TRY_NEW(m->f, m->q);
    TRY_NEW(m->slope, m->q);
    if (m->weights.paid || m->weights.seen) TRY_NEW(m->copy, m->weights.n_block);
out:
    return st;
}

smr_status smr_machine_open(smr_ctx *ctx, const smr_stochastic_opts *o, smr_stochastic *model,
                            int64_t n_rows, struct machine *m)
{
    smr_status st = SMR_OK;
    *m = (struct machine){.opts = o,
                          .model = model,
                          .d = model->n_features,
                          .q = model->n_scores,
                          .n_rows = (double)n_rows,
                          .path = path_of(o)};
    bool has_lists = m->path == PATH_LISTS || o->how->batch > 1 || o->how->watch;
    if (has_lists && (double)m->q * ((double)m->d + 1) > INT32_MAX)
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                     "%s: %lld scores of %lld features are too many weights for adagrad, l1, "
                     "batches or watch; take method=plain without them",
                     o->learner, (long long)m->q, (long long)m->d));
    m->loss = loss_for(o->loss, m->q);
    m->bend = bend_of(m->loss, o->param, m->q);
    if (!model->optimiser) TRY(make_optimiser(ctx, o, n_rows, model));
    bind(o, model, n_rows, m);
    m->lift = lift_of(&m->weights.opts.schedule);
    TRY(make_room(ctx, m));
out:
    return st;
}

void smr_machine_close(struct machine *m)
{
    if (m->own) unbind(m);
    smr_free(m->x);
    smr_free(m->f);
    smr_free(m->slope);
    smr_free(m->list);
    smr_free(m->values);
    smr_free(m->copy);
    *m = (struct machine){0};
}

/* ---- scores ----------------------------------------------------------------------------- */

/* The row's entries for each score, as numbers of weights. */
static void make_list(struct machine *m, const smr_row *r)
{
    for (int64_t c = 0; c < m->q; c++)
        for (int64_t e = 0; e < r->n; e++)
            m->list[c * r->n + e] = (int32_t)(c * m->d + (r->index ? r->index[e] : e));
}

static void score(struct machine *m, const smr_row *r, double *f)
{
    smr_sgd_state *w = &m->weights;
    for (int64_t c = 0; c < m->q; c++) {
        if (m->path == PATH_LISTS)
            f[c] = smr_sgd_score_sparse(w, r->n, m->list + c * r->n, r->x);
        else
            f[c] = w->head[SMR_HEAD_SCALE] * smr_row_dot(r, w->w + c * m->d);
        f[c] += m->intercepts.w[c];
    }
}

/* The mean of points so far, at entry or row. */
static double averaged(const smr_sgd_state *s, double of_w, double of_sum)
{
    double count = s->head[SMR_HEAD_COUNT];
    return s->opts.is_sparse ? (s->head[SMR_HEAD_FOLD] * of_w + of_sum) / count : of_sum;
}

/* Scores of the averaged weights; f: those of the last. */
static void score_average(const struct machine *m, const smr_row *r, const double *f, double *out)
{
    const smr_sgd_state *w = &m->weights, *b = &m->intercepts;
    for (int64_t c = 0; c < m->q; c++) {
        out[c] = f[c];
        if (!w->sum || w->head[SMR_HEAD_COUNT] == 0) continue;
        double of_w = w->opts.is_sparse ? smr_row_dot(r, w->w + c * m->d) : 0;
        out[c] =
            averaged(w, of_w, smr_row_dot(r, w->sum + c * m->d)) + averaged(b, b->w[c], b->sum[c]);
    }
}

/* ---- slopes ----------------------------------------------------------------------------- */

double smr_machine_target(const struct machine *m, const smr_truths *t, int64_t i, int64_t c)
{
    if (t->y) return t->y[i * m->q + c];
    return t->label[i] == (m->q == 1 ? 1 : c) ? 1 : -1;
}

double smr_machine_loss(const struct machine *m, const smr_truths *t, int64_t i, const double *f,
                        bool wants_value, double *slope)
{
    double value = 0;
    if (m->loss->kind == SMR_LOSS_CLASSES) {
        smr_loss_classes(m->loss, 1, m->q, &t->label[i], f, wants_value ? &value : NULL, slope);
        return value;
    }
    for (int64_t c = 0; c < m->q; c++) {
        double y = smr_machine_target(m, t, i, c);
        if (m->loss->id == SMR_LOSS_LOGISTIC && !wants_value) {
            double p = y * f[c], e = smr_exp(-fabs(p));
            slope[c] = -y * ((p < 0 ? 1 : e) / (1 + e));
            continue;
        }
        smr_loss_point p = smr_loss_at(m->loss, m->opts->param, y, f[c]);
        value += p.value;
        slope[c] = p.slope;
    }
    return value;
}

/* ---- rates ------------------------------------------------------------------------------ */

/* The size of a target, as far as rows have told. */
static double target_size(const struct machine *m)
{
    return m->own[OWN_TARGETS] / (m->own[OWN_ROWS] * (double)m->q);
}

/* The rate of a plain first step, chosen from the rows so far. */
static double plain_rate(const struct machine *m)
{
    double mean = m->own[OWN_SQUARES] / m->own[OWN_ROWS], size = target_size(m), bend = m->bend;
    bool is_residual = m->loss->kind == SMR_LOSS_RESIDUAL && size > 0;
    if (m->loss->id == SMR_LOSS_POISSON && size > 0) bend = size;
    if (is_residual && !isfinite(m->loss->smoothness)) bend = 1 / size;
    if (is_residual && m->loss->id == SMR_LOSS_HUBER) bend = smr_fmin(1, m->opts->param / size);
    return mean > 0 ? 0.5 / (bend * mean) : 1; /* 1: no rows yet */
}

static bool is_scaled(const struct machine *m)
{
    return m->opts->how->method >= SMR_SGD_ADAGRAD;
}

static bool has_momentum(const struct machine *m)
{
    return m->opts->how->method == SMR_SGD_MOMENTUM || m->opts->how->method == SMR_SGD_NESTEROV;
}

/* The rate of the method's first step. */
static double natural_rate(const struct machine *m)
{
    double mean = m->own[OWN_SQUARES] / m->own[OWN_ROWS], size = target_size(m);
    bool is_residual = m->loss->kind == SMR_LOSS_RESIDUAL && size > 0;
    if (!(mean > 0)) return 1; /* no rows yet */
    switch (m->opts->how->method) {
    case SMR_SGD_PLAIN: return plain_rate(m);
    case SMR_SGD_MOMENTUM:
    case SMR_SGD_NESTEROV: return (1 - m->opts->how->momentum) * plain_rate(m);
    case SMR_SGD_ADAGRAD: return (is_residual ? size : 1) / sqrt(mean);
    default: return 0.05 * (is_residual ? size : 1) / sqrt(mean);
    }
}

/* Losses that grow as an exponential: no bound on the curvature holds everywhere. */
static bool is_steep(const struct machine *m)
{
    return m->loss->kind == SMR_LOSS_LOG_LINK || m->loss->id == SMR_LOSS_EXPONENTIAL;
}

/* The most that a plain step of this row may be, so as not to overshoot it. */
static double safe_rate(const struct machine *m, double square)
{
    double bend = m->bend;
    if (!isfinite(m->loss->smoothness) || m->loss->id == SMR_LOSS_HUBER) {
        bend = 0.5 / (plain_rate(m) * m->own[OWN_SQUARES] / m->own[OWN_ROWS]);
        for (int64_t c = 0; is_steep(m) && c < m->q; c++) {
            double most = fabs(m->slope[c]);
            if (m->loss->id == SMR_LOSS_POISSON)
                most = smr_fmax(most, smr_exp(smr_fmin(m->f[c], 700)));
            bend = smr_fmax(bend, most);
        }
    }
    return 1 / (bend * square);
}

/* Sets the schedules' rates and penalties as the rows so far would have them, also for what weights
 * that were not touched have missed: they follow from the saved numbers alone. */
static void tune(struct machine *m)
{
    const smr_stochastic_opts *o = m->opts;
    smr_sgd_state *w = &m->weights, *b = &m->intercepts;
    double n = m->n_rows > 0 ? m->n_rows : smr_fmax(1, m->own[OWN_ROWS]);
    double first = o->how->rate > 0 ? o->how->rate : natural_rate(m);
    double l2 = o->l2;
    if (isnan(l2)) /* a stream: of the rows so far */
        l2 = smr_stochastic_penalty(m->loss, o->param, m->own[OWN_SQUARES] - m->own[OWN_ROWS],
                                    target_size(m));
    w->opts.l1 = o->l1 / n;
    w->opts.l2 = m->own[OWN_ROWS] > 0 || !isnan(o->l2) ? l2 / n : 0;
    w->opts.schedule.rate = b->opts.schedule.rate = m->lift * first;
}

/* The rate of the next step; square 0: no row to overshoot. */
static double next_rate(struct machine *m, double square)
{
    const smr_sgd_state *w = &m->weights;
    tune(m);
    double a =
        smr_schedule_rate(&w->opts.schedule, w->head[SMR_HEAD_STEP] + 1, w->head[SMR_HEAD_FACTOR]);
    if (square > 0 && m->opts->how->rate == 0) a = smr_fmin(a, safe_rate(m, square));
    return m->rate = a;
}

/* Steps that are not cut one by one (batches, momentum, l1 and methods that divide by past
 * gradients): the part of a row's gradient that does not overshoot it at the rate to come, all of
 * which a row's gradient is worth over the steps that remember it. */
static double held_back(struct machine *m, double square)
{
    double a = next_rate(m, 0);
    if (m->opts->how->rate > 0 || (is_scaled(m) && !is_steep(m))) return 1;
    if (is_scaled(m)) a = plain_rate(m);
    if (has_momentum(m)) a /= 1 - m->opts->how->momentum;
    return smr_fmin(1, safe_rate(m, square) / a);
}

void smr_machine_write(struct machine *m)
{
    tune(m);
    smr_sgd_state w = m->weights;
    if (m->copy) { /* what is owed is paid in a copy, so that blocks leave no trace */
        memcpy(m->copy, w.block, (size_t)w.n_block * sizeof *w.block);
        smr_sgd_bind(&m->weights.opts, w.n, m->copy, &w);
        memcpy(w.head, m->weights.head, sizeof w.head);
    }
    smr_sgd_average(&w, m->model->coef);
    smr_sgd_average(&m->intercepts, m->model->intercept);
}

/* ---- steps ------------------------------------------------------------------------------ */

/* Plain, without l1. */
static void step_rows(struct machine *m, const smr_row *r, double a, double weight)
{
    smr_sgd_state *w = &m->weights, *b = &m->intercepts;
    double by = weight * smr_sgd_begin_step(w, a), shift = weight * smr_sgd_begin_step(b, a);
    for (int64_t c = 0; c < m->q; c++) {
        double s = m->slope[c], one = 1;
        if (s == 0) continue;
        if (r->index)
            smr_sgd_add_sparse(w, c * m->d, r->n, r->index, by * s, r->x);
        else
            smr_sgd_add(w, c * m->d, r->n, by * s, r->x);
        if (m->opts->fit_intercept) smr_sgd_add(b, c, 1, shift * s, &one);
    }
    smr_sgd_end_step(w);
    smr_sgd_end_step(b);
}

/* The rows' gradient into `g`: q x d, then q. */
static void add_gradient(const struct machine *m, const smr_row *r, double by, double *g)
{
    for (int64_t c = 0; c < m->q; c++) {
        double s = by * m->slope[c];
        g[m->q * m->d + c] += m->opts->fit_intercept ? s : 0;
        if (s == 0) continue;
        smr_row_add(r, s, g + c * m->d);
    }
}

/* A step with a whole gradient. */
static void step_all(struct machine *m, double *g)
{
    smr_sgd_state *w = &m->weights, *b = &m->intercepts;
    next_rate(m, 0);
    if (m->path == PATH_ALL) {
        smr_sgd_step(w, g);
        smr_sgd_step(b, g + w->n);
        return;
    }
    for (int64_t j = 0; j < w->n; j++) m->list[j] = (int32_t)j;
    smr_sgd_step_sparse(w, w->n, m->list, g);
    smr_sgd_step_sparse(b, b->n, m->list, g + w->n);
}

static void step_lists(struct machine *m, const smr_row *r, double weight)
{
    int32_t every[1] = {0};
    next_rate(m, 0);
    for (int64_t c = 0; c < m->q; c++)
        for (int64_t e = 0; e < r->n; e++) m->values[c * r->n + e] = weight * m->slope[c] * r->x[e];
    smr_sgd_step_sparse(&m->weights, m->q * r->n, m->list, m->values);
    for (int64_t c = 0; c < m->q; c++) {
        m->slope[c] *= m->opts->fit_intercept ? weight : 0;
        m->list[c] = (int32_t)c;
    }
    smr_sgd_step_sparse(&m->intercepts, m->q, m->q == 1 ? every : m->list, m->slope);
}

void smr_machine_flush(struct machine *m)
{
    if (!m->waiting || m->own[OWN_WAITING] == 0) return;
    int64_t n = m->q * m->d + m->q;
    for (int64_t j = 0; j < n; j++) m->waiting[j] /= m->own[OWN_WAITING];
    step_all(m, m->waiting);
    memset(m->waiting, 0, (size_t)n * sizeof *m->waiting);
    m->own[OWN_WAITING] = 0;
}

static void watch_row(struct machine *m, const smr_row *r, double weight)
{
    int64_t n = 0;
    for (int64_t c = 0; c < m->q; c++) {
        for (int64_t e = 0; e < r->n; e++, n++) {
            m->list[n] = (int32_t)(c * m->d + (r->index ? r->index[e] : e));
            m->values[n] = weight * m->slope[c] * r->x[e];
        }
        m->list[n] = (int32_t)(m->q * m->d + c);
        m->values[n++] = m->opts->fit_intercept ? weight * m->slope[c] : 0;
    }
    smr_watch_add_sparse(m->watch, n, m->list, m->values);
    if (m->path == PATH_LISTS) make_list(m, r);
}

static void learn_row(struct machine *m, const smr_row *r, const smr_truths *t, int64_t i,
                      double weight)
{
    double square = r->n ? smr_dot_f64(r->n, r->x, r->x) + 1 : 1;
    m->own[OWN_ROWS]++;
    m->own[OWN_SQUARES] += weight * square;
    for (int64_t c = 0; t->y && c < m->q; c++) m->own[OWN_TARGETS] += fabs(t->y[i * m->q + c]);
    m->value += weight * smr_machine_loss(m, t, i, m->f, m->wants_value, m->slope);
    if (m->watch) watch_row(m, r, weight);
    if (m->path != PATH_ROWS || m->waiting) {
        double part = held_back(m, weight * square);
        for (int64_t c = 0; part < 1 && c < m->q; c++) m->slope[c] *= part;
    }
    if (m->waiting) {
        add_gradient(m, r, weight, m->waiting);
        if (++m->own[OWN_WAITING] >= (double)m->opts->how->batch) smr_machine_flush(m);
    } else if (m->path == PATH_ROWS) {
        step_rows(m, r, next_rate(m, weight * square), weight);
    } else if (m->path == PATH_LISTS) {
        step_lists(m, r, weight);
    } else {
        memset(m->values, 0, (size_t)(m->q * m->d + m->q) * sizeof *m->values);
        add_gradient(m, r, weight, m->values);
        step_all(m, m->values);
    }
}

/* ---- blocks ----------------------------------------------------------------------------- */

static int64_t most_entries(const smr_rows *rows)
{
    int64_t most = rows->d;
    if (rows->form != SMR_FORM_SPARSE) return most;
    most = 0;
    for (int64_t i = 0; i < rows->n; i++) most = SMR_MAX(most, rows->start[i + 1] - rows->start[i]);
    return most;
}

/* Room for lists of a row's entries, or of all weights where steps take whole gradients. */
static smr_status widen(smr_ctx *ctx, struct machine *m, const smr_rows *rows)
{
    smr_status st = SMR_OK;
    bool is_whole = m->path == PATH_ALL || m->waiting;
    int64_t most = is_whole ? m->d : most_entries(rows);
    if (m->path == PATH_ROWS && !m->watch && !m->waiting) return SMR_OK;
    if (m->list && most <= m->room) return SMR_OK;
    smr_free(m->list);
    smr_free(m->values);
    m->list = NULL;
    m->values = NULL;
    TRY_NEW(m->list, m->q * (most + 1));
    TRY_NEW(m->values, m->q * (most + 1));
    m->room = most;
out:
    return st;
}

bool smr_machine_is_even(const struct machine *m, smr_form form)
{
    double each = (m->own[OWN_SQUARES] / m->own[OWN_ROWS] - 1) / (double)SMR_MAX(1, m->d);
    return form == SMR_FORM_SPARSE || (each > 0.1 && each < 10);
}

static smr_status check_scores(smr_ctx *ctx, const struct machine *m, const smr_rows *rows,
                               int64_t i)
{
    int64_t row = rows->numbers ? rows->numbers[i] : rows->first + i;
    bool is_sound = true, given = m->opts->how->rate > 0;
    for (int64_t c = 0; c < m->q; c++) is_sound &= isfinite(m->f[c]);
    if (is_sound) return SMR_OK;
    smr_text text = {.ctx = ctx};
    smr_text_printf(&text, "%s: the weights have grown beyond all bounds (at row %lld); ",
                    m->opts->learner, (long long)row + 1);
    if (!smr_machine_is_even(m, rows->form)) smr_text_add(&text, "put standardize before it, ");
    smr_text_add(&text, given ? "lower the rate (it is " : "give a rate below ");
    smr_text_rounded(&text, given ? m->opts->how->rate : m->rate, 3);
    smr_text_add(&text, given ? "), or leave it out: it is then chosen" : ", or a larger l2");
    smr_status st = smr_text_done(&text);
    if (st == SMR_OK) st = smr_fail(ctx, SMR_ERR_NUMERIC, "%s", text.bytes);
    smr_text_release(&text);
    return st;
}

smr_status smr_machine_pause(smr_ctx *ctx, const char *what, const struct machine *m, int64_t n,
                             double *work)
{
    *work += (double)m->q * (double)(n + 8);
    if (*work < WORK) return SMR_OK;
    *work = 0;
    return smr_tick(ctx, what, (int64_t)m->own[OWN_ROWS], m->opts->how->passes * (int64_t)m->n_rows,
                    NAN);
}

/* A block of a stream is learned whole: the model that is saved must be that of its rows. */
smr_status smr_machine_learn(smr_ctx *ctx, struct machine *m, const smr_rows *rows,
                             const smr_truths *t, double *scores)
{
    smr_status st = SMR_OK;
    double work = 0;
    size_t block = (size_t)m->weights.n_block * sizeof *m->copy;
    TRY(widen(ctx, m, rows));
    for (int64_t i = 0; i < rows->n; i++) {
        smr_row r = smr_row_of(rows, i, m->x);
        double weight = t->weight ? t->weight[i] : 1;
        if (m->path == PATH_LISTS) {
            tune(m);
            make_list(m, &r);
        }
        bool leaves_trace = m->copy && weight == 0; /* what is owed is paid when it is read */
        if (leaves_trace) memcpy(m->copy, m->weights.block, block);
        score(m, &r, m->f);
        if (scores) score_average(m, &r, m->f, scores + i * m->q);
        if (leaves_trace) memcpy(m->weights.block, m->copy, block);
        TRY(check_scores(ctx, m, rows, i));
        if (weight > 0) learn_row(m, &r, t, i, weight);
        if (m->n_rows > 0) TRY(smr_machine_pause(ctx, "passing over the rows", m, r.n, &work));
    }
out:
    return st;
}

static smr_status check_truths(smr_ctx *ctx, const smr_stochastic_opts *o, int64_t q,
                               const smr_rows *rows, const smr_truths *t)
{
    smr_status st = smr_held_check_weights(ctx, o->learner, rows->first, rows->n, t->weight, NULL);
    if (st != SMR_OK) return st;
    return t->y ? smr_loss_check(ctx, o->loss, o->param, rows->n * q, t->y) : SMR_OK;
}

smr_status smr_stochastic_learn(smr_ctx *ctx, const smr_stochastic_opts *o, smr_stochastic *model,
                                const smr_rows *rows, const smr_truths *truths, double *scores)
{
    smr_status st = SMR_OK;
    struct machine m = {0};
    TRY(check_truths(ctx, o, model->n_scores, rows, truths));
    TRY(smr_machine_open(ctx, o, model, 0, &m));
    TRY(smr_machine_learn(ctx, &m, rows, truths, scores));
    smr_machine_write(&m);
out:
    smr_machine_close(&m);
    return st;
}
