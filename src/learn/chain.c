/* chain.c -- see chain.h. */
#include "learn/chain.h"

enum { BLOCK_ROWS = 256, BLOCK_BYTES = 4 << 20 };

smr_form smr_stage_form(const smr_stage *stage, const smr_data *data)
{
    const smr_learner *learner = stage->learner;
    if (data->sparse && !data->source && (learner->takes & SMR_TAKES_SPARSE))
        return SMR_FORM_SPARSE;
    smr_form wanted = learner->form && stage->state ? learner->form(stage->state) : SMR_FORM_F64;
    smr_form natural = smr_data_natural_form(data);
    if (wanted <= natural && (learner->takes & 1u << wanted)) return wanted; /* wide enough */
    return learner->takes & 1u << natural ? natural : SMR_FORM_F64;
}

int64_t smr_stage_block(const smr_stage *stage, const smr_data *data)
{
    int64_t rows = stage->learner->block_rows ? stage->learner->block_rows : BLOCK_ROWS;
    int64_t fit = BLOCK_BYTES / (8 * SMR_MAX(1, data->n_features));
    return SMR_MAX(1, SMR_MIN(rows, SMR_MAX(fit, 16)));
}

static smr_status compute(smr_ctx *ctx, const smr_stage *stage, const smr_rows *in, double *out,
                          void *scratch)
{
    return stage->learner->predict(ctx, stage->params, stage->state, in, SMR_OUTPUT_TRANSFORM, out,
                                   scratch);
}

void smr_chain(const smr_data *source, const smr_stage *stage, smr_data *out)
{
    const smr_learner *learner = stage->learner;
    *out = *source;
    out->n_features = stage->n_out;
    out->features = stage->features;
    out->sparse = NULL;
    out->source = source;
    out->stage = stage;
    out->compute = compute;
    out->source_form = smr_stage_form(stage, source);
    out->compute_scratch = learner->scratch ? learner->scratch(stage->params, stage->state, 1) : 0;
    out->refuse_missing = false;
}

void smr_chain_guard(smr_data *data, const smr_stage *next)
{
    data->refuse_missing = !(next->learner->takes & SMR_TAKES_MISSING);
}
