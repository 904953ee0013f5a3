/* svm_parts.h -- the linear problems that svm.c solves: two classes, softly or hard; many in
 * one. */
#ifndef SMR_LEARN_SVM_SVM_PARTS_H
#define SMR_LEARN_SVM_SVM_PARTS_H

#include "learn/learner.h"
#include "learn/linear/held_rows.h"
#include "math/optimize/dual.h"

enum { SMR_SVM_AUTO, SMR_SVM_DUAL, SMR_SVM_PRIMAL };
enum { SMR_SVM_OVA, SMR_SVM_SUM, SMR_SVM_MAX };

typedef struct smr_svm_problem {
    const smr_data *data;
    const smr_held_rows *rows; /* NULL: the primal reads the data as they come */
    const double *weight;      /* n, with the classes' weights; NULL: all 1    */
    const double *shift;       /* n_features: what is taken off the rows; NULL: 0 */
    smr_loss_id loss;          /* SMR_LOSS_HINGE or SMR_LOSS_SQUARED_HINGE     */
    double l2;                 /* infinite: w = 0                              */
    bool is_hard, fit_intercept;
    bool is_warm; /* the primal begins at the w and b that it is given */
    double tol;
    int64_t max_iter;
} smr_svm_problem;

/* What one problem came to. */
typedef struct smr_svm_part {
    double objective, gap; /* in the units of l2 |w|^2 / 2 + losses; hard: |w|^2 / 2      */
    double margin;         /* the least y f (many classes: f_y - the next)                */
    double n_support;      /* rows that w is made of, weighted, as are these:             */
    double n_met;          /* slack 0                                                     */
    double n_inside;       /* 0 < slack <= 1: within the margin, on the right side        */
    double n_wrong;        /* slack > 1: on the wrong side                                */
    int64_t n_iter;
    bool converged;
} smr_svm_part;

/* A slack up to this counts as 0: rows on the margin are there to rounding and to tol. */
#define SMR_SVM_SLACK 1e-3

/* Class `one` (y = 1) against the others: w (n_features), *b.  alpha: n, or NULL. */
smr_status smr_svm_two(smr_ctx *ctx, const smr_svm_problem *p, int64_t one, double *w, double *b,
                       double *alpha, smr_svm_part *out);
/* All classes in one problem: W (n_classes x n_features), b (n_classes). */
smr_status smr_svm_many(smr_ctx *ctx, const smr_svm_problem *p, bool is_sum, double *W, double *b,
                        smr_svm_part *out);

/* *shift = the columns' means (n_features), to be freed, if dense rows lie far from 0, else NULL:
 * the intercept being free, the answer is the same, and the dual takes a fraction of the passes. */
smr_status smr_svm_shift(smr_ctx *ctx, const smr_held_rows *rows, double **shift);

/* ---- between the two files: svm_hard.c ---- */

/* The rows as a problem for math/optimize/dual.h. */
smr_dual_problem smr_svm_rows(const smr_svm_problem *p, const double *y);
/* The separator of largest margin, or SMR_ERR_DATA with the rows that are in the way.  w has room
 * for n_features + 1. */
smr_status smr_svm_hard(smr_ctx *ctx, const smr_svm_problem *p, int64_t one, const double *y,
                        double *w, double *alpha, smr_svm_part *out);

#endif
