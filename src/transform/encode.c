/* encode.c -- categories as means of the target.
 *
 *     code of level k = (n_k m_k + a m) / (n_k + a)                                         (1)
 *
 * n_k rows of the level, whose targets have the mean m_k; m the mean of all rows, the prior.  For
 * two classes the target is 1 in rows of the second, for more there is one feature per class, for
 * several targets one per target.  A level that training never saw, or whose rows have no weight,
 * has the prior; a gap too, or with missing=level the mean of the rows with gaps.
 *
 * a, the rows at the prior that count with those of a level, is smooth=, or what the levels
 * themselves say, taken as drawn at random: with squares sw within and sb between L levels of n
 * rows, by moments
 *
 *     noise = sw / (n - L),  apart = (sb - (L - 1) noise) / (n - sum n_k^2 / n),  a = noise / apart
 *
 * over all classes together, but for each target by itself; where apart is not above 0 the levels
 * tell nothing, and all have the prior.
 *
 * No row sees its own target: the stages after this one are fitted to features from (1) of the rows
 * outside the row's fold, means, a and prior among them; folds are drawn from the seed, groups stay
 * whole.  Later rows get the codes of all rows.
 *
 * On a stream the sums run along, a row is encoded by those before it, and a is found anew for each
 * (encode_stream.c).
 *
 * Cost: a pass over the rows for each category, twice; in training 8 bytes per row and feature, as
 * the features of training rows are kept, and folds x levels x width numbers. */
#include "transform/encode.h"

#include "core/text.h"
#include "data/vocab.h"
#include "transform/each.h"

#include <stdio.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice missing[] = {
    [SMR_ENCODE_PRIOR] = {"prior", "the mean of all rows, as for levels never seen"},
    [SMR_ENCODE_LEVEL] = {"level", "the mean of the rows with gaps, as if they were a level"},
    {NULL, NULL},
};

#define FIELD(name_) SMR_FIELD(struct smr_encode_params, name_)
static const smr_param params[] = {
    {FIELD(smooth), .unset = true, .min = 0, .max = INFINITY, .max_open = true, .primary = true,
     .search = SMR_SEARCH_LOG, .search_min = 0.1, .search_max = 1000, .simpler = SMR_SIMPLER_HIGH,
     .doc = "Strength of the shrinkage: this many rows at the overall mean are added to each "
            "level; unset: estimated from the variance within and between levels."},
    {FIELD(folds), .def = 5, .min = 2, .max = 100, .fit_only = true,
     .doc = "Number of folds; each training row is encoded from the targets of the other folds."},
    {FIELD(missing), .choices = missing, .doc = "How gaps are encoded."},
    {FIELD(column),
     .doc = "Categories to encode, several in quotes separated by commas; default: all."},
};

/* ---- state ------------------------------------------------------------------------------ */

#define KEPT(name_) SMR_KEPT(struct smr_encode_state, name_)
#define SO_FAR .optional = true, .with = "center", .reals = SMR_REALS_FINITE
static const smr_state state[] = {
    {KEPT(n_features), .is = "features", .min = 1, .doc = "Features that come in."},
    {KEPT(width), .min = 1, .doc = "Features that a category becomes."},
    {KEPT(n_offsets), .is = "n_features + 1", .min = 2, .doc = "n_features + 1."},
    {KEPT(n_slots), .min = 0, .doc = "Levels of all encoded features, and one gap of each."},
    {KEPT(changed), .max = 1, .dims = {"n_features"},
     .doc = "1 where a category is encoded, else 0."},
    {KEPT(offset), .below = "n_slots", .order = SMR_ORDER_STARTS, .dims = {"n_offsets"},
     .doc = "Where the levels of a feature begin; its last is the gap."},
    {KEPT(code), .dims = {"n_slots", "width"}, .doc = "What levels become."},
    {KEPT(prior), .dims = {"width"}, .doc = "The means of all rows."},
    {KEPT(answers), .optional = true, .doc = "Names of the classes, where there are several."},
    {KEPT(level_weight), .dims = {"n_slots"}, .optional = true, .reals = SMR_REALS_FROM_0,
     .doc = "From a stream: the weight of the rows of each level."},
    {KEPT(level_sum), .dims = {"n_slots", "width"}, SO_FAR,
     .doc = "From a stream: their targets, less the center."},
    {KEPT(seen), .dims = {"n_features"}, SO_FAR, .doc = "From a stream: levels that have rows."},
    {KEPT(squares), .dims = {"n_features"}, SO_FAR,
     .doc = "From a stream: squares of the weights of the levels."},
    {KEPT(apart), .dims = {"n_features", "width"}, SO_FAR,
     .doc = "From a stream: squares of the sums of the levels over their weights."},
    {KEPT(all_weight), .dims = {"width"}, SO_FAR, .doc = "From a stream: the weight of all rows."},
    {KEPT(all_sum), .dims = {"width"}, SO_FAR, .doc = "From a stream: the sums of all rows."},
    {KEPT(all_square), .dims = {"width"}, SO_FAR, .doc = "From a stream: their sums of squares."},
    {KEPT(center), .dims = {"width"}, .optional = true, .reals = SMR_REALS_FINITE,
     .doc = "From a stream: what is taken off a target: the first one, 0 for classes."},
};

