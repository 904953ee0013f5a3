/* data.c -- rows on request: see data.h.
 *
 * A dense reader cuts the features into runs.  A run of neighbours in one row-major block is copied
 * a row at a time; a single column is copied down the block.  If one run of the right type covers
 * all features and there is no row index, nothing is copied at all: the block is a view. */
#include "data/data.h"

#include "data/calendar.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

static const double DENSE_WARN_BYTES =
    256e6; /* a reader's buffer beyond this size asks the budget first */

/* Features [first, first + n) that lie side by side in memory. */
struct run {
    int64_t first, n;
};

struct smr_reader {
    const smr_data *data;
    smr_form form;
    int64_t max_rows;
    smr_reader *source; /* of the data that these are computed from     */
    void *work;         /* and what computes them                       */
    struct run *runs;
    int64_t n_runs;
    bool is_view;        /* one run covers everything and nothing is converted  */
    void *buffer;        /* max_rows x n_features elements of the form          */
    smr_entries entries; /* sparse rows that had to be gathered              */
};

static smr_dtype form_dtype(smr_form form)
{
    static const smr_dtype dtype[] = {SMR_F64, SMR_F32, SMR_U8, SMR_F64};
    return dtype[form];
}

static bool plain_number(const smr_feature *f)
{
    return f->kind == SMR_NUMBER && f->part == SMR_PART_WHOLE && f->values;
}

/* b is the right-hand neighbour of a in one row-major block. */
static bool side_by_side(const smr_feature *a, const smr_feature *b)
{
    return plain_number(a) && plain_number(b) && a->dtype == b->dtype && a->stride == b->stride &&
           (const char *)b->values == (const char *)a->values + smr_dtype_size(a->dtype);
}

static int64_t run_length(const smr_data *data, int64_t j)
{
    int64_t end = j + 1;
    while (end < data->n_features && side_by_side(&data->features[end - 1], &data->features[end]))
        end++;
    return end - j;
}

bool smr_data_whole(const smr_data *data, smr_form form, smr_dense *out)
{
    if (data->source || data->sparse || data->rows || form == SMR_FORM_SPARSE) return false;
    if (data->n_features == 0 || !plain_number(&data->features[0])) return false;
    const smr_feature *f = &data->features[0];
    if (f->dtype != form_dtype(form) || run_length(data, 0) != data->n_features) return false;
    *out = (smr_dense){.values = f->values,
                       .dtype = f->dtype,
                       .n_rows = data->n_rows,
                       .n_cols = data->n_features,
                       .stride = f->stride};
    return true;
}

smr_form smr_data_natural_form(const smr_data *data)
{
    smr_form form = SMR_FORM_U8;
    if (data->source) return smr_data_is_sparse(data) ? SMR_FORM_F64 : data->computed_form;
    if (data->sparse || data->n_features == 0) return SMR_FORM_F64;
    for (int64_t j = 0; j < data->n_features; j++) {
        const smr_feature *f = &data->features[j];
        if (!plain_number(f) || (f->dtype != SMR_U8 && f->dtype != SMR_F32)) return SMR_FORM_F64;
        if (f->dtype == SMR_F32) form = SMR_FORM_F32;
    }
    return form;
}

/* ---- opening ---------------------------------------------------------------------------- */

static smr_status open_dense(smr_ctx *ctx, smr_reader *r)
{
    const smr_data *data = r->data;
    smr_status st = SMR_OK;
    smr_dense whole;
    if (smr_data_whole(data, r->form, &whole)) {
        r->is_view = true;
        return SMR_OK;
    }
    size_t width = smr_dtype_size(form_dtype(r->form));
    double bytes = (double)r->max_rows * (double)data->n_features * (double)width;
    if (bytes > DENSE_WARN_BYTES)
        TRY(smr_memory_check(ctx, bytes, "a dense block of these rows",
                             "use a learner that takes sparse rows, or fewer features"));
    r->buffer = smr_alloc_raw(ctx, r->max_rows * data->n_features, width);
    if (!r->buffer) return SMR_ERR_NOMEM;
    if (data->source || data->sparse) return SMR_OK;

    TRY_NEW(r->runs, data->n_features);
    for (int64_t j = 0; j < data->n_features; j += r->runs[r->n_runs++].n)
        r->runs[r->n_runs] = (struct run){.first = j, .n = run_length(data, j)};
out:
    return st;
}

static bool can_give(const smr_data *data, smr_form form)
{
    if (form != SMR_FORM_U8) return true;
    return smr_data_natural_form(data) == SMR_FORM_U8;
}

