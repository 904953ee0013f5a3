/* data.h -- what learners receive: features, targets, weights; rows in the form asked for.
 *
 * An smr_data owns nothing and copies nothing.  Its features point into a table (through an
 * optional row index, so that folds and bootstraps cost 8 bytes per row), or it is what fitted
 * stages make of another smr_data, computed a block at a time when it is read (`source`, `by`):
 * dense rows or sparse ones, of which no dense copy is made unless a dense form is asked for.
 *
 * A reader delivers blocks of rows, row-major.  Where the memory already has the form asked for,
 * the block is a view; else it is gathered into the reader's own buffer.  One reader serves one
 * thread.
 *
 *     form      element    categories                      missing
 *     F64       double     the code as a number            NaN
 *     F32       float      the code as a number            NaN
 *     U8        uint8_t    not available                   not available
 *     SPARSE    CSR        not available                   an entry that is NaN
 *
 * Texts are read as categories are: the value is a code, NaN where the text is missing.  But a code
 * means a string of the very table that the rows come from, never one of the training table: the
 * strings are smr_rows.texts.  A missing text is an empty one, not a gap. */
#ifndef SMR_DATA_DATA_H
#define SMR_DATA_DATA_H

#include "data/table.h"

#include <math.h>

typedef enum smr_form {
    SMR_FORM_F64 = 0,
    SMR_FORM_F32 = 1,
    SMR_FORM_U8 = 2,
    SMR_FORM_SPARSE = 3
} smr_form;

/* What a feature shows of a date column. */
typedef enum smr_part {
    SMR_PART_WHOLE = 0, /* the value as it is                      */
    SMR_PART_DAYS,      /* days since 1970-01-01, with fractions   */
    SMR_PART_YEAR,
    SMR_PART_MONTH,   /* 1..12                  */
    SMR_PART_DAY,     /* 1..31                  */
    SMR_PART_WEEKDAY, /* 1 = Monday .. 7        */
    SMR_PART_HOUR     /* 0..23, with fractions  */
} smr_part;

/* One feature.  `values` is NULL where a stage computes it or it lies in the CSR block. */
typedef struct smr_feature {
    const char *name;
    smr_kind kind; /* SMR_NUMBER, SMR_CATEGORY or SMR_TEXT     */
    smr_dtype dtype;
    const void *values;
    int64_t stride;
    smr_part part;
    int64_t n_levels; /* category: codes are 0 .. n_levels-1, -1 missing                   */
    const smr_strings
        *levels;           /* category: their names                                             */
    const int32_t *recode; /* category: the table's code -> the feature's code; NULL: the same  */
    int64_t n_recode;
    int64_t text; /* text: its strings are texts[text] of the data and of the rows             */
} smr_feature;

struct smr_stage; /* learn/learner.h; data knows of stages through smr_computing alone */

typedef struct smr_rows smr_rows;
typedef struct smr_data smr_data;

/* How rows are computed from others: set by the learn layer (learn/flow.h), so that data need not
 * know the learner contract.  A work serves one thread, and blocks of at most max_rows. */
typedef struct smr_computing {
    smr_status (*open)(smr_ctx *ctx, const smr_data *data, int64_t max_rows, void **work);
    /* rows: those of the source in, in source_form; those of the data out, in computed_form. */
    smr_status (*rows)(smr_ctx *ctx, void *work, smr_rows *rows);
    void (*close)(void *work); /* accepts NULL */
} smr_computing;

/* Sparse rows that grow.  The empty one is {0}. */
typedef struct smr_entries {
    int64_t n_rows;  /* rows that are finished                                                */
    int64_t n;       /* entries so far                                                        */
    int64_t *start;  /* row r has entries start[r] .. start[r+1]-1                            */
    int32_t *column; /* ascending in a row                                                    */
    double *value;   /* never 0                                                               */
    int64_t row_room, room;
} smr_entries;

/* Code that fits learners again and again on the same rows and features, with other targets or
 * weights, gives them a place to keep what depends on the features, and on weights that stay:
 * sorted columns, bins.  A learner keeps one thing there, under an owner of its own; what another
 * left there it replaces. */
