/* params.h -- parameters by their table: defaults, reading, range checks, canonical text. */
#ifndef SMR_LEARN_PARAMS_H
#define SMR_LEARN_PARAMS_H

#include "learn/learner.h"

/* A parameter struct with every default set; released with smr_params_free. */
smr_status smr_params_create(smr_ctx *ctx, const smr_learner *learner, void **out);
void smr_params_free(const smr_learner *learner, void *params);

/* Row of the table by name, or NULL. */
const smr_param *smr_param_find(const smr_learner *learner, const char *name);
/* The parameter that may be given without its key, or NULL. */
const smr_param *smr_param_primary(const smr_learner *learner);

/* Sets one parameter from the text of its value ("5", "yes", "distance", "0.1,1,10"). */
smr_status smr_param_set(smr_ctx *ctx, const smr_learner *learner, void *params,
                         const smr_param *param, const char *value);

/* Is the parameter read, given the others (its `when`)? */
bool smr_param_is_read(const smr_learner *learner, const void *params, const smr_param *param);

/* The rules between parameters, after all were set.  given[i]: row i was set by the user. */
smr_status smr_params_check(smr_ctx *ctx, const smr_learner *learner, const void *params,
                            const bool *given);

/* A list of numbers that nobody gave, and whose default is none: a sentence leaves it out. */
bool smr_param_is_empty(const smr_param *param, const void *params);

/* Appends the value as it would be written in a sentence. */
void smr_param_write(const smr_param *param, const void *params, smr_text *out);
/* Appends the default's value, and the range in words: "[0, inf)", "yes or no", "mean, median". */
void smr_param_write_default(const smr_param *param, smr_text *out);
void smr_param_write_range(const smr_param *param, smr_text *out);

#endif
