/* join.c -- chains side by side, and the abbreviations for chains that are often written.
 *
 *     residual (A) skip=(B)   A x + B x; without skip A x + x                                  (1)
 *     concat (A),(B),...      the channels of A x, then those of B x, ...                      (2)
 *     repeat n (A)            A | A | ..., n times                                             (3)
 *     basic f stride=s        the block of ResNet-18 and -34                                   (4)
 *     bottleneck f stride=s   the block of ResNet-50: f is that of its narrow part             (5)
 *     inception a b,c d,e f   the block of GoogLeNet: 1 x 1, 3 x 3, 5 x 5 and pooling      (6) */
#include "kernel/net_kernels.h"
#include "nn/layers.h"
#include "nn/net_chain.h"
#include "nn/pass.h"

#include <string.h>

struct join_params {
    smr_nn_chains of, skip;
    int64_t n;
    int64_t filters, stride;
    int shortcut;
    int64_t ones, pooled;
    smr_reals threes, fives;
};

#define FIELD(name_) SMR_FIELD(struct join_params, name_)
enum { MOST_PARTS = 64, MOST_TIMES = 1024, MOST = 1 << 20 };
enum { SHORTCUT_AUTO, SHORTCUT_YES, SHORTCUT_NO };

static const smr_choice shortcuts[] = {
    {"auto", "where stride is not 1"},
    {"yes", "always: the number of channels changes"},
    {"no", "what comes in is passed on as it is"},
    {NULL, NULL},
};

static const smr_param residual_table[] = {
    {FIELD(of), .grammar = &smr_nn_chain_grammar, .least = 1, .most = 1,
     .doc = "The chain to which what comes in is added."},
    {FIELD(skip), .unset = true, .grammar = &smr_nn_chain_grammar, .most = 1,
     .doc = "A chain that what comes in passes through before it is added; unset: none."},
};
static const smr_param concat_table[] = {
    {FIELD(of), .grammar = &smr_nn_chain_grammar, .least = 1, .most = MOST_PARTS,
     .doc = "Chains of what comes in, whose channels are put one after the other."},
};
static const smr_param repeat_table[] = {
    {FIELD(n), .def = 2, .min = 1, .max = MOST_TIMES, .doc = "How often."},
    {FIELD(of), .grammar = &smr_nn_chain_grammar, .least = 1, .most = 1, .doc = "The chain."},
};
#define BLOCK                                                                                  \
    {FIELD(filters), .def = 64, .min = 1, .max = MOST, .doc = "Filters of its convolutions."}, \
        {FIELD(stride), .def = 1, .min = 1, .max = 16,                                         \
         .doc = "Stride of the first that has one."},                                          \
    {                                                                                          \
        FIELD(shortcut), .def = SHORTCUT_AUTO, .choices = shortcuts,                           \
                         .doc = "Does what comes in pass through a 1 x 1 convolution?"         \
    }
static const smr_param block_table[] = {BLOCK};
static const smr_param inception_table[] = {
    {FIELD(ones), .def = 64, .min = 1, .max = MOST, .doc = "Filters of the 1 x 1 convolution."},
    {FIELD(threes), .def = 64, .min = 1, .max = MOST,
     .doc = "Filters of the 1 x 1 convolution before the 3 x 3, and of that."},
    {FIELD(fives), .def = 16, .min = 1, .max = MOST,
     .doc = "Filters of the 1 x 1 convolution before the 5 x 5, and of that."},
    {FIELD(pooled), .def = 32, .min = 1, .max = MOST,
     .doc = "Filters of the 1 x 1 convolution after the pooling."},
};

/* ---- joins ------------------------------------------------------------------------------ */

static const smr_nn_chain *part_of(const smr_nn_chains *chains, int64_t i)
{
    return i < chains->n ? &chains->chain[i] : NULL;
}

static const smr_nn_chain *concat_part(const void *params, int64_t i)
{
    const struct join_params *p = params;
    return part_of(&p->of, i);
}

/* Without skip the second chain is the empty one. */
static const smr_nn_chain *residual_part(const void *params, int64_t i)
{
    static const smr_nn_chain nothing = {0};
    const struct join_params *p = params;
    if (i == 0) return part_of(&p->of, 0);
    if (i == 1) return p->skip.n ? &p->skip.chain[0] : &nothing;
    return NULL;
}

