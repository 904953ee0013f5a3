/* logistic.c -- logistic regression for two classes, softmax regression for more.
 *
 * Minimises over W and b (b = 0 without fit_intercept)
 *
 *     J = sum_i weight_i loss(y_i, W x_i + b) + l1 |W|_1 + l2 / 2 |W|^2                        (1)
 *
 * with one score f and the loss log(1 + exp(-y f)), y = -1 or 1, for two classes; else a score a
 * class and the loss log sum_c exp(f_c) - f_y.  The intercept is not penalised.
 *
 * Solvers (auto takes the first that fits; logistic_solve.c): without l1, Newton with the weighted
 * Gram matrix up to 1000 variables, else L-BFGS; with l1, local quadratics by coordinate descent
 * up to 1000 variables, else OWL-QN.  Sparse rows with more variables are solved in the dual, row
 * by row (logistic_dual.c; at most 100 classes), or with l1, two classes, column by column
 * (math/optimize/glm_columns.c).  trust is Newton by conjugate gradients, gd plain gradient
 * descent.  Cost: a pass over the rows an iteration, 2 n d k multiply-adds; Newton n d^2 / 2 more.
 * Memory: objective.h.
 *
 * Degenerate cases: rows of one class are an error.  A class without rows has probability 0: its
 * score is SMR_ABSENT.  Without a penalty, classes that a plane separates (or parts, with rows on
 * it) have no finite optimum: that is certified and said, the coefficients are those where the
 * solver stopped and have no standard errors.  Collinear columns without a penalty: some optimum,
 * no standard errors.
 *
 * Symbols: n rows, d features, k classes, W (n_scores x d), b (n_scores).
 * References: Cox, J. R. Stat. Soc. B 20:215-242, 1958; Albert & Anderson, Biometrika 71:1-10, 1984
 * (separation); Lin, Weng & Keerthi, JMLR 9:627-650, 2008. */
#include "learn/linear/logistic.h"

#include "kernel/kernel.h"
#include "learn/linear/affine.h"
#include "learn/linear/frame.h"
#include "learn/linear/held_rows.h"
#include "learn/linear/scores.h"
#include "learn/linear/start.h"
#include "learn/present.h"

#include <math.h>
#include <string.h>

#define SHARE 0.5 /* of the one score that two classes have where the target names more */

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_param params[] = {
    {SMR_FIELD(struct smr_logistic_params, l2), .def = 1, .min = 0, .max = INFINITY,
     .max_open = true, .search = SMR_SEARCH_LOG, .search_min = 1e-4, .search_max = 1e4,
     .simpler = SMR_SIMPLER_HIGH, .primary = true,
     .doc = "Weight of the penalty 1/2 |w|^2, relative to the sum of the rows' losses; 0 with l1=0 "
            "gives maximum likelihood."},
    {SMR_FIELD(struct smr_logistic_params, l1), .def = 0, .min = 0, .max = INFINITY,
     .max_open = true, .search = SMR_SEARCH_LOG, .search_min = 1e-3, .search_max = 1e3,
     .simpler = SMR_SIMPLER_HIGH,
     .doc = "Weight of the penalty |w|_1, which makes coefficients exactly 0."},
    {SMR_FIELD(struct smr_logistic_params, solver), .def = SMR_LOGISTIC_AUTO,
     .choices = smr_logistic_solvers, .doc = "How the optimum is found."},
    {SMR_FIELD(struct smr_logistic_params, class_weight), .def = SMR_CLASS_WEIGHT_NONE,
     .choices = smr_class_weights, .doc = "How the classes are weighted."},
    {SMR_FIELD(struct smr_logistic_params, fit_intercept), .def = true,
     .doc = "Fit the intercept b, which is not penalised."},
    {SMR_FIELD(struct smr_logistic_params, tol), .fit_only = true, .def = 1e-6, .min = 0, .max = 1,
     .min_open = true, .max_open = true,
     .doc = "Stop when the gradient has shrunk to this fraction of that of the model without "
            "coefficients, and its curvature, up to 1000 variables, says that the objective is as "
            "near to its minimum; solver=dual: when the duality gap is this fraction of the "
            "objective."},
    {SMR_FIELD(struct smr_logistic_params, max_iter), .fit_only = true, .when = "solver!=sgd",
     .def = 1000, .min = 1, .max = 1e9, .doc = "Maximum number of iterations."},
    {SMR_FIELD(struct smr_logistic_params, step), .def = 0, .min = 0, .max = INFINITY,
     .max_open = true, .when = "solver=gd",
     .doc = "Step length along the gradient of the mean loss; 0: halved until the loss falls."},
    SMR_STOCHASTIC_FEW(struct smr_logistic_params, "solver=sgd"),
};

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    const struct smr_logistic_params *p = params_;
    bool takes_l1 = p->solver == SMR_LOGISTIC_AUTO || p->solver == SMR_LOGISTIC_COORDINATE ||
                    p->solver == SMR_LOGISTIC_OWLQN || p->solver == SMR_LOGISTIC_SGD;
    if (p->l1 > 0 && !takes_l1)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "logistic: solver=%s cannot take l1; use solver=coordinate, owlqn or sgd",
                        smr_logistic_solvers[p->solver].name);
    return SMR_OK;
}

