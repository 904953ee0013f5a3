/* whole_check.h -- the checks that a state goes through after a load: what its table says, then
 * what its learner says. */
#ifndef SMR_TESTS_WHOLE_CHECK_H
#define SMR_TESTS_WHOLE_CHECK_H

#include "learn/state_check.h"

static inline smr_status whole_check(smr_ctx *ctx, const smr_learner *l, const void *params,
                                     const void *state, const smr_shape *of)
{
    smr_stage stage = {
        .learner = l, .params = (void *)(uintptr_t)params, .state = (void *)(uintptr_t)state};
    smr_shape shape = *of;
    shape.learner = l;
    smr_status st = smr_state_check(ctx, &stage, &shape);
    return st == SMR_OK && l->fitted->check ? l->fitted->check(ctx, params, state, &shape) : st;
}

#endif
