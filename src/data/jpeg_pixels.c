/* jpeg_pixels.c -- from coefficients to colours.
 *
 * Blocks: the inverse discrete cosine transform in whole numbers of 13 bits after the point, by the
 * factorisation of Loeffler, Ligtenberg and Moschytz (11 multiplications for 8 numbers), columns
 * first with 2 more bits, then rows.  Parts with half as many samples in a direction: a new sample
 * is 3/4 of the nearest and 1/4 of the next one, others are repeated.  Colours:
 *
 *     red = y + 1.402 r    green = y - 0.34414 b - 0.71414 r    blue = y + 1.772 b
 *
 * (b and r counted from 128) in 16 bits after the point.  Inks are taken as Adobe writes them (255:
 * none).  Constants and
 * roundings are those of the IJG's slow and accurate way, so samples are those that most programs
 * show.
 * References: Loeffler, Ligtenberg & Moschytz, ICASSP 1989; ITU-T T.871. */
#include "data/jpeg_parts.h"

#include <math.h>

/* ---- blocks ------------------------------------------------------------------------------- */

enum { POINT = 13, PASS = 2 };

/* round(x 2^13) */
enum {
    C0_298 = 2446,
    C0_390 = 3196,
    C0_541 = 4433,
    C0_765 = 6270,
    C0_899 = 7373,
    C1_175 = 9633,
    C1_501 = 12299,
    C1_847 = 15137,
    C1_961 = 16069,
    C2_053 = 16819,
    C2_562 = 20995,
    C3_072 = 25172
};

/* Eight numbers x[0], x[step] ... become their transform, `down` bits shorter, rounded. */
static void transform(int64_t *x, int step, int down)
{
    int64_t half = (int64_t)1 << (down - 1), even[4], odd[4];
    int64_t a = (x[2 * step] + x[6 * step]) * C0_541;
    int64_t a6 = a - x[6 * step] * C1_847, a2 = a + x[2 * step] * C0_765;
    int64_t sum = (x[0] + x[4 * step]) * (1 << POINT),
            difference = (x[0] - x[4 * step]) * (1 << POINT);
    even[0] = sum + a2;
    even[3] = sum - a2;
    even[1] = difference + a6;
    even[2] = difference - a6;
    int64_t x1 = x[step], x3 = x[3 * step], x5 = x[5 * step], x7 = x[7 * step];
    int64_t both = (x7 + x3 + x5 + x1) * C1_175;
    int64_t b71 = -(x7 + x1) * C0_899, b53 = -(x5 + x3) * C2_562;
    int64_t b73 = both - (x7 + x3) * C1_961, b51 = both - (x5 + x1) * C0_390;
    odd[3] = x7 * C0_298 + b71 + b73;
    odd[2] = x5 * C2_053 + b53 + b51;
    odd[1] = x3 * C3_072 + b53 + b73;
    odd[0] = x1 * C1_501 + b71 + b51;
    for (int k = 0; k < 4; k++) {
        x[k * step] = (even[k] + odd[k] + half) >> down;
        x[(7 - k) * step] = (even[k] - odd[k] + half) >> down;
    }
}

static uint8_t limited(int64_t x)
{
    return (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x);
}

static void paint_block(const int16_t *coefficient, const uint16_t *step, int64_t stride,
                        uint8_t *to)
{
    int64_t x[64] = {0};
    bool flat = true;
    for (int k = 0; k < 64; k++) {
        x[smr_jpeg_zigzag[k]] = (int64_t)coefficient[k] * step[k];
        flat = flat && (k == 0 || coefficient[k] == 0);
    }
    if (flat) { /* what the transform gives, at once */
        uint8_t level = limited(((x[0] * (1 << PASS) + (1 << (PASS + 2))) >> (PASS + 3)) + 128);
        for (int i = 0; i < 64; i++) to[(i / 8) * stride + i % 8] = level;
        return;
    }
    for (int k = 0; k < 8; k++) transform(x + k, 8, POINT - PASS);
    for (int k = 0; k < 8; k++) transform(x + (ptrdiff_t)8 * k, 1, POINT + PASS + 3);
    for (int i = 0; i < 64; i++) to[(i / 8) * stride + i % 8] = limited(x[i] + 128);
}

static smr_status paint_part(smr_ctx *ctx, smr_jpeg_part *p)
{
    smr_status st = SMR_OK;
    int64_t stride = 8 * p->across;
    TRY_NEW(p->sample, stride * 8 * p->down);
    for (int64_t y = 0; y < p->down; y++) {
        TRY(smr_tick(ctx, NULL, y, p->down, NAN));
        for (int64_t x = 0; x < p->across; x++)
            paint_block(p->coefficient + 64 * (y * p->across + x), p->step, stride,
                        p->sample + 8 * (y * stride + x));
    }
    smr_free(p->coefficient);
    p->coefficient = NULL;
out:
    return st;
}

/* ---- rows of full width ------------------------------------------------------------------- */

/* n numbers of `unit` times a sample become 2 n samples; each is 3/4 of one and 1/4 of the one
 * before or after it, with the roundings `before` and `after`. */
