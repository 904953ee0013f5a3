/* layer.h -- the contract of the layers of a network.
 *
 * A layer is a word of a chain ("conv 6 5 pad=2") with parameters, and a rule: from the shapes of
 * the items that come in to the shape that goes out, the weights that it learns, and what a row
 * costs.  Everything that is said of a network before it is trained comes from these rules: shapes,
 * parameters, multiply-adds, memory, receptive fields.
 *
 * Items are height x width x channels, channels last; a vector is 1 x 1 x c.  A sequence is an item
 * in time, of as many steps as it is high: layers that do not mix steps treat each step as a row.
 * In a row some of the last steps may not count (smr_nn_pass.steps). */
#ifndef SMR_NN_LAYER_H
#define SMR_NN_LAYER_H

#include "core/params.h"

struct smr_nn_chain;
struct smr_nn_code;

/* The shape of one item. */
typedef struct smr_nn_item {
    int64_t h, w, c;
    bool in_time;
} smr_nn_item;

static inline int64_t smr_nn_item_size(smr_nn_item item)
{
    return item.h * item.w * item.c;
}

/* Rows for layers that do not mix steps, and the numbers of each. */
static inline int64_t smr_nn_steps(smr_nn_item item)
{
    return item.in_time ? item.h : 1;
}

static inline int64_t smr_nn_step_size(smr_nn_item item)
{
    return item.in_time ? item.w * item.c : smr_nn_item_size(item);
}

/* How weights begin. */
typedef enum smr_begin_as {
    SMR_BEGIN_DRAWN, /* as the net's parameter init says, from fan_in and fan_out */
    SMR_BEGIN_ZERO,
    SMR_BEGIN_ONE,
    SMR_BEGIN_TURN /* square blocks, each orthogonal, unless init says zero or fan_in */
} smr_begin_as;

/* A tensor of weights.  Filters are (out, in, height, width), as others order them in files. */
typedef struct smr_nn_weights {
    const char *name;
    int64_t rank, dim[4];
    smr_begin_as begin;
    int64_t fan_in, fan_out;
    bool counted; /* it is learned; else it is a statistic of the training rows */
    bool decays;  /* penalties on weights apply to it                           */
    /* begin = ZERO: of these, lo .. hi - 1, each begins at `value`. */
    int64_t lo, hi;
    double value;
} smr_nn_weights;

enum { SMR_LAYER_WEIGHTS = 12 };

/* What comes in, and what the net is to answer. */
typedef struct smr_nn_lay {
    int64_t n;
    const smr_nn_item *in;
    int64_t n_outputs; /* numbers that the last layer, out, gives */
} smr_nn_lay;

/* What a layer is between such items. */
typedef struct smr_nn_layout {
    smr_nn_item out;
    int64_t n_weights;
    smr_nn_weights weights[SMR_LAYER_WEIGHTS];
    double products; /* multiply-adds for a row */
    /* An output is made of window x window inputs, of places `step` apart; 0: of all of them. */
    int64_t window[2], step[2];
    bool in_place; /* it needs no memory of its own: it may overwrite what comes in */
} smr_nn_layout;

/* Bits of smr_layer.traits. */
enum {
    SMR_LAYER_IS_JOIN = 1,     /* made of chains side by side: takes what they give         */
    SMR_LAYER_IS_OUT = 2,      /* gives the answers; only at the end                        */
    SMR_LAYER_IS_SHORT = 4,    /* an abbreviation: it is replaced by the chain that it means */
    SMR_LAYER_IS_SMOOTH = 8,   /* an activation: element by element                         */
    SMR_LAYER_MIXES_ROWS = 16, /* in training an answer depends on the other rows of the batch */
    SMR_LAYER_DRAWS = 32,      /* training draws random numbers in it */
    SMR_LAYER_LOOKS_BACK = 64  /* a step is answered from it and what came before: see carries */
};

typedef struct smr_layer {
    smr_word word;
    unsigned traits;
    /* A mistake is told without the layer's name, which the caller puts before it. */
    smr_status (*lay)(smr_ctx *ctx, const void *params, const smr_nn_lay *in, smr_nn_layout *out);
    /* Joins: chain number i that it is made of; NULL: there are no more. */
    const struct smr_nn_chain *(*part)(const void *params, int64_t i);
    /* How it computes, in floats and in doubles (nn/pass.h). */
    const struct smr_nn_code *code[2];
    /* Layers that see symbols: how many of the n numbers of a row are steps; the others, at its
     * end, stand for none.  get: number i.  NULL: all. */
    int64_t (*count)(const void *params, const void *x, double (*get)(const void *x, int64_t i),
                     int64_t n);
    /* And how many symbols there are, 0, 1, 2 ...; rows that are trained on have no others but -1.
     * NULL: it sees numbers. */
    int64_t (*symbols)(const void *params);
    /* Of layers that look back: do they carry all that they need from step to step, so that a
     * sequence may be cut anywhere (smr_nn_pass.state)? */
    bool (*carries)(const void *params);
    /* Abbreviations: appends the chain that it means. */
    smr_status (*expand)(const void *params, smr_text *out);
} smr_layer;

/* All layers, sorted by name. */
const smr_layer *const *smr_layers(int64_t *n);
/* NULL: there is none of that name. */
const smr_layer *smr_layer_find(const char *name);

/* "28 x 28 x 6", "784", "784 in time". */
void smr_nn_item_write(smr_nn_item item, smr_text *out);

/* Its numbers. */
int64_t smr_nn_weights_size(const smr_nn_weights *weights);
/* A tensor that is drawn, and one that begins at a number. */
smr_nn_weights *smr_nn_layout_drawn(smr_nn_layout *layout, const char *name, int64_t fan_in,
                                    int64_t fan_out);
smr_nn_weights *smr_nn_layout_plain(smr_nn_layout *layout, const char *name, int64_t n,
                                    smr_begin_as begin, bool counted);

#endif
