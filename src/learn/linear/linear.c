/* linear.c -- linear least squares, of numbers and of classes.
 *
 * Minimises over w and b (b = 0 without fit_intercept), for every output,
 *
 *     J(w, b) = 1/2 sum_i weight_i (y_i - b - x_i' w)^2                                         (1)
 *
 * solver=exact: by the Gram matrix where that is accurate to 1e-9, else by QR with refinement
 * (math/lstsq.h).  Where columns depend on each other, the solution of least |w| is taken and a
 * warning names them.  Cost: n d^2 multiply-adds, twice that for QR; memory: tiles of rows and some
 * d x d matrices, no copy of X (one copy when n <= d).
 * solver=gd: gradient descent from w = 0 (linear_descent.c); it ends where |gradient| <= tol
 * |gradient at the start| or where no step lowers J, and keeps its curve.  Collinear columns get
 * the solution of least |w|, too: steps from 0 never leave the span of the rows.
 * solver=sgd: steps along single rows' gradients (stochastic.h); the one that learns from a stream.
 * It steps along the gradient itself; sgd's other methods, penalties and losses are sgd's alone.
 *
 * Classes: two are the targets -1 and 1 of one output, more are an output each, 1 for its rows and
 * 0 for others; the sign, or the largest output, decides.
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
#include "learn/linear/linear.h"

#include "learn/linear/affine.h"
#include "learn/linear/held_rows.h"
#include "learn/linear/scores.h"

#include <math.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

const smr_choice smr_linear_solvers[] = {
    {"exact", "one factorisation"},
    {"gd", "gradient descent over all rows, with its curve"},
    {"sgd", "stochastic gradients, row by row or in batches"},
    {NULL, NULL},
};

const smr_choice smr_linear_methods[] = {
    {"auto", "the fastest that is accurate to 1e-9"},
    {"gram", "Cholesky of the Gram matrix where that is accurate, else qr"},
    {"qr", "Householder QR with refinement"},
    {"svd", "singular values; for more columns than rows"},
    {NULL, NULL},
};

/* In the order of smr_step_rule. */
static const smr_choice rules[] = {
    {"fixed", "always the same step"},
    {"backtracking", "halved until the objective falls as much as the slope promises"},
    {"barzilai", "Barzilai and Borwein's step, from the last two gradients"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct smr_linear_params, fit_intercept), .def = true,
     .doc = "Fit the intercept b; turn it off if the target must be 0 when all features are 0."},
    {SMR_FIELD(struct smr_linear_params, solver), .choices = smr_linear_solvers,
     .doc = "How the minimum is found."},
    {SMR_FIELD(struct smr_linear_params, method), .def = SMR_LSTSQ_AUTO,
     .choices = smr_linear_methods, .when = "solver=exact",
     .doc = "How the problem is solved; the result is the same up to rounding."},
    {SMR_FIELD(struct smr_linear_params, rule), .def = SMR_STEP_BARZILAI, .choices = rules,
     .when = "solver=gd", .doc = "How the step length is chosen."},
    {SMR_FIELD(struct smr_linear_params, step), .def = 0, .min = 0, .max = INFINITY,
     .max_open = true, .when = "solver=gd",
     .doc = "The fixed step length, or the first one tried; 0: chosen automatically (1 / L for "
            "rule=fixed, where L is the largest curvature)."},
    {SMR_FIELD(struct smr_linear_params, max_iter), .def = 1000, .min = 1, .max = 1e9,
     .when = "solver=gd", .doc = "Maximum number of steps."},
    {SMR_FIELD(struct smr_linear_params, tol), .def = 1e-8, .min = 0, .max = 1, .min_open = true,
     .when = "solver=gd",
     .doc = "Stop when the gradient has shrunk to this fraction of the initial one."},
    SMR_STOCHASTIC_FEW(struct smr_linear_params, "solver=sgd"),
};

/* ---- state ------------------------------------------------------------------------------ */

