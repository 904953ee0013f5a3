/* ranges.h -- the least and the greatest value of every numeric input of a schema in a table.
 *
 * They are kept with the model, so that a prediction far outside the training rows can be told of
 * (outside.h).  Dates are not among them: later ones are what a model is for. */
#ifndef SMR_LEARN_RANGES_H
#define SMR_LEARN_RANGES_H

#include "learn/schema.h"

typedef struct smr_range {
    double least, greatest; /* of no value: +inf, -inf */
} smr_range;

/* out[n_inputs]; rows: n of them, NULL: the table's first n.  at[j] = the column of input j, -1 for
 * those that are left out.  One pass over the memory, a block of rows at a time. */
smr_status smr_ranges_find(smr_ctx *ctx, const smr_table *table, const int64_t *at,
                           int64_t n_inputs, const int64_t *rows, int64_t n, smr_range *out);

/* Those of the training rows, in the schema: has_range where an input is a number with values. */
smr_status smr_ranges_learn(smr_ctx *ctx, smr_schema *schema, const smr_table *table,
                            const int64_t *rows, int64_t n);

#endif
