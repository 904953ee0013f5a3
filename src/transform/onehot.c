/* onehot.c -- a category with m levels becomes m features, of which one is 1.
 *
 * Numbers pass through.  A feature with more than max_levels levels keeps those of the greatest
 * weight in the training rows (ties: the earlier level) and sends the rest to one further feature,
 * `other`. A missing or unseen category is all zeros.  With drop=first the first level has no
 * feature of its own: the features are then not collinear with an intercept, and coefficients are
 * differences from that level.  Zeros then mean that level; so a feature with missing values in the
 * training rows gets one more, `missing`, which missing and unseen categories set.  Where training
 * has no missing value there is nothing to learn about them, and they count as the first level.
 *
 * The inverse is the level that is set; for shares, as in a mean of such rows, the most frequent
 * one; for `other` and `missing` it is a gap.
 *
 * Many outputs of few features are given as sparse rows.
 *
 * Symbols: feature j with levels 0 .. m_j - 1; slot[offset_j + k] is the output of level k, or
 * -1. */
#include "core/sort.h"
#include "core/text.h"
#include "learn/learner.h"
#include "learn/schema.h"

#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

struct onehot_params {
    int64_t max_levels;
    int drop;
};

enum { DROP_NONE, DROP_FIRST };
enum { SPARSE_OUTPUTS = 256, SPARSE_RATIO = 16 }; /* rows this wide are sparse */

static const smr_choice drop[] = {
    {"none", "every level has a feature"},
    {"first", "the first level has none"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct onehot_params, max_levels), .def = 100, .min = 1, .max = 1e6, .primary = true,
     .doc = "The most levels of one feature; the rest share the level 'other'."},
    {SMR_FIELD(struct onehot_params, drop), .choices = drop,
     .doc = "Whether the first level gets a feature."},
};

/* ---- state ------------------------------------------------------------------------------ */

struct onehot_state {
    int64_t n_features;
    int64_t n_outputs;
    int64_t *offset; /* n_features + 1: where the levels of a feature begin in slot          */
    int64_t *first;  /* n_features: its first output                                        */
    int64_t n_slots;
    int32_t *slot;
    int64_t n_offsets;
    int32_t *missing; /* n_features: which of its outputs a missing value sets, or -1; or NULL */
};

static const smr_state state[] = {
    {SMR_KEPT(struct onehot_state, n_features), .min = 1, .doc = "Features that come in."},
    {SMR_KEPT(struct onehot_state, n_outputs), .min = 0, .doc = "Features that go out."},
    {SMR_KEPT(struct onehot_state, n_offsets), .min = 2, .doc = "n_features + 1."},
    {SMR_KEPT(struct onehot_state, n_slots), .min = 0, .doc = "Levels of all features together."},
    {SMR_KEPT(struct onehot_state, offset), .dims = {"n_offsets"},
     .doc = "Where a feature's levels begin among all; a number has none."},
    {SMR_KEPT(struct onehot_state, first), .dims = {"n_features"},
     .doc = "The first output of a feature."},
    {SMR_KEPT(struct onehot_state, slot), .dims = {"n_slots"},
     .doc = "Which of its feature's outputs a level sets, or -1."},
    {SMR_KEPT(struct onehot_state, missing), .dims = {"n_features"}, .optional = true,
     .doc = "Which of its feature's outputs a missing value sets, or -1; with drop=first only."},
};

/* ---- fit -------------------------------------------------------------------------------- */

/* Total weight of each level of feature j in the training rows. */
static smr_status weigh_levels(smr_ctx *ctx, const smr_data *data, int64_t j, double *weight)
{
    smr_status st = SMR_OK;
    double *column = NULL;
    TRY_NEW(column, data->n_rows);
    TRY(smr_data_column(ctx, data, j, column));
    for (int64_t i = 0; i < data->n_rows; i++)
        if (!isnan(column[i])) weight[(int64_t)column[i]] += smr_data_weight(data, i);
out:
    smr_free(column);
    return st;
}

