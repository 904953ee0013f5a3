/* parzen.h -- sums of kernels over many points, with a bounded error.
 *
 *     S(x) = sum_i w_i K(q_i),   q_i = sum_j ((x_j - x_ij) / h_j)^2                             (1)
 *
 *     gaussian      K = e^(-q / 2)              epanechnikov  K = max(0, 1 - q)
 *     ball          K = 1 where q <= 1          box           K = 1 where every square is <= 1
 *
 * The points lie in the order of a tree of 16 at a time (neighbors/kdtree.h): leaves of 16 points,
 * members of level 0; groups of 16 leaves, members of level 1; and so on.  Each member has a tight
 * box, its weight, and what sums over it need.
 *
 * Gaussian sums are within rtol S + atol of the exact ones, but for rounding.  A query visits the
 * nearest members first; L is what it is sure of so far, at most S.  What it leaves out or replaces
 * may be off by E in all,
 *
 *     E <= (rtol L + atol) D / W                                                                (2)
 *
 * D being the weight that is dealt with, W all weight: L and D only grow, so the bound holds at the
 * end.  A member at the squared distance q and more is
 *     left out        where e^(-q/2) is small enough: off by its weight times that
 *     replaced        by one value for all its points, where the kernel hardly changes over it
 *     expanded        in Hermite functions about its box's centre (up to 3 features): cut after the
 *                     terms of order p - 1, off by at most 1.09 w r^p / sqrt(p!) e^(-q/4), r the
 *                     largest distance of a point from the centre, over h
 *     looked into     otherwise
 *
 * Far from all points everything underflows: then the nearest point is found, and kernels are taken
 * relative to its.  The other kernels end, and sums over members inside them are exact: the weight,
 * or w (1 - |x - mean|^2) - spread; so they have no error.
 *
 * A query depends on no other, and on no thread.  Cost: building n log n; a query some boxes and
 * the points of members that are neither far nor small.
 *
 * References: Gray & Moore, "Nonparametric density estimation: toward computational tractability",
 * SDM 2003; Greengard & Strain, "The fast Gauss transform", SIAM J. Sci. Stat. Comput. 12(1), 1991
 * (the series). */
#ifndef SMR_LEARN_DENSITY_PARZEN_H
#define SMR_LEARN_DENSITY_PARZEN_H

#include "core/ctx.h"
#include "kernel/window_kernels.h"

enum { SMR_PARZEN_LEVELS = 8 };

/* Members of one level, in groups of 16; of the last group those after n are not there. */
typedef struct smr_parzen_level {
    int64_t n, n_groups;
    double *boxes;   /* n_groups x d x 32                                                  */
    double *weight;  /* n_groups x 16                                                      */
    double *radius;  /* series: log of r, infinite: it has none; n_groups x 16               */
    double *moments; /* series: n_groups x terms x 16                                      */
    double *mean;    /* epanechnikov: n_groups x d x 16                                    */
    double *spread;  /* epanechnikov: n_groups x 16: sum_i w_i |(x_i - mean) / h|^2        */
} smr_parzen_level;

typedef struct smr_parzen {
    smr_window kind;
    int64_t n, d, n_groups;
    const double *point;  /* n_groups x d x 16, in the tree's order; after the last it repeats */
    const double *weight; /* n_groups x 16; 0 after the last                               */
    double rtol, atol;    /* atol in units of S                                            */
    double total;         /* W                                                             */
    double *scale;        /* d: 1 / h, gaussian: 1 / (h sqrt 2)                            */
    int64_t terms, most;  /* of a series: numbers, and the order that it ends before; 0: none */
    int n_levels;
    smr_parzen_level level[SMR_PARZEN_LEVELS];
} smr_parzen;

/* order[i] = which of the n rows of d numbers comes at place i.  width (d): the units of the
 * features. */
smr_status smr_parzen_order(smr_ctx *ctx, int64_t n, int64_t d, const double *x,
                            const double *width, int32_t *order);

/* Draws the boxes; kind, n, d, n_groups, point and weight are set, and live as long. */
smr_status smr_parzen_build(smr_ctx *ctx, smr_parzen *p);
/* Takes these widths (d); may be called again. */
smr_status smr_parzen_widen(smr_ctx *ctx, smr_parzen *p, const double *width);
void smr_parzen_release(smr_parzen *p);

/* log S(x); -infinity where no kernel reaches x.  without: the place of a point that is left out,
 * or -1. */
double smr_parzen_log_sum(const smr_parzen *p, const double *x, int64_t without);

#endif
