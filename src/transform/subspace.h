/* subspace.h -- some of the features, drawn at random: the parts that bag builds on. */
#ifndef SMR_TRANSFORM_SUBSPACE_H
#define SMR_TRANSFORM_SUBSPACE_H

#include "learn/learner.h"

struct smr_subspace_params {
    double share;
    int64_t parts, draw;
};

struct smr_subspace_state {
    int64_t n_features, n_kept;
    int32_t *kept; /* n_kept, ascending */
};

/* Which features draw number `draw` keeps: a function of the seed, the parameters and d alone. */
smr_status smr_subspace_draw(smr_ctx *ctx, const struct smr_subspace_params *params, int64_t d,
                             struct smr_subspace_state *out);

#endif
