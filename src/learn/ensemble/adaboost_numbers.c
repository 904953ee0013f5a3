/* adaboost_numbers.c -- one round of boosting for numbers (R2): see adaboost.c. */
#include "core/number.h"
#include "kernel/kernel.h"
#include "learn/ensemble/adaboost.h"

#include <float.h>
#include <math.h>

/* Errors that are rounding, as a share of the target's size. */
static const double ROUNDING = 1e-13;

/* Half the error of row i: a whole one may be too large for a number. */
static double half_error(const struct smr_boosting *b, int64_t i)
{
    return fabs(b->answers[i] / 2 - b->data->y[i] / 2);
}

/* Half the largest error of rows that count, and half the size of what is predicted. */
static double largest_error(const struct smr_boosting *b, double *size)
{
    double most = 0;
    *size = 0;
    for (int64_t i = 0; i < b->n; i++) {
        if (b->ln_weight[i] == -INFINITY) continue;
        if (isnan(b->answers[i])) return NAN; /* which smr_fmax would pass over */
        most = smr_fmax(most, half_error(b, i));
        *size = smr_fmax(*size, fabs(b->data->y[i]) / 2);
    }
    return most;
}

static double loss_of(int kind, double share)
{
    if (kind == SMR_ADABOOST_SQUARE) return share * share;
    return kind == SMR_ADABOOST_EXPONENTIAL ? -smr_expm1(-share) : share;
}

static void warn_poor(smr_ctx *ctx, double mean)
{
    char share[SMR_NUMBER_MAX];
    smr_format_rounded(mean, 3, share);
    smr_warn(ctx,
             "adaboost: its first learner's mean loss is %s of the largest error, where boosting "
             "needs less than 0.5; it is the whole model: give of= a stronger learner",
             share);
}

smr_status smr_adaboost_numbers_round(smr_ctx *ctx, struct smr_boosting *b, int64_t t, int *stop)
{
    const struct smr_adaboost_params *p = b->params;
    struct smr_adaboost_state *s = b->state;
    double size, most = largest_error(b, &size), mean = 0, sum = 0;
    if (!isfinite(most))
        return smr_fail(ctx, SMR_ERR_NUMERIC,
                        "adaboost: a prediction of its learner is not a finite number");
    bool perfect = most <= ROUNDING * size;
    for (int64_t i = 0; i < b->n && !perfect; i++) {
        b->answers[i] = loss_of(p->loss, half_error(b, i) / most);
        mean += b->weight[i] * b->answers[i];
    }
    mean /= b->total;
    bool poor = !perfect && mean >= 0.5;
    if (poor && t > 0) {
        *stop = SMR_ADABOOST_CHANCE;
        return SMR_OK;
    }
    for (int64_t k = 0; k < t; k++) sum += s->alpha[k];
    s->largest[t] = smr_fmin(2 * most, DBL_MAX);
    s->error[t] = mean;
    if (perfect || poor) { /* it decides alone */
        *stop = perfect ? SMR_ADABOOST_PERFECT : SMR_ADABOOST_ALONE;
        if (poor) warn_poor(ctx, mean);
        s->alpha[t] = 1 + sum;
        return SMR_OK;
    }
    double ln_beta = smr_log(mean / (1 - mean)) * p->rate;
    if (p->step == SMR_ADABOOST_FIXED) ln_beta = -p->alpha;
    s->alpha[t] = -ln_beta;
    for (int64_t i = 0; i < b->n; i++) b->ln_weight[i] += (1 - b->answers[i]) * ln_beta;
    return SMR_OK;
}
