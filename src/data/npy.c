/* npy.c -- NumPy's array files, versions 1 to 3.
 *
 *     "\x93NUMPY" major minor | length of the header: 2 bytes, from version 2 on 4, little endian |
 *     header: a Python dictionary {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } |
 *     the numbers, rows outermost (C order) or innermost (Fortran order)
 *
 * One dimension is one column; two are rows and columns; of more, the first counts the rows and the
 * others are the shape of an item, whose numbers become columns in C order.  The numbers stay where
 * they were read to: in C order a column is every n_cols-th of them, in Fortran order n_rows
 * neighbours.  Objects (pickles: they are programs) and records are refused. */
#include "data/block.h"
#include "data/formats.h"
#include "data/hash.h"
#include "data/scan.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_DIMS = 32, MAX_HEADER = 1 << 16, MAGIC = 6 };

struct header {
    smr_element element;
    bool fortran;
    int n_dims;
    int64_t shape[MAX_DIMS];
    bool has_descr, has_order, has_shape;
    int64_t bytes; /* where the numbers begin */
};

/* ---- the header ------------------------------------------------------------------------- */

struct scanner {
    const char *p, *end;
    const char *name;
};

static smr_status broken(smr_ctx *ctx, const struct scanner *s)
{
    char shown[48];
    return smr_fail(ctx, SMR_ERR_FORMAT, "%s: the NPY header cannot be understood at '%s'", s->name,
                    smr_scan_show(s->p, s->end, shown));
}

static void skip_blanks(struct scanner *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n')) s->p++;
}

static bool accept(struct scanner *s, char c)
{
    skip_blanks(s);
    if (s->p == s->end || *s->p != c) return false;
    s->p++;
    return true;
}

static bool accept_word(struct scanner *s, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(s);
    if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0) return false;
    s->p += n;
    return true;
}

/* A quoted string of at most 15 bytes; longer ones mean nothing here. */
static bool accept_string(struct scanner *s, char out[16])
{
    skip_blanks(s);
    if (s->p == s->end || (*s->p != '\'' && *s->p != '"')) return false;
    const char *from = s->p + 1;
    const char *to = memchr(from, *s->p, (size_t)(s->end - from));
    if (!to || to - from > 15) return false;
    memcpy(out, from, (size_t)(to - from));
    out[to - from] = '\0';
    s->p = to + 1;
    return true;
}

static smr_status parse_descr(smr_ctx *ctx, struct scanner *s, struct header *h)
{
    char d[16];
    skip_blanks(s);
    if (s->p < s->end && *s->p == '[')
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "%s: the array holds records; save each field as an array of its own",
                        s->name);
    if (!accept_string(s, d)) return broken(ctx, s);
    if (d[0] && strchr("|<>=", d[0]) && (d[1] == 'O'))
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "%s: the array holds pickled Python objects, which are programs, not "
                        "numbers; save it with a number dtype",
                        s->name);
    static const char *const known[] = {"f2", "f4", "f8", "i1", "i2", "i4",
                                        "i8", "u1", "u2", "u4", "u8", "b1"};
    for (int64_t k = 0; k < SMR_COUNT(known); k++)
        if (d[0] && strchr("|<>=", d[0]) && !strcmp(d + 1, known[k])) {
            bool host_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
            h->element = (smr_element){.kind = d[1],
                                       .size = d[2] - '0',
                                       .big_endian = d[0] == '>' || (d[0] == '=' && host_big)};
            h->has_descr = true;
            return SMR_OK;
        }
    return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                    "%s: the array's dtype '%s' cannot be read; known are f2 f4 f8, i1 i2 i4 i8, "
                    "u1 u2 u4 u8 and b1",
                    s->name, d);
}

static smr_status parse_shape(smr_ctx *ctx, struct scanner *s, struct header *h)
{
    if (!accept(s, '(')) return broken(ctx, s);
    while (!accept(s, ')')) {
        int64_t size;
        const char *next = smr_parse_int(s->p, s->end, &size);
        if (!next || size < 0) return broken(ctx, s);
        if (h->n_dims == MAX_DIMS)
            return smr_fail(ctx, SMR_ERR_FORMAT, "%s: more than %d dimensions", s->name, MAX_DIMS);
        h->shape[h->n_dims++] = size;
        s->p = next;
        if (!accept(s, ',')) {
            if (!accept(s, ')')) return broken(ctx, s);
            break;
        }
    }
    h->has_shape = true;
    return SMR_OK;
}

static smr_status parse_header(smr_ctx *ctx, struct scanner *s, struct header *h)
{
    smr_status st = SMR_OK;
    if (!accept(s, '{')) TRY(broken(ctx, s));
    while (!accept(s, '}')) {
        char key[16];
        if (!accept_string(s, key) || !accept(s, ':')) TRY(broken(ctx, s));
        if (!strcmp(key, "descr") && !h->has_descr) {
            TRY(parse_descr(ctx, s, h));
        } else if (!strcmp(key, "shape") && !h->has_shape) {
            TRY(parse_shape(ctx, s, h));
        } else if (!strcmp(key, "fortran_order") && !h->has_order) {
            h->fortran = accept_word(s, "True");
            if (!h->fortran && !accept_word(s, "False")) TRY(broken(ctx, s));
            h->has_order = true;
        } else {
            TRY(broken(ctx, s));
        }
        if (!accept(s, ',')) {
            if (!accept(s, '}')) TRY(broken(ctx, s));
            break;
        }
    }
    if (!h->has_descr || !h->has_order || !h->has_shape)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s: the NPY header lacks descr, fortran_order or shape",
                     s->name));
out:
    return st;
}

