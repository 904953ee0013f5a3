/* softkmeans.h -- what the files of softkmeans share.
 *
 * softkmeans.c      parameters, state, what is predicted, the descriptor
 * softkmeans_fit.c  iterations, annealing
 * softkmeans_tell.c inspect, figures, the trace */
#ifndef SMR_LEARN_CLUSTER_SOFTKMEANS_H
#define SMR_LEARN_CLUSTER_SOFTKMEANS_H

#include "kernel/chain_kernels.h"
#include "learn/cluster/kmeans.h"

enum { SMR_SOFT_BLOCK = 256 }; /* rows at a time */

struct smr_soft_params {
    int64_t k;
    double beta;
    int start;
    double anneal, tol;
    int64_t max_iter;
};

struct smr_soft_state {
    int64_t n_features, n_clusters;
    double beta, weight, energy;
    double *centre; /* n_clusters x n_features                         */
    double *share;  /* n_clusters: memberships of all rows, by weight  */
    int64_t n_curve;
    double *curve; /* n_curve: energy at the start of the last stage, and after each iteration */
    int64_t n_stages;
    double *stage_beta, *stage_energy; /* n_stages: how it went on the way to beta */
    int64_t x_feature, y_feature;      /* as in smr_kmeans_state                   */
    int64_t n_sample, n_plane;
    double *sample;
    int64_t *sample_label;
    struct smr_soft_tables *tables; /* built by prepare */
};

/* Centres as lanes. */
struct smr_soft_tables {
    int64_t k, d, width;
    double beta;
    double *mean, *scale, *peak; /* d x width, d x width, width */
    smr_normals normals;
};

smr_status smr_soft_tables_create(smr_ctx *ctx, int64_t k, int64_t d, struct smr_soft_tables **out);
void smr_soft_tables_free(struct smr_soft_tables *t); /* accepts NULL */
void smr_soft_tables_fill(struct smr_soft_tables *t, double beta, const double *centre);

/* A fit under way: rows and hard labels are those of k-means. */
struct smr_soft_fit {
    const struct smr_soft_params *p;
    struct smr_kmeans_params hard;
    struct smr_km_work w;
    smr_fit_report *report, quiet; /* quiet: of k-means, which starts it */
    struct smr_soft_tables *tables;
    struct smr_soft_room *rooms; /* of each lane */
    double *sums;                /* n_tasks x n_sums */
    int64_t n_tasks, n_sums, n_lanes;
    double variance; /* of all columns together */
    double energy;
};

smr_status smr_soft_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                        smr_fit_report *report);
smr_status smr_soft_describe(smr_ctx *ctx, const void *params, const void *state,
                             const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_soft_draw(smr_ctx *ctx, const void *params, const void *state, const smr_feature *in,
                         int64_t n_in, const char *prefix, smr_json *figures);
/* One iteration, to who watches the fit. */
smr_status smr_soft_watch(smr_ctx *ctx, const struct smr_soft_fit *f, double beta,
                          int64_t iteration);

#endif
