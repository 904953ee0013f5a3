/* describe_json.c -- a model's schema and target as JSON text, and back with every check. */
#include "core/json.h"
#include "model/model_file.h"

#include <math.h>
#include <string.h>

static const char *const kinds[] = {"number", "category", "text", "date"};

static smr_status damaged(smr_ctx *ctx, const char *what)
{
    return smr_fail(ctx, SMR_ERR_FORMAT, "the model file is damaged: %s", what);
}

/* ---- writing ---------------------------------------------------------------------------- */

static smr_status write_out(smr_json_doc *doc, smr_text *out)
{
    smr_status st = smr_json_done(doc);
    if (st == SMR_OK) smr_json_write(smr_json_root(doc), 0, out);
    return st == SMR_OK ? smr_text_done(out) : st;
}

smr_status smr_schema_to_json(smr_ctx *ctx, const smr_schema *s, smr_text *out)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc), *list = smr_json_add_array(root, "columns");
    for (int64_t j = 0; j < s->n_inputs; j++) {
        const smr_input *in = &s->inputs[j];
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "name", in->name);
        smr_json_add_string(row, "kind", kinds[in->kind]);
        if (in->kind == SMR_CATEGORY) smr_strings_to_json(row, "levels", &in->levels);
        smr_json_add_bool(row, "missing", in->has_missing);
        if (in->kind == SMR_DATE) smr_json_add_bool(row, "time", in->has_time);
        smr_json *range = in->has_range ? smr_json_add_array(row, "range") : NULL;
        if (range) smr_json_add_number(range, NULL, in->least);
        if (range) smr_json_add_number(range, NULL, in->greatest);
    }
    smr_json_add_number(root, "sparse", (double)s->n_sparse);
    list = smr_json_add_array(root, "aside");
    for (int64_t j = 0; j < s->n_aside; j++) smr_json_add_string(list, NULL, s->aside[j]);
    list = smr_json_add_array(root, "item_shape");
    for (int k = 0; k < 4 && s->item_shape[k]; k++)
        smr_json_add_number(list, NULL, (double)s->item_shape[k]);
    if (s->decimal_comma) smr_json_add_string(root, "decimal", ",");
    smr_json *roles = smr_roles_any(s->roles) ? smr_json_add_object(root, "roles") : NULL;
    for (int r = 0; roles && r < SMR_ROLES; r++)
        if (s->roles[r].name)
            smr_json_add_string(roles, smr_role_name((smr_role)r), s->roles[r].name);
    TRY(write_out(doc, out));
out:
    smr_json_free(doc);
    return st;
}

smr_status smr_target_to_json(smr_ctx *ctx, const smr_target *t, smr_text *out)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "task", smr_task_name(t->task));
    if (t->held) smr_json_add_bool(root, "held", true);
    smr_json *list = smr_json_add_array(root, "names");
    for (int64_t j = 0; j < t->n; j++) smr_json_add_string(list, NULL, t->names[j]);
    smr_strings_to_json(root, "classes", &t->classes);
    smr_json_add_number(root, "positive", (double)t->positive);
    if (t->has_threshold) {
        smr_json *threshold = smr_json_add_object(root, "threshold");
        smr_json_add_number(threshold, "value", t->threshold);
        if (t->threshold_how) smr_json_add_string(threshold, "how", t->threshold_how);
    }
    if (t->mean) {
        smr_json *mean = smr_json_add_array(root, "mean"), *sd = smr_json_add_array(root, "sd");
        for (int64_t j = 0; j < t->n; j++) {
            smr_json_add_number(mean, NULL, t->mean[j]);
            smr_json_add_number(sd, NULL, t->sd[j]);
        }
    }
    TRY(write_out(doc, out));
out:
    smr_json_free(doc);
    return st;
}

/* ---- reading ---------------------------------------------------------------------------- */

static const smr_json *need(const smr_json *object, const char *key, smr_json_type type)
{
    const smr_json *v = smr_json_get(object, key);
    return v && v->type == type ? v : NULL;
}

static int find_word(const smr_json *v, const char *const *words, int n)
{
    for (int i = 0; v && i < n; i++)
        if (strcmp(v->string, words[i]) == 0) return i;
    return -1;
}

static bool whole_number(const smr_json *v, double most)
{
    return v && v->type == SMR_JSON_NUMBER && v->number >= 0 && v->number <= most &&
           v->number == floor(v->number);
}

static smr_status read_strings(smr_ctx *ctx, const smr_json *list, smr_strings *out)
{
    smr_status st = SMR_OK;
    int64_t bytes = 0, k = 0;
    for (const smr_json *v = list->first; v; v = v->next) {
        if (v->type != SMR_JSON_STRING) return damaged(ctx, "a name is not text");
        bytes += v->n;
    }
    out->n = list->n;
    TRY_NEW(out->start, list->n + 1);
    TRY_NEW(out->bytes, bytes + 1);
    for (const smr_json *v = list->first; v; v = v->next, k++) {
        memcpy(out->bytes + out->start[k], v->string, (size_t)v->n);
        out->start[k + 1] = out->start[k] + v->n;
    }
out:
    return st;
}

