/* by_column.h -- a copy of the features column by column, for methods that visit them in that
 * order.
 *
 * Sparse rows give sparse columns: one more copy of the entries.  Others give dense columns. */
#ifndef SMR_DATA_BY_COLUMN_H
#define SMR_DATA_BY_COLUMN_H

#include "data/data.h"
#include "math/optimize/coordinate.h"

typedef struct smr_by_column {
    smr_columns X; /* mean and unit are the caller's to set */
    /* owned */
    double *dense, *value;
    int64_t *start;
    int32_t *row;
} smr_by_column;

/* Row i is taken times factor[i] (NULL: 1); rows of factor 0 have no entries in sparse columns.
 * way_out: what to do if memory is short, for the message. */
smr_status smr_by_column_open(smr_ctx *ctx, const smr_data *data, const double *factor,
                              const char *way_out, smr_by_column *out);
/* Accepts a zeroed one. */
void smr_by_column_close(smr_by_column *c);

#endif
