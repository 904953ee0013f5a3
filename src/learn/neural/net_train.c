/* net_train.c -- the steps of a fit by batches: see net.c for what they are.
 *
 * Everything that a step depends on is in smr_net_at, the weights, what the steps carry along and
 * the curves of the epochs before: rates and stopping are computed from these, so that a fit that
 * goes on from a checkpoint takes the same steps. */
#include "core/rng.h"
#include "core/span.h"
#include "kernel/kernel.h"
#include "learn/checkpoint.h"
#include "learn/neural/net.h"
#include "math/trig.h"

#include <math.h>
#include <string.h>

enum { STALL = 10, PLATEAU = 5 };
#define PROGRESS 1e-4 /* of a loss: less is a plateau */
#define MARK 1.0      /* seconds between two marks    */

/* ---- rates ------------------------------------------------------------------------------- */

static int64_t period_of(const struct smr_net_params *p)
{
    if (p->period > 0) return p->period;
    return p->schedule == SMR_NET_PLATEAU ? PLATEAU : SMR_MAX(1, p->epochs / 3);
}

/* How often, in the epochs that are done, a period went by without progress. */
static int64_t drops_of(const struct smr_net_fit *f)
{
    const double *loss = f->s->held_loss ? f->s->held_loss : f->s->train_loss;
    int64_t drops = 0, wait = 0;
    double least = INFINITY;
    for (int64_t e = 0; e < f->at.epoch; e++) {
        wait = loss[e] < least * (1 - PROGRESS) || e == 0 ? 0 : wait + 1;
        least = smr_fmin(least, loss[e]);
        if (wait < period_of(f->p)) continue;
        drops++;
        wait = 0;
    }
    return drops;
}

/* At the step that comes next; drops: of the plateau schedule. */
static double rate_at(const struct smr_net_fit *f, int64_t drops)
{
    const struct smr_net_params *p = f->p;
    double step = (double)(f->at.epoch * f->batches + f->at.batch), each = (double)f->batches;
    double t = step / each, rate = smr_net_rate(p);
    if (p->warmup > 0) rate *= smr_fmin(1, (step + 1) / (p->warmup * each));
    switch (p->schedule) {
    case SMR_NET_INVERSE: return rate * p->offset / (p->offset + t);
    case SMR_NET_ROOT: return rate * sqrt(p->offset / (p->offset + t));
    case SMR_NET_STEP: {
        int64_t periods = f->at.epoch / period_of(p);
        return rate * smr_pow(p->drop, (double)periods);
    }
    case SMR_NET_PLATEAU: return rate * smr_pow(p->drop, (double)drops);
    case SMR_NET_COSINE: return rate * 0.5 * (1 + smr_cos_pi(t / (double)p->epochs));
    default: return rate;
    }
}

static smr_nn_step step_of(const struct smr_net_fit *f, double rate)
{
    const struct smr_net_params *p = f->p;
    double t = (double)(f->at.epoch * f->batches + f->at.batch + 1);
    smr_nn_step step = {.kind = smr_net_step_kind(p),
                        .rate = rate,
                        .a = p->momentum,
                        .b = p->b2,
                        .eps = p->eps,
                        .grow = 1,
                        .scale = 1,
                        .shrink = rate};
    if (step.kind != SMR_STEP_ADAM) return step;
    step.a = p->b1;
    step.rate = rate / (1 - smr_pow(p->b1, t));
    step.grow = 1 / (1 - smr_pow(p->b2, t));
    return step;
}

/* ---- a step ------------------------------------------------------------------------------ */

/* The numbers of the batch's rows, in f->drawn. */
static int64_t draw_batch(struct smr_net_fit *f)
{
    int64_t b = f->at.batch, each = f->n / f->batches, more = f->n % f->batches;
    int64_t lo = b * each + SMR_MIN(b, more), n = each + (b < more);
    for (int64_t i = 0; i < n; i++) f->drawn[i] = f->trained[f->order[lo + i]];
    return n;
}

