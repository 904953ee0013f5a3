/* picture.h -- pictures as rows of pixels: PNG, JPEG, and the Netpbm formats PBM, PGM and PPM.
 *
 * Every picture becomes height x width x channels samples in C order, of 8 or 16 bits:
 *
 *     1 channel    grey                    3 channels    red, green, blue
 *     2            grey, opacity           4             red, green, blue, opacity
 *
 * 0 is black and transparent; the largest number, 255 or 65535, is white and opaque.  PNG samples
 * of 1, 2 and 4 bits and Netpbm samples below any other maximum are spread over the 8 or 16 bits,
 * palettes become colours, and the transparent colour of a PNG becomes opacity.  Samples of 16 bits
 * stay as they are.  JPEGs become RGB or grey; CMYK as Adobe writes it becomes RGB.
 *
 * Files are not trusted: a header costs no memory before the file is long enough for what it
 * promises and the budget has room for it, and everything that is not as it should be is an error
 * that names the file.  The same bytes give the same samples on every machine. */
#ifndef SMR_DATA_PICTURE_H
#define SMR_DATA_PICTURE_H

#include "core/text.h"
#include "data/file.h"

typedef struct smr_picture {
    const char *format; /* "png", "jpeg", "pbm", "pgm", "ppm"                   */
    int64_t height, width;
    int channels;     /* 1 to 4                                                */
    int bits;         /* 8: uint8_t, 16: uint16_t                              */
    void *values;     /* owned                                                 */
    int64_t trailing; /* bytes after the end of a JPEG, which nothing reads    */
} smr_picture;

static inline bool smr_picture_has_opacity(const smr_picture *p)
{
    return p->channels == 2 || p->channels == 4;
}

static inline int64_t smr_picture_samples(const smr_picture *p)
{
    return p->height * p->width * p->channels;
}

/* "png", "jpeg" ..., where the first bytes of a file are such a picture's; else NULL. */
const char *smr_picture_format(const char *bytes, int64_t n);

/* A whole file in memory; `name` is for messages.  Released with smr_picture_release. */
smr_status smr_picture_decode(smr_ctx *ctx, const char *name, const char *bytes, int64_t n,
                              smr_picture *out);
/* The same from a source, from its first byte on. */
smr_status smr_picture_read(smr_ctx *ctx, smr_source *source, smr_picture *out);
/* The same from a file. */
smr_status smr_picture_open(smr_ctx *ctx, const char *path, smr_picture *out);
void smr_picture_release(smr_picture *p);

/* "64 x 48, 3 channels of 8 bits" (width first, as people say it). */
enum { SMR_PICTURE_WORDS = 80 };
const char *smr_picture_words(const smr_picture *p, char out[SMR_PICTURE_WORDS]);

/* ---- another shape ---------------------------------------------------------------------- */

/* What becomes of a picture before it is a row.  All zero: it stays as it is. */
typedef struct smr_picture_how {
    int64_t height, width; /* 0: its own                                                     */
    int channels;          /* 1 or 3; 0: its own.  Opacity goes: what shows on white paper.  */
    bool crop;             /* its middle in the new proportions; false: all of it, stretched */
} smr_picture_how;

static inline bool smr_picture_changes(const smr_picture_how *how)
{
    return how->height || how->channels;
}

/* "28x28" (height x width), "3x32x32" (channels first) or NULL; fit: "stretch" or "crop" or NULL;
 * grey: one channel. */
smr_status smr_picture_how_read(smr_ctx *ctx, const char *size, const char *fit, bool grey,
                                smr_picture_how *out);
/* Brings a picture to that shape, with 8 bits a sample. */
smr_status smr_picture_fit(smr_ctx *ctx, const smr_picture_how *how, smr_picture *p);
/* The same, grey or in colours; warns of what is lost.  done: "quantised", for these warnings. */
smr_status smr_picture_make_plain(smr_ctx *ctx, const char *name, const char *done,
                                  smr_picture_how how, smr_picture *p);

/* ---- writing ---------------------------------------------------------------------------- */

/* Samples of 8 bits as a PNG file.  n_colours > 0: `values` are places in `palette`, 3 bytes each,
 * and channels is 1. */
typedef struct smr_png {
    int64_t height, width;
    int channels; /* 1 to 4 */
    const uint8_t *values;
    const uint8_t *palette;
    int n_colours; /* up to 256, or 0 */
} smr_png;

/* Adds its bytes to the text, which takes any bytes. */
smr_status smr_png_write(smr_ctx *ctx, const smr_png *png, smr_text *out);

#endif
