/* svm.c -- support vector machines: parameters, state, descriptor.
 *
 * Two classes, y = -1 or 1, minimise over w and b (b = 0 without fit_intercept)
 *
 *     P(w, b) = l2/2 |w|^2 + sum_i weight_i loss(y_i (phi(x_i)'w + b)),   l2 = 1 / C            (1)
 *
 * with loss(m) = max(0, 1 - m) (hinge) or, with kernel=linear, its square, and
 * phi(x)'phi(z) = K(x, z), the kernel.  b is not penalised.  margin=hard (also C=inf) takes the w
 * of least length with y_i (phi(x_i)'w + b) >= 1 for every row of weight > 0, or says which rows
 * prove that there is none; with kernel=linear C=0 gives w = 0.
 *
 * kernel=linear, classes: phi(x) = x, and the model is w itself.  More classes: multi=ova solves
 * (1) for each class against the others, the classes in parallel; multi=max (Crammer & Singer) and
 * multi=sum (Weston & Watkins) minimise
 *
 *     l2/2 sum_c |w_c|^2 + sum_i weight_i loss_i,                                               (2)
 *     max: max(0, 1 + max_{c != y} f_c - f_y),   sum: sum_{c != y} max(0, 1 + f_c - f_y).
 *
 * Solvers: coordinate descent on the dual (math/optimize/dual.h), which certifies
 * P - P(best) <= tol P; for the hinge of tall dense rows passes that all threads share
 * (svm_interior.h), with the same certificate; for the squared hinge Newton on (1), which stops at
 * |g| <= tol |g(0)|.
 * Memory: the dual 7 numbers a row and problem at work (multi=max, sum: 2 n_classes a row), the
 * interior point method 3 (and 13 of rows near the margin), both with a copy of rows that do not
 * lie in memory as rows (held_rows.h); Newton nine times w.
 *
 * Other kernels, and with nu, proba or multi=ovo also linear: f(x) = sum_i y_i a_i K(x, x_i) + b
 * over the support vectors (of numbers with a linear kernel w = sum_i y_i a_i x_i is kept), from
 * the dual of (1) by working sets (math/optimize/dual_kernel.h), which ends where its conditions
 * hold to tol.  More classes: multi=ovo (a machine for each pair, votes) or ova.  Numbers: the
 * epsilon-insensitive loss max(0, |y - f| - epsilon); without a target the region that holds all
 * but a share nu of the rows (one class).  nu replaces C for classes and epsilon for numbers: at
 * most that share of the rows costs something, at least that share are support vectors.  Entries of
 * K are floats, sums are in double.
 * Memory: rows as floats, up to 500 MB of rows of K, a quarter of what --memory leaves.
 *
 * Figures of a fitted two-class problem: width of the margin 2 / |w|; functional margin y f and
 * geometric margin y f / |w| of the row that has least; slack 1 - y f, whose rows are counted at
 * 0, in (0, 1], and above 1 (wrong side).
 *
 * Symbols: n rows, d features, x_i d, f = phi(x)'w + b.
 * References: Cortes & Vapnik, Machine Learning 20:273-297, 1995; Hsieh et al., ICML 2008;
 * Schoelkopf & Smola, Learning with Kernels, 2002. */
#include "learn/linear/affine.h"
#include "learn/linear/scores.h"
#include "learn/svm/svm_parts.h"

/* ---- parameters ------------------------------------------------------------------------- */

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

/* In the order of SMR_SVM_MULTI_AUTO ... */
const smr_choice smr_svm_multis[] = {
    {"auto", "ova for kernel=linear, ovo for other kernels"},
    {"ova", "each class against the others, one problem per class"},
    {"ovo", "each pair of classes, one problem per pair; the class that wins most pairs"},
    {"sum", "one problem: a row pays for every class that comes too close (Weston & Watkins)"},
    {"max", "one problem: a row pays for the closest competing class only (Crammer & Singer)"},
    {NULL, NULL},
};

/* In the order of SMR_SVM_AUTO, SMR_SVM_DUAL, SMR_SVM_PRIMAL, SMR_SVM_INTERIOR. */
static const smr_choice solvers[] = {
    {"auto", "dual; on dense rows primal for the squared hinge, and interior for the hinge where "
             "rows are many and columns few"},
    {"dual", "coordinate descent on the dual, with a certified gap"},
    {"primal", "Newton, in a trust region from 256 columns on; squared hinge only"},
    {"interior", "Newton on smoothed losses, then an interior point method, with a certified gap; "
                 "hinge only"},
    {NULL, NULL},
};