typedef struct smr_shared {
    const double *weight; /* of the rows, whatever weights a fit has; NULL: all 1 */
    const void *owner;
    void *kept;
    void (*release)(void *kept);
} smr_shared;

/* One value for each row of the data or of the block. */
typedef struct smr_roles {
    const int32_t *user, *item;
    const double *time;
} smr_roles;

struct smr_data {
    size_t size;
    int64_t n_rows;
    int64_t n_features;
    const smr_feature *features; /* n_features; NULL for a CSR block (named by position)    */
    const smr_csr *sparse;       /* the features, if they are sparse; else NULL             */
    const int64_t *rows;         /* n_rows row numbers of the table; NULL: all, in order    */

    const smr_data *source; /* lazily computed from it by `stages`; NULL: straight from memory */
    const struct smr_stage *stages;
    int64_t n_stages;
    const smr_computing *by;
    smr_form source_form;   /* the form in which the first stage takes its rows             */
    smr_form computed_form; /* the form that the last one gives                             */

    const smr_strings *const *texts; /* the strings of the table's text inputs              */
    int64_t n_texts;

    /* The table, if rows that have been read for the last time may be released with smr_table_spend
     * (targets and weights stay); else NULL.  Code that reads the data more than once, or lets
     * others do so, clears it. */
    const smr_table *spend;

    smr_shared *shared; /* NULL: these rows are not fitted again */

    /* A reader fails, naming row and column, when it meets a missing value. */
    bool refuse_missing;
    /* Training: some value may be missing among the numbers, among the categories. */
    bool gaps_in_numbers, gaps_in_categories;

    /* Rows as items: height, width, channels, or a length; 0-terminated, all 0: plain rows.  Their
     * product is n_features. */
    int64_t item_shape[4];

    /* Sequences: number q is rows border[q] .. border[q+1] - 1, in order of time; NULL: rows are
     * independent of each other.  border[0] = 0, border[n_sequences] = n_rows. */
    const int64_t *border;
    int64_t n_sequences;

    /* Whom and what a row is about, beside its features (a rating of an item by a user, at a time);
     * NULL: there is no such column.  Codes are -1 where training never saw the name. */
    smr_roles roles;
    int64_t n_users, n_items; /* codes are below */

    /* Supervision, already in this data's row order. */
    smr_task task;
    int64_t n_outputs;    /* regress: columns of y                                          */
    const double *y;      /* n_rows x n_outputs, row-major                                  */
    const int32_t *label; /* classify: n_rows, each in [0, n_classes), or -1 (below)        */
    int64_t n_classes;
    const smr_strings *classes; /* their names, for messages and reports; NULL: numbers     */
    const double *weight;       /* n_rows, >= 0; NULL: all 1                                */
    const int64_t *group;       /* n_rows; NULL: none                                             */
    int64_t n_unlabelled; /* rows whose label is -1, or whose y is NaN: 0 except for learners that
                             take such rows */
};

/* Features from which on a block is long enough to ask with every row whether the work goes on. */
enum { SMR_WIDE_ROW = 16384 };

/* A block of rows in one form. */
struct smr_rows {
    int64_t first;          /* number of its first row in the data    */
    const int64_t *numbers; /* the rows' numbers in the table; NULL: first, first + 1 ... */
    int64_t n, d;
    smr_form form;
    const void *x; /* dense forms: row r begins at element r * stride */
    int64_t stride;
    const int64_t *start;  /* sparse: row r has entries start[r] .. start[r+1]-1 */
    const int32_t *column; /* of these; ascending in a row                       */
    const double *value;
    const smr_strings *const *texts; /* of the table: what the codes of a text mean */
    int64_t n_texts;
    /* Sequence q is rows border[q] - border[0] .. border[q+1] - border[0] - 1 of the block; NULL
     * where the block does not begin and end at a border, or where there are none. */
    const int64_t *border;
    int64_t n_sequences;
    smr_roles roles; /* of the block's rows */
};

