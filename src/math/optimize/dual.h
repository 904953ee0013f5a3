/* dual.h -- linear classifiers by coordinate descent on the dual, row by row.
 *
 *     P(w) = l2 |w|^2 / 2 + sum_i weight_i loss(y_i (w'x_i + b)),   loss hinge, squared hinge or
 *                                                                   logistic, y_i = -1 or 1    (1)
 *
 * One visit of a row updates one dual variable a_i and keeps w = sum_i a_i y_i x_i.  Work goes in
 * rounds: passes over the rows in play, one after another on one thread (logistic loss and short
 * rows: half of them on each of two), then a look at all rows by all threads, which computes the
 * certificate and says which rows come into play next (those whose variable is free or violates its
 * condition).  The answer is certified: P(w) - P(best) <= gap <= tol P(w); for the hinge, w may at
 * the end be a multiple of that sum (dual_stretch.c).  The order of the rows in pass t is a
 * function of the seed and t.
 *
 * The intercept b is one of
 *     none       bias = 0
 *     penalised  bias != 0: each row has one more entry of that value, whose weight, penalised like
 *                the others, is w[n_cols]: b = bias w[n_cols]
 *     free       is_free: not penalised.  Its dual condition sum_i a_i y_i = 0 is reached by the
 *                method of multipliers (a penalised intercept around a centre that moves to where
 *                the intercept went), and w[n_cols] = b
 *
 * With is_hard the loss is 0 where the margin y_i (w'x_i + b) >= 1 and infinite elsewhere: the
 * separator of largest margin 1 / |w|.  Where no hyperplane separates the rows the dual has no
 * maximum; the passes end at max_passes with margin <= 0 and gap = infinity.
 *
 * Cost: 2 multiply-adds per entry and visit, one for rows that do not move; memory 6 n + n_cols
 * numbers (7 n + 2 n_cols for the logistic loss), and a row of doubles per thread for dense rows of
 * another type.
 * References: Hsieh, Chang, Lin, Keerthi & Sundararajan, ICML 2008; Yu, Huang & Lin, Mach. Learn.
 * 85:41-75, 2011 (logistic); Bertsekas, Constrained Optimization and Lagrange Multiplier Methods,
 * 1982 (the free intercept). */
#ifndef SMR_MATH_OPTIMIZE_DUAL_H
#define SMR_MATH_OPTIMIZE_DUAL_H

#include "core/rng.h"
#include "core/view.h"
#include "math/loss.h"
#include "math/optimize.h"

typedef struct smr_dual_problem {
    int64_t n_rows, n_cols;
    const smr_csr *sparse; /* or NULL, and then                              */
    const void *dense;     /* row i at element i * stride, of type dtype     */
    int64_t stride;
    const double *y, *weight; /* n; weight >= 0, or NULL                     */
    double bias;
    bool is_free;        /* bias may then be 0: it goes by the rows' mean length        */
    smr_dtype dtype;     /* of dense: SMR_F64, SMR_F32, SMR_U8                           */
    const int64_t *rows; /* n row numbers in sparse or dense; NULL: 0, 1, 2 ...          */
    /* n_cols: dense rows are taken less this, and b is the intercept of these; NULL: 0.  With a
     * free intercept it changes only the number of passes, which is large for rows far from 0. */
    const double *shift;
} smr_dual_problem;

struct smr_dual_result;

typedef struct smr_dual_opts {
    smr_loss_id loss;   /* SMR_LOSS_HINGE, SMR_LOSS_SQUARED_HINGE, SMR_LOSS_LOGISTIC */
    double l2;          /* > 0; C = 1 / l2                                           */
    double tol;         /* 0: 1e-3                                                   */
    int64_t max_passes; /* 0: 1000 */
    double violation;   /* the gap is the square of an error: where more than 8 digits of w are
                           needed, the largest violation of the dual's conditions is bounded too; 0:
                           it is not */
    bool warm;          /* start from alpha instead of 0                           */
    bool is_hard;       /* hinge only; l2 = 1 and no upper bounds; rows of weight 0 do not count */
    double *score;      /* n: receives w'x_i + b; may be NULL                      */
    const char *what;   /* names the work; NULL: "dual coordinate descent" */
    /* Called after each round; false ends the work.  May be NULL. */
    bool (*each)(void *user, const struct smr_dual_result *now);
    void *user;
} smr_dual_opts;

typedef struct smr_dual_result {
    double objective, gap; /* P(w); a bound on P(w) - P(best)                               */
    double margin;         /* the least y_i (w'x_i + b) of rows with weight                 */
    int64_t passes;        /* visits of a row over the rows that count, rounded up          */
    int64_t updates, visits, n_support;
    bool converged;
} smr_dual_result;

/* w: n_cols, and one more with an intercept.  alpha (n_rows; may be NULL unless warm): the dual
 * variables, 0 <= a_i <= weight_i / l2 (no upper bound for the squared hinge and hard margins).
 * With is_hard w is not scaled: w / margin is the separator, and objective is that one's. */
smr_status smr_dual_coordinate(smr_ctx *ctx, const smr_dual_problem *problem,
                               const smr_dual_opts *opts, double *w, double *alpha,
                               smr_dual_result *out);

/* score[i] = w'x_i + b with w as above (is_free: b = w[n_cols]), by all threads. */
smr_status smr_dual_scores(smr_ctx *ctx, const smr_dual_problem *problem, const double *w,
                           double *score);

#endif
