/* array.h -- what array files (NPY, IDX) share: a shape, and numbers that become a table.
 *
 * One dimension is one column; two are rows and columns; where there are more, the first counts the
 * rows and the others are the shape of an item, whose numbers become columns in C order.  The
 * numbers stay where they were read to: in C order a column is every n_cols-th of them, in Fortran
 * order n_rows neighbours. */
#ifndef SMR_DATA_ARRAY_H
#define SMR_DATA_ARRAY_H

#include "data/block.h"
#include "data/table.h"

enum { SMR_ARRAY_DIMS = 32 };

/* What a file's header says. */
typedef struct smr_file_array {
    const char *format; /* "npy", "idx"                                              */
    smr_element element;
    bool has_order; /* the format lets a file choose its orders: the notes say which  */
    bool fortran;   /* rows innermost                                                 */
    int n_dims;
    int64_t shape[SMR_ARRAY_DIMS];
    int64_t begin; /* the place of the first number                                  */
} smr_file_array;

/* Exactly n bytes of a header; a source that ends before them is truncated. */
smr_status smr_array_header(smr_ctx *ctx, smr_source *source, const char *format, void *to,
                            int64_t n);
/* The table, from a source that is at the first number. */
smr_status smr_array_read(smr_ctx *ctx, smr_source *source, const smr_file_array *array,
                          smr_table **out);

#endif
