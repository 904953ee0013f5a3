/* glm.c -- parameters, state, prediction and description of glm.h: no training code. */
#include "learn/linear/glm.h"

#include "core/number.h"
#include "kernel/kernel.h"
#include "learn/linear/affine.h"
#include "math/special.h"

#include <math.h>
#include <stdio.h>

static const smr_choice errors[] = {
    [SMR_GLM_QUASI] = {"quasi", "the variance is the mean times the estimated dispersion"},
    [SMR_GLM_MODEL] = {"model", "the variance is the mean"},
    {NULL, NULL},
};

const smr_param smr_glm_params[SMR_GLM_PARAMS] = {
    {SMR_FIELD(struct smr_glm_params, l2), .def = 0, .min = 0, .max = INFINITY, .max_open = true,
     .search = SMR_SEARCH_LOG, .search_min = 1e-4, .search_max = 1e4, .simpler = SMR_SIMPLER_HIGH,
     .primary = true, .doc = "Weight of the penalty 1/2 |w|^2."},
    {SMR_FIELD(struct smr_glm_params, l1), .def = 0, .min = 0, .max = INFINITY, .max_open = true,
     .search = SMR_SEARCH_LOG, .search_min = 1e-4, .search_max = 1e4, .simpler = SMR_SIMPLER_HIGH,
     .doc = "Weight of the penalty |w|_1, which makes coefficients exactly 0."},
    {SMR_FIELD(struct smr_glm_params, fit_intercept), .def = true,
     .doc = "Fit the intercept b, which is not penalised."},
    {SMR_FIELD(struct smr_glm_params, max_iter), .def = 1000, .min = 1, .max = 1e6,
     .doc = "Maximum number of iterations."},
    {SMR_FIELD(struct smr_glm_params, tol), .def = 1e-10, .min = 0, .max = 1, .max_open = true,
     .doc = "Stop when the gradient has shrunk to this fraction of the one at the targets' mean."},
    {SMR_FIELD(struct smr_glm_params, errors), .when = "l1=0", .def = SMR_GLM_MODEL,
     .choices = errors,
     .doc = "How the standard errors are computed; the coefficients do not change."},
};

static const smr_state state[] = {
    {SMR_KEPT(struct smr_glm_state, n_features), .is = "features", .min = 0, .doc = "Features."},
    {SMR_KEPT(struct smr_glm_state, n_outputs), .is = "targets", .min = 1, .doc = "Targets."},
    {SMR_KEPT(struct smr_glm_state, n_rows), .doc = "Sum of the rows' weights."},
    {SMR_KEPT(struct smr_glm_state, coef), .dims = {"n_outputs", "n_features"},
     .doc = "Coefficients w of the logarithm of the mean."},
    {SMR_KEPT(struct smr_glm_state, intercept), .dims = {"n_outputs"}, .doc = "Intercepts b."},
    {SMR_KEPT(struct smr_glm_state, std_error), .dims = {"n_outputs", "n_features"},
     .doc = "Standard errors of the coefficients; NaN where the data do not determine one."},
    {SMR_KEPT(struct smr_glm_state, intercept_error), .dims = {"n_outputs"},
     .doc = "Standard errors of the intercepts."},
    {SMR_KEPT(struct smr_glm_state, objective), .dims = {"n_outputs"},
     .doc = "What was minimised."},
    {SMR_KEPT(struct smr_glm_state, deviance), .dims = {"n_outputs"},
     .doc = "Mean deviance of the rows."},
    {SMR_KEPT(struct smr_glm_state, null_deviance), .dims = {"n_outputs"},
     .doc = "Mean deviance when every row is given the targets' mean."},
    {SMR_KEPT(struct smr_glm_state, dispersion), .dims = {"n_outputs"},
     .doc = "Pearson's estimate of the dispersion."},
};

/* exp of the score; scores beyond what a double can hold give the largest finite means. */
static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct smr_glm_state *s = state_;
    int64_t n = rows->n * s->n_outputs;
    (void)ctx, (void)params_, (void)output, (void)scratch;
    smr_affine_predict(s->n_features, s->n_outputs, s->coef, s->intercept, rows, out);
    for (int64_t i = 0; i < n; i++) out[i] = out[i] > 709 ? 709 : out[i];
    smr_exp_f64(n, out, out);
    return SMR_OK;
}

static void describe_term(smr_json *list, const char *name, double estimate, double error)
{
    smr_json *row = smr_json_add_object(list, NULL);
    double z = estimate / error;
    smr_json_add_string(row, "feature", name);
    smr_json_add_number(row, "estimate", estimate);
    smr_json_add_number(row, "factor", smr_exp(estimate)); /* of the mean, for a step of 1 */
    smr_json_add_number(row, "std_error", error);
    smr_json_add_number(row, "z", z);
    smr_json_add_number(row, "p", isfinite(z) ? 2 * smr_normal_cdf(-fabs(z)) : NAN);
}

static void describe_output(const void *params_, const void *state_, int64_t k,
                            const smr_feature *in, smr_json *into)
{
    const struct smr_glm_params *p = params_;
    const struct smr_glm_state *s = state_;
    int64_t d = s->n_features;
    smr_json_add_number(into, "objective", s->objective[k]);
    smr_json_add_number(into, "mean_deviance", s->deviance[k]);
    smr_json_add_number(into, "d2", 1 - s->deviance[k] / s->null_deviance[k]);
    smr_json_add_number(into, "dispersion", s->dispersion[k]);
    smr_json *list = smr_json_add_array(into, "coefficients");
    if (p->fit_intercept)
        describe_term(list, "(intercept)", s->intercept[k], s->intercept_error[k]);
    for (int64_t j = 0; j < d; j++) {
        char name[32];
        describe_term(list, smr_affine_name(in, j, name), s->coef[k * d + j],
                      s->std_error[k * d + j]);
    }
}

/* A variance well above the mean makes the errors look smaller than they are: this is said. */
static void warn_of_variance(const struct smr_glm_params *p, const struct smr_glm_state *s,
                             smr_json *into)
{
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
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_glm_state *s = state_;
    (void)ctx, (void)n_in;
    warn_of_variance(params_, s, into);
    smr_json_add_number(into, "rows", s->n_rows);
    smr_affine_outputs(s->n_outputs, describe_output, params_, s, in, into);
    return SMR_OK;
}

static const smr_can_explain explains = {.linear_at =
                                             SMR_LINEAR_AT(struct smr_glm_state, n_outputs)};

void smr_glm_nature(const void *params_, smr_nature *its)
{
    const struct smr_glm_params *p = params_;
    if (p->l1 > 0 || p->l2 > 0) its->traits &= ~(unsigned)SMR_FITS_FREELY;
}

const smr_fitted smr_glm_fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_glm_state),
    .gives = SMR_GIVES_VALUE,
    .predict = predict,
    .describe = describe,
    .explain = &explains,
};
