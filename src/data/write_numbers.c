/* write_numbers.c -- see write_numbers.h. */
#include "data/write_numbers.h"

#include "core/number.h"

#include <math.h>
#include <string.h>

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

static smr_status choose_dtype(smr_ctx *ctx, const char *format, smr_numbers *w)
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
                            "column '%.100s' does not hold numbers, and an %s file holds nothing "
                            "else; leave it out with --type '%.100s=ignore', or write CSV or ARFF",
                            c->name, format, c->name);
        if (c->dtype != w->dtype || w->level[j]) w->dtype = SMR_F64;
    }
    if (w->dtype == SMR_I64) w->dtype = SMR_F64;
out:
    return st;
}

smr_status smr_numbers_open(smr_ctx *ctx, const smr_table *table, const char *format,
                            bool big_endian, smr_numbers *out)
{
    smr_status st = SMR_OK;
    *out = (smr_numbers){.table = table, .big_endian = big_endian};
    TRY(choose_dtype(ctx, format, out));
    if (table->sparse.n_cols) TRY(smr_write_check_sparse(ctx, table, format));
out:
    return st;
}

void smr_numbers_close(smr_numbers *w)
{
    for (int64_t j = 0; w->level && j < w->table->n_cols; j++) smr_free(w->level[j]);
    smr_free(w->level);
    w->level = NULL;
}

int smr_numbers_shape(const smr_table *t, int64_t out[5])
{
    int64_t items = 1, n_cols = t->n_cols + t->sparse.n_cols;
    int n = 1;
    out[0] = t->n_rows;
    for (int k = 0; k < 4 && t->item_shape[k]; k++) items *= t->item_shape[k];
    if (t->item_shape[0] && items == n_cols) {
        for (int k = 0; k < 4 && t->item_shape[k]; k++) out[n++] = t->item_shape[k];
    } else if (n_cols != 1) {
        out[n++] = n_cols;
    }
    return n;
}

/* Bytes of one value, in the file's order. */
static void put_bytes(const smr_numbers *w, char *to, const void *value, size_t size)
{
    memcpy(to, value, size);
    if (w->big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)) return;
    for (size_t k = 0; k < size / 2; k++) {
        char swap = to[k];
        to[k] = to[size - 1 - k];
        to[size - 1 - k] = swap;
    }
}

static void put_value(const smr_numbers *w, int64_t j, int64_t i, char *to)
{
    const smr_column *c = &w->table->cols[j];
    size_t size = smr_dtype_size(w->dtype);
    if (w->level[j]) {
        int32_t code = smr_column_code(c, i);
        double x = code < 0 ? NAN : w->level[j][code];
        put_bytes(w, to, &x, size);
    } else if (c->dtype == w->dtype) { /* bit for bit, NaN included */
        put_bytes(w, to, (const char *)c->values + (size_t)(i * c->stride) * size, size);
    } else {
        double x = smr_column_number(c, i);
        put_bytes(w, to, &x, size);
    }
}

static void format_rows(const void *arg, int64_t lo, int64_t hi, smr_text *out)
{
    const smr_numbers *w = arg;
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
                put_bytes(w, to + x->column[e] * size, &x->value[e], (size_t)size);
        }
        out->length += row;
    }
}

smr_status smr_numbers_write(smr_ctx *ctx, const smr_numbers *w, smr_sink *sink)
{
    const smr_table *t = w->table;
    return smr_write_rows(ctx, sink, t->n_rows, smr_write_block(t->n_cols + t->sparse.n_cols),
                          format_rows, w);
}
