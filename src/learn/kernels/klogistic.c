/* klogistic.c -- kernel logistic regression: two classes, or softmax for more.
 *
 * Minimises over functions f_c of the kernel's space H and b_c (b = 0 without fit_intercept)
 *
 *     J = sum_i weight_i loss(y_i, f(x_i) + b) + l2 / 2 sum_c |f_c|^2                          (1)
 *
 * with one score and the loss log(1 + exp(-y f)), y = -1 or 1, for two classes; else a score a
 * class and the loss log sum_c exp(f_c) - f_y.  The optimum is f_c(x) = sum_j alpha_cj K(x, x_j):
 * what logistic finds on features phi with phi(x)'phi(x') = K(x, x').  Unlike a support vector
 * machine's it depends on all rows, and its scores are log-odds.  The intercept is not penalised.
 * klogistic_solve.c has the method, Newton's with conjugate gradients in H, and its certificate.
 *
 * Cost: n^2 values of K, and some tens to hundreds of passes over them.  Memory: n^2 doubles, asked
 * for before anything is computed.  The model holds the training rows.
 *
 * Degenerate cases: rows of one class are an error.  A class without rows has probability 0: its
 * score is SMR_ABSENT.  A kernel that is not positive semi-definite may have no minimum: then the
 * fit stops where it sees that, and says so.
 *
 * Symbols: n rows, alpha n_scores x n, b n_scores.
 * References: Zhu & Hastie, Journal of Computational and Graphical Statistics 14:185-205, 2005;
 * Keerthi, Duan, Shevade & Poo, Mach. Learn. 61:151-165, 2005. */
#include "learn/kernels/kernel_points.h"
#include "learn/kernels/kernel_show.h"
#include "learn/kernels/klogistic_solve.h"
#include "learn/linear/scores.h"
#include "learn/present.h"

#include <math.h>
#include <string.h>

enum { MOST_DRAWN = 12 }; /* scores */
#define SHARE 0.5         /* of the one score that two classes have where the target names more */

/* ---- parameters ------------------------------------------------------------------------- */

struct klogistic_params {
    smr_kernel kernel; /* first: SMR_KERNELLED */
    double l2;
    int class_weight;
    bool fit_intercept;
    double tol;
    int64_t max_iter;
};

static const smr_param params[] = {
    {SMR_FIELD(struct klogistic_params, l2), .def = 1, .min = 0, .min_open = true, .max = INFINITY,
     .max_open = true, .search = SMR_SEARCH_LOG, .search_min = 1e-4, .search_max = 1e3,
     .simpler = SMR_SIMPLER_HIGH, .primary = true,
     .doc = "Weight of the penalty 1/2 |f|^2, relative to the sum of the rows' losses."},
    {SMR_FIELD(struct klogistic_params, kernel), .grammar = &smr_kernel_grammar, .def_text = "rbf",
     .least = 1, .most = 1,
     .doc = "The kernel: rbf(gamma=0.1), poly(degree=3), a sum or product of several."},
    {SMR_FIELD(struct klogistic_params, class_weight), .def = SMR_CLASS_WEIGHT_NONE,
     .choices = smr_class_weights, .doc = "How the classes are weighted."},
    {SMR_FIELD(struct klogistic_params, fit_intercept), .def = true,
     .doc = "Fit the intercept b, which is not penalised."},
    {SMR_FIELD(struct klogistic_params, tol), .def = 1e-6, .min = 0, .max = 1, .min_open = true,
     .max_open = true,
     .doc = "Stop when the gradient, in the kernel's space, has shrunk to this fraction of that of "
            "the model without features."},
    {SMR_FIELD(struct klogistic_params, max_iter), .def = 100, .min = 1, .max = 1e9,
     .doc = "Maximum number of steps of Newton."},
};

/* ---- state ------------------------------------------------------------------------------ */

struct klogistic_state {
    smr_kernel_points points; /* first */
    int64_t n_classes, n_scores;
    double n_rows, deviance, null_deviance, norm, gradient;
    double *coef, *intercept;
};
SMR_KERNELLED(struct klogistic_params, struct klogistic_state);

