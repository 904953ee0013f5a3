/* sgd.c -- linear models of any loss by stochastic gradients.
 *
 * stochastic.h says what is minimised, how, and at what cost; this file is the learner around it:
 * which loss, class weights, what a model tells about its passes.
 * Degenerate cases: a class without rows keeps a score that no row has raised; constant and zero
 * columns keep a weight that their gradients do not move, or share the intercept's.
 * References: Robbins & Monro, Ann. Math. Statist. 22:400-407, 1951; Polyak & Juditsky, SIAM J.
 * Control Optim. 30(4), 1992; Bottou, Curtis & Nocedal, SIAM Review 60(2), 2018. */
#include "core/figure.h"
#include "kernel/kernel.h"
#include "learn/linear/affine.h"
#include "learn/linear/scores.h"
#include "learn/linear/stochastic.h"
#include "metric/metric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

struct sgd_params {
    int loss; /* 0: by the task; else 1 + smr_loss_id */
    double delta, tau, epsilon;
    double l1, l2, tol;
    bool fit_intercept;
    int class_weight;
    struct smr_stochastic_params how;
};

static const smr_choice losses[] = {
    {"auto", "logistic for two classes, cross_entropy for more, squared for numbers"},
    {"squared", "least squares"},
    {"absolute", "medians"},
    {"huber", "squared near the target, absolute far from it"},
    {"quantile", "the tau-quantile"},
    {"epsilon", "absolute beyond epsilon"},
    {"zero_one", "refused: it has no slope"},
    {"perceptron", "mistakes by their distance"},
    {"hinge", "support vector machine"},
    {"squared_hinge", "the square of the hinge loss"},
    {"logistic", "logistic regression"},
    {"exponential", "as boosting"},
    {"poisson", "counts, log link"},
    {"gamma", "positive numbers, log link"},
    {"cross_entropy", "softmax regression"},
    {"hinge_sum", "every class that comes too close counts"},
    {"hinge_max", "only the closest competing class counts"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct sgd_params, loss), .choices = losses, .primary = true,
     .doc = "The loss to minimise."},
    {SMR_FIELD(struct sgd_params, delta), .def = 1.35, .min = 0, .max = INFINITY, .min_open = true,
     .max_open = true, .when = "loss=huber", .search = SMR_SEARCH_LOG, .search_min = 0.1,
     .search_max = 10,
     .doc = "Where the Huber loss turns from squared to linear, in units of the target."},
    {SMR_FIELD(struct sgd_params, tau), .def = 0.5, .min = 0, .max = 1, .min_open = true,
     .max_open = true, .when = "loss=quantile", .doc = "The quantile to predict."},
    {SMR_FIELD(struct sgd_params, epsilon), .def = 0.1, .min = 0, .max = INFINITY, .min_open = true,
     .max_open = true, .when = "loss=epsilon", .doc = "Errors up to this size cost nothing."},
    {SMR_FIELD(struct sgd_params, l1), .def = 0, .min = 0, .max = INFINITY, .max_open = true,
     .search = SMR_SEARCH_LOG, .search_min = 1e-3, .search_max = 1e3, .simpler = SMR_SIMPLER_HIGH,
     .doc = "Weight of the penalty |w|_1, relative to the sum of the rows' losses."},
    {SMR_FIELD(struct sgd_params, l2), .unset = true, .min = 0, .max = INFINITY, .max_open = true,
     .search = SMR_SEARCH_LOG, .search_min = 1e-3, .search_max = 1e3, .simpler = SMR_SIMPLER_HIGH,
     .doc =
         "Weight of the penalty 1/2 |w|^2, relative to the sum of the rows' losses; unset: 1e-5 of "
         "the rows' sum of squares (as if each column had the geometric mean of their variances), "
         "divided by the targets' mean absolute deviation for losses that grow with the residual."},
    {SMR_FIELD(struct sgd_params, tol), .fit_only = true, .def = 1e-3, .min = 0, .max = 1,
     .doc =
         "Converged when the gradient has shrunk to this fraction of that of the model without "
         "coefficients (kinks are smoothed, at a cost of at most this fraction of the objective); "
         "a pass that lowers the loss by less than this fraction makes no progress."},
    {SMR_FIELD(struct sgd_params, fit_intercept), .def = true,
     .doc = "Fit the intercept b, which is not penalised."},
    {SMR_FIELD(struct sgd_params, class_weight), .tasks = SMR_DOES_CLASSIFY,
     .choices = smr_class_weights, .search = SMR_SEARCH_VALUES,
     .doc = "How the classes are weighted."},
    SMR_STOCHASTIC_ROWS(struct sgd_params, how),
};

