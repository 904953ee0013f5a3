/* tally.c -- measures that count: accuracy, precision, recall, F1, Matthews, kappa.
 *
 * With tp = correct_k, tp + fp = predicted_k, tp + fn = support_k, W the weight of all rows:
 *
 *     precision = tp/(tp+fp)   recall = tp/(tp+fn)   F1 = 2 tp / (predicted_k + support_k)
 *     Matthews  = (W sum tp - sum_k p_k s_k) / sqrt((W^2 - sum p_k^2)(W^2 - sum s_k^2))
 *     kappa     = (a - e) / (1 - e),  a = sum tp / W,  e = sum_k p_k s_k / W^2
 *
 * References: Gorodkin, Comput. Biol. Chem. 28 (2004); Cohen, Educ. Psychol. Meas. 20 (1960). */
#include "math/dd.h"
#include "metric/metric_parts.h"

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

smr_status smr_tally_make(smr_ctx *ctx, const smr_classify_input *in, smr_tally *out)
{
    smr_status st = SMR_OK;
    int64_t K = in->n_classes;
    dd *sums = NULL, total = {0, 0};

    *out = (smr_tally){.n_classes = K};
    TRY_NEW(out->correct, 3 * K); /* one block for the three arrays */
    out->predicted = out->correct + K;
    out->support = out->correct + 2 * K;
    TRY_NEW(sums, 3 * K);
    for (int64_t i = 0; i < in->n; i++) {
        double w = row_weight(in->weight, i);
        int64_t k = predicted_of(in, i), label = in->label[i];
        dd_add(&total, w);
        dd_add(&sums[K + k], w);
        dd_add(&sums[2 * K + label], w);
        if (k == label) dd_add(&sums[k], w);
    }
    for (int64_t k = 0; k < 3 * K; k++) out->correct[k] = dd_value(sums[k]);
    out->total = dd_value(total);
out:
    smr_free(sums);
    if (st != SMR_OK) smr_tally_release(out);
    return st;
}

void smr_tally_release(smr_tally *tally)
{
    smr_free(tally->correct);
    *tally = (smr_tally){0};
}

static double sum_of(int64_t n, const double *x)
{
    dd sum = {0, 0};
    for (int64_t k = 0; k < n; k++) dd_add(&sum, x[k]);
    return dd_value(sum);
}

static double sum_of_products(int64_t n, const double *x, const double *y)
{
    dd sum = {0, 0};
    for (int64_t k = 0; k < n; k++) dd_add_product(&sum, x[k], y[k]);
    return dd_value(sum);
}

static double rate_of(smr_rate rate, double correct, double predicted, double support)
{
    if (rate == SMR_RATE_PRECISION) return ratio(correct, predicted);
    if (rate == SMR_RATE_RECALL) return ratio(correct, support);
    return ratio(2 * correct, predicted + support);
}

double smr_tally_rate(const smr_tally *t, smr_rate rate, int64_t k)
{
    return rate_of(rate, t->correct[k], t->predicted[k], t->support[k]);
}

double smr_tally_average(const smr_tally *t, smr_rate rate, smr_average average)
{
    if (average == SMR_AVERAGE_MICRO) /* all classes' counts together: each row is predicted once */
        return rate_of(rate, sum_of(t->n_classes, t->correct), t->total, t->total);
    dd sum = {0, 0}, weight = {0, 0};
    for (int64_t k = 0; k < t->n_classes; k++) {
        if (t->support[k] == 0 && t->predicted[k] == 0) continue;
        double w = average == SMR_AVERAGE_WEIGHTED ? t->support[k] : 1;
        double r = smr_tally_rate(t, rate, k);
        dd_add(&weight, w);
        if (!isnan(r)) dd_add_product(&sum, w, r);
    }
    return ratio(dd_value(sum), dd_value(weight));
}

double smr_tally_accuracy(const smr_tally *t)
{
    return ratio(sum_of(t->n_classes, t->correct), t->total);
}

double smr_tally_balanced_accuracy(const smr_tally *t)
{
    dd sum = {0, 0};
    int64_t n = 0;
    for (int64_t k = 0; k < t->n_classes; k++) {
        if (t->support[k] == 0) continue;
        dd_add(&sum, t->correct[k] / t->support[k]);
        n++;
    }
    return ratio(dd_value(sum), (double)n);
}

double smr_tally_matthews(const smr_tally *t)
{
    int64_t K = t->n_classes;
    double W = t->total, correct = sum_of(K, t->correct);
    double ps = sum_of_products(K, t->predicted, t->support);
    double pp = W * W - sum_of_products(K, t->predicted, t->predicted);
    double ss = W * W - sum_of_products(K, t->support, t->support);
    return ratio(W * correct - ps, sqrt(pp * ss));
}

double smr_tally_kappa(const smr_tally *t)
{
    double chance = sum_of_products(t->n_classes, t->predicted, t->support);
    double W = t->total, correct = sum_of(t->n_classes, t->correct);
    return ratio(W * correct - chance, W * W - chance);
}

smr_status smr_confusion(smr_ctx *ctx, const smr_classify_input *in, double *matrix)
{
    smr_status st = SMR_OK;
    int64_t K = in->n_classes;
    dd *sums = NULL;
    TRY(smr_classify_check(ctx, in));
    TRY_NEW(sums, K * K);
    for (int64_t i = 0; i < in->n; i++)
        dd_add(&sums[in->label[i] * K + predicted_of(in, i)], row_weight(in->weight, i));
    for (int64_t c = 0; c < K * K; c++) matrix[c] = dd_value(sums[c]);
out:
    smr_free(sums);
    return st;
}
