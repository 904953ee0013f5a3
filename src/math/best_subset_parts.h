/* best_subset_parts.h -- what the searches of best_subset.h share: the problem scaled to unit
 * columns, and where the best subsets are kept. */
#ifndef SMR_MATH_BEST_SUBSET_PARTS_H
#define SMR_MATH_BEST_SUBSET_PARTS_H

#include "math/best_subset.h"

/* A (m x m, m = d + 1) = correlations of the columns and, last, y: [X'X X'y; y'X y'y] of columns
 * of length 1.  A column of length 0 has a row of zeros, and stays out. */
struct smr_unit_problem {
    int64_t d, m;
    double *A;
    double yy; /* y'y before scaling */
};

smr_status smr_unit_problem_create(smr_ctx *ctx, const smr_gram_problem *problem,
                                   struct smr_unit_problem *out);
void smr_unit_problem_release(struct smr_unit_problem *unit);

/* Keeps the subset if it is the best of its size so far.  rss: of unit columns. */
struct smr_best {
    int64_t most;
    double *rss;     /* most + 1; INFINITY: none yet */
    int32_t *column; /* as in smr_subsets, in any order */
    int64_t n_seen;
};
void smr_best_offer(struct smr_best *best, int64_t k, const int32_t *column, double rss);

/* Would that RSS be the best of its size?  What differs by rounding alone stays with the first. */
static inline bool smr_best_may_fall(const struct smr_best *best, int64_t k, double rss)
{
    return rss < best->rss[k] - 1e-13;
}

/* A Cholesky factor L of unit columns' products, and z = L^-1 X'y.  Row i depends on columns 0 .. i
 * alone: a subset that begins as the one before it goes on from there. */
struct smr_subset_factor {
    int64_t k, stride;
    double *L, *unit, *z; /* stride x stride, stride, stride */
    int32_t *column;
};

smr_status smr_subset_factor_create(smr_ctx *ctx, int64_t most, struct smr_subset_factor *f);
void smr_subset_factor_release(struct smr_subset_factor *f);
/* Returns the RSS. */
double smr_subset_factor_columns(struct smr_subset_factor *f, const smr_gram_problem *p, int64_t k,
                                 const int32_t *column);

/* Branch and bound over all subsets. */
smr_status smr_subsets_bound(smr_ctx *ctx, const struct smr_unit_problem *unit,
                             struct smr_best *best);

#endif
