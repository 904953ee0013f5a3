/* best_subset.h -- best subsets: for each number of columns, those whose least squares fit is best.
 *
 *     RSS(S) = min_w |y - X_S w|^2,     best of size k: the S with |S| = k and the least RSS    (1)
 *
 * Everything is computed from X'X, X'y and y'y (smr_gram_problem; centring, weights and scaling
 * are the caller's), so the number of rows does not matter.
 *
 *     exhaustive  exact: all subsets, those that cannot win left out by bounds
 *                 (best_subset_bound.c)
 *     forward     adds the column that lowers RSS most                       d^2 per step
 *     backward    from all columns, drops the one that raises RSS least      d^2 per step
 *     swap        from the subsets that forward and backward found, and the columns most
 *                 correlated with y, exchanges one column for another as long as RSS falls; a
 *                 subset of each size is also grown and shrunk from its neighbours' sizes
 *
 * A column that adds less than SMR_SUBSET_NOISE of its own length to the others is a combination of
 * them: it never enters, so no subset holds collinear columns, and sizes end at the rank.  Equal
 * RSS: the subset with the lower column numbers, as the searches meet it.  The bytes do not depend
 * on threads.
 *
 * References: Furnival & Wilson, Technometrics 16(4):499-511, 1974; Goodnight, Am. Stat.
 * 33(3):149-158, 1979 (sweeping); Miller, Subset Selection in Regression, 2nd ed., 2002. */
#ifndef SMR_MATH_BEST_SUBSET_H
#define SMR_MATH_BEST_SUBSET_H

#include "math/optimize/coordinate.h"

/* The most columns of an exhaustive search. */
enum { SMR_SUBSET_MOST = 40 };

/* A column of length 1 whose remaining squared length is below this is taken as dependent. */
#define SMR_SUBSET_NOISE 1e-10

typedef enum smr_subset_method {
    SMR_SUBSET_EXHAUSTIVE,
    SMR_SUBSET_FORWARD,
    SMR_SUBSET_BACKWARD,
    SMR_SUBSET_SWAP
} smr_subset_method;

/* The best subset of each size 0 .. most. */
typedef struct smr_subsets {
    int64_t most;    /* as asked for, or the rank where that is less                       */
    double *rss;     /* most + 1, never ascending                                          */
    int32_t *column; /* size k: k column numbers, ascending, from k (k - 1) / 2            */
    int64_t n_seen;  /* subsets whose RSS was computed                                     */
} smr_subsets;

static inline int32_t *smr_subset_columns(const smr_subsets *s, int64_t k)
{
    return s->column + k * (k - 1) / 2;
}

/* most: the largest size wanted, 0 .. d.  Fails with SMR_ERR_PARAM when an exhaustive search has
 * more than SMR_SUBSET_MOST columns. */
smr_status smr_subsets_search(smr_ctx *ctx, const smr_gram_problem *problem,
                              smr_subset_method method, int64_t most, smr_subsets *out);
void smr_subsets_release(smr_subsets *subsets);

/* Least squares on k columns: w (k), and, unless NULL, the diagonal of (X_S'X_S)^-1 and the RSS.
 * Columns that depend on those before them get w = 0 and a NaN in the diagonal. */
smr_status smr_subset_solve(smr_ctx *ctx, const smr_gram_problem *problem, int64_t k,
                            const int32_t *column, double *w, double *inverse, double *rss);

#endif
