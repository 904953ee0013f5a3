/* net_chain.h -- the layers of a network in a sentence: net (conv 6 5 pad=2 | tanh | avgpool 2).
 *
 *     chains   := '(' chain ')' (',' '(' chain ')')* | name of the zoo
 *     chain    := layer ('|' layer)* | nothing
 *     layer    := word value* (key '=' value)*
 *     value    := atom (',' atom)*
 *     atom     := number | word | 'quoted' | "quoted" | chains
 *
 * Values without a key fill the word's table of parameters in its order: conv 6 5 is
 * conv filters=6 size=5.  The empty chain () passes on what comes in.  A chain inside a layer is a
 * branch: residual (conv 8 3 | relu), concat (conv 8 1),(maxpool 3 stride=1 pad=1).
 * Abbreviations (repeat, basic, bottleneck, inception) are replaced by what they mean when they are
 * read, so that the canonical sentence has only layers that compute something. */
#ifndef SMR_NN_NET_CHAIN_H
#define SMR_NN_NET_CHAIN_H

#include "nn/layer.h"

/* A layer with its parameters. */
typedef struct smr_nn_link {
    const smr_layer *layer;
    void *params; /* owned */
} smr_nn_link;

typedef struct smr_nn_chain {
    int64_t n, room;
    smr_nn_link *link;
} smr_nn_chain;

/* The field of a parameter with the grammar smr_nn_chain_grammar. */
typedef struct smr_nn_chains {
    int64_t n;
    smr_nn_chain *chain;
} smr_nn_chains;

extern const smr_grammar smr_nn_chain_grammar;

/* Reads a chain, or the name of one of the zoo, that is no parameter's; *out is empty. */
smr_status smr_nn_chain_read(smr_ctx *ctx, const char *text, smr_nn_chain *out);
void smr_nn_chain_write(const smr_nn_chain *chain, smr_text *out);
void smr_nn_chain_release(smr_nn_chain *chain);

/* ---- the zoo ---- */

/* A published network as a chain, with the items that it was made for. */
typedef struct smr_known_net {
    const char *name;
    const char *title;
    const char *reference;
    smr_nn_item in;
    int64_t n_outputs;
    const char *chain;
} smr_known_net;

const smr_known_net *smr_nn_zoo(int64_t *n);
/* NULL: there is none of that name. */
const smr_known_net *smr_nn_zoo_find(const char *name);

#endif