/* Rows that are computed, or sparse in memory, come as they are unless another form is asked for;
 * doubles on their way to sparse rows lie in the buffer. */
static bool needs_buffer(const smr_data *data, smr_form form)
{
    if (data->source && data->computed_form == SMR_FORM_F64 && form == SMR_FORM_SPARSE)
        return false;
    if (data->source) return data->computed_form != form;
    return form != SMR_FORM_SPARSE || !data->sparse;
}

smr_status smr_reader_open(smr_ctx *ctx, const smr_data *data, smr_form form, int64_t max_rows,
                           smr_reader **out)
{
    smr_status st = SMR_OK;
    smr_reader *r = NULL;
    *out = NULL;
    if (!can_give(data, form))
        return smr_fail(ctx, SMR_ERR_INTERNAL, "bytes were asked of features that are not bytes");
    TRY_NEW(r, 1);
    r->data = data;
    r->form = form;
    r->max_rows = SMR_MAX(1, SMR_MIN(max_rows, data->n_rows));
    if (data->source) {
        TRY(smr_reader_open(ctx, data->source, data->source_form, r->max_rows, &r->source));
        TRY(data->by->open(ctx, data, r->max_rows, &r->work));
    }
    if (needs_buffer(data, form)) TRY(open_dense(ctx, r));
    *out = r;
    r = NULL;
out:
    smr_reader_close(r);
    return st;
}

void smr_reader_close(smr_reader *r)
{
    if (!r) return;
    smr_reader_close(r->source);
    if (r->work) r->data->by->close(r->work);
    smr_free(r->runs);
    smr_free(r->buffer);
    smr_entries_release(&r->entries);
    smr_free(r);
}

/* ---- gathering dense rows --------------------------------------------------------------- */

static int64_t base_row(const smr_data *data, int64_t i)
{
    return data->rows ? data->rows[i] : i;
}

static double code_as_number(const smr_feature *f, int64_t i)
{
    int32_t code = ((const int32_t *)f->values)[i * f->stride];
    if (f->recode) code = code >= 0 && code < f->n_recode ? f->recode[code] : -1;
    return code < 0 ? NAN : (double)code;
}

static double number_at(const smr_feature *f, int64_t i)
{
    int64_t at = i * f->stride;
    if (f->kind == SMR_CATEGORY || f->kind == SMR_TEXT) return code_as_number(f, i);
    double v = 0;
    switch (f->dtype) {
    case SMR_F64: v = ((const double *)f->values)[at]; break;
    case SMR_F32: v = (double)((const float *)f->values)[at]; break;
    case SMR_U8: v = (double)((const uint8_t *)f->values)[at]; break;
    case SMR_I32: v = (double)((const int32_t *)f->values)[at]; break;
    case SMR_I64: v = (double)((const int64_t *)f->values)[at]; break;
    case SMR_F16:
    case SMR_BF16: break; /* no column has them */
    }
    return f->part == SMR_PART_WHOLE ? v : smr_date_part(v, f->part);
}

/* One column down the block: the common case of a table whose columns are separate arrays. */
static void gather_column_f64(const smr_data *data, const smr_feature *f, int64_t lo, int64_t hi,
                              double *out, int64_t stride)
{
    if (plain_number(f) && f->dtype == SMR_F64) {
        const double *x = f->values;
        const int64_t *rows = data->rows ? data->rows + lo : NULL;
        for (int64_t i = 0; i < hi - lo; i++)
            out[i * stride] = x[(rows ? rows[i] : lo + i) * f->stride];
        return;
    }
    for (int64_t i = lo; i < hi; i++) out[(i - lo) * stride] = number_at(f, base_row(data, i));
}

static void gather_column_f32(const smr_data *data, const smr_feature *f, int64_t lo, int64_t hi,
                              float *out, int64_t stride)
{
    for (int64_t i = lo; i < hi; i++)
        out[(i - lo) * stride] = (float)number_at(f, base_row(data, i));
}

/* A run of the form's own type: whole pieces of rows. */
static void gather_run(const smr_data *data, const struct run *run, int64_t lo, int64_t hi,
                       char *out, size_t width)
{
    const smr_feature *f = &data->features[run->first];
    const char *x = f->values;
    size_t bytes = (size_t)run->n * width, row = (size_t)data->n_features * width;
    for (int64_t i = lo; i < hi; i++)
        memcpy(out + (size_t)(i - lo) * row + (size_t)run->first * width,
               x + (size_t)(base_row(data, i) * f->stride) * width, bytes);
}

