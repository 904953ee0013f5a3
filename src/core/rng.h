/* rng.h -- random numbers as a function, not a state: Philox 4x32-10.
 *
 * A draw is a pure function of (seed, stream, a, b): which purpose, which tree or epoch, which row.
 * Any thread can make any draw, so results do not depend on scheduling.
 * Reference: Salmon, Moraes, Dror & Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC
 * 2011. */
#ifndef SMR_CORE_RNG_H
#define SMR_CORE_RNG_H

#include <stdint.h>

/* Purposes.  The list only grows; a number never changes its meaning, or old seeds would change
 * their models. */
typedef enum smr_stream {
    SMR_STREAM_TEST = 0,
    SMR_STREAM_SPLIT = 1,      /* train/test parts, folds, shuffles      */
    SMR_STREAM_GENERATE = 2,   /* `samara make`                          */
    SMR_STREAM_SEARCH = 10,    /* points of a search space               */
    SMR_STREAM_EXPLAIN = 16,   /* columns shuffled, rows chosen to show  */
    SMR_STREAM_SAMPLES = 17,   /* repeated samples, bootstrap replicates */
    SMR_STREAM_DUAL = 24,      /* order of rows in dual descent          */
    SMR_STREAM_SGD = 25,       /* order of rows in a pass of sgd         */
    SMR_STREAM_TIES = 26,      /* targets moved apart where they tie     */
    SMR_STREAM_START = 27,     /* rows to start from                     */
    SMR_STREAM_BINS = 40,      /* rows whose values give the cuts        */
    SMR_STREAM_FOREST = 41,    /* rows, features and cuts of a forest    */
    SMR_STREAM_BAG = 42,       /* rows of a bag, and its members' seeds  */
    SMR_STREAM_SUBSPACE = 43,  /* features of a random subspace          */
    SMR_STREAM_ROUNDS = 50,    /* rows of a round, drawn by weight       */
    SMR_STREAM_LEAVES = 60,    /* features of a node of boost            */
    SMR_STREAM_COLUMNS = 61,   /* features of a tree of boost            */
    SMR_STREAM_ROWS = 62,      /* rows of a round of boost               */
    SMR_STREAM_EXPERTS = 70,   /* rows that a mixture starts from        */
    SMR_STREAM_EQUALS = 71,    /* features of a node that gain the same  */
    SMR_STREAM_OUTLINE = 72,   /* rows whose silhouettes are measured    */
    SMR_STREAM_BASELINE = 73,  /* clusters that others are held against  */
    SMR_STREAM_LANDMARKS = 81, /* rows that stand for all               */
    SMR_STREAM_FOURIER = 82,   /* frequencies of a kernel               */
    SMR_STREAM_DRAWS = 90,     /* draws of a distribution                */
    SMR_STREAM_PAIRS = 80,     /* pairs of rows whose distance is taken  */
    SMR_STREAM_HIDDEN = 95,    /* tables of hidden states to start from  */
    SMR_STREAM_PATHS = 96,     /* sequences drawn from a model           */
    SMR_STREAM_NETWORK = 98,   /* rows of a Bayesian network             */
    SMR_STREAM_DROPOUT = 100,  /* numbers that dropout leaves out        */
    SMR_STREAM_WEIGHTS = 101,  /* weights that a net begins with         */
    SMR_STREAM_BATCHES = 102,  /* order of rows in an epoch              */
    SMR_STREAM_AUGMENT = 103,  /* how a picture is changed               */
    SMR_STREAM_EDGES = 97,     /* edges from which a search starts again */
    SMR_STREAM_CLOUD = 110,    /* rows drawn from a density              */
    SMR_STREAM_MIXTURE = 118,  /* centres that mixtures start from       */
    SMR_STREAM_CENTRES = 120,  /* rows at which centres start             */
    SMR_STREAM_KRYLOV = 111,   /* vectors that a search for eigenvectors starts from */
    SMR_STREAM_ISOLATE = 119,  /* rows, features and cuts of an isolation forest */
} smr_stream;

/* 128 random bits for the counter (a, b). */
void smr_philox(uint64_t seed, smr_stream stream, uint64_t a, uint64_t b, uint32_t out[4]);

uint64_t smr_random_bits(uint64_t seed, smr_stream stream, uint64_t a, uint64_t b);
/* Uniform in [0, 1), 53 bits. */
double smr_random_unit(uint64_t seed, smr_stream stream, uint64_t a, uint64_t b);
/* Uniform in [0, n) without bias, n >= 1. */
int64_t smr_random_below(uint64_t seed, smr_stream stream, uint64_t a, uint64_t b, int64_t n);

/* order[0..n) = a random permutation of 0 .. n-1 (Fisher-Yates). */
void smr_random_permutation(uint64_t seed, smr_stream stream, uint64_t a, int64_t n,
                            int64_t *order);
/* Puts item order[i] of the same permutation in place i: n items of `width` doubles, in place. */
void smr_random_shuffle(uint64_t seed, smr_stream stream, uint64_t a, int64_t n, int64_t width,
                        double *x);

#endif
