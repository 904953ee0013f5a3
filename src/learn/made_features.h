/* made_features.h -- for transforms that make numbers of all features that come in: what these are
 * called, and that they come from all. */
#ifndef SMR_LEARN_MADE_FEATURES_H
#define SMR_LEARN_MADE_FEATURES_H

#include "data/data.h"

/* out: a number called prefix and `which`, "pc1". */
smr_status smr_made_feature(smr_ctx *ctx, const char *prefix, int64_t which, smr_feature *out);
/* n of them, from 1 on. */
smr_status smr_made_features(smr_ctx *ctx, const char *prefix, smr_feature *out, int64_t n);

/* smr_can_transform.origins */
void smr_made_of_all(const void *params, const void *state, int64_t n_in, int64_t *from,
                     int64_t n_out);

#endif
