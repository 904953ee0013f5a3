/* split_groups.h -- splits that keep groups whole; for split.c. */
#ifndef SMR_DATA_SPLIT_GROUPS_H
#define SMR_DATA_SPLIT_GROUPS_H

#include "data/split.h"

/* number[i] = rank of row i's group among the distinct groups, ascending; *n_groups of them. */
smr_status smr_number_groups(smr_ctx *ctx, int64_t n, const int64_t *group, int64_t *number,
                             int64_t *n_groups);

/* part[i] for every row, no group in two parts, no part empty.  fraction: the parts' shares of the
 * rows; NULL: equal.  Fails when there are more parts than groups. */
smr_status smr_assign_groups(smr_ctx *ctx, const smr_split_rows *of, const double *fraction,
                             int64_t n_parts, int64_t *part);

#endif
