/* picture.c -- see picture.h: which decoder, how much memory. */
#include "data/picture.h"

#include "data/picture_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* P1 to P6, then a number after blanks and comments: names of columns begin otherwise. */
static bool is_netpbm(const char *b, int64_t n)
{
    if (n < 4 || b[0] != 'P' || b[1] < '1' || b[1] > '6' || !strchr(" \t\r\n#", b[2]) || !b[2])
        return false;
    int64_t i = 2;
    for (bool comment = false; i < n; i++) {
        if (b[i] == '#') comment = true;
        if (b[i] == '\n') comment = false;
        if (!comment && !strchr(" \t\r\n", b[i])) break;
    }
    return i == n || (b[i] >= '0' && b[i] <= '9');
}

const char *smr_picture_format(const char *b, int64_t n)
{
    static const char *const netpbm[] = {"pbm", "pgm", "ppm", "pbm", "pgm", "ppm"};
    if (n >= 8 && !memcmp(b, "\x89PNG\r\n\x1a\n", 8)) return "png";
    if (n >= 3 && !memcmp(b, "\xff\xd8\xff", 3)) return "jpeg";
    return is_netpbm(b, n) ? netpbm[b[1] - '1'] : NULL;
}

void smr_picture_release(smr_picture *p)
{
    smr_free(p->values);
    *p = (smr_picture){0};
}

const char *smr_picture_words(const smr_picture *p, char out[SMR_PICTURE_WORDS])
{
    snprintf(out, SMR_PICTURE_WORDS, "%" PRId64 " x %" PRId64 ", %d channel%s of %d bits", p->width,
             p->height, p->channels, p->channels == 1 ? "" : "s", p->bits);
    return out;
}

smr_status smr_picture_check_size(smr_ctx *ctx, const char *name, const smr_picture *p, double more)
{
    char what[512];
    double samples = (double)p->height * (double)p->width * p->channels;
    if (p->height < 1 || p->width < 1)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "%s: a picture of %" PRId64 " x %" PRId64 " pixels, which shows nothing",
                        name, p->width, p->height);
    if (samples > SMR_MAX_DIM)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "%s: a picture of %" PRId64 " x %" PRId64
                        " pixels; at most %d samples can be read",
                        name, p->width, p->height, (int)SMR_MAX_DIM);
    snprintf(what, sizeof what, "%.300s: the picture of %" PRId64 " x %" PRId64 " pixels", name,
             p->width, p->height);
    const int64_t bytes = p->bits / 8;
    return smr_memory_check(ctx, samples * ((double)bytes + more), what,
                            "make the picture smaller or raise --memory");
}

smr_status smr_picture_take(smr_ctx *ctx, smr_picture *p)
{
    p->values = smr_alloc(ctx, smr_picture_samples(p), p->bits == 16 ? 2 : 1);
    return p->values ? SMR_OK : SMR_ERR_NOMEM;
}

static smr_status decode(smr_ctx *ctx, const smr_picture_bytes *file, smr_picture *out)
{
    const char *format = smr_picture_format((const char *)file->bytes, file->n);
    if (!format)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "%s: is not a PNG, JPEG, PBM, PGM or PPM picture by its first bytes",
                        file->name);
    out->format = format;
    if (format[1] == 'n') return smr_png_decode(ctx, file, out);
    if (format[0] == 'j') return smr_jpeg_decode(ctx, file, out);
    return smr_pnm_decode(ctx, file, out);
}

smr_status smr_picture_decode(smr_ctx *ctx, const char *name, const char *bytes, int64_t n,
                              smr_picture *out)
{
    smr_picture_bytes file = {.name = name, .bytes = (const uint8_t *)bytes, .n = n};
    *out = (smr_picture){.bits = 8, .channels = 1};
    smr_status st = decode(ctx, &file, out);
    if (st != SMR_OK) smr_picture_release(out);
    return st;
}

smr_status smr_picture_read(smr_ctx *ctx, smr_source *source, smr_picture *out)
{
    smr_status st = SMR_OK;
    char *bytes = NULL;
    int64_t n = 0, most = smr_ctx_memory_limit(ctx) / 2;
    *out = (smr_picture){0};
    TRY(smr_source_whole(ctx, source, most, &bytes, &n));
    TRY(smr_picture_decode(ctx, smr_source_name(source), bytes, n, out));
out:
    smr_free(bytes);
    return st;
}

smr_status smr_picture_open(smr_ctx *ctx, const char *path, smr_picture *out)
{
    smr_status st = SMR_OK;
    smr_source *source = NULL;
    *out = (smr_picture){0};
    TRY(smr_source_open(ctx, path, &source));
    TRY(smr_picture_read(ctx, source, out));
out:
    smr_source_close(source);
    return st;
}
