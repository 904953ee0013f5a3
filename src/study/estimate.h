/* estimate.h -- parameters of distributions from the columns of a table.
 *
 *     family       parameter      prior, conjugate            posterior of n rows (weights count)
 *     bernoulli    p              beta a b                    beta a + s, b + n - s
 *     categorical  p_1 .. p_K     dirichlet a_1 .. a_K        dirichlet a_k + n_k
 *     poisson      rate           gamma shape rate            gamma shape + sum x, rate + n
 *     exponential  rate           gamma shape rate            gamma shape + n, rate + sum x
 *     gaussian     mean, variance nig m k a b                 see estimate_gauss.c
 *     multivariate-gaussian       niw m k v s                 the same with matrices
 *
 * Without a prior it is flat (beta 1 1, dirichlet 1, gamma 1 0), so that the posterior's mode
 * is the estimate of maximum likelihood; of a mean and a variance p(m, v) = 1/v, under which
 * credible and confidence intervals agree; of a covariance matrix |S|^(-(d+1)/2).
 *
 * The family is chosen by the values, and said, unless it is given.  A row with a gap counts in no
 * figure of its column (of several columns together: in none). */
#ifndef SMR_STUDY_ESTIMATE_H
#define SMR_STUDY_ESTIMATE_H

#include "core/json.h"
#include "data/table.h"

/* Adds level and estimates (one object per column, or one for all of a multivariate family) to
 * `into`, and, where it is not NULL, to the array `figures` likelihood-COL, posterior-COL and
 * fit-COL.  columns NULL: all that have a family. */
smr_status smr_estimate_table(smr_ctx *ctx, const smr_table *table, const char *columns,
                              const smr_estimate_opts *opts, smr_json *into, smr_json *figures);

#endif
