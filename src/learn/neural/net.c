/* net.c -- networks of layers, trained by gradients.
 *
 * Minimises over the weights w of the layers (nn/)
 *
 *     J(w) = 1/W sum_i weight_i loss(y_i, f(x_i; w)) + 1/2 sum_l decay_l |w_l|^2 + decay_l1 |w|_1
 *
 * where f is the chain of layers with `out` at its end, W the weight of the rows, and w_l the
 * weights of layer l without its biases.  Losses are those of math/loss.h.  Numbers are learned as
 * (y - mean) / deviation, so that the size of the target does not enter.
 *
 * Steps: epoch e visits the rows in a random order, dealt into batches of at most `batch` rows
 * whose sizes differ by one at most.  The gradient g of a batch's mean loss (clipped: g min(1, clip
 * / |g|)) and the penalty's slope make the step of the method:
 *
 *     sgd       w -= r g                                                                       (1)
 *     momentum  v = momentum v + g,  w -= r v                                                  (2)
 *     nesterov  v = momentum v + g,  w -= r (g + momentum v)                                   (3)
 *     adagrad   u += g^2,  w -= r g / (sqrt u + eps)                                           (4)
 *     rmsprop   u = b2 u + (1 - b2) g^2,  w -= r g / (sqrt u + eps)                            (5)
 *     adam      v = b1 v + (1 - b1) g, u as in (5), each divided by 1 - b^t,
 *               w -= r v / (sqrt u + eps)                                                      (6)
 *     adamw     the same of g without the decay, and w -= r decay w beside it                  (7)
 *
 * Rate r at t = e + b / batches epochs:  constant;  inverse rate o / (o + t);  root
 * rate sqrt(o / (o + t)), o = offset;  step rate drop^floor(t / period);  plateau: times `drop`
 * after `period` epochs in which the loss (held out, if there is a part) did not fall by 1e-4 of
 * itself;  cosine rate (1 + cos(pi t / epochs)) / 2.  All times min(1, t / warmup).
 * lbfgs minimises J over all rows at once, in doubles (math/optimize).
 *
 * The order of the rows, how they are changed (shift, flip, noise), what dropout leaves out and
 * what the weights begin with are functions of (seed, epoch, row): training is at every step a
 * function of sentence, data, seed and the number of the step, whatever the threads, and goes on
 * after a stop with the same bits.
 *
 * Cost: three times the layers' multiply-adds for a row and epoch.  Memory: told before the first
 * step (net_fit.c).
 *
 * References: Rumelhart, Hinton & Williams, Nature 323:533-536, 1986; Kingma & Ba, ICLR 2015;
 * Loshchilov & Hutter, ICLR 2019; Prechelt, Early stopping -- but when?, 1998. */
#include "learn/neural/net.h"

#include "core/params.h"
#include "kernel/kernel.h"
#include "learn/linear/scores.h"
#include "learn/present.h"
#include "learn/state.h"

#include <math.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice losses[] = {
    {"auto", "cross_entropy for classes, squared for numbers"},
    {"squared", "1/2 (f - y)^2"},
    {"absolute", "|f - y|: medians"},
    {"huber", "squared up to 1.35 deviations of the target, then absolute"},
    {"cross_entropy", "log sum e^f - f_y; of two classes log(1 + e^-yf)"},
    {"hinge_sum", "every class that comes too close counts; of two classes max(0, 1 - yf)"},
    {"hinge_max", "only the closest other class counts; of two classes max(0, 1 - yf)"},
    {NULL, NULL},
};

static const smr_choice methods[] = {
    {"sgd", "along the gradient"},
    {"momentum", "along a sum of the gradients so far, older ones fading"},
    {"nesterov", "the same, looking a step ahead"},
    {"adagrad", "each weight by the size of its gradients so far"},
    {"rmsprop", "by that of its latest gradients"},
    {"adam", "momentum, by the size of the latest gradients"},
    {"adamw", "adam, and decay beside the step"},
    {"lbfgs", "all rows at once, in double precision, to the minimum nearby"},
    {NULL, NULL},
};

