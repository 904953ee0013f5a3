/* estimate_shares.c -- bernoulli and categorical columns (estimate.h).
 *
 *     maximum likelihood   s / n
 *     mode                 (a + s - 1) / (a + b + n - 2); an end if a + s or b + n - s is below 1
 *     mean                 (a + s) / (a + b + n)
 *
 * Credible intervals are quantiles of the posterior, beta(a + s, b + n - s); confidence intervals
 * those of Clopper and Pearson: quantiles of beta(s, n - s + 1) and beta(s + 1, n - s), which hold
 * at least the level.  A level of a category is one against the rest. */
#include "core/try.h"
#include "kernel/kernel.h"
#include "study/estimate_parts.h"

/* The mode of beta(a, b), or of one share of a Dirichlet distribution; NaN: not one point. */
static double mode_of(double a, double b)
{
    if (a > 1 && b > 1) return (a - 1) / (a + b - 2);
    if (a == 1 && b == 1) return NAN;
    if (a <= 1 && b > 1) return 0;
    if (b <= 1 && a > 1) return 1;
    return a == 1 || b == 1 ? (a > b ? 1 : 0) : NAN;
}

/* s of n with a prior beta(a, b). */
static smr_estimated share_of(const smr_sample *sample, double s, double n, double a, double b)
{
    double after = a + s, other = b + n - s, tail = sample->tail;
    smr_estimated e = {.ml = s / n, .unbiased = s / n, .map = mode_of(after, other)};
    if (a == 1 && b == 1) e.map = e.ml;
    e.mean = after / (after + other);
    e.low = e.high = NAN;
    if (after > 0 && other > 0) {
        smr_law posterior = smr_law_of(&smr_family_beta, after, other, 0);
        e.low = smr_law_quantile(&posterior, tail, false);
        e.high = smr_law_quantile(&posterior, tail, true);
    }
    smr_law below = smr_law_of(&smr_family_beta, s, n - s + 1, 0),
            above = smr_law_of(&smr_family_beta, s + 1, n - s, 0);
    e.from = s > 0 ? smr_law_quantile(&below, tail, false) : 0;
    e.to = s < n ? smr_law_quantile(&above, tail, true) : 1;
    return e;
}

static double log_share(double s, double p)
{
    return s > 0 ? s * smr_log(p) : 0;
}

static double log_of_bernoulli(const smr_sample *s, double p)
{
    return log_share(s->count[1], p) + log_share(s->count[0], 1 - p);
}

smr_status smr_estimate_bernoulli(smr_ctx *ctx, const smr_sample *s, smr_json *into,
                                  smr_json *figures)
{
    smr_status st = SMR_OK;
    double ones = s->count[1], n = s->weight;
    double a = s->prior ? s->prior[0] : 1, b = s->prior ? s->prior[1] : 1;
    smr_estimated e = share_of(s, ones, n, a, b);
    smr_text word = {.ctx = ctx};
    int64_t length;
    const char *level = smr_strings_get(&s->levels, 1, &length);
    smr_text_add(&word, "p(");
    smr_text_add_bytes(&word, level, length);
    smr_text_add(&word, ")");
    TRY(smr_text_done(&word));
    e.parameter = word.bytes;
    smr_estimate_law(into, "prior", "beta", 2, (const double[]){a, b});
    smr_estimate_law(into, "posterior", "beta", 2, (const double[]){a + ones, b + n - ones});
    smr_json_add_number(into, "log_likelihood", log_of_bernoulli(s, e.ml));
    smr_json_add_number(into, "likelihood", smr_exp(log_of_bernoulli(s, e.ml)));
    smr_estimate_row(smr_json_add_array(into, "parameters"), &e);
    smr_fit_of_shares(s, into);
    if (!figures || !(a + ones > 0 && b + n - ones > 0)) goto out;
    smr_law prior = smr_law_of(&smr_family_beta, a, b, 0);
    smr_parameter_curve curve = {.what = word.bytes,
                                 .suffix = "",
                                 .prior = a > 0 && b > 0 ? &prior : NULL,
                                 .posterior =
                                     smr_law_of(&smr_family_beta, a + ones, b + n - ones, 0),
                                 .ml = e.ml,
                                 .low = e.low,
                                 .high = e.high,
                                 .least = 0,
                                 .most = 1,
                                 .log_likelihood = log_of_bernoulli(s, e.ml),
                                 .log_of = log_of_bernoulli};
    TRY(smr_estimate_curves(ctx, s, &curve, figures));
out:
    smr_text_release(&word);
    return st;
}

/* ---- categorical ------------------------------------------------------------------------ */

static double shape_of(const smr_sample *s, int64_t k)
{
    return !s->prior ? 1 : s->n_prior == 1 ? s->prior[0] : s->prior[k];
}

/* The mode of the whole posterior: all of its shapes above 1, or one prior 1 for all. */
static double mode_among(const smr_sample *s, int64_t k, double total)
{
    bool flat = true, inner = true;
    for (int64_t j = 0; j < s->n_levels; j++) {
        flat &= shape_of(s, j) == 1;
        inner &= shape_of(s, j) + s->count[j] > 1;
    }
    if (flat) return s->count[k] / s->weight;
    double shape = shape_of(s, k) + s->count[k];
    return inner ? (shape - 1) / (total + s->weight - (double)s->n_levels) : NAN;
}

smr_status smr_estimate_categorical(smr_ctx *ctx, const smr_sample *s, smr_json *into,
                                    smr_json *figures)
{
    smr_status st = SMR_OK;
    double *numbers = NULL, total = 0, log_likelihood = 0;
    int64_t K = s->n_levels;
    if (s->prior && s->n_prior > 1 && s->n_prior != K)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "the prior dirichlet has %lld shapes, but '%s' has %lld levels; one number "
                        "is for all levels",
                        (long long)s->n_prior, s->name, (long long)K);
    TRY_NEW(numbers, 5 * K + 1);
    double *shape = numbers, *after = numbers + K, *mean = after + K, *low = mean + K,
           *high = low + K;
    for (int64_t k = 0; k < K; k++) {
        shape[k] = shape_of(s, k);
        after[k] = shape[k] + s->count[k];
        total += shape[k];
        log_likelihood += log_share(s->count[k], s->count[k] / s->weight);
    }
    smr_estimate_law(into, "prior", "dirichlet", K, shape);
    smr_estimate_law(into, "posterior", "dirichlet", K, after);
    smr_json_add_number(into, "log_likelihood", log_likelihood);
    smr_json *rows = smr_json_add_array(into, "parameters");
    for (int64_t k = 0; k < K; k++) {
        int64_t length;
        const char *level = smr_strings_get(&s->levels, k, &length);
        smr_text word = {.ctx = ctx};
        smr_text_add(&word, "p(");
        smr_text_add_bytes(&word, level, length);
        smr_text_add(&word, ")");
        smr_estimated e = share_of(s, s->count[k], s->weight, shape[k], total - shape[k]);
        e.map = mode_among(s, k, total);
        e.parameter = word.bytes ? word.bytes : "";
        smr_estimate_row(rows, &e);
        mean[k] = e.mean;
        low[k] = e.low;
        high[k] = e.high;
        st = smr_text_done(&word);
        smr_text_release(&word);
        TRY(st);
    }
    smr_fit_of_shares(s, into);
    if (figures) TRY(smr_estimate_shares_figure(ctx, s, mean, low, high, figures));
out:
    smr_free(numbers);
    return st;
}