static smr_status go_step(smr_ctx *ctx, struct smr_net_fit *f, double rate)
{
    smr_status st = SMR_OK;
    smr_nn_machine *m = f->trainer;
    struct smr_net_sums sums = {0};
    int64_t number = f->at.epoch * f->batches + f->at.batch, n = draw_batch(f);
    smr_nn_step step = step_of(f, rate);
    const struct smr_net_params *p = f->p;
    smr_nn_item item = smr_net_state_item(f->s);
    if (f->windows.lo) item = (smr_nn_item){1, 1, f->data->n_features, false};
    struct smr_net_change change = {item, p->shift, p->flip, p->noise, ctx->seed, f->at.epoch};
    bool changes = p->shift > 0 || p->flip || p->noise > 0;
    struct smr_net_slide slide = {ctx->seed, f->at.epoch};
    struct smr_net_taken its = smr_net_windows_take(&f->windows, f->held ? NULL : &slide, f->drawn,
                                                    n, f->drawn_rows, f->lengths);
    struct smr_net_batch batch = {its.number,   its.n, f->data->n_features,
                                  SMR_REAL_F32, f->x,  changes ? &change : NULL};
    TRY(smr_net_rows_gather(ctx, &f->rows, &batch));
    TRY(smr_nn_pack(ctx, m));
    m->given = its.lengths;
    TRY(smr_nn_forward(ctx, m, f->x, n, ctx->seed, (uint64_t)number));
    struct smr_net_said said = {SMR_REAL_F32,        its.n,           its.number, smr_nn_answers(m),
                                (double)its.counted, smr_nn_slopes(m)};
    TRY(smr_net_judge(ctx, &f->target, &said, &sums));
    if (!isfinite(sums.loss)) TRY(smr_net_diverged(ctx, f, m, number));
    TRY(smr_nn_backward(ctx, m, NULL));
    if (f->at.batch == 0) smr_net_look(f, f->at.epoch > 0);
    if (number == 0) smr_net_look(f, 1);
    if (p->clip > 0) {
        double size;
        TRY(smr_nn_gradient_size(ctx, m, &size));
        if (size > p->clip) step.scale = p->clip / size;
    }
    TRY(smr_nn_update(ctx, &f->up, &step, m));
    f->at.sums.loss += sums.loss;
    f->at.sums.wrong += sums.wrong;
    f->at.sums.weight += sums.weight;
    f->at.batch++;
out:
    return st;
}

/* ---- checkpoints ------------------------------------------------------------------------- */

/* Steps may be cancelled in the middle: what is kept is a copy made between two of them. */
static smr_status mark(smr_ctx *ctx, struct smr_net_fit *f)
{
    smr_status st = SMR_OK;
    size_t bytes = (size_t)f->up.n * sizeof(float);
    if (!f->w_then) {
        TRY_NEW(f->w_then, f->up.n + 1);
        if (f->up.v) TRY_NEW(f->v_then, f->up.n + 1);
        if (f->up.u) TRY_NEW(f->u_then, f->up.n + 1);
        if (f->best) TRY_NEW(f->best_then, f->up.n + 1);
    }
    smr_nn_values_read(&f->up, &f->net->graph, &f->trainer->w, f->w_then);
    if (f->up.v) memcpy(f->v_then, f->up.v, bytes);
    if (f->up.u) memcpy(f->u_then, f->up.u, bytes);
    if (f->best) memcpy(f->best_then, f->best, bytes);
    f->then = f->at;
    f->best_epoch_then = f->s->best;
    f->marked = smr_now();
out:
    return st;
}

static smr_status mark_or_keep(smr_ctx *ctx, struct smr_net_fit *f, int64_t done, int64_t total)
{
    smr_status st = SMR_OK;
    const smr_checkpoint *c = f->report->checkpoint;
    if (!c) return SMR_OK;
    bool late = smr_now() - f->marked >= smr_fmin(MARK, c->seconds);
    if (f->at.batch > 0 && !late && f->w_then) return SMR_OK;
    TRY(mark(ctx, f));
    TRY(smr_checkpoint_at(ctx, f->report, done, total, f));
out:
    return st;
}

