/* target.h -- what a model predicts: which columns, which task, which classes. */
#ifndef SMR_LEARN_TARGET_H
#define SMR_LEARN_TARGET_H

#include "learn/schema.h"
#include "learn/task.h"

typedef struct smr_target {
    smr_task task;
    int64_t n; /* target columns; 0: unsupervised                                            */
    bool held; /* the model is not fitted to it, but judged by it: the known classes of a
                  clustering */
    char **names;
    smr_strings classes; /* classify: sorted numerically if all are numbers, else bytewise   */
    int64_t positive;    /* the class whose precision and recall are reported; the last; of
                            outliers: their class, classes.n: all but the most frequent one   */
    double *mean, *sd;   /* n each, when the targets were standardised; else NULL            */
    bool has_threshold;  /* two classes: a row is positive from this score on (its probability,
                             or where there is none its decision score), else the larger score
                             decides; outliers: a row is one below this score                  */
    double threshold;
    char *threshold_how; /* how it was chosen, for people; or NULL                           */
} smr_target;

/* What the user and the learner say about the target. */
typedef struct smr_target_opts {
    smr_task forced;      /* SMR_TASK_NONE: decided by the rule below              */
    unsigned tasks;       /* what the learner does: SMR_DOES_* bits                */
    bool numbers_first;   /* a few whole numbers are still numbers                 */
    const char *learner;  /* its name, for messages                                */
    const char *positive; /* name of the positive class, or NULL: the last         */
    bool compared;        /* only compared with what was found: one class will do  */
    const char *classes;  /* "a,b,c": all classes, even those without a row; or NULL: the table's */
} smr_target_opts;

/* Decides the task: the learner's only one, else the forced one, else text or at most 20 distinct
 * whole numbers -> classify, anything else -> regress.  The class list comes from the whole
 * table. */
smr_status smr_target_infer(smr_ctx *ctx, const smr_table *table, const int64_t *cols, int64_t n,
                            const smr_target_opts *opts, smr_target *out);
smr_status smr_target_copy(smr_ctx *ctx, const smr_target *from, smr_target *to);
void smr_target_release(smr_target *target);

/* Class numbers of all rows of a table, -1 where missing; a class that the target does not know
 * is an error that names it. */
smr_status smr_target_labels(smr_ctx *ctx, const smr_target *target, const smr_table *table,
                             int32_t *labels);
/* The values of the one target where the table holds them as they are wanted, one double after
 * another; else *y is NULL.  As smr_target_values, fails for text and infinite values. */
smr_status smr_target_view(smr_ctx *ctx, const smr_target *target, const smr_table *table,
                           const double **y);
/* n_rows x n values, NaN where missing. */
smr_status smr_target_values(smr_ctx *ctx, const smr_target *target, const smr_table *table,
                             double *y);
/* Sets the threshold of two classes; how may be NULL. */
smr_status smr_target_set_threshold(smr_ctx *ctx, smr_target *target, double threshold,
                                    const char *how);
/* Are the model's labels classes of the target?  Else they are numbers of clusters or states. */
bool smr_target_names_classes(const smr_target *target);
/* The class of a row from its scores, one for each class. */
int64_t smr_target_label(const smr_target *target, const double *scores);
/* Which class known outliers are of, by all rows of a table (smr_target.positive): the one that is
 * named (NULL: none); else the rarer one of two; else all but the most frequent. */
smr_status smr_target_find_outliers(smr_ctx *ctx, const smr_table *table, const char *positive,
                                    smr_target *target);
/* Are all target columns there? */
bool smr_target_present(const smr_target *target, const smr_table *table);

#endif