static const smr_state state[] = {
    {SMR_KEPT(struct smr_linear_state, n_features), .is = "features", .min = 0, .doc = "Features."},
    {SMR_KEPT(struct smr_linear_state, n_outputs), .is = "scores", .min = 1,
     .doc = "Targets, or scores."},
    {SMR_KEPT(struct smr_linear_state, n_classes), .is = "classes", .min = 0,
     .doc = "Classes; 0 for numbers."},
    {SMR_KEPT(struct smr_linear_state, rank), .min = 0, .doc = "Independent features."},
    {SMR_KEPT(struct smr_linear_state, method), .min = SMR_LSTSQ_AUTO, .max = SMR_LSTSQ_SVD,
     .doc = "How it was solved: 1 gram, 2 qr, 3 svd; 0 by descent."},
    {SMR_KEPT(struct smr_linear_state, n_refined), .min = 0, .doc = "Refinement steps."},
    {SMR_KEPT(struct smr_linear_state, why), .min = 0, .max = SMR_WHY_NOT_FINITE,
     .doc = "Why gradient descent ended."},
    {SMR_KEPT(struct smr_linear_state, n_rows), .doc = "Sum of the rows' weights."},
    {SMR_KEPT(struct smr_linear_state, condition),
     .doc = "Condition number of the features at unit length; infinite when they are dependent."},
    {SMR_KEPT(struct smr_linear_state, step), .doc = "Step of gradient descent."},
    {SMR_KEPT(struct smr_linear_state, curvature), .doc = "The largest curvature L."},
    {SMR_KEPT(struct smr_linear_state, gradient), .doc = "Gradient where descent ended."},
    {SMR_KEPT(struct smr_linear_state, coef), .dims = {"n_outputs", "n_features"},
     .doc = "Coefficients w."},
    {SMR_KEPT(struct smr_linear_state, intercept), .dims = {"n_outputs"}, .doc = "Intercepts b."},
    {SMR_KEPT(struct smr_linear_state, std_error), .dims = {"n_outputs", "n_features"},
     .optional = true,
     .doc = "Standard errors of the coefficients; NaN where the data do not determine one."},
    {SMR_KEPT(struct smr_linear_state, intercept_error), .with = "std_error", .dims = {"n_outputs"},
     .optional = true, .doc = "Standard errors of the intercepts."},
    {SMR_KEPT(struct smr_linear_state, rss), .dims = {"n_outputs"}, .optional = true,
     .doc = "Squared residuals; a stream has none."},
    {SMR_KEPT(struct smr_linear_state, tss), .with = "rss", .dims = {"n_outputs"}, .optional = true,
     .doc = "Squared targets, around their mean when there is an intercept."},
    {SMR_KEPT(struct smr_linear_state, n_optimiser), .min = 0,
     .doc = "How many numbers a stream's optimiser keeps."},
    {SMR_KEPT(struct smr_linear_state, optimiser), .with = "n_optimiser", .dims = {"n_optimiser"},
     .optional = true, .doc = "State of a stream's optimiser."},
};

/* ---- fit -------------------------------------------------------------------------------- */

static void keep(const struct smr_linear_params *p, const smr_lstsq *fit,
                 struct smr_linear_state *s)
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
    for (int64_t k = 0; k < q && s->std_error; k++) {
        double variance = smr_linear_variance(p, s, k);
        s->intercept_error[k] = p->fit_intercept ? sqrt(variance * fit->origin_variance) : 0;
        for (int64_t j = 0; j < d; j++) s->std_error[k * d + j] = sqrt(variance * fit->variance[j]);
    }
}

static smr_status solve(smr_ctx *ctx, const struct smr_linear_params *p, const smr_data *data,
                        struct smr_linear_state *s, smr_fit_report *report)
{
    int64_t d = s->n_features, q = s->n_outputs;
    smr_status st = SMR_OK;
    smr_held_rows rows = {0};
    smr_lstsq solution = {0};
    smr_lstsq_opts opts = {.intercept = p->fit_intercept, .method = (smr_lstsq_method)p->method};
    TRY(smr_held_source(ctx, "linear", data, &rows));
    if (s->n_classes == 0) {
        TRY_NEW(s->std_error, q * d);
        TRY_NEW(s->intercept_error, q);
    }
    TRY(smr_lstsq_fit(ctx, &rows.source, &opts, &solution));
    keep(p, &solution, s);
    TRY(smr_affine_warn_collinear(ctx, "linear", data, &solution));
    report->objective = 0;
    for (int64_t k = 0; k < q; k++) report->objective += s->rss[k] / 2; /* (1) */
    report->converged = true;
out:
    smr_lstsq_release(&solution);
    smr_held_close(&rows);
    return st;
}

void smr_linear_targets(int64_t q, int64_t n, const int32_t *label, double *y)
{
    for (int64_t i = 0; i < n; i++) {
        if (q == 1)
            y[i] = label[i] > 0 ? 1 : -1;
        else
            for (int64_t c = 0; c < q; c++) y[i * q + c] = label[i] == c;
    }
}

