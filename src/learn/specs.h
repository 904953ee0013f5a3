/* specs.h -- sentences inside a sentence: the grammar of parameters that hold smr_specs.
 *
 * Each is read in full when it is set, so that a mistake is found at once, with the path to it:
 * "calibrate of=(knn kk=3): knn has no parameter 'kk'; did you mean 'k'?". */
#ifndef SMR_LEARN_SPECS_H
#define SMR_LEARN_SPECS_H

#include "learn/spec.h"

/* Reads "(knn 5),(tree)" or "knn"; writes "(knn k=5 ...),(tree ...)", or "none". */
extern const smr_grammar smr_sentences;

/* Are the sentences of this learner's parameters there, and do they do the tasks they must?  A word
 * alone does not know: this is asked when a step is complete. */
smr_status smr_specs_check(smr_ctx *ctx, const smr_learner *learner, const void *params);

/* SMR_DOES_* bits that all of them do; all bits if there are none. */
unsigned smr_specs_tasks(const smr_specs *specs);
/* Appends the names of a sentence's learners: "standardize | knn". */
void smr_specs_name(const smr_spec *spec, smr_text *out);

/* The learner of the shortest sentence that may be given there, for suggestions and tests: it does
 * all of `tasks` where one does, and has no members itself; or NULL. */
const smr_learner *smr_specs_example(const smr_learner *learner, const smr_param *param,
                                     unsigned tasks);

#endif
