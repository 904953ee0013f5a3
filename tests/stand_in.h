/* stand_in.h -- learners that no user sees, in a registry of their own, for tests of the model file.
 *
 * A program that includes this file defines the registry's functions itself, so that the linker
 * leaves src/learn/registry.c out: everything else is the library as it is delivered.
 *
 *     meter   the same learner in three versions; stand_in_version says which one is registered
 *     store   one version, with every type of row that the other learners do not have */
#ifndef SMR_TESTS_STAND_IN_H
#define SMR_TESTS_STAND_IN_H

#include "data/vocab.h"
#include "learn/registry.h"
#include "learn/state.h"

#include <stdio.h>
#include <string.h>

static int stand_in_version = 3;

/* ---- meter ------------------------------------------------------------------------------ */

/*              version 1            version 2              version 3
 * parameters   k                    size (was k)           size
 *              mode=slow|fast       mode=slow|quick        mode=slow|quick
 *              warm                 warm                   (gone)
 *                                                          steps: 5, of older files 1
 * state        w                    weights (was w)        weights
 *              offset, a number     offset, a number       offset, an array of n
 *              tally                (gone)
 *                                   total, tally's sum     total
 *                                   shrink, before: 1      shrink */

struct meter_params {
    int64_t k, size, steps;
    int mode;
    bool warm;
};

static const smr_choice meter_modes_1[] = {{"slow", "s"}, {"fast", "f"}, {NULL, NULL}};
static const smr_choice meter_modes[] = {{"slow", "s"}, {"quick", "q"}, {NULL, NULL}};

#define METER_NUMBER(field)                                                                       \
    {                                                                                             \
        SMR_FIELD(struct meter_params, field), .def = 5, .min = 1, .max = 100, .doc = "A number." \
    }
#define METER_MODE(names)                                                                    \
    {                                                                                        \
        SMR_FIELD(struct meter_params, mode), .def = 0, .choices = names, .doc = "A choice." \
    }
#define METER_WARM                                                         \
    {                                                                      \
        SMR_FIELD(struct meter_params, warm), .def = 0, .doc = "A switch." \
    }
static const smr_param meter_params_1[] = {METER_NUMBER(k), METER_MODE(meter_modes_1), METER_WARM};
static const smr_param meter_params_2[] = {METER_NUMBER(size), METER_MODE(meter_modes), METER_WARM};
static const smr_param meter_params_3[] = {METER_NUMBER(size), METER_MODE(meter_modes),
                                           METER_NUMBER(steps)};
static const smr_old_param meter_rules[] = {
    {2, "k", NULL, "size="},
    {2, "mode", "fast", "mode=quick"},
    {3, "warm", NULL, NULL},
    {3, NULL, NULL, "steps=1"},
};

struct meter_state {
    int64_t n;
    double *weights;
    double offset;
    double *offsets;
    double *tally;
    double shrink, total;
};

#define METER_ROW(field, ...)                                             \
    {                                                                     \
        SMR_KEPT(struct meter_state, field), __VA_ARGS__, .doc = "A row." \
    }
static const smr_state meter_state_1[] = {
    METER_ROW(n, .min = 1),
    {.name = "w",
     .type = SMR_STATE_F64S,
     .offset = offsetof(struct meter_state, weights),
     .dims = {"n"},
     .doc = "A row."},
    METER_ROW(offset, .min = 0),
    METER_ROW(tally, .dims = {"n"}),
};
static const smr_state meter_state_2[] = {
    METER_ROW(n, .min = 1),
    METER_ROW(weights, .dims = {"n"}, .was = "w", .renamed = 2),
    METER_ROW(offset, .min = 0),
    METER_ROW(tally, .dims = {"n"}, .until = 2),
    METER_ROW(total, .since = 2, .before = NAN),
    METER_ROW(shrink, .since = 2, .before = 1),
};
static const smr_state meter_state_3[] = {
    METER_ROW(n, .min = 1),
    METER_ROW(weights, .dims = {"n"}, .was = "w", .renamed = 2),
    METER_ROW(offset, .until = 3),
    METER_ROW(tally, .dims = {"n"}, .until = 2),
    METER_ROW(total, .since = 2, .before = NAN),
    METER_ROW(shrink, .since = 2, .before = 1),
    {.name = "offset", /* the name of a row that is gone */
     .type = SMR_STATE_F64S,
     .offset = offsetof(struct meter_state, offsets),
     .dims = {"n"},
     .since = 3,
     .doc = "A row."},
};

