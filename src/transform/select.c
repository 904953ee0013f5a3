/* select.c -- keeps the features that matter for the target, and drops the others.
 *
 *     correlation  |r| with the target; for classes, the correlation ratio (analysis of variance);
 *                  for categories, the correlation ratio or Cramer's V: select_filter.c
 *     gain         what the feature, in bins, tells about the class, in bits: select_gain.c
 *     weight       the largest |weight| in a linear learner, of standardised features
 *     l1           not 0 in a linear or logistic fit with the penalty l1 |w|_1: select_linear.c
 *     forward, backward, exhaustive
 *                  search: subsets are scored by the error of a learner on rows that it was not
 *                  fitted on: select_search.c
 *
 * A stage like any other: inside cross-validation it sees the training rows of the fold alone.
 * What comes out keeps names, kinds and levels; categories stay categories, missing values stay
 * missing, sparse rows stay sparse.  At least one feature is always kept: where none passes, the
 * best one is, with a warning.
 *
 * Symbols: d features, of which n_kept go out. */
#include "transform/select.h"

#include "core/sort.h"
#include "learn/registry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

const smr_choice smr_select_ways[] = {
    {"correlation", "its correlation with the target, each feature alone"},
    {"gain", "information gain about the class, each feature alone"},
    {"weight", "its weight in a fitted linear learner"},
    {"l1", "whether its weight is not 0 in a fit with an l1 penalty"},
    {"forward", "from none, adds the feature that lowers the error most"},
    {"backward", "from all, drops the feature whose loss raises the error least"},
    {"exhaustive", "the subset with the least error, of all of them; up to 12 features"},
    {NULL, NULL},
};
static const smr_choice judges[] = {
    {"cv", "error on folds that the learner was not fitted on"},
    {"validation", "error on a quarter of the rows, fitted on the others"},
    {"train", "error on the rows it was fitted on: give a penalty"},
    {NULL, NULL},
};

enum { USUAL_FOLDS = 5 };
#define SEARCHES "by=forward|backward|exhaustive"

static const smr_param params[] = {
    {SMR_FIELD(struct smr_select_params, by), .def = SMR_SELECT_CORRELATION,
     .choices = smr_select_ways, .primary = true, .search = SMR_SEARCH_VALUES,
     .doc = "How features are scored or searched."},
    {SMR_FIELD(struct smr_select_params, k), .def = 0, .min = 0, .max = SMR_MAX_DIM,
     .search = SMR_SEARCH_LINEAR, .search_min = 1, .search_max = 20, .simpler = SMR_SIMPLER_LOW,
     .doc = "Number of features to keep; 0: decided by at_least, p or the method itself."},
    {SMR_FIELD(struct smr_select_params, at_least), .def = 0, .min = 0, .max = INFINITY,
     .max_open = true, .when = "by=correlation|gain|weight",
     .doc =
         "Minimum score to be kept; 0: any; for weights, if k is 0 too, those above their mean."},
    {SMR_FIELD(struct smr_select_params, p), .def = 0, .min = 0, .max = 1,
     .when = "by=correlation|gain",
     .doc = "Keep features whose test has a p value below this; 0: 0.05 if neither k nor at_least "
            "is given, else no test."},
    {SMR_FIELD(struct smr_select_params, bins), .def = 10, .min = 2, .max = 1000, .when = "by=gain",
     .doc = "Number of equal-weight bins that numbers are cut into."},
    {SMR_FIELD(struct smr_select_params, l1), .def = 0, .min = 0, .max = INFINITY, .max_open = true,
     .when = "by=l1", .search = SMR_SEARCH_LOG, .search_min = 1e-2, .search_max = 1e4,
     .simpler = SMR_SIMPLER_HIGH,
     .doc = "Weight of the penalty |w|_1 on standardised features; 0: chosen by cross-validation, "
            "or where the k-th feature enters."},
    {SMR_FIELD(struct smr_select_params, of), .grammar = &smr_sentences, .least = 0, .most = 1,
     .when = "by=weight|forward|backward|exhaustive",
     .member_tasks = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS,
     .doc = "The learner to select features for; default: logistic for classes, linear for "
            "numbers, and ridge 1 for their weights."},
    {SMR_FIELD(struct smr_select_params, judge), .def = SMR_SELECT_CV, .choices = judges,
     .when = SEARCHES, .doc = "Which error of the learner to minimise."},
    {SMR_FIELD(struct smr_select_params, folds), .def = USUAL_FOLDS, .min = 2, .max = 1000,
     .when = "by=l1|forward|backward|exhaustive&judge=cv&l1=0",
     .doc = "Folds for judge=cv, and for choosing l1."},
    {SMR_FIELD(struct smr_select_params, penalty), .def = 0, .min = 0, .max = INFINITY,
     .max_open = true, .when = SEARCHES, .doc = "Added to the error for each feature."},
    {SMR_FIELD(struct smr_select_params, improve), .def = 0, .min = 0, .max = INFINITY,
     .max_open = true, .when = "by=forward|backward&k=0",
     .doc =
         "How much adding a feature must lower the score, or how much dropping one may raise it."},
    {SMR_FIELD(struct smr_select_params, patience), .def = 0, .min = 0, .max = SMR_MAX_DIM,
     .when = "by=forward|backward&k=0",
     .doc = "Number of steps without improvement before the search ends."},
};

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    const struct smr_select_params *p = params_;
    if (p->by == SMR_SELECT_L1 && p->l1 > 0 && p->k > 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "select: give l1 or k, not both");
    if (p->by == SMR_SELECT_L1 && p->k > 0 && p->folds != USUAL_FOLDS)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "select: folds choose how many features are kept, and k says it; give one "
                        "of the two");
    return SMR_OK;
}

