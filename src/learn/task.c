/* task.c -- see task.h. */
#include "learn/task.h"

#include "learn/learner.h"

#include <string.h>

enum {
    NUMBERS = SMR_GIVES_VALUE | SMR_GIVES_INTERVAL,
    CLASSES = SMR_GIVES_PROBA | SMR_GIVES_DECISION | SMR_GIVES_SET | SMR_GIVES_LABEL,
    GROUPS = SMR_GIVES_PROBA | SMR_GIVES_DECISION | SMR_GIVES_LABEL,
    ALWAYS = SMR_GIVES_TRANSFORM | SMR_GIVES_SCORE
};

static const smr_task_facts facts[SMR_TASKS] = {
    [SMR_TASK_NONE] = {.name = "none",
                       .does = SMR_DOES_TRANSFORM,
                       .verb = "transforms",
                       .gives = NUMBERS | ALWAYS,
                       .answer = "value",
                       .usual = SMR_OUTPUT_TRANSFORM},
    [SMR_TASK_CLASSIFY] = {.name = "classify",
                           .does = SMR_DOES_CLASSIFY,
                           .verb = "classifies",
                           .needs_target = true,
                           .may_learn_target = true,
                           .of_classes = true,
                           .gives = CLASSES | ALWAYS,
                           .answer = "value",
                           .usual = SMR_OUTPUT_PROBA},
    [SMR_TASK_REGRESS] = {.name = "regress",
                          .does = SMR_DOES_REGRESS,
                          .verb = "predicts numbers",
                          .needs_target = true,
                          .may_learn_target = true,
                          .gives = NUMBERS | ALWAYS,
                          .answer = "value",
                          .usual = SMR_OUTPUT_VALUE},
    [SMR_TASK_CLUSTER] = {.name = "cluster",
                          .does = SMR_DOES_CLUSTER,
                          .verb = "finds clusters",
                          .of_classes = true,
                          .gives = GROUPS | ALWAYS,
                          .answer = "cluster",
                          .usual = SMR_OUTPUT_LABEL},
    [SMR_TASK_SEQUENCE] = {.name = "sequence",
                           .does = SMR_DOES_SEQUENCE,
                           .verb = "labels sequences",
                           .may_learn_target = true,
                           .of_classes = true,
                           .gives = GROUPS | ALWAYS,
                           .answer = "state",
                           .usual = SMR_OUTPUT_LABEL},
    [SMR_TASK_RECOMMEND] = {.name = "recommend",
                            .does = SMR_DOES_RECOMMEND,
                            .verb = "recommends",
                            .may_learn_target = true,
                            .gives = SMR_GIVES_VALUE | SMR_GIVES_SCORE,
                            .answer = "rating",
                            .usual = SMR_OUTPUT_VALUE},
    [SMR_TASK_DENSITY] = {.name = "density",
                          .does = SMR_DOES_DENSITY,
                          .verb = "estimates a density",
                          .of_features = true,
                          .of_classes = true,
                          .gives = ALWAYS,
                          .answer = "value",
                          .usual = SMR_OUTPUT_SCORE},
    [SMR_TASK_OUTLIERS] = {.name = "outliers",
                           .does = SMR_DOES_OUTLIERS,
                           .verb = "finds outliers",
                           .of_classes = true,
                           .gives = SMR_GIVES_SCORE, /* and labels, by a threshold: outliers.h */
                           .answer = "outlier",
                           .usual = SMR_OUTPUT_LABEL},
};

const smr_task_facts *smr_task_of(smr_task task)
{
    return &facts[task];
}

const char *smr_task_name(smr_task task)
{
    return (unsigned)task < SMR_TASKS ? facts[task].name : "unknown task";
}

bool smr_task_find(const char *name, smr_task *out)
{
    for (int k = 0; k < SMR_TASKS; k++)
        if (strcmp(facts[k].name, name) == 0) {
            *out = (smr_task)k;
            return true;
        }
    return false;
}
