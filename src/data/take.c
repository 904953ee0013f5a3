/* take.c -- see take.h. */
#include "data/take.h"

#include "data/vocab.h"

#include <math.h>
#include <string.h>

static void copy_values(const smr_column *from, const int64_t *rows, int64_t n, size_t size,
                        char *to)
{
    const char *values = from->values;
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * (int64_t)size, values + rows[i] * from->stride * (int64_t)size, size);
}

static int64_t count_missing(const smr_column *c, int64_t n)
{
    bool coded = c->kind == SMR_CATEGORY || c->kind == SMR_TEXT;
    int64_t missing = 0;
    for (int64_t i = 0; i < n; i++)
        missing += coded ? smr_column_code(c, i) < 0 : isnan(smr_column_number(c, i)) != 0;
    return missing;
}

static smr_status take_column(smr_ctx *ctx, const smr_column *from, const int64_t *rows, int64_t n,
                              smr_column *to)
{
    smr_status st = SMR_OK;
    size_t size = smr_dtype_size(from->dtype);
    to->kind = from->kind;
    to->dtype = from->dtype;
    to->has_time = from->has_time;
    to->name = smr_strdup(ctx, from->name);
    if (!to->name) TRY(SMR_ERR_NOMEM);
    TRY(smr_strings_copy(ctx, &from->levels, NULL, &to->levels));
    to->values = smr_alloc_raw(ctx, n + 1, size);
    if (!to->values) TRY(SMR_ERR_NOMEM);
    to->owns_values = true;
    copy_values(from, rows, n, size, to->values);
    to->n_missing = count_missing(to, n);
out:
    return st;
}

static smr_status take_sparse(smr_ctx *ctx, const smr_csr *from, const int64_t *rows, int64_t n,
                              smr_csr *to)
{
    smr_status st = SMR_OK;
    int64_t entries = 0, *start = NULL;
    int32_t *column = NULL;
    double *value = NULL;
    for (int64_t i = 0; i < n; i++) entries += from->start[rows[i] + 1] - from->start[rows[i]];
    TRY_NEW(start, n + 1);
    TRY_NEW(column, entries + 1);
    TRY_NEW(value, entries + 1);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = start[i], begin = from->start[rows[i]];
        int64_t m = from->start[rows[i] + 1] - begin;
        if (m) memcpy(column + at, from->column + begin, (size_t)m * sizeof *column);
        if (m) memcpy(value + at, from->value + begin, (size_t)m * sizeof *value);
        start[i + 1] = at + m;
    }
    *to = (smr_csr){n, from->n_cols, start, column, value};
    return SMR_OK;
out:
    smr_free(start);
    smr_free(column);
    smr_free(value);
    return st;
}

smr_status smr_table_take(smr_ctx *ctx, const smr_table *table, const int64_t *rows, int64_t n,
                          smr_table **out)
{
    smr_status st = SMR_OK;
    smr_table *t = NULL;
    *out = NULL;
    TRY(smr_table_new(ctx, n, table->n_cols, &t));
    t->has_header = table->has_header;
    memcpy(t->item_shape, table->item_shape, sizeof t->item_shape);
    for (int64_t j = 0; j < table->n_cols; j++)
        TRY(take_column(ctx, &table->cols[j], rows, n, &t->cols[j]));
    if (table->sparse.n_cols) TRY(take_sparse(ctx, &table->sparse, rows, n, &t->sparse));
    *out = t;
    t = NULL;
out:
    smr_table_free(t);
    return st;
}
