/* clip.c -- values outside limits become the limits.
 *
 *     z = min(max(x, low_j), high_j)
 *
 * with limits that are given, the same for all columns, or the quantiles share and 1 - share of
 * each column's training rows (winsorising; math/stats.h says how quantiles count weights).  A
 * limit that is not given, or on a side that tails= leaves alone, is infinite.  Sparse rows stay
 * sparse where 0 lies within all limits.  Cost: a sort of each column; with given limits nothing is
 * fitted, and a stream can begin with it.
 *
 * Symbols: x a value of feature j, z what becomes of it. */
#include "core/number.h"
#include "math/stats.h"
#include "transform/each.h"

/* ---- parameters ------------------------------------------------------------------------- */

struct clip_params {
    double share;
    int tails;
    double low, high;
    char *column;
};

enum { TAILS_BOTH, TAILS_LOW, TAILS_HIGH };

static const smr_choice tails[] = {
    {"both", "the lowest and the highest values"},
    {"low", "only the lowest"},
    {"high", "only the highest"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct clip_params, share), .def = 0.01, .min = 0, .max = 0.5, .primary = true,
     .when = "low=none&high=none", .search = SMR_SEARCH_LOG, .search_min = 0.001, .search_max = 0.1,
     .simpler = SMR_SIMPLER_HIGH,
     .doc = "The limits are the quantiles share and 1 - share of the training rows."},
    {SMR_FIELD(struct clip_params, tails), .choices = tails, .when = "low=none&high=none",
     .doc = "Which end of the values to limit."},
    {SMR_FIELD(struct clip_params, low), .unset = true, .min = -INFINITY, .max = INFINITY,
     .min_open = true, .max_open = true,
     .doc = "Lower limit for all columns; unset: none, or a quantile."},
    {SMR_FIELD(struct clip_params, high), .unset = true, .min = -INFINITY, .max = INFINITY,
     .min_open = true, .max_open = true,
     .doc = "Upper limit for all columns; unset: none, or a quantile."},
    {SMR_FIELD(struct clip_params, column),
     .doc = "Columns to change, several in quotes separated by commas; default: all numbers."},
};

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    const struct clip_params *p = params_;
    char low[SMR_NUMBER_MAX], high[SMR_NUMBER_MAX];
    if (!(p->low > p->high)) return SMR_OK;
    smr_format_double(p->low, low);
    smr_format_double(p->high, high);
    return smr_fail(ctx, SMR_ERR_PARAM, "clip: low=%s is above high=%s", low, high);
}

static bool is_given(const struct clip_params *p)
{
    return !isnan(p->low) || !isnan(p->high);
}

/* ---- state ------------------------------------------------------------------------------ */

struct clip_state {
    int64_t n_features;
    uint8_t *changed;
    double *low, *high;
};

static const smr_state state[] = {
    {SMR_KEPT(struct clip_state, n_features), .is = "features", .min = 1, .doc = "Features."},
    {SMR_KEPT(struct clip_state, changed), .max = 1, .dims = {"n_features"},
     .doc = "1 where a feature has limits, else 0."},
    {SMR_KEPT(struct clip_state, low), .reals = SMR_REALS_NOT_NAN, .dims = {"n_features"},
     .doc = "The least value; -infinity: none."},
    {SMR_KEPT(struct clip_state, high), .reals = SMR_REALS_NOT_NAN, .dims = {"n_features"},
     .doc = "The greatest value; infinity: none."},
};

/* ---- fit -------------------------------------------------------------------------------- */

static smr_status choose(smr_ctx *ctx, const struct clip_params *p, const smr_feature *features,
                         int64_t d, struct clip_state *s)
{
    smr_status st = SMR_OK;
    s->n_features = d;
    TRY_NEW(s->changed, d);
    TRY_NEW(s->low, d);
    TRY_NEW(s->high, d);
    TRY(smr_each_choose(ctx, "clip", p->column, features, d, s->changed));
    for (int64_t j = 0; j < d; j++) {
        s->low[j] = s->changed[j] && !isnan(p->low) ? p->low : -INFINITY;
        s->high[j] = s->changed[j] && !isnan(p->high) ? p->high : INFINITY;
    }
out:
    return st;
}

struct fitting {
    const struct clip_params *p;
    struct clip_state *s;
};

