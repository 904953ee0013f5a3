/* png.c -- PNG pictures: all colour types and depths, transparency, Adam7.
 *
 *     signature | chunk ...       chunk: length (4) | type (4) | data | CRC-32 of type and data
 *     IHDR  width height depth type 0 0 interlace     PLTE  colours     tRNS  opacity
 *     IDAT ...  one zlib stream: rows, each with a byte that says how it was filtered      IEND
 *
 * Chunks that a reader may pass over (their first letter is small) are passed over, after their CRC
 * was checked; of animations the picture that stands for them is read.
 * Reference: Portable Network Graphics (PNG) Specification, W3C, 2nd edition (2003). */
#include "data/picture_parts.h"

#ifndef SMR_NO_ZLIB

#include "data/zlib_lend.h"

#include <inttypes.h>
#include <string.h>

enum { GREY = 0, RGB = 2, PALETTE = 3, GREY_ALPHA = 4, RGB_ALPHA = 6 };
enum { SIGNATURE = 8, CHUNK_FRAME = 12, MOST_DEFLATED = 1032 }; /* no byte becomes more */

struct png {
    const smr_picture_bytes *file;
    int64_t width, height;
    int depth, type;
    bool interlaced, has_header;
    int n_colours; /* of the palette */
    uint8_t colour[256][4];
    bool has_key; /* one colour is transparent: grey or RGB */
    uint16_t key[3];
    int64_t data_at, data_bytes; /* the first IDAT chunk; bytes in all */
    int64_t at;                  /* the chunk that is next              */
    z_stream z;
    bool unpacks;
    smr_picture *out;
};

typedef struct chunk {
    const uint8_t *type, *data;
    int64_t n;
} chunk;

static smr_status damaged(smr_ctx *ctx, const struct png *p, const char *what)
{
    return smr_fail(ctx, SMR_ERR_FORMAT, "%s: a damaged PNG picture: %s", p->file->name, what);
}

/* ---- chunks ----------------------------------------------------------------------------- */

static smr_status next_chunk(smr_ctx *ctx, struct png *p, chunk *out)
{
    int64_t left = p->file->n - p->at;
    const uint8_t *b = p->file->bytes + p->at;
    if (left < CHUNK_FRAME || smr_big_endian(b, 4) > left - CHUNK_FRAME)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "%s: a truncated PNG picture: %" PRId64 " bytes, and more should follow; "
                        "copy or download it again",
                        p->file->name, p->file->n);
    *out = (chunk){.n = smr_big_endian(b, 4), .type = b + 4, .data = b + 8};
    if (crc32(crc32(0, NULL, 0), out->type, (uInt)(out->n + 4)) !=
        smr_big_endian(out->data + out->n, 4))
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "%s: a damaged PNG picture: the checksum at byte %" PRId64 " is not that "
                        "of the bytes before it; copy or download it again",
                        p->file->name, p->at + 8 + out->n);
    p->at += out->n + CHUNK_FRAME;
    return SMR_OK;
}

static bool is(const chunk *c, const char *type)
{
    return memcmp(c->type, type, 4) == 0;
}

static bool good_depth(int type, int depth)
{
    switch (type) {
    case GREY: return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
    case PALETTE: return depth == 1 || depth == 2 || depth == 4 || depth == 8;
    case RGB:
    case GREY_ALPHA:
    case RGB_ALPHA: return depth == 8 || depth == 16;
    default: return false;
    }
}

static smr_status read_header(smr_ctx *ctx, struct png *p, const chunk *c)
{
    if (!is(c, "IHDR") || c->n != 13) return damaged(ctx, p, "it does not begin with a header");
    p->width = smr_big_endian(c->data, 4);
    p->height = smr_big_endian(c->data + 4, 4);
    p->depth = c->data[8];
    p->type = c->data[9];
    p->interlaced = c->data[12] == 1;
    p->has_header = true;
    if (!good_depth(p->type, p->depth) || c->data[10] || c->data[11] || c->data[12] > 1)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "%s: a damaged PNG picture: its header has depth %d, colour type %d, "
                        "compression %d, filter %d and interlace %d, which no PNG has",
                        p->file->name, p->depth, p->type, c->data[10], c->data[11], c->data[12]);
    return SMR_OK;
}

