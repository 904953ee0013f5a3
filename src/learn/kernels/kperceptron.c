/* kperceptron.c -- the perceptron in the feature space of a kernel.
 *
 *     f(x) = sum_j alpha_j K(x, x_j) + b
 *     two classes, y = -1 or 1:  if y f(x_i) <= 0:   alpha_i += y,  b += y                      (1)
 *     more: a score for each class; r is the highest class other than y:
 *                 if f_y - f_r <= 0:   alpha_{y,i} += 1,  alpha_{r,i} -= 1,  b likewise         (2)
 *
 * which is the perceptron on phi(x), and with kernel=linear the perceptron itself, mistake by
 * mistake.  A tie is a mistake.  The rows that were mistakes, the support vectors, are kept.  If
 * the kernel separates the classes with margin gamma and K(x, x) + 1 <= R^2, at most (R / gamma)^2
 * mistakes are made, twice that for (2); passes end with the first without one.
 *
 *     averaged  the mean of the coefficients after each row: alpha - lag / rows, with lag the sum
 *               of changes times the rows before them
 *     budget=B  at most B support vectors: a mistake that would make one more forgets another,
 *               forget=least: the one with the smallest |alpha|^2 K(x, x), which is how far f moves
 *               without it; oldest: whose last mistake is the longest ago.  Then there is no
 *               bound on the mistakes unless B is large enough.  Not for averaged, whose mean is
 *               made of those that went as well.
 *
 * A row's weight multiplies its change; rows of weight 0 are passed over.  A stream takes every row
 * once; it finds no gamma, since there are no rows beforehand.
 * Cost: a mistake n values of K and q n additions.  Memory: 3 q n numbers, and what is kept of K
 * (kperceptron_fit.c).
 * References: Aizerman, Braverman & Rozonoer, Automation and Remote Control 25, 1964; Freund &
 * Schapire, Mach. Learn. 37:277-296, 1999 (averaged); Crammer, Kandola & Singer, NIPS 2003; Dekel,
 * Shalev-Shwartz & Singer, SIAM J. Comput. 37, 2008 (budget). */
#include "learn/kernels/kperceptron.h"

#include "core/figure.h"
#include "learn/kernels/kernel_show.h"
#include "learn/linear/scores.h"
#include "learn/trace.h"

#include <math.h>

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice variants[] = {
    [SMR_KPERCEPTRON_PLAIN] = {"plain", "the coefficients after the last mistake"},
    [SMR_KPERCEPTRON_AVERAGED] = {"averaged", "the mean of the coefficients after each row"},
    {NULL, NULL},
};

static const smr_choice orders[] = {
    [SMR_KPERCEPTRON_AUTO] = {"auto", "yes for averaged and with a budget, no for others"},
    [SMR_KPERCEPTRON_SHUFFLED] = {"yes", "a new random order in each pass"},
    [SMR_KPERCEPTRON_GIVEN] = {"no", "as given"},
    {NULL, NULL},
};

static const smr_choice forgets[] = {
    [SMR_KPERCEPTRON_LEAST] = {"least", "the one without which the scores change least"},
    [SMR_KPERCEPTRON_OLDEST] = {"oldest", "the one whose last mistake is the longest ago"},
    {NULL, NULL},
};

#define P(field) SMR_FIELD(struct smr_kperceptron_params, field)

static const smr_param params[] = {
    {P(variant), .def = SMR_KPERCEPTRON_AVERAGED, .choices = variants, .primary = true,
     .search = SMR_SEARCH_VALUES, .doc = "Which coefficients to predict with."},
    {P(kernel), .grammar = &smr_kernel_grammar, .def_text = "rbf", .least = 1, .most = 1,
     .doc = "The kernel: rbf(gamma=0.1), poly(degree=3), a sum or product of several."},
    {P(budget), .unset = true, .none = "0", .min = 1, .max = SMR_MAX_DIM, .when = "variant=plain",
     .doc = "Maximum number of support vectors; unset: every row that was a mistake."},
    {P(forget), .choices = forgets, .when = "variant=plain&budget>0",
     .doc = "Which support vector goes when the budget is exceeded."},
    {P(max_iter), .fit_only = true, .def = 100, .min = 1, .max = 1e9,
     .doc = "Maximum number of passes over the rows."},
    {P(shuffle), .fit_only = true, .choices = orders,
     .doc = "In which order each pass visits the rows."},
    {P(fit_intercept), .def = true, .doc = "Add 1 to the kernel: a constant feature."},
};

/* ---- state ------------------------------------------------------------------------------ */