/* What is read only where classes are told apart by w itself, not by machines over points. */
#define AS_WEIGHTS "kernel=linear&multi!=ovo&nu=none&proba=no"

static const smr_param params[] = {
    {SMR_FIELD(struct smr_svm_params, C), .def = 1, .min = 0, .max = INFINITY, .primary = true,
     .when = "l2=none&margin=soft", .search = SMR_SEARCH_LOG, .search_min = 1e-3, .search_max = 1e3,
     .simpler = SMR_SIMPLER_LOW,
     .doc =
         "Weight of the rows' losses relative to |w|^2 / 2; 0 gives w = 0, inf the hard margin."},
    {SMR_FIELD(struct smr_svm_params, l2), .unset = true, .none = "0", .min = 0, .min_open = true,
     .max = INFINITY, .when = "margin=soft",
     .doc = "The penalty 1 / C, as an alternative to C; unset: use C."},
    {SMR_FIELD(struct smr_svm_params, kernel), .grammar = &smr_kernel_grammar, .def_text = "linear",
     .least = 1, .most = 1,
     .doc = "The kernel that compares rows: a word, or an expression of words."},
    {SMR_FIELD(struct smr_svm_params, loss), .def = SMR_SVM_HINGE, .choices = losses,
     .when = AS_WEIGHTS, .tasks = SMR_DOES_CLASSIFY,
     .doc = "The loss of a row whose margin y f is below 1; machines over points have hinge."},
    {SMR_FIELD(struct smr_svm_params, margin), .def = SMR_SVM_SOFT, .choices = margins,
     .tasks = SMR_DOES_CLASSIFY, .doc = "Whether rows may lie inside the margin."},
    {SMR_FIELD(struct smr_svm_params, multi), .def = SMR_SVM_MULTI_AUTO, .choices = smr_svm_multis,
     .tasks = SMR_DOES_CLASSIFY, .doc = "How more than two classes are separated."},
    {SMR_FIELD(struct smr_svm_params, solver), .def = SMR_SVM_AUTO, .choices = solvers,
     .when = AS_WEIGHTS, .tasks = SMR_DOES_CLASSIFY,
     .doc = "How the problem is solved; the result is the same up to tol."},
    {SMR_FIELD(struct smr_svm_params, nu), .unset = true, .none = "0", .min = 0, .min_open = true,
     .max = 1, .when = "margin=soft",
     .doc = "The share of rows that may cost something, in place of C for classes and of epsilon "
            "for numbers; unset: C and epsilon, and 0.5 for one class."},
    {SMR_FIELD(struct smr_svm_params, epsilon), .def = 0.1, .min = 0, .max = INFINITY,
     .max_open = true, .when = "nu=none", .tasks = SMR_DOES_REGRESS,
     .doc = "Errors up to this cost nothing."},
    {SMR_FIELD(struct smr_svm_params, proba), .def = false, .tasks = SMR_DOES_CLASSIFY,
     .doc = "Also fit probabilities, by Platt's sigmoid on scores of rows left out in five folds."},
    {SMR_FIELD(struct smr_svm_params, fit_intercept), .def = true, .when = AS_WEIGHTS,
     .tasks = SMR_DOES_CLASSIFY, .doc = "Fit the intercept b, which is not penalised."},
    {SMR_FIELD(struct smr_svm_params, class_weight), .def = SMR_CLASS_WEIGHT_NONE,
     .choices = smr_class_weights, .when = "margin=soft", .tasks = SMR_DOES_CLASSIFY,
     .doc = "How the classes are weighted."},
    {SMR_FIELD(struct smr_svm_params, tol), .unset = true, .none = "0", .min = 0, .min_open = true,
     .max = 1,
     .doc = "Stop when the duality gap relative to the objective (dual, interior), or the gradient "
            "relative to the initial one (primal), is below this, 1e-4 if unset; other kernels: "
            "when the conditions of the dual hold to this, 1e-3 if unset."},
    {SMR_FIELD(struct smr_svm_params, max_iter), .def = 1000, .min = 1, .max = INFINITY,
     .doc = "Maximum number of passes over the rows, or of Newton or interior point steps; other "
            "kernels: of pairs moved, in multiples of the rows."},
};

