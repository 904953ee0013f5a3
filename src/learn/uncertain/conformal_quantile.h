/* conformal_quantile.h -- the quantile of split-conformal prediction.
 *
 * If a new row's score and those of n calibration rows are exchangeable, then the new one is at
 * most
 *
 *     q = the ceil((n + 1) coverage)-th smallest of the n scores                            (1)
 *
 * with probability at least `coverage`, whatever the scores' distribution; and, where no two scores
 * are equal, at most coverage + 1 / (n + 1).  When (n + 1) coverage > n there is no such score: q
 * is infinite.  Weight 2 means the row twice; for weights that are not whole numbers the smallest
 * score with a weight of (W + 1) coverage at or below it.
 * Reference: Vovk, Gammerman & Shafer, Algorithmic Learning in a Random World, 2005. */
#ifndef SMR_LEARN_UNCERTAIN_CONFORMAL_QUANTILE_H
#define SMR_LEARN_UNCERTAIN_CONFORMAL_QUANTILE_H

#include "core/ctx.h"

/* Scores of rows; only those with pick[i] == which count, where there is a pick. */
typedef struct smr_tested {
    int64_t n;
    const double *score;
    const double *weight; /* NULL: all 1 */
    const int32_t *pick;  /* NULL: all   */
    int32_t which;
} smr_tested;

/* *q by (1); *weight, if not NULL, receives the weight of the rows that count. */
smr_status smr_conformal_quantile(smr_ctx *ctx, const smr_tested *rows, double coverage, double *q,
                                  double *weight);
/* The least weight for which (1) is finite. */
double smr_conformal_least(double coverage);

#endif
