/* tree.c -- a decision tree: questions about one feature at a time, and an answer at each leaf.
 *
 * At each node, from the root on, the split is taken that makes
 *
 *     gain = impurity(node) - sum over children of weight(child) / weight(node) impurity(child)
 *
 * largest, with the impurity gini 1 - sum p^2, entropy -sum p log2 p, misclassification
 * 1 - max p, variance, or mean absolute distance from the median.  Leaves say the classes' shares,
 * the mean, or the median.  tree_split.c: thresholds; tree_category.c: categories; tree_absolute.c:
 * medians; tree_codes.c: how features are read; tree_grow.c: in what order; tree_prune.c and
 * tree_cost.c: what is cut back.
 *
 * References: Breiman, Friedman, Olshen & Stone, Classification and Regression Trees, 1984;
 * Quinlan, Mach. Learn. 1 (1986) (ID3); Quinlan, C4.5, 1993. */
#include "learn/trees/tree.h"

#include "learn/trees/shapley.h"

/* ---- parameters ------------------------------------------------------------------------- */

const smr_choice smr_tree_criteria[] = {
    [SMR_TREE_AUTO] = {"auto", "gini for classes, squared for numbers"},
    [SMR_TREE_GINI] = {"gini", "1 - sum p^2"},
    [SMR_TREE_ENTROPY] = {"entropy", "-sum p log2 p: information gain"},
    [SMR_TREE_ERROR] = {"error", "1 - max p: misclassification; among equal splits gini decides"},
    [SMR_TREE_GAIN_RATIO] = {"gain_ratio",
                             "information gain over the split's own information (C4.5)"},
    [SMR_TREE_SQUARED] = {"squared", "squared error around the mean"},
    [SMR_TREE_ABSOLUTE] = {"absolute", "absolute error around the median"},
    {NULL, NULL},
};

const smr_choice smr_tree_category_ways[] = {
    [SMR_TREE_BINARY] = {"binary", "two sets of levels (CART)"},
    [SMR_TREE_MULTIWAY] = {"multiway", "a child for each level (ID3, C4.5)"},
    {NULL, NULL},
};

const smr_choice smr_tree_missing_ways[] = {
    [SMR_TREE_DIRECTION] = {"direction", "to the child where they gain most"},
    [SMR_TREE_FRACTION] = {"fraction", "to all children, each with its share of the row (C4.5)"},
    {NULL, NULL},
};

const smr_choice smr_tree_searches[] = {
    [SMR_TREE_SEARCH_AUTO] = {"auto", "exact up to 1,000,000 rows, else histogram"},
    [SMR_TREE_EXACT] = {"exact", "between any two values"},
    [SMR_TREE_HISTOGRAM] = {"histogram", "between at most 255 bins; exact for up to 255 values"},
    {NULL, NULL},
};

static const smr_choice ties[] = {
    [SMR_TREE_TIES_FIRST] = {"first", "the lower feature"},
    [SMR_TREE_TIES_RANDOM] = {"random", "any of them, by the seed"},
    {NULL, NULL},
};

static const smr_choice prunings[] = {
    [SMR_TREE_PRUNE_NONE] = {"none", "no pruning"},
    [SMR_TREE_REDUCED] = {"reduced", "reduced-error pruning on held-out rows"},
    [SMR_TREE_PESSIMISTIC] = {"pessimistic",
                              "pruning by upper confidence limits of the errors (C4.5)"},
    [SMR_TREE_COST] = {"cost", "cost-complexity pruning (CART)"},
    {NULL, NULL},
};

typedef struct smr_tree_params params_t;