static smr_status meter_upgrade(smr_ctx *ctx, const void *params, void *state_, int from)
{
    struct meter_state *s = state_;
    smr_status st = SMR_OK;
    (void)params;
    if (from < 2) {
        s->total = 0;
        for (int64_t j = 0; j < s->n; j++) s->total += s->tally[j];
    }
    if (stand_in_version == 3) {
        TRY_NEW(s->offsets, s->n);
        s->offsets[0] = s->offset;
    }
out:
    return st;
}

static smr_status meter_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state_,
                            smr_fit_report *report)
{
    struct meter_state *s = state_;
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    smr_rows rows;
    (void)params, (void)report;
    s->n = data->n_features;
    s->shrink = 1;
    TRY_NEW(s->weights, s->n);
    TRY_NEW(s->tally, s->n);
    TRY_NEW(s->offsets, s->n);
    TRY(smr_reader_open(ctx, data, SMR_FORM_F64, data->n_rows, &reader));
    TRY(smr_reader_rows(ctx, reader, 0, data->n_rows, &rows));
    for (int64_t i = 0; i < rows.n; i++)
        for (int64_t j = 0; j < s->n; j++)
            s->tally[j] += ((const double *)rows.x)[i * rows.stride + j];
    for (int64_t j = 0; j < s->n; j++) {
        s->weights[j] = s->tally[j] / (double)rows.n;
        s->total += s->tally[j];
    }
    s->offset = s->offsets[0] = data->y ? data->y[0] / 3 : 0.1;
    if (stand_in_version > 1) {
        smr_free(s->tally);
        s->tally = NULL;
    }
    if (stand_in_version < 3) {
        smr_free(s->offsets);
        s->offsets = NULL;
    }
out:
    smr_reader_close(reader);
    return st;
}

static smr_status meter_predict(smr_ctx *ctx, const void *params, const void *state_,
                                const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct meter_params *p = params;
    const struct meter_state *s = state_;
    bool first = stand_in_version == 1;
    double total = first ? 0 : s->total;
    double offset = stand_in_version < 3 ? s->offset : s->offsets[0];
    (void)ctx, (void)output, (void)scratch;
    for (int64_t j = 0; first && j < s->n; j++) total += s->tally[j];
    for (int64_t i = 0; i < rows->n; i++) {
        double sum = offset;
        for (int64_t j = 0; j < s->n && j < rows->d; j++)
            sum += s->weights[j] * ((const double *)rows->x)[i * rows->stride + j];
        sum = first ? sum : sum * s->shrink;
        out[i] = sum + 1e-3 * total + 1e-4 * (double)(first ? p->k : p->size) +
                 1e-5 * (double)p->mode + 1e-6 * (double)(stand_in_version < 3 ? 1 : p->steps);
    }
    return SMR_OK;
}

static smr_status meter_check(smr_ctx *ctx, const void *params, const void *state_,
                              const smr_shape *shape)
{
    const struct meter_state *s = state_;
    (void)params;
    if (s->n == shape->n_features) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_FORMAT, "meter has %lld features where %lld come in",
                    (long long)s->n, (long long)shape->n_features);
}

#define METER_WORD(v)                                                                \
    static const smr_word meter_word_##v = {.name = "meter",                         \
                                            .family = "test",                        \
                                            .title = "Meter",                        \
                                            .brief = "A stand-in.",                  \
                                            .objective = "none",                     \
                                            .reference = "none",                     \
                                            .example = "samara none",                \
                                            .params = meter_params_##v,              \
                                            .n_params = SMR_COUNT(meter_params_##v), \
                                            .params_size = sizeof(struct meter_params)}
