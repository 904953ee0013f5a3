/* onehot.c -- a category with m levels becomes m features, of which one is 1.
 *
 * Numbers pass through.  Levels that are too many, or too rare, share one feature, `other`
 * (onehot_fit.c).  With drop=first or drop=frequent one level has no feature of its own, the first
 * that training rows have or the most frequent one (ties: the first): the features are then not
 * collinear with an intercept, coefficients are differences from that level, and zeros mean it.
 *
 * What is unknown, a level that training never saw or too few rows have, becomes the average of the
 * training rows:
 *
 *     z_k = W_k / W,    W_k the weight of the rows that set output k, W of those of a known level
 *
 * so that it moves a linear score by the mean effect of the category, and a standardised feature
 * by nothing.  A gap is unknown too where training had too few to learn from. Where it had them, a
 * gap is a level: with one level left out it has a feature, `missing`; without, it is all zeros.
 * An unseen level then counts as a gap.
 *
 * The inverse is the level that is set; for shares, as in a mean of such rows, the most frequent
 * one; for `other`, `missing` and what is unknown it is a gap.
 *
 * From a stream, W and W_k are those of the rows so far, and gaps count from the third one on.
 * Many outputs of few features are given as sparse rows.
 *
 * Symbols: feature j with levels 0 .. m_j - 1; slot[offset_j + k] is the output of level k, -1: it
 * sets none, -2: it is unknown. */
#include "transform/onehot.h"
#include "core/text.h"
#include "learn/schema.h"

#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

enum { SPARSE_OUTPUTS = 256, SPARSE_RATIO = 16 }; /* rows this wide are sparse */

static const double NEAR = 1e-9; /* as near as shares come back through other stages */

static const smr_choice drop[] = {
    {"none", "every level has a feature"},
    {"first", "the first level has none"},
    {"frequent", "the most frequent level has none"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct smr_onehot_params, max_levels), .def = 100, .min = 1, .max = 1e6,
     .primary = true,
     .doc = "Maximum number of levels per feature; the rest share the level 'other'."},
    {SMR_FIELD(struct smr_onehot_params, drop), .choices = drop,
     .doc = "Which level gets no feature."},
    {SMR_FIELD(struct smr_onehot_params, min_rows), .unset = true, .min = 1, .max = 1e9,
     .doc = "Levels with fewer rows than this share the level 'other'; unset: none do, and with "
            "drop=frequent a warning names those with one or two rows."},
};

/* ---- state ------------------------------------------------------------------------------ */

static const smr_state state[] = {
    {SMR_KEPT(struct smr_onehot_state, n_features), .is = "features", .min = 1,
     .doc = "Features that come in."},
    {SMR_KEPT(struct smr_onehot_state, n_outputs), .most = "n_slots + n_features", .min = 0,
     .doc = "Features that go out."},
    {SMR_KEPT(struct smr_onehot_state, n_offsets), .is = "n_features + 1", .min = 2,
     .doc = "n_features + 1."},
    {SMR_KEPT(struct smr_onehot_state, n_slots), .min = 0,
     .doc = "Levels of all features together."},
    {SMR_KEPT(struct smr_onehot_state, offset), .below = "n_slots", .order = SMR_ORDER_STARTS,
     .dims = {"n_offsets"}, .doc = "Where a feature's levels begin among all; a number has none."},
    {SMR_KEPT(struct smr_onehot_state, first), .below = "n_outputs + 1", .dims = {"n_features"},
     .doc = "The first output of a feature."},
    {SMR_KEPT(struct smr_onehot_state, slot), .min = SMR_ONEHOT_UNKNOWN, .below = "n_outputs",
     .dims = {"n_slots"},
     .doc = "Which of its feature's outputs a level sets; -1: none, it is the one left out; -2: it "
            "is unknown."},
    {SMR_KEPT(struct smr_onehot_state, missing), .min = -1, .below = "n_outputs",
     .dims = {"n_features"}, .optional = true,
     .doc = "Which of its feature's outputs a missing value sets, or -1; with a level left out."},
    {SMR_KEPT(struct smr_onehot_state, weight), .reals = SMR_REALS_FROM_0, .dims = {"n_outputs"},
     .optional = true, .with = "known",
     .doc = "The weight of the training rows that set an output."},
    {SMR_KEPT(struct smr_onehot_state, known), .reals = SMR_REALS_FROM_0, .dims = {"n_features"},
     .optional = true,
     .doc = "The weight of the training rows whose level is known; 0 where a gap is a level."},
    {SMR_KEPT(struct smr_onehot_state, gaps), .reals = SMR_REALS_FROM_0, .dims = {"n_features"},
     .optional = true, .needs = "known",
     .doc = "From a stream: the weight of the rows without a category."},
};

