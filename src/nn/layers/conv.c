/* conv.c -- convolution (as networks mean it: correlation) of a picture with learned filters.
 *
 *     y[r, s, f] = b_f + sum_{i, j, c} w[f, c, i, j] x[r stride + i - pad, s stride + j - pad, c]
 *                                                                                               (1)
 *
 * with zeros outside the picture; c runs over the channels of the group of f.  Transposed (deconv),
 * the same sums the other way: each input spreads over a window of outputs:
 *
 *     y[i stride + r - pad, j stride + s - pad, f] += w[c, f, r, s] x[i, j, c]               (2) */
#include "kernel/kernel.h"
#include "kernel/net_kernels.h"
#include "nn/layers.h"
#include "nn/layers/window.h"
#include "nn/pass.h"

#include <string.h>

struct conv_params {
    int64_t filters;
    smr_reals size, stride, pad;
    int64_t groups;
    bool bias;
    int round;
};

#define FIELD(name_) SMR_FIELD(struct conv_params, name_)
enum { MOST = 1 << 20, MOST_WINDOW = 4096 };

static const smr_param params[] = {
    {FIELD(filters), .def = 16, .min = 1, .max = MOST, .search = SMR_SEARCH_LOG, .search_min = 4,
     .search_max = 256, .doc = "Filters: channels that go out."},
    {FIELD(size), .def = 3, .min = 1, .max = MOST_WINDOW,
     .doc = "Height and width of a filter: one number for both, or two."},
    {FIELD(stride), .def = 1, .min = 1, .max = MOST_WINDOW,
     .doc = "How far apart the places are where it is applied."},
    {FIELD(pad), .def = 0, .min = 0, .max = MOST_WINDOW,
     .doc = "Rows and columns of zeros around the picture."},
    {FIELD(groups), .def = 1, .min = 1, .max = MOST,
     .doc = "Channels are divided into groups, and each filter sees those of one."},
    {FIELD(bias), .def = true, .doc = "Add a learned number to each filter's output."},
    {FIELD(round), .def = SMR_ROUND_EXACT, .choices = smr_window_rounds,
     .doc = "What becomes of rows and columns that the windows do not fill."},
};

static const smr_param params_back[] = {
    {FIELD(filters), .def = 16, .min = 1, .max = MOST, .search = SMR_SEARCH_LOG, .search_min = 4,
     .search_max = 256, .doc = "Filters: channels that go out."},
    {FIELD(size), .def = 3, .min = 1, .max = MOST_WINDOW,
     .doc = "Height and width of a filter: one number for both, or two."},
    {FIELD(stride), .def = 1, .min = 1, .max = MOST_WINDOW,
     .doc = "How far apart the places are that neighbouring inputs spread to."},
    {FIELD(pad), .def = 0, .min = 0, .max = MOST_WINDOW,
     .doc = "Rows and columns that are cut off around what goes out."},
    {FIELD(bias), .def = true, .doc = "Add a learned number to each filter's output."},
};

static smr_status check(smr_ctx *ctx, const void *params_)
{
    const struct conv_params *p = params_;
    smr_status st = SMR_OK;
    TRY(smr_window_check(ctx, "conv", "size", &p->size));
    TRY(smr_window_check(ctx, "conv", "stride", &p->stride));
    TRY(smr_window_check(ctx, "conv", "pad", &p->pad));
out:
    return st;
}

static smr_window window_of(const struct conv_params *p)
{
    smr_window w = {.round = p->round};
    smr_window_pair(&p->size, 3, w.size);
    smr_window_pair(&p->stride, 1, w.stride);
    smr_window_pair(&p->pad, 0, w.pad);
    return w;
}

static smr_status check_groups(smr_ctx *ctx, const struct conv_params *p, smr_nn_item in)
{
    if (in.c % p->groups == 0 && p->filters % p->groups == 0) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "groups=%lld must divide the %lld channels that come in and the %lld filters",
                    (long long)p->groups, (long long)in.c, (long long)p->filters);
}

/* Filters (a, b, height, width), and biases. */
static void add_filters(smr_nn_layout *out, const smr_window *w, int64_t a, int64_t b,
                        const int64_t fan[2])
{
    smr_nn_weights *weight = smr_nn_layout_drawn(out, "weight", fan[0], fan[1]);
    weight->rank = 4;
    weight->dim[0] = a;
    weight->dim[1] = b;
    weight->dim[2] = w->size[0];
    weight->dim[3] = w->size[1];
}

static void set_reach(smr_nn_layout *out, const smr_window *w)
{
    for (int k = 0; k < 2; k++) {
        out->window[k] = w->size[k];
        out->step[k] = w->stride[k];
    }
}

static smr_status lay(smr_ctx *ctx, const void *params_, const smr_nn_lay *lay, smr_nn_layout *out)
{
    const struct conv_params *p = params_;
    smr_status st = SMR_OK;
    smr_nn_item in = lay->in[0];
    smr_window w = window_of(p);
    TRY(check_groups(ctx, p, in));
    TRY(smr_window_over(ctx, &w, in, &out->out));
    int64_t area = w.size[0] * w.size[1], each = in.c / p->groups;
    out->out.c = p->filters;
    add_filters(out, &w, p->filters, each,
                (const int64_t[2]){area * each, area * (p->filters / p->groups)});
    if (p->bias) smr_nn_layout_plain(out, "bias", p->filters, SMR_BEGIN_ZERO, true);
    out->products = (double)smr_nn_item_size(out->out) * (double)(area * each);
    set_reach(out, &w);
out:
    return st;
}