#define METER_FITTED(name_, v, upgrade_)                                       \
    static const smr_fitted name_ = {.state = meter_state_##v,                 \
                                     .n_state = SMR_COUNT(meter_state_##v),    \
                                     .state_size = sizeof(struct meter_state), \
                                     .gives = SMR_GIVES_VALUE,                 \
                                     .check = meter_check,                     \
                                     .upgrade = upgrade_,                      \
                                     .predict = meter_predict}
#define METER(name_, v, fitted_, n_rules)                        \
    static const smr_learner name_ = {.word = &meter_word_##v,   \
                                      .tasks = SMR_DOES_REGRESS, \
                                      .takes = SMR_TAKES_F64,    \
                                      .fit = meter_fit,          \
                                      .fitted = &fitted_,        \
                                      .version = v,              \
                                      .old_params = meter_rules, \
                                      .n_old_params = n_rules}
METER_WORD(1);
METER_WORD(2);
METER_WORD(3);
METER_FITTED(meter_fitted_1, 1, NULL);
METER_FITTED(meter_fitted_2, 2, meter_upgrade);
METER_FITTED(meter_fitted_3, 3, meter_upgrade);
METER_FITTED(meter_fitted_forgets, 3, NULL); /* nobody makes the new array */
METER(meter_1, 1, meter_fitted_1, 0);
METER(meter_2, 2, meter_fitted_2, 2);
METER(meter_3, 3, meter_fitted_3, SMR_COUNT(meter_rules));
METER(meter_forgets, 3, meter_fitted_forgets, SMR_COUNT(meter_rules));
static bool stand_in_forgets = false;

/* ---- store ------------------------------------------------------------------------------ */

struct store_params {
    int64_t users;
};

static const smr_param store_params[] = {
    {SMR_FIELD(struct store_params, users), .def = 7, .min = 1, .max = 1000, .doc = "Users."},
};

struct store_state {
    int64_t one, two, three;
    float *cube; /* rank 6 */
    int64_t n_users;
    smr_strings users;
    smr_half *factor;
    smr_bfloat *bias;
    smr_strings notes;
    int64_t n_layers;
    smr_tensors layers;
    smr_tensors extra;
    smr_vocab known; /* derived: users -> rows of factor */
};

#define STORE_ROW(field, ...)                                             \
    {                                                                     \
        SMR_KEPT(struct store_state, field), __VA_ARGS__, .doc = "A row." \
    }
static const smr_state store_state[] = {
    STORE_ROW(one, .min = 1, .max = 1),
    STORE_ROW(two, .min = 1),
    STORE_ROW(three, .min = 1),
    STORE_ROW(cube, .dims = {"three", "one", "two", "three", "one", "two"}),
    STORE_ROW(n_users, .min = 0),
    STORE_ROW(users, .dims = {"n_users"}, .unique = true),
    STORE_ROW(factor, .dims = {"n_users", "two"}),
    STORE_ROW(bias, .dims = {"n_users"}),
    STORE_ROW(notes, .raw = true, .optional = true),
    STORE_ROW(n_layers, .min = 0),
    STORE_ROW(layers, .dims = {"n_layers"}),
    STORE_ROW(extra, .optional = true),
};

enum { STORE_CUBE = 36 };

static smr_status store_names(smr_ctx *ctx, struct store_state *s)
{
    smr_status st = SMR_OK;
    smr_vocab d = {0};
    int32_t code;
    for (int64_t u = 0; u < s->n_users; u++) {
        char text[32];
        int n = snprintf(text, sizeof text, "us\xc3\xa9r %d", (int)(s->n_users - u));
        TRY(smr_vocab_add(ctx, &d, text, n, &code));
    }
    TRY(smr_strings_copy(ctx, &d.strings, NULL, &s->users));
    smr_vocab_release(&d);
    TRY(smr_vocab_add(ctx, &d, "\xff\xfe", 2, &code)); /* no UTF-8 */
    TRY(smr_vocab_add(ctx, &d, "", 0, &code));
    TRY(smr_strings_copy(ctx, &d.strings, NULL, &s->notes));
out:
    smr_vocab_release(&d);
    return st;
}

static smr_status store_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state_,
                            smr_fit_report *report)
{
    struct store_state *s = state_;
    smr_status st = SMR_OK;
    (void)data, (void)report;
    s->one = 1, s->two = 2, s->three = 3;
    s->n_users = ((const struct store_params *)params)->users;
    TRY_NEW(s->cube, STORE_CUBE);
    for (int64_t i = 0; i < STORE_CUBE; i++) s->cube[i] = (float)(i * i) / 7;
    TRY(store_names(ctx, s));
    TRY_NEW(s->factor, 2 * s->n_users);
    TRY_NEW(s->bias, s->n_users);
    for (int64_t u = 0; u < s->n_users; u++) {
        s->factor[2 * u] = smr_half_round(0.37 * (double)u);
        s->factor[2 * u + 1] = smr_half_round(-1.7 + (double)u);
        s->bias[u] = smr_bfloat_round(100 / (1 + (double)u));
    }
    /* Eleven layers: the tenth sorts before the second where names are sorted as text. */
    s->n_layers = 11;
    TRY(smr_tensors_create(ctx, 11, &s->layers));
    for (int64_t k = 0; k < 11; k++) {
        char name[32];
        int64_t shape[4] = {k, 2, 1, 3};
        snprintf(name, sizeof name, "dense-%d.weight", (int)(7 * k % 11));
        smr_dtype dtype = k % 3 == 0 ? SMR_F32 : k % 3 == 1 ? SMR_BF16 : SMR_I32;
        TRY(smr_tensors_set(ctx, &s->layers, k, name, dtype, (int)(k % 5), shape));
        memset(s->layers.tensor[k].values, (int)k,
               (size_t)smr_tensor_count(&s->layers.tensor[k]) * smr_dtype_size(dtype));
    }
    TRY(smr_tensors_create(ctx, 1, &s->extra));
    TRY(smr_tensors_set(ctx, &s->extra, 0, "x", SMR_F64, 0, NULL));
    *(double *)s->extra.tensor[0].values = 0.1;
out:
    return st;
}

