/* cv_plan.h -- what is inside a plan, for the files of cross-validation. */
#ifndef SMR_STUDY_CV_PLAN_H
#define SMR_STUDY_CV_PLAN_H

#include "data/split.h"
#include "study/cv.h"

struct smr_cv_plan {
    smr_cv_kind kind;
    const smr_train_set *set;
    int64_t n_rounds, n_repeats, per_repeat; /* rounds of one repetition                    */
    smr_parts *parts;                        /* n_repeats; rows of the table                */
    bool stratified;
    int64_t most_train;
    double test_over_train; /* mean measured rows / mean fitted rows       */
};

/* The part of its repetition that a round is measured on. */
int64_t smr_cv_part(const smr_cv_plan *plan, int64_t round);

#endif