/* A run of floats or bytes as doubles, row by row as they lie. */
static void widen_run(const smr_data *data, const struct run *run, int64_t lo, int64_t hi,
                      double *out)
{
    const smr_feature *f = &data->features[run->first];
    for (int64_t i = lo; i < hi; i++) {
        int64_t at = base_row(data, i) * f->stride;
        double *to = out + (i - lo) * data->n_features + run->first;
        if (f->dtype == SMR_F32)
            for (int64_t j = 0; j < run->n; j++) to[j] = ((const float *)f->values)[at + j];
        else
            for (int64_t j = 0; j < run->n; j++) to[j] = ((const uint8_t *)f->values)[at + j];
    }
}

static void gather_column_u8(const smr_data *data, const smr_feature *f, int64_t lo, int64_t hi,
                             uint8_t *out, int64_t stride)
{
    const uint8_t *x = f->values;
    for (int64_t i = lo; i < hi; i++) out[(i - lo) * stride] = x[base_row(data, i) * f->stride];
}

static void gather_runs(const smr_reader *r, int64_t lo, int64_t hi)
{
    const smr_data *data = r->data;
    int64_t d = data->n_features;
    for (int64_t k = 0; k < r->n_runs; k++) {
        const struct run *run = &r->runs[k];
        const smr_feature *f = &data->features[run->first];
        if (f->dtype == form_dtype(r->form) && plain_number(f) && (run->n > 1 || d == 1)) {
            gather_run(data, run, lo, hi, r->buffer, smr_dtype_size(f->dtype));
            continue;
        }
        if (r->form == SMR_FORM_F64 && (f->dtype == SMR_F32 || f->dtype == SMR_U8) &&
            plain_number(f) && run->n > 1) {
            widen_run(data, run, lo, hi, r->buffer);
            continue;
        }
        for (int64_t j = run->first; j < run->first + run->n; j++, f++) {
            if (r->form == SMR_FORM_F32)
                gather_column_f32(data, f, lo, hi, (float *)r->buffer + j, d);
            else if (r->form == SMR_FORM_U8)
                gather_column_u8(data, f, lo, hi, (uint8_t *)r->buffer + j, d);
            else
                gather_column_f64(data, f, lo, hi, (double *)r->buffer + j, d);
        }
    }
}

/* Puts the entries of one row into the zeroed buffer, at row `to`. */
static void spread_row(const smr_reader *r, int64_t to, int64_t n, const int32_t *column,
                       const double *value)
{
    int64_t d = r->data->n_features;
    for (int64_t e = 0; e < n; e++) {
        if (column[e] >= d) break; /* features that the model has never seen */
        if (r->form == SMR_FORM_F32)
            ((float *)r->buffer)[to * d + column[e]] = (float)value[e];
        else
            ((double *)r->buffer)[to * d + column[e]] = value[e];
    }
}

static smr_status spread_sparse(smr_ctx *ctx, const smr_reader *r, int64_t lo, int64_t hi)
{
    const smr_csr *s = r->data->sparse;
    size_t bytes = (size_t)r->data->n_features * smr_dtype_size(form_dtype(r->form));
    smr_status st = SMR_OK;
    for (int64_t i = lo; i < hi; i++) {
        int64_t row = base_row(r->data, i), at = s->start[row];
        if (r->data->n_features >= SMR_WIDE_ROW) TRY(smr_tick(ctx, NULL, i, hi, NAN));
        memset((char *)r->buffer + (size_t)(i - lo) * bytes, 0, bytes);
        spread_row(r, i - lo, s->start[row + 1] - at, s->column + at, s->value + at);
    }
out:
    return st;
}

/* ---- computed rows ---------------------------------------------------------------------- */

static smr_status read_computed(smr_ctx *ctx, smr_reader *r, int64_t lo, int64_t hi, smr_rows *out)
{
    smr_status st = SMR_OK;
    smr_rows rows;
    TRY(smr_reader_rows(ctx, r->source, lo, hi, &rows));
    if (r->data->n_features >= SMR_WIDE_ROW) TRY(smr_tick(ctx, NULL, lo, hi, NAN));
    TRY(r->data->by->rows(ctx, r->work, &rows));
    if (r->form == SMR_FORM_SPARSE && rows.form != SMR_FORM_SPARSE) {
        if (rows.form != SMR_FORM_F64) smr_rows_convert(&rows, SMR_FORM_F64, r->buffer);
        TRY(smr_rows_sparsify(ctx, &rows, &r->entries));
    }
    smr_rows_convert(&rows, r->form, r->buffer);
    *out = rows;
out:
    return st;
}