/* ---- state ------------------------------------------------------------------------------ */

static const smr_state state[] = {
    {SMR_KEPT(struct smr_select_state, n_features), .is = "features", .min = 1,
     .doc = "Features that come in."},
    {SMR_KEPT(struct smr_select_state, n_kept), .most = "n_features", .min = 1,
     .doc = "Features that go out."},
    {SMR_KEPT(struct smr_select_state, n_steps), .min = 0, .doc = "Steps of the search."},
    {SMR_KEPT(struct smr_select_state, n_fits), .min = 0, .max = 9e15,
     .doc = "Fits that the search took."},
    {SMR_KEPT(struct smr_select_state, l1), .doc = "The l1 penalty; NaN: none."},
    {SMR_KEPT(struct smr_select_state, baseline),
     .doc = "Error of a search without any feature; NaN: none."},
    {SMR_KEPT(struct smr_select_state, kept), .below = "n_features", .order = SMR_ORDER_ASCENDS,
     .dims = {"n_kept"}, .doc = "Numbers of the features that go out."},
    {SMR_KEPT(struct smr_select_state, score), .dims = {"n_features"},
     .doc = "Score of each feature; NaN: none."},
    {SMR_KEPT(struct smr_select_state, p_value), .dims = {"n_features"}, .optional = true,
     .doc = "p value of each feature's test."},
    {SMR_KEPT(struct smr_select_state, step), .with = "n_steps", .min = INT32_MIN,
     .dims = {"n_steps"}, .optional = true,
     .doc = "Steps of the search: feature j added, or -1 - j dropped; exhaustive: the features as "
            "bits."},
    {SMR_KEPT(struct smr_select_state, step_score), .with = "n_steps", .dims = {"n_steps"},
     .optional = true, .doc = "Score after each step."},
    {SMR_KEPT(struct smr_select_state, step_size), .with = "n_steps", .below = "n_features + 1",
     .dims = {"n_steps"}, .optional = true, .doc = "Features after each step."},
};

/* ---- fit -------------------------------------------------------------------------------- */

smr_status smr_select_order(smr_ctx *ctx, const struct smr_select_state *s, int64_t *order)
{
    smr_status st = SMR_OK;
    double *key = NULL;
    TRY_NEW(key, s->n_features);
    for (int64_t j = 0; j < s->n_features; j++) key[j] = -s->score[j];
    TRY(smr_argsort_f64(ctx, s->n_features, key, order));
out:
    smr_free(key);
    return st;
}

