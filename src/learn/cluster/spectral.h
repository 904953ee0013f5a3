/* spectral.h -- what the files of spectral share.
 *
 * spectral.c       parameters, state, fit, what is predicted, the descriptor
 * spectral_given.c its settings for a graph that is given
 * spectral_tell.c  inspect, figures
 * near_graph.h     the graph of the rows;  divide_graph.h  its eigenvectors and groups */
#ifndef SMR_LEARN_CLUSTER_SPECTRAL_H
#define SMR_LEARN_CLUSTER_SPECTRAL_H

#include "learn/cluster/cluster_view.h"
#include "learn/cluster/divide_graph.h"
#include "learn/cluster/near_graph.h"

/* A word in place of a number of clusters. */
#define SMR_SPECTRAL_AUTO (-1.0)

struct smr_spectral_params {
    double k; /* or the word */
    int64_t k_most;
    SMR_GRAPH_FIELDS
    int assign;
    int64_t starts;
};

struct smr_spectral_state {
    int64_t n_clusters, n_values, n_parts, n_coordinates;
    double eps, sigma; /* that were used; 0: none                          */
    double n_rows;     /* by weight; 0 in older files: one each            */
    double links;      /* edges of the graph                               */
    double cut, ratio_cut, ncut, min_max_cut;
    double *value;      /* n_values: the smallest eigenvalues               */
    double *size;       /* n_clusters: rows                                 */
    double *part;       /* n_parts: rows; at most SMR_SPECTRAL_PARTS        */
    double *coordinate; /* n_shown x n_coordinates: second vector, third ... */
    smr_sites sites;
    smr_cluster_view view;
    smr_site_search search; /* made by prepare */
};

enum { SMR_SPECTRAL_PARTS = 100 };

/* What settings, "2 laplacian=symmetric", say about dividing a graph that is given; those about the
 * graph of rows are refused. */
smr_status smr_spectral_settings(smr_ctx *ctx, const char *settings, smr_divide_opts *out);

/* The graph of rows that these parameters ask for. */
smr_status smr_spectral_graph(smr_ctx *ctx, const void *params, const smr_data *data,
                              smr_rows_graph *out);
extern const smr_learner smr_spectral;

smr_status smr_spectral_describe(smr_ctx *ctx, const void *params, const void *state,
                                 const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_spectral_draw(smr_ctx *ctx, const void *params, const void *state,
                             const smr_feature *in, int64_t n_in, const char *prefix,
                             smr_json *figures);

#endif
