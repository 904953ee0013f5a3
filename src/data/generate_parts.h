/* generate_parts.h -- what the files of generate share. */
#ifndef SMR_DATA_GENERATE_PARTS_H
#define SMR_DATA_GENERATE_PARTS_H

#include "core/text.h"
#include "data/generate.h"
#include "math/trig.h"

#define SMR_MAX_ROWS 1e10
#define SMR_MAX_COLUMNS 1e6

/* A table in the making. */
typedef struct smr_making {
    uint64_t seed;
    int64_t n, d;
    int64_t n_classes; /* 0: the target is a number                                        */
    int64_t *order;    /* a random permutation of the rows, if the plan asked for one      */
    double *shared;    /* what all rows share, made by the plan                            */
    smr_text notes;    /* "key: value" lines                                               */
} smr_making;

/* Name, offset and type come from the struct. */
#define MAKE_FIELD(type_, field_)                       \
    .name = #field_, .offset = offsetof(type_, field_), \
    .type = _Generic(((type_ *)0)->field_, double       \
                     : SMR_MAKE_REAL, int64_t           \
                     : SMR_MAKE_INT, smr_make_list      \
                     : SMR_MAKE_LIST)

/* Purposes of draws: never renumbered, or old seeds change their tables. */
enum {
    DRAW_ORDER = 1,
    DRAW_X = 2,
    DRAW_NOISE = 3,
    DRAW_LABEL = 4,
    DRAW_FLIP = 5,
    DRAW_SHARED = 6 /* centres, coefficients: "row" is their number */
};

static inline uint64_t draw_key(int purpose, int64_t j)
{
    return (uint64_t)purpose << 40 | (uint64_t)j;
}

/* Uniform in [0, 1): the j-th of its purpose for row i. */
static inline double draw_unit(const smr_making *m, int purpose, int64_t i, int64_t j)
{
    return smr_random_unit(m->seed, SMR_STREAM_GENERATE, draw_key(purpose, j), (uint64_t)i);
}

/* One of 0 .. n-1. */
static inline int64_t draw_below(const smr_making *m, int purpose, int64_t i, int64_t j, int64_t n)
{
    return smr_random_below(m->seed, SMR_STREAM_GENERATE, draw_key(purpose, j), (uint64_t)i, n);
}

/* x[0..n) standard normal. */
static inline void draw_normals(const smr_making *m, int purpose, int64_t i, int64_t n, double *x)
{
    for (int64_t j = 0; j < n; j += 2) {
        double pair[2];
        smr_random_normals(m->seed, SMR_STREAM_GENERATE, draw_key(purpose, j / 2), (uint64_t)i,
                           pair);
        x[j] = pair[0];
        if (j + 1 < n) x[j + 1] = pair[1];
    }
}

static inline double draw_normal(const smr_making *m, int purpose, int64_t i)
{
    double z;
    draw_normals(m, purpose, i, 1, &z);
    return z;
}

/* Sizes; the order of rows that makes classes exactly even. */
smr_status smr_making_order(smr_ctx *ctx, smr_making *m);
/* Room for n shared numbers. */
smr_status smr_making_shared(smr_ctx *ctx, smr_making *m, int64_t n);
/* Adds "key: v0 v1 ..." to the notes; a key with a number in front of the colon when k >= 0. */
void smr_making_note(smr_making *m, const char *key, int64_t k, int64_t n, const double *values);

/* The key of the least error that any rule can have, where the plan knows it. */
#define LEAST_ERROR "least error"

/* Squared distance of x from place t of class k. */
typedef double (*smr_place_fn)(const smr_making *m, const void *params, int64_t k, int64_t t,
                               const double *x);
/* p[k] = P(class k | x) where every class is an even mixture of `places` round normal clouds with
 * deviation sd, and all classes are equally frequent; sd = 0: the classes of the nearest places. */
void smr_making_posterior(const smr_making *m, const void *params, smr_place_fn distance,
                          int64_t places, double sd, const double *x, double *p);
/* The same when a row's class is replaced by one of the others with probability flip. */
void smr_making_flip(int64_t n_classes, double flip, double *p);

extern const smr_generator smr_make_blobs, smr_make_checkerboard, smr_make_circles,
    smr_make_classification, smr_make_friedman1, smr_make_friedman2, smr_make_friedman3,
    smr_make_linear, smr_make_moons, smr_make_parity, smr_make_poly, smr_make_sine,
    smr_make_sparse_linear, smr_make_spirals, smr_make_swissroll, smr_make_twoclass, smr_make_xor;

#endif
