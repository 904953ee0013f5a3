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
smr_status smr_foreign_warn(smr_ctx *ctx, const smr_model *model, const smr_table *table);
/* Are gaps in the categories of this model worth a word? */
bool smr_foreign_gaps(const smr_model *model);

#endif
