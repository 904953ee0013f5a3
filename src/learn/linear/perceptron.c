/* perceptron.c -- Rosenblatt's perceptron: change the weights at mistakes, until there are none.
 *
 *     two classes, y = -1 or 1:  if y (w'x + b) <= 0:   w += rate y x,  b += rate y             (1)
 *     more: W has a row for each class; r is the highest class other than y:
 *                                if f_y - f_r <= 0:     w_y += rate x,  w_r -= rate x           (2)
 *
 * A tie is a mistake, or w = 0 would never move.  Where the data can be separated through the
 * origin of (x, 1) with margin gamma, and |(x, 1)| <= R, plain, averaged and voted make at most
 * (R / gamma)^2 mistakes whatever the order (Novikoff); (2) at most 2 (R / gamma)^2, gamma being of
 * the stacked rows of W.
 *
 *     averaged  the mean of the weights after each row; a row costs its own entries, since the mean
 *               is w - lag / rows with lag the sum of changes times the rows before them
 *     voted     every vector of weights votes, as often as rows have passed since it was made;
 *               memory: mistakes x q (d + 1) numbers, and as much time a prediction
 *     margin    a row counts as a mistake until y f > margin
 *
 * A row's weight multiplies its change and its votes; rows of weight 0 are passed over.
 * References: Rosenblatt, Psychol. Rev. 65, 1958; Novikoff, 1962; Freund & Schapire, Mach. Learn.
 * 37:277-296, 1999 (voted, averaged); Crammer & Singer, JMLR 3, 2003 (many classes). */
#include "learn/linear/perceptron.h"

#include "core/rng.h"
#include "kernel/kernel.h"
#include "learn/effort.h"
#include "learn/linear/held_rows.h"
#include "learn/present.h"
#include "learn/trace.h"

#include <math.h>
#include <string.h>

#define WORK 1e6 /* multiplications between two looks at whether to stop */

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice variants[] = {
    {"plain", "the weights after the last mistake"},
    {"averaged", "the mean of the weights after each row"},
    {"voted", "a vote of all weights that occurred"},
    {"margin", "a row counts as a mistake until its margin is large enough"},
    {NULL, NULL},
};

static const smr_choice orders[] = {
    {"auto", "yes for averaged, no for the other variants"},
    {"yes", "a new random order in each pass"},
    {"no", "as given"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct smr_perceptron_params, variant), .unset = true, .choices = variants,
     .primary = true, .search = SMR_SEARCH_VALUES,
     .doc = "Which weights to predict with; unset: averaged in a fit, plain in a stream."},
    {SMR_FIELD(struct smr_perceptron_params, margin), .def = 1, .min = 0, .max = INFINITY,
     .max_open = true, .when = "variant=margin", .search = SMR_SEARCH_LOG, .search_min = 0.01,
     .search_max = 100, .doc = "The margin by which a row must be classified correctly."},
    {SMR_FIELD(struct smr_perceptron_params, rate), .def = 1, .min = 0, .max = INFINITY,
     .min_open = true, .max_open = true,
     .doc = "Learning rate; starting from weights of 0, it matters only with a margin."},
    {SMR_FIELD(struct smr_perceptron_params, max_iter), .fit_only = true, .def = 100, .min = 1,
     .max = 1e9, .doc = "Maximum number of passes over the rows."},
    {SMR_FIELD(struct smr_perceptron_params, tol), .fit_only = true, .def = 0, .min = 0,
     .max = INFINITY, .max_open = true,
     .doc = "Also stop when a pass moves the weights by less than this distance."},
    {SMR_FIELD(struct smr_perceptron_params, shuffle), .fit_only = true, .choices = orders,
     .doc = "In which order each pass visits the rows."},
    {SMR_FIELD(struct smr_perceptron_params, fit_intercept), .def = true,
     .doc = "Add a constant feature 1 to every row."},
};

/* ---- state ------------------------------------------------------------------------------ */

