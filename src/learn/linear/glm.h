/* glm.h -- what poisson and gamma share: linear models of the logarithm of the mean.
 *
 * With score f = b + x'w and mean exp(f), minimises
 *
 *     sum_i weight_i loss(y_i, f_i) + l1 |w|_1 + l2 1/2 |w|^2                                   (1)
 *
 * loss being half the unit deviance (math/loss.h): 0 where the mean is y.  Up to SMR_GLM_DENSE
 * columns by Newton's method with the dense Hessian (many rows begin at the answer for a part of
 * them), with l1 by proximal Newton; beyond by L-BFGS or OWL-QN on the standardised features.
 * Reference: McCullagh & Nelder, Generalized Linear Models, 2nd ed., 1989. */
#ifndef SMR_LEARN_LINEAR_GLM_H
#define SMR_LEARN_LINEAR_GLM_H

#include "learn/learner.h"
#include "math/loss.h"

enum { SMR_GLM_DENSE = 1000 };

struct smr_glm_params {
    double l2, l1;
    bool fit_intercept;
    int64_t max_iter;
    double tol;
    int errors; /* enum smr_glm_errors; gamma has the first */
};

enum smr_glm_errors { SMR_GLM_QUASI, SMR_GLM_MODEL };

struct smr_glm_state {
    int64_t n_features, n_outputs;
    double n_rows;
    double *coef, *intercept;
    double *std_error, *intercept_error;
    double *objective, *deviance, *null_deviance, *dispersion;
};

/* What both fit; gamma has all parameters but the last, errors. */
enum { SMR_GLM_PARAMS = 6 };
extern const smr_param smr_glm_params[SMR_GLM_PARAMS];
extern const smr_fitted smr_glm_fitted;

/* A penalty holds the coefficients. */
void smr_glm_nature(const void *params, smr_nature *its);

/* Standard errors of gamma, and of poisson with errors=quasi, are multiplied by the root of the
 * dispersion, sum weight (y - mean)^2 / V / (n - d - 1), V the mean (poisson) or its square. */
smr_status smr_glm_fit(smr_ctx *ctx, smr_loss_id loss, const struct smr_glm_params *params,
                       const smr_data *data, struct smr_glm_state *state, smr_fit_report *report);

#endif