/* ---- state ------------------------------------------------------------------------------ */

static const smr_state state[] = {
    {SMR_KEPT(struct smr_logistic_state, n_features), .is = "features", .min = 0,
     .doc = "Features."},
    {SMR_KEPT(struct smr_logistic_state, n_classes), .is = "classes", .min = 2, .doc = "Classes."},
    {SMR_KEPT(struct smr_logistic_state, n_scores), .is = "scores", .min = 1,
     .doc = "Scores per row: 1 for two classes, otherwise one per class."},
    {SMR_KEPT(struct smr_logistic_state, solver), .min = SMR_LOGISTIC_NEWTON,
     .max = SMR_LOGISTIC_DUAL,
     .doc = "How it was solved: 1 newton, 2 lbfgs, 3 trust, 4 coordinate, 5 owlqn, 6 gd, 7 sgd, "
            "8 dual."},
    {SMR_KEPT(struct smr_logistic_state, separation), .min = 0, .max = SMR_LOGISTIC_PARTED,
     .doc = "Without penalty: 0 classes overlap, 1 a plane separates them, 2 a plane separates all "
            "but rows that lie on it."},
    {SMR_KEPT(struct smr_logistic_state, n_rows), .doc = "Sum of the rows' weights."},
    {SMR_KEPT(struct smr_logistic_state, deviance), .doc = "Twice the loss without penalty."},
    {SMR_KEPT(struct smr_logistic_state, null_deviance),
     .doc = "Deviance of the model without features."},
    {SMR_KEPT(struct smr_logistic_state, df),
     .doc = "Effective degrees of freedom; NaN: not computed."},
    {SMR_KEPT(struct smr_logistic_state, coef), .dims = {"n_scores", "n_features"},
     .doc = "Coefficients W."},
    {SMR_KEPT(struct smr_logistic_state, intercept), .dims = {"n_scores"}, .doc = "Intercepts b."},
    {SMR_KEPT(struct smr_logistic_state, std_error), .dims = {"n_scores", "n_features"},
     .optional = true,
     .doc = "Standard errors of the coefficients; NaN where the data do not determine one."},
    {SMR_KEPT(struct smr_logistic_state, intercept_error), .with = "std_error",
     .dims = {"n_scores"}, .optional = true, .doc = "Standard errors of the intercepts."},
    {SMR_KEPT(struct smr_logistic_state, n_optimiser), .min = 0,
     .doc = "How many numbers a stream's optimiser keeps."},
    {SMR_KEPT(struct smr_logistic_state, optimiser), .with = "n_optimiser", .dims = {"n_optimiser"},
     .optional = true, .doc = "State of a stream's optimiser."},
};

/* ---- fit -------------------------------------------------------------------------------- */

/* The classes that have rows, with the weights of the fit. */
struct classes {
    smr_present present;
    double *count;  /* n_classes: their weights */
    double *weight; /* n_rows; NULL: the data's */
    smr_data data;
};

static void release_classes(struct classes *c)
{
    smr_present_release(&c->present);
    smr_free(c->count);
    smr_free(c->weight);
}

static smr_status find_classes(smr_ctx *ctx, const struct smr_logistic_params *p,
                               const smr_data *data, struct classes *c)
{
    smr_status st = SMR_OK;
    TRY_NEW(c->count, data->n_classes);
    TRY(smr_classifier_check_classes(ctx, "logistic", data, c->count));
    TRY(smr_classifier_weights(ctx, "logistic", data, p->class_weight, &c->weight));
    TRY(smr_present_find(ctx, data, &c->present));
    c->present.share = SHARE;
    c->data = c->present.data;
    if (c->weight) c->data.weight = c->weight;
out:
    return st;
}

