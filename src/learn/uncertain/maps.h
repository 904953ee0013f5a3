/* maps.h -- from scores to probabilities: Platt's sigmoid, isotonic regression, temperature.
 *
 * Each is fitted on rows with a score, an answer and a weight (weight 2: the row twice), which the
 * learner that made the scores has not seen. */
#ifndef SMR_LEARN_UNCERTAIN_MAPS_H
#define SMR_LEARN_UNCERTAIN_MAPS_H

#include "core/ctx.h"

/* n scores: row i has the score x[i * stride]; it is a yes when label[i] == yes. */
typedef struct smr_scored {
    int64_t n;
    const double *x;
    int64_t stride;
    const int32_t *label;
    int32_t yes;
    const double *weight; /* NULL: all 1 */
} smr_scored;

/* ---- Platt: p = 1 / (1 + exp(-(a x + b))) ---- */

/* Minimises the cross-entropy against smoothed answers,
 *
 *     sum_i w_i (-t_i log p_i - (1 - t_i) log(1 - p_i)),    t = (N+ + 1) / (N+ + 2) for a yes,
 *                                                           t = 1 / (N- + 2) for a no,
 *
 * by Newton's method with backtracking, on standardised scores; N+ and N- are the weights of yes
 * and no.  The smoothing keeps a and b finite where the scores tell the answers apart.  Scores
 * that are all equal give a = 0.
 * Reference: Lin, Lin & Weng, A note on Platt's probabilistic outputs for support vector machines,
 * Machine Learning 68 (2007) 267-276. */
typedef struct smr_platt {
    const smr_scored *rows;
    double mean, sd;    /* of the scores                */
    double yes, no;     /* smoothed answers             */
    double total;       /* weight                       */
    double slope, bias; /* on the standardised scores   */
    double loss;        /* sum, at these                */
    bool converged;
} smr_platt;

void smr_platt_begin(const smr_scored *rows, smr_platt *p);
/* One Newton step; the loss never grows. */
void smr_platt_step(smr_platt *p);
/* The coefficients for scores as they are. */
void smr_platt_end(const smr_platt *p, double *a, double *b);
double smr_sigmoid(double f);

/* ---- isotonic: the non-decreasing p(x) nearest to the answers ---- */

/* Minimises sum_i w_i (y_i - p(x_i))^2 over non-decreasing p by pooling adjacent violators, O(n log
 * n).  Rows of equal score are one row with their mean answer.  *n_knots points (x ascending, y
 * non-decreasing) are allocated: a block of equal values has a point at each end.  Between points p
 * is linear, outside it is constant.
 * The first block may hold no yes, the last nothing else.  A value is then kept away from 0 and 1
 * by 1 / (W + 2), W the weight of the block (Laplace's rule of succession), but never moved past
 * that of the next block.
 * Reference: Barlow, Bartholomew, Bremner & Brunk, Statistical Inference under Order Restrictions,
 * Wiley 1972; Zadrozny & Elkan, KDD 2002. */
smr_status smr_isotonic_fit(smr_ctx *ctx, const smr_scored *rows, int64_t *n_knots, double **x,
                            double **y);
double smr_isotonic(int64_t n_knots, const double *x, const double *y, double at);

/* ---- temperature: softmax(z / T) ---- */

/* n rows of k scores. */
typedef struct smr_logits {
    int64_t n, k;
    const double *z; /* n x k */
    const int32_t *label;
    const double *weight; /* NULL: all 1 */
} smr_logits;

/* Minimises -sum_i w_i log softmax(beta z_i)[label_i] over beta = 1 / T >= 0, a convex function of
 * one variable, by Newton's method kept inside a bracket.  Scores that do not help give beta = 0.
 * Scores that are never wrong would give infinity: then beta is such that the least margin has an
 * error of 1 / (W + 2), as sure as W rows can make one.
 * step(user, loss) is called after each iteration; it may be NULL.
 * Reference: Guo, Pleiss, Sun & Weinberger, On calibration of modern neural networks, ICML 2017. */
typedef smr_status (*smr_step_fn)(smr_ctx *ctx, void *user, double loss);
smr_status smr_temperature_fit(smr_ctx *ctx, const smr_logits *rows, double *beta, smr_step_fn step,
                               void *user);
/* Loss (sum) and its first two derivatives in beta. */
double smr_temperature_loss(const smr_logits *rows, double beta, double *slope, double *curvature);
/* out[k] = softmax(beta z); z and out may be the same. */
void smr_softmax(int64_t k, const double *z, double beta, double *out);

#endif
