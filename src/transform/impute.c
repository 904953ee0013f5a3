/* impute.c -- missing values replaced by one value per feature.
 *
 * Numbers get the weighted mean, the median, the most frequent value or a constant of the training
 * rows where the feature is present; categories stay missing (a one-hot coding shows them as no
 * level) or get the most frequent level.  With indicator=yes, a feature that had gaps in training
 * gets a second one after all features: 1 where the value was missing, 0 elsewhere. Ties between
 * most frequent values: the smaller value.  A feature without any value gets 0. Cost: one pass for
 * means; a sort of each feature with gaps for medians and frequencies.
 *
 * Symbols: d features, fill_j what stands in for a missing x_j; NaN: it stays missing. */
#include "core/number.h"
#include "core/sort.h"
#include "core/text.h"
#include "learn/learner.h"
#include "learn/member.h"
#include "transform/moments.h"

#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

struct impute_params {
    int number;
    int category;
    double value;
    bool indicator;
};

enum { NUMBER_MEAN, NUMBER_MEDIAN, NUMBER_FREQUENT, NUMBER_CONSTANT };
enum { CATEGORY_KEEP, CATEGORY_FREQUENT };

static const smr_choice number[] = {
    {"mean", "the mean of the training rows"},
    {"median", "their median"},
    {"frequent", "their most frequent value"},
    {"constant", "what value= says"},
    {NULL, NULL},
};
static const smr_choice category[] = {
    {"keep", "it stays missing: no level of a one-hot coding is set"},
    {"frequent", "the most frequent level"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct impute_params, number), .choices = number, .primary = true,
     .doc = "What replaces a missing number."},
    {SMR_FIELD(struct impute_params, category), .choices = category,
     .doc = "What replaces a missing category."},
    {SMR_FIELD(struct impute_params, value), .def = 0, .min = -INFINITY, .max = INFINITY,
     .min_open = true, .max_open = true, .when = "number=constant",
     .doc = "The constant that replaces missing numbers."},
    {SMR_FIELD(struct impute_params, indicator), .def = false, .search = SMR_SEARCH_VALUES,
     .doc = "Add a 0/1 feature for each feature that had gaps in the training rows."},
};

/* ---- state ------------------------------------------------------------------------------ */

struct impute_state {
    int64_t n_features;
    double *fill;
    int64_t n_indicators;
    int64_t *indicator;
    double *seen; /* n_features, of a stream only */
};

static const smr_state state[] = {
    {SMR_KEPT(struct impute_state, n_features), .is = "features", .min = 1,
     .doc = "Features that come in."},
    {SMR_KEPT(struct impute_state, fill), .dims = {"n_features"},
     .doc = "What stands in for a missing value; NaN where it stays missing."},
    {SMR_KEPT(struct impute_state, n_indicators), .most = "n_features", .min = 0,
     .doc = "Features with an indicator."},
    {SMR_KEPT(struct impute_state, indicator), .below = "n_features", .order = SMR_ORDER_ASCENDS,
     .dims = {"n_indicators"}, .doc = "Which features they are, ascending."},
    {SMR_KEPT(struct impute_state, seen), .dims = {"n_features"}, .optional = true,
     .doc = "From a stream: the weight of the rows where a feature was present."},
};

/* ---- fit -------------------------------------------------------------------------------- */

/* Weighted median of the sorted values: the middle of the two values around half the weight. */
static double median_of(const double *x, const int64_t *order, int64_t n, const smr_data *data)
{
    double total = 0, below = 0;
    for (int64_t i = 0; i < n; i++) total += smr_data_weight(data, order[i]);
    for (int64_t i = 0; i < n; i++) {
        below += smr_data_weight(data, order[i]);
        if (below > total / 2) return x[order[i]];
        if (below == total / 2)
            return i + 1 < n ? 0.5 * (x[order[i]] + x[order[i + 1]]) : x[order[i]];
    }
    return 0;
}

