/* forest.c -- random forests and extremely randomised trees.
 *
 * Objective: the mean of B trees, each grown greedily on its own sample of the rows, at each node
 * by the best split among features drawn at random:
 *
 *     f(x) = 1/B sum_b T_b(x),    T_b(x) the mean target, or the class shares, of x's leaf.
 *
 * Variance falls with the number of trees as far as they differ; the draws make them differ.
 * Each tree is grown on bins of the features (bins.h) by one thread: forest_grow.c.  Rows that were
 * not drawn for a tree are predicted by it, and the mean over the trees that left a row out is an
 * honest prediction of it (out of bag): forest_fit.c.
 *
 * Cost: trees x depth x rows x features tried at a node; memory two bytes per cell, about 70 bytes
 * per row and thread, and the nodes.  Degenerate cases: rows that are alike end in one leaf,
 * whatever their targets; a constant feature is never asked; with one row each tree is a leaf.
 * References: Breiman, "Random forests", Machine Learning 45 (2001); Geurts, Ernst & Wehenkel,
 * "Extremely randomized trees", Machine Learning 63 (2006). */
#include "learn/trees/forest.h"

#include "core/figure.h"
#include "core/sort.h"
#include "core/text.h"
#include "learn/trees/importance.h"
#include "learn/trees/shapley.h"

#include <math.h>

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice modes[] = {
    {"forest", "the best cut of each feature tried"},
    {"extra", "one cut drawn at random for each feature tried (extra-trees)"},
    {0}};
static const smr_choice criteria[] = {{"auto", "gini for classes, squared for numbers"},
                                      {"gini", "Gini index"},
                                      {"entropy", "information"},
                                      {"squared", "squared error"},
                                      {0}};
static const smr_choice bags[] = {{"auto", "yes for mode=forest, no for mode=extra"},
                                  {"yes", "each tree on as many rows drawn with replacement"},
                                  {"no", "each tree on all rows"},
                                  {0}};
static const smr_choice importances[] = {
    {"gain", "the total gain of the splits on a feature"},
    {"permutation", "also how much the out-of-bag error grows when a feature is shuffled"},
    {0}};

#define P(field) SMR_FIELD(struct smr_forest_params, field)
static const smr_param params[] = {
    {P(trees), .def = 100, .min = 1, .max = 1e6, .search = SMR_SEARCH_LOG, .search_min = 30,
     .search_max = 300, .simpler = SMR_SIMPLER_LOW, .primary = true,
     .doc = "Number of trees. More never hurt accuracy, but cost time and memory."},
    {P(mode), .choices = modes, .doc = "How split points are chosen."},
    {P(criterion), .choices = criteria, .doc = "What a split should improve."},
    {P(features), .def_text = "auto", .search = SMR_SEARCH_LOG, .search_min = 0.1, .search_max = 1,
     .doc = "Features tried at each node: sqrt, log2, third, all, or a share; auto is sqrt for "
            "classes and third for numbers."},
    {P(max_depth), .min = 0, .max = 1e6, .search = SMR_SEARCH_NONE, .simpler = SMR_SIMPLER_LOW,
     .doc = "Maximum depth; 0: no limit."},
    {P(max_leaves), .min = 0, .max = 1e9, .simpler = SMR_SIMPLER_LOW,
     .doc = "Maximum number of leaves per tree, grown by largest gain first; 0: no limit."},
    {P(min_split), .def = 2, .min = 0, .max = INFINITY, .simpler = SMR_SIMPLER_HIGH,
     .doc = "Minimum weight of a node to be split."},
    {P(min_leaf), .def = 1, .min = 0, .max = INFINITY, .search = SMR_SEARCH_LOG, .search_min = 1,
     .search_max = 20, .simpler = SMR_SIMPLER_HIGH,
     .doc = "Minimum weight of each side of a split. Larger values give smoother predictions."},
    {P(min_gain), .min = 0, .max = INFINITY, .simpler = SMR_SIMPLER_HIGH,
     .doc = "Minimum gain of a split, averaged over all rows. 0 also allows splits that gain "
            "nothing yet, so that XOR can be learned."},
    {P(bootstrap), .choices = bags,
     .doc = "Whether each tree is grown on a bootstrap sample of the rows."},
    {P(class_weight), .tasks = SMR_DOES_CLASSIFY, .choices = smr_class_weights,
     .doc = "How the classes are weighted."},
    {P(importance), .choices = importances, .doc = "Which importances to compute."},
    {P(max_bins), .def = 255, .min = 2, .max = 255,
     .doc = "Maximum number of bins per feature. Features with no more distinct values are split "
            "exactly, others between weighted quantiles."},
};