static const smr_choice schedules[] = {
    {"constant", "the same rate throughout"},
    {"inverse", "rate offset / (offset + t), t in epochs"},
    {"root", "rate sqrt(offset / (offset + t))"},
    {"step", "times drop after each period"},
    {"plateau", "times drop when the loss has not fallen for a period"},
    {"cosine", "rate (1 + cos(pi t / epochs)) / 2"},
    {NULL, NULL},
};

static const smr_choice memories[] = {
    {"sequence", "all rows before, where no layer looks ahead"},
    {"window", "rows of the same window, as in training"},
    {NULL, NULL},
};

#define BY_BATCHES "method!=lbfgs"
#define P(field_) SMR_FIELD(struct smr_net_params, field_)
#define NO_LIMIT .min = 0, .max = INFINITY, .max_open = true
static const smr_param params[] = {
    {P(layers), .grammar = &smr_nn_chain_grammar, .least = 1, .most = 1, .primary = true,
     .def_text = "(dense 100 | relu)",
     .doc = "The layers, from what comes in to what `out` sees, which is added at the end; or the "
            "name of a known net (docs/nets.md)."},
    {P(loss), .choices = losses, .doc = "What an answer costs."},
    {P(epochs), .def = 200, .min = 1, .max = 1e6, .search = SMR_SEARCH_LOG, .search_min = 5,
     .search_max = 300, .doc = "Passes over the rows, at the most; with lbfgs iterations."},
    {P(batch), .def = 0, .min = 0, .max = 1e6, .search = SMR_SEARCH_LOG, .search_min = 8,
     .search_max = 256,
     .doc = "Rows of a step, at the most; 0: a hundredth of them, from 16 to 128. With lbfgs rows "
            "that are computed at a time."},
    {P(method), .choices = methods, .def = SMR_NET_ADAM, .search = SMR_SEARCH_VALUES,
     .doc = "How gradients become steps."},
    {P(rate), .when = BY_BATCHES, .def = 0, NO_LIMIT, .search = SMR_SEARCH_LOG, .search_min = 1e-4,
     .search_max = 0.3,
     .doc = "Learning rate; 0: 0.1 for sgd, 0.01 for momentum, nesterov and adagrad, 0.001 for the "
            "others."},
    {P(momentum), .when = "method=momentum|nesterov", .def = 0.9, .min = 0, .max = 1,
     .max_open = true, .doc = "Share of the last step that is kept."},
    {P(b1), .when = "method=adam|adamw", .def = 0.9, .min = 0, .max = 1, .max_open = true,
     .doc = "Share of the mean of the gradients that is kept."},
    {P(b2), .when = "method=rmsprop|adam|adamw", .def = 0.999, .min = 0, .max = 1, .max_open = true,
     .doc = "Share of the mean of their squares that is kept."},
    {P(eps), .when = "method=adagrad|rmsprop|adam|adamw", .def = 1e-8, .min = 0, .max = 1,
     .min_open = true, .doc = "Added to the size of the gradients that steps are divided by."},
    {P(schedule), .when = BY_BATCHES, .choices = schedules,
     .doc = "How the rate falls with the epochs."},
    {P(offset), .when = "schedule=inverse|root", .def = 1, NO_LIMIT, .min_open = true,
     .doc = "Epochs after which the rate has fallen to a half, or to 0.71 with root."},
    {P(drop), .when = "schedule=step|plateau", .def = 0.1, .min = 0, .max = 1, .min_open = true,
     .max_open = true, .doc = "What the rate is multiplied by."},
    {P(period), .when = "schedule=step|plateau", .def = 0, .min = 0, .max = 1e6,
     .doc = "Epochs between drops; 0: a third of the epochs, or 5 with plateau."},
    {P(warmup), .when = BY_BATCHES, .def = 0, .min = 0, .max = 1e6,
     .doc = "Epochs in which the rate rises from 0."},
    {P(decay), .unset = true, NO_LIMIT, .search = SMR_SEARCH_LOG, .search_min = 1e-6,
     .search_max = 0.1, .simpler = SMR_SIMPLER_HIGH,
     .doc = "Weight of the penalty 1/2 |w|^2 beside the mean loss: one number, or one for each "
            "layer that has weights; unset: 2 divided by the rows that are trained on."},
    {P(decay_l1), .def = 0, NO_LIMIT, .search = SMR_SEARCH_LOG, .search_min = 1e-6,
     .search_max = 1e-2, .simpler = SMR_SIMPLER_HIGH,
     .doc = "Weight of the penalty |w|_1 beside the mean loss."},
    {P(clip), .when = BY_BATCHES, .def = 0, NO_LIMIT,
     .doc = "Longest gradient: longer ones are cut to this length; 0: no limit."},
    {P(patience), .when = BY_BATCHES, .def = 0, .min = 0, .max = 1e6,
     .doc = "Early stopping: stop when the loss of rows kept apart has not fallen for this many "
            "epochs, and keep the weights of the best; 0: no early stopping."},
    {P(validation), .when = "patience>0", .def = 0.1, .min = 0, .max = 1, .min_open = true,
     .max_open = true, .doc = "Share of the rows that are kept apart."},
    {P(tol), .when = "patience=0", .def = 1e-4, .min = 0, .max = 1,
     .doc = "Stop when ten epochs in a row have not lowered the loss by this share of the first "
            "epoch's; with lbfgs when the gradient is this share of the first; 0: never."},
    {P(init), .choices = smr_nn_starts, .doc = "What the weights begin with; biases begin at 0."},
    {P(class_weight), .tasks = SMR_DOES_CLASSIFY, .def = SMR_CLASS_WEIGHT_NONE,
     .choices = smr_class_weights, .doc = "How the classes are weighted."},
    {P(shift), .when = BY_BATCHES, .def = 0, .min = 0, .max = 1024,
     .doc = "Training moves each picture by up to this many pixels, up or down and to a side, anew "
            "in each epoch; 0s come in."},
    {P(flip), .when = BY_BATCHES, .def = false,
     .doc = "Training mirrors each picture, left and right, every other time."},
    {P(noise), .when = BY_BATCHES, .def = 0, NO_LIMIT,
     .doc = "Deviation of the normal numbers that training adds to each number of a row."},
    {P(steps), .def = 0, .min = 0, .max = 1e5, .search = SMR_SEARCH_LOG, .search_min = 10,
     .search_max = 200,
     .doc = "Rows of sequences (--sequence): training cuts them into windows of at most this many "
            "rows, and gradients reach no further; 0: the longest sequence, but not more than "
            "50."},
    {P(memory), .choices = memories,
     .doc = "What layers remember of a sequence that is longer than steps, when its rows are "
            "answered."},
    {P(input), .unset = true, .min = 1, .max = 1 << 20,
     .doc =
         "Height, width and channels of a row that is a picture, where the data do not say it: "
         "28,28 or 32,32,3, channels last; of one that is a sequence its steps and the numbers of "
         "each: 50,20; unset: a vector."},
};
#undef P

