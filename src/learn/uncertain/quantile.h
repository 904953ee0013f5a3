/* quantile.h -- the quantile of split-conformal prediction.
 *
 * If a new row's score and those of n calibration rows are exchangeable, then the new one is at most
 *
 *     q = the ceil((n + 1) coverage)-th smallest of the n scores                            (1)
 *
 * with probability at least `coverage`, whatever the scores' distribution; and, where no two scores
 * are equal, at most coverage + 1 / (n + 1).  When (n + 1) coverage > n there is no such score: q is
 * infinite.  Weight 2 means the row twice; for weights that are not whole numbers the smallest score
 * with a weight of (W + 1) coverage at or below it.
 * Reference: Vovk, Gammerman & Shafer, Algorithmic Learning in a Random World, 2005. */
#ifndef SMR_LEARN_UNCERTAIN_QUANTILE_H
#define SMR_LEARN_UNCERTAIN_QUANTILE_H

#include "core/ctx.h"

/* Rows with pick[i] == which count; pick NULL: all.  weight NULL: all 1.  *weigh_out: their weight. */
smr_status smr_conformal_quantile(smr_ctx *ctx, int64_t n, const double *score,
                                  const double *weight, const int32_t *pick, int32_t which,
                                  double coverage, double *q, double *weigh_out);
/* The least weight for which (1) is finite. */
double smr_conformal_least(double coverage);

#endif
