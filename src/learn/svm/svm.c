/* svm.c -- support vector machine with a linear kernel.
 *
 * Two classes, y = -1 or 1, minimise over w and b (b = 0 without fit_intercept)
 *
 *     P(w, b) = l2/2 |w|^2 + sum_i weight_i loss(y_i (x_i'w + b)),   l2 = 1 / C                 (1)
 *
 * with loss(m) = max(0, 1 - m) (hinge) or its square.  b is not penalised.  margin=hard (also
 * C=inf) takes the w of least length with y_i (x_i'w + b) >= 1 for every row of weight > 0, or says
 * which rows prove that there is none; C=0 gives w = 0.
 *
 * More classes: multi=ova solves (1) for each class against the others, the classes in parallel;
 * multi=max (Crammer & Singer) and multi=sum (Weston & Watkins) minimise
 *
 *     l2/2 sum_c |w_c|^2 + sum_i weight_i loss_i,                                               (2)
 *     max: max(0, 1 + max_{c != y} f_c - f_y),   sum: sum_{c != y} max(0, 1 + f_c - f_y).
 *
 * Solvers: coordinate descent on the dual (math/optimize/dual.h), which certifies
 * P - P(best) <= tol P; or, for the squared hinge, Newton on (1), which stops at
 * |g| <= tol |g(0)|.  auto: the dual, except for the squared hinge on dense rows.
 * Memory: the dual 7 numbers a row and problem at work (multi=max, sum: 2 n_classes a row), and a
 * copy of rows that do not lie in memory as rows (held_rows.h); Newton nine times w.
 *
 * Figures of a fitted two-class problem: width of the margin 2 / |w|; functional margin y f and
 * geometric margin y f / |w| of the row that has least; slack 1 - y f, whose rows are counted at
 * 0, in (0, 1], and above 1 (wrong side).
 *
 * Symbols: n rows, d features, x_i d, f = x'w + b.
 * References: Cortes & Vapnik, Machine Learning 20:273-297, 1995; Hsieh et al., ICML 2008. */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "learn/effort.h"
#include "learn/linear/affine.h"
#include "learn/linear/frame.h"
#include "learn/linear/scores.h"
#include "learn/linear/start.h"
#include "learn/svm/svm_parts.h"
#include "learn/present.h"

#include <math.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

struct svm_params {
    double C, l2;
    int kernel, loss, margin, multi, solver;
    bool fit_intercept;
    int class_weight;
    double tol;
    int64_t max_iter;
};

enum { LOSS_HINGE, LOSS_SQUARED_HINGE };
enum { MARGIN_SOFT, MARGIN_HARD };

static const smr_choice kernels[] = {
    {"linear", "x'z: a hyperplane in the features as they are"},
    {NULL, NULL},
};

static const smr_choice losses[] = {
    {"hinge", "max(0, 1 - y f)"},
    {"squared_hinge", "max(0, 1 - y f)^2"},
    {NULL, NULL},
};

static const smr_choice margins[] = {
    {"soft", "rows may lie within the margin or on the wrong side, at a price"},
    {"hard", "no row may: the widest margin, or an error that says why there is none"},
    {NULL, NULL},
};

/* In the order of SMR_SVM_OVA, SMR_SVM_SUM, SMR_SVM_MAX. */
static const smr_choice multis[] = {
    {"ova", "each class against the others, one problem per class"},
    {"sum", "one problem: a row pays for every class that comes too close (Weston & Watkins)"},
    {"max", "one problem: a row pays for the closest competing class only (Crammer & Singer)"},
    {NULL, NULL},
};

