/* fold_grams.h -- the Gram matrices of the folds of some data, for learners that search many fits.
 *
 * One pass over the rows (math/gram_folds.h), then every fold's training matrix and the error of
 * any fit on the fold's rows, at a cost that does not depend on the number of rows.
 * Memory: (folds + 1) m^2 numbers, m = features and outputs. */
#ifndef SMR_LEARN_LINEAR_FOLD_GRAMS_H
#define SMR_LEARN_LINEAR_FOLD_GRAMS_H

#include "data/split.h"
#include "learn/learner.h"
#include "math/gram_folds.h"
#include "math/optimize/coordinate.h"

/* Weight, mean and centred Gram matrix of some folds' rows; without centring the mean is 0. */
typedef struct smr_fold_gram {
    double weight;
    double *mean; /* m     */
    double *gram; /* m x m */
} smr_fold_gram;

typedef struct smr_fold_grams {
    int64_t n, d, q, m; /* folds, features, outputs, both */
    smr_gram_folds parts;
} smr_fold_grams;

enum { SMR_GRAM_MOST = 8000 }; /* features: 512 megabytes a matrix */

/* parts NULL: one fold, all rows.  The data must have numbers as targets.  Fails with SMR_ERR_DATA,
 * in the words of `learner`, where there are too many features or values are not finite. */
smr_status smr_fold_grams_create(smr_ctx *ctx, const char *learner, const smr_data *data,
                                 const smr_parts *parts, bool centre, smr_fold_grams *out);
void smr_fold_grams_release(smr_fold_grams *grams);

smr_status smr_fold_gram_create(smr_ctx *ctx, int64_t m, smr_fold_gram *out);
void smr_fold_gram_release(smr_fold_gram *part);

/* The rows of all folds but `without`; -1: of all. */
void smr_fold_grams_sum(const smr_fold_grams *grams, int64_t without, smr_fold_gram *sum);

/* Least squares of output k by a sum's matrix, which must stay. */
smr_gram_problem smr_fold_grams_problem(const smr_fold_grams *grams, const smr_fold_gram *sum,
                                        int64_t k);

/* Weighted squared error of output k on the rows of fold p of the fit w (n columns of the problem),
 * with the intercept that belongs to the sum. */
double smr_fold_grams_error(const smr_fold_grams *grams, const smr_fold_gram *sum, int64_t p,
                            int64_t k, int64_t n, const int32_t *column, const double *w);

#endif
