/* linear_describe.c -- what linear learned: (2) and (3) of linear.c. */
#include "learn/linear/affine.h"
#include "learn/linear/linear.h"
#include "learn/linear/scores.h"
#include "math/special.h"

#include <math.h>

static double degrees_of_freedom(const struct smr_linear_params *p,
                                 const struct smr_linear_state *s)
{
    return s->n_rows - (double)s->rank - (p->fit_intercept ? 1 : 0);
}

double smr_linear_variance(const struct smr_linear_params *p, const struct smr_linear_state *s,
                           int64_t k)
{
    double df = degrees_of_freedom(p, s);
    return df > 0 ? s->rss[k] / df : NAN;
}

static void describe_output(const void *params_, const void *state_, int64_t k,
                            const smr_feature *in, smr_json *into)
{
    const struct smr_linear_params *p = params_;
    const struct smr_linear_state *s = state_;
    int64_t d = s->n_features;
    double all = s->n_rows - (p->fit_intercept ? 1 : 0);
    double r2 = s->rss ? 1 - s->rss[k] / s->tss[k] : NAN;
    if (s->rss) smr_json_add_number(into, "r2", r2);
    if (!s->std_error) {
        smr_affine_describe(d, s->coef + k * d, p->fit_intercept ? &s->intercept[k] : NULL, in,
                            into);
        return;
    }
    double df = degrees_of_freedom(p, s), variance = smr_linear_variance(p, s, k);
    double f = (s->tss[k] - s->rss[k]) / (double)s->rank / variance;
    smr_json_add_number(into, "adjusted_r2", df > 0 ? 1 - (1 - r2) * all / df : NAN);
    smr_json_add_number(into, "residual_sd", sqrt(variance));
    smr_json_add_number(into, "f", f);
    smr_json_add_number(into, "f_p",
                        df > 0 && isfinite(f) ? smr_f_upper(f, (double)s->rank, df) : NAN);
    smr_json *list = smr_json_add_array(into, "coefficients");
    if (p->fit_intercept)
        smr_affine_term(list, "(intercept)", s->intercept[k], s->intercept_error[k], df);
    for (int64_t j = 0; j < d; j++) {
        char name[32];
        smr_affine_term(list, smr_affine_name(in, j, name), s->coef[k * d + j],
                        s->std_error[k * d + j], df);
    }
}

static void describe_descent(const struct smr_linear_params *p, const struct smr_linear_state *s,
                             smr_json *into)
{
    smr_json_add_string(into, "solver", smr_linear_solvers[p->solver].name);
    smr_json_add_number(into, "rows", s->n_rows);
    if (p->solver != SMR_LINEAR_GD) return;
    smr_json_add_string(into, "ended", smr_why_words((smr_why)s->why));
    smr_json_add_number(into, "gradient", s->gradient);
    smr_json_add_number(into, "largest_curvature", s->curvature);
    smr_json_add_number(into, "largest_stable_step", 2 / s->curvature);
    if (p->rule == SMR_STEP_FIXED) smr_json_add_number(into, "step", s->step);
}

smr_status smr_linear_describe(smr_ctx *ctx, const void *params_, const void *state_,
                               const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_linear_params *p = params_;
    const struct smr_linear_state *s = state_;
    (void)ctx, (void)n_in;
    if (p->solver == SMR_LINEAR_EXACT) {
        smr_json_add_string(into, "method", smr_linear_methods[s->method].name);
        smr_json_add_number(into, "rows", s->n_rows);
        smr_json_add_number(into, "rank", (double)s->rank);
        smr_json_add_number(into, "condition", s->condition);
    } else {
        describe_descent(p, s, into);
    }
    if (s->n_classes > 0) {
        smr_linear_classifier c = {s->n_classes, s->n_features, s->coef, s->intercept};
        smr_classifier_describe(&c, p->fit_intercept, in, NULL, NULL, into);
        return SMR_OK;
    }
    if (s->std_error) smr_json_add_number(into, "degrees_of_freedom", degrees_of_freedom(p, s));
    smr_affine_outputs(s->n_outputs, describe_output, p, s, in, into);
    return SMR_OK;
}
