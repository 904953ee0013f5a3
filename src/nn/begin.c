/* begin.c -- see begin.h.
 *
 * Number e of tensor t is made of draw (t, e) of its stream, so that neither threads nor the order
 * of the work enter.
 *
 * References: Glorot & Bengio, AISTATS 2010; He, Zhang, Ren & Sun, ICCV 2015; Saxe, McClelland &
 * Ganguli, ICLR 2014. */
#include "nn/begin.h"

#include "core/rng.h"
#include "math/factor.h"
#include "math/special.h"
#include "nn/layers.h"

#include <math.h>

enum { BLOCK = 1 << 16 };

const smr_choice smr_nn_starts[] = {
    {"auto", "he before rectifiers, else glorot"},
    {"zero", "all weights 0: units of a layer stay the same"},
    {"fan_in", "uniform within 1 / sqrt(inputs of a unit)"},
    {"glorot", "uniform within sqrt(6 / (inputs + outputs))"},
    {"he", "uniform within sqrt(6 / inputs)"},
    {"orthogonal", "directions at right angles"},
    {NULL, NULL},
};

static bool passes_on(const smr_layer *layer)
{
    return layer == &smr_layer_norm || layer == &smr_layer_lrn || layer == &smr_layer_dropout ||
           layer == &smr_layer_maxpool || layer == &smr_layer_avgpool ||
           layer == &smr_layer_flatten;
}

/* Does what node i gives go through a rectifier? */
static bool is_rectified(const smr_nn_graph *graph, int64_t i)
{
    if (graph->node[i].layer == &smr_layer_maxout) return true;
    for (int64_t k = i + 1; k < graph->n; k++)
        for (int64_t f = 0; f < graph->node[k].n_from; f++) {
            const smr_layer *layer = graph->node[k].layer;
            if (graph->node[k].from[f] != i) continue;
            if (layer == &smr_layer_relu || layer == &smr_layer_leaky || layer == &smr_layer_elu)
                return true;
            if (passes_on(layer) && is_rectified(graph, k)) return true;
        }
    return false;
}

struct drawing {
    const smr_nn_weights *weights;
    uint64_t seed, number;
    double bound;
    int64_t n, first; /* first: number of the first draw */
    float *to;
};

static smr_status draw_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct drawing *d = arg;
    (void)ctx;
    (void)lane;
    for (int64_t e = task * BLOCK; e < smr_block_end(d->n, BLOCK, task); e++)
        d->to[e] =
            (float)(d->bound *
                    (2 * smr_random_unit(d->seed, SMR_STREAM_WEIGHTS, d->number, (uint64_t)e) - 1));
    return SMR_OK;
}

/* The Q of a matrix of normal numbers, with the signs that make it uniform over all such. */
static smr_status draw_orthogonal(smr_ctx *ctx, const struct drawing *d, int64_t rows, double gain)
{
    smr_status st = SMR_OK;
    int64_t cols = d->n / rows;
    int64_t m = SMR_MAX(rows, cols), k = SMR_MIN(rows, cols);
    double *A = NULL, *tau = NULL, *sign = NULL;
    TRY_NEW(A, m * k);
    TRY_NEW(tau, k);
    TRY_NEW(sign, k);
    for (int64_t e = 0; e < m * k; e++)
        A[e] = smr_normal_quantile(
            smr_random_unit(d->seed, SMR_STREAM_WEIGHTS, d->number, (uint64_t)(d->first + e)) +
            0x1p-54);
    TRY(smr_qr(ctx, m, k, A, m, tau));
    for (int64_t j = 0; j < k; j++) sign[j] = A[j + j * m] < 0 ? -gain : gain;
    TRY(smr_qr_form(ctx, m, k, A, m, tau));
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++) {
            int64_t i = rows >= cols ? r : c, j = rows >= cols ? c : r;
            d->to[r * cols + c] = (float)(sign[j] * A[i + j * m]);
        }
out:
    smr_free(A);
    smr_free(tau);
    smr_free(sign);
    return st;
}

static smr_status draw(smr_ctx *ctx, struct drawing *d, smr_nn_start start, bool rectified)
{
    double in = (double)SMR_MAX(d->weights->fan_in, 1);
    double out = (double)SMR_MAX(d->weights->fan_out, 1);
    if (start == SMR_NN_START_AUTO) start = rectified ? SMR_NN_START_HE : SMR_NN_START_GLOROT;
    switch (start) {
    case SMR_NN_START_ORTHOGONAL:
        return draw_orthogonal(ctx, d, d->weights->dim[0], rectified ? sqrt(2.0) : 1);
    case SMR_NN_START_FAN_IN: d->bound = 1 / sqrt(in); break;
    case SMR_NN_START_GLOROT: d->bound = sqrt(6 / (in + out)); break;
    case SMR_NN_START_HE: d->bound = sqrt(6 / in); break;
    default: d->bound = 0; break;
    }
    return smr_parallel(ctx, NULL, smr_block_count(d->n, BLOCK), draw_block, d);
}

/* What units hand to themselves step after step neither grows nor fades. */
static smr_status draw_turns(smr_ctx *ctx, const struct drawing *whole, smr_nn_start start)
{
    smr_status st = SMR_OK;
    struct drawing d = *whole;
    int64_t side = whole->weights->dim[1];
    if (start == SMR_NN_START_ZERO || start == SMR_NN_START_FAN_IN)
        return draw(ctx, &d, start, false);
    d.n = side * side;
    for (; d.first < whole->n; d.first += d.n, d.to += d.n) TRY(draw_orthogonal(ctx, &d, side, 1));
out:
    return st;
}

smr_status smr_nn_begin(smr_ctx *ctx, const smr_nn_graph *graph, smr_nn_start start, uint64_t seed,
                        const smr_nn_values *to)
{
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < graph->n; i++)
        for (int64_t k = 0; k < graph->node[i].layout.n_weights; k++) {
            const smr_nn_weights *w = &graph->node[i].layout.weights[k];
            int64_t t = i * SMR_LAYER_WEIGHTS + k;
            struct drawing d = {.weights = w,
                                .seed = seed,
                                .number = (uint64_t)t,
                                .n = smr_nn_weights_size(w),
                                .to = to->tensor[t]};
            for (int64_t e = 0; e < d.n; e++) d.to[e] = w->begin == SMR_BEGIN_ONE;
            for (int64_t e = w->lo; e < w->hi; e++) d.to[e] = (float)w->value;
            if (w->begin == SMR_BEGIN_DRAWN) TRY(draw(ctx, &d, start, is_rectified(graph, i)));
            if (w->begin == SMR_BEGIN_TURN) TRY(draw_turns(ctx, &d, start));
        }
out:
    return st;
}
