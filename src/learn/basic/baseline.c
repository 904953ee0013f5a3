/* baseline.c -- what can be said without looking at any feature.
 *
 *     numbers   the weighted mean or median of each target
 *     classes   their shares of the weight, so that the most frequent one is the answer
 *
 * Every model is compared with this: one that is not better has learned nothing.  The median is the
 * least value that at least half the weight does not exceed; where exactly half does not, the mean
 * of it and the next.  Without any weight (a stream's first row) the answer is 0, or equal shares.
 *
 * Cost: one pass over the targets; the median sorts them. */
#include "core/sort.h"
#include "learn/learner.h"
#include "math/dd.h"

/* ---- parameters ------------------------------------------------------------------------- */

enum { BY_MEAN, BY_MEDIAN };

struct baseline_params {
    int by;
};

static const smr_choice by[] = {
    [BY_MEAN] = {"mean", "the weighted mean, which minimises the squared error"},
    [BY_MEDIAN] = {"median", "the weighted median, which minimises the absolute error"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct baseline_params, by), .tasks = SMR_DOES_REGRESS, .def = BY_MEAN,
     .choices = by, .primary = true,
     .doc = "What to predict for numbers; for classes it is always their shares."},
};

/* ---- state ------------------------------------------------------------------------------ */

struct baseline_state {
    int64_t n_features, n_outputs, n_classes;
    double weight;      /* of all rows                                     */
    double *sum, *rest; /* n_outputs: weighted sums, with twice the digits */
    double *value;      /* n_outputs: the answer                           */
    double *count;      /* n_classes: their weights                        */
};

#define KEPT(field_) SMR_KEPT(struct baseline_state, field_)

static const smr_state state[] = {
    {KEPT(n_features), .is = "features", .min = 0, .doc = "Features, which are ignored."},
    {KEPT(n_outputs), .is = "targets", .min = 0, .doc = "Targets that are numbers."},
    {KEPT(n_classes), .is = "classes", .min = 0, .doc = "Classes."},
    {KEPT(weight), .doc = "Sum of the rows' weights."},
    {KEPT(sum), .dims = {"n_outputs"}, .doc = "Weighted sums of the targets."},
    {KEPT(rest), .dims = {"n_outputs"}, .doc = "Rounding errors of the sums."},
    {KEPT(value), .dims = {"n_outputs"}, .doc = "Means or medians of the targets."},
    {KEPT(count), .dims = {"n_classes"}, .doc = "Total weight of each class."},
};

static smr_status make_state(smr_ctx *ctx, const smr_shape *shape, struct baseline_state *s)
{
    smr_status st = SMR_OK;
    s->n_features = shape->n_features;
    s->n_classes = shape->n_classes;
    s->n_outputs = shape->n_classes ? 0 : shape->n_outputs;
    TRY_NEW(s->sum, s->n_outputs);
    TRY_NEW(s->rest, s->n_outputs);
    TRY_NEW(s->value, s->n_outputs);
    TRY_NEW(s->count, s->n_classes);
out:
    return st;
}

/* ---- fit -------------------------------------------------------------------------------- */

static void add_row(struct baseline_state *s, const double *y, int32_t label, double weight)
{
    s->weight += weight;
    if (s->n_classes) s->count[label] += weight;
    for (int64_t j = 0; j < s->n_outputs; j++) {
        dd sum = {s->sum[j], s->rest[j]};
        dd_add_product(&sum, weight, y[j]);
        s->sum[j] = sum.hi;
        s->rest[j] = sum.lo;
        if (s->weight > 0) s->value[j] = dd_value(sum) / s->weight;
    }
}

/* The weighted median of target j. */
static smr_status find_median(smr_ctx *ctx, const smr_data *data, int64_t j, double total,
                              double *out)
{
    smr_status st = SMR_OK;
    double *y = NULL, below = 0;
    int64_t *order = NULL, n = data->n_rows, i = 0, next;
    TRY_NEW(y, n);
    TRY_NEW(order, n);
    for (int64_t r = 0; r < n; r++) y[r] = data->y[r * data->n_outputs + j];
    TRY(smr_argsort_f64(ctx, n, y, order));
    for (; i + 1 < n; i++) {
        below += smr_data_weight(data, order[i]);
        if (2 * below >= total) break;
    }
    for (next = i; next + 1 < n && (next == i || smr_data_weight(data, order[next]) == 0);) next++;
    *out = y[order[i]];
    if (2 * below == total) *out += (y[order[next]] - y[order[i]]) / 2;
out:
    smr_free(y);
    smr_free(order);
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    smr_status st = SMR_OK;
    const struct baseline_params *p = params_;
    struct baseline_state *s = state_;
    smr_shape shape = {
        .n_features = data->n_features, .n_outputs = data->n_outputs, .n_classes = data->n_classes};
    (void)report;
    TRY(make_state(ctx, &shape, s));
    for (int64_t i = 0; i < data->n_rows; i++)
        add_row(s, data->y ? data->y + i * data->n_outputs : NULL, data->label ? data->label[i] : 0,
                smr_data_weight(data, i));
    for (int64_t j = 0; p->by == BY_MEDIAN && j < s->n_outputs; j++)
        TRY(find_median(ctx, data, j, s->weight, &s->value[j]));
out:
    return st;
}

