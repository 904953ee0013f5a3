/* params.h -- parameters by their table: defaults, reading, range checks, canonical text. */
#ifndef SMR_CORE_PARAMS_H
#define SMR_CORE_PARAMS_H

#include "core/word.h"

/* A parameter struct with every default set; released with smr_params_free. */
smr_status smr_params_create(smr_ctx *ctx, const smr_word *word, void **out);
/* A copy, which shares no memory with the first. */
smr_status smr_params_copy(smr_ctx *ctx, const smr_word *word, const void *from, void **out);
void smr_params_free(const smr_word *word, void *params);

/* The same for a struct of the caller's: *params is zeroed before; release leaves it zeroed. */
smr_status smr_params_begin(smr_ctx *ctx, const smr_word *word, void *params);
smr_status smr_params_assign(smr_ctx *ctx, const smr_word *word, const void *from, void *params);
void smr_params_release(const smr_word *word, void *params);

/* Row of the table by name, or NULL. */
const smr_param *smr_param_find(const smr_word *word, const char *name);
/* The parameter that may be given without its key, or NULL. */
const smr_param *smr_param_primary(const smr_word *word);

/* Sets one parameter from the text of its value ("5", "yes", "distance", "0.1,1,10"); "none" unsets
 * one that may be unset. */
smr_status smr_param_set(smr_ctx *ctx, const smr_word *word, void *params, const smr_param *param,
                         const char *value);
/* The same; saved: the text comes out of a model file, where words inside a phrase may have
 * parameters that are not read. */
smr_status smr_param_read(smr_ctx *ctx, const smr_word *word, void *params, const smr_param *param,
                          const char *value, bool saved);

/* Is a parameter that may be unset still unset? */
bool smr_param_is_unset(const smr_param *param, const void *params);
/* How many numbers or phrases it holds; 1 for what holds one value, 0 where that is unset. */
int64_t smr_param_count(const smr_param *param, const void *params);
/* Is the parameter read, given the others (its `when`)? */
bool smr_param_is_read(const smr_word *word, const void *params, const smr_param *param);
/* Do conditions as those of `when` hold, "solver=sgd&l1=none"? */
bool smr_params_hold(const smr_word *word, const void *params, const char *when);
/* Does a sentence leave it out: is it not read, or unset and without a text for that? */
bool smr_param_is_left_out(const smr_word *word, const void *params, const smr_param *param);

/* Gives every parameter that the others leave unread its default again. */
smr_status smr_params_drop_unread(smr_ctx *ctx, const smr_word *word, void *params);

/* The rules between parameters, after all were set.  given[i]: row i was set by the user, for whom
 * it is an error if it is not read; NULL: no such errors. */
smr_status smr_params_check(smr_ctx *ctx, const smr_word *word, const void *params,
                            const bool *given);

/* Appends the value as it would be written in a sentence. */
void smr_param_write(const smr_param *param, const void *params, smr_text *out);
/* Appends the word with every parameter that is not left out: "knn k=5 metric=euclidean". */
void smr_word_write(const smr_word *word, const void *params, smr_text *out);
/* Appends the default's value, and the range in words: "[0, inf)", "yes or no", "mean, median". */
void smr_param_write_default(const smr_param *param, smr_text *out);
void smr_param_write_range(const smr_param *param, smr_text *out);
/* Appends when it is read, if that depends on others: "with solver=gd", "without l2", "with fewer
 * than 2 of of". */
void smr_param_write_when(const smr_param *param, smr_text *out);

/* The field of a parameter. */
static inline void *smr_param_at(const smr_param *param, void *params)
{
    return (char *)params + param->offset;
}

static inline const void *smr_param_in(const smr_param *param, const void *params)
{
    return (const char *)params + param->offset;
}

#endif
