/* load_members.c -- members from a model file: sentences and shapes from the metadata, the states
 * of their stages from the tensors. */
#include "core/sort.h"
#include "learn/member.h"
#include "learn/state.h"
#include "learn/task.h"
#include "model/load_parts.h"

#include <math.h>
#include <string.h>

/* ---- the list --------------------------------------------------------------------------- */

static int compare_paths(const void *items, int64_t a, int64_t b)
{
    const smr_json *const *member = items;
    return strcmp(member[a]->key, member[b]->key);
}

smr_status smr_load_list(smr_ctx *ctx, smr_loading *l)
{
    smr_status st = SMR_OK;
    const char *text = smr_safetensors_meta(l->file, "members");
    int64_t n = 0;
    if (!text) return SMR_OK;
    TRY(smr_json_parse(ctx, text, (int64_t)strlen(text), &l->members));
    const smr_json *root = smr_json_root(l->members);
    if (root->type != SMR_JSON_OBJECT) TRY(smr_load_damaged(ctx, "members are not there"));
    TRY_NEW(l->member, root->n);
    TRY_NEW(l->by_path, root->n);
    for (const smr_json *m = root->first; m; m = m->next) l->member[n++] = m;
    TRY(smr_argsort(ctx, n, compare_paths, l->member, l->by_path));
out:
    return st;
}

void smr_load_list_release(smr_loading *l)
{
    smr_free(l->member);
    smr_free(l->by_path);
    smr_json_free(l->members);
}

/* NULL: there is none of that path. */
static const smr_json *find(const smr_loading *l, const char *path)
{
    int64_t lo = 0, hi = l->members ? smr_json_root(l->members)->n : 0;
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        int way = strcmp(l->member[l->by_path[middle]]->key, path);
        if (way == 0) return l->member[l->by_path[middle]];
        if (way < 0)
            lo = middle + 1;
        else
            hi = middle;
    }
    return NULL;
}

/* ---- one of them ------------------------------------------------------------------------ */

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
    const smr_task_facts *facts = smr_task_of(shape->task);
    if (!known || !whole || shape->n_features < 1 || (classify && shape->n_classes < 2) ||
        (shape->n_classes && !facts->of_classes) || (facts->needs_target && !shape->n_outputs) ||
        (shape->n_outputs && !facts->may_learn_target))
        return smr_load_damaged(ctx, "the shape of a member");
    return SMR_OK;
}

static smr_status read_own_features(smr_ctx *ctx, const smr_json *names, smr_member *m)
{
    smr_status st = SMR_OK;
    int64_t j = 0;
    if (!names) return SMR_OK;
    if (names->type != SMR_JSON_ARRAY || names->n < 1 || names->n > m->shape.n_features)
        return smr_load_damaged(ctx, "the features of a member");
    TRY_NEW(m->features, names->n + 1); /* those after the names are the parent's */
    m->n_own = names->n;
    for (const smr_json *v = names->first; v; v = v->next, j++) {
        if (v->type != SMR_JSON_STRING || (int64_t)strlen(v->string) != v->n)
            return smr_load_damaged(ctx, "the features of a member");
        m->features[j] = (smr_feature){.kind = SMR_NUMBER, .stride = 1};
        m->features[j].name = smr_strdup(ctx, v->string);
        if (!m->features[j].name) return SMR_ERR_NOMEM;
        m->n_held++;
    }
out:
    return st;
}

static smr_status read_member(smr_ctx *ctx, smr_loading *l, smr_member *m, smr_text *path)
{
    smr_status st = SMR_OK;
    const smr_json *row = find(l, path->bytes);
    const char *spec = smr_json_get_string(row, "spec", NULL);
    const char *inserted = smr_json_get_string(row, "inserted", NULL);
    if (!spec || !inserted)
        return smr_fail(ctx, SMR_ERR_FORMAT, "the model file is damaged: member %s is not there",
                        path->bytes);
    TRY(read_shape(ctx, row, &m->shape));
    TRY(read_own_features(ctx, smr_json_get(row, "features"), m));
    TRY(smr_load_sentence(ctx, l, spec, inserted, NULL, &m->stages, &m->n_stages));
    l->used_members++;
    smr_text_add(path, ".");
    TRY(smr_load_stages(ctx, l, m->stages, 0, m->n_stages, path));
out:
    return st;
}

/* Members are all there, or none are, if the row is optional. */
smr_status smr_load_members(smr_ctx *ctx, smr_loading *l, const smr_learner *of,
                            const smr_state *row, void *state, smr_text *path)
{
    smr_status st = SMR_OK;
    int64_t length = path->length, shape[SMR_RANK_MAX], count;
    smr_members *list = smr_state_members(row, state);
    (void)smr_state_shape(of, row, state, shape, &count);
    if (++l->depth > SMR_MEMBER_DEPTH)
        return smr_load_damaged(ctx, "its members are nested too deeply");
    if (row->optional) {
        smr_text_add(path, ".0");
        TRY(smr_text_done(path));
        if (!find(l, path->bytes)) count = 0;
    }
    if (count > (l->members ? smr_json_root(l->members)->n : 0))
        return smr_load_damaged(ctx, "members are not there");
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