static smr_status store_prepare(smr_ctx *ctx, const void *params, void *state_)
{
    struct store_state *s = state_;
    int64_t twin;
    (void)params;
    return smr_vocab_over(ctx, &s->users, &s->known, &twin);
}

static void store_release(void *state)
{
    smr_vocab_release(&((struct store_state *)state)->known);
}

static smr_status store_check(smr_ctx *ctx, const void *params, const void *state_,
                              const smr_shape *shape)
{
    const struct store_state *s = state_;
    (void)params, (void)shape;
    if (s->two == 2) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_FORMAT, "store: its factors are not pairs");
}

/* x[0] is the number of a user. */
static smr_status store_predict(smr_ctx *ctx, const void *params, const void *state_,
                                const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct store_state *s = state_;
    double common = 0;
    (void)ctx, (void)params, (void)output, (void)scratch;
    for (int64_t i = 0; i < s->three * s->two * s->three * s->two; i++) common += s->cube[i];
    const smr_tensor *layer = smr_tensors_find(&s->layers, "dense-3.weight");
    if (layer) common += (double)smr_tensor_count(layer) + ((const uint8_t *)layer->values)[0];
    if (s->extra.n && s->extra.tensor[0].dtype == SMR_F64)
        common += *(const double *)s->extra.tensor[0].values;
    for (int64_t i = 0; i < rows->n; i++) {
        double x = ((const double *)rows->x)[i * rows->stride];
        char text[32];
        int n = snprintf(text, sizeof text, "us\xc3\xa9r %d", x > 0 && x < 1e6 ? (int)x : 0);
        int32_t u = smr_vocab_find(&s->known, text, n);
        out[i] = u < 0 ? common
                       : common + (double)smr_half_widen(s->factor[2 * u]) +
                             (double)smr_half_widen(s->factor[2 * u + 1]) +
                             (double)smr_bfloat_widen(s->bias[u]);
    }
    return SMR_OK;
}

static const smr_word store_word = {
    .name = "store",
    .family = "test",
    .title = "Store",
    .brief = "A stand-in.",
    .objective = "none",
    .reference = "none",
    .example = "samara none",
    .params = store_params,
    .n_params = SMR_COUNT(store_params),
    .params_size = sizeof(struct store_params),
};

static const smr_fitted store_fitted = {
    .state = store_state,
    .n_state = SMR_COUNT(store_state),
    .state_size = sizeof(struct store_state),
    .gives = SMR_GIVES_VALUE,
    .prepare = store_prepare,
    .check = store_check,
    .release = store_release,
    .predict = store_predict,
};

static const smr_learner store = {
    .word = &store_word,
    .tasks = SMR_DOES_REGRESS,
    .takes = SMR_TAKES_F64,
    .fit = store_fit,
    .fitted = &store_fitted,
};

/* ---- the registry ----------------------------------------------------------------------- */

extern const smr_learner smr_bag, smr_columns, smr_impute, smr_onehot, smr_standardize, smr_tree,
    smr_vote, smr_words;

static const smr_learner *stand_in_meter(void)
{
    if (stand_in_forgets) return &meter_forgets;
    return stand_in_version == 1 ? &meter_1 : stand_in_version == 2 ? &meter_2 : &meter_3;
}

const smr_learner *const *smr_registry(int64_t *n)
{
    static const smr_learner *all[] = {&smr_bag,    &smr_columns,     &smr_impute, NULL /* meter */,
                                       &smr_onehot, &smr_standardize, &store,      &smr_tree,
                                       &smr_vote,   &smr_words};
    all[3] = stand_in_meter();
    *n = SMR_COUNT(all);
    return all;
}

const smr_learner *smr_registry_find(const char *name)
{
    int64_t n;
    const smr_learner *const *all = smr_registry(&n);
    for (int64_t i = 0; i < n; i++)
        if (strcmp(all[i]->word->name, name) == 0) return all[i];
    return NULL;
}

const smr_learner *smr_registry_adapter(smr_need need)
{
    int64_t n;
    const smr_learner *const *all = smr_registry(&n);
    for (int64_t i = 0; i < n; i++)
        if (smr_transforms(all[i]) && all[i]->fitted->transform->adapts == need) return all[i];
    return NULL;
}

smr_status smr_registry_get(smr_ctx *ctx, const char *name, const smr_learner **out)
{
    *out = smr_registry_find(name);
    return *out ? SMR_OK : smr_fail(ctx, SMR_ERR_PARAM, "there is no learner '%s'", name);
}

#endif
