/* state.h -- a fitted state by its table: made, released, measured. */
#ifndef SMR_LEARN_STATE_H
#define SMR_LEARN_STATE_H

#include "learn/learner.h"

smr_status smr_state_create(smr_ctx *ctx, const smr_learner *learner, void **out);
/* Frees what prepare built, every array of the table, and the struct; accepts NULL. */
void smr_state_free(const smr_learner *learner, void *state);

/* Frees an array of features with their names; accepts NULL. */
void smr_features_free(smr_feature *features, int64_t n);

/* True for whole and real numbers, false for arrays and members. */
bool smr_state_is_scalar(const smr_state *row);
/* The members of a row of that type, or NULL for other types. */
smr_members *smr_state_members(const smr_state *row, const void *state);
smr_dtype smr_state_dtype(const smr_state *row);
/* The array of a row (NULL: absent, or members), or the address of the number. */
void *smr_state_values(const smr_state *row, const void *state);
/* Shape of an array by its named dimensions; returns the rank (0 for a number), *count elements. */
int smr_state_shape(const smr_learner *learner, const smr_state *row, const void *state,
                    int64_t shape[3], int64_t *count);

#endif
