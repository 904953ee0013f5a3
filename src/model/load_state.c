/* load_state.c -- the rows of a state table from a file's tensors.
 *
 * Arrays are not copied: they point into the file's image, which their stage holds.  Whatever a
 * number or a shape says is checked against the table before it is used; what the contents of
 * arrays mean is for the learner to check. */
#include "data/vocab.h"
#include "learn/state.h"
#include "model/load_parts.h"

#include <string.h>

/* A row that is being read. */
struct reading {
    const smr_learner *learner;
    const smr_state *row;
    void *state;
    smr_text *path; /* of the row: "1.knn.x" */
};

static smr_status refuse(smr_ctx *ctx, const char *name, const char *why)
{
    return smr_fail(ctx, SMR_ERR_FORMAT, "the model file is damaged: %s %s", name, why);
}

/* The tensor of that name and type; *out NULL: it is not there. */
static smr_status find_tensor(smr_ctx *ctx, smr_loading *l, const char *name, smr_dtype dtype,
                              const smr_file_tensor **out)
{
    *out = smr_safetensors_get(l->file, name);
    if (!*out) return SMR_OK;
    if ((*out)->dtype != dtype) return refuse(ctx, name, "is of another type");
    l->used_tensors++;
    return SMR_OK;
}

static smr_status read_number(smr_ctx *ctx, const struct reading *r, const smr_file_tensor *t)
{
    char *at = (char *)r->state + r->row->offset;
    if (t->n_dims != 0) return smr_load_damaged(ctx, t->name);
    memcpy(at, t->data, 8);
    if (r->row->type == SMR_STATE_REAL) return SMR_OK;
    int64_t value = *(int64_t *)(void *)at;
    double most = r->row->max != 0 ? r->row->max : (double)SMR_MAX_DIM;
    if ((double)value < r->row->min || (double)value > most)
        return smr_fail(ctx, SMR_ERR_FORMAT, "the model file is damaged: %s = %lld is out of range",
                        t->name, (long long)value);
    return SMR_OK;
}

static smr_status read_array(smr_ctx *ctx, const struct reading *r, const smr_file_tensor *t)
{
    int64_t shape[SMR_RANK_MAX] = {0}, count;
    int rank = smr_state_shape(r->learner, r->row, r->state, shape, &count);
    bool fits = rank == t->n_dims;
    for (int k = 0; fits && k < rank; k++) fits = shape[k] == t->shape[k];
    if (!fits) return refuse(ctx, t->name, "does not have the shape it should");
    *(void **)(void *)((char *)r->state + r->row->offset) = (void *)(uintptr_t)t->data;
    return SMR_OK;
}

/* ---- strings ---------------------------------------------------------------------------- */

static bool is_utf8(const char *at, const char *end)
{
    while (at < end) {
        int n = smr_utf8_step(at, end);
        if (!n) return false;
        at += n;
    }
    return true;
}

static smr_status check_strings(smr_ctx *ctx, const struct reading *r, const smr_strings *s,
                                int64_t n_bytes)
{
    smr_status st = SMR_OK;
    smr_vocab known = {0};
    int64_t twin = -1;
    bool ascend = s->start[0] == 0 && s->start[s->n] == n_bytes;
    for (int64_t i = 0; i < s->n && ascend; i++) ascend = s->start[i] <= s->start[i + 1];
    if (!ascend) return refuse(ctx, r->path->bytes, "has strings whose starts do not ascend");
    for (int64_t i = 0; i < s->n && !r->row->raw; i++)
        if (!is_utf8(s->bytes + s->start[i], s->bytes + s->start[i + 1]))
            return refuse(ctx, r->path->bytes, "has a string that is not UTF-8");
    if (!r->row->unique) return SMR_OK;
    TRY(smr_vocab_over(ctx, s, &known, &twin));
    if (twin >= 0) TRY(refuse(ctx, r->path->bytes, "has a string twice"));
out:
    smr_vocab_release(&known);
    return st;
}

