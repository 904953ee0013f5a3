/* huber_fit.h -- the problem that the learner huber solves.
 *
 * With h(r) = r^2 / 2 for |r| <= epsilon, else epsilon (|r| - epsilon / 2), minimises
 *
 *     fixed   sum_i weight_i h(r_i) + l2 1/2 |w|^2,     r_i = y_i - b - x_i' w                  (1)
 *     joint   sum_i weight_i s (1/2 + h(r_i / s)) + l2 1/2 |w|^2, over s > 0 too                (2)
 *
 * Both are convex; (2) is Huber's proposal 2 with an objective, and epsilon counts in units of s.
 * With I the rows of |r| <= epsilon s (inliers), Newton's matrix is
 *
 *     sum_I weight z z' / s + l2,    sum_I weight r z / s^2,    sum_I weight r^2 / s^3          (3)
 *
 * for (w, b), its border, and s.  The sum of z z' changes with the rows that enter or leave I only,
 * so that after the first few steps one costs little more than a pass over the rows.  The start is
 * the fit to a sample of the rows.  With more than SMR_HUBER_DENSE columns L-BFGS takes the place
 * of Newton's method, in (w, b, log s).
 * Reference: Huber & Ronchetti, Robust Statistics, 2nd ed., 2009, chapter 7 (7.7: convergence). */
#ifndef SMR_LEARN_LINEAR_HUBER_FIT_H
#define SMR_LEARN_LINEAR_HUBER_FIT_H

#include "learn/linear/design.h"

enum { SMR_HUBER_DENSE = 2000 };

typedef struct smr_huber_problem {
    const smr_data *data;
    int64_t output;
    double epsilon, l2;
    bool joint, intercept;
    int64_t max_iter;
    double tol;
} smr_huber_problem;

typedef struct smr_huber_fit {
    double *w, *error; /* d: coefficients and standard errors, the caller's */
    double b, b_error, sigma;
    double objective, outliers; /* outliers: their share of the weight          */
    int64_t n_iter;
    bool converged, collapsed; /* collapsed: s went to its floor                 */
    bool is_sparse;            /* too few rows lie within the threshold for standard errors */
} smr_huber_fit;

/* Calls smr_fit_step of `report`, if there is one, after each step.  The design is the data's, with
 * its frame; NULL: one is opened. */
smr_status smr_huber_solve(smr_ctx *ctx, const smr_huber_problem *problem, smr_design *design,
                           smr_fit_report *report, smr_huber_fit *out);

#endif
