/* synonyms.h -- what learners and parameters are called elsewhere, for messages that help. */
#ifndef SMR_CORE_SYNONYMS_H
#define SMR_CORE_SYNONYMS_H

#include "core/word.h"

/* The learner that others call `name`; NULL: none that is known. */
const char *smr_learner_called(const char *name);
/* The parameter of this word that others call `name`, and in *note how the numbers compare ("",
 * or " (...)"); NULL: none that is known. */
const char *smr_param_called(const smr_word *word, const char *name, const char **note);
/* The one of these choices that others call `name`; NULL: none that is known. */
const char *smr_choice_called(const smr_choice *choices, const char *name);
/* Where that is to be found which others give as the parameter `name`; NULL: not known.  *kept: it
 * holds only of learners whose state has this row; NULL: of all. */
const char *smr_param_beside(const char *name, const char **kept);

#endif