static smr_status read_palette(smr_ctx *ctx, struct png *p, const chunk *c)
{
    if (c->n % 3 || c->n < 3 || c->n > 768 || p->n_colours || p->data_bytes)
        return damaged(ctx, p, "a palette of that kind, or in that place, is not allowed");
    if (p->type != PALETTE) return SMR_OK; /* a proposal for screens with few colours */
    if (c->n > 3 << p->depth) return damaged(ctx, p, "more colours than its pixels can name");
    p->n_colours = (int)(c->n / 3);
    for (int k = 0; k < p->n_colours; k++) {
        memcpy(p->colour[k], c->data + (ptrdiff_t)3 * k, 3);
        p->colour[k][3] = 255;
    }
    return SMR_OK;
}

static smr_status read_transparency(smr_ctx *ctx, struct png *p, const chunk *c)
{
    int n = p->type == GREY ? 1 : 3;
    if (p->type == GREY_ALPHA || p->type == RGB_ALPHA || p->data_bytes || p->has_key ||
        (p->type == PALETTE ? c->n > p->n_colours : c->n != 2 * n))
        return damaged(ctx, p, "transparency of that kind, or in that place, is not allowed");
    p->has_key = true;
    for (int64_t k = 0; p->type == PALETTE && k < c->n; k++) p->colour[k][3] = c->data[k];
    for (int k = 0; p->type != PALETTE && k < n; k++)
        p->key[k] = (uint16_t)smr_big_endian(c->data + (ptrdiff_t)2 * k, 2);
    return SMR_OK;
}

/* Everything but the pixels. */
static smr_status read_chunks(smr_ctx *ctx, struct png *p)
{
    smr_status st = SMR_OK;
    chunk c;
    bool data_ended = false;
    p->at = SIGNATURE;
    for (;;) {
        int64_t at = p->at;
        TRY(next_chunk(ctx, p, &c));
        if (is(&c, "IEND")) break;
        data_ended |= p->data_at && !is(&c, "IDAT");
        if (!p->has_header) {
            TRY(read_header(ctx, p, &c));
        } else if (is(&c, "PLTE")) {
            TRY(read_palette(ctx, p, &c));
        } else if (is(&c, "tRNS")) {
            TRY(read_transparency(ctx, p, &c));
        } else if (is(&c, "IDAT")) {
            if (data_ended) TRY(damaged(ctx, p, "its pixels are in two places"));
            if (!p->data_at) p->data_at = at;
            p->data_bytes += c.n;
        } else if (!(c.type[0] & 32)) {
            TRY(damaged(ctx, p, "it has a chunk that no reader knows and none may pass over"));
        }
    }
    if (p->at != p->file->n)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT,
                     "%s: %" PRId64 " bytes follow the end of the PNG picture; it is damaged, or "
                     "two files were joined",
                     p->file->name, p->file->n - p->at));
    if (!p->has_header) TRY(damaged(ctx, p, "it has no header"));
    if (!p->data_at) TRY(damaged(ctx, p, "it has no pixels"));
    if (p->type == PALETTE && !p->n_colours) TRY(damaged(ctx, p, "it has no palette"));
out:
    return st;
}

/* ---- the stream of rows ------------------------------------------------------------------ */

static smr_status fail_inflating(smr_ctx *ctx, const struct png *p, int answer)
{
    if (answer == Z_MEM_ERROR)
        return smr_fail(ctx, SMR_ERR_NOMEM, "%s: no memory to unpack its pixels", p->file->name);
    return smr_fail(ctx, SMR_ERR_FORMAT, "%s: a damaged PNG picture: its packed pixels: %s",
                    p->file->name, p->z.msg ? p->z.msg : "unknown cause");
}

