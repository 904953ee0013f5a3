/* gram_folds.h -- the Gram matrix of each part of the rows, in one pass over all of them.
 *
 * With z = (features - shift, outputs - shift, 1), m + 1 numbers per row, and for every part p
 *
 *     S_p = sum over its rows of weight z z'                                                    (1)
 *
 * what all other parts have together is a sum of matrices, added and never subtracted, so that
 * nothing cancels: cross-validation costs one pass over the data whatever the number of folds, and
 * a fold's squared errors under any linear function are a quadratic form of S_p.
 * Cost: n m^2 / 2 multiply-adds; memory (parts x chunks + parts) m^2 numbers. */
#ifndef SMR_MATH_GRAM_FOLDS_H
#define SMR_MATH_GRAM_FOLDS_H

#include "math/gram.h"

typedef struct smr_gram_folds {
    int64_t m, n_parts; /* features and outputs             */
    bool centred;
    double *shift;  /* m; 0 without centring            */
    double *weight; /* n_parts: sums of the weights     */
    double *sums;   /* n_parts x (m + 1) x (m + 1), (1) */
} smr_gram_folds;

/* part[i] in [0, n_parts) is row i's; NULL with n_parts = 1.  centre: shift near the mean, and
 * smr_gram_folds_join subtracts the mean itself.  Fails as smr_gram_compute does. */
smr_status smr_gram_folds_compute(smr_ctx *ctx, const smr_row_source *rows, bool centre,
                                  const int32_t *part, int64_t n_parts, smr_gram_folds *out);
void smr_gram_folds_release(smr_gram_folds *p);

/* The weight, mean (m) and centred Gram matrix (m x m) of the rows that are not in part `without`
 * (-1: of all).  A column that is constant there, or whose spread is rounding noise, has zeros.
 * Returns the weight; where it is 0 the rest is 0. */
double smr_gram_folds_join(const smr_gram_folds *p, int64_t without, double *mean, double *gram);

/* sum over the rows of part p of weight (y - b - x'w)^2 for output k; w has d, the number of
 * features. */
double smr_gram_folds_error(const smr_gram_folds *p, int64_t part, int64_t d, int64_t k,
                            const double *w, double b);

#endif