static void release(void *state_)
{
    smr_encode_free_folds(((struct smr_encode_state *)state_)->folds);
}

/* ---- fit -------------------------------------------------------------------------------- */

/* Every name of the list must be a category that comes in. */
static smr_status choose(smr_ctx *ctx, const struct smr_encode_params *p, const smr_feature *f,
                         struct smr_encode_state *s)
{
    int64_t named = 0, wanted = *p->column != '\0';
    for (const char *at = p->column; *at; at++) wanted += *at == ',';
    for (int64_t j = 0; f && j < s->n_features; j++) {
        bool in = *p->column && smr_each_named(p->column, f[j].name);
        named += in;
        s->changed[j] = f[j].kind == SMR_CATEGORY && (in || !*p->column);
        if (in && f[j].kind != SMR_CATEGORY)
            return smr_fail(ctx, SMR_ERR_DATA,
                            "encode: '%s' is no category; --type '%s=category' makes it one",
                            f[j].name, f[j].name);
    }
    if (named < wanted)
        return smr_fail(ctx, SMR_ERR_DATA, "encode: of the columns '%s' only %lld come%s in",
                        p->column, (long long)named, smr_plural(named, "s", ""));
    return SMR_OK;
}

/* The slots of the categories that are encoded. */
static smr_status lay_out(smr_ctx *ctx, const struct smr_encode_params *p, const smr_feature *f,
                          int64_t d, struct smr_encode_state *s)
{
    smr_status st = SMR_OK;
    s->n_features = d;
    s->n_offsets = d + 1;
    TRY_NEW(s->changed, d);
    TRY_NEW(s->offset, d + 1);
    TRY_NEW(s->prior, s->width);
    TRY(choose(ctx, p, f, s));
    for (int64_t j = 0; j < d; j++)
        s->offset[j + 1] = s->offset[j] + (s->changed[j] ? f[j].n_levels + 1 : 0);
    s->n_slots = s->offset[d];
    TRY_NEW(s->code, s->n_slots * s->width);
out:
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct smr_encode_params *p = params_;
    struct smr_encode_state *s = state_;
    int64_t d = data->n_features;
    smr_status st = SMR_OK;
    (void)report;
    if (!data->label && !data->y)
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "encode makes features from the target; name one with "
                     "--target"));
    s->width = data->label ? (data->n_classes > 2 ? data->n_classes : 1) : data->n_outputs;
    TRY(lay_out(ctx, p, data->features, d, s));
    if (s->width > 1 && data->label && data->classes)
        TRY(smr_strings_copy(ctx, data->classes, NULL, &s->answers));
    TRY(smr_encode_learn(ctx, p, data, s));
out:
    return st;
}

static bool is_right(const struct smr_encode_state *s, const smr_shape *shape)
{
    int64_t d = shape->n_features;
    bool right = (!s->answers.n || s->answers.n == s->width) && s->width <= (INT32_MAX - 1) / d &&
                 (!s->center || s->level_weight || s->n_slots == 0);
    for (int64_t j = 0; right && j < d; j++) {
        const smr_feature *f = shape->features ? &shape->features[j] : NULL;
        int64_t slots = s->offset[j + 1] - s->offset[j];
        right = s->changed[j] == (slots > 0) && (!s->changed[j] || !f || f->kind == SMR_CATEGORY);
    }
    return right;
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    (void)params_;
    if (is_right(state_, shape)) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_FORMAT, "encode does not fit the %lld feature%s that come%s in",
                    (long long)shape->n_features, smr_plural(shape->n_features, "", "s"),
                    smr_plural(shape->n_features, "s", ""));
}

