/* learners.h -- the registry as one JSON object, from the descriptors' tables alone. */
#ifndef SMR_REPORT_LEARNERS_H
#define SMR_REPORT_LEARNERS_H

#include "learn/learner.h"

/* Adds "head", the word that may begin a sentence, and "learners": one object each, with tasks,
 * what it takes, parameters and fitted state. */
smr_status smr_report_learners(smr_ctx *ctx, smr_json *into);
/* Adds the members of a word that is not a learner: the head of a sentence. */
smr_status smr_report_word(smr_ctx *ctx, const smr_word *word, smr_json *into);
/* Adds the members of one learner. */
smr_status smr_report_learner(smr_ctx *ctx, const smr_learner *learner, smr_json *into);
/* Columns of a line of help: no more than are pleasant to read, nor than the screen has. */
int64_t smr_help_width(const smr_text *out);
/* Appends the page of `samara help NAME`. */
smr_status smr_report_help(smr_ctx *ctx, const smr_learner *learner, smr_text *out);
smr_status smr_report_word_help(const smr_word *word, smr_text *out);

#endif
