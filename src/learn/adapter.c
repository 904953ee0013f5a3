/* adapter.c -- see adapter.h. */
#include "learn/adapter.h"

#include "learn/params.h"
#include "learn/registry.h"
#include "learn/spec.h"

smr_status smr_adapter_make(smr_ctx *ctx, smr_need need, const smr_tailor *next, smr_stage **out)
{
    smr_status st = SMR_OK;
    smr_stage *stage = NULL;
    const smr_learner *learner = smr_registry_adapter(need);
    TRY_NEW(stage, 1);
    stage->learner = learner;
    TRY(smr_params_create(ctx, learner, &stage->params));
    if (learner->fitted->transform->tailor) learner->fitted->transform->tailor(stage->params, next);
    *out = stage;
    stage = NULL;
out:
    smr_stages_free(stage, stage ? 1 : 0);
    return st;
}

smr_status smr_adapter_write(smr_ctx *ctx, smr_need need, const smr_tailor *next, smr_text *out)
{
    smr_stage *stage = NULL;
    smr_status st = smr_adapter_make(ctx, need, next, &stage);
    if (st == SMR_OK) smr_spec_write(stage, 1, out);
    smr_stages_free(stage, stage ? 1 : 0);
    return st == SMR_OK ? smr_text_done(out) : st;
}
