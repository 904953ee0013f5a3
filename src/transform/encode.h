/* encode.h -- the parts of encode.c: parameters, state, and how sums become codes. */
#ifndef SMR_TRANSFORM_ENCODE_H
#define SMR_TRANSFORM_ENCODE_H

#include "learn/learner.h"

enum { SMR_ENCODE_PRIOR, SMR_ENCODE_LEVEL }; /* what a gap is */

struct smr_encode_params {
    double smooth;
    int64_t folds;
    int missing; /* SMR_ENCODE_* */
    char *column;
};

/* What training rows are given while later stages are fitted to them; not saved. */
struct smr_encode_folds {
    int64_t n_rows, n;
    int32_t *fold; /* n_rows; -1: a row without a target, which the codes of all rows suit */
    double *code;  /* n x n_slots x width: of the rows outside a fold                      */
};

struct smr_encode_state {
    int64_t n_features;
    uint8_t *changed;
    int64_t width;     /* features that a category becomes */
    int64_t n_offsets; /* n_features + 1                   */
    int64_t *offset;   /* the slots of feature j are offset[j] .. offset[j + 1] - 1: one for each
                          level, and one for gaps; a feature that passes has none */
    int64_t n_slots;
    double *code;                   /* n_slots x width                                     */
    double *prior;                  /* width                                               */
    smr_strings answers;            /* width names of classes, with more than two; else none */
    struct smr_encode_folds *folds; /* NULL except while later stages are fitted */
};

static inline void smr_encode_free_folds(struct smr_encode_folds *f)
{
    if (!f) return;
    smr_free(f->fold);
    smr_free(f->code);
    smr_free(f);
}

/* Codes and prior of all rows that have a target. */
smr_status smr_encode_learn(smr_ctx *ctx, const struct smr_encode_params *params,
                            const smr_data *data, struct smr_encode_state *state);
/* The same of the rows outside each of the folds; data NULL: no longer. */
smr_status smr_encode_training(smr_ctx *ctx, const void *params, void *state, const smr_data *data);

#endif