static const smr_loss *loss_of(const struct sgd_params *p, int64_t n_classes)
{
    if (p->loss > 0) return &smr_losses[p->loss - 1];
    return &smr_losses[n_classes == 0  ? SMR_LOSS_SQUARED
                       : n_classes > 2 ? SMR_LOSS_CROSS_ENTROPY
                                       : SMR_LOSS_LOGISTIC];
}

static smr_stochastic_opts opts_of(const struct sgd_params *p, int64_t n_classes)
{
    const smr_loss *loss = loss_of(p, n_classes);
    double param = loss->id == SMR_LOSS_HUBER      ? p->delta
                   : loss->id == SMR_LOSS_QUANTILE ? p->tau
                                                   : p->epsilon;
    return (smr_stochastic_opts){.learner = "sgd",
                                 .loss = loss,
                                 .param = param,
                                 .l1 = p->l1,
                                 .l2 = p->l2,
                                 .tol = p->tol,
                                 .end = p->tol,
                                 .fit_intercept = p->fit_intercept,
                                 .ease = "raise l2 or tol",
                                 .how = &p->how};
}

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    smr_stochastic_opts o = opts_of(params_, 0);
    return smr_stochastic_check(ctx, &o);
}

/* ---- state ------------------------------------------------------------------------------ */

struct sgd_state {
    int64_t n_classes; /* 0: numbers */
    SMR_STOCHASTIC_STATE(n_scores);
    int64_t n_passes;
    double *pass_loss, *pass_rate, *pass_variance, *pass_square;
};

static const smr_state state[] = {
    {SMR_KEPT(struct sgd_state, n_classes), .is = "classes", .min = 0,
     .doc = "Classes; 0 for numbers."},
    {SMR_KEPT(struct sgd_state, n_features), .is = "features", .min = 0, .doc = "Features."},
    {SMR_KEPT(struct sgd_state, n_scores), .is = "scores", .min = 1, .doc = "Scores."},
    {SMR_KEPT(struct sgd_state, n_optimiser), .min = 0,
     .doc = "How many numbers the optimiser keeps."},
    {SMR_KEPT(struct sgd_state, n_passes), .min = 0, .doc = "Passes of the fit."},
    {SMR_KEPT(struct sgd_state, coef), .dims = {"n_scores", "n_features"},
     .doc = "Coefficients w."},
    {SMR_KEPT(struct sgd_state, intercept), .dims = {"n_scores"}, .doc = "Intercepts b."},
    {SMR_KEPT(struct sgd_state, optimiser), .with = "n_optimiser", .dims = {"n_optimiser"},
     .optional = true, .doc = "State of a stream's optimiser."},
    {SMR_KEPT(struct sgd_state, pass_loss), .with = "n_passes", .dims = {"n_passes"},
     .optional = true, .doc = "Mean loss of each pass, every row before it was learned."},
    {SMR_KEPT(struct sgd_state, pass_rate), .with = "n_passes", .dims = {"n_passes"},
     .optional = true, .doc = "Rate at the end of each pass."},
    {SMR_KEPT(struct sgd_state, pass_variance), .dims = {"n_passes"}, .optional = true,
     .doc = "Variance of the rows' gradients in each pass."},
    {SMR_KEPT(struct sgd_state, pass_square), .with = "pass_variance", .dims = {"n_passes"},
     .optional = true, .doc = "Square of the mean gradient in each pass."},
};

/* ---- fit -------------------------------------------------------------------------------- */

static bool is_of_classes(const smr_loss *loss)
{
    return loss->kind == SMR_LOSS_MARGIN || loss->kind == SMR_LOSS_CLASSES;
}

/* Training chooses the task by the loss; a model file, or members of one task, may disagree. */
static smr_status check_task(smr_ctx *ctx, const smr_loss *loss, smr_task task)
{
    bool of_classes = is_of_classes(loss);
    if (of_classes == (task == SMR_TASK_CLASSIFY)) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    of_classes ? "sgd: loss=%s is of classes, the target is a number; take "
                                 "squared, huber or another loss of numbers, or --task classify"
                               : "sgd: loss=%s is of numbers, the target is a class; take "
                                 "logistic, hinge or another loss of classes, or --task regress",
                    loss->name);
}