/* ---- state ------------------------------------------------------------------------------ */

static const smr_state state[] = {
    {SMR_KEPT(struct smr_svm_state, n_features), .is = "features", .min = 0, .doc = "Features."},
    {SMR_KEPT(struct smr_svm_state, n_scores), .most = "scores", .min = 0,
     .doc = "Scores of a linear model: 1 for two classes and for numbers; 0: kernel machines."},
    {SMR_KEPT(struct smr_svm_state, n_parts), .min = 1, .doc = "Problems that were solved."},
    {SMR_KEPT(struct smr_svm_state, n_listed), .min = 0, .doc = "Support vectors listed."},
    {SMR_KEPT(struct smr_svm_state, coef), .with = "n_scores", .dims = {"n_scores", "n_features"},
     .optional = true, .doc = "Weights w."},
    {SMR_KEPT(struct smr_svm_state, intercept), .with = "n_scores", .dims = {"n_scores"},
     .optional = true, .doc = "Intercepts b."},
    {SMR_KEPT(struct smr_svm_state, objective), .dims = {"n_parts"},
     .doc = "P of each problem; of a hard margin |w|^2 / 2."},
    {SMR_KEPT(struct smr_svm_state, gap), .dims = {"n_parts"},
     .doc = "Upper bound on how far P is above its minimum."},
    {SMR_KEPT(struct smr_svm_state, margin), .dims = {"n_parts"},
     .doc = "The least functional margin of a row."},
    {SMR_KEPT(struct smr_svm_state, n_support), .dims = {"n_parts"},
     .doc = "Weight of the rows that are support vectors."},
    {SMR_KEPT(struct smr_svm_state, n_met), .dims = {"n_parts"},
     .doc = "Weight of the rows with slack 0 (up to 0.001)."},
    {SMR_KEPT(struct smr_svm_state, n_inside), .dims = {"n_parts"},
     .doc = "Weight of the rows with slack in (0, 1]."},
    {SMR_KEPT(struct smr_svm_state, n_wrong), .dims = {"n_parts"},
     .doc = "Weight of the rows with slack above 1."},
    {SMR_KEPT(struct smr_svm_state, listed), .with = "n_listed", .dims = {"n_listed"},
     .optional = true,
     .doc = "Rows that are support vectors, from 0; two classes and at most 100 of them."},
    {SMR_KEPT(struct smr_svm_state, alpha), .with = "n_listed", .dims = {"n_listed"},
     .optional = true, .doc = "Their dual variables."},
    {SMR_KEPT(struct smr_svm_state, n_machines), .since = 2, .doc = "Kernel machines."},
    {SMR_KEPT(struct smr_svm_state, n_classes), .since = 2, .most = "classes",
     .doc = "Classes that kernel machines tell apart."},
    {SMR_KEPT(struct smr_svm_state, learns), .since = 2, .max = 2,
     .doc = "What they learn: 0 classes, 1 numbers, 2 one class."},
    {SMR_KEPT(struct smr_svm_state, n_platt), .since = 2, .most = "n_machines",
     .doc = "Machines with a sigmoid."},
    {SMR_KEPT(struct smr_svm_state, first), .since = 2, .with = "n_classes", .dims = {"n_machines"},
     .min = -1, .below = "n_classes", .optional = true,
     .doc = "Class 0 of each machine; -1: all others."},
    {SMR_KEPT(struct smr_svm_state, second), .since = 2, .with = "n_classes",
     .dims = {"n_machines"}, .below = "n_classes", .optional = true,
     .doc = "Class 1 of each machine."},
    SMR_KERNEL_KEPT_SINCE(2, struct smr_svm_state, points), /* files of version 1 have no points */
    {SMR_KEPT(struct smr_svm_state, dual), .since = 2, .with = "n_machines",
     .dims = {"n_machines", "n_points"}, .optional = true, .reals = SMR_REALS_FINITE,
     .doc = "y a of each point, in each machine."},
    {SMR_KEPT(struct smr_svm_state, offset), .since = 2, .with = "n_machines",
     .dims = {"n_machines"}, .optional = true, .reals = SMR_REALS_FINITE, .doc = "b."},
    {SMR_KEPT(struct smr_svm_state, length), .since = 2, .with = "n_machines",
     .dims = {"n_machines"}, .optional = true, .reals = SMR_REALS_FROM_0, .doc = "|w|."},
    {SMR_KEPT(struct smr_svm_state, tube), .since = 2, .with = "n_machines", .dims = {"n_machines"},
     .optional = true, .reals = SMR_REALS_FINITE,
     .doc = "Numbers: errors up to this cost nothing."},
    {SMR_KEPT(struct smr_svm_state, violation), .since = 2, .with = "n_machines",
     .dims = {"n_machines"}, .optional = true, .reals = SMR_REALS_NOT_NAN,
     .doc = "Largest violation of the dual's conditions."},
    {SMR_KEPT(struct smr_svm_state, n_bounded), .since = 2, .with = "n_machines",
     .dims = {"n_machines"}, .optional = true, .reals = SMR_REALS_FROM_0,
     .doc = "Weight of the support vectors whose variable is at its bound."},
    {SMR_KEPT(struct smr_svm_state, slope), .since = 2, .with = "n_platt", .dims = {"n_platt"},
     .optional = true, .reals = SMR_REALS_FINITE, .doc = "Slope of each sigmoid."},
    {SMR_KEPT(struct smr_svm_state, bias), .since = 2, .with = "n_platt", .dims = {"n_platt"},
     .optional = true, .reals = SMR_REALS_FINITE, .doc = "Intercept of each sigmoid."},
};