static const smr_state state[] = {
    {SMR_KEPT(struct smr_perceptron_state, n_classes), .is = "classes", .min = 1,
     .doc = "Classes."},
    {SMR_KEPT(struct smr_perceptron_state, n_features), .is = "features", .min = 0,
     .doc = "Features."},
    {SMR_KEPT(struct smr_perceptron_state, n_scores), .is = "scores", .min = 1, .doc = "Scores."},
    {SMR_KEPT(struct smr_perceptron_state, n_flat), .is = "n_scores * n_features + n_scores",
     .min = 1, .doc = "Numbers of a vector of weights: scores x features, then intercepts."},
    {SMR_KEPT(struct smr_perceptron_state, n_passes), .min = 0, .doc = "Passes of the fit."},
    {SMR_KEPT(struct smr_perceptron_state, n_vectors), .min = 0, .doc = "Vectors that vote."},
    {SMR_KEPT(struct smr_perceptron_state, rows), .doc = "Rows so far, by their weights."},
    {SMR_KEPT(struct smr_perceptron_state, mistakes), .doc = "Mistakes so far."},
    {SMR_KEPT(struct smr_perceptron_state, radius),
     .doc = "Largest length R of a row; NaN where the rows are not separated."},
    {SMR_KEPT(struct smr_perceptron_state, gamma_found), .doc = "Margin of the separator found."},
    {SMR_KEPT(struct smr_perceptron_state, gamma_best), .doc = "Largest margin known."},
    {SMR_KEPT(struct smr_perceptron_state, is_best),
     .doc = "1 if that is the largest margin there is."},
    {SMR_KEPT(struct smr_perceptron_state, weights), .dims = {"n_flat"},
     .doc = "The weights after the last row."},
    {SMR_KEPT(struct smr_perceptron_state, lag), .with = "mean", .dims = {"n_flat"},
     .optional = true, .doc = "Sum of the changes, each times the rows before it."},
    {SMR_KEPT(struct smr_perceptron_state, vectors), .with = "variant=voted",
     .dims = {"n_vectors", "n_flat"}, .optional = true, .doc = "Vectors that vote."},
    {SMR_KEPT(struct smr_perceptron_state, votes), .with = "variant=voted", .dims = {"n_vectors"},
     .optional = true, .doc = "Votes of each."},
    {SMR_KEPT(struct smr_perceptron_state, mean), .dims = {"n_flat"}, .optional = true,
     .doc = "The mean of the weights."},
    {SMR_KEPT(struct smr_perceptron_state, pass_mistakes), .with = "n_passes", .dims = {"n_passes"},
     .optional = true, .doc = "Mistakes in each pass."},
};

/* ---- a stream --------------------------------------------------------------------------- */

static smr_status begin(smr_ctx *ctx, const void *params_, const smr_shape *shape, void *state_)
{
    const struct smr_perceptron_params *p = params_;
    struct smr_perceptron_state *s = state_;
    smr_status st = SMR_OK;
    s->n_classes = shape->n_classes;
    s->n_features = shape->n_features;
    s->n_scores = shape->n_classes <= 2 ? 1 : shape->n_classes;
    s->n_flat = s->n_scores * (s->n_features + 1);
    s->radius = s->gamma_found = s->gamma_best = NAN;
    TRY_NEW(s->weights, s->n_flat);
    if (p->variant == SMR_PERCEPTRON_AVERAGED) {
        TRY_NEW(s->lag, s->n_flat);
        TRY_NEW(s->mean, s->n_flat);
    }
    if (p->variant == SMR_PERCEPTRON_VOTED) {
        TRY_NEW(s->vectors, s->n_flat);
        TRY_NEW(s->votes, 1);
        s->n_vectors = 1;
    }
out:
    return st;
}

/* Rows of a block, with one buffer. */
struct learning {
    const struct smr_perceptron_params *params;
    struct smr_perceptron_state *state;
    double *x, *f;
    double wrong; /* mistakes of the pass */
    smr_trace *trace;
    int64_t pass;
    int64_t n_rows; /* of a fit; 0: a stream                        */
    double work;    /* multiplications since it was asked whether to stop */
};

/* The weights after a mistake. */
static void tell_mistake(struct learning *l, const smr_rows *rows, int64_t i, int64_t label)
{
    const struct smr_perceptron_state *s = l->state;
    int64_t row = rows->numbers ? rows->numbers[i] : rows->first + i;
    double x[2];
    if (!smr_trace_step(l->trace, "row %lld is a mistake", (long long)row + 1)) return;
    smr_trace_number(l->trace, "pass", (double)l->pass + 1);
    smr_trace_number(l->trace, "row", (double)row + 1);
    smr_trace_class(l->trace, "class", label);
    smr_trace_number(l->trace, "score", l->f[s->n_scores > 1 ? label : 0]);
    if (s->vectors) /* of the weights that made it */
        smr_trace_number(l->trace, "votes_before", s->votes[s->n_vectors - 2]);
    smr_trace_linear(l->trace, s->n_scores, s->weights, s->weights + s->n_scores * s->n_features);
    if (smr_trace_point(l->trace, row, x))
        smr_figure_series(smr_trace_last(l->trace), "mistake", "points", 1, &x[0], &x[1]);
}