static smr_status fit_column(smr_ctx *ctx, void *arg, smr_values *v)
{
    const struct fitting *f = arg;
    double q[2] = {f->p->share, 1 - f->p->share}, limit[2];
    smr_status st = SMR_OK;
    if (v->n == 0) return SMR_OK;
    TRY(smr_each_quantiles(ctx, v, 2, q, limit));
    if (f->p->tails != TAILS_HIGH) f->s->low[v->feature] = limit[0];
    if (f->p->tails != TAILS_LOW) f->s->high[v->feature] = limit[1];
out:
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    struct fitting f = {.p = params_, .s = state_};
    smr_status st = SMR_OK;
    (void)report;
    TRY(choose(ctx, f.p, data->features, data->n_features, f.s));
    if (!is_given(f.p))
        TRY(smr_each_column(ctx, "finding limits", data, f.s->changed, false, fit_column, &f));
out:
    return st;
}

static smr_status begin(smr_ctx *ctx, const void *params_, const smr_shape *shape, void *state_)
{
    if (!is_given(params_))
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "clip finds quantiles in all rows, which a stream does not have; give the "
                        "limits: clip low=0 high=100");
    return choose(ctx, params_, shape->features, shape->n_features, state_);
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct clip_state *s = state_;
    (void)params_;
    for (int64_t j = 0; j < s->n_features; j++)
        if (!(s->low[j] <= s->high[j]))
            return smr_fail(ctx, SMR_ERR_FORMAT, "clip: the limits of feature %lld are not ordered",
                            (long long)j + 1);
    return smr_each_check(ctx, s->changed, shape);
}

/* ---- predict ---------------------------------------------------------------------------- */

static double held(const void *params_, const void *state_, int64_t j, double x)
{
    const struct clip_state *s = state_;
    (void)params_;
    return x < s->low[j] ? s->low[j] : x > s->high[j] ? s->high[j] : x;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct clip_state *s = state_;
    (void)ctx, (void)output, (void)scratch;
    smr_each_rows(held, params_, s, s->changed, rows, out);
    return SMR_OK;
}

/* What lay outside is not known any more: the limit is the nearest. */
static smr_status inverse(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, double *out, void *scratch)
{
    return predict(ctx, params_, state_, rows, SMR_OUTPUT_TRANSFORM, out, scratch);
}

static bool is_sparse(const void *params_, const void *state_, bool from_sparse)
{
    const struct clip_state *s = state_;
    bool zero = from_sparse;
    (void)params_;
    for (int64_t j = 0; zero && j < s->n_features; j++) zero = s->low[j] <= 0 && s->high[j] >= 0;
    return zero;
}

static smr_status append(smr_ctx *ctx, const void *params_, const void *state_,
                         const smr_rows *rows, smr_entries *out, void *scratch)
{
    const struct clip_state *s = state_;
    (void)scratch;
    return smr_each_append(ctx, held, params_, s, s->changed, rows, out);
}

/* There is nothing to learn: the limits are given. */
static smr_status learn(smr_ctx *ctx, const void *params_, void *state_, const smr_rows *rows,
                        const smr_truths *truths, double *out)
{
    (void)truths;
    if (!out) return SMR_OK;
    return predict(ctx, params_, state_, rows, SMR_OUTPUT_TRANSFORM, out, NULL);
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct clip_state *s = state_;
    smr_json *list = smr_json_add_array(into, "features");
    (void)ctx, (void)params_;
    for (int64_t j = 0; j < n_in; j++) {
        if (!s->changed[j]) continue;
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "feature", in[j].name);
        smr_json_add_number(row, "low", s->low[j]);
        smr_json_add_number(row, "high", s->high[j]);
    }
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "clip",
    .synonyms = "winsorize winsorise clamp truncate",
    .family = "transform",
    .title = "Clipping",
    .brief = "Moves values beyond given limits to the limits, to tame outliers.",
    .objective = "z = min(max(x, low), high); limits: quantiles of the training rows, or given",
    .details =
        "By default the limits cut off the lowest and the highest hundredth of each column's "
        "training rows; the same limits hold for later rows. With low= or high= nothing is "
        "learned, and a side without a limit stays as it is. Categories and gaps pass through. "
        "predict --inverse restores values inside the limits, and gives the limit for those that "
        "were outside.",
    .reference =
        "Dixon, Simplified estimation from censored normal samples, Ann. Math. Statist. 31 "
        "(1960)",
    .example = "samara train \"clip 0.05 | linear\" data/diabetes.csv --target progression",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct clip_params),
    .check_params = check_params,
};

static const smr_can_transform transforms = {
    .outputs = smr_each_outputs,
    .is_sparse = is_sparse,
    .append = append,
    .inverse = inverse,
    .approximates = true,
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct clip_state),
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

const smr_learner smr_clip = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_CODES | SMR_TAKES_MISSING |
             SMR_TAKES_WEIGHTS | SMR_TAKES_TEXT,
    .traits = SMR_PASSES_CONTRASTS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .stream = SMR_TRAINING(&streams),
};
