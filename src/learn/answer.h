/* answer.h -- what a model says, as named columns of a table.
 *
 *     output       columns                  named
 *     label        a category               as the target; clusters and states that no target names
 *                                           are numbers: cluster, state; outlier: no or yes
 *     value        a number for each        as the targets
 *     proba        a number for each class  p(CLASS)
 *     decision     a number for each class  score(CLASS)
 *     transform    one for each             as the features; categories that passed stay such
 *     interval     two for each target      TARGET_low, TARGET_high
 *     set          a category               set: the classes in it, joined by '|'
 *     score        a number                 score */
#ifndef SMR_LEARN_ANSWER_H
#define SMR_LEARN_ANSWER_H

#include "learn/model.h"

/* How many columns an output becomes. */
int64_t smr_answer_width(const smr_model *model, smr_output output);
/* Fills as many empty columns from x, what smr_model_apply gave for n rows. */
smr_status smr_answer_fill(smr_ctx *ctx, const smr_model *model, smr_output output, const double *x,
                           int64_t n, smr_column *cols);
/* Predicts for all rows of a table; fails when the model does not give this output. */
smr_status smr_answer_create(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                             smr_output output, smr_table **out);

/* What labels of outliers are called: no and yes. */
const smr_strings *smr_answer_no_or_yes(void);
/* The name of a column about class k: "p(CLASS)" or "score(CLASS)", owned by the caller. */
smr_status smr_answer_class_name(smr_ctx *ctx, const smr_target *target, smr_output output,
                                 int64_t k, char **out);

#endif
