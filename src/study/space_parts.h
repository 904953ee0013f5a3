/* space_parts.h -- what the two halves of the search space share. */
#ifndef SMR_STUDY_SPACE_PARTS_H
#define SMR_STUDY_SPACE_PARTS_H

#include "study/space.h"

/* Fills the grid's values and the scale from the parts. */
smr_status smr_dim_finish(smr_ctx *ctx, smr_dim *dim);
/* Is the parameter read by the sentence the search starts from, or with some value of another
 * dim? */
smr_status smr_dim_is_read(smr_ctx *ctx, const smr_space *space, int64_t d, bool *is_read);
void smr_dim_release(smr_dim *dim);
/* The space as text that reads back as the same space. */
smr_status smr_space_write(smr_ctx *ctx, const smr_space *space, char **out);

#endif
