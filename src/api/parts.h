/* parts.h -- what the public functions share. */
#ifndef SMR_API_PARTS_H
#define SMR_API_PARTS_H

#include "select/cv_ask.h"

#include <string.h>

/* Options of an older caller are shorter: what it does not know keeps its default. */
#define TAKE_OPTS(local, given) memcpy(&(local), (given), SMR_MIN((given)->size, sizeof(local)))

/* Both may be NULL. */
smr_set_opts smr_api_set_opts(const smr_train_opts *how, const smr_fold_opts *folds);
smr_cv_ask smr_api_ask(const smr_fold_opts *folds);
/* The document as text, for the caller. */
smr_status smr_api_hand_over(smr_ctx *ctx, smr_json_doc *doc, char **json);

#endif