/* Two tensors: where each string begins, and the bytes of all. */
static smr_status read_strings(smr_ctx *ctx, smr_loading *l, const struct reading *r)
{
    smr_status st = SMR_OK;
    const smr_file_tensor *start = NULL, *bytes = NULL;
    int64_t shape[SMR_RANK_MAX], count, length = r->path->length;
    smr_strings *s = smr_state_strings(r->row, r->state);
    int rank = smr_state_shape(r->learner, r->row, r->state, shape, &count);
    smr_text_add(r->path, ".start");
    TRY(smr_text_done(r->path));
    TRY(find_tensor(ctx, l, r->path->bytes, SMR_I64, &start));
    if (!start && r->row->optional) return SMR_OK;
    if (!start) return refuse(ctx, r->path->bytes, "is not there");
    if (start->n_dims != 1 || start->n < 1 || start->n > SMR_MAX_DIM ||
        (rank && start->n - 1 != count))
        return refuse(ctx, start->name, "does not have the shape it should");
    r->path->length = length;
    smr_text_add(r->path, ".bytes");
    TRY(smr_text_done(r->path));
    TRY(find_tensor(ctx, l, r->path->bytes, SMR_U8, &bytes));
    if (!bytes) return refuse(ctx, r->path->bytes, "is not there");
    if (bytes->n_dims != 1) return refuse(ctx, bytes->name, "does not have the shape it should");
    *s = (smr_strings){.n = start->n - 1,
                       .start = (int64_t *)(uintptr_t)start->data,
                       .bytes = (char *)(uintptr_t)bytes->data};
    r->path->length = length;
    r->path->bytes[length] = '\0';
    TRY(check_strings(ctx, r, s, bytes->n));
out:
    return st;
}

/* ---- tensors ---------------------------------------------------------------------------- */

/* Tensor k of a list, "1.net.w.K.NAME": there must be one.  *name: its own part of the name. */
static smr_status find_listed(smr_ctx *ctx, const smr_safetensors *file, const smr_text *prefix,
                              const smr_file_tensor **out, const char **name)
{
    int64_t at = smr_safetensors_first(file, prefix->bytes), found = 0;
    size_t n = (size_t)prefix->length;
    *out = NULL;
    for (; at < file->n_tensors && found < 2; at++, found++) {
        const smr_file_tensor *t = &file->tensors[file->by_name[at]];
        if (strncmp(t->name, prefix->bytes, n) != 0) break;
        *out = t;
        *name = t->name + n;
    }
    if (found == 2) return refuse(ctx, (*out)->name, "is in another's place");
    if (*out && !smr_tensor_name_is_good(*name))
        return refuse(ctx, (*out)->name, "has a name that no tensor may have");
    return SMR_OK;
}

static smr_status read_tensor(smr_ctx *ctx, const smr_file_tensor *t, const char *name,
                              smr_tensor *out)
{
    out->dtype = t->dtype;
    out->rank = t->n_dims;
    memcpy(out->shape, t->shape, sizeof out->shape);
    out->values = (void *)(uintptr_t)t->data;
    out->name = smr_strdup(ctx, name);
    return out->name ? SMR_OK : SMR_ERR_NOMEM;
}

static smr_status read_listed(smr_ctx *ctx, smr_loading *l, const struct reading *r, int64_t k,
                              smr_vocab *names, bool *found)
{
    smr_status st = SMR_OK;
    int64_t length = r->path->length;
    const smr_file_tensor *t = NULL;
    const char *name = NULL;
    int32_t code = 0;
    smr_tensors *list = smr_state_tensors(r->row, r->state);
    smr_text_printf(r->path, ".%lld.", (long long)k);
    TRY(smr_text_done(r->path));
    TRY(find_listed(ctx, l->file, r->path, &t, &name));
    *found = t != NULL;
    if (t) {
        TRY(smr_vocab_add(ctx, names, name, (int64_t)strlen(name), &code));
        if (code != k) TRY(refuse(ctx, t->name, "has the name of another in its list"));
        TRY(read_tensor(ctx, t, name, &list->tensor[list->n++]));
        l->used_tensors++;
    }
out:
    if (r->path->bytes) r->path->bytes[length] = '\0';
    r->path->length = length;
    return st;
}

static smr_status read_tensors(smr_ctx *ctx, smr_loading *l, const struct reading *r)
{
    smr_status st = SMR_OK;
    int64_t shape[SMR_RANK_MAX], count, most = l->file->n_tensors;
    smr_tensors *list = smr_state_tensors(r->row, r->state);
    int rank = smr_state_shape(r->learner, r->row, r->state, shape, &count);
    smr_vocab names = {0};
    bool found = true;
    TRY_NEW(list->tensor, (rank ? SMR_MIN(count, most) : most) + 1);
    for (int64_t k = 0; found && (!rank || k < count) && k <= most; k++)
        TRY(read_listed(ctx, l, r, k, &names, &found));
    if (rank && list->n != count && !(r->row->optional && list->n == 0))
        TRY(smr_fail(ctx, SMR_ERR_FORMAT,
                     "the model file is damaged: %s has %lld tensors, and should have %lld",
                     r->path->bytes, (long long)list->n, (long long)count));
out:
    smr_vocab_release(&names);
    return st;
}

