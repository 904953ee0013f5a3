/* jpeg.c -- JPEG pictures: baseline, extended and progressive, Huffman coded, 8 bits a sample.
 *
 *     FF D8 | segments | FF D9    segment: FF, a marker, length (2), data; after a scan's its bits
 *
 * Lossless, hierarchical and arithmetically coded files, and those of 12 bits, are refused by name.
 * References: ITU-T T.81 (1992); T.871 (JFIF, 2011); the marker of Adobe, TN 5116 (1992). */
#include "data/jpeg_parts.h"

#include <inttypes.h>
#include <string.h>

enum { SOF0 = 0xc0, SOF1, SOF2, DHT = 0xc4, SOF15 = 0xcf, DAC = 0xcc, JPG = 0xc8 };
enum { RST0 = 0xd0, RST7 = 0xd7, EOI = 0xd9, SOS, DQT, DNL, DRI, APP0 = 0xe0, APP14 = 0xee };

const uint8_t smr_jpeg_zigzag[64] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

smr_status smr_jpeg_damaged(smr_ctx *ctx, const smr_jpeg *j, const char *what)
{
    return smr_fail(ctx, SMR_ERR_FORMAT, "%s: a damaged JPEG picture: byte %" PRId64 ": %s",
                    j->file->name, j->at, what);
}

smr_status smr_jpeg_truncated(smr_ctx *ctx, const smr_jpeg *j)
{
    return smr_fail(ctx, SMR_ERR_FORMAT,
                    "%s: a truncated JPEG picture: %" PRId64 " bytes, and more should follow; copy "
                    "or download it again",
                    j->file->name, j->file->n);
}

/* The bytes of one segment. */
typedef struct segment {
    const uint8_t *data;
    int64_t n;
} segment;

static smr_status read_segment(smr_ctx *ctx, smr_jpeg *j, segment *out)
{
    int64_t left = j->file->n - j->at;
    const uint8_t *b = j->file->bytes + j->at;
    if (left < 2) return smr_jpeg_truncated(ctx, j);
    int64_t n = smr_big_endian(b, 2);
    if (n < 2) return smr_jpeg_damaged(ctx, j, "a segment is shorter than its length");
    if (n > left) return smr_jpeg_truncated(ctx, j);
    *out = (segment){.data = b + 2, .n = n - 2};
    j->at += n;
    return SMR_OK;
}

/* ---- tables ------------------------------------------------------------------------------- */

static smr_status read_quant(smr_ctx *ctx, smr_jpeg *j, segment s)
{
    while (s.n > 0) {
        int size = s.data[0] >> 4 ? 2 : 1, id = s.data[0] & 15;
        if (id > 3 || s.data[0] >> 4 > 1 || s.n < 1 + 64 * size)
            return smr_jpeg_damaged(ctx, j, "before it is no table of quantisation steps");
        for (int k = 0; k < 64; k++)
            j->quant[id][k] = (uint16_t)smr_big_endian(s.data + 1 + (ptrdiff_t)k * size, size);
        j->has_quant[id] = true;
        s.data += 1 + 64 * size;
        s.n -= 1 + 64 * size;
    }
    return SMR_OK;
}

/* Codes of each length are consecutive numbers; those of n + 1 bits go on from 2 (last + 1). */
static bool build_code(smr_jpeg_code *c, const uint8_t count[16])
{
    int code = 0, place = 0;
    memset(c->look_n, 0, sizeof c->look_n);
    for (int n = 1; n <= 16; n++, code <<= 1) {
        c->first[n] = code;
        c->place[n] = place;
        if (code + count[n - 1] > 1 << n) return false;
        for (int i = 0; i < count[n - 1]; i++, code++, place++) {
            int rest = SMR_JPEG_LOOK - n;
            for (int k = 0; rest >= 0 && k < 1 << rest; k++) {
                c->look_n[(code << rest) + k] = (uint8_t)n;
                c->look_value[(code << rest) + k] = c->value[place];
            }
        }
        c->beyond[n] = code;
    }
    c->there = true;
    return true;
}

