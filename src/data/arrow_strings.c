/* arrow_strings.c -- Arrow's strings and dictionaries as categories.
 *
 * The strings of all batches, or of all their dictionaries, make one list of levels.  It is sorted,
 * since the order in which strings come says nothing, so the same rows give the same column however
 * they are cut into batches; but a dictionary that is marked as ordered keeps its order, and levels
 * that later batches add follow. */
#include "data/arrow_private.h"

#include "data/build.h"
#include "data/vocab.h"

#include <inttypes.h>
#include <string.h>

/* ---- one string ------------------------------------------------------------------------- */

enum { VIEW_WIDTH = 16, VIEW_INLINE = 12 };

/* A view is a length and, up to 12 bytes, the string; else 4 bytes of it, the number of a block and
 * a position in it. */
static smr_status view_at(smr_ctx *ctx, const smr_arrow_values *v, int64_t i, const char **text,
                          int64_t *n)
{
    const char *at = (const char *)v->data + (v->offset + i) * VIEW_WIDTH;
    int32_t part[4];
    int64_t bytes = -1;
    memcpy(part, at, sizeof part);
    *n = part[0];
    *text = at + 4;
    if (part[0] >= 0 && part[0] <= VIEW_INLINE) return SMR_OK;
    if (part[2] >= 0 && part[2] < v->n_blocks)
        memcpy(&bytes, v->block_bytes + part[2], sizeof bytes);
    if (part[0] < 0 || part[3] < 0 || part[3] > bytes || part[0] > bytes - part[3])
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "column '%.200s': Arrow string view %lld (%" PRId32 " bytes at %" PRId32
                        " of buffer %" PRId32 ") lies outside the buffers",
                        v->column, (long long)i, part[0], part[3], part[2]);
    *text = (const char *)v->blocks[part[2]] + part[3];
    return SMR_OK;
}

static smr_status string_at(smr_ctx *ctx, const smr_arrow_values *v, int64_t i, const char **text,
                            int64_t *n)
{
    if (v->layout.class == SMR_ARROW_STRING_VIEW) return view_at(ctx, v, i, text, n);
    int64_t from = smr_arrow_integer(v, i);
    *n = smr_arrow_integer(v, i + 1) - from;
    *text = *n ? v->bytes + from : "";
    return SMR_OK;
}

/* The code of string i, which must be UTF-8 when it is new. */
static smr_status add_string(smr_ctx *ctx, smr_vocab *seen, const smr_arrow_values *v, int64_t i,
                             int32_t *code)
{
    smr_status st = SMR_OK;
    int64_t known = seen->strings.n, n;
    const char *text;
    TRY(string_at(ctx, v, i, &text, &n));
    TRY(smr_vocab_add(ctx, seen, text, n, code));
    if (*code == known) TRY(smr_build_check_utf8(ctx, v->column, text, n));
out:
    return st;
}

/* ---- plain strings ---------------------------------------------------------------------- */

static smr_status code_strings(smr_ctx *ctx, const smr_arrow_column *c, smr_vocab *seen,
                               int32_t *code)
{
    smr_status st = SMR_OK;
    for (int64_t b = 0; b < c->n_parts; b++) {
        const smr_arrow_values *v = &c->parts[b];
        for (int64_t i = 0; i < v->n; i++, code++) {
            *code = -1;
            if (smr_arrow_present(c, b, i)) TRY(add_string(ctx, seen, v, i, code));
        }
    }
out:
    return st;
}

/* ---- dictionaries ----------------------------------------------------------------------- */

/* The strings of one batch's dictionary: map[k] is the code of string k, -1 where it is null. */
struct map {
    const struct ArrowArray *of;
    int32_t *code;
    int64_t n;
};

/* Batches of one stream often share a dictionary. */
static bool same_dictionary(const struct ArrowArray *a, const struct ArrowArray *b)
{
    if (!a || !b || a->length != b->length || a->offset != b->offset) return false;
    if (a->null_count != b->null_count || a->n_buffers != b->n_buffers || !b->buffers) return false;
    return memcmp(a->buffers, b->buffers, (size_t)a->n_buffers * sizeof *a->buffers) == 0;
}

static smr_status take_dictionary(smr_ctx *ctx, const smr_arrow_column *c,
                                  const struct ArrowArray *array, smr_vocab *seen, struct map *map)
{
    smr_status st = SMR_OK;
    smr_arrow_values v = {.column = c->name, .layout = c->type.strings};
    if (!array || !array->release)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "column '%.200s': its Arrow array has no dictionary",
                     c->name));
    if (same_dictionary(map->of, array)) return SMR_OK;
    v.n = array->length;
    TRY(smr_arrow_take(ctx, array, &v));
    smr_free(map->code);
    map->of = NULL;
    TRY_NEW(map->code, v.n);
    map->n = v.n;
    for (int64_t k = 0; k < v.n; k++) {
        map->code[k] = -1;
        if (smr_arrow_has(&v, k)) TRY(add_string(ctx, seen, &v, k, &map->code[k]));
    }
    map->of = array;
out:
    return st;
}

static smr_status code_indices(smr_ctx *ctx, const smr_arrow_column *c, smr_vocab *seen,
                               int32_t *code)
{
    smr_status st = SMR_OK;
    struct map map = {0};
    int64_t row = 0;
    for (int64_t b = 0; b < c->n_parts; b++) {
        const smr_arrow_values *v = &c->parts[b];
        TRY(take_dictionary(ctx, c, v->dictionary, seen, &map));
        for (int64_t i = 0; i < v->n; i++, row++) {
            code[row] = -1;
            if (!smr_arrow_present(c, b, i)) continue;
            int64_t k = smr_arrow_integer(v, i);
            if (k < 0 || k >= map.n)
                TRY(smr_fail(ctx, SMR_ERR_FORMAT,
                             "column '%.200s', row %lld: the index %lld; its dictionary has %lld "
                             "strings",
                             c->name, (long long)row + 1, (long long)k, (long long)map.n));
            code[row] = map.code[k];
        }
    }
out:
    smr_free(map.code);
    return st;
}

/* ---- columns ---------------------------------------------------------------------------- */

static smr_status sort_levels(smr_ctx *ctx, const smr_vocab *seen, int64_t n, int32_t *code,
                              smr_strings *levels)
{
    smr_status st = SMR_OK;
    int32_t *recode = NULL;
    TRY_NEW(recode, seen->strings.n);
    TRY(smr_vocab_sorted(ctx, seen, levels, recode));
    for (int64_t i = 0; i < n; i++)
        if (code[i] >= 0) code[i] = recode[code[i]];
out:
    smr_free(recode);
    return st;
}

smr_status smr_arrow_strings(smr_ctx *ctx, smr_arrow_column *c, smr_column *out)
{
    smr_status st = SMR_OK;
    smr_vocab seen = {0};
    int32_t *code = smr_alloc_raw(ctx, c->n_rows, sizeof *code);
    if (!code) return SMR_ERR_NOMEM;
    out->kind = SMR_CATEGORY;
    out->dtype = SMR_I32;
    out->values = code;
    out->owns_values = true;
    TRY(c->type.dictionary ? code_indices(ctx, c, &seen, code) : code_strings(ctx, c, &seen, code));
    TRY(c->type.ordered ? smr_strings_copy(ctx, &seen.strings, NULL, &out->levels)
                        : sort_levels(ctx, &seen, c->n_rows, code, &out->levels));
    for (int64_t i = 0; i < c->n_rows; i++) out->n_missing += code[i] < 0;
out:
    smr_vocab_release(&seen);
    return st;
}
