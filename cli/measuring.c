/* measuring.c -- see measuring.h. */
#include "measuring.h"

#include "model/file.h"
#include "select/schema_read.h"
#include "session.h"

smr_status measuring_model(smr_ctx *ctx, const char *path, measuring_input *in)
{
    return smr_model_load(ctx, path, &in->model);
}

smr_status measuring_data(smr_ctx *ctx, const args *a, const char *path, measuring_input *in)
{
    smr_status st = SMR_OK;
    smr_read_opts opts;
    smr_rule_list rules = {0};
    TRY(session_read_opts(ctx, a, &opts, &rules));
    TRY(smr_table_read_for(ctx, in->model, path, &opts, &in->table));
    TRY(smr_weights_named(ctx, in->table, a->weight, &in->weight));
    in->sample = (smr_sample){.table = in->table, .weight = in->weight};
out:
    smr_rules_release(&rules);
    return st;
}

void measuring_close(measuring_input *in)
{
    smr_free(in->weight);
    smr_table_free(in->table);
    smr_model_free(in->model);
}