/* keep[k] for the `most` heaviest levels; the order is stable: among equals the earlier stay. */
static smr_status keep_heaviest(smr_ctx *ctx, const double *weight, int64_t m, int64_t most,
                                bool *keep)
{
    smr_status st = SMR_OK;
    double *lightness = NULL;
    int64_t *order = NULL;
    TRY_NEW(lightness, m);
    TRY_NEW(order, m);
    for (int64_t k = 0; k < m; k++) lightness[k] = -weight[k];
    TRY(smr_argsort_f64(ctx, m, lightness, order));
    for (int64_t r = 0; r < most; r++) keep[order[r]] = true;
out:
    smr_free(lightness);
    smr_free(order);
    return st;
}

static smr_status choose_levels(smr_ctx *ctx, const struct onehot_params *p, const smr_data *data,
                                int64_t j, int32_t *slot, int64_t *width)
{
    int64_t m = data->features[j].n_levels, dropped = p->drop == DROP_FIRST;
    smr_status st = SMR_OK;
    double *weight = NULL;
    bool *keep = NULL;
    *width = 0;
    if (m <= p->max_levels) {
        for (int64_t k = 0; k < m; k++) slot[k] = (int32_t)(k - dropped);
        *width = SMR_MAX(0, m - dropped);
        return SMR_OK;
    }
    TRY_NEW(weight, m);
    TRY_NEW(keep, m);
    TRY(weigh_levels(ctx, data, j, weight));
    TRY(keep_heaviest(ctx, weight, m, p->max_levels, keep));
    int32_t at = (int32_t)-dropped;
    for (int64_t k = 0; k < m; k++) slot[k] = keep[k] ? at++ : INT32_MAX;
    for (int64_t k = 0; k < m; k++)
        if (slot[k] == INT32_MAX) slot[k] = at; /* other */
    *width = at + 1;
    smr_warn(ctx,
             "column '%s' has %lld levels; the %lld most frequent get a feature, the rest 'other'",
             data->features[j].name, (long long)m, (long long)p->max_levels);
out:
    smr_free(weight);
    smr_free(keep);
    return st;
}

static smr_status misses_values(smr_ctx *ctx, const smr_data *data, int64_t j, bool *answer)
{
    smr_status st = SMR_OK;
    double *column = NULL;
    *answer = false;
    TRY_NEW(column, data->n_rows);
    TRY(smr_data_column(ctx, data, j, column));
    for (int64_t i = 0; i < data->n_rows && !*answer; i++)
        *answer = isnan(column[i]) && smr_data_weight(data, i) > 0;
out:
    smr_free(column);
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct onehot_params *p = params_;
    struct onehot_state *s = state_;
    int64_t d = data->n_features;
    smr_status st = SMR_OK;
    (void)report;
    s->n_features = d;
    s->n_offsets = d + 1;
    TRY_NEW(s->offset, d + 1);
    TRY_NEW(s->first, d);
    for (int64_t j = 0; j < d; j++) {
        bool category = data->features && data->features[j].kind == SMR_CATEGORY;
        s->offset[j + 1] = s->offset[j] + (category ? data->features[j].n_levels : 0);
    }
    s->n_slots = s->offset[d];
    TRY_NEW(s->slot, s->n_slots);
    if (p->drop == DROP_FIRST) TRY_NEW(s->missing, d);
    for (int64_t j = 0; j < d; j++) {
        int64_t width = 1;
        bool gaps = false, category = data->features && data->features[j].kind == SMR_CATEGORY;
        s->first[j] = s->n_outputs;
        if (category) TRY(choose_levels(ctx, p, data, j, s->slot + s->offset[j], &width));
        if (category && s->missing && s->offset[j] < s->offset[j + 1])
            TRY(misses_values(ctx, data, j, &gaps));
        if (s->missing) s->missing[j] = gaps ? (int32_t)width++ : -1;
        s->n_outputs += width;
    }
out:
    return st;
}

/* From a stream: the levels are the schema's, all of them, since their weights are not known; with
 * drop=first every category has its `missing`, since a gap may come at any time. */