/* n bytes of the unpacked stream; *got fewer where it ends. */
static smr_status inflate_bytes(smr_ctx *ctx, struct png *p, uint8_t *to, int64_t n, int64_t *got)
{
    smr_status st = SMR_OK;
    chunk c;
    p->z.next_out = to;
    p->z.avail_out = (uInt)n;
    while (p->z.avail_out > 0) {
        if (p->z.avail_in == 0 && p->data_bytes > 0) {
            TRY(next_chunk(ctx, p, &c));
            p->data_bytes -= c.n;
            p->z.next_in = (z_const Bytef *)(uintptr_t)c.data;
            p->z.avail_in = (uInt)c.n;
            if (c.n == 0) continue;
        }
        int answer = inflate(&p->z, Z_NO_FLUSH);
        if (answer == Z_STREAM_END) break;
        if (answer == Z_BUF_ERROR && p->z.avail_in == 0 && p->data_bytes == 0) break;
        if (answer != Z_OK && answer != Z_BUF_ERROR) TRY(fail_inflating(ctx, p, answer));
    }
    *got = n - p->z.avail_out;
out:
    return st;
}

static int samples_of(int type)
{
    static const int samples[] = {
        [GREY] = 1, [RGB] = 3, [PALETTE] = 1, [GREY_ALPHA] = 2, [RGB_ALPHA] = 4};
    return samples[type];
}

static int64_t row_bytes(const struct png *p, int64_t width)
{
    return (width * samples_of(p->type) * p->depth + 7) / 8;
}

/* Undoes the filter of a row in place; `above` is the row before it, `step` bytes from one pixel
 * to the next. */
static smr_status unfilter(smr_ctx *ctx, const struct png *p, int filter, int64_t n, int64_t step,
                           const uint8_t *above, uint8_t *row)
{
    if (filter > 4) return damaged(ctx, p, "a row is filtered in a way that does not exist");
    for (int64_t i = 0; filter && i < n; i++) {
        int left = i < step ? 0 : row[i - step], up = above[i];
        int corner = i < step ? 0 : above[i - step];
        int add = filter == 1   ? left
                  : filter == 2 ? up
                  : filter == 3 ? (left + up) / 2
                                : smr_png_paeth(left, up, corner);
        row[i] = (uint8_t)(row[i] + add);
    }
    return SMR_OK;
}

/* ---- pixels ------------------------------------------------------------------------------ */

/* Sample i of a row, as it is in the file. */
static unsigned sample_at(const struct png *p, const uint8_t *row, int64_t i)
{
    if (p->depth == 8) return row[i];
    if (p->depth == 16) return smr_big_endian(row + 2 * i, 2);
    int64_t bit = i * p->depth;
    return (unsigned)(row[bit / 8] >> (8 - p->depth - bit % 8)) & ((1U << p->depth) - 1);
}

static void put(const struct png *p, int64_t place, unsigned value)
{
    if (p->depth == 16)
        ((uint16_t *)p->out->values)[place] = (uint16_t)value;
    else
        ((uint8_t *)p->out->values)[place] = (uint8_t)value;
}

static void put_samples(const struct png *p, const uint8_t *row, int64_t i, int64_t place)
{
    int n = samples_of(p->type);
    unsigned most = p->depth == 16 ? 65535 : 255,
             spread = p->depth < 8 ? 255U / ((1U << p->depth) - 1) : 1;
    bool is_key = p->has_key;
    for (int k = 0; k < n; k++) {
        unsigned value = sample_at(p, row, i * n + k);
        is_key = is_key && value == p->key[k < 3 ? k : 0];
        put(p, place + k, value * spread);
    }
    if (p->has_key) put(p, place + n, is_key ? 0 : most);
}

static smr_status put_colour(smr_ctx *ctx, const struct png *p, const uint8_t *row, int64_t i,
                             int64_t place)
{
    unsigned k = sample_at(p, row, i);
    if (k >= (unsigned)p->n_colours)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "%s: a damaged PNG picture: a pixel has colour %u of a palette of %d",
                        p->file->name, k, p->n_colours);
    memcpy((uint8_t *)p->out->values + place, p->colour[k], (size_t)p->out->channels);
    return SMR_OK;
}

/* Where a pass of Adam7 begins and how far it steps; without interlace there is one of all. */
typedef struct pass {
    int64_t x, y, step_x, step_y;
} pass;

