/* boost.c -- gradient boosting of trees.
 *
 * Minimises over functions f that are sums of trees
 *
 *     J = sum_i weight_i loss(y_i, f(x_i)) + sum over leaves (l1 |w| + l2 / 2 w^2)
 *
 * greedily: f begins as the best constant, and each round adds rate times the tree that lowers the
 * second-order expansion of J around the present f most, as far as a greedy search over the cuts
 * between at most max_bins bins of each feature can tell (boost_split.c).  With more than two
 * classes each has a score, and a tree in each round.
 *
 * Parts: boost_loss.c losses and leaf values, boost_cells.c columns of bytes, boost_hist.c
 * histograms, boost_split.c splits, boost_grow.c a tree, boost_rows.c rows of a round, boost_fit.c
 * the rounds.
 *
 * boost_sparse.c and boost_glance.c do the same for sparse rows.
 *
 * Cost: a round with a tree of L leaves adds about n d (1 + log2(L) / 2) cells per class; 1 byte
 * per cell, or 10 per entry of sparse rows, and 16 bytes per row and class besides (boost_fit.c).
 *
 * Degenerate cases: a constant target, constant features, one row or rows of one class give the
 * constant.  A class without rows has probability 0.
 *
 * References: Friedman, Ann. Stat. 29:1189-1232, 2001; Chen & Guestrin, KDD 2016; Ke et al.,
 * LightGBM, NIPS 2017. */
#include "learn/trees/boost.h"

#include "kernel/kernel.h"
#include "learn/linear/scores.h"
#include "learn/trees/shapley.h"
#include "metric/metric.h"

#include <math.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

const smr_choice smr_boost_losses[] = {
    {"auto", "squared for numbers, logistic for two classes, softmax for more"},
    {"squared", "1/2 (f - y)^2"},
    {"absolute", "|f - y|; leaves are medians"},
    {"huber", "squared up to delta, then absolute"},
    {"quantile", "the share q of the rows lies below"},
    {"poisson", "counts: e^f - y f"},
    {"gamma", "positive amounts: y e^-f + f"},
    {"logistic", "log(1 + e^-yf), two classes"},
    {"softmax", "log sum e^f - f_y, any number of classes"},
    {"exponential", "e^-yf, two classes, as AdaBoost"},
    {NULL, NULL},
};

static const smr_choice growths[] = {
    {"leaf", "the leaf that gains most is split next, up to max_leaves"},
    {"level", "all leaves of a level before the next, down to max_depth"},
    {NULL, NULL},
};

static const smr_choice samplings[] = {
    {"uniform", "each row with probability `rows`"},
    {"goss", "the rows with the largest gradients and a sample of the others, weighted up"},
    {NULL, NULL},
};