/* ---- fit -------------------------------------------------------------------------------- */

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct smr_svm_params *p = params_;
    smr_status st = smr_svm_check_fit(ctx, p);
    if (st != SMR_OK) return st;
    bool is_kernel = smr_svm_is_kernel(p, data->task);
    return (is_kernel ? smr_svm_fit_kernel : smr_svm_fit_linear)(ctx, p, data, state_, report);
}

/* ---- predict ---------------------------------------------------------------------------- */

static smr_status prepare(smr_ctx *ctx, const void *params_, void *state_)
{
    const struct smr_svm_params *p = params_;
    struct smr_svm_state *s = state_;
    return smr_svm_has_points(s) ? smr_kernel_prepare(ctx, &p->kernel, &s->points) : SMR_OK;
}

static void release(void *state_)
{
    struct smr_svm_state *s = state_;
    if (smr_svm_has_points(s)) smr_kernel_release(&s->points);
}

static unsigned gives_with(const void *params_, const void *state_)
{
    const struct smr_svm_params *p = params_;
    const struct smr_svm_state *s = state_;
    unsigned not_one = ~(unsigned)SMR_GIVES_SCORE, no_proba = ~(unsigned)SMR_GIVES_PROBA;
    if (!s) return p->proba ? ~0u : no_proba;
    if (s->n_machines > 0 && s->learns == SMR_SVM_ONE) return SMR_GIVES_SCORE | SMR_GIVES_DECISION;
    if (s->n_machines > 0 && s->learns == SMR_SVM_NUMBERS) return SMR_GIVES_VALUE;
    return not_one & (s->n_platt > 0 ? ~0u : no_proba) & ~(unsigned)SMR_GIVES_VALUE;
}

static int64_t scratch(const void *params_, const void *state_, int64_t n)
{
    const struct smr_svm_state *s = state_;
    return smr_svm_has_points(s) ? smr_svm_answer_scratch(params_, s, n) : 0;
}

static smr_form form(const void *state_)
{
    const struct smr_svm_state *s = state_;
    return smr_svm_has_points(s) ? smr_kernel_form(&s->points) : SMR_FORM_F64;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch_)
{
    const struct smr_svm_state *s = state_;
    if (smr_svm_has_points(s)) return smr_svm_answer(ctx, params_, s, rows, output, out, scratch_);
    if (s->n_machines > 0) {
        smr_affine_predict(s->n_features, 1, s->coef, s->intercept, rows, out);
        return SMR_OK;
    }
    smr_linear_classifier m = {.n_classes = s->n_scores == 1 ? 2 : s->n_scores,
                               .n_features = s->n_features,
                               .coef = s->coef,
                               .intercept = s->intercept};
    smr_classifier_predict(&m, rows, output, out);
    return SMR_OK;
}

