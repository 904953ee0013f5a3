/* sentence.h -- a sentence that tries one learner of the registry. */
#ifndef SMR_TESTS_SENTENCE_H
#define SMR_TESTS_SENTENCE_H

#include "check.h"
#include "said.h"

#include "learn/specs.h"

/* How many rounds a learner that grows in rounds gets: each is like the others, and a test that
 * repeats a fit for each of its allocations should end. */
static inline void add_rounds(const smr_learner *l, char *out, size_t room)
{
    for (int64_t i = 0; l->fitted->rounds && i < l->word->n_params; i++) {
        const smr_param *p = &l->word->params[i];
        size_t used = strlen(out);
        if (p->primary && p->type == SMR_PARAM_INT && p->def > 6)
            snprintf(out + used, room - used, " %s=6", p->name);
    }
}

/* Does it read a column of texts whatever its parameters are?  A learner with a kernel does with
 * some kernels only. */
static inline bool reads_a_text(const smr_learner *l)
{
    return l->texts && smr_param_find(l->word, "column");
}

/* The learner alone: its name, and where it is made of members the first learner of the registry
 * that may be given there: "calibrate of=(knn)".  One that reads texts reads the numbers of x0. */
static inline void sentence_of(const smr_learner *l, smr_task task, char *out, size_t room)
{
    unsigned does = task == SMR_TASK_CLASSIFY  ? SMR_DOES_CLASSIFY
                    : task == SMR_TASK_REGRESS ? SMR_DOES_REGRESS
                                               : SMR_DOES_TRANSFORM;
    static const char *const few[] = {"max_features", "buckets"};
    snprintf(out, room, "%s%s", l->word->name, reads_a_text(l) ? " column=x0" : "");
    for (int64_t i = 0; reads_a_text(l) && i < l->word->n_params * SMR_COUNT(few); i++) {
        size_t used = strlen(out);
        if (strcmp(l->word->params[i / SMR_COUNT(few)].name, few[i % SMR_COUNT(few)]) == 0)
            snprintf(out + used, room - used, " %s=20", few[i % SMR_COUNT(few)]);
    }
    add_rounds(l, out, room);
    for (int64_t i = 0; i < l->word->n_params; i++) {
        const smr_param *p = &l->word->params[i];
        if (p->type != SMR_PARAM_PHRASE || p->least == 0 || p->def_text) continue;
        const smr_learner *member = smr_specs_example(l, p, does);
        assert_non_null(member);
        for (int64_t k = 0; k < p->least; k++) {
            size_t used = strlen(out);
            if (k)
                snprintf(out + used, room - used, ",(%s)", member->word->name);
            else
                snprintf(out + used, room - used, " %s=(%s)", p->name, member->word->name);
        }
    }
}

#endif