#define P(field_) SMR_FIELD(struct smr_boost_params, field_)
static const smr_param params[] = {
    {P(rounds), .def = 100, .min = 1, .max = 1e6, .search = SMR_SEARCH_LOG, .search_min = 20,
     .search_max = 1000, .simpler = SMR_SIMPLER_LOW, .primary = true,
     .doc = "Number of rounds (trees per score); the maximum with early stopping."},
    {P(rate), .def = 0.1, .min = 0, .max = 1, .min_open = true, .search = SMR_SEARCH_LOG,
     .search_min = 0.01, .search_max = 0.5, .simpler = SMR_SIMPLER_LOW,
     .doc = "Learning rate (shrinkage): each tree's values are multiplied by it."},
    {P(loss), .def = SMR_BOOST_AUTO, .choices = smr_boost_losses, .doc = "The loss to minimise."},
    {P(q), .def = 0.5, .min = 0, .max = 1, .min_open = true, .max_open = true,
     .when = "loss=quantile",
     .doc = "The quantile to predict: the share of the rows that should lie below."},
    {P(delta), .def = 0, .min = 0, .max = INFINITY, .max_open = true, .when = "loss=huber",
     .doc = "Where the loss turns from squared to absolute, in units of the target; 0: the 0.9 "
            "quantile of |y - median|."},
    {P(growth), .def = SMR_BOOST_BY_LEAF, .choices = growths, .doc = "Which leaf to split next."},
    {P(max_leaves), .def = 31, .min = 0, .max = 1e6, .when = "growth=leaf",
     .search = SMR_SEARCH_LOG, .search_min = 4, .search_max = 255, .simpler = SMR_SIMPLER_LOW,
     .doc = "Maximum number of leaves per tree; 0: no limit."},
    {P(max_depth), .def = 0, .min = 0, .max = 1000, .simpler = SMR_SIMPLER_LOW,
     .doc = "Maximum depth of a tree; 0: no limit, or 6 with growth=level."},
    {P(min_leaf), .unset = true, .min = 0, .max = INFINITY, .max_open = true,
     .search = SMR_SEARCH_LOG, .search_min = 1, .search_max = 100, .simpler = SMR_SIMPLER_HIGH,
     .doc = "Minimum weight of the rows in a leaf; without weights, the number of rows; unset: for "
            "numbers 20, or a tenth of all rows where that is less, for classes 1."},
    {P(min_child), .def = 1, .min = 0, .max = INFINITY, .max_open = true,
     .simpler = SMR_SIMPLER_HIGH, .doc = "Minimum sum of the loss's second derivatives in a leaf."},
    {P(min_gain), .def = 0, .min = 0, .max = INFINITY, .max_open = true,
     .simpler = SMR_SIMPLER_HIGH,
     .doc = "Minimum reduction of the penalised objective (to second order) for a split."},
    {P(l1), .def = 0, .min = 0, .max = INFINITY, .max_open = true, .search = SMR_SEARCH_LOG,
     .search_min = 1e-3, .search_max = 100, .simpler = SMR_SIMPLER_HIGH,
     .doc = "Weight of the penalty |w|, where w is a leaf's value before shrinkage."},
    {P(l2), .def = 1, .min = 0, .max = INFINITY, .max_open = true, .search = SMR_SEARCH_LOG,
     .search_min = 1e-2, .search_max = 100, .simpler = SMR_SIMPLER_HIGH,
     .doc = "Weight of the penalty 1/2 w^2."},
    {P(sampling), .def = SMR_BOOST_UNIFORM, .choices = samplings,
     .doc = "How the rows of a round are sampled."},
    {P(rows), .def = 1, .min = 0, .max = 1, .min_open = true, .when = "sampling=uniform",
     .search = SMR_SEARCH_LINEAR, .search_min = 0.5, .search_max = 1,
     .doc = "Probability that a row is used in a round."},
    {P(top), .def = 0.2, .min = 0, .max = 1, .min_open = true, .max_open = true,
     .when = "sampling=goss",
     .doc = "With goss: the share of the rows with the largest gradients, all of which are used."},
    {P(other), .def = 0.1, .min = 0, .max = 1, .min_open = true, .max_open = true,
     .when = "sampling=goss",
     .doc = "With goss: the share of the other rows to sample; goss begins after 1 / rate rounds."},
    {P(columns), .def = 1, .min = 0, .max = 1, .min_open = true, .search = SMR_SEARCH_LINEAR,
     .search_min = 0.3, .search_max = 1, .doc = "Share of the features that each tree may use."},
    {P(features), .def = 1, .min = 0, .max = 1, .min_open = true,
     .doc = "Share of a tree's features that are tried at each node."},
    {P(smooth), .def = 10, .min = 0, .max = INFINITY, .max_open = true,
     .doc = "For categories: levels are ordered by G / (H + smooth), which keeps rare levels in "
            "the middle."},
    {P(monotone), .def_text = "",
     .doc = "Features that may only raise (+) or only lower (-) the score: \"+age,-price\"."},
    {P(max_bins), .def = 255, .min = 2, .max = SMR_BINS_MOST,
     .doc = "Maximum number of bins per feature: one per value, or of about equal weight."},
    {P(patience), .def = 0, .min = 0, .max = 1e6,
     .doc = "Early stopping: stop when the validation loss has not improved for this many rounds, "
            "and keep the rounds up to the best; 0: no early stopping."},
    {P(validation), .when = "patience>0", .def = 0.1, .min = 0, .max = 1, .min_open = true,
     .max_open = true, .doc = "Share of the rows set aside for early stopping."},
    {P(class_weight), .tasks = SMR_DOES_CLASSIFY, .def = SMR_CLASS_WEIGHT_NONE,
     .choices = smr_class_weights, .doc = "How the classes are weighted."},
};
#undef P

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    const struct smr_boost_params *p = params_;
    if (p->sampling == SMR_BOOST_GOSS && p->top + p->other > 1)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "boost: top and other are shares of the rows; together they are above 1");
    if (p->growth == SMR_BOOST_BY_LEAF && p->max_leaves == 1)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "boost: max_leaves=1 leaves no split; give 2 or more, or 0 for no limit");
    return SMR_OK;
}

/* ---- state ------------------------------------------------------------------------------ */

