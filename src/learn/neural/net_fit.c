/* net_fit.c -- what comes before the steps of a fit and after them: see net.h. */
#include "core/number.h"
#include "learn/linear/scores.h"
#include "learn/neural/net.h"
#include "learn/out_of_fold.h"
#include "learn/present.h"
#include "learn/state.h"

#include "data/row_subset.h"
#include "data/split.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_BATCH = 16, MOST_BATCH = 128, SHARE = 100, FULL_BATCH = 1024, MOST_ROWS = 1 << 30 };
#define USUAL_DECAY 2.0 /* a penalty of |w|^2 beside the sum of the losses */

/* ---- the loss, classes and targets ------------------------------------------------------- */

static const smr_loss *loss_of(const struct smr_net_params *p, int64_t n_classes)
{
    static const smr_loss_id many[] = {
        SMR_LOSS_CROSS_ENTROPY, SMR_LOSS_SQUARED,   SMR_LOSS_ABSOLUTE, SMR_LOSS_HUBER,
        SMR_LOSS_CROSS_ENTROPY, SMR_LOSS_HINGE_SUM, SMR_LOSS_HINGE_MAX};
    smr_loss_id id = many[p->loss];
    if (n_classes == 0 && p->loss == SMR_NET_AUTO) id = SMR_LOSS_SQUARED;
    if (n_classes == 2) id = id == SMR_LOSS_CROSS_ENTROPY ? SMR_LOSS_LOGISTIC : SMR_LOSS_HINGE;
    return &smr_losses[id];
}

static smr_status check_task(smr_ctx *ctx, const struct smr_net_params *p, bool classes)
{
    const smr_loss *loss = loss_of(p, 0);
    bool of_classes = loss->kind == SMR_LOSS_CLASSES;
    if (p->loss == SMR_NET_AUTO || of_classes == classes) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    of_classes ? "net: loss=%s is of classes, the target is a number; take "
                                 "squared, absolute or huber, or --task classify"
                               : "net: loss=%s is of numbers, the target is a class; take "
                                 "cross_entropy, hinge_sum or hinge_max, or --task regress",
                    loss->name);
}

/* Mean and deviation of each target over the rows that are trained on, and targets in them. */
static smr_status scale_targets(smr_ctx *ctx, struct smr_net_fit *f)
{
    smr_status st = SMR_OK;
    struct smr_net_state *s = f->s;
    int64_t k = s->n_targets;
    TRY_NEW(s->center, k);
    TRY_NEW(s->scale, k);
    TRY_NEW(f->target.y, f->data->n_rows * k);
    for (int64_t j = 0; j < k; j++) {
        double sum = 0, weight = 0, square = 0;
        for (int64_t i = 0; i < f->n_fitted; i++) {
            int64_t row = f->fitted[i];
            double w = f->target.weight ? f->target.weight[row] : 1;
            double y = f->data->y[row * k + j];
            if (!isfinite(y))
                TRY(smr_fail(ctx, SMR_ERR_DATA, "net: row %lld: the target is not finite",
                             (long long)row + 1));
            weight += w;
            sum += w * y;
        }
        s->center[j] = sum / weight;
        for (int64_t i = 0; i < f->n_fitted; i++) {
            double w = f->target.weight ? f->target.weight[f->fitted[i]] : 1;
            double away = f->data->y[f->fitted[i] * k + j] - s->center[j];
            square += w * away * away;
        }
        s->scale[j] = sqrt(square / weight);
        if (!isfinite(s->center[j]) || !isfinite(s->scale[j]))
            TRY(smr_fail(ctx, SMR_ERR_DATA,
                         "net: the targets are too large to be squared; put them in larger units"));
        /* A constant is answered with it. */
        if (!(s->scale[j] > fabs(s->center[j]) * 1e-13)) s->scale[j] = 0;
        for (int64_t i = 0; i < f->data->n_rows; i++)
            f->target.y[i * k + j] =
                s->scale[j] > 0 ? (f->data->y[i * k + j] - s->center[j]) / s->scale[j] : 0;
    }
    f->target.scale = s->scale;
out:
    return st;
}

