/* scale.c -- features in units of their range, of their middle half, or of their largest value.
 *
 *     z = (x - middle_j) / unit_j + low                                                     (1)
 *
 *     by         middle                 unit                                       low
 *     range      the least value        (greatest - least) / (high - low)          low
 *     robust     the median             the range of the middle `share` of rows    0
 *     maxabs     0                      the largest magnitude                      0
 *
 * of the training rows, gaps left out; unit_j = 1 where it would be 0 or is not finite.  Quantiles
 * count weights (math/stats.h).  Sparse rows stay sparse where nothing is subtracted: maxabs, and
 * robust with center=no.  Its inverse is x = (z - low) unit + middle.  Cost: one pass; robust a
 * few more over each column, which is sorted only where rows have weights.  From a stream, range
 * and maxabs are those of the rows so far.
 *
 * Symbols: x a value of feature j, z what becomes of it. */
#include "core/number.h"
#include "kernel/kernel.h"
#include "math/stats.h"
#include "transform/each.h"

/* ---- parameters ------------------------------------------------------------------------- */

struct scale_params {
    int by;
    double low, high;
    double share;
    bool center;
    char *column;
};

enum { BY_RANGE, BY_ROBUST, BY_MAXABS };

static const smr_choice by[] = {
    {"range", "the smallest value becomes low, the largest high"},
    {"robust", "subtract the median, divide by the range of the middle rows"},
    {"maxabs", "divide by the largest magnitude; zeros stay zero"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct scale_params, by), .choices = by, .primary = true,
     .search = SMR_SEARCH_VALUES, .doc = "What a feature is scaled by."},
    {SMR_FIELD(struct scale_params, low), .def = 0, .min = -INFINITY, .max = INFINITY,
     .min_open = true, .max_open = true, .when = "by=range",
     .doc = "What the smallest value becomes."},
    {SMR_FIELD(struct scale_params, high), .def = 1, .min = -INFINITY, .max = INFINITY,
     .min_open = true, .max_open = true, .when = "by=range",
     .doc = "What the largest value becomes."},
    {SMR_FIELD(struct scale_params, share), .def = 0.5, .min = 0, .max = 1, .min_open = true,
     .when = "by=robust",
     .doc = "Share of the middle rows whose range is the unit: 0.5 is the interquartile range."},
    {SMR_FIELD(struct scale_params, center), .def = true, .when = "by=robust",
     .doc = "Subtract the median; turn it off to keep zeros zero."},
    {SMR_FIELD(struct scale_params, column),
     .doc = "Columns to change, several in quotes separated by commas; default: all numbers."},
};

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    const struct scale_params *p = params_;
    char low[SMR_NUMBER_MAX], high[SMR_NUMBER_MAX];
    if (p->by != BY_RANGE || p->low < p->high) return SMR_OK;
    smr_format_double(p->low, low);
    smr_format_double(p->high, high);
    return smr_fail(ctx, SMR_ERR_PARAM, "scale: low=%s must be below high=%s", low, high);
}

/* ---- state ------------------------------------------------------------------------------ */

struct scale_state {
    int64_t n_features;
    uint8_t *changed;
    double *middle, *unit;
    double *least, *greatest; /* n_features each, of a stream only */
};

static const smr_state state[] = {
    {SMR_KEPT(struct scale_state, n_features), .is = "features", .min = 1, .doc = "Features."},
    {SMR_KEPT(struct scale_state, changed), .max = 1, .dims = {"n_features"},
     .doc = "1 where a feature is scaled, else 0."},
    {SMR_KEPT(struct scale_state, middle), .reals = SMR_REALS_FINITE, .dims = {"n_features"},
     .doc = "What is subtracted."},
    {SMR_KEPT(struct scale_state, unit), .reals = SMR_REALS_ABOVE_0, .dims = {"n_features"},
     .doc = "What the difference is divided by."},
    {SMR_KEPT(struct scale_state, least), .dims = {"n_features"}, .optional = true,
     .doc = "From a stream: the least value so far; NaN before the first."},
    {SMR_KEPT(struct scale_state, greatest), .with = "least", .dims = {"n_features"},
     .optional = true, .doc = "From a stream: the greatest value so far."},
};

/* ---- fit -------------------------------------------------------------------------------- */

static double usable(double unit)
{
    return unit > 0 && isfinite(unit) ? unit : 1;
}

