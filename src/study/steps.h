/* steps.h -- a learner's method, step by step: fits a sentence while a trace watches its last stage
 * (learn/trace.h), or lets the fitted model answer one row in slow motion.
 *
 * One thread does the work, so that steps come in their order. */
#ifndef SMR_STUDY_STEPS_H
#define SMR_STUDY_STEPS_H

#include "learn/model.h"

typedef struct smr_steps_how {
    int64_t most; /* steps that are kept; 0: 200                                  */
    int64_t row;  /* of the table, from 1, for methods that answer one; 0: the first */
} smr_steps_how;

/* Fails unless the last learner can tell its steps with its parameters, naming those that can. */
smr_status smr_steps_check(smr_ctx *ctx, const smr_spec *spec, const smr_steps_how *how);
/* Adds "learner", "shows", "row" (where one is answered), "n_steps", "steps" [{step, what, ...}]
 * and "figures" [step-K-NAME]. */
smr_status smr_steps_fill(smr_ctx *ctx, const smr_spec *spec, smr_train_set *set,
                          const smr_steps_how *how, smr_json *into);

#endif
