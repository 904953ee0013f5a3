/* gram.h -- weighted means and the centred Gram matrix of all columns, in one pass over the rows.
 *
 * Rows come a block at a time from their owner (smr_row_source), so no matrix is ever copied.
 * With z a row of features and outputs, m = d + q columns:
 *
 *     W = sum w,   mean = sum w z / W,   G = sum w (z - mean)(z - mean)'                        (1)
 *
 * Columns are shifted by the mean of a sample of rows and scaled by a power of two before they
 * are multiplied, so (1) loses no digits to large offsets and does not overflow; what is left of
 * the mean is subtracted from G at the end, and if that would cancel more than two digits (the
 * sample was unlike the rest) the pass is repeated with the mean itself. Cost: n m^2
 * multiply-adds; memory about 6 m^2 numbers a lane, at least 8 m^2. */
#ifndef SMR_MATH_GRAM_H
#define SMR_MATH_GRAM_H

#include "core/parallel.h"
#include "kernel/kernel.h"

enum { SMR_ROWS_BLOCK = 256 };

/* Gives rows [lo, hi), at most SMR_ROWS_BLOCK, as doubles: row r begins at x + r * stride.  The
 * rows stay valid until the next call for the same lane.  Calls for different lanes may run at
 * once. */
typedef smr_status (*smr_rows_fn)(smr_ctx *ctx, void *arg, int lane, int64_t lo, int64_t hi,
                                  const double **x, int64_t *stride);

typedef struct smr_row_source {
    int64_t n_rows, n_cols, n_outputs;
    const double *y;      /* n_rows x n_outputs, row-major; may be NULL without outputs */
    const double *weight; /* n_rows, >= 0; NULL: all 1                                  */
    smr_rows_fn rows;
    /* Fails, saying which value is missing or not finite, in the words of the rows' owner; called
     * when a sum turns out not to be finite.  May be NULL. */
    smr_status (*explain)(smr_ctx *ctx, void *arg);
    void *arg;
} smr_row_source;

/* How a pass over the rows is cut and how its columns are shifted and scaled: a function of the
 * data alone.  Chunk c is rows [c * chunk, ..), a whole number of blocks. */
typedef struct smr_row_frame {
    int64_t m; /* n_cols + n_outputs */
    int64_t chunk, n_chunks;
    double *shift; /* m; 0 without centring */
    double *scale; /* m, powers of two      */
    double weight; /* W                     */
} smr_row_frame;

smr_status smr_row_frame_create(smr_ctx *ctx, const smr_row_source *rows, bool centre,
                                smr_row_frame *out);
void smr_row_frame_release(smr_row_frame *frame);
typedef struct smr_row_block {
    double *Z;      /* SMR_ROWS_BLOCK x (m + 1), the caller's                           */
    double *root;   /* SMR_ROWS_BLOCK, the caller's                                     */
    smr_ahead next; /* where the rows after the block are, if they lie after it         */
} smr_row_block;

/* Rows [lo, hi), at most SMR_ROWS_BLOCK, into the block: shifted, scaled, times the root of their
 * weight, with the outputs and that root after them. */
smr_status smr_row_frame_load(smr_ctx *ctx, const smr_row_source *rows, const smr_row_frame *frame,
                              int lane, int64_t lo, int64_t hi, smr_row_block *block);

typedef struct smr_gram {
    int64_t m;
    double weight; /* W                                                                  */
    double *mean;  /* m; 0 without centring                                              */
    double *scale; /* m, powers of two: G is of the columns times these                  */
    double *gram;  /* m x m, symmetric                                                   */
    double *raw;   /* m: root of sum w (scale z)^2, the columns' length before centring  */
} smr_gram;

/* centre = false: mean = 0 in (1).  Fails with SMR_ERR_DATA when all weights are 0, or when a
 * value is not finite (naming its row and column). */
smr_status smr_gram_compute(smr_ctx *ctx, const smr_row_source *rows, bool centre, smr_gram *out);
void smr_gram_release(smr_gram *m);

/* Fails, naming the first value that is not finite (explain, if there is one); SMR_OK if there is
 * none. */
smr_status smr_rows_check_finite(smr_ctx *ctx, const smr_row_source *rows);

#endif
