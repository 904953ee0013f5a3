/* measuring.c -- see measuring.h. */
#include "measuring.h"

#include "session.h"

smr_status measuring_model(smr_ctx *ctx, const char *path, measuring_input *in)
{
    return smr_model_load(ctx, path, &in->model);
}

smr_status measuring_data(smr_ctx *ctx, const args *a, const char *path, measuring_input *in)
{
    smr_status st = SMR_OK;
    TRY(session_read_for(ctx, a, in->model, path, &in->table));
    TRY(smr_weights_named(ctx, in->table, a->weight, &in->weight));
    in->sample = (smr_sample){.table = in->table, .weight = in->weight};
out:
    return st;
}

void measuring_close(measuring_input *in)
{
    smr_free(in->weight);
    smr_table_free(in->table);
    smr_model_free(in->model);
}
