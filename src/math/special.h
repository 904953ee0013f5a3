/* special.h -- gamma and beta functions, and the distributions that statistics asks for.
 *
 * Relative error below 1e-13 wherever the answer is a normal double, in both tails
 * (probabilities down to 1e-300), for parameters from 0.5 to 1e6, and 1e-12 from 1e-5:
 * each probability is a prefactor, whose logarithm is carried with twice the
 * digits (dd.h), times a continued fraction or a series of positive terms.  Complements are
 * functions of their own (`_upper`): 1 - cdf has no digits left in a tail.
 *
 * Arguments outside the domain, and NaN, give NaN.  Parameters (a, b, degrees of freedom) are
 * positive and at most 1e12; degrees of freedom may be infinite where the limit is named. Cost:
 * O(sqrt(parameters)) terms near the centre of a distribution, some tens elsewhere.
 *
 * Only + - * / sqrt, fma and the kernel's exp are used: same bits on every machine. */
#ifndef SMR_MATH_SPECIAL_H
#define SMR_MATH_SPECIAL_H

/* log Gamma(x), x > 0; relative error also small at its zeros, 1 and 2. */
double smr_log_gamma(double x);
/* log B(a, b) = log Gamma(a) + log Gamma(b) - log Gamma(a + b), without their cancellation. */
double smr_log_beta(double a, double b);

/* Regularised incomplete gamma: P(a, x) = 1/Gamma(a) int_0^x t^(a-1) e^-t dt, and Q = 1 - P. */
double smr_gamma_lower(double a, double x);
double smr_gamma_upper(double a, double x);

/* Regularised incomplete beta I_x(a, b) = 1/B(a, b) int_0^x t^(a-1) (1-t)^(b-1) dt, 0 <= x <= 1. */
double smr_beta_lower(double a, double b, double x);
double smr_beta_upper(double a, double b, double x);

/* Standard normal: density, distribution function (its complement is smr_normal_cdf(-x)), and the x
 * with smr_normal_cdf(x) = p. */
double smr_normal_pdf(double x);
double smr_normal_cdf(double x);
double smr_normal_quantile(double p);

/* Student's t: P(T <= t), P(|T| >= |t|), and the t with smr_t_cdf(t, df) = p.
 * df = infinity is the normal distribution. */
double smr_t_cdf(double t, double df);
double smr_t_two_sided(double t, double df);
double smr_t_quantile(double p, double df);

/* F with df1 and df2 degrees of freedom, chi-square with df: P(X <= x) and P(X >= x). */
double smr_f_cdf(double x, double df1, double df2);
double smr_f_upper(double x, double df1, double df2);
double smr_chi2_cdf(double x, double df);
double smr_chi2_upper(double x, double df);

#endif