/* Where what is kept is not the weights after the last mistake: their mean, or all that vote. */
static smr_status tell_end(smr_ctx *ctx, struct learning *l)
{
    const struct smr_perceptron_state *s = l->state;
    smr_status st = SMR_OK;
    double *number = NULL, all = 0;
    if (s->mean && smr_trace_end(l->trace, "the mean of the weights, which is the model"))
        smr_trace_linear(l->trace, s->n_scores, s->mean, s->mean + s->n_scores * s->n_features);
    if (!s->vectors || !l->trace) return SMR_OK;
    TRY_NEW(number, s->n_vectors);
    for (int64_t v = 0; v < s->n_vectors; v++) {
        number[v] = (double)v;
        all += s->votes[v];
    }
    smr_trace_end(l->trace, "%lld vectors of weights vote, which are the model",
                  (long long)s->n_vectors);
    smr_trace_number(l->trace, "vectors", (double)s->n_vectors);
    smr_trace_number(l->trace, "votes", all);
    smr_json *figure =
        smr_trace_figure(l->trace, "votes", "Votes of the weights after each mistake", false);
    smr_figure_axis(figure, "x", "mistakes before", "linear");
    smr_figure_axis(figure, "y", "votes", "linear");
    smr_figure_series(figure, "votes", "step", s->n_vectors, number, s->votes);
out:
    smr_free(number);
    return st;
}

static smr_status learn_block(smr_ctx *ctx, struct learning *l, const smr_rows *rows,
                              const smr_truths *t, double *out)
{
    struct smr_perceptron_state *s = l->state;
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < rows->n; i++) {
        smr_row r = smr_row_of(rows, i, l->x);
        double weight = t->weight ? t->weight[i] : 1;
        bool was_wrong = false;
        if (out) smr_perceptron_answer(l->params, s, &r, false, l->f, out + i * s->n_classes);
        if (!(weight > 0)) continue;
        smr_perceptron_scores(s, s->weights, &r, l->f);
        TRY(smr_perceptron_learn_row(ctx, l->params, s, &r, t->label[i], weight, l->f, &was_wrong));
        l->wrong += was_wrong;
        if (was_wrong && l->trace) tell_mistake(l, rows, i, t->label[i]);
        l->work += (double)s->n_scores * (double)(r.n + 8);
        if (l->n_rows == 0 || l->work < WORK) continue; /* a block of a stream is learned whole */
        l->work = 0;
        TRY(smr_tick(ctx, "passing over the rows", l->pass * l->n_rows + rows->first + i,
                     l->params->max_iter * l->n_rows, NAN));
    }
out:
    return st;
}

static smr_status learn(smr_ctx *ctx, const void *params_, void *state_, const smr_rows *rows,
                        const smr_truths *truths, double *out)
{
    struct smr_perceptron_state *s = state_;
    struct learning l = {.params = params_, .state = s};
    smr_status st = SMR_OK;
    TRY_NEW(l.x, s->n_features);
    TRY_NEW(l.f, s->n_scores);
    TRY(learn_block(ctx, &l, rows, truths, out));
    smr_perceptron_settle(s);
out:
    smr_free(l.x);
    smr_free(l.f);
    return st;
}

/* ---- fit -------------------------------------------------------------------------------- */

static smr_status pass_block(smr_ctx *ctx, void *arg, const smr_rows *rows,
                             const smr_truths *truths)
{
    return learn_block(ctx, arg, rows, truths, NULL);
}

static bool is_shuffled(const struct smr_perceptron_params *p)
{
    if (p->shuffle == SMR_PERCEPTRON_AUTO) return p->variant == SMR_PERCEPTRON_AVERAGED;
    return p->shuffle == SMR_PERCEPTRON_SHUFFLED;
}

