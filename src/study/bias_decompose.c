/* bias_decompose.c -- predictions into bias, variance and noise: (1) and (2) of bias_variance.h. */
#include "study/bias_variance.h"

#include "math/stats.h"

#include <math.h>

/* ---- numbers ---------------------------------------------------------------------------- */

/* Means over the points of what sample s adds to the variance, and of the first-order change that
 * it makes to bias^2; their scatter over the samples gives standard errors. */
static void sample_parts(const smr_bias_points *p, const double *mean, const double *middle,
                         double *spread, double *pull)
{
    for (int64_t s = 0; s < p->n_samples; s++) {
        const double *f = p->predicted + s * p->n;
        double square = 0, product = 0;
        for (int64_t t = 0; t < p->n; t++) {
            square += (f[t] - mean[t]) * (f[t] - mean[t]);
            product += 2 * (mean[t] - middle[t]) * (f[t] - mean[t]);
        }
        spread[s] = square / (double)p->n;
        pull[s] = product / (double)p->n;
    }
}

/* What the test values' noise adds to the measured error beyond its expectation, point by point:
 * e^2 - v + 2 e (f - mean p), e = y - f. */
static double noise_error(const smr_bias_points *p, const double *mean, double *work)
{
    for (int64_t t = 0; t < p->n; t++) {
        double e = p->y[t] - p->truth[t];
        work[t] = e * e - p->noise * p->noise + 2 * e * (p->truth[t] - mean[t]);
    }
    return p->n > 1 ? sqrt(smr_variance(p->n, work, NULL, 1) / (double)p->n) : NAN;
}

static void decompose_numbers(const smr_bias_points *p, double *mean, double *work, double *spread,
                              double *pull, smr_decomposition *out)
{
    double S = (double)p->n_samples, squares = 0, error = 0;
    const double *middle = p->truth ? p->truth : p->y;
    for (int64_t s = 0; s < p->n_samples; s++)
        for (int64_t t = 0; t < p->n; t++) mean[t] += p->predicted[s * p->n + t] / S;
    sample_parts(p, mean, middle, spread, pull);
    for (int64_t t = 0; t < p->n; t++)
        squares += (mean[t] - middle[t]) * (mean[t] - middle[t]) / (double)p->n;
    for (int64_t s = 0; s < p->n_samples; s++) {
        double sum = 0;
        for (int64_t t = 0; t < p->n; t++) {
            double e = p->y[t] - p->predicted[s * p->n + t];
            sum += e * e;
        }
        error += sum / (double)p->n / S;
    }
    out->variance = smr_mean(p->n_samples, spread, NULL) * S / (S - 1);
    out->variance_se = sqrt(smr_variance(p->n_samples, spread, NULL, 1) / S);
    out->bias = squares - out->variance / S;
    /* the mean's own scatter counts where there is no bias to first order */
    out->bias_se = sqrt(smr_variance(p->n_samples, pull, NULL, 1) / S +
                        2 * out->variance * out->variance / (S * S));
    out->noise = p->truth ? p->noise * p->noise : NAN;
    out->noise_effect = p->truth ? out->noise : 0;
    out->sum = out->bias + out->variance + out->noise_effect;
    out->measured = error;
    out->difference_se = p->truth ? noise_error(p, mean, work) : 0;
}

/* ---- classes ---------------------------------------------------------------------------- */

static int64_t first_largest(int64_t n, const double *x)
{
    int64_t best = 0;
    for (int64_t k = 1; k < n; k++)
        if (x[k] > x[best]) best = k;
    return best;
}

/* (2) at point t; share[k]: of the samples that predict k.  Returns the main prediction. */
static int64_t decompose_point(const smr_bias_points *p, int64_t t, const double *share,
                               smr_decomposition *out, double *surprise)
{
    int64_t K = p->n_classes, observed = (int64_t)p->y[t], main = first_largest(K, share);
    const double *truth = p->truth ? p->truth + t * K : NULL;
    int64_t best = truth ? first_largest(K, truth) : observed;
    double noise = truth ? 1 - truth[best] : 0, hit = 0, n = (double)p->n;
    for (int64_t k = 0; truth && k < K; k++)
        if (k != best) hit += truth[k] * share[k]; /* P(p = y and y != y*) */
    double effect = noise * share[best] - hit;     /* c1 N */
    double expected = 1 - share[best] + effect, loss = 1 - share[observed];
    out->bias += (main != best) / n;
    out->variance += (1 - share[main]) / n;
    if (main == best)
        out->variance_up += (1 - share[main]) / n;
    else
        out->variance_down -= share[best] / n;
    out->noise += noise / n;
    out->noise_effect += effect / n;
    out->measured += loss / n;
    *surprise = loss - expected;
    return main;
}

static void decompose_classes(const smr_bias_points *p, double *main, double *surprise,
                              double *spread, double *share, smr_decomposition *out)
{
    double S = (double)p->n_samples, n = (double)p->n;
    for (int64_t t = 0; t < p->n; t++) {
        for (int64_t k = 0; k < p->n_classes; k++) share[k] = 0;
        for (int64_t s = 0; s < p->n_samples; s++) share[(int64_t)p->predicted[s * p->n + t]] += 1;
        for (int64_t k = 0; k < p->n_classes; k++) share[k] /= S;
        main[t] = (double)decompose_point(p, t, share, out, &surprise[t]);
    }
    for (int64_t s = 0; s < p->n_samples; s++)
        for (int64_t t = 0; t < p->n; t++) spread[s] += (p->predicted[s * p->n + t] != main[t]) / n;
    out->variance_se = sqrt(smr_variance(p->n_samples, spread, NULL, 1) / S);
    out->bias_se = sqrt(out->bias * (1 - out->bias) / n);
    out->sum = out->bias + out->variance_up + out->variance_down + out->noise_effect;
    out->difference_se = p->truth && p->n > 1 ? sqrt(smr_variance(p->n, surprise, NULL, 1) / n) : 0;
    if (!p->truth) out->noise = NAN;
}

smr_status smr_bias_decompose(smr_ctx *ctx, const smr_bias_points *p, smr_decomposition *out)
{
    smr_status st = SMR_OK;
    double *a = NULL, *b = NULL, *c = NULL, *d = NULL;
    *out = (smr_decomposition){0};
    TRY_NEW(a, p->n);
    TRY_NEW(b, p->n);
    TRY_NEW(c, p->n_samples);
    TRY_NEW(d, SMR_MAX(p->n_samples, p->n_classes));
    if (p->n_classes)
        decompose_classes(p, a, b, c, d, out);
    else
        decompose_numbers(p, a, b, c, d, out);
out:
    smr_free(a);
    smr_free(b);
    smr_free(c);
    smr_free(d);
    return st;
}