static const smr_param params[] = {
    {SMR_FIELD(params_t, max_depth), .def = 0, .min = 0, .max = SMR_MAX_DIM, .primary = true,
     .search = SMR_SEARCH_LINEAR, .search_min = 1, .search_max = 20, .simpler = SMR_SIMPLER_LOW,
     .doc = "Maximum depth: questions on the way to a leaf; 0: no limit."},
    {SMR_FIELD(params_t, criterion), .def = SMR_TREE_AUTO, .choices = smr_tree_criteria,
     .doc = "The impurity that a split minimises."},
    {SMR_FIELD(params_t, max_leaves), .def = 0, .min = 0, .max = SMR_MAX_DIM,
     .simpler = SMR_SIMPLER_LOW,
     .doc = "Maximum number of leaves; splits are then made by largest gain first. 0: no limit."},
    {SMR_FIELD(params_t, min_split), .def = 0, .min = 0, .max = INFINITY,
     .simpler = SMR_SIMPLER_HIGH,
     .doc = "Minimum weight of a node to be split (without weights: number of rows)."},
    {SMR_FIELD(params_t, min_leaf), .def = 0, .min = 0, .max = INFINITY, .search = SMR_SEARCH_LOG,
     .search_min = 1, .search_max = 100, .simpler = SMR_SIMPLER_HIGH,
     .doc = "Minimum weight of each child; 0: any row will do. In a multiway split, two children "
            "must reach it."},
    {SMR_FIELD(params_t, min_gain), .def = 0, .min = 0, .max = INFINITY,
     .simpler = SMR_SIMPLER_HIGH,
     .doc = "Minimum gain of a split. With 0, nodes are split as long as their rows differ, even "
            "if nothing is gained yet, as in XOR."},
    {SMR_FIELD(params_t, chi2), .tasks = SMR_DOES_CLASSIFY, .def = 0, .min = 0, .max = 1,
     .doc = "Significance level of a chi-square test that children and classes are independent; "
            "splits with a larger p value are not made. 0: no test."},
    {SMR_FIELD(params_t, categories), .def = SMR_TREE_BINARY, .choices = smr_tree_category_ways,
     .doc = "How categories are split."},
    {SMR_FIELD(params_t, missing), .def = SMR_TREE_DIRECTION, .choices = smr_tree_missing_ways,
     .doc = "Where rows with a gap go."},
    {SMR_FIELD(params_t, class_weight), .tasks = SMR_DOES_CLASSIFY, .def = SMR_CLASS_WEIGHT_NONE,
     .choices = smr_class_weights, .doc = "How the classes are weighted."},
    {SMR_FIELD(params_t, search), .def = SMR_TREE_SEARCH_AUTO, .choices = smr_tree_searches,
     .doc = "Where to look for thresholds."},
    {SMR_FIELD(params_t, ties), .def = SMR_TREE_TIES_FIRST, .choices = ties,
     .doc = "Which of several features with the same gain to use."},
    {SMR_FIELD(params_t, prune), .def = SMR_TREE_PRUNE_NONE, .choices = prunings,
     .doc = "How the grown tree is pruned."},
    {SMR_FIELD(params_t, share), .def = 0.25, .min = 0, .max = 1, .min_open = true,
     .max_open = true, .when = "prune=reduced", .doc = "Share of the rows held out for pruning."},
    {SMR_FIELD(params_t, confidence), .def = 0.25, .min = 0, .max = 0.5, .min_open = true,
     .when = "prune=pessimistic",
     .doc = "Confidence level of pessimistic pruning; smaller values prune more."},
    {SMR_FIELD(params_t, alpha), .def = -1, .min = -1, .max = INFINITY, .when = "prune=cost",
     .simpler = SMR_SIMPLER_HIGH,
     .doc = "Reduction of impurity that each leaf must be worth; negative: chosen by "
            "cross-validation."},
    {SMR_FIELD(params_t, folds), .def = 5, .min = 2, .max = 1000, .when = "prune=cost&alpha=-1",
     .doc = "Folds of that cross-validation."},
    {SMR_FIELD(params_t, one_se), .def = true, .when = "prune=cost&alpha=-1",
     .doc = "Choose the simplest tree within one standard error of the best."},
};

