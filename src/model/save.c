/* save.c -- a model as tensors and metadata: see docs/model-file.md.
 *
 * The state tables say what is saved: row "mean" of stage 1, standardize, is the tensor
 * "1.standardize.mean"; for member 0 in row "of" of stage 2, calibrate, it is
 * "2.calibrate.of.0.0.standardize.mean", and the metadata holds the member's own sentence.  No
 * times, thread counts or paths: the same model gives the same bytes. */
#include "core/number.h"
#include "data/file.h"
#include "learn/spec.h"
#include "learn/state.h"
#include "learn/versions.h"
#include "model/model_file.h"
#include "model/roles_file.h"
#include "model/save_parts.h"

#include <string.h>

smr_text *smr_saving_meta(smr_ctx *ctx, smr_saving *s, const char *key)
{
    smr_text *value = &s->values[s->n_meta];
    *value = (smr_text){.ctx = ctx};
    smr_text_add(value, "");
    s->meta[s->n_meta++].key = key;
    return value;
}

static void add_inserted(const smr_stage *stages, int64_t n, smr_text *out)
{
    for (int64_t k = 0; k < n; k++) smr_text_add(out, stages[k].inserted ? "1" : "0");
}

void smr_saving_fit(const smr_fit_report *fit, smr_text *out)
{
    smr_text_printf(out, "%lld ", (long long)fit->n_iter);
    smr_text_number(out, fit->objective);
    smr_text_add(out, fit->converged ? " yes" : " no");
}

smr_status smr_saving_finish(smr_ctx *ctx, smr_saving *s)
{
    smr_status st = SMR_OK;
    if (s->n_members)
        smr_json_write(smr_json_root(s->members), 0, smr_saving_meta(ctx, s, "members"));
    for (int64_t k = 0; k < s->n_meta; k++) {
        TRY(smr_text_done(&s->values[k]));
        s->meta[k].value = s->values[k].bytes;
    }
out:
    return st;
}

/* The versions of the learners, where one is above 1, and the format that follows. */
static smr_status add_versions(smr_ctx *ctx, const smr_model *m, smr_saving *s)
{
    smr_text versions = {.ctx = ctx};
    smr_status st = smr_versions_write(ctx, m->target_map, m->stages, m->n_stages, &versions);
    if (st == SMR_OK) st = smr_text_done(&versions);
    bool some = st == SMR_OK && versions.length > 0;
    smr_text_printf(smr_saving_meta(ctx, s, "format"), "samara %d", some ? SMR_MODEL_FORMAT : 1);
    if (some) smr_text_add(smr_saving_meta(ctx, s, "versions"), versions.bytes);
    smr_text_release(&versions);
    return st;
}

static smr_status collect_meta(smr_ctx *ctx, const smr_model *m, smr_saving *s)
{
    smr_status st = SMR_OK;
    TRY(add_versions(ctx, m, s));
    smr_text_add(smr_saving_meta(ctx, s, "version"), smr_version());
    smr_stages_write(&m->head, m->stages, m->n_stages, smr_saving_meta(ctx, s, "spec"));
    smr_text *inserted = smr_saving_meta(ctx, s, "inserted");
    smr_text_add(inserted, m->head.written ? "0" : "1");
    add_inserted(m->stages, m->n_stages, inserted);
    TRY(smr_schema_to_json(ctx, &m->schema, smr_saving_meta(ctx, s, "schema")));
    TRY(smr_target_to_json(ctx, &m->target, smr_saving_meta(ctx, s, "target")));
    smr_text_printf(smr_saving_meta(ctx, s, "seed"), "%llu", (unsigned long long)m->seed);
    smr_text_printf(smr_saving_meta(ctx, s, "rows"), "%lld", (long long)m->n_rows);
    smr_text_add(smr_saving_meta(ctx, s, "data_hash"), m->data_hash);
    smr_saving_fit(&m->fit, smr_saving_meta(ctx, s, "fit"));
    if (m->summary) smr_text_add(smr_saving_meta(ctx, s, "summary"), m->summary);
    TRY(smr_saving_finish(ctx, s));
out:
    return st;
}

