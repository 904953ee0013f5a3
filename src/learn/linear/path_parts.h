/* path_parts.h -- between path.c and its two ways: path_gram.c and path_columns.c. */
#ifndef SMR_LEARN_LINEAR_PATH_PARTS_H
#define SMR_LEARN_LINEAR_PATH_PARTS_H

#include "learn/linear/path.h"

struct smr_path_work {
    const char *learner;
    const struct smr_path_params *ask;
    double ridge; /* l2 of every step; < 0: l1 (1 - mix) / mix of each, on a path with l1 over the
                     target's standard deviation */
    const smr_data *data;
    smr_held_rows *rows;
    int64_t d, q, n_path, n_folds; /* n_folds 0: no validation                           */
    const int32_t *fold;           /* of each row; NULL without validation               */

    double weight;          /* of all rows                                                */
    double *mean;           /* d + q                                                      */
    double *tss;            /* q                                                          */
    double *l1, *l2;        /* q x n_path, filled by smr_path_penalties                   */
    double *B;              /* q x n_path x d                                             */
    smr_elastic_result *at; /* q x n_path                                                 */
    double *error;          /* q x n_folds x n_path: mean squared errors; NaN: no weight  */
    int64_t *twin, *of;     /* q: a column that could stand for another of the answer, or -1 */
};

/* Penalties of output k, from the smallest l1 at which all coefficients are 0; tss and weight are
 * known. */
void smr_path_penalties(const struct smr_path_work *w, int64_t k, double l1_max);

/* Options of the solvers. */
static inline smr_elastic_opts smr_path_opts(const struct smr_path_params *ask)
{
    return (smr_elastic_opts){
        .tol = ask->tol, .max_sweeps = ask->max_iter, .what = "coordinate descent"};
}

/* Fill all but l1 and l2 of the work. */
smr_status smr_path_by_gram(smr_ctx *ctx, struct smr_path_work *work);
smr_status smr_path_by_columns(smr_ctx *ctx, struct smr_path_work *work);

/* Sets coefficients of B (n_path x d) to 0 that move no fitted value by more than rounding does:
 * where columns repeat each other, what is left of a share.  size: |x_j|^2; yy: |y|^2. */
void smr_path_drop_noise(int64_t n_path, int64_t d, const double *size, double yy, double *B);

/* Looks for two columns of a Gram matrix (stride m) that are one up to their scale, one of them
 * with a weight in w and the other free to take it over: *of and *twin, or -1. */
void smr_path_find_twin(int64_t d, const double *gram, int64_t m, const double *w, int64_t *of,
                        int64_t *twin);

#endif
