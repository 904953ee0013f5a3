/* gains.h -- how much each feature gained, over all members of an ensemble of trees. */
#ifndef SMR_LEARN_ENSEMBLE_GAINS_H
#define SMR_LEARN_ENSEMBLE_GAINS_H

#include "learn/member.h"

/* *gain (n_in, owned by the caller) = mean over the members, with their weights (NULL: equal), of
 * each feature's share of the member's gains; for one that was coded, of its levels together.  NULL
 * where a member's last stage counts no gains, or gets features that were made from several. */
smr_status smr_members_gain(smr_ctx *ctx, const smr_members *of, const double *weight, int64_t n_in,
                            double **gain);

/* For `describe` and `figures`: the table "importance" and its figure (learn/trees/importance.h),
 * where there are gains. */
smr_status smr_members_describe_gain(smr_ctx *ctx, const smr_members *of, const double *weight,
                                     const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_members_draw_gain(smr_ctx *ctx, const smr_members *of, const double *weight,
                                 const smr_feature *in, int64_t n_in, const char *prefix,
                                 smr_json *figures);

#endif
