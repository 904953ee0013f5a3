/* synonyms.h -- what learners and parameters are called elsewhere, for messages that help. */
#ifndef SMR_LEARN_SYNONYMS_H
#define SMR_LEARN_SYNONYMS_H

#include "learn/learner.h"

enum { SMR_SYNONYM_MAX = 64 };
/* The learner that others call `name`, with the parameter that makes it so: "forest mode=extra";
 * false: none that is known. */
bool smr_learner_called(const char *name, char out[SMR_SYNONYM_MAX]);
/* The parameter of this learner that others call `name`, and in *note how the numbers compare ("",
 * or " (...)"); NULL: none that is known. */
const char *smr_param_called(const smr_learner *learner, const char *name, const char **note);
/* The one of these choices that others call `name`; NULL: none that is known. */
const char *smr_choice_called(const smr_choice *choices, const char *name);
/* Where that is to be found which others give as the parameter `name`; NULL: not known. */
const char *smr_param_beside(const smr_learner *learner, const char *name);

#endif
