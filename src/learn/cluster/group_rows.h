/* group_rows.h -- k-means of the rows of a small matrix in memory: for embeddings.
 *
 * To the end, by threads, from several starts, with no cluster empty: math/centres.h makes one
 * start and a fixed number of rounds for other methods, kmeans works on tables of any size. */
#ifndef SMR_LEARN_CLUSTER_GROUP_ROWS_H
#define SMR_LEARN_CLUSTER_GROUP_ROWS_H

#include "core/ctx.h"

/* n rows of d numbers, with weights (NULL: all 1), to be grouped into k by `starts` runs. */
typedef struct smr_grouping {
    int64_t n, d;
    const double *x, *w;
    int64_t k, starts;
} smr_grouping;

/* label[i], from 0 to k - 1, of each row: of the runs of Lloyd's iterations from rows drawn by
 * k-means++, the one with the least sum of squared distances (*squares; NULL: not wanted).  No
 * cluster is empty where k rows are distinct. */
smr_status smr_group_rows(smr_ctx *ctx, const smr_grouping *of, int32_t *label, double *squares);

#endif
