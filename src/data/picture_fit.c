/* picture_fit.c -- pictures in another size, in grey, on white paper.
 *
 * A new sample is the mean of the old ones around its place, with weights that fall linearly to 0
 * at one old pixel, or when the picture becomes smaller at one new pixel (a tent); columns first,
 * then rows.  Sums go from left to right and from top to bottom, so that they have the same bits
 * everywhere. */
#include "data/picture_parts.h"

#include "core/number.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_SIDE = 65535 };

/* ---- what was asked for ------------------------------------------------------------------- */

/* "3x32x32": 2 or 3 whole numbers. */
static bool read_sides(const char *size, int64_t side[3], int *n)
{
    const char *at = size, *end = size + strlen(size);
    for (*n = 0; *n < 3; at++) {
        if (at == end || *at < '0' || *at > '9') return false;
        at = smr_parse_int(at, end, &side[(*n)++]);
        if (!at || (at < end && *at != 'x')) return false;
        if (at == end) return *n >= 2;
    }
    return false;
}

smr_status smr_picture_how_read(smr_ctx *ctx, const char *size, const char *fit, bool grey,
                                smr_picture_how *out)
{
    int64_t side[3] = {0};
    int n = 0;
    *out = (smr_picture_how){.channels = grey ? 1 : 0};
    if (fit && strcmp(fit, "crop") != 0 && strcmp(fit, "stretch") != 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "--fit: stretch or crop, not '%s'", fit);
    if (fit && !size)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--fit says how pictures get the size of --size, which "
                        "is not given");
    if (!size) return SMR_OK;
    if (!read_sides(size, side, &n))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--size: '%s' is not height x width or channels x height x width, such as "
                        "28x28 or 3x32x32",
                        size);
    const int64_t *hw = side + (n - 2);
    if (n == 3 && side[0] != 1 && side[0] != 3)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--size: pictures have 1 channel (grey) or 3 (red, green, blue), not "
                        "%" PRId64 "; the channels come first: 3x32x32",
                        side[0]);
    if (n == 3 && grey && side[0] != 1)
        return smr_fail(ctx, SMR_ERR_PARAM, "--grey makes 1 channel, and --size %s asks for 3",
                        size);
    if (hw[0] < 1 || hw[1] < 1 || hw[0] > MOST_SIDE || hw[1] > MOST_SIDE)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--size: sides are 1 to %d pixels, not %" PRId64 " x %" PRId64, MOST_SIDE,
                        hw[0], hw[1]);
    out->height = hw[0];
    out->width = hw[1];
    if (n == 3) out->channels = (int)side[0];
    out->crop = fit && fit[0] == 'c';
    return SMR_OK;
}

/* ---- channels ----------------------------------------------------------------------------- */

static unsigned sample_8(const smr_picture *p, int64_t i)
{
    if (p->bits == 8) return ((const uint8_t *)p->values)[i];
    return (((const uint16_t *)p->values)[i] + 128U) / 257;
}

/* One pixel on white paper, as red, green and blue. */
static void shown_colour(const smr_picture *p, int64_t pixel, unsigned rgb[3])
{
    int64_t at = pixel * p->channels;
    bool grey = p->channels < 3;
    unsigned opacity = smr_picture_has_opacity(p) ? sample_8(p, at + p->channels - 1) : 255;
    for (int k = 0; k < 3; k++) {
        unsigned ink = sample_8(p, at + (grey ? 0 : k));
        rgb[k] = (ink * opacity + 255 * (255 - opacity) + 127) / 255;
    }
}

/* Red, green and blue as one grey (ITU-R BT.601). */
static uint8_t grey_of(const unsigned rgb[3])
{
    return (uint8_t)((rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 32768) >> 16);
}

/* 8 bits, 1 or 3 channels. */
static smr_status make_plain(smr_ctx *ctx, smr_picture *p, int channels)
{
    int64_t n = p->height * p->width;
    uint8_t *to = smr_alloc_raw(ctx, n * channels, 1);
    if (!to) return SMR_ERR_NOMEM;
    for (int64_t i = 0; i < n; i++) {
        unsigned rgb[3];
        shown_colour(p, i, rgb);
        if (channels == 1) to[i] = p->channels < 3 ? (uint8_t)rgb[0] : grey_of(rgb);
        for (int k = 0; channels == 3 && k < 3; k++) to[3 * i + k] = (uint8_t)rgb[k];
    }
    smr_free(p->values);
    p->values = to;
    p->channels = channels;
    p->bits = 8;
    return SMR_OK;
}

/* ---- size --------------------------------------------------------------------------------- */

/* Weights of the old places lo .. lo + n - 1 of an axis for one new place. */
typedef struct tent {
    int64_t lo, n;
    double *weight; /* n, of sum 1 */
} tent;

