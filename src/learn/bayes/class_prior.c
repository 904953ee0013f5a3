/* class_prior.c -- see class_prior.h. */
#include "learn/bayes/class_prior.h"

#include "core/text.h"
#include "kernel/kernel.h"
#include "learn/present.h"
#include "math/loss.h"

#include <math.h>
#include <string.h>

const smr_choice smr_priors[] = {
    [SMR_PRIOR_LEARNED] = {"learned", "the shares of the classes in the training rows"},
    [SMR_PRIOR_UNIFORM] = {"uniform", "the same for every class"},
    {NULL, NULL},
};

/* How far the sum of numbers with few digits may be from 1. */
#define NEAR_ONE 1e-6

smr_status smr_class_prior_check(smr_ctx *ctx, const char *learner, const smr_reals *priors,
                                 int64_t n_classes)
{
    double sum = 0;
    if (priors->n == 0) return SMR_OK;
    if (priors->n != n_classes)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "%s: priors has %lld number%s, and there %s %lld class%s", learner,
                        (long long)priors->n, smr_plural(priors->n, "", "s"),
                        smr_plural(n_classes, "is", "are"), (long long)n_classes,
                        smr_plural(n_classes, "", "es"));
    for (int64_t k = 0; k < priors->n; k++) sum += priors->value[k];
    if (fabs(sum - 1) > NEAR_ONE) {
        smr_text text = {.ctx = ctx};
        smr_text_rounded(&text, sum, 6);
        smr_status st = smr_text_done(&text);
        if (st == SMR_OK)
            st = smr_fail(ctx, SMR_ERR_PARAM, "%s: priors sum to %s; they must sum to 1", learner,
                          text.bytes);
        smr_text_release(&text);
        return st;
    }
    return SMR_OK;
}

void smr_class_prior_log(smr_class_prior how, int64_t n_classes, const double *weight, double *base)
{
    double total = 0;
    for (int64_t k = 0; k < n_classes; k++) total += weight[k];
    for (int64_t k = 0; k < n_classes; k++) {
        double share = how.priors->n > 0                ? how.priors->value[k]
                       : how.prior == SMR_PRIOR_UNIFORM ? 1 / (double)n_classes
                       : total > 0                      ? weight[k] / total
                                                        : 1 / (double)n_classes;
        base[k] = total > 0 && weight[k] == 0 ? -INFINITY : smr_log(share);
    }
    /* Given priors may leave nothing to the classes that have rows: then these are equal. */
    bool any = false;
    for (int64_t k = 0; k < n_classes; k++) any = any || base[k] > -INFINITY;
    for (int64_t k = 0; k < n_classes && !any; k++)
        base[k] = total > 0 && weight[k] == 0 ? -INFINITY : 0;
}

/* Rows one after another would wait for each other where they are of one class: four counts. */
static void count_labels(const smr_data *data, double *weight)
{
    enum { LANES = 4, FEW = 256 };
    int64_t count[LANES][FEW] = {{0}}, n = data->n_rows, i = 0;
    const int32_t *label = data->label;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++) count[l][label[i + l]]++;
    for (; i < n; i++) count[0][label[i]]++;
    for (int64_t k = 0; k < data->n_classes; k++)
        weight[k] += (double)(count[0][k] + count[1][k] + count[2][k] + count[3][k]);
}

int64_t smr_class_prior_draw(int64_t n_classes, const double *base, double u)
{
    double sum = 0;
    int64_t last = 0;
    for (int64_t k = 0; k < n_classes; k++) sum += smr_exp(base[k]);
    double at = u * sum;
    for (int64_t k = 0; k < n_classes; k++) {
        double share = smr_exp(base[k]);
        if (share <= 0) continue;
        last = k;
        if (at < share) break;
        at -= share;
    }
    return last; /* or rounding left it */
}

void smr_class_weights_of(const smr_data *data, double *weight)
{
    if (!data->weight && data->n_classes <= 256) {
        count_labels(data, weight);
        return;
    }
    for (int64_t i = 0; i < data->n_rows; i++) weight[data->label[i]] += smr_data_weight(data, i);
}

/* ---- answers ---------------------------------------------------------------------------- */

/* Scores nearer than this share of the larger one may have the same probability. */
#define NEARLY_SAME 1e-14

typedef double pair_f64 __attribute__((vector_size(16)));
typedef int64_t pair_i64 __attribute__((vector_size(16)));

/* How many scores are as near to the largest as this, and the sum of their numbers.  Without jumps,
 * whose way no processor can tell beforehand. */
static int64_t count_near(int64_t n, const double *score, double top, double tol, int64_t *at)
{
    const pair_f64 tops = {top, top}, tols = {tol, tol};
    pair_i64 near = {0, 0}, sum = {0, 0}, now = {0, 1};
    int64_t k = 0;
    for (; k + 2 <= n; k += 2, now += (pair_i64){2, 2}) {
        pair_f64 x;
        memcpy(&x, score + k, sizeof x);
        pair_i64 is = tops - x <= tols;
        near -= is;
        sum += is & now;
    }
    bool last = k < n && top - score[k] <= tol;
    *at = sum[0] + sum[1] + (last ? k : 0);
    return near[0] + near[1] + last;
}

/* The largest score.  Both ways to a label must agree: the probabilities of nearly equal scores may
 * be equal. */
static int64_t label_of(int64_t n, double *score)
{
    double even = score[0], odd = score[n - 1];
    int64_t best;
    for (int64_t k = 0; k + 2 <= n; k += 2) {
        even = score[k] > even ? score[k] : even;
        odd = score[k + 1] > odd ? score[k + 1] : odd;
    }
    double top = odd > even ? odd : even;
    if (count_near(n, score, top, 1e-12 + NEARLY_SAME * fabs(top), &best) == 1) return best;
    smr_loss_softmax(n, score, score);
    best = 0;
    for (int64_t k = 1; k < n; k++)
        if (score[k] > score[best]) best = k;
    return best;
}

static double bounded(double f)
{
    return f > -SMR_ABSENT ? -SMR_ABSENT : f < SMR_ABSENT ? SMR_ABSENT : f;
}

static void decide(int64_t n_classes, const double *score, double *out)
{
    if (n_classes == 2) {
        double f = bounded(score[1] - score[0]);
        out[0] = -f;
        out[1] = f;
        return;
    }
    double top = -INFINITY, sum = 0;
    for (int64_t k = 0; k < n_classes; k++) top = smr_fmax(top, score[k]);
    for (int64_t k = 0; k < n_classes; k++) sum += smr_exp(score[k] - top);
    double log_sum = smr_log(sum);
    for (int64_t k = 0; k < n_classes; k++) out[k] = bounded((score[k] - top) - log_sum);
}

void smr_class_answers(int64_t n_classes, int64_t n, smr_output output, double *score, double *out)
{
    if (output == SMR_OUTPUT_LABEL) {
        for (int64_t i = 0; i < n; i++) out[i] = (double)label_of(n_classes, score + i * n_classes);
        return;
    }
    for (int64_t i = 0; i < n; i++, score += n_classes) {
        double *to = out + i * n_classes;
        if (output == SMR_OUTPUT_PROBA) {
            smr_loss_softmax(n_classes, score, to);
        } else {
            decide(n_classes, score, to);
        }
    }
}