/* ---- rows ------------------------------------------------------------------------------- */

static smr_status read_row(smr_ctx *ctx, smr_loading *l, const struct reading *r)
{
    smr_status st = SMR_OK;
    const smr_file_tensor *t = NULL;
    switch (r->row->type) {
    case SMR_STATE_MEMBERS: return smr_load_members(ctx, l, r->learner, r->row, r->state, r->path);
    case SMR_STATE_STRINGS: return read_strings(ctx, l, r);
    case SMR_STATE_TENSORS: return read_tensors(ctx, l, r);
    default: break;
    }
    TRY(find_tensor(ctx, l, r->path->bytes, smr_state_dtype(r->row), &t));
    if (!t && r->row->optional) return SMR_OK;
    if (!t) return refuse(ctx, r->path->bytes, "is not there");
    TRY(smr_state_is_scalar(r->row) ? read_number(ctx, r, t) : read_array(ctx, r, t));
out:
    return st;
}

/* What older files mean by a number that they do not have. */
static void set_before(const smr_state *row, void *state)
{
    char *at = (char *)state + row->offset;
    if (row->type == SMR_STATE_REAL) *(double *)(void *)at = row->before;
    if (row->type == SMR_STATE_INT) *(int64_t *)(void *)at = (int64_t)row->before;
}

static bool is_absent(const smr_state *row, const void *state)
{
    const smr_strings *strings = smr_state_strings(row, state);
    if (strings) return !strings->start;
    return smr_state_is_array(row) && !smr_state_values(row, state);
}

/* From an older version to this one: new rows are made, and those that are gone are freed. */
static smr_status upgrade(smr_ctx *ctx, const smr_stage *stage, int from)
{
    smr_status st = SMR_OK;
    const smr_learner *l = stage->learner;
    int now = smr_learner_version(l);
    if (from < now && l->fitted->upgrade)
        TRY(l->fitted->upgrade(ctx, stage->params, stage->state, from));
    for (int64_t i = 0; i < l->fitted->n_state; i++) {
        const smr_state *row = &l->fitted->state[i];
        if (!smr_state_is_in(row, now))
            smr_state_clear(row, stage->state, stage->image);
        else if (!row->optional && is_absent(row, stage->state))
            TRY(smr_fail(ctx, SMR_ERR_INTERNAL,
                         "version %d of %s had no '%s', and nothing made it for version %d", from,
                         l->word->name, row->name, now));
    }
out:
    return st;
}

static smr_status load_stage(smr_ctx *ctx, smr_loading *l, smr_stage *stage, int64_t s,
                             smr_text *path)
{
    smr_status st = SMR_OK;
    const smr_learner *learner = stage->learner;
    int64_t length = path->length;
    int from = smr_versions_get(&l->versions, learner);
    TRY(smr_state_create(ctx, learner, &stage->state));
    stage->image = smr_image_hold(l->image);
    smr_text_printf(path, "%lld.%s.", (long long)s, learner->word->name);
    int64_t before_row = path->length;
    for (int64_t i = 0; i < learner->fitted->n_state; i++) {
        const smr_state *row = &learner->fitted->state[i];
        struct reading r = {learner, row, stage->state, path};
        path->length = before_row;
        smr_text_add(path, smr_state_name(row, from));
        TRY(smr_text_done(path));
        if (smr_state_is_in(row, from))
            TRY(read_row(ctx, l, &r));
        else
            set_before(row, stage->state);
    }
    TRY(upgrade(ctx, stage, from));
out:
    path->length = length;
    return st;
}

smr_status smr_load_stages(smr_ctx *ctx, smr_loading *l, smr_stage *stages, int64_t first,
                           int64_t n, smr_text *path)
{
    smr_status st = SMR_OK;
    for (int64_t s = 0; s < n; s++) TRY(load_stage(ctx, l, &stages[s], first + s, path));
out:
    return st;
}
