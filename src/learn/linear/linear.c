/* linear.c -- linear least squares.
 *
 * Minimises over w and b (b = 0 without fit_intercept), for every output,
 *
 *     J(w, b) = 1/2 sum_i weight_i (y_i - b - x_i' w)^2                                         (1)
 *
 * by the Gram matrix where that is accurate to 1e-9, else by QR with refinement (math/lstsq.h).
 * Where columns depend on each other, the solution of least |w| is taken and a warning names them.
 * Cost: n d^2 multiply-adds, twice that for QR; memory: tiles of rows and some d x d matrices, no
 * copy of X (one copy when n <= d).
 *
 * With W the sum of the weights, r the rank and f = W - r - 1 (W - r without intercept) degrees of
 * freedom,
 *
 *     s^2 = rss / f,   se(w_j) = s sqrt((Xc'Xc)^-1_jj),   t = w_j / se,   p = P(|T_f| > |t|)    (2)
 *     R2 = 1 - rss / tss,   F = ((tss - rss) / r) / s^2                                         (3)
 *
 * tss is around the mean with intercept, around 0 without.  se is NaN where the data do not
 * determine the coefficient, or leave no degree of freedom.
 *
 * Symbols: n rows, d features, q outputs, w d, X n x d, Xc its centred columns.
 * Reference: Seber & Lee, Linear Regression Analysis, 2nd ed., Wiley 2003, chapters 3, 4 and 11. */
#include "learn/linear/affine.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

struct linear_params {
    bool fit_intercept;
    int method;
};

/* In the order of smr_lstsq_method. */
static const smr_choice methods[] = {
    {"auto", "the fastest that is accurate to 1e-9"},
    {"gram", "Cholesky of the Gram matrix where that is accurate, else qr"},
    {"qr", "Householder QR with refinement"},
    {"svd", "singular values; the way for more columns than rows"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct linear_params, fit_intercept), .def = true,
     .doc = "Fit the intercept b; turn off when the target is 0 where all features are 0."},
    {SMR_FIELD(struct linear_params, method), .def = SMR_LSTSQ_AUTO, .choices = methods,
     .doc = "How the problem is solved; the answer is the same up to rounding."},
};

/* ---- state ------------------------------------------------------------------------------ */

struct linear_state {
    int64_t n_features, n_outputs;
    int64_t rank, method, n_refined;
    double n_rows; /* W of the header */
    double condition;
    double *coef, *intercept;
    double *std_error, *intercept_error;
    double *rss, *tss;
};

static const smr_state state[] = {
    {SMR_KEPT(struct linear_state, n_features), .min = 0, .doc = "Features."},
    {SMR_KEPT(struct linear_state, n_outputs), .min = 1, .doc = "Targets."},
    {SMR_KEPT(struct linear_state, rank), .min = 0, .doc = "Independent features."},
    {SMR_KEPT(struct linear_state, method), .min = SMR_LSTSQ_GRAM, .max = SMR_LSTSQ_SVD,
     .doc = "How it was solved: 1 gram, 2 qr, 3 svd."},
    {SMR_KEPT(struct linear_state, n_refined), .min = 0, .doc = "Refinement steps."},
    {SMR_KEPT(struct linear_state, n_rows), .doc = "Sum of the rows' weights."},
    {SMR_KEPT(struct linear_state, condition),
     .doc = "Condition number of the features at unit length; infinite when they are dependent."},
    {SMR_KEPT(struct linear_state, coef), .dims = {"n_outputs", "n_features"},
     .doc = "Coefficients w."},
    {SMR_KEPT(struct linear_state, intercept), .dims = {"n_outputs"}, .doc = "Intercepts b."},
    {SMR_KEPT(struct linear_state, std_error), .dims = {"n_outputs", "n_features"},
     .doc = "Standard errors of the coefficients; NaN where the data do not determine one."},
    {SMR_KEPT(struct linear_state, intercept_error), .dims = {"n_outputs"},
     .doc = "Standard errors of the intercepts."},
    {SMR_KEPT(struct linear_state, rss), .dims = {"n_outputs"}, .doc = "Squared residuals."},
    {SMR_KEPT(struct linear_state, tss), .dims = {"n_outputs"},
     .doc = "Squared targets, around their mean when there is an intercept."},
};

/* ---- fit -------------------------------------------------------------------------------- */

static double degrees_of_freedom(const struct linear_params *p, const struct linear_state *s)
{
    return s->n_rows - (double)s->rank - (p->fit_intercept ? 1 : 0);
}

/* s^2 of (2), or NaN. */
static double residual_variance(const struct linear_params *p, const struct linear_state *s,
                                int64_t k)
{
    double df = degrees_of_freedom(p, s);
    return df > 0 ? s->rss[k] / df : NAN;
}

