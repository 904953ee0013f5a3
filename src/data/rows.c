/* rows.c -- blocks of rows: slices, other forms, gaps.  See data.h. */
#include "data/data.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

/* The last border at or before `at`. */
static int64_t sequence_at(const int64_t *border, int64_t n, int64_t at)
{
    int64_t lo = 0, hi = n;
    while (lo < hi) {
        int64_t mid = (lo + hi + 1) / 2;
        if (border[mid] <= at)
            lo = mid;
        else
            hi = mid - 1;
    }
    return lo;
}

void smr_rows_cut(const int64_t *border, int64_t n, int64_t lo, int64_t hi, smr_rows *rows)
{
    int64_t first = sequence_at(border, n, lo), last = sequence_at(border, n, hi);
    bool whole = border[first] == lo && border[last] == hi && hi > lo;
    rows->border = whole ? border + first : NULL;
    rows->n_sequences = whole ? last - first : 0;
}

int64_t smr_data_block_end(const smr_data *data, int64_t lo, int64_t most)
{
    int64_t end = SMR_MIN(data->n_rows, lo + most);
    if (!data->border || end == data->n_rows) return end;
    int64_t q = sequence_at(data->border, data->n_sequences, end);
    return data->border[q] > lo ? data->border[q] : data->border[q + 1];
}

int64_t smr_data_longest_block(const smr_data *data, int64_t most)
{
    for (int64_t q = 0; data->border && q < data->n_sequences; q++)
        most = SMR_MAX(most, data->border[q + 1] - data->border[q]);
    return most;
}

smr_rows smr_rows_slice(const smr_rows *rows, int64_t lo, int64_t hi)
{
    static const size_t size[] = {8, 4, 1, 0};
    smr_rows part = *rows;
    part.first += lo;
    part.n = hi - lo;
    if (rows->border)
        smr_rows_cut(rows->border, rows->n_sequences, rows->border[0] + lo, rows->border[0] + hi,
                     &part);
    if (rows->roles.user) part.roles.user = rows->roles.user + lo;
    if (rows->roles.item) part.roles.item = rows->roles.item + lo;
    if (rows->roles.time) part.roles.time = rows->roles.time + lo;
    if (rows->numbers) part.numbers = rows->numbers + lo;
    if (rows->form == SMR_FORM_SPARSE)
        part.start = rows->start + lo;
    else
        part.x = (const char *)rows->x + (size_t)(lo * rows->stride) * size[rows->form];
    return part;
}

/* Values of a dense block, row by row, element by element. */
#define EACH(type_from, type_to)                                               \
    for (int64_t i = 0; i < rows->n; i++) {                                    \
        const type_from *from = (const type_from *)rows->x + i * rows->stride; \
        type_to *row = (type_to *)to + i * rows->d;                            \
        for (int64_t j = 0; j < rows->d; j++) row[j] = (type_to)from[j];       \
    }

static void spread_f64(const smr_rows *rows, double *to)
{
    memset(to, 0, (size_t)(rows->n * rows->d) * sizeof *to);
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
            to[i * rows->d + rows->column[e]] = rows->value[e];
}

static void spread_f32(const smr_rows *rows, float *to)
{
    memset(to, 0, (size_t)(rows->n * rows->d) * sizeof *to);
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
            to[i * rows->d + rows->column[e]] = (float)rows->value[e];
}

/* Ascending, so that doubles may become floats in place. */
void smr_rows_convert(smr_rows *rows, smr_form form, void *to)
{
    if (form == rows->form) return;
    if (rows->form == SMR_FORM_SPARSE && form == SMR_FORM_F32) {
        spread_f32(rows, to);
    } else if (rows->form == SMR_FORM_SPARSE) {
        spread_f64(rows, to);
    } else if (rows->form == SMR_FORM_U8 && form == SMR_FORM_F32) {
        EACH(uint8_t, float)
    } else if (rows->form == SMR_FORM_U8) {
        EACH(uint8_t, double)
    } else if (form == SMR_FORM_F32) {
        EACH(double, float)
    } else {
        EACH(float, double)
    }
    rows->form = form;
    rows->x = to;
    rows->stride = rows->d;
}

void smr_rows_of_entries(smr_rows *rows, const smr_entries *entries, int64_t d)
{
    rows->form = SMR_FORM_SPARSE;
    rows->start = entries->start;
    rows->column = entries->column;
    rows->value = entries->value;
    rows->d = d;
}

