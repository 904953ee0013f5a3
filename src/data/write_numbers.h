/* write_numbers.h -- tables of numbers as arrays in files, rows outermost: NPY and IDX.
 *
 * Columns of one dtype keep it, else all become doubles.  A category whose levels are all numbers
 * ("0", "1", ...) is written as them; other strings and dates have no place in an array of numbers
 * and are refused. */
#ifndef SMR_DATA_WRITE_NUMBERS_H
#define SMR_DATA_WRITE_NUMBERS_H

#include "data/formats.h"

typedef struct smr_numbers {
    const smr_table *table;
    smr_dtype dtype;
    bool big_endian;
    double **level; /* of each column: what its levels are as numbers; NULL for a number column */
} smr_numbers;

/* format: "NPY", for messages.  Closing accepts what failed to open. */
smr_status smr_numbers_open(smr_ctx *ctx, const smr_table *table, const char *format,
                            bool big_endian, smr_numbers *out);
void smr_numbers_close(smr_numbers *w);
/* All rows, one after another. */
smr_status smr_numbers_write(smr_ctx *ctx, const smr_numbers *w, smr_sink *sink);

/* The sizes of the array: rows, then those of an item where the columns are one item, else the
 * columns where there are several; how many sizes. */
int smr_numbers_shape(const smr_table *table, int64_t out[5]);

#endif
