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
 *     task       held against it (baseline)
 *     classify   the most frequent class; sequences beside classes: of their steps
 *     regress    the mean; so recommend
 *     cluster    two clusters at random
 *     density    a Gaussian for each column
 *
 * Joined: the predictions of all rounds are measured together.  Averaged: cluster and state numbers
 * of different fits mean different things, so the pooled figure is the mean over rounds, weighted
 * by their rows.  Sequences are the groups of the training set (learn/model.h). */
#ifndef SMR_STUDY_JUDGE_H
#define SMR_STUDY_JUDGE_H

#include "data/vocab.h"
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
    /* What it is compared with, beside known answers and without; NULL: nothing. */
    const char *baseline, *baseline_alone;
    const char *simple; /* "which looks at no column": what the baseline does not know     */
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
    smr_vocab names; /* "0", "1" ... "noise", if rows are outside all clusters; else none */
    double seconds;  /* of predicting */
} smr_found;

/* rows NULL: all; label: of the table's rows, or NULL; weight: the same.  Release it even after a
 * failure. */
smr_status smr_found_make(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                          const int64_t *rows, int64_t n, const int32_t *label,
                          const double *weight, smr_found *out);
void smr_found_release(smr_found *found);

/* ---- what is held against it (judge_baseline.c) ---- */

/* Such as "baseline: mean", for such a target; NULL: there is none. */
const char *smr_judge_baseline_name(const smr_target *target);
/* What a constant is called that makes the measure least: "mean", "median", "0.9-quantile". */
void smr_judge_constant_name(const smr_measure *measure, smr_text *out);
/* The level-quantile of n numbers, y[i * stride], with weights (NULL: all 1): the least one that at
 * least this share of the weight does not exceed; where it is just that share, the mean of it and
 * the next. */
smr_status smr_judge_quantile(smr_ctx *ctx, double level, int64_t n, const double *y,
                              int64_t stride, const double *weight, double *out);

/* Which rows, and what is known about them. */
typedef struct smr_baseline {
    const smr_schema *schema;
    const struct smr_columns_params *columns;
    const smr_table *table;
    const int64_t *fitted; /* rows that it is made of */
    int64_t n_fitted;
    const int32_t *label;        /* of the table's rows; NULL: none is known */
    int64_t n_classes, outlying; /* as in smr_found_input */
    const double *weight;        /* of the table's rows, or NULL */
    uint64_t seed;
} smr_baseline;

/* What the baseline of a task that is judged as found finds in rows of the table: clusters drawn at
 * random, the class that most fitted steps have, the density of a Gaussian for each column.
 * Release it even after a failure. */
smr_status smr_found_by_baseline(smr_ctx *ctx, smr_task task, const smr_baseline *b,
                                 const int64_t *rows, int64_t n, smr_found *out);

/* For judge.c and that: the rows' answers and weights; the sequences that they belong to. */
smr_status smr_found_begin(smr_ctx *ctx, const int64_t *rows, int64_t n, const int32_t *label,
                           const double *weight, smr_found *out);
smr_status smr_found_sequences(smr_ctx *ctx, const smr_schema *schema, const smr_table *table,
                               smr_found *f);

#endif
