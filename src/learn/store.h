/* store.h -- sparse rows that a stage gives, computed once: what is fitted behind it reads them
 * from memory, as often as it likes. */
#ifndef SMR_LEARN_STORE_H
#define SMR_LEARN_STORE_H

#include "data/data.h"

typedef struct smr_store {
    smr_csr rows; /* over the arrays below */
    int64_t *start;
    int32_t *column;
    double *value;
} smr_store;

/* Computes all rows of `data`, which a stage gives as sparse ones, in parallel; `data` reads them
 * from the store then, and from nothing else.  Cost: 12 bytes an entry, twice while it runs. */
smr_status smr_store_rows(smr_ctx *ctx, smr_data *data, smr_store *store);
/* Accepts a zeroed one. */
void smr_store_release(smr_store *store);

#endif
