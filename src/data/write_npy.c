/* write_npy.c -- tables of numbers as NumPy arrays, rows outermost, little endian, version 1.
 *
 * Columns of one dtype keep it, else all become doubles.  One column is a vector, pictures keep
 * their item shape.  A category whose levels are all numbers ("0", "1", ...) is written as them;
 * other strings and dates have no place in an array of numbers and are refused. */
#include "core/number.h"
#include "data/formats.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct npy {
    const smr_table *table;
    smr_dtype dtype;
    double **level; /* of each column: what its levels are as numbers; NULL for a number column */
};

/* *out = the levels of a category as numbers, or NULL when one is not a number. */
static smr_status read_levels(smr_ctx *ctx, const smr_strings *levels, double **out)
{
    smr_status st = SMR_OK;
    TRY_NEW(*out, levels->n + 1);
    for (int64_t k = 0; k < levels->n; k++) {
        int64_t n;
        const char *text = smr_strings_get(levels, k, &n);
        if (n > 0 && smr_parse_double(text, text + n, &(*out)[k]) == text + n) continue;
        smr_free(*out);
        *out = NULL;
        break;
    }
out:
    return st;
}

static smr_status choose_dtype(smr_ctx *ctx, struct npy *w)
{
    const smr_table *t = w->table;
    smr_status st = SMR_OK;
    TRY_NEW(w->level, t->n_cols + 1);
    w->dtype = t->n_cols && !t->sparse.n_cols ? t->cols[0].dtype : SMR_F64;
    for (int64_t j = 0; j < t->n_cols; j++) {
        const smr_column *c = &t->cols[j];
        if (c->kind == SMR_CATEGORY) TRY(read_levels(ctx, &c->levels, &w->level[j]));
        if (c->kind != SMR_NUMBER && !w->level[j])
            return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                            "column '%.100s' does not hold numbers, and an NPY file holds nothing "
                            "else; leave it out with --type '%.100s=ignore', or write CSV or ARFF",
                            c->name, c->name);
        if (c->dtype != w->dtype || w->level[j]) w->dtype = SMR_F64;
    }
    if (w->dtype == SMR_I64) w->dtype = SMR_F64;
out:
    return st;
}

static void add_shape(smr_text *header, const smr_table *t)
{
    int64_t items = 1, n_cols = t->n_cols + t->sparse.n_cols;
    for (int k = 0; k < 4 && t->item_shape[k]; k++) items *= t->item_shape[k];
    smr_text_printf(header, "(%" PRId64 ",", t->n_rows);
    if (t->item_shape[0] && items == n_cols) {
        for (int k = 0; k < 4 && t->item_shape[k]; k++)
            smr_text_printf(header, " %" PRId64 ",", t->item_shape[k]);
    } else if (n_cols != 1) {
        smr_text_printf(header, " %" PRId64, n_cols);
    }
    smr_text_add(header, ")");
}

/* The header, padded with blanks so that the numbers begin at a multiple of 64. */
static smr_status write_header(smr_ctx *ctx, const struct npy *w, smr_sink *sink)
{
    static const char *const descr[] = {"<f8", "<f4", "|u1", "<i4"};
    static const char blanks[64] =
        "                                                               ";
    smr_status st = SMR_OK;
    smr_text header = {.ctx = ctx};
    smr_text_printf(&header, "{'descr': '%s', 'fortran_order': False, 'shape': ", descr[w->dtype]);
    add_shape(&header, w->table);
    smr_text_add(&header, ", }");
    int64_t pad = 63 - (10 + header.length) % 64;
    smr_text_add_bytes(&header, blanks, pad);
    smr_text_add(&header, "\n");
    TRY(smr_text_done(&header));
    char lead[10] = "\x93NUMPY\x01";
    lead[8] = (char)(header.length & 255);
    lead[9] = (char)(header.length >> 8);
    TRY(smr_sink_write(ctx, sink, lead, sizeof lead));
    TRY(smr_sink_write(ctx, sink, header.bytes, header.length));
out:
    smr_text_release(&header);
    return st;
}

/* Little-endian bytes of one value. */
static void put_bytes(char *to, const void *value, size_t size)
{
    memcpy(to, value, size);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (size_t k = 0; k < size / 2; k++) {
        char swap = to[k];
        to[k] = to[size - 1 - k];
        to[size - 1 - k] = swap;
    }
#endif
}

static void put_value(const struct npy *w, int64_t j, int64_t i, char *to)
{
    const smr_column *c = &w->table->cols[j];
    size_t size = smr_dtype_size(w->dtype);
    if (w->level[j]) {
        int32_t code = smr_column_code(c, i);
        double x = code < 0 ? NAN : w->level[j][code];
        put_bytes(to, &x, size);
    } else if (c->dtype == w->dtype) { /* bit for bit, NaN included */
        put_bytes(to, (const char *)c->values + (size_t)(i * c->stride) * size, size);
    } else {
        double x = smr_column_number(c, i);
        put_bytes(to, &x, size);
    }
}

static void format_rows(const void *arg, int64_t lo, int64_t hi, smr_text *out)
{
    const struct npy *w = arg;
    const smr_table *t = w->table;
    const smr_csr *x = &t->sparse;
    int64_t size = (int64_t)smr_dtype_size(w->dtype), row = (t->n_cols + x->n_cols) * size;
    if (!smr_text_reserve(out, (hi - lo) * row)) return;
    for (int64_t i = lo; i < hi; i++) {
        char *to = out->bytes + out->length;
        for (int64_t j = 0; j < t->n_cols; j++) put_value(w, j, i, to + j * size);
        if (x->n_cols) {
            to += t->n_cols * size;
            memset(to, 0, (size_t)(x->n_cols * size));
            for (int64_t e = x->start[i]; e < x->start[i + 1]; e++)
                put_bytes(to + x->column[e] * size, &x->value[e], (size_t)size);
        }
        out->length += row;
    }
}

smr_status smr_npy_write(smr_ctx *ctx, const smr_table *t, smr_sink *sink)
{
    smr_status st = SMR_OK;
    struct npy w = {.table = t};
    TRY(choose_dtype(ctx, &w));
    if (t->sparse.n_cols) TRY(smr_write_check_sparse(ctx, t, "NPY"));
    TRY(write_header(ctx, &w, sink));
    TRY(smr_write_rows(ctx, sink, t->n_rows, smr_write_block(t->n_cols + t->sparse.n_cols),
                       format_rows, &w));
out:
    for (int64_t j = 0; w.level && j < t->n_cols; j++) smr_free(w.level[j]);
    smr_free(w.level);
    return st;
}
