/* embed.c -- symbols as vectors, which are learned.
 *
 *     y = E_s, s the symbol: a whole number, 0 <= s < symbols                                  (1)
 *
 * A vector of T symbols becomes a sequence of T steps; k symbols in a step become one vector.  Any
 * other number, -1 say, is an unknown symbol, and so is `pad`: its vector is 0 and is not learned.
 * Unknown symbols at the end of a row are no steps (smr_nn_pass.steps): rows of a table may so be
 * sequences of any length, filled up. */
#include "core/parallel.h"
#include "kernel/net_kernels.h"
#include "nn/layers.h"
#include "nn/pass.h"

#include <math.h>
#include <string.h>

enum { TILE = 64, MOST = 1 << 24 };

struct embed_params {
    int64_t symbols, units, pad;
};

#define FIELD(name_) SMR_FIELD(struct embed_params, name_)
static const smr_param table[] = {
    {FIELD(symbols), .def = 256, .min = 1, .max = MOST, .doc = "Symbols: 0 .. symbols - 1."},
    {FIELD(units), .def = 32, .min = 1, .max = 1 << 16, .search = SMR_SEARCH_LOG, .search_min = 4,
     .search_max = 256, .doc = "Numbers of a symbol's vector."},
    {FIELD(pad), .def = -1, .min = -1, .max = MOST,
     .doc = "A symbol that stands for none: 0s, and at a row's end no step."},
};

static smr_status lay(smr_ctx *ctx, const void *params, const smr_nn_lay *lay, smr_nn_layout *out)
{
    const struct embed_params *p = params;
    smr_nn_item in = lay->in[0];
    int64_t size = smr_nn_item_size(in);
    if (p->pad >= p->symbols)
        return smr_fail(ctx, SMR_ERR_PARAM, "pad=%lld is not among the symbols 0 .. %lld",
                        (long long)p->pad, (long long)p->symbols - 1);
    if (in.in_time)
        out->out = (smr_nn_item){in.h, 1, in.w * in.c * p->units, true};
    else
        out->out = (smr_nn_item){size, 1, p->units, size > 1};
    smr_nn_weights *w = smr_nn_layout_drawn(out, "weight", 1, 1);
    w->rank = 2;
    w->dim[0] = p->symbols;
    w->dim[1] = p->units;
    w->decays = false;
    out->window[0] = out->window[1] = out->step[0] = out->step[1] = 1;
    return SMR_OK;
}

/* -1: none. */
static int64_t symbol_of(const struct embed_params *p, double x)
{
    double near = floor(x + 0.5);
    if (!(near >= 0 && near < (double)p->symbols) || near == (double)p->pad) return -1;
    return (int64_t)near;
}

static int64_t count(const void *params, const void *x, double (*get)(const void *x, int64_t i),
                     int64_t n)
{
    while (n > 0 && symbol_of(params, get(x, n - 1)) < 0) n--;
    return n;
}

static int64_t symbols(const void *params)
{
    return ((const struct embed_params *)params)->symbols;
}

#define SMR_REAL_IS_F32
#include "nn/real.inl"

#include "nn/layers/embed.inl"
#undef SMR_REAL_IS_F32
#include "nn/real.inl"

#include "nn/layers/embed.inl"

const smr_layer smr_layer_embed = {
    .word = {.name = "embed",
             .synonyms = "embedding Embedding lookup",
             .family = "layer",
             .title = "Symbols as vectors",
             .brief = "A learned vector for each symbol, 0, 1, 2 ...",
             .objective = "y = E_s",
             .reference = "Bengio, Ducharme, Vincent & Jauvin, JMLR 3, 2003",
             .example = "embed 65 32",
             .params = table,
             .n_params = SMR_COUNT(table),
             .params_size = sizeof(struct embed_params)},
    .lay = lay,
    .code = {&code_f32, &code_f64},
    .count = count,
    .symbols = symbols,
};
