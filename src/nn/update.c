/* update.c -- see update.h.
 *
 * A tensor is cut into tiles, which are tasks; each number moves by itself, so that the cut cannot
 * change a bit.  The size of the gradient is summed tile by tile, in four chains of doubles. */
#include "nn/update.h"

#include <math.h>
#include <string.h>

enum { TILE = 1 << 14 };

static bool keeps_v(smr_step_kind kind)
{
    return kind == SMR_STEP_MOMENTUM || kind == SMR_STEP_NESTEROV || kind == SMR_STEP_ADAM;
}

static bool keeps_u(smr_step_kind kind)
{
    return kind == SMR_STEP_ADAGRAD || kind == SMR_STEP_RMSPROP || kind == SMR_STEP_ADAM;
}

static bool decays(const smr_nn_node *node)
{
    for (int64_t k = 0; k < node->layout.n_weights; k++)
        if (node->layout.weights[k].decays) return true;
    return false;
}

int64_t smr_nn_decaying(const smr_nn_graph *graph)
{
    int64_t n = 0;
    for (int64_t i = 0; i < graph->n; i++) n += decays(&graph->node[i]);
    return n;
}

static int64_t numbers_of(const smr_nn_graph *graph)
{
    int64_t n = 0;
    for (int64_t i = 0; i < graph->n; i++)
        for (int64_t k = 0; k < graph->node[i].layout.n_weights; k++)
            n += smr_nn_weights_size(&graph->node[i].layout.weights[k]);
    return n;
}

double smr_nn_updater_bytes(const smr_nn_graph *graph, smr_step_kind kind)
{
    return (double)numbers_of(graph) * 4.0 * (keeps_v(kind) + keeps_u(kind));
}

smr_status smr_nn_updater_open(smr_ctx *ctx, const smr_nn_graph *graph, smr_step_kind kind,
                               const smr_reals *decay, smr_nn_updater *up)
{
    smr_status st = SMR_OK;
    int64_t at = 0, of = 0;
    *up = (smr_nn_updater){.n = numbers_of(graph)};
    TRY_NEW(up->offset, graph->n * SMR_LAYER_WEIGHTS + 1);
    TRY_NEW(up->decay, graph->n + 1);
    for (int64_t i = 0; i < graph->n; i++) {
        const smr_nn_layout *layout = &graph->node[i].layout;
        if (decays(&graph->node[i])) {
            up->decay[i] = decay->value[decay->n > 1 ? of : 0];
            of++;
        }
        for (int64_t k = 0; k < SMR_LAYER_WEIGHTS; k++) {
            bool is = k < layout->n_weights;
            up->offset[i * SMR_LAYER_WEIGHTS + k] = is ? at : -1;
            if (is) at += smr_nn_weights_size(&layout->weights[k]);
        }
    }
    if (keeps_v(kind)) TRY_NEW(up->v, up->n + 1);
    if (keeps_u(kind)) TRY_NEW(up->u, up->n + 1);
out:
    return st;
}

void smr_nn_updater_release(smr_nn_updater *up)
{
    smr_free(up->offset);
    smr_free(up->decay);
    smr_free(up->v);
    smr_free(up->u);
    *up = (smr_nn_updater){0};
}

/* ---- tiles ------------------------------------------------------------------------------ */

struct updating {
    const smr_nn_updater *up;
    const smr_nn_step *step;
    const smr_nn_machine *m;
    double *square; /* of each tile: sizes; else NULL */
};

static int64_t tiles_of(const smr_nn_weights *w)
{
    return w->counted ? smr_block_count(smr_nn_weights_size(w), TILE) : 0;
}