/* Weights of mean 1 over the rows that are trained on. */
static void norm_weights(struct smr_net_fit *f)
{
    double sum = 0;
    for (int64_t i = 0; f->target.weight && i < f->n_fitted; i++)
        sum += f->target.weight[f->fitted[i]];
    for (int64_t i = 0; f->target.weight && i < f->data->n_rows; i++)
        f->target.weight[i] *= (double)f->n_fitted / sum;
}

static smr_status open_weights(smr_ctx *ctx, struct smr_net_fit *f)
{
    smr_status st = SMR_OK;
    const smr_data *data = f->data;
    if (data->task == SMR_TASK_CLASSIFY)
        TRY(smr_classifier_weights(ctx, "net", data, f->p->class_weight, &f->target.weight));
    if (f->target.weight || !data->weight) goto out;
    TRY_NEW(f->target.weight, data->n_rows);
    memcpy(f->target.weight, data->weight, (size_t)data->n_rows * sizeof *data->weight);
out:
    return st;
}

/* ---- parts ------------------------------------------------------------------------------- */

/* Rows without weight take no part, nor do windows that have no others. */
static int64_t take_rows(const struct smr_net_fit *f, const int64_t *from, int64_t n, int64_t *to)
{
    int64_t taken = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t unit = from ? from[i] : i, end = smr_net_window_end(&f->windows, unit);
        bool counts = false;
        for (int64_t row = smr_net_window_begin(&f->windows, unit); row < end; row++)
            counts = counts || !f->target.weight || f->target.weight[row] > 0;
        if (counts) to[taken++] = unit;
    }
    return taken;
}

static void list_fitted(struct smr_net_fit *f)
{
    for (int64_t i = 0; i < f->n; i++) {
        int64_t end = smr_net_window_end(&f->windows, f->trained[i]);
        for (int64_t row = smr_net_window_begin(&f->windows, f->trained[i]); row < end; row++)
            f->fitted[f->n_fitted++] = row;
    }
}

static smr_status part_rows(smr_ctx *ctx, struct smr_net_fit *f)
{
    smr_status st = SMR_OK;
    smr_parts parts = {0};
    const smr_data *data = f->data;
    TRY(smr_net_windows_open(ctx, data, f->s->steps, &f->windows));
    TRY_NEW(f->trained, data->n_rows + 1);
    TRY_NEW(f->order, data->n_rows + 1);
    TRY_NEW(f->fitted, data->n_rows + 1);
    if (f->p->patience == 0) {
        f->n = take_rows(f, NULL, f->windows.n, f->trained);
    } else {
        smr_split_rows of = smr_data_split_rows(ctx, data);
        if (f->windows.lo) of = (smr_split_rows){.n = f->windows.n, .seed = ctx->seed};
        TRY_NEW(f->held, data->n_rows + 1);
        TRY(smr_split_holdout(ctx, &of, &f->p->validation, 1, &parts));
        f->n = take_rows(f, smr_part_rows(&parts, 0), smr_part_size(&parts, 0), f->trained);
        f->n_held = take_rows(f, smr_part_rows(&parts, 1), smr_part_size(&parts, 1), f->held);
        if (f->n_held == 0)
            TRY(smr_fail(ctx, SMR_ERR_DATA,
                         "net: all rows of the part for early stopping have the weight 0; set "
                         "patience=0 to train without it"));
    }
    if (f->n == 0) TRY(smr_fail(ctx, SMR_ERR_DATA, "net: no row has a weight above 0"));
    list_fitted(f);
out:
    smr_parts_release(&parts);
    return st;
}

static void choose_batch(smr_ctx *ctx, struct smr_net_fit *f)
{
    bool full = f->p->method == SMR_NET_LBFGS;
    f->batch = f->p->batch;
    if (f->batch == 0)
        f->batch = full ? FULL_BATCH
                        : SMR_MIN(MOST_BATCH, SMR_MAX(LEAST_BATCH, (f->n + SHARE - 1) / SHARE));
    if (f->p->batch > f->n && !full)
        smr_warn(ctx,
                 "net: batch=%lld is more than the %lld %s that are trained on; each step takes "
                 "all of them",
                 (long long)f->p->batch, (long long)f->n, f->windows.lo ? "windows" : "rows");
    f->batch = SMR_MIN(f->batch, f->n);
    f->batches = smr_block_count(f->n, f->batch);
}

