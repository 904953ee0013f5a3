/* poisson.c -- Poisson regression: counts whose mean is exp(b + x'w).
 *
 * Minimises over w and b (b = 0 without fit_intercept), for every output, with the means
 * m_i = exp(b + x_i'w),
 *
 *     sum_i weight_i (y_i log(y_i / m_i) - y_i + m_i) + l1 |w|_1 + l2 1/2 |w|^2
 *
 * half the deviance, y log y being 0 at y = 0; glm.h has the method.  Targets need not be whole.
 * Counts y over an exposure e are fitted as rates y / e with the weight e.  Standard errors are
 * those of a variance equal to the mean; a dispersion well above 1 says that they are too small,
 * and errors=quasi multiplies them by its root (quasi-likelihood, Wedderburn 1974).
 * Where all targets are 0 there is no finite optimum: an error.
 * Reference: McCullagh & Nelder, Generalized Linear Models, 2nd ed., 1989, chapter 6. */
#include "learn/linear/glm.h"

static smr_status fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                      smr_fit_report *report)
{
    return smr_glm_fit(ctx, SMR_LOSS_POISSON, params, data, state, report);
}

static const smr_word about = {
    .name = "poisson",
    .family = "linear",
    .title = "Poisson regression",
    .brief = "For counts and rates: the logarithm of the mean is linear.",
    .objective = "sum weight (y log(y / m) - y + m) + l1 |w|_1 + l2 1/2 |w|^2, m = exp(b + x'w)",
    .details =
        "Solved by Newton's method up to 1000 columns, otherwise by L-BFGS; with l1 by proximal "
        "Newton or OWL-QN. Targets below 0 are refused. For counts y over exposures e give the "
        "target y / e and the weight e. inspect shows the factor exp(w) by which an increase of "
        "1 multiplies the mean, standard errors, D2 and the dispersion. errors=quasi multiplies "
        "the standard errors by the square root of the dispersion, for counts that vary more "
        "than the model says. scikit-learn's alpha is l2 / n.",
    .reference = "McCullagh & Nelder, Generalized Linear Models, 2nd ed. (1989)",
    .example = "samara train \"standardize | poisson\" data/diabetes.csv --target progression",
    .params = smr_glm_params,
    .n_params = SMR_GLM_PARAMS,
    .params_size = sizeof(struct smr_glm_params),
};

static const char *judge_by(const void *params)
{
    (void)params;
    return "poisson_deviance";
}

static const smr_comparing compared = {.measure = judge_by};

const smr_learner smr_poisson = {
    .word = &about,
    .tasks = SMR_DOES_REGRESS,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_WEIGHTS | SMR_TAKES_MANY_TARGETS,
    .traits = SMR_REFUSES_NEGATIVE | SMR_WANTS_CONTRASTS | SMR_FITS_FREELY,
    .nature = smr_glm_nature,
    .fit = SMR_TRAINING(fit),
    .fitted = &smr_glm_fitted,
    .comparing = SMR_TRAINING(&compared),
};