static double square_of(int64_t n, const float *g)
{
    double sum[4] = {0};
    for (int64_t e = 0; e < n; e++) sum[e & 3] += (double)g[e] * (double)g[e];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

static void update_tile(const struct updating *u, int64_t i, int64_t k, int64_t lo, int64_t n)
{
    const smr_nn_updater *up = u->up;
    int64_t t = i * SMR_LAYER_WEIGHTS + k, at = up->offset[t] + lo;
    bool pays = u->m->graph->node[i].layout.weights[k].decays;
    double decay = pays ? up->decay[i] : 0;
    smr_nn_step step = *u->step;
    step.l1 = pays ? up->l1 : 0;
    step.decay = up->decoupled ? 0 : decay;
    step.shrink = up->decoupled ? u->step->shrink * decay : 0;
    smr_step_f32(&step, n, (const float *)u->m->g.tensor[t] + lo, (float *)u->m->w.tensor[t] + lo,
                 up->v ? up->v + at : NULL, up->u ? up->u + at : NULL);
}

static smr_status run_tile(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct updating *u = arg;
    const smr_nn_graph *graph = u->m->graph;
    int64_t left = task, i = 0, k = 0;
    (void)ctx;
    (void)lane;
    for (;; i++) {
        for (k = 0; k < graph->node[i].layout.n_weights; k++) {
            int64_t tiles = tiles_of(&graph->node[i].layout.weights[k]);
            if (left < tiles) goto found;
            left -= tiles;
        }
    }
found:;
    int64_t size = smr_nn_weights_size(&graph->node[i].layout.weights[k]);
    int64_t lo = left * TILE, n = smr_block_end(size, TILE, left) - lo;
    if (u->square)
        u->square[task] =
            square_of(n, (const float *)u->m->g.tensor[i * SMR_LAYER_WEIGHTS + k] + lo);
    else
        update_tile(u, i, k, lo, n);
    return SMR_OK;
}

static int64_t all_tiles(const smr_nn_graph *graph)
{
    int64_t n = 0;
    for (int64_t i = 0; i < graph->n; i++)
        for (int64_t k = 0; k < graph->node[i].layout.n_weights; k++)
            n += tiles_of(&graph->node[i].layout.weights[k]);
    return n;
}

smr_status smr_nn_gradient_size(smr_ctx *ctx, const smr_nn_machine *m, double *size)
{
    smr_status st = SMR_OK;
    int64_t n = all_tiles(m->graph);
    struct updating u = {.m = m};
    double sum = 0;
    TRY_NEW(u.square, n + 1);
    TRY(smr_parallel(ctx, NULL, n, run_tile, &u));
    for (int64_t t = 0; t < n; t++) sum += u.square[t];
    *size = sqrt(sum);
out:
    smr_free(u.square);
    return st;
}

smr_status smr_nn_update(smr_ctx *ctx, const smr_nn_updater *up, const smr_nn_step *step,
                         smr_nn_machine *m)
{
    struct updating u = {.up = up, .step = step, .m = m};
    return smr_parallel(ctx, NULL, all_tiles(m->graph), run_tile, &u);
}

double smr_nn_penalty(const smr_nn_updater *up, const smr_nn_machine *m)
{
    double sum = 0;
    for (int64_t i = 0; i < m->graph->n; i++)
        for (int64_t k = 0; k < m->graph->node[i].layout.n_weights; k++) {
            const smr_nn_weights *w = &m->graph->node[i].layout.weights[k];
            const float *at = m->w.tensor[i * SMR_LAYER_WEIGHTS + k];
            int64_t n = smr_nn_weights_size(w);
            double size = 0;
            if (!w->decays) continue;
            for (int64_t e = 0; up->l1 > 0 && e < n; e++) size += fabs((double)at[e]);
            sum += up->l1 * size + 0.5 * up->decay[i] * square_of(n, at);
        }
    return sum;
}

/* ---- as one array ----------------------------------------------------------------------- */

static void copy(const smr_nn_updater *up, const smr_nn_graph *graph, const smr_nn_values *values,
                 float *flat, const float *from)
{
    for (int64_t t = 0; t < graph->n * SMR_LAYER_WEIGHTS; t++) {
        if (up->offset[t] < 0) continue;
        const smr_nn_layout *layout = &graph->node[t / SMR_LAYER_WEIGHTS].layout;
        size_t bytes = (size_t)smr_nn_weights_size(&layout->weights[t % SMR_LAYER_WEIGHTS]) * 4;
        if (from)
            memcpy(values->tensor[t], from + up->offset[t], bytes);
        else
            memcpy(flat + up->offset[t], values->tensor[t], bytes);
    }
}

void smr_nn_values_read(const smr_nn_updater *up, const smr_nn_graph *graph,
                        const smr_nn_values *from, float *to)
{
    copy(up, graph, from, to, NULL);
}

void smr_nn_values_write(const smr_nn_updater *up, const smr_nn_graph *graph, const float *from,
                         const smr_nn_values *to)
{
    copy(up, graph, to, NULL, from);
}