static smr_status lay_back(smr_ctx *ctx, const void *params_, const smr_nn_lay *lay,
                           smr_nn_layout *out)
{
    const struct conv_params *p = params_;
    smr_nn_item in = lay->in[0];
    smr_window w = window_of(p);
    int64_t size[2];
    for (int k = 0; k < 2; k++) {
        size[k] = ((k == 0 ? in.h : in.w) - 1) * w.stride[k] + w.size[k] - 2 * w.pad[k];
        if (size[k] < 1)
            return smr_fail(ctx, SMR_ERR_PARAM, "pad=%lld leaves nothing of what goes out",
                            (long long)w.pad[k]);
    }
    out->out = (smr_nn_item){size[0], size[1], p->filters, in.in_time};
    int64_t area = w.size[0] * w.size[1];
    add_filters(out, &w, in.c, p->filters, (const int64_t[2]){area * in.c, area * p->filters});
    if (p->bias) smr_nn_layout_plain(out, "bias", p->filters, SMR_BEGIN_ZERO, true);
    out->products = (double)smr_nn_item_size(in) * (double)(area * p->filters);
    for (int k = 0; k < 2; k++) {
        out->window[k] = (w.size[k] + w.stride[k] - 1) / w.stride[k];
        out->step[k] = 1;
    }
    return SMR_OK;
}

/* ---- how they compute ------------------------------------------------------------------- */

static int64_t round_up(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* A picture with its border is tall x wide.  A tap is a part of the window whose numbers lie side
 * by side in it: a row of the window, or with groups one place of it.  `each` channels are seen
 * by a filter; `share` filters are in a group. */
struct conv_shape {
    smr_window w;
    smr_nn_item in, out;
    int64_t groups, each, share;
    int64_t tall, wide;
    bool has_border, by_rows;
    int64_t taps, span;
};

static struct conv_shape shape_of(const smr_nn_node *node, const smr_nn_item *in)
{
    const struct conv_params *p = node->params;
    struct conv_shape s = {.w = window_of(p), .in = in[0], .out = node->layout.out};
    s.groups = p->groups;
    s.each = s.in.c / s.groups;
    s.share = s.out.c / s.groups;
    int64_t reach[2] = {(s.out.h - 1) * s.w.stride[0] + s.w.size[0],
                        (s.out.w - 1) * s.w.stride[1] + s.w.size[1]};
    s.tall = SMR_MAX(reach[0], s.in.h + s.w.pad[0]);
    s.wide = SMR_MAX(reach[1], s.in.w + s.w.pad[1]);
    s.has_border = s.tall != s.in.h || s.wide != s.in.w;
    s.by_rows = s.groups == 1;
    s.taps = s.by_rows ? s.w.size[0] : s.w.size[0] * s.w.size[1];
    s.span = s.by_rows ? s.w.size[1] * s.each : s.each;
    return s;
}

/* Each input spreads over a window of a picture that is tall x wide, of which the border is cut
 * off. */
struct spread_shape {
    smr_window w;
    smr_nn_item in, out;
    int64_t tall, wide;
};

static struct spread_shape spread_of(const smr_nn_node *node, const smr_nn_item *in)
{
    struct spread_shape s = {.w = window_of(node->params), .in = in[0], .out = node->layout.out};
    s.tall = s.out.h + 2 * s.w.pad[0];
    s.wide = s.out.w + 2 * s.w.pad[1];
    return s;
}

#define SMR_REAL_IS_F32
#include "nn/real.inl"

#include "nn/layers/conv.inl"
#include "nn/layers/deconv.inl"
#undef SMR_REAL_IS_F32
#include "nn/real.inl"

#include "nn/layers/conv.inl"
#include "nn/layers/deconv.inl"

/* ---- the words -------------------------------------------------------------------------- */

const smr_layer smr_layer_conv = {
    .word = {.name = "conv",
             .synonyms = "convolution convolutional Conv2d conv2d",
             .family = "layer",
             .title = "Convolution",
             .brief = "Learned filters that look at a window of the picture, at every place.",
             .objective = "y[r, s, f] = b_f + sum_ijc w[f, c, i, j] x[r + i, s + j, c]",
             .reference = "LeCun, Bottou, Bengio & Haffner, Proceedings of the IEEE 86(11), 1998",
             .example = "conv 6 5 pad=2",
             .params = params,
             .n_params = SMR_COUNT(params),
             .params_size = sizeof(struct conv_params),
             .check_params = check},
    .lay = lay,
    .code = {&code_f32, &code_f64},
};

const smr_layer smr_layer_deconv = {
    .word = {.name = "deconv",
             .synonyms = "ConvTranspose2d transposed",
             .family = "layer",
             .title = "Transposed convolution",
             .brief = "Learned filters that each input spreads over a window of the output.",
             .objective = "y[i stride + r, j stride + s, f] += w[c, f, r, s] x[i, j, c]",
             .reference = "Dumoulin & Visin, arXiv:1603.07285, 2016",
             .example = "deconv 1 4 stride=2 pad=1",
             .params = params_back,
             .n_params = SMR_COUNT(params_back),
             .params_size = sizeof(struct conv_params),
             .check_params = check},
    .lay = lay_back,
    .code = {&code_spread_f32, &code_spread_f64},
};
