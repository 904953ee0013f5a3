/* net_graph.h -- a chain laid out over items of a shape: what each layer gets, gives and costs. */
#ifndef SMR_NN_NET_GRAPH_H
#define SMR_NN_NET_GRAPH_H

#include "nn/net_chain.h"

enum { SMR_NET_INPUT = -1 };

typedef struct smr_nn_node {
    const smr_layer *layer;
    const void *params; /* the chain's: it must live as long */
    int64_t n_from;
    int64_t *from; /* owned; nodes before it, or SMR_NET_INPUT */
    int64_t depth; /* chains that it lies in, from 0 */
    char *name;    /* owned; "conv2", unique in the net */
    char *address; /* owned; where it stands in the sentence: "4.1.2" is layer 2 of branch 1 of 4 */
    smr_nn_layout layout;
    /* The part of the net's input that one output is made of, height and width; and how far apart
     * those of neighbouring outputs are.  0: all of it. */
    int64_t field[2], jump[2];
} smr_nn_node;

typedef struct smr_nn_graph {
    smr_nn_item in;
    int64_t n_outputs;
    int64_t n, room;
    smr_nn_node *node; /* in the order in which they are computed; the last gives the answer */
    void *implied;     /* owned; parameters of an out that the chain does not name; NULL     */
} smr_nn_graph;

/* Where the chain has no layer out at its end, and wants_out, one is added. *out is {0}. */
smr_status smr_nn_graph_build(smr_ctx *ctx, const smr_nn_chain *chain, smr_nn_item in,
                              int64_t n_outputs, bool wants_out, smr_nn_graph *out);
void smr_nn_graph_release(smr_nn_graph *graph);

/* Sums over the net: weights that are learned; multiply-adds and numbers that a row needs, with
 * those of the input, where activations are computed in place. */
typedef struct smr_nn_graph_sums {
    int64_t weights, statistics, activations;
    double products;
} smr_nn_graph_sums;

/* Of items in time: is each step answered from it and from what layers carry along, so that a
 * sequence may be cut anywhere? */
bool smr_nn_graph_carries(const smr_nn_graph *graph);

smr_nn_graph_sums smr_nn_graph_sum(const smr_nn_graph *graph);
/* Learned weights of one node. */
int64_t smr_nn_node_weights(const smr_nn_node *node);

#endif
