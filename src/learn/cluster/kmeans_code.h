/* kmeans_code.h -- the clusters of rows that are given in memory, for who makes a code of them. */
#ifndef SMR_LEARN_CLUSTER_KMEANS_CODE_H
#define SMR_LEARN_CLUSTER_KMEANS_CODE_H

#include "data/table.h"

/* What became of it. */
typedef struct smr_code_fit {
    int64_t n_iter;
    bool converged;
} smr_code_fit;

/* label[i] = the cluster, below k, of row i of a table of numbers without gaps; weight: the name of
 * its column of weights, or NULL.  settings: those of kmeans besides k, "starts=10 moves=5", or
 * NULL. */
smr_status smr_kmeans_code(smr_ctx *ctx, const smr_table *rows, const char *weight, int64_t k,
                           const char *settings, int32_t *label, smr_code_fit *fit);

#endif
