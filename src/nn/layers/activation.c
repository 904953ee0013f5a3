/* activation.c -- functions of each number, and softmax over the channels of each place.
 *
 *     threshold  1 if x > 0, else 0; trained as if its slope were 1 where |x| <= 1             (1)
 *     sigmoid    1 / (1 + exp(-x))                                                             (2)
 *     logistic   1 / (1 + exp(-a x))                                                           (3)
 *     tanh       (exp(x) - exp(-x)) / (exp(x) + exp(-x))                                       (4)
 *     relu       max(x, 0); its slope at 0 is 0                                                (5)
 *     leaky      x if x > 0, else slope x                                                      (6)
 *     elu        x if x > 0, else a (exp(x) - 1)                                               (7)
 *     softmax    exp(x_c) / sum_k exp(x_k)                                                 (8) */
#include "kernel/net_kernels.h"
#include "nn/layers.h"
#include "nn/pass.h"

struct activation_params {
    double slope, a;
};

#define FIELD(name_) SMR_FIELD(struct activation_params, name_)

static const smr_param leaky_table[] = {
    {FIELD(slope), .def = 0.01, .min = 0, .max = 1, .search = SMR_SEARCH_LOG, .search_min = 1e-3,
     .search_max = 0.3, .doc = "Slope below 0."},
};
static const smr_param elu_table[] = {
    {FIELD(a), .def = 1, .min = 0, .min_open = true, .max = 100,
     .doc = "It falls to -a far below 0."},
};
static const smr_param logistic_table[] = {
    {FIELD(a), .def = 1, .min = 0, .min_open = true, .max = 1000,
     .doc = "Steepness: a/4 is the slope at 0."},
};

static smr_status lay(smr_ctx *ctx, const void *params, const smr_nn_lay *lay, smr_nn_layout *out)
{
    (void)ctx;
    (void)params;
    out->out = lay->in[0];
    out->window[0] = out->window[1] = out->step[0] = out->step[1] = 1;
    out->in_place = true;
    return SMR_OK;
}

/* ---- how they compute ------------------------------------------------------------------- */

static smr_bend bend_of(const smr_nn_node *node)
{
    const smr_layer *layer = node->layer;
    return layer == &smr_layer_threshold ? SMR_BEND_THRESHOLD
           : layer == &smr_layer_tanh    ? SMR_BEND_TANH
           : layer == &smr_layer_relu    ? SMR_BEND_RELU
           : layer == &smr_layer_leaky   ? SMR_BEND_LEAKY
           : layer == &smr_layer_elu     ? SMR_BEND_ELU
                                         : SMR_BEND_SIGMOID;
}

static double steepness(const struct activation_params *p, const smr_nn_node *node)
{
    if (node->layer == &smr_layer_leaky) return p->slope;
    return node->layer == &smr_layer_sigmoid ? 1 : p->a;
}

#define SMR_REAL_IS_F32
#include "nn/real.inl"

#include "nn/layers/activation.inl"
#undef SMR_REAL_IS_F32
#include "nn/real.inl"

#include "nn/layers/activation.inl"

/* ---- the words -------------------------------------------------------------------------- */

#define PARAMS(table_)                                 \
    .params = (table_), .n_params = SMR_COUNT(table_), \
    .params_size = sizeof(struct activation_params)
#define NO_PARAMS .params_size = sizeof(struct activation_params)
#define ACTIVATION(name_, title_, brief_, formula_, ...)    \
    const smr_layer smr_layer_##name_ = {                   \
        .word = {.name = #name_,                            \
                 .family = "activation",                    \
                 .title = (title_),                         \
                 .brief = (brief_),                         \
                 .objective = (formula_),                   \
                 __VA_ARGS__},                              \
        .traits = SMR_LAYER_IS_SMOOTH,                      \
        .lay = lay,                                         \
        .code = {&code_##name_##_f32, &code_##name_##_f64}, \
    }

ACTIVATION(threshold, "Threshold", "1 above 0, else 0: the unit of the first networks.",
           "y = [x > 0]", .example = "threshold", NO_PARAMS, .synonyms = "step heaviside");
ACTIVATION(sigmoid, "Sigmoid", "Squeezes any number between 0 and 1.", "y = 1 / (1 + exp(-x))",
           .example = "sigmoid", NO_PARAMS);
ACTIVATION(logistic, "Scaled logistic", "A sigmoid of chosen steepness.", "y = 1 / (1 + exp(-a x))",
           .example = "logistic 2", PARAMS(logistic_table));
ACTIVATION(tanh, "Hyperbolic tangent", "Squeezes any number between -1 and 1.", "y = tanh x",
           .example = "tanh", NO_PARAMS);
ACTIVATION(relu, "Rectifier", "Numbers below 0 become 0.", "y = max(x, 0)", .example = "relu",
           NO_PARAMS, .synonyms = "ReLU rectifier");
ACTIVATION(leaky, "Leaky rectifier", "Numbers below 0 become small.",
           "y = x if x > 0, else slope x", .example = "leaky 0.1", PARAMS(leaky_table),
           .synonyms = "LeakyReLU leaky_relu");
ACTIVATION(elu, "Exponential rectifier", "Numbers below 0 fall off to -a.",
           "y = x if x > 0, else a (exp x - 1)", .example = "elu", PARAMS(elu_table),
           .synonyms = "ELU", .reference = "Clevert, Unterthiner & Hochreiter, ICLR 2016");
ACTIVATION(softmax, "Softmax", "Makes the channels of each place shares that sum to 1.",
           "y_c = exp x_c / sum_k exp x_k", .example = "softmax", NO_PARAMS);
