/* out_of_fold.h -- what a sentence says about rows that it was not fitted on.
 *
 * The rows are cut into folds (classes spread evenly, groups whole); each fold is predicted by a
 * member fitted on the others.  For calibration, stacking, residuals: for anything that must not be
 * learned from rows that a member already knows. */
#ifndef SMR_LEARN_OUT_OF_FOLD_H
#define SMR_LEARN_OUT_OF_FOLD_H

#include "data/split.h"
#include "learn/member.h"

/* out: n_rows x width of that output.  Folds depend on the seed and the data alone. */
smr_status smr_out_of_fold(smr_ctx *ctx, const smr_spec *spec, const smr_data *data, int64_t folds,
                           smr_output output, double *out);
/* Several outputs of the same members: out[k] is that of output[k], or NULL: not wanted. */
smr_status smr_out_of_fold_each(smr_ctx *ctx, const smr_spec *spec, const smr_data *data,
                                int64_t folds, int n_outputs, const smr_output *output,
                                double *const *out);

/* What data/split.h asks about the rows of the data; the folds of learners differ from those of
 * cross-validation around them. */
smr_split_rows smr_data_split_rows(const smr_ctx *ctx, const smr_data *data);

#endif
