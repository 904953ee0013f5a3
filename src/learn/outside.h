/* outside.h -- what a table has that the training rows of a model had not, told in warnings.
 *
 * Categories never seen are told of by the binding (schema.h). */
#ifndef SMR_LEARN_OUTSIDE_H
#define SMR_LEARN_OUTSIDE_H

#include "learn/model.h"

/* Gaps in a category that had none, unless the sentence itself fills gaps in; and numbers far
 * outside the training rows: below least - r or above greatest + r, where r = SMR_FAR times the
 * range greatest - least, or for a column that was constant its size, at least 1. */
enum { SMR_FAR = 3 };
/* Both, of a whole table whose rows are not, or not all, predicted: a pass over it. */
smr_status smr_foreign_warn(smr_ctx *ctx, const smr_model *model, const smr_table *table);
/* Are gaps in the categories of this model worth a word? */
bool smr_foreign_gaps(const smr_model *model);
/* The warnings about gaps alone. */
void smr_foreign_warn_of_gaps(smr_ctx *ctx, const smr_model *model, const smr_table *table);

/* ---- while rows are predicted ----
 *
 * A watch sees the blocks of rows that the first stage reads, while they are at hand: the least and
 * the greatest value of each feature against its limits; only a block that breaks one is looked at
 * closer, in the table's own column.  What comes of it depends on the rows alone, not on blocks and
 * lanes. */

/* The rows of a column that lie far outside, and the furthest value: of equal ones the first. */
typedef struct smr_far {
    int64_t n;
    int64_t row;
    double x, off;
} smr_far;

typedef struct smr_watch {
    const smr_schema *schema;
    const smr_table *table;
    int64_t d;             /* features of a block; 0: nothing is watched                       */
    int64_t *input;        /* d: which input a feature is; -1 where it is not watched          */
    int64_t *at;           /* inputs: the table's column; -1 where it is not watched           */
    double *lower, *upper; /* d: what lies beyond is far; infinite where nothing does          */
    int lanes;
    double *extremes; /* lanes x 2 d */
    smr_far *far;     /* lanes x inputs */
} smr_watch;

/* A watch over the rows of a table, d features each; closed even when this fails. */
smr_status smr_watch_open(smr_ctx *ctx, const smr_model *model, const smr_table *table, int64_t d,
                          int lanes, smr_watch *out);
/* A block of dense rows, seen by a lane.  Returns true where all are surely numbers; false says
 * nothing. */
bool smr_watch_rows(smr_watch *watch, int lane, const smr_rows *rows);
/* Warns of what was seen. */
smr_status smr_watch_tell(smr_ctx *ctx, smr_watch *watch);
void smr_watch_close(smr_watch *watch);

#endif