/* ---- state ------------------------------------------------------------------------------ */

typedef struct smr_tree_state state_t;

static const smr_state state[] = {
    SMR_TREES_STATE(state_t, trees),
    {SMR_KEPT(state_t, n_features), .is = "features", .doc = "Features."},
    {SMR_KEPT(state_t, n_classes), .is = "classes", .doc = "Classes; 0 for regression."},
    {SMR_KEPT(state_t, n_outputs), .is = "targets", .doc = "Targets; 0 for classification."},
    {SMR_KEPT(state_t, criterion), .min = SMR_TREE_GINI, .max = SMR_TREE_ABSOLUTE,
     .doc = "1 gini, 2 entropy, 3 error, 4 gain_ratio, 5 squared, 6 absolute."},
    {SMR_KEPT(state_t, n_rounded), .doc = "Features whose thresholds lie between bins."},
    {SMR_KEPT(state_t, grown_leaves), .doc = "Leaves before pruning."},
    {SMR_KEPT(state_t, impurity), .doc = "Impurity of all rows."},
    {SMR_KEPT(state_t, gain), .dims = {"n_features"}, .doc = "Sums of the gains, by weight."},
    {SMR_KEPT(state_t, alpha), .doc = "Penalty per leaf that was used."},
    {SMR_KEPT(state_t, n_path), .doc = "Trees of the pruning sequence; 0 without."},
    {SMR_KEPT(state_t, path_alpha), .with = "n_path", .dims = {"n_path"}, .optional = true,
     .doc = "Penalty from which each of these trees is best."},
    {SMR_KEPT(state_t, path_leaves), .with = "n_path", .dims = {"n_path"}, .optional = true,
     .doc = "Leaves of each."},
    {SMR_KEPT(state_t, path_impurity), .with = "n_path", .dims = {"n_path"}, .optional = true,
     .doc = "Mean impurity of each."},
    {SMR_KEPT(state_t, path_error), .dims = {"n_path"}, .optional = true,
     .doc = "Cross-validated loss of each."},
    {SMR_KEPT(state_t, path_se), .with = "path_error", .dims = {"n_path"}, .optional = true,
     .doc = "Standard error of that."},
};

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const state_t *s = state_;
    int64_t width = s->n_classes + s->n_outputs;
    (void)params_;
    if (s->trees.width != width || s->trees.n_scores != width || s->trees.n_trees != 1)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "the model file is damaged: %s has %lld trees of %lld answers, not 1 of "
                        "%lld",
                        shape->learner->word->name, (long long)s->trees.n_trees,
                        (long long)s->trees.width, (long long)width);
    return smr_trees_check(ctx, shape->learner->word->name, &s->trees, shape);
}

/* ---- fit -------------------------------------------------------------------------------- */

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    return smr_tree_fit(ctx, params_, data, state_, report);
}

/* ---- predict ---------------------------------------------------------------------------- */

static unsigned gives_with(const void *params_, const void *state_)
{
    const state_t *s = state_;
    (void)params_;
    return s->n_classes > 0 ? SMR_GIVES_PROBA : SMR_GIVES_VALUE;
}

/* A value is compared as it is: the narrowest form will do, and none is converted. */
static smr_form form(const void *state_)
{
    (void)state_;
    return SMR_FORM_U8;
}

static int64_t scratch_for(const void *params_, const void *state_, int64_t n)
{
    const state_t *s = state_;
    (void)params_, (void)n;
    return smr_trees_scratch(s->n_features);
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const state_t *s = state_;
    (void)ctx, (void)params_, (void)output;
    for (int64_t i = 0; i < rows->n * s->trees.n_scores; i++) out[i] = 0;
    smr_trees_answer(&s->trees, rows, 0, 1, out, scratch);
    return SMR_OK;
}

static smr_tree_view view_of(const void *params_, const void *state_)
{
    const state_t *s = state_;
    (void)params_;
    return (smr_tree_view){.trees = &s->trees,
                           .says = s->n_classes > 0 ? SMR_SAYS_SHARES : SMR_SAYS_VALUES};
}

