/* spec.h -- a model is written as a sentence, which is read once and travels as an smr_spec.
 *
 *     spec  := [head '|'] step ('|' step)*
 *     head  := 'columns' settings
 *     step  := name settings
 *     settings := [value] (key '=' value)*
 *     value := atom (',' atom)*
 *     atom  := number | word | 'quoted' | "quoted" | '(' balanced text ')'
 *
 * The value of a parameter that holds a kernel is an expression: quoted, in parentheses, or without
 * blanks outside them, kernel=2*rbf(gamma=0.1) (learn/kernels/kernel_expr.h).
 * A quote inside quoted text is written twice: 'it''s'.  A parameter that holds sentences takes
 * each in parentheses, or a bare name: of=(knn 5),(ridge), of=knn.  Parentheses nest 16 deep.
 * Names and words are [A-Za-z_][A-Za-z0-9_.-]*; booleans are yes and no.  A word has at most one
 * primary parameter, which may be given without its key.  An unknown name, an unused or
 * out-of-range value is an error that gives the nearest right name and the allowed range. */
#ifndef SMR_LEARN_SPEC_H
#define SMR_LEARN_SPEC_H

#include "core/params.h"
#include "learn/columns.h"
#include "learn/learner.h"

/* A learner with its parameters, as a sentence says them: nothing is fitted. */
typedef struct smr_step {
    const smr_learner *learner;
    void *params; /* owned */
} smr_step;

/* A sentence.  Values are changed only in a copy. */
typedef struct smr_spec {
    smr_head head;
    smr_step *steps;
    int64_t n; /* at least 1 */
} smr_spec;

/* Sentences that a parameter holds (learn/specs.h). */
typedef struct smr_specs {
    int64_t n;
    smr_spec **spec; /* owned */
} smr_specs;

smr_status smr_spec_parse(smr_ctx *ctx, const char *sentence, smr_spec **out);
/* The same for a sentence out of a model file.  Parameters that the others leave unread are passed
 * over: earlier versions wrote some of them. */
smr_status smr_spec_parse_saved(smr_ctx *ctx, const char *sentence, smr_spec **out);
smr_status smr_spec_copy(smr_ctx *ctx, const smr_spec *spec, smr_spec **out);
void smr_spec_free(smr_spec *spec);

/* Checks the rules between the parameters of each step, members included, after values were
 * changed. */
smr_status smr_spec_check(smr_ctx *ctx, const smr_spec *spec);

/* Appends the canonical sentence: every parameter that is read, defaults included; the head where
 * it was written. */
void smr_spec_write(const smr_spec *spec, smr_text *out);
/* The same as a string of its own. */
smr_status smr_spec_text(smr_ctx *ctx, const smr_spec *spec, char **out);

const smr_step *smr_spec_last(const smr_spec *spec);

/* The sentences that row i of the step's parameters holds; NULL: it holds none, or is not read. */
const smr_specs *smr_step_specs(const smr_step *step, int64_t row);
/* What a learner is with the defaults of its parameters. */
smr_status smr_nature_by_default(smr_ctx *ctx, const smr_learner *learner, smr_nature *out);
/* The tasks a step can do: its learner's with these parameters, less those that a member it was
 * given cannot do. */
unsigned smr_step_tasks(const smr_step *step);
/* Does it take a few whole numbers as numbers?  One made of learners does if the members that
 * decide its task do. */
bool smr_step_numbers_first(const smr_step *step);
/* The name of the measure that suits its loss, or the loss of its members; NULL: the usual one of
 * the task. */
const char *smr_step_judged_by(const smr_step *step);
/* Appends its name, with the names of its members: "conformal of=(standardize | ridge)". */
void smr_step_name(const smr_step *step, smr_text *out);

/* Do all learners of the sentence take these (SMR_TAKES_*), members included? */
bool smr_spec_takes(const smr_spec *spec, unsigned takes);
/* Does any of them have one of these traits (SMR_KEEPS_DATA ...)? */
bool smr_spec_has_trait(const smr_spec *spec, unsigned traits);

/* ---- stages ---- */

/* A stage as a step: what the sentence of a fitted model says there.  It owns nothing. */
static inline smr_step smr_stage_step(const smr_stage *stage)
{
    return (smr_step){.learner = stage->learner, .params = stage->params};
}

/* Appends the sentence of fitted stages; head NULL: without one. */
void smr_stages_write(const smr_head *head, const smr_stage *stages, int64_t n, smr_text *out);

#endif
