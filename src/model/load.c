/* load.c -- a model back from its file, with everything checked before it is used.
 *
 * In order: the checksum, the container, the format number, the sentence (which gives learners and
 * parameters, with their ranges), schema and target, every number of the state tables (with its
 * range), every array (with the shape that those numbers demand), then each learner's own check of
 * references between arrays.  A tensor that no table asks for is an error too. */
#include "core/number.h"
#include "data/file.h"
#include "learn/spec.h"
#include "learn/state.h"
#include "model/file.h"
#include "model/safetensors.h"

#include <math.h>
#include <string.h>

static const int64_t LARGEST_FILE = INT64_C(1) << 46;

static smr_status damaged(smr_ctx *ctx, const char *what)
{
    return smr_fail(ctx, SMR_ERR_FORMAT, "the model file is damaged: %s", what);
}

/* ---- metadata --------------------------------------------------------------------------- */

static smr_status need(smr_ctx *ctx, const smr_safetensors *file, const char *key, const char **out)
{
    *out = smr_safetensors_meta(file, key);
    if (*out) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_FORMAT, "this is no samara model: its metadata lack '%s'", key);
}

static smr_status check_format(smr_ctx *ctx, const smr_safetensors *file)
{
    const char *format = smr_safetensors_meta(file, "format");
    int64_t number = 0;
    if (!format || strncmp(format, "samara ", 7) != 0)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "this is no samara model (a safetensors file of another kind)");
    const char *digits = format + 7, *end = digits + strlen(digits);
    if (smr_parse_int(digits, end, &number) != end || number < 1)
        return damaged(ctx, "its format number");
    if (number > SMR_MODEL_FORMAT)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "the model file has format %lld, and this samara (%s) reads up to %d: use "
                        "a newer samara",
                        (long long)number, smr_version(), SMR_MODEL_FORMAT);
    return SMR_OK;
}

static smr_status read_count(smr_ctx *ctx, const smr_safetensors *file, const char *key,
                             int64_t *out)
{
    const char *text = NULL;
    smr_status st = need(ctx, file, key, &text);
    if (st != SMR_OK) return st;
    const char *end = text + strlen(text);
    if (smr_parse_int(text, end, out) != end || *out < 0) return damaged(ctx, key);
    return SMR_OK;
}

/* Seeds use all 64 bits, more than smr_parse_int reads. */
static smr_status read_seed(smr_ctx *ctx, const smr_safetensors *file, uint64_t *out)
{
    const char *text = NULL;
    smr_status st = need(ctx, file, "seed", &text);
    if (st != SMR_OK) return st;
    uint64_t seed = 0;
    size_t n = strlen(text);
    if (n < 1 || n > 20) return damaged(ctx, "its seed");
    for (size_t i = 0; i < n; i++) {
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (digit > 9 || seed > (UINT64_MAX - digit) / 10) return damaged(ctx, "its seed");
        seed = 10 * seed + digit;
    }
    *out = seed;
    return SMR_OK;
}

/* "12 0.25 yes": iterations, objective (may be nan), converged. */
static smr_status read_fit(smr_ctx *ctx, const char *text, smr_fit_report *fit)
{
    const char *end = text + strlen(text), *at = smr_parse_int(text, end, &fit->n_iter);
    if (!at || *at != ' ' || fit->n_iter < 0 || fit->n_iter > INT64_C(1) << 53)
        return damaged(ctx, "its report of the fit");
    at = smr_parse_double(at + 1, end, &fit->objective);
    if (!at || (strcmp(at, " yes") != 0 && strcmp(at, " no") != 0))
        return damaged(ctx, "its report of the fit");
    fit->converged = strcmp(at, " yes") == 0;
    return SMR_OK;
}

