/* build.c -- see build.h. */
#include "data/build.h"

#include "core/text.h"
#include "data/infer.h"
#include "data/vocab.h"

#include <math.h>
#include <string.h>

enum { DAY_SECONDS = 86400 };

/* ---- names ------------------------------------------------------------------------------ */

/* The names that the table has so far, where a new one is looked up. */
static smr_status list_names(smr_ctx *ctx, smr_table *t)
{
    smr_status st = SMR_OK;
    int32_t code;
    if (t->names) return SMR_OK;
    TRY_NEW(t->names, 1);
    for (int64_t j = 0; j < t->n_cols; j++)
        TRY(smr_vocab_add(ctx, t->names, t->cols[j].name, (int64_t)strlen(t->cols[j].name), &code));
out:
    if (st != SMR_OK && t->names) {
        smr_vocab_release(t->names);
        smr_free(t->names);
        t->names = NULL;
    }
    return st;
}

static smr_status check_name(smr_ctx *ctx, const smr_table *t, const char *name)
{
    int64_t bad;
    if (!name || !name[0])
        return smr_fail(ctx, SMR_ERR_PARAM, "column %lld (counted from 0) needs a name",
                        (long long)t->n_cols);
    if (!smr_is_utf8(name, (int64_t)strlen(name), &bad))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "column %lld (counted from 0): the name is not UTF-8, from byte %lld on",
                        (long long)t->n_cols, (long long)bad);
    if (smr_vocab_find(t->names, name, (int64_t)strlen(name)) >= 0)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "the table has a column '%.200s' already; choose another name", name);
    if (t->n_cols >= SMR_MAX_DIM)
        return smr_fail(ctx, SMR_ERR_SHAPE, "a table has at most %lld columns",
                        (long long)SMR_MAX_DIM);
    return SMR_OK;
}

static smr_status make_room(smr_ctx *ctx, smr_table *t)
{
    if (t->n_cols < t->col_room) return SMR_OK;
    int64_t room = 2 * t->n_cols + 8;
    smr_column *cols = smr_realloc(ctx, t->cols, room, sizeof *cols);
    if (!cols) return SMR_ERR_NOMEM;
    t->cols = cols;
    t->col_room = room;
    return SMR_OK;
}

smr_status smr_build_append(smr_ctx *ctx, smr_table *t, const char *name, smr_column *made)
{
    smr_status st = SMR_OK;
    char *copy = NULL;
    int32_t code;
    TRY(list_names(ctx, t));
    TRY(check_name(ctx, t, name));
    TRY(make_room(ctx, t));
    copy = smr_strdup(ctx, name);
    if (!copy) TRY(SMR_ERR_NOMEM);
    TRY(smr_vocab_add(ctx, t->names, copy, (int64_t)strlen(copy), &code));
    made->name = copy;
    made->stride = 1;
    made->owns_values = true;
    t->cols[t->n_cols++] = *made;
    t->has_header = true; /* the names mean something */
    *made = (smr_column){0};
    copy = NULL;
out:
    smr_free(copy);
    return st;
}

/* ---- values ----------------------------------------------------------------------------- */

static smr_status check_values(smr_ctx *ctx, const smr_table *t, const char *name,
                               const void *values)
{
    if (values || t->n_rows == 0) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM, "column '%.200s' needs values for %lld row%s, not NULL",
                    name ? name : "", (long long)t->n_rows, smr_plural(t->n_rows, "", "s"));
}

static void release(smr_column *made)
{
    smr_free(made->values);
    smr_free(made->levels.start);
    smr_free(made->levels.bytes);
}

/* A column of numbers as they are: double or float. */
static smr_status add_numbers(smr_ctx *ctx, smr_table *t, const char *name, smr_dtype dtype,
                              const void *values)
{
    smr_status st = SMR_OK;
    smr_column made = {.kind = SMR_NUMBER, .dtype = dtype, .stride = 1};
    size_t size = smr_dtype_size(dtype);
    TRY(check_values(ctx, t, name, values));
    made.values = smr_alloc_raw(ctx, t->n_rows, size);
    if (!made.values) TRY(SMR_ERR_NOMEM);
    if (t->n_rows) memcpy(made.values, values, (size_t)t->n_rows * size);
    for (int64_t i = 0; i < t->n_rows; i++)
        made.n_missing += isnan(smr_column_number(&made, i)) != 0;
    TRY(smr_build_append(ctx, t, name, &made));
out:
    release(&made);
    return st;
}

smr_status smr_build_f64(smr_ctx *ctx, smr_table *t, const char *name, const double *values)
{
    return add_numbers(ctx, t, name, SMR_F64, values);
}

smr_status smr_build_f32(smr_ctx *ctx, smr_table *t, const char *name, const float *values)
{
    return add_numbers(ctx, t, name, SMR_F32, values);
}

void smr_build_warn_large(smr_ctx *ctx, const char *column, int64_t n_large)
{
    if (n_large > 0)
        smr_warn(ctx,
                 "column '%.200s' has %lld whole number%s beyond 2^53, rounded to doubles; give "
                 "identifiers as strings",
                 column, (long long)n_large, smr_plural(n_large, "", "s"));
}

smr_status smr_build_i64(smr_ctx *ctx, smr_table *t, const char *name, const int64_t *values,
                         const bool *missing)
{
    smr_status st = SMR_OK;
    smr_column made = {.kind = SMR_NUMBER, .dtype = SMR_F64};
    double *x = NULL;
    int64_t n_large = 0;
    TRY(check_values(ctx, t, name, values));
    TRY_NEW(x, t->n_rows);
    made.values = x;
    for (int64_t i = 0; i < t->n_rows; i++) {
        bool gone = missing && missing[i];
        x[i] = gone ? NAN : (double)values[i];
        made.n_missing += gone;
        n_large += fabs(x[i]) >= 0x1p53;
    }
    TRY(smr_build_append(ctx, t, name, &made));
    smr_build_warn_large(ctx, name, n_large);
out:
    release(&made);
    return st;
}

