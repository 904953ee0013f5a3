/* gains.c -- see gains.h. */
#include "learn/ensemble/gains.h"

#include "learn/state.h"
#include "learn/trees/importance.h"

#include <math.h>
#include <string.h>

/* The gains that the last stage counted, one of each of its features; NULL: none. */
static const double *gains_of(const smr_member *m)
{
    const smr_stage *last = smr_member_last(m);
    const smr_learner *l = last->learner;
    for (int64_t i = 0; i < l->fitted->n_state; i++)
        if (strcmp(l->fitted->state[i].name, "gain") == 0 &&
            l->fitted->state[i].type == SMR_STATE_F64S)
            return smr_state_values(&l->fitted->state[i], last->state);
    return NULL;
}

/* The parent's feature of that name, sought from `next` on, as features mostly keep their order;
 * -1: none. */
static int64_t find_feature(const smr_feature *in, int64_t n_in, const char *name, int64_t next)
{
    for (int64_t k = 0; k < n_in && in && name; k++) {
        int64_t j = (next + k) % n_in;
        if (in[j].name && strcmp(in[j].name, name) == 0) return j;
    }
    return -1;
}

/* Adds the member's shares; false: they cannot be told. */
static bool add_member(const smr_member *m, double weight, const smr_feature *in, int64_t n_in,
                       double *gain)
{
    const double *own = gains_of(m);
    const smr_stage *before = m->n_stages > 1 ? &m->stages[m->n_stages - 2] : NULL;
    int64_t n = before ? before->n_out : n_in, at = -1;
    double sum = 0;
    if (!own) return false;
    for (int64_t j = 0; j < n; j++) sum += own[j];
    for (int64_t j = 0; j < n; j++) {
        at = before ? find_feature(in, n_in, before->features[j].name, at + 1) : j;
        if (at < 0) return false;
        if (sum > 0 && isfinite(sum)) gain[at] += weight * own[j] / sum;
    }
    return true;
}

smr_status smr_members_gain(smr_ctx *ctx, const smr_members *of, const double *weight,
                            const smr_feature *in, int64_t n_in, double **gain)
{
    smr_status st = SMR_OK;
    double *sums = NULL, total = 0;
    bool known = of->n > 0 && n_in > 0;
    *gain = NULL;
    TRY_NEW(sums, n_in + 1);
    for (int64_t k = 0; k < of->n; k++) total += weight ? weight[k] : 1;
    for (int64_t k = 0; k < of->n && known; k++)
        known = add_member(&of->member[k], (weight ? weight[k] : 1) / total, in, n_in, sums);
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
    smr_status st = smr_members_gain(ctx, of, weight, in, n_in, &gain);
    if (st == SMR_OK && gain) st = smr_importance_describe(ctx, gain, in, n_in, into);
    smr_free(gain);
    return st;
}

smr_status smr_members_draw_gain(smr_ctx *ctx, const smr_members *of, const double *weight,
                                 const smr_feature *in, int64_t n_in, const char *prefix,
                                 smr_json *figures)
{
    double *gain = NULL;
    smr_status st = smr_members_gain(ctx, of, weight, in, n_in, &gain);
    if (st == SMR_OK && gain) st = smr_importance_figure(ctx, gain, in, n_in, prefix, figures);
    smr_free(gain);
    return st;
}
