/* target_map.c -- see target_map.h. */
#include "learn/target_map.h"

#include "core/number.h"
#include "core/text.h"
#include "learn/adapter.h"
#include "learn/stages.h"
#include "learn/state.h"

#include <math.h>

/* ---- which ------------------------------------------------------------------------------ */

static const struct map {
    smr_need need;
    smr_tailor tailor;
    const char *words;
} maps[] = {
    [SMR_TARGET_LOG] = {SMR_NEED_LOGGED, {.plain = true}, "log y"},
    [SMR_TARGET_LOG1P] = {SMR_NEED_LOGGED, {0}, "sign(y) log(1 + |y|)"},
    [SMR_TARGET_POWER] = {SMR_NEED_RAISED, {0}, "a power of y"},
    [SMR_TARGET_RANK] = {SMR_NEED_RANKED, {0}, "the rank of y"},
    [SMR_TARGET_NORMAL] = {SMR_NEED_RANKED, {.normal = true}, "the normal score of y"},
};

const char *smr_target_map_words(int how)
{
    return maps[how].words;
}

smr_status smr_target_map_check(smr_ctx *ctx, int how, const smr_target *t)
{
    if (!smr_target_is_mapped(how)) return SMR_OK;
    if (t->n == 0 || t->held)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "columns target=%s changes the target, and this model is fitted to none; "
                        "leave it out",
                        smr_target_how(how));
    if (t->task == SMR_TASK_REGRESS) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "columns target=%s is for targets that are numbers, and '%s' has classes; "
                    "leave it out, or say --task regress where numbers are meant",
                    smr_target_how(how), t->names[0]);
}

/* ---- fitting ---------------------------------------------------------------------------- */

/* The transform of features would count a later value without a logarithm as the least of
 * training; a target has none to begin with. */
static smr_status refuse_without_logarithm(smr_ctx *ctx, const smr_target *t, int64_t n,
                                           const double *y, const int64_t *rows)
{
    char text[SMR_NUMBER_MAX];
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < t->n; j++) {
            double value = y[i * t->n + j];
            if (!(value <= 0)) continue;
            smr_format_double(value, text);
            return smr_fail(ctx, SMR_ERR_DATA,
                            "columns target=log: the target '%s' is %s in row %lld, which has no "
                            "logarithm; target=log1p takes sign(y) log(1 + |y|) of any number",
                            t->names[j], text, (long long)(rows ? rows[i] : i) + 1);
        }
    return SMR_OK;
}

/* The targets as features; y NULL: not tied to memory. */
static smr_status lay_out(smr_ctx *ctx, const smr_target *t, const double *y, smr_feature **out)
{
    smr_feature *f = smr_alloc(ctx, t->n, sizeof *f);
    if (!f) return SMR_ERR_NOMEM;
    for (int64_t j = 0; j < t->n; j++)
        f[j] = (smr_feature){.name = t->names[j],
                             .kind = SMR_NUMBER,
                             .values = y ? y + j : NULL,
                             .stride = y ? t->n : 1};
    *out = f;
    return SMR_OK;
}

static smr_rows rows_over(const smr_stage *map, int64_t n, const double *x)
{
    return (smr_rows){.n = n, .d = map->n_in, .form = SMR_FORM_F64, .x = x, .stride = map->n_in};
}

smr_status smr_target_map_fit(smr_ctx *ctx, int how, const smr_target *t, int64_t n, double *y,
                              const double *weight, const int64_t *rows, smr_stage **out)
{
    smr_status st = SMR_OK;
    smr_spec *spec = NULL;
    smr_feature *features = NULL;
    smr_stage *map = NULL;
    smr_fit_report report = {0};
    int64_t n_stages = 0;
    if (how == SMR_TARGET_LOG) TRY(refuse_without_logarithm(ctx, t, n, y, rows));
    TRY(smr_adapter_make(ctx, maps[how].need, &maps[how].tailor, &spec));
    TRY(lay_out(ctx, t, y, &features));
    smr_data data = {.size = sizeof data,
                     .n_rows = n,
                     .n_features = t->n,
                     .features = features,
                     .weight = weight};
    TRY(smr_stages_fit(ctx, spec, features, &data, &report, &map, &n_stages));
    smr_rows all = rows_over(map, n, y);
    TRY(map->learner->fitted->predict(ctx, map->params, map->state, &all, SMR_OUTPUT_TRANSFORM, y,
                                      NULL));
    *out = map;
    map = NULL;
out:
    smr_target_map_free(map);
    smr_fit_report_release(&report);
    smr_free(features);
    smr_spec_free(spec);
    return st;
}