static const smr_state state[] = {
    SMR_KERNEL_KEPT(struct smr_kperceptron_state, points),
    {SMR_KEPT(struct smr_kperceptron_state, n_classes), .is = "classes", .min = 1,
     .doc = "Classes."},
    {SMR_KEPT(struct smr_kperceptron_state, n_scores), .is = "scores", .min = 1, .doc = "Scores."},
    {SMR_KEPT(struct smr_kperceptron_state, n_passes), .min = 0, .doc = "Passes of the fit."},
    {SMR_KEPT(struct smr_kperceptron_state, mistakes), .reals = SMR_REALS_FROM_0,
     .doc = "Mistakes of the fit."},
    {SMR_KEPT(struct smr_kperceptron_state, forgotten), .reals = SMR_REALS_FROM_0,
     .doc = "Support vectors that the budget made it forget."},
    {SMR_KEPT(struct smr_kperceptron_state, radius),
     .doc = "Largest length R of a row in feature space; NaN where the rows are not separated."},
    {SMR_KEPT(struct smr_kperceptron_state, margin), .doc = "Margin of the separator found."},
    {SMR_KEPT(struct smr_kperceptron_state, coef), .dims = {"n_scores", "n_points"},
     .reals = SMR_REALS_FINITE, .doc = "Coefficients alpha."},
    {SMR_KEPT(struct smr_kperceptron_state, intercept), .dims = {"n_scores"},
     .reals = SMR_REALS_FINITE, .doc = "Intercepts b."},
    {SMR_KEPT(struct smr_kperceptron_state, pass_mistakes), .with = "n_passes",
     .dims = {"n_passes"}, .optional = true, .doc = "Mistakes in each pass."},
    {SMR_KEPT(struct smr_kperceptron_state, n_sums), .since = 2, .most = "2 * n_scores",
     .doc = "Sums for each point: of averaged two for each score, else 0."},
    {SMR_KEPT(struct smr_kperceptron_state, rows), .since = 2, .reals = SMR_REALS_FROM_0,
     .doc = "Rows so far, by their weights."},
    {SMR_KEPT(struct smr_kperceptron_state, sums), .since = 2, .with = "n_sums",
     .dims = {"n_sums", "n_points"}, .optional = true, .reals = SMR_REALS_FINITE,
     .doc = "The last coefficients, then their changes, each times the rows before it."},
    {SMR_KEPT(struct smr_kperceptron_state, sum_intercept), .since = 2, .with = "n_sums",
     .dims = {"n_sums"}, .optional = true, .reals = SMR_REALS_FINITE,
     .doc = "The same for the intercepts."},
    {SMR_KEPT(struct smr_kperceptron_state, touched), .since = 2, .dims = {"n_points"},
     .optional = true, .reals = SMR_REALS_FROM_0,
     .doc = "With a budget: the last mistake at each point."},
    {SMR_KEPT(struct smr_kperceptron_state, self), .since = 2, .with = "touched",
     .dims = {"n_points"}, .optional = true, .reals = SMR_REALS_FINITE,
     .doc = "With a budget: the kernel of each point with itself."},
};

/* ---- loading and predicting ------------------------------------------------------------- */

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_kperceptron_params *p = params_;
    const struct smr_kperceptron_state *s = state_;
    bool averaged = p->variant == SMR_KPERCEPTRON_AVERAGED;
    if (s->n_sums != 0 && (!averaged || s->n_sums != 2 * s->n_scores))
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "kperceptron: sums go with variant=averaged, two for "
                        "each score");
    if (s->points.x_f32 || s->points.value_f32)
        return smr_fail(ctx, SMR_ERR_FORMAT, "kperceptron: the points must be doubles");
    if (s->touched && p->budget == SMR_UNSET_INT)
        return smr_fail(ctx, SMR_ERR_FORMAT, "kperceptron: ages of points go with a budget");
    return smr_kernelled_check(ctx, p, s, shape);
}

static int64_t scratch(const void *params_, const void *state_, int64_t n)
{
    const struct smr_kperceptron_params *p = params_;
    const struct smr_kperceptron_state *s = state_;
    return s->points.ready ? smr_kernel_scratch(&p->kernel, &s->points, n, s->n_scores) : 0;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch_)
{
    const struct smr_kperceptron_params *p = params_;
    const struct smr_kperceptron_state *s = state_;
    smr_status st = SMR_OK;
    if (!s->points.ready)
        return smr_fail(ctx, SMR_ERR_STATE,
                        "kperceptron: the stream failed while it learned a row; load the model "
                        "again");
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
    const struct smr_kperceptron_params *p = params_;
    const struct smr_kperceptron_state *s = state_;
    smr_status st = SMR_OK;
    (void)in, (void)n_in;
    smr_json_add_string(into, "variant", variants[p->variant].name);
    TRY(smr_kernel_show(ctx, &p->kernel, &s->points, into));
    smr_json_add_number(into, "support_vectors", (double)s->points.n);
    if (s->n_passes > 0) smr_json_add_number(into, "passes", (double)s->n_passes);
    if (s->n_passes == 0) smr_json_add_number(into, "rows", s->rows);
    smr_json_add_number(into, "mistakes", s->mistakes);
    if (p->budget != SMR_UNSET_INT) smr_json_add_number(into, "forgotten", s->forgotten);
    if (s->n_passes > 0) smr_json_add_bool(into, "separated", !isnan(s->margin));
    if (isnan(s->margin)) goto out;
    double ratio = s->radius / s->margin;
    smr_json_add_number(into, "radius", s->radius);
    smr_json_add_number(into, "margin", s->margin);
    smr_json_add_number(into, "bound_on_mistakes", (s->n_scores > 1 ? 2 : 1) * ratio * ratio);
out:
    return st;
}

