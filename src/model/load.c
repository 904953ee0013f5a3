/* load.c -- a model back from its file, with everything checked before it is used.
 *
 * In order: the checksum, the container, the format number, the learners' versions, the sentence
 * (which gives learners and parameters, with their ranges), schema and target, every number of the
 * state tables (with its range), every array (with the shape that those numbers demand), then each
 * learner's own check of references between arrays.  A tensor that no table asks for is an error
 * too. */
#include "core/number.h"
#include "learn/stages.h"
#include "learn/target_map.h"
#include "model/load_parts.h"
#include "model/model_file.h"
#include "model/roles_file.h"

#include <math.h>
#include <string.h>

static const int64_t LARGEST_FILE = INT64_C(1) << 46;

smr_status smr_load_damaged(smr_ctx *ctx, const char *what)
{
    return smr_fail(ctx, SMR_ERR_FORMAT, "the model file is damaged: %s", what);
}

/* ---- metadata --------------------------------------------------------------------------- */

static smr_status need(smr_ctx *ctx, const smr_safetensors *file, const char *key, const char **out)
{
    *out = smr_safetensors_meta(file, key);
    if (*out) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_FORMAT, "this is not a samara model: its metadata lacks '%s'",
                    key);
}

/* Files of format 2 name the versions of their learners; those of format 1 do not. */
static smr_status read_format(smr_ctx *ctx, smr_loading *l)
{
    const smr_safetensors *file = l->file;
    const char *versions = smr_safetensors_meta(file, "versions");
    const char *format = smr_safetensors_meta(file, "format");
    int64_t number = 0;
    if (!format || strncmp(format, "samara ", 7) != 0)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "this is not a samara model (a safetensors file of another kind)");
    const char *digits = format + 7, *end = digits + strlen(digits);
    if (smr_parse_int(digits, end, &number) != end || number < 1)
        return smr_load_damaged(ctx, "its format number");
    if (number > SMR_MODEL_FORMAT)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "the model file has format %lld, and this samara (%s) reads up to %d: use "
                        "a newer samara",
                        (long long)number, smr_version(), SMR_MODEL_FORMAT);
    if ((number >= 2) != (versions != NULL))
        return smr_load_damaged(ctx, "the versions of its learners");
    return smr_versions_read(ctx, versions, &l->versions);
}

static smr_status read_count(smr_ctx *ctx, const smr_safetensors *file, const char *key,
                             int64_t *out)
{
    const char *text = NULL;
    smr_status st = need(ctx, file, key, &text);
    if (st != SMR_OK) return st;
    const char *end = text + strlen(text);
    if (smr_parse_int(text, end, out) != end || *out < 0 || *out > SMR_MOST_COUNTED)
        return smr_load_damaged(ctx, key);
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
    if (n < 1 || n > 20) return smr_load_damaged(ctx, "its seed");
    for (size_t i = 0; i < n; i++) {
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (digit > 9 || seed > (UINT64_MAX - digit) / 10) return smr_load_damaged(ctx, "its seed");
        seed = 10 * seed + digit;
    }
    *out = seed;
    return SMR_OK;
}

smr_status smr_load_fit(smr_ctx *ctx, const char *text, smr_fit_report *fit)
{
    const char *end = text + strlen(text), *at = smr_parse_int(text, end, &fit->n_iter);
    if (!at || *at != ' ' || fit->n_iter < 0 || fit->n_iter > SMR_MOST_COUNTED)
        return smr_load_damaged(ctx, "its report of the fit");
    at = smr_parse_double(at + 1, end, &fit->objective);
    if (!at || (strcmp(at, " yes") != 0 && strcmp(at, " no") != 0))
        return smr_load_damaged(ctx, "its report of the fit");
    fit->converged = strcmp(at, " yes") == 0;
    return SMR_OK;
}