static smr_status read_codes(smr_ctx *ctx, smr_jpeg *j, segment s)
{
    while (s.n > 0) {
        int kind = s.data[0] >> 4, id = s.data[0] & 15, total = 0;
        for (int k = 0; s.n >= 17 && k < 16; k++) total += s.data[1 + k];
        if (kind > 1 || id > 3 || s.n < 17 || total > 256 || s.n < 17 + total)
            return smr_jpeg_damaged(ctx, j, "before it is no table of codes");
        smr_jpeg_code *c = kind ? &j->ac[id] : &j->dc[id];
        memset(c->value, 0, sizeof c->value);
        memcpy(c->value, s.data + 17, (size_t)total);
        if (!build_code(c, s.data + 1))
            return smr_jpeg_damaged(ctx, j, "before it is a table of more codes than there are");
        s.data += 17 + total;
        s.n -= 17 + total;
    }
    return SMR_OK;
}

static void read_application(smr_jpeg *j, int marker, segment s)
{
    if (marker == APP0 && s.n >= 5 && !memcmp(s.data, "JFIF", 5)) j->has_jfif = true;
    if (marker != APP14 || s.n < 12 || memcmp(s.data, "Adobe", 5) != 0) return;
    j->has_adobe = true;
    j->adobe = s.data[11];
}

/* ---- the frame ---------------------------------------------------------------------------- */

static smr_status refuse_frame(smr_ctx *ctx, const smr_jpeg *j, int marker)
{
    const char *what = marker >= 0xc9                     ? "arithmetically coded"
                       : marker == 0xc3 || marker == 0xc7 ? "lossless"
                                                          : "hierarchical";
    return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                    "%s: is a JPEG picture of a rare kind (%s), which is not read; djpeg FILE > "
                    "FILE.ppm makes one that is",
                    j->file->name, what);
}

static smr_status read_parts(smr_ctx *ctx, smr_jpeg *j, segment s)
{
    j->h_most = j->v_most = 1;
    for (int k = 0; k < j->n_parts; k++) {
        smr_jpeg_part *p = &j->part[k];
        const uint8_t *b = s.data + 6 + (ptrdiff_t)3 * k;
        *p = (smr_jpeg_part){.id = b[0], .h = b[1] >> 4, .v = b[1] & 15, .quant = b[2]};
        for (int i = 0; i < k; i++)
            if (j->part[i].id == p->id)
                return smr_jpeg_damaged(ctx, j, "before it two parts have one name");
        if (p->h < 1 || p->h > 4 || p->v < 1 || p->v > 4 || p->quant > 3)
            return smr_jpeg_damaged(ctx, j, "before it a part has sampling factors beyond 1 to 4");
        j->h_most = SMR_MAX(j->h_most, p->h);
        j->v_most = SMR_MAX(j->v_most, p->v);
    }
    for (int k = 0; k < j->n_parts; k++)
        if (j->h_most % j->part[k].h || j->v_most % j->part[k].v)
            return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                            "%s: is a JPEG picture with sampling factors %d:%d beside %d:%d, which "
                            "is not read; djpeg FILE > FILE.ppm makes one that is",
                            j->file->name, j->part[k].h, j->part[k].v, j->h_most, j->v_most);
    return SMR_OK;
}

/* Grids and their memory, after the file was found to be long enough for them: a block takes at
 * least one bit in all scans together. */
static smr_status lay_out(smr_ctx *ctx, smr_jpeg *j)
{
    smr_status st = SMR_OK;
    int64_t w = j->out->width, h = j->out->height;
    double blocks = 0;
    j->across = (w + 8 * j->h_most - 1) / (8 * j->h_most);
    j->down = (h + 8 * j->v_most - 1) / (8 * j->v_most);
    for (int k = 0; k < j->n_parts; k++) {
        smr_jpeg_part *p = &j->part[k];
        p->across = j->across * p->h;
        p->down = j->down * p->v;
        p->wide = (w * p->h + j->h_most - 1) / j->h_most;
        p->high = (h * p->v + j->v_most - 1) / j->v_most;
        blocks += (double)p->across * (double)p->down;
    }
    j->out->channels = j->n_parts == 1 ? 1 : 3;
    double samples = (double)w * (double)h * j->out->channels;
    if (blocks / 8 > (double)j->file->n) TRY(smr_jpeg_truncated(ctx, j));
    TRY(smr_picture_check_size(ctx, j->file->name, j->out, 64 * 3 * blocks / samples));
    for (int k = 0; k < j->n_parts; k++)
        TRY_NEW(j->part[k].coefficient, 64 * j->part[k].across * j->part[k].down);
out:
    return st;
}

