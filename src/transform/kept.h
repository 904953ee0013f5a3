/* kept.h -- rows and features of transforms that drop features and leave the others as they
 * are (smr_can_transform.keeps). */
#ifndef SMR_TRANSFORM_KEPT_H
#define SMR_TRANSFORM_KEPT_H

#include "learn/learner.h"

/* n rows x n elements of a dense form, no narrower than that of the rows; for sparse rows,
 * doubles. */
void smr_kept_take(const smr_kept *kept, const smr_rows *rows, smr_form form, void *out);
smr_status smr_kept_append(smr_ctx *ctx, const smr_kept *kept, const smr_rows *rows,
                           smr_entries *out);
smr_status smr_kept_outputs(smr_ctx *ctx, const smr_kept *kept, const smr_feature *in,
                            smr_feature *out);
/* The feature's name, or its number where it has none. */
const char *smr_kept_name(const smr_feature *in, int64_t j, char buffer[32]);

#endif