/* In the order of SMR_SVM_AUTO, SMR_SVM_DUAL, SMR_SVM_PRIMAL. */
static const smr_choice solvers[] = {
    {"auto", "dual; primal for the squared hinge on dense rows"},
    {"dual", "coordinate descent on the dual, with a certified gap"},
    {"primal", "Newton, in a trust region from 256 columns on; squared hinge only"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct svm_params, C), .def = 1, .min = 0, .max = INFINITY, .primary = true,
     .when = "l2=none&margin=soft", .search = SMR_SEARCH_LOG, .search_min = 1e-3, .search_max = 1e3,
     .simpler = SMR_SIMPLER_LOW,
     .doc =
         "Weight of the rows' losses relative to |w|^2 / 2; 0 gives w = 0, inf the hard margin."},
    {SMR_FIELD(struct svm_params, l2), .unset = true, .none = "0", .min = 0, .min_open = true,
     .max = INFINITY, .when = "margin=soft",
     .doc = "The penalty 1 / C, as an alternative to C; unset: use C."},
    {SMR_FIELD(struct svm_params, kernel), .def = 0, .choices = kernels,
     .doc = "The kernel function that compares rows."},
    {SMR_FIELD(struct svm_params, loss), .def = LOSS_HINGE, .choices = losses,
     .doc = "The loss of a row whose margin y f is below 1."},
    {SMR_FIELD(struct svm_params, margin), .def = MARGIN_SOFT, .choices = margins,
     .doc = "Whether rows may lie inside the margin."},
    {SMR_FIELD(struct svm_params, multi), .def = SMR_SVM_OVA, .choices = multis,
     .doc = "How more than two classes are separated."},
    {SMR_FIELD(struct svm_params, solver), .def = SMR_SVM_AUTO, .choices = solvers,
     .doc = "How the problem is solved; the result is the same up to tol."},
    {SMR_FIELD(struct svm_params, fit_intercept), .def = true,
     .doc = "Fit the intercept b, which is not penalised."},
    {SMR_FIELD(struct svm_params, class_weight), .def = SMR_CLASS_WEIGHT_NONE,
     .choices = smr_class_weights, .doc = "How the classes are weighted."},
    {SMR_FIELD(struct svm_params, tol), .def = 1e-4, .min = 0, .min_open = true, .max = 1,
     .doc = "Stop when the duality gap relative to the objective (dual), or the gradient relative "
            "to the initial one (primal), is below this."},
    {SMR_FIELD(struct svm_params, max_iter), .def = 1000, .min = 1, .max = INFINITY,
     .doc = "Maximum number of passes over the rows, or of Newton iterations."},
};

static bool is_hard(const struct svm_params *p)
{
    return p->margin == MARGIN_HARD || (isnan(p->l2) && isinf(p->C));
}

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    const struct svm_params *p = params_;
    if (p->solver == SMR_SVM_PRIMAL && p->loss != LOSS_SQUARED_HINGE)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "svm: solver=primal needs a smooth loss: loss=squared_hinge");
    if (p->solver == SMR_SVM_PRIMAL && is_hard(p))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "svm: a hard margin has no solver=primal; leave it out");
    if (p->loss == LOSS_SQUARED_HINGE && is_hard(p))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "svm: a hard margin pays no loss; leave loss=squared_hinge out");
    if (p->multi != SMR_SVM_OVA && p->loss == LOSS_SQUARED_HINGE)
        return smr_fail(ctx, SMR_ERR_PARAM, "svm: multi=%s goes with loss=hinge",
                        multis[p->multi].name);
    if (p->multi != SMR_SVM_OVA && is_hard(p))
        return smr_fail(ctx, SMR_ERR_PARAM, "svm: margin=hard goes with multi=ova, not %s",
                        multis[p->multi].name);
    return SMR_OK;
}

/* ---- state ------------------------------------------------------------------------------ */

struct svm_state {
    int64_t n_features, n_scores, n_parts, n_listed;
    double *coef, *intercept;
    double *objective, *gap, *margin;
    double *n_support, *n_met, *n_inside, *n_wrong;
    int64_t *listed;
    double *alpha;
};