#define S(field_) SMR_KEPT(struct smr_boost_state, field_)
static const smr_state state[] = {
    {S(n_features), .is = "features", .min = 0, .doc = "Features."},
    {S(n_classes), .is = "classes", .min = 0, .doc = "Classes; 0 for numbers."},
    {.name = "n_base",
     .type = SMR_STATE_INT,
     .offset = offsetof(struct smr_boost_state, n_base),
     .min = 1,
     .is = "scores",
     .doc = "Scores of a row: 1, or one for each of more than two classes."},
    {S(loss), .min = SMR_BOOST_SQUARED, .max = SMR_BOOST_EXPONENTIAL,
     .doc =
         "1 squared, 2 absolute, 3 huber, 4 quantile, 5 poisson, 6 gamma, 7 logistic, 8 softmax, "
         "9 exponential."},
    {S(param), .doc = "delta of huber, q of quantile."},
    {S(n_rows), .doc = "Weight of the rows that trees were grown on."},
    {S(n_validation), .doc = "Weight of the rows that were kept apart."},
    {S(n_rounds), .min = 0, .doc = "Rounds that are kept."},
    {S(n_curve), .min = 0,
     .doc = "Number of losses: that of the constant, and one after each fitted round."},
    {S(base), .dims = {"n_base"}, .doc = "The constant that the trees add to."},
    {S(curve), .dims = {"n_curve"}, .doc = "Mean loss on the training rows."},
    {S(watched), .dims = {"n_curve"}, .optional = true, .doc = "Mean loss on the rows kept apart."},
    {S(gain), .dims = {"n_features"}, .doc = "Total gain of the splits by each feature."},
    {S(splits), .dims = {"n_features"}, .doc = "Number of splits by each feature."},
    {S(covered), .dims = {"n_features"},
     .doc = "Total weight of the rows that these splits divide."},
    SMR_TREES_STATE(struct smr_boost_state, trees),
};
#undef S

/* ---- predict ---------------------------------------------------------------------------- */

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_boost_state *s = state_;
    smr_status st = SMR_OK;
    bool classes = shape->n_classes > 0, of_classes = s->loss >= SMR_BOOST_LOGISTIC;
    int64_t k = s->n_base;
    (void)params_;
    if (classes != of_classes || s->trees.n_scores != k || s->trees.width != 1 ||
        (s->loss == SMR_BOOST_SOFTMAX) != (k > 1) || s->trees.is_shared)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "boost has %lld scores of its loss where the target needs %lld",
                        (long long)s->trees.n_scores, (long long)k);
    if (s->trees.n_trees != s->n_rounds * k)
        return smr_fail(ctx, SMR_ERR_FORMAT, "boost has %lld trees in %lld rounds",
                        (long long)s->trees.n_trees, (long long)s->n_rounds);
    TRY(smr_trees_check(ctx, "boost", &s->trees, shape));
out:
    return st;
}

static int64_t rounds(const void *params_, const void *state_)
{
    const struct smr_boost_state *s = state_;
    (void)params_;
    return s->n_rounds;
}

static int64_t scratch_of(const void *params_, const void *state_, int64_t n)
{
    const struct smr_boost_state *s = state_;
    (void)params_, (void)n;
    return smr_trees_scratch(s->n_features);
}

static smr_status predict_after(smr_ctx *ctx, const void *params_, const void *state_,
                                const smr_rows *rows, smr_output output, int64_t round, double *out,
                                void *scratch)
{
    const struct smr_boost_state *s = state_;
    int64_t k = s->n_base;
    (void)ctx, (void)params_;
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t c = 0; c < k; c++) out[i * k + c] = s->base[c];
    smr_trees_answer(&s->trees, rows, 0, round * k, out, scratch);
    if (s->loss == SMR_BOOST_POISSON || s->loss == SMR_BOOST_GAMMA) {
        smr_exp_f64(rows->n, out, out);
        return SMR_OK;
    }
    if (s->n_classes == 0) return SMR_OK;
    for (int64_t i = 0; i < rows->n && s->loss == SMR_BOOST_EXPONENTIAL; i++)
        if (output == SMR_OUTPUT_PROBA) out[i] *= 2; /* e^-yf: f is half the log odds */
    smr_classifier_spread(s->n_classes, rows->n, output, out);
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
    const struct smr_boost_state *s = state_;
    int64_t k = s->n_base, each = s->n_features + 1;
    (void)params_;
    *n_scores = k;
    if (!rows) return SMR_OK;
    for (int64_t i = 0; i < rows->n * k; i++) {
        for (int64_t j = 0; j < each; j++) out[i * each + j] = 0;
        out[i * each + each - 1] = s->base[i % k];
    }
    return smr_trees_shapley(ctx, &s->trees, rows, 0, s->trees.n_trees, out);
}

