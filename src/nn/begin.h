/* begin.h -- the weights that a net begins with. */
#ifndef SMR_NN_BEGIN_H
#define SMR_NN_BEGIN_H

#include "nn/machine.h"

/* Numbers are uniform in (-a, a), but for orthogonal ones.  fan_in and fan_out: how many numbers a
 * unit sees, and how many units see a number. */
typedef enum smr_nn_start {
    SMR_NN_START_AUTO,      /* he before rectifiers and in maxout units, else glorot       */
    SMR_NN_START_ZERO,      /* all 0                                                       */
    SMR_NN_START_FAN_IN,    /* a = 1 / sqrt(fan_in)                                        */
    SMR_NN_START_GLOROT,    /* a = sqrt(6 / (fan_in + fan_out))                            */
    SMR_NN_START_HE,        /* a = sqrt(6 / fan_in)                                        */
    SMR_NN_START_ORTHOGONAL /* rows or columns of length 1 at right angles, times sqrt 2 before
                               rectifiers */
} smr_nn_start;

extern const smr_choice smr_nn_starts[];

/* A function of the graph and the seed.  `to`: floats. */
smr_status smr_nn_begin(smr_ctx *ctx, const smr_nn_graph *graph, smr_nn_start start, uint64_t seed,
                        const smr_nn_values *to);

#endif
