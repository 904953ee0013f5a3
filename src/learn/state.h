/* state.h -- a fitted state by its table: made, released, measured. */
#ifndef SMR_LEARN_STATE_H
#define SMR_LEARN_STATE_H

#include "data/image.h"
#include "learn/learner.h"

smr_status smr_state_create(smr_ctx *ctx, const smr_learner *learner, void **out);
/* Frees what prepare built, every array of the table, and the struct; accepts NULL.  For states
 * that were not loaded: no array lies in an image. */
void smr_state_free(const smr_learner *learner, void *state);
/* The same for the state of a stage, and lets its image go. */
void smr_stage_release_state(smr_stage *stage);

/* Before a stage learns: copies what lies in its file's image, including its members' arrays, to
 * blocks that may be changed, resized and freed.  Nothing to do for a state that was fitted.  After
 * a failure the stage predicts as before. */
smr_status smr_stage_own(smr_ctx *ctx, smr_stage *stage);

/* Frees an array of features with their names; accepts NULL. */
void smr_features_free(smr_feature *features, int64_t n);

/* ---- tensors and strings ---------------------------------------------------------------- */

/* Makes room for n tensors without names, shapes and values. */
smr_status smr_tensors_create(smr_ctx *ctx, int64_t n, smr_tensors *out);
/* Names tensor k and gives it zeroed values. */
smr_status smr_tensors_set(smr_ctx *ctx, smr_tensors *list, int64_t k, const char *name,
                           smr_dtype dtype, int rank, const int64_t *shape);
/* By name, or NULL. */
const smr_tensor *smr_tensors_find(const smr_tensors *list, const char *name);
/* Elements. */
int64_t smr_tensor_count(const smr_tensor *tensor);
/* [A-Za-z0-9_.-]+ */
bool smr_tensor_name_is_good(const char *name);

/* ---- rows ------------------------------------------------------------------------------- */

/* Is the row in files of that version of its learner? */
bool smr_state_is_in(const smr_state *row, int version);
/* The version of a learner: at least 1. */
int smr_learner_version(const smr_learner *learner);
/* Its name in files of that version. */
const char *smr_state_name(const smr_state *row, int version);

/* True for whole and real numbers. */
bool smr_state_is_scalar(const smr_state *row);
/* True for arrays of one of the types of smr_dtype: neither numbers nor lists. */
bool smr_state_is_array(const smr_state *row);
/* The members, strings or tensors of a row of that type, or NULL for other types. */
smr_members *smr_state_members(const smr_state *row, const void *state);
smr_strings *smr_state_strings(const smr_state *row, const void *state);
smr_tensors *smr_state_tensors(const smr_state *row, const void *state);
/* For numbers and arrays. */
smr_dtype smr_state_dtype(const smr_state *row);
/* The array of a row (NULL: absent, or not an array), or the address of the number. */
void *smr_state_values(const smr_state *row, const void *state);
/* Shape of an array by its named dimensions; returns the rank (0 for a number), *count elements (at
 * most INT64_MAX). */
int smr_state_shape(const smr_learner *learner, const smr_state *row, const void *state,
                    int64_t shape[SMR_RANK_MAX], int64_t *count);
/* Frees what the row holds, except what lies in the image (NULL: none), and makes it absent. */
void smr_state_clear(const smr_state *row, void *state, const smr_image *image);

#endif
