/* save.c -- a model as tensors and metadata: see docs/model-file.md.
 *
 * The state tables say what is saved: row "mean" of stage 1, standardize, is the tensor
 * "1.standardize.mean".  No times, thread counts or paths: the same model gives the same bytes. */
#include "core/number.h"
#include "data/file.h"
#include "learn/spec.h"
#include "learn/state.h"
#include "model/file.h"
#include "model/safetensors.h"

#include <string.h>

enum { META = 16, NAME_MAX_LENGTH = 128 };

struct saving {
    smr_file_tensor *tensors;
    char (*names)[NAME_MAX_LENGTH];
    int64_t n_tensors;
    smr_file_meta meta[META];
    smr_text values[META];
    int64_t n_meta;
};

static smr_text *new_meta(smr_ctx *ctx, struct saving *s, const char *key)
{
    smr_text *value = &s->values[s->n_meta];
    *value = (smr_text){.ctx = ctx};
    smr_text_add(value, "");
    s->meta[s->n_meta++].key = key;
    return value;
}

static void add_inserted(const smr_model *m, smr_text *out)
{
    for (int64_t k = 0; k < m->n_stages; k++) smr_text_add(out, m->stages[k].inserted ? "1" : "0");
}

static void add_fit(const smr_model *m, smr_text *out)
{
    smr_text_printf(out, "%lld ", (long long)m->fit.n_iter);
    smr_text_number(out, m->fit.objective);
    smr_text_add(out, m->fit.converged ? " yes" : " no");
}

static smr_status collect_meta(smr_ctx *ctx, const smr_model *m, struct saving *s)
{
    smr_status st = SMR_OK;
    smr_text_printf(new_meta(ctx, s, "format"), "samara %d", SMR_MODEL_FORMAT);
    smr_text_add(new_meta(ctx, s, "version"), smr_version());
    smr_spec_write(m->stages, m->n_stages, new_meta(ctx, s, "spec"));
    add_inserted(m, new_meta(ctx, s, "inserted"));
    TRY(smr_schema_to_json(ctx, &m->schema, new_meta(ctx, s, "schema")));
    TRY(smr_target_to_json(ctx, &m->target, new_meta(ctx, s, "target")));
    smr_text_printf(new_meta(ctx, s, "seed"), "%llu", (unsigned long long)m->seed);
    smr_text_printf(new_meta(ctx, s, "rows"), "%lld", (long long)m->n_rows);
    smr_text_add(new_meta(ctx, s, "data_hash"), m->data_hash);
    add_fit(m, new_meta(ctx, s, "fit"));
    if (m->summary) smr_text_add(new_meta(ctx, s, "summary"), m->summary);
    for (int64_t k = 0; k < s->n_meta; k++) {
        TRY(smr_text_done(&s->values[k]));
        s->meta[k].value = s->values[k].bytes;
    }
out:
    return st;
}

static smr_status collect_stage(smr_ctx *ctx, const smr_stage *stage, int64_t number,
                                struct saving *s)
{
    const smr_learner *l = stage->learner;
    smr_text name = {.ctx = ctx};
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < l->n_state; i++) {
        const smr_state *row = &l->state[i];
        const void *values = smr_state_values(row, stage->state);
        int64_t count;
        if (!values) continue;
        smr_file_tensor *t = &s->tensors[s->n_tensors];
        name.length = 0;
        smr_text_printf(&name, "%lld.%s.%s", (long long)number, l->name, row->name);
        TRY(smr_text_done(&name));
        if (name.length >= NAME_MAX_LENGTH) {
            st = smr_fail(ctx, SMR_ERR_INTERNAL, "the name %s is too long for a model file",
                          name.bytes);
            goto out;
        }
        memcpy(s->names[s->n_tensors], name.bytes, (size_t)name.length + 1);
        t->name = s->names[s->n_tensors++];
        t->dtype = smr_state_dtype(row);
        t->n_dims = smr_state_shape(l, row, stage->state, t->shape, &count);
        t->data = values;
    }
out:
    smr_text_release(&name);
    return st;
}

static void collect_curve(const smr_model *m, struct saving *s)
{
    if (!m->fit.n_curve) return;
    s->tensors[s->n_tensors++] = (smr_file_tensor){.name = SMR_CURVE_TENSOR,
                                                   .dtype = SMR_F64,
                                                   .n_dims = 1,
                                                   .shape = {m->fit.n_curve},
                                                   .data = m->fit.curve};
}

static smr_status collect(smr_ctx *ctx, const smr_model *m, struct saving *s)
{
    smr_status st = SMR_OK;
    int64_t most = 0;
    for (int64_t k = 0; k < m->n_stages; k++) most += m->stages[k].learner->n_state;
    TRY_NEW(s->tensors, most + 1);
    TRY_NEW(s->names, most + 1);
    TRY(collect_meta(ctx, m, s));
    for (int64_t k = 1; k < m->n_stages; k++) TRY(collect_stage(ctx, &m->stages[k], k, s));
    collect_curve(m, s);
out:
    return st;
}

static void release(struct saving *s)
{
    for (int64_t k = 0; k < s->n_meta; k++) smr_text_release(&s->values[k]);
    smr_free(s->tensors);
    smr_free(s->names);
}

static smr_status put(smr_ctx *ctx, void *sink, const void *bytes, int64_t n)
{
    return smr_sink_write(ctx, sink, bytes, n);
}

smr_status smr_model_save(smr_ctx *ctx, const smr_model *m, const char *path)
{
    smr_status st = SMR_OK;
    struct saving s = {0};
    smr_sink *sink = NULL;
    smr_begin(ctx);
    TRY(collect(ctx, m, &s));
    TRY(smr_sink_open(ctx, path, false, &sink));
    TRY(smr_safetensors_write(ctx, s.tensors, s.n_tensors, s.meta, s.n_meta, put, sink));
    TRY(smr_sink_commit(ctx, sink));
out:
    smr_sink_close(sink);
    release(&s);
    return st;
}

smr_status smr_model_write(smr_ctx *ctx, const smr_model *m, char **bytes, int64_t *length)
{
    smr_status st = SMR_OK;
    struct saving s = {0};
    void *block = NULL;
    smr_begin(ctx);
    *bytes = NULL;
    TRY(collect(ctx, m, &s));
    TRY(smr_safetensors_bytes(ctx, s.tensors, s.n_tensors, s.meta, s.n_meta, &block, length));
    *bytes = block;
out:
    release(&s);
    return st;
}
