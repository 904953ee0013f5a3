/* array.c -- see array.h. */
#include "data/array.h"

#include "data/formats.h"
#include "data/hash.h"

#include <inttypes.h>

smr_status smr_array_header(smr_ctx *ctx, smr_source *source, const char *format, void *to,
                            int64_t n)
{
    smr_status st = SMR_OK;
    for (int64_t got = 0, more = 0; got < n; got += more) {
        TRY(smr_source_read(ctx, source, (char *)to + got, n - got, &more));
        if (more == 0)
            TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s: truncated in the %s header",
                         smr_source_name(source), format));
    }
out:
    return st;
}

/* Rows and columns; fails for shapes that hold nothing or more than can be counted. */
static smr_status measure(smr_ctx *ctx, const char *name, const smr_file_array *a, int64_t *n_rows,
                          int64_t *n_cols)
{
    if (a->n_dims == 0)
        return smr_fail(ctx, SMR_ERR_SHAPE, "%s: a single number, not a table", name);
    int64_t n = 1;
    for (int k = 0; k < a->n_dims; k++) {
        if (a->shape[k] == 0)
            return smr_fail(ctx, SMR_ERR_SHAPE, "%s: an array without numbers (dimension %d is 0)",
                            name, k);
        if (a->shape[k] > INT64_MAX / 16 / n)
            return smr_fail(ctx, SMR_ERR_SHAPE,
                            "%s: the shape has more numbers than any file can hold", name);
        n *= a->shape[k];
    }
    *n_rows = a->shape[0];
    *n_cols = n / a->shape[0];
    if (*n_cols > SMR_MAX_DIM)
        return smr_fail(ctx, SMR_ERR_SHAPE,
                        "%s: rows of %" PRId64 " numbers; at most %d columns are possible", name,
                        *n_cols, (int)SMR_MAX_DIM);
    return SMR_OK;
}

/* Which n_rows neighbours in Fortran order are number j of the item in C order. */
static int64_t fortran_place(const smr_file_array *a, int64_t j)
{
    int64_t place = 0, rest = j, index[SMR_ARRAY_DIMS];
    for (int k = a->n_dims - 1; k > 0; k--) {
        index[k] = rest % a->shape[k];
        rest /= a->shape[k];
    }
    for (int k = a->n_dims - 1; k > 0; k--) place = place * a->shape[k] + index[k];
    return place;
}

static void lay_columns(smr_table *t, const smr_file_array *a, char *block)
{
    smr_dtype dtype = smr_element_dtype(a->element);
    int64_t size = (int64_t)smr_dtype_size(dtype);
    for (int64_t j = 0; j < t->n_cols; j++) {
        smr_column *c = &t->cols[j];
        c->kind = SMR_NUMBER;
        c->dtype = dtype;
        c->stride = a->fortran ? 1 : t->n_cols;
        c->values = block + size * (a->fortran ? t->n_rows * fortran_place(a, j) : j);
    }
    for (int k = 1; a->n_dims > 2 && a->n_dims <= 4 && k < a->n_dims; k++)
        t->item_shape[k - 1] = a->shape[k];
}

static smr_status write_notes(smr_ctx *ctx, smr_table *t, smr_source *source,
                              const smr_file_array *a)
{
    smr_text notes = {.ctx = ctx};
    smr_text_printf(&notes, "format: %s\ndtype: %c%d", a->format, a->element.kind, a->element.size);
    if (a->has_order)
        smr_text_printf(&notes, "%s\norder: %s", a->element.big_endian ? " big-endian" : "",
                        a->fortran ? "columns" : "rows");
    smr_text_add(&notes, "\nshape: ");
    for (int k = 0; k < a->n_dims; k++)
        smr_text_printf(&notes, "%s%" PRId64, k ? " x " : "", a->shape[k]);
    smr_text_add(&notes, "\n");
    smr_status st = smr_table_sign(t, source, &notes);
    smr_text_release(&notes);
    return st;
}

smr_status smr_array_read(smr_ctx *ctx, smr_source *source, const smr_file_array *a,
                          smr_table **out)
{
    smr_status st = SMR_OK;
    smr_table *t = NULL;
    void *block = NULL;
    int64_t n_rows = 0, n_cols = 0, n_nan = 0;
    TRY(measure(ctx, smr_source_name(source), a, &n_rows, &n_cols));
    TRY(smr_block_read(ctx, source, a->begin, a->element, n_rows * n_cols, &block, &n_nan));
    TRY(smr_table_new(ctx, n_rows, n_cols, &t));
    TRY(smr_table_number_names(ctx, t, 0, n_cols, 0));
    lay_columns(t, a, block);
    TRY(smr_table_own(ctx, t, block));
    block = NULL;
    if (n_nan) TRY(smr_table_scan(ctx, t, NULL));
    TRY(write_notes(ctx, t, source, a));
    *out = t;
    t = NULL;
out:
    smr_table_free(t);
    smr_free(block);
    return st;
}
