/* keep.h -- rows that are computed once and kept, for code that passes over them many times. */
#ifndef SMR_DATA_KEEP_H
#define SMR_DATA_KEEP_H

#include "data/data.h"

typedef struct smr_keep {
    /* Sparse rows. */
    smr_csr rows; /* over the arrays below */
    int64_t *start;
    int32_t *column;
    double *value;
    /* Dense ones: numbers in one row-major block of the form, categories and texts as codes, one
     * array per column. */
    void *block;
    int32_t *codes;
    smr_feature *features; /* names are those of the data */
} smr_keep;

/* Reads all rows of `data` in that form, in parallel; `data` has them in memory from then on, in
 * its own order, and depends on nothing else.  Where they already are in memory in that form,
 * nothing is done.  Bytes may be asked for where the data's natural form is bytes and there are no
 * categories.
 *
 * must: a budget that does not hold them is an error; else the data then stay as they are.
 * Cost: the rows; for sparse ones 12 bytes per entry, twice that while it runs. */
smr_status smr_data_keep(smr_ctx *ctx, smr_data *data, smr_form form, bool must, smr_keep *keep);
/* The same also where they lie in memory already: the copy is the caller's to change. */
smr_status smr_data_copy(smr_ctx *ctx, smr_data *data, smr_form form, bool must, smr_keep *keep);
/* Accepts a zeroed one. */
void smr_keep_release(smr_keep *keep);

#endif
