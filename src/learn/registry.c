/* registry.c -- an explicit, sorted list: adding a learner touches its own file and this one. */
#include "learn/registry.h"

#include <string.h>

extern const smr_learner smr_calibrate, smr_columns, smr_conformal, smr_huber, smr_impute, smr_knn,
    smr_lad, smr_linear, smr_onehot, smr_poly, smr_quantile, smr_ridge, smr_standardize;

static const smr_learner *const all[] = {
    &smr_calibrate, &smr_columns, &smr_conformal,   &smr_huber,  &smr_impute,
    &smr_knn,       &smr_lad,     &smr_linear,      &smr_onehot, &smr_poly,
    &smr_quantile,  &smr_ridge,   &smr_standardize,
};

const smr_learner *const *smr_registry(int64_t *n)
{
    *n = SMR_COUNT(all);
    return all;
}

const smr_learner *smr_registry_find(const char *name)
{
    for (int64_t i = 0; i < SMR_COUNT(all); i++)
        if (strcmp(all[i]->name, name) == 0) return all[i];
    return NULL;
}

smr_status smr_registry_get(smr_ctx *ctx, const char *name, const smr_learner **out)
{
    const char *names[SMR_COUNT(all)];
    *out = smr_registry_find(name);
    if (*out) return SMR_OK;
    for (int64_t i = 0; i < SMR_COUNT(all); i++) names[i] = all[i]->name;
    int64_t near = smr_nearest(name, names, SMR_COUNT(all));
    if (near >= 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "there is no learner '%s'; did you mean '%s'?", name,
                        names[near]);
    return smr_fail(ctx, SMR_ERR_PARAM, "there is no learner '%s'; 'samara list' names them all",
                    name);
}