/* ---- tensors ---------------------------------------------------------------------------- */

static int64_t count_tensors(const smr_stage *stages, int64_t n)
{
    int64_t count = 0;
    for (int64_t s = 0; s < n; s++) {
        const smr_learner *l = stages[s].learner;
        count += l->fitted->n_state;
        for (int64_t i = 0; i < l->fitted->n_state; i++) {
            const smr_members *list = smr_state_members(&l->fitted->state[i], stages[s].state);
            const smr_tensors *tensors = smr_state_tensors(&l->fitted->state[i], stages[s].state);
            count += tensors ? tensors->n : 1; /* strings are two */
            for (int64_t k = 0; list && k < list->n; k++)
                count += count_tensors(list->member[k].stages, list->member[k].n_stages);
        }
    }
    return count;
}

static smr_status collect_stages(smr_ctx *ctx, const smr_stage *stages, int64_t first, int64_t n,
                                 smr_text *path, smr_saving *s);

/* What a member is, beyond its tensors. */
static smr_status describe_member(smr_ctx *ctx, const smr_member *m, const char *path,
                                  smr_saving *s)
{
    smr_text text = {.ctx = ctx};
    smr_status st = SMR_OK;
    smr_json *row = smr_json_add_object(smr_json_root(s->members), path);
    smr_stages_write(NULL, m->stages, m->n_stages, &text);
    TRY(smr_text_done(&text));
    smr_json_add_string(row, "spec", text.bytes);
    text.length = 0;
    add_inserted(m->stages, m->n_stages, &text);
    TRY(smr_text_done(&text));
    smr_json_add_string(row, "inserted", text.bytes);
    smr_json_add_string(row, "task", smr_task_name(m->shape.task));
    smr_json_add_number(row, "inputs", (double)m->shape.n_features);
    smr_json_add_number(row, "outputs", (double)m->shape.n_outputs);
    smr_json_add_number(row, "classes", (double)m->shape.n_classes);
    smr_json *names = m->features ? smr_json_add_array(row, "features") : NULL;
    for (int64_t j = 0; names && j < m->n_own; j++)
        smr_json_add_string(names, NULL, m->features[j].name);
    s->n_members++;
out:
    smr_text_release(&text);
    return st;
}

/* path: that of the row, as "2.calibrate.of". */
static smr_status collect_members(smr_ctx *ctx, const smr_members *list, smr_text *path,
                                  smr_saving *s)
{
    smr_status st = SMR_OK;
    int64_t length = path->length;
    for (int64_t k = 0; k < list->n; k++) {
        path->length = length;
        smr_text_printf(path, ".%lld", (long long)k);
        TRY(smr_text_done(path));
        TRY(describe_member(ctx, &list->member[k], path->bytes, s));
        smr_text_add(path, ".");
        TRY(collect_stages(ctx, list->member[k].stages, 0, list->member[k].n_stages, path, s));
    }
out:
    return st;
}

/* Adds a tensor of that name, whose shape is the caller's to set. */
static smr_status new_tensor(smr_ctx *ctx, const smr_text *name, smr_dtype dtype, const void *data,
                             smr_saving *s, smr_file_tensor **out)
{
    smr_status st = smr_text_done(name);
    if (st != SMR_OK) return st;
    smr_file_tensor *t = *out = &s->tensors[s->n_tensors];
    t->name = smr_strdup(ctx, name->bytes);
    if (!t->name) return SMR_ERR_NOMEM;
    s->n_tensors++;
    t->dtype = dtype;
    t->data = data;
    return SMR_OK;
}

