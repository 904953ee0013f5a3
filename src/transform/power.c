/* power.c -- features made as normal as a power can make them.
 *
 *     z = (y - mean) / sd,  y = ((1 + x)^lambda - 1) / lambda for x >= 0,
 *                           y = -((1 - x)^(2 - lambda) - 1) / (2 - lambda) for x < 0          (1)
 *     or with box_cox       y = (x^lambda - 1) / lambda, x > 0                               (2)
 *
 * with lambda of each column by maximum likelihood (power.h), or given; at 0 (and 2) a logarithm.
 * mean and sd are those of the training rows' y; standardize=no leaves them out.  (2) is refused in
 * training where a value is not above 0; such a value in a later row counts as the least of
 * training.  Both are one to one; where lambda bounds y, and no x has the y that is to be undone,
 * the nearest end of the training rows is what comes back.  Sparse rows stay sparse with (1) and
 * standardize=no: 0 stays 0.  Cost: see power.h.
 *
 * Symbols: x a value of feature j, z what becomes of it. */
#include "transform/power.h"

#include "core/number.h"
#include "transform/each.h"

/* ---- parameters ------------------------------------------------------------------------- */

struct power_params {
    int method;
    double lambda;
    bool standardize;
    char *column;
};

static const smr_choice method[] = {
    [SMR_YEO_JOHNSON] = {"yeo_johnson", "for numbers of any sign"},
    [SMR_BOX_COX] = {"box_cox", "for numbers above 0"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct power_params, method), .choices = method, .primary = true,
     .doc = "Which family of power transforms."},
    {SMR_FIELD(struct power_params, lambda), .unset = true, .min = -100, .max = 100,
     .doc = "Exponent for all columns: 1 leaves values unchanged, 0 takes logarithms; unset: "
            "chosen for each column by maximum likelihood."},
    {SMR_FIELD(struct power_params, standardize), .def = true,
     .doc = "Scale the result to mean 0 and standard deviation 1."},
    {SMR_FIELD(struct power_params, column),
     .doc = "Columns to change, several in quotes separated by commas; default: all numbers."},
};

/* ---- state ------------------------------------------------------------------------------ */

struct power_state {
    int64_t n_features;
    uint8_t *changed;
    double *lambda, *mean, *sd, *least, *greatest;
};

static const smr_state state[] = {
    {SMR_KEPT(struct power_state, n_features), .is = "features", .min = 1, .doc = "Features."},
    {SMR_KEPT(struct power_state, changed), .max = 1, .dims = {"n_features"},
     .doc = "1 where a power is taken, else 0."},
    {SMR_KEPT(struct power_state, lambda), .reals = SMR_REALS_FINITE, .dims = {"n_features"},
     .doc = "Exponents."},
    {SMR_KEPT(struct power_state, mean), .reals = SMR_REALS_FINITE, .dims = {"n_features"},
     .doc = "Mean of the powers of the training rows; 0 with standardize=no."},
    {SMR_KEPT(struct power_state, sd), .reals = SMR_REALS_ABOVE_0, .dims = {"n_features"},
     .doc = "Their standard deviation; 1 with standardize=no."},
    {SMR_KEPT(struct power_state, least), .dims = {"n_features"},
     .doc = "The least value in training; NaN: none."},
    {SMR_KEPT(struct power_state, greatest), .dims = {"n_features"},
     .doc = "The greatest value in training."},
};

/* ---- fit -------------------------------------------------------------------------------- */

enum { LONG = 65536 }; /* rows of a column that keep all threads busy by themselves */

struct fitting {
    const struct power_params *p;
    struct power_state *s;
    const smr_feature *features;
    bool *stopped; /* n_features */
};

static const char *name_of(const struct fitting *f, int64_t j)
{
    return f->features ? f->features[j].name : "?";
}

static smr_status check_values(smr_ctx *ctx, const struct fitting *f, const smr_values *v)
{
    for (int64_t i = 0; i < v->n; i++) {
        char text[SMR_NUMBER_MAX];
        bool positive = f->p->method != SMR_BOX_COX || v->x[i] > 0;
        if (positive && isfinite(v->x[i])) continue;
        smr_format_double(v->x[i], text);
        return smr_fail(ctx, SMR_ERR_DATA,
                        positive ? "power: column '%s' holds %s; clip high= before it gives limits"
                                 : "power box_cox: column '%s' holds %s, and takes values above 0 "
                                   "alone; power yeo_johnson takes all, and column= names columns",
                        name_of(f, v->feature), text);
    }
    return SMR_OK;
}