/* ---- streams ---------------------------------------------------------------------------- */

bool smr_target_map_streams(int how)
{
    return how == SMR_TARGET_AS_IS || how == SMR_TARGET_LOG || how == SMR_TARGET_LOG1P;
}

smr_status smr_target_map_begin(smr_ctx *ctx, int how, const smr_target *t, smr_stage **out)
{
    smr_status st = SMR_OK;
    smr_spec *spec = NULL;
    smr_feature *features = NULL;
    int64_t n = 0;
    *out = NULL;
    if (!smr_target_is_mapped(how)) return SMR_OK;
    TRY(smr_target_map_check(ctx, how, t));
    TRY(smr_adapter_make(ctx, maps[how].need, &maps[how].tailor, &spec));
    TRY(lay_out(ctx, t, NULL, &features));
    smr_data like = {.size = sizeof like, .n_features = t->n, .features = features};
    TRY(smr_stages_begin(ctx, spec, features, &like, out, &n));
out:
    smr_free(features);
    smr_spec_free(spec);
    return st;
}

smr_status smr_target_map_learn(smr_ctx *ctx, smr_stage *map, int64_t n, const double *y,
                                const double *weight, double *z)
{
    smr_rows rows = rows_over(map, n, y);
    smr_truths truths = {.weight = weight};
    return map->learner->stream->learn(ctx, map->params, map->state, &rows, &truths, z);
}

/* ---- loading and saving ----------------------------------------------------------------- */

smr_status smr_target_map_load(smr_ctx *ctx, int how, smr_stage **out)
{
    smr_status st = SMR_OK;
    smr_spec *spec = NULL;
    int64_t n = 0;
    *out = NULL;
    if (!smr_target_is_mapped(how)) return SMR_OK;
    TRY(smr_adapter_make(ctx, maps[how].need, &maps[how].tailor, &spec));
    TRY(smr_stages_load(ctx, spec, out, &n));
out:
    smr_spec_free(spec);
    return st;
}

/* What the map's stage must fit. */
static smr_shape shape_of(const smr_target *t)
{
    return (smr_shape){.n_features = t->n};
}

smr_status smr_target_map_link(smr_ctx *ctx, smr_model *m)
{
    smr_status st = SMR_OK;
    smr_feature *features = NULL;
    smr_shape shape = shape_of(&m->target);
    if (!m->target_map) return SMR_OK;
    TRY(lay_out(ctx, &m->target, NULL, &features));
    TRY(smr_stages_link(ctx, m->target_map, 1, features, &shape));
out:
    smr_free(features);
    return st;
}

smr_status smr_target_map_recheck(smr_ctx *ctx, const smr_model *m)
{
    smr_status st = SMR_OK;
    smr_feature *features = NULL;
    smr_shape shape = shape_of(&m->target);
    if (!m->target_map) return SMR_OK;
    TRY(lay_out(ctx, &m->target, NULL, &features));
    TRY(smr_stages_check(ctx, m->target_map, 1, features, &shape));
out:
    smr_free(features);
    return st;
}

void smr_target_map_free(smr_stage *map)
{
    smr_stages_free(map, 1);
}

/* ---- predicting ------------------------------------------------------------------------- */

/* Each value by itself, so that it may be done in place; without scratch. */
smr_status smr_target_map_back(smr_ctx *ctx, const smr_stage *map, int64_t n, double *z)
{
    smr_rows rows = rows_over(map, n, z);
    return map->learner->fitted->transform->inverse(ctx, map->params, map->state, &rows, z, NULL);
}

smr_status smr_target_map_back_ends(smr_ctx *ctx, const smr_stage *map, int64_t n, double *z,
                                    double *room)
{
    smr_status st = SMR_OK;
    int64_t t = map->n_in;
    bool open = map->learner->fitted->transform->adapts != SMR_NEED_LOGGED;
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) {
            double *row = z + i * t * 2 + k;
            for (int64_t j = 0; j < t; j++) room[j] = row[j * 2];
            TRY(smr_target_map_back(ctx, map, 1, room));
            for (int64_t j = 0; j < t; j++)
                if (!open || !isinf(row[j * 2])) row[j * 2] = room[j];
        }
out:
    return st;
}