static smr_status differ(smr_ctx *ctx, const char *what, smr_nn_item a, smr_nn_item b, int64_t i,
                         const char *way_out)
{
    smr_text text = {.ctx = ctx};
    smr_nn_item_write(a, &text);
    smr_text_add(&text, " and ");
    smr_nn_item_write(b, &text);
    smr_status st = smr_text_done(&text);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_PARAM, "%s: chain 1 gives %.*s, chain %lld gives %s%s", what,
                      (int)(strstr(text.bytes, " and ") - text.bytes), text.bytes,
                      (long long)(i + 1), strstr(text.bytes, " and ") + 5, way_out);
    smr_text_release(&text);
    return st;
}

static smr_status lay_concat(smr_ctx *ctx, const void *params, const smr_nn_lay *lay,
                             smr_nn_layout *out)
{
    (void)params;
    out->out = lay->in[0];
    for (int64_t i = 1; i < lay->n; i++) {
        smr_nn_item a = lay->in[0], b = lay->in[i];
        if (a.h != b.h || a.w != b.w || a.in_time != b.in_time)
            return differ(ctx, "channels can be joined only where height and width are the same", a,
                          b, i, "");
        out->out.c += b.c;
    }
    out->window[0] = out->window[1] = out->step[0] = out->step[1] = 1;
    out->in_place = true;
    return SMR_OK;
}

static smr_status lay_residual(smr_ctx *ctx, const void *params, const smr_nn_lay *lay,
                               smr_nn_layout *out)
{
    const struct join_params *p = params;
    smr_nn_item a = lay->in[0], b = lay->in[1];
    if (a.h != b.h || a.w != b.w || a.c != b.c || a.in_time != b.in_time)
        return differ(ctx, "only equal shapes can be added", a, b, 1,
                      p->skip.n ? "" : ", what comes in; skip=(conv ...) can change that");
    out->out = a;
    out->window[0] = out->window[1] = out->step[0] = out->step[1] = 1;
    out->in_place = true;
    return SMR_OK;
}

/* ---- how they compute ------------------------------------------------------------------- */

#define SMR_REAL_IS_F32
#include "nn/real.inl"

#include "nn/layers/join.inl"
#undef SMR_REAL_IS_F32
#include "nn/real.inl"

#include "nn/layers/join.inl"

/* ---- abbreviations ---------------------------------------------------------------------- */

static smr_status expand_repeat(const void *params, smr_text *out)
{
    const struct join_params *p = params;
    if (p->n * SMR_MAX(p->of.chain[0].n, 1) > 4096)
        return smr_fail(out->ctx, SMR_ERR_PARAM, "a net has at most 4096 layers");
    for (int64_t i = 0; i < p->n && p->of.chain[0].n; i++) {
        if (i) smr_text_add(out, " | ");
        smr_nn_chain_write(&p->of.chain[0], out);
    }
    return SMR_OK;
}

static void add_conv(smr_text *out, int64_t filters, int64_t size, int64_t stride)
{
    smr_text_printf(out, "conv %lld %lld", (long long)filters, (long long)size);
    if (stride > 1) smr_text_printf(out, " stride=%lld", (long long)stride);
    if (stride > size) smr_text_add(out, " round=down"); /* it looks at every other place */
    if (size > 1) smr_text_printf(out, " pad=%lld", (long long)(size / 2));
    smr_text_add(out, " bias=no | norm");
}

static void add_skip(smr_text *out, const struct join_params *p, int64_t filters)
{
    if (p->shortcut == SHORTCUT_YES || (p->shortcut == SHORTCUT_AUTO && p->stride > 1)) {
        smr_text_add(out, " skip=(");
        add_conv(out, filters, 1, p->stride);
        smr_text_add(out, ")");
    }
    smr_text_add(out, " | relu");
}

static smr_status expand_basic(const void *params, smr_text *out)
{
    const struct join_params *p = params;
    smr_text_add(out, "residual (");
    add_conv(out, p->filters, 3, p->stride);
    smr_text_add(out, " | relu | ");
    add_conv(out, p->filters, 3, 1);
    smr_text_add(out, ")");
    add_skip(out, p, p->filters);
    return SMR_OK;
}

static smr_status expand_bottleneck(const void *params, smr_text *out)
{
    const struct join_params *p = params;
    smr_text_add(out, "residual (");
    add_conv(out, p->filters, 1, 1);
    smr_text_add(out, " | relu | ");
    add_conv(out, p->filters, 3, p->stride);
    smr_text_add(out, " | relu | ");
    add_conv(out, 4 * p->filters, 1, 1);
    smr_text_add(out, ")");
    add_skip(out, p, 4 * p->filters);
    return SMR_OK;
}

