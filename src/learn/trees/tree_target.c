/* tree_target.c -- weights and targets as whole numbers.
 *
 * Whole weights whose sum stays below 2^31 stay as they are; others are multiplied by the power of
 * two that brings their sum next to 2^52, and rounded (never to 0).  Targets are taken from the
 * middle of their range and multiplied by a power of two such that sums of weight x target stay
 * below 2^61.  So every sum over rows is exact in 64 bits, in any order of the rows, and a
 * difference of two sums is the sum over the rest.
 *
 * With class_weight=balanced each class gets the same weight, and all rows together what they had.
 * Where rows are divided (missing=fraction) weights are always multiplied.
 * Rows of weight 0 have w = 0 and are left out when trees are grown. */
#include "learn/trees/tree_parts.h"

#include <math.h>

static const double SMALL = 2147483648.0;            /* 2^31 */
static const double LARGE = 4503599627370496.0;      /* 2^52 */
static const double LARGEST = 2305843009213693952.0; /* 2^61 */

/* The largest power of two with power * sum <= limit. */
static double power_below(double limit, double sum)
{
    if (!(sum > 0)) return 1;
    int e = 0;
    double m = frexp(limit / sum, &e); /* limit / sum = m 2^e, m in [1/2, 1) */
    (void)m;
    e = e - 1 > 1000 ? 1000 : e - 1 < -1000 ? -1000 : e - 1;
    return ldexp(1, e);
}

/* ---- weights ---- */

static smr_status weigh(smr_ctx *ctx, const char *name, bool whole, const double *weight,
                        smr_tree_target *t)
{
    double total = 0;
    for (int64_t i = 0; i < t->n; i++) {
        total += weight[i];
        whole = whole && weight[i] == floor(weight[i]);
    }
    if (!(total > 0))
        return smr_fail(ctx, SMR_ERR_DATA,
                        t->n ? "%s: the weights of all %lld rows sum to zero; give some row weight"
                             : "%s: there are no training rows (%lld)",
                        name, (long long)t->n);
    whole = whole && total < SMALL;
    t->scale = whole ? 1 : power_below(LARGE, total);
    t->is_unit = true;
    for (int64_t i = 0; i < t->n; i++) {
        int64_t w = (int64_t)rint(weight[i] * t->scale);
        t->w[i] = weight[i] > 0 && w < 1 ? 1 : w;
        t->total += t->w[i];
        t->is_unit = t->is_unit && t->w[i] == 1;
    }
    t->is_small = (double)t->total < SMALL;
    return SMR_OK;
}

/* The same where every row weighs 1. */
static void weigh_units(smr_tree_target *t)
{
    t->scale = 1;
    t->is_unit = t->is_small = true;
    t->total = t->n;
    for (int64_t i = 0; i < t->n; i++) t->w[i] = 1;
}

/* ---- targets ---- */

static void measure_targets(smr_tree_target *t, double *middle)
{
    int64_t q = t->n_outputs;
    for (int64_t k = 0; k < q; k++) {
        double least = INFINITY, most = -INFINITY;
        for (int64_t i = 0; i < t->n; i++) {
            if (t->w[i] == 0) continue;
            least = smr_fmin(least, t->y[i * q + k]);
            most = smr_fmax(most, t->y[i * q + k]);
        }
        middle[k] = least / 2 + most / 2;
    }
}

static void scale_targets(smr_tree_target *t, const double *middle)
{
    int64_t q = t->n_outputs;
    double sum = 0, most = 0; /* of weights times parts of the largest, which cannot overflow */
    for (int64_t i = 0; i < t->n * q; i++)
        if (t->w[i / q] > 0) most = smr_fmax(most, fabs(t->y[i] - middle[i % q]));
    for (int64_t i = 0; i < t->n * q && most > 0; i++) {
        int64_t row = i / q;
        if (t->w[row] > 0) sum += (double)t->w[row] * (fabs(t->y[i] - middle[i % q]) / most);
    }
    t->y_scale = most > 0 ? power_below(LARGEST / sum, most) : 1;
    for (int64_t i = 0; i < t->n; i++) {
        for (int64_t k = 0; k < q && t->w[i] > 0; k++) {
            double y = (t->y[i * q + k] - middle[k]) * t->y_scale;
            bool twice = t->is_small; /* weight 2 is the row twice, to the last bit */
            t->wy[i * q + k] =
                twice ? t->w[i] * (int64_t)rint(y) : (int64_t)rint((double)t->w[i] * y);
        }
    }
}

smr_status smr_tree_target_make(smr_ctx *ctx, const char *name,
                                const struct smr_tree_params *params, const smr_data *data,
                                smr_tree_target *t)
{
    smr_status st = SMR_OK;
    double *weight = NULL, *of_class = NULL, *middle = NULL;
    bool classify = data->task == SMR_TASK_CLASSIFY;
    *t = (smr_tree_target){.n = data->n_rows, .label = data->label, .y = data->y};
    t->n_classes = classify ? data->n_classes : 0;
    t->n_outputs = classify ? 0 : data->n_outputs;
    t->width = classify ? t->n_classes : 1 + t->n_outputs;
    t->leaf_width = classify ? t->n_classes : t->n_outputs;
    t->y_scale = 1;
    TRY_NEW(t->w, t->n);
    bool balances = classify && params->class_weight == SMR_CLASS_WEIGHT_BALANCED;
    bool divides = params->missing == SMR_TREE_FRACTION;
    bool is_even = !data->weight && !balances && !divides && t->n > 0 && (double)t->n < SMALL;
    if (is_even)
        weigh_units(t);
    else
        TRY_NEW(weight, t->n);
    for (int64_t i = 0; i < t->n && weight; i++) weight[i] = smr_data_weight(data, i);
    if (balances) {
        TRY_NEW(of_class, t->n_classes);
        smr_class_balance(data, of_class);
        for (int64_t i = 0; i < t->n; i++) /* weights below 0 are refused below, as they are */
            if (weight[i] > 0) weight[i] *= of_class[data->label[i]];
    }
    if (!is_even) TRY(weigh(ctx, name, !divides, weight, t));
    if (!classify) {
        TRY_NEW(middle, t->n_outputs);
        TRY_NEW(t->wy, t->n * t->n_outputs);
        measure_targets(t, middle);
        scale_targets(t, middle);
    }
out:
    smr_free(middle);
    smr_free(of_class);
    smr_free(weight);
    if (st != SMR_OK) smr_tree_target_release(t);
    return st;
}

void smr_tree_target_release(smr_tree_target *target)
{
    smr_free(target->w);
    smr_free(target->wy);
    target->w = target->wy = NULL;
}
