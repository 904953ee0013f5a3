/* table.c -- see table.h. */
#include "data/table.h"

#include "core/number.h"
#include "data/vocab.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- life ------------------------------------------------------------------------------- */

smr_status smr_table_new(smr_ctx *ctx, int64_t n_rows, int64_t n_cols, smr_table **out)
{
    smr_status st = SMR_OK;
    smr_table *t = NULL;
    *out = NULL;
    TRY_NEW(t, 1);
    TRY_NEW(t->cols, n_cols);
    t->n_rows = n_rows;
    t->n_cols = n_cols;
    for (int64_t j = 0; j < n_cols; j++) t->cols[j].stride = 1;
    *out = t;
    t = NULL;
out:
    smr_table_free(t);
    return st;
}

/* Accepts a half-built table: whatever was not set is NULL. */
void smr_table_free(smr_table *t)
{
    if (!t) return;
    for (int64_t j = 0; t->cols && j < t->n_cols; j++) {
        smr_column *c = &t->cols[j];
        smr_free(c->name);
        if (c->owns_values) smr_free(c->values);
        smr_free(c->levels.start);
        smr_free(c->levels.bytes);
    }
    smr_free(t->cols);
    smr_free((void *)(uintptr_t)t->sparse.start);
    smr_free((void *)(uintptr_t)t->sparse.column);
    smr_free((void *)(uintptr_t)t->sparse.value);
    for (int b = 0; b < t->n_blocks; b++) smr_free(t->blocks[b]);
    if (t->give_back) t->give_back(t->lender);
    if (t->names) smr_vocab_release(t->names);
    smr_free(t->names);
    smr_free(t->source);
    smr_free(t->notes);
    smr_free(t);
}

smr_status smr_table_own(smr_ctx *ctx, smr_table *t, void *block)
{
    if (t->n_blocks == SMR_COUNT(t->blocks))
        return smr_fail(ctx, SMR_ERR_INTERNAL, "a table holds at most %d blocks of memory",
                        (int)SMR_COUNT(t->blocks));
    t->blocks[t->n_blocks++] = block;
    return SMR_OK;
}

/* The block of the table in which an address lies, or NULL: it is not the table's memory.  Blocks
 * do not overlap, so it is the nearest below. */
static void *block_of(const smr_table *t, const void *address)
{
    void *found = NULL;
    for (int b = 0; b < t->n_blocks; b++)
        if ((uintptr_t)t->blocks[b] <= (uintptr_t)address &&
            (uintptr_t)t->blocks[b] >= (uintptr_t)found)
            found = t->blocks[b];
    return found;
}

void smr_table_spend(const smr_table *t, int64_t lo, int64_t hi)
{
    const void *last = NULL;
    for (int64_t j = 0; j < t->n_cols && lo < hi; j++) {
        const smr_column *c = &t->cols[j];
        void *block = c->owns_values ? c->values : block_of(t, c->values);
        int64_t row = c->stride * (int64_t)smr_dtype_size(c->dtype);
        if (!block) continue;
        int64_t first = (const char *)c->values - (const char *)block;
        if (c->stride > 1) { /* whole rows, for all the columns of the block */
            if (block == last || first >= row) continue;
            first = 0;
        }
        int64_t from = SMR_MAX(first, first + lo * row - SMR_HUGE_PAGE + 1);
        smr_give_back(block, from, first + hi * row);
        last = block;
    }
}

smr_status smr_table_number_names(smr_ctx *ctx, smr_table *t, int64_t lo, int64_t hi, int64_t base)
{
    for (int64_t j = lo; j < hi; j++) {
        char name[24];
        snprintf(name, sizeof name, "%" PRId64, j - base);
        t->cols[j].name = smr_strdup(ctx, name);
        if (!t->cols[j].name) return SMR_ERR_NOMEM;
    }
    return SMR_OK;
}

static void view_column(smr_column *c, const void *values, smr_dtype dtype, int64_t stride)
{
    c->kind = SMR_NUMBER;
    c->dtype = dtype;
    c->values = (void *)(uintptr_t)values; /* never written through: owns_values is false */
    c->stride = stride;
    c->n_missing = dtype == SMR_F64 || dtype == SMR_F32 ? -1 : 0;
}

smr_status smr_table_view(smr_ctx *ctx, const smr_dense *X, const double *y, smr_table **out)
{
    smr_status st = SMR_OK;
    smr_table *t = NULL;
    int64_t d = X->n_cols;
    *out = NULL;
    if (X->dtype == SMR_I64 || X->dtype == SMR_F16 || X->dtype == SMR_BF16)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "a matrix of %s cannot be viewed as a table; pass doubles",
                        X->dtype == SMR_I64 ? "64-bit integers" : "16-bit numbers");
    if (X->n_rows < 0 || d < 0 || X->stride < d)
        return smr_fail(ctx, SMR_ERR_SHAPE,
                        "a matrix of %" PRId64 " x %" PRId64 " with rows %" PRId64
                        " elements apart is impossible",
                        X->n_rows, d, X->stride);
    TRY(smr_table_new(ctx, X->n_rows, d + (y ? 1 : 0), &t));
    TRY(smr_table_number_names(ctx, t, 0, d, 0));
    int64_t stride = SMR_MAX(X->stride, 1);
    for (int64_t j = 0; j < d; j++)
        view_column(&t->cols[j], (const char *)X->values + (size_t)j * smr_dtype_size(X->dtype),
                    X->dtype, stride);
    if (y) {
        t->cols[d].name = smr_strdup(ctx, "y");
        if (!t->cols[d].name) TRY(SMR_ERR_NOMEM);
        view_column(&t->cols[d], y, SMR_F64, 1);
    }
    *out = t;
    t = NULL;