/* Filters before the window, and of it; one number is for both. */
static void add_reduced(smr_text *out, const smr_reals *filters, int size)
{
    int64_t before = (int64_t)filters->value[0], of = (int64_t)filters->value[filters->n - 1];
    smr_text_printf(out, "(conv %lld 1 | relu | conv %lld %d pad=%d | relu)", (long long)before,
                    (long long)of, size, size / 2);
}

static smr_status expand_inception(const void *params, smr_text *out)
{
    const struct join_params *p = params;
    smr_text_printf(out, "concat (conv %lld 1 | relu),", (long long)p->ones);
    add_reduced(out, &p->threes, 3);
    smr_text_add(out, ",");
    add_reduced(out, &p->fives, 5);
    smr_text_printf(out, ",(maxpool 3 stride=1 pad=1 | conv %lld 1 | relu)", (long long)p->pooled);
    return SMR_OK;
}

static smr_status check_inception(smr_ctx *ctx, const void *params)
{
    const struct join_params *p = params;
    if (p->threes.n <= 2 && p->fives.n <= 2) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "inception: filters are given as two numbers, those of the 1 x 1 convolution "
                    "before and those of the window, as in inception 64 96,128 16,32 32");
}

/* ---- the words -------------------------------------------------------------------------- */

#define PARAMS(table_)                                                    \
    .family = "layer", .params = (table_), .n_params = SMR_COUNT(table_), \
    .params_size = sizeof(struct join_params)

const smr_layer smr_layer_residual = {
    .word = {.name = "residual",
             .title = "Residual sum",
             .brief = "Adds what comes in to what a chain makes of it.",
             .objective = "y = A x + x",
             .reference = "He, Zhang, Ren & Sun, CVPR 2016",
             .example = "residual (conv 16 3 pad=1 | relu) skip=(conv 16 1)",
             PARAMS(residual_table)},
    .traits = SMR_LAYER_IS_JOIN,
    .lay = lay_residual,
    .part = residual_part,
    .code = {&code_residual_f32, &code_residual_f64},
};

const smr_layer smr_layer_concat = {
    .word = {.name = "concat",
             .title = "Channels side by side",
             .brief = "Puts the channels that several chains make one after the other.",
             .objective = "y = (A x, B x, ...)",
             .reference = "Szegedy et al., CVPR 2015",
             .example = "concat (conv 8 1),(maxpool 3 stride=1 pad=1)",
             PARAMS(concat_table)},
    .traits = SMR_LAYER_IS_JOIN,
    .lay = lay_concat,
    .part = concat_part,
    .code = {&code_concat_f32, &code_concat_f64},
};

const smr_layer smr_layer_repeat = {
    .word = {.name = "repeat",
             .title = "A chain several times",
             .brief = "Short for the same chain written several times.",
             .objective = "A | A | ...",
             .example = "repeat 2 (dense 100 | relu)",
             PARAMS(repeat_table)},
    .traits = SMR_LAYER_IS_SHORT,
    .expand = expand_repeat,
};

const smr_layer smr_layer_basic = {
    .word = {.name = "basic",
             .title = "The block of ResNet-18 and -34",
             .brief = "Short for two 3 x 3 convolutions with batch norm and a residual sum.",
             .objective = "relu(norm conv relu norm conv x + x)",
             .reference = "He, Zhang, Ren & Sun, CVPR 2016",
             .example = "basic 128 stride=2",
             PARAMS(block_table)},
    .traits = SMR_LAYER_IS_SHORT,
    .expand = expand_basic,
};

const smr_layer smr_layer_bottleneck = {
    .word = {.name = "bottleneck",
             .title = "The block of ResNet-50",
             .brief = "Short for 1 x 1, 3 x 3 and 1 x 1 convolutions with batch norm and a "
                      "residual sum; 4 x filters go out.",
             .objective = "relu(norm conv relu norm conv relu norm conv x + x)",
             .reference = "He, Zhang, Ren & Sun, CVPR 2016",
             .example = "bottleneck 64 shortcut=yes",
             PARAMS(block_table)},
    .traits = SMR_LAYER_IS_SHORT,
    .expand = expand_bottleneck,
};

const smr_layer smr_layer_inception = {
    .word = {.name = "inception",
             .title = "The block of GoogLeNet",
             .brief = "Short for 1 x 1, 3 x 3 and 5 x 5 convolutions and pooling side by side.",
             .objective = "y = (A x, B x, C x, D x)",
             .reference = "Szegedy et al., CVPR 2015",
             .example = "inception 64 96,128 16,32 32",
             PARAMS(inception_table),
             .check_params = check_inception},
    .traits = SMR_LAYER_IS_SHORT,
    .expand = expand_inception,
};
