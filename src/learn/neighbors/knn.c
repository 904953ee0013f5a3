/* knn.c -- k nearest neighbours: classification by vote, regression by mean.
 *
 * For a query q, let N be the k training rows nearest to it.  With v_i = 1 (uniform) or
 * v_i = 1 / dist(q, x_i) (distance),
 *
 *     P(class c) = sum_{i in N, label c} v_i / sum_{i in N} v_i                             (1)
 *     value      = sum_{i in N} v_i y_i      / sum_{i in N} v_i                             (2)
 *
 * Without a target (the task outliers) a row's score is
 *
 *     score(q) = -(distance at which the weights of the nearest other rows fill k places)    (3)
 *
 * Of rows at distance 0 the weight 1 is taken for the query itself, so that a training row has the
 * score that it has among the others.
 *
 * Search is exact: N is what exact arithmetic on the stored values gives (points.h).  Rows at the
 * same distance are taken in the order of their numbers.  Votes of the same weight go to the class
 * that comes first.  With distance weights and some distance 0, only the rows at distance 0 vote.
 *
 * Weight 2 means the row twice: it takes two of the k places.  In general rows are taken in the
 * order of their distance until their weights fill k places; the last counts with what is left.
 * When all training rows together weigh less than k, all of them vote, and fit warns.
 *
 * The rows are kept in bytes, float or double, whichever holds all values exactly.  A query may
 * come in any of these forms, whatever the model's: bytes meet bytes as integers, and a wider
 * query meets narrower rows in double.  Both give the same neighbours, so a pipeline may deliver
 * what it has; it is asked for the model's own form, and gives a wider one where the data are
 * wider.
 *
 * The rows are laid out as the search reads them (layout.h), in the state and in the model file:
 * panels for products, or groups of 16 in the order of a tree.
 *
 * Cost: fit copies (brute, n d) or sorts into a tree (n log n); prepare makes a pass or two over
 * the rows.  A query costs n d multiply-adds by brute force, about log n by a tree.
 * Memory: the rows once, and a number or two for each; boxes of the tree, an eighth of the rows.
 *
 * Symbols: n training rows, d features, q query, x_i rows, y_i targets.
 * Reference: Cover & Hart, IEEE Trans. Information Theory 13(1):21-27, 1967. */
#include "learn/neighbors/knn.h"

#include <math.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

const smr_choice smr_knn_metrics[] = {
    [SMR_METRIC_EUCLIDEAN] = {"euclidean", "the length of the difference"},
    [SMR_METRIC_MANHATTAN] = {"manhattan", "the sum of the differences' magnitudes"},
    [SMR_METRIC_CHEBYSHEV] = {"chebyshev", "the largest difference"},
    [SMR_METRIC_MINKOWSKI] = {"minkowski", "(sum |difference|^p)^(1/p)"},
    [SMR_METRIC_COSINE] = {"cosine", "1 - cos of the angle between the rows"},
    {NULL, NULL},
};

static const smr_choice weights[] = {
    [SMR_KNN_UNIFORM] = {"uniform", "all k neighbours count the same"},
    [SMR_KNN_DISTANCE] = {"distance", "a neighbour counts by the inverse of its distance"},
    {NULL, NULL},
};

const smr_choice smr_knn_algorithms[] = {
    [SMR_KNN_AUTO] = {"auto", "the tree for few features, else brute"},
    [SMR_KNN_BRUTE] = {"brute", "compare with every row, by blocked products"},
    [SMR_KNN_TREE] = {"tree", "a space-partitioning tree"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct smr_knn_params, k), .def = 5, .min = 1, .max = SMR_MAX_DIM, .primary = true,
     .search = SMR_SEARCH_LOG, .search_min = 1, .search_max = 100, .simpler = SMR_SIMPLER_HIGH,
     .doc = "Number of neighbours. Best odd for two classes, and below the square root of the "
            "number of rows."},
    SMR_KNN_METRIC_ROWS,
    {SMR_FIELD(struct smr_knn_params, weight), .def = SMR_KNN_UNIFORM, .choices = weights,
     .search = SMR_SEARCH_VALUES, .tasks = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS,
     .doc = "How much each neighbour counts."},
    {SMR_FIELD(struct smr_knn_params, algorithm), .def = SMR_KNN_AUTO,
     .choices = smr_knn_algorithms,
     .doc = "How neighbours are searched; the results are the same."},
};