/* schedule=auto reads the offset in a stream alone. */
static smr_status check_offset(smr_ctx *ctx, const struct sgd_params *p)
{
    if (p->how.schedule != SMR_SCHEDULE_BY_USE || p->how.offset == 0) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "sgd: offset is read with schedule=root, inverse or per_step; in a fit "
                    "schedule=auto sets its rate by itself: give one of those, or leave offset "
                    "out");
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct sgd_params *p = params_;
    struct sgd_state *s = state_;
    smr_status st = SMR_OK;
    smr_stochastic_trace trace = {0};
    double *weight = NULL;
    smr_data weighted = *data;
    s->n_classes = data->task == SMR_TASK_CLASSIFY ? data->n_classes : 0;
    smr_stochastic_opts o = opts_of(p, s->n_classes);
    TRY(check_task(ctx, o.loss, data->task));
    TRY(check_offset(ctx, p));
    if (s->n_classes > 0) TRY(smr_classifier_weights(ctx, "sgd", data, p->class_weight, &weight));
    if (weight) weighted.weight = weight;
    st = smr_stochastic_fit(ctx, &o, &weighted, &s->model, report, &trace);
    s->n_passes = trace.n;
    s->pass_loss = trace.loss;
    s->pass_rate = trace.rate;
    s->pass_variance = trace.variance;
    s->pass_square = trace.square;
out:
    smr_free(weight);
    return st;
}

/* ---- a stream --------------------------------------------------------------------------- */

static smr_status begin(smr_ctx *ctx, const void *params_, const smr_shape *shape, void *state_)
{
    const struct sgd_params *p = params_;
    struct sgd_state *s = state_;
    smr_status st = SMR_OK;
    s->n_classes = shape->task == SMR_TASK_CLASSIFY ? shape->n_classes : 0;
    smr_stochastic_opts o = opts_of(p, s->n_classes);
    TRY(check_task(ctx, o.loss, shape->task));
    if (p->class_weight)
        TRY(smr_fail(
            ctx, SMR_ERR_PARAM,
            "sgd: class_weight=balanced needs all rows at once, which a stream does not have"));
    TRY(smr_stochastic_begin(ctx, &o, shape, &s->model));
out:
    return st;
}

static unsigned gives_with(const void *params_, const void *state_)
{
    const struct sgd_state *s = state_;
    smr_loss_id id = loss_of(params_, s ? s->n_classes : 0)->id;
    bool has_proba = id == SMR_LOSS_LOGISTIC || id == SMR_LOSS_CROSS_ENTROPY;
    return has_proba ? ~0u : ~(unsigned)SMR_GIVES_PROBA;
}

/* The logistic function of each score, divided by their sum: classes that were each fitted against
 * the rest. */
static void shares(int64_t k, double *p)
{
    double sum = 0;
    for (int64_t c = 0; c < k; c++) {
        double e = smr_exp(-fabs(p[c]));
        sum += p[c] = (p[c] < 0 ? e : 1) / (1 + e);
    }
    for (int64_t c = 0; c < k; c++) p[c] = sum > 0 ? p[c] / sum : 1 / (double)k;
}

/* Turns scores, in the first places of `out`, into the output: VALUE of a log link is exp(f). */
static void answer(const struct sgd_params *p, const struct sgd_state *s, int64_t n,
                   smr_output output, double *out)
{
    const smr_loss *loss = loss_of(p, s->n_classes);
    bool is_rest = output == SMR_OUTPUT_PROBA && s->n_classes > 2 && loss->kind == SMR_LOSS_MARGIN;
    if (output == SMR_OUTPUT_VALUE && loss->kind == SMR_LOSS_LOG_LINK)
        smr_exp_f64(n * s->n_scores, out, out);
    if (output != SMR_OUTPUT_VALUE && !is_rest) smr_classifier_spread(s->n_classes, n, output, out);
    for (int64_t i = 0; i < n && is_rest; i++) shares(s->n_classes, out + i * s->n_classes);
}

static smr_status learn(smr_ctx *ctx, const void *params_, void *state_, const smr_rows *rows,
                        const smr_truths *truths, double *out)
{
    const struct sgd_params *p = params_;
    struct sgd_state *s = state_;
    smr_stochastic_opts o = opts_of(p, s->n_classes);
    smr_output output = s->n_classes == 0                    ? SMR_OUTPUT_VALUE
                        : gives_with(p, s) & SMR_GIVES_PROBA ? SMR_OUTPUT_PROBA
                                                             : SMR_OUTPUT_DECISION;
    smr_status st = smr_stochastic_learn(ctx, &o, &s->model, rows, truths, out);
    if (st == SMR_OK && out) answer(p, s, rows->n, output, out);
    return st;
}

