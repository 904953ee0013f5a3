/* adapter.c -- see adapter.h. */
#include "learn/adapter.h"

#include "learn/registry.h"

smr_status smr_adapter_make(smr_ctx *ctx, smr_need need, const smr_tailor *next, smr_spec **out)
{
    smr_status st = SMR_OK;
    const smr_learner *learner = smr_registry_adapter(need);
    TRY(smr_spec_parse(ctx, learner->word->name, out));
    if (learner->fitted->transform->tailor)
        learner->fitted->transform->tailor((*out)->steps[0].params, next);
out:
    return st;
}

smr_status smr_adapter_write(smr_ctx *ctx, smr_need need, const smr_tailor *next, smr_text *out)
{
    smr_spec *spec = NULL;
    smr_status st = smr_adapter_make(ctx, need, next, &spec);
    if (st == SMR_OK) smr_spec_write(spec, out);
    smr_spec_free(spec);
    return st == SMR_OK ? smr_text_done(out) : st;
}
