/* jpeg_parts.h -- what the files of the JPEG decoder share.
 *
 * jpeg.c         the segments of the file: tables, the frame, scans
 * jpeg_scan.c    the bits of a scan: coefficients of 8 x 8 blocks
 * jpeg_pixels.c  from coefficients to colours
 *
 * A frame has 1, 3 or 4 parts (grey; luminance and two chrominances; inks), each a grid of 8 x 8
 * blocks.  A part with factors h x v has h x v blocks in every unit of the frame, and so a sample
 * for every (h_most / h) x (v_most / v) pixels.  All coefficients are kept until the last scan, so
 * that sequential and progressive files are read alike. */
#ifndef SMR_DATA_JPEG_PARTS_H
#define SMR_DATA_JPEG_PARTS_H

#include "data/picture_parts.h"

enum { SMR_JPEG_PARTS = 4, SMR_JPEG_LOOK = 9, SMR_JPEG_SCANS = 256 };

/* A Huffman code. */
typedef struct smr_jpeg_code {
    bool there;
    uint8_t value[256];
    int32_t first[18];  /* of length n: its first code, and where its values begin */
    int32_t place[18];  /*                                                        */
    int32_t beyond[18]; /* the code after its last, to SMR_JPEG_LOOK .. 16 bits   */
    uint8_t look_n[1 << SMR_JPEG_LOOK],
        look_value[1 << SMR_JPEG_LOOK]; /* short codes; n = 0: none */
} smr_jpeg_code;

typedef struct smr_jpeg_part {
    int id, h, v, quant;
    int dc, ac;           /* codes of the scan under way             */
    int64_t across, down; /* blocks, in whole units                  */
    int64_t wide, high;   /* samples that count                      */
    int16_t *coefficient; /* 64 a block, in order of frequency       */
    uint16_t step[64];    /* quantisation when its first scan began  */
    bool has_step;
    int last;        /* the DC before it, in this scan          */
    uint8_t *sample; /* 8 across x 8 down                       */
} smr_jpeg_part;

typedef struct smr_jpeg {
    const smr_picture_bytes *file;
    smr_picture *out;
    int64_t at;
    bool has_frame, progressive, has_jfif, has_adobe, ended;
    int adobe, n_parts, h_most, v_most, n_scans;
    int64_t across, down; /* units */
    smr_jpeg_part part[SMR_JPEG_PARTS];
    bool has_quant[4];
    uint16_t quant[4][64];
    smr_jpeg_code dc[4], ac[4];
    int64_t restart; /* units from one restart to the next; 0: none */
    /* the scan */
    int n_in_scan, in_scan[SMR_JPEG_PARTS];
    int low, high, above, down_to; /* frequencies; bits: successive approximation */
    int64_t n_same;                /* blocks that end here: the run under way     */
    uint64_t bits;
    int n_bits, n_made; /* in `bits`; how many of them are made up, past the end    */
    int64_t stray;      /* bytes between the data of scans and the next segment     */
} smr_jpeg;

/* Reads the data of a scan that begins at j->at, up to the marker after them. */
smr_status smr_jpeg_scan(smr_ctx *ctx, smr_jpeg *j);
/* Samples, and then the picture. */
smr_status smr_jpeg_paint(smr_ctx *ctx, smr_jpeg *j);

smr_status smr_jpeg_damaged(smr_ctx *ctx, const smr_jpeg *j, const char *what);
smr_status smr_jpeg_truncated(smr_ctx *ctx, const smr_jpeg *j);

/* Place of coefficient k of a file in its block, row by row. */
extern const uint8_t smr_jpeg_zigzag[64];

#endif
