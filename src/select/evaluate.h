/* evaluate.h -- a model's measures on rows whose answers are known. */
#ifndef SMR_SELECT_EVALUATE_H
#define SMR_SELECT_EVALUATE_H

#include "learn/model.h"
#include "select/threshold.h"

/* Rows of a table to measure on. */
typedef struct smr_sample {
    const smr_table *table;
    const int64_t *rows; /* NULL: all */
    int64_t n_rows;
    const double *weight; /* one for each row of the table, or NULL */
} smr_sample;

/* Predicts for the sample and adds the measures of the model's task to `into` (metric/).  Rows
 * whose target is missing are left out; without any it fails.  *seconds, if not NULL, receives the
 * time of predicting, *n_used the rows measured. */
smr_status smr_evaluate_sample(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                               smr_json *into, double *seconds, int64_t *n_used);

/* What to tell beside the measures, and what came of it. */
typedef struct smr_judging {
    const smr_threshold_rule *threshold; /* applied, or chosen, on these rows; NULL: the model's */
    bool figures;                        /* add "figures" (figures.h)                            */
    smr_json *advice;                    /* array of findings (warnings.h); NULL: none           */
    bool alone;                          /* nobody advised on the training rows                  */
    double seconds;                      /* out: of predicting                                   */
    int64_t n_rows;                      /* out: rows measured                                   */
} smr_judging;

/* As smr_evaluate_sample, with everything told: adds to the object `into` "measures", "intervals"
 * (95 %), "threshold" where one is in use, and "figures". */
smr_status smr_judge(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                     smr_judging *how, smr_json *into);

#endif
