/* distribution.h -- probability distributions by name: density, both tails, quantile, draws.
 *
 *     bernoulli P        binomial N P        poisson RATE
 *     beta A B           gamma SHAPE RATE    inverse-gamma SHAPE SCALE    exponential RATE
 *     gaussian MEAN SD   student-t DF MEAN SCALE                          chi-square DF
 *     categorical P_1 .. P_K                 of 0 .. K-1; the P are shares, their sum need not be 1
 *     dirichlet A_1 .. A_K                   K shares
 *     multivariate-gaussian MEAN (d) COVARIANCE (d x d)                   d numbers
 *     wishart DF SCALE (d x d)               inverse-wishart DF SCALE (d x d)     a d x d matrix
 *
 * Matrices are whole and symmetric, so that rows and columns are the same.
 *
 * Distributions of one number are pure functions: relative error below 1e-12 against 60 digits for
 * shapes from 1e-5 to 1e6, in both tails; the logarithms have the same digits where the values
 * themselves underflow.  The lower tail is P(X <= x), the upper one P(X > x); their sum is 1, also
 * where X is a whole number.  A quantile is the smallest x with P(X <= x) >= p; from the upper
 * tail, with P(X > x) <= p, which has digits where 1 - p has none.  What is outside the support has
 * density 0; a NaN gives NaN.
 *
 * Draws are functions of (seed, stream, number of the draw) (core/rng.h): any thread may make any.
 *
 * References: Marsaglia & Tsang, ACM TOMS 26 (2000), for the gamma; Bartlett's decomposition for
 * Wishart's; quantiles by Newton's method on the logarithm of a tail, which is concave in log x
 * (gamma) and in log x/(1-x) (beta), so that it converges from everywhere. */
#ifndef SMR_MATH_DISTRIBUTION_H
#define SMR_MATH_DISTRIBUTION_H

#include "core/ctx.h"
#include "core/rng.h"
#include "math/special_parts.h"

/* ---- one number ------------------------------------------------------------------------- */

/* Where a draw comes from: `at` says which draw, `used` counts the counters it has used up. */
typedef struct smr_draw {
    uint64_t seed;
    smr_stream stream;
    uint64_t at, used;
} smr_draw;

typedef struct smr_family {
    const char *name;
    int64_t n_params;
    const char *params[3];
    bool discrete;
    /* What is wrong with the parameters, "a probability between 0 and 1" of parameter *which; NULL:
     * nothing. */
    const char *(*wrong)(const double *p, int64_t *which);
    dd (*log_density)(const double *p, double x);
    smr_tail (*tail)(const double *p, double x, bool upper);
    double (*quantile)(const double *p, double tail, bool upper);
    double (*draw)(const double *p, smr_draw *d);
} smr_family;

/* The family of this name, NULL: none, or one of several numbers. */
const smr_family *smr_family_find(const char *name);

/* A family with its parameters, valid. */
typedef struct smr_law {
    const smr_family *family;
    double p[3];
} smr_law;

extern const smr_family smr_family_bernoulli, smr_family_beta, smr_family_binomial, smr_family_chi2,
    smr_family_exponential, smr_family_gamma, smr_family_gaussian, smr_family_inverse_gamma,
    smr_family_poisson, smr_family_student;

/* Parameters must be valid (smr_law_check). */
smr_law smr_law_of(const smr_family *family, double a, double b, double c);
/* Refuses parameters outside their range, naming family, parameter and value. */
smr_status smr_law_check(smr_ctx *ctx, const smr_family *family, const double *p, int64_t n);

double smr_law_density(const smr_law *law, double x);
double smr_law_log_density(const smr_law *law, double x);
smr_tail smr_law_tail(const smr_law *law, double x, bool upper);
double smr_law_quantile(const smr_law *law, double tail, bool upper);
double smr_law_draw(const smr_law *law, uint64_t seed, smr_stream stream, uint64_t at);

/* Parts of draws: in the open interval (0, 1), standard normal, and log X of a gamma(shape, 1),
 * which has its digits where X underflows. */
double smr_draw_unit(smr_draw *d);
double smr_draw_normal(smr_draw *d);
double smr_draw_log_gamma(smr_draw *d, double shape);

/* ---- several numbers -------------------------------------------------------------------- */

typedef struct smr_vector_law smr_vector_law;

/* A categorical, dirichlet, multivariate-gaussian, wishart or inverse-wishart law of n parameters
 * as above, checked, with its matrix factored.  The caller frees *out. */
smr_status smr_vector_law_create(smr_ctx *ctx, const char *name, const double *p, int64_t n,
                                 smr_vector_law **out);
void smr_vector_law_free(smr_vector_law *law);
/* How many numbers a value has: 1, K, d or d x d. */
int64_t smr_vector_law_width(const smr_vector_law *law);
/* log densities of n values, one after the other; serial. */
smr_status smr_vector_law_log_density(smr_ctx *ctx, const smr_vector_law *law, int64_t n,
                                      const double *x, double *out);
smr_status smr_vector_law_draw(smr_ctx *ctx, const smr_vector_law *law, uint64_t seed,
                               smr_stream stream, int64_t n, double *out);

/* log of the multivariate gamma function, d >= 1, a > (d-1)/2. */
double smr_log_gamma_multi(int64_t d, double a);

#endif
