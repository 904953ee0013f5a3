/* dense.c -- layers that see all of an item: dense, maxout, and the last one, out.
 *
 *     dense    y = W x + b                                                                    (1)
 *     maxout   y_u = max_k (w_uk' x + b_uk), k < pieces                                       (2)
 *     out      y = W x + b, as many as there are classes or targets; the loss turns these
 *              scores into probabilities                                                      (3)
 *
 * A picture is taken as the vector of its numbers: flatten is implied.  Of a sequence each step is
 * taken by itself. */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "kernel/net_kernels.h"
#include "nn/layers.h"
#include "nn/pass.h"

#include <string.h>

enum { TILE = 64, COLUMNS = 256 }; /* units, and columns of what comes in, that are one task */

struct dense_params {
    int64_t units, pieces;
    bool bias;
};

#define FIELD(name_) SMR_FIELD(struct dense_params, name_)
enum { MOST = 1 << 20 };

#define UNITS                                                                                   \
    {                                                                                           \
        FIELD(units), .def = 100, .min = 1, .max = MOST, .search = SMR_SEARCH_LOG,              \
                      .search_min = 8, .search_max = 1024, .doc = "Units: numbers that go out." \
    }
#define BIAS                                                                  \
    {                                                                         \
        FIELD(bias), .def = true, .doc = "Add a learned number to each unit." \
    }

static const smr_param dense_table[] = {UNITS, BIAS};
static const smr_param maxout_table[] = {
    UNITS,
    {FIELD(pieces), .def = 2, .min = 2, .max = 64, .search = SMR_SEARCH_LINEAR, .search_min = 2,
     .search_max = 5, .doc = "Linear pieces of a unit, of which the largest counts."},
    BIAS,
};
static const smr_param out_table[] = {BIAS};

static void lay_units(const struct dense_params *p, int64_t units, int64_t pieces, smr_nn_item in,
                      smr_nn_layout *out)
{
    int64_t d = smr_nn_step_size(in);
    out->out = (smr_nn_item){smr_nn_steps(in), 1, units, in.in_time};
    smr_nn_weights *w = smr_nn_layout_drawn(out, "weight", d, units);
    w->rank = 2;
    w->dim[0] = units * pieces;
    w->dim[1] = d;
    if (p->bias) smr_nn_layout_plain(out, "bias", units * pieces, SMR_BEGIN_ZERO, true);
    out->products = (double)smr_nn_steps(in) * (double)d * (double)units * (double)pieces;
    if (!in.in_time) return;
    out->window[0] = out->window[1] = out->step[0] = out->step[1] = 1;
}

static smr_status lay_dense(smr_ctx *ctx, const void *params, const smr_nn_lay *lay,
                            smr_nn_layout *out)
{
    const struct dense_params *p = params;
    (void)ctx;
    lay_units(p, p->units, 1, lay->in[0], out);
    return SMR_OK;
}

static smr_status lay_maxout(smr_ctx *ctx, const void *params, const smr_nn_lay *lay,
                             smr_nn_layout *out)
{
    const struct dense_params *p = params;
    (void)ctx;
    lay_units(p, p->units, p->pieces, lay->in[0], out);
    return SMR_OK;
}

static smr_status lay_out(smr_ctx *ctx, const void *params, const smr_nn_lay *lay,
                          smr_nn_layout *out)
{
    const struct dense_params *p = params;
    (void)ctx;
    lay_units(p, lay->n_outputs, 1, lay->in[0], out);
    return SMR_OK;
}

/* ---- how they compute ------------------------------------------------------------------- */

static int64_t round_up(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static bool is_maxout(const smr_nn_node *node)
{
    return node->layer == &smr_layer_maxout;
}

#define SMR_REAL_IS_F32
#include "nn/real.inl"

#include "nn/layers/dense.inl"
#undef SMR_REAL_IS_F32
#include "nn/real.inl"

#include "nn/layers/dense.inl"

const smr_layer smr_layer_dense = {
    .word = {.name = "dense",
             .synonyms = "linear fc fully_connected Linear Dense",
             .family = "layer",
             .title = "Fully connected units",
             .brief = "Units that each see all of the item.",
             .objective = "y = W x + b",
             .example = "dense 120",
             .params = dense_table,
             .n_params = SMR_COUNT(dense_table),
             .params_size = sizeof(struct dense_params)},
    .lay = lay_dense,
    .code = {&code_f32, &code_f64},
};

const smr_layer smr_layer_maxout = {
    .word = {.name = "maxout",
             .family = "layer",
             .title = "Maxout units",
             .brief = "Units that are the largest of several linear pieces.",
             .objective = "y_u = max_k (w_uk' x + b_uk)",
             .reference = "Goodfellow, Warde-Farley, Mirza, Courville & Bengio, ICML 2013",
             .example = "maxout 50 pieces=3",
             .params = maxout_table,
             .n_params = SMR_COUNT(maxout_table),
             .params_size = sizeof(struct dense_params)},
    .lay = lay_maxout,
    .code = {&code_maxout_f32, &code_maxout_f64},
};

const smr_layer smr_layer_out = {
    .word = {.name = "out",
             .synonyms = "output",
             .family = "layer",
             .title = "The answer",
             .brief = "As many fully connected units as there are classes or targets; implied.",
             .objective = "y = W x + b",
             .example = "out",
             .params = out_table,
             .n_params = SMR_COUNT(out_table),
             .params_size = sizeof(struct dense_params)},
    .traits = SMR_LAYER_IS_OUT,
    .lay = lay_out,
    .code = {&code_f32, &code_f64},
};