/* ---- memory ------------------------------------------------------------------------------ */

/* What training takes with batches of that size: the trainer, what the steps carry along, the net
 * that judges, the model, rows. */
static double bytes_of(smr_ctx *ctx, const struct smr_net_fit *f, int64_t batch)
{
    const smr_nn_graph *graph = &f->net->graph;
    bool full = f->p->method == SMR_NET_LBFGS;
    smr_real real = full ? SMR_REAL_F64 : SMR_REAL_F32;
    smr_nn_graph_sums sums = smr_nn_graph_sum(graph);
    double weights = (double)(sums.weights + sums.statistics);
    double bytes = smr_nn_machine_bytes(ctx, graph, real, batch, true);
    bytes += smr_nn_updater_bytes(graph, smr_net_step_kind(f->p));
    bytes += smr_nn_machine_bytes(ctx, graph, SMR_REAL_F32, batch, false);
    bytes += (double)batch * (double)smr_nn_item_size(graph->in) * (double)smr_real_size(real);
    bytes += (double)batch * (double)f->s->steps * 8.0;
    bytes += weights * 4.0 * (1 + (f->p->patience > 0));
    /* Pairs of steps and gradients, the weights and the gradient, in doubles. */
    if (full) bytes += weights * 8.0 * 26;
    return bytes + smr_net_rows_bytes(f->data) + (double)f->data->n_rows * 64.0;
}

static smr_status check_memory(smr_ctx *ctx, const struct smr_net_fit *f)
{
    char what[100], hint[120];
    double bytes = bytes_of(ctx, f, f->batch);
    double left = (double)(ctx->memory->limit - atomic_load(&ctx->memory->held));
    int64_t fits = 0, too_many = f->batch;
    if (bytes <= left) return SMR_OK;
    while (too_many - fits > 1) {
        int64_t middle = fits + (too_many - fits) / 2;
        if (bytes_of(ctx, f, middle) <= left)
            fits = middle;
        else
            too_many = middle;
    }
    snprintf(what, sizeof what, "net: training with batches of %lld %s", (long long)f->batch,
             f->windows.lo ? "windows" : "rows");
    if (fits)
        snprintf(hint, sizeof hint, "batch=%lld fits, or give more memory", (long long)fits);
    else
        snprintf(hint, sizeof hint, "no batch fits: take smaller layers, or give more memory");
    return smr_memory_check(ctx, bytes, what, hint);
}

/* ---- machines ---------------------------------------------------------------------------- */

static smr_status check_decay(smr_ctx *ctx, const struct smr_net_fit *f)
{
    int64_t n = smr_nn_decaying(&f->net->graph);
    if (f->p->decay.n <= 1 || f->p->decay.n == n) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "net: decay has %lld numbers, and %lld layers have weights (out is one of "
                    "them); give one for each, or one for all",
                    (long long)f->p->decay.n, (long long)n);
}

static smr_status check_full(smr_ctx *ctx, const struct smr_net_fit *f)
{
    for (int64_t i = 0; f->p->method == SMR_NET_LBFGS && i < f->net->graph.n; i++) {
        const smr_nn_node *node = &f->net->graph.node[i];
        if (node->layer->traits & SMR_LAYER_DRAWS)
            return smr_fail(ctx, SMR_ERR_PARAM,
                            "net: layer %s (%s) draws random numbers, and method=lbfgs needs a "
                            "loss that stays the same; take method=adam",
                            node->address, node->name);
        if (node->layer->code[SMR_REAL_F32]->settle)
            return smr_fail(ctx, SMR_ERR_PARAM,
                            "net: layer %s (%s) looks at a batch, and method=lbfgs has none; take "
                            "method=adam",
                            node->address, node->name);
    }
    return SMR_OK;
}

