/* dual.h -- linear classifiers by coordinate descent on the dual, row by row.
 *
 *     P(w) = l2 |w|^2 / 2 + sum_i weight_i loss(y_i w'x_i),   loss hinge, squared hinge or
 *                                                              logistic, y_i = -1 or 1          (1)
 *
 * One pass over a row updates one dual variable a_i and keeps w = sum_i a_i y_i x_i.  Rows whose
 * variable rests at a bound are set aside (shrinking) and looked at again before the end.  The
 * answer is certified: P(w) - P(best) <= gap <= tol P(w).  The order of the rows in pass t is a
 * function of the seed and t.  With bias != 0 each row has one more entry of that value, whose
 * weight (penalised as the others) is w[n_cols].
 *
 * Cost: 2 multiply-adds an entry and pass, one for rows that do not move; memory 5 n numbers, and 8
 * bytes an entry for a packed copy of sparse rows whose values are all floats (counts are).
 * References: Hsieh, Chang, Lin, Keerthi & Sundararajan, ICML 2008; Yu, Huang & Lin, Mach. Learn.
 * 85:41-75, 2011 (logistic). */
#ifndef SMR_MATH_OPTIMIZE_DUAL_H
#define SMR_MATH_OPTIMIZE_DUAL_H

#include "core/rng.h"
#include "core/view.h"
#include "math/loss.h"
#include "math/optimize.h"

typedef struct smr_dual_problem {
    int64_t n_rows, n_cols;
    const smr_csr *sparse; /* or NULL, and then                              */
    const double *dense;   /* row i at dense + i * stride                    */
    int64_t stride;
    const double *y, *weight; /* n; weight >= 0, or NULL                     */
    double bias;
} smr_dual_problem;

typedef struct smr_dual_opts {
    smr_loss_id loss;   /* SMR_LOSS_HINGE, SMR_LOSS_SQUARED_HINGE, SMR_LOSS_LOGISTIC */
    double l2;          /* > 0; C = 1 / l2                                           */
    double tol;         /* 0: 1e-3                                                   */
    int64_t max_passes; /* 0: 1000 */
    double violation;   /* the gap is the square of an error: who needs more than 8 digits of w asks
                       * for the largest violation of the dual's conditions, too; 0: does not */
    bool warm;          /* start from alpha instead of 0                           */
    bool is_lean;     /* no packed copy of rows whose values are floats: a third slower, and 8 bytes
                       * an entry less */
    const char *what; /* names the work; NULL: "dual coordinate descent" */
} smr_dual_opts;

typedef struct smr_dual_result {
    double objective, gap; /* P(w); a bound on P(w) - P(best)  */
    int64_t passes, updates, n_support;
    bool converged;
} smr_dual_result;

/* w: n_cols, and one more with a bias.  alpha (n_rows; may be NULL unless warm): the dual
 * variables, 0 <= a_i <= weight_i / l2 (no upper bound for the squared hinge). */
smr_status smr_dual_coordinate(smr_ctx *ctx, const smr_dual_problem *problem,
                               const smr_dual_opts *opts, double *w, double *alpha,
                               smr_dual_result *out);

#endif
