/* table.h -- named, typed columns, as people have them.
 *
 * Everything arrives as a table: a CSV file, a LIBSVM file, an image set (one row per picture, one
 * column per pixel, and an item shape).  Columns may share one block of memory (a matrix read from
 * a file, a matrix lent by a caller): a column is then a strided view into it, and code that wants
 * rows recognises neighbours (data.h).
 *
 *     kind       values                                missing
 *     number     dtype F64, F32, U8 or I32             NaN (F64, F32 only)
 *     category   I32 codes into `levels`               -1
 *     text       the same storage as category          -1
 *     date       F64 seconds since 1970-01-01 UTC      NaN
 *
 * Readers deliver strings as categories (dictionary-coded, levels in the order of smr_levels_sort);
 * whether a string column is better taken as text is decided later, by the columns stage.
 * A sparse table has its numbers in one CSR block; column j of that block is feature j, and the
 * block's columns have no smr_column of their own. */
#ifndef SMR_DATA_TABLE_H
#define SMR_DATA_TABLE_H

#include "core/ctx.h"
#include "core/view.h"

/* Strings in one block of bytes: string i is bytes[start[i] .. start[i+1]), without a NUL. */
typedef struct smr_strings {
    int64_t n;
    int64_t *start; /* n + 1 */
    char *bytes;    /* start[n] */
} smr_strings;

typedef struct smr_column {
    char *name; /* UTF-8, unique in its table, owned */
    smr_kind kind;
    smr_dtype dtype;
    void *values;       /* value i is element i * stride                              */
    int64_t stride;     /* in elements, >= 1; in a view 0: one value for all rows     */
    bool owns_values;   /* else they lie in one of the table's blocks                 */
    smr_strings levels; /* category and text: the distinct strings; owned             */
    int64_t n_missing;  /* known after reading; -1 in a view until scanned (hash.h) */
    int64_t n_unseen;   /* category read with a rule's levels: values not among them  */
    bool has_time;      /* date: some value has a time of day                         */
    bool names_classes; /* it came from a file of labels: whole numbers are classes   */
    bool names_rows;    /* it says where each row came from, and is no input unless asked for */
} smr_column;

typedef struct smr_table {
    int64_t n_rows;
    int64_t n_cols;
    smr_column *cols;
    bool has_header; /* names came from the file; else they are positions from 0   */
    char decimal;    /* ',' where some column had decimal commas, else 0           */
    smr_csr sparse;  /* n_cols = 0 when there is none; arrays owned by the table   */
    void *blocks[8]; /* owned memory that columns view                             */
    int n_blocks;
    int64_t item_shape[4];           /* pictures: height, width, channels; 0-terminated         */
    char *source;                    /* what was read, for messages; owned                      */
    char *notes;                     /* what a reader inferred, one "key: value" per line; owned */
    struct smr_vocab *names;         /* a table that is built: the columns' names, or NULL   */
    int64_t col_room;                /* the columns that `cols` has room for, if more        */
    void *lender;                    /* whose memory columns view, or NULL                   */
    void (*give_back)(void *lender); /* called once, when the table is freed               */
} smr_table;

/* A table of n_cols columns, all fields zero except stride = 1; the caller names them. */
smr_status smr_table_new(smr_ctx *ctx, int64_t n_rows, int64_t n_cols, smr_table **out);

/* Takes ownership of `block`, which columns will view; a failing call leaves it to the caller. */
smr_status smr_table_own(smr_ctx *ctx, smr_table *table, void *block);

/* Returns the memory of rows [lo, hi) to the system, as far as it is the table's own and they fill
 * whole pages together with the rows before `lo`, which were returned earlier.  Their values are
 * lost, and the table can then only be freed. */
void smr_table_spend(const smr_table *table, int64_t lo, int64_t hi);

/* Value i of a number or date column; NaN when missing. */
double smr_column_number(const smr_column *col, int64_t i);
/* Values lo .. lo + n - 1, one after the other. */
void smr_column_numbers(const smr_column *col, int64_t lo, int64_t n, double *out);
/* Code of row i of a category or text column; -1 when missing. */
int32_t smr_column_code(const smr_column *col, int64_t i);

/* String i; *length receives its bytes.  Not NUL-terminated. */
const char *smr_strings_get(const smr_strings *s, int64_t i, int64_t *length);

/* order[r] = which string comes r-th: numerically when all are numbers, else bytewise. */
smr_status smr_levels_sort(smr_ctx *ctx, const smr_strings *levels, int64_t *order);
/* The same, faster for many distinct strings. */
smr_status smr_levels_order(smr_ctx *ctx, const smr_strings *levels, int64_t *order);

/* Checks that names are unique: fails, naming the duplicate and both positions. */
smr_status smr_table_check_names(smr_ctx *ctx, const smr_table *table);

/* Gives columns [lo, hi) the names "lo - base", "lo + 1 - base", ... */
smr_status smr_table_number_names(smr_ctx *ctx, smr_table *table, int64_t lo, int64_t hi,
                                  int64_t base);

/* A table over a caller's row-major matrix, whose values are borrowed, not copied; columns are
 * named by position.  `y` (n_rows, may be NULL) becomes a last column "y".  Missing values are not
 * counted (n_missing = -1), so that a view costs nothing that grows with the rows. */
smr_status smr_table_view(smr_ctx *ctx, const smr_dense *X, const double *y, smr_table **out);

#endif