static smr_status check_changes(smr_ctx *ctx, const struct smr_net_fit *f)
{
    bool pictures = f->s->height * f->s->width > 1 && f->s->steps == 0;
    if ((f->p->shift == 0 && !f->p->flip) || pictures) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "net: %s changes pictures, and these rows are vectors of %lld numbers; "
                    "input=28,28 makes pictures of 28 x 28 of them",
                    f->p->flip ? "flip" : "shift", (long long)f->data->n_features);
}

/* Does all that comes in go through embed first? */
static bool sees_symbols(const struct smr_net_fit *f)
{
    const smr_nn_chain *chain = &f->p->layers.chain[0];
    return chain->n > 0 && chain->link[0].layer->symbols;
}

static smr_status refuse_symbol(smr_ctx *ctx, const struct smr_net_fit *f, const smr_nn_node *node,
                                int64_t at, double x)
{
    const smr_data *data = f->data;
    int64_t i = at / data->n_features, j = at % data->n_features;
    const char *name = data->features ? data->features[j].name : NULL;
    return smr_fail(ctx, SMR_ERR_DATA,
                    "net: row %lld, column '%.60s': %g is no symbol of layer %s (%s), which knows "
                    "0 .. %lld, and -1 for none; give it more symbols, or number them from 0",
                    (long long)((data->rows ? data->rows[i] : i) + 1), name ? name : "?", x,
                    node->address, node->name, (long long)node->layer->symbols(node->params) - 1);
}

/* Rows that layers take as symbols have whole numbers that they know, or -1. */
static smr_status check_symbols(smr_ctx *ctx, const struct smr_net_fit *f)
{
    const smr_nn_graph *graph = &f->net->graph;
    for (int64_t k = 0; k < graph->n; k++) {
        const smr_nn_node *node = &graph->node[k];
        if (!node->layer->symbols || node->from[0] != SMR_NET_INPUT) continue;
        double most = (double)node->layer->symbols(node->params);
        for (int64_t i = 0; i < f->data->n_rows; i++)
            for (int64_t j = 0; j < f->data->n_features; j++) {
                double x = smr_net_number(&f->rows, i, j);
                if (isnan(x) || (x >= -1 && x < most && x == floor(x))) continue;
                return refuse_symbol(ctx, f, node, i * f->data->n_features + j, x);
            }
    }
    return SMR_OK;
}

static smr_status open_machines(smr_ctx *ctx, struct smr_net_fit *f)
{
    smr_status st = SMR_OK;
    bool full = f->p->method == SMR_NET_LBFGS;
    smr_real real = full ? SMR_REAL_F64 : SMR_REAL_F32;
    const smr_nn_graph *graph = &f->net->graph;
    const smr_reals usual = {.n = 1, .value = {USUAL_DECAY / (double)f->n_fitted}};
    const smr_reals *decay = f->p->decay.n ? &f->p->decay : &usual;
    TRY(smr_nn_machine_create(ctx, graph, real, f->batch, true, &f->trainer));
    TRY(smr_nn_updater_open(ctx, graph, smr_net_step_kind(f->p), decay, &f->up));
    f->up.l1 = f->p->decay_l1;
    f->up.decoupled = f->p->method == SMR_NET_ADAMW;
    f->x = smr_alloc(ctx, f->batch * smr_nn_item_size(graph->in) + 64, smr_real_size(real));
    if (!f->x) TRY(SMR_ERR_NOMEM);
    if (!full) TRY(smr_nn_begin(ctx, graph, (smr_nn_start)f->p->init, ctx->seed, &f->trainer->w));
    if (f->p->patience == 0) goto out;
    TRY(smr_nn_machine_over(ctx, graph, real, MOST_ROWS, f->trainer->w.tensor, &f->net->machine));
    TRY_NEW(f->best, f->up.n + 1);
    f->room_bytes = smr_nn_scratch(f->net->machine) +
                    f->net->machine->chunk * (smr_nn_item_size(graph->in) + 32) * 4 +
                    f->net->machine->chunk * (f->s->steps + 1) * 8 + 256;
    f->room = smr_alloc(ctx, smr_lanes(ctx), (size_t)f->room_bytes);
    if (!f->room) TRY(SMR_ERR_NOMEM);
out:
    return st;
}

/* ---- the rows kept apart ----------------------------------------------------------------- */