/* ---- predict ---------------------------------------------------------------------------- */

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct sgd_state *s = state_;
    smr_stochastic_opts o = opts_of(params_, s->n_classes);
    smr_status st = check_task(ctx, o.loss, shape->task);
    return st == SMR_OK ? smr_stochastic_check_state(ctx, &o, &s->model) : st;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct sgd_state *s = state_;
    (void)ctx, (void)scratch;
    smr_affine_predict(s->n_features, s->n_scores, s->coef, s->intercept, rows, out);
    answer(params_, s, rows->n, output, out);
    return SMR_OK;
}

/* ---- describe --------------------------------------------------------------------------- */

static void describe_score(const struct sgd_params *p, const struct sgd_state *s, int64_t c,
                           const smr_feature *in, smr_json *list)
{
    const char *key = s->n_scores == 1 ? NULL : s->n_classes ? "class" : "target";
    smr_affine_list(key, c, s->n_features, s->coef + c * s->n_features,
                    p->fit_intercept ? &s->intercept[c] : NULL, in, list);
}

/* The length of the random part of a step: the radius in which the weights wander. */
static double radius(const struct sgd_params *p, const struct sgd_state *s, int64_t pass)
{
    return s->pass_rate[pass] * sqrt(s->pass_variance[pass] / (double)p->how.batch);
}

static void describe_passes(const struct sgd_params *p, const struct sgd_state *s, smr_json *into)
{
    enum { SHOWN = 20 }; /* the first ten and the last ten */
    smr_json *list = smr_json_add_array(into, "passes");
    for (int64_t i = 0; i < s->n_passes; i++) {
        if (s->n_passes > SHOWN && i >= SHOWN / 2 && i < s->n_passes - SHOWN / 2) continue;
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "pass", (double)i + 1);
        smr_json_add_number(row, "loss", s->pass_loss[i]);
        smr_json_add_number(row, "rate", s->pass_rate[i]);
        if (!s->pass_variance) continue;
        smr_json_add_number(row, "gradient_variance", s->pass_variance[i]);
        smr_json_add_number(row, "mean_gradient_square", s->pass_square[i]);
        smr_json_add_number(row, "radius", radius(p, s, i));
    }
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct sgd_params *p = params_;
    const struct sgd_state *s = state_;
    (void)ctx, (void)n_in;
    smr_json_add_string(into, "loss", loss_of(p, s->n_classes)->name);
    if (s->optimiser) smr_json_add_number(into, "rows_learned", s->optimiser[0]);
    if (s->n_passes > 0) describe_passes(p, s, into);
    smr_json *list = smr_json_add_array(into, "coefficients");
    for (int64_t c = 0; c < s->n_scores; c++) describe_score(p, s, c, in, list);
    return SMR_OK;
}

/* What is drawn over the passes 1, 2, ... */
static double shown(const struct sgd_params *p, const struct sgd_state *s, int what, int64_t pass)
{
    switch (what) {
    case 0: return s->pass_loss[pass];
    case 1: return s->pass_variance[pass];
    case 2: return s->pass_square[pass];
    default: return radius(p, s, pass);
    }
}

static void add_line(const struct sgd_params *p, const struct sgd_state *s, int what,
                     const char *name, smr_json *list)
{
    smr_json *series = smr_json_add_object(list, NULL);
    smr_json_add_string(series, "name", name);
    smr_json_add_string(series, "kind", "line");
    smr_json *x = smr_json_add_array(series, "x");
    for (int64_t i = 0; i < s->n_passes; i++) smr_json_add_number(x, NULL, (double)i + 1);
    smr_json *y = smr_json_add_array(series, "y");
    for (int64_t i = 0; i < s->n_passes; i++) smr_json_add_number(y, NULL, shown(p, s, what, i));
}