static smr_status read_frame(smr_ctx *ctx, smr_jpeg *j, int marker, segment s)
{
    smr_status st = SMR_OK;
    if (marker > SOF2) TRY(refuse_frame(ctx, j, marker));
    if (j->has_frame) TRY(smr_jpeg_damaged(ctx, j, "before it a second picture begins"));
    if (s.n < 6 || s.n != 6 + 3 * (int64_t)s.data[5])
        TRY(smr_jpeg_damaged(ctx, j, "before it is no header of a picture"));
    if (s.data[0] != 8)
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                     "%s: is a JPEG picture of %d bits a sample; 8 can be read", j->file->name,
                     s.data[0]));
    j->has_frame = true;
    j->progressive = marker == SOF2;
    j->out->height = smr_big_endian(s.data + 1, 2);
    j->out->width = smr_big_endian(s.data + 3, 2);
    j->n_parts = s.data[5];
    if (j->n_parts != 1 && j->n_parts != 3 && j->n_parts != 4)
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                     "%s: is a JPEG picture of %d components; 1 (grey), 3 (colours) and 4 (inks) "
                     "can be read",
                     j->file->name, j->n_parts));
    TRY(read_parts(ctx, j, s));
    TRY(lay_out(ctx, j));
out:
    return st;
}

/* ---- scans -------------------------------------------------------------------------------- */

static int find_part(const smr_jpeg *j, int id)
{
    for (int k = 0; k < j->n_parts; k++)
        if (j->part[k].id == id) return k;
    return -1;
}

static smr_status take_part(smr_ctx *ctx, smr_jpeg *j, int i, const uint8_t *b)
{
    int k = find_part(j, b[0]), dc = b[1] >> 4, ac = b[1] & 15;
    if (k < 0 || dc > 3 || ac > 3)
        return smr_jpeg_damaged(ctx, j, "before it a scan is of a part that does not exist");
    for (int e = 0; e < i; e++)
        if (j->in_scan[e] == k)
            return smr_jpeg_damaged(ctx, j, "before it a scan has a part twice");
    smr_jpeg_part *p = &j->part[k];
    j->in_scan[i] = k;
    p->dc = dc;
    p->ac = ac;
    if (!p->has_step && !j->has_quant[p->quant])
        return smr_jpeg_damaged(ctx, j,
                                "before it a scan needs quantisation steps that are not "
                                "there");
    if (!p->has_step) memcpy(p->step, j->quant[p->quant], sizeof p->step);
    p->has_step = true;
    bool needs_dc = j->low == 0 && j->above == 0, needs_ac = j->high > 0;
    if ((needs_dc && !j->dc[dc].there) || (needs_ac && !j->ac[ac].there))
        return smr_jpeg_damaged(ctx, j,
                                "before it a scan needs a table of codes that is not there");
    return SMR_OK;
}

/* What a scan of a progressive file may be about; in others it is about everything. */
static bool good_band(const smr_jpeg *j)
{
    if (j->low > j->high || j->high > 63 || j->down_to > 13) return false;
    if (j->low == 0 && j->high > 0) return false;
    if (j->low > 0 && j->n_in_scan > 1) return false;
    return j->above == 0 || j->above == j->down_to + 1;
}