/* ---- state ------------------------------------------------------------------------------ */

static const smr_state state[] = {
    {SMR_KEPT(struct smr_knn_state, n), .min = 1, .doc = "Training rows."},
    {SMR_KEPT(struct smr_knn_state, d), .is = "features", .min = 1, .doc = "Features."},
    {SMR_KEPT(struct smr_knn_state, n_classes), .is = "classes",
     .doc = "Classes; 0 for regression."},
    {SMR_KEPT(struct smr_knn_state, n_outputs), .is = "targets",
     .doc = "Targets; 0 for classification."},
    SMR_KNN_STATE_ROWS,
    {SMR_KEPT(struct smr_knn_state, label), .with = "n_classes", .below = "n_classes",
     .dims = {"n"}, .optional = true, .doc = "Class number of each row."},
    {SMR_KEPT(struct smr_knn_state, y), .with = "n_outputs", .dims = {"n", "n_outputs"},
     .optional = true, .doc = "Targets of each row."},
    {SMR_KEPT(struct smr_knn_state, weight), .reals = SMR_REALS_ABOVE_0, .dims = {"n"},
     .optional = true, .doc = "Weight of each row, when they are not all 1."},
};

static const smr_word about = {
    .name = "knn",
    .synonyms = "neighbors neighbours kneighbors KNeighborsClassifier KNeighborsRegressor",
    .family = "neighbors",
    .title = "k nearest neighbours",
    .brief = "Lets the k nearest training rows vote, or averages their targets.",
    .objective = "P(c) = sum v_i [y_i = c] / sum v_i, or value = sum v_i y_i / sum v_i, over the k "
                 "nearest rows; v_i = 1 or 1/distance",
    .details =
        "The neighbours are exact: rows at the same distance are taken in the order of their "
        "numbers, and tied votes go to the class that comes first. With distance weights, rows "
        "at distance 0 vote alone. A row of weight 2 takes two of the k places. If k exceeds the "
        "number of training rows, all of them vote. Give features comparable scales first: "
        "standardize | knn. The model holds the training rows. auto takes the tree for up to 10 "
        "features, from 65536 rows on up to 12 (chebyshev: 16 and 20), otherwise brute force; "
        "both give the same predictions. With --task outliers a row's score is "
        "its distance to the k-th nearest other row, negated.",
    .reference = "Cover & Hart, Nearest neighbor pattern classification, IEEE Trans. Information "
                 "Theory 13 (1967) 21-27",
    .example = "samara train \"standardize | knn 5\" data/iris.csv --target species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_knn_params),
};

/* ---- fit -------------------------------------------------------------------------------- */

/* Targets and weights of the rows with a weight above zero, in order. */
static void keep_targets(const smr_data *data, struct smr_knn_state *s, double *total)
{
    int64_t at = 0, t = s->n_outputs;
    *total = 0;
    for (int64_t i = 0; i < data->n_rows; i++) {
        double weight = smr_data_weight(data, i);
        if (!(weight > 0)) continue;
        if (s->label) s->label[at] = data->label[i];
        if (s->y) memcpy(s->y + at * t, data->y + i * t, (size_t)t * sizeof *s->y);
        if (s->weight) s->weight[at] = weight;
        *total += weight;
        at++;
    }
}

static void count_rows(const smr_data *data, int64_t *n, bool *weighted)
{
    *n = 0;
    *weighted = false;
    for (int64_t i = 0; i < data->n_rows; i++) {
        double weight = smr_data_weight(data, i);
        *n += weight > 0;
        *weighted = *weighted || (weight > 0 && weight != 1);
    }
}

