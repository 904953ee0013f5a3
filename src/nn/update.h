/* update.h -- all weights of a net, one step along their gradients. */
#ifndef SMR_NN_UPDATE_H
#define SMR_NN_UPDATE_H

#include "kernel/net_kernels.h"
#include "nn/machine.h"

/* What the steps carry along, and what they cost: floats, tensor after tensor without gaps. */
typedef struct smr_nn_updater {
    int64_t n;       /* numbers of all tensors         */
    int64_t *offset; /* of each tensor; -1: none       */
    float *v, *u;    /* n; NULL where the kind has none */
    /* The node's part of the penalties: 1/2 decay w^2 + l1 |w|, or decoupled. */
    double *decay;
    double l1;
    bool decoupled; /* w shrinks by rate x decay beside the step, as AdamW does */
} smr_nn_updater;

/* decay: one number for all layers, or one for each that has weights that decay. */
smr_status smr_nn_updater_open(smr_ctx *ctx, const smr_nn_graph *graph, smr_step_kind kind,
                               const smr_reals *decay, smr_nn_updater *out);
void smr_nn_updater_release(smr_nn_updater *up);
/* How many nodes have weights that decay. */
int64_t smr_nn_decaying(const smr_nn_graph *graph);

/* Bytes that it takes. */
double smr_nn_updater_bytes(const smr_nn_graph *graph, smr_step_kind kind);

/* |g|, of all that is learned. */
smr_status smr_nn_gradient_size(smr_ctx *ctx, const smr_nn_machine *m, double *size);
/* m->w along m->g; step: without penalties, and with the rate in `shrink`. */
smr_status smr_nn_update(smr_ctx *ctx, const smr_nn_updater *up, const smr_nn_step *step,
                         smr_nn_machine *m);
/* The penalties at the weights. */
double smr_nn_penalty(const smr_nn_updater *up, const smr_nn_machine *m);

/* All tensors as one array of n floats, and back. */
void smr_nn_values_read(const smr_nn_updater *up, const smr_nn_graph *graph,
                        const smr_nn_values *from, float *to);
void smr_nn_values_write(const smr_nn_updater *up, const smr_nn_graph *graph, const float *from,
                         const smr_nn_values *to);

#endif
