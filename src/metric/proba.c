/* proba.c -- measures of probabilities: log loss, Brier's score, calibration, top-k error.
 *
 * References: Brier, Mon. Weather Rev. 78 (1950); Guo et al., "On calibration of modern neural
 * networks", ICML 2017 (the expected calibration error). */
#include "kernel/kernel.h"
#include "math/dd.h"
#include "metric/metric_parts.h"

#include <float.h>
#include <inttypes.h>

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

smr_status smr_log_loss(smr_ctx *ctx, const smr_classify_input *in, double *out)
{
    smr_status st = smr_classify_check(ctx, in);
    dd sum = {0, 0}, total = {0, 0};
    *out = NAN;
    if (st != SMR_OK || !in->proba) return st;
    for (int64_t i = 0; i < in->n; i++) {
        double w = row_weight(in->weight, i), p = in->proba[i * in->n_classes + in->label[i]];
        p = p < DBL_EPSILON ? DBL_EPSILON : p > 1 ? 1 : p;
        dd_add(&total, w);
        dd_add_product(&sum, w, -smr_log(p));
    }
    *out = ratio(dd_value(sum), dd_value(total));
    return SMR_OK;
}

/* sum_k (p_k - [label = k])^2, or for two classes the positive class's square alone. */
static double brier_of_row(const smr_classify_input *in, int64_t i)
{
    const double *p = in->proba + i * in->n_classes;
    double sum = 0;
    if (in->n_classes == 2) {
        double d = p[positive_of(in)] - (in->label[i] == positive_of(in));
        return d * d;
    }
    for (int64_t k = 0; k < in->n_classes; k++) {
        double d = p[k] - (in->label[i] == k);
        sum += d * d;
    }
    return sum;
}

smr_status smr_brier(smr_ctx *ctx, const smr_classify_input *in, double *out)
{
    smr_status st = smr_classify_check(ctx, in);
    dd sum = {0, 0}, total = {0, 0};
    *out = NAN;
    if (st != SMR_OK || !in->proba) return st;
    for (int64_t i = 0; i < in->n; i++) {
        double w = row_weight(in->weight, i);
        dd_add(&total, w);
        dd_add_product(&sum, w, brier_of_row(in, i));
    }
    *out = ratio(dd_value(sum), dd_value(total));
    return SMR_OK;
}

smr_status smr_top_k_error(smr_ctx *ctx, const smr_classify_input *in, int64_t k, double *out)
{
    smr_status st = smr_classify_check(ctx, in);
    const double *scores = scores_of(in);
    dd missed = {0, 0}, total = {0, 0};
    *out = NAN;
    if (st != SMR_OK || !scores || k >= in->n_classes) return st;
    if (k < 1)
        return smr_fail(ctx, SMR_ERR_PARAM, "top-k error needs k of at least 1, not %" PRId64, k);
    for (int64_t i = 0; i < in->n; i++) {
        const double *s = scores + i * in->n_classes;
        int64_t label = in->label[i], before = 0;
        for (int64_t c = 0; c < in->n_classes; c++)
            before += s[c] > s[label] || (c < label && s[c] == s[label]);
        double w = row_weight(in->weight, i);
        dd_add(&total, w);
        if (before >= k) dd_add(&missed, w);
    }
    *out = ratio(dd_value(missed), dd_value(total));
    return SMR_OK;
}

struct bin_sums {
    dd weight, predicted, observed;
};

static void add_to_bin(const smr_classify_input *in, int64_t i, int64_t n_bins,
                       struct bin_sums *sums)
{
    const double *row = in->proba + i * in->n_classes;
    int64_t k = in->n_classes == 2 ? positive_of(in) : largest(in->n_classes, row);
    double w = row_weight(in->weight, i), p = row[k] < 0 ? 0 : row[k];
    int64_t b = (int64_t)(p * (double)n_bins);
    struct bin_sums *s = &sums[b < n_bins ? b : n_bins - 1];
    dd_add(&s->weight, w);
    dd_add_product(&s->predicted, w, p);
    if (in->label[i] == k) dd_add(&s->observed, w);
}

smr_status smr_calibration(smr_ctx *ctx, const smr_classify_input *in, int64_t n_bins,
                           smr_calibration_bin *bins, double *ece)
{
    smr_status st = SMR_OK;
    struct bin_sums *sums = NULL;
    dd miss = {0, 0}, total = {0, 0};

    if (n_bins < 1 || n_bins > 1000000)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "calibration takes from 1 to 1000000 bins, not %" PRId64, n_bins);
    TRY(smr_classify_check(ctx, in));
    TRY_NEW(sums, n_bins);
    for (int64_t i = 0; in->proba && i < in->n; i++) add_to_bin(in, i, n_bins, sums);
    for (int64_t b = 0; b < n_bins; b++) {
        double w = dd_value(sums[b].weight);
        bins[b] = (smr_calibration_bin){
            .lo = (double)b / (double)n_bins,
            .hi = (double)(b + 1) / (double)n_bins,
            .weight = w,
            .predicted = ratio(dd_value(sums[b].predicted), w),
            .observed = ratio(dd_value(sums[b].observed), w),
        };
        dd_add(&total, w);
        dd_add(&miss, fabs(dd_value(sums[b].predicted) - dd_value(sums[b].observed)));
    }
    if (ece) *ece = ratio(dd_value(miss), dd_value(total));
out:
    smr_free(sums);
    return st;
}
