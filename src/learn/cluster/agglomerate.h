/* agglomerate.h -- what the files of agglomerate share.
 *
 * agglomerate.c        parameters, state, fit, what is predicted, the descriptor
 * agglomerate_tell.c   inspect, the dendrogram
 * linkage.h            the merges */
#ifndef SMR_LEARN_CLUSTER_AGGLOMERATE_H
#define SMR_LEARN_CLUSTER_AGGLOMERATE_H

#include "learn/cluster/cluster_view.h"
#include "learn/cluster/linkage.h"

/* A word in place of a number of clusters. */
#define SMR_AGGLOMERATE_AUTO (-1.0)

struct smr_agglomerate_params {
    double k;      /* or the word */
    double height; /* NaN: by k */
    int linkage, metric;
};

struct smr_agglomerate_state {
    int64_t n_clusters, n_merges;
    double cut;            /* the height between what was merged and what was not */
    int32_t *left, *right; /* n_merges: clusters 0 .. n_merges are the rows, then the merges */
    double *height, *weight;
    double *size; /* n_clusters: weights */
    smr_sites sites;
    smr_cluster_view view;
    smr_site_search search; /* made by prepare */
};

/* Tells the merges of rows (not yet in the order of a tree); trace NULL: to nobody. */
smr_status smr_agglomerate_watch(smr_ctx *ctx, const struct smr_agglomerate_state *state,
                                 const smr_site_rows *rows, smr_trace *trace);
smr_status smr_agglomerate_describe(smr_ctx *ctx, const void *params, const void *state,
                                    const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_agglomerate_draw(smr_ctx *ctx, const void *params, const void *state,
                                const smr_feature *in, int64_t n_in, const char *prefix,
                                smr_json *figures);

#endif