out:
    smr_table_free(t);
    return st;
}

/* ---- values ----------------------------------------------------------------------------- */

int64_t smr_table_find(const smr_table *t, const char *name)
{
    for (int64_t j = 0; j < t->n_cols; j++)
        if (t->cols[j].name && !strcmp(t->cols[j].name, name)) return j;
    return -1;
}

double smr_column_number(const smr_column *c, int64_t i)
{
    int64_t at = i * c->stride;
    switch (c->dtype) {
    case SMR_F64: return ((const double *)c->values)[at];
    case SMR_F32: return ((const float *)c->values)[at];
    case SMR_U8: return ((const uint8_t *)c->values)[at];
    case SMR_I32: return ((const int32_t *)c->values)[at];
    case SMR_I64: return (double)((const int64_t *)c->values)[at];
    case SMR_F16:
    case SMR_BF16: break; /* no column has them */
    }
    return NAN;
}

void smr_column_numbers(const smr_column *c, int64_t lo, int64_t n, double *out)
{
    const double *x = (const double *)c->values + (c->dtype == SMR_F64 ? lo * c->stride : 0);
    if (c->dtype == SMR_F64 && c->stride == 1)
        memcpy(out, x, (size_t)n * sizeof *out);
    else if (c->dtype == SMR_F64)
        for (int64_t i = 0; i < n; i++) out[i] = x[i * c->stride];
    else
        for (int64_t i = 0; i < n; i++) out[i] = smr_column_number(c, lo + i);
}

int32_t smr_column_code(const smr_column *c, int64_t i)
{
    return ((const int32_t *)c->values)[i * c->stride];
}

const char *smr_strings_get(const smr_strings *s, int64_t i, int64_t *length)
{
    *length = s->start[i + 1] - s->start[i];
    return s->bytes + s->start[i];
}

/* ---- orders ----------------------------------------------------------------------------- */

typedef int (*compare_fn)(const void *arg, int64_t a, int64_t b);

/* Sorts order[0..n) by compare, stably; spare has n elements. */
static void merge_sort(int64_t n, int64_t *order, int64_t *spare, compare_fn compare,
                       const void *arg)
{
    if (n < 2) return;
    int64_t half = n / 2, a = 0, b = half;
    merge_sort(half, order, spare, compare, arg);
    merge_sort(n - half, order + half, spare, compare, arg);
    memcpy(spare, order, (size_t)half * sizeof *spare);
    for (int64_t k = 0; a < half; k++)
        order[k] = b < n && compare(arg, order[b], spare[a]) < 0 ? order[b++] : spare[a++];
}

struct level_order {
    const smr_strings *levels;
    const double *number; /* NULL: not all are numbers */
};

/* Equal numbers written differently ("1", "1.0") follow bytewise. */
static int compare_levels(const void *arg, int64_t a, int64_t b)
{
    const struct level_order *o = arg;
    if (o->number && o->number[a] != o->number[b]) return o->number[a] < o->number[b] ? -1 : 1;
    int64_t na, nb;
    const char *sa = smr_strings_get(o->levels, a, &na), *sb = smr_strings_get(o->levels, b, &nb);
    int64_t shared = SMR_MIN(na, nb);
    int c = shared ? memcmp(sa, sb, (size_t)shared) : 0;
    return c ? c : na < nb ? -1 : na > nb;
}

static bool all_numbers(const smr_strings *s, double *number)
{
    for (int64_t i = 0; i < s->n; i++) {
        int64_t length;
        const char *text = smr_strings_get(s, i, &length), *end = text + length;
        if (smr_parse_double(text, end, &number[i]) != end || isnan(number[i])) return false;
    }
    return true;
}

smr_status smr_levels_sort(smr_ctx *ctx, const smr_strings *levels, int64_t *order)
{
    smr_status st = SMR_OK;
    int64_t *spare = NULL;
    double *number = NULL;
    TRY_NEW(spare, levels->n);
    TRY_NEW(number, levels->n);
    struct level_order o = {levels, all_numbers(levels, number) ? number : NULL};
    for (int64_t i = 0; i < levels->n; i++) order[i] = i;
    merge_sort(levels->n, order, spare, compare_levels, &o);
out:
    smr_free(number);
    smr_free(spare);
    return st;
}

static int compare_names(const void *arg, int64_t a, int64_t b)
{
    const smr_table *t = arg;
    return strcmp(t->cols[a].name, t->cols[b].name);
}

smr_status smr_table_check_names(smr_ctx *ctx, const smr_table *t)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL, *spare = NULL;
    int64_t first = INT64_MAX, second = 0; /* the duplicate that shows up first in the table */
    TRY_NEW(order, t->n_cols);
    TRY_NEW(spare, t->n_cols);
    for (int64_t j = 0; j < t->n_cols; j++) order[j] = j;
    merge_sort(t->n_cols, order, spare, compare_names, t);
    for (int64_t r = 1; r < t->n_cols; r++)
        if (compare_names(t, order[r - 1], order[r]) == 0 && order[r - 1] < first)
            first = order[r - 1], second = order[r];
    if (first != INT64_MAX)
        st = smr_fail(ctx, SMR_ERR_DATA,
                      "%s%scolumns %" PRId64 " and %" PRId64
                      " (counted from 0) have the same name '%.200s'; rename one",
                      t->source ? t->source : "", t->source ? ": " : "", first, second,
                      t->cols[first].name);
out:
    smr_free(spare);
    smr_free(order);
    return st;
}
