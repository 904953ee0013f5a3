/* information.h -- entropy and what follows from it, in bits.
 *
 * Distributions are given as weights >= 0 that need not sum to 1; with W their sum and 0 log 0 = 0,
 *
 *     H(p)      = sum p log2(1/p)            entropy
 *     H(p, q)   = sum p log2(1/q)            cross entropy; infinite where q = 0 < p
 *     KL(p, q)  = H(p, q) - H(p)             divergence
 *     JS(p, q)  = H((p+q)/2) - (H(p) + H(q))/2
 *
 * and for a table of counts c_ij of two variables X (rows) and Y (columns)
 *
 *     H(Y|X)    = sum_i p_i H(Y | X = i)     conditional entropy
 *     I(X;Y)    = H(Y) - H(Y|X)              mutual information = information gain >= 0
 *     ratio     = I(X;Y) / H(X)              Quinlan's gain ratio
 *
 * Every sum is one of terms >= 0 (or compensated), so nothing is lost to cancellation except in a
 * gain near 0, which is exact to about 1e-15 bits.  No weight at all gives NaN.  Cost O(cells).
 * References: Shannon, Bell Syst. Tech. J. 27 (1948); Quinlan, Mach. Learn. 1 (1986). */
#ifndef SMR_MATH_INFORMATION_H
#define SMR_MATH_INFORMATION_H

#include <stdint.h>

double smr_entropy(int64_t n, const double *p);
double smr_cross_entropy(int64_t n, const double *p, const double *q);
double smr_kl_divergence(int64_t n, const double *p, const double *q);
double smr_js_divergence(int64_t n, const double *p, const double *q);

/* Other measures of how mixed a distribution is: 1 - sum p^2, and 1 - max p. */
double smr_gini(int64_t n, const double *p);
double smr_misclassification(int64_t n, const double *p);

typedef struct smr_information {
    double x, y;                 /* H(X), H(Y)                                              */
    double joint;                /* H(X, Y)                                                 */
    double y_given_x, x_given_y; /* H(Y|X), H(X|Y)                                          */
    double gain;                 /* I(X;Y)                                                  */
    double gain_ratio;           /* gain / H(X); NaN where X is constant                    */
} smr_information;

/* count[i * n_y + j]: the weight of rows with X = i and Y = j. */
smr_information smr_information_of(int64_t n_x, int64_t n_y, const double *count);

/* Impurity of all rows less the mean impurity of the parts, for entropy, gini, misclassification or
 * any other function of weights.  whole: n_y, receives the column sums. */
double smr_impurity_gain(double (*impurity)(int64_t n, const double *p), int64_t n_x, int64_t n_y,
                         const double *count, double *whole);

#endif
