/* svm_interior.h -- the hinge on many rows of few columns, in passes that all threads share.
 *
 *     P(w, b) = l2/2 |w|^2 + sum_i c_i max(0, s_i),   s_i = 1 - y_i (x_i'w + b)                 (1)
 *     D(a)    = sum_i a_i - |sum_i a_i y_i x_i|^2 / (2 l2),   0 <= a_i <= c_i,  sum_i a_i y_i = 0
 *
 * with c_i the rows' weights.  Two methods, one after the other:
 *
 *   svm_smooth.c    Newton on a smooth loss that is the hinge but for |s_i| < h, h falling.  A step
 *                   is one pass over the rows, of which only those within h enter the Gram matrix.
 *                   With many rows in there for each column, the loss's kinks are as good as
 *                   smooth, and some ten passes reach h small enough.
 *   svm_interior.c  A primal-dual interior point method, for what is left where there are few: it
 *                   takes the rows near the margin, the others' variables being at their bounds.
 *
 * Both end with the same certificate, from variables that satisfy the dual's conditions: with
 * v = sum_i a_i y_i x_i,
 *
 *     P - D = sum_i e_i + |v - l2 w|^2 / (2 l2),   e_i = (c_i - a_i) s_i or -a_i s_i, as s_i > 0
 *
 * in which no term is negative.  Where the variables miss sum_i a_i y_i = 0 by B, those between
 * their bounds give way in proportion to their room m_i = min(a_i, c_i - a_i): a_i - y_i m_i B / M,
 * M = sum_i m_i >= |B|.
 *
 * Cost: 5 to 20 passes over the rows and n d^2 / 2 multiply-adds, more at small tol or where
 * a plane all but separates the classes; memory 2 vectors of length n, and of the rows near the
 * margin a copy and 14 vectors. */
#ifndef SMR_LEARN_SVM_SVM_INTERIOR_H
#define SMR_LEARN_SVM_SVM_INTERIOR_H

#include "learn/linear/design.h"

typedef struct smr_hinge {
    const smr_design *design;
    const double *y, *weight; /* n; weight NULL: all 1                            */
    double l2, tol;
    int64_t max_iter;
    double *beta;  /* p: w and b of the design; 0 on entry                        */
    double *score; /* n: z_i' beta                                                */
    double *alpha; /* n: the a_i; 0 on entry                                      */
    double h;      /* how far the loss is from the hinge                          */
    double objective, gap;
    int64_t n_iter; /* passes over the rows, and steps of the interior point method */
    bool converged;
} smr_hinge;

static inline double smr_hinge_weight(const smr_hinge *p, int64_t i)
{
    return p->weight ? p->weight[i] : 1;
}

smr_status smr_hinge_solve(smr_ctx *ctx, smr_hinge *problem);

/* ---- between the two files ---- */

/* Fills score, objective and gap at beta and alpha, whose balance is restored. */
smr_status smr_hinge_certify(smr_ctx *ctx, smr_hinge *problem);
/* From beta and h. */
smr_status smr_hinge_interior(smr_ctx *ctx, smr_hinge *problem);

#endif
