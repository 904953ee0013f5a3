/* sgd_steps.c -- states, schedules and dense steps; see sgd_steps.h. */
#include "math/optimize/sgd_steps.h"

#include "core/number.h"
#include "kernel/kernel.h"
#include "math/optimize/project.h"
#include "math/trig.h"

#include <math.h>
#include <string.h>

const char *const smr_sgd_method_names[SMR_SGD_METHODS] = {
    [SMR_SGD_PLAIN] = "plain",     [SMR_SGD_MOMENTUM] = "momentum", [SMR_SGD_NESTEROV] = "nesterov",
    [SMR_SGD_ADAGRAD] = "adagrad", [SMR_SGD_RMSPROP] = "rmsprop",   [SMR_SGD_ADAM] = "adam",
    [SMR_SGD_ADAMW] = "adamw",
};

const char *const smr_schedule_names[SMR_SCHEDULES] = {
    [SMR_SCHEDULE_CONSTANT] = "constant", [SMR_SCHEDULE_PER_STEP] = "per_step",
    [SMR_SCHEDULE_ROOT] = "root",         [SMR_SCHEDULE_INVERSE] = "inverse",
    [SMR_SCHEDULE_STEP] = "step",         [SMR_SCHEDULE_COSINE] = "cosine",
    [SMR_SCHEDULE_ADAPTIVE] = "adaptive",
};

/* ---- schedules -------------------------------------------------------------------------- */

double smr_schedule_rate(const smr_schedule *schedule, double t, double factor)
{
    double late = t - 1 + schedule->offset, a = schedule->rate, k;
    switch (schedule->kind) {
    case SMR_SCHEDULE_PER_STEP: return a / late;
    case SMR_SCHEDULE_ROOT: return a / sqrt(late);
    case SMR_SCHEDULE_INVERSE: return a / smr_pow(late, schedule->power);
    case SMR_SCHEDULE_STEP: return a * smr_pow(schedule->factor, floor((t - 1) / schedule->period));
    case SMR_SCHEDULE_COSINE:
        k = smr_fmin(t - 1, schedule->period) / schedule->period;
        return 0.5 * a * (1 + smr_cos_pi(k));
    case SMR_SCHEDULE_ADAPTIVE: return a * factor;
    default: return a;
    }
}

bool smr_sgd_judge(smr_sgd_state *s, double loss)
{
    double *h = s->head, *best = &h[SMR_HEAD_BEST];
    const smr_schedule *c = &s->opts.schedule;
    bool is_first = isinf(*best);
    if (is_first || loss < *best - c->progress * fabs(*best)) {
        *best = loss;
        h[SMR_HEAD_WAITS] = 0;
    } else if (++h[SMR_HEAD_WAITS] >= c->patience) {
        h[SMR_HEAD_FACTOR] *= c->factor;
        h[SMR_HEAD_WAITS] = 0;
    }
    return h[SMR_HEAD_FACTOR] >= 1e-6;
}

/* ---- making a state --------------------------------------------------------------------- */

static void fill_in(double *option, double standard)
{
    if (*option == 0) *option = standard;
}

static void fill_defaults(smr_sgd_opts *o)
{
    bool is_adaptive = o->schedule.kind == SMR_SCHEDULE_ADAPTIVE;
    fill_in(&o->momentum, 0.9);
    fill_in(&o->beta1, 0.9);
    fill_in(&o->beta2, o->method == SMR_SGD_RMSPROP ? 0.9 : 0.999);
    fill_in(&o->epsilon, 1e-8);
    fill_in(&o->schedule.offset, 1);
    fill_in(&o->schedule.power, 0.25);
    fill_in(&o->schedule.factor, is_adaptive ? 0.2 : 0.1);
    fill_in(&o->schedule.patience, 5);
    fill_in(&o->schedule.progress, 1e-4);
}

static smr_status check_range(smr_ctx *ctx, const char *name, double x, double low, double high)
{
    char text[SMR_NUMBER_MAX], from[SMR_NUMBER_MAX], to[SMR_NUMBER_MAX];
    if (x >= low && x < high) return SMR_OK;
    smr_format_double(x, text);
    smr_format_double(low, from);
    smr_format_double(high, to);
    return smr_fail(ctx, SMR_ERR_PARAM, "sgd: %s = %s is outside [%s, %s)", name, text, from, to);
}

