/* views.h -- what is asked of a fitted stage, whatever its learner. */
#ifndef SMR_LEARN_VIEWS_H
#define SMR_LEARN_VIEWS_H

#include "learn/learner.h"

/* Its linear model; w NULL: it has none. */
smr_linear_view smr_stage_linear(const smr_stage *stage);
/* Gives one that lies in the state (explain->linear_at) other coefficients, as many as the view
 * has: what predict reads.  Whatever else the model reports (errors, deviance) stays that of the
 * fit. */
void smr_stage_set_linear(const smr_stage *stage, const double *w, const double *b);
/* What its fit gained by each feature that comes in (n_in); NULL: it does not know. */
const double *smr_stage_importances(const smr_stage *stage);

/* from[j] = which of the n_in features that come into a transform feature j of n_out was made from;
 * -1: from several. */
void smr_stage_origins(const smr_stage *stage, int64_t n_in, int64_t *from, int64_t n_out);
/* *from (to be freed) = for each feature that goes out of the last of these stages, all of them
 * transforms, which of the n_in features that come in it was made from; -1: from several.  *n_out:
 * how many go out.  n = 0: each from itself. */
smr_status smr_stages_origins(smr_ctx *ctx, const smr_stage *stages, int64_t n, int64_t n_in,
                              int64_t **from, int64_t *n_out);

#endif