static const pass whole = {0, 0, 1, 1};
static const pass adam7[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                             {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};

static smr_status truncated_pixels(smr_ctx *ctx, const struct png *p)
{
    return smr_fail(ctx, SMR_ERR_FORMAT,
                    "%s: a truncated PNG picture: its header promises %" PRId64 " x %" PRId64
                    " pixels, and it has fewer",
                    p->file->name, p->width, p->height);
}

/* rows: two of them, with the byte of their filter. */
static smr_status read_pass(smr_ctx *ctx, struct png *p, const pass *a, uint8_t *rows[2])
{
    smr_status st = SMR_OK;
    int64_t width = (p->width - a->x + a->step_x - 1) / a->step_x, got, n = row_bytes(p, width);
    int64_t step = SMR_MAX(1, samples_of(p->type) * p->depth / 8);
    if (p->width <= a->x || p->height <= a->y) return SMR_OK;
    memset(rows[0], 0, (size_t)n + 1);
    for (int64_t y = a->y; y < p->height; y += a->step_y) {
        uint8_t *above = rows[0], *row = rows[1];
        TRY(inflate_bytes(ctx, p, row, n + 1, &got));
        if (got < n + 1) TRY(truncated_pixels(ctx, p));
        TRY(unfilter(ctx, p, row[0], n, step, above + 1, row + 1));
        int64_t place = (y * p->width + a->x) * p->out->channels;
        for (int64_t i = 0; i < width; i++, place += a->step_x * p->out->channels) {
            if (p->type == PALETTE)
                TRY(put_colour(ctx, p, row + 1, i, place));
            else
                put_samples(p, row + 1, i, place);
        }
        rows[0] = row;
        rows[1] = above;
    }
out:
    return st;
}

static smr_status read_pixels(smr_ctx *ctx, struct png *p)
{
    smr_status st = SMR_OK;
    int64_t n = row_bytes(p, p->width) + 1, got;
    uint8_t *rows[2] = {NULL, NULL}, more;
    p->at = p->data_at;
    smr_zlib_lend(ctx, &p->z);
    if (inflateInit(&p->z) != Z_OK) TRY(fail_inflating(ctx, p, Z_MEM_ERROR));
    p->unpacks = true;
    TRY_NEW(rows[0], n);
    TRY_NEW(rows[1], n);
    for (int k = 0; k < (p->interlaced ? SMR_COUNT(adam7) : 1); k++)
        TRY(read_pass(ctx, p, p->interlaced ? &adam7[k] : &whole, rows));
    TRY(inflate_bytes(ctx, p, &more, 1, &got));
    if (got || p->z.avail_in > 0 || p->data_bytes > 0)
        TRY(damaged(ctx, p, "more packed bytes follow the last pixel"));
out:
    if (p->unpacks) inflateEnd(&p->z);
    smr_free(rows[0]);
    smr_free(rows[1]);
    return st;
}

smr_status smr_png_decode(smr_ctx *ctx, const smr_picture_bytes *file, smr_picture *out)
{
    smr_status st = SMR_OK;
    struct png *p = NULL;
    TRY_NEW(p, 1);
    *p = (struct png){.file = file, .out = out};
    TRY(read_chunks(ctx, p));
    out->height = p->height;
    out->width = p->width;
    out->bits = p->depth == 16 ? 16 : 8;
    out->channels = p->type == PALETTE ? 3 : samples_of(p->type);
    out->channels += p->has_key;
    if ((double)row_bytes(p, p->width) * (double)p->height >
        (double)MOST_DEFLATED * (double)p->data_bytes)
        TRY(truncated_pixels(ctx, p));
    TRY(smr_picture_check_size(ctx, file->name, out, 0));
    TRY(smr_picture_take(ctx, out));
    TRY(read_pixels(ctx, p));
out:
    smr_free(p);
    return st;
}

#else

smr_status smr_png_decode(smr_ctx *ctx, const smr_picture_bytes *file, smr_picture *out)
{
    (void)out;
    return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                    "%s: is a PNG picture, which this build does not read; pngtopnm FILE > "
                    "FILE.ppm makes one that it does",
                    file->name);
}

#endif