static const smr_state state[] = {
    {SMR_KEPT(struct svm_state, n_features), .is = "features", .min = 0, .doc = "Features."},
    {SMR_KEPT(struct svm_state, n_scores), .is = "scores", .min = 1,
     .doc = "Scores: 1 for two classes."},
    {SMR_KEPT(struct svm_state, n_parts), .most = "n_scores", .min = 1,
     .doc = "Problems that were solved."},
    {SMR_KEPT(struct svm_state, n_listed), .min = 0, .doc = "Support vectors listed."},
    {SMR_KEPT(struct svm_state, coef), .dims = {"n_scores", "n_features"}, .doc = "Weights w."},
    {SMR_KEPT(struct svm_state, intercept), .dims = {"n_scores"}, .doc = "Intercepts b."},
    {SMR_KEPT(struct svm_state, objective), .dims = {"n_parts"},
     .doc = "P of each problem; of a hard margin |w|^2 / 2."},
    {SMR_KEPT(struct svm_state, gap), .dims = {"n_parts"},
     .doc = "Upper bound on how far P is above its minimum."},
    {SMR_KEPT(struct svm_state, margin), .dims = {"n_parts"},
     .doc = "The least functional margin of a row."},
    {SMR_KEPT(struct svm_state, n_support), .dims = {"n_parts"},
     .doc = "Weight of the rows that are support vectors."},
    {SMR_KEPT(struct svm_state, n_met), .dims = {"n_parts"},
     .doc = "Weight of the rows with slack 0 (up to 0.001)."},
    {SMR_KEPT(struct svm_state, n_inside), .dims = {"n_parts"},
     .doc = "Weight of the rows with slack in (0, 1]."},
    {SMR_KEPT(struct svm_state, n_wrong), .dims = {"n_parts"},
     .doc = "Weight of the rows with slack above 1."},
    {SMR_KEPT(struct svm_state, listed), .with = "n_listed", .dims = {"n_listed"}, .optional = true,
     .doc = "Rows that are support vectors, from 0; two classes and at most 100 of them."},
    {SMR_KEPT(struct svm_state, alpha), .with = "n_listed", .dims = {"n_listed"}, .optional = true,
     .doc = "Their dual variables."},
};

enum { MOST_LISTED = 100 };

/* ---- fit -------------------------------------------------------------------------------- */

static smr_status make_room(smr_ctx *ctx, const smr_data *data, const struct svm_params *p,
                            struct svm_state *s)
{
    smr_status st = SMR_OK;
    s->n_features = data->n_features;
    s->n_scores = smr_scores_of(data->n_classes);
    s->n_parts = p->multi == SMR_SVM_OVA ? s->n_scores : 1;
    TRY_NEW(s->coef, s->n_scores * s->n_features);
    TRY_NEW(s->intercept, s->n_scores);
    TRY_NEW(s->objective, s->n_parts);
    TRY_NEW(s->gap, s->n_parts);
    TRY_NEW(s->margin, s->n_parts);
    TRY_NEW(s->n_support, s->n_parts);
    TRY_NEW(s->n_met, s->n_parts);
    TRY_NEW(s->n_inside, s->n_parts);
    TRY_NEW(s->n_wrong, s->n_parts);
out:
    return st;
}

static void keep(struct svm_state *s, int64_t k, const smr_svm_part *part)
{
    s->objective[k] = part->objective;
    s->gap[k] = part->gap;
    s->margin[k] = part->margin;
    s->n_support[k] = part->n_support;
    s->n_met[k] = part->n_met;
    s->n_inside[k] = part->n_inside;
    s->n_wrong[k] = part->n_wrong;
}

static void release_own(struct svm_state *s)
{
    smr_free(s->coef);
    smr_free(s->intercept);
    smr_free(s->objective);
    smr_free(s->gap);
    smr_free(s->margin);
    smr_free(s->n_support);
    smr_free(s->n_met);
    smr_free(s->n_inside);
    smr_free(s->n_wrong);
    smr_free(s->listed);
    smr_free(s->alpha);
}

/* The problems of the classes that have rows, in the places of theirs among all classes. */
static smr_status spread(smr_ctx *ctx, const smr_data *all, const struct svm_params *p,
                         const smr_present *present, const struct svm_state *own,
                         struct svm_state *s)
{
    smr_status st = SMR_OK;
    TRY(make_room(ctx, all, p, s));
    smr_present_spread(present, s->n_scores, s->n_features, own->coef, own->intercept, SMR_ABSENT,
                       s->coef, s->intercept);
    for (int64_t c = 0; c < s->n_parts; c++) {
        int64_t at = own->n_parts == 1 ? 0 : present->place[c];
        if (s->n_parts > 1 && present->place[c] < 0) continue;
        keep(s, c,
             &(smr_svm_part){.objective = own->objective[at],
                             .gap = own->gap[at],
                             .margin = own->margin[at],
                             .n_support = own->n_support[at],
                             .n_met = own->n_met[at],
                             .n_inside = own->n_inside[at],
                             .n_wrong = own->n_wrong[at]});
    }
out:
    return st;
}