smr_status smr_select_spec(smr_ctx *ctx, const struct smr_select_params *p, const smr_data *data,
                           smr_spec **out)
{
    bool classify = data->task == SMR_TASK_CLASSIFY;
    unsigned trait = classify || p->by == SMR_SELECT_WEIGHT ? SMR_PLAIN : SMR_LEAST_SQUARES;
    const smr_learner *usual = smr_registry_trait(data->task, trait);
    if (p->of.n == 0) return smr_spec_parse(ctx, usual->word->name, out);
    if (smr_specs_tasks(&p->of) & (classify ? SMR_DOES_CLASSIFY : SMR_DOES_REGRESS))
        return smr_spec_copy(ctx, p->of.spec[0], out);
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "select by=%s: the target has %s, and its learner, of=, predicts %s; name "
                    "another, such as of=(knn 5)",
                    smr_select_ways[p->by].name, classify ? "classes" : "numbers",
                    classify ? "numbers" : "classes");
}

smr_status smr_select_note(smr_ctx *ctx, struct smr_select_state *s, int32_t step, int64_t size,
                           double score)
{
    smr_status st = SMR_OK;
    int64_t n = s->n_steps;
    if (!s->step) TRY_NEW(s->step, s->n_features + 1);
    if (!s->step_score) TRY_NEW(s->step_score, s->n_features + 1);
    if (!s->step_size) TRY_NEW(s->step_size, s->n_features + 1);
    s->step[n] = step;
    s->step_score[n] = score;
    s->step_size[n] = size;
    s->n_steps++;
out:
    return st;
}

static double mean_score(const struct smr_select_state *s)
{
    double sum = 0;
    for (int64_t j = 0; j < s->n_features; j++) sum += s->score[j];
    return sum / (double)s->n_features;
}

/* The rules of k, at_least and p, all that are given. */
static smr_status keep_by_rule(smr_ctx *ctx, const struct smr_select_params *p,
                               const struct smr_select_state *s, bool *kept)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL;
    bool given = p->k > 0 || p->at_least > 0;
    double level = p->p > 0 ? p->p : given ? 0 : 0.05, least = p->at_least;
    if (p->by == SMR_SELECT_WEIGHT && !given) least = mean_score(s);
    TRY_NEW(order, s->n_features);
    TRY(smr_select_order(ctx, s, order));
    for (int64_t i = 0; i < s->n_features; i++) {
        int64_t j = order[i];
        bool tested = s->p_value && level > 0;
        kept[j] =
            s->score[j] >= least && (p->k == 0 || i < p->k) && (!tested || s->p_value[j] < level);
    }
out:
    smr_free(order);
    return st;
}

/* The feature with the best score, kept where none passed. */
static smr_status keep_one(smr_ctx *ctx, const struct smr_select_params *p, const smr_data *data,
                           const struct smr_select_state *s, bool *kept)
{
    smr_status st = SMR_OK;
    char buffer[32];
    int64_t *order = NULL;
    TRY_NEW(order, s->n_features);
    TRY(smr_select_order(ctx, s, order));
    for (int64_t j = 0; j < s->n_features && p->by >= SMR_SELECT_FORWARD; j++)
        if (j == 0 || s->score[j] < s->score[order[0]]) order[0] = j; /* an error: the least */
    kept[order[0]] = true;
    const char *name = smr_kept_name(data->features, order[0], buffer);
    if (s->p_value && !isnan(s->p_value[order[0]]))
        smr_warn(ctx,
                 "select by=%s: no feature passes; the best, '%s' (score %.4g, p %.3g), is "
                 "kept alone",
                 smr_select_ways[p->by].name, name, s->score[order[0]], s->p_value[order[0]]);
    else
        smr_warn(ctx, "select by=%s: no feature passes; the best, '%s', is kept alone",
                 smr_select_ways[p->by].name, name);
out:
    smr_free(order);
    return st;
}

static smr_status take_kept(smr_ctx *ctx, const bool *kept, struct smr_select_state *s)
{
    smr_status st = SMR_OK;
    int64_t n = 0;
    for (int64_t j = 0; j < s->n_features; j++) n += kept[j];
    TRY_NEW(s->kept, n);
    for (int64_t j = 0; j < s->n_features; j++)
        if (kept[j]) s->kept[s->n_kept++] = (int32_t)j;
out:
    return st;
}

