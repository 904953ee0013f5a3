/* standardize.c -- features with mean 0 and deviation 1.
 *
 *     z_j = (x_j - mean_j) / sd_j                                                          (1)
 *
 * with the training rows' weighted mean and deviation (over the total weight), and sd_j = 1 for a
 * feature that is constant up to rounding.  Missing values stay missing and do not count;
 * categories and texts pass through.  Sparse rows stay sparse with center=no; a mean that is
 * subtracted makes them dense.  Cost: two passes over the rows to fit, d reals of state twice.
 *
 * From a stream, mean and deviation are those of the rows so far (Welford, with weights):
 *
 *     W <- W + w,  m' = m + (x - m) w / W,  S <- S + w (x - m)(x - m'),  sd = sqrt(S / W)  (2)
 *
 * In sparse rows only the entries are touched: the zeros that a feature had since, of weight z
 * together, are added when it is next read,
 *
 *     m' = m W / (W + z),  S' = S + m^2 W z / (W + z)                                      (3)
 *
 * Its inverse is x_j = z_j sd_j + mean_j.
 *
 * Symbols: d features, x_j feature j of a row. */
#include "kernel/kernel.h"
#include "learn/learner.h"
#include "learn/member.h"
#include "transform/moments.h"

#include <float.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

enum { WIDE = 1000 }; /* sparse features whose centring is worth a warning */

struct standardize_params {
    bool center, scale;
};

static const smr_param params[] = {
    {SMR_FIELD(struct standardize_params, center), .def = true,
     .doc = "Subtract the mean; turn it off to keep zeros zero."},
    {SMR_FIELD(struct standardize_params, scale), .def = true,
     .doc = "Divide by the standard deviation."},
};

/* ---- state ------------------------------------------------------------------------------ */

struct standardize_state {
    int64_t n_features;
    double *mean;
    double *sd;
    double *seen, *middle, *spread; /* n_features each, of a stream only   */
    double total;                   /* weight of its rows                  */
    double *counted;                /* n_features: of the rows in seen; NULL: of all */
};

static const smr_state state[] = {
    {SMR_KEPT(struct standardize_state, n_features), .is = "features", .min = 1,
     .doc = "Features."},
    {SMR_KEPT(struct standardize_state, mean), .dims = {"n_features"},
     .doc = "Mean of each feature; 0 where it is not centred."},
    {SMR_KEPT(struct standardize_state, sd), .dims = {"n_features"},
     .doc = "Standard deviation of each feature; 1 where it is not scaled."},
    {SMR_KEPT(struct standardize_state, seen), .dims = {"n_features"}, .optional = true,
     .doc = "From a stream: the weight of the rows where a feature was present; -1: a category."},
    {SMR_KEPT(struct standardize_state, middle), .with = "seen", .dims = {"n_features"},
     .optional = true, .doc = "From a stream: the mean of these rows."},
    {SMR_KEPT(struct standardize_state, spread), .with = "seen", .dims = {"n_features"},
     .optional = true,
     .doc = "From a stream: their weighted squared deviations from the mean, summed."},
    {SMR_KEPT(struct standardize_state, total), .doc = "From a stream: the weight of its rows."},
    {SMR_KEPT(struct standardize_state, counted), .needs = "seen", .dims = {"n_features"},
     .optional = true,
     .doc = "From a stream of sparse rows: the weight of the rows up to a feature's last entry; "
            "it was 0 since."},
};

/* ---- fit -------------------------------------------------------------------------------- */

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct standardize_params *p = params_;
    struct standardize_state *s = state_;
    int64_t d = data->n_features;
    smr_status st = SMR_OK;
    double *weight = NULL;
    (void)report;
    s->n_features = d;
    TRY_NEW(s->mean, d);
    TRY_NEW(s->sd, d);
    TRY_NEW(weight, d);
    TRY(smr_moments(ctx, data, s->mean, s->sd, weight));
    if (p->center && smr_data_is_sparse(data) && d >= WIDE)
        smr_warn(ctx,
                 "standardize subtracts the means of %lld sparse features, which makes their rows "
                 "dense; center=no only scales them and keeps the rows sparse",
                 (long long)d);
    for (int64_t j = 0; j < d; j++) {
        bool number = !data->features || data->features[j].kind == SMR_NUMBER;
        double sd = s->sd[j], noise = 8 * DBL_EPSILON * fabs(s->mean[j]);
        s->sd[j] = number && p->scale && sd > noise ? sd : 1;
        if (!number || !p->center) s->mean[j] = 0;
    }
