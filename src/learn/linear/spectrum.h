/* spectrum.h -- ridge regression for any number of penalties from one decomposition.
 *
 * With Xc the centred, weighted features and Xc'Xc = sum_k lambda_k v_k v_k', z = V' Xc'y,
 *
 *     w(l2) = sum_k v_k z_k / (lambda_k + l2)                                                   (1)
 *     df(l2) = sum_k lambda_k / (lambda_k + l2)                                                 (2)
 *     rss(l2) = tss - sum_k z_k^2 (lambda_k + 2 l2) / (lambda_k + l2)^2                         (3)
 *
 * lambda and v come from the eigenvalues of the Gram matrix where that is accurate for the
 * smallest penalty asked for, else from the singular values of the triangular factor, and for n
 * <= d from those of the rows (math/lstsq.h).  At l2 = 0, components that are rounding noise are
 * left out: the minimum-norm least squares solution.
 *
 * Leave-one-out in closed form: with p = V'(x_i - mean) and h_i = 1/W + sum_k p_k^2 / (lambda_k +
 * l2), the error of row i under the fit to the other rows is
 *
 *     e_i / (1 - min(1, weight_i) h_i)                                                          (4)
 *
 * so that a row of weight 2 is left out once of its two times. */
#ifndef SMR_LEARN_LINEAR_SPECTRUM_H
#define SMR_LEARN_LINEAR_SPECTRUM_H

#include "math/lstsq.h"

typedef struct smr_spectrum {
    int64_t d, q, k;
    bool centred;
    smr_lstsq_method method;
    double weight;  /* W                                                        */
    double *lambda; /* k, >= 0                                                  */
    double *V;      /* k x d                                                    */
    double *z;      /* q x k                                                    */
    double *mean;   /* d + q                                                    */
    double *tss;    /* q                                                        */
    double floor;   /* lambda at or below it is noise                           */
} smr_spectrum;

/* l2_min: the smallest penalty that will be asked for, >= 0; < 0 when it will be chosen relative to
 * the largest lambda, not below 1e-6 of it. */
smr_status smr_spectrum_create(smr_ctx *ctx, const smr_row_source *rows, bool intercept,
                               double l2_min, smr_spectrum *out);
void smr_spectrum_release(smr_spectrum *s);

/* 1 / (lambda_k + l2), or 0 for noise at l2 = 0. */
double smr_spectrum_gain(const smr_spectrum *s, int64_t k, double l2);
double smr_spectrum_largest(const smr_spectrum *s);

/* (1) for output `out`, w has d; (2); (3). */
void smr_spectrum_coef(const smr_spectrum *s, double l2, int64_t out, double *w);
double smr_spectrum_df(const smr_spectrum *s, double l2);
double smr_spectrum_rss(const smr_spectrum *s, double l2, int64_t out);

/* error[i] = mean squared leave-one-out error (4) at l2[i], over rows and outputs; infinite or NaN
 * where leaving out a row leaves its value undetermined. */
smr_status smr_spectrum_leave_one_out(smr_ctx *ctx, const smr_spectrum *s,
                                      const smr_row_source *rows, int64_t n, const double *l2,
                                      double *error);

#endif
