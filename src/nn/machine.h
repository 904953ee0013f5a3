/* machine.h -- a graph with memory: batches forward and back, on all threads with the same bits.
 *
 * A training machine keeps what a batch leaves in every node; a predicting one shares memory among
 * the nodes, and is not changed by predicting, so that many threads may use it at once. */
#ifndef SMR_NN_MACHINE_H
#define SMR_NN_MACHINE_H

#include "core/parallel.h"
#include "nn/pass.h"

/* A tensor for each of smr_nn_weights of each node: tensor[SMR_LAYER_WEIGHTS * node + k]. */
typedef struct smr_nn_values {
    int64_t n;     /* numbers in all                        */
    void **tensor; /* SMR_LAYER_WEIGHTS x nodes; NULL: none */
    void *block;
} smr_nn_values;

smr_status smr_nn_values_create(smr_ctx *ctx, const smr_nn_graph *graph, smr_real real,
                                smr_nn_values *out);
void smr_nn_values_release(smr_nn_values *values);

/* Where a node's numbers lie. */
typedef struct smr_nn_place {
    const smr_nn_item *in;
    smr_nn_needs needs;
    int64_t y, d, kept;       /* offsets in the memory of a row  */
    int64_t found, collected; /* offsets in the memory of a batch */
    int64_t packed;           /* offset in that of the weights   */
    int64_t state;            /* offset in what a row carries from call to call */
} smr_nn_place;

typedef struct smr_nn_machine {
    const smr_nn_graph *graph;
    smr_real real;
    bool training;
    int64_t rows, chunk; /* of a batch at the most; of a task */
    smr_nn_place *place;
    smr_nn_item *items;
    smr_nn_values w, g; /* g: training */
    int64_t row_bytes, batch_bytes, packed_bytes, scratch_bytes, state_bytes;
    int64_t length; /* steps of a row */
    int64_t counts; /* the node that tells how many of them count, or -1 */
    int32_t *counted;
    char *row_memory, *batch_memory, *packed, *scratch;
    /* The batch that is under way. */
    const void *x;
    int64_t n;
    uint64_t seed, step;
    const int32_t *steps; /* of each row, that count; NULL: all */
    const int32_t *given; /* set by the caller before smr_nn_forward; NULL: the rows tell */
} smr_nn_machine;

/* What such a machine will take, weights included. */
double smr_nn_machine_bytes(smr_ctx *ctx, const smr_nn_graph *graph, smr_real real, int64_t rows,
                            bool training);
/* The graph must live as long. */
smr_status smr_nn_machine_create(smr_ctx *ctx, const smr_nn_graph *graph, smr_real real,
                                 int64_t rows, bool training, smr_nn_machine **out);
/* A predicting machine over weights that lie elsewhere (smr_nn_values.tensor, which is copied) and
 * live as long. */
smr_status smr_nn_machine_over(smr_ctx *ctx, const smr_nn_graph *graph, smr_real real, int64_t rows,
                               void *const *tensor, smr_nn_machine **out);
void smr_nn_machine_free(smr_nn_machine *machine);

/* After every change of the weights. */
smr_status smr_nn_pack(smr_ctx *ctx, smr_nn_machine *m);
/* The answers to n rows of x, in smr_nn_answers until the next batch. */
smr_status smr_nn_forward(smr_ctx *ctx, smr_nn_machine *m, const void *x, int64_t n, uint64_t seed,
                          uint64_t step);
void *smr_nn_answers(const smr_nn_machine *m);
/* Where the loss puts its derivatives in the answers, before smr_nn_backward: n rows, zeroed by
 * smr_nn_forward. */
void *smr_nn_slopes(const smr_nn_machine *m);
/* Of training machines: what node i gave to the rows of the batch, and the derivatives there. */
const void *smr_nn_node_answers(const smr_nn_machine *m, int64_t i);
const void *smr_nn_node_slopes(const smr_nn_machine *m, int64_t i);
/* The first node that gave a number that is not finite, or -1. */
int64_t smr_nn_odd_node(const smr_nn_machine *m);
/* The gradients of all weights, in m->g.  dx: those of x, added to what is there; or NULL. */
smr_status smr_nn_backward(smr_ctx *ctx, smr_nn_machine *m, void *dx);

/* Predicting machines: n <= chunk rows of x, in scratch of smr_nn_scratch(m) bytes, in which
 * the answers lie. */
int64_t smr_nn_scratch(const smr_nn_machine *m);
const void *smr_nn_answer(const smr_nn_machine *m, const void *x, int64_t n, void *scratch);
/* steps: of each row, that count; NULL: the rows tell.  state: m->state_bytes for each row, which
 * go on from the call before, 0s in the first; NULL: each row begins anew. */
const void *smr_nn_answer_on(const smr_nn_machine *m, const void *x, int64_t n,
                             const int32_t *steps, void *state, void *scratch);
/* The same, and shows what each node i gives to the rows, before the next one is asked. */
typedef smr_status (*smr_nn_see)(smr_ctx *ctx, void *arg, int64_t i, const void *y);
smr_status smr_nn_answer_seen(smr_ctx *ctx, const smr_nn_machine *m, const void *x, int64_t n,
                              void *scratch, smr_nn_see see, void *arg);

#endif