static smr_status read_exactly(smr_ctx *ctx, smr_source *source, char *to, int64_t n)
{
    smr_status st = SMR_OK;
    for (int64_t got = 0, more = 0; got < n; got += more) {
        TRY(smr_source_read(ctx, source, to + got, n - got, &more));
        if (more == 0)
            TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s: truncated in the NPY header",
                         smr_source_name(source)));
    }
out:
    return st;
}

static smr_status read_header(smr_ctx *ctx, smr_source *source, struct header *h)
{
    smr_status st = SMR_OK;
    const char *name = smr_source_name(source);
    unsigned char lead[MAGIC + 2], length[4] = {0};
    char *text = NULL;
    TRY(read_exactly(ctx, source, (char *)lead, MAGIC + 2));
    if (memcmp(lead, "\x93NUMPY", MAGIC) != 0)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s: not an NPY file", name));
    int version = lead[MAGIC], width = version == 1 ? 2 : 4;
    if (version < 1 || version > 3)
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                     "%s: NPY version %d.%d is unknown; versions 1 to 3 can be read", name, version,
                     lead[MAGIC + 1]));
    TRY(read_exactly(ctx, source, (char *)length, width));
    int64_t n = length[0] | length[1] << 8 | length[2] << 16 | (int64_t)length[3] << 24;
    if (n > MAX_HEADER)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT,
                     "%s: an NPY header of %" PRId64 " bytes; at most %d are read", name, n,
                     MAX_HEADER));
    TRY_NEW(text, n + SMR_SCAN_PAD);
    TRY(read_exactly(ctx, source, text, n));
    struct scanner s = {.p = text, .end = text + n, .name = name};
    TRY(parse_header(ctx, &s, h));
    h->bytes = MAGIC + 2 + width + n;
out:
    smr_free(text);
    return st;
}

/* ---- the table -------------------------------------------------------------------------- */

/* Rows and columns; fails for shapes that hold nothing or more than can be counted. */
static smr_status measure(smr_ctx *ctx, const char *name, const struct header *h, int64_t *n_rows,
                          int64_t *n_cols)
{
    if (h->n_dims == 0)
        return smr_fail(ctx, SMR_ERR_SHAPE, "%s: a single number, not a table", name);
    int64_t n = 1;
    for (int k = 0; k < h->n_dims; k++) {
        if (h->shape[k] == 0)
            return smr_fail(ctx, SMR_ERR_SHAPE, "%s: an array without numbers (dimension %d is 0)",
                            name, k);
        if (h->shape[k] > INT64_MAX / 16 / n)
            return smr_fail(ctx, SMR_ERR_SHAPE,
                            "%s: the shape has more numbers than any file can hold", name);
        n *= h->shape[k];
    }
    *n_rows = h->shape[0];
    *n_cols = n / h->shape[0];
    if (*n_cols > SMR_MAX_DIM)
        return smr_fail(ctx, SMR_ERR_SHAPE,
                        "%s: rows of %" PRId64 " numbers; at most %d columns are possible", name,
                        *n_cols, (int)SMR_MAX_DIM);
    return SMR_OK;
}

/* Which n_rows neighbours in Fortran order are the item's number j in C order. */
static int64_t fortran_place(const struct header *h, int64_t j)
{
    int64_t place = 0, rest = j, index[MAX_DIMS];
    for (int k = h->n_dims - 1; k > 0; k--) {
        index[k] = rest % h->shape[k];
        rest /= h->shape[k];
    }
    for (int k = h->n_dims - 1; k > 0; k--) place = place * h->shape[k] + index[k];
    return place;
}

static void lay_columns(smr_table *t, const struct header *h, char *block)
{
    smr_dtype dtype = smr_element_dtype(h->element);
    int64_t size = (int64_t)smr_dtype_size(dtype);
    for (int64_t j = 0; j < t->n_cols; j++) {
        smr_column *c = &t->cols[j];
        c->kind = SMR_NUMBER;
        c->dtype = dtype;
        c->stride = h->fortran ? 1 : t->n_cols;
        c->values = block + size * (h->fortran ? t->n_rows * fortran_place(h, j) : j);
    }
    for (int k = 1; h->n_dims > 2 && h->n_dims <= 4 && k < h->n_dims; k++)
        t->item_shape[k - 1] = h->shape[k];
}

static smr_status write_notes(smr_ctx *ctx, smr_table *t, smr_source *source,
                              const struct header *h)
{
    smr_text notes = {.ctx = ctx};
    smr_text_printf(&notes, "format: npy\ndtype: %c%d%s\norder: %s\nshape: ", h->element.kind,
                    h->element.size, h->element.big_endian ? " big-endian" : "",
                    h->fortran ? "columns" : "rows");
    for (int k = 0; k < h->n_dims; k++)
        smr_text_printf(&notes, "%s%" PRId64, k ? " x " : "", h->shape[k]);
    smr_text_add(&notes, "\n");
    smr_status st = smr_table_sign(t, source, &notes);
    smr_text_release(&notes);
    return st;
}

smr_status smr_npy_read(smr_ctx *ctx, smr_source *source, const smr_read_opts *opts,
                        smr_table **out)
{
    smr_status st = SMR_OK;
    struct header h = {0};
    smr_table *t = NULL;
    void *block = NULL;
    int64_t n_rows = 0, n_cols = 0, n_nan = 0;
    (void)opts;
    *out = NULL;
    TRY(read_header(ctx, source, &h));
    TRY(measure(ctx, smr_source_name(source), &h, &n_rows, &n_cols));
    TRY(smr_block_read(ctx, source, h.bytes, h.element, n_rows * n_cols, &block, &n_nan));
    TRY(smr_table_create(ctx, n_rows, n_cols, &t));
    TRY(smr_table_number_names(ctx, t, 0, n_cols, 0));
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