/* Twice the loss of the model without features. */
static double null_deviance(const struct smr_logistic_params *p, const struct classes *c)
{
    double total = 0, sum = 0;
    const smr_data *data = &c->data;
    double *count = c->count; /* now with the class weights */
    int64_t k = data->n_classes;
    for (int64_t i = 0; i < k; i++) count[i] = 0;
    for (int64_t i = 0; i < data->n_rows; i++) {
        count[data->label[i]] += smr_data_weight(data, i);
        total += smr_data_weight(data, i);
    }
    if (!p->fit_intercept) return 2 * total * smr_log((double)k);
    for (int64_t i = 0; i < k; i++)
        if (count[i] > 0) sum -= count[i] * smr_log(count[i] / total);
    return 2 * sum;
}

static double total_weight(const smr_data *data)
{
    double sum = 0;
    for (int64_t i = 0; i < data->n_rows; i++) sum += smr_data_weight(data, i);
    return sum;
}

static smr_status make_room(smr_ctx *ctx, const smr_data *data, bool errors,
                            struct smr_logistic_state *s)
{
    smr_status st = SMR_OK;
    s->n_features = data->n_features;
    s->n_classes = data->n_classes;
    s->n_scores = smr_scores_of(data->n_classes);
    TRY_NEW(s->coef, s->n_scores * s->n_features);
    TRY_NEW(s->intercept, s->n_scores);
    if (errors) {
        TRY_NEW(s->std_error, s->n_scores * s->n_features);
        TRY_NEW(s->intercept_error, s->n_scores);
    }
out:
    return st;
}

/* Variables of the classes that have rows into their places; the others' score is `absent`. */
static smr_status place(smr_ctx *ctx, const struct smr_logistic_fit *f, const smr_present *present,
                        const double *from, double absent, struct smr_logistic_state *s,
                        double *coef, double *intercept)
{
    smr_status st = SMR_OK;
    double *b = NULL;
    TRY_NEW(b, f->k);
    if (f->p->fit_intercept) memcpy(b, from + f->k * f->d, (size_t)f->k * sizeof *b);
    if (present->is_all) {
        memcpy(coef, from, (size_t)(f->k * f->d) * sizeof *coef);
        memcpy(intercept, b, (size_t)f->k * sizeof *b);
    } else {
        smr_present_spread(present, s->n_classes, f->d, from, b, absent, coef, intercept);
    }
out:
    smr_free(b);
    return st;
}

/* The same of standard errors, which have no sign. */
static smr_status place_errors(smr_ctx *ctx, const struct smr_logistic_fit *f,
                               const smr_present *present, const double *error,
                               struct smr_logistic_state *s)
{
    smr_status st = place(ctx, f, present, error, NAN, s, s->std_error, s->intercept_error);
    for (int64_t i = 0; i < s->n_scores * s->n_features; i++)
        s->std_error[i] = fabs(s->std_error[i]);
    for (int64_t i = 0; i < s->n_scores; i++) s->intercept_error[i] = fabs(s->intercept_error[i]);
    return st;
}

/* The loss without penalty, twice. */
static double deviance(const struct smr_logistic_fit *f)
{
    double penalty = 0;
    for (int64_t i = 0; i < f->k * f->d; i++)
        penalty += f->p->l1 * fabs(f->w[i]) + f->p->l2 / 2 * f->w[i] * f->w[i];
    return 2 * smr_fmax(0, f->report->objective - penalty);
}

static int64_t count_nonzero(const struct smr_logistic_fit *f)
{
    int64_t count = f->p->fit_intercept ? SMR_MAX(1, f->k - 1) : 0;
    for (int64_t i = 0; i < f->k * f->d; i++) count += f->w[i] != 0;
    return count;
}

/* "the coefficients of 2 of 5 columns ('a', ...) grow": n of them, or all, marked in `which`. */
static void say_columns(const struct smr_logistic_fit *f, const bool *which, smr_text *text)
{
    char name[32];
    int64_t n = 0, first = -1;
    for (int64_t j = f->d - 1; j >= 0; j--) {
        n += which[j];
        if (which[j]) first = j;
    }
    smr_text_add(text, "the coefficients");
    if (n == 0 || n == f->d) return;
    smr_text_printf(text, " of %lld of %lld columns ('%s'%s)", (long long)n, (long long)f->d,
                    smr_affine_name(f->data->features, first, name), n > 1 ? ", ..." : "");
}