static const smr_state state[] = {
    SMR_KERNEL_KEPT(struct klogistic_state, points),
    {SMR_KEPT(struct klogistic_state, n_classes), .is = "classes", .min = 2, .doc = "Classes."},
    {SMR_KEPT(struct klogistic_state, n_scores), .is = "scores", .min = 1,
     .doc = "Scores per row: 1 for two classes, otherwise one per class."},
    {SMR_KEPT(struct klogistic_state, n_rows), .reals = SMR_REALS_FROM_0,
     .doc = "Sum of the rows' weights."},
    {SMR_KEPT(struct klogistic_state, deviance), .doc = "Twice the loss without penalty."},
    {SMR_KEPT(struct klogistic_state, null_deviance),
     .doc = "Deviance of the model without features."},
    {SMR_KEPT(struct klogistic_state, norm), .doc = "|f|^2 over all scores."},
    {SMR_KEPT(struct klogistic_state, gradient),
     .doc = "Length of the gradient, relative to that of the model without features."},
    {SMR_KEPT(struct klogistic_state, coef), .dims = {"n_scores", "n_points"},
     .reals = SMR_REALS_FINITE, .doc = "Coefficients alpha."},
    {SMR_KEPT(struct klogistic_state, intercept), .dims = {"n_scores"}, .reals = SMR_REALS_FINITE,
     .doc = "Intercepts b."},
};

/* ---- fit -------------------------------------------------------------------------------- */

/* The rows of a weight above 0, with the classes that have some. */
struct rows {
    smr_present present;
    double *own; /* n_rows: weights with class_weight; NULL: the data's */
    int64_t n;
    int32_t *index; /* NULL: all of them */
    int32_t *label; /* n                 */
    double *weight; /* n                 */
    double total;
};

static void release_rows(struct rows *r)
{
    smr_present_release(&r->present);
    smr_free(r->own);
    smr_free(r->index);
    smr_free(r->label);
    smr_free(r->weight);
}

static smr_status gather_rows(smr_ctx *ctx, const struct klogistic_params *p, const smr_data *data,
                              struct rows *r)
{
    smr_status st = SMR_OK;
    int64_t at = 0;
    TRY(smr_classifier_check_classes(ctx, "klogistic", data, NULL));
    TRY(smr_classifier_weights(ctx, "klogistic", data, p->class_weight, &r->own));
    TRY(smr_present_find(ctx, data, &r->present));
    r->present.share = SHARE;
    smr_data weighted = r->present.data;
    if (r->own) weighted.weight = r->own;
    if (data->n_rows > SMR_MAX_DIM)
        TRY(smr_fail(ctx, SMR_ERR_SHAPE, "klogistic: %lld rows are too many",
                     (long long)data->n_rows));
    for (int64_t i = 0; i < data->n_rows; i++) r->n += smr_data_weight(&weighted, i) > 0;
    if (r->n < data->n_rows) TRY_NEW(r->index, r->n);
    TRY_NEW(r->label, r->n);
    TRY_NEW(r->weight, r->n);
    for (int64_t i = 0; i < data->n_rows; i++) {
        double w = smr_data_weight(&weighted, i);
        if (!(w > 0)) continue;
        if (r->index) r->index[at] = (int32_t)i;
        r->label[at] = weighted.label[i];
        r->total += w;
        r->weight[at++] = w;
    }
out:
    return st;
}

