/* npy.c -- NumPy's array files, versions 1 to 3.
 *
 *     "\x93NUMPY" major minor | length of the header: 2 bytes, from version 2 on 4, little endian |
 *     header: a Python dictionary {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } |
 *     the numbers, rows outermost (C order) or innermost (Fortran order)
 *
 * How the dimensions become a table: array.h.  Objects (pickles: they are programs) and records are
 * refused. */
#include "data/array.h"
#include "data/formats.h"
#include "data/scan.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_HEADER = 1 << 16, MAGIC = 6 };

struct header {
    smr_file_array array;
    bool has_descr, has_order, has_shape;
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
            h->array.element =
                (smr_element){.kind = d[1],
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
        if (h->array.n_dims == SMR_ARRAY_DIMS)
            return smr_fail(ctx, SMR_ERR_FORMAT, "%s: more than %d dimensions", s->name,
                            SMR_ARRAY_DIMS);
        h->array.shape[h->array.n_dims++] = size;
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
            h->array.fortran = accept_word(s, "True");
            if (!h->array.fortran && !accept_word(s, "False")) TRY(broken(ctx, s));
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

static smr_status read_header(smr_ctx *ctx, smr_source *source, struct header *h)
{
    smr_status st = SMR_OK;
    const char *name = smr_source_name(source);
    unsigned char lead[MAGIC + 2], length[4] = {0};
    char *text = NULL;
    TRY(smr_array_header(ctx, source, "NPY", lead, MAGIC + 2));
    if (memcmp(lead, "\x93NUMPY", MAGIC) != 0)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s: not an NPY file", name));
    int version = lead[MAGIC], width = version == 1 ? 2 : 4;
    if (version < 1 || version > 3)
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                     "%s: NPY version %d.%d is unknown; versions 1 to 3 can be read", name, version,
                     lead[MAGIC + 1]));
    TRY(smr_array_header(ctx, source, "NPY", length, width));
    int64_t n = length[0] | length[1] << 8 | length[2] << 16 | (int64_t)length[3] << 24;
    if (n > MAX_HEADER)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT,
                     "%s: an NPY header of %" PRId64 " bytes; at most %d are read", name, n,
                     MAX_HEADER));
    TRY_NEW(text, n + SMR_SCAN_PAD);
    TRY(smr_array_header(ctx, source, "NPY", text, n));
    struct scanner s = {.p = text, .end = text + n, .name = name};
    TRY(parse_header(ctx, &s, h));
    h->array.begin = MAGIC + 2 + width + n;
out:
    smr_free(text);
    return st;
}

smr_status smr_npy_read(smr_ctx *ctx, smr_source *source, const smr_read_opts *opts,
                        smr_table **out)
{
    smr_status st = SMR_OK;
    struct header h = {.array = {.format = "npy", .has_order = true}};
    (void)opts;
    *out = NULL;
    TRY(read_header(ctx, source, &h));
    TRY(smr_array_read(ctx, source, &h.array, out));
out:
    return st;
}
