/* hashing.c -- categories and whole texts in a fixed number of features.
 *
 *     z_b = sum over the hashed columns j whose value v has h(j, v) = b of s(j, v)          (1)
 *
 * h is a hash of the column's name and the value's bytes that is the same on every machine, in 0 ..
 * buckets - 1; s, another of its bits, is 1 or -1, so that values which share a bucket cancel on
 * average (Weinberger et al.), or with sign=no always 1.  Nothing is learned: a stream can begin
 * with it.  A category comes with the levels of the training rows, and one never seen is a gap; a
 * column that is named in column= is read as text, whole, so that the model holds no list of its
 * values and every new value has its bucket.  A gap adds nothing.  Numbers, and what is not hashed,
 * pass through, before the buckets.
 *
 * Wide rows are sparse.  Cost: a look-up per category, a few nanoseconds per byte of a text.
 *
 * Symbols: b a bucket, j a column. */
#include "core/text.h"
#include "transform/each.h"
#include "transform/wordbook.h"

#include <string.h>

enum { MOST_BUCKETS = 1 << 24, SPARSE_OUTPUTS = 256, SPARSE_RATIO = 16 };

/* ---- parameters ------------------------------------------------------------------------- */

struct hash_params {
    int64_t buckets;
    bool sign;
    char *column;
};

static const smr_param params[] = {
    {SMR_FIELD(struct hash_params, buckets), .def = 1024, .min = 1, .max = MOST_BUCKETS,
     .primary = true, .search = SMR_SEARCH_LOG, .search_min = 64, .search_max = 65536,
     .simpler = SMR_SIMPLER_LOW, .doc = "Number of features, shared by all hashed columns."},
    {SMR_FIELD(struct hash_params, sign), .def = true,
     .doc =
         "Encode half of the values as -1 instead of 1, so that collisions cancel out on average."},
    {SMR_FIELD(struct hash_params, column),
     .doc = "Columns to hash, several in quotes separated by commas; they are read as text; "
            "default: all categories."},
};

/* ---- state ------------------------------------------------------------------------------ */

enum { PASSES, BY_LEVEL, BY_TEXT };

struct hash_state {
    int64_t n_features;
    uint8_t *way;  /* n_features: PASSES ...                                      */
    int64_t *salt; /* n_features: the hash of the column's name                   */
    int64_t *text; /* n_features: where its strings are (smr_rows.texts), or 0    */
    int64_t n_offsets;
    int64_t *offset; /* n_features + 1: where the levels of a category begin in slot */
    int64_t n_slots;
    int32_t *slot; /* of a level: 1 + its bucket, or less 1 - its bucket          */
};

#define KEPT(name_) SMR_KEPT(struct hash_state, name_)
static const smr_state state[] = {
    {KEPT(n_features), .is = "features", .min = 1, .doc = "Features that come in."},
    {KEPT(n_offsets), .is = "n_features + 1", .min = 2, .doc = "n_features + 1."},
    {KEPT(n_slots), .min = 0, .doc = "Levels of all hashed categories together."},
    {KEPT(way), .max = BY_TEXT, .dims = {"n_features"},
     .doc = "0 where a feature passes through, 1 for a category, 2 for a text."},
    {KEPT(salt), .max = INT32_MAX, .dims = {"n_features"}, .doc = "A hash of the feature's name."},
    {KEPT(text), .dims = {"n_features"}, .doc = "Which of the table's texts it is; else 0."},
    {KEPT(offset), .below = "n_slots", .order = SMR_ORDER_STARTS, .dims = {"n_offsets"},
     .doc = "Where a category's levels begin."},
    {KEPT(slot), .min = -MOST_BUCKETS, .max = MOST_BUCKETS, .dims = {"n_slots"},
     .doc = "b + 1 or -(b + 1) for a level of bucket b."},
};

/* ---- buckets ---------------------------------------------------------------------------- */

static uint64_t mix(uint64_t h)
{
    h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 31;
}

static int64_t name_hash(const char *name)
{
    return (int64_t)(smr_word_hash(name, (int32_t)strlen(name)) & INT32_MAX);
}