double smr_net_rate(const struct smr_net_params *p)
{
    static const double usual[SMR_NET_METHODS] = {0.1, 0.01, 0.01, 0.01, 1e-3, 1e-3, 1e-3, 0};
    return p->rate > 0 ? p->rate : usual[p->method];
}

smr_step_kind smr_net_step_kind(const struct smr_net_params *p)
{
    static const smr_step_kind kind[SMR_NET_METHODS] = {
        SMR_STEP_SGD,     SMR_STEP_MOMENTUM, SMR_STEP_NESTEROV, SMR_STEP_ADAGRAD,
        SMR_STEP_RMSPROP, SMR_STEP_ADAM,     SMR_STEP_ADAM,     SMR_STEP_SGD};
    return kind[p->method];
}

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    const struct smr_net_params *p = params_;
    if (p->input.n > 3)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "net: input has %lld numbers; a picture has a height, a width and, if it "
                        "has more than one, channels",
                        (long long)p->input.n);
    for (int64_t k = 0; k < p->input.n; k++)
        if (p->input.value[k] != floor(p->input.value[k]))
            return smr_fail(ctx, SMR_ERR_PARAM, "net: input=%g is not a whole number",
                            p->input.value[k]);
    return SMR_OK;
}

/* ---- state ------------------------------------------------------------------------------ */

