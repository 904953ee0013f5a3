/* each.c -- see each.h. */
#include "transform/each.h"

#include "core/text.h"

#include <string.h>

/* ---- which features --------------------------------------------------------------------- */

/* The next name of a list: its length, and where the one after it begins. */
static size_t name_at(const char *at, const char **next)
{
    const char *end = strchr(at, ',');
    size_t length = end ? (size_t)(end - at) : strlen(at);
    *next = at + length + (end != NULL);
    return length;
}

bool smr_each_named(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = list, *next; *at; at = next) {
        size_t length = name_at(at, &next);
        if (length == n && memcmp(at, name, n) == 0) return true;
    }
    return false;
}

/* Every name of the list must be a number that comes in. */
static smr_status check_names(smr_ctx *ctx, const char *word, const char *list,
                              const smr_feature *features, int64_t n)
{
    for (const char *at = list, *next; *at; at = next) {
        int length = (int)name_at(at, &next);
        int64_t found = -1;
        for (int64_t j = 0; features && found < 0 && j < n; j++)
            if (strlen(features[j].name) == (size_t)length &&
                memcmp(features[j].name, at, (size_t)length) == 0)
                found = j;
        if (found < 0)
            return smr_fail(ctx, SMR_ERR_DATA, "%s: no column '%.*s' comes in", word, length, at);
        if (features[found].kind != SMR_NUMBER)
            return smr_fail(
                ctx, SMR_ERR_DATA,
                "%s changes numbers, and '%.*s' holds %s; leave it out of column=", word, length,
                at, features[found].kind == SMR_CATEGORY ? "categories" : "texts");
    }
    return SMR_OK;
}

smr_status smr_each_choose(smr_ctx *ctx, const char *word, const char *list,
                           const smr_feature *features, int64_t n, uint8_t *changed)
{
    smr_status st = check_names(ctx, word, list, features, n);
    for (int64_t j = 0; st == SMR_OK && j < n; j++) {
        bool number = !features || features[j].kind == SMR_NUMBER;
        changed[j] = number && (!*list || smr_each_named(list, features[j].name));
    }
    return st;
}

smr_status smr_each_check(smr_ctx *ctx, const uint8_t *changed, const smr_shape *shape)
{
    for (int64_t j = 0; shape->features && j < shape->n_features; j++)
        if (changed[j] && shape->features[j].kind != SMR_NUMBER)
            return smr_fail(ctx, SMR_ERR_FORMAT,
                            "%s changes numbers, and feature %lld that comes in is none",
                            shape->learner->word->name, (long long)j + 1);
    return SMR_OK;
}

/* ---- rows ------------------------------------------------------------------------------- */

static double one(smr_each_fn fn, const void *params, const void *state, const uint8_t *changed,
                  int64_t j, double x)
{
    return changed[j] && !isnan(x) ? fn(params, state, j, x) : x;
}

void smr_each_rows(smr_each_fn fn, const void *params, const void *state, const uint8_t *changed,
                   const smr_rows *rows, double *out)
{
    int64_t d = rows->d;
    if (rows->form != SMR_FORM_SPARSE) {
        for (int64_t i = 0; i < rows->n; i++) {
            const double *x = (const double *)rows->x + i * rows->stride;
            for (int64_t j = 0; j < d; j++)
                out[i * d + j] = one(fn, params, state, changed, j, x[j]);
        }
        return;
    }
    for (int64_t i = 0; i < rows->n; i++) {
        for (int64_t j = 0; j < d; j++) out[i * d + j] = one(fn, params, state, changed, j, 0);
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
            out[i * d + rows->column[e]] =
                one(fn, params, state, changed, rows->column[e], rows->value[e]);
    }
}

smr_status smr_each_append(smr_ctx *ctx, smr_each_fn fn, const void *params, const void *state,
                           const uint8_t *changed, const smr_rows *rows, smr_entries *out)
{
    smr_status st = SMR_OK;
    TRY(smr_entries_reserve(ctx, out, rows->start[rows->n] - rows->start[0]));
    for (int64_t i = 0; i < rows->n; i++) {
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
            smr_entries_add(out, rows->column[e],
                            one(fn, params, state, changed, rows->column[e], rows->value[e]));
        smr_entries_end_row(out);
    }
out:
    return st;
}

smr_status smr_each_outputs(smr_ctx *ctx, const void *params, const void *state,
                            const smr_feature *in, int64_t n_in, smr_feature *out, int64_t n_out)
{
    (void)params, (void)state, (void)n_in;
    for (int64_t j = 0; j < n_out; j++) {
        out[j].kind = in[j].kind;
        out[j].n_levels = in[j].n_levels;
        out[j].levels = in[j].levels;
        out[j].text = in[j].text;
        out[j].name = smr_strdup(ctx, in[j].name);
        if (!out[j].name) return SMR_ERR_NOMEM;
    }
    return SMR_OK;
}
