/* picture_parts.h -- the decoders of picture.c. */
#ifndef SMR_DATA_PICTURE_PARTS_H
#define SMR_DATA_PICTURE_PARTS_H

#include "data/picture.h"

/* A file in memory. */
typedef struct smr_picture_bytes {
    const char *name; /* for messages */
    const uint8_t *bytes;
    int64_t n;
} smr_picture_bytes;

smr_status smr_png_decode(smr_ctx *ctx, const smr_picture_bytes *file, smr_picture *out);
smr_status smr_jpeg_decode(smr_ctx *ctx, const smr_picture_bytes *file, smr_picture *out);
smr_status smr_pnm_decode(smr_ctx *ctx, const smr_picture_bytes *file, smr_picture *out);

/* Fails for sides that are 0 or more samples than a table has columns; then asks the budget for
 * `more` bytes a sample beside those of the picture itself. */
smr_status smr_picture_check_size(smr_ctx *ctx, const char *name, const smr_picture *p,
                                  double more);
/* Takes the memory of its samples. */
smr_status smr_picture_take(smr_ctx *ctx, smr_picture *p);

static inline uint32_t smr_big_endian(const uint8_t *b, int n)
{
    uint32_t x = 0;
    for (int k = 0; k < n; k++) x = x << 8 | b[k];
    return x;
}

/* Paeth's choice for PNG rows: which of three neighbours is nearest to left + above - corner. */
static inline int smr_png_paeth(int left, int above, int corner)
{
    int a = above - corner, b = left - corner, c = a + b;
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    c = c < 0 ? -c : c;
    return a <= b && a <= c ? left : b <= c ? above : corner;
}

#endif