out:
    smr_free(weight);
    return st;
}

/* ---- predict: (1) ----------------------------------------------------------------------- */

/* part = 1 / the weight seen. */
static inline double deviation(double part, double middle, double spread)
{
    double sd = sqrt(spread * part), noise = 8 * DBL_EPSILON * fabs(middle);
    return sd > noise ? sd : 1;
}

/* (3); false: there are no zeros to add. */
static bool with_zeros(const struct standardize_state *s, int64_t j, double *seen, double *middle,
                       double *spread)
{
    double zeros = s->counted ? s->total - s->counted[j] : 0;
    *seen = s->seen ? s->seen[j] : 0;
    *middle = s->middle ? s->middle[j] : 0;
    *spread = s->spread ? s->spread[j] : 0;
    if (!(zeros > 0) || *seen < 0) return false;
    double both = *seen + zeros;
    *spread += *middle * *middle * (*seen * (zeros / both));
    *middle *= *seen / both;
    *seen = both;
    return true;
}

/* What (1) takes of feature j, with the zeros of a stream that are not added yet. */
static void unit_of(const struct standardize_params *p, const struct standardize_state *s,
                    int64_t j, double *mean, double *sd)
{
    double seen, middle, spread;
    *mean = s->mean[j];
    *sd = s->sd[j];
    if (!s->counted || !with_zeros(s, j, &seen, &middle, &spread)) return;
    *mean = p->center ? middle : 0;
    *sd = p->scale ? deviation(1 / seen, middle, spread) : 1;
}

static double scaled(const struct standardize_params *p, const struct standardize_state *s,
                     int64_t j, double x)
{
    double mean, sd;
    unit_of(p, s, j, &mean, &sd);
    double r = x - mean;
    if (isinf(r) && isfinite(x)) return (x / 2 - mean / 2) / sd * 2;
    return r / sd;
}

/* Sparse rows: everything except the entries is 0 - mean. */
static smr_status spread_rows(smr_ctx *ctx, const struct standardize_params *p,
                              const struct standardize_state *s, const smr_rows *rows, double *out)
{
    smr_status st = SMR_OK;
    int64_t d = s->n_features;
    for (int64_t i = 0; i < rows->n; i++) {
        if (d >= SMR_WIDE_ROW) TRY(smr_tick(ctx, NULL, i, rows->n, NAN));
        for (int64_t j = 0; j < d; j++) out[i * d + j] = scaled(p, s, j, 0);
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
            out[i * d + rows->column[e]] = scaled(p, s, rows->column[e], rows->value[e]);
    }
out:
    return st;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct standardize_params *p = params_;
    const struct standardize_state *s = state_;
    smr_status st = SMR_OK;
    int64_t d = s->n_features;
    (void)output, (void)scratch;
    if (rows->form == SMR_FORM_SPARSE) return spread_rows(ctx, p, s, rows, out);
    for (int64_t i = 0; i < rows->n; i++) {
        if (d >= SMR_WIDE_ROW) TRY(smr_tick(ctx, NULL, i, rows->n, NAN));
        const double *x = (const double *)rows->x + i * rows->stride;
        for (int64_t j = 0; j < d; j++) {
            double r = x[j] - s->mean[j], z = r / s->sd[j];
            if (s->counted || (isinf(r) && isfinite(x[j]))) z = scaled(p, s, j, x[j]);
            out[i * d + j] = z;
        }
    }
out:
    return st;
}

/* x = z sd + mean, rounded once and without overflow on the way. */
static smr_status inverse(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, double *out, void *scratch)
{
    const struct standardize_state *s = state_;
    int64_t d = s->n_features;
    (void)ctx, (void)scratch;
    for (int64_t j = 0; j < d; j++) {
        double mean, sd;
        unit_of(params_, s, j, &mean, &sd);
        for (int64_t i = 0; i < rows->n; i++)
            out[i * d + j] = fma(((const double *)rows->x)[i * rows->stride + j], sd, mean);
    }
    return SMR_OK;
}

