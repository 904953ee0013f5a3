/* bias_variance.h -- where a model's error comes from: repeated fits on samples of one source.
 *
 * A learner is fitted on S independent samples of n rows and predicts the same T test points each
 * time: p_s(x).  With the true mean f(x) and y = f(x) + noise of variance v, the expected squared
 * error at x is
 *
 *     E (y - p)^2 = (E p - f)^2 + Var p + v = bias^2 + variance + noise.                        (1)
 *
 * bias^2 is estimated by (mean_s p - f)^2 - var_s p / S, without the part that the mean's own
 * scatter adds (so it may come out just below 0), variance by var_s p (S - 1 in the denominator);
 * both are means over the test points.  Their sum with the noise is reported beside the error
 * measured on noisy test values: the two differ only by the noise of the test values, whose
 * standard error is given.
 *
 * Classes have 0-1 loss, and Domingos' decomposition: with the best prediction y* (the most
 * probable class), the main prediction ym (the most frequent one of the samples), bias B = [ym !=
 * y*], variance V = P(p != ym) and noise N = P(y != y*),
 *
 *     E [y != p] = B + c2 V + c1 N,   c1 = P(p = y*) - P(p = y | y != y*),
 *     c2 = 1 where B = 0, and -P(p = y* | p != ym) where B = 1:                                 (2)
 *
 * variance costs where the main prediction is right and helps where it is wrong.  Generators whose
 * probabilities are not known, and files, have no y* except the observed class: N is then 0 and the
 * noise counts as bias.
 *
 * A file gives samples that are not independent: random parts (half, unless said otherwise) of the
 * rows that are not tested on, as Kohavi & Wolpert do.  Bias and noise cannot be told apart there.
 *
 * Bagging.  M models are fitted on bootstrap replicates of one sample.  If one of them has variance
 * s2 and two on the same sample have correlation rho, the mean of m of them has the variance
 *
 *     (1 - rho) s2 / m + rho s2.                                                                (3)
 *
 * s2 and rho come from the parts of the scatter within samples and between them (mean squares of
 * all M); beside (3) the variance over the samples of the first m replicates' mean is reported.
 * Classes are predicted by probabilities, whose variances are summed; where a model gives none, by
 * votes.
 *
 * Same bits at any thread count: every sample is one task, keyed by its number.
 * References: Geman, Bienenstock & Doursat, Neural Comput. 4 (1992); Domingos, ICML 2000; Kohavi &
 * Wolpert, ICML 1996; Breiman, Mach. Learn. 24 (1996) and 45 (2001). */
#ifndef SMR_STUDY_BIAS_VARIANCE_H
#define SMR_STUDY_BIAS_VARIANCE_H

#include "data/generate.h"
#include "learn/model.h"

typedef struct smr_bias_how {
    const char *generator;       /* NULL: parts of the training set's rows                       */
    const smr_setting *settings; /* of the generator, without n                                  */
    int64_t n_settings;
    int64_t samples;   /* 0: 200                                                                 */
    int64_t rows;      /* of a sample; 0: 100, or half of those that are not tested on           */
    int64_t test_rows; /* 0: 1000, or a third of the rows                                        */
    int64_t bag;       /* M; 0: no bagging                                                       */
    const char *over;  /* one parameter and its values, "k=1..40"; NULL: none                    */
} smr_bias_how;

/* Adds "decomposition", or "trade_off" with `over`, "bagging" with `bag`, and "figures".  `set` is
 * NULL with a generator. */
smr_status smr_bias_variance_fill(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                                  const smr_bias_how *how, smr_json *into);

/* ---- for tests and the files of bias_variance ---- */

/* Predictions of all samples at the test points. */
typedef struct smr_bias_points {
    int64_t n_samples, n, n_classes; /* n_classes 0: numbers                                     */
    const double *predicted;         /* samples x points: a number, or a class                   */
    const double *y;                 /* points: observed                                         */
    const double *truth;             /* points, or points x classes; NULL: not known             */
    double noise;                    /* deviation of y about the truth                           */
} smr_bias_points;

typedef struct smr_decomposition {
    double bias, bias_se;         /* bias^2, or mean B; standard errors over the samples          */
    double variance, variance_se; /* mean variance, or mean V                                    */
    double noise;                 /* NaN: not distinguished from bias                            */
    double variance_up;           /* classes: mean V where B = 0,                                */
    double variance_down;         /* and what variance takes off where B = 1 (<= 0)              */
    double noise_effect;          /* mean c1 N; numbers: the noise                               */
    double sum, measured;
    double difference_se; /* of measured - sum, from the noise of the test values */
} smr_decomposition;

smr_status smr_bias_decompose(smr_ctx *ctx, const smr_bias_points *points, smr_decomposition *out);

#endif
