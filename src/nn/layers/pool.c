/* pool.c -- pooling: one number for each window of each channel.
 *
 *     maxpool   y[r, s, c] = max over the window of x[., ., c]; the first of those that tie     (1)
 *     avgpool   y[r, s, c] = mean over the window; over the part that lies in the picture       (2)
 *
 * `global` is the window of the whole picture. */
#include "kernel/net_kernels.h"
#include "nn/layers.h"
#include "nn/layers/window.h"
#include "nn/pass.h"

struct pool_params {
    smr_reals size, stride, pad;
    int round;
    bool padding;
};

/* The size that is a word. */
#define GLOBAL (-1.0)

#define FIELD(name_) SMR_FIELD(struct pool_params, name_)
enum { MOST_WINDOW = 4096 };

static const smr_choice sizes[] = {{"global", "the whole picture"}, {NULL, NULL}};

#define ROWS                                                                                  \
    {                                                                                         \
        FIELD(size),                                                                          \
        .def = 2,                                                                             \
        .min = 1,                                                                             \
        .max = MOST_WINDOW,                                                                   \
        .choices = sizes,                                                                     \
        .doc = "Height and width of a window: one number for both, two, or global."},         \
        {FIELD(stride), .unset = true, .min = 1, .max = MOST_WINDOW,                          \
         .doc = "How far apart the windows are; unset: side by side."},                       \
        {FIELD(pad), .def = 0, .min = 0, .max = MOST_WINDOW,                                  \
         .doc = "Rows and columns around the picture that windows may lie in."},              \
    {                                                                                         \
        FIELD(round), .def = SMR_ROUND_EXACT, .choices = smr_window_rounds,                   \
                      .doc = "What becomes of rows and columns that the windows do not fill." \
    }

static const smr_param params[] = {ROWS};
static const smr_param params_mean[] = {
    ROWS,
    {FIELD(padding), .def = false,
     .doc = "Divide by the whole window, its padding as zeros, not by the part in the picture."},
};

static bool is_global(const struct pool_params *p)
{
    return p->size.n > 0 && p->size.value[0] == GLOBAL;
}

static smr_status check(smr_ctx *ctx, const void *params_)
{
    const struct pool_params *p = params_;
    smr_status st = SMR_OK;
    bool plain = p->stride.n == 0 && p->pad.n == 1 && p->pad.value[0] == 0;
    if (is_global(p) && (p->size.n > 1 || !plain))
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "a global pool is one window of the whole picture: it takes no second size, "
                     "no stride and no pad"));
    TRY(smr_window_check(ctx, "pool", "size", &p->size));
    TRY(smr_window_check(ctx, "pool", "stride", &p->stride));
    TRY(smr_window_check(ctx, "pool", "pad", &p->pad));
out:
    return st;
}

static smr_status lay(smr_ctx *ctx, const void *params_, const smr_nn_lay *lay, smr_nn_layout *out)
{
    const struct pool_params *p = params_;
    smr_status st = SMR_OK;
    smr_nn_item in = lay->in[0];
    smr_window w = {.round = p->round};
    if (is_global(p)) {
        out->out = (smr_nn_item){1, 1, in.c, false};
        return SMR_OK;
    }
    smr_window_pair(&p->size, 2, w.size);
    smr_window_pair(&p->pad, 0, w.pad);
    for (int k = 0; k < 2; k++) w.stride[k] = w.size[k];
    if (p->stride.n) smr_window_pair(&p->stride, 1, w.stride);
    TRY(smr_window_over(ctx, &w, in, &out->out));
    for (int k = 0; k < 2; k++) {
        out->window[k] = w.size[k];
        out->step[k] = w.stride[k];
    }
out:
    return st;
}

/* ---- how they compute ------------------------------------------------------------------- */

static smr_nn_pool pool_of(const smr_nn_pass *p)
{
    const struct pool_params *own = p->node->params;
    smr_nn_item in = p->in[0], out = p->node->layout.out;
    smr_nn_pool pool = {.h = in.h, .w = in.w, .c = in.c, .out_h = out.h, .out_w = out.w};
    if (is_global(own)) {
        pool.size[0] = pool.stride[0] = in.h;
        pool.size[1] = pool.stride[1] = in.w;
        return pool;
    }
    smr_window_pair(&own->size, 2, pool.size);
    smr_window_pair(&own->pad, 0, pool.pad);
    for (int k = 0; k < 2; k++) pool.stride[k] = pool.size[k];
    if (own->stride.n) smr_window_pair(&own->stride, 1, pool.stride);
    pool.padding = own->padding;
    return pool;
}

#define SMR_REAL_IS_F32
#include "nn/real.inl"

#include "nn/layers/pool.inl"
#undef SMR_REAL_IS_F32
#include "nn/real.inl"

#include "nn/layers/pool.inl"

/* ---- the words -------------------------------------------------------------------------- */

const smr_layer smr_layer_maxpool = {
    .word = {.name = "maxpool",
             .synonyms = "MaxPool2d max_pooling pool",
             .family = "layer",
             .title = "Maximum pooling",
             .brief = "The largest number of each window of each channel.",
             .objective = "y = max over the window of x",
             .example = "maxpool 2",
             .params = params,
             .n_params = SMR_COUNT(params),
             .params_size = sizeof(struct pool_params),
             .check_params = check},
    .lay = lay,
    .code = {&code_max_f32, &code_max_f64},
};

const smr_layer smr_layer_avgpool = {
    .word = {.name = "avgpool",
             .synonyms = "AvgPool2d average_pooling meanpool",
             .family = "layer",
             .title = "Average pooling",
             .brief = "The mean of each window of each channel.",
             .objective = "y = mean over the window of x",
             .example = "avgpool 2",
             .params = params_mean,
             .n_params = SMR_COUNT(params_mean),
             .params_size = sizeof(struct pool_params),
             .check_params = check},
    .lay = lay,
    .code = {&code_mean_f32, &code_mean_f64},
};