/* Passes until one without a mistake, or one that hardly moved. */
static smr_status make_passes(smr_ctx *ctx, struct learning *l, const smr_data *data,
                              smr_fit_report *report, bool *is_separated)
{
    const struct smr_perceptron_params *p = l->params;
    struct smr_perceptron_state *s = l->state;
    smr_status st = SMR_OK;
    int64_t *order = NULL;
    double *before = NULL;
    bool done = false;
    smr_form form = smr_data_is_sparse(data) ? SMR_FORM_SPARSE : smr_data_natural_form(data);
    TRY_NEW(before, s->n_flat);
    if (is_shuffled(p)) TRY_NEW(order, data->n_rows);
    for (int64_t pass = 0; pass < p->max_iter && !done; pass++) {
        TRY(smr_tick(ctx, "passing over the rows", pass * data->n_rows, p->max_iter * data->n_rows,
                     l->wrong));
        l->pass = pass;
        memcpy(before, s->weights, (size_t)s->n_flat * sizeof *before);
        l->wrong = 0;
        if (order)
            smr_random_permutation(ctx->seed, SMR_STREAM_SGD, (uint64_t)pass, data->n_rows, order);
        TRY(smr_held_walk(ctx, data, form, order, data->n_rows, pass_block, l));
        TRY(smr_fit_step(ctx, report, l->wrong));
        TRY(smr_fit_record(ctx, pass, l->wrong, &s->pass_mistakes));
        s->n_passes = pass + 1;
        *is_separated = l->wrong == 0;
        done = *is_separated || sqrt(smr_l2sq_f64(s->n_flat, before, s->weights)) < p->tol;
    }
    report->converged = done;
    if (!done)
        smr_warn(ctx,
                 "perceptron: %lld %s, and the last still made %lld mistake%s: the classes "
                 "cannot be separated, or need more passes (max_iter); %s better",
                 (long long)s->n_passes, smr_plural(s->n_passes, "pass", "passes"),
                 (long long)l->wrong, smr_plural((int64_t)l->wrong, "", "s"),
                 p->variant == SMR_PERCEPTRON_AVERAGED || p->variant == SMR_PERCEPTRON_VOTED
                     ? "logistic may handle that"
                     : "variant=averaged or logistic handle that");
out:
    smr_free(order);
    smr_free(before);
    return st;
}

/* n vectors of weights of the classes that have rows, for all n_classes. */
static smr_status spread(smr_ctx *ctx, const smr_present *present, int64_t n_classes, int64_t n,
                         const struct smr_perceptron_state *s, double absent, double **vectors)
{
    smr_status st = SMR_OK;
    double *all = NULL;
    int64_t d = s->n_features, flat = n_classes * (d + 1);
    if (!*vectors) return SMR_OK;
    TRY_NEW(all, n * flat);
    for (int64_t v = 0; v < n; v++) {
        const double *from = *vectors + v * s->n_flat;
        double *to = all + v * flat;
        smr_present_spread(present, n_classes, d, from, from + s->n_scores * d, absent, to,
                           to + n_classes * d);
    }
    smr_free(*vectors);
    *vectors = all;
out:
    return st;
}

static smr_status spread_all(smr_ctx *ctx, const smr_present *present, int64_t n_classes,
                             struct smr_perceptron_state *s)
{
    smr_status st = SMR_OK;
    if (present->is_all) return SMR_OK;
    TRY(spread(ctx, present, n_classes, 1, s, SMR_ABSENT, &s->weights));
    TRY(spread(ctx, present, n_classes, 1, s, SMR_ABSENT, &s->mean));
    TRY(spread(ctx, present, n_classes, 1, s, 0, &s->lag));
    TRY(spread(ctx, present, n_classes, s->n_vectors, s, SMR_ABSENT, &s->vectors));
    s->n_classes = s->n_scores = n_classes;
    s->n_flat = n_classes * (s->n_features + 1);
    s->room = s->n_vectors;
out:
    return st;
}

static void tell_effort(smr_ctx *ctx, const struct learning *l, const smr_data *data)
{
    double length = (double)(smr_data_is_sparse(data) ? 8 : data->n_features);
    smr_effort_tell(
        ctx, &(smr_effort){.learner = "perceptron",
                           .round = "pass",
                           .rounds = "passes",
                           .each = (double)data->n_rows * (double)l->state->n_scores * (length + 4),
                           .most = l->params->max_iter,
                           .least = smr_fmin(4, (double)l->params->max_iter),
                           .advice = "every row is compared with every class: join "
                                     "classes, or take knn or tree"});
}