#define S(field_) SMR_KEPT(struct smr_net_state, field_)
static const smr_state state[] = {
    {S(n_features), .is = "features", .min = 1, .doc = "Features."},
    {S(n_classes), .is = "classes", .min = 0, .doc = "Classes; 0 for numbers."},
    {S(n_targets), .is = "targets", .min = 0, .doc = "Targets that are numbers."},
    {S(n_scores), .most = "scores", .min = 1, .doc = "Numbers that the net gives."},
    {S(height), .min = 1, .doc = "Rows of a picture that comes in; 1 for a vector."},
    {S(width), .min = 1, .doc = "Its columns; 1 for a vector."},
    {S(channels), .min = 1, .doc = "Its channels, or the length of a vector."},
    {S(steps), .since = 2, .min = 0, .max = 1e5,
     .doc = "Rows of a window of a sequence; 0: rows are alone."},
    {S(n_epochs), .min = 0, .max = 1e6, .doc = "Passes over the rows."},
    {S(best), .most = "n_epochs", .min = 0, .doc = "After which the weights are those kept."},
    {S(n_held), .min = 0, .doc = "Rows that were kept apart."},
    {S(batch), .min = 1, .doc = "Rows of a step, at the most."},
    {S(n_nodes), .min = 1, .max = 4096 * 2, .doc = "Layers."},
    {S(n_looks), .min = 2, .max = 2, .doc = "At the beginning, and at the end."},
    {S(place), .with = "classes", .optional = true, .min = -1, .below = "n_classes",
     .dims = {"n_classes"}, .doc = "Number of each class among those that had rows, or -1."},
    {S(center), .with = "targets", .optional = true, .reals = SMR_REALS_FINITE,
     .dims = {"n_targets"}, .doc = "Means of the targets."},
    {S(scale), .with = "targets", .optional = true, .reals = SMR_REALS_FROM_0,
     .dims = {"n_targets"}, .doc = "Their deviations; 0 of a constant."},
    {S(weights), .doc = "Weights of the layers, as floats."},
    {S(train_loss), .dims = {"n_epochs"}, .doc = "Mean loss of the rows in each epoch."},
    {S(train_error), .dims = {"n_epochs"},
     .doc = "Their share of mistakes, or root mean squared "
            "error."},
    {S(rates), .dims = {"n_epochs"}, .doc = "Learning rate at the end of each epoch."},
    {S(held_loss), .with = "n_held", .optional = true, .dims = {"n_epochs"},
     .doc = "Mean loss of the rows kept apart, after each epoch."},
    {S(held_error), .with = "n_held", .optional = true, .dims = {"n_epochs"},
     .doc = "Their share of mistakes, or root mean squared error."},
    {S(answers), .dims = {"n_looks", "n_nodes"},
     .doc = "Root mean square of what each layer gives."},
    {S(slopes), .dims = {"n_looks", "n_nodes"},
     .doc = "Root mean square of the loss's derivatives there, of a row."},
};
#undef S

/* ---- the net of a state ----------------------------------------------------------------- */

smr_nn_item smr_net_state_item(const struct smr_net_state *s)
{
    return (smr_nn_item){.h = s->height, .w = s->width, .c = s->channels, .in_time = s->steps > 0};
}

smr_status smr_net_check_answer(smr_ctx *ctx, const smr_nn_graph *graph, int64_t steps)
{
    smr_nn_item out = graph->node[graph->n - 1].layout.out;
    if (steps == 0 && (out.in_time || out.h * out.w > 1))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "net: the last layer answers each of the %lld steps of a row, and a row "
                        "has one answer; put last, mean or max before it, or give=last",
                        (long long)out.h);
    if (steps > 0 && (!out.in_time || out.h != steps || out.w != 1))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "net: rows are steps of sequences, and each is answered: no layer may end "
                        "or shorten the sequence, and of %lld steps that come in the last layer "
                        "answers %lld",
                        (long long)steps, (long long)smr_nn_steps(out));
    return SMR_OK;
}

