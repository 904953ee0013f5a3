/* pnm.c -- the pictures of Netpbm: P1 to P3 in digits, P4 to P6 in bytes; PBM (bits), PGM (grey),
 * PPM (red, green, blue).
 *
 *     P5 | blanks and comments (# to the end of the line) | width | height | maximum | one blank |
 *     samples
 *
 * Samples up to 255 become 8 bits, others 16; where the maximum is another they are spread over
 * them, rounded.  In a PBM 1 is black.
 * Reference: the manual pages pbm(5), pgm(5), ppm(5) of Netpbm. */
#include "data/picture_parts.h"

#include <inttypes.h>

struct pnm {
    const smr_picture_bytes *file;
    int64_t at;
    int kind; /* 1 to 6 */
    int64_t most;
};

static smr_status damaged(smr_ctx *ctx, const struct pnm *p, const char *what)
{
    return smr_fail(ctx, SMR_ERR_FORMAT, "%s: a damaged P%d picture: byte %" PRId64 ": %s",
                    p->file->name, p->kind, p->at, what);
}

static smr_status truncated(smr_ctx *ctx, const struct pnm *p, const smr_picture *pic)
{
    return smr_fail(ctx, SMR_ERR_FORMAT,
                    "%s: a truncated P%d picture: its header promises %" PRId64 " x %" PRId64
                    " pixels, and it has fewer",
                    p->file->name, p->kind, pic->width, pic->height);
}

static bool is_blank(uint8_t b)
{
    return b == ' ' || (b >= '\t' && b <= '\r');
}

static void skip_blanks(struct pnm *p)
{
    const uint8_t *b = p->file->bytes;
    bool comment = false;
    for (; p->at < p->file->n; p->at++) {
        if (b[p->at] == '#') comment = true;
        if (comment && (b[p->at] == '\n' || b[p->at] == '\r')) comment = false;
        if (!comment && !is_blank(b[p->at])) return;
    }
}

/* The next whole number up to `most`; fails where there is none. */
static smr_status next_number(smr_ctx *ctx, struct pnm *p, int64_t most, int64_t *out)
{
    const uint8_t *b = p->file->bytes;
    skip_blanks(p);
    if (p->at == p->file->n) return damaged(ctx, p, "it ends where a number should be");
    if (b[p->at] < '0' || b[p->at] > '9') return damaged(ctx, p, "this is not a number");
    for (*out = 0; p->at < p->file->n && b[p->at] >= '0' && b[p->at] <= '9'; p->at++) {
        *out = 10 * *out + (b[p->at] - '0');
        if (*out > most) return damaged(ctx, p, "the number is too large");
    }
    return SMR_OK;
}

static smr_status read_header(smr_ctx *ctx, struct pnm *p, smr_picture *out)
{
    smr_status st = SMR_OK;
    p->kind = p->file->bytes[1] - '0';
    p->at = 2;
    p->most = 1;
    TRY(next_number(ctx, p, SMR_MAX_DIM, &out->width));
    TRY(next_number(ctx, p, SMR_MAX_DIM, &out->height));
    if (p->kind != 1 && p->kind != 4) TRY(next_number(ctx, p, 65535, &p->most));
    if (p->most == 0) TRY(damaged(ctx, p, "its largest sample is 0"));
    if (p->kind > 3) {
        if (p->at == p->file->n || !is_blank(p->file->bytes[p->at]))
            TRY(damaged(ctx, p, "a blank should follow the header"));
        p->at++;
    }
    out->channels = p->kind % 3 == 0 ? 3 : 1;
    out->bits = p->most > 255 ? 16 : 8;
out:
    return st;
}

static void put(smr_picture *out, int64_t i, int64_t value, int64_t most)
{
    int64_t full = out->bits == 16 ? 65535 : 255;
    if (most != full) value = (value * full + most / 2) / most;
    if (out->bits == 16)
        ((uint16_t *)out->values)[i] = (uint16_t)value;
    else
        ((uint8_t *)out->values)[i] = (uint8_t)value;
}

static smr_status read_digits(smr_ctx *ctx, struct pnm *p, smr_picture *out)
{
    smr_status st = SMR_OK;
    int64_t value, n = smr_picture_samples(out);
    for (int64_t i = 0; i < n; i++) {
        skip_blanks(p);
        if (p->at == p->file->n) TRY(truncated(ctx, p, out));
        if (p->kind == 1) { /* single digits, which need no blanks */
            value = p->file->bytes[p->at++] - '0';
            if (value != 0 && value != 1) TRY(damaged(ctx, p, "before it is neither 0 nor 1"));
            value = 1 - value;
        } else {
            TRY(next_number(ctx, p, p->most, &value));
        }
        put(out, i, value, p->most);
    }
out:
    return st;
}

static void read_bits(struct pnm *p, smr_picture *out)
{
    const uint8_t *b = p->file->bytes + p->at;
    int64_t row = (out->width + 7) / 8;
    for (int64_t y = 0; y < out->height; y++)
        for (int64_t x = 0; x < out->width; x++)
            put(out, y * out->width + x, 1 - (b[y * row + x / 8] >> (7 - x % 8) & 1), 1);
    p->at += row * out->height;
}

static smr_status read_bytes(smr_ctx *ctx, struct pnm *p, smr_picture *out)
{
    int64_t n = smr_picture_samples(out), size = out->bits / 8;
    for (int64_t i = 0; i < n; i++, p->at += size) {
        int64_t value = smr_big_endian(p->file->bytes + p->at, (int)size);
        if (value > p->most) return damaged(ctx, p, "the sample is larger than the header allows");
        put(out, i, value, p->most);
    }
    return SMR_OK;
}

/* The fewest bytes that such a picture takes. */
static double least_bytes(const struct pnm *p, const smr_picture *out)
{
    double samples = (double)out->height * (double)out->width * out->channels;
    const int64_t bytes = out->bits / 8, row = (out->width + 7) / 8; /* of a sample; of bits */
    if (p->kind == 4) return (double)row * (double)out->height;
    if (p->kind > 3) return samples * (double)bytes;
    return p->kind == 1 ? samples : 2 * samples - 1;
}

smr_status smr_pnm_decode(smr_ctx *ctx, const smr_picture_bytes *file, smr_picture *out)
{
    smr_status st = SMR_OK;
    struct pnm p = {.file = file};
    TRY(read_header(ctx, &p, out));
    if (least_bytes(&p, out) > (double)(file->n - p.at)) TRY(truncated(ctx, &p, out));
    TRY(smr_picture_check_size(ctx, file->name, out, 0));
    TRY(smr_picture_take(ctx, out));
    if (p.kind == 4)
        read_bits(&p, out);
    else
        TRY(p.kind < 4 ? read_digits(ctx, &p, out) : read_bytes(ctx, &p, out));
    while (p.at < file->n && is_blank(file->bytes[p.at])) p.at++;
    if (p.at < file->n)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT,
                     "%s: %" PRId64 " bytes follow the picture; it is damaged, or holds more than "
                     "one",
                     file->name, file->n - p.at));
out:
    return st;
}