/* b + 1, or its negative. */
static int32_t signed_bucket(const struct hash_params *p, int64_t salt, const char *bytes,
                             int64_t n)
{
    int32_t length = (int32_t)SMR_MIN(n, INT32_MAX);
    uint64_t h = mix(smr_word_hash(bytes, length) ^ (uint64_t)salt);
    int32_t b = (int32_t)((h >> 32) * (uint64_t)p->buckets >> 32) + 1;
    return p->sign && h & 1 ? -b : b;
}

/* ---- fit -------------------------------------------------------------------------------- */

static smr_status find_way(smr_ctx *ctx, const struct hash_params *p, const smr_feature *f,
                           uint8_t *way)
{
    bool named = *p->column && smr_each_named(p->column, f->name);
    *way = f->kind == SMR_TEXT                    ? (named ? BY_TEXT : PASSES)
           : f->kind == SMR_CATEGORY && f->levels ? (named || !*p->column ? BY_LEVEL : PASSES)
                                                  : PASSES;
    if (named && *way == PASSES)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "hash: '%s' holds numbers; --type '%s=text' reads them "
                        "as texts",
                        f->name, f->name);
    return SMR_OK;
}

static smr_status make(smr_ctx *ctx, const struct hash_params *p, const smr_feature *features,
                       int64_t d, struct hash_state *s)
{
    smr_status st = SMR_OK;
    int64_t named = 0, wanted = *p->column != '\0';
    for (const char *at = p->column; *at; at++) wanted += *at == ',';
    s->n_features = d;
    s->n_offsets = d + 1;
    TRY_NEW(s->way, d);
    TRY_NEW(s->salt, d);
    TRY_NEW(s->text, d);
    TRY_NEW(s->offset, d + 1);
    for (int64_t j = 0; j < d; j++) {
        if (features) TRY(find_way(ctx, p, &features[j], &s->way[j]));
        named += *p->column && s->way[j] != PASSES;
        if (s->way[j] == BY_TEXT) s->text[j] = features[j].text;
        if (s->way[j] != PASSES) s->salt[j] = name_hash(features[j].name);
        s->offset[j + 1] = s->offset[j] + (s->way[j] == BY_LEVEL ? features[j].n_levels : 0);
    }
    if (named < wanted)
        TRY(smr_fail(ctx, SMR_ERR_DATA, "hash: of the columns '%s' only %lld come%s in", p->column,
                     (long long)named, smr_plural(named, "s", "")));
    s->n_slots = s->offset[d];
    TRY_NEW(s->slot, s->n_slots);
    for (int64_t j = 0; j < d; j++)
        for (int64_t k = 0; k < s->offset[j + 1] - s->offset[j]; k++) {
            int64_t n = 0;
            const char *level =
                k < features[j].levels->n ? smr_strings_get(features[j].levels, k, &n) : "";
            s->slot[s->offset[j] + k] = signed_bucket(p, s->salt[j], level, n);
        }
out:
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    (void)report;
    return make(ctx, params_, data->features, data->n_features, state_);
}

static smr_status begin(smr_ctx *ctx, const void *params_, const smr_shape *shape, void *state_)
{
    return make(ctx, params_, shape->features, shape->n_features, state_);
}

static bool feature_is_right(const struct hash_state *s, int64_t j, const smr_feature *f)
{
    int64_t slots = s->offset[j + 1] - s->offset[j];
    bool right = s->way[j] == BY_LEVEL || slots == 0;
    if (!right || !f) return right;
    if (s->way[j] == BY_TEXT) return f->kind == SMR_TEXT && f->text == s->text[j];
    return s->way[j] != BY_LEVEL || f->kind == SMR_CATEGORY;
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct hash_params *p = params_;
    const struct hash_state *s = state_;
    int64_t d = shape->n_features;
    bool right = true;
    for (int64_t j = 0; right && j < d; j++)
        right = feature_is_right(s, j, shape->features ? &shape->features[j] : NULL);
    for (int64_t k = 0; right && k < s->n_slots; k++)
        right = s->slot[k] != 0 && s->slot[k] <= p->buckets && s->slot[k] >= -p->buckets;
    if (right) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_FORMAT, "hash does not fit the %lld feature%s that come%s in",
                    (long long)d, smr_plural(d, "", "s"), smr_plural(d, "s", ""));
}

