/* libsvm.h -- what the text of a LIBSVM file becomes; private to the reader. */
#ifndef SMR_DATA_LIBSVM_H
#define SMR_DATA_LIBSVM_H

#include "data/file.h"

typedef struct smr_libsvm_rows {
    int64_t n_rows, n_entries;
    int64_t n_cols;  /* the largest index                                              */
    int64_t n_lines; /* newlines in the text                                           */
    double *label;   /* n_rows */
    double *qid;     /* n_rows, NaN where there is none; NULL when no row has one      */
    int64_t *start;  /* n_rows + 1 */
    int32_t *column; /* n_entries */
    double *value;   /* n_entries */
} smr_libsvm_rows;

/* Parses `size` bytes of whole lines, which lie in memory (text) or in a file that can be read from
 * any place (source; text is NULL).  `name` and `first_line` are for messages.  On failure *out is
 * empty. */
smr_status smr_libsvm_parse(smr_ctx *ctx, smr_source *source, const char *text, int64_t size,
                            const char *name, int64_t first_line, smr_libsvm_rows *out);
void smr_libsvm_release(smr_libsvm_rows *rows);

/* Hands *values (n_rows of the table) over to column j. */
smr_status smr_libsvm_give_column(smr_ctx *ctx, smr_table *table, int64_t j, const char *name,
                                  double **values);

#endif