static smr_status figures(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_feature *in, int64_t n_in, const char *prefix, smr_json *into)
{
    const struct sgd_params *p = params_;
    const struct sgd_state *s = state_;
    char name[256];
    (void)ctx, (void)in, (void)n_in;
    if (s->n_passes == 0) return SMR_OK;
    snprintf(name, sizeof name, "%spasses", prefix);
    smr_json *figure = smr_figure_add(
        into, name, "Loss over the passes",
        "Mean loss of the rows, each measured before it was learned, plus the penalty.");
    smr_figure_axis(figure, "x", "pass", "linear");
    smr_figure_axis(figure, "y", "mean loss", "linear");
    add_line(p, s, 0, "loss", smr_json_add_array(figure, "series"));
    if (!s->pass_variance) return SMR_OK;
    snprintf(name, sizeof name, "%sgradient_variance", prefix);
    figure = smr_figure_add(
        into, name, "Variance of the rows' gradients",
        "If it is far above the squared mean gradient, steps mostly undo each other, and the "
        "weights wander within a radius of about rate sqrt(variance / batch).");
    smr_figure_axis(figure, "x", "pass", "linear");
    smr_figure_axis(figure, "y", "", "log");
    smr_json *list = smr_json_add_array(figure, "series");
    add_line(p, s, 1, "variance", list);
    add_line(p, s, 2, "square of the mean", list);
    add_line(p, s, 3, "radius", list);
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "sgd",
    .synonyms = "SGDClassifier SGDRegressor",
    .family = "linear",
    .title = "Linear model by stochastic gradients",
    .brief = "Fits a linear model with any loss, row by row or in small batches; also learns from "
             "a stream.",
    .objective = "sum weight loss(y, x'w + b) + l1 |w|_1 + l2 1/2 |w|^2",
    .details =
        "Each step follows the gradient of one row, or the mean over a batch, and 1/n of the "
        "penalties (in a stream n is the number of rows so far). rate=0 derives the initial rate "
        "from the mean square of the rows and shortens steps that would overshoot a row, so that "
        "features in unsuitable units make it slow but not wrong; put standardize before it. l1 "
        "gives exact zeros. schedule=auto keeps a constant rate until passes make no progress, "
        "and goes from there to the optimum with the gradient of all rows, which also decides "
        "what converged says. average=yes removes most of the noise of the steps. Two classes "
        "have one score, more have one each; losses of margins fit each class against the rest. "
        "The order of the rows depends on the seed. zero_one has no slope and is refused. "
        "logistic and cross_entropy give probabilities. Rows of weight 0 are left out; an "
        "integer weight gives the optimum of the repeated row, though not by the same steps.",
    .reference = "Robbins & Monro, Ann. Math. Statist. 22 (1951); Bottou, Curtis & Nocedal, SIAM "
                 "Review 60 (2018)",
    .example =
        "samara train \"standardize | sgd hinge average=yes\" data/iris.csv --target species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct sgd_params),
    .check_params = check_params,
};

static const smr_can_explain explains = {.linear_at = SMR_LINEAR_AT(struct sgd_state, n_scores)};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct sgd_state),
    .gives = SMR_GIVES_VALUE | SMR_GIVES_PROBA | SMR_GIVES_DECISION,
    .gives_with = gives_with,
    .check = check,
    .predict = predict,
    .describe = describe,
    .draw = figures,
    .explain = &explains,
};

static const smr_can_stream streams = {
    .begin = SMR_TRAINING(begin),
    .learn = SMR_TRAINING(learn),
};

/* A loss of classes classifies, one of numbers predicts numbers.  l2 unset is one of its own. */
static void nature(const void *params_, smr_nature *its)
{
    const struct sgd_params *p = params_;
    if (p->l1 > 0 || p->l2 != 0) its->traits &= ~(unsigned)SMR_FITS_FREELY;
    if (p->loss == 0) return; /* by the task */
    its->tasks &= is_of_classes(&smr_losses[p->loss - 1]) ? SMR_DOES_CLASSIFY : SMR_DOES_REGRESS;
}

static const char *judge_by(const void *params_)
{
    const struct sgd_params *p = params_;
    switch (p->loss - 1) {
    case SMR_LOSS_ABSOLUTE:
    case SMR_LOSS_EPSILON: return "mae";
    case SMR_LOSS_QUANTILE: return smr_pinball_at(p->tau);
    case SMR_LOSS_POISSON: return "poisson_deviance";
    case SMR_LOSS_GAMMA: return "gamma_deviance";
    default: return NULL;
    }
}

static const smr_comparing compared = {.measure = judge_by};

const smr_learner smr_sgd = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS,
    .takes = SMR_TAKES_FORMS | SMR_TAKES_WEIGHTS | SMR_TAKES_MANY_TARGETS,
    .traits = SMR_SCALE_MATTERS | SMR_DRAWS_ROWS | SMR_WARM_STARTS | SMR_FITS_FREELY,
    .nature = nature,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .stream = SMR_TRAINING(&streams),
    .comparing = SMR_TRAINING(&compared),
};