static double most_frequent(const double *x, const int64_t *order, int64_t n, const smr_data *data)
{
    double best = 0, best_weight = 0;
    for (int64_t i = 0; i < n;) {
        double weight = 0, value = x[order[i]];
        for (; i < n && x[order[i]] == value; i++) weight += smr_data_weight(data, order[i]);
        if (weight > best_weight) {
            best_weight = weight;
            best = value;
        }
    }
    return best;
}

/* The median or the most frequent value of feature j. */
static smr_status sorted_fill(smr_ctx *ctx, const smr_data *data, int64_t j, bool median,
                              double *column, int64_t *order, double *fill)
{
    smr_status st = SMR_OK;
    int64_t n = data->n_rows;
    TRY(smr_tick(ctx, "imputing", j, data->n_features, NAN));
    TRY(smr_data_column(ctx, data, j, column));
    TRY(smr_argsort_f64(ctx, n, column, order));
    while (n > 0 && isnan(column[order[n - 1]])) n--; /* missing values sort last */
    *fill = median ? median_of(column, order, n, data) : most_frequent(column, order, n, data);
out:
    return st;
}

static bool is_category(const smr_data *data, int64_t j)
{
    return data->features && data->features[j].kind == SMR_CATEGORY;
}

static bool is_text(const smr_data *data, int64_t j)
{
    return data->features && data->features[j].kind == SMR_TEXT;
}

static smr_status choose_fills(smr_ctx *ctx, const struct impute_params *p, const smr_data *data,
                               struct impute_state *s)
{
    smr_status st = SMR_OK;
    double *column = NULL;
    int64_t *order = NULL;
    TRY_NEW(column, data->n_rows);
    TRY_NEW(order, data->n_rows);
    for (int64_t j = 0; j < s->n_features; j++) {
        bool by_sorting = p->number == NUMBER_MEDIAN || p->number == NUMBER_FREQUENT;
        if (is_text(data, j)) {
            s->fill[j] = NAN; /* its code passes as it is */
        } else if (is_category(data, j)) {
            s->fill[j] = NAN;
            if (p->category == CATEGORY_FREQUENT)
                TRY(sorted_fill(ctx, data, j, false, column, order, &s->fill[j]));
        } else if (p->number == NUMBER_CONSTANT) {
            s->fill[j] = p->value;
        } else if (by_sorting) {
            TRY(sorted_fill(ctx, data, j, p->number == NUMBER_MEDIAN, column, order, &s->fill[j]));
        }
    }
out:
    smr_free(column);
    smr_free(order);
    return st;
}

/* Feature j has no value to learn from: a number gets 0 or the constant, a category stays
 * missing. */
static void warn_empty(smr_ctx *ctx, const smr_data *data, int64_t j, struct impute_state *s)
{
    char text[SMR_NUMBER_MAX];
    if (is_category(data, j)) s->fill[j] = NAN;
    smr_format_double(s->fill[j], text);
    smr_warn(ctx, "column '%s' has no value in the training rows; its gaps become %s",
             data->features ? data->features[j].name : "?",
             is_category(data, j) ? "no level" : text);
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct impute_params *p = params_;
    struct impute_state *s = state_;
    int64_t d = data->n_features;
    smr_status st = SMR_OK;
    double *weight = NULL, total = 0;
    (void)report;
    s->n_features = d;
    TRY_NEW(s->fill, d);
    TRY_NEW(s->indicator, d);
    TRY_NEW(weight, d);
    TRY(smr_moments(ctx, data, s->fill, NULL, weight));
    TRY(choose_fills(ctx, p, data, s));
    for (int64_t i = 0; i < data->n_rows; i++) total += smr_data_weight(data, i);
    for (int64_t j = 0; j < d; j++) {
        if (is_text(data, j)) continue;
        if (weight[j] <= 0) warn_empty(ctx, data, j, s);
        if (p->indicator && weight[j] < total * (1 - 1e-12)) s->indicator[s->n_indicators++] = j;
    }
out:
    smr_free(weight);
    return st;
}