static void raise_tent(tent *t, int64_t place, int64_t from, int64_t to, int64_t begin,
                       int64_t length)
{
    double scale = (double)from / (double)to, wide = scale < 1 ? 1 : scale, sum = 0;
    double centre = ((double)place + 0.5) * scale;
    double lo = centre - wide + 0.5, hi = centre + wide + 0.5;
    int64_t first = lo < 0 ? 0 : (int64_t)lo, last = SMR_MIN(from, (int64_t)hi);
    t->lo = begin + first;
    t->n = SMR_MIN(last, length) - first;
    for (int64_t i = 0; i < t->n; i++) {
        double off = ((double)(first + i) + 0.5 - centre) / wide;
        t->weight[i] = off < 0 ? smr_fmax(0, 1 + off) : smr_fmax(0, 1 - off);
        sum += t->weight[i];
    }
    for (int64_t i = 0; i < t->n; i++) t->weight[i] /= sum;
}

static uint8_t rounded(double x)
{
    return (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x + 0.5);
}

/* The part [x, x + w) of every row [y, y + h), in `width` columns. */
static void squeeze_rows(const smr_picture *p, const int64_t part[4], int64_t width, tent *t,
                         uint8_t *to)
{
    const uint8_t *from = p->values;
    int c = p->channels;
    for (int64_t j = 0; j < width; j++) {
        raise_tent(t, j, part[3], width, part[1], part[3]);
        for (int64_t i = 0; i < part[2]; i++)
            for (int k = 0; k < c; k++) {
                double sum = 0;
                const uint8_t *row = from + (((part[0] + i) * p->width + t->lo) * c + k);
                for (int64_t e = 0; e < t->n; e++) sum += t->weight[e] * row[e * c];
                to[(i * width + j) * c + k] = rounded(sum);
            }
    }
}

static void squeeze_columns(const uint8_t *from, int64_t rows, int64_t row, int64_t height, tent *t,
                            double *sum, uint8_t *to)
{
    for (int64_t i = 0; i < height; i++) {
        raise_tent(t, i, rows, height, 0, rows);
        memset(sum, 0, (size_t)row * sizeof *sum);
        for (int64_t e = 0; e < t->n; e++)
            for (int64_t j = 0; j < row; j++) sum[j] += t->weight[e] * from[(t->lo + e) * row + j];
        for (int64_t j = 0; j < row; j++) to[i * row + j] = rounded(sum[j]);
    }
}

/* y, x, height, width of the part that is kept. */
static void choose_part(const smr_picture *p, const smr_picture_how *how, int64_t part[4])
{
    int64_t h = p->height, w = p->width;
    if (how->crop && w * how->height > h * how->width)
        w = SMR_MAX(1, (h * how->width + how->height / 2) / how->height);
    else if (how->crop)
        h = SMR_MAX(1, (w * how->height + how->width / 2) / how->width);
    const int64_t all[] = {(p->height - h) / 2, (p->width - w) / 2, h, w};
    memcpy(part, all, sizeof all);
}

static smr_status resize(smr_ctx *ctx, const smr_picture_how *how, smr_picture *p)
{
    smr_status st = SMR_OK;
    int64_t part[4], row = how->width * p->channels;
    tent t = {0};
    double *sum = NULL;
    uint8_t *narrow = NULL, *small = NULL;
    choose_part(p, how, part);
    TRY_NEW(t.weight, SMR_MAX(part[2], part[3]) + 2);
    TRY_NEW(sum, row);
    TRY_NEW(narrow, part[2] * row);
    TRY_NEW(small, how->height * row);
    squeeze_rows(p, part, how->width, &t, narrow);
    squeeze_columns(narrow, part[2], row, how->height, &t, sum, small);
    smr_free(p->values);
    p->values = small;
    p->height = how->height;
    p->width = how->width;
    small = NULL;
out:
    smr_free(t.weight);
    smr_free(sum);
    smr_free(narrow);
    smr_free(small);
    return st;
}

smr_status smr_picture_fit(smr_ctx *ctx, const smr_picture_how *how, smr_picture *p)
{
    smr_status st = SMR_OK;
    if (!smr_picture_changes(how)) return SMR_OK;
    int own = p->channels < 3 ? 1 : 3;
    TRY(make_plain(ctx, p, how->channels ? how->channels : own));
    if (how->height && (how->height != p->height || how->width != p->width))
        TRY(resize(ctx, how, p));
out:
    return st;
}

smr_status smr_picture_make_plain(smr_ctx *ctx, const char *name, const char *done,
                                  smr_picture_how how, smr_picture *p)
{
    if (!how.channels) how.channels = p->channels < 3 ? 1 : 3;
    if (smr_picture_has_opacity(p))
        smr_warn(ctx, "%s: its opacity is lost: it is %s as it shows on white paper", name, done);
    if (p->bits == 16) smr_warn(ctx, "%s: its 16 bits a sample are rounded to 8", name);
    return smr_picture_fit(ctx, &how, p);
}