static smr_status read_stages(smr_ctx *ctx, const smr_safetensors *file, smr_model *m)
{
    const char *spec = NULL, *inserted = NULL;
    smr_status st = SMR_OK;
    TRY(need(ctx, file, "spec", &spec));
    TRY(need(ctx, file, "inserted", &inserted));
    st = smr_spec_parse(ctx, spec, &m->stages, &m->n_stages);
    if (st == SMR_ERR_PARAM) { /* the file's fault, not the caller's */
        st = ctx->status = SMR_ERR_FORMAT;
        smr_while(ctx, "reading the model's sentence");
    }
    if (st != SMR_OK) return st;
    if (m->n_stages < 2 || strcmp(m->stages[0].learner->name, "columns") != 0 ||
        (int64_t)strlen(inserted) != m->n_stages)
        return damaged(ctx, "its sentence");
    for (int64_t s = 0; s < m->n_stages; s++) {
        bool last = s + 1 == m->n_stages,
             transforms = m->stages[s].learner->gives & SMR_GIVES_TRANSFORM;
        if ((!last && !transforms) || (s && !m->stages[s].learner->predict))
            return damaged(ctx, "the order of its stages");
        m->stages[s].inserted = inserted[s] == '1';
    }
out:
    return st;
}

/* Optional; must be an object, since inspect shows its members. */
static smr_status read_summary(smr_ctx *ctx, const char *text, smr_model *m)
{
    smr_json_doc *doc = NULL;
    if (!text) return SMR_OK;
    smr_status st = smr_json_parse(ctx, text, (int64_t)strlen(text), &doc);
    if (st == SMR_OK && smr_json_root(doc)->type != SMR_JSON_OBJECT)
        st = damaged(ctx, "its summary");
    smr_json_free(doc);
    if (st != SMR_OK) return st;
    m->summary = smr_strdup(ctx, text);
    return m->summary ? SMR_OK : SMR_ERR_NOMEM;
}

static smr_status read_meta(smr_ctx *ctx, const smr_safetensors *file, smr_model *m)
{
    const char *text = NULL;
    smr_status st = SMR_OK;
    TRY(check_format(ctx, file));
    TRY(read_stages(ctx, file, m));
    TRY(need(ctx, file, "schema", &text));
    TRY(smr_schema_from_json(ctx, text, &m->schema));
    TRY(need(ctx, file, "target", &text));
    TRY(smr_target_from_json(ctx, text, &m->target));
    TRY(read_seed(ctx, file, &m->seed));
    TRY(read_count(ctx, file, "rows", &m->n_rows));
    TRY(need(ctx, file, "fit", &text));
    TRY(read_fit(ctx, text, &m->fit));
    TRY(need(ctx, file, "data_hash", &text));
    if (strlen(text) >= sizeof m->data_hash) return damaged(ctx, "its data hash");
    memcpy(m->data_hash, text, strlen(text) + 1);
    TRY(read_summary(ctx, smr_safetensors_meta(file, "summary"), m));
out:
    return st;
}

/* ---- states ----------------------------------------------------------------------------- */

static smr_status read_number(smr_ctx *ctx, const smr_state *row, const smr_file_tensor *t,
                              void *state)
{
    char *at = (char *)state + row->offset;
    if (t->n_dims != 0) return damaged(ctx, t->name);
    memcpy(at, t->data, 8);
    if (row->type == SMR_STATE_REAL) return SMR_OK;
    int64_t value = *(int64_t *)(void *)at;
    double most = row->max != 0 ? row->max : (double)SMR_MAX_DIM;
    if ((double)value < row->min || (double)value > most)
        return smr_fail(ctx, SMR_ERR_FORMAT, "the model file is damaged: %s = %lld is out of range",
                        t->name, (long long)value);
    return SMR_OK;
}

static smr_status read_array(smr_ctx *ctx, const smr_learner *l, const smr_state *row,
                             const smr_file_tensor *t, void *state)
{
    int64_t shape[3] = {0}, count;
    int rank = smr_state_shape(l, row, state, shape, &count);
    bool fits = rank == t->n_dims;
    for (int k = 0; fits && k < rank; k++) fits = shape[k] == t->shape[k];
    if (!fits)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "the model file is damaged: %s does not have the shape it should", t->name);
    size_t size = smr_dtype_size(t->dtype);
    void *copy = smr_alloc_raw(ctx, t->n, size);
    if (!copy) return SMR_ERR_NOMEM;
    memcpy(copy, t->data, (size_t)t->n * size);
    *(void **)(void *)((char *)state + row->offset) = copy;
    return SMR_OK;
}