/* ---- state ------------------------------------------------------------------------------ */

#define K(field) SMR_KEPT(struct smr_forest_state, field)
static const smr_state state[] = {
    SMR_TREES_STATE(struct smr_forest_state, trees),
    {K(n_features), .is = "features", .doc = "Features."},
    {K(n_classes), .is = "classes", .doc = "Classes; 0: numbers are predicted."},
    {K(n_outputs), .is = "targets", .doc = "Targets; 0: classes are predicted."},
    {K(form), .max = SMR_FORM_U8, .doc = "Form of the rows in training."},
    {K(per_node), .doc = "Features tried at a node."},
    {K(n_rounded), .doc = "Features with more values than bins."},
    {K(n_curve), .doc = "Trees with out-of-bag rows."},
    {K(oob_error), .doc = "Out-of-bag error; NaN: not known."},
    {K(oob_share), .doc = "Share of the rows that some tree left out."},
    {K(oob_curve), .with = "n_curve", .dims = {"n_curve"}, .optional = true,
     .doc = "Out-of-bag error of the first 1, 2 ... trees."},
    {K(gain), .dims = {"n_features"}, .doc = "Total gain of the splits by each feature."},
    {K(permuted), .dims = {"n_features"}, .optional = true,
     .doc = "By how much the out-of-bag error grows when the feature is shuffled."},
};

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    const struct smr_forest_params *p = params_;
    int64_t n = 0;
    if (p->importance == SMR_FOREST_PERMUTATION &&
        (p->bootstrap == SMR_FOREST_BAG_NO ||
         (p->bootstrap == SMR_FOREST_BAG_AUTO && p->mode == SMR_FOREST_EXTRA)))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "forest: importance=permutation needs rows that trees left out; set "
                        "bootstrap=yes");
    return smr_forest_per_node(ctx, p->features, true, 1, &n);
}

/* The criterion must suit the task. */
static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct smr_forest_params *p = params_;
    bool classify = data->task == SMR_TASK_CLASSIFY;
    if (classify && p->criterion == SMR_FOREST_SQUARED)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "forest: criterion=squared is for numbers; classes take gini or entropy");
    if (!classify && (p->criterion == SMR_FOREST_GINI || p->criterion == SMR_FOREST_ENTROPY))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "forest: criterion=%s is for classes; numbers take squared",
                        criteria[p->criterion].name);
    return smr_forest_fit(ctx, params_, data, state_, report);
}

/* ---- predict ---------------------------------------------------------------------------- */

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_forest_state *s = state_;
    int64_t width = s->n_classes + s->n_outputs;
    (void)params_;
    if (s->trees.n_scores != width || s->trees.width != width || s->trees.n_trees < 1 ||
        (s->n_curve != 0 && s->n_curve != s->trees.n_trees))
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "the model file is damaged: forest: its sizes do not fit each other");
    return smr_trees_check(ctx, "forest", &s->trees, shape);
}

static unsigned gives_with(const void *params_, const void *state_)
{
    const struct smr_forest_state *s = state_;
    (void)params_;
    return s->n_classes ? SMR_GIVES_PROBA : SMR_GIVES_VALUE;
}

static smr_form form(const void *state_)
{
    return (smr_form)((const struct smr_forest_state *)state_)->form;
}

static int64_t rounds(const void *params_, const void *state_)
{
    (void)params_;
    return ((const struct smr_forest_state *)state_)->trees.n_trees;
}