static double log_volume(const void *params_, const void *state_)
{
    const struct standardize_state *s = state_;
    double sum = 0;
    for (int64_t j = 0; j < s->n_features; j++) {
        double mean, sd;
        unit_of(params_, s, j, &mean, &sd);
        sum -= smr_log(sd);
    }
    return sum;
}

static bool is_sparse(const void *params_, const void *state_, bool from_sparse)
{
    const struct standardize_params *p = params_;
    (void)state_;
    return from_sparse && !p->center;
}

static smr_status append(smr_ctx *ctx, const void *params_, const void *state_,
                         const smr_rows *rows, smr_entries *out, void *scratch)
{
    const struct standardize_params *p = params_;
    const struct standardize_state *s = state_;
    smr_status st = SMR_OK;
    (void)scratch;
    TRY(smr_entries_reserve(ctx, out, rows->start[rows->n] - rows->start[0]));
    for (int64_t i = 0; i < rows->n; i++) {
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
            smr_entries_add(out, rows->column[e], scaled(p, s, rows->column[e], rows->value[e]));
        smr_entries_end_row(out);
    }
out:
    return st;
}

/* ---- learning from a stream ------------------------------------------------------------- */

static smr_status begin(smr_ctx *ctx, const void *params_, const smr_shape *shape, void *state_)
{
    struct standardize_state *s = state_;
    int64_t d = shape->n_features;
    smr_status st = SMR_OK;
    (void)params_;
    s->n_features = d;
    TRY_NEW(s->mean, d);
    TRY_NEW(s->sd, d);
    TRY_NEW(s->seen, d);
    TRY_NEW(s->middle, d);
    TRY_NEW(s->spread, d);
    for (int64_t j = 0; j < d; j++) {
        s->sd[j] = 1;
        if (shape->features && shape->features[j].kind == SMR_CATEGORY) s->seen[j] = -1;
    }
out:
    return st;
}

/* One more value x of weight w > 0, as (2); *mean and *sd are the new ones.  part = 1 / (seen + w).
 */
static inline void take_value(double x, double w, double part, double *seen, double *middle,
                              double *spread, double *mean, double *sd)
{
    bool counts = x == x && *seen >= 0; /* a gap or a category changes nothing */
    double total = *seen + w, off = x - *middle;
    double m = *middle + off * (w * part), square = *spread + w * off * (x - m);
    *seen = counts ? total : *seen;
    *middle = counts ? m : *middle;
    *spread = counts ? square : *spread;
    *mean = counts ? m : *mean;
    *sd = counts ? deviation(part, m, square) : *sd;
}

static void take_dense(const struct standardize_params *p, struct standardize_state *s,
                       const double *x, double w)
{
    int64_t d = s->n_features;
    double last = -2, part = 0; /* without gaps all features have seen the same weight */
    for (int64_t j = 0; j < d; j++) {
        if (s->seen[j] != last) part = 1 / (s->seen[j] + w);
        last = s->seen[j];
        take_value(x[j], w, part, &s->seen[j], &s->middle[j], &s->spread[j], &s->mean[j],
                   &s->sd[j]);
    }
    if (!p->center) memset(s->mean, 0, (size_t)d * sizeof *s->mean);
    for (int64_t j = 0; !p->scale && j < d; j++) s->sd[j] = 1;
    for (int64_t j = 0; s->counted && j < d; j++) s->counted[j] = s->total + w;
}

static void take_entry(const struct standardize_params *p, struct standardize_state *s, int64_t j,
                       double x, double w)
{
    double mean = 0, sd = 1;
    with_zeros(s, j, &s->seen[j], &s->middle[j], &s->spread[j]);
    s->counted[j] = s->total + w;
    take_value(x, w, 1 / (s->seen[j] + w), &s->seen[j], &s->middle[j], &s->spread[j], &mean, &sd);
    if (!(s->seen[j] > 0)) return;
    s->mean[j] = p->center ? s->middle[j] : 0;
    s->sd[j] = p->scale ? deviation(1 / s->seen[j], s->middle[j], s->spread[j]) : 1;
}