/* Two classes: the support vectors, if they are few enough for people to look at. */
static smr_status list_support(smr_ctx *ctx, const smr_data *data, const double *alpha,
                               struct svm_state *s)
{
    smr_status st = SMR_OK;
    int64_t n = 0;
    for (int64_t i = 0; i < data->n_rows; i++) n += alpha[i] > 0;
    if (n == 0 || n > MOST_LISTED) goto out;
    TRY_NEW(s->listed, n);
    TRY_NEW(s->alpha, n);
    for (int64_t i = 0; i < data->n_rows; i++) {
        if (!(alpha[i] > 0)) continue;
        s->listed[s->n_listed] = data->rows ? data->rows[i] : i;
        s->alpha[s->n_listed++] = alpha[i];
    }
out:
    return st;
}

struct ova {
    const smr_svm_problem *problem;
    struct svm_state *s;
    smr_svm_part *part; /* by class */
};

static smr_status fit_class(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct ova *o = arg;
    (void)lane;
    return smr_svm_two(ctx, o->problem, task, o->s->coef + task * o->s->n_features,
                       &o->s->intercept[task], NULL, &o->part[task]);
}

static smr_status fit_two(smr_ctx *ctx, const smr_svm_problem *problem, struct svm_state *s,
                          smr_svm_part *part)
{
    smr_status st = SMR_OK;
    double *alpha = NULL;
    TRY_NEW(alpha, problem->data->n_rows);
    TRY(smr_svm_two(ctx, problem, 1, s->coef, s->intercept, alpha, part));
    TRY(list_support(ctx, problem->data, alpha, s));
out:
    smr_free(alpha);
    return st;
}

/* All problems, their figures in part. */
static smr_status solve(smr_ctx *ctx, const struct svm_params *p, const smr_svm_problem *problem,
                        struct svm_state *s, smr_svm_part *part)
{
    struct ova ova = {problem, s, part};
    if (s->n_scores == 1) return fit_two(ctx, problem, s, part);
    if (p->multi == SMR_SVM_OVA) return smr_parallel(ctx, "svm", s->n_scores, fit_class, &ova);
    return smr_svm_many(ctx, problem, p->multi == SMR_SVM_SUM, s->coef, s->intercept, part);
}

static bool is_primal(const struct svm_params *p, const smr_data *data)
{
    if (p->solver != SMR_SVM_AUTO) return p->solver == SMR_SVM_PRIMAL;
    return p->loss == LOSS_SQUARED_HINGE && !is_hard(p) && !data->sparse;
}

static void tell(smr_ctx *ctx, const struct svm_params *p, const struct svm_state *s,
                 const smr_svm_part *part, smr_fit_report *report)
{
    int64_t n_short = 0;
    report->objective = 0;
    report->converged = true;
    for (int64_t k = 0; k < s->n_parts; k++) {
        report->objective += part[k].objective;
        report->n_iter = SMR_MAX(report->n_iter, part[k].n_iter);
        report->converged &= part[k].converged;
        n_short += !part[k].converged;
    }
    if (n_short > 0)
        smr_warn(ctx,
                 "svm: %lld of %lld problem%s did not reach tol in %lld passes; put standardize "
                 "before it, lower C, or raise max_iter or tol",
                 (long long)n_short, (long long)s->n_parts, smr_plural(s->n_parts, "", "s"),
                 (long long)p->max_iter);
}

/* Begins at an earlier fit, where there is one. */
static smr_status start(smr_ctx *ctx, smr_fit_report *report, const smr_data *data,
                        const smr_present *present, int64_t n_classes, struct svm_state *s,
                        bool *is_warm)
{
    smr_status st = SMR_OK;
    int64_t q = smr_scores_of(n_classes);
    double *coef = NULL, *intercept = NULL;
    TRY_NEW(coef, q * s->n_features);
    TRY_NEW(intercept, q);
    *is_warm = smr_linear_start(report, data, q, coef, intercept);
    if (*is_warm)
        smr_present_gather(present, q, s->n_features, coef, intercept, s->coef, s->intercept);
out:
    smr_free(coef);
    smr_free(intercept);
    return st;
}

