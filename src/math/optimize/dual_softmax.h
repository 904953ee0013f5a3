/* dual_softmax.h -- softmax regression of sparse rows, by descent on the dual, row by row.
 *
 *     P(W, b) = l2/2 sum_c |w_c|^2 + sum_i weight_i (log sum_c exp(f_ic) - f_iy),
 *     f_ic = w_c'x_i + b_c                                                                     (1)
 *
 * A visit solves the dual for the k variables of one row: a step of Newton's in k numbers some
 * times, besides the k products with the row.  The intercepts are not penalised.  Work goes in
 * rounds: passes over the rows in play on one thread, then a look at all rows by all threads, which
 * finds the best intercepts, makes the variables agree with them and computes the certificate
 *
 *     P(W, b) - P(best) <= gap <= tol P(W, b).
 *
 * Cost: 2 k multiply-adds per entry and visit.  Memory: 2 n k + 2 (n_cols + 1) k numbers, k rounded
 * up to a multiple of 8.  Reference: Yu, Huang & Lin, Mach. Learn. 85:41-75, 2011. */
#ifndef SMR_MATH_OPTIMIZE_DUAL_SOFTMAX_H
#define SMR_MATH_OPTIMIZE_DUAL_SOFTMAX_H

#include "math/optimize/dual.h"

enum { SMR_SOFTMAX_CLASSES = 100 }; /* at most: a look solves a system of k numbers */

typedef struct smr_softmax_opts {
    double l2;          /* > 0                   */
    double tol;         /* gap <= tol P; 0: 1e-6 */
    int64_t max_passes; /* 0: 1000               */
    const char *what;
    /* Called after each round; false ends the work.  May be NULL. */
    bool (*each)(void *user, const smr_dual_result *now);
    void *user;
} smr_softmax_opts;

/* problem: sparse rows; y is not read; is_free gives every class an intercept, else there is none.
 * Every class has a row with weight.  W: k x n_cols; b: k, their sum 0. */
smr_status smr_dual_softmax(smr_ctx *ctx, const smr_dual_problem *problem, const int32_t *label,
                            int64_t k, const smr_softmax_opts *opts, double *W, double *b,
                            smr_dual_result *out);

#endif