smr_status smr_knn_fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                       smr_fit_report *report)
{
    const struct smr_knn_params *p = params_;
    struct smr_knn_state *s = state_;
    smr_status st = SMR_OK;
    const char *who = s->who = report->learner->word->name;
    bool weighted;
    double total;

    count_rows(data, &s->n, &weighted);
    if (s->n == 0) return smr_fail(ctx, SMR_ERR_DATA, "%s: there are no training rows", who);
    if (data->task == SMR_TASK_NONE)
        return smr_fail(ctx, SMR_ERR_PARAM, "%s: there is no target to learn; name its column",
                        who);
    if (s->n > SMR_MAX_DIM || data->n_features > SMR_MAX_DIM)
        return smr_fail(ctx, SMR_ERR_SHAPE, "%s: %lld rows of %lld features are too many", who,
                        (long long)s->n, (long long)data->n_features);
    s->d = data->n_features;
    bool classify = data->task == SMR_TASK_CLASSIFY;
    bool learns = data->task != SMR_TASK_OUTLIERS;
    s->n_classes = classify ? data->n_classes : 0;
    s->n_outputs = classify || !learns ? 0 : data->n_outputs;
    TRY(smr_knn_keep_rows(ctx, data, smr_knn_plan_of(p, s->n, s->d), s));
    if (classify)
        TRY_NEW(s->label, s->n);
    else if (learns)
        TRY_NEW(s->y, s->n * s->n_outputs);
    if (weighted) TRY_NEW(s->weight, s->n);
    keep_targets(data, s, &total);
    if (total < (double)p->k)
        smr_warn(ctx, "%s: k is %lld, but there are only %lld training rows%s; all of them %s", who,
                 (long long)p->k, (long long)s->n, weighted ? ", weighing less than that" : "",
                 learns ? "vote" : "count");
    report->objective = NAN;
    report->converged = true;
out:
    return st;
}

/* ---- loading ---------------------------------------------------------------------------- */

/* Every row has one place. */
static smr_status check_order(smr_ctx *ctx, const char *who, const struct smr_knn_state *s)
{
    smr_status st = SMR_OK;
    bool *seen = NULL;
    TRY_NEW(seen, s->n);
    for (int64_t i = 0; i < s->n; i++) {
        int32_t row = s->order[i];
        if (seen[row])
            TRY(smr_fail(ctx, SMR_ERR_FORMAT,
                         "%s: the order of the rows is not a permutation: place %lld has %d", who,
                         (long long)i, (int)row));
        seen[row] = true;
    }
out:
    smr_free(seen);
    return st;
}

smr_status smr_knn_check_rows(smr_ctx *ctx, const char *who, const struct smr_knn_params *p,
                              const struct smr_knn_state *s)
{
    struct smr_knn_plan plan = smr_knn_plan_of(p, s->n, s->d);
    if (!!s->x_u8 + !!s->x_f32 + !!s->x_f64 != 1)
        return smr_fail(ctx, SMR_ERR_FORMAT, "%s: the training rows must be there in one form",
                        who);
    smr_layout l = smr_knn_layout(s, plan);
    if (l.groups != s->groups || l.steps != s->steps || l.lane != s->lane)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "%s: %lld rows of %lld features are not laid out as %lld x %lld x %lld",
                        who, (long long)s->n, (long long)s->d, (long long)s->groups,
                        (long long)s->steps, (long long)s->lane);
    if (!smr_layout_sound(&l, smr_knn_rows(s)))
        return smr_fail(
            ctx, SMR_ERR_FORMAT,
            "%s: a training value is not a finite number, or not zero where it is padding", who);
    if (!!s->order != plan.by_tree)
        return smr_fail(ctx, SMR_ERR_FORMAT, "%s: the rows must be in order for the tree only",
                        who);
    return s->order ? check_order(ctx, who, s) : SMR_OK;
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_knn_state *s = state_;
    if ((s->label && s->y) || (shape->task != SMR_TASK_OUTLIERS) != (s->label || s->y))
        return smr_fail(ctx, SMR_ERR_FORMAT, "knn: either classes or targets must be there");
    return smr_knn_check_rows(ctx, about.name, params_, s);
}