/* Range and maxabs, from the least and the greatest value of feature j; NaN: there is none. */
static void set_unit(const struct scale_params *p, struct scale_state *s, int64_t j, double least,
                     double greatest)
{
    if (!s->changed[j] || isnan(least)) return;
    if (p->by == BY_MAXABS) {
        s->unit[j] = usable(smr_fmax(fabs(least), fabs(greatest)));
        return;
    }
    double width = p->high - p->low, unit = (greatest - least) / width;
    if (isinf(unit)) unit = greatest / width - least / width;
    s->middle[j] = isfinite(least) ? least : 0;
    s->unit[j] = usable(unit);
}

static smr_status choose(smr_ctx *ctx, const struct scale_params *p, const smr_feature *features,
                         int64_t d, struct scale_state *s)
{
    smr_status st = SMR_OK;
    s->n_features = d;
    TRY_NEW(s->changed, d);
    TRY_NEW(s->middle, d);
    TRY_NEW(s->unit, d);
    for (int64_t j = 0; j < d; j++) s->unit[j] = 1;
    TRY(smr_each_choose(ctx, "scale", p->column, features, d, s->changed));
out:
    return st;
}

struct fitting {
    const struct scale_params *p;
    struct scale_state *s;
};

static smr_status fit_robust(smr_ctx *ctx, void *arg, smr_values *v)
{
    const struct fitting *f = arg;
    double half = f->p->share / 2, q[3] = {0.5 - half, 0.5, 0.5 + half}, at[3];
    smr_status st = SMR_OK;
    if (v->n == 0) return SMR_OK;
    TRY(smr_each_quantiles(ctx, v, 3, q, at));
    if (f->p->center && isfinite(at[1])) f->s->middle[v->feature] = at[1];
    f->s->unit[v->feature] = usable(at[2] - at[0]);
out:
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    struct fitting f = {.p = params_, .s = state_};
    smr_status st = SMR_OK;
    double *least = NULL, *greatest = NULL;
    int64_t d = data->n_features;
    (void)report;
    TRY(choose(ctx, f.p, data->features, d, f.s));
    if (f.p->by == BY_ROBUST) {
        TRY(smr_each_column(ctx, "finding medians", data, f.s->changed, false, fit_robust, &f));
        return SMR_OK;
    }
    TRY_NEW(least, d);
    TRY_NEW(greatest, d);
    TRY(smr_each_range(ctx, data, least, greatest));
    for (int64_t j = 0; j < d; j++) set_unit(f.p, f.s, j, least[j], greatest[j]);
out:
    smr_free(least);
    smr_free(greatest);
    return st;
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct scale_state *s = state_;
    (void)params_;
    return smr_each_check(ctx, s->changed, shape);
}

/* ---- predict: (1) ----------------------------------------------------------------------- */

static double low_of(const struct scale_params *p)
{
    return p->by == BY_RANGE ? p->low : 0;
}

static double scaled(const void *params_, const void *state_, int64_t j, double x)
{
    const struct scale_state *s = state_;
    double off = x - s->middle[j], unit = s->unit[j];
    if (isinf(off) && isfinite(x)) return (x / unit - s->middle[j] / unit) + low_of(params_);
    return off / unit + low_of(params_);
}

static double undone(const void *params_, const void *state_, int64_t j, double z)
{
    const struct scale_state *s = state_;
    return fma(z - low_of(params_), s->unit[j], s->middle[j]);
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct scale_state *s = state_;
    (void)ctx, (void)output, (void)scratch;
    smr_each_rows(scaled, params_, s, s->changed, rows, out);
    return SMR_OK;
}

static smr_status inverse(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, double *out, void *scratch)
{
    const struct scale_state *s = state_;
    (void)ctx, (void)scratch;
    smr_each_rows(undone, params_, s, s->changed, rows, out);
    return SMR_OK;
}

static double log_volume(const void *params_, const void *state_)
{
    const struct scale_state *s = state_;
    double sum = 0;
    (void)params_;
    for (int64_t j = 0; j < s->n_features; j++) sum -= smr_log(s->unit[j]);
    return sum;
}

static bool is_sparse(const void *params_, const void *state_, bool from_sparse)
{
    const struct scale_params *p = params_;
    (void)state_;
    return from_sparse && (p->by == BY_MAXABS || (p->by == BY_ROBUST && !p->center));
}

static smr_status append(smr_ctx *ctx, const void *params_, const void *state_,
                         const smr_rows *rows, smr_entries *out, void *scratch)
{
    const struct scale_state *s = state_;
    (void)scratch;
    return smr_each_append(ctx, scaled, params_, s, s->changed, rows, out);
}

/* ---- learning from a stream ------------------------------------------------------------- */