/* ---- sparse rows that grow ---- */

/* Empties it, with room for `rows` rows. */
smr_status smr_entries_begin(smr_ctx *ctx, smr_entries *e, int64_t rows);
/* Makes room for this many more entries. */
smr_status smr_entries_reserve(smr_ctx *ctx, smr_entries *e, int64_t more);
void smr_entries_release(smr_entries *e);
/* One more entry of the row, in room that was made; a zero is left out. */
static inline void smr_entries_add(smr_entries *e, int64_t column, double value)
{
    e->column[e->n] = (int32_t)column;
    e->value[e->n] = value;
    e->n += value != 0;
}
static inline void smr_entries_end_row(smr_entries *e)
{
    e->start[++e->n_rows] = e->n;
}

/* Do these data have sparse rows: in memory, or from a stage? */
static inline bool smr_data_is_sparse(const smr_data *data)
{
    return data->source ? data->computed_form == SMR_FORM_SPARSE : data->sparse != NULL;
}

/* ---- sequences ---- */

/* Where a block that begins at row lo, a border, should end: after about `most` rows, at a border;
 * a sequence that is longer is a block of its own.  Without sequences lo + most, or the end. */
int64_t smr_data_block_end(const smr_data *data, int64_t lo, int64_t most);
/* Rows of the longest block that this makes: most, or the longest sequence. */
int64_t smr_data_longest_block(const smr_data *data, int64_t most);

/* ---- readers ---- */

typedef struct smr_reader smr_reader;

/* A reader of blocks of at most `max_rows` rows. */
smr_status smr_reader_open(smr_ctx *ctx, const smr_data *data, smr_form form, int64_t max_rows,
                           smr_reader **out);
/* Rows [lo, hi), valid until the next call on this reader. */
smr_status smr_reader_rows(smr_ctx *ctx, smr_reader *reader, int64_t lo, int64_t hi, smr_rows *out);
void smr_reader_close(smr_reader *reader);

/* ---- blocks of rows (rows.c) ---- */

/* Fails, naming row and column, when a value is missing.  features NULL: named by position. */
smr_status smr_rows_complete(smr_ctx *ctx, const smr_rows *rows, const smr_feature *features);
/* Rows [lo, hi) of a block.  Sequences must run from border to border, or they are left out. */
smr_rows smr_rows_slice(const smr_rows *rows, int64_t lo, int64_t hi);
/* Sets the borders of rows [lo, hi) of data with these, where they are whole sequences. */
void smr_rows_cut(const int64_t *border, int64_t n, int64_t lo, int64_t hi, smr_rows *rows);
/* The block in another dense form; to: room for n x d values. */
void smr_rows_convert(smr_rows *rows, smr_form form, void *to);
/* The non-zeros of a dense block of doubles. */
smr_status smr_rows_sparsify(smr_ctx *ctx, smr_rows *rows, smr_entries *to);
/* The rows are these entries, of d columns. */
void smr_rows_of_entries(smr_rows *rows, const smr_entries *entries, int64_t d);

/* ---- data ---- */

/* True when memory already holds all rows in that dense form: *out is then a view of them. */
bool smr_data_whole(const smr_data *data, smr_form form, smr_dense *out);

/* Feature j of every row as doubles, into out[n_rows]: for learners that work by columns. */
smr_status smr_data_column(smr_ctx *ctx, const smr_data *data, int64_t j, double *out);

/* The narrowest dense form that holds every value exactly: U8, F32 or F64. */
smr_form smr_data_natural_form(const smr_data *data);

/* Does row i have all its targets? */
static inline bool smr_data_is_labelled(const smr_data *data, int64_t i)
{
    if (data->label) return data->label[i] >= 0;
    for (int64_t j = 0; data->y && j < data->n_outputs; j++)
        if (isnan(data->y[i * data->n_outputs + j])) return false;
    return true;
}

/* Weight of row i. */
static inline double smr_data_weight(const smr_data *data, int64_t i)
{
    return data->weight ? data->weight[i] : 1.0;
}

#endif
