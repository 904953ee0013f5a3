/* picture_filter.h -- a picture filtered with a kernel, by name or as numbers (math/stencil.h).
 *
 * What a convolutional layer does with weights that it learned, here with weights that are given:
 * the kernel is laid over the picture as it is written (nets do so too); flipped, it is what
 * mathematics calls a convolution. */
#ifndef SMR_STUDY_PICTURE_FILTER_H
#define SMR_STUDY_PICTURE_FILTER_H

#include "core/json.h"
#include "data/picture.h"
#include "samara.h"

/* How numbers become pixels of 0 to 255. */
typedef enum smr_filter_values {
    SMR_VALUES_CLIP,    /* what is below 0 is black, above 255 white  */
    SMR_VALUES_STRETCH, /* the least is black, the greatest white     */
    SMR_VALUES_SIZE,    /* without their signs, the largest white     */
    SMR_VALUES_KINDS
} smr_filter_values;

typedef struct smr_picture_filter {
    const char *kernel; /* a name, or rows of numbers: "0 -1 0; -1 5 -1; 0 -1 0" */
    smr_filter_edge edge;
    int64_t stride;
    bool flip;
    smr_filter_values values;
    smr_picture_how how; /* what becomes of the picture first */
    bool figures;
} smr_picture_filter;

/* picture (empty: {.ctx = ctx}) gets a PNG file; adds what is known of it. */
smr_status smr_filter_picture(smr_ctx *ctx, const char *path, const smr_picture_filter *how,
                              smr_text *picture, smr_json *into);
/* "blur, sharpen, ...": the kernels that have names. */
const char *smr_filter_names(smr_text *out);

#endif
