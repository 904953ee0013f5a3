/* log.c -- logarithms of features.
 *
 *     z = sign(x) log(1 + |x|)     without shift                                           (1)
 *     z = log(x + shift)           with shift, x > -shift                                  (2)
 *
 * (1) is log(1 + x) from 0 on, takes negative values as their mirror image, and keeps 0 at 0, so
 * that sparse rows stay sparse; there is nothing to fit, and a stream can begin with it.  (2) is
 * refused in training where a value is not above -shift; such a value in a later row counts as the
 * least of the training rows.  Both are one to one: x = sign(z) (exp |z| - 1), and exp(z) - shift.
 * Cost: one logarithm per value; with shift one pass to find the least values.
 *
 * Symbols: x a value of a feature, z what becomes of it, log the natural logarithm. */
#include "core/number.h"
#include "kernel/kernel.h"
#include "transform/each.h"

#include <stdio.h>

/* ---- parameters ------------------------------------------------------------------------- */

struct log_params {
    char *column;
    double shift;
};

static const smr_param params[] = {
    {SMR_FIELD(struct log_params, column), .primary = true,
     .doc = "Columns to change, several in quotes separated by commas; default: all numbers."},
    {SMR_FIELD(struct log_params, shift), .unset = true, .min = -INFINITY, .max = INFINITY,
     .min_open = true, .max_open = true,
     .doc = "Take log(x + shift), for values above -shift only; 0: plain logarithms; unset: "
            "sign(x) log(1 + |x|)."},
};

/* ---- state ------------------------------------------------------------------------------ */

struct log_state {
    int64_t n_features;
    uint8_t *changed;
    double *least; /* n_features, with shift only */
};

static const smr_state state[] = {
    {SMR_KEPT(struct log_state, n_features), .is = "features", .min = 1, .doc = "Features."},
    {SMR_KEPT(struct log_state, changed), .max = 1, .dims = {"n_features"},
     .doc = "1 where the logarithm is taken, else 0."},
    {SMR_KEPT(struct log_state, least), .with = "shift!=none", .dims = {"n_features"},
     .optional = true,
     .doc = "With shift: the least value in training, which smaller ones count as where they have "
            "no logarithm."},
};

static bool shifts(const struct log_params *p)
{
    return !isnan(p->shift);
}

/* ---- fit -------------------------------------------------------------------------------- */

static smr_status choose(smr_ctx *ctx, const struct log_params *p, const smr_feature *features,
                         int64_t d, struct log_state *s)
{
    smr_status st = SMR_OK;
    s->n_features = d;
    TRY_NEW(s->changed, d);
    TRY(smr_each_choose(ctx, "log", p->column, features, d, s->changed));
    if (shifts(p)) TRY_NEW(s->least, d);
    for (int64_t j = 0; s->least && j < d; j++) s->least[j] = INFINITY;
out:
    return st;
}

static smr_status refuse(smr_ctx *ctx, const struct log_params *p, const smr_feature *features,
                         int64_t j, double x)
{
    char name[32], value[SMR_NUMBER_MAX], shift[SMR_NUMBER_MAX];
    snprintf(name, sizeof name, "number %lld", (long long)j + 1);
    smr_format_double(x, value);
    smr_format_double(p->shift, shift);
    return smr_fail(ctx, SMR_ERR_DATA,
                    "log shift=%s: column '%s' holds %s, and there is no logarithm of %s + %s; "
                    "name other columns in column=, take a larger shift, or leave shift= out for "
                    "sign(x) log(1 + |x|)",
                    shift, features ? features[j].name : name, value, value, shift);
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct log_params *p = params_;
    struct log_state *s = state_;
    smr_status st = SMR_OK;
    double *greatest = NULL;
    (void)report;
    TRY(choose(ctx, p, data->features, data->n_features, s));
    if (!s->least) return SMR_OK;
    TRY_NEW(greatest, s->n_features);
    TRY(smr_each_range(ctx, data, s->least, greatest));
    for (int64_t j = 0; j < s->n_features; j++) {
        if (!s->changed[j] || isnan(s->least[j])) s->least[j] = INFINITY;
        if (!(s->least[j] + p->shift > 0)) TRY(refuse(ctx, p, data->features, j, s->least[j]));
    }
out:
    smr_free(greatest);
    return st;
}

static smr_status begin(smr_ctx *ctx, const void *params_, const smr_shape *shape, void *state_)
{
    return choose(ctx, params_, shape->features, shape->n_features, state_);
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct log_state *s = state_;
    (void)params_;
    return smr_each_check(ctx, s->changed, shape);
}

/* ---- predict ---------------------------------------------------------------------------- */

