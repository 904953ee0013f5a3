/* chain.h -- data flowing through fitted stages, computed when read. */
#ifndef SMR_LEARN_CHAIN_H
#define SMR_LEARN_CHAIN_H

#include "learn/learner.h"

/* What a fitted stage takes: what its learner takes; for a learner made of members, the sparse form
 * where some member takes it, missing values where all do. */
unsigned smr_stage_takes(const smr_stage *stage);

/* The form in which a stage should get these data: what it prefers, unless that would lose
 * digits, in which case the narrowest it takes that does not. */
smr_form smr_stage_form(const smr_stage *stage, const smr_data *data);
/* The same for rows that lie in memory in form `natural`. */
smr_form smr_stage_form_of(const smr_stage *stage, smr_form natural);

/* The form in which a transform gives dense rows, from rows in `form`. */
smr_form smr_stage_form_out(const smr_stage *stage, smr_form form);

/* The rows of a transform: appended as sparse ones, or n x n_out elements of a dense form, one that
 * smr_stage_form_out gave or a wider one. */
smr_status smr_stage_append(smr_ctx *ctx, const smr_stage *stage, const smr_rows *rows,
                            smr_entries *out, void *scratch);
smr_status smr_stage_transform(smr_ctx *ctx, const smr_stage *stage, const smr_rows *rows,
                               smr_form form, void *out, void *scratch);

/* The number of rows that the stage's predict prefers; with members, the most that one prefers. */
int64_t smr_stage_rows_liked(const smr_stage *stage);

/* The shape of the items that a transform makes from items of this shape; zeros: they are not
 * items. */
void smr_stage_items(const smr_stage *stage, const int64_t in[4], int64_t out[4]);

/* *out = the output of a fitted transform over `source`, which must outlive it.  Targets, weights
 * and row order carry over. */
void smr_chain(const smr_data *source, const smr_stage *stage, smr_data *out);

/* What a stage cannot take in these data: set refuse_missing where it must not meet a gap. */
void smr_chain_guard(smr_data *data, const smr_stage *next);

/* Which gaps a stage closes: SMR_FILLS_* bits. */
unsigned smr_stage_fills(const smr_stage *stage);

/* ---- outputs ---- */

/* What a fitted stage gives. */
unsigned smr_stage_gives(const smr_stage *stage);
/* What a learner gives that makes sense for the task, with LABEL where it can be derived. */
unsigned smr_task_gives(smr_task task, unsigned gives);
/* Classes of the target, or clusters that the stage found. */
int64_t smr_stage_classes(const smr_stage *stage, const smr_shape *shape);
/* Values for a row, of the last stage. */
int64_t smr_output_width(const smr_stage *stage, const smr_shape *shape, smr_output output);
/* What a stage is asked for: labels, where it does not give them itself, come from probabilities,
 * or else from scores. */
smr_output smr_output_asked(const smr_stage *stage, smr_output output);

/* Does some feature hold categories, or texts? */
bool smr_data_has_categories(const smr_data *data);
bool smr_data_has_texts(const smr_data *data);

/* Does a fitted transform give sparse rows? */
bool smr_stage_is_sparse(const smr_stage *stage, bool from_sparse);

/* The class with the highest score of each row; the lower class number wins a tie. */
void smr_choose_labels(const double *scores, int64_t n, int64_t n_classes, double *out);

#endif
