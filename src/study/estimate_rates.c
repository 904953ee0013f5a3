/* estimate_rates.c -- poisson and exponential columns (estimate.h).
 *
 * Both posteriors are gamma(A, B): A = shape + sum x, B = rate + n for counts, A = shape + n,
 * B = rate + sum x for waiting times.  Mode (A - 1) / B (0 for A < 1), mean A / B.  Confidence
 * intervals are exact: of Garwood for counts (quantiles of gamma(s, n) and gamma(s + 1, n), at
 * least the level), of gamma(n, sum x) for waiting times. */
#include "core/try.h"
#include "kernel/kernel.h"
#include "math/stats.h"
#include "study/estimate_parts.h"

static double log_of_poisson(const smr_sample *s, double rate)
{
    return (s->sum > 0 ? s->sum * smr_log(rate) : 0) - rate * s->weight;
}

static double log_of_exponential(const smr_sample *s, double rate)
{
    return s->weight * smr_log(rate) - rate * s->sum;
}

/* sum w log x! */
static double log_factorials(const smr_sample *s)
{
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++) sum += (s->w ? s->w[i] : 1) * smr_log_gamma(s->x[i] + 1);
    return sum;
}

/* A rate with a gamma prior and posterior, shape and rate of each; a prior of rate 0 or shape 0 is
 * not proper. */
static smr_status tell_rate(smr_ctx *ctx, const smr_sample *s, smr_estimated *e,
                            double log_likelihood, const double gammas[4],
                            double (*log_of)(const smr_sample *, double), smr_json *into,
                            smr_json *figures)
{
    const double *prior = gammas, *posterior = gammas + 2;
    smr_law after = smr_law_of(&smr_family_gamma, posterior[0], posterior[1], 0);
    smr_law before = smr_law_of(&smr_family_gamma, prior[0], prior[1], 0);
    bool proper = posterior[0] > 0 && posterior[1] > 0;
    e->parameter = "rate";
    e->map = posterior[0] >= 1 ? (posterior[0] - 1) / posterior[1] : 0;
    e->mean = posterior[0] / posterior[1];
    e->low = proper ? smr_law_quantile(&after, s->tail, false) : NAN;
    e->high = proper ? smr_law_quantile(&after, s->tail, true) : NAN;
    smr_estimate_law(into, "prior", smr_family_gamma.name, 2, prior);
    smr_estimate_law(into, "posterior", smr_family_gamma.name, 2, posterior);
    smr_json_add_number(into, "log_likelihood", log_likelihood);
    smr_estimate_row(smr_json_add_array(into, "parameters"), e);
    smr_parameter_curve curve = {.what = "rate",
                                 .suffix = "",
                                 .prior = prior[0] > 0 && prior[1] > 0 ? &before : NULL,
                                 .posterior = after,
                                 .ml = e->ml,
                                 .low = e->low,
                                 .high = e->high,
                                 .least = NAN,
                                 .most = NAN,
                                 .log_likelihood = log_likelihood,
                                 .log_of = log_of};
    return figures && proper ? smr_estimate_curves(ctx, s, &curve, figures) : SMR_OK;
}

smr_status smr_estimate_poisson(smr_ctx *ctx, const smr_sample *s, smr_json *into,
                                smr_json *figures)
{
    smr_status st = SMR_OK;
    double n = s->weight, total = s->sum, rate = total / n;
    double a = s->prior ? s->prior[0] : 1, b = s->prior ? s->prior[1] : 0;
    double gammas[4] = {a, b, a + total, b + n};
    smr_law below = smr_law_of(&smr_family_gamma, total, n, 0),
            above = smr_law_of(&smr_family_gamma, total + 1, n, 0);
    smr_estimated e = {.ml = rate,
                       .unbiased = rate,
                       .from = total > 0 ? smr_law_quantile(&below, s->tail, false) : 0,
                       .to = smr_law_quantile(&above, s->tail, true)};
    double log_likelihood = log_of_poisson(s, rate) - log_factorials(s);
    TRY(tell_rate(ctx, s, &e, log_likelihood, gammas, log_of_poisson, into, figures));
    TRY(smr_fit_of_counts(ctx, s, rate, into));
    smr_law law = smr_law_of(&smr_family_poisson, rate, 0, 0);
    if (figures) TRY(smr_estimate_fit_figure(ctx, s, &law, figures));
out:
    return st;
}

smr_status smr_estimate_exponential(smr_ctx *ctx, const smr_sample *s, smr_json *into,
                                    smr_json *figures)
{
    smr_status st = SMR_OK;
    double n = s->weight, total = s->sum, rate = n / total;
    double a = s->prior ? s->prior[0] : 1, b = s->prior ? s->prior[1] : 0;
    double gammas[4] = {a, b, a + n, b + total};
    if (!(total > 0))
        return smr_fail(ctx, SMR_ERR_DATA,
                        "'%s' is 0 in every row, so an exponential rate is unbounded", s->name);
    smr_law exact = smr_law_of(&smr_family_gamma, n, total, 0);
    smr_estimated e = {.ml = rate,
                       .unbiased = n > 1 ? (n - 1) / total : NAN,
                       .from = smr_law_quantile(&exact, s->tail, false),
                       .to = smr_law_quantile(&exact, s->tail, true)};
    double log_likelihood = log_of_exponential(s, rate);
    TRY(tell_rate(ctx, s, &e, log_likelihood, gammas, log_of_exponential, into, figures));
    smr_law law = smr_law_of(&smr_family_exponential, rate, 0, 0);
    TRY(smr_fit_of_law(ctx, s, &law, into));
    if (figures) TRY(smr_estimate_fit_figure(ctx, s, &law, figures));
out:
    return st;
}
