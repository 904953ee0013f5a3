/* views.h -- what is asked of a fitted stage, whosever it is. */
#ifndef SMR_LEARN_VIEWS_H
#define SMR_LEARN_VIEWS_H

#include "learn/learner.h"

/* Its linear model; w NULL: it has none. */
smr_linear_view smr_stage_linear(const smr_stage *stage);
/* Gives one that lies in the state (explain->linear_at) other coefficients, as many as the view
 * has: what predict reads.  Whatever else the model tells (errors, deviance) stays that of the
 * fit. */
void smr_stage_set_linear(const smr_stage *stage, const double *w, const double *b);
/* What its fit gained by each feature that comes in (n_in); NULL: it does not tell. */
const double *smr_stage_importances(const smr_stage *stage);

/* from[j] = which of the n_in features that come into a transform feature j of n_out was made of;
 * -1: of several. */
void smr_stage_origins(const smr_stage *stage, int64_t n_in, int64_t *from, int64_t n_out);
/* *from (to be freed) = which of the n_in features that come in each feature was made of that goes
 * out of the last of these stages, all of them transforms; -1: of several.  *n_out: how many go
 * out.  n = 0: each of itself. */
smr_status smr_stages_origins(smr_ctx *ctx, const smr_stage *stages, int64_t n, int64_t n_in,
                              int64_t **from, int64_t *n_out);

#endif