struct held_job {
    struct smr_net_fit *f;
    struct smr_net_sums *part;
};

static smr_status judge_chunk(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct held_job *j = arg;
    struct smr_net_fit *f = j->f;
    const smr_nn_machine *m = f->net->machine;
    smr_status st = SMR_OK;
    int64_t lo = task * m->chunk, n = SMR_MIN(m->chunk, f->n_held - lo), d = f->data->n_features;
    char *room = f->room + lane * f->room_bytes;
    int64_t *number = (int64_t *)(void *)(room + (smr_nn_scratch(m) + 63) / 64 * 64);
    int32_t *lengths = (int32_t *)(void *)(number + m->chunk * f->s->steps);
    float *x = (float *)(void *)(lengths + (m->chunk + 15) / 16 * 16);
    struct smr_net_taken its =
        smr_net_windows_take(&f->windows, NULL, f->held + lo, n, number, lengths);
    struct smr_net_batch batch = {its.number, its.n, d, SMR_REAL_F32, x, NULL};
    TRY(smr_net_rows_gather(ctx, &f->rows, &batch));
    struct smr_net_said said = {
        SMR_REAL_F32, its.n, its.number, smr_nn_answer_on(m, x, n, its.lengths, NULL, room), 1,
        NULL};
    TRY(smr_net_judge(ctx, &f->target, &said, &j->part[task]));
out:
    return st;
}

smr_status smr_net_judge_held(smr_ctx *ctx, struct smr_net_fit *f, struct smr_net_sums *sums)
{
    smr_status st = SMR_OK;
    int64_t tasks = smr_block_count(f->n_held, f->net->machine->chunk);
    struct held_job job = {.f = f};
    TRY_NEW(job.part, tasks + 1);
    TRY(smr_nn_pack(ctx, f->net->machine));
    TRY(smr_parallel(ctx, NULL, tasks, judge_chunk, &job));
    for (int64_t t = 0; t < tasks; t++) {
        sums->loss += job.part[t].loss;
        sums->wrong += job.part[t].wrong;
        sums->weight += job.part[t].weight;
    }
out:
    smr_free(job.part);
    return st;
}

/* ---- read-outs --------------------------------------------------------------------------- */

static double root_mean_square(smr_real real, const void *x, int64_t n)
{
    double sum = 0;
    for (int64_t e = 0; e < n; e++) {
        double v = real == SMR_REAL_F32 ? (double)((const float *)x)[e] : ((const double *)x)[e];
        sum += v * v;
    }
    return sqrt(sum / (double)SMR_MAX(n, 1));
}

/* Derivatives are of the mean over the batch: times its rows they are those of a row. */
void smr_net_look(const struct smr_net_fit *f, int64_t look)
{
    const smr_nn_machine *m = f->trainer;
    struct smr_net_state *s = f->s;
    for (int64_t i = 0; i < s->n_nodes; i++) {
        int64_t n = m->n * smr_nn_item_size(m->graph->node[i].layout.out);
        s->answers[look * s->n_nodes + i] = root_mean_square(m->real, smr_nn_node_answers(m, i), n);
        s->slopes[look * s->n_nodes + i] =
            (double)m->n * root_mean_square(m->real, smr_nn_node_slopes(m, i), n);
    }
}

smr_status smr_net_diverged(smr_ctx *ctx, const struct smr_net_fit *f, const smr_nn_machine *m,
                            int64_t step)
{
    int64_t odd = smr_nn_odd_node(m);
    const smr_nn_node *node = &m->graph->node[odd < 0 ? m->graph->n - 1 : odd];
    char smaller[SMR_NUMBER_MAX], way_out[160] = "take another loss, or scale the features";
    smr_format_rounded(smr_net_rate(f->p) / 10, 3, smaller);
    if (f->p->method != SMR_NET_LBFGS)
        snprintf(way_out, sizeof way_out,
                 "take a smaller rate, say rate=%s, cut long gradients with clip=1, or scale the "
                 "features (standardize)",
                 smaller);
    return smr_fail(ctx, SMR_ERR_NUMERIC,
                    "net: the loss is not finite after %lld step%s (epoch %lld): layer %s (%s) "
                    "gives numbers that floats do not hold; %s",
                    (long long)step, smr_plural(step, "", "s"), (long long)f->at.epoch + 1,
                    node->address, node->name, way_out);
}

