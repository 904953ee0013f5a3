/* onehot.h -- the parts of one-hot coding: which levels get a feature, and what rows become. */
#ifndef SMR_TRANSFORM_ONEHOT_H
#define SMR_TRANSFORM_ONEHOT_H

#include "learn/learner.h"

struct smr_onehot_params {
    int64_t max_levels;
    int drop;
    int64_t min_rows; /* SMR_UNSET_INT: the rule of onehot_fit.c */
};

enum { SMR_ONEHOT_ALL, SMR_ONEHOT_BUT_FIRST, SMR_ONEHOT_BUT_FREQUENT };

/* What a level sets, where it is no output: the level that is left out sets none, and one that
 * counts as unknown the shares of the known ones. */
enum { SMR_ONEHOT_NONE = -1, SMR_ONEHOT_UNKNOWN = -2 };

enum { SMR_ONEHOT_FEW = 3 }; /* rows that teach a level something; fewer do not */

struct smr_onehot_state {
    int64_t n_features;
    int64_t n_outputs;
    int64_t *offset; /* n_features + 1: where the levels of a feature begin in slot          */
    int64_t *first;  /* n_features: its first output                                        */
    int64_t n_slots;
    int32_t *slot;
    int64_t n_offsets;
    int32_t *missing; /* n_features: which of its outputs a missing value sets, or -1; or NULL */
    double *weight;   /* n_outputs: of the training rows that set it; NULL: of an older file   */
    double *known;    /* n_features: of its rows with a known level; 0: a gap means something  */
    double *gaps;     /* n_features: of its rows without a category; of a stream only          */
};

/* Outputs of feature j. */
static inline int64_t smr_onehot_width(const struct smr_onehot_state *s, int64_t j)
{
    return (j + 1 < s->n_features ? s->first[j + 1] : s->n_outputs) - s->first[j];
}

smr_status smr_onehot_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                          smr_fit_report *report);
smr_status smr_onehot_begin(smr_ctx *ctx, const void *params, const smr_shape *shape, void *state);

#endif