smr_status smr_net_item(smr_ctx *ctx, const struct smr_net_params *p, int64_t n_features,
                        const int64_t shape[4], smr_nn_item *item)
{
    int64_t size[3] = {0}, n = 0;
    for (; n < p->input.n; n++) size[n] = (int64_t)p->input.value[n];
    if (n == 0 && shape[3] != 0)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "net: a row has four dimensions; a net takes vectors and pictures: height, "
                        "width and channels");
    for (; p->input.n == 0 && n < 3 && shape[n]; n++) size[n] = shape[n];
    *item = (smr_nn_item){1, 1, n_features, false};
    if (n == 2) *item = (smr_nn_item){size[0], size[1], 1, false};
    if (n == 3) *item = (smr_nn_item){size[0], size[1], size[2], false};
    if (n == 1) item->c = size[0];
    double all = (double)item->h * (double)item->w * (double)item->c;
    if (all == (double)n_features) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "net: input says that a row has %.0f numbers, and it has %lld features", all,
                    (long long)n_features);
}

void smr_net_close(struct smr_net *net)
{
    if (!net) return;
    smr_nn_machine_free(net->machine);
    smr_nn_machine_free(net->stepper);
    smr_nn_graph_release(&net->graph);
    smr_nn_graph_release(&net->single);
    smr_nn_chain_grammar.release(&net->layers);
    smr_free(net);
}

smr_status smr_net_open(smr_ctx *ctx, const struct smr_net_params *p, smr_nn_item item,
                        int64_t n_scores, struct smr_net **out)
{
    smr_status st = SMR_OK;
    struct smr_net *net = NULL;
    const double most = 1e12;
    TRY_NEW(net, 1);
    TRY(smr_nn_chain_grammar.copy(ctx, &p->layers, &net->layers));
    TRY(smr_nn_graph_build(ctx, &net->layers.chain[0], item, n_scores, true, &net->graph));
    double products = smr_nn_graph_sum(&net->graph).products;
    if (products > most)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "net: a row would take %.3g multiply-adds, and at most 1e12 are allowed; take "
                     "fewer or smaller layers",
                     products));
    *out = net;
    net = NULL;
out:
    smr_net_close(net);
    return st;
}

static smr_status refuse(smr_ctx *ctx, const char *name, const char *why)
{
    return smr_fail(ctx, SMR_ERR_FORMAT, "net: its weights %.100s %s", name, why);
}

static smr_status check_tensor(smr_ctx *ctx, const smr_tensor *t, const smr_nn_node *node,
                               const smr_nn_weights *w)
{
    smr_status st = SMR_OK;
    smr_text name = {.ctx = ctx};
    smr_text_printf(&name, "%s.%s", node->name, w->name);
    TRY(smr_text_done(&name));
    bool fits = t->name && strcmp(t->name, name.bytes) == 0 && t->dtype == SMR_F32 && t->values &&
                t->rank == (int)w->rank;
    for (int64_t k = 0; fits && k < w->rank; k++) fits = t->shape[k] == w->dim[k];
    if (!fits) TRY(refuse(ctx, name.bytes, "do not have the shape that the layers say"));
    const float *x = t->values;
    for (int64_t e = 0; e < smr_nn_weights_size(w); e++)
        if (!isfinite(x[e])) TRY(refuse(ctx, name.bytes, "are not all finite"));
out:
    smr_text_release(&name);
    return st;
}

static smr_status check_weights(smr_ctx *ctx, const struct smr_net_state *s,
                                const smr_nn_graph *graph)
{
    int64_t t = 0;
    for (int64_t i = 0; i < graph->n; i++)
        for (int64_t k = 0; k < graph->node[i].layout.n_weights; k++, t++) {
            if (t >= s->weights.n) return refuse(ctx, graph->node[i].name, "are missing");
            smr_status st = check_tensor(ctx, &s->weights.tensor[t], &graph->node[i],
                                         &graph->node[i].layout.weights[k]);
            if (st != SMR_OK) return st;
        }
    if (t < s->weights.n) return refuse(ctx, s->weights.tensor[t].name, "belong to no layer");
    if (s->n_nodes != graph->n) return refuse(ctx, "of all layers", "are of another net");
    return SMR_OK;
}

