/* spec.h -- a model is written as a sentence.
 *
 *     spec  := stage ('|' stage)*
 *     stage := name [value] (key '=' value)*
 *     value := atom (',' atom)*
 *     atom  := number | word | 'quoted' | "quoted" | '(' balanced text ')'
 *
 * A quote inside quoted text is written twice: 'it''s'.  A parameter that holds sentences takes
 * each in parentheses, or a bare name: of=(knn 5),(ridge), of=knn.  Parentheses nest 16 deep.
 * Names and words are [A-Za-z_][A-Za-z0-9_.-]*; booleans are yes and no.  A learner has at most one
 * primary parameter, which may be given without its key.  An unknown name, an unused or
 * out-of-range value is an error, answered with the nearest right name and the allowed range. */
#ifndef SMR_LEARN_SPEC_H
#define SMR_LEARN_SPEC_H

#include "learn/learner.h"

/* Reads a sentence into stages that are not fitted: learner and params are set. */
smr_status smr_spec_parse(smr_ctx *ctx, const char *sentence, smr_stage **stages, int64_t *n);

/* Appends the canonical sentence: every parameter that is read, defaults included. */
void smr_spec_write(const smr_stage *stages, int64_t n, smr_text *out);

/* The tasks a stage can do: its learner's, less those that a member it was given cannot do. */
unsigned smr_stage_tasks(const smr_stage *stage);
/* Does it take few whole numbers as numbers?  One made of learners does where the members that
 * decide its task do. */
bool smr_stage_numbers_first(const smr_stage *stage);
/* Appends its name, with the names of its members: "conformal of=(standardize | ridge)". */
void smr_stage_name(const smr_stage *stage, smr_text *out);

/* Releases stages with all they own: parameters, states, feature names. */
void smr_stages_free(smr_stage *stages, int64_t n);

#endif