static smr_status predict_after(smr_ctx *ctx, const void *params_, const void *state_,
                                const smr_rows *rows, smr_output output, int64_t round, double *out,
                                void *scratch)
{
    const struct smr_forest_state *s = state_;
    int64_t n = rows->n * s->trees.n_scores;
    (void)ctx, (void)params_, (void)output, (void)scratch;
    for (int64_t i = 0; i < n; i++) out[i] = 0;
    smr_trees_sum(&s->trees, rows, 0, round, out);
    /* No tree yet: nothing is known about the classes; for numbers the answer is 0. */
    for (int64_t i = 0; i < n; i++) {
        if (round > 0)
            out[i] /= (double)round;
        else
            out[i] = s->n_classes ? 1 / (double)s->n_classes : 0;
    }
    return SMR_OK;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    return predict_after(ctx, params_, state_, rows, output, rounds(params_, state_), out, scratch);
}

static smr_status shapley(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, int64_t *n_scores, double *out)
{
    const struct smr_forest_state *s = state_;
    smr_status st = SMR_OK;
    (void)params_;
    *n_scores = s->trees.n_scores;
    if (!rows) return SMR_OK;
    int64_t n = rows->n * *n_scores * (s->n_features + 1);
    for (int64_t i = 0; i < n; i++) out[i] = 0;
    st = smr_trees_shapley(ctx, &s->trees, rows, 0, s->trees.n_trees, out);
    for (int64_t i = 0; i < n; i++) out[i] /= (double)s->trees.n_trees;
    return st;
}

static smr_tree_view trees(const void *params_, const void *state_)
{
    const struct smr_forest_state *s = state_;
    (void)params_;
    return (smr_tree_view){.trees = &s->trees,
                           .says = s->n_classes ? SMR_SAYS_SHARES : SMR_SAYS_VALUES,
                           .is_mean = true};
}

/* ---- describe --------------------------------------------------------------------------- */

/* Largest first, equal ones in the order of the features. */
static smr_status describe_permuted(smr_ctx *ctx, const double *permuted, const smr_feature *in,
                                    int64_t n, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_json *list = smr_json_add_array(into, "permutation_importance");
    double *falling = NULL;
    int64_t *order = NULL;
    TRY_NEW(falling, n);
    TRY_NEW(order, n);
    for (int64_t j = 0; j < n; j++) falling[j] = -permuted[j];
    TRY(smr_argsort_f64(ctx, n, falling, order));
    for (int64_t i = 0; i < n; i++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "feature", in[order[i]].name);
        smr_json_add_number(row, "error_growth", permuted[order[i]]);
    }
out:
    smr_free(order);
    smr_free(falling);
    return st;
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_forest_state *s = state_;
    smr_status st = SMR_OK;
    (void)params_;
    TRY(smr_trees_describe(ctx, &s->trees, into));
    smr_json_add_number(into, "features_per_node", (double)s->per_node);
    if (s->n_rounded) smr_json_add_number(into, "features_in_quantile_bins", (double)s->n_rounded);
    if (s->n_curve) {
        smr_json_add_number(into, s->n_classes ? "out_of_bag_error" : "out_of_bag_mse",
                            s->oob_error);
        smr_json_add_number(into, "out_of_bag_share", s->oob_share);
    }
    TRY(smr_importance_describe(ctx, s->gain, in, n_in, into));
    if (s->permuted) TRY(describe_permuted(ctx, s->permuted, in, n_in, into));
out:
    return st;
}

static smr_status draw_errors(smr_ctx *ctx, const struct smr_forest_state *s, const char *prefix,
                              smr_json *figures)
{
    smr_status st = SMR_OK;
    smr_text name = {.ctx = ctx};
    double *x = NULL;
    TRY_NEW(x, s->n_curve);
    for (int64_t t = 0; t < s->n_curve; t++) x[t] = (double)(t + 1);
    smr_text_printf(&name, "%sout_of_bag", prefix);
    TRY(smr_text_done(&name));
    smr_json *figure =
        smr_figure_add(figures, name.bytes, "Out-of-bag error against the number of trees",
                       "Each row is predicted by the trees that were grown without it.");
    smr_figure_axis(figure, "x", "trees", "linear");
    smr_json *y = smr_figure_axis(
        figure, "y", s->n_classes ? "share of wrong predictions" : "mean squared error", "linear");
    smr_json_add_number(y, "min", 0);
    smr_figure_series(figure, "out-of-bag error", "line", s->n_curve, x, s->oob_curve);
out:
    smr_free(x);
    smr_text_release(&name);
    return st;
}

