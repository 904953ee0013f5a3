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
#include "samara.h"

/* Files: a PNG, the code of blocks (or nothing), and a PNG of the palette or the book. */
struct smr_quantized {
    smr_text picture, code, palette;
};

/* {.ctx = ctx} for each. */
void smr_quantized_init(smr_ctx *ctx, smr_quantized *q);
void smr_quantized_release(smr_quantized *q);

/* Quantises the picture, reads back what would be written, and adds what is known of it. */
smr_status smr_quantize(smr_ctx *ctx, const char *path, const smr_quantize_opts *opts,
                        smr_quantized *out, smr_json *into);
/* The same of a file in memory; `name` is for messages. */
smr_status smr_quantize_bytes(smr_ctx *ctx, const char *name, const char *bytes, int64_t length,
                              const smr_quantize_opts *opts, smr_quantized *out, smr_json *into);

#endif
