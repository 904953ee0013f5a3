/* sample.h -- some rows of dense data, copied: where a method begins before it takes all.
 *
 * The rows lie behind each other as doubles, so that the many passes over few rows run at the speed
 * of memory and of the caches.  Sparse rows, and rows with a value that is missing or infinite,
 * stay a view: who meets such a value names it by its row.  Cost: one reading, 8 bytes a value. */
#ifndef SMR_LEARN_LINEAR_SAMPLE_H
#define SMR_LEARN_LINEAR_SAMPLE_H

#include "data/row_subset.h"

typedef struct smr_sample {
    smr_data data; /* valid until it is released */
    /* owned */
    smr_subset subset;
    smr_feature *features;
    double *x;
} smr_sample;

/* The n rows of `data`, which must outlive the sample, with these numbers. */
smr_status smr_sample_open(smr_ctx *ctx, const smr_data *data, const int64_t *rows, int64_t n,
                           smr_sample *out);
/* Accepts a zeroed one. */
void smr_sample_close(smr_sample *sample);

#endif
