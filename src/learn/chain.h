/* chain.h -- data flowing through fitted stages, computed when read. */
#ifndef SMR_LEARN_CHAIN_H
#define SMR_LEARN_CHAIN_H

#include "learn/learner.h"

/* The form in which a stage should get these data: what it prefers, unless that would lose
 * digits, in which case the narrowest it takes that does not. */
smr_form smr_stage_form(const smr_stage *stage, const smr_data *data);

/* Rows in a block for that stage: what it likes, but no more than a few megabytes of features. */
int64_t smr_stage_block(const smr_stage *stage, const smr_data *data);

/* *out = the output of a fitted transform over `source`, which must outlive it.  Targets, weights
 * and row order carry over. */
void smr_chain(const smr_data *source, const smr_stage *stage, smr_data *out);

/* What a stage cannot take in these data: set refuse_missing where it must not meet a gap. */
void smr_chain_guard(smr_data *data, const smr_stage *next);

#endif
