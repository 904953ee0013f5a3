/* json.c -- JSON documents: memory, builders, lookup.  See json.h; json_read.c, json_write.c.
 *
 * A document is a chain of blocks from which values and strings are cut.  Blocks grow with what the
 * document already holds, so that at most half of it is unused; freeing walks the chain. */
#include "core/json.h"

#include "core/json_parts.h"

#include <math.h>
#include <string.h>

enum { FIRST_BLOCK = 512, LARGEST_BLOCK = 1 << 20 };

struct block {
    struct block *older;
    int64_t used, room; /* of bytes */
    char bytes[];
};

struct smr_json_doc {
    smr_ctx *ctx;
    smr_json *root;
    struct block *newest;
    int64_t total; /* room of all blocks */
    bool failed;
};

/* ---- memory ----------------------------------------------------------------------------- */

smr_json_doc *smr_json_new(smr_ctx *ctx)
{
    smr_json_doc *doc = smr_alloc(ctx, 1, sizeof *doc);
    if (doc) doc->ctx = ctx;
    return doc;
}

void *smr_json_memory(smr_json_doc *doc, int64_t n)
{
    n = (n + 7) & ~INT64_C(7);
    struct block *b = doc->newest;
    if (!b || n > b->room - b->used) {
        int64_t room = SMR_MIN(SMR_MAX(doc->total, FIRST_BLOCK), LARGEST_BLOCK);
        room = SMR_MAX(room, n);
        b = smr_alloc_raw(doc->ctx, (int64_t)sizeof *b + room, 1);
        if (!b) {
            doc->failed = true;
            return NULL;
        }
        *b = (struct block){.older = doc->newest, .room = room};
        doc->newest = b;
        doc->total += room;
    }
    void *bytes = b->bytes + b->used;
    b->used += n;
    return bytes;
}

void smr_json_free(smr_json_doc *doc)
{
    if (!doc) return;
    for (struct block *b = doc->newest, *older; b; b = older) {
        older = b->older;
        smr_free(b);
    }
    smr_free(doc);
}

/* ---- values ----------------------------------------------------------------------------- */

smr_json *smr_json_new_value(smr_json_doc *doc, smr_json_type type)
{
    smr_json *value = smr_json_memory(doc, sizeof *value);
    if (value) *value = (smr_json){.type = type, .doc = doc};
    return value;
}

void smr_json_append(smr_json *parent, smr_json *child)
{
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->n++;
}

void smr_json_set_root(smr_json_doc *doc, smr_json *root)
{
    doc->root = root;
}

static char *copy_bytes(smr_json_doc *doc, const char *bytes, int64_t length)
{
    char *copy = smr_json_memory(doc, length + 1);
    if (!copy) return NULL;
    if (length) memcpy(copy, bytes, (size_t)length);
    copy[length] = '\0';
    return copy;
}

smr_status smr_json_create(smr_ctx *ctx, smr_json_doc **out)
{
    *out = NULL;
    smr_json_doc *doc = smr_json_new(ctx);
    if (!doc) return SMR_ERR_NOMEM;
    doc->root = smr_json_new_value(doc, SMR_JSON_OBJECT);
    if (!doc->root) {
        smr_json_free(doc);
        return SMR_ERR_NOMEM;
    }
    *out = doc;
    return SMR_OK;
}

smr_json *smr_json_root(smr_json_doc *doc)
{
    return doc->root;
}

smr_status smr_json_done(const smr_json_doc *doc)
{
    return doc->failed ? SMR_ERR_NOMEM : SMR_OK;
}

/* ---- builders --------------------------------------------------------------------------- */

/* A new last child of the parent, with its own copy of the key. */
static smr_json *add(smr_json *parent, const char *key, smr_json_type type)
{
    if (!parent) return NULL;
    smr_json_doc *doc = parent->doc;
    const char *own_key = key ? copy_bytes(doc, key, (int64_t)strlen(key)) : NULL;
    if (key && !own_key) return NULL;
    smr_json *value = smr_json_new_value(doc, type);
    if (!value) return NULL;
    value->key = own_key;
    smr_json_append(parent, value);
    return value;
}

smr_json *smr_json_add_object(smr_json *parent, const char *key)
{
    return add(parent, key, SMR_JSON_OBJECT);
}

smr_json *smr_json_add_array(smr_json *parent, const char *key)
{
    return add(parent, key, SMR_JSON_ARRAY);
}

smr_json *smr_json_add_null(smr_json *parent, const char *key)
{
    return add(parent, key, SMR_JSON_NULL);
}

smr_json *smr_json_add_number(smr_json *parent, const char *key, double number)
{
    smr_json *value = add(parent, key, SMR_JSON_NUMBER);
    if (value) value->number = number;
    return value;
}

smr_json *smr_json_add_numbers(smr_json *parent, const char *key, const double *values, int64_t n)
{
    smr_json *array = smr_json_add_array(parent, key);
    for (int64_t i = 0; i < n; i++) smr_json_add_number(array, NULL, values[i]);
    return array;
}

smr_json *smr_json_add_bool(smr_json *parent, const char *key, bool truth)
{
    smr_json *value = add(parent, key, SMR_JSON_BOOL);
    if (value) value->number = truth;
    return value;
}

smr_json *smr_json_add_bytes(smr_json *parent, const char *key, const char *bytes, int64_t length)
{
    if (!parent) return NULL;
    const char *copy = copy_bytes(parent->doc, bytes, length);
    if (!copy) return NULL;
    smr_json *value = add(parent, key, SMR_JSON_STRING);
    if (!value) return NULL;
    value->string = copy;
    value->n = length;
    return value;
}

void smr_json_set_bytes(smr_json *value, const char *bytes, int64_t length)
{
    const char *copy = value ? copy_bytes(value->doc, bytes, length) : NULL;
    if (!copy) return;
    value->type = SMR_JSON_STRING;
    value->string = copy;
    value->n = length;
    value->first = value->last = NULL;
}

smr_json *smr_json_add_string(smr_json *parent, const char *key, const char *string)
{
    return smr_json_add_bytes(parent, key, string, (int64_t)strlen(string));
}

smr_json *smr_json_add_copy(smr_json *parent, const char *key, const smr_json *value)
{
    if (!parent || !value) return NULL;
    if (value->type == SMR_JSON_STRING)
        return smr_json_add_bytes(parent, key, value->string, value->n);
    smr_json *copy = add(parent, key, value->type);
    if (!copy) return NULL;
    copy->number = value->number;
    for (const smr_json *child = value->first; child; child = child->next)
        if (!smr_json_add_copy(copy, child->key, child)) return NULL;
    return copy;
}

/* ---- lookup ----------------------------------------------------------------------------- */

const smr_json *smr_json_get(const smr_json *object, const char *key)
{
    if (!object || object->type != SMR_JSON_OBJECT) return NULL;
    for (const smr_json *member = object->first; member; member = member->next)
        if (strcmp(member->key, key) == 0) return member;
    return NULL;
}

double smr_json_get_number(const smr_json *object, const char *key, double fallback)
{
    const smr_json *value = smr_json_get(object, key);
    return value && value->type == SMR_JSON_NUMBER ? value->number : fallback;
}

const char *smr_json_get_string(const smr_json *object, const char *key, const char *fallback)
{
    const smr_json *value = smr_json_get(object, key);
    return value && value->type == SMR_JSON_STRING ? value->string : fallback;
}

bool smr_json_get_bool(const smr_json *object, const char *key, bool fallback)
{
    const smr_json *value = smr_json_get(object, key);
    return value && value->type == SMR_JSON_BOOL ? value->number != 0 : fallback;
}
