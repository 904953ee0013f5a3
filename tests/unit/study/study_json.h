/* study_json.h -- what the commands of study give: JSON documents, looked into. */
#ifndef SMR_TESTS_SELECT_JSON_H
#define SMR_TESTS_SELECT_JSON_H

#include "pipeline.h"

#include "core/json.h"

/* Element k of an array. */
static inline const smr_json *nth(const smr_json *array, int64_t k)
{
    assert_non_null(array);
    const smr_json *v = array->first;
    for (; v && k > 0; k--) v = v->next;
    assert_non_null(v);
    return v;
}

/* The element of an array of objects whose member `key` is this text. */
static inline const smr_json *row_with(const smr_json *array, const char *key, const char *text)
{
    assert_non_null(array);
    for (const smr_json *v = array->first; v; v = v->next)
        if (strcmp(smr_json_get_string(v, key, ""), text) == 0) return v;
    fail_msg("no row with %s = %s", key, text);
    return NULL;
}

static inline double number_of(const smr_json *object, const char *key)
{
    const smr_json *v = smr_json_get(object, key);
    if (!v || v->type != SMR_JSON_NUMBER) fail_msg("no number '%s'", key);
    return v->number;
}

static inline char *json_text(smr_ctx *ctx, smr_json_doc *doc)
{
    smr_text text = {.ctx = ctx};
    check_ok(ctx, smr_json_done(doc));
    smr_json_write(smr_json_root(doc), 0, &text);
    check_ok(ctx, smr_text_done(&text));
    return text.bytes;
}

#endif