static smr_status prepare(smr_ctx *ctx, const void *params_, void *state_)
{
    ((struct smr_knn_state *)state_)->who = about.name;
    return smr_knn_prepare(ctx, params_, state_);
}

/* ---- describe --------------------------------------------------------------------------- */

static void describe_search(const struct smr_knn_state *s, smr_json *into)
{
    const struct smr_knn_search *search = s->search;
    static const char *const forms[] = {"double", "float", "byte"};
    static const int64_t sizes[] = {8, 4, 1};
    smr_form form = search->points.layout.form;
    int64_t size = sizes[form];
    smr_json_add_string(into, "algorithm", search->by_tree ? "tree" : "brute");
    smr_json_add_string(into, "stored_as", forms[form]);
    smr_json_add_number(into, "stored_bytes", (double)(s->n * s->d * size));
    smr_json_add_number(into, "search_bytes",
                        (double)(search->by_tree ? search->tree.bytes : search->brute.bytes));
    if (!search->by_tree) return;
    smr_json *tree = smr_json_add_object(into, "tree");
    smr_json_add_number(tree, "leaves", (double)search->tree.n_leaves);
    smr_json_add_number(tree, "points_in_a_leaf", SMR_NEAR_GROUP);
    smr_json_add_number(tree, "levels", (double)search->tree.n_levels);
}

smr_status smr_knn_describe(smr_ctx *ctx, const void *params_, const void *state_,
                            const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_knn_params *p = params_;
    const struct smr_knn_state *s = state_;
    smr_status st = SMR_OK;
    double *count = NULL;
    (void)in, (void)n_in;
    smr_json_add_number(into, "rows", (double)s->n);
    smr_json_add_number(into, "features", (double)s->d);
    smr_json_add_number(into, "k", (double)p->k);
    smr_json_add_string(into, "metric", smr_knn_metrics[p->metric].name);
    if (s->search) describe_search(s, into);
    if (s->label) {
        TRY_NEW(count, s->n_classes);
        for (int64_t i = 0; i < s->n; i++) count[s->label[i]] += s->weight ? s->weight[i] : 1;
        smr_json *list = smr_json_add_array(into, "class_weights");
        for (int64_t c = 0; c < s->n_classes; c++) smr_json_add_number(list, NULL, count[c]);
    }
out:
    smr_free(count);
    return st;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static unsigned gives_with(const void *params_, const void *state_)
{
    const struct smr_knn_state *s = state_;
    (void)params_;
    return s->label ? SMR_GIVES_PROBA : s->y ? SMR_GIVES_VALUE : SMR_GIVES_SCORE;
}

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_knn_state),
    .gives = SMR_GIVES_VALUE | SMR_GIVES_PROBA | SMR_GIVES_SCORE,
    .gives_with = gives_with,
    .prepare = prepare,
    .check = check,
    .release = smr_knn_release,
    .predict = smr_knn_predict,
    .scratch = smr_knn_scratch,
    .form = smr_knn_form,
    .block_rows = SMR_KNN_BATCH,
    .describe = smr_knn_describe,
};

static const smr_can_trace traces = {.shows = "the neighbours of a row, the nearest first",
                                     .answer = smr_knn_trace};

const smr_learner smr_knn = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS | SMR_DOES_OUTLIERS,
    .takes =
        SMR_TAKES_F64 | SMR_TAKES_F32 | SMR_TAKES_U8 | SMR_TAKES_WEIGHTS | SMR_TAKES_MANY_TARGETS,
    .traits = SMR_SCALE_MATTERS | SMR_KEEPS_DATA,
    .fit = SMR_TRAINING(smr_knn_fit),
    .fitted = &fitted,
    .trace = SMR_TRAINING(&traces),
};
