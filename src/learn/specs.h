/* specs.h -- sentences inside a sentence: the values of parameters of type SMR_PARAM_SPECS.
 *
 * Each is read in full when it is set, so that a mistake is found at once, with the path to it:
 * "calibrate of=(knn kk=3): knn has no parameter 'kk'; did you mean 'k'?".  What is kept is the
 * canonical sentence, defaults included. */
#ifndef SMR_LEARN_SPECS_H
#define SMR_LEARN_SPECS_H

#include "core/text.h"
#include "learn/learner.h"

/* Reads "(knn 5),(tree)" or "knn"; what *out held is released. */
smr_status smr_specs_read(smr_ctx *ctx, const smr_learner *learner, const smr_param *param,
                          const char *value, smr_specs *out);
/* "(knn k=5 ...),(tree ...)". */
void smr_specs_write(const smr_specs *specs, smr_text *out);
void smr_specs_release(smr_specs *specs);

/* The failure of a parameter that must be given and was not. */
smr_status smr_specs_missing(smr_ctx *ctx, const smr_learner *learner, const smr_param *param);

/* The learner of the shortest sentence that may stand there, for suggestions and tests: it does all
 * of `tasks` where one does, and has no members itself; or NULL. */
const smr_learner *smr_specs_example(const smr_learner *learner, const smr_param *param,
                                     unsigned tasks);

#endif
