/* fitted.h -- a sentence as it was fitted: with the stages that samara inserted. */
#ifndef SMR_STUDY_FITTED_H
#define SMR_STUDY_FITTED_H

#include "core/json.h"
#include "learn/model.h"

/* *out: the model's sentence, to be released with smr_free, with the head where that was written;
 * NULL where nothing was inserted: it would say no more than what was asked for. */
smr_status smr_fitted_sentence(smr_ctx *ctx, const smr_model *model, char **out);
/* Adds it as "fitted", where there is something to say. */
smr_status smr_fitted_json(smr_ctx *ctx, const smr_model *model, smr_json *into);

#endif
