/* gamma.c -- gamma regression: positive amounts whose mean is exp(b + x'w), spread in proportion.
 *
 * Minimises over w and b (b = 0 without fit_intercept), for every output, with the means
 * m_i = exp(b + x_i'w),
 *
 *     sum_i weight_i (y_i / m_i - 1 - log(y_i / m_i)) + l1 |w|_1 + l2 1/2 |w|^2
 *
 * half the deviance; glm.h has the method.  Standard errors are multiplied by the root of Pearson's
 * dispersion, the squared coefficient of variation.
 * Reference: McCullagh & Nelder, Generalized Linear Models, 2nd ed., 1989, chapter 8. */
#include "learn/linear/glm.h"

static smr_status fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                      smr_fit_report *report)
{
    return smr_glm_fit(ctx, SMR_LOSS_GAMMA, params, data, state, report);
}

static const smr_word about = {
    .name = "gamma",
    .family = "linear",
    .title = "Gamma regression",
    .brief = "For positive amounts whose errors grow with their size: the logarithm of the mean is "
             "linear.",
    .objective = "sum weight (y / m - 1 - log(y / m)) + l1 |w|_1 + l2 1/2 |w|^2, m = exp(b + x'w)",
    .details =
        "Solved by Newton's method up to 1000 columns, otherwise by L-BFGS; with l1 by proximal "
        "Newton or OWL-QN. Targets of 0 or below are refused. inspect shows the factor exp(w) by "
        "which an increase of 1 multiplies the mean, standard errors, D2 and the dispersion. "
        "scikit-learn's alpha is l2 / n.",
    .reference = "McCullagh & Nelder, Generalized Linear Models, 2nd ed. (1989)",
    .example = "samara train \"standardize | gamma\" data/diabetes.csv --target progression",
    .params = smr_glm_params,
    .n_params = SMR_GLM_PARAMS - 1,
    .params_size = sizeof(struct smr_glm_params),
};

static const char *judge_by(const void *params)
{
    (void)params;
    return "gamma_deviance";
}

static const smr_comparing compared = {.measure = judge_by};

const smr_learner smr_gamma = {
    .word = &about,
    .tasks = SMR_DOES_REGRESS,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_WEIGHTS | SMR_TAKES_MANY_TARGETS,
    .traits = SMR_REFUSES_NEGATIVE | SMR_REFUSES_ZERO | SMR_WANTS_CONTRASTS | SMR_FITS_FREELY,
    .nature = smr_glm_nature,
    .fit = SMR_TRAINING(fit),
    .fitted = &smr_glm_fitted,
    .comparing = SMR_TRAINING(&compared),
};
