/* whole.h -- all rows of some data in memory, for methods that visit them in any order.
 *
 * Rows that lie in memory as they are needed (sparse rows; a dense block of doubles, floats or
 * bytes), also through a row index, are a view and cost nothing.  Others (columns of a table one by
 * one, rows that stages compute) are copied once: sparse where less than a third of the first rows'
 * entries are not 0, else dense. */
#ifndef SMR_LEARN_LINEAR_WHOLE_H
#define SMR_LEARN_LINEAR_WHOLE_H

#include "data/data.h"

typedef struct smr_whole {
    int64_t n_rows, n_cols;
    bool is_sparse;
    smr_csr sparse;      /* if is_sparse; else                                        */
    smr_dense dense;     /* SMR_F64, SMR_F32 or SMR_U8                                */
    const int64_t *rows; /* n row numbers in them; NULL: 0, 1, 2 ...                  */
    /* owned, where the rows were copied */
    int64_t *start;
    int32_t *column;
    double *value;
} smr_whole;

/* learner: for messages.  Fails, naming row and column, on a value that is not finite. */
smr_status smr_whole_open(smr_ctx *ctx, const char *learner, const smr_data *data, smr_whole *out);
/* Accepts a zeroed one. */
void smr_whole_close(smr_whole *whole);

#endif