/* From a stream: the running mean, or the constant; every feature has its indicator, where they
 * are asked for, since a gap may come at any time. */
static smr_status begin(smr_ctx *ctx, const void *params_, const smr_shape *shape, void *state_)
{
    const struct impute_params *p = params_;
    struct impute_state *s = state_;
    int64_t d = shape->n_features;
    smr_status st = SMR_OK;
    if (p->number == NUMBER_MEDIAN || p->number == NUMBER_FREQUENT ||
        p->category == CATEGORY_FREQUENT)
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                     "impute %s%s needs all rows at once; on a stream use mean or constant, and "
                     "category=keep",
                     p->category == CATEGORY_FREQUENT ? "category=" : "",
                     p->category == CATEGORY_FREQUENT ? "frequent" : number[p->number].name));
    s->n_features = d;
    TRY_NEW(s->fill, d);
    TRY_NEW(s->seen, d);
    s->n_indicators = p->indicator ? d : 0;
    TRY_NEW(s->indicator, s->n_indicators);
    for (int64_t j = 0; j < d; j++) {
        bool coded = shape->features && (shape->features[j].kind == SMR_CATEGORY ||
                                         shape->features[j].kind == SMR_TEXT);
        s->fill[j] = coded ? NAN : p->number == NUMBER_CONSTANT ? p->value : 0;
        if (p->indicator) s->indicator[j] = j;
    }
out:
    return st;
}

/* ---- predict ---------------------------------------------------------------------------- */

static int64_t n_out(const void *params_, const void *state_, int64_t n_in)
{
    (void)params_;
    return n_in + ((const struct impute_state *)state_)->n_indicators;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct impute_state *s = state_;
    int64_t d = s->n_features, width = d + s->n_indicators;
    (void)ctx, (void)params_, (void)output, (void)scratch;
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        double *row = out + i * width;
        for (int64_t j = 0; j < d; j++) row[j] = isnan(x[j]) ? s->fill[j] : x[j];
        for (int64_t k = 0; k < s->n_indicators; k++) row[d + k] = isnan(x[s->indicator[k]]);
    }
    return SMR_OK;
}

/* What was filled in stays, except where an indicator says that it was. */
static smr_status inverse(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, double *out, void *scratch)
{
    const struct impute_state *s = state_;
    int64_t d = s->n_features;
    (void)ctx, (void)params_, (void)scratch;
    for (int64_t i = 0; i < rows->n; i++) {
        const double *z = (const double *)rows->x + i * rows->stride;
        memcpy(out + i * d, z, (size_t)d * sizeof *out);
        for (int64_t k = 0; k < s->n_indicators; k++)
            if (z[d + k] > 0.5) out[i * d + s->indicator[k]] = NAN;
    }
    return SMR_OK;
}

/* fill_j <- fill_j + (x_j - fill_j) w / seen_j; a fill that is NaN stays. */
static void learn_row(const struct impute_params *p, struct impute_state *s, const double *x,
                      double w)
{
    for (int64_t j = 0; p->number == NUMBER_MEAN && j < s->n_features; j++) {
        if (isnan(x[j])) continue;
        s->seen[j] += w;
        s->fill[j] += (x[j] - s->fill[j]) * (w / s->seen[j]);
    }
}

static smr_status learn(smr_ctx *ctx, const void *params_, void *state_, const smr_rows *rows,
                        const smr_truths *truths, double *out)
{
    struct impute_state *s = state_;
    smr_status st = SMR_OK;
    if (!s->seen)
        return smr_fail(
            ctx, SMR_ERR_STATE,
            "this impute was fitted on a whole table, and knows no running means; begin a "
            "new model with 'samara stream'");
    for (int64_t i = 0; i < rows->n; i++) {
        smr_rows row = smr_rows_slice(rows, i, i + 1);
        learn_row(params_, s, row.x, truths->weight ? truths->weight[i] : 1);
        double *at = out ? out + i * (s->n_features + s->n_indicators) : NULL;
        if (out) TRY(predict(ctx, params_, s, &row, SMR_OUTPUT_TRANSFORM, at, NULL));
    }
out:
    return st;
}

