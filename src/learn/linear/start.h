/* start.h -- where the fit of a linear model begins that is told of an earlier one, and how its
 * steps are told. */
#ifndef SMR_LEARN_LINEAR_START_H
#define SMR_LEARN_LINEAR_START_H

#include "learn/learner.h"
#include "math/optimize.h"

/* w (q x d) and b (q) = the coefficients of report->warm, where it is of the same learner.
 * Features are matched by name where names are known, else by position; targets where there are as
 * many of them; classes by their numbers, except that the one score of two classes matches none of
 * several. What has no match is left as it is.  Returns, and says in the report, whether anything
 * was taken. */
bool smr_linear_start(smr_fit_report *report, const smr_data *data, int64_t q, double *w,
                      double *b);

/* *scale = |g| at zero, to which the tolerance of a fit from elsewhere is relative; with l1 (n)
 * the least of a subgradient. */
smr_status smr_linear_scale(smr_ctx *ctx, const smr_objective *f, const double *l1, double *scale);

/* What smr_optimize_opts.each needs to tell a report of the steps. */
typedef struct smr_linear_telling {
    smr_ctx *ctx;
    smr_fit_report *report; /* NULL: nobody is told */
    smr_status status;
    double at_start;             /* |g| of iteration 0 */
    struct smr_descent *watched; /* learn/linear/descent.h; NULL: nobody watches */
} smr_linear_telling;
/* user: a telling.  False ends the method: the status says why. */
bool smr_linear_tell(void *user, const smr_iteration *now);

#endif
