/* stand_in.h -- learners that no user sees, in a registry of their own, to test model files with.
 *
 * A program that includes this file defines the registry's functions itself, so that the linker
 * leaves src/learn/registry.c out: everything else is the library as it is delivered.
 *
 *     meter   the same learner in three versions; stand_in_version says which one is registered
 *     store   one version, with types of rows that others do not have (stand_in_store.h) */
#ifndef SMR_TESTS_STAND_IN_H
#define SMR_TESTS_STAND_IN_H

#include "learn/registry.h"
#include "learn/state.h"
#include "stand_in_store.h"

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
METER_FITTED(meter_fitted_forgets, 3, NULL); /* nothing makes the new array */
METER(meter_1, 1, meter_fitted_1, 0);
METER(meter_2, 2, meter_fitted_2, 2);
METER(meter_3, 3, meter_fitted_3, SMR_COUNT(meter_rules));
METER(meter_forgets, 3, meter_fitted_forgets, SMR_COUNT(meter_rules));
static bool stand_in_forgets = false;

/* ---- the registry ----------------------------------------------------------------------- */

extern const smr_learner smr_bag, smr_impute, smr_onehot, smr_standardize, smr_tree, smr_vote,
    smr_words;

static const smr_learner *stand_in_meter(void)
{
    if (stand_in_forgets) return &meter_forgets;
    return stand_in_version == 1 ? &meter_1 : stand_in_version == 2 ? &meter_2 : &meter_3;
}

const smr_learner *const *smr_registry(int64_t *n)
{
    static const smr_learner *all[] = {&smr_bag,    &smr_impute,      NULL /* meter */,
                                       &smr_onehot, &smr_standardize, &store,
                                       &smr_tree,   &smr_vote,        &smr_words};
    all[2] = stand_in_meter();
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
