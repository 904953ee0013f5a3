/* net_full.c -- training on all rows at once, by L-BFGS in doubles; with decay_l1 by OWL-QN.
 *
 * Loss and gradient are sums over blocks of `batch` rows, in their order; the machine computes in
 * doubles, so that the search along a direction can tell which of two points is lower. */
#include "learn/neural/net.h"
#include "math/optimize.h"

#include <math.h>
#include <string.h>

struct full {
    smr_ctx *ctx;
    struct smr_net_fit *f;
    struct smr_net_sums sums;
    int64_t evaluations;
    smr_status failed;
};

static void write_weights(const struct smr_net_fit *f, const double *from)
{
    for (int64_t t = 0; t < f->net->graph.n * SMR_LAYER_WEIGHTS; t++) {
        if (f->up.offset[t] < 0) continue;
        const smr_nn_layout *layout = &f->net->graph.node[t / SMR_LAYER_WEIGHTS].layout;
        memcpy(f->trainer->w.tensor[t], from + f->up.offset[t],
               (size_t)smr_nn_weights_size(&layout->weights[t % SMR_LAYER_WEIGHTS]) *
                   sizeof(double));
    }
}

/* The gradient of one tensor, with its penalty the first time. */
static void add_gradient(const struct smr_net_fit *f, int64_t t, const double *w, bool first,
                         double *g)
{
    int64_t i = t / SMR_LAYER_WEIGHTS, at = f->up.offset[t];
    const smr_nn_weights *of = &f->net->graph.node[i].layout.weights[t % SMR_LAYER_WEIGHTS];
    const double *more = f->trainer->g.tensor[t];
    double decay = of->decays ? f->up.decay[i] : 0;
    for (int64_t e = 0; e < smr_nn_weights_size(of); e++)
        g[at + e] = (first ? decay * w[at + e] : g[at + e]) + more[e];
}

static double penalty_of(const struct smr_net_fit *f, const double *w)
{
    double sum = 0;
    for (int64_t t = 0; t < f->net->graph.n * SMR_LAYER_WEIGHTS; t++) {
        int64_t i = t / SMR_LAYER_WEIGHTS, at = f->up.offset[t];
        if (at < 0) continue;
        const smr_nn_weights *of = &f->net->graph.node[i].layout.weights[t % SMR_LAYER_WEIGHTS];
        double square = 0;
        for (int64_t e = 0; of->decays && e < smr_nn_weights_size(of); e++)
            square += w[at + e] * w[at + e];
        sum += 0.5 * f->up.decay[i] * square;
    }
    return sum;
}

static smr_status evaluate(smr_ctx *ctx, void *self, const double *w, double *value, double *g)
{
    struct full *full = self;
    struct smr_net_fit *f = full->f;
    smr_nn_machine *m = f->trainer;
    smr_status st = SMR_OK;
    full->sums = (struct smr_net_sums){0};
    write_weights(f, w);
    TRY(smr_nn_pack(ctx, m));
    for (int64_t lo = 0; lo < f->n; lo += f->batch) {
        int64_t n = SMR_MIN(f->batch, f->n - lo);
        struct smr_net_taken its =
            smr_net_windows_take(&f->windows, NULL, f->trained + lo, n, f->drawn_rows, f->lengths);
        struct smr_net_batch batch = {its.number,   its.n, f->data->n_features,
                                      SMR_REAL_F64, f->x,  NULL};
        TRY(smr_net_rows_gather(ctx, &f->rows, &batch));
        m->given = its.lengths;
        TRY(smr_nn_forward(ctx, m, f->x, n, ctx->seed, 0));
        struct smr_net_said said = {SMR_REAL_F64,        its.n,
                                    its.number,          smr_nn_answers(m),
                                    (double)f->n_fitted, smr_nn_slopes(m)};
        TRY(smr_net_judge(ctx, &f->target, &said, &full->sums));
        TRY(smr_nn_backward(ctx, m, NULL));
        if (lo == 0) smr_net_look(f, full->evaluations > 0);
        if (full->evaluations == 0 && lo == 0) smr_net_look(f, 1);
        for (int64_t t = 0; t < f->net->graph.n * SMR_LAYER_WEIGHTS; t++)
            if (f->up.offset[t] >= 0) add_gradient(f, t, w, lo == 0, g);
    }
    *value = full->sums.loss / (double)f->n_fitted + penalty_of(f, w);
    full->evaluations++;
out:
    return st;
}

/* The last evaluation is at the point that the method went to. */
static bool each(void *user, const smr_iteration *now)
{
    struct full *full = user;
    struct smr_net_fit *f = full->f;
    if (now->iteration == 0) return true;
    int64_t e = now->iteration - 1;
    f->s->train_loss[e] = full->sums.loss / full->sums.weight;
    f->s->train_error[e] = smr_net_error(&f->target, &full->sums);
    f->s->rates[e] = now->step;
    f->s->n_epochs = f->s->best = e + 1;
    full->failed = smr_fit_step(full->ctx, f->report, now->f);
    return full->failed == SMR_OK;
}

static smr_status begin(smr_ctx *ctx, struct smr_net_fit *f, double *w, double *l1)
{
    smr_status st = SMR_OK;
    const smr_nn_graph *graph = &f->net->graph;
    smr_nn_values first = {0};
    TRY(smr_nn_values_create(ctx, graph, SMR_REAL_F32, &first));
    TRY(smr_nn_begin(ctx, graph, (smr_nn_start)f->p->init, ctx->seed, &first));
    for (int64_t t = 0; t < graph->n * SMR_LAYER_WEIGHTS; t++) {
        if (f->up.offset[t] < 0) continue;
        const smr_nn_weights *of =
            &graph->node[t / SMR_LAYER_WEIGHTS].layout.weights[t % SMR_LAYER_WEIGHTS];
        const float *from = first.tensor[t];
        for (int64_t e = 0; e < smr_nn_weights_size(of); e++) {
            w[f->up.offset[t] + e] = (double)from[e];
            l1[f->up.offset[t] + e] = of->decays ? f->up.l1 : 0;
        }
    }
out:
    smr_nn_values_release(&first);
    return st;
}

smr_status smr_net_full(smr_ctx *ctx, struct smr_net_fit *f)
{
    smr_status st = SMR_OK;
    struct full full = {.ctx = ctx, .f = f};
    smr_objective objective = {.n = f->up.n, .self = &full, .evaluate = evaluate};
    smr_optimize_opts opts = {.max_iter = f->p->epochs,
                              .tol = f->p->tol > 0 ? f->p->tol : 1e-300,
                              .what = "training",
                              .each = each,
                              .user = &full};
    smr_optimize_result result = {0};
    double *w = NULL, *l1 = NULL;
    TRY_NEW(w, f->up.n + 1);
    TRY_NEW(l1, f->up.n + 1);
    TRY(begin(ctx, f, w, l1));
    TRY(f->up.l1 > 0 ? smr_owlqn(ctx, &objective, l1, 0, &opts, w, &result)
                     : smr_lbfgs(ctx, &objective, 0, &opts, w, &result));
    TRY(full.failed);
    if (result.why == SMR_WHY_NOT_FINITE || !isfinite(result.f))
        TRY(smr_net_diverged(ctx, f, f->trainer, full.evaluations));
    f->report->converged = result.converged;
    write_weights(f, w);
out:
    smr_free(w);
    smr_free(l1);
    return st;
}