static smr_status check_data(smr_ctx *ctx, const struct smr_select_params *p, const smr_data *data)
{
    bool classes = data->task == SMR_TASK_CLASSIFY && data->label;
    if (!classes && !(data->task == SMR_TASK_REGRESS && data->y))
        return smr_fail(ctx, SMR_ERR_DATA,
                        "select chooses features by their target: name it with --target");
    if (p->k > data->n_features)
        return smr_fail(ctx, SMR_ERR_PARAM, "select: k=%lld is more than the %lld features",
                        (long long)p->k, (long long)data->n_features);
    for (int64_t i = 0; !classes && i < data->n_rows * data->n_outputs; i++)
        if (!isfinite(data->y[i]))
            return smr_fail(ctx, SMR_ERR_DATA, "select: the target of row %lld is not finite",
                            (long long)(i / data->n_outputs) + 1);
    return SMR_OK;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct smr_select_params *p = params_;
    struct smr_select_state *s = state_;
    smr_status st = SMR_OK;
    bool *kept = NULL, any = false;
    int64_t d = data->n_features;
    (void)report;
    s->n_features = d;
    s->l1 = s->baseline = NAN;
    TRY(check_data(ctx, p, data));
    TRY_NEW(kept, d);
    TRY_NEW(s->score, d);
    for (int64_t j = 0; j < d; j++) s->score[j] = NAN;
    switch (p->by) {
    case SMR_SELECT_CORRELATION: TRY(smr_select_correlation(ctx, data, s)); break;
    case SMR_SELECT_GAIN: TRY(smr_select_gain(ctx, p, data, s)); break;
    case SMR_SELECT_WEIGHT: TRY(smr_select_weight(ctx, p, data, s)); break;
    case SMR_SELECT_L1: TRY(smr_select_l1(ctx, p, data, s, kept)); break;
    default: TRY(smr_select_search(ctx, p, data, s, kept)); break;
    }
    if (p->by <= SMR_SELECT_WEIGHT) TRY(keep_by_rule(ctx, p, s, kept));
    for (int64_t j = 0; j < d; j++) any = any || kept[j];
    if (!any) TRY(keep_one(ctx, p, data, s, kept));
    TRY(take_kept(ctx, kept, s));
out:
    smr_free(kept);
    return st;
}

static smr_kept keeps(const void *state_)
{
    const struct smr_select_state *s = state_;
    return (smr_kept){s->n_features, s->n_kept, s->kept};
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_select_params *p = params_;
    const struct smr_select_state *s = state_;
    bool bits = p->by == SMR_SELECT_EXHAUSTIVE;
    int64_t end = bits ? INT64_C(1) << SMR_MIN(30, s->n_features) : s->n_features;
    (void)shape;
    for (int64_t i = 0; i < s->n_steps; i++)
        if (s->step[i] >= end || s->step[i] < -s->n_features)
            return smr_fail(ctx, SMR_ERR_FORMAT, "select: a step's feature does not exist");
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "select",
    .synonyms = "filter kbest rfe SelectKBest RFE",
    .family = "transform",
    .title = "Feature selection",
    .brief = "Keeps the features that matter for the target, and drops the others.",
    .objective = "correlation, gain and weight score features one by one; l1 and the searches "
                 "choose them together",
    .details =
        "Features are chosen from the training rows alone, so that cross-validating the whole "
        "sentence is honest; choosing them beforehand, from all rows, is not. Filters keep the "
        "features that meet all of k, at_least and p that are given; if none is, those with p < "
        "0.05, or with a weight above the mean. Searches stop when the error no longer falls, or "
        "at k features. At least one feature is always kept. Filters ignore the missing values "
        "of a feature; they pass through.",
    .reference = "Guyon & Elisseeff, J. Mach. Learn. Res. 3 (2003); Kohavi & John, Artif. Intell. "
                 "97 (1997)",
    .example = "samara train \"select correlation k=5 | knn 9\" data/breast_cancer.csv --target "
               "diagnosis",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_select_params),
    .check_params = check_params,
};

static const smr_can_transform transforms = {
    .keeps = keeps,
    .no_inverse = "the features that it dropped are not in its answer",
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_select_state),
    .gives = SMR_GIVES_TRANSFORM,
    .check = check,
    .describe = smr_select_describe,
    .draw = smr_select_figures,
    .transform = &transforms,
};

const smr_learner smr_select = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_CODES | SMR_TAKES_MISSING |
             SMR_TAKES_WEIGHTS | SMR_TAKES_MANY_TARGETS,
    .traits = SMR_PASSES_CONTRASTS | SMR_NEEDS_TARGET,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
};
