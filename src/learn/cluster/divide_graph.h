/* divide_graph.h -- the nodes of a graph in groups with few links between them, by eigenvectors. */
#ifndef SMR_LEARN_CLUSTER_DIVIDE_GRAPH_H
#define SMR_LEARN_CLUSTER_DIVIDE_GRAPH_H

#include "math/graph.h"

enum { SMR_DIVIDE_KMEANS = 0, SMR_DIVIDE_SIGN };

typedef struct smr_divide_opts {
    int64_t k, k_most; /* k 0: from 2 to k_most, by the widest gap between eigenvalues */
    smr_laplacian laplacian;
    int assign;
    int64_t starts;
    const int32_t *number; /* of each node, by which groups are numbered; NULL: its own */
} smr_divide_opts;

typedef struct smr_division {
    int64_t k, n_parts;
    double *part_size; /* n_parts: nodes, by their mass                                       */
    int32_t *label;    /* n; -1: the graph has more than k parts, and this node's is not among the k
                       largest */
    int64_t n_left;    /* nodes with -1 */
    smr_graph_vectors spectrum;
} smr_division;

smr_status smr_divide_graph(smr_ctx *ctx, const smr_graph *g, const smr_divide_opts *opts,
                            smr_division *out);
void smr_division_release(smr_division *d);
/* Warns of a graph in several parts. */
void smr_division_warn(smr_ctx *ctx, const char *who, const smr_division *d);
/* Numbers labels by the lowest number that has them; returns how many there are.  -1 stays. */
int64_t smr_renumber(smr_ctx *ctx, int64_t n, const int32_t *number, int32_t *label);

#endif