static smr_status outputs(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_feature *in, int64_t n_in, smr_feature *out, int64_t n)
{
    const struct impute_state *s = state_;
    (void)params_;
    for (int64_t j = 0; j < n; j++) {
        smr_text name = {.ctx = ctx};
        const smr_feature *from = &in[j < n_in ? j : s->indicator[j - n_in]];
        smr_text_add(&name, from->name);
        if (j >= n_in) smr_text_add(&name, ".missing");
        if (smr_text_done(&name) != SMR_OK) {
            smr_text_release(&name);
            return SMR_ERR_NOMEM;
        }
        out[j].name = name.bytes;
        if (j >= n_in) continue;
        out[j].kind = from->kind;
        out[j].n_levels = from->n_levels;
        out[j].levels = from->levels;
        out[j].text = from->text;
    }
    return SMR_OK;
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct impute_state *s = state_;
    smr_json *list = smr_json_add_array(into, "fill");
    (void)ctx, (void)params_;
    for (int64_t j = 0; j < n_in; j++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "feature", in[j].name);
        bool is_level = in[j].kind == SMR_CATEGORY && in[j].levels && s->fill[j] >= 0 &&
                        s->fill[j] < (double)in[j].n_levels;
        if (is_level) {
            int64_t length = 0;
            const char *level = smr_strings_get(in[j].levels, (int64_t)s->fill[j], &length);
            smr_json_add_bytes(row, "value", level, length);
        } else {
            smr_json_add_number(row, "value", s->fill[j]);
        }
    }
    return SMR_OK;
}

static unsigned fills(const void *params_)
{
    const struct impute_params *p = params_;
    return SMR_FILLS_NUMBERS | (p->category == CATEGORY_FREQUENT ? SMR_FILLS_CATEGORIES : 0);
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "impute",
    .synonyms = "imputer fillna SimpleImputer",
    .family = "transform",
    .title = "Filling in missing values",
    .brief =
        "Replaces missing values by the mean, the median, the most frequent value or a constant.",
    .objective = "x_j missing -> fill_j, learned from the training rows",
    .details =
        "Inserted automatically before a stage that cannot take missing values, if the training "
        "data have some. Write it in the sentence to allow gaps in columns that had none in "
        "training. In a stream it fills in the running mean of the rows so far, or the constant.",
    .reference = "Little & Rubin, Statistical Analysis with Missing Data, 2002",
    .example = "samara train \"impute median indicator=yes | linear\" data/diabetes.csv --target "
               "progression",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct impute_params),
};

/* Codes that stay codes need a level in place of a gap. */
static void tailor(void *params_, const smr_tailor *next)
{
    struct impute_params *p = params_;
    if (next->codes && next->gaps_in_categories) p->category = CATEGORY_FREQUENT;
}

static void origins(const void *params_, const void *state_, int64_t n_in, int64_t *from, int64_t n)
{
    const struct impute_state *s = state_;
    (void)params_;
    for (int64_t j = 0; j < n; j++) from[j] = j < n_in ? j : s->indicator[j - n_in];
}

static const smr_can_transform transforms = {
    .origins = origins,
    .n_out = n_out,
    .outputs = outputs,
    .fills = fills,
    .inverse = inverse,
    .adapts = SMR_NEED_FILLED,
    .tailor = tailor,
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct impute_state),
    .gives = SMR_GIVES_TRANSFORM,
    .predict = predict,
    .describe = describe,
    .transform = &transforms,
};

static const smr_can_stream streams = {
    .begin = SMR_TRAINING(begin),
    .learn = SMR_TRAINING(learn),
};

const smr_learner smr_impute = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes =
        SMR_TAKES_F64 | SMR_TAKES_CODES | SMR_TAKES_MISSING | SMR_TAKES_WEIGHTS | SMR_TAKES_TEXT,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .stream = SMR_TRAINING(&streams),
};
