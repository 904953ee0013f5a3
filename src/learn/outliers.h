/* outliers.h -- which rows a model calls outliers.
 *
 * Any learner that says how well a row fits (SMR_GIVES_SCORE) can find outliers: rows that fit
 * worse than almost all training rows.  Its fit knows nothing of that; the threshold is part of the
 * model's target:
 *
 *     outlier(x) = score(x) < threshold,   at most the share of the training weight below it   (1)
 *
 * half way between two scores that occur, so that a score in between goes to the nearer side. */
#ifndef SMR_LEARN_OUTLIERS_H
#define SMR_LEARN_OUTLIERS_H

#include "learn/model.h"

/* The share of the training rows that lie beyond the threshold, where none is asked for. */
#define SMR_OUTLIER_SHARE 0.05

/* (1) of these n scores; weight NULL: all 1.  Sorted here; scores are not NaN. */
smr_status smr_outlier_threshold(smr_ctx *ctx, int64_t n, const double *score, const double *weight,
                                 double share, double *threshold);
/* Gives a fitted model the threshold of (1) from rows of the table that it was fitted to (NULL:
 * all); weight: of the table's rows, or NULL. */
smr_status smr_outlier_train(smr_ctx *ctx, smr_model *model, const smr_table *table,
                             const int64_t *rows, int64_t n, const double *weight, double share);
/* Of n scores: 1 for an outlier, else 0; in place where out is score. */
void smr_outlier_labels(const smr_target *target, const double *score, int64_t n, double *out);

#endif