/* A name that C code will read as a string: it must not hold a NUL. */
static smr_status read_name(smr_ctx *ctx, const smr_json *v, char **out)
{
    if (!v || v->type != SMR_JSON_STRING || (int64_t)strlen(v->string) != v->n)
        return damaged(ctx, "a column has no proper name");
    *out = smr_strdup(ctx, v->string);
    return *out ? SMR_OK : SMR_ERR_NOMEM;
}

/* Optional: the least and the greatest value of the training rows, finite numbers in this order. */
static smr_status read_range(smr_ctx *ctx, const smr_json *list, smr_input *in)
{
    if (!list) return SMR_OK;
    const smr_json *least = list->type == SMR_JSON_ARRAY ? list->first : NULL;
    const smr_json *greatest = least && list->n == 2 ? least->next : NULL;
    if (!greatest || in->kind != SMR_NUMBER || least->type != SMR_JSON_NUMBER ||
        greatest->type != SMR_JSON_NUMBER || !isfinite(least->number) ||
        !isfinite(greatest->number) || least->number > greatest->number)
        return damaged(ctx, "the range of a column");
    in->has_range = true;
    in->least = least->number;
    in->greatest = greatest->number;
    return SMR_OK;
}

static smr_status read_input(smr_ctx *ctx, const smr_json *row, smr_input *in)
{
    smr_status st = SMR_OK;
    int kind = find_word(need(row, "kind", SMR_JSON_STRING), kinds, 4);
    const smr_json *levels = need(row, "levels", SMR_JSON_ARRAY);
    TRY(read_name(ctx, smr_json_get(row, "name"), &in->name));
    if (kind < 0 || (kind == SMR_CATEGORY && !levels))
        return damaged(ctx, "a column has no proper kind");
    in->kind = (smr_kind)kind;
    in->has_missing = smr_json_get_bool(row, "missing", false);
    in->has_time = smr_json_get_bool(row, "time", false);
    TRY(read_range(ctx, smr_json_get(row, "range"), in));
    if (kind == SMR_CATEGORY) TRY(read_strings(ctx, levels, &in->levels));
out:
    return st;
}

static smr_status read_shape(smr_ctx *ctx, const smr_json *list, int64_t shape[4])
{
    int k = 0;
    if (!list || list->n > 3) return damaged(ctx, "the item shape");
    for (const smr_json *v = list->first; v; v = v->next) {
        if (!whole_number(v, SMR_MAX_DIM) || v->number == 0) return damaged(ctx, "the item shape");
        shape[k++] = (int64_t)v->number;
    }
    return SMR_OK;
}

/* Optional: the columns that have a role; the names of users and items are tensors. */
static smr_status read_roles(smr_ctx *ctx, const smr_json *list, smr_role_column roles[SMR_ROLES])
{
    smr_status st = SMR_OK;
    int64_t known = 0;
    if (!list) return SMR_OK;
    if (list->type != SMR_JSON_OBJECT || list->n == 0) return damaged(ctx, "the roles of columns");
    for (int r = 0; r < SMR_ROLES; r++) {
        const smr_json *name = smr_json_get(list, smr_role_name((smr_role)r));
        if (!name) continue;
        known++;
        TRY(read_name(ctx, name, &roles[r].name));
    }
    if (known != list->n) return damaged(ctx, "the roles of columns");
out:
    return st;
}

smr_status smr_schema_from_json(smr_ctx *ctx, const char *text, smr_schema *out)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    smr_schema s = {0};
    TRY(smr_json_parse(ctx, text, (int64_t)strlen(text), &doc));
    const smr_json *root = smr_json_root(doc);
    const smr_json *columns = need(root, "columns", SMR_JSON_ARRAY);
    const smr_json *aside = need(root, "aside", SMR_JSON_ARRAY),
                   *sparse = smr_json_get(root, "sparse");
    if (!columns || !aside || !whole_number(sparse, SMR_MAX_DIM)) {
        st = damaged(ctx, "the schema lacks a part");
        goto out;
    }
    s.n_sparse = (int64_t)sparse->number;
    TRY_NEW(s.inputs, columns->n + 1);
    TRY_NEW(s.aside, aside->n + 1);
    for (const smr_json *row = columns->first; row; row = row->next)
        TRY(read_input(ctx, row, &s.inputs[s.n_inputs++]));
    for (const smr_json *name = aside->first; name; name = name->next)
        TRY(read_name(ctx, name, &s.aside[s.n_aside++]));
    TRY(read_shape(ctx, need(root, "item_shape", SMR_JSON_ARRAY), s.item_shape));
    TRY(read_roles(ctx, smr_json_get(root, "roles"), s.roles));
    const char *decimal = smr_json_get_string(root, "decimal", ".");
    s.decimal_comma = strcmp(decimal, ",") == 0;
    if (!s.decimal_comma && strcmp(decimal, ".") != 0) {
        st = damaged(ctx, "the decimal mark of its files");
        goto out;
    }
    if ((s.n_inputs + s.n_sparse == 0 && !smr_roles_any(s.roles)) || (s.n_inputs && s.n_sparse)) {
        st = damaged(ctx, "the schema has no inputs");
        goto out;
    }
    *out = s;
    s = (smr_schema){0};