/* ---- predict: (1) ----------------------------------------------------------------------- */

static int64_t n_kept(const struct hash_state *s)
{
    int64_t n = 0;
    for (int64_t j = 0; j < s->n_features; j++) n += s->way[j] == PASSES;
    return n;
}

static int64_t n_out(const void *params_, const void *state_, int64_t n_in)
{
    (void)n_in;
    return n_kept(state_) + ((const struct hash_params *)params_)->buckets;
}

/* b + 1 or its negative for the value x of feature j; 0: a gap. */
static int32_t bucket_of(const struct hash_params *p, const struct hash_state *s,
                         const smr_rows *rows, int64_t j, double x)
{
    int64_t levels = s->offset[j + 1] - s->offset[j], n = 0;
    if (s->way[j] == BY_LEVEL)
        return x >= 0 && x < (double)levels ? s->slot[s->offset[j] + (int64_t)x] : 0;
    if (s->text[j] >= rows->n_texts) return 0;
    const smr_strings *strings = rows->texts[s->text[j]];
    if (!(x >= 0 && x < (double)strings->n)) return 0;
    const char *text = smr_strings_get(strings, (int64_t)x, &n);
    return n ? signed_bucket(p, s->salt[j], text, n) : 0;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct hash_params *p = params_;
    const struct hash_state *s = state_;
    int64_t kept = n_kept(s), width = kept + p->buckets;
    (void)ctx, (void)output, (void)scratch;
    memset(out, 0, (size_t)(rows->n * width) * sizeof *out);
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        double *row = out + i * width, *at = row;
        for (int64_t j = 0; j < s->n_features; j++) {
            if (s->way[j] == PASSES) {
                *at++ = x[j];
                continue;
            }
            int32_t b = bucket_of(p, s, rows, j, x[j]);
            if (b) row[kept + (b < 0 ? -b : b) - 1] += b < 0 ? -1 : 1;
        }
    }
    return SMR_OK;
}

static bool is_sparse(const void *params_, const void *state_, bool from_sparse)
{
    const struct hash_params *p = params_;
    const struct hash_state *s = state_;
    (void)from_sparse;
    return p->buckets >= SPARSE_OUTPUTS && p->buckets >= SPARSE_RATIO * s->n_features;
}

/* Buckets of a row, among the entries from `first` on, which ascend; one more. */
static void put_bucket(smr_entries *out, int64_t first, int32_t column, double value)
{
    int64_t at = out->n;
    while (at > first && out->column[at - 1] > column) at--;
    if (at > first && out->column[at - 1] == column) {
        out->value[at - 1] += value;
        return;
    }
    memmove(out->column + at + 1, out->column + at, (size_t)(out->n - at) * sizeof *out->column);
    memmove(out->value + at + 1, out->value + at, (size_t)(out->n - at) * sizeof *out->value);
    out->column[at] = column;
    out->value[at] = value;
    out->n++;
}

/* Signs that cancel leave no entry. */
static void drop_zeros(smr_entries *out, int64_t first)
{
    int64_t n = first;
    for (int64_t e = first; e < out->n; e++) {
        out->column[n] = out->column[e];
        out->value[n] = out->value[e];
        n += out->value[e] != 0;
    }
    out->n = n;
}

static smr_status append(smr_ctx *ctx, const void *params_, const void *state_,
                         const smr_rows *rows, smr_entries *out, void *scratch)
{
    const struct hash_params *p = params_;
    const struct hash_state *s = state_;
    int64_t kept = n_kept(s);
    smr_status st = SMR_OK;
    (void)scratch;
    TRY(smr_entries_reserve(ctx, out, rows->n * s->n_features + 1));
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        for (int64_t j = 0, at = 0; j < s->n_features; j++)
            if (s->way[j] == PASSES) smr_entries_add(out, at++, x[j]);
        int64_t first = out->n;
        for (int64_t j = 0; j < s->n_features; j++) {
            int32_t b = s->way[j] == PASSES ? 0 : bucket_of(p, s, rows, j, x[j]);
            if (b) put_bucket(out, first, (int32_t)(kept + (b < 0 ? -b : b) - 1), b < 0 ? -1 : 1);
        }
        drop_zeros(out, first);
        smr_entries_end_row(out);
    }
