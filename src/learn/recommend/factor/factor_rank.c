/* factor_rank.c -- the best items of a user, and items that are alike. */
#include "core/sort.h"
#include "kernel/kernel.h"
#include "learn/recommend/factor/ratings.h"

#include <math.h>

/* The *n best by score among those that are not skipped; ties to the lower code. */
static smr_status take_best(smr_ctx *ctx, int64_t items, const double *score, const bool *skip,
                            int64_t *n, int32_t *item, double *out)
{
    smr_status st = SMR_OK;
    double *key = NULL;
    int64_t *order = NULL, most = *n;
    *n = 0;
    TRY_NEW(key, items);
    TRY_NEW(order, items);
    for (int64_t i = 0; i < items; i++) key[i] = -score[i];
    TRY(smr_argsort_f64(ctx, items, key, order));
    for (int64_t r = 0; r < items && *n < most; r++) {
        if (skip && skip[order[r]]) continue;
        out[*n] = score[order[r]];
        item[(*n)++] = (int32_t)order[r];
    }
out:
    smr_free(key);
    smr_free(order);
    return st;
}

static smr_status best(smr_ctx *ctx, const void *params, const void *state, int64_t user,
                       const bool *skip, int64_t *n, int32_t *item, double *score)
{
    const struct smr_factor_state *s = state;
    smr_status st = SMR_OK;
    double *all = NULL;
    (void)params;
    TRY_NEW(all, s->n_items);
    for (int64_t i = 0; i < s->n_items; i++) all[i] = smr_factor_rate(s, user, i);
    TRY(take_best(ctx, s->n_items, all, skip, n, item, score));
out:
    smr_free(all);
    return st;
}

/* By the cosine of their factors. */
static smr_status near_item(smr_ctx *ctx, const void *params, const void *state, int64_t item,
                            int64_t *n, int32_t *items, double *score)
{
    const struct smr_factor_state *s = state;
    smr_status st = SMR_OK;
    double *all = NULL;
    bool *skip = NULL;
    (void)params;
    TRY_NEW(all, s->n_items);
    TRY_NEW(skip, s->n_items);
    const double *q = s->item + item * s->k;
    double own = smr_sumsq_f64(s->k, q, 0);
    skip[item] = true;
    for (int64_t i = 0; i < s->n_items; i++) {
        const double *other = s->item + i * s->k;
        double both = sqrt(own * smr_sumsq_f64(s->k, other, 0));
        all[i] = both > 0 ? smr_dot_f64(s->k, q, other) / both : 0;
    }
    TRY(take_best(ctx, s->n_items, all, skip, n, items, score));
out:
    smr_free(all);
    smr_free(skip);
    return st;
}

static const int32_t *had(const void *params, const void *state, int64_t user, int64_t *n)
{
    const struct smr_factor_state *s = state;
    (void)params;
    *n = user < 0 ? 0 : s->start[user + 1] - s->start[user];
    return user < 0 ? NULL : s->had + s->start[user];
}

const smr_can_rank smr_factor_ranks = {
    .best = best,
    .near = near_item,
    .had = had,
};