static smr_status fit_column(smr_ctx *ctx, void *arg, smr_values *v)
{
    const struct fitting *f = arg;
    int64_t j = v->feature;
    smr_power_fit found;
    smr_status st = SMR_OK;
    if (v->n == 0) return SMR_OK;
    TRY(check_values(ctx, f, v));
    TRY(smr_power_find(ctx, (smr_power_method)f->p->method, f->p->lambda, v->n, v->x, v->w,
                       &found));
    f->s->lambda[j] = found.lambda;
    f->s->least[j] = found.least;
    f->s->greatest[j] = found.greatest;
    f->stopped[j] = found.stopped;
    if (!f->p->standardize) return SMR_OK;
    f->s->mean[j] = found.mean;
    f->s->sd[j] = found.sd;
out:
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    struct power_state *s = state_;
    struct fitting f = {.p = params_, .s = s, .features = data->features};
    int64_t d = data->n_features;
    smr_status st = SMR_OK;
    (void)report;
    s->n_features = d;
    TRY_NEW(s->changed, d);
    TRY_NEW(s->lambda, d);
    TRY_NEW(s->mean, d);
    TRY_NEW(s->sd, d);
    TRY_NEW(s->least, d);
    TRY_NEW(s->greatest, d);
    TRY_NEW(f.stopped, d);
    for (int64_t j = 0; j < d; j++) {
        s->sd[j] = s->lambda[j] = 1;
        s->least[j] = s->greatest[j] = NAN;
    }
    TRY(smr_each_choose(ctx, "power", f.p->column, data->features, d, s->changed));
    TRY(smr_each_column(ctx, "finding exponents", data, s->changed, data->n_rows > LONG, fit_column,
                        &f));
    for (int64_t j = 0; j < d; j++)
        if (f.stopped[j])
            smr_warn(ctx,
                     "power: column '%s' varies too little for its size, and its exponent stops at "
                     "%.3g; put standardize before power",
                     name_of(&f, j), s->lambda[j]);
out:
    smr_free(f.stopped);
    return st;
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct power_state *s = state_;
    (void)params_;
    for (int64_t j = 0; j < s->n_features; j++)
        if (s->least[j] > s->greatest[j])
            return smr_fail(ctx, SMR_ERR_FORMAT,
                            "power: the least value of feature %lld is above its greatest",
                            (long long)j + 1);
    return smr_each_check(ctx, s->changed, shape);
}

/* ---- predict: (1), (2) ------------------------------------------------------------------ */

static double raised(const void *params_, const void *state_, int64_t j, double x)
{
    const struct power_params *p = params_;
    const struct power_state *s = state_;
    if (p->method == SMR_BOX_COX && !(x > 0)) x = s->least[j];
    double y = smr_power_of((smr_power_method)p->method, s->lambda[j], x);
    return (y - s->mean[j]) / s->sd[j];
}

static double undone(const void *params_, const void *state_, int64_t j, double z)
{
    const struct power_params *p = params_;
    const struct power_state *s = state_;
    bool above;
    double x = smr_power_back((smr_power_method)p->method, s->lambda[j],
                              fma(z, s->sd[j], s->mean[j]), &above);
    return !isnan(x) ? x : above ? s->greatest[j] : s->least[j];
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct power_state *s = state_;
    (void)ctx, (void)output, (void)scratch;
    smr_each_rows(raised, params_, s, s->changed, rows, out);
    return SMR_OK;
}

static smr_status inverse(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, double *out, void *scratch)
{
    const struct power_state *s = state_;
    (void)ctx, (void)scratch;
    smr_each_rows(undone, params_, s, s->changed, rows, out);
    return SMR_OK;
}

static bool is_sparse(const void *params_, const void *state_, bool from_sparse)
{
    const struct power_params *p = params_;
    (void)state_;
    return from_sparse && p->method == SMR_YEO_JOHNSON && !p->standardize;
}

static smr_status append(smr_ctx *ctx, const void *params_, const void *state_,
                         const smr_rows *rows, smr_entries *out, void *scratch)
{
    const struct power_state *s = state_;
    (void)scratch;
    return smr_each_append(ctx, raised, params_, s, s->changed, rows, out);
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct power_state *s = state_;
    smr_json *list = smr_json_add_array(into, "features");
    (void)ctx, (void)params_;
    for (int64_t j = 0; j < n_in; j++) {
        if (!s->changed[j]) continue;
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "feature", in[j].name);
        smr_json_add_number(row, "lambda", s->lambda[j]);
        smr_json_add_number(row, "mean", s->mean[j]);
        smr_json_add_number(row, "sd", s->sd[j]);
    }
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "power",
    .synonyms = "yeojohnson PowerTransformer method=box_cox boxcox",
    .family = "transform",
    .title = "Power transforms",
    .brief = "Raises each column to the power that makes it look most like a normal distribution.",
    .objective =
        "z = (y - mean) / sd, y = ((1 + x)^lambda - 1) / lambda for x >= 0, "
        "-((1 - x)^(2 - lambda) - 1) / (2 - lambda) for x < 0; box_cox: y = (x^lambda - 1) / "
        "lambda; lambda minimises 1/2 log var(y) - (lambda - 1) mean(sign(x) log(1 + |x|))",
    .details =
        "lambda = 1 leaves a column as it is, 0.5 takes square roots, 0 logarithms, -1 "
        "reciprocals; inspect shows the values found. The likelihood has a single maximum, which "
        "is found to the last digits. A column that varies little for its size, such as years, "
        "has no useful exponent, and a warning says so. Gaps and categories pass through. Undone "
        "by predict --inverse.",
    .reference = "Box & Cox, An analysis of transformations, JRSS B 26 (1964); Yeo & Johnson, "
                 "Biometrika 87 (2000)",
    .example = "samara train \"power | ridge\" data/diabetes.csv --target progression",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct power_params),
};

static const smr_can_transform transforms = {
    .outputs = smr_each_outputs,
    .is_sparse = is_sparse,
    .append = append,
    .inverse = inverse,
    .adapts = SMR_NEED_RAISED,
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct power_state),
    .gives = SMR_GIVES_TRANSFORM,
    .check = check,
    .predict = predict,
    .describe = describe,
    .transform = &transforms,
};

const smr_learner smr_power = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_CODES | SMR_TAKES_MISSING |
             SMR_TAKES_WEIGHTS | SMR_TAKES_TEXT,
    .traits = SMR_PASSES_CONTRASTS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
};