static smr_status read_stage(smr_ctx *ctx, const smr_safetensors *file, smr_stage *stage,
                             int64_t number, int64_t *used)
{
    const smr_learner *l = stage->learner;
    smr_text name = {.ctx = ctx};
    smr_status st = SMR_OK;
    TRY(smr_state_create(ctx, l, &stage->state));
    for (int64_t i = 0; i < l->n_state; i++) {
        const smr_state *row = &l->state[i];
        name.length = 0;
        smr_text_printf(&name, "%lld.%s.%s", (long long)number, l->name, row->name);
        TRY(smr_text_done(&name));
        const smr_file_tensor *t = smr_safetensors_get(file, name.bytes);
        if (!t && row->optional) continue;
        if (!t || t->dtype != smr_state_dtype(row)) {
            st = smr_fail(ctx, SMR_ERR_FORMAT, "the model file is damaged: %s is %s", name.bytes,
                          t ? "of another type" : "not there");
            goto out;
        }
        TRY(smr_state_is_scalar(row) ? read_number(ctx, row, t, stage->state)
                                     : read_array(ctx, l, row, t, stage->state));
        (*used)++;
    }
out:
    smr_text_release(&name);
    return st;
}

/* The training curve, if there is one: as long as its iterations demand. */
static smr_status read_curve(smr_ctx *ctx, const smr_safetensors *file, smr_fit_report *fit,
                             int64_t *used)
{
    const smr_file_tensor *t = smr_safetensors_get(file, SMR_CURVE_TENSOR);
    if (!t) return SMR_OK;
    if (t->dtype != SMR_F64 || t->n_dims != 1 || t->n < 1 || t->n != smr_fit_points(fit->n_iter))
        return damaged(ctx, "its training curve");
    fit->curve = smr_alloc_raw(ctx, t->n, sizeof *fit->curve);
    if (!fit->curve) return SMR_ERR_NOMEM;
    memcpy(fit->curve, t->data, (size_t)t->n * sizeof *fit->curve);
    fit->n_curve = t->n;
    (*used)++;
    return SMR_OK;
}

/* ---- files ------------------------------------------------------------------------------ */

static smr_status read_block(smr_ctx *ctx, char *block, int64_t length, smr_model **out)
{
    smr_status st = SMR_OK;
    smr_safetensors file = {0};
    smr_model *m = NULL;
    int64_t used = 0;
    TRY(smr_safetensors_check(ctx, block, length));
    TRY(smr_safetensors_read(ctx, block, length, &file));
    TRY_NEW(m, 1);
    TRY(read_meta(ctx, &file, m));
    for (int64_t s = 1; s < m->n_stages; s++) TRY(read_stage(ctx, &file, &m->stages[s], s, &used));
    TRY(read_curve(ctx, &file, &m->fit, &used));
    if (used != file.n_tensors) {
        st = damaged(ctx, "it holds tensors that its sentence does not explain");
        goto out;
    }
    TRY(smr_model_link(ctx, m));
    *out = m;
    m = NULL;
out:
    smr_model_free(m);
    smr_safetensors_release(&file);
    return st;
}

smr_status smr_model_read(smr_ctx *ctx, const char *bytes, int64_t length, smr_model **out)
{
    smr_begin(ctx);
    *out = NULL;
    char *block = smr_alloc_raw(ctx, length, 1); /* private and aligned */
    if (!block) return SMR_ERR_NOMEM;
    memcpy(block, bytes, (size_t)length);
    smr_status st = read_block(ctx, block, length, out);
    smr_free(block);
    return st;
}

smr_status smr_model_load(smr_ctx *ctx, const char *path, smr_model **out)
{
    smr_status st = SMR_OK;
    smr_source *source = NULL;
    char *block = NULL;
    int64_t length = 0;
    smr_begin(ctx);
    *out = NULL;
    TRY(smr_source_open(ctx, path, &source));
    TRY(smr_source_whole(ctx, source, LARGEST_FILE, &block, &length));
    st = read_block(ctx, block, length, out);
    if (st == SMR_ERR_FORMAT) smr_while(ctx, "loading %s", path);
out:
    smr_free(block);
    smr_source_close(source);
    return st;
}
