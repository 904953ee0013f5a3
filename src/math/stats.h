/* stats.h -- mean, variance, covariance, correlation and quantiles of arrays with weights.
 *
 * Weight 2 means the row twice: with W = sum w,
 *
 *     mean = sum w x / W,   variance = sum w (x - mean)^2 / (W - ddof)                         (1)
 *
 * where ddof is 0 (the maximum-likelihood, "biased" form) or 1 (the "unbiased" form).  w = NULL
 * means all 1.  A row of weight 0 does not count, whatever its x.
 *
 * Two passes: the mean as a sum of two doubles, then the squares of differences from it, all sums
 * compensated; so data with mean 1e9 and deviation 1e-3 lose no digit.  Values near the ends of the
 * exponent range are scaled by a power of two first, so neither 1e300 nor 1e-300 is lost.
 *
 * A NaN among the rows gives NaN.  So do an empty array, a variance with W <= ddof, and a
 * correlation where one side is constant.  Cost: O(n), no memory (quantiles: 56 n
 * bytes).  Serial: same bits at any thread count. */
#ifndef SMR_MATH_STATS_H
#define SMR_MATH_STATS_H

#include "core/ctx.h"
#include "kernel/kernel.h"

typedef struct smr_numbers_summary {
    int64_t n;              /* rows with a weight > 0               */
    double weight;          /* W                                    */
    double mean;            /*                                      */
    double variance;        /* ddof 0                               */
    double sample_variance; /* ddof 1                        */
    double min, max;
} smr_numbers_summary;

void smr_summarize(int64_t n, const double *x, const double *w, smr_numbers_summary *out);

/* Moments of n >= 1 numbers that all count once, none of them NaN. */
typedef struct smr_moments {
    double min, max, mean;
    double sd;       /* ddof 1; NaN of one number                     */
    double skewness; /* m3 / m2^(3/2); NaN where all are the same     */
    double squares;  /* sum (x - mean)^2, of values as measured       */
    smr_origin mean_of;
} smr_moments;

void smr_moments_of(int64_t n, const double *x, smr_moments *out);
/* smr_correlation of two columns whose moments are known. */
double smr_moments_correlation(int64_t n, const double *x, const smr_moments *of_x, const double *y,
                               const smr_moments *of_y);

/* sum x, and sum w x, compensated: exact to about one rounding of the result. */
double smr_sum_exact(int64_t n, const double *x);
double smr_sum_weighted(int64_t n, const double *x, const double *w);

double smr_mean(int64_t n, const double *x, const double *w);
double smr_variance(int64_t n, const double *x, const double *w, int ddof);
double smr_covariance(int64_t n, const double *x, const double *y, const double *w, int ddof);
/* Pearson's correlation, in [-1, 1]. */
double smr_correlation(int64_t n, const double *x, const double *y, const double *w);
/* sum (x_i - mean)(x_{i+lag} - mean) / sum (x_i - mean)^2, 0 <= lag < n. */
double smr_autocorrelation(int64_t n, const double *x, int64_t lag);

/* out[r] = quantile q[r] in [0, 1]: the rows, each repeated w times and sorted, are read at
 * position h = q (W - 1), linearly between whole positions (Hyndman & Fan's type 7, the usual
 * default). For weights that are not whole the position of row r begins at the sum of the
 * weights before it. */
smr_status smr_quantiles(smr_ctx *ctx, int64_t n, const double *x, const double *w, int64_t n_q,
                         const double *q, double *out);
/* The same of n > 0 numbers that all count once, none of them NaN; room: 2 n. */
void smr_quantiles_in(int64_t n, const double *x, int64_t n_q, const double *q, double *room,
                      double *out);

#endif
