/* adaboost_classes.c -- one round of boosting for classes, and the margins: see adaboost.c. */
#include "core/sort.h"
#include "kernel/kernel.h"
#include "learn/ensemble/adaboost.h"

#include <math.h>

/* An edge below this is rounding: a learner asked again for the weights that its own mistakes made
 * has an error of exactly 1/2. */
static const double LEAST_EDGE = 1e-10;

/* ---- judging a member ------------------------------------------------------------------- */

static int64_t said(const struct smr_boosting *b, int64_t i)
{
    const struct smr_adaboost_state *s = b->state;
    if (b->params->method == SMR_ADABOOST_DISCRETE) return (int64_t)b->answers[i];
    const double *p = b->answers + i * s->n_classes;
    int64_t best = 0;
    for (int64_t c = 1; c < s->n_classes; c++)
        if (p[c] > p[best]) best = c;
    return best;
}

/* The share of the weight that it gets wrong; *perfect: it gets no row wrong that counts. */
static double weighted_error(const struct smr_boosting *b, bool *perfect)
{
    double wrong = 0, all = 0;
    *perfect = true;
    for (int64_t i = 0; i < b->n; i++) {
        all += b->weight[i];
        if (said(b, i) == b->data->label[i]) continue;
        wrong += b->weight[i];
        if (b->ln_weight[i] > -INFINITY) *perfect = false;
    }
    return wrong / all;
}

static smr_status refuse_chance(smr_ctx *ctx, const struct smr_boosting *b, double error)
{
    return smr_fail(ctx, SMR_ERR_DATA,
                    "adaboost: its first learner, %s, is no better than chance: it gets %.4g of "
                    "the weight wrong; give of= one that can tell these classes apart, such as a "
                    "deeper tree, or better features",
                    smr_member_last(&b->state->of.member[0])->learner->word->name, error);
}

static double sum_of_alphas(const struct smr_adaboost_state *s, int64_t t)
{
    double sum = 0;
    for (int64_t k = 0; k < t; k++) sum += s->alpha[k];
    return sum;
}

/* ---- discrete --------------------------------------------------------------------------- */

static smr_status discrete_round(smr_ctx *ctx, struct smr_boosting *b, int64_t t, double error,
                                 bool perfect, int *stop)
{
    const struct smr_adaboost_params *p = b->params;
    struct smr_adaboost_state *s = b->state;
    double k = (double)SMR_MAX(2, b->n_present), tiny = 1e-300;
    if (!perfect && error >= 1 - 1 / k - LEAST_EDGE) {
        *stop = SMR_ADABOOST_CHANCE;
        return t == 0 ? refuse_chance(ctx, b, error) : SMR_OK;
    }
    double e = smr_fmax(error, tiny); /* wrong rows whose weight has vanished */
    double alpha = p->rate * (smr_log((1 - e) / e) + smr_log(k - 1)) / 2;
    if (p->step == SMR_ADABOOST_FIXED) alpha = p->alpha;
    if (perfect) {
        *stop = SMR_ADABOOST_PERFECT;
        alpha = 1 + sum_of_alphas(s, t);
    }
    s->alpha[t] = alpha;
    for (int64_t i = 0; i < b->n; i++) {
        if (said(b, i) != b->data->label[i]) b->ln_weight[i] += 2 * alpha;
        smr_adaboost_add(p, s, alpha, b->answers + i, b->score + i * s->n_classes);
    }
    b->shift += 2 * alpha * (k - 1) / k;
    b->reach += 2 * alpha;
    double ln_z = smr_log((1 - error) + error * smr_exp(2 * alpha)) - alpha;
    if (!isfinite(ln_z)) ln_z = alpha + smr_log(e);
    s->ln_bound[t] = (t ? s->ln_bound[t - 1] : 0) + ln_z;
    return SMR_OK;
}

/* ---- real ------------------------------------------------------------------------------- */

/* The member's scores of a row, from zero; and how far they spread over the classes present. */
static double row_scores(const struct smr_boosting *b, double alpha, int64_t i, double *row)
{
    const struct smr_adaboost_state *s = b->state;
    double low = INFINITY, high = -INFINITY;
    for (int64_t c = 0; c < s->n_classes; c++) row[c] = 0;
    smr_adaboost_add(b->params, s, alpha, b->answers + i * s->n_classes, row);
    for (int64_t c = 0; c < s->n_classes; c++) {
        if (!s->present[c]) continue;
        low = smr_fmin(low, row[c]);
        high = smr_fmax(high, row[c]);
    }
    return high - low;
}

/* The factor Z by which the loss would change: below 1, or the member adds nothing. */
static double real_factor(const struct smr_boosting *b, double alpha, double *row)
{
    double sum = 0;
    for (int64_t i = 0; i < b->n; i++) {
        row_scores(b, alpha, i, row);
        sum += b->weight[i] * smr_exp(-row[b->data->label[i]]);
    }
    return sum / b->total;
}

static bool whole_is_perfect(const struct smr_boosting *b);

