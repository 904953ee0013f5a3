/* holdout.h -- a training set's usable rows in parts, to measure on rows a fit never saw. */
#ifndef SMR_STUDY_HOLDOUT_H
#define SMR_STUDY_HOLDOUT_H

#include "data/split.h"
#include "learn/model.h"

/* What data/split.h asks about the usable rows of a set: labels, groups, seed.  Release afterwards;
 * row numbers of a split made from it count among the usable rows. */
typedef struct smr_set_split {
    smr_split_rows of;
    int32_t *label;
    int64_t *group;
} smr_set_split;

smr_status smr_set_split_make(smr_ctx *ctx, const smr_train_set *set, smr_set_split *out);
void smr_set_split_release(smr_set_split *split);
/* Numbers among the usable rows -> rows of the table. */
void smr_set_split_rows(const smr_train_set *set, smr_parts *parts);

/* smr_split_holdout of the usable rows, by classes where there are some, groups whole; the parts
 * hold rows of the table. */
smr_status smr_set_holdout(smr_ctx *ctx, const smr_train_set *set, const double *fractions,
                           int64_t n_fractions, smr_parts *out);

#endif