static int64_t n_clusters(const void *params_, const void *state_)
{
    (void)params_, (void)state_;
    return 2;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "svm",
    .synonyms = "svc svr LinearSVC SVC SVR NuSVC NuSVR OneClassSVM",
    .family = "kernel",
    .title = "Support vector machine",
    .brief = "Separates classes by the widest margin, straight or bent by a kernel; fits numbers "
             "within a tube, and the region where rows lie.",
    .objective = "l2 1/2 |w|^2 + sum weight max(0, 1 - y (phi(x)'w + b)), l2 = 1 / C; numbers: "
                 "max(0, |y - f| - epsilon)",
    .details =
        "kernel=linear: solved by coordinate descent on the dual, with a certified duality gap; "
        "for the hinge on many dense rows of few columns by Newton's method on smoothed losses and "
        "an interior point method, with the same certificate; for the squared hinge on dense rows "
        "by Newton's method. With more than two classes, each is "
        "fitted against the others, or all in one problem (multi=sum, multi=max). Other kernels: "
        "the dual by working sets, until its conditions hold to tol; the model keeps the support "
        "vectors. More than two classes: a machine for each pair (multi=ovo) or class (ova). "
        "Numbers are fitted with the epsilon-insensitive loss; without a target it finds the "
        "region that holds all but a share nu of the rows, cluster 1, and its score is above 0 "
        "inside. The intercept is not penalised. margin=hard gives the widest margin, or names "
        "rows that prove that none exists. It gives scores; proba=yes fits probabilities on rows "
        "left out, as does calibrate around it. inspect shows the width of the margin, the "
        "functional and geometric margin, rows by their slack, support vectors, objective, gap "
        "and the largest violation of the conditions. Features should have comparable scales: "
        "put standardize before it.",
    .reference = "Cortes & Vapnik, Machine Learning 20 (1995)",
    .example = "samara train \"standardize | svm kernel=rbf\" data/iris.csv --target species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_svm_params),
    .check_params = smr_svm_check_params,
};

/* Of two classes that one problem tells apart. */
static double margin(const void *params_, const void *state_)
{
    const struct smr_svm_state *s = state_;
    bool one = s->n_parts == 1 && ((s->n_scores == 1 && s->n_machines == 0) ||
                                   (s->n_machines == 1 && s->n_classes == 2));
    (void)params_;
    return one ? 1 : NAN;
}

static const smr_can_explain explains = {
    .linear_at = SMR_LINEAR_AT(struct smr_svm_state, n_scores),
    .margin = margin,
};

static const smr_can_cluster clusters = {.count = n_clusters};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_svm_state),
    .gives = SMR_GIVES_DECISION | SMR_GIVES_PROBA | SMR_GIVES_VALUE | SMR_GIVES_SCORE,
    .gives_with = gives_with,
    .prepare = prepare,
    .check = smr_svm_check_state,
    .release = release,
    .predict = predict,
    .scratch = scratch,
    .form = form,
    .describe = smr_svm_describe,
    .draw = smr_svm_draw,
    .explain = &explains,
    .clusters = &clusters,
};

/* The primal begins where it is told; which solver `auto` takes the loss tells, and then the data
 * (is_primal in svm_linear.c).  A linear model keeps no rows. */
static void nature(const void *params_, smr_nature *its)
{
    const struct smr_svm_params *p = params_;
    bool smooth = p->loss == SMR_SVM_SQUARED_HINGE && !smr_svm_is_hard(p);
    bool primal = p->solver == SMR_SVM_PRIMAL || (p->solver == SMR_SVM_AUTO && smooth);
    bool is_kernel = smr_svm_is_kernel(p, SMR_TASK_CLASSIFY);
    smr_kernel_nature(&p->kernel, its);
    if (!primal || is_kernel) its->traits &= ~(unsigned)SMR_WARM_STARTS;
    if (!p->proba) its->traits &= ~(unsigned)SMR_DRAWS_ROWS;
    if (is_kernel) return;
    its->takes &= ~(unsigned)(SMR_TAKES_F32 | SMR_TAKES_U8);
    its->traits &= ~(unsigned)SMR_KEEPS_DATA;
}

const smr_learner smr_svm = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS | SMR_DOES_CLUSTER | SMR_DOES_OUTLIERS,
    .takes = SMR_KERNEL_TAKES | SMR_TAKES_WEIGHTS,
    .traits = SMR_KERNEL_TRAITS | SMR_WARM_STARTS | SMR_DRAWS_ROWS,
    .nature = nature,
    .texts = smr_kernelled_texts,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .version = 2,
};
