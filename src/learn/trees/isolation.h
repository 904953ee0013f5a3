/* isolation.h -- what the files of isolation share. */
#ifndef SMR_LEARN_TREES_ISOLATION_H
#define SMR_LEARN_TREES_ISOLATION_H

#include "learn/trees/trees.h"

struct smr_isolation_params {
    int64_t trees, sample;
};

struct smr_isolation_state {
    smr_trees trees; /* first: smr_trees_prepare_state */
    int64_t n_features;
    int64_t form;  /* smr_form of the training rows */
    int64_t drawn; /* rows of each tree             */
};

/* c(n): the questions that a search for one of n values asks on average. */
double smr_isolation_usual(int64_t n);

/* isolation_fit.c */
smr_status smr_isolation_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                             smr_fit_report *report);

/* Rows that trees draw, of the data's `row`s: dense, or with their entries. */
struct smr_isolation_rows {
    int64_t n, d;
    double *x;      /* n x d; NULL: sparse */
    int64_t *start; /* n + 1               */
    int32_t *column;
    double *value;
    const smr_feature *features; /* NULL: numbers */
};

/* isolation_grow.c: one tree from those `n` of the rows; it may change their order. */
smr_status smr_isolation_grow(smr_ctx *ctx, const struct smr_isolation_rows *rows, uint64_t seed,
                              int64_t tree, int64_t n, int32_t *of, smr_sapling *out);

#endif
