/* interval.c -- how far a measure on n rows may be from its true value.
 *
 *     Wilson:   (h + z^2/2 -+ z sqrt(h (n-h) / n + z^2/4)) / (n + z^2)
 *     area:     logit(A) -+ z sqrt(var) / (A (1-A)), back to (0, 1)
 *     mean:     m -+ t(n-1) sqrt(s^2 / n)
 *
 * for h hits of n rows, z and t the quantiles of the confidence. */
#include "core/json.h"
#include "kernel/kernel.h"
#include "math/dd.h"
#include "math/special.h"
#include "metric/metric_parts.h"

static const smr_interval NOWHERE = {NAN, NAN};

smr_interval smr_wilson(double hits, double n, double confidence)
{
    if (!(n > 0 && hits >= 0 && hits <= n)) return NOWHERE;
    double z = smr_normal_quantile(0.5 + 0.5 * confidence), z2 = z * z;
    double centre = hits + 0.5 * z2, half = z * sqrt(hits * (n - hits) / n + 0.25 * z2);
    return (smr_interval){.low = hits == 0 ? 0 : smr_fmax(0, (centre - half) / (n + z2)),
                          .high = hits == n ? 1 : smr_fmin(1, (centre + half) / (n + z2))};
}

static double expit(double x)
{
    return 1 / (1 + smr_exp(-x));
}

smr_interval smr_auc_interval(double auc, double variance, double confidence)
{
    if (!(auc > 0 && auc < 1 && variance > 0)) return NOWHERE;
    double z = smr_normal_quantile(0.5 + 0.5 * confidence);
    double centre = smr_log(auc / (1 - auc)), half = z * sqrt(variance) / (auc * (1 - auc));
    return (smr_interval){expit(centre - half), expit(centre + half)};
}

smr_interval smr_mean_interval(double mean, double variance, double n, double confidence)
{
    if (!(n > 1 && variance >= 0)) return NOWHERE;
    double half = smr_t_quantile(0.5 + 0.5 * confidence, n - 1) * sqrt(variance / n);
    return (smr_interval){mean - half, mean + half};
}

/* An interval that is not defined is null. */
static void add_interval(smr_json *into, const char *name, smr_interval i)
{
    if (isnan(i.low)) {
        smr_json_add_null(into, name);
        return;
    }
    smr_json *pair = smr_json_add_array(into, name);
    smr_json_add_number(pair, NULL, i.low);
    smr_json_add_number(pair, NULL, i.high);
}

static smr_status all_built(smr_ctx *ctx, const smr_json *into)
{
    if (smr_json_done(into->doc) == SMR_OK) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_NOMEM, "no memory for the intervals");
}

smr_status smr_metric_classify_intervals(smr_ctx *ctx, const smr_classify_input *in,
                                         double confidence, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_classified c = {0};
    smr_ranking r = {0};
    int64_t k = positive_of(in);
    TRY(smr_classified_open(ctx, in, &c));
    const smr_tally *t = &c.tally;
    smr_json *list = smr_json_add_object(into, "intervals");
    smr_json_add_number(list, "confidence", confidence);
    add_interval(
        list, "accuracy",
        smr_wilson(smr_fmin(t->total, smr_tally_accuracy(t) * t->total), t->total, confidence));
    if (in->n_classes != 2) goto out;
    add_interval(list, "precision", smr_wilson(t->correct[k], t->predicted[k], confidence));
    add_interval(list, "recall", smr_wilson(t->correct[k], t->support[k], confidence));
    if (!scores_of(in)) goto out;
    TRY(smr_ranking_make(ctx, in->n, scores_of(in) + k, 2, in->label, k, in->weight, &r));
    add_interval(list, "auc",
                 smr_auc_interval(smr_ranking_auc(&r), smr_ranking_auc_variance(&r), confidence));
out:
    if (st == SMR_OK) st = all_built(ctx, into);
    smr_ranking_release(&r);
    smr_classified_close(&c);
    return st;
}

/* The interval of the mean of |e|^power over the rows. */
static smr_interval error_interval(const smr_regress_input *in, int power, double confidence)
{
    dd total = {0, 0}, sum = {0, 0}, squares = {0, 0};
    for (int64_t i = 0; i < in->n; i++) {
        double w = row_weight(in->weight, i), e = fabs(in->y[i] - in->predicted[i]);
        dd_add(&total, w);
        dd_add_product(&sum, w, power == 2 ? e * e : e);
    }
    double n = dd_value(total), mean = dd_value(sum) / n;
    for (int64_t i = 0; i < in->n; i++) {
        double w = row_weight(in->weight, i), e = fabs(in->y[i] - in->predicted[i]);
        double gap = (power == 2 ? e * e : e) - mean;
        dd_add(&squares, w * gap * gap);
    }
    smr_interval out = smr_mean_interval(mean, dd_value(squares) / (n - 1), n, confidence);
    if (!isnan(out.low)) out.low = smr_fmax(0, out.low);
    return out;
}

smr_status smr_metric_regress_intervals(smr_ctx *ctx, const smr_regress_input *in,
                                        double confidence, smr_json *into)
{
    smr_status st = smr_regress_check(ctx, in);
    if (st != SMR_OK || in->n_outputs != 1) return st;
    smr_json *list = smr_json_add_object(into, "intervals");
    smr_interval mse = error_interval(in, 2, confidence);
    smr_json_add_number(list, "confidence", confidence);
    add_interval(list, "mae", error_interval(in, 1, confidence));
    add_interval(list, "mse", mse);
    add_interval(list, "rmse", (smr_interval){sqrt(mse.low), sqrt(mse.high)});
    return all_built(ctx, into);
}
