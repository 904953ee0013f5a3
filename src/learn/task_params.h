/* task_params.h -- parameters that are read in some tasks only (smr_param.tasks), by fits
 * only, or by fits without a target.
 *
 * A sentence does not say its task: the data do.  So a fit asks here, and what is not read in its
 * task is refused unless it has its default.  The default may stand, since canonical sentences are
 * the same for all tasks. */
#ifndef SMR_LEARN_TASK_PARAMS_H
#define SMR_LEARN_TASK_PARAMS_H

#include "core/word.h"

/* Is the parameter read in a task that does one of these (SMR_DOES_*)?  0: not known, yes. */
static inline bool smr_param_is_for(const smr_param *param, unsigned does)
{
    return !param->tasks || !does || (param->tasks & does);
}

/* SMR_ERR_PARAM where a parameter that is not read in this task has a value of its own. */
smr_status smr_task_check_params(smr_ctx *ctx, const smr_word *word, const void *params,
                                 smr_task task);
/* The same where a parameter that is read without a target has a value of its own, and there is a
 * target. */
smr_status smr_target_check_params(smr_ctx *ctx, const smr_word *word, const void *params);
/* The same of a parameter of numbers, where no feature is one. */
smr_status smr_numbers_check_params(smr_ctx *ctx, const smr_word *word, const void *params);
/* Gives every phrase that is unset the default that it has in this task, if it has one. */
smr_status smr_task_fill_params(smr_ctx *ctx, const smr_word *word, void *params, smr_task task);
/* As smr_task_check_params, where a parameter that only fits read has a value of its own, and rows
 * come in a stream. */
smr_status smr_stream_check_params(smr_ctx *ctx, const smr_word *word, const void *params);
/* What these tasks learn, in a word: "classes", "numbers", "classes or numbers". */
const char *smr_tasks_learn(unsigned does);

#endif
