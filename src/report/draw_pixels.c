/* draw_pixels.c -- pixels in a drawing: a PNG file as text (RFC 2397, 4648) in an <image>.
 *
 * Viewers that enlarge a picture blur it, so it is made large here.  Its bytes are packed by this
 * file (RFC 1951, 3.2.6: the fixed code, with runs and repeated rows as its only matches), so that
 * the same drawing has the same bytes whatever the version of zlib, and without it. */
#include "report/draw_parts.h"

enum { ADLER = 65521, LEAST_MATCH = 3, MOST_MATCH = 258, END = 256 };

/* ---- the fixed code ----------------------------------------------------------------------- */

struct packer {
    smr_text *out;
    uint32_t bits; /* those that wait for a whole byte, the first the lowest */
    int n;
};

static void put_bits(struct packer *to, uint32_t value, int n)
{
    for (int k = 0; k < n; k++) {
        to->bits |= (value >> k & 1) << to->n;
        if (++to->n < 8) continue;
        const char byte = (char)to->bits;
        smr_text_add_bytes(to->out, &byte, 1);
        to->bits = 0;
        to->n = 0;
    }
}

/* Codes begin with their highest bit. */
static void put_code(struct packer *to, uint32_t code, int n)
{
    for (int k = n - 1; k >= 0; k--) put_bits(to, code >> k & 1, 1);
}

static void put_symbol(struct packer *to, uint32_t symbol)
{
    if (symbol < 144)
        put_code(to, 0x30 + symbol, 8);
    else if (symbol < 256)
        put_code(to, 0x190 + symbol - 144, 9);
    else if (symbol < 280)
        put_code(to, symbol - 256, 7);
    else
        put_code(to, 0xc0 + symbol - 280, 8);
}

/* Lengths and distances: a symbol for a class of 1 << extra values, and which of them. */
struct class_of {
    uint32_t symbol, rest;
    int extra;
};

/* Classes of one value, twice as many as are in a group; then groups whose classes are twice as
 * large as those of the group before. */
static struct class_of find_class(uint32_t v, int group_bits)
{
    struct class_of c = {.symbol = v, .extra = 0};
    uint32_t group = 1u << group_bits;
    if (v < 2 * group) return c;
    while (v >> (c.extra + group_bits + 1)) c.extra++;
    c.symbol = ((uint32_t)c.extra << group_bits) + (v >> c.extra);
    c.rest = v & ((1u << c.extra) - 1);
    return c;
}

static void put_match(struct packer *to, int64_t length, int64_t distance)
{
    struct class_of c = find_class((uint32_t)(length - LEAST_MATCH), 2);
    if (length == MOST_MATCH) c = (struct class_of){.symbol = 28};
    put_symbol(to, 257 + c.symbol);
    put_bits(to, c.rest, c.extra);
    c = find_class((uint32_t)(distance - 1), 1);
    put_code(to, c.symbol, 5);
    put_bits(to, c.rest, c.extra);
}

static int64_t match_at(const uint8_t *bytes, int64_t i, int64_t n, int64_t distance)
{
    int64_t most = SMR_MIN(MOST_MATCH, n - i), k = 0;
    if (distance > i) return 0;
    while (k < most && bytes[i + k] == bytes[i + k - distance]) k++;
    return k;
}

/* A zlib stream (RFC 1950) of rows of that length. */
static void pack(const uint8_t *bytes, int64_t n, int64_t row, int64_t pixel, smr_text *out)
{
    struct packer to = {.out = out};
    uint32_t a = 1, b = 0;
    smr_text_add_bytes(out, "\x78\x01", 2);
    put_bits(&to, 3, 3); /* the last block, with the fixed code */
    for (int64_t i = 0; i < n;) {
        int64_t run = match_at(bytes, i, n, pixel), same = match_at(bytes, i, n, row);
        int64_t length = SMR_MAX(run, same);
        if (length < LEAST_MATCH) {
            put_symbol(&to, bytes[i++]);
            continue;
        }
        put_match(&to, length, run >= same ? pixel : row);
        i += length;
    }
    put_symbol(&to, END);
    if (to.n) put_bits(&to, 0, 8 - to.n);
    for (int64_t i = 0; i < n; i++) {
        a = (a + bytes[i]) % ADLER;
        b = (b + a) % ADLER;
    }
    const char sum[] = {(char)(b >> 8), (char)b, (char)(a >> 8), (char)a};
    smr_text_add_bytes(out, sum, 4);
}

