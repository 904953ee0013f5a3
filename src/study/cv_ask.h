/* cv_ask.h -- folds and measures as people ask for them: by names, with words for the mistakes. */
#ifndef SMR_STUDY_CV_ASK_H
#define SMR_STUDY_CV_ASK_H

#include "study/cv.h"

typedef struct smr_cv_ask {
    int64_t folds, repeats; /* 0: 5 and 1                                                    */
    bool leave_one_out;     /* one row at a time; with groups one group                      */
    bool ordered;           /* rows are in order of time                                     */
    const char *order_by;   /* a column of numbers or dates: ordered by it; NULL             */
    bool no_strata;
    bool strata;          /* there must be classes to spread */
    const char *measure;  /* names, with commas; NULL: all except those on request            */
    double confidence;    /* of intervals; 0: 0.95                                            */
    const char *positive; /* the positive class, where it is asked for; the set has its number */
} smr_cv_ask;

/* Refuses a wish for classes to be spread where there are none. */
smr_status smr_cv_ask_strata(smr_ctx *ctx, const smr_cv_ask *ask, const smr_train_set *set);
/* The plan that is asked for. */
smr_status smr_cv_ask_plan(smr_ctx *ctx, const smr_cv_ask *ask, const smr_train_set *set,
                           smr_cv_plan **out);

/* The measures by name; *list is NULL when none was named.  The error for a wrong name gives the
 * nearest right one. */
smr_status smr_cv_ask_measures(smr_ctx *ctx, const smr_cv_ask *ask, smr_task task,
                               const smr_measure ***list, int64_t *n);

/* A positive class that is asked for (NULL: none) must make a difference to one of the measures. */
smr_status smr_cv_ask_positive(smr_ctx *ctx, const char *positive, const smr_target *target,
                               const smr_measure *const *list, int64_t n);

/* The measure that decides where none is named: the task's usual one (judge.h).  Where one row is
 * left out it is mse instead of rmse: the rmse of one row is |error|, and its mean over the rounds
 * is another measure, mae. */
const smr_measure *smr_cv_usual_measure(const smr_train_set *set, bool leave_one_out);

/* The measure that suits a learner with its parameters, where that is not the usual one of the
 * task; NULL: the usual one does.  last: the last step of a sentence or of a model
 * (smr_stage_step). */
const smr_measure *smr_step_measure(const smr_step *last, smr_task task);
/* The one that suits all these models; NULL: none does, or they do not agree. */
const smr_measure *smr_cv_suited_measure(const smr_spec *const *specs, int64_t n, smr_task task);

/* Appends which models are fitted to a loss that another measure suits than the one that decides:
 * "lad to mae, quantile to pinball_90"; nothing where there is none. */
void smr_cv_tell_losses(const smr_spec *const *specs, int64_t n, smr_task task,
                        const smr_measure *decides, smr_text *out);

/* The one measure that decides: the one named, else the one that suits the models, else the usual
 * one.  Warns of a named rmse whose mean is the mae. */
smr_status smr_cv_ask_decider(smr_ctx *ctx, const smr_cv_ask *ask, const smr_train_set *set,
                              const smr_spec *const *specs, int64_t n_specs,
                              const smr_measure **out);

/* The share, checked: in (0, 1). */
smr_status smr_cv_ask_confidence(smr_ctx *ctx, const smr_cv_ask *ask, double *confidence);

/* Adds how the rounds were made: "kind", "folds", "repeats", "rounds", "stratified", "grouped". */
void smr_cv_plan_json(const smr_cv_plan *plan, smr_json *into);

#endif
