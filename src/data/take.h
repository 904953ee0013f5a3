/* take.h -- some rows of a table as a table of its own. */
#ifndef SMR_DATA_TAKE_H
#define SMR_DATA_TAKE_H

#include "data/table.h"

/* The given rows, in that order, copied; columns keep names, kinds and all levels. */
smr_status smr_table_take(smr_ctx *ctx, const smr_table *table, const int64_t *rows, int64_t n,
                          smr_table **out);

#endif