/* ---- after the steps --------------------------------------------------------------------- */

static smr_status keep_tensor(smr_ctx *ctx, const struct smr_net_fit *f, int64_t i, int64_t k,
                              int64_t number)
{
    const smr_nn_node *node = &f->net->graph.node[i];
    const smr_nn_weights *w = &node->layout.weights[k];
    smr_text name = {.ctx = ctx};
    smr_status st = SMR_OK;
    const void *from = f->trainer->w.tensor[i * SMR_LAYER_WEIGHTS + k];
    smr_text_printf(&name, "%s.%s", node->name, w->name);
    TRY(smr_text_done(&name));
    TRY(smr_tensors_set(ctx, &f->s->weights, number, name.bytes, SMR_F32, (int)w->rank, w->dim));
    float *to = f->s->weights.tensor[number].values;
    for (int64_t e = 0; e < smr_nn_weights_size(w); e++)
        to[e] = f->trainer->real == SMR_REAL_F32 ? ((const float *)from)[e]
                                                 : (float)((const double *)from)[e];
    for (int64_t e = 0; e < smr_nn_weights_size(w); e++)
        if (!isfinite(to[e])) TRY(smr_net_diverged(ctx, f, f->trainer, f->at.epoch * f->batches));
out:
    smr_text_release(&name);
    return st;
}

static smr_status keep_weights(smr_ctx *ctx, const struct smr_net_fit *f)
{
    smr_status st = SMR_OK;
    const smr_nn_graph *graph = &f->net->graph;
    int64_t n = 0, number = 0;
    if (f->best && f->s->best < f->s->n_epochs)
        smr_nn_values_write(&f->up, graph, f->best, &f->trainer->w);
    for (int64_t i = 0; i < graph->n; i++) n += graph->node[i].layout.n_weights;
    TRY(smr_tensors_create(ctx, n, &f->s->weights));
    for (int64_t i = 0; i < graph->n; i++)
        for (int64_t k = 0; k < graph->node[i].layout.n_weights; k++)
            TRY(keep_tensor(ctx, f, i, k, number++));
out:
    return st;
}

/* ---- the whole --------------------------------------------------------------------------- */

static smr_status open_state(smr_ctx *ctx, struct smr_net_fit *f, const smr_data *data,
                             const smr_present *present)
{
    smr_status st = SMR_OK;
    struct smr_net_state *s = f->s;
    smr_nn_item item;
    bool classes = data->task == SMR_TASK_CLASSIFY;
    s->n_features = data->n_features;
    s->n_classes = classes ? data->n_classes : 0;
    s->n_targets = classes ? 0 : data->n_outputs;
    s->n_scores = classes ? smr_scores_of(present->data.n_classes) : s->n_targets;
    if (classes) TRY_NEW(s->place, s->n_classes);
    for (int64_t c = 0; c < s->n_classes; c++) s->place[c] = present->place[c];
    s->steps = smr_net_steps(f->p, data);
    if (s->steps == 0 && f->p->steps > 0)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "net: steps=%lld cuts sequences, and these rows are alone; --sequence names "
                     "the column that tells sequences apart",
                     (long long)f->p->steps));
    if (s->steps == 0 && f->p->memory != SMR_NET_SEQUENCE)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "net: memory=window is of sequences, and these rows are alone; --sequence "
                     "names the column that tells sequences apart"));
    if (s->steps > 0 && f->p->input.n > 0)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "net: input makes a picture or a sequence of a row, and these rows are steps "
                     "of sequences; leave it out"));
    if (s->steps > 0)
        item = (smr_nn_item){s->steps, 1, data->n_features, true};
    else
        TRY(smr_net_item(ctx, f->p, data->n_features, data->item_shape, &item));
    s->height = item.h;
    s->width = item.w;
    s->channels = item.c;
    st = smr_net_open(ctx, f->p, item, s->n_scores, &f->net);
    bool windows = st == SMR_ERR_PARAM && strstr(ctx->message, "window");
    if (windows && item.h * item.w == 1 && f->p->input.n == 0)
        smr_while(ctx, "taking rows as vectors: input=28,28 makes pictures of 28 x 28 of them");
    TRY(st);
    TRY(smr_net_check_answer(ctx, &f->net->graph, s->steps));
    s->n_nodes = f->net->graph.n;
    s->n_looks = 2;
    TRY_NEW(s->answers, 2 * s->n_nodes);
    TRY_NEW(s->slopes, 2 * s->n_nodes);
    TRY_NEW(s->train_loss, f->p->epochs + 1);
    TRY_NEW(s->train_error, f->p->epochs + 1);
    TRY_NEW(s->rates, f->p->epochs + 1);
    if (f->p->patience > 0) TRY_NEW(s->held_loss, f->p->epochs + 1);
    if (f->p->patience > 0) TRY_NEW(s->held_error, f->p->epochs + 1);
    f->target.loss = loss_of(f->p, classes ? present->data.n_classes : 0);
    f->target.param = f->target.loss->param_default;
    f->target.k = s->n_scores;
    f->target.label = classes ? f->data->label : NULL;