out:
    return st;
}

static smr_status learn(smr_ctx *ctx, const void *params_, void *state_, const smr_rows *rows,
                        const smr_truths *truths, double *out)
{
    (void)truths;
    if (!out) return SMR_OK;
    return predict(ctx, params_, state_, rows, SMR_OUTPUT_TRANSFORM, out, NULL);
}

/* ---- outputs ---------------------------------------------------------------------------- */

static smr_status outputs(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_feature *in, int64_t n_in, smr_feature *out, int64_t n)
{
    const struct hash_state *s = state_;
    smr_status st = SMR_OK;
    int64_t at = 0;
    for (int64_t j = 0; j < n_in; j++)
        if (s->way[j] == PASSES) TRY(smr_each_outputs(ctx, params_, s, in + j, 1, out + at++, 1));
    for (int64_t b = 0; at < n; at++, b++) {
        smr_text name = {.ctx = ctx};
        smr_text_printf(&name, "#%lld", (long long)b);
        st = smr_text_done(&name);
        if (st != SMR_OK) smr_text_release(&name);
        TRY(st);
        out[at].name = name.bytes;
    }
out:
    return st;
}

static void origins(const void *params_, const void *state_, int64_t n_in, int64_t *from, int64_t n)
{
    const struct hash_state *s = state_;
    int64_t at = 0, hashed = 0, last = 0;
    (void)params_;
    for (int64_t j = 0; j < n_in; j++) {
        if (s->way[j] == PASSES)
            from[at++] = j;
        else
            hashed++, last = j;
    }
    for (; at < n; at++) from[at] = hashed == 1 ? last : -1;
}

static unsigned fills(const void *params_)
{
    const struct hash_params *p = params_;
    return *p->column ? 0 : SMR_FILLS_CATEGORIES;
}

static const char *texts(const void *params_)
{
    const struct hash_params *p = params_;
    return *p->column ? p->column : NULL;
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct hash_state *s = state_;
    smr_json *list = smr_json_add_array(into, "hashed");
    (void)ctx, (void)params_;
    for (int64_t j = 0; j < n_in; j++) {
        if (s->way[j] == PASSES) continue;
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "feature", in[j].name);
        smr_json_add_string(row, "read_as", s->way[j] == BY_TEXT ? "text" : "category");
        if (s->way[j] == BY_LEVEL)
            smr_json_add_number(row, "levels", (double)(s->offset[j + 1] - s->offset[j]));
    }
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "hash",
    .synonyms = "hashing hashing_trick feature_hashing FeatureHasher HashingEncoder",
    .family = "transform",
    .title = "Feature hashing",
    .brief = "Hashes categories with any number of levels into a fixed number of features.",
    .objective = "z_b = sum of s(j, v) over the columns j whose value v has h(j, v) = b",
    .details =
        "Replaces onehot where there are too many levels for a feature each, or new ones keep "
        "coming. All hashed columns share the buckets. Two values in one bucket look the same; "
        "with sign=yes half of the values count with the opposite sign, so that such errors "
        "cancel on average. A column named by column= is read as text: the model then holds no "
        "list of its values, and values not seen in training have buckets too. Nothing is "
        "learned, so a stream can start with it. words hash= does the same for the words of "
        "texts.",
    .reference = "Weinberger, Dasgupta, Langford, Smola & Attenberg, Feature hashing for large "
                 "scale multitask learning, ICML 2009",
    .example = "samara train \"hash 64 column=text | logistic\" data/messages.csv --target topic",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct hash_params),
};

static const smr_can_transform transforms = {
    .n_out = n_out,
    .outputs = outputs,
    .origins = origins,
    .is_sparse = is_sparse,
    .append = append,
    .fills = fills,
    .no_inverse = "values may share a bucket",
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct hash_state),
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

const smr_learner smr_hash = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes =
        SMR_TAKES_F64 | SMR_TAKES_CODES | SMR_TAKES_MISSING | SMR_TAKES_WEIGHTS | SMR_TAKES_TEXT,
    .texts = texts,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .stream = SMR_TRAINING(&streams),
};
