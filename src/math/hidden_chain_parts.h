/* hidden_chain_parts.h -- what the files of hidden_chain.h share. */
#ifndef SMR_MATH_HIDDEN_CHAIN_PARTS_H
#define SMR_MATH_HIDDEN_CHAIN_PARTS_H

#include "kernel/chain_kernels.h"
#include "math/hidden_chain.h"

/* What one thread works in: tables of a block. */
struct smr_hidden_work {
    double *after, *before; /* block x width                                                  */
    double *with;           /* (block + 1) x width: backward rows with their emissions        */
    double *posterior;      /* block x width                                                  */
    double *sum, *with_sum; /* block; block + 1                                               */
    double *shift, *logs;   /* block                                                          */
    const double **row;     /* block                                                          */
    const double *one;      /* of a single step                                               */
    double *step;           /* width                                                          */
    char *room, *room_of_one;
};

/* A run of short sequences, or one end of a long one. */
struct smr_hidden_unit {
    int64_t first, last; /* sequences */
    int order;           /* 0: short ones; 1: forward from the first step, -1: back from the last */
};

struct smr_hidden_run {
    const smr_hidden *h;
    const smr_hidden_seen *seen;
    int64_t n_sequences;
    const int64_t *border;
    int64_t length;  /* of a block                                                            */
    int64_t longest; /* block that there is                                                   */
    int64_t *blocks; /* n_sequences + 1: number of a sequence's first block                   */
    int64_t *slot;   /* n_sequences + 1: the same among blocks of long sequences              */
    /* For blocks of long sequences: the rows that forward and backward steps come from, and their
     * sums. */
    double *ahead, *ahead_sum, *behind, *behind_sum;
    double *end[2]; /* n_sequences: log-likelihoods of both ends of long sequences */
    struct smr_hidden_unit *unit;
    int64_t n_units;
    struct smr_hidden_work *work; /* of each lane */
    int n_works;
};

/* Blocks of sequence q, and where block k of it lies. */
static inline int64_t smr_hidden_blocks_of(const smr_hidden_run *run, int64_t q)
{
    return run->blocks[q + 1] - run->blocks[q];
}

static inline int64_t smr_hidden_block_at(const smr_hidden_run *run, int64_t q, int64_t k,
                                          int64_t *lo)
{
    *lo = run->border[q] + k * run->length;
    return SMR_MIN(run->length, run->border[q + 1] - *lo);
}

/* The lane's own, made when it is first asked for. */
smr_status smr_hidden_work_of(smr_ctx *ctx, smr_hidden_run *run, int lane,
                              struct smr_hidden_work **out);

#endif
