/* pass.h -- how layers compute: some rows forward, the same rows back, and the weights' gradients.
 *
 * Everything is defined without saying who does it: an answer is one chain of operations on its
 * row, and a gradient one chain over the rows of the batch, ascending; so rows may be cut into
 * tasks, and gradients into tiles, as the threads like.  Where a layer looks at the whole batch
 * (SMR_LAYER_MIXES_ROWS), it settles what it found before its rows go on.
 *
 * Each layer has the same code for floats and for doubles (real.inl): doubles are for checking
 * gradients by differences. */
#ifndef SMR_NN_PASS_H
#define SMR_NN_PASS_H

#include "nn/net_graph.h"

typedef enum smr_real { SMR_REAL_F32, SMR_REAL_F64, SMR_REALS_OF_NETS } smr_real;

static inline size_t smr_real_size(smr_real real)
{
    return real == SMR_REAL_F32 ? sizeof(float) : sizeof(double);
}

/* What lies so many bytes further on. */
static inline void *smr_nn_beyond(void *start, int64_t bytes)
{
    return (char *)start + bytes;
}

/* Rows first .. first + n - 1 of a batch of n_batch, through one node.  Arrays of rows begin at row
 * `first`, those of settle and gradient at row 0, with n = n_batch. */
typedef struct smr_nn_pass {
    const smr_nn_node *node;
    const smr_nn_item *in; /* node->n_from */
    int64_t number;        /* of the node in its graph */
    int64_t first, n, n_batch;
    bool training;
    uint64_t seed, step;  /* of the random numbers of this step */
    const int32_t *steps; /* of each row, that count; NULL: all of the item's */
    char *state;          /* predicting: from call to call, of each row; NULL: none */
    int64_t state_row;    /* bytes from one row's to the next's */
    const void *const *x; /* node->n_from */
    void *y;
    const void *dy;
    void *const *dx; /* added to; an element NULL: not wanted */
    void *const *w;  /* tensors of node->layout.weights */
    void *const *g;  /* their gradients, written by gradient; NULL of those not learned */
    void *packed;    /* what pack made of the weights                            */
    void *kept;      /* kept_bytes for each row, from forward to backward and gradient */
    void *found;     /* what settle found in the batch    */
    void *collected; /* what collect made for gradient     */
    void *scratch;
} smr_nn_pass;

/* Bytes that a node needs, in batches of up to `rows` rows.  kept: for each row; scratch: of a
 * task, forward and back of up to `chunk` rows, or of a tile. */
typedef struct smr_nn_needs {
    int64_t packed, kept, found, collected, scratch;
    int64_t state;    /* predicting: of each row */
    int64_t collects; /* tasks of collect        */
    int64_t tiles;    /* of gradient; 0: there are no weights */
    int64_t settles;  /* of settle                             */
} smr_nn_needs;

typedef struct smr_nn_code {
    smr_nn_needs (*needs)(const smr_nn_node *node, const smr_nn_item *in, int64_t chunk,
                          int64_t rows, bool training);
    void (*pack)(const smr_nn_pass *p);
    void (*forward)(const smr_nn_pass *p);
    void (*backward)(const smr_nn_pass *p);
    void (*collect)(const smr_nn_pass *p, int64_t task); /* before gradient; NULL: nothing */
    void (*gradient)(const smr_nn_pass *p, int64_t tile);
    void (*settle)(const smr_nn_pass *p, bool back, int64_t tile);
} smr_nn_code;

#endif