static smr_status learn(smr_ctx *ctx, const void *params_, void *state_, const smr_rows *rows,
                        const smr_truths *truths, double *out)
{
    const struct standardize_params *p = params_;
    struct standardize_state *s = state_;
    bool is_sparse_form = rows->form == SMR_FORM_SPARSE;
    int64_t d = s->n_features;
    smr_status st = SMR_OK;
    if (!s->seen)
        return smr_fail(
            ctx, SMR_ERR_STATE,
            "this standardize was fitted on a whole table, and knows no running means; begin a "
            "new model with 'samara stream'");
    if (is_sparse_form && !s->counted) {
        TRY_NEW(s->counted, d);
        for (int64_t j = 0; j < d; j++) s->counted[j] = s->total;
    }
    for (int64_t i = 0; i < rows->n; i++) {
        smr_rows row = smr_rows_slice(rows, i, i + 1);
        double w = truths->weight ? truths->weight[i] : 1;
        if (w > 0 && is_sparse_form)
            for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
                take_entry(p, s, rows->column[e], rows->value[e], w);
        else if (w > 0)
            take_dense(p, s, row.x, w);
        s->total += w;
        if (out) TRY(predict(ctx, p, s, &row, SMR_OUTPUT_TRANSFORM, out + i * d, NULL));
    }
out:
    return st;
}

/* ---- outputs ------------------------------------------------------------------------------ */

static smr_status outputs(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_feature *in, int64_t n_in, smr_feature *out, int64_t n_out)
{
    (void)params_, (void)state_, (void)n_in;
    for (int64_t j = 0; j < n_out; j++) {
        out[j].kind = in[j].kind;
        out[j].n_levels = in[j].n_levels;
        out[j].levels = in[j].levels;
        out[j].text = in[j].text;
        out[j].name = smr_strdup(ctx, in[j].name);
        if (!out[j].name) return SMR_ERR_NOMEM;
    }
    return SMR_OK;
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct standardize_state *s = state_;
    smr_json *list = smr_json_add_array(into, "features");
    (void)ctx, (void)params_;
    for (int64_t j = 0; j < n_in; j++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "feature", in[j].name);
        smr_json_add_number(row, "mean", s->mean[j]);
        smr_json_add_number(row, "sd", s->sd[j]);
    }
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "standardize",
    .synonyms = "scaler standard zscore normalize StandardScaler",
    .family = "transform",
    .title = "Standardising",
    .brief = "Gives every numeric feature mean 0 and standard deviation 1.",
    .objective = "z = (x - mean) / sd, with the training rows' mean and sd",
    .details =
        "A constant feature is only centred. Missing values stay missing, categories pass "
        "through. With center=no sparse rows stay sparse. Means and standard deviations come "
        "from the training rows alone; in a stream, from the rows so far, including the current "
        "one.",
    .reference = "Hastie, Tibshirani & Friedman, The Elements of Statistical Learning, 2009, 3.4; "
                 "Welford, Technometrics 4 (1962)",
    .example = "samara train \"standardize | knn 5\" data/wine.csv --target cultivar",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct standardize_params),
};

/* Without their mean, zeros would no longer be zeros. */
static void tailor(void *params_, const smr_tailor *next)
{
    struct standardize_params *p = params_;
    if (next->sparse) p->center = false;
}

static const smr_can_transform transforms = {
    .adapts = SMR_NEED_SCALED,
    .tailor = tailor,
    .outputs = outputs,
    .is_sparse = is_sparse,
    .append = append,
    .inverse = inverse,
    .log_volume = log_volume,
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct standardize_state),
    .gives = SMR_GIVES_TRANSFORM,
    .predict = predict,
    .describe = describe,
    .transform = &transforms,
};

static const smr_can_stream streams = {
    .begin = SMR_TRAINING(begin),
    .learn = SMR_TRAINING(learn),
};

const smr_learner smr_standardize = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_CODES | SMR_TAKES_MISSING |
             SMR_TAKES_WEIGHTS | SMR_TAKES_TEXT,
    .traits = SMR_PASSES_CONTRASTS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .stream = SMR_TRAINING(&streams),
};