smr_status smr_load_sentence(smr_ctx *ctx, smr_loading *l, const char *sentence,
                             const char *inserted, smr_head *head, smr_stage **stages, int64_t *n)
{
    smr_spec *spec = NULL;
    smr_text today = {.ctx = ctx};
    smr_status st = smr_versions_translate(ctx, &l->versions, sentence, &today);
    if (st == SMR_OK) st = smr_spec_parse_saved(ctx, today.bytes ? today.bytes : "", &spec);
    smr_text_release(&today);
    if (st == SMR_ERR_PARAM) { /* the file's fault, not the caller's */
        st = ctx->status = SMR_ERR_FORMAT;
        smr_while(ctx, "reading the model's sentence");
    }
    TRY(st);
    int64_t length = (int64_t)strlen(inserted);
    if (spec->head.written != (head != NULL) || length != spec->n + spec->head.written)
        TRY(smr_load_damaged(ctx, "its sentence"));
    /* What samara inserts comes before a stage that was asked for. */
    if (spec->n < 1 || inserted[length - 1] != '0' || (int64_t)strspn(inserted, "01") != length)
        TRY(smr_load_damaged(ctx, "which of its stages were inserted"));
    for (int64_t s = 0; s < spec->n; s++)
        if (!smr_transforms(spec->steps[s].learner) && !spec->steps[s].learner->fitted->predict)
            TRY(smr_load_damaged(ctx, "the order of its stages"));
    if (head) TRY(smr_head_copy(ctx, &spec->head, head));
    if (head) head->written = *inserted++ != '1';
    TRY(smr_stages_load(ctx, spec, stages, n));
    for (int64_t s = 0; s < *n; s++) (*stages)[s].inserted = inserted[s] == '1';
out:
    smr_spec_free(spec);
    return st;
}

static smr_status read_stages(smr_ctx *ctx, smr_loading *l, smr_model *m)
{
    const char *spec = NULL, *inserted = NULL;
    smr_status st = SMR_OK;
    TRY(need(ctx, l->file, "spec", &spec));
    TRY(need(ctx, l->file, "inserted", &inserted));
    TRY(smr_load_sentence(ctx, l, spec, inserted, &m->head, &m->stages, &m->n_stages));
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
        st = smr_load_damaged(ctx, "its summary");
    smr_json_free(doc);
    if (st != SMR_OK) return st;
    m->summary = smr_strdup(ctx, text);
    return m->summary ? SMR_OK : SMR_ERR_NOMEM;
}

/* The sentence says whether there is one; the target must be one that it could be fitted to. */
static smr_status read_target_map(smr_ctx *ctx, smr_model *m)
{
    const smr_target *t = &m->target;
    int how = smr_model_columns(m)->target;
    if (!smr_target_is_mapped(how)) return SMR_OK;
    if (t->task != SMR_TASK_REGRESS || t->n == 0 || t->held || t->mean)
        return smr_load_damaged(ctx, "its target is not what its sentence says");
    return smr_target_map_load(ctx, how, &m->target_map);
}

static smr_status read_meta(smr_ctx *ctx, smr_loading *l, smr_model *m)
{
    const smr_safetensors *file = l->file;
    const char *text = NULL;
    smr_status st = SMR_OK;
    TRY(read_format(ctx, l));
    TRY(read_stages(ctx, l, m));
    TRY(need(ctx, file, "schema", &text));
    TRY(smr_schema_from_json(ctx, text, &m->schema));
    TRY(need(ctx, file, "target", &text));
    TRY(smr_target_from_json(ctx, text, &m->target));
    TRY(read_target_map(ctx, m));
    TRY(read_seed(ctx, file, &m->seed));
    TRY(read_count(ctx, file, "rows", &m->n_rows));
    TRY(need(ctx, file, "fit", &text));
    TRY(smr_load_fit(ctx, text, &m->fit));
    TRY(need(ctx, file, "data_hash", &text));
    if (strlen(text) >= sizeof m->data_hash) return smr_load_damaged(ctx, "its data hash");
    memcpy(m->data_hash, text, strlen(text) + 1);
    TRY(read_summary(ctx, smr_safetensors_meta(file, "summary"), m));
out:
    return st;
}

/* ---- the whole -------------------------------------------------------------------------- */