/* Classes that had rows are numbered in their order. */
static bool places_are_sound(const struct smr_net_state *s)
{
    int64_t n = 0;
    for (int64_t c = 0; c < s->n_classes; c++) {
        if (s->place[c] < 0) continue;
        if (s->place[c] != n++) return false;
    }
    return n >= 2 && s->n_scores == smr_scores_of(n);
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_net_state *s = state_;
    smr_status st = SMR_OK;
    struct smr_net *net = NULL;
    double size = (double)s->height * (double)s->width * (double)s->channels;
    (void)shape;
    if (s->steps > 0 && (s->height != s->steps || s->width != 1))
        return smr_fail(ctx, SMR_ERR_FORMAT, "net: its windows have %lld steps and %lld rows",
                        (long long)s->steps, (long long)s->height);
    if (s->steps > 0) size /= (double)s->steps;
    if (size != (double)s->n_features)
        return smr_fail(ctx, SMR_ERR_FORMAT, "net: its pictures have %.0f numbers of %lld features",
                        size, (long long)s->n_features);
    if (s->n_classes ? !places_are_sound(s) : s->n_scores != s->n_targets)
        return smr_fail(ctx, SMR_ERR_FORMAT, "net: its scores are not those of its classes");
    st = smr_net_open(ctx, params_, smr_net_state_item(s), s->n_scores, &net);
    if (st == SMR_OK) st = smr_net_check_answer(ctx, &net->graph, s->steps);
    if (st == SMR_ERR_PARAM) st = ctx->status = SMR_ERR_FORMAT; /* the file says what cannot be */
    TRY(st);
    TRY(check_weights(ctx, s, &net->graph));
out:
    smr_net_close(net);
    return st;
}

/* A few steps are answered one by one, where that gives the same bits. */
static smr_status prepare_steps(smr_ctx *ctx, const struct smr_net_params *p,
                                const struct smr_net_state *s, void *const *tensor,
                                struct smr_net *net)
{
    smr_status st = SMR_OK;
    smr_nn_item item = smr_net_state_item(s);
    net->carries = p->memory == SMR_NET_SEQUENCE && smr_nn_graph_carries(&net->graph);
    if (!net->carries || s->steps == 1) return SMR_OK;
    item.h = 1;
    TRY(smr_nn_graph_build(ctx, &net->layers.chain[0], item, s->n_scores, true, &net->single));
    TRY(smr_nn_machine_over(ctx, &net->single, SMR_REAL_F32, INT32_MAX, tensor, &net->stepper));
    TRY(smr_nn_pack(ctx, net->stepper));
out:
    return st;
}

static smr_status prepare(smr_ctx *ctx, const void *params_, void *state_)
{
    struct smr_net_state *s = state_;
    smr_status st = SMR_OK;
    struct smr_net *net = NULL;
    void **tensor = NULL;
    int64_t t = 0;
    TRY(smr_net_open(ctx, params_, smr_net_state_item(s), s->n_scores, &net));
    TRY_NEW(tensor, net->graph.n * SMR_LAYER_WEIGHTS + 1);
    for (int64_t i = 0; i < net->graph.n; i++)
        for (int64_t k = 0; k < net->graph.node[i].layout.n_weights; k++)
            tensor[i * SMR_LAYER_WEIGHTS + k] = s->weights.tensor[t++].values;
    TRY(smr_nn_machine_over(ctx, &net->graph, SMR_REAL_F32, INT32_MAX, tensor, &net->machine));
    TRY(smr_nn_pack(ctx, net->machine));
    if (s->steps > 0) TRY(prepare_steps(ctx, params_, s, tensor, net));
    smr_net_close(s->net);
    s->net = net;
    net = NULL;
out:
    smr_free(tensor);
    smr_net_close(net);
    return st;
}

static void release(void *state_)
{
    struct smr_net_state *s = state_;
    smr_net_close(s->net);
    s->net = NULL;
}