/* ---- check ------------------------------------------------------------------------------ */

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_onehot_state *s = state_;
    bool right = s->first[0] == 0;
    (void)params_;
    for (int64_t j = 0; right && j < s->n_features; j++) {
        int64_t width = smr_onehot_width(s, j);
        right = width >= 0 && (s->offset[j] < s->offset[j + 1] || width <= 1);
        for (int64_t k = s->offset[j]; right && k < s->offset[j + 1]; k++)
            right = s->slot[k] < width;
        if (right && s->missing)
            right = s->missing[j] < width && (s->missing[j] < 0 || s->offset[j] < s->offset[j + 1]);
    }
    if (!right)
        return smr_fail(ctx, SMR_ERR_FORMAT, "onehot does not fit the %lld features that come in",
                        (long long)shape->n_features);
    return SMR_OK;
}

/* ---- predict ---------------------------------------------------------------------------- */

static int64_t n_out(const void *params_, const void *state_, int64_t n_in)
{
    (void)params_, (void)n_in;
    return ((const struct smr_onehot_state *)state_)->n_outputs;
}

/* The output that feature j sets to *value: a number its own, a category its level's. Else
 * SMR_ONEHOT_NONE, or SMR_ONEHOT_UNKNOWN. */
static int64_t output_of(const struct smr_onehot_state *s, int64_t j, double x, double *value)
{
    int64_t levels = s->offset[j + 1] - s->offset[j];
    int32_t slot = SMR_ONEHOT_UNKNOWN;
    *value = levels ? 1 : x;
    if (levels == 0) return smr_onehot_width(s, j) == 1 ? s->first[j] : SMR_ONEHOT_NONE;
    if (x >= 0 && x < (double)levels)
        slot = s->slot[s->offset[j] + (int64_t)x];
    else if (!s->known || s->known[j] <= 0 || (s->gaps && s->gaps[j] >= SMR_ONEHOT_FEW))
        slot = s->missing ? s->missing[j] : SMR_ONEHOT_NONE; /* a gap is a level */
    return slot < 0 ? slot : s->first[j] + slot;
}

/* What output k of feature j is for an unknown level. */
static double share_of(const struct smr_onehot_state *s, int64_t j, int64_t k)
{
    return s->known && s->known[j] > 0 ? s->weight[s->first[j] + k] / s->known[j] : 0;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct smr_onehot_state *s = state_;
    (void)ctx, (void)params_, (void)output, (void)scratch;
    memset(out, 0, (size_t)(rows->n * s->n_outputs) * sizeof *out);
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        double *row = out + i * s->n_outputs;
        for (int64_t j = 0; j < s->n_features; j++) {
            double value;
            int64_t at = output_of(s, j, x[j], &value);
            if (at >= 0) row[at] = value;
            if (at != SMR_ONEHOT_UNKNOWN) continue;
            for (int64_t k = 0; k < smr_onehot_width(s, j); k++)
                row[s->first[j] + k] = share_of(s, j, k);
        }
    }
    return SMR_OK;
}

static bool is_sparse(const void *params_, const void *state_, bool from_sparse)
{
    const struct smr_onehot_state *s = state_;
    (void)params_, (void)from_sparse;
    return s->n_outputs >= SPARSE_OUTPUTS && s->n_outputs >= SPARSE_RATIO * s->n_features;
}

static smr_status append(smr_ctx *ctx, const void *params_, const void *state_,
                         const smr_rows *rows, smr_entries *out, void *scratch)
{
    const struct smr_onehot_state *s = state_;
    smr_status st = SMR_OK;
    (void)params_, (void)scratch;
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        TRY(smr_entries_reserve(ctx, out, s->n_features));
        for (int64_t j = 0; j < s->n_features; j++) {
            double value;
            int64_t at = output_of(s, j, x[j], &value), width = smr_onehot_width(s, j);
            if (at >= 0) smr_entries_add(out, at, value);
            if (at != SMR_ONEHOT_UNKNOWN) continue;
            TRY(smr_entries_reserve(ctx, out, width + s->n_features - j));
            for (int64_t k = 0; k < width; k++)
                smr_entries_add(out, s->first[j] + k, share_of(s, j, k));
        }
        smr_entries_end_row(out);
    }
