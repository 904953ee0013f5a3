/* write_npy.c -- tables of numbers as NumPy arrays, rows outermost, little endian, version 1: what
 * becomes of columns is in write_numbers.h.  One column is a vector, pictures keep their item
 * shape. */
#include "data/write_numbers.h"

#include <inttypes.h>

static void add_shape(smr_text *header, const smr_table *t)
{
    int64_t shape[5];
    int n = smr_numbers_shape(t, shape);
    smr_text_printf(header, "(%" PRId64 ",", shape[0]);
    bool items = t->item_shape[0] && n > 2;
    for (int k = 1; k < n; k++)
        smr_text_printf(header, " %" PRId64 "%s", shape[k], items ? "," : "");
    smr_text_add(header, ")");
}

/* The header, padded with blanks so that the numbers begin at a multiple of 64. */
static smr_status write_header(smr_ctx *ctx, const smr_numbers *w, smr_sink *sink)
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

smr_status smr_npy_write(smr_ctx *ctx, const smr_table *t, smr_sink *sink)
{
    smr_status st = SMR_OK;
    smr_numbers w;
    TRY(smr_numbers_open(ctx, t, "NPY", false, &w));
    TRY(write_header(ctx, &w, sink));
    TRY(smr_numbers_write(ctx, &w, sink));
out:
    smr_numbers_close(&w);
    return st;
}
