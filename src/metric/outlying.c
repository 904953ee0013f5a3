/* outlying.c -- measures of outliers beside known classes.
 *
 * Known outliers are the rows of one class, or of all but the most frequent one.  Rows are ranked
 * by the score with its sign changed, so that the worst fitting comes first; rows without a known
 * class are left out. */
#include "metric/metric_parts.h"

#include <math.h>

smr_status smr_outliers_known(smr_ctx *ctx, const smr_found_input *in, int32_t *known)
{
    smr_status st = SMR_OK;
    double *count = NULL;
    int64_t usual = 0;
    TRY_NEW(count, in->n_classes + 1);
    for (int64_t i = 0; i < in->n; i++)
        if (in->label[i] >= 0) count[in->label[i]] += row_weight(in->weight, i);
    for (int64_t k = 1; k < in->n_classes; k++)
        if (count[k] > count[usual]) usual = k;
    bool one = in->outlying < in->n_classes;
    for (int64_t i = 0; i < in->n; i++) {
        int32_t k = in->label[i];
        known[i] = k < 0 ? -1 : one ? k == in->outlying : k != usual;
    }
out:
    smr_free(count);
    return st;
}

/* The known rows as a ranking; without outliers or others *out stays empty. */
static smr_status rank(smr_ctx *ctx, const smr_found_input *in, smr_ranking *out)
{
    smr_status st = SMR_OK;
    double *score = NULL, *weight = NULL;
    int32_t *known = NULL;
    int64_t n = 0;
    if (!in->label || !in->score) return SMR_OK;
    TRY_NEW(known, in->n + 1);
    TRY_NEW(score, in->n + 1);
    TRY_NEW(weight, in->n + 1);
    TRY(smr_outliers_known(ctx, in, known));
    for (int64_t i = 0; i < in->n; i++) {
        if (known[i] < 0) continue;
        score[n] = -in->score[i];
        weight[n] = row_weight(in->weight, i);
        known[n++] = known[i];
    }
    if (n > 0) TRY(smr_ranking_make(ctx, n, score, 1, known, 1, weight, out));
    if (n > 0 && !(out->positives > 0 && out->negatives > 0)) {
        smr_ranking_release(out);
        *out = (smr_ranking){0};
    }
out:
    smr_free(known);
    smr_free(score);
    smr_free(weight);
    return st;
}

static smr_status measure(smr_ctx *ctx, const smr_found_input *in,
                          double (*of)(const smr_ranking *), double *out)
{
    smr_ranking r = {0};
    smr_status st = rank(ctx, in, &r);
    if (st == SMR_OK && r.n) *out = of(&r);
    smr_ranking_release(&r);
    return st;
}

smr_status smr_outliers_auc(smr_ctx *ctx, const smr_found_input *in, double *out)
{
    return measure(ctx, in, smr_ranking_auc, out);
}

smr_status smr_outliers_average_precision(smr_ctx *ctx, const smr_found_input *in, double *out)
{
    return measure(ctx, in, smr_ranking_average_precision, out);
}

/* Of the known outliers that were called such: their share of all that were called, or of all that
 * are known. */
static smr_status share(smr_ctx *ctx, const smr_found_input *in, bool of_called, double *out)
{
    smr_status st = SMR_OK;
    int32_t *known = NULL;
    double both = 0, all = 0;
    if (!in->label || !in->found) return SMR_OK;
    TRY_NEW(known, in->n + 1);
    TRY(smr_outliers_known(ctx, in, known));
    for (int64_t i = 0; i < in->n; i++) {
        if (known[i] < 0) continue;
        bool called = in->found[i] == 1;
        double w = row_weight(in->weight, i);
        if (called && known[i]) both += w;
        if (of_called ? called : known[i]) all += w;
    }
    if (all > 0) *out = both / all;
out:
    smr_free(known);
    return st;
}

smr_status smr_outliers_precision(smr_ctx *ctx, const smr_found_input *in, double *out)
{
    return share(ctx, in, true, out);
}

smr_status smr_outliers_recall(smr_ctx *ctx, const smr_found_input *in, double *out)
{
    return share(ctx, in, false, out);
}
