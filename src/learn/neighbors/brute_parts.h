/* brute_parts.h -- what the files of the brute-force search share. */
#ifndef SMR_LEARN_NEIGHBORS_BRUTE_PARTS_H
#define SMR_LEARN_NEIGHBORS_BRUTE_PARTS_H

#include "learn/neighbors/brute.h"

typedef enum smr_brute_way { SMR_WAY_BYTES, SMR_WAY_FLOATS, SMR_WAY_DIRECT } smr_brute_way;

/* A batch of queries against some strips. */
struct smr_batch {
    const smr_brute *brute;
    smr_brute_way way;
    int64_t m;
    smr_near_set *nearest; /* m */
    const uint8_t *bytes;  /* the queries as bytes */
    int64_t stride;
    float *floats;  /* m x width: (q - center) unit      */
    double *square; /* m: |q|^2 of what is multiplied    */

    void *tile;    /* m x strip products                               */
    int32_t *hits; /* strip                                            */
    double *wide;  /* a group as doubles                               */
    float *packed; /* a strip as centred floats, where it is not plain */
};

/* Prepares the float way for the whole training set. */
smr_status smr_brute_build_floats(smr_ctx *ctx, smr_brute *brute);
/* Fills floats and square; false when a query is too far out for single precision. */
bool smr_batch_floats(struct smr_batch *batch);
smr_status smr_batch_strip_floats(smr_ctx *ctx, struct smr_batch *batch, int64_t strip);

#endif