static smr_status look_for_separation(smr_ctx *ctx, struct smr_logistic_fit *f)
{
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    if (f->p->l1 > 0 || f->p->l2 > 0) return SMR_OK;
    TRY_NEW(f->moved, f->d + 1);
    TRY(smr_logistic_find_separation(ctx, f));
    if (f->separation == SMR_LOGISTIC_OVERLAP && !f->is_open) goto out;
    f->report->converged = false;
    if (f->is_open) {
        smr_warn(ctx, "logistic: rounding hides whether a plane separates the classes, so without "
                      "a penalty the coefficients may grow for ever; the model has the values at "
                      "which the solver stopped: give l2 a value (l2=1)");
        goto out;
    }
    smr_text_printf(&text, "logistic: %s, so without a penalty ",
                    f->separation == SMR_LOGISTIC_SEPARATED ? "a plane separates the classes"
                    : f->k > 1                              ? "planes part some classes from others"
                               : "a plane has no row on its wrong side (some lie on it)");
    say_columns(f, f->moved, &text);
    smr_text_add(&text, " grow for ever; the model has the values at which the solver stopped, "
                        "without standard errors: give l2 a value (l2=1)");
    TRY(smr_text_done(&text));
    smr_warn(ctx, "%s", text.bytes);
out:
    smr_text_release(&text);
    return st;
}

/* The solver came to its end, and the curvature says that the objective still falls. */
static smr_status warn_above(smr_ctx *ctx, const struct smr_logistic_fit *f)
{
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    smr_text_printf(&text,
                    "logistic: not converged after %lld iteration%s: the gradient is small, but "
                    "the objective is still about ",
                    (long long)f->report->n_iter, smr_plural(f->report->n_iter, "", "s"));
    smr_text_rounded(&text, 100 * f->above / f->report->objective, 2);
    smr_text_add(&text, " % above its least, as some columns are nearly combinations of others; "
                        "take solver=auto, drop columns, or raise l2");
    TRY(smr_text_done(&text));
    smr_warn(ctx, "%s", text.bytes);
out:
    smr_text_release(&text);
    return st;
}

/* Coefficients that the rows do not determine, as columns say together what others say. */
static smr_status warn_undetermined(smr_ctx *ctx, const struct smr_logistic_fit *f,
                                    const double *error)
{
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    bool *unknown = NULL, any = false;
    TRY_NEW(unknown, f->d + 1);
    for (int64_t j = 0; j < f->d; j++) {
        for (int64_t c = 0; c < f->k; c++) unknown[j] |= isnan(error[c * f->d + j]);
        unknown[j] &= !f->moved || !f->moved[j];
        any |= unknown[j];
    }
    if (!any) goto out;
    smr_text_add(&text, "logistic: the rows do not determine ");
    say_columns(f, unknown, &text);
    smr_text_add(&text, ": these columns are constant, or combinations of others; they have no "
                        "standard errors; drop columns, or give l2 a value (l2=1)");
    TRY(smr_text_done(&text));
    smr_warn(ctx, "%s", text.bytes);
out:
    smr_text_release(&text);
    smr_free(unknown);
    return st;
}

/* Standard errors of what has a finite value. */
static smr_status find_errors(smr_ctx *ctx, struct smr_logistic_fit *f, double *error, double *df)
{
    smr_status st = SMR_OK;
    if (f->separation == SMR_LOGISTIC_SEPARATED) {
        for (int64_t i = 0; i < f->n; i++) error[i] = NAN;
        return SMR_OK;
    }
    TRY(smr_logistic_errors(ctx, f, error, df));
    TRY(warn_undetermined(ctx, f, error));
    for (int64_t i = 0; i < f->n && f->separation == SMR_LOGISTIC_PARTED; i++)
        if (f->moved[i < f->k * f->d ? i % f->d : f->d]) error[i] = NAN;
    if (f->separation == SMR_LOGISTIC_PARTED) *df = NAN;
out:
    return st;
}

static smr_status keep(smr_ctx *ctx, struct smr_logistic_fit *f, const struct classes *c,
                       struct smr_logistic_state *s)
{
    smr_status st = SMR_OK;
    double *error = NULL;
    TRY(place(ctx, f, &c->present, f->w, SMR_ABSENT, s, s->coef, s->intercept));
    s->solver = f->solver;
    s->separation = f->separation;
    s->deviance = deviance(f);
    s->df = f->p->l1 > 0 ? (double)count_nonzero(f) : NAN;
    s->n_rows = total_weight(f->data);
    if (!s->std_error) goto out;
    TRY_NEW(error, SMR_MAX(1, f->n));
    TRY(find_errors(ctx, f, error, &s->df));
    TRY(place_errors(ctx, f, &c->present, error, s));
out:
    smr_free(error);
    return st;
}

