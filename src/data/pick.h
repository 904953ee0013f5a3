/* pick.h -- columns by what people write: a name, a position, `last`, #3, #-1, lists of those. */
#ifndef SMR_DATA_PICK_H
#define SMR_DATA_PICK_H

#include "data/table.h"

/* Position of the column that `text` means.  A name wins over a position; "#3" and "#-1" force a
 * position; positions count from 0.  Fails with the nearest name. */
smr_status smr_pick_column(smr_ctx *ctx, const smr_table *table, const char *text, int64_t *col);

/* Fails: SOURCE has no column TEXT; names the nearest of the n names. */
smr_status smr_no_such_column(smr_ctx *ctx, const char *source, const char *const *names, int64_t n,
                              const char *text);

/* Several, separated by commas (a comma inside a name needs quotes "..."): cols is allocated. */
smr_status smr_pick_columns(smr_ctx *ctx, const smr_table *table, const char *text, int64_t **cols,
                            int64_t *n);

#endif