/* ---- epochs ------------------------------------------------------------------------------ */

static smr_status end_epoch(smr_ctx *ctx, struct smr_net_fit *f, double rate)
{
    smr_status st = SMR_OK;
    struct smr_net_state *s = f->s;
    int64_t e = f->at.epoch;
    struct smr_net_sums held = {0};
    if (f->best) TRY(smr_net_judge_held(ctx, f, &held));
    double loss = f->at.sums.loss / f->at.sums.weight;
    TRY(smr_fit_step(ctx, f->report, loss + smr_nn_penalty(&f->up, f->trainer)));
    s->train_loss[e] = loss;
    s->train_error[e] = smr_net_error(&f->target, &f->at.sums);
    s->rates[e] = rate;
    s->n_epochs = e + 1;
    f->at = (struct smr_net_at){.epoch = e + 1};
    if (!f->best) {
        s->best = e + 1;
        goto out;
    }
    s->held_loss[e] = held.loss / held.weight;
    s->held_error[e] = smr_net_error(&f->target, &held);
    if (s->best > 0 && !(s->held_loss[e] < s->held_loss[s->best - 1])) goto out;
    s->best = e + 1;
    smr_nn_values_read(&f->up, &f->net->graph, &f->trainer->w, f->best);
out:
    return st;
}

/* Is there nothing more to be learned, by the epochs that are done? */
static bool is_done(const struct smr_net_fit *f)
{
    const struct smr_net_state *s = f->s;
    int64_t wait = 0;
    double least = INFINITY;
    if (f->best) return f->at.epoch > 0 && f->at.epoch - s->best >= f->p->patience;
    for (int64_t e = 0; e < f->at.epoch && f->p->tol > 0; e++) {
        bool falls = e == 0 || s->train_loss[e] < least - f->p->tol * s->train_loss[0];
        wait = falls ? 0 : wait + 1;
        if (falls) least = s->train_loss[e];
    }
    return wait >= STALL;
}

static smr_status go_epoch(smr_ctx *ctx, struct smr_net_fit *f)
{
    smr_status st = SMR_OK;
    int64_t total = f->p->epochs * f->batches;
    int64_t drops = f->p->schedule == SMR_NET_PLATEAU ? drops_of(f) : 0;
    double rate = rate_at(f, drops);
    smr_random_permutation(ctx->seed, SMR_STREAM_BATCHES, (uint64_t)f->at.epoch, f->n, f->order);
    while (f->at.batch < f->batches) {
        int64_t done = f->at.epoch * f->batches + f->at.batch;
        double loss = f->at.sums.weight > 0 ? f->at.sums.loss / f->at.sums.weight : NAN;
        TRY(mark_or_keep(ctx, f, done, total));
        TRY(smr_tick(ctx, "training", done, total, loss));
        rate = rate_at(f, drops);
        TRY(go_step(ctx, f, rate));
    }
    TRY(end_epoch(ctx, f, rate));
out:
    return st;
}

smr_status smr_net_train(smr_ctx *ctx, struct smr_net_fit *f)
{
    smr_status st = SMR_OK;
    const struct smr_net_params *p = f->p;
    TRY(smr_checkpoint_begin(ctx, f->report, f));
    while (f->at.epoch < p->epochs && !is_done(f)) TRY(go_epoch(ctx, f));
    f->report->converged = is_done(f);
    if (f->best)
        smr_info(ctx,
                 "net: keeps the weights after epoch %lld of %lld, where the loss of the rows "
                 "kept apart is least",
                 (long long)f->s->best, (long long)f->s->n_epochs);
out:
    if (f->w_then)
        st = smr_checkpoint_end(ctx, f->report, st, f->then.epoch * f->batches + f->then.batch,
                                p->epochs * f->batches, f);
    return st;
}
