/* api_parts.h -- what the public functions share. */
#ifndef SMR_API_PARTS_H
#define SMR_API_PARTS_H

#include "study/cv_ask.h"

#include <string.h>

/* What a caller says about a training set; `how` may be NULL, and so may `folds`, which were taken
 * (smr_take_opts) before. */
smr_status smr_api_set_opts(smr_ctx *ctx, const smr_train_opts *how, const smr_fold_opts *folds,
                            smr_set_opts *out);
smr_cv_ask smr_api_ask(const smr_fold_opts *folds);
/* The document as text, for the caller. */
smr_status smr_api_hand_over(smr_ctx *ctx, smr_json_doc *doc, char **json);

#endif