out:
    return st;
}

/* The level that alone sets output `slot` of feature j: NaN for `missing` and `other`. slot -1: the
 * level that sets none. */
static double level_of(const struct smr_onehot_state *s, int64_t j, int64_t slot)
{
    double level = NAN;
    for (int64_t k = s->offset[j]; k < s->offset[j + 1]; k++) {
        if (s->slot[k] != slot) continue;
        if (!isnan(level)) return NAN;
        level = (double)(k - s->offset[j]);
    }
    return level;
}

/* Are these the outputs of an unknown level, and of no other? */
static bool is_unknown(const struct smr_onehot_state *s, int64_t j, const double *z)
{
    double rest = 1, most = 0;
    if (!s->known || s->known[j] <= 0) return false;
    for (int64_t k = 0; k < smr_onehot_width(s, j); k++) {
        double share = share_of(s, j, k);
        if (!(fabs(z[k] - share) <= NEAR)) return false;
        most = smr_fmax(most, share);
        rest -= share;
    }
    return smr_fmax(most, rest) < 1 - NEAR; /* all rows have one level: its own outputs */
}

/* Outputs are taken as shares of the levels: the largest decides, and what they lack to 1 is the
 * share of what zeros mean. */
static double undo(const struct smr_onehot_state *s, int64_t j, const double *z)
{
    int64_t best = SMR_ONEHOT_NONE;
    double rest = 1, most;
    if (is_unknown(s, j, z)) return NAN;
    for (int64_t k = 0; k < smr_onehot_width(s, j); k++) rest -= z[k];
    most = rest;
    for (int64_t k = 0; k < smr_onehot_width(s, j); k++)
        if (z[k] > most || (best < 0 && z[k] >= most)) {
            best = k;
            most = z[k];
        }
    return isnan(rest) ? NAN : level_of(s, j, best);
}

static smr_status inverse(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, double *out, void *scratch)
{
    const struct smr_onehot_state *s = state_;
    (void)ctx, (void)params_, (void)scratch;
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t j = 0; j < s->n_features; j++) {
            const double *z = (const double *)rows->x + i * rows->stride + s->first[j];
            bool category = s->offset[j] < s->offset[j + 1];
            double number = smr_onehot_width(s, j) == 1 && !category ? z[0] : NAN;
            out[i * s->n_features + j] = category ? undo(s, j, z) : number;
        }
    return SMR_OK;
}

/* Counts the levels of a row; a model of an older stream does not. */
static void count_row(struct smr_onehot_state *s, const double *x, double w)
{
    for (int64_t j = 0; s->gaps && j < s->n_features; j++) {
        int64_t levels = s->offset[j + 1] - s->offset[j];
        bool there = x[j] >= 0 && x[j] < (double)levels;
        int32_t slot = there ? s->slot[s->offset[j] + (int64_t)x[j]] : SMR_ONEHOT_UNKNOWN;
        if (levels == 0) continue;
        if (slot >= 0) s->weight[s->first[j] + slot] += w;
        if (there)
            s->known[j] += w;
        else
            s->gaps[j] += w;
    }
}

static smr_status learn(smr_ctx *ctx, const void *params_, void *state_, const smr_rows *rows,
                        const smr_truths *truths, double *out)
{
    smr_status st = SMR_OK;
    struct smr_onehot_state *s = state_;
    for (int64_t i = 0; i < rows->n; i++) {
        smr_rows row = smr_rows_slice(rows, i, i + 1);
        count_row(s, row.x, truths->weight ? truths->weight[i] : 1);
        double *at = out ? out + i * s->n_outputs : NULL;
        if (out) TRY(predict(ctx, params_, s, &row, SMR_OUTPUT_TRANSFORM, at, NULL));
    }
out:
    return st;
}

/* "colour=missing", with parentheses where a level has that name. */
static smr_status name_missing(smr_ctx *ctx, const struct smr_onehot_state *s,
                               const smr_feature *in, int64_t j, smr_feature *out)
{
    if (!s->missing || s->missing[j] < 0) return SMR_OK;
    bool taken = in[j].levels && smr_strings_find(in[j].levels, "missing", 7) >= 0;
    smr_text name = {.ctx = ctx};
    smr_text_add(&name, in[j].name);
    smr_text_add(&name, taken ? "=(missing)" : "=missing");
    smr_status st = smr_text_done(&name);
    smr_feature *f = &out[s->first[j] + s->missing[j]];
    if (st != SMR_OK) {
        smr_text_release(&name);
    } else {
        smr_free((char *)(uintptr_t)f->name); /* a level may have it too, in a file */
        f->name = name.bytes;
    }
    return st;
}