smr_status smr_build_dates(smr_ctx *ctx, smr_table *t, const char *name, const double *seconds)
{
    smr_status st = SMR_OK;
    smr_column made = {.kind = SMR_DATE, .dtype = SMR_F64};
    double *x = NULL;
    TRY(check_values(ctx, t, name, seconds));
    TRY_NEW(x, t->n_rows);
    made.values = x;
    for (int64_t i = 0; i < t->n_rows; i++) {
        x[i] = seconds[i];
        made.n_missing += isnan(x[i]) != 0;
        if (isnan(x[i])) continue;
        if (!(x[i] >= SMR_DATE_FIRST && x[i] < SMR_DATE_END))
            TRY(smr_fail(ctx, SMR_ERR_DATA,
                         "column '%.200s', row %lld: a date lies in the years 1 to 9999; they are "
                         "seconds since 1970-01-01, not milliseconds",
                         name ? name : "", (long long)i + 1));
        if (fmod(x[i], DAY_SECONDS) != 0) made.has_time = true;
    }
    TRY(smr_build_append(ctx, t, name, &made));
out:
    release(&made);
    return st;
}

/* ---- strings ---------------------------------------------------------------------------- */

smr_status smr_build_check_utf8(smr_ctx *ctx, const char *column, const char *text, int64_t n)
{
    char shown[SMR_EXCERPT_MAX];
    int64_t bad;
    if (smr_is_utf8(text, n, &bad)) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_DATA,
                    "column '%.200s' has a text that is not UTF-8 ('%s'); convert it first", column,
                    smr_excerpt(text, n, shown));
}

smr_status smr_build_strings(smr_ctx *ctx, smr_table *t, const char *name,
                             const char *const *values)
{
    smr_status st = SMR_OK;
    smr_column made = {.kind = SMR_CATEGORY, .dtype = SMR_I32};
    smr_vocab seen = {0};
    int32_t *code = NULL, *recode = NULL;
    TRY(check_values(ctx, t, name, values));
    TRY_NEW(code, t->n_rows);
    made.values = code;
    for (int64_t i = 0; i < t->n_rows; i++) {
        int64_t known = seen.strings.n, n = values[i] ? (int64_t)strlen(values[i]) : 0;
        code[i] = -1;
        made.n_missing += !values[i];
        if (!values[i]) continue;
        TRY(smr_vocab_add(ctx, &seen, values[i], n, &code[i]));
        if (code[i] == known) TRY(smr_build_check_utf8(ctx, name ? name : "", values[i], n));
    }
    TRY_NEW(recode, seen.strings.n);
    TRY(smr_vocab_sorted(ctx, &seen, &made.levels, recode));
    for (int64_t i = 0; i < t->n_rows; i++)
        if (code[i] >= 0) code[i] = recode[code[i]];
    TRY(smr_build_append(ctx, t, name, &made));
out:
    smr_vocab_release(&seen);
    smr_free(recode);
    release(&made);
    return st;
}

/* The levels as given: distinct, UTF-8. */
static smr_status take_levels(smr_ctx *ctx, const char *name, const char *const *levels, int64_t n,
                              smr_strings *out)
{
    smr_status st = SMR_OK;
    smr_vocab seen = {0};
    if (n < 0 || n > INT32_MAX || (n > 0 && !levels))
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "column '%.200s': a list of 0 to 2^31 - 1 levels is needed, not %lld%s", name,
                     (long long)n, levels ? "" : " at NULL"));
    for (int64_t k = 0; k < n; k++) {
        int32_t code = 0;
        if (!levels[k])
            TRY(smr_fail(ctx, SMR_ERR_PARAM,
                         "column '%.200s': level %lld is NULL; a missing value has the code -1",
                         name, (long long)k));
        int64_t length = (int64_t)strlen(levels[k]);
        TRY(smr_build_check_utf8(ctx, name, levels[k], length));
        TRY(smr_vocab_add(ctx, &seen, levels[k], length, &code));
        if (code != k)
            TRY(smr_fail(ctx, SMR_ERR_PARAM,
                         "column '%.200s': levels %lld and %lld are the same, '%.200s'", name,
                         (long long)code, (long long)k, levels[k]));
    }
    TRY(smr_strings_copy(ctx, &seen.strings, NULL, out));
out:
    smr_vocab_release(&seen);
    return st;
}

smr_status smr_build_categories(smr_ctx *ctx, smr_table *t, const char *name, const int32_t *codes,
                                const char *const *levels, int64_t n_levels)
{
    smr_status st = SMR_OK;
    smr_column made = {.kind = SMR_CATEGORY, .dtype = SMR_I32};
    int32_t *code = NULL;
    TRY(check_values(ctx, t, name, codes));
    TRY(take_levels(ctx, name ? name : "", levels, n_levels, &made.levels));
    TRY_NEW(code, t->n_rows);
    made.values = code;
    for (int64_t i = 0; i < t->n_rows; i++) {
        code[i] = codes[i];
        made.n_missing += code[i] == -1;
        if (code[i] < -1 || code[i] >= n_levels)
            TRY(smr_fail(
                ctx, SMR_ERR_DATA,
                "column '%.200s', row %lld: the code %lld; codes go from 0 to %lld, and -1 "
                "is a missing value",
                name ? name : "", (long long)i + 1, (long long)code[i], (long long)n_levels - 1));
    }
    TRY(smr_build_append(ctx, t, name, &made));
out:
    release(&made);
    return st;
}
