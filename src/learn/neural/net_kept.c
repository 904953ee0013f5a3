/* net_kept.c -- what a checkpoint keeps of training: weights, what the steps carry along, where it
 * is, and the curves so far. */
#include "learn/checkpoint.h"
#include "learn/neural/net.h"

#include <string.h>

struct kept {
    int64_t n_weights, n_nodes, n_looks, n_epochs, batch, best;
    double loss, wrong, weight;
    float *w, *v, *u, *best_w;
    double *train_loss, *train_error, *rates, *held_loss, *held_error, *answers, *slopes;
};

#define K(field_) SMR_KEPT(struct kept, field_)
#define WEIGHTS(field_, doc_)                                             \
    {                                                                     \
        K(field_), .dims = {"n_weights"}, .optional = true, .doc = (doc_) \
    }
#define EPOCHS(field_, doc_)                                             \
    {                                                                    \
        K(field_), .dims = {"n_epochs"}, .optional = true, .doc = (doc_) \
    }
static const smr_state state[] = {
    {K(n_weights), .min = 1, .max = 1e12, .doc = "Weights."},
    {K(n_nodes), .min = 1, .doc = "Layers."},
    {K(n_looks), .min = 2, .max = 2, .doc = "Looks at the layers."},
    {K(n_epochs), .min = 0, .max = 1e6, .doc = "Epochs that are done."},
    {K(batch), .min = 0, .doc = "Batches of the next one that are done."},
    {K(best), .min = 0, .most = "n_epochs", .doc = "The best epoch so far."},
    {K(loss), .doc = "Sum of the losses of this epoch's rows."},
    {K(wrong), .doc = "Of their mistakes, or squared errors."},
    {K(weight), .doc = "Of their weights."},
    {K(w), .dims = {"n_weights"}, .doc = "The weights."},
    WEIGHTS(v, "Their velocities, or means of gradients."),
    WEIGHTS(u, "Sums or means of squared gradients."),
    WEIGHTS(best_w, "The weights after the best epoch."),
    EPOCHS(train_loss, "Mean losses."),
    EPOCHS(train_error, "Errors."),
    EPOCHS(rates, "Rates."),
    EPOCHS(held_loss, "Mean losses of the rows kept apart."),
    EPOCHS(held_error, "Their errors."),
    {K(answers), .dims = {"n_looks", "n_nodes"}, .doc = "Sizes of what the layers give."},
    {K(slopes), .dims = {"n_looks", "n_nodes"}, .doc = "Sizes of the derivatives there."},
};

static smr_status suspend(smr_ctx *ctx, void *work, void *kept_)
{
    const struct smr_net_fit *f = work;
    const struct smr_net_state *s = f->s;
    (void)ctx;
    *(struct kept *)kept_ = (struct kept){.n_weights = f->up.n,
                                          .n_nodes = s->n_nodes,
                                          .n_looks = s->n_looks,
                                          .n_epochs = f->then.epoch,
                                          .batch = f->then.batch,
                                          .best = f->best_epoch_then,
                                          .loss = f->then.sums.loss,
                                          .wrong = f->then.sums.wrong,
                                          .weight = f->then.sums.weight,
                                          .w = f->w_then,
                                          .v = f->v_then,
                                          .u = f->u_then,
                                          .best_w = f->best_then,
                                          .train_loss = s->train_loss,
                                          .train_error = s->train_error,
                                          .rates = s->rates,
                                          .held_loss = s->held_loss,
                                          .held_error = s->held_error,
                                          .answers = s->answers,
                                          .slopes = s->slopes};
    return SMR_OK;
}

static bool fits(const struct kept *k, const struct smr_net_fit *f)
{
    bool some = k->n_epochs > 0, held = f->best != NULL;
    return k->n_weights == f->up.n && k->n_nodes == f->s->n_nodes && k->n_epochs < f->p->epochs &&
           k->batch < f->batches && !k->v == !f->up.v && !k->u == !f->up.u && !k->best_w == !held &&
           (!some || (k->train_loss && k->train_error && k->rates)) &&
           (!some || (!k->held_loss == !held && !k->held_error == !held)) &&
           (!some || !held || k->best > 0);
}

static void copy(double *to, const double *from, int64_t n)
{
    if (to && from && n > 0) memcpy(to, from, (size_t)n * sizeof *to);
}

static smr_status resume(smr_ctx *ctx, void *kept_, void *work)
{
    struct smr_net_fit *f = work;
    struct smr_net_state *s = f->s;
    const struct kept *k = kept_;
    size_t bytes = (size_t)f->up.n * sizeof(float);
    if (!fits(k, f))
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "net: the weights of the checkpoint do not fit the layers and the data");
    smr_nn_values_write(&f->up, &f->net->graph, k->w, &f->trainer->w);
    if (k->v) memcpy(f->up.v, k->v, bytes);
    if (k->u) memcpy(f->up.u, k->u, bytes);
    if (k->best_w) memcpy(f->best, k->best_w, bytes);
    copy(s->train_loss, k->train_loss, k->n_epochs);
    copy(s->train_error, k->train_error, k->n_epochs);
    copy(s->rates, k->rates, k->n_epochs);
    copy(s->held_loss, k->held_loss, k->n_epochs);
    copy(s->held_error, k->held_error, k->n_epochs);
    copy(s->answers, k->answers, s->n_looks * s->n_nodes);
    copy(s->slopes, k->slopes, s->n_looks * s->n_nodes);
    s->n_epochs = k->n_epochs;
    s->best = k->best;
    f->at = (struct smr_net_at){
        .epoch = k->n_epochs, .batch = k->batch, .sums = {k->loss, k->wrong, k->weight}};
    return SMR_OK;
}

const smr_can_resume smr_net_resume = {.state = state,
                                       .n_state = SMR_COUNT(state),
                                       .state_size = sizeof(struct kept),
                                       .suspend = suspend,
                                       .resume = resume};