static smr_status collect_strings(smr_ctx *ctx, const smr_state *row, const smr_strings *strings,
                                  smr_text *path, smr_saving *s)
{
    static const int64_t none[1] = {0};
    smr_status st = SMR_OK;
    smr_file_tensor *t = NULL;
    int64_t length = path->length;
    if (!strings->start && row->optional) return SMR_OK;
    const int64_t *start = strings->start ? strings->start : none;
    smr_text_add(path, ".start");
    TRY(new_tensor(ctx, path, SMR_I64, start, s, &t));
    t->n_dims = 1;
    t->shape[0] = strings->n + 1;
    path->length = length;
    smr_text_add(path, ".bytes");
    TRY(new_tensor(ctx, path, SMR_U8, strings->bytes, s, &t));
    t->n_dims = 1;
    t->shape[0] = start[strings->n];
out:
    return st;
}

/* path: that of the row; tensor k, "conv.weight", is "2.net.layers.K.conv.weight". */
static smr_status collect_tensors(smr_ctx *ctx, const smr_tensors *list, smr_text *path,
                                  smr_saving *s)
{
    smr_status st = SMR_OK;
    int64_t length = path->length;
    for (int64_t k = 0; k < list->n; k++) {
        const smr_tensor *from = &list->tensor[k];
        smr_file_tensor *t = NULL;
        path->length = length;
        smr_text_printf(path, ".%lld.%s", (long long)k, from->name);
        TRY(new_tensor(ctx, path, from->dtype, from->values, s, &t));
        t->n_dims = from->rank;
        memcpy(t->shape, from->shape, sizeof t->shape);
    }
out:
    return st;
}

static smr_status collect_row(smr_ctx *ctx, const smr_stage *stage, const smr_state *row,
                              smr_text *path, smr_saving *s)
{
    const smr_members *list = smr_state_members(row, stage->state);
    const smr_strings *strings = smr_state_strings(row, stage->state);
    const smr_tensors *tensors = smr_state_tensors(row, stage->state);
    const void *values = smr_state_values(row, stage->state);
    smr_file_tensor *t = NULL;
    smr_status st = SMR_OK;
    int64_t count;
    if (list) return collect_members(ctx, list, path, s);
    if (strings) return collect_strings(ctx, row, strings, path, s);
    if (tensors) return collect_tensors(ctx, tensors, path, s);
    if (!values) return SMR_OK;
    TRY(new_tensor(ctx, path, smr_state_dtype(row), values, s, &t));
    t->n_dims = smr_state_shape(stage->learner, row, stage->state, t->shape, &count);
out:
    return st;
}

/* path: what comes before a stage's number; first: the number of the first stage, 1 for a model,
 * whose head is 0, and 0 for a member, which has none. */
static smr_status collect_stages(smr_ctx *ctx, const smr_stage *stages, int64_t first, int64_t n,
                                 smr_text *path, smr_saving *s)
{
    smr_status st = SMR_OK;
    int64_t length = path->length;
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < stages[k].learner->fitted->n_state; i++) {
            const smr_learner *l = stages[k].learner;
            if (!smr_state_is_in(&l->fitted->state[i], smr_learner_version(l))) continue;
            path->length = length;
            smr_text_printf(path, "%lld.%s.%s", (long long)(first + k), l->word->name,
                            l->fitted->state[i].name);
            TRY(collect_row(ctx, &stages[k], &l->fitted->state[i], path, s));
        }
out:
    return st;
}

static smr_status collect_curve(smr_ctx *ctx, const smr_fit_report *fit, smr_saving *s)
{
    if (!fit->n_curve) return SMR_OK;
    char *name = smr_strdup(ctx, SMR_CURVE_TENSOR);
    if (!name) return SMR_ERR_NOMEM;
    s->tensors[s->n_tensors++] = (smr_file_tensor){
        .name = name, .dtype = SMR_F64, .n_dims = 1, .shape = {fit->n_curve}, .data = fit->curve};
    return SMR_OK;
}

smr_status smr_saving_stages(smr_ctx *ctx, const smr_stage *head, const smr_stage *stages,
                             int64_t first, int64_t n, const smr_fit_report *fit, smr_saving *s)
{
    smr_status st = SMR_OK;
    smr_text path = {.ctx = ctx};
    int64_t room = count_tensors(head, head != NULL) + count_tensors(stages, n);
    TRY_NEW(s->tensors, room + 1 + SMR_ROLE_TENSORS);
    TRY(smr_json_create(ctx, &s->members));
    TRY(collect_stages(ctx, head, 0, head != NULL, &path, s));
    path.length = 0;
    TRY(collect_stages(ctx, stages, first, n, &path, s));
    TRY(collect_curve(ctx, fit, s));
    TRY(smr_json_done(s->members));
out:
    smr_text_release(&path);
    return st;
}

