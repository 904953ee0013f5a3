/* summary.h -- what a table's columns hold: moments, quartiles, levels, and what looks wrong.
 *
 * For `samara describe` and for the columns stage.  Moments are those of math/stats.h, to which
 * neither a large offset nor a large range costs digits; quartiles are exact (sorted values, linear
 * between neighbours, as R's type 7 and NumPy). */
#ifndef SMR_DATA_SUMMARY_H
#define SMR_DATA_SUMMARY_H

#include "data/table.h"
#include "math/stats.h"

typedef struct smr_column_summary {
    smr_kind kind;
    int64_t n;          /* values that are not missing                                     */
    int64_t n_missing;  /* n + n_missing = rows                                            */
    int64_t n_distinct; /* of those that are there; category: levels that occur            */

    /* number and date (n = 0: NaN; n = 1: sd NaN) */
    double mean;
    double sd;       /* divided by n - 1                                                  */
    double skewness; /* m3 / m2^(3/2); NaN for a constant column                          */
    double min, q1, median, q3, max;
    int64_t n_zero, n_infinite; /* infinite values leave mean, sd and skewness infinite or NaN */
    bool is_whole;              /* every value is a whole number                           */

    /* category and text */
    int64_t n_levels;
    int64_t *level_count;  /* n_levels, owned                                              */
    int32_t most_frequent; /* the first of the most frequent levels, or -1                 */
} smr_column_summary;

typedef struct smr_summary {
    int64_t n_rows, n_cols;
    smr_column_summary *columns; /* n_cols */
    /* The sparse block. */
    int64_t n_entries, n_sparse_missing, n_empty_features, n_empty_rows;
    double sparse_min, sparse_max; /* of the entries */
    /* One sentence each, in the order of the columns. */
    char **warnings;
    int64_t n_warnings;
} smr_summary;

/* known (may be NULL): summaries of columns of numbers and dates that are there already; the others
 * are zero. */
smr_status smr_table_summarize(smr_ctx *ctx, const smr_table *table,
                               const smr_column_summary *known, smr_summary **out);
void smr_summary_free(smr_summary *summary); /* accepts NULL */

/* Summary of a column of numbers or dates, of which n values are there, none of them NaN: begun
 * with the values in any order and their moments (NULL where n is 0), ended with their order.
 * order: that of smr_sort_rows, or NULL where x is ascending, -0 as 0. */
void smr_summary_begin(smr_kind kind, int64_t n, const double *x, int64_t n_rows,
                       const smr_moments *moments, smr_column_summary *out);
void smr_summary_end(const double *x, const uint32_t *order, int64_t n_distinct,
                     smr_column_summary *s);

/* Summary of one column; release level_count with smr_free. */
smr_status smr_column_summarize(smr_ctx *ctx, const smr_column *col, int64_t n_rows,
                                smr_column_summary *out);

/* True when every value that is not missing is a whole number; stops at the first that is not. */
bool smr_column_is_whole(const smr_column *col, int64_t n_rows);

/* Adds the warnings to a summary: constant, id-like and mostly missing columns, duplicates of
 * others, many levels, strong skew.  For summary.c. */
smr_status smr_summary_warn(smr_ctx *ctx, const smr_table *table, smr_summary *summary);

#endif
