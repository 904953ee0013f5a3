/* sample.h -- every s-th row of dense data, copied: where a method begins before it takes all.
 *
 * The rows lie behind each other as doubles, so that the many passes over few rows run at the speed
 * of memory and of the caches.  Cost: one reading of the rows, 8 bytes a value. */
#ifndef SMR_LEARN_LINEAR_SAMPLE_H
#define SMR_LEARN_LINEAR_SAMPLE_H

#include "data/subset.h"

typedef struct smr_sample {
    smr_data data;  /* valid until it is released; the rows are numbered from 0 */
    bool is_finite; /* no feature of these rows is missing or infinite          */
    /* owned */
    smr_subset subset;
    smr_feature *features;
    double *x;
} smr_sample;

/* Rows 0, step, 2 step ... of `data`, which must outlive the sample. */
smr_status smr_sample_open(smr_ctx *ctx, const smr_data *data, int64_t step, smr_sample *out);
/* Accepts a zeroed one. */
void smr_sample_close(smr_sample *sample);

#endif
