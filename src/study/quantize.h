/* quantize.h -- a picture in few colours, or as few blocks of pixels (vector quantisation).
 *
 * Colours: k-means of the colours that occur, each weighted by its pixels, in red, green and blue
 * or in CIELAB; every pixel gets the nearest colour of the palette, which is rounded to 8 bits.
 * Dithered: from left to right and from top to bottom, what a pixel is off goes to its neighbours
 * (7/16 right, 3, 5 and 1 below).  Blocks: k-means of the blocks of pixels that the picture is cut
 * into; those that reach over its edge repeat the edge.
 * References: Heckbert, SIGGRAPH 1982; Floyd & Steinberg, SID 1976; Linde, Buzo & Gray, IEEE Trans.
 * Comm. 28 (1980). */
#ifndef SMR_STUDY_QUANTIZE_H
#define SMR_STUDY_QUANTIZE_H

#include "core/json.h"
#include "data/block_code.h"
#include "data/picture.h"

typedef struct smr_quantize_opts {
    int64_t k;                         /* colours, or blocks                       */
    const char *settings;              /* of k-means, or NULL                      */
    bool lab, dither;                  /* of colours                               */
    int64_t block_height, block_width; /* 0: colours                               */
    smr_picture_how how;               /* what becomes of the picture first        */
} smr_quantize_opts;

/* Files: a PNG, the code of blocks (or nothing), and a PNG of the palette or the book. */
typedef struct smr_quantized {
    smr_text picture, code, palette;
} smr_quantized;

/* {.ctx = ctx} for each. */
void smr_quantized_init(smr_ctx *ctx, smr_quantized *q);
void smr_quantized_release(smr_quantized *q);

/* Quantises the picture, reads back what would be written, and adds what is known of it. */
smr_status smr_quantize(smr_ctx *ctx, const char *path, const smr_quantize_opts *opts,
                        smr_quantized *out, smr_json *into);

#endif