/* ---- predict: (1) ----------------------------------------------------------------------- */

static int64_t width_of(const struct smr_encode_state *s, int64_t j)
{
    return s->changed[j] ? s->width : 1;
}

static int64_t n_out(const void *params_, const void *state_, int64_t n_in)
{
    const struct smr_encode_state *s = state_;
    int64_t n = 0;
    (void)params_;
    for (int64_t j = 0; j < n_in; j++) n += width_of(s, j);
    return n;
}

/* The codes that a row is given: those of all rows, or in training of the rows outside its fold. */
static const double *codes_of(const struct smr_encode_state *s, int64_t row)
{
    const struct smr_encode_folds *f = s->folds;
    if (!f || row >= f->n_rows || f->fold[row] < 0) return s->code;
    return f->code + f->fold[row] * s->n_slots * s->width;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct smr_encode_state *s = state_;
    (void)ctx, (void)output, (void)scratch;
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        const double *code = codes_of(s, rows->first + i);
        for (int64_t j = 0; j < s->n_features; j++) {
            if (!s->changed[j]) {
                *out++ = x[j];
                continue;
            }
            int64_t slot = smr_encode_slot(s, j, x[j]);
            if (s->center)
                smr_encode_running_codes(params_, s, j, slot, out);
            else
                memcpy(out, code + slot * s->width, (size_t)s->width * sizeof *out);
            out += s->width;
        }
    }
    return SMR_OK;
}

/* ---- from a stream ---------------------------------------------------------------------- */

static smr_status begin(smr_ctx *ctx, const void *params_, const smr_shape *shape, void *state_)
{
    struct smr_encode_state *s = state_;
    smr_status st = SMR_OK;
    int64_t K = shape->n_classes;
    s->width = K > 2 ? K : K ? 1 : SMR_MAX(1, shape->n_outputs);
    TRY(lay_out(ctx, params_, shape->features, shape->n_features, s));
    TRY(smr_encode_begin(ctx, s, K));
out:
    return st;
}

/* A row is encoded by those before it, then counted. */
static smr_status learn(smr_ctx *ctx, const void *params_, void *state_, const smr_rows *rows,
                        const smr_truths *truths, double *out)
{
    struct smr_encode_state *s = state_;
    smr_status st = SMR_OK;
    if (!s->center)
        return smr_fail(ctx, SMR_ERR_STATE,
                        "this encode was fitted on a whole table, and knows no running means; "
                        "begin a new model with 'samara stream'");
    int64_t width = 0;
    for (int64_t j = 0; j < s->n_features; j++) width += width_of(s, j);
    for (int64_t i = 0; i < rows->n; i++) {
        smr_rows row = smr_rows_slice(rows, i, i + 1);
        if (out) TRY(predict(ctx, params_, s, &row, SMR_OUTPUT_TRANSFORM, out + i * width, NULL));
        TRY(smr_encode_count(ctx, s, row.x, truths, i));
    }
out:
    return st;
}

/* ---- outputs ---------------------------------------------------------------------------- */

/* "city", or "city:red" for a class, "city:2" for the second of several targets. */
static smr_status name_code(smr_ctx *ctx, const struct smr_encode_state *s, const char *name,
                            int64_t k, const char **out)
{
    smr_text text = {.ctx = ctx};
    int64_t length = 0;
    smr_text_add(&text, name);
    if (s->width > 1) smr_text_add(&text, ":");
    const char *class = s->answers.n ? smr_strings_get(&s->answers, k, &length) : NULL;
    if (class)
        smr_text_add_bytes(&text, class, length);
    else if (s->width > 1)
        smr_text_printf(&text, "%lld", (long long)k + 1);
    smr_status st = smr_text_done(&text);
    if (st != SMR_OK)
        smr_text_release(&text);
    else
        *out = text.bytes;
    return st;
}

static smr_status outputs(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_feature *in, int64_t n_in, smr_feature *out, int64_t n)
{
    const struct smr_encode_state *s = state_;
    smr_status st = SMR_OK;
    (void)n;
    for (int64_t j = 0; j < n_in; j++) {
        if (!s->changed[j]) TRY(smr_each_outputs(ctx, params_, s, in + j, 1, out, 1));
        for (int64_t k = 0; s->changed[j] && k < s->width; k++)
            TRY(name_code(ctx, s, in[j].name, k, &out[k].name));
        out += width_of(s, j);
    }
out:
    return st;
}

