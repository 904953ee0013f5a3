/* edges.h -- lists of edges: text with two names of nodes to a line, and a weight.
 *
 *     # remarks begin with # or %
 *     0 1 4
 *     0,2,5          names and weight apart by blanks, tabs, commas or semicolons
 *
 * The first line may name the columns: from to, source target, src dst, node1 node2, or any with a
 * third called weight.  Names are any words; they are numbered as they come.  Weights are above 0;
 * without one it is 1. */
#ifndef SMR_DATA_EDGES_H
#define SMR_DATA_EDGES_H

#include "data/vocab.h"

typedef struct smr_edges {
    smr_vocab nodes;
    int64_t n;
    int32_t *a, *b;
    double *weight;
} smr_edges;

smr_status smr_edges_read(smr_ctx *ctx, const char *path, smr_edges *out);
/* Of n bytes of text; name: for messages. */
smr_status smr_edges_parse(smr_ctx *ctx, const char *name, const char *bytes, int64_t n,
                           smr_edges *out);
void smr_edges_release(smr_edges *e);

/* The group of every node, from such lines with a node and its group ("node" begins a header);
 * groups are numbered as their nodes are.  A node that is none of these, one that comes twice and
 * one that is missing are refused by name. */
smr_status smr_edges_read_labels(smr_ctx *ctx, const char *path, const smr_vocab *nodes,
                                 smr_vocab *groups, int32_t *label);
smr_status smr_edges_parse_labels(smr_ctx *ctx, const char *name, const char *bytes, int64_t n,
                                  const smr_vocab *nodes, smr_vocab *groups, int32_t *label);

#endif