static smr_status check_opts(smr_ctx *ctx, const smr_sgd_opts *o)
{
    smr_status st = SMR_OK;
    const smr_schedule *c = &o->schedule;
    bool has_period = c->kind == SMR_SCHEDULE_STEP || c->kind == SMR_SCHEDULE_COSINE;
    TRY(check_range(ctx, "rate", c->rate, 5e-324, (double)INFINITY));
    TRY(check_range(ctx, "offset", c->offset, 1, (double)INFINITY));
    if (has_period) TRY(check_range(ctx, "period", c->period, 1, (double)INFINITY));
    TRY(check_range(ctx, "momentum", o->momentum, 0, 1));
    TRY(check_range(ctx, "beta1", o->beta1, 0, 1));
    TRY(check_range(ctx, "beta2", o->beta2, 0, 1));
    TRY(check_range(ctx, "epsilon", o->epsilon, 0, (double)INFINITY));
    TRY(check_range(ctx, "l1", o->l1, 0, (double)INFINITY));
    TRY(check_range(ctx, "l2", o->l2, 0, (double)INFINITY));
    TRY(check_range(ctx, "average_from", o->average_from, 0, (double)INFINITY));
    if (o->is_sparse && o->method != SMR_SGD_PLAIN && o->method != SMR_SGD_ADAGRAD)
        st = smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                      "sgd: %s moves every weight at every step; for sparse data take plain or "
                      "adagrad",
                      smr_sgd_method_names[o->method]);
out:
    return st;
}

/* Hands out the vectors that the options need; called with block = NULL to count them. */
static int64_t lay_out(smr_sgd_state *s)
{
    smr_sgd_method m = s->opts.method;
    bool is_adam = m == SMR_SGD_ADAM || m == SMR_SGD_ADAMW;
    const struct {
        double **to;
        bool needed;
    } parts[] = {
        {&s->w, true},
        {&s->first, m == SMR_SGD_MOMENTUM || m == SMR_SGD_NESTEROV || is_adam},
        {&s->second, m == SMR_SGD_ADAGRAD || m == SMR_SGD_RMSPROP || is_adam},
        {&s->sum, s->opts.average_from > 0},
        {&s->paid, m == SMR_SGD_PLAIN && s->opts.l1 > 0},
        {&s->seen, m == SMR_SGD_ADAGRAD && s->opts.is_sparse && (s->opts.l1 > 0 || s->opts.l2 > 0)},
    };
    int64_t used = 0;
    for (int64_t i = 0; i < SMR_COUNT(parts); i++) {
        *parts[i].to = parts[i].needed && s->block ? s->block + used : NULL;
        if (parts[i].needed) used += s->n;
    }
    return used;
}

int64_t smr_sgd_size(const smr_sgd_opts *opts, int64_t n)
{
    smr_sgd_state s = {.opts = *opts, .n = n};
    return lay_out(&s);
}

void smr_sgd_bind(const smr_sgd_opts *opts, int64_t n, double *block, smr_sgd_state *out)
{
    *out = (smr_sgd_state){.opts = *opts, .n = n, .block = block};
    fill_defaults(&out->opts);
    out->n_block = lay_out(out);
}

void smr_sgd_clear(smr_sgd_state *s)
{
    memset(s->head, 0, sizeof s->head);
    memset(s->block, 0, (size_t)s->n_block * sizeof *s->block);
    s->head[SMR_HEAD_FACTOR] = s->head[SMR_HEAD_SCALE] = 1;
    s->head[SMR_HEAD_BEST] = INFINITY;
}

smr_status smr_sgd_init(smr_ctx *ctx, const smr_sgd_opts *opts, int64_t n, smr_sgd_state *out)
{
    smr_status st = SMR_OK;
    double *block = NULL;
    *out = (smr_sgd_state){.opts = *opts, .n = n};
    fill_defaults(&out->opts);
    TRY(check_opts(ctx, &out->opts));
    TRY_NEW(block, smr_sgd_size(opts, n));
    smr_sgd_bind(opts, n, block, out);
    smr_sgd_clear(out);
out:
    return st;
}

void smr_sgd_release(smr_sgd_state *s)
{
    smr_free(s->block);
    *s = (smr_sgd_state){0};
}

/* ---- dense steps ------------------------------------------------------------------------ */

/* w after paying what it owes: |w| falls by at most owed - paid, and stops at zero.  `paid` is what
 * it received, with the sign of the weights it was taken from. */
