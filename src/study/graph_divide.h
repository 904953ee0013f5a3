/* graph_divide.h -- graphs that are given as lists of edges: divided, and what divisions cut. */
#ifndef SMR_STUDY_GRAPH_DIVIDE_H
#define SMR_STUDY_GRAPH_DIVIDE_H

#include "core/json.h"

/* Divides the graph of a list of edges (data/edges.h) by settings "2 laplacian=symmetric" of the
 * learner that divides graphs of rows; those about rows are refused.  Adds nodes, edges, parts,
 * eigenvalues, cuts, clusters, labels ([{node, cluster}]) and figures. */
smr_status smr_graph_tell_division(smr_ctx *ctx, const char *edges, const char *settings,
                                   smr_json *into);
/* What the groups of a file of labels cut. */
smr_status smr_graph_tell_cuts(smr_ctx *ctx, const char *edges, const char *labels, smr_json *into);

#endif
