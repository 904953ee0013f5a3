/* graph_divide.h -- graphs that are given: divided, and what divisions cut. */
#ifndef SMR_STUDY_GRAPH_DIVIDE_H
#define SMR_STUDY_GRAPH_DIVIDE_H

#include "core/json.h"
#include "study/links.h"

/* Divides the graph by settings "2 laplacian=symmetric" of the learner that divides graphs of rows;
 * those about rows are refused.  Adds nodes, edges, parts, eigenvalues, cuts, clusters, labels
 * ([{node, cluster}]) and figures; label (NULL: not wanted): that of each node. */
smr_status smr_graph_tell_division(smr_ctx *ctx, const smr_links *links, const char *settings,
                                   int32_t *label, smr_json *into);
/* Adds nodes and edges, and what the groups label[i] of the nodes cut, whose names are given. */
smr_status smr_graph_tell_cuts(smr_ctx *ctx, const smr_links *links, const smr_strings *groups,
                               const int32_t *label, smr_json *into);
/* The same of the groups of a file of labels (data/edges.h). */
smr_status smr_graph_tell_file_cuts(smr_ctx *ctx, const smr_links *links, const char *labels,
                                    smr_json *into);
/* Adds nodes, edges and the sizes of the first parts. */
smr_status smr_graph_tell_parts(smr_ctx *ctx, const smr_links *links, smr_json *into);

#endif