out:
    return st;
}

static smr_status open_fit(smr_ctx *ctx, struct smr_net_fit *f, const smr_data *data,
                           const smr_present *present)
{
    smr_status st = SMR_OK;
    TRY(check_task(ctx, f->p, data->task == SMR_TASK_CLASSIFY));
    if (data->n_features == 0)
        TRY(smr_fail(ctx, SMR_ERR_DATA, "net: there are no features to learn from"));
    if (data->task == SMR_TASK_CLASSIFY) TRY(smr_classifier_check_classes(ctx, "net", data, NULL));
    TRY(open_state(ctx, f, data, present));
    TRY(check_decay(ctx, f));
    TRY(check_full(ctx, f));
    TRY(check_changes(ctx, f));
    TRY(open_weights(ctx, f));
    TRY(part_rows(ctx, f));
    norm_weights(f);
    if (!f->target.label) TRY(scale_targets(ctx, f));
    choose_batch(ctx, f);
    f->s->batch = f->batch;
    f->s->n_held = f->n_held;
    TRY(check_memory(ctx, f));
    TRY(smr_net_rows_open(ctx, data, sees_symbols(f), &f->rows));
    TRY(check_symbols(ctx, f));
    TRY_NEW(f->drawn, f->batch + 1);
    TRY_NEW(f->drawn_rows, f->batch * f->s->steps + 1);
    TRY_NEW(f->lengths, f->batch + 1);
    TRY(open_machines(ctx, f));
out:
    return st;
}

static void close_fit(struct smr_net_fit *f)
{
    smr_nn_machine_free(f->trainer);
    smr_net_close(f->net);
    smr_nn_updater_release(&f->up);
    smr_net_rows_release(&f->rows);
    smr_free(f->target.y);
    smr_free(f->target.weight);
    smr_free(f->trained);
    smr_free(f->held);
    smr_free(f->order);
    smr_free(f->drawn);
    smr_free(f->fitted);
    smr_free(f->drawn_rows);
    smr_free(f->lengths);
    smr_net_windows_release(&f->windows);
    smr_free(f->x);
    smr_free(f->room);
    smr_free(f->best);
    smr_free(f->w_then);
    smr_free(f->v_then);
    smr_free(f->u_then);
    smr_free(f->best_then);
}

smr_status smr_net_fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                       smr_fit_report *report)
{
    smr_status st = SMR_OK;
    smr_present present = {.data = *data, .is_all = true};
    struct smr_net_fit f = {.p = params_, .data = &present.data, .s = state_, .report = report};
    if (data->task == SMR_TASK_CLASSIFY && data->label) TRY(smr_present_find(ctx, data, &present));
    TRY(open_fit(ctx, &f, data, &present));
    TRY(f.p->method == SMR_NET_LBFGS ? smr_net_full(ctx, &f) : smr_net_train(ctx, &f));
    TRY(keep_weights(ctx, &f));
out:
    close_fit(&f);
    smr_present_release(&present);
    return st;
}