/* A trace names the classes by their numbers, and has them all or none. */
static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *all, void *state_,
                      smr_fit_report *report)
{
    struct smr_perceptron_params own = *(const struct smr_perceptron_params *)params_;
    const struct smr_perceptron_params *p = &own;
    struct smr_perceptron_state *s = state_;
    smr_status st = SMR_OK;
    smr_present present = {0};
    const smr_data *data = &present.data;
    struct learning l = {.params = p, .state = s, .n_rows = all->n_rows};
    bool is_separated = false;
    if (own.variant < 0) own.variant = SMR_PERCEPTRON_AVERAGED;
    TRY(smr_present_find(ctx, all, &present));
    l.trace = present.is_all ? report->trace : NULL;
    smr_shape shape = {
        .n_features = data->n_features, .task = data->task, .n_classes = data->n_classes};
    TRY(begin(ctx, p, &shape, s));
    TRY_NEW(l.x, s->n_features);
    TRY_NEW(l.f, s->n_scores);
    tell_effort(ctx, &l, data);
    TRY(make_passes(ctx, &l, data, report, &is_separated));
    smr_perceptron_settle(s);
    TRY(tell_end(ctx, &l));
    if (is_separated) TRY(smr_perceptron_margins(ctx, p, data, s));
    TRY(spread_all(ctx, &present, all->n_classes, s));
out:
    smr_free(l.x);
    smr_free(l.f);
    smr_present_release(&present);
    return st;
}

/* ---- predict ---------------------------------------------------------------------------- */

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_perceptron_params *p = params_;
    const struct smr_perceptron_state *s = state_;
    (void)shape;
    if (p->variant == SMR_PERCEPTRON_VOTED && s->n_vectors < 1)
        return smr_fail(ctx, SMR_ERR_FORMAT, "perceptron: no vector of weights votes");
    if (p->variant >= 0 && (p->variant == SMR_PERCEPTRON_AVERAGED) != (s->mean != NULL))
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "perceptron: a mean of the weights belongs to variant=averaged alone");
    return SMR_OK;
}

static int64_t scratch(const void *params_, const void *state_, int64_t n)
{
    const struct smr_perceptron_state *s = state_;
    (void)params_, (void)n;
    return 8 * (s->n_features + s->n_scores);
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch_)
{
    const struct smr_perceptron_state *s = state_;
    double *x = scratch_;
    (void)ctx, (void)output;
    for (int64_t i = 0; i < rows->n; i++) {
        smr_row r = smr_row_of(rows, i, x);
        smr_perceptron_answer(params_, s, &r, true, x + s->n_features, out + i * s->n_classes);
    }
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "perceptron",
    .family = "linear",
    .title = "Perceptron",
    .brief =
        "Corrects its weights at every mistake until there are none; also learns from a stream.",
    .objective = "w += rate y x where y (x'w + b) <= 0",
    .details =
        "Starts with weights of 0 and takes row by row. A tie is a mistake. It stops after a pass "
        "without mistakes, after max_iter passes, or when a pass moves the "
        "weights by less than tol. If the classes are separated, inspect shows the margin found, "
        "the largest margin (for up to a million numbers), and the bound (R / gamma)^2 on the "
        "mistakes. With more than two classes, a mistake adds the row to the weights of the true "
        "class and subtracts it from those of the highest other. voted keeps every weight "
        "vector: memory and time grow with the mistakes. If the classes overlap, averaged and "
        "voted are far better than plain, which is Rosenblatt's own; in a stream plain follows "
        "rows that change. The weight of a row multiplies its change and its votes. That is not "
        "the same as repeating the row, which could then be a mistake each time.",
    .reference = "Rosenblatt, Psychol. Rev. 65 (1958); Freund & Schapire, Mach. Learn. 37 (1999)",
    .example = "samara train \"standardize | perceptron\" data/iris.csv --target species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_perceptron_params),
};

/* A vote of several vectors is no linear model. */
static smr_linear_view linear_view(const void *params_, const void *state_)
{
    const struct smr_perceptron_params *p = params_;
    const struct smr_perceptron_state *s = state_;
    smr_linear_view view = {.n_scores = s->n_scores, .n_features = s->n_features};
    if (p->variant == SMR_PERCEPTRON_VOTED) return view;
    view.w = s->mean ? s->mean : s->weights;
    view.b = view.w + s->n_scores * s->n_features;
    return view;
}

static const smr_can_explain explains = {
    .linear = linear_view,
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_perceptron_state),
    .gives = SMR_GIVES_DECISION,
    .check = check,
    .predict = predict,
    .scratch = scratch,
    .describe = smr_perceptron_describe,
    .draw = smr_perceptron_figures,
    .explain = &explains,
};

static const smr_can_stream streams = {
    .begin = SMR_TRAINING(begin),
    .learn = SMR_TRAINING(learn),
};

static const smr_can_trace traces = {.shows = "the weights after each mistake"};

const smr_learner smr_perceptron = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY,
    .takes = SMR_TAKES_FORMS | SMR_TAKES_WEIGHTS,
    .traits = SMR_SCALE_MATTERS | SMR_DRAWS_ROWS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .stream = SMR_TRAINING(&streams),
    .trace = SMR_TRAINING(&traces),
};