static smr_status draw(smr_ctx *ctx, const void *params_, const void *state_, const smr_feature *in,
                       int64_t n_in, const char *prefix, smr_json *figures)
{
    const struct smr_kperceptron_state *s = state_;
    smr_status st = SMR_OK;
    smr_text name = {.ctx = ctx};
    double *pass = NULL;
    (void)params_, (void)in, (void)n_in;
    if (!s->pass_mistakes || s->n_passes == 0) return SMR_OK;
    TRY_NEW(pass, s->n_passes);
    for (int64_t i = 0; i < s->n_passes; i++) pass[i] = (double)i + 1;
    smr_text_printf(&name, "%smistakes", prefix);
    TRY(smr_text_done(&name));
    smr_json *figure = smr_figure_add(figures, name.bytes, "Mistakes in each pass", NULL);
    smr_figure_axis(figure, "x", "pass", "linear");
    smr_figure_axis(figure, "y", "mistakes", "linear");
    smr_figure_series(figure, "mistakes", "line", s->n_passes, pass, s->pass_mistakes);
out:
    smr_text_release(&name);
    smr_free(pass);
    return st;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "kperceptron",
    .synonyms = "kernel_perceptron",
    .family = "kernel",
    .title = "Kernel perceptron",
    .brief = "The perceptron in the feature space of a kernel: rows that were mistakes become "
             "support vectors; also learns from a stream.",
    .objective = "alpha_i += y_i where y_i f(x_i) <= 0, f(x) = sum_j alpha_j K(x, x_j) + b",
    .details =
        "Starts with scores of 0 and takes row by row. A tie is a mistake. It stops after a pass "
        "without mistakes or after max_iter passes. With kernel=linear it makes the mistakes of "
        "perceptron, in the same order. With more than two classes, a mistake adds the row to the "
        "true class and subtracts it from the highest other. budget limits the support vectors: "
        "the least or the oldest is forgotten when there is one too many (variant=plain). If the "
        "classes are separated, inspect shows the margin found and the bound (R / margin)^2 on the "
        "mistakes, twice that with more than two classes. The weight of a row multiplies its "
        "change. In a stream gamma must be a number or auto. Features should have comparable "
        "scales: put standardize before it.",
    .reference = "Aizerman, Braverman & Rozonoer, Automation and Remote Control 25 (1964); Freund "
                 "& Schapire, Mach. Learn. 37 (1999)",
    .example = "samara train \"standardize | kperceptron\" data/iris.csv --target species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_kperceptron_params),
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_kperceptron_state),
    .gives = SMR_GIVES_DECISION,
    .prepare = smr_kernelled_prepare,
    .check = check,
    .release = smr_kernelled_release,
    .predict = predict,
    .scratch = scratch,
    .form = smr_kernelled_form,
    .describe = describe,
    .draw = draw,
};

static const smr_can_stream streams = {
    .begin = SMR_TRAINING(smr_kperceptron_begin),
    .learn = SMR_TRAINING(smr_kperceptron_learn),
};

static const smr_can_trace traces = {.shows = "each mistake, and the support vectors so far"};

/* n values of the kernel for each mistake: it is compared with others where it is named. */
static const smr_comparing compared = {.stands_aside = true};

const smr_learner smr_kperceptron = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY,
    .takes = SMR_KERNEL_TAKES | SMR_TAKES_WEIGHTS,
    .traits = SMR_KERNEL_TRAITS | SMR_DRAWS_ROWS,
    .nature = smr_kernelled_nature,
    .texts = smr_kernelled_texts,
    .fit = SMR_TRAINING(smr_kperceptron_fit),
    .fitted = &fitted,
    .stream = SMR_TRAINING(&streams),
    .trace = SMR_TRAINING(&traces),
    .comparing = &compared,
    .version = 2,
};
