/* huber.c -- linear regression with Huber's loss: squared for small residuals, absolute for large.
 *
 * Minimises over w and b (b = 0 without fit_intercept), and with scale=joint over s > 0 too, for
 * every output,
 *
 *     joint   sum_i weight_i s (1/2 + h(r_i / s)) + l2 1/2 |w|^2,    r_i = y_i - b - x_i' w     (1)
 *     fixed   sum_i weight_i h(r_i) + l2 1/2 |w|^2                                              (2)
 *     h(r) = r^2 / 2 for |r| <= epsilon, else epsilon (|r| - epsilon / 2)
 *
 * by Newton's method (huber_fit.h).  (1) times 2 is what scikit-learn's HuberRegressor minimises,
 * its alpha being l2.  In (1) epsilon counts in units of s, and the fit follows the target's units;
 * in (2) it has the target's own.  Where more than a share 1 - 1/epsilon^2 of the rows can be
 * fitted exactly s has no minimum above 0: it is held at 1e-10 of the target's spread, and a
 * warning says so.
 *
 * Cost: n d^2 once, then 3 to 10 passes over the rows; memory 5 vectors of length n and some d x d
 * matrices up to 2000 columns, beyond that L-BFGS without any.
 * Symbols: n rows, d features, w d.
 * Reference: Huber, Annals of Math. Stat. 35(1):73-101, 1964. */
#include "learn/linear/affine.h"
#include "learn/linear/huber_fit.h"

#include <math.h>

/* ---- parameters ------------------------------------------------------------------------- */

enum { JOINT, FIXED };

struct huber_params {
    double epsilon;
    int scale;
    double l2;
    bool fit_intercept;
    int64_t max_iter;
    double tol;
};

static const smr_choice scales[] = {
    {"joint", "s is fitted too; epsilon counts in units of s"},
    {"fixed", "s = 1; epsilon has the target's units"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct huber_params, epsilon), .def = 1.35, .min = 0, .max = INFINITY,
     .min_open = true, .max_open = true, .search = SMR_SEARCH_LINEAR, .search_min = 1.05,
     .search_max = 3, .primary = true,
     .doc = "Where the loss turns from squared to absolute; 1.35 keeps 95 % of the efficiency of "
            "least squares for normal errors. Must exceed 1 with scale=joint."},
    {SMR_FIELD(struct huber_params, scale), .def = JOINT, .choices = scales,
     .doc = "Whether the scale s of the residuals is fitted too."},
    {SMR_FIELD(struct huber_params, l2), .def = 0, .min = 0, .max = INFINITY, .max_open = true,
     .search = SMR_SEARCH_LOG, .search_min = 1e-4, .search_max = 1e4, .simpler = SMR_SIMPLER_HIGH,
     .doc = "Weight of the penalty 1/2 |w|^2."},
    {SMR_FIELD(struct huber_params, fit_intercept), .def = true,
     .doc = "Fit the intercept b, which is not penalised."},
    {SMR_FIELD(struct huber_params, max_iter), .def = 200, .min = 1, .max = 1e6,
     .doc = "Maximum number of Newton steps."},
    {SMR_FIELD(struct huber_params, tol), .def = 1e-7, .min = 0, .max = 1, .max_open = true,
     .doc = "Stop when the gradient is below this fraction of its largest possible value, epsilon "
            "per row."},
};

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    const struct huber_params *p = params_;
    if (p->scale == FIXED || p->epsilon > 1) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "huber: epsilon=%g with scale=joint: it must be more than 1, or no scale is "
                    "the best; use scale=fixed for a threshold in the target's units",
                    p->epsilon);
}

/* ---- state ------------------------------------------------------------------------------ */

struct huber_state {
    int64_t n_features, n_outputs;
    double n_rows;
    double *coef, *intercept;
    double *std_error, *intercept_error;
    double *sigma, *objective, *outliers;
};

