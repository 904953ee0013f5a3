/* apart.h -- a table whose columns lie in memory one after the other, for work that goes through
 * them column by column: of columns that lie row by row, each pass would fetch all of them. */
#ifndef SMR_DATA_APART_H
#define SMR_DATA_APART_H

#include "data/table.h"

typedef struct smr_apart {
    smr_table table; /* everything but the copied values is the other table's */
    smr_column *cols;
    double *values;
} smr_apart;

/* Copies the doubles that lie row by row, where they take no more than SMR_APART_BYTES; other
 * columns stay as they are.  `table` must outlive it. */
enum { SMR_APART_BYTES = 1 << 30 };
smr_status smr_apart_open(smr_ctx *ctx, const smr_table *table, smr_apart *out);
void smr_apart_close(smr_apart *apart);

#endif
