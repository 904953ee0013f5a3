/* block_code.h -- a picture as blocks out of a book: vector quantisation, in memory and as a file.
 *
 *     "SMRBLOCK" 1 channels | width height (4 bytes each) | block height, width (2) | blocks (4) |
 *     a zlib stream of the book (8 bits a sample) and of the number of each block of the picture,
 *     from left to right and from top to bottom, in as few bits as name all
 *
 * numbers in big endian.  At the right and at the bottom blocks may reach over the edge. */
#ifndef SMR_DATA_BLOCK_CODE_H
#define SMR_DATA_BLOCK_CODE_H

#include "data/picture.h"

typedef struct smr_block_code {
    int64_t height, width;
    int channels; /* 1 or 3 */
    int64_t block_height, block_width;
    int64_t n;      /* blocks of the book                                    */
    uint8_t *book;  /* n x samples of a block, as in a picture; owned        */
    int32_t *place; /* of each block of the picture: its number; owned       */
} smr_block_code;

static inline int64_t smr_block_samples(const smr_block_code *c)
{
    return c->block_height * c->block_width * c->channels;
}

static inline int64_t smr_blocks_across(const smr_block_code *c)
{
    return (c->width + c->block_width - 1) / c->block_width;
}

static inline int64_t smr_blocks_in(const smr_block_code *c)
{
    return smr_blocks_across(c) * ((c->height + c->block_height - 1) / c->block_height);
}

/* Bits that name one of the book. */
int smr_block_bits(const smr_block_code *c);
void smr_block_code_release(smr_block_code *c);
bool smr_block_code_is(const char *bytes, int64_t n);

smr_status smr_block_code_write(smr_ctx *ctx, const smr_block_code *c, smr_text *out);
/* From a file that is not trusted. */
smr_status smr_block_code_read(smr_ctx *ctx, const char *name, const char *bytes, int64_t n,
                               smr_block_code *out);
/* The picture that it stands for. */
smr_status smr_block_code_paint(smr_ctx *ctx, const smr_block_code *c, smr_picture *out);

#endif
