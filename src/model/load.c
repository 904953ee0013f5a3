/* load.c -- a model back from its file, with everything checked before it is used.
 *
 * In order: the checksum, the container, the format number, the sentence (which gives learners and
 * parameters, with their ranges), schema and target, every number of the state tables (with its
 * range), every array (with the shape that those numbers demand), then each learner's own check of
 * references between arrays.  A tensor that no table asks for is an error too. */
#include "core/number.h"
#include "data/file.h"
#include "learn/member.h"
#include "learn/stages.h"
#include "learn/state.h"
#include "model/file.h"
#include "model/roles_file.h"
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

/* A sentence and which of its stages were inserted; head: NULL of a member, which has none. */
static smr_status read_sentence(smr_ctx *ctx, const char *sentence, const char *inserted,
                                smr_head *head, smr_stage **stages, int64_t *n)
{
    smr_spec *spec = NULL;
    smr_status st = smr_spec_parse_saved(ctx, sentence, &spec);
    if (st == SMR_ERR_PARAM) { /* the file's fault, not the caller's */
        st = ctx->status = SMR_ERR_FORMAT;
        smr_while(ctx, "reading the model's sentence");
    }
    TRY(st);
    if (spec->head.written != (head != NULL) ||
        (int64_t)strlen(inserted) != spec->n + spec->head.written)
        TRY(damaged(ctx, "its sentence"));
    for (int64_t s = 0; s < spec->n; s++)
        if (!spec->steps[s].learner->fitted->predict) TRY(damaged(ctx, "the order of its stages"));
    if (head) TRY(smr_head_copy(ctx, &spec->head, head));
    if (head) head->written = *inserted++ != '1';
    TRY(smr_stages_load(ctx, spec, stages, n));
    for (int64_t s = 0; s < *n; s++) (*stages)[s].inserted = inserted[s] == '1';
out:
    smr_spec_free(spec);
    return st;
}