static smr_status begin(smr_ctx *ctx, const void *params_, const smr_shape *shape, void *state_)
{
    const struct scale_params *p = params_;
    struct scale_state *s = state_;
    smr_status st = SMR_OK;
    if (p->by == BY_ROBUST)
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                     "scale robust finds medians in all rows, which a stream does not have; use "
                     "scale range, scale maxabs or standardize"));
    TRY(choose(ctx, p, shape->features, shape->n_features, s));
    TRY_NEW(s->least, s->n_features);
    TRY_NEW(s->greatest, s->n_features);
    for (int64_t j = 0; j < s->n_features; j++) s->least[j] = s->greatest[j] = NAN;
out:
    return st;
}

static void learn_row(const struct scale_params *p, struct scale_state *s, const smr_rows *row)
{
    bool sparse = row->form == SMR_FORM_SPARSE;
    int64_t e = sparse ? row->start[0] : 0; /* entries ascend */
    for (int64_t j = 0; j < s->n_features; j++) {
        bool there = sparse && e < row->start[1] && row->column[e] == j;
        double x = sparse ? (there ? row->value[e++] : 0) : ((const double *)row->x)[j];
        bool inside = x >= s->least[j] && x <= s->greatest[j];
        if (!s->changed[j] || isnan(x) || inside) continue;
        s->least[j] = smr_fmin(s->least[j], x);
        s->greatest[j] = smr_fmax(s->greatest[j], x);
        set_unit(p, s, j, s->least[j], s->greatest[j]);
    }
}

static smr_status learn(smr_ctx *ctx, const void *params_, void *state_, const smr_rows *rows,
                        const smr_truths *truths, double *out)
{
    struct scale_state *s = state_;
    smr_status st = SMR_OK;
    if (!s->least)
        return smr_fail(ctx, SMR_ERR_STATE,
                        "this scale was fitted on a whole table, and knows no running range; begin "
                        "a new model with 'samara stream'");
    for (int64_t i = 0; i < rows->n; i++) {
        smr_rows row = smr_rows_slice(rows, i, i + 1);
        if (!truths->weight || truths->weight[i] > 0) learn_row(params_, s, &row);
        if (out)
            TRY(predict(ctx, params_, s, &row, SMR_OUTPUT_TRANSFORM, out + i * s->n_features,
                        NULL));
    }
out:
    return st;
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct scale_state *s = state_;
    smr_json *list = smr_json_add_array(into, "features");
    (void)ctx, (void)params_;
    for (int64_t j = 0; j < n_in; j++) {
        if (!s->changed[j]) continue;
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "feature", in[j].name);
        smr_json_add_number(row, "middle", s->middle[j]);
        smr_json_add_number(row, "unit", s->unit[j]);
    }
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "scale",
    .synonyms = "minmax min_max rescale MinMaxScaler by=robust RobustScaler by=maxabs MaxAbsScaler",
    .family = "transform",
    .title = "Scaling",
    .brief = "Brings features to comparable scales: by their range, their interquartile range or "
             "their largest magnitude.",
    .objective = "z = (x - middle) / unit + low; middle and unit from the training rows",
    .details =
        "range puts the training rows between low and high; later rows may lie outside. robust "
        "subtracts the median and divides by the interquartile range, so that outliers have "
        "little effect. maxabs divides by the largest magnitude, so that sparse rows stay "
        "sparse. A constant feature is only shifted. Missing values stay missing, categories "
        "pass through. In a stream, range and maxabs are those of the rows so far.",
    .reference = "Hastie, Tibshirani & Friedman, The Elements of Statistical Learning, 2009, 14.3; "
                 "Huber, Robust Statistics, 1981",
    .example = "samara train \"scale robust | knn 5\" data/wine.csv --target cultivar",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct scale_params),
    .check_params = check_params,
};

static const smr_can_transform transforms = {
    .outputs = smr_each_outputs,
    .is_sparse = is_sparse,
    .append = append,
    .inverse = inverse,
    .log_volume = log_volume,
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct scale_state),
    .gives = SMR_GIVES_TRANSFORM,
    .check = check,
    .predict = predict,
    .describe = describe,
    .transform = &transforms,
};

static const smr_can_stream streams = {
    .begin = SMR_TRAINING(begin),
    .learn = SMR_TRAINING(learn),
};

const smr_learner smr_scale = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_CODES | SMR_TAKES_MISSING |
             SMR_TAKES_WEIGHTS | SMR_TAKES_TEXT,
    .traits = SMR_PASSES_CONTRASTS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .stream = SMR_TRAINING(&streams),
};
