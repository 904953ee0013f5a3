/* schema_read.c -- see schema_read.h. */
#include "select/schema_read.h"

#include <string.h>

smr_status smr_table_read_for(smr_ctx *ctx, const smr_model *model, const char *path,
                              const smr_read_opts *opts, smr_table **out)
{
    smr_status st = SMR_OK;
    smr_column_rule *rules = NULL;
    smr_read_opts how = opts ? *opts : (smr_read_opts){.header = -1};
    int64_t n = 0;
    *out = NULL;
    TRY_NEW(rules, model->schema.n_inputs + how.n_rules + 1);
    for (int64_t j = 0; j < how.n_rules; j++) rules[n++] = how.rules[j];
    for (int64_t j = 0; j < model->schema.n_inputs; j++) { /* the last rule for a column wins */
        const smr_input *in = &model->schema.inputs[j];
        rules[n++] = (smr_column_rule){.name = in->name, .kind = in->kind, .optional = true};
    }
    how.rules = rules;
    how.n_rules = n;
    TRY(smr_table_read(ctx, path, &how, out));
out:
    smr_free(rules);
    return st;
}
