/* state_check.h -- does a state have what its table says, and does it fit its place in a model?
 *
 * The same check for every state, whoever made it: after a load, when a stream begins, before a
 * model or a checkpoint is saved.  What passes is safe to use: no index points outside its array,
 * no array that is needed is missing, no size is another than those that follow from it. */
#ifndef SMR_LEARN_STATE_CHECK_H
#define SMR_LEARN_STATE_CHECK_H

#include "learn/learner.h"

/* The rows of a stage's table, but not what is inside its members.  SMR_ERR_FORMAT if not. */
smr_status smr_state_check(smr_ctx *ctx, const smr_stage *stage, const smr_shape *shape);

/* May the stage be where it is: does it take what comes in, does the last one do the task? */
smr_status smr_stage_check_place(smr_ctx *ctx, const smr_stage *stage, bool is_last,
                                 const smr_shape *shape);

/* The value of a size (learn/state_row.h).  False: it has an unknown name, or is too large. */
bool smr_state_size(const smr_learner *learner, const void *state, const smr_shape *shape,
                    const char *size, int64_t *out);

#endif
