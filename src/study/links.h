/* links.h -- graphs with named nodes: of lists of edges, of arrays, of the rows of a table. */
#ifndef SMR_STUDY_LINKS_H
#define SMR_STUDY_LINKS_H

#include "core/text.h"
#include "data/vocab.h"
#include "learn/model.h"
#include "math/graph.h"

struct smr_links {
    smr_vocab names; /* of the nodes; of rows their numbers in the table, from 0 */
    smr_graph graph;
    double eps, sigma; /* of rows: that were used; 0: none */
};

/* Of a file, or n bytes of text (name: for messages), as data/edges.h reads them; loops and edges
 * that come again are told. */
smr_status smr_links_from_file(smr_ctx *ctx, const char *path, smr_links *out);
smr_status smr_links_from_text(smr_ctx *ctx, const char *name, const char *bytes, int64_t n,
                               smr_links *out);
/* Of edges between nodes 0 .. n - 1, whose names are these numbers; weight NULL: all 1. */
smr_status smr_links_from_edges(smr_ctx *ctx, int64_t n, int64_t m, const int64_t *a,
                                const int64_t *b, const double *weight, smr_links *out);
/* Of the rows of a table, by the graph of a sentence that ends in the learner that divides such
 * graphs: "standardize | spectral neighbors=5"; NULL: that learner alone.
 * label (NULL: not wanted), one for each node, and the names of `classes`: of the target among
 * opts. */
smr_status smr_links_from_rows(smr_ctx *ctx, const smr_table *table, const char *sentence,
                               const smr_set_opts *opts, smr_links *out, int32_t **label,
                               smr_strings *classes);
void smr_links_release(smr_links *links);

/* Adds "from,to,weight", and a line for each edge; a node without any has one to itself. */
void smr_links_write(const smr_links *links, smr_text *out);
/* Names nodes by these numbers; NULL: from 0. */
smr_status smr_links_name(smr_ctx *ctx, const int64_t *number, smr_links *links);

#endif