static smr_status draw(smr_ctx *ctx, const void *params_, const void *state_, const smr_feature *in,
                       int64_t n_in, const char *prefix, smr_json *figures)
{
    const struct smr_forest_state *s = state_;
    smr_status st = SMR_OK;
    (void)params_;
    TRY(smr_importance_figure(ctx, s->gain, in, n_in, prefix, figures));
    if (s->n_curve > 1 && isfinite(s->oob_error)) TRY(draw_errors(ctx, s, prefix, figures));
out:
    return st;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "forest",
    .synonyms = "random_forest rf ranger RandomForestClassifier RandomForestRegressor "
                "mode=extra extra_trees extra ExtraTreesClassifier ExtraTreesRegressor",
    .family = "trees",
    .title = "Random forest",
    .brief = "Averages many trees, each grown on a random sample of the rows and features.",
    .objective = "f(x) = 1/B sum_b T_b(x); a node of T_b is split by the largest gain among "
                 "features drawn at random",
    .details =
        "Each tree draws as many rows as there are, with replacement, and at each node some "
        "features, of which the best split is taken; trees grow until their leaves are pure. If "
        "these features give no split, more are drawn. Features are put into at most max_bins "
        "bins; one with no more distinct values than that is split exactly. Missing values go to "
        "the side where they gain more; if training saw none, to the side with more rows. "
        "Categories are split into sets of levels: sorting levels by the share of a class or the "
        "mean target finds the best set for two classes and for numbers; for more classes the "
        "order of every class is tried. mode=extra draws the cut of that order at random, and the "
        "class that it is made by. Beyond 255 levels the rarest share one bin; beyond 1024 "
        "levels the column is tried only in nodes of at least levels / 32 rows. Rows that a tree "
        "did not draw give the out-of-bag error; train --oob writes the predictions for them. A "
        "row's weight counts in splits, leaves and minimum sizes, not in the drawing. Of equal "
        "gains (for numbers: equal up to rounding) the lower feature is taken, then the lower "
        "cut. Cost: trees x depth x rows x features tried; two bytes per cell.",
    .reference = "Breiman, Machine Learning 45 (2001); Geurts, Ernst & Wehenkel, Machine Learning "
                 "63 (2006)",
    .example = "samara train \"forest 200\" data/wine.csv --target cultivar",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_forest_params),
    .check_params = check_params,
};

static const smr_can_grow grows = {
    .count = rounds,
    .predict_after = predict_after,
};

static const double *gains(const void *params_, const void *state_)
{
    const struct smr_forest_state *s = state_;
    (void)params_;
    return s->gain;
}

static const smr_can_explain explains = {
    .importances = gains,
    .shapley = shapley,
    .trees = trees,
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_forest_state),
    .gives = SMR_GIVES_PROBA | SMR_GIVES_VALUE,
    .gives_with = gives_with,
    .prepare = smr_trees_prepare_state,
    .check = check,
    .release = smr_trees_release_state,
    .predict = predict,
    .form = form,
    .describe = describe,
    .draw = draw,
    .rounds = &grows,
    .explain = &explains,
};

const smr_learner smr_forest = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS,
    .takes = SMR_TAKES_F64 | SMR_TAKES_F32 | SMR_TAKES_U8 | SMR_TAKES_CODES | SMR_TAKES_MISSING |
             SMR_TAKES_WEIGHTS | SMR_TAKES_MANY_TARGETS,
    .traits = SMR_DRAWS_ROWS | SMR_TELLS_LEFT_OUT | SMR_OUT_OF_BAG,
    .fit = SMR_TRAINING(fit),
    .resume = SMR_TRAINING(&smr_forest_resume),
    .fitted = &fitted,
};
