/* warm.h -- a fit that begins at a fitted model (smr_fit_report.warm): whether it may.
 *
 * The last stage begins at the last stage of the old model; the stages before it are fitted anew.
 * Learner, task, targets, classes and columns must be the same, so that no part of the old model is
 * dropped silently; rows, parameters, and the levels of categories may differ. */
#ifndef SMR_LEARN_WARM_H
#define SMR_LEARN_WARM_H

#include "learn/model.h"

/* Fails, saying why, if a fit of the sentence on the set cannot begin at the model. */
smr_status smr_warm_check(smr_ctx *ctx, const smr_model *old, const smr_spec *spec,
                          const smr_train_set *set);
/* What the last stage of the model was fitted to; features are the model's. */
smr_shape smr_warm_shape(const smr_model *old);
/* Fails if the fit was given a model to begin at and did not begin there: the solver that it took
 * for these rows has no use for one. */
smr_status smr_warm_taken(smr_ctx *ctx, const smr_model *fitted);

#endif