/* ---- the file ----------------------------------------------------------------------------- */

static void add_number(smr_text *out, uint32_t x)
{
    const char bytes[] = {(char)(x >> 24), (char)(x >> 16), (char)(x >> 8), (char)x};
    smr_text_add_bytes(out, bytes, 4);
}

static void add_chunk(smr_text *out, const char *type, const char *bytes, int64_t n)
{
    uint32_t crc = 0xffffffffu;
    add_number(out, (uint32_t)n);
    for (int64_t i = -4; i < n; i++) {
        char byte = i < 0 ? type[4 + i] : bytes[i];
        smr_text_add_bytes(out, &byte, 1);
        crc ^= (unsigned char)byte;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1)));
    }
    add_number(out, ~crc);
}

/* Rows of the enlarged picture, each after the number of its filter: none. */
static void enlarge(const struct pixels *p, int64_t row, uint8_t *to)
{
    for (int64_t r = 0; r < p->height * p->times; r++) {
        *to++ = 0;
        for (int64_t e = 0; e < row - 1; e++) {
            int64_t c = e / p->channels / p->times, k = e % p->channels;
            *to++ = p->values[((r / p->times) * p->width + c) * p->channels + k];
        }
    }
}

static smr_status write_png(smr_ctx *ctx, const struct pixels *p, smr_text *out)
{
    smr_status st = SMR_OK;
    smr_text header = {.ctx = ctx}, packed = {.ctx = ctx};
    int64_t row = p->width * p->times * p->channels + 1, n = p->height * p->times * row;
    const char rest[] = {8, p->channels == 3 ? 2 : 0, 0, 0, 0};
    uint8_t *bytes = NULL;
    TRY_NEW(bytes, n);
    enlarge(p, row, bytes);
    add_number(&header, (uint32_t)(p->width * p->times));
    add_number(&header, (uint32_t)(p->height * p->times));
    smr_text_add_bytes(&header, rest, sizeof rest);
    pack(bytes, n, row, p->channels, &packed);
    TRY(smr_text_done(&header));
    TRY(smr_text_done(&packed));
    smr_text_add_bytes(out, "\x89PNG\r\n\x1a\n", 8);
    add_chunk(out, "IHDR", header.bytes, header.length);
    add_chunk(out, "IDAT", packed.bytes, packed.length);
    add_chunk(out, "IEND", "", 0);
    TRY(smr_text_done(out));
out:
    smr_free(bytes);
    smr_text_release(&header);
    smr_text_release(&packed);
    return st;
}

/* ---- bytes as text ------------------------------------------------------------------------ */

/* Three bytes are four letters. */
static void add_letters(const smr_text *bytes, smr_text *out)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int64_t i = 0; i < bytes->length; i += 3) {
        char text[4] = {'=', '=', '=', '='};
        uint32_t all = 0;
        int64_t n = SMR_MIN(3, bytes->length - i);
        for (int64_t k = 0; k < 3; k++)
            all = all << 8 | (k < n ? (unsigned char)bytes->bytes[i + k] : 0);
        for (int64_t k = 0; k <= n; k++) text[k] = letters[all >> (18 - 6 * k) & 63];
        smr_text_add_bytes(out, text, 4);
    }
}

smr_status smr_pixels_draw(smr_ctx *ctx, const struct pixels *p, const double box[4], smr_text *out)
{
    static const char *const names[] = {"x", "y", "width", "height"};
    smr_status st = SMR_OK;
    smr_text png = {.ctx = ctx};
    TRY(write_png(ctx, p, &png));
    smr_text_add(out, "<image");
    for (int k = 0; k < 4; k++) smr_svg_attr(out, names[k], box[k]);
    smr_text_add(out, " preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
                      "href=\"data:image/png;base64,");
    add_letters(&png, out);
    smr_text_add(out, "\"/>");
out:
    smr_text_release(&png);
    return st;
}