/* Each problem makes some ten passes over the rows. */
static void tell_effort(smr_ctx *ctx, const smr_data *data, const struct svm_state *s)
{
    double length = (double)(smr_data_is_sparse(data) ? 8 : data->n_features);
    smr_effort_tell(
        ctx, &(smr_effort){.learner = "svm",
                           .each = 20 * (double)data->n_rows * (length + 8) * (double)s->n_scores,
                           .most = 1,
                           .least = 1,
                           .advice = s->n_scores > 100 ? "each class is told from all others: join "
                                                         "classes, or take knn or tree"
                                                       : "take fewer rows"});
}

/* On classes that all have rows, or on two. */
static smr_status fit_classes(smr_ctx *ctx, const struct svm_params *p, const smr_data *data,
                              const smr_present *present, int64_t n_classes, struct svm_state *s,
                              smr_fit_report *report)
{
    smr_status st = SMR_OK;
    smr_held_rows rows = {0};
    smr_svm_part *part = NULL;
    double *own = NULL, *shift = NULL;
    bool is_far = false;
    smr_svm_problem problem = {
        .data = data,
        .loss = p->loss == LOSS_HINGE ? SMR_LOSS_HINGE : SMR_LOSS_SQUARED_HINGE,
        .l2 = isnan(p->l2) ? 1 / p->C : p->l2,
        .is_hard = is_hard(p),
        .fit_intercept = p->fit_intercept,
        .tol = p->tol,
        .max_iter = p->max_iter,
    };

    TRY(smr_classifier_weights(ctx, "svm", data, p->class_weight, &own));
    problem.weight = own ? own : data->weight;
    TRY(make_room(ctx, data, p, s));
    TRY_NEW(part, s->n_parts);
    if (p->solver == SMR_SVM_AUTO && p->fit_intercept) TRY(smr_linear_is_far(ctx, data, &is_far));
    if (is_far || !is_primal(p, data)) {
        TRY(smr_held_all(ctx, "svm", data, &rows));
        problem.rows = &rows;
        if (!rows.is_sparse && !problem.is_hard && p->fit_intercept)
            TRY(smr_svm_shift(ctx, &rows, &shift));
        problem.shift = shift;
    }
    if (!problem.rows) TRY(start(ctx, report, data, present, n_classes, s, &problem.is_warm));
    tell_effort(ctx, data, s);
    TRY(solve(ctx, p, &problem, s, part));
    double sum = smr_sum_f64(s->n_scores, s->intercept);
    for (int64_t i = 0; i < s->n_scores * s->n_features; i++) sum += s->coef[i];
    if (!isfinite(sum))
        TRY(smr_fail(ctx, SMR_ERR_NUMERIC, "svm: sums of squares overflow: rescale the columns"));
    for (int64_t k = 0; k < s->n_parts; k++) keep(s, k, &part[k]);
    tell(ctx, p, s, part, report);
out:
    smr_held_close(&rows);
    smr_free(part);
    smr_free(own);
    smr_free(shift);
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct svm_params *p = params_;
    struct svm_state *s = state_, own = {0};
    smr_status st = SMR_OK;
    smr_present present = {0};
    TRY(smr_classifier_check_classes(ctx, "svm", data, NULL));
    TRY(smr_present_find(ctx, data, &present));
    TRY(fit_classes(ctx, p, &present.data, &present, data->n_classes, present.is_all ? s : &own,
                    report));
    if (!present.is_all) TRY(spread(ctx, data, p, &present, &own, s));
out:
    release_own(&own);
    smr_present_release(&present);
    return st;
}

/* ---- predict ---------------------------------------------------------------------------- */

static smr_linear_classifier classifier(const struct svm_state *s)
{
    return (smr_linear_classifier){.n_classes = s->n_scores == 1 ? 2 : s->n_scores,
                                   .n_features = s->n_features,
                                   .coef = s->coef,
                                   .intercept = s->intercept};
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct svm_state *s = state_;
    (void)params_, (void)shape;
    if (s->n_parts != 1 && s->n_parts != s->n_scores)
        return smr_fail(ctx, SMR_ERR_FORMAT, "svm has %lld problem%s for %lld score%s",
                        (long long)s->n_parts, smr_plural(s->n_parts, "", "s"),
                        (long long)s->n_scores, smr_plural(s->n_scores, "", "s"));
    return SMR_OK;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    smr_linear_classifier m = classifier(state_);
    (void)ctx, (void)params_, (void)scratch;
    smr_classifier_predict(&m, rows, output, out);
    return SMR_OK;
}

/* ---- describe --------------------------------------------------------------------------- */