/* Columns far from 0 are left to a method that works in a frame (auto), which gives the intercept's
 * error; with l1, where there is none, the rows are copied and centred. */
static smr_status stay_near(smr_ctx *ctx, struct smr_logistic_fit *f, smr_held_rows *near)
{
    smr_status st = SMR_OK;
    bool is_far = false, automatic = f->p->solver == SMR_LOGISTIC_AUTO;
    if (!f->p->fit_intercept || !(automatic || f->p->l1 > 0)) return SMR_OK;
    TRY(smr_linear_is_far(ctx, f->data, &is_far));
    if (is_far && f->p->l1 == 0) f->solver = SMR_LOGISTIC_LBFGS;
    if (!is_far || f->p->l1 == 0) goto out;
    TRY(smr_memory_check(ctx, 8.0 * (double)f->data->n_rows * (double)f->d,
                         "logistic's copy of columns far from 0", "put standardize before it"));
    TRY(smr_held_centred(ctx, f->data, near));
    f->data = &near->data;
out:
    return st;
}

/* Begins where an earlier fit ended: f->w of the classes that have rows. */
static smr_status start_warm(smr_ctx *ctx, const smr_data *data, const struct classes *c,
                             const smr_held_rows *near, struct smr_logistic_fit *f)
{
    smr_status st = SMR_OK;
    int64_t q = smr_scores_of(data->n_classes), d = f->d;
    double *w = NULL, *b = NULL, *own = NULL, *into = f->w + f->k * d;
    if (!f->report->warm || !smr_logistic_has_start(f)) return SMR_OK;
    TRY_NEW(w, q * d);
    TRY_NEW(b, q);
    TRY_NEW(own, f->k);
    f->is_warm = smr_linear_start(f->report, data, q, w, b);
    if (!f->is_warm) goto out;
    smr_present_gather(&c->present, q, d, w, b, f->w, own);
    if (f->p->fit_intercept) memcpy(into, own, (size_t)f->k * sizeof *own);
    if (near->mean) smr_held_enter(near, f->k, f->w, into, into);
out:
    smr_free(w);
    smr_free(b);
    smr_free(own);
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct smr_logistic_params *p = params_;
    struct smr_logistic_state *s = state_;
    smr_status st = SMR_OK;
    struct classes c = {0};
    struct smr_logistic_fit f = {.p = p, .report = report};
    smr_held_rows kept = {0}, near = {0};

    TRY(find_classes(ctx, p, data, &c));
    if (p->solver == SMR_LOGISTIC_SGD) {
        smr_data weighted = *data;
        weighted.weight = c.data.weight;
        TRY(smr_logistic_fit_sgd(ctx, p, &weighted, s, report));
        s->n_rows = total_weight(&weighted);
        s->null_deviance = null_deviance(p, &c);
        goto out;
    }
    if (data->source && smr_data_is_sparse(data)) { /* words: they are read many times */
        TRY(smr_held_all(ctx, "logistic", &c.data, &kept));
        if (kept.is_sparse) c.data = kept.data;
    }
    f.data = &c.data;
    f.weight = c.data.weight;
    f.l2 = p->l2;
    f.every = 1;
    f.taken = data->n_rows;
    f.k = smr_scores_of(c.data.n_classes);
    f.d = data->n_features;
    f.n = f.k * (f.d + p->fit_intercept);
    f.solver = smr_logistic_choose(p, f.data, f.k);
    TRY(stay_near(ctx, &f, &near));
    TRY(make_room(ctx, data, p->l1 == 0 && smr_logistic_is_small(f.k, f.d), s));
    TRY(smr_logistic_open(ctx, &f));
    TRY_NEW(f.w, SMR_MAX(1, f.n));
    TRY(start_warm(ctx, data, &c, &near, &f));
    s->null_deviance = null_deviance(p, &c);
    f.null = s->null_deviance / 2;
    TRY(smr_logistic_solve(ctx, &f));
    if (near.mean) smr_held_leave(&near, f.k, f.w, f.w + f.k * f.d, f.w + f.k * f.d);
    bool is_above = !report->converged && f.above > 0;
    TRY(look_for_separation(ctx, &f));
    if (is_above && f.separation == SMR_LOGISTIC_OVERLAP && !f.is_open) TRY(warn_above(ctx, &f));
    TRY(keep(ctx, &f, &c, s));
out:
    smr_free(f.w);
    smr_free(f.H);
    smr_free(f.moved);
    smr_linear_objective_close(f.o);
    smr_held_close(&near);
    smr_held_close(&kept);
    release_classes(&c);
    return st;
}

