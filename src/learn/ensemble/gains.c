/* gains.c -- see gains.h. */
#include "learn/ensemble/gains.h"

#include "learn/trees/importance.h"
#include "learn/views.h"

#include <math.h>

/* Adds the member's shares; *known false: they are not known. */
static smr_status add_member(smr_ctx *ctx, const smr_member *m, double weight, int64_t n_in,
                             double *gain, bool *known)
{
    smr_status st = SMR_OK;
    const double *own = smr_stage_importances(smr_member_last(m));
    int64_t *from = NULL, n = 0;
    double sum = 0;
    *known = own != NULL;
    if (!own) return SMR_OK;
    TRY(smr_stages_origins(ctx, m->stages, m->n_stages - 1, n_in, &from, &n));
    for (int64_t j = 0; j < n; j++) sum += own[j];
    for (int64_t j = 0; j < n; j++) {
        *known &= from[j] >= 0;
        if (from[j] >= 0 && sum > 0 && isfinite(sum)) gain[from[j]] += weight * own[j] / sum;
    }
out:
    smr_free(from);
    return st;
}

smr_status smr_members_gain(smr_ctx *ctx, const smr_members *of, const double *weight, int64_t n_in,
                            double **gain)
{
    smr_status st = SMR_OK;
    double *sums = NULL, total = 0;
    bool known = of->n > 0 && n_in > 0;
    *gain = NULL;
    TRY_NEW(sums, n_in + 1);
    for (int64_t k = 0; k < of->n; k++) total += weight ? weight[k] : 1;
    for (int64_t k = 0; k < of->n && known; k++)
        TRY(add_member(ctx, &of->member[k], (weight ? weight[k] : 1) / total, n_in, sums, &known));
    if (!known || !(total > 0 && isfinite(total))) goto out;
    *gain = sums;
    sums = NULL;
out:
    smr_free(sums);
    return st;
}

smr_status smr_members_describe_gain(smr_ctx *ctx, const smr_members *of, const double *weight,
                                     const smr_feature *in, int64_t n_in, smr_json *into)
{
    double *gain = NULL;
    smr_status st = smr_members_gain(ctx, of, weight, n_in, &gain);
    if (st == SMR_OK && gain) st = smr_importance_describe(ctx, gain, in, n_in, into);
    smr_free(gain);
    return st;
}

smr_status smr_members_draw_gain(smr_ctx *ctx, const smr_members *of, const double *weight,
                                 const smr_feature *in, int64_t n_in, const char *prefix,
                                 smr_json *figures)
{
    double *gain = NULL;
    smr_status st = smr_members_gain(ctx, of, weight, n_in, &gain);
    if (st == SMR_OK && gain) st = smr_importance_figure(ctx, gain, in, n_in, prefix, figures);
    smr_free(gain);
    return st;
}
