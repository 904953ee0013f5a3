/* synonyms.h -- what learners and parameters are called elsewhere, for messages that help. */
#ifndef SMR_CORE_SYNONYMS_H
#define SMR_CORE_SYNONYMS_H

#include "core/word.h"

enum { SMR_SYNONYM_MAX = 64 };
/* Do others call this word `name`?  out: what it is called here, with the parameter that makes it
 * so: "forest mode=extra". */
bool smr_word_called(const smr_word *word, const char *name, char out[SMR_SYNONYM_MAX]);
/* The parameter of this word that others call `name`, and in *note how the numbers compare ("",
 * or " (...)"); NULL: none that is known. */
const char *smr_param_called(const smr_word *word, const char *name, const char **note);
/* The one of these choices that others call `name`; NULL: none that is known. */
const char *smr_choice_called(const smr_choice *choices, const char *name);
/* Where to find what others give as the parameter `name`; NULL: not known. *out_of_bag: this
 * applies only to learners that report their error on rows left out. */
const char *smr_param_beside(const char *name, bool *out_of_bag);

#endif
