/* judge.h -- how each task is judged: the one table that cross-validation, tuning, curves,
 * comparisons, evaluation and reports read instead of listing tasks.
 *
 *     task       split by           gathered                    pooled     usual measure
 *     classify   rows, groups       probabilities or scores     joined     accuracy
 *     regress    rows, groups       values                      joined     rmse
 *     recommend  rows, groups       values                      joined     rmse
 *     cluster    rows, groups       labels, inputs              averaged   adjusted_rand; without
 *                                                                          classes silhouette
 *     sequence   whole sequences    labels, log-likelihoods     averaged   accuracy; without
 *                                                                          classes log_likelihood
 *     density    rows, groups       log-densities               averaged   log_density
 *
 * Joined: the predictions of all rounds are measured together.  Averaged: cluster and state numbers
 * of different fits mean different things, so the pooled figure is the mean over rounds, weighted
 * by their rows.  Sequences are the groups of the training set (learn/model.h). */
#ifndef SMR_SELECT_JUDGE_H
#define SMR_SELECT_JUDGE_H

#include "learn/model.h"
#include "metric/metric.h"

typedef enum smr_judged_as {
    SMR_JUDGED_NOT = 0,    /* answers are features                                        */
    SMR_JUDGED_AS_CLASSES, /* beside the classes that the model learned                   */
    SMR_JUDGED_AS_NUMBERS, /* beside the numbers that the model learned                   */
    SMR_JUDGED_AS_FOUND    /* what it found by itself, and classes where they are known   */
} smr_judged_as;

typedef struct smr_judge_facts {
    smr_judged_as as;
    const char *predicts; /* "classes": what its models predict, for messages             */
    const char *to;       /* "classify": what the task is, for messages                   */
    const char *usual;    /* the measure that decides, beside known answers                */
    const char *alone;    /* the same without them; NULL: nothing can be measured          */
    const char *shown;    /* the measure that a curve draws; NULL: the usual one           */
    const char *baseline; /* what answers every row alike; NULL: nothing does              */
} smr_judge_facts;

const smr_judge_facts *smr_judge_of(smr_task task);
/* Are the predictions of rounds measured together? */
bool smr_judge_joins(smr_task task);
/* The usual measure of a task, beside known answers or without; NULL: there is none. */
const smr_measure *smr_judge_usual(smr_task task, bool known);
/* Can anything be measured for such a target?  Not for a transform, nor for items without
 * ratings. */
bool smr_judge_can(const smr_target *target);
/* Fails where nothing can be measured for such a target: a transform, or no ratings. */
smr_status smr_judge_check(smr_ctx *ctx, const smr_target *target);
/* Fails, saying what `what` is for, where a target is not of classes or numbers that were
 * learned. */
smr_status smr_judge_supervised(smr_ctx *ctx, const smr_target *target, const char *what);

/* What a model found in rows of a table, as metric/ reads it, with the memory it needs. */
typedef struct smr_found {
    smr_found_input in;
    int32_t *found, *label;
    int64_t *rows, *sequence; /* of the table; in.sequence */
    double *score, *x, *weight;
    double seconds; /* of predicting */
} smr_found;

/* rows NULL: all; label: of the table's rows, or NULL; weight: the same.  Release it even after a
 * failure. */
smr_status smr_found_make(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                          const int64_t *rows, int64_t n, const int32_t *label,
                          const double *weight, smr_found *out);
void smr_found_release(smr_found *found);

#endif
