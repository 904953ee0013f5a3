/* select_path.h -- paths of l1 penalties: between select_linear.c and select_columns.c. */
#ifndef SMR_TRANSFORM_SELECT_PATH_H
#define SMR_TRANSFORM_SELECT_PATH_H

#include "math/optimize/coordinate.h"
#include "transform/select.h"

enum { SMR_SELECT_STEPS = 60 };

struct smr_select_path {
    const smr_data *data; /* coded, its targets numbers; for classes 0 and 1     */
    bool of_classes;
    const int32_t *feature; /* of each coded column                                */
    int64_t n_features;
    const int32_t *fold; /* of each row, n_folds of them; NULL with 0           */
    int64_t n_folds;
    double least;    /* the last penalty; 0: a thousandth of the first      */
    int64_t most_in; /* stop when this many features are in; 0: do not      */
    /* What is found. */
    int64_t n_steps, n_fits;
    double l1[SMR_SELECT_STEPS], error[SMR_SELECT_STEPS];
    bool *in; /* SMR_SELECT_STEPS x n_features, owned: is it in at that step? */
};

/* l1 from `most` down, equally spaced in the logarithm. */
void smr_select_penalties(struct smr_select_path *path, double most);

/* Follows the path over columns. */
smr_status smr_select_walk(smr_ctx *ctx, struct smr_select_path *path);

#endif