static smr_status keep(smr_ctx *ctx, const struct rows *r, int64_t n_classes,
                       const smr_klogistic_answer *a, struct klogistic_state *s)
{
    smr_status st = SMR_OK;
    s->n_classes = n_classes;
    s->n_scores = smr_scores_of(n_classes);
    TRY_NEW(s->coef, s->n_scores * r->n);
    TRY_NEW(s->intercept, s->n_scores);
    if (r->present.is_all) {
        memcpy(s->coef, a->alpha, (size_t)(s->n_scores * r->n) * sizeof *s->coef);
        memcpy(s->intercept, a->b, (size_t)s->n_scores * sizeof *s->coef);
    } else {
        smr_present_spread(&r->present, n_classes, r->n, a->alpha, a->b, SMR_ABSENT, s->coef,
                           s->intercept);
    }
    s->n_rows = r->total;
    s->deviance = 2 * a->loss;
    s->null_deviance = 2 * a->null_loss;
    s->norm = a->norm;
    s->gradient = a->gradient;
    for (int64_t i = 0; i < s->n_scores * r->n; i++)
        if (!isfinite(s->coef[i]))
            TRY(smr_fail(ctx, SMR_ERR_NUMERIC,
                         "klogistic: a coefficient is not finite: the kernel's values are too "
                         "large; rescale the columns"));
out:
    return st;
}

static void warn(smr_ctx *ctx, const smr_klogistic_answer *a, const smr_fit_report *report)
{
    if (a->indefinite)
        smr_warn(ctx,
                 "klogistic: after %lld %s of Newton the kernel matrix led nowhere, as it is not "
                 "positive semi-definite: take another kernel, or a larger l2",
                 (long long)report->n_iter, smr_plural(report->n_iter, "step", "steps"));
    else if (!a->converged)
        smr_warn(ctx, "klogistic: not converged after %lld %s of Newton; raise max_iter, l2 or tol",
                 (long long)report->n_iter, smr_plural(report->n_iter, "step", "steps"));
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct klogistic_params *p = params_;
    struct klogistic_state *s = state_;
    smr_status st = SMR_OK;
    struct rows r = {0};
    smr_kernel_set set = {0};
    smr_klogistic_answer a = {0};
    double *K = NULL;

    TRY(gather_rows(ctx, p, data, &r));
    int64_t k = r.present.data.n_classes, q = smr_scores_of(k);
    TRY(smr_kernel_fits(ctx, "klogistic", r.n,
                        8.0 * (double)r.n * ((double)r.n + 13.0 * (double)q)));
    TRY(smr_kernel_open(ctx, "klogistic", &p->kernel, data, SMR_KERNEL_F64, &set));
    TRY(smr_kernel_warn(ctx, "klogistic", &set, "there need not be a best model"));
    K = smr_alloc_raw(ctx, r.n * r.n, sizeof *K);
    if (!K) TRY(SMR_ERR_NOMEM);
    TRY(r.index ? smr_kernel_block(ctx, &set, r.index, r.n, r.index, r.n, K, r.n)
                : smr_kernel_gram(ctx, &set, K, r.n));
    TRY(smr_kernel_keep(ctx, &set, r.index, r.n, &s->points));
    smr_kernel_close(&set);
    TRY_NEW(a.alpha, q * r.n);
    TRY_NEW(a.b, q);
    TRY(smr_klogistic_solve(ctx,
                            &(smr_klogistic_problem){.n = r.n,
                                                     .k = k,
                                                     .q = q,
                                                     .K = K,
                                                     .label = r.label,
                                                     .weight = r.weight,
                                                     .l2 = p->l2,
                                                     .tol = p->tol,
                                                     .max_iter = p->max_iter,
                                                     .intercept = p->fit_intercept},
                            report, &a));
    TRY(keep(ctx, &r, data->n_classes, &a, s));
    report->objective = a.objective;
    report->converged = a.converged;
    warn(ctx, &a, report);
out:
    smr_kernel_close(&set);
    smr_free(K);
    smr_free(a.alpha);
    smr_free(a.b);
    release_rows(&r);
    return st;
}

/* ---- loading and predicting ------------------------------------------------------------- */

static int64_t scratch(const void *params_, const void *state_, int64_t n)
{
    const struct klogistic_params *p = params_;
    const struct klogistic_state *s = state_;
    return smr_kernel_scratch(&p->kernel, &s->points, n, s->n_scores);
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch_)
{
    const struct klogistic_params *p = params_;
    const struct klogistic_state *s = state_;
    smr_status st = SMR_OK;
    TRY(smr_kernel_apply(ctx, &p->kernel, &s->points, rows, s->coef, s->n_scores, out, scratch_));
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t c = 0; c < s->n_scores; c++) out[i * s->n_scores + c] += s->intercept[c];
    smr_classifier_spread(s->n_classes, rows->n, output, out);
