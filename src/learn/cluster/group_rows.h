/* group_rows.h -- k-means of the rows of a small matrix in memory: for embeddings. */
#ifndef SMR_LEARN_CLUSTER_GROUP_ROWS_H
#define SMR_LEARN_CLUSTER_GROUP_ROWS_H

#include "core/ctx.h"

/* label[i], from 0 to k - 1, of n rows of d numbers with weights (NULL: all 1): of `starts` runs of Lloyd's iterations from
 * rows drawn by k-means++, the one with the least sum of squared distances (*squares; NULL: not
 * wanted).  No cluster is empty where k rows are distinct. */
smr_status smr_group_rows(smr_ctx *ctx, int64_t n, int64_t d, const double *x, const double *w,
                          int64_t k, int64_t starts, int32_t *label, double *squares);

#endif
