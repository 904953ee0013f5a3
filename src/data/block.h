/* block.h -- numbers that lie in a file as they lie in memory (NPY, IDX), into one block. */
#ifndef SMR_DATA_BLOCK_H
#define SMR_DATA_BLOCK_H

#include "core/view.h"
#include "data/file.h"

/* One number in the file. */
typedef struct smr_element {
    char kind;       /* 'f' float, 'i' signed, 'u' unsigned, 'b' 0 or 1 */
    int size;        /* bytes: f 2, 4, 8; i and u 1, 2, 4, 8; b 1       */
    bool big_endian; /* else little                                     */
} smr_element;

/* What an element is stored as: F64, F32, U8 and I32 stay, all others become F64. */
smr_dtype smr_element_dtype(smr_element element);

/* Reads n elements from byte `at` (where the source is) into one new block of
 * smr_element_dtype(element), and counts the NaN among them.  Plain files are read by all threads,
 * straight into place, after a check that all bytes are there; a stream grows the block as bytes
 * arrive, so that a false header costs no memory.  Fails, naming the bytes that are missing, or
 * that follow the last element. */
smr_status smr_block_read(smr_ctx *ctx, smr_source *source, int64_t at, smr_element element,
                          int64_t n, void **block, int64_t *n_nan);

/* A half-precision number: sign, 5 bits of exponent, 10 of mantissa (IEEE 754). */
double smr_half_value(uint16_t h);

#endif