static smr_status begin(smr_ctx *ctx, const void *params_, const smr_shape *shape, void *state_)
{
    const struct onehot_params *p = params_;
    struct onehot_state *s = state_;
    int64_t d = shape->n_features, dropped = p->drop == DROP_FIRST;
    smr_status st = SMR_OK;
    s->n_features = d;
    s->n_offsets = d + 1;
    TRY_NEW(s->offset, d + 1);
    TRY_NEW(s->first, d);
    if (dropped) TRY_NEW(s->missing, d);
    for (int64_t j = 0; j < d; j++) {
        const smr_feature *f = shape->features ? &shape->features[j] : NULL;
        bool category = f && f->kind == SMR_CATEGORY;
        int64_t m = category ? f->n_levels : 0, width = category ? SMR_MAX(0, m - dropped) : 1;
        if (m > p->max_levels)
            TRY(smr_fail(ctx, SMR_ERR_DATA,
                         "column '%s' has %lld levels, and which %lld are the most frequent is not "
                         "known of a stream; raise onehot max_levels, or leave the column out with "
                         "--ignore",
                         f->name, (long long)m, (long long)p->max_levels));
        s->offset[j + 1] = s->offset[j] + m;
        s->first[j] = s->n_outputs;
        if (s->missing) s->missing[j] = m > 0 ? (int32_t)width++ : -1;
        s->n_outputs += width;
    }
    s->n_slots = s->offset[d];
    TRY_NEW(s->slot, s->n_slots);
    for (int64_t j = 0; j < d; j++)
        for (int64_t k = s->offset[j]; k < s->offset[j + 1]; k++)
            s->slot[k] = (int32_t)(k - s->offset[j] - dropped);
out:
    return st;
}

static int64_t width_of(const struct onehot_state *s, int64_t j)
{
    return (j + 1 < s->n_features ? s->first[j + 1] : s->n_outputs) - s->first[j];
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    int64_t n_features = shape->n_features;
    const struct onehot_state *s = state_;
    (void)params_;
    bool right = s->n_features == n_features && s->n_offsets == n_features + 1 &&
                 s->offset[0] == 0 && s->offset[n_features] == s->n_slots && s->first[0] == 0;
    for (int64_t j = 0; right && j < n_features; j++) {
        right = s->offset[j] <= s->offset[j + 1] && width_of(s, j) >= 0 && s->first[j] >= 0;
        for (int64_t k = s->offset[j]; right && k < s->offset[j + 1]; k++)
            right = s->slot[k] >= -1 && s->slot[k] < width_of(s, j);
        if (right && s->offset[j] == s->offset[j + 1]) right = width_of(s, j) <= 1;
        if (right && s->missing)
            right = s->missing[j] >= -1 && s->missing[j] < width_of(s, j) &&
                    (s->missing[j] < 0 || s->offset[j] < s->offset[j + 1]);
    }
    if (!right)
        return smr_fail(ctx, SMR_ERR_FORMAT, "onehot does not fit the %lld features that come in",
                        (long long)n_features);
    return SMR_OK;
}

/* ---- predict ---------------------------------------------------------------------------- */

static int64_t n_out(const void *params_, const void *state_, int64_t n_in)
{
    (void)params_, (void)n_in;
    return ((const struct onehot_state *)state_)->n_outputs;
}

/* The output that feature j sets to *value, or -1: a number its own, a category its level's. */
static int64_t output_of(const struct onehot_state *s, int64_t j, double x, double *value)
{
    int64_t levels = s->offset[j + 1] - s->offset[j];
    *value = levels ? 1 : x;
    if (levels == 0) return width_of(s, j) == 1 ? s->first[j] : -1;
    bool there = x >= 0 && x < (double)levels;
    int32_t slot = there ? s->slot[s->offset[j] + (int64_t)x] : s->missing ? s->missing[j] : -1;
    return slot < 0 ? -1 : s->first[j] + slot;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct onehot_state *s = state_;
    (void)ctx, (void)params_, (void)output, (void)scratch;
    memset(out, 0, (size_t)(rows->n * s->n_outputs) * sizeof *out);
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        for (int64_t j = 0; j < s->n_features; j++) {
            double value;
            int64_t at = output_of(s, j, x[j], &value);
            if (at >= 0) out[i * s->n_outputs + at] = value;
        }
    }
    return SMR_OK;
}