out:
    smr_schema_release(&s);
    smr_json_free(doc);
    return st;
}

static smr_status read_scale(smr_ctx *ctx, const smr_json *list, int64_t n, bool positive,
                             double **out)
{
    smr_status st = SMR_OK;
    int64_t k = 0;
    if (!list || list->n != n) return damaged(ctx, "the target's scale");
    TRY_NEW(*out, n + 1);
    for (const smr_json *v = list->first; v; v = v->next) {
        if (v->type != SMR_JSON_NUMBER || (positive && !(v->number > 0)))
            return damaged(ctx, "the target's scale");
        (*out)[k++] = v->number;
    }
out:
    return st;
}

/* Optional: for two classes and outliers only, a finite number. */
static smr_status read_threshold(smr_ctx *ctx, const smr_json *v, smr_target *t)
{
    if (!v) return SMR_OK;
    const smr_json *value = smr_json_get(v, "value"), *how = smr_json_get(v, "how");
    bool suits =
        t->task == SMR_TASK_OUTLIERS || (t->task == SMR_TASK_CLASSIFY && t->classes.n == 2);
    bool good = v->type == SMR_JSON_OBJECT && suits && value && value->type == SMR_JSON_NUMBER &&
                isfinite(value->number) &&
                (!how || (how->type == SMR_JSON_STRING && (int64_t)strlen(how->string) == how->n));
    if (!good) return damaged(ctx, "the target's threshold");
    return smr_target_set_threshold(ctx, t, value->number, how ? how->string : NULL);
}

static smr_status read_target(smr_ctx *ctx, const smr_json *root, smr_target *t)
{
    smr_status st = SMR_OK;
    smr_task task = SMR_TASK_NONE;
    bool known = smr_task_find(smr_json_get_string(root, "task", ""), &task);
    const smr_task_facts *facts = smr_task_of(task);
    const smr_json *names = need(root, "names", SMR_JSON_ARRAY);
    const smr_json *classes = need(root, "classes", SMR_JSON_ARRAY);
    const smr_json *positive = smr_json_get(root, "positive");
    if (!known || !names || !classes || !whole_number(positive, SMR_MAX_DIM))
        return damaged(ctx, "the target lacks a part");
    t->held = smr_json_get_bool(root, "held", false);
    bool of_classes = facts->of_classes && names->n > 0;
    int64_t least = task == SMR_TASK_CLUSTER ? 1 : 2; /* clusters are only compared with them */
    if ((of_classes && (classes->n < least || names->n != 1)) || (!of_classes && classes->n) ||
        (facts->needs_target && names->n == 0) || (task == SMR_TASK_NONE && names->n) ||
        t->held != (names->n > 0 && !facts->may_learn_target) ||
        positive->number > (double)SMR_MAX(0, classes->n - (task != SMR_TASK_OUTLIERS)))
        return damaged(ctx, "the target's classes do not fit its task");
    t->task = task;
    t->positive = (int64_t)positive->number;
    TRY_NEW(t->names, names->n + 1);
    for (const smr_json *v = names->first; v; v = v->next)
        TRY(read_name(ctx, v, &t->names[t->n++]));
    TRY(read_strings(ctx, classes, &t->classes));
    TRY(read_threshold(ctx, smr_json_get(root, "threshold"), t));
    if (smr_json_get(root, "mean")) {
        TRY(read_scale(ctx, need(root, "mean", SMR_JSON_ARRAY), t->n, false, &t->mean));
        TRY(read_scale(ctx, need(root, "sd", SMR_JSON_ARRAY), t->n, true, &t->sd));
    }
out:
    return st;
}

smr_status smr_target_from_json(smr_ctx *ctx, const char *text, smr_target *out)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    smr_target t = {0};
    TRY(smr_json_parse(ctx, text, (int64_t)strlen(text), &doc));
    TRY(read_target(ctx, smr_json_root(doc), &t));
    *out = t;
    t = (smr_target){0};
out:
    smr_target_release(&t);
    smr_json_free(doc);
    return st;
}
