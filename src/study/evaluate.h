/* evaluate.h -- a model's measures on rows whose answers are known. */
#ifndef SMR_STUDY_EVALUATE_H
#define SMR_STUDY_EVALUATE_H

#include "learn/model.h"
#include "study/judge.h"
#include "study/threshold.h"

/* Rows of a table to measure on. */
typedef struct smr_sample {
    const smr_table *table;
    const int64_t *rows; /* NULL: all */
    int64_t n_rows;
    const double *weight; /* one for each row of the table, or NULL */
} smr_sample;

/* Predicts for the sample and adds the measures of the model's task to `into` (metric/).  Rows
 * whose target is missing are left out; without any it fails.  What a model found by itself
 * (judge.h) is measured on all rows, beside known classes where the table has them.  *seconds, if
 * not NULL, receives the time of predicting, *n_used the rows measured. */
smr_status smr_evaluate_sample(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                               smr_json *into, double *seconds, int64_t *n_used);

/* Single measures of the sample: out[i] is list[i]. */
smr_status smr_measure_sample(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                              const smr_measure *const *list, int64_t n, double *out,
                              int64_t *n_used, double *seconds);

/* What to report besides the measures, and what came of it. */
typedef struct smr_judging {
    const smr_threshold_rule *threshold; /* applied, or chosen, on these rows; NULL: the model's */
    const char *known;                   /* clusters: a column of known classes; NULL: the model's,
                                            where the table has it                               */
    bool figures;                        /* add "figures" (figures.h)                            */
    smr_json *advice;                    /* array of findings (warnings.h); NULL: none           */
    bool alone;                          /* the training rows were not checked                   */
    bool unseen;                         /* the rows were not fitted: too_good is looked for     */
    const smr_threshold_rule *cost;      /* the rule behind the model's threshold, or NULL: for a
                                            cost, what it comes to on these rows is reported */
    const smr_train_set *fitted;         /* whose answers the baseline is made from; NULL: the
                                            measured rows' */
    const int64_t *fitted_rows;          /* rows of its table; NULL: its usable ones             */
    int64_t n_fitted;
    double seconds; /* out: of predicting                                   */
    int64_t n_rows; /* out: rows measured                                   */
} smr_judging;

/* As smr_evaluate_sample, with everything reported: adds to the object `into` "measures",
 * "intervals" (95 %), "threshold" where one is in use, "figures", and "baseline": what can be
 * reached without looking at any column, {what, from, class, accuracy} or {what, from, value, rmse,
 * mae}; for what is found, {what, from} and the measures that decide. */
smr_status smr_judge(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                     smr_judging *how, smr_json *into);

/* ---- for evaluate.c ---- */

/* "baseline" alone, for the one input that is not NULL; with the measure that suits the model. */
smr_status smr_judge_baseline(smr_ctx *ctx, const smr_judging *how, const smr_classify_input *in,
                              const smr_regress_input *numbers, const smr_measure *suited,
                              smr_json *into);
/* The same for what a model found by itself in these rows, beside these classes where n > 0:
 * {what, from, MEASURE ...}; nothing where there is no baseline. */
smr_status smr_judge_found_baseline(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                                    const smr_judging *how, const smr_target *known,
                                    const smr_found *found, smr_json *into);
/* Adds that measure under its name; NULL: nothing. */
smr_status smr_judge_suited(smr_ctx *ctx, const smr_measure *suited, const smr_regress_input *in,
                            smr_json *into);
/* "cost" {false_positive, false_negative, per_row, per_row_usual}: the mean cost of a row as it is
 * predicted, and if the larger score decided. */
void smr_judge_cost(const smr_threshold_rule *rule, const smr_classify_input *in,
                    const double *scores, smr_json *into);

#endif