static bool is_sparse(const void *params_, const void *state_, bool from_sparse)
{
    const struct onehot_state *s = state_;
    (void)params_, (void)from_sparse;
    return s->n_outputs >= SPARSE_OUTPUTS && s->n_outputs >= SPARSE_RATIO * s->n_features;
}

static smr_status append(smr_ctx *ctx, const void *params_, const void *state_,
                         const smr_rows *rows, smr_entries *out, void *scratch)
{
    const struct onehot_state *s = state_;
    smr_status st = SMR_OK;
    (void)params_, (void)scratch;
    TRY(smr_entries_reserve(ctx, out, rows->n * s->n_features));
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        for (int64_t j = 0; j < s->n_features; j++) {
            double value;
            int64_t at = output_of(s, j, x[j], &value);
            if (at >= 0) smr_entries_add(out, at, value);
        }
        smr_entries_end_row(out);
    }
out:
    return st;
}

/* The level that alone sets output `slot` of feature j: NaN for `missing` and `other`. slot -1: the
 * level that sets none. */
static double level_of(const struct onehot_state *s, int64_t j, int64_t slot)
{
    double level = NAN;
    for (int64_t k = s->offset[j]; k < s->offset[j + 1]; k++) {
        if (s->slot[k] != slot) continue;
        if (!isnan(level)) return NAN;
        level = (double)(k - s->offset[j]);
    }
    return level;
}

/* Outputs are taken as shares of the levels: the largest decides, and what they lack to 1 is the
 * share of what zeros mean. */
static double undo(const struct onehot_state *s, int64_t j, const double *z)
{
    int64_t best = -1;
    double rest = 1, most;
    for (int64_t k = 0; k < width_of(s, j); k++) rest -= z[k];
    most = rest;
    for (int64_t k = 0; k < width_of(s, j); k++)
        if (z[k] > most || (best < 0 && z[k] >= most)) {
            best = k;
            most = z[k];
        }
    return isnan(rest) ? NAN : level_of(s, j, best);
}

static smr_status inverse(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, double *out, void *scratch)
{
    const struct onehot_state *s = state_;
    (void)ctx, (void)params_, (void)scratch;
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t j = 0; j < s->n_features; j++) {
            const double *z = (const double *)rows->x + i * rows->stride + s->first[j];
            bool category = s->offset[j] < s->offset[j + 1];
            double number = width_of(s, j) == 1 && !category ? z[0] : NAN;
            out[i * s->n_features + j] = category ? undo(s, j, z) : number;
        }
    return SMR_OK;
}

static smr_status learn(smr_ctx *ctx, const void *params_, void *state_, const smr_rows *rows,
                        const smr_truths *truths, double *out)
{
    (void)truths;
    if (!out) return SMR_OK;
    return predict(ctx, params_, state_, rows, SMR_OUTPUT_TRANSFORM, out, NULL);
}

/* "colour=missing", with parentheses where a level has that name. */
static smr_status name_missing(smr_ctx *ctx, const struct onehot_state *s, const smr_feature *in,
                               int64_t j, smr_feature *out)
{
    if (!s->missing || s->missing[j] < 0) return SMR_OK;
    bool taken = in[j].levels && smr_strings_find(in[j].levels, "missing", 7) >= 0;
    smr_text name = {.ctx = ctx};
    smr_text_add(&name, in[j].name);
    smr_text_add(&name, taken ? "=(missing)" : "=missing");
    smr_status st = smr_text_done(&name);
    if (st != SMR_OK)
        smr_text_release(&name);
    else
        out[s->first[j] + s->missing[j]].name = name.bytes;
    return st;
}

/* "colour=red"; several levels share an output only where it is `other`, which has parentheses
 * where a level has that name. */
