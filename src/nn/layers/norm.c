/* norm.c -- layers that settle the range of what passes: batch norm, local response norm, and
 * dropout, which makes it noisy.
 *
 *     norm      y = scale (x - m) / sqrt(v + eps) + shift, a channel at a time; in training m and v
 *               are the mean and (biased) variance of the batch, later their running means, of
 *               which the variance is unbiased                                                (1)
 *     lrn       y_c = x_c / (k + alpha / n sum_j x_j^2)^beta, j the n channels around c       (2)
 *     dropout   in training x is 0 with probability `rate`, else x / (1 - rate)               (3)
 *     flatten   the item as a vector, in the order of its memory: height, width, channels    (4) */
#include "core/parallel.h"
#include "core/rng.h"
#include "kernel/kernel.h"
#include "kernel/net_kernels.h"
#include "nn/layers.h"
#include "nn/pass.h"

#include <math.h>
#include <string.h>

enum { SETTLED = 16 }; /* channels that are one task */

struct norm_params {
    double eps, momentum;
    bool affine;
    int64_t n;
    double k, alpha, beta;
    double rate;
};

#define FIELD(name_) SMR_FIELD(struct norm_params, name_)

static const smr_param norm_table[] = {
    {FIELD(eps), .def = 1e-5, .min = 0, .min_open = true, .max = 1,
     .doc = "Added to the variance."},
    {FIELD(momentum), .def = 0.1, .min = 0, .min_open = true, .max = 1,
     .doc = "Share of the newest batch in the running mean and variance."},
    {FIELD(affine), .def = true, .doc = "Learn a scale and a shift for each channel."},
};
static const smr_param lrn_table[] = {
    {FIELD(n), .def = 5, .min = 1, .max = 4096, .doc = "Channels that are summed."},
    {FIELD(k), .def = 2, .min = 0, .max = 1e6, .doc = "Added to their sum."},
    {FIELD(alpha), .def = 1e-4, .min = 0, .max = 1e6, .doc = "Weight of the mean of squares."},
    {FIELD(beta), .def = 0.75, .min = 0, .max = 100, .doc = "Power."},
};
static const smr_param dropout_table[] = {
    {FIELD(rate), .def = 0.5, .min = 0, .max = 1, .max_open = true, .search = SMR_SEARCH_LINEAR,
     .search_min = 0.1, .search_max = 0.6, .doc = "Share of the numbers that become 0."},
};

static smr_status pass(smr_ctx *ctx, const void *params, const smr_nn_lay *lay, smr_nn_layout *out)
{
    (void)ctx;
    (void)params;
    out->out = lay->in[0];
    out->window[0] = out->window[1] = out->step[0] = out->step[1] = 1;
    return SMR_OK;
}

static smr_status lay_in_place(smr_ctx *ctx, const void *params, const smr_nn_lay *lay,
                               smr_nn_layout *out)
{
    out->in_place = true;
    return pass(ctx, params, lay, out);
}

static smr_status lay_norm(smr_ctx *ctx, const void *params, const smr_nn_lay *lay,
                           smr_nn_layout *out)
{
    const struct norm_params *p = params;
    int64_t c = lay->in[0].c;
    if (p->affine) {
        smr_nn_layout_plain(out, "weight", c, SMR_BEGIN_ONE, true);
        smr_nn_layout_plain(out, "bias", c, SMR_BEGIN_ZERO, true);
    }
    smr_nn_layout_plain(out, "mean", c, SMR_BEGIN_ZERO, false);
    smr_nn_layout_plain(out, "variance", c, SMR_BEGIN_ONE, false);
    return pass(ctx, params, lay, out);
}

static smr_status lay_flatten(smr_ctx *ctx, const void *params, const smr_nn_lay *lay,
                              smr_nn_layout *out)
{
    (void)ctx;
    (void)params;
    out->out = (smr_nn_item){1, 1, smr_nn_item_size(lay->in[0]), false};
    out->in_place = true;
    return SMR_OK;
}

/* ---- how they compute ------------------------------------------------------------------- */

#define SMR_REAL_IS_F32
#include "nn/real.inl"

#include "nn/layers/norm.inl"
#undef SMR_REAL_IS_F32
#include "nn/real.inl"

#include "nn/layers/norm.inl"

/* ---- the words -------------------------------------------------------------------------- */

#define PARAMS(table_) \
    .params = (table_), .n_params = SMR_COUNT(table_), .params_size = sizeof(struct norm_params)

const smr_layer smr_layer_norm = {
    .word = {.name = "norm",
             .synonyms = "batchnorm batch_norm BatchNorm2d",
             .family = "layer",
             .title = "Batch normalisation",
             .brief = "Gives each channel mean 0 and variance 1 over the batch.",
             .objective = "y = scale (x - mean) / sqrt(variance + eps) + shift",
             .reference = "Ioffe & Szegedy, ICML 2015",
             .example = "norm",
             PARAMS(norm_table)},
    .traits = SMR_LAYER_MIXES_ROWS,
    .lay = lay_norm,
    .code = {&code_norm_f32, &code_norm_f64},
};

const smr_layer smr_layer_lrn = {
    .word = {.name = "lrn",
             .synonyms = "LocalResponseNorm local_response",
             .family = "layer",
             .title = "Local response normalisation",
             .brief = "Divides each channel by the strength of those around it.",
             .objective = "y_c = x_c / (k + alpha / n sum_j x_j^2)^beta",
             .reference = "Krizhevsky, Sutskever & Hinton, NIPS 2012",
             .example = "lrn",
             PARAMS(lrn_table)},
    .lay = pass,
    .code = {&code_lrn_f32, &code_lrn_f64},
};

const smr_layer smr_layer_dropout = {
    .word = {.name = "dropout",
             .synonyms = "Dropout",
             .family = "layer",
             .title = "Dropout",
             .brief = "In training, numbers at random become 0; later nothing happens.",
             .objective = "y = x [u >= rate] / (1 - rate)",
             .reference =
                 "Srivastava, Hinton, Krizhevsky, Sutskever & Salakhutdinov, JMLR 15, 2014",
             .example = "dropout 0.5",
             PARAMS(dropout_table)},
    .traits = SMR_LAYER_DRAWS,
    .lay = lay_in_place,
    .code = {&code_dropout_f32, &code_dropout_f64},
};

const smr_layer smr_layer_flatten = {
    .word = {.name = "flatten",
             .synonyms = "Flatten",
             .family = "layer",
             .title = "Flatten",
             .brief = "The item as a vector; dense layers do this by themselves.",
             .objective = "y = x, as 1 x 1 x (h w c)",
             .example = "flatten",
             .params_size = sizeof(struct norm_params)},
    .lay = lay_flatten,
    .code = {&code_flatten_f32, &code_flatten_f64},
};