smr_status smr_rows_sparsify(smr_ctx *ctx, smr_rows *rows, smr_entries *to)
{
    const double *x = rows->x;
    smr_status st = SMR_OK;
    TRY(smr_entries_begin(ctx, to, rows->n));
    for (int64_t i = 0; i < rows->n; i++) {
        if (rows->d >= SMR_WIDE_ROW) TRY(smr_tick(ctx, NULL, i, rows->n, NAN));
        TRY(smr_entries_reserve(ctx, to, rows->d));
        for (int64_t j = 0; j < rows->d; j++) smr_entries_add(to, j, x[i * rows->stride + j]);
        smr_entries_end_row(to);
    }
    smr_rows_of_entries(rows, to, rows->d);
out:
    return st;
}

/* ---- gaps ------------------------------------------------------------------------------- */

static smr_status missing_at(smr_ctx *ctx, const smr_rows *rows, const smr_feature *features,
                             int64_t i, int64_t j)
{
    const char *name = features && features[j].name ? features[j].name : NULL;
    int64_t row = (rows->numbers ? rows->numbers[i] : rows->first + i) + 1;
    if (!name)
        return smr_fail(ctx, SMR_ERR_DATA, "row %lld, feature %lld: the value is missing",
                        (long long)row, (long long)j);
    return smr_fail(
        ctx, SMR_ERR_DATA,
        "row %lld, column '%s': the value is missing (or not seen in training), and this "
        "model was fitted without missing values there; train with 'impute | ...' to "
        "allow them",
        (long long)row, name);
}

static smr_status find_missing(smr_ctx *ctx, const smr_rows *rows, const smr_feature *features)
{
    for (int64_t i = 0; i < rows->n; i++) {
        int64_t lo = rows->form == SMR_FORM_SPARSE ? rows->start[i] : 0;
        int64_t hi = rows->form == SMR_FORM_SPARSE ? rows->start[i + 1] : rows->d;
        for (int64_t e = lo; e < hi; e++) {
            bool missing = false;
            if (rows->form == SMR_FORM_SPARSE)
                missing = isnan(rows->value[e]);
            else if (rows->form == SMR_FORM_F64)
                missing = isnan(((const double *)rows->x)[i * rows->stride + e]);
            else if (rows->form == SMR_FORM_F32)
                missing = isnan(((const float *)rows->x)[i * rows->stride + e]);
            int64_t j = rows->form == SMR_FORM_SPARSE ? rows->column[e] : e;
            if (missing && features && features[j].kind == SMR_TEXT) continue; /* an empty one */
            if (missing) return missing_at(ctx, rows, features, i, j);
        }
    }
    return SMR_OK;
}

/* What comes some rows later is fetched: of rows that do not follow each other without a gap,
 * processors fetch too little by themselves. */
static void fetch_after(const void *at, int64_t bytes)
{
    enum { AHEAD = 4096, LINE = 64 };
    uintptr_t from = (uintptr_t)at + AHEAD;
    for (int64_t b = 0; b < bytes; b += LINE)
        __builtin_prefetch((const void *)(from + (uintptr_t)b));
}

/* A finite sum has finite terms: a fast screen, which an overflow only sends to the slow one. */
static bool surely_complete(const smr_rows *rows)
{
    if (rows->form == SMR_FORM_U8 || rows->n == 0) return true;
    if (rows->form == SMR_FORM_SPARSE) {
        int64_t lo = rows->start[0], hi = rows->start[rows->n];
        return isfinite(smr_sum_f64(hi - lo, rows->value + lo));
    }
    bool dense = rows->stride == rows->d;
    int64_t n = dense ? 1 : rows->n, d = dense ? rows->n * rows->d : rows->d;
    for (int64_t i = 0; i < n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        const float *f = (const float *)rows->x + i * rows->stride;
        bool is_f64 = rows->form == SMR_FORM_F64;
        if (!dense) fetch_after(is_f64 ? (const void *)x : f, rows->stride * (is_f64 ? 8 : 4));
        bool finite =
            is_f64 ? isfinite(smr_sum_f64(d, x)) != 0 : isfinite(smr_dot_f32(d, f, f)) != 0;
        if (!finite) return false;
    }
    return true;
}

smr_status smr_rows_complete(smr_ctx *ctx, const smr_rows *rows, const smr_feature *features)
{
    return surely_complete(rows) ? SMR_OK : find_missing(ctx, rows, features);
}
