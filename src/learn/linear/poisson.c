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
#include "core/number.h"
#include "learn/linear/glm.h"

#include <math.h>
#include <stdio.h>

static smr_status fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                      smr_fit_report *report)
{
    return smr_glm_fit(ctx, "poisson", SMR_LOSS_POISSON, params, data, state, report);
}

/* A variance well above the mean makes the errors look smaller than they are: this is said. */
static smr_status describe(smr_ctx *ctx, const void *params, const void *state,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_glm_params *p = params;
    const struct smr_glm_state *s = state;
    double most = 0;
    char text[200];
    for (int64_t k = 0; k < s->n_outputs; k++) most = smr_fmax(most, s->dispersion[k]);
    if (most > 2 && p->errors == SMR_GLM_MODEL) {
        char variance[SMR_NUMBER_MAX], root[SMR_NUMBER_MAX];
        smr_format_rounded(most, 3, variance);
        smr_format_rounded(sqrt(most), 3, root);
        snprintf(text, sizeof text,
                 "the variance is %s times the mean: true standard errors are some %s times these "
                 "(errors=quasi)",
                 variance, root);
        smr_json_add_string(into, "caveat", text);
    }
    return smr_glm_describe(ctx, params, state, in, n_in, into);
}

const smr_learner smr_poisson = {
    .name = "poisson",
    .family = "linear",
    .title = "Poisson regression",
    .brief = "Counts and rates: the logarithm of the mean is a linear function.",
    .objective = "sum weight (y log(y / m) - y + m) + l1 |w|_1 + l2 1/2 |w|^2, m = exp(b + x'w)",
    .details =
        "Newton's method up to 1000 columns, else L-BFGS; with l1 proximal Newton or OWL-QN. "
        "Targets below 0 are refused. For counts y over exposures e give the target y / e "
        "and the weight e. Inspect shows the factor exp(w) by which a step of 1 multiplies "
        "the mean, standard errors, D2 and the dispersion. errors=quasi multiplies the standard "
        "errors by the dispersion's root, for counts that vary more than the model says. "
        "scikit-learn's alpha is l2 / n.",
    .reference = "McCullagh & Nelder, Generalized Linear Models, 2nd ed. (1989)",
    .example = "samara train \"standardize | poisson\" data/diabetes.csv --target progression",
    .positive_target = SMR_REFUSES_NEGATIVE,
    .n_params = SMR_GLM_PARAMS,
    .fit = SMR_TRAINING(fit),
    .describe = describe,
    SMR_GLM_DESCRIPTOR,
};