/* ---- sparse rows ------------------------------------------------------------------------ */

static smr_status gather_sparse(smr_ctx *ctx, smr_reader *r, int64_t lo, int64_t hi)
{
    const smr_csr *s = r->data->sparse;
    smr_entries *out = &r->entries;
    smr_status st = SMR_OK;
    int64_t n = 0;
    for (int64_t i = lo; i < hi; i++) {
        int64_t row = base_row(r->data, i);
        n += s->start[row + 1] - s->start[row];
    }
    TRY(smr_entries_begin(ctx, out, hi - lo));
    TRY(smr_entries_reserve(ctx, out, n));
    for (int64_t i = lo; i < hi; i++) {
        int64_t row = base_row(r->data, i);
        for (int64_t e = s->start[row]; e < s->start[row + 1]; e++) {
            if (s->column[e] >= r->data->n_features) break;
            out->column[out->n] = s->column[e];
            out->value[out->n++] = s->value[e];
        }
        smr_entries_end_row(out);
    }
out:
    return st;
}

/* ---- reading ---------------------------------------------------------------------------- */

static smr_status fill(smr_ctx *ctx, smr_reader *r, int64_t lo, int64_t hi, smr_rows *out)
{
    smr_status st = SMR_OK;
    if (r->data->sparse)
        st = spread_sparse(ctx, r, lo, hi);
    else
        gather_runs(r, lo, hi);
    out->x = r->buffer;
    out->stride = r->data->n_features;
    return st;
}

static smr_status read_sparse(smr_ctx *ctx, smr_reader *r, int64_t lo, int64_t hi, smr_rows *out)
{
    const smr_data *data = r->data;
    smr_status st = SMR_OK;
    if (data->sparse && !data->rows && data->sparse->n_cols <= data->n_features) {
        out->start = data->sparse->start + lo;
        out->column = data->sparse->column;
        out->value = data->sparse->value;
        return SMR_OK;
    }
    if (data->sparse) {
        TRY(gather_sparse(ctx, r, lo, hi));
        smr_rows_of_entries(out, &r->entries, data->n_features);
    } else {
        TRY(fill(ctx, r, lo, hi, out));
        TRY(smr_rows_sparsify(ctx, out, &r->entries));
    }
out:
    return st;
}

smr_status smr_reader_rows(smr_ctx *ctx, smr_reader *r, int64_t lo, int64_t hi, smr_rows *out)
{
    const smr_data *data = r->data;
    smr_status st = SMR_OK;
    *out = (smr_rows){.first = lo,
                      .numbers = data->rows ? data->rows + lo : NULL,
                      .n = hi - lo,
                      .d = data->n_features,
                      .form = r->form,
                      .texts = data->texts,
                      .n_texts = data->n_texts};
    if (data->source) {
        TRY(read_computed(ctx, r, lo, hi, out));
    } else if (r->form == SMR_FORM_SPARSE) {
        TRY(read_sparse(ctx, r, lo, hi, out));
    } else if (r->is_view) {
        const smr_feature *f = &data->features[0];
        out->x = (const char *)f->values + (size_t)(lo * f->stride) * smr_dtype_size(f->dtype);
        out->stride = f->stride;
    } else {
        TRY(fill(ctx, r, lo, hi, out));
    }
    if (data->border) smr_rows_cut(data->border, data->n_sequences, lo, hi, out);
    if (data->roles.user) out->roles.user = data->roles.user + lo;
    if (data->roles.item) out->roles.item = data->roles.item + lo;
    if (data->roles.time) out->roles.time = data->roles.time + lo;
    if (data->refuse_missing) TRY(smr_rows_complete(ctx, out, data->features));
out:
    return st;
}

smr_status smr_data_column(smr_ctx *ctx, const smr_data *data, int64_t j, double *out)
{
    enum { BLOCK = 256 };
    smr_status st = SMR_OK;
    smr_reader *r = NULL;
    if (!data->source && !data->sparse) {
        gather_column_f64(data, &data->features[j], 0, data->n_rows, out, 1);
        return SMR_OK;
    }
    TRY(smr_reader_open(ctx, data, SMR_FORM_F64, BLOCK, &r));
    for (int64_t lo = 0; lo < data->n_rows; lo += BLOCK) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, r, lo, SMR_MIN(data->n_rows, lo + BLOCK), &rows));
        for (int64_t i = 0; i < rows.n; i++)
            out[lo + i] = ((const double *)rows.x)[i * rows.stride + j];
    }
out:
    smr_reader_close(r);
    return st;
}