/* What the scores are measured in; NULL: the target's units. */
static const char *const units[] = {
    [SMR_BOOST_POISSON] = "log of the mean",
    [SMR_BOOST_GAMMA] = "log of the mean",
    [SMR_BOOST_LOGISTIC] = "log-odds",
    [SMR_BOOST_SOFTMAX] = "log-probability up to a constant",
    [SMR_BOOST_EXPONENTIAL] = "half the log-odds",
};

static smr_tree_view trees(const void *params_, const void *state_)
{
    const struct smr_boost_state *s = state_;
    (void)params_;
    return (smr_tree_view){
        .trees = &s->trees, .says = SMR_SAYS_SCORES, .base = s->base, .unit = units[s->loss]};
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "boost",
    .synonyms = "xgboost xgb lightgbm lgbm catboost gbm gbt gbdt gbrt gradient_boosting mart "
                "hist_gradient_boosting XGBClassifier XGBRegressor LGBMClassifier "
                "LGBMRegressor GradientBoostingClassifier GradientBoostingRegressor "
                "HistGradientBoostingClassifier HistGradientBoostingRegressor",
    .family = "trees",
    .title = "Gradient boosting",
    .brief = "Adds up small trees, each fitted to the errors of those before it.",
    .objective = "sum weight loss(y, f(x)) + sum over leaves (l1 |w| + l2 1/2 w^2), f = constant + "
                 "rate (tree + tree + ...)",
    .details =
        "Second-order boosting on histograms of at most max_bins bins per feature. A tree grows "
        "leaf by leaf, the one with the largest gain first, or level by level. Gradients are "
        "rounded to whole numbers before they are summed, so the same rows give the same bytes "
        "with any number of threads. Missing values go where they gain most; if training saw "
        "none, where most rows went. Categories are split into two sets of levels, ordered by G "
        "/ (H + smooth); above max_bins levels the rarest share a bin. Features that exclude "
        "each other (one-hot columns) share a column of the histogram, without loss. Sparse rows "
        "are used as they are if at most one cell in ten is not 0 (an absent cell is 0), and "
        "give the trees of a dense copy. Leaves of absolute, quantile and huber are refitted to "
        "the residuals of their rows, without penalties; those of poisson, gamma and exponential "
        "are exact minima. softmax takes k/(k-1) p(1-p) as the second derivative. For monotone "
        "features, the values below a split are bounded by the midpoint between its children. "
        "Early stopping sets a share of the rows apart (groups whole, classes evenly) and keeps "
        "the rounds with the smallest validation loss. The fit ends early if no split gains. "
        "Ties go to the lower feature, then the lower cut. Importances: gain, number of splits, "
        "and cover, the rows that the splits divide.",
    .reference = "Friedman, Ann. Stat. 29 (2001); Chen & Guestrin, KDD (2016); Ke et al., NIPS "
                 "(2017)",
    .example = "samara train \"boost 50 rate=0.2\" data/breast_cancer.csv --target diagnosis",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_boost_params),
    .check_params = check_params,
};

static const smr_can_grow grows = {
    .count = rounds,
    .predict_after = predict_after,
};

static const double *gains(const void *params_, const void *state_)
{
    const struct smr_boost_state *s = state_;
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
    .state_size = sizeof(struct smr_boost_state),
    .gives = SMR_GIVES_VALUE | SMR_GIVES_PROBA | SMR_GIVES_DECISION,
    .prepare = smr_trees_prepare_state,
    .check = check,
    .release = smr_trees_release_state,
    .predict = predict,
    .scratch = scratch_of,
    .describe = smr_boost_describe,
    .draw = smr_boost_figures,
    .rounds = &grows,
    .explain = &explains,
};

static const char *judge_by(const void *params_)
{
    const struct smr_boost_params *p = params_;
    switch (p->loss) {
    case SMR_BOOST_ABSOLUTE: return "mae";
    case SMR_BOOST_QUANTILE: return smr_pinball_at(p->q);
    case SMR_BOOST_POISSON: return "poisson_deviance";
    case SMR_BOOST_GAMMA: return "gamma_deviance";
    default: return NULL;
    }
}

static const smr_comparing compared = {.measure = judge_by};

const smr_learner smr_boost = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS,
    .takes = SMR_TAKES_F64 | SMR_TAKES_F32 | SMR_TAKES_U8 | SMR_TAKES_SPARSE | SMR_TAKES_CODES |
             SMR_TAKES_MISSING | SMR_TAKES_WEIGHTS,
    .fit = SMR_TRAINING(smr_boost_fit),
    .resume = SMR_TRAINING(&smr_boost_resume),
    .comparing = SMR_TRAINING(&compared),
    .fitted = &fitted,
};
