/* klogistic_solve.h -- the optimum of kernel logistic regression; the method is in
 * klogistic_solve.c. */
#ifndef SMR_LEARN_KERNELS_KLOGISTIC_SOLVE_H
#define SMR_LEARN_KERNELS_KLOGISTIC_SOLVE_H

#include "learn/fit_report.h"

typedef struct smr_klogistic_problem {
    int64_t n, k, q;      /* rows, classes that have some, scores: 1 for two classes, else k */
    const double *K;      /* n x n                                                           */
    const int32_t *label; /* n                                                               */
    const double *weight; /* n, all above 0                                                  */
    double l2, tol;
    int64_t max_iter;
    bool intercept;
} smr_klogistic_problem;

typedef struct smr_klogistic_answer {
    double *alpha, *b; /* q x n, q: the caller's                                          */
    double objective, loss, null_loss;
    double norm;     /* |f|^2, over all scores                                            */
    double gradient; /* its length in the kernel's space, relative to that of the start   */
    bool converged;  /* it is at most tol                                                 */
    bool indefinite; /* the kernel matrix has a negative direction                        */
} smr_klogistic_answer;

smr_status smr_klogistic_solve(smr_ctx *ctx, const smr_klogistic_problem *problem,
                               smr_fit_report *report, smr_klogistic_answer *out);

#endif