/* ---- predict ---------------------------------------------------------------------------- */

static int64_t round_up(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static int64_t scratch_of(const void *params_, const void *state_, int64_t n)
{
    const struct smr_net_state *s = state_;
    (void)params_;
    if (s->steps > 0) return smr_net_sequences_scratch(s, n);
    int64_t rows = SMR_MIN(n, s->net->machine->chunk);
    return round_up(rows * s->n_features * (int64_t)sizeof(float)) +
           smr_nn_scratch(s->net->machine);
}

static float float_at(const smr_rows *rows, int64_t at)
{
    if (rows->form == SMR_FORM_F32) return ((const float *)rows->x)[at];
    if (rows->form == SMR_FORM_U8) return ((const uint8_t *)rows->x)[at];
    return (float)((const double *)rows->x)[at];
}

const float *smr_net_floats(const smr_rows *rows, int64_t lo, int64_t n, float *to)
{
    if (rows->form == SMR_FORM_F32 && rows->stride == rows->d)
        return (const float *)rows->x + lo * rows->d;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < rows->d; j++)
            to[i * rows->d + j] = float_at(rows, (lo + i) * rows->stride + j);
    return to;
}

/* The scores that smr_classifier_spread takes, or numbers in the target's units. */
static void write_scores(const struct smr_net_state *s, const float *y, double *out)
{
    if (s->n_classes == 0) {
        for (int64_t j = 0; j < s->n_targets; j++)
            out[j] = s->center[j] + s->scale[j] * (double)y[j];
    } else if (s->n_classes == 2 || s->n_scores == s->n_classes) {
        for (int64_t c = 0; c < s->n_scores; c++) out[c] = (double)y[c];
    } else {
        /* Two classes of more that have rows share a score. */
        for (int64_t c = 0; c < s->n_classes; c++) {
            int32_t at = s->place[c];
            double shared = at == 1 ? 0.5 * (double)y[0] : -0.5 * (double)y[0];
            out[c] = at < 0 ? SMR_ABSENT : s->n_scores == 1 ? shared : (double)y[at];
        }
    }
}

static smr_status put_scores(smr_ctx *ctx, const struct smr_net_state *s, const smr_rows *rows,
                             int64_t at, const float *y, void *out)
{
    int64_t width = s->n_classes ? smr_scores_of(s->n_classes) : s->n_targets;
    for (int64_t i = 0; i < s->n_scores; i++)
        if (!isfinite(y[i]))
            return smr_fail(ctx, SMR_ERR_DATA,
                            "net: the answer to row %lld is not finite: its features are far "
                            "beyond those that were trained on",
                            (long long)(rows->first + at + 1));
    write_scores(s, y, (double *)out + at * width);
    return SMR_OK;
}

static smr_status predict_alone(smr_ctx *ctx, const struct smr_net_state *s, const smr_rows *rows,
                                double *out, void *scratch)
{
    smr_status st = SMR_OK;
    const smr_nn_machine *m = s->net->machine;
    int64_t most = SMR_MIN(rows->n, m->chunk);
    float *x = scratch;
    void *room = (char *)scratch + round_up(most * s->n_features * (int64_t)sizeof(float));
    for (int64_t lo = 0; lo < rows->n; lo += most) {
        int64_t n = SMR_MIN(most, rows->n - lo);
        const float *y = smr_nn_answer(m, smr_net_floats(rows, lo, n, x), n, room);
        for (int64_t i = 0; i < n; i++)
            TRY(put_scores(ctx, s, rows, lo + i, y + i * s->n_scores, out));
    }
out:
    return st;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct smr_net_state *s = state_;
    smr_status st = SMR_OK;
    (void)params_;
    if (s->steps > 0)
        TRY(smr_net_sequences_predict(ctx, s, rows, put_scores, out, scratch));
    else
        TRY(predict_alone(ctx, s, rows, out, scratch));
    if (s->n_classes) smr_classifier_spread(s->n_classes, rows->n, output, out);
out:
    return st;
}

static smr_form form(const void *state_)
{
    (void)state_;
    return SMR_FORM_F32;
}