static smr_status shapley(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, int64_t *n_scores, double *out)
{
    const state_t *s = state_;
    (void)params_;
    *n_scores = s->trees.n_scores;
    if (!rows) return SMR_OK;
    for (int64_t i = 0; i < rows->n * *n_scores * (s->n_features + 1); i++) out[i] = 0;
    return smr_trees_shapley(ctx, &s->trees, rows, 0, 1, out);
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "tree",
    .synonyms = "cart id3 c45 c4.5 j48 rpart decision_tree DecisionTreeClassifier "
                "DecisionTreeRegressor",
    .family = "trees",
    .title = "Decision tree",
    .brief =
        "Asks about one feature at a time; the leaf that a row ends up in gives the prediction.",
    .objective = "at each node the split with the largest impurity(node) - sum weight(child) / "
                 "weight(node) impurity(child)",
    .details =
        "Grows greedily from the root until the rows of a node agree, have no feature that "
        "differs, or a limit is reached, and is then pruned if asked. Thresholds lie halfway "
        "between two values of the data. Of equal gains the lower feature is taken (ties=random: "
        "any), then the lower threshold. A feature with at most 255 values is searched by "
        "histogram, which finds the exact split; others by sorting up to 1,000,000 rows, beyond "
        "that between 255 bins. Sparse rows are searched as they are if at most one cell in ten "
        "is not 0 (an absent cell is 0), and give the tree of a dense copy; not with categories, "
        "absolute error or missing=fraction. Sets of levels are optimal for two classes, for "
        "squared error, and for more classes with up to 8 levels in a node; otherwise the best "
        "along the order of one class's share is taken. A feature with more than 1024 levels is "
        "tried only in nodes of at least levels / 32 rows. A value that is missing only when "
        "predicting, or a level that a node has not seen, goes to the heavier child. Weights and "
        "targets are whole numbers internally, so that sums are exact and neither the order of "
        "the rows nor the threads change the tree. Cost: about n log n per feature and level.",
    .reference = "Breiman, Friedman, Olshen & Stone, Classification and Regression Trees (1984); "
                 "Quinlan, C4.5 (1993)",
    .example = "samara train \"tree prune=cost\" data/iris.csv --target species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(params_t),
};

static const double *gains(const void *params_, const void *state_)
{
    const state_t *s = state_;
    (void)params_;
    return s->gain;
}

static const smr_can_explain explains = {
    .importances = gains,
    .shapley = shapley,
    .trees = view_of,
};

const smr_fitted smr_tree_fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(state_t),
    .gives = SMR_GIVES_VALUE | SMR_GIVES_PROBA,
    .gives_with = gives_with,
    .prepare = smr_trees_prepare_state,
    .check = check,
    .release = smr_trees_release_state,
    .predict = predict,
    .scratch = scratch_for,
    .form = form,
    .describe = smr_tree_describe,
    .draw = smr_tree_figures,
    .explain = &explains,
};

static const smr_can_trace traces = {.shows = "what each question would gain at each node"};

static const char *judge_by(const void *params_)
{
    return ((const params_t *)params_)->criterion == SMR_TREE_ABSOLUTE ? "mae" : NULL;
}

static const smr_comparing compared = {.measure = judge_by};

const smr_learner smr_tree = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS,
    .takes = SMR_TAKES_F64 | SMR_TAKES_F32 | SMR_TAKES_U8 | SMR_TAKES_SPARSE | SMR_TAKES_CODES |
             SMR_TAKES_MISSING | SMR_TAKES_WEIGHTS | SMR_TAKES_MANY_TARGETS,
    .fit = SMR_TRAINING(fit),
    .fitted = &smr_tree_fitted,
    .trace = SMR_TRAINING(&traces),
    .comparing = SMR_TRAINING(&compared),
};