static smr_status read_stages(smr_ctx *ctx, const smr_safetensors *file, smr_model *m)
{
    const char *spec = NULL, *inserted = NULL;
    smr_status st = SMR_OK;
    TRY(need(ctx, file, "spec", &spec));
    TRY(need(ctx, file, "inserted", &inserted));
    TRY(read_sentence(ctx, spec, inserted, &m->head, &m->stages, &m->n_stages));
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

/* What is read from, and how much of it was explained so far. */
struct loading {
    const smr_safetensors *file;
    smr_json_doc *members; /* of the metadata, or NULL */
    int64_t used_tensors, used_members;
    int depth;
};

static smr_status load_stages(smr_ctx *ctx, struct loading *l, smr_stage *stages, int64_t first,
                              int64_t n, smr_text *path);

static bool count_of(const smr_json *row, const char *key, int64_t *out)
{
    const smr_json *v = smr_json_get(row, key);
    if (!v || v->type != SMR_JSON_NUMBER || v->number != floor(v->number) || v->number < 0 ||
        v->number > (double)SMR_MAX_DIM)
        return false;
    *out = (int64_t)v->number;
    return true;
}

static smr_status read_shape(smr_ctx *ctx, const smr_json *row, smr_shape *shape)
{
    bool known = smr_task_find(smr_json_get_string(row, "task", ""), &shape->task);
    bool whole = count_of(row, "inputs", &shape->n_features) &&
                 count_of(row, "outputs", &shape->n_outputs) &&
                 count_of(row, "classes", &shape->n_classes);
    bool classify = shape->task == SMR_TASK_CLASSIFY;
    bool supervised = known && smr_task_of(shape->task)->needs_target;
    if (!known || !whole || shape->n_features < 1 || (classify && shape->n_classes < 2) ||
        (shape->n_classes && !smr_task_of(shape->task)->of_classes) ||
        (supervised && !shape->n_outputs) ||
        (shape->task == SMR_TASK_NONE && shape->n_outputs))
        return damaged(ctx, "the shape of a member");
    return SMR_OK;
}

static smr_status read_own_features(smr_ctx *ctx, const smr_json *names, smr_member *m)
{
    smr_status st = SMR_OK;
    int64_t j = 0;
    if (!names) return SMR_OK;
    if (names->type != SMR_JSON_ARRAY || names->n < 1 || names->n > m->shape.n_features)
        return damaged(ctx, "the features of a member");
    TRY_NEW(m->features, names->n + 1); /* those behind the names are the parent's */
    m->n_own = names->n;
    for (const smr_json *v = names->first; v; v = v->next, j++) {
        if (v->type != SMR_JSON_STRING || (int64_t)strlen(v->string) != v->n)
            return damaged(ctx, "the features of a member");
        m->features[j] = (smr_feature){.kind = SMR_NUMBER, .stride = 1};
        m->features[j].name = smr_strdup(ctx, v->string);
        if (!m->features[j].name) return SMR_ERR_NOMEM;
        m->n_held++;
    }
out:
    return st;
}

static smr_status read_member(smr_ctx *ctx, struct loading *l, smr_member *m, smr_text *path)
{
    smr_status st = SMR_OK;
    const smr_json *row = l->members ? smr_json_get(smr_json_root(l->members), path->bytes) : NULL;
    const char *spec = smr_json_get_string(row, "spec", NULL);
    const char *inserted = smr_json_get_string(row, "inserted", NULL);
    if (!spec || !inserted)
        return smr_fail(ctx, SMR_ERR_FORMAT, "the model file is damaged: member %s is not there",
                        path->bytes);
    TRY(read_shape(ctx, row, &m->shape));
    TRY(read_own_features(ctx, smr_json_get(row, "features"), m));
    TRY(read_sentence(ctx, spec, inserted, NULL, &m->stages, &m->n_stages));
    l->used_members++;
    smr_text_add(path, ".");
    TRY(load_stages(ctx, l, m->stages, 0, m->n_stages, path));
out:
    return st;
}

/* Members are all there, or none of an optional row. */
static smr_status read_members(smr_ctx *ctx, struct loading *l, const smr_learner *of,
                               const smr_state *row, void *state, smr_text *path)
{
    smr_status st = SMR_OK;
    int64_t length = path->length, shape[3], count;
    smr_members *list = smr_state_members(row, state);
    (void)smr_state_shape(of, row, state, shape, &count);
    if (++l->depth > SMR_MEMBER_DEPTH) return damaged(ctx, "its members are nested too deeply");
    if (row->optional) {
        smr_text_add(path, ".0");
        TRY(smr_text_done(path));
        if (!l->members || !smr_json_get(smr_json_root(l->members), path->bytes)) count = 0;
    }
    if (count > (l->members ? smr_json_root(l->members)->n : 0))
        return damaged(ctx, "members are not there");
    TRY(smr_members_create(ctx, count, list));
    for (int64_t k = 0; k < count; k++) {
        path->length = length;
        smr_text_printf(path, ".%lld", (long long)k);
        TRY(smr_text_done(path));
        TRY(read_member(ctx, l, &list->member[k], path));
    }
    l->depth--;
out:
    return st;
}

static smr_status read_row(smr_ctx *ctx, struct loading *l, const smr_learner *of,
                           const smr_state *row, void *state, smr_text *path)
{
    if (row->type == SMR_STATE_MEMBERS) return read_members(ctx, l, of, row, state, path);
    const smr_file_tensor *t = smr_safetensors_get(l->file, path->bytes);
    if (!t && row->optional) return SMR_OK;
    if (!t || t->dtype != smr_state_dtype(row))
        return smr_fail(ctx, SMR_ERR_FORMAT, "the model file is damaged: %s is %s", path->bytes,
                        t ? "of another type" : "not there");
    l->used_tensors++;
    return smr_state_is_scalar(row) ? read_number(ctx, row, t, state)
                                    : read_array(ctx, of, row, t, state);
}

/* path: what stands before a stage's number in a tensor's name; first: the number of the first
 * stage. */
static smr_status load_stages(smr_ctx *ctx, struct loading *l, smr_stage *stages, int64_t first,
                              int64_t n, smr_text *path)
{
    smr_status st = SMR_OK;
    int64_t length = path->length;
    for (int64_t s = 0; s < n; s++) {
        const smr_learner *learner = stages[s].learner;
        TRY(smr_state_create(ctx, learner, &stages[s].state));
        for (int64_t i = 0; i < learner->fitted->n_state; i++) {
            path->length = length;
            smr_text_printf(path, "%lld.%s.%s", (long long)(first + s), learner->word->name,
                            learner->fitted->state[i].name);
            TRY(smr_text_done(path));
            TRY(read_row(ctx, l, learner, &learner->fitted->state[i], stages[s].state, path));
        }
    }
out:
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

static smr_status load_model(smr_ctx *ctx, const smr_safetensors *file, smr_model *m)
{
    smr_status st = SMR_OK;
    smr_text path = {.ctx = ctx};
    struct loading l = {.file = file};
    const char *members = smr_safetensors_meta(file, "members");
    if (members) TRY(smr_json_parse(ctx, members, (int64_t)strlen(members), &l.members));
    TRY(load_stages(ctx, &l, m->stages, 1, m->n_stages, &path));
    TRY(read_curve(ctx, file, &m->fit, &l.used_tensors));
    TRY(smr_roles_from_tensors(ctx, file, m->schema.roles, &l.used_tensors));
    if (l.used_tensors != file->n_tensors)
        TRY(damaged(ctx, "it holds tensors that its sentence does not explain"));
    if (l.members && l.used_members != smr_json_root(l.members)->n)
        TRY(damaged(ctx, "it holds members that its sentence does not explain"));
out:
    smr_json_free(l.members);
    smr_text_release(&path);
    return st;
}

/* ---- files ------------------------------------------------------------------------------ */

static smr_status read_block(smr_ctx *ctx, char *block, int64_t length, smr_model **out)
{
    smr_status st = SMR_OK;
    smr_safetensors file = {0};
    smr_model *m = NULL;
    TRY(smr_safetensors_check(ctx, block, length));
    TRY(smr_safetensors_read(ctx, block, length, &file));
    TRY_NEW(m, 1);
    TRY(read_meta(ctx, &file, m));
    TRY(load_model(ctx, &file, m));
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

/* What a text is, judged by its first line; NULL for what may be a model: the length it begins with
 * has zero bytes, which no text has. */
static const char *looks_like(const char *block, int64_t length)
{
    int64_t n = SMR_MIN(length, 4096), line = 0;
    if (n < 8 || memchr(block, 0, (size_t)n)) return NULL;
    for (int64_t i = 0; i < n; i++)
        if ((unsigned char)block[i] < ' ' && !strchr("\t\n\r\f", block[i])) return NULL;
    while (line < n && block[line] != '\n') line++;
    if (block[0] == '{' || block[0] == '[') return "JSON";
    if (memchr(block, ',', (size_t)line) || memchr(block, ';', (size_t)line)) return "CSV";
    return memchr(block, '\t', (size_t)line) ? "a table with tabs" : "text";
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
    const char *kind = looks_like(block, length);
    if (kind) {
        st = smr_fail(ctx, SMR_ERR_FORMAT, "%s is no samara model file (it looks like %s)", path,
                      kind);
        goto out;
    }
    st = read_block(ctx, block, length, out);
    if (st == SMR_ERR_FORMAT) smr_while(ctx, "loading %s", path);
out:
    smr_free(block);
    smr_source_close(source);
    return st;
}
