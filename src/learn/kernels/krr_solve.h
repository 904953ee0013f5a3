/* krr_solve.h -- the linear system of kernel ridge regression, for one penalty or many; the
 * equations are in krr_solve.c. */
#ifndef SMR_LEARN_KERNELS_KRR_SOLVE_H
#define SMR_LEARN_KERNELS_KRR_SOLVE_H

#include "core/ctx.h"

enum {
    SMR_KRR_FEW = 6,     /* penalties up to which each has a factorisation of its own       */
    SMR_KRR_SMALL = 2000 /* rows up to which one penalty is told its leave-one-out error too */
};

typedef struct smr_krr_system {
    int64_t n, q;         /* rows, all of a weight above 0; targets                        */
    const double *weight; /* n; NULL: all 1                                                */
    double *K;            /* n x n: W^1/2 K W^1/2; then, by `spectral`, its eigenvectors   */
    double *y;            /* by columns, n x (q + 1): W^1/2 y, less its mean; W^1/2 1      */
    double *mean;         /* q: what was subtracted; 0 without an intercept                */
    double *tss;          /* q: sum weight (y - mean)^2                                    */
    double total;         /* sum of the weights                                            */
    bool intercept;
    bool spectral;  /* solved by eigenvalues                                               */
    bool is_lost;   /* K was given up to the factor: there is one penalty                  */
    double *s, *z;  /* spectral: n eigenvalues; n x (q + 1): U' y                          */
    double *factor; /* else: n x n; K itself where is_lost                                 */
} smr_krr_system;

/* What one penalty gives; the arrays are the caller's. */
typedef struct smr_krr_answer {
    double *coef;      /* q x n: alpha                                                     */
    double *intercept; /* q                                                                */
    double *rss;       /* q                                                                */
    double *diagonal;  /* n, of scratch; NULL: neither df nor loo                          */
    double df, loo;    /* NaN: not asked for                                               */
    double norm;       /* the sum over targets of |f|^2                                    */
    int64_t failed_at; /* the pivot that is not positive, or -1                            */
} smr_krr_answer;

/* K (n x n) becomes the system's, scaled in place; y is n_outputs numbers for each row index[i].
 * few: only one penalty will be asked for; spectral: many will. */
smr_status smr_krr_open(smr_ctx *ctx, int64_t n, int64_t q, const double *y, const double *weight,
                        bool intercept, double *K, smr_krr_system *out);
/* Prepares for n_penalties of them. */
smr_status smr_krr_prepare(smr_ctx *ctx, smr_krr_system *system, int64_t n_penalties);
/* The largest eigenvalue; of a system that is spectral. */
double smr_krr_largest(const smr_krr_system *system);
smr_status smr_krr_solve(smr_ctx *ctx, smr_krr_system *system, double l2, smr_krr_answer *out);
void smr_krr_close(smr_krr_system *system);

/* Bytes that all of this takes. */
double smr_krr_bytes(int64_t n, int64_t n_penalties);

#endif