static const smr_state state[] = {
    {SMR_KEPT(struct huber_state, n_features), .is = "features", .min = 0, .doc = "Features."},
    {SMR_KEPT(struct huber_state, n_outputs), .is = "targets", .min = 1, .doc = "Targets."},
    {SMR_KEPT(struct huber_state, n_rows), .doc = "Sum of the rows' weights."},
    {SMR_KEPT(struct huber_state, coef), .dims = {"n_outputs", "n_features"},
     .doc = "Coefficients w."},
    {SMR_KEPT(struct huber_state, intercept), .dims = {"n_outputs"}, .doc = "Intercepts b."},
    {SMR_KEPT(struct huber_state, std_error), .dims = {"n_outputs", "n_features"},
     .doc = "Standard errors of the coefficients; NaN where the data do not determine one."},
    {SMR_KEPT(struct huber_state, intercept_error), .dims = {"n_outputs"},
     .doc = "Standard errors of the intercepts."},
    {SMR_KEPT(struct huber_state, sigma), .dims = {"n_outputs"},
     .doc = "The residuals' scale s; 1 with scale=fixed."},
    {SMR_KEPT(struct huber_state, objective), .dims = {"n_outputs"}, .doc = "What was minimised."},
    {SMR_KEPT(struct huber_state, outliers), .dims = {"n_outputs"},
     .doc = "Share of the rows whose residual is beyond epsilon s."},
};

/* ---- fit -------------------------------------------------------------------------------- */

static smr_status make_state(smr_ctx *ctx, const smr_data *data, struct huber_state *s)
{
    smr_status st = SMR_OK;
    int64_t d = data->n_features, q = data->n_outputs;
    s->n_features = d;
    s->n_outputs = q;
    TRY_NEW(s->coef, q * d);
    TRY_NEW(s->intercept, q);
    TRY_NEW(s->std_error, q * d);
    TRY_NEW(s->intercept_error, q);
    TRY_NEW(s->sigma, q);
    TRY_NEW(s->objective, q);
    TRY_NEW(s->outliers, q);
    for (int64_t i = 0; i < data->n_rows; i++) s->n_rows += smr_data_weight(data, i);
out:
    return st;
}

/* Coefficients without an error: of columns that all rows together do not determine, or only of
 * those that the few rows within the threshold do not. */
static smr_status warn_of_columns(smr_ctx *ctx, const struct huber_params *p,
                                  const smr_huber_fit *fit, const smr_data *data)
{
    smr_status st = SMR_OK;
    int64_t d = data->n_features, n = 0, few = 0, *columns = NULL;
    smr_held_rows rows = {0};
    smr_lstsq all = {0};
    smr_lstsq_opts opts = {.intercept = p->fit_intercept};
    for (int64_t j = 0; j < d; j++) few += isnan(fit->error[j]) != 0;
    if (few == 0 || d > SMR_HUBER_DENSE) return SMR_OK;
    if (p->l2 > 0 && !fit->is_sparse) return SMR_OK;
    TRY_NEW(columns, d + 1);
    TRY(smr_held_source(ctx, "huber", data, &rows));
    TRY(smr_lstsq_fit(ctx, &rows.source, &opts, &all));
    for (int64_t j = 0; j < d; j++)
        if (isnan(fit->error[j]) && isnan(all.variance[j])) columns[n++] = j;
    few -= n;
    if (n > 0)
        TRY(smr_design_warn_columns(ctx, "huber", data, n, columns,
                                    "Their coefficients are one choice of many; drop columns, or "
                                    "set l2 > 0"));
    if (few > 0)
        smr_warn(ctx,
                 "huber: too few rows lie within epsilon times the scale of the fit (%.3g %% are "
                 "outside) to estimate the standard errors of %lld of %lld columns; raise epsilon",
                 100 * fit->outliers, (long long)few, (long long)d);
out:
    smr_lstsq_release(&all);
    smr_held_close(&rows);
    smr_free(columns);
    return st;
}

static smr_status warn(smr_ctx *ctx, const struct huber_params *p, const smr_huber_fit *fit,
                       const smr_data *data)
{
    if (!fit->converged)
        smr_warn(
            ctx,
            "huber: not converged after %lld step%s; raise max_iter or tol, or standardize the "
            "columns",
            (long long)fit->n_iter, smr_plural(fit->n_iter, "", "s"));
    if (fit->collapsed)
        smr_warn(ctx, "huber: so many rows are fitted exactly that the scale of the residuals is "
                      "0; lad, or scale=fixed, fits such data");
    else
        return warn_of_columns(ctx, p, fit, data);
    return SMR_OK;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct huber_params *p = params_;
    struct huber_state *s = state_;
    smr_status st = SMR_OK;
    smr_design design = {0};
    TRY(smr_held_check_targets(ctx, "huber", data));
    TRY(make_state(ctx, data, s));
    TRY(smr_design_open(ctx, data, p->fit_intercept, &design));
    TRY(smr_design_frame(ctx, &design));
    report->converged = true;
    double objective = 0;
    for (int64_t k = 0; k < s->n_outputs; k++) {
        smr_huber_problem problem = {.data = data,
                                     .output = k,
                                     .epsilon = p->epsilon,
                                     .l2 = p->l2,
                                     .joint = p->scale == JOINT,
                                     .intercept = p->fit_intercept,
                                     .max_iter = p->max_iter,
                                     .tol = p->tol};
        smr_huber_fit fit = {.w = s->coef + k * s->n_features,
                             .error = s->std_error + k * s->n_features};
        TRY(smr_huber_solve(ctx, &problem, &design, report, &fit));
        s->intercept[k] = fit.b;
        s->intercept_error[k] = fit.b_error;
        s->sigma[k] = fit.sigma;
        s->objective[k] = fit.objective;
        s->outliers[k] = fit.outliers;
        objective += fit.objective;
        report->converged &= fit.converged;
        TRY(warn(ctx, p, &fit, data));
    }
    report->objective = objective;
out:
    smr_design_close(&design);
    return st;
}

