/* stump.c -- one question: the tree of depth 1.
 *
 *     sign(theta_1 (x_k - theta_0))
 *
 * for two classes and a number x_k: k and theta_0 are the best split, theta_1 is the side on which
 * the last class weighs more.  It is the learner that boosting is mostly made of; fitted again and
 * again on the same rows with other weights it finds its features sorted in data->shared, and costs
 * one pass over them.
 *
 * Reference: Iba & Langley, Induction of one-level decision trees, ICML 1992. */
#include "learn/trees/tree.h"

typedef struct smr_stump_params params_t;

static const smr_param params[] = {
    {SMR_FIELD(params_t, criterion), .def = SMR_TREE_AUTO, .choices = smr_tree_criteria,
     .doc = "The impurity that the split minimises."},
    {SMR_FIELD(params_t, min_leaf), .def = 0, .min = 0, .max = INFINITY,
     .simpler = SMR_SIMPLER_HIGH, .doc = "Minimum weight of each side; 0: any row will do."},
    {SMR_FIELD(params_t, categories), .def = SMR_TREE_BINARY, .choices = smr_tree_category_ways,
     .doc = "How categories are split."},
    {SMR_FIELD(params_t, missing), .def = SMR_TREE_DIRECTION, .choices = smr_tree_missing_ways,
     .doc = "Where rows with a gap go."},
    {SMR_FIELD(params_t, class_weight), .tasks = SMR_DOES_CLASSIFY, .def = SMR_CLASS_WEIGHT_NONE,
     .choices = smr_class_weights, .doc = "How the classes are weighted."},
    {SMR_FIELD(params_t, search), .def = SMR_TREE_SEARCH_AUTO, .choices = smr_tree_searches,
     .doc = "Where to look for thresholds."},
};

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state,
                      smr_fit_report *report)
{
    const params_t *p = params_;
    struct smr_tree_params tree = {.criterion = p->criterion,
                                   .max_depth = 1,
                                   .min_leaf = p->min_leaf,
                                   .categories = p->categories,
                                   .missing = p->missing,
                                   .class_weight = p->class_weight,
                                   .search = p->search};
    return smr_tree_fit(ctx, &tree, data, state, report);
}

static const smr_word about = {
    .name = "stump",
    .family = "trees",
    .title = "Decision stump",
    .brief = "A tree with a single split: one question about one feature.",
    .objective = "the split with the largest impurity(all) - sum weight(child) / weight(all) "
                 "impurity(child)",
    .details =
        "For two classes and a number it is sign(theta1 (x_k - theta0)). Everything else is as "
        "for tree with max_depth=1. As the member of adaboost it sorts the features once, and "
        "each round costs one pass.",
    .reference = "Iba & Langley, Induction of one-level decision trees, ICML (1992)",
    .example = "samara train stump data/breast_cancer.csv --target diagnosis",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(params_t),
};

static const smr_can_trace traces = {.shows = "what each question would gain at each node"};

static const char *judge_by(const void *params_)
{
    return ((const params_t *)params_)->criterion == SMR_TREE_ABSOLUTE ? "mae" : NULL;
}

static const smr_comparing compared = {.measure = judge_by};

const smr_learner smr_stump = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS,
    .takes = SMR_TAKES_F64 | SMR_TAKES_F32 | SMR_TAKES_U8 | SMR_TAKES_SPARSE | SMR_TAKES_CODES |
             SMR_TAKES_MISSING | SMR_TAKES_WEIGHTS | SMR_TAKES_MANY_TARGETS,
    .fit = SMR_TRAINING(fit),
    .fitted = &smr_tree_fitted,
    .trace = SMR_TRAINING(&traces),
    .comparing = SMR_TRAINING(&compared),
};
