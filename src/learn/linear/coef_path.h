/* coef_path.h -- a picture of coefficients against the penalty, for every learner with a path. */
#ifndef SMR_LEARN_LINEAR_COEF_PATH_H
#define SMR_LEARN_LINEAR_COEF_PATH_H

#include "learn/learner.h"

typedef struct smr_coef_path {
    int64_t n_steps, n_features;
    const double *penalty; /* n_steps, > 0 where it is to be drawn */
    const char *axis;      /* "l1", "l2"                           */
    double chosen;         /* the penalty in use                   */
    const void *self;
    double (*coef)(const void *self, int64_t step, int64_t feature);
} smr_coef_path;

/* One line a feature, named, the largest first; at most 12 of them, and the note says how many are
 * left out.  `name` is the figure's. */
smr_status smr_coef_path_draw(smr_ctx *ctx, const smr_coef_path *path, const smr_feature *in,
                              const char *name, smr_json *figures);

#endif