static double pay(double w, double owed, double *paid)
{
    double before = w;
    if (w > 0)
        w = smr_fmax(0, w - (owed + *paid));
    else if (w < 0)
        w = smr_fmin(0, w + (owed - *paid));
    *paid += w - before;
    return w;
}

static void step_plain(smr_sgd_state *s, double a, const double *g)
{
    double keep = smr_fmax(0, 1 - a * s->opts.l2);
    s->head[SMR_HEAD_OWED] += a * s->opts.l1;
    for (int64_t j = 0; j < s->n; j++) s->w[j] = keep * s->w[j] - a * g[j];
    for (int64_t j = 0; s->paid && j < s->n; j++)
        s->w[j] = pay(s->w[j], s->head[SMR_HEAD_OWED], &s->paid[j]);
}

static void step_momentum(smr_sgd_state *s, double a, const double *g)
{
    double mu = s->opts.momentum, l2 = s->opts.l2;
    bool looks_ahead = s->opts.method == SMR_SGD_NESTEROV;
    for (int64_t j = 0; j < s->n; j++) {
        double h = g[j] + l2 * s->w[j], v = s->first[j] = mu * s->first[j] + h;
        s->w[j] -= a * (looks_ahead ? h + mu * v : v);
    }
}

static void step_adagrad(smr_sgd_state *s, double a, const double *g)
{
    for (int64_t j = 0; j < s->n; j++) {
        s->second[j] += g[j] * g[j];
        double r = a / (sqrt(s->second[j]) + s->opts.epsilon);
        double w = s->w[j] - r * g[j];
        s->w[j] = smr_shrink(smr_fmax(0, 1 - r * s->opts.l2) * w, r * s->opts.l1);
    }
}

static void step_rmsprop(smr_sgd_state *s, double a, const double *g)
{
    double beta = s->opts.beta2;
    for (int64_t j = 0; j < s->n; j++) {
        double h = g[j] + s->opts.l2 * s->w[j];
        s->second[j] = beta * s->second[j] + (1 - beta) * h * h;
        s->w[j] -= a * h / (sqrt(s->second[j]) + s->opts.epsilon);
    }
}

static void step_adam(smr_sgd_state *s, double a, const double *g)
{
    const smr_sgd_opts *o = &s->opts;
    double t = s->head[SMR_HEAD_STEP], l2 = o->l2;
    double first = 1 - smr_pow(o->beta1, t), second = 1 - smr_pow(o->beta2, t);
    bool is_apart = o->method == SMR_SGD_ADAMW;
    double keep = is_apart ? smr_fmax(0, 1 - a * l2) : 1;
    for (int64_t j = 0; j < s->n; j++) {
        double h = g[j] + (is_apart ? 0 : l2 * s->w[j]);
        double m = s->first[j] = o->beta1 * s->first[j] + (1 - o->beta1) * h;
        double v = s->second[j] = o->beta2 * s->second[j] + (1 - o->beta2) * h * h;
        s->w[j] = keep * s->w[j] - a * (m / first) / (sqrt(v / second) + o->epsilon);
    }
}

void smr_sgd_step(smr_sgd_state *s, const double *g)
{
    double t = ++s->head[SMR_HEAD_STEP];
    double a = smr_schedule_rate(&s->opts.schedule, t, s->head[SMR_HEAD_FACTOR]);
    smr_sgd_method m = s->opts.method;
    switch (m) {
    case SMR_SGD_MOMENTUM:
    case SMR_SGD_NESTEROV: step_momentum(s, a, g); break;
    case SMR_SGD_ADAGRAD: step_adagrad(s, a, g); break;
    case SMR_SGD_RMSPROP: step_rmsprop(s, a, g); break;
    case SMR_SGD_ADAM:
    case SMR_SGD_ADAMW: step_adam(s, a, g); break;
    default: step_plain(s, a, g); break;
    }
    if (s->opts.l1 > 0 && m != SMR_SGD_PLAIN && m != SMR_SGD_ADAGRAD)
        smr_soft_threshold(s->n, a * s->opts.l1, s->w);
    if (s->sum && t >= s->opts.average_from) {
        double share = 1 / ++s->head[SMR_HEAD_COUNT];
        for (int64_t j = 0; j < s->n; j++) s->sum[j] += share * (s->w[j] - s->sum[j]);
    }
}
