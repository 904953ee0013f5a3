/* gram_parts.h -- the Gram matrix of the rows' parts, and of all parts but one.
 *
 * For each part p of the rows, with z a row of features and outputs, m = d + q columns:
 *
 *     W_p = sum w,   mean_p = sum w z / W_p,   G_p = sum w (z - mean_p)(z - mean_p)'            (1)
 *
 * Two parts together have
 *
 *     G = G_a + G_b + W_a W_b / (W_a + W_b) (mean_a - mean_b)(mean_a - mean_b)'                 (2)
 *
 * so one pass over the rows gives the training rows' matrix of every fold, by additions alone:
 * nothing cancels, as it would in "all rows less the fold".  Then the error of any linear fit on
 * the rows of a part comes from its matrix, at a cost that does not know the number of rows.
 * Without centring the means are 0.  Memory: parts m^2 numbers. */
#ifndef SMR_LEARN_LINEAR_GRAM_PARTS_H
#define SMR_LEARN_LINEAR_GRAM_PARTS_H

#include "data/split.h"
#include "learn/learner.h"
#include "math/optimize/coordinate.h"

/* (1) of some rows; columns are multiplied by `scale`, powers of two, so that nothing overflows. */
typedef struct smr_fold_gram {
    double weight;
    double *mean; /* m     */
    double *gram; /* m x m */
} smr_fold_gram;

typedef struct smr_fold_grams {
    int64_t n, d, q, m;
    bool centred;
    double *scale;       /* m               */
    smr_fold_gram *part; /* n               */
} smr_fold_grams;

enum { SMR_GRAM_MOST = 8000 }; /* features: 512 megabytes a matrix */

/* parts NULL: one part, all rows.  The data must have numbers as targets.  Fails with SMR_ERR_DATA,
 * in the words of `learner`, where features are too many or values are not finite. */
smr_status smr_fold_grams_create(smr_ctx *ctx, const char *learner, const smr_data *data,
                                 const smr_parts *parts, bool centre, smr_fold_grams *out);
void smr_fold_grams_release(smr_fold_grams *parts);

smr_status smr_fold_gram_create(smr_ctx *ctx, int64_t m, smr_fold_gram *out);
void smr_fold_gram_release(smr_fold_gram *part);

/* sum = (1) of all parts but `without`; -1: of all. */
void smr_fold_grams_sum(const smr_fold_grams *parts, int64_t without, smr_fold_gram *sum);

/* Least squares of output k by a sum's matrix, which must stay. */
smr_gram_problem smr_fold_grams_problem(const smr_fold_grams *parts, const smr_fold_gram *sum,
                                        int64_t k);

/* Weighted squared error, in units of the scaled output k, on the rows of part p of the fit w (n
 * columns of the problem), whose intercept is the sum's. */
double smr_fold_grams_error(const smr_fold_grams *parts, const smr_fold_gram *sum, int64_t p,
                            int64_t k, int64_t n, const int32_t *column, const double *w);

#endif