static double logarithm(const void *params_, const void *state_, int64_t j, double x)
{
    const struct log_params *p = params_;
    const struct log_state *s = state_;
    if (!s->least) return copysign(smr_log1p(fabs(x)), x);
    double from = x + p->shift > 0 ? x : s->least[j];
    return isinf(from) && from != x ? NAN : smr_log(from + p->shift); /* no row was seen yet */
}

static double exponential(const void *params_, const void *state_, int64_t j, double z)
{
    const struct log_params *p = params_;
    const struct log_state *s = state_;
    (void)j;
    if (!s->least) return copysign(smr_expm1(fabs(z)), z);
    return smr_exp(z) - p->shift;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct log_state *s = state_;
    (void)ctx, (void)output, (void)scratch;
    smr_each_rows(logarithm, params_, s, s->changed, rows, out);
    return SMR_OK;
}

static smr_status inverse(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, double *out, void *scratch)
{
    const struct log_state *s = state_;
    (void)ctx, (void)scratch;
    smr_each_rows(exponential, params_, s, s->changed, rows, out);
    return SMR_OK;
}

/* log(0 + 1) is 0 too. */
static bool is_sparse(const void *params_, const void *state_, bool from_sparse)
{
    const struct log_params *p = params_;
    (void)state_;
    return from_sparse && (!shifts(p) || p->shift == 1);
}

static smr_status append(smr_ctx *ctx, const void *params_, const void *state_,
                         const smr_rows *rows, smr_entries *out, void *scratch)
{
    const struct log_state *s = state_;
    (void)scratch;
    return smr_each_append(ctx, logarithm, params_, s, s->changed, rows, out);
}

/* ---- learning from a stream ------------------------------------------------------------- */

static smr_status learn_row(smr_ctx *ctx, const struct log_params *p, struct log_state *s,
                            const smr_rows *row)
{
    smr_status st = SMR_OK;
    bool sparse = row->form == SMR_FORM_SPARSE;
    int64_t e = sparse ? row->start[0] : 0; /* entries ascend */
    for (int64_t j = 0; j < s->n_features; j++) {
        bool there = sparse && e < row->start[1] && row->column[e] == j;
        double x = sparse ? (there ? row->value[e++] : 0) : ((const double *)row->x)[j];
        if (!s->changed[j] || isnan(x)) continue;
        if (!(x + p->shift > 0)) TRY(refuse(ctx, p, NULL, j, x));
        s->least[j] = smr_fmin(s->least[j], x);
    }
out:
    return st;
}

static smr_status learn(smr_ctx *ctx, const void *params_, void *state_, const smr_rows *rows,
                        const smr_truths *truths, double *out)
{
    struct log_state *s = state_;
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < rows->n; i++) {
        smr_rows row = smr_rows_slice(rows, i, i + 1);
        bool counts = !truths->weight || truths->weight[i] > 0;
        if (s->least && counts) TRY(learn_row(ctx, params_, s, &row));
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
    const struct log_state *s = state_;
    smr_json *list = smr_json_add_array(into, "features");
    (void)ctx, (void)params_;
    for (int64_t j = 0; j < n_in; j++) {
        if (!s->changed[j]) continue;
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "feature", in[j].name);
        if (s->least) smr_json_add_number(row, "least", s->least[j]);
    }
    return SMR_OK;
}

static void tailor(void *params_, const smr_tailor *next)
{
    struct log_params *p = params_;
    if (next->plain) p->shift = 0;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "log",
    .synonyms = "log1p logarithm ln FunctionTransformer",
    .family = "transform",
    .title = "Logarithms of features",
    .brief = "Takes the logarithm of numbers, for columns with a long tail.",
    .objective = "z = sign(x) log(1 + |x|); with shift: z = log(x + shift)",
    .details =
        "Amounts, counts and durations often have a few values far above the others; their "
        "logarithms are spread more evenly, and a factor becomes a difference. Without shift, 0 "
        "stays 0 and negative values mirror positive ones, so that every value has a logarithm "
        "and sparse rows stay sparse. With shift, a training value that is not above -shift is "
        "an error, and in a later row it counts as the smallest training value. Categories and "
        "gaps pass through. Undone by predict --inverse.",
    .reference = "Tukey, Exploratory Data Analysis, 1977, chapter 3; John & Draper, An alternative "
                 "family of transformations, Applied Statistics 29 (1980)",
    .example = "samara train \"log s5,bmi | ridge\" data/diabetes.csv --target progression",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct log_params),
};

static const smr_can_transform transforms = {
    .outputs = smr_each_outputs,
    .is_sparse = is_sparse,
    .append = append,
    .inverse = inverse,
    .adapts = SMR_NEED_LOGGED,
    .tailor = tailor,
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct log_state),
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

const smr_learner smr_log_learner = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_CODES | SMR_TAKES_MISSING |
             SMR_TAKES_WEIGHTS | SMR_TAKES_TEXT,
    .traits = SMR_PASSES_CONTRASTS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .stream = SMR_TRAINING(&streams),
};
