/* near_links.h -- parts of near_graph.c: links to the nearest rows, and to those within a radius.
 */
#ifndef SMR_LEARN_CLUSTER_NEAR_LINKS_H
#define SMR_LEARN_CLUSTER_NEAR_LINKS_H

#include "learn/cluster/near_graph.h"

/* What the copies of a row weigh that it has beside itself. */
static inline double smr_near_beside(const double *weight, int64_t i)
{
    return weight ? smr_fmax(0, weight[i] - 1) : 0;
}

/* The mean distance to the neighbour that log n + 1, rounded up, of weight need. */
smr_status smr_near_width(smr_ctx *ctx, const smr_site_search *search, const double *weight,
                          double *width);
/* How far apart the nearest two rows are. */
smr_status smr_near_least(smr_ctx *ctx, const smr_site_search *search, double *least);
/* Links without the weights of rows; widths are known. */
smr_status smr_link_nearest(smr_ctx *ctx, const smr_site_search *search, const smr_graph_opts *opts,
                            smr_graph *out);
smr_status smr_link_within(smr_ctx *ctx, const smr_site_search *search, const smr_graph_opts *opts,
                           smr_graph *out);

#endif
