/* idx.c -- the files of MNIST: a header and big-endian numbers, rows outermost.
 *
 *     0 0 type n_dims | n_dims sizes, 4 bytes each, big endian | the numbers
 *     type: 8 unsigned byte, 9 signed byte, 11 short, 12 int, 13 float, 14 double
 *
 * The first dimension counts the rows (pictures), the others are the shape of an item, whose
 * numbers become columns named by position.
 * Reference: LeCun, Cortes & Burges, The MNIST database, 1998. */
#include "data/block.h"
#include "data/formats.h"
#include "data/hash.h"

#include <inttypes.h>

enum { MAX_DIMS = 8 };

struct header {
    smr_element element;
    int n_dims;
    int64_t shape[MAX_DIMS];
    int64_t n_cols;
};

static smr_status read_exactly(smr_ctx *ctx, smr_source *source, unsigned char *to, int64_t n)
{
    smr_status st = SMR_OK;
    for (int64_t got = 0, more = 0; got < n; got += more) {
        TRY(smr_source_read(ctx, source, (char *)to + got, n - got, &more));
        if (more == 0)
            TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s: truncated in the IDX header",
                         smr_source_name(source)));
    }
out:
    return st;
}

static smr_element element_of(int type)
{
    switch (type) {
    case 8: return (smr_element){'u', 1, true};
    case 9: return (smr_element){'i', 1, true};
    case 11: return (smr_element){'i', 2, true};
    case 12: return (smr_element){'i', 4, true};
    case 13: return (smr_element){'f', 4, true};
    case 14: return (smr_element){'f', 8, true};
    default: return (smr_element){0};
    }
}

static smr_status check_shape(smr_ctx *ctx, const char *name, struct header *h)
{
    int64_t n = 1;
    for (int k = 0; k < h->n_dims; k++) {
        if (h->shape[k] == 0)
            return smr_fail(ctx, SMR_ERR_SHAPE,
                            "%s: an IDX file without numbers (dimension %d is 0)", name, k);
        if (h->shape[k] > INT64_MAX / 16 / n)
            return smr_fail(ctx, SMR_ERR_SHAPE,
                            "%s: the shape has more numbers than any file can hold", name);
        n *= h->shape[k];
    }
    h->n_cols = n / h->shape[0];
    if (h->n_cols > SMR_MAX_DIM)
        return smr_fail(ctx, SMR_ERR_SHAPE,
                        "%s: items of %" PRId64 " numbers; at most %d columns are possible", name,
                        h->n_cols, (int)SMR_MAX_DIM);
    return SMR_OK;
}

static smr_status read_header(smr_ctx *ctx, smr_source *source, struct header *h)
{
    smr_status st = SMR_OK;
    const char *name = smr_source_name(source);
    unsigned char lead[4], size[4 * MAX_DIMS];
    TRY(read_exactly(ctx, source, lead, 4));
    h->element = element_of(lead[2]);
    h->n_dims = lead[3];
    if (lead[0] || lead[1] || !h->element.size)
        TRY(smr_fail(
            ctx, SMR_ERR_FORMAT,
            "%s: not an IDX file: it begins with bytes %d %d %d %d, not 0 0, a type (8, 9, "
            "11..14) and the number of dimensions",
            name, lead[0], lead[1], lead[2], lead[3]));
    if (h->n_dims < 1 || h->n_dims > MAX_DIMS)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s: an IDX file of %d dimensions; 1 to %d can be read",
                     name, h->n_dims, MAX_DIMS));
    TRY(read_exactly(ctx, source, size, 4 * h->n_dims));
    for (int k = 0; k < h->n_dims; k++) {
        const unsigned char *b = size + 4 * k;
        h->shape[k] = (int64_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
    }
    TRY(check_shape(ctx, name, h));
out:
    return st;
}

static void lay_columns(smr_table *t, const struct header *h, char *block)
{
    smr_dtype dtype = smr_element_dtype(h->element);
    for (int64_t j = 0; j < t->n_cols; j++) {
        smr_column *c = &t->cols[j];
        c->kind = SMR_NUMBER;
        c->dtype = dtype;
        c->stride = t->n_cols;
        c->values = block + (size_t)j * smr_dtype_size(dtype);
    }
    for (int k = 1; h->n_dims <= 4 && k < h->n_dims; k++) t->item_shape[k - 1] = h->shape[k];
}

static smr_status write_notes(smr_ctx *ctx, smr_table *t, smr_source *source,
                              const struct header *h)
{
    smr_text notes = {.ctx = ctx};
    smr_text_printf(&notes, "format: idx\ndtype: %c%d\nshape: ", h->element.kind, h->element.size);
    for (int k = 0; k < h->n_dims; k++)
        smr_text_printf(&notes, "%s%" PRId64, k ? " x " : "", h->shape[k]);
    smr_text_add(&notes, "\n");
    smr_status st = smr_table_sign(t, source, &notes);
    smr_text_release(&notes);
    return st;
}

smr_status smr_idx_read(smr_ctx *ctx, smr_source *source, const smr_read_opts *opts,
                        smr_table **out)
{
    smr_status st = SMR_OK;
    struct header h = {0};
    smr_table *t = NULL;
    void *block = NULL;
    int64_t n_nan = 0;
    (void)opts;
    *out = NULL;
    TRY(read_header(ctx, source, &h));
    TRY(smr_block_read(ctx, source, 4 + 4 * h.n_dims, h.element, h.shape[0] * h.n_cols, &block,
                       &n_nan));
    TRY(smr_table_create(ctx, h.shape[0], h.n_cols, &t));
    TRY(smr_table_number_names(ctx, t, 0, h.n_cols, 0));
    lay_columns(t, &h, block);
    TRY(smr_table_own(ctx, t, block));
    block = NULL;
    if (n_nan) TRY(smr_table_scan(ctx, t, NULL));
    TRY(write_notes(ctx, t, source, &h));
    *out = t;
    t = NULL;
out:
    smr_table_free(t);
    smr_free(block);
    return st;
}