static smr_status name_outputs(smr_ctx *ctx, const struct onehot_state *s, const smr_feature *in,
                               int64_t j, smr_feature *out)
{
    int64_t levels = s->offset[j + 1] - s->offset[j];
    bool taken = in[j].levels && smr_strings_find(in[j].levels, "other", 5) >= 0;
    const char *rest = taken ? "(other)" : "other";
    for (int64_t k = 0; k < levels; k++) {
        int32_t slot = s->slot[s->offset[j] + k];
        if (slot < 0) continue;
        smr_feature *f = &out[s->first[j] + slot];
        smr_text name = {.ctx = ctx};
        int64_t length = 0;
        const char *level =
            in[j].levels && k < in[j].levels->n ? smr_strings_get(in[j].levels, k, &length) : "";
        smr_text_add(&name, in[j].name);
        smr_text_add(&name, "=");
        if (f->name)
            smr_text_add(&name, rest);
        else
            smr_text_add_bytes(&name, level, length);
        if (smr_text_done(&name) != SMR_OK) {
            smr_text_release(&name);
            return SMR_ERR_NOMEM;
        }
        smr_free((char *)(uintptr_t)f->name);
        f->name = name.bytes;
    }
    return SMR_OK;
}

static smr_status outputs(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_feature *in, int64_t n_in, smr_feature *out, int64_t n)
{
    const struct onehot_state *s = state_;
    smr_status st = SMR_OK;
    (void)params_;
    for (int64_t j = 0; j < n_in; j++) {
        if (s->offset[j] == s->offset[j + 1] && width_of(s, j) == 1) {
            out[s->first[j]].name = smr_strdup(ctx, in[j].name);
            if (!out[s->first[j]].name) return SMR_ERR_NOMEM;
            out[s->first[j]].kind = in[j].kind;
            out[s->first[j]].levels = in[j].levels;
            out[s->first[j]].text = in[j].text;
        }
        TRY(name_outputs(ctx, s, in, j, out));
        TRY(name_missing(ctx, s, in, j, out));
    }
    for (int64_t k = 0; k < n; k++) {
        if (!out[k].name) out[k].name = smr_strdup(ctx, "?"); /* a level that no slot names */
        if (!out[k].name) return SMR_ERR_NOMEM;
    }
out:
    return st;
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct onehot_state *s = state_;
    smr_json *list = smr_json_add_array(into, "coded");
    (void)ctx, (void)params_;
    for (int64_t j = 0; j < n_in; j++) {
        if (s->offset[j] == s->offset[j + 1]) continue;
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "feature", in[j].name);
        smr_json_add_number(row, "levels", (double)(s->offset[j + 1] - s->offset[j]));
        smr_json_add_number(row, "features", (double)width_of(s, j));
    }
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "onehot",
    .synonyms = "ohe dummies get_dummies OneHotEncoder",
    .family = "transform",
    .title = "One-hot coding",
    .brief = "Turns each category into 0/1 features, one per level.",
    .objective = "level k -> the k-th unit vector; missing or unseen -> zeros",
    .details =
        "Inserted by itself before a stage that cannot take categories. Numbers pass through. "
        "With drop=first, zeros mean the first level, so a category with missing values in the "
        "training rows gets one more feature, missing, which missing and unseen categories set; "
        "where training has none, they count as the first level. On a stream every level of the "
        "warm-up rows gets a feature.",
    .reference = "Suits, Use of dummy variables in regression equations, JASA 52 (1957)",
    .example =
        "samara train \"onehot drop=first | ridge 1\" data/diabetes.csv --target progression "
        "--type sex=category",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct onehot_params),
};

static void tailor(void *params_, const smr_tailor *next)
{
    struct onehot_params *p = params_;
    if (next->contrasts) p->drop = DROP_FIRST;
}

static void origins(const void *params_, const void *state_, int64_t n_in, int64_t *from, int64_t n)
{
    const struct onehot_state *s = state_;
    (void)params_, (void)n;
    for (int64_t j = 0; j < n_in; j++)
        for (int64_t k = 0; k < width_of(s, j); k++) from[s->first[j] + k] = j;
}

static const smr_can_transform transforms = {
    .origins = origins,
    .adapts = SMR_NEED_NUMBERS,
    .tailor = tailor,
    .n_out = n_out,
    .outputs = outputs,
    .is_sparse = is_sparse,
    .append = append,
    .inverse = inverse,
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct onehot_state),
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

const smr_learner smr_onehot = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes =
        SMR_TAKES_F64 | SMR_TAKES_CODES | SMR_TAKES_MISSING | SMR_TAKES_WEIGHTS | SMR_TAKES_TEXT,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .stream = SMR_TRAINING(&streams),
};