static smr_status real_round(smr_ctx *ctx, struct smr_boosting *b, int64_t t, double error,
                             bool perfect, int *stop)
{
    const struct smr_adaboost_params *p = b->params;
    struct smr_adaboost_state *s = b->state;
    smr_status st = SMR_OK;
    double alpha = p->step == SMR_ADABOOST_FIXED ? p->alpha : p->rate, reach = 0;
    double *row = NULL;
    TRY_NEW(row, s->n_classes);
    double z = real_factor(b, alpha, row);
    if (!perfect && !(z < 1 - LEAST_EDGE)) {
        *stop = SMR_ADABOOST_CHANCE;
        if (t == 0) st = refuse_chance(ctx, b, error);
        goto out;
    }
    s->alpha[t] = alpha;
    for (int64_t i = 0; i < b->n; i++) {
        reach = smr_fmax(reach, row_scores(b, alpha, i, row));
        b->ln_weight[i] -= row[b->data->label[i]];
        for (int64_t c = 0; c < s->n_classes; c++) b->score[i * s->n_classes + c] += row[c];
    }
    b->reach += reach;
    s->ln_bound[t] = b->n_present > 2 ? NAN : (t ? s->ln_bound[t - 1] : 0) + smr_log(z);
    if (perfect && whole_is_perfect(b)) *stop = SMR_ADABOOST_PERFECT;
out:
    smr_free(row);
    return st;
}

/* ---- the round -------------------------------------------------------------------------- */

static int64_t chosen(const struct smr_boosting *b, int64_t i)
{
    const struct smr_adaboost_state *s = b->state;
    const double *score = b->score + i * s->n_classes;
    int64_t best = -1;
    for (int64_t c = 0; c < s->n_classes; c++)
        if (s->present[c] && (best < 0 || score[c] > score[best])) best = c;
    return best;
}

static bool whole_is_perfect(const struct smr_boosting *b)
{
    for (int64_t i = 0; i < b->n; i++)
        if (b->ln_weight[i] > -INFINITY && chosen(b, i) != b->data->label[i]) return false;
    return true;
}

smr_status smr_adaboost_classes_round(smr_ctx *ctx, struct smr_boosting *b, int64_t t, int *stop)
{
    bool perfect, real = b->params->method == SMR_ADABOOST_REAL;
    double error = weighted_error(b, &perfect);
    if (!isfinite(error))
        return smr_fail(ctx, SMR_ERR_NUMERIC, "adaboost: the weights of round %lld are not finite",
                        (long long)t + 1);
    b->state->error[t] = error;
    return real ? real_round(ctx, b, t, error, perfect, stop)
                : discrete_round(ctx, b, t, error, perfect, stop);
}

void smr_adaboost_classes_note(struct smr_boosting *b, int64_t t)
{
    struct smr_adaboost_state *s = b->state;
    double wrong = 0;
    s->ln_loss[t] = b->ln_sum - b->shift - smr_log(b->total);
    for (int64_t i = 0; i < b->n; i++)
        if (chosen(b, i) != b->data->label[i]) wrong += smr_data_weight(b->data, i);
    s->train_error[t] = wrong / b->total;
}

/* ---- margins ---------------------------------------------------------------------------- */

static double margin_of(const struct smr_boosting *b, int64_t i)
{
    const struct smr_adaboost_state *s = b->state;
    const double *score = b->score + i * s->n_classes;
    int64_t y = b->data->label[i];
    double other = -INFINITY;
    for (int64_t c = 0; c < s->n_classes; c++)
        if (s->present[c] && c != y) other = smr_fmax(other, score[c]);
    if (other == -INFINITY || !(b->reach > 0)) return 1; /* one class */
    return (score[y] - other) / b->reach;
}

smr_status smr_adaboost_margins(smr_ctx *ctx, struct smr_boosting *b, int64_t t)
{
    struct smr_adaboost_state *s = b->state;
    smr_status st = SMR_OK;
    double *margin = NULL, upto = 0;
    int64_t *order = NULL, at = 0;
    if (s->n_marks == SMR_ADABOOST_MARKS) return SMR_OK;
    double *out = s->margin + s->n_marks * s->n_levels;
    TRY_NEW(margin, b->n);
    TRY_NEW(order, b->n);
    for (int64_t i = 0; i < b->n; i++) margin[i] = margin_of(b, i);
    TRY(smr_argsort_f64(ctx, b->n, margin, order));
    for (int64_t i = 0; i < b->n; i++) { /* level q: the first row at which that share is reached */
        double w = smr_data_weight(b->data, order[i]);
        if (w <= 0) continue;
        upto += w;
        double share = upto / b->total * (double)(s->n_levels - 1);
        while (at < s->n_levels && (double)at <= share + 1e-9) out[at++] = margin[order[i]];
        out[s->n_levels - 1] = margin[order[i]];
    }
    for (; at < s->n_levels; at++) out[at] = out[s->n_levels - 1];
    s->mark[s->n_marks++] = t + 1;
out:
    smr_free(margin);
    smr_free(order);
    return st;
}
