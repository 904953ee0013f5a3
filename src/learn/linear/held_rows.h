/* held_rows.h -- the rows of a training set as the learners of this folder hold them.
 *
 * One type, and five ways to open it, for what a method does with its rows:
 *
 *     smr_held_open      reads them in their order, a block at a time, by all threads at once
 *     smr_held_source    the same for the solvers of math/, which take dense doubles
 *     smr_held_all       visits them in any order: all are in memory
 *     smr_held_some      begins with a few of them: a dense copy of these
 *     smr_held_centred   takes sums of squares: a dense copy whose columns have mean 0
 *
 * `data` is what is read: the rows that were given, or their copy, with targets, labels and
 * weights.  Nothing is copied that can be read where it lies.  smr_held_walk is for methods that
 * learn row by row, in an order of their own. */
#ifndef SMR_LEARN_LINEAR_HELD_ROWS_H
#define SMR_LEARN_LINEAR_HELD_ROWS_H

#include "data/keep.h"
#include "data/row_subset.h"
#include "learn/learner.h"
#include "math/gram.h"
#include "math/optimize/dual.h"

typedef struct smr_held_rows {
    const smr_data *given; /* whose rows these are; it must outlive them                  */
    smr_data data;         /* as they are read                                            */
    smr_reader **readers;  /* open, source: one a lane                                    */
    int n_lanes;
    smr_row_source source; /* source                                                      */
    bool is_sparse;        /* all: the rows are data.sparse, else `dense`; where data.rows is set,
                              it says which of these they are, and in which order         */
    smr_dense dense;       /* SMR_F64, SMR_F32 or SMR_U8                                  */
    double *mean;          /* centred: n_features, of the rows without weights            */
    /* owned */
    smr_subset subset;
    smr_keep kept;
} smr_held_rows;

/* Dense doubles, or sparse rows where the data have these. */
static inline smr_form smr_held_form(const smr_data *data)
{
    return smr_data_is_sparse(data) ? SMR_FORM_SPARSE : SMR_FORM_F64;
}

/* Blocks of at most `most` rows.  Missing values are not looked for: sums find them at no cost, and
 * whoever meets one calls smr_held_explain. */
smr_status smr_held_open(smr_ctx *ctx, const smr_data *data, smr_form form, int64_t most,
                         smr_held_rows *out);
/* Rows [lo, hi), valid until the lane's next call. */
static inline smr_status smr_held_block(smr_ctx *ctx, const smr_held_rows *held, int lane,
                                        int64_t lo, int64_t hi, smr_rows *out)
{
    return smr_reader_rows(ctx, held->readers[lane], lo, hi, out);
}

/* Rows that were opened on `data` as doubles, without targets.  The source points to *held, which
 * must stay where it is. */
smr_row_source smr_held_as_source(smr_held_rows *held, const smr_data *data);
/* Checks targets and weights.  The source points to *out, which must stay where it is. */
smr_status smr_held_source(smr_ctx *ctx, const char *learner, const smr_data *data,
                           smr_held_rows *out);

/* Rows that lie in memory as they are needed (sparse rows; a dense block of doubles, floats or
 * bytes), also through a row index, are a view and cost nothing.  Others (columns of a table one by
 * one, rows that stages compute) are copied once: sparse where less than a third of the first rows'
 * entries are not 0, else dense.  Fails, naming row and column, on a value that is not finite. */
smr_status smr_held_all(smr_ctx *ctx, const char *learner, const smr_data *data,
                        smr_held_rows *out);
/* These rows as math/optimize/dual.h takes them; y and weight: n_rows. */
smr_dual_problem smr_held_dual(const smr_held_rows *held, const double *y, const double *weight,
                               bool is_free);

/* The n rows with these numbers, in one block of doubles, so that many passes over few rows run at
 * the speed of the caches.  Sparse rows, and rows with a value that is not finite, stay a view:
 * whoever meets such a value names it by its row. */
smr_status smr_held_some(smr_ctx *ctx, const smr_data *data, const int64_t *rows, int64_t n,
                         smr_held_rows *out);

/* For methods that solve with sums of squares: of a column far from 0 these lose its spread.  A
 * linear model of the copy is that of the rows but for its intercept,
 *
 *     b = b_centred - mean'w                                                                    (1)
 *
 * Memory: 8 bytes a value. */
smr_status smr_held_centred(smr_ctx *ctx, const smr_data *data, smr_held_rows *out);
/* (1) of k scores, and back; w: k x n_features. */
void smr_held_leave(const smr_held_rows *held, int64_t k, const double *w, const double *from,
                    double *intercept);
void smr_held_enter(const smr_held_rows *held, int64_t k, const double *w, const double *intercept,
                    double *to);

/* Accepts a zeroed one. */
void smr_held_close(smr_held_rows *held);

/* Names the first value that is missing or infinite; SMR_OK if there is none. */
smr_status smr_held_explain(smr_ctx *ctx, const smr_held_rows *held);

/* ---- checks ---- */

/* Are there rows, with numbers as targets that are finite, and weights that are? */
smr_status smr_held_check_targets(smr_ctx *ctx, const char *learner, const smr_data *data);
/* weight (n; NULL: all 1) of the rows from `first` on; *total, unless NULL, is their sum. */
smr_status smr_held_check_weights(smr_ctx *ctx, const char *learner, int64_t first, int64_t n,
                                  const double *weight, double *total);

/* ---- row by row ---- */

/* What is known of the rows of `data` from `lo` on. */
static inline smr_truths smr_truths_at(const smr_data *data, int64_t lo)
{
    return (smr_truths){.y = data->y ? data->y + lo * data->n_outputs : NULL,
                        .label = data->label ? data->label + lo : NULL,
                        .weight = data->weight ? data->weight + lo : NULL};
}

typedef smr_status (*smr_held_fn)(smr_ctx *ctx, void *arg, const smr_rows *rows,
                                  const smr_truths *truths);
/* Calls `each` for blocks of the n rows of `data` with these numbers, in this order, on one thread;
 * order NULL: all rows.  Can be cancelled between blocks. */
smr_status smr_held_walk(smr_ctx *ctx, const smr_data *data, smr_form form, const int64_t *order,
                         int64_t n, smr_held_fn each, void *arg);

#endif