static unsigned gives_with(const void *params_, const void *state_)
{
    const struct smr_net_params *p = params_;
    const struct smr_net_state *s = state_;
    bool has_proba = p->loss == SMR_NET_AUTO || p->loss == SMR_NET_CROSS_ENTROPY;
    unsigned gives = SMR_GIVES_DECISION | (has_proba ? SMR_GIVES_PROBA : 0);
    if (!s) return gives | SMR_GIVES_VALUE;
    return s->n_classes ? gives : SMR_GIVES_VALUE;
}

static void nature(const void *params_, smr_nature *its)
{
    const struct smr_net_params *p = params_;
    const smr_nn_chain *chain = p->layers.n ? p->layers.chain : NULL;
    /* To a net that begins with embed levels are symbols, and gaps unknown ones. */
    if (!chain || chain->n == 0 || !chain->link[0].layer->symbols)
        its->takes &= ~(unsigned)(SMR_TAKES_CODES | SMR_TAKES_MISSING);
    if (p->loss >= SMR_NET_CROSS_ENTROPY) its->tasks &= ~(unsigned)SMR_DOES_REGRESS;
    if (p->loss >= SMR_NET_SQUARED && p->loss <= SMR_NET_HUBER)
        its->tasks &= ~(unsigned)SMR_DOES_CLASSIFY;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "net",
    .synonyms = "neural_network nn mlp ann perceptrons cnn convnet MLPClassifier MLPRegressor "
                "multilayer_perceptron",
    .family = "neural",
    .title = "Neural network",
    .brief = "Layers that are trained together by gradients.",
    .objective = "mean of weight loss(y, f(x)) + 1/2 decay |w|^2 + decay_l1 |w|_1, f the chain of "
                 "layers",
    .details =
        "The layers are written as a chain, or named as a known net; out, as many units as there "
        "are classes or targets, is added at the end. Features must be of comparable size: put "
        "standardize or scale before it. Rows of picture files are pictures; others become so with "
        "input=28,28. Targets that are numbers are centred and scaled inside. Weights are floats. "
        "The order of the rows, dropout and the first weights depend on the seed alone, so that "
        "the same seed gives the same bytes with any number of threads, also after a stop and "
        "--resume (not with lbfgs, which begins anew). patience keeps rows apart and stops when "
        "their loss has not fallen for that many epochs. A loss that is not finite ends the fit "
        "and names the layer. inspect shows loss and error by epoch, and how large answers and "
        "derivatives of each layer were before and after. Ties go to the first class.",
    .reference = "Rumelhart, Hinton & Williams, Nature 323 (1986) 533-536; LeCun, Bottou, Bengio & "
                 "Haffner, Proceedings of the IEEE 86(11), 1998; Kingma & Ba, ICLR 2015",
    .example = "samara train \"standardize | net (dense 20 | tanh)\" data/wine.csv --target "
               "cultivar",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_net_params),
    .check_params = check_params,
};

static const smr_can_explain explained = {.layers = SMR_TRAINING(smr_net_layers)};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_net_state),
    .gives = SMR_GIVES_VALUE | SMR_GIVES_PROBA | SMR_GIVES_DECISION,
    .gives_with = gives_with,
    .prepare = prepare,
    .check = check,
    .release = release,
    .predict = predict,
    .scratch = scratch_of,
    .form = form,
    .describe = smr_net_describe,
    .draw = smr_net_pictures,
    .explain = &explained,
};

const smr_learner smr_net = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS,
    .takes = SMR_TAKES_F64 | SMR_TAKES_F32 | SMR_TAKES_WEIGHTS | SMR_TAKES_MANY_TARGETS |
             SMR_TAKES_SEQUENCES | SMR_TAKES_CODES | SMR_TAKES_MISSING,
    .traits = SMR_SCALE_MATTERS | SMR_DRAWS_ROWS | SMR_ROUNDS_TO_FLOAT,
    .nature = nature,
    .fit = SMR_TRAINING(smr_net_fit),
    .resume = SMR_TRAINING(&smr_net_resume),
    .fitted = &fitted,
    .version = 2,
};
