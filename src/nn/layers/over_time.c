/* over_time.c -- layers that end a sequence: of its steps that count
 *
 *     last   y = x_n, the last of n                                                           (1)
 *     mean   y = 1/n sum_t x_t                                                                (2)
 *     max    y = max_t x_t, number by number; of equal ones the first                         (3)
 *
 * Where none counts the answer is 0. */
#include "kernel/net_kernels.h"
#include "nn/layers.h"
#include "nn/pass.h"

#include <string.h>

struct over_time_params {
    int64_t none;
};

static smr_status lay(smr_ctx *ctx, const void *params, const smr_nn_lay *lay, smr_nn_layout *out)
{
    smr_nn_item in = lay->in[0];
    (void)params;
    if (!in.in_time)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "it ends a sequence, and this is none; embed, rnn, lstm and gru make "
                        "sequences");
    out->out = (smr_nn_item){1, 1, in.w * in.c, false};
    return SMR_OK;
}

static int64_t counted(const smr_nn_pass *p, int64_t row)
{
    return p->steps ? SMR_MIN(p->in[0].h, p->steps[row]) : p->in[0].h;
}

#define SMR_REAL_IS_F32
#include "nn/real.inl"

#include "nn/layers/over_time.inl"
#undef SMR_REAL_IS_F32
#include "nn/real.inl"

#include "nn/layers/over_time.inl"

#define OVER_TIME(name_, title_, brief_, formula_, synonyms_)     \
    const smr_layer smr_layer_##name_ = {                         \
        .word = {.name = #name_,                                  \
                 .synonyms = (synonyms_),                         \
                 .family = "layer",                               \
                 .title = (title_),                               \
                 .brief = (brief_),                               \
                 .objective = (formula_),                         \
                 .example = #name_,                               \
                 .params_size = sizeof(struct over_time_params)}, \
        .lay = lay,                                               \
        .code = {&code_##name_##_f32, &code_##name_##_f64},       \
    }

OVER_TIME(last, "The last step", "What the last step of a sequence has.", "y = x_n", "final");
OVER_TIME(mean, "Mean over the steps", "The mean of the steps of a sequence.", "y = 1/n sum_t x_t",
          "average");
OVER_TIME(max, "Largest over the steps", "The largest of each number in the steps of a sequence.",
          "y = max_t x_t", "maximum");
