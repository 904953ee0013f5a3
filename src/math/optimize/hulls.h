/* hulls.h -- the nearest points of the convex hulls of two classes, exactly.
 *
 * With p = sum_i s_i x_i over the rows of class 1 and q over those of class -1, s >= 0 and the
 * weights of either side summing to 1, |p - q| is least.  If that is 0 the hulls meet, s is the
 * proof, and no hyperplane separates the classes.  Else the hyperplane of largest margin is
 *
 *     w = 2 (p - q) / |p - q|^2,  b = 1 - w'p,  width 2 / |w| = |p - q|,  a_i = 2 s_i / |p - q|^2
 *
 * with a the dual variables.  Without an intercept the nearest point to 0 of the hull of y_i x_i
 * is found: w = p / |p|^2, b = 0, a_i = s_i / |p|^2.
 *
 * Wolfe's method: finite, one pass over the rows for each of its steps (about as many as there are
 * rows that touch the margin); memory min(n, d + 1) x (d + min(n, d + 1)) numbers, cost that times
 * min(n, d + 1) per step: for up to SMR_HULLS_MOST columns or rows.  Reference: Wolfe, Mathematical
 * Programming 11:128-149, 1976. */
#ifndef SMR_MATH_OPTIMIZE_HULLS_H
#define SMR_MATH_OPTIMIZE_HULLS_H

#include "math/optimize/dual.h"

enum { SMR_HULLS_MOST = 256 };

typedef struct smr_hulls {
    bool is_separable; /* the distance exceeds 1e-10 of the rows' largest length */
    bool converged;    /* false: max_steps                                       */
    double distance;
    int64_t steps;
} smr_hulls;

/* Rows of weight 0 do not count; both classes must have rows.  problem->is_free: with an intercept.
 * share (n): s.  w: n_cols + 1, the intercept last; where the hulls meet, p - q. */
smr_status smr_hulls_nearest(smr_ctx *ctx, const smr_dual_problem *problem, int64_t max_steps,
                             double *w, double *share, smr_hulls *out);

#endif