void smr_model_tensors_free(smr_file_tensor *tensors, int64_t n)
{
    for (int64_t k = 0; k < n; k++) smr_free((char *)(uintptr_t)tensors[k].name);
    smr_free(tensors);
}

void smr_saving_release(smr_saving *s)
{
    for (int64_t k = 0; k < s->n_meta; k++) smr_text_release(&s->values[k]);
    smr_model_tensors_free(s->tensors, s->n_tensors);
    smr_json_free(s->members);
}

smr_status smr_model_tensors(smr_ctx *ctx, const smr_model *m, smr_file_tensor **out, int64_t *n)
{
    smr_saving s = {0};
    smr_status st = smr_saving_stages(ctx, m->target_map, m->stages, 1, m->n_stages, &m->fit, &s);
    *out = NULL;
    *n = 0;
    if (st == SMR_OK) {
        *out = s.tensors;
        *n = s.n_tensors;
        s.tensors = NULL;
        s.n_tensors = 0;
    }
    smr_saving_release(&s);
    return st;
}

/* ---- files ------------------------------------------------------------------------------ */

/* What a load would refuse is not written. */
static smr_status collect(smr_ctx *ctx, const smr_model *m, smr_saving *s)
{
    smr_status st = smr_model_check(ctx, m);
    if (st == SMR_ERR_NUMERIC) smr_while(ctx, "saving the model, which could not be read again");
    TRY(st);
    TRY(smr_saving_stages(ctx, m->target_map, m->stages, 1, m->n_stages, &m->fit, s));
    TRY(smr_roles_to_tensors(ctx, m->schema.roles, s->tensors, &s->n_tensors));
    TRY(collect_meta(ctx, m, s));
out:
    return st;
}

static smr_status put(smr_ctx *ctx, void *sink, const void *bytes, int64_t n)
{
    return smr_sink_write(ctx, sink, bytes, n);
}

smr_status smr_saving_write(smr_ctx *ctx, const smr_saving *s, const char *path)
{
    smr_status st = SMR_OK;
    smr_sink *sink = NULL;
    TRY(smr_sink_open(ctx, path, false, &sink));
    smr_receiver to = {.put = put, .user = sink, .to_the_end = s->to_the_end};
    TRY(smr_safetensors_write(ctx, s->tensors, s->n_tensors, s->meta, s->n_meta, &to));
    TRY(smr_sink_commit(ctx, sink));
out:
    smr_sink_close(sink);
    return st;
}

static smr_status save(smr_ctx *ctx, const smr_model *m, const char *path, bool to_the_end)
{
    smr_status st = SMR_OK;
    smr_saving s = {.to_the_end = to_the_end};
    smr_begin_call(ctx);
    TRY(collect(ctx, m, &s));
    TRY(smr_saving_write(ctx, &s, path));
out:
    smr_saving_release(&s);
    return st;
}

smr_status smr_model_save(smr_ctx *ctx, const smr_model *m, const char *path)
{
    return save(ctx, m, path, false);
}

smr_status smr_model_keep(smr_ctx *ctx, const smr_model *m, const char *path)
{
    return save(ctx, m, path, true);
}

smr_status smr_model_write(smr_ctx *ctx, const smr_model *m, char **bytes, int64_t *length)
{
    smr_status st = SMR_OK;
    smr_saving s = {0};
    void *block = NULL;
    smr_begin_call(ctx);
    *bytes = NULL;
    TRY(collect(ctx, m, &s));
    TRY(smr_safetensors_bytes(ctx, s.tensors, s.n_tensors, s.meta, s.n_meta, &block, length));
    *bytes = block;
out:
    smr_saving_release(&s);
    return st;
}