static smr_status targets_of(smr_ctx *ctx, const smr_data *data, int64_t q, double **out)
{
    smr_status st = SMR_OK;
    TRY(smr_classifier_check_classes(ctx, "linear", data, NULL));
    TRY(smr_memory_check(ctx, 8.0 * (double)data->n_rows * (double)q, "a target for each class",
                         "use fewer classes"));
    TRY_NEW(*out, data->n_rows * q);
    smr_linear_targets(q, data->n_rows, data->label, *out);
out:
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct smr_linear_params *p = params_;
    struct smr_linear_state *s = state_;
    smr_status st = SMR_OK;
    smr_data numbers = *data;
    double *y = NULL;
    bool of_classes = data->task == SMR_TASK_CLASSIFY;
    s->n_features = data->n_features;
    s->n_classes = of_classes ? data->n_classes : 0;
    s->n_outputs = of_classes ? smr_scores_of(data->n_classes) : data->n_outputs;
    if (of_classes) {
        TRY(targets_of(ctx, data, s->n_outputs, &y));
        numbers.task = SMR_TASK_REGRESS;
        numbers.n_outputs = s->n_outputs;
        numbers.y = y;
    }
    TRY_NEW(s->coef, s->n_outputs * s->n_features);
    TRY_NEW(s->intercept, s->n_outputs);
    TRY_NEW(s->rss, s->n_outputs);
    TRY_NEW(s->tss, s->n_outputs);
    TRY(p->solver == SMR_LINEAR_EXACT ? solve(ctx, p, &numbers, s, report)
        : p->solver == SMR_LINEAR_GD  ? smr_linear_descend(ctx, p, &numbers, s, report)
                                      : smr_linear_fit_sgd(ctx, p, &numbers, s, report));
out:
    smr_free(y);
    return st;
}

/* ---- predict ---------------------------------------------------------------------------- */

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_linear_params *p = params_;
    const struct smr_linear_state *s = state_;
    bool exact = p->solver == SMR_LINEAR_EXACT, sgd = p->solver == SMR_LINEAR_SGD;
    if ((exact && !shape->n_classes && !s->std_error) || (!sgd && (!s->rss || s->optimiser)))
        return smr_fail(ctx, SMR_ERR_FORMAT, "linear: the fitted numbers do not fit the model");
    return smr_linear_check_stream(ctx, p, s);
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct smr_linear_state *s = state_;
    (void)ctx, (void)params_, (void)scratch;
    smr_linear_classifier classifier = {s->n_classes, s->n_features, s->coef, s->intercept};
    if (output == SMR_OUTPUT_DECISION)
        smr_classifier_predict(&classifier, rows, output, out);
    else
        smr_affine_predict(s->n_features, s->n_outputs, s->coef, s->intercept, rows, out);
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "linear",
    .synonyms = "ols lm linreg regression least_squares LinearRegression",
    .family = "linear",
    .title = "Linear least squares",
    .brief = "Fits a linear function of the features by least squares.",
    .objective = "1/2 sum weight (y - b - x'w)^2",
    .details =
        "Solved by the Gram matrix if its condition number proves that accurate to 1e-9, "
        "otherwise by QR with refinement in twice the precision. Collinear features are named in "
        "a warning and get the coefficients of least norm. inspect shows standard errors, t, "
        "two-sided p, R2, F and the condition number. solver=gd descends along the gradient of "
        "all rows and records its curve; solver=sgd along those of single rows, also in a stream "
        "(`sgd` has more methods, losses and penalties). Classes are fitted as numbers: -1 and 1 "
        "for two, one column of 0 and 1 per class for more; the sign or the largest score "
        "decides. Rows far on the right side cost as much as wrong ones, so logistic is usually "
        "better.",
    .reference = "Seber & Lee, Linear Regression Analysis, 2nd ed., Wiley 2003",
    .example = "samara train linear data/diabetes.csv --target progression",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_linear_params),
};

static const smr_can_explain explains = {.linear_at =
                                             SMR_LINEAR_AT(struct smr_linear_state, n_outputs)};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_linear_state),
    .gives = SMR_GIVES_VALUE | SMR_GIVES_DECISION,
    .check = check,
    .predict = predict,
    .describe = smr_linear_describe,
    .explain = &explains,
};

static const smr_can_stream streams = {
    .begin = SMR_TRAINING(smr_linear_begin),
    .learn = SMR_TRAINING(smr_linear_learn),
};

static void nature(const void *params_, smr_nature *its)
{
    const struct smr_linear_params *p = params_;
    bool exact = p->solver == SMR_LINEAR_EXACT;
    bool plain = p->fit_intercept && exact && p->method == SMR_LSTSQ_AUTO;
    if (!plain) its->traits &= ~(unsigned)SMR_LEAST_SQUARES;
    if (exact) its->traits &= ~(unsigned)SMR_WARM_STARTS;
}

static const char *refuses(const void *params_)
{
    const struct smr_linear_params *p = params_;
    return p->solver == SMR_LINEAR_GD ? NULL : "its steps are those of solver=gd";
}

static const smr_can_trace traces = {.shows = "the model after each step of gradient descent",
                                     .refuses = refuses};

const smr_learner smr_linear = {
    .word = &about,
    .tasks = SMR_DOES_REGRESS | SMR_DOES_CLASSIFY,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_WEIGHTS | SMR_TAKES_MANY_TARGETS,
    .traits = SMR_NUMBERS_FIRST | SMR_WANTS_CONTRASTS | SMR_FITS_FREELY | SMR_LEAST_SQUARES |
              SMR_WARM_STARTS,
    .nature = nature,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .stream = SMR_TRAINING(&streams),
    .trace = SMR_TRAINING(&traces),
};