/* ---- predict ---------------------------------------------------------------------------- */

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_logistic_state *s = state_;
    (void)shape;
    return s->optimiser ? smr_logistic_check_stream(ctx, params_, s) : SMR_OK;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    smr_linear_classifier m = smr_logistic_classifier(state_);
    (void)ctx, (void)params_, (void)scratch;
    smr_classifier_predict(&m, rows, output, out);
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "logistic",
    .synonyms = "logreg logit lr softmax LogisticRegression",
    .family = "linear",
    .title = "Logistic regression",
    .brief = "A linear model of class probabilities: logistic for two classes, softmax for more.",
    .objective = "sum weight log(1 + exp(-y (x'w + b))) + l1 |w| + l2 1/2 |w|^2; more than two "
                 "classes: sum weight (log sum_c exp(f_c) - f_y), f = Wx + b",
    .details =
        "The problem is convex: every solver reaches the same optimum. Up to 1000 variables "
        "(scores times features; fewer where there are many of both) solver=auto takes Newton's "
        "method with the weighted Gram matrix; above, the dual for sparse rows of up to 100 "
        "classes, "
        "otherwise L-BFGS on the standardised features, and trust from the 300th iteration on. "
        "With l1 it takes coordinate descent on local quadratics up to the same size and for two "
        "classes in sparse rows, otherwise OWL-QN. With many rows Newton starts from the "
        "solution for a part of them. gd is plain gradient descent, with a fixed step or a line "
        "search, for its training curve; sgd takes rows one by one or in batches (stochastic "
        "gradients), as in a stream, then full gradients when passes make no more progress. "
        "inspect shows standard errors, z, p and odds ratios with 95 % intervals: Wald's without "
        "a penalty, and with l2 those of the posterior whose prior is the penalty; with l1 there "
        "are none. With more than two classes, coefficients are relative to the mean over the "
        "classes. Without any penalty, there is no finite optimum for classes that a plane "
        "separates: this is detected, reported, and kept in the model, which still predicts. "
        "class_weight=balanced gives every class the same total weight. A class without rows has "
        "probability 0.",
    .reference = "Cox, J. R. Stat. Soc. B 20 (1958); Albert & Anderson, Biometrika 71 (1984)",
    .example = "samara train \"standardize | logistic\" data/breast_cancer.csv --target diagnosis",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_logistic_params),
    .check_params = check_params,
};

static const smr_can_explain explains = {.linear_at =
                                             SMR_LINEAR_AT(struct smr_logistic_state, n_scores)};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_logistic_state),
    .gives = SMR_GIVES_PROBA | SMR_GIVES_DECISION,
    .check = check,
    .predict = predict,
    .describe = smr_logistic_describe,
    .draw = smr_logistic_figures,
    .explain = &explains,
};

static const smr_can_stream streams = {
    .begin = SMR_TRAINING(smr_logistic_begin),
    .learn = SMR_TRAINING(smr_logistic_learn),
};

/* Indicators of all levels sum to 1, which an intercept says too: no single coefficient is then
 * determined, unless a penalty does. */
static void nature(const void *params_, smr_nature *its)
{
    const struct smr_logistic_params *p = params_;
    if (p->l1 > 0 || p->l2 > 0) its->traits &= ~(unsigned)(SMR_WANTS_CONTRASTS | SMR_FITS_FREELY);
    if (p->solver == SMR_LOGISTIC_DUAL) its->traits &= ~(unsigned)SMR_WARM_STARTS;
}

static const char *refuses(const void *params_)
{
    const struct smr_logistic_params *p = params_;
    return p->solver == SMR_LOGISTIC_GD ? NULL : "its steps are those of solver=gd";
}

static const smr_can_trace traces = {.shows = "the model after each step of gradient descent",
                                     .refuses = refuses};

const smr_learner smr_logistic = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_WEIGHTS,
    .traits =
        SMR_SCALE_MATTERS | SMR_PLAIN | SMR_WARM_STARTS | SMR_WANTS_CONTRASTS | SMR_FITS_FREELY,
    .nature = nature,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .stream = SMR_TRAINING(&streams),
    .trace = SMR_TRAINING(&traces),
};
