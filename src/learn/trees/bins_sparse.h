/* bins_sparse.h -- bins of sparse rows: the cells away from the bin of 0, by row and by column.
 *
 * A cell that a sparse row does not hold is the number 0 (or code 0), so it is in the bin that 0
 * falls into; so is an entry that is 0, or so near to it that it shares the bin.  Only the other
 * cells are kept, as small numbers 1 .. 255: bin b of a feature with zero bin z has cell b + 1
 * below z and cell b above it; cell 0 is the bin of 0.  The cuts are those that smr_bins_build
 * finds in a dense copy of the rows, bit for bit.
 *
 * Cost: a pass to count, one to turn the rows into columns, and one back; 10 bytes per entry that
 * is kept, 13 more while they are made. */
#ifndef SMR_LEARN_TREES_BINS_SPARSE_H
#define SMR_LEARN_TREES_BINS_SPARSE_H

#include "learn/trees/bins.h"

typedef struct smr_sparse_bins {
    smr_bins bins;        /* cuts and kinds, as smr_bins_build makes them; no cells      */
    int32_t *zero;        /* n_features: the bin of 0                                    */
    int64_t *of_column;   /* n_features + 1: entries of a column, its rows ascending     */
    int32_t *row;         /* of these                                                    */
    uint8_t *column_cell; /* of these                                                    */
    int64_t *of_row;      /* n_rows + 1: entries of a row, its columns ascending         */
    int32_t *column;      /* of these                                                    */
    uint8_t *row_cell;    /* of these                                                    */
} smr_sparse_bins;

/* Would it take less memory than a byte for each cell?  That is: are the rows sparse, and do they
 * hold at most one cell in ten?  *count (owned by the caller; NULL where the answer is no): entries
 * of each column that are not 0. */
smr_status smr_sparse_bins_pay(smr_ctx *ctx, const smr_data *data, int64_t **count);
/* count: of smr_sparse_bins_pay. */
smr_status smr_sparse_bins_build(smr_ctx *ctx, const smr_data *data, int64_t max_bins,
                                 const int64_t *count, smr_sparse_bins *out);
void smr_sparse_bins_release(smr_sparse_bins *bins);

/* Calls fn for every entry that is not 0, row by row; gaps are entries. */
typedef void (*smr_entry_fn)(void *arg, int64_t row, int32_t column, double value);
smr_status smr_sparse_each(smr_ctx *ctx, const smr_data *data, smr_entry_fn fn, void *arg);

/* The cell of a row in a column. */
static inline uint8_t smr_sparse_cell(const smr_sparse_bins *b, int64_t row, int32_t column)
{
    int64_t end = b->of_row[row + 1], at = smr_find_column(b->column, b->of_row[row], end, column);
    return at < end && b->column[at] == column ? b->row_cell[at] : 0;
}

#endif