static void describe_part(const struct svm_state *s, int64_t k, smr_json *into)
{
    const double *w = s->coef + k * s->n_features;
    double length = sqrt(smr_dot_f64(s->n_features, w, w));
    bool has_width = s->n_parts == s->n_scores; /* one w a problem */
    if (has_width) smr_json_add_number(into, "width", 2 / length);
    smr_json_add_number(into, "functional_margin", s->margin[k]);
    if (has_width) smr_json_add_number(into, "geometric_margin", s->margin[k] / length);
    smr_json_add_number(into, "objective", s->objective[k]);
    smr_json_add_number(into, "dual", s->objective[k] - s->gap[k]);
    smr_json_add_number(into, "gap", s->gap[k]);
    smr_json_add_number(into, "support_vectors", s->n_support[k]);
    smr_json_add_number(into, "slack_0", s->n_met[k]);
    smr_json_add_number(into, "slack_0_to_1", s->n_inside[k]);
    smr_json_add_number(into, "slack_above_1", s->n_wrong[k]);
}

static void describe_support(const struct svm_state *s, smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "support");
    for (int64_t i = 0; i < s->n_listed; i++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "row", (double)s->listed[i] + 1);
        smr_json_add_number(row, "alpha", s->alpha[i]);
    }
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct svm_params *p = params_;
    const struct svm_state *s = state_;
    smr_linear_classifier m = classifier(s);
    (void)ctx, (void)n_in;
    smr_json_add_string(into, "kernel", kernels[p->kernel].name);
    smr_json_add_string(into, "loss", is_hard(p) ? "none: hard margin" : losses[p->loss].name);
    if (!is_hard(p)) smr_json_add_number(into, "C", isnan(p->l2) ? p->C : 1 / p->l2);
    if (s->n_parts == 1) describe_part(s, 0, into);
    smr_json *list = s->n_parts > 1 ? smr_json_add_array(into, "problems") : NULL;
    for (int64_t k = 0; k < s->n_parts && list; k++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "class", (double)k);
        describe_part(s, k, row);
    }
    if (s->n_listed > 0) describe_support(s, into);
    smr_classifier_describe(&m, p->fit_intercept, in, NULL, NULL, into);
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "svm",
    .synonyms = "svc LinearSVC SVC",
    .family = "linear",
    .title = "Support vector machine",
    .brief = "Separates classes by the hyperplane with the widest margin; rows inside the margin "
             "are penalised.",
    .objective = "l2 1/2 |w|^2 + sum weight max(0, 1 - y (x'w + b)), l2 = 1 / C",
    .details =
        "Solved by coordinate descent on the dual, with a certified duality gap; by Newton's "
        "method for the squared hinge on dense rows. The intercept is not penalised. margin=hard "
        "gives the widest margin, or names rows that prove that none exists. With more than two "
        "classes, each is fitted against the others, or all in one problem (multi=sum, "
        "multi=max). It gives scores; put calibrate around it for probabilities. inspect shows "
        "the width of the margin, the functional and geometric margin, rows by their slack, "
        "support vectors, objective and gap. Features should have comparable scales: put "
        "standardize before it.",
    .reference = "Cortes & Vapnik, Machine Learning 20 (1995)",
    .example = "samara train \"standardize | svm\" data/iris.csv --target species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct svm_params),
    .check_params = check_params,
};

static const smr_can_explain explains = {.linear_at = SMR_LINEAR_AT(struct svm_state, n_scores)};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct svm_state),
    .gives = SMR_GIVES_DECISION,
    .check = check,
    .predict = predict,
    .describe = describe,
    .explain = &explains,
};

/* The primal begins where it is told; which solver `auto` takes the loss tells, and then the data
 * (is_primal). */
static void nature(const void *params_, smr_nature *its)
{
    const struct svm_params *p = params_;
    bool smooth = p->loss == LOSS_SQUARED_HINGE && !is_hard(p);
    bool primal = p->solver == SMR_SVM_PRIMAL || (p->solver == SMR_SVM_AUTO && smooth);
    if (!primal) its->traits &= ~(unsigned)SMR_WARM_STARTS;
}

const smr_learner smr_svm = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_WEIGHTS,
    .traits = SMR_SCALE_MATTERS | SMR_WARM_STARTS,
    .nature = nature,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
};
