/* dual_classes.h -- linear classifiers of k classes in one problem, by descent on the dual.
 *
 *     P(W, b) = l2/2 sum_c |w_c|^2 + sum_i weight_i loss(f_i),   f_ic = w_c'x_i + b_c           (1)
 *     max  loss = max(0, 1 + max_{c != y} f_c - f_y)             (Crammer & Singer)
 *     sum  loss = sum_{c != y} max(0, 1 + f_c - f_y)             (Weston & Watkins)
 *
 * A visit solves the dual exactly for the k variables of one row, in k log k steps besides the k
 * products with the row.  Rounds, certificate and the free intercepts are as in dual.h.  Between
 * rounds the free variables move jointly (dual_classes_free.c), and where visits do not get there
 * in some passes and the columns are few, the work goes on from an interior point's answer
 * (dual_classes_interior.c): both for columns of different scales, within a budget of time.
 * Memory: 2 n k numbers and a few vectors of length n; for the interior point 6 n k and 2 (n_cols +
 * 1)^2 k^2 numbers, for joint steps 3 numbers per pair of free variables.  References: Crammer &
 * Singer, JMLR 2:265-292, 2001; Weston & Watkins, ESANN 1999; Keerthi, Sundararajan, Chang, Hsieh &
 * Lin, KDD 2008 (the row's problem). */
#ifndef SMR_MATH_OPTIMIZE_DUAL_CLASSES_H
#define SMR_MATH_OPTIMIZE_DUAL_CLASSES_H

#include "math/optimize/dual.h"

typedef struct smr_classes_opts {
    bool is_sum;
    double l2;          /* > 0                                */
    double tol;         /* gap <= tol P; 0: 1e-3              */
    int64_t max_passes; /* 0: 1000                            */
    const char *what;
    bool (*each)(void *user, const smr_dual_result *now);
    void *user;
} smr_classes_opts;

/* problem: y is not read; is_free gives every class an intercept that is not penalised; bias must
 * be 0.  W: k x n_cols; b: k.  out->n_support counts rows with a variable that is not 0;
 * out->margin is the least f_y - max_{c != y} f_c. */
smr_status smr_dual_classes(smr_ctx *ctx, const smr_dual_problem *problem, const int32_t *label,
                            int64_t k, const smr_classes_opts *opts, double *W, double *b,
                            smr_dual_result *out);

#endif
