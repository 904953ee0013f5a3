/* png_write.c -- samples of 8 bits as a PNG file.
 *
 * With a palette a pixel takes 1, 2, 4 or 8 bits, as few as name its colours, and rows are not
 * filtered.  Else each row has the filter whose bytes, taken as signed numbers, have the smallest
 * sum of absolute values, the first of those that tie.  The bytes depend on the version of zlib;
 * the pixels do not. */
#include "data/picture_parts.h"

#ifndef SMR_NO_ZLIB

#include "data/zlib_lend.h"

#include <limits.h>
#include <string.h>

enum { LEVEL = 9, FILTERS = 5, STEP = 64 << 10 };

static void add_number(smr_text *out, uint32_t x)
{
    const uint8_t b[] = {(uint8_t)(x >> 24), (uint8_t)(x >> 16), (uint8_t)(x >> 8), (uint8_t)x};
    smr_text_add_bytes(out, (const char *)b, 4);
}

static void add_chunk(smr_text *out, const char *type, const uint8_t *data, int64_t n)
{
    uLong crc = crc32(crc32(0, NULL, 0), (const Bytef *)type, 4);
    add_number(out, (uint32_t)n);
    smr_text_add_bytes(out, type, 4);
    if (n) smr_text_add_bytes(out, (const char *)data, n);
    add_number(out, (uint32_t)(n ? crc32(crc, data, (uInt)n) : crc));
}

static int depth_of(const smr_png *p)
{
    if (!p->n_colours) return 8;
    return p->n_colours <= 2 ? 1 : p->n_colours <= 4 ? 2 : p->n_colours <= 16 ? 4 : 8;
}

/* ---- rows --------------------------------------------------------------------------------- */

static void pack_row(const smr_png *p, const uint8_t *from, uint8_t *to)
{
    int depth = depth_of(p), in_byte = 8 / depth;
    memset(to, 0, (size_t)((p->width + in_byte - 1) / in_byte));
    for (int64_t i = 0; i < p->width; i++)
        to[i / in_byte] |= (uint8_t)(from[i] << (8 - depth * (1 + i % in_byte)));
}

static void filter_row(int filter, const uint8_t *above, const uint8_t *row, int64_t n, int step,
                       uint8_t *to)
{
    for (int64_t i = 0; i < n; i++) {
        int left = i < step ? 0 : row[i - step], corner = above && i >= step ? above[i - step] : 0;
        int up = above ? above[i] : 0;
        int take = filter == 0   ? 0
                   : filter == 1 ? left
                   : filter == 2 ? up
                   : filter == 3 ? (left + up) / 2
                                 : smr_png_paeth(left, up, corner);
        to[i] = (uint8_t)(row[i] - take);
    }
}

static int64_t size_of(const uint8_t *bytes, int64_t n)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++) sum += bytes[i] < 128 ? bytes[i] : 256 - bytes[i];
    return sum;
}

/* The filter's number and the filtered row; work: room for another. */
static void choose_filter(const smr_png *p, const uint8_t *above, const uint8_t *row, int64_t n,
                          uint8_t *work, uint8_t *to)
{
    int64_t least = INT64_MAX;
    for (int filter = 0; filter < FILTERS; filter++) {
        filter_row(filter, above, row, n, p->channels, work);
        int64_t size = size_of(work, n);
        if (size >= least) continue;
        least = size;
        to[0] = (uint8_t)filter;
        memcpy(to + 1, work, (size_t)n);
    }
}

/* ---- the stream ---------------------------------------------------------------------------- */

struct packer {
    z_stream z;
    uint8_t buffer[STEP];
    smr_text *packed;
};

static smr_status deflate_bytes(smr_ctx *ctx, struct packer *k, const uint8_t *bytes, int64_t n,
                                bool ends)
{
    int answer;
    k->z.next_in = (z_const Bytef *)(uintptr_t)bytes;
    k->z.avail_in = (uInt)n;
    do {
        k->z.next_out = k->buffer;
        k->z.avail_out = STEP;
        answer = deflate(&k->z, ends ? Z_FINISH : Z_NO_FLUSH);
        smr_text_add_bytes(k->packed, (const char *)k->buffer, STEP - k->z.avail_out);
    } while (k->z.avail_out == 0 && answer == Z_OK);
    if (answer == Z_OK || answer == Z_STREAM_END || answer == Z_BUF_ERROR) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_INTERNAL, "zlib could not pack pixels (code %d)", answer);
}

static smr_status pack_pixels(smr_ctx *ctx, const smr_png *p, smr_text *packed)
{
    smr_status st = SMR_OK;
    struct packer *k = NULL;
    bool begun = false;
    int64_t row = p->width * p->channels, n = p->n_colours ? (p->width * depth_of(p) + 7) / 8 : row;
    uint8_t *work = NULL, *line = NULL;
    TRY_NEW(k, 1);
    TRY_NEW(work, n + 1);
    TRY_NEW(line, n + 1);
    k->packed = packed;
    smr_zlib_lend(ctx, &k->z);
    if (deflateInit(&k->z, LEVEL) != Z_OK) TRY(SMR_ERR_NOMEM);
    begun = true;
    for (int64_t y = 0; y < p->height; y++) {
        const uint8_t *from = p->values + y * row;
        line[0] = 0;
        if (p->n_colours)
            pack_row(p, from, line + 1);
        else
            choose_filter(p, y ? from - row : NULL, from, n, work, line);
        TRY(deflate_bytes(ctx, k, line, n + 1, false));
    }
    TRY(deflate_bytes(ctx, k, line, 0, true));
    TRY(smr_text_done(packed));
    if (packed->length > INT_MAX)
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED, "the picture packs to more than 2 GB of a PNG"));
out:
    if (begun) deflateEnd(&k->z);
    smr_free(k);
    smr_free(work);
    smr_free(line);
    return st;
}

smr_status smr_png_write(smr_ctx *ctx, const smr_png *p, smr_text *out)
{
    static const uint8_t types[] = {3, 0, 4, 2, 6}; /* by channels; 0: a palette */
    smr_status st = SMR_OK;
    smr_text packed = {.ctx = ctx};
    uint8_t header[13] = {0};
    for (int k = 0; k < 4; k++) {
        header[k] = (uint8_t)(p->width >> (24 - 8 * k));
        header[4 + k] = (uint8_t)(p->height >> (24 - 8 * k));
    }
    header[8] = (uint8_t)depth_of(p);
    header[9] = types[p->n_colours ? 0 : p->channels];
    TRY(pack_pixels(ctx, p, &packed));
    smr_text_add_bytes(out, "\x89PNG\r\n\x1a\n", 8);
    add_chunk(out, "IHDR", header, sizeof header);
    if (p->n_colours) add_chunk(out, "PLTE", p->palette, (int64_t)3 * p->n_colours);
    add_chunk(out, "IDAT", (const uint8_t *)packed.bytes, packed.length);
    add_chunk(out, "IEND", NULL, 0);
    TRY(smr_text_done(out));
out:
    smr_text_release(&packed);
    return st;
}

#else

smr_status smr_png_write(smr_ctx *ctx, const smr_png *png, smr_text *out)
{
    (void)png;
    (void)out;
    return smr_fail(ctx, SMR_ERR_UNSUPPORTED, "PNG files need zlib, which this build is without");
}

#endif
