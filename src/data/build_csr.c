/* build_csr.c -- a sparse table from a caller's compressed rows, checked in full. */
#include "data/build.h"

#include <string.h>

static smr_status check_starts(smr_ctx *ctx, const smr_csr *x)
{
    if (!x->start)
        return smr_fail(ctx, SMR_ERR_PARAM, "sparse rows need their starts (indptr), not NULL");
    if (x->start[0] != 0)
        return smr_fail(ctx, SMR_ERR_DATA, "sparse rows begin with entry 0 (indptr[0]), not %lld",
                        (long long)x->start[0]);
    for (int64_t i = 0; i < x->n_rows; i++)
        if (x->start[i + 1] < x->start[i])
            return smr_fail(ctx, SMR_ERR_DATA,
                            "row %lld of sparse rows ends before it begins: entries %lld to %lld "
                            "(indptr)",
                            (long long)i + 1, (long long)x->start[i], (long long)x->start[i + 1]);
    if (x->start[x->n_rows] > 0 && (!x->column || !x->value))
        return smr_fail(ctx, SMR_ERR_PARAM, "%lld entries of sparse rows need columns and values",
                        (long long)x->start[x->n_rows]);
    return SMR_OK;
}

/* Sorts the entries of one row by column, in place: merges of runs, as most rows are sorted. */
static void sort_row(int64_t n, int32_t *column, double *value, int32_t *spare_c, double *spare_v)
{
    if (n < 2) return;
    int64_t half = n / 2, a = 0, b = half;
    sort_row(half, column, value, spare_c, spare_v);
    sort_row(n - half, column + half, value + half, spare_c, spare_v);
    if (column[half - 1] <= column[half]) return;
    memcpy(spare_c, column, (size_t)half * sizeof *spare_c);
    memcpy(spare_v, value, (size_t)half * sizeof *spare_v);
    for (int64_t k = 0; a < half; k++) {
        bool right = b < n && column[b] < spare_c[a];
        value[k] = right ? value[b] : spare_v[a];
        column[k] = right ? column[b++] : spare_c[a++];
    }
}

static smr_status check_row(smr_ctx *ctx, const smr_csr *x, int64_t i, const int32_t *column)
{
    for (int64_t e = x->start[i]; e < x->start[i + 1]; e++) {
        if (column[e] < 0 || column[e] >= x->n_cols)
            return smr_fail(ctx, SMR_ERR_DATA,
                            "row %lld of sparse rows: column %lld; columns go from 0 to %lld",
                            (long long)i + 1, (long long)column[e], (long long)x->n_cols - 1);
        if (e > x->start[i] && column[e] == column[e - 1])
            return smr_fail(ctx, SMR_ERR_DATA,
                            "row %lld of sparse rows: column %lld comes twice; add the values up "
                            "first",
                            (long long)i + 1, (long long)column[e]);
    }
    return SMR_OK;
}

static smr_status sort_rows(smr_ctx *ctx, const smr_csr *x, int32_t *column, double *value)
{
    smr_status st = SMR_OK;
    int32_t *spare_c = NULL;
    double *spare_v = NULL;
    int64_t longest = 0;
    for (int64_t i = 0; i < x->n_rows; i++)
        longest = SMR_MAX(longest, x->start[i + 1] - x->start[i]);
    TRY_NEW(spare_c, longest);
    TRY_NEW(spare_v, longest);
    for (int64_t i = 0; i < x->n_rows; i++) {
        int64_t at = x->start[i], n = x->start[i + 1] - at;
        sort_row(n, column + at, value + at, spare_c, spare_v);
        TRY(check_row(ctx, x, i, column));
    }
out:
    smr_free(spare_v);
    smr_free(spare_c);
    return st;
}

smr_status smr_build_csr(smr_ctx *ctx, const smr_csr *x, const double *y, smr_table **out)
{
    smr_status st = SMR_OK;
    smr_table *t = NULL;
    int64_t *start = NULL;
    int32_t *column = NULL;
    double *value = NULL;
    *out = NULL;
    if (x->n_rows < 0 || x->n_cols < 1 || x->n_rows > SMR_MAX_DIM || x->n_cols > SMR_MAX_DIM)
        return smr_fail(
            ctx, SMR_ERR_SHAPE,
            "sparse rows of %lld x %lld are impossible: a table has at least one column "
            "and at most 2^31 - 1 of each",
            (long long)x->n_rows, (long long)x->n_cols);
    TRY(check_starts(ctx, x));
    int64_t n = x->start[x->n_rows];
    TRY(smr_table_new(ctx, x->n_rows, 0, &t));
    TRY_NEW(start, x->n_rows + 1);
    t->sparse.start = start;
    TRY_NEW(column, n);
    t->sparse.column = column;
    TRY_NEW(value, n);
    t->sparse.value = value;
    t->sparse.n_rows = x->n_rows;
    t->sparse.n_cols = x->n_cols;
    memcpy(start, x->start, (size_t)(x->n_rows + 1) * sizeof *start);
    if (n) memcpy(column, x->column, (size_t)n * sizeof *column);
    if (n) memcpy(value, x->value, (size_t)n * sizeof *value);
    TRY(sort_rows(ctx, x, column, value));
    if (y) TRY(smr_build_f64(ctx, t, "y", y));
    *out = t;
    t = NULL;
out:
    smr_table_free(t);
    return st;
}