static smr_status read_scan(smr_ctx *ctx, smr_jpeg *j, segment s)
{
    smr_status st = SMR_OK;
    int blocks = 0;
    if (!j->has_frame) TRY(smr_jpeg_damaged(ctx, j, "before it a scan begins without a header"));
    j->n_in_scan = s.n > 0 ? s.data[0] : 0;
    if (j->n_in_scan < 1 || j->n_in_scan > j->n_parts || s.n != 4 + 2 * j->n_in_scan)
        TRY(smr_jpeg_damaged(ctx, j, "before it is no header of a scan"));
    const uint8_t *band = s.data + 1 + (ptrdiff_t)2 * j->n_in_scan;
    j->low = band[0];
    j->high = band[1];
    j->above = band[2] >> 4;
    j->down_to = band[2] & 15;
    if (!j->progressive) {
        j->low = j->above = j->down_to = 0;
        j->high = 63;
    }
    if (j->progressive && !good_band(j))
        TRY(smr_jpeg_damaged(ctx, j, "before it a scan has an impossible range"));
    for (int i = 0; i < j->n_in_scan; i++) {
        TRY(take_part(ctx, j, i, s.data + 1 + (ptrdiff_t)2 * i));
        blocks += j->part[j->in_scan[i]].h * j->part[j->in_scan[i]].v;
    }
    if (j->n_in_scan > 1 && blocks > 10)
        TRY(smr_jpeg_damaged(ctx, j, "before it a scan has more than 10 blocks a unit"));
    if (++j->n_scans > SMR_JPEG_SCANS)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT,
                     "%s: a damaged JPEG picture: more than %d scans, which no program writes",
                     j->file->name, SMR_JPEG_SCANS));
    TRY(smr_jpeg_scan(ctx, j));
out:
    return st;
}

/* ---- the file ----------------------------------------------------------------------------- */

static smr_status next_marker(smr_ctx *ctx, smr_jpeg *j, int *out)
{
    const uint8_t *b = j->file->bytes;
    if (j->at + 2 > j->file->n) return smr_jpeg_truncated(ctx, j);
    if (b[j->at] != 0xff) return smr_jpeg_damaged(ctx, j, "a segment should begin here");
    while (j->at < j->file->n && b[j->at] == 0xff) j->at++; /* some are for filling */
    if (j->at == j->file->n) return smr_jpeg_truncated(ctx, j);
    *out = b[j->at++];
    return SMR_OK;
}

static smr_status take_segment(smr_ctx *ctx, smr_jpeg *j, int marker)
{
    smr_status st = SMR_OK;
    segment s = {0};
    j->ended = marker == EOI;
    if (j->ended) return SMR_OK;
    if (marker < SOF0 || (marker >= RST0 && marker < EOI) || marker == DNL || marker == DAC)
        return smr_jpeg_damaged(ctx, j, "the segment before it has no place here");
    TRY(read_segment(ctx, j, &s));
    if (marker == DQT) TRY(read_quant(ctx, j, s));
    if (marker == DHT) TRY(read_codes(ctx, j, s));
    if (marker == DRI && s.n != 2) TRY(smr_jpeg_damaged(ctx, j, "before it a distance is broken"));
    if (marker == DRI) j->restart = smr_big_endian(s.data, 2);
    if (marker == SOS) TRY(read_scan(ctx, j, s));
    if (marker == APP0 || marker == APP14) read_application(j, marker, s);
    if (marker <= SOF15 && marker != DHT && marker != JPG) TRY(read_frame(ctx, j, marker, s));
out:
    return st;
}

/* Every part must have come, or what is missing would be shown as grey. */
static smr_status check_whole(smr_ctx *ctx, const smr_jpeg *j)
{
    for (int k = 0; k < j->n_parts; k++)
        if (!j->part[k].has_step) return smr_jpeg_truncated(ctx, j);
    return j->has_frame ? SMR_OK : smr_jpeg_damaged(ctx, j, "it ends without a picture");
}

smr_status smr_jpeg_decode(smr_ctx *ctx, const smr_picture_bytes *file, smr_picture *out)
{
    smr_status st = SMR_OK;
    smr_jpeg *j = NULL;
    int marker = 0;
    TRY_NEW(j, 1);
    j->file = file;
    j->out = out;
    j->at = 2;
    while (!j->ended) {
        TRY(next_marker(ctx, j, &marker));
        TRY(take_segment(ctx, j, marker));
    }
    TRY(check_whole(ctx, j));
    out->trailing = file->n - j->at + j->stray;
    TRY(smr_jpeg_paint(ctx, j));
out:
    for (int k = 0; j && k < SMR_JPEG_PARTS; k++) {
        smr_free(j->part[k].coefficient);
        smr_free(j->part[k].sample);
    }
    smr_free(j);
    return st;
}