out:
    return st;
}

/* ---- describe --------------------------------------------------------------------------- */

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct klogistic_params *p = params_;
    const struct klogistic_state *s = state_;
    smr_status st = SMR_OK;
    (void)in, (void)n_in;
    TRY(smr_kernel_show(ctx, &p->kernel, &s->points, into));
    smr_json_add_number(into, "rows", s->n_rows);
    smr_json_add_number(into, "l2", p->l2);
    smr_json_add_number(into, "deviance", s->deviance);
    smr_json_add_number(into, "null_deviance", s->null_deviance);
    smr_json_add_number(into, "squared_norm", s->norm);
    smr_json_add_number(into, "relative_gradient", s->gradient);
out:
    return st;
}

static smr_status draw(smr_ctx *ctx, const void *params_, const void *state_, const smr_feature *in,
                       int64_t n_in, const char *prefix, smr_json *figures)
{
    const struct klogistic_state *s = state_;
    smr_json *figure;
    smr_kernel_ranks ranks = {
        .name = "coefficients",
        .title = "How much each training row counts",
        .note = "A row's coefficient is (1 - p) / l2 times its weight, p the probability of its "
                "own class: rows that are predicted well hardly count.",
        .of = "size of the coefficient",
        .coef = s->coef,
        .n_series = s->n_scores,
        .n = s->points.n,
        .by_class = true};
    (void)params_, (void)in, (void)n_in;
    if (s->n_scores > MOST_DRAWN) return SMR_OK;
    return smr_kernel_draw_ranks(ctx, &ranks, prefix, figures, &figure);
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "klogistic",
    .synonyms = "kernel_logistic klr",
    .family = "kernel",
    .title = "Kernel logistic regression",
    .brief = "Class probabilities that are logistic in the feature space of a kernel; softmax for "
             "more than two classes.",
    .objective = "sum weight log(1 + exp(-y (f(x) + b))) + l2 1/2 |f|^2, f(x) = sum_j alpha_j K(x, "
                 "x_j); more than two classes: sum weight (log sum_c exp(f_c) - f_y)",
    .details =
        "It equals logistic on features whose products are the kernel's values. Newton's method in "
        "the kernel's space, its steps by conjugate gradients, each of which is a product with the "
        "kernel matrix of all rows: n^2 numbers of memory, which are asked for first. Converged "
        "means that the gradient, measured in the kernel's space, is tol of that without features. "
        "All rows are kept in the model; svm keeps fewer, but has no probabilities of its own. The "
        "intercept is not penalised. class_weight=balanced gives every class the same total "
        "weight. A class without rows has probability 0. Features should have comparable scales: "
        "put standardize before it. For more rows than memory allows: nystrom 500 | logistic.",
    .reference = "Zhu & Hastie, Kernel logistic regression and the import vector machine, J. Comp. "
                 "Graph. Stat. 14 (2005)",
    .example = "samara train \"standardize | klogistic\" data/iris.csv --target species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct klogistic_params),
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct klogistic_state),
    .gives = SMR_GIVES_PROBA | SMR_GIVES_DECISION,
    .prepare = smr_kernelled_prepare,
    .check = smr_kernelled_check,
    .release = smr_kernelled_release,
    .predict = predict,
    .scratch = scratch,
    .form = smr_kernelled_form,
    .describe = describe,
    .draw = draw,
};

/* n^2 numbers and many passes over them: it is compared with others where it is named. */
static const smr_comparing compared = {.stands_aside = true};

const smr_learner smr_klogistic = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY,
    .takes = SMR_KERNEL_TAKES | SMR_TAKES_WEIGHTS,
    .traits = SMR_KERNEL_TRAITS,
    .nature = smr_kernelled_nature,
    .texts = smr_kernelled_texts,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .comparing = &compared,
};