static void origins(const void *params_, const void *state_, int64_t n_in, int64_t *from, int64_t n)
{
    (void)params_, (void)n;
    for (int64_t j = 0; j < n_in; j++)
        for (int64_t k = width_of(state_, j); k > 0; k--) *from++ = j;
}

/* Every gap of an encoded category has a code. */
static unsigned fills(const void *params_)
{
    const struct smr_encode_params *p = params_;
    return *p->column ? 0 : SMR_FILLS_CATEGORIES;
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    enum { SHOWN = 1000 };
    const struct smr_encode_state *s = state_;
    smr_status st = SMR_OK;
    smr_json *list = smr_json_add_array(into, "levels");
    int64_t shown = 0;
    double *now = NULL;
    TRY_NEW(now, s->width);
    for (int64_t j = 0; j < n_in; j++)
        for (int64_t c = s->offset[j]; s->changed[j] && c < s->offset[j + 1]; c++) {
            int64_t length = 0, level = c - s->offset[j];
            bool gap = c + 1 == s->offset[j + 1];
            const double *code = s->center ? now : s->code + c * s->width;
            if (shown++ >= SHOWN) goto out;
            if (s->center) smr_encode_running_codes(params_, s, j, c, now);
            smr_json *row = smr_json_add_object(list, NULL);
            smr_json_add_string(row, "feature", in[j].name);
            const char *name = !gap && in[j].levels && level < in[j].levels->n
                                   ? smr_strings_get(in[j].levels, level, &length)
                                   : NULL;
            if (name)
                smr_json_add_bytes(row, "level", name, length);
            else
                smr_json_add_string(row, "level", gap ? "(missing or never seen)" : "?");
            for (int64_t k = 0; k < s->width; k++) {
                char key[32];
                snprintf(key, sizeof key, s->width > 1 ? "code_%lld" : "code", (long long)k + 1);
                smr_json_add_number(row, key, code[k]);
            }
        }
out:
    smr_free(now);
    return st;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "encode",
    .synonyms = "target_encoding target_encoder mean_encoding likelihood_encoding TargetEncoder "
                "MEstimateEncoder CatBoostEncoder",
    .family = "transform",
    .title = "Target encoding",
    .brief = "Replaces each level by the mean of the target in its rows, shrunk towards the "
             "overall mean.",
    .objective = "code = (n m_level + a m) / (n + a): n rows of the level, m the mean of all, a "
                 "from smooth or from the spread within and between levels",
    .details =
        "For categories with many levels, for which onehot would make a feature each. For "
        "classes, a level becomes the share of the second class, or, if there are more than two, "
        "the share of each class. Training rows are encoded by the targets of the other folds, "
        "so that no row sees its own target and later stages learn how far the codes can be "
        "trusted; later rows are encoded by all training rows. An unseen level becomes the mean "
        "of all rows. Numbers pass through.",
    .reference = "Micci-Barreca, A preprocessing scheme for high-cardinality categorical "
                 "attributes, SIGKDD Explorations 3 (2001); Searle, Casella & McCulloch, Variance "
                 "Components, 1992",
    .example = "samara train \"encode | linear\" data/diabetes.csv --target progression --type "
               "sex=category --type age=category",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_encode_params),
};

static const smr_can_transform transforms = {
    .n_out = n_out,
    .outputs = outputs,
    .origins = origins,
    .fills = fills,
    .training = SMR_TRAINING(smr_encode_training),
    .no_inverse = "levels may share a mean",
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_encode_state),
    .gives = SMR_GIVES_TRANSFORM,
    .check = check,
    .release = release,
    .predict = predict,
    .describe = describe,
    .transform = &transforms,
};

static const smr_can_stream streams = {
    .begin = SMR_TRAINING(begin),
    .learn = SMR_TRAINING(learn),
};

const smr_learner smr_encode = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes = SMR_TAKES_F64 | SMR_TAKES_CODES | SMR_TAKES_MISSING | SMR_TAKES_WEIGHTS |
             SMR_TAKES_TEXT | SMR_TAKES_MANY_TARGETS,
    .traits = SMR_NEEDS_TARGET | SMR_PASSES_CONTRASTS | SMR_DRAWS_ROWS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .stream = SMR_TRAINING(&streams),
};