/* ---- predict ---------------------------------------------------------------------------- */

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct huber_state *s = state_;
    (void)ctx, (void)params_, (void)output, (void)scratch;
    smr_affine_predict(s->n_features, s->n_outputs, s->coef, s->intercept, rows, out);
    return SMR_OK;
}

/* ---- describe --------------------------------------------------------------------------- */

static void describe_output(const void *params_, const void *state_, int64_t k,
                            const smr_feature *in, smr_json *into)
{
    const struct huber_params *p = params_;
    const struct huber_state *s = state_;
    int64_t d = s->n_features;
    smr_json_add_number(into, "objective", s->objective[k]);
    smr_json_add_number(into, "sigma", s->sigma[k]);
    smr_json_add_number(into, "threshold", p->epsilon * s->sigma[k]);
    smr_json_add_number(into, "share_of_outliers", s->outliers[k]);
    smr_json *list = smr_json_add_array(into, "coefficients");
    if (p->fit_intercept)
        smr_affine_term(list, "(intercept)", s->intercept[k], s->intercept_error[k], INFINITY);
    for (int64_t j = 0; j < d; j++) {
        char name[32];
        smr_affine_term(list, smr_affine_name(in, j, name), s->coef[k * d + j],
                        s->std_error[k * d + j], INFINITY);
    }
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct huber_state *s = state_;
    (void)ctx, (void)n_in;
    smr_json_add_number(into, "rows", s->n_rows);
    smr_affine_outputs(s->n_outputs, describe_output, params_, s, in, into);
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "huber",
    .family = "linear",
    .title = "Huber regression",
    .brief = "Linear regression that is robust to outliers: squared loss for small residuals, "
             "absolute loss for large ones.",
    .objective = "sum weight s (1/2 + h((y - b - x'w) / s)) + l2 1/2 |w|^2, h(r) = r^2/2 for |r| "
                 "<= epsilon, else epsilon (|r| - epsilon/2); scale=fixed: sum weight h(y - b - "
                 "x'w) + l2 1/2 |w|^2",
    .details =
        "Solved by Newton's method, whose matrix is updated by the rows that become outliers or "
        "cease to be, so that a fit costs little more than least squares. Outlying targets pull "
        "with a bounded force; outlying features still pull fully. inspect shows s, the share of "
        "outliers, and standard errors that allow for them. Twice the objective is "
        "scikit-learn's, whose alpha is l2.",
    .reference = "Huber, Annals of Mathematical Statistics 35 (1964)",
    .example = "samara train huber data/diabetes.csv --target progression",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct huber_params),
    .check_params = check_params,
};

static const smr_can_explain explains = {.linear_at = SMR_LINEAR_AT(struct huber_state, n_outputs)};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct huber_state),
    .gives = SMR_GIVES_VALUE,
    .predict = predict,
    .describe = describe,
    .explain = &explains,
};

/* A penalty holds the coefficients. */
static void nature(const void *params_, smr_nature *its)
{
    const struct huber_params *p = params_;
    if (p->l2 > 0) its->traits &= ~(unsigned)SMR_FITS_FREELY;
}

const smr_learner smr_huber = {
    .word = &about,
    .tasks = SMR_DOES_REGRESS,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_WEIGHTS | SMR_TAKES_MANY_TARGETS,
    .traits = SMR_WANTS_CONTRASTS | SMR_FITS_FREELY,
    .nature = nature,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
};
