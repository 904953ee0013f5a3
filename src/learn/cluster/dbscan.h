/* dbscan.h -- what the files of dbscan share.
 *
 * dbscan.c        parameters, state, what is predicted, the descriptor
 * dbscan_fit.c    core rows, the clusters that they make, rows at their edge
 * dbscan_eps.c    how far rows are from their neighbours, and the radius by rule
 * dbscan_tell.c   inspect, figures */
#ifndef SMR_LEARN_CLUSTER_DBSCAN_H
#define SMR_LEARN_CLUSTER_DBSCAN_H

#include "learn/cluster/cluster_view.h"
#include "learn/cluster/sites.h"

struct smr_dbscan_params {
    double eps; /* NaN: by rule */
    double min_rows;
    int metric;
};

struct smr_dbscan_state {
    int64_t n_clusters;
    double eps;
    double n_rows, n_core, n_edge, n_noise; /* weights of rows of each kind         */
    double *size;                           /* n_clusters: weights                  */
    int64_t n_curve; /* distances to the neighbour that makes a row core, ascending */
    double *curve;
    smr_sites sites; /* core rows */
    smr_cluster_view view;
    smr_site_search search; /* made by prepare */
};

/* A fit under way; rows are at the places of the tree. */
struct smr_dbscan_work {
    const struct smr_dbscan_params *p;
    struct smr_dbscan_state *s;
    smr_site_tree tree;
    bool whole;     /* weights are whole numbers: sums are exact in any order */
    uint8_t *core;  /* n, by place */
    int32_t *home;  /* n, by place: cluster, or -1 */
    double *room;   /* for each lane */
    int64_t a_room; /* doubles of it */
};

/* Weight of the row at a place. */
static inline double smr_dbscan_weight(const struct smr_dbscan_work *w, int64_t place)
{
    return w->tree.rows.w ? w->tree.rows.w[w->tree.order[place]] : 1.0;
}

smr_status smr_dbscan_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                          smr_fit_report *report);
/* Fills curve and, where it is to be found, eps. */
smr_status smr_dbscan_curve(smr_ctx *ctx, struct smr_dbscan_work *w);
smr_status smr_dbscan_describe(smr_ctx *ctx, const void *params, const void *state,
                               const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_dbscan_draw(smr_ctx *ctx, const void *params, const void *state,
                           const smr_feature *in, int64_t n_in, const char *prefix,
                           smr_json *figures);

#endif