smr_status smr_load_curve(smr_ctx *ctx, smr_loading *l, int64_t room, smr_fit_report *fit)
{
    const smr_file_tensor *t = smr_safetensors_get(l->file, SMR_CURVE_TENSOR);
    if (!t) return SMR_OK;
    if (t->dtype != SMR_F64 || t->n_dims != 1 || t->n < 1 || t->n != smr_fit_points(fit->n_iter))
        return smr_load_damaged(ctx, "its training curve");
    fit->curve = smr_alloc(ctx, SMR_MAX(room, t->n), sizeof *fit->curve);
    if (!fit->curve) return SMR_ERR_NOMEM;
    memcpy(fit->curve, t->data, (size_t)t->n * sizeof *fit->curve);
    fit->n_curve = t->n;
    l->used_tensors++;
    return SMR_OK;
}

smr_status smr_load_all_used(smr_ctx *ctx, const smr_loading *l)
{
    if (l->used_tensors != l->file->n_tensors)
        return smr_load_damaged(ctx, "it holds tensors that its sentence does not explain");
    if (l->members && l->used_members != smr_json_root(l->members)->n)
        return smr_load_damaged(ctx, "it holds members that its sentence does not explain");
    if (!smr_versions_all_used(&l->versions))
        return smr_load_damaged(ctx, "it has versions of learners that it does not hold");
    return SMR_OK;
}

static smr_status load_states(smr_ctx *ctx, smr_loading *l, smr_model *m)
{
    smr_status st = SMR_OK;
    smr_text path = {.ctx = ctx};
    TRY(smr_load_list(ctx, l));
    TRY(smr_load_stages(ctx, l, m->target_map, 0, m->target_map != NULL, &path));
    path.length = 0;
    TRY(smr_load_stages(ctx, l, m->stages, 1, m->n_stages, &path));
    TRY(smr_load_curve(ctx, l, 0, &m->fit));
    TRY(smr_roles_from_tensors(ctx, l->file, m->schema.roles, &l->used_tensors));
    TRY(smr_load_all_used(ctx, l));
out:
    smr_text_release(&path);
    return st;
}

/* ---- files ------------------------------------------------------------------------------ */

static smr_status read_image(smr_ctx *ctx, smr_image *image, smr_model **out)
{
    smr_status st = SMR_OK;
    smr_safetensors file = {0};
    smr_loading l = {.file = &file, .image = image};
    smr_model *m = NULL;
    char *bytes = smr_image_bytes(image);
    int64_t length = smr_image_length(image);
    TRY(smr_safetensors_check(ctx, bytes, length));
    TRY(smr_safetensors_read(ctx, bytes, length, &file));
    TRY_NEW(m, 1);
    TRY(read_meta(ctx, &l, m));
    TRY(load_states(ctx, &l, m));
    TRY(smr_model_link(ctx, m, length));
    *out = m;
    m = NULL;
out:
    smr_model_free(m);
    smr_load_list_release(&l);
    smr_versions_release(&l.versions);
    smr_safetensors_release(&file);
    return st;
}

smr_status smr_model_read(smr_ctx *ctx, const char *bytes, int64_t length, smr_model **out)
{
    smr_status st = SMR_OK;
    smr_image *image = NULL;
    smr_begin_call(ctx);
    *out = NULL;
    TRY(smr_image_copy(ctx, bytes, length, &image));
    TRY(read_image(ctx, image, out));
out:
    smr_image_free(image);
    return st;
}

/* What a text is, judged by its first line; NULL for what may be a model: a model begins with a
 * length that has zero bytes, as no text does. */
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
    smr_image *image = NULL;
    smr_begin_call(ctx);
    *out = NULL;
    TRY(smr_image_open(ctx, path, LARGEST_FILE, &image));
    const char *kind = looks_like(smr_image_bytes(image), smr_image_length(image));
    if (kind) {
        st = smr_fail(ctx, SMR_ERR_FORMAT, "%s is not a samara model file (it looks like %s)", path,
                      kind);
        goto out;
    }
    st = read_image(ctx, image, out);
    if (st == SMR_ERR_FORMAT) smr_while(ctx, "loading %s", path);
out:
    smr_image_free(image);
    return st;
}
