/* present.h -- the classes that have rows.
 *
 * A target may name classes that no row has.  What a learner says about the others must not depend
 * on them: it fits the problem of those that have rows, and gives the rest a place where it is
 * never chosen. */
#ifndef SMR_LEARN_PRESENT_H
#define SMR_LEARN_PRESENT_H

#include "data/data.h"

/* A score that is never the highest, and that exp takes to 0. */
#define SMR_ABSENT (-1e30)

typedef struct smr_present {
    int64_t n;      /* classes with a row of weight > 0                                       */
    bool is_all;    /* there are no others: `data` is the data given                          */
    int32_t *place; /* n_classes: the number of a class among those that have rows, or -1     */
    int32_t *label; /* n_rows: these numbers; 0 for rows of no weight; NULL where is_all       */
    smr_data data;  /* the rows with these labels, and n classes                              */
    double share;   /* of the one score of two classes that alone have rows: 1, or as is set  */
} smr_present;

/* Of data with labels.  Where only one class has rows, or the target has two, is_all holds: there
 * is no smaller problem.  Class names of `data` are left out where numbers are others. */
smr_status smr_present_find(smr_ctx *ctx, const smr_data *data, smr_present *out);
void smr_present_release(smr_present *p);

/* Scores of a linear model of the classes that have rows (n_scores x d, n_scores: one for two
 * classes) become those of all n_classes > 2.  Two classes that have rows share their one score f:
 * -share f and share f. */
void smr_present_spread(const smr_present *p, int64_t n_classes, int64_t d, const double *coef,
                        const double *intercept, double absent, double *all_coef,
                        double *all_intercept);
/* The other way; where is_all, a copy. */
void smr_present_gather(const smr_present *p, int64_t n_scores, int64_t d, const double *all_coef,
                        const double *all_intercept, double *coef, double *intercept);

#endif