static void widen(const int *from, int64_t n, int unit, int before, int after, uint8_t *to)
{
    for (int64_t i = 0; i < n; i++) {
        int left = from[i > 0 ? i - 1 : 0], right = from[i + 1 < n ? i + 1 : i];
        to[2 * i] = (uint8_t)((3 * from[i] + left + before) / (4 * unit));
        to[2 * i + 1] = (uint8_t)((3 * from[i] + right + after) / (4 * unit));
    }
}

/* Row y of the picture, of the part's samples: to has room for the width of whole units; work, for
 * as many numbers. */
static void full_row(const smr_jpeg *j, const smr_jpeg_part *p, int64_t y, int *work, uint8_t *to)
{
    int rx = j->h_most / p->h, ry = j->v_most / p->v;
    int64_t at = y / ry, stride = 8 * p->across;
    int64_t next = ry == 2 ? SMR_MIN(SMR_MAX(at + (y % 2 ? 1 : -1), 0), p->high - 1) : at;
    const uint8_t *row = p->sample + at * stride, *other = p->sample + next * stride;
    bool smooth = rx == 2 && ry <= 2 && p->wide > 2;
    if (smooth && ry == 1) {
        for (int64_t i = 0; i < p->wide; i++) work[i] = row[i];
        widen(work, p->wide, 1, 1, 2, to);
    } else if (smooth) {
        for (int64_t i = 0; i < p->wide; i++) work[i] = 3 * row[i] + other[i];
        widen(work, p->wide, 4, 8, 7, to);
    } else if (rx == 1 && ry == 2) {
        int half = y % 2 ? 2 : 1;
        for (int64_t i = 0; i < p->wide; i++) to[i] = (uint8_t)((3 * row[i] + other[i] + half) / 4);
    } else {
        for (int64_t i = 0; i < j->out->width; i++) to[i] = row[i / rx];
    }
}

/* ---- colours ------------------------------------------------------------------------------ */

static void from_luminance(int y, int b, int r, uint8_t rgb[3])
{
    enum { HALF = 1 << 15 };
    b -= 128;
    r -= 128;
    rgb[0] = limited(y + ((91881 * r + HALF) >> 16));
    rgb[1] = limited(y + ((-22554 * b - 46802 * r + HALF) >> 16));
    rgb[2] = limited(y + ((116130 * b + HALF) >> 16));
}

/* a b / 255, rounded. */
static uint8_t share(int a, int b)
{
    int x = a * b + 128;
    return (uint8_t)((x + (x >> 8)) >> 8);
}

/* From inks: what the colour leaves of the paper, and black of that. */
static void from_inks(const uint8_t paper[3], int black, uint8_t rgb[3])
{
    for (int k = 0; k < 3; k++) rgb[k] = (uint8_t)(black - share(255 - paper[k], black));
}

enum { PLAIN, LUMINANCE, INKS, LUMINANCE_INKS };

static int colours_of(const smr_jpeg *j)
{
    const smr_jpeg_part *p = j->part;
    if (j->n_parts == 4) return j->has_adobe && j->adobe ? LUMINANCE_INKS : INKS;
    if (j->n_parts == 1) return PLAIN;
    if (j->has_jfif) return LUMINANCE;
    if (j->has_adobe) return j->adobe ? LUMINANCE : PLAIN;
    return p[0].id == 'R' && p[1].id == 'G' && p[2].id == 'B' ? PLAIN : LUMINANCE;
}

static void paint_row(const smr_jpeg *j, int colours, uint8_t *const row[4], uint8_t *to)
{
    int c = j->out->channels;
    for (int64_t i = 0; i < j->out->width; i++, to += c) {
        uint8_t x[4] = {0}, light[3];
        for (int k = 0; k < j->n_parts; k++) x[k] = row[k][i];
        if (colours == PLAIN) {
            for (int k = 0; k < c; k++) to[k] = x[k];
        } else if (colours == LUMINANCE) {
            from_luminance(x[0], x[1], x[2], to);
        } else if (colours == INKS) {
            from_inks(x, x[3], to);
        } else {
            from_luminance(x[0], x[1], x[2], light);
            for (int k = 0; k < 3; k++) light[k] = (uint8_t)(255 - light[k]);
            from_inks(light, x[3], to);
        }
    }
}

smr_status smr_jpeg_paint(smr_ctx *ctx, smr_jpeg *j)
{
    smr_status st = SMR_OK;
    int64_t width = 8 * j->h_most * j->across;
    uint8_t *rows = NULL, *row[4];
    int *work = NULL, colours = colours_of(j);
    for (int k = 0; k < j->n_parts; k++) TRY(paint_part(ctx, &j->part[k]));
    TRY_NEW(rows, 4 * width);
    TRY_NEW(work, width);
    TRY(smr_picture_take(ctx, j->out));
    for (int k = 0; k < 4; k++) row[k] = rows + k * width;
    for (int64_t y = 0; y < j->out->height; y++) {
        for (int k = 0; k < j->n_parts; k++) full_row(j, &j->part[k], y, work, row[k]);
        paint_row(j, colours, row,
                  (uint8_t *)j->out->values + y * j->out->width * j->out->channels);
    }
out:
    smr_free(rows);
    smr_free(work);
    return st;
}
