/* estimate_parts.h -- what the files of estimate.h share. */
#ifndef SMR_STUDY_ESTIMATE_PARTS_H
#define SMR_STUDY_ESTIMATE_PARTS_H

#include "core/text.h"
#include "math/distribution.h"
#include "study/estimate.h"

enum { MOST_PRIOR = 1000 };

/* The values of a column without its gaps. */
typedef struct smr_sample {
    const char *name;
    int64_t n, n_gaps;
    double *x;     /* n numbers, or codes of levels                             */
    double *w;     /* n weights, or NULL: all 1                                 */
    double weight; /* their sum                                                 */
    double spread; /* gaussian: the variance of maximum likelihood */
    double sum;    /* of weight times number                                    */
    double tail;   /* (1 - level) / 2                                           */
    int64_t n_levels;
    double *count; /* weight of each level                                      */
    smr_strings levels;
    double *prior; /* n_prior numbers; NULL: the flat one                         */
    int64_t n_prior;
} smr_sample;

/* A row of the table of parameters; NaN: there is none. */
typedef struct smr_estimated {
    const char *parameter;
    double ml, unbiased, map, mean;
    double low, high; /* credible, equal tails  */
    double from, to;  /* confidence             */
} smr_estimated;

void smr_estimate_row(smr_json *rows, const smr_estimated *e);
/* "beta 4 2": a law's name and numbers. */
void smr_estimate_law(smr_json *into, const char *key, const char *name, int64_t n,
                      const double *p);

/* Each adds parameters, likelihood, posterior and fit of its family to `into`. */
smr_status smr_estimate_bernoulli(smr_ctx *ctx, const smr_sample *s, smr_json *into,
                                  smr_json *figures);
smr_status smr_estimate_categorical(smr_ctx *ctx, const smr_sample *s, smr_json *into,
                                    smr_json *figures);
smr_status smr_estimate_poisson(smr_ctx *ctx, const smr_sample *s, smr_json *into,
                                smr_json *figures);
smr_status smr_estimate_exponential(smr_ctx *ctx, const smr_sample *s, smr_json *into,
                                    smr_json *figures);
smr_status smr_estimate_gaussian(smr_ctx *ctx, const smr_sample *s, smr_json *into,
                                 smr_json *figures);
/* d samples of the same rows. */
smr_status smr_estimate_gaussians(smr_ctx *ctx, int64_t d, const smr_sample *s, smr_json *into);

/* How well a family fits, as the object "fit": test, statistic, df, p, and a sentence. */
void smr_fit_of_shares(const smr_sample *s, smr_json *into);
smr_status smr_fit_of_counts(smr_ctx *ctx, const smr_sample *s, double rate, smr_json *into);
/* Anderson and Darling's test of a law whose parameters were estimated from the same rows. */
/* p of Anderson and Darling's statistic, adjusted for the number of rows, of a Gaussian or of an
 * exponential law whose parameters come from the same rows; *bound: "at least" or "at most" that,
 * or NULL. */
double smr_anderson_p(bool gaussian, double adjusted, const char **bound);
smr_status smr_fit_of_law(smr_ctx *ctx, const smr_sample *s, const smr_law *law, smr_json *into);

/* Pictures.  A curve of a parameter: over it the logarithm of the likelihood, less its largest. */
typedef struct smr_parameter_curve {
    const char *what;     /* "p", "rate", "mean", "variance"                        */
    const char *suffix;   /* of the figure's name: "", "-variance"                  */
    const smr_law *prior; /* NULL: not proper                                       */
    smr_law posterior;
    double ml, low, high;
    double least, most;    /* of the parameter; NaN: by the posterior                */
    double log_likelihood; /* at ml                                                  */
    double (*log_of)(const smr_sample *s, double at); /* NULL: no likelihood curve   */
} smr_parameter_curve;

smr_status smr_estimate_curves(smr_ctx *ctx, const smr_sample *s, const smr_parameter_curve *c,
                               smr_json *figures);
/* A histogram, or bars of counts, with the fitted law. */
smr_status smr_estimate_fit_figure(smr_ctx *ctx, const smr_sample *s, const smr_law *law,
                                   smr_json *figures);
/* Shares of levels with their credible intervals. */
smr_status smr_estimate_shares_figure(smr_ctx *ctx, const smr_sample *s, const double *mean,
                                      const double *low, const double *high, smr_json *figures);

#endif