static void keep(const struct linear_params *p, const smr_lstsq *fit, struct linear_state *s)
{
    int64_t d = s->n_features, q = s->n_outputs;
    s->rank = fit->rank;
    s->method = fit->method;
    s->n_refined = fit->n_refined;
    s->n_rows = fit->weight;
    s->condition = fit->condition;
    memcpy(s->coef, fit->coef, (size_t)(q * d) * sizeof *s->coef);
    memcpy(s->intercept, fit->origin, (size_t)q * sizeof *s->intercept);
    memcpy(s->rss, fit->rss, (size_t)q * sizeof *s->rss);
    memcpy(s->tss, fit->tss, (size_t)q * sizeof *s->tss);
    for (int64_t k = 0; k < q; k++) {
        double variance = residual_variance(p, s, k);
        s->intercept_error[k] = p->fit_intercept ? sqrt(variance * fit->origin_variance) : 0;
        for (int64_t j = 0; j < d; j++) s->std_error[k * d + j] = sqrt(variance * fit->variance[j]);
    }
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct linear_params *p = params_;
    struct linear_state *s = state_;
    int64_t d = data->n_features, q = data->n_outputs;
    smr_status st = SMR_OK;
    smr_affine_rows rows = {0};
    smr_lstsq solution = {0};
    smr_lstsq_opts opts = {.intercept = p->fit_intercept, .method = (smr_lstsq_method)p->method};

    TRY(smr_affine_open(ctx, "linear", data, &rows));
    s->n_features = d;
    s->n_outputs = q;
    TRY_NEW(s->coef, q * d);
    TRY_NEW(s->intercept, q);
    TRY_NEW(s->std_error, q * d);
    TRY_NEW(s->intercept_error, q);
    TRY_NEW(s->rss, q);
    TRY_NEW(s->tss, q);
    TRY(smr_lstsq_fit(ctx, &rows.source, &opts, &solution));
    keep(p, &solution, s);
    TRY(smr_affine_warn_collinear(ctx, "linear", data, &solution));
    report->objective = 0;
    for (int64_t k = 0; k < q; k++) report->objective += s->rss[k] / 2; /* (1) */
    report->converged = true;
out:
    smr_lstsq_release(&solution);
    smr_affine_close(&rows);
    return st;
}

/* ---- predict ---------------------------------------------------------------------------- */

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct linear_state *s = state_;
    (void)params_;
    return smr_affine_check(ctx, "linear", s->n_features, s->n_outputs, shape);
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct linear_state *s = state_;
    (void)ctx, (void)params_, (void)output, (void)scratch;
    smr_affine_predict(s->n_features, s->n_outputs, s->coef, s->intercept, rows, out);
    return SMR_OK;
}

/* ---- describe: (2) and (3) -------------------------------------------------------------- */

static void describe_term(smr_json *list, const char *name, double estimate, double error,
                          double df)
{
    smr_json *row = smr_json_add_object(list, NULL);
    double t = estimate / error;
    smr_json_add_string(row, "feature", name);
    smr_json_add_number(row, "estimate", estimate);
    smr_json_add_number(row, "std_error", error);
    smr_json_add_number(row, "t", t);
    smr_json_add_number(row, "p", df > 0 && isfinite(t) ? smr_t_two_sided(t, df) : NAN);
}

static void describe_output(const struct linear_params *p, const struct linear_state *s, int64_t k,
                            const smr_feature *in, smr_json *into)
{
    int64_t d = s->n_features;
    double df = degrees_of_freedom(p, s), variance = residual_variance(p, s, k);
    double all = s->n_rows - (p->fit_intercept ? 1 : 0), r2 = 1 - s->rss[k] / s->tss[k];
    double f = (s->tss[k] - s->rss[k]) / (double)s->rank / variance;
    smr_json_add_number(into, "r2", r2);
    smr_json_add_number(into, "adjusted_r2", df > 0 ? 1 - (1 - r2) * all / df : NAN);
    smr_json_add_number(into, "residual_sd", sqrt(variance));
    smr_json_add_number(into, "f", f);
    smr_json_add_number(into, "f_p",
                        df > 0 && isfinite(f) ? smr_f_upper(f, (double)s->rank, df) : NAN);
    smr_json *list = smr_json_add_array(into, "coefficients");
    if (p->fit_intercept)
        describe_term(list, "(intercept)", s->intercept[k], s->intercept_error[k], df);
    for (int64_t j = 0; j < d; j++) {
        char name[32];
        describe_term(list, smr_affine_name(in, j, name), s->coef[k * d + j],
                      s->std_error[k * d + j], df);
    }
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct linear_params *p = params_;
    const struct linear_state *s = state_;
    (void)ctx, (void)n_in;
    smr_json_add_string(into, "method", methods[s->method].name);
    smr_json_add_number(into, "rows", s->n_rows);
    smr_json_add_number(into, "rank", (double)s->rank);
    smr_json_add_number(into, "condition", s->condition);
    smr_json_add_number(into, "degrees_of_freedom", degrees_of_freedom(p, s));
    if (s->n_outputs == 1) {
        describe_output(p, s, 0, in, into);
        return SMR_OK;
    }
    smr_json *list = smr_json_add_array(into, "outputs");
    for (int64_t k = 0; k < s->n_outputs; k++)
        describe_output(p, s, k, in, smr_json_add_object(list, NULL));
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

const smr_learner smr_linear = {
    .name = "linear",
    .family = "linear",
    .title = "Linear least squares",
    .brief = "Fits a linear function of the features by least squares.",
    .objective = "1/2 sum weight (y - b - x'w)^2",
    .details =
        "Solved by the Gram matrix where its condition proves that accurate to 1e-9, else by "
        "QR with refinement in twice the precision. Collinear features are named in a "
        "warning and get the coefficients of least norm. Inspect shows standard errors, t, "
        "two-sided p, R2, F and the condition number.",
    .reference = "Seber & Lee, Linear Regression Analysis, 2nd ed., Wiley 2003",
    .example = "samara train linear data/diabetes.csv --target progression",
    .tasks = SMR_DOES_REGRESS,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_WEIGHTS | SMR_TAKES_MANY_TARGETS |
             SMR_WANTS_CONTRASTS,
    .gives = SMR_GIVES_VALUE,
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct linear_params),
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct linear_state),
    .fit = SMR_TRAINING(fit),
    .check = check,
    .predict = predict,
    .describe = describe,
};