/* "colour=red"; several levels share an output only where it is `other`, which has parentheses
 * where a level has that name. */
static smr_status name_outputs(smr_ctx *ctx, const struct smr_onehot_state *s,
                               const smr_feature *in, int64_t j, smr_feature *out)
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
    const struct smr_onehot_state *s = state_;
    smr_status st = SMR_OK;
    (void)params_;
    for (int64_t j = 0; j < n_in; j++) {
        if (s->offset[j] == s->offset[j + 1] && smr_onehot_width(s, j) == 1) {
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

/* The level that zeros mean: a number where levels have no names. */
static void name_left_out(const struct smr_onehot_state *s, const smr_feature *in, int64_t j,
                          smr_json *row)
{
    double level = level_of(s, j, SMR_ONEHOT_NONE);
    int64_t length = 0;
    if (isnan(level) || !in->levels || level >= (double)in->levels->n) return;
    const char *name = smr_strings_get(in->levels, (int64_t)level, &length);
    smr_json_add_bytes(row, "left_out", name, length);
}

static const char *unknown_means(const struct smr_onehot_state *s, int64_t j)
{
    double value;
    int64_t at = output_of(s, j, NAN, &value);
    if (at == SMR_ONEHOT_UNKNOWN) return "average";
    return at >= 0 ? "missing" : "zeros";
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_onehot_state *s = state_;
    smr_json *list = smr_json_add_array(into, "coded");
    (void)ctx, (void)params_;
    for (int64_t j = 0; j < n_in; j++) {
        if (s->offset[j] == s->offset[j + 1]) continue;
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "feature", in[j].name);
        smr_json_add_number(row, "levels", (double)(s->offset[j + 1] - s->offset[j]));
        smr_json_add_number(row, "features", (double)smr_onehot_width(s, j));
        if (s->missing) name_left_out(s, &in[j], j, row);
        smr_json_add_string(row, "unknown", unknown_means(s, j));
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
    .objective = "level k -> the k-th unit vector; unknown -> the mean of the training rows",
    .details =
        "Inserted automatically before a stage that cannot take categories, with drop=frequent "
        "before learners without a penalty. Numbers pass through. An unseen level, and a gap "
        "where training had none or too few to learn from, become the average of the training "
        "rows: each feature gets the share of the rows that have its level, so that the category "
        "moves a linear score by its mean effect. Where training had enough gaps, they count as "
        "a level: all zeros, or, if a level is left out, a feature of their own called missing; "
        "unseen levels then count as gaps. In a stream every level of the warm-up rows gets a "
        "feature, drop=frequent leaves out the first one, and shares are those of the rows so "
        "far.",
    .reference = "Suits, Use of dummy variables in regression equations, JASA 52 (1957)",
    .example =
        "samara train \"onehot drop=first | ridge 1\" data/diabetes.csv --target progression "
        "--type sex=category",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_onehot_params),
};

static void tailor(void *params_, const smr_tailor *next)
{
    struct smr_onehot_params *p = params_;
    if (next->contrasts) p->drop = SMR_ONEHOT_BUT_FREQUENT;
}

static void origins(const void *params_, const void *state_, int64_t n_in, int64_t *from, int64_t n)
{
    const struct smr_onehot_state *s = state_;
    (void)params_, (void)n;
    for (int64_t j = 0; j < n_in; j++)
        for (int64_t k = 0; k < smr_onehot_width(s, j); k++) from[s->first[j] + k] = j;
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
    .state_size = sizeof(struct smr_onehot_state),
    .gives = SMR_GIVES_TRANSFORM,
    .check = check,
    .predict = predict,
    .describe = describe,
    .transform = &transforms,
};

static const smr_can_stream streams = {
    .begin = SMR_TRAINING(smr_onehot_begin),
    .learn = SMR_TRAINING(learn),
};

const smr_learner smr_onehot = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes =
        SMR_TAKES_F64 | SMR_TAKES_CODES | SMR_TAKES_MISSING | SMR_TAKES_WEIGHTS | SMR_TAKES_TEXT,
    .fit = SMR_TRAINING(smr_onehot_fit),
    .fitted = &fitted,
    .stream = SMR_TRAINING(&streams),
};
