/* quantize_parts.h -- what the files of quantize share. */
#ifndef SMR_STUDY_QUANTIZE_PARTS_H
#define SMR_STUDY_QUANTIZE_PARTS_H

#include "study/quantize.h"

/* A picture of 8 bits, 1 or 3 channels, that is quantised, and where it is from. */
typedef struct smr_to_quantize {
    const char *name;
    smr_picture picture;
    const smr_quantize_opts *opts;
    int64_t k; /* colours, or blocks */
    smr_quantized *out;
    smr_json *into;
} smr_to_quantize;

smr_status smr_quantize_colours(smr_ctx *ctx, const smr_to_quantize *q);
smr_status smr_quantize_blocks(smr_ctx *ctx, const smr_to_quantize *q);

/* Adds "mse" and "psnr" of samples that stand for those of the picture. */
void smr_quantize_tell_error(const smr_to_quantize *q, const uint8_t *values);
/* Fails unless the file holds these samples. */
smr_status smr_quantize_read_back(smr_ctx *ctx, const smr_text *file, const smr_picture *want);

#endif