/* ---- predict ---------------------------------------------------------------------------- */

static unsigned gives_with(const void *params_, const void *state_)
{
    const struct baseline_state *s = state_;
    (void)params_;
    return s->n_classes ? SMR_GIVES_PROBA : SMR_GIVES_VALUE;
}

static void say(const struct baseline_state *s, double *out)
{
    for (int64_t j = 0; j < s->n_outputs; j++) out[j] = s->value[j];
    for (int64_t k = 0; k < s->n_classes; k++)
        out[k] = s->weight > 0 ? s->count[k] / s->weight : 1 / (double)s->n_classes;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct baseline_state *s = state_;
    (void)ctx, (void)params_, (void)output, (void)scratch;
    for (int64_t i = 0; i < rows->n; i++) say(s, out + i * (s->n_outputs + s->n_classes));
    return SMR_OK;
}

/* ---- streams ---------------------------------------------------------------------------- */

static smr_status begin(smr_ctx *ctx, const void *params_, const smr_shape *shape, void *state_)
{
    const struct baseline_params *p = params_;
    if (p->by == BY_MEDIAN)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "baseline by=median needs all rows at once; by=mean learns from a stream");
    return make_state(ctx, shape, state_);
}

static smr_status learn(smr_ctx *ctx, const void *params_, void *state_, const smr_rows *rows,
                        const smr_truths *truths, double *out)
{
    struct baseline_state *s = state_;
    (void)ctx, (void)params_;
    for (int64_t i = 0; i < rows->n; i++) {
        if (out) say(s, out + i * (s->n_outputs + s->n_classes));
        add_row(s, truths->y ? truths->y + i * s->n_outputs : NULL,
                truths->label ? truths->label[i] : 0, truths->weight ? truths->weight[i] : 1);
    }
    return SMR_OK;
}

/* ---- describe --------------------------------------------------------------------------- */

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct baseline_state *s = state_;
    (void)ctx, (void)params_, (void)in, (void)n_in;
    smr_json_add_number(into, "rows", s->weight);
    smr_json *list = smr_json_add_array(into, s->n_classes ? "shares" : "values");
    for (int64_t j = 0; j < s->n_outputs; j++) smr_json_add_number(list, NULL, s->value[j]);
    for (int64_t k = 0; k < s->n_classes; k++)
        smr_json_add_number(list, NULL, s->count[k] / s->weight);
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "baseline",
    .family = "basic",
    .title = "Baseline",
    .brief = "Ignores all features: predicts the most frequent class, or the mean or median of the "
             "target.",
    .objective = "shares of the classes; or the value v with the least sum weight (y - v)^2, or "
                 "sum weight |y - v|",
    .details =
        "What any model must beat. Its probabilities are the shares of the classes in the "
        "training rows, so that its log loss there is their entropy, and its R2 there is 0. If "
        "there are two middle values, the median is their mean. In a stream it starts with equal "
        "shares, or with 0.",
    .reference = "Witten, Frank & Hall, Data Mining, 3rd ed. (2011), section 4.1",
    .example = "samara train baseline data/iris.csv --target species",
    .synonyms = "dummy zeror constant mean mode DummyClassifier DummyRegressor",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct baseline_params),
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct baseline_state),
    .gives = SMR_GIVES_VALUE | SMR_GIVES_PROBA,
    .gives_with = gives_with,
    .predict = predict,
    .describe = describe,
};

static const smr_can_stream streams = {
    .begin = SMR_TRAINING(begin),
    .learn = SMR_TRAINING(learn),
};

static const char *judge_by(const void *params_)
{
    return ((const struct baseline_params *)params_)->by == BY_MEDIAN ? "mae" : NULL;
}

/* It is in every comparison anyway. */
static const smr_comparing compared = {.stands_aside = true, .measure = judge_by};

const smr_learner smr_baseline = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS,
    .takes = SMR_TAKES_ANYTHING,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .stream = SMR_TRAINING(&streams),
    .comparing = SMR_TRAINING(&compared),
};
