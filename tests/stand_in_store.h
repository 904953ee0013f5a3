/* stand_in_store.h -- a stand-in with strings, tensors, 16-bit numbers and an array of rank 6. */
#ifndef SMR_TESTS_STAND_IN_STORE_H
#define SMR_TESTS_STAND_IN_STORE_H

#include "data/vocab.h"
#include "learn/state.h"

#include <stdio.h>
#include <string.h>

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

#endif
