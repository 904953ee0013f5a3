/* idx.c -- the files of MNIST: a header and big-endian numbers, rows outermost.
 *
 *     0 0 type n_dims | n_dims sizes, 4 bytes each, big endian | the numbers
 *     type: 8 unsigned byte, 9 signed byte, 11 short, 12 int, 13 float, 14 double
 *
 * How the dimensions become a table: array.h.
 * Reference: LeCun, Cortes & Burges, The MNIST database, 1998. */
#include "data/array.h"
#include "data/formats.h"

enum { MAX_DIMS = 8 };

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

static smr_status read_header(smr_ctx *ctx, smr_source *source, smr_file_array *a)
{
    smr_status st = SMR_OK;
    const char *name = smr_source_name(source);
    unsigned char lead[4], size[4 * MAX_DIMS];
    TRY(smr_array_header(ctx, source, "IDX", lead, 4));
    a->element = element_of(lead[2]);
    a->n_dims = lead[3];
    if (lead[0] || lead[1] || !a->element.size)
        TRY(smr_fail(
            ctx, SMR_ERR_FORMAT,
            "%s: not an IDX file: it begins with bytes %d %d %d %d, not 0 0, a type (8, 9, "
            "11..14) and the number of dimensions",
            name, lead[0], lead[1], lead[2], lead[3]));
    if (a->n_dims < 1 || a->n_dims > MAX_DIMS)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s: an IDX file of %d dimensions; 1 to %d can be read",
                     name, a->n_dims, MAX_DIMS));
    TRY(smr_array_header(ctx, source, "IDX", size, 4 * a->n_dims));
    for (int k = 0; k < a->n_dims; k++) {
        const unsigned char *b = size + 4 * k;
        a->shape[k] = (int64_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
    }
    a->begin = 4 + 4 * a->n_dims;
out:
    return st;
}

smr_status smr_idx_read(smr_ctx *ctx, smr_source *source, const smr_read_opts *opts,
                        smr_table **out)
{
    smr_status st = SMR_OK;
    smr_file_array a = {.format = "idx"};
    (void)opts;
    *out = NULL;
    TRY(read_header(ctx, source, &a));
    TRY(smr_array_read(ctx, source, &a, out));
out:
    return st;
}
