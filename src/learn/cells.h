/* cells.h -- a row of strings, read by a model's schema as a file would be.
 *
 *     number     the number; a date or other text is an error
 *     date       seconds since 1970; anything else is an error
 *     category   the code of the level of that name; one that training never saw follows the rule
 *                of `columns unseen=`
 *     text       the string itself, which is not copied
 *
 * Blanks around numbers, dates and names of categories do not count.  Missing is NULL, and what is
 * missing in a file (data/infer.h), except for a category that has a level of that name.  Reading a
 * row allocates nothing. */
#ifndef SMR_LEARN_CELLS_H
#define SMR_LEARN_CELLS_H

#include "data/vocab.h"
#include "learn/model.h"

typedef struct smr_cells {
    const smr_schema *schema;
    const struct smr_columns_params *columns;
    smr_vocab *known; /* n_inputs: the levels of categories             */
    bool tells_gaps;  /* in categories that had none in training        */
    int64_t n_texts;
    smr_strings *strings;      /* n_texts: one string each               */
    const smr_strings **texts; /* the same, in the form that data takes  */
    int64_t *start;            /* 2 n_texts: the bounds of these strings */
    int32_t *code;             /* n_texts: 0, or -1 where it is missing  */
} smr_cells;

smr_status smr_cells_open(smr_ctx *ctx, const smr_model *model, smr_cells *out);
/* Accepts a zeroed one, and one that was half opened. */
void smr_cells_close(smr_cells *cells);

/* x: a number for each input, or for each sparse feature; NaN where it is missing, and at texts,
 * whose strings and codes are set.  They live as long as the cells do. */
smr_status smr_cells_read(smr_ctx *ctx, smr_cells *cells, const char *const *cell, double *x);
/* The value of a category is missing: a warning where training had no gap in it. */
void smr_cells_note_gap(smr_ctx *ctx, const smr_cells *cells, const smr_input *in);

/* What the code -1 means for a category, that training never saw it: a warning and a missing value,
 * or an error where the model says `columns unseen=error`. */
smr_status smr_unseen_code(smr_ctx *ctx, const struct smr_columns_params *columns,
                           const char *input);

#endif
