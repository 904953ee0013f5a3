/* task.h -- what is known about each task.  Code that must treat tasks differently reads this table
 * (study/ has one of its own for how each is judged); nothing else lists them. */
#ifndef SMR_LEARN_TASK_H
#define SMR_LEARN_TASK_H

#include "samara.h"

typedef struct smr_task_facts {
    const char *name; /* as in --task, and in the model file */
    unsigned does;    /* SMR_DOES_* */
    const char *verb; /* "classifies": what a learner of it does, for messages */
    /* Whether it learns from a target: always, or where one is named.  Where it does not, a named
     * target is held back, and answers are compared with it. */
    bool needs_target, may_learn_target;
    bool of_classes;    /* that target's values are classes, not numbers      */
    unsigned gives;     /* outputs that make sense: bits 1 << SMR_OUTPUT_*    */
    bool of_features;   /* its scores are densities of the features               */
    const char *answer; /* what a label or value is called where no target names it */
    smr_output usual;   /* what a model is asked for by default, if it gives that */
} smr_task_facts;

/* For any task. */
const smr_task_facts *smr_task_of(smr_task task);
/* By name, or false. */
bool smr_task_find(const char *name, smr_task *out);
/* How many there are: they are 0 .. this - 1. */
enum { SMR_TASKS = SMR_TASK_OUTLIERS + 1 };

#endif
